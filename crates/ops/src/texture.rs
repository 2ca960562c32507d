//! Textures: what a texel holds, where it lies, and how sampling combines texels. There is one definition, with the
//! same bits on every host and in every engine.
//!
//! `docs/semantics.md`, "Textures", states the rules; this is their code. In short:
//! - A coordinate times the size of its axis is a position. Nearest filtering takes the texel that it lies in. Linear
//!   filtering and gathers round it to 256ths, which choose the two texels and their weights.
//! - A level of detail is truncated to 256ths.
//! - A filtered value is the exact sum of weighted texels, computed in f64 in a fixed order and rounded once to the
//!   shader's type. Texels of weight 0 are not touched.
//!
//! Map: [`Format`] (texels in memory), [`Shape`] (where they lie), [`Sampler`] (state), [`sample`], [`gather`] and
//! [`level_of_detail`] (what instructions do), [`feedback`] (which parts of a texture samples use).
//!
//! Not here: which lanes participate, where derivatives come from, resources and bindings.

mod channel;
mod convert;
mod cube;
pub mod feedback;
mod filter;
mod format;
mod lod;
mod sampler;
mod shape;
mod srgb;

pub use channel::Channel;
pub use convert::Conversion;
pub use cube::FACES;
pub use filter::{Query, gather, sample};
pub use format::{Channels, Encoding, Format, MOST_BYTES, Texel};
pub use lod::{Detail, level_of_detail};
pub use sampler::{Address, Comparison, Filter, Sampler};
pub use shape::{Image, Memory, Shape};
pub use srgb::table as srgb_table;

/// The texture dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    D1,
    D1Array,
    D2,
    D2Array,
    D2Ms,
    D2MsArray,
    D3,
    Cube,
    CubeArray,
}

impl Dim {
    /// How many coordinates address a texel of one layer: what `Load`, `operator[]` and texel offsets take. Not
    /// available for cubes.
    pub fn axes(self) -> usize {
        match self {
            Dim::D1 | Dim::D1Array => 1,
            Dim::D2 | Dim::D2Array | Dim::D2Ms | Dim::D2MsArray | Dim::Cube | Dim::CubeArray => 2,
            Dim::D3 => 3,
        }
    }

    /// How many components sample coordinates and their derivatives have, without the layer: a direction for cubes.
    pub fn sample_axes(self) -> usize {
        if self.is_cube() { 3 } else { self.axes() }
    }

    pub fn is_array(self) -> bool {
        matches!(self, Dim::D1Array | Dim::D2Array | Dim::D2MsArray | Dim::CubeArray)
    }

    pub fn is_cube(self) -> bool {
        matches!(self, Dim::Cube | Dim::CubeArray)
    }

    pub fn is_multisampled(self) -> bool {
        matches!(self, Dim::D2Ms | Dim::D2MsArray)
    }
}

crate::names! { Dim {
    "d1" => D1,
    "d1_array" => D1Array,
    "d2" => D2,
    "d2_array" => D2Array,
    "d2_ms" => D2Ms,
    "d2_ms_array" => D2MsArray,
    "d3" => D3,
    "cube" => Cube,
    "cube_array" => CubeArray,
} }

/// In 256ths, rounded to nearest, halves up; NaN gives 0, and huge values stay huge.
fn rounded(value: f64) -> i64 {
    whole(value * 256.0 + 0.5)
}

/// The floor; NaN gives 0, and huge values stay huge.
fn whole(value: f64) -> i64 {
    // Far beyond every texture, and far from the limits of i64.
    const HUGE: f64 = (1i64 << 48) as f64;
    if value.is_nan() { 0 } else { value.clamp(-HUGE, HUGE).floor() as i64 }
}
