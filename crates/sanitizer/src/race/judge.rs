//! Judges one access: compares each lane with what the shadow memory holds of its place, and records it there.

use interp::observe::AccessEvent;
use ops::LaneMask;

use crate::finding::Kind;

use super::order::{Clock, Meetings, Ordered, Sync};
use super::relation::{Relation, Relations};
use super::shadow::{Access, Act, Cell, Pages, Record, RecordId, STRIP};
use super::{IntraWaveSync, Records, SyncObject, Told, Wrong, for_each_lane, for_each_rank, pair};

/// A faulty access.
#[derive(Clone, Copy)]
pub(super) struct Fault {
    pub(super) wrong: Wrong,
    /// The earlier access.
    pub(super) before: Record,
    /// The lanes of the earlier access and of this one.
    pub(super) lanes: (u32, u32),
    /// Whether both store the same value.
    pub(super) is_equal: bool,
}

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
    now: &'a Record,
    id: RecordId,
    pub(super) coherent: bool,
    /// Whether the memory is a buffer or a texture.
    pub(super) is_device: bool,
    /// What the access does where waves synchronise.
    pub(super) sync: Option<Sync>,
    /// All accesses with smaller numbers come before a group barrier that this one comes after.
    closed: RecordId,
    /// The relations to others.
    relations: Relations,
    /// The last place at which this access synchronised with others.
    met: Option<SyncObject>,
    /// The pairs already reported, for which no more is needed.
    told: &'a Told,
    pub(super) found: Option<Fault>,
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
        let now = records.all.get(id as usize - 1);
        let (met, found, relations) = (None, None, Relations::new());
        let (wants_all, all, granule) = (false, Vec::new(), 1);
        let (coherent, sync) = (false, None);
        Judge {
            policy,
            records,
            clock,
            now,
            id,
            coherent,
            is_device: false,
            sync,
            closed: 1,
            relations,
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

    /// The same with the knowledge which accesses of the group come before its last barrier.
    pub(super) fn since_barrier(mut self) -> Judge<'a> {
        if self.now.phase == self.records.phase {
            self.closed = self.records.first_of_phase;
        }
        self
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
            return for_each_rank(self.now.active, lanes, |lane, rank| {
                let start = addresses[lane as usize];
                for at in pages.place(start)..=pages.place(start + size - 1) {
                    self.touch(pages.cell(at), rank, || place(at), meetings);
                }
            });
        }
        let start = pages.place(start);
        let mut rank = 0;
        while rank < many {
            let at = start + u64::from(rank);
            let whole = at.is_multiple_of(STRIP) && rank + STRIP as u32 <= many;
            if whole
                && let Some(cell) = pages.whole(at)
                && let before = self.before(cell, meetings)
                && before.iter().all(|it| it.is_settled() && !it.is_told())
            {
                self.waves_meet = self.waves_meet || cell.history.meets(self.now, before);
                self.enter(cell, rank, before);
                rank += STRIP as u32;
            } else {
                self.touch(pages.cell(at), rank, || place(at), meetings);
                rank += 1;
            }
        }
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
        // Fast path: most accesses to groupshared memory come behind a barrier.
        if cell.is_older_than(self.closed) && !self.coherent && self.sync.is_none() {
            let before = [cell.store(), cell.load(0), cell.load(1)];
            return self.enter(cell, rank, before.map(|it| Relation::closed(it.record)));
        }
        // A load that may wait races with nothing: it is how the wave learns of the store.
        let polls = self.coherent && self.now.act == Act::Load && self.now.can_wait;
        let before = self.before(cell, meetings);
        self.waves_meet = self.waves_meet || polls || cell.history.meets(self.now, before);
        let mut races = before.iter().any(|it| it.is_told());
        if !polls && before.iter().any(|it| !it.is_settled()) {
            races |= self.compare(cell, rank, &place, meetings);
        }
        if let Some(sync) = self.sync {
            let place = place();
            if self.met != Some(place) {
                self.met = Some(place);
                meetings.visit(place, self.now, self.clock, sync);
            }
        }
        if !polls {
            // Accesses after this store need not come after loads that do not come before it.
            let is_kept = races && self.now.act == Act::Store;
            let kept = is_kept.then(|| [cell.load(0), cell.load(1)]);
            self.enter(cell, rank, before);
            if let Some(loads) = kept {
                cell.keep_loads(loads);
            }
        }
    }

    /// How this access is related to those in a cell: to the store, and to the two loads, of which the earlier does not
    /// matter to a load.
    #[inline(always)]
    fn before(&mut self, cell: &Cell, meetings: &Meetings) -> [Relation; 3] {
        let is_load = self.now.act == Act::Load;
        let mut relation = |it: Access| {
            if it.record < self.closed {
                return Relation::closed(it.record);
            }
            self.relations.get(it.record).unwrap_or_else(|| self.relate(it.record, meetings))
        };
        let (store, last) = (relation(cell.store()), relation(cell.load(0)));
        let earlier = if is_load { Relation::closed(0) } else { relation(cell.load(1)) };
        [store, last, earlier]
    }

    #[inline(never)]
    fn relate(&mut self, id: RecordId, meetings: &Meetings) -> Relation {
        let (before, now) = (self.record(id), self.now);
        let other_group = before.group != now.group;
        let relation = if other_group || before.phase >= now.phase {
            let other_wave = other_group || before.wave != now.wave;
            let same_change = now.change.is_some() && before.change == now.change;
            let relation = Relation::open(id, other_group, other_wave, same_change);
            match self.is_settled(before, relation, meetings) {
                _ if self.is_told(before) => relation.told(),
                true => relation.settled(),
                false => relation,
            }
        } else {
            Relation::closed(id)
        };
        self.relations.set(relation);
        relation
    }

    /// Whether nothing is to be reported about an earlier access and this one, whichever lanes meet.
    fn is_settled(&self, before: &Record, relation: Relation, meetings: &Meetings) -> bool {
        let now = self.now;
        // A flag may be raised by a plain store and awaited by atomic operations, or the other way round.
        let is_flag = self.coherent
            && match (before.act, now.act) {
                (Act::Atomic, Act::Store) => before.can_wait,
                (Act::Store, Act::Atomic) => now.can_wait,
                _ => false,
            };
        let conflict = match (before.act, now.act) {
            (Act::Load, Act::Load) | (Act::Atomic, Act::Atomic) => false,
            _ => !is_flag,
        };
        if !conflict {
            return true;
        }
        if relation.is_open_to_other_wave() {
            let is_visible = self.coherent || !relation.is_of_other_group() || now.act != Act::Load;
            return is_visible
                && meetings.is_known(self.clock, before, now, self.is_device) == Ordered::Yes;
        }
        let together = before.active & now.active;
        self.policy == IntraWaveSync::Lockstep
            && before.time < now.time
            && (together == before.active || together == now.active)
    }

    /// Whether the race of these two accesses has been reported, and no more of it is needed.
    fn is_told(&self, before: &Record) -> bool {
        !self.wants_all && self.told.has(pair(before, self.now), false)
    }

    /// Writes the access into the cell, given what was there.
    #[inline(always)]
    fn enter(&self, cell: &mut Cell, rank: u32, [store, last, earlier]: [Relation; 3]) {
        if !self.waves_meet {
            cell.history = cell.history.after(self.now, store, last);
        }
        let access = Access { record: self.id, rank };
        match self.now.act {
            Act::Load => cell.set_load(access, self.is_of_other_wave(last)),
            Act::Store => cell.set_store(access),
            Act::Atomic => match (self.is_store(store), self.is_store(earlier)) {
                (false, false) => cell.set_store(access),
                (is_plain, _) => cell.set_atomic(access, is_plain),
            },
        }
    }

    #[inline(always)]
    fn is_of_other_wave(&self, it: Relation) -> bool {
        if it.is_open() || it.record == 0 {
            return it.is_open_to_other_wave();
        }
        self.record(it.record).wave != self.now.wave
    }

    #[inline(always)]
    fn is_store(&self, it: Relation) -> bool {
        it.record != 0 && self.record(it.record).act == Act::Store
    }

    /// Compares with the latest accesses to the place. Returns whether one of them may race with this one.
    #[inline(never)]
    fn compare(
        &mut self,
        cell: &Cell,
        rank: u32,
        place: impl Fn() -> SyncObject,
        meetings: &mut Meetings,
    ) -> bool {
        let mut races = false;
        let loads: &[usize] = if self.now.act == Act::Load { &[] } else { &[0, 1] };
        let others = loads.iter().map(|which| cell.load(*which));
        for before in std::iter::once(cell.store()).chain(others) {
            if before.record == 0 {
                continue;
            }
            let relation = self.relations.get(before.record);
            let relation = relation.unwrap_or_else(|| self.relate(before.record, meetings));
            if relation.is_settled() {
                continue;
            }
            let record = self.record(before.record);
            let is_told = |equal: bool| self.told.has(pair(record, self.now), equal);
            let ordered = match relation.is_open_to_other_wave() {
                true => meetings.is_known(self.clock, record, self.now, self.is_device),
                false => self.is_ordered(record, before.rank, rank),
            };
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
                    if relation.is_open_to_other_wave() {
                        // The wave has learned of it since.
                        self.relations.set(relation.settled());
                    }
                    continue;
                }
                Ordered::No => Wrong::Race,
            };
            races = true;
            let stores = record.act == Act::Store && self.now.act == Act::Store;
            let value = |it: &Record, rank| *self.records.values.get((it.values + rank) as usize);
            let is_equal = || stores && value(record, before.rank) == value(self.now, rank);
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
            if self.found.is_none_or(|it| it.is_equal) {
                let equal = is_equal();
                if is_told(equal) || equal && self.found.is_some() {
                    continue;
                }
                let lanes = (record.lane(before.rank), self.now.lane(rank));
                self.found = Some(Fault { wrong, before: *record, lanes, is_equal: equal });
            }
        }
        races
    }

    /// Whether the access of one lane comes after that of another lane of the wave, with no barrier between.
    fn is_ordered(&self, before: &Record, before_rank: u32, rank: u32) -> Ordered {
        let now = self.now;
        let (before_lane, lane) = (before.lane(before_rank), now.lane(rank));
        let is_earlier = match self.policy {
            IntraWaveSync::Lockstep => before.time < now.time,
            IntraWaveSync::WaveOp => before.wave_ops < now.wave_ops,
            IntraWaveSync::None => false,
        };
        let is_ordered = before_lane == lane
            || is_earlier && self.clock.have_met(before, before_lane, now, lane)
            || self.clock.has_passed(before, before_lane, lane);
        if is_ordered { Ordered::Yes } else { Ordered::No }
    }
}
