//! Rewrites a module instruction by instruction: the only way to insert instructions before and after others.
//!
//! Each region is copied; for each instruction, a visitor emits what precedes it, keeps or drops it, and emits what
//! follows.
//! New instructions are numbered after the old ones, so that old numbers stay valid.

use diag::Span;
use ops::Ty;

use crate::notes::ScopeId;
use crate::{Inst, InstData, Module, Op, Region, Value, ValueData, ValueDef, Values};

/// Emits the instructions of the current region.
pub struct Rewriter<'a> {
    pub module: &'a mut Module,
    /// The source location of new instructions.
    pub span: Span,
    /// The inlined function that they belong to.
    pub scope: ScopeId,
    insts: Vec<Inst>,
}

/// Copies all regions, the body first. `visit` gets every old instruction once, and emits its replacement: with
/// [`Rewriter::keep`], the instruction itself. New instructions are not visited.
pub fn rewrite(module: &mut Module, mut visit: impl FnMut(&mut Rewriter<'_>, Region, Inst)) {
    let mut rewriter =
        Rewriter { module, span: Span::NONE, scope: ScopeId::ENTRY, insts: Vec::new() };
    let body = rewriter.module.body;
    let others = (0..rewriter.module.regions.len() as u32).map(Region).filter(|it| *it != body);
    for region in std::iter::once(body).chain(others) {
        let old = std::mem::take(&mut rewriter.module.regions[region.index()].insts);
        rewriter.insts = Vec::with_capacity(old.len());
        for inst in old {
            let InstData { span, scope, .. } = *rewriter.module.inst(inst);
            (rewriter.span, rewriter.scope) = (span, scope);
            visit(&mut rewriter, region, inst);
        }
        rewriter.module.regions[region.index()].insts = std::mem::take(&mut rewriter.insts);
    }
}

impl Rewriter<'_> {
    /// Keeps an old instruction at this point.
    pub fn keep(&mut self, inst: Inst) {
        self.insts.push(inst);
    }

    /// Emits an instruction with results of the given types.
    pub fn inst(&mut self, op: Op, results: &[Ty]) -> Inst {
        let inst = Inst(self.module.insts.len() as u32);
        let results = (0..).zip(results).map(|(i, ty)| self.result(inst, i, *ty));
        let results: Values = results.collect();
        self.module.insts.push(InstData { op, results, span: self.span, scope: self.scope });
        self.insts.push(inst);
        inst
    }

    /// Emits an instruction with one result.
    pub fn value(&mut self, op: Op, ty: Ty) -> Value {
        let inst = self.inst(op, &[ty]);
        self.module.inst(inst).results[0]
    }

    pub fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        self.value(Op::Const { ty, bits }, ty)
    }

    /// Replaces every use of a result of a kept instruction by the result of `change`: `change` gets the original
    /// result, and must end with a new instruction.
    pub fn change_result(
        &mut self,
        inst: Inst,
        index: usize,
        change: impl FnOnce(&mut Self, Value) -> Value,
    ) {
        let seen = self.module.inst(inst).results[index];
        let raw = self.result(inst, index as u32, self.module.ty(seen));
        self.module.insts[inst.index()].results[index] = raw;
        let last = change(self, raw);
        let ValueDef::Result(maker, at) = self.module.values[last.index()].def else {
            unreachable!("a result is replaced by that of an instruction")
        };
        self.module.insts[maker.index()].results[at as usize] = seen;
        self.module.values[seen.index()].def = ValueDef::Result(maker, at);
        // The new value is no longer referenced.
        if last.index() + 1 == self.module.values.len() {
            self.module.values.pop();
        }
    }

    fn result(&mut self, inst: Inst, index: u32, ty: Ty) -> Value {
        self.module.values.push(ValueData { ty, def: ValueDef::Result(inst, index) });
        Value(self.module.values.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{print, read};
    use crate::verify::verify;
    use ops::{Binary, Unary};

    #[test]
    fn added_instructions_keep_their_position_and_replaced_results_reach_their_uses() {
        let text = "entry \"main\": compute 6.0\ngroup_size 1, 1, 1\nb0 \"Out\": raw.rw at u0 used\nbody r0 {\n\
            v0: i32 = const.i32 4\nv1: i32 = add v0, v0\nstore b0[byte v0], v1\nyield\n}\n";
        let mut module = read(text).unwrap();
        rewrite(&mut module, |rewriter, _, inst| {
            rewriter.keep(inst);
            if let Op::Binary(Binary::Add, ..) = rewriter.module.inst(inst).op {
                rewriter.change_result(inst, 0, |it, sum| {
                    it.value(Op::Unary(Unary::Neg, sum), Ty::I32)
                });
            }
        });
        verify(&module).unwrap_or_else(|problems| panic!("{problems:?}"));
        let printed = print(&module);
        let place = |what: &str| printed.find(what).unwrap_or_else(|| panic!("{what}: {printed}"));
        assert!(place(" = add v0, v0") < place("v1: i32 = neg "), "{printed}");
        assert!(place("v1: i32 = neg ") < place("store b0[byte v0], v1"), "{printed}");
    }
}
