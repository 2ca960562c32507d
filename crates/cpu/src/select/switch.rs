//! Switches: the cases in the order of the text, each with the lanes that select it and those that fall through into
//! it.
//!
//! The lanes that select a case are computed at the start of the case, so that few masks are live at a time, however
//! many cases there are. A range of many cases is skipped if no lane falls through into it and no selector is between
//! its least and greatest label, and likewise its halves (binary search): a switch with ordered labels costs a wave the
//! logarithm of their number for each label that its lanes select.

use ir::{Case, Inst, Value};
use std::ops::Range;

use super::control::{End, Open, Origin};
use super::{Kept, Selector, Variable};
use crate::machine::*;
use crate::vector::*;

/// Fewer cases than this are tested one by one.
const LEAF: usize = 6;

/// A switch whose cases are being selected.
struct Switch<'a> {
    selector: Value,
    cases: &'a [Case],
    inits: &'a [Value],
    results: Vec<Variable>,
    /// The parameters of each case, defined shortly before the first lane can reach it: a variable that is read far
    /// from its definition needs a parameter in every block between.
    params: Vec<Option<Vec<Variable>>>,
    /// The lanes that entered the switch.
    before: Vec<VReg>,
    /// Those that have not selected any of the cases so far.
    rest: Vec<Var>,
    /// Those that fall through into the next case.
    falling: Vec<Var>,
    /// Those that wait at its end.
    waiting: Vec<Var>,
}

impl Selector<'_> {
    pub(super) fn switch(
        &mut self,
        inst: Inst,
        selector: Value,
        cases: &[Case],
        inits: &[Value],
    ) -> bool {
        let results = self.results(inst);
        let before = self.active();
        let none = vec![self.a.mask_constant(0); self.chunks];
        let waiting = self.mask_variables(&none);
        let open = Open { results: results.clone(), end: End::Apart(waiting.clone()) };
        self.constructs.insert(inst, open.clone());
        let lost = self.loses_beyond(inst);
        let has_default = cases.iter().any(|it| it.default);
        if !has_default {
            // Lanes that select no case leave with the initial values; all others overwrite them.
            for (variable, init) in results.iter().zip(inits) {
                self.assign(variable, *init, None);
            }
        }
        let mut switch = Switch {
            selector,
            cases,
            inits,
            params: vec![None; cases.len()],
            rest: self.mask_variables(&before),
            falling: self.mask_variables(&none),
            results,
            before: before.clone(),
            waiting,
        };
        self.cases(&mut switch, 0..cases.len());
        if !has_default {
            let rest = self.read_all(&switch.rest);
            self.join(&switch.waiting, &rest);
        }
        self.end(inst, &open, &before, true, lost)
    }

    pub(super) fn mask_variables(&mut self, values: &[VReg]) -> Vec<Var> {
        let class = self.a.mask_class();
        let variables: Vec<Var> = values.iter().map(|_| self.a.b.var(class)).collect();
        self.write_all(&variables, values);
        variables
    }

    pub(super) fn read_all(&mut self, variables: &[Var]) -> Vec<VReg> {
        variables.iter().map(|it| self.a.b.read(*it)).collect()
    }

    pub(super) fn write_all(&mut self, variables: &[Var], values: &[VReg]) {
        variables.iter().zip(values).for_each(|(var, value)| self.a.b.write(*var, *value));
    }

    /// Applies an operation to two masks, chunk by chunk.
    fn combine(
        &mut self,
        a: &[VReg],
        b: &[VReg],
        op: impl Fn(&mut Assembler, VReg, VReg) -> VReg,
    ) -> Vec<VReg> {
        a.iter().zip(b).map(|(a, b)| op(&mut self.a, *a, *b)).collect()
    }

    /// Skips the code that `run` selects if it has no active lanes; `run` returns whether its end is reachable.
    pub(super) fn only_for(&mut self, lanes: &[VReg], run: impl FnOnce(&mut Self) -> bool) {
        let (some, over, next) = (self.a.b.block(), self.a.b.block(), self.a.b.block());
        self.a.test_any(lanes);
        self.a.b.branch(Condition::NotZero, some, over);
        self.a.b.switch_to(over);
        self.a.b.jump(next);
        self.a.b.switch_to(some);
        self.copies.push(Default::default());
        if run(self) {
            self.a.b.jump(next);
        }
        self.copies.pop();
        self.a.b.seal(next);
        self.a.b.switch_to(next);
    }

    /// A range of cases, which is skipped as a whole if no lane needs it.
    fn cases(&mut self, switch: &mut Switch<'_>, range: Range<usize>) {
        if range.len() < LEAF {
            return range.for_each(|index| self.case(switch, index));
        }
        let near = self.selects_near(switch, &switch.cases[range.clone()]);
        let lanes = near.map(|near| {
            let falling = self.read_all(&switch.falling);
            self.combine(&near, &falling, |a, near, falling| a.mask_or(near, falling))
        });
        // Lanes fall through into the first case from before the range, and from its last case into the one after.
        self.params(switch, range.start);
        self.params(switch, range.end);
        let middle = range.start + range.len() / 2;
        let mut halves = |s: &mut Self| {
            s.cases(switch, range.start..middle);
            s.cases(switch, middle..range.end);
            true
        };
        match lanes {
            Some(lanes) => self.only_for(&lanes, halves),
            None => {
                halves(self);
            }
        }
    }

    /// The variables that hold a case's parameters for lanes that reach it: the results, after the last case.
    fn params(&mut self, switch: &mut Switch<'_>, index: usize) -> Vec<Variable> {
        let Some(case) = switch.cases.get(index) else { return switch.results.clone() };
        if switch.params[index].is_none() {
            let params = &self.module.region(case.body).params;
            switch.params[index] = Some(params.iter().map(|it| self.variable(*it)).collect());
        }
        switch.params[index].clone().unwrap_or_default()
    }

    /// The lanes whose selector is between the least and the greatest label of some cases, a superset of those that
    /// select one of them. `None` if that does not help: for a default, and for selectors of other sizes.
    fn selects_near(&mut self, switch: &Switch<'_>, cases: &[Case]) -> Option<Vec<VReg>> {
        if self.ty(switch.selector).repr() != ops::Repr::Word || cases.iter().any(|it| it.default) {
            return None;
        }
        let labels = || cases.iter().flat_map(|it| &it.labels).map(|it| *it as i32);
        let (least, greatest) = (labels().min()?, labels().max()?);
        let bounds = [least, greatest].map(|it| self.a.constant_word(it as u32));
        let words = self.words(switch.selector);
        let near = words.into_iter().zip(&switch.before).map(|(word, before)| {
            let above = self.a.test(Test::Ge, Kind::SignedWord, word, bounds[0], None);
            let below = self.a.test(Test::Le, Kind::SignedWord, word, bounds[1], None);
            let both = self.a.mask_and(above, below);
            self.a.mask_and(both, *before)
        });
        Some(near.collect())
    }

    fn case(&mut self, switch: &mut Switch<'_>, index: usize) {
        let module = self.module;
        let case = &switch.cases[index];
        let [params, to] = [index, index + 1].map(|it| self.params(switch, it));
        let none = vec![self.a.mask_constant(0); self.chunks];
        let mut labelled = none.clone();
        for label in &case.labels {
            let equal = self.equals(switch.selector, *label);
            labelled = self.combine(&labelled, &equal, |a, all, equal| a.mask_or(all, equal));
        }
        let before = self.without_retired(switch.before.clone());
        let mut selecting = self.combine(&labelled, &before, |a, own, all| a.mask_and(own, all));
        let rest = self.read_all(&switch.rest);
        if case.default {
            // Lanes that select neither an earlier nor a later case.
            let mut others = rest;
            for label in switch.cases[index + 1..].iter().flat_map(|it| &it.labels) {
                let equal = self.equals(switch.selector, *label);
                others = self.combine(&others, &equal, |a, all, own| a.mask_without(all, own));
            }
            let others = self.without_retired(others);
            selecting = self.combine(&selecting, &others, |a, own, rest| a.mask_or(own, rest));
        } else {
            let rest = self.combine(&rest, &selecting, |a, all, own| a.mask_without(all, own));
            self.write_all(&switch.rest, &rest);
        }
        let falls = self.read_all(&switch.falling);
        let falls = self.without_retired(falls);
        let lanes = self.combine(&selecting, &falls, |a, own, falls| a.mask_or(own, falls));
        self.write_all(&switch.falling, &none);
        self.only_for(&lanes, |s| {
            s.begin_case(&params, switch.inits, &selecting);
            s.set_active(&lanes);
            for (param, variable) in module.region(case.body).params.iter().zip(&params) {
                let home = s.read(variable);
                s.set(*param, home);
            }
            let args = s.yielded(case.body);
            let reached = s.nested(case.body, Origin::default(), |s| {
                let lanes = s.active();
                for (variable, arg) in to.iter().zip(args) {
                    s.assign(variable, *arg, Some(&lanes));
                }
            });
            if reached {
                let lanes = s.active();
                let is_last = index + 1 == switch.cases.len();
                s.join(if is_last { &switch.waiting } else { &switch.falling }, &lanes);
            }
            reached
        });
    }

    /// Lanes that select a case get the initial values; those that fell through have set theirs.
    fn begin_case(&mut self, params: &[Variable], inits: &[Value], selecting: &[VReg]) {
        for (variable, init) in params.iter().zip(inits) {
            match &variable.0 {
                // All lanes arrive the same way: by selection, if any lane selects the case.
                Kept::General(_) | Kept::Splat(_) | Kept::Affine(..) => {
                    let (yes, no, end) = (self.a.b.block(), self.a.b.block(), self.a.b.block());
                    self.a.test_any(selecting);
                    self.a.b.branch(Condition::NotZero, yes, no);
                    self.a.b.switch_to(no);
                    self.a.b.jump(end);
                    self.a.b.switch_to(yes);
                    self.assign(variable, *init, None);
                    self.a.b.jump(end);
                    self.a.b.seal(end);
                    self.a.b.switch_to(end);
                }
                Kept::Words(_) | Kept::Longs(_) | Kept::Bits(_) => {
                    self.assign(variable, *init, Some(selecting));
                }
            }
        }
    }

    /// The lanes whose selector has these bits.
    fn equals(&mut self, selector: Value, label: u64) -> Vec<VReg> {
        match self.ty(selector).repr() {
            ops::Repr::Word => {
                let label = self.a.constant_word(label as u32);
                let words = self.words(selector);
                let test =
                    |s: &mut Self, it: VReg| s.a.test(Test::Eq, Kind::SignedWord, it, label, None);
                words.into_iter().map(|it| test(self, it)).collect()
            }
            ops::Repr::Long => {
                let label = self.a.constant_long(label);
                let longs = self.longs(selector);
                longs
                    .chunks(2)
                    .map(|it| {
                        self.a.test_long(Test::Eq, Kind::SignedLong, [it[0], it[1]], [label; 2])
                    })
                    .collect()
            }
            ops::Repr::Bit => {
                let bits = self.bits(selector);
                let flip =
                    |s: &mut Self, it: VReg| if label & 1 == 1 { it } else { s.a.mask_not(it) };
                bits.into_iter().map(|it| flip(self, it)).collect()
            }
        }
    }
}
