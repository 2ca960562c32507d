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
//! let compiled = Shader::compile("sum.hlsl", text, &Options::default(), &mut NoIncludes)?;
//! let shader = compiled.shader.expect("the text is right");
//! let pipeline = Device::new(Adapter::reference()).create_compute_pipeline(&shader)?;
//! let mut table = ResourceTable::new(&shader);
//! table.bind("Out", 0, Buffer { bytes: vec![0; 32], ..Buffer::default() })?;
//! pipeline.dispatch(&Dispatch { wave_size: Some(4), ..Dispatch::new([1, 1, 1]) }, &mut table)?;
//! assert_eq!(table.get("Out", 0).unwrap().bytes[..4], 6u32.to_le_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
// Only `vulkan` and `room` call what is unsafe; they say where and why.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod adapter;
mod compiled;
mod dispatch;
mod examine;
mod foreign;
mod guard;
mod layout;
mod pipeline;
pub mod reference;
mod resources;
pub mod room;
mod shader;
mod small;
mod spirv;
mod trace;
mod vulkan;

pub use adapter::{Adapter, AdapterError, LaneCounts, Options1, Options4};
pub use cpu::Isa;
pub use dispatch::{Dispatch, DispatchError, MOST_GROUPS, MOST_THREADS, Measured};
pub use examine::ExamineError;
pub use foreign::{Foreign, ForeignError};
pub use guard::Bug;
pub use layout::{Layout, Scalar};
pub use pipeline::{ComputePipeline, Device, Engine, Missing, PipelineError};
pub use resources::{BindError, BindProblem, MOST_BYTES, ResourceTable};
pub use shader::{Compilation, NoIncludes, Shader};
pub use trace::{TRACE_NAME, Trace, TracePoint};
pub use vulkan::{Gpu, GpuInfo};

pub use ::spirv as spirv_target;
pub use diag::{self, Diagnostic, Level, SourceMap, Span};
pub use hlsl::{Denormals, Dialect, Includer, MatrixOrder, Options, PushLayout, Stage, Version};
pub use ir::exec::{
    Buffer, Format, FormatScalar, LaneOrder, Schedule, TooLarge, Trap, Unsupported,
};
pub use ir::trace::Event as TraceEvent;
pub use ir::{
    Element, HostScalar, Member, Norm, Register, RegisterClass, Resource, ResourceKind, WaveSize,
};
pub use ops::intrinsics::ShaderModel;
pub use ops::{F16, texture};
pub use sanitizer::{
    self, ExitedThreads, Finding, FloatRoom, IntraWaveSync, Order, Plan, Progress, Reconvergence,
    Report, Seen, Verdict,
};
