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
use ir::{Module, Op, Value};
use ops::{Binary, Ternary, Ty};

/// For each value, whether its bits may be observed.
pub(crate) fn observed(module: &Module) -> Vec<bool> {
    let mut flows = Flows { module, parents: (0..module.values.len()).collect() };
    for inst in &module.insts {
        flows.join(&inst.op, &inst.results);
    }
    let mut is_observed = vec![false; module.values.len()];
    for inst in &module.insts {
        if takes_numbers(module, &inst.op) {
            continue;
        }
        for value in inst.op.operands() {
            is_observed[flows.root(value.index())] = true;
        }
    }
    (0..is_observed.len()).map(|value| is_observed[flows.root(value)]).collect()
}

/// Whether the operation uses its operands as numbers, or only passes them on to values that they are merged with.
fn takes_numbers(module: &Module, op: &Op) -> bool {
    let wide = |value: &Value| matches!(module.ty(*value), Ty::F32 | Ty::F64);
    match op {
        Op::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Div(_), a, _)
        | Op::Compare(_, a, _) => wide(a),
        Op::Ternary(Ternary::Select, _)
        | Op::If { .. }
        | Op::Loop { .. }
        | Op::Switch { .. }
        | Op::Block { .. }
        | Op::Yield(_)
        | Op::Exit { .. } => true,
        // Everything else may observe the bits.
        _ => false,
    }
}

/// Union-find over values that are merged.
struct Flows<'a> {
    module: &'a Module,
    parents: Vec<usize>,
}

impl Flows<'_> {
    fn root(&mut self, mut value: usize) -> usize {
        while self.parents[value] != value {
            self.parents[value] = self.parents[self.parents[value]];
            value = self.parents[value];
        }
        value
    }

    fn unite(&mut self, some: &[Value], others: &[Value]) {
        for (a, b) in some.iter().zip(others) {
            // A constant merges nothing: each of its uses is separate.
            if self.module.constant(*b).is_some() {
                continue;
            }
            let (a, b) = (self.root(a.index()), self.root(b.index()));
            self.parents[a] = b;
        }
    }

    fn join(&mut self, op: &Op, results: &[Value]) {
        let module = self.module;
        let yields = |region: ir::Region| {
            let last = module.region(region).insts.last().map(|it| &module.inst(*it).op);
            match last {
                Some(Op::Yield(args)) => args.as_slice(),
                _ => &[],
            }
        };
        match op {
            Op::Ternary(Ternary::Select, [_, yes, no]) => {
                self.unite(results, &[*yes]);
                self.unite(results, &[*no]);
            }
            Op::If { then, else_, .. } => {
                self.unite(results, yields(*then));
                self.unite(results, yields(*else_));
            }
            Op::Block { body } => self.unite(results, yields(*body)),
            Op::Loop { body, inits } => {
                let params = &module.region(*body).params;
                self.unite(params, inits);
                self.unite(params, yields(*body));
            }
            Op::Switch { cases, inits, .. } => {
                self.unite(results, inits);
                for case in cases {
                    self.unite(results, &module.region(case.body).params);
                    self.unite(results, yields(case.body));
                }
            }
            Op::Exit { to, args } => self.unite(&module.inst(*to).results, args),
            // Nothing else passes values on.
            _ => {}
        }
    }
}
