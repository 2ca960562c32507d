//! Method calls on structs and resources.

use diag::{Span, code};

use super::Checker;
use super::func::FirstUse;
use super::scope::{ValueEntity, Wanted};
use crate::ast::{self, TemplateArg};
use crate::hir::{Arg, Expr, ExprKind, FunctionId};
use crate::library::Method;
use crate::types::{Mode, Type, Types};

/// The object of a call.
pub(super) enum Receiver {
    /// The function is called without one.
    None,
    /// The object of the enclosing method.
    This(Expr),
    /// The expression before the `.`.
    Explicit(Expr),
}

impl<'a> Checker<'a> {
    pub(super) fn method_call(
        &mut self,
        base: &'a ast::Expr,
        name: &'a ast::Ident,
        template: Option<&'a [TemplateArg]>,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Expr {
        let object = self.expr(base);
        let values: Vec<Expr> = args.iter().map(|it| self.expr(it)).collect();
        if object.ty == Types::ERROR || values.iter().any(|it| it.ty == Types::ERROR) {
            return self.broken(span);
        }
        let (object, values) =
            self.with_sampler(object, &name.name, values, |this| this.expr(base));
        if let Some(structure) = self.struct_or_contents(object.ty) {
            return self.struct_method(object, structure, name, template, values, span);
        }
        match self.types.get(object.ty) {
            Type::Resource(_) => {
                let template_arg = match template {
                    None => None,
                    Some([arg]) => self.type_arg(arg),
                    Some(_) => {
                        self.error(
                            &code::BAD_TEMPLATE,
                            name.span,
                            format!("`{}` takes one type in `< >`", name.name),
                        );
                        return self.broken(span);
                    }
                };
                let call = self.resource_method(object, name, template_arg, values, span);
                self.record_place(call)
            }
            _ => {
                let message = format!("`{}` has no methods", self.name_of(object.ty));
                self.error(&code::UNKNOWN_NAME, name.span, message);
                self.broken(span)
            }
        }
    }

    /// `Get(i)` of a work-graph record is an lvalue: its element.
    fn record_place(&mut self, call: Expr) -> Expr {
        let Expr { kind: ExprKind::Method { method, object, mut args }, ty, span } = call else {
            return call;
        };
        if method != Method::Unsupported("Get") {
            return Expr { kind: ExprKind::Method { method, object, args }, ty, span };
        }
        let index = match args.pop() {
            Some(Arg::In(index)) => index,
            _ => self.constant_of(Types::UINT, 0, span),
        };
        Expr { kind: ExprKind::Index(object, index.into()), ty, span }
    }

    fn struct_method(
        &mut self,
        object: Expr,
        structure: crate::types::TypeId,
        name: &'a ast::Ident,
        template: Option<&'a [TemplateArg]>,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let scope = match self.types.get(structure) {
            Type::Struct(id) => self.structs.get(&id).map(|it| it.scope),
            _ => None,
        };
        let found = scope.and_then(|scope| self.scopes.value_in(scope, &name.name));
        let Some(declared) = found else {
            if let Some(scope) = scope {
                self.unknown(name, "method", Wanted::Function, Some(scope));
            }
            return self.broken(span);
        };
        match declared.entity {
            ValueEntity::Functions(callees) => {
                match self.resolve(&callees, template, &args, None, name, span) {
                    Some(Some(id)) => self.finish_call(id, Receiver::Explicit(object), args, span),
                    _ => self.broken(span),
                }
            }
            ValueEntity::Field(field) => {
                // A call of a field whose type has `operator()`.
                let mut all = vec![self.field_of(object, field, name.span)];
                all.extend(args);
                if self.struct_or_contents(all[0].ty).is_some() {
                    return self.overloaded(ast::Operator::Call, all, span);
                }
                self.error(
                    &code::TYPE_MISMATCH,
                    name.span,
                    format!("`{}` is a field, not a method", name.name),
                );
                self.broken(span)
            }
            _ => {
                self.error(
                    &code::TYPE_MISMATCH,
                    name.span,
                    format!("`{}` is not a method", name.name),
                );
                self.broken(span)
            }
        }
    }

    /// The object as the first argument of a method, and the copy of the method for its type.
    pub(super) fn object_arg(
        &mut self,
        id: FunctionId,
        object: Receiver,
        span: Span,
    ) -> Option<(FunctionId, Arg)> {
        let object = match object {
            Receiver::This(object) | Receiver::Explicit(object) => object,
            Receiver::None => {
                let message = format!("`{}` must be called on an object", self.function(id).name);
                self.error(&code::NO_MATCHING_FUNCTION, span, message);
                return None;
            }
        };
        let object = self.contents(object);
        let ty = object.ty;
        let this = self.function(id).this?;
        if !self.derives_from(ty, this) {
            let message =
                format!("`{}` is not a method of `{}`", self.function(id).name, self.name_of(ty));
            self.error(&code::NO_MATCHING_FUNCTION, span, message);
            return None;
        }
        let id = self.for_receiver(id, ty);
        let is_const = self.function(id).ast.is_const;
        let arg = match !is_const && self.is_writable(&object) {
            true => Arg::Out { place: object, ty, mode: Mode::InOut },
            false => Arg::In(object),
        };
        Some((id, arg))
    }

    /// The copy of an inherited method for objects of the derived type.
    fn for_receiver(&mut self, id: FunctionId, ty: crate::types::TypeId) -> FunctionId {
        let function = self.function(id);
        if function.this == Some(ty) {
            return id;
        }
        if let Some((_, copy)) = function.copies.iter().find(|(it, _)| *it == ty) {
            return *copy;
        }
        let copy = super::func::Function {
            name: function.name.clone(),
            ast: function.ast,
            attributes: function.attributes,
            scope: function.scope,
            this: Some(ty),
            params: function.params.clone(),
            result: function.result,
            span: function.span,
            definition: function.definition,
            body: None,
            gated: Vec::new(),
            copies: Vec::new(),
            origin: Some(id),
            is_instance: true,
            is_lazy: true,
            is_queued: false,
            first_use: None,
        };
        self.functions.push(copy);
        let copy = FunctionId(self.functions.len() as u32 - 1);
        self.function_mut(id).copies.push((ty, copy));
        copy
    }

    /// Queues a lazily checked body on its first use.
    pub(super) fn use_function(&mut self, id: FunctionId) {
        let function = self.function_mut(id);
        if function.is_lazy && !function.is_queued {
            function.is_queued = true;
            self.pending.push_back(id);
        }
    }

    /// Remembers the first call of a lazily checked function.
    pub(super) fn note_first_use(&mut self, id: FunctionId, call: Span) {
        let by = self.body.as_ref().map(|it| it.function);
        let function = self.function_mut(id);
        if function.is_lazy && function.first_use.is_none() {
            function.first_use = Some(FirstUse { call, by });
        }
    }

    /// Queues the body of a lazily checked function again, if the definition follows the first use.
    pub(super) fn body_appeared(&mut self, id: FunctionId) {
        if std::mem::take(&mut self.function_mut(id).is_queued) {
            self.use_function(id);
        }
    }
}
