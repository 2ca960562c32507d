//! An analysis of which values' NaN bits can be observed: floats that are used only by arithmetic and comparisons, even
//! across loops and branches, are observed only as numbers.
//!
//! Arithmetic gives the canonical NaN in our engines, and any NaN on a GPU. The difference is visible only to
//! operations on bits: a store, a conversion, a wave operation, a negation. If a value never reaches one of these, its
//! NaN need not be canonicalised, which saves three instructions for each addition.
//!
//! Values that are merged, at the ends of branches and from one iteration of a loop to the next, form equivalence
//! classes (union-find): all are observed if one is. 16-bit floats always are: the test for NaN keeps drivers from
//! removing their rounding.
use ir::flow::Structure;
use ir::{Module, Op, Value};
use ops::scalar::{Family, Nan};
use ops::{Ternary, Ty};

use crate::target::{Class, Target};

/// For each value, whether its bits may be observed; empty if the module adds no floats, or if the target's NaN need
/// not be canonical.
pub(crate) fn observed(module: &Module, target: &Target) -> Vec<bool> {
    let open = [Ty::F32, Ty::F64].map(|ty| target.leaves_open(Class::Nan, ty));
    let adds = |op: &Op| match op {
        Op::Binary(op, a, _) => {
            let ty = module.ty(*a);
            op.facts().family == Family::Ring
                && ((ty == Ty::F32 && open[0]) || (ty == Ty::F64 && open[1]))
        }
        _ => false,
    };
    if !module.insts.iter().any(|it| adds(&it.op)) {
        return Vec::new();
    }
    let mut classes = Classes { parents: (0..module.values.len() as u32).collect() };
    // A constant merges nothing: each of its uses is separate.
    Structure::of(module).copies(module, |from, into| {
        if module.constant(from).is_none() {
            classes.unite(into, from);
        }
    });
    let mut is_observed = vec![false; module.values.len()];
    for inst in &module.insts {
        if takes_numbers(module, &inst.op) {
            continue;
        }
        for value in inst.op.operands() {
            is_observed[classes.root(value)] = true;
        }
    }
    (0..is_observed.len() as u32).map(|value| is_observed[classes.root(Value(value))]).collect()
}

/// Whether the operation uses its operands as numbers, or only passes them on to values that they are merged with.
fn takes_numbers(module: &Module, op: &Op) -> bool {
    let wide = |value: &Value| matches!(module.ty(*value), Ty::F32 | Ty::F64);
    match op {
        Op::Compare(_, a, _) => wide(a),
        Op::Ternary(Ternary::Select, _) | Op::Yield(_) | Op::Exit { .. } => true,
        // Everything else may observe the bits, except what has regions.
        _ => {
            let is_ieee = op.scalar_facts().is_some_and(|it| it.nan == Nan::Ieee);
            is_ieee && op.operands().iter().all(wide) || op.is_construct()
        }
    }
}

/// Union-find over values that are merged.
struct Classes {
    parents: Vec<u32>,
}

impl Classes {
    fn root(&mut self, value: Value) -> usize {
        let mut value = value.index();
        while self.parents[value] as usize != value {
            self.parents[value] = self.parents[self.parents[value] as usize];
            value = self.parents[value] as usize;
        }
        value
    }

    fn unite(&mut self, a: Value, b: Value) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a] = b as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operations that make their own NaN (a rounding, a root, an `fma`) do not observe that of a sum; a negation does.
    #[test]
    fn operations_of_ieee_754_do_not_observe_the_bits_of_a_nan() {
        let observes = |op: &str| {
            let text = format!(
                "entry \"main\": compute 6.0\ngroup_size 1, 1, 1\np0 \"stack\": f32 x 1\nbody r0 {{\n\
                 v0: i32 = const.i32 0\nv1: f32 = private_load p0[v0]\nv2: f32 = add v1, v1\n\
                 v3: f32 = {op}\nprivate_store p0[v0], v3\nyield\n}}\n"
            );
            let module = ir::text::read(&text).unwrap_or_else(|it| panic!("{it:?}\n{text}"));
            let observed = observed(&module, &Target::vulkan(true, true));
            assert!(observed[3], "{op}");
            observed[2]
        };
        for op in ["floor v2", "sqrt v2", "fma v2, v1, v2", "div.s v2, v1"] {
            assert!(!observes(op), "{op}");
        }
        for op in ["neg v2", "rsqrt v2"] {
            assert!(observes(op), "{op}");
        }
    }
}
