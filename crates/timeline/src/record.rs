//! Runs a program and records it.

use diag::SourceMap;
use interp::Variation;
use ir::Module;
use ir::exec::{Bindings, Failure, Launch};

use crate::recorder::{Finding, Program, Recorder, Recording};
use crate::window::Window;

/// Records a run of a module with notes on the reference engine, from these contents. A run that fails is recorded as far
/// as it comes.
pub fn record(
    module: &Module,
    sources: &SourceMap,
    launch: &Launch,
    mut bindings: Bindings,
    program: Program,
    window: &Window,
    findings: Vec<Finding>,
) -> (Recording, Result<(), Failure>) {
    let decoded = interp::decode(module);
    let mut recorder = Recorder::new(module, sources, program, window, findings);
    let ended =
        interp::run_varied(&decoded, launch, Variation::default(), &mut bindings, &mut recorder);
    let failure = ended.as_ref().err().map(ToString::to_string);
    (recorder.finish(failure), ended)
}
