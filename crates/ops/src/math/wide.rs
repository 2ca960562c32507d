//! The definitions in f64, before the one rounding, over any [`Double`]: the host evaluates them, and a back end
//! for a device without such functions emits them.
//!
//! A definition may return any NaN; the caller that rounds the result makes it canonical.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E, LOG10_E, SQRT_2};

use super::{Bits, Double};
use crate::{Binary, Unary};

/// The function of one argument that an operation computes in f64 from an f32; `None` for operations that are not
/// defined this way.
#[inline]
pub fn unary<D: Double>(op: Unary, x: D) -> Option<D> {
    Some(match op {
        Unary::Sqrt => x.sqrt(),
        Unary::Rsqrt => rsqrt(x),
        Unary::Sin => sin(x),
        Unary::Cos => cos(x),
        Unary::Tan => tan(x),
        Unary::Asin => asin(x),
        Unary::Acos => acos(x),
        Unary::Atan => atan2(x, x.constant(1.0)),
        Unary::Sinh => sinh(x),
        Unary::Cosh => cosh(x),
        Unary::Tanh => tanh(x),
        Unary::Exp => exp(x),
        Unary::Exp2 => exp2(x, x.constant(0.0)),
        Unary::Log => log(x),
        Unary::Log2 => log2(x),
        Unary::Log10 => log10(x),
        Unary::Neg
        | Unary::Not
        | Unary::Abs
        | Unary::Floor
        | Unary::Ceil
        | Unary::Trunc
        | Unary::Round
        | Unary::Saturate
        | Unary::IsNan
        | Unary::IsInf
        | Unary::IsFinite
        | Unary::CountBits
        | Unary::ReverseBits
        | Unary::FirstBitLow
        | Unary::FirstBitHigh(_)
        | Unary::UnpackHalf
        | Unary::PackHalf
        | Unary::Bitcast(_)
        | Unary::Convert { .. } => return None,
    })
}

/// The same for two arguments.
#[inline]
pub fn binary<D: Double>(op: Binary, a: D, b: D) -> Option<D> {
    Some(match op {
        Binary::Div(_) => a / b,
        Binary::Atan2 => atan2(a, b),
        Binary::Pow => pow(a, b),
        Binary::Add
        | Binary::Sub
        | Binary::Mul
        | Binary::Rem(_)
        | Binary::And
        | Binary::Or
        | Binary::Xor
        | Binary::Shl
        | Binary::Shr(_)
        | Binary::Min(_)
        | Binary::Max(_) => return None,
    })
}

/// Horner's rule, lowest power first.
#[inline(always)]
fn polynomial<D: Double, const N: usize>(coefficients: &[f64; N], x: D) -> D {
    coefficients[..N - 1]
        .iter()
        .rev()
        .fold(x.constant(coefficients[N - 1]), |sum, coefficient| sum * x + *coefficient)
}

/// Clamps the magnitude of `x`; a NaN stays a NaN.
#[inline(always)]
fn bound<D: Double>(x: D, limit: f64) -> D {
    let (high, low) = (x.constant(limit), x.constant(-limit));
    let x = D::pick(x.above(high), high, x);
    D::pick(low.above(x), low, x)
}

/// Adding 1.5 · 2^52 rounds a small number to the nearest integer, and leaves that integer in the low bits of the sum.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
pub(super) fn sin<D: Double>(x: D) -> D {
    // On the magnitude, so that only the sign distinguishes -0 from +0.
    let angle = Reduced::of(x.abs());
    flip(angle.sine(), shifted_right(angle.quadrant, 1) ^ sign_of(x))
}

#[inline(always)]
pub(super) fn cos<D: Double>(x: D) -> D {
    let angle = Reduced::of(x.abs());
    let quadrant = angle.quadrant.plus(angle.quadrant.constant(1));
    let angle = Reduced { quadrant, ..angle };
    flip(angle.sine(), shifted_right(quadrant, 1))
}

#[inline(always)]
pub(super) fn tan<D: Double>(x: D) -> D {
    let angle = Reduced::of(x.abs());
    let (sin, cos) = (sin_near_zero(angle.rest), cos_near_zero(angle.rest));
    // A quarter turn further, the tangent is -1 / tan.
    let odd = angle.is_odd();
    let (rise, run) = (D::pick(odd, cos, sin), D::pick(odd, sin, cos));
    flip(rise / run, angle.quadrant ^ sign_of(x))
}

/// 1 if the sign is set.
#[inline(always)]
fn sign_of<D: Double>(x: D) -> D::Bits {
    shifted_right(x.bits(), 63)
}

#[inline(always)]
fn shifted_right<B: Bits>(bits: B, by: u64) -> B {
    bits.right(bits.constant(by))
}

#[inline(always)]
fn shifted_left<B: Bits>(bits: B, by: u64) -> B {
    bits.left(bits.constant(by))
}

/// Changes the sign if the lowest bit of `times` is set.
#[inline(always)]
fn flip<D: Double>(x: D, times: D::Bits) -> D {
    (x.bits() ^ shifted_left(times, 63)).double()
}

/// Argument reduction: an angle as a number of quarter turns, of which the lowest two bits matter, and a remainder
/// in -π/4..π/4.
struct Reduced<D: Double> {
    quadrant: D::Bits,
    rest: D,
}

impl<D: Double> Reduced<D> {
    /// Reduces a magnitude that was an f32.
    #[inline(always)]
    fn of(magnitude: D) -> Reduced<D> {
        let is_large = magnitude.at_least(magnitude.constant(LARGE));
        let (quadrant, rest) = D::branch(is_large, || of_large(magnitude), || of_small(magnitude));
        Reduced { quadrant, rest }
    }

    #[inline(always)]
    fn is_odd(&self) -> D::Truth {
        let one = self.quadrant.constant(1);
        (self.quadrant & one).equals(one)
    }

    /// The sine without its sign, which the second bit of the quadrant gives.
    #[inline(always)]
    fn sine(&self) -> D {
        D::choose(self.is_odd(), || cos_near_zero(self.rest), || sin_near_zero(self.rest))
    }
}

/// Cody–Waite reduction: subtracts quarter turns in three pieces. The number of turns has 20 bits, so that the
/// products with the first two are exact, as is the first difference. The remainder has the full precision of f64
/// even next to zero.
#[inline(always)]
fn of_small<D: Double>(magnitude: D) -> (D::Bits, D) {
    let shifted = magnitude * FRAC_2_PI + TO_INTEGER;
    let turns = shifted - TO_INTEGER;
    let first = magnitude - turns * QUARTER_TURN[0];
    let piece = turns * QUARTER_TURN[1];
    let second = first - piece;
    let lost = (first - second) - piece;
    (shifted.bits(), second + (lost - turns * QUARTER_TURN[2]))
}

/// Payne–Hanek reduction: multiplies by 2/π in integers, modulo four quarter turns.
///
/// The number is an integral significand times a power of two, which only says where in the digits of 2/π to start:
/// the digits before are multiples of four turns, and the 128 that follow give a remainder correct to 100 places,
/// while no f32 is closer than 2^-31 to an integral number of quarter turns.
#[cold]
fn of_large<D: Double>(magnitude: D) -> (D::Bits, D) {
    let bits = magnitude.bits();
    let long = |value: u64| bits.constant(value);
    let (zero, one) = (long(0), long(1));
    let significand = shifted_right(bits, 29) & 0x7f_ffff | 0x80_0000;
    // The first digit that matters is worth 2. An infinity would start beyond every number.
    let exponent = shifted_right(bits, 52);
    let most = long(1023 + 127);
    let exponent = D::Bits::pick(exponent.above(most), most, exponent);
    let start = exponent.minus(long(1023 + 23 + 2 - TWO_OVER_PI_ZEROS));
    let (word, bit) = (shifted_right(start, 6), start & 63);
    let (is_first, is_second) = (word.equals(zero), word.equals(one));
    let words = [0, 1, 2].map(|at| {
        let [a, b, c] = [0, 1, 2].map(|it| long(TWO_OVER_PI[at + it]));
        D::Bits::pick(is_first, a, D::Bits::pick(is_second, b, c))
    });
    // Two shifts, because one by 64 would not shift at all.
    let left = long(63).minus(bit);
    let [high, low] =
        [0, 1].map(|at| words[at].left(bit) | shifted_right(words[at + 1], 1).right(left));

    // 128 bits by 24, modulo 2^128: two digits before the point, 126 after it.
    let low_product = (low & 0xffff_ffff).times(significand);
    let upper_product =
        shifted_right(low, 32).times(significand).plus(shifted_right(low_product, 32));
    let turns_low = shifted_left(upper_product, 32) | low_product & 0xffff_ffff;
    let turns_high = high.times(significand).plus(shifted_right(upper_product, 32));
    let quadrant = shifted_right(turns_high.plus(long(1 << 61)), 62);
    let rest_high = turns_high.minus(shifted_left(quadrant, 62));

    // The magnitude of the remainder, which has at most 33 leading zeros.
    let negative = rest_high.is_negative();
    let borrow = D::Bits::pick(turns_low.equals(zero), zero, one);
    let high = D::Bits::pick(negative, zero.minus(rest_high).minus(borrow), rest_high);
    let low = D::Bits::pick(negative, zero.minus(turns_low), turns_low);
    let empty = high.leading_zeros() & 63;
    let digits = high.left(empty) | shifted_right(low, 1).right(long(63).minus(empty));
    // A sticky bit for the dropped digits: only the conversion rounds.
    let sticky = D::Bits::pick(low.left(empty).equals(zero), zero, one);
    let scale = shifted_left(long(1023 + 64).minus(empty), 52).double();
    // π/2 · 2^-126 for each unit.
    const UNIT: f64 = f64::from_bits(FRAC_PI_2.to_bits() - (126 << 52));
    let rest = (digits | sticky).rounded() * scale * UNIT;
    let rest = D::pick(negative, -rest, rest);
    (quadrant, D::pick(magnitude.is_infinite(), magnitude.constant(f64::NAN), rest))
}

/// From here up, angles are reduced in integers.
const LARGE: f64 = 1_048_576.0;

/// π/2 as a sum; the first two terms have 33 bits.
const QUARTER_TURN: [f64; 3] = [
    f64::from_bits(0x3ff9_21fb_5440_0000),
    f64::from_bits(0x3dd0_b461_1a60_0000),
    f64::from_bits(0x3ba3_198a_2e03_7073),
];

/// The binary digits of 2/π, after as many zeros as the smallest large angle has places before the point.
const TWO_OVER_PI: [u64; 5] =
    [0, 0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041, 0xfe51_63ab_debb_c561];
const TWO_OVER_PI_ZEROS: u64 = 64;

#[inline(always)]
fn sin_near_zero<D: Double>(x: D) -> D {
    let square = x * x;
    x + x * (square * polynomial(&SIN, square))
}

#[inline(always)]
fn cos_near_zero<D: Double>(x: D) -> D {
    let square = x * x;
    let rest = square * (square * polynomial(&COS, square));
    x.constant(1.0) - (square * 0.5 - rest)
}

/// (sin(x) - x) / x³ as a polynomial in x², for x in 0..π/4.
const SIN: [f64; 7] = [
    -0.16666666666666666,
    0.008333333333333331,
    -0.00019841269841265063,
    2.7557319219337672e-06,
    -2.5052106231927857e-08,
    1.6058531536611833e-10,
    -7.586692262094344e-13,
];

/// (cos(x) - 1 + x²/2) / x⁴ as a polynomial in x², for x in 0..π/4.
const COS: [f64; 7] = [
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
fn eighths<D: Double>(turns: D, plus: D) -> D {
    // The high part has 50 bits: its multiples are exact.
    const HIGH: f64 = f64::from_bits(0x3fe9_21fb_5444_2d18);
    const LOW: f64 = f64::from_bits(0x3c81_a626_3314_5c07);
    turns * HIGH + (turns * LOW + plus)
}

/// The angle of the point `(x, y)`.
#[inline(always)]
pub(super) fn atan2<D: Double>(y: D, x: D) -> D {
    let [zero, one, two, four] = [0.0, 1.0, 2.0, 4.0].map(|it| x.constant(it));
    let (height, width) = (y.abs(), x.abs());
    let corner = height.is_infinite() & width.is_infinite();
    let (height, width) = (D::pick(corner, one, height), D::pick(corner, one, width));

    // Fold into the first eighth of a turn, then rotate back by an eighth if that is nearer to the axis.
    let steep = height.above(width);
    let (short, long) = (D::pick(steep, width, height), D::pick(steep, height, width));
    let diagonal = short.above(long * (SQRT_2 - 1.0));
    let across = D::pick(diagonal, short - long, short);
    let along = D::pick(diagonal, short + long, long);
    // The origin has no direction: use the axis.
    let tangent = across / D::pick(along.equals(zero), one, along);
    let square = tangent * tangent;
    let rest = tangent + tangent * (square * polynomial(&ATAN, square));

    let turns = D::pick(diagonal, one, zero);
    let (turns, rest) = (D::pick(steep, two - turns, turns), D::pick(steep, -rest, rest));
    let behind = x.is_sign_negative();
    let (turns, rest) = (D::pick(behind, four - turns, turns), D::pick(behind, -rest, rest));
    eighths(turns, rest).copysign(y)
}

/// (atan(x) - x) / x³ as a polynomial in x², for x in 0..tan(π/8).
const ATAN: [f64; 11] = [
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

/// The arc sine of `x`, or of the half angle if `x` is above one half; the truth value says which.
#[inline(always)]
fn half_arc<D: Double>(magnitude: D) -> (D::Truth, D) {
    // asin(x) = π/2 - 2 asin(sqrt((1 - x) / 2)); above 1 the root is NaN.
    let halved = magnitude.above(magnitude.constant(0.5));
    let near_one = (magnitude.constant(1.0) - magnitude) * 0.5;
    let square = D::pick(halved, near_one, magnitude * magnitude);
    let sine = D::pick(halved, square.sqrt(), magnitude);
    (halved, sine + sine * (square * polynomial(&ASIN, square)))
}

#[inline(always)]
pub(super) fn asin<D: Double>(x: D) -> D {
    let (halved, arc) = half_arc(x.abs());
    let turns = D::pick(halved, x.constant(2.0), x.constant(0.0));
    eighths(turns, D::pick(halved, arc * -2.0, arc)).copysign(x)
}

#[inline(always)]
pub(super) fn acos<D: Double>(x: D) -> D {
    let [zero, two, four] = [0.0, 2.0, 4.0].map(|it| x.constant(it));
    let (halved, arc) = half_arc(x.abs());
    let negative = zero.above(x);
    let turns = D::pick(halved, D::pick(negative, four, zero), two);
    let rest = D::pick(halved, arc * 2.0, -arc);
    eighths(turns, D::pick(negative, -rest, rest))
}

/// (asin(x) - x) / x³ as a polynomial in x², for x in 0..1/2.
const ASIN: [f64; 13] = [
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
pub(super) fn exp<D: Double>(x: D) -> D {
    // Beyond these, the result is infinite or zero even as f32.
    let x = bound(x, 120.0);
    let shifted = x * LOG2_E + TO_INTEGER;
    let power = shifted - TO_INTEGER;
    exp_times_power((x - power * LN_2_HIGH) - power * LN_2_LOW, shifted)
}

/// 2^(x + low) for f64, with a tiny `low`.
#[inline(always)]
pub(super) fn exp2<D: Double>(x: D, low: D) -> D {
    let x = bound(x, 160.0);
    let shifted = x + TO_INTEGER;
    exp_times_power((x - (shifted - TO_INTEGER) + low) * LN_2, shifted)
}

/// e^x · 2^n for x in -ln(2)/2..ln(2)/2, with n in the low bits of `shifted`.
#[inline(always)]
fn exp_times_power<D: Double>(x: D, shifted: D) -> D {
    let exponent = shifted.bits();
    let power = shifted_left(exponent.plus(exponent.constant(1023)), 52).double();
    (x.constant(1.0) + (x + x * (x * polynomial(&EXP, x)))) * power
}

/// ln(2) as a sum; the first term has 42 bits.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fefa_3800);
const LN_2_LOW: f64 = f64::from_bits(0x3d2e_f357_93c7_6730);

/// (e^x - 1 - x) / x², for x in -ln(2)/2..ln(2)/2.
const EXP: [f64; 11] = [
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
pub(super) fn sinh<D: Double>(x: D) -> D {
    let (magnitude, one) = (x.abs(), x.constant(1.0));
    let power = exp(magnitude);
    let far = (power - one / power) * 0.5;
    flip(D::pick(one.above(magnitude), sinh_near_zero(magnitude), far), sign_of(x))
}

#[inline(always)]
pub(super) fn cosh<D: Double>(x: D) -> D {
    let (magnitude, one) = (x.abs(), x.constant(1.0));
    let power = exp(magnitude);
    let far = (power + one / power) * 0.5;
    D::pick(one.above(magnitude), cosh_near_zero(magnitude), far)
}

#[inline(always)]
pub(super) fn tanh<D: Double>(x: D) -> D {
    let (magnitude, one) = (x.abs(), x.constant(1.0));
    let near = one.above(magnitude);
    let power = exp(magnitude * 2.0);
    let rise = D::pick(near, sinh_near_zero(magnitude), power - one);
    let run = D::pick(near, cosh_near_zero(magnitude), power + one);
    flip(rise / run, sign_of(x))
}

#[inline(always)]
fn sinh_near_zero<D: Double>(x: D) -> D {
    let square = x * x;
    x + x * (square * polynomial(&SINH, square))
}

#[inline(always)]
fn cosh_near_zero<D: Double>(x: D) -> D {
    let square = x * x;
    let rest = square * (square * polynomial(&COSH, square));
    x.constant(1.0) + (square * 0.5 + rest)
}

/// (sinh(x) - x) / x³ as a polynomial in x², for x in 0..1.
const SINH: [f64; 9] = [
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

/// (cosh(x) - 1 - x²/2) / x⁴ as a polynomial in x², for x in 0..1.
const COSH: [f64; 8] = [
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
pub(super) fn log<D: Double>(x: D) -> D {
    let parts = Parts::of(x);
    let log = parts.power * LN_2_HIGH + (parts.power * LN_2_LOW + parts.half_log() * 2.0);
    log_corners(x, log)
}

#[inline(always)]
pub(super) fn log2<D: Double>(x: D) -> D {
    let parts = Parts::of(x);
    log_corners(x, parts.power + parts.half_log() * (2.0 * LOG2_E))
}

#[inline(always)]
pub(super) fn log10<D: Double>(x: D) -> D {
    // log10(2) as a sum; the first term has 42 bits.
    const HIGH: f64 = f64::from_bits(0x3fd3_4413_509f_7800);
    const LOW: f64 = f64::from_bits(0x3d1f_ef31_1f12_b358);
    let parts = Parts::of(x);
    let log = parts.power * HIGH + (parts.power * LOW + parts.half_log() * (2.0 * LOG10_E));
    log_corners(x, log)
}

/// The special cases that all logarithms share.
#[inline(always)]
fn log_corners<D: Double>(x: D, log: D) -> D {
    let [zero, infinity, least, nan] =
        [0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(|it| x.constant(it));
    let log = D::pick(x.equals(infinity), infinity, log);
    let log = D::pick(x.equals(zero), least, log);
    D::pick(x.at_least(zero), log, nan)
}

/// A positive number as 2^power · fraction, the fraction between √½ and √2.
struct Parts<D> {
    power: D,
    fraction: D,
}

impl<D: Double> Parts<D> {
    #[inline(always)]
    fn of(x: D) -> Parts<D> {
        // No f32 is denormal as an f64. Any other split near √½ would do.
        let bits = x.bits();
        let power = bits.minus(bits.constant(0x3fe6_a09e_667f_3bcd)).right_signed(52);
        let fraction = bits.minus(shifted_left(power, 52)).double();
        Parts { power: power.small(), fraction }
    }

    /// Half the natural logarithm of the fraction: ln(f) = 2 atanh((f - 1) / (f + 1)).
    #[inline(always)]
    fn half_log(&self) -> D {
        let slope = (self.fraction - 1.0) / (self.fraction + 1.0);
        slope + atanh_above(slope)
    }
}

/// atanh(x) - x.
#[inline(always)]
fn atanh_above<D: Double>(x: D) -> D {
    let square = x * x;
    x * (square * polynomial(&ATANH, square))
}

/// (atanh(x) - x) / x³ as a polynomial in x², for x in 0..3 - √8.
const ATANH: [f64; 8] = [
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
pub(super) fn pow<D: Double>(x: D, y: D) -> D {
    let (high, low) = log2_double(x);
    // 24 bits by 29: exact.
    let exponent = y * high;
    // If the result is infinite or zero, the low part may be anything: 0 · INF, or huge.
    let is_small = x.constant(160.0).above(exponent.abs());
    let low = D::pick(is_small, y * low, x.constant(0.0));
    snap(exp2(exponent, low))
}

/// The logarithm to base 2 with about 60 bits, in two parts, the first with 29 bits.
#[inline(always)]
fn log2_double<D: Double>(x: D) -> (D, D) {
    // 2 / ln(2) as a sum; the first term has 25 bits.
    const HIGH: f64 = f64::from_bits(0x4007_1547_6000_0000);
    const LOW: f64 = f64::from_bits(0x3e64_ae0b_f85d_df44);
    let Parts { power, fraction } = Parts::of(x);

    // The slope of `Parts::half_log` in two parts: with 28 bits in the first, its product with the 25 bits of the
    // denominator is exact, and so is the remaining dividend.
    let (rise, run) = (fraction - 1.0, fraction + 1.0);
    let inverse = x.constant(1.0) / run;
    let slope = rise * inverse;
    let slope_high = clear_low(slope, 25);
    let slope_low = (rise - slope_high * run) * inverse;

    let straight = slope_high * HIGH;
    let bent = slope_high * LOW + (slope_low + atanh_above(slope)) * (2.0 * LOG2_E);
    let sum = power + straight;
    let rest = (straight - (sum - power)) + bent;
    let high = clear_low(sum + rest, 24);
    let low = (sum - high) + rest;
    (log_corners(x, high), low)
}

#[inline(always)]
fn clear_low<D: Double>(x: D, bits: u32) -> D {
    (x.bits() & (u64::MAX << bits)).double()
}

/// Drops three bits, rounding to nearest. Nearly all results that end within their error of halfway between two f32
/// (all but one in millions) are exactly halfway: rational powers that are rational.
#[inline(always)]
fn snap<D: Double>(x: D) -> D {
    let bits = x.bits();
    clear_low(bits.plus(bits.constant(4)).double(), 3)
}

#[inline(always)]
pub(super) fn rsqrt<D: Double>(x: D) -> D {
    x.constant(1.0) / x.sqrt()
}
