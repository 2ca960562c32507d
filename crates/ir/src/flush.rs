//! Flushes denormal numbers of 32 bits: what `-denorm ftz` asks for, written out as instructions.
//!
//! Arithmetic takes a zero of the same sign where an operand is denormal, and gives one where its result would be.
//! What only moves bits keeps them: loads, stores, selects, sign changes, bit casts, and reads of other lanes.
//! A fold over the lanes of a wave flushes what goes in and what comes out, not what it has in between.
//! Written as plain arithmetic, the same in every engine; nobody who does not ask for it pays for it.

use ops::{Binary, Compare, Ternary, Ty, Unary};

use crate::{Inst, InstData, Module, Op, Region, Value, ValueData, ValueDef, values};

const EXPONENT: u64 = 0x7f80_0000;
const SIGN: u64 = 0x8000_0000;

/// Rewrites all arithmetic of a module.
pub fn flush_denormals(module: &mut Module) {
    for region in 0..module.regions.len() {
        let insts = std::mem::take(&mut module.regions[region].insts);
        let mut rewriter = Rewriter { module, insts: Vec::with_capacity(insts.len()) };
        for inst in insts {
            rewriter.inst(inst);
        }
        let insts = rewriter.insts;
        module.regions[Region(region as u32).index()].insts = insts;
    }
}

struct Rewriter<'a> {
    module: &'a mut Module,
    insts: Vec<Inst>,
}

impl Rewriter<'_> {
    fn inst(&mut self, inst: Inst) {
        let mut op = self.module.inst(inst).op.clone();
        if !op.effects().computes {
            self.insts.push(inst);
            return;
        }
        let span = self.module.inst(inst).span;
        let mut operands = Vec::new();
        op.for_each_operand(|it| operands.push(*it));
        let mut flushed = operands.into_iter().map(|it| self.flushed(it, span)).collect::<Vec<_>>();
        flushed.reverse();
        op.for_each_operand(|it| *it = flushed.pop().unwrap_or(*it));
        self.module.insts[inst.index()].op = op;
        self.insts.push(inst);
        // Whoever uses a result uses the last of the new instructions from now on.
        for index in 0..self.module.inst(inst).results.len() {
            let seen = self.module.inst(inst).results[index];
            if self.module.values[seen.index()].ty != Ty::F32 {
                continue;
            }
            let raw = self.result(ValueDef::Result(inst, index as u32), Ty::F32);
            self.module.insts[inst.index()].results[index] = raw;
            let last = self.flush(raw, span);
            let ValueDef::Result(select, _) = self.module.values[last.index()].def else {
                unreachable!("what flushes ends in an instruction")
            };
            self.module.insts[select.index()].results[0] = seen;
            self.module.values[seen.index()].def = ValueDef::Result(select, 0);
        }
    }

    fn flushed(&mut self, value: Value, span: diag::Span) -> Value {
        match self.module.values[value.index()].ty {
            Ty::F32 => self.flush(value, span),
            Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 | Ty::F16 | Ty::F64 => value,
        }
    }

    /// The value, or a zero with its sign where the exponent is 0.
    fn flush(&mut self, value: Value, span: diag::Span) -> Value {
        let bits = self.add(Op::Unary(Unary::Bitcast(Ty::I32), value), Ty::I32, span);
        let mask = |it: &mut Self, mask| {
            let mask = it.add(Op::Const { ty: Ty::I32, bits: mask }, Ty::I32, span);
            it.add(Op::Binary(Binary::And, bits, mask), Ty::I32, span)
        };
        let (exponent, sign) = (mask(self, EXPONENT), mask(self, SIGN));
        let none = self.add(Op::Const { ty: Ty::I32, bits: 0 }, Ty::I32, span);
        let is_small = self.add(Op::Compare(Compare::Eq, exponent, none), Ty::Bool, span);
        let zero = self.add(Op::Unary(Unary::Bitcast(Ty::F32), sign), Ty::F32, span);
        self.add(Op::Ternary(Ternary::Select, [is_small, zero, value]), Ty::F32, span)
    }

    fn add(&mut self, op: Op, ty: Ty, span: diag::Span) -> Value {
        let inst = Inst(self.module.insts.len() as u32);
        let value = self.result(ValueDef::Result(inst, 0), ty);
        self.module.insts.push(InstData { op, results: values![value], span });
        self.insts.push(inst);
        value
    }

    fn result(&mut self, def: ValueDef, ty: Ty) -> Value {
        self.module.values.push(ValueData { ty, def });
        Value(self.module.values.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{print, read};
    use crate::verify::verify;

    #[test]
    fn arithmetic_is_flushed_on_both_sides_and_moves_are_not() {
        let text = "entry \"main\": compute 6.0\ngroup_size 1, 1, 1\nb0 \"Out\": raw.rw at u0 used\nbody r0 {\n\
            v0: i32 = const.i32 0\nv1: f32 = load b0[byte v0]\nv2: f32 = add v1, v1\nv3: f32 = neg v2\n\
            store b0[byte v0], v3\nyield\n}\n";
        let mut module = read(text).unwrap();
        flush_denormals(&mut module);
        crate::simplify::prune(&mut module);
        verify(&module).unwrap_or_else(|problems| panic!("{problems:?}\n{}", print(&module)));
        let printed = print(&module);
        let count = |what: &str| printed.matches(what).count();
        assert_eq!((count("select"), count(" = add "), count(" = neg ")), (3, 1, 1), "{printed}");
        let sum = printed.lines().find(|it| it.contains(" = neg ")).unwrap();
        let select = printed.lines().rfind(|it| it.contains("select")).unwrap().trim();
        let seen = select.split(':').next().unwrap();
        assert!(
            sum.contains(&format!("neg {seen}")),
            "the sign changes of what was flushed: {printed}"
        );
    }
}
