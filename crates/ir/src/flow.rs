//! Value flow: the nesting of constructs, the paths by which lanes reach a point, and the values they carry.
//!
//! φ-like flow: a value flows unchanged into another where lanes join: from the initial values and the back edge
//! into the parameters of a loop; from the initial values and the previous case into those of a case; from yields
//! and exits into the results of a construct. All analyses that follow values through control flow use this module:
//! pruning, uniformity, back ends, the sanitizer.
//!
//! The module need not be verified, but must come from [`crate::Builder`]. What is unreachable from its body is
//! ignored.

use ops::Ternary;
use smallvec::SmallVec;

use crate::{Inst, Module, Op, Region, Value};

/// The values that lanes carry to the same point, one list for each path.
pub type Ways<'a> = SmallVec<[&'a [Value]; 4]>;

/// The nesting of a module's regions and instructions.
pub struct Structure {
    /// Regions and instructions in textual order.
    pub steps: Vec<Step>,
    /// The construct that a region belongs to.
    owners: Vec<Option<Inst>>,
    depths: Vec<u32>,
    /// The region that contains an instruction.
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
        // A worklist with its own stack, because regions nest deeply.
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
        // Exits to the same construct stay in textual order.
        ops::sort_by_key(&mut structure.exits, |(to, _)| *to);
        structure
    }

    /// All instructions in textual order.
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

    /// The number of constructs around a region.
    pub fn depth(&self, region: Region) -> u32 {
        self.depths[region.index()]
    }

    /// The region that contains an instruction.
    pub fn region(&self, inst: Inst) -> Region {
        self.regions[inst.index()]
    }

    /// The construct that contains an instruction.
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

    /// The values that lanes carry to the end of a construct, one list for each path. The paths of an `if` include
    /// its arms.
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
            // The yield of a loop goes to its parameters; other instructions have no paths out.
            _ => {}
        }
        ways
    }

    /// Calls `join` for each list of values defined by a join, with the paths into it: the parameters of the
    /// regions of a construct in order, then its results.
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
            // Without regions, nothing flows.
            _ => return,
        }
        join(&data.results, self.ways_out(module, construct));
    }

    /// Calls `flow(from, to)` for each value that flows unchanged into another.
    pub fn edges(&self, module: &Module, mut flow: impl FnMut(Value, Value)) {
        for inst in self.insts() {
            self.joins(module, inst, |into, ways| {
                for from in ways {
                    from.iter().zip(into).for_each(|(from, into)| flow(*from, *into));
                }
            });
        }
    }

    /// The same, and for each operand that a selection copies.
    pub fn copies(&self, module: &Module, mut flow: impl FnMut(Value, Value)) {
        self.edges(module, &mut flow);
        for data in self.insts().map(|it| module.inst(it)) {
            if let (Op::Ternary(Ternary::Select, [_, yes, no]), [into]) =
                (&data.op, &data.results[..])
            {
                flow(*yes, *into);
                flow(*no, *into);
            }
        }
    }
}

/// The operands of a region's yield, if it ends with one.
pub fn yielded(module: &Module, region: Region) -> Option<&[Value]> {
    match module.region(region).insts.last().map(|last| &module.inst(*last).op) {
        Some(Op::Yield(args)) => Some(args),
        _ => None,
    }
}

/// For each value, how many operands of instructions it is.
pub fn uses(module: &Module) -> Vec<u32> {
    let mut uses = vec![0; module.values.len()];
    for data in &module.insts {
        data.op.operands().iter().for_each(|it| uses[it.index()] += 1);
    }
    uses
}

/// For each value, whether any instruction uses it.
pub fn used(module: &Module) -> Vec<bool> {
    uses(module).into_iter().map(|it| it > 0).collect()
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
    fn values_flow_along_every_path_of_lanes() {
        let module = crate::text::read(LOOPS).unwrap();
        let structure = Structure::of(&module);
        let mut edges = Vec::new();
        structure.edges(&module, |from, into| edges.push((from.0, into.0)));
        edges.sort_unstable();
        // Into the loop's parameter; out of it by the exit; out of the `if` by its one yield; into both cases, from
        // the first into the second; out of the switch for lanes that select no case, and by the exit.
        let expected = [(0, 3), (0, 4), (0, 5), (2, 5), (2, 6), (2, 7), (3, 2), (4, 3), (6, 7)];
        assert_eq!(edges, expected);
    }

    #[test]
    fn selections_copy_both_operands_but_not_the_condition() {
        let text = "entry \"main\": compute 6.0\ngroup_size 1, 1, 1\nbody r0 {\n\
            v0: i32 = const.i32 0\nv1: i32 = const.i32 7\nv2: bool = const.bool 1\n\
            v3: i32 = select v2, v0, v1\nyield\n}\n";
        let module = crate::text::read(text).unwrap();
        let mut copies = Vec::new();
        Structure::of(&module).copies(&module, |from, into| copies.push((from.0, into.0)));
        assert_eq!(copies, [(0, 3), (1, 3)]);
    }

    #[test]
    fn each_instruction_knows_its_region_and_construct() {
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
    fn a_value_is_used_if_any_instruction_has_it_as_an_operand() {
        let module = crate::text::read(LOOPS).unwrap();
        let unused: Vec<usize> =
            used(&module).iter().enumerate().filter(|it| !it.1).map(|it| it.0).collect();
        // The result of the switch, and the parameter of the case that exits with a different value.
        assert_eq!(unused, [5, 7]);
    }
}
