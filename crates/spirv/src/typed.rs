//! Typed buffers: texel buffers, whose views convert between formats.

use ir::{Atomic, Inst, Place, Value};
use ops::Ty;

use crate::CannotEmit;
use crate::builtin::SCOPE_DEVICE;
use crate::emit::Emitter;
use crate::memory::{Descriptor, View};
use crate::module::Id;
use crate::opcode as op;
use crate::texel::Carrier;

/// The dimension `Buffer`.
const BUFFER: u32 = 5;

/// A texel to access.
struct Texel {
    descriptor: Descriptor,
    carrier: Carrier,
    image_ty: Id,
    index: Id,
    inside: Option<Id>,
}

impl Emitter<'_> {
    pub(crate) fn texel_image(&mut self, binding: ir::Binding) -> Id {
        let (writable, _) = self.element_of(binding);
        let carrier = self.carrier(binding);
        let sampled = self.carried(carrier);
        self.out.capabilities.insert(if writable {
            op::CAP_IMAGE_BUFFER
        } else {
            op::CAP_SAMPLED_BUFFER
        });
        if writable {
            self.storage_capabilities(carrier);
        }
        // No depth, not an array, single-sampled, used as a sampled (1) or a storage (2) texel buffer.
        let kind = if writable { 2 } else { 1 };
        self.out.made_type(op::TYPE_IMAGE, &[sampled.0, BUFFER, 0, 0, 0, kind, carrier.format])
    }

    pub(crate) fn image(&mut self, descriptor: Descriptor, ty: Id) -> Id {
        let image = self.op(op::LOAD, ty, &[descriptor.pointer]);
        self.mark(descriptor.varies, image);
        image
    }

    /// The number of texels in the buffer.
    pub(crate) fn texels(&mut self, place: Place) -> Id {
        let descriptor = self.existing(place, View::Texels);
        let ty = self.texel_image(place.binding);
        let image = self.image(descriptor, ty);
        self.out.capabilities.insert(op::CAP_IMAGE_QUERY);
        let uint = self.out.uint();
        self.op(op::IMAGE_QUERY_SIZE, uint, &[image])
    }

    fn texel(&mut self, place: Place, at: Value, inside: Option<Id>) -> Texel {
        let carrier = self.carrier(place.binding);
        let descriptor = self.existing(place, View::Texels);
        let at = self.get(at);
        let index = self.or_zero(inside, at);
        let image_ty = self.texel_image(place.binding);
        Texel { descriptor, carrier, image_ty, index, inside }
    }

    fn read_texel(&mut self, texel: &Texel, writable: bool) -> Id {
        let image = self.image(texel.descriptor, texel.image_ty);
        let four = self.four_carried(texel.carrier);
        let opcode = if writable {
            self.without_format(texel.carrier, op::CAP_STORAGE_READ_ANY);
            op::IMAGE_READ
        } else {
            op::IMAGE_FETCH
        };
        let loaded = self.op(opcode, four, &[image, texel.index]);
        self.mark(texel.descriptor.varies, loaded);
        loaded
    }

    pub(crate) fn load_texel(
        &mut self,
        place: Place,
        at: Value,
        inside: Option<Id>,
        ty: Ty,
        count: usize,
    ) -> Vec<Id> {
        let (writable, _) = self.element_of(place.binding);
        let texel = self.texel(place, at, inside);
        let loaded = self.read_texel(&texel, writable);
        let mut values = Vec::new();
        for component in 0..count as u32 {
            let value = self.component_of(texel.carrier, loaded, component, ty);
            values.push(self.value_or_zero(ty, texel.inside, value));
        }
        values
    }

    pub(crate) fn store_texel(
        &mut self,
        place: Place,
        at: Value,
        inside: Option<Id>,
        values: &[Value],
    ) {
        let texel = self.texel(place, at, inside);
        let ty = self.ir.ty(values[0]);
        let is_part = self.stores_part(place.binding, values.len());
        let values = self.get_all(values);
        self.guarded(texel.inside, |it| {
            let old = is_part.then(|| it.read_texel(&texel, true));
            let whole = it.texel_of(texel.carrier, ty, &values, old);
            it.without_format(texel.carrier, op::CAP_STORAGE_WRITE_ANY);
            let image = it.image(texel.descriptor, texel.image_ty);
            it.effect(op::IMAGE_WRITE, &[image, texel.index, whole]);
            []
        });
        self.settle(place.binding);
    }

    pub(crate) fn atomic_texel(
        &mut self,
        inst: Inst,
        place: Place,
        at: Value,
        inside: Option<Id>,
        operation: Atomic,
        args: &[Value],
    ) -> Result<Id, CannotEmit> {
        let texel = self.texel(place, at, inside);
        let ty = self.ir.ty(args[0]);
        self.checked_atomic(inst, place, texel.carrier)?;
        let args = self.get_all(args);
        let ty_id = self.out.ty(ty);
        let [old] = self.guarded(texel.inside, |it| {
            let at = (texel.descriptor, texel.index, texel.carrier);
            [(ty_id, it.atomic_on_image(at, operation, &args))]
        });
        self.settle(place.binding);
        Ok(old)
    }

    /// Atomic operations require images with one integer, or the bits of one float, per texel.
    pub(crate) fn checked_atomic(
        &self,
        inst: Inst,
        place: Place,
        carrier: Carrier,
    ) -> Result<(), CannotEmit> {
        let (_, element) = self.element_of(place.binding);
        let is_whole = element.scalar.bytes() == carrier.ty.bytes();
        if carrier.ty == Ty::F32 || element.components != 1 || !is_whole {
            let name = &self.ir.resource(place.binding).name;
            return self.unsupported("texel atomics", format!("`{name}`"), Some(inst));
        }
        Ok(())
    }

    pub(crate) fn atomic_on_image(
        &mut self,
        (descriptor, at, carrier): (Descriptor, Id, Carrier),
        operation: Atomic,
        args: &[Id],
    ) -> Id {
        let scalar = self.carried(carrier);
        let pointer_ty = self.out.pointer(op::IMAGE, scalar);
        let sample = self.out.word(0);
        let path = [descriptor.pointer, at, sample];
        let pointer = self.op(op::IMAGE_TEXEL_POINTER, pointer_ty, &path);
        self.mark(descriptor.varies, pointer);
        if carrier.ty == Ty::I64 {
            self.out.capabilities.insert(op::CAP_INT64_ATOMICS);
        }
        let args: Vec<Id> = args.iter().map(|it| self.put_in(carrier, *it)).collect();
        let old = self.atomic_instruction(pointer, SCOPE_DEVICE, scalar, operation, &args);
        self.taken_out(carrier, old)
    }
}
