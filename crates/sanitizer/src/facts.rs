//! What can be known of a module without running it: where instructions stand, and what a value is made of.

use ir::{Inst, Module, Op, Region, Value, ValueDef, Values, values};

/// Facts about one module.
pub(crate) struct Facts<'a> {
    pub(crate) module: &'a Module,
    /// The construct that an instruction stands in.
    parent: Vec<Option<Inst>>,
    /// First and last position, in the order of the text, of an instruction with everything inside it.
    extent: Vec<(u32, u32)>,
    /// The instructions that give a construct its results: exits to it, and yields at its end.
    enders: Vec<Vec<Inst>>,
    /// The construct whose region this is.
    owner: Vec<Option<Inst>>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(module: &'a Module) -> Facts<'a> {
        let mut facts = Facts {
            module,
            parent: vec![None; module.insts.len()],
            extent: vec![(0, 0); module.insts.len()],
            enders: vec![Vec::new(); module.insts.len()],
            owner: vec![None; module.regions.len()],
        };
        facts.walk(module.body);
        facts
    }

    /// Visits all instructions in the order of the text, with a stack of its own: regions nest deeply.
    fn walk(&mut self, body: Region) {
        enum Step {
            Region(Region, Option<Inst>),
            Visit(Inst, Option<Inst>),
            Leave(Inst),
        }
        let module = self.module;
        let mut position = 0;
        let mut steps = vec![Step::Region(body, None)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Region(region, owner) => {
                    self.owner[region.index()] = owner;
                    let insts = &module.region(region).insts;
                    steps.extend(insts.iter().rev().map(|inst| Step::Visit(*inst, owner)));
                }
                Step::Visit(inst, parent) => {
                    self.parent[inst.index()] = parent;
                    self.extent[inst.index()] = (position, position);
                    position += 1;
                    match &module.inst(inst).op {
                        Op::Exit { to, .. } => self.enders[to.index()].push(inst),
                        Op::Yield(_) => {
                            if let Some(parent) = parent {
                                self.enders[parent.index()].push(inst);
                            }
                        }
                        _ => {}
                    }
                    steps.push(Step::Leave(inst));
                    let regions = module.inst(inst).op.regions();
                    steps.extend(regions.into_iter().rev().map(|it| Step::Region(it, Some(inst))));
                }
                Step::Leave(inst) => self.extent[inst.index()].1 = position,
            }
        }
    }

    /// The constructs around an instruction, the innermost first.
    pub(crate) fn ancestors(&self, inst: Inst) -> impl Iterator<Item = Inst> + '_ {
        std::iter::successors(self.parent[inst.index()], |it| self.parent[it.index()])
    }

    /// Whether `outer` is `inner` or stands around it.
    pub(crate) fn encloses(&self, outer: Inst, inner: Inst) -> bool {
        outer == inner || self.ancestors(inner).any(|it| it == outer)
    }

    /// Whether two instructions stand in the same region of a construct.
    pub(crate) fn are_in_one_arm(&self, construct: Inst, a: Inst, b: Inst) -> bool {
        let arm = |inst: Inst| {
            let below = std::iter::once(inst).chain(self.ancestors(inst));
            let child = below.take_while(|it| *it != construct).last()?;
            let regions = self.module.inst(construct).op.regions();
            regions.into_iter().find(|it| self.module.region(*it).insts.contains(&child))
        };
        arm(a).is_some() && arm(a) == arm(b)
    }

    /// Whether whoever comes to `later` has left behind the outermost construct around `earlier` that is not around `later`,
    /// or `earlier` itself if there is none.
    pub(crate) fn is_past(&self, later: Inst, earlier: Inst) -> bool {
        let around = std::iter::once(earlier).chain(self.ancestors(earlier));
        let construct = around.take_while(|it| !self.encloses(*it, later)).last();
        construct.is_some_and(|it| self.extent[later.index()].0 >= self.extent[it.index()].1)
    }

    /// The instructions by which lanes come to the end of a construct.
    pub(crate) fn enders(&self, construct: Inst) -> impl Iterator<Item = Inst> + '_ {
        self.enders[construct.index()].iter().copied()
    }

    /// The values that a value is directly computed from, memory aside.
    pub(crate) fn sources(&self, value: Value) -> Values {
        let module = self.module;
        match module.values[value.index()].def {
            ValueDef::Result(inst, index) => match &module.inst(inst).op {
                op @ (Op::If { .. } | Op::Loop { .. } | Op::Switch { .. } | Op::Block { .. }) => {
                    let mut sources: Values = match op {
                        Op::If { cond, .. } => values![*cond],
                        Op::Switch { selector, inits, .. } => {
                            let init = inits.get(index as usize).copied();
                            init.into_iter().chain([*selector]).collect()
                        }
                        _ => Values::new(),
                    };
                    let enders = self.enders[inst.index()].iter();
                    sources.extend(enders.filter_map(|it| argument(module, *it, index)));
                    sources
                }
                op => op.operands(),
            },
            ValueDef::Param(region, index) => {
                let Some(owner) = self.owner[region.index()] else { return Values::new() };
                let inits = match &module.inst(owner).op {
                    Op::Loop { inits, .. } | Op::Switch { inits, .. } => inits.as_slice(),
                    _ => &[],
                };
                let back = self.enders[owner.index()].iter();
                let back = back.filter(|it| matches!(module.inst(**it).op, Op::Yield(_)));
                let back = back.filter_map(|it| argument(module, *it, index));
                inits.get(index as usize).copied().into_iter().chain(back).collect()
            }
        }
    }
}

fn argument(module: &Module, ender: Inst, index: u32) -> Option<Value> {
    match &module.inst(ender).op {
        Op::Exit { args, .. } | Op::Yield(args) => args.get(index as usize).copied(),
        _ => None,
    }
}
