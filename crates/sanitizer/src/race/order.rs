//! Happens-before: what a wave can know about earlier accesses, through barriers and through places where waves
//! synchronised.
//!
//! An atomic operation, and a store to a `globallycoherent` buffer, release: they leave at their place what their wave
//! knows. An atomic operation whose result is used, and a coherent load on which something depends, acquire: their wave
//! learns what was left there. Knowledge is a vector clock ([`Times`]), so that the relation is transitive.
//!
//! A group barrier tells all waves of the group what each of them knows. Of accesses to device memory by waves of the
//! group itself, one that does not cover that memory tells only what they have published: by a release, or by a barrier
//! for device memory. Only these, and what an earlier barrier covers, does a later release of another wave pass on.
//!
//! Lanes of one wave are distinguished, as when each takes a lock for itself: for them the wave's own visits are
//! remembered. That memory is bounded; what it has forgotten counts as ordered: silence is better than a false report.

use ops::LaneMask;

use super::SyncObject;
use super::rounds::Stack;
use super::shadow::Record;
use super::times::Times;
use crate::hash::HashMap;

/// The number of a wave's visits that are remembered.
const MOST_VISITS: usize = 4096;
/// The number of places through which lanes of one wave may pass on what they know before the search gives up.
const MOST_PLACES: usize = 64;
/// The number of changes of the active set that are remembered.
const MOST_TANGLES: usize = 4096;

/// The two kinds of knowledge: by any release, and by those that follow a memory barrier.
const PLAIN: usize = 0;
const STRICT: usize = 1;

/// The logical time of a wave.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    pub(super) shared_phase: u32,
    pub(super) device_phase: u32,
    pub(super) barriers: u32,
    pub(super) wave_ops: u32,
    pub(super) time: u32,
    pub(super) rounds: Stack,
    tangles: Tangles,
    /// What the wave knows of other waves; in the second place, if a release covers only what a memory barrier has
    /// made available.
    known: [Times; 2],
    /// What the last memory barrier has made available.
    fence: Fence,
    /// What the wave knows of accesses to device memory by waves of its group alone: they had published them before a
    /// barrier that does not cover device memory.
    heard: [Times; 2],
    /// Until when the wave has published what it did: by a release, and by a memory barrier.
    published: [u32; 2],
    /// The number of group barriers that had been passed after the last one that covers device memory.
    device_barriers: u32,
    /// How many group barriers had been passed when the waves last told each other what they know.
    joined: u32,
    visits: Visits,
}

/// What a release makes known.
#[derive(Clone, Debug, Default)]
struct Fence {
    known: Times,
    time: u32,
    barriers: u32,
}

/// A wave at a place of synchronisation.
#[derive(Clone, Copy, Debug)]
struct Visit {
    place: SyncObject,
    time: u32,
    active: LaneMask,
    acquires: bool,
    releases: bool,
    /// Up to which time another wave that was here in between knew of this one.
    returned: u32,
}

/// The visits of a wave, in order.
#[derive(Clone, Debug, Default)]
struct Visits {
    all: Vec<Visit>,
    /// Everything before this time is forgotten.
    since: u32,
}

/// The active sets of a wave, in order.
#[derive(Clone, Debug, Default)]
struct Tangles {
    sets: Vec<LaneMask>,
    /// The number of forgotten sets.
    forgotten: u32,
    /// All lanes that were ever active.
    all: LaneMask,
    /// The number of the last set that contained all lanes.
    full: u32,
}

impl Clock {
    pub(super) fn reset(&mut self) {
        let mut sets = std::mem::take(&mut self.tangles.sets);
        sets.clear();
        let mut all = std::mem::take(&mut self.visits.all);
        all.clear();
        *self = Clock {
            tangles: Tangles { sets, ..Tangles::default() },
            visits: Visits { all, since: 0 },
            ..Clock::default()
        };
    }

    /// The given lanes execute something together.
    #[inline]
    pub(super) fn together(&mut self, active: LaneMask) {
        let tangles = &mut self.tangles;
        if tangles.sets.last() == Some(&active) {
            return;
        }
        if tangles.sets.len() == MOST_TANGLES {
            tangles.sets.clear();
            tangles.forgotten += MOST_TANGLES as u32;
        }
        tangles.sets.push(active);
        tangles.all |= active;
        if active == tangles.all {
            tangles.full = tangles.forgotten + tangles.sets.len() as u32 - 1;
        }
    }

    pub(super) fn tangle(&self) -> u32 {
        self.tangles.forgotten + self.tangles.sets.len().saturating_sub(1) as u32
    }

    /// A barrier for device memory: what the wave has done so far is available to others.
    pub(super) fn fence(&mut self) {
        let mut known = self.known[STRICT].clone();
        known.join(&self.heard[STRICT]);
        self.fence = Fence { known, time: self.time, barriers: self.device_barriers };
        self.published = [self.time; 2];
    }

    /// The wave releases what it did before this time.
    pub(super) fn publish(&mut self, time: u32) {
        self.published[PLAIN] = self.published[PLAIN].max(time);
    }

    /// A barrier of the group; `covers_device`: it orders accesses to device memory.
    pub(super) fn pass_barrier(&mut self, covers_device: bool) {
        self.barriers += 1;
        if covers_device {
            self.device_barriers = self.barriers;
        }
    }

    /// Whether a lane can know, by synchronisations of its wave, what another lane of it has done.
    pub(super) fn has_passed(&self, before: &Record, before_lane: u32, lane: u32) -> bool {
        if before.time < self.visits.since {
            return true;
        }
        let all = &self.visits.all;
        let mut reached = LaneMask::only(before_lane);
        let mut places: Vec<SyncObject> = Vec::new();
        let mut earliest = u32::MAX;
        for visit in &all[all.partition_point(|it| it.time < before.time)..] {
            if visit.acquires && (places.contains(&visit.place) || visit.returned >= earliest) {
                reached |= visit.active;
            }
            if visit.releases
                && !(visit.active & reached).is_empty()
                && !places.contains(&visit.place)
            {
                places.push(visit.place);
                earliest = earliest.min(visit.time);
            }
            if reached.contains(lane) || places.len() > MOST_PLACES {
                return true;
            }
        }
        false
    }

    /// Whether what one lane did comes before what another does now, if lanes that execute an instruction together
    /// finish it before the next: the two have been together since, or linked by others that have been with both in
    /// between.
    pub(super) fn have_met(
        &self,
        before: &Record,
        before_lane: u32,
        now: &Record,
        lane: u32,
    ) -> bool {
        if before.active.contains(lane) || now.active.contains(before_lane) {
            return true;
        }
        let tangles = &self.tangles;
        if before.tangle <= tangles.full || before.tangle < tangles.forgotten {
            return true;
        }
        let mut reached = before.active;
        for set in &tangles.sets[(before.tangle - tangles.forgotten) as usize..] {
            if !(*set & reached).is_empty() {
                reached |= *set;
            }
        }
        reached.contains(lane)
    }
}

/// What waves of one group tell each other at its barriers.
#[derive(Clone, Debug, Default)]
pub(super) struct Joint {
    known: [Times; 2],
    heard: [Times; 2],
    /// How many barriers had been passed then.
    barriers: u32,
}

impl Joint {
    /// A wave learns what all waves of its group knew and had published at the last barrier, if it has not yet. `first`
    /// is the key of the first wave.
    pub(super) fn learn(&mut self, clocks: &mut [Clock], wave: u32, first: u64) {
        let barriers = clocks[wave as usize].barriers;
        if clocks[wave as usize].joined >= barriers {
            return;
        }
        // The first wave to continue queries all: the others are still at the barrier, or have ended.
        if self.barriers < barriers {
            self.barriers = barriers;
            for (key, clock) in (first..).zip(clocks.iter()) {
                for kind in [PLAIN, STRICT] {
                    self.known[kind].join(&clock.known[kind]);
                    self.heard[kind].join(&clock.heard[kind]);
                    if clock.published[kind] > 0 {
                        self.heard[kind].raise(key, clock.published[kind]);
                    }
                }
            }
        }
        let clock = &mut clocks[wave as usize];
        for kind in [PLAIN, STRICT] {
            clock.known[kind].join(&self.known[kind]);
            clock.heard[kind].join(&self.heard[kind]);
        }
        clock.joined = barriers;
    }

    pub(super) fn reset(&mut self) {
        *self = Joint::default();
    }
}

/// What was left at a place.
#[derive(Debug, Default)]
struct Left {
    known: Times,
    /// The last wave that left something, if any, by the key of the wave and that of its group.
    by: Option<(u64, u64)>,
    /// The time and the barriers of that wave, which `known` lacks: most places are visited by one wave again and
    /// again.
    time: u32,
    barriers: u32,
}

#[derive(Debug, Default)]
struct Meeting {
    left: [Left; 2],
    /// For groupshared memory, the number of barriers before: all waves know what was left before the last one.
    barriers: u32,
}

type Places = HashMap<SyncObject, Meeting>;

/// All places at which waves have synchronised.
#[derive(Debug)]
pub(super) struct Meetings {
    /// Whether releases without a memory barrier before them are distinguished.
    is_strict: bool,
    /// The waves of a group.
    waves: u64,
    buffers: Places,
    /// Those in groupshared memory of groups in flight.
    shared: HashMap<u32, Places>,
}

/// What an access does at a place of synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sync {
    pub(super) acquires: bool,
    pub(super) releases: bool,
}

/// How an access is related to an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ordered {
    No,
    /// Only if releases need no memory barrier.
    Loosely,
    Yes,
}

impl Meetings {
    pub(super) fn new(is_strict: bool, waves: u32) -> Meetings {
        let (buffers, shared) = (Places::default(), HashMap::default());
        Meetings { is_strict, waves: u64::from(waves), buffers, shared }
    }

    pub(super) fn group_end(&mut self, group: u32) {
        self.shared.remove(&group);
    }

    /// The keys of a wave and of its group.
    pub(super) fn keys(&self, group: u32, wave: u32) -> (u64, u64) {
        let first = u64::from(group) * (self.waves + 1);
        (first + 1 + u64::from(wave), first)
    }

    /// A wave synchronises at a place.
    pub(super) fn visit(&mut self, place: SyncObject, now: &Record, clock: &mut Clock, sync: Sync) {
        let own = self.keys(now.group, now.wave);
        let meeting = match place {
            SyncObject::Buffer(..) => self.buffers.entry(place).or_default(),
            SyncObject::Shared(group, ..) => {
                let meeting = self.shared.entry(group).or_default().entry(place).or_default();
                if meeting.barriers < now.barriers {
                    *meeting = Meeting { barriers: now.barriers, ..Meeting::default() };
                }
                meeting
            }
        };
        let mut returned = 0;
        for kind in [PLAIN, STRICT] {
            if kind == STRICT && !self.is_strict {
                continue;
            }
            let left = &mut meeting.left[kind];
            let is_own = left.by == Some(own);
            let known = &mut clock.known[kind];
            if sync.acquires {
                if kind == PLAIN && !is_own {
                    returned = left.known.get(own.0);
                }
                known.join(&left.known);
                if let Some((wave, group)) = left.by.filter(|_| !is_own) {
                    known.raise(wave, left.time);
                    known.raise(group, left.barriers);
                }
            }
            if !sync.releases {
                continue;
            }
            let (time, barriers) = match kind {
                PLAIN => (now.time, clock.device_barriers),
                _ => (clock.fence.time, clock.fence.barriers),
            };
            if kind == PLAIN && sync.acquires {
                left.known = known.clone();
            } else {
                if let Some((wave, group)) = left.by.filter(|_| !is_own) {
                    left.known.raise(wave, left.time);
                    left.known.raise(group, left.barriers);
                }
                left.known.join(if kind == PLAIN { known } else { &clock.fence.known });
            }
            if kind == PLAIN {
                left.known.join(&clock.heard[PLAIN]);
            }
            (left.by, left.time, left.barriers) = (Some(own), time, barriers);
        }
        clock.remember(Visit {
            place,
            time: now.time,
            active: now.active,
            acquires: sync.acquires,
            releases: sync.releases,
            returned,
        });
    }

    /// Whether a wave can know, through synchronisation, that another has made an access: any of its lanes will do.
    /// `is_device`: the access is to device memory.
    pub(super) fn is_known(
        &self,
        clock: &Clock,
        before: &Record,
        now: &Record,
        is_device: bool,
    ) -> Ordered {
        let (wave, group) = self.keys(before.group, before.wave);
        let has_heard = |kind: usize| {
            is_device && before.group == now.group && clock.heard[kind].get(wave) >= before.time
        };
        let knows = |kind: usize| {
            let times = &clock.known[kind];
            !times.is_empty()
                && (times.get(wave) >= before.time || times.get(group) > before.barriers)
                || has_heard(kind)
        };
        match knows(PLAIN) {
            false => Ordered::No,
            true if self.is_strict && !knows(STRICT) => Ordered::Loosely,
            true => Ordered::Yes,
        }
    }
}

impl Clock {
    fn remember(&mut self, visit: Visit) {
        let visits = &mut self.visits;
        if let Some(last) = visits.all.last()
            && (last.place, last.active, last.acquires, last.releases)
                == (visit.place, visit.active, visit.acquires, visit.releases)
            && visit.returned == 0
            && last.acquires == last.releases
        {
            // Nothing came in between, so that the later visit knows no more and passes on more.
            let last = visits.all.len() - 1;
            visits.all[last].time = visit.time;
            return;
        }
        if visits.all.len() == MOST_VISITS {
            visits.all.drain(..MOST_VISITS / 2);
            visits.since = visits.all[0].time;
        }
        visits.all.push(visit);
    }
}
