//! The PTX back end for CUDA: a pure function from a module and an [`KernelEnvironment`] to the text of a kernel.
//!
//! # What is preserved, and how
//! - **Active sets.** They are flags, not masks. All 32 threads of a warp walk through the code that can observe the
//!   active set, and a predicate says which of them are active; so every `.sync` instruction has the constant mask -1
//!   and is executed by all 32. The hardware is never asked for its active threads. `control.rs` says why this is
//!   exact.
//! - **Arithmetic.** IEEE 754 operations are the hardware's, with their rounding written out; `legalize` has expanded
//!   what PTX lacks or leaves open ([`legalize::Target::cuda`]). Nothing is approximate and denormals are kept.
//! - **Bounds.** CUDA has no robust access: an address outside a buffer ends the context. Every access to a buffer is
//!   predicated on the comparison that `legalize` has written out, unless it is in bounds in all threads of the
//!   dispatch that the kernel is for.
//! - **Widths.** A warp holds one wave of 32 lanes, or several of 16, 8 or 4 side by side. They execute together; each
//!   lane has its own predicate, so only wave operations must distinguish them: these take the part of a vote that
//!   belongs to the wave, and shuffle within segments of a warp. A thread holds two lanes of a wave of 64 lanes, and
//!   four of one of 128: `legalize` has made a module of them ([`legalize::in_slots`]), so that nothing here differs.
//! - **Order.** Statements that lanes execute together are ordered, also between lanes: a `bar.warp.sync -1`
//!   separates an access to shared memory from a later one that may conflict with it.
//!
//! # Kernel interface
//! A block is one thread group, or [`Kernel::coarse`] of them: one-dimensional, padded to whole warps. The only
//! parameter is an array of descriptors of [`DESCRIPTOR_BYTES`] bytes, one for each used resource in the order of
//! [`Kernel::slots`]: the address of its bytes, the address of its hidden counter, its size in bytes, and the number of
//! elements of its array. The address of a resource array is that of a table of such descriptors.
//! A texture is its bytes, level by level, and an element of its array has a record of its shape; see
//! [`Kernel::extras`].
//!
//! # Map
//! `emit.rs`: dispatches each instruction; `control.rs`, `natural.rs`: control flow; `scalar.rs`, `division.rs`,
//! `wave.rs`, `memory.rs`, `local.rs`, `thread.rs`: lowerings; `text.rs`: registers, operands and lines.
//!
//! Deliberately absent: files, devices, texture hardware, the inputs and outputs of a draw;
//! optimisation, except what the driver's assembler does not do: it neither divides by constants without a division,
//! nor unrolls loops that lanes leave early, nor selects where there are branches, nor runs several groups in a block.
#![forbid(unsafe_code)]

mod control;
mod division;
mod emit;
mod environment;
mod local;
mod memory;
mod natural;
mod scalar;
mod text;
mod thread;
mod wave;

pub use emit::emit;
pub use environment::KernelEnvironment;
pub use legalize::{
    CannotEmit, Dispatch, Extra, coarse_groups, formats as texture_formats, merged_record,
};

/// The threads of a warp.
pub const LANES: u32 = legalize::SLOT_LANES;

/// The lanes of the widest wave.
pub const MOST_LANES: u32 = 128;

/// The size of a descriptor in the parameter and in the tables of resource arrays: the address of the bytes (64 bits),
/// the address of the hidden counter (64), the size in bytes (32), and the number of array elements (32).
pub const DESCRIPTOR_BYTES: u32 = 24;

/// The most groupshared memory of a block, in bytes, that a kernel can declare.
pub const MOST_GROUPSHARED: u64 = 48 << 10;

impl Kernel {
    /// What a slot contains, if the host makes it.
    pub fn extra(&self, module: &ir::Module, slot: ir::Binding) -> Option<&Extra> {
        self.extras.get(slot.index().checked_sub(module.resources.len())?)
    }

    /// The groups that are left of those of a dispatch if a block runs several.
    pub fn coarse_groups(&self, groups: [u32; 3]) -> [u32; 3] {
        coarse_groups(groups, self.coarse)
    }
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    pub text: String,
    /// The name of the kernel.
    pub entry: String,
    /// The resource of each descriptor in the parameter. Those after the module's own are `extras`.
    pub slots: Vec<ir::Binding>,
    /// What the host adds to the module's resources: records of the shapes of textures and the states of samplers.
    pub extras: Vec<Extra>,
    /// The slot for the record of a dispatch ([`merged_record`]), if groups run in turn: then the grid has one axis,
    /// and any number of blocks.
    pub record: Option<ir::Binding>,
    /// The threads of a block: those of a group, padded to whole warps.
    pub threads: u32,
    /// The groups on the first axis that a block runs: see [`coarse_groups`].
    pub coarse: u32,
}
