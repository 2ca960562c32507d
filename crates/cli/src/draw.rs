//! `--draw`: a pixel shader over a full-screen triangle, a mesh, or the output of other shaders of the same file,
//! without a job.
//!
//! The vertex shader is made for the inputs that the pixel shader has, unless the command line names one in the file.

mod asked;
mod mesh;
mod state;
mod tables;
mod vertex;

use jobs::Attachments;
use wavelane::graphics::{GraphicsDesc, GraphicsError, GraphicsPipeline, Topology};
use wavelane::{
    Buffer, BufferError, Device, Draw, DrawError, Options, Shader, SourceMap, Stage, VertexBuffer,
};

use crate::asked::{Binds, Compiling, DrawArgs, Launch};
use crate::compile;
use crate::launch::{failed, not_allowed};
use crate::problem::{Exit, Problem};
use crate::terminal;

pub(crate) use asked::{AskedDraw, drawn_run};
use mesh::Mesh;
pub(crate) use state::{DEPTH, STENCIL, State};
pub(crate) use tables::Tables;

/// The geometry of a draw.
pub(crate) struct Scene {
    /// The vertex shader, or a mesh shader in its place.
    pub(crate) vertex: Shader,
    /// The text of a vertex shader that was made, and how it is compiled.
    pub(crate) made: Option<(String, Options)>,
    pub(crate) amplification: Option<Shader>,
    pub(crate) hull: Option<Shader>,
    pub(crate) domain: Option<Shader>,
    pub(crate) geometry: Option<Shader>,
    mesh: Option<Mesh>,
    /// How many vertices are drawn, if nothing else determines it.
    vertices: Option<u32>,
    /// Of the mesh shader, or of the amplification shader.
    pub(crate) groups: Option<[u32; 3]>,
    pub(crate) state: State,
}

/// Compiles the pixel shader; without a profile, `--draw` says the stage.
pub(crate) fn pixel_shader(
    operand: &str,
    compiling: &mut Compiling,
) -> Result<(Shader, SourceMap), Problem> {
    compiling.options.stage = match compiling.options.stage {
        Stage::Compute if !compiling.has_profile => Stage::Pixel,
        stage => stage,
    };
    if compiling.options.stage != Stage::Pixel {
        let problem = Problem::input("`--draw` draws with a pixel shader");
        return Err(problem.help("-T ps_6_6, and `--vertex ENTRY` for a vertex shader"));
    }
    compile::shader(operand, compiling)
}

impl Scene {
    /// The vertex shader and the mesh.
    pub(crate) fn new(
        operand: &str,
        compiling: &Compiling,
        draw: &DrawArgs,
        (pixel, sources): (&Shader, &SourceMap),
        binds: &Binds,
    ) -> Result<Scene, Problem> {
        let own = |options: Options| {
            let own = Compiling { options, ..compiling.clone() };
            compile::shader(operand, &own).map(|it| it.0)
        };
        Scene::of(&compiling.options, &own, draw, (pixel, sources), binds)
    }

    /// The same with another way to compile the shaders before the pixel shader, by its options except the stage and
    /// the entry point.
    pub(crate) fn of(
        options: &Options,
        compile: &dyn Fn(Options) -> Result<Shader, Problem>,
        draw: &DrawArgs,
        (pixel, sources): (&Shader, &SourceMap),
        binds: &Binds,
    ) -> Result<Scene, Problem> {
        let own = |stage: Stage, entry: &String| {
            compile(Options { stage, entry: entry.clone(), ..options.clone() })
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
            let (mesh, vertices, state) = (None, None, State::new(draw, pixel, true)?);
            return Ok(Scene {
                vertex,
                made: None,
                amplification,
                hull,
                domain,
                geometry,
                mesh,
                vertices,
                groups,
                state,
            });
        }
        if draw.hull.is_some() != draw.domain.is_some() {
            let problem = Problem::input("`--hull` and `--domain` need each other");
            return Err(problem.help("--hull ENTRY --domain ENTRY"));
        }
        if draw.amplification.is_some() {
            let problem = Problem::input("`--amplification` needs a mesh shader");
            return Err(problem.help("--mesh ENTRY"));
        }
        let vertices = vertices(draw)?;
        let mesh = match draw.what.as_str() {
            "fullscreen" => None,
            _ if vertices.is_some() => None,
            file => Some(Mesh::read(file)?),
        };
        let mut made = None;
        let vertex = match &draw.vertex {
            Some(entry) => own(Stage::Vertex, entry)?,
            None if hull.is_some() => {
                let problem = Problem::input("`--hull` needs a vertex shader of the file");
                return Err(problem.help("--vertex ENTRY"));
            }
            None => {
                let is_auto = binds.auto.is_some();
                let pixel = (pixel, sources);
                let (shader, text, options) = vertex::made(pixel, mesh.as_ref(), options, is_auto)?;
                made = Some((text, options));
                shader
            }
        };
        let (groups, state) = (None, State::new(draw, pixel, mesh.is_some())?);
        Ok(Scene {
            vertex,
            made,
            amplification,
            hull,
            domain,
            geometry,
            mesh,
            vertices,
            groups,
            state,
        })
    }

    /// The shaders before the pixel shader, in the order of the draw.
    pub(crate) fn shaders(&self) -> Vec<(Stage, &Shader)> {
        let first = if self.groups.is_some() { Stage::Mesh } else { Stage::Vertex };
        let all = [
            (Stage::Amplification, self.amplification.as_ref()),
            (first, Some(&self.vertex)),
            (Stage::Hull, self.hull.as_ref()),
            (Stage::Domain, self.domain.as_ref()),
            (Stage::Geometry, self.geometry.as_ref()),
        ];
        all.into_iter().filter_map(|(stage, shader)| Some((stage, shader?))).collect()
    }

    /// A pipeline that draws the scene.
    pub(crate) fn pipeline(
        &self,
        device: &Device,
        state: &State,
        (pixel, sources): (&Shader, &SourceMap),
    ) -> Result<GraphicsPipeline, Problem> {
        let desc = self.desc(state, pixel);
        device.create_graphics_pipeline(&desc).map_err(|error| {
            let problem = no_pipeline(&error);
            // All shaders are in one file, except a vertex shader that is generated.
            let is_made = self.made.is_some() && matches!(error, GraphicsError::NoAttribute { .. });
            match error.span().filter(|_| !is_made) {
                Some(span) => problem.at(span, "declared here", sources),
                None => problem,
            }
        })
    }

    /// The same with numbers of groups: a pixel shader reads as `SV_PrimitiveID` which group of a mesh shader has made
    /// the primitive.
    pub(crate) fn pipeline_of_groups(
        &self,
        device: &Device,
        state: &State,
        pixel: &Shader,
    ) -> Result<GraphicsPipeline, Problem> {
        let desc = GraphicsDesc { numbers_groups: true, ..self.desc(state, pixel) };
        device
            .create_graphics_pipeline(&desc)
            .map_err(|error| Problem::input(format!("the overlay: {error}")))
    }

    /// How many control points a patch has.
    fn control_points(&self) -> Option<u32> {
        self.hull.as_ref().map(|it| it.control_points().clamp(1, 32))
    }

    fn desc(&self, state: &State, pixel: &Shader) -> GraphicsDesc {
        let first = match self.groups {
            Some(_) => Stage::Mesh,
            None => Stage::Vertex,
        };
        let mut shaders = vec![(first, &self.vertex), (Stage::Pixel, pixel)];
        let others = [
            (Stage::Amplification, &self.amplification),
            (Stage::Hull, &self.hull),
            (Stage::Domain, &self.domain),
            (Stage::Geometry, &self.geometry),
        ];
        shaders.extend(others.into_iter().filter_map(|(stage, it)| Some((stage, it.as_ref()?))));
        let mut desc = jobs::graphics_desc(&state.draw, &shaders);
        desc.input_layout = self.mesh.as_ref().map_or_else(Vec::new, |_| Mesh::layout());
        if let Some(points) = self.control_points() {
            desc.topology = Topology::PatchList(points as u8);
        }
        desc.targets = state.bound(desc.targets);
        desc.depth_format = desc.depth_format.filter(|_| state.has_depth());
        desc
    }

    /// The draw, and what it renders to.
    pub(crate) fn draw(
        &self,
        asked: &DrawArgs,
        state: &State,
    ) -> Result<(Draw, Attachments), BufferError> {
        let [width, height] = asked.size;
        let attachments = Attachments::new(&state.draw, [width, height, 1], state.has_depth())?;
        let single = self.control_points().unwrap_or(3);
        let count = self.vertices.unwrap_or(single);
        let mut draw = Draw::new(self.mesh.as_ref().map_or(count, Mesh::count));
        draw.groups = self.groups.unwrap_or(draw.groups);
        if let Some(mesh) = &self.mesh {
            let buffer = Buffer::from_bytes(mesh.bytes());
            draw.vertex_buffers = vec![VertexBuffer { buffer, stride: Mesh::STRIDE }];
        }
        attachments.attach(&mut draw);
        draw.targets = state.bound(draw.targets);
        draw.instances = state.draw.instances;
        draw.viewports.clone_from(&state.draw.viewports);
        let scissors = &state.draw.scissors;
        draw.scissors = (!scissors.is_empty()).then(|| scissors.clone());
        draw.blend_factor = state.draw.blend_factor;
        draw.stencil_ref = state.draw.depth.tests.stencil.map_or(0, |it| it.reference);
        Ok((draw, attachments))
    }
}

/// The number of vertices, if `--draw` gives it for a vertex shader of the file.
fn vertices(draw: &DrawArgs) -> Result<Option<u32>, Problem> {
    let Ok(count) = draw.what.parse::<u32>() else { return Ok(None) };
    if draw.vertex.is_none() {
        let what = format!("`--draw {count}` draws {count} vertices, which needs a vertex shader");
        return Err(Problem::input(what).help("--vertex ENTRY, or `--draw fullscreen`"));
    }
    if count > MOST_VERTICES {
        let what = format!("`--draw {count}`: at most {MOST_VERTICES} vertices are drawn");
        return Err(Problem::input(what));
    }
    Ok(Some(count))
}

/// The same limit as for the mesh in a file.
const MOST_VERTICES: u32 = 1 << 22;

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

/// Reports what in the shaders has no effect.
pub(crate) fn tell_of_ignored(pipeline: &GraphicsPipeline) {
    pipeline.ignored().iter().for_each(|it| terminal::note(it));
}

/// A pipeline on a device.
pub(crate) fn pipeline(device: &Device, desc: &GraphicsDesc) -> Result<GraphicsPipeline, Problem> {
    device.create_graphics_pipeline(desc).map_err(|error| no_pipeline(&error))
}

/// The report about shaders and state that do not fit each other.
fn no_pipeline(error: &GraphicsError) -> Problem {
    let exit = if error.is_unsupported() { Exit::Unsupported } else { Exit::BadInput };
    Problem::new(exit, error.to_string())
}

/// The report about a draw that did not run to its end.
pub(crate) fn problem(
    error: &DrawError,
    width: u32,
    launch: &Launch,
    late: bool,
    sources: &SourceMap,
) -> Problem {
    match error {
        DrawError::Run(error) => failed(error, width, launch, late, sources),
        error => {
            let exit = if error.is_unsupported() { Exit::Unsupported } else { Exit::BadInput };
            Problem::new(exit, error.to_string())
        }
    }
}

/// The requested widths.
pub(crate) fn widths(launch: &Launch, pipeline: &GraphicsPipeline) -> Result<Vec<u32>, Problem> {
    let allowed = pipeline.wave_sizes();
    match launch.width_not_among(allowed) {
        Some(width) => Err(not_allowed(width, "here", allowed)),
        None => Ok(launch.widths_among(allowed, || vec![pipeline.default_wave_size()])),
    }
}
