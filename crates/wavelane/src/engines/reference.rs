//! The reference engine: the specification, at every width. A module is decoded once, on its first dispatch.

use std::sync::{Arc, OnceLock};

use interp::{NoObserver, Variation};
use ir::Module;
use ir::exec::{Bindings, Failure, Feed, Launch};
use ops::ray::Search;

use super::{Backend, Program, Step, StepError, in_order};
use crate::Engine;
use crate::memory::Memory;

#[derive(Debug, Default)]
pub(crate) struct Reference {
    /// How ray queries find primitives.
    pub(crate) search: Search,
}

/// A module, and its decoded form.
pub(super) struct Decoded {
    module: Arc<Module>,
    program: OnceLock<interp::Program>,
    search: Search,
}

impl Decoded {
    pub(super) fn new(module: Arc<Module>) -> Decoded {
        Decoded { module, program: OnceLock::new(), search: Search::default() }
    }

    fn variation(&self) -> Variation {
        Variation { search: self.search, ..Variation::default() }
    }

    pub(super) fn run(&self, launch: &Launch, bindings: &mut Bindings) -> Result<(), Failure> {
        let program = self.program.get_or_init(|| interp::decode(&self.module));
        interp::run_varied(program, launch, self.variation(), bindings, &mut NoObserver)
    }

    pub(super) fn run_waves(
        &self,
        launch: &Launch,
        bindings: &mut Bindings,
        feed: &mut dyn Feed,
    ) -> Result<(), Failure> {
        let program = self.program.get_or_init(|| interp::decode(&self.module));
        interp::run_waves(program, launch, self.variation(), bindings, feed, &mut NoObserver)
    }
}

impl std::fmt::Debug for Decoded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoded").field("entry", &self.module.name).finish_non_exhaustive()
    }
}

impl Program for Decoded {
    fn module(&self) -> &Arc<Module> {
        &self.module
    }

    fn run_waves(
        &self,
        launch: &Launch,
        bindings: &mut Bindings,
        feed: &mut dyn Feed,
    ) -> Result<(), Failure> {
        Decoded::run_waves(self, launch, bindings, feed)
    }
}

impl Backend for Reference {
    fn engine(&self) -> Engine {
        Engine::Interp
    }

    fn prepare(&self, module: &Arc<Module>) -> Arc<dyn Program> {
        Arc::new(Decoded { search: self.search, ..Decoded::new(module.clone()) })
    }

    fn run(&self, steps: &[Step<'_>], memory: &mut Memory<'_>, _: bool) -> Result<(), StepError> {
        in_order(steps, memory, Decoded::run)
    }
}
