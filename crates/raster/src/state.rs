//! The state of the rasterizer.

use crate::depth::DepthFormat;
use crate::sample::Samples;
use crate::viewport::{Rect, drawable};

/// The rectangle of a target onto which clip space is mapped, in pixels, and its range of depths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
    pub min_depth: f32,
    pub max_depth: f32,
}

/// A rectangle outside of which nothing is drawn; right and bottom are exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scissor {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

/// Which triangles are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Cull {
    #[default]
    None,
    Front,
    Back,
}

/// What is added to the depths of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct DepthBias {
    /// In units of the depth format.
    pub bias: i32,
    /// A factor of the steepest slope.
    pub slope: f32,
    /// A bound of the sum: the largest if positive, the smallest if negative, none if 0.
    pub clamp: f32,
}

/// How quads are assigned to waves. The default is the canonical way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Packing {
    /// A wave holds quads of one primitive only.
    pub per_primitive: bool,
    /// A wave holds one quad only.
    pub one_quad: bool,
    /// A wave is closed before a quad that covers the same pixels of the same slice as one in it: rasterizer-ordered
    /// views.
    pub ordered: bool,
    /// Quads begin at odd x or y instead of even ones.
    pub odd_origin: [bool; 2],
}

/// Everything that determines how primitives become quads.
#[derive(Clone, Debug, PartialEq)]
pub struct RasterState {
    /// A primitive whose viewport index names none of them covers nothing.
    pub viewports: Vec<Viewport>,
    /// One for each viewport, if the scissor test is enabled. A missing one is empty.
    pub scissors: Option<Vec<Scissor>>,
    pub cull: Cull,
    pub front_counter_clockwise: bool,
    pub depth_bias: DepthBias,
    /// Whether samples in front of the near plane and behind the far plane are dropped.
    pub depth_clip: bool,
    pub samples: Samples,
    /// Bit s is sample s; those that are 0 are never covered.
    pub sample_mask: u32,
    /// Whether the pixel shader runs once for each sample instead of once for each pixel.
    pub sample_frequency: bool,
    /// The size of the targets.
    pub width: u32,
    pub height: u32,
    /// The slices of the targets.
    pub layers: u32,
    /// The unit of the depth bias.
    pub depth_format: Option<DepthFormat>,
    pub packing: Packing,
}

impl Packing {
    /// Whether nothing but a full wave closes a wave.
    pub(crate) fn is_dense(self) -> bool {
        !(self.per_primitive || self.one_quad || self.ordered)
    }
}

impl Viewport {
    /// A viewport that covers a target.
    pub fn whole(width: u32, height: u32) -> Viewport {
        let (width, height) = (width as f32, height as f32);
        Viewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 }
    }
}

impl RasterState {
    /// The pixels that primitives of a viewport may cover: inside of the viewport, its scissor rectangle and the
    /// targets. Empty if there are none.
    pub fn drawn(&self, viewport: usize) -> Scissor {
        let Rect { left, top, right, bottom } = drawable(self, viewport);
        Scissor { left, top, right: right.max(left), bottom: bottom.max(top) }
    }

    /// One sample, one slice, a viewport that covers the target, nothing culled.
    pub fn new(width: u32, height: u32) -> RasterState {
        RasterState {
            viewports: vec![Viewport::whole(width, height)],
            scissors: None,
            cull: Cull::None,
            front_counter_clockwise: false,
            depth_bias: DepthBias::default(),
            depth_clip: true,
            samples: Samples::One,
            sample_mask: u32::MAX,
            sample_frequency: false,
            width,
            height,
            layers: 1,
            depth_format: None,
            packing: Packing::default(),
        }
    }
}
