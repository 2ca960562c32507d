//! Expressions: dispatch over their kinds, literals, names.

use diag::{Diagnostic, Span, code};

use super::Checker;
use super::scope::{Declared, Local, ScopeId, ScopeKind, ValueEntity, Wanted};
use super::work::cost;
use crate::ast::{self, FloatLiteral, FloatSuffix, IntLiteral};
use crate::hir::{Expr, ExprKind, LocalId};
use crate::library;
use crate::options::Version;
use crate::types::{Scalar, Type, TypeId, Types};

impl<'a> Checker<'a> {
    pub(super) fn expr(&mut self, expr: &'a ast::Expr) -> Expr {
        let names = self.scopes.take_steps();
        if !self.spend(cost::EXPR + names, expr.span) {
            return self.broken(expr.span);
        }
        let checked = self.deeper(expr.span, |this| this.expr_inner(expr));
        checked.unwrap_or_else(|| self.broken(expr.span))
    }

    /// Lvalue-to-rvalue conversion: an expression whose value is used, in which a constant buffer means its contents.
    pub(super) fn value(&mut self, expr: &'a ast::Expr) -> Expr {
        let checked = self.expr(expr);
        self.contents(checked)
    }

    // Each kind has its own function, which keeps the frame of this recursive one small.
    fn expr_inner(&mut self, expr: &'a ast::Expr) -> Expr {
        use ast::ExprKind as K;
        let span = expr.span;
        match &expr.kind {
            K::Error => self.broken(span),
            K::Int(literal) => self.int_literal(*literal, span),
            K::Float(literal) => self.float_literal(*literal, span),
            K::Bool(value) => self.constant_of(Types::BOOL, u64::from(*value), span),
            K::String(text) => {
                let ty = self.types.intern(Type::String);
                let number = self.types.text_id(text);
                self.constant_of(ty, number, span)
            }
            K::Name(path) => self.name_expr(path, span),
            K::This => self.this(span),
            K::Unary { op, operand } => self.unary(*op, operand, span),
            K::Step { op, postfix, operand } => self.step(*op, *postfix, operand, span),
            K::Binary { first, rest } => self.binary_chain(first, rest),
            K::Assign { op, op_span, target, value } => {
                self.assign(*op, *op_span, target, value, span)
            }
            K::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, span)
            }
            K::Comma(parts) => self.comma(parts, span),
            K::Cast { ty, dims, operand } => self.cast(ty, dims, operand, span),
            K::Construct { ty, args } => self.construct(ty, args, span),
            K::Call { callee, args, args_span } => self.call(callee, args, *args_span, span),
            K::Member { base, name, args } => self.member_expr(base, name, args.is_some(), span),
            K::Index { base, index } => self.index_expr(base, index, span),
            K::List(parts) => {
                for part in parts {
                    self.expr(part);
                }
                let report = Diagnostic::new(
                    &code::BAD_INITIALIZER,
                    span,
                    "a list in braces can only initialise a variable",
                );
                self.report(report.help("construct a vector or a matrix with `T(…)`"));
                self.broken(span)
            }
            K::SizeOfType { ty, dims } => {
                let ty = self.ty(ty);
                let ty = self.array(ty, dims);
                self.size_of(ty, span)
            }
            K::SizeOfExpr(operand) => {
                let outer = std::mem::replace(&mut self.is_unevaluated, true);
                let operand = self.value(operand);
                self.is_unevaluated = outer;
                let ty = self.settled(&operand);
                self.size_of(ty, span)
            }
        }
    }

    fn int_literal(&mut self, literal: IntLiteral, span: Span) -> Expr {
        if literal.decimal && !literal.unsigned && i64::try_from(literal.value).is_err() {
            self.unsigned_literals.insert((span.lo, span.hi));
        }
        if self.options.hlsl_version >= Version::V202x {
            return self.conforming_int(literal, span);
        }
        let wide = u32::try_from(literal.value).is_err();
        let scalar = match (literal.unsigned, literal.long) {
            (false, false) => Scalar::LiteralInt,
            (true, false) if !wide => Scalar::U32,
            (true, _) => Scalar::U64,
            (false, true) => Scalar::I64,
        };
        let ty = self.types.scalar(scalar);
        self.constant_of(ty, literal.value, span)
    }

    /// From HLSL 202x on, a literal has the first type that can hold its value, as in C.
    fn conforming_int(&mut self, literal: IntLiteral, span: Span) -> Expr {
        use Scalar::*;
        let candidates: &[Scalar] = match (literal.unsigned, literal.long, literal.decimal) {
            (false, false, true) => &[I32, I64],
            (false, false, false) => &[I32, U32, I64, U64],
            (false, true, true) => &[I64],
            (false, true, false) => &[I64, U64],
            (true, false, _) => &[U32, U64],
            (true, true, _) => &[U64],
        };
        let holds = |scalar: &&Scalar| match scalar {
            I32 => i32::try_from(literal.value).is_ok(),
            U32 => u32::try_from(literal.value).is_ok(),
            I64 => i64::try_from(literal.value).is_ok(),
            _ => true,
        };
        let scalar = candidates.iter().find(holds).copied().unwrap_or(U64);
        let ty = self.types.scalar(scalar);
        self.constant_of(ty, literal.value, span)
    }

    fn float_literal(&mut self, literal: FloatLiteral, span: Span) -> Expr {
        let value = literal.value;
        let scalar = match literal.suffix {
            FloatSuffix::None if self.options.hlsl_version >= Version::V202x => Scalar::F32,
            FloatSuffix::None => Scalar::LiteralFloat,
            FloatSuffix::Float => Scalar::F32,
            FloatSuffix::Half => super::ty::scalar(ast::Scalar::Half, self.native_16bit()),
            FloatSuffix::Double => Scalar::F64,
        };
        let bits = super::literal::literal_bits(
            Scalar::LiteralFloat,
            value.to_bits(),
            scalar,
            self.native_16bit(),
        );
        let bits = if scalar == Scalar::LiteralFloat { value.to_bits() } else { bits };
        if literal.overflows || value.is_finite() && self.is_infinite(scalar, bits) {
            self.warn_infinite(
                if scalar == Scalar::LiteralFloat { Scalar::F64 } else { scalar },
                span,
            );
        }
        let ty = self.types.scalar(scalar);
        self.constant_of(ty, bits, span)
    }

    fn size_of(&mut self, ty: TypeId, span: Span) -> Expr {
        if ty == Types::ERROR || self.types.holds_resource(ty) || ty == Types::VOID {
            if ty != Types::ERROR {
                let message = format!("`{}` has no size", self.name_of(ty));
                self.error(&code::TYPE_MISMATCH, span, message);
            }
            return self.broken(span);
        }
        let packing = crate::types::Packing::Structured;
        let size = crate::types::layout_of(&self.types, ty, packing, self.native_16bit()).size;
        self.constant_of(Types::UINT, size.into(), span)
    }

    fn comma(&mut self, parts: &'a [ast::Expr], span: Span) -> Expr {
        let mut result: Option<Expr> = None;
        let length = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        let Some(height) = self.grow(length, span) else { return self.broken(span) };
        for part in parts {
            let part = self.expr(part);
            result = Some(match result {
                None => part,
                Some(first) => {
                    let first = self.settle(first);
                    let part = self.settle(part);
                    let (ty, span) = (part.ty, first.span.to(part.span));
                    Expr { kind: ExprKind::Comma(first.into(), part.into()), ty, span }
                }
            });
        }
        self.height = height;
        result.unwrap_or_else(|| self.broken(span))
    }

    /// Adds to the height of the expression tree; returns the previous height, or `None` beyond the limit.
    pub(super) fn grow(&mut self, by: u32, span: Span) -> Option<u32> {
        let before = self.height;
        if before.saturating_add(by) > super::MOST_HEIGHT {
            self.error(&code::NESTING_TOO_DEEP, span, "operators are nested too deeply");
            return None;
        }
        self.height += by;
        Some(before)
    }

    // Names.

    fn this(&mut self, span: Span) -> Expr {
        match self.body.as_ref().and_then(|body| body.this) {
            Some(ty) => Expr { kind: ExprKind::Local(LocalId(0)), ty, span },
            None => {
                self.error(&code::UNKNOWN_NAME, span, "`this` is only valid in a method");
                self.broken(span)
            }
        }
    }

    fn name_expr(&mut self, path: &'a ast::Path, span: Span) -> Expr {
        let found = match self.declared_value(path) {
            Ok(found) => found,
            Err(()) => return self.broken(span),
        };
        let Some((scope, mut declared)) = found else { return self.undeclared(path, span) };
        if let (ValueEntity::Template(index), Some(_)) = (&declared.entity, &path.last.args) {
            let Some(entity) = self.variable_instance(*index, &path.last) else {
                return self.broken(span);
            };
            declared.entity = entity;
            return self.entity_expr(scope, declared, &path.last.ident, span);
        }
        if let (Some(_), false) =
            (&path.last.args, matches!(declared.entity, ValueEntity::Functions(_)))
        {
            let message = format!("`{}` is not a template", path.last.ident.name);
            self.error(&code::BAD_TEMPLATE, span, message);
            return self.broken(span);
        }
        self.entity_expr(scope, declared, &path.last.ident, span)
    }

    /// The expression for the use of a declaration.
    pub(super) fn entity_expr(
        &mut self,
        scope: ScopeId,
        declared: Declared<ValueEntity>,
        ident: &ast::Ident,
        span: Span,
    ) -> Expr {
        match declared.entity {
            ValueEntity::Broken => self.broken(span),
            ValueEntity::Constant(ty, bits) => self.constant_of(ty, bits, span),
            ValueEntity::Local(Local { ty, value: Some(bits), .. }) => {
                self.constant_of(ty, bits, span)
            }
            ValueEntity::Local(local) => {
                if self.body.as_ref().is_some_and(|body| body.function == local.owner) {
                    return Expr { kind: ExprKind::Local(local.id), ty: local.ty, span };
                }
                self.foreign_local(local, declared.span, ident, span)
            }
            ValueEntity::Global(id) => {
                Expr { kind: ExprKind::Global(id), ty: self.global(id).global.ty, span }
            }
            ValueEntity::Resource(id) => {
                let ty = self.resources[id.0 as usize].ty;
                Expr { kind: ExprKind::Resource(id), ty, span }
            }
            ValueEntity::BufferMember(id, field) => {
                let buffer = self.resources[id.0 as usize].ty;
                let base = Expr { kind: ExprKind::Resource(id), ty: buffer, span };
                let Some(ty) = self.buffer_field(buffer, field) else { return self.broken(span) };
                if let (true, Some(bits)) =
                    (self.wants_constant, self.globals_initializers.get(&(id, field)))
                {
                    return self.constant_of(ty, *bits, span);
                }
                Expr { kind: ExprKind::Field(base.into(), field), ty, span }
            }
            ValueEntity::Field(field) => self.own_field(scope, field, ident, span),
            ValueEntity::Template(_) => {
                let message = format!("the template `{}` needs arguments", ident.name);
                self.error(&code::BAD_TEMPLATE, span, message);
                self.broken(span)
            }
            ValueEntity::Functions(_) => {
                let message = format!("`{}` is a function and can only be called", ident.name);
                self.error(&code::TYPE_MISMATCH, span, message);
                self.broken(span)
            }
        }
    }

    /// A local of an enclosing function: around the struct of this method, or around a default argument.
    fn foreign_local(
        &mut self,
        local: Local,
        declared: Span,
        ident: &ast::Ident,
        span: Span,
    ) -> Expr {
        if self.is_unevaluated {
            // Unevaluated operand: only the type matters.
            return Expr { kind: ExprKind::Construct(Vec::new()), ty: local.ty, span };
        }
        let (name, of) = (&ident.name, &self.function(local.owner).name);
        let message =
            format!("reference to local variable `{name}` declared in enclosing function `{of}`");
        let report = Diagnostic::new(&code::UNKNOWN_NAME, span, message)
            .also(declared, format!("`{name}` is declared here"))
            .help("pass it as an argument, keep it in a field, or make it a constant with `static const`");
        self.report(report);
        self.broken(span)
    }

    fn buffer_field(&mut self, buffer: TypeId, field: u32) -> Option<TypeId> {
        use crate::types::ResourceType::{Constant, TextureBuffer};
        let Type::Resource(Constant(ty) | TextureBuffer(ty)) = self.types.get(buffer) else {
            return None;
        };
        let Type::Struct(id) = self.types.get(ty) else { return None };
        self.types.structure(id).fields.get(field as usize).map(|it| it.ty)
    }

    /// A field named without an object, as in a method.
    fn own_field(&mut self, scope: ScopeId, field: u32, ident: &ast::Ident, span: Span) -> Expr {
        let owner = match self.scopes.kind(scope) {
            ScopeKind::Struct(id) => Some(*id),
            _ => None,
        };
        let this = self.body.as_ref().and_then(|body| body.this);
        if let (Some(owner), Some(this)) = (owner, this) {
            let owner = self.types.intern(Type::Struct(owner));
            if self.derives_from(this, owner) {
                let base = Expr { kind: ExprKind::Local(LocalId(0)), ty: this, span };
                return self.field_of(base, field, span);
            }
        }
        let message = format!("`{}` is a field, but there is no object here", ident.name);
        self.error(&code::UNKNOWN_NAME, span, message);
        self.broken(span)
    }

    fn undeclared(&mut self, path: &'a ast::Path, span: Span) -> Expr {
        let ident = &path.last.ident;
        let name = ident.name.as_str();
        if path.scope.is_empty() {
            if let Some(heap) = self.heap(name, span) {
                return heap;
            }
            if let Some(flag) = library::flag(name) {
                return self.constant_of(Types::UINT, u64::from(flag), span);
            }
            if library::is_function(name) || ops::intrinsics::by_name(name).is_some() {
                let message = format!("`{name}` is a function and can only be called");
                self.error(&code::TYPE_MISMATCH, span, message);
                return self.broken(span);
            }
            if path.library {
                self.not_in_library(path, "variable");
                return self.broken(span);
            }
            if self.scopes.find_type(self.scopes.current(), name).is_some() {
                let message = format!("expected a value, found the type `{name}`");
                self.error(&code::TYPE_MISMATCH, span, message);
                return self.broken(span);
            }
        }
        let scope = match path.global || !path.scope.is_empty() {
            true => self.scope_of(path.global, &path.scope),
            false => None,
        };
        self.unknown(ident, "variable", Wanted::Variable, scope);
        self.broken(span)
    }
}
