//! The text of values.

use ir::HostScalar;
use ops::F16;

/// A value as its type says: the shortest decimal that tells a float from its neighbours.
pub fn text(ty: HostScalar, bits: u64) -> String {
    match ty {
        HostScalar::Bool => (bits & 1 == 1).to_string(),
        HostScalar::I16 => (bits as i16).to_string(),
        HostScalar::I32 => (bits as i32).to_string(),
        HostScalar::I64 => (bits as i64).to_string(),
        HostScalar::U16 => (bits as u16).to_string(),
        HostScalar::U32 => (bits as u32).to_string(),
        HostScalar::U64 => bits.to_string(),
        HostScalar::F16 => F16(bits as u16).to_f32().to_string(),
        HostScalar::F32 => f32::from_bits(bits as u32).to_string(),
        HostScalar::F64 => f64::from_bits(bits).to_string(),
    }
}
