//! How an access is related to an earlier one, as far as that is the same whichever lanes made the two.
//!
//! The lanes of an access usually find the same few earlier ones in the shadow. What follows from their records is
//! computed once for each, and kept in a direct-mapped cache, so that a lane costs one access to its cell.

use super::shadow::RecordId;

/// An earlier access in relation to the one that is judged: a set of flags.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relation {
    /// The earlier access; 0 is none.
    pub(super) record: RecordId,
    // PERF: one word, since a struct of `bool`s is written in bytes and read in words, for which the processor waits.
    flags: u32,
}

/// It was made in another group.
const OTHER_GROUP: u32 = 1;
/// It was made by another wave, of this group or of another one.
const OTHER_WAVE: u32 = 2;
/// No group barrier is between the two.
const OPEN: u32 = 4;
/// Both make the same change, which commutes.
const SAME_CHANGE: u32 = 8;
/// Nothing is to be reported about the two, whichever lanes meet.
const SETTLED: u32 = 16;
/// Their race has been reported.
const TOLD: u32 = 32;

impl Relation {
    /// To an access that a group barrier separates from the one that is judged, or to none.
    #[inline(always)]
    pub(super) fn closed(record: RecordId) -> Relation {
        Relation { record, flags: SETTLED }
    }

    /// To an access without a group barrier in between.
    pub(super) fn open(
        record: RecordId,
        other_group: bool,
        other_wave: bool,
        same_change: bool,
    ) -> Relation {
        let flag = |is_set: bool, flag| if is_set { flag } else { 0 };
        let flags = OPEN
            | flag(other_group, OTHER_GROUP)
            | flag(other_wave, OTHER_WAVE)
            | flag(same_change, SAME_CHANGE);
        Relation { record, flags }
    }

    pub(super) fn settled(self) -> Relation {
        Relation { flags: self.flags | SETTLED, ..self }
    }

    pub(super) fn told(self) -> Relation {
        Relation { flags: self.flags | SETTLED | TOLD, ..self }
    }

    #[inline(always)]
    pub(super) fn is_told(self) -> bool {
        self.flags & TOLD != 0
    }

    #[inline(always)]
    pub(super) fn is_settled(self) -> bool {
        self.flags & SETTLED != 0
    }

    #[inline(always)]
    pub(super) fn is_open(self) -> bool {
        self.flags & OPEN != 0
    }

    /// Whether no group barrier is between the two, and another wave made the earlier access.
    #[inline(always)]
    pub(super) fn is_open_to_other_wave(self) -> bool {
        self.flags & OTHER_WAVE != 0
    }

    #[inline(always)]
    pub(super) fn is_of_other_group(self) -> bool {
        self.flags & OTHER_GROUP != 0
    }

    #[inline(always)]
    pub(super) fn makes_same_change(self) -> bool {
        self.flags & SAME_CHANGE != 0
    }
}

const SLOTS: usize = 8;

/// The relations to the accesses found last.
#[derive(Debug)]
pub(super) struct Relations {
    slots: [Relation; SLOTS],
}

impl Relations {
    pub(super) fn new() -> Relations {
        Relations { slots: [Relation::closed(0); SLOTS] }
    }

    #[inline(always)]
    pub(super) fn get(&self, record: RecordId) -> Option<Relation> {
        let slot = self.slots[record as usize % SLOTS];
        (slot.record == record).then_some(slot)
    }

    pub(super) fn set(&mut self, relation: Relation) {
        self.slots[relation.record as usize % SLOTS] = relation;
    }
}
