//! `wavelane run FILE --draw …`: a pixel shader over a full-screen triangle or a mesh, without a job.
//!
//! The vertex shader is made for the inputs that the pixel shader has, unless the file has one of its own. The target is
//! a texture named `Target`, which is shown, written and compared like any other result.

mod mesh;
mod overlay;
mod vertex;

use std::rc::Rc;
use std::sync::Arc;

use wavelane::graphics::{
    Cull, DepthFormat, DepthState, DepthStencilState, GraphicsDesc, GraphicsPipeline, Samples,
};
use wavelane::internal::{Slot, Slots};
use wavelane::texture::{Comparison, Shape};
use wavelane::{
    Buffer, DepthTarget, Device, Draw, DrawError, Layout, PrintLog, RenderTarget, ResourceTable,
    Shader, SourceMap, Stage, Texture, VertexBuffer,
};

use super::{Outcome, RunArgs, Runs, View, check_outs, report_failures, show, views, write_out};
use crate::asked::{Binds, Compiling, DrawArgs, Output, WaveSizes};
use crate::bind;
use crate::launch::{Contents, failed};
use crate::problem::{End, Exit, Problem};
use crate::watch::Watch;
use crate::{compile, device, terminal};

use mesh::Mesh;

/// The name of the target.
const TARGET: &str = "Target";

/// The geometry of a draw.
pub(super) struct Scene {
    pub(super) vertex: Shader,
    mesh: Option<Mesh>,
}

pub(super) fn run_draw(mut args: RunArgs, draw: &DrawArgs) -> Result<Exit, End> {
    let mut watch = Watch::start(args.launch.timeout, 0);
    args.compile.timeout = args.launch.timeout;
    args.compile.options.cancel = watch.cancel.clone().into();
    // Without a profile, `--draw` says the stage.
    args.compile.options.stage = match args.compile.options.stage {
        Stage::Compute => Stage::Pixel,
        stage => stage,
    };
    if args.compile.options.stage != Stage::Pixel {
        let problem = Problem::input("`--draw` draws with a pixel shader");
        return Err(problem.help("-T ps_6_6, and `--vertex ENTRY` for a vertex shader").into());
    }
    let (pixel, sources) = compile::shader(&args.operand, &args.compile)?;
    if args.lists_bindings {
        return super::bindings::list(&args, &pixel, &sources);
    }
    let scene = scene(&args, draw, &pixel)?;
    let device = device::open(&args.device, false)?;
    let pipeline = pipeline(&device, draw, &scene, Some(&pixel))?;
    let widths = widths(&args, &pipeline)?;
    let mut bound = bind::bind(&args.bind, [1; 3], &pixel, &sources)?;
    if let Some(auto) = bound.auto.as_ref() {
        terminal::note(&auto.told());
    }
    let vertex_binds = for_shader(&args.bind, &scene.vertex);
    let mut of_vertex = bind::bind(&vertex_binds, [1; 3], &scene.vertex, &sources)?;
    let shape = Shape::new(draw.format, draw.size[0], draw.size[1], 1);
    let target = View {
        resource: TARGET.to_owned(),
        element: 0,
        name: TARGET.to_owned(),
        kind: "Texture2D",
        layout: Layout::of_texel(draw.format),
        members: Vec::new(),
        texture: Some(shape),
        writable: true,
        has_counter: false,
    };
    let prints: Vec<_> = args.prints.extract_if(.., |it| it.name == TARGET).collect();
    let outs: Vec<_> = args.outs.extract_if(.., |it| it.0 == TARGET).collect();
    let mut all = views(&args, &bound, &pixel, &sources)?;
    args.prints.splice(..0, prints);
    args.outs.splice(..0, outs);
    all.insert(0, target);
    check_outs(&args, &all, widths.len())?;
    let contents = Contents::of(&bound.table);
    let (mut outcomes, mut printed) = (Vec::<(u32, Rc<Outcome>)>::new(), Vec::new());
    for width in &widths {
        contents.restore(&mut bound.table);
        let log = pixel.prints().then(|| Arc::new(PrintLog::new(args.launch.print_limit)));
        let tables = [&mut of_vertex.table, &mut bound.table];
        let job = Once { pipeline: &pipeline, scene: &scene, draw, width: *width };
        let left = job.run(&args, &watch, log.clone(), tables);
        if let Some(log) = log {
            printed.push((*width, pixel.printed(&log)));
        }
        let bytes = left.map_err(|error| problem(&error, *width, &args, &watch, &sources))?;
        let mut buffers = vec![Slot { bytes, texture: Some(shape), ..Slot::default() }];
        for view in &all[1..] {
            let slot = bound.table.get(&view.resource, view.element);
            buffers.push(slot.map(|it| it.clone()).unwrap_or_default());
        }
        let outcome = Outcome { buffers };
        let same = outcomes.iter().find(|(_, it)| **it == outcome).map(|(_, it)| it.clone());
        outcomes.push((*width, same.unwrap_or_else(|| Rc::new(outcome))));
    }
    let runs =
        Runs { views: all, outcomes, printed, engines: Vec::new(), auto: bound.auto, missed: None };
    for (name, path) in &args.outs {
        match draw.overlay.filter(|_| name == TARGET) {
            Some(overlay) => overlay::write(overlay, &args, draw, &scene, &device, &runs, path)?,
            None => write_out(&runs, name, path)?,
        }
    }
    watch.stop();
    let is_written = args.outs.iter().any(|it| it.0 == TARGET);
    match args.output {
        Output::Json => show::json(&runs, &sources, &mut terminal::out())?,
        // A picture that is in a file is not shown as numbers, unless they are asked for.
        _ if is_written && args.prints.is_empty() && runs.views.len() == 1 => {}
        Output::Text | Output::Github | Output::Sarif | Output::Junit => {
            show::text(&runs, &args.prints, &sources, &mut terminal::out())?
        }
    }
    Ok(if report_failures(&runs, &sources) { Exit::Findings } else { Exit::Fine })
}

/// The vertex shader and the mesh.
fn scene(args: &RunArgs, draw: &DrawArgs, pixel: &Shader) -> Result<Scene, Problem> {
    let mesh = match draw.what.as_str() {
        "fullscreen" => None,
        file => Some(Mesh::read(file)?),
    };
    let options = match &draw.vertex {
        Some(entry) => {
            let mut options = args.compile.options.clone();
            (options.stage, options.entry) = (Stage::Vertex, entry.clone());
            let compiling = Compiling { options, ..args.compile.clone() };
            let (vertex, _) = compile::shader(&args.operand, &compiling)?;
            return Ok(Scene { vertex, mesh });
        }
        None => args.compile.options.clone(),
    };
    let vertex = vertex::made(pixel, mesh.as_ref(), &options)?;
    Ok(Scene { vertex, mesh })
}

/// A pipeline that draws the scene into the target, or with another pixel shader without one.
pub(super) fn pipeline(
    device: &Device,
    draw: &DrawArgs,
    scene: &Scene,
    pixel: Option<&Shader>,
) -> Result<GraphicsPipeline, Problem> {
    let has_depth = scene.mesh.is_some();
    let mut desc = GraphicsDesc::new(&scene.vertex, pixel);
    desc.input_layout = scene.mesh.as_ref().map_or_else(Vec::new, |_| Mesh::layout());
    desc.rasterizer.cull = Cull::None;
    desc.targets = vec![Some(draw.format)];
    desc.samples = Samples::of(draw.samples).unwrap_or(Samples::One);
    if has_depth {
        desc.depth_format = Some(DepthFormat::D32Float);
        let depth = DepthState { func: Comparison::Less, write: true };
        desc.depth_stencil = DepthStencilState { depth: Some(depth), stencil: None };
    }
    device.create_graphics_pipeline(&desc).map_err(|error| {
        let exit = if error.is_unsupported() { Exit::Unsupported } else { Exit::BadInput };
        Problem::new(exit, error.to_string())
    })
}

fn widths(args: &RunArgs, pipeline: &GraphicsPipeline) -> Result<Vec<u32>, Problem> {
    let allowed = pipeline.wave_sizes();
    match &args.launch.wave_sizes {
        WaveSizes::Default => Ok(vec![pipeline.default_wave_size()]),
        WaveSizes::All => Ok(allowed.to_vec()),
        WaveSizes::List(list) => match list.iter().find(|it| !allowed.contains(it)) {
            None => Ok(list.clone()),
            Some(width) => {
                let allowed: Vec<String> = allowed.iter().map(u32::to_string).collect();
                let what = format!("waves of {width} lanes are not allowed here");
                Err(Problem::new(Exit::Unsupported, what)
                    .help(format!("the widths there are: {}", allowed.join(", "))))
            }
        },
    }
}

/// What is bound to a shader of several: what it has no resource for is meant for another one.
fn for_shader(binds: &Binds, shader: &Shader) -> Binds {
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

/// One draw at a width.
pub(super) struct Once<'a> {
    pub(super) pipeline: &'a GraphicsPipeline,
    pub(super) scene: &'a Scene,
    pub(super) draw: &'a DrawArgs,
    pub(super) width: u32,
}

impl Once<'_> {
    /// Draws; returns the texels of the target, resolved.
    pub(super) fn run(
        &self,
        args: &RunArgs,
        watch: &Watch,
        prints: Option<Arc<PrintLog>>,
        [vertex, pixel]: [&mut ResourceTable; 2],
    ) -> Result<Vec<u8>, DrawError> {
        let [width, height] = self.draw.size;
        let samples = self.pipeline.desc().samples;
        let shape =
            Shape { samples: samples.count(), ..Shape::new(self.draw.format, width, height, 1) };
        let target = Texture::new(shape)?;
        let mut draw = Draw::new(self.scene.mesh.as_ref().map_or(3, Mesh::count));
        if let Some(mesh) = &self.scene.mesh {
            let buffer = Buffer::from_bytes(mesh.bytes());
            draw.vertex_buffers = vec![VertexBuffer { buffer, stride: Mesh::STRIDE }];
            let format = DepthFormat::D32Float;
            draw.depth = Some(DepthTarget::new(format, width, height, 1, samples)?);
        }
        draw.targets = vec![Some(RenderTarget::from(&target))];
        draw.wave_size = Some(self.width);
        draw.fuel = args.launch.fuel.at(self.width);
        draw.cancel = Some(watch.cancel.clone());
        draw.progress = Some(watch.progress.clone());
        draw.prints = prints;
        self.pipeline.draw(&draw, vertex, Some(pixel))?;
        let texels = match samples {
            Samples::One => target.read_bytes()?,
            _ => wavelane::graphics::resolved(&target)?.read_bytes()?,
        };
        Ok(texels)
    }
}

fn problem(
    error: &DrawError,
    width: u32,
    args: &RunArgs,
    watch: &Watch,
    sources: &SourceMap,
) -> Problem {
    let late = watch.cancel.load(std::sync::atomic::Ordering::Relaxed);
    match error {
        DrawError::Run(error) => failed(error, width, &args.launch, late, sources),
        error => {
            let exit = if error.is_unsupported() { Exit::Unsupported } else { Exit::BadInput };
            Problem::new(exit, error.to_string())
        }
    }
}
