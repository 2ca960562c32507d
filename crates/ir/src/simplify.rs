//! Cleans up after lowering: φ pruning (parameters and results that only pass a value on), removal of unused ones,
//! and dead-code elimination of arithmetic. The rest is renumbered in textual order.
//!
//! Nothing is folded, so that no poison is hidden, and nothing that an observer could see is removed: loads,
//! stores, atomics, wave operations, barriers and all control flow stay, whether their results are used or not.
//! The module has the same events before and after.
//!
//! The time is linear in the size of the module, except for parameters that pass on each other in long chains.
//! The module need not be verified, but must come from [`crate::Builder`]; what is unreachable from its body is
//! dropped.

use crate::flow::{Step, Structure, yielded};
use crate::notes::{self, ScopeId};
use crate::{Inst, InstData, Module, Op, Region, RegionData, Value, ValueData, ValueDef, Values};

/// Removes unused parts, and renumbers the rest. Returns the work, in examined values.
pub fn prune(module: &mut Module) -> u64 {
    prune_counted(module).0
}

/// The same; gives the new numbers of instructions and values instead.
pub(crate) fn prune_mapped(module: &mut Module) -> (Vec<Option<Inst>>, Vec<Option<Value>>) {
    let Numbers { values, insts, .. } = prune_counted(module).1;
    (insts, values)
}

fn prune_counted(module: &mut Module) -> (u64, Numbers) {
    let tree = Structure::of(module);
    let (passed_on, compared) = pass_on(module, &tree);
    for step in &tree.steps {
        if let Step::Inst(inst) = step {
            module.insts[inst.index()].op.for_each_operand(|it| *it = passed_on[it.index()]);
        }
    }
    for value in module.variables.iter_mut().flat_map(|variable| &mut variable.values) {
        *value = passed_on[value.index()];
    }
    for (value, _) in &mut module.non_uniform {
        *value = passed_on[value.index()];
    }
    let (needed, demanded) = Needed::of(module, &tree);
    let numbers = rebuild(module, &tree, &needed);
    notes::drop_unused_scopes(module);
    (compared + demanded, numbers)
}

// Trivial φs.

/// A φ: a parameter or result that takes one of several values.
struct Phi {
    value: Value,
    /// The depth of the region that contains its construct.
    depth: u32,
    sources: Values,
}

/// Linked lists of numbers, one for each value, in one arena: nearly all are empty or have one number.
struct Lists {
    /// The position of the first link of each list.
    first: Vec<u32>,
    /// A number, and the position of the next link.
    links: Vec<(u32, u32)>,
}

impl Lists {
    const END: u32 = u32::MAX;

    fn new(count: usize) -> Lists {
        Lists { first: vec![Lists::END; count], links: Vec::new() }
    }

    fn push(&mut self, list: Value, number: u32) {
        let first = &mut self.first[list.index()];
        self.links.push((number, std::mem::replace(first, self.links.len() as u32)));
    }

    /// Prepends a list to another, and calls `see` with its numbers, the last pushed first.
    fn move_to(&mut self, from: Value, to: Value, mut see: impl FnMut(u32)) {
        let first = std::mem::replace(&mut self.first[from.index()], Lists::END);
        let mut next = first;
        while next != Lists::END {
            let (number, behind) = self.links[next as usize];
            see(number);
            if behind == Lists::END {
                self.links[next as usize].1 = std::mem::replace(&mut self.first[to.index()], first);
            }
            next = behind;
        }
    }
}

/// How far the sources of a phi have been compared: those before `next` are equal to `one`, or to the phi itself.
#[derive(Clone, Default)]
struct Compared {
    one: Option<Value>,
    next: usize,
}

/// For each value the one it is always equal to: itself, or what a parameter or result passes on.
fn pass_on(module: &Module, tree: &Structure) -> (Vec<Value>, u64) {
    let phis = phis(module, tree);
    let mut takers = Lists::new(module.values.len());
    for (i, phi) in phis.iter().enumerate() {
        phi.sources.iter().for_each(|source| takers.push(*source, i as u32));
    }
    let depth_of = |value: Value| match module.values[value.index()].def {
        ValueDef::Result(inst, _) => tree.depth(tree.region(inst)),
        ValueDef::Param(region, _) => tree.depth(region),
    };
    let mut equal: Vec<Value> = (0..module.values.len() as u32).map(Value).collect();
    let mut open: Vec<u32> = (0..phis.len() as u32).rev().collect();
    // Equal sources stay equal: each is compared once, and again whenever the phi is visited again.
    let mut compared: Vec<Compared> = vec![Compared::default(); phis.len()];
    let mut work = 0;
    while let Some(i) = open.pop() {
        work += 1;
        let Phi { value, depth, sources } = &phis[i as usize];
        if equal[value.index()] != *value {
            continue;
        }
        let Compared { one, next } = &mut compared[i as usize];
        let mut only = one.map(|it| find(&mut equal, it));
        while let Some(source) = sources.get(*next) {
            work += 1;
            let other = find(&mut equal, *source);
            if other != *value {
                match only {
                    None => (only, *one) = (Some(other), Some(*source)),
                    Some(only) if only != other => break,
                    Some(_) => {}
                }
            }
            *next += 1;
        }
        let Some(only) = only else { continue };
        // What is defined inside the construct cannot be named outside.
        if *next == sources.len() && depth_of(only) <= *depth {
            equal[value.index()] = only;
            // The users now use the other value, and are revisited if it is replaced in turn.
            takers.move_to(*value, only, |taker| open.push(taker));
        }
    }
    for i in 0..equal.len() {
        find(&mut equal, Value(i as u32));
    }
    (equal, work)
}

/// Union-find lookup: follows the chain of equal values to its end, with path compression.
fn find(equal: &mut [Value], value: Value) -> Value {
    let mut last = value;
    while equal[last.index()] != last {
        last = equal[last.index()];
    }
    let mut at = value;
    while at != last {
        at = std::mem::replace(&mut equal[at.index()], last);
    }
    last
}

fn phis(module: &Module, tree: &Structure) -> Vec<Phi> {
    let mut phis = Vec::new();
    for inst in tree.insts() {
        let depth = tree.depth(tree.region(inst));
        tree.joins(module, inst, |values, ways| {
            for (i, value) in values.iter().enumerate() {
                let sources = ways.iter().filter_map(|way| way.get(i).copied()).collect();
                phis.push(Phi { value: *value, depth, sources });
            }
        });
    }
    phis
}

// Liveness.

/// The live values, and the instructions that stay.
struct Needed {
    values: Vec<bool>,
    insts: Vec<bool>,
}

impl Needed {
    fn of(module: &Module, tree: &Structure) -> (Needed, u64) {
        let mut needed = Needed {
            values: vec![false; module.values.len()],
            insts: vec![false; module.insts.len()],
        };
        let mut open: Vec<Value> = Vec::new();
        for inst in tree.insts() {
            let op = &module.inst(inst).op;
            needed.insts[inst.index()] = !op.is_pure();
            match op {
                Op::If { cond, .. } => open.push(*cond),
                Op::Switch { selector, .. } => open.push(*selector),
                // The operands of these are live if their destinations are.
                Op::Loop { .. } | Op::Block { .. } | Op::Yield(_) | Op::Exit { .. } => {}
                op if op.is_pure() => {}
                op => open.extend(op.operands()),
            }
        }
        let mut work = 0;
        while let Some(value) = open.pop() {
            work += 1;
            if std::mem::replace(&mut needed.values[value.index()], true) {
                continue;
            }
            needed.demand(module, tree, value, &mut open);
        }
        (needed, work)
    }

    /// The operands of a live value are live.
    fn demand(&mut self, module: &Module, tree: &Structure, value: Value, open: &mut Vec<Value>) {
        let (construct, i) = match module.values[value.index()].def {
            ValueDef::Result(inst, i) => (inst, i as usize),
            ValueDef::Param(region, i) => match tree.owner(region) {
                Some(owner) => (owner, i as usize),
                None => return,
            },
        };
        let is_param = matches!(module.values[value.index()].def, ValueDef::Param(..));
        match &module.inst(construct).op {
            Op::Loop { body, inits } if is_param => {
                open.extend(inits.get(i));
                open.extend(yielded(module, *body).and_then(|args| args.get(i)));
            }
            // A switch hands the same values from case to case and out: all of them are needed, or none. The result
            // stands for all of them, so that the cases are walked once and not once for each of their parameters.
            Op::Switch { .. } if is_param && module.inst(construct).results.len() > i => {
                open.push(module.inst(construct).results[i]);
            }
            Op::Switch { cases, inits, .. } => {
                open.extend(inits.get(i));
                for case in cases {
                    open.extend(module.region(case.body).params.get(i));
                    open.extend(yielded(module, case.body).and_then(|args| args.get(i)));
                }
                open.extend(tree.ways_out(module, construct).iter().filter_map(|way| way.get(i)));
            }
            Op::If { .. } | Op::Loop { .. } | Op::Block { .. } => {
                open.extend(tree.ways_out(module, construct).iter().filter_map(|way| way.get(i)));
            }
            op if op.is_pure() => {
                self.insts[construct.index()] = true;
                open.extend(op.operands());
            }
            // The operands of instructions that stay anyway are live already.
            _ => {}
        }
    }

    /// Keeps the arguments of those `takers` that are live.
    fn keep_for(&self, takers: &[Value], args: &mut Values) {
        let mut needed = takers.iter().map(|taker| self.values[taker.index()]);
        args.retain(|_| needed.next().unwrap_or(true));
    }
}

// The new module.

/// The new number of each old entity; removed ones have none.
struct Numbers {
    values: Vec<Option<Value>>,
    insts: Vec<Option<Inst>>,
    regions: Vec<Option<Region>>,
}

/// Keeps only what is live, in textual order.
fn rebuild(module: &mut Module, tree: &Structure, needed: &Needed) -> Numbers {
    drop_arguments(module, tree, needed);
    let mut numbers = Numbers {
        values: vec![None; module.values.len()],
        insts: vec![None; module.insts.len()],
        regions: vec![None; module.regions.len()],
    };
    let count = |these: &[bool]| these.iter().filter(|it| **it).count();
    let mut values = Vec::with_capacity(count(&needed.values));
    let mut insts = Vec::with_capacity(count(&needed.insts));
    let mut regions = Vec::with_capacity(module.regions.len());
    for step in &tree.steps {
        match step {
            Step::Region(old) => {
                let new = Region(regions.len() as u32);
                numbers.regions[old.index()] = Some(new);
                let mut data = std::mem::take(&mut module.regions[old.index()]);
                data.params.retain(|it| needed.values[it.index()]);
                numbers.define(&mut data.params, &module.values, &mut values, |i| {
                    ValueDef::Param(new, i)
                });
                regions.push(data);
            }
            Step::Inst(old) if needed.insts[old.index()] => {
                let new = Inst(insts.len() as u32);
                numbers.insts[old.index()] = Some(new);
                let InstData { op, mut results, span, scope } =
                    take(&mut module.insts[old.index()]);
                if op.is_construct() {
                    results.retain(|it| needed.values[it.index()]);
                }
                numbers.define(&mut results, &module.values, &mut values, |i| {
                    ValueDef::Result(new, i)
                });
                insts.push(InstData { op, results, span, scope });
            }
            Step::Inst(_) => {}
        }
    }
    for RegionData { params: _, insts } in &mut regions {
        insts.retain_mut(|it| match numbers.insts[it.index()] {
            Some(new) => {
                *it = new;
                true
            }
            None => false,
        });
    }
    insts.iter_mut().for_each(|data| numbers.rename(&mut data.op));
    for variable in &mut module.variables {
        let mut seen = std::collections::BTreeSet::new();
        let kept = variable
            .values
            .iter()
            .filter_map(|it| numbers.values[it.index()])
            .filter(|it| seen.insert(*it));
        variable.values = kept.collect();
    }
    module.variables.retain(|variable| !variable.values.is_empty());
    let marks = std::mem::take(&mut module.non_uniform).into_iter();
    module.non_uniform =
        marks.filter_map(|(it, span)| Some((numbers.values[it.index()]?, span))).collect();
    (module.values, module.insts, module.regions, module.body) =
        (values, insts, regions, Region(0));
    module.mark_used();
    numbers
}

fn take(data: &mut InstData) -> InstData {
    std::mem::replace(
        data,
        InstData {
            op: Op::Return,
            results: Values::new(),
            span: diag::Span::NONE,
            scope: ScopeId::ENTRY,
        },
    )
}

/// Removes the arguments of parameters and results that are not live.
fn drop_arguments(module: &mut Module, tree: &Structure, needed: &Needed) {
    let params = |module: &Module, region: Region| module.region(region).params.clone();
    for inst in tree.insts() {
        let mut op = std::mem::replace(&mut module.insts[inst.index()].op, Op::Return);
        match &mut op {
            Op::Loop { body, inits } => needed.keep_for(&params(module, *body), inits),
            Op::Switch { inits, .. } => needed.keep_for(&module.inst(inst).results, inits),
            Op::Exit { to, args } => needed.keep_for(&module.inst(*to).results, args),
            Op::Yield(args) => {
                let region = tree.region(inst);
                // The owner's operation is in place: each is put back before the next is taken.
                match tree.owner(region).map(|owner| module.inst(owner)) {
                    Some(InstData { op: Op::Loop { body, .. }, .. }) => {
                        needed.keep_for(&params(module, *body), args)
                    }
                    Some(owner) => needed.keep_for(&owner.results, args),
                    None => {}
                }
            }
            _ => {}
        }
        module.insts[inst.index()].op = op;
    }
}

impl Numbers {
    /// Renumbers values, and appends their data.
    fn define(
        &mut self,
        names: &mut [Value],
        old: &[ValueData],
        new: &mut Vec<ValueData>,
        def: impl Fn(u32) -> ValueDef,
    ) {
        for (i, name) in names.iter_mut().enumerate() {
            let number = Value(new.len() as u32);
            new.push(ValueData { ty: old[name.index()].ty, def: def(i as u32) });
            self.values[name.index()] = Some(number);
            *name = number;
        }
    }

    /// A malformed module may name removed entities: these get a number that the verifier will report.
    fn rename(&self, op: &mut Op) {
        const GONE: u32 = u32::MAX;
        op.for_each_operand(|it| *it = self.values[it.index()].unwrap_or(Value(GONE)));
        op.for_each_region(|it| *it = self.regions[it.index()].unwrap_or(Region(GONE)));
        if let Op::Exit { to, .. } = op {
            *to = self.insts[to.index()].unwrap_or(Inst(GONE));
        }
    }
}

#[cfg(test)]
mod tests;
