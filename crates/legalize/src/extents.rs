//! Value range analysis for one dispatch: the largest value that a word can have, as far as it follows from the number
//! of groups, to find the accesses that are in bounds of what is bound in every thread.
//!
//! Sums and products that might wrap have no bound, so that every bound holds for the word itself. What is loaded,
//! read from other lanes, or carried around a loop has none either.

use ir::{Binding, Builtin, Op, Place, Value};
use ops::{Binary, Sign, Ternary, Ty, Unary, WaveOp};

use crate::writer::Writer;

/// What is known of the only dispatch that a module is rewritten for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The number of groups on each axis.
    pub groups: [u32; 3],
    /// The size in bytes of what is bound to each resource; 0 if that is unknown. Resources beyond the end are unknown.
    pub bytes: Vec<usize>,
}

/// Formulas are examined to this depth.
const DEEPEST: u32 = 8;

impl Writer<'_> {
    /// Whether the units up to `last` of a buffer exist, if the largest word is known.
    pub(crate) fn exist(&self, place: Place, last: Option<u64>, unit: u32) -> bool {
        let is_one =
            place.element.is_none() && self.source.resource(place.binding).count == Some(1);
        let units = self.bound_bytes(place.binding) / u64::from(unit.max(1));
        is_one && last.is_some_and(|last| last < units)
    }

    fn bound_bytes(&self, binding: Binding) -> u64 {
        let bytes = self.dispatch.and_then(|it| it.bytes.get(binding.index()));
        bytes.map_or(0, |it| *it as u64)
    }

    /// The largest value of a word of the new module, as a number without a sign.
    pub(crate) fn most(&self, value: Value) -> Option<u64> {
        self.dispatch.and_then(|it| self.most_at(it, value, 0))
    }

    fn most_at(&self, dispatch: &Dispatch, value: Value, depth: u32) -> Option<u64> {
        if self.ty(value) != Ty::I32 || depth > DEEPEST {
            return None;
        }
        let of = |it: Value| self.most_at(dispatch, it, depth + 1);
        let size = |axis: u8| u64::from(self.source.group_size[usize::from(axis)]);
        let groups = |axis: u8| u64::from(dispatch.groups[usize::from(axis)]);
        let is_word = |it: &u64| *it <= u64::from(u32::MAX);
        // Of no values, such as those of a dispatch without groups, 0 is a bound.
        let last = |count: u64| Some(count.saturating_sub(1)).filter(is_word);
        match self.op_of(value)? {
            Op::Const { bits, .. } => Some(bits),
            Op::Builtin(Builtin::GroupId(axis)) => last(groups(axis)),
            Op::Builtin(Builtin::GroupThreadId(axis)) => last(size(axis)),
            Op::Builtin(Builtin::DispatchThreadId(axis)) => last(groups(axis) * size(axis)),
            Op::Builtin(Builtin::GroupIndex) => last(self.source.threads_per_group().into()),
            Op::Wave { op: WaveOp::LaneIndex, .. } => Some(127),
            Op::Unary(Unary::Convert { from_sign: Sign::Unsigned, .. }, a)
                if self.ty(a) == Ty::I16 =>
            {
                Some(u16::MAX.into())
            }
            Op::Ternary(Ternary::Select, [_, yes, no]) => Some(of(yes)?.max(of(no)?)),
            Op::Binary(op, a, b) => match op {
                Binary::Add => of(a)?.checked_add(of(b)?).filter(is_word),
                Binary::Mul => of(a)?.checked_mul(of(b)?).filter(is_word),
                Binary::And | Binary::Min(Sign::Unsigned) => match (of(a), of(b)) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (one, None) | (None, one) => one,
                },
                Binary::Max(Sign::Unsigned) => Some(of(a)?.max(of(b)?)),
                // No bit above the highest of both.
                Binary::Or | Binary::Xor => Some((of(a)?.max(of(b)?) + 1).next_power_of_two() - 1),
                Binary::Shr(Sign::Unsigned) => Some(of(a)? >> self.known(b).filter(|by| *by < 32)?),
                Binary::Shl => Some(of(a)? << self.known(b).filter(|by| *by < 32)?).filter(is_word),
                Binary::Div(Sign::Unsigned) => of(a)?.checked_div(self.known(b)?),
                Binary::Rem(Sign::Unsigned) => self.known(b)?.checked_sub(1),
                _ => None,
            },
            _ => None,
        }
    }
}
