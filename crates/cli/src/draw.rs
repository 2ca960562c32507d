//! `--draw`: a pixel shader over a full-screen triangle or a mesh, without a job.
//!
//! The vertex shader is made for the inputs that the pixel shader has, unless the file has one of its own.

mod mesh;
mod vertex;

use wavelane::graphics::{
    Cull, DepthFormat, DepthState, DepthStencilState, GraphicsDesc, GraphicsPipeline, Samples,
    Topology,
};
use wavelane::texture::{Comparison, Shape};
use wavelane::{
    Buffer, BufferError, DepthTarget, Device, Draw, RenderTarget, Shader, SourceMap, Stage,
    Texture, VertexBuffer,
};

use crate::asked::{Binds, Compiling, DrawArgs, Launch};
use crate::compile;
use crate::launch::not_allowed;
use crate::problem::{End, Exit, Problem};

use mesh::Mesh;

/// The geometry of a draw.
pub(crate) struct Scene {
    /// The vertex shader, or a mesh shader in its place.
    pub(crate) vertex: Shader,
    pub(crate) amplification: Option<Shader>,
    pub(crate) hull: Option<Shader>,
    pub(crate) domain: Option<Shader>,
    pub(crate) geometry: Option<Shader>,
    mesh: Option<Mesh>,
    /// Of the mesh shader, or of the amplification shader.
    groups: Option<[u32; 3]>,
}

/// Compiles the pixel shader; without a profile, `--draw` says the stage.
pub(crate) fn pixel_shader(
    operand: &str,
    compiling: &mut Compiling,
) -> Result<(Shader, SourceMap), End> {
    compiling.options.stage = match compiling.options.stage {
        Stage::Compute => Stage::Pixel,
        stage => stage,
    };
    if compiling.options.stage != Stage::Pixel {
        let problem = Problem::input("`--draw` draws with a pixel shader");
        return Err(problem.help("-T ps_6_6, and `--vertex ENTRY` for a vertex shader").into());
    }
    Ok(compile::shader(operand, compiling)?)
}

impl Scene {
    /// The vertex shader and the mesh.
    pub(crate) fn new(
        operand: &str,
        compiling: &Compiling,
        draw: &DrawArgs,
        pixel: &Shader,
    ) -> Result<Scene, Problem> {
        let own = |stage: Stage, entry: &String| {
            let mut options = compiling.options.clone();
            (options.stage, options.entry) = (stage, entry.clone());
            let own = Compiling { options, ..compiling.clone() };
            compile::shader(operand, &own).map(|it| it.0)
        };
        let optional = |stage: Stage, entry: &Option<String>| {
            entry.as_ref().map(|entry| own(stage, entry)).transpose()
        };
        let amplification = optional(Stage::Amplification, &draw.amplification)?;
        let geometry = optional(Stage::Geometry, &draw.geometry)?;
        let hull = optional(Stage::Hull, &draw.hull)?;
        let domain = optional(Stage::Domain, &draw.domain)?;
        if let Some(entry) = &draw.mesh {
            let groups = Some(groups(&draw.what)?);
            let vertex = own(Stage::Mesh, entry)?;
            let mesh = None;
            return Ok(Scene { vertex, amplification, hull, domain, geometry, mesh, groups });
        }
        if draw.hull.is_some() != draw.domain.is_some() {
            let problem = Problem::input("`--hull` and `--domain` need each other");
            return Err(problem.help("--hull ENTRY --domain ENTRY"));
        }
        if draw.amplification.is_some() {
            let problem = Problem::input("`--amplification` needs a mesh shader");
            return Err(problem.help("--mesh ENTRY"));
        }
        let mesh = match draw.what.as_str() {
            "fullscreen" => None,
            file => Some(Mesh::read(file)?),
        };
        let vertex = match &draw.vertex {
            Some(entry) => own(Stage::Vertex, entry)?,
            None if hull.is_some() => {
                let problem = Problem::input("`--hull` needs a vertex shader of the file");
                return Err(problem.help("--vertex ENTRY"));
            }
            None => vertex::made(pixel, mesh.as_ref(), &compiling.options)?,
        };
        Ok(Scene { vertex, amplification, hull, domain, geometry, mesh, groups: None })
    }

    /// A pipeline that draws the scene into the target.
    pub(crate) fn pipeline(
        &self,
        device: &Device,
        draw: &DrawArgs,
        pixel: &Shader,
    ) -> Result<GraphicsPipeline, Problem> {
        device.create_graphics_pipeline(&self.desc(draw, pixel)).map_err(|error| {
            let exit = if error.is_unsupported() { Exit::Unsupported } else { Exit::BadInput };
            Problem::new(exit, error.to_string())
        })
    }

    /// The same with numbers of groups: a pixel shader reads as `SV_PrimitiveID` which group of a mesh shader has made
    /// the primitive.
    pub(crate) fn pipeline_of_groups(
        &self,
        device: &Device,
        draw: &DrawArgs,
        pixel: &Shader,
    ) -> Result<GraphicsPipeline, Problem> {
        let desc = GraphicsDesc { numbers_groups: true, ..self.desc(draw, pixel) };
        device
            .create_graphics_pipeline(&desc)
            .map_err(|error| Problem::input(format!("the overlay: {error}")))
    }

    /// How many control points a patch has.
    fn control_points(&self) -> Option<u32> {
        self.hull.as_ref().map(|it| it.control_points().clamp(1, 32))
    }

    fn desc(&self, draw: &DrawArgs, pixel: &Shader) -> GraphicsDesc {
        let has_depth = self.mesh.is_some() || self.groups.is_some();
        let mut desc = GraphicsDesc::new(&self.vertex, Some(pixel));
        desc.input_layout = self.mesh.as_ref().map_or_else(Vec::new, |_| Mesh::layout());
        desc.amplification.clone_from(&self.amplification);
        desc.hull.clone_from(&self.hull);
        desc.domain.clone_from(&self.domain);
        desc.geometry.clone_from(&self.geometry);
        if let Some(points) = self.control_points() {
            desc.topology = Topology::PatchList(points as u8);
        }
        desc.rasterizer.cull = Cull::None;
        desc.targets = vec![Some(draw.format)];
        desc.samples = Samples::of(draw.samples).unwrap_or(Samples::One);
        if has_depth {
            desc.depth_format = Some(DepthFormat::D32Float);
            let depth = DepthState { func: Comparison::Less, write: true };
            desc.depth_stencil = DepthStencilState { depth: Some(depth), stencil: None };
        }
        desc
    }

    /// The draw, and its target.
    pub(crate) fn draw(&self, asked: &DrawArgs) -> Result<(Draw, Texture), BufferError> {
        let [width, height] = asked.size;
        let samples = Samples::of(asked.samples).unwrap_or(Samples::One);
        let shape =
            Shape { samples: samples.count(), ..Shape::new(asked.format, width, height, 1) };
        let target = Texture::new(shape)?;
        let single = self.control_points().unwrap_or(3);
        let mut draw = Draw::new(self.mesh.as_ref().map_or(single, Mesh::count));
        if let Some(mesh) = &self.mesh {
            let buffer = Buffer::from_bytes(mesh.bytes());
            draw.vertex_buffers = vec![VertexBuffer { buffer, stride: Mesh::STRIDE }];
        }
        if let Some(groups) = self.groups {
            draw.groups = groups;
        }
        if self.mesh.is_some() || self.groups.is_some() {
            let format = DepthFormat::D32Float;
            draw.depth = Some(DepthTarget::new(format, width, height, 1, samples)?);
        }
        draw.targets = vec![Some(RenderTarget::from(&target))];
        Ok((draw, target))
    }
}

/// The groups of a mesh shader: one to three numbers.
fn groups(text: &str) -> Result<[u32; 3], Problem> {
    let mut groups = [1; 3];
    let numbers: Vec<&str> = text.split(',').collect();
    let fits = numbers.len() <= 3;
    for (group, number) in groups.iter_mut().zip(&numbers) {
        match number.trim().parse() {
            Ok(count) if fits => *group = count,
            _ => {
                let what = format!("`--draw {text}` is not a number of groups");
                let problem = Problem::input(what);
                return Err(problem.help("with `--mesh` it is one to three numbers: --draw 8"));
            }
        }
    }
    Ok(groups)
}

/// The widths that are asked for.
pub(crate) fn widths(launch: &Launch, pipeline: &GraphicsPipeline) -> Result<Vec<u32>, Problem> {
    let allowed = pipeline.wave_sizes();
    match launch.width_not_among(allowed) {
        Some(width) => Err(not_allowed(width, "here", allowed)),
        None => Ok(launch.widths_among(allowed, || vec![pipeline.default_wave_size()])),
    }
}

/// What is bound to a shader of several: what it has no resource for is meant for another one.
pub(crate) fn for_shader(binds: &Binds, shader: &Shader) -> Binds {
    let has = |name: &str| {
        let name = name.split('[').next().unwrap_or(name);
        shader.resource(name).is_some()
    };
    let is_constant = |path: &str| {
        let word = path.split(['[', '.']).next().unwrap_or(path);
        shader
            .resources()
            .iter()
            .any(|it| it.name == word || it.kind.view().members.iter().any(|it| it.name == word))
    };
    Binds {
        binds: binds.binds.iter().filter(|it| has(&it.0)).cloned().collect(),
        sets: binds.sets.iter().filter(|it| is_constant(&it.0)).cloned().collect(),
        counters: binds.counters.iter().filter(|it| has(&it.0)).cloned().collect(),
        ..binds.clone()
    }
}
