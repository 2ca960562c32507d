//! Compiling and running shaders, in the shape of Direct3D: an [`Adapter`] with caps, a [`Device`] on it, a [`Shader`],
//! a [`ComputePipeline`] that fails with reasons, and dispatches on a [`ResourceTable`].
//!
//! This crate is the only one that promises a stable interface. It catches a panic from below once and gives it out as a
//! [`Bug`]: a caller sees four kinds of failure, which are never mixed. A *diagnostic* is about the program, *unsupported*
//! about this device, a *trap* about the run, and a *bug* about us.
//!
//! Deliberately absent: files, the environment, terminals, threads. Text arrives through [`Includer`], and whoever wants a
//! time-out sets the cancellation flag of a [`Dispatch`].
//!
//! ```
//! use wavelane::*;
//!
//! let text = "RWStructuredBuffer<uint> Out;
//!     [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = WaveActiveSum(i); }";
//! let shader = Shader::compile("sum.hlsl", text, &Options::default(), &mut NoIncludes)?.shader()?;
//! let pipeline = Device::new(Adapter::reference()).create_compute_pipeline(&shader)?;
//! let out = Buffer::zeroed::<u32>(8);
//! let mut table = ResourceTable::new(&shader);
//! table.bind("Out", &out)?;
//! pipeline.dispatch(&Dispatch { wave_size: Some(4), ..Dispatch::new([1, 1, 1]) }, &table)?;
//! assert_eq!(out.read::<u32>()?, [6, 6, 6, 6, 22, 22, 22, 22]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
// Only `vulkan` and `room` call what is unsafe; they say where and why.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod adapter;
mod buffer;
mod constants;
mod device;
mod dispatch;
mod engines;
mod examine;
mod foreign;
mod guard;
#[doc(hidden)]
pub mod internal;
mod layout;
mod list;
mod memory;
mod pipeline;
mod plain;
mod reference;
pub mod room;
mod shader;
mod spirv;
mod table;
mod trace;

pub use adapter::{Adapter, AdapterError, LaneCounts, Options1, Options4};
pub use buffer::{Bindable, Buffer, BufferError, Texture};
pub use constants::{Constant, ConstantError, ConstantProblem, Number};
pub use cpu::Isa;
pub use device::{Device, Engine};
pub use dispatch::{Dispatch, DispatchError, MOST_GROUPS, MOST_THREADS, Measured};
pub use engines::cpu::CpuOptions;
pub use engines::vulkan::{Gpu, GpuInfo};
pub use examine::ExamineError;
pub use foreign::{Foreign, ForeignError};
pub use guard::Bug;
pub use layout::{Layout, Scalar};
pub use list::{CommandList, ExecuteError};
pub use pipeline::{ComputePipeline, Missing, PipelineError};
pub use plain::Plain;
pub use shader::{Compilation, CompileError, NoIncludes, Shader};
pub use table::{BindError, BindProblem, MOST_BYTES, ResourceTable};

pub use diag::{Diagnostic, Level, SourceMap, Span};
pub use hlsl::{Denormals, Dialect, Includer, MatrixOrder, Options, PushLayout, Stage, Version};
pub use ir::exec::{
    Failure, Format, FormatScalar, LaneOrder, Schedule, TooLarge, Trap, Unsupported,
};
pub use ir::{
    Element, HostScalar, Member, Norm, Register, RegisterClass, Resource, ResourceKind, WaveSize,
};
pub use ops::F16;
pub use ops::intrinsics::ShaderModel;
pub use ops::texture::Sampler;
pub use sanitizer::{Finding, Plan, Report};

/// Texels, shapes of textures and the state of samplers.
pub mod texture {
    pub use ops::texture::{
        Address, Channels, Comparison, Dim, Encoding, Filter, Format, Sampler, Shape, Texel,
    };
}
