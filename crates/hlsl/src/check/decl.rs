//! Declarations outside functions: namespaces, enums, aliases, variables, constant buffers.

use std::rc::Rc;

use diag::{Diagnostic, Span, code};

use super::attr::{self, Target};
use super::scope::{ScopeId, ScopeKind, Scopes, TypeEntity, ValueEntity, Wanted};
use super::template::AliasTemplate;
use super::work::cost;
use super::{Checker, GlobalInfo};
use crate::ast::{self, Declarator, Initializer, Item, ItemKind, Modifier};
use crate::hir::{self, FunctionId, GlobalId, GlobalKind};
use crate::options::Version;
use crate::parse::is_builtin_type;
use crate::types::{Scalar, Type, TypeId, Types};

impl<'a> Checker<'a> {
    pub(super) fn items(&mut self, items: &'a [Item]) {
        for item in items {
            if self.sink.is_full() || self.is_spent() {
                return;
            }
            self.item(item);
            self.pending_bodies();
        }
    }

    pub(super) fn item(&mut self, item: &'a Item) {
        self.deeper(item.span, |this| this.item_inner(item));
    }

    fn item_inner(&mut self, item: &'a Item) {
        let place = match &item.kind {
            ItemKind::Function(_) => None,
            ItemKind::Var(_) => Some(Target::Variable),
            ItemKind::Struct(_) => Some(Target::Struct),
            _ => Some(Target::Declaration),
        };
        if let Some(place) = place {
            attr::report_misplaced(self, &item.attributes, place);
        }
        match &item.kind {
            ItemKind::Namespace(namespace) => self.namespace(namespace),
            ItemKind::Struct(structure) => {
                self.structure(structure);
            }
            ItemKind::Enum(enumeration) => self.enumeration(enumeration),
            ItemKind::Alias(alias) => self.alias(alias),
            ItemKind::UsingNamespace(path) if self.is_library(path) => {}
            ItemKind::UsingNamespace(path) => {
                if let Some(scope) = self.namespace_of(path) {
                    let current = self.scopes.current();
                    self.scopes.see(current, scope);
                }
            }
            ItemKind::Using(path) => self.using(path),
            ItemKind::Buffer(buffer) => {
                let first = self.resources.len();
                self.buffer_block(buffer);
                self.vulkan_binding(first, &item.attributes);
            }
            ItemKind::Var(var) => {
                let first = self.resources.len();
                if self.push_constants(var, &item.attributes)
                    || self.specialization_constant(var, &item.attributes)
                {
                    return;
                }
                self.file_var(var);
                self.vulkan_binding(first, &item.attributes);
            }
            ItemKind::Function(function) => {
                self.attributes_known(&item.attributes);
                self.declare_function(function, &item.attributes);
            }
            ItemKind::StaticAssert(assert) => self.static_assert(assert, item.span),
            ItemKind::Empty => {}
        }
    }

    fn namespace(&mut self, namespace: &'a ast::Namespace) {
        let current = self.scopes.current();
        let name = &namespace.name;
        let known = self.scopes.own_type(current, &name.name).map(|it| (it.entity, it.span));
        let scope = match known {
            Some((TypeEntity::Namespace(scope), _)) => scope,
            Some((_, span)) => {
                self.duplicate(name, span);
                return;
            }
            None => {
                let prefix = self.prefix();
                let scope = self
                    .scopes
                    .inside(current, ScopeKind::Namespace(format!("{prefix}{}", name.name)));
                self.scopes.declare_type(
                    current,
                    name.name.clone(),
                    TypeEntity::Namespace(scope),
                    name.span,
                );
                scope
            }
        };
        self.in_scope(scope, |this| this.items(&namespace.items));
    }

    /// The qualifier of names declared in the current scope: `A::B::`, or nothing.
    pub(super) fn prefix(&self) -> String {
        self.scopes.prefix(self.scopes.current(), |id| self.types.structure(id).name.clone())
    }

    /// Whether a path names the namespace of what the language declares, which is visible everywhere.
    fn is_library(&self, path: &ast::Path) -> bool {
        self.options.hlsl_version >= Version::V202x
            && path.as_builtin().is_some_and(|it| it.name == *"hlsl")
            && self.scopes.find_type(self.scopes.current(), "hlsl").is_none()
    }

    fn namespace_of(&mut self, path: &'a ast::Path) -> Option<ScopeId> {
        let found = if path.global || !path.scope.is_empty() {
            let scope = self.scope_of(path.global, &path.scope)?;
            self.scopes.type_in(scope, &path.last.ident.name).map(|it| it.entity)
        } else {
            self.scopes.find_type(self.scopes.current(), &path.last.ident.name).map(|it| it.entity)
        };
        match found {
            Some(TypeEntity::Namespace(scope)) => Some(scope),
            None if path.as_builtin().is_some_and(|it| it.name == *"hlsl") => {
                let message = "HLSL has a namespace `hlsl` only from version 202x on";
                let report = Diagnostic::new(&code::UNKNOWN_NAME, path.span, message);
                self.report(report.help("leave it out, or compile with `-HV 202x`"));
                None
            }
            _ => {
                self.unknown(&path.last.ident, "namespace", Wanted::Type, None);
                None
            }
        }
    }

    fn using(&mut self, path: &'a ast::Path) {
        if path.library {
            // What the language declares is visible everywhere.
            let name = &path.last.ident.name;
            let is_known = is_builtin_type(name)
                || crate::library::is_function(name)
                || ops::intrinsics::by_name(name).is_some();
            if !path.scope.is_empty() || !is_known {
                self.not_in_library(path, "name");
            }
            return;
        }
        let Some(scope) = self.scope_of(path.global, &path.scope) else { return };
        let current = self.scopes.current();
        let name = &path.last.ident.name;
        let ty = self.scopes.type_in(scope, name).map(|it| it.entity);
        let value = self.scopes.value_in(scope, name).map(|it| it.entity);
        if ty.is_none() && value.is_none() {
            self.unknown(&path.last.ident, "name", Wanted::Value, Some(scope));
        }
        if let Some(entity) = ty {
            self.scopes.declare_type(current, name.clone(), entity, path.span);
        }
        if let Some(entity) = value {
            self.scopes.declare_value(current, name.clone(), entity, path.span);
        }
    }

    fn enumeration(&mut self, enumeration: &'a ast::Enum) {
        let current = self.scopes.current();
        let name = &enumeration.name;
        if self.options.hlsl_version < Version::V2017 {
            let report =
                Diagnostic::new(&code::NEEDS_HLSL_2021, name.span, "enums require HLSL 2017");
            self.report(report.help("compile with `-HV 2017` or later"));
        }
        let known = self.scopes.own_type(current, &name.name).map(|it| (it.entity, it.span));
        let underlying = match &enumeration.underlying {
            Some(ty) => self.ty(ty),
            None => Types::INT,
        };
        let held = match self.types.get(underlying) {
            Type::Scalar(scalar) if !scalar.is_float() => scalar,
            Type::Error => Scalar::I32,
            _ => {
                let message = format!(
                    "the underlying type of an enum must be an integer, not `{}`",
                    self.name_of(underlying)
                );
                let span = enumeration.underlying.as_ref().map_or(name.span, |it| it.span);
                self.error(&code::TYPE_MISMATCH, span, message);
                Scalar::I32
            }
        };
        let (ty, scope) = match known {
            Some((TypeEntity::Enum(ty, scope), span)) => {
                if self.scopes.has_values(scope) && enumeration.variants.is_some() {
                    self.duplicate(name, span);
                    return;
                }
                (ty, scope)
            }
            Some((_, span)) => {
                self.duplicate(name, span);
                return;
            }
            None => {
                let full = format!("{}{}", self.prefix(), name.name);
                let scope = self.scopes.inside(current, ScopeKind::Enum(full.clone()));
                let scalar = self.types.add_enum(full, held, enumeration.scoped);
                let ty = self.types.scalar(scalar);
                let entity = TypeEntity::Enum(ty, scope);
                self.scopes.declare_type(current, name.name.clone(), entity, name.span);
                (ty, scope)
            }
        };
        let Some(variants) = &enumeration.variants else { return };
        let mut next: i64 = 0;
        for variant in variants {
            if let Some(value) = &variant.value {
                // A value may refer to earlier enumerators of the same enum.
                let found = self.in_scope(scope, |this| {
                    this.constant_integer(value, "the value of an enumerator")
                });
                next = found.map_or(next, |(value, _)| value);
            }
            let literal = self.literal_int(next, variant.name.span);
            let bits = match self.convert(literal, ty).kind {
                hir::ExprKind::Const(bits) => bits,
                _ => 0,
            };
            let entity = ValueEntity::Constant(ty, bits);
            self.in_scope(scope, |this| this.declare(&variant.name, entity.clone()));
            if !enumeration.scoped {
                self.declare(&variant.name, entity);
            }
            next = next.wrapping_add(1);
        }
    }

    pub(super) fn alias(&mut self, alias: &'a ast::Alias) {
        let current = self.scopes.current();
        if let Some(head) = &alias.template {
            let index = self.alias_templates.len();
            self.alias_templates.push(AliasTemplate { head, ast: alias, scope: current });
            self.scopes.declare_type(
                current,
                alias.name.name.clone(),
                TypeEntity::AliasTemplate(index),
                alias.name.span,
            );
            return;
        }
        let ty = self.ty(&alias.ty);
        let ty = self.array(ty, &alias.dims);
        let known = self.scopes.own_type(current, &alias.name.name).map(|it| (it.entity, it.span));
        match known {
            // An alias may be repeated with the same type, as in `typedef struct S {…} S;`.
            Some((TypeEntity::Type(before) | TypeEntity::Enum(before, _), _))
                if before == ty || ty == Types::ERROR => {}
            Some((_, span)) => self.duplicate(&alias.name, span),
            None => {
                // An alias of an enum also gives access to its enumerators.
                let entity = self.enum_named(&alias.ty).unwrap_or(TypeEntity::Type(ty));
                self.scopes.declare_type(current, alias.name.name.clone(), entity, alias.name.span);
            }
        }
    }

    fn enum_named(&mut self, ty: &'a ast::Type) -> Option<TypeEntity> {
        let ast::TypeKind::Named(path) = &ty.kind else { return None };
        let (scope, _) = self.quietly(|this| match path.global || !path.scope.is_empty() {
            true => this
                .scope_of(path.global, &path.scope)
                .and_then(|it| this.scopes.type_in(it, &path.last.ident.name).map(|it| it.entity)),
            false => this
                .scopes
                .find_type(this.scopes.current(), &path.last.ident.name)
                .map(|it| it.entity),
        });
        scope.filter(|it| matches!(it, TypeEntity::Enum(..)))
    }

    // Variables.

    /// Variables at file scope or in a namespace.
    fn file_var(&mut self, var: &'a ast::Var) {
        if let Some(head) = &var.template {
            match var.declarators.iter().any(|it| it.owner.is_some()) {
                true => self.variables_outside(head, var),
                false => self.variable_template(head, var),
            }
            return;
        }
        let base = self.ty_with(&var.ty, &var.modifiers);
        for declarator in &var.declarators {
            self.file_declarator(var, base, declarator);
        }
    }

    fn file_declarator(&mut self, var: &'a ast::Var, base: TypeId, declarator: &'a Declarator) {
        if let Some(owner) = &declarator.owner {
            self.define_member(owner, base, declarator);
            return;
        }
        let mut ty = self.array(base, &declarator.dims);
        if !self.prefix().is_empty() {
            ty = self.no_string(ty, &declarator.name);
        }
        let modifiers = &var.modifiers;
        if let Some(span) = modifiers.span(Modifier::Uniform) {
            self.removed(span, "`uniform` variables");
        }
        if let Some(Initializer::StateBlock(span)) = &declarator.init {
            self.removed(*span, "state blocks");
            // `sturct S { … }`: the names that the block declares are unknown.
            self.names_lost |= ty == Types::ERROR;
            if self.is_resource(ty) && self.options.hlsl_version < Version::V202x {
                let name = &declarator.name.name;
                let message = format!(
                    "the state block of `{name}` has no effect, since the host sets samplers"
                );
                let report = Diagnostic::new(&code::INITIALIZER_IGNORED, *span, message);
                self.report(
                    report.help(
                        "a `StaticSampler` in the root signature sets a sampler in the source",
                    ),
                );
            }
        }
        // A string is always static, since no host can set it.
        let is_string = self.types.get(ty) == Type::String;
        if let (true, Some(span)) = (is_string, modifiers.span(Modifier::GroupShared)) {
            let message = "a `string` cannot be groupshared: it has no storage";
            self.error(&code::BAD_DECLARATION, span, message);
        }
        if modifiers.has(Modifier::Static) || is_string {
            let is_const = modifiers.has(Modifier::Const);
            self.static_var(declarator, ty, is_const);
        } else if modifiers.has(Modifier::GroupShared) {
            self.groupshared(declarator, ty);
        } else if self.is_resource(ty) {
            self.resource_var(var, declarator, ty);
        } else if modifiers.has(Modifier::Const) && declarator.init.is_some() {
            self.globals_constant(var, declarator, ty);
        } else {
            self.globals_member(var, declarator, ty);
        }
    }

    /// A `const` that is not `static`: the host sets its value, as in DXC, but a constant expression (the size of an
    /// array, a label) uses its initialiser.
    fn globals_constant(&mut self, var: &'a ast::Var, declarator: &'a Declarator, ty: TypeId) {
        let (ty, init) = self.initializer(ty, declarator);
        let value = init.as_ref().and_then(|it| self.constant(it));
        self.globals_member(var, declarator, ty);
        let scope = self.scopes.current();
        let declared = self.scopes.own_value(scope, &declarator.name.name).map(|it| &it.entity);
        if let (Some([bits]), Some(ValueEntity::BufferMember(resource, field))) =
            (value.as_deref(), declared)
            && self.types.scalar_of(ty).is_some_and(|it| !it.is_float())
        {
            self.globals_initializers.insert((*resource, *field), *bits);
        }
    }

    /// Rejects types that a variable cannot have.
    pub(super) fn variable_type(&mut self, ty: TypeId, declarator: &Declarator) -> TypeId {
        match self.types.get(ty) {
            Type::Void => {
                let message = format!("`{}` cannot be of type `void`", declarator.name.name);
                self.error(&code::BAD_DECLARATION, declarator.name.span, message);
                Types::ERROR
            }
            Type::Array { len: 0, .. } => {
                let message =
                    format!("the size of the array `{}` is missing", declarator.name.name);
                self.error(&code::BAD_DECLARATION, declarator.name.span, message);
                Types::ERROR
            }
            _ => ty,
        }
    }

    /// Checks the initialiser of a variable; it also fixes an open array size of the type.
    pub(super) fn initializer(
        &mut self,
        ty: TypeId,
        declarator: &'a Declarator,
    ) -> (TypeId, Option<hir::Expr>) {
        match &declarator.init {
            Some(Initializer::Expr(init)) => {
                let (ty, init) = self.init(ty, init);
                (ty, Some(init))
            }
            Some(Initializer::StateBlock(_)) | None => (self.variable_type(ty, declarator), None),
        }
    }

    /// A static variable: at file scope, in a struct or in a function.
    pub(super) fn static_var(&mut self, declarator: &'a Declarator, ty: TypeId, is_const: bool) {
        // A member of a struct may get its value outside.
        let is_member = matches!(self.scopes.kind(self.scopes.current()), ScopeKind::Struct(_));
        let has_value = declarator.init.is_some() || is_member || self.types.holds_resource(ty);
        if is_const && !has_value && ty != Types::ERROR {
            let name = &declarator.name;
            let message =
                format!("`{}` is `static const` but has no value, and stays 0", name.name);
            let report = Diagnostic::new(&code::UNINITIALIZED, name.span, message);
            self.report(report.help(format!(
                "write `{} = …`, or remove `static` if the host sets it",
                name.name
            )));
        }
        let entity = self.static_entity(declarator, ty, is_const);
        self.declare(&declarator.name, entity);
    }

    /// The same for an unnamed declaration.
    pub(super) fn static_entity(
        &mut self,
        declarator: &'a Declarator,
        ty: TypeId,
        is_const: bool,
    ) -> ValueEntity {
        let (ty, init) = self.initializer(ty, declarator);
        let name = format!("{}{}", self.prefix(), declarator.name.name);
        if let Some(init) = &init
            && super::reach::has_local(init)
        {
            let message = format!(
                "`{name}` is `static`, so its initialiser cannot use variables of the function"
            );
            self.error(&code::NOT_CONSTANT, init.span, message);
        }
        let value = match &init {
            Some(init) if is_const => self.constant(init),
            _ => None,
        };
        let span = declarator.name.span;
        self.spend(value.as_ref().map_or(0, Vec::len) as u64 * cost::SCALAR, span);
        if ty == Types::ERROR {
            return ValueEntity::Broken;
        }
        let kind = GlobalKind::Static { init };
        let value = value.map(Rc::from);
        ValueEntity::Global(self.add_global(name, ty, kind, is_const, value, span))
    }

    pub(super) fn add_global(
        &mut self,
        name: String,
        ty: TypeId,
        kind: GlobalKind,
        is_const: bool,
        value: Option<Rc<[u64]>>,
        span: Span,
    ) -> GlobalId {
        self.globals.push(GlobalInfo {
            global: hir::Global { name, ty, kind, span },
            is_const,
            value,
        });
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// Replaces the value of a specialization constant.
    pub(super) fn specialize(&mut self, id: GlobalId, ty: TypeId, bits: u64, span: Span) {
        let info = &mut self.globals[id.0 as usize];
        let init = hir::Expr { kind: hir::ExprKind::Const(bits), ty, span };
        info.global.kind = GlobalKind::Static { init: Some(init) };
        info.value = Some([bits].into());
    }

    fn groupshared(&mut self, declarator: &'a Declarator, ty: TypeId) {
        let ty = self.variable_type(ty, declarator);
        let name = &declarator.name;
        if let Some(Initializer::Expr(init)) = &declarator.init {
            let message = format!(
                "the initialiser of `{}` has no effect, since groupshared memory starts uninitialised",
                name.name
            );
            let report = Diagnostic::new(&code::INITIALIZER_IGNORED, init.span, message);
            self.report(report.help("let one thread of the group write it, followed by a barrier"));
        }
        if self.types.holds_resource(ty) {
            let message =
                format!("`{}` is or contains a resource, so it cannot be groupshared", name.name);
            self.error(&code::BAD_DECLARATION, name.span, message);
        }
        let entity = if ty == Types::ERROR {
            ValueEntity::Broken
        } else {
            let full = format!("{}{}", self.prefix(), name.name);
            ValueEntity::Global(self.add_global(
                full,
                ty,
                GlobalKind::Groupshared,
                false,
                None,
                name.span,
            ))
        };
        self.declare(name, entity);
    }

    /// Checks that the groupshared variables that an entry point uses fit into the memory of a group.
    pub(super) fn groupshared_fits(&mut self, entry: FunctionId, used: &[GlobalId]) {
        let mut total: u64 = 0;
        let mut largest: Option<(u64, Span, String)> = None;
        for id in used {
            let global = &self.global(*id).global;
            if !matches!(global.kind, GlobalKind::Groupshared) {
                continue;
            }
            let layout = crate::types::layout_of(
                &self.types,
                global.ty,
                crate::types::Packing::Structured,
                self.native_16bit(),
            );
            let size = u64::from(layout.size);
            total += size;
            if largest.as_ref().is_none_or(|(most, ..)| size > *most) {
                largest = Some((size, global.span, global.name.clone()));
            }
        }
        let Some((size, span, name)) = largest else { return };
        let (limit, attribute) = self.group_shared_limit(self.function(entry).attributes);
        if total <= limit {
            return;
        }
        let message = match attribute {
            Some(_) => format!(
                "`{}` uses {total} bytes of groupshared memory, but its `[GroupSharedLimit]` allows only {limit}",
                self.function(entry).name
            ),
            None => format!(
                "the groupshared variables take {total} bytes, but a group has only {limit}"
            ),
        };
        let mut report = Diagnostic::new(&code::GROUPSHARED_TOO_LARGE, span, message)
            .label(format!("`{name}` takes {size} of them"));
        report = match attribute {
            Some(attribute) => report.also(attribute, "the limit"),
            None => report.help(format!(
                "from shader model 6.10 on, `[GroupSharedLimit({})]` before the entry point allows more",
                total.next_multiple_of(4)
            )),
        };
        self.report(report);
    }

    /// `uint S::x = 1;`
    fn define_member(&mut self, owner: &'a ast::Path, base: TypeId, declarator: &'a Declarator) {
        let mut segments: Vec<&'a ast::Segment> = owner.scope.iter().collect();
        segments.push(&owner.last);
        let mut scope = owner.global.then_some(Scopes::FILE);
        for segment in segments {
            scope = self.scope_step(scope, segment);
            if scope.is_none() {
                return;
            }
        }
        let Some(scope) = scope else { return };
        self.define_member_in(scope, scope, base, declarator);
    }

    /// Whether a definition of this type matches the declaration: the types are equal, or one fixes the other's open
    /// array size.
    fn may_be_defined_as(&self, declared: TypeId, defined: TypeId) -> bool {
        let element = |ty| match self.types.get(ty) {
            Type::Array { element, len: 0 } => Some(element),
            _ => None,
        };
        let fills = |open, other| match self.types.get(other) {
            Type::Array { element: it, .. } => element(open) == Some(it),
            _ => false,
        };
        declared == defined
            || [declared, defined].contains(&Types::ERROR)
            || fills(declared, defined)
            || fills(defined, declared)
    }

    /// The definition of a static member of the struct with that scope; its names are looked up in `inner`.
    pub(super) fn define_member_in(
        &mut self,
        scope: ScopeId,
        inner: ScopeId,
        base: TypeId,
        declarator: &'a Declarator,
    ) {
        let ty = self.in_scope(inner, |this| this.array(base, &declarator.dims));
        let found = self.scopes.value_in(scope, &declarator.name.name).map(|it| it.entity);
        match found {
            Some(ValueEntity::Global(id)) => {
                let (ty, init) = self.in_scope(inner, |this| this.initializer(ty, declarator));
                let known = &self.global(id).global;
                let (declared, at) = (known.ty, known.span);
                if !self.may_be_defined_as(declared, ty) {
                    let (name, declared) = (&declarator.name.name, self.name_of(declared));
                    let message = format!(
                        "`{name}` is declared as `{declared}`, not as `{}`",
                        self.name_of(ty)
                    );
                    let report =
                        Diagnostic::new(&code::BAD_DECLARATION, declarator.name.span, message);
                    return self.report(report.also(at, "declared here"));
                }
                let value = init
                    .as_ref()
                    .filter(|_| self.global(id).is_const)
                    .and_then(|it| self.constant(it));
                let info = &mut self.globals[id.0 as usize];
                if ty != Types::ERROR {
                    info.global.ty = ty;
                }
                info.value = value.map(Rc::from);
                if init.is_some() {
                    info.global.kind = GlobalKind::Static { init };
                }
            }
            Some(_) => self.error(
                &code::BAD_DECLARATION,
                declarator.name.span,
                "this is not a static member",
            ),
            None => self.unknown(&declarator.name, "static member", Wanted::Variable, Some(scope)),
        }
    }
}
