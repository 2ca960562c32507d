//! `wavelane run`: binds buffers, runs a shader at one or several widths, shows and compares what came out.

mod bindings;
mod compare;
mod draw;
mod job;
mod missed;
mod person;
mod show;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use wavelane::internal::diag::{self, SourceMap};
use wavelane::internal::{self, Missed, Slot, Slots, What};
use wavelane::{
    ComputePipeline, Diagnostic, Dispatch, Engine, Layout, Member, Missing, PrintLog, Printed,
    ResourceTable, Shader,
};

use crate::alias;
use crate::args::Line;
use crate::asked::{DrawArgs, LowArgs, Output};
use crate::auto::{self, Auto};
use crate::bind::{self, Bound};
use crate::common::Common;
use crate::configuration::configuration;
use crate::fitting::{self, Running};
use crate::heap::Taken;
use crate::launch::{Contents, failed, widths};
use crate::problem::{End, Exit, Problem};
use crate::watch::Watch;
use crate::{compile, device, feedback, missing, operand, printed, terminal, texture};

use person::Base;

/// What `run` needs.
pub(crate) struct RunArgs {
    operand: String,
    common: Common,
    prints: Vec<Print>,
    outs: Vec<(String, String)>,
    lists_bindings: bool,
    /// Only the configuration for a debugger is printed.
    prints_configuration: bool,
    /// What is drawn, instead of a dispatch.
    draw: Option<DrawArgs>,
    /// Where the targets of a draw go.
    target_file: Option<String>,
}

/// A buffer that is to be shown whole.
pub(crate) struct Print {
    name: String,
    base: Base,
}

impl RunArgs {
    pub(crate) fn new(low: LowArgs, line: Line) -> Result<RunArgs, Problem> {
        let operand = low.operand()?;
        let common = Common::new(&low, line);
        let LowArgs { prints, outs, lists_bindings, draw, target_file, seeing, .. } = low;
        let prints_configuration = seeing.prints_configuration;
        let draw = draw.asked();
        let runs = match &draw {
            _ if operand::is_job(&operand) => Running::Job,
            Some(_) => Running::Draw,
            None => Running::Dispatch,
        };
        fitting::check(&common.line, runs)?;
        fitting::check_one_entry(&common.line)?;
        fitting::check_engine(&common.line, common.device.engine)?;
        if target_file.is_some() && draw.is_none() {
            let problem = Problem::input("`-o` writes the targets of a draw");
            return Err(problem.help("`--draw fullscreen` draws; `--out NAME=FILE` writes buffers"));
        }
        let print = |text: &String| {
            let (name, base) = Base::split(text)
                .map_err(|what| Problem::input(format!("`--print {text}`: {what}")))?;
            Ok(Print { name: name.to_owned(), base })
        };
        let prints = prints.iter().map(print).collect::<Result<_, Problem>>()?;
        Ok(RunArgs {
            operand,
            common,
            prints,
            outs,
            lists_bindings,
            prints_configuration,
            draw,
            target_file,
        })
    }
}

/// The results of a run in the buffers that are shown, written or compared.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// In the order of the views.
    buffers: Vec<Slot>,
}

/// A buffer whose contents matter after a run.
struct ResultBuffer {
    /// The name of the resource, and which element of its array.
    resource: String,
    element: u32,
    /// As a user writes it: `Out` or `Out[2]`.
    name: String,
    /// The kind in the declaration, such as `RWStructuredBuffer`.
    kind: &'static str,
    layout: Layout,
    /// The members of an element, where it is shown as it was declared.
    members: Vec<Member>,
    texture: Option<wavelane::texture::Shape>,
    /// Of a feedback map, whose decoded texels are shown.
    map: Option<internal::FeedbackMap>,
    writable: bool,
    has_counter: bool,
}

impl ResultBuffer {
    /// Whether a name of the command line means it.
    fn is_called(&self, name: &str) -> bool {
        name == self.name || name == self.resource
    }
}

/// The results of all widths.
struct Runs {
    views: Vec<ResultBuffer>,
    /// Equal outcomes are held once.
    outcomes: Vec<(u32, Rc<Outcome>)>,
    /// What each of them printed; empty if the shader cannot print.
    printed: Vec<(u32, Printed)>,
    /// The engine that ran each of them; empty unless requested, so that the output is the same on every host.
    engines: Vec<Ran>,
    /// What was made up, and what missed.
    auto: Option<Auto>,
    missed: Option<Missed>,
}

/// The engine that ran a run, and the feature that the requested engine lacks.
struct Ran {
    engine: Engine,
    instead: Option<String>,
}

/// Reports which engine runs waves of that width, if one was requested: without `--engine` it does not matter, since
/// the results are the same. `which` begins the line if there are several passes.
fn told(
    args: &RunArgs,
    engine: Engine,
    which: &str,
    width: u32,
    fallback: impl FnOnce() -> Option<String>,
    order: impl FnOnce() -> String,
) -> Option<Ran> {
    if !args.common.device.verbose && args.common.device.engine.is_none() {
        return None;
    }
    let instead = fallback();
    match &instead {
        Some(what) => terminal::note(&format!(
            "{which}the engine `cpu` does not support {what}: the reference engine runs waves of {width} lanes"
        )),
        None if args.common.device.verbose => {
            let (engine, order) = (engine.name(), order());
            terminal::note(&format!(
                "{which}the engine `{engine}` runs waves of {width} lanes{order}"
            ));
        }
        None => {}
    }
    let engine = if instead.is_some() { Engine::Interp } else { engine };
    Some(Ran { engine, instead })
}

pub(crate) fn run(mut args: RunArgs) -> Result<Exit, End> {
    if args.prints_configuration {
        let configuration = configuration(&args.operand, &args.common.line);
        terminal::print(&format!("{configuration:#}\n"))?;
        return Ok(Exit::Fine);
    }
    if operand::is_job(&args.operand) {
        return job::run_job(&args);
    }
    if let Some(draw) = args.draw.take() {
        return draw::run_draw(args, &draw);
    }
    let groups: u64 = args.common.launch.groups.iter().map(|it| u64::from(*it)).product();
    // One time limit for everything, from the first token on.
    let watch = Watch::start(args.common.launch.timeout, groups);
    args.common.compile.timeout = args.common.launch.timeout;
    args.common.compile.options.cancel = watch.cancel.clone().into();
    let (shader, sources) = compile::shader(&args.operand, &args.common.compile)?;
    let shader = auto::prepared(shader, &args.common.bind);
    let shader = alias::applied(shader, &args.common.bind, &sources)?;
    if args.lists_bindings {
        return bindings::list(&args, &shader, &sources);
    }
    let device = device::open(&args.common.device, false)?;
    let pipeline =
        device.create_compute_pipeline(&shader).map_err(|error| match error.missing {
            Missing::Stage => {
                let what = format!("`{}` is not a compute shader", shader.entry());
                Problem::new(Exit::BadInput, what)
                    .help("`--draw fullscreen` draws with a pixel shader; a job draws with any two")
            }
            _ => device::problem(&error, &sources),
        })?;
    let widths = widths(&args.common.launch, &args.common.device.adapter, &shader, &pipeline)?;
    let mut bound = bind::bind(&args.common.bind, args.common.launch.groups, &shader, &sources)?;
    if let Some(auto) = bound.auto.as_ref() {
        terminal::note(&auto.told());
    }
    let views = views(&args, &[&bound], &[&shader], &sources)?;
    check_outs(&args, &views, widths.len())?;

    let engine = device.engine();
    if shader.prints() && device.is_gpu() {
        let note = "what the shader prints is left to the tools of the GPU; \
                    `--engine cpu` shows the lines";
        terminal::note(note);
    }
    let program = Program { engine, shader: &shader, pipeline: &pipeline, sources: &sources };
    let mut runs = run_all(&args, &program, &widths, &mut bound.table, views, watch)?;
    runs.auto = bound.auto;
    if let Some(line) = runs.missed.as_ref().and_then(missed::told) {
        terminal::note(&line);
    }
    for (name, path) in &args.outs {
        write_out(&runs, name, path)?;
    }
    match args.common.output {
        Output::Json => show::json(&runs, &sources, &mut terminal::out())?,
        Output::Text | Output::Github | Output::Sarif | Output::Junit => {
            show::text(&runs, &args.prints, &sources, &mut terminal::out())?
        }
    }
    Ok(if report_failures(&runs, &sources) { Exit::Findings } else { Exit::Fine })
}

/// Reports each assertion that failed once, with all its widths; returns whether there are any.
fn report_failures(runs: &Runs, sources: &SourceMap) -> bool {
    let mut all: Vec<(Diagnostic, Vec<u32>)> = Vec::new();
    for (width, found) in &runs.printed {
        for report in printed::failures(found, sources) {
            match all.iter_mut().find(|it| printed::is_same(&it.0, &report)) {
                Some((_, widths)) if widths.contains(width) => {}
                Some((_, widths)) => widths.push(*width),
                None => all.push((report, vec![*width])),
            }
        }
    }
    for (report, widths) in all {
        let report = printed::seen_with(report, &widths);
        terminal::say(&diag::render(&report, sources, terminal::style()));
    }
    // Of failures that were all beyond `--print-limit`, only their number is known.
    runs.printed.iter().any(|(_, it)| it.has_failures())
}

/// The buffers that are shown, written or compared: those the shader can write, and those requested by name. Each
/// shader comes with what is bound to it.
fn views(
    args: &RunArgs,
    bound: &[&Bound],
    shaders: &[&Shader],
    sources: &SourceMap,
) -> Result<Vec<ResultBuffer>, Problem> {
    let prints = args.prints.iter().map(|it| it.name.as_str());
    let wanted: Vec<&str> = prints.chain(args.outs.iter().map(|it| it.0.as_str())).collect();
    let mut views: Vec<ResultBuffer> = Vec::new();
    let each = || bound.iter().flat_map(|of| of.table.iter().map(move |it| (of, it)));
    let taken: Vec<Taken<'_>> =
        shaders.iter().zip(bound).map(|(shader, bound)| Taken::of(shader, bound)).collect();
    for (of, (resource, element, buffer)) in each() {
        // A buffer that several shaders of a draw use is listed once.
        if views.iter().any(|it| it.resource == resource.name && it.element == element) {
            continue;
        }
        let is_array = resource.count != Some(1);
        let name =
            if is_array { format!("{}[{element}]", resource.name) } else { resource.name.clone() };
        let by_name = wanted.iter().any(|it| *it == name || *it == resource.name);
        let class = resource.register.class;
        let (mut view, mut writable) = (resource.kind.view(), resource.kind.writable());
        if writable && class.is_heap() {
            // The table shows whether an element may be written, and the code whether it is.
            let views = || taken.iter().flat_map(|it| it.views(class, element));
            writable = views().any(|it| it.kind.writable());
            let mut read = views().map(|it| it.kind.view());
            if let Some(read) = read.find(|it| !writable && it.contents == view.contents) {
                view = read;
            }
        }
        if !by_name && !writable {
            continue;
        }
        let layout = match of.shown_as(&resource.name, element) {
            Some(scalar) => Layout::uniform(scalar, 1),
            None => match &buffer.what {
                What::Feedback(_) => feedback::layout(),
                What::Texture { .. } => texture::layout(&buffer),
                _ => Layout::of(&resource.kind, buffer.what.format()),
            },
        };
        views.push(ResultBuffer {
            resource: resource.name.clone(),
            element,
            name,
            kind: view.name,
            layout,
            members: view.members.to_vec(),
            texture: buffer.what.feedback().map(feedback::shape).or(buffer.what.texture()),
            map: buffer.what.feedback().copied(),
            writable,
            has_counter: view.counter,
        });
    }
    for name in wanted {
        if !views.iter().any(|it| it.is_called(name)) {
            let unused = |it: &&Shader| it.unreached().iter().position(|it| it.name == name);
            if let Some((shader, at)) = shaders.iter().find_map(|it| Some((it, unused(it)?))) {
                return Err(missing::leaves_nothing(&shader.unreached()[at], shader, sources));
            }
            let known = each().map(|(_, (resource, ..))| resource.name.as_str());
            return Err(missing::unknown(&format!("no buffer `{name}` is bound"), name, known));
        }
    }
    Ok(views)
}

fn check_outs(args: &RunArgs, views: &[ResultBuffer], widths: usize) -> Result<(), Problem> {
    for (name, path) in &args.outs {
        let fitting: Vec<&ResultBuffer> =
            views.iter().filter(|it| it.name == *name || it.resource == *name).collect();
        if let [_, other, ..] = fitting.as_slice() {
            return Err(Problem::input(format!("`{name}` is an array of buffers"))
                .help(format!("--out {}={path}", other.name)));
        }
        if widths > 1 && !path.contains("{width}") {
            let (flag, path) = match &args.target_file {
                Some(file) if views.first().is_some_and(|it| it.name == *name) => {
                    ("-o ".to_owned(), file)
                }
                _ => (format!("--out {name}="), path),
            };
            let (stem, ending) = path.rsplit_once('.').unwrap_or((path, "npy"));
            let what = format!("`{flag}{path}` names one file for {widths} wave sizes");
            return Err(Problem::input(what).help(format!("{flag}{stem}-{{width}}.{ending}")));
        }
        let has_levels = |it: &&ResultBuffer| it.map.is_some_and(|it| feedback::has_levels(&it));
        let is_bare = !path.ends_with(".bin") && !path.contains("{level}");
        if is_bare && fitting.iter().any(has_levels) {
            let (stem, ending) = path.rsplit_once('.').unwrap_or((path, "npy"));
            let what = format!("`{name}` has several levels, each of which is a file");
            let help = format!("--out {name}={stem}-{{level}}.{ending}");
            return Err(Problem::input(what).help(help));
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
                    "`{path}` has an unknown ending; expected `.npy`, `.bin` or, for textures, `.png`"
                )));
            }
        }
    }
    Ok(())
}

/// A compiled shader, and the engine that runs it.
struct Program<'a> {
    engine: Engine,
    shader: &'a Shader,
    pipeline: &'a ComputePipeline,
    sources: &'a SourceMap,
}

/// Runs at every width, each time from the same contents.
fn run_all(
    args: &RunArgs,
    program: &Program<'_>,
    widths: &[u32],
    table: &mut ResourceTable,
    views: Vec<ResultBuffer>,
    mut watch: Watch,
) -> Result<Runs, Problem> {
    let Program { engine, shader, pipeline, sources } = *program;
    let contents = (widths.len() > 1).then(|| Contents::of(table));
    let mut outcomes: Vec<(u32, Rc<Outcome>)> = Vec::new();
    let mut engines = Vec::new();
    let mut found: Option<Missed> = None;
    let mut all_printed = Vec::new();
    for width in widths {
        if let Some(contents) = &contents {
            contents.restore(table);
        }
        watch.next(*width, pipeline.steps(args.common.launch.groups, *width));
        let log = shader.prints().then(|| Arc::new(PrintLog::new(args.common.launch.print_limit)));
        let dispatch = Dispatch {
            groups: args.common.launch.groups,
            wave_size: Some(*width),
            lane_order: args.common.launch.lane_order,
            schedule: args.common.launch.schedule,
            fuel: args.common.launch.fuel.at(*width),
            cancel: Some(watch.cancel.clone()),
            progress: Some(watch.progress.clone()),
            prints: log.clone(),
        };
        let order = || pipeline.order(*width).map_or(String::new(), |it| format!(" {it}"));
        let fallback = || pipeline.fallback(&dispatch, table);
        engines.extend(told(args, engine, "", *width, fallback, order));
        let is_wanted = found.as_ref().is_none_or(Missed::is_empty);
        // The counting run is separate, and prints nothing.
        let silent = Dispatch { prints: None, ..dispatch.clone() };
        let counting = is_wanted.then(|| missed::count(pipeline, &silent, table)).flatten();
        let ended = internal::dispatch(pipeline, &dispatch, table);
        found = missed::counted_by(counting).or(found);
        if let Some(log) = log {
            all_printed.push((*width, shader.printed(&log)));
        }
        if let Err(error) = ended {
            let late = watch.cancel.load(Ordering::Relaxed);
            watch.stop();
            // The output of a run that was cut off is often what the user is looking for.
            if args.common.output == Output::Text
                && let Some((_, printed)) = all_printed.last()
            {
                terminal::say(&jobs::printed_text(&[jobs::PrintedLines::new(printed, sources)]));
            }
            return Err(failed(&error, *width, &args.common.launch, late, sources));
        }
        // The table is not needed after the last run, and buffers can be large.
        let is_last = Some(width) == widths.last();
        let is_shared = shader.aliases().next().is_some();
        let mut leave = |it: &ResultBuffer| match table.get_mut(&it.resource, it.element) {
            Some(mut slot) if is_last && !is_shared => std::mem::take(&mut *slot),
            Some(slot) => slot.clone(),
            None => Slot::default(),
        };
        let buffers = views.iter().map(|it| feedback::decoded(leave(it))).collect();
        let outcome = Outcome { buffers };
        let same = outcomes.iter().find(|(_, it)| **it == outcome).map(|(_, it)| it.clone());
        outcomes.push((*width, same.unwrap_or_else(|| Rc::new(outcome))));
    }
    watch.stop();
    Ok(Runs { views, outcomes, printed: all_printed, engines, auto: None, missed: found })
}

fn write_out(runs: &Runs, name: &str, path: &str) -> Result<(), Problem> {
    let index = runs.views.iter().position(|it| it.name == name || it.resource == name);
    let Some(index) = index else { return Ok(()) };
    for (width, outcome) in &runs.outcomes {
        let path = path.replace("{width}", &width.to_string());
        let (view, buffer) = (&runs.views[index], &outcome.buffers[index]);
        if let Some(map) = view.map.filter(|_| !path.ends_with(".bin")) {
            let levels = map.map.held_levels();
            for level in 0..levels {
                let path = path.replace("{level}", &level.to_string());
                let bytes = feedback::file(&map, &buffer.bytes, level, path.ends_with(".png"))
                    .map_err(|what| Problem::input(format!("`{path}`: {what}")))?;
                write_file(&path, &bytes)?;
            }
            continue;
        }
        let bytes = match view.texture {
            Some(shape) if !path.ends_with(".bin") => {
                texture::file(&shape, &view.layout, &buffer.bytes, path.ends_with(".png"))
                    .map_err(|what| Problem::input(format!("`{path}`: {what}")))?
            }
            _ => show::file(&view.layout, &buffer.bytes, path.ends_with(".npy")),
        };
        write_file(&path, &bytes)?;
    }
    Ok(())
}

fn write_file(path: &str, bytes: &[u8]) -> Result<(), Problem> {
    std::fs::write(path, bytes)
        .map_err(|error| Problem::input(format!("`{path}` cannot be written: {error}")))
}
