//! From the IR to SPIR-V for Vulkan: a pure function from a module and a stated [`Environment`] to words and a
//! [`Reflection`].
//!
//! # What is kept, and how
//! - **Active sets.** The IR's structure becomes SPIR-V's structure, merge for merge, and maximal reconvergence is asked
//!   for whenever an operation can see the active set; `control.rs` says why that keeps it. A `switch` whose cases can see
//!   it becomes a cascade of `if`s, because SPIR-V lets lanes of one case run apart when their selectors differ.
//! - **Arithmetic corners.** Where SPIR-V leaves a result open (shift counts, division by zero, conversions out of range,
//!   `min` of zeros, tests for NaN), `legalize` has written the corner out before anything is encoded;
//!   `Environment::target` says for which device.
//! - **Bounds.** Every access outside its resource or array loads zero and stores nothing, by code of ours: `bounds` in
//!   `memory.rs` says why the device's own robustness is not enough. What stays with the device: a null descriptor, and
//!   single words where [`Environment::robust`] is set.
//!
//! # What is the device's own
//! The order of float sums; unless [`Environment::exact`] is set, the bits of a NaN and the last bits of division, square
//! roots and transcendental functions; results that the language leaves undefined, such as reads of inactive lanes; the misaligned part of an address, which
//! is dropped.
//!
//! # Map
//! `opcode.rs` numbers, `module.rs` sections, types and constants; `emit.rs` one instruction of the IR after the other,
//! which `control.rs`, `scalar.rs`, `memory.rs`, `local.rs`, `texel.rs`, `conversion.rs`, `typed.rs`, `texture.rs`,
//! `sample.rs`, `wave.rs`, `derivative.rs` and `builtin.rs` lower; `reflect.rs` what a host must know; `text.rs` a listing.
//!
//! Deliberately absent: files, devices, optimisation (drivers do that, and are told which loops to unroll, and which lanes
//! read each other).
#![forbid(unsafe_code)]

mod builtin;
mod control;
mod conversion;
mod derivative;
mod emit;
mod environment;
mod local;
mod memory;
mod module;
mod number;
pub mod opcode;
mod reflect;
mod sample;
mod scalar;
#[cfg(test)]
mod tests;
mod texel;
mod text;
mod texture;
mod typed;
mod wave;

pub use emit::emit;
pub use environment::{
    Bound, Debug, Environment, Extension, Floats, Named, NoDebug, Numbering, Place, Placed, Shift,
    Sizes, Source, Vulkan, Written,
};
pub use reflect::{Binding, BindingKind, Push, Reflection, Warning};
pub use text::listing;

/// A module for a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    pub words: Vec<u32>,
    pub reflection: Reflection,
}

/// What this target cannot do, or cannot do yet; never a wrong module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The same for all modules that miss the same thing, such as `textures`.
    pub what: &'static str,
    /// The operation or resource that asks for it.
    pub asked: String,
    pub span: ir::Span,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unsupported: {}: SPIR-V cannot express {}", self.asked, self.what)
    }
}

impl std::error::Error for Unsupported {}

impl Emitted {
    /// The words as bytes, as `.spv` files hold them.
    pub fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|it| it.to_le_bytes()).collect()
    }
}
