//! Runs one test at its widths.
//!
//! A test is compiled once and run at each width from the same contents. Nothing passes unchecked: what this build
//! cannot do is unsupported, with a reason, and skipped steps are remarked upon.

mod compile;
mod contents;
mod dispatch;
mod draw;
mod drawn;
mod passes;
mod pictures;
mod section;
mod steps;
mod unit;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wavelane::{
    ComputePipeline, Device, Includer, LaneOrder, Options, ResourceTable, Schedule, Shader,
    SourceMap,
};

use self::dispatch::NotBound;
use self::steps::{Prepared, Program, What};
use crate::bind;
use crate::error::Error;
use crate::file::TestFile;
use crate::lit::Features;
use crate::outcome::{Outcome, Verdict};
use crate::printed::PrintedLines;
use crate::repro::Source;
use crate::test::Test;

pub use contents::Content;
pub use draw::{DrawnRun, DrawnStage};
pub use drawn::{DrawnOutcome, DrawnSection, NotDrawn, Packed};
pub use passes::{PassName, Sequence, SequencePass, SequenceProgram};

/// The provider of the texts of other files.
pub trait Files {
    /// A file beside the test, or at an absolute path.
    fn read(&mut self, path: &str, test: &str) -> Option<String>;

    /// The bytes of a file, in the same way; pictures are the only such files.
    fn bytes(&mut self, _path: &str, _test: &str) -> Option<Vec<u8>> {
        None
    }

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
    /// The folder of golden images, which tests call `%goldenimage_dir`.
    pub golden: Option<&'a str>,
    /// How many of the lines that shaders print are kept.
    pub print_limit: usize,
    /// Whether the final contents of the buffers are wanted even if no pattern checks them: writing large buffers
    /// takes longer than the run.
    pub wants_output: bool,
    /// Called before each dispatch and draw with the engine that runs its waves.
    pub on_engine: Option<&'a dyn Fn(Engaged)>,
}

/// The engine that runs the waves of a dispatch or a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engaged {
    /// The pass, if the job has several.
    pub pass: Option<PassName>,
    pub width: u32,
    /// What the requested engine does not support, so that the reference engine runs them.
    pub fallback: Option<String>,
    /// Why waves run in their canonical order, if they do.
    pub order: Option<String>,
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
        Some(case) => runner.unit(case),
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
    Draw(Box<DrawnRun>),
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
    /// The only widths that it is meant for, if these are not all that the pipeline allows.
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
        Some(case) if file.has_sections() => runner.watched(&case.name),
        None if test.file.ends_with(".hlsl") => runner.watched(""),
        Some(case) => Ok(vec![runner.watched_unit(case)?]),
        None => {
            let mut runs = Vec::new();
            for ready in runner.ready()? {
                let What::Run(prepared) = ready.what else { continue };
                if ready.step.fails {
                    continue;
                }
                if prepared.drawing.is_some() {
                    let run = runner.drawn_run(*prepared).map_err(ended)?;
                    runs.push(Work::Draw(Box::new(run)));
                    continue;
                }
                // With denormals kept, in addition to other modes.
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
    printed: RefCell<Vec<PrintedLines>>,
}

impl Runner<'_> {
    /// The widths to run at, among those that all runs allow: each of them in at least one pass.
    fn widths(&self, runs: &[Vec<&[u32]>], default: u32) -> Result<Vec<u32>, End> {
        let allows = |run: &Vec<&[u32]>, width: &u32| run.iter().any(|it| it.contains(width));
        let is_allowed = |width: &u32| runs.iter().all(|it| allows(it, width));
        let all = self.setup.device.adapter().wave_lane_count.iter();
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

    fn wrong(&self, errors: &[Error], text: &str) -> End {
        self.wrong_in(errors, &self.test.file, text)
    }

    fn wrong_in(&self, errors: &[Error], file: &str, text: &str) -> End {
        let rendered: String = errors.iter().map(|it| it.render(file, text)).collect();
        if errors.iter().all(|it| it.is_unsupported) {
            return unsupported(rendered.trim_end());
        }
        wrong_file(format!("the test file has errors\n{rendered}"))
    }
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
