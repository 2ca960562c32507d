//! 16-bit integers as 32-bit words: the lower half holds the bits, the upper half is zero.
//!
//! A driver may compute 16-bit integers in 32-bit registers and assume that nothing overflows: it turns the smallest
//! into a positive number when it is negated and then extended (NVIDIA 580). Therefore the words are explicit here; the
//! 16-bit type remains only in memory and for the bits of a half.
//!
//! Conversions and comparisons of all types are in `corners.rs`, folds over lanes in `folds.rs`.

use ir::Value;
use ops::{Binary, Sign, Ty, Unary};

use crate::writer::Writer;

impl Writer<'_> {
    /// A bit cast.
    pub(crate) fn bitcast(&self, a: Value, from: Ty, to: Ty) -> Value {
        match (from, to) {
            _ if from == to => a,
            (Ty::I16, _) => self.cast(self.stored(a, from), to),
            (_, Ty::I16) => self.loaded(self.cast(a, to), to),
            _ => self.cast(a, to),
        }
    }

    /// A value in its memory type: a 16-bit integer held in a word is truncated.
    pub(crate) fn stored(&self, a: Value, ty: Ty) -> Value {
        if ty == Ty::I16 { self.converted(a, Sign::Unsigned, ty) } else { a }
    }

    /// A value from memory in the type that holds it.
    pub(crate) fn loaded(&self, a: Value, ty: Ty) -> Value {
        if ty == Ty::I16 { self.converted(a, Sign::Unsigned, self.held(ty)) } else { a }
    }

    /// A word that holds a 16-bit integer, sign-extended.
    pub(crate) fn signed_word(&self, a: Value) -> Value {
        let high = self.with(Binary::Shl, a, 16);
        self.with(Binary::Shr(Sign::Signed), high, 16)
    }

    /// The lower half of a word.
    pub(crate) fn half_of(&self, a: Value) -> Value {
        self.with(Binary::And, a, 0xffff)
    }

    /// An operation on 16-bit integers that are held in words.
    pub(crate) fn short_unary(&self, op: Unary, a: Value) -> Value {
        match op {
            Unary::Neg | Unary::Not | Unary::Abs => {
                self.half_of(self.unary(op, Ty::I32, self.signed_word(a)))
            }
            Unary::FirstBitHigh(Sign::Signed) => self.unary(op, Ty::I32, self.signed_word(a)),
            Unary::ReverseBits => {
                let reversed = self.unary(op, Ty::I32, a);
                self.with(Binary::Shr(Sign::Unsigned), reversed, 16)
            }
            Unary::Bitcast(to) => self.bitcast(a, Ty::I16, to),
            Unary::Convert { to, from_sign, to_sign } => {
                self.convert(a, Ty::I16, from_sign, to, to_sign)
            }
            Unary::CountBits | Unary::FirstBitLow | Unary::FirstBitHigh(Sign::Unsigned) => {
                self.unary(op, Ty::I32, a)
            }
            _ => {
                unreachable!("the verifier allows these only for floats or words")
            }
        }
    }

    pub(crate) fn short_binary(&self, op: Binary, a: Value, b: Value) -> Value {
        let signed = |it: Value| match self.known(it) {
            Some(bits) => self.word(bits as u16 as i16 as u32),
            None => self.signed_word(it),
        };
        let (a, b) = match op {
            Binary::Div(Sign::Signed)
            | Binary::Rem(Sign::Signed)
            | Binary::Min(Sign::Signed)
            | Binary::Max(Sign::Signed) => (signed(a), signed(b)),
            Binary::Shl | Binary::Shr(_) => {
                let count = match self.known(b) {
                    Some(count) => self.word(count as u32 & 15),
                    None => self.with(Binary::And, b, 15),
                };
                (if op == Binary::Shr(Sign::Signed) { signed(a) } else { a }, count)
            }
            // Two zero upper halves give a zero upper half.
            Binary::And | Binary::Or | Binary::Xor => return self.op2(op, a, b),
            Binary::Add
            | Binary::Sub
            | Binary::Mul
            | Binary::Div(Sign::Unsigned)
            | Binary::Rem(Sign::Unsigned)
            | Binary::Min(Sign::Unsigned)
            | Binary::Max(Sign::Unsigned) => (a, b),
            Binary::Atan2 | Binary::Pow => {
                unreachable!("the verifier allows these only for floats")
            }
        };
        // A constant count below 16 needs no mask.
        let result = match op {
            Binary::Shl | Binary::Shr(_) => self.op2(op, a, b),
            _ => self.binary(op, Ty::I32, a, b, true),
        };
        self.half_of(result)
    }
}
