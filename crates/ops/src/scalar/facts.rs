//! Facts about each arithmetic operation: its family, whether it reads its operands as numbers or as bits, and which
//! NaNs it returns.
//!
//! All operations are pure. The facts are about floats; an operation on integers alone reads bits.

use super::{Binary, Compare, Ternary, Unary};

/// Facts about one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub family: Family,
    pub reads: Reads,
    pub nan: Nan,
}

/// Which NaN an operation returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nan {
    /// The canonical one, regardless of the operands.
    Canonical,
    /// The canonical one, but machines have an instruction for this operation of IEEE 754, which may return the bits of
    /// an operand. Where only such operations use the result, engines need not canonicalise it.
    Ieee,
    /// That of an operand: its bits are preserved.
    Operand,
}

/// Operations that machines have or lack together, and that take about as long as each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Moves and combines bits: casts, selects, logic.
    Bits,
    /// Changes a float's sign, or clamps it: a NaN operand passes.
    Sign,
    /// Sums, differences and products.
    Ring,
    Division,
    Remainder,
    /// The smaller or the larger of two.
    Extremum,
    Shift,
    Comparison,
    /// Tests for NaN and infinity.
    NumberTest,
    /// Counts, finds or reverses bits.
    BitCount,
    /// To an integral number.
    Rounding,
    /// Square roots and their reciprocals.
    Root,
    /// A product and a sum, rounded once.
    Fma,
    /// Without an exact definition in hardware: `ops::math` defines it.
    Transcendental,
    /// Between types.
    Conversion,
    /// Between a float and the 16 bits of a half in a word.
    Half,
}

/// What an operation observes of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reads {
    /// Numbers: the bits of a NaN operand make no difference, and `-denorm ftz` applies to operands and result.
    Numbers,
    /// The class of a number: the bits of a NaN operand make no difference, but a denormal is not flushed.
    Class,
    /// Bits: moved, changed, or counted.
    Bits,
}

impl Facts {
    /// Whether the operation computes with numbers rather than with their bits.
    pub fn computes(self) -> bool {
        self.reads == Reads::Numbers
    }
}

const NUMBERS: Facts =
    Facts { family: Family::Conversion, reads: Reads::Numbers, nan: Nan::Canonical };
const IEEE: Facts = Facts { family: Family::Ring, reads: Reads::Numbers, nan: Nan::Ieee };
const CLASS: Facts = Facts { family: Family::NumberTest, reads: Reads::Class, nan: Nan::Canonical };
/// On integers, or on bits from which a new float is made.
const BITS: Facts = Facts { family: Family::Bits, reads: Reads::Bits, nan: Nan::Canonical };
/// A move: the payload of a NaN is preserved.
const MOVES: Facts = Facts { family: Family::Bits, reads: Reads::Bits, nan: Nan::Operand };

impl Facts {
    const fn of(self, family: Family) -> Facts {
        Facts { family, ..self }
    }
}

impl Unary {
    pub const fn facts(self) -> Facts {
        use Unary::*;
        match self {
            Floor | Ceil | Trunc | Round => IEEE.of(Family::Rounding),
            Sqrt => IEEE.of(Family::Root),
            Rsqrt => NUMBERS.of(Family::Root),
            Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Exp | Exp2 | Log | Log2
            | Log10 => NUMBERS.of(Family::Transcendental),
            Saturate => NUMBERS.of(Family::Sign),
            PackHalf => NUMBERS.of(Family::Half),
            Convert { .. } => NUMBERS.of(Family::Conversion),
            IsNan | IsInf | IsFinite => CLASS,
            Not => BITS,
            CountBits | ReverseBits | FirstBitLow | FirstBitHigh(_) => BITS.of(Family::BitCount),
            UnpackHalf => BITS.of(Family::Half),
            // The sign is a bit.
            Neg | Abs => MOVES.of(Family::Sign),
            Bitcast(_) => MOVES,
        }
    }
}

impl Binary {
    pub const fn facts(self) -> Facts {
        use Binary::*;
        match self {
            Add | Sub | Mul => IEEE.of(Family::Ring),
            Div(_) => IEEE.of(Family::Division),
            Rem(_) => NUMBERS.of(Family::Remainder),
            Min(_) | Max(_) => NUMBERS.of(Family::Extremum),
            Atan2 | Pow => NUMBERS.of(Family::Transcendental),
            And | Or | Xor => BITS,
            Shl | Shr(_) => BITS.of(Family::Shift),
        }
    }
}

impl Compare {
    pub const fn facts(self) -> Facts {
        NUMBERS.of(Family::Comparison)
    }
}

impl Ternary {
    pub const fn facts(self) -> Facts {
        match self {
            Ternary::Fma => IEEE.of(Family::Fma),
            Ternary::Select => MOVES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{eval_binary, eval_ternary, eval_unary};
    use crate::{Sign, Ty};

    /// A canonical NaN, one with a payload, and some numbers.
    fn values(ty: Ty) -> (u64, u64, Vec<u64>) {
        match ty {
            Ty::F32 => {
                let numbers = [0.0f32, -1.5, 3.0e-41, 7.0].map(|it| u64::from(it.to_bits()));
                (0x7fc0_0000, 0xffc1_2345, numbers.to_vec())
            }
            _ => {
                let numbers = [0.0f64, -1.5, 1.0e-310, 7.0].map(f64::to_bits);
                (0x7ff8_0000_0000_0000, 0xfff8_0000_1234_5678, numbers.to_vec())
            }
        }
    }

    /// Checks the facts of an operation with one NaN operand, with and without a payload.
    fn check(what: &str, facts: Facts, result: Option<Ty>, ty: Ty, eval: impl Fn(u64) -> u64) {
        let (canonical, payload, _) = values(ty);
        let (plain, other) = (eval(canonical), eval(payload));
        if facts.reads != Reads::Bits {
            assert_eq!(plain, other, "{what} on {ty:?} distinguishes NaNs");
        }
        let is_nan = |ty: Ty, bits: u64| match ty {
            Ty::F32 => f32::from_bits(bits as u32).is_nan(),
            Ty::F64 => f64::from_bits(bits).is_nan(),
            _ => false,
        };
        let Some(result) = result else { return };
        if facts.nan != Nan::Operand && is_nan(result, other) {
            assert_eq!(other, values(result).0, "{what} on {ty:?} lets a payload through");
        }
    }

    #[test]
    fn operations_treat_nans_as_their_facts_say() {
        use Unary::*;
        let sign = Sign::Signed;
        let unary = [
            Neg,
            Abs,
            Floor,
            Ceil,
            Trunc,
            Round,
            Sqrt,
            Rsqrt,
            Saturate,
            Sin,
            Cos,
            Tan,
            Asin,
            Acos,
            Atan,
            Sinh,
            Cosh,
            Tanh,
            Exp,
            Exp2,
            Log,
            Log2,
            Log10,
            IsNan,
            IsInf,
            IsFinite,
            PackHalf,
            Convert { to: Ty::F32, from_sign: sign, to_sign: sign },
            Convert { to: Ty::F64, from_sign: sign, to_sign: sign },
            Convert { to: Ty::I32, from_sign: sign, to_sign: sign },
            Convert { to: Ty::Bool, from_sign: sign, to_sign: sign },
        ];
        for ty in [Ty::F32, Ty::F64] {
            for op in unary.into_iter().filter(|op| op.result(ty).is_some()) {
                let what = format!("{op:?}");
                check(&what, op.facts(), op.result(ty), ty, |a| eval_unary(op, ty, a));
            }
            use Binary::*;
            let binary = [Add, Sub, Mul, Div(sign), Rem(sign), Min(sign), Max(sign), Atan2, Pow];
            for op in binary.into_iter().filter(|op| op.result(ty).is_some()) {
                let (canonical, payload, numbers) = values(ty);
                for other in numbers.into_iter().chain([canonical, payload]) {
                    let what = format!("{op:?} with {other:#x}");
                    let eval = |a, b| eval_binary(op, ty, a, b);
                    check(&what, op.facts(), Some(ty), ty, |a| eval(a, other));
                    check(&what, op.facts(), Some(ty), ty, |a| eval(other, a));
                }
            }
            let [one, two] = [values(ty).2[1], values(ty).2[3]];
            let facts = Ternary::Fma.facts();
            let fma = |a, b, c| eval_ternary(Ternary::Fma, ty, a, b, c);
            check("fma", facts, Some(ty), ty, |a| fma(a, one, two));
            check("fma", facts, Some(ty), ty, |c| fma(one, two, c));
        }
    }

    #[test]
    fn moves_keep_the_payload_of_a_nan() {
        let (_, payload, _) = values(Ty::F32);
        for op in [Unary::Neg, Unary::Abs] {
            assert_eq!(op.facts().nan, Nan::Operand);
            let kept = eval_unary(op, Ty::F32, payload) & 0x007f_ffff;
            assert_eq!(kept, payload & 0x007f_ffff, "{op:?}");
        }
        assert_eq!(Ternary::Select.facts().nan, Nan::Operand);
        assert_eq!(eval_ternary(Ternary::Select, Ty::F32, 1, payload, 0), payload);
    }
}
