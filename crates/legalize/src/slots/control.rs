//! Constructs that all lanes of the device walk through together, by flags.
//!
//! Invariant: branches depend only on votes and on values that are the same in all lanes, so all lanes execute each
//! instruction that is appended here, in the same order.
//!
//! The active set is the one that the IR defines, by induction over the structure: an arm of an `if` runs with the
//! slots that selected it, and the `if` ends with those that reached the end of either arm; a round of a loop runs with
//! those that reached the end of the body, and the loop ends with those that exited to it; a case of a `switch` runs
//! with those that selected it and those that fell through. An exit moves its slots from the active set into the set of
//! those that have left to one construct.
//!
//! In SSA form, what an exit changes leaves each construct on the way as a result: [`Joined`] lists these.

use ir::{Case, Inst, Op, Region, Value, Values};
use ops::{Compare, Ty};

use super::{Left, Slots, Slotted};
use crate::constructs::Contents;

/// A region with more instructions than this is skipped if no lane is active.
const LONG: u32 = 24;

/// What a construct hands on: its results, the lanes that reach its end, and what exits from it change.
pub(super) struct Joined {
    /// Results of the source.
    results: Values,
    /// Whether the active set changes.
    pub(super) acts: bool,
    /// The constructs around it to which lanes leave one by one.
    pub(super) exits: Vec<Inst>,
    /// Whether lanes return, and an instruction needs to know which have.
    pub(super) returns: bool,
}

impl Slotted<'_> {
    fn joined(&self, contents: &Contents, results: &[Value]) -> Joined {
        let exits: Vec<Inst> =
            contents.exits.iter().copied().filter(|it| self.left.contains_key(it)).collect();
        Joined {
            results: results.iter().copied().collect(),
            acts: contents.returns || !exits.is_empty(),
            exits,
            returns: contents.returns && self.live.is_some(),
        }
    }

    fn types(&self, joined: &Joined) -> Vec<Ty> {
        let mut types = Vec::new();
        for result in &joined.results {
            let count = if self.same.value(*result) { 1 } else { self.slots };
            types.extend(std::iter::repeat_n(self.source.ty(*result), count));
        }
        if joined.acts {
            types.extend(std::iter::repeat_n(Ty::Bool, self.slots));
        }
        types.extend(self.state(joined).into_iter().map(|it| self.writer.ty(it)));
        types
    }

    /// What exits change, as it is now.
    fn state(&self, joined: &Joined) -> Values {
        let mut all = Values::new();
        for inst in &joined.exits {
            let left = &self.left[inst];
            all.extend(left.out.iter().chain(left.results.iter().flatten()).copied());
        }
        if let Some(live) = self.live.as_ref().filter(|_| joined.returns) {
            all.extend(live.iter().copied());
        }
        all
    }

    fn set_state(&mut self, joined: &Joined, news: &[Value]) {
        let mut news = news.iter().copied();
        let mut replace = |old: &mut Slots| {
            for place in old {
                let new = news.next();
                *place = new.unwrap_or_else(|| unreachable!("`state` gives as many values"));
            }
        };
        for inst in &joined.exits {
            if let Some(left) = self.left.get_mut(inst) {
                replace(&mut left.out);
                left.results.iter_mut().for_each(&mut replace);
            }
        }
        if let Some(live) = self.live.as_mut().filter(|_| joined.returns) {
            replace(live);
        }
    }

    /// All that a construct hands on. Without `yields`, no lane reaches the end of the region.
    fn packed(&self, joined: &Joined, yields: Option<&[Slots]>, act: &[Value]) -> Values {
        let mut all = Values::new();
        for (number, result) in joined.results.iter().enumerate() {
            let count = if self.same.value(*result) { 1 } else { self.slots };
            match yields {
                Some(yields) => all.extend(yields[number][..count].iter().copied()),
                None => all.extend(self.zeros(self.source.ty(*result))[..count].iter().copied()),
            }
        }
        match (joined.acts, yields) {
            (false, _) => {}
            (true, Some(_)) => all.extend(act.iter().copied()),
            (true, None) => all.extend(self.never()),
        }
        all.extend(self.state(joined));
        all
    }

    /// The results in each slot and the lanes that reach the end; sets what exits have changed.
    fn unpacked(
        &mut self,
        joined: &Joined,
        news: &[Value],
        before: &[Value],
    ) -> (Vec<Slots>, Slots) {
        let mut rest = news;
        let mut take = |count: usize| {
            let (taken, left) = rest.split_at(count);
            rest = left;
            taken.to_vec()
        };
        let mut results = Vec::new();
        for result in &joined.results {
            results.push(match self.same.value(*result) {
                true => vec![take(1)[0]; self.slots],
                false => take(self.slots),
            });
        }
        let act = if joined.acts { take(self.slots) } else { before.to_vec() };
        self.set_state(joined, rest);
        (results, act)
    }

    /// An `if` of all lanes.
    fn branch(
        &mut self,
        cond: Value,
        joined: &Joined,
        then: impl FnOnce(&mut Self) -> Option<Vec<Slots>>,
        otherwise: impl FnOnce(&mut Self) -> Option<Vec<Slots>>,
    ) -> (Vec<Slots>, Slots) {
        let before = self.act.clone();
        let types = self.types(joined);
        let (left, live) = (self.left.clone(), self.live.clone());
        let branch = self.writer.construct_begins();
        let then = self.arm_of(joined, then);
        (self.left, self.live, self.act) = (left.clone(), live.clone(), before.clone());
        let else_ = self.arm_of(joined, otherwise);
        (self.left, self.live, self.act) = (left, live, before.clone());
        let news = self.writer.construct_ends(branch, Op::If { cond, then, else_ }, &types);
        self.unpacked(joined, &news, &before)
    }

    fn arm_of(
        &mut self,
        joined: &Joined,
        contents: impl FnOnce(&mut Self) -> Option<Vec<Slots>>,
    ) -> Region {
        let masks = self.masks.len();
        self.writer.open(&[]);
        let yields = contents(self);
        self.masks.truncate(masks);
        if self.writer.is_terminated() {
            return self.writer.close();
        }
        let all = self.packed(joined, yields.as_deref(), &self.act);
        self.writer.close_with(&all)
    }

    /// A region that all lanes walk through. What it yields, in each slot.
    pub(super) fn linear(&mut self, region: Region) -> Option<Vec<Slots>> {
        let source = self.source;
        for inst in &source.region(region).insts {
            match &source.inst(*inst).op {
                Op::Yield(values) => return Some(values.iter().map(|it| self.all(*it)).collect()),
                Op::Exit { to, args } => {
                    self.exit(*to, args);
                    return None;
                }
                Op::Return => {
                    if let Some(live) = self.live.take() {
                        let left = live.iter().zip(self.act.clone());
                        let left = left.map(|(live, act)| self.and(*live, self.not(act))).collect();
                        self.live = Some(left);
                    }
                    self.act = self.never();
                    return None;
                }
                _ => self.inst(*inst),
            }
        }
        unreachable!("the verifier has checked that a region ends in a terminator")
    }

    fn exit(&mut self, to: Inst, args: &[Value]) {
        if let Some(new) = self.together.get(&to).copied() {
            let results = &self.source.inst(to).results;
            let args = self.single_or_all(results, args);
            self.writer.add(Op::Exit { to: new, args }, &[]);
            return;
        }
        let Some(mut left) = self.left.remove(&to) else {
            unreachable!("the verifier has checked that an exit names a construct around it")
        };
        let args: Vec<Slots> = args.iter().map(|it| self.all(*it)).collect();
        for slot in 0..self.slots {
            let act = self.act[slot];
            left.out[slot] = self.or(left.out[slot], act);
            for (result, arg) in left.results.iter_mut().zip(&args) {
                result[slot] = self.choose(act, arg[slot], result[slot]);
            }
        }
        self.left.insert(to, left);
        self.act = self.never();
    }

    /// For each value one, if that of `like` is the same in all slots, otherwise one for each.
    fn single_or_all(&self, like: &[Value], values: &[Value]) -> Values {
        let mut all = Values::new();
        for (like, value) in like.iter().zip(values) {
            let count = if self.same.value(*like) { 1 } else { self.slots };
            all.extend((0..count).map(|slot| self.get(slot, *value)));
        }
        all
    }

    pub(super) fn construct(&mut self, inst: Inst) {
        let source = self.source;
        let data = source.inst(inst);
        let together = self.same.goes_together(source, inst);
        match &data.op {
            Op::If { cond, then, else_ } if together => {
                let cond = self.get(0, *cond);
                let joined = self.joined(self.constructs.of_inst(inst), &data.results);
                let (results, act) =
                    self.branch(cond, &joined, |it| it.linear(*then), |it| it.linear(*else_));
                self.ends(inst, &results, act);
            }
            Op::Loop { body, inits } if together => self.loop_together(inst, *body, inits),
            _ if !self.constructs.of_inst(inst).is_collective() => self.copies(inst),
            Op::If { cond, then, else_ } => self.if_(inst, *cond, *then, *else_),
            Op::Loop { body, inits } => self.loop_(inst, *body, inits),
            Op::Switch { selector, cases, inits } => self.switch(inst, *selector, cases, inits),
            Op::Block { body } => self.block(inst, *body),
            _ => unreachable!("only these instructions have regions"),
        }
        if self.constructs.of_inst(inst).returns {
            self.end_if_all_returned();
        }
    }

    /// The end of a construct: its results, and the lanes that reach it.
    pub(super) fn ends(&mut self, inst: Inst, results: &[Slots], act: Slots) {
        let source = self.source;
        for (result, new) in source.inst(inst).results.iter().zip(results) {
            self.set_all(*result, new);
        }
        self.act = act;
    }

    /// A wave without lanes must not reach later barriers out of step.
    fn end_if_all_returned(&mut self) {
        let Some(live) = self.live.clone() else { return };
        let any = self.any(&live);
        let none = self.not(any);
        if self.known(none) == Some(false) {
            return;
        }
        self.writer.open(&[]);
        self.writer.add(Op::Return, &[]);
        let then = self.writer.close();
        self.writer.open(&[]);
        let else_ = self.writer.close_with(&[]);
        self.writer.add(Op::If { cond: none, then, else_ }, &[]);
    }

    /// A region for the lanes of `act`: what it yields as `results`, and the lanes that reach its end. It is skipped if
    /// it is long and no lane is active.
    fn arm(
        &mut self,
        region: Region,
        act: Slots,
        results: &[Value],
    ) -> (Option<Vec<Slots>>, Slots) {
        if act.iter().all(|it| self.known(*it) == Some(false)) {
            return (None, act);
        }
        let contents = self.constructs.of_region(region);
        let skips = contents.has_loop || !contents.touched.is_empty() || contents.size > LONG;
        let any = if skips { self.any(&act) } else { self.no() };
        if !skips || self.known(any) == Some(true) {
            self.act = act;
            let yields = self.linear(region);
            return match yields {
                Some(yields) => (Some(yields), self.act.clone()),
                None => (None, self.never()),
            };
        }
        let joined = self.joined(self.constructs.of_region(region), results);
        let mut reaches = false;
        let before = std::mem::replace(&mut self.act, act);
        let contents = |it: &mut Self| {
            let yields = it.linear(region);
            reaches = yields.is_some();
            yields
        };
        let (results, act) = self.branch(any, &joined, contents, |_| None);
        self.act = before;
        match reaches {
            true => (Some(results), act),
            false => (None, self.never()),
        }
    }

    fn if_(&mut self, inst: Inst, cond: Value, then: Region, else_: Region) {
        let source = self.source;
        let results = &source.inst(inst).results;
        let before = self.act.clone();
        let cond = self.all(cond);
        let of = |it: &Self, opposite: bool| -> Slots {
            let each = before.iter().zip(&cond);
            each.map(|(act, cond)| it.and(*act, if opposite { it.not(*cond) } else { *cond }))
                .collect()
        };
        let yes = of(self, false);
        let (a, after_yes) = self.arm(then, yes, results);
        let no = of(self, true);
        let (b, after_no) = self.arm(else_, no, results);
        let joined = match (a, b) {
            (Some(a), Some(b)) => self.chosen(&cond, &a, &b),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => results.iter().map(|it| self.zeros(source.ty(*it))).collect(),
        };
        let act = match self.constructs.of_inst(inst).escapes() {
            true => self.either(&after_yes, &after_no),
            false => before,
        };
        self.ends(inst, &joined, act);
    }

    fn either(&self, a: &[Value], b: &[Value]) -> Slots {
        a.iter().zip(b).map(|(a, b)| self.or(*a, *b)).collect()
    }

    fn chosen(&self, cond: &[Value], yes: &[Slots], no: &[Slots]) -> Vec<Slots> {
        let pick = |yes: &Slots, no: &Slots| -> Slots {
            let each = cond.iter().zip(yes.iter().zip(no));
            each.map(|(cond, (yes, no))| self.choose(*cond, *yes, *no)).collect()
        };
        yes.iter().zip(no).map(|(yes, no)| pick(yes, no)).collect()
    }

    /// Begins a construct that lanes leave one by one.
    fn leave_singly(&mut self, inst: Inst) {
        let source = self.source;
        let results = &source.inst(inst).results;
        let results = results.iter().map(|it| self.zeros(source.ty(*it))).collect();
        self.left.insert(inst, Left { out: self.never(), results });
    }

    fn left(&mut self, inst: Inst) -> Left {
        let left = self.left.remove(&inst);
        left.unwrap_or_else(|| unreachable!("`leave_singly` has added it"))
    }

    fn loop_(&mut self, inst: Inst, body: Region, inits: &[Value]) {
        let source = self.source;
        let before = self.act.clone();
        let params = &source.region(body).params;
        self.leave_singly(inst);
        let mut joined = self.joined(self.constructs.of_inst(inst), &[]);
        joined.exits.push(inst);
        let mut carried: Values = before.iter().copied().collect();
        carried.extend(inits.iter().flat_map(|it| self.all(*it)));
        let first = carried.len();
        carried.extend(self.state(&joined));
        let types: Vec<Ty> = carried.iter().map(|it| self.writer.ty(*it)).collect();
        let new = self.writer.construct_begins();
        let (_, news) = self.writer.open(&types);
        let masks = self.masks.len();
        self.act = news[..self.slots].to_vec();
        for (param, new) in params.iter().zip(news[self.slots..].chunks(self.slots)) {
            self.set_all(*param, new);
        }
        self.set_state(&joined, &news[first..]);
        let any = self.any(&self.act);
        let none = self.not(any);
        self.writer.leave_if(none, new, &news[first..]);
        let yields = self.linear(body);
        let act = if yields.is_some() { self.act.clone() } else { self.never() };
        let mut next: Values = act.into_iter().collect();
        match yields {
            Some(yields) => next.extend(yields.into_iter().flatten()),
            None => next.extend(params.iter().flat_map(|it| self.zeros(source.ty(*it)))),
        }
        next.extend(self.state(&joined));
        let body = self.writer.close_with(&next);
        self.masks.truncate(masks);
        let op = Op::Loop { body, inits: carried };
        let news = self.writer.construct_ends(new, op, &types[first..]);
        self.set_state(&joined, &news);
        let left = self.left(inst);
        // Without an escape, all lanes leave in the end.
        let act = if self.constructs.of_inst(inst).escapes() { left.out } else { before };
        self.ends(inst, &left.results, act);
    }

    /// A loop that all lanes leave together. Without active lanes, it might never end.
    fn loop_together(&mut self, inst: Inst, body: Region, inits: &[Value]) {
        let results = &self.source.inst(inst).results;
        let before = self.act.clone();
        let any = self.any(&before);
        let results = match self.known(any) {
            Some(true) => self.rounds_together(inst, body, inits),
            _ => {
                let joined = self.joined(self.constructs.of_inst(inst), results);
                let rounds = |it: &mut Self| Some(it.rounds_together(inst, body, inits));
                self.branch(any, &joined, rounds, |_| None).0
            }
        };
        self.ends(inst, &results, before);
    }

    fn rounds_together(&mut self, inst: Inst, body: Region, inits: &[Value]) -> Vec<Slots> {
        let source = self.source;
        let (params, results) = (&source.region(body).params, &source.inst(inst).results);
        let inits = self.single_or_all(params, inits);
        let types: Vec<Ty> = inits.iter().map(|it| self.writer.ty(*it)).collect();
        let new = self.writer.construct_begins();
        let (_, news) = self.writer.open(&types);
        let masks = self.masks.len();
        let mut news = news.into_iter();
        for param in params {
            let count = if self.same.value(*param) { 1 } else { self.slots };
            let new: Slots = news.by_ref().take(count).collect();
            self.set_all(*param, &new);
        }
        self.together.insert(inst, new);
        self.linear(body);
        self.together.remove(&inst);
        self.masks.truncate(masks);
        let body = match (self.writer.is_terminated(), ir::flow::yielded(source, body)) {
            (false, Some(next)) => {
                let next = self.single_or_all(params, next);
                self.writer.close_with(&next)
            }
            _ => self.writer.close(),
        };
        let joined = self.joined(&Contents::default(), results);
        let types = self.types(&joined);
        let news = self.writer.construct_ends(new, Op::Loop { body, inits }, &types);
        let act = self.act.clone();
        self.unpacked(&joined, &news, &act).0
    }

    fn block(&mut self, inst: Inst, body: Region) {
        let before = self.act.clone();
        self.leave_singly(inst);
        let yields = self.linear(body);
        let after = if yields.is_some() { self.act.clone() } else { self.never() };
        let left = self.left(inst);
        let results = match yields {
            Some(yields) => self.chosen(&after, &yields, &left.results),
            None => left.results,
        };
        let act = match self.constructs.of_inst(inst).escapes() {
            true => self.either(&after, &left.out),
            false => before,
        };
        self.ends(inst, &results, act);
    }

    fn switch(&mut self, inst: Inst, selector: Value, cases: &[Case], inits: &[Value]) {
        let source = self.source;
        let results = &source.inst(inst).results;
        let before = self.act.clone();
        let inits: Vec<Slots> = inits.iter().map(|it| self.all(*it)).collect();
        let (selected, default) = self.selected(selector, cases);
        self.leave_singly(inst);
        // The lanes that fall into the next case with these values.
        let mut falls = (self.never(), inits.clone());
        for (number, (case, selected)) in cases.iter().zip(selected).enumerate() {
            let params = &source.region(case.body).params;
            let enters: Slots =
                before.iter().zip(&selected).map(|(act, it)| self.and(*act, *it)).collect();
            let values = self.chosen(&enters, &inits, &falls.1);
            for (param, value) in params.iter().zip(&values) {
                self.set_all(*param, value);
            }
            let act = self.either(&falls.0, &enters);
            let next = cases.get(number + 1).map(|it| &source.region(it.body).params);
            let (yields, reached) = self.arm(case.body, act, next.unwrap_or(results));
            falls = (reached, yields.unwrap_or_else(|| inits.clone()));
        }
        let none: Slots = match cases.iter().any(|it| it.default) {
            true => self.never(),
            false => before.iter().zip(&default).map(|(act, it)| self.and(*act, *it)).collect(),
        };
        let left = self.left(inst);
        let fallen = self.chosen(&falls.0, &falls.1, &left.results);
        let joined = self.chosen(&none, &inits, &fallen);
        let act = match self.constructs.of_inst(inst).escapes() {
            true => self.either(&self.either(&falls.0, &left.out), &none),
            false => before,
        };
        self.ends(inst, &joined, act);
    }

    /// For each case where it is selected, and where no label is.
    fn selected(&self, selector: Value, cases: &[Case]) -> (Vec<Slots>, Slots) {
        let ty = self.source.ty(selector);
        let selector = self.all(selector);
        let labelled = |labels: &[u64]| -> Slots {
            let is = |value: &Value| {
                let mut tests = labels.iter().map(|label| match ty {
                    Ty::Bool if label & 1 == 1 => *value,
                    Ty::Bool => self.not(*value),
                    ty => self.writer.test(Compare::Eq, *value, self.writer.constant(ty, *label)),
                });
                tests.by_ref().fold(self.no(), |any, it| self.or(any, it))
            };
            selector.iter().map(is).collect()
        };
        let mut selected: Vec<Slots> = cases.iter().map(|it| labelled(&it.labels)).collect();
        let any = selected.iter().fold(self.never(), |any, it| self.either(&any, it));
        let default: Slots = any.iter().map(|it| self.not(*it)).collect();
        for (case, selected) in cases.iter().zip(&mut selected) {
            if case.default {
                *selected = self.either(selected, &default);
            }
        }
        (selected, default)
    }
}
