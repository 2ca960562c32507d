//! What `san` examines: a shader with the buffers of the command line, or the runs of tests.
//!
//! Everything is examined in this process, one program after the other; fuel and time-outs bound each. Nothing here
//! judges findings.

use std::sync::atomic::Ordering;

use device::{ComputePipeline, Device, Dispatch, Plan, Report, ResourceTable, Shader, SourceMap};
use jobs::{Runnable, Setup, Test, Widths};

use super::plan;
use crate::args::{Args, WaveSizes};
use crate::files::read_source;
use crate::problem::{Exit, Problem};
use crate::run::watch::Watch;
use crate::run::{bind, failed, widths};
use crate::test::{Beside, flags_of, read_flags};
use crate::{End, compile};

/// A program that was examined.
pub(super) struct Subject {
    /// The file, with the case or the number of the run where it has several.
    pub(super) name: String,
    pub(super) shader: Shader,
    pub(super) sources: SourceMap,
    pub(super) plan: Plan,
    pub(super) report: Report,
}

/// A test that was not examined.
pub(super) struct Skipped {
    pub(super) name: String,
    pub(super) exit: Exit,
    pub(super) why: String,
}

/// The shader that the command line names, with what it binds.
pub(super) fn shader(args: &Args) -> Result<Subject, End> {
    let file = args.operand()?;
    let (shader, sources) = compile::shader(file, args)?;
    let pipeline = Device::new(args.adapter.clone())
        .create_compute_pipeline(&shader)
        .map_err(|it| crate::caps::problem(&it, &sources))?;
    let plan = plan(args, widths(args, &shader, &pipeline)?);
    let mut bound = bind::bind(args, &shader, &sources)?;
    for name in plan.width_dependent.iter().chain(&plan.unordered) {
        if !bound.table.iter().any(|(resource, ..)| resource.name == *name) {
            let known = bound.table.iter().map(|(resource, ..)| resource.name.as_str());
            return Err(bind::unknown(&format!("no buffer `{name}` is bound"), name, known).into());
        }
    }
    let report = examine(args, &pipeline, args.groups, &plan, &mut bound.table, &sources)?;
    Ok(Subject { name: file.to_owned(), shader, sources, plan, report })
}

/// The runs of a test, or why it has none.
pub(super) fn test(args: &Args, test: &Test) -> Result<Vec<Subject>, Skipped> {
    let skipped = |exit, why: String| Skipped { name: test.name(), exit, why };
    let device = Device::new(args.adapter.clone());
    let features = jobs::features(device.adapter(), args.test.api);
    let flags = flags_of(args);
    let setup = Setup {
        device: &device,
        features: &features,
        widths: &Widths::All,
        read_flags: &read_flags,
        flags: &flags,
        lane_order: args.lane_order,
        schedule: args.schedule,
        fuel: &|width| args.fuel.at(width),
        cancel: None,
    };
    let (_, text) =
        read_source(&test.file).map_err(|problem| skipped(problem.exit, problem.message))?;
    let runs = jobs::prepare(test, &text, &setup, &mut Beside).map_err(|outcome| {
        let exit = match outcome.verdict {
            jobs::Verdict::Unsupported => Exit::Unsupported,
            jobs::Verdict::Passed | jobs::Verdict::Failed => Exit::BadInput,
        };
        skipped(exit, outcome.message)
    })?;
    if runs.is_empty() {
        return Err(skipped(Exit::Unsupported, "nothing in it runs".to_owned()));
    }
    let several = runs.len() > 1;
    let mut subjects = Vec::new();
    for (number, run) in (1..).zip(runs) {
        let Runnable { shader, pipeline, sources, mut table, groups, log } = run;
        let allowed = pipeline.wave_sizes();
        let widths: Vec<u32> = match &args.wave_sizes {
            WaveSizes::List(list) => {
                list.iter().copied().filter(|it| allowed.contains(it)).collect()
            }
            WaveSizes::Default | WaveSizes::All => allowed.to_vec(),
        };
        if widths.is_empty() {
            let why = "none of its widths is among those asked for".to_owned();
            return Err(skipped(Exit::Unsupported, why));
        }
        let mut plan = plan(args, widths);
        // How often a case checks differs with the width, and which failure comes first is no result.
        plan.width_dependent.extend(log.map(str::to_owned));
        plan.unordered.extend(log.map(str::to_owned));
        let report = examine(args, &pipeline, groups, &plan, &mut table, &sources)
            .map_err(|problem| skipped(problem.exit, problem.message))?;
        let name = if several { format!("{} run {number}", test.name()) } else { test.name() };
        subjects.push(Subject { name, shader, sources, plan, report });
    }
    Ok(subjects)
}

fn examine(
    args: &Args,
    pipeline: &ComputePipeline,
    groups: [u32; 3],
    plan: &Plan,
    table: &mut ResourceTable,
    sources: &SourceMap,
) -> Result<Report, Problem> {
    let mut watch = Watch::start(args.timeout, groups.iter().map(|it| u64::from(*it)).product());
    let dispatch = Dispatch {
        lane_order: args.lane_order,
        schedule: args.schedule,
        // The bound of the widest waves is the lowest.
        fuel: args.fuel.at(plan.widths.iter().copied().max().unwrap_or(32)),
        cancel: Some(watch.cancel.clone()),
        ..Dispatch::new(groups)
    };
    let result = pipeline.examine(&dispatch, plan, table);
    let late = watch.cancel.load(Ordering::Relaxed);
    watch.stop();
    result.map_err(|it| failed(&it.error, it.width, args, late, sources))
}
