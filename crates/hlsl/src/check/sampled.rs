//! `vk::SampledTexture2D<T>` and its like: a texture and its sampler in one, as Vulkan has them.
//!
//! Such an object is a struct of the language with three fields: the texture, and the sampler as either kind of sampler. Each
//! is a resource of its own, at the binding of the whole; what a program does not use is not there. Methods are those of
//! the texture, called without a sampler. Deliberately absent: arrays of such objects.

use diag::code;

use super::Checker;
use crate::ast::Path;
use crate::hir::{Expr, ExprKind};
use crate::types::{ResourceType, Type, TypeId, Types};

const TEXTURE: u32 = 0;
const SAMPLER: u32 = 1;
const COMPARISON: u32 = 2;

/// The name of the texture, if a path names one with a sampler.
pub(super) fn sampled_name(path: &Path) -> Option<&str> {
    let [scope] = path.scope.as_slice() else { return None };
    let is_plain = scope.args.is_none() && scope.ident.name == *"vk";
    path.last.ident.name.strip_prefix("Sampled").filter(|_| is_plain)
}

impl<'a> Checker<'a> {
    /// The struct for a texture of that type.
    pub(super) fn sampled_type(&mut self, texture: TypeId, path: &'a Path) -> TypeId {
        match self.types.get(texture) {
            Type::Resource(ResourceType::Texture { dim, writable: false, .. })
                if !dim.dim().is_multisampled() =>
            {
                let name = format!("vk::Sampled{}", self.types.name(texture));
                self.types.sampled(texture, name)
            }
            Type::Error => Types::ERROR,
            _ => {
                let message = format!("there is no type `vk::{}`", path.last.ident.name);
                self.error(&code::UNKNOWN_NAME, path.span, message);
                Types::ERROR
            }
        }
    }

    /// The texture of a texture with its sampler; anything else comes back as it was.
    pub(super) fn texture_part(&mut self, object: Expr) -> Expr {
        self.sampled_part(object, TEXTURE)
    }

    /// A call of a method of such an object as the texture has it.
    pub(super) fn with_sampler(
        &mut self,
        object: Expr,
        method: &str,
        mut args: Vec<Expr>,
        again: impl FnOnce(&mut Self) -> Expr,
    ) -> (Expr, Vec<Expr>) {
        if !self.types.is_sampled(object.ty) {
            return (object, args);
        }
        let takes_sampler =
            ["Sample", "Gather", "Calculate"].iter().any(|it| method.starts_with(it));
        if takes_sampler {
            let which = if method.contains("Cmp") { COMPARISON } else { SAMPLER };
            let object = again(self);
            args.insert(0, self.sampled_part(object, which));
        }
        (self.texture_part(object), args)
    }

    fn sampled_part(&mut self, object: Expr, which: u32) -> Expr {
        if !self.types.is_sampled(object.ty) {
            return object;
        }
        let span = object.span;
        let Type::Struct(id) = self.types.get(object.ty) else { return object };
        let ty = self.types.structure(id).fields[which as usize].ty;
        Expr { kind: ExprKind::Field(object.into(), which), ty, span }
    }
}
