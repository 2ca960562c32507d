//! Flushes 32-bit denormals to zero, as `-denorm ftz` requests, by added instructions.
//!
//! Arithmetic reads a denormal operand as a zero of the same sign, and returns a zero of the same sign instead of a
//! denormal result.
//! Operations that only move bits keep them: loads, stores, selects, sign changes, bit casts, and reads of other
//! lanes.
//! A fold over the lanes of a wave flushes its operands and its result, but not intermediate values.
//! Because it is plain arithmetic, it is the same in every engine, and costs nothing unless requested.

use ops::{Binary, Compare, Ternary, Ty, Unary};

use crate::rewrite::{Rewriter, rewrite};
use crate::{Module, Op, Value};

const EXPONENT: u64 = 0x7f80_0000;
const SIGN: u64 = 0x8000_0000;

/// Rewrites all arithmetic of a module.
pub fn flush_denormals(module: &mut Module) {
    rewrite(module, |rewriter, _, inst| {
        let mut op = rewriter.module.inst(inst).op.clone();
        if !op.effects().computes {
            return rewriter.keep(inst);
        }
        op.for_each_operand(|it| {
            if rewriter.module.ty(*it) == Ty::F32 {
                *it = flush(rewriter, *it);
            }
        });
        rewriter.module.insts[inst.index()].op = op;
        rewriter.keep(inst);
        for index in 0..rewriter.module.inst(inst).results.len() {
            if rewriter.module.ty(rewriter.module.inst(inst).results[index]) == Ty::F32 {
                rewriter.change_result(inst, index, flush);
            }
        }
    });
}

/// The value, or a zero with its sign if the exponent is 0.
fn flush(to: &mut Rewriter<'_>, value: Value) -> Value {
    let bits = to.value(Op::Unary(Unary::Bitcast(Ty::I32), value), Ty::I32);
    let mask = |to: &mut Rewriter<'_>, mask| {
        let mask = to.constant(Ty::I32, mask);
        to.value(Op::Binary(Binary::And, bits, mask), Ty::I32)
    };
    let (exponent, sign) = (mask(to, EXPONENT), mask(to, SIGN));
    let none = to.constant(Ty::I32, 0);
    let is_small = to.value(Op::Compare(Compare::Eq, exponent, none), Ty::Bool);
    let zero = to.value(Op::Unary(Unary::Bitcast(Ty::F32), sign), Ty::F32);
    to.value(Op::Ternary(Ternary::Select, [is_small, zero, value]), Ty::F32)
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
            "the sign change applies to the flushed value: {printed}"
        );
    }
}
