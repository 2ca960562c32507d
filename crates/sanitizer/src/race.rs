//! Races: two accesses to one place, at least one of them a store, and nothing that puts one before the other.
//!
//! What orders accesses of different threads:
//! - the instructions of a wave follow each other, as far as the policy says so ([`IntraWaveSync`]);
//! - a group barrier orders what the waves of a group did before it and do after it, in the memory it names;
//! - an atomic operation, or an access to a `globallycoherent` buffer, that finds what another wave left there comes
//!   after everything that wave did before.
//!
//! The last rule asks for no memory barrier beside the atomic operation: real programs leave it out and work.

use std::collections::HashMap;

use interp::observe::{AccessEvent, At, BarrierEvent, Space};
use ir::{Inst, ResourceKind};
use ops::wave::Lanes;
use ops::{MemoryScope, SyncScope};

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Site};

/// What orders the accesses that the lanes of one wave make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntraWaveSync {
    /// Each instruction comes after the one before it, for all lanes.
    #[default]
    Lockstep,
    /// Wave operations do, and nothing else.
    WaveOp,
    /// Only barriers do.
    None,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Load,
    Store,
    Atomic,
}

/// One lane's access, with what is needed to say what came before it.
#[derive(Clone, Copy)]
struct Access {
    act: Act,
    group: u32,
    wave: u32,
    lane: u32,
    inst: Inst,
    /// Barriers of the group, in the memory accessed, that the wave had passed.
    phase: u32,
    /// All barriers of the group that it had passed.
    barriers: u32,
    /// Wave operations that the wave had executed.
    wave_ops: u32,
    /// How many accesses the wave had made.
    time: u64,
    value: u64,
}

/// The latest accesses to one place.
#[derive(Clone, Copy, Default)]
struct Cell {
    store: Option<Access>,
    /// The latest load, and the latest by another wave than that one.
    loads: [Option<Access>; 2],
}

/// A wave found what another one had left.
struct Acquired {
    wave: u32,
    time: u64,
    barriers: u32,
    from: Access,
}

#[derive(Clone, Copy, Default)]
struct WaveClock {
    shared_phase: u32,
    device_phase: u32,
    barriers: u32,
    wave_ops: u32,
    time: u64,
}

#[derive(Default)]
struct GroupClock {
    waves: HashMap<u32, WaveClock>,
    acquired: Vec<Acquired>,
}

/// The place of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// Group, array, element.
    Shared(u32, u32, u64),
    /// Binding, element of the resource array, granule.
    Buffer(u32, u32, u64),
}

/// How far back the chain of what was found through atomic operations is followed.
const MOST_LINKS: usize = 4096;

pub(crate) struct Races {
    policy: IntraWaveSync,
    /// Bytes that are told apart in buffers.
    granule: u64,
    ids: HashMap<[u32; 3], u32>,
    groups: HashMap<u32, GroupClock>,
    cells: HashMap<Place, Cell>,
    /// Pairs that have been reported.
    told: Vec<(Inst, Inst)>,
}

impl Races {
    pub(crate) fn new(facts: &Facts<'_>, policy: IntraWaveSync) -> Races {
        Races {
            policy,
            granule: if facts.module.needs.native_16bit { 2 } else { 4 },
            ids: HashMap::new(),
            groups: HashMap::new(),
            cells: HashMap::new(),
            told: Vec::new(),
        }
    }

    fn id(&mut self, group: [u32; 3]) -> u32 {
        let next = self.ids.len() as u32;
        *self.ids.entry(group).or_insert(next)
    }

    fn clock(&mut self, at: At) -> &mut WaveClock {
        let group = self.id(at.group);
        self.groups.entry(group).or_default().waves.entry(at.wave).or_default()
    }

    pub(crate) fn wave_op(&mut self, at: At) {
        self.clock(at).wave_ops += 1;
    }

    pub(crate) fn barrier(&mut self, event: &BarrierEvent) {
        if event.barrier.sync != SyncScope::Group {
            return;
        }
        let clock = self.clock(event.at);
        clock.barriers += 1;
        if event.barrier.memory != MemoryScope::Device {
            clock.shared_phase += 1;
        }
        if event.barrier.memory != MemoryScope::Group {
            clock.device_phase += 1;
        }
    }

    pub(crate) fn group_end(&mut self, group: [u32; 3]) {
        let id = self.id(group);
        self.cells.retain(|place, _| !matches!(place, Place::Shared(of, ..) if *of == id));
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
        let mut coherent = false;
        let (mut granule, mut device) = (1, false);
        match event.space {
            Space::Private(_) => return None,
            // Only atomic operations touch a counter.
            Space::Counter(_) => return None,
            Space::Shared(_) => {}
            Space::Buffer(binding, _) => {
                let resource = facts.module.resource(binding);
                // A descriptor heap is named by one of its views, and others can be written.
                if !resource.kind.writable() && !resource.register.class.is_heap() {
                    return None;
                }
                coherent = resource.globally_coherent;
                device = true;
                granule = match resource.kind {
                    ResourceKind::Typed { .. } | ResourceKind::Texture { .. } => {
                        u64::from(event.size.max(1))
                    }
                    _ => self.granule,
                };
            }
        }
        let group = self.id(event.at.group);
        let clock = self.clock(event.at);
        clock.time += 1;
        let clock = *clock;
        let mut found = None;
        for lane in (event.at.active & event.in_bounds & !event.address_poison).iter() {
            let access = Access {
                act,
                group,
                wave: event.at.wave,
                lane,
                inst: event.at.inst,
                phase: if device { clock.device_phase } else { clock.shared_phase },
                barriers: clock.barriers,
                wave_ops: clock.wave_ops,
                time: clock.time,
                value: value_of(event.values, lane),
            };
            let first = event.addresses[lane as usize] / granule;
            let last =
                (event.addresses[lane as usize] + u64::from(event.size.max(1)) - 1) / granule;
            for at in first..=last {
                let place = match event.space {
                    Space::Shared(memory) => Place::Shared(group, memory.0, at),
                    Space::Buffer(binding, elements) => {
                        let element = elements.map_or(0, |it| it[lane as usize]);
                        Place::Buffer(binding.0, element, at)
                    }
                    Space::Private(_) | Space::Counter(_) => {
                        unreachable!("these have been sorted out above")
                    }
                };
                let racing = self.touch(place, access, coherent);
                if let (None, Some(other)) = (&found, racing) {
                    found = self.finding(facts, width, event, access, other);
                }
            }
        }
        found
    }

    /// Enters an access, and gives one that it races with.
    fn touch(&mut self, place: Place, now: Access, coherent: bool) -> Option<Access> {
        let cell = self.cells.get(&place).copied().unwrap_or_default();
        let is_free = |it: &Access| {
            let both_atomic = it.act == Act::Atomic && now.act == Act::Atomic;
            both_atomic || coherent
        };
        let racing = cell
            .store
            .into_iter()
            .chain(cell.loads.into_iter().flatten().filter(|_| now.act != Act::Load))
            .find(|it| !is_free(it) && !self.is_ordered(it, &now));
        if let Some(store) = cell.store.filter(|it| {
            (it.group, it.wave) != (now.group, now.wave)
                && (coherent || it.act == Act::Atomic && now.act == Act::Atomic)
        }) {
            self.acquire(&now, store);
        }
        let cell = self.cells.entry(place).or_default();
        match now.act {
            Act::Load => {
                let same_wave = |it: &Access| (it.group, it.wave) == (now.group, now.wave);
                if !cell.loads[0].as_ref().is_none_or(same_wave) {
                    cell.loads[1] = cell.loads[0];
                }
                cell.loads[0] = Some(now);
            }
            Act::Store | Act::Atomic => *cell = Cell { store: Some(now), loads: [None; 2] },
        }
        racing
    }

    fn acquire(&mut self, now: &Access, from: Access) {
        let acquired = &mut self.groups.entry(now.group).or_default().acquired;
        let known = acquired.iter().rev().take(16).any(|it| {
            it.wave == now.wave
                && (it.from.group, it.from.wave) == (from.group, from.wave)
                && it.from.time >= from.time
        });
        if !known {
            acquired.push(Acquired {
                wave: now.wave,
                time: now.time,
                barriers: now.barriers,
                from,
            });
        }
    }

    fn is_ordered(&self, before: &Access, now: &Access) -> bool {
        if before.group == now.group {
            if before.wave == now.wave {
                return before.lane == now.lane
                    || before.phase < now.phase
                    || match self.policy {
                        IntraWaveSync::Lockstep => before.time < now.time,
                        IntraWaveSync::WaveOp => before.wave_ops < now.wave_ops,
                        IntraWaveSync::None => false,
                    };
            }
            if before.phase < now.phase {
                return true;
            }
        }
        self.is_known(before, now.group, now.wave, now.time, now.barriers)
    }

    /// Whether a wave at a time can know, through atomic operations, that an access has been made.
    fn is_known(&self, access: &Access, group: u32, wave: u32, time: u64, barriers: u32) -> bool {
        let mut seen: Vec<(u32, u32, u64)> = Vec::new();
        let mut next = vec![(group, wave, time, barriers)];
        while let Some((group, wave, time, barriers)) = next.pop() {
            let Some(clock) = self.groups.get(&group) else { continue };
            for link in &clock.acquired {
                let before = link.wave == wave && link.time <= time || link.barriers < barriers;
                if !before {
                    continue;
                }
                let from = &link.from;
                if from.group == access.group
                    && (from.wave == access.wave && access.time <= from.time
                        || access.barriers < from.barriers)
                {
                    return true;
                }
                let key = (from.group, from.wave, from.time);
                if seen.len() < MOST_LINKS && !seen.contains(&key) {
                    seen.push(key);
                    next.push((from.group, from.wave, from.time, from.barriers));
                }
            }
        }
        false
    }

    fn finding(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        event: &AccessEvent<'_>,
        now: Access,
        before: Access,
    ) -> Option<Finding> {
        let pair = (before.inst.min(now.inst), before.inst.max(now.inst));
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
                unreachable!("nobody else accesses private memory, and counters are atomic")
            }
        };
        let same_group = before.group == now.group;
        let who = |access: &Access| match (
            same_group,
            access.wave == now.wave && access.wave == before.wave,
        ) {
            (true, true) => format!("lane {}", access.lane),
            (true, false) => format!("lane {} of wave {}", access.lane, access.wave),
            (false, _) => format!("a thread of {}", self.group_name(access.group)),
        };
        let act = |access: &Access| match access.act {
            Act::Load => "reads",
            Act::Store => "writes",
            Act::Atomic => "changes",
        };
        let equal = before.act == Act::Store && now.act == Act::Store && before.value == now.value;
        let kind = if equal { Kind::EqualStores } else { Kind::Race };
        let place = format!("element {}", event.addresses[now.lane as usize]);
        let place = if let Space::Shared(_) = event.space {
            place
        } else {
            format!("byte {}", event.addresses[now.lane as usize])
        };
        let mut helps = Vec::new();
        if same_group && !equal {
            let barrier = match event.space {
                Space::Shared(_) => "GroupMemoryBarrierWithGroupSync()",
                _ => "AllMemoryBarrierWithGroupSync()",
            };
            helps.push(format!("put `{barrier}` between them"));
        }
        let message = match equal {
            true => format!("`{name}` is written twice with the same value, in no order"),
            false => format!("race on `{name}`: nothing orders these two accesses"),
        };
        Some(Finding {
            kind,
            message,
            site: Site {
                span: event.at.span,
                text: format!("(2) {} {} {place} here", who(&now), act(&now)),
            },
            related: vec![
                Site {
                    span: facts.module.inst(before.inst).span,
                    text: format!("(1) {} {} it here", who(&before), act(&before)),
                },
                Site { span: declared, text: "declared here".to_owned() },
            ],
            notes: Vec::new(),
            helps,
            group: event.at.group,
            wave: event.at.wave,
            lanes: ops::LaneMask::only(now.lane),
            width,
        })
    }

    fn group_name(&self, id: u32) -> String {
        let group = self.ids.iter().find(|(_, it)| **it == id).map(|(group, _)| *group);
        let [x, y, z] = group.unwrap_or_default();
        format!("group ({x}, {y}, {z})")
    }
}

/// A digest of what a lane stores; equal for equal values.
fn value_of(values: &[Lanes<'_>], lane: u32) -> u64 {
    values
        .iter()
        .fold(0, |all, it| (all ^ it.get(lane)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31))
}
