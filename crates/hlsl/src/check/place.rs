//! Lvalues: whether an expression can be written, and if not, why.

use diag::{Diagnostic, Span, code};

use super::Checker;
use crate::hir::{Expr, ExprKind, GlobalKind};
use crate::library::{Method, TextureMethod};
use crate::types::convert;
use crate::types::{Access, ResourceType, Type, Types};

/// Why an expression cannot be written.
pub(super) struct Unwritable {
    message: String,
    declared: Option<(Span, String)>,
}

impl Unwritable {
    fn new(message: impl Into<String>) -> Unwritable {
        Unwritable { message: message.into(), declared: None }
    }
}

impl Checker<'_> {
    /// Whether an expression is a modifiable lvalue.
    pub(super) fn is_writable(&self, expr: &Expr) -> bool {
        expr.ty == Types::ERROR || self.writable(expr).is_ok()
    }

    /// Reports an expression that is not a modifiable lvalue; `false` if it is not.
    pub(super) fn require_writable(&mut self, expr: &Expr, why: &str) -> bool {
        if expr.ty == Types::ERROR {
            return false;
        }
        match self.writable(expr) {
            Ok(()) => true,
            Err(reason) => {
                let mut report = Diagnostic::new(&code::NOT_ASSIGNABLE, expr.span, reason.message)
                    .label(why.to_owned());
                if let Some((span, text)) = reason.declared {
                    report = report.also(span, text);
                }
                self.report(report);
                false
            }
        }
    }

    /// Whether an expression is a bound resource or an element of a bound array, rather than a variable that holds one.
    pub(super) fn is_binding(&self, expr: &Expr) -> bool {
        let is_resource = |expr: &Expr| matches!(self.types.get(expr.ty), Type::Resource(_));
        match &expr.kind {
            ExprKind::Resource(_) => is_resource(expr),
            ExprKind::Index(base, _) if is_resource(expr) && !is_resource(base) => {
                let mut base = base;
                while let ExprKind::Index(inner, _) = &base.kind {
                    base = inner;
                }
                matches!(base.kind, ExprKind::Resource(_))
            }
            _ => false,
        }
    }

    pub(super) fn writable(&self, expr: &Expr) -> Result<(), Unwritable> {
        match &expr.kind {
            ExprKind::Local(id) => {
                let Some(body) = &self.body else { return Ok(()) };
                let local = &body.locals[id.0 as usize];
                if !body.facts[id.0 as usize].is_const {
                    return Ok(());
                }
                let message = format!("`{}` is `const`", local.name);
                Err(Unwritable {
                    message,
                    declared: Some((local.span, "declared here".to_owned())),
                })
            }
            ExprKind::Global(id) => {
                let global = self.global(*id);
                if !global.is_const {
                    return Ok(());
                }
                let message = format!("`{}` is `const`", global.global.name);
                Err(Unwritable {
                    message,
                    declared: Some((global.global.span, "declared here".to_owned())),
                })
            }
            ExprKind::Resource(id) => {
                let resource = &self.resources[id.0 as usize];
                let message = format!(
                    "`{}` is a resource binding, which a program cannot change",
                    resource.name
                );
                Err(Unwritable {
                    message,
                    declared: Some((resource.span, "declared here".to_owned())),
                })
            }
            ExprKind::Field(base, _) => self.writable_part(base),
            ExprKind::Swizzle(base, components) => {
                if has_repeats(components) {
                    return Err(Unwritable::new(
                        "this swizzle repeats a component, so it cannot be written",
                    ));
                }
                self.writable_part(base)
            }
            ExprKind::MatrixSwizzle(base, elements) => {
                if has_repeats(elements) {
                    return Err(Unwritable::new(
                        "this swizzle repeats an element, so it cannot be written",
                    ));
                }
                self.writable_part(base)
            }
            ExprKind::Index(base, _) => match self.types.get(base.ty) {
                Type::Resource(resource) => self.writable_element(base, resource),
                _ => self.writable_part(base),
            },
            ExprKind::Method {
                method: Method::Texture(TextureMethod::Samples), object, ..
            } => match self.types.get(object.ty) {
                Type::Resource(resource) => self.writable_element(object, resource),
                _ => Ok(()),
            },
            ExprKind::Assign(..)
            | ExprKind::AssignOp { .. }
            | ExprKind::Step { prefix: true, .. } => Ok(()),
            ExprKind::Comma(_, second) => self.writable(second),
            // The inherited part of a struct is an lvalue within it.
            ExprKind::Convert(inner) if convert::is_base(&self.types, inner.ty, expr.ty) => {
                self.writable(inner)
            }
            ExprKind::Convert(inner) if matches!(self.types.get(inner.ty), Type::Resource(_)) => {
                Err(Unwritable::new("a constant buffer cannot be written"))
            }
            ExprKind::Call { function, .. } => {
                let name = &self.function(*function).name;
                Err(Unwritable::new(match name.contains("operator") {
                    true => format!("`{name}` returns a value, not a reference"),
                    false => format!("`{name}` returns a value, which cannot be assigned to"),
                }))
            }
            ExprKind::Const(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Logic { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Step { prefix: false, .. }
            | ExprKind::Wave { .. }
            | ExprKind::Library { .. }
            | ExprKind::Method { .. }
            | ExprKind::Convert(_)
            | ExprKind::Construct(_) => Err(Unwritable::new("this is a value, not a variable")),
        }
    }

    fn writable_part(&self, base: &Expr) -> Result<(), Unwritable> {
        match self.types.get(base.ty) {
            Type::Resource(ResourceType::Constant(_) | ResourceType::TextureBuffer(_)) => {
                let mut reason = Unwritable::new("a constant buffer cannot be written");
                if let ExprKind::Resource(id) = base.kind {
                    let resource = &self.resources[id.0 as usize];
                    if resource.name == "$Globals" {
                        reason.message = "a global variable is a constant set by the host, unless it is `static` or `groupshared`".to_owned();
                    } else {
                        reason.declared = Some((resource.span, "declared here".to_owned()));
                    }
                }
                Err(reason)
            }
            _ => self.writable(base),
        }
    }

    fn writable_element(&self, base: &Expr, resource: ResourceType) -> Result<(), Unwritable> {
        let writable = match resource {
            ResourceType::Structured { access, .. } => access == Access::ReadWrite,
            ResourceType::Typed { writable, .. } | ResourceType::Texture { writable, .. } => {
                writable
            }
            ResourceType::Raw { writable } => writable,
            ResourceType::Constant(_)
            | ResourceType::TextureBuffer(_)
            | ResourceType::Sampler { .. }
            | ResourceType::AccelerationStructure => false,
            // Unknown; its use is reported elsewhere.
            ResourceType::Other(_) => true,
        };
        if writable {
            return Ok(());
        }
        let name = self.types.name(base.ty);
        let mut reason = Unwritable::new(format!("a `{name}` cannot be written"));
        if let ExprKind::Resource(id) = base.kind {
            reason.declared =
                Some((self.resources[id.0 as usize].span, "declared here".to_owned()));
        }
        Err(reason)
    }

    /// Whether an lvalue is a texel of a multisampled texture, or a part of one.
    pub(super) fn is_sample(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Method { method: Method::Texture(TextureMethod::Samples), .. } => true,
            ExprKind::Index(base, _) => match self.types.get(base.ty) {
                Type::Resource(ResourceType::Texture { dim, .. }) => dim.dim().is_multisampled(),
                _ => self.is_sample(base),
            },
            ExprKind::Field(base, _) | ExprKind::Swizzle(base, _) | ExprKind::Convert(base) => {
                self.is_sample(base)
            }
            _ => false,
        }
    }

    /// Whether an lvalue is in memory that lanes share, as atomic operations require.
    pub(super) fn is_shared_place(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Global(id) => matches!(self.global(*id).global.kind, GlobalKind::Groupshared),
            ExprKind::Local(id) => {
                self.body.as_ref().is_none_or(|body| body.facts[id.0 as usize].is_reference)
            }
            ExprKind::Index(base, _) => {
                matches!(self.types.get(base.ty), Type::Resource(_)) || self.is_shared_place(base)
            }
            ExprKind::Field(base, _)
            | ExprKind::Swizzle(base, _)
            | ExprKind::MatrixSwizzle(base, _)
            | ExprKind::Convert(base) => self.is_shared_place(base),
            ExprKind::Comma(_, second) => self.is_shared_place(second),
            _ => false,
        }
    }
}

fn has_repeats<T: PartialEq>(list: &[T]) -> bool {
    list.iter().enumerate().any(|(i, it)| list[..i].contains(it))
}
