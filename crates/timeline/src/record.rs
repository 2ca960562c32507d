//! Runs a program and records it.

use diag::SourceMap;
use interp::{Advance, Observer, Variation};
use ir::Module;
use ir::exec::{Bindings, Failure, Launch};

use crate::comparison::{Comparison, Place};
use crate::recorder::{Finding, Masks, Program, Recorder, Recording};
use crate::window::Window;

/// What is known of a run before it is recorded.
#[derive(Default)]
pub struct Known {
    /// What the sanitizer found in it.
    pub findings: Vec<Finding>,
    /// What another engine leaves differently, with the place of each difference.
    pub comparison: Option<(Comparison, Vec<Place>)>,
}

impl From<Vec<Finding>> for Known {
    fn from(findings: Vec<Finding>) -> Known {
        Known { findings, comparison: None }
    }
}

/// How far a run is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// To its end.
    Whole,
    /// For a table of the window: until no step of it can follow. What comes after is neither run nor counted.
    Window,
}

/// Records a run of a module with notes on the reference engine, from these contents. A run that fails is recorded as far
/// as it comes.
pub fn record(
    module: &Module,
    sources: &SourceMap,
    launch: &Launch,
    bindings: Bindings,
    program: Program,
    window: &Window,
    known: impl Into<Known>,
) -> (Recording, Result<(), Failure>) {
    record_extent(module, sources, launch, bindings, (program, window, Extent::Whole), known)
}

/// As [`record`] does, but maybe not to the end of the run.
pub fn record_extent(
    module: &Module,
    sources: &SourceMap,
    launch: &Launch,
    mut bindings: Bindings,
    (program, window, extent): (Program, &Window, Extent),
    known: impl Into<Known>,
) -> (Recording, Result<(), Failure>) {
    let Known { findings, comparison } = known.into();
    let is_compared = comparison.is_some();
    let mut recorder = Recorder::new(module, sources, program, window, findings);
    if let Some((comparison, places)) = comparison {
        recorder.compare(comparison, &places);
    }
    let waves = module.group_size.iter().product::<u32>().div_ceil(launch.wave_width);
    let has_values = window.has_waves_of(launch.groups(), waves);
    let ended = if has_values || is_compared {
        if extent == Extent::Window {
            recorder.end_with_window(launch.groups(), waves);
        }
        run(module, launch, &mut bindings, &mut recorder)
    } else {
        // PERF: without values, poison and accesses, `matmul` takes 1.2 times as long as a plain run, not 2.4 times.
        let decoded = interp::decode(&ir::notes::statements(module));
        let mut masks = Masks(&mut recorder);
        interp::run_varied(&decoded, launch, Variation::default(), &mut bindings, &mut masks)
    };
    let failure = ended.as_ref().err().map(ToString::to_string);
    (recorder.finish(failure), ended)
}

/// Runs until the recorder has seen enough.
fn run(
    module: &Module,
    launch: &Launch,
    bindings: &mut Bindings,
    recorder: &mut Recorder<'_>,
) -> Result<(), Failure> {
    let decoded = interp::decode(module);
    let mut run = interp::Run::new(&decoded, launch, Variation::default())?;
    while run.advance(&decoded, bindings, recorder, u64::MAX)? != Advance::Done {
        if recorder.pauses() {
            break;
        }
    }
    Ok(())
}
