//! Calls of methods, of structs and of resources.

use diag::{Span, code};

use super::Checker;
use super::scope::{ValueEntity, Wanted};
use crate::ast::{self, TemplateArg};
use crate::hir::{Arg, Expr, ExprKind, FunctionId, Mode};
use crate::library::Method;
use crate::types::{Type, Types};

/// The object of a call.
pub(super) enum Object {
    /// A function without one.
    None,
    /// That of the method around the call.
    This(Expr),
    /// What stands before the `.`.
    Place(Expr),
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
        if let Some(structure) = self.struct_behind(object.ty) {
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

    /// `Get(i)` of a record of a work graph is a place: its element.
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
                    Some(Some(id)) => self.finish_call(id, Object::Place(object), args, span),
                    _ => self.broken(span),
                }
            }
            ValueEntity::Field(field) => {
                // A field that is an object with `operator()`.
                let mut all = vec![self.field_of(object, field, name.span)];
                all.extend(args);
                if self.struct_behind(all[0].ty).is_some() {
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
                    format!("`{}` is no method", name.name),
                );
                self.broken(span)
            }
        }
    }

    /// The object as the first argument of a method, and the copy of the method that works on its type.
    pub(super) fn object_arg(
        &mut self,
        id: FunctionId,
        object: Object,
        span: Span,
    ) -> Option<(FunctionId, Arg)> {
        let object = match object {
            Object::This(object) | Object::Place(object) => object,
            Object::None => {
                let message =
                    format!("`{}` needs an object to be called on", self.function(id).name);
                self.error(&code::NO_MATCHING_FUNCTION, span, message);
                return None;
            }
        };
        let object = self.contents(object);
        let ty = object.ty;
        let this = self.function(id).this?;
        if !self.derives_from(ty, this) {
            let message =
                format!("`{}` is no method of `{}`", self.function(id).name, self.name_of(ty));
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

    /// A method that works on objects of a type that inherits it.
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
        };
        self.functions.push(copy);
        let copy = FunctionId(self.functions.len() as u32 - 1);
        self.function_mut(id).copies.push((ty, copy));
        copy
    }

    /// Sees to it that a body that waits for its use gets checked.
    pub(super) fn use_function(&mut self, id: FunctionId) {
        let function = self.function_mut(id);
        if function.is_lazy && !function.is_queued {
            function.is_queued = true;
            self.pending.push_back(id);
        }
    }

    /// The body of a function that waits for its use is known now, and the use may have been before.
    pub(super) fn body_appeared(&mut self, id: FunctionId) {
        if std::mem::take(&mut self.function_mut(id).is_queued) {
            self.use_function(id);
        }
    }
}
