//! `wavelane bench`: how long shaders, and the runs of jobs, take to compile and to run, at one or several widths.
//!
//! Takes the arguments of `run`, and reports the median, the quartiles and the minimum, since other processes disturb a
//! measurement. `against` compares with another program or an earlier report.
//! Each round of a run starts from the same contents; restoring them is not measured.
//! On a GPU the time is that of the device's own clock around the dispatch, without the copies to it and from it.
//! Another compiler's module runs in turns with ours there, and what both leave is compared: the time of a program that
//! computes something else means nothing. Other checks of results, and those of a job, are left to `test` and `diff`.

mod against;
mod draw;
mod passes;

use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use jobs::{Runnable, Sequence, Source, Test, TestFile, Widths, Work};
use serde_json::{Value, json};
use wavelane::internal::{self, Slots};
use wavelane::{
    ComputePipeline, Device, Dispatch, Engine, Foreign, ForeignError, ResourceTable, Shader,
    SourceMap,
};

use crate::alias;
use crate::args::Line;
use crate::asked::{Against, DrawArgs, LowArgs, Output};
use crate::auto::Auto;
use crate::bind::Bound;
use crate::command::Command;
use crate::common::Common;
use crate::compare::drawn::Differs;
use crate::compare::{Difference, Rules, compare};
use crate::compile::{Remembered, flags_of};
use crate::files::read_source;
use crate::fitting::{self, Running};
use crate::launch::{Contents, failed, widths};
use crate::module::read_module;
use crate::problem::{End, Exit, Problem};
use crate::testing::{Beside, setup};
use crate::watch::Watch;
use crate::{auto, bind, compile, device, operand, terminal, testing};
use against::{Compared, Other};

/// The time limit for repeated compilations.
const COMPILATIONS: Duration = Duration::from_secs(1);

/// What `bench` needs.
pub(crate) struct BenchArgs {
    common: Common,
    /// Another compiler's module of the same shader.
    module: Option<String>,
    /// The number of rounds, at least one.
    rounds: u32,
    against: Against,
    rules: Rules,
    /// What is drawn, instead of a dispatch.
    draw: Option<DrawArgs>,
    /// Whether a GPU may choose how pixels are assigned to lanes.
    is_packed_by_device: bool,
}

impl BenchArgs {
    pub(crate) fn new(low: LowArgs, line: Line) -> Result<BenchArgs, Problem> {
        low.some_operands()?;
        let common = Common::new(&low, line);
        let LowArgs { module, rounds, against, san, draw, .. } = low;
        let rules = Rules { room: san.float_room, unordered: san.unordered, without: Vec::new() };
        let is_packed_by_device = draw.is_packed_by_device;
        let draw = draw.asked();
        for operand in &common.operands {
            let runs = match &draw {
                _ if operand::is_job(operand) => Running::Job,
                Some(_) => Running::Draw,
                None => Running::Dispatch,
            };
            fitting::check(&common.line, runs)?;
        }
        fitting::check_one_entry(&common.line)?;
        fitting::check_engine(&common.line, common.device.engine)?;
        Ok(BenchArgs { common, module, rounds, against, rules, draw, is_packed_by_device })
    }
}

/// Times in milliseconds, or ratios of them, ascending; at least one.
struct Times(Vec<f64>);

/// A shader at a width.
struct Row {
    width: u32,
    engine: Engine,
    /// The set of instructions of the engine `cpu`.
    cpu: Option<&'static str>,
    /// The file with another compiler's module, where that one ran.
    module: Option<String>,
    fallback: Option<String>,
    /// The first difference between the results of the other module and ours.
    differs: Option<Difference>,
    /// From the checked program to code that the engine can start; `None` for engines without code generation.
    code: Option<Times>,
    run: Times,
    against: Option<Compared>,
    /// The passes of a job by their names, each with the time of all its repetitions; of these `run` is the sum.
    passes: Vec<(jobs::PassName, Times)>,
}

/// Everything about one file.
struct Bench {
    file: String,
    /// Of all shaders; nothing for the draws of jobs.
    front: Option<Times>,
    /// Of all bound buffers and textures together.
    bytes: u64,
    /// What a run moves if it touches every byte of them once: those that are loaded, and those that are stored.
    /// Not for passes and draws, which access them differently.
    moved: Option<u64>,
    /// Of the only dispatch.
    groups: Option<[u32; 3]>,
    rows: Vec<Row>,
    /// The bindings that were made up.
    auto: Option<Auto>,
    /// What a draw draws.
    drawn: Option<Counts>,
}

/// How much is drawn.
#[derive(Clone, Copy)]
struct Counts {
    pixels: u64,
    primitives: u64,
}

/// A program with everything that it runs on.
struct Subject {
    /// The file, with the case or the number of the run where it has several.
    name: String,
    shader: Shader,
    sources: SourceMap,
    pipeline: ComputePipeline,
    table: ResourceTable,
    groups: [u32; 3],
    widths: Vec<u32>,
    front: Times,
    auto: Option<Auto>,
}

/// What is measured: a dispatch, a draw, or the passes of a job by its name.
enum Item {
    One(Box<Subject>),
    Draw(Box<draw::Subject>),
    Passes(String, Box<Sequence>),
}

impl Item {
    /// Measures it, and beside it another one if there is one.
    fn measure(
        self,
        other: Option<Item>,
        args: &BenchArgs,
        device: &Device,
    ) -> Result<Bench, Problem> {
        let refused = |name: &str| {
            let what =
                format!("`{name}` is a job of several passes, which runs beside no other program");
            Err(Problem::input(what).help("compare it with a report: --against FILE.json"))
        };
        match (self, other) {
            (Item::Passes(name, sequence), None) => passes::measure(name, *sequence, args, device),
            (Item::Passes(name, _), Some(_)) | (_, Some(Item::Passes(name, _))) => refused(&name),
            (Item::Draw(own), None) => draw::measure(*own, None, args, device),
            (Item::Draw(own), Some(Item::Draw(other))) => {
                draw::measure(*own, Some(*other), args, device)
            }
            (Item::Draw(draw), Some(Item::One(one))) | (Item::One(one), Some(Item::Draw(draw))) => {
                let (draw, one) = (&draw.name, &one.name);
                Err(Problem::input(format!("`{draw}` is a draw, and `{one}` a dispatch")))
            }
            (Item::One(own), Some(Item::One(other))) => measure(*own, Some(*other), args, device),
            (Item::One(own), None) => measure(*own, None, args, device),
        }
    }
}

pub(crate) fn bench(args: &BenchArgs) -> Result<Exit, End> {
    let other = Other::of(&args.against)?;
    if other.is_some() && args.module.is_some() {
        let what = "`--against` and another compiler's module each say what ours is compared with: give one";
        return Err(Problem::input(what).into());
    }
    let device = device::open(&args.common.device, true)?;
    let threads = device.cpu().map_or(1, |it| it.threads);
    let fail_above = args.against.fail_above;
    let mut benches = Vec::new();
    for file in &args.common.operands {
        let own = subjects(file, args, &device)?;
        let others = match &other {
            Some(Other::Program(other)) => subjects(other, args, &device)?.into_iter().map(Some),
            Some(Other::Report(_)) | None => Vec::new().into_iter().map(Some),
        };
        let mut others: Vec<Option<Item>> = others.collect();
        if let (Some(Other::Program(other)), true) = (&other, others.len() != own.len()) {
            let (theirs, ours) = (others.len(), own.len());
            let what = format!("`{other}` has {theirs} runs, and `{file}` has {ours}");
            return Err(Problem::input(what).into());
        }
        others.resize_with(own.len(), || None);
        for (own, other_subject) in own.into_iter().zip(others) {
            let mut bench = own.measure(other_subject, args, &device)?;
            if let Some(Other::Report(report)) = &other {
                report.compare(&mut bench, threads as u32, fail_above)?;
            }
            benches.push(bench);
        }
    }
    let text = match args.common.output {
        Output::Json => {
            let benches: Vec<Value> = benches.iter().map(Bench::as_json).collect();
            format!(
                "{}\n",
                json!({ "benches": benches, "rounds": args.rounds, "threads": threads })
            )
        }
        Output::Text | Output::Github | Output::Sarif | Output::Junit => {
            let texts: Vec<String> = benches.iter().map(|it| it.text(fail_above)).collect();
            texts.join("\n")
        }
    };
    terminal::print(&text)?;
    let differs = benches.iter().flat_map(|it| &it.rows).any(|it| it.differs.is_some());
    let rows = benches.iter().flat_map(|it| &it.rows);
    Ok(if differs { Exit::Findings } else { against::exit(rows) })
}

/// What is measured of a file: a shader, or the runs of jobs.
fn subjects(file: &str, args: &BenchArgs, device: &Device) -> Result<Vec<Item>, Problem> {
    if !operand::is_job(file) {
        if let Some(draw) = &args.draw {
            let subject = draw::of_shader(file, args, draw, device)?;
            return Ok(vec![Item::Draw(Box::new(subject))]);
        }
        return Ok(vec![Item::One(Box::new(of_shader(file, args, device)?))]);
    }
    let more = [("--draw", args.draw.is_some())];
    testing::refuse_flags_of_shaders(&args.common.bind, &args.common.launch, &more, file, "")?;
    let mut all = Vec::new();
    for test in testing::find(&[file.to_owned()], Command::Bench)? {
        all.extend(of_job(&test, args, device)?);
    }
    Ok(all)
}

/// A shader with the buffers of the command line.
fn of_shader(file: &str, args: &BenchArgs, device: &Device) -> Result<Subject, Problem> {
    let begin = Instant::now();
    let (shader, sources) = compile::shader(file, &args.common.compile)?;
    let first = begin.elapsed();
    // Standard input can be read only once.
    let rounds = if file == "-" { 0 } else { args.rounds - 1 };
    let mut front = Times::of(rounds, COMPILATIONS, || {
        compile::compile(file, &args.common.compile, Shader::compile).map(drop)
    })?;
    front.add(first);
    let shader = auto::prepared(shader, &args.common.bind);
    let shader = alias::applied(shader, &args.common.bind, &sources)?;
    let pipeline =
        device.create_compute_pipeline(&shader).map_err(|it| device::problem(&it, &sources))?;
    let bound = bind::bind(&args.common.bind, args.common.launch.groups, &shader, &sources)?;
    bound.check_names(args.rules.unordered.iter())?;
    let Bound { table, auto, .. } = bound;
    if let Some(auto) = &auto {
        terminal::note(&auto.told());
    }
    let widths = widths(&args.common.launch, &args.common.device.adapter, &shader, &pipeline)?;
    let (name, groups) = (file.to_owned(), args.common.launch.groups);
    Ok(Subject { name, shader, sources, pipeline, table, groups, widths, front, auto })
}

/// The runs of a job, except those that are meant to fail.
fn of_job(test: &Test, args: &BenchArgs, device: &Device) -> Result<Vec<Item>, Problem> {
    let refused = |exit, why: &str| Problem::new(exit, format!("`{}`: {why}", test.name()));
    let (name, text) = read_source(&test.file)?;
    let file = TestFile::new(name, text);
    let features = jobs::features(device.adapter(), args.common.select.api);
    let flags = flags_of(&args.common.compile);
    let fuel = |width| args.common.launch.fuel.at(width);
    let setup = setup(&args.common.launch, device, &features, &Widths::All, &flags, &fuel);
    let runs = jobs::prepare(test, &file, &setup, &mut Beside::of(&args.common.compile)).map_err(
        |outcome| {
            let exit = match outcome.verdict {
                jobs::Verdict::Unsupported => Exit::Unsupported,
                jobs::Verdict::Passed | jobs::Verdict::Failed => Exit::BadInput,
            };
            refused(exit, outcome.message.trim_end())
        },
    )?;
    if runs.is_empty() {
        return Err(refused(Exit::Unsupported, "nothing in it runs"));
    }
    let several = runs.len() > 1;
    let item = |(number, run): (usize, Work)| {
        let name = testing::run_name(test, several.then_some(number));
        let run = match run {
            Work::Shader(run) => *run,
            Work::Sequence(sequence) => return Ok(Item::Passes(name, sequence)),
            Work::Draw(run) => {
                let subject = draw::of_job(name, *run, args);
                let subject = subject.map_err(|why| refused(Exit::Unsupported, &why))?;
                return Ok(Item::Draw(Box::new(subject)));
            }
        };
        let widths = widths_of_run(args, &run).map_err(|why| refused(Exit::Unsupported, &why))?;
        let Runnable { shader, pipeline, sources, table, groups, source, .. } = run;
        let front = Times::of(args.rounds, COMPILATIONS, || front_end(&source))?;
        let auto = None;
        let subject =
            Subject { name, shader, sources, pipeline, table, groups, widths, front, auto };
        Ok(Item::One(Box::new(subject)))
    };
    (1..).zip(runs).map(item).collect()
}

/// Compiles what a job has compiled.
fn front_end(source: &Source) -> Result<(), Problem> {
    let Source { name, text, flags, included } = source;
    Shader::compile(name, text, &flags.options, &mut Remembered(included))
        .map_err(|bug| Problem::bug(&bug.message))
        .map(drop)
}

/// The requested widths among those that a run of a job allows.
fn widths_of_run(args: &BenchArgs, run: &Runnable) -> Result<Vec<u32>, String> {
    let is_made_for = |it: &u32| run.widths.as_ref().is_none_or(|widths| widths.contains(it));
    let mut allowed = run.pipeline.wave_sizes().to_vec();
    allowed.retain(is_made_for);
    let usual = Some(run.pipeline.default_wave_size()).filter(is_made_for);
    widths_among(args, allowed, usual)
}

fn widths_among(
    args: &BenchArgs,
    allowed: Vec<u32>,
    usual: Option<u32>,
) -> Result<Vec<u32>, String> {
    let usual = || usual.or_else(|| allowed.first().copied()).into_iter().collect();
    let widths = args.common.launch.widths_among(&allowed, usual);
    if !widths.is_empty() {
        return Ok(widths);
    }
    let allowed: Vec<String> = allowed.iter().map(u32::to_string).collect();
    Err(match allowed.is_empty() {
        true => "it runs at none of the available widths".to_owned(),
        false => format!("it runs only with waves of {} lanes", allowed.join(", ")),
    })
}

fn measure(
    subject: Subject,
    against: Option<Subject>,
    args: &BenchArgs,
    device: &Device,
) -> Result<Bench, Problem> {
    let Subject { name, shader, sources, pipeline, table, groups, widths, front, auto } = subject;
    let other = match &args.module {
        Some(name) => Some((name, foreign(name, device, &shader, &sources)?)),
        None => None,
    };
    let bytes = table.iter().map(|(_, _, buffer)| buffer.bytes.len() as u64).sum();
    let moved = table.iter().map(|(resource, _, buffer)| {
        let (loads, stores) =
            shader.resource(&resource.name).map_or((false, false), |(at, _)| shader.uses(at));
        buffer.bytes.len() as u64 * (u64::from(loads) + u64::from(stores))
    });
    let moved = Some(moved.sum());
    let count: u64 = groups.iter().map(|it| u64::from(*it)).product();
    let mut watch = Watch::start(args.common.launch.timeout, count);
    let mut rows = Vec::new();
    for width in widths {
        let (shader, sources) = (&shader, &sources);
        let mut measured = Measured { args, device, shader, sources, groups, width };
        if let Some(other) = &against {
            rows.push(measured.in_turns(&pipeline, &table, other, &mut watch)?);
        } else if device.is_gpu() {
            rows.extend(measured.on_gpu(&pipeline, other.as_ref(), &table, &mut watch)?);
        } else {
            rows.push(measured.row(&pipeline, &table, &mut watch)?);
        }
    }
    watch.stop();
    let (front, drawn) = (Some(front), None);
    let groups = Some(groups);
    Ok(Bench { file: name, front, bytes, moved, groups, rows, auto, drawn })
}

/// Creates a pipeline of another compiler's module instead of the shader.
fn foreign(
    file: &str,
    device: &Device,
    shader: &Shader,
    sources: &SourceMap,
) -> Result<ComputePipeline, Problem> {
    let module: Foreign = read_module(file)?;
    internal::create_vouched_pipeline(device, shader, &module).map_err(|error| match error {
        ForeignError::Pipeline(error) => device::problem(&error, sources),
        ForeignError::Unsupported(what) => {
            Problem::new(Exit::Unsupported, format!("`{file}`: {what}"))
        }
        error => Problem::input(format!("`{file}`: {error}")),
    })
}

/// What is measured at one width.
struct Measured<'a> {
    args: &'a BenchArgs,
    device: &'a Device,
    shader: &'a Shader,
    sources: &'a SourceMap,
    groups: [u32; 3],
    width: u32,
}

impl Measured<'_> {
    fn row(
        &mut self,
        pipeline: &ComputePipeline,
        table: &ResourceTable,
        watch: &mut Watch,
    ) -> Result<Row, Problem> {
        watch.next(self.width, pipeline.steps(self.groups, self.width));
        let mut row = self.empty_row(pipeline, table, watch)?;
        let mut run = Repeated::new(self, pipeline, self.groups, self.sources, table);
        // The first run warms up memory and caches.
        run.once(watch)?;
        for _ in 0..self.args.rounds {
            row.run.add(run.once(watch)?);
        }
        Ok(row)
    }

    /// Ours and another program, alternating which of them runs first.
    fn in_turns(
        &mut self,
        pipeline: &ComputePipeline,
        table: &ResourceTable,
        other: &Subject,
        watch: &mut Watch,
    ) -> Result<Row, Problem> {
        let Measured { args, groups, width, .. } = *self;
        if !other.widths.contains(&width) {
            let what = format!("`{}` does not run with waves of {width} lanes here", other.name);
            return Err(Problem::new(Exit::Unsupported, what));
        }
        watch.next(width, pipeline.steps(groups, width));
        let mut row = self.empty_row(pipeline, table, watch)?;
        let mut ours = Repeated::new(self, pipeline, groups, self.sources, table);
        let mut theirs =
            Repeated::new(self, &other.pipeline, other.groups, &other.sources, &other.table);
        ours.once(watch)?;
        theirs.once(watch)?;
        let differs = compare(&ours.table, &theirs.table, &args.rules);
        let [mut others, mut ratios] = [Times(Vec::new()), Times(Vec::new())];
        for round in 0..args.rounds {
            let (own, their) = if round % 2 == 0 {
                let own = ours.once(watch)?;
                (own, theirs.once(watch)?)
            } else {
                let their = theirs.once(watch)?;
                (ours.once(watch)?, their)
            };
            row.run.add(own);
            others.add(their);
            ratios.insert(own.as_secs_f64() / their.as_secs_f64().max(1e-9));
        }
        let times = [&row.run, &others];
        let differs = differs.map(Differs::Element);
        let compared = Compared::with_program(&other.name, times, &ratios, differs);
        row.against = Some(compared.judged(args.against.fail_above));
        Ok(row)
    }

    /// Everything except the times of runs.
    fn empty_row(
        &self,
        pipeline: &ComputePipeline,
        table: &ResourceTable,
        watch: &Watch,
    ) -> Result<Row, Problem> {
        let Measured { device, width, .. } = *self;
        let dispatch = self.dispatch(watch);
        let fallback = pipeline.fallback(&dispatch, table);
        let code = match (device.engine(), &fallback) {
            (Engine::Cpu, None) => Some(self.code(table, &dispatch)?),
            _ => None,
        };
        let engine = if fallback.is_some() { Engine::Interp } else { device.engine() };
        let run = Times(Vec::new());
        let cpu = self.cpu(engine);
        Ok(Row {
            width,
            engine,
            cpu,
            module: None,
            fallback,
            differs: None,
            code,
            run,
            against: None,
            passes: Vec::new(),
        })
    }

    /// How long it takes from the checked program to the engine's code for a dispatch.
    fn code(&self, table: &ResourceTable, dispatch: &Dispatch) -> Result<Times, Problem> {
        let Measured { args, device, shader, sources, width, .. } = *self;
        Times::of(args.rounds, COMPILATIONS, || {
            let pipeline = device
                .create_compute_pipeline(shader)
                .map_err(|it| device::problem(&it, sources))?;
            pipeline
                .prepare_dispatch(dispatch, table)
                .map_err(|error| failed(&error, width, &args.common.launch, false, sources))
        })
    }

    fn cpu(&self, engine: Engine) -> Option<&'static str> {
        let isa = self.device.cpu().and_then(|it| it.isa);
        isa.filter(|_| engine == Engine::Cpu).map(|it| it.name())
    }

    fn dispatch(&self, watch: &Watch) -> Dispatch {
        let args = self.args;
        Dispatch {
            groups: self.groups,
            wave_size: Some(self.width),
            lane_order: args.common.launch.lane_order,
            schedule: args.common.launch.schedule,
            fuel: args.common.launch.fuel.at(self.width),
            cancel: Some(watch.cancel.clone()),
            progress: Some(watch.progress.clone()),
            prints: None,
        }
    }

    /// Ours, and the other module beside it, in turns.
    fn on_gpu(
        &mut self,
        ours: &ComputePipeline,
        other: Option<&(&String, ComputePipeline)>,
        table: &ResourceTable,
        watch: &mut Watch,
    ) -> Result<Vec<Row>, Problem> {
        let Measured { args, sources, groups, width, .. } = *self;
        watch.next(width, ours.steps(groups, width));
        let dispatch = self.dispatch(watch);
        let pipelines: Vec<&ComputePipeline> =
            [ours].into_iter().chain(other.map(|it| &it.1)).collect();
        let result = ComputePipeline::measure(&pipelines, &dispatch, table, args.rounds);
        let late = watch.cancel.load(Ordering::Relaxed);
        let measured =
            result.map_err(|error| failed(&error, width, &args.common.launch, late, sources))?;
        let Some(measured) = measured else {
            let problem = Problem::new(Exit::Unsupported, "the device has no clock to measure by");
            return Err(problem);
        };
        let mut code = Some(self.code(table, &dispatch)?);
        let rules = &args.rules;
        let modules = [None].into_iter().chain(other.map(|it| Some(it.0.clone())));
        let each = modules.zip(&measured).map(|(module, it)| {
            let mut run = Times(Vec::new());
            it.times.iter().for_each(|it| run.add(*it));
            let differs = compare(&measured[0].table, &it.table, rules);
            Row {
                width,
                engine: self.device.engine(),
                cpu: None,
                module,
                fallback: None,
                differs,
                code: code.take(),
                run,
                against: None,
                passes: Vec::new(),
            }
        });
        Ok(each.collect())
    }
}

/// A program that runs again and again, each time from the same contents.
struct Repeated<'a> {
    args: &'a BenchArgs,
    pipeline: &'a ComputePipeline,
    sources: &'a SourceMap,
    /// How it is dispatched.
    dispatch: Measured<'a>,
    contents: Contents,
    /// What the last run left.
    table: ResourceTable,
}

impl<'a> Repeated<'a> {
    fn new(
        measured: &Measured<'a>,
        pipeline: &'a ComputePipeline,
        groups: [u32; 3],
        sources: &'a SourceMap,
        table: &ResourceTable,
    ) -> Repeated<'a> {
        let table = table.copied();
        let contents = Contents::of(&table);
        let dispatch = Measured { groups, ..*measured };
        Repeated { args: measured.args, pipeline, sources, dispatch, contents, table }
    }

    /// Restoring the contents is not part of the time; on a GPU the device's own clock measures.
    fn once(&mut self, watch: &Watch) -> Result<Duration, Problem> {
        let dispatch = self.dispatch.dispatch(watch);
        self.contents.restore(&mut self.table);
        watch.progress.store(0, Ordering::Relaxed);
        let on_gpu = self.dispatch.device.is_gpu();
        let result = if on_gpu {
            let measured = ComputePipeline::measure(&[self.pipeline], &dispatch, &self.table, 1);
            measured.map(|it| {
                let measured = it?.pop()?;
                self.table = measured.table;
                measured.times.first().copied()
            })
        } else {
            let begin = Instant::now();
            let result = internal::dispatch(self.pipeline, &dispatch, &self.table);
            let time = begin.elapsed();
            result.map(|()| Some(time))
        };
        let late = watch.cancel.load(Ordering::Relaxed);
        let width = self.dispatch.width;
        let time = result
            .map_err(|it| failed(&it, width, &self.args.common.launch, late, self.sources))?;
        let unsupported =
            || Problem::new(Exit::Unsupported, "the device has no clock to measure by");
        time.ok_or_else(unsupported)
    }
}

impl Times {
    /// Measures the given number of rounds, or fewer if they take too long, but at least one.
    fn of(
        rounds: u32,
        limit: Duration,
        mut work: impl FnMut() -> Result<(), Problem>,
    ) -> Result<Times, Problem> {
        let begin = Instant::now();
        let mut times = Times(Vec::new());
        while times.0.len() < rounds as usize && (times.0.is_empty() || begin.elapsed() < limit) {
            let begin = Instant::now();
            work()?;
            times.add(begin.elapsed());
        }
        Ok(times)
    }

    fn add(&mut self, time: Duration) {
        self.insert(time.as_secs_f64() * 1e3);
    }

    fn insert(&mut self, time: f64) {
        let at = self.0.partition_point(|it| *it < time);
        self.0.insert(at, time);
    }

    /// A quartile of the times, interpolated linearly between neighbours.
    fn quartile(&self, quarters: usize) -> f64 {
        let last = self.0.len() - 1;
        let (at, rest) = (last * quarters / 4, last * quarters % 4);
        let next = self.0[(at + 1).min(last)];
        self.0[at] + (next - self.0[at]) * rest as f64 / 4.0
    }

    fn median(&self) -> f64 {
        self.quartile(2)
    }

    fn as_json(&self) -> Value {
        json!({
            "median": self.median(),
            "lower_quartile": self.quartile(1),
            "upper_quartile": self.quartile(3),
            "least": self.quartile(0),
            "most": self.quartile(4),
            "rounds": self.0.len(),
        })
    }

    fn text(&self) -> String {
        format!("{} ({} to {})", ms(self.median()), ms(self.quartile(1)), ms(self.quartile(3)))
    }

    fn text_with_least(&self) -> String {
        format!("{:<32}{}", self.text(), ms(self.quartile(0)))
    }
}

/// Milliseconds with three significant digits.
fn ms(time: f64) -> String {
    let digits = match time {
        _ if time < 1.0 => 4,
        _ if time < 10.0 => 3,
        _ if time < 100.0 => 2,
        _ => 1,
    };
    format!("{time:.digits$}")
}

impl Bench {
    /// Gigabytes in a second, if every byte that is bound were moved once each way that the shader moves it.
    fn speed(&self, row: &Row) -> Option<f64> {
        let time = row.run.median();
        let moved = self.moved.filter(|it| *it > 0 && time > 0.0)?;
        Some(moved as f64 / (time * 1e6))
    }

    /// What a draw does in a second.
    fn rate(&self, row: &Row, of: impl Fn(&Counts) -> u64) -> Option<f64> {
        let time = row.run.median();
        let count = self.drawn.as_ref().map(of)?;
        (time > 0.0).then(|| count as f64 / (time / 1e3))
    }

    /// How many times as long as the other module ours takes.
    fn ratio(&self, row: &Row) -> Option<f64> {
        let ours = self.rows.iter().find(|it| it.width == row.width && it.module.is_none())?;
        let time = row.run.median();
        (row.module.is_some() && time > 0.0).then(|| ours.run.median() / time)
    }

    fn as_json(&self) -> Value {
        let row = |row: &Row| {
            let mut value = json!({
                "wave_size": row.width,
                "engine": row.engine.name(),
                "run_ms": row.run.as_json(),
            });
            let set = |value: &mut Value, key: &str, new: Option<Value>| {
                if let Some(new) = new {
                    value[key] = new;
                }
            };
            set(&mut value, "module", row.module.as_ref().map(|it| json!(it)));
            set(&mut value, "cpu", row.cpu.map(|it| json!(it)));
            set(&mut value, "fallback", row.fallback.as_ref().map(|it| json!(it)));
            set(&mut value, "code_ms", row.code.as_ref().map(Times::as_json));
            set(&mut value, "gb_per_s", self.speed(row).map(|it| json!(it)));
            let rate = |it: fn(&Counts) -> u64| self.rate(row, it).map(|it| json!(it));
            set(&mut value, "pixels_per_s", rate(|it| it.pixels));
            set(&mut value, "primitives_per_s", rate(|it| it.primitives));
            set(&mut value, "ours_to_this", self.ratio(row).map(|it| json!(it)));
            let same = row.module.is_some().then(|| json!(row.differs.is_none()));
            set(&mut value, "same_results", same);
            let pass = |(name, times): &(jobs::PassName, Times)| json!({ "number": name.number, "entry": name.entry, "repeat": name.round.1, "run_ms": times.as_json() });
            let passes: Vec<Value> = row.passes.iter().map(pass).collect();
            set(&mut value, "passes", (!passes.is_empty()).then(|| json!(passes)));
            set(&mut value, "difference", row.differs.as_ref().map(Difference::to_json));
            set(&mut value, "against", row.against.as_ref().map(Compared::as_json));
            value
        };
        let mut value = json!({
            "file": self.file,
            "front_end_ms": self.front.as_ref().map(Times::as_json),
            "groups": self.groups,
            "bound_bytes": self.bytes,
            "moved_bytes": self.moved,
            "runs": self.rows.iter().map(row).collect::<Vec<Value>>(),
        });
        if let Some(Counts { pixels, primitives }) = self.drawn {
            value["pixels"] = json!(pixels);
            value["primitives"] = json!(primitives);
        }
        if let Some(auto) = &self.auto {
            value["auto"] = auto.as_json();
        }
        value
    }

    fn text(&self, fail_above: Option<f64>) -> String {
        let mut text = match &self.front {
            Some(front) => format!("{}: compiled to IR in {} ms\n", self.file, front.text()),
            None => format!("{}\n", self.file),
        };
        if let Some(Counts { pixels, primitives }) = self.drawn {
            let _ = writeln!(text, "  {pixels} pixels of {primitives} primitives");
        }
        let speed = if self.drawn.is_some() { "Mpixel/s  Mprimitive/s" } else { "GB/s" };
        let _ = writeln!(
            text,
            "  wave size  engine  {:<28}{:<32}{:<10}{speed}",
            "code, ms (quartiles)", "run, ms (quartiles)", "least"
        );
        for row in &self.rows {
            let engine = row.cpu.unwrap_or(row.engine.name());
            let code = row.code.as_ref().map_or("-".to_owned(), Times::text);
            let mega = |it: f64| format!("{:.2}", it / 1e6);
            let rates = self.rate(row, |it| it.pixels).zip(self.rate(row, |it| it.primitives));
            let speed = match (rates, self.speed(row)) {
                (Some((pixels, primitives)), _) => {
                    format!("{:<10}{}", mega(pixels), mega(primitives))
                }
                (None, Some(speed)) => format!("{speed:.2}"),
                (None, None) => "-".to_owned(),
            };
            let _ = writeln!(
                text,
                "  {:>9}  {engine:<8}{code:<28}{:<42}{speed}",
                row.width,
                row.run.text_with_least()
            );
            for (name, times) in &row.passes {
                let repeat = match name.round.1 {
                    1 => String::new(),
                    rounds => format!(", {rounds} times"),
                };
                let name = format!("pass {} (`{}`){repeat}", name.number, name.entry);
                let _ = writeln!(text, "             {name:<33} {}", times.text());
            }
            if let Some(module) = &row.module {
                let _ = write!(text, "             the module `{module}`");
                if let Some(ratio) = self.ratio(row) {
                    let _ = write!(text, ": wavelane's takes {ratio:.3} of its time");
                }
                let _ = match &row.differs {
                    None => writeln!(text, ", with the same results"),
                    Some(it) => writeln!(
                        text,
                        "\n             its results differ: {}{} is {}, and {} in wavelane's; {} of {} elements differ",
                        it.buffer, it.place, it.got, it.expected, it.count, it.of
                    ),
                };
            }
            if let Some(compared) = &row.against {
                text.push_str(&compared.text(fail_above));
            }
            if let Some(what) = &row.fallback {
                let _ = writeln!(text, "             the engine `cpu` does not support {what}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(all: &[u64]) -> Times {
        let mut times = Times(Vec::new());
        all.iter().for_each(|it| times.add(Duration::from_millis(*it)));
        times
    }

    #[test]
    fn quartiles_lie_between_rounds() {
        let one = times(&[3]);
        assert_eq!([one.quartile(0), one.median(), one.quartile(4)], [3.0; 3]);
        let five = times(&[5, 1, 2, 4, 3]);
        let all = [0, 1, 2, 3, 4].map(|it| five.quartile(it));
        assert_eq!(all, [1.0, 2.0, 3.0, 4.0, 5.0]);
        let four = times(&[4, 2, 8, 6]);
        assert_eq!([1, 2, 3].map(|it| four.quartile(it)), [3.5, 5.0, 6.5]);
    }

    #[test]
    fn short_times_have_digits() {
        assert_eq!([0.01234, 1.5, 12.345, 1234.5].map(ms), ["0.0123", "1.500", "12.35", "1234.5"]);
    }
}
