//! Why a result differs between wave widths: a dynamic backward slice, walked on several runs at once.
//!
//! Most values of a wave program differ between widths, and rightly so: a scan over the group by waves has other
//! partial sums at each. The widths that agree on the result tell which differences are harmless: those that they
//! have among themselves. A value is *astray* if these runs agree on it and the wrong run does not. The walk starts
//! at the result, which is astray, and goes from each value to an operand, a store or a decision that is astray. It
//! ends where none is: there the runs part for no good reason.
//!
//! Where only one run is known to be right, every difference counts, and the walk ends at a wave operation over
//! other threads; or at a read of the lane count or index if there is nothing else.
//!
//! Threads are matched by their index in the group. Where programs deal out their work by atomic counters, another
//! thread may do it, or another round of a loop: those are matched by the place where they store.
//!
//! Limit: a place that waves of several groups write is not followed into the other group.

use diag::Span;
use ir::{Inst, Op, Value};
use ops::WaveOp;
use ops::wave::Sees;

use crate::facts::Facts;
use crate::hash::HashSet;
use crate::marked::Marked;
use crate::record::{Cell, Moment, Record, Time, Write};

/// The number of values that are looked at.
const MOST_STEPS: usize = 4096;
/// The number of links between a result and its cause: the walk recurses along them.
const MOST_DEPTH: usize = 512;

/// A link of the chain, from the result to the cause.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) span: Span,
    pub(crate) inst: Inst,
    pub(crate) thread: u32,
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
}

/// How good an end is as an explanation: the smaller, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Astray,
    Company,
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

/// Where the runs do the same: the right one, the wrong one, and the other right one.
///
/// Usually it is done by the same thread, as often as before. Where a program deals out its work by atomic counters, it
/// may be another thread, in another round of its loop, and then the other right run has a spot of its own, too.
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

    /// The threads that stand to these as one thread of the right run does.
    fn beside(&self, thread: u32) -> Spots {
        let moved = |it: Spot| Spot {
            thread: it.thread.wrapping_add(thread.wrapping_sub(self.right.thread)),
            ..it
        };
        Spots { right: moved(self.right), wrong: moved(self.wrong), other: self.other.map(moved) }
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
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        facts: &'a Facts<'a>,
        marked: &'a Marked,
        right: &'a Record<'a>,
        wrong: &'a Record<'a>,
        other: Option<&'a Record<'a>>,
    ) -> Walk<'a> {
        Walk { facts, marked, right, wrong, other, seen: HashSet::default(), best: None, steps: 0 }
    }

    /// The chain from a place in memory that differs at the end of the runs to the cause.
    pub(crate) fn chain_to(mut self, place: Cell) -> Option<Vec<Link>> {
        let end = Spot { thread: 0, time: Time::MAX };
        let at = Spots { right: end, wrong: end, other: None };
        self.memory([place; 3], at, &mut Vec::new());
        if self.best.as_ref().is_none_or(|it| it.0 > Rank::Company) {
            self.first_astray();
        }
        self.best.map(|it| it.1)
    }

    /// Where no value leads from one to the next, as when sums of other parts come out the same in the right runs: the
    /// first value astray of all that the result may depend on and that is the same for all threads.
    fn first_astray(&mut self) {
        let Some(other) = self.other else { return };
        let mut path = self.best.as_ref().map(|it| it.1.clone()).unwrap_or_default();
        let module = self.facts.module;
        let mut first: Option<(Moment, Moment, Value, u32)> = None;
        for (value, thread, all) in self.right.all() {
            let Some(inst) = module.made_by(value) else { continue };
            let (theirs, wrong) = (other.values(value, thread), self.wrong.values(value, thread));
            let at = all.iter().zip(wrong).position(|(a, b)| a.bits != b.bits);
            let Some(at) = at.filter(|at| theirs.len() > *at) else { continue };
            if first.is_some_and(|it| all[at].time >= it.0.time)
                || matches!(module.inst(inst).op, Op::Wave { .. })
                || all.iter().zip(theirs).take(at + 1).any(|(a, b)| a.bits != b.bits)
            {
                continue;
            }
            // A value that tells threads apart, such as whether one is the first of its wave, differs as a matter of
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
        path.push(Link { span: module.inst(inst).span, inst, thread, what });
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

    fn end(&mut self, rank: Rank, path: &[Link]) {
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
                other.values(value, thread).get(number).map(|it| it.bits)
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
        path.push(Link { span: module.inst(inst).span, inst, thread, what });
        match op {
            Op::Wave { op, args, .. } => {
                self.wave((*op, args, inst), value, made, (right, wrong), path);
            }
            op if op.effects().memory().is_some() => {
                if !self.operands(&op.address_and_values().0, made, path) {
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
                if !self.operands(&op.operands(), made, path) {
                    let rank = if self.other.is_some() { Rank::Astray } else { Rank::Unknown };
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
        let what = What::Decision { value: selector, right: a.bits, wrong: b.bits };
        let (span, thread) = (self.facts.module.inst(inst).span, at.right.thread);
        path.push(Link { span, inst, thread, what });
        if is_harmless {
            self.end(Rank::Company, path);
        } else {
            let (right, wrong) = (at.right.at(a.time + 1), at.wrong.at(b.time + 1));
            self.value(selector, Spots { right, wrong, other: at.other }, path);
        }
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
        // What one of them never decides comes after what makes it so.
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
        if matches!(op, WaveOp::LaneIndex | WaveOp::IsFirstLane) || op.facts().sees == Sees::Nothing
        {
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

    /// Places in memory, one of each run, whose contents differ before these moments.
    fn memory(&mut self, [a, b, c]: [Cell; 3], before: Spots, path: &mut Vec<Link>) {
        self.steps += 1;
        if self.is_over() {
            return;
        }
        // Atomic operations since the last plain store all take part.
        fn since(all: &[Write]) -> &[Write] {
            let start = all.iter().rposition(|it| !it.is_atomic).unwrap_or(0);
            &all[start..]
        }
        let rights = since(self.right.writes(a, before.right.time));
        let wrongs = since(self.wrong.writes(b, before.wrong.time));
        let same =
            |x: &Write, y: &Write| (x.inst, x.thread, x.number) == (y.inst, y.thread, y.number);
        let mut any = false;
        for x in rights {
            if let Some(y) = wrongs.iter().find(|y| same(x, y)) {
                let at = self.stores(x, y, None);
                any |= self.stored(x, at, path);
            }
        }
        if any {
            return;
        }
        // Who takes its work from a counter may do what another thread, or another round of its own, does elsewhere:
        // threads are matched by the place where they store.
        let time = before.other.map_or(Time::MAX, |it| it.time);
        let others = self.other.map_or(&[][..], |it| since(it.writes(c, time)));
        if let ([x], [y], [z]) = (rights, wrongs, others)
            && [y, z].iter().all(|it| it.inst == x.inst && !it.is_atomic)
            && self.stored(x, self.stores(x, y, Some(z)), path)
            && self.best.as_ref().is_some_and(|it| it.0 <= Rank::Company)
        {
            return;
        }
        for (x, in_right) in
            rights.iter().map(|it| (it, true)).chain(wrongs.iter().map(|it| (it, false))).filter(
                |(x, in_right)| {
                    let there = if *in_right { wrongs } else { rights };
                    !there.iter().any(|y| same(x, y))
                },
            )
        {
            let there = if in_right { self.wrong } else { self.right };
            let link = self.store_link(x, in_right, !in_right);
            path.push(link);
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
                    if !self.operands(&address, at, path) {
                        self.end(Rank::Unknown, path);
                    }
                }
            }
            path.pop();
            any = true;
            if self.is_over() {
                return;
            }
        }
        if !any {
            if let Some(x) = rights.last() {
                let inst = x.inst;
                let span = self.facts.module.inst(inst).span;
                path.push(Link { span, inst, thread: x.thread, what: What::Order });
                self.end(Rank::Unknown, path);
                path.pop();
            } else {
                self.end(Rank::Unknown, path);
            }
        }
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
        Link { span, inst, thread: write.thread, what: What::Store { in_right, in_wrong } }
    }
}
