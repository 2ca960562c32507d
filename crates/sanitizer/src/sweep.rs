//! The sweep: runs one program at every width, in several orders, each run observed or compared.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use diag::{Allows, Diagnostic, SourceMap, Span};
use interp::{NoObserver, Program, Progress, Variation};
use ir::exec::{Bindings, Buffer, Failure, Invocation, LaneOrder, Launch, Schedule, Trap};
use ir::{AddressKind, Binding, Module};
use ops::intrinsics::Stage;
use ops::wave::FoldOrder;

use crate::compare::{self, Difference, Side, Turns};
use crate::facts::Facts;
use crate::finding::{Finding, Kind, Verdict};
use crate::floats::{self, FloatRoom};
use crate::marked::Marked;
use crate::order::{Order, RayOrder, VertexOrder};
use crate::pixels;
use crate::spread::{self, Cause, Reach, Spread};
use crate::watch::{Rules, Watcher};

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
    pub float_room: FloatRoom,
    /// Resources whose contents are meant to differ between widths.
    pub width_dependent: Vec<String>,
    /// Resources whose elements may come in any order.
    pub unordered: Vec<String>,
    /// What is undefined of the initial contents, and why.
    pub reached: Reach,
    /// The progress of the sweep, for display.
    pub pace: Option<Arc<Pace>>,
}

/// How far a sweep has come. [`Launch::progress`] counts within the current run, and starts again with each.
#[derive(Debug, Default)]
pub struct Pace {
    pub(crate) width: AtomicU32,
    pub(crate) run: AtomicUsize,
    pub(crate) most: AtomicUsize,
}

impl Pace {
    /// The width of the current run, its number, counting from 1, and how many there are at most.
    pub fn now(&self) -> (u32, usize, usize) {
        let (width, run) = (self.width.load(Ordering::Relaxed), self.run.load(Ordering::Relaxed));
        (width, run, self.most.load(Ordering::Relaxed).max(run))
    }
}

impl Plan {
    /// The bounded sweep: each width; the reverse order of waves and groups, one at random, and one in which
    /// waves hand over to each other; for groups of more than one dimension lanes by quads, along the Morton curve,
    /// and at random; two more orders of float sums; candidates of ray queries in other orders, twice, and from larger
    /// boxes; in draws what helper lanes do, and how pixels and vertices are
    /// packed.
    pub fn new(widths: Vec<u32>) -> Plan {
        let orders = vec![
            Order::Waves(Schedule::Descending),
            Order::Waves(Schedule::Random(1)),
            Order::HandOver,
            Order::Lanes(LaneOrder::Linear),
            Order::Lanes(LaneOrder::Quad2d),
            Order::Lanes(LaneOrder::Morton),
            Order::Lanes(LaneOrder::Random(1)),
            Order::Folds(FoldOrder::Ascending),
            Order::Folds(FoldOrder::Pairs),
            Order::Vertices(VertexOrder::Random(1)),
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
            float_room: FloatRoom::default(),
            width_dependent: Vec::new(),
            unordered: Vec::new(),
            reached: Reach::default(),
            pace: None,
        }
    }

    /// How often the program is run at most, if every run ends: findings make runs in other orders superfluous.
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
        let vertices = |seed| Order::Vertices(VertexOrder::Random(seed));
        self.orders.extend((1..=count).map(vertices));
        self.orders.extend((1..=count).map(|seed| Order::Rays(RayOrder::Random(seed))));
    }

    /// For every save of a file: the smallest and the largest width, and one other order of waves and groups.
    pub fn quick(&mut self) {
        self.widths.sort_unstable();
        if let [first, .., last] = self.widths[..] {
            self.widths = vec![first, last];
        }
        self.orders = vec![Order::Waves(Schedule::Descending)];
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
        let orders = orders.filter(|it| !is_too_wild(it) && !breaks_quads(it));
        orders.filter(|it| it.matters(module, launch)).collect()
    }
}

/// A finding and the widths at which it occurred.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// As it occurred at the smallest width.
    pub finding: Finding,
    pub widths: Vec<u32>,
    /// The order that shows it, if it is not that of the launch.
    pub order: Option<Order>,
    /// In a draw the stage, and the vertex or pixel.
    pub of: Option<(Stage, Option<Invocation>)>,
}

impl Seen {
    /// Returns whether a comment of the source, `// wavelane: allow(CODE): REASON`, suppresses this finding, and marks the
    /// comment as used. It counts at each location that the report shows.
    pub fn is_allowed(&self, allows: &mut Allows, sources: &SourceMap) -> bool {
        let code = self.finding.kind.code();
        let related = self.finding.related.iter().map(|it| it.span);
        let mut places = std::iter::once(self.finding.site.span).chain(related);
        places.any(|place| allows.find(code, place, sources).is_some())
    }

    /// The report for users.
    pub fn report(&self) -> Diagnostic {
        let Some((stage, at)) = self.of else { return self.finding.report() };
        let shader = if stage == Stage::Pixel { "pixel shader" } else { "vertex shader" };
        let mut place = format!("wave {} of the {shader}", self.finding.wave);
        if let Some(at) = at {
            place.push_str(&format!(", {}", pixels::named(at)));
        }
        self.finding.report_at(&place)
    }
}

/// A sweep that failed, with its findings so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
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
    /// What something undefined reaches, so that it could not be compared, one line for each buffer and cause.
    pub left_out: Vec<LeftOut>,
    /// For each width whose run ended, what something undefined reaches of its results.
    pub reached: Vec<(u32, Reach)>,
}

/// Results that were not compared between widths or orders, because they prove nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The name of the resource; `None` if the run did not end.
    pub buffer: Option<String>,
    /// The number of bytes that were left out at one width, and that of all.
    pub bytes: (usize, usize),
    pub widths: Vec<u32>,
    /// What reaches them.
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
    fn add(&mut self, finding: Finding, order: Option<Order>) {
        let width = finding.width;
        match self.seen.iter_mut().find(|it| it.finding.is_like(&finding)) {
            Some(seen) if seen.widths.contains(&width) => {}
            Some(seen) => seen.widths.push(width),
            None => self.seen.push(Seen { finding, widths: vec![width], order, of: None }),
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

/// The sweep over one program.
struct Sweep<'a> {
    module: &'a Module,
    program: Program,
    /// With marks, once it is needed.
    marked: Option<Marked>,
    bindings: &'a Bindings,
    plan: &'a Plan,
    report: Report,
}

/// A run: its parameters and its results.
struct Run {
    launch: Launch,
    left: Bindings,
    /// What something undefined, or another order, reaches of the results.
    reach: Reach,
}

/// Widths with the same results, by the numbers of their runs.
type Class = Vec<usize>;

/// Runs the whole plan. `launch` gives everything except the width.
pub fn examine(
    module: &Module,
    launch: &Launch,
    bindings: &Bindings,
    plan: &Plan,
) -> Result<Report, Box<Stopped>> {
    let (program, report) = (interp::decode(module), Report::default());
    if let Some(pace) = &plan.pace {
        pace.most.store(plan.most_runs(module, launch), Ordering::Relaxed);
    }
    let mut sweep = Sweep { module, program, marked: None, bindings, plan, report };
    let mut runs: Vec<Run> = Vec::new();
    let mut failed = None;
    for width in &plan.widths {
        let launch = Launch { wave_width: *width, ..launch.clone() };
        match sweep.at_width(launch) {
            Ok(run) => runs.extend(run),
            Err(failure) => {
                failed = Some((*width, failure));
                break;
            }
        }
    }
    // What has been run is compared, even if the sweep does not come to its end.
    if let Err((width, failure)) = sweep.compare_widths(&runs) {
        failed = failed.or(Some((width, failure)));
    }
    match failed {
        None => Ok(sweep.report),
        Some((width, failure)) => Err(Box::new(Stopped { width, failure, report: sweep.report })),
    }
}

impl<'a> Sweep<'a> {
    /// Runs all orders at one width. Returns the run if it ended.
    fn at_width(&mut self, launch: Launch) -> Result<Option<Run>, Failure> {
        let variation = Variation { progress: self.plan.progress, ..Variation::default() };
        let width = launch.wave_width;
        let watched = self.watch(&launch, variation, None)?;
        let Some((left, undefined)) = watched else {
            let mut findings = self.report.seen.iter().map(|it| &it.finding);
            let endless = findings.rfind(|it| it.kind == Kind::EndlessWait);
            let span = endless.map_or(Span::NONE, |it| it.site.span);
            let cause = Cause { kind: Kind::EndlessWait, span };
            self.report.leave_out(width, None, (0, 0), cause);
            return Ok(None);
        };
        // What passes before this one leave undefined goes on.
        let reach = match undefined.or_else(|| self.plan.reached.first_cause()) {
            Some(cause) => self.reach(&launch, variation, cause)?,
            None => Reach::default(),
        };
        let mut run = Run { launch, left, reach };
        self.other_orders(&mut run)?;
        self.tell_left_out(&run);
        self.report.reached.push((width, run.reach.clone()));
        Ok(Some(run))
    }

    /// What something undefined reaches in a run. `first` is one cause of it.
    fn reach(
        &mut self,
        launch: &Launch,
        variation: Variation,
        first: Cause,
    ) -> Result<Reach, Failure> {
        let facts = Facts::new(self.module);
        // The marks are instructions too.
        let fuel = launch.fuel.map(|it| it.saturating_mul(MARKED_FUEL));
        let launch = Launch { fuel, prints: None, spent: None, ..launch.clone() };
        let width = launch.wave_width;
        let mut watcher = Watcher::of_sources(self.module, width, self.plan.rules);
        let mut left = self.bindings.clone();
        self.begin(&launch);
        let ended = interp::run_varied(&self.program, &launch, variation, &mut left, &mut watcher);
        match ended {
            Ok(()) => {}
            Err(Failure::Trap(Trap::Deadlock { .. } | Trap::OutOfFuel { .. })) => {
                return Ok(spread::everything(&facts, first));
            }
            Err(failure) => return Err(failure),
        }
        let sources = watcher.into_sources();
        let marked = self.marked.get_or_insert_with(|| Marked::new(self.module));
        let before = self.plan.reached.clone();
        let mut spread = Spread::new(&facts, marked, width, &sources, before);
        let mut left = self.bindings.clone();
        self.report.runs += 1;
        match interp::run_varied(&marked.program, &launch, variation, &mut left, &mut spread) {
            Ok(()) => Ok(spread.into_reach()),
            Err(Failure::Trap(Trap::Deadlock { .. } | Trap::OutOfFuel { .. })) => {
                Ok(spread::everything(&facts, first))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Says what of a run's results is not compared.
    fn tell_left_out(&mut self, run: &Run) {
        let width = run.launch.wave_width;
        for (binding, buffers) in (0..).map(Binding).zip(&run.left.bindings) {
            if !self.is_open(binding) {
                continue;
            }
            for (element, buffer) in (0..).zip(buffers) {
                let size = buffer.bytes.len();
                if let Some((count, cause)) = run.reach.count(binding, element, size) {
                    let name = self.module.resource(binding).name.clone();
                    self.report.leave_out(width, Some(name), (count, size), cause);
                }
            }
        }
    }

    /// Compares the results at all widths. The reference is the largest set of widths that agree; each other set is
    /// compared with it where the two are nearest.
    fn compare_widths(&mut self, runs: &[Run]) -> Result<(), (u32, Failure)> {
        let mut classes: Vec<Class> = Vec::new();
        for index in 0..runs.len() {
            let agrees = |class: &&mut Class| {
                class.iter().all(|it| self.between(&runs[*it], &runs[index]).is_none())
            };
            match classes.iter_mut().find(agrees) {
                Some(class) => class.push(index),
                None => classes.push(vec![index]),
            }
        }
        // Of sets of the same size, the one with the smallest width.
        classes.sort_by_key(|it| (std::cmp::Reverse(it.len()), it[0]));
        let [reference, others @ ..] = classes.as_slice() else { return Ok(()) };
        let width = |index: &usize| runs[*index].launch.wave_width;
        let widths = |class: &Class| class.iter().map(width).collect::<Vec<u32>>();
        let mut note = None;
        if reference.len() > 1 && !others.is_empty() {
            let mut text = format!("waves of {} lanes give one result", listed(&widths(reference)));
            for other in others {
                text.push_str(&format!(", of {} another", listed(&widths(other))));
            }
            note = Some(text);
        }
        for other in others {
            let steps = |a: usize, b: usize| {
                let bits = |it| i64::from(width(&it).trailing_zeros());
                (bits(a) - bits(b)).abs()
            };
            let pairs = other.iter().flat_map(|b| reference.iter().map(move |a| (*a, *b)));
            let Some((a, b)) = pairs.min_by_key(|(a, b)| (steps(*a, *b), *b)) else { continue };
            let (a, b) = (&runs[a], &runs[b]);
            let Some(difference) = self.between(a, b) else { continue };
            let (kind, what) = (Kind::WidthDependentResult, "the wave width");
            let right: Vec<&Launch> = reference.iter().map(|it| &runs[*it].launch).collect();
            let (here, there) = (self.side(&a.launch), self.side(&b.launch));
            let finding = compare::explain(kind, &here, &there, difference, what, &right)
                .map_err(|failure| (b.launch.wave_width, failure))?;
            for width in widths(other) {
                let mut finding = finding.clone();
                finding.notes.extend(note.clone());
                finding.width = width;
                self.report.add(finding, None);
            }
        }
        Ok(())
    }

    /// The first difference between the results at two widths, where both are defined.
    fn between(&self, a: &Run, b: &Run) -> Option<Difference> {
        let left_out = [&self.plan.unordered, &self.plan.width_dependent];
        let is_compared = |it| !left_out.iter().any(|names| named(self.module, names, it));
        self.difference(&a.left, &b.left, &[&a.reach, &b.reach], is_compared)
    }

    /// Whether a program leaves results in a resource.
    fn is_open(&self, binding: Binding) -> bool {
        let resource = self.module.resource(binding);
        resource.kind.writable() || resource.register.class.is_heap()
    }

    /// Counts a run, and starts the count within it.
    fn begin(&mut self, launch: &Launch) {
        self.report.runs += 1;
        if let Some(pace) = &self.plan.pace {
            pace.width.store(launch.wave_width, Ordering::Relaxed);
            pace.run.store(self.report.runs, Ordering::Relaxed);
        }
        if let Some(progress) = &launch.progress {
            progress.store(0, Ordering::Relaxed);
        }
    }

    /// An observed run. Returns its results if it ended, and something undefined that it did.
    fn watch(
        &mut self,
        launch: &Launch,
        variation: Variation,
        order: Option<Order>,
    ) -> Result<Option<(Bindings, Option<Cause>)>, Failure> {
        let watcher = Watcher::new(self.module, launch.wave_width, self.plan.rules);
        let mut watcher = watcher.with_bindings(self.bindings);
        let mut left = self.bindings.clone();
        self.begin(launch);
        let ended = interp::run_varied(&self.program, launch, variation, &mut left, &mut watcher);
        let endless = match &ended {
            Ok(()) => None,
            Err(Failure::Trap(Trap::Deadlock { .. })) => {
                watcher.endless_wait(variation.progress, true)
            }
            // The run might have ended; but if it waits for others, saying so is more useful.
            Err(Failure::Trap(Trap::OutOfFuel { .. })) => {
                watcher.endless_wait(variation.progress, false)
            }
            Err(_) => None,
        };
        let groups = launch.groups().iter().map(|it| u64::from(*it)).product::<u64>();
        let waiting = groups.saturating_sub(watcher.started());
        let endless = endless.map(|mut it| {
            if waiting > 0 {
                it.notes.push(format!(
                    "{waiting} of {groups} groups have not started, and need not start before these have ended"
                ));
                it.helps.push(
                    "let each group take a number from an atomic counter as it starts, and wait only for lower numbers"
                        .to_owned(),
                );
            }
            it
        });
        let has_explanation = endless.is_some();
        let wants_marks = watcher.wants_marks() && ended.is_ok();
        let mut findings = watcher.into_findings();
        if wants_marks {
            findings = self.with_origins(launch, variation, findings)?;
        }
        let undefined = findings.iter().find(|it| explains_differences(it.kind));
        let undefined = undefined.map(|it| Cause { kind: it.kind, span: it.site.span });
        findings.into_iter().chain(endless).for_each(|it| self.report.add(it, order));
        match ended {
            Ok(()) => Ok(Some((left, undefined))),
            Err(_) if has_explanation => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The same findings of a run in which each poisoned value is followed from where it arose.
    fn with_origins(
        &mut self,
        launch: &Launch,
        variation: Variation,
        findings: Vec<Finding>,
    ) -> Result<Vec<Finding>, Failure> {
        let fuel = launch.fuel.map(|it| it.saturating_mul(MARKED_FUEL));
        let launch = Launch { fuel, prints: None, spent: None, ..launch.clone() };
        self.begin(&launch);
        let marked = self.marked.get_or_insert_with(|| Marked::new(self.module));
        let watcher = Watcher::new(self.module, launch.wave_width, self.plan.rules);
        let mut watcher = watcher.with_bindings(self.bindings).with_marks(marked);
        let mut left = self.bindings.clone();
        let program = &marked.program;
        match interp::run_varied(program, &launch, variation, &mut left, &mut watcher) {
            Ok(()) => Ok(watcher.into_findings()),
            // The marks take time too; what was found without them stands.
            Err(Failure::Trap(Trap::Deadlock { .. } | Trap::OutOfFuel { .. })) => Ok(findings),
            Err(failure) => Err(failure),
        }
    }

    /// Runs in the other orders. A resource that differs in one of them is no longer compared between widths.
    fn other_orders(&mut self, run: &mut Run) -> Result<(), Failure> {
        let mut settled: Vec<&str> = Vec::new();
        let mut turns: Option<Turns> = None;
        let mut unsettled: Vec<(Binding, u32, Cause)> = Vec::new();
        for order in self.plan.trials(self.module, &run.launch) {
            let is_settled = settled.contains(&order.subject());
            let (launch, variation) = order.apply(&run.launch, self.plan.progress);
            let mut here = Turns::default();
            let folds = matches!(order, Order::Folds(_));
            let again = if self.plan.watches_all {
                self.watch(&launch, variation, Some(order))?
            } else {
                self.compare_run(&launch, variation, folds.then_some(&mut here), order)?
            };
            let Some((again, undefined)) = again else {
                settled.push(order.subject());
                continue;
            };
            // What is undefined may reach other places in this order.
            let mut reach = run.reach.clone();
            let undefined = undefined.or_else(|| run.reach.first_cause());
            if let Some(cause) = undefined {
                reach.add(&self.reach(&launch, variation, cause)?);
            }
            let compared = |it| !named(self.module, &self.plan.unordered, it);
            let reaches = [&run.reach, &reach];
            let different = self.differences(&run.left, &again, &reaches, compared);
            let a = self.side(&run.launch);
            let b = Side { variation, ..self.side(&launch) };
            let mut is_explained = is_settled;
            for difference in &different {
                let Difference { binding, element, .. } = *difference;
                let permuted = is_permuted(self.module, &run.left, &again, *difference);
                let kind = order.finding(permuted);
                let mut cause = Cause { kind, span: self.module.resource(binding).span };
                if !is_explained {
                    let right = [&run.launch];
                    let mut finding =
                        compare::explain(kind, &a, &b, *difference, order.subject(), &right)?;
                    if finding.kind == Kind::PermutedResult {
                        let name = &self.module.resource(binding).name;
                        let help = format!("if any order is acceptable, pass `--unordered {name}`");
                        finding.helps.push(help);
                    } else {
                        settled.push(order.subject());
                    }
                    cause = Cause { kind: finding.kind, span: finding.site.span };
                    self.report.add(finding, Some(order));
                    is_explained = true;
                }
                unsettled.push((binding, element, cause));
            }
            if different.is_empty()
                && folds
                && !is_settled
                && !self.plan.watches_all
                && undefined.is_none()
            {
                if turns.is_none() {
                    let mut first = Turns::default();
                    let variation = Variation { folds: FoldOrder::Canonical, ..variation };
                    self.compare_run(&run.launch, variation, Some(&mut first), order)?;
                    turns = Some(first);
                }
                let first = turns.as_ref().and_then(|it| it.first_difference(&here));
                if let Some((at, is_address)) = first {
                    let finding = compare::explain_turn(at, is_address, &a, &b, order.subject());
                    self.report.add(finding, Some(order));
                    settled.push(order.subject());
                }
            }
        }
        for (binding, element, cause) in unsettled {
            run.reach.add_whole(binding, element, cause);
        }
        Ok(())
    }

    /// A run of which only the results matter. If it does not end, it is repeated and observed.
    fn compare_run(
        &mut self,
        launch: &Launch,
        variation: Variation,
        turns: Option<&mut Turns>,
        order: Order,
    ) -> Result<Option<(Bindings, Option<Cause>)>, Failure> {
        let mut left = self.bindings.clone();
        self.begin(launch);
        let ended = match turns {
            Some(turns) => interp::run_varied(&self.program, launch, variation, &mut left, turns),
            None => {
                interp::run_varied(&self.program, launch, variation, &mut left, &mut NoObserver)
            }
        };
        match ended {
            Ok(()) => Ok(Some((left, None))),
            Err(Failure::Trap(Trap::Deadlock { .. } | Trap::OutOfFuel { .. })) => {
                self.watch(launch, variation, Some(order))
            }
            Err(failure) => Err(failure),
        }
    }

    fn side<'b>(&self, launch: &'b Launch) -> Side<'b>
    where
        'a: 'b,
    {
        let variation = Variation { progress: self.plan.progress, ..Variation::default() };
        Side { module: self.module, launch, variation, bindings: self.bindings }
    }

    /// The first difference in the results beyond the rounding of floats, where both are defined.
    fn difference(
        &self,
        a: &Bindings,
        b: &Bindings,
        reaches: &[&Reach],
        is_compared: impl Fn(Binding) -> bool,
    ) -> Option<Difference> {
        let all = (0..).map(Binding).zip(a.bindings.iter().zip(&b.bindings));
        let mut compared = all.filter(|(it, _)| self.is_open(*it) && is_compared(*it));
        compared.find_map(|(binding, (a, b))| {
            let mut elements = (0..).zip(a.iter().zip(b));
            elements.find_map(|(element, (a, b))| self.in_buffer((binding, element), a, b, reaches))
        })
    }

    /// The first difference in each buffer.
    fn differences(
        &self,
        a: &Bindings,
        b: &Bindings,
        reaches: &[&Reach],
        is_compared: impl Fn(Binding) -> bool,
    ) -> Vec<Difference> {
        let all = (0..).map(Binding).zip(a.bindings.iter().zip(&b.bindings));
        let compared = all.filter(|(it, _)| self.is_open(*it) && is_compared(*it));
        let in_one = |(binding, (a, b)): (Binding, (&Vec<Buffer>, &Vec<Buffer>))| {
            let elements = (0..).zip(a.iter().zip(b));
            let found =
                elements.filter_map(|(at, (a, b))| self.in_buffer((binding, at), a, b, reaches));
            found.collect::<Vec<Difference>>()
        };
        compared.flat_map(in_one).collect()
    }

    fn in_buffer(
        &self,
        key: (Binding, u32),
        a: &Buffer,
        b: &Buffer,
        reaches: &[&Reach],
    ) -> Option<Difference> {
        let (binding, element) = key;
        let room = self.plan.float_room;
        let find = |a: &Buffer, b: &Buffer| {
            let byte = floats::first_difference(self.module, binding, a, b, room);
            byte.or((a.counter != b.counter).then_some(u64::MAX))
        };
        let byte = if reaches.iter().any(|it| it.touches(key)) && find(a, b).is_some() {
            let (mut a, mut b) = (a.clone(), b.clone());
            reaches.iter().for_each(|it| it.blank(key, &mut a, &mut b));
            find(&a, &b)?
        } else {
            find(a, b)?
        };
        Some(Difference { binding, element, byte })
    }
}

/// Instructions of a module with marks, for each of its own, at most.
const MARKED_FUEL: u64 = 8;

/// Whether a finding explains differences of the results that it reaches.
pub(crate) fn explains_differences(kind: Kind) -> bool {
    matches!(kind.verdict(), Verdict::Undefined | Verdict::Unspecified)
        || kind == Kind::TruncatedMask
}

/// `4, 8 and 16`.
pub(crate) fn listed(widths: &[u32]) -> String {
    match widths {
        [] => String::new(),
        [only] => only.to_string(),
        [rest @ .., last] => {
            let rest: Vec<String> = rest.iter().map(u32::to_string).collect();
            format!("{} and {last}", rest.join(", "))
        }
    }
}

fn named(module: &Module, names: &[String], binding: Binding) -> bool {
    names.iter().any(|it| *it == module.resource(binding).name)
}

/// Whether both contain the same elements, in another order.
fn is_permuted(module: &Module, a: &Bindings, b: &Bindings, difference: Difference) -> bool {
    let view = module.resource(difference.binding).kind.view();
    let size = match view.address {
        AddressKind::Element => view.stride as usize,
        AddressKind::Byte | AddressKind::Texel => 4,
        AddressKind::Texture | AddressKind::None => return false,
    };
    let elements = |it: &Bindings| {
        let buffer = it.bindings[difference.binding.index()].get(difference.element as usize)?;
        let mut all: Vec<Vec<u8>> = buffer.bytes.chunks(size.max(1)).map(<[u8]>::to_vec).collect();
        all.sort();
        Some((all, buffer.counter))
    };
    elements(a) == elements(b)
}
