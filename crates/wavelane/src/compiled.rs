//! The machine code of a pipeline: made once for each width, on its first use.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use cpu::{Compiled, Stopped};
use ir::Module;
use ir::exec::{Bindings, Failure, Launch};

use crate::Isa;

/// Shared by the copies of a pipeline.
#[derive(Clone)]
pub(crate) struct Programs {
    module: Arc<Module>,
    isa: Isa,
    threads: usize,
    leaves_small: bool,
    by_width: Arc<Mutex<BTreeMap<u32, Program>>>,
}

/// Code, or what the engine does not do.
type Program = Result<Arc<Compiled>, String>;

impl Programs {
    /// `leaves_small`: small dispatches may run elsewhere as long as there is no code for them.
    pub(crate) fn new(
        module: Arc<Module>,
        isa: Isa,
        threads: usize,
        leaves_small: bool,
    ) -> Programs {
        Programs { module, isa, threads, leaves_small, by_width: Arc::default() }
    }

    /// Whether a dispatch of this width may run elsewhere if it is small.
    pub(crate) fn leaves_small(&self, width: u32) -> bool {
        let all = self.by_width.lock().unwrap_or_else(PoisonError::into_inner);
        self.leaves_small && !all.contains_key(&width)
    }

    pub(crate) fn program(&self, width: u32) -> Program {
        // A panic while compiling leaves the table as it was.
        let mut all = self.by_width.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = all.get(&width) {
            return program.clone();
        }
        let program = cpu::compile(&self.module, self.isa, width);
        let program = program.map(Arc::new).map_err(|it| it.what);
        all.insert(width, program.clone());
        program
    }

    /// What of the launch has to be left to the reference engine.
    pub(crate) fn refuses(&self, launch: &Launch, bindings: &Bindings) -> Option<String> {
        match self.program(launch.wave_width) {
            Ok(program) => program.refuses(launch, bindings).map(|it| it.what),
            Err(what) => Some(what),
        }
    }

    /// Runs what is not refused.
    pub(crate) fn run(&self, launch: &Launch, bindings: &mut Bindings) -> Result<(), Failure> {
        let program = match self.program(launch.wave_width) {
            Ok(program) => program,
            Err(what) => unreachable!("what is refused ({what}) is run elsewhere"),
        };
        match program.run(launch, bindings, self.threads) {
            Ok(()) => Ok(()),
            Err(Stopped::Failure(failure)) => Err(failure),
            Err(Stopped::Fallback(what)) => unreachable!("{what} has been refused before"),
        }
    }
}

impl fmt::Debug for Programs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Programs").field("isa", &self.isa).finish_non_exhaustive()
    }
}
