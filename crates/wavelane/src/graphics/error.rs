//! Why there is no graphics pipeline.

use std::fmt;

use diag::Span;
use ops::Named;
use ops::intrinsics::Stage;
use ops::texture::Format;

use super::MOST_TARGETS;
use crate::PipelineError;

/// Why there is no graphics pipeline.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GraphicsError {
    /// A shader needs what the adapter lacks.
    Shader(Box<PipelineError>),
    /// A shader belongs to another stage.
    Stage {
        /// Its entry point.
        entry: String,
        /// The stage it was given for.
        stage: Stage,
    },
    /// The stages do not fit each other.
    Stages {
        /// Why not, as a clause.
        problem: String,
    },
    /// Something is not supported, here or at all.
    Unsupported {
        /// The entry point.
        entry: String,
        /// What it uses.
        what: String,
    },
    /// The vertex shader writes no `SV_Position`.
    NoPosition {
        /// Its entry point.
        entry: String,
    },
    /// An input of the vertex shader is not in the input layout.
    NoAttribute {
        /// The semantic with its index.
        semantic: String,
        /// What the layout has.
        has: Vec<String>,
        /// Where the input is declared.
        span: Span,
    },
    /// An input of a stage is not written by the one before it.
    NoVarying {
        /// The stage.
        stage: Stage,
        /// Its function that reads, as a noun phrase.
        reader: &'static str,
        /// The stage before it.
        writer: &'static str,
        /// The semantic with its index.
        semantic: String,
        /// What the stage before writes.
        has: Vec<String>,
        /// Where the input is declared.
        span: Span,
    },
    /// An input of a stage has another type than the output of the stage before.
    Varying {
        /// The stage.
        stage: Stage,
        /// Its function that reads, as a noun phrase.
        reader: &'static str,
        /// The stage before it.
        writer: &'static str,
        /// The semantic with its index.
        semantic: String,
        /// The type of the output.
        written: String,
        /// The type of the input.
        read: String,
        /// Where the input is declared.
        span: Span,
    },
    /// More targets than there can be.
    TooManyTargets {
        /// How many.
        count: usize,
    },
    /// A target and its state do not fit.
    Target {
        /// The index of the target.
        target: usize,
        /// Its format.
        format: Format,
        /// Why not, as a sentence.
        problem: &'static str,
    },
    /// An output of the pixel shader and the format of its target are of different kinds.
    Output {
        /// The index of the target.
        target: usize,
        /// The type of the output.
        written: String,
        /// The format of the target.
        format: Format,
        /// Where the output is declared.
        span: Span,
    },
    /// Blending with factors of the second output, which the pixel shader does not write.
    NoSecondSource,
    /// The depth test is enabled without a depth buffer.
    NoDepth,
    /// The stencil test is enabled, and the depth format has no stencil.
    NoStencil,
    /// There are more than 8 clip and cull distances.
    TooManyDistances {
        /// How many.
        count: usize,
    },
}

impl GraphicsError {
    /// Whether a program is right, and only not supported.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, GraphicsError::Unsupported { .. } | GraphicsError::Shader(_))
    }

    /// The stage whose shader it is about, if one is.
    pub fn stage(&self) -> Option<Stage> {
        match self {
            GraphicsError::NoAttribute { .. } => Some(Stage::Vertex),
            GraphicsError::Output { .. } | GraphicsError::NoSecondSource => Some(Stage::Pixel),
            GraphicsError::NoVarying { stage, .. } | GraphicsError::Varying { stage, .. } => {
                Some(*stage)
            }
            _ => None,
        }
    }

    /// Where the input or the output that does not fit is declared, in the sources of its shader: of a stage that
    /// reads, or of the pixel shader.
    pub fn span(&self) -> Option<Span> {
        match self {
            GraphicsError::NoAttribute { span, .. }
            | GraphicsError::NoVarying { span, .. }
            | GraphicsError::Varying { span, .. }
            | GraphicsError::Output { span, .. } => Some(*span),
            GraphicsError::Shader(_)
            | GraphicsError::Stage { .. }
            | GraphicsError::Stages { .. }
            | GraphicsError::Unsupported { .. }
            | GraphicsError::NoPosition { .. }
            | GraphicsError::TooManyTargets { .. }
            | GraphicsError::Target { .. }
            | GraphicsError::NoSecondSource
            | GraphicsError::NoDepth
            | GraphicsError::NoStencil
            | GraphicsError::TooManyDistances { .. } => None,
        }
    }
}

impl fmt::Display for GraphicsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| match names {
            [] => "nothing".to_owned(),
            names => format!("`{}`", names.join("`, `")),
        };
        match self {
            GraphicsError::Shader(error) => error.fmt(f),
            GraphicsError::Stage { entry, stage } => {
                write!(f, "`{entry}` is not a {} shader", stage.name())
            }
            GraphicsError::Unsupported { entry, what } => {
                write!(f, "`{entry}` uses {what}, which is not supported")
            }
            GraphicsError::NoPosition { entry } => write!(
                f,
                "`{entry}` writes no `SV_Position`, which the rasterizer needs; add it to the outputs"
            ),
            GraphicsError::NoAttribute { semantic, has, .. } => write!(
                f,
                "the vertex shader reads `{semantic}`, but the input layout has {}; add the attribute",
                list(has)
            ),
            GraphicsError::Stages { problem } => write!(f, "{problem}"),
            GraphicsError::NoVarying { reader, writer, semantic, has, .. } => write!(
                f,
                "{reader} reads `{semantic}`, but {writer} writes {}; write it there",
                list(has)
            ),
            GraphicsError::Varying { reader, writer, semantic, written, read, .. } => write!(
                f,
                "{writer} writes `{semantic}` as `{written}`, but {reader} reads `{read}`; declare the same type"
            ),
            GraphicsError::TooManyTargets { count } => {
                write!(f, "{count} targets are too many; the limit is {MOST_TARGETS}")
            }
            GraphicsError::Target { target, format, problem } => {
                write!(f, "target {target} has the format {format}: {problem}")
            }
            GraphicsError::Output { target, written, format, .. } => write!(
                f,
                "the pixel shader writes `{written}` to target {target}, whose format is {format}; {}",
                wanted(written)
            ),
            GraphicsError::NoSecondSource => write!(
                f,
                "the blending takes factors of the second output, but the pixel shader writes no `SV_Target1`; write it"
            ),
            GraphicsError::NoDepth => {
                write!(f, "the depth test is enabled, but there is no depth format; state one")
            }
            GraphicsError::NoStencil => write!(
                f,
                "the stencil test is enabled, but the depth format has no stencil; use D32_FLOAT_S8X24_UINT"
            ),
            GraphicsError::TooManyDistances { count } => {
                write!(f, "{count} clip and cull distances are too many; the limit is 8")
            }
        }
    }
}

/// What an output of a type needs.
fn wanted(written: &str) -> &'static str {
    match written.trim_end_matches(|it: char| ('2'..='4').contains(&it)) {
        "double" | "int64_t" | "uint64_t" => "no target holds numbers of 64 bits: write 32 bits",
        "bool" => "`bool` needs a format of unsigned integers, such as R8_UINT",
        "uint" | "uint16_t" => "`uint` needs a format of unsigned integers, such as RGBA32_UINT",
        "int" | "int16_t" => "`int` needs a format of signed integers, such as RGBA32_SINT",
        _ => "floats need a format of numbers, such as RGBA32_FLOAT or RGBA8_UNORM",
    }
}

impl std::error::Error for GraphicsError {}
