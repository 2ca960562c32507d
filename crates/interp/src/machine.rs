//! Runs one wave, one instruction after the other, until it ends, waits or has used up its turn.
//!
//! A wave is its program counter, its active set, the frames of its open constructs, and its registers:
//! it can be suspended between any two instructions and resumed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use ir::Builtin;
use ir::exec::{Bindings, Launch};
use ir::print::{PrintEvent, PrintLog};
use ir::turns::ROUNDS;
use ops::ray::Search;
use ops::scalar::Hazard;
use ops::wave::{FoldOrder, Lanes};
use ops::{LaneMask, SyncScope, Ternary};

use crate::buffers::{Places, for_each_lane};
use crate::code::{Code, NoteCode, Program, Row, RowCounts, SwitchCode};
use crate::local::{PrivateMemory, SharedMemory};
use crate::observe::{
    At, BarrierEvent, DiscardEvent, DivergeEvent, ExitTo, NoteEvent, Observer, OutputEvent,
};
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
}

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

/// A turn that costs more than this is interrupted, so that the flag that ends runs is looked at.
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

    /// A state hash: everything except memory that determines what the iterating lanes do next.
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

    /// Splits off the lanes of an iterating wave that are not iterating: they continue as a wave of their own.
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

impl<O: Observer> Machine<'_, O> {
    /// Runs a wave for a turn; afterwards, `turn.instructions` is what is left of it.
    pub(crate) fn run(
        &mut self,
        group: &mut GroupContext<'_>,
        wave: &mut WaveState,
        turn: &mut Turn,
    ) -> Stop {
        let program = self.program;
        let mut pc = wave.pc;
        let mut active = wave.active;
        let mut left = turn.instructions;
        let mut rounds = wave.rounds;
        let mut effort = turn.effort;
        let width_bit = 1u8 << (self.width.trailing_zeros().saturating_sub(2) & 7);
        let stop = loop {
            if left == 0 {
                break Stop::Budget;
            }
            left -= 1;
            let code = &program.codes[pc];
            let here = pc;
            pc += 1;
            let registers = &mut wave.registers;
            // If the active set is empty after a control instruction, execution continues elsewhere.
            match *code {
                Code::Binary { op, ty, to, a, b } => {
                    // Poison first: the result may overwrite an operand.
                    let mut poison = LaneMask::EMPTY;
                    if O::POISON {
                        poison = registers.poison(a) | registers.poison(b);
                        if op.has_hazards(ty) && registers.leaves(b, op.harmless(ty)) {
                            let hazard = |lane| {
                                op.hazard(ty, registers.get(a, lane), registers.get(b, lane))
                            };
                            let found = hazards(active & !poison, hazard);
                            poison |= self.tell_hazards(group.id, wave.index, here, active, found);
                        }
                    }
                    registers.binary(op, ty, to, a, b);
                    if O::POISON {
                        registers.set_poison(to, poison);
                    }
                }
                Code::Unary { op, ty, to, a } => {
                    let mut poison = LaneMask::EMPTY;
                    if O::POISON {
                        poison = registers.poison(a);
                        if op.has_hazards(ty) {
                            let hazard = |lane| op.hazard(ty, registers.get(a, lane));
                            let found = hazards(active & !poison, hazard);
                            poison |= self.tell_hazards(group.id, wave.index, here, active, found);
                        }
                    }
                    registers.unary(op, ty, to, a);
                    if O::POISON {
                        registers.set_poison(to, poison);
                    }
                }
                Code::Compare { op, ty, to, a, b } => {
                    registers.compare(op, ty, to, a, b);
                    if O::POISON {
                        registers.set_poison(to, registers.poison(a) | registers.poison(b));
                    }
                }
                Code::Ternary { op, ty, to, args } => {
                    // Poison first: the result may overwrite the condition.
                    let poison = if O::POISON {
                        ternary_poison(op, registers, args)
                    } else {
                        LaneMask::EMPTY
                    };
                    registers.ternary(op, ty, to, args);
                    if O::POISON {
                        registers.set_poison(to, poison);
                    }
                }
                Code::Copy { to, from } => {
                    registers.copy(to, from);
                    if O::POISON {
                        registers.set_poison(to, registers.poison(from));
                    }
                }
                Code::Blend { to, from } => {
                    registers.blend(to, from, active);
                    if O::POISON {
                        let (old, new) = (registers.poison(to), registers.poison(from));
                        registers.set_poison(to, old & !active | new & active);
                    }
                }
                Code::Builtin { builtin, to } => {
                    let first = wave.index as usize * self.width as usize;
                    let threads = &self.threads[first..first + self.width as usize];
                    builtin_row(
                        threads,
                        group.id,
                        program.group_size,
                        builtin,
                        registers.words_mut(to),
                    );
                    if O::POISON {
                        registers.set_poison(to, LaneMask::EMPTY);
                    }
                }
                Code::Input { slot, to } => {
                    let inputs = &stage(&mut self.stage).inputs;
                    registers.fill_row(to, inputs.rows.row(slot));
                    if O::POISON {
                        registers.set_poison(to, inputs.poison[slot.index()]);
                    }
                }
                Code::Eval(table) => {
                    let code = program.evals[table as usize];
                    stage(&mut self.stage).evaluate(code, registers, active);
                }
                Code::Output { slot, value } => {
                    let outputs = &mut stage(&mut self.stage).outputs;
                    outputs.write(slot, active, |lane| registers.get(value, lane));
                    let poison = registers.poison(value) & active;
                    outputs.poison[slot.index()] |= poison;
                    if O::EVENTS {
                        let at = self.at(group.id, wave.index, here, active);
                        let helpers = wave.helpers & active;
                        self.observer.output(&OutputEvent { at, slot, helpers, poison });
                    }
                }
                Code::WithoutHelpers => {
                    wave.waiting = active & wave.helpers;
                    active &= !wave.helpers;
                    if active.is_empty() {
                        // Past the instruction.
                        pc += 1;
                    }
                }
                Code::WithHelpers { result } => {
                    let helpers = std::mem::take(&mut wave.waiting);
                    if let Some(row) = result
                        && !helpers.is_empty()
                    {
                        for_each_lane(helpers, |lane| registers.set(row, lane, 0));
                        registers.set_poison(row, registers.poison(row) | helpers);
                    }
                    active |= helpers;
                }
                Code::Discard { skip } => {
                    let discarded = active & !wave.helpers;
                    let ended = match self.helpers {
                        HelperPolicy::None => wave.terminate(active),
                        HelperPolicy::Included => wave.demote(active, false),
                        HelperPolicy::Specified => wave.demote(active, !program.helpers_take_part),
                    };
                    if O::EVENTS {
                        let at = self.at(group.id, wave.index, here, active);
                        self.observer.discard(&DiscardEvent { at, discarded, ended });
                    }
                    active &= !ended;
                    if active.is_empty() {
                        pc = skip.0 as usize;
                    }
                }
                Code::Wave(table) => {
                    self.wave_op(group.id, wave, &program.waves[table as usize], here, active)
                }
                Code::Load(_) | Code::Store(_) | Code::Atomic(_) => {
                    self.buffer(group.id, wave, here, active);
                    if self.hands_over && self.releases(code) {
                        break Stop::HandsOver;
                    }
                }
                Code::Size(table) => {
                    let access = &program.accesses[table as usize];
                    self.memory(active).size(access, registers);
                    if O::POISON {
                        let poison =
                            access.element.map_or(LaneMask::EMPTY, |row| registers.poison(row));
                        access.values.iter().for_each(|row| registers.set_poison(*row, poison));
                    }
                }
                Code::Counter(_) => {
                    self.counter(group.id, wave, here, active);
                    if self.hands_over {
                        break Stop::HandsOver;
                    }
                }
                Code::Texture(_) => {
                    let texels = self.texture(group.id, wave, here, active);
                    effort += ir::effort::of_texels(texels, self.width);
                    if effort > MOST_EFFORT {
                        break Stop::Budget;
                    }
                }
                Code::Ray(_) => self.ray(group.id, wave, here, active),
                Code::Print(table) => {
                    let print = &program.prints[table as usize];
                    if let Some(log) = &self.prints {
                        let event = PrintEvent {
                            kind: print.kind,
                            message: print.message,
                            span: program.span(here),
                            group: group.id,
                            wave: wave.index,
                            lanes: active,
                            scalars: print.args.len(),
                        };
                        log.record(&event, |arg, lane| registers.get(print.args[arg], lane));
                    }
                }
                Code::Effort(more) => {
                    // It is part of the instruction behind it.
                    left += 1;
                    effort += u64::from(more.at(self.width));
                    if effort > MOST_EFFORT {
                        break Stop::Budget;
                    }
                }
                Code::Note(table) => {
                    left += 1;
                    if O::EVENTS {
                        let note = &program.notes[table as usize];
                        self.note(group.id, wave, note, here, active);
                        if self.observer.pauses() {
                            break Stop::Paused;
                        }
                    }
                }
                // Itself, and the next one.
                Code::Free => left += 2,
                Code::Hazards(are_told) => {
                    left += 1;
                    self.is_silent = !are_told;
                }
                Code::Pass => {}
                Code::Derivative { of, ty, to, a } => {
                    self.derivative(group.id, wave, here, active, (of, ty, to, a))
                }
                Code::SharedLoad { .. }
                | Code::SharedStore { .. }
                | Code::SharedAtomic { .. }
                | Code::PrivateLoad { .. }
                | Code::PrivateStore { .. } => {
                    self.local(group, wave, here, active);
                    if self.hands_over && self.releases(code) {
                        break Stop::HandsOver;
                    }
                }
                Code::Barrier(table) => {
                    let barrier = program.barriers[table as usize];
                    if O::EVENTS {
                        let lanes = |row| {
                            LaneMask(u128::from(
                                registers.words(row)[active.first().unwrap_or(0) as usize],
                            ))
                        };
                        let named = barrier.lanes.map(lanes);
                        let at = self.at(group.id, wave.index, here, active);
                        let event =
                            BarrierEvent { at, barrier: barrier.barrier, live: wave.live, named };
                        self.observer.barrier(&event);
                    }
                    if barrier.barrier.sync == SyncScope::Group {
                        break Stop::Barrier;
                    }
                }

                Code::If { cond, otherwise } => {
                    let taken = active & registers.bits(cond);
                    if O::EVENTS {
                        let poison = registers.poison(cond) & active;
                        let at = self.at(group.id, wave.index, here, active);
                        self.observer.diverge(&DivergeEvent { at, taken, poison, selector: None });
                    }
                    wave.push(LaneMask::EMPTY, active & !taken, wave.selections.len());
                    active = taken;
                    if active.is_empty() {
                        pc = otherwise.0 as usize;
                    }
                }
                Code::Else { end } => {
                    let frame = wave.top();
                    frame.joined |= active;
                    active = frame.pending;
                    if active.is_empty() {
                        pc = end.0 as usize;
                    }
                }
                Code::Enter => {
                    if O::EVENTS {
                        let at = self.at(group.id, wave.index, here, active);
                        self.observer.enter(at);
                    }
                    wave.push(LaneMask::EMPTY, LaneMask::EMPTY, wave.selections.len());
                }
                Code::Next { start, skip, short } => {
                    if active.is_empty() {
                        active = wave.pop().joined;
                        if active.is_empty() {
                            pc = skip.0 as usize;
                        } else if O::EVENTS {
                            let at = self.at(group.id, wave.index, here, active);
                            self.observer.reconverge(at);
                        }
                    } else {
                        if O::EVENTS {
                            let at = self.at(group.id, wave.index, here, active);
                            self.observer.back_edge(at);
                        }
                        pc = start.0 as usize;
                        if short & width_bit == 0 {
                            rounds -= 1;
                            if rounds == 0 {
                                wave.spun_at = here;
                                rounds = ROUNDS;
                                break Stop::Spinning;
                            }
                        }
                    }
                }
                Code::Switch(table) => {
                    let table = &program.switches[table as usize];
                    let selections = wave.selections.len();
                    let unselected = select(table, registers, active, &mut wave.selections);
                    if O::EVENTS {
                        let poison = registers.poison(table.selector) & active;
                        let at = self.at(group.id, wave.index, here, active);
                        self.observer.diverge(&DivergeEvent {
                            at,
                            taken: active & !unselected,
                            poison,
                            selector: Some(registers.lanes(table.selector)),
                        });
                    }
                    wave.push(unselected, LaneMask::EMPTY, selections);
                    active = LaneMask::EMPTY;
                }
                Code::Case { index, next } => {
                    let first = wave.top().selections;
                    active |= wave.selections[first + index as usize];
                    if active.is_empty() {
                        pc = next.0 as usize;
                    }
                }
                Code::CaseSelect { index } => {
                    let frame = wave.top();
                    frame.pending = active;
                    let first = frame.selections;
                    active = wave.selections[first + index as usize];
                }
                Code::CaseJoin { next } => {
                    active |= wave.top().pending;
                    if active.is_empty() {
                        pc = next.0 as usize;
                    }
                }
                Code::End { skip } => {
                    active |= wave.pop().joined;
                    if active.is_empty() {
                        pc = skip.0 as usize;
                    } else if O::EVENTS {
                        let at = self.at(group.id, wave.index, here, active);
                        self.observer.reconverge(at);
                    }
                }
                Code::Exit { up, to, skip } => {
                    let depth = wave.frames.len() - 1 - up as usize;
                    if O::EVENTS {
                        let at = self.at(group.id, wave.index, here, active);
                        self.observer.exit(at, ExitTo::Construct(to));
                    }
                    wave.frames[depth].joined |= active;
                    active = LaneMask::EMPTY;
                    pc = skip.0 as usize;
                }
                Code::Return { skip } => {
                    if O::EVENTS {
                        let at = self.at(group.id, wave.index, here, active);
                        self.observer.exit(at, ExitTo::Return);
                    }
                    wave.live &= !active;
                    active = LaneMask::EMPTY;
                    pc = skip.0 as usize;
                }
                Code::Halt => {
                    pc = here;
                    break Stop::Done;
                }
            }
        };
        turn.instructions = left;
        turn.effort = effort;
        wave.rounds = if stop == Stop::Barrier { ROUNDS } else { rounds };
        wave.pc = pc;
        wave.active = active;
        stop
    }

    /// Reports hazards; returns the lanes whose result they poison.
    fn tell_hazards(
        &mut self,
        group: [u32; 3],
        wave: u32,
        pc: usize,
        active: LaneMask,
        found: Option<(Hazard, LaneMask)>,
    ) -> LaneMask {
        let Some((hazard, lanes)) = found else { return LaneMask::EMPTY };
        if O::EVENTS && !self.is_silent {
            let at = self.at(group, wave, pc, active);
            self.observer.arithmetic(at, hazard, lanes);
        }
        match hazard {
            Hazard::DivisionByZero | Hazard::ConversionOutOfRange => lanes,
            Hazard::ShiftOutOfRange => LaneMask::EMPTY,
        }
    }

    /// Reports a note.
    fn note(
        &mut self,
        group: [u32; 3],
        wave: &WaveState,
        code: &NoteCode,
        pc: usize,
        active: LaneMask,
    ) {
        let registers = &wave.registers;
        let values: Vec<Lanes<'_>> = code.values.iter().map(|row| registers.lanes(*row)).collect();
        let poison: Vec<LaneMask> = code.values.iter().map(|row| registers.poison(*row)).collect();
        let at = self.at(group, wave.index, pc, active);
        let event =
            NoteEvent { at, note: &code.note, live: wave.live, values: &values, poison: &poison };
        self.observer.note(&event);
    }

    /// Whether an access can let another wave go on.
    fn releases(&self, code: &Code) -> bool {
        match code {
            Code::Atomic(_) | Code::SharedAtomic { .. } => true,
            Code::Store(table) => {
                let binding = self.program.accesses[*table as usize].binding;
                self.program.coherent[binding.index()]
            }
            _ => false,
        }
    }

    pub(crate) fn at(&self, group: [u32; 3], wave: u32, pc: usize, active: LaneMask) -> At {
        At { group, wave, inst: self.program.origins[pc], span: self.program.span(pc), active }
    }
}

/// All lanes of the quads that contain one of these.
fn quads_of(LaneMask(set): LaneMask) -> LaneMask {
    const FIRST: u128 = u128::MAX / 15;
    LaneMask(((set | set >> 1 | set >> 2 | set >> 3) & FIRST) * 15)
}

fn stage<'a, 'b>(stage: &'b mut Option<StageRun<'a>>) -> &'b mut StageRun<'a> {
    stage
        .as_mut()
        .unwrap_or_else(|| unreachable!("a shader with inputs and outputs runs from a feed only"))
}

/// The lanes with a hazard; all hazards of one operation are of the same kind.
fn hazards(lanes: LaneMask, hazard: impl Fn(u32) -> Option<Hazard>) -> Option<(Hazard, LaneMask)> {
    let mut found = None;
    let mut with_it = LaneMask::EMPTY;
    for_each_lane(lanes, |lane| {
        if let Some(hazard) = hazard(lane) {
            found = Some(hazard);
            with_it |= LaneMask::only(lane);
        }
    });
    found.map(|hazard| (hazard, with_it))
}

/// The lanes for which the result of a select or a fused operation is poisoned.
fn ternary_poison(op: Ternary, registers: &Registers, [a, b, c]: [Row; 3]) -> LaneMask {
    let poison = |row| registers.poison(row);
    match op {
        Ternary::Fma => poison(a) | poison(b) | poison(c),
        Ternary::Select => {
            let which = registers.bits(a);
            poison(a) | poison(b) & which | poison(c) & !which
        }
    }
}

/// Pushes the lanes that select each case; returns those that select none.
fn select(
    table: &SwitchCode,
    registers: &Registers,
    active: LaneMask,
    selections: &mut Vec<LaneMask>,
) -> LaneMask {
    let first = selections.len();
    let mut rest = active;
    for labels in &table.cases {
        let mut lanes = LaneMask::EMPTY;
        for label in labels {
            for_each_lane(rest, |lane| {
                if registers.get(table.selector, lane) == *label {
                    lanes |= LaneMask::only(lane);
                }
            });
        }
        rest &= !lanes;
        selections.push(lanes);
    }
    if let Some(default) = table.default {
        selections[first + default] |= rest;
        rest = LaneMask::EMPTY;
    }
    rest
}

/// The values of a dispatch builtin for the threads of a wave.
fn builtin_row(
    threads: &[[u32; 4]],
    group: [u32; 3],
    size: [u32; 3],
    builtin: Builtin,
    out: &mut [u32],
) {
    match builtin {
        Builtin::GroupId(axis) => out.fill(group[usize::from(axis)]),
        Builtin::GroupThreadId(axis) => {
            out.iter_mut().zip(threads).for_each(|(out, thread)| *out = thread[usize::from(axis)]);
        }
        Builtin::DispatchThreadId(axis) => {
            let axis = usize::from(axis);
            let start = group[axis].wrapping_mul(size[axis]);
            out.iter_mut()
                .zip(threads)
                .for_each(|(out, thread)| *out = start.wrapping_add(thread[axis]));
        }
        Builtin::GroupIndex => {
            out.iter_mut().zip(threads).for_each(|(out, thread)| *out = thread[3])
        }
    }
}
