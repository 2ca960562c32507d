//! Why a draw failed.

use std::fmt;

use ir::exec::Failure;

use super::{MOST_PIXELS, MOST_VERTICES};
use crate::{BufferError, DispatchError};

/// Why a draw failed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DrawError {
    /// A stage failed, or what is bound to it does not suit.
    Run(DispatchError),
    /// The pipeline has a pixel shader, and there is no table for its resources, or the reverse.
    PixelTable {
        /// Whether the pipeline has a pixel shader.
        has_shader: bool,
    },
    /// The input layout uses a vertex buffer that is not there.
    NoVertexBuffer {
        /// Its slot.
        slot: usize,
    },
    /// A target and the pipeline's format differ.
    Target {
        /// The index of the target.
        target: usize,
        /// The format of the pipeline.
        needs: String,
        /// The format of the target.
        has: String,
    },
    /// The depth buffer and the pipeline's format differ.
    Depth {
        /// The format of the pipeline.
        needs: String,
        /// The format of the buffer.
        has: String,
    },
    /// The targets and the depth buffer have different sizes or samples.
    Sizes {
        /// Width, height and samples of the first.
        first: [u32; 3],
        /// Those of another one.
        other: [u32; 3],
    },
    /// The targets have another number of samples than the pipeline.
    Samples {
        /// Of the pipeline.
        needs: u32,
        /// Of the targets.
        has: u32,
    },
    /// A target is larger than [`DrawCaps::target_size`](crate::DrawCaps::target_size) in a direction.
    TooLarge {
        /// Its size.
        size: [u32; 2],
    },
    /// The same memory is a target and something else of the draw.
    Aliased,
    /// The bytes of a buffer do not hold the shape of the target.
    TargetBytes {
        /// Its size.
        bytes: usize,
        /// The size that is needed.
        needs: usize,
    },
    /// No target has that shape.
    Shape,
    /// There is neither a target nor a viewport.
    NoSize,
    /// A viewport is not a rectangle in the range of coordinates, or its depths are not from 0 to 1.
    Viewport {
        /// Its index.
        viewport: usize,
    },
    /// There are more than 16 viewports.
    TooManyViewports {
        /// How many.
        count: usize,
    },
    /// A mesh or amplification shader has more than 65535 groups in a direction, or more than 2²² altogether.
    MeshGroups {
        /// In x, y and z.
        groups: [u32; 3],
    },
    /// More than [`MOST_VERTICES`] vertices, or more than fit into memory at a time.
    TooManyVertices {
        /// How many.
        vertices: u64,
        /// How many there can be.
        most: u64,
    },
}

impl DrawError {
    /// Whether the draw is right, and only not supported.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, DrawError::Run(DispatchError::Unsupported(_)))
    }
}

impl From<DispatchError> for DrawError {
    fn from(error: DispatchError) -> DrawError {
        DrawError::Run(error)
    }
}

impl From<Failure> for DrawError {
    fn from(failure: Failure) -> DrawError {
        DrawError::Run(failure.into())
    }
}

impl From<BufferError> for DrawError {
    fn from(error: BufferError) -> DrawError {
        match error {
            BufferError::Device(failure) => failure.into(),
            BufferError::Length { bytes, needs } => DrawError::TargetBytes { bytes, needs },
            BufferError::Type { .. } | BufferError::Size { .. } | BufferError::Shape => {
                DrawError::Shape
            }
        }
    }
}

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DrawError::Run(error) => error.fmt(f),
            DrawError::PixelTable { has_shader: true } => {
                write!(f, "the pipeline has a pixel shader; pass a table for its resources")
            }
            DrawError::PixelTable { has_shader: false } => {
                write!(f, "the pipeline has no pixel shader; pass no table for one")
            }
            DrawError::NoVertexBuffer { slot } => {
                write!(f, "the input layout uses vertex buffer {slot}, which is not bound")
            }
            DrawError::Target { target, needs, has } => write!(
                f,
                "target {target} is {has}, but the pipeline was made for {needs}; bind one of that format"
            ),
            DrawError::Depth { needs, has } => write!(
                f,
                "the depth buffer is {has}, but the pipeline was made for {needs}; bind one of that format"
            ),
            DrawError::Sizes { first: [w, h, s], other: [x, y, t] } => write!(
                f,
                "the targets of a draw have one size: one is {w}×{h} with {s} samples, another {x}×{y} with {t}"
            ),
            DrawError::Samples { needs, has } => write!(
                f,
                "the targets have {has} samples for each pixel, but the pipeline was made for {needs}"
            ),
            DrawError::TooLarge { size: [width, height] } => {
                write!(
                    f,
                    "a target of {width}×{height} pixels is too large; the limit is {MOST_PIXELS} each"
                )
            }
            DrawError::Aliased => write!(
                f,
                "a target of the draw is bound elsewhere too; bind separate memory to each"
            ),
            DrawError::TargetBytes { bytes, needs } => {
                write!(f, "the target has {bytes} bytes, and its shape needs {needs}")
            }
            DrawError::Shape => write!(
                f,
                "no target has that shape: two-dimensional, with at least one pixel, and 1, 2, 4, 8 or 16 samples"
            ),
            DrawError::NoSize => {
                write!(
                    f,
                    "the draw has neither a target nor a viewport; its size comes from one of them"
                )
            }
            DrawError::Viewport { viewport } => write!(
                f,
                "viewport {viewport} is not a rectangle within ±32768 pixels with depths from 0 to 1"
            ),
            DrawError::TooManyViewports { count } => {
                write!(f, "{count} viewports are too many; the limit is 16")
            }
            DrawError::MeshGroups { groups: [x, y, z] } => write!(
                f,
                "{x}×{y}×{z} groups of a mesh are too many; the limit is 65535 in a direction, and 4194304 altogether"
            ),
            DrawError::TooManyVertices { vertices, most } if *most == MOST_VERTICES => {
                write!(f, "{vertices} vertices are too many; the limit is {most}")
            }
            DrawError::TooManyVertices { vertices, most } => write!(
                f,
                "{vertices} vertices would have to be kept in memory at a time; the limit is {most} for these shaders"
            ),
        }
    }
}

impl std::error::Error for DrawError {}
