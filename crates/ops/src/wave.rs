//! Wave operations: their facts, and their executable meaning over the lanes of one wave.
//!
//! Everything here is pure. [`eval`] is the specification that every engine is compared with, [`poison`] says which
//! lanes of a result are poisoned by their operands, and [`hazards`] names the lanes that did something
//! undefined.
//!
//! Spec: `docs/semantics.md`. The orders of float sums and scans are canonical: all our engines give these bits.

mod eval;
mod facts;
mod hazards;
mod orders;

pub use eval::{Lanes, LanesMut, eval};
pub use facts::{Facts, Operands, Results, Sees, Signature, Spread};
pub use hazards::{Hazards, hazards, poison, source};
pub use orders::{FoldOrder, eval_in};

use crate::{Binary, LaneMask, Sign, Ty};

/// The numbers of lanes that a wave can have.
pub const WIDTHS: [u32; 6] = [4, 8, 16, 32, 64, 128];

/// A wave or quad operation on scalars.
///
/// The operands are, in this order: the value or values; then a lane index, quad index or distance (`i32`), or the
/// four words of a partition mask (`i32`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaveOp {
    LaneIndex,
    LaneCount,
    IsFirstLane,
    IsHelperLane,
    GroupWaveIndex,
    GroupWaveCount,
    /// The four words of the set of lanes in a given relation to this lane.
    LaneRelation(Relation),
    /// The four words of the active set.
    ActiveLanes,
    /// The four words of the set of converged lanes: here, the active set.
    ConvergedLanes,
    AnyTrue,
    AllTrue,
    Ballot,
    CountBits,
    PrefixCountBits,
    ReadLaneFirst,
    ReadLaneAt,
    /// The value of the lane a given distance above, modulo the wave or, with a second index operand, modulo a
    /// cluster.
    Rotate,
    ClusteredRotate,
    AllEqual,
    Reduce(Fold),
    /// The fold of the participants below this lane.
    Scan(Fold),
    /// The lanes whose values, one or several, have the same bits: four words.
    Match,
    MultiPrefixCountBits,
    MultiReduce(Fold),
    MultiScan(Fold),
    MultiScanInclusive(Fold),
    QuadRead(QuadDirection),
    QuadReadLaneAt,
    QuadAny,
    QuadAll,
}

/// The operation of a reduction or scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    Sum,
    Product,
    Min(Sign),
    Max(Sign),
    And,
    Or,
    Xor,
}

/// Which other lanes a lane mask names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    Equal,
    GreaterEqual,
    Greater,
    LessEqual,
    Less,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuadDirection {
    X,
    Y,
    Diagonal,
}

/// A barrier: the accesses that it orders, and the lanes that wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Barrier {
    pub memory: MemoryScope,
    pub sync: SyncScope,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryScope {
    /// Groupshared memory.
    Group,
    /// Buffers and textures.
    Device,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyncScope {
    None,
    /// The lanes of the wave; with a mask operand, those it names.
    Wave,
    Group,
}

/// What an operation can know about its wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wave {
    /// The lane count: a power of two, 4 to 128.
    pub width: u32,
    /// The lanes that execute the operation together.
    pub active: LaneMask,
    /// Which of the wave's lanes are helper lanes.
    pub helpers: LaneMask,
    pub index_in_group: u32,
    pub waves_in_group: u32,
}

impl Wave {
    /// The participating lanes: the active ones that are not helpers.
    /// If only helpers are active they participate, so that their loops terminate.
    pub fn participants(&self) -> LaneMask {
        let some = self.active & !self.helpers;
        if some.is_empty() { self.active } else { some }
    }
}

impl Fold {
    pub fn binary(self) -> Binary {
        match self {
            Fold::Sum => Binary::Add,
            Fold::Product => Binary::Mul,
            Fold::Min(sign) => Binary::Min(sign),
            Fold::Max(sign) => Binary::Max(sign),
            Fold::And => Binary::And,
            Fold::Or => Binary::Or,
            Fold::Xor => Binary::Xor,
        }
    }

    /// The value that the lowest lane of an exclusive scan receives, and the result of an empty fold.
    ///
    /// Out of line for reproducible builds: where LLVM 22 inlines these arms into a fold, the order in which it merges
    /// them differs from one run of the compiler to the next.
    #[inline(never)]
    pub fn identity(self, ty: Ty) -> u64 {
        let ones = ty.ones();
        match self {
            Fold::Sum | Fold::Or | Fold::Xor => 0,
            Fold::Product if ty.is_float() => ty.float_bits(1.0),
            Fold::Product => 1,
            Fold::And => ones,
            Fold::Min(_) if ty.is_float() => ty.float_bits(f64::INFINITY),
            Fold::Max(_) if ty.is_float() => ty.float_bits(f64::NEG_INFINITY),
            Fold::Min(Sign::Unsigned) => ones,
            Fold::Max(Sign::Unsigned) => 0,
            Fold::Min(Sign::Signed) => ones >> 1,
            Fold::Max(Sign::Signed) => (ones >> 1) + 1,
        }
    }

    /// The neutral element, used for lanes that do not participate in a sum or product.
    /// Unlike [`Fold::identity`], it preserves a lone -0.0.
    pub fn neutral(self, ty: Ty) -> u64 {
        match self {
            Fold::Sum if ty.is_float() => 1 << (ty.bits() - 1),
            Fold::Sum
            | Fold::Product
            | Fold::Min(_)
            | Fold::Max(_)
            | Fold::And
            | Fold::Or
            | Fold::Xor => self.identity(ty),
        }
    }
}

impl WaveOp {
    /// Whether it is about the waves of the group, not the lanes of the wave.
    pub const fn is_about_group(self) -> bool {
        matches!(self, WaveOp::GroupWaveIndex | WaveOp::GroupWaveCount)
    }

    /// The same operation for operands of the given signedness.
    pub fn with_sign(self, sign: Sign) -> WaveOp {
        let fold = |fold| match fold {
            Fold::Min(_) => Fold::Min(sign),
            Fold::Max(_) => Fold::Max(sign),
            Fold::Sum | Fold::Product | Fold::And | Fold::Or | Fold::Xor => fold,
        };
        self.fold().map_or(self, |it| self.with_fold(fold(it)))
    }
}
