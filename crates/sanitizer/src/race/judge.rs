//! Judges one access: compares each lane with what the shadow memory holds of its place, and records it there.

use interp::observe::AccessEvent;
use ops::LaneMask;

use crate::finding::Kind;

use super::order::{Clock, Meetings, Ordered, Sync};
use super::shadow::{Access, Act, Cell, Pages, Record, RecordId, STRIP};
use super::{IntraWaveSync, Records, SyncObject, Told, Wrong, for_each_lane, pair};

/// A faulty access: what is wrong, the record of the earlier access, the lanes of both, and whether both store the
/// same value.
pub(super) type Found = (Wrong, Record, (u32, u32), bool);

/// A place at which an access races, and the other access.
pub(super) struct Raced {
    pub(super) other: ir::Inst,
    pub(super) kind: Kind,
    pub(super) place: SyncObject,
    pub(super) granule: u64,
}

/// Judges the lanes of one access against the shadow.
pub(super) struct Judge<'a> {
    policy: IntraWaveSync,
    records: &'a Records,
    /// That of the wave.
    clock: &'a mut Clock,
    now: Record,
    id: RecordId,
    pub(super) coherent: bool,
    /// What the access does where waves synchronise.
    pub(super) sync: Option<Sync>,
    /// A cache: the last record found to precede this access for all lanes, since most lanes have the same one.
    ordered: RecordId,
    /// The last place at which this access synchronised with others.
    met: Option<SyncObject>,
    /// The pairs already reported, for which no more is needed.
    told: &'a Told,
    pub(super) found: Option<Found>,
    /// Whether every place that races is wanted, and these places.
    pub(super) wants_all: bool,
    pub(super) all: Vec<Raced>,
    /// The bytes of a place.
    granule: u64,
    /// Whether the order of waves may matter.
    pub(super) waves_meet: bool,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        policy: IntraWaveSync,
        records: &'a Records,
        clock: &'a mut Clock,
        id: RecordId,
        told: &'a Told,
    ) -> Judge<'a> {
        let now = *records.all.get(id as usize - 1);
        let (ordered, met, found) = (0, None, None);
        let (wants_all, all, granule) = (false, Vec::new(), 1);
        let (coherent, sync) = (false, None);
        Judge {
            policy,
            records,
            clock,
            now,
            id,
            coherent,
            sync,
            ordered,
            met,
            told,
            found,
            wants_all,
            all,
            granule,
            waves_meet: false,
        }
    }

    fn record(&self, id: RecordId) -> &'a Record {
        self.records.all.get(id as usize - 1)
    }

    /// Records the accesses of lanes to one buffer.
    pub(super) fn lanes(
        &mut self,
        pages: &mut Pages,
        lanes: LaneMask,
        event: &AccessEvent<'_>,
        size: u64,
        (binding, element): (u32, u32),
        meetings: &mut Meetings,
    ) {
        let granule = pages.granule;
        self.granule = granule;
        let place = |at: u64| SyncObject::Buffer(binding, element, at);
        let addresses = event.addresses;
        let first = lanes.first().unwrap_or(0);
        let start = addresses[first as usize];
        let many = lanes.count();
        // Fast path: active lanes usually access consecutive places, so that whole strips are recorded at once.
        let may_be = size == granule
            && self.now.act != Act::Atomic
            && self.sync.is_none()
            && !self.coherent
            && lanes == self.now.active
            && start.is_multiple_of(granule);
        let in_a_row = may_be && {
            if lanes.0 >> first == LaneMask::first_n(many).0 {
                let all = &addresses[first as usize..(first + many) as usize];
                all.windows(2).fold(true, |so, it| so & (it[1] == it[0].wrapping_add(granule)))
            } else {
                let (mut next, mut so) = (start, true);
                for_each_lane(lanes, |lane| {
                    so &= addresses[lane as usize] == next;
                    next = next.wrapping_add(granule);
                });
                so
            }
        };
        if !in_a_row {
            return for_each_lane(lanes, |lane| {
                let (start, rank) = (addresses[lane as usize], self.now.rank(lane));
                for at in start / granule..=(start + size - 1) / granule {
                    self.touch(pages.cell(at), rank, || place(at), meetings);
                }
            });
        }
        let mut rank = 0;
        while rank < many {
            let at = start / granule + u64::from(rank);
            let whole = at.is_multiple_of(STRIP) && rank + STRIP as u32 <= many;
            match pages.whole(at).filter(|_| whole) {
                Some(cell) if self.is_simple(cell) => {
                    self.enter(cell, rank);
                    rank += STRIP as u32;
                }
                _ => {
                    self.touch(pages.cell(at), rank, || place(at), meetings);
                    rank += 1;
                }
            }
        }
    }

    /// Whether all accesses in a cell precede this one for all lanes, and none needs reporting.
    fn is_simple(&self, cell: &Cell) -> bool {
        if cell.is_fresh() {
            return true;
        }
        if !self.waves_meet && !cell.is_told_by_last(self.now.act) {
            return false;
        }
        let is_before = |before: Access| {
            if before.record == 0 {
                return true;
            }
            let record = self.record(before.record);
            record.group == self.now.group
                && (record.phase < self.now.phase
                    || record.wave == self.now.wave && self.is_ordered_for_all(record))
        };
        let loads = self.now.act == Act::Load || is_before(cell.load(0)) && is_before(cell.load(1));
        loads && is_before(cell.store())
    }

    /// Records one lane's access to one place.
    #[inline]
    pub(super) fn touch(
        &mut self,
        cell: &mut Cell,
        rank: u32,
        place: impl Fn() -> SyncObject,
        meetings: &mut Meetings,
    ) {
        // A load that may wait races with nothing: it is how the wave learns of the store.
        let polls = self.coherent && self.now.act == Act::Load && self.now.can_wait;
        if !self.waves_meet {
            self.waves_meet =
                polls || !cell.is_fresh() && cell.meets(&self.now, |id| self.record(id));
        }
        if !cell.is_fresh() && !polls {
            self.compare(cell, rank, &place, meetings);
        }
        if let Some(sync) = self.sync {
            let place = place();
            if self.met != Some(place) {
                self.met = Some(place);
                meetings.visit(place, &self.now, self.clock, sync);
            }
        }
        if !polls {
            self.enter(cell, rank);
        }
    }

    /// Writes the access into the cell.
    #[inline]
    fn enter(&self, cell: &mut Cell, rank: u32) {
        if !self.waves_meet {
            let record = |id| if id == 0 { None } else { Some(self.record(id)) };
            let (store, load) = (record(cell.store().record), record(cell.load(0).record));
            cell.history = cell.history.after(&self.now, store, load);
        }
        let access = Access { record: self.id, rank };
        match self.now.act {
            Act::Load => {
                let last = cell.load(0).record;
                let keeps_old = last != 0 && last != self.id && {
                    let last = self.record(last);
                    (last.group, last.wave) != (self.now.group, self.now.wave)
                };
                cell.set_load(access, keeps_old);
            }
            Act::Store => cell.set_store(access),
            Act::Atomic => {
                let last = |id: RecordId| (id != 0).then(|| self.record(id).act);
                let is_store = |which: Access| last(which.record) == Some(Act::Store);
                match (is_store(cell.store()), is_store(cell.load(1))) {
                    (false, false) => cell.set_store(access),
                    (is_plain, _) => cell.set_atomic(access, is_plain),
                }
            }
        }
    }

    /// Compares with the latest accesses to the place.
    fn compare(
        &mut self,
        cell: &Cell,
        rank: u32,
        place: impl Fn() -> SyncObject,
        meetings: &mut Meetings,
    ) {
        let loads: &[usize] = if self.now.act == Act::Load { &[] } else { &[0, 1] };
        let others = loads.iter().map(|which| cell.load(*which));
        for before in std::iter::once(cell.store()).chain(others) {
            if before.record == 0 || before.record == self.ordered {
                continue;
            }
            let record = self.record(before.record);
            let both_atomic = record.act == Act::Atomic && self.now.act == Act::Atomic;
            let is_told = |equal: bool| self.told.has(pair(record, &self.now), equal);
            // A flag may be raised by a plain store and awaited by atomic operations, or the other way round.
            let is_flag = self.coherent
                && match (record.act, self.now.act) {
                    (Act::Atomic, Act::Store) => record.can_wait,
                    (Act::Store, Act::Atomic) => self.now.can_wait,
                    _ => false,
                };
            if both_atomic || is_flag || !self.wants_all && is_told(false) {
                continue;
            }
            let ordered = self.is_ordered(record, before.rank, rank, meetings);
            let wrong = match ordered {
                Ordered::Loosely => Wrong::Unpublished,
                Ordered::Yes
                    if !self.coherent
                        && record.group != self.now.group
                        && self.now.act == Act::Load =>
                {
                    Wrong::NotCoherent
                }
                Ordered::Yes => {
                    if self.is_ordered_for_all(record) {
                        self.ordered = before.record;
                    }
                    continue;
                }
                Ordered::No => Wrong::Race,
            };
            let stores = record.act == Act::Store && self.now.act == Act::Store;
            let value = |it: &Record, rank| *self.records.values.get((it.values + rank) as usize);
            let is_equal = || stores && value(record, before.rank) == value(&self.now, rank);
            if self.wants_all && !is_equal() {
                let kind = match wrong {
                    Wrong::Race => Kind::Race,
                    Wrong::NotCoherent => Kind::NotGloballyCoherent,
                    Wrong::Unpublished => Kind::UnpublishedStore,
                };
                let (other, granule) = (record.inst, self.granule);
                self.all.push(Raced { other, kind, place: place(), granule });
            }
            // Different values tell more than equal ones, which may follow from the same mistake.
            if self.found.is_none_or(|it| it.3) {
                let equal = is_equal();
                if is_told(equal) || equal && self.found.is_some() {
                    continue;
                }
                let lanes = (record.lane(before.rank), self.now.lane(rank));
                self.found = Some((wrong, *record, lanes, equal));
            }
        }
    }

    /// A quick, conservative check whether the access comes after another one for all lanes.
    fn is_ordered_for_all(&self, before: &Record) -> bool {
        let now = &self.now;
        if before.group != now.group || before.wave != now.wave {
            return true;
        }
        let together = before.active & now.active;
        before.phase < now.phase
            || self.policy == IntraWaveSync::Lockstep
                && before.time < now.time
                && (together == before.active || together == now.active)
    }

    fn is_ordered(
        &self,
        before: &Record,
        before_rank: u32,
        rank: u32,
        meetings: &Meetings,
    ) -> Ordered {
        let now = &self.now;
        let same_group = before.group == now.group;
        if same_group && before.phase < now.phase {
            return Ordered::Yes;
        }
        let (before_lane, lane) = (before.lane(before_rank), now.lane(rank));
        if same_group && before.wave == now.wave {
            if before_lane == lane {
                return Ordered::Yes;
            }
            let is_earlier = match self.policy {
                IntraWaveSync::Lockstep => before.time < now.time,
                IntraWaveSync::WaveOp => before.wave_ops < now.wave_ops,
                IntraWaveSync::None => false,
            };
            if is_earlier && self.clock.have_met(before, before_lane, now, lane) {
                return Ordered::Yes;
            }
        }
        meetings.is_known(self.clock, (before, before_lane), (now, lane))
    }
}
