//! Runs the steps of a test at a width, and judges what the dispatches leave.

use std::collections::BTreeMap;
use std::sync::Arc;

use wavelane::internal;
use wavelane::{
    ComputePipeline, Dispatch, DispatchError, PrintLog, Printed, ResourceTable, Shader, SourceMap,
    Trap,
};

use super::steps::{Prepared, Ready, What};
use super::{End, Engaged, PassName, Runner, failed, pictures, unsupported};
use crate::bind::{self, BindProblem, Binding};
use crate::compare::{Difference, compare};
use crate::dump::{dump, dump_failure};
use crate::filecheck;
use crate::job::{self, Job};
use crate::outcome::{Finding, Outcome, Row, Verdict};
use crate::picture::Picture;
use crate::printed::{self, PrintedLines};
use crate::script::{Check, Path};

impl Runner<'_> {
    /// All steps at a width.
    pub(super) fn run_at(&mut self, ready: &[Ready], width: u32) -> Result<Outcome, End> {
        let (mut remarks, mut last) = (Vec::new(), Left::default());
        let mut pictures = BTreeMap::new();
        for Ready { step, what } in ready {
            let (output, failure) = match what {
                What::Nothing => continue,
                What::Said(output) => {
                    (Left::text(output.clone()), Some(failed("it did not compile")))
                }
                What::Refused(message) => {
                    (Left::text(message.clone()), Some(failed(message.trim_end())))
                }
                What::Compare(compared) => {
                    let (told, failure) = compared.judge(&pictures)?;
                    remarks.extend(told);
                    (Left::default(), failure)
                }
                What::Run(prepared) => {
                    let is_read = step.check.is_some() || self.setup.wants_output;
                    let kept = self.dispatch(prepared, false, width, is_read)?;
                    let can_flush = prepared.can_flush();
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
                    failure.remarks = remarks;
                    return Err(failure);
                }
                (None, true) => return Err(failed("the run succeeds, but should fail")),
                (Some(_), true) | (None, false) => {}
            }
            if let Some(check) = &step.check {
                self.check(check, &output.text)?;
            }
            if matches!(what, What::Compare(_)) {
                continue;
            }
            if let What::Run(prepared) = what
                && let (Some((_, name)), Some(picture)) =
                    (&prepared.picture, output.picture.clone())
            {
                pictures.insert(name.clone(), picture);
            }
            last = output;
        }
        let Left { text: output, buffers, .. } = last;
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
        let doubts = match (&prepared.drawing, job.passes.is_empty()) {
            (Some(drawing), _) => self.draw(drawing, is_flushed, width, &mut job),
            (None, true) => self.one(prepared, is_flushed, width, &mut job),
            (None, false) => self.passes(prepared, is_flushed, width, &mut job),
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
            let picture = match &prepared.picture {
                Some((buffer, _)) => Some(pictures::of_buffer(&job, *buffer).map_err(failed)?),
                None => None,
            };
            return Ok((Left { text, buffers: self.kept(job), picture }, None));
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
        Ok((Left { text, buffers: self.kept(job), picture: None }, Some(outcome)))
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
    pub(super) fn go(
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
        self.engaged(None, pipeline, &dispatch, table);
        let result = internal::dispatch(pipeline, &dispatch, table);
        let printed = log.map(|log| shader.printed(&log)).unwrap_or_default();
        let none = SourceMap::new();
        let sources = sources.unwrap_or(&none);
        self.keep(PrintedLines::new(&printed, sources));
        result.map_err(|error| not_run(&error, ""))?;
        Ok(printed)
    }

    /// Reports the engine of a dispatch, if the caller wants to know.
    pub(super) fn engaged(
        &self,
        pass: Option<PassName>,
        pipeline: &ComputePipeline,
        dispatch: &Dispatch,
        table: &ResourceTable,
    ) {
        let Some(told) = self.setup.on_engine else { return };
        let width = dispatch.wave_size.unwrap_or(0);
        let fallback = pipeline.fallback(dispatch, table);
        told(Engaged { pass, width, fallback, order: pipeline.order(width) });
    }

    /// Keeps what a dispatch has printed for the outcome.
    pub(super) fn keep(&self, lines: PrintedLines) {
        self.printed.borrow_mut().extend((!lines.is_empty()).then_some(lines));
    }

    /// Assertions that fail are failures.
    pub(super) fn check_assertions(
        &self,
        printed: &Printed,
        sources: Option<&SourceMap>,
    ) -> Result<(), End> {
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
}

/// What a step leaves: the output of the job's tool if it is checked, and the buffers if they are wanted.
#[derive(Default)]
struct Left {
    text: String,
    buffers: Vec<job::Buffer>,
    picture: Option<Picture>,
}

impl Left {
    fn text(text: String) -> Left {
        Left { text, ..Left::default() }
    }
}

/// Why a job did not run to its end.
pub(super) enum NotBound {
    /// It cannot be bound, which a test may expect.
    Wrong(String),
    End(End),
}

impl From<BindProblem> for NotBound {
    fn from(problem: BindProblem) -> NotBound {
        NotBound::Wrong(problem.0)
    }
}

impl From<End> for NotBound {
    fn from(end: End) -> NotBound {
        NotBound::End(end)
    }
}

/// The end of a test whose dispatch did not end; `which` names it where there are several.
pub(super) fn not_run(error: &DispatchError, which: &str) -> End {
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

/// Direct3D and Vulkan leave the treatment of denormal floats open, and tests that match only with flushing mean
/// this.
const FLUSHED: &str =
    "as expected where denormal floats are flushed to zero, which `-denorm any` allows";
