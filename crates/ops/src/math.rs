//! The transcendental functions: one definition, with the same bits on every host and in every engine.
//!
//! Each function is a polynomial of our own in f64, rounded once to f32.
//! Only operations that IEEE 754 defines exactly are used (`+ - * /`, `sqrt`, comparisons, conversions, integers),
//! never a fused multiply-add and never the host's libm, so that results do not depend on the host.
//! Common paths are branch-free, with selects and without tables, so that loops over lanes vectorise; only angles
//! from 2^20 up take another path.
//!
//! Every NaN result is the canonical quiet NaN, `0x7fc00000`. Denormals are kept.
//! "Correctly rounded" means the f32 nearest to the exact result. This was measured: the f64 before rounding is off
//! by less than 3 units in its last place (in samples; 5 for `pow`), and wherever it is within 6 units of halfway
//! between two f32 (a search of all 2^32 arguments, or billions of pairs) the result was compared with one of at
//! least 160 bits.
//! A result that is not the nearest is still within 0.50001 units in the last place; `tests/accuracy` checks this.
//!
//! The polynomials are written once, in `wide.rs`, over [`Double`]: the host evaluates them, and back ends for
//! devices without these functions emit them as instructions.
//!
//! Not here: f16, which rounds the f32 result once more; f64, for which HLSL has no such functions.

mod numbers;
#[cfg(test)]
mod tests;
mod wide;

pub use numbers::{Bits, Double};
pub use wide::{binary, unary};

/// The sine. Correctly rounded except for two arguments.
///
/// `sin(±0) = ±0`; infinities and NaN give NaN. Arguments of any size are reduced exactly.
#[inline]
pub fn sin(x: f32) -> f32 {
    narrow(wide::sin(f64::from(x)))
}

/// The cosine. Correctly rounded except for six arguments.
///
/// `cos(±0) = 1`; infinities and NaN give NaN. Arguments of any size are reduced exactly.
#[inline]
pub fn cos(x: f32) -> f32 {
    narrow(wide::cos(f64::from(x)))
}

/// The tangent. Correctly rounded.
///
/// `tan(±0) = ±0`; infinities and NaN give NaN. No f32 is a pole: the result is finite.
#[inline]
pub fn tan(x: f32) -> f32 {
    narrow(wide::tan(f64::from(x)))
}

/// The angle in -π/2..π/2 whose sine is `x`. Correctly rounded.
///
/// `asin(±0) = ±0`; NaN outside -1..1.
#[inline]
pub fn asin(x: f32) -> f32 {
    narrow(wide::asin(f64::from(x)))
}

/// The angle in 0..π whose cosine is `x`. Correctly rounded except for two arguments.
///
/// `acos(1) = 0`; NaN outside -1..1.
#[inline]
pub fn acos(x: f32) -> f32 {
    narrow(wide::acos(f64::from(x)))
}

/// The angle in -π/2..π/2 whose tangent is `x`. Correctly rounded except for two arguments.
///
/// `atan(±0) = ±0`, `atan(±INF) = ±π/2`.
#[inline]
pub fn atan(x: f32) -> f32 {
    narrow(wide::atan2(f64::from(x), 1.0))
}

/// The angle of the point `(x, y)`, in -π..π. Correctly rounded except for about one argument in 500 million.
///
/// Zeros and infinities behave as in C: the result has the sign of `y`; `atan2(±0, x)` is ±0 for positive `x` and
/// `+0`, ±π for negative `x` and `-0`; two infinities lie on a diagonal.
#[inline]
pub fn atan2(y: f32, x: f32) -> f32 {
    narrow(wide::atan2(f64::from(y), f64::from(x)))
}

/// The hyperbolic sine. Correctly rounded except for two arguments.
///
/// `sinh(±0) = ±0`, `sinh(±INF) = ±INF`; infinite from about ±89.416.
#[inline]
pub fn sinh(x: f32) -> f32 {
    narrow(wide::sinh(f64::from(x)))
}

/// The hyperbolic cosine. Correctly rounded.
///
/// `cosh(±0) = 1`, `cosh(±INF) = INF`; infinite from about ±89.416.
#[inline]
pub fn cosh(x: f32) -> f32 {
    narrow(wide::cosh(f64::from(x)))
}

/// The hyperbolic tangent. Correctly rounded.
///
/// `tanh(±0) = ±0`, `tanh(±INF) = ±1`.
#[inline]
pub fn tanh(x: f32) -> f32 {
    narrow(wide::tanh(f64::from(x)))
}

/// e to the power of `x`. Correctly rounded.
///
/// `exp(±0) = 1`, `exp(-INF) = 0`, `exp(INF) = INF`; infinite from about 88.723 up, denormal and then zero from
/// about -87.336 down.
#[inline]
pub fn exp(x: f32) -> f32 {
    narrow(wide::exp(f64::from(x)))
}

/// 2 to the power of `x`. Correctly rounded except for two arguments.
///
/// Exact for integers. `exp2(-INF) = 0`; infinite from 128 up, denormal below -126, zero from -150 down.
#[inline]
pub fn exp2(x: f32) -> f32 {
    narrow(wide::exp2(f64::from(x), 0.0))
}

/// The natural logarithm. Correctly rounded except for five arguments.
///
/// `log(1) = 0`, `log(±0) = -INF`, `log(INF) = INF`; negative numbers give NaN.
#[inline]
pub fn log(x: f32) -> f32 {
    narrow(wide::log(f64::from(x)))
}

/// The logarithm to base 2. Correctly rounded.
///
/// Exact for powers of two, including denormal ones. `log2(±0) = -INF`, `log2(INF) = INF`; negative numbers give
/// NaN.
#[inline]
pub fn log2(x: f32) -> f32 {
    narrow(wide::log2(f64::from(x)))
}

/// The logarithm to base 10. Correctly rounded except for one argument.
///
/// Exact for the powers of ten that f32 can represent. `log10(±0) = -INF`, `log10(INF) = INF`; negative numbers
/// give NaN.
#[inline]
pub fn log10(x: f32) -> f32 {
    narrow(wide::log10(f64::from(x)))
}

/// `x` to the power of `y`, as HLSL defines it: `exp2(y * log2(x))`, but as if computed exactly.
///
/// Correctly rounded except for about one argument in 100 million.
///
/// Results that f32 can represent are exact, and ties go to even.
/// Special cases follow that definition, not C: negative `x` gives NaN even for integral `y`, and so do `pow(0,
/// 0)`, `pow(INF, 0)` and `pow(1, ±INF)`, which are all `exp2(0 * INF)`, and any NaN.
/// `pow(x, ±0) = 1` for finite positive `x`; `pow(1, y) = 1` for finite `y`;
/// `pow(±0, y)` is 0 for positive and INF for negative `y`, and `pow(INF, y)` the reverse.
#[inline]
pub fn pow(x: f32, y: f32) -> f32 {
    narrow(wide::pow(f64::from(x), f64::from(y)))
}

/// The reciprocal square root. Correctly rounded.
///
/// `rsqrt(+0) = INF`, `rsqrt(-0) = -INF`, `rsqrt(INF) = 0`; negative numbers give NaN.
#[inline]
pub fn rsqrt(x: f32) -> f32 {
    narrow(wide::rsqrt(f64::from(x)))
}

/// The only place where results are rounded to f32.
#[inline(always)]
fn narrow(wide: f64) -> f32 {
    if wide.is_nan() { f32::from_bits(0x7fc0_0000) } else { wide as f32 }
}
