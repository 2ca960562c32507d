//! Compiling and running shaders, in the shape of Direct3D.
//!
//! - A [`Shader`] is compiled from HLSL. A [`Device`] is an [`Adapter`], which says what it can do, with the [`Engine`]
//!   that does its work. A [`ComputePipeline`] is a shader on a device; creating one fails with the reason.
//! - A [`Buffer`], a [`Texture`] and a [`Sampler`] are made by the host. A [`ResourceTable`] binds them to the
//!   resources of a shader by name; they can be bound in several tables. Constants are set by name with
//!   [`ResourceTable::set`].
//! - A dispatch runs a pipeline on a table, a [`CommandList`] runs several dispatches as one submission. What they
//!   write is in the buffers; on a GPU it stays on the device until the host reads it.
//! - [`rays::BottomLevel`] and [`rays::TopLevel`] are acceleration structures for ray queries.
//! - [`ComputePipeline::examine`] runs a pipeline under the sanitizer.
//!
//! This crate is the only one that promises a stable interface. Failures are of four kinds, which are never mixed: a
//! *diagnostic* is about the program, *unsupported* about this device, a *trap* about the run, and a *bug* about this
//! library, which catches a panic from below once and returns it as a [`Bug`].
//!
//! Deliberately absent: files, the environment, terminals, threads. Text arrives through [`Includer`]; to end a run
//! early, set the cancellation flag of its [`Dispatch`].
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
// Unsafe code is in five places, which say why: `engines::vulkan` and `engines::cuda` call drivers, `foreign::vouched`
// takes the promise that they may run a module, `borrowed` takes addresses, and `draw::loops` calls functions compiled
// for instructions that the host has.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod adapter;
mod alias;
mod apart;
#[allow(unsafe_code, reason = "memory of hosts in other languages")]
mod borrowed;
mod buffer;
mod constants;
mod device;
mod dispatch;
pub mod draw;
mod engines;
mod examine;
pub mod feedback;
mod foreign;
pub mod graphics;
mod guard;
mod indirect;
#[doc(hidden)]
pub mod internal;
mod list;
mod memory;
mod missed;
mod passes;
mod pipeline;
mod plain;
mod preprocessed;
mod ptx;
pub mod rays;
mod reference;
mod shader;
mod spirv;
mod structs;
mod survey;
mod table;
mod trace;

pub use adapter::{Adapter, AdapterError, LaneCounts, RaytracingTier, SamplerFeedbackTier};
pub use borrowed::Borrowed;
pub use buffer::{Bindable, Buffer, BufferError, Texture};
pub use constants::{Constant, ConstantError, ConstantProblem, Number};
pub use cpu::Isa;
pub use device::{Device, Engine};
pub use dispatch::{Dispatch, DispatchError, MOST_GROUPS, MOST_THREADS, Measured};
pub use draw::{
    DepthTarget, Draw, DrawError, DrawStatistics, ExamineDrawError, IndexBuffer, MOST_MESH_GROUPS,
    RenderTarget, StageTables, VertexBuffer,
};
pub use engines::cpu::CpuOptions;
pub use engines::cuda::{CudaGpu, CudaInfo, JitLevel};
pub use engines::vulkan::{Gpu, GpuInfo, RayQueries};
pub use examine::ExamineError;
pub use foreign::{Foreign, ForeignError};
pub use graphics::{DrawCaps, GraphicsDesc, GraphicsError, GraphicsPipeline, InputElement};
pub use guard::Bug;
pub use list::{CommandList, ExecuteError};
pub use pipeline::{ComputePipeline, Missing, PipelineError};
pub use plain::Plain;
pub use shader::{Compilation, CompileError, Entries, NoIncludes, Shader};
pub use table::{BindError, BindProblem, ResourceTable};

pub use diag::{Cancel, Diagnostic, Level, SourceMap, Span};
pub use hlsl::{
    Denormals, Dialect, Includer, MatrixOrder, NotFound, OpaqueResource, Options, PushLayout,
    Stage, Version,
};
pub use ir::alias::{AliasError, AliasProblem};
pub use ir::exec::{
    ElementFormat, Failure, FormatScalar, LaneOrder, Lender, Schedule, TooLarge, Trap, Unsupported,
};
pub use ir::print::{PrintLog, Printed, PrintedLine};
pub use ir::{
    AddressKind, Chosen, Contents, Element, HostScalar, Member, Norm, Register, RegisterClass,
    Resource, ResourceKind, ResourceView, WaveSize, texture_name,
};
pub use ops::F16;
pub use ops::intrinsics::ShaderModel;
pub use ops::texture::Sampler;
pub use values::{Layout, MOST_BYTES, Scalar};

/// The settings of a run under the sanitizer, and its findings: see [`ComputePipeline::examine`].
pub mod sanitizer {
    pub use ::sanitizer::{
        Cause, DrawReport, ExitedThreads, Finding, FloatRoom, IntraWaveSync, Kind, LeftOut, Order,
        Plan, Progress, Reach, Reconvergence, Report, Rules, Seen, Site, Verdict,
    };
}

/// The parts of a [`Diagnostic`], its text, and the comments in a source that allow findings.
pub mod diagnostic {
    pub use ::diag::{
        Allow, Allows, Code, Fix, Frame, Help, Label, Stack, Style, render, render_all,
    };
}

/// Shaders as SPIR-V: see [`Shader::spirv`].
pub mod emit {
    pub use ::spirv::{
        Binding, BindingKind, Emitted, Environment, Extension, Numbering, Push, Reflection, Vulkan,
        Warning,
    };
    pub use legalize::CannotEmit;
}

/// Shaders as PTX for CUDA: see [`Shader::ptx`].
pub mod cuda {
    pub use ::ptx::{Kernel, KernelEnvironment};
    pub use legalize::CannotEmit;
}

/// Texels, shapes of textures and the state of samplers.
pub mod texture {
    pub use ops::texture::{
        Address, Channels, Comparison, Conversion, Dim, Encoding, Filter, Format, Sampler, Shape,
        Texel,
    };
}
