//! Name lookup, qualified and unqualified, of types and of values.

use diag::{Diagnostic, Span, code};

use super::Checker;
use super::scope::{Declared, ScopeId, ScopeKind, Scopes, TypeEntity, ValueEntity, Wanted};
use crate::ast::{self, Path, Segment};
use crate::options::Version;
use crate::parse::is_builtin_type;
use crate::types::{Type, TypeId};

/// Namespaces of compiler extensions.
const COMPILERS: [&str; 2] = ["vk", "dx"];

impl<'a> Checker<'a> {
    /// The scope that the part of a path before the last `::` names; `None` after a report.
    pub(super) fn scope_of(&mut self, global: bool, segments: &'a [Segment]) -> Option<ScopeId> {
        let mut scope = global.then_some(Scopes::FILE);
        for segment in segments {
            let name = &segment.ident.name;
            let found = match scope {
                None => self.scopes.find_type(self.scopes.current(), name),
                Some(scope) => self.scopes.type_in(scope, name),
            };
            let entity = found.map(|it| it.entity);
            scope = match entity {
                Some(TypeEntity::Namespace(scope) | TypeEntity::Enum(_, scope)) => Some(scope),
                Some(TypeEntity::Type(ty)) => {
                    let template = segment.args.as_ref().and(self.injected(ty, name));
                    let ty = match template {
                        Some(index) => {
                            self.template_type(TypeEntity::StructTemplate(index), segment)?
                        }
                        None => ty,
                    };
                    Some(self.scope_of_type(ty, segment.ident.span)?)
                }
                Some(TypeEntity::StructTemplate(_) | TypeEntity::AliasTemplate(_)) => {
                    let ty = self.template_type(entity?, segment)?;
                    Some(self.scope_of_type(ty, segment.ident.span)?)
                }
                None if scope.is_none() && COMPILERS.contains(&&**name) => {
                    let message = format!("the namespace `{name}` is not supported yet");
                    self.unsupported(segment.ident.span, message);
                    return None;
                }
                None => {
                    self.unknown(&segment.ident, "namespace, struct or enum", Wanted::Type, scope);
                    return None;
                }
            };
        }
        scope
    }

    fn scope_of_type(&mut self, ty: TypeId, span: Span) -> Option<ScopeId> {
        match self.types.get(ty) {
            Type::Struct(id) if self.structs.contains_key(&id) => Some(self.structs[&id].scope),
            Type::Error => None,
            _ => {
                let name = self.name_of(ty);
                self.error(
                    &code::UNKNOWN_NAME,
                    span,
                    format!("`{name}` has no members that can be named with `::`"),
                );
                None
            }
        }
    }

    /// The declared type that a path names, excluding built-in objects; the outer `None` if there is none.
    pub(super) fn declared_type(&mut self, path: &'a Path) -> Option<Option<TypeId>> {
        let name = &path.last.ident.name;
        if path.library {
            if path.scope.is_empty() && is_builtin_type(name) {
                return None;
            }
            self.not_in_library(path, "type");
            return Some(None);
        }
        let found = if path.global || !path.scope.is_empty() {
            let Some(scope) = self.scope_of(path.global, &path.scope) else { return Some(None) };
            let found = self.scopes.type_in(scope, name).map(|it| it.entity);
            if found.is_none() && !(path.global && path.scope.is_empty()) {
                self.unknown(&path.last.ident, "type", Wanted::Type, Some(scope));
                return Some(None);
            }
            found
        } else {
            self.scopes.find_type(self.scopes.current(), name).map(|it| it.entity)
        };
        Some(match found? {
            TypeEntity::Type(ty) | TypeEntity::Enum(ty, _) => {
                if path.last.args.is_some() {
                    // Injected class name: inside a template its name is the instance, but with arguments the template.
                    if let Some(index) = self.injected(ty, name) {
                        return Some(
                            self.template_type(TypeEntity::StructTemplate(index), &path.last),
                        );
                    }
                    let message = format!("`{name}` is not a template");
                    self.error(&code::BAD_TEMPLATE, path.last.ident.span, message);
                    return Some(None);
                }
                Some(ty)
            }
            TypeEntity::Namespace(_) => {
                self.error(
                    &code::TYPE_MISMATCH,
                    path.span,
                    format!("`{name}` is a namespace, not a type"),
                );
                None
            }
            entity @ (TypeEntity::StructTemplate(_) | TypeEntity::AliasTemplate(_)) => {
                self.template_type(entity, &path.last)
            }
        })
    }

    /// The template whose instance a type is, if the path names it by its own name.
    fn injected(&self, ty: TypeId, name: &str) -> Option<usize> {
        let Type::Struct(id) = self.types.get(ty) else { return None };
        let info = self.structs.get(&id)?;
        let (index, _) = info.template.as_ref()?;
        (info.ast.name.name == *name).then_some(*index)
    }

    /// The value that a path names, and the scope through which it was found. An unknown last name is not reported
    /// here.
    pub(super) fn declared_value(
        &mut self,
        path: &'a Path,
    ) -> Result<Option<(ScopeId, Declared<ValueEntity>)>, ()> {
        let name = &path.last.ident.name;
        if path.library && path.scope.is_empty() {
            return Ok(None);
        }
        if path.library {
            self.not_in_library(path, "namespace, struct or enum");
            return Err(());
        }
        if path.global || !path.scope.is_empty() {
            let scope = self.scope_of(path.global, &path.scope).ok_or(())?;
            return Ok(self.scopes.value_in(scope, name).map(|it| (scope, it)));
        }
        Ok(self.scopes.find_value(self.scopes.current(), name))
    }

    /// Whether a path of the source's own namespace `hlsl`, which does not declare the name, leads to the language's.
    pub(super) fn is_in_library(&self, path: &Path) -> bool {
        let is_own = |it: &Segment| it.args.is_none() && it.ident.name == *"hlsl";
        self.options.hlsl_version >= Version::V202x
            && matches!(path.scope.as_slice(), [only] if is_own(only))
            && path.last.args.is_none()
    }

    /// Reports a name after `hlsl::` that the language does not declare.
    pub(super) fn not_in_library(&mut self, path: &'a Path, what: &str) {
        let ident = path.scope.first().map_or(&path.last.ident, |it| &it.ident);
        let message = format!("there is no {what} `{}` in `hlsl`", ident.name);
        let report = Diagnostic::new(&code::UNKNOWN_NAME, ident.span, message);
        let declared = self.scopes.find_value(Scopes::FILE, &ident.name).map(|it| it.1.span);
        self.report(match declared {
            Some(span) => report.also(span, "declared here").help(
                "`hlsl` holds what the language declares; a name of the file needs no qualifier",
            ),
            None => report,
        });
    }

    /// Reports an undeclared name, with a suggestion.
    pub(super) fn unknown(
        &mut self,
        ident: &ast::Ident,
        what: &str,
        wanted: Wanted,
        scope: Option<ScopeId>,
    ) {
        // Searching for a suggestion takes time, which would be wasted on a report that is dropped.
        if self.sink.is_full() || !self.is_unreported(ident, scope) {
            return;
        }
        let place = match scope.map(|scope| self.scopes.kind(scope).clone()) {
            Some(ScopeKind::Namespace(name) | ScopeKind::Enum(name)) if !name.is_empty() => {
                format!(" in `{name}`")
            }
            Some(ScopeKind::Struct(id)) => format!(" in `{}`", self.types.structure(id).name),
            _ => String::new(),
        };
        let is_enum = scope.is_some_and(|it| matches!(self.scopes.kind(it), ScopeKind::Enum(_)));
        let what = if is_enum { "enumerator" } else { what };
        let message = format!("there is no {what} `{}`{place}", ident.name);
        let report = Diagnostic::new(&code::UNKNOWN_NAME, ident.span, message);
        let report = self.guess(report, ident, wanted, scope);
        self.report(report);
    }

    /// Reports a name that is taken in a scope.
    pub(super) fn duplicate(&mut self, ident: &ast::Ident, before: Span) {
        let report = Diagnostic::new(
            &code::DUPLICATE_NAME,
            ident.span,
            format!("`{}` is already declared in this scope", ident.name),
        );
        self.report(report.also(before, "first declared here"));
    }

    /// Declares a value in the current scope, unless its name is taken.
    pub(super) fn declare(&mut self, ident: &ast::Ident, entity: ValueEntity) {
        let scope = self.scopes.current();
        if let Some(before) = self.scopes.own_value(scope, &ident.name) {
            let (span, broken) = (before.span, before.entity == ValueEntity::Broken);
            // `retrun x;` is not a declaration, and its type was reported.
            if entity == ValueEntity::Broken {
                return;
            }
            if !broken {
                self.duplicate(ident, span);
                return;
            }
        }
        self.scopes.declare_value(scope, ident.name.clone(), entity, ident.span);
    }
}
