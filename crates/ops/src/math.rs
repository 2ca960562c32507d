//! Transcendental functions: one definition of each, the same bits on every host and every engine.
//!
//! Only IEEE basic operations are used. A function of an `f32` is computed in `f64` with a relative error of a few 1e-15 and
//! rounded once, so that it is the correctly rounded one unless the exact value lies that close to the middle of two floats:
//! the error is below 0.5001 units in the last place. Every NaN that comes out is the canonical quiet one.
//!
//! Written with selects where branches would cost, since these run lane by lane; only the sine of a huge angle is a slow path.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E, LOG10_2, PI};

/// e to the x. Overflow gives an infinity, underflow a denormal or zero.
pub fn exp(x: f32) -> f32 {
    to_f32(exp2_core(f64::from(x).clamp(-200.0, 200.0) * LOG2_E))
}

/// 2 to the x; exact for integers.
pub fn exp2(x: f32) -> f32 {
    to_f32(exp2_core(f64::from(x).clamp(-200.0, 200.0)))
}

/// The natural logarithm: of zero minus infinity, of a negative number NaN.
pub fn log(x: f32) -> f32 {
    let (exponent, fraction) = log_core(x);
    to_f32(log_corners(x, exponent * LN_2 + fraction))
}

/// The binary logarithm; exact for powers of two.
pub fn log2(x: f32) -> f32 {
    to_f32(log_corners(x, log2_f64(x)))
}

/// The decimal logarithm.
pub fn log10(x: f32) -> f32 {
    let (exponent, fraction) = log_core(x);
    to_f32(log_corners(x, exponent * LOG10_2 + fraction * std::f64::consts::LOG10_E))
}

/// x to the y as `exp2(y * log2(x))`, which is how HLSL defines it: NaN for a negative base, and for zero to the zeroth power.
/// What is representable, such as small integer powers of integers, is exact.
pub fn pow(x: f32, y: f32) -> f32 {
    let exponent = f64::from(y) * log_corners(x, log2_f64(x));
    to_f32(exp2_core(exponent.clamp(-200.0, 200.0)))
}

/// One over the square root; of zero infinity (with the sign of the zero), of a negative number NaN.
pub fn rsqrt(x: f32) -> f32 {
    to_f32(1.0 / f64::from(x).sqrt())
}

/// Accurate for every angle; of an infinity NaN.
pub fn sin(x: f32) -> f32 {
    let (quadrant, r) = reduce(x);
    let value = if quadrant & 1 == 0 { sin_core(r) } else { cos_core(r) };
    let value = if quadrant & 2 == 0 { value } else { -value };
    // The sign of a zero angle stays.
    if x == 0.0 { x } else { to_f32(value) }
}

/// Accurate for every angle; of an infinity NaN.
pub fn cos(x: f32) -> f32 {
    let (quadrant, r) = reduce(x);
    let value = if quadrant & 1 == 0 { cos_core(r) } else { sin_core(r) };
    to_f32(if (quadrant + 1) & 2 == 0 { value } else { -value })
}

/// Accurate for every angle; of an infinity NaN.
pub fn tan(x: f32) -> f32 {
    let (quadrant, r) = reduce(x);
    let (sin, cos) = (sin_core(r), cos_core(r));
    let value = if quadrant & 1 == 0 { sin / cos } else { -cos / sin };
    if x == 0.0 { x } else { to_f32(value) }
}

/// NaN beyond 1.
pub fn asin(x: f32) -> f32 {
    let x64 = f64::from(x);
    let value = atan_core(x64 / ((1.0 - x64) * (1.0 + x64)).sqrt());
    if x == 0.0 { x } else { to_f32(value) }
}

/// NaN beyond 1.
pub fn acos(x: f32) -> f32 {
    let x = f64::from(x);
    to_f32(2.0 * atan_core(((1.0 - x) / (1.0 + x)).sqrt()))
}

/// Of an infinity half of pi, with its sign.
pub fn atan(x: f32) -> f32 {
    if x == 0.0 { x } else { to_f32(atan_core(f64::from(x))) }
}

/// The angle of the point (x, y), from minus pi to pi, with the signs of zeros and infinities taken as C does.
pub fn atan2(y: f32, x: f32) -> f32 {
    let (ay, ax) = (f64::from(y.abs()), f64::from(x.abs()));
    let both_infinite = ay == f64::INFINITY && ax == f64::INFINITY;
    let slope = if both_infinite {
        1.0
    } else if ay == 0.0 {
        0.0
    } else {
        ay / ax
    };
    let slope = if x.is_nan() || y.is_nan() { f64::NAN } else { slope };
    let angle = atan_core(slope);
    let angle = if x.is_sign_negative() { PI - angle } else { angle };
    to_f32(if y.is_sign_negative() { -angle } else { angle })
}

pub fn sinh(x: f32) -> f32 {
    let x64 = f64::from(x).clamp(-200.0, 200.0);
    let up = exp2_core(x64 * LOG2_E);
    let large = 0.5 * (up - 1.0 / up);
    let value = if x64.abs() < 1.0 { sinh_series(x64) } else { large };
    if x == 0.0 { x } else { to_f32(value) }
}

pub fn cosh(x: f32) -> f32 {
    let up = exp2_core(f64::from(x).clamp(-200.0, 200.0) * LOG2_E);
    to_f32(0.5 * (up + 1.0 / up))
}

pub fn tanh(x: f32) -> f32 {
    let x64 = f64::from(x).clamp(-40.0, 40.0);
    let large = 1.0 - 2.0 / (exp2_core(2.0 * x64 * LOG2_E) + 1.0);
    let up = exp2_core(x64 * LOG2_E);
    let small = sinh_series(x64) / (0.5 * (up + 1.0 / up));
    let value = if x64.abs() < 1.0 { small } else { large };
    if x == 0.0 { x } else { to_f32(value) }
}

/// Rounds, and makes a NaN canonical.
fn to_f32(value: f64) -> f32 {
    if value != value { f32::from_bits(0x7fc0_0000) } else { value as f32 }
}

/// Sums a polynomial, the highest coefficient first.
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// 2 to the x for |x| up to 400.
fn exp2_core(x: f64) -> f64 {
    let whole = x.round_ties_even();
    let r = (x - whole) * LN_2;
    // The series of e^r up to r^13/13!, which is below 1e-17 for |r| up to 0.35.
    const SERIES: [f64; 14] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];
    polynomial(r, SERIES) * f64::from_bits(((whole as i64 + 1023) as u64) << 52)
}

/// The exponent of a positive number and the natural logarithm of the rest, which lies between the roots of 1/2 and 2.
fn log_core(x: f32) -> (f64, f64) {
    let bits = f64::from(x).to_bits();
    // Counted from the root of 1/2, so that numbers just below a power of two belong to it.
    let from_root = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd);
    let exponent = from_root as i64 >> 52;
    let m = f64::from_bits(bits.wrapping_sub((exponent as u64) << 52));
    let s = (m - 1.0) / (m + 1.0);
    // Twice the series of artanh s, for |s| up to 0.172.
    const SERIES: [f64; 12] = [
        2.0 / 23.0,
        2.0 / 21.0,
        2.0 / 19.0,
        2.0 / 17.0,
        2.0 / 15.0,
        2.0 / 13.0,
        2.0 / 11.0,
        2.0 / 9.0,
        2.0 / 7.0,
        2.0 / 5.0,
        2.0 / 3.0,
        2.0,
    ];
    (exponent as f64, s * polynomial(s * s, SERIES))
}

fn log2_f64(x: f32) -> f64 {
    let (exponent, fraction) = log_core(x);
    exponent + fraction * LOG2_E
}

/// A logarithm, put right where its argument is no positive finite number.
fn log_corners(x: f32, value: f64) -> f64 {
    let value = if x == f32::INFINITY { f64::INFINITY } else { value };
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    if x < 0.0 || x != x { f64::NAN } else { value }
}

fn sin_core(r: f64) -> f64 {
    const SERIES: [f64; 9] = [
        1.0 / 355_687_428_096_000.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 39_916_800.0,
        1.0 / 362_880.0,
        -1.0 / 5_040.0,
        1.0 / 120.0,
        -1.0 / 6.0,
        1.0,
    ];
    r * polynomial(r * r, SERIES)
}

fn cos_core(r: f64) -> f64 {
    const SERIES: [f64; 10] = [
        -1.0 / 6_402_373_705_728_000.0,
        1.0 / 20_922_789_888_000.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 479_001_600.0,
        -1.0 / 3_628_800.0,
        1.0 / 40_320.0,
        -1.0 / 720.0,
        1.0 / 24.0,
        -0.5,
        1.0,
    ];
    polynomial(r * r, SERIES)
}

fn sinh_series(x: f64) -> f64 {
    const SERIES: [f64; 10] = [
        1.0 / 121_645_100_408_832_000.0,
        1.0 / 355_687_428_096_000.0,
        1.0 / 1_307_674_368_000.0,
        1.0 / 6_227_020_800.0,
        1.0 / 39_916_800.0,
        1.0 / 362_880.0,
        1.0 / 5_040.0,
        1.0 / 120.0,
        1.0 / 6.0,
        1.0,
    ];
    x * polynomial(x * x, SERIES)
}

/// The arc tangent, by halving the angle twice and a series.
fn atan_core(x: f64) -> f64 {
    let magnitude = x.abs();
    let steep = magnitude > 1.0;
    let flat = if steep { 1.0 / magnitude } else { magnitude };
    let half = |t: f64| t / (1.0 + (1.0 + t * t).sqrt());
    let t = half(half(flat));
    // The series for t up to 0.199.
    const SERIES: [f64; 12] = [
        -1.0 / 23.0,
        1.0 / 21.0,
        -1.0 / 19.0,
        1.0 / 17.0,
        -1.0 / 15.0,
        1.0 / 13.0,
        -1.0 / 11.0,
        1.0 / 9.0,
        -1.0 / 7.0,
        1.0 / 5.0,
        -1.0 / 3.0,
        1.0,
    ];
    let angle = 4.0 * t * polynomial(t * t, SERIES);
    let angle = if steep { FRAC_PI_2 - angle } else { angle };
    if x < 0.0 { -angle } else { angle }
}

/// The quadrant of an angle, modulo 4, and how far it is from the quadrant's middle: at most a quarter of pi.
fn reduce(x: f32) -> (i64, f64) {
    let x64 = f64::from(x);
    if x.abs() >= 1e5 {
        return reduce_huge(x);
    }
    // Half of pi in three parts; products of the first two with a whole number below 2^17 are exact.
    const HIGH: f64 = f64::from_bits(0x3ff9_21fb_5440_0000);
    const MIDDLE: f64 = f64::from_bits(0x3dd0_b461_1a60_0000);
    const LOW: f64 = f64::from_bits(0x3ba3_198a_2e03_7073);
    let quadrant = (x64 * FRAC_2_PI).round_ties_even();
    let r = ((x64 - quadrant * HIGH) - quadrant * MIDDLE) - quadrant * LOW;
    (quadrant as i64, r)
}

/// With as many digits of 2/pi as the angle makes significant.
#[cold]
fn reduce_huge(x: f32) -> (i64, f64) {
    if !x.is_finite() {
        return (0, f64::NAN);
    }
    /// The first 256 bits of 2/pi behind the point.
    const TWO_OVER_PI: [u64; 4] = [
        0xa2f9_836e_4e44_1529,
        0xfc27_57d1_f534_ddc0,
        0xdb62_9599_3c43_9041,
        0xfe51_63ab_debb_c561,
    ];
    let bits = x.to_bits();
    let mantissa = u128::from(bits & 0x7f_ffff | 0x80_0000);
    // The angle is mantissa * 2^exponent, and exponent is at least -7 here.
    let exponent = (bits >> 23 & 0xff) as i32 - 150;
    // 96 bits of 2/pi whose first two, multiplied by the angle, weigh 2 and 1: those before are multiples of 4.
    let first = exponent - 2;
    let bit = |i: i32| {
        if i < 0 { 0 } else { u128::from(TWO_OVER_PI[i as usize / 64] >> (63 - i % 64) & 1) }
    };
    let window = (first..first + 96).fold(0u128, |sum, i| sum << 1 | bit(i));
    let turns = mantissa * window & ((1 << 96) - 1);
    let quadrant = (turns >> 94) as i64;
    let fraction = turns & ((1 << 94) - 1);
    // 2^-94 of a quadrant is the unit; beyond the middle it belongs to the next one.
    let (quadrant, fraction) = if fraction >> 93 == 1 {
        (quadrant + 1, fraction as i128 - (1 << 94))
    } else {
        (quadrant, fraction as i128)
    };
    let r = fraction as f64 * f64::from_bits((1023 - 94) << 52) * FRAC_PI_2;
    if x < 0.0 { (-quadrant, -r) } else { (quadrant, r) }
}
