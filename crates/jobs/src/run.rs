//! Runs one test at its widths.
//!
//! A test is compiled once and run at each width from the same contents. Nothing passes unchecked: what this build
//! cannot do is unsupported, with a reason, and skipped steps are remarked upon.

mod passes;
mod section;
mod unit;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wavelane::internal::{self, diag};
use wavelane::{
    Compilation, ComputePipeline, Denormals, Device, Dispatch, DispatchError, Includer, LaneOrder,
    Level, NotFound, Options, PrintLog, Printed, ResourceTable, Schedule, Shader, SourceMap, Trap,
};

use crate::bind::{self, BindProblem, Binding};
use crate::compare::{Difference, compare};
use crate::dump::{dump, dump_failure};
use crate::file::{Remembering, TestFile};
use crate::job::{self, Job, Rule, Stage};
use crate::lit::Features;
use crate::outcome::{Finding, Outcome, Row, Verdict};
use crate::printed::{self, printed_text};
use crate::repro::Source;
use crate::root::Root;
use crate::script::{self, Check, Command, Path, Step};
use crate::specialize::constants;
use crate::test::{self, Script, Test};
use crate::unit::{HEADER, HEADER_NAME};
use crate::{Error, filecheck};

pub use passes::{PassName, Sequence, SequencePass, SequenceProgram};

/// The provider of the texts of other files.
pub trait Files {
    /// A file beside the test, or at an absolute path.
    fn read(&mut self, path: &str, test: &str) -> Option<String>;

    /// Looks up included files.
    fn includer(&mut self, includes: &[String]) -> Box<dyn Includer>;
}

/// The parsed flags of a compilation.
#[derive(Clone, Debug)]
pub struct Flags {
    pub options: Options,
    /// The folders of `-I`.
    pub includes: Vec<String>,
    /// Remarks about the flags.
    pub remarks: Vec<String>,
}

/// The requested widths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Widths {
    /// The shader's preferred width; for unit tests every one.
    Default,
    All,
    List(Vec<u32>),
}

/// The environment in which a test runs.
pub struct Setup<'a> {
    pub device: &'a Device,
    pub features: &'a Features,
    pub widths: &'a Widths,
    /// Parses the flags of a compiler's command line.
    pub read_flags: &'a dyn Fn(&[String]) -> Result<Flags, String>,
    /// The flags for unit tests, and for jobs whose files have none.
    pub flags: &'a Flags,
    pub lane_order: Option<LaneOrder>,
    pub schedule: Schedule,
    /// The fuel at a width.
    pub fuel: &'a dyn Fn(u32) -> Option<u64>,
    pub cancel: Option<Arc<AtomicBool>>,
    /// How many of the lines that shaders print are kept.
    pub print_limit: usize,
    /// Whether the final contents of the buffers are wanted even if no pattern checks them: writing large buffers
    /// takes longer than the run.
    pub wants_output: bool,
}

/// Runs a test; `report` is called for each width as soon as it is done. Right before each width, `wanted` decides
/// whether it runs.
pub fn run(
    test: &Test,
    file: &TestFile,
    setup: &Setup<'_>,
    files: &mut dyn Files,
    wanted: &dyn Fn(u32) -> bool,
    report: &mut dyn FnMut(Outcome),
) {
    let (remarks, included, printed) = (Vec::new(), BTreeMap::new(), RefCell::default());
    let text = file.text();
    let mut runner =
        Runner { test, file, text, setup, files, wanted, report, remarks, included, printed };
    let done = match &test.case {
        Some(case) if file.has_sections() => runner.section(&case.name),
        None if test.file.ends_with(".hlsl") => runner.section(""),
        Some(case) => runner.unit(&case.name),
        None => runner.job(),
    };
    if let Err(mut outcome) = done {
        outcome.remarks.splice(..0, runner.remarks);
        report(*outcome);
    }
}

/// A run that a test describes, ready except for the wave width.
#[derive(Debug)]
pub enum Work {
    Shader(Box<Runnable>),
    Sequence(Box<Sequence>),
}

/// One dispatch of a shader.
#[derive(Debug)]
pub struct Runnable {
    pub shader: Shader,
    pub pipeline: ComputePipeline,
    pub sources: SourceMap,
    /// The initial contents.
    pub table: ResourceTable,
    pub groups: [u32; 3],
    /// The buffer to which a case of a unit test writes its checks.
    pub log: Option<&'static str>,
    /// The only widths for which it is made, if not all that the pipeline allows.
    pub widths: Option<Vec<u32>>,
    /// Flags for `wavelane san` in the test.
    pub san: Vec<String>,
    /// The compiled text.
    pub source: Source,
    /// It may wait for ever, which cannot be interrupted on a GPU.
    pub may_wait: bool,
}

impl Runnable {
    /// A run without special requirements: no log, no width, no findings, and certain to end.
    fn of(
        shader: Shader,
        pipeline: ComputePipeline,
        sources: SourceMap,
        table: ResourceTable,
        groups: [u32; 3],
        source: Source,
    ) -> Runnable {
        let (log, widths, san, may_wait) = (None, None, Vec::new(), false);
        Runnable { shader, pipeline, sources, table, groups, log, widths, san, source, may_wait }
    }
}

/// Prepares all runs of a test, for callers that observe them instead of judging the results. Runs that must fail
/// are left out, since there is nothing to observe. The widths in the test are ignored.
pub fn prepare(
    test: &Test,
    file: &TestFile,
    setup: &Setup<'_>,
    files: &mut dyn Files,
) -> Result<Vec<Work>, Box<Outcome>> {
    let (wanted, mut report) = (|_| true, |_| ());
    let (remarks, included) = (Vec::new(), BTreeMap::new());
    let mut runner = Runner {
        test,
        file,
        text: file.text(),
        setup,
        files,
        wanted: &wanted,
        report: &mut report,
        remarks,
        included,
        printed: RefCell::default(),
    };
    match &test.case {
        Some(case) if file.has_sections() => shaders(runner.watched_section(&case.name)?),
        None if test.file.ends_with(".hlsl") => shaders(runner.watched_section("")?),
        Some(case) => shaders(vec![runner.watched_unit(&case.name)?]),
        None => {
            let mut runs = Vec::new();
            for ready in runner.ready()? {
                let What::Run(prepared) = ready.what else { continue };
                if ready.step.fails {
                    continue;
                }
                // With denormals kept, whatever else is allowed.
                if !prepared.job.passes.is_empty() {
                    let sequence = runner.sequence(*prepared);
                    runs.push(Work::Sequence(Box::new(sequence.map_err(ended)?)));
                    continue;
                }
                let is_vulkan = setup.features.contains("Vulkan");
                let Prepared { job, mut programs, .. } = *prepared;
                let Some(Some(program)) = programs.pop() else { continue };
                let Program { shader, pipeline, flushed: _, root, sources, source } = program;
                let binding = bind::bind(&job, &shader, &root, is_vulkan);
                let table = binding.map_err(|it| ended(it.into()))?.table;
                let run = Runnable::of(shader, pipeline, sources, table, job.groups, source);
                runs.push(Work::Shader(Box::new(run)));
            }
            Ok(runs)
        }
    }
}

fn shaders(runs: Vec<Runnable>) -> Result<Vec<Work>, Box<Outcome>> {
    Ok(runs.into_iter().map(|it| Work::Shader(Box::new(it))).collect())
}

fn ended(problem: NotBound) -> End {
    match problem {
        NotBound::Wrong(what) => failed(what),
        NotBound::End(end) => end,
    }
}

/// An outcome that ends the whole test.
type End = Box<Outcome>;

struct Runner<'a> {
    test: &'a Test,
    file: &'a TestFile,
    text: &'a str,
    setup: &'a Setup<'a>,
    files: &'a mut dyn Files,
    wanted: &'a dyn Fn(u32) -> bool,
    report: &'a mut dyn FnMut(Outcome),
    /// They apply at every width.
    remarks: Vec<String>,
    /// The files included so far by compilations, by the words in the source.
    included: BTreeMap<String, String>,
    /// What the runs at this width have printed so far.
    printed: RefCell<String>,
}

/// A prepared `RUN:` line.
struct Ready {
    step: Step,
    what: What,
}

enum What {
    Nothing,
    /// The output of a compilation that failed as expected.
    Said(String),
    Run(Box<Prepared>),
    /// The run ends before it starts, with this message, which a test may expect.
    Refused(String),
}

struct Prepared {
    job: Job,
    /// By the index of the job's shaders; without those that no pass runs.
    programs: Vec<Option<Program>>,
    /// The job's file, its whole text, and where in it the job begins.
    place: (String, String, usize),
}

/// A compiled shader of a job.
struct Program {
    shader: Shader,
    pipeline: ComputePipeline,
    /// The same with denormal floats flushed to zero, if the flags leave the choice.
    flushed: Option<(Shader, ComputePipeline)>,
    root: Root,
    sources: SourceMap,
    source: Source,
}

impl Prepared {
    fn program(&self, shader: usize) -> &Program {
        match self.programs.get(shader) {
            Some(Some(program)) => program,
            _ => unreachable!("every shader that runs is compiled"),
        }
    }

    fn programs(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter().flatten()
    }
}

impl Program {
    /// The shader with denormal floats as wanted, if the flags leave the choice.
    fn with(&self, is_flushed: bool) -> (&Shader, &ComputePipeline) {
        match &self.flushed {
            Some((shader, pipeline)) if is_flushed => (shader, pipeline),
            _ => (&self.shader, &self.pipeline),
        }
    }
}

/// A compiled source: its name, the flags, and the text.
type Object = (String, Vec<String>, String);

impl Runner<'_> {
    fn job(&mut self) -> Result<(), End> {
        let ready = self.ready()?;
        let runs = ready.iter().filter_map(|it| match &it.what {
            What::Run(prepared) => Some(prepared.programs().map(|it| &it.pipeline).collect()),
            What::Nothing | What::Said(_) | What::Refused(_) => None,
        });
        let runs: Vec<Vec<&ComputePipeline>> = runs.collect();
        let widths = match runs.as_slice() {
            // The result is known without a wave.
            [] => vec![0],
            [first, ..] => self.widths(&runs, passes::default_width(first))?,
        };
        for width in widths {
            if !(self.wanted)(width) {
                continue;
            }
            let mut outcome = self.run_at(&ready, width).unwrap_or_else(|end| *end);
            outcome.width = width;
            outcome.printed = self.printed.take();
            outcome.remarks.splice(..0, self.remarks.clone());
            (self.report)(outcome);
        }
        Ok(())
    }

    /// The steps of the test's lines, except those that are skipped.
    fn ready(&mut self) -> Result<Vec<Ready>, End> {
        let script = test::script(self.text).map_err(|error| self.wrong(&[error], self.text))?;
        if let Some(why) = script.directives.refused(self.setup.features) {
            return Err(unsupported(why));
        }
        if let Some(condition) = script.directives.expected_failure(self.setup.features) {
            self.remarks.push(format!("the file expects a failure where `{condition}`"));
        }
        self.prepare(&script)
    }

    /// The widths to run at, among those that all runs allow: each of them in at least one pass.
    fn widths(&self, runs: &[Vec<&ComputePipeline>], default: u32) -> Result<Vec<u32>, End> {
        let allows = |run: &Vec<&ComputePipeline>, width: &u32| {
            run.iter().any(|it| it.wave_sizes().contains(width))
        };
        let is_allowed = |width: &u32| runs.iter().all(|it| allows(it, width));
        let all = self.setup.device.adapter().options1.wave_lane_count.iter();
        let allowed: Vec<u32> = all.filter(is_allowed).collect();
        let widths: Vec<u32> = match self.setup.widths {
            Widths::Default => vec![default],
            Widths::All => allowed.clone(),
            Widths::List(list) => list.iter().copied().filter(is_allowed).collect(),
        };
        if widths.is_empty() {
            let allowed: Vec<String> = allowed.iter().map(u32::to_string).collect();
            let what = format!("it runs only with waves of {} lanes", allowed.join(", "));
            return Err(unsupported(what));
        }
        Ok(widths)
    }

    fn steps(&mut self, script: &Script) -> Result<Vec<Step>, End> {
        let mut steps = Vec::new();
        for line in &script.directives.run {
            let step = script::step(line, self.setup.features)
                .map_err(|error| self.wrong(&[error], self.text))?;
            steps.push(step);
        }
        if !steps.is_empty() {
            return Ok(steps);
        }
        // A job without `RUN:` lines: its shader is beside it.
        if self.test.file.ends_with(".test") {
            let error = Error::new(0..0, "the file has no `RUN:` line");
            return Err(self.wrong(&[error], self.text));
        }
        let source = self.shader_beside()?;
        let line = crate::lit::Line { text: String::new(), at: 0..0 };
        let step = |command| Step { line: line.clone(), command, fails: false, check: None };
        let object = "%t.o".to_owned();
        let compile = Command::Compile { flags: Vec::new(), source, object: object.clone() };
        let run = Command::Run { job: Path::Test, objects: vec![object], draws: None };
        Ok(vec![step(compile), step(run)])
    }

    fn shader_beside(&mut self) -> Result<Path, End> {
        let file = self.test.file.rsplit(['/', '\\']).next().unwrap_or("");
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let names = [format!("{stem}.hlsl"), "source.hlsl".to_owned(), "shader.hlsl".to_owned()];
        let found = names.iter().find(|it| self.files.read(it, &self.test.file).is_some());
        match found {
            Some(name) => Ok(Path::File(name.clone())),
            None => {
                let error = Error::new(0..0, format!("missing shader `{}`", names[0]));
                let help = "or name it: # RUN: %dxc_target -T cs_6_6 -Fo %t.o %S/shader.hlsl";
                Err(self.wrong(&[error.help(help)], self.text))
            }
        }
    }

    /// Reads the jobs, and compiles the shaders of those that can run here.
    fn prepare(&mut self, script: &Script) -> Result<Vec<Ready>, End> {
        let steps = self.steps(script)?;
        let mut jobs = Vec::new();
        for step in &steps {
            let Command::Run { job, draws, .. } = &step.command else {
                if let Command::Foreign(program) = &step.command {
                    self.foreign(program, &steps)?;
                }
                jobs.push(None);
                continue;
            };
            let (text, name, offset) = self.text_of(job, script, step)?;
            let place = match offset {
                0 => (name, text.clone(), 0),
                _ => (self.test.file.clone(), self.text.to_owned(), offset),
            };
            let job = test::read_job(&text, offset);
            let job = job.map_err(|errors| self.wrong_in(&errors, &place.0, &place.1));
            let job = match job {
                // A test may be about a job that is refused; then its shaders do not matter.
                Err(refused) if step.fails => {
                    jobs.push(Some(Err(refused.message)));
                    continue;
                }
                job => job?,
            };
            if let Some(what) = not_built(&job) {
                return Err(unsupported(what));
            }
            if draws.is_some() {
                return Err(unsupported("it writes a picture, which is not supported yet"));
            }
            jobs.push(Some(Ok((job, place))));
        }
        let mut objects: BTreeMap<String, Object> = BTreeMap::new();
        let mut ready = Vec::new();
        for (step, job) in steps.into_iter().zip(jobs) {
            let what = match (&step.command, job) {
                (Command::Compile { flags, source, object }, _) => {
                    self.flags(flags).map_err(|end| self.wrong_flags(*end, &step))?;
                    let (mut text, mut name, offset) = self.text_of(source, script, &step)?;
                    if offset > 0 {
                        // Leading empty lines keep the locations those of the whole file.
                        let lines = self.text[..offset].matches('\n').count();
                        text = format!("{}{text}", "\n".repeat(lines));
                        name.clone_from(&self.test.file);
                    }
                    let what = match step.fails {
                        true => What::Said(self.compile_to_fail(&name, &text, flags)?),
                        false => What::Nothing,
                    };
                    objects.insert(object.clone(), (name, flags.clone(), text));
                    what
                }
                (Command::Run { .. }, Some(Err(message))) => What::Refused(message),
                (Command::Run { objects: names, .. }, Some(Ok((job, place)))) => {
                    let found: Vec<_> = names.iter().filter_map(|it| objects.get(it)).collect();
                    let is_enough = match job.passes.is_empty() {
                        true => found.len() == 1,
                        false => !found.is_empty() && found.len() == names.len(),
                    };
                    if !is_enough {
                        let what = "the run needs a shader compiled by an earlier line";
                        let error = Error::new(step.line.at.clone(), what);
                        return Err(self.wrong(&[error], self.text));
                    }
                    self.programs(job, place, &found)?
                }
                (Command::Split | Command::Foreign(_) | Command::Run { .. }, _) => What::Nothing,
            };
            ready.push(Ready { step, what });
        }
        if !ready
            .iter()
            .any(|it| matches!(it.what, What::Run(_) | What::Said(_) | What::Refused(_)))
        {
            // Shaders that never run are still compiled.
            for (name, flags, text) in objects.into_values() {
                self.compile(&name, &text, &flags)?;
            }
        }
        Ok(ready)
    }

    /// A command that we cannot run: inspections of compiled files are skipped, everything else ends the test.
    fn foreign(&mut self, program: &str, steps: &[Step]) -> Result<(), End> {
        let also_runs = steps.iter().any(|it| matches!(it.command, Command::Run { .. }));
        if program == "obj2yaml" && also_runs {
            let what =
                "`obj2yaml` was skipped: it inspects a compiled file, and none is written here";
            self.remarks.push(what.to_owned());
            return Ok(());
        }
        Err(unsupported(format!("unknown command `{program}`")))
    }

    /// A file's text, its name, and its offset in the test file (0 if it is a separate file).
    fn text_of(
        &mut self,
        path: &Path,
        script: &Script,
        step: &Step,
    ) -> Result<(String, String, usize), End> {
        let missing = |what: String| Error::new(step.line.at.clone(), what);
        match path {
            Path::Test => Ok((self.text.to_owned(), self.test.file.clone(), 0)),
            Path::Part(name) => match script.parts.iter().find(|it| it.name == *name) {
                Some(part) => {
                    Ok((self.text[part.at.clone()].to_owned(), name.clone(), part.at.start))
                }
                None => {
                    let known = script.parts.iter().map(|it| it.name.as_str());
                    let error = missing(format!("there is no part `{name}`"));
                    let error = match crate::error::did_you_mean(name, known) {
                        Some(help) => error.help(help),
                        None => error,
                    };
                    Err(self.wrong(&[error], self.text))
                }
            },
            Path::File(name) => match self.files.read(name, &self.test.file) {
                Some(text) => {
                    let folder = self.test.file.rsplit_once(['/', '\\']).map(|(folder, _)| folder);
                    let path = match folder {
                        Some(folder) if !name.starts_with('/') => format!("{folder}/{name}"),
                        _ => name.clone(),
                    };
                    Ok((text, path, 0))
                }
                None => Err(self.wrong(&[missing(format!("`{name}` cannot be read"))], self.text)),
            },
        }
    }

    fn flags(&self, words: &[String]) -> Result<Flags, End> {
        if words.is_empty() {
            return Ok(self.setup.flags.clone());
        }
        (self.setup.read_flags)(words).map_err(failed)
    }

    /// The message with the location of the flag in the line, if it names one.
    fn wrong_flags(&self, end: Outcome, step: &Step) -> End {
        let line = step.line.at.clone();
        let flag = end.message.split('`').nth(1).unwrap_or("");
        let at = self.text.get(line.clone()).and_then(|text| text.find(flag));
        let at = match at.filter(|_| !flag.is_empty()) {
            Some(at) => line.start + at..line.start + at + flag.len(),
            None => line,
        };
        self.wrong(&[Error::new(at, end.message)], self.text)
    }

    fn compilation(&mut self, name: &str, text: &str, flags: &Flags) -> Result<Compilation, End> {
        let mut includer = self.includer(flags);
        self.file.count_front_end();
        let mut options = flags.options.clone();
        options.cancel = self.setup.cancel.clone().map(Into::into).unwrap_or_default();
        let compiled = Shader::compile(name, text, &options, &mut includer);
        self.included.append(&mut includer.read);
        match compiled {
            Ok(Compilation { stopped: Some(_), .. }) => Err(failed("the run was cancelled")),
            Ok(compilation) => Ok(compilation),
            Err(bug) => Err(failed(format!("{bug}"))),
        }
    }

    /// The last compilation, for callers that write it to a file.
    fn source(&self, name: &str, text: String, flags: Flags) -> Source {
        Source { name: name.to_owned(), text, flags, included: self.included.clone() }
    }

    fn includer(&mut self, flags: &Flags) -> WithParts {
        WithParts {
            parts: self.file.parts(),
            test: self.test.file.clone(),
            others: self.files.includer(&flags.includes),
            names_folders: !self.file.has_sections(),
            read: BTreeMap::new(),
        }
    }

    fn compile(&mut self, name: &str, text: &str, words: &[String]) -> Result<(), End> {
        let flags = self.flags(words)?;
        self.compile_with(name, text, &flags).map(|_| ())
    }

    fn compile_with(
        &mut self,
        name: &str,
        text: &str,
        flags: &Flags,
    ) -> Result<(Shader, SourceMap), End> {
        let Compilation { shader, diagnostics, sources, .. } =
            self.compilation(name, text, flags)?;
        let shader = shader.ok_or_else(|| does_not_compile(&diagnostics, &sources))?;
        Ok((shader, sources))
    }

    /// A compilation that must fail; returns its output.
    fn compile_to_fail(&mut self, name: &str, text: &str, words: &[String]) -> Result<String, End> {
        let flags = self.flags(words)?;
        let compilation = self.compilation(name, text, &flags)?;
        let errors = compilation.diagnostics.iter().filter(|it| it.level == Level::Error).count();
        if errors == 0 {
            return Err(failed("it compiles, but should not"));
        }
        Ok(diag::render_all(&compilation.diagnostics, &compilation.sources, diag::Style::Plain))
    }

    /// Compiles the shaders of a job.
    fn programs(
        &mut self,
        job: Job,
        place: (String, String, usize),
        objects: &[&Object],
    ) -> Result<What, End> {
        let mut programs = Vec::new();
        for (index, shader) in job.shaders.iter().enumerate() {
            let is_run = job.passes.is_empty() || job.passes.iter().any(|it| it.entry == index);
            if !is_run {
                programs.push(None);
                continue;
            }
            let constants = match constants(&shader.constants) {
                Ok(constants) => constants,
                Err(what) => return Ok(What::Refused(format!("gpu-exec: error: {what}\n"))),
            };
            let (object, flags) = match job.passes.is_empty() {
                true => (objects[0], self.flags_of_only(objects[0], &shader.entry)?),
                false => self.object_of(&job, index, objects, &place)?,
            };
            programs.push(Some(self.program(object, flags, &job, constants)?));
        }
        Ok(What::Run(Box::new(Prepared { job, programs, place })))
    }

    /// The flags of the only shader of a job, whose entry point must be the one that was compiled.
    fn flags_of_only(&self, (_, words, _): &Object, entry: &str) -> Result<Flags, End> {
        let mut flags = self.flags(words)?;
        let options = &mut flags.options;
        if words.is_empty() {
            entry.clone_into(&mut options.entry);
        }
        if options.entry != *entry {
            let what = format!("the job runs `{entry}`, but `{}` was compiled", options.entry);
            return Err(failed(format!("{what}; pass `-E {entry}` to compile it")));
        }
        Ok(flags)
    }

    fn program(
        &mut self,
        (name, _, text): &Object,
        mut flags: Flags,
        job: &Job,
        constants: Vec<(u32, u64)>,
    ) -> Result<Program, End> {
        let options = &mut flags.options;
        options.vulkan |= self.setup.features.contains("Vulkan")
            || !constants.is_empty()
            || !job.push_constants.is_empty();
        options.specialization.extend(constants);
        options.has_tiles |= job.sets.iter().flatten().any(|it| it.tiles.is_some());
        let (shader, pipeline, sources) = self.compiled(name, text, &flags)?;
        let source = self.source(name, text.clone(), flags.clone());
        // If the flags allow either mode, a result that is right in one of them is right.
        let is_compared = job.results.iter().any(|it| !matches!(it.rule, Rule::Exact));
        let flushed = match flags.options.denormals == Denormals::Any && is_compared {
            true => {
                flags.options.denormals = Denormals::FlushToZero;
                let (shader, pipeline, _) = self.compiled(name, text, &flags)?;
                Some((shader, pipeline))
            }
            false => None,
        };
        Ok(Program { shader, pipeline, flushed, root: Root::of(text), sources, source })
    }

    fn compiled(
        &mut self,
        name: &str,
        text: &str,
        flags: &Flags,
    ) -> Result<(Shader, ComputePipeline, SourceMap), End> {
        let (shader, sources) = self.compile_with(name, text, flags)?;
        let pipeline = self
            .setup
            .device
            .create_compute_pipeline(&shader)
            .map_err(|error| unsupported(error.to_string()))?;
        Ok((shader, pipeline, sources))
    }

    /// All steps at a width.
    fn run_at(&mut self, ready: &[Ready], width: u32) -> Result<Outcome, End> {
        let (mut remarks, mut last) = (Vec::new(), Left::default());
        for Ready { step, what } in ready {
            let (output, failure) = match what {
                What::Nothing => continue,
                What::Said(output) => {
                    (Left::text(output.clone()), Some(failed("it did not compile")))
                }
                What::Refused(message) => {
                    (Left::text(message.clone()), Some(failed(message.trim_end())))
                }
                What::Run(prepared) => {
                    let is_read = step.check.is_some() || self.setup.wants_output;
                    let kept = self.dispatch(prepared, false, width, is_read)?;
                    let can_flush = prepared.programs().any(|it| it.flushed.is_some());
                    match &kept.1 {
                        Some(_) if can_flush => {
                            let flushed = self.dispatch(prepared, true, width, is_read)?;
                            if flushed.1.is_some() {
                                kept
                            } else {
                                remarks.push(FLUSHED.to_owned());
                                flushed
                            }
                        }
                        _ => kept,
                    }
                }
            };
            match (failure, step.fails) {
                (Some(mut failure), false) => {
                    (failure.output, failure.buffers) = (output.text, output.buffers);
                    return Err(failure);
                }
                (None, true) => return Err(failed("the run succeeds, but should fail")),
                (Some(_), true) | (None, false) => {}
            }
            if let Some(check) = &step.check {
                self.check(check, &output.text)?;
            }
            last = output;
        }
        let Left { text: output, buffers } = last;
        Ok(Outcome { remarks, output, buffers, ..Outcome::new(width, Verdict::Passed, "") })
    }

    /// Runs a job; returns what it leaves, and the unexpected results.
    fn dispatch(
        &mut self,
        prepared: &Prepared,
        is_flushed: bool,
        width: u32,
        is_read: bool,
    ) -> Result<(Left, Option<End>), End> {
        let mut job = prepared.job.clone();
        let doubts = match job.passes.is_empty() {
            true => self.one(prepared, is_flushed, width, &mut job),
            false => self.passes(prepared, is_flushed, width, &mut job),
        };
        let doubts = match doubts {
            Ok(doubts) => doubts,
            Err(NotBound::End(end)) => return Err(end),
            Err(NotBound::Wrong(what)) => {
                return Ok((Left::text(format!("gpu-exec: error: {what}\n")), Some(failed(what))));
            }
        };
        let findings = self.findings(&job);
        if findings.is_empty() {
            let text = if is_read { dump(&job) } else { String::new() };
            return Ok((Left { text, buffers: self.kept(job) }, None));
        }
        let names: Vec<&str> = findings.iter().map(|it| it.message.as_str()).collect();
        let failed_results = job.results.iter().filter(|it| names.contains(&it.name.as_str()));
        let text = match is_read {
            true => failed_results.map(|it| dump_failure(&job, it)).collect(),
            false => String::new(),
        };
        let mut message = format!("{} not as expected", names.join(", "));
        for doubt in doubts {
            message.push_str(&format!("\nnote: {doubt}"));
        }
        let mut outcome = failed(message);
        outcome.findings = findings;
        Ok((Left { text, buffers: self.kept(job) }, Some(outcome)))
    }

    /// The buffers of a job that has run, for callers that want them.
    fn kept(&self, job: Job) -> Vec<job::Buffer> {
        if self.setup.wants_output { job.buffers } else { Vec::new() }
    }

    /// Runs the only dispatch of a job, and leaves the results in it; returns what may explain unexpected ones.
    fn one(
        &self,
        prepared: &Prepared,
        is_flushed: bool,
        width: u32,
        job: &mut Job,
    ) -> Result<Vec<String>, NotBound> {
        let program = prepared.program(0);
        let (shader, pipeline) = program.with(is_flushed);
        let is_vulkan = self.setup.features.contains("Vulkan");
        let Binding { mut table, bound, doubts } =
            bind::bind(job, shader, &program.root, is_vulkan)?;
        let run = (shader, pipeline, Some(&program.sources));
        let printed = self.go(run, job.groups, width, &mut table)?;
        self.check_assertions(&printed, run.2)?;
        bind::take_back(job, &mut table, &bound);
        Ok(doubts)
    }

    /// Runs a shader; what it prints is kept.
    fn go(
        &self,
        (shader, pipeline, sources): (&Shader, &ComputePipeline, Option<&SourceMap>),
        groups: [u32; 3],
        width: u32,
        table: &mut ResourceTable,
    ) -> Result<Printed, End> {
        let log = shader.prints().then(|| Arc::new(PrintLog::new(self.setup.print_limit)));
        let dispatch = Dispatch {
            prints: log.clone(),
            wave_size: Some(width),
            lane_order: self.setup.lane_order,
            schedule: self.setup.schedule,
            fuel: (self.setup.fuel)(width),
            cancel: self.setup.cancel.clone(),
            ..Dispatch::new(groups)
        };
        let result = internal::dispatch(pipeline, &dispatch, table);
        let printed = log.map(|log| shader.printed(&log)).unwrap_or_default();
        let none = SourceMap::new();
        let sources = sources.unwrap_or(&none);
        self.printed.borrow_mut().push_str(&printed_text(&printed, sources));
        result.map_err(|error| not_run(&error, ""))?;
        Ok(printed)
    }

    /// Assertions that fail are failures.
    fn check_assertions(&self, printed: &Printed, sources: Option<&SourceMap>) -> Result<(), End> {
        if !printed.has_failures() {
            return Ok(());
        }
        let mut outcome = failed("an assertion failed");
        let none = SourceMap::new();
        outcome.findings = printed::findings(printed, sources.unwrap_or(&none));
        if let Some(last) = outcome.findings.last_mut() {
            last.more += printed.more_failures as usize;
        }
        Err(outcome)
    }

    /// The unexpected results.
    fn findings(&self, job: &Job) -> Vec<Finding> {
        let mut findings = Vec::new();
        for result in &job.results {
            let (actual, expected) = (&job.buffers[result.actual], &job.buffers[result.expected]);
            let Some(difference) = compare(result.rule, actual, expected) else { continue };
            let (rows, count) = match difference {
                Difference::Size { expected, got } => {
                    (vec![Row { place: format!("size of {}", actual.name), expected, got }], 1)
                }
                Difference::Numbers { first, count } => {
                    let rows = first.into_iter().map(|it| {
                        let element = it.element.map(|it| format!("[{it}]")).unwrap_or_default();
                        let place = format!("{}{element}[{}]", actual.name, it.index);
                        Row { place, expected: it.expected, got: it.got }
                    });
                    (rows.collect(), count)
                }
            };
            // Locations of a job in a part are relative to the part; the name of the result finds it in the file.
            let wanted = format!("Result: {}", result.name);
            let line = self.text.lines().position(|it| it.contains(&wanted));
            findings.push(Finding {
                message: result.name.clone(),
                file: self.test.file.clone(),
                line: line.map_or(0, |it| it as u32 + 1),
                more: count.saturating_sub(rows.len()),
                rows,
            });
        }
        findings
    }

    fn check(&mut self, check: &Check, output: &str) -> Result<(), End> {
        let patterns = match &check.patterns {
            Path::Part(_) | Path::Test => self.text.to_owned(),
            Path::File(name) => self
                .files
                .read(name, &self.test.file)
                .ok_or_else(|| failed(format!("`{name}` cannot be read")))?,
        };
        let prefixes: Vec<&str> = check.prefixes.iter().map(String::as_str).collect();
        filecheck::check(&patterns, &prefixes, output).map_err(|mismatch| {
            let mut outcome = failed("the output is not as expected");
            outcome.findings.push(Finding {
                message: mismatch.message,
                file: self.test.file.clone(),
                line: mismatch.line as u32,
                rows: Vec::new(),
                more: 0,
            });
            outcome
        })
    }

    fn wrong(&self, errors: &[Error], text: &str) -> End {
        self.wrong_in(errors, &self.test.file, text)
    }

    fn wrong_in(&self, errors: &[Error], file: &str, text: &str) -> End {
        let rendered: String = errors.iter().map(|it| it.render(file, text)).collect();
        wrong_file(format!("the test file has errors\n{rendered}"))
    }
}

/// What a step leaves: the output of the job's tool if it is checked, and the buffers if they are wanted.
#[derive(Default)]
struct Left {
    text: String,
    buffers: Vec<job::Buffer>,
}

impl Left {
    fn text(text: String) -> Left {
        Left { text, buffers: Vec::new() }
    }
}

/// Why a job did not run to its end.
enum NotBound {
    /// It cannot be bound, which a test may expect.
    Wrong(String),
    End(End),
}

impl From<BindProblem> for NotBound {
    fn from(problem: BindProblem) -> NotBound {
        match problem {
            BindProblem::Unsupported(what) => NotBound::End(unsupported(what)),
            BindProblem::Wrong(what) => NotBound::Wrong(what),
        }
    }
}

impl From<End> for NotBound {
    fn from(end: End) -> NotBound {
        NotBound::End(end)
    }
}

/// The end of a test whose dispatch did not end; `which` names it where there are several.
fn not_run(error: &DispatchError, which: &str) -> End {
    match error {
        DispatchError::Unsupported(_) | DispatchError::WaveSize { .. } => {
            let what = error.to_string();
            unsupported(format!("{which}{}", what.trim_start_matches("unsupported: ")))
        }
        // A cancelled run is recognised by its message.
        DispatchError::Trap(Trap::Cancelled { .. }) => failed(error.to_string()),
        other => failed(format!("{which}{other}")),
    }
}

/// The end of a test whose shader has errors.
fn does_not_compile(diagnostics: &[diag::Diagnostic], sources: &SourceMap) -> End {
    let is_wrong = |it: &&diag::Diagnostic| it.level >= Level::Error;
    let wrong: Vec<diag::Diagnostic> = diagnostics.iter().filter(is_wrong).cloned().collect();
    let report = diag::render_all(&wrong, sources, diag::Style::Plain);
    let verdict = match wrong.iter().any(|it| it.level == Level::Error) {
        true => Verdict::Failed,
        false => Verdict::Unsupported,
    };
    Box::new(Outcome::new(0, verdict, format!("it does not compile\n{report}")))
}

/// Direct3D and Vulkan leave the treatment of denormal floats open, and tests that match only with flushing mean
/// this.
const FLUSHED: &str =
    "as expected where denormal floats are flushed to zero, which `-denorm any` allows";

/// A requirement of a job that no engine here meets.
fn not_built(job: &Job) -> Option<String> {
    let stage = job.shaders.iter().find(|it| it.stage != Stage::Compute);
    if let Some(shader) = stage {
        let stage = format!("{:?}", shader.stage).to_lowercase();
        return Some(format!("only compute shaders run here yet, but it has a {stage} shader"));
    }
    None
}

fn failed(message: impl Into<String>) -> End {
    Box::new(Outcome::new(0, Verdict::Failed, message))
}

/// The end of a test whose file has errors.
fn wrong_file(message: impl Into<String>) -> End {
    Box::new(Outcome { is_wrong: true, ..*failed(message) })
}

fn unsupported(message: impl Into<String>) -> End {
    Box::new(Outcome::new(0, Verdict::Unsupported, message))
}

/// Includes are looked up in parts of the test, then in files, and our own header comes last.
struct WithParts {
    parts: Rc<BTreeMap<String, Arc<str>>>,
    test: String,
    others: Box<dyn Includer>,
    /// Whether a missing include names the searched folders. The messages that a section expects must not depend on them.
    names_folders: bool,
    /// The included files, by the words in the source.
    read: BTreeMap<String, String>,
}

impl Includer for WithParts {
    fn read(&mut self, path: &str, includer: &str, system: bool) -> Option<(String, Arc<str>)> {
        let found = self.find(path, includer, system)?;
        self.read.insert(path.trim_start_matches("./").to_owned(), found.1.to_string());
        Some(found)
    }

    fn not_found(&mut self, path: &str, includer: &str, system: bool) -> NotFound {
        match self.names_folders {
            true => self.others.not_found(path, includer, system),
            false => NotFound::default(),
        }
    }
}

impl Remembering for WithParts {
    fn found(&mut self) -> BTreeMap<String, String> {
        std::mem::take(&mut self.read)
    }
}

impl WithParts {
    fn find(&mut self, path: &str, includer: &str, system: bool) -> Option<(String, Arc<str>)> {
        let name = path.trim_start_matches("./");
        if let Some(text) = self.parts.get(name) {
            return Some((format!("{}/{name}", self.test), text.clone()));
        }
        let found = self.others.read(path, includer, system);
        let ours = || (name == HEADER_NAME).then(|| (HEADER_NAME.to_owned(), HEADER.into()));
        found.or_else(ours)
    }
}
