//! Function calls: overload resolution and argument passing.

use diag::{Diagnostic, Span, code};

use super::method::Receiver;
use super::scope::{Callee, ScopeKind, ValueEntity, Wanted};
use super::work::cost;
use super::{Checker, MOST_NESTED_DEFAULTS};
use crate::ast::{self, Operator};
use crate::hir::{Arg, Expr, ExprKind, FunctionId, LocalId};
use crate::library::{self, ArgInfo, Resolution};
use crate::types::convert::{self, Element, Rank};
use crate::types::{Mode, ResourceType, Type, TypeId, Types};

/// The most candidates that a report lists.
const MOST_CANDIDATES: usize = 5;
/// The most methods that a report lists.
const MOST_METHODS: usize = 24;

/// A viable candidate of overload resolution: a function that takes the arguments, and how well.
struct Viable {
    /// `None` is the built-in function of that name.
    function: Option<FunctionId>,
    ranks: Vec<Rank>,
    /// Lower is better: a function of the program, an instance of a template, a built-in function.
    preference: u32,
}

impl<'a> Checker<'a> {
    pub(super) fn call(
        &mut self,
        callee: &'a ast::Expr,
        args: &'a [ast::Expr],
        args_span: Span,
        span: Span,
    ) -> Expr {
        match &callee.kind {
            ast::ExprKind::Name(path) => self.call_named(path, args, span),
            ast::ExprKind::Member { base, name, args: template } => {
                self.method_call(base, name, template.as_deref(), args, span)
            }
            _ => {
                let function = self.expr(callee);
                let mut values = vec![function];
                values.extend(args.iter().map(|it| self.expr(it)));
                if self.struct_or_contents(values[0].ty).is_some() {
                    return self.overloaded(Operator::Call, values, span);
                }
                if values[0].ty != Types::ERROR {
                    self.error(
                        &code::TYPE_MISMATCH,
                        args_span,
                        "this is not a function and cannot be called",
                    );
                }
                self.broken(span)
            }
        }
    }

    fn call_named(&mut self, path: &'a ast::Path, args: &'a [ast::Expr], span: Span) -> Expr {
        if self.is_debugging_query(path) {
            return self.debugging_query(path, args, span);
        }
        let found = self.declared_value(path);
        let ident = &path.last.ident;
        let values: Vec<Expr> = args.iter().map(|it| self.expr(it)).collect();
        let Ok(found) = found else { return self.broken(span) };
        let Some((scope, declared)) = found else {
            if (path.as_builtin().is_some() || self.is_in_library(path))
                && let Some(call) = self.builtin_call(ident, &values, span)
            {
                return match call {
                    Ok(()) => self.builtin(ident, values, span),
                    Err(expr) => expr,
                };
            }
            if path.library {
                self.not_in_library(path, "function");
                return self.broken(span);
            }
            if !values.iter().any(|it| it.ty == Types::ERROR) || path.as_simple().is_some() {
                let scope = match path.global || !path.scope.is_empty() {
                    true => self.scope_of(path.global, &path.scope),
                    false => None,
                };
                self.called_with = Some(values.len());
                self.unknown(ident, "function", Wanted::Function, scope);
                self.called_with = None;
            }
            return self.broken(span);
        };
        let callees = match &declared.entity {
            ValueEntity::Functions(callees) => callees.clone(),
            _ => {
                let function = self.entity_expr(scope, declared, ident, ident.span);
                let mut all = vec![function];
                all.extend(values);
                if self.struct_or_contents(all[0].ty).is_some() {
                    return self.overloaded(Operator::Call, all, span);
                }
                if all[0].ty != Types::ERROR {
                    let message = format!("`{}` is not a function", ident.name);
                    self.error(&code::TYPE_MISMATCH, ident.span, message);
                }
                return self.broken(span);
            }
        };
        if values.iter().any(|it| it.ty == Types::ERROR) {
            return self.broken(span);
        }
        // A method called without an object works on the object of the enclosing method.
        let object = match (self.scopes.kind(scope), self.body.as_ref().and_then(|it| it.this)) {
            (ScopeKind::Struct(_), Some(this)) => Receiver::This(Expr {
                kind: ExprKind::Local(LocalId(0)),
                ty: this,
                span: ident.span,
            }),
            _ => Receiver::None,
        };
        let template = path.last.args.as_deref();
        let builtin = path.as_builtin();
        match self.resolve(&callees, template, &values, builtin, ident, span) {
            Some(Some(id)) => self.finish_call(id, object, values, span),
            Some(None) => self.builtin(ident, values, span),
            None => self.broken(span),
        }
    }

    // Overloads.

    /// The best of several functions for the arguments; `Some(None)` is the built-in one, `None` follows a report.
    pub(super) fn resolve(
        &mut self,
        callees: &[Callee],
        template: Option<&'a [ast::TemplateArg]>,
        args: &[Expr],
        builtin: Option<&ast::Ident>,
        ident: &ast::Ident,
        span: Span,
    ) -> Option<Option<FunctionId>> {
        let mut viable: Vec<Viable> = Vec::new();
        for callee in callees {
            let each = match callee {
                Callee::Function(_) => cost::CANDIDATE,
                Callee::Template(index) => {
                    cost::TEMPLATE + self.function_templates[*index].instances.len() as u64
                }
            };
            if !self.spend(each * (1 + args.len() as u64), span) {
                return None;
            }
            let (id, preference) = match *callee {
                Callee::Function(id) if template.is_none() => (Some(id), 0),
                Callee::Function(_) => (None, 0),
                Callee::Template(index) => (self.instance_for(index, template, args), 1),
            };
            let Some(id) = id else { continue };
            if let Some(ranks) = self.ranks(id, args) {
                viable.push(Viable { function: Some(id), ranks, preference });
            }
        }
        if let Some(name) = builtin
            && let Some(ranks) = self.builtin_ranks(name, args)
        {
            viable.push(Viable { function: None, ranks, preference: 2 });
        }
        // A tournament: a candidate that beats all others survives every comparison with the best so far.
        let mut champion = 0;
        for index in 1..viable.len() {
            if !beats(&viable[champion], &viable[index]) {
                champion = index;
            }
        }
        let wins = |index: usize| index == champion || beats(&viable[champion], &viable[index]);
        let best = (!viable.is_empty() && (0..viable.len()).all(wins)).then_some(champion);
        if let Some(best) = best {
            return Some(viable[best].function);
        }
        match viable.is_empty() {
            true => self.no_match(callees, args, ident, span),
            false => self.ambiguous(&viable, args, ident, span),
        }
        None
    }

    /// The rank of each argument's conversion; `None` if the function does not take the arguments.
    fn ranks(&self, id: FunctionId, args: &[Expr]) -> Option<Vec<Rank>> {
        let params = &self.function(id).params;
        if args.len() > params.len() || params[args.len()..].iter().any(|it| it.default.is_none()) {
            return None;
        }
        args.iter().zip(params).map(|(arg, param)| self.rank(arg, param.ty, param.mode)).collect()
    }

    fn rank(&self, arg: &Expr, ty: TypeId, mode: Mode) -> Option<Rank> {
        let from = self.argument_type(arg, ty);
        let into = || self.implicit(from, ty).map(|it| it.rank);
        // An `out` struct may be written only in the part that it inherits.
        let back = || match convert::implicit(&self.types, ty, from) {
            Some(how) => Some(how.rank),
            None => into().filter(|it| *it == Rank::Base),
        };
        match mode {
            Mode::In => into(),
            Mode::InOut if self.is_binding(arg) => into(),
            Mode::Out if self.is_writable(arg) => back(),
            Mode::InOut if self.is_writable(arg) => Some(into()?.max(back()?)),
            Mode::Reference if self.types.get(arg.ty) == self.types.get(ty) => into(),
            Mode::Out | Mode::InOut | Mode::Reference => None,
        }
    }

    /// The type of an argument: a constant buffer means its contents, unless the parameter is one.
    fn argument_type(&self, arg: &Expr, param: TypeId) -> TypeId {
        match (self.types.get(arg.ty), self.types.get(param)) {
            (_, Type::Resource(_)) => arg.ty,
            (
                Type::Resource(ResourceType::Constant(inner) | ResourceType::TextureBuffer(inner)),
                _,
            ) => inner,
            _ => arg.ty,
        }
    }

    fn argument_types(&self, args: &[Expr]) -> String {
        let names: Vec<String> = args.iter().map(|it| self.name_of(it.ty)).collect();
        format!("({})", names.join(", "))
    }

    fn no_match(&mut self, callees: &[Callee], args: &[Expr], ident: &ast::Ident, span: Span) {
        let message = match callees {
            [Callee::Function(id)] if self.function(*id).params.len() != args.len() => {
                let wanted = self.function(*id).params.len();
                let plural = if wanted == 1 { "" } else { "s" };
                let were = if args.len() == 1 { "was" } else { "were" };
                format!(
                    "`{}` takes {wanted} argument{plural}, but {} {were} given",
                    ident.name,
                    args.len()
                )
            }
            _ => format!("no `{}` takes the arguments `{}`", ident.name, self.argument_types(args)),
        };
        // With one candidate, the label is at the argument that does not fit.
        if let [Callee::Function(id)] = callees
            && let Some((number, arg)) = self.misfitting(*id, args)
        {
            let report = self.wrong_argument(*id, number, arg, ident);
            return self.report(report);
        }
        let mut report = Diagnostic::new(&code::NO_MATCHING_FUNCTION, span, message);
        for callee in callees.iter().take(MOST_CANDIDATES) {
            report = match *callee {
                Callee::Function(id) => {
                    let reason = self.misfit(id, args);
                    report.also(self.function(id).span, reason)
                }
                Callee::Template(index) => {
                    let template = &self.function_templates[index];
                    report.also(template.ast.name.span(), "this template does not match")
                }
            };
        }
        if callees.len() > MOST_CANDIDATES {
            report = report.note(format!("and {} more", callees.len() - MOST_CANDIDATES));
        }
        self.report(report);
    }

    /// The first argument that does not fit, for a function with the right number of parameters.
    fn misfitting<'e>(&self, id: FunctionId, args: &'e [Expr]) -> Option<(usize, &'e Expr)> {
        let params = &self.function(id).params;
        let mut pairs = args.iter().zip(params).enumerate();
        let fits =
            |arg: &Expr, param: &super::func::Param| self.rank(arg, param.ty, param.mode).is_some();
        if params.len() != args.len() {
            return None;
        }
        pairs.find(|(_, (arg, param))| !fits(arg, param)).map(|(i, (arg, _))| (i, arg))
    }

    fn wrong_argument(
        &self,
        id: FunctionId,
        index: usize,
        arg: &Expr,
        ident: &ast::Ident,
    ) -> Diagnostic {
        let function = self.function(id);
        let param = &function.params[index];
        let name = param.name.map_or(String::new(), |it| format!(" `{}`", it.name));
        let (have, want) = (self.name_of(arg.ty), self.name_of(param.ty));
        let message = match param.mode != Mode::In && !self.is_writable(arg) {
            true => format!(
                "`{}` writes its parameter{name}, but this argument is not a variable",
                ident.name
            ),
            false => {
                format!("the parameter{name} of `{}` is `{want}`, but this is `{have}`", ident.name)
            }
        };
        Diagnostic::new(&code::NO_MATCHING_FUNCTION, arg.span, message)
            .also(function.span, format!("`{}` is declared here", self.show(id)))
    }

    /// Why a function does not take some arguments.
    fn misfit(&self, id: FunctionId, args: &[Expr]) -> String {
        let shown = self.show(id);
        for (i, (arg, param)) in args.iter().zip(&self.function(id).params).enumerate() {
            if self.rank(arg, param.ty, param.mode).is_some() {
                continue;
            }
            let number = i + 1;
            if param.mode != Mode::In && !self.is_writable(arg) {
                return format!("`{shown}` writes argument {number}, which is not a variable");
            }
            let (have, want) = (self.name_of(arg.ty), self.name_of(param.ty));
            return format!(
                "`{shown}`: argument {number} is `{have}`, which does not convert to `{want}`"
            );
        }
        format!("`{shown}` takes a different number of arguments")
    }

    fn ambiguous(&mut self, viable: &[Viable], args: &[Expr], ident: &ast::Ident, span: Span) {
        let message = format!(
            "the call of `{}` is ambiguous: several overloads match `{}` equally well",
            ident.name,
            self.argument_types(args)
        );
        let mut report = Diagnostic::new(&code::AMBIGUOUS_CALL, span, message);
        for it in viable.iter().take(MOST_CANDIDATES) {
            report = match it.function {
                Some(id) => report.also(self.function(id).span, format!("`{}`", self.show(id))),
                None => report.note(format!("`{}` is also a built-in function", ident.name)),
            };
        }
        self.report(report.help("cast the arguments to select one overload"));
    }

    // Arguments.

    /// The call of a function that takes the arguments.
    pub(super) fn finish_call(
        &mut self,
        id: FunctionId,
        object: Receiver,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let mut passed = Vec::with_capacity(args.len() + 1);
        let mut id = id;
        if self.function(id).this.is_some() {
            let Some((receiver, arg)) = self.object_arg(id, object, span) else {
                return self.broken(span);
            };
            id = receiver;
            passed.push(arg);
        }
        self.note_first_use(id, span);
        self.use_function(id);
        let params = self.function(id).params.clone();
        let scope = self.function(id).scope;
        let result = self.function(id).result;
        let given = args.len();
        for (arg, param) in args.into_iter().zip(&params) {
            passed.push(self.argument(arg, param.ty, param.mode));
        }
        for param in params.iter().skip(given) {
            let Some(default) = param.default else { continue };
            if self.defaults >= MOST_NESTED_DEFAULTS {
                let message = format!(
                    "default arguments call each other more than {MOST_NESTED_DEFAULTS} levels deep"
                );
                self.error(&code::NESTING_TOO_DEEP, default.span, message);
                return self.broken(span);
            }
            // A default argument is checked at each call, in the scope of the declaration: no locals and no object.
            let outside = self
                .body
                .as_mut()
                .map(|it| (std::mem::replace(&mut it.function, id), it.this.take()));
            self.defaults += 1;
            let value = self.in_scope(scope, |this| {
                let value = this.expr(default);
                this.coerce(value, param.ty)
            });
            self.defaults -= 1;
            if let (Some(body), Some(before)) = (&mut self.body, outside) {
                (body.function, body.this) = before;
            }
            passed.push(Arg::In(value));
        }
        if passed.iter().any(
            |arg| matches!(arg, Arg::In(it) | Arg::Out { place: it, .. } if it.ty == Types::ERROR),
        ) {
            return self.broken(span);
        }
        Expr { kind: ExprKind::Call { function: id, args: passed }, ty: result, span }
    }

    fn argument(&mut self, arg: Expr, ty: TypeId, mode: Mode) -> Arg {
        match mode {
            Mode::In => Arg::In(self.coerce(arg, ty)),
            // Programs mark buffers that they write to as `inout`; there is nothing to copy back.
            Mode::InOut if self.is_binding(&arg) => Arg::In(self.coerce(arg, ty)),
            Mode::Out | Mode::InOut | Mode::Reference => {
                self.require_writable(&arg, "passed to an `out` parameter");
                Arg::Out { place: arg, ty, mode }
            }
        }
    }

    /// An overloaded operator on structs: a method of the first operand, or a function.
    pub(super) fn overloaded(
        &mut self,
        operator: Operator,
        mut operands: Vec<Expr>,
        span: Span,
    ) -> Expr {
        if operands.iter().any(|it| it.ty == Types::ERROR) {
            return self.broken(span);
        }
        let key = ast::Name::new(super::operator::key(operator));
        let ident = ast::Ident { name: key.clone(), span };
        let scope = match self.struct_or_contents(operands[0].ty).map(|it| self.types.get(it)) {
            Some(Type::Struct(id)) => self.structs.get(&id).map(|it| it.scope),
            _ => None,
        };
        if let Some(scope) = scope
            && let Some(ValueEntity::Functions(callees)) =
                self.scopes.value_in(scope, &key).map(|it| it.entity)
        {
            let object = operands.remove(0);
            return match self.resolve(&callees, None, &operands, None, &ident, span) {
                Some(Some(id)) => self.finish_call(id, Receiver::Explicit(object), operands, span),
                _ => self.broken(span),
            };
        }
        let found = self.scopes.find_value(self.scopes.current(), &key);
        if let Some((_, declared)) = found
            && let ValueEntity::Functions(callees) = declared.entity
        {
            return match self.resolve(&callees, None, &operands, None, &ident, span) {
                Some(Some(id)) => self.finish_call(id, Receiver::None, operands, span),
                _ => self.broken(span),
            };
        }
        let types = self.argument_types(&operands);
        let message =
            format!("`{}` is not defined for `{types}`", key.trim_start_matches("operator"));
        let report = Diagnostic::new(&code::NO_MATCHING_FUNCTION, span, message);
        self.report(report.help(format!("define a method `{key}` in the struct")));
        self.broken(span)
    }

    // Built-in functions.

    /// Whether a built-in function has that name; an expression if the arguments have errors.
    fn builtin_call(
        &mut self,
        ident: &ast::Ident,
        args: &[Expr],
        span: Span,
    ) -> Option<Result<(), Expr>> {
        let name = ident.name.as_str();
        let is_known = name == library::ASSERTION || library::is_function(name);
        if ops::intrinsics::by_name(name).is_none() && !is_known {
            return None;
        }
        Some(match args.iter().any(|it| it.ty == Types::ERROR) {
            true => Err(self.broken(span)),
            false => Ok(()),
        })
    }

    /// Built-in functions take an enumerator as a number.
    fn arg_infos(&mut self, args: &[Expr]) -> Vec<ArgInfo> {
        let mut infos = Vec::with_capacity(args.len());
        for arg in args {
            let (ty, is_place) = (self.decayed(arg.ty), self.is_writable(arg));
            infos.push(ArgInfo { ty, is_place, span: arg.span });
        }
        infos
    }

    /// The ranks of the arguments' conversions for the built-in function of that name.
    fn builtin_ranks(&mut self, ident: &ast::Ident, args: &[Expr]) -> Option<Vec<Rank>> {
        let name = ident.name.as_str();
        // The format decides about the other arguments, and takes them as they are.
        if name == "printf" && args.first().is_some_and(|it| self.types.get(it.ty) == Type::String)
        {
            return Some(vec![Rank::Kept(Element::Same); args.len()]);
        }
        let params: Vec<(TypeId, Mode)> = if let Some(found) = ops::intrinsics::by_name(name) {
            self.wave_params(found.intrinsic, args)?.into_iter().map(|ty| (ty, Mode::In)).collect()
        } else {
            let infos = self.arg_infos(args);
            match library::resolve(&mut self.types, name, &infos) {
                Resolution::Found { params, .. } => params,
                Resolution::Unknown | Resolution::Mismatch { .. } => return None,
            }
        };
        args.iter().zip(params).map(|(arg, (ty, mode))| self.rank(arg, ty, mode)).collect()
    }

    fn builtin(&mut self, ident: &ast::Ident, args: Vec<Expr>, span: Span) -> Expr {
        let name = ident.name.as_str();
        let args: Vec<Expr> = args.into_iter().map(|it| self.contents(it)).collect();
        if let Some(found) = ops::intrinsics::by_name(name) {
            let args = args.into_iter().map(|it| self.decay(it)).collect();
            return self.wave(found, ident, args, span);
        }
        match name {
            "printf" => return self.printf(ident, args, span),
            library::ASSERTION => return self.assertion(args, span),
            _ => {}
        }
        let infos = self.arg_infos(&args);
        let (function, params, result) = match library::resolve(&mut self.types, name, &infos) {
            Resolution::Found { function, params, result } => (function, params, result),
            Resolution::Mismatch { message, notes } => {
                let mut report = Diagnostic::new(&code::NO_MATCHING_FUNCTION, span, message);
                for note in notes.into_iter().take(MOST_CANDIDATES) {
                    report = report.note(note);
                }
                self.report(report);
                return self.broken(span);
            }
            Resolution::Unknown => return self.broken(span),
        };
        if function.takes_derivatives() {
            self.gate_derivatives(span, name);
        }
        self.gate_barrier(function, name, &args, span);
        if let (library::Function::Interlocked { .. }, Some((place, _))) =
            (function, params.first())
        {
            self.gate_wide_atomic(*place, name, span);
        }
        if matches!(
            function,
            library::Function::Unsupported(_)
                | library::Function::Pixel(_)
                | library::Function::MeshCounts
                | library::Function::DispatchMesh
                | library::Function::Factors(_)
        ) {
            self.gate_stage_function(name, span);
            if result == Types::ERROR || !self.payloads_take_no_long_vector(&args) {
                return self.broken(span);
            }
        }
        let since = library::overloads(name).map(|row| row.since).min();
        if let Some(since) = since
            && since > self.shader_model()
        {
            self.needs_shader_model(span, name, since);
        }
        let mut passed = Vec::with_capacity(args.len());
        for (arg, (ty, mode)) in args.into_iter().zip(params) {
            if mode == Mode::Reference && self.is_sample(&arg) {
                let message = "an atomic operation cannot change a multisampled texture";
                let report = Diagnostic::new(&code::NOT_ASSIGNABLE, arg.span, message);
                self.report(report.help("use an `RWTexture2DArray` with a layer for each sample"));
                return self.broken(span);
            }
            if mode == Mode::Reference && !self.is_shared_place(&arg) && arg.ty != Types::ERROR {
                let report = Diagnostic::new(
                    &code::NOT_ASSIGNABLE,
                    arg.span,
                    "an atomic operation needs memory that lanes share, but this is private to a lane",
                );
                self.report(
                    report.help("use a groupshared variable or an element of a writable buffer"),
                );
                return self.broken(span);
            }
            passed.push(self.argument(arg, ty, mode));
        }
        if passed.iter().any(
            |arg| matches!(arg, Arg::In(it) | Arg::Out { place: it, .. } if it.ty == Types::ERROR),
        ) {
            return self.broken(span);
        }
        Expr { kind: ExprKind::Library { function, args: passed }, ty: result, span }
    }

    /// The matrix type with the other storage order; other types are unchanged.
    fn reversed(&mut self, ty: TypeId) -> TypeId {
        match self.types.get(ty) {
            Type::Matrix { scalar, rows, columns, row_major } => {
                let row_major = !row_major;
                self.types.intern(Type::Matrix { scalar, rows, columns, row_major })
            }
            _ => ty,
        }
    }

    pub(super) fn resource_method(
        &mut self,
        object: Expr,
        name: &ast::Ident,
        template_arg: Option<TypeId>,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let mut args: Vec<Expr> = args.into_iter().map(|it| self.contents(it)).collect();
        let is_raw = matches!(self.types.get(object.ty), Type::Resource(ResourceType::Raw { .. }));
        let mut template_arg = template_arg;
        if self.options.legacy_matrix_order && is_raw {
            template_arg = template_arg.map(|it| self.reversed(it));
            if let Some(stored) = args.pop() {
                let ty = self.reversed(stored.ty);
                args.push(match ty == stored.ty {
                    true => stored,
                    false => Expr { span: stored.span, kind: ExprKind::Convert(stored.into()), ty },
                });
            }
        }
        let infos = self.arg_infos(&args);
        match library::resolve_method(&mut self.types, object.ty, &name.name, template_arg, &infos)
        {
            Resolution::Unknown => {
                let ty = self.name_of(object.ty);
                let message = format!("`{ty}` has no method `{}`", name.name);
                let mut report = Diagnostic::new(&code::UNKNOWN_NAME, name.span, message);
                let names = library::method_names(&self.types, object.ty);
                match diag::most_similar(&name.name, names.iter().map(String::as_str)) {
                    Some(near) => {
                        let remedy = format!("a similar name is `{near}`");
                        report = report.fix(remedy, name.span, near);
                    }
                    None => report = has_methods(report, &names),
                }
                self.report(report);
                self.broken(span)
            }
            Resolution::Mismatch { message, notes } => {
                let mut report = Diagnostic::new(&code::NO_MATCHING_FUNCTION, span, message);
                for note in notes.into_iter().take(MOST_CANDIDATES) {
                    report = report.note(note);
                }
                self.report(report);
                self.broken(span)
            }
            Resolution::Found { function, params, result } => {
                if function.takes_derivatives() {
                    self.gate_derivatives(span, &name.name);
                }
                self.gate_integer_sampling(object.ty, &name.name, span);
                self.gate_feedback(object.ty, function, &name.name, span);
                if let library::Method::Ray(method) = function {
                    self.query_method(object.ty, method, &args, span);
                }
                if let (
                    library::Method::Emit | library::Method::Cut,
                    Type::Resource(ResourceType::Other(stream)),
                ) = (function, self.types.get(object.ty))
                {
                    self.gate_object(stream, &format!("`{}`", name.name), span);
                }
                if let library::Method::Unsupported(name) = function {
                    match self.types.get(object.ty) {
                        Type::Resource(ResourceType::Other(it)) => {
                            self.gate_object(it, &format!("`{name}`"), span);
                            if !self.payloads_take_no_long_vector(&args) {
                                return self.broken(span);
                            }
                        }
                        _ => {
                            let ty = self.name_of(object.ty);
                            self.unsupported(
                                span,
                                format!("`{name}` of a `{ty}` is not supported yet"),
                            );
                        }
                    }
                    if result == Types::ERROR {
                        return self.broken(span);
                    }
                }
                let mut passed = Vec::with_capacity(args.len());
                for (arg, (ty, mode)) in args.into_iter().zip(params) {
                    passed.push(self.argument(arg, ty, mode));
                }
                let is_broken = |arg: &Arg| matches!(arg, Arg::In(it) | Arg::Out { place: it, .. } if it.ty == Types::ERROR);
                if passed.iter().any(is_broken) {
                    return self.broken(span);
                }
                let kind =
                    ExprKind::Method { method: function, object: object.into(), args: passed };
                Expr { kind, ty: result, span }
            }
        }
    }
}

/// Adds a note that lists the methods.
fn has_methods(report: Diagnostic, names: &[String]) -> Diagnostic {
    let listed: Vec<String> = names.iter().take(MOST_METHODS).map(|it| format!("`{it}`")).collect();
    match names.len().saturating_sub(MOST_METHODS) {
        _ if names.is_empty() => report.note("it has no methods"),
        0 => report.note(format!("its methods are {}", listed.join(", "))),
        more => report.note(format!("its methods are {}, and {more} more", listed.join(", "))),
    }
}

/// Whether one function is the better choice.
///
/// The arguments are judged together, as in DXC: the function that truncates fewer of them is better, then the one that
/// changes the shape of fewer, then the one that converts fewer, and so on.
fn beats(a: &Viable, b: &Viable) -> bool {
    (cost(&a.ranks), a.preference) < (cost(&b.ranks), b.preference)
}

/// The number of arguments for each kind of conversion, the worst first.
fn cost(ranks: &[Rank]) -> [u32; 8] {
    let mut cost = [0; 8];
    for rank in ranks {
        let element = match *rank {
            Rank::Truncation(element) => {
                cost[0] += 1;
                Some(element)
            }
            Rank::Reshape(element) => {
                cost[1] += 1;
                Some(element)
            }
            Rank::Splat(element) => {
                cost[2] += 1;
                Some(element)
            }
            Rank::Base => {
                cost[3] += 1;
                None
            }
            Rank::Kept(element) => Some(element),
        };
        match element {
            Some(Element::Conversion) => cost[4] += 1,
            Some(Element::Kin) => cost[5] += 1,
            Some(Element::Promotion) => cost[6] += 1,
            Some(Element::Literal(distance)) => cost[7] += u32::from(distance),
            Some(Element::Renamed) => cost[7] += 1,
            Some(Element::Same) | None => {}
        }
    }
    cost
}
