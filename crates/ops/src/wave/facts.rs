//! Facts about each wave operation: one row for each, which readers ask instead of listing operations themselves.
//!
//! A row gives the signature, the lanes that determine a result, how results differ between lanes, the fold, and
//! which lanes participate, in the words of the reference. A new operation does not compile until it has a row
//! here;
//! hazards, poison, uniformity, warnings, the sanitizer and the back ends follow from the row.

use super::{Fold, WaveOp};
use crate::Ty;

/// Facts about one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub signature: Signature,
    pub sees: Sees,
    pub spread: Spread,
    /// The fold of a reduction or scan: it computes with numbers, everything else moves or compares them.
    pub fold: Option<Fold>,
    /// Which lanes participate and what happens to the others, in the words of `explain` and the documents.
    pub lanes: &'static str,
}

/// The operands and results of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    pub operands: Operands,
    pub results: Results,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    None,
    Bool,
    Value,
    /// The components of one HLSL value: one or more.
    Values,
    ValueAndIndex,
    ValueAndTwoIndices,
    BoolAndLanes,
    ValueAndLanes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    Bool,
    /// An `i32`.
    Word,
    /// Of the type of the operand.
    Value,
    /// Four `i32`: lanes 0 to 31 first.
    Lanes,
}

/// Which lanes determine a lane's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sees {
    /// None: the result does not depend on the active set.
    Nothing,
    /// The set of active lanes, regardless of their values.
    ActiveSet,
    /// All participants and their values.
    Participants,
    /// The lowest participant.
    First,
    /// The participants below the lane.
    Below,
    /// The one lane that an operand names.
    Named,
    /// The participants of the group that a partition mask names.
    Partition,
    /// The lanes of the quad.
    Quad,
}

/// How a result differs between the lanes that execute the operation together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// All lanes get the same.
    Uniform,
    /// Each lane gets its own index.
    LaneIndex,
    /// It depends on the lane's position in the wave.
    ByPlace,
    /// All lanes get the same if the operands from this one on are uniform.
    Operands(usize),
    /// Unknown.
    Any,
}

impl WaveOp {
    /// The row of an operation.
    pub const fn facts(self) -> Facts {
        use Operands as In;
        use Results as Out;
        use WaveOp::*;
        match self {
            LaneIndex => row(In::None, Out::Word, Sees::Nothing, Spread::LaneIndex, NO_OTHER),
            LaneCount => row(In::None, Out::Word, Sees::Nothing, Spread::Uniform, NO_OTHER),
            IsHelperLane => row(In::None, Out::Bool, Sees::Nothing, Spread::Any, NO_OTHER),
            GroupWaveIndex => row(In::None, Out::Word, Sees::Nothing, Spread::Uniform, NO_OTHER),
            GroupWaveCount => row(In::None, Out::Word, Sees::Nothing, Spread::Uniform, NO_OTHER),
            LaneRelation(_) => row(In::None, Out::Lanes, Sees::Nothing, Spread::ByPlace, NO_OTHER),

            IsFirstLane => row(In::None, Out::Bool, Sees::ActiveSet, Spread::ByPlace, THE_SET),
            ActiveLanes => row(In::None, Out::Lanes, Sees::ActiveSet, Spread::Uniform, THE_SET),
            ConvergedLanes => row(In::None, Out::Lanes, Sees::ActiveSet, Spread::Uniform, THE_SET),

            AnyTrue => row(In::Bool, Out::Bool, Sees::Participants, Spread::Uniform, ALL),
            AllTrue => row(In::Bool, Out::Bool, Sees::Participants, Spread::Uniform, ALL),
            Ballot => row(In::Bool, Out::Lanes, Sees::Participants, Spread::Uniform, ALL),
            CountBits => row(In::Bool, Out::Word, Sees::Participants, Spread::Uniform, ALL),
            AllEqual => row(In::Value, Out::Bool, Sees::Participants, Spread::Uniform, ALL),
            Reduce(fold) => Facts {
                fold: Some(fold),
                ..row(In::Value, Out::Value, Sees::Participants, Spread::Uniform, ALL)
            },
            // All lanes with the same value are in one set.
            Match => row(In::Values, Out::Lanes, Sees::Participants, Spread::Operands(0), MATCHED),

            PrefixCountBits => row(In::Bool, Out::Word, Sees::Below, Spread::ByPlace, BELOW),
            Scan(fold) => Facts {
                fold: Some(fold),
                ..row(In::Value, Out::Value, Sees::Below, Spread::ByPlace, BELOW)
            },

            ReadLaneFirst => row(In::Value, Out::Value, Sees::First, Spread::Uniform, LOWEST),
            // A uniform index names one lane for all.
            ReadLaneAt => {
                row(In::ValueAndIndex, Out::Value, Sees::Named, Spread::Operands(1), READ_AT)
            }
            Rotate => row(In::ValueAndIndex, Out::Value, Sees::Named, Spread::Any, ROTATED),
            ClusteredRotate => {
                row(In::ValueAndTwoIndices, Out::Value, Sees::Named, Spread::Any, ROTATED)
            }

            MultiPrefixCountBits => {
                row(In::BoolAndLanes, Out::Word, Sees::Partition, Spread::Any, GROUP)
            }
            MultiReduce(fold) => Facts {
                fold: Some(fold),
                ..row(In::ValueAndLanes, Out::Value, Sees::Partition, Spread::Any, GROUP)
            },
            MultiScan(fold) => Facts {
                fold: Some(fold),
                ..row(In::ValueAndLanes, Out::Value, Sees::Partition, Spread::Any, GROUP)
            },
            MultiScanInclusive(fold) => Facts {
                fold: Some(fold),
                ..row(In::ValueAndLanes, Out::Value, Sees::Partition, Spread::Any, GROUP)
            },

            QuadRead(_) => row(In::Value, Out::Value, Sees::Quad, Spread::Any, READ_QUAD),
            QuadReadLaneAt => {
                row(In::ValueAndIndex, Out::Value, Sees::Quad, Spread::Any, READ_QUAD)
            }
            QuadAny => row(In::Bool, Out::Bool, Sees::Quad, Spread::Any, ASK_QUAD),
            QuadAll => row(In::Bool, Out::Bool, Sees::Quad, Spread::Any, ASK_QUAD),
        }
    }

    /// The operands and results.
    pub const fn signature(self) -> Signature {
        self.facts().signature
    }

    /// Whether a different active set can give a lane a different result.
    pub fn sees_lanes(self) -> bool {
        self.facts().sees != Sees::Nothing
    }

    /// Whether helper lanes get a defined result although they do not participate.
    pub fn is_defined_on_helpers(self) -> bool {
        match self.facts().sees {
            Sees::Nothing | Sees::Quad => true,
            // Of the set they learn only that they are not the first of it.
            Sees::ActiveSet => self == WaveOp::IsFirstLane,
            Sees::Participants | Sees::First | Sees::Below | Sees::Named | Sees::Partition => false,
        }
    }

    /// Whether the result only says which lane of its wave a thread is, or whether it is the first: with another
    /// assignment of threads to lanes, it differs as a matter of course.
    pub fn identifies_lane(self) -> bool {
        let Facts { sees, spread, .. } = self.facts();
        spread == Spread::LaneIndex || (sees == Sees::ActiveSet && spread == Spread::ByPlace)
    }

    /// Whether the result is the set of lanes with a certain value.
    pub fn chooses_lanes(self) -> bool {
        let Facts { signature, sees, .. } = self.facts();
        signature.results == Results::Lanes && sees == Sees::Participants
    }

    /// Whether each lane gets the value of one lane: a shuffle, unlike a vote or a fold. [`super::source`] says which.
    pub fn reads_one_lane(self) -> bool {
        let Facts { signature, sees, .. } = self.facts();
        match sees {
            Sees::First | Sees::Named => true,
            Sees::Quad => signature.results == Results::Value,
            Sees::Nothing
            | Sees::ActiveSet
            | Sees::Participants
            | Sees::Below
            | Sees::Partition => false,
        }
    }

    /// The fold of a reduction or scan.
    pub const fn fold(self) -> Option<Fold> {
        self.facts().fold
    }

    /// The same reduction or scan with another fold; other operations are returned unchanged.
    pub fn with_fold(self, fold: Fold) -> WaveOp {
        match self {
            WaveOp::Reduce(_) => WaveOp::Reduce(fold),
            WaveOp::Scan(_) => WaveOp::Scan(fold),
            WaveOp::MultiReduce(_) => WaveOp::MultiReduce(fold),
            WaveOp::MultiScan(_) => WaveOp::MultiScan(fold),
            WaveOp::MultiScanInclusive(_) => WaveOp::MultiScanInclusive(fold),
            _ => self,
        }
    }

    /// Whether the operation accepts values of that type.
    pub fn takes(self, ty: Ty) -> bool {
        match self.signature().operands {
            Operands::None | Operands::Bool | Operands::BoolAndLanes => ty == Ty::Bool,
            Operands::Value
            | Operands::ValueAndIndex
            | Operands::ValueAndTwoIndices
            | Operands::Values
            | Operands::ValueAndLanes => match self.fold() {
                Some(fold) => ty != Ty::Bool && fold.binary().result(ty).is_some(),
                None => true,
            },
        }
    }
}

/// The row of an operation without a fold.
const fn row(
    operands: Operands,
    results: Results,
    sees: Sees,
    spread: Spread,
    lanes: &'static str,
) -> Facts {
    Facts { signature: Signature { operands, results }, sees, spread, fold: None, lanes }
}

// Which lanes participate, in words.

const NO_OTHER: &str = "Does not depend on other lanes: it is defined wherever it is called.";
const THE_SET: &str = "Depends only on the set of active lanes.";
const ALL: &str = "The active lanes participate. Inactive lanes and helper lanes do not contribute, whatever they hold; every \
                   active lane gets the same result.";
const BELOW: &str = "The active lanes below this one contribute. Inactive lanes and helper lanes are skipped, whatever \
                     they hold; the lowest active lane gets the identity.";
const LOWEST: &str = "Reads the lowest active lane, so it never meets an inactive one.";
const READ_AT: &str = "Reading an inactive lane, or one at or beyond the width, is undefined: here the result is 0, and the \
                       sanitizer reports a finding.";
const ROTATED: &str = "Reading an inactive lane is undefined: here the result is 0, and the sanitizer reports a finding.";
const MATCHED: &str =
    "The active lanes are compared with each other, bit by bit; inactive lanes are not in any set.";
const GROUP: &str = "The active lanes of the group that the mask names contribute; inactive lanes in the mask are \
                     skipped. The masks must form a partition, as those of `WaveMatch` do: a lane whose mask does not \
                     contain the lane itself, or disagrees with the masks of its group, is a finding.";
const READ_QUAD: &str = "All four lanes of the quad should be active. Reading an inactive one is undefined: here a lane \
                         then gets its own value, and the sanitizer reports a finding.";
const ASK_QUAD: &str = "All four lanes of the quad should be active, helper lanes included; otherwise it is undefined.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intrinsics::{Meaning, all};

    fn operations() -> impl Iterator<Item = WaveOp> {
        all().filter_map(|row| match row.meaning {
            Meaning::Wave(op) => Some(op),
            Meaning::Barrier(_) => None,
        })
    }

    #[test]
    fn reductions_and_scans_accept_another_fold() {
        let folding = operations().filter(|op| op.fold().is_some()).collect::<Vec<_>>();
        assert!(folding.len() > 10);
        for op in folding {
            let other = op.with_fold(Fold::Xor);
            assert_eq!(other.fold(), Some(Fold::Xor), "{op:?}");
            assert_eq!(other.facts(), Facts { fold: Some(Fold::Xor), ..op.facts() }, "{op:?}");
        }
    }

    /// The result of a shuffle is what its source holds, whichever lanes are active.
    #[test]
    fn shuffles_give_the_value_of_their_source() {
        let mut random = crate::Random::new(7);
        let shuffles = operations().filter(|op| op.reads_one_lane()).collect::<Vec<_>>();
        assert!(shuffles.len() >= 6, "{shuffles:?}");
        for op in shuffles {
            for _ in 0..200 {
                let mut words = |below: usize| [(); 16].map(|()| random.below(below) as u32);
                let (values, indices, sizes) = (words(1 << 32), words(16), words(2));
                let sizes = sizes.map(|it| 4 << it);
                let drawn = words(3);
                let active = drawn.iter().zip(0..).filter(|it| *it.0 > 0).map(|it| it.1);
                let active = active.collect::<crate::LaneMask>();
                let wave = crate::wave::Wave {
                    width: 16,
                    active,
                    helpers: crate::LaneMask::EMPTY,
                    index_in_group: 0,
                    waves_in_group: 1,
                };
                let rows = [&values, &indices, &sizes].map(|it| crate::wave::Lanes::Words(&it[..]));
                let args = match op.signature().operands {
                    Operands::Value => &rows[..1],
                    Operands::ValueAndIndex => &rows[..2],
                    _ => &rows[..],
                };
                let mut out = [0; 16];
                let results = &mut [crate::wave::LanesMut::Words(&mut out)];
                crate::wave::eval(op, Ty::I32, &wave, args, results);
                for lane in active.iter() {
                    let source = crate::wave::source(op, &wave, args, lane);
                    if active.contains(source) {
                        assert_eq!(out[lane as usize], values[source as usize], "{op:?} {lane}");
                    }
                }
            }
        }
    }

    #[test]
    fn operations_with_an_index_or_partition_say_which_lanes_they_see() {
        for op in operations() {
            let Facts { signature, sees, spread, fold, .. } = op.facts();
            let expected = match signature.operands {
                Operands::None => matches!(sees, Sees::Nothing | Sees::ActiveSet),
                Operands::ValueAndTwoIndices => sees == Sees::Named,
                Operands::ValueAndIndex => matches!(sees, Sees::Named | Sees::Quad),
                Operands::BoolAndLanes | Operands::ValueAndLanes => sees == Sees::Partition,
                Operands::Bool | Operands::Value | Operands::Values => {
                    !matches!(sees, Sees::Nothing | Sees::ActiveSet | Sees::Named | Sees::Partition)
                }
            };
            assert!(expected, "{op:?}");
            assert!(fold.is_none() || signature.results == Results::Value, "{op:?}");
            assert!(sees == Sees::Nothing || spread != Spread::LaneIndex, "{op:?}");
        }
    }
}
