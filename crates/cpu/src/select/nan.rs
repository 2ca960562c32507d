//! Deferred NaN canonicalisation: which float values may hold a NaN that is not canonical yet.
//!
//! Arithmetic gives the canonical NaN, but hardware propagates the bits of an operand. Arithmetic does not observe
//! these bits, so it is enough to canonicalise before operations that do: a store, a cast, a negation, a call. A value
//! whose true bits are never those of another NaN is *fixable*: replacing any NaN in it by the canonical one gives the
//! true value. A fixable value that results from arithmetic is *raw*.

use ir::flow::Structure;
use ir::{Module, Op, Value};
use ops::scalar::Nan;
use ops::{Fold, Ternary, Ty, WaveOp};

pub(super) struct Nans {
    fixable: Vec<bool>,
    raw: Vec<bool>,
}

impl Nans {
    pub(super) fn is_raw(&self, value: Value) -> bool {
        self.raw[value.index()]
    }

    pub(super) fn new(module: &Module) -> Nans {
        let mut edges: Vec<(Value, Value)> = Vec::new();
        Structure::of(module).copies(module, |from, into| edges.push((from, into)));
        let count = module.values.len();
        let float = |index: usize| matches!(module.values[index].ty, Ty::F32 | Ty::F64);
        let mut nans = Nans { fixable: (0..count).map(float).collect(), raw: vec![false; count] };
        for data in &module.insts {
            let Some(result) = data.results.first() else { continue };
            let given = given(module, &data.op);
            let keeps =
                data.op.is_construct() || matches!(data.op, Op::Ternary(Ternary::Select, _));
            if given == Nan::Operand && !keeps {
                data.results.iter().for_each(|it| nans.fixable[it.index()] = false);
            }
            nans.raw[result.index()] = given == Nan::Ieee && nans.fixable[result.index()];
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

/// Which NaN an instruction gives, if it gives one.
fn given(module: &Module, op: &Op) -> Nan {
    if let Some(facts) = op.scalar_facts() {
        return facts.nan;
    }
    let is_canonical = match op {
        Op::Derivative(_, a) if module.ty(*a) == Ty::F32 => return Nan::Ieee,
        Op::Derivative(..) | Op::Undef(_) => true,
        Op::Const { ty: Ty::F32, bits } => !f32::from_bits(*bits as u32).is_nan(),
        Op::Const { ty: Ty::F64, bits } => !f64::from_bits(*bits).is_nan(),
        Op::Wave {
            op: WaveOp::Reduce(Fold::Sum | Fold::Product) | WaveOp::Scan(Fold::Sum),
            ..
        } => true,
        _ => false,
    };
    if is_canonical { Nan::Canonical } else { Nan::Operand }
}
