//! Formulas over one component.

use ir::Value;
use ops::{Binary, Compare, Sign, Ty, Unary};

use super::Emit;

pub(super) fn clamp(e: &mut Emit<'_>, sign: Sign, x: Value, low: Value, high: Value) -> Value {
    let sign = if e.ty(x).is_int() { sign } else { Sign::Signed };
    let above = e.binary(Binary::Max(sign), x, low);
    e.binary(Binary::Min(sign), above, high)
}

pub(super) fn scale(e: &mut Emit<'_>, x: Value, factor: f64) -> Value {
    let factor = e.number(x, factor);
    e.mul(x, factor)
}

pub(super) fn frac(e: &mut Emit<'_>, x: Value) -> Value {
    let floor = e.unary(Unary::Floor, x);
    e.sub(x, floor)
}

pub(super) fn ldexp(e: &mut Emit<'_>, x: Value, exp: Value) -> Value {
    let power = e.unary(Unary::Exp2, exp);
    e.mul(x, power)
}

pub(super) fn lerp(e: &mut Emit<'_>, a: Value, b: Value, t: Value) -> Value {
    let way = e.sub(b, a);
    let part = e.mul(t, way);
    e.add(a, part)
}

pub(super) fn mad(e: &mut Emit<'_>, a: Value, b: Value, c: Value) -> Value {
    let product = e.mul(a, b);
    e.add(product, c)
}

pub(super) fn rcp(e: &mut Emit<'_>, x: Value) -> Value {
    let one = e.number(x, 1.0);
    e.div(one, x)
}

/// The fraction, then the whole part.
///
/// An infinity is whole; its fraction is a zero. The fraction has the sign of x even where it is zero.
pub(super) fn modf(e: &mut Emit<'_>, x: Value) -> (Value, Value) {
    let whole = e.unary(Unary::Trunc, x);
    let difference = e.sub(x, whole);
    let is_inf = e.unary(Unary::IsInf, x);
    let zero = e.number(x, 0.0);
    let size = e.unary(Unary::Abs, difference);
    let size = e.select(is_inf, zero, size);
    (copy_sign(e, size, x), whole)
}

pub(super) fn sign(e: &mut Emit<'_>, sign: Sign, x: Value) -> Value {
    let zero = e.number(x, 0.0);
    let (one, none, minus_one) =
        (e.constant(Ty::I32, 1.0), e.constant(Ty::I32, 0.0), e.constant(Ty::I32, -1.0));
    let reading = if e.ty(x).is_int() { sign } else { Sign::Signed };
    let positive = e.compare(Compare::Gt(reading), x, zero);
    let rest = match reading {
        Sign::Unsigned => none,
        Sign::Signed => {
            let negative = e.compare(Compare::Lt(reading), x, zero);
            e.select(negative, minus_one, none)
        }
    };
    e.select(positive, one, rest)
}

pub(super) fn smoothstep(e: &mut Emit<'_>, a: Value, b: Value, x: Value) -> Value {
    let (from, range) = (e.sub(x, a), e.sub(b, a));
    let part = e.div(from, range);
    let t = e.unary(Unary::Saturate, part);
    let (two, three) = (e.number(x, 2.0), e.number(x, 3.0));
    let twice = e.mul(two, t);
    let rest = e.sub(three, twice);
    let square = e.mul(t, t);
    e.mul(square, rest)
}

pub(super) fn step(e: &mut Emit<'_>, edge: Value, x: Value) -> Value {
    let (zero, one) = (e.number(x, 0.0), e.number(x, 1.0));
    let reached = e.compare(Compare::Ge(Sign::Signed), x, edge);
    e.select(reached, one, zero)
}

pub(super) fn is_normal(e: &mut Emit<'_>, x: Value) -> Value {
    let smallest = match e.ty(x) {
        Ty::F64 => f64::MIN_POSITIVE,
        Ty::F16 => 1.0 / 16_384.0,
        Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 | Ty::F32 => f64::from(f32::MIN_POSITIVE),
    };
    let smallest = e.number(x, smallest);
    let size = e.unary(Unary::Abs, x);
    let finite = e.unary(Unary::IsFinite, x);
    let large = e.compare(Compare::Ge(Sign::Signed), size, smallest);
    e.binary(Binary::And, finite, large)
}

/// The mantissa, from 0.5 to 1 in magnitude, then the exponent, read off the bits of a float.
///
/// Zeros, infinities and NaN are their own mantissas and have the exponent 0. Denormals are scaled up first.
/// Sixteen-bit floats go through `float`, where all of them are normal.
pub(super) fn frexp(e: &mut Emit<'_>, x: Value) -> (Value, Value) {
    let ty = e.ty(x);
    let wide = e.convert(Ty::F32, Sign::Signed, x);
    let size = e.unary(Unary::Abs, wide);
    let (smallest, lift) =
        (e.constant(Ty::F32, f64::from(f32::MIN_POSITIVE)), e.constant(Ty::F32, 16_777_216.0));
    let is_small = e.compare(Compare::Lt(Sign::Signed), size, smallest);
    let lifted = e.mul(wide, lift);
    let normal = e.select(is_small, lifted, wide);
    let raw = e.bitcast(Ty::I32, normal);

    // A biased exponent of 126 is that of 0.5.
    let (shift, field) = (e.bits(Ty::I32, 23), e.bits(Ty::I32, 0xff));
    let (bias, lifted_bias) = (e.bits(Ty::I32, 126), e.bits(Ty::I32, 126 + 24));
    let high = e.binary(Binary::Shr(Sign::Unsigned), raw, shift);
    let biased = e.binary(Binary::And, high, field);
    let bias = e.select(is_small, lifted_bias, bias);
    let exponent = e.sub(biased, bias);
    let exponent = e.convert(Ty::F32, Sign::Signed, exponent);
    let (keep, half) = (e.bits(Ty::I32, 0x807f_ffff), e.bits(Ty::I32, 126 << 23));
    let kept = e.binary(Binary::And, raw, keep);
    let mantissa = e.binary(Binary::Or, kept, half);
    let mantissa = e.bitcast(Ty::F32, mantissa);

    let zero = e.constant(Ty::F32, 0.0);
    let finite = e.unary(Unary::IsFinite, wide);
    let nonzero = e.compare(Compare::Ne, wide, zero);
    let ordinary = e.binary(Binary::And, finite, nonzero);
    let mantissa = e.select(ordinary, mantissa, wide);
    let exponent = e.select(ordinary, exponent, zero);
    (e.convert(ty, Sign::Signed, mantissa), e.convert(ty, Sign::Signed, exponent))
}

/// The magnitude of one value with the sign of another.
fn copy_sign(e: &mut Emit<'_>, size: Value, sign: Value) -> Value {
    let ty = e.ty(size);
    let (int, top) = match ty {
        Ty::F16 => (Ty::I16, 1 << 15),
        Ty::F64 => (Ty::I64, 1 << 63),
        Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 | Ty::F32 => (Ty::I32, 1 << 31),
    };
    let top = e.bits(int, top);
    let (size, sign) = (e.bitcast(int, size), e.bitcast(int, sign));
    let sign = e.binary(Binary::And, sign, top);
    let joined = e.binary(Binary::Or, size, sign);
    e.bitcast(ty, joined)
}
