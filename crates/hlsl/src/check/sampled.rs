//! Combined texture and sampler objects of Vulkan: `vk::SampledTexture2D<T>` and the like.
//!
//! Such an object is a built-in struct with three fields: the texture, the sampler, and the same sampler for
//! comparisons. Each is a separate resource at the binding of the whole; unused ones are left out. Methods are those of
//! the texture, called without a sampler. Deliberately absent: arrays of such objects.

use diag::code;

use super::Checker;
use crate::ast::Path;
use crate::hir::{Expr, ExprKind};
use crate::types::{ResourceType, Type, TypeId, Types};

const TEXTURE: u32 = 0;
const SAMPLER: u32 = 1;
const COMPARISON: u32 = 2;

/// The name of the texture type, if a path names a combined texture and sampler.
pub(super) fn sampled_name(path: &Path) -> Option<&str> {
    let [scope] = path.scope.as_slice() else { return None };
    let is_plain = scope.args.is_none() && scope.ident.name == *"vk";
    path.last.ident.name.strip_prefix("Sampled").filter(|_| is_plain)
}

impl<'a> Checker<'a> {
    /// The struct type for a texture type.
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

    /// The texture of a combined texture and sampler; other expressions are returned unchanged.
    pub(super) fn texture_part(&mut self, object: Expr) -> Expr {
        self.sampled_part(object, TEXTURE)
    }

    /// Rewrites a method call on such an object to one on its texture, with the sampler as an argument.
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
