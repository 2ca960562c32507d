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
//! Limit: a place that waves of several groups write is not followed into the other group.

use std::collections::HashSet;

use diag::Span;
use ir::{Inst, Op, Value};
use ops::WaveOp;
use ops::wave::Sees;

use crate::facts::Facts;
use crate::marked::Marked;
use crate::record::{Cell, Moment, Record, Time, Write};

/// The number of values that are looked at.
const MOST_STEPS: usize = 4096;

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

/// A value of a thread in the runs: the right one, the wrong one, and perhaps another right one.
#[derive(Clone, Copy)]
struct Point {
    value: Value,
    thread: u32,
    right: Time,
    wrong: Time,
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
        Walk { facts, marked, right, wrong, other, seen: HashSet::new(), best: None, steps: 0 }
    }

    /// The chain from a place in memory that differs at the end of the runs to the cause.
    pub(crate) fn chain_to(mut self, place: Cell) -> Option<Vec<Link>> {
        self.memory(place, place, (Time::MAX, Time::MAX), &mut Vec::new());
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
        let operands = self.shown(inst, thread, (right.time, wrong.time));
        let what = What::Value { value, right: right.bits, wrong: wrong.bits, operands };
        path.push(Link { span: module.inst(inst).span, inst, thread, what });
        self.best = Some((Rank::Astray, path));
    }

    /// The operands of an instruction in both runs.
    fn shown(&self, inst: Inst, thread: u32, times: (Time, Time)) -> Vec<(Value, u64, u64)> {
        let operands = self.facts.module.inst(inst).op.operands();
        let both = operands.iter().filter_map(|it| {
            let a = self.right.before(*it, thread, times.0)?;
            let b = self.wrong.before(*it, thread, times.1)?;
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
    fn is_harmless(&self, value: Value, thread: u32, right: Moment) -> bool {
        let Some(other) = self.other else { return false };
        let number = Walk::number(self.right, value, thread, right.time);
        let theirs = other.values(value, thread).get(number).map(|it| it.bits);
        let theirs = theirs.or_else(|| self.facts.module.constant(value));
        theirs != Some(right.bits)
    }

    /// Goes on from a value that differs.
    fn value(&mut self, at: Point, path: &mut Vec<Link>) {
        self.steps += 1;
        if self.is_over() || !self.seen.insert((at.value, at.thread, at.right)) {
            return;
        }
        let Point { value, thread, .. } = at;
        let now = self.right.before(value, thread, at.right);
        let (Some(right), Some(wrong)) = (now, self.wrong.before(value, thread, at.wrong)) else {
            return self.end(Rank::Unknown, path);
        };
        let module = self.facts.module;
        let made_by = module.made_by(value).filter(|it| !module.inst(*it).op.is_construct());
        let Some(inst) = made_by else { return self.join(at, right, wrong, path) };
        let op = &module.inst(inst).op;
        let operands = self.shown(inst, thread, (right.time, wrong.time));
        let what = What::Value { value, right: right.bits, wrong: wrong.bits, operands };
        path.push(Link { span: module.inst(inst).span, inst, thread, what });
        let times = (right.time, wrong.time);
        match op {
            Op::Wave { op, args, .. } => self.wave(*op, args, inst, at, (right, wrong), path),
            op if op.effects().memory().is_some() => {
                if !self.operands(&op.address_and_values().0, thread, times, path) {
                    let read = (self.right.read(inst, thread, right.time))
                        .zip(self.wrong.read(inst, thread, wrong.time));
                    match read {
                        Some((a, b)) => {
                            // The access itself comes before its result.
                            let before =
                                (right.time.saturating_sub(1), wrong.time.saturating_sub(1));
                            self.memory(a, b, before, path);
                        }
                        None => self.end(Rank::Unknown, path),
                    }
                }
            }
            op => {
                if !self.operands(&op.operands(), thread, times, path) {
                    let rank = if self.other.is_some() { Rank::Astray } else { Rank::Unknown };
                    self.end(rank, path);
                }
            }
        }
        path.pop();
    }

    /// Goes on from the operands that are astray; returns whether there are any.
    fn operands(
        &mut self,
        operands: &[Value],
        thread: u32,
        (right, wrong): (Time, Time),
        path: &mut Vec<Link>,
    ) -> bool {
        let mut any = false;
        for value in operands {
            let (Some(a), Some(b)) = (
                self.right.before(*value, thread, right),
                self.wrong.before(*value, thread, wrong),
            ) else {
                continue;
            };
            if a.bits != b.bits && !self.is_harmless(*value, thread, a) {
                any = true;
                self.value(Point { value: *value, thread, right, wrong }, path);
            }
        }
        any
    }

    /// A value that paths join in.
    fn join(&mut self, at: Point, right: Moment, wrong: Moment, path: &mut Vec<Link>) {
        let (Some(a), Some(b)) = (right.way, wrong.way) else {
            return self.end(Rank::Unknown, path);
        };
        if a == b {
            let mut moves = self.marked.moves(a).iter();
            let from = moves.find(|it| it.0 == at.value).map(|it| it.1);
            let times = (right.time, wrong.time);
            let any = from.is_some_and(|from| self.operands(&[from], at.thread, times, path));
            if !any {
                self.end(Rank::Unknown, path);
            }
            return;
        }
        self.decision(&[a, b], at.thread, path);
    }

    /// The first decision of a thread around these instructions that differs.
    fn decision(&mut self, insts: &[Inst], thread: u32, path: &mut Vec<Link>) {
        let facts = self.facts;
        let module = facts.module;
        let mut selections: Vec<(Inst, Value)> = Vec::new();
        let add = |inst: Inst, selections: &mut Vec<(Inst, Value)>| {
            if let Some(selector) = module.inst(inst).op.selector()
                && !selections.iter().any(|it| it.0 == inst)
            {
                selections.push((inst, selector));
            }
        };
        for inst in insts {
            for construct in facts.ancestors(*inst) {
                add(construct, &mut selections);
                for ender in facts.enders(construct) {
                    facts
                        .ancestors(ender)
                        .take_while(|it| *it != construct)
                        .for_each(|it| add(it, &mut selections));
                }
            }
        }
        let mut first: Option<(Time, Inst, Value, usize)> = None;
        for (inst, selector) in selections {
            let (a, b) = (self.right.values(selector, thread), self.wrong.values(selector, thread));
            let both = a.iter().zip(b).position(|(a, b)| a.bits != b.bits);
            let at = both.or((a.len() != b.len()).then(|| a.len().min(b.len())));
            let Some(at) = at else { continue };
            if let Some(other) = self.other {
                // A decision on which right runs disagree may well differ.
                let theirs = other.values(selector, thread).get(at).map(|it| it.bits);
                if theirs != a.get(at).map(|it| it.bits) {
                    continue;
                }
            }
            // What one of them never decides comes after what makes it so.
            if both.is_none() {
                continue;
            }
            if first.is_none_or(|it| a[at].time < it.0) {
                first = Some((a[at].time, inst, selector, at));
            }
        }
        let Some((_, inst, selector, at)) = first else { return self.end(Rank::Unknown, path) };
        let (a, b) =
            (self.right.values(selector, thread)[at], self.wrong.values(selector, thread)[at]);
        let what = What::Decision { value: selector, right: a.bits, wrong: b.bits };
        path.push(Link { span: module.inst(inst).span, inst, thread, what });
        let point = Point { value: selector, thread, right: a.time + 1, wrong: b.time + 1 };
        if self.is_harmless(selector, thread, a) {
            self.end(Rank::Company, path);
        } else {
            self.value(point, path);
        }
        path.pop();
    }

    /// A wave operation whose result differs for a thread.
    fn wave(
        &mut self,
        op: WaveOp,
        args: &[Value],
        inst: Inst,
        at: Point,
        (right, wrong): (Moment, Moment),
        path: &mut Vec<Link>,
    ) {
        let met = (
            self.right.meeting(inst, at.thread, right.time),
            self.wrong.meeting(inst, at.thread, wrong.time),
        );
        let (Some(a), Some(b)) = met else { return self.end(Rank::Unknown, path) };
        if matches!(op, WaveOp::LaneIndex | WaveOp::IsFirstLane) || op.facts().sees == Sees::Nothing
        {
            return self.end(Rank::Identity, path);
        }
        let mut any = self.operands(args, at.thread, (a.time, b.time), path);
        for thread in a.threads.iter().filter(|it| **it != at.thread && b.threads.contains(it)) {
            any |= self.operands(args, *thread, (a.time, b.time), path);
        }
        let is_other = a.threads != b.threads;
        if let (true, Some(last)) = (is_other, path.last_mut()) {
            let threads = (a.threads, b.threads);
            let (right, wrong) = (right.bits, wrong.bits);
            last.what = What::Company { value: at.value, right, wrong, threads };
        }
        if !any || is_other {
            let astray = self.other.is_some() && !any;
            self.end(if astray { Rank::Astray } else { Rank::Company }, path);
        }
    }

    /// A place in memory whose contents differ before these moments.
    fn memory(&mut self, a: Cell, b: Cell, times: (Time, Time), path: &mut Vec<Link>) {
        self.steps += 1;
        if self.is_over() {
            return;
        }
        let (rights, wrongs) = (self.right.writes(a, times.0), self.wrong.writes(b, times.1));
        // Atomic operations since the last plain store all take part.
        let since = |all: &'a [Write]| {
            let start = all.iter().rposition(|it| !it.is_atomic).unwrap_or(0);
            &all[start..]
        };
        let (rights, wrongs) = (since(rights), since(wrongs));
        let same =
            |x: &Write, y: &Write| (x.inst, x.thread, x.number) == (y.inst, y.thread, y.number);
        let mut any = false;
        for x in rights {
            if let Some(y) = wrongs.iter().find(|y| same(x, y)) {
                let (_, values) = self.facts.module.inst(x.inst).op.address_and_values();
                let link = self.store_link(x, true, true);
                path.push(link);
                any |= self.operands(&values, x.thread, (x.time, y.time), path);
                path.pop();
            }
        }
        if any {
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
            match there.execution(x.inst, x.thread, x.number) {
                None => self.decision(&[x.inst], x.thread, path),
                // It stores elsewhere.
                Some(time) => {
                    let times = if in_right { (x.time, time) } else { (time, x.time) };
                    let (address, _) = self.facts.module.inst(x.inst).op.address_and_values();
                    if !self.operands(&address, x.thread, times, path) {
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

    fn store_link(&self, write: &Write, in_right: bool, in_wrong: bool) -> Link {
        let inst = write.inst;
        let span = self.facts.module.inst(inst).span;
        Link { span, inst, thread: write.thread, what: What::Store { in_right, in_wrong } }
    }
}
