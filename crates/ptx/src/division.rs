//! Division of integers by constants: strength reduction to shifts, or to a multiplication by the reciprocal in fixed
//! point (Granlund and Montgomery, *Division by Invariant Integers using Multiplication*, 1994).
//!
//! The driver's assembler does neither: it writes out a division in twenty instructions even for a divisor of 4.
//!
//! Deliberately absent: divisors of 64 and 16 bits that are not powers of two.

use ops::{Binary, Sign, Ty};

use crate::emit::Emitter;
use crate::text::{Class, Operand, Reg, put};

/// A quotient by multiplication: of the product's upper half, or of that plus the dividend, shifted right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reciprocal {
    factor: u32,
    /// Whether the factor has one more bit than a word: 2^32 is added to it.
    is_long: bool,
    shift: u32,
}

impl Reciprocal {
    /// The quotient is `floor(n * f / 2^(32 + shift))` with `f = floor(2^(32 + shift) / d) + 1`, which is exact for all
    /// `n` below 2^bits if the error `f * d - 2^(32 + shift)` is at most `2^(32 + shift - bits)`.
    fn of(divisor: u32, bits: u32) -> Reciprocal {
        let divisor = u128::from(divisor);
        for shift in 0..=32 {
            let power = 1u128 << (32 + shift);
            let factor = power / divisor + 1;
            if factor * divisor - power <= power >> bits && factor >> 33 == 0 {
                let is_long = factor >> 32 != 0;
                return Reciprocal { factor: factor as u32, is_long, shift };
            }
        }
        unreachable!("a shift by the length of the divisor makes the error small enough")
    }
}

impl Emitter<'_> {
    /// The quotient of a division by a constant; `None` if it has to be divided.
    pub(crate) fn quotient(
        &mut self,
        sign: Sign,
        ty: Ty,
        dividend: Operand,
        divisor: u64,
    ) -> Option<Operand> {
        if divisor.is_power_of_two() && sign == Sign::Unsigned {
            let by = divisor.trailing_zeros();
            if by == 0 {
                return Some(dividend);
            }
            return Some(self.combine(
                Binary::Shr(sign),
                ty,
                dividend,
                Operand::Bits(ty, by.into()),
            ));
        }
        let divisor = divisor as u32;
        let dividend = self.reg(dividend);
        match sign {
            _ if ty != Ty::I32 => None,
            Sign::Unsigned if divisor > 2 => Some(self.unsigned_quotient(dividend, divisor)),
            Sign::Signed if (divisor as i32).unsigned_abs() > 1 => {
                Some(self.signed_quotient(dividend, divisor as i32))
            }
            _ => None,
        }
    }

    /// The quotient of words without a sign.
    pub(crate) fn divided(&mut self, dividend: Reg, divisor: u32) -> Operand {
        let quotient =
            self.quotient(Sign::Unsigned, Ty::I32, Operand::Reg(dividend), divisor.into());
        quotient.unwrap_or_else(|| unreachable!("sizes of groups and elements are not 0"))
    }

    /// The remainder of words without a sign.
    pub(crate) fn rest(&mut self, dividend: Reg, divisor: u32) -> Operand {
        let all = Operand::Reg(dividend);
        if divisor.is_power_of_two() {
            return self.combine(Binary::And, Ty::I32, all, Operand::word(divisor - 1));
        }
        let quotient = self.divided(dividend, divisor);
        let whole = self.combine(Binary::Mul, Ty::I32, quotient, Operand::word(divisor));
        self.combine(Binary::Sub, Ty::I32, all, whole)
    }

    fn unsigned_quotient(&mut self, dividend: Reg, divisor: u32) -> Operand {
        let Reciprocal { factor, is_long, shift } = Reciprocal::of(divisor, 32);
        let upper = self.text.reg(Class::Word);
        put!(self, "mul.hi.u32 {upper}, {dividend}, {factor}");
        let by = |it: &mut Self, value: Operand, by: u32| match by {
            0 => value,
            _ => it.combine(Binary::Shr(Sign::Unsigned), Ty::I32, value, Operand::word(by)),
        };
        if !is_long {
            return by(self, upper.into(), shift);
        }
        // The sum of the upper half and the dividend has 33 bits, so half of it is computed.
        let rest = self.combine(Binary::Sub, Ty::I32, dividend.into(), upper.into());
        let half = by(self, rest, 1);
        let half = self.combine(Binary::Add, Ty::I32, half, upper.into());
        by(self, half, shift - 1)
    }

    fn signed_quotient(&mut self, dividend: Reg, divisor: i32) -> Operand {
        // The magnitude of a dividend is at most 2^31; the factor is used as a number with a sign.
        let Reciprocal { factor, is_long, shift } = Reciprocal::of(divisor.unsigned_abs(), 31);
        debug_assert!(!is_long, "31 bits of a quotient need 32 bits of a factor");
        let upper = self.text.reg(Class::Word);
        put!(self, "mul.hi.s32 {upper}, {dividend}, {}", factor as i32);
        let mut quotient = Operand::Reg(upper);
        if (factor as i32) < 0 {
            quotient = self.combine(Binary::Add, Ty::I32, quotient, dividend.into());
        }
        if shift > 0 {
            let by = Operand::word(shift);
            quotient = self.combine(Binary::Shr(Sign::Signed), Ty::I32, quotient, by);
        }
        // Rounded down so far: one more for negative dividends.
        let top = Operand::word(31);
        let one = self.combine(Binary::Shr(Sign::Unsigned), Ty::I32, dividend.into(), top);
        let quotient = self.combine(Binary::Add, Ty::I32, quotient, one);
        match divisor < 0 {
            true => self.combine(Binary::Sub, Ty::I32, Operand::word(0), quotient),
            false => quotient,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(divisor: u32) -> Vec<u32> {
        let near = |it: u32| [it.wrapping_sub(1), it, it.wrapping_add(1)];
        let multiples = [1, 2, 3, u32::MAX / divisor, (u32::MAX >> 1) / divisor];
        let multiples = multiples.iter().flat_map(|it| near(it.wrapping_mul(divisor)));
        let negative: Vec<u32> = multiples.flat_map(|it| [it, it.wrapping_neg()]).collect();
        let powers = (0..32).flat_map(|it| near(1 << it));
        negative.into_iter().chain(powers).collect()
    }

    fn divisors() -> impl Iterator<Item = u32> {
        let odd = (0..500).map(|it: u32| it.wrapping_mul(2_654_435_761) >> (it % 29));
        (2..2000)
            .chain(odd)
            .chain((1..32).flat_map(|it| [(1 << it) - 1, 1 << it, (1 << it) + 1]))
            .filter(|it| *it > 1)
    }

    #[test]
    fn reciprocals_give_exact_quotients() {
        for divisor in divisors() {
            let unsigned = Reciprocal::of(divisor, 32);
            let full = u128::from(unsigned.factor) + (u128::from(unsigned.is_long) << 32);
            for n in corners(divisor) {
                let quotient = ((u128::from(n) * full) >> (32 + unsigned.shift)) as u32;
                assert_eq!(quotient, n / divisor, "{n} / {divisor}");
            }
            if divisor > 1 << 31 {
                continue;
            }
            let signed = Reciprocal::of(divisor, 31);
            assert!(!signed.is_long && signed.shift < 32, "{divisor}: {signed:?}");
            for n in corners(divisor) {
                let n = i64::from(n as i32);
                let down = ((n * i64::from(signed.factor)) >> 32) >> signed.shift;
                let quotient = down + i64::from(n < 0);
                assert_eq!(quotient, n / i64::from(divisor), "{n} / {divisor}");
            }
        }
    }
}
