//! The abstract numbers of the definitions in [`super::wide`]: f64, its bits, and truth values.
//!
//! The host evaluates a definition with `f64`, `u64` and `bool`. A compiler whose target lacks the function
//! implements the same traits for values of its representation, and running the definition then emits it, operation
//! by operation.
//! Both round every operation once and in the same order, so both give the same bits.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Sub};

/// An f64.
pub trait Double:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    type Bits: Bits<Double = Self, Truth = Self::Truth>;
    type Truth: Copy + BitAnd<Output = Self::Truth>;

    /// A constant, in the same context as `self`.
    fn constant(self, value: f64) -> Self;
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    fn bits(self) -> Self::Bits;

    // Comparisons are false if an operand is a NaN.
    fn above(self, other: Self) -> Self::Truth;
    fn at_least(self, other: Self) -> Self::Truth;
    fn equals(self, other: Self) -> Self::Truth;
    fn is_infinite(self) -> Self::Truth;
    fn is_sign_negative(self) -> Self::Truth;

    /// A select: `yes` where the condition holds, else `no`. Both are evaluated.
    fn pick(cond: Self::Truth, yes: Self, no: Self) -> Self;

    /// The same, where evaluating only one side is worth it if the branch costs nothing.
    fn choose(cond: Self::Truth, yes: impl FnOnce() -> Self, no: impl FnOnce() -> Self) -> Self;

    /// `rare` where the condition holds, else `usual`. Only one needs to be evaluated.
    fn branch(
        cond: Self::Truth,
        rare: impl FnOnce() -> (Self::Bits, Self),
        usual: impl FnOnce() -> (Self::Bits, Self),
    ) -> (Self::Bits, Self);
}

/// 64 bits. Arithmetic wraps, and shift counts are below 64.
pub trait Bits:
    Copy
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + BitAnd<u64, Output = Self>
    + BitOr<u64, Output = Self>
{
    type Double: Double<Bits = Self, Truth = Self::Truth>;
    type Truth: Copy + BitAnd<Output = Self::Truth>;

    /// A constant, in the same context as `self`.
    fn constant(self, value: u64) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn left(self, by: Self) -> Self;
    fn right(self, by: Self) -> Self;
    /// An arithmetic shift right.
    fn right_signed(self, by: u32) -> Self;
    /// The number of leading zeros; for 0, a multiple of 64.
    fn leading_zeros(self) -> Self;

    fn equals(self, other: Self) -> Self::Truth;
    /// Unsigned.
    fn above(self, other: Self) -> Self::Truth;
    fn is_negative(self) -> Self::Truth;
    fn pick(cond: Self::Truth, yes: Self, no: Self) -> Self;

    /// Reinterprets the bits as a number.
    fn double(self) -> Self::Double;
    /// The value as an unsigned integer, rounded.
    fn rounded(self) -> Self::Double;
    /// The value as a signed integer that fits 32 bits.
    fn small(self) -> Self::Double;
}

impl Double for f64 {
    type Bits = u64;
    type Truth = bool;

    #[inline(always)]
    fn constant(self, value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }

    #[inline(always)]
    fn copysign(self, sign: f64) -> f64 {
        f64::copysign(self, sign)
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits()
    }

    #[inline(always)]
    fn above(self, other: f64) -> bool {
        self > other
    }

    #[inline(always)]
    fn at_least(self, other: f64) -> bool {
        self >= other
    }

    #[inline(always)]
    fn equals(self, other: f64) -> bool {
        self == other
    }

    #[inline(always)]
    fn is_infinite(self) -> bool {
        f64::is_infinite(self)
    }

    #[inline(always)]
    fn is_sign_negative(self) -> bool {
        f64::is_sign_negative(self)
    }

    #[inline(always)]
    fn pick(cond: bool, yes: f64, no: f64) -> f64 {
        if cond { yes } else { no }
    }

    #[inline(always)]
    fn choose(cond: bool, yes: impl FnOnce() -> f64, no: impl FnOnce() -> f64) -> f64 {
        if cond { yes() } else { no() }
    }

    #[inline(always)]
    fn branch(
        cond: bool,
        rare: impl FnOnce() -> (u64, f64),
        usual: impl FnOnce() -> (u64, f64),
    ) -> (u64, f64) {
        if cond { rare() } else { usual() }
    }
}

impl Bits for u64 {
    type Double = f64;
    type Truth = bool;

    #[inline(always)]
    fn constant(self, value: u64) -> u64 {
        value
    }

    #[inline(always)]
    fn plus(self, other: u64) -> u64 {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn minus(self, other: u64) -> u64 {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn times(self, other: u64) -> u64 {
        self.wrapping_mul(other)
    }

    #[inline(always)]
    fn left(self, by: u64) -> u64 {
        self << by
    }

    #[inline(always)]
    fn right(self, by: u64) -> u64 {
        self >> by
    }

    #[inline(always)]
    fn right_signed(self, by: u32) -> u64 {
        (self as i64 >> by) as u64
    }

    #[inline(always)]
    fn leading_zeros(self) -> u64 {
        u64::leading_zeros(self).into()
    }

    #[inline(always)]
    fn equals(self, other: u64) -> bool {
        self == other
    }

    #[inline(always)]
    fn above(self, other: u64) -> bool {
        self > other
    }

    #[inline(always)]
    fn is_negative(self) -> bool {
        (self as i64) < 0
    }

    #[inline(always)]
    fn pick(cond: bool, yes: u64, no: u64) -> u64 {
        if cond { yes } else { no }
    }

    #[inline(always)]
    fn double(self) -> f64 {
        f64::from_bits(self)
    }

    #[inline(always)]
    fn rounded(self) -> f64 {
        self as f64
    }

    #[inline(always)]
    fn small(self) -> f64 {
        f64::from(self as i32)
    }
}
