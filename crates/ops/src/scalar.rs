//! The arithmetic of one lane: each operation is defined here, once.
//!
//! A definition is a closure over plain Rust types, handed to an [`Apply`]: the constant folder applies it to one
//! value, the interpreter to whole rows of lanes, a reduction to a tree of them.
//! The corner cases are those of the table "Arithmetic and memory corners" in `docs/semantics.md`.
//!
//! Spec: arithmetic whose result is a NaN gives the canonical quiet one; moves and bit casts keep their bits.

mod exact;
mod facts;
mod hazards;
mod number;

use crate::math;
use crate::ty::{Held, Lane};
use crate::{F16, Sign, Ty};
use number::{Float, Int};

pub use facts::{Facts, Family, Nan, Reads};
pub use hazards::Hazard;

/// One operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// Two's complement negation, or sign change.
    Neg,
    /// Bitwise; logical for `bool`.
    Not,
    /// The absolute value; the smallest signed integer gives itself.
    Abs,
    Floor,
    Ceil,
    Trunc,
    /// Rounds to the nearest integer, ties to even.
    Round,
    Sqrt,
    Rsqrt,
    /// Clamps to 0..1; NaN gives 0.
    Saturate,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Exp2,
    Log,
    Log2,
    Log10,
    IsNan,
    IsInf,
    IsFinite,
    /// The number of set bits, as `i32`.
    CountBits,
    ReverseBits,
    /// The index of the lowest set bit as `i32`, all ones if no bit is set.
    FirstBitLow,
    /// The index of the highest bit that is set (unsigned, or signed and not negative) or clear (negative), as
    /// `i32`;
    /// all ones if there is none.
    FirstBitHigh(Sign),
    /// The `f16` in the low half of an `i32`, as `f32`.
    UnpackHalf,
    /// An `f32` as `f16` in the low half of an `i32`.
    PackHalf,
    /// A bit cast: the same bits as another type of the same size.
    Bitcast(Ty),
    /// The value converted to another type; the signs say how the integers on either side are read.
    Convert {
        to: Ty,
        from_sign: Sign,
        to_sign: Sign,
    },
}

/// Two operands of one type, and a result of that type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div(Sign),
    /// The remainder, with the sign of the dividend.
    Rem(Sign),
    And,
    Or,
    Xor,
    /// Shifts take the count modulo the width of the type.
    Shl,
    Shr(Sign),
    Min(Sign),
    Max(Sign),
    Atan2,
    Pow,
}

/// Two operands of one type and a `bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    Eq,
    Ne,
    Lt(Sign),
    Le(Sign),
    Gt(Sign),
    Ge(Sign),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ternary {
    /// The fused multiply-add, rounded once.
    Fma,
    /// A select: a `bool`, and the values for true and for false.
    Select,
}

/// Applies the definition of an operation to operands, in whatever form they are held.
pub trait Apply: Sized {
    type Out;
    /// Only the operations of folds are applied: no code is made for the others.
    const ONLY_FOLDS: bool = false;
    fn map1<A: Lane, R: Lane>(self, f: impl Fn(A) -> R) -> Self::Out;
    fn map2<A: Lane, B: Lane, R: Lane>(self, f: impl Fn(A, B) -> R) -> Self::Out;
    fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(self, f: impl Fn(A, B, C) -> R) -> Self::Out;

    /// Applies a function that is defined in f32, to values of that type or to halves, whose results are rounded once
    /// more.
    ///
    /// Such functions are long, so that an implementation for rows shares their code between the two types.
    fn through_f32(self, is_half: bool, f: impl Fn(f32) -> f32) -> Self::Out {
        match is_half {
            true => self.map1(|a: F16| F16::from_f32(f(a.to_f32()))),
            false => self.map1(f),
        }
    }
}

/// Applies an operation to single values held as bits.
struct Single<'a>(&'a [u64]);

impl Apply for Single<'_> {
    type Out = u64;
    fn map1<A: Lane, R: Lane>(self, f: impl Fn(A) -> R) -> u64 {
        f(lane(self.0[0])).hold().to_bits()
    }
    fn map2<A: Lane, B: Lane, R: Lane>(self, f: impl Fn(A, B) -> R) -> u64 {
        f(lane(self.0[0]), lane(self.0[1])).hold().to_bits()
    }
    fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(self, f: impl Fn(A, B, C) -> R) -> u64 {
        f(lane(self.0[0]), lane(self.0[1]), lane(self.0[2])).hold().to_bits()
    }
}

fn lane<T: Lane>(bits: u64) -> T {
    T::of(T::Held::from_bits(bits))
}

/// The result of an operation on single values.
pub fn eval_unary(op: Unary, ty: Ty, a: u64) -> u64 {
    unary(op, ty, Single(&[a]))
}

pub fn eval_binary(op: Binary, ty: Ty, a: u64, b: u64) -> u64 {
    binary(op, ty, Single(&[a, b]))
}

pub fn eval_compare(op: Compare, ty: Ty, a: u64, b: u64) -> bool {
    compare(op, ty, Single(&[a, b])) == 1
}

pub fn eval_ternary(op: Ternary, ty: Ty, a: u64, b: u64, c: u64) -> u64 {
    ternary(op, ty, Single(&[a, b, c]))
}

impl Unary {
    /// The type of the result, or `None` if the operation does not take that type.
    pub fn result(self, ty: Ty) -> Option<Ty> {
        use Unary::*;
        let (ok, result) = match self {
            Neg | Abs => (ty.is_int() || ty.is_float(), ty),
            Not => (ty.is_int() || ty == Ty::Bool, ty),
            Floor | Ceil | Trunc | Round | Sqrt | Rsqrt | Saturate => (ty.is_float(), ty),
            Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Exp | Exp2 | Log | Log2
            | Log10 => (matches!(ty, Ty::F16 | Ty::F32), ty),
            IsNan | IsInf | IsFinite => (ty.is_float(), Ty::Bool),
            CountBits | FirstBitLow | FirstBitHigh(_) => (ty.is_int(), Ty::I32),
            ReverseBits => (ty.is_int(), ty),
            UnpackHalf => (ty == Ty::I32, Ty::F32),
            PackHalf => (ty == Ty::F32, Ty::I32),
            Bitcast(to) => (ty != Ty::Bool && to != Ty::Bool && ty.bits() == to.bits(), to),
            Convert { to, .. } => (true, to),
        };
        ok.then_some(result)
    }
}

impl Binary {
    pub fn result(self, ty: Ty) -> Option<Ty> {
        use Binary::*;
        let number = ty.is_int() || ty.is_float();
        let float_sign = |sign| ty.is_int() || sign == Sign::Signed;
        let ok = match self {
            Add | Sub | Mul => number,
            Div(sign) | Rem(sign) | Min(sign) | Max(sign) => number && float_sign(sign),
            And | Or | Xor => ty.is_int() || ty == Ty::Bool,
            Shl | Shr(_) => ty.is_int(),
            Atan2 | Pow => matches!(ty, Ty::F16 | Ty::F32),
        };
        ok.then_some(ty)
    }
}

impl Compare {
    /// Whether the comparison takes that type.
    pub fn takes(self, ty: Ty) -> bool {
        match self {
            Compare::Eq | Compare::Ne => true,
            Compare::Lt(sign) | Compare::Le(sign) | Compare::Gt(sign) | Compare::Ge(sign) => {
                ty.is_int() || ty.is_float() && sign == Sign::Signed
            }
        }
    }
}

impl Ternary {
    pub fn result(self, ty: Ty) -> Option<Ty> {
        match self {
            Ternary::Fma => ty.is_float().then_some(ty),
            Ternary::Select => Some(ty),
        }
    }
}

/// Defines every unary operation.
#[inline(always)]
pub fn unary<P: Apply>(op: Unary, ty: Ty, apply: P) -> P::Out {
    use Unary::*;
    if let Convert { to, from_sign, to_sign } = op {
        return convert(ty, from_sign, to, to_sign, apply);
    }
    match ty {
        Ty::Bool => match op {
            Not => apply.map1(|a: bool| !a),
            _ => unreachable!("the verifier rejects {op:?} on bool"),
        },
        Ty::I16 => unary_int::<u16, P>(op, apply),
        Ty::I32 => match op {
            UnpackHalf => apply.map1(|a: u32| F16(a as u16).to_f32()),
            _ => unary_int::<u32, P>(op, apply),
        },
        Ty::I64 => unary_int::<u64, P>(op, apply),
        Ty::F16 => unary_float::<F16, P>(op, ty, apply),
        Ty::F32 => match op {
            PackHalf => apply.map1(|a: f32| u32::from(F16::from_f32(a).0)),
            _ => unary_float::<f32, P>(op, ty, apply),
        },
        Ty::F64 => unary_float::<f64, P>(op, ty, apply),
    }
}

#[inline(always)]
fn unary_int<T: Int, P: Apply>(op: Unary, apply: P) -> P::Out {
    use Unary::*;
    match op {
        Neg => apply.map1(|a: T| a.neg()),
        Not => apply.map1(|a: T| a.not()),
        Abs => apply.map1(|a: T| a.abs()),
        CountBits => apply.map1(|a: T| a.count_bits()),
        ReverseBits => apply.map1(|a: T| a.reverse_bits()),
        FirstBitLow => apply.map1(|a: T| a.first_bit_low()),
        FirstBitHigh(Sign::Unsigned) => apply.map1(|a: T| a.first_bit_high()),
        FirstBitHigh(Sign::Signed) => apply.map1(|a: T| a.first_bit_high_signed()),
        Bitcast(_) => apply.map1(|a: T| a),
        _ => unreachable!("the verifier rejects {op:?} on integers"),
    }
}

#[inline(always)]
fn unary_float<T: Float, P: Apply>(op: Unary, ty: Ty, apply: P) -> P::Out {
    use Unary::*;
    match op {
        // A change of sign is a move: it keeps the payload of a NaN.
        Neg => apply.map1(|a: T| a.flip_sign()),
        Abs => apply.map1(|a: T| a.clear_sign()),
        Floor => apply.map1(|a: T| a.floor().canonical()),
        Ceil => apply.map1(|a: T| a.ceil().canonical()),
        Trunc => apply.map1(|a: T| a.trunc().canonical()),
        Round => apply.map1(|a: T| a.round().canonical()),
        Sqrt => apply.map1(|a: T| a.sqrt().canonical()),
        Rsqrt => apply.map1(|a: T| a.rsqrt().canonical()),
        Saturate => apply.map1(|a: T| a.saturate()),
        IsNan => apply.map1(|a: T| a.is_nan()),
        IsInf => apply.map1(|a: T| a.is_inf()),
        IsFinite => apply.map1(|a: T| !a.is_nan() && !a.is_inf()),
        Bitcast(_) => apply.map1(|a: T| a),
        _ => transcendental(op, ty, apply),
    }
}

/// Defines the transcendental functions.
// PERF: not inlined, because it would be once for each type; vectorised for rows, it is 300 KB of x86-64 code.
#[inline(never)]
fn transcendental<P: Apply>(op: Unary, ty: Ty, apply: P) -> P::Out {
    use Unary::*;
    let is_half = match ty {
        Ty::F16 => true,
        Ty::F32 => false,
        Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 | Ty::F64 => {
            unreachable!("the verifier rejects {op:?} on {ty:?}")
        }
    };
    match op {
        Sin => apply.through_f32(is_half, math::sin),
        Cos => apply.through_f32(is_half, math::cos),
        Tan => apply.through_f32(is_half, math::tan),
        Asin => apply.through_f32(is_half, math::asin),
        Acos => apply.through_f32(is_half, math::acos),
        Atan => apply.through_f32(is_half, math::atan),
        Sinh => apply.through_f32(is_half, math::sinh),
        Cosh => apply.through_f32(is_half, math::cosh),
        Tanh => apply.through_f32(is_half, math::tanh),
        Exp => apply.through_f32(is_half, math::exp),
        Exp2 => apply.through_f32(is_half, math::exp2),
        Log => apply.through_f32(is_half, math::log),
        Log2 => apply.through_f32(is_half, math::log2),
        Log10 => apply.through_f32(is_half, math::log10),
        _ => unreachable!("the verifier rejects {op:?} on floats"),
    }
}

/// Defines every conversion.
#[inline(always)]
fn convert<P: Apply>(from: Ty, from_sign: Sign, to: Ty, to_sign: Sign, apply: P) -> P::Out {
    use Sign::*;
    match (from, from_sign) {
        (Ty::Bool, _) => match to {
            Ty::Bool => apply.map1(|a: bool| a),
            Ty::I16 => apply.map1(|a: bool| u16::from(a)),
            Ty::I32 => apply.map1(|a: bool| u32::from(a)),
            Ty::I64 => apply.map1(|a: bool| u64::from(a)),
            Ty::F16 => apply.map1(|a: bool| F16::from_f32(f32::from(u8::from(a)))),
            Ty::F32 => apply.map1(|a: bool| f32::from(u8::from(a))),
            Ty::F64 => apply.map1(|a: bool| f64::from(u8::from(a))),
        },
        (Ty::I16, Unsigned) => convert_int::<u16, P>(to, i128::from, apply),
        (Ty::I16, Signed) => convert_int::<u16, P>(to, |a| i128::from(a as i16), apply),
        (Ty::I32, Unsigned) => convert_int::<u32, P>(to, i128::from, apply),
        (Ty::I32, Signed) => convert_int::<u32, P>(to, |a| i128::from(a as i32), apply),
        (Ty::I64, Unsigned) => convert_int::<u64, P>(to, i128::from, apply),
        (Ty::I64, Signed) => convert_int::<u64, P>(to, |a| i128::from(a as i64), apply),
        (Ty::F16, _) => convert_float::<F16, P>(to, to_sign, apply),
        (Ty::F32, _) => convert_float::<f32, P>(to, to_sign, apply),
        (Ty::F64, _) => convert_float::<f64, P>(to, to_sign, apply),
    }
}

/// From an integer type; `value` gives the mathematical value.
#[inline(always)]
fn convert_int<T: Int, P: Apply>(to: Ty, value: impl Fn(T) -> i128, apply: P) -> P::Out {
    match to {
        Ty::Bool => apply.map1(|a: T| value(a) != 0),
        Ty::I16 => apply.map1(|a: T| value(a) as u16),
        Ty::I32 => apply.map1(|a: T| value(a) as u32),
        Ty::I64 => apply.map1(|a: T| value(a) as u64),
        // A 64-bit integer is rounded to f64 first only where f16 overflows anyway or the f64 is exact.
        Ty::F16 => apply.map1(|a: T| F16::from_f64(value(a) as f64)),
        Ty::F32 => apply.map1(|a: T| value(a) as f32),
        Ty::F64 => apply.map1(|a: T| value(a) as f64),
    }
}

#[inline(always)]
fn convert_float<T: Float, P: Apply>(to: Ty, to_sign: Sign, apply: P) -> P::Out {
    use Sign::*;
    // Rust's `as` follows the same rule: toward zero, saturating, NaN gives 0.
    match (to, to_sign) {
        (Ty::Bool, _) => apply.map1(|a: T| a.to_f64() != 0.0),
        (Ty::I16, Unsigned) => apply.map1(|a: T| a.to_f64() as u16),
        (Ty::I16, Signed) => apply.map1(|a: T| a.to_f64() as i16),
        (Ty::I32, Unsigned) => apply.map1(|a: T| a.to_f64() as u32),
        (Ty::I32, Signed) => apply.map1(|a: T| a.to_f64() as i32),
        (Ty::I64, Unsigned) => apply.map1(|a: T| a.to_f64() as u64),
        (Ty::I64, Signed) => apply.map1(|a: T| a.to_f64() as i64),
        (Ty::F16, _) => apply.map1(|a: T| F16::from_f64(a.to_f64()).canonical()),
        (Ty::F32, _) => apply.map1(|a: T| (a.to_f64() as f32).canonical()),
        (Ty::F64, _) => apply.map1(|a: T| a.to_f64().canonical()),
    }
}

/// Defines every binary operation.
#[inline(always)]
pub fn binary<P: Apply>(op: Binary, ty: Ty, apply: P) -> P::Out {
    match ty {
        Ty::Bool => match op {
            Binary::And => apply.map2(|a: bool, b: bool| a & b),
            Binary::Or => apply.map2(|a: bool, b: bool| a | b),
            Binary::Xor => apply.map2(|a: bool, b: bool| a ^ b),
            _ => unreachable!("the verifier rejects {op:?} on bool"),
        },
        Ty::I16 => binary_int::<u16, P>(op, apply),
        Ty::I32 => binary_int::<u32, P>(op, apply),
        Ty::I64 => binary_int::<u64, P>(op, apply),
        Ty::F16 => binary_float::<F16, P>(op, apply),
        Ty::F32 => binary_float::<f32, P>(op, apply),
        Ty::F64 => binary_float::<f64, P>(op, apply),
    }
}

#[inline(always)]
fn binary_int<T: Int, P: Apply>(op: Binary, apply: P) -> P::Out {
    use Binary::*;
    use Sign::*;
    match op {
        Add => apply.map2(|a: T, b: T| a.add(b)),
        Mul => apply.map2(|a: T, b: T| a.mul(b)),
        And => apply.map2(|a: T, b: T| a.and(b)),
        Or => apply.map2(|a: T, b: T| a.or(b)),
        Xor => apply.map2(|a: T, b: T| a.xor(b)),
        Min(Unsigned) => apply.map2(|a: T, b: T| if b.lt_unsigned(a) { b } else { a }),
        Min(Signed) => apply.map2(|a: T, b: T| if b.lt_signed(a) { b } else { a }),
        Max(Unsigned) => apply.map2(|a: T, b: T| if a.lt_unsigned(b) { b } else { a }),
        Max(Signed) => apply.map2(|a: T, b: T| if a.lt_signed(b) { b } else { a }),
        _ if P::ONLY_FOLDS => unreachable!("no fold is a {op:?}"),
        Sub => apply.map2(|a: T, b: T| a.sub(b)),
        Div(Unsigned) => apply.map2(|a: T, b: T| a.div_unsigned(b)),
        Div(Signed) => apply.map2(|a: T, b: T| a.div_signed(b)),
        Rem(Unsigned) => apply.map2(|a: T, b: T| a.rem_unsigned(b)),
        Rem(Signed) => apply.map2(|a: T, b: T| a.rem_signed(b)),
        Shl => apply.map2(|a: T, b: T| a.shl(b)),
        Shr(Unsigned) => apply.map2(|a: T, b: T| a.shr_unsigned(b)),
        Shr(Signed) => apply.map2(|a: T, b: T| a.shr_signed(b)),
        Atan2 | Pow => unreachable!("the verifier rejects {op:?} on integers"),
    }
}

#[inline(always)]
fn binary_float<T: Float, P: Apply>(op: Binary, apply: P) -> P::Out {
    use Binary::*;
    match op {
        Add => apply.map2(|a: T, b: T| a.add(b).canonical()),
        Mul => apply.map2(|a: T, b: T| a.mul(b).canonical()),
        Min(_) => apply.map2(|a: T, b: T| a.min(b)),
        Max(_) => apply.map2(|a: T, b: T| a.max(b)),
        _ if P::ONLY_FOLDS => unreachable!("no fold of floats is a {op:?}"),
        Sub => apply.map2(|a: T, b: T| a.sub(b).canonical()),
        Div(_) => apply.map2(|a: T, b: T| a.div(b).canonical()),
        Rem(_) => apply.map2(|a: T, b: T| a.rem(b).canonical()),
        Atan2 => apply.map2(|a: T, b: T| T::from_f32(math::atan2(a.to_f32(), b.to_f32()))),
        Pow => apply.map2(|a: T, b: T| T::from_f32(math::pow(a.to_f32(), b.to_f32()))),
        And | Or | Xor | Shl | Shr(_) => unreachable!("the verifier rejects {op:?} on floats"),
    }
}

/// Defines every comparison.
#[inline(always)]
pub fn compare<P: Apply>(op: Compare, ty: Ty, apply: P) -> P::Out {
    match ty {
        Ty::Bool => match op {
            Compare::Eq => apply.map2(|a: bool, b: bool| a == b),
            Compare::Ne => apply.map2(|a: bool, b: bool| a != b),
            Compare::Lt(_) | Compare::Le(_) | Compare::Gt(_) | Compare::Ge(_) => {
                unreachable!("the verifier rejects {op:?} on bool")
            }
        },
        Ty::I16 => compare_int::<u16, P>(op, apply),
        Ty::I32 => compare_int::<u32, P>(op, apply),
        Ty::I64 => compare_int::<u64, P>(op, apply),
        Ty::F16 => compare_float::<F16, P>(op, apply),
        Ty::F32 => compare_float::<f32, P>(op, apply),
        Ty::F64 => compare_float::<f64, P>(op, apply),
    }
}

#[inline(always)]
fn compare_int<T: Int, P: Apply>(op: Compare, apply: P) -> P::Out {
    use Compare::*;
    use Sign::*;
    match op {
        Eq => apply.map2(|a: T, b: T| a == b),
        Ne => apply.map2(|a: T, b: T| a != b),
        Lt(Unsigned) => apply.map2(|a: T, b: T| a.lt_unsigned(b)),
        Lt(Signed) => apply.map2(|a: T, b: T| a.lt_signed(b)),
        Le(Unsigned) => apply.map2(|a: T, b: T| !b.lt_unsigned(a)),
        Le(Signed) => apply.map2(|a: T, b: T| !b.lt_signed(a)),
        Gt(Unsigned) => apply.map2(|a: T, b: T| b.lt_unsigned(a)),
        Gt(Signed) => apply.map2(|a: T, b: T| b.lt_signed(a)),
        Ge(Unsigned) => apply.map2(|a: T, b: T| !a.lt_unsigned(b)),
        Ge(Signed) => apply.map2(|a: T, b: T| !a.lt_signed(b)),
    }
}

/// IEEE comparisons: with a NaN, all are false except `Ne`.
#[inline(always)]
fn compare_float<T: Float, P: Apply>(op: Compare, apply: P) -> P::Out {
    use Compare::*;
    match op {
        Eq => apply.map2(|a: T, b: T| a.eq(b)),
        Ne => apply.map2(|a: T, b: T| !a.eq(b)),
        Lt(_) => apply.map2(|a: T, b: T| a.lt(b)),
        Le(_) => apply.map2(|a: T, b: T| a.le(b)),
        Gt(_) => apply.map2(|a: T, b: T| b.lt(a)),
        Ge(_) => apply.map2(|a: T, b: T| b.le(a)),
    }
}

/// Defines every ternary operation.
#[inline(always)]
pub fn ternary<P: Apply>(op: Ternary, ty: Ty, apply: P) -> P::Out {
    match op {
        Ternary::Fma => match ty {
            Ty::F16 => apply.map3(|a: F16, b: F16, c: F16| a.fma(b, c).canonical()),
            Ty::F32 => apply.map3(|a: f32, b: f32, c: f32| a.fma(b, c).canonical()),
            Ty::F64 => apply.map3(|a: f64, b: f64, c: f64| a.fma(b, c).canonical()),
            Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => {
                unreachable!("the verifier rejects fma on {ty:?}")
            }
        },
        Ternary::Select => match ty.repr() {
            crate::Repr::Bit => apply.map3(|c: bool, a: bool, b: bool| if c { a } else { b }),
            crate::Repr::Word => apply.map3(|c: bool, a: u32, b: u32| if c { a } else { b }),
            crate::Repr::Long => apply.map3(|c: bool, a: u64, b: u64| if c { a } else { b }),
        },
    }
}
/// Strength reduction: the factor that replaces a division by a power of two. Both round the same number, so the
/// bits are the same. `None` if the divisor is not a power of two, or the reciprocal is not a normal number.
pub fn reciprocal_of_power(ty: Ty, divisor: u64) -> Option<u64> {
    let (fraction, most) = match ty {
        Ty::F32 => (23, 254),
        Ty::F64 => (52, 2046),
        _ => return None,
    };
    let sign = divisor & 1 << (ty.bits() - 1);
    let exponent = (divisor ^ sign) >> fraction;
    let is_power = divisor ^ sign == exponent << fraction;
    let is_normal = exponent != 0 && exponent < most;
    (is_power && is_normal).then(|| sign | (most - exponent) << fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verifier rejects operand types that have no result type here.
    #[test]
    fn numeric_operations_reject_bool_and_treat_floats_as_signed() {
        use Binary::{Div, Max, Min, Rem};
        for op in [Div, Rem, Min, Max] {
            for (sign, takes_floats) in [(Sign::Signed, true), (Sign::Unsigned, false)] {
                assert_eq!(op(sign).result(Ty::Bool), None, "{:?}", op(sign));
                assert_eq!(op(sign).result(Ty::I32), Some(Ty::I32), "{:?}", op(sign));
                let float = takes_floats.then_some(Ty::F32);
                assert_eq!(op(sign).result(Ty::F32), float, "{:?}", op(sign));
            }
        }
        for op in [Binary::Add, Binary::Sub, Binary::Mul] {
            assert_eq!(op.result(Ty::Bool), None, "{op:?}");
            assert_eq!(op.result(Ty::F16), Some(Ty::F16), "{op:?}");
        }
    }
}
