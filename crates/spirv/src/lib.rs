//! The SPIR-V back end for Vulkan: a pure function from a module and an [`Environment`] to words and a [`Reflection`].
//!
//! # What is preserved, and how
//! - **Active sets.** The IR's structure becomes SPIR-V's structure, merge for merge, and maximal reconvergence is
//!   requested whenever an operation can observe the active set; `control.rs` says why that preserves it. A `switch`
//!   whose cases can observe it becomes a cascade of `if`s, because SPIR-V allows lanes of one case to diverge if their
//!   selectors differ.
//! - **Arithmetic corner cases.** Where SPIR-V leaves a result undefined (shift counts, division by zero, conversions
//!   out of range, `min` of zeros, tests for NaN), `legalize` has written the case out before anything is encoded;
//!   `Environment::target` describes the device.
//! - **Bounds.** Every access outside its resource or array loads zero and stores nothing, by explicit checks, which
//!   `legalize` has written out for buffers: "Bounds" in `memory.rs` says why the device's robustness is not enough.
//!   Left to the device are null descriptors, and single words if [`Environment::robust`] is set.
//!
//! # What is device-specific
//! The order of float sums; unless [`Environment::exact`] is set, the bits of a NaN and the last bits of division,
//! square roots and transcendental functions; results that the language leaves undefined, such as reads of inactive
//! lanes. The misaligned part of an address is dropped.
//!
//! # Map
//! `opcode.rs`: numbers; `module.rs`: sections, types and constants; `emit.rs`: dispatches each instruction of the IR,
//! which `control.rs`, `scalar.rs`, `memory.rs`, `local.rs`, `texel.rs`, `conversion.rs`, `typed.rs`, `texture.rs`,
//! `sample.rs`, `wave.rs`, `derivative.rs`, `stage.rs` with its folder, `group.rs` and `builtin.rs` lower; `native.rs`:
//! mesh and amplification shaders before they are emitted; `reflect.rs`: information for the host; `text.rs`: a
//! listing.
//!
//! Deliberately absent: files, devices, optimisation (drivers optimise; the module only marks loops to unroll, and uses
//! relative reads).
#![forbid(unsafe_code)]

mod binding;
mod builtin;
mod control;
mod conversion;
mod derivative;
mod emit;
mod environment;
mod group;
mod local;
mod memory;
mod module;
mod native;
pub mod opcode;
mod print;
mod ray;
mod reflect;
mod sample;
mod scalar;
mod stage;
mod strip;
#[cfg(test)]
mod tests;
mod texel;
mod text;
mod texture;
mod typed;
mod wave;

pub use emit::{emit, emit_hull};
pub use environment::{
    Bound, Environment, Extension, Floats, Locations, Named, Numbering, Placed, Shift, Sizes,
    Vulkan, Written,
};
pub use ir::debug::{Debug, NoDebug, Position, Source};
pub use legalize::CannotEmit;
pub use reflect::{Binding, BindingKind, Push, Reflection, Warning};
pub use strip::strip;
pub use text::listing;

/// A module for a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    pub words: Vec<u32>,
    pub reflection: Reflection,
}

impl Emitted {
    /// The words as the bytes of a `.spv` file.
    pub fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|it| it.to_le_bytes()).collect()
    }
}
