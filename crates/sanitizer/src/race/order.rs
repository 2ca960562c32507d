//! What a wave can know of what others did before: barriers, and places through which waves met.
//!
//! Whoever changes a place by an atomic operation comes after all who did so before, and after everything that they had done
//! by then; a load from a `globallycoherent` buffer comes after the store that it finds. From one such meeting to the next
//! knowledge travels on. The search for a way is bounded; where it gives up, accesses count as ordered: better silent than
//! wrong.

use std::collections::{HashMap, HashSet};

use ops::LaneMask;

use super::shadow::Record;

/// So many earlier meetings at one place are followed on.
const MOST_EARLIER: usize = 64;
/// So many steps are taken before the search gives up.
const MOST_STEPS: usize = 4096;
/// So many changes of the active set are remembered.
const MOST_TANGLES: usize = 4096;

/// How far a wave has come.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    pub(super) shared_phase: u32,
    pub(super) device_phase: u32,
    pub(super) barriers: u32,
    pub(super) wave_ops: u32,
    pub(super) time: u32,
    tangles: Tangles,
}

/// The active sets of a wave, one after the other.
#[derive(Clone, Debug, Default)]
struct Tangles {
    sets: Vec<LaneMask>,
    /// How many have been forgotten.
    forgotten: u32,
    /// All lanes that ever were active.
    all: LaneMask,
    /// The number of the last one that held all lanes.
    full: u32,
}

impl Clock {
    pub(super) fn reset(&mut self) {
        let mut sets = std::mem::take(&mut self.tangles.sets);
        sets.clear();
        *self = Clock { tangles: Tangles { sets, ..Tangles::default() }, ..Clock::default() };
    }

    /// These lanes execute something together.
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

    /// Whether what one lane did comes before what another one does now, if lanes that execute an instruction together are
    /// done with it before the next: the two have been together since, or others have been with both in between.
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

/// A wave at a place where waves meet.
#[derive(Clone, Copy, Debug)]
struct Visit {
    wave: Wave,
    active: LaneMask,
    time: u32,
    barriers: u32,
    /// Whether it left something that later visitors can find.
    leaves: bool,
}

/// All meetings of a run.
#[derive(Debug)]
pub(super) struct Meetings<K> {
    places: HashMap<K, usize>,
    /// For each place its visits in the order of the run.
    visits: Vec<Vec<Visit>>,
    /// For each group, its visits: place and number, in the order of the run.
    of_group: HashMap<u32, Vec<(usize, u32)>>,
    /// Up to which time the first wave is known to know of the second: nobody forgets, so that it need not be found out again.
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

    /// A wave comes to a place; `leaves` where it stores something.
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
            // Nobody else came between. What it had found by the first visit it finds now; barriers apart, as others of the
            // group know what was found before one.
            if last.barriers == now.barriers && last.active == active {
                last.time = now.time;
                return;
            }
        }
        let number = visits.len() as u32;
        visits.push(visit);
        self.of_group.entry(now.group).or_default().push((place, number));
    }

    /// Whether a lane can know, through meetings, that another one has made an access. Lanes of one wave are told apart, as
    /// they are where each takes a lock for itself; of another wave any lane will do.
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

    /// Until which time the lane knows what the other wave did, if that covers the access.
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
