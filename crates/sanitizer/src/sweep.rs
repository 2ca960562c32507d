//! The sweep: runs one program at every width, in several orders, each run observed or compared.
//!
//! Widths do not depend on each other until their results are compared, so that they run on several threads; what is
//! reported is the same on any number of them.

mod between;
mod elements;
mod prepared;
mod results;
mod threads;
mod width;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use diag::{Allows, Diagnostic, SourceMap, Style};
use interp::Progress;
use ir::Module;
use ir::exec::{Bindings, Failure, LaneOrder, Launch, Schedule};
use ops::wave::FoldOrder;

use crate::finding::{Finding, Kind, Verdict};
use crate::floats::FloatRoom;
use crate::order::{GroupOrder, LanePacking, Order, RayOrder, VertexOrder};
use crate::seen::Seen;
use crate::spread::{Cause, Reach};
use crate::watch::Rules;

use results::Base;
use width::{AtWidth, Run};

pub use prepared::Prepared;
pub use threads::on_threads;

/// What to try, and which guarantees to assume.
#[derive(Clone, Debug)]
pub struct Plan {
    pub widths: Vec<u32>,
    /// In addition to the order of the launch. Those that make no difference for a module are skipped.
    pub orders: Vec<Order>,
    /// Whether threads of one-dimensional groups are assigned to lanes in random orders too. Hardly any program
    /// survives that: scans of arrays assume that neighbours are in order.
    pub shuffles_rows: bool,
    /// Whether threads are assigned row by row in shaders that use quads which the language promises to be squares.
    pub breaks_quads: bool,
    /// Whether the runs in other orders are observed too, not only compared.
    pub watches_all: bool,
    pub rules: Rules,
    pub progress: Progress,
    /// Whether the causes of differences are sought, which takes further runs that remember what they compute.
    /// Otherwise the report names the stores that differ.
    pub explains: bool,
    pub float_room: FloatRoom,
    /// Resources whose contents are meant to differ between widths.
    pub width_dependent: Vec<String>,
    /// Resources whose elements may come in any order.
    pub unordered: Vec<String>,
    /// The undefined parts of the initial contents, and why.
    pub reached: Reach,
    /// The progress of the sweep, for display.
    pub pace: Option<Arc<Pace>>,
    /// The number of threads on which runs may take place at once.
    pub threads: usize,
}

/// An engine that gives the same bits as the reference engine, only faster: for runs of which only the results matter.
pub trait Engine: Sync {
    /// Runs a launch in the canonical order of waves. `None` if the engine cannot, and has changed nothing.
    fn run(&self, launch: &Launch, bindings: &mut Bindings) -> Option<Result<(), Failure>>;
}

/// The progress of a sweep. [`Launch::progress`] counts within the current run, and starts again with each.
#[derive(Debug, Default)]
pub struct Pace {
    pub(crate) width: AtomicU32,
    pub(crate) run: AtomicUsize,
    pub(crate) most: AtomicUsize,
    pub(crate) has_threads: AtomicBool,
}

impl Pace {
    /// The width of the current run, its number, counting from 1, and how many there are at most. The width is 0 if
    /// runs go on on several threads.
    pub fn now(&self) -> (u32, usize, usize) {
        let run = self.run.load(Ordering::Relaxed);
        let width = match self.has_threads.load(Ordering::Relaxed) {
            true => 0,
            false => self.width.load(Ordering::Relaxed),
        };
        (width, run, self.most.load(Ordering::Relaxed).max(run))
    }
}

impl Plan {
    /// The bounded sweep: each width; one group at a time, from the first and from the last; the reverse order of waves
    /// and groups, one at random, and one in which waves hand over to each other; for groups of more than one dimension
    /// lanes by quads, along the Morton curve, and at random; two more orders of float sums; groups with empty waves;
    /// candidates of ray queries in other orders, twice, and from larger boxes; in draws what helper lanes do, and how
    /// vertices, patches, primitives and pixels are packed.
    pub fn new(widths: Vec<u32>) -> Plan {
        let orders = vec![
            Order::Groups(GroupOrder::Descending),
            Order::Groups(GroupOrder::Ascending),
            Order::Waves(Schedule::Descending),
            Order::Waves(Schedule::Random(1)),
            Order::HandOver,
            Order::Lanes(LaneOrder::Linear),
            Order::Lanes(LaneOrder::Quad2d),
            Order::Lanes(LaneOrder::Morton),
            Order::Lanes(LaneOrder::Random(1)),
            Order::Folds(FoldOrder::Ascending),
            Order::Folds(FoldOrder::Pairs),
            Order::SparseWaves,
            Order::Vertices(VertexOrder::Random(1)),
            Order::Patches(LanePacking::Random(1)),
            Order::Primitives(LanePacking::Random(1)),
            Order::Rays(RayOrder::Random(1)),
        ];
        let orders = orders.into_iter().chain(Order::of_rays()).chain(Order::of_draws()).collect();
        Plan {
            widths,
            orders,
            shuffles_rows: false,
            breaks_quads: false,
            watches_all: false,
            rules: Rules::default(),
            progress: Progress::default(),
            explains: true,
            float_room: FloatRoom::default(),
            width_dependent: Vec::new(),
            unordered: Vec::new(),
            reached: Reach::default(),
            pace: None,
            threads: 1,
        }
    }

    /// How often the program is run at most, if every run ends: runs in other orders are superfluous after findings,
    /// and where the order of waves cannot matter.
    pub fn most_runs(&self, module: &Module, launch: &Launch) -> usize {
        let trials = self.trials(module, launch);
        let folds = trials.iter().any(|it| matches!(it, Order::Folds(_))) && !self.watches_all;
        // Sums in another order are compared with a run in the canonical one, which notes their operands.
        self.widths.len() * (1 + trials.len() + usize::from(folds))
    }

    /// The number of random orders of waves and of lanes.
    pub fn seeds(&mut self, count: u64) {
        self.orders.retain(|it| it.seed().is_none());
        self.orders.extend((1..=count).map(|seed| Order::Waves(Schedule::Random(seed))));
        self.orders.extend((1..=count).map(|seed| Order::Lanes(LaneOrder::Random(seed))));
        let of_draws: [fn(u64) -> Order; 4] = [
            |seed| Order::Vertices(VertexOrder::Random(seed)),
            |seed| Order::Patches(LanePacking::Random(seed)),
            |seed| Order::Primitives(LanePacking::Random(seed)),
            |seed| Order::Children(Schedule::Random(seed)),
        ];
        for order in of_draws {
            self.orders.extend((1..=count).map(order));
        }
        self.orders.extend((1..=count).map(|seed| Order::Rays(RayOrder::Random(seed))));
    }

    /// For use at every save of a file: the smallest and the largest width, the reverse order of waves and groups, and
    /// one group at a time.
    pub fn quick(&mut self) {
        self.widths.sort_unstable();
        if let [first, .., last] = self.widths[..] {
            self.widths = vec![first, last];
        }
        self.orders = vec![
            Order::Groups(GroupOrder::Descending),
            Order::Groups(GroupOrder::Ascending),
            Order::Waves(Schedule::Descending),
        ];
    }

    /// All orders, observed.
    pub fn thorough(&mut self) {
        self.orders.push(Order::Waves(Schedule::RoundRobin));
        self.orders.push(Order::Folds(FoldOrder::Descending));
        self.shuffles_rows = true;
        self.watches_all = true;
    }

    /// The orders to try for a module.
    fn trials(&self, module: &Module, launch: &Launch) -> Vec<Order> {
        let is_row = module.group_size[1] == 1 && module.group_size[2] == 1;
        let is_too_wild = |it: &Order| {
            is_row && !self.shuffles_rows && matches!(it, Order::Lanes(LaneOrder::Random(_)))
        };
        // Where the language promises that squares of threads are quads, programs may rely on it.
        let breaks_quads = |it: &Order| {
            *it == Order::Lanes(LaneOrder::Linear)
                && module.needs.quads
                && launch.lane_order == LaneOrder::Quad2d
                && !self.breaks_quads
        };
        let orders = self.orders.iter().copied();
        // Under `occupancy-bound` every run has one group at a time; `concurrent` and `fair` rule that out.
        let is_ruled_out = |it: &Order| it.is_of_groups() && self.progress != Progress::Lockstep;
        let orders = orders.filter(|it| !is_too_wild(it) && !breaks_quads(it) && !is_ruled_out(it));
        orders.filter(|it| it.matters(module, launch)).collect()
    }
}

/// A sweep that failed, with its findings so far.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedSweep {
    /// The wave width of the failed run.
    pub width: u32,
    pub failure: Failure,
    pub report: Report,
}

/// The result of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub seen: Vec<Seen>,
    /// How often the program was run.
    pub runs: usize,
    /// The bytes that something undefined reaches, so that they could not be compared, one line for each buffer and
    /// cause.
    pub left_out: Vec<LeftOut>,
    /// For each width whose run ended, what something undefined reaches of its results.
    pub reached: Vec<(u32, Reach)>,
    /// The runs in other orders that were watched, by their widths.
    watched: Vec<(Order, u32)>,
}

/// Results that were not compared between widths or orders, because they prove nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The name of the resource; `None` if the run did not end.
    pub buffer: Option<String>,
    /// The number of bytes that were left out at one width, and that of all.
    pub bytes: (usize, usize),
    pub widths: Vec<u32>,
    /// The cause that reaches them.
    pub cause: Cause,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.buffer, self.bytes) {
            (None, _) => f.write_str("any result")?,
            (Some(name), (0, _)) => write!(f, "the counter of `{name}`")?,
            (Some(name), (count, all)) if count == all => write!(f, "`{name}`")?,
            (Some(name), (count, all)) => write!(f, "{count} of the {all} bytes of `{name}`")?,
        }
        write!(f, " with waves of {} lanes", listed(&self.widths))
    }
}

impl Report {
    /// What remains if the comments of a source hide what they allow: see [`Seen::is_allowed`].
    pub fn without_allowed(mut self, allows: &mut Allows, sources: &SourceMap) -> Report {
        let seen = std::mem::take(&mut self.seen).into_iter();
        self.seen = seen.flat_map(|it| it.without(|it| it.is_allowed(allows, sources))).collect();
        self
    }

    /// The findings as text, with the source lines of a compilation; empty if there are none.
    pub fn render(&self, sources: &SourceMap, style: Style) -> String {
        let reports: Vec<Diagnostic> = self.seen.iter().map(Seen::report).collect();
        diag::render_all(&reports, sources, style)
    }

    /// Adds what was found at one width.
    fn add_all(&mut self, other: Report) {
        self.runs += other.runs;
        other.seen.into_iter().flat_map(Seen::apart).for_each(|it| self.add_seen(it));
        for LeftOut { buffer, bytes, widths, cause } in other.left_out {
            widths.into_iter().for_each(|it| self.leave_out(it, buffer.clone(), bytes, cause));
        }
        self.reached.extend(other.reached);
        self.watched.extend(other.watched);
    }

    /// Says of each finding at which of the widths no watched run could have shown it.
    fn tell_unwatched(&mut self, widths: &[u32]) {
        for seen in &mut self.seen {
            // Comparisons, and runs that do not end, show at every width.
            let kind = seen.finding.kind;
            let Some(order) = seen.order.filter(|_| !kind.is_of_results()) else { continue };
            if kind != Kind::EndlessWait {
                let is_watched =
                    |it: &&u32| seen.widths.contains(it) || self.watched.contains(&(order, **it));
                seen.unwatched = widths.iter().filter(|it| !is_watched(it)).copied().collect();
            }
        }
    }

    fn add(&mut self, finding: Finding, order: Option<Order>) {
        self.add_seen(Seen::new(finding, order));
    }

    fn add_seen(&mut self, new: Seen) {
        self.seen.retain(|it| !new.supersedes(&it.finding));
        if self.seen.iter().any(|it| it.supersedes(&new.finding)) {
            return;
        }
        if !self.seen.iter_mut().any(|it| it.takes(&new)) {
            self.seen.push(new);
        }
    }

    /// Remembers what of the results at a width proves nothing.
    fn leave_out(
        &mut self,
        width: u32,
        buffer: Option<String>,
        bytes: (usize, usize),
        cause: Cause,
    ) {
        let like = |it: &&mut LeftOut| {
            (it.buffer.as_ref(), it.cause.kind) == (buffer.as_ref(), cause.kind)
        };
        match self.left_out.iter_mut().find(like) {
            Some(known) => {
                known.bytes = known.bytes.max(bytes);
                if !known.widths.contains(&width) {
                    known.widths.push(width);
                }
            }
            None => self.left_out.push(LeftOut { buffer, bytes, widths: vec![width], cause }),
        }
    }
}

/// Runs the whole plan. `launch` gives everything except the width.
pub fn examine(
    module: &Module,
    launch: &Launch,
    bindings: &Bindings,
    plan: &Plan,
) -> Result<Report, Box<FailedSweep>> {
    examine_with(&Prepared::new(Arc::new(module.clone())), launch, bindings, plan, None)
}

/// Runs the whole plan for a module that may have been examined before, with a faster engine for the runs that nothing
/// observes.
pub fn examine_with(
    prepared: &Prepared,
    launch: &Launch,
    bindings: &Bindings,
    plan: &Plan,
    fast: Option<&dyn Engine>,
) -> Result<Report, Box<FailedSweep>> {
    let base = Base::new(prepared, bindings, plan, fast);
    if let Some(pace) = &plan.pace {
        pace.most.store(plan.most_runs(base.module, launch), Ordering::Relaxed);
        pace.has_threads.store(plan.threads > 1, Ordering::Relaxed);
    }
    let mut report = Report::default();
    let mut runs: Vec<Run> = Vec::new();
    let mut failed = None;
    let one = |at: usize| {
        let launch = Launch { wave_width: plan.widths[at], ..launch.clone() };
        AtWidth::new(&base).examine(launch)
    };
    let all = on_threads(plan.threads, plan.widths.len(), one, |it| it.1.is_ok());
    for (width, (found, ended)) in plan.widths.iter().zip(all) {
        report.add_all(found);
        match ended {
            Ok(run) => runs.extend(run),
            Err(failure) => {
                failed = Some((*width, failure));
                break;
            }
        }
    }
    // Runs that have ended are compared, even if the sweep does not finish.
    if let Err((width, failure)) = between::compare_widths(&base, &runs, &mut report) {
        failed = failed.or(Some((width, failure)));
    }
    report.tell_unwatched(&plan.widths);
    match failed {
        None => Ok(report),
        Some((width, failure)) => Err(Box::new(FailedSweep { width, failure, report })),
    }
}

/// Whether a finding explains differences of the results that it reaches.
pub(crate) fn explains_differences(kind: Kind) -> bool {
    matches!(kind.verdict(), Verdict::Undefined | Verdict::Unspecified)
        || kind == Kind::TruncatedMask
}

/// `4, 8 and 16`.
pub(crate) fn listed(all: &[impl ToString]) -> String {
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    match all.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        all => all.concat(),
    }
}
