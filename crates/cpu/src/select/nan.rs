//! Deferred NaN canonicalisation: which float values may hold a NaN that is not canonical yet.
//!
//! Arithmetic gives the canonical NaN, but hardware propagates the bits of an operand. Arithmetic does not observe
//! these bits, so it is enough to canonicalise before operations that do: a store, a cast, a negation, a call. A value
//! whose true bits are never those of another NaN is *fixable*: replacing any NaN in it by the canonical one gives the
//! true value. A fixable value that results from arithmetic is *raw*.

use ir::flow::Structure;
use ir::{Module, Op, Value};
use ops::scalar::Family;
use ops::{Fold, Ternary, Ty, Unary, WaveOp};

pub(super) struct Nans {
    fixable: Vec<bool>,
    raw: Vec<bool>,
}

impl Nans {
    pub(super) fn is_raw(&self, value: Value) -> bool {
        self.raw[value.index()]
    }

    pub(super) fn new(module: &Module) -> Nans {
        let edges = edges(module);
        let count = module.values.len();
        let float = |index: usize| matches!(module.values[index].ty, Ty::F32 | Ty::F64);
        let mut nans = Nans { fixable: (0..count).map(float).collect(), raw: vec![false; count] };
        for data in &module.insts {
            let Some(result) = data.results.first() else { continue };
            let keeps = data.op.is_construct() || moved(&data.op).is_some();
            let (makes, canonical) = made(module, &data.op);
            if !keeps && !makes && !canonical {
                data.results.iter().for_each(|it| nans.fixable[it.index()] = false);
            }
            nans.raw[result.index()] = makes && nans.fixable[result.index()];
        }
        // First, values that are not fixable propagate to the values they flow into; then raw values do.
        let spread = |marks: &mut Vec<bool>, to: bool, only: &dyn Fn(usize) -> bool| {
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for (from, into) in &edges {
                    let (from, into) = (from.index(), into.index());
                    if marks[from] == to && marks[into] != to && only(into) {
                        marks[into] = to;
                        changed = true;
                    }
                }
            }
        };
        spread(&mut nans.fixable, false, &|_| true);
        let fixable = nans.fixable.clone();
        nans.raw.iter_mut().zip(&fixable).for_each(|(raw, fixable)| *raw &= *fixable);
        spread(&mut nans.raw, true, &|it| fixable[it]);
        nans
    }
}

/// Whether the operation is arithmetic whose NaN has the hardware's bits, and whether any NaN is canonical anyway.
fn made(module: &Module, op: &Op) -> (bool, bool) {
    let ty = |value: &Value| module.ty(*value);
    match op {
        Op::Binary(op, a, _) => match op.facts().family {
            Family::Ring | Family::Division => (ty(a).is_float(), false),
            _ => (false, op.facts().canonical),
        },
        Op::Ternary(Ternary::Fma, _) => (true, false),
        Op::Unary(op, a) => match op.facts().family {
            Family::Rounding => (ty(a).is_float(), false),
            Family::Root if *op == Unary::Sqrt => (ty(a).is_float(), false),
            _ => (false, op.facts().canonical),
        },
        Op::Derivative(_, a) => (ty(a) == Ty::F32, ty(a) != Ty::F32),
        Op::Const { ty, bits } => {
            let number = match ty {
                Ty::F32 => !f32::from_bits(*bits as u32).is_nan(),
                Ty::F64 => !f64::from_bits(*bits).is_nan(),
                _ => false,
            };
            (false, number)
        }
        Op::Undef(_) => (false, true),
        Op::Wave {
            op: WaveOp::Reduce(Fold::Sum | Fold::Product) | WaveOp::Scan(Fold::Sum),
            ..
        } => (false, true),
        _ => (false, false),
    }
}

/// The operands that a selection copies.
fn moved(op: &Op) -> Option<[Value; 2]> {
    match op {
        Op::Ternary(Ternary::Select, [_, a, b]) => Some([*a, *b]),
        _ => None,
    }
}

/// Each pair of a value and another one that it is copied to.
fn edges(module: &Module) -> Vec<(Value, Value)> {
    let mut edges: Vec<(Value, Value)> = Vec::new();
    Structure::of(module).edges(module, |from, into| edges.push((from, into)));
    for data in &module.insts {
        if let (Some(from), [into]) = (moved(&data.op), &data.results[..]) {
            edges.extend(from.map(|it| (it, *into)));
        }
    }
    edges
}
