//! What `san` examines: a shader with the buffers of the command line, or the runs of tests.
//!
//! Everything is examined in this process, one program after the other; fuel and time-outs bound each. What had been found
//! when a run was given up is not lost. Nothing here judges findings.

use std::sync::atomic::Ordering;

use jobs::{Runnable, Test, TestFile, Widths};
use wavelane::internal::Slots;
use wavelane::sanitizer::{Plan, Report};
use wavelane::{ComputePipeline, Device, Dispatch, ResourceTable, Shader, SourceMap};

use super::SanArgs;
use super::record::Stop;
use crate::asked::{Launch, WaveSizes};
use crate::auto::Auto;
use crate::compile::flags_of;
use crate::launch::{failed, widths};
use crate::plan::{plan, plan_of};
use crate::problem::{End, Exit, Problem};
use crate::testing::{Beside, setup};
use crate::watch::Watch;
use crate::{bind, compile, device, missing};

/// A program that was examined.
pub(super) struct Subject {
    /// The file, with the case or the number of the run where it has several.
    pub(super) name: String,
    pub(super) shader: Shader,
    pub(super) sources: SourceMap,
    pub(super) plan: Plan,
    pub(super) report: Report,
    /// Why the sweep was given up.
    pub(super) stopped: Option<Stop>,
    /// The bindings that were made up.
    pub(super) auto: Option<Auto>,
}

/// A problem as the report of many programs tells it.
pub(super) fn stop(problem: Problem) -> Stop {
    let place = problem.place.map_or_else(String::new, |(place, _)| format!("{place}: "));
    Stop { exit: problem.exit, why: format!("{place}{}", problem.message) }
}

/// The shader that the command line names, with what it binds.
pub(super) fn shader(args: &SanArgs) -> Result<Subject, End> {
    let file = args.operand.as_ref().map_err(Clone::clone)?;
    let (shader, sources) = compile::shader(file, &args.compile)?;
    Ok(compiled(args, &args.launch, file.clone(), shader, sources)?)
}

/// A shader with what the command line binds, or what is made up.
pub(super) fn compiled(
    args: &SanArgs,
    launch: &Launch,
    name: String,
    shader: Shader,
    sources: SourceMap,
) -> Result<Subject, Problem> {
    let pipeline = Device::new(args.adapter.clone())
        .create_compute_pipeline(&shader)
        .map_err(|it| device::problem(&it, &sources))?;
    let plan = plan(&args.san, widths(launch, &args.adapter, &shader, &pipeline)?);
    let mut bound = bind::bind(&args.bind, launch.groups, &shader, &sources)?;
    for name in plan.width_dependent.iter().chain(&plan.unordered) {
        if !bound.table.iter().any(|(resource, ..)| resource.name == *name) {
            let known = bound.table.iter().map(|(resource, ..)| resource.name.as_str());
            return Err(missing::unknown(&format!("no buffer `{name}` is bound"), name, known));
        }
    }
    let (report, stopped) =
        examine(launch, &pipeline, launch.groups, &plan, &mut bound.table, &sources)?;
    let stopped = stopped.map(stop);
    Ok(Subject { name, shader, sources, plan, report, stopped, auto: bound.auto })
}

/// Examines the runs of a test; `tell` hears of each by its name, or why there are none.
pub(super) fn test(
    args: &SanArgs,
    test: &Test,
    file: &TestFile,
    tell: &mut dyn FnMut(String, Result<Box<Subject>, Stop>),
) {
    let device = Device::new(args.adapter.clone());
    let features = jobs::features(device.adapter(), args.select.api);
    let flags = flags_of(&args.compile);
    let fuel = |width| args.launch.fuel.at(width);
    let setup = setup(&args.launch, &device, &features, &Widths::All, &flags, &fuel);
    let skip = |exit, why: &str| Err(Stop { exit, why: why.to_owned() });
    let runs = match jobs::prepare(test, file, &setup, &mut Beside::of(&args.compile)) {
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
        let widths = widths_of(args, &run);
        if widths.is_empty() {
            continue;
        }
        any = true;
        let name = if several { format!("{} run {number}", test.name()) } else { test.name() };
        let subject = runnable(args, run, widths, name.clone());
        tell(name, subject);
    }
    if !any {
        let why = "none of its widths is among those asked for";
        tell(test.name(), skip(Exit::Unsupported, why));
    }
}

/// The widths that a run allows and the command line asks for.
fn widths_of(args: &SanArgs, run: &Runnable) -> Vec<u32> {
    let allowed = run.pipeline.wave_sizes();
    let mut widths = run.widths.clone().unwrap_or_else(|| allowed.to_vec());
    widths.retain(|it| allowed.contains(it));
    if let WaveSizes::List(list) = &args.launch.wave_sizes {
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
    let (report, stopped) =
        examine(&args.launch, &pipeline, groups, &plan, &mut table, &sources).map_err(stop)?;
    let stopped = stopped.map(stop);
    Ok(Box::new(Subject { name, shader, sources, plan, report, stopped, auto: None }))
}

/// What was found, and why the sweep was given up if it was. Where nothing had been found by then, that is all there is.
fn examine(
    launch: &Launch,
    pipeline: &ComputePipeline,
    groups: [u32; 3],
    plan: &Plan,
    table: &mut ResourceTable,
    sources: &SourceMap,
) -> Result<(Report, Option<Problem>), Problem> {
    let mut watch = Watch::start(launch.timeout, groups.iter().map(|it| u64::from(*it)).product());
    let dispatch = Dispatch {
        lane_order: launch.lane_order,
        schedule: launch.schedule,
        // The bound of the widest waves is the lowest.
        fuel: launch.fuel.at(plan.widths.iter().copied().max().unwrap_or(32)),
        cancel: Some(watch.cancel.clone()),
        ..Dispatch::new(groups)
    };
    let result = pipeline.examine(&dispatch, plan, table);
    let late = watch.cancel.load(Ordering::Relaxed);
    watch.stop();
    match result {
        Ok(report) => Ok((report, None)),
        Err(it) => {
            let problem = failed(&it.error, it.width, launch, late, sources);
            if it.found.seen.is_empty() { Err(problem) } else { Ok((it.found, Some(problem))) }
        }
    }
}
