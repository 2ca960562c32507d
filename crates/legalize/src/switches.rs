//! Switches as cascades of `if`s, where a case falls through or sees which lanes execute it together.
//!
//! A device jumps: it may run lanes with different selectors apart although they share a case, and says nothing of
//! where lanes that fall through meet those that select the next case. A cascade tests one case group after the other
//! and runs its body with the lanes that selected any of its labels or fell in, which is the IR's rule word for word;
//! lanes that exit wait at the end of the block around it.

use ir::{Case, Inst, Op, Region, Value, Values};
use ops::{Binary, Compare, Ty};

use crate::target::{Class, Has};
use crate::writer::Writer;

impl Writer<'_> {
    pub(crate) fn switch(&self, inst: Inst, selector: Value, cases: &[Case], inits: &[Value]) {
        let selector = self.get(selector);
        let is_kept = match self.target.has(Class::Switch, self.ty(selector)) {
            Has::Exact | Has::Near => true,
            Has::Partly => is_plain(self.source, cases),
            Has::No => false,
        };
        if !is_kept {
            return self.cascade(inst, selector, cases, inits);
        }
        let inits = self.get_all(inits);
        let new = self.reserve(inst);
        let case = |it: &Case| Case { body: self.region(it.body), ..it.clone() };
        let cases = cases.iter().map(case).collect();
        self.fill(new, Op::Switch { selector, cases, inits }, &self.source.inst(inst).results);
    }

    fn cascade(&self, inst: Inst, selector: Value, cases: &[Case], inits: &[Value]) {
        let span = self.source.inst(inst).span;
        let results = &self.source.inst(inst).results;
        let types: Values = results.clone();
        let mut types: Vec<Ty> = types.iter().map(|it| self.held(self.source.ty(*it))).collect();
        let mut carried = self.get_all(inits);
        let block = self.reserve(inst);
        self.open(&[]);
        let selected = self.selected(selector, cases);
        types.push(Ty::I32);
        let mut fallen = None;
        for (case, selected) in cases.iter().zip(selected) {
            self.at(span);
            let enters = match (fallen, selected) {
                (Some(fallen), Some(selected)) => Some(self.op2(Binary::Or, fallen, selected)),
                (some, None) | (None, some) => some,
            };
            let cond = match enters {
                Some(enters) => self.test(Compare::Ne, enters, self.word(0)),
                None => self.constant(Ty::Bool, 0),
            };
            let branch = self.construct_begins();
            let (then, falls) = self.case(case.body, &carried);
            self.at(span);
            self.open(&[]);
            if falls {
                carried.push(self.word(0));
            }
            let else_ = self.close_with(if falls { &carried } else { &[] });
            let types = if falls { types.as_slice() } else { &[] };
            let mut results = self.construct_ends(branch, Op::If { cond, then, else_ }, types);
            fallen = results.pop();
            if falls {
                carried = results;
            }
        }
        let body = self.close_with(&carried);
        self.fill(block, Op::Block { body }, results);
    }

    /// For each case whether its labels are selected, the default taking what no other does: as words, 1 or 0. Of
    /// conditions joined by `or` a driver's compiler makes a new switch, and then forgets in loops behind it
    /// which lanes run together (NVIDIA 580).
    fn selected(&self, selector: Value, cases: &[Case]) -> Vec<Option<Value>> {
        let ty = self.ty(selector);
        let any = |words: &mut dyn Iterator<Item = Value>| {
            words.reduce(|any, word| self.op2(Binary::Or, any, word))
        };
        let is_label = |label: &u64| {
            let equal = self.test(Compare::Eq, selector, self.constant(ty, *label));
            self.choose(equal, self.word(1), self.word(0))
        };
        let mut selected: Vec<Option<Value>> =
            cases.iter().map(|case| any(&mut case.labels.iter().map(is_label))).collect();
        if let Some(default) = cases.iter().position(|case| case.default) {
            selected[default] = None;
            let others = any(&mut selected.iter().copied().flatten());
            selected[default] = Some(match others {
                Some(others) => self.op2(Binary::Xor, others, self.word(1)),
                None => self.word(1),
            });
        }
        selected
    }

    /// The body of a case that lanes enter with these values, and whether lanes reach its end: it yields then what they
    /// carry, and 1.
    fn case(&self, body: Region, carried: &[Value]) -> (Region, bool) {
        self.open(&[]);
        let source = self.source.region(body);
        for (param, value) in source.params.iter().zip(carried) {
            self.set(*param, *value);
        }
        let Some((last, insts)) = source.insts.split_last() else {
            unreachable!("the verifier has checked that a region ends in a terminator")
        };
        insts.iter().for_each(|it| self.inst(*it));
        let Op::Yield(args) = &self.source.inst(*last).op else {
            self.inst(*last);
            return (self.close(), false);
        };
        let mut values = self.get_all(args);
        values.push(self.word(1));
        (self.close_with(&values), true)
    }
}

/// Whether no case falls through, except out of the last one, and none sees which lanes run it together.
pub(crate) fn is_plain(module: &ir::Module, cases: &[Case]) -> bool {
    let Some((_, before)) = cases.split_last() else { return true };
    before.iter().all(|case| ir::flow::yielded(module, case.body).is_none())
        && cases.iter().all(|case| !module.sees_lanes(case.body))
}
