//! The sweep over a draw: repeats it at every width, with other helper lanes, packings, quads and orders, and compares
//! what it leaves.
//!
//! Nothing specifies which quads share a wave, whether helper lanes take part in wave operations, which corner of a
//! quad is even, or which samples an alpha leaves; machines differ in all of them. Each is varied by itself, so that a
//! difference has one cause.
//! The fixed functions and the memory of a draw belong to the caller, which runs it for this file: see [`Scene`].
//!
//! Limits: what something undefined in the pixel shader may reach is left out target by target and buffer by buffer;
//! where an earlier shader does something undefined, nothing of that width is compared.

mod alpha;
mod contents;
mod explain;
mod part;
mod reached;

use std::sync::atomic::Ordering;

use interp::{CoarseDerivatives, HelperPolicy, NoObserver, Observer, Program, Variation};
use ir::exec::{Failure, Invocation, Schedule, Trap};
use ir::stage::SystemValue;
use ir::{Derivative, Module, Op};
use ops::intrinsics::Stage;
use ops::texture::Shape;
use ops::wave::FoldOrder;

pub use self::contents::{Content, Holder, Left};
pub use self::part::Part;

use self::contents::{Difference, Room};
use self::explain::MARKS;
use self::part::{sees_waves, writes};
use self::reached::Undefined;
use crate::analysis::Analysis;
use crate::finding::{Finding, Kind};
use crate::marked::{self, Marked};
use crate::order::{Order, sums_floats};
use crate::seen::Seen;
use crate::spread::Cause;
use crate::sweep::{LeftOut, Plan, listed};
use crate::wait::{self, Given};
use crate::watch::Watcher;

/// A draw that can be repeated from the same contents.
pub trait Scene {
    /// Why a draw failed other than by its shaders.
    type Error;

    /// The programs of the draw, in the order of [`Part`].
    fn programs(&self) -> Vec<(Part, &Module)>;

    /// Whether depth or stencil are tested.
    fn tests_depth(&self) -> bool;

    /// The shapes of the textures that a part has, by resource; `None` for what is none, or has several.
    fn shapes(&self, part: Part) -> Vec<Option<Shape>>;

    /// Whether what a pixel shader writes for one target decides about others, as with alpha to coverage.
    fn mixes_targets(&self) -> bool;

    /// With alpha to coverage, how many samples an alpha chooses from; `None` without it, or if there is one.
    fn covers_by_alpha(&self) -> Option<u32>;

    /// The same without the places of samples in their pixels: resolved where there is an average, else in some order
    /// that depends on their contents alone.
    fn resolved(&self, left: &Left) -> Left;

    /// Draws, observed: each program that is watched runs in place of that of its part. Returns the contents of
    /// everything that was written.
    fn run<O: Observer>(
        &self,
        how: How,
        watched: &mut [Watched<'_, O>],
    ) -> Result<Left, Ended<Self::Error>>;

    /// The program of a part.
    fn module(&self, part: Part) -> Option<&Module> {
        self.programs().into_iter().find(|it| it.0 == part).map(|it| it.1)
    }
}

/// How a draw runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    pub width: u32,
    /// How it departs from the canonical draw.
    pub order: Option<Order>,
    /// This many instructions run for each instruction of the shader.
    pub marks: u64,
}

/// A program in place of a part of the draw, and its observer.
pub struct Watched<'a, O> {
    pub part: Part,
    pub program: &'a Program,
    pub observer: O,
}

/// Why a draw did not end.
#[derive(Debug)]
pub enum Ended<E> {
    Run(Part, Failure),
    Other(E),
}

/// What was found in a draw, by the stage whose shader it is about.
#[derive(Clone, Debug, Default)]
pub struct DrawReport {
    pub seen: Vec<(Stage, Seen)>,
    pub runs: usize,
    pub left_out: Vec<(Stage, LeftOut)>,
}

/// A sweep that failed, with its findings so far.
#[derive(Debug)]
pub struct DrawStopped<E> {
    pub width: u32,
    pub why: Ended<E>,
    pub report: DrawReport,
}

impl How {
    /// The canonical draw.
    pub fn canonical(width: u32) -> How {
        How { width, order: None, marks: 1 }
    }

    /// How the reference engine departs from the canonical run.
    pub fn variation(self) -> Variation {
        match self.order {
            Some(Order::Helpers(helpers)) => Variation { helpers, ..Variation::default() },
            Some(Order::Coarse(coarse)) => Variation { coarse, ..Variation::default() },
            Some(Order::Folds(folds)) => Variation { folds, ..Variation::default() },
            Some(Order::Rays(order)) => {
                Variation { search: order.search(), ..Variation::default() }
            }
            _ => Variation::default(),
        }
    }

    /// In words, beside another one.
    fn words(self, other: How) -> String {
        if self.width != other.width {
            return format!("waves of {} lanes", self.width);
        }
        if let Some(order) = self.order {
            return order.to_string();
        }
        match other.order {
            Some(Order::Helpers(_)) => Order::Helpers(HelperPolicy::Specified).to_string(),
            Some(Order::Waves(_)) => Order::Waves(Schedule::Ascending).to_string(),
            Some(Order::Folds(_)) => Order::Folds(FoldOrder::Canonical).to_string(),
            Some(Order::Packing(_)) => "packing=dense".to_owned(),
            Some(Order::QuadOrigin(_)) => "quad-origin=00".to_owned(),
            Some(Order::Coarse(_)) => Order::Coarse(CoarseDerivatives::UpperLeft).to_string(),
            Some(Order::EarlyDepth) => "a late depth test".to_owned(),
            Some(Order::AlphaSamples(_)) => "alpha-samples=first".to_owned(),
            Some(Order::Vertices(_)) => "vertices=dense".to_owned(),
            Some(Order::Patches(_)) => "patches=dense".to_owned(),
            Some(Order::Primitives(_)) => "primitives=dense".to_owned(),
            Some(Order::Children(_)) => Order::Children(Schedule::Ascending).to_string(),
            Some(Order::Rays(_)) => "rays=nearest".to_owned(),
            Some(Order::Lanes(_) | Order::HandOver | Order::Groups(_) | Order::SparseWaves)
            | None => "the canonical draw".to_owned(),
        }
    }
}

/// The kind of a result that differs in an order.
fn kind_of(order: Order) -> Kind {
    match order {
        Order::Helpers(_) => Kind::DependsOnHelpers,
        Order::Packing(_)
        | Order::EarlyDepth
        | Order::Vertices(_)
        | Order::Patches(_)
        | Order::Primitives(_) => Kind::DependsOnPacking,
        Order::QuadOrigin(_) | Order::Coarse(_) => Kind::DependsOnQuads,
        Order::AlphaSamples(_) => Kind::DependsOnAlphaSamples,
        Order::Waves(_)
        | Order::HandOver
        | Order::Groups(_)
        | Order::SparseWaves
        | Order::Folds(_)
        | Order::Lanes(_)
        | Order::Children(_)
        | Order::Rays(_) => order.finding(false),
    }
}

/// What a result depends on that differs in an order.
fn subject(order: Order) -> &'static str {
    match order {
        Order::Waves(_) => "the order in which the waves of a draw run",
        other => other.subject(),
    }
}

/// The width-dependent contents are also those that depend on packing.
fn is_of_waves(order: Order) -> bool {
    kind_of(order) == Kind::DependsOnPacking
}

/// The sweep over one draw.
struct Sweep<'a, S> {
    scene: &'a S,
    plan: &'a Plan,
    modules: Vec<(Part, &'a Module)>,
    /// One for each module.
    programs: Vec<Program>,
    report: DrawReport,
}

/// A run at a width, and the names of what is not compared with other widths.
struct Run {
    how: How,
    left: Left,
    unsettled: Vec<String>,
}

/// Runs the whole plan.
pub fn examine_draw<S: Scene>(
    scene: &S,
    plan: &Plan,
) -> Result<DrawReport, Box<DrawStopped<S::Error>>> {
    let modules = scene.programs();
    let programs = modules.iter().map(|it| interp::decode(it.1)).collect();
    let mut sweep = Sweep { scene, plan, modules, programs, report: DrawReport::default() };
    if let Some(pace) = &plan.pace {
        pace.expect(plan.widths.len() * (1 + sweep.trials().len()));
    }
    let mut runs = Vec::new();
    let mut failed = None;
    for width in &plan.widths {
        match sweep.at_width(*width) {
            Ok(run) => runs.extend(run),
            Err(why) => {
                failed = Some((*width, why));
                break;
            }
        }
    }
    // Runs that have ended are compared, even if the sweep does not finish.
    if let Err((width, why)) = sweep.compare_widths(&runs) {
        failed = failed.or(Some((width, why)));
    }
    match failed {
        None => Ok(sweep.report),
        Some((width, why)) => Err(Box::new(DrawStopped { width, why, report: sweep.report })),
    }
}

impl<'a, S: Scene> Sweep<'a, S> {
    /// The orders to try.
    fn trials(&self) -> Vec<Order> {
        self.plan.orders.iter().copied().filter(|it| self.matters(*it)).collect()
    }

    /// The program of a part.
    fn module(&self, part: Part) -> Option<&'a Module> {
        self.modules.iter().find(|it| it.0 == part).map(|it| it.1)
    }

    /// Whether an order can make a difference.
    fn matters(&self, order: Order) -> bool {
        let pixel = self.module(Part::Pixel);
        let traits = pixel.and_then(|it| it.io.as_ref()).map(|it| it.pixel).unwrap_or_default();
        let pixel_sees = pixel.is_some_and(sees_waves);
        let any = |is: &dyn Fn(Part, &Module) -> bool| self.modules.iter().any(|it| is(it.0, it.1));
        // Which lanes share a wave shows in wave operations, and in the order in which lanes access memory.
        let shows = |parts: &[Part]| {
            any(&|part, it: &Module| parts.contains(&part) && (sees_waves(it) || writes(it)))
        };
        match order {
            Order::Lanes(_) | Order::HandOver | Order::Groups(_) | Order::SparseWaves => false,
            Order::Waves(Schedule::Descending | Schedule::Random(_)) => {
                any(&|_, it| writes(it)) && !traits.orders_pixels
            }
            Order::Waves(Schedule::Ascending | Schedule::RoundRobin) => false,
            Order::Folds(order) => order != FoldOrder::Canonical && any(&|_, it| sums_floats(it)),
            // Derivatives and quad operations need helper lanes, so that no machine may do without.
            Order::Helpers(HelperPolicy::None) => {
                pixel_sees && !traits.derivatives && !traits.helpers_take_part
            }
            Order::Helpers(policy) => {
                policy != HelperPolicy::Specified && pixel_sees && !traits.helpers_take_part
            }
            Order::Packing(_) => pixel_sees,
            Order::QuadOrigin(origin) => origin != [false; 2] && traits.derivatives,
            Order::Coarse(_) => pixel.is_some_and(is_coarse),
            // A machine may only test early where nothing but wave operations can observe it.
            Order::EarlyDepth => {
                pixel_sees
                    && self.scene.tests_depth()
                    && !traits.early_depth
                    && !traits.discards
                    && !pixel.is_some_and(|it| writes(it) || writes_depth(it))
            }
            Order::AlphaSamples(_) => {
                self.scene.covers_by_alpha().is_some() && pixel.and_then(alpha::output).is_some()
            }
            Order::Vertices(_) => shows(&[Part::Vertex]),
            Order::Patches(_) => shows(&[Part::Hull, Part::PatchConstants, Part::Domain]),
            Order::Primitives(_) => shows(&[Part::Geometry]),
            Order::Children(order) => {
                order != Schedule::Ascending && self.module(Part::Amplification).is_some()
            }
            Order::Rays(_) => any(&|_, it| !it.queries.is_empty()),
        }
    }

    fn begin(&mut self, how: How) {
        self.report.runs += 1;
        if let Some(pace) = &self.plan.pace {
            pace.tell(how.width, self.report.runs);
        }
    }

    fn add(
        &mut self,
        stage: Stage,
        finding: Finding,
        order: Option<Order>,
        at: Option<Invocation>,
    ) {
        let new = Seen::new(finding, order).of(stage, at);
        let seen = &mut self.report.seen;
        seen.retain(|it| it.0 != stage || !new.supersedes(&it.1.finding));
        let mut same = seen.iter_mut().filter(|it| it.0 == stage);
        if !same.any(|it| it.1.supersedes(&new.finding) || it.1.takes(&new)) {
            seen.push((stage, new));
        }
    }

    /// Runs all orders at one width. Returns the run if it can be compared.
    fn at_width(&mut self, width: u32) -> Result<Option<Run>, Ended<S::Error>> {
        let how = How::canonical(width);
        let Some((left, undefined)) = self.watch(how)? else { return Ok(None) };
        let mut run = Run { how, left, unsettled: Vec::new() };
        let is_mixed = self.scene.mixes_targets();
        let reached = undefined.reach(&self.modules, &run.left.contents, is_mixed);
        if let Some((stage, cause)) =
            reached.iter().copied().collect::<Option<Vec<_>>>().and_then(|all| all.first().copied())
        {
            self.leave_out(stage, width, None, cause);
            return Ok(None);
        }
        for (content, reached) in run.left.contents.iter().zip(reached) {
            let Some((stage, cause)) = reached else { continue };
            let named = (content.name.clone(), content.buffer.bytes.len());
            self.leave_out(stage, width, Some(named), cause);
            run.unsettled.push(content.name.clone());
        }
        let undefined = run.unsettled.clone();
        // Dependences for which a run that did not end is the explanation, and contents that one explains.
        let mut endless: Vec<&str> = Vec::new();
        let mut settled: Vec<(&str, usize)> = Vec::new();
        for order in self.trials() {
            let varied = How { order: Some(order), ..how };
            let again = match self.run(varied)? {
                Some(left) => left,
                // A run that does not end is explained by the finding that says so.
                None => {
                    endless.push(subject(order));
                    continue;
                }
            };
            let room = match order {
                Order::QuadOrigin(_) | Order::Coarse(_) => Room::Quads,
                _ => Room::Floats(self.plan.float_room),
            };
            let is_left_out = |name: &str| {
                let is_in = |names: &[String]| names.iter().any(|it| it == name);
                is_in(&undefined) || is_of_waves(order) && is_in(&self.plan.width_dependent)
            };
            // Which samples differ is unspecified; their combined result is not.
            let is_of_samples = matches!(order, Order::AlphaSamples(_));
            let resolved = is_of_samples
                .then(|| [self.scene.resolved(&run.left), self.scene.resolved(&again)]);
            let [one, other] = match &resolved {
                Some([one, other]) => [one, other],
                None => [&run.left, &again],
            };
            let different = one.differences(other, room, self.scene, is_left_out);
            for difference in different {
                let name = run.left.contents[difference.content].name.clone();
                if difference.is_permuted && self.plan.unordered.contains(&name) {
                    continue;
                }
                let is_known = run.unsettled.contains(&name);
                // Other quads are also packed differently.
                if matches!(order, Order::QuadOrigin(_)) && is_known {
                    continue;
                }
                // At every width alpha leaves the same samples.
                if !is_known && !is_of_samples {
                    run.unsettled.push(name);
                }
                let place = (subject(order), difference.content);
                if endless.contains(&subject(order)) || settled.contains(&place) {
                    continue;
                }
                let kind = match difference.is_permuted && kind_of(order) != Kind::DependsOnHelpers
                {
                    true => Kind::PermutedResult,
                    false => kind_of(order),
                };
                if kind != Kind::PermutedResult {
                    settled.push(place);
                } else if settled.iter().any(|it| it.0 == subject(order)) {
                    // A permutation of elements is implied by a dependence on the same order.
                    continue;
                }
                self.explain(kind, [how, varied], [one, other], difference, subject(order))?;
            }
        }
        Ok(Some(run))
    }

    /// An observed run. Returns what it left if it ended, and what it did that is undefined.
    fn watch(&mut self, how: How) -> Result<Option<(Left, Undefined)>, Ended<S::Error>> {
        self.begin(how);
        let (width, rules) = (how.width, self.plan.rules);
        let (ended, mut watched) = self.observed(how, |part, module| {
            let watcher = Watcher::of_sources(&Analysis::of(module), module, width, rules);
            watcher.with_shapes(self.scene.shapes(part))
        });
        let mut undefined = Undefined::default();
        for (part, watcher) in &mut watched {
            for (inst, kind, span) in watcher.take_sources().racing.in_order() {
                undefined.add(*part, Some(inst), Cause { kind, span });
            }
            for (inst, cause) in watcher.undefined() {
                undefined.add(*part, inst, cause);
            }
        }
        let progress = self.plan.progress;
        let endless = match &ended {
            Err(Ended::Run(part, Failure::Trap(trap))) => {
                let is_proven = matches!(trap, Trap::Deadlock { .. });
                let watcher = watched.iter().find(|it| it.0 == *part);
                match trap {
                    Trap::Deadlock { .. } | Trap::OutOfFuel { .. } => watcher
                        .and_then(|it| {
                            let blames_groups = false;
                            it.1.endless_wait(Given { progress, is_proven, blames_groups })
                        })
                        .map(|it| (part.stage(), wait::advised(it))),
                    _ => None,
                }
            }
            _ => None,
        };
        let wants_marks = ended.is_ok() && watched.iter().any(|it| it.1.wants_marks());
        let exact = wants_marks.then(|| self.with_origins(how));
        let is_cut_short =
            matches!(&ended, Err(Ended::Run(_, failure)) if marked::is_cancelled(failure));
        let (found, failed) = marked::told(exact, is_cut_short, |guesses| {
            drawn(watched.into_iter().map(|(part, it)| (part, it.with_guesses(guesses))))
        });
        for (part, found) in found {
            for (finding, at) in found {
                self.add(part.stage(), finding, how.order, at);
            }
        }
        let has_explanation = endless.is_some();
        if let Some((stage, finding)) = endless {
            let cause = Cause { kind: finding.kind, span: finding.site.span };
            self.leave_out(stage, width, None, cause);
            self.add(stage, finding, how.order, None);
        }
        match failed.map_or(ended, Err) {
            Ok(left) => Ok(Some((left, undefined))),
            Err(_) if has_explanation => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// The findings of a draw in which each poisoned value is followed from where it arose; `None` if it does not end,
    /// since the marks take time too.
    fn with_origins(&mut self, how: How) -> Result<Option<Found>, Ended<S::Error>> {
        let how = How { marks: MARKS, ..how };
        self.report.runs += 1;
        let marked: Vec<Marked> = self.modules.iter().map(|it| Marked::new(it.1)).collect();
        let each = self.modules.iter().zip(&marked);
        let mut watched: Vec<Watched<'_, Watcher<'_>>> = each
            .map(|((part, module), marked)| Watched {
                part: *part,
                program: &marked.program,
                observer: Watcher::new(module, how.width, self.plan.rules)
                    .with_shapes(self.scene.shapes(*part))
                    .with_marks(marked),
            })
            .collect();
        match self.scene.run(how, &mut watched) {
            Ok(_) => Ok(Some(drawn(watched.into_iter().map(|it| (it.part, it.observer))))),
            Err(Ended::Run(_, Failure::Trap(Trap::Deadlock { .. } | Trap::OutOfFuel { .. }))) => {
                Ok(None)
            }
            Err(why) => Err(why),
        }
    }

    /// Draws with an observer for each part, and returns them.
    #[expect(clippy::type_complexity, reason = "what the draw left, and the observers")]
    fn observed<O: Observer>(
        &self,
        how: How,
        observer: impl Fn(Part, &'a Module) -> O,
    ) -> (Result<Left, Ended<S::Error>>, Vec<(Part, O)>) {
        let each = self.modules.iter().zip(&self.programs);
        let mut watched: Vec<Watched<'_, O>> = each
            .map(|((part, module), program)| {
                let observer = observer(*part, module);
                Watched { part: *part, program, observer }
            })
            .collect();
        let ended = self.scene.run(how, &mut watched);
        (ended, watched.into_iter().map(|it| (it.part, it.observer)).collect())
    }

    /// A run of which only the results matter. If it does not end, it is repeated and observed.
    fn run(&mut self, how: How) -> Result<Option<Left>, Ended<S::Error>> {
        self.begin(how);
        match self.observed(how, |_, _| NoObserver).0 {
            Ok(left) => Ok(Some(left)),
            Err(Ended::Run(_, Failure::Trap(Trap::Deadlock { .. } | Trap::OutOfFuel { .. }))) => {
                Ok(self.watch(how)?.map(|it| it.0))
            }
            Err(why) => Err(why),
        }
    }

    /// Remembers that a content, or all of them, were not compared at a width.
    fn leave_out(
        &mut self,
        stage: Stage,
        width: u32,
        content: Option<(String, usize)>,
        cause: Cause,
    ) {
        let (buffer, size) = content.map_or((None, 0), |(name, size)| (Some(name), size));
        let like = |it: &&mut (Stage, LeftOut)| {
            it.0 == stage && it.1.cause == cause && it.1.buffer == buffer
        };
        match self.report.left_out.iter_mut().find(like) {
            Some((_, known)) if known.widths.contains(&width) => {}
            Some((_, known)) => known.widths.push(width),
            None => {
                let left_out = LeftOut { buffer, bytes: (size, size), widths: vec![width], cause };
                self.report.left_out.push((stage, left_out));
            }
        }
    }

    /// Compares the results at all widths, content by content, each among the widths at which it is settled.
    fn compare_widths(&mut self, runs: &[Run]) -> Result<(), (u32, Ended<S::Error>)> {
        let contents = runs.first().map_or(0, |it| it.left.contents.len());
        (0..contents).try_for_each(|content| self.compare_content(runs, content))
    }

    /// The largest set of widths that agrees is the reference, and each other set is compared with it where the two are
    /// nearest.
    fn compare_content(
        &mut self,
        runs: &[Run],
        content: usize,
    ) -> Result<(), (u32, Ended<S::Error>)> {
        let mut classes: Vec<Vec<usize>> = Vec::new();
        let is_settled = |it: &usize| {
            let name = &runs[*it].left.contents[content].name;
            !runs[*it].unsettled.contains(name)
        };
        for index in (0..runs.len()).filter(is_settled) {
            let agrees = |class: &&mut Vec<usize>| {
                class.iter().all(|it| self.between(&runs[*it], &runs[index], content).is_none())
            };
            match classes.iter_mut().find(agrees) {
                Some(class) => class.push(index),
                None => classes.push(vec![index]),
            }
        }
        ops::sort_by_key(&mut classes, |it| (std::cmp::Reverse(it.len()), it[0]));
        let [reference, others @ ..] = classes.as_slice() else { return Ok(()) };
        let widths =
            |class: &[usize]| class.iter().map(|it| runs[*it].how.width).collect::<Vec<u32>>();
        for other in others {
            let steps = |a: usize, b: usize| {
                let bits = |it: usize| runs[it].how.width.trailing_zeros();
                bits(a).abs_diff(bits(b))
            };
            let pairs = other.iter().flat_map(|b| reference.iter().map(move |a| (*a, *b)));
            let Some((a, b)) = pairs.min_by_key(|(a, b)| (steps(*a, *b), *b)) else { continue };
            let (a, b) = (&runs[a], &runs[b]);
            let Some(difference) = self.between(a, b, content) else { continue };
            let (kind, what) = (Kind::WidthDependentResult, "the wave width");
            let found = self
                .found(kind, [a.how, b.how], [&a.left, &b.left], difference, what)
                .map_err(|why| (b.how.width, why))?;
            let (stage, mut finding, at) = found;
            if reference.len() > 1 {
                finding.notes.push(format!(
                    "waves of {} lanes give one result, of {} another",
                    listed(&widths(reference)),
                    listed(&widths(other))
                ));
            }
            for width in widths(other) {
                self.add(stage, Finding { width, ..finding.clone() }, None, at);
            }
        }
        Ok(())
    }

    fn between(&self, a: &Run, b: &Run, content: usize) -> Option<Difference> {
        let is_left_out = |name: &str| self.plan.width_dependent.iter().any(|it| it == name);
        let room = Room::Floats(self.plan.float_room);
        let all = a.left.differences(&b.left, room, self.scene, is_left_out);
        let is_unordered = |it: &Difference| {
            it.is_permuted && self.plan.unordered.contains(&a.left.contents[content].name)
        };
        all.into_iter().find(|it| it.content == content).filter(|it| !is_unordered(it))
    }

    fn explain(
        &mut self,
        kind: Kind,
        how: [How; 2],
        left: [&Left; 2],
        difference: Difference,
        what: &str,
    ) -> Result<(), Ended<S::Error>> {
        let (stage, finding, at) = self.found(kind, how, left, difference, what)?;
        self.add(stage, finding, how[1].order, at);
        Ok(())
    }
}

/// Findings by the program that they are about, each with its invocation.
type Found = Vec<(Part, Vec<(Finding, Option<Invocation>)>)>;

fn drawn<'a>(watched: impl IntoIterator<Item = (Part, Watcher<'a>)>) -> Found {
    watched.into_iter().map(|(part, watcher)| (part, watcher.into_drawn())).collect()
}

/// Whether a pixel shader takes coarse derivatives.
fn is_coarse(module: &Module) -> bool {
    let is = |op: &Op| matches!(op, Op::Derivative(Derivative::XCoarse | Derivative::YCoarse, _));
    module.insts.iter().any(|it| is(&it.op))
}

/// Whether a pixel shader itself determines depth, stencil or coverage.
fn writes_depth(module: &Module) -> bool {
    let outputs = module.io.iter().flat_map(|it| &it.outputs);
    let systems = outputs.filter_map(|it| it.system);
    systems.into_iter().any(|it| it != SystemValue::Target)
}

impl crate::sweep::Pace {
    fn expect(&self, runs: usize) {
        self.most.store(runs, Ordering::Relaxed);
    }

    fn tell(&self, width: u32, run: usize) {
        self.width.store(width, Ordering::Relaxed);
        self.run.store(run, Ordering::Relaxed);
    }
}
