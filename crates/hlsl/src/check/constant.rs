//! Constant expressions: sizes of arrays, labels, arguments of attributes.

use diag::{Diagnostic, Span, code};

use super::{Checker, fold};
use crate::ast;
use crate::hir::{Expr, ExprKind, GlobalId};
use crate::types::{Scalar, Type, Types};

impl<'a> Checker<'a> {
    /// The bits of the scalars of a constant expression; a literal has 64.
    pub(super) fn constant(&self, expr: &Expr) -> Option<Vec<u64>> {
        match (&expr.kind, self.literal_of(expr)) {
            (ExprKind::Const(bits), _) => Some(vec![*bits]),
            (ExprKind::Conditional { cond, then, else_, .. }, Some(_)) => {
                let cond = self.constant(cond)?;
                self.constant(if cond.first() == Some(&1) { then } else { else_ })
            }
            _ => {
                let globals = |id: GlobalId| self.global(id).value.clone();
                fold::fold(&self.types, self.native_16bit(), expr, &globals)
            }
        }
    }

    /// The value of a constant expression of an integer type or `bool`.
    pub(super) fn integer_of(&self, expr: &Expr) -> Option<i64> {
        let Type::Scalar(scalar) = self.types.get(expr.ty) else { return None };
        let [bits] = *self.constant(expr)?.as_slice() else { return None };
        Some(match scalar {
            Scalar::LiteralInt | Scalar::I64 | Scalar::U64 => bits as i64,
            Scalar::Bool => i64::from(bits == 1),
            _ if scalar.is_float() => return None,
            _ => {
                let ty = scalar.ty(self.native_16bit());
                let shift = 64 - ty.bits();
                match scalar.sign() {
                    ops::Sign::Signed => ((bits << shift) as i64) >> shift,
                    ops::Sign::Unsigned => ((bits << shift) >> shift) as i64,
                }
            }
        })
    }

    /// Checks an expression and returns its integer value; reports where it has none.
    pub(super) fn constant_integer(
        &mut self,
        expr: &'a ast::Expr,
        what: &str,
    ) -> Option<(i64, Expr)> {
        let checked = self.constant_expr(expr);
        if checked.ty == Types::ERROR {
            return None;
        }
        if let Some(value) = self.integer_of(&checked) {
            return Some((value, checked));
        }
        // A float with an integral value counts too: old shaders use such array sizes.
        if let (Some(scalar), Some(bits)) =
            (self.types.scalar_of(checked.ty), self.constant(&checked))
            && scalar.is_float()
            && let [bits] = *bits.as_slice()
        {
            let ty = if scalar == Scalar::LiteralFloat {
                ops::Ty::F64
            } else {
                scalar.ty(self.native_16bit())
            };
            let op = ops::Unary::Convert {
                to: ops::Ty::I64,
                from_sign: ops::Sign::Signed,
                to_sign: ops::Sign::Signed,
            };
            return Some((ops::scalar::eval_unary(op, ty, bits) as i64, checked));
        }
        let message = match self.constant(&checked) {
            Some(_) => {
                let name = self.name_of(checked.ty);
                format!("{what} must be an integer, not `{name}`")
            }
            None => format!("{what} must be known at compile time"),
        };
        let mut report = Diagnostic::new(&code::NOT_CONSTANT, expr.span, message);
        if let Some((name, span)) = self.variable_in(&checked) {
            report = report
                .also(span, format!("`{name}` is a variable"))
                .help(format!("declare `{name}` as `static const`, with a constant initialiser"));
        }
        self.report(report);
        None
    }

    /// The first variable in an expression that is not a constant.
    fn variable_in(&self, expr: &Expr) -> Option<(String, Span)> {
        match &expr.kind {
            ExprKind::Local(id) => {
                let local = self.body.as_ref()?.locals.get(id.0 as usize)?;
                Some((local.name.clone(), local.span))
            }
            ExprKind::Global(id) if self.global(*id).value.is_none() => {
                let global = &self.global(*id).global;
                Some((global.name.clone(), global.span))
            }
            ExprKind::Field(base, _)
            | ExprKind::Swizzle(base, _)
            | ExprKind::MatrixSwizzle(base, _)
            | ExprKind::Unary(_, base)
            | ExprKind::Convert(base) => self.variable_in(base),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
                self.variable_in(a).or_else(|| self.variable_in(b))
            }
            _ => None,
        }
    }

    /// `static_assert(condition, message);`
    pub(super) fn static_assert(&mut self, assert: &'a ast::StaticAssert, span: Span) {
        let condition = self.constant_expr(&assert.condition);
        if condition.ty == Types::ERROR {
            return;
        }
        let condition = self.condition(condition, "`static_assert`");
        let Some(value) = self.constant(&condition) else {
            if condition.ty != Types::ERROR {
                let message = "the condition of `static_assert` must be known at compile time";
                self.error(&code::NOT_CONSTANT, assert.condition.span, message);
            }
            return;
        };
        if value.first() == Some(&0) {
            let message = match &assert.message {
                Some(text) => format!("static assertion failed: {text}"),
                None => "static assertion failed".to_owned(),
            };
            let report = Diagnostic::new(&code::STATIC_ASSERT, span, message);
            self.report(report.also(assert.condition.span, "this is false"));
        }
    }
}
