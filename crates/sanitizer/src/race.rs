//! Data races: two accesses to one place, at least one of them a store, that no happens-before relation orders.
//!
//! What orders accesses of different threads:
//! - the instructions of a wave follow each other, as far as the policy says so ([`IntraWaveSync`]);
//! - a group barrier orders what the waves of a group did before it and do after it, in the memory it names;
//! - an atomic operation whose result is used, or a coherent load on which a condition depends, comes after everything
//!   that the waves did before which have stored there: see `order`.
//!
//! The last rule requires no memory barrier beside the store that raises a flag, because real programs omit it and work;
//! [`Publication::Strict`] requires one.
//!
//! Plain accesses to a `globallycoherent` buffer race like any others, except for those that can be a flag: a load that
//! decides nothing waits for nothing, so that it must come after what it reads for some other reason.
//!
//! In lockstep, an instruction comes after another for lanes that have executed one of them together, or have been
//! together in between. The arms of an `if` are unordered: neither may rely on what the other stores.
//! Plain loads see the stores of another group only if the buffer is `globallycoherent`.

use std::collections::{HashMap, HashSet};

use diag::Span;
use interp::observe::{AccessEvent, At, BarrierEvent, Space};
use ops::wave::Lanes;
use ops::{LaneMask, MemoryScope, SyncScope};

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Site};
use crate::place;

use crate::slice::Memory;
use crate::uses::Uses;

use advice::Advice;
use order::{Clock, Joint, Meetings, Ordered, Sync};
use shadow::{Access, Act, Cell, Chunks, Pages, Record, RecordId, STRIP};

mod advice;
mod order;
mod shadow;
mod times;

/// What makes earlier stores of a wave visible to a wave that observes a later atomic operation of it, or its store to a
/// coherent buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Publication {
    /// That operation itself.
    #[default]
    Plain,
    /// A barrier for device memory between the two.
    Strict,
}

/// What orders the accesses of the lanes of one wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntraWaveSync {
    /// Each instruction comes after the previous one, for all lanes that are together.
    #[default]
    Lockstep,
    /// Only wave operations do.
    WaveOp,
    /// Only barriers do.
    None,
}

/// A place through which waves synchronise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SyncObject {
    /// Group, array, element.
    Shared(u32, u32, u64),
    /// Binding, element of the resource array, granule.
    Buffer(u32, u32, u64),
}

/// A group in flight.
#[derive(Debug, Default)]
struct Group {
    /// The number of the group, in the order in which groups were first seen.
    id: u32,
    clocks: Vec<Clock>,
    joint: Joint,
    /// The shadow of groupshared memory, and the records to which it refers.
    shared: Vec<Vec<Cell>>,
    records: Records,
}

/// Executions of accesses, and hashes of what they stored, lane by lane.
#[derive(Debug, Default)]
struct Records {
    all: Chunks<Record>,
    values: Chunks<u32>,
}

/// All that races in a run, so that what it reaches can be followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Racing {
    /// The accesses that race somewhere, and the finding about each.
    pub(crate) insts: HashMap<ir::Inst, (Kind, Span)>,
    /// Group, array, element.
    pub(crate) shared: HashSet<([u32; 3], u32, u64)>,
    /// Binding, element of the resource array, byte.
    pub(crate) buffers: HashSet<(ir::Binding, u32, u64)>,
}

/// What makes a finding of two accesses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Race,
    /// Ordered, but the stored value need not be visible.
    NotCoherent,
    /// Ordered by a flag that was raised without a memory barrier before.
    Unpublished,
}

pub(crate) struct Races {
    policy: IntraWaveSync,
    /// The granularity of buffer accesses, in bytes.
    granule: u64,
    /// All groups seen so far.
    names: Vec<[u32; 3]>,
    flying: HashMap<[u32; 3], Group>,
    /// A cache: the group of the last event, which is usually that of the next one.
    current: Option<([u32; 3], Group)>,
    /// Groups that have ended, for reuse.
    idle: Vec<Group>,
    /// By binding; elements of a resource array other than the first are separate.
    buffers: Vec<Option<Pages>>,
    elements: HashMap<(u32, u32), Pages>,
    records: Records,
    uses: Uses,
    /// By instruction: the innermost loop around an access.
    loops: Vec<Option<ir::Inst>>,
    meetings: Meetings,
    /// The pairs already reported.
    told: Vec<(ir::Inst, ir::Inst)>,
    /// Everything that races, if that is wanted: a pair that has been reported is looked for no further otherwise.
    all: Option<Racing>,
}

impl Races {
    pub(crate) fn new(
        facts: &Facts<'_>,
        width: u32,
        (policy, publication): (IntraWaveSync, Publication),
        wants_all: bool,
    ) -> Races {
        let threads: u32 = facts.module.group_size.iter().product();
        Races {
            uses: Uses::new(facts),
            loops: advice::loops(facts),
            all: wants_all.then(Racing::default),
            policy,
            granule: if facts.module.needs.native_16bit { 2 } else { 4 },
            names: Vec::new(),
            flying: HashMap::new(),
            current: None,
            idle: Vec::new(),
            buffers: Vec::new(),
            elements: HashMap::new(),
            records: Records::default(),
            meetings: Meetings::new(publication == Publication::Strict, threads.div_ceil(width)),
            told: Vec::new(),
        }
    }

    /// Everything that raced.
    pub(crate) fn into_racing(self) -> Racing {
        self.all.unwrap_or_default()
    }

    /// Remembers what of an access races.
    fn collect(&mut self, facts: &Facts<'_>, group: [u32; 3], inst: ir::Inst, more: Vec<Raced>) {
        let Some(all) = &mut self.all else { return };
        let span = facts.module.inst(inst).span;
        for Raced { other, kind, place, granule } in more {
            all.insts.entry(inst).or_insert((kind, span));
            if kind != Kind::NotGloballyCoherent {
                all.insts.entry(other).or_insert((kind, span));
            }
            match place {
                SyncObject::Shared(_, array, at) => {
                    all.shared.insert((group, array, at));
                }
                SyncObject::Buffer(binding, element, at) => {
                    let bytes = at * granule..(at + 1) * granule;
                    let binding = ir::Binding(binding);
                    all.buffers.extend(bytes.map(|it| (binding, element, it)));
                }
            }
        }
    }

    /// Makes the group of an event the current one.
    fn group(&mut self, name: [u32; 3]) -> &mut Group {
        if self.current.as_ref().is_none_or(|(it, _)| *it != name) {
            if let Some((old, group)) = self.current.take() {
                self.flying.insert(old, group);
            }
            let group = self.flying.remove(&name).unwrap_or_else(|| {
                let mut group = self.idle.pop().unwrap_or_default();
                group.id = self.names.len() as u32;
                self.names.push(name);
                group
            });
            self.current = Some((name, group));
        }
        match &mut self.current {
            Some((_, group)) => group,
            None => unreachable!("it has just been inserted"),
        }
    }

    fn clock(&mut self, at: At) -> &mut Clock {
        let group = self.group(at.group);
        if group.clocks.len() <= at.wave as usize {
            group.clocks.resize_with(at.wave as usize + 1, Clock::default);
        }
        &mut group.clocks[at.wave as usize]
    }

    pub(crate) fn wave_op(&mut self, at: At) {
        let clock = self.clock(at);
        clock.wave_ops += 1;
        clock.together(at.active);
    }

    /// Lanes continue together after they were apart.
    pub(crate) fn together(&mut self, at: At) {
        self.clock(at).together(at.active);
    }

    pub(crate) fn enter(&mut self, at: At) {
        self.clock(at).enter(at.inst);
    }

    pub(crate) fn back_edge(&mut self, at: At) {
        let clock = self.clock(at);
        clock.together(at.active);
        clock.next_round(at.inst);
    }

    pub(crate) fn reconverge(&mut self, at: At) {
        let clock = self.clock(at);
        clock.together(at.active);
        clock.leave(at.inst);
    }

    pub(crate) fn barrier(&mut self, event: &BarrierEvent) {
        let clock = self.clock(event.at);
        clock.together(event.at.active);
        if event.barrier.sync == SyncScope::Wave {
            clock.wave_ops += 1;
        }
        if event.barrier.memory != MemoryScope::Group {
            clock.fence();
        }
        if event.barrier.sync != SyncScope::Group {
            return;
        }
        clock.barriers += 1;
        if event.barrier.memory != MemoryScope::Device {
            clock.shared_phase += 1;
        }
        if event.barrier.memory != MemoryScope::Group {
            clock.device_phase += 1;
        }
    }

    pub(crate) fn group_end(&mut self, name: [u32; 3]) {
        self.group(name);
        let Some((_, mut group)) = self.current.take() else { return };
        group.clocks.iter_mut().for_each(Clock::reset);
        group.joint.reset();
        self.meetings.group_end(group.id);
        group.shared.iter_mut().for_each(|cells| cells.fill(Cell::default()));
        group.records.all.clear();
        group.records.values.clear();
        self.idle.push(group);
    }

    pub(crate) fn load(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        event: &AccessEvent<'_>,
    ) -> Option<Finding> {
        self.access(facts, width, event, Act::Load)
    }

    pub(crate) fn store(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        event: &AccessEvent<'_>,
    ) -> Option<Finding> {
        self.access(facts, width, event, Act::Store)
    }

    pub(crate) fn atomic(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        event: &AccessEvent<'_>,
    ) -> Option<Finding> {
        self.access(facts, width, event, Act::Atomic)
    }

    fn access(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        event: &AccessEvent<'_>,
        act: Act,
    ) -> Option<Finding> {
        let (memory, device, coherent) = match event.space {
            // Only its own lane accesses private memory, and only atomic operations access a counter.
            Space::Private(_) | Space::Counter(_) => return None,
            Space::Shared(it) => (Memory::Shared(it), false, false),
            Space::Buffer(binding, _) => {
                let resource = facts.module.resource(binding);
                // A descriptor heap is named by one of its views, and others may be writable.
                if !resource.kind.writable() && !resource.register.class.is_heap() {
                    return None;
                }
                (Memory::Buffer(binding), true, resource.globally_coherent)
            }
        };
        let lanes = event.at.active & event.in_bounds & !event.address_poison;
        if lanes.is_empty() {
            return None;
        }
        let inst = event.at.inst;
        let sync = Sync {
            acquires: match act {
                Act::Load => coherent && self.uses.decides(inst),
                Act::Store => false,
                Act::Atomic => self.uses.is_used(inst),
            },
            releases: act == Act::Atomic || coherent && act == Act::Store,
        };
        let can_wait = sync.acquires && self.uses.decides(inst);
        let sync = Some(sync).filter(|it| {
            // What no wave ever learns need not be remembered.
            (it.acquires || it.releases) && self.uses.is_acquired(memory)
        });
        let around = self.loops[inst.index()];
        self.clock(event.at);
        let group = self.group(event.at.group);
        group.joint.learn(&mut group.clocks, event.at.wave);
        let clock = &mut group.clocks[event.at.wave as usize];
        clock.together(event.at.active);
        clock.time += 1;
        let now = Record {
            act,
            can_wait,
            inst,
            group: 0,
            wave: event.at.wave,
            phase: if device { clock.device_phase } else { clock.shared_phase },
            barriers: clock.barriers,
            wave_ops: clock.wave_ops,
            time: clock.time,
            round: around.map_or(0, |it| clock.round(it)),
            tangle: clock.tangle(),
            active: event.at.active,
            values: 0,
        };
        let now = Record { group: self.group(event.at.group).id, ..now };
        let (found, more) = match event.space {
            Space::Shared(memory) => self.shared(facts, memory, event, lanes, (now, sync)),
            Space::Buffer(binding, elements) => {
                self.buffer(facts, (binding, elements), event, lanes, (now, sync), coherent)
            }
            Space::Private(_) | Space::Counter(_) => {
                unreachable!("these were handled above")
            }
        };
        self.collect(facts, event.at.group, event.at.inst, more);
        let (wrong, before, (before_lane, lane), equal) = found?;
        self.finding(facts, width, event, (now, lane), (before, before_lane), (wrong, equal))
    }

    /// An access to groupshared memory.
    fn shared(
        &mut self,
        facts: &Facts<'_>,
        memory: ir::Shared,
        event: &AccessEvent<'_>,
        lanes: LaneMask,
        (now, sync): (Record, Option<Sync>),
    ) -> (Option<Found>, Vec<Raced>) {
        let Some((_, group)) = &mut self.current else {
            unreachable!("the group of the event is the current one")
        };
        if group.shared.is_empty() {
            let cells = |it: &ir::Memory| vec![Cell::default(); it.len as usize];
            group.shared = facts.module.groupshared.iter().map(cells).collect();
        }
        let cells = &mut group.shared[memory.index()];
        let id = group.records.enter(now, event);
        let clock = &mut group.clocks[event.at.wave as usize];
        let mut judge = Judge::new(self.policy, &group.records, clock, id, &self.told);
        judge.sync = sync;
        judge.wants_all = self.all.is_some();
        for_each_lane(lanes, |lane| {
            let at = event.addresses[lane as usize];
            let Some(cell) = cells.get_mut(at as usize) else { return };
            let place = || SyncObject::Shared(now.group, memory.0, at);
            judge.touch(cell, now.rank(lane), place, &mut self.meetings);
        });
        (judge.found, judge.all)
    }

    /// An access to a buffer or a texture.
    fn buffer(
        &mut self,
        facts: &Facts<'_>,
        (binding, elements): (ir::Binding, Option<&[u32]>),
        event: &AccessEvent<'_>,
        lanes: LaneMask,
        (now, sync): (Record, Option<Sync>),
        coherent: bool,
    ) -> (Option<Found>, Vec<Raced>) {
        let Some((_, group)) = &mut self.current else {
            unreachable!("the group of the event is the current one")
        };
        let id = self.records.enter(now, event);
        let clock = &mut group.clocks[event.at.wave as usize];
        let mut judge = Judge::new(self.policy, &self.records, clock, id, &self.told);
        judge.sync = sync;
        judge.coherent = coherent;
        judge.wants_all = self.all.is_some();
        let size = u64::from(event.size.max(1));
        let resource = facts.module.resource(binding);
        let granule = || match resource.kind.view().element {
            // Views of one heap may access the same memory in texels of different sizes.
            _ if resource.register.class.is_heap() => 1,
            Some(_) => size,
            None => self.granule,
        };
        let mut lanes = lanes;
        // Lanes that access the same element of a resource array share its pages.
        while let Some(first) = lanes.first() {
            let element = elements.map_or(0, |it| it[first as usize]);
            let same = match elements {
                None => lanes,
                Some(it) => lanes.iter().filter(|lane| it[*lane as usize] == element).collect(),
            };
            lanes &= !same;
            let index = binding.index();
            let pages = if element == 0 {
                if self.buffers.len() <= index {
                    self.buffers.resize_with(index + 1, || None);
                }
                self.buffers[index].get_or_insert_with(|| Pages::new(granule()))
            } else {
                let pages = self.elements.entry((binding.0, element));
                pages.or_insert_with(|| Pages::new(granule()))
            };
            judge.lanes(pages, same, event, size, (binding.0, element), &mut self.meetings);
        }
        (judge.found, judge.all)
    }

    fn finding(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        event: &AccessEvent<'_>,
        (now, now_lane): (Record, u32),
        (before, before_lane): (Record, u32),
        (wrong, equal): (Wrong, bool),
    ) -> Option<Finding> {
        let pair = pair(&before, &now);
        if self.told.contains(&pair) {
            return None;
        }
        self.told.push(pair);
        let (name, declared) = match event.space {
            Space::Shared(it) => {
                let memory = &facts.module.groupshared[it.index()];
                (&memory.name, memory.span)
            }
            Space::Buffer(binding, _) => {
                let resource = facts.module.resource(binding);
                (&resource.name, resource.span)
            }
            Space::Private(_) | Space::Counter(_) => {
                unreachable!("private memory belongs to one lane, and counters are atomic")
            }
        };
        let same_group = before.group == now.group;
        let same_wave = same_group && before.wave == now.wave;
        let who = |access: &Record, lane: u32| match (same_group, same_wave) {
            (true, true) => format!("lane {lane}"),
            (true, false) => format!("lane {lane} of wave {}", access.wave),
            (false, _) => {
                let [x, y, z] = self.names.get(access.group as usize).copied().unwrap_or_default();
                format!("a thread of group ({x}, {y}, {z})")
            }
        };
        let act = |access: &Record| match access.act {
            Act::Load => "reads",
            Act::Store => "writes",
            Act::Atomic => "changes",
        };
        let kind = match wrong {
            Wrong::Race if equal => Kind::EqualStores,
            Wrong::Race => Kind::Race,
            Wrong::NotCoherent => Kind::NotGloballyCoherent,
            Wrong::Unpublished => Kind::UnpublishedStore,
        };
        let address = event.addresses[now_lane as usize];
        let place = place::place(facts, &event.space, address, u64::from(event.size));
        let apart =
            same_wave && before.tangle != now.tangle && self.policy == IntraWaveSync::Lockstep;
        let Advice { sites, mut notes, helps } = advice::advise(
            facts,
            &event.space,
            kind,
            name,
            (before.inst, before.act, before.round),
            (now.inst, now.act, now.round),
            same_group,
        );
        if apart {
            notes.insert(
                0,
                "the two lanes are on different paths through the program here, and either may run first"
                    .to_owned(),
            );
        }
        let message = match kind {
            Kind::EqualStores => {
                format!("`{name}` is written twice with the same value, in no particular order")
            }
            Kind::NotGloballyCoherent => {
                format!("`{name}` passes a value between groups but is not `globallycoherent`")
            }
            Kind::UnpublishedStore => {
                format!(
                    "`{name}` is stored without a memory barrier before the flag that announces it"
                )
            }
            _ => format!("race on `{name}`: nothing orders these two accesses"),
        };
        Some(Finding {
            kind,
            message,
            site: Site {
                span: event.at.span,
                text: format!("(2) {} {} {place} here", who(&now, now_lane), act(&now)),
            },
            related: vec![
                Site {
                    span: facts.module.inst(before.inst).span,
                    text: format!("(1) {} {} it here", who(&before, before_lane), act(&before)),
                },
                Site { span: declared, text: "declared here".to_owned() },
            ]
            .into_iter()
            .chain(sites)
            .collect(),
            notes,
            helps,
            group: event.at.group,
            wave: event.at.wave,
            lanes: LaneMask::only(now_lane),
            width,
        })
    }
}

/// Two instructions in either order: they give one finding.
fn pair(a: &Record, b: &Record) -> (ir::Inst, ir::Inst) {
    (a.inst.min(b.inst), a.inst.max(b.inst))
}

/// A faulty access: what is wrong, the record of the earlier access, the lanes of both, and whether both store the
/// same value.
type Found = (Wrong, Record, (u32, u32), bool);

/// A place at which an access races, and the other access.
struct Raced {
    other: ir::Inst,
    kind: Kind,
    place: SyncObject,
    granule: u64,
}

/// Judges the lanes of one access against the shadow.
struct Judge<'a> {
    policy: IntraWaveSync,
    records: &'a Records,
    /// That of the wave.
    clock: &'a mut Clock,
    now: Record,
    id: RecordId,
    coherent: bool,
    /// What the access does where waves synchronise.
    sync: Option<Sync>,
    /// A cache: the last record found to precede this access for all lanes, since most lanes have the same one.
    ordered: RecordId,
    /// The last place at which this access synchronised with others.
    met: Option<SyncObject>,
    /// The pairs already reported, for which no more is needed.
    told: &'a [(ir::Inst, ir::Inst)],
    found: Option<Found>,
    /// Whether every place that races is wanted, and these places.
    wants_all: bool,
    all: Vec<Raced>,
    /// The bytes of a place.
    granule: u64,
}

impl<'a> Judge<'a> {
    fn new(
        policy: IntraWaveSync,
        records: &'a Records,
        clock: &'a mut Clock,
        id: RecordId,
        told: &'a [(ir::Inst, ir::Inst)],
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
        }
    }

    fn record(&self, id: RecordId) -> &'a Record {
        self.records.all.get(id as usize - 1)
    }

    /// Records the accesses of lanes to one buffer.
    fn lanes(
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
    fn touch(
        &mut self,
        cell: &mut Cell,
        rank: u32,
        place: impl Fn() -> SyncObject,
        meetings: &mut Meetings,
    ) {
        // A load that may wait races with nothing: it is how the wave learns of the store.
        let polls = self.coherent && self.now.act == Act::Load && self.now.can_wait;
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
            Act::Store | Act::Atomic => cell.set_store(access),
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
            let is_told = || self.told.contains(&pair(record, &self.now));
            // A flag may be raised by a plain store and awaited by atomic operations, or the other way round.
            let is_flag = self.coherent
                && match (record.act, self.now.act) {
                    (Act::Atomic, Act::Store) => record.can_wait,
                    (Act::Store, Act::Atomic) => self.now.can_wait,
                    _ => false,
                };
            if both_atomic || is_flag || !self.wants_all && is_told() {
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
            if self.found.is_none() {
                let equal = is_equal();
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

impl Records {
    /// Numbers an execution.
    fn enter(&mut self, mut record: Record, event: &AccessEvent<'_>) -> RecordId {
        if record.act == Act::Store {
            record.values = self.values.len() as u32;
            match event.values {
                [Lanes::Words(words)] => {
                    for_each_lane(record.active, |lane| self.values.push(words[lane as usize]));
                }
                many => for_each_lane(record.active, |lane| self.values.push(digest(many, lane))),
            }
        }
        self.all.push(record);
        self.all.len() as RecordId
    }
}

/// Equal for equal values of a lane.
fn digest(values: &[Lanes<'_>], lane: u32) -> u32 {
    let digest = values.iter().fold(0u64, |all, it| {
        (all ^ it.get(lane)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
    });
    (digest ^ digest >> 32) as u32
}

/// Calls `visit` with the members in ascending order.
#[inline(always)]
fn for_each_lane(lanes: LaneMask, mut visit: impl FnMut(u32)) {
    for (half, first) in [(lanes.0 as u64, 0), ((lanes.0 >> 64) as u64, 64)] {
        let mut rest = half;
        while rest != 0 {
            visit(first + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}
