//! Happens-before: what a wave can know of earlier accesses through barriers and through places where waves
//! synchronised.
//!
//! An atomic operation on a place comes after all earlier ones there, and after everything that those waves had
//! done by then; a load from a `globallycoherent` buffer comes after the store that it reads. The relation is
//! transitive across such synchronisations. The search for a path is bounded; if it gives up, accesses count as
//! ordered: silence is better than a false report.

use std::collections::{HashMap, HashSet};

use ops::LaneMask;

use super::shadow::Record;

/// The number of earlier synchronisations at one place that are followed.
const MOST_EARLIER: usize = 64;
/// The number of steps before the search gives up.
const MOST_STEPS: usize = 4096;
/// The number of changes of the active set that are remembered.
const MOST_TANGLES: usize = 4096;

/// The logical time of a wave.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    pub(super) shared_phase: u32,
    pub(super) device_phase: u32,
    pub(super) barriers: u32,
    pub(super) wave_ops: u32,
    pub(super) time: u32,
    tangles: Tangles,
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
        *self = Clock { tangles: Tangles { sets, ..Tangles::default() }, ..Clock::default() };
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

/// A wave of a group, by the number of the group.
type Wave = (u32, u32);

/// The synchronisation of a wave at a place.
#[derive(Clone, Copy, Debug)]
struct Visit {
    wave: Wave,
    active: LaneMask,
    time: u32,
    barriers: u32,
    /// Whether it stored something that later visitors can observe.
    leaves: bool,
}

/// All synchronisations of a run.
#[derive(Debug)]
pub(super) struct Meetings<K> {
    places: HashMap<K, usize>,
    /// For each place, its visits in execution order.
    visits: Vec<Vec<Visit>>,
    /// For each group, its visits: place and number, in execution order.
    of_group: HashMap<u32, Vec<(usize, u32)>>,
    /// Memoisation: up to which time the first wave is known to be ordered after the second, which never decreases.
    known: HashMap<(Wave, Wave), u32>,
}

impl<K: std::hash::Hash + Eq> Meetings<K> {
    pub(super) fn new() -> Meetings<K> {
        Meetings {
            places: HashMap::new(),
            visits: Vec::new(),
            of_group: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// A wave accesses a place; `leaves` if it stores something.
    pub(super) fn visit(&mut self, place: K, now: &Record, leaves: bool) {
        let next = self.places.len();
        let place = *self.places.entry(place).or_insert(next);
        if place == self.visits.len() {
            self.visits.push(Vec::new());
        }
        let wave = (now.group, now.wave);
        let visits = &mut self.visits[place];
        let active = now.active;
        let visit = Visit { wave, active, time: now.time, barriers: now.barriers, leaves };
        if let Some(last) = visits.last_mut().filter(|it| it.wave == wave && it.leaves == leaves) {
            // No other wave accessed the place in between, so this visit observes what the first one did, barriers
            // aside: other waves of the group know what was observed before one.
            if last.barriers == now.barriers && last.active == active {
                last.time = now.time;
                return;
            }
        }
        let number = visits.len() as u32;
        visits.push(visit);
        self.of_group.entry(now.group).or_default().push((place, number));
    }

    /// Whether a lane can know, through synchronisation, that another has made an access. Lanes of the same wave
    /// are distinguished, as when each takes a lock for itself; of another wave any lane will do.
    pub(super) fn is_known(
        &mut self,
        (before, before_lane): (&Record, u32),
        (now, lane): (&Record, u32),
    ) -> bool {
        let waves = ((now.group, now.wave), (before.group, before.wave));
        if self.known.get(&waves).is_some_and(|until| before.time <= *until) {
            return true;
        }
        let until = self.search((before, before_lane), (now, lane));
        if let Some(until) = until.filter(|_| waves.0 != waves.1) {
            let known = self.known.entry(waves).or_default();
            *known = until.max(*known);
        }
        until.is_some()
    }

    /// The time up to which the lane is ordered after the other wave, if that covers the access.
    fn search(
        &self,
        (before, before_lane): (&Record, u32),
        (now, lane): (&Record, u32),
    ) -> Option<u32> {
        let same_wave = (before.group, before.wave) == (now.group, now.wave);
        let covers = |visit: &Visit| {
            visit.leaves
                && (!same_wave || visit.active.contains(before_lane))
                && visit.wave.0 == before.group
                && (visit.wave.1 == before.wave && before.time <= visit.time
                    || before.barriers < visit.barriers)
        };
        let mut seen: HashSet<(usize, u32)> = HashSet::new();
        let own_lanes = if same_wave { LaneMask::only(lane) } else { LaneMask::ALL };
        let mut open = vec![((now.group, now.wave), now.time, now.barriers, own_lanes)];
        while let Some(((group, wave), time, barriers, lanes)) = open.pop() {
            for (place, number) in self.of_group.get(&group).into_iter().flatten() {
                let visits = &self.visits[*place];
                let own = &visits[*number as usize];
                let is_own = own.wave.1 == wave && own.time <= time;
                let counts = is_own && !(own.active & lanes).is_empty() || own.barriers < barriers;
                if !counts || !seen.insert((*place, *number)) {
                    continue;
                }
                let theirs = self.of_group.get(&before.group).into_iter().flatten();
                let earlier = theirs.filter(|it| it.0 == *place && it.1 < *number);
                let mut earlier = earlier.map(|it| &visits[it.1 as usize]);
                if let Some(visit) = earlier.find(|it| covers(it)) {
                    let is_own = visit.wave.1 == before.wave;
                    return Some(if is_own { visit.time.max(before.time) } else { before.time });
                }
                if seen.len() > MOST_STEPS {
                    return Some(before.time);
                }
                let first = (*number as usize).saturating_sub(MOST_EARLIER);
                let others = visits[first..*number as usize].iter();
                let others = others.filter(|it| {
                    it.leaves && (it.wave != own.wave || same_wave && it.active != own.active)
                });
                open.extend(others.map(|it| {
                    let lanes = if same_wave { it.active } else { LaneMask::ALL };
                    (it.wave, it.time, it.barriers, lanes)
                }));
            }
        }
        None
    }
}
