//! Devices: an adapter together with the engine that runs its dispatches.

use std::fmt;
use std::sync::Arc;

use ir::exec::Unsupported;
use ops::intrinsics::Stage;
use ops::ray::Search;

use crate::engines::Backend;
use crate::engines::cpu::{CpuOptions, Native};
use crate::engines::cuda::Cuda;
use crate::engines::reference::Reference;
use crate::engines::vulkan::Vulkan;
use crate::pipeline::check_caps;
use crate::{Adapter, ComputePipeline, CudaGpu, Gpu, Isa, Missing, PipelineError, Shader};

/// The engines, which execute shaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// The reference engine, which is the specification.
    #[default]
    Interp,
    /// Machine code for the host.
    Cpu,
    /// A GPU through Vulkan.
    Vulkan,
    /// A GPU through CUDA.
    Cuda,
}

impl Engine {
    /// All engines, also those that are not available here.
    pub const ALL: [Engine; 4] = [Engine::Interp, Engine::Cpu, Engine::Vulkan, Engine::Cuda];

    /// The name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Interp => "interp",
            Engine::Cpu => "cpu",
            Engine::Vulkan => "vulkan",
            Engine::Cuda => "cuda",
        }
    }

    /// Whether it is available in this build and on this host.
    pub fn is_available(self) -> bool {
        match self {
            Engine::Interp => true,
            Engine::Cpu => Isa::best().is_some(),
            Engine::Vulkan => {
                Gpu::all().is_ok_and(|all| all.iter().any(|it| it.unusable.is_none()))
            }
            Engine::Cuda => {
                CudaGpu::all().is_ok_and(|all| all.iter().any(|it| it.unusable.is_none()))
            }
        }
    }

    /// The fastest engine available on this host without a GPU: machine code, otherwise the reference engine.
    pub fn fastest() -> Engine {
        if Engine::Cpu.is_available() { Engine::Cpu } else { Engine::Interp }
    }

    /// Why it is not available in this build or on this host.
    pub fn missing(self) -> Option<&'static str> {
        match self {
            Engine::Interp => None,
            Engine::Cpu => Isa::best().map_or(Isa::Avx2.missing(), |_| None),
            Engine::Vulkan => (!self.is_available())
                .then_some("no Vulkan device is usable here; `wavelane caps` says why"),
            Engine::Cuda => (!self.is_available())
                .then_some("no NVIDIA GPU is usable here; `wavelane caps` says why"),
        }
    }
}

/// An adapter together with the engine that runs its dispatches. Copies are the same device.
#[derive(Clone)]
pub struct Device {
    adapter: Adapter,
    pub(crate) backend: Arc<dyn Backend>,
}

impl Device {
    /// A device on the reference engine.
    pub fn new(adapter: Adapter) -> Device {
        Device::on(adapter, Arc::new(Reference::default()))
    }

    /// A device on the reference engine whose ray queries try every primitive of a scene: the definition of what they
    /// find, and much slower.
    pub(crate) fn with_brute_rays(adapter: Adapter) -> Device {
        Device::on(adapter, Arc::new(Reference { search: Search::BRUTE }))
    }

    /// A device on the given engine, if it is available in this build and on this host.
    pub fn with_engine(adapter: Adapter, engine: Engine) -> Result<Device, Unsupported> {
        match engine {
            Engine::Interp => Ok(Device::new(adapter)),
            Engine::Cpu => Device::with_cpu(adapter, CpuOptions::default()),
            Engine::Vulkan => Gpu::open(None).map(|gpu| Device::with_gpu(adapter, gpu)),
            Engine::Cuda => CudaGpu::open(None).map(|gpu| Device::with_cuda(adapter, gpu)),
        }
    }

    /// A device on the host's processor.
    pub fn with_cpu(adapter: Adapter, options: CpuOptions) -> Result<Device, Unsupported> {
        Ok(Device::on(adapter, Arc::new(Native::new(options)?)))
    }

    /// A device on a GPU, with the caps that the adapter and the GPU have in common.
    pub fn with_gpu(adapter: Adapter, gpu: Gpu) -> Device {
        Device::on(adapter, Arc::new(Vulkan::new(gpu)))
    }

    /// A device on an NVIDIA GPU, with the caps that the adapter and the GPU have in common.
    pub fn with_cuda(adapter: Adapter, gpu: CudaGpu) -> Device {
        Device::on(adapter, Arc::new(Cuda::new(gpu)))
    }

    fn on(adapter: Adapter, backend: Arc<dyn Backend>) -> Device {
        Device { adapter: backend.caps(adapter), backend }
    }

    /// The engine that runs dispatches, except those with a [`ComputePipeline::fallback`].
    pub fn engine(&self) -> Engine {
        self.backend.engine()
    }

    /// The options of the engine `cpu`, if the device uses it.
    pub fn cpu(&self) -> Option<&CpuOptions> {
        self.backend.cpu()
    }

    /// The GPU, if the device uses one through Vulkan.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.backend.gpu()
    }

    /// The GPU, if the device uses one through CUDA.
    pub fn cuda(&self) -> Option<&CudaGpu> {
        self.backend.cuda()
    }

    /// Whether dispatches run on a GPU, which schedules waves itself and drops what shaders print.
    pub fn is_gpu(&self) -> bool {
        self.gpu().is_some() || self.cuda().is_some()
    }

    /// Whether a dispatch on a GPU did not finish: nothing runs on the device any more, and only a new process can
    /// reliably open it again.
    pub fn is_lost(&self) -> bool {
        self.gpu().is_some_and(Gpu::is_lost) || self.cuda().is_some_and(CudaGpu::is_lost)
    }

    /// The caps.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// Creates a pipeline. The error names what the shader needs and the adapter lacks.
    pub fn create_compute_pipeline(
        &self,
        shader: &Shader,
    ) -> Result<ComputePipeline, PipelineError> {
        let module = &shader.module;
        let fail = |missing| Err(PipelineError::new(missing, module, &self.adapter));
        let adapter = &self.adapter;
        if module.stage != Stage::Compute {
            return fail(Missing::Stage);
        }
        let wave_sizes = match check_caps(module, adapter) {
            Ok(wave_sizes) => wave_sizes,
            Err(missing) => return fail(missing),
        };
        let program = self.backend.prepare(module);
        Ok(ComputePipeline {
            shader: shader.clone(),
            backend: self.backend.clone(),
            program,
            wave_sizes,
            examination: Arc::default(),
        })
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("adapter", &self.adapter.name)
            .field("engine", &self.backend)
            .finish()
    }
}
