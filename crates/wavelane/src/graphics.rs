//! Graphics pipelines: shaders and the state of the fixed functions, in the shape of Direct3D's.
//!
//! Creation checks everything that does not depend on what a draw binds: caps, the signatures of all stages, and state
//! that contradicts itself or the formats of the targets.

mod between;
mod caps;
mod error;
mod link;

use std::sync::Arc;

use ir::exec::{Bindings, Launch};
use ir::packing::Told;
use ir::stage::{Element, SystemValue};
use ops::intrinsics::Stage;
use ops::texture::{Encoding, Format, Shape};

pub(crate) use self::between::{Between, Geometry, Mesh, Source, Step, Tessellation};
pub(crate) use self::caps::DEPTH_FORMATS;
pub use self::caps::DrawCaps;
pub use self::error::GraphicsError;
pub(crate) use self::link::{Link, VertexInput};

pub use raster::{
    Blend, BlendOp, Cull, DepthBias, DepthFormat, DepthState, DepthStencilState, Equation, Factor,
    IndexFormat, LogicOp, Packing, Samples, Scissor, StencilFace, StencilOp, StencilState,
    TargetState, Topology, Viewport,
};

use crate::engines::{Backend, Program};
use crate::guard::catch;
use crate::pipeline::check_caps;
use crate::{Adapter, BufferError, Device, Engine, PipelineError, Shader, Texture};

/// The most render targets of a draw.
pub const MOST_TARGETS: usize = 8;

/// One attribute of the input layout (`D3D12_INPUT_ELEMENT_DESC`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputElement {
    /// The semantic without its index; matched without regard to case.
    pub semantic: String,
    /// The index of the semantic.
    pub index: u32,
    /// How the attribute is stored.
    pub format: Format,
    /// The vertex buffer.
    pub slot: usize,
    /// Its place in an element of the buffer, in bytes.
    pub offset: usize,
    /// For per-instance data, how many instances share an element; 0 for all of them.
    pub step_rate: Option<u32>,
}

/// The state of the rasterizer (`D3D12_RASTERIZER_DESC`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RasterizerState {
    /// Which triangles are dropped.
    pub cull: Cull,
    /// Whether triangles whose vertices are counter-clockwise on the screen are front-facing, instead of the others.
    pub front_counter_clockwise: bool,
    /// What is added to the depths of triangles.
    pub depth_bias: DepthBias,
    /// Whether what lies in front of the near plane and behind the far plane is dropped.
    pub depth_clip: bool,
}

/// What a pipeline is made of (`D3D12_GRAPHICS_PIPELINE_STATE_DESC`).
#[derive(Clone, Debug)]
pub struct GraphicsDesc {
    /// The vertex shader, or a mesh shader in its place.
    pub vertex: Shader,
    /// The amplification shader, in front of a mesh shader.
    pub amplification: Option<Shader>,
    /// The hull shader, which needs a domain shader and a topology of patches.
    pub hull: Option<Shader>,
    /// The domain shader.
    pub domain: Option<Shader>,
    /// The geometry shader.
    pub geometry: Option<Shader>,
    /// The pixel shader; without one only depth and stencil are written.
    pub pixel: Option<Shader>,
    /// Where the inputs of the vertex shader come from.
    pub input_layout: Vec<InputElement>,
    /// How vertices form primitives.
    pub topology: Topology,
    /// The state of the rasterizer.
    pub rasterizer: RasterizerState,
    /// The depth and stencil tests.
    pub depth_stencil: DepthStencilState,
    /// How each target is written; those that are missing are written as they are.
    pub blend: Vec<TargetState>,
    /// Whether alpha decides how many samples are covered.
    pub alpha_to_coverage: bool,
    /// The formats of the targets; `None` where none is bound.
    pub targets: Vec<Option<Format>>,
    /// The format of the depth buffer.
    pub depth_format: Option<DepthFormat>,
    /// The samples of a pixel.
    pub samples: Samples,
    /// The samples that can be covered: bit s is sample s.
    pub sample_mask: u32,
    /// With a mesh shader: `SV_PrimitiveID` of pixels is the number of the group that made the primitive, whatever the
    /// shader says, for tools that show meshlets. A GPU refuses it.
    pub numbers_groups: bool,
}

/// Shaders and the state around them, which their device can run.
#[derive(Clone, Debug)]
pub struct GraphicsPipeline {
    pub(crate) desc: Arc<GraphicsDesc>,
    pub(crate) link: Arc<Link>,
    pub(crate) vertex: Arc<dyn Program>,
    pub(crate) between: Arc<Between>,
    pub(crate) pixel: Option<Arc<dyn Program>>,
    pub(crate) backend: Arc<dyn Backend>,
    /// Invariant: ascending and not empty.
    wave_sizes: Vec<u32>,
}

impl Default for RasterizerState {
    /// Nothing culled, clockwise triangles in front, no bias, depth clip.
    fn default() -> RasterizerState {
        RasterizerState {
            cull: Cull::None,
            front_counter_clockwise: false,
            depth_bias: DepthBias::default(),
            depth_clip: true,
        }
    }
}

impl GraphicsDesc {
    /// A pipeline of a vertex or mesh shader and a pixel shader that draws lists of triangles without vertex buffers,
    /// tests or targets.
    pub fn new(vertex: &Shader, pixel: Option<&Shader>) -> GraphicsDesc {
        GraphicsDesc {
            vertex: vertex.clone(),
            amplification: None,
            hull: None,
            domain: None,
            geometry: None,
            pixel: pixel.cloned(),
            input_layout: Vec::new(),
            topology: Topology::TriangleList,
            rasterizer: RasterizerState::default(),
            depth_stencil: DepthStencilState::default(),
            blend: Vec::new(),
            alpha_to_coverage: false,
            targets: Vec::new(),
            depth_format: None,
            samples: Samples::One,
            sample_mask: u32::MAX,
            numbers_groups: false,
        }
    }

    /// Whether a shader writes memory, so that the order of the stages can be seen.
    pub(crate) fn writes_memory(&self) -> bool {
        let others = [&self.amplification, &self.hull, &self.domain, &self.geometry, &self.pixel];
        let shaders = std::iter::once(&self.vertex).chain(others.into_iter().flatten());
        shaders.flat_map(Shader::resources).any(|it| it.used && it.kind.writable())
    }

    /// What the stages in front of the pixel shader tell it, in a draw of `instances` instances.
    pub(crate) fn told(&self, instances: u32) -> Told {
        let writes = |system: SystemValue| {
            let is = |it: &Element| it.system == Some(system);
            let group = self.vertex.module.group.as_ref();
            if let Some(mesh) = group.and_then(|it| it.mesh.as_ref()) {
                return mesh.vertices.iter().chain(&mesh.primitives).any(is);
            }
            let last = self.geometry.as_ref().or(self.domain.as_ref()).unwrap_or(&self.vertex);
            last.module.io.as_ref().is_some_and(|io| match &io.traits {
                ir::stage::StageTraits::Geometry(traits) => {
                    traits.streams.first().is_some_and(|it| it.elements.iter().any(is))
                }
                _ => io.outputs.iter().any(is),
            })
        };
        // The device numbers what it assembles itself.
        let is_assembled = self.geometry.is_none() && self.vertex.module.group.is_none();
        Told {
            primitives: is_assembled || writes(SystemValue::PrimitiveId),
            instances: is_assembled && self.hull.is_none() && instances > 1,
            layers: writes(SystemValue::RenderTargetArrayIndex),
        }
    }
}

impl GraphicsPipeline {
    /// What it was made of.
    pub fn desc(&self) -> &GraphicsDesc {
        &self.desc
    }

    /// What the shaders write that has no effect here, as sentences.
    pub fn ignored(&self) -> Vec<String> {
        let GraphicsDesc { vertex, geometry, domain, .. } = &*self.desc;
        let shaders = [Some(vertex), geometry.as_ref(), domain.as_ref()];
        let rates = |it: &&Shader| {
            let io = it.module.io.as_ref();
            let mut outputs = io.into_iter().flat_map(|it| &it.outputs);
            outputs.any(|it| it.system == Some(SystemValue::ShadingRate))
        };
        let written = shaders.into_iter().flatten().filter(rates);
        written
            .map(|it| {
                let entry = it.entry();
                format!("`SV_ShadingRate`, which `{entry}` writes, is ignored: each pixel is shaded by itself")
            })
            .collect()
    }

    /// The widths that both shaders and the adapter allow, ascending; at least one.
    pub fn wave_sizes(&self) -> &[u32] {
        &self.wave_sizes
    }

    /// The feature that the device's engine lacks, as a noun phrase, if a stage of draws at that width has to run on
    /// the reference engine. The results are the same, but it takes longer. What is bound is not considered.
    pub fn fallback(&self, wave_size: u32) -> Option<String> {
        let launch = Launch::waves(wave_size);
        let programs = self.programs();
        let mut lacks =
            programs.into_iter().map(|it| catch(|| it.refuses(&launch, &Bindings::default())));
        lacks.find_map(|it| it.ok().flatten())
    }

    /// Prepares for draws at that width now, instead of at the first one: compiles machine code, for example.
    pub fn prepare(&self, wave_size: u32) {
        self.programs().into_iter().for_each(|it| it.warm(wave_size));
    }

    /// The programs of all stages.
    fn programs(&self) -> Vec<&Arc<dyn Program>> {
        let mut all = self.between.programs();
        if self.between.mesh.is_none() {
            all.push(&self.vertex);
        }
        all.extend(&self.pixel);
        all
    }

    /// The default width of a draw: 32, or the adapter's smallest.
    pub fn default_wave_size(&self) -> u32 {
        if self.wave_sizes.contains(&32) { 32 } else { self.wave_sizes[0] }
    }
}

impl Device {
    /// Creates a graphics pipeline. The error names what is wrong or missing.
    pub fn create_graphics_pipeline(
        &self,
        desc: &GraphicsDesc,
    ) -> Result<GraphicsPipeline, GraphicsError> {
        let of_stage = |shader: &Shader, stage: Stage| {
            if shader.module.stage != stage {
                return Err(GraphicsError::Stage { entry: shader.entry().to_owned(), stage });
            }
            of_caps(shader, self.adapter())
        };
        let first = match desc.vertex.module.stage {
            Stage::Mesh => Stage::Mesh,
            _ => Stage::Vertex,
        };
        let mut wave_sizes = of_stage(&desc.vertex, first)?;
        let others = [
            (&desc.amplification, Stage::Amplification),
            (&desc.hull, Stage::Hull),
            (&desc.domain, Stage::Domain),
            (&desc.geometry, Stage::Geometry),
            (&desc.pixel, Stage::Pixel),
        ];
        for (shader, stage) in others {
            let Some(shader) = shader else { continue };
            let sizes = of_stage(shader, stage)?;
            wave_sizes.retain(|it| sizes.contains(it));
        }
        check_state(desc)?;
        let between = Between::new(desc, &*self.backend)?;
        if !between.is_empty() && self.backend.engine() == Engine::Cuda {
            let shaders = [&desc.amplification, &desc.hull, &desc.geometry];
            let entry = shaders.into_iter().flatten().next().unwrap_or(&desc.vertex).entry();
            let what = "a stage that the engine `cuda` does not run".to_owned();
            return Err(GraphicsError::Unsupported { entry: entry.to_owned(), what });
        }
        let link = Link::new(desc)?;
        Ok(GraphicsPipeline {
            desc: Arc::new(desc.clone()),
            link: Arc::new(link),
            vertex: self.backend.prepare(&desc.vertex.module),
            between: Arc::new(between),
            pixel: desc.pixel.as_ref().map(|it| self.backend.prepare(&it.module)),
            backend: self.backend.clone(),
            wave_sizes,
        })
    }
}

fn of_caps(shader: &Shader, adapter: &Adapter) -> Result<Vec<u32>, GraphicsError> {
    check_caps(&shader.module, adapter).map_err(|missing| {
        GraphicsError::Shader(Box::new(PipelineError::new(missing, &shader.module, adapter)))
    })
}

/// Checks state that contradicts itself or the formats.
fn check_state(desc: &GraphicsDesc) -> Result<(), GraphicsError> {
    if desc.targets.len() > MOST_TARGETS {
        return Err(GraphicsError::TooManyTargets { count: desc.targets.len() });
    }
    for (target, format) in desc.targets.iter().enumerate() {
        let Some(format) = *format else { continue };
        let fail = |problem| Err(GraphicsError::Target { target, format, problem });
        if !caps::is_target(format) {
            return fail("no target can have that format");
        }
        let state = desc.blend.get(target).copied().unwrap_or_default();
        let is_unsigned = matches!(
            format,
            Format::Plain { encoding: Encoding::Uint, .. } | Format::Rgb10A2 { uint: true }
        );
        if state.logic.is_some() && !is_unsigned {
            return fail("logic operations need a format of unsigned integers");
        }
        if state.logic.is_some() && state.blend.is_some() {
            return fail("a target has a blend equation or a logic operation, not both");
        }
        let Some(blend) = state.blend else { continue };
        if format.is_integer() {
            return fail("integers are not blended");
        }
        if blend.is_dual_source() {
            if target > 0 || desc.targets.iter().skip(1).any(Option::is_some) {
                return fail("factors of the second output need target 0 to be the only one");
            }
            let ops = [blend.color.op, blend.alpha.op];
            if ops.iter().any(|it| matches!(it, BlendOp::Min | BlendOp::Max)) {
                return fail("`Min` and `Max` take no factors of the second output");
            }
        }
    }
    let tests = desc.depth_stencil;
    if tests.stencil.is_some() && !desc.depth_format.is_some_and(DepthFormat::has_stencil) {
        return Err(GraphicsError::NoStencil);
    }
    if tests.depth.is_some() && desc.depth_format.is_none() {
        return Err(GraphicsError::NoDepth);
    }
    Ok(())
}

/// A texture of one sample with the resolved texels of a multisampled one: averages, or of integers the first sample.
pub fn resolved(texture: &Texture) -> Result<Texture, BufferError> {
    let shape = texture.shape();
    let samples = Samples::of(shape.samples).ok_or(BufferError::Shape)?;
    let bytes = raster::resolve(shape.format, samples, &texture.read_bytes()?);
    Texture::from_bytes(Shape { samples: 1, ..shape }, bytes)
}
