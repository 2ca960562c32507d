//! Stores into arrays that lanes skip: for an element that is read before it is written, the branch without which a
//! lane would have set it.
//!
//! Where lanes do not enter the arm of an `if` that stores, the index is computed for them as if they had: from values
//! that they have before the branch, by arithmetic alone. An index that the arm loads, or gets from other lanes, is
//! unknown; such a store is left out. So is one that a loop, a `switch` or a `return` keeps lanes from.

use interp::observe::{At, DivergeEvent};
use ir::{Inst, Module, Op, Region, Value};
use ops::LaneMask;
use ops::wave::Lanes;

use crate::facts::Facts;
use crate::flying::Flying;
use crate::hash::{HashMap, HashSet};
use crate::marked::Marked;
use crate::slice::{self, Memory};

/// The number of skipped stores that are remembered of a run, lane by lane.
const MOST: usize = 1 << 20;
/// The number of operations between an index and the values that are known.
const MOST_DEPTH: u32 = 32;

/// An element of an array; a private one belongs to a lane of a wave.
type Element = (Memory, Option<(u32, u32)>, u64);

/// A store that a lane has skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Skip {
    pub(crate) branch: Inst,
    pub(crate) store: Inst,
    pub(crate) wave: u32,
    pub(crate) lane: u32,
}

/// A store in the arm of a branch.
struct Guarded {
    store: Inst,
    array: Memory,
    index: Value,
    /// Whether lanes with a true condition execute it.
    is_first_arm: bool,
}

/// What is known of a group in flight.
#[derive(Default)]
struct Group {
    /// By wave: the latest values, lane by lane.
    values: HashMap<(u32, Value), Vec<u64>>,
    skips: HashMap<Element, Skip>,
}

pub(crate) struct SkippedStores {
    branches: HashMap<Inst, Vec<Guarded>>,
    /// The values before branches from which indices are computed.
    wanted: HashSet<Value>,
    width: u32,
    groups: Flying<Group>,
    count: usize,
}

impl SkippedStores {
    pub(crate) fn new(facts: &Facts<'_>, marked: &Marked, width: u32) -> SkippedStores {
        let module = facts.module;
        let mut branches: HashMap<Inst, Vec<Guarded>> = HashMap::default();
        let mut wanted: HashSet<Value> = HashSet::default();
        for (at, data) in module.insts.iter().enumerate() {
            let (Op::SharedStore { index, .. } | Op::PrivateStore { index, .. }) = data.op else {
                continue;
            };
            let (store, index) = (Inst(at as u32), index);
            let Some(array) = slice::written(module, &data.op) else { continue };
            let mut inside = store;
            for branch in facts.ancestors(store) {
                if let Op::If { then, .. } = module.inst(branch).op
                    && let Some(before) = known_before(facts, branch, index)
                {
                    wanted.extend(before);
                    let is_first_arm = is_in(module, then, inside);
                    let guarded = Guarded { store, array, index, is_first_arm };
                    branches.entry(branch).or_default().push(guarded);
                }
                inside = branch;
            }
        }
        // Values that move into a wanted value are wanted, too.
        let moves = if wanted.is_empty() { Vec::new() } else { marked.all_moves() };
        let mut count = 0;
        while count != wanted.len() {
            count = wanted.len();
            let more = moves.iter().filter(|it| wanted.contains(&it.0)).map(|it| it.1);
            let more: Vec<Value> = more.collect();
            wanted.extend(more);
        }
        SkippedStores { branches, wanted, width, groups: Flying::default(), count: 0 }
    }

    pub(crate) fn group_end(&mut self, group: [u32; 3]) {
        self.groups.remove(group);
    }

    /// A value has been computed.
    pub(crate) fn defined(&mut self, at: At, value: Value, bits: Option<&Lanes<'_>>) {
        let Some(bits) = bits.filter(|_| self.wanted.contains(&value)) else { return };
        let row: Vec<u64> = (0..self.width)
            .map(|lane| if at.active.contains(lane) { bits.get(lane) } else { 0 })
            .collect();
        self.set(at, value, &row);
    }

    /// Values move along a path, all at once.
    pub(crate) fn moved(&mut self, facts: &Facts<'_>, at: At, moves: &[(Value, Value)]) {
        let wanted = moves.iter().filter(|it| self.wanted.contains(&it.0));
        let rows: Vec<(Value, Vec<u64>)> = wanted
            .map(|(into, from)| {
                let bits = |lane| self.bits(facts.module, at, *from, lane, MOST_DEPTH).unwrap_or(0);
                (*into, (0..self.width).map(bits).collect())
            })
            .collect();
        for (into, row) in rows {
            self.set(at, into, &row);
        }
    }

    fn set(&mut self, at: At, value: Value, row: &[u64]) {
        let group = self.groups.of(at.group);
        let into = group.values.entry((at.wave, value)).or_insert_with(|| vec![0; row.len()]);
        at.active.iter().for_each(|lane| into[lane as usize] = row[lane as usize]);
    }

    /// Lanes diverge at a branch: those that do not enter an arm skip its stores.
    pub(crate) fn diverge(&mut self, facts: &Facts<'_>, event: &DivergeEvent<'_>) {
        let at = event.at;
        let Some(guarded) = self.branches.get(&at.inst) else { return };
        let mut skips: Vec<(Element, Skip)> = Vec::new();
        for Guarded { store, array, index, is_first_arm } in guarded {
            let absent = if *is_first_arm { at.active & !event.taken } else { event.taken };
            let absent: LaneMask = absent & !event.poison;
            for lane in absent.iter().take(MOST.saturating_sub(self.count + skips.len())) {
                let Some(index) = self.bits(facts.module, at, *index, lane, MOST_DEPTH) else {
                    continue;
                };
                let owner = matches!(array, Memory::Private(_)).then_some((at.wave, lane));
                let skip = Skip { branch: at.inst, store: *store, wave: at.wave, lane };
                skips.push(((*array, owner, index), skip));
            }
        }
        self.count += skips.len();
        let group = self.groups.of(at.group);
        for (element, skip) in skips {
            group.skips.entry(element).or_insert(skip);
        }
    }

    /// The first store into an element that a lane has skipped.
    pub(crate) fn find(&self, at: At, (array, lane, index): (Memory, u32, u64)) -> Option<Skip> {
        let owner = matches!(array, Memory::Private(_)).then_some((at.wave, lane));
        self.groups.get(at.group)?.skips.get(&(array, owner, index)).copied()
    }

    /// What a value is for a lane, as far as that follows from what is known.
    fn bits(&self, module: &Module, at: At, value: Value, lane: u32, depth: u32) -> Option<u64> {
        if let Some(bits) = module.constant(value) {
            return Some(bits);
        }
        if self.wanted.contains(&value) {
            let row = self.groups.get(at.group)?.values.get(&(at.wave, value))?;
            return row.get(lane as usize).copied();
        }
        let op = module.op_of(value)?;
        let depth = depth.checked_sub(1)?;
        ir::eval::eval(module, op, |it| self.bits(module, at, it, lane, depth))
    }
}

/// The values before a branch from which a value inside it is computed; `None` if something else is needed.
fn known_before(facts: &Facts<'_>, branch: Inst, value: Value) -> Option<Vec<Value>> {
    let module = facts.module;
    let mut found = Vec::new();
    let mut open = vec![value];
    let mut seen: HashSet<Value> = HashSet::default();
    while let Some(value) = open.pop() {
        if !seen.insert(value) || module.constant(value).is_some() {
            continue;
        }
        if !is_inside(facts, branch, value) {
            found.push(value);
            continue;
        }
        match module.op_of(value)? {
            op if op.is_pure() => open.extend(op.operands()),
            _ => return None,
        }
    }
    Some(found)
}

/// Whether a value is defined in an arm of a branch.
fn is_inside(facts: &Facts<'_>, branch: Inst, value: Value) -> bool {
    match facts.defined_in(value) {
        Some(inst) => inst != branch && facts.encloses(branch, inst),
        None => false,
    }
}

/// Whether an instruction is directly in a region.
fn is_in(module: &Module, region: Region, inst: Inst) -> bool {
    module.region(region).insts.contains(&inst)
}
