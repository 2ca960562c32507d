//! Warnings about a checked function: unused values, constant comparisons, shifts out of range, divisions by zero.

use diag::{Diagnostic, Span, code};

use super::uninitialized;
use crate::hir::{Arg, Expr, ExprKind, Function, Stmt, StmtKind};
use crate::library::Function as LibraryFunction;
use crate::types::{BinaryOp, Type, Types};
use crate::walk::{each_expr, each_stmt, roots};

/// Lints a function. Template instances are only linted where the template's arguments do not matter.
pub(crate) fn body(
    function: &Function,
    types: &Types,
    is_instance: bool,
    native_16bit: bool,
) -> Vec<Diagnostic> {
    let mut reader = Reader { types, is_instance, native_16bit, reports: Vec::new() };
    each_stmt(&function.body, |stmt| reader.stmt(stmt));
    reader.reports.append(&mut uninitialized::find(function, types));
    reader.reports
}

struct Reader<'a> {
    types: &'a Types,
    is_instance: bool,
    native_16bit: bool,
    reports: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Expr(expr) = &stmt.kind {
            self.unused(expr);
        }
        for root in roots(stmt) {
            each_expr(root, |expr| self.expr(expr));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary(op, lhs, rhs) => {
                self.operation(*op, lhs, rhs);
                self.comparison(*op, lhs, rhs, expr.span);
            }
            ExprKind::AssignOp { op, place, value, .. } => self.operation(*op, place, value),
            _ => {}
        }
    }

    fn operation(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr) {
        let Some(scalar) = self.types.scalar_of(lhs.ty).filter(|it| it.is_int()) else { return };
        let Some(by) = constant(rhs).filter(|_| rhs.span.expansion.is_none()) else { return };
        match op {
            BinaryOp::Shl | BinaryOp::Shr => {
                let bits = scalar.ty(self.native_16bit).bits();
                let is_negative = scalar.sign() == ops::Sign::Signed && (by >> (bits - 1)) & 1 == 1;
                if by < u64::from(bits) {
                    return;
                }
                let name = self.types.name(lhs.ty);
                let message = match is_negative {
                    true => "the shift amount is negative".to_owned(),
                    false => format!("`{name}` has {bits} bits, but this shifts by {by}"),
                };
                let used = by % u64::from(bits);
                self.reports.push(
                    Diagnostic::new(&code::SHIFT_OUT_OF_RANGE, rhs.span, message).note(format!(
                        "only the low bits of the amount count: this shifts by {used}"
                    )),
                );
            }
            BinaryOp::Div | BinaryOp::Rem if by == 0 && !self.is_instance => {
                self.reports.push(
                    Diagnostic::new(
                        &code::DIVISION_BY_ZERO,
                        rhs.span,
                        "an integer is divided by zero",
                    )
                    .note(
                        "the result has all bits set on most devices, and is undefined on others",
                    ),
                );
            }
            _ => {}
        }
    }

    /// Warns about comparisons of unsigned values with zero that are always true or always false.
    fn comparison(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, span: Span) {
        let is_unsigned = |it: &Expr| {
            let scalar = self.types.scalar_of(it.ty);
            scalar.is_some_and(|it| it.is_int() && it.sign() == ops::Sign::Unsigned)
        };
        if self.is_instance || !span.expansion.is_none() || !is_unsigned(lhs) {
            return;
        }
        let (value, answer) = match (op, constant(lhs), constant(rhs)) {
            (BinaryOp::Ge, None, Some(0)) => (lhs, true),
            (BinaryOp::Lt, None, Some(0)) => (lhs, false),
            (BinaryOp::Le, Some(0), None) => (rhs, true),
            (BinaryOp::Gt, Some(0), None) => (rhs, false),
            _ => return,
        };
        let zero = if std::ptr::eq(value, lhs) { rhs } else { lhs };
        if !zero.span.expansion.is_none() || !value.span.expansion.is_none() {
            return;
        }
        let ty = self.types.name(value.ty);
        self.reports.push(
            Diagnostic::new(
                &code::CONSTANT_COMPARISON,
                span,
                format!("this is always {answer}: a `{ty}` is never negative"),
            )
            .help("use an `int`, or change the comparison"),
        );
    }

    fn unused(&mut self, expr: &Expr) {
        if !expr.span.expansion.is_none() || has_effects(expr) {
            return;
        }
        let (message, help) = match &expr.kind {
            ExprKind::Binary(BinaryOp::Eq, ..) => {
                ("the result of this comparison is not used", Some("use `=` to assign"))
            }
            ExprKind::Binary(op, ..) if op.is_comparison() => {
                ("the result of this comparison is not used", None)
            }
            ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Logic { .. } => {
                ("the result of this operation is not used", None)
            }
            ExprKind::Library { function: LibraryFunction::Pure(_), .. } => (
                "the result of this call is not used, and the call has no other effect",
                Some("assign the result: library functions do not change their arguments"),
            ),
            _ => return,
        };
        // Already reported.
        if self.types.get(expr.ty) == Type::Error {
            return;
        }
        let report = Diagnostic::new(&code::UNUSED_VALUE, expr.span, message);
        self.reports.push(match help {
            Some(help) => report.help(help),
            None => report,
        });
    }
}

/// The bits of a literal, or of a splat of one.
fn constant(expr: &Expr) -> Option<u64> {
    match &expr.kind {
        ExprKind::Const(bits) => Some(*bits),
        ExprKind::Convert(inner) if inner.ty != expr.ty => match inner.kind {
            ExprKind::Const(bits) => Some(bits),
            _ => None,
        },
        _ => None,
    }
}

fn has_effects(expr: &Expr) -> bool {
    let mut found = false;
    each_expr(expr, |it| {
        found |= match &it.kind {
            ExprKind::Assign(..)
            | ExprKind::AssignOp { .. }
            | ExprKind::Step { .. }
            | ExprKind::Call { .. }
            | ExprKind::Method { .. }
            | ExprKind::Wave { .. } => true,
            ExprKind::Library { function, args } => {
                !matches!(function, LibraryFunction::Pure(_))
                    || args.iter().any(|it| matches!(it, Arg::Out { .. }))
            }
            _ => false,
        };
    });
    found
}
