//! `wavelane run FILE --draw …`: a pixel shader over a full-screen triangle or a mesh, without a job.
//!
//! The vertex shader is made for the inputs that the pixel shader has, unless the file has one of its own. The target is
//! a texture named `Target`, which is shown, written and compared like any other result.

mod overlay;

use std::rc::Rc;
use std::sync::Arc;

use wavelane::graphics::{GraphicsPipeline, Samples};
use wavelane::internal::{Slot, Slots};
use wavelane::texture::Shape;
use wavelane::{DrawError, Layout, PrintLog, ResourceTable, Shader, SourceMap, StageTables};

use super::{
    Outcome, RunArgs, Runs, View, check_outs, report_failures, show, told, views, write_out,
};
use crate::asked::{DrawArgs, Output};
use crate::bind;
use crate::draw::{self, Scene, for_shader};
use crate::launch::{Contents, failed};
use crate::problem::{End, Exit, Problem};
use crate::watch::Watch;
use crate::{device, terminal};

/// The name of the target.
const TARGET: &str = "Target";

pub(super) fn run_draw(mut args: RunArgs, draw: &DrawArgs) -> Result<Exit, End> {
    let mut watch = Watch::start(args.common.launch.timeout, 0);
    args.common.compile.timeout = args.common.launch.timeout;
    args.common.compile.options.cancel = watch.cancel.clone().into();
    let (pixel, sources) = draw::pixel_shader(&args.operand, &mut args.common.compile)?;
    if args.lists_bindings {
        return super::bindings::list(&args, &pixel, &sources);
    }
    let scene = Scene::new(&args.operand, &args.common.compile, draw, &pixel)?;
    let device = device::open(&args.common.device, false)?;
    if draw.is_packed_by_device && device.gpu().is_none() {
        let problem = Problem::input("`--packing device` leaves the packing to a GPU");
        return Err(problem.help("--engine vulkan").into());
    }
    let pipeline = scene.pipeline(&device, draw, &pixel)?;
    let widths = draw::widths(&args.common.launch, &pipeline)?;
    let mut bound = bind::bind(&args.common.bind, [1; 3], &pixel, &sources)?;
    if let Some(auto) = bound.auto.as_ref() {
        terminal::note(&auto.told());
    }
    let vertex_binds = for_shader(&args.common.bind, &scene.vertex);
    let mut of_vertex = bind::bind(&vertex_binds, [1; 3], &scene.vertex, &sources)?;
    let others = Others::bind(&scene, &args, &sources)?;
    let shape = Shape::new(draw.format, draw.size[0], draw.size[1], 1);
    let target = View {
        resource: TARGET.to_owned(),
        element: 0,
        name: TARGET.to_owned(),
        kind: "Texture2D",
        layout: Layout::of_texel(draw.format),
        members: Vec::new(),
        texture: Some(shape),
        map: None,
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
    let mut engines = Vec::new();
    for width in &widths {
        let fallback = || pipeline.fallback(*width);
        engines.extend(told(&args, device.engine(), *width, fallback, String::new));
        contents.restore(&mut bound.table);
        let log = pixel.prints().then(|| Arc::new(PrintLog::new(args.common.launch.print_limit)));
        let tables = [&mut of_vertex.table, &mut bound.table];
        let (scene, others) = (&scene, &others);
        let job = Once { pipeline: &pipeline, scene, others, draw, width: *width };
        let left = job.run(&args, &watch, log.clone(), tables);
        if let Some(log) = log {
            printed.push((*width, pixel.printed(&log)));
        }
        let bytes = left.map_err(|error| problem(&error, *width, &args, &watch, &sources))?;
        let mut buffers =
            vec![Slot { bytes: bytes.into(), texture: Some(shape), ..Slot::default() }];
        for view in &all[1..] {
            let slot = bound.table.get(&view.resource, view.element);
            let slot = slot.map(|it| it.clone()).unwrap_or_default();
            buffers.push(crate::feedback::decoded(slot));
        }
        let outcome = Outcome { buffers };
        let same = outcomes.iter().find(|(_, it)| **it == outcome).map(|(_, it)| it.clone());
        outcomes.push((*width, same.unwrap_or_else(|| Rc::new(outcome))));
    }
    let runs = Runs { views: all, outcomes, printed, engines, auto: bound.auto, missed: None };
    for (name, path) in &args.outs {
        match draw.overlay.filter(|_| name == TARGET) {
            Some(overlay) => overlay::write(overlay, &args, draw, &scene, &device, &runs, path)?,
            None => write_out(&runs, name, path)?,
        }
    }
    watch.stop();
    let is_written = args.outs.iter().any(|it| it.0 == TARGET);
    match args.common.output {
        Output::Json => show::json(&runs, &sources, &mut terminal::out())?,
        // A picture that is in a file is not shown as numbers, unless they are asked for.
        _ if is_written && args.prints.is_empty() && runs.views.len() == 1 => {}
        Output::Text | Output::Github | Output::Sarif | Output::Junit => {
            show::text(&runs, &args.prints, &sources, &mut terminal::out())?
        }
    }
    Ok(if report_failures(&runs, &sources) { Exit::Findings } else { Exit::Fine })
}

/// What is bound to the stages other than the first and the last.
pub(super) struct Others {
    amplification: Option<ResourceTable>,
    hull: Option<ResourceTable>,
    domain: Option<ResourceTable>,
    geometry: Option<ResourceTable>,
}

impl Others {
    pub(super) fn bind(
        scene: &Scene,
        args: &RunArgs,
        sources: &SourceMap,
    ) -> Result<Others, Problem> {
        let table = |shader: &Option<Shader>| {
            let Some(shader) = shader else { return Ok(None) };
            let binds = for_shader(&args.common.bind, shader);
            bind::bind(&binds, [1; 3], shader, sources).map(|it| Some(it.table))
        };
        Ok(Others {
            amplification: table(&scene.amplification)?,
            hull: table(&scene.hull)?,
            domain: table(&scene.domain)?,
            geometry: table(&scene.geometry)?,
        })
    }
}

/// One draw at a width.
pub(super) struct Once<'a> {
    pub(super) pipeline: &'a GraphicsPipeline,
    pub(super) scene: &'a Scene,
    pub(super) others: &'a Others,
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
        let (mut draw, target) = self.scene.draw(self.draw)?;
        draw.wave_size = Some(self.width);
        draw.fuel = args.common.launch.fuel.at(self.width);
        draw.cancel = Some(watch.cancel.clone());
        draw.progress = Some(watch.progress.clone());
        draw.prints = prints;
        draw.record = self.draw.is_packed_by_device.then(Arc::default);
        let tables = StageTables {
            amplification: self.others.amplification.as_ref(),
            hull: self.others.hull.as_ref(),
            domain: self.others.domain.as_ref(),
            geometry: self.others.geometry.as_ref(),
            ..StageTables::new(vertex, Some(pixel))
        };
        self.pipeline.draw_stages(&draw, &tables)?;
        let texels = match self.pipeline.desc().samples {
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
        DrawError::Run(error) => failed(error, width, &args.common.launch, late, sources),
        error => {
            let exit = if error.is_unsupported() { Exit::Unsupported } else { Exit::BadInput };
            Problem::new(exit, error.to_string())
        }
    }
}
