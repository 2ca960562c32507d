//! `wavelane reduce`: a smaller program that still shows the same failure, and is still defined.

mod keep;
#[cfg(test)]
mod planted;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use reduce::{Settings, Tester};
use wavelane::{Level, Options, Shader, SourceMap, Stage};

use crate::args::Line;
use crate::asked::{Binds, DrawArgs, LowArgs, Sanitizing, Tools};
use crate::candidate::{Bound, Drawing, Setting, contents, undefined};
use crate::common::Common;
use crate::compile::{Recorder, folders_of};
use crate::draw::AskedDraw;
use crate::files::read_source;
use crate::fitting::{self, Running};
use crate::problem::{End, Exit, Problem};
use crate::value::counted;
use crate::worker::PATIENCE;
use crate::{bind, operand, terminal};
use keep::{Guard, Keep, Keeper};

/// What `reduce` needs.
pub(crate) struct ReduceArgs {
    common: Common,
    operand: String,
    /// What is drawn, instead of a dispatch.
    draw: Option<DrawArgs>,
    san: Sanitizing,
    tools: Tools,
    target: Option<String>,
    jobs: usize,
}

impl ReduceArgs {
    pub(crate) fn new(low: LowArgs, line: Line) -> Result<ReduceArgs, Problem> {
        let operand = low.operand()?;
        let tools = &low.tools;
        let all = [
            ("--keep", &tools.keep),
            ("--keep-finding", &tools.keep_finding),
            ("--keep-diff", &tools.keep_diff),
            ("--keep-message", &tools.keep_message),
        ];
        let given: Vec<&str> = all.iter().filter(|it| it.1.is_some()).map(|it| it.0).collect();
        match given.as_slice() {
            [_] => {}
            [] => {
                let what = "`reduce` needs one of `--keep`, `--keep-finding`, `--keep-diff` and `--keep-message`";
                return Err(low.usage(what.to_owned()));
            }
            [one, other, ..] => {
                return Err(low.usage(format!("`{one}` and `{other}` exclude each other")));
            }
        }
        if tools.by.is_some() && tools.keep_message.is_none() {
            return Err(low.usage("`--by` goes with `--keep-message`".to_owned()));
        }
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let jobs = low.jobs.unwrap_or(cores).clamp(1, 256);
        let mut common = Common::new(&low, line);
        let LowArgs { draw, san, tools, target_file: target, .. } = low;
        let draw = draw.asked();
        let runs = if draw.is_some() { Running::Draw } else { Running::Dispatch };
        fitting::check(&common.line, runs)?;
        if draw.is_some() && !common.compile.has_profile {
            common.compile.options.stage = Stage::Pixel;
        }
        Ok(ReduceArgs { common, operand, draw, san, tools, target, jobs })
    }

    fn options(&self) -> &Options {
        &self.common.compile.options
    }
}

pub(crate) fn reduce(args: ReduceArgs) -> Result<Exit, End> {
    let (name, text) = read_source(&args.operand)?;
    operand::refuse_job(&name, &text)?;
    let keep = Keep::of(&args)?;
    let (setting, defined) = setting(&args, &name, &text, &keep)?;
    let guard = match defined {
        true => Guard::Defined(keep.allowed()),
        false => Guard::None,
    };
    let keeper = Keeper::new(keep, guard, setting, args.common.launch.timeout.unwrap_or(PATIENCE))?;
    keeper.check(&text)?;
    let settings = Settings {
        options: args.options().clone(),
        included: keeper.setting.included.clone(),
        attempts: args.tools.attempts,
    };
    let mut run = Run {
        keeper: &keeper,
        jobs: args.jobs,
        target: args.target.as_deref(),
        whole: reduce::size(&text).words,
        shown: None,
        failed: None,
    };
    let reduced = reduce::reduce(&text, &settings, &mut run);
    run.clear();
    if let Some(problem) = run.failed.take() {
        return Err(problem.into());
    }
    match &args.target {
        Some(file) => write(file, &reduced.text)?,
        None => terminal::print(&reduced.text)?,
    }
    let lines = |text: &str| text.lines().filter(|it| !it.trim().is_empty()).count();
    let tests = keeper.tests.load(Ordering::Relaxed);
    let by_command = if tests > 0 { format!(", {tests} by the command") } else { String::new() };
    let more = if reduced.stopped { "; `--attempts` ended it" } else { "" };
    terminal::note(&format!(
        "`{name}`: from {} to {}, {} tested{by_command}{more}",
        counted(lines(&text), "line"),
        lines(&reduced.text),
        counted(reduced.attempts, "candidate"),
    ));
    Ok(Exit::Fine)
}

/// Replaces the file as a whole, so that it holds a complete text at any time.
fn write(file: &str, text: &str) -> Result<(), Problem> {
    let cannot =
        |error: std::io::Error| Problem::input(format!("`{file}` cannot be written: {error}"));
    let path = Path::new(file);
    // A device or a pipe cannot be replaced.
    if path.exists() && !path.is_file() {
        return std::fs::write(path, text).map_err(cannot);
    }
    let beside = format!("{file}.{}.part", std::process::id());
    std::fs::write(&beside, text).map_err(cannot)?;
    std::fs::rename(&beside, path).map_err(cannot)
}

/// Compiles the program, binds and examines it. Also whether candidates have to be defined.
fn setting(
    args: &ReduceArgs,
    name: &str,
    text: &str,
    keep: &Keep,
) -> Result<(Setting, bool), Problem> {
    let folders = folders_of(&args.common.compile);
    let mut includer = Recorder { folders, included: BTreeMap::new() };
    let options = args.options();
    let compiled = Shader::compile(name, text, options, &mut includer)
        .map_err(|bug| Problem::bug(&bug.message))?;
    let mut setting = Setting {
        name: name.to_owned(),
        options: options.clone(),
        included: includer.included,
        bound: Vec::new(),
        drawing: None,
        launch: args.common.launch.clone(),
        san: args.san.clone(),
        adapter: args.common.device.adapter.clone(),
    };
    let needs_run = keep.needs_run();
    if args.tools.allow_undefined && !needs_run {
        return Ok((setting, false));
    }
    let lifts = "pass `--allow-undefined` to reduce it anyway";
    let Some(shader) = compiled.shader else {
        // The messages about a program that does not compile are the subject.
        if keep.is_own_message() {
            return Ok((setting, false));
        }
        let errors = compiled.diagnostics.iter().filter(|it| it.level >= Level::Error);
        let first = errors.map(|it| it.message.as_str()).next().unwrap_or("an error");
        let problem = Problem::input(format!("`{name}` does not compile: {first}"));
        return Err(if needs_run { problem } else { problem.help(lifts) });
    };
    if keep.is_own_message() {
        return Ok((setting, false));
    }
    match (&args.draw, options.stage) {
        (Some(draw), _) => {
            (setting.drawing, setting.bound) = drawn(args, draw, &shader)?;
        }
        (None, Stage::Compute) => {
            setting.bound = dispatched(args, &shader, &compiled.sources)?;
        }
        (None, stage) => {
            let word = stage.word();
            let what = format!(
                "`{name}` is for the {word} stage, which `reduce` runs only as part of a draw"
            );
            let problem = Problem::new(Exit::Unsupported, what)
                .help("-E and -T ps_6_6 for the pixel shader, and `--draw`");
            return Err(if needs_run { problem } else { problem.help(lifts) });
        }
    }
    if args.tools.allow_undefined {
        return Ok((setting, false));
    }
    let Some(candidate) = setting.compiled(text) else {
        return Err(Problem::bug("a program that was compiled does not compile again"));
    };
    let Some(report) = setting.examined(&candidate, false) else {
        let what = format!("the sanitizer could not run `{name}` to completion");
        return Err(Problem::input(what).help(lifts));
    };
    let allowed = keep.allowed();
    if let Some(code) = undefined(&report).into_iter().find(|it| Some(*it) != allowed.as_deref()) {
        let what = format!("`{name}` is undefined: `wavelane san` reports `{code}`");
        return Err(Problem::input(what).help(lifts));
    }
    Ok((setting, true))
}

/// What the command line binds to a dispatch; without any values they are made up.
fn dispatched(
    args: &ReduceArgs,
    shader: &Shader,
    sources: &SourceMap,
) -> Result<Vec<Bound>, Problem> {
    let binds = binds(args, shader);
    let bound = bind::bind(&binds, args.common.launch.groups, shader, sources)?;
    if let Some(auto) = &bound.auto {
        terminal::note(&auto.told());
    }
    Ok(contents(Stage::Compute, &bound.table))
}

/// The same for a draw.
fn drawn(
    args: &ReduceArgs,
    asked: &DrawArgs,
    pixel: &Shader,
) -> Result<(Option<Drawing>, Vec<Bound>), Problem> {
    let binds = binds(args, pixel);
    let common = Common { bind: binds.clone(), ..args.common.clone() };
    let AskedDraw { run, auto, .. } = AskedDraw::new(&common, asked)?;
    let is_asked = args.common.bind.auto.is_some();
    if let Some(auto) = auto.filter(|it| is_asked || !it.made.is_empty()) {
        terminal::note(&auto.told());
    }
    let bound = run.stages.iter().flat_map(|it| contents(it.stage, &it.table)).collect();
    Ok((Some(Drawing { asked: asked.clone(), binds }), bound))
}

/// The values of the command line; if there are none, what the shaders need is made up.
fn binds(args: &ReduceArgs, shader: &Shader) -> Binds {
    let given = &args.common.bind;
    let is_unbound = !wavelane::ResourceTable::new(shader).unbound().is_empty();
    let says_nothing = given.binds.is_empty() && given.sets.is_empty() && given.auto.is_none();
    match says_nothing && (is_unbound || args.draw.is_some()) {
        true => Binds { auto: Some(1), ..given.clone() },
        false => given.clone(),
    }
}

struct Run<'a> {
    keeper: &'a Keeper,
    jobs: usize,
    target: Option<&'a str>,
    /// The words of the whole text.
    whole: usize,
    shown: Option<Instant>,
    failed: Option<Problem>,
}

/// Room for the compilation of a candidate: the same as for the program itself would be too much for many threads.
const STACK: usize = 64 << 20;
const EVERY: Duration = Duration::from_millis(200);

impl Run<'_> {
    fn show(&mut self, text: &str, attempts: usize) {
        if terminal::is_watched() && self.shown.is_none_or(|it| it.elapsed() > EVERY) {
            let words = reduce::size(text).words;
            terminal::say(&format!(
                "\r\x1b[K{words} of {} words, {attempts} candidates tested",
                self.whole
            ));
            self.shown = Some(Instant::now());
        }
    }

    fn clear(&self) {
        if self.shown.is_some() {
            terminal::say("\r\x1b[K");
        }
    }
}

impl Tester for Run<'_> {
    fn at_a_time(&self) -> usize {
        self.jobs
    }

    fn test(&mut self, texts: &[String]) -> Option<Vec<bool>> {
        let keeper = self.keeper;
        let all: Vec<Result<bool, Problem>> = match texts {
            [one] => vec![keeper.keeps(one)],
            several => thread::scope(|scope| {
                let started: Vec<_> = several
                    .iter()
                    .map(|text| {
                        let work = move || keeper.keeps(text);
                        thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)
                    })
                    .collect();
                let joined = started.into_iter().zip(several).map(|(it, text)| match it {
                    Ok(thread) => thread
                        .join()
                        .unwrap_or_else(|_| Err(Problem::bug("a test of a candidate panicked"))),
                    // Without a thread it is tested here.
                    Err(_) => keeper.keeps(text),
                });
                joined.collect()
            }),
        };
        let mut answers = Vec::new();
        for one in all {
            match one {
                Ok(answer) => answers.push(answer),
                Err(problem) => {
                    self.failed = Some(problem);
                    return None;
                }
            }
        }
        Some(answers)
    }

    fn found(&mut self, text: &str, attempts: usize) {
        self.show(text, attempts);
        if let Some(file) = self.target
            && let Err(problem) = write(file, text)
        {
            self.failed = Some(problem);
        }
    }
}
