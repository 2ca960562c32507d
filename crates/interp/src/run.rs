//! A run that can be left and taken up again, as a debugger needs it.
//!
//! A [`Run`] is everything that a run is but its program, its buffers and its observer, which each
//! [`Run::advance`] borrows. Leaving a run changes nothing about it: the turn that was interrupted goes on, with what
//! is left of its instructions.

use ir::exec::{Bindings, Failure, Launch, Work};
use ir::{Inst, Span};
use ops::LaneMask;

use crate::Variation;
use crate::check;
use crate::code::Program;
use crate::erased::{Erased, Events};
use crate::machine::{Machine, WaveState};
use crate::observe::{NoObserver, Observer, is_unobserved};
use crate::schedule::{Advance, Group, RunState, Scheduler, Status};

/// A dispatch in progress. A copy is a saved state: advancing it repeats the run from there, given the buffers of that
/// moment.
#[derive(Clone)]
pub struct Run {
    state: RunState,
}

/// What a wave does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveStatus {
    Ready,
    /// It waits at a group barrier.
    Waiting,
    Done,
}

impl Run {
    /// A run of which nothing has run yet.
    pub fn new(program: &Program, launch: &Launch, variation: Variation) -> Result<Run, Failure> {
        check(program, launch)?;
        if program.slots.is_some() || matches!(launch.work, Work::Waves) {
            return Err(ir::exec::mismatch());
        }
        Ok(Run { state: RunState::new(program, launch, variation)? })
    }

    /// Runs at most `budget` wave-instructions, until the observer pauses or the run has ended.
    ///
    /// The program must be that of [`Run::new`], and all observers of a run must agree on [`Observer::POISON`].
    pub fn advance<O: Observer>(
        &mut self,
        program: &Program,
        bindings: &mut Bindings,
        observer: &mut O,
        budget: u64,
    ) -> Result<Advance, Failure> {
        if is_unobserved::<O>() {
            self.advance_unobserved(program, bindings, budget)
        } else if O::INDIRECT {
            self.advance_erased(program, bindings, (observer, O::POISON), budget)
        } else {
            self.advance_by(program, bindings, observer, budget)
        }
    }

    fn advance_unobserved(
        &mut self,
        program: &Program,
        bindings: &mut Bindings,
        budget: u64,
    ) -> Result<Advance, Failure> {
        self.advance_by(program, bindings, &mut NoObserver, budget)
    }

    fn advance_erased(
        &mut self,
        program: &Program,
        bindings: &mut Bindings,
        (observer, poison): (&mut dyn Events, bool),
        budget: u64,
    ) -> Result<Advance, Failure> {
        match poison {
            true => self.advance_by(program, bindings, &mut Erased::<true>(observer), budget),
            false => self.advance_by(program, bindings, &mut Erased::<false>(observer), budget),
        }
    }

    fn advance_by<O: Observer>(
        &mut self,
        program: &Program,
        bindings: &mut Bindings,
        observer: &mut O,
        budget: u64,
    ) -> Result<Advance, Failure> {
        let state = &mut self.state;
        let (launch, variation) = (&state.launch, &state.variation);
        let mut machine = Machine::new(program, bindings, observer, launch, variation);
        machine.waves_in_group = state.waves_in_group;
        machine.hands_over = variation.hands_over;
        machine.sparse_waves = variation.sparse_waves;
        machine.threads = std::mem::take(&mut state.deal);
        machine.changes = state.changes;
        let mut scheduler = Scheduler { machine, run: state, budget };
        let advance = scheduler.advance();
        let Scheduler { machine, run, .. } = scheduler;
        (run.deal, run.changes) = (machine.threads, machine.changes);
        if !matches!(advance, Ok(Advance::Going | Advance::Paused)) {
            run.tell_spent();
        }
        advance
    }

    /// The waves of all groups in flight, the group that started first before the others.
    pub fn waves<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = WaveView<'a>> {
        self.state.in_flight.iter().flat_map(move |group| {
            group.waves.iter().map(move |(wave, status)| WaveView {
                program,
                group,
                wave,
                status: *status,
            })
        })
    }

    /// The wave that runs next, if the run was left between two of its instructions.
    pub fn next<'a>(&'a self, program: &'a Program) -> Option<WaveView<'a>> {
        let (group, wave) = self.state.next()?;
        let (wave, status) = &group.waves[wave];
        Some(WaveView { program, group, wave, status: *status })
    }

    /// Sets an element of groupshared memory in all groups in flight.
    pub fn set_shared(&mut self, array: ir::Shared, index: u64, bits: u64, poisoned: bool) {
        for group in &mut self.state.in_flight {
            group.shared.store(array.index(), index, bits);
            group.shared.set_poison(array.index(), index, poisoned);
        }
    }
}

/// A wave of a run.
#[derive(Clone, Copy)]
pub struct WaveView<'a> {
    program: &'a Program,
    group: &'a Group,
    wave: &'a WaveState,
    status: Status,
}

impl WaveView<'_> {
    pub fn group(&self) -> [u32; 3] {
        self.group.id
    }

    /// Its index in its group.
    pub fn index(&self) -> u32 {
        self.wave.index
    }

    pub fn status(&self) -> WaveStatus {
        match self.status {
            Status::Ready => WaveStatus::Ready,
            Status::Waiting => WaveStatus::Waiting,
            Status::Done => WaveStatus::Done,
        }
    }

    pub fn active(&self) -> LaneMask {
        self.wave.active()
    }

    /// The lanes that have not returned.
    pub fn live(&self) -> LaneMask {
        self.wave.live()
    }

    /// The lanes that it started with.
    pub fn lanes(&self) -> LaneMask {
        self.wave.lanes()
    }

    /// The instruction that it runs next.
    pub fn inst(&self) -> Inst {
        self.program.origins[self.wave.pc()]
    }

    /// Whether it begins that instruction, or one of the parts of a construct, such as its end.
    pub fn is_at_begin(&self) -> bool {
        let pc = self.wave.pc();
        pc == 0 || self.program.origins[pc - 1] != self.program.origins[pc]
    }

    /// That instruction and those after it in the program, as if there were no branches; one may occur repeatedly.
    pub fn upcoming(&self) -> impl Iterator<Item = Inst> {
        self.program.origins[self.wave.pc()..].iter().copied()
    }

    /// If it is within the basic block whose first note this is ([`crate::decode_blocks`]): how many statements of the
    /// block it has begun.
    pub fn begun(&self, first: Inst) -> Option<usize> {
        let mut blocks = self.program.notes.iter().filter_map(|it| it.block.clone());
        let block = blocks.find(|it| self.program.begun[it.start].inst == first)?;
        let pc = self.wave.pc();
        let begun = self.program.begun[block.clone()].iter().filter(|it| it.position < pc).count();
        (0 < begun && begun < block.len()).then_some(begun)
    }

    pub fn span(&self) -> Span {
        self.program.span(self.wave.pc())
    }

    /// An element of a private array in a lane, and whether it is poisoned; `None` beyond the end.
    pub fn private(&self, array: ir::Private, index: u64, lane: u32) -> Option<(u64, bool)> {
        let memory = &self.wave.private;
        let bits = memory.load(array.index(), index, lane)?;
        Some((bits, memory.poison(array.index(), index, lane)))
    }

    /// An element of a groupshared array of its group, and whether it is poisoned; `None` beyond the end.
    pub fn shared(&self, array: ir::Shared, index: u64) -> Option<(u64, bool)> {
        let memory = &self.group.shared;
        let bits = memory.load(array.index(), index)?;
        Some((bits, memory.poison(array.index(), index)))
    }
}
