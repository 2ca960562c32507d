//! Typed buffers: texel buffers, whose views convert.
//!
//! Texels of 32-bit scalars, one, two or four of them. Others need views whose format the module does not know, and are
//! `unsupported` as yet.

use ir::{Atomic, Element, HostScalar, Inst, Norm, Place, ResourceKind, Value};
use ops::Ty;

use crate::Unsupported;
use crate::builtin::SCOPE_DEVICE;
use crate::emit::Emitter;
use crate::memory::{Descriptor, View};
use crate::module::Id;
use crate::opcode as op;

/// The dimension `Buffer`.
const BUFFER: u32 = 5;

/// A texel to access.
struct Texel {
    descriptor: Descriptor,
    image_ty: Id,
    index: Id,
    inside: Option<Id>,
}

/// The number of an image format that a texel of 32-bit scalars has, and whether every device knows it.
fn format(element: &Element) -> Option<(u32, bool)> {
    let row = match element.components {
        1 => 0,
        2 => 1,
        4 => 2,
        _ => return None,
    };
    if element.norm != Norm::None {
        return None;
    }
    match element.scalar {
        HostScalar::F32 => Some(([3, 6, 1][row], row != 1)),
        HostScalar::I32 => Some(([24, 25, 21][row], row != 1)),
        HostScalar::U32 => Some(([33, 35, 30][row], row != 1)),
        HostScalar::Bool
        | HostScalar::I16
        | HostScalar::U16
        | HostScalar::I64
        | HostScalar::U64
        | HostScalar::F16
        | HostScalar::F64 => None,
    }
}

impl Emitter<'_> {
    fn element_of(&self, place: Place) -> (bool, Element) {
        match &self.ir.resource(place.binding).kind {
            ResourceKind::Typed { writable, element } => (*writable, *element),
            ResourceKind::Constant { .. }
            | ResourceKind::Structured { .. }
            | ResourceKind::Raw { .. }
            | ResourceKind::Texture { .. }
            | ResourceKind::Sampler { .. } => {
                unreachable!("the verifier has checked that texels are those of typed buffers")
            }
        }
    }

    /// The type of a component; integers carry their sign here, because images do.
    fn sampled(&mut self, element: &Element) -> Id {
        match element.scalar {
            HostScalar::F32 => self.out.float(32),
            HostScalar::I32 => self.out.made_type(op::TYPE_INT, &[32, 1]),
            _ => self.out.uint(),
        }
    }

    pub(crate) fn texel_image(&mut self, writable: bool, element: &Element) -> Id {
        let sampled = self.sampled(element);
        let (number, common) = format(element).unwrap_or((0, true));
        self.out.capabilities.insert(if writable {
            op::CAP_IMAGE_BUFFER
        } else {
            op::CAP_SAMPLED_BUFFER
        });
        if writable && !common {
            self.out.capabilities.insert(op::CAP_STORAGE_IMAGE_EXTENDED);
        }
        let number = if writable { number } else { 0 };
        // No depth, no array, one sample, known to be read through a view (1) or written (2).
        let kind = if writable { 2 } else { 1 };
        self.out.made_type(op::TYPE_IMAGE, &[sampled.0, BUFFER, 0, 0, 0, kind, number])
    }

    fn image(&mut self, descriptor: Descriptor, ty: Id) -> Id {
        let image = self.op(op::LOAD, ty, &[descriptor.pointer]);
        self.mark(descriptor.varies, image);
        image
    }

    /// How many texels the buffer has.
    pub(crate) fn texels(&mut self, place: Place) -> Id {
        let (writable, element) = self.element_of(place);
        let descriptor = self.descriptor(place, View::Texels);
        let ty = self.texel_image(writable, &element);
        let image = self.image(descriptor, ty);
        self.out.capabilities.insert(op::CAP_IMAGE_QUERY);
        let uint = self.out.uint();
        let size = self.op(op::IMAGE_QUERY_SIZE, uint, &[image]);
        self.value_or_zero(Ty::I32, descriptor.exists, size)
    }

    fn texel(&mut self, inst: Inst, place: Place, at: Value) -> Result<Texel, Unsupported> {
        let (writable, element) = self.element_of(place);
        if format(&element).is_none() {
            let name = &self.ir.resource(place.binding).name;
            return self.unsupported("texel formats", format!("`{name}`"), Some(inst));
        }
        let size = self.texels(place);
        let descriptor = self.descriptor(place, View::Texels);
        let at = self.get(at);
        let inside = self.test(op::U_LESS_THAN, at, size);
        let inside = self.both(Some(inside), descriptor.exists);
        let index = self.or_zero(inside, at);
        let image_ty = self.texel_image(writable, &element);
        Ok(Texel { descriptor, image_ty, index, inside })
    }

    pub(crate) fn load_texel(
        &mut self,
        inst: Inst,
        place: Place,
        at: Value,
        ty: Ty,
        count: usize,
    ) -> Result<Vec<Id>, Unsupported> {
        let (writable, element) = self.element_of(place);
        let texel = self.texel(inst, place, at)?;
        let image = self.image(texel.descriptor, texel.image_ty);
        let scalar = self.sampled(&element);
        let four = self.out.vector(scalar, 4);
        let opcode = if writable { op::IMAGE_READ } else { op::IMAGE_FETCH };
        let loaded = self.op(opcode, four, &[image, texel.index]);
        self.mark(texel.descriptor.varies, loaded);
        let mut values = Vec::new();
        for component in 0..count as u32 {
            let value = self.op_words(op::COMPOSITE_EXTRACT, scalar, &[loaded.0, component]);
            let value = self.unsigned(&element, value);
            values.push(self.value_or_zero(ty, texel.inside, value));
        }
        Ok(values)
    }

    fn unsigned(&mut self, element: &Element, value: Id) -> Id {
        let uint = self.out.uint();
        if element.scalar == HostScalar::I32 { self.op(op::BITCAST, uint, &[value]) } else { value }
    }

    pub(crate) fn store_texel(
        &mut self,
        inst: Inst,
        place: Place,
        at: Value,
        values: &[Value],
    ) -> Result<(), Unsupported> {
        let (_, element) = self.element_of(place);
        let texel = self.texel(inst, place, at)?;
        let scalar = self.sampled(&element);
        let four = self.out.vector(scalar, 4);
        let mut parts = Vec::new();
        for i in 0..4 {
            let value = self.get(values[i.min(values.len() - 1)]);
            let signed = element.scalar == HostScalar::I32;
            parts.push(if signed { self.op(op::BITCAST, scalar, &[value]) } else { value });
        }
        let whole = self.op(op::COMPOSITE_CONSTRUCT, four, &parts);
        self.guarded(texel.inside, |it| {
            let image = it.image(texel.descriptor, texel.image_ty);
            it.effect(op::IMAGE_WRITE, &[image, texel.index, whole]);
            []
        });
        Ok(())
    }

    pub(crate) fn atomic_texel(
        &mut self,
        inst: Inst,
        place: Place,
        at: Value,
        operation: Atomic,
        args: &[Value],
    ) -> Result<Id, Unsupported> {
        let (_, element) = self.element_of(place);
        let ty = self.ir.ty(args[0]);
        if element.components != 1 || element.scalar != HostScalar::U32 {
            let name = &self.ir.resource(place.binding).name;
            return self.unsupported("texel atomics", format!("`{name}`"), Some(inst));
        }
        let texel = self.texel(inst, place, at)?;
        let args = self.get_all(args);
        let ty_id = self.out.ty(ty);
        let scalar = self.sampled(&element);
        let pointer_ty = self.out.pointer(op::IMAGE, scalar);
        let [old] = self.guarded(texel.inside, |it| {
            let sample = it.out.word(0);
            let path = [texel.descriptor.pointer, texel.index, sample];
            let pointer = it.op(op::IMAGE_TEXEL_POINTER, pointer_ty, &path);
            it.mark(texel.descriptor.varies, pointer);
            [(ty_id, it.atomic_at(pointer, SCOPE_DEVICE, ty, operation, &args))]
        });
        Ok(old)
    }
}
