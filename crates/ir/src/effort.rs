//! What instructions cost, in the unit of fuel: a plain instruction of a wave. Every engine counts the same.
//!
//! A plain instruction is one row of arithmetic. What is computed lane by lane, or of lanes in pairs, costs as many of
//! these as take the same time. Beyond 32 lanes the unit itself takes longer, since a row is longer: there a lane
//! counts for less. The texels that a sample reads are known when it has run, and are paid for then.

use ops::scalar::Family;
use ops::{Binary, WaveOp};

use crate::{Op, RayOp, TextureOp};

/// What an instruction costs beside the one wave-instruction that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// For each lane.
    lane: u32,
    /// For each pair of lanes, in quarters.
    pair: u32,
}

/// For each texel that a lane samples.
const TEXEL: u64 = 5;

fn lanes(width: u32) -> u32 {
    width.min(32)
}

impl Effort {
    /// `None` for what costs no more than a row of arithmetic.
    pub fn of(op: &Op) -> Option<Effort> {
        let per_lane = |lane| Some(Effort { lane, pair: 0 });
        match op {
            // A logarithm and an exponential function, each with more digits than the result.
            Op::Binary(Binary::Pow, ..) => per_lane(5),
            op if op.scalar_facts().is_some_and(|it| it.family == Family::Transcendental) => {
                per_lane(2)
            }
            // Lanes are compared with each other, or form sets that run one after the other.
            Op::Wave { op: WaveOp::Match, .. } | Op::Wave { lanes: Some(_), .. } => {
                Some(Effort { lane: 0, pair: 1 })
            }
            Op::Texture(texture) if texture.op != TextureOp::Size => per_lane(5),
            // A traversal visits nodes and primitives of a scene; the rest is bookkeeping of a lane.
            Op::Ray(ray) => match ray.op {
                RayOp::Proceed => per_lane(20),
                RayOp::Allocate
                | RayOp::Trace
                | RayOp::Abort
                | RayOp::CommitTriangle
                | RayOp::CommitProcedural
                | RayOp::Get(..) => per_lane(2),
            },
            // Lines are kept in order.
            Op::Print { args, .. } => per_lane(4 + args.len() as u32 / 4),
            _ => None,
        }
    }

    /// In waves of that width.
    pub fn at(self, width: u32) -> u32 {
        lanes(width) * (self.lane + self.pair * width / 4)
    }
}

/// An instruction in waves of that width, itself included.
pub fn cost(op: &Op, width: u32) -> u64 {
    1 + Effort::of(op).map_or(0, |it| u64::from(it.at(width)))
}

/// A number of texels that the lanes of a wave have sampled.
pub fn of_texels(texels: u64, width: u32) -> u64 {
    texels * TEXEL * u64::from(lanes(width)) / u64::from(width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Value, Values};

    #[test]
    fn what_takes_as_long_costs_as_much() {
        let value = Value(0);
        assert_eq!(cost(&Op::Binary(Binary::Add, value, value), 128), 1);
        assert_eq!(cost(&Op::Binary(Binary::Pow, value, value), 32), 161);
        // Twice the lanes, twice the time of a unit.
        assert_eq!(cost(&Op::Binary(Binary::Pow, value, value), 128), 161);
        let compared = Op::Wave { op: WaveOp::Match, args: Values::new(), lanes: None };
        assert_eq!([4, 32, 128].map(|width| cost(&compared, width)), [5, 257, 1025]);
        assert_eq!([4, 32, 128].map(|width| of_texels(8, width)), [40, 40, 10]);
    }
}
