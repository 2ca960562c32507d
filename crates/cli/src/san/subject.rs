//! What `san` examines: a shader with the buffers of the command line, or the runs of tests.
//!
//! Everything is examined in this process, one program after the other; fuel and time-outs bound each. Findings made
//! before a run was given up are kept. Deliberately absent: any judgement of findings.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use jobs::{
    Case, Kind, PassName, Runnable, Sequence, SequenceProgram, Test, TestFile, Widths, Work,
};
use wavelane::internal::{self, Examined, LeftOut, Pace, Seen};
use wavelane::sanitizer::{Plan, Report};
use wavelane::{ComputePipeline, Device, Dispatch, Level, ResourceTable, Shader, SourceMap, Stage};

use super::SanArgs;
use super::assertions::{Failure, Plain};
use super::record::Stop;
use crate::alias;
use crate::asked::{Compiling, Fuel, Launch, WaveSizes};
use crate::auto::{self, Auto};
use crate::command::Command;
use crate::compile::{Compiled, flags_of};
use crate::entries::{self, Entries};
use crate::launch::{failed, widths};
use crate::plan::{plan, plan_of};
use crate::problem::{End, Exit, Problem};
use crate::testing::{self, Beside, setup};
use crate::value::counted;
use crate::watch::Watch;
use crate::{bind, compile, device, terminal, walk};

/// A program that was examined.
pub(super) struct Subject {
    /// The file, with the case or the number of the run where it has several.
    pub(super) name: String,
    /// Which run of its test it is, if there are several.
    pub(super) number: Option<usize>,
    pub(super) parts: Vec<Part>,
    pub(super) widths: Vec<u32>,
    /// How often something was run.
    pub(super) runs: usize,
    /// Why the sweep was given up.
    pub(super) stopped: Option<Stop>,
    /// The bindings that were made up.
    pub(super) auto: Option<Auto>,
}

/// A shader of a program, and what was found in it: in which pass, if the program has several.
pub(super) struct Part {
    pub(super) shader: Shader,
    pub(super) sources: SourceMap,
    pub(super) seen: Vec<(Option<PassName>, Seen)>,
    /// What was not compared.
    pub(super) left_out: Vec<(Option<PassName>, LeftOut)>,
    pub(super) failures: Vec<Failure>,
}

impl Subject {
    /// A program that is one dispatch.
    fn one(
        name: String,
        (shader, sources): (Shader, SourceMap),
        plan: Plan,
        found: Found,
    ) -> Subject {
        let Found { report, failures, stopped } = found;
        let (widths, runs) = (plan.widths, report.runs);
        let seen = report.seen.into_iter().map(|it| (None, it)).collect();
        let left_out = report.left_out.into_iter().map(|it| (None, it)).collect();
        let parts = vec![Part { shader, sources, seen, left_out, failures }];
        let stopped = stopped.map(stop);
        Subject { name, number: None, parts, widths, runs, stopped, auto: None }
    }
}

/// What was found in one dispatch.
struct Found {
    report: Report,
    failures: Vec<Failure>,
    /// Why the sweep was given up.
    stopped: Option<Problem>,
}

/// A problem in the report of many programs.
pub(super) fn stop(problem: Problem) -> Stop {
    let place = problem.place.map_or_else(String::new, |(place, _)| format!("{place}: "));
    Stop { exit: problem.exit, why: format!("{place}{}", problem.message) }
}

/// The operands.
pub(super) enum Works {
    /// One shader with the buffers of the command line, and its entry point if the command line does not name it.
    One(Option<String>),
    /// Tests; some of them are entry points of shaders, which are examined like tests of those names.
    Many { tests: Vec<Test>, shaders: BTreeSet<String> },
}

/// Finds the tests and entry points of the operands.
pub(super) fn works(args: &SanArgs) -> Result<Works, Problem> {
    if args.draw.is_some() {
        return Ok(Works::One(None));
    }
    let (mut tests, mut shaders) = (Vec::new(), BTreeSet::new());
    for operand in &args.common.operands {
        let is_case = operand.contains("::") && !Path::new(operand).exists();
        if is_case {
            tests.extend(testing::find(std::slice::from_ref(operand), Command::San)?);
            continue;
        }
        if operand == "-" {
            return Ok(Works::One(None));
        }
        for (file, is_operand) in walk::below(Path::new(operand))? {
            let is_named = is_operand && !args.common.are_of_project;
            let ending = file.extension().and_then(|it| it.to_str()).unwrap_or("");
            if !is_named && !matches!(ending, "test" | "yaml" | "yml" | "hlsl") {
                continue;
            }
            let is_unicode = file.to_str().is_some();
            let file = file.to_string_lossy().replace('\\', "/");
            let text = match crate::files::read_source(&file) {
                Ok((_, text)) if is_unicode => text,
                Err(problem) if is_named => return Err(problem),
                // One file of many: its examination reports why it cannot be read.
                _ => {
                    tests.push(Test { file, case: None });
                    continue;
                }
            };
            if let Ok(found) = jobs::tests(&file, &text) {
                tests.extend(found);
                continue;
            }
            let entries = entries(args, &file, is_named)?;
            if is_named && args.common.operands.len() == 1 && entries.len() <= 1 {
                return Ok(Works::One(entries.into_iter().next()));
            }
            for entry in entries {
                let kind = Kind::Open;
                let test =
                    Test { file: file.clone(), case: Some(Case { name: entry, line: 1, kind }) };
                shaders.insert(test.name());
                tests.push(test);
            }
        }
    }
    if tests.is_empty() && !args.common.operands.is_empty() {
        let what = format!(
            "there is no test and no entry point in `{}`",
            args.common.operands.join("`, `")
        );
        return Err(Problem::input(what));
    }
    if args.common.operands.is_empty() {
        return Ok(Works::One(None));
    }
    Ok(Works::Many { tests, shaders })
}

/// The selected compute shaders of a file.
fn entries(args: &SanArgs, file: &str, is_named: bool) -> Result<Vec<String>, Problem> {
    if is_named && !args.common.entries.is_empty() {
        return Ok(args.common.entries.clone());
    }
    let found = match entries::of_file(file, &args.common.compile)? {
        Entries::Some(found) => found,
        // Compiling it reports what is wrong.
        Entries::Unknown | Entries::None if is_named => {
            return Ok(vec![args.common.compile.options.entry.clone()]);
        }
        Entries::Unknown => return Ok(vec!["main".to_owned()]),
        Entries::None => return Ok(Vec::new()),
    };
    let is_compute = |it: &(String, Option<Stage>)| it.1 == Some(Stage::Compute);
    let is_wanted =
        |it: &String| args.common.entries.is_empty() || args.common.entries.contains(it);
    let all: Vec<String> =
        found.into_iter().filter(is_compute).map(|it| it.0).filter(is_wanted).collect();
    if all.is_empty() && is_named {
        Ok(vec![args.common.compile.options.entry.clone()])
    } else {
        Ok(all)
    }
}

/// The shader that the command line names, with what it binds.
pub(super) fn shader(args: &SanArgs) -> Result<Subject, End> {
    let file = args.common.operand.as_ref().map_err(Clone::clone)?;
    let (shader, sources) = compile::shader(file, &args.common.compile)?;
    Ok(compiled(args, &args.common.launch, file, shader, sources)?)
}

/// A run of one entry point among many ends after this many wave-instructions if its bindings are made up and no other
/// bound is given: it is one of thousands.
const FUEL_OF_MADE_UP: u64 = 1 << 22;

/// An entry point among many. It may have no bindings at all; missing ones are an error only if some are given.
pub(super) fn entry(args: &SanArgs, file: &str, is_known: bool) -> Result<Subject, Stop> {
    let found = compile::compile(file, &args.common.compile, Shader::compile).map_err(stop)?;
    if let Some(why) = why_not(&found, &args.common.compile, args.common.bind.auto.is_some()) {
        return Err(why);
    }
    let Some(shader) = found.shader else {
        return Err(stop(Problem::bug("a compilation gave neither a shader nor an error")));
    };
    let uses = shader.resources().iter().find(|it| it.used);
    let says_nothing = !is_known
        && args.common.bind.auto.is_none()
        && args.common.bind.binds.is_empty()
        && args.common.bind.sets.is_empty();
    if let Some(resource) = uses.filter(|_| says_nothing) {
        let why = format!(
            "nothing is bound to `{}`; `[entry.{}]` in `wavelane.toml` says what is, and `--auto` makes it up",
            resource.name,
            shader.entry()
        );
        return Err(Stop { exit: Exit::Unsupported, why });
    }
    let fuel = match (args.common.launch.fuel, &args.common.bind.auto) {
        (Fuel::Usual, Some(_)) => Fuel::Of(FUEL_OF_MADE_UP),
        (given, _) => given,
    };
    let launch = Launch { fuel, ..args.common.launch.clone() };
    compiled(args, &launch, file, shader, found.sources).map_err(stop)
}

/// Why a compilation gave no shader, if it did not. With made-up bindings, folders may contain foreign files: the first
/// error of each is enough.
fn why_not(found: &Compiled, compiling: &Compiling, is_short: bool) -> Option<Stop> {
    let problem = found.problem()?;
    if !is_short {
        let why = format!("{}\n{}", problem.message, found.rendered(compiling));
        return Some(Stop { exit: problem.exit, why });
    }
    let worst = if problem.exit == Exit::BadInput { Level::Error } else { Level::Unsupported };
    let why = match found.diagnostics.iter().find(|it| it.level == worst) {
        Some(first) => match found.sources.location(first.primary.span) {
            Some(at) => format!("{}:{}:{}: {}", at.file, at.line, at.column, first.message),
            None => first.message.clone(),
        },
        None => problem.message,
    };
    let more = match found.count(worst).saturating_sub(1) {
        0 => String::new(),
        others => format!(" (and {})", counted(others, "more error")),
    };
    Some(Stop { exit: problem.exit, why: format!("{why}{more}") })
}

/// A shader with what the command line binds, or what is made up.
fn compiled(
    args: &SanArgs,
    launch: &Launch,
    file: &str,
    shader: Shader,
    sources: SourceMap,
) -> Result<Subject, Problem> {
    let shader = auto::prepared(shader, &args.common.bind);
    let shader = alias::applied(shader, &args.common.bind, &sources)?;
    let pipeline = Device::new(args.common.device.adapter.clone())
        .create_compute_pipeline(&shader)
        .map_err(|it| device::problem(&it, &sources))?;
    let widths = widths(launch, &args.common.device.adapter, &shader, &pipeline)?;
    let plan = Plan { threads: args.threads, ..plan(&args.san, widths) };
    let mut bound = bind::bind(&args.common.bind, launch.groups, &shader, &sources)?;
    bound.check_names(plan.width_dependent.iter().chain(&plan.unordered))?;
    let of = (&shader, &pipeline, &sources);
    let found = examine(args, launch, of, launch.groups, &plan, &mut bound.table)?;
    let subject = Subject::one(file.to_owned(), (shader, sources), plan, found);
    Ok(Subject { auto: bound.auto, ..subject })
}

/// Examines the runs of a test; `tell` gets each by its name, or why there are none.
pub(super) fn test(
    args: &SanArgs,
    test: &Test,
    file: &TestFile,
    tell: &mut dyn FnMut(String, Result<Box<Subject>, Stop>),
) {
    let device = Device::new(args.common.device.adapter.clone());
    let features = args.common.select.features(device.adapter());
    let flags = flags_of(&args.common.compile);
    let fuel = |width| args.common.launch.fuel.at(width);
    let setup = setup(&args.common.launch, &device, &features, &Widths::All, &flags, &fuel);
    let skip = |exit, why: &str| Err(Stop { exit, why: why.to_owned() });
    let runs = match jobs::prepare(test, file, &setup, &mut Beside::of(&args.common.compile)) {
        Ok(runs) if runs.is_empty() => {
            return tell(test.name(), skip(Exit::Unsupported, "nothing in it runs"));
        }
        Ok(runs) => runs,
        Err(outcome) => {
            let exit = match outcome.verdict {
                jobs::Verdict::Unsupported => Exit::Unsupported,
                jobs::Verdict::Passed | jobs::Verdict::Failed => Exit::BadInput,
            };
            return tell(test.name(), skip(exit, &outcome.message));
        }
    };
    let (several, mut any) = (runs.len() > 1, false);
    for (number, run) in (1..).zip(runs) {
        let widths = match &run {
            Work::Shader(run) => widths_of(args, run.widths.as_ref(), run.pipeline.wave_sizes()),
            Work::Sequence(sequence) => widths_of(args, None, &sequence.wave_sizes()),
            Work::Draw(run) => widths_of(args, run.widths.as_ref(), run.pipeline.wave_sizes()),
        };
        if widths.is_empty() {
            continue;
        }
        any = true;
        let number = several.then_some(number);
        let name = testing::run_name(test, number);
        let subject = match run {
            Work::Shader(run) => runnable(args, *run, widths, name.clone()),
            Work::Sequence(sequence) => self::sequence(args, *sequence, widths, name.clone()),
            Work::Draw(run) => super::draw::drawn(args, *run, widths, name.clone()),
        };
        tell(name, subject.map(|it| Box::new(Subject { number, ..*it })));
    }
    if !any {
        let why = "it supports none of the requested widths";
        tell(test.name(), skip(Exit::Unsupported, why));
    }
}

/// The widths of a test, or all, that its pipeline allows and the command line requests.
fn widths_of(args: &SanArgs, of_test: Option<&Vec<u32>>, allowed: &[u32]) -> Vec<u32> {
    let mut widths = of_test.map_or_else(|| allowed.to_vec(), Vec::clone);
    widths.retain(|it| allowed.contains(it));
    if let WaveSizes::List(list) = &args.common.launch.wave_sizes {
        widths.retain(|it| list.contains(it));
    }
    widths
}

/// Examines one run of a test.
fn runnable(
    args: &SanArgs,
    run: Runnable,
    widths: Vec<u32>,
    name: String,
) -> Result<Box<Subject>, Stop> {
    let Runnable {
        shader,
        pipeline,
        sources,
        mut table,
        groups,
        log,
        widths: _,
        san,
        source: _,
        may_wait: _,
    } = run;
    let plan = plan_of(&args.san, &san, widths, log).map_err(stop)?;
    let plan = Plan { threads: args.threads, ..plan };
    let of = (&shader, &pipeline, &sources);
    let found = examine(args, &args.common.launch, of, groups, &plan, &mut table).map_err(stop)?;
    Ok(Box::new(Subject::one(name, (shader, sources), plan, found)))
}

/// This many lanes, over all runs, take seconds.
const MANY: u64 = 1 << 22;

/// Announces a long sweep, and why it is long: the number of its runs can be surprising.
fn tell_of_many(args: &SanArgs, plan: &Plan, runs: usize, threads: u64) {
    if args.common.is_worker || args.san.quick || threads.saturating_mul(runs as u64) < MANY {
        return;
    }
    terminal::note(&format!(
        "up to {runs} runs of {threads} threads, at {}; `--quick` makes four",
        counted(plan.widths.len(), "width")
    ));
}

/// Examines the passes of a job in order.
fn sequence(
    args: &SanArgs,
    sequence: Sequence,
    widths: Vec<u32>,
    name: String,
) -> Result<Box<Subject>, Stop> {
    let plan = plan_of(&args.san, &[], widths, None).map_err(stop)?;
    let plan = Plan { threads: args.threads, ..plan };
    let examined = |pass| {
        let names = |wanted: &[String]| -> Vec<(String, u32)> {
            let wanted = wanted.to_vec();
            let of_buffers = sequence.with_buffer(pass, move |it| wanted.iter().any(|w| w == it));
            of_buffers.map(|(resource, element)| (resource.to_owned(), element)).collect()
        };
        let mut unordered = plan.unordered.clone();
        unordered.extend(names(&plan.unordered).into_iter().map(|it| it.0));
        // A buffer without an expected result passes data between passes.
        let is_compared = |buffer: &str| {
            sequence.results.is_empty() || sequence.results.iter().any(|it| it == buffer)
        };
        let scratch = pass.bound.iter().filter(|it| !is_compared(&it.2));
        let mut width_dependent: Vec<(String, u32)> =
            scratch.map(|(resource, element, _)| (resource.clone(), *element)).collect();
        width_dependent.extend(names(&plan.width_dependent));
        let named = pass.bound.iter().filter(|it| plan.width_dependent.contains(&it.0));
        width_dependent.extend(named.map(|it| (it.0.clone(), it.1)));
        let pipeline = &sequence.programs[pass.program].pipeline;
        Examined { pipeline, pass: &pass.pass, unordered, width_dependent }
    };
    let all: Vec<Examined<'_>> = sequence.passes.iter().map(examined).collect();
    let mut watch = Watch::start(args.common.launch.timeout, 0);
    let dispatch = Dispatch {
        lane_order: args.common.launch.lane_order,
        schedule: args.common.launch.schedule,
        // The bound of the widest waves is the lowest.
        fuel: args.common.launch.fuel.at(plan.widths.iter().copied().max().unwrap_or(32)),
        cancel: Some(watch.cancel.clone()),
        ..Dispatch::new([0; 3])
    };
    let plain = Plain { launch: &args.common.launch, widths: &plan.widths, cancel: &watch.cancel };
    let failures = plain.sequence(&sequence);
    let result = internal::examine(&all, &dispatch, &plan);
    let late = watch.cancel.load(Ordering::Relaxed);
    watch.stop();
    let (found, stopped) = match result {
        Ok(found) => (found, None),
        Err(it) => {
            let pass = &sequence.passes[it.pass];
            let sources = &sequence.programs[pass.program].sources;
            let problem = failed(&it.error, it.width, &args.common.launch, late, sources);
            let Stop { exit, why } = stop(problem);
            let stop = Stop { exit, why: format!("{}: {why}", pass.name) };
            if it.found.seen.is_empty() && failures.iter().all(Vec::is_empty) {
                return Err(stop);
            }
            (it.found, Some(stop))
        }
    };
    drop(all);
    let Sequence { programs, passes, .. } = sequence;
    let part = |(SequenceProgram { shader, sources, .. }, failures)| Part {
        shader,
        sources,
        seen: Vec::new(),
        left_out: Vec::new(),
        failures,
    };
    let mut parts: Vec<Part> = programs.into_iter().zip(failures).map(part).collect();
    for (pass, seen) in found.seen {
        let pass = &passes[pass];
        parts[pass.program].seen.push((Some(pass.name.clone()), seen));
    }
    for (pass, it) in found.left_out {
        let pass = &passes[pass];
        parts[pass.program].left_out.push((Some(pass.name.clone()), it));
    }
    let (widths, runs) = (plan.widths, found.runs);
    Ok(Box::new(Subject { name, number: None, parts, widths, runs, stopped, auto: None }))
}

/// Examines one dispatch. If the sweep was given up before anything was found, the reason is the error.
fn examine(
    args: &SanArgs,
    launch: &Launch,
    (shader, pipeline, sources): (&Shader, &ComputePipeline, &SourceMap),
    groups: [u32; 3],
    plan: &Plan,
    table: &mut ResourceTable,
) -> Result<Found, Problem> {
    let count: u64 = groups.iter().map(|it| u64::from(*it)).product();
    // With waves of one lane, each thread and the group are a step.
    let threads = pipeline.steps([1; 3], 1) - 1;
    let pace: Arc<Pace> = Arc::default();
    let plan = &Plan { pace: Some(pace.clone()), ..plan.clone() };
    let mut watch = Watch::start_sweep(launch.timeout, count, threads, pace);
    let dispatch = Dispatch {
        lane_order: launch.lane_order,
        schedule: launch.schedule,
        // The bound of the widest waves is the lowest.
        fuel: launch.fuel.at(plan.widths.iter().copied().max().unwrap_or(32)),
        cancel: Some(watch.cancel.clone()),
        progress: Some(watch.progress.clone()),
        ..Dispatch::new(groups)
    };
    tell_of_many(
        args,
        plan,
        internal::most_runs(pipeline, &dispatch, plan, table),
        count * threads,
    );
    let plain = Plain { launch, widths: &plan.widths, cancel: &watch.cancel };
    let failures = plain.shader(shader, pipeline, groups, table, sources);
    let result = pipeline.examine(&dispatch, plan, table);
    let late = watch.cancel.load(Ordering::Relaxed);
    watch.stop();
    match result {
        Ok(report) => Ok(Found { report, failures, stopped: None }),
        Err(it) => {
            let problem = failed(&it.error, it.width, launch, late, sources);
            match it.found.seen.is_empty() && failures.is_empty() {
                true => Err(problem),
                false => Ok(Found { report: it.found, failures, stopped: Some(problem) }),
            }
        }
    }
}
