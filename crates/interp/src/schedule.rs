//! The scheduler: which group and which wave runs next.
//!
//! In the canonical order groups run one after the other, and the waves of a group in turn, each to its next
//! barrier or end.
//! All that have started make progress, by the rules of [`ir::turns`]: a wave that iterates for long lets the
//! others of its group run, and a group all of whose waves do so lets other groups start, so that a lock between
//! waves or a wait for an earlier group ends.

use std::sync::atomic::Ordering;

use crate::{Progress, Variation};
use ir::Span;
use ir::exec::{Failure, Launch, Schedule, Trap};
use ir::turns::{PATIENCE, ROUNDS};
use ops::{LaneMask, Random};

use crate::code::Program;
use crate::local::SharedMemory;
use crate::machine::{GroupContext, MOST_EFFORT, Machine, Stop, Turn, WaveState};
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
pub(crate) enum Status {
    Ready,
    /// At a group barrier.
    Waiting,
    Done,
}

/// A group that has started.
#[derive(Clone)]
pub(crate) struct Group {
    pub(crate) id: [u32; 3],
    pub(crate) waves: Vec<(WaveState, Status)>,
    pub(crate) shared: SharedMemory,
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

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// The budget is spent.
    Going,
    /// The observer has paused the run.
    Paused,
    /// All groups have ended.
    Done,
}

/// A turn that has begun.
#[derive(Clone, Copy)]
struct Turning {
    /// The position of the wave in its group.
    wave: usize,
    /// The instructions left of the turn.
    slice: u64,
    chunk: Option<Chunk>,
}

/// The instructions between two payments of fuel, which are the same whether the run is left among them or not.
#[derive(Clone, Copy)]
pub(crate) struct Chunk {
    granted: u64,
    left: u64,
    effort: u64,
}

/// The state of groups that have ended, for reuse; a copy of a run starts without any.
#[derive(Default)]
struct Idle(Vec<Group>);

impl Clone for Idle {
    fn clone(&self) -> Idle {
        Idle::default()
    }
}

/// Everything about a run but the program, the buffers and the observer.
#[derive(Clone)]
pub(crate) struct RunState {
    pub(crate) launch: Launch,
    pub(crate) variation: Variation,
    pub(crate) waves_in_group: u32,
    /// See [`Machine::threads`].
    pub(crate) deal: Vec<[u32; 4]>,
    /// See [`Machine::changes`].
    pub(crate) changes: u64,
    counts: [u32; 3],
    total: u64,
    started: u64,
    threads: u32,
    fuel: u64,
    random: Random,
    pub(crate) in_flight: Vec<Group>,
    idle: Idle,
    limit: usize,
    /// The group in flight whose turn it is.
    current: usize,
    /// The turn that was interrupted when the run was left.
    turning: Option<Turning>,
}

/// Advances a run.
pub(crate) struct Scheduler<'a, O> {
    pub(crate) machine: Machine<'a, O>,
    pub(crate) run: &'a mut RunState,
    /// The number of instructions until the run is left.
    pub(crate) budget: u64,
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
    let queries = u64::from(program.queries) * lanes * ir::ray::QUERY_BYTES;
    let wave = registers + elements(&program.privates).saturating_mul(8 * lanes + 16) + queries;
    wave.saturating_mul(waves).saturating_add(elements(&program.groupshared).saturating_mul(9))
}

impl RunState {
    pub(crate) fn new(
        program: &Program,
        launch: &Launch,
        variation: Variation,
    ) -> Result<RunState, Failure> {
        let counts = launch.groups();
        let size = program.group_size;
        let width = launch.wave_width;
        let total = counts.iter().map(|it| u128::from(*it)).product::<u128>();
        let waves_in_group = size.iter().product::<u32>().div_ceil(width);
        let bytes = group_bytes(program, u64::from(waves_in_group), u64::from(width));
        if bytes > GROUP_BYTES {
            return Err(Failure::Trap(Trap::OutOfMemory { bytes }));
        }
        let slots = waves_in_group as usize * width as usize;
        let seed = if let Schedule::Random(seed) = launch.schedule { seed } else { 0 };
        Ok(RunState {
            launch: launch.clone(),
            variation,
            waves_in_group,
            deal: ir::deal_slots(size, launch.lane_order, slots),
            changes: 0,
            counts,
            // More groups than could ever finish.
            total: u64::try_from(total).unwrap_or(u64::MAX),
            started: 0,
            threads: size.iter().product(),
            fuel: launch.fuel.unwrap_or(u64::MAX),
            random: Random::new(seed),
            in_flight: Vec::new(),
            idle: Idle::default(),
            limit: match variation.progress {
                Progress::OccupancyBound => 1,
                Progress::Lockstep | Progress::Concurrent | Progress::Fair => {
                    program.footprint.most_started(width)
                }
            },
            current: 0,
            turning: None,
        })
    }

    /// The group and the position in it of the wave whose turn was interrupted.
    pub(crate) fn next(&self) -> Option<(&Group, usize)> {
        Some((&self.in_flight[self.current], self.turning?.wave))
    }

    /// Tells the launch how much fuel was spent.
    pub(crate) fn tell_spent(&self) {
        if let (Some(spent), Some(fuel)) = (&self.launch.spent, self.launch.fuel) {
            spent.store(fuel - self.fuel, Ordering::Relaxed);
        }
    }
}

impl<O: Observer> Scheduler<'_, O> {
    pub(crate) fn advance(&mut self) -> Result<Advance, Failure> {
        let random = matches!(self.run.launch.schedule, Schedule::Random(_));
        let hands_over = self.machine.hands_over;
        let mixed = random || hands_over;
        loop {
            let turning = match self.run.turning {
                Some(turning) => turning,
                None => {
                    if mixed {
                        while self.run.in_flight.len() < GROUPS_MIXED.min(self.run.limit)
                            && self.start()
                        {}
                    }
                    if self.run.in_flight.is_empty() && !self.start() {
                        return Ok(Advance::Done);
                    }
                    if random {
                        self.run.current = self.run.random.below(self.run.in_flight.len());
                    }
                    self.choose()
                }
            };
            let current = self.run.current;
            let outcome = match self.turn(turning).map_err(Failure::Trap)? {
                Ok(outcome) => outcome,
                Err(left) => return Ok(left),
            };
            match outcome {
                Outcome::Going if hands_over => {
                    self.run.current = (current + 1) % self.run.in_flight.len();
                }
                Outcome::Going => {}
                Outcome::Done => {
                    let group = self.run.in_flight.remove(current);
                    if O::EVENTS {
                        self.machine.observer.group_end(group.id);
                    }
                    count_one(&self.run.launch);
                    self.run.idle.0.push(group);
                    // The oldest group may have waited for this one.
                    self.run.current = 0;
                }
                Outcome::Stuck => {
                    let started = self.run.in_flight.len() < self.run.limit && self.start();
                    if let (false, Some(span)) = (started, self.endless()) {
                        return Err(Failure::Trap(Trap::Deadlock { span }));
                    }
                    self.run.current = if started {
                        self.run.in_flight.len() - 1
                    } else {
                        (current + 1) % self.run.in_flight.len()
                    };
                }
            }
        }
    }

    /// The location of an endless wave, if all waves that have started are endless or wait for endless ones.
    fn endless(&self) -> Option<Span> {
        let changes = self.machine.changes;
        let mut ready = self
            .run
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
        let run = &mut *self.run;
        if run.started == run.total {
            return false;
        }
        let number = match run.launch.schedule {
            Schedule::Descending => run.total - 1 - run.started,
            Schedule::Ascending | Schedule::RoundRobin | Schedule::Random(_) => run.started,
        };
        run.started += 1;
        let [x, y] = [u64::from(run.counts[0]), u64::from(run.counts[1])];
        let id = [number % x, number / x % y, number / x / y].map(|it| it as u32);

        let (program, width) = (self.machine.program, self.machine.width);
        let waves = self.machine.waves_in_group;
        let mut group = run.idle.0.pop().unwrap_or_else(|| Group {
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
            let lanes = LaneMask::first_n((run.threads - index * width).min(width));
            wave.reset(index, lanes);
            *status = Status::Ready;
            if O::NOTES {
                let at = self.machine.at(id, index, 0, lanes);
                self.machine.observer.wave_begin(at);
            }
        }
        run.in_flight.push(group);
        true
    }

    /// Begins the turn of a wave of the current group.
    fn choose(&mut self) -> Turning {
        let run = &mut *self.run;
        let group = &mut run.in_flight[run.current];
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
        let slice = match run.launch.schedule {
            Schedule::Ascending | Schedule::Descending if self.machine.hands_over => LONG_SLICE,
            Schedule::Ascending | Schedule::Descending => u64::MAX,
            Schedule::RoundRobin => SLICE,
            Schedule::Random(_) => {
                group.cursor = run.random.below(count);
                1 + run.random.below(4 * SLICE as usize) as u64
            }
        };
        let wave = loop {
            let at = if run.launch.schedule == Schedule::Descending {
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
        Turning { wave, slice, chunk: None }
    }

    /// Lets one wave of the current group run. `Err` if the run is left before the turn has ended.
    fn turn(&mut self, mut turning: Turning) -> Result<Result<Outcome, Advance>, Trap> {
        let run = &mut *self.run;
        run.turning = None;
        let group = &mut run.in_flight[run.current];
        let (wave, status) = &mut group.waves[turning.wave];
        let mut context = GroupContext { id: group.id, shared: &mut group.shared };
        let mut limits = Limits {
            fuel: &mut run.fuel,
            slice: turning.slice,
            budget: self.budget,
            chunk: turning.chunk,
        };
        let stop = run_wave(&mut self.machine, &run.launch, &mut limits, &mut context, wave)?;
        (turning.slice, turning.chunk) = (limits.slice, limits.chunk);
        self.budget = limits.budget;
        match stop {
            WaveStop::Left => {
                run.turning = Some(turning);
                return Ok(Err(Advance::Going));
            }
            WaveStop::Stop(Stop::Paused) => {
                run.turning = Some(turning);
                return Ok(Err(Advance::Paused));
            }
            WaveStop::Stop(Stop::Budget | Stop::HandsOver) => group.effort += 1,
            WaveStop::Stop(Stop::Spinning) => {
                group.effort += u64::from(ROUNDS);
                wave.note_spin(self.machine.changes);
                if run.variation.progress == Progress::Fair
                    && let Some(rest) = wave.split()
                {
                    group.waves.push((rest, Status::Ready));
                    group.ready += 1;
                    group.left += 1;
                    group.effort = 0;
                }
            }
            WaveStop::Stop(Stop::Barrier) => {
                *status = Status::Waiting;
                group.ready -= 1;
            }
            WaveStop::Stop(Stop::Done) => {
                *status = Status::Done;
                group.ready -= 1;
                group.left -= 1;
                group.effort = 0;
                count_one(&run.launch);
                if O::EVENTS {
                    let at = self.machine.at(group.id, wave.index, wave.pc(), LaneMask::EMPTY);
                    self.machine.observer.wave_end(at);
                }
            }
        }
        let (left, effort) = (group.left, group.effort);
        if left == 0 {
            return Ok(Ok(Outcome::Done));
        }
        if effort > SLICES * left as u64 {
            group.effort = 0;
            return Ok(Ok(Outcome::Stuck));
        }
        Ok(Ok(Outcome::Going))
    }
}

/// Counts a wave or a group that has ended.
pub(crate) fn count_one(launch: &Launch) {
    if let Some(progress) = &launch.progress {
        progress.fetch_add(1, Ordering::Relaxed);
    }
}

/// What bounds how far a wave runs.
pub(crate) struct Limits<'a> {
    pub(crate) fuel: &'a mut u64,
    /// The instructions left of its turn.
    pub(crate) slice: u64,
    /// The instructions until the run is left.
    pub(crate) budget: u64,
    /// What has begun when the run was left.
    pub(crate) chunk: Option<Chunk>,
}

/// Why a wave does not run on.
pub(crate) enum WaveStop {
    Stop(Stop),
    /// The budget of the caller is spent; the turn goes on later.
    Left,
}

/// Runs one wave until it stops, its slice is used up, or the run is left.
pub(crate) fn run_wave<O: Observer>(
    machine: &mut Machine<'_, O>,
    launch: &Launch,
    limits: &mut Limits<'_>,
    group: &mut GroupContext<'_>,
    wave: &mut WaveState,
) -> Result<WaveStop, Trap> {
    loop {
        let span = |wave: &WaveState| machine.program.span(wave.pc());
        if launch.cancel.as_ref().is_some_and(|it| it.load(Ordering::Relaxed)) {
            return Err(Trap::Cancelled { span: span(wave) });
        }
        let chunk = match &mut limits.chunk {
            Some(chunk) => chunk,
            None if *limits.fuel == 0 => return Err(Trap::OutOfFuel { span: span(wave) }),
            none => {
                let granted = limits.slice.min(*limits.fuel).min(CHECK);
                none.insert(Chunk { granted, left: granted, effort: 0 })
            }
        };
        if limits.budget == 0 {
            return Ok(WaveStop::Left);
        }
        let part = chunk.left.min(limits.budget);
        let mut turn = Turn { instructions: part, effort: chunk.effort };
        let stop = machine.run(group, wave, &mut turn);
        let used = part - turn.instructions;
        limits.budget -= used;
        (chunk.left, chunk.effort) = (chunk.left - used, turn.effort);
        if stop == Stop::Paused {
            return Ok(WaveStop::Stop(stop));
        }
        let is_left = turn.instructions == 0 && chunk.left > 0 && chunk.effort <= MOST_EFFORT;
        if stop == Stop::Budget && is_left {
            continue;
        }
        let spent = chunk.granted - chunk.left;
        *limits.fuel = limits.fuel.saturating_sub(spent + chunk.effort);
        limits.slice -= spent;
        limits.chunk = None;
        if stop != Stop::Budget || limits.slice == 0 {
            return Ok(WaveStop::Stop(stop));
        }
    }
}
