//! Value ranges: an upper bound of an unsigned word, by interval arithmetic over the operations that made it.
//!
//! An index that is provably smaller than the length of its array needs no bounds check. The analysis follows a few
//! operations backwards. It ignores branches, loops that are not unrolled, and memory: what comes from there is bounded
//! by the largest word.

use ir::{Builtin, Op, Value};
use ops::{Binary, Sign, Ternary, Ty, WaveOp};

use super::{Home, Selector};

/// The most operations to follow.
const MOST_DEPTH: u32 = 6;

impl Selector<'_> {
    /// No active lane holds more than this.
    pub(super) fn most(&self, value: Value) -> u32 {
        if self.ty(value) != Ty::I32 { u32::MAX } else { self.most_of(value, MOST_DEPTH) }
    }

    fn most_of(&self, value: Value, depth: u32) -> u32 {
        match self.homes[value.index()].as_ref() {
            Some(Home::Constant(bits)) => return *bits as u32,
            Some(Home::Table(table)) => {
                let lanes = table[..self.width as usize].iter();
                return lanes.map(|it| *it as u32).max().unwrap_or(u32::MAX);
            }
            _ => {}
        }
        let Some(inst) = self.module.made_by(value) else {
            return u32::MAX;
        };
        if depth == 0 {
            return u32::MAX;
        }
        let of = |it: Value| self.most_of(it, depth - 1);
        let constant = |it: Value| self.constant(it).map(|it| it as u32);
        // All bits up to the highest one.
        let filled = |it: u32| u32::MAX.checked_shr(it.leading_zeros()).unwrap_or(0);
        match &self.module.inst(inst).op {
            Op::Builtin(Builtin::GroupIndex) => self.module.threads_per_group() - 1,
            Op::Builtin(Builtin::GroupThreadId(axis)) => {
                self.module.group_size[usize::from(*axis)] - 1
            }
            Op::Wave { op: WaveOp::LaneIndex, .. } => self.width - 1,
            Op::Binary(op, a, b) => match op {
                Binary::And => of(*a).min(of(*b)),
                Binary::Or | Binary::Xor => filled(of(*a) | of(*b)),
                Binary::Add => of(*a).saturating_add(of(*b)),
                Binary::Mul => of(*a).saturating_mul(of(*b)),
                Binary::Shl => constant(*b)
                    .and_then(|count| of(*a).checked_mul(1 << (count & 31)))
                    .unwrap_or(u32::MAX),
                Binary::Shr(Sign::Unsigned) => {
                    constant(*b).map_or(of(*a), |count| of(*a) >> (count & 31))
                }
                Binary::Div(Sign::Unsigned) => {
                    // A division by zero gives all ones.
                    constant(*b).and_then(|by| of(*a).checked_div(by)).unwrap_or(u32::MAX)
                }
                Binary::Rem(Sign::Unsigned) => match constant(*b) {
                    Some(by @ 1..) => of(*a).min(by - 1),
                    _ => u32::MAX,
                },
                Binary::Min(Sign::Unsigned) => of(*a).min(of(*b)),
                Binary::Max(Sign::Unsigned) => of(*a).max(of(*b)),
                _ => u32::MAX,
            },
            Op::Ternary(Ternary::Select, [_, a, b]) => of(*a).max(of(*b)),
            _ => u32::MAX,
        }
    }
}
