//! Constant evaluation of arithmetic, for folding, unrolling and counting iterations: the definitions are those of
//! [`ops::scalar`].

use ops::scalar::{eval_binary, eval_compare, eval_ternary, eval_unary};

use crate::{Module, Op, Value};

/// The bits of a constant, or of the result of an arithmetic instruction whose operands are all known.
/// Everything else is unknown: memory, other lanes, and the parameters of a launch.
pub fn eval(module: &Module, op: &Op, mut known: impl FnMut(Value) -> Option<u64>) -> Option<u64> {
    Some(match op {
        Op::Const { bits, .. } => *bits,
        Op::Unary(op, a) => eval_unary(*op, module.ty(*a), known(*a)?),
        Op::Binary(op, a, b) => eval_binary(*op, module.ty(*a), known(*a)?, known(*b)?),
        Op::Compare(op, a, b) => eval_compare(*op, module.ty(*a), known(*a)?, known(*b)?).into(),
        // The first operand of a select has its own type.
        Op::Ternary(op, [a, b, c]) => {
            eval_ternary(*op, module.ty(*c), known(*a)?, known(*b)?, known(*c)?)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arithmetic_on_known_operands_is_known() {
        let text = "entry \"main\": compute 6.0\ngroup_size 1, 1, 1\nbody r0 {\n\
            v0: i32 = const.i32 6\nv1: i32 = const.i32 7\nv2: i32 = mul v0, v1\nv3: bool = lt.u v0, v1\n\
            v4: i32 = select v3, v2, v0\nv5: i32 = wave.lane_index\nv6: i32 = add v4, v5\nyield\n}\n";
        let module = crate::text::read(text).unwrap();
        let mut bits: Vec<Option<u64>> = Vec::new();
        for inst in &module.region(module.body).insts {
            let data = module.inst(*inst);
            let result = eval(&module, &data.op, |it| bits[it.index()]);
            bits.extend(data.results.iter().map(|_| result));
        }
        assert_eq!(bits, [Some(6), Some(7), Some(42), Some(1), Some(42), None, None]);
    }
}
