//! Devices and pipelines: whether an adapter can run a shader, and at which widths.

use std::fmt;
use std::time::Duration;

use diag::Span;
use ir::exec::{LaneOrder, Unsupported};
use ir::{InstData, Module, Op};
use ops::Ty;
use ops::intrinsics::{ShaderModel, Stage};

use crate::compiled::Programs;
use crate::foreign::{Foreign, ForeignError};
use crate::vulkan::GpuPrograms;
use crate::{Adapter, Gpu, Isa, LaneCounts, Shader};

/// What runs the lanes.
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
    /// All engines that have a name, also those that are not built yet.
    pub const ALL: [Engine; 4] = [Engine::Interp, Engine::Cpu, Engine::Vulkan, Engine::Cuda];

    /// The word for it on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Interp => "interp",
            Engine::Cpu => "cpu",
            Engine::Vulkan => "vulkan",
            Engine::Cuda => "cuda",
        }
    }

    /// Whether this build has it, and the host can run it.
    pub fn is_available(self) -> bool {
        match self {
            Engine::Interp => true,
            Engine::Cpu => Isa::best().is_some(),
            Engine::Vulkan => {
                Gpu::all().is_ok_and(|all| all.iter().any(|it| it.unusable.is_none()))
            }
            Engine::Cuda => false,
        }
    }

    /// The fastest one that runs everything on any host: machine code, or else the reference engine.
    pub fn fastest() -> Engine {
        if Engine::Cpu.is_available() { Engine::Cpu } else { Engine::Interp }
    }

    /// Why this build and host do not have it.
    pub fn missing(self) -> Option<&'static str> {
        match self {
            Engine::Interp => None,
            Engine::Cpu => Isa::best().map_or(Isa::Avx2.missing(), |_| None),
            Engine::Vulkan => (!self.is_available())
                .then_some("no device of Vulkan can be used here; `wavelane caps` says why"),
            Engine::Cuda => Some("it is not built yet"),
        }
    }
}

/// An adapter with the engine that does its work.
#[derive(Clone, Debug)]
pub struct Device {
    adapter: Adapter,
    engine: Engine,
    isa: Option<Isa>,
    threads: usize,
    leaves_small: bool,
    gpu: Option<Gpu>,
}

impl Device {
    /// A device on the reference engine.
    pub fn new(adapter: Adapter) -> Device {
        Device {
            adapter,
            engine: Engine::Interp,
            isa: Isa::best(),
            threads: 1,
            leaves_small: false,
            gpu: None,
        }
    }

    /// A device on the engine of your choice, if this build has it.
    pub fn with_engine(adapter: Adapter, engine: Engine) -> Result<Device, Unsupported> {
        if engine == Engine::Vulkan {
            return Gpu::open(None).map(|gpu| Device::with_gpu(adapter, gpu));
        }
        let Some(missing) = engine.missing() else {
            return Ok(Device { engine, ..Device::new(adapter) });
        };
        let instead = match engine {
            Engine::Cpu => "`interp` runs anywhere",
            _ => "`interp`, `cpu` and `vulkan` are",
        };
        let asked = format!("the engine `{}`", engine.name());
        Err(Unsupported { asked, missing: format!("{missing}; {instead}") })
    }

    /// Which instructions the engine `cpu` uses; `None` where the host has none that it could.
    pub fn isa(&self) -> Option<Isa> {
        self.isa
    }

    /// How many threads the engine `cpu` uses.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// What runs the lanes, unless a dispatch has a [`ComputePipeline::fallback`].
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// A device on a GPU, with the caps that both the adapter and the GPU have.
    pub fn with_gpu(adapter: Adapter, gpu: Gpu) -> Device {
        let adapter = adapter.within(gpu.adapter());
        Device { engine: Engine::Vulkan, gpu: Some(gpu), ..Device::new(adapter) }
    }

    /// Which instructions the engine `cpu` uses, if the host has them.
    pub fn with_isa(self, isa: Isa) -> Result<Device, Unsupported> {
        match isa.missing() {
            None => Ok(Device { isa: Some(isa), ..self }),
            Some(missing) => Err(Unsupported {
                asked: format!("code for `{}`", isa.name()),
                missing: missing.to_owned(),
            }),
        }
    }

    /// How many threads the engine `cpu` uses. With one the order of groups and waves is the canonical one.
    pub fn with_threads(self, threads: usize) -> Device {
        Device { threads: threads.max(1), ..self }
    }

    /// Lets the reference engine run what is small, where the engine `cpu` would take longer to make code than to run it.
    /// The results are the same.
    pub fn leaving_small_dispatches(self) -> Device {
        Device { leaves_small: true, ..self }
    }

    /// The GPU, where one does the work.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.as_ref()
    }

    /// The caps.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// Makes a pipeline, or says what the shader needs that the adapter does not have.
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
        if module.shader_model > adapter.shader_model {
            return fail(Missing::ShaderModel {
                needs: module.shader_model,
                has: adapter.shader_model,
            });
        }
        let needs = module.needs;
        if needs.wave_ops && !adapter.options1.wave_ops {
            return fail(Missing::WaveOps);
        }
        if needs.int64 && !adapter.options1.int64_shader_ops {
            return fail(Missing::Int64);
        }
        if needs.native_16bit && !adapter.options4.native_16bit_shader_ops {
            return fail(Missing::Native16Bit);
        }
        if needs.double && !adapter.double_precision_float_shader_ops {
            return fail(Missing::Double);
        }
        let has = adapter.options1.wave_lane_count;
        let wave_sizes: Vec<u32> = has.iter().filter(|it| wanted(module).contains(*it)).collect();
        if wave_sizes.is_empty() {
            return fail(Missing::WaveSize { needs: wanted(module), has });
        }
        let runner = match (self.engine, self.isa, &self.gpu) {
            (Engine::Cpu, Some(isa), _) => {
                let module = module.clone();
                Runner::Cpu(Programs::new(module, isa, self.threads, self.leaves_small))
            }
            (Engine::Vulkan, _, Some(gpu)) => {
                Runner::Gpu(GpuPrograms::new(gpu.clone(), module.clone()))
            }
            _ => Runner::Reference,
        };
        Ok(ComputePipeline { shader: shader.clone(), runner, wave_sizes })
    }
}

impl Device {
    /// A pipeline that runs another compiler's module in the place of the shader, bound as the shader is. For GPUs alone.
    ///
    /// A driver takes a module at its word: see [`Foreign`].
    pub fn create_foreign_pipeline(
        &self,
        shader: &Shader,
        foreign: &Foreign,
    ) -> Result<ComputePipeline, ForeignError> {
        let Some(gpu) = &self.gpu else {
            let what = "only the engine `vulkan` runs modules of other compilers".to_owned();
            return Err(ForeignError::Unsupported(what));
        };
        let pipeline = self.create_compute_pipeline(shader).map_err(ForeignError::Pipeline)?;
        let emitted = foreign.emitted(shader)?;
        let programs = GpuPrograms::of_words(gpu.clone(), shader.module.clone(), emitted);
        Ok(ComputePipeline { runner: Runner::Gpu(programs), ..pipeline })
    }
}

/// The widths that a module's `[WaveSize]` allows.
fn wanted(module: &Module) -> LaneCounts {
    let size = module.wave_size;
    match (size.min, size.max) {
        (0, _) => LaneCounts { min: 4, max: 128 },
        (only, 0) => LaneCounts { min: only, max: only },
        (min, max) => LaneCounts { min, max },
    }
}

/// What runs the lanes of a pipeline.
#[derive(Clone, Debug)]
pub(crate) enum Runner {
    Reference,
    Cpu(Programs),
    Gpu(GpuPrograms),
}

/// The order in which threads are dealt to lanes where nobody asks for another.
pub(crate) fn natural_order(module: &Module) -> LaneOrder {
    let [x, y, _] = module.group_size;
    let squares = x % 2 == 0 && y % 2 == 0;
    let modern = module.shader_model >= ShaderModel::V6_6;
    if module.needs.quads && squares && modern { LaneOrder::Quad2d } else { LaneOrder::Linear }
}

/// A shader that its device can run.
#[derive(Clone, Debug)]
pub struct ComputePipeline {
    pub(crate) shader: Shader,
    pub(crate) runner: Runner,
    /// Invariant: ascending and not empty.
    wave_sizes: Vec<u32>,
}

impl ComputePipeline {
    /// The widths that both the shader and the adapter allow, ascending; at least one.
    pub fn wave_sizes(&self) -> &[u32] {
        &self.wave_sizes
    }

    /// The width of a dispatch that does not ask for one: what `[WaveSize]` prefers, or else the smallest it allows;
    /// without the attribute 32, or else the smallest of the adapter.
    pub fn default_wave_size(&self) -> u32 {
        let attribute = self.shader.module.wave_size;
        let preferred = match (attribute.min, attribute.preferred) {
            (0, _) => 32,
            (_, preferred) => preferred,
        };
        if self.wave_sizes.contains(&preferred) { preferred } else { self.wave_sizes[0] }
    }

    /// What [`crate::Dispatch::progress`] counts up to: every wave and every group.
    pub fn steps(&self, groups: [u32; 3], wave_size: u32) -> u64 {
        let groups = groups.iter().fold(1, |all: u64, it| all.saturating_mul(u64::from(*it)));
        let waves = self.shader.module.threads_per_group().div_ceil(wave_size.max(1));
        groups.saturating_mul(u64::from(waves) + 1)
    }

    /// The lane order of a dispatch that does not ask for one: squares of threads where the shader uses quads in two
    /// dimensions and is of shader model 6.6 or later.
    pub fn default_lane_order(&self) -> LaneOrder {
        natural_order(&self.shader.module)
    }

    /// How long the last dispatch took by the device's own clock, where it has one.
    pub fn device_time(&self) -> Option<Duration> {
        match &self.runner {
            Runner::Gpu(programs) => programs.last_time(),
            Runner::Reference | Runner::Cpu(_) => None,
        }
    }
}

/// What a shader needs and its device does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// The shader is not a compute shader.
    Stage,
    /// The shader is of a higher shader model.
    ShaderModel {
        /// The shader's.
        needs: ShaderModel,
        /// The adapter's highest.
        has: ShaderModel,
    },
    /// Wave or quad operations are used, and the adapter has no `WaveOps`.
    WaveOps,
    /// 64-bit integers are used, and the adapter has no `Int64ShaderOps`.
    Int64,
    /// 16-bit types are used, and the adapter has no `Native16BitShaderOps`.
    Native16Bit,
    /// `double` is used, and the adapter has no `DoublePrecisionFloatShaderOps`.
    Double,
    /// No width that `[WaveSize]` allows is one of the adapter's.
    WaveSize {
        /// What `[WaveSize]` allows.
        needs: LaneCounts,
        /// What the adapter has.
        has: LaneCounts,
    },
}

/// Why there is no pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineError {
    /// What is missing.
    pub missing: Missing,
    /// Where the shader first needs it, if that is one place.
    pub span: Span,
    entry: String,
    adapter: String,
}

impl PipelineError {
    fn new(missing: Missing, module: &Module, adapter: &Adapter) -> PipelineError {
        let uses = |inst: &InstData, types: &[Ty]| {
            inst.results.iter().any(|value| types.contains(&module.ty(*value)))
        };
        let needs_it = |inst: &&InstData| match missing {
            Missing::WaveOps => matches!(inst.op, Op::Wave { .. }),
            Missing::Int64 => uses(inst, &[Ty::I64]),
            Missing::Native16Bit => uses(inst, &[Ty::I16, Ty::F16]),
            Missing::Double => uses(inst, &[Ty::F64]),
            Missing::Stage | Missing::ShaderModel { .. } | Missing::WaveSize { .. } => false,
        };
        let places = module.insts.iter().filter(needs_it).map(|inst| inst.span);
        let first = places.filter(|span| !span.is_none()).min_by_key(|span| span.lo);
        let span = first.unwrap_or(Span::NONE);
        PipelineError { missing, span, entry: module.name.clone(), adapter: adapter.name.clone() }
    }

    /// What would help, if anything does.
    pub fn remedy(&self) -> Option<String> {
        match self.missing {
            Missing::Stage => {
                Some("compile a compute shader, with a profile such as `cs_6_6`".to_owned())
            }
            Missing::ShaderModel { has, .. } => {
                Some(format!("compile it for shader model {has} or lower"))
            }
            Missing::WaveOps => Some(
                "a shader that must run there needs a variant without wave operations".to_owned(),
            ),
            Missing::WaveSize { has, .. } => Some(format!("allow one of its widths: {has}")),
            Missing::Int64 | Missing::Native16Bit | Missing::Double => None,
        }
    }
}

impl fmt::Display for PipelineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PipelineError { entry, adapter, .. } = self;
        let cap = |f: &mut fmt::Formatter<'_>, uses: &str, cap: &str| {
            write!(f, "`{entry}` uses {uses}, but the adapter `{adapter}` lacks the cap {cap}")
        };
        match self.missing {
            Missing::Stage => write!(
                f,
                "`{entry}` is not a compute shader, and pipelines of other kinds are not built yet"
            ),
            Missing::ShaderModel { needs, has } => {
                write!(
                    f,
                    "`{entry}` is of shader model {needs}, but the adapter `{adapter}` takes {has} at most"
                )
            }
            Missing::WaveOps => cap(f, "wave operations", "WaveOps"),
            Missing::Int64 => cap(f, "64-bit integers", "Int64ShaderOps"),
            Missing::Native16Bit => cap(f, "native 16-bit types", "Native16BitShaderOps"),
            Missing::Double => cap(f, "`double`", "DoublePrecisionFloatShaderOps"),
            Missing::WaveSize { needs, has } => {
                write!(
                    f,
                    "`{entry}` wants waves of {needs} lanes by its `[WaveSize]`, but the adapter `{adapter}` has {has}"
                )
            }
        }
    }
}

impl std::error::Error for PipelineError {}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use ir::{Needs, WaveSize};

    fn shader(wave_size: WaveSize, needs: Needs) -> Shader {
        let module = Module {
            name: "main".to_owned(),
            shader_model: ShaderModel::V6_6,
            group_size: [8, 8, 1],
            wave_size,
            needs,
            ..Module::empty()
        };
        Shader { module: Arc::new(module), name: "test".into(), specialization: Arc::default() }
    }

    fn adapter(min: u32, max: u32) -> Adapter {
        let mut adapter = Adapter::reference();
        adapter.options1.wave_lane_count = LaneCounts { min, max };
        adapter
    }

    fn size(min: u32, max: u32, preferred: u32) -> WaveSize {
        WaveSize { min, max, preferred }
    }

    #[test]
    fn widths_are_those_of_both_shader_and_adapter() {
        for (attribute, lanes, widths, default) in [
            (size(0, 0, 0), (4, 128), &[4, 8, 16, 32, 64, 128][..], 32),
            (size(0, 0, 0), (4, 16), &[4, 8, 16], 4),
            (size(0, 0, 0), (64, 128), &[64, 128], 64),
            (size(16, 0, 0), (4, 128), &[16], 16),
            (size(8, 64, 0), (4, 128), &[8, 16, 32, 64], 8),
            (size(8, 64, 16), (4, 128), &[8, 16, 32, 64], 16),
            (size(8, 64, 16), (32, 128), &[32, 64], 32),
        ] {
            let device = Device::new(adapter(lanes.0, lanes.1));
            let pipeline =
                device.create_compute_pipeline(&shader(attribute, Needs::default())).unwrap();
            assert_eq!(pipeline.wave_sizes(), widths, "{attribute:?}");
            assert_eq!(pipeline.default_wave_size(), default, "{attribute:?}");
        }
    }

    #[test]
    fn pipelines_fail_with_what_is_missing() {
        let fails = |adapter: Adapter, attribute: WaveSize, needs: Needs| {
            let error = Device::new(adapter)
                .create_compute_pipeline(&shader(attribute, needs))
                .unwrap_err();
            assert!(error.to_string().contains("`main`"), "{error}");
            error.missing
        };
        let none = Needs::default();
        let needs = LaneCounts { min: 16, max: 16 };
        let has = LaneCounts { min: 32, max: 64 };
        assert_eq!(fails(adapter(32, 64), size(16, 0, 0), none), Missing::WaveSize { needs, has });
        let needs = LaneCounts { min: 4, max: 16 };
        assert_eq!(fails(adapter(32, 64), size(4, 16, 8), none), Missing::WaveSize { needs, has });

        let mut poor = adapter(4, 128);
        poor.options1.wave_ops = false;
        poor.options1.int64_shader_ops = false;
        poor.options4.native_16bit_shader_ops = false;
        poor.double_precision_float_shader_ops = false;
        let any = size(0, 0, 0);
        assert_eq!(fails(poor.clone(), any, Needs { wave_ops: true, ..none }), Missing::WaveOps);
        assert_eq!(fails(poor.clone(), any, Needs { int64: true, ..none }), Missing::Int64);
        assert_eq!(
            fails(poor.clone(), any, Needs { native_16bit: true, ..none }),
            Missing::Native16Bit
        );
        assert_eq!(fails(poor.clone(), any, Needs { double: true, ..none }), Missing::Double);
        poor.shader_model = ShaderModel::V6_5;
        let (needs, has) = (ShaderModel::V6_6, ShaderModel::V6_5);
        assert_eq!(fails(poor.clone(), any, none), Missing::ShaderModel { needs, has });
        poor.shader_model = ShaderModel::V6_6;
        assert!(Device::new(poor).create_compute_pipeline(&shader(any, none)).is_ok());
    }

    #[test]
    fn squares_of_threads_are_for_shaders_that_use_quads() {
        let order = |needs| {
            let shader = shader(size(0, 0, 0), needs);
            let pipeline =
                Device::new(Adapter::reference()).create_compute_pipeline(&shader).unwrap();
            pipeline.default_lane_order()
        };
        assert_eq!(order(Needs::default()), LaneOrder::Linear);
        assert_eq!(order(Needs { quads: true, ..Needs::default() }), LaneOrder::Quad2d);
    }
}
