//! The texture instructions: their operands and results, by the kind of texture.
//!
//! An instruction holds its operands by role, so that the text form, the verifier and engines need no case for each
//! of HLSL's many overloads. The results are defined in [`ops::texture`]; `lane` passes the operands there.

mod lane;

use ops::Ty;
use ops::texture::Dim;

use crate::{Atomic, Place, Values};

pub use lane::{Operands, TextureCall, quad_lane};

/// A texture instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    pub op: TextureOp,
    pub texture: Place,
    /// For operations that filter.
    pub sampler: Option<Place>,
    /// For sampler feedback, where it is recorded.
    pub map: Option<Place>,
    pub args: TextureArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureOp {
    /// A texel by its coordinates.
    Load,
    Store,
    /// Returns the old value.
    Atomic(Atomic),
    Sample(Detail),
    /// The weight of the texels that pass the comparison.
    Compare(Detail),
    /// One component of four texels.
    Gather(u8),
    GatherCompare(u8),
    /// The level of detail that a sample would read.
    LevelOfDetail,
    /// The same without clamping it to the available levels.
    LevelOfDetailUnclamped,
    /// Records which parts of the texture a sample with these operands would use. The level or the gradients are given;
    /// beside gradients, a level is a bias.
    Feedback(Detail),
    /// The size on each axis, the layers of an array, and the number of levels or samples where the texture has
    /// them. Of a feedback map, those of its texture.
    Size,
}

/// Where the level of detail of a sample comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// The derivatives in the quad.
    Implicit,
    /// The same, with a bias added to the level.
    Bias,
    Level,
    Gradients,
}

/// The operands of a texture instruction by role. Roles that an instruction lacks are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextureArgs {
    /// The coordinates: `i32` for texels, `f32` for samples; the layer of an array comes last.
    pub at: Values,
    /// A mip level (`i32`), a level of detail or a bias (`f32`).
    pub level: Values,
    /// The index of a sample of a multisampled texture.
    pub sample: Values,
    /// The derivatives along X. Beside a bias, optionally 2 to its power, for devices that scale gradients instead.
    pub ddx: Values,
    pub ddy: Values,
    /// In texels, one for each axis; a gather may have four, one for each texel.
    pub offset: Values,
    /// The reference value of a comparison.
    pub reference: Values,
    /// The lower limit for the level of detail.
    pub least: Values,
    /// The stored value, or the operands of an atomic operation.
    pub values: Values,
}

/// The names of the roles in the text form.
pub const ROLES: [&str; 9] =
    ["at", "level", "sample", "ddx", "ddy", "offset", "reference", "least", "values"];

impl TextureArgs {
    /// In the order of [`ROLES`].
    pub fn by_role(&self) -> [&Values; 9] {
        let TextureArgs { at, level, sample, ddx, ddy, offset, reference, least, values } = self;
        [at, level, sample, ddx, ddy, offset, reference, least, values]
    }

    pub fn by_role_mut(&mut self) -> [&mut Values; 9] {
        let TextureArgs { at, level, sample, ddx, ddy, offset, reference, least, values } = self;
        [at, level, sample, ddx, ddy, offset, reference, least, values]
    }
}

impl Texture {
    /// Whether it is a sample with a bias.
    pub fn is_biased(&self) -> bool {
        matches!(self.op, TextureOp::Sample(Detail::Bias) | TextureOp::Compare(Detail::Bias))
    }
}

impl TextureOp {
    /// Whether it needs a sampler.
    pub fn samples(self) -> bool {
        match self {
            TextureOp::Sample(_)
            | TextureOp::Compare(_)
            | TextureOp::Feedback(_)
            | TextureOp::Gather(_)
            | TextureOp::GatherCompare(_)
            | TextureOp::LevelOfDetail
            | TextureOp::LevelOfDetailUnclamped => true,
            TextureOp::Load | TextureOp::Store | TextureOp::Atomic(_) | TextureOp::Size => false,
        }
    }

    /// Whether it reads other lanes of the quad.
    pub fn needs_quad(self) -> bool {
        match self {
            TextureOp::Sample(detail) | TextureOp::Compare(detail) => {
                matches!(detail, Detail::Implicit | Detail::Bias)
            }
            TextureOp::LevelOfDetail | TextureOp::LevelOfDetailUnclamped => true,
            TextureOp::Load
            | TextureOp::Store
            | TextureOp::Atomic(_)
            | TextureOp::Gather(_)
            | TextureOp::GatherCompare(_)
            | TextureOp::Feedback(_)
            | TextureOp::Size => false,
        }
    }

    /// Whether it reads texels through a filter, at a level of detail.
    pub fn filters(self) -> bool {
        matches!(self, TextureOp::Sample(_) | TextureOp::Compare(_))
    }

    /// Whether it compares texels with a reference value.
    pub fn compares(self) -> bool {
        matches!(self, TextureOp::Compare(_) | TextureOp::GatherCompare(_))
    }

    /// The component of texels that a gather returns or compares.
    pub fn gathered(self) -> Option<u8> {
        match self {
            TextureOp::Gather(component) | TextureOp::GatherCompare(component) => Some(component),
            _ => None,
        }
    }

    /// Whether it returns a level of detail.
    pub fn is_level_of_detail(self) -> bool {
        matches!(self, TextureOp::LevelOfDetail | TextureOp::LevelOfDetailUnclamped)
    }

    /// Whether it records sampler feedback, in a map.
    pub fn is_feedback(self) -> bool {
        matches!(self, TextureOp::Feedback(_))
    }

    /// Whether it modifies the texture, and only that.
    pub fn writes(self) -> bool {
        matches!(self, TextureOp::Store | TextureOp::Atomic(_))
    }

    /// Whether the operation is possible on such a texture.
    pub fn takes(self, dim: Dim, writable: bool) -> bool {
        match self {
            TextureOp::Load => !dim.is_cube(),
            TextureOp::Store => writable && !dim.is_cube(),
            TextureOp::Atomic(_) => writable && !dim.is_cube() && !dim.is_multisampled(),
            TextureOp::Sample(_)
            | TextureOp::Compare(_)
            | TextureOp::LevelOfDetail
            | TextureOp::LevelOfDetailUnclamped => !writable && !dim.is_multisampled(),
            TextureOp::Gather(component) | TextureOp::GatherCompare(component) => {
                let flat = matches!(dim, Dim::D2 | Dim::D2Array) || dim.is_cube();
                !writable && flat && component < 4
            }
            TextureOp::Feedback(detail) => {
                let flat = matches!(dim, Dim::D2 | Dim::D2Array);
                !writable && flat && matches!(detail, Detail::Level | Detail::Gradients)
            }
            TextureOp::Size => true,
        }
    }

    /// The number and type of the operands of each role; `values` are checked elsewhere.
    pub fn operands(self, dim: Dim, writable: bool) -> [Counts; 8] {
        let none = Counts { ty: Ty::I32, allowed: [0, 0, 0] };
        let exactly = |ty, n| Counts { ty, allowed: [n, n, n] };
        let optional = |ty, n| Counts { ty, allowed: [0, n, n] };
        let layer = usize::from(dim.is_array());
        let texel = exactly(Ty::I32, dim.axes() + layer);
        let place = exactly(Ty::F32, dim.sample_axes() + layer);
        let offset = match dim.is_cube() {
            true => none,
            false => optional(Ty::I32, dim.axes()),
        };
        let mut roles = [none; 8];
        let [at, level, sample, ddx, ddy, offsets, reference, least] = &mut roles;
        match self {
            TextureOp::Load => {
                (*at, *offsets) = (texel, offset);
                if dim.is_multisampled() {
                    *sample = exactly(Ty::I32, 1);
                } else if !writable {
                    *level = exactly(Ty::I32, 1);
                }
            }
            TextureOp::Store | TextureOp::Atomic(_) => {
                *at = texel;
                if dim.is_multisampled() {
                    *sample = exactly(Ty::I32, 1);
                }
            }
            TextureOp::Sample(detail)
            | TextureOp::Compare(detail)
            | TextureOp::Feedback(detail) => {
                (*at, *offsets, *least) = (place, offset, optional(Ty::F32, 1));
                if self.is_feedback() {
                    *offsets = none;
                }
                match detail {
                    Detail::Implicit => {}
                    Detail::Bias => {
                        (*level, *ddx) = (exactly(Ty::F32, 1), optional(Ty::F32, 1));
                    }
                    Detail::Level => (*level, *least) = (exactly(Ty::F32, 1), none),
                    Detail::Gradients => {
                        *ddx = exactly(Ty::F32, dim.sample_axes());
                        *ddy = *ddx;
                        if self.is_feedback() {
                            *level = optional(Ty::F32, 1);
                        }
                    }
                }
            }
            TextureOp::Gather(_) | TextureOp::GatherCompare(_) => {
                *at = place;
                if !dim.is_cube() {
                    *offsets = Counts { ty: Ty::I32, allowed: [0, 2, 8] };
                }
            }
            TextureOp::LevelOfDetail | TextureOp::LevelOfDetailUnclamped => {
                *at = exactly(Ty::F32, dim.sample_axes());
            }
            TextureOp::Size => {
                if !writable && !dim.is_multisampled() {
                    *level = optional(Ty::I32, 1);
                }
            }
        }
        if self.compares() {
            *reference = exactly(Ty::F32, 1);
        }
        roles
    }

    /// The number of results of [`TextureOp::Size`].
    pub fn sizes(dim: Dim, writable: bool) -> usize {
        let has_last = !writable || dim.is_multisampled();
        dim.axes() + usize::from(dim.is_array()) + usize::from(has_last)
    }
}

/// The allowed numbers of operands of a role.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    pub ty: Ty,
    pub allowed: [usize; 3],
}

/// Differences between neighbours in a quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Derivative {
    /// Coarse: the upper left lane and the one beside it, or below it, for all four lanes.
    XCoarse,
    YCoarse,
    /// Fine: the lane's own row or column.
    XFine,
    YFine,
}

impl Derivative {
    /// The lanes of a quad at the greater and at the lesser coordinate, for the lane with this index in it.
    pub fn lanes(self, lane: u32) -> [u32; 2] {
        match self {
            Derivative::XCoarse => [1, 0],
            Derivative::YCoarse => [2, 0],
            Derivative::XFine => [lane | 1, lane & !1],
            Derivative::YFine => [lane | 2, lane & !2],
        }
    }
}
