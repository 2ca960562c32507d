//! The remainder of doubles: long division of their significands, in integers.
//!
//! A device's own remainder is `a - b * trunc(a / b)`, which is wrong as soon as the quotient has more digits than a
//! double.

use ops::math::{Bits, Double};
use ops::{Binary, Compare, Ty};

use super::{Long, Signed, Truth, Unsigned, Wide};
use crate::writer::Writer;
use ir::Value;

/// The number of binary digits of a fraction.
const FRACTION: u64 = 52;
/// The binary digits of the quotient in a step: a remainder that is shifted by this many fits 64 bits.
const DIGITS: u64 = 63 - FRACTION;

impl Writer<'_> {
    /// The remainder of `a / b`, with the sign of `a`; it can always be represented.
    pub(super) fn double_remainder(&self, a: Value, b: Value) -> Value {
        let [a, b] = [a, b].map(|value| Wide { to: self, value });
        let (size, step) = (a.abs().bits(), b.abs().bits());
        let zero = self.long(0);
        let (first, power) = parts(size);
        let (divisor, unit) = parts(step);
        // Both are integral multiples of the divisor's last place.
        let inits = [power.minus(unit), first.rest(divisor)];
        let [_, rest] = self.repeat_until(inits.map(|it| it.value), |state| {
            let [left, rest] = state.map(|value| Long { to: self, value });
            let digits = Long::pick(left.is_negative(), zero, left);
            let most = self.long(DIGITS);
            let digits = Long::pick(digits.above(most), most, digits);
            let rest = rest.left(digits).rest(divisor);
            let left = left.minus(digits);
            let is_done = self.test(Compare::Le(Signed), left.value, zero.value);
            (is_done, [left.value, rest.value])
        });
        let rest = scaled(Long { to: self, value: rest }, unit);
        let rest = Long::pick(step.above(size), size, rest);
        let finite = self.magnitude(Compare::Lt(Unsigned), Ty::F64, a.value);
        let number = self.magnitude(Compare::Le(Unsigned), Ty::F64, b.value);
        let truth = |value| Truth { to: self, value };
        let is_defined = truth(finite) & truth(number) & step.above(zero);
        let signed = rest.double().copysign(a);
        Wide::pick(is_defined, signed, a.constant(f64::NAN)).value
    }
}

impl<'a> Long<'a> {
    /// The remainder of integers without a sign.
    fn rest(self, by: Long<'a>) -> Long<'a> {
        let rem = Binary::Rem(Unsigned);
        Long { value: self.to.binary(rem, Ty::I64, self.value, by.value, true), ..self }
    }
}

/// A finite positive number as a significand and the exponent of its last place, from that of the smallest number on.
fn parts(bits: Long<'_>) -> (Long<'_>, Long<'_>) {
    let (exponent, fraction) = (bits.right(bits.constant(FRACTION)), bits & ((1 << FRACTION) - 1));
    let is_small = exponent.equals(bits.constant(0));
    let significand = Long::pick(is_small, fraction, fraction | 1 << FRACTION);
    (significand, Long::pick(is_small, bits.constant(1), exponent))
}

/// The inverse of [`parts`], for a significand of at most as many digits.
fn scaled<'a>(significand: Long<'a>, power: Long<'a>) -> Long<'a> {
    let (zero, one) = (power.constant(0), power.constant(1));
    let is_zero = significand.equals(zero);
    let some = Long::pick(is_zero, one, significand);
    let spare = some.leading_zeros().minus(power.constant(DIGITS));
    // A small number keeps leading zeros.
    let most = power.minus(one);
    let shift = Long::pick(spare.above(most), most, spare);
    let exponent = most.minus(shift).left(power.constant(FRACTION));
    Long::pick(is_zero, zero, some.left(shift).plus(exponent))
}
