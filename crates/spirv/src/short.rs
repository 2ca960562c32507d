//! 16-bit integers as words: the lower half holds the bits, the upper half is zero.
//!
//! A driver may compute with real ones in words of its own and take it that nothing overflows: of the smallest it makes a
//! positive number when it is negated and then extended (NVIDIA 580). Here nothing is left to it. Memory and the bits of a
//! half are the only places where real ones stand.
//!
//! Not here: conversions and comparisons, which `scalar.rs` holds for all types, and folds over lanes (`wave.rs`).

use ops::{Binary, Sign, Ty, Unary};

use crate::emit::Emitter;
use crate::module::Id;
use crate::opcode as op;

impl Emitter<'_> {
    /// A 16-bit integer as memory has it.
    pub(crate) fn short(&mut self, a: Id) -> Id {
        if !self.out.short_words {
            return a;
        }
        let short = self.out.int(16);
        self.op(op::U_CONVERT, short, &[a])
    }

    /// What memory has, as a 16-bit integer.
    pub(crate) fn short_as_held(&mut self, a: Id) -> Id {
        if self.out.short_words { self.unsigned_word(a) } else { a }
    }

    pub(crate) fn unsigned_word(&mut self, short: Id) -> Id {
        self.typed(op::U_CONVERT, Ty::I32, &[short])
    }

    /// A word that holds a 16-bit integer, with its sign.
    pub(crate) fn signed_word(&mut self, a: Id) -> Id {
        let high = self.words(op::SHIFT_LEFT_LOGICAL, a, 16);
        self.words(op::SHIFT_RIGHT_ARITHMETIC, high, 16)
    }

    /// The lower half of a word.
    pub(crate) fn half_of(&mut self, a: Id) -> Id {
        self.words(op::BITWISE_AND, a, 0xffff)
    }

    /// An operation on 16-bit integers, where these are words.
    pub(crate) fn short_unary(&mut self, operation: Unary, a: Id) -> Id {
        match operation {
            Unary::Neg | Unary::Not | Unary::Abs => {
                let word = self.signed_word(a);
                let result = self.unary(operation, Ty::I32, word);
                self.half_of(result)
            }
            Unary::FirstBitHigh(Sign::Signed) => {
                let word = self.signed_word(a);
                self.unary(operation, Ty::I32, word)
            }
            Unary::ReverseBits => {
                let reversed = self.typed(op::BIT_REVERSE, Ty::I32, &[a]);
                self.words(op::SHIFT_RIGHT_LOGICAL, reversed, 16)
            }
            Unary::Bitcast(to) => self.bitcast(a, Ty::I16, to),
            Unary::Convert { to, from_sign, to_sign } => {
                self.convert(a, Ty::I16, from_sign, to, to_sign)
            }
            Unary::CountBits | Unary::FirstBitLow | Unary::FirstBitHigh(Sign::Unsigned) => {
                self.unary(operation, Ty::I32, a)
            }
            Unary::Floor
            | Unary::Ceil
            | Unary::Trunc
            | Unary::Round
            | Unary::Sqrt
            | Unary::Rsqrt
            | Unary::Saturate
            | Unary::Sin
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
            | Unary::IsNan
            | Unary::IsInf
            | Unary::IsFinite
            | Unary::UnpackHalf
            | Unary::PackHalf => {
                unreachable!("the verifier has checked that these are of floats, or of words")
            }
        }
    }

    pub(crate) fn short_binary(
        &mut self,
        operation: Binary,
        a: Id,
        b: Id,
        known: Option<u64>,
    ) -> Id {
        let signed = |it: &mut Self| [a, b].map(|word| it.signed_word(word));
        let sign_of_known = known.map(|it| u64::from(it as u16 as i16 as u32));
        let (a, b, known) = match operation {
            Binary::Div(Sign::Signed)
            | Binary::Rem(Sign::Signed)
            | Binary::Min(Sign::Signed)
            | Binary::Max(Sign::Signed) => {
                let [a, b] = signed(self);
                (a, b, sign_of_known)
            }
            Binary::Shl | Binary::Shr(_) => {
                let count = self.words(op::BITWISE_AND, b, 15);
                let is_signed = operation == Binary::Shr(Sign::Signed);
                (if is_signed { self.signed_word(a) } else { a }, count, known)
            }
            Binary::And | Binary::Or | Binary::Xor => {
                return self.binary(operation, Ty::I32, a, b, known);
            }
            Binary::Add
            | Binary::Sub
            | Binary::Mul
            | Binary::Div(Sign::Unsigned)
            | Binary::Rem(Sign::Unsigned)
            | Binary::Min(Sign::Unsigned)
            | Binary::Max(Sign::Unsigned) => (a, b, known),
            Binary::Atan2 | Binary::Pow => {
                unreachable!("the verifier has checked that these are of floats")
            }
        };
        let result = self.binary(operation, Ty::I32, a, b, known);
        self.half_of(result)
    }
}
