//! Vectors of more than four components: values of a function and of memory, but of nothing that a pipeline passes on.

use diag::{Diagnostic, Span, code};

use super::Checker;
use super::entry::shader_word;
use crate::hir::{Expr, FunctionId};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    /// Whether a type fits a place that takes at most four components; reports one that is, or contains, a longer
    /// vector.
    pub(super) fn takes_no_long_vector(&mut self, ty: TypeId, place: &str, span: Span) -> bool {
        if !self.types.contents(ty).has_long_vector {
            return true;
        }
        let message = match self.types.get(ty) {
            Type::Vector(..) => format!("{place} cannot be a `{}`", self.name_of(ty)),
            _ => format!(
                "{place} cannot contain a vector of more than 4 components, as `{}` does",
                self.name_of(ty)
            ),
        };
        let report = Diagnostic::new(&code::TYPE_MISMATCH, span, message);
        self.report(report.help("use an array, or several vectors of up to 4 components"));
        false
    }

    /// The same for the result and the parameters of a function that a pipeline calls.
    pub(super) fn signature_takes_no_long_vector(&mut self, id: FunctionId, what: &str) -> bool {
        let function = self.function(id);
        let (result, at) = (function.result, function.span);
        let params: Vec<(TypeId, Span)> =
            function.params.iter().map(|it| (it.ty, it.span)).collect();
        let mut fine = self.takes_no_long_vector(result, &format!("the result of {what}"), at);
        for (ty, span) in params {
            fine &= self.takes_no_long_vector(ty, &format!("a parameter of {what}"), span);
        }
        fine
    }

    /// The same for the functions of a library that `[shader]` makes entry points.
    pub(super) fn library_takes_no_long_vector(&mut self, id: FunctionId) {
        if shader_word(self.function(id).attributes).is_some() {
            self.signature_takes_no_long_vector(id, "an entry point");
        }
    }

    /// The same for the arguments of a function that passes a struct on to another shader.
    pub(super) fn payloads_take_no_long_vector(&mut self, args: &[Expr]) -> bool {
        let mut fine = true;
        for arg in args {
            if let Type::Struct(_) = self.types.get(arg.ty) {
                let place = "a struct that is passed to another shader";
                fine &= self.takes_no_long_vector(arg.ty, place, arg.span);
            }
        }
        fine
    }
}
