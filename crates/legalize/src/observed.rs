//! Which bits a program can observe: floats that only arithmetic and comparisons take, however many loops and branches lie
//! between, are observed as numbers only.
//!
//! A NaN that arithmetic makes is the canonical one in every engine of ours, and any NaN of a device's choice on a GPU. To
//! tell them apart takes bits: a store, a conversion, a wave operation, a change of sign. Where a value never comes to one of
//! these, its NaN may stay as the device made it, which saves three instructions for each addition.
//!
//! Values that flow together, at the ends of branches and from one iteration of a loop to the next, are observed if one of
//! them is. 16-bit floats always are: the test for a NaN keeps drivers from undoing their rounding.
use ir::{Module, Op, Value};
use ops::{Binary, Ternary, Ty};

/// For each value whether its bits may be observed.
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

/// Whether the operation takes its operands as numbers, or passes them on to values that they flow together with.
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

/// Classes of values that flow together.
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
            // A constant is what it is wherever it flows.
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
