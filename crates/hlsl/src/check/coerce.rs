//! Writes conversions out: where a value has another type than its place wants.

use diag::{Diagnostic, Span, code};

use super::{Checker, convert};
use crate::hir::{Expr, ExprKind};
use crate::types::{ResourceType, Type, TypeId, Types};

impl Checker<'_> {
    /// What stands where something was reported.
    pub(super) fn broken(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(0), ty: Types::ERROR, span }
    }

    pub(super) fn constant_of(&self, ty: TypeId, bits: u64, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(bits), ty, span }
    }

    /// The expression as a value of that type, which it is known to convert to.
    pub(super) fn convert(&mut self, expr: Expr, to: TypeId) -> Expr {
        if expr.ty == to || expr.ty == Types::ERROR || to == Types::ERROR {
            return expr;
        }
        let expr = match (self.literal_of(&expr), self.types.scalar_of(to)) {
            (Some(_), Some(scalar)) => self.adapt(expr, scalar),
            (Some(_), None) => self.settle(expr),
            (None, _) => expr,
        };
        if expr.ty == to {
            return expr;
        }
        let span = expr.span;
        Expr { kind: ExprKind::Convert(expr.into()), ty: to, span }
    }

    /// A `ConstantBuffer<T>` that is used as a value is its contents.
    pub(super) fn contents(&mut self, expr: Expr) -> Expr {
        match self.types.get(expr.ty) {
            Type::Resource(ResourceType::Constant(ty) | ResourceType::TextureBuffer(ty)) => {
                let span = expr.span;
                Expr { kind: ExprKind::Convert(expr.into()), ty, span }
            }
            _ => expr,
        }
    }

    /// The expression as a value of that type, converted without a cast; reports where that cannot be.
    pub(super) fn coerce(&mut self, expr: Expr, to: TypeId) -> Expr {
        let expr = if matches!(self.types.get(to), Type::Resource(_)) {
            expr
        } else {
            self.contents(expr)
        };
        match convert::implicit(&self.types, expr.ty, to) {
            Some(how) => {
                if how.truncates {
                    self.warn_truncation(&expr, to);
                }
                self.convert(expr, to)
            }
            None => {
                let (from, wanted) = (self.name_of(expr.ty), self.name_of(to));
                let mut report = Diagnostic::new(
                    &code::TYPE_MISMATCH,
                    expr.span,
                    format!("`{from}` does not convert to `{wanted}`"),
                )
                .label(format!("this is `{from}`"));
                if convert::explicit(&self.types, expr.ty, to) {
                    report = report.help(format!("a cast says that it is meant: `({wanted})…`"));
                }
                self.report(report);
                self.broken(expr.span)
            }
        }
    }

    pub(super) fn warn_truncation(&mut self, expr: &Expr, to: TypeId) {
        let (from, to) = (self.name_of(expr.ty), self.name_of(to));
        self.report(
            Diagnostic::new(
                &code::IMPLICIT_TRUNCATION,
                expr.span,
                format!("`{from}` loses components where it becomes `{to}`"),
            )
            .help(format!("a swizzle or the cast `({to})` says that it is meant")),
        );
    }

    /// The expression as a condition: one `bool`.
    pub(super) fn condition(&mut self, expr: Expr, what: &str) -> Expr {
        let expr = self.contents(expr);
        if expr.ty == Types::ERROR {
            return expr;
        }
        match convert::shape_of(&self.types, expr.ty) {
            Some(convert::Shape::Scalar | convert::Shape::Vector(1)) => {
                self.convert(expr, Types::BOOL)
            }
            Some(_) => {
                let name = self.name_of(expr.ty);
                self.report(
                    Diagnostic::new(
                        &code::VECTOR_CONDITION,
                        expr.span,
                        format!("the condition of {what} is one `bool`, and this is `{name}`"),
                    )
                    .help("`any(…)` or `all(…)` makes one `bool` of several"),
                );
                self.broken(expr.span)
            }
            None => self.coerce(expr, Types::BOOL),
        }
    }

    /// The expression as an index: `int` or `uint`, other numbers converted.
    pub(super) fn index(&mut self, expr: Expr) -> Expr {
        let expr = self.contents(expr);
        let expr = self.settle(expr);
        match self.types.get(expr.ty) {
            Type::Error => expr,
            Type::Scalar(scalar) if scalar.is_int() => match scalar {
                crate::types::Scalar::I32 | crate::types::Scalar::U32 => expr,
                other if other.sign() == ops::Sign::Signed => self.convert(expr, Types::INT),
                _ => self.convert(expr, Types::UINT),
            },
            Type::Scalar(crate::types::Scalar::Bool) => self.convert(expr, Types::UINT),
            _ => self.coerce(expr, Types::INT),
        }
    }
}
