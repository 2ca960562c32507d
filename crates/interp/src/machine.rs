//! The state of a wave, and the machine that runs waves; `step` is its loop.
//!
//! A wave is its program counter, its active set, the frames of its open constructs, and its registers:
//! it can be suspended between any two instructions and resumed.

mod step;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use ir::exec::{Bindings, Launch};
use ir::print::PrintLog;
use ir::turns::ROUNDS;
use ops::LaneMask;
use ops::ray::Search;
use ops::wave::FoldOrder;

use crate::buffers::Places;
use crate::code::{Program, RowCounts};
use crate::local::{PrivateMemory, SharedMemory};
use crate::observe::At;
use crate::ray::RayQueries;
use crate::registers::Registers;
use crate::wave::WaveScratch;
use crate::waves::StageRun;
use crate::{CoarseDerivatives, HelperPolicy, Variation};

/// Why a wave stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It has run as many instructions as it was allowed.
    Budget,
    /// It may have let another wave go on.
    HandsOver,
    /// The observer pauses the run.
    Paused,
    /// It has used up the loop iterations of its turn: see [`ir::turns`].
    Spinning,
    /// It waits for the other waves of its group.
    Barrier,
    Done,
}

/// A construct that is being executed.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The lanes that wait at its end.
    joined: LaneMask,
    /// `if`: the lanes of the second arm. `switch`: the lanes that fall through into a case while its parameters
    /// are written.
    pending: LaneMask,
    /// The height of the selection stack before; the selections of a `switch`, one for each case, start there.
    selections: usize,
}

/// One wave, suspended between two instructions.
#[derive(Clone, Debug)]
pub(crate) struct WaveState {
    pub(crate) index: u32,
    pc: usize,
    active: LaneMask,
    /// The lanes that have not returned.
    live: LaneMask,
    /// All lanes that it started with.
    lanes: LaneMask,
    /// See [`Program::own_rows`].
    own_rows: RowCounts,
    /// In a pixel shader: those that are helper lanes, which never become others again.
    pub(crate) helpers: LaneMask,
    /// The helper lanes that wait for the others to execute an instruction.
    waiting: LaneMask,
    frames: Vec<Frame>,
    selections: Vec<LaneMask>,
    pub(crate) registers: Registers,
    pub(crate) private: PrivateMemory,
    pub(crate) queries: RayQueries,
    /// How many loop iterations are left of its turn.
    rounds: u32,
    /// The back edge at which it last stopped.
    spun_at: usize,
    spins: Spins,
    /// Behind how many more coherent loads it hands over, if the run varies there.
    checks: u8,
}

/// The loads of a wave behind which it hands over: a check-then-set breaks at the first, and a wave that waits in a
/// loop need not be interrupted again and again.
const MOST_CHECKS: u8 = 4;

/// Evidence that a wave iterates for ever: its states at some back edges.
#[derive(Clone, Debug, Default)]
struct Spins {
    /// [`Machine::changes`] at that time.
    since: u64,
    states: Vec<u64>,
    /// A state has recurred, and memory has not changed in between.
    is_endless: bool,
}

/// The number of states remembered, which bounds the period of an endless loop that can be detected.
const MOST_STATES: usize = 8;

/// What stays the same while a group runs.
pub(crate) struct GroupContext<'a> {
    pub(crate) id: [u32; 3],
    pub(crate) shared: &'a mut SharedMemory,
}

/// The state that all waves of a launch share.
pub(crate) struct Machine<'a, O> {
    pub(crate) program: &'a Program,
    pub(crate) bindings: &'a mut Bindings,
    pub(crate) observer: &'a mut O,
    pub(crate) width: u32,
    pub(crate) waves_in_group: u32,
    /// For each lane of each wave of a group, `SV_GroupThreadID` and `SV_GroupIndex`.
    pub(crate) threads: Vec<[u32; 4]>,
    pub(crate) places: Places,
    pub(crate) scratch: WaveScratch,
    pub(crate) folds: FoldOrder,
    pub(crate) helpers: HelperPolicy,
    /// Whether quads of helper lanes end.
    pub(crate) retires: bool,
    pub(crate) coarse: CoarseDerivatives,
    pub(crate) prints: Option<Arc<PrintLog>>,
    /// How often shared memory was written, not counting atomic operations that change nothing.
    pub(crate) changes: u64,
    /// See [`crate::Variation::hands_over`].
    pub(crate) hands_over: bool,
    /// See [`crate::Variation::sparse_waves`].
    pub(crate) sparse_waves: bool,
    /// Arithmetic that only notes need raises no hazards.
    pub(crate) is_silent: bool,
    /// How ray queries find primitives.
    pub(crate) search: Search,
    /// In a vertex or pixel shader.
    pub(crate) stage: Option<StageRun<'a>>,
}

impl<'a, O> Machine<'a, O> {
    /// The machine of a launch of which nothing has run yet, one wave to a group.
    pub(crate) fn new(
        program: &'a Program,
        bindings: &'a mut Bindings,
        observer: &'a mut O,
        launch: &Launch,
        variation: &Variation,
    ) -> Machine<'a, O> {
        Machine {
            program,
            bindings,
            observer,
            width: launch.wave_width,
            waves_in_group: 1,
            threads: Vec::new(),
            places: Places::default(),
            scratch: Default::default(),
            folds: variation.folds,
            helpers: variation.helpers,
            retires: !(program.helpers_take_part || variation.keeps_quads),
            coarse: variation.coarse,
            prints: launch.prints.clone(),
            changes: 0,
            hands_over: false,
            sparse_waves: false,
            is_silent: false,
            search: variation.search,
            stage: None,
        }
    }
}

/// How long a wave may run.
pub(crate) struct Turn {
    pub(crate) instructions: u64,
    /// What the instructions have cost more than their number.
    pub(crate) effort: u64,
}

/// A turn that costs more than this is interrupted, so that the flag that ends runs is checked.
pub(crate) const MOST_EFFORT: u64 = 1 << 15;

impl WaveState {
    pub(crate) fn new(program: &Program, width: u32, track_poison: bool) -> WaveState {
        WaveState {
            index: 0,
            pc: 0,
            active: LaneMask::EMPTY,
            live: LaneMask::EMPTY,
            lanes: LaneMask::EMPTY,
            own_rows: program.own_rows,
            helpers: LaneMask::EMPTY,
            waiting: LaneMask::EMPTY,
            frames: Vec::new(),
            selections: Vec::new(),
            registers: Registers::new(program, width, track_poison),
            private: PrivateMemory::new(&program.privates, width, track_poison),
            queries: RayQueries::new(program.queries, width, track_poison),
            rounds: ROUNDS,
            spun_at: 0,
            spins: Spins::default(),
            checks: MOST_CHECKS,
        }
    }

    /// Prepares for a new wave that starts with the given lanes.
    pub(crate) fn reset(&mut self, index: u32, lanes: LaneMask) {
        self.index = index;
        self.pc = 0;
        self.active = lanes;
        self.live = lanes;
        self.lanes = lanes;
        self.helpers = LaneMask::EMPTY;
        self.frames.clear();
        self.selections.clear();
        self.private.reset();
        self.queries.reset();
        self.rounds = ROUNDS;
        self.spins = Spins::default();
        self.checks = MOST_CHECKS;
    }

    /// Remembers the state of a wave that has iterated for long.
    pub(crate) fn note_spin(&mut self, changes: u64) {
        if self.spins.since != changes {
            self.spins = Spins { since: changes, ..Spins::default() };
        }
        let state = self.digest();
        self.spins.is_endless |= self.spins.states.contains(&state);
        if self.spins.states.len() == MOST_STATES {
            self.spins.states.remove(0);
        }
        self.spins.states.push(state);
    }

    /// Whether the wave iterates for ever unless memory changes.
    pub(crate) fn is_endless(&self, changes: u64) -> bool {
        self.spins.is_endless && self.spins.since == changes
    }

    /// A state hash: everything except memory that determines what the iterating lanes do next. Collisions are ignored.
    fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.pc, self.active, self.live, self.helpers, &self.selections).hash(&mut hasher);
        for frame in &self.frames {
            (frame.joined, frame.pending, frame.selections).hash(&mut hasher);
        }
        self.registers.hash_lanes(self.own_rows, self.active, &mut hasher);
        self.private.hash(&mut hasher);
        self.queries.hash(&mut hasher);
        hasher.finish()
    }

    /// Splits off the lanes of an iterating wave that are not iterating: they continue as a separate wave.
    pub(crate) fn split(&mut self) -> Option<WaveState> {
        let others = self.live & !self.active;
        if others.is_empty() {
            return None;
        }
        let mut rest = self.clone();
        rest.keep(others);
        // At the back edge no lane is left in the loop, so that its end comes next.
        (rest.pc, rest.active) = (self.spun_at, LaneMask::EMPTY);
        self.keep(self.active);
        Some(rest)
    }

    fn keep(&mut self, lanes: LaneMask) {
        self.live &= lanes;
        self.spins = Spins::default();
        self.selections.iter_mut().for_each(|it| *it &= lanes);
        for frame in &mut self.frames {
            frame.joined &= lanes;
            frame.pending &= lanes;
        }
    }

    /// Makes helper lanes of lanes, and ends the quads that consist of helper lanes if these retire; returns the lanes
    /// that end.
    fn demote(&mut self, lanes: LaneMask, retire: bool) -> LaneMask {
        self.helpers |= lanes;
        let ended = if retire {
            self.live & !quads_of(self.lanes & !self.helpers)
        } else {
            LaneMask::EMPTY
        };
        if !ended.is_empty() {
            self.keep(!ended);
        }
        ended
    }

    /// Ends lanes that discard their pixels, where helper lanes do not run.
    fn terminate(&mut self, lanes: LaneMask) -> LaneMask {
        self.helpers |= lanes;
        self.keep(!lanes);
        lanes
    }

    /// The back edge at which it last stopped.
    pub(crate) fn spun_at(&self) -> usize {
        self.spun_at
    }

    pub(crate) fn pc(&self) -> usize {
        self.pc
    }

    pub(crate) fn active(&self) -> LaneMask {
        self.active
    }

    pub(crate) fn live(&self) -> LaneMask {
        self.live
    }

    pub(crate) fn lanes(&self) -> LaneMask {
        self.lanes
    }

    fn push(&mut self, joined: LaneMask, pending: LaneMask, selections: usize) {
        self.frames.push(Frame { joined, pending, selections });
    }

    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().unwrap_or_else(|| {
            unreachable!("the code of a construct runs only between its start and its end")
        })
    }

    fn pop(&mut self) -> Frame {
        let frame = *self.top();
        self.frames.pop();
        self.selections.truncate(frame.selections);
        frame
    }
}

impl<O> Machine<'_, O> {
    pub(crate) fn at(&self, group: [u32; 3], wave: u32, pc: usize, active: LaneMask) -> At {
        At { group, wave, inst: self.program.origins[pc], span: self.program.span(pc), active }
    }
}

/// All lanes of the quads that contain one of these.
fn quads_of(LaneMask(set): LaneMask) -> LaneMask {
    const FIRST: u128 = u128::MAX / 15;
    LaneMask(((set | set >> 1 | set >> 2 | set >> 3) & FIRST) * 15)
}
