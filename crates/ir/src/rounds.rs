//! Constant evaluation of loops: how often a loop goes round, where that is known before it runs.

use std::collections::{BTreeSet, HashMap, HashSet};

use ops::WaveOp;

use crate::{Inst, Module, Op, Region, Value};

/// A loop that makes more rounds than these is not evaluated to its end.
const MOST_ROUNDS: usize = 64;
/// Nor is one that runs more instructions than these in all its rounds.
const MOST_INSTRUCTIONS: usize = 512;
/// Nor are arms nested more deeply than this.
const MOST_DEPTH: usize = 16;

/// A loop that is evaluated, and what is known outside of it.
struct Loop<'a, F> {
    module: &'a Module,
    /// The lanes of a wave.
    width: u32,
    inside: HashSet<Value>,
    outside: &'a F,
}

/// How control leaves a region whose instructions are evaluated one by one.
enum Way {
    Yield(Vec<Option<u64>>),
    Exit(Inst),
    /// It depends on what is not known.
    Open,
}

/// How many rounds the loop `inst` makes, if that follows from the values that `outside` knows, and if it is a short loop.
pub fn rounds(
    module: &Module,
    width: u32,
    inst: Inst,
    outside: impl Fn(Value) -> Option<u64>,
) -> Option<usize> {
    let Op::Loop { body, inits } = &module.inst(inst).op else { return None };
    let size = size_of(module, *body);
    if size > MOST_INSTRUCTIONS {
        return None;
    }
    let params = &module.region(*body).params;
    let mut values: Vec<Option<u64>> = inits.iter().map(|it| outside(*it)).collect();
    let own = Loop { module, width, inside: defined_in(module, *body), outside: &outside };
    for round in 1..=MOST_ROUNDS.min(MOST_INSTRUCTIONS / size.max(1)) {
        let known = params.iter().zip(&values).filter_map(|(it, bits)| Some((*it, (*bits)?)));
        let mut known: HashMap<Value, u64> = known.collect();
        match own.walk(*body, &mut known, 0) {
            Way::Exit(to) if to == inst => return Some(round),
            Way::Exit(_) | Way::Open => return None,
            Way::Yield(next) => values = next,
        }
    }
    None
}

/// The result of an operation on known operands, in waves of a known width.
fn evaluated(
    module: &Module,
    width: u32,
    op: &Op,
    known: impl FnMut(Value) -> Option<u64>,
) -> Option<u64> {
    match op {
        Op::Wave { op: WaveOp::LaneCount, .. } => Some(u64::from(width)),
        op => crate::eval::eval(module, op, known),
    }
}

impl<F: Fn(Value) -> Option<u64>> Loop<'_, F> {
    fn of(&self, known: &HashMap<Value, u64>, value: &Value) -> Option<u64> {
        let outside = || (!self.inside.contains(value)).then(|| (self.outside)(*value)).flatten();
        known.get(value).copied().or_else(outside)
    }

    fn walk(&self, region: Region, known: &mut HashMap<Value, u64>, depth: usize) -> Way {
        if depth > MOST_DEPTH {
            return Way::Open;
        }
        for inst in &self.module.region(region).insts {
            let data = self.module.inst(*inst);
            let result =
                evaluated(self.module, self.width, &data.op, |value| self.of(known, &value));
            if let (Some(bits), [to]) = (result, &data.results[..]) {
                known.insert(*to, bits);
                continue;
            }
            match &data.op {
                Op::Yield(args) => {
                    return Way::Yield(args.iter().map(|it| self.of(known, it)).collect());
                }
                Op::Exit { to, .. } => return Way::Exit(*to),
                Op::Return => return Way::Open,
                Op::If { cond, then, else_ } => match self.of(known, cond) {
                    Some(bits) => {
                        let arm = if bits & 1 == 1 { then } else { else_ };
                        match self.walk(*arm, known, depth + 1) {
                            Way::Yield(values) => {
                                for (result, bits) in data.results.iter().zip(values) {
                                    bits.map(|bits| known.insert(*result, bits));
                                }
                            }
                            other => return other,
                        }
                    }
                    None if leaves(self.module, *then) || leaves(self.module, *else_) => {
                        return Way::Open;
                    }
                    None => {}
                },
                Op::Loop { .. } | Op::Switch { .. } | Op::Block { .. }
                    if leaves_beyond(self.module, *inst) =>
                {
                    return Way::Open;
                }
                _ => {}
            }
        }
        Way::Open
    }
}

/// Whether lanes that enter the region may not come to its end.
pub fn leaves(module: &Module, region: Region) -> bool {
    has_exits(module, vec![region], Vec::new())
}

/// Whether lanes inside the construct may leave for beyond it.
pub fn leaves_beyond(module: &Module, inst: Inst) -> bool {
    has_exits(module, module.inst(inst).op.regions().to_vec(), vec![inst])
}

/// Whether the regions have a return, or an exit to a construct that is neither in them nor one of `inside`.
fn has_exits(module: &Module, mut open: Vec<Region>, mut inside: Vec<Inst>) -> bool {
    let mut exits: Vec<Inst> = Vec::new();
    while let Some(region) = open.pop() {
        for inst in &module.region(region).insts {
            match &module.inst(*inst).op {
                Op::Return => return true,
                Op::Exit { to, .. } => exits.push(*to),
                op => {
                    let regions = op.regions();
                    if !regions.is_empty() {
                        inside.push(*inst);
                        open.extend(regions);
                    }
                }
            }
        }
    }
    exits.iter().any(|it| !inside.contains(it))
}

fn size_of(module: &Module, region: Region) -> usize {
    let mut open = vec![region];
    let mut size = 0;
    while let Some(region) = open.pop() {
        for inst in &module.region(region).insts {
            size += 1;
            open.extend(module.inst(*inst).op.regions());
        }
    }
    size
}

/// The values that a round defines: what an earlier round has left there counts for nothing.
fn defined_in(module: &Module, region: Region) -> HashSet<Value> {
    let mut open = vec![region];
    let mut values = HashSet::new();
    while let Some(region) = open.pop() {
        let data = module.region(region);
        values.extend(&data.params);
        for inst in &data.insts {
            values.extend(&module.inst(*inst).results);
            open.extend(module.inst(*inst).op.regions());
        }
    }
    values
}

/// The loops whose number of rounds follows from constants and the width alone.
pub(crate) fn short_loops(module: &Module, width: u32) -> BTreeSet<Inst> {
    let mut known: Vec<Option<u64>> = vec![None; module.values.len()];
    let mut short = BTreeSet::new();
    // In the order of the text, in which a value stands before its uses.
    let mut open = vec![(module.body, 0)];
    while let Some((region, at)) = open.pop() {
        let Some(inst) = module.region(region).insts.get(at) else { continue };
        open.push((region, at + 1));
        let data = module.inst(*inst);
        let bits = evaluated(module, width, &data.op, |it| known[it.index()]);
        if let (Some(bits), [to]) = (bits, &data.results[..]) {
            known[to.index()] = Some(bits);
        }
        if let Op::Loop { .. } = data.op
            && rounds(module, width, *inst, |it| known[it.index()]).is_some()
        {
            short.insert(*inst);
        }
        open.extend(data.op.regions().iter().rev().map(|it| (*it, 0)));
    }
    short
}
