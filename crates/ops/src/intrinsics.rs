//! The HLSL spellings of wave operations: one row for each function.
//!
//! Name look-up, overloads, shader-model and stage errors, required caps, `wavelane explain`, the intrinsic reference
//! and the coverage grid of the suite are all derived from these rows. To add a function of a known shape, add its row
//! here and its file in `suite/wave/`; a test names the file that is missing.

mod hlsl;
mod slang;

use crate::{Barrier, WaveOp};

/// A function of the wave or quad family.
#[derive(Debug)]
pub struct Intrinsic {
    pub name: &'static str,
    pub aliases: &'static [Alias],
    /// What it returns or does, as a phrase.
    pub summary: &'static str,
    pub origin: Origin,
    pub since: ShaderModel,
    pub stages: Stages,
    pub params: &'static [Param],
    pub result: Output,
    pub meaning: Meaning,
}

/// Another name of a function.
#[derive(Debug)]
pub struct Alias {
    pub name: &'static str,
    pub origin: Origin,
    /// What the function returns under this name, where that differs.
    pub result: Option<Output>,
}

/// Where a spelling comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Hlsl,
    /// The draft of 2015 and texts that follow it.
    Draft,
    Slang,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShaderModel {
    pub major: u8,
    pub minor: u8,
}

impl ShaderModel {
    pub const V6_0: ShaderModel = ShaderModel { major: 6, minor: 0 };
    pub const V6_5: ShaderModel = ShaderModel { major: 6, minor: 5 };
    pub const V6_6: ShaderModel = ShaderModel { major: 6, minor: 6 };
    pub const V6_7: ShaderModel = ShaderModel { major: 6, minor: 7 };
    pub const V6_8: ShaderModel = ShaderModel { major: 6, minor: 8 };
    pub const V6_9: ShaderModel = ShaderModel { major: 6, minor: 9 };
    pub const V6_10: ShaderModel = ShaderModel { major: 6, minor: 10 };
    /// The highest published version.
    pub const HIGHEST: ShaderModel = ShaderModel::V6_10;

    /// Reads `6.5` or, as in the names of profiles, `6_5`; `None` for what is not published.
    pub fn parse(text: &str) -> Option<ShaderModel> {
        let (major, minor) = text.split_once(['.', '_'])?;
        let digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
        let number = |it: &str| it.parse().ok().filter(|_| digits(it));
        let model = ShaderModel { major: number(major)?, minor: number(minor)? };
        (ShaderModel::V6_0..=ShaderModel::HIGHEST).contains(&model).then_some(model)
    }
}

impl std::fmt::Display for ShaderModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A shader stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    Vertex,
    Hull,
    Domain,
    Geometry,
    Pixel,
    #[default]
    Compute,
    Amplification,
    Mesh,
    Library,
    Node,
    RayTracing,
}

impl Stage {
    /// Its name in words, as in `a vertex shader`.
    pub fn word(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::Hull => "hull",
            Stage::Domain => "domain",
            Stage::Geometry => "geometry",
            Stage::Pixel => "pixel",
            Stage::Compute => "compute",
            Stage::Amplification => "amplification",
            Stage::Mesh => "mesh",
            Stage::Library => "library",
            Stage::Node => "node",
            Stage::RayTracing => "ray tracing",
        }
    }

    /// Whether it is a stage of a draw.
    pub fn is_of_draw(self) -> bool {
        self.has_signature() || self.is_of_meshlets()
    }

    /// Whether each lane has inputs and outputs, which a signature describes.
    pub fn has_signature(self) -> bool {
        matches!(self, Stage::Vertex | Stage::Pixel) || self.is_of_primitives()
    }

    /// Whether it is between vertices and primitives: its inputs belong to the vertices of a primitive or patch.
    pub fn is_of_primitives(self) -> bool {
        matches!(self, Stage::Hull | Stage::Domain | Stage::Geometry)
    }

    /// Whether groups of it make the primitives of a draw.
    pub fn is_of_meshlets(self) -> bool {
        matches!(self, Stage::Amplification | Stage::Mesh)
    }

    /// Whether a profile names it. The others are kinds of entry points in a library; they are checked and do not run.
    pub fn has_profile(self) -> bool {
        !matches!(self, Stage::Node | Stage::RayTracing)
    }
}

/// A set of stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages(u16);

impl Stages {
    pub const ALL: Stages = Stages(u16::MAX);
    /// The stages in which quads exist.
    pub const QUADS: Stages = Stages::of(&[
        Stage::Pixel,
        Stage::Compute,
        Stage::Amplification,
        Stage::Mesh,
        Stage::Node,
        Stage::Library,
    ]);
    /// The stages in which thread groups exist.
    pub const GROUPS: Stages =
        Stages::of(&[Stage::Compute, Stage::Amplification, Stage::Mesh, Stage::Node]);

    pub const fn of(stages: &[Stage]) -> Stages {
        let mut set = 0;
        let mut i = 0;
        while i < stages.len() {
            set |= 1 << stages[i] as u16;
            i += 1;
        }
        Stages(set)
    }

    pub fn contains(self, stage: Stage) -> bool {
        self.0 >> stage as u16 & 1 == 1
    }
}

/// What a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// The value operated on: a scalar, vector or matrix.
    Value(Elements),
    Bool,
    /// A `uint` that need not be uniform.
    LaneIndex,
    /// A compile-time constant lane index.
    ConstantLane,
    Distance,
    /// A compile-time constant power of two.
    ClusterSize,
    /// A `uint` from 0 to 3.
    QuadIndex,
    /// A `uint4` that names a group of lanes.
    Lanes,
    /// A `uint` whose bits name the participating lanes, in place of the active set.
    WaveMask,
}

/// The element types that a value parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// All numbers and `bool`.
    Any,
    Numeric,
    Integer,
    /// All integers; DXC accepts only `uint` and `uint64_t`, and a warning says so for the others.
    UnsignedInDxc,
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Void,
    Bool,
    /// A `bool` for each component of the value.
    BoolShape,
    Uint,
    Uint4,
    /// A `uint` of lanes 0 to 31.
    WaveMask,
    /// The type of the value.
    Value,
}

/// The meaning of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A wave operation; the front end gives it the signedness of the value.
    Wave(WaveOp),
    Barrier(Barrier),
}

impl Intrinsic {
    /// Whether the first argument names the participating lanes.
    pub fn is_masked(&self) -> bool {
        self.params.first() == Some(&Param::WaveMask)
    }

    /// Where the function is documented.
    pub fn link(&self) -> &'static str {
        match self.origin {
            Origin::Slang => "https://shader-slang.org/slang/user-guide/",
            Origin::Hlsl | Origin::Draft => {
                if self.since >= ShaderModel::V6_5 {
                    "https://microsoft.github.io/DirectX-Specs/"
                } else {
                    "https://github.com/microsoft/DirectXShaderCompiler/wiki/Wave-Intrinsics"
                }
            }
        }
    }
}

/// A function and the name under which it was found.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub intrinsic: &'static Intrinsic,
    /// Set when the name is an alias.
    pub alias: Option<&'static Alias>,
}

impl Found {
    pub fn result(self) -> Output {
        self.alias.and_then(|alias| alias.result).unwrap_or(self.intrinsic.result)
    }
}

/// All functions, HLSL's first.
pub fn all() -> impl Iterator<Item = &'static Intrinsic> {
    hlsl::ROWS.iter().chain(slang::ROWS)
}

/// Finds a function by its name or an alias.
pub fn by_name(name: &str) -> Option<Found> {
    // Fast path: most names looked up are not wave functions, and these have few first letters.
    if !name.starts_with(['W', 'Q', 'G', 'I', 'A']) {
        return None;
    }
    all().find_map(|intrinsic| {
        if intrinsic.name == name {
            return Some(Found { intrinsic, alias: None });
        }
        let alias = intrinsic.aliases.iter().find(|alias| alias.name == name)?;
        Some(Found { intrinsic, alias: Some(alias) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_unique() {
        let mut names: Vec<&str> = all()
            .flat_map(|it| std::iter::once(it.name).chain(it.aliases.iter().map(|a| a.name)))
            .collect();
        names.sort_unstable();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before);
        for name in names {
            assert!(by_name(name).is_some(), "{name}");
        }
    }
}
