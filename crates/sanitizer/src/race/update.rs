//! How a store depends on what was read from the same memory: `count[0] += x` reads and writes one place, a filter in
//! place makes each element from others. A barrier alone fixes neither: the first needs an atomic operation, the second
//! has to read before it waits.
//!
//! A static backward slice of the stored values, not through memory.

use ir::{Builtin, Inst, Op, Value};
use ops::WaveOp;

use crate::facts::Facts;
use crate::hash::HashSet;
use crate::slice::{self, Memory};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Update {
    /// The stored value follows from what was read at the same address.
    SamePlace,
    /// It follows from what was read at other addresses of the same memory.
    OtherPlaces,
}

/// How the two accesses are one update, whichever of them stores; of two executions of one store, with its own load.
pub(super) fn of(facts: &Facts<'_>, a: Inst, b: Inst) -> Option<Update> {
    let stores =
        |it: Inst| matches!(facts.module.inst(it).op, Op::Store { .. } | Op::SharedStore { .. });
    let (store, load) = match (stores(a), stores(b)) {
        (true, true) if a == b => (a, None),
        (true, false) => (a, Some(b)),
        (false, true) => (b, Some(a)),
        (true, true) | (false, false) => return None,
    };
    let (address, values) = facts.module.inst(store).op.address_and_values();
    let memory = slice::written(facts.module, &facts.module.inst(store).op)?;
    let read = reads(facts, values.iter().copied(), memory);
    let is_there = |it: &Inst| facts.module.inst(*it).op.address_and_values().0 == address;
    match load {
        None => read.iter().any(is_there).then_some(Update::SamePlace),
        Some(load) if !read.contains(&load) => None,
        Some(load) if is_there(&load) => Some(Update::SamePlace),
        Some(_) => Some(Update::OtherPlaces),
    }
}

/// Whether a value may differ between the threads of a group: it follows from their numbers, their lanes, or memory.
pub(super) fn differs(facts: &Facts<'_>, value: Value) -> bool {
    let mut open = vec![value];
    let mut seen: HashSet<Value> = open.iter().copied().collect();
    while let Some(value) = open.pop() {
        let op = facts.module.made_by(value).map(|it| &facts.module.inst(it).op);
        let is_own = match op {
            Some(Op::Builtin(it)) => !matches!(it, Builtin::GroupId(_)),
            Some(Op::Wave { op, .. }) => *op != WaveOp::LaneCount,
            Some(op) => slice::read(facts.module, op).is_some_and(|it| {
                it.is_changed_by_others(facts.module) || matches!(it, Memory::Private(_))
            }),
            None => false,
        };
        if is_own {
            return true;
        }
        open.extend(facts.sources(value).into_iter().filter(|it| seen.insert(*it)));
    }
    false
}

/// The loads from a memory on which values directly depend.
fn reads(facts: &Facts<'_>, from: impl Iterator<Item = Value>, memory: Memory) -> Vec<Inst> {
    let mut open: Vec<Value> = from.collect();
    let mut seen: HashSet<Value> = open.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(value) = open.pop() {
        let inst = facts.module.made_by(value);
        let read = inst.and_then(|it| slice::read(facts.module, &facts.module.inst(it).op));
        match (inst, read) {
            (Some(inst), Some(it)) if it == memory => found.push(inst),
            // Operands of an address do not count.
            (_, Some(_)) => {}
            _ => open.extend(facts.sources(value).into_iter().filter(|it| seen.insert(*it))),
        }
    }
    found
}
