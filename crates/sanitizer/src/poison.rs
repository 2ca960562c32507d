//! Poisoned values: where they arose, and where they began to matter.
//!
//! The engine propagates poison and says which lanes of a value are poisoned, not why. This file records the places
//! where poison arises. Where poisoned lanes reach something that matters, a backward search through the
//! dependences of the value finds its origin.

mod hazards;
mod unset;

use std::collections::VecDeque;

use interp::observe::{AccessEvent, At, DivergeEvent, EvalEvent, Space, WaveEvent};
use ir::{Atomic, Inst, Op, Value};
use ops::LaneMask;
use ops::scalar::Hazard;
use ops::wave::hazards;

use crate::bounds;
use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, third_person};
use crate::flow::Flow;
use crate::hash::{HashMap, HashSet};
use crate::marked::Marked;
use crate::origin::{From, Origins};
use crate::place;
use crate::skipped::{Skip, SkippedStores};
use crate::slice::Memory;

use hazards::{
    INCLUDE, helper_origin, leaver, missing_origin, names_lanes, quad_origin, reader, wave_origin,
};
use unset::{
    declared, overlap, set_first, skipped_assignment, skipped_store, too_early, undefined, unset,
    unset_element,
};

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

impl Array {
    fn memory(self) -> Memory {
        match self {
            Array::Private(it) => Memory::Private(it),
            Array::Shared(it) => Memory::Shared(it),
        }
    }
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
    /// In a run with marks: exact origins, and the stores that lanes skip.
    exact: Option<(Origins, SkippedStores)>,
    /// Whether an origin was looked up.
    has_searched: bool,
}

impl Poison {
    /// Follows each poisoned value from now on; events of marks must be passed on.
    pub(crate) fn exact(facts: &Facts<'_>, marked: &Marked, width: u32) -> Poison {
        let exact = (Origins::new(facts), SkippedStores::new(facts, marked, width));
        Poison { exact: Some(exact), ..Poison::default() }
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
        event: &AccessEvent<'_>,
        value: Value,
    ) {
        let (at, poison) = (event.at, event.value_poison);
        let Some((exact, skipped)) = &mut self.exact else { return };
        skipped.defined(at, value, event.values.first());
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
    pub(crate) fn moved(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        at: At,
        moves: &[(Value, Value)],
    ) {
        if let Some((exact, skipped)) = &mut self.exact {
            exact.moved(at, width, moves);
            skipped.moved(facts, at, moves);
        }
    }

    /// Lanes diverge at a branch.
    pub(crate) fn diverge(&mut self, facts: &Facts<'_>, event: &DivergeEvent<'_>) {
        if let Some((_, skipped)) = &mut self.exact {
            skipped.diverge(facts, event);
        }
    }

    pub(crate) fn group_end(&mut self, group: [u32; 3]) {
        if let Some((exact, skipped)) = &mut self.exact {
            exact.group_end(group);
            skipped.group_end(group);
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
        if let Some((exact, _)) = &mut self.exact {
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
                    let text = format!("this computes with the previous contents of `{name}`");
                    let span = facts.module.inst(inst).span;
                    let message = format!("`{name}` is changed before it is written");
                    (message, Site { span, inst: Some(inst), text }, Some(read))
                }
                None => (format!("`{name}` is read before it is written"), read, None),
            };
            let skip = if read.is_none() { self.skip(facts, event, array) } else { None };
            let unset = Origin {
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
            };
            match skip {
                Some((skip, lane)) => skipped_store(facts, event, (skip, lane), array, unset),
                None => unset,
            }
        };
        if outside.is_empty() {
            // The contents may be poison that was stored.
            self.insert(event.at, origin);
        } else {
            self.arise(event.at, origin);
        }
    }

    /// The first place read before it is written that a lane would have set, had it not skipped the store; and
    /// its reader.
    fn skip(
        &mut self,
        facts: &Facts<'_>,
        event: &AccessEvent<'_>,
        array: Array,
    ) -> Option<(Skip, u32)> {
        let (exact, skipped) = self.exact.as_mut()?;
        let span = |it: Inst| facts.module.inst(it).span;
        // Where a variable is declared anew in each iteration, it is stored without a value.
        let is_declared = |from: From| {
            matches!(facts.module.inst(from.inst).op, Op::Undef(_))
                && from.through.is_some_and(|it| overlap(span(it), span(from.inst)))
        };
        let is_unset = |lane: &u32| exact.read(event.at, *lane).is_none_or(is_declared);
        let unset: Vec<u32> = event.value_poison.iter().filter(is_unset).collect();
        let mut first = None;
        for lane in unset {
            let place = (array.memory(), lane, event.addresses[lane as usize]);
            // A store that follows from what is read there is not what should have come before.
            let found = skipped.find(event.at, place);
            if let Some(skip) = found.filter(|it| facts.is_past(event.at.inst, it.branch)) {
                exact.forget_read(event.at, lane);
                first = first.or(Some((skip, lane)));
            }
        }
        first
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
            move |it: &usize| exact.is_some_and(|exact| exact.0.has_any(wave, values[*it], lanes));
        (0..values.len()).filter(is_undefined)
    }

    /// A finding about helper lanes that reach an operation on whole quads on a condition which is undefined for them:
    /// the operation is what needs them.
    pub(crate) fn needed(
        &mut self,
        facts: &Facts<'_>,
        wave: WaveKey,
        width: u32,
        (selector, lanes): (Value, LaneMask),
        needed: Site,
    ) -> Option<Finding> {
        let (span, op) = (needed.span, needed.inst.map(|it| &facts.module.inst(it).op));
        let mut found = self.sink(facts, wave, width, &[selector], lanes, needed)?;
        let origin = found.site.inst.map(|it| &facts.module.inst(it).op);
        if let (Kind::HelperResult, Some(op), Some(origin)) = (found.kind, op, origin)
            && let Some(at) = found.related.iter().position(|it| it.span == span)
        {
            std::mem::swap(&mut found.site, &mut found.related[at]);
            found.message = format!(
                "helper lanes may not reach {}: the result of {} decides, and theirs is undefined",
                reader(op),
                leaver(origin)
            );
            let help = "move it out of the branch, so that all lanes of the quad reach it";
            found.helps = vec![help.to_owned(), INCLUDE.to_owned()];
        }
        Some(found)
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
        // A branch that keeps lanes from setting several values is one mistake.
        let branch = origin.site.inst.filter(|it| facts.module.inst(*it).op.is_construct());
        if branch.or(inst).is_some_and(|inst| !self.told.insert((inst, origin.kind))) {
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
        let (exact, _) = self.exact.as_ref()?;
        let From { inst, through, brought, skipped } = exact.find(wave, values, lanes)?;
        let data = facts.module.inst(inst);
        let mut origin = match data.op {
            Op::Undef(_) => {
                let value = *data.results.first()?;
                let declared = undefined(facts, data.span, value, lanes);
                match skipped.and_then(|branch| exact.skipped(branch, value)) {
                    Some(it) => skipped_assignment(facts, it, declared),
                    None => declared,
                }
            }
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
        if let Some(by) =
            brought.filter(|_| origin.kind == Kind::HelperResult && !names_lanes(data))
        {
            let (op, span) = (&facts.module.inst(by).op, facts.module.inst(by).span);
            let text = format!("{} read{} them here", Named(lanes), third_person(lanes));
            origin.message = format!(
                "{} reads helper lanes, for which the result of {} is undefined",
                reader(op),
                leaver(&data.op)
            );
            let left = std::mem::replace(&mut origin.site, Site { span, inst: Some(by), text });
            origin.related.insert(0, left);
        }
        if let Some(store) = through {
            let span = facts.module.inst(store).span;
            if span != origin.site.span {
                let text = "this stores it although it has no value".to_owned();
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
