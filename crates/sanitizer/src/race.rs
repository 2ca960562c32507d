//! Data races: two accesses to one place, at least one of them a store, that no happens-before relation orders.
//!
//! What orders accesses of different threads:
//! - the instructions of a wave follow each other, as far as the policy says so ([`IntraWaveSync`]);
//! - a group barrier orders what the waves of a group did before it and do after it, in the memory it names;
//! - an atomic operation whose result is used, or a coherent load on which a condition depends, comes after everything
//!   that the waves did before which have stored there: see `order`.
//!
//! The last rule requires no memory barrier beside the store that raises a flag, because real programs omit it and
//! work; [`Publication::Strict`] requires one.
//!
//! Plain accesses to a `globallycoherent` buffer race like any others, except for those that can be a flag: a load that
//! decides nothing waits for nothing, so that it must come after what it reads for some other reason.
//!
//! In lockstep, an instruction comes after another for lanes that have executed one of them together, or have been
//! together in between. The arms of an `if` are unordered: neither may rely on what the other stores.
//! Plain loads see the stores of another group only if the buffer is `globallycoherent`.

use std::sync::Arc;

use diag::Span;
use interp::observe::{AccessEvent, At, BarrierEvent, Space};
use ops::wave::Lanes;
use ops::{LaneMask, MemoryScope, SyncScope};

use crate::address;
use crate::facts::Facts;
use crate::finding::{Finding, Kind, Site};
use crate::flying::Flying;
use crate::hash::{self, HashMap, HashSet};
use crate::place;

use crate::slice::Memory;
use crate::uses::Uses;

use advice::Advice;
use judge::{Judge, Raced};
use order::{Clock, Joint, Meetings, Sync};
use rounds::Rounds;
use shadow::{Act, Cell, Chunks, Pages, Record, RecordId};

mod advice;
mod apart;
mod checked;
mod flags;
mod judge;
mod order;
mod relation;
mod rounds;
mod shadow;
mod times;
mod update;

/// What makes earlier stores of a wave visible to a wave that observes a later atomic operation of it, or its store to
/// a coherent buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Publication {
    /// That operation itself.
    #[default]
    Plain,
    /// A barrier for device memory between the two.
    Strict,
}

impl Publication {
    /// Each rule as users spell it.
    pub const NAMES: [(&str, Publication); 2] =
        [("plain", Publication::Plain), ("strict", Publication::Strict)];
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

impl IntraWaveSync {
    /// Each rule as users spell it.
    pub const NAMES: [(&str, IntraWaveSync); 3] = [
        ("lockstep", IntraWaveSync::Lockstep),
        ("waveop", IntraWaveSync::WaveOp),
        ("none", IntraWaveSync::None),
    ];
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
    /// The greatest number of group barriers before an access, and the first access behind that many.
    phase: u32,
    first_of_phase: RecordId,
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

impl Racing {
    /// The accesses that race, in the order of the module.
    pub(crate) fn in_order(&self) -> Vec<(ir::Inst, Kind, Span)> {
        let mut all: Vec<_> = self.insts.iter().map(|(inst, it)| (*inst, it.0, it.1)).collect();
        ops::sort_by_key(&mut all, |it| it.0);
        all
    }
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

/// What is known of the accesses of a module before it runs.
pub(crate) struct Accesses {
    uses: Uses,
    /// Whether some wave checks a place and then stores there.
    pub(crate) checks_then_sets: bool,
}

impl Accesses {
    pub(crate) fn new(facts: &Facts<'_>) -> Accesses {
        Accesses { uses: Uses::new(facts), checks_then_sets: checked::is_in(facts) }
    }
}

pub(crate) struct Races {
    policy: IntraWaveSync,
    /// The granularity of buffer accesses, in bytes.
    granule: u64,
    /// All groups seen so far.
    names: Vec<[u32; 3]>,
    flying: Flying<Group>,
    /// Groups that have ended, for reuse.
    idle: Vec<Group>,
    /// By binding; elements of a resource array other than the first are separate.
    buffers: Vec<Option<Pages>>,
    elements: HashMap<(u32, u32), Pages>,
    records: Records,
    /// The iterations of loops in which accesses were made.
    rounds: Rounds,
    accesses: Arc<Accesses>,
    meetings: Meetings,
    /// The pairs already reported.
    told: Told,
    /// Everything that races, if requested: otherwise a pair that has been reported is not searched for again.
    all: Option<Racing>,
    /// Whether the order in which waves run may matter.
    waves_meet: bool,
    /// Of each resource, whether its memory has other names.
    shared: Vec<bool>,
}

impl Races {
    pub(crate) fn new(
        module: &ir::Module,
        accesses: Arc<Accesses>,
        width: u32,
        (policy, publication): (IntraWaveSync, Publication),
        wants_all: bool,
    ) -> Races {
        let threads: u32 = module.group_size.iter().product();
        Races {
            accesses,
            all: wants_all.then(Racing::default),
            policy,
            granule: if module.needs.native_16bit { 2 } else { 4 },
            names: Vec::new(),
            flying: Flying::default(),
            idle: Vec::new(),
            buffers: Vec::new(),
            elements: HashMap::default(),
            records: Records::default(),
            rounds: Rounds::default(),
            meetings: Meetings::new(publication == Publication::Strict, threads.div_ceil(width)),
            told: Told::default(),
            shared: (0..module.resources.len() as u32)
                .map(|it| module.shares_memory(ir::Binding(it)))
                .collect(),
            // Descriptor heaps are sampled through views that this memory does not see.
            waves_meet: module.resources.iter().any(|it| it.register.class.is_heap()),
        }
    }

    /// Whether the order in which waves run may matter: no proof was found that it does not.
    pub(crate) fn waves_meet(&self) -> bool {
        self.waves_meet
    }

    /// Whether there was anything to report.
    pub(crate) fn has_found(&self) -> bool {
        !self.told.all.is_empty() || !self.told.equal.is_empty()
    }

    /// Everything that raced.
    pub(crate) fn take_racing(&mut self) -> Racing {
        self.all.take().unwrap_or_default()
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

    #[inline]
    fn group(&mut self, name: [u32; 3]) -> &mut Group {
        self.flying.get_or_insert_with(name, || {
            let mut group = self.idle.pop().unwrap_or_default();
            group.id = self.names.len() as u32;
            self.names.push(name);
            group
        })
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
        self.clock(at).rounds.enter(at.inst);
    }

    pub(crate) fn back_edge(&mut self, at: At) {
        let clock = self.clock(at);
        clock.together(at.active);
        clock.rounds.next_round(at.inst);
    }

    pub(crate) fn reconverge(&mut self, at: At) {
        let clock = self.clock(at);
        clock.together(at.active);
        clock.rounds.leave(at.inst);
    }

    pub(crate) fn barrier(&mut self, event: &BarrierEvent) {
        let clock = self.clock(event.at);
        clock.together(event.at.active);
        if event.barrier.sync == SyncScope::Wave {
            clock.wave_ops += 1;
        }
        let covers_device = event.barrier.memory != MemoryScope::Group;
        let is_of_group = event.barrier.sync == SyncScope::Group;
        if is_of_group {
            clock.pass_barrier(covers_device);
        }
        if covers_device {
            clock.fence();
        }
        if !is_of_group {
            return;
        }
        if event.barrier.memory != MemoryScope::Device {
            clock.shared_phase += 1;
        }
        if covers_device {
            clock.device_phase += 1;
        }
    }

    pub(crate) fn group_end(&mut self, name: [u32; 3]) {
        let Some(mut group) = self.flying.remove(name) else { return };
        group.clocks.iter_mut().for_each(Clock::reset);
        group.joint.reset();
        self.meetings.group_end(group.id);
        group.shared.iter_mut().for_each(|cells| cells.fill(Cell::default()));
        group.records.clear();
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
            // Only its own lane accesses private memory.
            Space::Private(_) => return None,
            // Only atomic operations access a counter.
            Space::Counter(_) => {
                self.waves_meet = true;
                return None;
            }
            Space::Shared(it) => (Memory::Shared(it), false, false),
            Space::Buffer(binding, _) => {
                let is_shared = self.shared[binding.index()];
                // It is named after one of its aliases, and others may be writable.
                if !facts.module.resource(binding).kind.writable() && !is_shared {
                    return None;
                }
                let name = match is_shared {
                    true => {
                        address::named(facts.module, &facts.module.inst(event.at.inst).op, binding)
                    }
                    false => binding,
                };
                (Memory::Buffer(binding), true, facts.module.resource(name).globally_coherent)
            }
        };
        let lanes = event.at.active & event.in_bounds & !event.address_poison;
        self.waves_meet |= !event.address_poison.is_empty();
        if lanes.is_empty() {
            return None;
        }
        let inst = event.at.inst;
        let uses = &self.accesses.uses;
        let sync = Sync {
            acquires: match act {
                Act::Load => coherent && uses.decides(inst),
                Act::Store => false,
                Act::Atomic => uses.is_used(inst),
            },
            releases: act == Act::Atomic || coherent && act == Act::Store,
        };
        let can_wait = sync.acquires && uses.decides(inst);
        let sync = Some(sync).filter(|it| {
            // Accesses of which no wave ever learns need not be remembered.
            (it.acquires || it.releases) && uses.is_acquired(memory)
        });
        let change = match act {
            Act::Atomic => apart::change(facts.module, uses, inst),
            Act::Load | Act::Store => None,
        };
        self.clock(event.at);
        let group = self.flying.of(event.at.group);
        let id = group.id;
        let (first, _) = self.meetings.keys(id, 0);
        group.joint.learn(&mut group.clocks, event.at.wave, first);
        let clock = &mut group.clocks[event.at.wave as usize];
        clock.together(event.at.active);
        clock.time += 1;
        if sync.is_some_and(|it| it.releases) {
            // A plain store that raises a flag publishes what came before it.
            clock.publish(if act == Act::Atomic { clock.time } else { clock.time - 1 });
        }
        let now = Record {
            act,
            can_wait,
            change,
            inst,
            group: id,
            wave: event.at.wave,
            phase: if device { clock.device_phase } else { clock.shared_phase },
            barriers: clock.barriers,
            wave_ops: clock.wave_ops,
            time: clock.time,
            round: clock.rounds.node(&mut self.rounds),
            tangle: clock.tangle(),
            active: event.at.active,
            values: 0,
        };
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
        let judge::Fault { wrong, before, lanes: (before_lane, lane), is_equal: equal } = found?;
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
    ) -> (Option<judge::Fault>, Vec<Raced>) {
        let group = self.flying.of(event.at.group);
        if group.shared.is_empty() {
            let cells = |it: &ir::Memory| vec![Cell::default(); it.len as usize];
            group.shared = facts.module.groupshared.iter().map(cells).collect();
        }
        let cells = &mut group.shared[memory.index()];
        let id = group.records.enter(now, event);
        let clock = &mut group.clocks[event.at.wave as usize];
        let judge = Judge::new(self.policy, &group.records, clock, id, &self.told);
        let mut judge = judge.since_barrier();
        judge.sync = sync;
        judge.waves_meet = self.waves_meet;
        judge.wants_all = self.all.is_some();
        for_each_rank(now.active, lanes, |lane, rank| {
            let at = event.addresses[lane as usize];
            let Some(cell) = cells.get_mut(at as usize) else { return };
            let place = || SyncObject::Shared(now.group, memory.0, at);
            judge.touch(cell, rank, place, &mut self.meetings);
        });
        self.waves_meet = judge.waves_meet;
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
    ) -> (Option<judge::Fault>, Vec<Raced>) {
        let group = self.flying.of(event.at.group);
        let id = self.records.enter(now, event);
        let clock = &mut group.clocks[event.at.wave as usize];
        let mut judge = Judge::new(self.policy, &self.records, clock, id, &self.told);
        judge.sync = sync;
        judge.coherent = coherent;
        judge.waves_meet = self.waves_meet;
        judge.wants_all = self.all.is_some();
        judge.is_device = true;
        let size = u64::from(event.size.max(1));
        let resource = facts.module.resource(binding);
        let is_shared = self.shared[binding.index()];
        let granule = || match resource.kind.view().element {
            // Views of one memory may access it in texels of different sizes.
            _ if is_shared => 1,
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
        self.waves_meet = judge.waves_meet;
        (judge.found, judge.all)
    }

    #[cold]
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
        if self.told.has(pair, equal) {
            return None;
        }
        self.told.add(pair, equal);
        let space = match event.space {
            Space::Buffer(memory, elements) if self.shared[memory.index()] => {
                let op = &facts.module.inst(event.at.inst).op;
                Space::Buffer(address::named(facts.module, op, memory), elements)
            }
            space => space,
        };
        let (name, declared) = declaration(facts, &space);
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
        let kind = match wrong {
            Wrong::Race if equal => Kind::EqualStores,
            Wrong::Race => Kind::Race,
            Wrong::NotCoherent => Kind::NotGloballyCoherent,
            Wrong::Unpublished => Kind::UnpublishedStore,
        };
        let address = event.addresses[now_lane as usize];
        let place = place::place(facts, &space, address, u64::from(event.size));
        let apart =
            same_wave && before.tangle != now.tangle && self.policy == IntraWaveSync::Lockstep;
        let Advice { cause, sites, mut notes, helps } = advice::advise(
            (facts, &self.accesses.uses),
            &event.space,
            kind,
            name,
            (before.inst, before.act, &self.rounds.of(before.round)),
            (now.inst, now.act, &self.rounds.of(now.round)),
            same_group,
        );
        if let Space::Buffer(memory, _) = event.space {
            let op = &facts.module.inst(before.inst).op;
            let other = &facts.module.resource(address::named(facts.module, op, memory)).name;
            if other != name {
                notes.insert(
                    0,
                    format!("(1) accesses it as `{other}`: both names mean the same buffer"),
                );
            }
        }
        if apart {
            notes.insert(
                0,
                "the two lanes are on different paths through the program here, and either may run first"
                    .to_owned(),
            );
        }
        let message = message(kind, name);
        // The access at the place of its own number is right; the other one reaches into another group.
        let is_own = |access: &Record, lane: u32| {
            let group = self.names.get(access.group as usize).copied().unwrap_or_default();
            let thread = own_thread(facts, group, access.wave * width + lane);
            thread.is_some_and(|it| place::element(facts, &space, address) == Some(it))
        };
        let is_told = kind == Kind::Race && !same_group && cause.is_none();
        let own = [(&before, before_lane), (&now, now_lane)].map(|it| is_own(it.0, it.1));
        let (is_first, is_second) =
            (is_told && own == [false, true], is_told && own == [true, false]);
        if is_first || is_second {
            let (it, other) = if is_first { (1, 2) } else { (2, 1) };
            notes.push(format!(
                "({other}) is at the element of its own thread, ({it}) at that of a thread of another group"
            ));
        }
        let (in_first, in_second) = match is_first {
            true => (place.as_str(), "it"),
            false => ("it", place.as_str()),
        };
        let second = Site {
            span: event.at.span,
            inst: Some(event.at.inst),
            text: format!("(2) {} {} {in_second} here", who(&now, now_lane), now.act.verb()),
        };
        let first = Site {
            span: facts.module.inst(before.inst).span,
            inst: Some(before.inst),
            text: format!(
                "(1) {} {} {in_first} here",
                who(&before, before_lane),
                before.act.verb()
            ),
        };
        let (site, first, other) = match cause {
            Some(cause) => (cause, first, Some(second)),
            None if is_first => (first, second, None),
            None => (second, first, None),
        };
        let declared = Site { span: declared, inst: None, text: "declared here".to_owned() };
        let related = std::iter::once(first).chain(Some(declared)).chain(other).chain(sites);
        Some(Finding {
            kind,
            message,
            site,
            related: related.collect(),
            notes,
            helps,
            stacks: Vec::new(),
            group: event.at.group,
            wave: event.at.wave,
            lanes: LaneMask::only(now_lane),
            width,
        })
    }
}

impl Act {
    fn verb(self) -> &'static str {
        match self {
            Act::Load => "reads",
            Act::Store => "writes",
            Act::Atomic => "changes",
        }
    }
}

/// The number of a thread in the whole dispatch, where all of it is one row.
fn own_thread(facts: &Facts<'_>, [group, y, z]: [u32; 3], thread: u32) -> Option<u64> {
    let [size, 1, 1] = facts.module.group_size else { return None };
    ([y, z] == [0; 2]).then(|| u64::from(group) * u64::from(size) + u64::from(thread))
}

/// The name of what is accessed, and where it is declared.
fn declaration<'a>(facts: &Facts<'a>, space: &Space<'_>) -> (&'a str, Span) {
    match space {
        Space::Shared(it) => {
            let memory = &facts.module.groupshared[it.index()];
            (&memory.name, memory.span)
        }
        Space::Buffer(binding, _) => {
            let resource = facts.module.resource(*binding);
            (&resource.name, resource.span)
        }
        Space::Private(_) | Space::Counter(_) => {
            unreachable!("private memory belongs to one lane, and counters are atomic")
        }
    }
}

fn message(kind: Kind, name: &str) -> String {
    match kind {
        Kind::EqualStores => {
            format!("`{name}` is written twice with the same value, in no particular order")
        }
        Kind::NotGloballyCoherent => {
            format!("`{name}` passes a value between groups but is not `globallycoherent`")
        }
        Kind::UnpublishedStore => {
            format!("`{name}` is stored without a memory barrier before the flag that announces it")
        }
        _ => format!("race on `{name}`: nothing orders these two accesses"),
    }
}

/// The pairs of instructions that have been reported.
#[derive(Debug, Default)]
struct Told {
    /// For which nothing more is needed.
    all: Vec<Pair>,
    /// That have stored equal values, by then.
    equal: Vec<Pair>,
}

impl Told {
    /// Whether a pair, or its equal stores, need no further report.
    fn has(&self, pair: Pair, equal: bool) -> bool {
        self.all.contains(&pair) || equal && self.equal.contains(&pair)
    }

    fn add(&mut self, pair: Pair, equal: bool) {
        if equal { &mut self.equal } else { &mut self.all }.push(pair);
    }
}

/// Two instructions, the first in the module before the second.
type Pair = (ir::Inst, ir::Inst);

/// Two instructions in either order: they give one finding.
fn pair(a: &Record, b: &Record) -> Pair {
    (a.inst.min(b.inst), a.inst.max(b.inst))
}

impl Records {
    /// Numbers an execution.
    fn enter(&mut self, mut record: Record, event: &AccessEvent<'_>) -> RecordId {
        if record.act == Act::Store {
            record.values = self.values.len() as u32;
            let many = record.active.count();
            match event.values {
                [Lanes::Words(words)] if record.active == LaneMask::first_n(many) => {
                    self.values.extend(&words[..many as usize]);
                }
                [Lanes::Words(words)] => {
                    for_each_lane(record.active, |lane| self.values.push(words[lane as usize]));
                }
                many => for_each_lane(record.active, |lane| self.values.push(digest(many, lane))),
            }
        }
        self.all.push(record);
        let id = self.all.len() as RecordId;
        if id == 1 || record.phase > self.phase {
            (self.phase, self.first_of_phase) = (record.phase, id);
        }
        id
    }

    fn clear(&mut self) {
        self.all.clear();
        self.values.clear();
    }
}

/// Equal for equal values of a lane.
fn digest(values: &[Lanes<'_>], lane: u32) -> u32 {
    let digest = hash::digest(values.iter().map(|it| it.get(lane)));
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

/// Calls `visit` with those of the active lanes that are among `lanes`, in ascending order, and with their ranks.
#[inline(always)]
fn for_each_rank(active: LaneMask, lanes: LaneMask, mut visit: impl FnMut(u32, u32)) {
    let mut rank = 0;
    for first in [0, 64] {
        let mut rest = (active.0 >> first) as u64;
        let lanes = (lanes.0 >> first) as u64;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            if lanes >> lane & 1 == 1 {
                visit(first + lane, rank);
            }
            rank += 1;
            rest &= rest - 1;
        }
    }
}
