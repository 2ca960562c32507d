//! Formulas over values of the new module, with operators, whose corner cases are written out for the target. Constant
//! folding makes one formula serve both what is data and what is known: of a choice whose condition is known, only one
//! arm is emitted.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Sub};

use ir::{Inst, Value};
use ops::Sign::{self, Signed, Unsigned};
use ops::scalar::{eval_binary, eval_compare, eval_unary};
use ops::{Binary, Compare, Ty, Unary};

use crate::writer::Writer;

/// A value of any type in the new module. Both operands of an operator have the same type; comparisons, minima and
/// maxima of integers are signed unless their names say otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Term<'a> {
    pub(crate) to: &'a Writer<'a>,
    pub(crate) value: Value,
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:expr),* $(,)?) => {$(
        impl<'a> $trait for Term<'a> {
            type Output = Term<'a>;

            fn $method(self, other: Term<'a>) -> Term<'a> {
                self.binary($op, other)
            }
        }
    )*};
}

operators! {
    Add add Binary::Add,
    Sub sub Binary::Sub,
    Mul mul Binary::Mul,
    Div div Binary::Div(Signed),
    BitAnd bitand Binary::And,
    BitOr bitor Binary::Or,
    BitXor bitxor Binary::Xor,
}

impl<'a> Not for Term<'a> {
    type Output = Term<'a>;

    fn not(self) -> Term<'a> {
        self.unary(Unary::Not)
    }
}

impl<'a> Term<'a> {
    fn with(self, value: Value) -> Term<'a> {
        Term { value, ..self }
    }

    fn known(self) -> Option<u64> {
        self.to.known(self.value)
    }

    /// Whether a condition is known not to hold.
    pub(crate) fn is_never(self) -> bool {
        self.known() == Some(0)
    }

    fn constant(self, ty: Ty, bits: u64) -> Term<'a> {
        self.with(self.to.constant(ty, bits))
    }

    fn unary(self, op: Unary) -> Term<'a> {
        match (self.known(), op.result(self.ty())) {
            (Some(bits), Some(ty)) => self.constant(ty, eval_unary(op, self.ty(), bits)),
            _ => self.with(self.to.unary(op, self.ty(), self.value)),
        }
    }

    fn binary(self, op: Binary, other: Term<'a>) -> Term<'a> {
        self.combined(op, other, true)
    }

    /// Arithmetic on floats where the bits of a NaN are not observed.
    pub(crate) fn number(self, op: Binary, other: Term<'a>) -> Term<'a> {
        self.combined(op, other, false)
    }

    fn combined(self, op: Binary, other: Term<'a>, observed: bool) -> Term<'a> {
        let ty = self.ty();
        match (op, self.known(), other.known()) {
            (_, Some(a), Some(b)) => self.constant(ty, eval_binary(op, ty, a, b)),
            (Binary::And, Some(bits), None) if bits == ty.ones() => other,
            (Binary::And, None, Some(bits)) if bits == ty.ones() => self,
            (Binary::And, Some(0), None) | (Binary::Or, None, Some(0)) => self,
            (Binary::And, None, Some(0)) | (Binary::Or, Some(0), None) => other,
            _ => self.with(self.to.binary(op, ty, self.value, other.value, observed)),
        }
    }

    pub(crate) fn ty(self) -> Ty {
        self.to.ty(self.value)
    }

    /// An integer of the same type.
    pub(crate) fn whole(self, value: i64) -> Term<'a> {
        let mask = if self.ty() == Ty::I64 { u64::MAX } else { u64::from(u32::MAX) };
        self.with(self.to.constant(self.ty(), value as u64 & mask))
    }

    /// Zero, or false.
    pub(crate) fn zero(self) -> Term<'a> {
        self.constant(self.ty(), 0)
    }

    /// A float of the same type.
    pub(crate) fn float(self, value: f64) -> Term<'a> {
        self.constant(self.ty(), self.ty().float_bits(value))
    }

    /// An f64.
    pub(crate) fn double(self, value: f64) -> Term<'a> {
        self.with(self.to.constant(Ty::F64, value.to_bits()))
    }

    fn test(self, op: Compare, other: Term<'a>) -> Term<'a> {
        match (self.known(), other.known()) {
            (Some(a), Some(b)) => self.constant(Ty::Bool, eval_compare(op, self.ty(), a, b).into()),
            _ => self.with(self.to.compare(op, self.ty(), self.value, other.value)),
        }
    }

    pub(crate) fn less(self, other: Term<'a>) -> Term<'a> {
        self.test(Compare::Lt(Signed), other)
    }

    /// Less as an unsigned integer.
    pub(crate) fn below(self, other: Term<'a>) -> Term<'a> {
        self.test(Compare::Lt(Unsigned), other)
    }

    pub(crate) fn at_most(self, other: Term<'a>) -> Term<'a> {
        self.test(Compare::Le(Signed), other)
    }

    pub(crate) fn greater(self, other: Term<'a>) -> Term<'a> {
        self.test(Compare::Gt(Signed), other)
    }

    pub(crate) fn equals(self, other: Term<'a>) -> Term<'a> {
        self.test(Compare::Eq, other)
    }

    pub(crate) fn differs(self, other: Term<'a>) -> Term<'a> {
        self.test(Compare::Ne, other)
    }

    pub(crate) fn is_nan(self) -> Term<'a> {
        self.unary(Unary::IsNan)
    }

    /// The choice of a condition.
    pub(crate) fn pick(self, yes: Term<'a>, no: Term<'a>) -> Term<'a> {
        match self.known() {
            Some(0) => no,
            Some(_) => yes,
            None if yes.value == no.value => yes,
            None => self.with(self.to.choose(self.value, yes.value, no.value)),
        }
    }

    pub(crate) fn picks<const N: usize>(
        self,
        yes: [Term<'a>; N],
        no: [Term<'a>; N],
    ) -> [Term<'a>; N] {
        std::array::from_fn(|i| self.pick(yes[i], no[i]))
    }

    pub(crate) fn min(self, other: Term<'a>) -> Term<'a> {
        self.binary(Binary::Min(Signed), other)
    }

    pub(crate) fn max(self, other: Term<'a>) -> Term<'a> {
        self.binary(Binary::Max(Signed), other)
    }

    pub(crate) fn least_unsigned(self, other: Term<'a>) -> Term<'a> {
        self.binary(Binary::Min(Unsigned), other)
    }

    /// The same with a number, which may be beyond the type.
    pub(crate) fn at_most_unsigned(self, most: u64) -> Term<'a> {
        if most >= self.ty().ones() { self } else { self.least_unsigned(self.whole(most as i64)) }
    }

    pub(crate) fn most_unsigned(self, other: Term<'a>) -> Term<'a> {
        self.binary(Binary::Max(Unsigned), other)
    }

    /// Of integers, between two of the same type.
    pub(crate) fn within(self, least: Term<'a>, most: Term<'a>) -> Term<'a> {
        self.max(least).min(most)
    }

    pub(crate) fn left(self, by: u32) -> Term<'a> {
        self.left_by(self.whole(by.into()))
    }

    pub(crate) fn right(self, by: u32) -> Term<'a> {
        self.right_by(self.whole(by.into()))
    }

    pub(crate) fn right_signed(self, by: u32) -> Term<'a> {
        self.shifted(Binary::Shr(Signed), self.whole(by.into()))
    }

    /// Shifted by a variable number of bits less than its own.
    pub(crate) fn left_by(self, by: Term<'a>) -> Term<'a> {
        self.shifted(Binary::Shl, by)
    }

    /// Shifted by a variable number of bits less than its own.
    pub(crate) fn right_by(self, by: Term<'a>) -> Term<'a> {
        self.shifted(Binary::Shr(Unsigned), by)
    }

    fn shifted(self, op: Binary, by: Term<'a>) -> Term<'a> {
        if by.known() == Some(0) { self } else { self.binary(op, by) }
    }

    pub(crate) fn remainder(self, by: Term<'a>) -> Term<'a> {
        self.binary(Binary::Rem(Signed), by)
    }

    pub(crate) fn quotient_unsigned(self, by: Term<'a>) -> Term<'a> {
        self.binary(Binary::Div(Unsigned), by)
    }

    pub(crate) fn floor(self) -> Term<'a> {
        self.unary(Unary::Floor)
    }

    pub(crate) fn ceil(self) -> Term<'a> {
        self.unary(Unary::Ceil)
    }

    /// To the nearest integer, ties to even.
    pub(crate) fn round(self) -> Term<'a> {
        self.unary(Unary::Round)
    }

    pub(crate) fn sqrt(self) -> Term<'a> {
        self.unary(Unary::Sqrt)
    }

    pub(crate) fn abs(self) -> Term<'a> {
        self.unary(Unary::Abs)
    }

    pub(crate) fn log2(self) -> Term<'a> {
        self.unary(Unary::Log2)
    }

    pub(crate) fn saturate(self) -> Term<'a> {
        self.unary(Unary::Saturate)
    }

    /// The f16 in the low half of a word, as f32.
    pub(crate) fn unpack_half(self) -> Term<'a> {
        self.unary(Unary::UnpackHalf)
    }

    pub(crate) fn cast(self, ty: Ty) -> Term<'a> {
        if self.ty() == ty { self } else { self.unary(Unary::Bitcast(ty)) }
    }

    /// Converted; integers on both sides have this sign.
    pub(crate) fn convert(self, sign: Sign, to: Ty) -> Term<'a> {
        if self.ty() == to {
            return self;
        }
        self.unary(Unary::Convert { to, from_sign: sign, to_sign: sign })
    }

    /// A float in another type, where the bits of a NaN are not observed.
    pub(crate) fn as_number(self, ty: Ty) -> Term<'a> {
        self.with(self.to.converted(self.value, Signed, ty))
    }

    /// An integer as f64.
    pub(crate) fn as_double(self) -> Term<'a> {
        self.convert(Signed, Ty::F64)
    }

    pub(crate) fn as_long(self) -> Term<'a> {
        self.convert(Signed, Ty::I64)
    }

    pub(crate) fn as_long_unsigned(self) -> Term<'a> {
        self.convert(Unsigned, Ty::I64)
    }

    pub(crate) fn as_word(self) -> Term<'a> {
        self.convert(Unsigned, Ty::I32)
    }

    pub(crate) fn as_single(self) -> Term<'a> {
        self.convert(Signed, Ty::F32)
    }
}

impl<'a> Writer<'a> {
    pub(crate) fn term(&'a self, value: Value) -> Term<'a> {
        Term { to: self, value }
    }

    pub(crate) fn word_term(&'a self, value: u32) -> Term<'a> {
        self.term(self.word(value))
    }

    pub(crate) fn double_term(&'a self, value: f64) -> Term<'a> {
        self.term(self.constant(Ty::F64, value.to_bits()))
    }

    /// An `if` whose arms give as many values.
    pub(crate) fn either_terms(
        &'a self,
        cond: Term<'a>,
        then: impl FnOnce() -> Vec<Term<'a>>,
        otherwise: impl FnOnce() -> Vec<Term<'a>>,
    ) -> Vec<Term<'a>> {
        match cond.known() {
            Some(0) => return otherwise(),
            Some(_) => return then(),
            None => {}
        }
        let values = |all: Vec<Term<'a>>| all.iter().map(|it| it.value).collect();
        let results = self.either(cond.value, || values(then()), || values(otherwise()));
        results.into_iter().map(|it| self.term(it)).collect()
    }

    /// A loop that repeats `body` with the values it returned last until its condition holds, and returns the last
    /// values.
    pub(crate) fn repeat_terms(
        &'a self,
        inits: &[Term<'a>],
        body: impl FnOnce(&[Term<'a>]) -> (Term<'a>, Vec<Term<'a>>),
    ) -> Vec<Term<'a>> {
        let inst: Inst = self.construct_begins();
        let types: Vec<Ty> = inits.iter().map(|it| it.ty()).collect();
        let (_, params) = self.open(&types);
        let params: Vec<Term<'a>> = params.iter().map(|it| self.term(*it)).collect();
        let (is_done, next) = body(&params);
        let next: Vec<Value> = next.iter().map(|it| it.value).collect();
        self.leave_if(is_done.value, inst, &next);
        let body = self.close_with(&next);
        let op = ir::Op::Loop { body, inits: inits.iter().map(|it| it.value).collect() };
        let results = self.construct_ends(inst, op, &types);
        results.into_iter().map(|it| self.term(it)).collect()
    }
}
