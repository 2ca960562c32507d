//! Register pressure: how many registers the values of a module need at once.
//!
//! Values are taken to be computed in textual order, and to occupy a register of 32 bits, or two, from their definition
//! to their last use. An assembler computes some later and others twice, so this is an estimate, for modules without
//! loops: there a value is not needed once more after its last use in the text.

use ir::Module;
use ir::flow::Structure;
use ops::Ty;

/// The registers that are occupied at once at most. Constants are part of instructions.
pub(crate) fn pressure(module: &Module) -> u32 {
    let insts: Vec<_> = Structure::of(module).insts().collect();
    let mut last = vec![0; module.values.len()];
    for (at, inst) in insts.iter().enumerate() {
        module.inst(*inst).op.operands().iter().for_each(|it| last[it.index()] = at);
    }
    // What is freed behind each instruction.
    let mut freed = vec![0; insts.len()];
    let (mut live, mut most) = (0, 0);
    for (at, inst) in insts.iter().enumerate() {
        let data = module.inst(*inst);
        if !matches!(data.op, ir::Op::Const { .. }) {
            for value in &data.results {
                let registers = registers(module.ty(*value));
                live += registers;
                // The results of a construct are complete at its end, where its arms yield them.
                freed[last[value.index()].max(at)] += registers;
            }
        }
        most = most.max(live);
        live -= freed[at];
    }
    most
}

/// Predicates have separate registers, of which devices have few: they count as one.
fn registers(ty: Ty) -> u32 {
    ty.bits().div_ceil(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> u32 {
        let text =
            format!("entry \"main\": compute 6.10\ngroup_size 1, 1, 1\n\nbody r0 {{\n{body}}}\n");
        let module = ir::text::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        pressure(&module)
    }

    #[test]
    fn values_occupy_registers_until_their_last_use() {
        let sum = "  v0: i32 = builtin.group_id.0\n  v1: i32 = builtin.group_id.1\n  v2: i32 = add v0, v1\n";
        assert_eq!(of(&format!("{sum}  yield\n")), 3);
        // The operands are dead by then.
        assert_eq!(
            of(&format!("{sum}  v3: i32 = mul v2, v2\n  v4: i32 = add v3, v2\n  yield\n")),
            3
        );
        // Both stay until the end.
        assert_eq!(
            of(&format!("{sum}  v3: i32 = mul v0, v2\n  v4: i32 = add v3, v1\n  yield\n")),
            4
        );
        // Constants take none, and 64 bits take two.
        assert_eq!(
            of(
                "  v0: i32 = const.i32 7\n  v1: i64 = const.i64 7\n  v2: i64 = add v1, v1\n  yield\n"
            ),
            2
        );
    }
}
