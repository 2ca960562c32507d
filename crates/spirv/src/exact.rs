//! Float arithmetic whose bits are those of the reference engine, on devices that have 64-bit floats and integers.
//!
//! What a device rounds as it likes is computed as `ops::math` computes it: in f64, by the same polynomials in the same
//! order, with one rounding at the end. Only additions, multiplications, divisions, roots, comparisons and conversions of
//! f64 are taken from the device, and integers; a NaN that arithmetic makes becomes the canonical one.
//! Halves are added and multiplied as they are; the rest is done in singles and rounded once more, which is innocuous for
//! one operation.
//!
//! Not here: division and roots of f64, and `fma` of f64, which are the device's.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E, LOG10_E, SQRT_2};

use ops::{Binary, Ty, Unary, math};

use crate::emit::Emitter;
use crate::module::{Id, push};
use crate::opcode as op;
use crate::scalar::bits_of;

/// In how many steps a remainder of f32 is taken, each of so many binary digits.
const STEPS: u32 = 11;
const DIGITS: u64 = 26;

impl Emitter<'_> {
    /// Whether results are to be those of the reference engine.
    pub(crate) fn is_exact(&self) -> bool {
        self.environment.exact
    }

    /// The canonical NaN for any NaN.
    pub(crate) fn canonical(&mut self, ty: Ty, value: Id) -> Id {
        if !self.is_exact() {
            return value;
        }
        let nan = match ty {
            Ty::F16 => 0x7e00,
            Ty::F64 => 0x7ff8_0000_0000_0000,
            Ty::F32 | Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => 0x7fc0_0000,
        };
        let is_nan = self.magnitude(op::U_GREATER_THAN, ty, value);
        // Chosen by bits, because a driver may take any NaN for any other.
        let int = bits_of(ty);
        let (bits, nan) = (self.bitcast(value, ty, int), self.out.constant(int, nan));
        let chosen = self.choose(int, is_nan, nan, bits);
        self.bitcast(chosen, int, ty)
    }

    /// An exact form of an operation on one float, where the device's own is not enough.
    pub(crate) fn exact_unary(&mut self, operation: Unary, ty: Ty, a: Id) -> Option<Id> {
        let rounds = matches!(
            operation,
            Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Round | Unary::Sqrt | Unary::Rsqrt
        );
        if !self.is_exact() || !ty.is_float() {
            return None;
        }
        if ty == Ty::F16 && rounds {
            let wide = self.float(a, Ty::F16, Ty::F32);
            let result = self.unary(operation, Ty::F32, wide);
            let result = self.float(result, Ty::F32, Ty::F16);
            return Some(self.canonical(Ty::F16, result));
        }
        if ty == Ty::F64 && rounds {
            return None;
        }
        let single = |it: &mut Self| if ty == Ty::F32 { a } else { it.float(a, ty, Ty::F32) };
        let x = match operation {
            Unary::Sin
            | Unary::Cos
            | Unary::Tan
            | Unary::Asin
            | Unary::Acos
            | Unary::Atan
            | Unary::Sinh
            | Unary::Cosh
            | Unary::Tanh
            | Unary::Exp
            | Unary::Exp2
            | Unary::Log
            | Unary::Log2
            | Unary::Log10
            | Unary::Sqrt
            | Unary::Rsqrt => {
                let x = single(self);
                self.float(x, Ty::F32, Ty::F64)
            }
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
        };
        let one = self.num(1.0);
        let wide = match operation {
            Unary::Sin => self.sin_wide(x),
            Unary::Cos => self.cos_wide(x),
            Unary::Tan => self.tan_wide(x),
            Unary::Asin => self.asin_wide(x),
            Unary::Acos => self.acos_wide(x),
            Unary::Atan => self.angle(x, one),
            Unary::Sinh => self.sinh_wide(x),
            Unary::Cosh => self.cosh_wide(x),
            Unary::Tanh => self.tanh_wide(x),
            Unary::Exp => self.exp_wide(x),
            Unary::Exp2 => {
                let zero = self.num(0.0);
                self.exp2_wide(x, zero)
            }
            Unary::Log => self.log_wide(x),
            Unary::Log2 => self.log2_wide(x),
            Unary::Log10 => self.log10_wide(x),
            Unary::Sqrt => self.root(x),
            _ => {
                let root = self.root(x);
                self.div(one, root)
            }
        };
        Some(self.narrow(wide, ty))
    }

    /// The same for two floats.
    pub(crate) fn exact_binary(&mut self, operation: Binary, ty: Ty, a: Id, b: Id) -> Option<Id> {
        if !self.is_exact() || !ty.is_float() {
            return None;
        }
        let rounds_twice = matches!(operation, Binary::Div(_) | Binary::Rem(_));
        if ty == Ty::F16 && rounds_twice {
            let [x, y] = [a, b].map(|it| self.float(it, Ty::F16, Ty::F32));
            let result = self.binary(operation, Ty::F32, x, y, None);
            let result = self.float(result, Ty::F32, Ty::F16);
            return Some(self.canonical(Ty::F16, result));
        }
        let wide = |it: &mut Self, value| {
            let single = it.float(value, ty, Ty::F32);
            it.float(single, Ty::F32, Ty::F64)
        };
        let result = match operation {
            Binary::Div(_) if ty == Ty::F32 => {
                let (x, y) = (wide(self, a), wide(self, b));
                self.div(x, y)
            }
            Binary::Rem(_) if ty == Ty::F32 => {
                let (x, y) = (wide(self, a), wide(self, b));
                self.remainder(x, y)
            }
            Binary::Atan2 => {
                let (y, x) = (wide(self, a), wide(self, b));
                self.angle(y, x)
            }
            Binary::Pow => {
                let (x, y) = (wide(self, a), wide(self, b));
                self.pow_wide(x, y)
            }
            Binary::Add
            | Binary::Sub
            | Binary::Mul
            | Binary::Div(_)
            | Binary::Rem(_)
            | Binary::And
            | Binary::Or
            | Binary::Xor
            | Binary::Shl
            | Binary::Shr(_)
            | Binary::Min(_)
            | Binary::Max(_) => return None,
        };
        Some(self.narrow(result, ty))
    }

    /// `a * b + c`, rounded once.
    pub(crate) fn exact_fma(&mut self, ty: Ty, [a, b, c]: [Id; 3]) -> Option<Id> {
        if !self.is_exact() || ty == Ty::F64 {
            return None;
        }
        let [a, b, c] = [a, b, c].map(|it| {
            let single = self.float(it, ty, Ty::F32);
            self.float(single, Ty::F32, Ty::F64)
        });
        // Products of two singles fit. What the sum loses goes into its last bit: rounding to odd, after which another
        // rounding to fewer digits is as if it were the only one.
        let product = self.mul(a, b);
        let sum = self.add(product, c);
        let back = self.sub(sum, product);
        let rest = self.sub(sum, back);
        let (first, second) = (self.sub(product, rest), self.sub(c, back));
        let lost = self.add(first, second);
        let zero = self.num(0.0);
        let is_lossy = self.test(op::F_UNORD_NOT_EQUAL, lost, zero);
        let bits = self.bits(sum);
        let one = self.long(1);
        let odd = self.int(op::BITWISE_AND, bits, one);
        let zero_bits = self.long(0);
        let is_even = self.test(op::I_EQUAL, odd, zero_bits);
        let moves = self.test(op::LOGICAL_AND, is_lossy, is_even);
        // Away from zero where what was lost has the sign of the sum, toward zero elsewhere.
        let lost_bits = self.bits(lost);
        let differ = self.int(op::BITWISE_XOR, bits, lost_bits);
        let toward = self.test(op::S_LESS_THAN, differ, zero_bits);
        let (up, down) = (self.int(op::I_ADD, bits, one), self.int(op::I_SUB, bits, one));
        let moved = self.choose(Ty::I64, toward, down, up);
        let mut odd_bits = self.choose(Ty::I64, moves, moved, bits);
        if ty == Ty::F16 {
            let mask = self.long((1 << 29) - 1);
            let low = self.int(op::BITWISE_AND, odd_bits, mask);
            let has_low = self.test(op::I_NOT_EQUAL, low, zero_bits);
            let kept = self.long(!((1 << 29) - 1));
            let high = self.int(op::BITWISE_AND, odd_bits, kept);
            let last = self.long(1 << 29);
            let marked = self.int(op::BITWISE_OR, high, last);
            let rounded = self.choose(Ty::I64, has_low, marked, high);
            // An infinity or a NaN has nothing to round.
            let finite = self.magnitude(op::U_LESS_THAN, Ty::F64, sum);
            odd_bits = self.choose(Ty::I64, finite, rounded, odd_bits);
        }
        let finite = self.magnitude(op::U_LESS_THAN, Ty::F64, sum);
        let odd_bits = self.choose(Ty::I64, finite, odd_bits, bits);
        let result = self.double(odd_bits);
        Some(self.narrow(result, ty))
    }

    // Numbers of f64 and their bits.

    fn num(&mut self, value: f64) -> Id {
        self.out.constant(Ty::F64, value.to_bits())
    }

    fn long(&mut self, value: u64) -> Id {
        self.out.constant(Ty::I64, value)
    }

    fn add(&mut self, a: Id, b: Id) -> Id {
        self.exact(op::F_ADD, Ty::F64, &[a, b])
    }

    fn sub(&mut self, a: Id, b: Id) -> Id {
        self.exact(op::F_SUB, Ty::F64, &[a, b])
    }

    fn mul(&mut self, a: Id, b: Id) -> Id {
        self.exact(op::F_MUL, Ty::F64, &[a, b])
    }

    fn div(&mut self, a: Id, b: Id) -> Id {
        self.exact(op::F_DIV, Ty::F64, &[a, b])
    }

    fn times(&mut self, a: f64, b: Id) -> Id {
        let a = self.num(a);
        self.mul(a, b)
    }

    fn root(&mut self, a: Id) -> Id {
        let double = self.out.ty(Ty::F64);
        self.glsl(op::GLSL_SQRT, double, &[a])
    }

    fn bits(&mut self, a: Id) -> Id {
        self.bitcast(a, Ty::F64, Ty::I64)
    }

    fn double(&mut self, bits: Id) -> Id {
        self.bitcast(bits, Ty::I64, Ty::F64)
    }

    fn int(&mut self, opcode: op::Opcode, a: Id, b: Id) -> Id {
        let long = self.out.ty(Ty::I64);
        self.op(opcode, long, &[a, b])
    }

    fn shift(&mut self, opcode: op::Opcode, a: Id, by: u64) -> Id {
        let by = self.long(by);
        self.int(opcode, a, by)
    }

    fn pick(&mut self, cond: Id, yes: Id, no: Id) -> Id {
        self.choose(Ty::F64, cond, yes, no)
    }

    fn above(&mut self, a: Id, b: Id) -> Id {
        self.test(op::F_ORD_GREATER_THAN, a, b)
    }

    fn negated(&mut self, a: Id) -> Id {
        let (bits, sign) = (self.bits(a), self.long(1 << 63));
        let flipped = self.int(op::BITWISE_XOR, bits, sign);
        self.double(flipped)
    }

    fn size_of(&mut self, a: Id) -> Id {
        let (bits, mask) = (self.bits(a), self.long(u64::MAX >> 1));
        let positive = self.int(op::BITWISE_AND, bits, mask);
        self.double(positive)
    }

    fn sign_bit(&mut self, a: Id) -> Id {
        let bits = self.bits(a);
        self.shift(op::SHIFT_RIGHT_LOGICAL, bits, 63)
    }

    /// `a` with its sign replaced by that of `b`.
    fn signed_as(&mut self, a: Id, b: Id) -> Id {
        let a = self.size_of(a);
        let (a, b) = (self.bits(a), self.bits(b));
        let mask = self.long(1 << 63);
        let sign = self.int(op::BITWISE_AND, b, mask);
        let both = self.int(op::BITWISE_OR, a, sign);
        self.double(both)
    }

    /// `math::flip`.
    fn flip(&mut self, a: Id, times: Id) -> Id {
        let bits = self.bits(a);
        let sign = self.shift(op::SHIFT_LEFT_LOGICAL, times, 63);
        let flipped = self.int(op::BITWISE_XOR, bits, sign);
        self.double(flipped)
    }

    /// The one rounding.
    fn narrow(&mut self, wide: Id, ty: Ty) -> Id {
        let single = self.float(wide, Ty::F64, Ty::F32);
        // A NaN is found where its bits are still those of the sum.
        let is_nan = self.magnitude(op::U_GREATER_THAN, Ty::F64, wide);
        let (bits, nan) =
            (self.bitcast(single, Ty::F32, Ty::I32), self.out.constant(Ty::I32, 0x7fc0_0000));
        let chosen = self.choose(Ty::I32, is_nan, nan, bits);
        let single = self.bitcast(chosen, Ty::I32, Ty::F32);
        if ty == Ty::F32 {
            return single;
        }
        let half = self.float(single, Ty::F32, ty);
        self.canonical(ty, half)
    }

    fn polynomial(&mut self, coefficients: &[f64], x: Id) -> Id {
        let mut rest = coefficients.iter().rev();
        let mut sum = self.num(rest.next().copied().unwrap_or(0.0));
        for coefficient in rest {
            let coefficient = self.num(*coefficient);
            let product = self.mul(sum, x);
            sum = self.add(product, coefficient);
        }
        sum
    }

    /// `x + x * (x² * p(x²))`, or with a minus between, as several series have it.
    fn odd_series(&mut self, coefficients: &[f64], x: Id) -> Id {
        let square = self.mul(x, x);
        let rest = self.polynomial(coefficients, square);
        let rest = self.mul(square, rest);
        let rest = self.mul(x, rest);
        self.add(x, rest)
    }

    fn bound(&mut self, x: Id, limit: f64) -> Id {
        let (high, low) = (self.num(limit), self.num(-limit));
        let is_high = self.above(x, high);
        let x = self.pick(is_high, high, x);
        let is_low = self.above(low, x);
        self.pick(is_low, low, x)
    }

    // Angles.

    fn sin_near_zero(&mut self, x: Id) -> Id {
        self.odd_series(&math::SIN, x)
    }

    fn cos_near_zero(&mut self, x: Id) -> Id {
        let square = self.mul(x, x);
        let rest = self.polynomial(&math::COS, square);
        let rest = self.mul(square, rest);
        let rest = self.mul(square, rest);
        let half = self.times(0.5, square);
        let down = self.sub(half, rest);
        let one = self.num(1.0);
        self.sub(one, down)
    }

    /// `math::Reduced`: the quadrant and the rest.
    fn reduced(&mut self, magnitude: Id) -> (Id, Id) {
        let to_integer = self.num(math::TO_INTEGER);
        let scaled = self.times(FRAC_2_PI, magnitude);
        let shifted = self.add(scaled, to_integer);
        let turns = self.sub(shifted, to_integer);
        let [part0, part1, part2] = math::QUARTER_TURN;
        let product = self.times(part0, turns);
        let first = self.sub(magnitude, product);
        let product = self.times(part1, turns);
        let second = self.sub(first, product);
        let lost = self.sub(first, second);
        let lost = self.sub(lost, product);
        let product = self.times(part2, turns);
        let tail = self.sub(lost, product);
        let rest = self.add(second, tail);
        let quadrant = self.bits(shifted);
        let limit = self.num(math::LARGE);
        let is_large = self.test(op::F_ORD_GREATER_THAN_EQUAL, magnitude, limit);
        let [long, double] = [Ty::I64, Ty::F64].map(|it| self.out.ty(it));
        let [far_quadrant, far_rest] = self.guarded(Some(is_large), |it| {
            let (quadrant, rest) = it.reduced_far(magnitude);
            [(long, quadrant), (double, rest)]
        });
        (
            self.choose(Ty::I64, is_large, far_quadrant, quadrant),
            self.pick(is_large, far_rest, rest),
        )
    }

    /// `math::Reduced::of_large`, in pieces of 64 bits.
    fn reduced_far(&mut self, magnitude: Id) -> (Id, Id) {
        use op::{
            BITWISE_AND, BITWISE_OR, SHIFT_LEFT_LOGICAL as LEFT, SHIFT_RIGHT_LOGICAL as RIGHT,
        };
        let bits = self.bits(magnitude);
        let significand = self.shift(RIGHT, bits, 29);
        let mask = self.long(0x7f_ffff);
        let significand = self.int(BITWISE_AND, significand, mask);
        let leading = self.long(0x80_0000);
        let significand = self.int(BITWISE_OR, significand, leading);
        let exponent = self.shift(RIGHT, bits, 52);
        let most = self.long(1023 + 127);
        let is_beyond = self.test(op::U_GREATER_THAN, exponent, most);
        let exponent = self.choose(Ty::I64, is_beyond, most, exponent);
        let offset = self.long(1023 + 23 + 2 - 64);
        let start = self.int(op::I_SUB, exponent, offset);
        let word = self.shift(RIGHT, start, 6);
        let mask = self.long(63);
        let bit = self.int(BITWISE_AND, start, mask);
        let [zero, one] = [0, 1].map(|it| self.long(it));
        let (is_first, is_second) =
            (self.test(op::I_EQUAL, word, zero), self.test(op::I_EQUAL, word, one));
        let words = [0, 1, 2].map(|at| {
            let [a, b, c] = [0, 1, 2].map(|it| self.long(math::TWO_OVER_PI[at + it]));
            let later = self.choose(Ty::I64, is_second, b, c);
            self.choose(Ty::I64, is_first, a, later)
        });
        let left = self.int(op::I_SUB, mask, bit);
        let [high, low] = [0, 1].map(|at| {
            let upper = self.int(LEFT, words[at], bit);
            let lower = self.shift(RIGHT, words[at + 1], 1);
            let lower = self.int(RIGHT, lower, left);
            self.int(BITWISE_OR, upper, lower)
        });
        // 128 bits by 24, modulo 2^128.
        let half = self.long(0xffff_ffff);
        let low_half = self.int(BITWISE_AND, low, half);
        let high_half = self.shift(RIGHT, low, 32);
        let lower = self.int(op::I_MUL, low_half, significand);
        let carry = self.shift(RIGHT, lower, 32);
        let upper = self.int(op::I_MUL, high_half, significand);
        let upper = self.int(op::I_ADD, upper, carry);
        let lower = self.int(BITWISE_AND, lower, half);
        let shifted = self.shift(LEFT, upper, 32);
        let turns_low = self.int(BITWISE_OR, shifted, lower);
        let carry = self.shift(RIGHT, upper, 32);
        let turns_high = self.int(op::I_MUL, high, significand);
        let turns_high = self.int(op::I_ADD, turns_high, carry);
        let rounding = self.long(1 << 61);
        let rounded = self.int(op::I_ADD, turns_high, rounding);
        let quadrant = self.shift(RIGHT, rounded, 62);
        let whole = self.shift(LEFT, quadrant, 62);
        let rest_high = self.int(op::I_SUB, turns_high, whole);
        // The magnitude of the rest, of which no more than 33 leading bits are zeros.
        let negative = self.test(op::S_LESS_THAN, rest_high, zero);
        let low_negated = self.int(op::I_SUB, zero, turns_low);
        let borrow = self.test(op::I_NOT_EQUAL, turns_low, zero);
        let borrow = self.choose(Ty::I64, borrow, one, zero);
        let high_negated = self.int(op::I_SUB, zero, rest_high);
        let high_negated = self.int(op::I_SUB, high_negated, borrow);
        let high = self.choose(Ty::I64, negative, high_negated, rest_high);
        let low = self.choose(Ty::I64, negative, low_negated, turns_low);
        let top = self.first_bit(op::GLSL_FIND_UMSB, Ty::I64, high);
        let long = self.out.ty(Ty::I64);
        let top = self.op(op::U_CONVERT, long, &[top]);
        let empty = self.int(op::I_SUB, mask, top);
        let empty = self.int(BITWISE_AND, empty, mask);
        let upper = self.int(LEFT, high, empty);
        let filled = self.int(op::I_SUB, mask, empty);
        let lower = self.shift(RIGHT, low, 1);
        let lower = self.int(RIGHT, lower, filled);
        let digits = self.int(BITWISE_OR, upper, lower);
        let dropped = self.int(LEFT, low, empty);
        let sticky = self.test(op::I_NOT_EQUAL, dropped, zero);
        let sticky = self.choose(Ty::I64, sticky, one, zero);
        let digits = self.int(BITWISE_OR, digits, sticky);
        let double = self.out.ty(Ty::F64);
        let value = self.op(op::CONVERT_U_TO_F, double, &[digits]);
        let bias = self.long(1023 + 64);
        let power = self.int(op::I_SUB, bias, empty);
        let power = self.shift(LEFT, power, 52);
        let power = self.double(power);
        let value = self.mul(value, power);
        let value = self.times(f64::from_bits(FRAC_PI_2.to_bits() - (126 << 52)), value);
        let other = self.negated(value);
        let rest = self.pick(negative, other, value);
        let finite = self.magnitude(op::U_LESS_THAN, Ty::F64, magnitude);
        let nan = self.num(f64::NAN);
        (quadrant, self.pick(finite, rest, nan))
    }

    fn is_odd(&mut self, quadrant: Id) -> Id {
        let (one, zero) = (self.long(1), self.long(0));
        let last = self.int(op::BITWISE_AND, quadrant, one);
        self.test(op::I_NOT_EQUAL, last, zero)
    }

    fn sine(&mut self, quadrant: Id, rest: Id) -> Id {
        let odd = self.is_odd(quadrant);
        let (sin, cos) = (self.sin_near_zero(rest), self.cos_near_zero(rest));
        self.pick(odd, cos, sin)
    }

    fn sin_wide(&mut self, x: Id) -> Id {
        let magnitude = self.size_of(x);
        let (quadrant, rest) = self.reduced(magnitude);
        let sine = self.sine(quadrant, rest);
        let half = self.shift(op::SHIFT_RIGHT_LOGICAL, quadrant, 1);
        let sign = self.sign_bit(x);
        let times = self.int(op::BITWISE_XOR, half, sign);
        self.flip(sine, times)
    }

    fn cos_wide(&mut self, x: Id) -> Id {
        let magnitude = self.size_of(x);
        let (quadrant, rest) = self.reduced(magnitude);
        let one = self.long(1);
        let quadrant = self.int(op::I_ADD, quadrant, one);
        let sine = self.sine(quadrant, rest);
        let half = self.shift(op::SHIFT_RIGHT_LOGICAL, quadrant, 1);
        self.flip(sine, half)
    }

    fn tan_wide(&mut self, x: Id) -> Id {
        let magnitude = self.size_of(x);
        let (quadrant, rest) = self.reduced(magnitude);
        let (sin, cos) = (self.sin_near_zero(rest), self.cos_near_zero(rest));
        let odd = self.is_odd(quadrant);
        let (rise, run) = (self.pick(odd, cos, sin), self.pick(odd, sin, cos));
        let quotient = self.div(rise, run);
        let sign = self.sign_bit(x);
        let times = self.int(op::BITWISE_XOR, quadrant, sign);
        self.flip(quotient, times)
    }

    fn eighths(&mut self, turns: Id, plus: Id) -> Id {
        let low = self.times(f64::from_bits(0x3c81_a626_3314_5c07), turns);
        let low = self.add(low, plus);
        let high = self.times(f64::from_bits(0x3fe9_21fb_5444_2d18), turns);
        self.add(high, low)
    }

    fn angle(&mut self, y: Id, x: Id) -> Id {
        let (height, width) = (self.size_of(y), self.size_of(x));
        let [zero, one, two, four] = [0.0, 1.0, 2.0, 4.0].map(|it| self.num(it));
        let [tall, wide] = [height, width].map(|it| self.magnitude(op::I_EQUAL, Ty::F64, it));
        let corner = self.test(op::LOGICAL_AND, tall, wide);
        let (height, width) = (self.pick(corner, one, height), self.pick(corner, one, width));
        let steep = self.above(height, width);
        let (short, long) = (self.pick(steep, width, height), self.pick(steep, height, width));
        let limit = self.times(SQRT_2 - 1.0, long);
        let diagonal = self.above(short, limit);
        let (minus, plus) = (self.sub(short, long), self.add(short, long));
        let (across, along) = (self.pick(diagonal, minus, short), self.pick(diagonal, plus, long));
        let at_origin = self.test(op::F_ORD_EQUAL, along, zero);
        let along = self.pick(at_origin, one, along);
        let tangent = self.div(across, along);
        let rest = self.odd_series(&math::ATAN, tangent);
        let turns = self.pick(diagonal, one, zero);
        let (turned, back) = (self.sub(two, turns), self.negated(rest));
        let (turns, rest) = (self.pick(steep, turned, turns), self.pick(steep, back, rest));
        let (turned, back) = (self.sub(four, turns), self.negated(rest));
        let (sign, none) = (self.sign_bit(x), self.long(0));
        let behind = self.test(op::I_NOT_EQUAL, sign, none);
        let (turns, rest) = (self.pick(behind, turned, turns), self.pick(behind, back, rest));
        let angle = self.eighths(turns, rest);
        self.signed_as(angle, y)
    }

    /// `math::half_arc`.
    fn half_arc(&mut self, magnitude: Id) -> (Id, Id) {
        let (half, one) = (self.num(0.5), self.num(1.0));
        let halved = self.above(magnitude, half);
        let rest = self.sub(one, magnitude);
        let (near_one, near_zero) = (self.mul(rest, half), self.mul(magnitude, magnitude));
        let square = self.pick(halved, near_one, near_zero);
        let root = self.root(square);
        let sine = self.pick(halved, root, magnitude);
        let more = self.polynomial(&math::ASIN, square);
        let more = self.mul(square, more);
        let more = self.mul(sine, more);
        (halved, self.add(sine, more))
    }

    fn asin_wide(&mut self, x: Id) -> Id {
        let magnitude = self.size_of(x);
        let (halved, arc) = self.half_arc(magnitude);
        let [zero, two] = [0.0, 2.0].map(|it| self.num(it));
        let twice = self.times(-2.0, arc);
        let (turns, rest) = (self.pick(halved, two, zero), self.pick(halved, twice, arc));
        let angle = self.eighths(turns, rest);
        self.signed_as(angle, x)
    }

    fn acos_wide(&mut self, x: Id) -> Id {
        let magnitude = self.size_of(x);
        let (halved, arc) = self.half_arc(magnitude);
        let [zero, two, four] = [0.0, 2.0, 4.0].map(|it| self.num(it));
        let negative = self.test(op::F_ORD_LESS_THAN, x, zero);
        let end = self.pick(negative, four, zero);
        let turns = self.pick(halved, end, two);
        let (twice, minus) = (self.times(2.0, arc), self.negated(arc));
        let rest = self.pick(halved, twice, minus);
        let back = self.negated(rest);
        let rest = self.pick(negative, back, rest);
        self.eighths(turns, rest)
    }

    // Powers and logarithms.

    fn exp_wide(&mut self, x: Id) -> Id {
        let x = self.bound(x, 120.0);
        let to_integer = self.num(math::TO_INTEGER);
        let scaled = self.times(LOG2_E, x);
        let shifted = self.add(scaled, to_integer);
        let power = self.sub(shifted, to_integer);
        let high = self.times(math::LN_2_HIGH, power);
        let low = self.times(math::LN_2_LOW, power);
        let rest = self.sub(x, high);
        let rest = self.sub(rest, low);
        self.exp_times_power(rest, shifted)
    }

    fn exp2_wide(&mut self, x: Id, low: Id) -> Id {
        let x = self.bound(x, 160.0);
        let to_integer = self.num(math::TO_INTEGER);
        let shifted = self.add(x, to_integer);
        let whole = self.sub(shifted, to_integer);
        let rest = self.sub(x, whole);
        let rest = self.add(rest, low);
        let rest = self.times(LN_2, rest);
        self.exp_times_power(rest, shifted)
    }

    fn exp_times_power(&mut self, x: Id, shifted: Id) -> Id {
        let (bits, bias) = (self.bits(shifted), self.long(1023));
        let power = self.int(op::I_ADD, bits, bias);
        let power = self.shift(op::SHIFT_LEFT_LOGICAL, power, 52);
        let power = self.double(power);
        let rest = self.polynomial(&math::EXP, x);
        let rest = self.mul(x, rest);
        let rest = self.mul(x, rest);
        let rest = self.add(x, rest);
        let one = self.num(1.0);
        let sum = self.add(one, rest);
        self.mul(sum, power)
    }

    fn sinh_near_zero(&mut self, x: Id) -> Id {
        self.odd_series(&math::SINH, x)
    }

    fn cosh_near_zero(&mut self, x: Id) -> Id {
        let square = self.mul(x, x);
        let rest = self.polynomial(&math::COSH, square);
        let rest = self.mul(square, rest);
        let rest = self.mul(square, rest);
        let half = self.times(0.5, square);
        let rest = self.add(half, rest);
        let one = self.num(1.0);
        self.add(one, rest)
    }

    fn sinh_wide(&mut self, x: Id) -> Id {
        let (magnitude, one) = (self.size_of(x), self.num(1.0));
        let power = self.exp_wide(magnitude);
        let inverse = self.div(one, power);
        let far = self.sub(power, inverse);
        let far = self.times(0.5, far);
        let near = self.sinh_near_zero(magnitude);
        let is_near = self.above(one, magnitude);
        let size = self.pick(is_near, near, far);
        let sign = self.sign_bit(x);
        self.flip(size, sign)
    }

    fn cosh_wide(&mut self, x: Id) -> Id {
        let (magnitude, one) = (self.size_of(x), self.num(1.0));
        let power = self.exp_wide(magnitude);
        let inverse = self.div(one, power);
        let far = self.add(power, inverse);
        let far = self.times(0.5, far);
        let near = self.cosh_near_zero(magnitude);
        let is_near = self.above(one, magnitude);
        self.pick(is_near, near, far)
    }

    fn tanh_wide(&mut self, x: Id) -> Id {
        let (magnitude, one) = (self.size_of(x), self.num(1.0));
        let is_near = self.above(one, magnitude);
        let twice = self.times(2.0, magnitude);
        let power = self.exp_wide(twice);
        let (minus, plus) = (self.sub(power, one), self.add(power, one));
        let (sinh, cosh) = (self.sinh_near_zero(magnitude), self.cosh_near_zero(magnitude));
        let (rise, run) = (self.pick(is_near, sinh, minus), self.pick(is_near, cosh, plus));
        let quotient = self.div(rise, run);
        let sign = self.sign_bit(x);
        self.flip(quotient, sign)
    }

    /// `math::Parts`: the power and the fraction.
    fn parts(&mut self, x: Id) -> (Id, Id) {
        let (bits, middle) = (self.bits(x), self.long(0x3fe6_a09e_667f_3bcd));
        let power = self.int(op::I_SUB, bits, middle);
        let power = self.shift(op::SHIFT_RIGHT_ARITHMETIC, power, 52);
        let scale = self.shift(op::SHIFT_LEFT_LOGICAL, power, 52);
        let fraction = self.int(op::I_SUB, bits, scale);
        let fraction = self.double(fraction);
        let double = self.out.ty(Ty::F64);
        (self.op(op::CONVERT_S_TO_F, double, &[power]), fraction)
    }

    fn half_log(&mut self, fraction: Id) -> Id {
        let one = self.num(1.0);
        let (rise, run) = (self.sub(fraction, one), self.add(fraction, one));
        let slope = self.div(rise, run);
        let rest = self.atanh_above(slope);
        self.add(slope, rest)
    }

    fn atanh_above(&mut self, x: Id) -> Id {
        let square = self.mul(x, x);
        let rest = self.polynomial(&math::ATANH, square);
        let rest = self.mul(square, rest);
        self.mul(x, rest)
    }

    fn log_corners(&mut self, x: Id, log: Id) -> Id {
        let [zero, infinity, least, nan] =
            [0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(|it| self.num(it));
        let is_infinite = self.test(op::F_ORD_EQUAL, x, infinity);
        let log = self.pick(is_infinite, infinity, log);
        let is_zero = self.test(op::F_ORD_EQUAL, x, zero);
        let log = self.pick(is_zero, least, log);
        let is_number = self.test(op::F_ORD_GREATER_THAN_EQUAL, x, zero);
        self.pick(is_number, log, nan)
    }

    fn log_wide(&mut self, x: Id) -> Id {
        let (power, fraction) = self.parts(x);
        let half = self.half_log(fraction);
        let low = self.times(math::LN_2_LOW, power);
        let twice = self.times(2.0, half);
        let low = self.add(low, twice);
        let high = self.times(math::LN_2_HIGH, power);
        let log = self.add(high, low);
        self.log_corners(x, log)
    }

    fn log2_wide(&mut self, x: Id) -> Id {
        let (power, fraction) = self.parts(x);
        let half = self.half_log(fraction);
        let rest = self.times(2.0 * LOG2_E, half);
        let log = self.add(power, rest);
        self.log_corners(x, log)
    }

    fn log10_wide(&mut self, x: Id) -> Id {
        let (power, fraction) = self.parts(x);
        let half = self.half_log(fraction);
        let low = self.times(f64::from_bits(0x3d1f_ef31_1f12_b358), power);
        let rest = self.times(2.0 * LOG10_E, half);
        let low = self.add(low, rest);
        let high = self.times(f64::from_bits(0x3fd3_4413_509f_7800), power);
        let log = self.add(high, low);
        self.log_corners(x, log)
    }

    fn clear_low(&mut self, x: Id, bits: u32) -> Id {
        let (x, mask) = (self.bits(x), self.long(u64::MAX << bits));
        let kept = self.int(op::BITWISE_AND, x, mask);
        self.double(kept)
    }

    fn pow_wide(&mut self, x: Id, y: Id) -> Id {
        let (high, low) = self.log2_double(x);
        let exponent = self.mul(y, high);
        let size = self.size_of(exponent);
        let limit = self.num(160.0);
        let is_small = self.above(limit, size);
        let (low, zero) = (self.mul(y, low), self.num(0.0));
        let low = self.pick(is_small, low, zero);
        let power = self.exp2_wide(exponent, low);
        let (bits, four) = (self.bits(power), self.long(4));
        let rounded = self.int(op::I_ADD, bits, four);
        let rounded = self.double(rounded);
        self.clear_low(rounded, 3)
    }

    /// `math::log2_double`.
    fn log2_double(&mut self, x: Id) -> (Id, Id) {
        let one = self.num(1.0);
        let (power, fraction) = self.parts(x);
        let (rise, run) = (self.sub(fraction, one), self.add(fraction, one));
        let inverse = self.div(one, run);
        let slope = self.mul(rise, inverse);
        let slope_high = self.clear_low(slope, 25);
        let product = self.mul(slope_high, run);
        let left = self.sub(rise, product);
        let slope_low = self.mul(left, inverse);
        let straight = self.times(f64::from_bits(0x4007_1547_6000_0000), slope_high);
        let first = self.times(f64::from_bits(0x3e64_ae0b_f85d_df44), slope_high);
        let above = self.atanh_above(slope);
        let second = self.add(slope_low, above);
        let second = self.times(2.0 * LOG2_E, second);
        let bent = self.add(first, second);
        let sum = self.add(power, straight);
        let rest = self.sub(sum, power);
        let rest = self.sub(straight, rest);
        let rest = self.add(rest, bent);
        let whole = self.add(sum, rest);
        let high = self.clear_low(whole, 24);
        let low = self.sub(sum, high);
        let low = self.add(low, rest);
        (self.log_corners(x, high), low)
    }

    /// What whole multiples of `b` leave of `a`, both singles: digits of the quotient are taken off from the highest on.
    fn remainder(&mut self, a: Id, b: Id) -> Id {
        let (size, step) = (self.size_of(a), self.size_of(b));
        let [header, body, next, merge] = std::array::from_fn(|_| self.out.id());
        let [double, long] = [Ty::F64, Ty::I64].map(|it| self.out.ty(it));
        let (zero, digits) = (self.long(0), self.long(DIGITS));
        let first = self.long(u64::from(STEPS) * DIGITS);
        let before = self.block;
        self.branch(header);
        self.label(header);
        let left = self.phi(long, &[(first, before), (zero, next)]);
        let left_place = self.out.body.len() - 2;
        let rest = self.phi(double, &[(size, before), (size, next)]);
        let rest_place = self.out.body.len() - 2;
        let goes_on = self.test(op::I_NOT_EQUAL, left, zero);
        push(&mut self.out.body, op::LOOP_MERGE, &[merge.0, next.0, 0]);
        self.effect(op::BRANCH_CONDITIONAL, &[goes_on, body, merge]);
        self.label(body);
        let power = self.int(op::I_SUB, left, digits);
        let bias = self.long(1023);
        let scale = self.int(op::I_ADD, power, bias);
        let scale = self.shift(op::SHIFT_LEFT_LOGICAL, scale, 52);
        let scale = self.double(scale);
        let multiple = self.mul(step, scale);
        let quotient = self.div(rest, multiple);
        let quotient = self.glsl(op::GLSL_TRUNC, double, &[quotient]);
        let product = self.mul(quotient, multiple);
        let smaller = self.sub(rest, product);
        // A quotient just below a whole number may have been rounded up to it.
        let nought = self.num(0.0);
        let negative = self.above(nought, smaller);
        let mended = self.add(smaller, multiple);
        let smaller = self.pick(negative, mended, smaller);
        self.branch(next);
        self.label(next);
        self.out.body[left_place] = power.0;
        self.out.body[rest_place] = smaller.0;
        self.branch(header);
        self.label(merge);
        let finite = self.magnitude(op::U_LESS_THAN, Ty::F64, a);
        let divides = self.above(step, nought);
        let defined = self.test(op::LOGICAL_AND, finite, divides);
        let endless = self.magnitude(op::I_EQUAL, Ty::F64, b);
        let rest = self.pick(endless, size, rest);
        let rest = self.signed_as(rest, a);
        let nan = self.num(f64::NAN);
        self.pick(defined, rest, nan)
    }
}

// All digits of a quotient are taken off, and the product of a step with a single is exact.
const _: () = assert!(STEPS as u64 * DIGITS >= 277 && DIGITS + 1 + 24 <= 53);
