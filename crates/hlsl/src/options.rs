//! The options of a compilation: version, stage, macros, switches.
//!
//! Options are plain data. `cli` parses them from a command line, and included files are found by an implementation of
//! [`crate::Includer`].

/// A version of the language (`-HV`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    V2016,
    V2017,
    V2018,
    /// Short-circuit `&&`, `||` and `?:`, templates, operator overloading, bit fields, strict enums.
    #[default]
    V2021,
    V202x,
}

impl Version {
    /// The value of `__HLSL_VERSION`.
    pub fn number(self) -> u32 {
        match self {
            Version::V2016 => 2016,
            Version::V2017 => 2017,
            Version::V2018 => 2018,
            Version::V2021 => 2021,
            // The next version has no final number; its macro says "after 2021".
            Version::V202x => 2029,
        }
    }

    /// The version named by `-HV TEXT`.
    pub fn parse(text: &str) -> Option<Version> {
        match text {
            "2016" => Some(Version::V2016),
            "2017" => Some(Version::V2017),
            "2018" => Some(Version::V2018),
            "2021" => Some(Version::V2021),
            "202x" | "202X" => Some(Version::V202x),
            _ => None,
        }
    }
}

pub use ops::intrinsics::{ShaderModel, Stage};

/// The stages of profiles, each with its name and number in macros (`__SHADER_STAGE_COMPUTE`).
pub const STAGE_MACROS: [(Stage, &str, u32); 9] = [
    (Stage::Pixel, "PIXEL", 0),
    (Stage::Vertex, "VERTEX", 1),
    (Stage::Geometry, "GEOMETRY", 2),
    (Stage::Hull, "HULL", 3),
    (Stage::Domain, "DOMAIN", 4),
    (Stage::Compute, "COMPUTE", 5),
    (Stage::Library, "LIBRARY", 6),
    (Stage::Mesh, "MESH", 13),
    (Stage::Amplification, "AMPLIFICATION", 14),
];

/// The prefixes of stages in the names of profiles: `cs_6_6`.
pub const PROFILES: [(&str, Stage); 9] = [
    ("cs", Stage::Compute),
    ("ps", Stage::Pixel),
    ("vs", Stage::Vertex),
    ("gs", Stage::Geometry),
    ("hs", Stage::Hull),
    ("ds", Stage::Domain),
    ("ms", Stage::Mesh),
    ("as", Stage::Amplification),
    ("lib", Stage::Library),
];

/// The storage order of matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatrixOrder {
    RowMajor,
    #[default]
    ColumnMajor,
}

/// The dialect whose wave functions can be used without a warning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    #[default]
    Hlsl,
    /// Slang's functions are allowed, without the warning that only Slang has them.
    Slang,
}

/// The treatment of 32-bit denormals (`-denorm`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Denormals {
    /// Either is allowed; the program preserves them.
    #[default]
    Any,
    Preserve,
    /// Flushed to zeros of the same sign, in the operands and results of arithmetic.
    FlushToZero,
}

/// The layout of push constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PushLayout {
    /// That of Vulkan's storage buffers, except that a vector is aligned to its scalars unless it would cross 16 bytes.
    #[default]
    Vulkan,
    /// Only scalars are aligned, to their size (`-fvk-use-dx-layout`, `-fvk-use-scalar-layout`).
    Scalar,
}

/// Everything that a user can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `-E`: the name of the entry point.
    pub entry: String,
    /// `--dialect`.
    pub dialect: Dialect,
    /// `-D NAME` and `-D NAME=VALUE`, in order; `NAME` may have parameters.
    pub defines: Vec<(String, Option<String>)>,
    /// `-HV`.
    pub hlsl_version: Version,
    /// The stage of the profile (`-T cs_6_6`).
    pub stage: Stage,
    /// The shader model of the profile: major and minor.
    pub shader_model: ShaderModel,
    /// `-enable-16bit-types`: `half` and the `min16` types are real 16-bit types.
    pub enable_16bit: bool,
    /// The module is for SPIR-V: resources have their Vulkan bindings, which override registers, an array is one of
    /// them, `__spirv__` is defined, and textures of integers are sampled in every shader model. `-spirv` sets this and
    /// `vulkan`, `emit --spirv` this alone.
    pub spirv: bool,
    /// `-auto-binding-space`: the space of resources without a register in the source.
    pub auto_space: u32,
    /// The language has the features for Vulkan: push constants, specialization constants and offsets. Jobs for Vulkan
    /// set this alone, since they bind by register.
    pub vulkan: bool,
    /// `-Zpr` and `-Zpc`: the order of matrices without a modifier or pragma.
    pub matrix_order: MatrixOrder,
    /// `-denorm`.
    pub denormals: Denormals,
    /// The values of specialization constants: the number in `[[vk::constant_id(N)]]`, and the bits. Others keep their
    /// value in the source.
    pub specialization: Vec<(u32, u64)>,
    /// `-fvk-use-*-layout`.
    pub push_layout: PushLayout,
    /// Resources may have unmapped tiles, which the status of a load reports.
    pub has_tiles: bool,
    /// `-fspv-use-legacy-buffer-matrix-order`: matrices in byte address buffers have the opposite storage order, as in
    /// old versions of dxc for Vulkan.
    pub legacy_matrix_order: bool,
    /// `--debugging`: what `dx::IsDebuggingEnabled` returns.
    pub debugging: bool,
    /// The module gets notes for debuggers: see [`ir::notes`]. Its behaviour is the same.
    pub notes: bool,
    /// Ends the compilation from outside: it gives no module and no report then.
    pub cancel: diag::Cancel,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            entry: "main".to_owned(),
            dialect: Dialect::default(),
            defines: Vec::new(),
            hlsl_version: Version::default(),
            stage: Stage::default(),
            shader_model: ShaderModel::HIGHEST,
            enable_16bit: false,
            spirv: false,
            auto_space: 0,
            vulkan: false,
            matrix_order: MatrixOrder::default(),
            denormals: Denormals::default(),
            specialization: Vec::new(),
            push_layout: PushLayout::default(),
            has_tiles: false,
            legacy_matrix_order: false,
            debugging: false,
            notes: false,
            cancel: diag::Cancel::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_parse_as_in_dxc_and_are_ordered() {
        assert_eq!(Version::parse("2018"), Some(Version::V2018));
        assert_eq!(Version::parse("202x"), Some(Version::V202x));
        assert_eq!(Version::parse("2019"), None);
        assert!(Version::V2018 < Version::V2021 && Version::default() == Version::V2021);
    }
}
