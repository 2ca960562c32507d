//! The sweep: runs one program at every width, in several orders, each run observed or compared.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use interp::{NoObserver, Program, Progress, Variation};
use ir::exec::{Bindings, Failure, LaneOrder, Launch, Schedule, Trap};
use ir::{AddressKind, Binding, Module};
use ops::wave::FoldOrder;

use crate::compare::{self, Difference, Side, Turns};
use crate::finding::{Finding, Kind, Verdict};
use crate::floats::{self, FloatRoom};
use crate::order::Order;
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
    /// The progress of the sweep, for display.
    pub pace: Option<Arc<Pace>>,
}

/// How far a sweep has come. [`Launch::progress`] counts within the current run, and starts again with each.
#[derive(Debug, Default)]
pub struct Pace {
    width: AtomicU32,
    run: AtomicUsize,
    most: AtomicUsize,
}

impl Pace {
    /// The width of the current run, its number, counting from 1, and how many there are at most.
    pub fn now(&self) -> (u32, usize, usize) {
        let (width, run) = (self.width.load(Ordering::Relaxed), self.run.load(Ordering::Relaxed));
        (width, run, self.most.load(Ordering::Relaxed).max(run))
    }
}

impl Plan {
    /// The bounded sweep: each width; the reverse order of waves and groups, and one at random; for groups of more
    /// than one dimension lanes by quads, along the Morton curve, and at random; two more orders of float sums.
    pub fn new(widths: Vec<u32>) -> Plan {
        let orders = vec![
            Order::Waves(Schedule::Descending),
            Order::Waves(Schedule::Random(1)),
            Order::Lanes(LaneOrder::Linear),
            Order::Lanes(LaneOrder::Quad2d),
            Order::Lanes(LaneOrder::Morton),
            Order::Lanes(LaneOrder::Random(1)),
            Order::Folds(FoldOrder::Ascending),
            Order::Folds(FoldOrder::Pairs),
        ];
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
}

impl Report {
    fn add(&mut self, finding: Finding, order: Option<Order>) {
        let width = finding.width;
        match self.seen.iter_mut().find(|it| it.finding.is_like(&finding)) {
            Some(seen) if seen.widths.contains(&width) => {}
            Some(seen) => seen.widths.push(width),
            None => self.seen.push(Seen { finding, widths: vec![width], order }),
        }
    }

    /// Whether the program did something undefined at that width, or something that explains a difference.
    fn is_undefined_at(&self, width: u32) -> bool {
        self.seen.iter().any(|it| {
            it.widths.contains(&width)
                && (matches!(it.finding.kind.verdict(), Verdict::Undefined | Verdict::Unspecified)
                    || it.finding.kind == Kind::TruncatedMask)
        })
    }
}

/// The sweep over one program.
struct Sweep<'a> {
    module: &'a Module,
    program: Program,
    bindings: &'a Bindings,
    plan: &'a Plan,
    report: Report,
    /// Differing results, each with the widths that gave it.
    results: Vec<(Vec<u32>, Bindings)>,
}

/// A run: its parameters and its results.
struct Run {
    launch: Launch,
    left: Bindings,
}

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
    let mut sweep = Sweep { module, program, bindings, plan, report, results: Vec::new() };
    let mut canonical: Option<Run> = None;
    for width in &plan.widths {
        let launch = Launch { wave_width: *width, ..launch.clone() };
        match sweep.at_width(launch, canonical.as_ref()) {
            Ok(run) => canonical = canonical.or(run),
            Err(failure) => {
                return Err(Box::new(Stopped { width: *width, failure, report: sweep.report }));
            }
        }
    }
    sweep.tell_agreement();
    Ok(sweep.report)
}

impl<'a> Sweep<'a> {
    /// Runs all orders at one width. Returns the run if others may be compared with it.
    fn at_width(
        &mut self,
        launch: Launch,
        canonical: Option<&Run>,
    ) -> Result<Option<Run>, Failure> {
        let variation = Variation { progress: self.plan.progress, ..Variation::default() };
        let Some(left) = self.watch(&launch, variation, None)? else { return Ok(None) };
        // If something is undefined, differences need no other explanation.
        if self.report.is_undefined_at(launch.wave_width) {
            return Ok(None);
        }
        let run = Run { launch, left };
        if self.other_orders(&run)? {
            // An order that affects the result also affects it between widths.
            return Ok(None);
        }
        let unordered = |it| named(self.module, &self.plan.unordered, it);
        let declared = |it| named(self.module, &self.plan.width_dependent, it);
        let compared = |it| !unordered(it) && !declared(it);
        let width = run.launch.wave_width;
        let same = self
            .results
            .iter()
            .position(|it| self.difference(&it.1, &run.left, compared).is_none());
        match same {
            Some(index) => self.results[index].0.push(width),
            None => self.results.push((vec![width], run.left.clone())),
        }
        let Some(canonical) = canonical else { return Ok(Some(run)) };
        if let Some(difference) = self.difference(&canonical.left, &run.left, compared) {
            let kind = Kind::WidthDependentResult;
            let (a, b) = (self.side(&canonical.launch), self.side(&run.launch));
            let finding = compare::explain(kind, &a, &b, difference, "the wave width")?;
            self.report.add(finding, None);
        }
        Ok(Some(run))
    }

    /// Says which widths agree, if some do not: the odd ones out are rarely right.
    fn tell_agreement(&mut self) {
        let mut classes: Vec<&[u32]> = self.results.iter().map(|it| it.0.as_slice()).collect();
        classes.sort_by_key(|it| std::cmp::Reverse(it.len()));
        let agree = classes.first().is_some_and(|it| it.len() > 1);
        let [first, others @ ..] = classes.as_slice() else { return };
        if !agree || others.is_empty() {
            return;
        }
        let mut note = format!("waves of {} lanes give one result", listed(first));
        for other in others {
            note.push_str(&format!(", of {} another", listed(other)));
        }
        let kind = Kind::WidthDependentResult;
        for seen in self.report.seen.iter_mut().filter(|it| it.finding.kind == kind) {
            seen.finding.notes.push(note.clone());
        }
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

    /// An observed run. Returns its results if it ended.
    fn watch(
        &mut self,
        launch: &Launch,
        variation: Variation,
        order: Option<Order>,
    ) -> Result<Option<Bindings>, Failure> {
        let mut watcher = Watcher::new(self.module, launch.wave_width, self.plan.rules);
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
        let has_explanation = endless.is_some();
        let findings = watcher.into_findings();
        findings.into_iter().chain(endless).for_each(|it| self.report.add(it, order));
        match ended {
            Ok(()) => Ok(Some(left)),
            Err(_) if has_explanation => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Runs in the other orders; returns whether one of them gave a different result.
    fn other_orders(&mut self, run: &Run) -> Result<bool, Failure> {
        let mut differs = false;
        let mut settled: Vec<&str> = Vec::new();
        let mut turns: Option<Turns> = None;
        for order in self.plan.trials(self.module, &run.launch) {
            if settled.contains(&order.subject()) {
                continue;
            }
            let (launch, variation) = order.apply(&run.launch, self.plan.progress);
            let known = self.report.seen.len();
            let mut here = Turns::default();
            let folds = matches!(order, Order::Folds(_));
            let again = if self.plan.watches_all {
                self.watch(&launch, variation, Some(order))?
            } else {
                self.compare_run(&launch, variation, folds.then_some(&mut here), order)?
            };
            let Some(again) = again.filter(|_| known == self.report.seen.len()) else {
                settled.push(order.subject());
                differs = true;
                continue;
            };
            let compared = |it| !named(self.module, &self.plan.unordered, it);
            let a = self.side(&run.launch);
            let b = Side { variation, ..self.side(&launch) };
            if let Some(difference) = self.difference(&run.left, &again, compared) {
                let permuted = is_permuted(self.module, &run.left, &again, difference);
                let kind = if permuted { Kind::PermutedResult } else { Kind::OrderDependentResult };
                let mut finding = compare::explain(kind, &a, &b, difference, order.subject())?;
                if finding.kind == Kind::PermutedResult {
                    let name = &self.module.resource(difference.binding).name;
                    finding
                        .helps
                        .push(format!("if any order is acceptable, pass `--unordered {name}`"));
                } else {
                    settled.push(order.subject());
                }
                self.report.add(finding, Some(order));
                differs = true;
            } else if folds && !self.plan.watches_all {
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
                    differs = true;
                }
            }
        }
        Ok(differs)
    }

    /// A run of which only the results matter. If it does not end, it is repeated and observed.
    fn compare_run(
        &mut self,
        launch: &Launch,
        variation: Variation,
        turns: Option<&mut Turns>,
        order: Order,
    ) -> Result<Option<Bindings>, Failure> {
        let mut left = self.bindings.clone();
        self.begin(launch);
        let ended = match turns {
            Some(turns) => interp::run_varied(&self.program, launch, variation, &mut left, turns),
            None => {
                interp::run_varied(&self.program, launch, variation, &mut left, &mut NoObserver)
            }
        };
        match ended {
            Ok(()) => Ok(Some(left)),
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

    /// The first difference in writable resources beyond the rounding of floats.
    fn difference(
        &self,
        a: &Bindings,
        b: &Bindings,
        is_compared: impl Fn(Binding) -> bool,
    ) -> Option<Difference> {
        let all = (0..).map(Binding).zip(a.bindings.iter().zip(&b.bindings));
        let is_open = |binding: Binding| {
            let resource = self.module.resource(binding);
            resource.kind.writable() || resource.register.class.is_heap()
        };
        let compared = all.filter(|(it, _)| is_open(*it) && is_compared(*it));
        compared.into_iter().find_map(|(binding, (a, b))| {
            (0..).zip(a.iter().zip(b)).find_map(|(element, (a, b))| {
                let room = self.plan.float_room;
                let byte = floats::first_difference(self.module, binding, a, b, room);
                let byte = byte.or((a.counter != b.counter).then_some(u64::MAX))?;
                Some(Difference { binding, element, byte })
            })
        })
    }
}

/// `4, 8 and 16`.
fn listed(widths: &[u32]) -> String {
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
