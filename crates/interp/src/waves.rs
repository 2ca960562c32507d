//! Runs the waves of a vertex or pixel shader: one after the other, each to its end, with inputs from a feed.
//!
//! A wave that iterates for ever is a deadlock at once: no other wave runs before it has ended, so nothing can change
//! what it waits for.

use std::sync::atomic::Ordering;

use ir::exec::{Evaluated, Failure, Feed, Launch, Trap, WaveInputs, WaveOutputs};
use ir::stage::EvalPlace;
use ops::LaneMask;

use crate::HelperPolicy;
use crate::buffers::for_each_lane;
use crate::code::{EvalAt, EvalCode};
use crate::local::SharedMemory;
use crate::machine::{GroupContext, Machine, Stop, WaveState};
use crate::observe::Observer;
use crate::registers::Registers;
use crate::schedule::{GROUP_BYTES, Limits, WaveStop, count_one, group_bytes, run_wave};

/// The inputs and outputs of the running wave.
pub(crate) struct StageRun<'a> {
    pub(crate) feed: &'a mut dyn Feed,
    pub(crate) inputs: WaveInputs,
    pub(crate) outputs: WaveOutputs,
}

impl StageRun<'_> {
    /// Evaluates an input again for the active lanes. Returns the lanes for which there is no such sample or vertex.
    pub(crate) fn evaluate(
        &mut self,
        code: EvalCode,
        registers: &mut Registers,
        active: LaneMask,
    ) -> LaneMask {
        let EvalCode { slot, at, to } = code;
        let (first, second) = match at {
            EvalAt::Place(EvalPlace::Centroid) => (None, None),
            EvalAt::Place(EvalPlace::Sample(row)) | EvalAt::Vertex(row) => (Some(row), None),
            EvalAt::Place(EvalPlace::Snapped(x, y)) => (Some(x), Some(y)),
        };
        let rows = first.into_iter().chain(second);
        let operands = rows.fold(LaneMask::EMPTY, |all, row| all | registers.poison(row));
        let mut missing = LaneMask::EMPTY;
        for_each_lane(active, |lane| {
            let word = |row| registers.words(row)[lane as usize];
            let Evaluated { bits, poisoned } = match at {
                EvalAt::Vertex(row) => self.feed.at_vertex(slot, lane, word(row)),
                EvalAt::Place(place) => {
                    let place = match place {
                        EvalPlace::Centroid => EvalPlace::Centroid,
                        EvalPlace::Sample(row) => EvalPlace::Sample(word(row)),
                        EvalPlace::Snapped(x, y) => EvalPlace::Snapped(word(x), word(y)),
                    };
                    self.feed.evaluate(slot, lane, place)
                }
            };
            registers.set(to, lane, bits);
            missing = missing.with(lane, poisoned);
        });
        registers.set_poison(to, operands | missing);
        missing & !operands
    }
}

pub(crate) fn run<O: Observer>(machine: Machine<'_, O>, launch: &Launch) -> Result<(), Failure> {
    let bytes = group_bytes(machine.program, 1, u64::from(machine.width));
    if bytes > GROUP_BYTES {
        return Err(Failure::Trap(Trap::OutOfMemory { bytes }));
    }
    let mut fuel = launch.fuel.unwrap_or(u64::MAX);
    let ended = run_all(machine, launch, &mut fuel);
    if let (Some(spent), Some(given)) = (&launch.spent, launch.fuel) {
        spent.store(given - fuel, Ordering::Relaxed);
    }
    ended.map_err(Failure::Trap)
}

fn run_all<O: Observer>(
    mut machine: Machine<'_, O>,
    launch: &Launch,
    fuel: &mut u64,
) -> Result<(), Trap> {
    let (program, width) = (machine.program, machine.width);
    let mut wave = WaveState::new(program, width, O::POISON);
    let mut shared = SharedMemory::new(&program.groupshared, O::POISON);
    let mut group = GroupContext { id: [0; 3], shared: &mut shared };
    if O::EVENTS {
        machine.observer.group_begin(group.id);
    }
    for number in 0.. {
        let Some(stage) = &mut machine.stage else { unreachable!("the caller has set it") };
        if !stage.feed.next(&mut stage.inputs) {
            break;
        }
        stage.outputs.reset();
        let lanes = stage.inputs.lanes & LaneMask::first_n(width);
        let helpers = stage.inputs.helpers & lanes;
        let without = machine.helpers == HelperPolicy::None;
        let lanes = if without { lanes & !helpers } else { lanes };
        wave.reset(number, lanes);
        wave.helpers = helpers & lanes;
        let at = machine.at(group.id, number, 0, lanes);
        if O::NOTES {
            machine.observer.wave_begin(at);
        }
        if let (true, Some(StageRun { feed, inputs, .. })) = (O::EVENTS, &mut machine.stage) {
            inputs.invocations.clear();
            inputs.invocations.extend((0..width).map(|it| match lanes.contains(it) {
                true => feed.invocation(it),
                false => None,
            }));
            feed.depths(&mut inputs.depths);
            machine.observer.fed(at, inputs);
        }
        if !lanes.is_empty() {
            run_one(&mut machine, launch, fuel, &mut group, &mut wave)?;
        }
        if O::EVENTS {
            let at = machine.at(group.id, number, wave.pc(), LaneMask::EMPTY);
            machine.observer.wave_end(at);
        }
        if let Some(StageRun { feed, outputs, .. }) = &mut machine.stage {
            (outputs.live, outputs.helpers) = (lanes & !wave.helpers, wave.helpers);
            feed.take(outputs);
        }
        count_one(launch);
    }
    if O::EVENTS {
        machine.observer.group_end(group.id);
    }
    Ok(())
}

/// Runs a wave to its end.
fn run_one<O: Observer>(
    machine: &mut Machine<'_, O>,
    launch: &Launch,
    fuel: &mut u64,
    group: &mut GroupContext<'_>,
    wave: &mut WaveState,
) -> Result<(), Trap> {
    loop {
        let mut limits = Limits { fuel, slice: u64::MAX, budget: u64::MAX, chunk: None };
        match run_wave(machine, launch, &mut limits, group, wave)? {
            WaveStop::Stop(Stop::Done) => return Ok(()),
            // Nothing else is in flight, so every barrier is open. Draws are run to their end.
            WaveStop::Stop(Stop::Barrier | Stop::Budget | Stop::HandsOver | Stop::Paused)
            | WaveStop::Left => {}
            WaveStop::Stop(Stop::Spinning) => {
                wave.note_spin(machine.changes);
                if wave.is_endless(machine.changes) {
                    let span = machine.program.span(wave.spun_at());
                    return Err(Trap::Deadlock { span });
                }
            }
        }
    }
}
