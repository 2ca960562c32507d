//! Ray queries: which lanes run, poison, and the events for observers. [`ir::ray::Queries`] defines what an instruction
//! does for a lane.
//!
//! Poison: a query is poisoned when it is traced with a poisoned operand or a NaN, or when a poisoned t is committed;
//! what it answers is poisoned from then on, until it is traced again. So is the answer to a use that is undefined.
//! What a scene contains is not tracked, as with buffers.

use std::hash::{Hash, Hasher};

use ir::RayOp;
use ir::exec::{Buffer, SharedScene};
use ir::ray::{Answer, Queries, RayCall};
use ops::LaneMask;
use ops::ray::{Search, flag_problem};

use crate::buffers::for_each_lane;
use crate::code::{Code, Row};
use crate::machine::{Machine, WaveState};
use crate::observe::{Observer, OddScene, RayEvent, Undefined};
use crate::registers::Registers;

/// The queries of the lanes of one wave, with a poison bit each.
#[derive(Clone, Debug)]
pub(crate) struct RayQueries {
    queries: Queries,
    /// Empty unless poison is tracked.
    poison: Vec<bool>,
}

impl RayQueries {
    pub(crate) fn new(slots: u32, width: u32, track_poison: bool) -> RayQueries {
        let all = slots as usize * width as usize;
        RayQueries {
            queries: Queries::of_slots(slots, width as usize),
            poison: vec![false; if track_poison { all } else { 0 }],
        }
    }

    pub(crate) fn reset(&mut self) {
        self.queries.reset();
        self.poison.fill(false);
    }

    fn is_poisoned(&self, handle: u32, lane: u32) -> bool {
        let at = self.queries.find(handle, lane);
        at.and_then(|at| self.poison.get(at)).copied().unwrap_or(false)
    }

    fn set_poison(&mut self, handle: u32, lane: u32, poisoned: bool) {
        if let Some(at) = self.queries.find(handle, lane)
            && let Some(place) = self.poison.get_mut(at)
        {
            *place = poisoned;
        }
    }
}

impl Hash for RayQueries {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.queries.hash(hasher);
    }
}

impl<O: Observer> Machine<'_, O> {
    pub(crate) fn ray(
        &mut self,
        group: [u32; 3],
        wave: &mut WaveState,
        pc: usize,
        active: LaneMask,
    ) {
        let program = self.program;
        let Code::Ray(table) = program.codes[pc] else {
            unreachable!("the caller passes instructions of ray queries only")
        };
        let code = &program.rays[table as usize];
        let call = &code.call;
        let is_new = call.op == RayOp::Allocate;
        let operands =
            if O::POISON { poison_of(call, &wave.registers) & active } else { LaneMask::EMPTY };
        let (mut poison, mut found) = (operands, LaneMask::EMPTY);
        let mut wrong: Vec<(u32, Undefined)> = Vec::new();
        let mut handles = [0; 128];
        let mut odd_scenes: Vec<OddScene<'_>> = Vec::new();
        let bindings = &self.bindings.bindings;
        for_each_lane(active, |lane| {
            let (queries, registers) = (&mut wave.queries, &mut wave.registers);
            let handle = if is_new { 0 } else { call.handle(registers, lane) };
            let answer =
                answer(&mut queries.queries, call, registers, lane, &self.search, bindings);
            if let (true, RayOp::Trace, Some((binding, element))) = (O::EVENTS, call.op, call.scene)
                && !operands.contains(lane)
            {
                let element = element.map_or(0, |row| registers.words(row)[lane as usize]);
                let bound = bindings.get(binding.index()).and_then(|it| it.get(element as usize));
                if let Some(SharedScene(scene)) = bound.and_then(|it| it.what.scene())
                    && !scene.problems().is_empty()
                {
                    match odd_scenes.iter_mut().find(|it| it.element == element) {
                        Some(known) => known.lanes |= LaneMask::only(lane),
                        None => {
                            let lanes = LaneMask::only(lane);
                            odd_scenes.push(OddScene { element, scene, lanes });
                        }
                    }
                }
            }
            handles[lane as usize] = if is_new { answer.bits[0] as u32 } else { handle };
            found = found.with(lane, call.op == RayOp::Proceed && answer.bits[0] == 1);
            if O::POISON {
                let before = wrong.len();
                wrong.extend(answer.wrong.map(|it| (lane, Undefined::Use(it))));
                if call.op == RayOp::Trace && !operands.contains(lane) {
                    let (flags, ray) = call.traced(registers, lane);
                    wrong.extend(flag_problem(flags).map(|it| (lane, Undefined::Flags(it))));
                    wrong.extend(ray.problem().map(|it| (lane, Undefined::Ray(it))));
                }
                let own = operands.contains(lane);
                let is_poisoned = match call.op {
                    RayOp::Allocate => own,
                    RayOp::Trace => {
                        let nan = own || call.traced(registers, lane).1.is_nan();
                        queries.set_poison(handle, lane, nan);
                        nan
                    }
                    RayOp::CommitProcedural if own => {
                        queries.set_poison(handle, lane, true);
                        true
                    }
                    _ => own || queries.is_poisoned(handle, lane) || wrong.len() > before,
                };
                poison = poison.with(lane, is_poisoned);
            }
            for (row, bits) in code.results.iter().zip(answer.bits) {
                registers.set(*row, lane, bits);
            }
        });
        if O::POISON {
            code.results.iter().for_each(|row| {
                let before = wave.registers.poison(*row);
                wave.registers.set_poison(*row, before & !active | poison);
            });
        }
        if O::EVENTS {
            let at = self.at(group, wave.index, pc, active);
            let handles = &handles[..self.width as usize];
            let odd_scenes = &odd_scenes;
            let event =
                RayEvent { at, op: call.op, handles, wrong: &wrong, poison, found, odd_scenes };
            self.observer.ray(&event);
        }
    }
}

/// Executes an instruction for a lane.
///
/// It is a function by itself because the machine is generic over observers, and the search of a scene is 30 KB of
/// code.
fn answer(
    queries: &mut Queries,
    call: &RayCall<Row>,
    registers: &Registers,
    lane: u32,
    search: &Search,
    bindings: &[Vec<Buffer>],
) -> Answer {
    queries.run(call, registers, lane, search, |it, element| {
        let bound = bindings.get(it.index())?.get(element as usize)?;
        bound.what.scene().map(|it| &*it.0)
    })
}

/// The lanes with a poisoned operand.
fn poison_of(call: &RayCall<Row>, registers: &Registers) -> LaneMask {
    call.operands().fold(LaneMask::EMPTY, |all, row| all | registers.poison(row))
}
