//! Arithmetic on literals, which have 64 bits until their context gives them a type.
//!
//! An expression of a literal type is an [`ExprKind::Const`] of an `i64` or `f64`, or a `?:` over such: everything else
//! is folded here, or gets a type first (`coerce`).

use diag::{Diagnostic, Span, code};
use ops::scalar::{eval_binary, eval_compare, eval_unary};
use ops::{Sign, Ty, Unary};

use super::Checker;
use super::fold::{Operation, operation};
use crate::hir::{Expr, ExprKind};
use crate::types::{BinaryOp, Scalar, Type, TypeId, Types, UnaryOp};

/// The representation of a literal type.
fn held_as(scalar: Scalar) -> Ty {
    if scalar == Scalar::LiteralFloat { Ty::F64 } else { Ty::I64 }
}

/// The bits of a literal as a scalar of the language.
pub(super) fn literal_bits(from: Scalar, bits: u64, to: Scalar, native_16bit: bool) -> u64 {
    let (before, after) = (held_as(from), to.ty(native_16bit));
    if before == after {
        return bits;
    }
    let to_sign = if after.is_int() { to.sign() } else { Sign::Signed };
    eval_unary(Unary::Convert { to: after, from_sign: Sign::Signed, to_sign }, before, bits)
}

/// The default type of a literal: an integer that `int` cannot hold gets the next type that can.
pub(super) fn default_type(scalar: Scalar, bits: u64) -> Scalar {
    let value = bits as i64;
    match scalar {
        Scalar::LiteralInt if i32::try_from(value).is_ok() => Scalar::I32,
        Scalar::LiteralInt if u32::try_from(value).is_ok() => Scalar::U32,
        Scalar::LiteralInt => Scalar::I64,
        Scalar::LiteralFloat => Scalar::F32,
        other => other,
    }
}

impl Checker<'_> {
    /// The kind of literal an expression is, if it is one.
    pub(super) fn literal_of(&self, expr: &Expr) -> Option<Scalar> {
        match self.types.get(expr.ty) {
            Type::Scalar(scalar) if scalar.is_literal() => Some(scalar),
            _ => None,
        }
    }

    pub(super) fn literal_int(&mut self, value: i64, span: Span) -> Expr {
        let ty = self.types.scalar(Scalar::LiteralInt);
        Expr { kind: ExprKind::Const(value as u64), ty, span }
    }

    /// Folds an operator on two literals, which may be of different kinds; `None` if it must be evaluated at run time.
    pub(super) fn literal_binary(
        &mut self,
        op: BinaryOp,
        lhs: &Expr,
        rhs: &Expr,
        span: Span,
    ) -> Option<Expr> {
        let (left, right) = (self.literal_of(lhs)?, self.literal_of(rhs)?);
        let (&ExprKind::Const(a), &ExprKind::Const(b)) = (&lhs.kind, &rhs.kind) else {
            return None;
        };
        let (mut a, mut b) = (a, b);
        let scalar = crate::types::convert::join(left, right);
        let ty = held_as(scalar);
        if ty == Ty::F64 {
            a = literal_bits(left, a, Scalar::F64, true);
            b = literal_bits(right, b, Scalar::F64, true);
        }
        let stands_for = if ty == Ty::F64 { Scalar::F64 } else { Scalar::I64 };
        let (bits, result) = match operation(op, stands_for) {
            Operation::Binary(binary) => {
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                if binary.result(ty).is_none() || divides && ty == Ty::I64 && b == 0 {
                    return None;
                }
                if op == BinaryOp::Div && ty == Ty::I64 && (a as i64).wrapping_rem(b as i64) != 0 {
                    self.cut_divisions.insert((span.lo, span.hi));
                }
                (eval_binary(binary, ty, a, b), self.types.scalar(scalar))
            }
            Operation::Compare(compare) => {
                (u64::from(eval_compare(compare, ty, a, b)), Types::BOOL)
            }
        };
        Some(Expr { kind: ExprKind::Const(bits), ty: result, span })
    }

    /// Folds `-` and `~` on a literal.
    pub(super) fn literal_unary(
        &mut self,
        op: UnaryOp,
        operand: &Expr,
        span: Span,
    ) -> Option<Expr> {
        let scalar = self.literal_of(operand)?;
        let ExprKind::Const(bits) = operand.kind else { return None };
        let ty = held_as(scalar);
        let op = match op {
            UnaryOp::Neg => Unary::Neg,
            UnaryOp::BitNot if ty == Ty::I64 => Unary::Not,
            UnaryOp::BitNot | UnaryOp::Not => return None,
        };
        Some(Expr { kind: ExprKind::Const(eval_unary(op, ty, bits)), ty: operand.ty, span })
    }

    /// Converts an expression of a literal type to a type of the language, with a warning if that makes it infinite.
    pub(super) fn adapt(&mut self, expr: Expr, scalar: Scalar) -> Expr {
        self.adapted(expr, scalar, true)
    }

    /// The same for a cast, which requests an infinity.
    pub(super) fn adapt_in_cast(&mut self, expr: Expr, scalar: Scalar) -> Expr {
        self.adapted(expr, scalar, false)
    }

    fn adapted(&mut self, expr: Expr, scalar: Scalar, warns: bool) -> Expr {
        let Some(from) = self.literal_of(&expr) else { return expr };
        let native_16bit = self.native_16bit();
        let ty = self.types.scalar(scalar);
        let kind = match expr.kind {
            ExprKind::Const(bits) => {
                let adapted = literal_bits(from, bits, scalar, native_16bit);
                let is_new = !self.is_infinite(from, bits) && self.is_infinite(scalar, adapted);
                if warns && is_new {
                    self.warn_infinite(scalar, expr.span);
                }
                ExprKind::Const(adapted)
            }
            ExprKind::Conditional { short_circuit, cond, then, else_ } => {
                let [then, else_] = [then, else_].map(|it| self.adapted(*it, scalar, warns));
                ExprKind::Conditional {
                    short_circuit,
                    cond,
                    then: then.into(),
                    else_: else_.into(),
                }
            }
            other => other,
        };
        Expr { kind, ty, span: expr.span }
    }

    /// Whether these are the bits of an infinity.
    pub(super) fn is_infinite(&self, scalar: Scalar, bits: u64) -> bool {
        let ty = if scalar.is_literal() { held_as(scalar) } else { scalar.ty(self.native_16bit()) };
        match ty {
            Ty::F16 => bits & 0x7fff == 0x7c00,
            Ty::F32 => f32::from_bits(bits as u32).is_infinite(),
            Ty::F64 => f64::from_bits(bits).is_infinite(),
            _ => false,
        }
    }

    /// Warns about a number that is too large for its type.
    pub(super) fn warn_infinite(&mut self, scalar: Scalar, span: Span) {
        let ty = self.types.scalar(scalar);
        let name = self.name_of(ty);
        let most = match scalar.ty(self.native_16bit()) {
            Ty::F16 => "65504",
            Ty::F64 => "1.7976931348623157e308",
            _ => "3.4028235e38",
        };
        let message = format!("this number is beyond the range of `{name}` and becomes infinity");
        let report = Diagnostic::new(&code::LOSSY_CONVERSION, span, message);
        let help = format!("the largest `{name}` is {most}; infinity is written `1.#INF`");
        self.report(report.help(help));
    }

    /// The default type of a literal expression.
    fn settled_type(&self, expr: &Expr) -> Scalar {
        let Some(scalar) = self.literal_of(expr) else { return Scalar::I32 };
        match &expr.kind {
            ExprKind::Const(bits) => default_type(scalar, *bits),
            ExprKind::Conditional { then, else_, .. } => {
                crate::types::convert::join(self.settled_type(then), self.settled_type(else_))
            }
            _ => default_type(scalar, 0),
        }
    }

    /// Gives a literal expression its default type; other expressions are unchanged.
    pub(super) fn settle(&mut self, expr: Expr) -> Expr {
        if self.literal_of(&expr).is_none() {
            return expr;
        }
        let scalar = self.settled_type(&expr);
        self.adapt(expr, scalar)
    }

    /// The type of the result of [`Checker::settle`].
    pub(super) fn settled(&mut self, expr: &Expr) -> TypeId {
        if self.literal_of(expr).is_none() {
            return expr.ty;
        }
        let scalar = self.settled_type(expr);
        self.types.scalar(scalar)
    }
}
