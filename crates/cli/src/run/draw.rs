//! `wavelane run FILE --draw …`: a pixel shader over a full-screen triangle or a mesh, without a job.
//!
//! The vertex shader is made for the inputs that the pixel shader has, unless the command line names one in the file.
//! Targets are textures, which are shown, written and compared like any other result; the planes of the depth buffer
//! are too if they are requested by name.

mod overlay;

use std::rc::Rc;
use std::sync::Arc;

use wavelane::graphics::GraphicsPipeline;
use wavelane::internal::{Slot, Slots, What};
use wavelane::texture::{Format, Shape};
use wavelane::{DrawError, Layout, PrintLog, Shader, StageTables};

use super::{
    Outcome, ResultBuffer, RunArgs, Runs, check_outs, report_failures, show, told, views, write_out,
};
use crate::asked::{DrawArgs, Output};
use crate::auto;
use crate::draw::{self, DEPTH, STENCIL, Scene, State, Tables};
use crate::problem::{End, Exit, Problem};
use crate::watch::Watch;
use crate::{device, terminal};

pub(super) fn run_draw(mut args: RunArgs, draw: &DrawArgs) -> Result<Exit, End> {
    let mut watch = Watch::start(args.common.launch.timeout, 0);
    args.common.compile.timeout = args.common.launch.timeout;
    args.common.compile.options.cancel = watch.cancel.clone().into();
    let (pixel, sources) = draw::pixel_shader(&args.operand, &mut args.common.compile)?;
    let pixel = auto::prepared(pixel, &args.common.bind);
    let scene = Scene::new(
        &args.operand,
        &args.common.compile,
        draw,
        (&pixel, &sources),
        &args.common.bind,
    )?;
    if args.lists_bindings {
        return super::bindings::list_of_draw(&args, draw, &scene, &pixel, &sources);
    }
    let device = device::open(&args.common.device, false)?;
    if draw.is_packed_by_device && device.gpu().is_none() {
        let problem = Problem::input("`--packing device` leaves the packing to a GPU");
        return Err(problem.help("--engine vulkan").into());
    }
    let pipeline = scene.pipeline(&device, &scene.state, (&pixel, &sources))?;
    draw::tell_of_ignored(&pipeline);
    let widths = draw::widths(&args.common.launch, &pipeline)?;
    let mut tables = Tables::bind(&args.common.bind, &scene, &pixel, draw.size, &sources)?;
    let auto = tables.auto.take();
    if let Some(auto) = &auto {
        terminal::note(&auto.told());
    }
    let surfaces = surfaces(&mut args, &scene.state, draw, &pixel)?;
    let is_surface = |name: &str| surfaces.iter().any(|it| it.name == name);
    let prints: Vec<_> = args.prints.extract_if(.., |it| is_surface(&it.name)).collect();
    let outs: Vec<_> = args.outs.extract_if(.., |it| is_surface(&it.0)).collect();
    let shaders = scene.shaders().into_iter().map(|it| it.1);
    let shaders: Vec<&Shader> = std::iter::once(&pixel).chain(shaders).collect();
    let mut all = views(&args, &tables.bounds().collect::<Vec<_>>(), &shaders, &sources)?;
    args.prints.splice(..0, prints);
    args.outs.splice(..0, outs);
    let of_draw = surfaces.len();
    all.splice(..0, surfaces);
    check_outs(&args, &all, widths.len())?;
    let target = &all[0].name;
    if draw.overlay.is_some() && !args.outs.iter().any(|it| it.0 == *target) {
        let what =
            format!("`--overlay` draws over the picture of `{target}`, which no file is named for");
        return Err(Problem::input(what).help("name one: -o lanes.png").into());
    }
    let contents = tables.contents();
    let (mut outcomes, mut printed) = (Vec::<(u32, Rc<Outcome>)>::new(), Vec::new());
    let mut engines = Vec::new();
    for width in &widths {
        let fallback = || pipeline.fallback(*width);
        engines.extend(told(&args, device.engine(), "", *width, fallback, String::new));
        tables.restore(&contents);
        let log = pixel.prints().then(|| Arc::new(PrintLog::new(args.common.launch.print_limit)));
        let (scene, state) = (&scene, &scene.state);
        let job = Once { pipeline: &pipeline, scene, state, draw, width: *width };
        let left = job.run(&args, &watch, log.clone(), &tables.all(None));
        if let Some(log) = log {
            printed.push((*width, pixel.printed(&log)));
        }
        let left = left.map_err(|error| {
            let late = watch.cancel.load(std::sync::atomic::Ordering::Relaxed);
            draw::problem(&error, *width, &args.common.launch, late, &sources)
        })?;
        let mut buffers: Vec<Slot> = all[..of_draw]
            .iter()
            .map(|view| {
                let bytes = left.iter().find(|it| it.0 == view.name).map(|it| it.1.clone());
                let bytes = bytes.unwrap_or_default().into();
                Slot { bytes, what: view.texture.map_or_else(What::default, What::texture_of) }
            })
            .collect();
        for view in &all[of_draw..] {
            let mut held =
                tables.bounds().filter_map(|it| it.table.get(&view.resource, view.element));
            let slot = held.next().map(|it| it.clone()).unwrap_or_default();
            buffers.push(crate::feedback::decoded(slot));
        }
        let outcome = Outcome { buffers };
        let same = outcomes.iter().find(|(_, it)| **it == outcome).map(|(_, it)| it.clone());
        outcomes.push((*width, same.unwrap_or_else(|| Rc::new(outcome))));
    }
    let runs = Runs { views: all, outcomes, printed, engines, auto, missed: None };
    for (name, path) in &args.outs {
        match draw.overlay.filter(|_| *name == runs.views[0].name) {
            Some(overlay) => overlay::write(overlay, &args, draw, &scene, &device, &runs, path)?,
            None => write_out(&runs, name, path)?,
        }
    }
    watch.stop();
    let is_written = |view: &ResultBuffer| args.outs.iter().any(|it| view.is_called(&it.0));
    match args.common.output {
        Output::Json => show::json(&runs, &sources, &mut terminal::out())?,
        // Targets that are written to files are not shown as numbers, unless requested.
        _ if args.prints.is_empty() && runs.views.iter().all(is_written) => {}
        Output::Text | Output::Github | Output::Sarif | Output::Junit => {
            show::text(&runs, &args.prints, &sources, &mut terminal::out())?
        }
    }
    Ok(if report_failures(&runs, &sources) { Exit::Findings } else { Exit::Fine })
}

/// The results of a draw besides buffers: the targets, and the planes of the depth buffer that are requested by name.
/// Turns the file name for targets into one for each.
fn surfaces(
    args: &mut RunArgs,
    state: &State,
    draw: &DrawArgs,
    pixel: &Shader,
) -> Result<Vec<ResultBuffer>, Problem> {
    let view = |name: &str, format: Format| ResultBuffer {
        resource: name.to_owned(),
        element: 0,
        name: name.to_owned(),
        kind: "Texture2D",
        layout: Layout::of_texel(format),
        members: Vec::new(),
        texture: Some(Shape::new(format, draw.size[0], draw.size[1], 1)),
        map: None,
        writable: true,
        has_counter: false,
    };
    let mut views: Vec<ResultBuffer> =
        state.targets().map(|(name, format)| view(name, format)).collect();
    if let Some(file) = &args.target_file {
        let files = views.iter().enumerate().map(|(place, it)| {
            let path = match file.rsplit_once('.') {
                _ if file.contains("{target}") => file.replace("{target}", &it.name),
                Some((stem, ending)) if place > 0 => format!("{stem}-{}.{ending}", it.name),
                _ => file.clone(),
            };
            (it.name.clone(), path)
        });
        args.outs.extend(files);
    }
    let is_wanted = |name: &str| {
        let mut prints = args.prints.iter().map(|it| it.name.as_str());
        let mut outs = args.outs.iter().map(|it| it.0.as_str());
        pixel.resource(name).is_none() && (prints.any(|it| it == name) || outs.any(|it| it == name))
    };
    for (name, format, is_there, help) in [
        (DEPTH, state.depth_format(), state.has_depth(), "`--depth less` tests and writes one"),
        (STENCIL, stencil_format(), state.has_stencil(), "`--stencil '{ … }'` tests one"),
    ] {
        if !is_wanted(name) {
            continue;
        }
        if !is_there {
            let what = format!("the draw has no {}", name.to_lowercase());
            return Err(Problem::input(what).help(help));
        }
        views.push(view(name, format));
    }
    Ok(views)
}

fn stencil_format() -> Format {
    Format::parse("R8_UINT").unwrap_or_else(|| unreachable!("it is a format"))
}

/// One draw at a width.
pub(super) struct Once<'a> {
    pub(super) pipeline: &'a GraphicsPipeline,
    pub(super) scene: &'a Scene,
    pub(super) state: &'a State,
    pub(super) draw: &'a DrawArgs,
    pub(super) width: u32,
}

impl Once<'_> {
    /// Draws; returns the texels of the targets, resolved, and the planes of the depth buffer, by their names.
    pub(super) fn run(
        &self,
        args: &RunArgs,
        watch: &Watch,
        prints: Option<Arc<PrintLog>>,
        tables: &StageTables<'_>,
    ) -> Result<Vec<(String, Vec<u8>)>, DrawError> {
        let (mut draw, attachments) = self.scene.draw(self.draw, self.state)?;
        draw.wave_size = Some(self.width);
        draw.fuel = args.common.launch.fuel.at(self.width);
        draw.cancel = Some(watch.cancel.clone());
        draw.progress = Some(watch.progress.clone());
        draw.prints = prints;
        draw.record = self.draw.is_packed_by_device.then(Arc::default);
        self.pipeline.draw_stages(&draw, tables)?;
        let mut left: Vec<_> = self.state.names().into_iter().zip(attachments.texels()?).collect();
        left.extend(attachments.depth()?.map(|it| (DEPTH.to_owned(), it.1)));
        left.extend(attachments.stencil()?.map(|it| (STENCIL.to_owned(), it)));
        Ok(left)
    }
}
