//! Texels of typed buffers: what a format stores, and what a shader reads.

use ops::texture::Encoding;
use ops::{F16, Ty};

use crate::exec::{ElementFormat, FormatScalar};
use crate::{Element, HostScalar, Norm};

/// The value of one component between memory and shader.
#[derive(Clone, Copy)]
enum Number {
    Float(f64),
    Signed(i64),
    Unsigned(u64),
}

/// The format of a buffer for which the host specified none: the shader's own element type.
pub fn own_format(element: &Element) -> ElementFormat {
    let scalar = match (element.scalar, element.norm) {
        (HostScalar::F16, Norm::None) => FormatScalar::Float16,
        (HostScalar::F16, Norm::Unorm) => FormatScalar::Unorm16,
        (HostScalar::F16, Norm::Snorm) => FormatScalar::Snorm16,
        (HostScalar::F32, _) => FormatScalar::Float32,
        (HostScalar::F64, _) => FormatScalar::Float64,
        (HostScalar::I16, _) => FormatScalar::Int16,
        (HostScalar::I32, _) => FormatScalar::Int32,
        (HostScalar::I64, _) => FormatScalar::Int64,
        (HostScalar::U16, _) => FormatScalar::Uint16,
        (HostScalar::Bool | HostScalar::U32, _) => FormatScalar::Uint32,
        (HostScalar::U64, _) => FormatScalar::Uint64,
    };
    ElementFormat { scalar, components: element.components }
}

pub fn scalar_bytes(scalar: FormatScalar) -> u32 {
    u32::from(scalar.channel().bits) / 8
}

/// Whether the scalar in memory has the same bits as in the shader.
pub fn is_plain(scalar: FormatScalar, ty: Ty) -> bool {
    let channel = scalar.channel();
    let is_same_kind = match channel.encoding {
        Encoding::Float => ty.is_float(),
        Encoding::Sint | Encoding::Uint => matches!(ty, Ty::I16 | Ty::I32 | Ty::I64),
        Encoding::Unorm | Encoding::Snorm | Encoding::Srgb => false,
    };
    is_same_kind && u32::from(channel.bits) == ty.bits()
}

/// The bits that a shader of type `ty` reads for a scalar in memory, given zero-extended.
pub fn load(scalar: FormatScalar, ty: Ty, stored: u64) -> u64 {
    if is_plain(scalar, ty) {
        return stored;
    }
    let channel = scalar.channel();
    let number = match channel.encoding {
        Encoding::Float => Number::Float(float(channel.bits, stored)),
        Encoding::Sint => Number::Signed(channel.whole(stored)),
        Encoding::Uint => Number::Unsigned(stored),
        Encoding::Unorm | Encoding::Snorm => Number::Float(channel.fraction(stored)),
        Encoding::Srgb => unreachable!("typed buffers have no sRGB formats"),
    };
    to_shader(number, ty)
}

/// A float of that many bits.
fn float(bits: u8, stored: u64) -> f64 {
    match bits {
        16 => F16(stored as u16).to_f64(),
        32 => f64::from(f32::from_bits(stored as u32)),
        _ => f64::from_bits(stored),
    }
}

/// The value of a component that the format lacks.
pub fn missing(component: u32, ty: Ty) -> u64 {
    to_shader(Number::Unsigned(u64::from(component == 3)), ty)
}

/// The bits that are stored for a value of the shader.
pub fn store(scalar: FormatScalar, element: &Element, ty: Ty, bits: u64) -> u64 {
    if is_plain(scalar, ty) {
        return bits;
    }
    let signed = matches!(element.scalar, HostScalar::I16 | HostScalar::I32 | HostScalar::I64);
    let number = match ty {
        Ty::F16 | Ty::F32 | Ty::F64 => Number::Float(float(ty.bits() as u8, bits)),
        Ty::I16 if signed => Number::Signed(i64::from(bits as i16)),
        Ty::I32 if signed => Number::Signed(i64::from(bits as i32)),
        Ty::I64 if signed => Number::Signed(bits as i64),
        Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => Number::Unsigned(bits),
    };
    let channel = scalar.channel();
    let stored = match channel.encoding {
        Encoding::Float => match channel.bits {
            16 => to_shader(number, Ty::F16),
            32 => to_shader(number, Ty::F32),
            _ => to_shader(number, Ty::F64),
        },
        // Spec: integers that do not fit are clamped, as in D3D's conversions to fewer bits.
        Encoding::Sint => channel.saturated_signed(number.to_i64()) as u64,
        Encoding::Uint => channel.saturated(number.to_u64()),
        Encoding::Unorm | Encoding::Snorm => channel.nearest(number.to_f64()) as u64,
        Encoding::Srgb => unreachable!("typed buffers have no sRGB formats"),
    };
    stored & (u64::MAX >> (64 - u32::from(channel.bits)))
}

/// A number in the type of a shader; NaN is canonical.
fn to_shader(number: Number, ty: Ty) -> u64 {
    match ty {
        _ if ty.is_float() && number.to_f64().is_nan() => ty.canonical_nan(),
        Ty::Bool => u64::from(number.to_f64() != 0.0),
        Ty::I16 => number.to_integer() & 0xffff,
        Ty::I32 => number.to_integer() & 0xffff_ffff,
        Ty::I64 => number.to_integer(),
        Ty::F16 => u64::from(F16::from_f64(number.to_f64()).0),
        Ty::F32 => u64::from((number.to_f64() as f32).to_bits()),
        Ty::F64 => number.to_f64().to_bits(),
    }
}

impl Number {
    fn to_f64(self) -> f64 {
        match self {
            Number::Float(it) => it,
            Number::Signed(it) => it as f64,
            Number::Unsigned(it) => it as f64,
        }
    }

    fn to_i64(self) -> i64 {
        match self {
            Number::Float(it) => it as i64,
            Number::Signed(it) => it,
            Number::Unsigned(it) => i64::try_from(it).unwrap_or(i64::MAX),
        }
    }

    fn to_u64(self) -> u64 {
        match self {
            Number::Float(it) => it as u64,
            Number::Signed(it) => u64::try_from(it).unwrap_or(0),
            Number::Unsigned(it) => it,
        }
    }

    fn to_integer(self) -> u64 {
        match self {
            Number::Unsigned(it) => it,
            Number::Float(_) | Number::Signed(_) => self.to_i64() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{load, store};
    use crate::exec::FormatScalar::*;
    use crate::{Element, HostScalar, Norm};
    use ops::Ty;

    #[test]
    fn normalised_formats_round_and_clamp() {
        let element = Element { scalar: HostScalar::F32, components: 4, norm: Norm::Unorm };
        let bits = |it: f32| u64::from(it.to_bits());
        let cases = [
            (Unorm8, 0.5, 128),
            (Unorm8, 2.0, 255),
            (Unorm8, f32::NAN, 0),
            (Unorm16, 1.0, 65535),
            (Snorm8, -1.0, 0x81),
            (Snorm8, -7.0, 0x81),
            (Snorm16, 1.0, 0x7fff),
            (Float16, 65504.0, 0x7bff),
        ];
        for (format, value, stored) in cases {
            if format != Float16 {
                assert_eq!(
                    store(format, &element, Ty::F32, bits(value)),
                    stored,
                    "{format:?} {value}"
                );
            }
        }
        assert_eq!(load(Unorm8, Ty::F32, 255), bits(1.0));
        assert_eq!(load(Snorm8, Ty::F32, 0x80), bits(-1.0));
        assert_eq!(load(Int8, Ty::I32, 0xff), 0xffff_ffff);
        assert_eq!(load(Uint8, Ty::I32, 0xff), 0xff);
    }

    #[test]
    fn integers_that_do_not_fit_are_clamped() {
        let signed = Element { scalar: HostScalar::I32, components: 1, norm: Norm::None };
        let unsigned = Element { scalar: HostScalar::U32, ..signed };
        assert_eq!(store(Int8, &signed, Ty::I32, 0xffff_ff00), 0x80);
        assert_eq!(store(Uint8, &unsigned, Ty::I32, 0xffff_ff00), 0xff);
    }
}
