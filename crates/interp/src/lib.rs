//! The reference engine: runs a module exactly as `docs/semantics.md` says, one wave-wide instruction after the other.
//!
//! All other engines are compared with it, so clarity comes before speed, but it is not a tree walker.
//! [`decode`] turns the structured IR into a flat program. Its operands are rows, one value for each lane of a
//! wave.
//! A wave is a program counter, an active set and a stack of frames; it can be suspended between any two
//! instructions.
//! The meaning of operations is defined in [`ops`] alone; here are control flow, memory and order.
//!
//! # Map
//! `walk` → `allocate` → `decode` produce the program (`code`); `machine` holds a wave's state, `machine::step` is the
//! loop over its instructions, with `registers` (arithmetic), `memory`, `buffers`, `local` (memory), `texture`, `ray`
//! (queries) and `wave` (wave operations); `schedule` runs groups and waves, `waves` those of a feed; `run` is a run
//! that can be suspended, saved and resumed; `deal` assigns threads to lanes; `observe` defines what observers of a run
//! see, `erased` calls them through a pointer.
//!
//! # Deliberately absent
//! Optimisation: the module runs unchanged, so that poison is seen before anything is folded away.
//! Verification: a module must have passed `ir::verify`. Threads, clocks, files.
#![forbid(unsafe_code)]

mod allocate;
mod buffers;
mod code;
mod decode;
mod erased;
mod local;
mod machine;
mod memory;
pub mod observe;
mod ray;
mod registers;
mod run;
mod schedule;
mod texture;
mod walk;
mod wave;
mod waves;

pub use code::Program;
pub use decode::{decode, decode_blocks, decode_marked};
pub use observe::{NoObserver, Observer};
pub use run::{Run, WaveStatus, WaveView};
pub use schedule::Advance;

use ir::exec::{Bindings, Failure, Feed, Launch, WaveInputs, WaveOutputs, Work};
use ir::{Derivative, Module};
use ops::ray::Search;
use ops::wave::FoldOrder;

use erased::{Erased, Events};
use machine::Machine;
use waves::StageRun;

/// Runs a verified module and reports its events to an observer.
pub fn run<O: Observer>(
    module: &Module,
    launch: &Launch,
    bindings: &mut Bindings,
    observer: &mut O,
) -> Result<(), Failure> {
    run_program(&decode(module), launch, bindings, observer)
}

/// How a run departs from the canonical one where the language allows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// The order in which a wave sums floats.
    pub folds: FoldOrder,
    pub progress: Progress,
    /// Whether another wave runs next, of another group if there is one, right after each operation by which a wave can
    /// let another one go on: an atomic operation, or a store to a coherent buffer; and after its first few loads from
    /// coherent buffers that are stored to, since what a wave has checked may have changed when it acts on it.
    pub hands_over: bool,
    /// Whether each group has an empty wave behind each of its waves: the language lets a group have more waves than
    /// its threads need. Only the index and the count of waves show it.
    pub sparse_waves: bool,
    pub helpers: HelperPolicy,
    /// Whether quads that consist of helper lanes run on, as a device may let them. Only other helper lanes notice:
    /// where they are without participants, more of them take part in wave operations, whose results are undefined.
    pub keeps_quads: bool,
    pub coarse: CoarseDerivatives,
    /// How ray queries find primitives, and which of the admissible answers they give.
    pub search: Search,
}

/// What helper lanes of a pixel shader do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HelperPolicy {
    /// They run, and take part in wave operations if the shader requests it.
    #[default]
    Specified,
    /// They take part in wave operations, and run to the end.
    Included,
    /// They do not run at all, and lanes that discard their pixels end.
    None,
}

/// Which lanes of a quad a coarse derivative compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CoarseDerivatives {
    /// The upper left lane with its neighbours.
    #[default]
    UpperLeft,
    /// Along x, the two lanes of the lower row.
    LowerRow,
    /// Along y, the two lanes of the right column.
    RightColumn,
    /// Each lane's own row or column.
    Fine,
}

impl CoarseDerivatives {
    /// The lanes of a quad at the greater and at the lesser coordinate.
    fn lanes(self, of: Derivative, lane: u32) -> [u32; 2] {
        match (self, of) {
            (CoarseDerivatives::LowerRow, Derivative::XCoarse) => [3, 2],
            (CoarseDerivatives::RightColumn, Derivative::YCoarse) => [3, 1],
            (CoarseDerivatives::Fine, Derivative::XCoarse) => Derivative::XFine.lanes(lane),
            (CoarseDerivatives::Fine, Derivative::YCoarse) => Derivative::YFine.lanes(lane),
            _ => of.lanes(lane),
        }
    }
}

/// Which lanes make progress while others iterate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Progress {
    /// The lanes of a wave run in lockstep: those that have left a loop wait for those that have not. Waves and
    /// groups that have started make progress, and as many groups have started as a machine may hold.
    #[default]
    Lockstep,
    /// In addition, all groups have started. A run is the same as in lockstep; the sanitizer does not try fewer groups.
    Concurrent,
    /// As in lockstep, but only one group has started at a time: the weakest guarantee of any machine.
    OccupancyBound,
    /// Every lane that has started makes progress: lanes that iterate for long are split from the others of their
    /// wave.
    Fair,
}

impl Progress {
    /// Each assumption as users spell it.
    pub const NAMES: [(&str, Progress); 4] = [
        ("lockstep", Progress::Lockstep),
        ("concurrent", Progress::Concurrent),
        ("occupancy-bound", Progress::OccupancyBound),
        ("fair", Progress::Fair),
    ];
}

/// Runs a decoded module, for callers that launch it often.
pub fn run_program<O: Observer>(
    program: &Program,
    launch: &Launch,
    bindings: &mut Bindings,
    observer: &mut O,
) -> Result<(), Failure> {
    run_varied(program, launch, Variation::default(), bindings, observer)
}

/// Runs a decoded module with variations of the canonical run.
pub fn run_varied<O: Observer>(
    program: &Program,
    launch: &Launch,
    variation: Variation,
    bindings: &mut Bindings,
    observer: &mut O,
) -> Result<(), Failure> {
    let mut run = Run::new(program, launch, variation)?;
    // A pause ends one call of `advance`; the next one takes the run up.
    while run.advance(program, bindings, observer, u64::MAX)? != Advance::Done {}
    Ok(())
}

/// Runs the waves of a vertex or pixel shader one after the other, each to its end, with inputs from a feed, which
/// receives the outputs. Of the launch, lane order and schedule do not matter; of the variation, progress does not.
pub fn run_waves<O: Observer>(
    program: &Program,
    launch: &Launch,
    variation: Variation,
    bindings: &mut Bindings,
    feed: &mut dyn Feed,
    observer: &mut O,
) -> Result<(), Failure> {
    let keeps_quads = variation.keeps_quads || feed.keeps_quads();
    let variation = Variation { keeps_quads, ..variation };
    if observe::is_unobserved::<O>() {
        waves_unobserved(program, launch, variation, bindings, feed)
    } else if O::INDIRECT {
        waves_erased(program, launch, variation, bindings, feed, (observer, O::POISON))
    } else {
        waves_by(program, launch, variation, bindings, feed, observer)
    }
}

fn waves_unobserved(
    program: &Program,
    launch: &Launch,
    variation: Variation,
    bindings: &mut Bindings,
    feed: &mut dyn Feed,
) -> Result<(), Failure> {
    waves_by(program, launch, variation, bindings, feed, &mut NoObserver)
}

fn waves_erased(
    program: &Program,
    launch: &Launch,
    variation: Variation,
    bindings: &mut Bindings,
    feed: &mut dyn Feed,
    (observer, poison): (&mut dyn Events, bool),
) -> Result<(), Failure> {
    match poison {
        true => waves_by(program, launch, variation, bindings, feed, &mut Erased::<true>(observer)),
        false => {
            waves_by(program, launch, variation, bindings, feed, &mut Erased::<false>(observer))
        }
    }
}

fn waves_by<O: Observer>(
    program: &Program,
    launch: &Launch,
    variation: Variation,
    bindings: &mut Bindings,
    feed: &mut dyn Feed,
    observer: &mut O,
) -> Result<(), Failure> {
    check(program, launch)?;
    let (Some([inputs, outputs]), Work::Waves) = (program.slots, &launch.work) else {
        return Err(ir::exec::mismatch());
    };
    let width = launch.wave_width;
    let mut machine = Machine::new(program, bindings, observer, launch, &variation);
    machine.stage = Some(StageRun {
        feed,
        inputs: WaveInputs::new(inputs, width),
        outputs: WaveOutputs::new(outputs, width),
    });
    waves::run(machine, launch)
}

fn check(program: &Program, launch: &Launch) -> Result<(), Failure> {
    let check = launch.check(program.group_size, program.wave_size, program.wave_masks);
    check.map_err(Failure::Unsupported)?;
    program.footprint.check(launch.wave_width).map_err(Failure::TooLarge)
}
