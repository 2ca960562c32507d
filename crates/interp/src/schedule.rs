//! The scheduler: which group and which wave runs next.
//!
//! In the canonical order groups run one after the other, and the waves of a group in turn, each to its next
//! barrier or end.
//! All that have started make progress, by the rules of [`ir::turns`]: a wave that iterates for long lets the
//! others of its group run, and a group all of whose waves do so lets other groups start, so that a lock between
//! waves or a wait for an earlier group ends.

use std::sync::atomic::Ordering;

use crate::Progress;
use ir::Span;
use ir::exec::{Failure, Launch, Schedule, Trap};
use ir::turns::{PATIENCE, ROUNDS};
use ops::{LaneMask, Random};

use crate::code::Program;
use crate::local::SharedMemory;
use crate::machine::{GroupContext, Machine, Stop, Turn, WaveState};
use crate::observe::Observer;

/// What a group may spend for each of its waves before it counts as stuck: loop iterations, or slices where waves
/// alternate.
const SLICES: u64 = PATIENCE as u64 * ROUNDS as u64;
/// How many groups a random schedule interleaves.
const GROUPS_MIXED: usize = 4;
/// How many instructions a wave runs at a time where waves alternate.
const SLICE: u64 = 8;
/// How many instructions a wave runs at most before another one does, where waves hand over.
const LONG_SLICE: u64 = 256;
/// How many instructions run between two polls of the cancellation flag.
const CHECK: u64 = 8192;
/// A group whose state needs more than this many bytes is refused.
pub(crate) const GROUP_BYTES: u64 = 1 << 30;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Ready,
    /// At a group barrier.
    Waiting,
    Done,
}

/// A group that has started.
struct Group {
    id: [u32; 3],
    waves: Vec<(WaveState, Status)>,
    shared: SharedMemory,
    ready: usize,
    left: usize,
    /// The position, in the order of the schedule, of the wave to run next.
    cursor: usize,
    /// What has been spent since a wave last ended or a barrier last opened.
    effort: u64,
}

/// How a turn of a group ended.
enum Outcome {
    Going,
    /// Its waves only iterate.
    Stuck,
    Done,
}

pub(crate) struct Scheduler<'a, O> {
    machine: Machine<'a, O>,
    launch: &'a Launch,
    counts: [u32; 3],
    total: u64,
    started: u64,
    threads: u32,
    fuel: u64,
    random: Random,
    in_flight: Vec<Group>,
    /// The state of groups that have ended, for reuse.
    idle: Vec<Group>,
    limit: usize,
    progress: Progress,
}

/// An upper estimate of the bytes that the state of one group takes.
pub(crate) fn group_bytes(program: &Program, waves: u64, width: u64) -> u64 {
    let rows = program.rows;
    let lanes = width.max(8);
    let registers = u64::from(rows.bits) * 32
        + u64::from(rows.words) * (4 * lanes + 16)
        + u64::from(rows.longs) * (8 * lanes + 16);
    let elements =
        |arrays: &[crate::code::Array]| arrays.iter().map(|it| u64::from(it.len)).sum::<u64>();
    let wave = registers + elements(&program.privates).saturating_mul(8 * lanes + 16);
    wave.saturating_mul(waves).saturating_add(elements(&program.groupshared).saturating_mul(9))
}

impl<'a, O: Observer> Scheduler<'a, O> {
    pub(crate) fn new(
        machine: Machine<'a, O>,
        launch: &'a Launch,
        progress: Progress,
    ) -> Result<Scheduler<'a, O>, Failure> {
        let groups = launch.groups();
        let size = machine.program.group_size;
        let total = groups.iter().map(|it| u128::from(*it)).product::<u128>();
        let most_started = machine.program.footprint.most_started(machine.width);
        let bytes = group_bytes(
            machine.program,
            u64::from(machine.waves_in_group),
            u64::from(machine.width),
        );
        if bytes > GROUP_BYTES {
            return Err(Failure::Trap(Trap::OutOfMemory { bytes }));
        }
        let seed = if let Schedule::Random(seed) = launch.schedule { seed } else { 0 };
        Ok(Scheduler {
            machine,
            launch,
            counts: groups,
            // More groups than could ever finish.
            total: u64::try_from(total).unwrap_or(u64::MAX),
            started: 0,
            threads: size.iter().product(),
            fuel: launch.fuel.unwrap_or(u64::MAX),
            random: Random::new(seed),
            in_flight: Vec::new(),
            idle: Vec::new(),
            limit: match progress {
                Progress::OccupancyBound => 1,
                Progress::Lockstep | Progress::Fair => most_started,
            },
            progress,
        })
    }

    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        let ended = self.run_groups();
        if let (Some(spent), Some(fuel)) = (&self.launch.spent, self.launch.fuel) {
            spent.store(fuel - self.fuel, Ordering::Relaxed);
        }
        ended
    }

    fn run_groups(&mut self) -> Result<(), Failure> {
        let random = matches!(self.launch.schedule, Schedule::Random(_));
        let hands_over = self.machine.hands_over;
        let mixed = random || hands_over;
        let mut current = 0;
        loop {
            if mixed {
                while self.in_flight.len() < GROUPS_MIXED.min(self.limit) && self.start() {}
            }
            if self.in_flight.is_empty() && !self.start() {
                return Ok(());
            }
            if random {
                current = self.random.below(self.in_flight.len());
            }
            match self.turn(current).map_err(Failure::Trap)? {
                Outcome::Going if hands_over => current = (current + 1) % self.in_flight.len(),
                Outcome::Going => {}
                Outcome::Done => {
                    let group = self.in_flight.remove(current);
                    if O::EVENTS {
                        self.machine.observer.group_end(group.id);
                    }
                    count_one(self.launch);
                    self.idle.push(group);
                    // The oldest group may have waited for this one.
                    current = 0;
                }
                Outcome::Stuck => {
                    let started = self.in_flight.len() < self.limit && self.start();
                    if let (false, Some(span)) = (started, self.endless()) {
                        return Err(Failure::Trap(Trap::Deadlock { span }));
                    }
                    current = if started {
                        self.in_flight.len() - 1
                    } else {
                        (current + 1) % self.in_flight.len()
                    };
                }
            }
        }
    }

    /// The location of an endless wave, if all waves that have started are endless or wait for endless ones.
    fn endless(&self) -> Option<Span> {
        let changes = self.machine.changes;
        let mut ready = self
            .in_flight
            .iter()
            .flat_map(|it| &it.waves)
            .filter(|(_, status)| *status == Status::Ready);
        let (first, _) = ready.clone().next()?;
        let all = ready.all(|(wave, _)| wave.is_endless(changes));
        all.then(|| self.machine.program.span(first.spun_at()))
    }

    /// Starts the next group, if any.
    fn start(&mut self) -> bool {
        if self.started == self.total {
            return false;
        }
        let number = match self.launch.schedule {
            Schedule::Descending => self.total - 1 - self.started,
            Schedule::Ascending | Schedule::RoundRobin | Schedule::Random(_) => self.started,
        };
        self.started += 1;
        let [x, y] = [u64::from(self.counts[0]), u64::from(self.counts[1])];
        let id = [number % x, number / x % y, number / x / y].map(|it| it as u32);

        let (program, width) = (self.machine.program, self.machine.width);
        let waves = self.machine.waves_in_group;
        let mut group = self.idle.pop().unwrap_or_else(|| Group {
            id,
            waves: (0..waves)
                .map(|_| (WaveState::new(program, width, O::POISON), Status::Ready))
                .collect(),
            shared: SharedMemory::new(&program.groupshared, O::POISON),
            ready: 0,
            left: 0,
            cursor: 0,
            effort: 0,
        });
        group.id = id;
        // Lanes that were split from their waves have ended with them.
        group.waves.truncate(waves as usize);
        group.shared.reset();
        (group.ready, group.left) = (waves as usize, waves as usize);
        (group.cursor, group.effort) = (0, 0);
        if O::EVENTS {
            self.machine.observer.group_begin(id);
        }
        for (index, (wave, status)) in (0..).zip(&mut group.waves) {
            let lanes = LaneMask::first_n((self.threads - index * width).min(width));
            wave.reset(index, lanes);
            *status = Status::Ready;
            if O::EVENTS {
                let at = self.machine.at(id, index, 0, lanes);
                self.machine.observer.wave_begin(at);
            }
        }
        self.in_flight.push(group);
        true
    }

    /// Lets one wave of a group run.
    fn turn(&mut self, current: usize) -> Result<Outcome, Trap> {
        let group = &mut self.in_flight[current];
        if group.ready == 0 {
            // Spec: waves that have ended count as arrived, so that the barrier opens when no other wave can
            // arrive.
            for (_, status) in
                group.waves.iter_mut().filter(|(_, status)| *status == Status::Waiting)
            {
                *status = Status::Ready;
            }
            group.ready = group.left;
            (group.cursor, group.effort) = (0, 0);
        }
        let count = group.waves.len();
        let slice = match self.launch.schedule {
            Schedule::Ascending | Schedule::Descending if self.machine.hands_over => LONG_SLICE,
            Schedule::Ascending | Schedule::Descending => u64::MAX,
            Schedule::RoundRobin => SLICE,
            Schedule::Random(_) => {
                group.cursor = self.random.below(count);
                1 + self.random.below(4 * SLICE as usize) as u64
            }
        };
        let at = loop {
            let at = if self.launch.schedule == Schedule::Descending {
                count - 1 - group.cursor
            } else {
                group.cursor
            };
            if group.waves[at].1 == Status::Ready {
                break at;
            }
            group.cursor = (group.cursor + 1) % count;
        };
        group.cursor = (group.cursor + 1) % count;

        let (wave, status) = &mut group.waves[at];
        let mut context = GroupContext { id: group.id, shared: &mut group.shared };
        match run_wave(&mut self.machine, self.launch, &mut self.fuel, &mut context, wave, slice)? {
            Stop::Budget | Stop::HandsOver => group.effort += 1,
            Stop::Spinning => {
                group.effort += u64::from(ROUNDS);
                wave.note_spin(self.machine.changes);
                if self.progress == Progress::Fair
                    && let Some(rest) = wave.split()
                {
                    group.waves.push((rest, Status::Ready));
                    group.ready += 1;
                    group.left += 1;
                    group.effort = 0;
                }
            }
            Stop::Barrier => {
                *status = Status::Waiting;
                group.ready -= 1;
            }
            Stop::Done => {
                *status = Status::Done;
                group.ready -= 1;
                group.left -= 1;
                group.effort = 0;
                count_one(self.launch);
                if O::EVENTS {
                    let at = self.machine.at(group.id, wave.index, wave.pc(), LaneMask::EMPTY);
                    self.machine.observer.wave_end(at);
                }
            }
        }
        let (left, effort) = (group.left, group.effort);
        if left == 0 {
            return Ok(Outcome::Done);
        }
        if effort > SLICES * left as u64 {
            group.effort = 0;
            return Ok(Outcome::Stuck);
        }
        Ok(Outcome::Going)
    }
}

/// Counts a wave or a group that has ended.
pub(crate) fn count_one(launch: &Launch) {
    if let Some(progress) = &launch.progress {
        progress.fetch_add(1, Ordering::Relaxed);
    }
}

/// Runs one wave until it stops or its slice is used up.
pub(crate) fn run_wave<O: Observer>(
    machine: &mut Machine<'_, O>,
    launch: &Launch,
    fuel: &mut u64,
    group: &mut GroupContext<'_>,
    wave: &mut WaveState,
    mut slice: u64,
) -> Result<Stop, Trap> {
    loop {
        let span = |wave: &WaveState| machine.program.span(wave.pc());
        if launch.cancel.as_ref().is_some_and(|it| it.load(Ordering::Relaxed)) {
            return Err(Trap::Cancelled { span: span(wave) });
        }
        if *fuel == 0 {
            return Err(Trap::OutOfFuel { span: span(wave) });
        }
        let granted = slice.min(*fuel).min(CHECK);
        let mut turn = Turn { instructions: granted, effort: 0 };
        let stop = machine.run(group, wave, &mut turn);
        let used = granted - turn.instructions;
        *fuel = fuel.saturating_sub(used + turn.effort);
        slice -= used;
        if stop != Stop::Budget || slice == 0 {
            return Ok(stop);
        }
    }
}
