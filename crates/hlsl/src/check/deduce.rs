//! Template argument deduction from the types of values.

use super::Checker;
use super::scope::TypeEntity;
use super::template::Captured;
use crate::ast::{self, Dim, Path, TemplateArg, TemplateParam, TemplateParamKind, TypeKind};
use crate::library::objects::{self, Takes};
use crate::types::{Access, Object, ResourceType, Scalar, Type, TypeId, Types};

/// The template arguments deduced so far.
pub(super) struct Deduction<'a> {
    pub(super) params: &'a [TemplateParam],
    pub(super) found: Vec<Option<Captured>>,
}

impl<'a> Deduction<'a> {
    fn param(&self, path: &Path) -> Option<usize> {
        let ident = path.as_simple()?;
        self.params
            .iter()
            .position(|it| it.name.as_ref().is_some_and(|name| name.name == ident.name))
    }

    /// Records an argument; `false` if it contradicts an earlier one.
    fn bind(&mut self, index: usize, value: Captured) -> bool {
        match &self.found[index] {
            None => {
                self.found[index] = Some(value);
                true
            }
            Some(known) => known.same(&value),
        }
    }
}

impl<'a> Checker<'a> {
    /// Unifies a written type with an actual one; `false` if they cannot be the same.
    pub(super) fn deduce(
        &mut self,
        pattern: &'a ast::Type,
        dims: &'a [Dim],
        actual: TypeId,
        deduction: &mut Deduction<'a>,
    ) -> bool {
        if let Some((first, rest)) = dims.split_first() {
            let Type::Array { element, len } = self.types.get(actual) else { return false };
            if let Some(size) = &first.size
                && let Some(index) = self.param_named(size, deduction)
                && !deduction.bind(index, Captured::Value(Types::UINT, len.into()))
            {
                return false;
            }
            return self.deduce(pattern, rest, element, deduction);
        }
        let TypeKind::Named(path) = &pattern.kind else { return true };
        if let Some(index) = deduction.param(path) {
            return match &deduction.params[index].kind {
                TemplateParamKind::Type { .. } => deduction.bind(index, Captured::Type(actual)),
                TemplateParamKind::Value { .. } => false,
            };
        }
        let Some(args) = &path.last.args else { return true };
        let Some(parts) = self.parts(path, actual) else { return true };
        args.iter().zip(parts).all(|(arg, part)| self.deduce_arg(arg, &part, deduction))
    }

    fn param_named(&self, expr: &ast::Expr, deduction: &Deduction) -> Option<usize> {
        match &expr.kind {
            ast::ExprKind::Name(path) => deduction.param(path),
            _ => None,
        }
    }

    /// Unifies a written template argument with an actual one.
    pub(super) fn deduce_arg(
        &mut self,
        arg: &'a TemplateArg,
        actual: &Captured,
        deduction: &mut Deduction<'a>,
    ) -> bool {
        match (arg, actual) {
            (TemplateArg::Type(ty), Captured::Type(actual)) => {
                let TypeKind::Named(path) = &ty.kind else { return self.same_type(ty, *actual) };
                if deduction.param(path).is_some() || path.last.args.is_some() {
                    return self.deduce(ty, &[], *actual, deduction);
                }
                self.same_type(ty, *actual)
            }
            (TemplateArg::Expr(expr), actual) => {
                match (self.param_named(expr, deduction), actual) {
                    (Some(index), _) => deduction.bind(index, actual.clone()),
                    (None, Captured::Value(_, bits)) => {
                        let (value, failed) =
                            self.quietly(|this| this.constant_integer(expr, "the argument"));
                        !failed && value.is_some_and(|(value, _)| value as u64 == *bits)
                    }
                    (None, Captured::Type(_)) => false,
                }
            }
            (TemplateArg::Type(_), Captured::Value(..)) => false,
        }
    }

    fn same_type(&mut self, ty: &'a ast::Type, actual: TypeId) -> bool {
        self.quietly(|this| this.ty(ty)).0 == actual
    }

    /// The template arguments that a type was made from, if it is an instance of the template that the path names.
    fn parts(&mut self, path: &'a Path, actual: TypeId) -> Option<Vec<Captured>> {
        let ty = |ty| Captured::Type(ty);
        let number = |n: u32| Captured::Value(Types::UINT, n.into());
        if let Type::Struct(id) = self.types.get(actual) {
            let (template, args) = self.structs.get(&id)?.template.clone()?;
            let name = &path.last.ident.name;
            let found = self.scopes.find_type(self.scopes.current(), name).map(|it| it.entity);
            return (found == Some(TypeEntity::StructTemplate(template))
                || self.struct_templates[template].ast.name.name == *name)
                .then_some(args);
        }
        let scalar = |this: &mut Self, scalar: Scalar| ty(this.types.scalar(scalar));
        Some(match (path.last.ident.name.as_str(), self.types.get(actual)) {
            ("vector", Type::Vector(s, n)) => vec![scalar(self, s), number(n)],
            ("vector", Type::Scalar(s)) => vec![scalar(self, s), number(1)],
            ("matrix", Type::Matrix { scalar: s, rows, columns, .. }) => {
                vec![scalar(self, s), number(rows), number(columns)]
            }
            (
                "StructuredBuffer",
                Type::Resource(ResourceType::Structured { element, access: Access::Read }),
            )
            | (
                "RWStructuredBuffer",
                Type::Resource(ResourceType::Structured { element, access: Access::ReadWrite }),
            )
            | (
                "AppendStructuredBuffer",
                Type::Resource(ResourceType::Structured { element, access: Access::Append }),
            )
            | (
                "ConsumeStructuredBuffer",
                Type::Resource(ResourceType::Structured { element, access: Access::Consume }),
            )
            | ("Buffer", Type::Resource(ResourceType::Typed { element, writable: false, .. }))
            | ("RWBuffer", Type::Resource(ResourceType::Typed { element, writable: true, .. }))
            | ("ConstantBuffer", Type::Resource(ResourceType::Constant(element)))
            | ("TextureBuffer", Type::Resource(ResourceType::TextureBuffer(element))) => {
                vec![ty(element)]
            }
            (name, Type::Resource(ResourceType::Texture { element, dim, writable, .. }))
                if name.strip_prefix("RW").map_or((name, false), |it| (it, true))
                    == (dim.name(), writable) =>
            {
                vec![ty(element)]
            }
            (name, Type::Resource(ResourceType::Other(object))) if name == object.name => {
                match objects::row_of(object).takes {
                    Takes::Nothing | Takes::Fields(_) => return None,
                    Takes::Element => vec![ty(object.element)],
                    Takes::ElementAndCount(_) => vec![ty(object.element), number(object.count)],
                    Takes::Flags { .. } if object.is_query() => {
                        let flags = [
                            object.count & Object::RAY_FLAGS,
                            object.count / (Object::RAY_FLAGS + 1),
                        ];
                        flags.map(number).into()
                    }
                    Takes::Flags { .. } => vec![number(object.count)],
                }
            }
            _ => return None,
        })
    }
}
