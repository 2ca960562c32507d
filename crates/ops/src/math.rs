//! The transcendental functions: the one definition, the same bits on every host and in every engine.
//!
//! Each function is a polynomial of our own in f64, rounded once to f32.
//! Only what IEEE 754 defines exactly is used (`+ - * /`, `sqrt`, comparisons, conversions, integers), never a fused
//! multiply-add and never the host's libm: that is why results do not depend on where they are computed.
//! Common paths are straight lines with selects and without tables, so that loops over lanes vectorise;
//! only the angles from 2^20 on leave them.
//!
//! Every result that is not a number is the canonical quiet NaN, `0x7fc00000`. Denormals are kept.
//! "Correctly rounded" means the f32 nearest to the exact result. It was measured: the f64 before the rounding is off by
//! less than 3 units of its last place (in samples; 5 for `pow`), and wherever it is within 6 units of halfway between two f32
//! (a search of all 2^32 arguments, or billions of pairs) the result was compared with one of 160 bits or more.
//! Where it is not the nearest, it is still within 0.50001 units of the last place; `tests/accuracy` holds them to it.
//!
//! Not here: f16, which rounds the f32 result once more; f64, which has no such functions in HLSL.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E, LOG10_E};

/// The sine. Correctly rounded but for two arguments.
///
/// `sin(±0) = ±0`; of infinities and NaN, NaN. Arguments of any size are reduced exactly.
#[inline]
pub fn sin(x: f32) -> f32 {
    narrow(sin_wide(x))
}

/// The cosine. Correctly rounded but for six arguments.
///
/// `cos(±0) = 1`; of infinities and NaN, NaN. Arguments of any size are reduced exactly.
#[inline]
pub fn cos(x: f32) -> f32 {
    narrow(cos_wide(x))
}

/// The tangent. Correctly rounded.
///
/// `tan(±0) = ±0`; of infinities and NaN, NaN. No f32 is a pole: the result is finite.
#[inline]
pub fn tan(x: f32) -> f32 {
    narrow(tan_wide(x))
}

/// The angle in -π/2..π/2 whose sine is `x`. Correctly rounded.
///
/// `asin(±0) = ±0`; outside -1..1, NaN.
#[inline]
pub fn asin(x: f32) -> f32 {
    narrow(asin_wide(x))
}

/// The angle in 0..π whose cosine is `x`. Correctly rounded but for two arguments.
///
/// `acos(1) = 0`; outside -1..1, NaN.
#[inline]
pub fn acos(x: f32) -> f32 {
    narrow(acos_wide(x))
}

/// The angle in -π/2..π/2 whose tangent is `x`. Correctly rounded but for two arguments.
///
/// `atan(±0) = ±0`, `atan(±INF) = ±π/2`.
#[inline]
pub fn atan(x: f32) -> f32 {
    narrow(angle(f64::from(x), 1.0))
}

/// The angle of the point `(x, y)`, in -π..π. Correctly rounded but for about one argument in 500 million.
///
/// Zeros and infinities are as in C: the result has the sign of `y`; `atan2(±0, x)` is ±0 for positive `x` and `+0`,
/// ±π for negative `x` and `-0`; two infinities lie on a diagonal.
#[inline]
pub fn atan2(y: f32, x: f32) -> f32 {
    narrow(angle(f64::from(y), f64::from(x)))
}

/// The hyperbolic sine. Correctly rounded but for two arguments.
///
/// `sinh(±0) = ±0`, `sinh(±INF) = ±INF`; infinite from about ±89.416 on.
#[inline]
pub fn sinh(x: f32) -> f32 {
    narrow(sinh_wide(x))
}

/// The hyperbolic cosine. Correctly rounded.
///
/// `cosh(±0) = 1`, `cosh(±INF) = INF`; infinite from about ±89.416 on.
#[inline]
pub fn cosh(x: f32) -> f32 {
    narrow(cosh_wide(x))
}

/// The hyperbolic tangent. Correctly rounded.
///
/// `tanh(±0) = ±0`, `tanh(±INF) = ±1`.
#[inline]
pub fn tanh(x: f32) -> f32 {
    narrow(tanh_wide(x))
}

/// e to the power of `x`. Correctly rounded.
///
/// `exp(±0) = 1`, `exp(-INF) = 0`, `exp(INF) = INF`; infinite from about 88.723 on, denormal and then zero
/// from about -87.336 on.
#[inline]
pub fn exp(x: f32) -> f32 {
    narrow(exp_wide(f64::from(x)))
}

/// 2 to the power of `x`. Correctly rounded but for two arguments.
///
/// Exact for integers. `exp2(-INF) = 0`; infinite from 128 on, denormal below -126, zero from -150 on.
#[inline]
pub fn exp2(x: f32) -> f32 {
    narrow(exp2_wide(f64::from(x), 0.0))
}

/// The natural logarithm. Correctly rounded but for five arguments.
///
/// `log(1) = 0`, `log(±0) = -INF`, `log(INF) = INF`; of negative numbers, NaN.
#[inline]
pub fn log(x: f32) -> f32 {
    narrow(log_wide(x))
}

/// The logarithm to base 2. Correctly rounded.
///
/// Exact for powers of two, denormal ones too. `log2(±0) = -INF`, `log2(INF) = INF`; of negative numbers, NaN.
#[inline]
pub fn log2(x: f32) -> f32 {
    narrow(log2_wide(x))
}

/// The logarithm to base 10. Correctly rounded but for one argument.
///
/// Exact for the powers of ten that f32 has. `log10(±0) = -INF`, `log10(INF) = INF`; of negative numbers, NaN.
#[inline]
pub fn log10(x: f32) -> f32 {
    narrow(log10_wide(x))
}

/// `x` to the power of `y`, as HLSL defines it: `exp2(y * log2(x))`, but as if that were computed exactly.
///
/// Correctly rounded but for about one argument in 100 million.
///
/// Results that f32 can hold are exact, and results halfway between two f32 go to the even one.
/// The corners are those of the definition, not those of C: negative `x` gives NaN even for whole `y`, and so do
/// `pow(0, 0)`, `pow(INF, 0)` and `pow(1, ±INF)`, which are all `exp2(0 * INF)`, and any NaN.
/// `pow(x, ±0) = 1` for finite positive `x`; `pow(1, y) = 1` for finite `y`;
/// `pow(±0, y)` is 0 for positive and INF for negative `y`, `pow(INF, y)` the other way round.
#[inline]
pub fn pow(x: f32, y: f32) -> f32 {
    narrow(pow_wide(x, y))
}

/// One divided by the square root. Correctly rounded.
///
/// `rsqrt(+0) = INF`, `rsqrt(-0) = -INF`, `rsqrt(INF) = 0`; of negative numbers, NaN.
#[inline]
pub fn rsqrt(x: f32) -> f32 {
    narrow(rsqrt_wide(x))
}

/// The only place that rounds to f32.
#[inline(always)]
fn narrow(wide: f64) -> f32 {
    if wide.is_nan() { f32::from_bits(0x7fc0_0000) } else { wide as f32 }
}

/// Horner's rule, the coefficient of the lowest power first.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    coefficients[..N - 1]
        .iter()
        .rev()
        .fold(coefficients[N - 1], |sum, coefficient| sum * x + coefficient)
}

/// Bounds the magnitude of `x`; a NaN stays one.
#[inline(always)]
fn bound(x: f64, limit: f64) -> f64 {
    let x = if x > limit { limit } else { x };
    if x < -limit { -limit } else { x }
}

/// Adding 1.5 · 2^52 rounds a small number to the nearest integer, and leaves that integer in the low bits of the sum.
pub const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
fn sin_wide(x: f32) -> f64 {
    // On the magnitude, so that -0 and +0 are told apart by the sign alone.
    let angle = Reduced::of(f64::from(x).abs());
    flip(angle.sine(), angle.quadrant >> 1 ^ sign_of(x))
}

#[inline(always)]
fn cos_wide(x: f32) -> f64 {
    let angle = Reduced::of(f64::from(x).abs());
    let angle = Reduced { quadrant: angle.quadrant.wrapping_add(1), ..angle };
    flip(angle.sine(), angle.quadrant >> 1)
}

#[inline(always)]
fn tan_wide(x: f32) -> f64 {
    let angle = Reduced::of(f64::from(x).abs());
    let (sin, cos) = (sin_near_zero(angle.rest), cos_near_zero(angle.rest));
    // A quarter turn on, the tangent is -1 / tan.
    let odd = angle.quadrant & 1 == 1;
    let quotient = if odd { cos / sin } else { sin / cos };
    flip(quotient, angle.quadrant ^ sign_of(x))
}

/// 1 if the sign is set.
#[inline(always)]
fn sign_of(x: f32) -> u64 {
    u64::from(x.to_bits() >> 31)
}

/// Changes the sign if the lowest bit of `times` is set.
#[inline(always)]
fn flip(x: f64, times: u64) -> f64 {
    f64::from_bits(x.to_bits() ^ times << 63)
}

/// An angle as a number of quarter turns, of which the lowest two bits count, and a rest in -π/4..π/4.
struct Reduced {
    quadrant: u64,
    rest: f64,
}

impl Reduced {
    /// Reduces a magnitude that was an f32.
    #[inline(always)]
    fn of(magnitude: f64) -> Reduced {
        if magnitude >= LARGE { Reduced::of_large(magnitude) } else { Reduced::of_small(magnitude) }
    }

    /// Subtracts quarter turns in three pieces: the number of turns has 20 bits, so that the products with the first
    /// two are exact, as is the first difference. The rest has the full precision of f64 even next to zero.
    #[inline(always)]
    fn of_small(magnitude: f64) -> Reduced {
        let shifted = magnitude * FRAC_2_PI + TO_INTEGER;
        let turns = shifted - TO_INTEGER;
        let first = magnitude - turns * QUARTER_TURN[0];
        let second = first - turns * QUARTER_TURN[1];
        let lost = (first - second) - turns * QUARTER_TURN[1];
        Reduced { quadrant: shifted.to_bits(), rest: second + (lost - turns * QUARTER_TURN[2]) }
    }

    /// Multiplies by 2/π in integers, modulo four quarter turns.
    ///
    /// The number is a whole `significand` times a power of two that only says where in the digits of 2/π to start:
    /// the digits before are multiples of four turns, and of those that follow 128 leave a rest right to 100 places,
    /// where no f32 comes closer than 2^-31 to a whole number of quarter turns.
    #[cold]
    fn of_large(magnitude: f64) -> Reduced {
        let significand = u128::from(magnitude.to_bits() >> 29 & 0x7f_ffff | 0x80_0000);
        // The first digit that counts is worth 2. An infinity would start later than any number does.
        let start = (magnitude.to_bits() >> 52).min(1023 + 127) as usize + TWO_OVER_PI_ZEROS
            - (1023 + 23)
            - 2;
        let (word, bit) = (start / 64, start % 64);
        let leading = u128::from(TWO_OVER_PI[word]) << 64 | u128::from(TWO_OVER_PI[word + 1]);
        let following = u128::from(TWO_OVER_PI[word + 2]) << bit >> 64;
        let digits = leading << bit | following;

        // Two digits before the point, 126 after it: π/2 · 2^-126 for each unit.
        const UNIT: f64 = f64::from_bits(FRAC_PI_2.to_bits() - (126 << 52));
        let turns = digits.wrapping_mul(significand);
        let quadrant = turns.wrapping_add(1 << 125) >> 126;
        let rest = turns.wrapping_sub(quadrant << 126) as i128;
        let rest = rest as f64 * UNIT;
        Reduced {
            quadrant: quadrant as u64,
            rest: if magnitude.is_finite() { rest } else { f64::NAN },
        }
    }

    /// The sine, but for the sign, which the second bit of the quadrant says.
    #[inline(always)]
    fn sine(&self) -> f64 {
        if self.quadrant & 1 == 1 { cos_near_zero(self.rest) } else { sin_near_zero(self.rest) }
    }
}

/// From here on angles are reduced in integers.
pub const LARGE: f64 = 1_048_576.0;

/// π/2 as a sum, the first two with 33 bits.
pub const QUARTER_TURN: [f64; 3] = [
    f64::from_bits(0x3ff9_21fb_5440_0000),
    f64::from_bits(0x3dd0_b461_1a60_0000),
    f64::from_bits(0x3ba3_198a_2e03_7073),
];

/// The binary digits of 2/π, after as many zeros as there are places before the point of the smallest large angle.
pub const TWO_OVER_PI: [u64; 5] =
    [0, 0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041, 0xfe51_63ab_debb_c561];
const TWO_OVER_PI_ZEROS: usize = 64;

#[inline(always)]
fn sin_near_zero(x: f64) -> f64 {
    let square = x * x;
    x + x * (square * polynomial(&SIN, square))
}

#[inline(always)]
fn cos_near_zero(x: f64) -> f64 {
    let square = x * x;
    1.0 - (0.5 * square - square * (square * polynomial(&COS, square)))
}

/// (sin(x) - x) / x³ by powers of x², for x in 0..π/4.
pub const SIN: [f64; 7] = [
    -0.16666666666666666,
    0.008333333333333331,
    -0.00019841269841265063,
    2.7557319219337672e-06,
    -2.5052106231927857e-08,
    1.6058531536611833e-10,
    -7.586692262094344e-13,
];

/// (cos(x) - 1 + x²/2) / x⁴ by powers of x², for x in 0..π/4.
pub const COS: [f64; 7] = [
    0.041666666666666664,
    -0.0013888888888888887,
    2.4801587301584645e-05,
    -2.7557319221401993e-07,
    2.087675579079147e-09,
    -1.1470460841811526e-11,
    4.7458692024108734e-14,
];

/// `turns` eighths of a full turn, 0 to 4, plus an angle.
#[inline(always)]
fn eighths(turns: f64, plus: f64) -> f64 {
    // The high part has 50 bits: its multiples are exact.
    const HIGH: f64 = f64::from_bits(0x3fe9_21fb_5444_2d18);
    const LOW: f64 = f64::from_bits(0x3c81_a626_3314_5c07);
    turns * HIGH + (turns * LOW + plus)
}

/// The angle of `(x, y)`.
#[inline(always)]
fn angle(y: f64, x: f64) -> f64 {
    let (height, width) = (y.abs(), x.abs());
    let corner = height.is_infinite() & width.is_infinite();
    let (height, width) = if corner { (1.0, 1.0) } else { (height, width) };

    // Fold into the first eighth of the turn, then turn back by an eighth if that is nearer to the axis.
    let steep = height > width;
    let (short, long) = if steep { (width, height) } else { (height, width) };
    let diagonal = short > long * (std::f64::consts::SQRT_2 - 1.0);
    let across = if diagonal { short - long } else { short };
    let along = if diagonal { short + long } else { long };
    // At the origin there is no direction: take the axis.
    let tangent = across / if along == 0.0 { 1.0 } else { along };
    let square = tangent * tangent;
    let rest = tangent + tangent * (square * polynomial(&ATAN, square));

    let turns = if diagonal { 1.0 } else { 0.0 };
    let (turns, rest) = if steep { (2.0 - turns, -rest) } else { (turns, rest) };
    let (turns, rest) = if x.is_sign_negative() { (4.0 - turns, -rest) } else { (turns, rest) };
    eighths(turns, rest).copysign(y)
}

/// (atan(x) - x) / x³ by powers of x², for x in 0..tan(π/8).
pub const ATAN: [f64; 11] = [
    -0.3333333333333333,
    0.19999999999995519,
    -0.14285714284666184,
    0.11111111015227572,
    -0.09090904576954117,
    0.07692183163650894,
    -0.06664511064599371,
    0.05858145587628202,
    -0.050854323376990765,
    0.0392311556198723,
    -0.01917627151752634,
];

/// The arc sine of `x`, or of the half angle if `x` is above one half, where `halved` says so.
#[inline(always)]
fn half_arc(magnitude: f64) -> (bool, f64) {
    // asin(x) = π/2 - 2 asin(sqrt((1 - x) / 2)); above 1 the root is NaN.
    let halved = magnitude > 0.5;
    let square = if halved { (1.0 - magnitude) * 0.5 } else { magnitude * magnitude };
    let sine = if halved { square.sqrt() } else { magnitude };
    (halved, sine + sine * (square * polynomial(&ASIN, square)))
}

#[inline(always)]
fn asin_wide(x: f32) -> f64 {
    let x = f64::from(x);
    let (halved, arc) = half_arc(x.abs());
    let (turns, rest) = if halved { (2.0, -2.0 * arc) } else { (0.0, arc) };
    eighths(turns, rest).copysign(x)
}

#[inline(always)]
fn acos_wide(x: f32) -> f64 {
    let x = f64::from(x);
    let (halved, arc) = half_arc(x.abs());
    let negative = x < 0.0;
    let turns = if halved { if negative { 4.0 } else { 0.0 } } else { 2.0 };
    let rest = if halved { 2.0 * arc } else { -arc };
    eighths(turns, if negative { -rest } else { rest })
}

/// (asin(x) - x) / x³ by powers of x², for x in 0..1/2.
pub const ASIN: [f64; 13] = [
    0.16666666666666669,
    0.07499999999998433,
    0.04464285714635543,
    0.030381944138531247,
    0.02237217294214989,
    0.017352392720869973,
    0.013971212973552933,
    0.011479177415184906,
    0.01032281435018578,
    0.005457506718640358,
    0.01740087944269402,
    -0.014851887071247204,
    0.028757851367421566,
];

/// e^x for f64.
#[inline(always)]
fn exp_wide(x: f64) -> f64 {
    // Beyond, the result is infinite or zero as f32 already.
    let x = bound(x, 120.0);
    let shifted = x * LOG2_E + TO_INTEGER;
    let power = shifted - TO_INTEGER;
    exp_times_power((x - power * LN_2_HIGH) - power * LN_2_LOW, shifted)
}

/// 2^(x + low) for f64, `low` being tiny.
#[inline(always)]
fn exp2_wide(x: f64, low: f64) -> f64 {
    let x = bound(x, 160.0);
    let shifted = x + TO_INTEGER;
    exp_times_power((x - (shifted - TO_INTEGER) + low) * LN_2, shifted)
}

/// e^x · 2^n for x in -ln(2)/2..ln(2)/2 and the n in the low bits of `shifted`.
#[inline(always)]
fn exp_times_power(x: f64, shifted: f64) -> f64 {
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    (1.0 + (x + x * (x * polynomial(&EXP, x)))) * power
}

/// ln(2) as a sum, the first with 42 bits.
pub const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fefa_3800);
pub const LN_2_LOW: f64 = f64::from_bits(0x3d2e_f357_93c7_6730);

/// (e^x - 1 - x) / x², for x in -ln(2)/2..ln(2)/2.
pub const EXP: [f64; 11] = [
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.00833333333332612,
    0.0013888888888883737,
    0.00019841269874873975,
    2.480158732558584e-05,
    2.755725533255441e-06,
    2.7557273594799413e-07,
    2.510524515390137e-08,
    2.0914707069612355e-09,
];

#[inline(always)]
fn sinh_wide(x: f32) -> f64 {
    let magnitude = f64::from(x).abs();
    let power = exp_wide(magnitude);
    let far = 0.5 * (power - 1.0 / power);
    let near = sinh_near_zero(magnitude);
    flip(if magnitude < 1.0 { near } else { far }, sign_of(x))
}

#[inline(always)]
fn cosh_wide(x: f32) -> f64 {
    let magnitude = f64::from(x).abs();
    let power = exp_wide(magnitude);
    let far = 0.5 * (power + 1.0 / power);
    if magnitude < 1.0 { cosh_near_zero(magnitude) } else { far }
}

#[inline(always)]
fn tanh_wide(x: f32) -> f64 {
    let magnitude = f64::from(x).abs();
    let near = magnitude < 1.0;
    let power = exp_wide(2.0 * magnitude);
    let rise = if near { sinh_near_zero(magnitude) } else { power - 1.0 };
    let run = if near { cosh_near_zero(magnitude) } else { power + 1.0 };
    flip(rise / run, sign_of(x))
}

#[inline(always)]
fn sinh_near_zero(x: f64) -> f64 {
    let square = x * x;
    x + x * (square * polynomial(&SINH, square))
}

#[inline(always)]
fn cosh_near_zero(x: f64) -> f64 {
    let square = x * x;
    1.0 + (0.5 * square + square * (square * polynomial(&COSH, square)))
}

/// (sinh(x) - x) / x³ by powers of x², for x in 0..1.
pub const SINH: [f64; 9] = [
    0.16666666666666666,
    0.008333333333333333,
    0.0001984126984126984,
    2.7557319223985825e-06,
    2.505210838547607e-08,
    1.605904382690051e-10,
    7.647165414593481e-13,
    2.8112909646770106e-15,
    8.309171941866942e-18,
];

/// (cosh(x) - 1 - x²/2) / x⁴ by powers of x², for x in 0..1.
pub const COSH: [f64; 8] = [
    0.041666666666666664,
    0.001388888888888889,
    2.4801587301587268e-05,
    2.7557319224013094e-07,
    2.087675697718492e-09,
    1.1470747875752489e-11,
    4.779208331059773e-14,
    1.5784467696116238e-16,
];

#[inline(always)]
fn log_wide(x: f32) -> f64 {
    let parts = Parts::of(x);
    let log = parts.power * LN_2_HIGH + (parts.power * LN_2_LOW + 2.0 * parts.half_log());
    log_corners(x, log)
}

#[inline(always)]
fn log2_wide(x: f32) -> f64 {
    let parts = Parts::of(x);
    log_corners(x, parts.power + (2.0 * LOG2_E) * parts.half_log())
}

#[inline(always)]
fn log10_wide(x: f32) -> f64 {
    // The decimal logarithm of 2 as a sum, the first with 42 bits.
    const HIGH: f64 = f64::from_bits(0x3fd3_4413_509f_7800);
    const LOW: f64 = f64::from_bits(0x3d1f_ef31_1f12_b358);
    let parts = Parts::of(x);
    let log = parts.power * HIGH + (parts.power * LOW + (2.0 * LOG10_E) * parts.half_log());
    log_corners(x, log)
}

/// What every logarithm is where there is none.
#[inline(always)]
fn log_corners(x: f32, log: f64) -> f64 {
    let log = if x == f32::INFINITY { f64::INFINITY } else { log };
    let log = if x == 0.0 { f64::NEG_INFINITY } else { log };
    if x >= 0.0 { log } else { f64::NAN }
}

/// A positive number as 2^power · fraction, the fraction between √½ and √2.
struct Parts {
    power: f64,
    fraction: f64,
}

impl Parts {
    #[inline(always)]
    fn of(x: f32) -> Parts {
        // As f64 no f32 is denormal. Any other split near √½ would do.
        let bits = f64::from(x).to_bits();
        let power = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd) as i64 >> 52;
        let fraction = f64::from_bits(bits.wrapping_sub((power << 52) as u64));
        Parts { power: f64::from(power as i32), fraction }
    }

    /// Half the natural logarithm of the fraction: ln(f) = 2 atanh((f - 1) / (f + 1)).
    #[inline(always)]
    fn half_log(&self) -> f64 {
        let slope = (self.fraction - 1.0) / (self.fraction + 1.0);
        slope + atanh_above(slope)
    }
}

/// atanh(x) - x.
#[inline(always)]
fn atanh_above(x: f64) -> f64 {
    let square = x * x;
    x * (square * polynomial(&ATANH, square))
}

/// (atanh(x) - x) / x³ by powers of x², for x in 0..3 - √8.
pub const ATANH: [f64; 8] = [
    0.3333333333333333,
    0.2000000000000044,
    0.14285714285401757,
    0.1111111119586796,
    0.09090897818890864,
    0.07693119915348971,
    0.06634384856934405,
    0.06543330981767055,
];

#[inline(always)]
fn pow_wide(x: f32, y: f32) -> f64 {
    let (high, low) = log2_double(x);
    let y = f64::from(y);
    // 24 bits by 29: exact.
    let exponent = y * high;
    // Where the result is infinite or zero, the low part may be anything: 0 · INF, or huge.
    let low = if exponent.abs() < 160.0 { y * low } else { 0.0 };
    snap(exp2_wide(exponent, low))
}

/// The logarithm to base 2 with about 60 bits, in two parts of which the first has 29 bits.
#[inline(always)]
fn log2_double(x: f32) -> (f64, f64) {
    // 2 / ln(2) as a sum, the first with 25 bits.
    const HIGH: f64 = f64::from_bits(0x4007_1547_6000_0000);
    const LOW: f64 = f64::from_bits(0x3e64_ae0b_f85d_df44);
    let Parts { power, fraction } = Parts::of(x);

    // The slope of `Parts::half_log` in two parts: with 28 bits in the first, its product with the 25 bits of the
    // denominator is exact, and what is left to divide too.
    let (rise, inverse) = (fraction - 1.0, 1.0 / (fraction + 1.0));
    let slope = rise * inverse;
    let slope_high = clear_low(slope, 25);
    let slope_low = (rise - slope_high * (fraction + 1.0)) * inverse;

    let straight = slope_high * HIGH;
    let bent = slope_high * LOW + (2.0 * LOG2_E) * (slope_low + atanh_above(slope));
    let sum = power + straight;
    let rest = (straight - (sum - power)) + bent;
    let high = clear_low(sum + rest, 24);
    let low = (sum - high) + rest;
    (log_corners(x, high), low)
}

#[inline(always)]
fn clear_low(x: f64, bits: u32) -> f64 {
    f64::from_bits(x.to_bits() & (u64::MAX << bits))
}

/// Drops three bits, to nearest. The only results that end within their error of halfway between two f32 are, but for
/// one in millions, exactly halfway: rational powers that are rational.
#[inline(always)]
fn snap(x: f64) -> f64 {
    clear_low(f64::from_bits(x.to_bits().wrapping_add(4)), 3)
}

#[inline(always)]
fn rsqrt_wide(x: f32) -> f64 {
    1.0 / f64::from(x).sqrt()
}

#[cfg(test)]
mod tests;
