//! What engines can draw, as data. A draw that needs more is refused, and the message names what is missing.

use ops::intrinsics::Stage;
use ops::texture::Format;
use raster::DepthFormat;

use super::MOST_TARGETS;
use crate::draw::{MOST_PIXELS, MOST_VIEWPORTS};
use crate::{Adapter, LaneCounts};

/// What an engine can draw, or a device of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawCaps {
    /// The lanes of a wave of a pixel shader.
    pub wave_lane_count: LaneCounts,
    /// Whether quads are packed into waves in the canonical way. A device chooses its own packing: wave operations of a
    /// pixel shader need [`Draw::record`](crate::Draw::record) there.
    pub canonical_packing: bool,
    /// The stages of pipelines.
    pub stages: Vec<Stage>,
    /// The most targets of a draw.
    pub targets: u32,
    /// The most pixels of a side of a target.
    pub target_size: u32,
    /// The most viewports.
    pub viewports: u32,
    /// How many samples a pixel can have, ascending.
    pub samples: Vec<u32>,
    /// The formats that targets can have.
    pub formats: Vec<Format>,
    /// The formats that depth buffers can have.
    pub depth_formats: Vec<DepthFormat>,
    /// Lines by Direct3D's rule.
    pub lines: bool,
    /// `SV_Barycentrics` and `GetAttributeAtVertex`.
    pub barycentrics: bool,
    /// `SV_StencilRef`.
    pub stencil_reference: bool,
    /// Rasterizer-ordered views.
    pub ordered_views: bool,
    /// Blend factors of the second output.
    pub dual_source_blending: bool,
    /// Different blending of several targets.
    pub independent_blending: bool,
    /// Logic operations.
    pub logic_operations: bool,
    /// Conservative rasterization, and with it `SV_InnerCoverage`: no engine has it.
    pub conservative_rasterization: bool,
}

impl DrawCaps {
    /// What the engines of the host can draw, with the waves of an adapter.
    pub fn of_host(adapter: &Adapter) -> DrawCaps {
        DrawCaps {
            wave_lane_count: adapter.wave_lane_count,
            canonical_packing: true,
            stages: vec![
                Stage::Vertex,
                Stage::Hull,
                Stage::Domain,
                Stage::Geometry,
                Stage::Amplification,
                Stage::Mesh,
                Stage::Pixel,
            ],
            targets: MOST_TARGETS as u32,
            target_size: MOST_PIXELS,
            viewports: MOST_VIEWPORTS as u32,
            samples: vec![1, 2, 4, 8, 16],
            formats: DrawCaps::all_formats(),
            depth_formats: DEPTH_FORMATS.to_vec(),
            lines: true,
            barycentrics: true,
            stencil_reference: true,
            ordered_views: true,
            dual_source_blending: true,
            independent_blending: true,
            logic_operations: true,
            conservative_rasterization: false,
        }
    }

    /// Every format that a target can have on some engine.
    pub fn all_formats() -> Vec<Format> {
        Format::all().into_iter().filter(|it| is_target(*it)).collect()
    }
}

/// Every format of a depth buffer.
pub(crate) const DEPTH_FORMATS: [DepthFormat; 3] =
    [DepthFormat::D32Float, DepthFormat::D16Unorm, DepthFormat::D32FloatS8X24Uint];

/// Whether targets can have a format: shared exponents cannot be blended or masked, and outputs have 32 bits.
pub(super) fn is_target(format: Format) -> bool {
    match format {
        Format::Plain { bits, .. } => bits <= 32,
        Format::Rgb9E5 => false,
        Format::Bgra8 { .. } | Format::Rgb10A2 { .. } | Format::Rg11B10Float => true,
    }
}
