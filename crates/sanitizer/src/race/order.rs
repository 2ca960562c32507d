//! Happens-before: what a wave can know of earlier accesses through barriers and through places where waves
//! synchronised.
//!
//! An atomic operation, and a store to a `globallycoherent` buffer, release: they leave at their place what their wave
//! knows. An atomic operation whose result is used, and a coherent load on which something depends, acquire: their wave
//! learns what was left there. Knowledge is a vector clock ([`Times`]), so that the relation is transitive.
//!
//! Lanes of one wave are distinguished, as when each takes a lock for itself: for them the wave's own visits are
//! remembered. That memory is bounded; what it has forgotten counts as ordered: silence is better than a false report.

use ir::Inst;
use ops::LaneMask;

use super::SyncObject;
use super::shadow::Record;
use super::times::Times;
use crate::hash::HashMap;

/// The number of a wave's visits that are remembered.
const MOST_VISITS: usize = 4096;
/// The number of places through which lanes of one wave may pass on what they know before the search gives up.
const MOST_PLACES: usize = 64;
/// The number of changes of the active set that are remembered.
const MOST_TANGLES: usize = 4096;

/// The two kinds of knowledge: by any release, and by those that a memory barrier stands before.
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
    /// The loops that the wave is in, outermost first, and the number of the current iteration of each.
    rounds: Vec<(Inst, u32)>,
    tangles: Tangles,
    /// What the wave knows of other waves; in the second place, if a release covers only what a memory barrier has
    /// made available.
    known: [Times; 2],
    /// What the last memory barrier has made available.
    fence: Fence,
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

    /// Lanes enter a loop.
    pub(super) fn enter(&mut self, construct: Inst) {
        self.leave(construct);
        self.rounds.push((construct, 1));
    }

    /// Lanes begin another iteration of a loop.
    pub(super) fn next_round(&mut self, construct: Inst) {
        let at = self.rounds.iter().position(|it| it.0 == construct);
        if let Some(at) = at {
            self.rounds.truncate(at + 1);
            self.rounds[at].1 += 1;
        }
    }

    /// A loop has ended.
    pub(super) fn leave(&mut self, construct: Inst) {
        if let Some(at) = self.rounds.iter().position(|it| it.0 == construct) {
            self.rounds.truncate(at);
        }
    }

    /// The current iteration of a loop.
    pub(super) fn round(&self, of: Inst) -> u32 {
        self.rounds.iter().rfind(|it| it.0 == of).map_or(0, |it| it.1)
    }

    /// A barrier for device memory: what the wave has done so far is available to others.
    pub(super) fn fence(&mut self) {
        let known = self.known[STRICT].clone();
        self.fence = Fence { known, time: self.time, barriers: self.barriers };
    }

    /// Whether a lane can know, by synchronisations of its own wave, what another lane of it has done.
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
    /// How many barriers had been passed then.
    barriers: u32,
}

impl Joint {
    /// A wave learns what all waves of its group knew at the last barrier, if it has not yet.
    pub(super) fn learn(&mut self, clocks: &mut [Clock], wave: u32) {
        let barriers = clocks[wave as usize].barriers;
        if clocks[wave as usize].joined >= barriers {
            return;
        }
        // The first wave to come on asks all: the others are still at the barrier, or have ended.
        if self.barriers < barriers {
            self.barriers = barriers;
            for clock in clocks.iter() {
                let both = self.known.iter_mut().zip(&clock.known);
                both.for_each(|(all, one)| all.join(one));
            }
        }
        let clock = &mut clocks[wave as usize];
        clock.known.iter_mut().zip(&self.known).for_each(|(one, all)| one.join(all));
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
    /// The time and the barriers of that wave, which `known` lacks: most places are visited by one wave again and again.
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
    fn keys(&self, group: u32, wave: u32) -> (u64, u64) {
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
                PLAIN => (now.time, now.barriers),
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
    pub(super) fn is_known(&self, clock: &Clock, before: &Record) -> Ordered {
        let (wave, group) = self.keys(before.group, before.wave);
        let knows = |times: &Times| {
            !times.is_empty()
                && (times.get(wave) >= before.time || times.get(group) > before.barriers)
        };
        match knows(&clock.known[PLAIN]) {
            false => Ordered::No,
            true if self.is_strict && !knows(&clock.known[STRICT]) => Ordered::Loosely,
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
            // Nothing came in between, so that the later visit knows no more and tells more.
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
