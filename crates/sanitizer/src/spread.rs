//! How far undefined behaviour reaches: dynamic taint tracking, lane by lane and byte by byte.
//!
//! A result that something undefined can have changed proves nothing when it differs between widths or orders, but
//! the rest of the results does. This observer of a [`Marked`] module tags each value that a race, poison or a bad
//! mask can have changed, and follows the tags through values, wave operations, memory and decisions. What carries
//! a tag at the end is left out of comparisons; everything else is compared.
//!
//! It errs towards too many tags. A decision on a tagged value tags what the construct yields, the operations that
//! see which lanes are active, and every place where the other way might have stored: the place itself if its
//! address is known before the decision, or else the whole resource.

mod queries;
mod state;

use std::collections::BTreeMap;
use std::sync::Arc;

use diag::Span;
use interp::Observer;
use interp::observe::{
    AccessEvent, At, DivergeEvent, FeedbackEvent, RayEvent, SampleEvent, Space, WaveEvent,
};
use ir::{Address, Binding, Inst, Op, RayOp, Value};
use ops::scalar::Hazard;
use ops::wave::{Sees, hazards};
use ops::{LaneMask, Ternary, WaveOp};

use crate::facts::Facts;
use crate::finding::Kind;
use crate::flying::Flying;
use crate::hash::HashMap;
use crate::marked::{Mark, Marked};
use crate::masks::{self, Masks};
use crate::race::Racing;

use state::{Decision, Group, Wave};

/// The number of a cause, or 0: nothing undefined reaches the value.
pub(crate) type Tag = u32;

/// What makes a value undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    pub kind: Kind,
    pub span: Span,
}

/// The tags of a buffer.
#[derive(Clone, Debug, Default, PartialEq)]
struct Bytes {
    /// By byte; shorter than the buffer if none is tagged behind.
    tags: Vec<Tag>,
    /// Any byte may have been written.
    whole: Tag,
    counter: Tag,
}

/// What undefined behaviour reaches of the buffers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reach {
    buffers: BTreeMap<(Binding, u32), Bytes>,
    causes: Vec<Cause>,
}

impl Reach {
    pub fn is_empty(&self) -> bool {
        self.buffers
            .values()
            .all(|it| it.whole == 0 && it.counter == 0 && it.tags.iter().all(|tag| *tag == 0))
    }

    /// A cause of something that is tagged.
    pub(crate) fn first_cause(&self) -> Option<Cause> {
        if self.is_empty() { None } else { self.causes.first().copied() }
    }

    /// Tags a whole buffer.
    pub fn add_whole(&mut self, binding: Binding, element: u32, cause: Cause) {
        let tag = self.tag(cause);
        let bytes = self.buffers.entry((binding, element)).or_default();
        (bytes.whole, bytes.counter) = (tag, tag);
    }

    /// Tags everything that another run tags.
    pub fn add(&mut self, other: &Reach) {
        for (key, theirs) in &other.buffers {
            let tag = |of: &mut Reach, tag: Tag| match tag {
                0 => 0,
                it => of.tag(other.causes[it as usize - 1]),
            };
            let (whole, counter) = (tag(self, theirs.whole), tag(self, theirs.counter));
            let tags: Vec<Tag> = theirs.tags.iter().map(|it| tag(self, *it)).collect();
            let mine = self.buffers.entry(*key).or_default();
            mine.whole = either(mine.whole, whole);
            mine.counter = either(mine.counter, counter);
            if mine.tags.len() < tags.len() {
                mine.tags.resize(tags.len(), 0);
            }
            mine.tags.iter_mut().zip(tags).for_each(|(mine, it)| *mine = either(*mine, it));
        }
    }

    /// Makes two contents of a buffer equal wherever one of them is undefined.
    pub fn blank(&self, key: (Binding, u32), a: &mut ir::exec::Buffer, b: &mut ir::exec::Buffer) {
        let Some(bytes) = self.buffers.get(&key) else { return };
        if bytes.whole != 0 {
            b.bytes.clone_from(&a.bytes);
        }
        if bytes.counter != 0 {
            b.what = a.what.clone();
        }
        let pairs = a.bytes.iter().zip(b.bytes.iter_mut()).zip(&bytes.tags);
        pairs.filter(|it| *it.1 != 0).for_each(|((a, b), _)| *b = *a);
    }

    /// Whether anything of a buffer is tagged.
    pub fn touches(&self, key: (Binding, u32)) -> bool {
        self.buffers.contains_key(&key)
    }

    /// The tags of a buffer, byte by byte.
    pub(crate) fn tagged(&self, key: (Binding, u32)) -> Tagged<'_> {
        let bytes = self.buffers.get(&key);
        let is_whole = bytes.is_some_and(|it| it.whole != 0);
        Tagged { is_whole, tags: bytes.map_or(&[], |it| &it.tags) }
    }

    pub(crate) fn counter_is_tagged(&self, key: (Binding, u32)) -> bool {
        self.buffers.get(&key).is_some_and(|it| it.counter != 0)
    }

    /// Tags some bytes of a buffer.
    pub(crate) fn add_bytes(&mut self, key: (Binding, u32), bytes: &[usize], cause: Cause) {
        let tag = self.tag(cause);
        for byte in bytes {
            let [mine] = self.range(key, *byte as u64, 1) else { continue };
            *mine = either(*mine, tag);
        }
    }

    /// Tags the counter of a buffer.
    pub(crate) fn add_counter(&mut self, key: (Binding, u32), cause: Cause) {
        let tag = self.tag(cause);
        self.buffers.entry(key).or_default().counter = tag;
    }

    /// For a buffer of that many bytes, how many are undefined, and why the first is.
    pub fn count(&self, binding: Binding, element: u32, size: usize) -> Option<(usize, Cause)> {
        let bytes = self.buffers.get(&(binding, element))?;
        let tagged = bytes.tags.iter().take(size).filter(|it| **it != 0);
        let count = if bytes.whole != 0 { size } else { tagged.clone().count() };
        let first = tagged.copied().next().unwrap_or(0);
        let tag = either(either(bytes.whole, first), bytes.counter);
        (tag != 0).then(|| (count, self.causes[tag as usize - 1]))
    }

    /// The buffers with tags, renamed: those for which there is no name are dropped.
    pub fn renamed(&self, name: impl Fn(Binding, u32) -> Option<(Binding, u32)>) -> Reach {
        let known = self.buffers.iter();
        let renamed = known.filter_map(|(key, it)| Some((name(key.0, key.1)?, it.clone())));
        Reach { buffers: renamed.collect(), causes: self.causes.clone() }
    }

    fn tag(&mut self, cause: Cause) -> Tag {
        let at = self.causes.iter().position(|it| *it == cause).unwrap_or_else(|| {
            self.causes.push(cause);
            self.causes.len() - 1
        });
        at as Tag + 1
    }

    /// A mutable range of tags.
    fn range(&mut self, key: (Binding, u32), start: u64, size: u64) -> &mut [Tag] {
        let tags = &mut self.buffers.entry(key).or_default().tags;
        let end = start.saturating_add(size) as usize;
        if tags.len() < end {
            tags.resize(end, 0);
        }
        &mut tags[start as usize..end]
    }

    fn read(&self, key: (Binding, u32), start: u64, size: u64) -> Tag {
        let Some(bytes) = self.buffers.get(&key) else { return 0 };
        let range = start as usize..(start.saturating_add(size)) as usize;
        let end = range.end.min(bytes.tags.len());
        let tags = bytes.tags.get(range.start..end).unwrap_or_default();
        either(bytes.whole, tags.iter().copied().find(|it| *it != 0).unwrap_or(0))
    }
}

/// The tags of a buffer, read byte by byte.
#[derive(Clone, Copy)]
pub(crate) struct Tagged<'a> {
    is_whole: bool,
    tags: &'a [Tag],
}

impl Tagged<'_> {
    pub(crate) fn has(self, byte: usize) -> bool {
        self.is_whole || self.tags.get(byte).is_some_and(|it| *it != 0)
    }
}

fn either(a: Tag, b: Tag) -> Tag {
    if a == 0 { b } else { a }
}

/// What is known to be undefined before the tags are followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    pub(crate) racing: Racing,
    /// Groups whose waves did not all reach their barriers.
    pub(crate) broken: HashMap<[u32; 3], Span>,
}

/// Follows the tags through one run.
pub(crate) struct Spread<'a> {
    facts: &'a Facts<'a>,
    marked: &'a Marked,
    masks: Arc<Masks>,
    width: u32,
    sources: &'a Sources,
    reach: Reach,
    groups: Flying<Group>,
    /// For each selection, how far its decisions have effects.
    extents: HashMap<Inst, Option<Inst>>,
    /// By value: whether its bits are ever used.
    is_looked_at: Vec<bool>,
}

/// By value: whether its bits decide where a tag goes, as those of an address, or may move into such a value.
fn looked_at(facts: &Facts<'_>, marked: &Marked) -> Vec<bool> {
    let module = facts.module;
    let mut looked_at = vec![false; module.values.len()];
    let mut open: Vec<Value> = Vec::new();
    for inst in &module.insts {
        match &inst.op {
            Op::Wave { op: WaveOp::ReadLaneAt, args, .. } => open.extend(args.get(1)),
            Op::Ternary(Ternary::Select, [which, ..]) => open.push(*which),
            op if op.effects().writes().is_some() => open.extend(op.address_and_values().0),
            _ => {}
        }
    }
    let moves = marked.all_moves();
    while let Some(value) = open.pop() {
        if !std::mem::replace(&mut looked_at[value.index()], true) {
            open.extend(moves.iter().filter(|(into, _)| *into == value).map(|(_, from)| *from));
        }
    }
    looked_at
}

impl<'a> Spread<'a> {
    pub(crate) fn new(
        facts: &'a Facts<'a>,
        masks: Arc<Masks>,
        marked: &'a Marked,
        width: u32,
        sources: &'a Sources,
        before: Reach,
    ) -> Spread<'a> {
        Spread {
            facts,
            marked,
            masks,
            width,
            sources,
            reach: before,
            groups: Flying::default(),
            extents: HashMap::default(),
            is_looked_at: looked_at(facts, marked),
        }
    }

    pub(crate) fn into_reach(self) -> Reach {
        self.reach
    }

    fn wave(&mut self, at: At) -> &mut Wave {
        self.groups.of(at.group).wave(at.wave)
    }

    /// The construct until whose end a decision has effects: the outermost that lanes leave inside the selection.
    fn extent(&mut self, selection: Inst) -> Option<Inst> {
        if let Some(known) = self.extents.get(&selection) {
            return *known;
        }
        let (facts, module) = (self.facts, self.facts.module);
        let inside = |it: &Inst| *it != selection && facts.encloses(selection, *it);
        let mut until = Some(selection);
        for inst in (0..module.insts.len() as u32).map(Inst).filter(inside) {
            match (&module.inst(inst).op, until) {
                (Op::Return, _) => until = None,
                (Op::Exit { to, .. }, Some(now)) if facts.encloses(*to, now) => until = Some(*to),
                _ => {}
            }
        }
        self.extents.insert(selection, until);
        until
    }

    /// Lanes have decided on tagged values.
    fn decided(&mut self, at: At, lanes: LaneMask, tag: Tag) {
        let until = self.extent(at.inst);
        self.wave(at).is_tagged = true;
        let decisions = &mut self.wave(at).decisions;
        match decisions.iter_mut().find(|it| (it.until, it.tag) == (until, tag)) {
            Some(known) => known.lanes |= lanes,
            None => decisions.push(Decision { until, lanes, tag }),
        }
        let (facts, module) = (self.facts, self.facts.module);
        let is_inside = |it: Inst| until.is_none_or(|until| facts.encloses(until, it));
        for inst in (0..module.insts.len() as u32).map(Inst) {
            let op = &module.inst(inst).op;
            if op.effects().writes().is_some() && is_inside(inst) {
                self.might_store(at, inst, until, lanes, tag);
            }
        }
    }

    /// Lanes might have executed a store, or might not have.
    fn might_store(&mut self, at: At, inst: Inst, until: Option<Inst>, lanes: LaneMask, tag: Tag) {
        let (facts, module) = (self.facts, self.facts.module);
        let group = self.groups.of(at.group);
        let wave = group.wave(at.wave);
        let known = |value: Value, lane: u32| -> Option<u64> {
            if let Some(bits) = module.constant(value) {
                return Some(bits);
            }
            let def = module.made_by(value)?;
            let is_before = until.is_some_and(|until| !facts.encloses(until, def));
            if !is_before || wave.tag(value, lane) != 0 {
                return None;
            }
            wave.bits(value, lane)
        };
        match &module.inst(inst).op {
            Op::PrivateStore { memory, index, .. } => {
                let places: Vec<_> = lanes.iter().map(|lane| (lane, known(*index, lane))).collect();
                for (lane, index) in places {
                    match index {
                        Some(index) => wave.private.insert((memory.0, index, lane), tag),
                        None => wave.private_whole.insert((memory.0, lane), tag),
                    };
                }
            }
            Op::SharedStore { memory, index, .. } | Op::SharedAtomic { memory, index, .. } => {
                let places: Vec<_> = lanes.iter().map(|lane| known(*index, lane)).collect();
                for index in places {
                    match index {
                        Some(index) => group.shared.insert((memory.0, index), tag),
                        None => group.shared_whole.insert(memory.0, tag),
                    };
                }
            }
            Op::Counter { place, .. } => {
                let key = (module.storage(place.binding), 0);
                self.reach.buffers.entry(key).or_default().counter = tag;
            }
            op @ (Op::Store { .. } | Op::Atomic { .. }) => {
                let (place, address, count) = match op {
                    Op::Store { place, at, values } => {
                        let size = values.first().map_or(4, |it| u64::from(module.ty(*it).bytes()));
                        (place, at, size * values.len() as u64)
                    }
                    Op::Atomic { place, at, args, .. } => {
                        (place, at, args.first().map_or(4, |it| u64::from(module.ty(*it).bytes())))
                    }
                    _ => return,
                };
                let stride = u64::from(module.resource(place.binding).kind.view().stride);
                let mut places: Vec<(Option<u64>, Option<u64>)> = Vec::new();
                for lane in lanes.iter() {
                    let element = match place.element {
                        Some(element) => known(element, lane),
                        None => Some(0),
                    };
                    let start = match address {
                        Address::Byte(at) => known(*at, lane),
                        Address::Structured { index, offset } => known(*index, lane)
                            .zip(known(*offset, lane))
                            .map(|(index, offset)| index * stride + offset),
                        // Only `legalize` makes checked accesses, and it does not run before the sanitizer.
                        Address::Texel(_) | Address::Within { .. } => None,
                    };
                    places.push((element, start));
                }
                let binding = module.storage(place.binding);
                for (element, start) in places {
                    match (element, start) {
                        (Some(element), Some(start)) if start < MOST_BYTES => {
                            self.reach.range((binding, element as u32), start, count).fill(tag);
                        }
                        (Some(_), Some(_)) => {}
                        _ => self.tag_resource(binding, element.map(|it| it as u32), tag),
                    }
                }
            }
            Op::Texture(texture) => {
                let written = texture.map.unwrap_or(texture.texture);
                self.tag_resource(module.storage(written.binding), None, tag);
            }
            // A new query is one that nothing else holds.
            Op::Ray(ray) if ray.op != RayOp::Allocate => {
                lanes.iter().for_each(|lane| wave.queries.spoil(lane, tag));
            }
            _ => {}
        }
    }

    /// Any byte of a resource may have changed.
    fn tag_resource(&mut self, binding: Binding, element: Option<u32>, tag: Tag) {
        let many = match (element, self.facts.module.resource(binding).count) {
            (Some(element), _) => element..element.saturating_add(1),
            (None, count) => 0..count.unwrap_or(MOST_ELEMENTS).min(MOST_ELEMENTS),
        };
        for element in many {
            self.reach.buffers.entry((binding, element)).or_default().whole = tag;
        }
    }

    fn cause(&mut self, kind: Kind, inst: Inst) -> Tag {
        let span = self.facts.module.inst(inst).span;
        self.reach.tag(Cause { kind, span })
    }

    /// The tag that a racing access has at a place.
    fn racing(&mut self, inst: Inst, holds: impl Fn(&Racing) -> bool) -> Tag {
        match self.sources.racing.insts.get(&inst) {
            Some((kind, span)) if holds(&self.sources.racing) => {
                self.reach.tag(Cause { kind: *kind, span: *span })
            }
            _ => 0,
        }
    }

    fn defined(&mut self, at: At, value: Value, poison: LaneMask, bits: &dyn Fn(u32) -> u64) {
        let module = self.facts.module;
        let Some(inst) = module.made_by(value) else { return };
        let op = &module.inst(inst).op;
        let width = self.width;
        let is_looked_at = self.is_looked_at[value.index()];
        let wave = self.groups.of(at.group).wave(at.wave);
        let is_told = wave.pending.as_ref().is_some_and(|it| it.0 == inst);
        if !wave.is_tagged && !is_told && (poison & at.active).is_empty() {
            if is_looked_at {
                wave.set_bits(value, width, at.active, bits);
            }
            return;
        }
        let mut tags = vec![0; width as usize];
        if let Some((_, told)) = wave.pending.as_ref().filter(|it| it.0 == inst) {
            tags.copy_from_slice(told);
            if module.inst(inst).results.last() == Some(&value) {
                wave.pending = None;
            }
        }
        let all = |wave: &Wave, values: &[Value], lanes: LaneMask| {
            let mut all = lanes.iter().flat_map(|lane| values.iter().map(move |it| (it, lane)));
            all.find_map(|(it, lane)| Some(wave.tag(*it, lane)).filter(|it| *it != 0)).unwrap_or(0)
        };
        match op {
            Op::Wave { op, args, lanes } => {
                let company = match op.facts().sees {
                    Sees::Nothing => 0,
                    _ => wave.company(),
                };
                let shared = match op.facts().sees {
                    Sees::Nothing | Sees::ActiveSet | Sees::Named => 0,
                    _ => all(wave, args, at.active),
                };
                let named = lanes.map_or(0, |it| all(wave, &[it], at.active));
                for lane in at.active.iter() {
                    let tag = &mut tags[lane as usize];
                    *tag = either(either(*tag, company), either(shared, named));
                    if op.facts().sees == Sees::Named && *op == WaveOp::ReadLaneAt {
                        let source = wave.bits(args[1], lane).or(module.constant(args[1]));
                        let source = source.filter(|it| *it < u64::from(width)).unwrap_or(0);
                        let read = wave.tag(args[0], source as u32);
                        *tag = either(*tag, either(wave.tag(args[1], lane), read));
                    } else if matches!(op.facts().sees, Sees::Nothing | Sees::Named) {
                        *tag = either(*tag, all(wave, args, at.active));
                    }
                }
            }
            Op::Derivative(_, of) => {
                let tag = either(all(wave, &[*of], at.active), wave.company());
                tags.iter_mut().for_each(|it| *it = either(*it, tag));
            }
            Op::Ternary(Ternary::Select, [which, yes, no]) => {
                for lane in at.active.iter() {
                    let chosen = match wave.bits(*which, lane).or(module.constant(*which)) {
                        Some(0) => wave.tag(*no, lane),
                        Some(_) => wave.tag(*yes, lane),
                        None => either(wave.tag(*yes, lane), wave.tag(*no, lane)),
                    };
                    tags[lane as usize] = either(wave.tag(*which, lane), chosen);
                }
            }
            op => {
                let operands = op.operands();
                for lane in at.active.iter() {
                    let mut from = operands.iter().map(|it| wave.tag(*it, lane));
                    let tag = from.find(|it| *it != 0).unwrap_or(0);
                    tags[lane as usize] = either(tags[lane as usize], tag);
                }
            }
        }
        let born: LaneMask =
            (poison & at.active).iter().filter(|lane| tags[*lane as usize] == 0).collect();
        if !born.is_empty() {
            let kind = self.kind_of_poison(inst);
            let tag = self.cause(kind, inst);
            born.iter().for_each(|lane| tags[lane as usize] = tag);
        }
        let wave = self.wave(at);
        wave.set(value, width, at.active, |lane| tags[lane as usize]);
        if is_looked_at {
            wave.set_bits(value, width, at.active, bits);
        }
    }

    /// The code under which poison of the engine that begins at an instruction is reported.
    fn kind_of_poison(&self, inst: Inst) -> Kind {
        match &self.facts.module.inst(inst).op {
            Op::Wave { .. } => Kind::InactiveLaneRead,
            Op::Derivative(..) | Op::Texture(_) => Kind::IncompleteQuad,
            Op::Binary(..) => Kind::DivisionByZero,
            Op::Unary(..) => Kind::ConversionOutOfRange,
            _ => Kind::UninitializedValue,
        }
    }

    /// Whether nothing tagged can be read here, nor stored, nor overwritten.
    fn is_clean(&mut self, event: &AccessEvent<'_>) -> bool {
        let at = event.at;
        let sources = self.sources;
        let races = sources.racing.insts.contains_key(&at.inst);
        let is_inside = (at.active & !event.in_bounds).is_empty();
        if self.wave(at).is_tagged
            || races
            || !is_inside
            || !event.address_poison.is_empty()
            || sources.broken.contains_key(&at.group)
        {
            return false;
        }
        match event.space {
            Space::Private(_) => true,
            Space::Shared(_) => {
                let group = self.groups.of(at.group);
                group.shared.is_empty() && group.shared_whole.is_empty()
            }
            Space::Buffer(binding, _) | Space::Counter(binding) => {
                let all = (binding, 0)..=(binding, u32::MAX);
                self.reach.buffers.range(all).next().is_none()
            }
        }
    }

    /// A load, a store or an atomic operation of the program.
    fn access(&mut self, event: &AccessEvent<'_>, reads: bool, writes: bool) {
        let at = event.at;
        let module = self.facts.module;
        if self.is_clean(event) {
            self.wave(at).pending = None;
            return;
        }
        let (address, values) = module.inst(at.inst).op.address_and_values();
        let broken = self.sources.broken.get(&at.group).copied();
        let broken =
            broken.map_or(0, |span| self.reach.tag(Cause { kind: Kind::DivergentBarrier, span }));
        let mut told = vec![0; self.width as usize];
        for lane in at.active.iter() {
            let start = event.addresses[lane as usize];
            let wave = self.groups.of(at.group).wave(at.wave);
            let tag_of = |values: &[Value]| {
                values.iter().map(|it| wave.tag(*it, lane)).find(|it| *it != 0).unwrap_or(0)
            };
            let (by_address, by_value) = (tag_of(&address), tag_of(&values));
            let control = either(wave.control(lane), broken);
            let is_inside = event.in_bounds.contains(lane);
            let stored = either(by_value, control);
            match event.space {
                Space::Private(memory) => {
                    let key = (memory.0, start, lane);
                    if reads {
                        let whole = wave.private_whole.get(&(memory.0, lane)).copied();
                        let own = wave.private.get(&key).copied().or(whole).unwrap_or(0);
                        told[lane as usize] = either(by_address, own);
                    }
                    if writes && (by_address != 0 || !is_inside) {
                        let tag = match by_address {
                            0 => self.reach.tag(Cause { kind: Kind::OutOfBounds, span: at.span }),
                            tag => tag,
                        };
                        let wave = self.wave(at);
                        wave.is_tagged = true;
                        wave.private_whole.insert((memory.0, lane), tag);
                        wave.private.retain(|key, _| (key.0, key.2) != (memory.0, lane));
                    } else if writes {
                        let whole = wave.private_whole.contains_key(&(memory.0, lane));
                        if stored != 0 || whole {
                            wave.is_tagged = true;
                            wave.private.insert(key, stored);
                        } else {
                            wave.private.remove(&key);
                        }
                    }
                }
                Space::Shared(memory) => {
                    let key = (memory.0, start);
                    let races =
                        self.racing(at.inst, |it| it.shared.contains(&(at.group, memory.0, start)));
                    let group = self.groups.of(at.group);
                    let whole = group.shared_whole.get(&memory.0).copied();
                    let own = group.shared.get(&key).copied().or(whole).unwrap_or(0);
                    if reads {
                        told[lane as usize] = either(either(by_address, own), races);
                    }
                    if writes && (by_address != 0 || !is_inside) {
                        let tag = match by_address {
                            0 => self.reach.tag(Cause { kind: Kind::OutOfBounds, span: at.span }),
                            tag => tag,
                        };
                        let arrays = 0..module.groupshared.len() as u32;
                        group.shared_whole.extend(arrays.map(|it| (it, tag)));
                        group.shared.clear();
                    } else if writes {
                        // An atomic operation keeps what was there.
                        let kept = if reads { own } else { 0 };
                        let tag = either(either(stored, races), kept);
                        if tag != 0 || whole.is_some() {
                            group.shared.insert(key, tag);
                        } else {
                            group.shared.remove(&key);
                        }
                    }
                }
                Space::Counter(binding) => {
                    let element = 0;
                    let bytes = self.reach.buffers.entry((binding, element)).or_default();
                    told[lane as usize] = either(by_address, bytes.counter);
                    bytes.counter = either(bytes.counter, either(by_address, control));
                }
                Space::Buffer(binding, elements) => {
                    let element = elements.map_or(0, |it| it[lane as usize]);
                    let (key, size) = ((binding, element), u64::from(event.size));
                    let races = self.racing(at.inst, |it| {
                        (start..start.saturating_add(size))
                            .any(|byte| it.buffers.contains(&(binding, element, byte)))
                    });
                    let own = if is_inside { self.reach.read(key, start, size) } else { 0 };
                    if reads {
                        told[lane as usize] = either(either(by_address, own), races);
                    }
                    if writes && by_address != 0 {
                        self.tag_resource(binding, None, by_address);
                    } else if writes && is_inside {
                        let kept = if reads { own } else { 0 };
                        let tag = either(either(stored, races), kept);
                        if tag != 0 || self.reach.touches(key) {
                            self.reach.range(key, start, size).fill(tag);
                        }
                    }
                }
            }
        }
        if reads {
            self.wave(at).pending = Some((at.inst, told));
        }
    }

    /// Values move along a path.
    fn moved(&mut self, at: At, inst: Inst) {
        let (marked, width, module) = (self.marked, self.width, self.facts.module);
        let wave = self.groups.of(at.group).wave(at.wave);
        if !wave.is_tagged {
            // All at once: a parameter may move into another.
            let moves = marked.moves(inst).iter().filter(|it| self.is_looked_at[it.0.index()]);
            let bits = |from: Value, lane| wave.bits(from, lane).or(module.constant(from));
            let moves: Vec<(Value, Vec<u64>)> = moves
                .map(|(into, from)| {
                    (*into, (0..width).map(|lane| bits(*from, lane).unwrap_or(0)).collect())
                })
                .collect();
            for (into, bits) in moves {
                wave.set_bits(into, width, at.active, |lane| bits[lane as usize]);
            }
            return;
        }
        let control: Vec<Tag> = (0..width).map(|lane| wave.control(lane)).collect();
        // All at once: a parameter may move into another.
        let moves: Vec<_> = marked
            .moves(inst)
            .iter()
            .map(|(into, from)| {
                let tags: Vec<Tag> = (0..width)
                    .map(|lane| either(wave.tag(*from, lane), control[lane as usize]))
                    .collect();
                let bits: Vec<u64> = (0..width)
                    .map(|lane| wave.bits(*from, lane).or(module.constant(*from)).unwrap_or(0))
                    .collect();
                (*into, tags, bits)
            })
            .collect();
        for (into, tags, bits) in moves {
            wave.set(into, width, at.active, |lane| tags[lane as usize]);
            wave.set_bits(into, width, at.active, |lane| bits[lane as usize]);
        }
    }
}

/// Larger offsets are outside of every buffer.
const MOST_BYTES: u64 = 1 << 31;
/// The number of elements of an array of resources that are tagged where any may have changed.
const MOST_ELEMENTS: u32 = 1 << 12;

impl Observer for Spread<'_> {
    const INDIRECT: bool = true;

    fn group_end(&mut self, group: [u32; 3]) {
        self.groups.remove(group);
    }

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        let (at, width) = (event.at, self.width);
        let kind = if event.named.is_some_and(|it| it != at.active) {
            Some(Kind::BadWaveMask)
        } else if masks::float_equality(width, event).is_some() {
            Some(Kind::FloatEquality)
        } else if self.masks.cut(width, event).is_some() {
            Some(Kind::TruncatedMask)
        } else {
            None
        };
        // Poison has its own way, but its name is known only here.
        let found = hazards(event.op, &event.wave, event.args);
        let by_hazard = [
            (found.index_out_of_range, Kind::LaneIndexOutOfRange),
            (found.inactive_source, Kind::InactiveLaneRead),
            (found.incomplete_quad, Kind::IncompleteQuad),
            (found.bad_partition, Kind::BadPartition),
        ];
        let is_harmless =
            kind.is_none() && by_hazard.iter().all(|it| (it.0 & at.active).is_empty());
        if is_harmless && event.named.is_none() {
            self.wave(at).pending = None;
            return;
        }
        let mut told = match self.wave(at).pending.take() {
            // An operation of named lanes has several events.
            Some((inst, told)) if inst == at.inst && event.named.is_some() => told,
            _ => vec![0; width as usize],
        };
        if let Some(kind) = kind {
            let tag = self.cause(kind, at.inst);
            at.active.iter().for_each(|lane| told[lane as usize] = tag);
        }
        for (lanes, kind) in by_hazard {
            for lane in (lanes & at.active).iter() {
                let tag = self.cause(kind, at.inst);
                told[lane as usize] = either(told[lane as usize], tag);
            }
        }
        self.wave(at).pending = Some((at.inst, told));
    }

    fn arithmetic(&mut self, at: At, hazard: Hazard, lanes: LaneMask) {
        let kind = match hazard {
            Hazard::DivisionByZero => Kind::DivisionByZero,
            Hazard::ConversionOutOfRange => Kind::ConversionOutOfRange,
            Hazard::ShiftOutOfRange => {
                if masks::lane_bit(self.facts, self.width, at, lanes).is_none() {
                    return;
                }
                Kind::TruncatedMask
            }
        };
        let tag = self.cause(kind, at.inst);
        let mut told = vec![0; self.width as usize];
        lanes.iter().for_each(|lane| told[lane as usize] = tag);
        self.wave(at).pending = Some((at.inst, told));
    }

    fn load(&mut self, event: &AccessEvent<'_>) {
        self.access(event, true, false);
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        match self.marked.mark(event.at.inst) {
            Some(Mark::Defined(value)) => {
                let bits = |lane| event.values.first().map_or(0, |it| it.get(lane));
                self.defined(event.at, value, event.value_poison, &bits);
            }
            Some(Mark::Moves(inst)) => self.moved(event.at, inst),
            None => self.access(event, false, true),
        }
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.access(event, true, true);
    }

    fn sample(&mut self, event: &SampleEvent<'_>) {
        let binding = self.facts.module.storage(event.texture);
        let tag = self.reach.buffers.iter().filter(|it| it.0.0 == binding).find_map(|(_, it)| {
            let first = it.tags.iter().copied().find(|it| *it != 0);
            Some(either(it.whole, first.unwrap_or(0))).filter(|it| *it != 0)
        });
        let told = vec![tag.unwrap_or(0); self.width as usize];
        self.wave(event.at).pending = Some((event.at.inst, told));
    }

    fn feedback(&mut self, event: &FeedbackEvent<'_>) {
        let at = event.at;
        let operands = self.facts.module.inst(at.inst).op.operands();
        let broken = self.sources.broken.get(&at.group).copied();
        for lane in at.active.iter() {
            let wave = self.groups.of(at.group).wave(at.wave);
            let own = operands.iter().map(|it| wave.tag(*it, lane)).find(|it| *it != 0);
            let mut tag = either(own.unwrap_or(0), wave.control(lane));
            let write = event.writes.iter().find(|it| it.lane == lane);
            if write.is_some_and(|it| !it.is_paired) {
                tag = either(tag, self.cause(Kind::FeedbackPair, at.inst));
            }
            if let (0, Some(span)) = (tag, broken) {
                tag = self.reach.tag(Cause { kind: Kind::DivergentBarrier, span });
            }
            if tag != 0 {
                // Which map it is may be undefined, too.
                let element =
                    own.is_none().then(|| event.element.map_or(0, |it| it[lane as usize]));
                self.tag_resource(event.map, element, tag);
            }
        }
    }

    fn ray(&mut self, event: &RayEvent<'_>) {
        self.asked(event);
    }

    fn diverge(&mut self, event: &DivergeEvent<'_>) {
        let at = event.at;
        let Some(selector) = self.facts.module.inst(at.inst).op.selector() else { return };
        let wave = self.wave(at);
        let mut by_tag: Vec<(Tag, LaneMask)> = Vec::new();
        for lane in at.active.iter() {
            let tag = wave.tag(selector, lane);
            match by_tag.iter_mut().find(|it| it.0 == tag) {
                Some((_, lanes)) => *lanes |= LaneMask::only(lane),
                None => by_tag.push((tag, LaneMask::only(lane))),
            }
        }
        for (tag, lanes) in by_tag.into_iter().filter(|it| it.0 != 0) {
            self.decided(at, lanes, tag);
        }
    }

    fn reconverge(&mut self, at: At) {
        let facts = self.facts;
        let wave = self.wave(at);
        if !wave.decisions.is_empty() {
            // A construct that all lanes left early ends without an event.
            wave.decisions.retain(|it| it.until.is_none_or(|it| !facts.encloses(at.inst, it)));
        }
    }
}

/// The resources that a program might have written after something that leaves no run to compare.
pub(crate) fn everything(facts: &Facts<'_>, cause: Cause) -> Reach {
    let mut reach = Reach::default();
    let module = facts.module;
    for binding in (0..module.resources.len() as u32).map(Binding) {
        let resource = module.resource(binding);
        if module.may_be_written(binding) {
            let count = resource.count.unwrap_or(MOST_ELEMENTS).min(MOST_ELEMENTS);
            (0..count).for_each(|element| reach.add_whole(binding, element, cause));
        }
    }
    reach
}
