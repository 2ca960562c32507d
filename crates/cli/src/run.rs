//! `wavelane run`: binds buffers, runs a shader at one or several widths, shows and compares what came out.

pub(crate) mod bind;
mod compare;
mod picture;
mod show;
pub(crate) mod texture;
pub(crate) mod watch;

use std::rc::Rc;
use std::sync::atomic::Ordering;

use wavelane::internal::diag::SourceMap;
use wavelane::internal::{self, Slot, Slots};
use wavelane::{
    ComputePipeline, Dispatch, DispatchError, Engine, Layout, ResourceTable, Shader, Span, Trap,
};

use crate::args::{Args, Output, WaveSizes};
use crate::problem::{Exit, Problem};
use crate::{End, compile, terminal};
use bind::Bound;
use watch::Watch;

/// What a run left in the buffers that are shown, written or compared.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// In the order of [`Plan::views`].
    buffers: Vec<Slot>,
}

/// A buffer whose contents matter after a run.
struct View {
    /// The name of the resource, and which element of its array.
    resource: String,
    element: u32,
    /// As users write it: `Out` or `Out[2]`.
    name: String,
    /// What the declaration says, such as `RWStructuredBuffer`.
    kind: &'static str,
    layout: Layout,
    texture: Option<wavelane::texture::Shape>,
    writable: bool,
    has_counter: bool,
}

/// The results of all widths.
struct Runs {
    views: Vec<View>,
    /// Equal outcomes are held once.
    outcomes: Vec<(u32, Rc<Outcome>)>,
    /// For each of them what ran the lanes; nothing where nobody asked, so that results look alike on every host.
    engines: Vec<Ran>,
}

/// What ran the lanes of a run, and what it was that the engine asked for does not do.
struct Ran {
    engine: Engine,
    instead: Option<String>,
}

pub(crate) fn run(mut args: Args) -> Result<Exit, End> {
    if crate::test::is_job(args.operand()?) {
        return crate::test::run_job(&args);
    }
    let groups: u64 = args.groups.iter().map(|it| u64::from(*it)).product();
    // One time for all that is done, from the first token on.
    let watch = Watch::start(args.timeout, groups);
    args.options.cancel = watch.cancel.clone().into();
    let (shader, sources) = compile::shader(args.operand()?, &args)?;
    let device = crate::caps::device(&args)?;
    let pipeline = device
        .create_compute_pipeline(&shader)
        .map_err(|it| crate::caps::problem(&it, &sources))?;
    let widths = widths(&args, &shader, &pipeline)?;
    let mut bound = bind::bind(&args, &shader, &sources)?;
    let views = views(&args, &bound)?;
    check_outs(&args, &views, widths.len())?;

    let engine = device.engine();
    let runs =
        run_all(&args, engine, &pipeline, &widths, &mut bound.table, views, &sources, watch)?;
    for (name, path) in &args.outs {
        write_out(&runs, name, path)?;
    }
    match args.output {
        Output::Json => show::json(&runs, &mut terminal::out())?,
        Output::Text | Output::Github | Output::Sarif | Output::Junit => {
            show::text(&runs, &args.prints, &mut terminal::out())?
        }
    }
    Ok(Exit::Fine)
}

/// The widths to run at, ascending.
pub(crate) fn widths(
    args: &Args,
    shader: &Shader,
    pipeline: &ComputePipeline,
) -> Result<Vec<u32>, Problem> {
    let allowed = pipeline.wave_sizes();
    let list = match &args.wave_sizes {
        WaveSizes::Default => return Ok(vec![pipeline.default_wave_size()]),
        WaveSizes::All => return Ok(allowed.to_vec()),
        WaveSizes::List(list) => list.clone(),
    };
    match list.iter().find(|it| !allowed.contains(it)) {
        None => Ok(list),
        Some(width) => {
            let by_adapter = args.adapter.options1.wave_lane_count;
            let who = match by_adapter.contains(*width) {
                true => format!("the `[WaveSize]` of `{}`", shader.entry()),
                false => format!("the adapter `{}`", args.adapter.name),
            };
            let allowed: Vec<String> = allowed.iter().map(u32::to_string).collect();
            let problem = Problem::new(
                Exit::Unsupported,
                format!("waves of {width} lanes are not allowed by {who}"),
            );
            Err(problem.help(format!("the widths there are: {}", allowed.join(", "))))
        }
    }
}

/// The buffers that are shown, written or compared: those the shader can write, and what was asked for by name.
fn views(args: &Args, bound: &Bound) -> Result<Vec<View>, Problem> {
    let wanted: Vec<&str> = args
        .prints
        .iter()
        .chain(args.outs.iter().map(|(name, _)| name))
        .map(String::as_str)
        .collect();
    let mut views = Vec::new();
    for (resource, element, buffer) in bound.table.iter() {
        let is_array = resource.count != Some(1);
        let name =
            if is_array { format!("{}[{element}]", resource.name) } else { resource.name.clone() };
        let by_name = wanted.iter().any(|it| *it == name || *it == resource.name);
        if !by_name && !resource.kind.writable() {
            continue;
        }
        let view = resource.kind.view();
        let layout = match bound.shown_as(&resource.name, element) {
            Some(scalar) => Layout::uniform(scalar, 1),
            None if buffer.texture.is_some() => texture::layout(&buffer),
            None => Layout::of(&resource.kind, buffer.format),
        };
        views.push(View {
            resource: resource.name.clone(),
            element,
            name,
            kind: view.name,
            layout,
            texture: buffer.texture,
            writable: view.writable,
            has_counter: view.counter,
        });
    }
    for name in wanted {
        if !views.iter().any(|it| it.name == name || it.resource == name) {
            let known = bound.table.iter().map(|(resource, ..)| resource.name.as_str());
            return Err(bind::unknown(&format!("no buffer `{name}` is bound"), name, known));
        }
    }
    Ok(views)
}

fn check_outs(args: &Args, views: &[View], widths: usize) -> Result<(), Problem> {
    for (name, path) in &args.outs {
        let fitting: Vec<&View> =
            views.iter().filter(|it| it.name == *name || it.resource == *name).collect();
        if let [_, other, ..] = fitting.as_slice() {
            return Err(Problem::input(format!("`{name}` is an array of buffers"))
                .help(format!("--out {}={path}", other.name)));
        }
        if widths > 1 && !path.contains("{width}") {
            let (stem, ending) = path.rsplit_once('.').unwrap_or((path, "npy"));
            let problem = Problem::input(format!(
                "`--out {name}={path}` names one file for {widths} wave sizes"
            ));
            return Err(problem.help(format!("--out {name}={stem}-{{width}}.{ending}")));
        }
        match path.rsplit_once('.').map(|(_, ending)| ending) {
            Some("bin") => {}
            Some("png") => {
                let shape = fitting.iter().find_map(|it| it.texture);
                texture::check_png(name, shape)?;
            }
            Some("npy") if fitting.iter().any(|it| it.texture.is_some_and(|it| it.levels > 1)) => {
                let what = format!("`{name}` has several mip levels; `.npy` holds one array");
                return Err(
                    Problem::input(what).help("write its bytes: a file that ends in `.bin`")
                );
            }
            Some("npy") if fitting.iter().all(|it| it.layout.only().is_some()) => {}
            Some("npy") => {
                let problem = Problem::input(format!(
                    "`{name}` holds scalars of several types, or gaps; `.npy` holds one type"
                ));
                return Err(problem.help("write its bytes: a file that ends in `.bin`"));
            }
            _ => {
                return Err(Problem::input(format!(
                    "`{path}` ends in none of `.npy`, `.bin` and, for textures, `.png`"
                )));
            }
        }
    }
    Ok(())
}

/// What lies where runs can change it, so that each of several can start from the same.
pub(crate) struct Contents(Vec<(String, u32, Slot)>);

impl Contents {
    pub(crate) fn of(table: &ResourceTable) -> Contents {
        let written = table.iter().filter(|(resource, ..)| resource.kind.writable());
        let each = written
            .map(|(resource, element, buffer)| (resource.name.clone(), element, buffer.clone()));
        Contents(each.collect())
    }

    pub(crate) fn restore(&self, table: &mut ResourceTable) {
        for (name, element, contents) in &self.0 {
            if let Some(mut buffer) = table.get_mut(name, *element) {
                buffer.clone_from(contents);
            }
        }
    }
}

/// Runs at every width, each time from the same contents.
#[allow(clippy::too_many_arguments, reason = "a run is made of all of these")]
fn run_all(
    args: &Args,
    engine: Engine,
    pipeline: &ComputePipeline,
    widths: &[u32],
    table: &mut ResourceTable,
    views: Vec<View>,
    sources: &SourceMap,
    mut watch: Watch,
) -> Result<Runs, Problem> {
    let contents = (widths.len() > 1).then(|| Contents::of(table));
    let mut outcomes: Vec<(u32, Rc<Outcome>)> = Vec::new();
    let mut engines = Vec::new();
    for width in widths {
        if let Some(contents) = &contents {
            contents.restore(table);
        }
        watch.next(*width, pipeline.steps(args.groups, *width));
        let dispatch = Dispatch {
            groups: args.groups,
            wave_size: Some(*width),
            lane_order: args.lane_order,
            schedule: args.schedule,
            fuel: args.fuel.at(*width),
            cancel: Some(watch.cancel.clone()),
            progress: Some(watch.progress.clone()),
        };
        // Who has not asked for the engine does not mind who does its work: the results are the same.
        if args.verbose || args.engine.is_some() {
            let instead = pipeline.fallback(&dispatch, table);
            match &instead {
                Some(what) => terminal::note(&format!(
                    "the engine `cpu` does not do {what}: the reference engine runs waves of {width} lanes"
                )),
                None if args.verbose => terminal::note(&format!(
                    "the engine `{}` runs waves of {width} lanes",
                    engine.name()
                )),
                None => {}
            }
            let engine = if instead.is_some() { Engine::Interp } else { engine };
            engines.push(Ran { engine, instead });
        }
        if let Err(error) = internal::dispatch(pipeline, &dispatch, table) {
            let late = watch.cancel.load(Ordering::Relaxed);
            watch.stop();
            return Err(failed(&error, *width, args, late, sources));
        }
        // Nobody needs the table after the last run, and buffers can be large.
        let is_last = Some(width) == widths.last();
        let leave = |it: &View| match table.get_mut(&it.resource, it.element) {
            Some(mut slot) if is_last => std::mem::take(&mut *slot),
            Some(slot) => slot.clone(),
            None => Slot::default(),
        };
        let buffers = views.iter().map(leave).collect();
        let outcome = Outcome { buffers };
        let same = outcomes.iter().find(|(_, it)| **it == outcome).map(|(_, it)| it.clone());
        outcomes.push((*width, same.unwrap_or_else(|| Rc::new(outcome))));
    }
    watch.stop();
    Ok(Runs { views, outcomes, engines })
}

/// The report about a dispatch that did not come to its end.
pub(crate) fn failed(
    error: &DispatchError,
    width: u32,
    args: &Args,
    late: bool,
    sources: &SourceMap,
) -> Problem {
    match error {
        DispatchError::Trap(trap) => {
            let (what, label, span) = match trap {
                Trap::OutOfFuel { span } => {
                    let fuel = args.fuel.at(width).unwrap_or(0);
                    (
                        format!("the fuel of {fuel} wave-instructions is spent"),
                        "the run had come to here",
                        Some(*span),
                    )
                }
                Trap::Cancelled { span } if late => {
                    let seconds = args.timeout.unwrap_or_default().as_secs_f64();
                    (
                        format!("the time of {seconds} s is spent"),
                        "the run had come to here",
                        Some(*span),
                    )
                }
                Trap::Cancelled { span } => ("the run was cancelled".to_owned(), "", Some(*span)),
                Trap::Deadlock { span } => {
                    (format!("deadlock: {error}"), "a wave waits here", Some(*span))
                }
                Trap::OutOfMemory { .. } | Trap::DeviceLost { .. } => (error.to_string(), "", None),
            };
            let problem =
                Problem::new(Exit::Findings, format!("{what}, with waves of {width} lanes"));
            let problem = problem.at(span.unwrap_or(Span::NONE), label, sources);
            match trap {
                Trap::OutOfFuel { .. } => {
                    problem.help("if the loop does end, give more: --fuel N, or --fuel none")
                }
                Trap::Cancelled { .. }
                | Trap::Deadlock { .. }
                | Trap::OutOfMemory { .. }
                | Trap::DeviceLost { .. } => problem,
            }
        }
        DispatchError::Bug(bug) => Problem::bug(&bug.message),
        DispatchError::TooLarge(what) => {
            let problem = Problem::input(error.to_string()).at(what.span, "declared here", sources);
            problem.help("make the array smaller, or the group, or keep it in a buffer")
        }
        DispatchError::WaveSize { .. } | DispatchError::Unsupported(_) => {
            Problem::new(Exit::Unsupported, error.to_string().trim_start_matches("unsupported: "))
        }
        _ => Problem::input(error.to_string()),
    }
}

fn write_out(runs: &Runs, name: &str, path: &str) -> Result<(), Problem> {
    let index = runs.views.iter().position(|it| it.name == name || it.resource == name);
    let Some(index) = index else { return Ok(()) };
    for (width, outcome) in &runs.outcomes {
        let path = path.replace("{width}", &width.to_string());
        let (view, buffer) = (&runs.views[index], &outcome.buffers[index]);
        let bytes = match view.texture {
            Some(shape) if !path.ends_with(".bin") => {
                texture::file(&shape, &view.layout, &buffer.bytes, path.ends_with(".png"))
                    .map_err(|what| Problem::input(format!("`{path}`: {what}")))?
            }
            _ => show::file(&view.layout, &buffer.bytes, path.ends_with(".npy")),
        };
        std::fs::write(&path, bytes)
            .map_err(|error| Problem::input(format!("`{path}` cannot be written: {error}")))?;
    }
    Ok(())
}
