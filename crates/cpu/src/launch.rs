//! The scheduler of launches: which waves run when, and on which thread.
//!
//! Without group barriers a frame runs consecutive waves by itself, many groups at a time, and so does one whose code
//! runs all waves of a group together: to the scheduler, such a group is one wave. With other barriers each wave of a
//! group has a frame, and continues when all others have arrived. By the rules of [`ir::turns`] a wave that loops for
//! long yields to other waves, and a group that does so lets the next one start, so that a lock between waves or a wait
//! for an earlier group ends: the later waves of such a wave's frame get separate frames. If no turn makes progress,
//! the launch is deadlocked. A thread whose groups wait for those of other threads gives them to the thread that runs
//! last, which then runs all turns.
//!
//! With one thread, groups run in ascending order, and so do the waves of a group between barriers. With several, a
//! program that is split at its reservation (`split`) gets the results of that order: a thread counts a batch of waves,
//! gets the sum of all earlier waves from the chain, and then runs the batch.

mod ordered;

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ir::exec::{Bindings, Failure, LaneOrder, Launch, Schedule, Trap, Work};
use ir::turns::{PATIENCE, ROUNDS};
use ir::{Binding, Module, Span};

use crate::call::{self, Common};
use crate::endless::{Digest, Past};
use crate::fault::Fault;
use crate::frame::Block;
use crate::layout::{BARRIER, DONE, Fuel, Header, SPINNING, Slice};
use crate::meter::Meter;
use crate::pool::Team;
use crate::views::{View, Views};
use crate::{Compiled, Fallback, Stopped};
use ordered::{Order, Ordered};

/// After this many rounds in which no wave has ended, a thread gives its groups away if other threads run.
const MOST_WAITS: u32 = 256;
/// A group whose frames take more than this many bytes is not run. Local arrays alone never do: see [`Footprint`].
///
/// [`Footprint`]: ir::exec::Footprint
pub(crate) const GROUP_BYTES: u64 = 1 << 31;
/// Larger buffers get no private copies: they would not stay in the first-level cache.
const MOST_COPIED: u64 = 32 << 10;
/// Offsets into larger buffers do not fit into the 32-bit lanes of a gather.
const MOST_BYTES: u64 = (1 << 31) - (1 << 16);

/// Consecutive waves, by their number in the launch.
#[derive(Clone, Copy, Debug)]
struct Range {
    first: u64,
    count: u64,
}

/// The state that all threads share.
struct Shared<'a> {
    compiled: &'a Compiled,
    common: Common<'a>,
    launch: &'a Launch,
    counts: [u32; 3],
    waves_in_group: u32,
    /// Whether each wave of a group has a separate frame, because it may have to wait for others of its group.
    apart: bool,
    /// Where waves get their numbers, if the program is split.
    ordered: Option<&'a Ordered<'a>>,
    /// For the code that counts.
    counting: Option<Common<'a>>,
    threads: Vec<u32>,
    /// The buffers of which each party has a private copy for additions.
    copied: Vec<Binding>,
    /// The first wave that no thread has taken.
    next: AtomicU64,
    total: u64,
    /// The number of threads.
    team: usize,
    /// The size of a chain's batches.
    batch: u64,
    stopped: AtomicBool,
    trap: Mutex<Option<Trap>>,
    /// The number of parties that have ended.
    finished: AtomicU64,
    hub: Mutex<Hub>,
}

/// The parties that threads leave to the last running thread.
struct Hub {
    running: usize,
    parties: Vec<Party>,
    pending: VecDeque<Range>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Ready,
    Waiting,
    Done,
}

/// Waves that one frame runs in sequence.
struct Strand {
    range: Range,
    /// The frame, from the first turn to the last.
    frame: Option<Block>,
    status: Status,
    /// The remaining iterations of the turn, and how many of them the frame was given.
    rounds: u32,
    granted: u32,
    /// The allowance of its ended waves.
    ask: i32,
    /// The fuel that it has spent but not paid yet.
    unpaid: u64,
    /// The number of remaining waves when its frame last returned.
    remaining: u64,
}

impl Strand {
    fn new(range: Range) -> Strand {
        Strand {
            range,
            frame: None,
            status: Status::Ready,
            rounds: ROUNDS,
            granted: 0,
            ask: 0,
            unpaid: 0,
            remaining: range.count,
        }
    }
}

/// A group, or consecutive groups whose waves are independent.
struct Party {
    strands: Vec<Strand>,
    shared: Block,
    /// Its private copies of buffers, not yet added to the buffers.
    copies: Vec<Block>,
    /// The slots of its waves: see [`crate::split`].
    slots: Vec<u64>,
    waves: u64,
    groups: u64,
    cursor: usize,
    ready: usize,
    left: usize,
    /// The turns spent on looping since a wave ended or a barrier opened.
    effort: u32,
}

/// Why this engine cannot run the launch, if it cannot.
pub(crate) fn refuses(module: &Module, launch: &Launch, bindings: &Bindings) -> Option<Fallback> {
    if launch.schedule != Schedule::Ascending {
        return Some(Fallback::new("an order of waves other than the canonical one"));
    }
    // The uniformity analysis that code relies on supports squares, in groups that have them, and no other order.
    let size = module.group_size;
    let has_squares = size[0].is_multiple_of(2) && size[1].is_multiple_of(2);
    let is_known = matches!(launch.lane_order, LaneOrder::Linear | LaneOrder::Quad2d);
    if !has_squares
        && !is_known
        && ir::deal(size, launch.lane_order) != ir::deal(size, LaneOrder::Linear)
    {
        return Some(Fallback::new("a group without squares whose lanes are not in linear order"));
    }
    let mut buffers = bindings.bindings.iter().flatten();
    buffers
        .any(|it| it.bytes.len() as u64 > MOST_BYTES)
        .then(|| Fallback::new("a buffer of 2 GiB or more"))
}

pub(crate) fn run(
    compiled: &Compiled,
    launch: &Launch,
    bindings: &mut Bindings,
    threads: usize,
) -> Result<(), Stopped> {
    let module: &Module = &compiled.module;
    if module.io.is_some() || matches!(launch.work, Work::Waves) {
        return Err(ir::exec::mismatch().into());
    }
    let check = launch.check(module.group_size, module.wave_size, module.needs.wave_masks);
    check.map_err(Failure::Unsupported)?;
    compiled.footprint.check(compiled.mode.width).map_err(Failure::TooLarge)?;
    if let Some(what) = refuses(module, launch, bindings) {
        return Err(what.into());
    }
    let counts = launch.groups();
    let waves_in_group = module.threads_per_group().div_ceil(compiled.unit());
    let apart = !compiled.is_whole && (compiled.has_barriers || compiled.layout.shared_bytes > 0);
    let bytes = (compiled.frame as u64) * if apart { u64::from(waves_in_group) } else { 1 }
        + compiled.layout.shared_bytes as u64;
    if bytes > GROUP_BYTES {
        return Err(Failure::Trap(Trap::OutOfMemory { bytes }).into());
    }
    let total = counts.iter().map(|it| u128::from(*it)).product::<u128>();
    let total = u64::try_from(total * u128::from(waves_in_group)).unwrap_or(u64::MAX);
    let views = Views::new(bindings);
    let meter = Meter::new(launch.fuel, launch.cancel.clone());
    let all =
        Dispatch { launch, views: &views, meter: &meter, counts, waves_in_group, apart, total };
    let ended = match ordered::order(compiled, &all, threads) {
        Order::Any => run_waves(compiled, &all, 0, threads, None),
        Order::OneThread => run_waves(compiled, &all, 0, 1, None),
        Order::Split(split, view) => ordered::run_split(compiled, split, view, &all, threads),
    };
    if let (Some(spent), Some(fuel)) = (&launch.spent, launch.fuel) {
        spent.store(fuel - meter.fuel.load(Relaxed), Relaxed);
    }
    ended.map_err(|trap| Failure::Trap(trap).into())
}

/// A launch, as far as it is the same for all code that runs its waves.
struct Dispatch<'a> {
    launch: &'a Launch,
    views: &'a Views<'a>,
    meter: &'a Meter,
    counts: [u32; 3],
    waves_in_group: u32,
    apart: bool,
    total: u64,
}

impl<'a> Dispatch<'a> {
    fn common(&self, compiled: &'a Compiled, meter: &'a Meter) -> Common<'a> {
        Common {
            module: &compiled.module,
            layout: &compiled.layout,
            sites: &compiled.sites,
            views: self.views,
            width: compiled.width,
            fault: Fault::default(),
            asked: compiled.mode.width,
            meter,
            prints: self.launch.prints.as_deref(),
            feed: None,
        }
    }
}

/// Runs the waves from the first one on.
fn run_waves(
    compiled: &Compiled,
    all: &Dispatch<'_>,
    first: u64,
    threads: usize,
    ordered: Option<&Ordered<'_>>,
) -> Result<(), Trap> {
    let module: &Module = &compiled.module;
    let Dispatch { launch, counts, waves_in_group, apart, total, .. } = *all;
    let slots = (waves_in_group * compiled.unit()) as usize + compiled.layout.lanes;
    let dealt = ir::deal_slots(module.group_size, launch.lane_order, slots);
    let threads_table = (0..4).flat_map(|axis| dealt.iter().map(move |it| it[axis])).collect();
    let mut copied = compiled.copied.clone();
    copied.retain(|it| first_view(all.views, *it).is_some_and(|view| view.len <= MOST_COPIED));
    let threads = match ordered {
        Some(_) => threads,
        None => compiled.batch.threads(total - first, threads),
    };
    let team = Team::of(threads);
    let threads = team.size();
    let shared = Shared {
        compiled,
        common: all.common(compiled, all.meter),
        launch,
        counts,
        waves_in_group,
        apart,
        ordered,
        counting: ordered.map(|it| all.common(&it.split.count, &it.meter)),
        threads: threads_table,
        copied,
        next: AtomicU64::new(first),
        total,
        team: threads,
        batch: ordered.map_or(0, |it| {
            let batch = compiled.batch.next(total, 2 * threads).min(it.split.batch);
            batch.next_multiple_of(u64::from(waves_in_group))
        }),
        stopped: AtomicBool::new(false),
        trap: Mutex::new(None),
        finished: AtomicU64::new(0),
        hub: Mutex::new(Hub { running: threads, parties: Vec::new(), pending: VecDeque::new() }),
    };
    let limit = compiled.footprint.most_started(compiled.mode.width);
    team.run(|| Worker { shared: &shared, limit, ..Worker::new(&shared) }.run());
    shared.common.fault.resume();
    shared.counting.iter().for_each(|it| it.fault.resume());
    let trap = shared.trap.lock().ok().and_then(|mut it| it.take());
    trap.map_or(Ok(()), Err)
}

// SAFETY: the table of threads and the views are shared by address; the former is never written, and the latter
// document their own synchronisation. A dispatch has no feed.
unsafe impl Sync for Shared<'_> {}

/// The memory of a party that its frames point to.
struct Memory {
    shared: *mut u8,
    /// One for each buffer that is copied.
    copies: Vec<*mut u8>,
    slots: *mut u8,
}

impl Shared<'_> {
    /// Prepares a frame for a number of waves.
    fn fill(
        &self,
        frame: &mut Block,
        compiled: &Compiled,
        common: &Common<'_>,
        range: Range,
        memory: &Memory,
    ) {
        let waves = u64::from(self.waves_in_group);
        let group = range.first / waves;
        let [x, y] = [u64::from(self.counts[0]), u64::from(self.counts[1])];
        let start = frame.start();
        let header = Header {
            group: [group % x, group / x % y, group / x / y].map(|it| it as u32),
            wave: (range.first % waves) as u32,
            remaining: range.count,
            counts: self.counts,
            waves_in_group: module_waves(compiled),
            threads: self.threads.as_ptr(),
            shared: memory.shared,
            queries: frame.queries(),
            ..header(compiled, common)
        };
        // SAFETY: a frame begins with a header, and is larger than it.
        unsafe { start.cast::<Header>().write(header) };
        for binding in 0..common.module.resources.len() {
            let mut slice = slice(common, binding);
            let mut copied = self.copied.iter().zip(&memory.copies);
            if let Some((_, copy)) = copied.find(|(it, _)| it.index() == binding) {
                (slice.start, slice.own) = (*copy, 1);
            }
            if self.ordered.is_some_and(|it| it.split.slots.index() == binding) {
                slice.start = memory.slots;
            }
            // SAFETY: the frame's layout has room for the slice of every binding.
            unsafe { start.add(compiled.layout.slice(binding)).cast::<Slice>().write(slice) };
        }
    }
}

/// One thread's part of a launch.
struct Worker<'a> {
    shared: &'a Shared<'a>,
    started: Vec<Party>,
    /// Waves that were taken and returned.
    pending: VecDeque<Range>,
    idle: Vec<Party>,
    /// Free frames.
    spare: Vec<Block>,
    /// The frame of waves that are counted.
    counting: Option<Block>,
    /// The slots of batches that it counts for other threads.
    others: Vec<u64>,
    limit: usize,
    /// The number of rounds without progress, and how many parties had ended then.
    waits: u32,
    seen: u64,
    past: Past,
}

impl<'a> Worker<'a> {
    fn new(shared: &'a Shared<'a>) -> Worker<'a> {
        Worker {
            shared,
            started: Vec::new(),
            pending: VecDeque::new(),
            idle: Vec::new(),
            spare: Vec::new(),
            counting: None,
            others: Vec::new(),
            limit: 1,
            waits: 0,
            seen: 0,
            past: Past::default(),
        }
    }

    fn run(mut self) {
        self.work();
        // Parties that were given away keep their copies.
        self.idle.iter().chain(&self.started).for_each(|it| self.add_up(it));
    }

    fn copy_of(&self, binding: Binding) -> Block {
        let len = first_view(self.shared.common.views, binding).map_or(0, |it| it.len);
        Block::new(len as usize)
    }

    /// Adds a party's private copies to the buffers.
    fn add_up(&self, party: &Party) {
        for (binding, copy) in self.shared.copied.iter().zip(&party.copies) {
            let Some(view) = first_view(self.shared.common.views, *binding) else { continue };
            let words = copy.words(0).flat_map(|it| [it as u32, (it >> 32) as u32]);
            // Only whole words in bounds have been changed.
            for (at, added) in (0..view.len / 4).zip(words).filter(|it| it.1 != 0) {
                let sum = |old: u64| u64::from((old as u32).wrapping_add(added));
                view.update(4 * at, 4, sum);
            }
        }
    }

    fn work(&mut self) {
        let mut current = 0;
        while !self.shared.stopped.load(Relaxed) {
            if self.started.is_empty() && !self.start() && !self.take_over() {
                return;
            }
            current = current.min(self.started.len() - 1);
            match self.turn(current) {
                Err(trap) => return self.stop(trap),
                Ok(Outcome::Fault) => return self.shared.stopped.store(true, Relaxed),
                Ok(Outcome::Going) => {}
                Ok(Outcome::Done) => {
                    let party = self.started.remove(current);
                    if let Some(progress) = &self.shared.launch.progress {
                        progress.fetch_add(self.asked(party.waves) + party.groups, Relaxed);
                    }
                    self.shared.finished.fetch_add(1, Relaxed);
                    self.idle.push(party);
                    self.past = Past::default();
                    // The oldest party may have waited for this one.
                    current = 0;
                }
                Ok(Outcome::Stuck) => {
                    if self.started.len() < self.limit && self.start() {
                        current = self.started.len() - 1;
                        self.past = Past::default();
                        continue;
                    }
                    current = (current + 1) % self.started.len();
                    if current > 0 {
                        continue;
                    }
                    if !self.is_alone() {
                        if self.waited_long() && self.hand_over() {
                            return;
                        }
                    } else if let Some(span) = self.endless() {
                        return self.stop(Trap::Deadlock { span });
                    }
                }
            }
        }
    }

    /// The number of waves of the requested width that correspond to a number of running waves.
    fn asked(&self, waves: u64) -> u64 {
        let compiled = self.shared.compiled;
        waves.saturating_mul(compiled.unit().into()).div_ceil(compiled.mode.width.into())
    }

    fn hub(&self) -> MutexGuard<'a, Hub> {
        self.shared.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no other thread runs; then the parties that others have left are run here.
    fn is_alone(&mut self) -> bool {
        let mut hub = self.hub();
        if hub.running > 1 {
            return false;
        }
        if !hub.parties.is_empty() || !hub.pending.is_empty() {
            self.started.append(&mut hub.parties);
            self.pending.append(&mut hub.pending);
            self.past = Past::default();
        }
        true
    }

    /// Ends a thread when there is nothing left to start: the last one takes what the others have left.
    fn take_over(&mut self) -> bool {
        let mut hub = self.hub();
        hub.running -= 1;
        if hub.running > 0 || hub.parties.is_empty() && hub.pending.is_empty() {
            return false;
        }
        hub.running = 1;
        drop(hub);
        self.is_alone();
        !self.started.is_empty() || self.start()
    }

    /// Leaves all started parties to other threads, unless these have all ended meanwhile.
    fn hand_over(&mut self) -> bool {
        let mut hub = self.hub();
        if hub.running == 1 {
            return false;
        }
        hub.running -= 1;
        hub.parties.append(&mut self.started);
        hub.pending.append(&mut self.pending);
        true
    }

    fn waited_long(&mut self) -> bool {
        let finished = self.shared.finished.load(Relaxed);
        if finished != self.seen {
            (self.seen, self.waits) = (finished, 0);
        }
        self.waits += 1;
        self.waits > MOST_WAITS
    }

    /// The loop of a deadlock, if all started waves loop forever or wait for such waves.
    fn endless(&mut self) -> Option<Span> {
        let mut digest = Digest::new();
        let mut memory = Digest::new();
        let mut waits_at = None;
        for party in &mut self.started {
            digest.word(party.cursor as u64);
            memory.words(party.shared.words(0));
            for strand in &mut party.strands {
                digest.word(strand.status as u64);
                // A wave that has ended has no frame, and one that has not started has done nothing.
                let Some(frame) = &mut strand.frame else { continue };
                let start: *const Header = frame.start().cast();
                // SAFETY: a frame begins with a header, and no code runs in it now.
                let header = unsafe { &*start };
                digest.header(header);
                digest.words(frame.words(size_of::<Header>()));
                digest.word(frame.state_of_queries());
                if strand.status == Status::Ready {
                    waits_at.get_or_insert(header.back);
                }
            }
        }
        let shared = self.shared;
        let memory = || {
            let mut memory = memory;
            memory.memory(shared.common.views);
            memory.finish()
        };
        let back = waits_at?;
        self.past.comes_back(digest.finish(), memory).then(|| shared.compiled.stop_at(back))
    }

    fn stop(&self, trap: Trap) {
        if let Ok(mut place) = self.shared.trap.lock() {
            place.get_or_insert(trap);
        }
        self.shared.stopped.store(true, Relaxed);
    }

    /// The waves to run next.
    fn take(&mut self) -> Option<Range> {
        let shared = self.shared;
        let waves = u64::from(shared.waves_in_group);
        let count = match shared.ordered {
            // The batches of a chain have one size, so that each thread knows those of the others.
            Some(_) => shared.batch,
            // A group with groupshared memory runs alone, and so does one that others wait for.
            None if shared.apart || !self.started.is_empty() => waves,
            None => {
                let left = shared.total.saturating_sub(shared.next.load(Relaxed));
                shared.compiled.batch.next(left, shared.team).next_multiple_of(waves)
            }
        };
        if let Some(Range { first, count: all }) = self.pending.pop_front() {
            let count = count.min(all);
            if count < all {
                self.pending.push_front(Range { first: first + count, count: all - count });
            }
            return Some(Range { first, count });
        }
        let first = shared.next.fetch_add(count, Relaxed);
        (first < shared.total).then(|| Range { first, count: count.min(shared.total - first) })
    }

    fn start(&mut self) -> bool {
        let Some(range) = self.take() else { return false };
        let shared = self.shared;
        let compiled = shared.compiled;
        let waves = u64::from(shared.waves_in_group);
        let mut party = self.idle.pop().unwrap_or_else(|| Party {
            strands: Vec::new(),
            shared: Block::new(compiled.layout.shared_bytes),
            copies: shared.copied.iter().map(|it| self.copy_of(*it)).collect(),
            slots: Vec::new(),
            waves: 0,
            groups: 0,
            cursor: 0,
            ready: 0,
            left: 0,
            effort: 0,
        });
        if let Some(ordered) = shared.ordered
            && !self.reserve(ordered, range, &mut party.slots)
        {
            self.idle.push(party);
            return false;
        }
        if compiled.layout.shared_bytes > 0 {
            party.shared.clear();
        }
        party.strands.clear();
        // If waves may wait for others of their group, each has a separate frame.
        let each = if shared.apart { 1 } else { range.count };
        let firsts = (range.first..range.first + range.count).step_by(each as usize);
        party.strands.extend(firsts.map(|first| Strand::new(Range { first, count: each })));
        (party.waves, party.groups) =
            (range.count, (range.first + range.count) / waves - range.first / waves);
        (party.cursor, party.effort) = (0, 0);
        (party.ready, party.left) = (party.strands.len(), party.strands.len());
        self.started.push(party);
        true
    }

    /// Gives a strand a frame, prepared for its first wave.
    fn prepare(&mut self, current: usize, at: usize) {
        let shared = self.shared;
        let spare = self.spare.pop();
        let mut frame = spare.unwrap_or_else(|| shared.compiled.new_frame());
        let party = &mut self.started[current];
        let mut copies: Vec<*mut u8> = Vec::new();
        copies.extend(party.copies.iter_mut().map(Block::start));
        let memory =
            Memory { shared: party.shared.start(), copies, slots: party.slots.as_mut_ptr().cast() };
        let range = party.strands[at].range;
        shared.fill(&mut frame, shared.compiled, &shared.common, range, &memory);
        let strand = &mut self.started[current].strands[at];
        strand.frame = Some(frame);
        self.grant(current, at);
    }

    /// Gives the frame of a strand the rest of the turn, or less if less fuel is left.
    fn grant(&mut self, current: usize, at: usize) {
        let shared = self.shared;
        let strand = &mut self.started[current].strands[at];
        let Some(frame) = &mut strand.frame else { unreachable!("a strand that runs has a frame") };
        // SAFETY: a frame begins with a header, and no code runs in it now.
        let header = unsafe { &mut *frame.start().cast::<Header>() };
        (strand.granted, strand.ask) =
            shared.common.meter.grant(header, strand.rounds, shared.compiled.most_cost);
    }

    /// Runs one strand of a party.
    fn turn(&mut self, current: usize) -> Result<Outcome, Trap> {
        let shared = self.shared;
        let party = &mut self.started[current];
        if party.ready == 0 {
            // Waves that have ended count as arrived.
            for strand in party.strands.iter_mut().filter(|it| it.status == Status::Waiting) {
                strand.status = Status::Ready;
            }
            party.ready = party.left;
            (party.cursor, party.effort) = (0, 0);
        }
        let count = party.strands.len();
        while party.strands[party.cursor].status != Status::Ready {
            party.cursor = (party.cursor + 1) % count;
        }
        let at = party.cursor;
        party.cursor = (at + 1) % count;
        if party.strands[at].frame.is_none() {
            self.prepare(current, at);
        }
        let party = &mut self.started[current];
        let strand = &mut party.strands[at];
        let Some(block) = &mut strand.frame else { unreachable!("a strand that runs has a frame") };
        let frame: *mut Header = block.start().cast();
        // SAFETY: the frame was prepared for this code, and what it points to lives as long as the launch.
        let status = unsafe { shared.compiled.code.enter(frame) };
        // SAFETY: the code has returned: nothing else uses the frame.
        let header = unsafe { &mut *frame };
        if shared.common.fault.is_set() {
            return Ok(Outcome::Fault);
        }
        let fuel = Fuel(header.fuel);
        strand.unpaid += fuel.spent() + (i64::from(strand.ask) - i64::from(header.ask)) as u64;
        strand.unpaid += u64::from(header.texels.take());
        if header.remaining != strand.remaining {
            // Another wave has begun, and with it a new turn.
            (strand.remaining, strand.rounds) = (header.remaining, ROUNDS);
        }
        match status {
            DONE => {
                strand.status = Status::Done;
                let (unpaid, waves) = (strand.unpaid, strand.range.count);
                self.spare.extend(strand.frame.take());
                party.ready -= 1;
                party.left -= 1;
                party.effort = 0;
                // Code outside loops is paid for at the end.
                let body = shared.compiled.wave_cost.saturating_mul(self.asked(waves));
                self.spend(unpaid.saturating_add(body), shared.compiled.end())?;
            }
            BARRIER => {
                (strand.status, strand.rounds) = (Status::Waiting, ROUNDS);
                party.ready -= 1;
                // After a barrier a turn starts again with all its iterations: a loop with a barrier in it is paid for
                // here.
                let unpaid = std::mem::take(&mut strand.unpaid);
                self.spend(unpaid, shared.compiled.stop_at(header.resume))?;
                self.grant(current, at);
            }
            SPINNING => {
                if fuel.is_empty() {
                    strand.rounds -= strand.granted;
                }
                if strand.rounds == 0 && shared.compiled.is_whole {
                    // Every round has passed a barrier.
                    strand.rounds = ROUNDS;
                    party.cursor = at;
                } else if strand.rounds == 0 {
                    strand.rounds = ROUNDS;
                    party.effort += 1;
                    // The waves of a split program do not wait for others, and share the slots of their party.
                    if !shared.apart && shared.ordered.is_none() && header.remaining > 1 {
                        let rest = self.part(current, header);
                        rest.into_iter().for_each(|it| self.pending.push_front(it));
                    }
                } else {
                    // Its turn is not over.
                    party.cursor = at;
                }
                let strand = &mut self.started[current].strands[at];
                let unpaid = std::mem::take(&mut strand.unpaid).max(1);
                self.spend(unpaid, shared.compiled.stop_at(header.back))?;
                self.grant(current, at);
            }
            other => unreachable!("the code returned the unknown status {other}"),
        }
        let party = &mut self.started[current];
        if party.left == 0 {
            return Ok(Outcome::Done);
        }
        if party.effort > PATIENCE * party.left as u32 {
            party.effort = 0;
            return Ok(Outcome::Stuck);
        }
        Ok(Outcome::Going)
    }

    /// Gives each later wave of the group a separate strand, after a wave that loops. The waves of later groups are
    /// started later.
    fn part(&mut self, current: usize, header: &mut Header) -> Option<Range> {
        let first = self.first_behind(header);
        let all = header.remaining - 1;
        let waves = u64::from(self.shared.waves_in_group);
        let own = (first.next_multiple_of(waves) - first).min(all);
        let party = &mut self.started[current];
        let [strand] = &mut party.strands[..] else {
            unreachable!("a frame for several waves is the only one of its party")
        };
        header.remaining = 1;
        (strand.remaining, strand.range.count) = (1, first - strand.range.first);
        let start = strand.range.first;
        party.strands.extend((0..own).map(|it| Strand::new(Range { first: first + it, count: 1 })));
        party.ready += own as usize;
        party.left += own as usize;
        party.cursor = 1 % party.strands.len();
        let end = first + own;
        (party.waves, party.groups) = (end - start, end / waves - start / waves);
        (own < all).then_some(Range { first: end, count: all - own })
    }

    /// The number of the wave after the one that runs in a frame.
    fn first_behind(&self, header: &Header) -> u64 {
        let [x, y, z] = header.group.map(u64::from);
        let [across, down] = [u64::from(self.shared.counts[0]), u64::from(self.shared.counts[1])];
        let group = x + across * (y + down * z);
        group * u64::from(self.shared.waves_in_group) + u64::from(header.wave) + 1
    }

    fn spend(&self, spent: u64, span: Span) -> Result<(), Trap> {
        self.shared.common.meter.spend(spent, span)
    }
}

/// How a turn of a party ended.
enum Outcome {
    Going,
    /// Its waves only loop.
    Stuck,
    Done,
    /// The runtime has panicked.
    Fault,
}

/// The waves of a group, as programs count them.
fn module_waves(compiled: &Compiled) -> u32 {
    compiled.module.threads_per_group().div_ceil(compiled.width)
}

impl Compiled {
    /// The lanes that a frame runs at a time: those of a wave, or of a whole group.
    fn unit(&self) -> u32 {
        if self.is_whole { self.module.threads_per_group() } else { self.width }
    }

    /// Where a wave ends.
    pub(crate) fn end(&self) -> Span {
        let last = self.module.region(self.module.body).insts.last();
        last.map_or(Span::NONE, |it| self.module.inst(*it).span)
    }

    /// The loop or barrier for a resume address of a wave that has returned, or where it has ended.
    pub(crate) fn stop_at(&self, back: u64) -> Span {
        let offset = (back - self.code.address(0)) as usize;
        match self.stops.binary_search_by_key(&offset, |(at, _)| *at) {
            Ok(found) => self.module.inst(self.stops[found].1).span,
            Err(_) => unreachable!("waves return only at addresses that the encoder has recorded"),
        }
    }
}

fn first_view<'a>(views: &'a Views<'_>, binding: Binding) -> Option<&'a View> {
    let view = views.bindings.get(binding.index())?.first();
    view.filter(|it| it.what.is_buffer())
}

/// The header of a frame that is about to run its first wave.
pub(crate) fn header(compiled: &Compiled, common: &Common<'_>) -> Header {
    Header {
        resume: compiled.code.address(compiled.code.start),
        back: 0,
        group: [0; 3],
        wave: 0,
        remaining: 1,
        counts: [1; 3],
        waves_in_group: 1,
        fuel: 0,
        grant: 0,
        ask: 0,
        first_lane: 0,
        threads: std::ptr::null(),
        shared: std::ptr::null_mut(),
        call: call::enter,
        launch: (&raw const *common).cast(),
        queries: std::ptr::null_mut(),
        active: [0; 2],
        nowhere: [0; 2],
        calls: Cell::new(0),
        texels: Cell::new(0),
    }
}

/// The view of a resource for generated code.
pub(crate) fn slice(common: &Common<'_>, binding: usize) -> Slice {
    use ir::ResourceKind::*;
    let kind = &common.module.resources[binding].kind;
    let storage = common.module.storage(Binding(binding as u32));
    let Some(view) = first_view(common.views, storage) else {
        let start = std::ptr::null_mut();
        return Slice { start, len: 0, count: 0, own: 0, unused: [0; 2] };
    };
    let count = match kind {
        Structured { stride, .. } => view.len.checked_div(u64::from(*stride)).unwrap_or(0),
        // The number of positions at which a word is in bounds.
        Raw { .. } | Constant { .. } => view.len.saturating_sub(3),
        Typed { .. } | Texture { .. } | Sampler { .. } | Scene | Feedback { .. } => 0,
    };
    Slice { start: view.start(), len: view.len, count: count as u32, own: 0, unused: [0; 2] }
}
