//! What no legalisation makes up for: features that a back end cannot express.

use ir::{Inst, Module, Span};

/// Something that a target cannot express. An emitter never gives a wrong module instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotEmit {
    /// The missing feature, such as `textures`: the same for all modules that need it.
    pub what: &'static str,
    /// The operation or resource that requires it.
    pub asked: String,
    pub span: Span,
}

impl CannotEmit {
    /// A feature that an instruction requires, or the module as a whole.
    pub fn new(
        what: &'static str,
        asked: impl Into<String>,
        module: &Module,
        inst: Option<Inst>,
    ) -> CannotEmit {
        let span = inst.map_or(Span::NONE, |it| module.inst(it).span);
        CannotEmit { what, asked: asked.into(), span }
    }
}

impl std::fmt::Display for CannotEmit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unsupported: {}: the target cannot express {}", self.asked, self.what)
    }
}

impl std::error::Error for CannotEmit {}
