//! Which values are the same in all lanes and all slots, active or not: those that are computed from nothing else, and
//! joined where all lanes go the same way. They remain single values, and branches on them remain branches.
//!
//! A greatest fixpoint: every value counts as the same until something shows that it is not.

use std::collections::BTreeSet;

use ir::flow::Structure;
use ir::{Builtin, Inst, Module, Op, Region, Value};
use ops::wave::Spread;

use crate::constructs::Constructs;

pub(super) struct Same {
    values: Vec<bool>,
    /// Loops that all lanes go round and leave together.
    together: BTreeSet<Inst>,
}

impl Same {
    pub(super) fn of(module: &Module, constructs: &Constructs) -> Same {
        let values = vec![true; module.values.len()];
        let mut analysis = Analysis {
            module,
            constructs,
            structure: &Structure::of(module),
            same: Same { values, together: BTreeSet::new() },
            changed: true,
        };
        while std::mem::take(&mut analysis.changed) {
            analysis.same.together.clear();
            analysis.region(module.body);
        }
        analysis.same
    }

    pub(super) fn value(&self, value: Value) -> bool {
        self.values[value.index()]
    }

    fn all(&self, values: &[Value]) -> bool {
        values.iter().all(|it| self.value(*it))
    }

    /// Whether all lanes go through a construct by the same path.
    pub(super) fn goes_together(&self, module: &Module, inst: Inst) -> bool {
        match &module.inst(inst).op {
            Op::If { cond, .. } => self.value(*cond),
            _ => self.together.contains(&inst),
        }
    }
}

struct Analysis<'a> {
    module: &'a Module,
    constructs: &'a Constructs,
    structure: &'a Structure,
    same: Same,
    changed: bool,
}

impl Analysis<'_> {
    fn lower(&mut self, values: &[Value]) {
        for value in values {
            self.changed |= std::mem::take(&mut self.same.values[value.index()]);
        }
    }

    /// The values that a construct defines through which all lanes go by the same path.
    fn joined(&mut self, inst: Inst) {
        let (module, structure) = (self.module, self.structure);
        structure.joins(module, inst, |into, ways| {
            for from in ways {
                for (from, into) in from.iter().zip(into) {
                    if !self.same.value(*from) {
                        self.lower(&[*into]);
                    }
                }
            }
        });
    }

    /// The values that a construct of which lanes take different ways defines: all that is joined.
    fn apart(&mut self, inst: Inst) {
        let module = self.module;
        self.lower(&module.inst(inst).results);
        for region in module.inst(inst).op.regions() {
            self.lower(&module.region(region).params);
        }
    }

    /// A region that all lanes go through.
    fn region(&mut self, region: Region) {
        let module = self.module;
        for inst in &module.region(region).insts {
            let data = module.inst(*inst);
            if data.op.is_construct() {
                self.construct(*inst);
            } else if !self.is_same(&data.op) {
                self.lower(&data.results);
            }
        }
    }

    fn is_same(&self, op: &Op) -> bool {
        match op {
            Op::Builtin(builtin) => matches!(builtin, Builtin::GroupId(_)),
            Op::Wave { op, args, .. } => match op.facts().spread {
                Spread::Uniform => true,
                Spread::Operands(first) => self.same.all(&args[first..]),
                Spread::LaneIndex | Spread::ByPlace | Spread::Any => false,
            },
            op => op.is_pure() && self.same.all(&op.operands()),
        }
    }

    fn construct(&mut self, inst: Inst) {
        let module = self.module;
        let data = module.inst(inst);
        match &data.op {
            Op::If { cond, then, else_ } if self.same.value(*cond) => {
                self.region(*then);
                self.region(*else_);
                self.joined(inst);
            }
            Op::Loop { body, .. } if self.goes_together(inst, *body) => {
                self.same.together.insert(inst);
                // The initial values first, so that nested loops take few passes.
                self.joined(inst);
                self.region(*body);
                self.joined(inst);
            }
            _ if !self.constructs.of_inst(inst).is_collective() => self.copied(inst),
            op => {
                self.apart(inst);
                op.regions().into_iter().for_each(|it| self.region(it));
            }
        }
    }

    /// A construct that is copied for each slot: nothing inside stays single.
    fn copied(&mut self, inst: Inst) {
        let module = self.module;
        self.apart(inst);
        for region in module.inst(inst).op.regions() {
            for inner in &module.region(region).insts {
                if module.inst(*inner).op.is_construct() {
                    self.copied(*inner);
                } else {
                    self.lower(&module.inst(*inner).results);
                }
            }
        }
    }

    /// Whether lanes leave a loop for its own end only, all at once.
    fn goes_together(&self, inst: Inst, body: Region) -> bool {
        let contents = self.constructs.of_inst(inst);
        !contents.escapes() && self.leave_together(inst, body)
    }

    fn leave_together(&self, to: Inst, region: Region) -> bool {
        let module = self.module;
        module.region(region).insts.iter().all(|inst| match &module.inst(*inst).op {
            op if !op.is_construct() => true,
            _ if !self.constructs.of_inst(*inst).exits.contains(&to) => true,
            Op::If { cond, then, else_ } => {
                self.same.value(*cond)
                    && self.constructs.of_inst(*inst).exits.len() == 1
                    && self.leave_together(to, *then)
                    && self.leave_together(to, *else_)
            }
            _ => false,
        })
    }
}
