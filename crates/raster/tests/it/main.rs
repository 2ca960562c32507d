//! What the rasterizer promises, seen from outside.

mod common;
mod coverage;
mod interpolation;
mod merging;
mod packing;
mod tessellation;
