//! Runs a program and records it.

use diag::SourceMap;
use interp::{Advance, Observer, Variation};
use ir::Module;
use ir::exec::{Bindings, Failure, Launch, Schedule};

use crate::comparison::{Comparison, Location};
use crate::log::Logger;
use crate::recorder::{Finding, Masks, Program, Recorder, Recording};
use crate::window::Window;

/// What is known of a run before it is recorded.
#[derive(Default)]
pub struct Known {
    /// What the sanitizer found in it.
    pub findings: Vec<Finding>,
    /// The values in which another engine differs, with the location of each.
    pub comparison: Option<(Comparison, Vec<Location>)>,
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

/// Records a run of a module with notes on the reference engine, from these contents. A run that fails is recorded as
/// far as it gets.
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
    let waves = module.group_size.iter().product::<u32>().div_ceil(launch.wave_width);
    let has_values = window.has_waves_of(launch.groups(), waves);
    // Findings have the number of a step in the run, so each step must be observed.
    let has_log = !has_values && !is_compared && findings.is_empty() && in_turn(launch.schedule);
    let mut recorder = Recorder::new(module, sources, program, window, findings);
    if has_log {
        return record_log(module, launch, &mut bindings, recorder);
    }
    recorder.make_room();
    if let Some((comparison, places)) = comparison {
        recorder.compare(comparison, &places);
    }
    let ended = if has_values || is_compared {
        if extent == Extent::Window {
            recorder.end_with_window(launch.groups(), waves);
        }
        run(module, launch, &mut bindings, &mut recorder)
    } else {
        let decoded = interp::decode(&ir::notes::statements(module));
        let mut masks = Masks(&mut recorder);
        interp::run_varied(&decoded, launch, Variation::default(), &mut bindings, &mut masks)
    };
    let failure = ended.as_ref().err().map(ToString::to_string);
    (recorder.finish(failure), ended)
}

/// Whether a wave's turn ends only with a basic block.
fn in_turn(schedule: Schedule) -> bool {
    match schedule {
        Schedule::Ascending | Schedule::Descending => true,
        Schedule::RoundRobin | Schedule::Random(_) => false,
    }
}

/// Records active lanes alone.
///
/// PERF: without values, poison and accesses, `matmul` takes 1.2 times as long as a plain run, not 2.4 times; with a
/// log of basic blocks instead of steps 1.1 times, and `saxpy` 1.3 times, not 1.8 times.
fn record_log(
    module: &Module,
    launch: &Launch,
    bindings: &mut Bindings,
    recorder: Recorder<'_>,
) -> (Recording, Result<(), Failure>) {
    let module = ir::notes::statements(module);
    let program = interp::decode_blocks(&module);
    let mut logger = Logger::new(&module, &program, recorder.expected());
    let ended = run_log(&program, launch, bindings, &mut logger);
    let failure = ended.as_ref().err().map(ToString::to_string);
    (logger.finish((&module, &program), recorder, failure), ended)
}

fn run_log(
    program: &interp::Program,
    launch: &Launch,
    bindings: &mut Bindings,
    logger: &mut Logger,
) -> Result<(), Failure> {
    let mut run = interp::Run::new(program, launch, Variation::default())?;
    loop {
        match run.advance(program, bindings, logger, u64::MAX) {
            Ok(Advance::Done) => return Ok(()),
            Ok(Advance::Going | Advance::Paused) => {}
            Err(failure) => {
                // The fuel may end within a block.
                if let Some((group, wave, first)) = logger.last()
                    && let Some(it) =
                        run.waves(program).find(|it| (it.group(), it.index()) == (group, wave))
                    && let Some(begun) = it.begun(first)
                {
                    logger.cut(begun);
                }
                return Err(failure);
            }
        }
    }
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
