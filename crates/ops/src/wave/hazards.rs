//! What can go wrong in a wave operation, and which results are then poisoned.

use super::eval::{partition, quad, rotated};
use super::{Lanes, Operands, QuadDirection, Results, Sees, Wave, WaveOp};
use crate::LaneMask;

/// The lanes that did something the language leaves undefined; the sanitizer turns them into findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hazards {
    /// Lanes that read a lane which does not participate.
    pub inactive_source: LaneMask,
    /// Lanes that read a lane at or beyond the width, or a quad lane beyond 3.
    pub index_out_of_range: LaneMask,
    /// Lanes whose quad is not fully active.
    pub incomplete_quad: LaneMask,
    /// Lanes whose partition mask names a group that does not contain the lane itself, or whose members disagree
    /// about it.
    pub bad_partition: LaneMask,
}

impl Hazards {
    pub fn any(&self) -> LaneMask {
        self.inactive_source | self.index_out_of_range | self.incomplete_quad | self.bad_partition
    }
}

/// The hazards of one execution; only participants (for quad operations, active lanes) are reported.
pub fn hazards(op: WaveOp, wave: &Wave, args: &[Lanes<'_>]) -> Hazards {
    let on = wave.participants();
    let mut found = Hazards::default();
    match op.facts().sees {
        Sees::Named => {
            for lane in on.iter() {
                let source = source(op, wave, args, lane);
                if source >= wave.width {
                    found.index_out_of_range |= LaneMask::only(lane);
                } else if !on.contains(source) {
                    found.inactive_source |= LaneMask::only(lane);
                }
            }
        }
        Sees::Quad => {
            let incomplete = |lane: &u32| quad(*lane) & wave.active != quad(*lane);
            found.incomplete_quad = wave.active.iter().filter(incomplete).collect();
            if op.signature().operands == Operands::ValueAndIndex {
                found.index_out_of_range =
                    wave.active.iter().filter(|lane| args[1].get(*lane) as u32 > 3).collect();
            }
        }
        Sees::Partition => {
            let group = |lane: u32| partition(&args[1..], lane) & on;
            let bad = |lane: &u32| {
                let own = group(*lane);
                !own.contains(*lane) || own.iter().any(|other| group(other) != own)
            };
            found.bad_partition = on.iter().filter(bad).collect();
        }
        Sees::Nothing | Sees::ActiveSet | Sees::Participants | Sees::First | Sees::Below => {}
    }
    found
}

/// The lanes of the result that are poisoned, given those of each operand. Helper lanes that do not participate, or
/// that participate because no others do, get a result that the language leaves undefined.
pub fn poison(op: WaveOp, wave: &Wave, args: &[Lanes<'_>], poisoned: &[LaneMask]) -> LaneMask {
    let on_helpers =
        if op.is_defined_on_helpers() { LaneMask::EMPTY } else { wave.active & wave.helpers };
    on_helpers | by_operands(op, wave, args, poisoned)
}

/// What the operands poison.
fn by_operands(op: WaveOp, wave: &Wave, args: &[Lanes<'_>], poisoned: &[LaneMask]) -> LaneMask {
    let on = wave.participants();
    let in_any = poisoned.iter().fold(LaneMask::EMPTY, |all, it| all | *it);
    let everyone_if = |bad: bool| if bad { wave.active } else { LaneMask::EMPTY };
    match op.facts().sees {
        Sees::Nothing | Sees::ActiveSet => LaneMask::EMPTY,
        Sees::Participants => everyone_if(!(in_any & on).is_empty()),
        Sees::First => everyone_if(on.first().is_some_and(|first| in_any.contains(first))),
        Sees::Below => match (in_any & on).first() {
            Some(lowest) => wave.active & !LaneMask::below(lowest + 1),
            None => LaneMask::EMPTY,
        },
        Sees::Named => {
            let bad_index = poisoned[1..].iter().fold(LaneMask::EMPTY, |all, it| all | *it);
            let bad_source = |lane: &u32| {
                let source = source(op, wave, args, *lane);
                !on.contains(source) || poisoned[0].contains(source)
            };
            wave.active & bad_index | wave.active.iter().filter(bad_source).collect()
        }
        Sees::Quad if op.signature().results == Results::Value => {
            let bad_index = poisoned[1..].iter().fold(LaneMask::EMPTY, |all, it| all | *it);
            let bad_source = |lane: &u32| {
                let source = source(op, wave, args, *lane);
                !wave.active.contains(source) || poisoned[0].contains(source)
            };
            let bad_quad = hazards(op, wave, args).index_out_of_range;
            wave.active & (bad_index | bad_quad) | wave.active.iter().filter(bad_source).collect()
        }
        Sees::Quad => {
            let bad = |lane: &u32| !(quad(*lane) & (in_any | !wave.active)).is_empty();
            wave.active.iter().filter(bad).collect()
        }
        Sees::Partition => {
            let bad_masks = poisoned[1..].iter().fold(LaneMask::EMPTY, |all, it| all | *it) & on;
            if !bad_masks.is_empty() || !hazards(op, wave, args).bad_partition.is_empty() {
                return wave.active;
            }
            let folded = |lane: u32| {
                let group = partition(&args[1..], lane) & on;
                match op {
                    WaveOp::MultiReduce(_) => group,
                    WaveOp::MultiScanInclusive(_) => group & LaneMask::below(lane + 1),
                    _ => group & LaneMask::below(lane),
                }
            };
            wave.active.iter().filter(|lane| !(folded(*lane) & poisoned[0]).is_empty()).collect()
        }
    }
}

/// The lane that a lane reads, by an operation that reads one ([`WaveOp::reads_one_lane`]); for `ReadLaneAt` it may lie
/// beyond the width.
pub fn source(op: WaveOp, wave: &Wave, args: &[Lanes<'_>], lane: u32) -> u32 {
    match op {
        WaveOp::ReadLaneFirst => wave.participants().first().unwrap_or(lane),
        WaveOp::ReadLaneAt => args[1].get(lane) as u32,
        WaveOp::Rotate => rotated(lane, args[1].get(lane) as u32, wave.width),
        WaveOp::ClusteredRotate => {
            rotated(lane, args[1].get(lane) as u32, (args[2].get(lane) as u32).clamp(1, wave.width))
        }
        WaveOp::QuadRead(QuadDirection::X) => lane ^ 1,
        WaveOp::QuadRead(QuadDirection::Y) => lane ^ 2,
        WaveOp::QuadRead(QuadDirection::Diagonal) => lane ^ 3,
        WaveOp::QuadReadLaneAt => lane & !3 | args[1].get(lane) as u32 & 3,
        _ => unreachable!("{op:?} does not read a single lane"),
    }
}
