//! The data of a job: the resources of a shader, its dispatch, and the expected results.
//!
//! Plain data as in the file, with references resolved to indices; [`read`] creates it and checks all rules of the
//! format.

pub mod draw;
mod read;
pub(crate) mod sampler;

pub(crate) use read::read_rules;
pub use read::{Open, StateKey, read, read_for, read_scenes, read_state, read_target};
pub use sampler::Sampler;

use std::ops::Range;

use wavelane::Stage;
use wavelane::rays::TopLevel;
use wavelane::texture::{Format, Shape};

use crate::number::NumberFormat;

/// A job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    pub shaders: Vec<Shader>,
    pub root_parameters: Vec<RootParameter>,
    pub buffers: Vec<Buffer>,
    pub samplers: Vec<Sampler>,
    pub scenes: Vec<Scene>,
    pub results: Vec<Expectation>,
    pub sets: Vec<Vec<Resource>>,
    pub push_constants: Vec<PushConstants>,
    pub groups: [u32; 3],
    /// In order; empty if the job is one dispatch or one draw.
    pub passes: Vec<Pass>,
    /// If the job draws.
    pub draw: Option<draw::Draw>,
    /// Parts of the format for other stages, which are parsed, checked for their keys, and not used.
    pub unused: Vec<&'static str>,
}

/// The names of stages in the format.
pub const STAGES: [(&str, Stage); 14] = [
    ("Compute", Stage::Compute),
    ("Vertex", Stage::Vertex),
    ("Hull", Stage::Hull),
    ("Domain", Stage::Domain),
    ("Geometry", Stage::Geometry),
    ("Pixel", Stage::Pixel),
    ("Amplification", Stage::Amplification),
    ("Mesh", Stage::Mesh),
    ("RayGeneration", Stage::RayTracing),
    ("Miss", Stage::RayTracing),
    ("ClosestHit", Stage::RayTracing),
    ("AnyHit", Stage::RayTracing),
    ("Intersection", Stage::RayTracing),
    ("Callable", Stage::RayTracing),
];

/// The name of a stage; the first of them for ray tracing, whose shaders do not run.
pub fn stage_name(stage: Stage) -> &'static str {
    STAGES.iter().find(|it| it.1 == stage).map_or("", |it| it.0)
}

#[derive(Clone, Debug, PartialEq)]
pub struct Shader {
    pub stage: Stage,
    pub entry: String,
    pub constants: Vec<SpecializationConstant>,
    pub at: Range<usize>,
}

/// One of several dispatches.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// An index of [`Job::shaders`].
    pub entry: usize,
    pub groups: Groups,
    pub set: Vec<Setting>,
    pub bind: Vec<Rebinding>,
    /// How often it runs; at least once.
    pub repeat: u32,
    pub at: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Groups {
    Count([u32; 3]),
    /// Three words of a buffer, within its size and aligned.
    Indirect {
        /// An index of [`Job::buffers`].
        buffer: usize,
        offset: usize,
        at: Range<usize>,
    },
}

/// A member of a constant buffer, for one pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    pub name: String,
    /// Its numbers, which only the shader can give a type.
    pub values: Vec<String>,
    pub at: Range<usize>,
    pub value_at: Range<usize>,
}

/// Another buffer for a resource, for one pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebinding {
    /// The name of the shader's resource, with an index if it is one of an array.
    pub resource: String,
    /// An index of [`Job::buffers`].
    pub buffer: usize,
    pub at: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SpecializationConstant {
    pub id: u32,
    pub ty: NumberFormat,
    /// Parsed by `ty` when the job runs, because a wrong value is an error of the run.
    pub value: String,
    pub at: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RootParameter {
    /// The buffer that holds the constants.
    Constant {
        buffer: usize,
    },
    DescriptorTable,
    RootDescriptor {
        buffer: usize,
        kind: Kind,
    },
}

/// The contents of a buffer or a texture, or of each element of an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub name: String,
    pub format: NumberFormat,
    /// The numbers of a texel or of a typed element.
    pub channels: u32,
    /// The size of a structured element in bytes; 0 if it is not structured.
    pub stride: u32,
    /// One for each element of the array.
    pub data: Vec<Vec<u8>>,
    pub texture: Option<TextureSize>,
    /// The format of its texels, if a draw writes them.
    pub target: Option<Format>,
    /// The hidden counters after a run, one for each element.
    pub counters: Vec<u32>,
    pub at: Range<usize>,
}

impl Buffer {
    /// The bytes of each element of the array.
    pub fn size(&self) -> usize {
        self.data.first().map_or(0, Vec::len)
    }

    /// The texels of its first element as a texture, if it has a size: each slice one after the other.
    pub fn shape(&self) -> Result<Option<Shape>, String> {
        let Some(size) = self.texture else { return Ok(None) };
        let format = self.target.map_or_else(|| crate::bind::texel_format(self), Ok)?;
        let shape = Shape::new(format, size.width, size.height, 1);
        Ok(Some(Shape { layers: size.depth.max(1), ..shape }))
    }

    /// The numbers of one element of the array.
    pub fn numbers(&self, element: usize) -> impl Iterator<Item = u64> + '_ {
        let bytes = self.data.get(element).map_or(&[][..], Vec::as_slice);
        bytes
            .chunks_exact(self.format.bytes())
            .map(|it| it.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
    }
}

/// `OutputProps`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureSize {
    pub width: u32,
    pub height: u32,
    pub depth: u32,
    pub mips: u32,
}

/// A top level of `AccelerationStructures`.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub name: String,
    /// One for each element of the array.
    pub elements: Vec<TopLevel>,
    pub at: Range<usize>,
}

/// An entry of `Results`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    pub name: String,
    pub rule: Rule,
    /// Indices of [`Job::buffers`].
    pub actual: usize,
    pub expected: usize,
    pub at: Range<usize>,
}

/// How two buffers are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    Exact,
    Ulp { most: u32, zero: f64, denormals: Denormals },
    Epsilon { below: f64, denormals: Denormals },
}

/// Whether a zero matches an expected denormal number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denormals {
    Any,
    FlushToZero,
    Preserve,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Buffer,
    StructuredBuffer,
    ByteAddressBuffer,
    Texture2D,
    RwBuffer,
    RwStructuredBuffer,
    RwByteAddressBuffer,
    RwTexture2D,
    ConstantBuffer,
    Sampler,
    SampledTexture2D,
    AccelerationStructure,
    /// A map of a texture, with layers or without; its buffer holds the decoded texels.
    Feedback,
}

impl Kind {
    pub const NAMES: [(&'static str, Kind); 13] = [
        ("Buffer", Kind::Buffer),
        ("StructuredBuffer", Kind::StructuredBuffer),
        ("ByteAddressBuffer", Kind::ByteAddressBuffer),
        ("Texture2D", Kind::Texture2D),
        ("RWBuffer", Kind::RwBuffer),
        ("RWStructuredBuffer", Kind::RwStructuredBuffer),
        ("RWByteAddressBuffer", Kind::RwByteAddressBuffer),
        ("RWTexture2D", Kind::RwTexture2D),
        ("ConstantBuffer", Kind::ConstantBuffer),
        ("Sampler", Kind::Sampler),
        ("SampledTexture2D", Kind::SampledTexture2D),
        ("AccelerationStructure", Kind::AccelerationStructure),
        ("FeedbackTexture2D", Kind::Feedback),
    ];

    pub fn name(self) -> &'static str {
        Kind::NAMES.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Whether its bytes have no texel format, as required for root descriptors.
    pub fn is_raw(self) -> bool {
        match self {
            Kind::StructuredBuffer
            | Kind::ByteAddressBuffer
            | Kind::RwStructuredBuffer
            | Kind::RwByteAddressBuffer
            | Kind::ConstantBuffer => true,
            Kind::Buffer
            | Kind::Texture2D
            | Kind::RwBuffer
            | Kind::RwTexture2D
            | Kind::Sampler
            | Kind::SampledTexture2D
            | Kind::AccelerationStructure
            | Kind::Feedback => false,
        }
    }
}

/// A bound resource: the name of its contents, and its binding.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    pub name: String,
    pub kind: Kind,
    /// An index of [`Job::buffers`], unless it is a sampler or an acceleration structure.
    pub buffer: Option<usize>,
    /// An index of [`Job::samplers`].
    pub sampler: Option<usize>,
    /// An index of [`Job::scenes`].
    pub scene: Option<usize>,
    pub feedback: Option<Feedback>,
    pub has_counter: bool,
    /// The number of mapped tiles of a reserved resource.
    pub tiles: Option<u32>,
    pub is_reserved: bool,
    pub place: BindPoint,
    pub vulkan: Option<VulkanBinding>,
    pub at: Range<usize>,
}

/// What a feedback map belongs to, and what it records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The texture: an index of [`Job::buffers`].
    pub paired: usize,
    pub kind: wavelane::feedback::FeedbackKind,
    pub region: [u32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindPoint {
    Register { index: u32, space: u32 },
    Heap(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VulkanBinding {
    pub binding: u32,
    pub counter: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PushConstants {
    pub stage: Stage,
    pub values: Vec<PushConstant>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PushConstant {
    pub format: NumberFormat,
    pub offset: u32,
    pub bytes: Vec<u8>,
}
