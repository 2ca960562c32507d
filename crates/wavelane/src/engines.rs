//! Engines behind one trait: each has a file here, which says what it can do, makes a module ready, runs and measures it.
//!
//! A device holds an engine and knows nothing of which one it is. What is peculiar to an engine stands in its own options
//! ([`CpuOptions`], [`Gpu`]).

pub(crate) mod cpu;
pub(crate) mod reference;
pub(crate) mod vulkan;

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ir::Module;
use ir::exec::{Bindings, Failure, Launch};
use spirv::Emitted;

use self::cpu::CpuOptions;
use crate::guard::catch;
use crate::memory::{Indices, Memory};
use crate::{Adapter, DispatchError, Engine, Gpu};

/// What runs the lanes of a device.
pub(crate) trait Backend: fmt::Debug + Send + Sync {
    /// Its name.
    fn engine(&self) -> Engine;

    /// What of an adapter's caps it has.
    fn caps(&self, adapter: Adapter) -> Adapter {
        adapter
    }

    /// Takes a module on. What depends on the width is made later.
    fn prepare(&self, module: &Arc<Module>) -> Arc<dyn Program>;

    /// Takes on another compiler's SPIR-V in the place of the module's; `None` if it runs no SPIR-V.
    fn prepare_foreign(&self, _: &Arc<Module>, _: Emitted) -> Option<Arc<dyn Program>> {
        None
    }

    /// Runs dispatches one after the other; each sees what those before it have written.
    ///
    /// `back`: what they write is wanted on the host at once.
    fn run(&self, steps: &[Step<'_>], memory: &mut Memory<'_>, back: bool) -> Result<(), Stopped>;

    /// Runs programs of one module in turns, `rounds` times each and every time from what is bound, and gives for each the
    /// times by the device's own clock; `None` where there is no such clock. What the last run of each wrote is left in its
    /// bindings, which are all alike before.
    fn measure(
        &self,
        _programs: &[&dyn Program],
        _launch: &Launch,
        _bindings: &mut [Bindings],
        _rounds: u32,
    ) -> Result<Option<Vec<Vec<Duration>>>, Failure> {
        Ok(None)
    }

    /// The options of the engine `cpu`, if it is that one.
    fn cpu(&self) -> Option<&CpuOptions> {
        None
    }

    /// The GPU, if it runs on one.
    fn gpu(&self) -> Option<&Gpu> {
        None
    }
}

/// A module that an engine has taken on. Only the engine that made it runs it.
pub(crate) trait Program: Any + fmt::Debug + Send + Sync {
    fn module(&self) -> &Arc<Module>;

    /// Makes what a dispatch with waves of that width needs now, not at the first one.
    fn warm(&self, _width: u32) {}

    /// What of a launch the engine does not do, so that the reference engine runs it: a noun phrase.
    fn refuses(&self, _launch: &Launch, _bindings: &Bindings) -> Option<String> {
        None
    }

    /// How long the last dispatch took by the device's own clock, where it has one.
    fn device_time(&self) -> Option<Duration> {
        None
    }
}

/// One dispatch of a list.
pub(crate) struct Step<'a> {
    pub(crate) program: &'a dyn Program,
    pub(crate) launch: &'a Launch,
    /// What is bound, by the numbers of cells in the memory.
    pub(crate) places: Indices,
}

/// A dispatch of a list did not come to its end.
#[derive(Debug)]
pub(crate) struct Stopped {
    /// Which one; those before it have been run.
    pub(crate) step: usize,
    pub(crate) error: DispatchError,
}

/// A program as what the engine has made.
fn made<T: Program>(program: &dyn Program) -> &T {
    let program: &dyn Any = program;
    match program.downcast_ref() {
        Some(program) => program,
        None => unreachable!("a pipeline is run by the engine that prepared it"),
    }
}

/// Runs dispatches one by one on the host's contents.
fn in_order<T: Program>(
    steps: &[Step<'_>],
    memory: &mut Memory<'_>,
    run: impl Fn(&T, &Launch, &mut Bindings) -> Result<(), Failure>,
) -> Result<(), Stopped> {
    for (number, step) in steps.iter().enumerate() {
        let stopped = |error: DispatchError| Stopped { step: number, error };
        let program: &T = made(step.program);
        let mut bindings = memory.take(&step.places).map_err(|it| stopped(it.into()))?;
        // Whatever happens, the buffers get their contents back.
        let result = catch(|| run(program, step.launch, &mut bindings));
        memory.put(&step.places, bindings, program.module());
        match result {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => return Err(stopped(failure.into())),
            Err(bug) => return Err(stopped(DispatchError::Bug(bug))),
        }
    }
    Ok(())
}
