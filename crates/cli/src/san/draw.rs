//! Examines draws: those of tests, and those of `--draw`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use jobs::{DrawnRun, DrawnStage};
use wavelane::internal::{self, Pace};
use wavelane::sanitizer::{DrawReport, Plan};
use wavelane::{Draw, Stage};

use super::SanArgs;
use super::record::Stop;
use super::subject::{Part, Subject, stop};
use crate::asked::{DrawArgs, Launch};
use crate::draw::{self, AskedDraw, DEPTH, STENCIL};
use crate::missing;
use crate::plan::{plan, plan_of};
use crate::problem::{End, Problem};
use crate::watch::Watch;

/// The pixel shader that the command line names, with what it draws.
pub(super) fn shader(args: &SanArgs, asked: &DrawArgs) -> Result<Subject, End> {
    let file = args.common.operand.clone()?;
    let AskedDraw { run, widths, auto } = AskedDraw::new(&args.common, asked)?;
    let plan = plan(&args.san, widths);
    for name in plan.width_dependent.iter().chain(&plan.unordered) {
        let known =
            run.stages.iter().flat_map(|it| it.shader.resources()).map(|it| it.name.as_str());
        let planes = run.names.iter().map(String::as_str).chain([DEPTH, STENCIL]);
        let mut known: Vec<&str> = known.chain(planes).collect();
        known.sort_unstable();
        known.dedup();
        if !known.contains(&name.as_str()) {
            let what = format!("nothing that is drawn or bound is called `{name}`");
            return Err(missing::unknown(&what, name, known.into_iter()).into());
        }
    }
    let subject = examine(args, &args.common.launch, run, plan, file)?;
    Ok(Subject { auto, ..subject })
}

/// Examines a draw of a test.
pub(super) fn drawn(
    args: &SanArgs,
    run: DrawnRun,
    widths: Vec<u32>,
    name: String,
) -> Result<Box<Subject>, Stop> {
    let plan = plan_of(&args.san, &run.san, widths, run.log).map_err(stop)?;
    examine(args, &args.common.launch, run, plan, name).map(Box::new).map_err(stop)
}

fn examine(
    args: &SanArgs,
    launch: &Launch,
    run: DrawnRun,
    plan: Plan,
    name: String,
) -> Result<Subject, Problem> {
    let pace: Arc<Pace> = Arc::default();
    let plan = Plan { pace: Some(pace.clone()), ..plan };
    let mut watch = Watch::start_sweep(launch.timeout, 0, 1, pace);
    let draw = Draw {
        // The bound of the widest waves is the lowest.
        fuel: launch.fuel.at(plan.widths.iter().copied().max().unwrap_or(32)),
        cancel: Some(watch.cancel.clone()),
        progress: Some(watch.progress.clone()),
        ..run.draw.clone()
    };
    let result = internal::examine_draw(&run.pipeline, &draw, &plan, &run.tables(), &run.names);
    let late = watch.cancel.load(Ordering::Relaxed);
    watch.stop();
    let (report, stopped) = match result {
        Ok(report) => (report, None),
        Err(it) => {
            let launch = &args.common.launch;
            let sources = run.sources(it.stage);
            let problem = draw::problem(&it.error, it.width, launch, late, sources);
            if it.found.seen.is_empty() {
                return Err(problem);
            }
            (it.found, Some(stop(problem)))
        }
    };
    let DrawReport { seen, runs, left_out } = report;
    let part = |it: DrawnStage| Part {
        seen: of_stage(&seen, it.stage).map(|it| (None, it)).collect(),
        left_out: of_stage(&left_out, it.stage).map(|it| (None, it)).collect(),
        shader: it.shader,
        sources: it.sources,
        failures: Vec::new(),
    };
    let parts = run.stages.into_iter().map(part).collect();
    Ok(Subject { name, number: None, parts, widths: plan.widths, runs, stopped, auto: None })
}

/// What is about the shader of a stage.
fn of_stage<T: Clone>(all: &[(Stage, T)], stage: Stage) -> impl Iterator<Item = T> {
    all.iter().filter(move |it| it.0 == stage).map(|it| it.1.clone())
}
