//! Whether the order in which waves run can matter: a proof of determinism from one run.
//!
//! If of any two accesses to one place by different waves, at least one of them a store, one comes before the other by
//! a group barrier, then every order of waves gives each wave the same values to read, and leaves the same memory:
//! no wave can be the first to read something else. Other orders need not be tried then.
//!
//! Additions and other atomic operations that commute, whose results nothing depends on, may come in any order among
//! themselves. Whatever else is ordered here by flags, locks or luck counts as a meeting of waves, and so does what this
//! shadow memory cannot follow: in doubt, other orders are tried.

use ir::{Atomic, Module, Op};

use super::shadow::{Act, Cell, Record};
use crate::uses::Uses;

/// What a cell remembers of accesses that it no longer refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    /// Several groups have loaded since the last store.
    loaded_by_groups: bool,
    /// Several waves have made commuting changes since the last group barrier.
    changed_by_waves: bool,
    /// Several groups have made commuting changes.
    changed_by_groups: bool,
    /// The wave of the last change has accessed the place otherwise, too, since the last group barrier.
    is_mixed: bool,
    /// There was ever an access other than a commuting change.
    is_used: bool,
}

/// A change that commutes with others of its kind: the operation, and the size of its operand in bytes.
pub(super) type Change = (Atomic, u32);

/// The change that an instruction makes, if it commutes and nothing depends on its result.
pub(super) fn change(module: &Module, uses: &Uses, inst: ir::Inst) -> Option<Change> {
    let (Op::Atomic { op, args, .. } | Op::SharedAtomic { op, args, .. }) = &module.inst(inst).op
    else {
        return None;
    };
    let ty = module.ty(*args.first()?);
    let commutes = match op {
        Atomic::Add | Atomic::And | Atomic::Or | Atomic::Xor | Atomic::Min(_) | Atomic::Max(_) => {
            ty.is_int()
        }
        Atomic::Exchange | Atomic::CompareExchange => false,
    };
    (commutes && !uses.is_used(inst)).then_some((*op, ty.bytes()))
}

impl History {
    /// After an access, given the cell as it was before, and its last store and load.
    pub(super) fn after(self, now: &Record, store: Option<&Record>, load: Option<&Record>) -> Self {
        match (now.act, now.change) {
            (Act::Load, _) => {
                let is_foreign = load.is_some_and(|it| it.group != now.group);
                let loaded_by_groups = self.loaded_by_groups || is_foreign;
                History { loaded_by_groups, is_used: true, ..self }
            }
            (_, None) => History { is_used: true, ..History::default() },
            (_, Some(change)) => {
                let here = |it: &Record| it.group == now.group && it.phase >= now.phase;
                let is_same = |it: &&Record| it.change == Some(change);
                let last = store.filter(|it| here(it));
                let is_mixed =
                    last.is_some_and(|it| !is_same(&it) || self.is_mixed) || load.is_some_and(here);
                let other_wave = last.is_some_and(|it| it.wave != now.wave);
                let other_group = store.is_some_and(|it| it.group != now.group);
                History {
                    loaded_by_groups: false,
                    changed_by_waves: other_wave || last.is_some() && self.changed_by_waves,
                    changed_by_groups: self.changed_by_groups || other_group,
                    is_mixed,
                    is_used: self.is_used,
                }
            }
        }
    }
}

impl Cell {
    /// Whether an access by another wave conflicts with this one, and no barrier stands between them.
    pub(super) fn meets<'a>(&self, now: &Record, record: impl Fn(u32) -> &'a Record) -> bool {
        let history = self.history;
        let unordered = |before: &Record, by_waves: bool| {
            before.group != now.group
                || before.phase >= now.phase && (before.wave != now.wave || by_waves)
        };
        let store = self.store().record;
        if store != 0 {
            let before = record(store);
            let commute = now.change.is_some()
                && before.change == now.change
                && !history.is_mixed
                && (before.group == now.group || !history.is_used);
            if !commute
                && (history.changed_by_groups || unordered(before, history.changed_by_waves))
            {
                return true;
            }
        }
        now.act != Act::Load
            && (history.loaded_by_groups
                || [0, 1].iter().map(|which| self.load(*which).record).any(|load| {
                    // A load of a place that is only added to decides nothing; but what it gets would.
                    load != 0 && unordered(record(load), false)
                }))
    }

    /// Whether only the accesses to which the cell refers have to be compared.
    pub(super) fn is_told_by_last(&self, act: Act) -> bool {
        let it = self.history;
        !(it.changed_by_waves || it.changed_by_groups || act != Act::Load && it.loaded_by_groups)
    }
}
