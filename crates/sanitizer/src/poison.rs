//! Poisoned values: where they came from, and where they began to matter.
//!
//! The engine propagates poison and says which lanes of a value are poisoned, not why. This file records the places
//! where poison arises. Where poisoned lanes reach something that matters, a backward search through the
//! dependences of the value finds its origin.

use std::collections::VecDeque;

use diag::Span;
use interp::observe::{AccessEvent, At, EvalEvent, Space, WaveEvent};
use ir::stage::element_of;
use ir::{Atomic, Inst, Op, Value};
use ops::scalar::Hazard;
use ops::wave::{Hazards, hazards};
use ops::{LaneMask, WaveOp};

use crate::bounds;
use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, third_person};
use crate::flow::Flow;
use crate::hash::{HashMap, HashSet};
use crate::origin::{From, Origins};
use crate::place;

/// A wave of a group in flight.
pub(crate) type WaveKey = ([u32; 3], u32);

/// Where poison arose.
#[derive(Clone, Debug)]
struct Origin {
    kind: Kind,
    message: String,
    site: Site,
    related: Vec<Site>,
    notes: Vec<String>,
    helps: Vec<String>,
    lanes: LaneMask,
}

/// An array that belongs to one wave or one group.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Array {
    Private(ir::Private),
    Shared(ir::Shared),
}

#[derive(Default)]
pub(crate) struct Poison {
    /// The latest origin at an instruction of a wave.
    origins: HashMap<(WaveKey, Inst), Origin>,
    /// For an instruction of a group with origins, the wave of the latest one.
    waves: HashMap<([u32; 3], Inst), u32>,
    /// The instruction of a wave that poison arose at last, until another one is executed, and the lanes.
    fresh: HashMap<WaveKey, (Inst, LaneMask)>,
    /// Stores of poison into an array; groupshared ones under wave 0.
    stored: HashMap<(WaveKey, Array), Vec<Inst>>,
    /// The atomic operations on groupshared memory that have been executed.
    atomics: HashSet<Inst>,
    /// The origins already reported.
    told: HashSet<(Inst, Kind)>,
    /// In a run with marks: exact origins.
    exact: Option<Origins>,
    /// Whether an origin was looked up.
    has_searched: bool,
}

impl Poison {
    /// Follows each poisoned value from now on; events of marks must be passed on.
    pub(crate) fn exact() -> Poison {
        Poison { exact: Some(Origins::default()), ..Poison::default() }
    }

    /// Whether poison has mattered, so that a run with marks knows more.
    pub(crate) fn has_searched(&self) -> bool {
        self.has_searched
    }

    /// A value has been computed, in a run with marks.
    pub(crate) fn defined(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        at: At,
        value: Value,
        poison: LaneMask,
    ) {
        let Some(exact) = &mut self.exact else { return };
        let Some(inst) = facts.module.made_by(value) else { return };
        let fresh = self.fresh.remove(&(at.group, at.wave)).filter(|it| it.0 == inst);
        let arises = fresh.map_or(LaneMask::EMPTY, |it| it.1);
        if let Some(fresh) = fresh {
            // It may have further results.
            self.fresh.insert((at.group, at.wave), fresh);
        }
        exact.defined((facts, width), (at, inst), value, (poison, arises));
    }

    /// Values move along a path, in a run with marks.
    pub(crate) fn moved(&mut self, at: At, width: u32, moves: &[(Value, Value)]) {
        if let Some(exact) = &mut self.exact {
            exact.moved(at, width, moves);
        }
    }

    pub(crate) fn group_end(&mut self, group: [u32; 3]) {
        if let Some(exact) = &mut self.exact {
            exact.group_end(group);
        }
        self.origins.retain(|((it, _), _), _| *it != group);
        self.waves.retain(|(it, _), _| *it != group);
        self.fresh.retain(|(it, _), _| *it != group);
        self.stored.retain(|((it, _), _), _| *it != group);
    }

    /// Records the hazards of a wave operation.
    pub(crate) fn wave_op(&mut self, facts: &Facts<'_>, flow: &Flow, event: &WaveEvent<'_>) {
        let found = hazards(event.op, &event.wave, event.args);
        if !found.any().is_empty() {
            self.arise(event.at, wave_origin(facts, flow, event, &found));
            return;
        }
        let helpers = event.wave.active & event.wave.helpers;
        if !helpers.is_empty() && !event.op.is_defined_on_helpers() {
            let message = "a wave operation leaves helper lanes an undefined result";
            self.arise(event.at, helper_origin(event.at, helpers, message));
        }
    }

    /// Records that an atomic operation does nothing for helper lanes.
    pub(crate) fn atomic_of_helpers(&mut self, at: At, helpers: LaneMask) {
        let key = ((at.group, at.wave), at.inst);
        if !self.origins.contains_key(&key) {
            let message = "an atomic operation leaves helper lanes an undefined result";
            self.arise(at, helper_origin(at, helpers, message));
        }
    }

    /// Records undefined arithmetic.
    pub(crate) fn arithmetic(&mut self, at: At, hazard: Hazard, lanes: LaneMask) {
        let (kind, message, text, help) = match hazard {
            Hazard::DivisionByZero => (
                Kind::DivisionByZero,
                "an integer is divided by zero",
                "divides by zero here",
                "test the divisor first; `a / max(b, 1)` is one way",
            ),
            Hazard::ConversionOutOfRange => (
                Kind::ConversionOutOfRange,
                "a float is converted to an integer that cannot represent it",
                "has a value out of range here",
                "clamp the value to the range of the integer first",
            ),
            Hazard::ShiftOutOfRange => return,
        };
        let origin = Origin {
            kind,
            message: message.to_owned(),
            site: Site {
                span: at.span,
                inst: Some(at.inst),
                text: format!("{}: {text}", Named(lanes)),
            },
            related: Vec::new(),
            notes: Vec::new(),
            helps: vec![help.to_owned()],
            lanes,
        };
        self.arise(at, origin);
    }

    /// Records derivatives that lack a neighbour.
    pub(crate) fn partial_quad(&mut self, facts: &Facts<'_>, flow: &Flow, at: At, lanes: LaneMask) {
        let origin = quad_origin(facts, flow, at, lanes, "a derivative");
        self.arise(at, origin);
    }

    /// Records loads of poison, and stores of it. `left` is where threads of the group have returned.
    pub(crate) fn access(
        &mut self,
        facts: &Facts<'_>,
        event: &AccessEvent<'_>,
        stores: bool,
        left: &[At],
    ) {
        if let Some(exact) = &mut self.exact {
            exact.access(facts, event, stores);
        }
        let array = match event.space {
            Space::Private(it) => Array::Private(it),
            Space::Shared(it) => Array::Shared(it),
            Space::Buffer(..) | Space::Counter(_) => return,
        };
        let wave = if let Array::Shared(_) = array { 0 } else { event.at.wave };
        let place = ((event.at.group, wave), array);
        if let Op::SharedAtomic { .. } = facts.module.inst(event.at.inst).op {
            self.atomics.insert(event.at.inst);
        }
        if stores {
            if !event.value_poison.is_empty() {
                let stores = self.stored.entry(place).or_default();
                if !stores.contains(&event.at.inst) {
                    stores.push(event.at.inst);
                }
            }
            return;
        }
        if event.value_poison.is_empty() {
            return;
        }
        let outside = event.value_poison & !event.in_bounds;
        let memory = match array {
            Array::Private(it) => &facts.module.privates[it.index()],
            Array::Shared(it) => &facts.module.groupshared[it.index()],
        };
        let name = &memory.name;
        let origin = if !outside.is_empty() {
            let lane = outside.first().unwrap_or(0);
            let address = event.addresses[lane as usize];
            let place = place::place(facts, &event.space, address, u64::from(event.size));
            Origin {
                kind: Kind::OutOfBounds,
                message: format!("`{name}` is read beyond its end"),
                site: Site {
                    span: event.at.span,
                    inst: Some(event.at.inst),
                    text: format!(
                        "{} read{} beyond the end",
                        Named(outside),
                        third_person(outside)
                    ),
                },
                related: vec![Site {
                    span: memory.span,
                    inst: None,
                    text: format!("`{name}` has {} elements", memory.len),
                }],
                notes: vec![format!("lane {lane} reads {place}")],
                helps: vec![bounds::help(Kind::OutOfBounds)],
                lanes: outside,
            }
        } else if self.exact.is_none() && self.stored.contains_key(&place) {
            // The stored value may be the cause: the search continues there.
            return;
        } else {
            let lanes = event.value_poison;
            let read = Site {
                span: event.at.span,
                inst: Some(event.at.inst),
                text: format!("{} read{} it here", Named(lanes), third_person(lanes)),
            };
            // An atomic operation before the read computes with what is not set, and comes first.
            let (message, site, read) = match self.changed_before(facts, array, event.at.inst) {
                Some(inst) => {
                    let text = format!("this computes with what `{name}` holds before");
                    let span = facts.module.inst(inst).span;
                    let message = format!("`{name}` is changed before it is written");
                    (message, Site { span, inst: Some(inst), text }, Some(read))
                }
                None => (format!("`{name}` is read before it is written"), read, None),
            };
            Origin {
                kind: Kind::UninitializedValue,
                message,
                site,
                related: declared(memory)
                    .into_iter()
                    .chain(read)
                    .chain(too_early(facts, array, left))
                    .collect(),
                notes: unset_element(facts, array, memory, event, lanes),
                helps: vec![set_first(array)],
                lanes,
            }
        };
        if outside.is_empty() {
            // What is there may be poison that was stored.
            self.insert(event.at, origin);
        } else {
            self.arise(event.at, origin);
        }
    }

    /// The first atomic operation on an array that computes with what is there, among those before a read in the text
    /// that have been executed.
    fn changed_before(&self, facts: &Facts<'_>, array: Array, read: Inst) -> Option<Inst> {
        let Array::Shared(of) = array else { return None };
        let computes = |it: &Inst| match &facts.module.inst(*it).op {
            Op::SharedAtomic { memory, op, .. } => *memory == of && *op != Atomic::Exchange,
            _ => false,
        };
        let is_before = |it: &Inst| facts.position(*it) < facts.position(read);
        let executed = self.atomics.iter().copied();
        executed.filter(|it| is_before(it) && computes(it)).min_by_key(|it| facts.position(*it))
    }

    /// Poison arises at an instruction that is being executed.
    fn arise(&mut self, at: At, origin: Origin) {
        self.fresh.insert((at.group, at.wave), (at.inst, origin.lanes));
        self.insert(at, origin);
    }

    fn insert(&mut self, at: At, origin: Origin) {
        self.waves.insert((at.group, at.inst), at.wave);
        self.origins.insert(((at.group, at.wave), at.inst), origin);
    }

    /// An input was evaluated at samples or vertices that do not exist.
    pub(crate) fn missing(&mut self, facts: &Facts<'_>, event: &EvalEvent<'_>) {
        if let Some(origin) = missing_origin(facts, event) {
            self.arise(event.at, origin);
        }
    }

    /// Poison of a ray query arises, or comes out of one; its cause has been reported.
    pub(crate) fn reported(&mut self, at: At, kind: Kind, lanes: LaneMask) {
        self.told.insert((at.inst, kind));
        let site = Site { span: at.span, inst: Some(at.inst), text: String::new() };
        let message = String::new();
        let (related, notes, helps) = (Vec::new(), Vec::new(), Vec::new());
        self.arise(at, Origin { kind, message, site, related, notes, helps, lanes });
    }

    /// Which of these values are undefined in one of the lanes, in a run with marks; elsewhere nothing says so.
    pub(crate) fn known<'v>(
        &'v self,
        wave: WaveKey,
        values: &'v [Value],
        lanes: LaneMask,
    ) -> impl Iterator<Item = usize> + 'v {
        let exact = self.exact.as_ref();
        let is_undefined =
            move |it: &usize| exact.is_some_and(|exact| exact.has_any(wave, values[*it], lanes));
        (0..values.len()).filter(is_undefined)
    }

    /// A finding, if this is the first time that the origin of this poison matters.
    pub(crate) fn sink(
        &mut self,
        facts: &Facts<'_>,
        wave: WaveKey,
        width: u32,
        values: &[Value],
        lanes: LaneMask,
        used: Site,
    ) -> Option<Finding> {
        self.has_searched = true;
        let exact = self.exact_origin(facts, wave, values, lanes);
        let found = exact.or_else(|| self.origin(facts, wave, values, lanes));
        let (inst, origin) = found.unwrap_or_else(|| {
            let site = Site { span: used.span, inst: used.inst, text: used.text.clone() };
            let origin = Origin {
                kind: Kind::UninitializedValue,
                message: "a value that was never set is used".to_owned(),
                site,
                related: Vec::new(),
                notes: Vec::new(),
                helps: vec!["set it on every path that leads here".to_owned()],
                lanes,
            };
            (None, origin)
        });
        if inst.is_some_and(|inst| !self.told.insert((inst, origin.kind))) {
            return None;
        }
        let mut related = origin.related;
        if used.span != origin.site.span && !related.iter().any(|it| it.span == used.span) {
            related.push(used);
        }
        Some(Finding {
            kind: origin.kind,
            message: origin.message,
            site: origin.site,
            related,
            notes: origin.notes,
            helps: origin.helps,
            stacks: Vec::new(),
            group: wave.0,
            wave: wave.1,
            lanes: origin.lanes,
            width,
        })
    }

    /// The origin of one of these values in one of these lanes, if values are followed.
    fn exact_origin(
        &self,
        facts: &Facts<'_>,
        wave: WaveKey,
        values: &[Value],
        lanes: LaneMask,
    ) -> Option<(Option<Inst>, Origin)> {
        let From { inst, through } = self.exact.as_ref()?.find(wave, values, lanes)?;
        let data = facts.module.inst(inst);
        let mut origin = match data.op {
            Op::Undef(_) => undefined(facts, data.span, *data.results.first()?, lanes),
            // It may be another wave's, by way of groupshared memory.
            ref op => {
                let of = |number: u32| self.origins.get(&((wave.0, number), inst));
                let latest = || of(*self.waves.get(&(wave.0, inst))?);
                match (of(wave.1).or_else(latest), op) {
                    (Some(known), _) => known.clone(),
                    (None, Op::SharedAtomic { memory, .. }) => unset(facts, *memory, inst, lanes),
                    (None, _) => return None,
                }
            }
        };
        if let Some(store) = through {
            let span = facts.module.inst(store).span;
            if span != origin.site.span {
                let text = "this stores it without its having a value".to_owned();
                origin.related.push(Site { span, inst: Some(store), text });
            }
        }
        Some((Some(inst), origin))
    }

    /// Whether these values can be undefined for one reason only: among all that they are computed from there is one
    /// origin, and nothing that another lane or memory supplied.
    pub(crate) fn has_one_origin(
        &self,
        facts: &Facts<'_>,
        wave: WaveKey,
        values: &[Value],
    ) -> bool {
        let module = facts.module;
        let mut seen: HashSet<Value> = values.iter().copied().collect();
        let mut next = values.to_vec();
        let mut origins = 0;
        while let Some(value) = next.pop() {
            let made_by = module.made_by(value).map(|inst| (inst, &module.inst(inst).op));
            match made_by {
                Some((_, Op::Undef(_))) => origins += 1,
                Some((inst, _)) if self.origins.contains_key(&(wave, inst)) => origins += 1,
                Some((_, op)) if !(op.is_pure() || op.is_construct()) => return false,
                _ => next.extend(facts.sources(value).into_iter().filter(|it| seen.insert(*it))),
            }
        }
        origins == 1
    }

    /// The nearest origin, searching backwards from these values.
    fn origin(
        &self,
        facts: &Facts<'_>,
        wave: WaveKey,
        values: &[Value],
        lanes: LaneMask,
    ) -> Option<(Option<Inst>, Origin)> {
        let module = facts.module;
        let mut seen: HashSet<Value> = values.iter().copied().collect();
        let mut next: VecDeque<Value> = values.iter().copied().collect();
        // Groupshared memory holds what other waves have stored.
        let mut is_shared = false;
        while let Some(value) = next.pop_front() {
            let mut sources = facts.sources(value);
            if let Some(inst) = module.made_by(value) {
                let other = || self.waves.get(&(wave.0, inst)).filter(|_| is_shared);
                let of_other = || self.origins.get(&((wave.0, *other()?), inst));
                if let Some(origin) = self.origins.get(&(wave, inst)).or_else(of_other) {
                    return Some((Some(inst), origin.clone()));
                }
                let data = module.inst(inst);
                let array = match data.op {
                    Op::Undef(_) => {
                        return Some((Some(inst), undefined(facts, data.span, value, lanes)));
                    }
                    Op::PrivateLoad { memory, .. } => Some((wave, Array::Private(memory))),
                    Op::SharedLoad { memory, .. } | Op::SharedAtomic { memory, .. } => {
                        Some(((wave.0, 0), Array::Shared(memory)))
                    }
                    _ => None,
                };
                is_shared |= matches!(array, Some((_, Array::Shared(_))));
                for store in array.and_then(|it| self.stored.get(&it)).into_iter().flatten() {
                    sources.extend(module.inst(*store).op.operands());
                }
            }
            next.extend(sources.into_iter().filter(|it| seen.insert(*it)));
        }
        None
    }
}

fn declared(memory: &ir::Memory) -> Vec<Site> {
    vec![Site { span: memory.span, inst: None, text: "declared here".to_owned() }]
}

/// Which element of a groupshared array has no value: others may have one.
fn unset_element(
    facts: &Facts<'_>,
    array: Array,
    memory: &ir::Memory,
    event: &AccessEvent<'_>,
    lanes: LaneMask,
) -> Vec<String> {
    let (Array::Shared(_), Some(lane)) = (array, lanes.first()) else { return Vec::new() };
    if memory.len <= 1 {
        return Vec::new();
    }
    let address = event.addresses[lane as usize];
    let place = place::place(facts, &event.space, address, u64::from(event.size));
    vec![format!("lane {lane} reads {place}")]
}

/// How an array gets a value before it is read.
fn set_first(array: Array) -> String {
    match array {
        Array::Private(_) => "give it a value on every path that leads here",
        Array::Shared(_) => {
            "let the threads of the group store all of it first, and put `GroupMemoryBarrierWithGroupSync()` behind that"
        }
    }
    .to_owned()
}

/// Where threads of the group have returned before they came to a store into the array.
fn too_early(facts: &Facts<'_>, array: Array, left: &[At]) -> Option<Site> {
    let Array::Shared(memory) = array else { return None };
    let mut insts = (0..facts.module.insts.len() as u32).map(Inst);
    let store = insts.find(|it| match &facts.module.inst(*it).op {
        Op::SharedStore { memory: it, .. } => *it == memory,
        _ => false,
    })?;
    let at = left.iter().find(|it| facts.position(it.inst) < facts.position(store))?;
    let lanes = left.iter().filter(|it| (it.wave, it.inst) == (at.wave, at.inst));
    let lanes = lanes.fold(LaneMask::EMPTY, |all, it| all | it.active);
    let text = format!("{} of wave {} returned here, before the store", Named(lanes), at.wave);
    Some(Site { span: at.span, inst: Some(at.inst), text })
}

/// A groupshared value that an atomic operation changes before anything has been stored there.
fn unset(facts: &Facts<'_>, memory: ir::Shared, inst: Inst, lanes: LaneMask) -> Origin {
    let declaration = &facts.module.groupshared[memory.index()];
    Origin {
        kind: Kind::UninitializedValue,
        message: format!("`{}` is changed before it is given a value", declaration.name),
        site: Site {
            span: facts.module.inst(inst).span,
            inst: Some(inst),
            text: "what was there before is undefined".to_owned(),
        },
        related: declared(declaration),
        notes: Vec::new(),
        helps: vec![set_first(Array::Shared(memory))],
        lanes,
    }
}

fn undefined(facts: &Facts<'_>, span: Span, value: Value, lanes: LaneMask) -> Origin {
    let variable = facts.module.variables.iter().find(|it| it.values.contains(&value));
    let message = match variable {
        Some(it) => format!("`{}` is used before it is given a value", it.name),
        None => "a variable is used before it is given a value".to_owned(),
    };
    Origin {
        kind: Kind::UninitializedValue,
        message,
        site: Site {
            span,
            inst: facts.module.made_by(value),
            text: "declared here, without a value".to_owned(),
        },
        related: Vec::new(),
        notes: Vec::new(),
        helps: vec!["give it a value on every path that leads to its use".to_owned()],
        lanes,
    }
}

/// An input at a sample or a vertex that does not exist.
fn missing_origin(facts: &Facts<'_>, event: &EvalEvent<'_>) -> Option<Origin> {
    let EvalEvent { at, slot, missing: lanes, index } = *event;
    let (element, _) = element_of(&facts.module.io.as_ref()?.inputs, slot)?;
    let lane = lanes.first()?;
    let index = index.get(lane as usize)?;
    let (what, how, help) = match facts.module.inst(at.inst).op {
        Op::InputAt { .. } => (
            "vertex",
            "read at a vertex that the primitive does not have",
            "vertices count from 0, and a triangle has 3, a line 2, a point 1",
        ),
        _ => (
            "sample",
            "evaluated at a sample that the target does not have",
            "samples count from 0; pass their number to the shader, and compare the index with it",
        ),
    };
    let name = format!("{}{}", element.semantic, element.index);
    Some(Origin {
        kind: Kind::OutOfBounds,
        message: format!("the input `{name}` is {how}"),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!(
                "{} ask{} for one that does not exist",
                Named(lanes),
                third_person(lanes)
            ),
        },
        related: vec![Site {
            span: element.span,
            inst: None,
            text: "the input is declared here".to_owned(),
        }],
        notes: vec![format!("lane {lane} asks for {what} {index}")],
        helps: vec![help.to_owned()],
        lanes,
    })
}

/// A result that helper lanes have and must not use.
fn helper_origin(at: At, helpers: LaneMask, message: &str) -> Origin {
    let come = match helpers.count() {
        1 => "is a helper lane, and comes",
        _ => "are helper lanes, and come",
    };
    Origin {
        kind: Kind::HelperResult,
        message: message.to_owned(),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!("{} {come} here without taking part", Named(helpers)),
        },
        related: Vec::new(),
        notes: vec!["derivatives and quad operations read helper lanes too".to_owned()],
        helps: vec![
            "take the derivative before the wave operation, or of something else".to_owned(),
            INCLUDE.to_owned(),
        ],
        lanes: helpers,
    }
}

/// Remedies of an index of a lane beyond the width.
const COUNT: &str = "compute the index from `WaveGetLaneCount()`";
const NEIGHBOUR: &str = "that neighbour is in another wave, or in none: pass the value through groupshared memory, or leave the last lanes of a wave out";

/// Whether the lane that an operation reads is computed from that of the reader.
fn from_lane_index(facts: &Facts<'_>, inst: Inst) -> bool {
    let Op::Wave { args, .. } = &facts.module.inst(inst).op else { return false };
    let mut open: Vec<Value> = args.get(1).copied().into_iter().collect();
    let mut seen: HashSet<Value> = open.iter().copied().collect();
    while let Some(value) = open.pop() {
        let op = facts.module.made_by(value).map(|it| &facts.module.inst(it).op);
        if matches!(op, Some(Op::Wave { op: WaveOp::LaneIndex, .. })) {
            return true;
        }
        open.extend(facts.sources(value).into_iter().filter(|it| seen.insert(*it)));
    }
    false
}

/// A remedy wherever helper lanes are left out.
const INCLUDE: &str =
    "`[WaveOpsIncludeHelperLanes]` (shader model 6.7) lets helper lanes take part";

/// The error of a wave operation, in words.
fn wave_origin(facts: &Facts<'_>, flow: &Flow, event: &WaveEvent<'_>, found: &Hazards) -> Origin {
    let (at, width) = (event.at, event.wave.width);
    let read = |lanes: LaneMask| -> LaneMask {
        if event.op == WaveOp::ReadLaneAt {
            let source = |lane| event.args[1].get(lane) as u32;
            lanes.iter().map(source).filter(|it| *it < width).collect()
        } else {
            LaneMask::first_n(width) & !event.wave.active
        }
    };
    if !found.index_out_of_range.is_empty() {
        let lanes = found.index_out_of_range;
        let lane = lanes.first().unwrap_or(0);
        let index = event.args.get(1).map_or(0, |it| it.get(lane)) as u32;
        let of_a_quad = event.op == WaveOp::QuadReadLaneAt;
        let (message, help, mut notes) = if of_a_quad {
            let message = format!("lane {index} of a quad is read, but a quad has 4");
            (message, "the lanes of a quad are 0 to 3: `lane & 3`", Vec::new())
        } else {
            let note = format!("waves have {width} lanes in this run");
            let message =
                format!("lane {} is read, but there are only {width}", place::index(index.into()));
            let is_neighbour = from_lane_index(facts, at.inst);
            (message, if is_neighbour { NEIGHBOUR } else { COUNT }, vec![note])
        };
        // Such an index is wrong whichever lanes are active; one report for each operation is enough.
        if !found.inactive_source.is_empty() {
            let readers = found.inactive_source;
            let verb = if readers.count() == 1 { "reads a lane" } else { "read lanes" };
            notes.push(format!("{} {verb} that {} not active", Named(readers), be(readers)));
        }
        return Origin {
            kind: Kind::LaneIndexOutOfRange,
            message,
            site: Site {
                span: at.span,
                inst: Some(at.inst),
                text: format!("{} read{} it here", Named(lanes), third_person(lanes)),
            },
            related: Vec::new(),
            notes,
            helps: vec![help.to_owned()],
            lanes,
        };
    }
    let helpers = read(found.inactive_source) & event.wave.active & event.wave.helpers;
    if !found.inactive_source.is_empty() && !helpers.is_empty() {
        let readers = found.inactive_source;
        let are = match helpers.count() {
            1 => "is a helper lane, and is",
            _ => "are helper lanes, and are",
        };
        return Origin {
            kind: Kind::HelperResult,
            message: format!("{} {are} read", Named(helpers)),
            site: Site {
                span: at.span,
                inst: Some(at.inst),
                text: format!(
                    "{} read{} {} here",
                    Named(readers),
                    third_person(readers),
                    it(helpers)
                ),
            },
            related: Vec::new(),
            notes: vec!["only quad operations and derivatives may read helper lanes".to_owned()],
            helps: vec![
                "read only lanes of `WaveActiveBallot(true)`".to_owned(),
                INCLUDE.to_owned(),
            ],
            lanes: readers,
        };
    }
    if !found.inactive_source.is_empty() {
        let (readers, sources) = (found.inactive_source, read(found.inactive_source));
        let (related, mut notes) = flow.why_absent(facts, at.inst, sources);
        notes.push(format!("active here: {}", Named(event.wave.active)));
        return Origin {
            kind: Kind::InactiveLaneRead,
            message: format!("{} {} read while inactive", Named(sources), be(sources)),
            site: Site {
                span: at.span, inst: Some(at.inst),
                text: format!(
                    "{} read{} {} here",
                    Named(readers),
                    third_person(readers),
                    it(sources)
                ),
            },
            related,
            notes,
            helps: vec![
                if (sources & flow.started()).is_empty() {
                    "make the group a multiple of the waves, or read only lanes of `WaveActiveBallot(true)`"
                } else {
                    "read before the lanes diverge, or read only lanes of `WaveActiveBallot(true)`"
                }
                .to_owned(),
            ],
            lanes: readers,
        };
    }
    if !found.incomplete_quad.is_empty() {
        return quad_origin(facts, flow, at, found.incomplete_quad, "a quad operation");
    }
    let lanes = found.bad_partition;
    Origin {
        kind: Kind::BadPartition,
        message: "the masks are not a partition of the active lanes".to_owned(),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!(
                "{} name{} a set that does not contain {}, or whose lanes name another",
                Named(lanes),
                third_person(lanes),
                if lanes.count() == 1 { "it" } else { "them" }
            ),
        },
        related: Vec::new(),
        notes: Vec::new(),
        helps: vec!["take the masks from `WaveMatch` in the same flow".to_owned()],
        lanes,
    }
}

/// Lanes that need their whole quad to be active, when it is not.
fn quad_origin(facts: &Facts<'_>, flow: &Flow, at: At, lanes: LaneMask, what: &str) -> Origin {
    let absent = lanes.iter().flat_map(|lane| lane & !3..(lane & !3) + 4);
    let absent = absent.collect::<LaneMask>() & !at.active;
    let (related, notes) = flow.why_absent(facts, at.inst, absent);
    Origin {
        kind: Kind::IncompleteQuad,
        message: format!("{what} where the quad is not complete"),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!(
                "{} arrive{} here without {}",
                Named(lanes),
                third_person(lanes),
                Named(absent)
            ),
        },
        related,
        notes,
        helps: vec!["move it before the lanes of the quad diverge".to_owned()],
        lanes,
    }
}

fn be(lanes: LaneMask) -> &'static str {
    if lanes.count() == 1 { "is" } else { "are" }
}

fn it(lanes: LaneMask) -> &'static str {
    if lanes.count() == 1 { "it" } else { "them" }
}
