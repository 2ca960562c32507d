//! The sizes of what is bound, which decide how a program may be rewritten for a dispatch.

use ir::{Binding, Module};

use crate::memory::{Contents, Slot};

/// The largest buffer of which groups may have a copy.
const SMALL: usize = 16 << 10;

/// The dispatches that a shader is rewritten for.
pub(super) const MOST_DISPATCHES: usize = 64;

/// The size of what is bound first to each resource; 0 if nothing is.
pub(super) fn sizes(module: &Module, contents: &Contents<'_>) -> Vec<usize> {
    let of = |it: Option<&Slot>| it.map_or(0, |it| it.bytes.len());
    firsts(module, contents).map(of).collect()
}

/// The sizes of the buffers that are small, and bound at one place only; 0 for all others.
pub(super) fn small_sizes(module: &Module, contents: &Contents<'_>) -> Vec<usize> {
    let of = |slot: Option<&Slot>| {
        let Some(slot) = slot else { return 0 };
        let places = (0..module.resources.len() as u32)
            .flat_map(|it| contents.elements(Binding(it)))
            .filter(|it| std::ptr::eq(**it, slot));
        if slot.bytes.len() > SMALL || places.count() != 1 { 0 } else { slot.bytes.len() }
    };
    firsts(module, contents).map(of).collect()
}

fn firsts<'a>(module: &Module, contents: &Contents<'a>) -> impl Iterator<Item = Option<&'a Slot>> {
    let first = |it: u32| contents.elements(module.storage(Binding(it))).first().copied();
    (0..module.resources.len() as u32).map(first).collect::<Vec<_>>().into_iter()
}
