//! The fixed-function parts of a draw: everything between shaders.
//!
//! Vertices come in as rows of words, quads of pixels go out, packed into waves; a pixel shader's outputs come back
//! and are merged into targets. Every step is a pure function whose result is defined to the last bit, so that a draw
//! gives the same bytes on every engine and every host.
//!
//! # Map `topology` assembles primitives and patches, `tessellate` divides patches, `fetch` reads vertex attributes.
//! `rasterizer` takes primitives one after the other through `viewport`, `clip`, `setup` and `cover`, and fills a
//! `wave` with quads; `interpolate` computes the inputs of its lanes. `merge` applies `depth` tests, `blend`, `logic`
//! and write masks to `target`s, and `resolve` averages samples. `sample` holds the sample patterns, `signature`
//! describes the values that flow from vertices to pixels.
//!
//! # Deliberately absent
//! Shaders and engines: this crate knows no instruction and no language. Wide, smooth and wireframe
//! lines. Threads.
//!
//! Spec: `docs/semantics.md`, and Direct3D 11.3's functional specification, chapters 3, 8, 15 and 17. What these leave
//! open is computed in f64 in a written order of operations and rounded once.
#![forbid(unsafe_code)]

mod aligned;
mod blend;
mod clip;
mod cover;
mod depth;
mod each;
mod fetch;
mod group;
mod interpolate;
mod logic;
mod merge;
mod rasterizer;
mod resolve;
mod sample;
mod setup;
mod signature;
mod state;
mod target;
mod tessellate;
mod topology;
mod viewport;
mod wave;

pub use blend::{Blend, BlendOp, Equation, Factor};
pub use depth::{
    DepthFormat, DepthState, DepthStencil, DepthStencilState, StencilFace, StencilOp, StencilState,
};
pub use fetch::{VertexBuffer, fetch, fetch_row};
pub use interpolate::At;
pub use logic::LogicOp;
pub use merge::{AlphaSamples, Colour, MOST_TARGETS, MergeState, Outputs, TargetState, Targets};
pub use rasterizer::{Batch, Rasterizer, Vertices};
pub use resolve::resolve;
pub use sample::Samples;
pub use signature::{Input, Inputs, Interpolation, InterpolationPlace, Mode, Scalar, VertexLayout};
pub use state::{Cull, DepthBias, Packing, RasterState, Scissor, Viewport};
pub use target::{Layout, Target};
pub use tessellate::{Domain, Factors, Partitioning, PatchTopology, Tessellated, tessellate};
pub use topology::{Assembly, IndexFormat, Kind, Primitive, Topology};
pub use wave::{Quad, Wave};
