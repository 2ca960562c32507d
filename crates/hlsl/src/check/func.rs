//! Functions: signatures, prototypes and definitions, bodies.

use diag::{Diagnostic, Span, code};

use super::scope::{self, Callee, ScopeId, ScopeKind, Scopes, ValueEntity};
use super::{Checker, attr, stmt};
use crate::ast::{self, Attribute, FunctionName, Modifier, Operator};
use crate::hir::{self, FunctionId, LocalId};
use crate::lint;
use crate::options::Version;
use crate::types::{Mode, Type, TypeId, Types};

/// A declared function, or an instance of a template.
pub(super) struct Function<'a> {
    /// Qualified by the enclosing namespaces and structs.
    pub(super) name: String,
    pub(super) ast: &'a ast::Function,
    pub(super) attributes: &'a [Attribute],
    /// The scope in which its names are looked up.
    pub(super) scope: ScopeId,
    /// The type of the object, for a method that is not static.
    pub(super) this: Option<TypeId>,
    pub(super) params: Vec<Param<'a>>,
    pub(super) result: TypeId,
    pub(super) span: Span,
    /// The declaration that has a body.
    pub(super) definition: Option<&'a ast::Function>,
    /// The body, once it has been checked.
    pub(super) body: Option<hir::Function>,
    /// Reports that apply only if the program uses the function.
    pub(super) gated: Vec<Diagnostic>,
    /// Copies of a method for the structs that inherit it.
    pub(super) copies: Vec<(TypeId, FunctionId)>,
    /// The original of a copied method.
    pub(super) origin: Option<FunctionId>,
    /// An instance of a template or a copy.
    pub(super) is_instance: bool,
    /// Lazy instantiation: the body of an instance, of a copy, or of a method of a struct template's instance is
    /// checked on first use, since it may be valid only for some of the types that the struct is instantiated with.
    pub(super) is_lazy: bool,
    pub(super) is_queued: bool,
    /// Of a lazily checked function: the call that had its body checked, for errors in the body.
    pub(super) first_use: Option<FirstUse>,
}

/// The call that had the body of a lazily checked function checked.
#[derive(Clone, Copy)]
pub(super) struct FirstUse {
    pub(super) call: Span,
    /// The function with the call, if it is in one.
    pub(super) by: Option<FunctionId>,
}

#[derive(Clone)]
pub(super) struct Param<'a> {
    pub(super) name: Option<&'a ast::Ident>,
    pub(super) ty: TypeId,
    pub(super) mode: Mode,
    pub(super) is_const: bool,
    pub(super) default: Option<&'a ast::Expr>,
    pub(super) span: Span,
}

/// Properties of a local beyond its declaration.
#[derive(Clone, Copy, Default)]
pub(super) struct LocalFacts {
    pub(super) is_const: bool,
    /// It aliases memory that lanes share.
    pub(super) is_reference: bool,
}

/// The function whose body is being checked.
pub(super) struct Body {
    pub(super) function: FunctionId,
    pub(super) locals: Vec<hir::Local>,
    pub(super) facts: Vec<LocalFacts>,
    pub(super) result: TypeId,
    pub(super) result_span: Span,
    /// The type of the object, which is the first local.
    pub(super) this: Option<TypeId>,
    /// The number of loops around the current statement, and of loops and switches.
    pub(super) loops: u32,
    pub(super) breakable: u32,
    pub(super) gated: Vec<Diagnostic>,
}

/// A signature as declared.
pub(super) struct Signature<'a> {
    pub(super) params: Vec<Param<'a>>,
    pub(super) result: TypeId,
}

impl<'a> Checker<'a> {
    pub(super) fn needs_2021(&mut self, span: Span, what: &str) {
        if !self.is_2021() {
            let report =
                Diagnostic::new(&code::NEEDS_HLSL_2021, span, format!("{what} require HLSL 2021"));
            self.report(report.help("compile with `-HV 2021`"));
        }
    }

    /// Reports a feature that HLSL 202x removed.
    pub(super) fn removed(&mut self, span: Span, what: &str) {
        if self.options.hlsl_version >= Version::V202x {
            let message = format!("HLSL 202x no longer has {what}");
            let report = Diagnostic::new(&code::BAD_DECLARATION, span, message);
            self.report(report.help("`-HV 2021` is the last version that has them"));
        }
    }

    /// The lookup key of a function; operators have keys that cannot be written in source code.
    pub(super) fn key(name: &FunctionName) -> ast::Name {
        match name {
            FunctionName::Plain(ident) => ident.name.clone(),
            FunctionName::Operator(operator, _) => ast::Name::new(super::operator::key(*operator)),
            FunctionName::Conversion(_) => ast::Name::new("<conversion>"),
        }
    }

    pub(super) fn declare_function(
        &mut self,
        function: &'a ast::Function,
        attributes: &'a [Attribute],
    ) {
        match &function.name {
            FunctionName::Plain(_) => {}
            FunctionName::Operator(operator, span) => {
                self.needs_2021(*span, "operators for structs");
                if !self.operator_declared(*operator, *span, function.owner.is_some()) {
                    return;
                }
            }
            FunctionName::Conversion(span) => {
                let message = "HLSL has no conversion operators";
                let report = Diagnostic::new(&code::BAD_DECLARATION, *span, message);
                self.report(report.help("use a method that is named after its result"));
                return;
            }
        }
        if self.add_method_outside(function, attributes) {
            return;
        }
        let scope = match &function.owner {
            None => self.scopes.current(),
            Some(owner) => {
                let mut scope = owner.global.then_some(Scopes::FILE);
                for segment in owner.scope.iter().chain([&owner.last]) {
                    scope = self.scope_step(scope, segment);
                    if scope.is_none() {
                        return;
                    }
                }
                let Some(scope) = scope else { return };
                scope
            }
        };
        if let Some(head) = &function.template {
            self.needs_2021(head.span, "templates");
            match function.specializes.is_some() || head.params.is_empty() {
                true => self.specialization(function, attributes, scope),
                false => self.declare_template(function, attributes, scope),
            }
            return;
        }
        let Some(signature) = self.in_scope(scope, |this| this.signature(function)) else { return };
        let id = self.add_overload(function, attributes, scope, signature);
        if let Some(id) = id
            && function.body.is_some()
        {
            if self.function(id).is_lazy {
                self.body_appeared(id);
            } else if self.open_structs > 0 || self.body.is_some() {
                self.pending.push_back(id);
            } else {
                self.check_body(id);
            }
        }
    }

    /// Checks the declaration of an operator; `false` if the operator cannot be overloaded.
    fn operator_declared(&mut self, operator: Operator, span: Span, is_method: bool) -> bool {
        let key = super::operator::key(operator);
        if operator == Operator::Set {
            let message = "`operator=` cannot be defined: assignment always copies";
            let report = Diagnostic::new(&code::BAD_DECLARATION, span, message);
            self.report(report.help("use a named method instead"));
            return false;
        }
        let in_struct =
            is_method || matches!(self.scopes.kind(self.scopes.current()), ScopeKind::Struct(_));
        let message = match operator {
            Operator::Assign(_) | Operator::Step(_) => {
                format!("DXC does not let a program define `{key}`")
            }
            _ if !in_struct => format!("DXC accepts `{key}` only as a method of a struct"),
            _ => return true,
        };
        let report = Diagnostic::new(&code::DXC_PORTABILITY, span, message);
        self.report(match operator {
            Operator::Assign(op) => report.help(format!(
                "with `operator{}` defined, `a = a {} b` compiles everywhere",
                op.symbol(),
                op.symbol()
            )),
            Operator::Step(_) => report.help("a named method compiles everywhere"),
            _ => report.help("if the left operand is a struct, declare it there"),
        });
        true
    }

    /// The scope that one segment of a path names.
    pub(super) fn scope_step(
        &mut self,
        scope: Option<ScopeId>,
        segment: &'a ast::Segment,
    ) -> Option<ScopeId> {
        match scope {
            None => self.scope_of(false, std::slice::from_ref(segment)),
            Some(scope) => {
                self.in_scope(scope, |this| this.scope_of(false, std::slice::from_ref(segment)))
            }
        }
    }

    /// The types of the parameters and of the result, looked up in the current scope.
    pub(super) fn signature(&mut self, function: &'a ast::Function) -> Option<Signature<'a>> {
        let mut params: Vec<Param<'a>> = Vec::new();
        for param in &function.params {
            let base = self.ty_with(&param.ty, &param.modifiers);
            let mut ty = self.array(base, &param.dims);
            if ty == Types::VOID {
                self.error(
                    &code::BAD_DECLARATION,
                    param.ty.span,
                    "a parameter cannot be of type `void`",
                );
                ty = Types::ERROR;
            }
            if self.types.get(ty) == Type::String {
                let message = "a parameter cannot be of type `string`";
                self.error(&code::BAD_DECLARATION, param.ty.span, message);
                ty = Types::ERROR;
            }
            if matches!(self.types.get(ty), Type::Array { len: 0, .. }) && !self.is_resource(ty) {
                self.error(
                    &code::BAD_DECLARATION,
                    param.span,
                    "the size of an array parameter must be known",
                );
                ty = Types::ERROR;
            }
            if let Some(span) = param.modifiers.span(Modifier::Uniform) {
                self.removed(span, "`uniform` variables");
            }
            let has = |it| param.modifiers.has(it);
            let mode = match (has(Modifier::In), has(Modifier::Out), has(Modifier::InOut)) {
                _ if has(Modifier::GroupShared) => Mode::Reference,
                (_, _, true) | (true, true, _) => Mode::InOut,
                (_, true, _) => Mode::Out,
                (_, false, false) => Mode::In,
            };
            if mode == Mode::In
                && param.default.is_none()
                && params.last().is_some_and(|it| it.default.is_some())
            {
                self.error(
                    &code::BAD_DECLARATION,
                    param.span,
                    "parameters after one with a default need a default too",
                );
            }
            params.push(Param {
                name: param.name.as_ref(),
                ty,
                mode,
                is_const: has(Modifier::Const),
                default: param.default.as_ref(),
                span: param.name.as_ref().map_or(param.span, |it| it.span),
            });
        }
        let mut result = self.ty_with(&function.result, &function.modifiers);
        if self.types.get(result) == Type::String {
            let message = "a function cannot return a `string`";
            self.error(&code::BAD_DECLARATION, function.result.span, message);
            result = Types::ERROR;
        }
        Some(Signature { params, result })
    }

    /// Adds a function to the overloads of its name, or finds its prototype.
    pub(super) fn add_overload(
        &mut self,
        function: &'a ast::Function,
        attributes: &'a [Attribute],
        scope: ScopeId,
        signature: Signature<'a>,
    ) -> Option<FunctionId> {
        let key = Self::key(&function.name);
        let before = self.scopes.own_value(scope, &key).cloned();
        let mut callees = match before {
            Some(declared) => match declared.entity {
                ValueEntity::Functions(callees) => callees,
                ValueEntity::Broken => Vec::new(),
                _ => {
                    let ident = ast::Ident { name: key, span: function.name.span() };
                    self.duplicate(&ident, declared.span);
                    return None;
                }
            },
            None => Vec::new(),
        };
        for callee in &callees {
            let Callee::Function(id) = *callee else { continue };
            let known = self.function(id);
            let same = known.params.len() == signature.params.len()
                && known
                    .params
                    .iter()
                    .zip(&signature.params)
                    .all(|(a, b)| a.ty == b.ty && (a.mode == b.mode));
            if !same || known.is_instance {
                continue;
            }
            return self.redeclare(id, function, attributes, signature);
        }
        if function.owner.is_some() {
            let name = &key;
            let report = Diagnostic::new(
                &code::UNKNOWN_NAME,
                function.name.span(),
                format!("`{name}` with these parameters is not declared there"),
            );
            self.report(report);
            return None;
        }
        let id = self.add_function(function, attributes, scope, signature);
        callees.push(Callee::Function(id));
        let span = function.name.span();
        self.scopes.declare_value(scope, key, ValueEntity::Functions(callees), span);
        Some(id)
    }

    /// A second declaration of a function.
    pub(super) fn redeclare(
        &mut self,
        id: FunctionId,
        function: &'a ast::Function,
        attributes: &'a [Attribute],
        signature: Signature<'a>,
    ) -> Option<FunctionId> {
        let span = function.name.span();
        let known = self.function(id);
        let (before, has_body, result) = (known.span, known.definition.is_some(), known.result);
        if result != signature.result && result != Types::ERROR && signature.result != Types::ERROR
        {
            let message = format!(
                "`{}` was declared to return `{}`, but returns `{}` here",
                known.name,
                self.name_of(result),
                self.name_of(signature.result)
            );
            let report = Diagnostic::new(&code::DUPLICATE_NAME, span, message);
            self.report(report.also(before, "first declared here"));
            return None;
        }
        if has_body && function.body.is_some() {
            let ident = ast::Ident { name: Self::key(&function.name), span };
            self.duplicate(&ident, before);
            return None;
        }
        let known = self.function_mut(id);
        let mut params = signature.params;
        for (param, old) in params.iter_mut().zip(&known.params) {
            param.default = param.default.or(old.default);
        }
        if function.body.is_some() {
            known.params = params;
            known.definition = Some(function);
            known.ast = function;
            known.span = span;
            if !attributes.is_empty() {
                known.attributes = attributes;
            }
        } else {
            for (old, new) in known.params.iter_mut().zip(params) {
                old.default = new.default;
            }
        }
        Some(id)
    }

    pub(super) fn add_function(
        &mut self,
        function: &'a ast::Function,
        attributes: &'a [Attribute],
        scope: ScopeId,
        signature: Signature<'a>,
    ) -> FunctionId {
        let key = Self::key(&function.name);
        let prefix = self.scopes.prefix(scope, |id| self.types.structure(id).name.clone());
        let this = self.object_type_of(scope, function);
        let is_lazy = self.is_in_instance(scope);
        self.functions.push(Function {
            name: format!("{prefix}{key}"),
            ast: function,
            attributes,
            scope,
            this,
            params: signature.params,
            result: signature.result,
            span: function.name.span(),
            definition: function.body.is_some().then_some(function),
            body: None,
            gated: Vec::new(),
            copies: Vec::new(),
            origin: None,
            is_instance: false,
            is_lazy,
            is_queued: false,
            first_use: None,
        });
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// Whether a scope is inside an instance of a struct template. A full specialisation is a struct like any other.
    fn is_in_instance(&self, scope: ScopeId) -> bool {
        std::iter::successors(Some(scope), |scope| self.scopes.parent(*scope)).any(|scope| {
            let ScopeKind::Struct(id) = self.scopes.kind(scope) else { return false };
            self.structs.get(id).is_some_and(|it| {
                let open = it.ast.template.as_ref().is_some_and(|head| !head.params.is_empty());
                it.template.is_some() && open
            })
        })
    }

    /// The type of a function's object, if it is a method that is not static.
    fn object_type_of(&mut self, scope: ScopeId, function: &ast::Function) -> Option<TypeId> {
        if function.modifiers.has(Modifier::Static) && function.owner.is_none() {
            return None;
        }
        let mut scope = Some(scope);
        while let Some(id) = scope {
            match self.scopes.kind(id) {
                ScopeKind::Struct(id) => {
                    let id = *id;
                    return Some(self.types.intern(Type::Struct(id)));
                }
                ScopeKind::Template => scope = self.scopes.parent(id),
                ScopeKind::Namespace(_) | ScopeKind::Enum(_) | ScopeKind::Block => return None,
            }
        }
        None
    }

    // Bodies.

    /// Checks the pending bodies, unless a struct or another body is still open.
    pub(super) fn pending_bodies(&mut self) {
        if self.open_structs > 0 || self.body.is_some() {
            return;
        }
        while let Some(id) = self.pending.pop_front() {
            if self.sink.is_full() || self.is_spent() {
                return;
            }
            self.check_body(id);
        }
    }

    fn check_body(&mut self, id: FunctionId) {
        let function = self.function(id);
        let Some(definition) = function.definition else { return };
        let Some(block) = &definition.body else { return };
        if function.body.is_some() {
            return;
        }
        let (name, scope, result, this) =
            (function.name.clone(), function.scope, function.result, function.this);
        let (span, params) = (function.span, function.params.clone());
        let outer_open = std::mem::take(&mut self.open_structs);
        let outer = self.body.replace(Body {
            function: id,
            locals: Vec::new(),
            facts: Vec::new(),
            result,
            result_span: definition.result.span,
            this,
            loops: 0,
            breakable: 0,
            gated: Vec::new(),
        });
        // Error recovery: statements that were skipped may have declared names, so the rest of the body is not reported
        // on.
        let is_torn = self.sink.has_errors() && is_torn(&block.stmts);
        let errors = self.sink.errors();
        let inner = self.scopes.inside(scope, ScopeKind::Block);
        let mut modes = Vec::new();
        let stmts = self.in_scope(inner, |checker| {
            if let Some(this) = this {
                let is_const = definition.is_const;
                checker.add_local(
                    "this".to_owned(),
                    this,
                    span,
                    LocalFacts { is_const, ..LocalFacts::default() },
                );
                modes.push(if is_const { Mode::In } else { Mode::InOut });
            }
            for param in &params {
                let facts = LocalFacts {
                    is_const: param.is_const,
                    is_reference: param.mode == Mode::Reference,
                };
                let name = param.name.map_or(String::new(), |it| it.name.to_string());
                let local = checker.add_local(name, param.ty, param.span, facts);
                modes.push(param.mode);
                if let Some(ident) = param.name {
                    let local = scope::Local { owner: id, id: local, ty: param.ty, value: None };
                    checker.declare(ident, ValueEntity::Local(local));
                }
            }
            match is_torn {
                true => checker.quietly(|this| this.stmts(&block.stmts)).0,
                false => checker.stmts(&block.stmts),
            }
        });
        let body = std::mem::replace(&mut self.body, outer);
        self.open_structs = outer_open;
        let Some(body) = body else { return };
        // A statement with an error may have been a `return`, or a write to a variable.
        let is_whole = !is_torn && self.sink.errors() == errors;
        if is_whole
            && result != Types::VOID
            && result != Types::ERROR
            && stmt::falls_through(&stmts)
        {
            let report = Diagnostic::new(
                &code::MISSING_RETURN,
                definition.name.span(),
                format!(
                    "`{name}` can reach its end without returning a `{}`",
                    self.name_of(result)
                ),
            );
            self.report(report.help("return a value on every path"));
        }
        let checked =
            hir::Function { name, locals: body.locals, params: modes, result, body: stmts, span };
        let is_lazy = self.function(id).is_lazy;
        if is_whole {
            for report in lint::body(&checked, &self.types, is_lazy, self.native_16bit()) {
                self.report(report);
            }
        }
        let function = self.function_mut(id);
        function.gated.extend(body.gated);
        function.body = Some(checked);
    }

    pub(super) fn add_local(
        &mut self,
        name: String,
        ty: TypeId,
        span: Span,
        facts: LocalFacts,
    ) -> LocalId {
        let Some(body) = &mut self.body else { return LocalId(0) };
        body.locals.push(hir::Local { name, ty, span });
        body.facts.push(facts);
        LocalId(body.locals.len() as u32 - 1)
    }

    /// Warns about attributes that no function has.
    pub(super) fn attributes_known(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            attr::report_unknown(self, attribute);
        }
    }

    /// A function as shown in messages: `float f(float x, inout int y)`.
    pub(super) fn show(&self, id: FunctionId) -> String {
        let function = self.function(id);
        let mut text = format!("{} {}(", self.name_of(function.result), function.name);
        for (i, param) in function.params.iter().enumerate() {
            let mode = match param.mode {
                Mode::In => "",
                Mode::Out => "out ",
                Mode::InOut => "inout ",
                Mode::Reference => "groupshared ",
            };
            let comma = if i == 0 { "" } else { ", " };
            text += &format!("{comma}{mode}{}", self.name_of(param.ty));
        }
        text + ")"
    }
}

/// Whether the parser skipped some of the statements.
fn is_torn(stmts: &[ast::Stmt]) -> bool {
    ast::any_stmt(stmts, &|it| matches!(it, ast::StmtKind::Error))
}
