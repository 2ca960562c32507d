//! What a host must know to run a module, as plain data.

use ir::{Register, WaveSize};

/// A module from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reflection {
    pub entry: String,
    pub group_size: [u32; 3],
    /// The `[WaveSize]` attribute: the host asks for a subgroup size in it. Zeros stand for what is not given.
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
    /// How many bytes a host gives; the last ones are padding.
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
    /// Counted up over the spaces of registers that are used, or as it is written.
    pub set: u32,
    /// Counted up in each set, in the order of declaration, or as it is written; a counter follows its buffer.
    pub binding: u32,
    /// `None` for an unbounded array.
    pub count: Option<u32>,
    pub writable: bool,
    /// The format that the module names for its texels, as SPIR-V spells it; views must have it. Without one they may have
    /// any that holds numbers of the same kind.
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
            BindingKind::Counter => "counter",
        }
    }
}

/// What the module cannot promise in its environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// An operation sees the active set, and the environment does not say that lanes reconverge.
    NoMaximalReconvergence,
    /// What the source and the command line say puts two resources at one binding.
    SharedBinding,
}

impl Warning {
    pub fn message(self) -> &'static str {
        match self {
            Warning::SharedBinding => {
                "two resources have one binding, which is one descriptor for a device"
            }
            Warning::NoMaximalReconvergence => {
                "the shader depends on which lanes are active, and the target does not promise maximal reconvergence"
            }
        }
    }
}
