//! What a user can say about a compilation besides the text: version, stage, macros, switches.
//!
//! Options are plain data. Reading them from a command line is the matter of `cli`, and finding
//! included files is the matter of whoever implements [`crate::Includer`].

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

    /// The version that `-HV TEXT` names.
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

pub use ops::intrinsics::Stage;

/// The stages that profiles name, each with the word that macros (`__SHADER_STAGE_COMPUTE`) use and its number in them.
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

/// The letters that a stage has in the names of profiles: `cs_6_6`.
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

/// How matrices lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatrixOrder {
    RowMajor,
    #[default]
    ColumnMajor,
}

/// Whose wave functions may be used without a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    #[default]
    Hlsl,
    /// Slang's functions are expected, and no warning says that only Slang has them.
    Slang,
}

/// What happens to denormal numbers of 32 bits (`-denorm`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Denormals {
    /// Either is right; the program keeps them.
    #[default]
    Any,
    Preserve,
    /// They become zeros of the same sign, on the way into arithmetic and out of it.
    FlushToZero,
}

/// How push constants lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PushLayout {
    /// That of Vulkan's storage buffers, but that a vector is aligned to its scalars unless it would cross 16 bytes.
    #[default]
    Vulkan,
    /// Each scalar is aligned to its size, and nothing more (`-fvk-use-dx-layout`, `-fvk-use-scalar-layout`).
    Scalar,
}

/// Everything a user can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `-E`: the name of the entry point.
    pub entry: String,
    /// `--dialect`.
    pub dialect: Dialect,
    /// `-D NAME` and `-D NAME=VALUE`, in order; `NAME` may carry parameters.
    pub defines: Vec<(String, Option<String>)>,
    /// `-HV`.
    pub hlsl_version: Version,
    /// The stage of the profile (`-T cs_6_6`).
    pub stage: Stage,
    /// The shader model of the profile: major and minor.
    pub shader_model: (u32, u32),
    /// `-enable-16bit-types`: `half` and the `min16` types are real 16-bit types.
    pub enable_16bit: bool,
    /// `-spirv`: bindings for Vulkan stand above registers. The program that comes out is the same otherwise.
    pub spirv: bool,
    /// `-auto-binding-space`: the space of resources that the source gives no register.
    pub auto_space: u32,
    /// `-spirv` again: push constants, specialization constants and offsets of Vulkan are what they are there.
    pub vulkan: bool,
    /// `-Zpr` and `-Zpc`: the order where neither a modifier nor a pragma says one.
    pub matrix_order: MatrixOrder,
    /// `-denorm`.
    pub denormals: Denormals,
    /// What specialization constants are set to: the number in `[[vk::constant_id(N)]]`, and the bits. Those that are not
    /// named keep the value in the source.
    pub specialization: Vec<(u32, u64)>,
    /// `-fvk-use-*-layout`.
    pub push_layout: PushLayout,
    /// Resources may have tiles without memory: the status of a load tells whether there is some.
    pub has_tiles: bool,
    /// `-fspv-use-legacy-buffer-matrix-order`: matrices in byte address buffers lie the other way round than everywhere
    /// else, as dxc once had it for Vulkan.
    pub legacy_matrix_order: bool,
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
            shader_model: (6, 10),
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
            cancel: diag::Cancel::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_as_dxc_writes_them_and_are_ordered() {
        assert_eq!(Version::parse("2018"), Some(Version::V2018));
        assert_eq!(Version::parse("202x"), Some(Version::V202x));
        assert_eq!(Version::parse("2019"), None);
        assert!(Version::V2018 < Version::V2021 && Version::default() == Version::V2021);
    }
}
