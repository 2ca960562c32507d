//! A module as sweeps need it, made once however often it is examined.

use std::sync::{Arc, OnceLock};

use interp::Program;
use ir::Module;

use crate::analysis::Analysis;
use crate::marked::Marked;

/// A module, and what all runs of it share. Each part is made when a run first needs it.
pub struct Prepared {
    module: Arc<Module>,
    program: OnceLock<Program>,
    analysis: OnceLock<Analysis>,
    marked: OnceLock<Marked>,
}

impl Prepared {
    /// Nothing is made yet.
    pub fn new(module: Arc<Module>) -> Prepared {
        let (program, analysis) = (OnceLock::new(), OnceLock::new());
        Prepared { module, program, analysis, marked: OnceLock::new() }
    }

    pub(super) fn module(&self) -> &Module {
        &self.module
    }

    pub(super) fn program(&self) -> &Program {
        self.program.get_or_init(|| interp::decode(&self.module))
    }

    pub(super) fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| Analysis::of(&self.module))
    }

    /// The module with marks.
    pub(super) fn marked(&self) -> &Marked {
        self.marked.get_or_init(|| Marked::new(&self.module))
    }
}
