//! Pipelines: whether an adapter can run a shader, and at which widths.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use diag::Span;
use ir::exec::LaneOrder;
use ir::{InstData, Module, Op};
use ops::Ty;
use ops::intrinsics::ShaderModel;

use crate::engines::{Backend, Program};
use crate::examine::Examination;
use crate::{Adapter, LaneCounts, RaytracingTier, SamplerFeedbackTier, Shader};

/// The widths that a module's `[WaveSize]` allows.
pub(crate) fn wanted(module: &Module) -> LaneCounts {
    let size = module.wave_size;
    match (size.min, size.max) {
        (0, _) => LaneCounts { min: 4, max: 128 },
        (only, 0) => LaneCounts { min: only, max: only },
        (min, max) => LaneCounts { min, max },
    }
}

/// The widths at which an adapter can run a module, ascending and at least one; otherwise what is missing.
pub(crate) fn check_caps(module: &Module, adapter: &Adapter) -> Result<Vec<u32>, Missing> {
    if module.shader_model > adapter.shader_model {
        let (needs, has) = (module.shader_model, adapter.shader_model);
        return Err(Missing::ShaderModel { needs, has });
    }
    let needs = module.needs;
    if needs.wave_ops && !adapter.wave_ops {
        return Err(Missing::WaveOps);
    }
    if needs.int64 && !adapter.int64_shader_ops {
        return Err(Missing::Int64);
    }
    if needs.native_16bit && !adapter.native_16bit_shader_ops {
        return Err(Missing::Native16Bit);
    }
    if needs.double && !adapter.double_precision_float_shader_ops {
        return Err(Missing::Double);
    }
    if !module.queries.is_empty() && adapter.raytracing_tier < RaytracingTier::Tier1_1 {
        return Err(Missing::RayQueries);
    }
    let tier = adapter.sampler_feedback_tier;
    if tier < SamplerFeedbackTier::Tier0_9 && module.insts.iter().any(records_feedback) {
        return Err(Missing::SamplerFeedback);
    }
    // The output of a mesh shader is memory of its own.
    let needs = module.groupshared_bytes() - output_bytes(module);
    let has = adapter.max_group_shared_memory;
    if needs > u64::from(has) {
        return Err(Missing::GroupSharedMemory { needs, has });
    }
    let has = adapter.wave_lane_count;
    let wave_sizes: Vec<u32> = has.iter().filter(|it| wanted(module).contains(*it)).collect();
    if wave_sizes.is_empty() {
        return Err(Missing::WaveSize { needs: wanted(module), has });
    }
    Ok(wave_sizes)
}

fn records_feedback(inst: &InstData) -> bool {
    matches!(&inst.op, Op::Texture(it) if it.op.is_feedback())
}

/// The bytes of groupshared memory that hold the output of a mesh shader: the counts and the arrays behind them.
fn output_bytes(module: &Module) -> u64 {
    if module.group.is_none() {
        return 0;
    }
    let own = module.groupshared.iter().skip_while(|it| it.name != "$counts");
    own.map(|it| u64::from(it.len) * u64::from(it.ty.bytes())).sum()
}

/// A shader that its device can run.
#[derive(Clone, Debug)]
pub struct ComputePipeline {
    pub(crate) shader: Shader,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) program: Arc<dyn Program>,
    /// Invariant: ascending and not empty.
    pub(crate) wave_sizes: Vec<u32>,
    /// Made when the sanitizer first examines the pipeline.
    pub(crate) examination: Arc<OnceLock<Examination>>,
}

impl ComputePipeline {
    /// The widths that both the shader and the adapter allow, ascending; at least one.
    pub fn wave_sizes(&self) -> &[u32] {
        &self.wave_sizes
    }

    /// The default width of a dispatch: the one that `[WaveSize]` prefers, otherwise the smallest it allows; without
    /// the attribute, 32 or otherwise the adapter's smallest.
    pub fn default_wave_size(&self) -> u32 {
        let attribute = self.shader.module.wave_size;
        let preferred = match (attribute.min, attribute.preferred) {
            (0, _) => 32,
            (_, preferred) => preferred,
        };
        if self.wave_sizes.contains(&preferred) { preferred } else { self.wave_sizes[0] }
    }

    /// The final value of [`crate::Dispatch::progress`]: the number of waves and groups.
    pub fn steps(&self, groups: [u32; 3], wave_size: u32) -> u64 {
        let groups = groups.iter().fold(1, |all: u64, it| all.saturating_mul(u64::from(*it)));
        let waves = self.shader.module.threads_per_group().div_ceil(wave_size.max(1));
        groups.saturating_mul(u64::from(waves) + 1)
    }

    /// The default lane order of a dispatch: squares of threads if the shader uses quads in two dimensions and has
    /// shader model 6.6 or later.
    pub fn default_lane_order(&self) -> LaneOrder {
        LaneOrder::natural(&self.shader.module)
    }

    /// The duration of the last dispatch by the device's clock, if it has one.
    pub fn device_time(&self) -> Option<Duration> {
        self.program.device_time()
    }
}

/// What a shader needs and its device does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// The shader is not a compute shader: [`crate::GraphicsDesc`] takes vertex and pixel shaders.
    Stage,
    /// The shader has a higher shader model.
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
    /// Ray queries are used, and the adapter has no `RaytracingTier` 1.1.
    RayQueries,
    /// Sampler feedback is recorded, and the adapter has no `SamplerFeedbackTier`.
    SamplerFeedback,
    /// No width that `[WaveSize]` allows is one of the adapter's.
    WaveSize {
        /// What `[WaveSize]` allows.
        needs: LaneCounts,
        /// What the adapter has.
        has: LaneCounts,
    },
    /// A group uses more groupshared memory than the adapter has for it.
    GroupSharedMemory {
        /// The bytes that the shader's groupshared variables take.
        needs: u64,
        /// The adapter's `MaxGroupSharedMemoryPerGroupCS`.
        has: u32,
    },
}

/// Why there is no pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineError {
    /// What is missing.
    pub missing: Missing,
    /// Where the shader first needs it, if there is such a place.
    pub span: Span,
    entry: String,
    adapter: String,
}

impl PipelineError {
    pub(crate) fn new(missing: Missing, module: &Module, adapter: &Adapter) -> PipelineError {
        let uses = |inst: &InstData, types: &[Ty]| {
            inst.results.iter().any(|value| types.contains(&module.ty(*value)))
        };
        let needs_it = |inst: &&InstData| match missing {
            Missing::WaveOps => matches!(inst.op, Op::Wave { .. }),
            Missing::Int64 => uses(inst, &[Ty::I64]),
            Missing::Native16Bit => uses(inst, &[Ty::I16, Ty::F16]),
            Missing::Double => uses(inst, &[Ty::F64]),
            Missing::RayQueries => matches!(inst.op, Op::Ray(_)),
            Missing::SamplerFeedback => records_feedback(inst),
            Missing::Stage
            | Missing::ShaderModel { .. }
            | Missing::WaveSize { .. }
            | Missing::GroupSharedMemory { .. } => false,
        };
        let places = module.insts.iter().filter(needs_it).map(|inst| inst.span);
        let first = places.filter(|span| !span.is_none()).min_by_key(|span| span.lo);
        let span = first.unwrap_or(Span::NONE);
        PipelineError { missing, span, entry: module.name.clone(), adapter: adapter.name.clone() }
    }

    /// A remedy, if there is one.
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
            Missing::Int64
            | Missing::Native16Bit
            | Missing::Double
            | Missing::RayQueries
            | Missing::SamplerFeedback
            | Missing::GroupSharedMemory { .. } => None,
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
            Missing::Stage => {
                write!(f, "`{entry}` is not a compute shader, and cannot be dispatched")
            }
            Missing::ShaderModel { needs, has } => {
                write!(
                    f,
                    "`{entry}` has shader model {needs}, but the adapter `{adapter}` supports at most {has}"
                )
            }
            Missing::WaveOps => cap(f, "wave operations", "WaveOps"),
            Missing::Int64 => cap(f, "64-bit integers", "Int64ShaderOps"),
            Missing::Native16Bit => cap(f, "native 16-bit types", "Native16BitShaderOps"),
            Missing::Double => cap(f, "`double`", "DoublePrecisionFloatShaderOps"),
            Missing::RayQueries => cap(f, "ray queries", "RaytracingTier 1.1"),
            Missing::SamplerFeedback => cap(f, "sampler feedback", "SamplerFeedbackTier"),
            Missing::WaveSize { needs, has } => {
                write!(
                    f,
                    "`{entry}` requires waves of {needs} lanes by its `[WaveSize]`, but the adapter `{adapter}` has {has}"
                )
            }
            Missing::GroupSharedMemory { needs, has } => {
                write!(
                    f,
                    "`{entry}` uses {needs} bytes of groupshared memory, but the adapter `{adapter}` has {has} for a group"
                )
            }
        }
    }
}

impl std::error::Error for PipelineError {}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Device;
    use ir::{Needs, WaveSize};

    pub(crate) fn empty_module() -> Module {
        Module {
            name: "main".to_owned(),
            shader_model: ShaderModel::V6_6,
            group_size: [8, 8, 1],
            ..Module::empty()
        }
    }

    fn shader(wave_size: WaveSize, needs: Needs) -> Shader {
        let module = Module { wave_size, needs, ..empty_module() };
        Shader {
            module: Arc::new(module),
            name: "test".into(),
            specialization: Arc::default(),
            patch: None,
            unreached: Arc::default(),
        }
    }

    fn adapter(min: u32, max: u32) -> Adapter {
        let mut adapter = Adapter::reference();
        adapter.wave_lane_count = LaneCounts { min, max };
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
        poor.wave_ops = false;
        poor.int64_shader_ops = false;
        poor.native_16bit_shader_ops = false;
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
        assert!(Device::new(poor.clone()).create_compute_pipeline(&shader(any, none)).is_ok());

        poor.max_group_shared_memory = 1024;
        let mut tiled = shader(any, none);
        let (name, span) = ("tile".to_owned(), Span::NONE);
        let tile = ir::Memory { name, ty: Ty::F32, len: 257, span };
        let groupshared = [tile].into_iter().collect();
        tiled.module = Arc::new(Module { groupshared, ..empty_module() });
        let error = Device::new(poor.clone()).create_compute_pipeline(&tiled).unwrap_err();
        assert_eq!(error.missing, Missing::GroupSharedMemory { needs: 1028, has: 1024 });
        poor.max_group_shared_memory = 1028;
        assert!(Device::new(poor).create_compute_pipeline(&tiled).is_ok());
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
