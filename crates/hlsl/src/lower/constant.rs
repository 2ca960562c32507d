//! Values that are the same wherever they are used: constants, undefined values, inputs of the dispatch.
//!
//! Each is created once, in front of the body, where it dominates every use.

use diag::Span;
use ir::{Builtin, Op, Value};
use ops::{Binary, Ty};

use super::{Lower, Lowerer, Values};
use crate::hash::QuickMap;
use crate::types::TypeId;

#[derive(Default)]
pub(super) struct Prelude {
    /// All of them, ascending.
    values: Vec<Value>,
    constants: QuickMap<(Ty, u64), Value>,
    undefined: QuickMap<(Ty, Span), Value>,
    builtins: QuickMap<Builtin, Value>,
}

/// An affine sum of constant and per-lane terms, as addresses and indices are.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub(super) constant: u32,
    /// Values of type `i32`, each with its factor.
    pub(super) terms: Vec<(Value, u32)>,
}

impl Sum {
    pub(super) fn plus(mut self, constant: u32) -> Sum {
        self.constant = self.constant.saturating_add(constant);
        self
    }

    pub(super) fn scaled(mut self, by: u32) -> Sum {
        self.constant = self.constant.saturating_mul(by);
        self.terms.iter_mut().for_each(|(_, scale)| *scale = scale.saturating_mul(by));
        self
    }
}

impl Lowerer<'_> {
    pub(super) fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        let bits = bits & ty.ones();
        if let Some(known) = self.prelude.constants.get(&(ty, bits)) {
            return *known;
        }
        let value = self.in_front(Op::Const { ty, bits }, ty);
        self.prelude.constants.insert((ty, bits), value);
        value
    }

    pub(super) fn word(&mut self, bits: u32) -> Value {
        self.constant(Ty::I32, u64::from(bits))
    }

    /// The value of a variable declared there, before it is assigned.
    pub(super) fn undefined(&mut self, ty: Ty, span: Span) -> Value {
        if let Some(known) = self.prelude.undefined.get(&(ty, span)) {
            return *known;
        }
        let before = std::mem::replace(&mut self.builder.span, span);
        let value = self.in_front(Op::Undef(ty), ty);
        self.builder.span = before;
        self.prelude.undefined.insert((ty, span), value);
        value
    }

    /// Whether the value is that of a variable before its first assignment.
    pub(super) fn is_undefined(&self, value: Value) -> bool {
        let module = &self.builder.module;
        matches!(module.op_of(value), Some(Op::Undef(_)))
    }

    pub(super) fn builtin(&mut self, builtin: Builtin) -> Value {
        if let Some(known) = self.prelude.builtins.get(&builtin) {
            return *known;
        }
        let value = self.in_front(Op::Builtin(builtin), Ty::I32);
        self.prelude.builtins.insert(builtin, value);
        value
    }

    /// The value with these bits as its scalars.
    pub(super) fn constants(&mut self, ty: TypeId, bits: &[u64], span: Span) -> Lower<Values> {
        let leaves = self.leaves(ty, span)?;
        Ok(leaves
            .iter()
            .zip(bits)
            .map(|(leaf, bits)| self.constant(leaf.unwrap_or(Ty::I32), *bits))
            .collect())
    }

    /// Whether a value is one of these, and so is visible everywhere.
    pub(super) fn is_in_front(&self, value: Value) -> bool {
        self.prelude.values.binary_search(&value).is_ok()
    }

    pub(super) fn sum(&mut self, sum: &Sum) -> Value {
        let mut total = None;
        for (value, scale) in &sum.terms {
            let term = self.scale(*value, *scale);
            total = Some(match total {
                Some(total) => self.value(Op::Binary(Binary::Add, total, term), Ty::I32),
                None => term,
            });
        }
        match total {
            Some(total) => self.offset(total, sum.constant),
            None => self.word(sum.constant),
        }
    }

    /// The value and a constant together.
    pub(super) fn offset(&mut self, value: Value, by: u32) -> Value {
        if by == 0 {
            return value;
        }
        if let Some(known) = self.builder.module.constant(value) {
            return self.word((known as u32).saturating_add(by));
        }
        let by = self.word(by);
        self.value(Op::Binary(Binary::Add, value, by), Ty::I32)
    }

    fn scale(&mut self, value: Value, by: u32) -> Value {
        match by {
            1 => value,
            _ => {
                let by = self.word(by);
                self.value(Op::Binary(Binary::Mul, value, by), Ty::I32)
            }
        }
    }

    fn in_front(&mut self, op: Op, ty: Ty) -> Value {
        let inst = self.builder.early(op, &[ty]);
        let value = self.builder.results(inst)[0];
        self.prelude.values.push(value);
        value
    }
}
