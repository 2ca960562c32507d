//! Regions that at most one lane of a wave runs at a time: *single-lane regions*, such as those behind
//! `WaveIsFirstLane()` or `thread == 0`.
//!
//! In such a region no lane can observe the progress of another one of its wave, so accesses need no order between
//! lanes. That says nothing about the lanes of other waves.
//!
//! The condition is enough: it held for at most one of the lanes that computed it together, and the lanes that see it
//! are a subset of these. Conditions that compare ranges (`thread < 1`) are not understood.

use ops::{Binary, Compare, Unary, WaveOp};

use super::{Uniformities, stride};
use crate::{Module, Op, Region, Value};

/// The binary logarithm of the most lanes of a wave.
const MOST_LANES_LOG2: u32 = 7;

impl Uniformities {
    /// For each region of the module, whether at most one lane of a wave runs it at a time.
    pub fn single_lane_regions(&self, module: &Module) -> Vec<bool> {
        let mut single = vec![false; module.regions.len()];
        let mut open = vec![(module.body, false)];
        while let Some((region, is_single)) = open.pop() {
            single[region.index()] = is_single;
            for inst in &module.region(region).insts {
                let op = &module.inst(*inst).op;
                for inner in op.regions() {
                    open.push((inner, is_single || self.selects_one_lane(module, op, inner)));
                }
            }
        }
        single
    }

    /// Whether at most one of the lanes that reach a construct enters its region.
    fn selects_one_lane(&self, module: &Module, construct: &Op, region: Region) -> bool {
        match construct {
            Op::If { cond, then, .. } => self.is_one_lane(module, *cond, region == *then),
            _ => false,
        }
    }

    /// Whether a condition has the truth value `truth` in at most one lane of a wave.
    pub fn is_one_lane(&self, module: &Module, cond: Value, truth: bool) -> bool {
        match module.op_of(cond) {
            Some(Op::Unary(Unary::Not, a)) => self.is_one_lane(module, *a, !truth),
            // Either operand has it wherever the result has.
            Some(Op::Binary(op, a, b)) if *op == (if truth { Binary::And } else { Binary::Or }) => {
                self.is_one_lane(module, *a, truth) || self.is_one_lane(module, *b, truth)
            }
            Some(Op::Compare(op, a, b))
                if *op == (if truth { Compare::Eq } else { Compare::Ne }) =>
            {
                self.differ_between_lanes(module, *a, *b)
            }
            Some(Op::Wave { op: WaveOp::IsFirstLane, lanes: None, .. }) => truth,
            _ => false,
        }
    }

    /// Whether the difference of two integers has another value in each lane.
    fn differ_between_lanes(&self, module: &Module, a: Value, b: Value) -> bool {
        let ty = module.ty(a);
        let strides = [a, b].map(|it| stride(self.of(it)));
        let [Some(a), Some(b)] = strides else { return false };
        let difference = a.wrapping_sub(b);
        // Modulo the type, no multiple by a distance between lanes is 0.
        ty.is_int() && difference.trailing_zeros() + MOST_LANES_LOG2 <= ty.bits()
    }
}

#[cfg(test)]
mod tests {
    use super::super::analyse;
    use super::super::tests::module;

    /// Whether each region is a single-lane region, in the order of their numbers.
    fn single(lines: &str) -> String {
        let module = module("64, 1, 1", lines);
        let regions = analyse(&module).single_lane_regions(&module);
        regions.iter().map(|it| if *it { '1' } else { '-' }).collect()
    }

    /// The arms of an `if` whose condition is what the last line computes, `last`.
    fn arms(lines: &str) -> String {
        let last = format!("v{}", lines.lines().count() + 1);
        let lines = lines.replace("last", &last);
        single(&format!(
            "v0: i32 = wave.lane_index\nv1: i32 = const.i32 3\n{lines}\nif {last} then r1 {{\nyield\n}} else r2 {{\nyield\n}}"
        ))
    }

    #[test]
    fn equality_with_a_uniform_value_selects_one_lane() {
        assert_eq!(arms("last: bool = eq v0, v1"), "-1-");
        assert_eq!(arms("last: bool = ne v0, v1"), "--1");
        assert_eq!(arms("v2: bool = ne v0, v1\nlast: bool = not v2"), "-1-");
        assert_eq!(arms("v2: i32 = builtin.group_index\nlast: bool = eq v1, v2"), "-1-");
        assert_eq!(arms("last: bool = wave.is_first_lane"), "-1-");
    }

    #[test]
    fn conjunctions_select_what_an_operand_selects() {
        let both = "v2: bool = eq v0, v1\nv3: bool = lt.u v0, v1\n";
        assert_eq!(arms(&format!("{both}last: bool = and v3, v2")), "-1-");
        assert_eq!(arms(&format!("{both}last: bool = or v3, v2")), "---");
        let neither = "v2: bool = ne v0, v1\nv3: bool = lt.u v0, v1\n";
        assert_eq!(arms(&format!("{neither}last: bool = or v2, v3")), "--1");
        assert_eq!(arms(&format!("{neither}last: bool = and v2, v3")), "---");
    }

    #[test]
    fn strides_that_wrap_around_select_several_lanes() {
        // Lanes 0 and 64 hold the same multiple of 2^26.
        for (shift, expected) in [(25, "-1-"), (26, "---")] {
            let lines = format!(
                "v2: i32 = const.i32 {}\nv3: i32 = mul v0, v2\nlast: bool = eq v3, v1",
                1u32 << shift
            );
            assert_eq!(arms(&lines), expected, "{shift}");
        }
        // Both operands have the same stride.
        assert_eq!(arms("v2: i32 = add v0, v1\nlast: bool = eq v2, v0"), "---");
        assert_eq!(arms("last: bool = eq v1, v1"), "---");
    }

    #[test]
    fn what_is_nested_in_a_single_lane_region_is_one() {
        let lines = "v0: bool = wave.is_first_lane
if v0 then r1 {
block do r2 {
yield
}
yield
} else r3 {
yield
}
block do r4 {
yield
}";
        assert_eq!(single(lines), "-11--");
    }
}
