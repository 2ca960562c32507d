//! All runs at one width: one that is watched, what follows from its findings, and those in other orders.

mod orders;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use diag::Span;
use interp::{NoObserver, Progress, Variation};
use ir::Binding;
use ir::exec::{Bindings, Failure, Launch, Schedule, Trap};
use ops::wave::FoldOrder;

use super::results::{Base, named};
use super::threads::{Permit, on_threads};
use super::{Report, explains_differences};
use crate::compare::{Difference, Turns};
use crate::finding::{Finding, Kind};
use crate::marked;
use crate::order::{GroupOrder, Order};
use crate::spread::{self, Cause, Reach, Sources, Spread};
use crate::wait::{self, Given};
use crate::watch::Watcher;
use crate::writers::Writers;

/// A run: its parameters and its results.
pub(super) struct Run {
    pub(super) launch: Launch,
    pub(super) left: Bindings,
    /// What something undefined, or another order, reaches of the results.
    pub(super) reach: Reach,
    /// Buffers whose elements come in any order.
    pub(super) permuted: Vec<(Binding, u32)>,
    /// The fuel that it took.
    spent: u64,
}

/// An observed run that ended.
struct Watched {
    left: Bindings,
    /// Something undefined that it did, and where such things begin.
    undefined: Option<Cause>,
    sources: Sources,
    /// The bytes that this reaches, if it was followed; `None` within if that run did not end.
    reach: Option<Result<Option<Reach>, Failure>>,
    /// Whether the order in which waves run may matter.
    waves_meet: bool,
    /// Whether a group started before another one had ended.
    overlaps: bool,
}

/// Undefined values of an observed run that are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follow {
    /// Where it came from, for the report.
    Origins,
    /// And what it reaches of the results.
    Reach,
}

/// A run in another order, before it is made.
struct Trial {
    order: Order,
    launch: Launch,
    variation: Variation,
    /// The order to try instead if this run does not end.
    fallback: Option<Order>,
}

impl Trial {
    fn new(order: Order, run: &Run, progress: Progress) -> Trial {
        let (mut launch, variation) = order.apply(&run.launch, progress);
        if order.is_of_groups() {
            // With one group at a time, a loop that counts how often it waits may run for ever.
            let most = run.spent.saturating_mul(GROUPS_FUEL).saturating_add(LEAST_FUEL);
            launch.fuel = Some(launch.fuel.unwrap_or(u64::MAX).min(most));
        }
        Trial { order, launch, variation, fallback: None }
    }

    /// Whether floats are summed in another order.
    fn folds(&self) -> bool {
        matches!(self.order, Order::Folds(_))
    }

    /// Whether the run is observed, not only compared: in plans that observe all; with empty waves, since few programs
    /// have such a run, and what goes wrong in it has separate findings; and where waves hand over to each other, since
    /// what waits for another wave goes wrong there first, and no other run may show the race. For that one width is
    /// enough, the widest, where runs are shortest; but where a check and what follows from it are two steps, no other
    /// run shows the race at any width.
    fn is_observed(&self, base: &Base<'_>) -> bool {
        let is_widest = || {
            let wider = base.plan.widths.iter().filter(|it| **it > self.launch.wave_width);
            let mut wider = wider.map(|it| Launch { wave_width: *it, ..self.launch.clone() });
            !wider.any(|it| self.order.matters(base.module, &it))
        };
        base.plan.watches_all
            || self.order == Order::SparseWaves
            || self.order == Order::HandOver
                && (base.analysis().accesses.checks_then_sets || is_widest())
    }
}

/// A run of which only the results matter.
struct Compared {
    left: Bindings,
    /// What was decided by floats, if they were summed in another order.
    turns: Turns,
    ended: Result<(), Failure>,
    /// Where its results differ, if it ended.
    different: Result<Different, Failure>,
}

/// A run in another order that ended.
struct Again {
    left: Bindings,
    /// Something undefined that it did or may have met.
    undefined: Option<Cause>,
    different: Different,
    turns: Turns,
}

/// Where the results of a run differ from those in the order of the launch.
#[derive(Default)]
struct Different {
    /// The first difference in each buffer.
    first: Vec<Difference>,
    /// What something undefined reaches in that run, if it was followed.
    reach: Option<Reach>,
}

/// The runs at one width.
pub(super) struct AtWidth<'a, 'b> {
    base: &'a Base<'b>,
    report: Report,
    /// How often the program was run.
    runs: AtomicUsize,
    /// What wrote each byte last in the order of the launch, once that matters.
    writers: Option<Writers>,
}

impl<'a, 'b> AtWidth<'a, 'b> {
    pub(super) fn new(base: &'a Base<'b>) -> AtWidth<'a, 'b> {
        AtWidth { base, report: Report::default(), runs: AtomicUsize::new(0), writers: None }
    }

    /// Runs all orders. Returns what was found, and the run in the order of the launch if it ended.
    pub(super) fn examine(mut self, launch: Launch) -> (Report, Result<Option<Run>, Failure>) {
        // Concurrent runs cannot share a count of their work.
        let progress = launch.progress.clone().filter(|_| self.base.plan.threads <= 1);
        let ended = self.all_orders(Launch { progress, ..launch });
        self.report.runs = self.runs.into_inner();
        (self.report, ended)
    }

    fn all_orders(&mut self, launch: Launch) -> Result<Option<Run>, Failure> {
        let plan = self.base.plan;
        let variation = Variation { progress: plan.progress, ..Variation::default() };
        let width = launch.wave_width;
        // A run counts its fuel only if it is bounded.
        let spent = Arc::new(AtomicU64::new(0));
        let counted = Launch {
            fuel: launch.fuel.or(Some(u64::MAX)),
            spent: Some(Arc::clone(&spent)),
            ..launch.clone()
        };
        let watched = self.watch(&counted, variation, None, Follow::Reach)?;
        let Some(Watched { left, undefined, sources, reach, waves_meet, overlaps }) = watched
        else {
            let mut findings = self.report.seen.iter().map(|it| &it.finding);
            let endless = findings.rfind(|it| it.kind == Kind::EndlessWait);
            let span = endless.map_or(Span::NONE, |it| it.site.span);
            let cause = Cause { kind: Kind::EndlessWait, span };
            self.report.leave_out(width, None, (0, 0), cause);
            return Ok(None);
        };
        // An undefined value may differ in another order.
        let waves_meet = waves_meet || undefined.is_some();
        // Values that earlier passes leave undefined stay undefined.
        let reach = match (undefined.or_else(|| plan.reached.first_cause()), reach) {
            (Some(cause), Some(reach)) => self.ended_or_all(reach?, cause),
            (Some(cause), None) => self.reach(&launch, variation, cause, Some(&sources))?,
            (None, _) => Reach::default(),
        };
        let (spent, permuted) = (spent.load(Ordering::Relaxed), Vec::new());
        let mut run = Run { launch, left, reach, permuted, spent };
        let trials = self.trials(&run, waves_meet, overlaps);
        self.other_orders(&mut run, trials)?;
        self.leave_out_unordered(&mut run);
        self.tell_left_out(&run);
        self.report.reached.push((width, run.reach.clone()));
        Ok(Some(run))
    }

    /// What something undefined reaches in a run. `first` is one cause of it; `sources` what is known to be undefined,
    /// if the run has been observed already.
    fn reach(
        &self,
        launch: &Launch,
        variation: Variation,
        first: Cause,
        sources: Option<&Sources>,
    ) -> Result<Reach, Failure> {
        let reach = match sources {
            Some(sources) => self.spread(launch, variation, sources)?,
            None => match self.sources(launch, variation)? {
                Some(sources) => self.spread(launch, variation, &sources)?,
                None => None,
            },
        };
        Ok(self.ended_or_all(reach, first))
    }

    /// What something undefined reaches: everything in a run that did not end.
    fn ended_or_all(&self, reach: Option<Reach>, first: Cause) -> Reach {
        let base = self.base;
        reach.unwrap_or_else(|| spread::everything(&base.analysis().facts(base.module), first))
    }

    /// What is undefined in a run that has not been observed; `None` if it does not end.
    fn sources(&self, launch: &Launch, variation: Variation) -> Result<Option<Sources>, Failure> {
        let base = self.base;
        let (launch, rules) = (with_marks(launch), base.plan.rules);
        let width = launch.wave_width;
        let mut watcher = Watcher::of_sources(base.analysis(), base.module, width, rules);
        let mut left = base.bindings.clone();
        let _permit = self.begin(&launch);
        let ended = interp::run_varied(base.program(), &launch, variation, &mut left, &mut watcher);
        Ok(has_ended(ended)?.then(|| watcher.take_sources()))
    }

    /// What `sources` reach in a run, which is repeated with marks; `None` if that does not end.
    fn spread(
        &self,
        launch: &Launch,
        variation: Variation,
        sources: &Sources,
    ) -> Result<Option<Reach>, Failure> {
        let base = self.base;
        let (launch, marked) = (with_marks(launch), base.marked());
        let facts = base.analysis().facts(base.module);
        let masks = Arc::clone(&base.analysis().masks);
        let (width, before) = (launch.wave_width, base.plan.reached.clone());
        let mut spread = Spread::new(&facts, masks, marked, width, sources, before);
        let mut left = base.bindings.clone();
        let _permit = self.begin(&launch);
        let ended = interp::run_varied(&marked.program, &launch, variation, &mut left, &mut spread);
        Ok(has_ended(ended)?.then(|| spread.into_reach()))
    }

    /// Elements in any order are compared together, or not at all.
    fn leave_out_unordered(&self, run: &mut Run) {
        let named = (0..)
            .map(Binding)
            .zip(&run.left.bindings)
            .filter(|(binding, _)| named(self.base.module, &self.base.plan.unordered, *binding));
        let named = named.flat_map(|(binding, it)| (0..it.len() as u32).map(move |e| (binding, e)));
        let all: Vec<(Binding, u32)> = named.chain(run.permuted.iter().copied()).collect();
        for (binding, element) in all {
            let size = run.left.bindings[binding.index()][element as usize].bytes.len();
            if let Some((_, cause)) = run.reach.count(binding, element, size) {
                run.reach.add_whole(binding, element, cause);
            }
        }
    }

    /// Says what of a run's results is not compared.
    fn tell_left_out(&mut self, run: &Run) {
        let width = run.launch.wave_width;
        for (binding, buffers) in (0..).map(Binding).zip(&run.left.bindings) {
            if !self.base.is_open(binding) {
                continue;
            }
            for (element, buffer) in (0..).zip(buffers) {
                let size = buffer.bytes.len();
                if let Some((count, cause)) = run.reach.count(binding, element, size) {
                    let name = self.base.module.resource(binding).name.clone();
                    self.report.leave_out(width, Some(name), (count, size), cause);
                }
            }
        }
    }

    /// An observed run. Returns its results if it ended, and something undefined that it did.
    fn watch(
        &mut self,
        launch: &Launch,
        variation: Variation,
        order: Option<Order>,
        follow: Follow,
    ) -> Result<Option<Watched>, Failure> {
        let base = self.base;
        let (analysis, width) = (base.analysis(), launch.wave_width);
        self.report.watched.extend(order.map(|it| (it, width)));
        let watcher = Watcher::of_sources(analysis, base.module, width, base.plan.rules);
        let mut watcher = watcher.with_bindings(base.bindings);
        let mut left = base.bindings.clone();
        let permit = self.begin(launch);
        let ended = interp::run_varied(base.program(), launch, variation, &mut left, &mut watcher);
        drop(permit);
        let endless = |is_proven: bool| {
            let progress = variation.progress;
            let blames_groups = order.is_some_and(Order::is_of_groups);
            watcher.endless_wait(Given { progress, is_proven, blames_groups })
        };
        let endless = match &ended {
            Ok(()) => None,
            Err(Failure::Trap(Trap::Deadlock { .. })) => endless(true),
            // The run might have ended; but if it waits for others, saying so is more useful.
            Err(Failure::Trap(Trap::OutOfFuel { .. })) => endless(false),
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
            if order.is_some_and(Order::is_of_groups) {
                it.helps.push(
                    "pass `--progress concurrent` if the machine runs all groups at the same time".to_owned(),
                );
            }
            wait::advised(it)
        });
        let has_explanation = endless.is_some();
        let wants_marks = watcher.wants_marks() && ended.is_ok();
        let (waves_meet, overlaps) = (watcher.waves_meet(), watcher.overlaps());
        let has_races = watcher.has_races();
        let sources = watcher.take_sources();
        let is_undefined = watcher.found().any(|it| explains_differences(it.kind));
        let wants_reach = follow == Follow::Reach && wants_marks && is_undefined;
        // Neither of the two runs needs the other.
        let mut exact = None;
        let mut reach = None;
        if wants_marks {
            let one = |at: usize| match at {
                0 => (Some(self.with_origins(launch, variation, has_races)), None),
                _ => (None, Some(self.spread(launch, variation, &sources))),
            };
            let count = if wants_reach { 2 } else { 1 };
            for (origins, spread) in on_threads(base.plan.threads, count, one, |_| true) {
                (exact, reach) = (exact.or(origins), reach.or(spread));
            }
        }
        let is_cut_short = ended.as_ref().is_err_and(marked::is_cancelled);
        let (findings, failed) =
            marked::told(exact, is_cut_short, |guesses| watcher.with_guesses(guesses).into_all());
        let undefined = findings.iter().find(|it| explains_differences(it.kind));
        let undefined = undefined.map(|it| Cause { kind: it.kind, span: it.site.span });
        findings.into_iter().chain(endless).for_each(|it| self.report.add(it, order));
        match failed.map_or(ended, Err) {
            Ok(()) => Ok(Some(Watched { left, undefined, sources, reach, waves_meet, overlaps })),
            Err(_) if has_explanation => Ok(None),
            // The bound of `Trial::new`: a loop that counts its turns may end if the other groups run too.
            Err(Failure::Trap(Trap::OutOfFuel { .. }))
                if order.is_some_and(Order::is_of_groups) =>
            {
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// The findings of a run in which each poisoned value is followed from where it arose; `None` if it does not end,
    /// since the marks take time too. What races is looked for again only if something has raced.
    fn with_origins(
        &self,
        launch: &Launch,
        variation: Variation,
        has_races: bool,
    ) -> Result<Option<Vec<Finding>>, Failure> {
        let base = self.base;
        let (launch, marked) = (with_marks(launch), base.marked());
        let (analysis, width) = (base.analysis(), launch.wave_width);
        let watcher = Watcher::knowing(analysis, base.module, width, base.plan.rules);
        let watcher = watcher.with_bindings(base.bindings).with_marks(marked);
        let mut watcher = if has_races { watcher } else { watcher.without_races() };
        let mut left = base.bindings.clone();
        let program = &marked.program;
        let _permit = self.begin(&launch);
        let ended = interp::run_varied(program, &launch, variation, &mut left, &mut watcher);
        Ok(has_ended(ended)?.then(|| watcher.into_all()))
    }

    /// Counts a run, waits until it may begin, and starts the count within it.
    fn begin(&self, launch: &Launch) -> Permit<'a> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let permit = self.base.permit();
        if let Some(pace) = &self.base.plan.pace {
            pace.width.store(launch.wave_width, Ordering::Relaxed);
            pace.run.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(progress) = &launch.progress {
            progress.store(0, Ordering::Relaxed);
        }
        permit
    }

    /// The runs in other orders that may show something.
    fn trials(&self, run: &Run, waves_meet: bool, overlaps: bool) -> Vec<Trial> {
        let plan = self.base.plan;
        let mut orders = plan.trials(self.base.module, &run.launch);
        if !waves_meet && !plan.watches_all {
            orders.retain(|it| !matches!(it, Order::Waves(_) | Order::HandOver | Order::Groups(_)));
        }
        // Where no group had to wait for another one to start, the observed run was one with one group at a time.
        if run.launch.schedule == Schedule::Ascending && !overlaps {
            orders.retain(|it| *it != Order::Groups(GroupOrder::Ascending));
        }
        // In the reverse order both runs are the same as long as no group has to wait for another one to start.
        let (reverse, one_by_one) =
            (Order::Waves(Schedule::Descending), Order::Groups(GroupOrder::Descending));
        let replaces = orders.contains(&reverse) && orders.contains(&one_by_one);
        orders.retain(|it| !replaces || *it != reverse);
        let trial = |order: Order| Trial {
            fallback: (replaces && order == one_by_one).then_some(reverse),
            ..Trial::new(order, run, plan.progress)
        };
        orders.into_iter().map(trial).collect()
    }

    /// A run in another order, if it ended. `begun` is one that has been made ahead.
    fn again(
        &mut self,
        run: &Run,
        trial: &Trial,
        begun: Option<Compared>,
    ) -> Result<Option<Again>, Failure> {
        if trial.is_observed(self.base) {
            return self.watched_again(run, trial);
        }
        let compared = begun.unwrap_or_else(|| self.compared(run, trial));
        let Compared { left, turns, ended, different } = compared;
        match ended {
            Ok(()) => {
                let undefined = run.reach.first_cause();
                Ok(Some(Again { left, undefined, different: different?, turns }))
            }
            // Repeated and observed, it says why.
            Err(Failure::Trap(Trap::Deadlock { .. } | Trap::OutOfFuel { .. })) => {
                Ok(self.watched_again(run, trial)?.map(|it| Again { turns, ..it }))
            }
            Err(failure) => Err(failure),
        }
    }

    fn watched_again(&mut self, run: &Run, trial: &Trial) -> Result<Option<Again>, Failure> {
        let watched =
            self.watch(&trial.launch, trial.variation, Some(trial.order), Follow::Origins)?;
        let Some(Watched { left, undefined, sources, .. }) = watched else { return Ok(None) };
        let undefined = undefined.or_else(|| run.reach.first_cause());
        let different = self.differences(run, trial, &left, undefined, Some(&sources))?;
        Ok(Some(Again { left, undefined, different, turns: Turns::default() }))
    }

    /// Where the results of a run in another order differ. `undefined` is something undefined that either run did.
    fn differences(
        &self,
        run: &Run,
        trial: &Trial,
        left: &Bindings,
        undefined: Option<Cause>,
        sources: Option<&Sources>,
    ) -> Result<Different, Failure> {
        let base = self.base;
        let find = |reaches: &[&Reach]| -> Vec<Difference> {
            base.differences(&run.left, left, reaches).collect()
        };
        let first = find(&[&run.reach]);
        match undefined.filter(|_| !first.is_empty()) {
            // Undefined values may reach other places in this order.
            Some(cause) => {
                let reach = self.reach(&trial.launch, trial.variation, cause, sources)?;
                let first = find(&[&run.reach, &reach]);
                Ok(Different { first, reach: Some(reach) })
            }
            None => Ok(Different { first, reach: None }),
        }
    }

    /// The decisions in a run whose float sums are in the canonical order.
    fn canonical_turns(&mut self, run: &Run, trial: &Trial) -> Result<Turns, Failure> {
        let variation = Variation { folds: FoldOrder::Canonical, ..trial.variation };
        let trial =
            Trial { launch: run.launch.clone(), variation, order: trial.order, fallback: None };
        let (_, turns, ended) = self.unobserved(&trial);
        match ended {
            Ok(()) => Ok(turns),
            Err(Failure::Trap(Trap::Deadlock { .. } | Trap::OutOfFuel { .. })) => {
                let watched =
                    self.watch(&trial.launch, variation, Some(trial.order), Follow::Origins)?;
                Ok(watched.map(|_| turns).unwrap_or_default())
            }
            Err(failure) => Err(failure),
        }
    }

    /// For each trial its run, if it was made ahead on several threads.
    fn ahead(&self, run: &Run, trials: &[Trial]) -> Vec<Option<Compared>> {
        let (base, plan) = (self.base, self.base.plan);
        let unobserved: Vec<usize> =
            (0..trials.len()).filter(|it| !trials[*it].is_observed(base)).collect();
        let mut begun: Vec<Option<Compared>> = trials.iter().map(|_| None).collect();
        let bytes: usize = base.bindings.bindings.iter().flatten().map(|it| it.bytes.len()).sum();
        let is_large = bytes.saturating_mul(unobserved.len()) > MOST_AHEAD;
        if plan.threads <= 1 || unobserved.len() <= 1 || is_large {
            return begun;
        }
        let one = |at: usize| self.compared(run, &trials[unobserved[at]]);
        let all = on_threads(plan.threads, unobserved.len(), one, |_| true);
        unobserved.iter().zip(all).for_each(|(at, it)| begun[*at] = Some(it));
        begun
    }

    /// A run in another order that is not observed, and what differs in it. Where both runs meet something undefined,
    /// that takes two more runs, which need not wait for those of other orders.
    fn compared(&self, run: &Run, trial: &Trial) -> Compared {
        let (left, turns, ended) = self.unobserved(trial);
        let different = match &ended {
            Ok(()) => self.differences(run, trial, &left, run.reach.first_cause(), None),
            Err(_) => Ok(Different::default()),
        };
        Compared { left, turns, ended, different }
    }

    /// A run of which only the results matter, and the decisions where floats are summed in another order.
    fn unobserved(&self, trial: &Trial) -> (Bindings, Turns, Result<(), Failure>) {
        let Trial { launch, variation, .. } = trial;
        let base = self.base;
        let _permit = self.begin(launch);
        let mut left = base.bindings.clone();
        let mut turns = Turns::default();
        let program = base.program();
        if trial.folds() {
            let ended = interp::run_varied(program, launch, *variation, &mut left, &mut turns);
            return (left, turns, ended);
        }
        let is_canonical =
            *variation == Variation::default() && launch.schedule == Schedule::Ascending;
        let fast = base.fast.filter(|_| is_canonical && launch.prints.is_none());
        let ended = fast.and_then(|it| it.run(launch, &mut left)).unwrap_or_else(|| {
            interp::run_varied(program, launch, *variation, &mut left, &mut NoObserver)
        });
        (left, turns, ended)
    }
}

/// Whether a run has ended; whatever ends it from outside is a failure.
fn has_ended(ended: Result<(), Failure>) -> Result<bool, Failure> {
    match ended {
        Ok(()) => Ok(true),
        Err(Failure::Trap(Trap::Deadlock { .. } | Trap::OutOfFuel { .. })) => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// The launch of a module with marks: they are instructions too.
fn with_marks(launch: &Launch) -> Launch {
    let bounded = launch.fuel.filter(|it| *it < u64::MAX);
    let fuel = bounded.map(|it| it.saturating_mul(MARKED_FUEL));
    Launch { fuel, prints: None, spent: None, ..launch.clone() }
}

/// Instructions of a module with marks, for each of its own, at most.
const MARKED_FUEL: u64 = 8;

/// The fuel of a run with one group at a time: a multiple of that of the observed run, and a constant on top.
const GROUPS_FUEL: u64 = 8;
const LEAST_FUEL: u64 = 1 << 20;

/// The most bytes of results that wait to be compared.
const MOST_AHEAD: usize = 256 << 20;
