//! What a job draws: vertices, targets, and the fixed state between the stages.
//!
//! The public format describes little of this, and the rest is fixed; our own key `Raster` replaces it field by field.
//! Every field here is set, by the job or by the fixed state.

use std::ops::Range;

use wavelane::graphics::{
    Cull, DepthBias, DepthFormat, DepthState, DepthStencilState, IndexFormat, Samples, Scissor,
    TargetState, Topology, Viewport,
};
use wavelane::texture::{Comparison, Format};

use crate::number::NumberFormat;

/// Everything about a draw except its shaders and resources.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// For patches if there are control points, regardless of the topology.
    pub topology: Topology,
    pub patch_control_points: Option<u32>,
    pub vertices: Stream,
    pub per_instance: Stream,
    pub index: Option<IndexBuffer>,
    /// Vertices, or indices, of each instance.
    pub count: u32,
    pub instances: u32,
    /// In the order of `SV_Target`; all have the same size.
    pub targets: Vec<Target>,
    pub depth: Depth,
    pub samples: Samples,
    pub sample_mask: u32,
    /// How targets are written by default.
    pub write: TargetState,
    pub blend_factor: [f32; 4],
    pub alpha_to_coverage: bool,
    pub cull: Cull,
    /// Whether triangles that are clockwise on the screen are front-facing.
    pub front_is_clockwise: bool,
    pub bias: DepthBias,
    /// Whether the near and the far plane clip; otherwise depths are clamped behind the pixel shader.
    pub depth_clip: bool,
    /// Empty if there is one that covers the targets.
    pub viewports: Vec<Viewport>,
    /// Empty if only the viewports and the targets clip.
    pub scissors: Vec<Scissor>,
}

impl Draw {
    /// The fixed state of the public format, with nothing to draw and no targets.
    pub fn fixed() -> Draw {
        let depth = DepthState { func: Comparison::Less, write: true };
        Draw {
            topology: Topology::TriangleList,
            patch_control_points: None,
            vertices: Stream::default(),
            per_instance: Stream::default(),
            index: None,
            count: 0,
            instances: 1,
            targets: Vec::new(),
            depth: Depth {
                format: DepthFormat::D32FloatS8X24Uint,
                clear: 1.0,
                stencil_clear: 0,
                tests: DepthStencilState { depth: Some(depth), stencil: None },
                stencil_buffer: None,
            },
            samples: Samples::One,
            sample_mask: u32::MAX,
            write: TargetState::default(),
            blend_factor: [1.0; 4],
            alpha_to_coverage: false,
            cull: Cull::None,
            front_is_clockwise: false,
            bias: DepthBias::default(),
            depth_clip: true,
            viewports: Vec::new(),
            scissors: Vec::new(),
        }
    }

    /// How a target is written.
    pub fn write_of(&self, target: &Target) -> TargetState {
        target.write.unwrap_or(self.write)
    }
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
    pub format: NumberFormat,
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
    pub format: IndexFormat,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// An index of [`super::Job::buffers`]; its size is that of the target.
    pub buffer: usize,
    pub format: Format,
    pub clear: [f64; 4],
    /// How it is written, if not like the others.
    pub write: Option<TargetState>,
    pub at: Range<usize>,
}

/// A target as the command line describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenTarget {
    pub name: Option<String>,
    pub format: Option<Format>,
    pub clear: [f64; 4],
    pub write: Option<TargetState>,
}

/// The depth and stencil buffer, which has the size of the targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Depth {
    pub format: DepthFormat,
    pub clear: f32,
    pub stencil_clear: u8,
    pub tests: DepthStencilState,
    /// The buffer that receives the stencil, an index of [`super::Job::buffers`].
    pub stencil_buffer: Option<usize>,
}
