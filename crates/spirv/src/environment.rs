//! For what a module is emitted: the version of Vulkan, the extensions that may be used, and where debug information comes
//! from.

use ir::{Register, RegisterClass, Span};
use legalize::Target;
use ops::Ty;
use ops::texture::Format;

/// The version of Vulkan whose SPIR-V is emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vulkan {
    V1_1,
    V1_2,
    V1_3,
    V1_4,
}

impl Vulkan {
    pub const ALL: [Vulkan; 4] = [Vulkan::V1_1, Vulkan::V1_2, Vulkan::V1_3, Vulkan::V1_4];

    /// As `-fspv-target-env` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Vulkan::V1_1 => "vulkan1.1",
            Vulkan::V1_2 => "vulkan1.2",
            Vulkan::V1_3 => "vulkan1.3",
            Vulkan::V1_4 => "vulkan1.4",
        }
    }

    /// By what `-fspv-target-env` says. A universal environment has a version of SPIR-V and asks for less.
    pub fn by_name(name: &str) -> Option<Vulkan> {
        match name {
            // SPIR-V 1.3 is right there too.
            "vulkan1.1spirv1.4" | "universal1.3" | "universal1.4" => Some(Vulkan::V1_1),
            "universal1.5" => Some(Vulkan::V1_2),
            "universal1.6" => Some(Vulkan::V1_3),
            name => Vulkan::ALL.into_iter().find(|it| it.name() == name),
        }
    }

    /// The version word of the newest SPIR-V that it takes.
    pub fn spirv(self) -> u32 {
        match self {
            Vulkan::V1_1 => 0x0001_0300,
            Vulkan::V1_2 => 0x0001_0500,
            Vulkan::V1_3 | Vulkan::V1_4 => 0x0001_0600,
        }
    }
}

/// Extensions that change what is emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extension {
    MaximalReconvergence,
    /// `WaveMatch` and the multi-prefix functions natively.
    SubgroupPartitioned,
    /// Levels of detail, and samples with a bias, from the device's own derivatives.
    ComputeDerivatives,
}

impl Extension {
    pub const ALL: [Extension; 3] = [
        Extension::MaximalReconvergence,
        Extension::SubgroupPartitioned,
        Extension::ComputeDerivatives,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Extension::MaximalReconvergence => "SPV_KHR_maximal_reconvergence",
            Extension::SubgroupPartitioned => "SPV_NV_shader_subgroup_partitioned",
            Extension::ComputeDerivatives => "SPV_KHR_compute_shader_derivatives",
        }
    }

    pub fn by_name(name: &str) -> Option<Extension> {
        Extension::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// For floats of which sizes a device promises something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    pub half: bool,
    pub single: bool,
    pub double: bool,
}

impl Sizes {
    pub const ALL: Sizes = Sizes { half: true, single: true, double: true };

    pub(crate) fn has(self, ty: Ty) -> bool {
        match ty {
            Ty::F16 => self.half,
            Ty::F32 => self.single,
            Ty::F64 => self.double,
            Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => false,
        }
    }
}

/// What a device promises of floats when a module asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Floats {
    /// Denormals are kept.
    pub denorm_preserve: Sizes,
    /// The signs of zeros, infinities and NaN are kept.
    pub signed_zero_inf_nan: Sizes,
    /// Results are rounded to the nearest even.
    pub rounding_rte: Sizes,
}

impl Floats {
    pub const ALL: Floats = Floats {
        denorm_preserve: Sizes::ALL,
        signed_zero_inf_nan: Sizes::ALL,
        rounding_rte: Sizes::ALL,
    };
}

/// What the device is taken to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    pub vulkan: Vulkan,
    pub extensions: Vec<Extension>,
    /// What the module asks for, of the sizes that it uses.
    pub floats: Floats,
    /// Arithmetic gives the bits of the reference engine, by way of f64 and 64-bit integers, which the device must have.
    pub exact: bool,
    /// 16-bit integers are words whose upper half is zero, except in memory. Some drivers compute with the real ones as if
    /// they never overflowed.
    pub short_words: bool,
    /// Loads outside a storage buffer give zeros and stores there do nothing, word by word (`robustBufferAccess2`).
    pub robust: bool,
    /// How many lanes the waves will have, where that is certain.
    pub lanes: Option<u32>,
    /// No wave lacks a lane where X of the group is a multiple of these.
    pub full_waves: bool,
    /// Lanes can read others at a distance (`GroupNonUniformShuffleRelative`).
    pub relative_reads: bool,
    /// Groupshared memory begins as zeros, as in every engine of ours.
    pub zero_groupshared: bool,
    /// What is known of what will be bound, for each resource of the module; empty where nothing is. With it and `exact`,
    /// texels that a device converts in its own way have the reference engine's bits.
    pub bound: Vec<Bound>,
    /// How resources get their descriptor sets and bindings.
    pub numbering: Numbering,
}

/// How resources get their descriptor sets and bindings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// Spaces and resources are counted up, whatever the source says.
    Counted,
    /// As the source and command lines for dxc say, if they say something of it at all; else counted.
    Written(Written),
}

/// What command lines say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub shifts: Vec<Shift>,
    pub places: Vec<Placed>,
}

/// What is added to the numbers of registers of a class (`-fvk-b-shift` and its like).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    pub class: RegisterClass,
    /// In one space, or in all.
    pub space: Option<u32>,
    pub by: u32,
}

/// Where something goes that a flag names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub what: Named,
    pub binding: u32,
    pub set: u32,
}

/// What a flag can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// `-fvk-bind-register`.
    Register(Register),
    /// The constants outside any buffer: `-fvk-bind-globals`.
    Globals,
    /// All views of the heap of resources: `-fvk-bind-resource-heap`. A device needs descriptors of any kind for it.
    ResourceHeap,
    /// `-fvk-bind-sampler-heap`.
    SamplerHeap,
    /// The hidden counters of what lies in the heap of resources: `-fvk-bind-counter-heap`.
    CounterHeap,
}

/// What a host binds, where it is the same for all elements of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bound {
    /// The format of the texels.
    pub format: Option<Format>,
    /// Samplers give single texels, never borders or what is blended.
    pub single: bool,
    /// Samplers choose one level.
    pub whole_levels: bool,
}

impl Default for Environment {
    /// Vulkan 1.3 with maximal reconvergence, without which few modules mean what they say.
    fn default() -> Environment {
        Environment {
            vulkan: Vulkan::V1_3,
            extensions: vec![Extension::MaximalReconvergence],
            floats: Floats::ALL,
            exact: false,
            short_words: false,
            robust: false,
            lanes: None,
            full_waves: false,
            relative_reads: false,
            zero_groupshared: false,
            bound: Vec::new(),
            numbering: Numbering::Written(Written::default()),
        }
    }
}

impl Environment {
    /// What is known of a resource, where that may change the code.
    pub(crate) fn bound(&self, resource: ir::Binding) -> Bound {
        let known = self.bound.get(resource.index()).filter(|_| self.exact);
        known.copied().unwrap_or_default()
    }

    /// What of this the middle of the compiler must know.
    pub(crate) fn target(&self) -> Target {
        let target = Target::vulkan(self.exact, self.short_words);
        let target = match self.has(Extension::SubgroupPartitioned) {
            true => target.with_partitions(),
            false => target,
        };
        let certain = self.full_waves && self.has(Extension::MaximalReconvergence);
        match self.lanes.filter(|_| certain && self.relative_reads) {
            Some(lanes) => target.with_whole_waves(lanes),
            None => target,
        }
    }

    pub(crate) fn has(&self, extension: Extension) -> bool {
        self.extensions.contains(&extension)
    }
}

/// A place in a source; line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The index of the file among [`Debug::sources`].
    pub file: usize,
    pub line: u32,
    pub column: u32,
}

/// A source file whose text goes into the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// Where names of files and lines come from.
pub trait Debug {
    fn sources(&self) -> Vec<Source>;
    /// `None` for what no text stands for.
    fn place(&self, span: Span) -> Option<Place>;
}

/// No sources and no lines; names of variables and resources stay.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDebug;

impl Debug for NoDebug {
    fn sources(&self) -> Vec<Source> {
        Vec::new()
    }

    fn place(&self, _: Span) -> Option<Place> {
        None
    }
}
