//! Whether the order in which waves run can matter: a proof of determinism from one run.
//!
//! If of any two accesses to one place by different waves, at least one of them a store, one comes before the other by
//! a group barrier, then every order of waves gives each wave the same values to read, and leaves the same memory:
//! no wave can be the first to read something else. Other orders need not be tried then.
//!
//! Additions and other atomic operations that commute, whose results nothing depends on, may come in any order among
//! themselves. Everything else that is ordered here by flags, locks or chance counts as a conflict of waves, and so
//! does what this shadow memory cannot follow: in doubt, other orders are tried.

use ir::{Atomic, Module, Op};

use super::relation::Relation;
use super::shadow::{Act, Record};
use crate::uses::Uses;

/// What a cell remembers of accesses that it no longer refers to: a set of flags, since there is one for each place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct History(u8);

/// Several groups have loaded since the last store.
const LOADED_BY_GROUPS: u8 = 1;
/// Several waves have made commuting changes since the last group barrier.
const CHANGED_BY_WAVES: u8 = 2;
/// Several groups have made commuting changes.
const CHANGED_BY_GROUPS: u8 = 4;
/// The wave of the last change has accessed the place otherwise, too, since the last group barrier.
const MIXED: u8 = 8;
/// There was ever an access other than a commuting change.
const USED: u8 = 16;

/// A change that commutes with others of its kind: the operation, and the size of its operand in bytes.
pub(super) type Change = (Atomic, u32);

/// The change that an instruction makes, if it commutes and nothing depends on its result.
pub(super) fn change(module: &Module, uses: &Uses, inst: ir::Inst) -> Option<Change> {
    let (Op::Atomic { op, args, .. } | Op::SharedAtomic { op, args, .. }) = &module.inst(inst).op
    else {
        return None;
    };
    let ty = module.ty(*args.first()?);
    let commutes = op.fold().is_some() && ty.is_int();
    (commutes && !uses.is_used(inst)).then_some((*op, ty.bytes()))
}

impl History {
    #[inline(always)]
    fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }

    /// With a flag, if it is set.
    #[inline(always)]
    fn with(self, flag: u8, is_set: bool) -> History {
        History(self.0 | if is_set { flag } else { 0 })
    }

    /// After an access, given how it is related to the last store and the last load.
    #[inline(always)]
    pub(super) fn after(self, now: &Record, store: Relation, load: Relation) -> Self {
        if now.act == Act::Load {
            return History(self.0 | USED).with(LOADED_BY_GROUPS, load.is_of_other_group());
        }
        if now.change.is_none() {
            return History(USED);
        }
        // Since the last group barrier.
        let here = |it: Relation| it.is_open() && !it.is_of_other_group();
        let is_mixed = here(store) && (!store.makes_same_change() || self.has(MIXED)) || here(load);
        let changed_by_waves =
            here(store) && (store.is_open_to_other_wave() || self.has(CHANGED_BY_WAVES));
        History(self.0 & (CHANGED_BY_GROUPS | USED))
            .with(CHANGED_BY_GROUPS, store.is_of_other_group())
            .with(CHANGED_BY_WAVES, changed_by_waves)
            .with(MIXED, is_mixed)
    }

    /// Whether an access by another wave conflicts with this one, and no barrier is between them; given how this one is
    /// related to the last store, and to the last loads.
    #[inline(always)]
    pub(super) fn meets(self, now: &Record, [store, last, earlier]: [Relation; 3]) -> bool {
        let commute = store.makes_same_change()
            && !self.has(MIXED)
            && (!store.is_of_other_group() || !self.has(USED));
        let store_meets = !commute
            && (self.has(CHANGED_BY_GROUPS)
                || store.is_open_to_other_wave()
                || store.is_open() && self.has(CHANGED_BY_WAVES));
        // A load of a place that is only added to decides nothing; but what it gets would.
        store_meets
            || now.act != Act::Load
                && (self.has(LOADED_BY_GROUPS)
                    || last.is_open_to_other_wave()
                    || earlier.is_open_to_other_wave())
    }
}
