//! The observer: passes events to the detectors and collects their findings.

use std::collections::BTreeMap;
use std::sync::Arc;

use diag::Span;
use interp::Observer;
use interp::observe::{
    AccessEvent, At, BarrierEvent, DerivativeEvent, DiscardEvent, DivergeEvent, EvalEvent, ExitTo,
    FeedbackEvent, OutputEvent, RayEvent, SampleEvent, Space, WaveEvent,
};
use ir::exec::{Bindings, Invocation, WaveInputs};
use ir::{Binding, Inst, Module, Op, RayOp, Value};
use ops::scalar::Hazard;
use ops::texture::Shape;
use ops::wave::Sees;
use ops::{LaneMask, WaveOp};

use crate::address::{self, Marks};
use crate::alias::{self, Aliases};
use crate::analysis::Analysis;
use crate::barrier::{self, Barriers, ExitedThreads};
use crate::bounds;
use crate::converge::Reconvergence;
use crate::depth;
use crate::dropped::Dropped;
use crate::facts::Facts;
use crate::feedback::Feedback;
use crate::finding::{Finding, Kind, Named, Site, be};
use crate::flow::Flow;
use crate::flying::Flying;
use crate::marked::{Guesses, Mark, Marked};
use crate::masks::{self, Masks};
use crate::pixels::Pixels;
use crate::place;
use crate::poison::Poison;
use crate::race::{IntraWaveSync, Publication, Races};
use crate::rays::Rays;
use crate::seen;
use crate::spread::{Cause, Sources};
use crate::sweep::explains_differences;
use crate::wait::{self, Given};
use crate::waterfall::FirstRead;

/// After this many findings of one run, duplicates are no longer detected.
const MOST_FINDINGS: usize = 200;

/// The number of members that are listed between the first and the last.
const MOST_MEMBERS: usize = 2;

/// The assumed guarantees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub sync: IntraWaveSync,
    pub publication: Publication,
    pub exited: ExitedThreads,
    pub reconvergence: Reconvergence,
    /// Whether lanes that read different lanes are reported.
    pub uniform_lane_index: bool,
    /// Whether what devices may report differently in feedback maps is reported.
    pub feedback_slack: bool,
    /// Whether all devices in question can record feedback through every sampler.
    pub has_feedback_tier_1: bool,
}

/// Observes one run at one width.
pub struct Watcher<'a> {
    facts: Facts<'a>,
    width: u32,
    rules: Rules,
    marks: Arc<Marks>,
    /// For each resource, the number of elements that are bound; without it, any index is in range.
    descriptors: Vec<u32>,
    masks: Arc<Masks>,
    /// The waves of the groups in flight.
    flows: Flying<Vec<Flow>>,
    idle: Option<Vec<Flow>>,
    poison: Poison,
    /// The module that runs, if it has marks.
    marked: Option<&'a Marked>,
    barriers: Barriers,
    aliases: Aliases,
    races: Races,
    watches_races: bool,
    pixels: Pixels,
    rays: Rays,
    dropped: Dropped,
    feedback: Feedback,
    findings: Vec<(Finding, Option<Invocation>)>,
    /// Those of them whose origin was searched for in the code, and for which a run with marks may find a different
    /// one.
    guesses: Vec<usize>,
    /// The instructions that used something undefined.
    used: BTreeMap<Inst, Span>,
    /// The number of groups that have started, and of those that have ended.
    started: u64,
    ended: u64,
    /// Whether a group started before another one had ended.
    overlaps: bool,
}

impl<'a> Watcher<'a> {
    pub fn new(module: &'a Module, width: u32, rules: Rules) -> Watcher<'a> {
        Watcher::knowing(&Analysis::of(module), module, width, rules)
    }

    /// The same for a module that has been analysed already.
    pub(crate) fn knowing(
        analysis: &Analysis,
        module: &'a Module,
        width: u32,
        rules: Rules,
    ) -> Watcher<'a> {
        Watcher::made(analysis, module, width, rules, false)
    }

    /// An observer that also says where everything undefined begins that the engine does not mark as poison.
    pub(crate) fn of_sources(
        analysis: &Analysis,
        module: &'a Module,
        width: u32,
        rules: Rules,
    ) -> Watcher<'a> {
        Watcher::made(analysis, module, width, rules, true)
    }

    fn made(
        analysis: &Analysis,
        module: &'a Module,
        width: u32,
        rules: Rules,
        wants_all: bool,
    ) -> Watcher<'a> {
        let Analysis { marks, masks, accesses, .. } = analysis.clone();
        let facts = analysis.facts(module);
        let policy = (rules.sync, rules.publication);
        let races = Races::new(module, accesses, width, policy, wants_all);
        let pixels = Pixels::new(&facts);
        // The order that a rasterizer-ordered view imposes is not known here.
        let orders_pixels = module.io.as_ref().is_some_and(|it| it.pixel.orders_pixels);
        Watcher {
            marks,
            dropped: Dropped::new(&facts),
            descriptors: Vec::new(),
            facts,
            width,
            rules,
            masks,
            flows: Flying::default(),
            idle: None,
            poison: Poison::default(),
            marked: None,
            barriers: Barriers::new(rules.exited),
            aliases: Aliases::new(module),
            races,
            watches_races: !orders_pixels,
            pixels,
            rays: Rays::default(),
            feedback: Feedback::default(),
            findings: Vec::new(),
            guesses: Vec::new(),
            used: BTreeMap::new(),
            started: 0,
            ended: 0,
            overlaps: false,
        }
    }

    /// For a run of the module with marks: knows exactly where poison came from.
    pub(crate) fn with_marks(mut self, marked: &'a Marked) -> Watcher<'a> {
        self.poison = Poison::exact(&self.facts, marked, self.width);
        self.marked = Some(marked);
        self
    }

    /// For the repetition of a run in which nothing raced: looks for no races.
    pub(crate) fn without_races(mut self) -> Watcher<'a> {
        self.watches_races = false;
        self
    }

    /// Whether a run with marks would know more.
    pub(crate) fn wants_marks(&self) -> bool {
        self.marked.is_none() && self.poison.has_searched()
    }

    /// Reports indices into arrays of resources beyond what is bound here, and names texels by their coordinates.
    pub fn with_bindings(mut self, bindings: &Bindings) -> Watcher<'a> {
        self.descriptors = bindings.bindings.iter().map(|it| it.len() as u32).collect();
        self.facts = self.facts.with_textures(bindings);
        self
    }

    /// Names texels by their coordinates, in textures of these shapes.
    pub(crate) fn with_shapes(mut self, shapes: Vec<Option<Shape>>) -> Watcher<'a> {
        self.facts = self.facts.with_shapes(shapes);
        self
    }

    /// The same with or without findings whose origin is only likely.
    pub(crate) fn with_guesses(mut self, guesses: Guesses) -> Watcher<'a> {
        if guesses == Guesses::Dropped {
            let mut index = 0..;
            self.findings.retain(|_| index.next().is_none_or(|it| !self.guesses.contains(&it)));
            self.guesses.clear();
        }
        self
    }

    /// The findings, in execution order; what follows from one mistake is counted.
    pub fn into_findings(self) -> Vec<Finding> {
        seen::folded(self.into_all())
    }

    /// All findings, in execution order.
    pub(crate) fn into_all(self) -> Vec<Finding> {
        self.into_drawn().into_iter().map(|it| it.0).collect()
    }

    /// The same, with the invocation of a draw that each is about.
    pub(crate) fn into_drawn(self) -> Vec<(Finding, Option<Invocation>)> {
        let Watcher { mut findings, mut feedback, width, facts, .. } = self;
        // The contents of a map are known only now.
        findings.extend(feedback.slack(width).into_iter().map(|it| (it, None)));
        // A load of poison because it comes too early is a race, and one report of it is enough: it may be named behind
        // the store that another lane has skipped.
        let reads = |it: &Site| {
            let op = it.inst.map(|inst| &facts.module.inst(inst).op);
            matches!(op, Some(Op::SharedLoad { .. }))
        };
        let racing: Vec<Span> = findings
            .iter()
            .map(|it| &it.0)
            .filter(|it| it.kind == Kind::Race)
            .flat_map(|it| it.related.iter().map(|site| site.span).chain([it.site.span]))
            .collect();
        findings.retain(|(it, _)| {
            let read = std::iter::once(&it.site).chain(it.related.iter().filter(|it| reads(it)));
            it.kind != Kind::UninitializedValue
                || !read.into_iter().any(|it| racing.contains(&it.span))
        });
        // Two accesses that nothing orders need no second reason.
        let races: Vec<_> = findings
            .iter()
            .filter(|it| it.0.kind == Kind::Race)
            .map(|it| it.0.accesses())
            .collect();
        findings
            .retain(|(it, _)| it.kind != Kind::AliasedBuffers || !races.contains(&it.accesses()));
        for (finding, _) in findings.iter_mut().filter(|it| it.0.kind == Kind::DivergentBarrier) {
            barrier::blame(&facts, finding, &racing);
        }
        findings
    }

    /// What it has found so far, in execution order.
    pub fn found(&self) -> impl ExactSizeIterator<Item = &Finding> {
        self.findings.iter().map(|it| &it.0)
    }

    /// The instructions that did something undefined or used it, and why; none for what no instruction does.
    pub(crate) fn undefined(&self) -> impl Iterator<Item = (Option<Inst>, Cause)> {
        let used = self.used.iter().map(|(inst, span)| {
            (Some(*inst), Cause { kind: Kind::UninitializedValue, span: *span })
        });
        let found = self.found().filter(|it| explains_differences(it.kind)).flat_map(|it| {
            let cause = Cause { kind: it.kind, span: it.site.span };
            let sites = std::iter::once(&it.site).chain(&it.related);
            let mut insts: Vec<Option<Inst>> = sites.filter_map(|it| it.inst).map(Some).collect();
            if insts.is_empty() {
                insts.push(None);
            }
            insts.into_iter().map(move |inst| (inst, cause))
        });
        found.chain(used)
    }

    /// How many groups have started.
    pub(crate) fn started(&self) -> u64 {
        self.started
    }

    /// Whether a group started before another one had ended.
    pub(crate) fn overlaps(&self) -> bool {
        self.overlaps
    }

    /// Whether the order in which waves run may matter.
    pub(crate) fn waves_meet(&self) -> bool {
        !self.watches_races || self.races.waves_meet()
    }

    /// Whether something raced.
    pub(crate) fn has_races(&self) -> bool {
        self.races.has_found()
    }

    /// Where undefined values come from, other than from poison.
    pub(crate) fn take_sources(&mut self) -> Sources {
        Sources { racing: self.races.take_racing(), broken: self.barriers.take_broken() }
    }

    /// Why the run was given up, if lanes wait for something that never happens.
    pub(crate) fn endless_wait(&self, given: Given) -> Option<Finding> {
        let all = self.flows.sorted().into_iter().flatten();
        let mut waiting = all.filter_map(|flow| Some((flow, flow.back_edge?)));
        waiting.find_map(|(flow, at)| {
            let found = wait::endless(&self.facts, flow, at, self.width, given);
            found.map(|it| it.with_stacks(self.facts.module))
        })
    }

    fn add(&mut self, finding: Option<Finding>) {
        let Some(finding) = finding else { return };
        self.findings.retain(|it| !finding.supersedes(&it.0));
        if self.findings.len() < MOST_FINDINGS
            && !self.findings.iter().any(|it| it.0.is_like(&finding))
        {
            let lane = finding.lanes.first();
            let invocation = lane.and_then(|it| self.pixels.invocation(it));
            self.findings.push((finding.with_stacks(self.facts.module), invocation));
        }
    }

    /// Adds the findings about poison in these values.
    fn add_poisoned(&mut self, finding: Option<Finding>, values: &[Value]) {
        let Some(finding) = finding else { return };
        let key = (finding.group, finding.wave);
        let is_guess =
            self.marked.is_none() && !self.poison.has_one_origin(&self.facts, key, values);
        let before = self.findings.len();
        self.add(Some(finding));
        if is_guess {
            self.guesses.extend(before..self.findings.len());
        }
    }

    fn sink(&mut self, at: At, values: &[Value], lanes: LaneMask, what: &str) {
        self.sink_as(at, values, lanes, (what, ""));
    }

    /// The same with words behind the lanes.
    fn sink_as(&mut self, at: At, values: &[Value], lanes: LaneMask, (what, how): (&str, &str)) {
        // Helper lanes have no effects.
        let lanes = lanes & !self.pixels.helpers();
        if lanes.is_empty() {
            return;
        }
        let used = Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!("{what} by {}{how}", Named(lanes)),
        };
        self.used.entry(at.inst).or_insert(at.span);
        let key = (at.group, at.wave);
        let found = self.poison.sink(&self.facts, key, self.width, values, lanes, used);
        self.add_poisoned(found, values);
    }

    /// The members that a store leaves undefined, where a store of a struct does not show them: ` as `a` and `b``.
    fn members(&self, event: &AccessEvent<'_>, values: &[Value]) -> String {
        let (Space::Buffer(binding, _), Some(lane)) = (event.space, event.value_poison.first())
        else {
            return String::new();
        };
        let module = self.facts.module;
        let key = (event.at.group, event.at.wave);
        let mut names: Vec<&str> = Vec::new();
        for index in self.poison.known(key, values, event.value_poison) {
            let before = values[..index].iter().map(|it| u64::from(module.ty(*it).bytes()));
            let byte = event.addresses[lane as usize] + before.sum::<u64>();
            names.extend(place::member(&self.facts, binding, byte));
        }
        names.dedup();
        match names.as_slice() {
            [] => String::new(),
            [only] => format!(" as `{only}`"),
            [first, rest @ .., last] if rest.len() < MOST_MEMBERS => {
                let rest: String = rest.iter().map(|it| format!(", `{it}`")).collect();
                format!(" as `{first}`{rest} and `{last}`")
            }
            [first, rest @ ..] => format!(" as `{first}` and {} other members", rest.len()),
        }
    }

    /// Reports lanes that take a derivative in a partially active quad.
    fn partial_quad(&mut self, at: At, lanes: LaneMask) {
        if lanes.is_empty() {
            return;
        }
        let (facts, flow, poison, _) = self.flow(at);
        poison.partial_quad(facts, flow, at, lanes);
    }

    /// Reports helper lanes that reach an operation on whole quads on an undefined condition.
    fn doubtful(&mut self, at: At) {
        let Some((selector, lanes)) = self.pixels.doubtful(&self.facts, at) else { return };
        let used = Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!(
                "pixels need {} here, which an undefined condition decides",
                Named(lanes)
            ),
        };
        let key = (at.group, at.wave);
        let found = self.poison.needed(&self.facts, key, self.width, (selector, lanes), used);
        self.add_poisoned(found, &[selector]);
    }

    /// The flow of the wave of an event. It borrows only a part of the watcher.
    fn flow(&mut self, at: At) -> (&Facts<'a>, &mut Flow, &mut Poison, &mut Barriers) {
        // The flows of a finished group are reused for the next one.
        let idle = &mut self.idle;
        let flows = self.flows.get_or_insert_with(at.group, || idle.take().unwrap_or_default());
        if flows.len() <= at.wave as usize {
            flows.resize_with(at.wave as usize + 1, Flow::default);
        }
        (&self.facts, &mut flows[at.wave as usize], &mut self.poison, &mut self.barriers)
    }

    /// Reports an index into an array of resources. Returns whether it is beyond the end.
    fn descriptor(
        &mut self,
        at: At,
        lanes: LaneMask,
        (binding, elements): (Binding, &[u32]),
    ) -> bool {
        let known = (self.width, self.descriptors.as_slice());
        let used = (binding, elements);
        let found = address::descriptor(&self.facts, &self.marks, known, (at, lanes), used);
        let is_beyond = found.as_ref().is_some_and(|it| it.kind == Kind::DescriptorOutOfRange);
        self.add(found);
        is_beyond
    }

    /// What all accesses have in common. The address operands come first in an instruction.
    fn access(&mut self, event: &AccessEvent<'_>, act: alias::Act) {
        if !self.aliases.is_empty()
            && let Space::Buffer(memory, elements) = event.space
        {
            let found = self.aliases.access(&self.facts, self.width, event, act);
            self.add(found);
            let op = &self.facts.module.inst(event.at.inst).op;
            let name = address::named(self.facts.module, op, memory);
            return self.access_named(
                &AccessEvent { space: Space::Buffer(name, elements), ..*event },
                act,
            );
        }
        self.access_named(event, act);
    }

    /// The same for a resource with several names, under the name that the access uses.
    fn access_named(&mut self, event: &AccessEvent<'_>, act: alias::Act) {
        let stores = act != alias::Act::Load;
        if let Space::Buffer(binding, elements) = event.space {
            if let Some(elements) = elements {
                let lanes = event.at.active & !event.address_poison;
                if self.descriptor(event.at, lanes, (binding, elements)) {
                    return;
                }
            }
            let found = address::alignment(&self.facts, self.width, event, stores);
            self.add(found);
        }
        let found = bounds::access(&self.facts, self.width, event, stores);
        self.add(found);
        // Checked first, because few accesses are of this kind and each would pay for the rest.
        if (event.address_poison | event.value_poison).is_empty() {
            return;
        }
        let op = &self.facts.module.inst(event.at.inst).op;
        let (address, values) = op.address_and_values();
        if !event.address_poison.is_empty() {
            self.sink(event.at, &address, event.address_poison, "used as an address");
        }
        let reaches_memory = match event.space {
            Space::Buffer(binding, _) => stores && !self.dropped.holds_payloads(binding),
            // An atomic operation acts at once.
            Space::Shared(_) => matches!(op, Op::SharedAtomic { .. }),
            Space::Private(it) => stores && self.dropped.holds_vertices(it),
            Space::Counter(_) => false,
        };
        if reaches_memory && !event.value_poison.is_empty() {
            let is_private = matches!(event.space, Space::Private(_));
            let what = if is_private { "emitted" } else { "stored" };
            let how = self.members(event, &values);
            self.sink_as(event.at, &values, event.value_poison, (what, &how));
        }
    }
}

impl Observer for Watcher<'_> {
    fn group_begin(&mut self, _group: [u32; 3]) {
        self.overlaps |= self.started > self.ended;
        self.started += 1;
    }

    fn group_end(&mut self, group: [u32; 3]) {
        self.ended += 1;
        let found = self.barriers.group_end(&self.facts, self.width, group);
        self.add(found);
        self.poison.group_end(group);
        self.dropped.group_end(group);
        self.races.group_end(group);
        self.idle = self.flows.remove(group).or(self.idle.take());
    }

    fn wave_begin(&mut self, at: At) {
        self.flow(at).1.begin(at.active);
    }

    fn fed(&mut self, _at: At, inputs: &WaveInputs) {
        self.pixels.begin(inputs);
    }

    fn discard(&mut self, event: &DiscardEvent) {
        self.pixels.discard(event.at);
    }

    fn output(&mut self, event: &OutputEvent<'_>) {
        let broken = depth::output(&self.facts, self.width, self.pixels.depths(), event);
        self.add(broken);
        let is_undefined = !(event.poison & !event.helpers).is_empty();
        if is_undefined && !self.dropped.is_judged_before() {
            let values = self.facts.module.inst(event.at.inst).op.operands();
            self.sink(event.at, &values, event.poison, "written as an output");
        }
    }

    fn eval(&mut self, event: &EvalEvent<'_>) {
        if self.pixels.is_pixel_shader() {
            self.poison.missing(&self.facts, event);
        }
    }

    fn wave_end(&mut self, at: At) {
        let left = self.rays.wave_end(at, self.width);
        left.into_iter().for_each(|it| self.add(Some(it)));
        // The waves of a draw run one after the other.
        if self.facts.module.io.is_some() {
            self.poison.group_end(at.group);
            self.flow(at).1.begin(LaneMask::EMPTY);
        }
    }

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        self.races.wave_op(event.at);
        let width = self.width;
        let foreign = self.pixels.wave_op(&self.facts, width, event);
        self.add(foreign);
        if self.pixels.is_pixel_shader() && event.op.facts().sees == Sees::Quad {
            self.doubtful(event.at);
        }
        let (facts, flow, poison, _) = self.flow(event.at);
        poison.wave_op(facts, flow, event);
        if event.op == WaveOp::ReadLaneFirst {
            flow.first_read = FirstRead::new(event.at, event.args);
        }
        let apart = flow.convergence.wave_op(facts, width, event);
        self.add(apart);
        self.add(self.masks.cut(width, event));
        self.add(masks::float_equality(width, event));
        if self.rules.uniform_lane_index {
            self.add(masks::non_uniform_index(width, event));
        }
        if let Some(named) = event.named.filter(|it| *it != event.at.active) {
            let site = Site {
                span: event.at.span,
                inst: Some(event.at.inst),
                text: format!("{} {} active", Named(event.at.active), be(event.at.active)),
            };
            self.add(Some(Finding {
                kind: Kind::BadWaveMask,
                message: "the mask does not name the active lanes".to_owned(),
                site,
                related: Vec::new(),
                notes: vec![format!("named: {}", Named(named))],
                helps: vec![
                    "take the mask from `WaveGetActiveMask()` in the same control flow".to_owned(),
                ],
                stacks: Vec::new(),
                group: event.at.group,
                wave: event.at.wave,
                lanes: event.at.active,
                width: self.width,
            }));
        }
        let on = event.wave.participants() & !self.pixels.helpers();
        // If every result depends on every operand, poison cannot stay unused.
        let mixes = event.op.facts().sees == Sees::Participants;
        let bad = event.arg_poison.iter().fold(LaneMask::EMPTY, |all, it| all | *it) & on;
        if mixes && !bad.is_empty() {
            let values = self.facts.module.inst(event.at.inst).op.operands();
            self.sink(event.at, &values, bad, "given to this operation");
        }
    }

    fn arithmetic(&mut self, at: At, hazard: Hazard, lanes: LaneMask) {
        if hazard != Hazard::ShiftOutOfRange {
            self.poison.arithmetic(at, hazard, lanes);
            return;
        }
        if let Some(cut) = masks::lane_bit(&self.facts, self.width, at, lanes) {
            return self.add(Some(cut));
        }
        self.add(Some(Finding {
            kind: Kind::ShiftOutOfRange,
            message: "a shift by the width of the type or more".to_owned(),
            site: Site { span: at.span, inst: Some(at.inst), text: format!("{} shift too far here", Named(lanes)) },
            related: Vec::new(),
            notes: vec![
                "HLSL takes the count modulo the width of the type; other languages leave it undefined"
                    .to_owned(),
            ],
            helps: vec![
                "compare the count with the width of the type first, or mask it if that is intended"
                    .to_owned(),
            ],
            stacks: Vec::new(),
            group: at.group,
            wave: at.wave,
            lanes,
            width: self.width,
        }));
    }

    fn barrier(&mut self, event: &BarrierEvent) {
        let (width, policy) = (self.width, self.rules.reconvergence);
        let (facts, flow, _, barriers) = self.flow(event.at);
        let found = barriers.barrier(facts, flow, width, event);
        flow.convergence.barrier(event.at, policy);
        self.add(found);
        self.aliases.barrier(event);
        self.races.barrier(event);
    }

    fn load(&mut self, event: &AccessEvent<'_>) {
        self.access(event, alias::Act::Load);
        let is_unset = matches!(event.space, Space::Shared(_)) && !event.value_poison.is_empty();
        let left = if is_unset { self.barriers.left(event.at.group) } else { &[] };
        self.poison.access(&self.facts, event, false, left);
        if self.watches_races {
            let found = self.races.load(&self.facts, self.width, event);
            self.add(found);
        }
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        match self.marked.and_then(|it| it.mark(event.at.inst)) {
            Some(Mark::Defined(value)) => {
                return self.poison.defined(&self.facts, self.width, event, value);
            }
            Some(Mark::Moves(inst)) => {
                let moves = self.marked.map_or(&[][..], |it| it.moves(inst));
                return self.poison.moved(&self.facts, self.width, event.at, moves);
            }
            None => {}
        }
        if !matches!(self.dropped, Dropped::Nothing) {
            let found = self.dropped.store(&self.facts, self.width, event);
            self.add(found);
        }
        self.access(event, alias::Act::Store);
        self.poison.access(&self.facts, event, true, &[]);
        if self.watches_races {
            let found = self.races.store(&self.facts, self.width, event);
            self.add(found);
        }
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.access(event, alias::Act::Atomic);
        self.poison.access(&self.facts, event, true, &[]);
        if !self.pixels.helpers().is_empty() {
            self.poison.atomic_of_helpers(event.at, self.pixels.helpers());
        }
        if self.watches_races {
            let found = self.races.atomic(&self.facts, self.width, event);
            self.add(found);
        }
    }

    fn sample(&mut self, event: &SampleEvent<'_>) {
        self.partial_quad(event.at, event.partial);
        if event.op.needs_quad() {
            self.doubtful(event.at);
        }
        if let Some(elements) = event.element {
            self.descriptor(event.at, event.at.active & !event.poison, (event.texture, elements));
        }
    }

    fn feedback(&mut self, event: &FeedbackEvent<'_>) {
        let at = event.at;
        if let Some(elements) = event.element
            && self.descriptor(at, at.active & !event.poison, (event.map, elements))
        {
            return;
        }
        if !event.poison.is_empty() {
            let operands = self.facts.module.inst(at.inst).op.operands();
            self.sink(at, &operands, event.poison, "used by a record of feedback");
        }
        let found = self.feedback.record(&self.facts, self.width, &self.rules, event);
        found.into_iter().for_each(|it| self.add(Some(it)));
    }

    fn ray(&mut self, event: &RayEvent<'_>) {
        let told = self.rays.ray(&self.facts, event, self.width);
        told.findings.into_iter().for_each(|it| self.add(Some(it)));
        for (kind, lanes) in told.poison {
            self.poison.reported(event.at, kind, lanes);
        }
        if event.op == RayOp::Trace && !event.poison.is_empty() {
            let operands = self.facts.module.inst(event.at.inst).op.operands();
            let wrong: LaneMask = event.wrong.iter().map(|it| it.0).collect();
            self.sink(event.at, &operands, event.poison & !wrong, "traced");
        }
    }

    fn derivative(&mut self, event: &DerivativeEvent) {
        self.partial_quad(event.at, event.partial);
        self.doubtful(event.at);
    }

    fn diverge(&mut self, event: &DivergeEvent<'_>) {
        if !event.poison.is_empty() {
            self.pixels.diverge(&self.facts, event);
            let selector = self.facts.module.inst(event.at.inst).op.selector();
            self.sink(event.at, selector.as_slice(), event.poison, "used as a condition");
        }
        self.races.together(event.at);
        self.poison.diverge(&self.facts, event);
        let policy = self.rules.reconvergence;
        let (facts, flow, ..) = self.flow(event.at);
        flow.diverge(facts, event);
        flow.convergence.diverge(facts, event, policy);
    }

    fn enter(&mut self, at: At) {
        if matches!(self.facts.module.inst(at.inst).op, Op::Loop { .. }) {
            self.races.enter(at);
        }
        let policy = self.rules.reconvergence;
        if policy != Reconvergence::Maximal {
            let (facts, flow, ..) = self.flow(at);
            flow.convergence.enter(facts, at, policy);
        }
    }

    fn back_edge(&mut self, at: At) {
        self.races.back_edge(at);
        self.flow(at).1.back_edge = Some(at);
    }

    fn reconverge(&mut self, at: At) {
        self.races.reconverge(at);
        self.pixels.reconverge(at);
        let policy = self.rules.reconvergence;
        let (facts, flow, ..) = self.flow(at);
        flow.reconverge(at);
        flow.convergence.reconverge(facts, at, policy);
    }

    fn exit(&mut self, at: At, to: ExitTo) {
        self.flow(at).1.exit(at, to);
        if to == ExitTo::Return {
            self.barriers.returned(at);
        }
    }
}
