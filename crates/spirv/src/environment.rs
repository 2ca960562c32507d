//! The target environment of a module: the version of Vulkan, the extensions that may be used, the numbering of
//! bindings, and the source of debug information.

use ir::{Register, RegisterClass};
use legalize::{Feedback, Target};
use ops::Ty;
use ops::texture::Format;

/// The version of Vulkan that the module targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vulkan {
    V1_1,
    V1_2,
    V1_3,
    V1_4,
}

impl Vulkan {
    pub const ALL: [Vulkan; 4] = [Vulkan::V1_1, Vulkan::V1_2, Vulkan::V1_3, Vulkan::V1_4];

    /// The spelling of `-fspv-target-env`.
    pub fn name(self) -> &'static str {
        match self {
            Vulkan::V1_1 => "vulkan1.1",
            Vulkan::V1_2 => "vulkan1.2",
            Vulkan::V1_3 => "vulkan1.3",
            Vulkan::V1_4 => "vulkan1.4",
        }
    }

    /// The version for an argument of `-fspv-target-env`. A universal environment names a version of SPIR-V and
    /// requires less.
    pub fn by_name(name: &str) -> Option<Vulkan> {
        match name {
            // SPIR-V 1.3 is valid there too.
            "vulkan1.1spirv1.4" | "universal1.3" | "universal1.4" => Some(Vulkan::V1_1),
            "universal1.5" => Some(Vulkan::V1_2),
            "universal1.6" => Some(Vulkan::V1_3),
            name => Vulkan::ALL.into_iter().find(|it| it.name() == name),
        }
    }

    /// The version word of the newest SPIR-V that it accepts.
    pub fn spirv(self) -> u32 {
        match self {
            Vulkan::V1_1 => 0x0001_0300,
            Vulkan::V1_2 => 0x0001_0500,
            Vulkan::V1_3 | Vulkan::V1_4 => 0x0001_0600,
        }
    }
}

/// Extensions that change the generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extension {
    MaximalReconvergence,
    /// Native `WaveMatch` and multi-prefix functions.
    SubgroupPartitioned,
    /// Levels of detail, and samples with a bias, by the device's derivatives.
    ComputeDerivatives,
    /// Whole quads in pixel shaders that read other lanes.
    QuadControl,
    /// `SV_Barycentrics` and `GetAttributeAtVertex`.
    Barycentric,
    /// Rasterizer-ordered views.
    PixelInterlock,
}

impl Extension {
    pub const ALL: [Extension; 6] = [
        Extension::MaximalReconvergence,
        Extension::SubgroupPartitioned,
        Extension::ComputeDerivatives,
        Extension::QuadControl,
        Extension::Barycentric,
        Extension::PixelInterlock,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Extension::MaximalReconvergence => "SPV_KHR_maximal_reconvergence",
            Extension::SubgroupPartitioned => "SPV_NV_shader_subgroup_partitioned",
            Extension::ComputeDerivatives => "SPV_KHR_compute_shader_derivatives",
            Extension::QuadControl => "SPV_KHR_quad_control",
            Extension::Barycentric => "SPV_KHR_fragment_shader_barycentric",
            Extension::PixelInterlock => "SPV_EXT_fragment_shader_interlock",
        }
    }

    pub fn by_name(name: &str) -> Option<Extension> {
        Extension::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// The sizes of floats for which a device gives a guarantee.
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

/// The guarantees about floats that a module can request from a device.
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

/// The assumed properties of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    pub vulkan: Vulkan,
    pub extensions: Vec<Extension>,
    /// The guarantees that the module requests, for the sizes that it uses.
    pub floats: Floats,
    /// Arithmetic gives the bits of the reference engine, by means of f64 and 64-bit integers, which the device must
    /// support.
    pub exact: bool,
    /// 16-bit integers are words whose upper half is zero, except in memory, because some drivers assume that 16-bit
    /// arithmetic never overflows.
    pub short_words: bool,
    /// Out-of-bounds loads from a storage buffer return zeros and out-of-bounds stores do nothing, word by word
    /// (`robustBufferAccess2`).
    pub robust: bool,
    /// The number of lanes in a wave, if it is known.
    pub lanes: Option<u32>,
    /// Every wave is full if the group's X size is a multiple of the number of lanes.
    pub full_waves: bool,
    /// Lanes can read others by relative index (`GroupNonUniformShuffleRelative`).
    pub relative_reads: bool,
    /// Matches of words are faster bit by bit than as partitions, if the number of lanes is known.
    pub matches_by_bits: bool,
    /// Groupshared memory is initialised to zero, as in all our engines.
    pub zero_groupshared: bool,
    /// What is known about the bound resources, for each resource of the module; empty if nothing is. With it and
    /// `exact`, texels whose conversion is device-specific have the reference engine's bits.
    pub bound: Vec<Bound>,
    /// How resources get their descriptor sets and bindings.
    pub numbering: Numbering,
    /// The first descriptor set, if they are counted.
    pub first_set: u32,
    /// The locations of the inputs and outputs of shaders that draw. The inputs and outputs of a hull shader are
    /// followed by those of its patch-constant function, outputs of vertices of a mesh shader by those of primitives.
    pub locations: Locations,
    /// For each input of a pixel shader, whether it belongs to the primitive: the outputs of a mesh shader say so.
    pub of_primitives: Vec<bool>,
    /// The number of slices of the targets, if it is known: indices beyond them are replaced by 0.
    pub layers: Option<u32>,
    /// Whether the second target's output is a second source for blending.
    pub dual_source: bool,
    /// Whether a vertex, domain or geometry shader writes the size of points, which is 1.
    pub point_size: bool,
    /// The name of the entry point; without one, that of the function.
    pub entry_name: Option<String>,
}

/// How inputs and outputs get their locations. Targets always have that of their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locations {
    /// Consecutive in the order of the elements, without those of fixed functions.
    Counted,
    /// By element; those without one do not travel between stages.
    Given { inputs: Vec<Option<u32>>, outputs: Vec<Option<u32>> },
}

/// How resources get their descriptor sets and bindings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// Spaces and resources are numbered consecutively, regardless of the source.
    Counted,
    /// As the source and dxc's flags say; consecutive if they say nothing.
    Written(Written),
}

/// The numbering flags of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub shifts: Vec<Shift>,
    pub places: Vec<Placed>,
}

/// An offset for the register numbers of a class (`-fvk-b-shift` and similar flags).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    pub class: RegisterClass,
    /// In one space, or in all.
    pub space: Option<u32>,
    pub by: u32,
}

/// The set and binding that a flag assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub what: Named,
    pub binding: u32,
    pub set: u32,
}

/// What a flag can assign a binding to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// `-fvk-bind-register`.
    Register(Register),
    /// The constants outside any constant buffer: `-fvk-bind-globals`.
    Globals,
    /// All views of the resource heap: `-fvk-bind-resource-heap`. The device must support mutable descriptors.
    ResourceHeap,
    /// `-fvk-bind-sampler-heap`.
    SamplerHeap,
    /// The hidden counters of buffers in the resource heap: `-fvk-bind-counter-heap`.
    CounterHeap,
}

/// What the host binds, if it is the same for all elements of a resource array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bound {
    /// The format of the texels.
    pub format: Option<Format>,
    /// Samplers return single texels, never borders or blends.
    pub single: bool,
    /// Samplers select a single mip level.
    pub whole_levels: bool,
    /// What determines sampler feedback, for each element.
    pub feedback: Feedback,
}

impl Default for Environment {
    /// Vulkan 1.3 with maximal reconvergence, on which most shaders with wave operations depend.
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
            matches_by_bits: false,
            zero_groupshared: false,
            bound: Vec::new(),
            numbering: Numbering::Written(Written::default()),
            first_set: 0,
            locations: Locations::Counted,
            of_primitives: Vec::new(),
            layers: None,
            dual_source: false,
            point_size: false,
            entry_name: None,
        }
    }
}

impl Environment {
    /// What is known about a resource, if it may change the code.
    pub(crate) fn bound(&self, resource: ir::Binding) -> Bound {
        let known = self.bound.get(resource.index()).filter(|_| self.exact);
        known.cloned().unwrap_or_default()
    }

    /// The target for `legalize`.
    pub fn target(&self) -> Target {
        let target = Target::vulkan(self.exact, self.short_words);
        let target = match self.lanes.filter(|_| self.matches_by_bits) {
            Some(lanes) => target.with_matches_by_bits(lanes),
            None => target,
        };
        let target = match self.has(Extension::SubgroupPartitioned) {
            true => target.with_partitions(),
            false => target,
        };
        let target = if self.robust { target.with_word_bounds() } else { target };
        let target = match self.exact {
            true => target.with_feedback(self.bound.iter().map(|it| it.feedback.clone()).collect()),
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
