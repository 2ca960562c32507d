//! Whether two results are equal up to the rounding of floats.
//!
//! Sums of floats in another order differ in their last bits, as expected. The contents of buffers are compared
//! scalar by scalar: floats with a tolerance, everything else bit for bit.

use ir::exec::{Buffer, ElementFormat, FormatScalar};
use ir::{Binding, HostScalar, Module, Op, ResourceKind};
use ops::{F16, Ty};

/// The tolerance for floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FloatRoom {
    /// Relative: a fraction of the larger one.
    Relative(f64),
    /// In units in the last place.
    Ulps(u64),
}

impl Default for FloatRoom {
    fn default() -> FloatRoom {
        FloatRoom::Relative(1.0 / 1024.0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Float {
    Half,
    Single,
    Double,
}

impl Float {
    fn bytes(self) -> usize {
        match self {
            Float::Half => 2,
            Float::Single => 4,
            Float::Double => 8,
        }
    }

    fn of(scalar: HostScalar) -> Option<Float> {
        match scalar {
            HostScalar::F16 => Some(Float::Half),
            HostScalar::F32 => Some(Float::Single),
            HostScalar::F64 => Some(Float::Double),
            HostScalar::Bool
            | HostScalar::I16
            | HostScalar::U16
            | HostScalar::I32
            | HostScalar::U32
            | HostScalar::I64
            | HostScalar::U64 => None,
        }
    }
}

impl FloatRoom {
    /// Whether two floats of the given size are equal, by their bits.
    pub fn admits(self, bytes: usize, a: u64, b: u64) -> bool {
        let float = match bytes {
            2 => Float::Half,
            4 => Float::Single,
            _ => Float::Double,
        };
        self.admits_bits(float, a, b)
    }

    fn admits_bytes(self, float: Float, a: &[u8], b: &[u8]) -> bool {
        let bits = |it: &[u8]| it.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
        self.admits_bits(float, bits(a), bits(b))
    }

    fn admits_bits(self, float: Float, a: u64, b: u64) -> bool {
        let value = |it: u64| match float {
            Float::Half => f64::from(F16(it as u16).to_f32()),
            Float::Single => f64::from(f32::from_bits(it as u32)),
            Float::Double => f64::from_bits(it),
        };
        let (x, y) = (value(a), value(b));
        if x.is_nan() || y.is_nan() {
            return x.is_nan() && y.is_nan();
        }
        match self {
            FloatRoom::Relative(share) => x == y || (x - y).abs() <= share * x.abs().max(y.abs()),
            FloatRoom::Ulps(most) => {
                // Maps the representable numbers to consecutive integers: negative ones count down from zero.
                let sign = 1u64 << (float.bytes() * 8 - 1);
                let place = |it: u64| {
                    let size = (it & (sign - 1)) as i128;
                    if it & sign == 0 { size } else { -size }
                };
                (place(a) - place(b)).unsigned_abs() <= u128::from(most)
            }
        }
    }
}

/// The positions of floats: these offsets in each stride of bytes.
struct Layout {
    stride: usize,
    floats: Vec<(usize, Float)>,
}

/// The first byte that differs by more than the tolerance, if any.
pub fn first_difference(
    module: &Module,
    binding: Binding,
    a: &Buffer,
    b: &Buffer,
    room: FloatRoom,
) -> Option<u64> {
    if a.bytes == b.bytes {
        return None;
    }
    let exact = || a.bytes.iter().zip(b.bytes.iter()).position(|(a, b)| a != b).map(|it| it as u64);
    let Some(layout) = layout(module, binding, a.what.format()) else { return exact() };
    let elements = a.bytes.chunks(layout.stride).zip(b.bytes.chunks(layout.stride));
    for (number, (a, b)) in elements.enumerate().filter(|(_, (a, b))| a != b) {
        let mut at = 0;
        while at < a.len() {
            let float = layout.floats.iter().find(|it| it.0 == at).map(|it| it.1);
            let size = float.map_or(1, Float::bytes).min(a.len() - at);
            let (x, y) = (&a[at..at + size], &b[at..at + size]);
            let is_same = match float.filter(|it| it.bytes() == size) {
                Some(float) => room.admits_bytes(float, x, y),
                None => x == y,
            };
            if !is_same {
                return Some((number * layout.stride + at) as u64);
            }
            at += size;
        }
    }
    None
}

fn layout(module: &Module, binding: Binding, format: Option<ElementFormat>) -> Option<Layout> {
    let row = |float: Float| Layout { stride: float.bytes(), floats: vec![(0, float)] };
    match &module.resource(binding).kind {
        ResourceKind::Structured { stride, members, .. } => {
            let mut floats = Vec::new();
            for member in members {
                let Some(float) = Float::of(member.scalar) else { continue };
                let mut starts = vec![member.offset];
                for (count, distance) in &member.dims {
                    // An element has few enough scalars for the host to address.
                    let each =
                        |start: &u32| (0..*count).map(|i| start + i * distance).collect::<Vec<_>>();
                    starts = starts.iter().flat_map(each).collect();
                }
                for start in starts {
                    for vector in 0..member.vectors.max(1) {
                        for component in 0..member.components.max(1) {
                            let at = start
                                + vector * member.vector_stride
                                + component * member.scalar.bytes();
                            floats.push((at as usize, float));
                        }
                    }
                }
            }
            Some(Layout { stride: (*stride).max(1) as usize, floats })
        }
        ResourceKind::Typed { element, .. } => {
            let float = match format {
                None => Float::of(element.scalar)?,
                Some(format) => match format.scalar {
                    FormatScalar::Float16 => Float::Half,
                    FormatScalar::Float32 => Float::Single,
                    FormatScalar::Float64 => Float::Double,
                    _ => return None,
                },
            };
            Some(row(float))
        }
        // Bytes are floats if nothing else is ever stored there.
        ResourceKind::Raw { .. } => {
            let mut types = module.insts.iter().filter_map(|it| match &it.op {
                Op::Store { place, values, .. } if module.storage(place.binding) == binding => {
                    values.first().map(|first| module.ty(*first))
                }
                Op::Atomic { place, .. } if module.storage(place.binding) == binding => {
                    Some(Ty::I32)
                }
                _ => None,
            });
            let first = types.next()?;
            let float = match first {
                Ty::F16 => Float::Half,
                Ty::F32 => Float::Single,
                Ty::F64 => Float::Double,
                Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => return None,
            };
            types.all(|it| it == first).then(|| row(float))
        }
        // Constants and samplers are not written, and texels are compared by their format.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_floats_have_a_tolerance() {
        let close = |room: FloatRoom, a: f32, b: f32| {
            room.admits_bytes(Float::Single, &a.to_le_bytes(), &b.to_le_bytes())
        };
        let relative = FloatRoom::default();
        assert!(close(relative, 1000.0, 1000.5));
        assert!(!close(relative, 1000.0, 1002.0));
        assert!(close(relative, f32::NAN, -f32::NAN));
        assert!(!close(relative, f32::NAN, 1.0));
        let ulps = FloatRoom::Ulps(1);
        assert!(close(ulps, 1.0, 1.0 + f32::EPSILON));
        assert!(!close(ulps, 1.0, 1.0 + 2.0 * f32::EPSILON));
        assert!(close(ulps, 0.0, -0.0));
    }
}
