//! Halves of 64-bit values.

use ir::{Value, Values};
use ops::{Binary, Sign, Ty};

use super::Emit;

pub(super) fn as_double(e: &mut Emit<'_>, low: Value, high: Value) -> Value {
    let long = join(e, low, high);
    e.bitcast(Ty::F64, long)
}

pub(super) fn split_double(e: &mut Emit<'_>, x: Value) -> (Value, Value) {
    let long = e.bitcast(Ty::I64, x);
    split(e, long)
}

/// Each pair of components is a number; the last of an odd count has no upper half and is added alone.
pub(super) fn add_uint64(e: &mut Emit<'_>, a: &[Value], b: &[Value]) -> Values {
    let mut result = Values::with_capacity(a.len());
    for (a, b) in a.chunks(2).zip(b.chunks(2)) {
        match (a, b) {
            ([a_low, a_high], [b_low, b_high]) => {
                let (a, b) = (join(e, *a_low, *a_high), join(e, *b_low, *b_high));
                let sum = e.add(a, b);
                let (low, high) = split(e, sum);
                result.extend([low, high]);
            }
            (a, b) => result.push(e.add(a[0], b[0])),
        }
    }
    result
}

fn join(e: &mut Emit<'_>, low: Value, high: Value) -> Value {
    let (low, high) =
        (e.convert(Ty::I64, Sign::Unsigned, low), e.convert(Ty::I64, Sign::Unsigned, high));
    let shift = e.bits(Ty::I64, 32);
    let high = e.binary(Binary::Shl, high, shift);
    e.binary(Binary::Or, low, high)
}

fn split(e: &mut Emit<'_>, long: Value) -> (Value, Value) {
    let shift = e.bits(Ty::I64, 32);
    let upper = e.binary(Binary::Shr(Sign::Unsigned), long, shift);
    (e.convert(Ty::I32, Sign::Unsigned, long), e.convert(Ty::I32, Sign::Unsigned, upper))
}
