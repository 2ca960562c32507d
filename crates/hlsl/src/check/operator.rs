//! Operators: arithmetic, comparison, logic, assignment.

use diag::{Diagnostic, Span, code};

use super::Checker;
use crate::ast::{self, Operand, Operator, StepOp};
use crate::hir::{Expr, ExprKind};
use crate::types::convert;
use crate::types::{BinaryOp, Scalar, Type, TypeId, Types, UnaryOp};

/// The lookup key of an overloaded operator, which cannot be written in source code.
pub(super) fn key(operator: Operator) -> String {
    format!("operator{}", symbol(operator))
}

fn symbol(operator: Operator) -> String {
    match operator {
        Operator::Binary(op) => op.symbol().to_owned(),
        Operator::Assign(op) => format!("{}=", op.symbol()),
        Operator::Set => "=".to_owned(),
        Operator::Unary(op) => op.symbol().to_owned(),
        Operator::Step(op) => op.symbol().to_owned(),
        Operator::Call => "()".to_owned(),
        Operator::Index => "[]".to_owned(),
        Operator::Comma => ",".to_owned(),
    }
}

/// What to do about an operator on bits whose operand is a float.
const BITS_OF_FLOATS: &str =
    "`asuint(…)` gives the bits of a float, and `(int)…` its value without the fraction";

/// The operator in the checked program; `None` for `&&` and `||`.
fn plain(op: ast::BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        ast::BinaryOp::Mul => BinaryOp::Mul,
        ast::BinaryOp::Div => BinaryOp::Div,
        ast::BinaryOp::Rem => BinaryOp::Rem,
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Sub => BinaryOp::Sub,
        ast::BinaryOp::Shl => BinaryOp::Shl,
        ast::BinaryOp::Shr => BinaryOp::Shr,
        ast::BinaryOp::Lt => BinaryOp::Lt,
        ast::BinaryOp::Gt => BinaryOp::Gt,
        ast::BinaryOp::Le => BinaryOp::Le,
        ast::BinaryOp::Ge => BinaryOp::Ge,
        ast::BinaryOp::Eq => BinaryOp::Eq,
        ast::BinaryOp::Ne => BinaryOp::Ne,
        ast::BinaryOp::BitAnd => BinaryOp::And,
        ast::BinaryOp::BitXor => BinaryOp::Xor,
        ast::BinaryOp::BitOr => BinaryOp::Or,
        ast::BinaryOp::And | ast::BinaryOp::Or => return None,
    })
}

impl<'a> Checker<'a> {
    fn is_struct(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Struct(_))
    }

    // One operand.

    pub(super) fn unary(&mut self, op: ast::UnaryOp, operand: &'a ast::Expr, span: Span) -> Expr {
        let operand = self.value(operand);
        if operand.ty == Types::ERROR {
            return operand;
        }
        if self.is_struct(operand.ty) {
            return self.overloaded(Operator::Unary(op), vec![operand], span);
        }
        let Some(scalar) = self.types.scalar_of(operand.ty) else {
            let message =
                format!("`{}` does not work on `{}`", op.symbol(), self.name_of(operand.ty));
            self.error(&code::TYPE_MISMATCH, span, message);
            return self.broken(span);
        };
        if scalar.is_scoped() {
            let message = format!(
                "`{}` does not work on `{}`, an `enum class`",
                op.symbol(),
                self.name_of(operand.ty)
            );
            self.error(&code::TYPE_MISMATCH, span, message);
            return self.broken(span);
        }
        let scalar = scalar.number();
        let number = if scalar == Scalar::Bool { Scalar::I32 } else { scalar };
        let (hir_op, wanted) = match op {
            ast::UnaryOp::Plus => (None, number),
            ast::UnaryOp::Minus => (Some(UnaryOp::Neg), number),
            ast::UnaryOp::BitNot => (Some(UnaryOp::BitNot), number),
            ast::UnaryOp::Not => (Some(UnaryOp::Not), Scalar::Bool),
        };
        if op == ast::UnaryOp::BitNot && scalar.is_float() {
            let message = format!("`~` works on integers, not on `{}`", self.name_of(operand.ty));
            let report = Diagnostic::new(&code::TYPE_MISMATCH, operand.span, message);
            self.report(report.help(BITS_OF_FLOATS));
            return self.broken(span);
        }
        let Some(hir_op) = hir_op else {
            let ty = self.types.with_scalar(operand.ty, wanted);
            return Expr { span, ..self.convert(operand, ty) };
        };
        if let Some(folded) = self.literal_unary(hir_op, &operand, span) {
            return folded;
        }
        let operand = if wanted == Scalar::Bool { operand } else { self.settle(operand) };
        let wanted = if wanted.is_literal() { convert::settled(wanted) } else { wanted };
        let ty = self.types.with_scalar(operand.ty, wanted);
        let operand = self.convert(operand, ty);
        let ty = operand.ty;
        Expr { kind: ExprKind::Unary(hir_op, operand.into()), ty, span }
    }

    pub(super) fn step(
        &mut self,
        op: StepOp,
        postfix: bool,
        operand: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let place = self.expr(operand);
        if place.ty == Types::ERROR {
            return place;
        }
        if self.is_struct(place.ty) {
            return self.overloaded(Operator::Step(op), vec![place], span);
        }
        if self.types.scalar_of(place.ty).is_none_or(|it| it != it.number()) {
            let message =
                format!("`{}` does not work on `{}`", op.symbol(), self.name_of(place.ty));
            self.error(&code::TYPE_MISMATCH, span, message);
            return self.broken(span);
        }
        if !self.require_writable(&place, "changed here") {
            return self.broken(span);
        }
        let ty = place.ty;
        let increment = op == StepOp::Increment;
        Expr { kind: ExprKind::Step { place: place.into(), increment, prefix: !postfix }, ty, span }
    }

    // Two operands.

    pub(super) fn binary_chain(&mut self, first: &'a ast::Expr, rest: &'a [Operand]) -> Expr {
        let length = u32::try_from(rest.len()).unwrap_or(u32::MAX);
        let Some(height) = self.grow(length, first.span) else { return self.broken(first.span) };
        let mut lhs = self.value(first);
        for operand in rest {
            let rhs = self.value(&operand.expr);
            let span = lhs.span.to(rhs.span);
            lhs = self.binary(operand.op, operand.op_span, lhs, rhs, span);
        }
        self.height = height;
        lhs
    }

    fn binary(
        &mut self,
        op: ast::BinaryOp,
        op_span: Span,
        lhs: Expr,
        rhs: Expr,
        span: Span,
    ) -> Expr {
        if lhs.ty == Types::ERROR || rhs.ty == Types::ERROR {
            return self.broken(span);
        }
        if self.is_struct(lhs.ty) || self.is_struct(rhs.ty) {
            return self.overloaded(Operator::Binary(op), vec![lhs, rhs], span);
        }
        let operator = Operator::Binary(op);
        let Some(op) = plain(op) else { return self.logic(op, lhs, rhs, span) };
        if let Some(folded) = self.literal_binary(op, &lhs, &rhs, span) {
            return folded;
        }
        let (lhs, rhs) = match (self.literal_of(&lhs), self.literal_of(&rhs)) {
            (Some(_), Some(_)) => (self.settle(lhs), self.settle(rhs)),
            // The type of a shift is that of its left operand: a shifted literal gets its default type.
            (Some(_), None) if matches!(op, BinaryOp::Shl | BinaryOp::Shr) => {
                (self.settle(lhs), rhs)
            }
            _ => (lhs, rhs),
        };
        let Some(ty) = convert::common(&mut self.types, op, lhs.ty, rhs.ty) else {
            return self.no_operator(operator, op_span, &lhs, &rhs, span);
        };
        let rhs_ty = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) { ty } else { rhs.ty };
        if self.types.scalar_count(lhs.ty) > 1 && self.types.scalar_count(rhs_ty) > 1 {
            for operand in [&lhs, &rhs] {
                if self.types.scalar_count(operand.ty) > self.types.scalar_count(ty) {
                    self.warn_truncation(operand, ty);
                }
            }
        }
        self.warn_cut(&lhs, ty);
        self.warn_cut(&rhs, ty);
        let (lhs, rhs) = (self.convert(lhs, ty), self.convert(rhs, ty));
        let ty = if op.is_comparison() { self.types.with_scalar(ty, Scalar::Bool) } else { ty };
        Expr { kind: ExprKind::Binary(op, lhs.into(), rhs.into()), ty, span }
    }

    fn no_operator(
        &mut self,
        operator: Operator,
        op_span: Span,
        lhs: &Expr,
        rhs: &Expr,
        span: Span,
    ) -> Expr {
        let (a, b) = (self.name_of(lhs.ty), self.name_of(rhs.ty));
        let message = format!("`{}` cannot be applied to `{a}` and `{b}`", symbol(operator));
        let report = Diagnostic::new(&code::TYPE_MISMATCH, op_span, message);
        let report = report.also(lhs.span, format!("`{a}`")).also(rhs.span, format!("`{b}`"));
        let scalars = [lhs.ty, rhs.ty].map(|it| self.types.scalar_of(it));
        let are_numbers = scalars.iter().all(Option::is_some);
        let has_float = scalars.into_iter().flatten().any(Scalar::is_float);
        self.report(match operator {
            Operator::Binary(op) | Operator::Assign(op)
                if op.is_of_bits() && are_numbers && has_float =>
            {
                report.help(BITS_OF_FLOATS)
            }
            _ => report,
        });
        self.broken(span)
    }

    /// `&&` and `||`.
    fn logic(&mut self, op: ast::BinaryOp, lhs: Expr, rhs: Expr, span: Span) -> Expr {
        let and = op == ast::BinaryOp::And;
        let short_circuit = self.is_2021();
        if short_circuit {
            for operand in [&lhs, &rhs] {
                if self.types.scalar_of(operand.ty).is_some()
                    && self.types.scalar_count(operand.ty) > 1
                {
                    let name = self.name_of(operand.ty);
                    let (symbol, function) = (op.symbol(), if and { "and" } else { "or" });
                    let report = Diagnostic::new(
                        &code::VECTOR_CONDITION,
                        operand.span,
                        format!("`{symbol}` takes a single `bool` in HLSL 2021, not `{name}`"),
                    );
                    self.report(
                        report.help(format!("use `{function}(a, b)` for a component-wise result")),
                    );
                    return self.broken(span);
                }
            }
        }
        let (lhs, rhs) = (self.settle(lhs), self.settle(rhs));
        let is_number = |it| self.types.scalar_of(it).is_some_and(|it| !it.is_scoped());
        let numeric = is_number(lhs.ty) && is_number(rhs.ty);
        let ty = match numeric {
            true => convert::with_common_shape(&mut self.types, lhs.ty, rhs.ty, Scalar::Bool),
            false => None,
        };
        let Some(ty) = ty else {
            return self.no_operator(Operator::Binary(op), span, &lhs, &rhs, span);
        };
        let ty = if short_circuit { Types::BOOL } else { ty };
        let (lhs, rhs) = (self.convert(lhs, ty), self.convert(rhs, ty));
        Expr {
            kind: ExprKind::Logic { and, short_circuit, lhs: lhs.into(), rhs: rhs.into() },
            ty,
            span,
        }
    }

    pub(super) fn conditional(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Expr,
        otherwise: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let cond = self.value(condition);
        let (then, else_) = (self.value(then), self.value(otherwise));
        if [cond.ty, then.ty, else_.ty].contains(&Types::ERROR) {
            return self.broken(span);
        }
        let short_circuit = self.is_2021();
        let is_vector =
            self.types.scalar_of(cond.ty).is_some() && self.types.scalar_count(cond.ty) > 1;
        if short_circuit && is_vector {
            let name = self.name_of(cond.ty);
            let report = Diagnostic::new(
                &code::VECTOR_CONDITION,
                cond.span,
                format!("the condition of `?:` must be a single `bool` in HLSL 2021, not `{name}`"),
            );
            self.report(report.help("use `select(c, a, b)` to select component by component"));
            return self.broken(span);
        }
        let cond = match is_vector {
            false => self.condition(cond, "`?:`"),
            true => {
                let ty = self.types.with_scalar(cond.ty, Scalar::Bool);
                self.convert(cond, ty)
            }
        };
        let Some(ty) = self.arms_type(&cond, &then, &else_) else {
            let (a, b) = (self.name_of(then.ty), self.name_of(else_.ty));
            let report = Diagnostic::new(
                &code::TYPE_MISMATCH,
                span,
                format!("the arms of `?:` have no common type: `{a}` and `{b}`"),
            );
            self.report(
                report.also(then.span, format!("`{a}`")).also(else_.span, format!("`{b}`")),
            );
            return self.broken(span);
        };
        let literal = self.types.scalar_of(ty).is_some_and(Scalar::is_literal);
        let (then, else_) = match literal {
            true => (self.as_literal(then, ty), self.as_literal(else_, ty)),
            false => (self.convert(then, ty), self.convert(else_, ty)),
        };
        let kind = ExprKind::Conditional {
            short_circuit,
            cond: cond.into(),
            then: then.into(),
            else_: else_.into(),
        };
        Expr { kind, ty, span }
    }

    /// The type of a `?:`.
    fn arms_type(&mut self, cond: &Expr, then: &Expr, else_: &Expr) -> Option<TypeId> {
        let (Some(a), Some(b)) = (self.types.scalar_of(then.ty), self.types.scalar_of(else_.ty))
        else {
            return (then.ty == else_.ty
                || convert::implicit(&self.types, then.ty, else_.ty)
                    == Some(convert::Implicit::IDENTITY))
            .then_some(then.ty);
        };
        if a != b && (a.is_scoped() || b.is_scoped()) {
            return None;
        }
        let scalar = convert::join(a, b);
        let ty = convert::with_common_shape(&mut self.types, then.ty, else_.ty, scalar)?;
        if self.types.scalar_count(cond.ty) <= 1 {
            return Some(ty);
        }
        // The condition selects component by component.
        let scalar = convert::settled(scalar);
        let ty = convert::with_common_shape(&mut self.types, ty, cond.ty, scalar)?;
        (self.types.scalar_count(ty) == self.types.scalar_count(cond.ty)).then_some(ty)
    }

    /// Converts a literal to another kind of literal.
    fn as_literal(&mut self, expr: Expr, ty: TypeId) -> Expr {
        if expr.ty == ty {
            return expr;
        }
        let span = expr.span;
        let kind = match expr.kind {
            // Integers become floats; the reverse never happens.
            ExprKind::Const(bits) => ExprKind::Const((bits as i64 as f64).to_bits()),
            ExprKind::Conditional { short_circuit, cond, then, else_ } => {
                let (then, else_) = (self.as_literal(*then, ty), self.as_literal(*else_, ty));
                ExprKind::Conditional {
                    short_circuit,
                    cond,
                    then: then.into(),
                    else_: else_.into(),
                }
            }
            other => other,
        };
        Expr { kind, ty, span }
    }

    // Assignments.

    pub(super) fn assign(
        &mut self,
        op: Option<ast::BinaryOp>,
        op_span: Span,
        target: &'a ast::Expr,
        value: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let place = self.expr(target);
        if place.ty == Types::ERROR {
            self.expr(value);
            return place;
        }
        match op {
            None => {
                if !self.require_writable(&place, "assigned here") {
                    self.expr(value);
                    return self.broken(span);
                }
                let (_, value) = self.init(place.ty, value);
                if value.ty == Types::ERROR {
                    return self.broken(span);
                }
                let ty = place.ty;
                Expr { kind: ExprKind::Assign(place.into(), value.into()), ty, span }
            }
            Some(op) => {
                let value = self.value(value);
                self.compound(op, op_span, place, value, span)
            }
        }
    }

    fn compound(
        &mut self,
        op: ast::BinaryOp,
        op_span: Span,
        place: Expr,
        value: Expr,
        span: Span,
    ) -> Expr {
        if value.ty == Types::ERROR {
            return value;
        }
        if self.is_struct(place.ty) || self.is_struct(value.ty) {
            return self.overloaded(Operator::Assign(op), vec![place, value], span);
        }
        if !self.require_writable(&place, "changed here") {
            return self.broken(span);
        }
        let operator = Operator::Assign(op);
        let Some(op) = plain(op) else { return self.broken(span) };
        let joined = convert::common(&mut self.types, op, place.ty, value.ty)
            .and_then(|joined| self.types.scalar_of(joined));
        let is_enum = matches!(self.types.scalar_of(place.ty), Some(Scalar::Enum(_)));
        let fits = !is_enum && convert::implicit(&self.types, value.ty, place.ty).is_some();
        let (Some(scalar), true) = (joined, fits) else {
            return self.no_operator(operator, op_span, &place, &value, span);
        };
        // The right operand takes the shape of the lvalue.
        let compute = self.types.with_scalar(place.ty, convert::settled(scalar));
        let value = self.coerce(value, compute);
        let ty = place.ty;
        Expr {
            kind: ExprKind::AssignOp { op, place: place.into(), compute, value: value.into() },
            ty,
            span,
        }
    }
}
