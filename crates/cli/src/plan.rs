//! The plan of a sanitizer run, from flags and from the requirements of a test.

use wavelane::sanitizer::Plan;

use crate::args::{self, Request};
use crate::asked::Sanitizing;
use crate::problem::Problem;

/// How many random orders a thorough sweep takes.
const THOROUGH_SEEDS: u64 = 8;

/// What the sanitizer tries at these widths.
pub(crate) fn plan(san: &Sanitizing, widths: Vec<u32>) -> Plan {
    let mut plan = Plan::new(widths);
    if san.quick {
        plan.quick();
    }
    if san.thorough {
        plan.thorough();
    }
    if let Some(seeds) = san.seeds.or(san.thorough.then_some(THOROUGH_SEEDS)) {
        plan.seeds(seeds);
    }
    if let Some(orders) = &san.orders {
        plan.orders.clone_from(orders);
        // An order that was requested by name is always tried.
        plan.shuffles_rows = true;
        plan.breaks_quads = true;
    }
    if let Some(room) = san.float_room {
        plan.float_room = room;
    }
    plan.progress = san.progress;
    plan.rules.sync = san.sync;
    plan.rules.publication = san.publication;
    plan.rules.exited = san.exited;
    plan.rules.reconvergence = san.reconvergence;
    plan.rules.uniform_lane_index = san.uniform_lane_index;
    plan.rules.feedback_slack = san.feedback_slack;
    plan.rules.has_feedback_tier_1 = san.has_feedback_tier_1;
    plan.width_dependent.clone_from(&san.width_dependent);
    plan.unordered.clone_from(&san.unordered);
    plan
}

/// The plan for a run of a test, which may have its own flags and a log of its checks.
pub(crate) fn plan_of(
    asked: &Sanitizing,
    section: &[String],
    widths: Vec<u32>,
    log: Option<&str>,
) -> Result<Plan, Problem> {
    let mut plan = plan(&asked.with(&read_san_flags(section)?), widths);
    // The number of a case's checks depends on the width, and the order of failures is not a result.
    plan.width_dependent.extend(log.map(str::to_owned));
    plan.unordered.extend(log.map(str::to_owned));
    Ok(plan)
}

/// The flags that a section of a suite file sets.
fn read_san_flags(words: &[String]) -> Result<Sanitizing, Problem> {
    let line = ["wavelane", "san"].into_iter().map(str::to_owned).chain(words.iter().cloned());
    match args::parse(line.map(Into::into))? {
        Request::Work(args, _) => Ok(args.san),
        Request::Help(..) | Request::Version => Ok(Sanitizing::default()),
    }
}
