//! Descriptor sets and bindings: counted up, or as the source and command lines for dxc say.
//!
//! | resource | written |
//! |---|---|
//! | `[[vk::binding(N, SET)]]` | binding N of SET |
//! | a register that `-fvk-bind-register` names; loose constants with `-fvk-bind-globals` | as it says |
//! | every view of a heap with `-fvk-bind-resource-heap` and its like; their counters with the flag for those | as it says |
//! | `register(tN, spaceM)` | binding N and the shift of its class in that space, of set M |
//! | no register, a counter, a view of a heap | the next binding of the set that nothing else has |
//!
//! Where nothing of the first two kinds and no shift is there, registers of different classes would get one binding:
//! everything is counted then, sets over the spaces that are used, bindings in the order of declaration.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Chosen, Module, Register, RegisterClass, Resource};

use crate::environment::{Named, Numbering, Placed, Written};

/// The name of the constant buffer of constants outside any.
const GLOBALS: &str = "$Globals";

pub(crate) struct Numbers<'a> {
    written: Option<&'a Written>,
    /// The spaces that are used.
    spaces: BTreeSet<u32>,
    /// What resources have by name.
    taken: BTreeMap<(u32, u32), u32>,
    next: BTreeMap<u32, u32>,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(module: &Module, numbering: &'a Numbering) -> Numbers<'a> {
        let used = || module.resources.iter().filter(|it| it.used);
        let written = match numbering {
            Numbering::Counted => None,
            Numbering::Written(written) => {
                let says = !written.shifts.is_empty()
                    || !written.places.is_empty()
                    || used().any(|it| it.chosen == Chosen::Binding);
                says.then_some(written)
            }
        };
        // A device has few sets, and spaces have any number.
        let spaces = used().map(|it| it.register.space).collect();
        let mut numbers =
            Numbers { written, spaces, taken: BTreeMap::new(), next: BTreeMap::new() };
        let is_heap = |it: &&Resource| it.register.class.is_heap();
        let own = used().filter(|it| !is_heap(it)).filter_map(|it| numbers.placed(it, false));
        // The views of a heap are one thing.
        let views = used().filter(is_heap);
        let views = views.flat_map(|it| [numbers.placed(it, false), numbers.placed(it, true)]);
        let heaps: BTreeSet<(u32, u32)> = views.flatten().collect();
        let placed: Vec<(u32, u32)> = own.chain(heaps).collect();
        for place in placed {
            *numbers.taken.entry(place).or_default() += 1;
        }
        numbers
    }

    /// The set and the binding that something gives a resource, or its counter.
    fn placed(&self, resource: &Resource, is_counter: bool) -> Option<(u32, u32)> {
        let written = self.written?;
        let place = |what: Named| {
            let named = written.places.iter().rfind(|it| it.what == what);
            named.map(|Placed { binding, set, .. }| (*set, *binding))
        };
        match (resource.register.class, is_counter) {
            (RegisterClass::ResourceHeap, false) => return place(Named::ResourceHeap),
            (RegisterClass::ResourceHeap, true) => return place(Named::CounterHeap),
            (RegisterClass::SamplerHeap, _) => return place(Named::SamplerHeap),
            (_, true) => return None,
            (_, false) => {}
        }
        let Register { class, index, space } = resource.register;
        if resource.chosen == Chosen::Binding {
            return Some((space, index));
        }
        let is_loose = class == RegisterClass::Constant && resource.name == GLOBALS;
        if is_loose && let Some(place) = place(Named::Globals) {
            return Some(place);
        }
        let register = Named::Register(resource.register);
        if resource.chosen == Chosen::Register
            && let Some(place) = place(register)
        {
            return Some(place);
        }
        if resource.chosen != Chosen::Register {
            return None;
        }
        let shift = written
            .shifts
            .iter()
            .rfind(|it| it.class == class && it.space.is_none_or(|it| it == space));
        Some((space, index.saturating_add(shift.map_or(0, |it| it.by))))
    }

    /// The set and the binding of the next resource in the order of declaration, or of its counter.
    pub(crate) fn next(&mut self, resource: &Resource, is_counter: bool) -> (u32, u32) {
        if let Some(place) = self.placed(resource, is_counter) {
            return place;
        }
        // A counter follows its buffer.
        let set = match (self.placed(resource, false), self.written) {
            (Some((set, _)), _) => set,
            (None, Some(_)) => resource.register.space,
            (None, None) => self.spaces.range(..resource.register.space).count() as u32,
        };
        let next = self.next.entry(set).or_default();
        while self.taken.contains_key(&(set, *next)) {
            *next += 1;
        }
        *next += 1;
        (set, *next - 1)
    }

    /// Whether two resources have one binding.
    pub(crate) fn shares(&self) -> bool {
        self.taken.values().any(|count| *count > 1)
    }
}
