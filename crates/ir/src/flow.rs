//! Where values flow: which constructs stand where, by which ways lanes come to a place, and what they bring along.
//!
//! A value flows into another unchanged where lanes join: from the initial values and the back edge into the parameters of
//! a loop; from the initial values and the case before into those of a case; from yields and exits into the results of a
//! construct. Everything that follows values through control flow asks here: pruning, uniformity, back ends, the sanitizer.
//!
//! The module need not have been verified, but must be as [`crate::Builder`] makes it. What its body does not reach is not
//! part of it.

use smallvec::SmallVec;

use crate::{Inst, Module, Op, Region, Value};

/// What lanes bring along to the same place, by each way that leads there.
pub type Ways<'a> = SmallVec<[&'a [Value]; 4]>;

/// How a module's regions and instructions hang together.
pub struct Structure {
    /// Regions and instructions in the order of the text.
    pub steps: Vec<Step>,
    /// The construct that a region belongs to.
    owners: Vec<Option<Inst>>,
    depths: Vec<u32>,
    /// The region that an instruction stands in.
    regions: Vec<Region>,
    /// Constructs and the exits to them, in the order of the constructs.
    exits: Vec<(Inst, Inst)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Region(Region),
    Inst(Inst),
}

impl Structure {
    pub fn of(module: &Module) -> Structure {
        let mut structure = Structure {
            steps: vec![Step::Region(module.body)],
            owners: vec![None; module.regions.len()],
            depths: vec![0; module.regions.len()],
            regions: vec![module.body; module.insts.len()],
            exits: Vec::new(),
        };
        // What is still to be walked, with a stack of its own: regions nest deeply.
        let mut open: Vec<Step> = Vec::new();
        let push = |open: &mut Vec<Step>, region: Region| {
            open.extend(module.region(region).insts.iter().rev().map(|inst| Step::Inst(*inst)));
        };
        push(&mut open, module.body);
        while let Some(step) = open.pop() {
            match step {
                Step::Region(region) => {
                    for inst in &module.region(region).insts {
                        structure.regions[inst.index()] = region;
                    }
                    push(&mut open, region);
                }
                Step::Inst(inst) => {
                    let op = &module.inst(inst).op;
                    if let Op::Exit { to, .. } = op {
                        structure.exits.push((*to, inst));
                    }
                    let depth = structure.depths[structure.regions[inst.index()].index()];
                    for inner in op.regions().into_iter().rev() {
                        structure.owners[inner.index()] = Some(inst);
                        structure.depths[inner.index()] = depth + 1;
                        open.push(Step::Region(inner));
                    }
                }
            }
            structure.steps.push(step);
        }
        // Those to one construct stay in the order of the text.
        structure.exits.sort_by_key(|(to, _)| *to);
        structure
    }

    /// All instructions in the order of the text.
    pub fn insts(&self) -> impl Iterator<Item = Inst> {
        self.steps.iter().filter_map(|step| match step {
            Step::Inst(inst) => Some(*inst),
            Step::Region(_) => None,
        })
    }

    /// The construct that a region belongs to; `None` for the body.
    pub fn owner(&self, region: Region) -> Option<Inst> {
        self.owners[region.index()]
    }

    /// How many constructs stand around a region.
    pub fn depth(&self, region: Region) -> u32 {
        self.depths[region.index()]
    }

    /// The region that an instruction stands in.
    pub fn region(&self, inst: Inst) -> Region {
        self.regions[inst.index()]
    }

    /// The construct that an instruction stands in.
    pub fn parent(&self, inst: Inst) -> Option<Inst> {
        self.owner(self.region(inst))
    }

    /// The exits to a construct.
    pub fn exits_to(&self, construct: Inst) -> impl Iterator<Item = Inst> {
        let first = self.exits.partition_point(|(to, _)| *to < construct);
        self.exits[first..]
            .iter()
            .take_while(move |(to, _)| *to == construct)
            .map(|(_, exit)| *exit)
    }

    /// What lanes bring along to the end of a construct, by each way. Of an `if` these are its arms.
    pub fn ways_out<'m>(&self, module: &'m Module, construct: Inst) -> Ways<'m> {
        let mut ways = Ways::new();
        for exit in self.exits_to(construct) {
            if let Op::Exit { args, .. } = &module.inst(exit).op {
                ways.push(args);
            }
        }
        match &module.inst(construct).op {
            Op::If { then, else_, .. } => {
                ways.extend([then, else_].into_iter().filter_map(|it| yielded(module, *it)));
            }
            Op::Block { body } => ways.extend(yielded(module, *body)),
            Op::Switch { cases, inits, .. } => {
                ways.extend(cases.last().and_then(|case| yielded(module, case.body)));
                if !cases.iter().any(|case| case.default) {
                    ways.push(inits);
                }
            }
            // The yield of a loop goes to its parameters; nothing else has ways out.
            _ => {}
        }
        ways
    }

    /// Calls `join` for each list of values that take what lanes bring along, with the ways by which they come:
    /// the parameters of the regions of a construct in order, then its results.
    pub fn joins<'m>(
        &self,
        module: &'m Module,
        construct: Inst,
        mut join: impl FnMut(&'m [Value], Ways<'m>),
    ) {
        let data = module.inst(construct);
        match &data.op {
            Op::Loop { body, inits } => {
                let ways = std::iter::once(inits.as_slice()).chain(yielded(module, *body));
                join(&module.region(*body).params, ways.collect());
            }
            Op::Switch { cases, inits, .. } => {
                let mut before = None;
                for case in cases {
                    let ways = std::iter::once(inits.as_slice()).chain(before);
                    join(&module.region(case.body).params, ways.collect());
                    before = yielded(module, case.body);
                }
            }
            Op::If { .. } | Op::Block { .. } => {}
            // Without regions there is nothing to be passed on.
            _ => return,
        }
        join(&data.results, self.ways_out(module, construct));
    }

    /// Calls `flow` for each value that flows into another as it is, from the one into the other.
    pub fn edges(&self, module: &Module, mut flow: impl FnMut(Value, Value)) {
        for inst in self.insts() {
            self.joins(module, inst, |into, ways| {
                for from in ways {
                    from.iter().zip(into).for_each(|(from, into)| flow(*from, *into));
                }
            });
        }
    }
}

/// What a region yields, if it ends in a yield.
pub fn yielded(module: &Module, region: Region) -> Option<&[Value]> {
    match module.region(region).insts.last().map(|last| &module.inst(*last).op) {
        Some(Op::Yield(args)) => Some(args),
        _ => None,
    }
}

/// For each value whether an instruction takes it.
pub fn used(module: &Module) -> Vec<bool> {
    let mut used = vec![false; module.values.len()];
    for data in &module.insts {
        data.op.operands().iter().for_each(|it| used[it.index()] = true);
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPS: &str = "entry \"main\": compute 6.0\ngroup_size 1, 1, 1\nbody r0 {\n\
        v0: i32 = const.i32 0\nv1: bool = const.bool 1\n\
        i2: v2: i32 = loop v0 do r1(v3: i32) {\n\
        v4: i32 = if v1 then r2 {\nexit i2 v3\n} else r3 {\nyield v0\n}\nyield v4\n}\n\
        i7: v5: i32 = switch v2 with v2 {\ncase 1 r4(v6: i32) {\nyield v6\n}\n\
        case 2 r5(v7: i32) {\nexit i7 v0\n}\n}\nyield\n}\n";

    #[test]
    fn values_flow_by_every_way_that_lanes_go() {
        let module = crate::text::read(LOOPS).unwrap();
        let structure = Structure::of(&module);
        let mut edges = Vec::new();
        structure.edges(&module, |from, into| edges.push((from.0, into.0)));
        edges.sort_unstable();
        // Into the loop's parameter; out of it by the exit; out of the `if` by its one yield; into both cases, from the
        // first into the second; out of the switch for lanes that select nothing, and by the exit.
        let expected = [(0, 3), (0, 4), (0, 5), (2, 5), (2, 6), (2, 7), (3, 2), (4, 3), (6, 7)];
        assert_eq!(edges, expected);
    }

    #[test]
    fn each_instruction_knows_what_it_stands_in() {
        let module = crate::text::read(LOOPS).unwrap();
        let structure = Structure::of(&module);
        let loop_ = structure.insts().find(|it| matches!(module.inst(*it).op, Op::Loop { .. }));
        let loop_ = loop_.unwrap();
        let [exit] = structure.exits_to(loop_).collect::<Vec<_>>()[..] else { panic!() };
        let around: Vec<Inst> =
            std::iter::successors(structure.parent(exit), |it| structure.parent(*it)).collect();
        assert_eq!((around.len(), around.last()), (2, Some(&loop_)));
        assert_eq!(structure.depth(structure.region(exit)), 2);
        assert_eq!(structure.insts().count(), module.insts.len());
    }

    #[test]
    fn a_value_is_used_where_an_instruction_takes_it() {
        let module = crate::text::read(LOOPS).unwrap();
        let unused: Vec<usize> =
            used(&module).iter().enumerate().filter(|it| !it.1).map(|it| it.0).collect();
        // The result of the switch, and the parameter of the case that exits with another value.
        assert_eq!(unused, [5, 7]);
    }
}
