//! Operands for which the language leaves an operation undefined, although it has a result here.

use super::{Binary, Family, Unary, eval_unary};
use crate::{Sign, Ty};

/// What is wrong with the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hazard {
    /// A division of integers by zero; or of the smallest one by -1.
    DivisionByZero,
    /// A float is converted to an integer type that cannot represent it.
    ConversionOutOfRange,
    /// A shift by the width of the type or more. The result is defined in HLSL, but not in other languages.
    ShiftOutOfRange,
}

impl Binary {
    /// Whether [`Binary::hazard`] can report anything for this type.
    pub fn has_hazards(self, ty: Ty) -> bool {
        match self.facts().family {
            Family::Division | Family::Remainder => !ty.is_float(),
            family => family == Family::Shift,
        }
    }

    /// Second operands that are harmless with every first operand, as a range. There may be others.
    pub fn harmless(self, ty: Ty) -> std::ops::RangeInclusive<u64> {
        match self.facts().family {
            Family::Shift => 0..=u64::from(ty.bits()) - 1,
            // Excludes zero, and everything that may be -1.
            _ => 1..=ty.ones() >> 1,
        }
    }

    /// What is wrong with the bits of two operands.
    pub fn hazard(self, ty: Ty, a: u64, b: u64) -> Option<Hazard> {
        let ones = ty.ones();
        let (a, b) = (a & ones, b & ones);
        match self {
            Binary::Div(sign) | Binary::Rem(sign) if !ty.is_float() => {
                let overflows = sign == Sign::Signed && b == ones && a == (ones >> 1) + 1;
                (b == 0 || overflows).then_some(Hazard::DivisionByZero)
            }
            Binary::Shl | Binary::Shr(_) => {
                (b >= u64::from(ty.bits())).then_some(Hazard::ShiftOutOfRange)
            }
            _ => None,
        }
    }
}

impl Unary {
    /// Whether [`Unary::hazard`] can report anything for this type.
    pub fn has_hazards(self, ty: Ty) -> bool {
        matches!(self, Unary::Convert { to, .. } if ty.is_float() && !to.is_float() && to != Ty::Bool)
    }

    /// What is wrong with the bits of the operand.
    pub fn hazard(self, ty: Ty, a: u64) -> Option<Hazard> {
        let Unary::Convert { to, to_sign, from_sign } = self else { return None };
        if !self.has_hazards(ty) {
            return None;
        }
        let wide = Unary::Convert { to: Ty::F64, from_sign, to_sign };
        let value = f64::from_bits(eval_unary(wide, ty, a)).trunc();
        // Two to the power of `exponent`.
        let power = |exponent: u32| f64::from_bits(u64::from(1023 + exponent) << 52);
        let (low, high) = match to_sign {
            Sign::Signed => (-power(to.bits() - 1), power(to.bits() - 1)),
            Sign::Unsigned => (0.0, power(to.bits())),
        };
        // The negation also catches NaN.
        (!(value >= low && value < high)).then_some(Hazard::ConversionOutOfRange)
    }
}
