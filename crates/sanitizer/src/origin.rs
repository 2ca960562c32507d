//! Where each poisoned value came from, lane by lane: origin tracking.
//!
//! The engine says which lanes of a value are poisoned. In a run of a [`Marked`] module, this file follows each of them
//! from the instruction at which its poison arose through computations, moves along paths, and arrays, so that a report
//! names the store or the declaration that it came from, and never one that only another path leads to.
//! Buffers have no poison: storing it there is reported at once.

use interp::observe::{AccessEvent, At, Space};
use ir::{Inst, Op, Value};
use ops::LaneMask;

use crate::facts::Facts;
use crate::hash::HashMap;
use crate::poison::WaveKey;

/// The number of an origin, or 0.
type Number = u32;

/// An array element: a private array belongs to a lane of a wave, a groupshared one to a group.
type Element = ([u32; 3], Option<(u32, u32)>, u32, u64);

/// Where poison arose, and the store by which it last went through an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct From {
    pub(crate) inst: Inst,
    pub(crate) through: Option<Inst>,
}

#[derive(Debug, Default)]
pub(crate) struct Origins {
    all: Vec<From>,
    numbers: HashMap<From, Number>,
    /// By wave and value: an origin for each lane that has ever been poisoned.
    values: HashMap<(WaveKey, Value), Box<[Number]>>,
    elements: HashMap<Element, Number>,
    /// What the latest load of a wave has read.
    loaded: HashMap<WaveKey, (Inst, Vec<Number>)>,
    /// The places that the latest atomic operation of a wave has changed.
    changed: HashMap<WaveKey, (Inst, Vec<Option<Element>>)>,
}

impl Origins {
    pub(crate) fn group_end(&mut self, group: [u32; 3]) {
        self.values.retain(|((it, _), _), _| *it != group);
        self.elements.retain(|it, _| it.0 != group);
        self.loaded.retain(|it, _| it.0 != group);
        self.changed.retain(|it, _| it.0 != group);
    }

    fn number(&mut self, from: From) -> Number {
        let all = &mut self.all;
        *self.numbers.entry(from).or_insert_with(|| {
            all.push(from);
            all.len() as Number
        })
    }

    fn of(&self, wave: WaveKey, value: Value, lane: u32) -> Number {
        self.values.get(&(wave, value)).map_or(0, |it| it[lane as usize])
    }

    fn set(&mut self, wave: WaveKey, value: Value, lanes: LaneMask, row: &[Number]) {
        let width = row.len();
        let is_clean = lanes.iter().all(|lane| row[lane as usize] == 0);
        if is_clean && !self.values.contains_key(&(wave, value)) {
            return;
        }
        let into = self.values.entry((wave, value)).or_insert_with(|| vec![0; width].into());
        lanes.iter().for_each(|lane| into[lane as usize] = row[lane as usize]);
    }

    /// The origin of one of these values in one of the lanes.
    pub(crate) fn find(&self, wave: WaveKey, values: &[Value], lanes: LaneMask) -> Option<From> {
        let all = lanes.iter().flat_map(|lane| values.iter().map(move |it| (*it, lane)));
        let mut numbers = all.map(|(value, lane)| self.of(wave, value, lane));
        let number = numbers.find(|it| *it != 0)?;
        Some(self.all[number as usize - 1])
    }

    /// A value has been computed; `arises` are the lanes whose poison arose at its instruction.
    pub(crate) fn defined(
        &mut self,
        (facts, width): (&Facts<'_>, u32),
        (at, inst): (At, Inst),
        value: Value,
        (poison, arises): (LaneMask, LaneMask),
    ) {
        let wave = (at.group, at.wave);
        let mut row = vec![0; width as usize];
        let poison = poison & at.active;
        if !poison.is_empty() {
            let operands = facts.module.inst(inst).op.operands();
            let loaded = self.loaded.get(&wave).filter(|it| it.0 == inst);
            let loaded: Vec<Number> = loaded.map_or(Vec::new(), |it| it.1.clone());
            let mut own = None;
            for lane in poison.iter() {
                let read = loaded.get(lane as usize).copied().unwrap_or(0);
                let mut from = std::iter::once(read)
                    .chain(operands.iter().map(|it| self.of(wave, *it, lane)))
                    .filter(|_| !arises.contains(lane))
                    .filter(|it| *it != 0);
                let found = from.next().or_else(|| {
                    // A wave operation: another lane has brought it.
                    let mut lanes = at.active.iter().filter(|_| !arises.contains(lane));
                    lanes.find_map(|other| {
                        let all = operands.iter().map(|it| self.of(wave, *it, other));
                        all.into_iter().find(|it| *it != 0)
                    })
                });
                row[lane as usize] = match found {
                    Some(it) => it,
                    None => *own.get_or_insert_with(|| self.number(From { inst, through: None })),
                };
            }
        }
        // What was never set stays so when it is changed, and later loads of it are about the same mistake.
        if let Some((_, elements)) = self.changed.get(&wave).filter(|it| it.0 == inst) {
            let known =
                poison.iter().filter_map(|it| Some((elements[it as usize]?, row[it as usize])));
            let known: Vec<_> = known.collect();
            known.into_iter().for_each(|(element, from)| {
                self.elements.entry(element).or_insert(from);
            });
        }
        self.set(wave, value, at.active, &row);
    }

    /// Values move along a path, all at once.
    pub(crate) fn moved(&mut self, at: At, width: u32, moves: &[(Value, Value)]) {
        let wave = (at.group, at.wave);
        let row = |it: &Self, from: Value| -> Vec<Number> {
            (0..width).map(|lane| it.of(wave, from, lane)).collect()
        };
        let rows: Vec<Vec<Number>> = moves.iter().map(|(_, from)| row(self, *from)).collect();
        for ((into, _), row) in moves.iter().zip(rows) {
            self.set(wave, *into, at.active, &row);
        }
    }

    /// An access to an array.
    pub(crate) fn access(&mut self, facts: &Facts<'_>, event: &AccessEvent<'_>, stores: bool) {
        let at = event.at;
        let wave = (at.group, at.wave);
        let element = |lane: u32| -> Option<Element> {
            let start = event.addresses[lane as usize];
            match event.space {
                Space::Private(it) => Some((at.group, Some((at.wave, lane)), it.0, start)),
                Space::Shared(it) => Some((at.group, None, it.0, start)),
                Space::Buffer(..) | Space::Counter(_) => None,
            }
        };
        let op = &facts.module.inst(at.inst).op;
        let is_atomic = matches!(op, Op::SharedAtomic { .. });
        let (address, values) = op.address_and_values();
        let mut loaded = vec![0; event.addresses.len()];
        for lane in at.active.iter() {
            let Some(element) = element(lane) else { continue };
            let by_address = address.iter().map(|it| self.of(wave, *it, lane)).find(|it| *it != 0);
            let there = self.elements.get(&element).copied();
            loaded[lane as usize] = by_address.or(there).unwrap_or(0);
            if !stores || !event.in_bounds.contains(lane) {
                continue;
            }
            let stored = values.iter().map(|it| self.of(wave, *it, lane)).find(|it| *it != 0);
            match stored {
                Some(it) => {
                    let from = From { through: Some(at.inst), ..self.all[it as usize - 1] };
                    let number = self.number(from);
                    self.elements.insert(element, number);
                }
                // An atomic operation computes with what was there.
                None if is_atomic || event.value_poison.contains(lane) => {}
                None => {
                    self.elements.remove(&element);
                }
            }
        }
        if is_atomic {
            let all =
                (0..loaded.len() as u32).map(|it| element(it).filter(|_| at.active.contains(it)));
            self.changed.insert(wave, (at.inst, all.collect()));
        }
        self.loaded.insert(wave, (at.inst, loaded));
    }
}
