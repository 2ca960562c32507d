//! Out-of-class definitions of struct templates' members: `template<typename T> void S<T>::f() { … }`.
//!
//! Such a definition is stored with its template and added to every instance, including earlier ones. Its head may
//! rename the parameters, so it gets its own scope for each instance.

use super::Checker;
use super::scope::{Callee, ScopeId, ScopeKind, TypeEntity, ValueEntity, Wanted};
use crate::ast::{self, Attribute, Path, TemplateHead};
use crate::types::{Type, TypeId};

/// An out-of-class definition.
#[derive(Clone, Copy)]
pub(super) struct Definition<'a> {
    /// Its head, which renames the parameters of the template.
    head: &'a TemplateHead,
    member: Member<'a>,
}

#[derive(Clone, Copy)]
enum Member<'a> {
    Function(&'a ast::Function, &'a [Attribute]),
    Variable(&'a ast::Var, &'a ast::Declarator),
}

impl<'a> Checker<'a> {
    /// Registers the out-of-class definition of a struct template's method; `false` for any other function.
    pub(super) fn add_method_outside(
        &mut self,
        function: &'a ast::Function,
        attributes: &'a [Attribute],
    ) -> bool {
        let Some(owner) = &function.owner else { return false };
        let head = function.owner_template.as_ref().or(function.template.as_ref());
        let (Some(head), Some(index)) = (head, self.template_of(owner)) else { return false };
        if head.params.is_empty() {
            return false;
        }
        self.needs_2021(head.span, "templates");
        self.add_outside(
            index,
            Definition { head, member: Member::Function(function, attributes) },
        );
        true
    }

    /// `template<typename T> uint S<T>::count = 0;`
    pub(super) fn variables_outside(&mut self, head: &'a TemplateHead, var: &'a ast::Var) {
        for declarator in &var.declarators {
            let Some(owner) = &declarator.owner else { continue };
            match self.template_of(owner) {
                Some(index) => {
                    let member = Member::Variable(var, declarator);
                    self.add_outside(index, Definition { head, member });
                }
                None => self.unknown(&owner.last.ident, "struct template", Wanted::Type, None),
            }
        }
    }

    /// The struct template named by the path before a member.
    fn template_of(&mut self, owner: &'a Path) -> Option<usize> {
        owner.last.args.as_ref()?;
        let name = &owner.last.ident.name;
        let found = match owner.global || !owner.scope.is_empty() {
            true => {
                let scope = self.scope_of(owner.global, &owner.scope)?;
                self.scopes.type_in(scope, name)
            }
            false => self.scopes.find_type(self.scopes.current(), name),
        };
        match found?.entity {
            TypeEntity::StructTemplate(index) => Some(index),
            TypeEntity::Type(_)
            | TypeEntity::Enum(..)
            | TypeEntity::Namespace(_)
            | TypeEntity::AliasTemplate(_) => None,
        }
    }

    fn add_outside(&mut self, index: usize, definition: Definition<'a>) {
        self.struct_templates[index].outside.push(definition);
        let instances: Vec<TypeId> =
            self.struct_templates[index].instances.iter().map(|it| it.1).collect();
        for ty in instances {
            self.define_outside(ty, definition);
        }
    }

    /// Adds a definition to an instance.
    pub(super) fn define_outside(&mut self, ty: TypeId, definition: Definition<'a>) {
        let Type::Struct(id) = self.types.get(ty) else { return };
        let Some(info) = self.structs.get(&id) else { return };
        // Specialisations have their own members.
        let Some((index, args)) = info.template.clone() else { return };
        if !std::ptr::eq(info.ast, self.struct_templates[index].ast) {
            return;
        }
        let outer = info.scope;
        let inner = self.scopes.inside(outer, ScopeKind::Template);
        for (param, arg) in definition.head.params.iter().zip(&args) {
            self.bind_one(inner, param, arg);
        }
        match definition.member {
            Member::Variable(var, declarator) => {
                let base = self.in_scope(inner, |this| this.ty_with(&var.ty, &var.modifiers));
                self.define_member_in(outer, inner, base, declarator);
            }
            Member::Function(function, _) if function.is_template_of(definition.head) => {
                self.template_outside(outer, inner, function);
            }
            Member::Function(function, attributes) => {
                let signature = self.in_scope(inner, |this| this.signature(function));
                let Some(signature) = signature else { return };
                let id = self.add_overload(function, attributes, outer, signature);
                if let Some(id) = id {
                    self.function_mut(id).scope = inner;
                    if function.body.is_some() {
                        self.body_appeared(id);
                    }
                }
            }
        }
    }

    /// A method that is itself a template: the definition matches the prototype with the same number of parameters.
    fn template_outside(&mut self, outer: ScopeId, inner: ScopeId, function: &'a ast::Function) {
        let key = Self::key(&function.name);
        let known = self.scopes.own_value(outer, &key).map(|it| it.entity.clone());
        let callees = match known {
            Some(ValueEntity::Functions(callees)) => callees,
            _ => Vec::new(),
        };
        let prototype = callees.iter().find_map(|it| match *it {
            Callee::Template(index) => {
                let known = self.function_templates[index].ast;
                (known.body.is_none() && known.params.len() == function.params.len())
                    .then_some(index)
            }
            Callee::Function(_) => None,
        });
        match (prototype, &function.template) {
            (Some(index), Some(head)) => {
                let template = &mut self.function_templates[index];
                (template.ast, template.head, template.scope) = (function, head, inner);
            }
            _ => {
                let ident = ast::Ident { name: key, span: function.name.span() };
                self.unknown(&ident, "template", Wanted::Value, Some(outer));
            }
        }
    }
}

impl ast::Function {
    /// Whether a method has its own template head besides that of its struct.
    fn is_template_of(&self, owner: &TemplateHead) -> bool {
        self.template.as_ref().is_some_and(|it| !std::ptr::eq(it, owner))
    }
}
