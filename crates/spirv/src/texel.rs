//! Texels: the scalar types in which the components of an element pass between a shader and an image, and the formats
//! that a module must declare.
//!
//! | element | passed as |
//! |---|---|
//! | `half`, `float`, `unorm`, `snorm` | `f32`; the view knows the format |
//! | integers up to 32 bits, `bool` | words, extended by their sign |
//! | 64 bits | two words; one integer for atomic operations |
//! | one `float` with atomic operations | its bits, as a word: no device compares floats by their bits |
//!
//! From Vulkan 1.3 on, modules declare no format, and a host may bind views of any suitable one. Atomic operations
//! require a declared format; for older versions, the format of the declared element type is used if every device
//! supports it.

use ir::{Element, HostScalar, Norm};
use ops::texture::Format;
use ops::{Sign, Ty};

use crate::Vulkan;
use crate::emit::Emitter;
use crate::module::Id;
use crate::opcode as op;

/// How the components of texels are passed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Carrier {
    /// The scalar that images hold: `F32`, `I32` or `I64`.
    pub(crate) ty: Ty,
    pub(crate) signed: bool,
    /// Whether each component is two words.
    pairs: bool,
    /// Whether the word is the bits of a float.
    floats: bool,
    /// The number of the format, or 0 if none is declared.
    pub(crate) format: u32,
    /// Whether some devices do not support the format.
    extended: bool,
    /// The format that is bound, if it is known: conversions are then those of `conversion.rs`.
    pub(crate) bound: Option<Format>,
}

impl Carrier {
    /// The type of the scalar outside images.
    fn number(self) -> Ty {
        if self.floats { Ty::F32 } else { self.ty }
    }

    /// Whether the scalar has a different type outside images.
    fn is_cast(self) -> bool {
        self.signed || self.floats
    }
}

/// The format of texels of 32-bit scalars, and whether some devices do not support it.
fn named(ty: Ty, signed: bool, components: u32) -> Option<(u32, bool)> {
    let row = match components {
        1 => 0,
        2 => 1,
        4 => 2,
        _ => return None,
    };
    let number = match (ty, signed) {
        (Ty::F32, _) => [op::FORMAT_R32F, op::FORMAT_RG32F, op::FORMAT_RGBA32F][row],
        (_, true) => [op::FORMAT_R32I, op::FORMAT_RG32I, op::FORMAT_RGBA32I][row],
        (_, false) => [op::FORMAT_R32UI, op::FORMAT_RG32UI, op::FORMAT_RGBA32UI][row],
    };
    Some((number, row == 1))
}

impl Emitter<'_> {
    /// The element type of a typed buffer or a texture, and whether it can be written.
    pub(crate) fn element_of(&self, binding: ir::Binding) -> (bool, Element) {
        let view = self.ir.resource(binding).kind.view();
        let element = view.element.unwrap_or_else(|| {
            unreachable!("the verifier has checked that texels are those of buffers and textures")
        });
        (view.writable, element)
    }

    pub(crate) fn carrier(&self, binding: ir::Binding) -> Carrier {
        let (writable, element) = self.element_of(binding);
        let is_atomic = writable && self.ir.changes_atomically(binding);
        let is_bits = is_atomic && element.scalar == HostScalar::F32 && element.norm == Norm::None;
        let floats = is_bits && element.components == 1;
        let (ty, signed, pairs) = match element.scalar {
            HostScalar::F32 if floats => (Ty::I32, false, false),
            HostScalar::F16 | HostScalar::F32 => (Ty::F32, false, false),
            HostScalar::I16 | HostScalar::I32 => (Ty::I32, true, false),
            HostScalar::Bool | HostScalar::U16 | HostScalar::U32 => (Ty::I32, false, false),
            HostScalar::I64 if is_atomic => (Ty::I64, true, false),
            HostScalar::U64 if is_atomic => (Ty::I64, false, false),
            HostScalar::I64 | HostScalar::U64 | HostScalar::F64 => (Ty::I32, false, true),
        };
        let is_free = !is_atomic && self.environment.vulkan >= Vulkan::V1_3;
        let (format, extended) = if !writable || is_free {
            (0, false)
        } else if ty == Ty::I64 {
            (if signed { op::FORMAT_R64I } else { op::FORMAT_R64UI }, false)
        } else {
            let components = if pairs { element.components * 2 } else { element.components };
            // Formats of 16-bit and normalised numbers are no more widely supported than formatless access.
            let is_whole = element.norm == Norm::None && element.scalar.bytes() >= 4;
            named(ty, signed, components).filter(|_| is_whole).unwrap_or_default()
        };
        let bound = self.environment.bound(binding).format;
        Carrier { ty, signed, pairs, floats, format, extended, bound }
    }

    /// The type of an image's components; integers are signed or unsigned here, as images require.
    pub(crate) fn carried(&mut self, carrier: Carrier) -> Id {
        if carrier.ty == Ty::I64 {
            self.out.capabilities.extend([op::CAP_INT64, op::CAP_INT64_IMAGE]);
            self.out.extensions.insert("SPV_EXT_shader_image_int64");
        }
        match carrier.ty {
            Ty::F32 => self.out.float(32),
            ty => self.out.made_type(op::TYPE_INT, &[ty.bits(), u32::from(carrier.signed)]),
        }
    }

    pub(crate) fn four_carried(&mut self, carrier: Carrier) -> Id {
        let scalar = self.carried(carrier);
        self.out.vector(scalar, 4)
    }

    /// Declares the capabilities for a storage image of such texels.
    pub(crate) fn storage_capabilities(&mut self, carrier: Carrier) {
        if carrier.extended {
            self.out.capabilities.insert(op::CAP_STORAGE_IMAGE_EXTENDED);
        }
    }

    pub(crate) fn without_format(&mut self, carrier: Carrier, capability: u32) {
        if carrier.format == 0 {
            self.out.capabilities.insert(capability);
        }
    }

    /// Converts a scalar of an image to the unsigned integer or float that is used elsewhere.
    pub(crate) fn taken_out(&mut self, carrier: Carrier, value: Id) -> Id {
        let ty = self.out.ty(carrier.number());
        if carrier.is_cast() { self.op(op::BITCAST, ty, &[value]) } else { value }
    }

    pub(crate) fn put_in(&mut self, carrier: Carrier, value: Id) -> Id {
        let ty = self.carried(carrier);
        if carrier.is_cast() { self.op(op::BITCAST, ty, &[value]) } else { value }
    }

    fn carried_at(&mut self, carrier: Carrier, four: Id, index: u32) -> Id {
        let scalar = self.carried(carrier);
        let value = self.op_words(op::COMPOSITE_EXTRACT, scalar, &[four.0, index]);
        self.taken_out(carrier, value)
    }

    fn sign_of(carrier: Carrier) -> Sign {
        if carrier.signed { Sign::Signed } else { Sign::Unsigned }
    }

    /// One component of an image's result, in the shader's type.
    pub(crate) fn component_of(&mut self, carrier: Carrier, four: Id, index: u32, ty: Ty) -> Id {
        self.component_seen(carrier, four, index, index, ty)
    }

    /// The same if the values are those of another channel, as in the result of a gather.
    pub(crate) fn component_seen(
        &mut self,
        carrier: Carrier,
        four: Id,
        index: u32,
        channel: u32,
        ty: Ty,
    ) -> Id {
        if carrier.pairs {
            // There are at most two components.
            if index > 1 {
                let ty = self.out.ty(ty);
                return self.out.null(ty);
            }
            let low = self.carried_at(carrier, four, 2 * index);
            let high = self.carried_at(carrier, four, 2 * index + 1);
            return self.joined(low, high, ty);
        }
        let mut value = self.carried_at(carrier, four, index);
        if let Some(format) = carrier.bound {
            value = self.loaded(format, channel, value);
        }
        let sign = Self::sign_of(carrier);
        self.texel_converted(value, carrier.number(), sign, ty)
    }

    /// A texel from values in the shader's type; missing components are taken from `old`, or repeat the last one.
    pub(crate) fn texel_of(
        &mut self,
        carrier: Carrier,
        ty: Ty,
        values: &[Id],
        old: Option<Id>,
    ) -> Id {
        let sign = Self::sign_of(carrier);
        let mut parts = Vec::new();
        for value in values {
            let scalars = match carrier.pairs {
                true => self.halves(*value, ty).to_vec(),
                false => vec![self.texel_converted(*value, ty, sign, carrier.number())],
            };
            for mut scalar in scalars {
                if let (Some(format), false) = (carrier.bound, carrier.pairs) {
                    scalar = self.stored(format, parts.len() as u32, scalar);
                }
                parts.push(self.put_in(carrier, scalar));
            }
        }
        parts.truncate(4);
        let scalar = self.carried(carrier);
        while let (Some(last), true) = (parts.last().copied(), parts.len() < 4) {
            let index = parts.len() as u32;
            parts.push(match old {
                Some(old) => self.op_words(op::COMPOSITE_EXTRACT, scalar, &[old.0, index]),
                None => last,
            });
        }
        let four = self.out.vector(scalar, 4);
        self.op(op::COMPOSITE_CONSTRUCT, four, &parts)
    }

    /// Whether a store writes only some components of the element.
    pub(crate) fn stores_part(&self, binding: ir::Binding, values: usize) -> bool {
        values < self.element_of(binding).1.components as usize
    }
}
