//! Templates: their declarations and instances.

use diag::{Span, code};

use super::deduce::Deduction;
use super::func::Function;
use super::scope::{Callee, ScopeId, ScopeKind, TypeEntity, ValueEntity};
use super::work::cost;
use super::{Checker, MOST_INSTANCES, MOST_TEMPLATE_DEPTH};
use crate::ast::{
    self, Attribute, Segment, TemplateArg, TemplateHead, TemplateParam, TemplateParamKind,
};
use crate::hir::{Expr, ExprKind, FunctionId};
use crate::types::{TypeId, Types};

/// An argument of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Captured {
    Type(TypeId),
    /// A non-type argument: the type of the parameter, and the value as 64 bits.
    Value(TypeId, u64),
}

impl Captured {
    pub(super) fn same(&self, other: &Captured) -> bool {
        match (self, other) {
            (Captured::Type(a), Captured::Type(b)) => a == b,
            (Captured::Value(_, a), Captured::Value(_, b)) => a == b,
            (Captured::Type(_), Captured::Value(..)) | (Captured::Value(..), Captured::Type(_)) => {
                false
            }
        }
    }
}

fn same_list(a: &[Captured], b: &[Captured]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
}

pub(super) struct FunctionTemplate<'a> {
    pub(super) ast: &'a ast::Function,
    pub(super) head: &'a TemplateHead,
    attributes: &'a [Attribute],
    pub(super) scope: ScopeId,
    pub(super) instances: Vec<(Vec<Captured>, FunctionId)>,
}

pub(super) struct StructTemplate<'a> {
    pub(super) ast: &'a ast::Struct,
    pub(super) scope: ScopeId,
    /// Specialisations, with their scopes.
    pub(super) special: Vec<(&'a ast::Struct, ScopeId)>,
    pub(super) instances: Vec<(Vec<Captured>, TypeId)>,
    /// Out-of-class definitions of its members.
    pub(super) outside: Vec<super::outside::Definition<'a>>,
}

/// A variable template; its variables are static.
pub(super) struct VariableTemplate<'a> {
    head: &'a TemplateHead,
    variable: Variable<'a>,
    scope: ScopeId,
    /// Specialisations with their remaining parameters and their scopes.
    special: Vec<(&'a [TemplateParam], Variable<'a>, ScopeId)>,
    instances: Vec<(Vec<Captured>, ValueEntity)>,
}

/// A declared variable.
#[derive(Clone, Copy)]
struct Variable<'a> {
    var: &'a ast::Var,
    declarator: &'a ast::Declarator,
}

pub(super) struct AliasTemplate<'a> {
    pub(super) head: &'a TemplateHead,
    pub(super) ast: &'a ast::Alias,
    pub(super) scope: ScopeId,
}

impl<'a> Checker<'a> {
    // Arguments.

    pub(super) fn bind_one(&mut self, scope: ScopeId, param: &'a TemplateParam, arg: &Captured) {
        let Some(name) = &param.name else { return };
        match arg {
            Captured::Type(ty) => {
                self.scopes.declare_type(
                    scope,
                    name.name.clone(),
                    TypeEntity::Type(*ty),
                    name.span,
                );
            }
            Captured::Value(ty, bits) => {
                let literal = self.literal_int(*bits as i64, name.span);
                let bits = match self.convert(literal, *ty).kind {
                    ExprKind::Const(bits) => bits,
                    _ => 0,
                };
                let entity = ValueEntity::Constant(*ty, bits);
                self.scopes.declare_value(scope, name.name.clone(), entity, name.span);
            }
        }
    }

    /// Checks an explicit argument for a parameter; `None` after a report.
    fn captured(
        &mut self,
        param: &'a TemplateParam,
        arg: &'a TemplateArg,
        scope: ScopeId,
    ) -> Option<Captured> {
        match &param.kind {
            TemplateParamKind::Type { .. } => match self.type_arg(arg) {
                Some(Types::ERROR) => None,
                Some(ty) => Some(Captured::Type(ty)),
                None => {
                    self.error(&code::BAD_TEMPLATE, arg.span(), "expected a type");
                    None
                }
            },
            TemplateParamKind::Value { ty, .. } => {
                let TemplateArg::Expr(expr) = arg else {
                    self.error(&code::BAD_TEMPLATE, arg.span(), "expected a value");
                    return None;
                };
                // The type may depend on earlier parameters.
                let ty = self.in_scope(scope, |this| this.ty(ty));
                let (value, _) = self.constant_integer(expr, "a template argument")?;
                Some(Captured::Value(ty, value as u64))
            }
        }
    }

    /// Completes the arguments with defaults; `None` if one has no default.
    fn complete(
        &mut self,
        scope: ScopeId,
        params: &'a [TemplateParam],
        mut found: Vec<Option<Captured>>,
    ) -> Option<(Vec<Captured>, ScopeId)> {
        let inner = self.scopes.inside(scope, ScopeKind::Template);
        let mut args = Vec::new();
        for (i, param) in params.iter().enumerate() {
            let arg = match found[i].take() {
                Some(Captured::Value(_, bits)) => {
                    let TemplateParamKind::Value { ty, .. } = &param.kind else { return None };
                    let ty = self.in_scope(inner, |this| this.ty(ty));
                    Captured::Value(ty, bits)
                }
                Some(arg) => arg,
                None => match &param.kind {
                    TemplateParamKind::Type { default } => {
                        let ty = default.as_ref()?;
                        match self.in_scope(inner, |this| this.ty(ty)) {
                            Types::ERROR => return None,
                            ty => Captured::Type(ty),
                        }
                    }
                    TemplateParamKind::Value { ty, default } => {
                        let default = default.as_ref()?;
                        let ty = self.in_scope(inner, |this| this.ty(ty));
                        let value = self.in_scope(inner, |this| {
                            this.constant_integer(default, "a template argument")
                        });
                        Captured::Value(ty, value?.0 as u64)
                    }
                },
            };
            self.bind_one(inner, param, &arg);
            args.push(arg);
        }
        Some((args, inner))
    }

    fn show_args(&self, args: &[Captured]) -> String {
        let show = |arg: &Captured| match arg {
            Captured::Type(ty) => self.name_of(*ty),
            Captured::Value(Types::BOOL, bits) => (*bits != 0).to_string(),
            Captured::Value(_, bits) => (*bits as i64).to_string(),
        };
        let shown = args.iter().map(show).collect::<Vec<_>>().join(", ");
        // Cut off: names of nested instances grow exponentially with their depth.
        const LONGEST: usize = 120;
        match shown.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &shown[..end]),
            None => shown,
        }
    }

    fn count_instance(&mut self, span: Span) -> bool {
        self.instances += 1;
        if self.instances > MOST_INSTANCES {
            if self.instances == MOST_INSTANCES + 1 {
                // Fatal, so it is reported even while a template is only being tried.
                let muted = std::mem::take(&mut self.muted);
                let message =
                    format!("templates create more than {MOST_INSTANCES} functions and structs");
                self.error(&code::TOO_LARGE, span, message);
                self.muted = muted;
            }
            return false;
        }
        true
    }

    // Structs and aliases.

    /// The instance of a struct template or an alias template that a segment of a path names.
    pub(super) fn template_type(
        &mut self,
        entity: TypeEntity,
        segment: &'a Segment,
    ) -> Option<TypeId> {
        let (params, scope): (&'a [TemplateParam], ScopeId) = match entity {
            TypeEntity::StructTemplate(index) => {
                let template = &self.struct_templates[index];
                (template.ast.template.as_ref().map_or(&[], |it| &it.params), template.scope)
            }
            TypeEntity::AliasTemplate(index) => {
                let template = &self.alias_templates[index];
                (&template.head.params, template.scope)
            }
            TypeEntity::Type(_) | TypeEntity::Enum(..) | TypeEntity::Namespace(_) => return None,
        };
        let (args, inner) = self.written(params, scope, segment)?;
        let span = segment.ident.span;
        match entity {
            TypeEntity::StructTemplate(index) => self.struct_instance(index, args, inner, span),
            TypeEntity::AliasTemplate(index) => {
                let alias = self.alias_templates[index].ast;
                let ty = self.in_scope(inner, |this| {
                    let ty = this.ty(&alias.ty);
                    this.array(ty, &alias.dims)
                });
                (ty != Types::ERROR).then_some(ty)
            }
            TypeEntity::Type(_) | TypeEntity::Enum(..) | TypeEntity::Namespace(_) => None,
        }
    }

    /// The template arguments in a segment of a path, completed with defaults, and the scope that binds their names.
    fn written(
        &mut self,
        params: &'a [TemplateParam],
        scope: ScopeId,
        segment: &'a Segment,
    ) -> Option<(Vec<Captured>, ScopeId)> {
        let given = segment.args.as_deref().unwrap_or(&[]);
        let name = &segment.ident.name;
        if given.len() > params.len() {
            let message = format!(
                "`{name}` takes {} template arguments, but {} were given",
                params.len(),
                given.len()
            );
            self.error(&code::BAD_TEMPLATE, segment.ident.span, message);
            return None;
        }
        let mut found = vec![None; params.len()];
        for (i, arg) in given.iter().enumerate() {
            found[i] = Some(self.captured(&params[i], arg, scope)?);
        }
        let completed = self.complete(scope, params, found);
        if completed.is_none() {
            let message = format!("the template `{name}` needs arguments");
            self.error(&code::BAD_TEMPLATE, segment.ident.span, message);
        }
        completed
    }

    fn struct_instance(
        &mut self,
        index: usize,
        args: Vec<Captured>,
        inner: ScopeId,
        span: Span,
    ) -> Option<TypeId> {
        let template = &self.struct_templates[index];
        let known = template.instances.len() + cost::CANDIDATE as usize * template.special.len();
        if !self.spend(known as u64, span) {
            return None;
        }
        let template = &self.struct_templates[index];
        if let Some((_, ty)) = template.instances.iter().find(|(it, _)| same_list(it, &args)) {
            return Some(*ty);
        }
        if self.open_structs > MOST_TEMPLATE_DEPTH {
            self.error(
                &code::NESTING_TOO_DEEP,
                span,
                "template instantiation is nested too deeply",
            );
            return None;
        }
        if !self.count_instance(span) {
            return None;
        }
        let (mut structure, mut scope) = (self.struct_templates[index].ast, inner);
        // The most specialised match: the one with the fewest remaining parameters.
        let mut fewest = usize::MAX;
        for (special, outer) in self.struct_templates[index].special.clone() {
            let open: &'a [TemplateParam] = special.template.as_ref().map_or(&[], |it| &it.params);
            let patterns = special.specializes.as_deref().unwrap_or(&[]);
            if open.len() < fewest
                && let Some(found) = self.specialized(patterns, open, outer, &args)
            {
                (structure, scope, fewest) = (special, found, open.len());
            }
        }
        if structure.members.is_none() {
            let message =
                format!("the template `{}` is declared but not defined", structure.name.name);
            self.error(&code::BAD_TEMPLATE, span, message);
            return None;
        }
        let prefix = self.scopes.prefix(scope, |id| self.types.structure(id).name.clone());
        let name = format!("{prefix}{}<{}>", structure.name.name, self.show_args(&args));
        let ty = self.new_struct(structure, scope, Some((name, index, args.clone())));
        self.struct_templates[index].instances.push((args, ty));
        self.deeper(span, |this| this.members(ty, structure))?;
        if std::ptr::eq(structure, self.struct_templates[index].ast) {
            for definition in self.struct_templates[index].outside.clone() {
                self.define_outside(ty, definition);
            }
        }
        Some(ty)
    }

    /// The scope of a specialisation for these arguments, if it matches them.
    fn specialized(
        &mut self,
        patterns: &'a [TemplateArg],
        params: &'a [TemplateParam],
        scope: ScopeId,
        args: &[Captured],
    ) -> Option<ScopeId> {
        let mut deduction = Deduction { params, found: vec![None; params.len()] };
        if patterns.len() > args.len() {
            return None;
        }
        let fits = self.in_scope(scope, |this| {
            patterns
                .iter()
                .zip(args)
                .all(|(pattern, arg)| this.deduce_arg(pattern, arg, &mut deduction))
        });
        if !fits {
            return None;
        }
        let (completed, failed) =
            self.quietly(|this| this.complete(scope, params, deduction.found));
        if failed { None } else { completed.map(|it| it.1) }
    }

    // Variables.

    /// `template<typename T> static const T pi = …;`, or a specialisation of such.
    pub(super) fn variable_template(&mut self, head: &'a TemplateHead, var: &'a ast::Var) {
        self.needs_2021(head.span, "templates");
        let scope = self.scopes.current();
        for declarator in &var.declarators {
            let variable = Variable { var, declarator };
            let name = &declarator.name;
            if declarator.specializes.is_some() {
                match self.scopes.find_value(scope, &name.name).map(|it| it.1.entity) {
                    Some(ValueEntity::Template(index)) => {
                        let special = &mut self.variable_templates[index].special;
                        special.push((&head.params, variable, scope));
                    }
                    _ => {
                        let message = format!("`{}` is not a variable template", name.name);
                        self.error(&code::BAD_TEMPLATE, name.span, message);
                    }
                }
                continue;
            }
            let index = self.variable_templates.len();
            self.variable_templates.push(VariableTemplate {
                head,
                variable,
                scope,
                special: Vec::new(),
                instances: Vec::new(),
            });
            self.declare(name, ValueEntity::Template(index));
        }
    }

    /// The instance of a variable template for some arguments.
    pub(super) fn variable_instance(
        &mut self,
        index: usize,
        segment: &'a Segment,
    ) -> Option<ValueEntity> {
        let template = &self.variable_templates[index];
        let (params, scope, primary): (&'a [TemplateParam], _, _) =
            (&template.head.params, template.scope, template.variable);
        let (args, inner) = self.written(params, scope, segment)?;
        let span = segment.ident.span;
        let known = &self.variable_templates[index].instances;
        if let Some((_, entity)) = known.iter().find(|(it, _)| same_list(it, &args)) {
            return Some(entity.clone());
        }
        if !self.count_instance(span) {
            return None;
        }
        let (mut variable, mut scope, mut fewest) = (primary, inner, usize::MAX);
        for (open, special, outer) in self.variable_templates[index].special.clone() {
            let patterns = special.declarator.specializes.as_deref().unwrap_or(&[]);
            if open.len() < fewest
                && let Some(found) = self.specialized(patterns, open, outer, &args)
            {
                (variable, scope, fewest) = (special, found, open.len());
            }
        }
        // The variable cannot be used in its own initialiser.
        let instances = &mut self.variable_templates[index].instances;
        let at = instances.len();
        instances.push((args, ValueEntity::Broken));
        let Variable { var, declarator } = variable;
        let is_const = var.modifiers.has(ast::Modifier::Const);
        let entity = self.deeper(span, |this| {
            this.in_scope(scope, |this| {
                let base = this.ty_with(&var.ty, &var.modifiers);
                let ty = this.array(base, &declarator.dims);
                this.static_entity(declarator, ty, is_const)
            })
        })?;
        self.variable_templates[index].instances[at].1 = entity.clone();
        Some(entity)
    }

    // Functions.

    pub(super) fn declare_template(
        &mut self,
        function: &'a ast::Function,
        attributes: &'a [Attribute],
        scope: ScopeId,
    ) {
        let Some(head) = &function.template else { return };
        let key = Self::key(&function.name);
        let span = function.name.span();
        let before = self.scopes.own_value(scope, &key).cloned();
        let mut callees = match before.map(|it| (it.entity, it.span)) {
            Some((ValueEntity::Functions(callees), _)) => callees,
            Some((ValueEntity::Broken, _)) | None => Vec::new(),
            Some((_, before)) => {
                let ident = ast::Ident { name: key, span };
                self.duplicate(&ident, before);
                return;
            }
        };
        // A definition replaces the prototype with the same numbers of parameters.
        let prototype = callees.iter().find_map(|it| match *it {
            Callee::Template(index) => {
                let known = &self.function_templates[index];
                let same = known.ast.body.is_none()
                    && known.ast.params.len() == function.params.len()
                    && known.head.params.len() == head.params.len();
                same.then_some(index)
            }
            Callee::Function(_) => None,
        });
        if let Some(index) = prototype {
            let template = &mut self.function_templates[index];
            template.ast = function;
            template.head = head;
            let instances: Vec<FunctionId> = template.instances.iter().map(|it| it.1).collect();
            for id in instances {
                let instance = self.function_mut(id);
                instance.definition = function.body.is_some().then_some(function);
                instance.is_queued = false;
                self.use_function(id);
            }
            return;
        }
        self.function_templates.push(FunctionTemplate {
            ast: function,
            head,
            attributes,
            scope,
            instances: Vec::new(),
        });
        callees.push(Callee::Template(self.function_templates.len() - 1));
        self.scopes.declare_value(scope, key, ValueEntity::Functions(callees), span);
    }

    /// `template<> float f<float>(…) { … }`
    pub(super) fn specialization(
        &mut self,
        function: &'a ast::Function,
        attributes: &'a [Attribute],
        scope: ScopeId,
    ) {
        let key = Self::key(&function.name);
        let Some(signature) = self.in_scope(scope, |this| this.signature(function)) else { return };
        let found = self.scopes.find_value(scope, &key).map(|it| it.1.entity);
        let Some(ValueEntity::Functions(callees)) = found else {
            self.error(
                &code::BAD_TEMPLATE,
                function.name.span(),
                format!("there is no template `{key}`"),
            );
            return;
        };
        // The parameters' types determine the template and its arguments by deduction.
        let types: Vec<Expr> = signature
            .params
            .iter()
            .map(|it| Expr { kind: ExprKind::Const(0), ty: it.ty, span: it.span })
            .collect();
        let given = function.specializes.as_deref().filter(|it| !it.is_empty());
        for callee in callees {
            let Callee::Template(index) = callee else { continue };
            let Some(args) = self.quietly(|this| this.arguments(index, given, &types)).0 else {
                continue;
            };
            let id = self.add_function(function, attributes, scope, signature);
            let shown = self.show_args(&args.0);
            let made = self.function_mut(id);
            made.name = format!("{}<{shown}>", made.name);
            (made.is_instance, made.is_lazy) = (true, true);
            let instances = &mut self.function_templates[index].instances;
            instances.retain(|(it, _)| !same_list(it, &args.0));
            instances.push((args.0, id));
            self.use_function(id);
            return;
        }
        self.error(
            &code::BAD_TEMPLATE,
            function.name.span(),
            format!("this specialisation matches no template `{key}`"),
        );
    }

    /// Template argument deduction for a call.
    fn arguments(
        &mut self,
        index: usize,
        given: Option<&'a [TemplateArg]>,
        args: &[Expr],
    ) -> Option<(Vec<Captured>, ScopeId)> {
        let template = &self.function_templates[index];
        let (function, scope) = (template.ast, template.scope);
        let params: &'a [TemplateParam] = &template.head.params;
        let mut found = vec![None; params.len()];
        for (i, arg) in given.unwrap_or(&[]).iter().enumerate() {
            let param = params.get(i)?;
            found[i] = Some(self.captured(param, arg, scope)?);
        }
        if args.len() > function.params.len() {
            return None;
        }
        let mut deduction = Deduction { params, found };
        for (param, arg) in function.params.iter().zip(args) {
            let actual = self.settled(arg);
            let explicit = deduction.found.clone();
            let fits = self.in_scope(scope, |this| {
                this.deduce(&param.ty, &param.dims, actual, &mut deduction)
            });
            if !fits {
                // Explicit template arguments take precedence; the argument is converted.
                let contradicts = deduction
                    .found
                    .iter()
                    .zip(&explicit)
                    .any(|(now, before)| before.is_some() && now != before);
                if given.is_none() || contradicts {
                    return None;
                }
                deduction.found = explicit;
            }
        }
        self.complete(scope, params, deduction.found)
    }

    /// The instance of a function template for a call, with only its signature checked.
    pub(super) fn instance_for(
        &mut self,
        index: usize,
        given: Option<&'a [TemplateArg]>,
        args: &[Expr],
    ) -> Option<FunctionId> {
        let span = args.first().map_or(Span::NONE, |it| it.span);
        let made = self.deeper(span, |this| {
            let (completed, failed) = this.quietly(|this| this.arguments(index, given, args));
            let (captured, inner) = completed.filter(|_| !failed)?;
            let template = &this.function_templates[index];
            if let Some((_, id)) =
                template.instances.iter().find(|(it, _)| same_list(it, &captured))
            {
                return Some(*id);
            }
            let (function, attributes) = (template.ast, template.attributes);
            if !this.count_instance(function.name.span()) {
                return None;
            }
            // SFINAE: a signature that is invalid for these arguments removes the template from overload resolution.
            let (signature, failed) =
                this.quietly(|this| this.in_scope(inner, |this| this.signature(function)));
            let signature = signature.filter(|_| !failed)?;
            let id = this.add_function(function, attributes, inner, signature);
            let shown = this.show_args(&captured);
            let made: &mut Function = this.function_mut(id);
            made.name = format!("{}<{shown}>", made.name);
            (made.is_instance, made.is_lazy) = (true, true);
            this.function_templates[index].instances.push((captured, id));
            Some(id)
        });
        made.flatten()
    }
}
