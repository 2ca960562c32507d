//! The record of one group in a run, thread by thread: values, decisions, the threads that met in wave operations,
//! and the writer of each place. An execution trace, for `chain` to walk backwards.
//!
//! Threads are named by their index in the group and groups are matched by the caller, so that runs can be compared
//! in which the same work is done by other lanes, waves or groups.
//! Only values on which the difference may depend are kept; memory is followed within the group and in buffers.

use interp::Observer;
use interp::observe::{AccessEvent, At, Space, WaveEvent};
use ir::{Binding, Inst, Module, Value};

use crate::facts;
use crate::hash::{HashMap, HashSet};
use crate::marked::{Mark, Marked};

/// The number of values and accesses remembered of a run; a longer run is not explained in this way.
const MOST: usize = 1 << 22;

/// A scalar in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cell {
    /// The array, the index, the thread.
    Private(u32, u64, u32),
    Shared(u32, u64),
    /// The binding, the element of the resource array, the byte.
    Buffer(Binding, u32, u64),
    Counter(Binding),
}

/// The moment of an event in a run.
pub(crate) type Time = u32;

/// A value of a thread at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) time: Time,
    pub(crate) bits: u64,
    /// The instruction by which it was moved here, for a value that a join defines.
    pub(crate) way: Option<Inst>,
}

/// A store or an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    pub(crate) time: Time,
    pub(crate) inst: Inst,
    pub(crate) group: [u32; 3],
    pub(crate) thread: u32,
    /// How often the thread had executed the instruction before; in other groups, how often it had stored by it.
    pub(crate) number: u32,
    pub(crate) is_atomic: bool,
}

impl Write {
    /// Whether the same thread has written by the same instruction.
    pub(crate) fn is_by_thread_of(&self, other: &Write) -> bool {
        (self.inst, self.thread) == (other.inst, other.thread)
    }
}

/// The threads that met in an execution of a wave operation, by the time of its first result.
#[derive(Clone, Debug)]
pub(crate) struct Meeting {
    pub(crate) time: Time,
    pub(crate) threads: Vec<u32>,
}

pub(crate) struct Record<'a> {
    marked: &'a Marked,
    slice: &'a HashSet<Inst>,
    module: &'a Module,
    group: [u32; 3],
    width: u32,
    threads: Vec<u32>,
    now: Time,
    count: usize,
    values: HashMap<(Value, u32), Vec<Moment>>,
    writes: HashMap<Cell, Vec<Write>>,
    /// Where each execution of a load was from.
    reads: HashMap<(Inst, u32), Vec<(Time, Cell)>>,
    /// The times at which a thread executed a store.
    executed: HashMap<(Inst, u32), Vec<Time>>,
    /// How often threads of other groups have stored by an instruction.
    elsewhere: HashMap<(Inst, [u32; 3], u32), u32>,
    meetings: HashMap<(Inst, u32), Vec<Time>>,
    met: HashMap<(Inst, Time), Vec<u32>>,
}

impl<'a> Record<'a> {
    pub(crate) fn new(
        module: &'a Module,
        marked: &'a Marked,
        slice: &'a HashSet<Inst>,
        launch: &ir::exec::Launch,
        group: [u32; 3],
    ) -> Record<'a> {
        let threads = ir::deal(module.group_size, launch.lane_order);
        Record {
            marked,
            slice,
            module,
            group,
            width: launch.wave_width,
            threads: threads.iter().map(|it| it[3]).collect(),
            now: 0,
            count: 0,
            values: HashMap::default(),
            writes: HashMap::default(),
            reads: HashMap::default(),
            executed: HashMap::default(),
            elsewhere: HashMap::default(),
            meetings: HashMap::default(),
            met: HashMap::default(),
        }
    }

    /// The group of which values are remembered.
    pub(crate) fn group(&self) -> [u32; 3] {
        self.group
    }

    /// Whether everything was remembered.
    pub(crate) fn is_whole(&self) -> bool {
        self.count < MOST
    }

    /// All values of an instruction for a thread.
    pub(crate) fn values(&self, value: Value, thread: u32) -> &[Moment] {
        self.values.get(&(value, thread)).map_or(&[], Vec::as_slice)
    }

    /// All values that instructions computed on which the result may depend, by thread, in a fixed order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Value, u32, &[Moment])> {
        let is_wanted = |it: &(Value, u32)| {
            self.module.made_by(it.0).is_some_and(|inst| {
                self.slice.contains(&inst) && !self.module.inst(inst).op.is_construct()
            })
        };
        let mut keys: Vec<(Value, u32)> = self.values.keys().copied().filter(is_wanted).collect();
        keys.sort_unstable();
        keys.into_iter().map(|it| (it.0, it.1, self.values(it.0, it.1)))
    }

    /// What a value was for each thread that computed it.
    pub(crate) fn of_all(&self, value: Value) -> impl Iterator<Item = &[Moment]> {
        (0..self.threads.len() as u32)
            .filter_map(move |thread| self.values.get(&(value, thread)).map(Vec::as_slice))
    }

    /// The last that a value was before a moment.
    pub(crate) fn before(&self, value: Value, thread: u32, time: Time) -> Option<Moment> {
        let all = self.values(value, thread);
        let end = all.partition_point(|it| it.time < time);
        if let Some(it) = end.checked_sub(1).map(|it| all[it]) {
            return Some(it);
        }
        let bits = self.module.constant(value)?;
        Some(Moment { time: 0, bits, way: None })
    }

    /// The writes to a place before a moment.
    pub(crate) fn writes(&self, place: Cell, time: Time) -> &[Write] {
        let all = self.writes.get(&place).map_or(&[][..], Vec::as_slice);
        &all[..all.partition_point(|it| it.time < time)]
    }

    /// Where a load by a thread just before a moment was from.
    pub(crate) fn read(&self, inst: Inst, thread: u32, time: Time) -> Option<Cell> {
        let all = self.reads.get(&(inst, thread))?;
        let end = all.partition_point(|it| it.0 <= time);
        Some(all[end.checked_sub(1)?].1)
    }

    /// When a thread executed a store for the given time.
    pub(crate) fn execution(&self, inst: Inst, thread: u32, number: u32) -> Option<Time> {
        self.executed.get(&(inst, thread))?.get(number as usize).copied()
    }

    /// The threads with which a thread executed a wave operation whose result belongs to that moment.
    pub(crate) fn meeting(&self, inst: Inst, thread: u32, time: Time) -> Option<Meeting> {
        let all = self.meetings.get(&(inst, thread))?;
        let time = all[all.partition_point(|it| *it <= time).checked_sub(1)?];
        let threads = self.met.get(&(inst, time))?.clone();
        Some(Meeting { time, threads })
    }

    /// In how many waves a wave operation was executed, if each thread executes it as often as any other.
    pub(crate) fn waves(&self, inst: Inst) -> usize {
        let all = self.met.keys().filter(|it| it.0 == inst).count();
        let rounds = self.meetings.iter().filter(|it| it.0.0 == inst).map(|it| it.1.len()).max();
        all.div_ceil(rounds.unwrap_or(1).max(1))
    }

    fn thread(&self, at: At, lane: u32) -> Option<u32> {
        self.threads.get((at.wave * self.width + lane) as usize).copied()
    }

    fn step(&mut self) -> bool {
        self.now += 1;
        self.count += 1;
        self.is_whole()
    }

    fn defined(&mut self, at: At, value: Value, bits: impl Fn(u32) -> u64, way: Option<Inst>) {
        let time = self.now;
        for lane in at.active.iter() {
            let Some(thread) = self.thread(at, lane) else { continue };
            self.count += 1;
            let moment = Moment { time, bits: bits(lane), way };
            self.values.entry((value, thread)).or_default().push(moment);
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>, reads: bool, writes: bool) {
        let at = event.at;
        let is_ours = at.group == self.group;
        if !is_ours && (!writes || !matches!(event.space, Space::Buffer(..) | Space::Counter(_)))
            || !self.slice.contains(&at.inst)
            || !self.step()
        {
            return;
        }
        let time = self.now;
        for lane in at.active.iter() {
            let Some(thread) = self.thread(at, lane) else { continue };
            let start = event.addresses[lane as usize];
            let place = |more: u64| match event.space {
                Space::Private(it) => Cell::Private(it.0, start, thread),
                Space::Shared(it) => Cell::Shared(it.0, start),
                Space::Buffer(binding, elements) => {
                    let element = elements.map_or(0, |it| it[lane as usize]);
                    Cell::Buffer(binding, element, start.saturating_add(more))
                }
                Space::Counter(binding) => Cell::Counter(binding),
            };
            self.count += 1;
            if is_ours && reads {
                self.reads.entry((at.inst, thread)).or_default().push((time, place(0)));
            }
            let mut number = 0;
            if is_ours && writes {
                let all = self.executed.entry((at.inst, thread)).or_default();
                number = all.len() as u32;
                all.push(time);
            } else if writes {
                let count = self.elsewhere.entry((at.inst, at.group, thread)).or_default();
                number = *count;
                *count += 1;
            }
            if writes && event.in_bounds.contains(lane) {
                let many = match event.space {
                    Space::Buffer(..) => u64::from(event.size),
                    _ => 1,
                };
                let (inst, group) = (at.inst, at.group);
                let write = Write { time, inst, group, thread, number, is_atomic: reads };
                for more in 0..many {
                    self.count += 1;
                    self.writes.entry(place(more)).or_default().push(write);
                }
            }
        }
    }

    fn moved(&mut self, at: At, inst: Inst) {
        let marked = self.marked;
        let current = |it: &Self, value: Value, lane: u32| {
            let thread = it.thread(at, lane)?;
            Some(it.before(value, thread, Time::MAX)?.bits)
        };
        let moves: Vec<(Value, Vec<u64>)> = marked
            .moves(inst)
            .iter()
            .map(|(into, from)| {
                let row = (0..self.width).map(|lane| match at.active.contains(lane) {
                    true => current(self, *from, lane).unwrap_or(0),
                    false => 0,
                });
                (*into, row.collect())
            })
            .collect();
        for (into, row) in moves {
            self.defined(at, into, |lane| row[lane as usize], Some(inst));
        }
    }
}

impl Observer for Record<'_> {
    const POISON: bool = false;
    const INDIRECT: bool = true;

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        let at = event.at;
        if at.group != self.group || !self.slice.contains(&at.inst) || !self.step() {
            return;
        }
        let time = self.now;
        let all = event.wave.participants().iter().filter_map(|lane| self.thread(at, lane));
        let threads: Vec<u32> = all.collect();
        for thread in &threads {
            self.meetings.entry((at.inst, *thread)).or_default().push(time);
        }
        self.count += threads.len();
        self.met.insert((at.inst, time), threads);
    }

    fn load(&mut self, event: &AccessEvent<'_>) {
        self.access(event, true, false);
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        match self.marked.mark(event.at.inst) {
            None => self.access(event, false, true),
            Some(_) if event.at.group != self.group || !self.step() => {}
            Some(Mark::Defined(value)) => {
                let bits = |lane| event.values.first().map_or(0, |it| it.get(lane));
                self.defined(event.at, value, bits, None);
            }
            Some(Mark::Moves(inst)) => self.moved(event.at, inst),
        }
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        let changes = !facts::only_reads(self.module, event.at.inst);
        self.access(event, true, changes);
    }
}
