//! Bytes in words: packing, unpacking, and sums over them.

use ir::{Value, Values};
use ops::{Binary, Compare, Sign, Ty, Unary};

use super::Emit;

/// Four numbers as the bytes of a word, the first one lowest.
/// With `clamp` they are clamped to the range of such bytes first; `sign` says how they are read then.
pub(super) fn pack(e: &mut Emit<'_>, clamp: Option<Sign>, sign: Sign, v: &[Value]) -> Value {
    let mut word = None;
    for (i, x) in v.iter().enumerate() {
        let x = e.convert(Ty::I32, sign, *x);
        let x = match clamp {
            None => x,
            Some(Sign::Unsigned) => clamp_to(e, sign, x, 0.0, 255.0),
            Some(Sign::Signed) => clamp_to(e, sign, x, -128.0, 127.0),
        };
        let low = e.bits(Ty::I32, 0xff);
        let byte = e.binary(Binary::And, x, low);
        let shift = e.bits(Ty::I32, 8 * i as u64);
        let placed = e.binary(Binary::Shl, byte, shift);
        word = Some(match word {
            None => placed,
            Some(word) => e.binary(Binary::Or, word, placed),
        });
    }
    word.unwrap_or_else(|| unreachable!("four components are packed"))
}

fn clamp_to(e: &mut Emit<'_>, sign: Sign, x: Value, low: f64, high: f64) -> Value {
    let (low, high) = (e.number(x, low), e.number(x, high));
    // An unsigned number needs no lower bound.
    let above = if sign == Sign::Signed { e.binary(Binary::Max(sign), x, low) } else { x };
    e.binary(Binary::Min(sign), above, high)
}

/// The bytes of a word as numbers of type `to`.
pub(super) fn unpack(e: &mut Emit<'_>, sign: Sign, word: Value, to: Ty) -> Values {
    (0..4)
        .map(|i| {
            let byte = byte(e, sign, word, i);
            e.convert(to, sign, byte)
        })
        .collect()
}

/// Byte `i` of a word, extended to a word by its sign.
fn byte(e: &mut Emit<'_>, sign: Sign, word: Value, i: u64) -> Value {
    let (up, down) = (e.bits(Ty::I32, 24 - 8 * i), e.bits(Ty::I32, 24));
    let top = e.binary(Binary::Shl, word, up);
    e.binary(Binary::Shr(sign), top, down)
}

pub(super) fn dot4add(e: &mut Emit<'_>, sign: Sign, a: Value, b: Value, acc: Value) -> Value {
    (0..4).fold(acc, |sum, i| {
        let (a, b) = (byte(e, sign, a, i), byte(e, sign, b, i));
        let product = e.mul(a, b);
        e.add(sum, product)
    })
}

/// The products of 16-bit floats are exact in `float`.
pub(super) fn dot2add(e: &mut Emit<'_>, a: &[Value], b: &[Value], acc: Value) -> Value {
    let mut widen = |x: Value| e.convert(Ty::F32, Sign::Signed, x);
    let (a, b): (Values, Values) = a.iter().zip(b).map(|(a, b)| (widen(*a), widen(*b))).unzip();
    let dot = super::vector::dot(e, &a, &b);
    e.add(dot, acc)
}

/// For each of four byte offsets into the eight bytes of `source`, `accum` plus the distances between the bytes there
/// and those of the reference that are not zero.
pub(super) fn msad4(
    e: &mut Emit<'_>,
    reference: Value,
    source: &[Value],
    accum: &[Value],
) -> Values {
    (0..4).map(|offset| accum_at(e, reference, source, offset, accum[offset as usize])).collect()
}

fn accum_at(
    e: &mut Emit<'_>,
    reference: Value,
    source: &[Value],
    offset: u64,
    accum: Value,
) -> Value {
    (0..4).fold(accum, |sum, i| {
        let at = offset + i;
        let theirs = byte(e, Sign::Unsigned, source[(at / 4) as usize], at % 4);
        let ours = byte(e, Sign::Unsigned, reference, i);
        let difference = e.sub(theirs, ours);
        let distance = e.unary(Unary::Abs, difference);
        let zero = e.bits(Ty::I32, 0);
        let masked = e.compare(Compare::Eq, ours, zero);
        let counted = e.select(masked, zero, distance);
        e.add(sum, counted)
    })
}

/// The factor is D3D's: slightly above 255, so that 1 is certain to give 255.
pub(super) fn color_to_ubyte4(e: &mut Emit<'_>, x: &[Value]) -> Values {
    [2, 1, 0, 3]
        .into_iter()
        .map(|i| {
            let factor = e.number(x[i], 255.001953);
            let scaled = e.mul(x[i], factor);
            e.convert(Ty::I32, Sign::Signed, scaled)
        })
        .collect()
}
