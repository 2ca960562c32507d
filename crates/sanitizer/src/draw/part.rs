//! The programs of a draw: one for each stage, and two for a hull shader.

use ir::Module;
use ops::intrinsics::Stage;
use ops::{WaveOp, wave::Sees};

/// A program of a draw. They are in the order in which data passes through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    Amplification,
    Mesh,
    Vertex,
    /// The function of a hull shader that makes control points.
    Hull,
    PatchConstants,
    Domain,
    Geometry,
    Pixel,
}

impl Part {
    /// The stage whose shader it belongs to.
    pub fn stage(self) -> Stage {
        match self {
            Part::Amplification => Stage::Amplification,
            Part::Mesh => Stage::Mesh,
            Part::Vertex => Stage::Vertex,
            Part::Hull | Part::PatchConstants => Stage::Hull,
            Part::Domain => Stage::Domain,
            Part::Geometry => Stage::Geometry,
            Part::Pixel => Stage::Pixel,
        }
    }

    /// Whether it has groups, whose threads share memory.
    pub fn has_groups(self) -> bool {
        matches!(self, Part::Amplification | Part::Mesh)
    }
}

/// Whether a program sees more of its wave than its quad.
pub(super) fn sees_waves(module: &Module) -> bool {
    module.insts.iter().any(|it| match &it.op {
        ir::Op::Wave { op: WaveOp::IsHelperLane, .. } => false,
        ir::Op::Wave { op, .. } => op.facts().sees != Sees::Quad,
        _ => false,
    })
}

/// Whether a program writes memory that the host binds.
pub(super) fn writes(module: &Module) -> bool {
    module.bindable().iter().any(|it| it.used && it.kind.writable())
}
