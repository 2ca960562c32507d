//! One run of a program on one side, and what the sanitizer finds in it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wavelane::internal::{self, Slots, Verdict};
use wavelane::sanitizer::Report;
use wavelane::{
    ComputePipeline, Denormals, Device, Dispatch, DispatchError, PrintLog, Printed, PrintedLine,
    ResourceTable, Shader, Trap,
};

use super::DiffArgs;
use super::subject::Subject;
use crate::compare::Rules;
use crate::plan::plan_of;
use crate::side::{NotRun, Side};

/// What all runs of a comparison have in common.
pub(super) struct Runner<'a> {
    pub(super) args: &'a DiffArgs,
    /// Set when the time is spent.
    pub(super) cancel: Arc<AtomicBool>,
    /// A dispatch on a device did not finish: nothing can be run there in this process any more.
    pub(super) is_lost: Cell<bool>,
    /// The number of comparisons that an earlier process has made.
    pub(super) done: Cell<usize>,
    /// Candidates, which may never end, get no more fuel than this.
    pub(super) most_fuel: Cell<u64>,
}

/// Why a run left nothing to compare.
#[derive(Debug)]
pub(super) enum Ended {
    Unsupported(String),
    BadInput(String),
    Failed(DispatchError),
}

impl From<NotRun> for Ended {
    fn from(why: NotRun) -> Ended {
        match why {
            NotRun::Unsupported(what) => Ended::Unsupported(what),
            NotRun::BadInput(what) => Ended::BadInput(what),
        }
    }
}

/// More instructions than the program itself has, where it is watched.
pub(super) const WATCHED: u64 = 16;

impl Runner<'_> {
    /// What a run leaves of `table`.
    pub(super) fn run(
        &self,
        pipeline: &ComputePipeline,
        table: &ResourceTable,
        groups: [u32; 3],
        width: u32,
        factor: u64,
    ) -> Result<ResourceTable, Ended> {
        let table = table.copied();
        let dispatch = self.dispatch(groups, width, factor);
        // The reference engine compared with itself would agree.
        if let Some(what) = pipeline.fallback(&dispatch, &table) {
            return Err(Ended::Unsupported(format!("it does not support {what}")));
        }
        match internal::dispatch(pipeline, &dispatch, &table) {
            Ok(()) => Ok(table),
            Err(error @ (DispatchError::Unsupported(_) | DispatchError::WaveSize { .. })) => {
                let what = error.to_string();
                Err(Ended::Unsupported(what.trim_start_matches("unsupported: ").to_owned()))
            }
            Err(error) => {
                let is_lost = matches!(error, DispatchError::Trap(Trap::DeviceLost { .. }));
                if is_lost || self.is_late() {
                    self.is_lost.set(true);
                }
                Err(Ended::Failed(error))
            }
        }
    }

    /// What a run prints, if it completes.
    pub(super) fn printed(
        &self,
        pipeline: &ComputePipeline,
        shader: &Shader,
        table: &ResourceTable,
        groups: [u32; 3],
        width: u32,
    ) -> Option<Printed> {
        let log = self.log();
        let dispatch = Dispatch { prints: Some(log.clone()), ..self.dispatch(groups, width, 1) };
        internal::dispatch(pipeline, &dispatch, &table.copied()).ok()?;
        Some(shader.printed(&log))
    }

    pub(super) fn log(&self) -> Arc<PrintLog> {
        Arc::new(PrintLog::new(self.args.common.launch.print_limit))
    }

    /// Whether the next comparison has been made before; counts it.
    pub(super) fn is_done(&self) -> bool {
        let done = self.done.get();
        self.done.set(done.saturating_sub(1));
        done > 0
    }

    /// Like [`Runner::run`], for a shader without a pipeline.
    pub(super) fn run_shader(
        &self,
        side: &Side,
        shader: &Shader,
        table: &ResourceTable,
        groups: [u32; 3],
        width: u32,
    ) -> Result<ResourceTable, Ended> {
        let pipeline = side.pipeline(shader, &self.args.common.device.adapter)?;
        self.run(&pipeline, table, groups, width, 1)
    }

    fn fuel(&self, width: u32, factor: u64) -> Option<u64> {
        let usual = self.args.common.launch.fuel.at(width).map(|it| it.saturating_mul(factor));
        let most = self.most_fuel.get();
        if most == u64::MAX { usual } else { Some(usual.map_or(most, |it| it.min(most))) }
    }

    pub(super) fn dispatch(&self, groups: [u32; 3], width: u32, factor: u64) -> Dispatch {
        Dispatch {
            wave_size: Some(width),
            lane_order: self.args.common.launch.lane_order,
            schedule: self.args.common.launch.schedule,
            fuel: self.fuel(width, factor),
            cancel: Some(self.cancel.clone()),
            ..Dispatch::new(groups)
        }
    }

    /// What the reference leaves where denormal floats are flushed to zero, if the flags leave that choice to a device;
    /// of the subject with its text replaced.
    pub(super) fn flushed(
        &self,
        subject: &Subject,
        text: &str,
        groups: [u32; 3],
        width: u32,
    ) -> Option<ResourceTable> {
        if subject.source.flags.options.denormals != Denormals::Any {
            return None;
        }
        let (shader, table) = subject.with(text, Denormals::FlushToZero)?;
        self.run_shader(&Side::reference(), &shader, &table, groups, width).ok()
    }

    pub(super) fn is_late(&self) -> bool {
        self.cancel.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// What the sanitizer finds at that width, and why it did not run to the end, if it did not.
    pub(super) fn examine(
        &self,
        subject: &Subject,
        shader: &Shader,
        table: &ResourceTable,
        groups: [u32; 3],
        width: u32,
    ) -> (Report, Option<String>) {
        let device = Device::new(self.args.common.device.adapter.clone());
        let pipeline = match device.create_compute_pipeline(shader) {
            Ok(pipeline) => pipeline,
            Err(error) => return (Report::default(), Some(error.to_string())),
        };
        let plan = match plan_of(&self.args.san, &subject.san, vec![width], None) {
            Ok(plan) => plan,
            Err(problem) => return (Report::default(), Some(problem.message)),
        };
        let dispatch = self.dispatch(groups, width, 1);
        match pipeline.examine(&dispatch, &plan, table) {
            Ok(report) => (report, None),
            Err(it) => (it.found, Some(it.error.to_string())),
        }
    }
}

/// The first line that two runs print differently, failed assertions after all other lines; `expected` is the
/// reference's.
pub(super) fn other_line(expected: &Printed, got: &Printed) -> Option<String> {
    fn lines(it: &Printed) -> Vec<&PrintedLine> {
        it.lines.iter().chain(&it.failures).collect()
    }
    fn told(it: Option<&&PrintedLine>) -> String {
        match it {
            None => "missing".to_owned(),
            Some(PrintedLine { group: [x, y, z], wave, lane, text, .. }) => {
                format!("`{text}` from lane {lane} of wave {wave} of group ({x}, {y}, {z})")
            }
        }
    }
    let (a, b) = (lines(expected), lines(got));
    let counts = |it: &Printed| it.more + it.more_failures;
    let Some(first) = (0..a.len().max(b.len())).find(|it| a.get(*it) != b.get(*it)) else {
        let (a, b) = (counts(expected), counts(got));
        return (a != b).then(|| format!("{b} printed lines are left out, and {a} in `interp`"));
    };
    let (a, b) = (told(a.get(first)), told(b.get(first)));
    Some(format!("printed line {} is {b}, and {a} in `interp`", first + 1))
}

/// What findings say about a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Explained {
    Not,
    /// It is one of several results that are right.
    Open,
    /// The language does not define what happens.
    Undefined,
}

/// Whether findings explain that two sides differ.
pub(super) fn explained<'a>(
    seen: impl Iterator<Item = &'a internal::Seen> + Clone,
    is_foreign: bool,
) -> Explained {
    let all = seen.map(|it| match it.finding.kind.verdict() {
        Verdict::Undefined => Explained::Undefined,
        Verdict::Unspecified | Verdict::OrderDependent => Explained::Open,
        // Our engines agree where implementations are free; another compiler may choose differently.
        Verdict::Portability if is_foreign || is_permuted(it) => Explained::Open,
        Verdict::Portability | Verdict::WidthDependent => Explained::Not,
    });
    let undefined = all.clone().any(|it| it == Explained::Undefined);
    match all.clone().any(|it| it == Explained::Open) {
        _ if undefined => Explained::Undefined,
        true => Explained::Open,
        false => Explained::Not,
    }
}

/// The same elements in another order.
fn is_permuted(seen: &internal::Seen) -> bool {
    seen.finding.kind == internal::Kind::PermutedResult
}

/// What counts as the same, by the command line and by the flags of a section.
pub(super) fn rules_of(args: &DiffArgs, san: &[String]) -> Rules {
    // The sanitizer has reported wrong flags of a section.
    let unordered = plan_of(&args.san, san, Vec::new(), None).map(|it| it.unordered);
    Rules {
        room: args.san.float_room,
        unordered: unordered.unwrap_or_default(),
        without: Vec::new(),
    }
}
