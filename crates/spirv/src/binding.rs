//! Assigns descriptor sets and bindings: consecutively, or as the source and dxc's flags say.
//!
//! | resource | set and binding |
//! |---|---|
//! | `[[vk::binding(N, SET)]]` | binding N of SET |
//! | a register that `-fvk-bind-register` names; loose constants with `-fvk-bind-globals` | those of the flag |
//! | every view of a heap with `-fvk-bind-resource-heap` and similar flags; their counters with the flag for those |
//! those of the flag |
//! | `register(tN, spaceM)` | set M; binding N plus the shift of its class in that space |
//! | no register, a counter, a view of a heap | the next free binding of the set |
//!
//! Without any of the first two kinds and without shifts, registers of different classes would collide; then everything
//! is numbered consecutively, sets over the spaces that are used, bindings in the order of declaration.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Chosen, Module, Register, RegisterClass, Resource};

use crate::environment::{Named, Numbering, Placed, Written};

/// The name of the implicit constant buffer of loose constants.
const GLOBALS: &str = "$Globals";

pub(crate) struct Numbers<'a> {
    written: Option<&'a Written>,
    /// The spaces that are used.
    spaces: BTreeSet<u32>,
    /// Bindings that are taken explicitly.
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
        // A device has few sets, but the numbers of spaces are arbitrary.
        let spaces = used().map(|it| it.register.space).collect();
        let mut numbers =
            Numbers { written, spaces, taken: BTreeMap::new(), next: BTreeMap::new() };
        let is_heap = |it: &&Resource| it.register.class.is_heap();
        let own = used().filter(|it| !is_heap(it)).filter_map(|it| numbers.placed(it, false));
        // The views of a heap share one binding.
        let views = used().filter(is_heap);
        let views = views.flat_map(|it| [numbers.placed(it, false), numbers.placed(it, true)]);
        let heaps: BTreeSet<(u32, u32)> = views.flatten().collect();
        let placed: Vec<(u32, u32)> = own.chain(heaps).collect();
        for place in placed {
            *numbers.taken.entry(place).or_default() += 1;
        }
        numbers
    }

    /// The explicit set and binding of a resource or its counter, if there is one.
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

    /// The set and binding of the next resource in the order of declaration, or of its counter.
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

    /// Whether two resources have the same binding.
    pub(crate) fn shares(&self) -> bool {
        self.taken.values().any(|count| *count > 1)
    }
}
