//! Corner cases of scalar arithmetic, written out as `ops::scalar` defines them where a device leaves them undefined:
//!
//! | operation | open | here |
//! |---|---|---|
//! | float arithmetic | the bits of a NaN | NaN canonicalisation by comparing bits, if they can be observed |
//! | negation, absolute value | the bits of a NaN | the sign bit is flipped or cleared |
//! | shifts | counts of the width or more | the count is masked |
//! | integer division | by zero, the smallest by -1, remainders of negative numbers | operands are replaced, the remainder is `a - q * b` |
//! | float to integer | out of range, NaN | converted if in range, otherwise saturated, or 0 for NaN |
//! | `min`, `max` | the sign of a zero | zeros are combined bitwise |
//! | tests for NaN, INF | may be optimised away | tests of bits |
//! | bit counting, reversal | defined for 32 bits only | composed of 32-bit parts |
//!
//! See `math.rs` for operations whose rounding a device leaves open, and `shorts.rs` for 16-bit integers as words.

use ir::{Op, Value};
use ops::scalar::Family;
use ops::{Binary, Compare, Sign, Ternary, Ty, Unary};

use crate::target::{Class, Has};
use crate::writer::Writer;

use Sign::{Signed, Unsigned};

impl Writer<'_> {
    /// NaN canonicalisation, if the device's NaN may have other bits.
    pub(crate) fn canonical(&self, ty: Ty, value: Value) -> Value {
        if !self.target.leaves_open(Class::Nan, ty) {
            return value;
        }
        let is_nan = match self.target.has(Class::NanTest, ty) {
            Has::Exact => self.op1(Unary::IsNan, value),
            Has::Partly | Has::Near | Has::No => self.magnitude(Compare::Gt(Unsigned), ty, value),
        };
        // Selected as integers, because a driver may substitute one NaN for another.
        let int = ty.as_int();
        let (bits, nan) = (self.bits(value, ty), self.constant(int, ty.canonical_nan()));
        self.number(self.choose(is_nan, nan, bits), ty)
    }

    /// The bits of a float as an integer.
    pub(crate) fn bits(&self, value: Value, ty: Ty) -> Value {
        self.bitcast(value, ty, ty.as_int())
    }

    /// The float with these bits.
    pub(crate) fn number(&self, bits: Value, ty: Ty) -> Value {
        self.bitcast(bits, ty.as_int(), ty)
    }

    /// Compares the bits without the sign with those of infinity.
    pub(crate) fn magnitude(&self, op: Compare, ty: Ty, a: Value) -> Value {
        let int = ty.as_int();
        let bits = self.bits(a, ty);
        let positive = self.with(Binary::And, bits, int.ones() >> 1);
        self.test(op, positive, self.constant(int, ty.float_bits(f64::INFINITY)))
    }

    pub(crate) fn unary(&self, op: Unary, ty: Ty, a: Value) -> Value {
        if ty == Ty::I16 && self.short_words {
            return self.short_unary(op, a);
        }
        if let Some(exact) = self.exact_unary(op, ty, a) {
            return exact;
        }
        let int = ty.as_int();
        let open = |class| self.target.leaves_open(class, ty);
        match op {
            Unary::Neg if ty.is_float() && open(Class::Sign) => {
                let bits = self.bits(a, ty);
                self.number(self.with(Binary::Xor, bits, (int.ones() >> 1) + 1), ty)
            }
            // Done even if the bits of a NaN do not matter, since it costs the device no more.
            Unary::Abs if ty.is_float() && self.target.has(Class::Sign, ty) != Has::Exact => {
                let bits = self.bits(a, ty);
                self.number(self.with(Binary::And, bits, int.ones() >> 1), ty)
            }
            Unary::Abs if ty.is_int() && open(Class::IntegerAbs) => {
                let negative = self.test(Compare::Lt(Signed), a, self.constant(ty, 0));
                let other = self.op1(Unary::Neg, a);
                self.choose(negative, other, a)
            }
            Unary::Saturate if self.target.has(Class::Sign, ty) != Has::Exact => {
                let (zero, one) = (self.constant(ty, 0), self.constant(ty, ty.float_bits(1.0)));
                let above = self.test(Compare::Gt(Signed), a, zero);
                let low = self.choose(above, a, zero);
                let below = self.test(Compare::Lt(Signed), low, one);
                self.choose(below, low, one)
            }
            Unary::IsNan if open(Class::NanTest) => self.magnitude(Compare::Gt(Unsigned), ty, a),
            Unary::IsInf if open(Class::NanTest) => self.magnitude(Compare::Eq, ty, a),
            Unary::IsFinite if open(Class::NanTest) => self.magnitude(Compare::Lt(Unsigned), ty, a),
            Unary::FirstBitHigh(Signed) if open(Class::SignedBit) => {
                // The highest bit that differs from the sign.
                let sign = self.with(Binary::Shr(Signed), a, u64::from(ty.bits() - 1));
                self.unary(Unary::FirstBitHigh(Unsigned), ty, self.op2(Binary::Xor, a, sign))
            }
            Unary::UnpackHalf => self.canonical(Ty::F32, self.op1(op, a)),
            Unary::PackHalf if self.target.leaves_open(Class::Nan, Ty::F16) => {
                let packed = self.op1(op, a);
                let is_nan = self.magnitude(Compare::Gt(Unsigned), Ty::F32, a);
                self.choose(is_nan, self.word(0x7e00), packed)
            }
            Unary::Bitcast(to) => self.bitcast(a, ty, to),
            Unary::Convert { to, from_sign, to_sign } => {
                self.convert(a, ty, from_sign, to, to_sign)
            }
            _ => match op.facts().family {
                Family::BitCount if open(Class::Bits) => self.bit_operation(op, ty, a),
                Family::Rounding | Family::Root => self.canonical(ty, self.op1(op, a)),
                _ => self.op1(op, a),
            },
        }
    }

    /// Bit operations that devices have for 32 bits only.
    fn bit_operation(&self, op: Unary, ty: Ty, a: Value) -> Value {
        match (op, ty) {
            (Unary::ReverseBits, Ty::I16) => {
                let word = self.converted(a, Unsigned, Ty::I32);
                let reversed = self.op1(op, word);
                let low = self.with(Binary::Shr(Unsigned), reversed, 16);
                self.converted(low, Unsigned, Ty::I16)
            }
            (_, Ty::I16) => self.op1(op, self.converted(a, Unsigned, Ty::I32)),
            _ => {
                let [low, high] = self.halves(a);
                let [of_low, of_high] = [low, high].map(|it| self.op1(op, it));
                let has_high = || self.test(Compare::Ne, high, self.word(0));
                let beyond = || self.with(Binary::Add, of_high, 32);
                match op {
                    Unary::CountBits => self.op2(Binary::Add, of_low, of_high),
                    Unary::ReverseBits => self.joined(of_high, of_low),
                    Unary::FirstBitLow => {
                        let has_low = self.test(Compare::Ne, low, self.word(0));
                        let upper = self.choose(has_high(), beyond(), of_high);
                        self.choose(has_low, of_low, upper)
                    }
                    _ => self.choose(has_high(), beyond(), of_low),
                }
            }
        }
    }

    /// The words of 64 bits, the lower one first.
    fn halves(&self, a: Value) -> [Value; 2] {
        let high = self.with(Binary::Shr(Unsigned), a, 32);
        [a, high].map(|it| self.converted(it, Unsigned, Ty::I32))
    }

    fn joined(&self, low: Value, high: Value) -> Value {
        let [low, high] = [low, high].map(|it| self.converted(it, Unsigned, Ty::I64));
        self.op2(Binary::Or, self.with(Binary::Shl, high, 32), low)
    }

    pub(crate) fn convert(
        &self,
        a: Value,
        from: Ty,
        from_sign: Sign,
        to: Ty,
        to_sign: Sign,
    ) -> Value {
        if from == to {
            return a;
        }
        if from == Ty::I16 && self.short_words {
            let word = if from_sign == Signed { self.signed_word(a) } else { a };
            return self.convert(word, Ty::I32, from_sign, to, to_sign);
        }
        if to == Ty::I16 && self.short_words && !from.is_float() {
            let word = self.convert(a, from, from_sign, Ty::I32, to_sign);
            return self.half_of(word);
        }
        if to == Ty::Bool && self.target.lacks(Class::Truth, from) {
            let zero = self.constant(from, 0);
            return self.test(Compare::Ne, a, zero);
        }
        if from == Ty::Bool && self.target.lacks(Class::Truth, to) {
            let one = if to.is_float() { to.float_bits(1.0) } else { 1 };
            return self.choose(a, self.constant(to, one), self.constant(to, 0));
        }
        let raw = |a| self.op1(Unary::Convert { to, from_sign, to_sign }, a);
        match (from.is_float(), to.is_float()) {
            (true, true) => self.canonical(to, raw(a)),
            (true, false) if self.target.leaves_open(Class::ToInteger, from) => {
                self.truncated(a, from, to, to_sign)
            }
            // Every integer in the range of f16 is exact in f32.
            (false, true) if to == Ty::F16 && self.target.lacks(Class::HalfToInteger, from) => {
                let through = Unary::Convert { to: Ty::F32, from_sign, to_sign };
                let wide = self.op1(through, a);
                self.converted(wide, Signed, to)
            }
            _ => raw(a),
        }
    }

    /// A conversion to an integer, rounded toward zero, saturating; NaN gives 0.
    fn truncated(&self, a: Value, from: Ty, to: Ty, sign: Sign) -> Value {
        // f16 does not reach the limits, and 16 bits are truncated from a word.
        let (a, from) = if from == Ty::F16 && self.target.lacks(Class::HalfToInteger, from) {
            (self.converted(a, Signed, Ty::F32), Ty::F32)
        } else {
            (a, from)
        };
        let wide = if to == Ty::I16 { Ty::I32 } else { to };
        let power = |n: u32| (1u128 << n) as f64;
        let (low, high, least, most) = match sign {
            Signed => {
                let limit = power(to.bits() - 1);
                (-limit, limit, (to.ones() >> 1) + 1, to.ones() >> 1)
            }
            Unsigned => (0.0, power(to.bits()), 0, to.ones()),
        };
        let [low, high] = [low, high].map(|it| self.constant(from, from.float_bits(it)));
        let above = self.test(Compare::Gt(Signed), a, low);
        let below = self.test(Compare::Lt(Signed), a, high);
        let inside = self.both(above, below);
        let safe = self.choose(inside, a, self.constant(from, 0));
        let whole = self.op1(Unary::Convert { to: wide, from_sign: sign, to_sign: sign }, safe);
        let whole = self.convert(whole, wide, sign, to, sign);
        let [least, most] = [least, most].map(|it| self.constant(to, it));
        let is_low = self.test(Compare::Le(Signed), a, low);
        let whole = self.choose(is_low, least, whole);
        let is_high = self.test(Compare::Ge(Signed), a, high);
        self.choose(is_high, most, whole)
    }

    /// `observed` says whether the bits of a NaN result can be observed.
    pub(crate) fn binary(&self, op: Binary, ty: Ty, a: Value, b: Value, observed: bool) -> Value {
        let known = self.known(b);
        if ty == Ty::I16 && self.short_words {
            return self.short_binary(op, a, b);
        }
        if let (Binary::Div(_), Ty::F32, Some(divisor)) = (op, ty, known)
            && let Some(inverse) = ops::scalar::reciprocal_of_power(ty, divisor)
        {
            // Multiplication by the reciprocal of a power of two is exact, and faster everywhere.
            let inverse = self.constant(ty, inverse);
            return self.binary(Binary::Mul, ty, a, inverse, observed);
        }
        if let Some(exact) = self.exact_binary(op, ty, a, b) {
            return exact;
        }
        let open = |class| self.target.leaves_open(class, ty);
        match op {
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div(_) if ty.is_float() => {
                let value = self.op2(op, a, b);
                if observed || ty == Ty::F16 { self.canonical(ty, value) } else { value }
            }
            Binary::Rem(_) if ty.is_float() => self.canonical(ty, self.op2(op, a, b)),
            Binary::Div(sign) if open(Class::IntegerDivision) => self.divide(sign, ty, a, b, false),
            Binary::Rem(sign) if open(Class::IntegerDivision) => self.divide(sign, ty, a, b, true),
            Binary::Shl | Binary::Shr(_) if open(Class::Shift) => {
                let width = u64::from(ty.bits());
                let count = match known.is_some_and(|it| it < width) {
                    true => b,
                    false => self.with(Binary::And, b, width - 1),
                };
                self.op2(op, a, count)
            }
            Binary::Min(_) | Binary::Max(_) if ty.is_float() && open(Class::Extremum) => {
                let merge = if matches!(op, Binary::Min(_)) { Binary::Or } else { Binary::And };
                let found = self.op2(op, a, b);
                let found = self.zeros(merge, ty, a, b, found);
                self.canonical(ty, found)
            }
            _ => self.op2(op, a, b),
        }
    }

    /// The minimum or maximum of equal operands: two zeros are combined bitwise, for the sign.
    fn zeros(&self, merge: Binary, ty: Ty, a: Value, b: Value, otherwise: Value) -> Value {
        let merged = self.op2(merge, self.bits(a, ty), self.bits(b, ty));
        let merged = self.number(merged, ty);
        let equal = self.test(Compare::Eq, a, b);
        self.choose(equal, merged, otherwise)
    }

    /// Division and remainder: division by zero gives all ones; the smallest divided by -1 is itself, with remainder 0.
    fn divide(&self, sign: Sign, ty: Ty, a: Value, b: Value, remainder: bool) -> Value {
        let harmless = self.known(b).is_some_and(|it| it != 0 && it != ty.ones());
        let by_zero = (!harmless).then(|| self.test(Compare::Eq, b, self.constant(ty, 0)));
        let divisor = match by_zero {
            None => b,
            Some(by_zero) => {
                let replaced = match sign {
                    Unsigned => by_zero,
                    Signed => {
                        let smallest = self.constant(ty, (ty.ones() >> 1) + 1);
                        let is_smallest = self.test(Compare::Eq, a, smallest);
                        let minus_one = self.constant(ty, ty.ones());
                        let is_minus_one = self.test(Compare::Eq, b, minus_one);
                        let overflows = self.both(is_smallest, is_minus_one);
                        self.op2(Binary::Or, by_zero, overflows)
                    }
                };
                self.choose(replaced, self.constant(ty, 1), b)
            }
        };
        let mut result = self.op2(Binary::Div(sign), a, divisor);
        if remainder {
            let whole = self.op2(Binary::Mul, result, divisor);
            result = self.op2(Binary::Sub, a, whole);
        }
        match by_zero {
            None => result,
            Some(by_zero) => self.choose(by_zero, self.constant(ty, ty.ones()), result),
        }
    }

    pub(crate) fn compare(&self, op: Compare, ty: Ty, a: Value, b: Value) -> Value {
        let sees_sign = matches!(
            op,
            Compare::Lt(Signed) | Compare::Le(Signed) | Compare::Gt(Signed) | Compare::Ge(Signed)
        );
        if ty == Ty::I16 && sees_sign && self.short_words {
            return self.test(op, self.signed_word(a), self.signed_word(b));
        }
        self.test(op, a, b)
    }

    pub(crate) fn ternary(&self, op: Ternary, ty: Ty, args: [Value; 3]) -> Value {
        match op {
            Ternary::Fma => self
                .exact_fma(ty, args)
                .unwrap_or_else(|| self.canonical(ty, self.value(Op::Ternary(op, args), ty))),
            Ternary::Select => self.choose(args[0], args[1], args[2]),
        }
    }
}
