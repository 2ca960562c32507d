//! The intermediate representation: one shader as a structured, per-lane program in SSA form.
//!
//! # Shape
//! A [`Module`] is one entry point with everything it uses: resources, groupshared and private memory, and a body.
//! Calls are inlined; a returned-from call is a labelled [`Op::Block`], so that its end is a reconvergence point.
//! The body is a tree of [`Region`]s. A region is a straight-line list of instructions, the last of which is a
//! terminator.
//! Control flow is structured only: `if`, `loop`, `switch`, `block`; there are no arbitrary jumps.
//!
//! # Values
//! A [`Value`] is one scalar per lane ([`ops::Ty`]). Vectors and matrices have been scalarised.
//! A value is visible in its own region after its definition, and in all regions nested there.
//! Values leave a region only as arguments of a terminator, which become results of the construct;
//! this makes values that are uniform inside a loop but differ after it explicit.
//!
//! # Active lanes
//! Which lanes execute an instruction is *defined by* the structure:
//! - `if`: the lanes of each arm; after it, all lanes that yielded from either arm.
//! - `loop`: an iteration runs with the lanes that continued (the body's [`Op::Yield`]); after the loop, all lanes
//!   that exited to it.
//! - `switch`: case groups in order; a group runs with the lanes that selected it and those that fell through from
//!   the previous one.
//! - `block`: after it, the lanes that yielded and the lanes that exited to it.
//!
//! An [`Op::Exit`] moves its lanes to the end of an enclosing `loop`, `switch` or `block`; [`Op::Return`] ends them
//! for good.
//! [`Op::Discard`] makes *helper lanes* of its lanes: they go on, so that others of their quads can read them, but
//! write nothing; a quad of helper lanes ends.
//!
//! Deliberately absent: source types, pointers, uninstantiated anything, an unstructured control-flow graph.
#![forbid(unsafe_code)]

pub mod access;
pub mod alias;
mod build;
mod bytes;
mod deal;
pub mod debug;
pub mod effort;
pub mod eval;
pub mod exec;
pub mod facts;
mod feed;
pub mod flow;
mod flush;
mod footprint;
pub mod group;
mod module;
pub mod notes;
pub mod packing;
pub mod print;
pub mod ray;
pub mod rewrite;
pub mod rounds;
pub mod simplify;
pub mod stage;
pub mod texel;
pub mod text;
mod texture;
pub mod turns;
pub mod uniformity;
pub mod verify;
mod view;
mod waits;

pub use build::Builder;
pub use deal::{deal, deal_slots};
pub use diag::Span;
pub use flush::flush_denormals;
pub use module::*;
pub use ray::{QueryData, Ray, RayOp};
/// Builds [`Values`], as `vec!` builds vectors.
pub use smallvec::smallvec as values;
pub use texture::*;
pub use view::{AddressKind, Contents, ResourceView, texture_name};
pub use waits::waits;
