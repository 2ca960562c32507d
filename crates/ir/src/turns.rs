//! Fair scheduling, the part of the execution contract that decides which wave runs next: when a looping wave lets
//! others run. All our engines count by these rules, so that waves that wait for each other leave the same values
//! on each engine. In the canonical order one wave runs at a time:
//!
//! - A wave's *turn* ends when it ends, when it waits at a group barrier, or when it has run [`ROUNDS`] loop
//!   iterations since it started, since it last passed a group barrier, or since its last turn ended in this way.
//!   An iteration is a return to the start of a loop with at least one lane; the iterations of all loops that a
//!   wave runs count together. Only those of [`short_loops`] do not count.
//! - After a turn, the next wave of the group that can run gets a turn, in ascending order, wrapping from the last
//!   wave to the first.
//! - A group is *stuck* when more than [`PATIENCE`] turns for each of its waves that have not ended were spent on
//!   looping, while no wave ended and no barrier opened. Then the next group starts, if fewer than
//!   [`Footprint::most_started`](crate::exec::Footprint::most_started) are in flight; otherwise the group in flight
//!   that started next after the stuck one continues, wrapping from the last to the first. When a group ends, the
//!   oldest group in flight continues.

use std::collections::{BTreeSet, HashMap};

use ops::{WIDTHS, WaveOp};

use crate::{Inst, Module, Op, rounds};

/// A turn of a wave ends after this many loop iterations.
pub const ROUNDS: u32 = 4096;
/// After more than this many turns for each of its waves, a group that only loops is stuck.
pub const PATIENCE: u32 = 8;

/// The loops whose rounds do not count, as an engine may run them without going round: those of which constants and the
/// number of lanes decide that they end after a few rounds, in each round of the loops around them.
pub fn short_loops(module: &Module, width: u32) -> BTreeSet<Inst> {
    rounds::short_loops(module, width)
}

/// The same for all widths: for each loop that is short at some width, a bit for each width, the lowest for four
/// lanes.
pub fn short_loops_by_width(module: &Module) -> HashMap<Inst, u8> {
    let sees_width =
        module.insts.iter().any(|it| matches!(it.op, Op::Wave { op: WaveOp::LaneCount, .. }));
    let mut bits = HashMap::new();
    for (number, width) in WIDTHS.into_iter().enumerate().take(if sees_width { 6 } else { 1 }) {
        for inst in short_loops(module, width) {
            *bits.entry(inst).or_default() |= if sees_width { 1 << number } else { 0x3f };
        }
    }
    bits
}
