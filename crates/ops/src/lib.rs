//! The meaning of operations.
//!
//! [`intrinsics`] holds one row for each wave and quad function of HLSL and its dialects: its spelling, where it is
//! allowed, its meaning.
//! [`wave`] defines what a wave operation does to the lanes, [`scalar`] what an arithmetic operation does to one
//! lane, and [`ray`] what a ray query finds in a scene.
//! Both are executable and pure; every engine is compared with them, bit for bit.
//! [`concepts`] explains in prose what the functions have in common.
//!
//! Deliberately absent: any dependency, any I/O, any knowledge of source text or of a particular engine.
#![forbid(unsafe_code)]

pub mod concepts;
pub mod half;
pub mod intrinsics;
mod lanes;
pub mod math;
mod names;
mod order;
mod random;
pub mod ray;
pub mod scalar;
pub mod texture;
mod ty;
pub mod wave;

pub use half::F16;
pub use lanes::LaneMask;
pub use names::{Name, Named};
pub use order::sort_by_key;
pub use random::Random;
pub use scalar::{Binary, Compare, Ternary, Unary};
pub use ty::{Held, Lane, Repr, Sign, Ty};
pub use wave::{Barrier, Fold, MemoryScope, QuadDirection, Relation, SyncScope, WIDTHS, WaveOp};
