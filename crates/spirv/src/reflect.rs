//! The information that a host needs to run a module, as plain data.

use ir::{Register, WaveSize};

/// The host's view of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reflection {
    pub entry: String,
    pub group_size: [u32; 3],
    /// The `[WaveSize]` attribute: the host requests a subgroup size in its range. Values that are not given are zero.
    pub wave_size: WaveSize,
    /// A 32-bit mask names lanes: the module must not run in larger subgroups.
    pub most_lanes: Option<u32>,
    pub bindings: Vec<Binding>,
    /// The block of push constants, if there is one.
    pub push: Option<Push>,
    /// The names of SPIR-V's capabilities and extensions that the module declares.
    pub capabilities: Vec<&'static str>,
    pub extensions: Vec<&'static str>,
    pub warnings: Vec<Warning>,
}

/// The block of push constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The name in the source.
    pub name: String,
    /// The number of bytes that the host provides; the last ones are padding.
    pub bytes: u32,
    /// The index in [`ir::Module::resources`].
    pub resource: ir::Binding,
}

/// One descriptor, or an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The name in the source.
    pub name: String,
    pub kind: BindingKind,
    /// Consecutive over the register spaces that are used, or explicit.
    pub set: u32,
    /// Consecutive in each set, in the order of declaration, or explicit; a counter follows its buffer.
    pub binding: u32,
    /// `None` for an unbounded array.
    pub count: Option<u32>,
    pub writable: bool,
    /// The image format that the module declares, in SPIR-V's spelling; views must have it. Without one, they may have
    /// any format for numbers of the same kind.
    pub format: Option<&'static str>,
    pub register: Register,
    /// The index in [`ir::Module::resources`].
    pub resource: ir::Binding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    UniformBuffer,
    StorageBuffer,
    UniformTexelBuffer,
    StorageTexelBuffer,
    SampledImage,
    StorageImage,
    Sampler,
    /// An acceleration structure.
    Scene,
    /// A storage buffer of one word: the hidden counter of a structured buffer.
    Counter,
}

impl BindingKind {
    pub fn name(self) -> &'static str {
        match self {
            BindingKind::UniformBuffer => "uniform-buffer",
            BindingKind::StorageBuffer => "storage-buffer",
            BindingKind::UniformTexelBuffer => "uniform-texel-buffer",
            BindingKind::StorageTexelBuffer => "storage-texel-buffer",
            BindingKind::SampledImage => "sampled-image",
            BindingKind::StorageImage => "storage-image",
            BindingKind::Sampler => "sampler",
            BindingKind::Scene => "acceleration-structure",
            BindingKind::Counter => "counter",
        }
    }
}

/// What the module cannot guarantee in its environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// An operation observes the active set, and the environment does not guarantee maximal reconvergence.
    NoMaximalReconvergence,
    /// The source and the command line give two resources the same binding.
    SharedBinding,
}

impl Warning {
    pub fn message(self) -> &'static str {
        match self {
            Warning::SharedBinding => {
                "two resources have the same binding, so a device uses one descriptor for both"
            }
            Warning::NoMaximalReconvergence => {
                "the shader depends on which lanes are active, and the target does not guarantee maximal reconvergence"
            }
        }
    }
}
