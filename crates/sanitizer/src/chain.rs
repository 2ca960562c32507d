//! Why a result differs between wave widths or orders: a dynamic backward slice, walked on several runs at once.
//!
//! Most values of a wave program differ between widths, and rightly so: a scan over the group by waves has different
//! partial sums at each. The runs that agree on the result show which differences are harmless: those among themselves.
//! A value is *astray* if these runs agree on it and the wrong run does not. The walk starts at the result, which is
//! astray, and goes from each value to an operand, a store or a decision that is astray. It ends where none is: there
//! the runs diverge without a good reason. If what does not count there leads to a wave operation that one wave
//! executes in the right runs, and several do in the wrong one, that is the reason.
//!
//! Where only one run is known to be right, every difference counts, and the walk ends at a wave operation over other
//! threads; or at a read of the lane count or index if there is nothing else. Where threads are assigned to lanes in
//! another order, other threads meet as a matter of course: what matters is which of them store, if they are chosen by
//! their lanes and the place is not.
//!
//! Threads are matched by their index in the group, and groups by what they do. Where programs deal out their work by
//! atomic counters, another thread may do it, or another iteration of a loop: those are matched by the place where they
//! store.
//!
//! A record has the values of one group. Where a place has been written by another one, the walk ends with a [`Hop`],
//! and continues in the records of that group.

use diag::Span;
use ir::{Inst, Op, Ray, Value};
use ops::WaveOp;
use ops::wave::Sees;

use crate::facts::Facts;
use crate::hash::HashSet;
use crate::marked::Marked;
use crate::record::{Cell, Moment, Record, Time, Write};

/// The limit on the number of inspected values.
const MOST_STEPS: usize = 4096;
/// The number of links between a result and its cause: the walk recurses along them.
const MOST_DEPTH: usize = 512;

/// A link of the chain, from the result to the cause.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) span: Span,
    pub(crate) inst: Inst,
    pub(crate) thread: u32,
    /// The moment in the right run.
    time: Time,
    pub(crate) what: What,
}

/// What differs there.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A value, in the right run and in the wrong one.
    Value { value: Value, right: u64, wrong: u64, operands: Vec<(Value, u64, u64)> },
    /// A decision of the thread.
    Decision { value: Value, right: u64, wrong: u64 },
    /// A store; of one run only, if the other does not execute it, or stores elsewhere.
    Store { in_right: bool, in_wrong: bool },
    /// A wave operation over other threads.
    Company { value: Value, right: u64, wrong: u64, threads: (Vec<u32>, Vec<u32>) },
    /// The same stores, in another order.
    Order,
    /// A store that comes before the read in one run, and after it in the other.
    Late { in_right: bool },
}

/// How good an end is as an explanation: the smaller, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Astray,
    /// Between orders: which of two accesses comes first.
    First,
    /// Between assignments of threads to lanes: which threads store.
    Numbering,
    Company,
    /// The final values of a loop, if its iterations also differ in each of the right runs.
    Total,
    Identity,
    Unknown,
}

/// A thread at a moment of one run.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Spot {
    thread: u32,
    time: Time,
}

impl Spot {
    fn at(self, time: Time) -> Spot {
        Spot { time, ..self }
    }
}

/// The corresponding spots in the runs: the right one, the wrong one, and the other right one.
///
/// Usually it is done by the same thread, as often as before. Where a program deals out its work by atomic counters, it
/// may be another thread, in another iteration of its loop, and then the other right run has its own spot, too.
#[derive(Clone, Copy)]
struct Spots {
    right: Spot,
    wrong: Spot,
    /// `None` if the other run does it by the same thread, as often as the right one.
    other: Option<Spot>,
}

impl Spots {
    /// Whether threads have been matched by what they store.
    fn are_matched(&self) -> bool {
        self.other.is_some() || self.right.thread != self.wrong.thread
    }

    fn before(&self) -> Spots {
        let back = |it: Spot| it.at(it.time.saturating_sub(1));
        Spots { right: back(self.right), wrong: back(self.wrong), other: self.other.map(back) }
    }

    /// The threads that correspond to one thread of the right run.
    fn beside(&self, thread: u32) -> Spots {
        let moved = |it: Spot| Spot {
            thread: it.thread.wrapping_add(thread.wrapping_sub(self.right.thread)),
            ..it
        };
        Spots { right: moved(self.right), wrong: moved(self.wrong), other: self.other.map(moved) }
    }
}

/// What the runs differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    Widths,
    /// The order of waves and groups, or anything other than the next two.
    Orders,
    /// How threads are assigned to lanes.
    Lanes,
    /// How candidates are offered to ray queries.
    Rays,
}

/// A place whose contents differ, and which another group has written in some run: where the walk goes on in records of
/// these groups. In the order right, wrong, other right.
#[derive(Clone, Debug)]
pub(crate) struct Hop {
    pub(crate) groups: [[u32; 3]; 3],
    cells: [Cell; 3],
    /// How many writes to the place come before; `usize::MAX` at the end of the runs.
    seen: [usize; 3],
    path: Vec<Link>,
}

impl Hop {
    /// The end of the runs.
    pub(crate) fn to(place: Cell, groups: [[u32; 3]; 3]) -> Hop {
        Hop { groups, cells: [place; 3], seen: [usize::MAX; 3], path: Vec::new() }
    }
}

pub(crate) struct Walk<'a> {
    facts: &'a Facts<'a>,
    marked: &'a Marked,
    right: &'a Record<'a>,
    wrong: &'a Record<'a>,
    /// Another run that agrees with the right one.
    other: Option<&'a Record<'a>>,
    seen: HashSet<(Value, u32, Time)>,
    best: Option<(Rank, Vec<Link>)>,
    steps: usize,
    between: Between,
    hops: Vec<Hop>,
    /// Set while only a wave operation is looked for that several waves execute in the wrong run, and one does in this
    /// run and in the right one.
    seeks_split: Option<&'a Record<'a>>,
}

/// The number of other groups into which a walk may go from one.
const MOST_HOPS: usize = 4;

impl<'a> Walk<'a> {
    pub(crate) fn new(
        facts: &'a Facts<'a>,
        marked: &'a Marked,
        right: &'a Record<'a>,
        wrong: &'a Record<'a>,
        other: Option<&'a Record<'a>>,
        between: Between,
    ) -> Walk<'a> {
        Walk {
            facts,
            marked,
            right,
            wrong,
            other,
            seen: HashSet::default(),
            best: None,
            steps: 0,
            between,
            hops: Vec::new(),
            seeks_split: None,
        }
    }

    /// The chain from a place in memory that differs to the cause, and how good that is; and where it may go on in
    /// other groups.
    pub(crate) fn from(mut self, start: &Hop) -> (Option<(Rank, Vec<Link>)>, Vec<Hop>) {
        let spot = |run: &Record<'_>, at: usize| {
            let time = match start.seen[at] {
                usize::MAX => Time::MAX,
                0 => 0,
                count => {
                    let all = run.writes(start.cells[at], Time::MAX);
                    all.get(count - 1).map_or(Time::MAX, |it| it.time + 1)
                }
            };
            Spot { thread: 0, time }
        };
        let at_end = start.seen == [usize::MAX; 3];
        let at = Spots {
            right: spot(self.right, 0),
            wrong: spot(self.wrong, 1),
            other: self.other.filter(|_| !at_end).map(|it| spot(it, 2)),
        };
        let mut path = start.path.clone();
        self.memory(start.cells, at, &mut path);
        let is_found = self.best.as_ref().is_some_and(|it| it.0 <= Rank::Company);
        if self.between == Between::Widths && !is_found {
            self.first_astray();
        }
        (self.best, self.hops)
    }

    /// Where no value leads from one to the next, as when sums of other parts come out the same in the right runs: the
    /// first value astray of all that the result may depend on and that is the same for all threads.
    fn first_astray(&mut self) {
        let Some(other) = self.other else { return };
        // Steps after the threads diverged do not explain that.
        let until = match &self.best {
            Some((Rank::Identity | Rank::Total, path)) => {
                path.last().map_or(Time::MAX, |it| it.time)
            }
            _ => Time::MAX,
        };
        let mut path = self.best.as_ref().map(|it| it.1.clone()).unwrap_or_default();
        let module = self.facts.module;
        let mut first: Option<(Moment, Moment, Value, u32)> = None;
        for (value, thread, all) in self.right.all() {
            let Some(inst) = module.made_by(value) else { continue };
            let (theirs, wrong) = (other.values(value, thread), self.wrong.values(value, thread));
            let at = all.iter().zip(wrong).position(|(a, b)| a.bits != b.bits);
            let Some(at) = at.filter(|at| theirs.len() > *at) else { continue };
            if all[at].time >= until
                || first.is_some_and(|it| all[at].time >= it.0.time)
                || matches!(module.inst(inst).op, Op::Wave { .. })
                || all.iter().zip(theirs).take(at + 1).any(|(a, b)| a.bits != b.bits)
            {
                continue;
            }
            // A value that distinguishes threads, such as whether one is the first of its wave, differs as a matter of
            // course.
            let is_uniform = [self.right, self.wrong, other].iter().all(|run| {
                let mut same = run.of_all(value).filter_map(|it| it.get(at).map(|it| it.bits));
                let one = same.next();
                same.all(|it| Some(it) == one)
            });
            if is_uniform {
                first = Some((all[at], wrong[at], value, thread));
            }
        }
        let Some((right, wrong, value, thread)) = first else { return };
        let Some(inst) = module.made_by(value) else { return };
        let spot = |time| Spot { thread, time };
        let at = Spots { right: spot(right.time), wrong: spot(wrong.time), other: None };
        let operands = self.shown(inst, at);
        let what = What::Value { value, right: right.bits, wrong: wrong.bits, operands };
        let (span, time) = (module.inst(inst).span, right.time);
        path.push(Link { span, inst, thread, time, what });
        self.best = Some((Rank::Astray, path));
    }

    /// The operands of an instruction in both runs.
    fn shown(&self, inst: Inst, at: Spots) -> Vec<(Value, u64, u64)> {
        let operands = self.facts.module.inst(inst).op.operands();
        let both = operands.iter().filter_map(|it| {
            let a = self.right.before(*it, at.right.thread, at.right.time)?;
            let b = self.wrong.before(*it, at.wrong.thread, at.wrong.time)?;
            Some((*it, a.bits, b.bits))
        });
        both.collect()
    }

    fn end(&mut self, mut rank: Rank, path: &[Link]) {
        let Some(last) = path.last() else { return };
        if let Some(other) = self.seeks_split {
            let [right, wrong, other] =
                [self.right, self.wrong, other].map(|it| it.waves(last.inst));
            if rank != Rank::Company || (right, other) != (1, 1) || wrong < 2 {
                return;
            }
            rank = Rank::Astray;
        }
        let is_choice = |it: &Link| {
            let is_one_sided =
                matches!(it.what, What::Store { in_right, in_wrong } if in_right != in_wrong);
            is_one_sided && !self.facts.module.inst(it.inst).op.effects().is_atomic()
        };
        if self.between == Between::Lanes && rank == Rank::Identity && path.iter().any(is_choice) {
            rank = Rank::Numbering;
        }
        if !path.is_empty() && self.best.as_ref().is_none_or(|it| rank < it.0) {
            self.best = Some((rank, path.to_vec()));
        }
    }

    fn is_over(&self) -> bool {
        self.steps > MOST_STEPS || self.best.as_ref().is_some_and(|it| it.0 == Rank::Astray)
    }

    /// The number of the moment among all of a value.
    fn number(record: &Record<'_>, value: Value, thread: u32, time: Time) -> usize {
        record.values(value, thread).partition_point(|it| it.time < time)
    }

    /// Whether right runs disagree on it too, so that it may well differ.
    fn is_harmless(&self, value: Value, at: Spots, right: Moment) -> bool {
        let Some(other) = self.other else { return false };
        let theirs = match at.other {
            Some(spot) => other.before(value, spot.thread, spot.time).map(|it| it.bits),
            None => {
                let thread = at.right.thread;
                let number = Walk::number(self.right, value, thread, right.time);
                let theirs = other.values(value, thread);
                // Loops may run for longer: behind them, their final values count.
                let is_last = number + 1 == self.right.values(value, thread).len();
                let theirs = if is_last { theirs.last() } else { theirs.get(number) };
                theirs.map(|it| it.bits)
            }
        };
        let theirs = theirs.or_else(|| self.facts.module.constant(value));
        theirs != Some(right.bits)
    }

    /// Goes on from a value that differs before these moments.
    fn value(&mut self, value: Value, at: Spots, path: &mut Vec<Link>) {
        self.steps += 1;
        let thread = at.right.thread;
        if self.is_over() || !self.seen.insert((value, thread, at.right.time)) {
            return;
        }
        if path.len() >= MOST_DEPTH {
            return self.end(Rank::Unknown, path);
        }
        let now = self.right.before(value, thread, at.right.time);
        let then = self.wrong.before(value, at.wrong.thread, at.wrong.time);
        let (Some(right), Some(wrong)) = (now, then) else {
            return self.end(Rank::Unknown, path);
        };
        let moment = |it: Spot| {
            let theirs = self.other?.before(value, it.thread, it.time)?;
            Some(it.at(theirs.time))
        };
        let made = Spots {
            right: at.right.at(right.time),
            wrong: at.wrong.at(wrong.time),
            other: at.other.map(|it| moment(it).unwrap_or(it)),
        };
        let module = self.facts.module;
        let made_by = module.made_by(value).filter(|it| !module.inst(*it).op.is_construct());
        let Some(inst) = made_by else { return self.join(value, made, (right, wrong), path) };
        let op = &module.inst(inst).op;
        let operands = self.shown(inst, made);
        let what = What::Value { value, right: right.bits, wrong: wrong.bits, operands };
        path.push(Link { span: module.inst(inst).span, inst, thread, time: right.time, what });
        match op {
            // Groups that have been matched have different numbers.
            Op::Builtin(_) if self.right.group() != self.wrong.group() => {}
            Op::Wave { op, args, .. } => {
                self.wave((*op, args, inst), value, made, (right, wrong), path);
            }
            Op::Ray(ray) if self.between == Between::Rays => self.answer(ray, made, path),
            op if op.effects().memory().is_some() => {
                let any = self.operands(&op.address_and_values().0, made, path);
                if !any || self.seeks_split.is_some() {
                    let from = |run: &Record<'_>, it: Spot| run.read(inst, it.thread, it.time);
                    let read = from(self.right, made.right).zip(from(self.wrong, made.wrong));
                    match read {
                        Some((a, b)) => {
                            let spot = made.other.unwrap_or(made.right);
                            let c = self.other.and_then(|it| from(it, spot)).unwrap_or(a);
                            // The access itself comes before its result.
                            self.memory([a, b, c], made.before(), path);
                        }
                        None => self.end(Rank::Unknown, path),
                    }
                }
            }
            op => {
                let operands = op.operands();
                if !self.operands(&operands, made, path) && !self.split(&operands, made, path) {
                    let rounds = |it: &Record<'_>| it.values(value, thread).len();
                    let rank = match self.other {
                        None => Rank::Unknown,
                        Some(it) if made.other.is_none() && rounds(it) != rounds(self.right) => {
                            Rank::Total
                        }
                        Some(_) => Rank::Astray,
                    };
                    self.end(rank, path);
                }
            }
        }
        path.pop();
    }

    /// Goes on from the operands that are astray; returns whether there are any.
    fn operands(&mut self, operands: &[Value], at: Spots, path: &mut Vec<Link>) -> bool {
        let mut any = false;
        for value in operands {
            let (Some(a), Some(b)) = (
                self.right.before(*value, at.right.thread, at.right.time),
                self.wrong.before(*value, at.wrong.thread, at.wrong.time),
            ) else {
                continue;
            };
            if a.bits != b.bits && !self.is_harmless(*value, at, a) {
                any = true;
                self.value(*value, at, path);
            }
        }
        any
    }

    /// Where no operand is astray, a wave operation behind one of them that should be executed by one wave, and is by
    /// several in the wrong run. Returns whether there is one.
    fn split(&mut self, operands: &[Value], at: Spots, path: &[Link]) -> bool {
        let Some(other) = self.other else { return false };
        let walk = Walk::new(self.facts, self.marked, self.right, self.wrong, None, self.between);
        let mut walk = Walk { steps: self.steps, seeks_split: Some(other), ..walk };
        walk.operands(operands, Spots { other: None, ..at }, &mut path.to_vec());
        self.steps = walk.steps;
        let Some((_, path)) = walk.best else { return false };
        self.best = Some((Rank::Astray, path));
        true
    }

    /// A value that paths join in.
    fn join(
        &mut self,
        value: Value,
        at: Spots,
        (right, wrong): (Moment, Moment),
        path: &mut Vec<Link>,
    ) {
        let (Some(a), Some(b)) = (right.way, wrong.way) else {
            return self.end(Rank::Unknown, path);
        };
        if a == b {
            let mut moves = self.marked.moves(a).iter();
            let from = moves.find(|it| it.0 == value).map(|it| it.1);
            let any = from.is_some_and(|from| self.operands(&[from], at, path));
            if !any {
                self.end(Rank::Unknown, path);
            }
            return;
        }
        self.decision(&[a, b], at, path);
    }

    /// The first decision of a thread around these instructions that differs; where threads have been matched, the last
    /// ones before these moments are compared.
    fn decision(&mut self, insts: &[Inst], at: Spots, path: &mut Vec<Link>) {
        let mut first: Option<(Inst, Value, Moment, Moment, bool)> = None;
        for (inst, selector) in self.selections(insts) {
            let found = match at.are_matched() {
                true => self.last_turn(selector, at),
                false => self.first_turn(selector, at.right.thread),
            };
            let Some((right, wrong, is_harmless)) = found else { continue };
            if first.is_none_or(|it| right.time < it.2.time) {
                first = Some((inst, selector, right, wrong, is_harmless));
            }
        }
        let Some((inst, selector, a, b, is_harmless)) = first else {
            return self.end(Rank::Unknown, path);
        };
        if !is_harmless {
            return self.decided((inst, selector), at, (a, b), path);
        }
        let what = What::Decision { value: selector, right: a.bits, wrong: b.bits };
        let (span, thread) = (self.facts.module.inst(inst).span, at.right.thread);
        path.push(Link { span, inst, thread, time: a.time, what });
        self.end(Rank::Company, path);
        path.pop();
    }

    /// Continues from a decision to the values that it depends on.
    fn decided(
        &mut self,
        (inst, selector): (Inst, Value),
        at: Spots,
        (a, b): (Moment, Moment),
        path: &mut Vec<Link>,
    ) {
        let what = What::Decision { value: selector, right: a.bits, wrong: b.bits };
        let (span, thread) = (self.facts.module.inst(inst).span, at.right.thread);
        path.push(Link { span, inst, thread, time: a.time, what });
        let (right, wrong) = (at.right.at(a.time + 1), at.wrong.at(b.time + 1));
        self.value(selector, Spots { right, wrong, other: at.other }, path);
        path.pop();
    }

    /// The selections that decide whether and how often a thread executes these instructions, and their selectors.
    fn selections(&self, insts: &[Inst]) -> Vec<(Inst, Value)> {
        let facts = self.facts;
        let module = facts.module;
        let mut selections: Vec<(Inst, Value)> = Vec::new();
        let mut add = |inst: Inst| {
            if let Some(selector) = module.inst(inst).op.selector()
                && !selections.iter().any(|it| it.0 == inst)
            {
                selections.push((inst, selector));
            }
        };
        for inst in insts {
            for construct in facts.ancestors(*inst) {
                add(construct);
                for ender in facts.enders(construct) {
                    facts.ancestors(ender).take_while(|it| *it != construct).for_each(&mut add);
                }
            }
        }
        selections
    }

    /// The first time that a thread decides something else in the two runs, and whether it may.
    fn first_turn(&self, selector: Value, thread: u32) -> Option<(Moment, Moment, bool)> {
        let (a, b) = (self.right.values(selector, thread), self.wrong.values(selector, thread));
        // A decision that one of them never makes comes after its cause.
        let at = a.iter().zip(b).position(|(a, b)| a.bits != b.bits)?;
        if let Some(other) = self.other {
            // A decision on which right runs disagree may well differ.
            let theirs = other.values(selector, thread).get(at).map(|it| it.bits);
            if theirs != Some(a[at].bits) {
                return None;
            }
        }
        let spot = |time| Spot { thread, time };
        let at_both = Spots { right: spot(a[at].time), wrong: spot(b[at].time), other: None };
        Some((a[at], b[at], self.is_harmless(selector, at_both, a[at])))
    }

    /// The last decisions before these moments, if they differ where right runs agree.
    fn last_turn(&self, selector: Value, at: Spots) -> Option<(Moment, Moment, bool)> {
        let a = self.right.before(selector, at.right.thread, at.right.time)?;
        let b = self.wrong.before(selector, at.wrong.thread, at.wrong.time)?;
        let differs = a.bits != b.bits && !self.is_harmless(selector, at, a);
        differs.then_some((a, b, false))
    }

    /// A wave operation whose result differs for a thread.
    fn wave(
        &mut self,
        (op, args, inst): (WaveOp, &[Value], Inst),
        value: Value,
        at: Spots,
        (right, wrong): (Moment, Moment),
        path: &mut Vec<Link>,
    ) {
        let met = (
            self.right.meeting(inst, at.right.thread, right.time),
            self.wrong.meeting(inst, at.wrong.thread, wrong.time),
        );
        let (Some(a), Some(b)) = met else { return self.end(Rank::Unknown, path) };
        if op.identifies_lane() || op.facts().sees == Sees::Nothing {
            return self.end(Rank::Identity, path);
        }
        let theirs = at.other.map(|it| {
            let met = self.other.and_then(|run| run.meeting(inst, it.thread, it.time));
            met.map_or(it, |met| it.at(met.time))
        });
        let met = Spots { right: at.right.at(a.time), wrong: at.wrong.at(b.time), other: theirs };
        let partner = |thread: u32| met.beside(thread).wrong.thread;
        let mut any = self.operands(args, met, path);
        for thread in a.threads.iter().filter(|it| **it != at.right.thread) {
            if b.threads.contains(&partner(*thread)) {
                any |= self.operands(args, met.beside(*thread), path);
            }
        }
        let is_other = a.threads.iter().map(|it| partner(*it)).ne(b.threads.iter().copied());
        if let (true, Some(last)) = (is_other, path.last_mut()) {
            let threads = (a.threads, b.threads);
            let (right, wrong) = (right.bits, wrong.bits);
            last.what = What::Company { value, right, wrong, threads };
        }
        if !any || is_other {
            let astray = self.other.is_some() && !any;
            self.end(if astray { Rank::Astray } else { Rank::Company }, path);
        }
    }

    /// The answer of a ray query whose candidates come in another order: that is the reason, unless the ray or a
    /// committed hit differs, too.
    fn answer(&mut self, ray: &Ray, at: Spots, path: &mut Vec<Link>) {
        let module = self.facts.module;
        let Some(handle) = ray.args.first() else { return self.end(Rank::Unknown, path) };
        let given = module.insts.iter().filter_map(|it| match &it.op {
            Op::Ray(other) if other.args.first() == Some(handle) => other.args.get(1..),
            _ => None,
        });
        let given: Vec<Value> = given.flatten().copied().collect();
        if !self.operands(&given, at.before(), path) && !self.operands(&[*handle], at, path) {
            self.end(Rank::Astray, path);
        }
    }

    /// Places in memory, one of each run, whose contents differ before these moments.
    fn memory(&mut self, cells: [Cell; 3], before: Spots, path: &mut Vec<Link>) {
        self.steps += 1;
        if self.is_over() {
            return;
        }
        let time = before.other.map_or(Time::MAX, |it| it.time);
        let rights = since(self.right.writes(cells[0], before.right.time));
        let wrongs = since(self.wrong.writes(cells[1], before.wrong.time));
        let others = self.other.map_or(&[][..], |it| since(it.writes(cells[2], time)));
        if self.in_both(cells, before, [rights, wrongs, others], path)
            || self.by_others([rights, wrongs, others], path)
        {
            return;
        }
        let mut any = false;
        for (x, in_right) in
            rights.iter().map(|it| (it, true)).chain(wrongs.iter().map(|it| (it, false)))
        {
            let there = if in_right { wrongs } else { rights };
            if there.iter().any(|y| self.are_same(x, y, in_right)) {
                continue;
            }
            any = true;
            self.in_one(cells, before, (x, in_right), path);
            if self.is_over() {
                return;
            }
        }
        // Both may have stored different values.
        for x in rights.iter().filter(|it| it.group != self.right.group()) {
            if wrongs.iter().any(|y| self.are_same(x, y, true)) {
                self.hop(cells, before, [x.group; 3], path);
            }
        }
        if any {
            return;
        }
        match rights.last() {
            Some(x) => self.ordered(x, path),
            None => self.end(Rank::Unknown, path),
        }
    }

    /// Which of several stores comes last may be all that differs.
    fn ordered(&mut self, x: &Write, path: &mut Vec<Link>) {
        let (inst, thread, time) = (x.inst, x.thread, x.time);
        let span = self.facts.module.inst(inst).span;
        path.push(Link { span, inst, thread, time, what: What::Order });
        self.end(Rank::Unknown, path);
        path.pop();
    }

    /// Whether a write of the right run, or of the wrong one, and one of the other do the same.
    fn are_same(&self, x: &Write, y: &Write, in_right: bool) -> bool {
        let (x, y) = if in_right { (x, y) } else { (y, x) };
        let is_ours = (x.group == self.right.group(), y.group == self.wrong.group());
        let same_group = is_ours.0 == is_ours.1 && (is_ours.0 || x.group == y.group);
        same_group && (x.inst, x.thread, x.number) == (y.inst, y.thread, y.number)
    }

    /// Continues from writes that both runs have. Returns whether the walk continues.
    fn in_both(
        &mut self,
        cells: [Cell; 3],
        before: Spots,
        [rights, wrongs, others]: [&[Write]; 3],
        path: &mut Vec<Link>,
    ) -> bool {
        let mut any = false;
        for x in rights {
            let Some(y) = wrongs.iter().find(|y| self.are_same(x, y, true)) else { continue };
            if x.group == self.right.group() {
                any |= self.stored(x, self.stores(x, y, None), path);
            }
        }
        // Which group does the work may depend on the order in which they start.
        if let ([x], [y]) = (rights, wrongs)
            && (x.inst, x.thread) == (y.inst, y.thread)
        {
            let z = others.iter().find(|z| (z.inst, z.thread) == (x.inst, x.thread));
            let here = self.other.map_or(self.right.group(), Record::group);
            let third = z.map_or(here, |it| it.group);
            let groups = [x.group, y.group, third];
            if groups != [self.right.group(), self.wrong.group(), here] {
                self.hop(cells, before, groups, path);
                self.ordered(x, path);
                return true;
            }
        }
        any
    }

    /// A thread that takes its work from a counter may do what another thread, or another iteration of its own loop,
    /// does in the other run: threads are matched by the place where they store. Returns whether that gives a chain.
    fn by_others(&mut self, [rights, wrongs, others]: [&[Write]; 3], path: &mut Vec<Link>) -> bool {
        let (Some(x), Some(y)) = (rights.last(), wrongs.last()) else { return false };
        let z = others.last();
        let is_ours = x.group == self.right.group()
            && y.group == self.wrong.group()
            && z.is_none_or(|z| self.other.is_some_and(|it| it.group() == z.group));
        let is_one = |all: &[Write]| matches!(all, [it] if !it.is_atomic);
        let are_single = is_one(rights) && is_one(wrongs);
        let may_match = match z {
            // The end of a loop is matched by what is stored behind it.
            Some(z) => y.inst == x.inst && z.inst == x.inst && (are_single || x.thread == y.thread),
            None => self.seeks_split.is_some() && are_single && y.inst == x.inst,
        };
        is_ours
            && may_match
            && self.stored(x, self.stores(x, y, z), path)
            && self.best.as_ref().is_some_and(|it| it.0 <= Rank::Company)
    }

    /// Goes on from a write that only one run has.
    fn in_one(
        &mut self,
        cells: [Cell; 3],
        before: Spots,
        (x, in_right): (&Write, bool),
        path: &mut Vec<Link>,
    ) {
        let (here, there, cell, until) = match in_right {
            true => (self.right, self.wrong, cells[1], before.wrong.time),
            false => (self.wrong, self.right, cells[0], before.right.time),
        };
        let is_late = matches!(self.between, Between::Orders | Between::Lanes)
            && there
                .writes(cell, Time::MAX)
                .iter()
                .any(|it| it.time >= until && it.is_by_thread_of(x));
        if is_late && let Some(reader) = path.pop() {
            let (inst, thread, time) = (x.inst, x.thread, x.time);
            let span = self.facts.module.inst(inst).span;
            path.push(Link { span, inst, thread, time, what: What::Late { in_right } });
            path.push(reader.clone());
            self.end(Rank::First, path);
            path.truncate(path.len() - 2);
            path.push(reader);
            return;
        }
        if x.group != here.group() {
            self.hop(cells, before, [x.group; 3], path);
            return;
        }
        path.push(self.store_link(x, in_right, !in_right));
        let spot = |time| Spot { thread: x.thread, time };
        match there.execution(x.inst, x.thread, x.number) {
            None => {
                let at = Spots { right: spot(x.time), wrong: spot(x.time), other: None };
                self.decision(&[x.inst], at, path);
            }
            // It stores elsewhere.
            Some(time) => {
                let (right, wrong) = if in_right { (x.time, time) } else { (time, x.time) };
                let at = Spots { right: spot(right), wrong: spot(wrong), other: None };
                let (address, _) = self.facts.module.inst(x.inst).op.address_and_values();
                if !self.operands(&address, at, path)
                    && !self.too_few(cells, before, (x, in_right), path)
                {
                    self.end(Rank::Unknown, path);
                }
            }
        }
        path.pop();
    }

    /// A thread stores in one run to the place of that run, and in the other to other places only: a decision that ends
    /// a loop too early. Returns whether there is one.
    fn too_few(
        &mut self,
        cells: [Cell; 3],
        before: Spots,
        (x, in_right): (&Write, bool),
        path: &mut Vec<Link>,
    ) -> bool {
        let stores = |run: &Record<'_>, cell: Cell, time: Time| {
            let all = run.writes(cell, time);
            all.iter().any(|it| it.is_by_thread_of(x))
        };
        if cells[0] == cells[1] || !in_right || stores(self.wrong, cells[1], before.wrong.time) {
            return false;
        }
        let time = before.other.map_or(Time::MAX, |it| it.time);
        let theirs = self.other.and_then(|run| {
            let all = run.writes(cells[2], time);
            all.iter().rfind(|it| it.is_by_thread_of(x))
        });
        let spot = |time| Spot { thread: x.thread, time };
        let other = theirs.map(|it| spot(it.time));
        if self.other.is_some() != other.is_some() {
            return false;
        }
        let at = Spots { right: spot(x.time), wrong: spot(before.wrong.time), other };
        let found = self.selections(&[x.inst]).into_iter().find_map(|(inst, selector)| {
            let (a, b, _) = self.last_turn(selector, at)?;
            Some((inst, selector, a, b))
        });
        let Some((inst, selector, a, b)) = found else { return false };
        self.decided((inst, selector), at, (a, b), path);
        true
    }

    /// Remembers that the walk may continue in other groups.
    fn hop(&mut self, cells: [Cell; 3], before: Spots, groups: [[u32; 3]; 3], path: &[Link]) {
        if self.hops.len() >= MOST_HOPS || self.hops.iter().any(|it| it.groups == groups) {
            return;
        }
        let count = |run: &Record<'_>, cell: Cell, time: Time| match time {
            Time::MAX => usize::MAX,
            time => run.writes(cell, time).len(),
        };
        let time = before.other.map_or(Time::MAX, |it| it.time);
        let seen = [
            count(self.right, cells[0], before.right.time),
            count(self.wrong, cells[1], before.wrong.time),
            self.other.map_or(usize::MAX, |it| count(it, cells[2], time)),
        ];
        self.hops.push(Hop { groups, cells, seen, path: path.to_vec() });
    }

    /// The moments of stores that do the same in each run.
    fn stores(&self, x: &Write, y: &Write, theirs: Option<&Write>) -> Spots {
        let spot = |it: &Write| Spot { thread: it.thread, time: it.time };
        Spots { right: spot(x), wrong: spot(y), other: theirs.map(spot) }
    }

    /// Goes on from what is stored; returns whether any of it is astray.
    fn stored(&mut self, write: &Write, at: Spots, path: &mut Vec<Link>) -> bool {
        let (_, values) = self.facts.module.inst(write.inst).op.address_and_values();
        path.push(self.store_link(write, true, true));
        let any = self.operands(&values, at, path);
        path.pop();
        any
    }

    fn store_link(&self, write: &Write, in_right: bool, in_wrong: bool) -> Link {
        let inst = write.inst;
        let span = self.facts.module.inst(inst).span;
        let (thread, time) = (write.thread, write.time);
        Link { span, inst, thread, time, what: What::Store { in_right, in_wrong } }
    }
}

/// The last plain store to a place and what comes after it: atomic operations all take part.
fn since(all: &[Write]) -> &[Write] {
    let start = all.iter().rposition(|it| !it.is_atomic).unwrap_or(0);
    &all[start..]
}
