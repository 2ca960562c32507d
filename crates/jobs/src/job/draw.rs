//! What a job draws: vertices, targets, and the fixed state between the stages.
//!
//! The public format says little of this, and the rest is fixed; the key `Raster` of our own replaces it field by
//! field. Every field here is set, whoever set it.

use std::ops::Range;

use wavelane::texture::{Comparison, Format as TextureFormat};

use crate::number::Format;

/// Everything of a draw but its shaders and resources.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    pub topology: Topology,
    /// With [`Topology::PatchList`] only.
    pub patch_control_points: Option<u32>,
    pub vertices: Stream,
    pub per_instance: Stream,
    pub index: Option<IndexBuffer>,
    /// Vertices, or indices, of each instance.
    pub count: u32,
    pub instances: u32,
    /// In the order of `SV_Target`; all have the same size.
    pub targets: Vec<Target>,
    pub depth: DepthStencil,
    pub samples: u32,
    pub sample_mask: u32,
    pub blend: Blend,
    pub cull: Cull,
    /// Whether triangles that are clockwise on the screen are front-facing.
    pub front_is_clockwise: bool,
    pub bias: DepthBias,
    pub viewports: Vec<Viewport>,
    /// Empty if only the viewports and the targets clip.
    pub scissors: Vec<Scissor>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    PointList,
    LineList,
    LineStrip,
    TriangleList,
    TriangleStrip,
    PatchList,
}

impl Topology {
    /// The topologies of the public format.
    pub const NAMES: [(&'static str, Topology); 4] = [
        ("TriangleList", Topology::TriangleList),
        ("PointList", Topology::PointList),
        ("PatchList", Topology::PatchList),
        ("LineList", Topology::LineList),
    ];

    /// Those of `Raster`.
    pub const OWN_NAMES: [(&'static str, Topology); 5] = [
        ("PointList", Topology::PointList),
        ("LineList", Topology::LineList),
        ("LineStrip", Topology::LineStrip),
        ("TriangleList", Topology::TriangleList),
        ("TriangleStrip", Topology::TriangleStrip),
    ];
}

/// A buffer of vertices or of instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// An index of [`super::Job::buffers`].
    pub buffer: Option<usize>,
    pub attributes: Vec<Attribute>,
    /// From one vertex to the next, in bytes.
    pub stride: u32,
}

/// Where in a vertex an input of the vertex shader is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The semantic, whose last digits are its index.
    pub name: String,
    pub format: Format,
    /// 1 to 4.
    pub channels: u32,
    pub offset: u32,
    pub at: Range<usize>,
}

impl Attribute {
    pub fn bytes(&self) -> u32 {
        self.channels * self.format.bytes() as u32
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexBuffer {
    /// An index of [`super::Job::buffers`].
    pub buffer: usize,
    /// 32 bits each, rather than 16.
    pub is_wide: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// An index of [`super::Job::buffers`]; its size is that of the target.
    pub buffer: usize,
    pub format: TextureFormat,
    pub clear: [f64; 4],
    pub at: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthFormat {
    D32Float,
    D16Unorm,
    D32FloatS8,
}

impl DepthFormat {
    pub const NAMES: [(&'static str, DepthFormat); 3] = [
        ("D32_FLOAT", DepthFormat::D32Float),
        ("D16_UNORM", DepthFormat::D16Unorm),
        ("D32_FLOAT_S8X24_UINT", DepthFormat::D32FloatS8),
    ];
}

#[derive(Clone, Debug, PartialEq)]
pub struct DepthStencil {
    pub format: DepthFormat,
    pub clear: f32,
    pub func: Comparison,
    pub write: bool,
    pub stencil: Option<Stencil>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stencil {
    /// The buffer that receives it, an index of [`super::Job::buffers`].
    pub buffer: Option<usize>,
    pub clear: u8,
    pub reference: u8,
    pub read_mask: u8,
    pub write_mask: u8,
    pub front: StencilFace,
    pub back: StencilFace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilFace {
    pub func: Comparison,
    pub pass: StencilOp,
    pub fail: StencilOp,
    pub depth_fail: StencilOp,
}

impl Default for StencilFace {
    fn default() -> StencilFace {
        let keep = StencilOp::Keep;
        StencilFace { func: Comparison::Always, pass: keep, fail: keep, depth_fail: keep }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StencilOp {
    Keep,
    Zero,
    Replace,
    IncrSat,
    DecrSat,
    Invert,
    Incr,
    Decr,
}

impl StencilOp {
    pub const NAMES: [(&'static str, StencilOp); 8] = [
        ("Keep", StencilOp::Keep),
        ("Zero", StencilOp::Zero),
        ("Replace", StencilOp::Replace),
        ("IncrSat", StencilOp::IncrSat),
        ("DecrSat", StencilOp::DecrSat),
        ("Invert", StencilOp::Invert),
        ("Incr", StencilOp::Incr),
        ("Decr", StencilOp::Decr),
    ];
}

/// How results are written to all targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Blend {
    pub function: BlendFunction,
    pub factor: [f32; 4],
    /// Bit 0 is red.
    pub write_mask: u8,
    pub alpha_to_coverage: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlendFunction {
    None,
    Logic(LogicOp),
    Blend { colour: Equation, alpha: Equation },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Equation {
    pub src: Factor,
    pub dst: Factor,
    pub op: BlendOp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    Zero,
    One,
    SrcColor,
    InvSrcColor,
    SrcAlpha,
    InvSrcAlpha,
    DestAlpha,
    InvDestAlpha,
    DestColor,
    InvDestColor,
    SrcAlphaSat,
    BlendFactor,
    InvBlendFactor,
    Src1Color,
    InvSrc1Color,
    Src1Alpha,
    InvSrc1Alpha,
}

impl Factor {
    pub const NAMES: [(&'static str, Factor); 17] = [
        ("Zero", Factor::Zero),
        ("One", Factor::One),
        ("SrcColor", Factor::SrcColor),
        ("InvSrcColor", Factor::InvSrcColor),
        ("SrcAlpha", Factor::SrcAlpha),
        ("InvSrcAlpha", Factor::InvSrcAlpha),
        ("DestAlpha", Factor::DestAlpha),
        ("InvDestAlpha", Factor::InvDestAlpha),
        ("DestColor", Factor::DestColor),
        ("InvDestColor", Factor::InvDestColor),
        ("SrcAlphaSat", Factor::SrcAlphaSat),
        ("BlendFactor", Factor::BlendFactor),
        ("InvBlendFactor", Factor::InvBlendFactor),
        ("Src1Color", Factor::Src1Color),
        ("InvSrc1Color", Factor::InvSrc1Color),
        ("Src1Alpha", Factor::Src1Alpha),
        ("InvSrc1Alpha", Factor::InvSrc1Alpha),
    ];

    /// Whether it has a component for each colour, so that it cannot be a factor of alpha.
    pub fn is_colour(self) -> bool {
        matches!(
            self,
            Factor::SrcColor
                | Factor::InvSrcColor
                | Factor::DestColor
                | Factor::InvDestColor
                | Factor::Src1Color
                | Factor::InvSrc1Color
        )
    }

    /// Whether it is of the second output of the pixel shader.
    pub fn is_dual_source(self) -> bool {
        matches!(
            self,
            Factor::Src1Color | Factor::InvSrc1Color | Factor::Src1Alpha | Factor::InvSrc1Alpha
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlendOp {
    Add,
    Subtract,
    RevSubtract,
    Min,
    Max,
}

impl BlendOp {
    pub const NAMES: [(&'static str, BlendOp); 5] = [
        ("Add", BlendOp::Add),
        ("Subtract", BlendOp::Subtract),
        ("RevSubtract", BlendOp::RevSubtract),
        ("Min", BlendOp::Min),
        ("Max", BlendOp::Max),
    ];
}

/// Named as in Direct3D 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicOp {
    Clear,
    Set,
    Copy,
    CopyInverted,
    Noop,
    Invert,
    And,
    Nand,
    Or,
    Nor,
    Xor,
    Equiv,
    AndReverse,
    AndInverted,
    OrReverse,
    OrInverted,
}

impl LogicOp {
    pub const NAMES: [(&'static str, LogicOp); 16] = [
        ("Clear", LogicOp::Clear),
        ("Set", LogicOp::Set),
        ("Copy", LogicOp::Copy),
        ("CopyInverted", LogicOp::CopyInverted),
        ("Noop", LogicOp::Noop),
        ("Invert", LogicOp::Invert),
        ("And", LogicOp::And),
        ("Nand", LogicOp::Nand),
        ("Or", LogicOp::Or),
        ("Nor", LogicOp::Nor),
        ("Xor", LogicOp::Xor),
        ("Equiv", LogicOp::Equiv),
        ("AndReverse", LogicOp::AndReverse),
        ("AndInverted", LogicOp::AndInverted),
        ("OrReverse", LogicOp::OrReverse),
        ("OrInverted", LogicOp::OrInverted),
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cull {
    None,
    Front,
    Back,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthBias {
    pub bias: i32,
    pub slope: f32,
    pub clamp: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
    pub min_depth: f32,
    pub max_depth: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scissor {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}
