//! Operands for which an operation has no meaning in the language, although it has a result here.

use super::{Binary, Unary, eval_unary};
use crate::{Sign, Ty};

/// What is wrong with the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hazard {
    /// Of integers; or the smallest one divided by -1.
    DivisionByZero,
    /// A float becomes an integer that cannot hold it.
    ConversionOutOfRange,
    /// A shift by as many bits as there are, or more. The result is defined in HLSL, not in other languages.
    ShiftOutOfRange,
}

impl Binary {
    /// Whether there are operands of that type that [`Binary::hazard`] objects to.
    pub fn has_hazards(self, ty: Ty) -> bool {
        match self {
            Binary::Div(_) | Binary::Rem(_) => !ty.is_float(),
            Binary::Shl | Binary::Shr(_) => true,
            _ => false,
        }
    }

    /// Second operands that [`Binary::hazard`] never objects to, whatever the first one is. There may be others.
    pub fn harmless(self, ty: Ty) -> std::ops::RangeInclusive<u64> {
        match self {
            Binary::Shl | Binary::Shr(_) => 0..=u64::from(ty.bits()) - 1,
            // Zero, and what may be -1, are not among them.
            _ => 1..=(u64::MAX >> (64 - ty.bits())) >> 1,
        }
    }

    /// What is wrong with the bits of two operands.
    pub fn hazard(self, ty: Ty, a: u64, b: u64) -> Option<Hazard> {
        let ones = u64::MAX >> (64 - ty.bits());
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
    /// Whether there are operands of that type that [`Unary::hazard`] objects to.
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
        // Not so for a NaN either.
        (!(value >= low && value < high)).then_some(Hazard::ConversionOutOfRange)
    }
}
