//! Where each poisoned value came from, lane by lane: origin tracking.
//!
//! The engine says which lanes of a value are poisoned. In a run of a [`Marked`] module, this file follows each of them
//! from the instruction at which its poison arose through computations, moves along paths, and arrays, so that a report
//! names the store or the declaration that it came from, and never one that only another path leads to.
//! Buffers have no poison: storing it there is reported at once.

use interp::observe::{AccessEvent, At, Space};
use ir::{Inst, Op, Value};
use ops::LaneMask;

use crate::assigned::{self, Skipped};
use crate::facts::Facts;
use crate::flying::Flying;
use crate::hash::HashMap;
use crate::poison::WaveKey;

/// The number of an origin, or 0.
type Number = u32;

/// An array element of a group: a private array belongs to a lane of a wave, a groupshared one to the group.
type Element = (Option<(u32, u32)>, u32, u64);

/// Where poison arose, and how it spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct From {
    pub(crate) inst: Inst,
    /// The store by which it last went through an array.
    pub(crate) through: Option<Inst>,
    /// The first operation by which a lane got it from another one.
    pub(crate) brought: Option<Inst>,
    /// The branch in which the lane skipped an assignment that others executed.
    pub(crate) skipped: Option<Inst>,
}

impl From {
    fn at(inst: Inst) -> From {
        From { inst, through: None, brought: None, skipped: None }
    }
}

/// By the value that receives and the one that it receives: the branch in which the latter is the variable as declared,
/// while the other arm assigns it.
type Skips = HashMap<(Value, Value), Inst>;

#[derive(Debug, Default)]
pub(crate) struct Origins {
    skipped: Vec<Skipped>,
    skips: Skips,
    all: Vec<From>,
    numbers: HashMap<From, Number>,
    groups: Flying<Group>,
}

/// What is known of a group in flight.
#[derive(Debug, Default)]
struct Group {
    /// By number.
    waves: Vec<Wave>,
    elements: HashMap<Element, Number>,
}

/// What is known of a wave.
#[derive(Debug, Default)]
struct Wave {
    /// By value: an origin for each lane, of values that were ever poisoned.
    values: Vec<Option<Box<[Number]>>>,
    /// What the latest load has read, if any of it has an origin.
    loaded: Option<(Inst, Vec<Number>)>,
    /// The places that the latest atomic operation has changed.
    changed: Option<(Inst, Vec<Option<Element>>)>,
}

impl Group {
    /// The group with that wave among those that are known.
    fn with_wave(&mut self, number: u32) -> &mut Group {
        let number = number as usize;
        if self.waves.len() <= number {
            self.waves.resize_with(number + 1, Wave::default);
        }
        self
    }
}

impl Wave {
    fn of(&self, value: Value, lane: u32) -> Number {
        let row = self.values.get(value.index()).and_then(Option::as_ref);
        row.map_or(0, |it| it[lane as usize])
    }

    /// The origin of the first of these values that has one.
    fn first(&self, values: &[Value], lane: u32) -> Option<Number> {
        values.iter().map(|it| self.of(*it, lane)).find(|it| *it != 0)
    }

    fn set(&mut self, value: Value, lanes: LaneMask, row: &[Number]) {
        if lanes.iter().all(|lane| row[lane as usize] == 0) {
            return self.clean(value, lanes);
        }
        if self.values.len() <= value.index() {
            self.values.resize_with(value.index() + 1, || None);
        }
        let into = self.values[value.index()].get_or_insert_with(|| vec![0; row.len()].into());
        lanes.iter().for_each(|lane| into[lane as usize] = row[lane as usize]);
    }

    /// A value has no origin in these lanes.
    fn clean(&mut self, value: Value, lanes: LaneMask) {
        if let Some(Some(row)) = self.values.get_mut(value.index()) {
            lanes.iter().for_each(|lane| row[lane as usize] = 0);
        }
    }
}

impl Origins {
    pub(crate) fn new(facts: &Facts<'_>) -> Origins {
        let skipped = assigned::skipped(facts.module);
        let skips = skipped.iter().map(|it| ((it.joined, it.unset), it.branch)).collect();
        Origins { skipped, skips, ..Origins::default() }
    }

    /// The assignment that lanes skip in a branch which leaves a value unset.
    pub(crate) fn skipped(&self, branch: Inst, unset: Value) -> Option<&Skipped> {
        self.skipped.iter().find(|it| (it.branch, it.unset) == (branch, unset))
    }

    pub(crate) fn group_end(&mut self, group: [u32; 3]) {
        self.groups.remove(group);
    }

    /// The origin of one of these values in one of the lanes.
    pub(crate) fn find(
        &self,
        (group, wave): WaveKey,
        values: &[Value],
        lanes: LaneMask,
    ) -> Option<From> {
        let wave = self.groups.get(group)?.waves.get(wave as usize)?;
        let number = lanes.iter().find_map(|lane| wave.first(values, lane))?;
        Some(self.all[number as usize - 1])
    }

    /// Whether a value has an origin in one of the lanes.
    pub(crate) fn has_any(&self, (group, wave): WaveKey, value: Value, lanes: LaneMask) -> bool {
        let wave = self.groups.get(group).and_then(|it| it.waves.get(wave as usize));
        wave.is_some_and(|it| lanes.iter().any(|lane| it.of(value, lane) != 0))
    }

    /// A value has been computed; `arises` are the lanes whose poison arose at its instruction.
    pub(crate) fn defined(
        &mut self,
        (facts, width): (&Facts<'_>, u32),
        (at, inst): (At, Inst),
        value: Value,
        (poison, arises): (LaneMask, LaneMask),
    ) {
        let Origins { all, numbers, groups, .. } = self;
        let Group { waves, elements: places } = groups.of(at.group).with_wave(at.wave);
        let wave = &mut waves[at.wave as usize];
        let poison = poison & at.active;
        if poison.is_empty() {
            return wave.clean(value, at.active);
        }
        let mut row = vec![0; width as usize];
        let operands = facts.module.inst(inst).op.operands();
        let loaded = wave.loaded.as_ref().filter(|it| it.0 == inst);
        let mut own = None;
        for lane in poison.iter() {
            let found = match arises.contains(lane) {
                true => None,
                false => {
                    let read = loaded.map_or(0, |it| it.1[lane as usize]);
                    let computed = || wave.first(&operands, lane);
                    // An operation that sees other lanes: one of them has brought it, of the same quad if there is one.
                    let others = at.active & LaneMask(0xf << (lane & !3));
                    let mut others = others.iter().chain(at.active.iter());
                    let mut brought = || {
                        let found = others.find_map(|it| wave.first(&operands, it))?;
                        let from = all[found as usize - 1];
                        let brought = from.brought.or(Some(inst));
                        Some(number(all, numbers, From { brought, ..from }))
                    };
                    let own = Some(read).filter(|it| *it != 0).or_else(computed);
                    own.or_else(&mut brought)
                }
            };
            row[lane as usize] = match found {
                Some(it) => it,
                None => *own.get_or_insert_with(|| number(all, numbers, From::at(inst))),
            };
        }
        wave.set(value, at.active, &row);
        // An element that was never set stays so when it is changed, and later loads of it show the same mistake.
        if let Some((_, elements)) = wave.changed.as_ref().filter(|it| it.0 == inst) {
            for lane in poison.iter() {
                if let Some(element) = elements[lane as usize] {
                    places.entry(element).or_insert(row[lane as usize]);
                }
            }
        }
    }

    /// Values move along a path, all at once.
    pub(crate) fn moved(&mut self, at: At, width: u32, moves: &[(Value, Value)]) {
        let Origins { skips, all, numbers, groups, .. } = self;
        let wave = &mut groups.of(at.group).with_wave(at.wave).waves[at.wave as usize];
        let is_known = |it: &Value| matches!(wave.values.get(it.index()), Some(Some(_)));
        if !moves.iter().any(|(into, from)| is_known(into) || is_known(from)) {
            return;
        }
        let mut row = |(into, from): (Value, Value)| -> Vec<Number> {
            let skipped = skips.get(&(into, from)).copied();
            let one = |lane| match (wave.of(from, lane), skipped) {
                (0, _) => 0,
                (found, None) => found,
                (found, skipped) => {
                    let from = From { skipped, ..all[found as usize - 1] };
                    number(all, numbers, from)
                }
            };
            (0..width).map(one).collect()
        };
        let rows: Vec<Vec<Number>> = moves.iter().map(|it| row(*it)).collect();
        for ((into, _), row) in moves.iter().zip(rows) {
            wave.set(*into, at.active, &row);
        }
    }

    /// Where what the latest load has read comes from, if it was stored: nothing for what was never set.
    pub(crate) fn read(&self, at: At, lane: u32) -> Option<From> {
        let wave = self.groups.get(at.group)?.waves.get(at.wave as usize)?;
        let (_, loaded) = wave.loaded.as_ref().filter(|it| it.0 == at.inst)?;
        loaded[lane as usize].checked_sub(1).map(|it| self.all[it as usize])
    }

    /// The values of the latest load count as never set: their origin is the load.
    pub(crate) fn forget_read(&mut self, at: At, lane: u32) {
        let wave = &mut self.groups.of(at.group).with_wave(at.wave).waves[at.wave as usize];
        if let Some((_, loaded)) = wave.loaded.as_mut().filter(|it| it.0 == at.inst) {
            loaded[lane as usize] = 0;
        }
    }

    /// An access to an array.
    pub(crate) fn access(&mut self, facts: &Facts<'_>, event: &AccessEvent<'_>, stores: bool) {
        let at = event.at;
        let Origins { all, numbers, groups, .. } = self;
        let Group { waves, elements } = groups.of(at.group).with_wave(at.wave);
        let wave = &mut waves[at.wave as usize];
        wave.loaded = None;
        let (own, array) = match event.space {
            Space::Private(it) => (true, it.0),
            Space::Shared(it) => (false, it.0),
            Space::Buffer(..) | Space::Counter(_) => return,
        };
        let element = |lane: u32| -> Element {
            (own.then_some((at.wave, lane)), array, event.addresses[lane as usize])
        };
        let op = &facts.module.inst(at.inst).op;
        let is_atomic = matches!(op, Op::SharedAtomic { .. });
        if is_atomic {
            let lanes = 0..event.addresses.len() as u32;
            let changed = lanes.map(|it| at.active.contains(it).then(|| element(it)));
            wave.changed = Some((at.inst, changed.collect()));
        }
        if wave.values.is_empty() && elements.is_empty() {
            return;
        }
        let (address, values) = op.address_and_values();
        let mut loaded = vec![0; event.addresses.len()];
        for lane in at.active.iter() {
            let element = element(lane);
            let there = || elements.get(&element).copied();
            loaded[lane as usize] = wave.first(&address, lane).or_else(there).unwrap_or(0);
            if !stores || !event.in_bounds.contains(lane) {
                continue;
            }
            match wave.first(&values, lane) {
                Some(it) => {
                    let from = From { through: Some(at.inst), ..all[it as usize - 1] };
                    elements.insert(element, number(all, numbers, from));
                }
                // An atomic operation computes with what was there.
                None if is_atomic || event.value_poison.contains(lane) => {}
                None => {
                    elements.remove(&element);
                }
            }
        }
        wave.loaded = Some((at.inst, loaded));
    }
}

fn number(all: &mut Vec<From>, numbers: &mut HashMap<From, Number>, from: From) -> Number {
    *numbers.entry(from).or_insert_with(|| {
        all.push(from);
        all.len() as Number
    })
}
