//! Constructs in which lanes do not observe one another: each slot walks through a separate copy, one after the other,
//! by ordinary branches.
//!
//! Lanes that leave for a construct around the copy leave it for a block around it, which hands on what they bring.

use std::collections::BTreeMap;

use ir::{Inst, Op, Region, Value, Values};
use ops::Ty;

use super::{Slots, Slotted};

/// A copy under construction.
pub(super) struct Natural {
    /// The new construct of each inside.
    insts: BTreeMap<Inst, Inst>,
    slot: usize,
    /// The block around the copy, if lanes leave it other than at its end, and what leaves it then.
    block: Option<(Inst, Leaving)>,
}

/// What leaves a copy besides its results: whether the lane stays active, and what exits change.
#[derive(Clone)]
struct Leaving {
    /// The results of the construct, as zeros.
    zeros: Values,
    /// For each construct that is exited to, whether the lane has left to it, and its results.
    exits: Vec<(Inst, Value, Values)>,
    live: Option<Value>,
}

impl Leaving {
    fn values(&self, stays: Value, results: &[Value]) -> Values {
        let mut all: Values = std::iter::once(stays).chain(results.iter().copied()).collect();
        for (_, out, results) in &self.exits {
            all.push(*out);
            all.extend(results.iter().copied());
        }
        all.extend(self.live);
        all
    }
}

impl Slotted<'_> {
    /// A construct, slot by slot.
    pub(super) fn copies(&mut self, inst: Inst) {
        let results = &self.source.inst(inst).results;
        let escapes = self.constructs.of_inst(inst).escapes();
        let mut after = Slots::new();
        for slot in 0..self.slots {
            let act = self.act[slot];
            let zeros: Values =
                results.iter().map(|it| self.writer.constant(self.source.ty(*it), 0)).collect();
            let (news, stays) = match (self.known(act), escapes) {
                (Some(false), _) => (zeros, act),
                (_, true) => self.copy_in_block(inst, slot, act, zeros),
                (Some(true), false) => (self.copy_within(inst, slot, None), act),
                (None, false) => (self.copy_if(inst, slot, act, &zeros), act),
            };
            for (result, new) in results.iter().zip(news) {
                self.set(slot, *result, new);
            }
            after.push(stays);
        }
        self.act = after;
    }

    fn copy_within(&mut self, inst: Inst, slot: usize, block: Option<(Inst, Leaving)>) -> Values {
        self.natural = Some(Natural { insts: BTreeMap::new(), slot, block });
        self.copy(inst);
        self.natural = None;
        self.source.inst(inst).results.iter().map(|it| self.get(slot, *it)).collect()
    }

    fn copy_if(&mut self, inst: Inst, slot: usize, cond: Value, zeros: &[Value]) -> Values {
        let branch = self.writer.construct_begins();
        self.writer.open(&[]);
        let made = self.copy_within(inst, slot, None);
        let then = self.writer.close_with(&made);
        self.writer.open(&[]);
        let else_ = self.writer.close_with(zeros);
        let types: Vec<Ty> = zeros.iter().map(|it| self.writer.ty(*it)).collect();
        self.writer.construct_ends(branch, Op::If { cond, then, else_ }, &types)
    }

    /// A copy that lanes leave for constructs around it. Returns its results and the lanes that reach its end.
    fn copy_in_block(
        &mut self,
        inst: Inst,
        slot: usize,
        act: Value,
        zeros: Values,
    ) -> (Values, Value) {
        let contents = self.constructs.of_inst(inst);
        let exits = contents.exits.iter().map(|to| {
            let left = self.left.get(to);
            let left = left.unwrap_or_else(|| {
                unreachable!("no lane leaves a loop alone that all leave together")
            });
            (*to, left.out[slot], left.results.iter().map(|it| it[slot]).collect())
        });
        let exits = exits.collect();
        let live = self.live.as_ref().filter(|_| contents.returns).map(|it| it[slot]);
        let count = zeros.len();
        let leaving = Leaving { zeros, exits, live };
        let unentered = leaving.values(self.no(), &leaving.zeros);
        let types: Vec<Ty> = unentered.iter().map(|it| self.writer.ty(*it)).collect();
        let block = self.writer.construct_begins();
        self.writer.open(&[]);
        let absent = self.not(act);
        if self.known(absent) != Some(false) {
            self.writer.leave_if(absent, block, &unentered);
        }
        let made = self.copy_within(inst, slot, Some((block, leaving.clone())));
        let yes = self.writer.constant(Ty::Bool, 1);
        let body = self.writer.close_with(&leaving.values(yes, &made));
        let news = self.writer.construct_ends(block, Op::Block { body }, &types);
        let mut rest = news[1 + count..].iter().copied();
        let mut next = || rest.next().unwrap_or_else(|| unreachable!("there is one for each type"));
        for (to, _, _) in &leaving.exits {
            if let Some(left) = self.left.get_mut(to) {
                left.out[slot] = next();
                left.results.iter_mut().for_each(|it| it[slot] = next());
            }
        }
        if let (Some(live), Some(_)) = (&mut self.live, leaving.live) {
            live[slot] = next();
        }
        (news[1..=count].iter().copied().collect(), news[0])
    }

    fn natural(&self) -> &Natural {
        let natural = self.natural.as_ref();
        natural.unwrap_or_else(|| unreachable!("a copy is under construction"))
    }

    fn get_copied(&self, values: &[Value]) -> Values {
        let slot = self.natural().slot;
        values.iter().map(|it| self.get(slot, *it)).collect()
    }

    fn copy(&mut self, inst: Inst) {
        let source = self.source;
        let data = source.inst(inst);
        let slot = self.natural().slot;
        self.writer.at(data.span);
        match &data.op {
            Op::Exit { to, args } => self.copy_exit(*to, args),
            Op::Return => {
                let (block, mut leaving) = self.leaving();
                leaving.live = leaving.live.map(|_| self.no());
                let args = leaving.values(self.no(), &leaving.zeros);
                self.writer.add(Op::Exit { to: block, args }, &[]);
            }
            Op::Yield(args) => {
                let args = self.get_copied(args);
                self.writer.add(Op::Yield(args), &[]);
            }
            op if op.is_construct() => {
                let new = self.writer.construct_begins();
                if let Some(natural) = &mut self.natural {
                    natural.insts.insert(inst, new);
                }
                let mut op = op.clone();
                op.for_each_operand(|it| *it = self.get(slot, *it));
                op.for_each_region(|it| *it = self.copy_region(*it));
                let types: Vec<Ty> = data.results.iter().map(|it| source.ty(*it)).collect();
                let news = self.writer.construct_ends(new, op, &types);
                for (result, new) in data.results.iter().zip(news) {
                    self.set(slot, *result, new);
                }
            }
            _ => self.plain(inst, slot),
        }
    }

    fn copy_region(&mut self, region: Region) -> Region {
        let source = self.source;
        let slot = self.natural().slot;
        let params = &source.region(region).params;
        let types: Vec<Ty> = params.iter().map(|it| source.ty(*it)).collect();
        let (_, news) = self.writer.open(&types);
        for (param, new) in params.iter().zip(news) {
            self.set(slot, *param, new);
        }
        for inst in &source.region(region).insts {
            self.copy(*inst);
        }
        self.writer.close()
    }

    fn copy_exit(&mut self, to: Inst, args: &[Value]) {
        let args = self.get_copied(args);
        if let Some(new) = self.natural().insts.get(&to).copied() {
            self.writer.add(Op::Exit { to: new, args }, &[]);
            return;
        }
        let (block, mut leaving) = self.leaving();
        for (construct, out, results) in &mut leaving.exits {
            if *construct == to {
                *out = self.writer.constant(Ty::Bool, 1);
                results.clone_from(&args);
            }
        }
        let args = leaving.values(self.no(), &leaving.zeros);
        self.writer.add(Op::Exit { to: block, args }, &[]);
    }

    fn leaving(&self) -> (Inst, Leaving) {
        let block = self.natural().block.clone();
        block.unwrap_or_else(|| unreachable!("a copy that lanes leave is in a block"))
    }
}
