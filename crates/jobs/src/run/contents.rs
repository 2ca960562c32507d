//! What a run has left, by name and element.

use wavelane::ResourceTable;
use wavelane::internal::Slots;

/// The name and the element of a resource, and a copy of what it holds: two names may mean one value, which has one
/// user at a time.
pub type Content = (String, usize, Vec<u8>);

/// What a table holds.
pub(super) fn of(table: &ResourceTable) -> impl Iterator<Item = Content> {
    table.iter().map(|(resource, element, slot)| {
        (resource.name.clone(), element as usize, slot.bytes.to_vec())
    })
}

/// What that element holds.
pub(super) fn find<'a>(all: &'a [Content], name: &str, element: usize) -> Option<&'a [u8]> {
    let found = all.iter().find(|it| it.0 == name && it.1 == element);
    found.map(|it| it.2.as_slice())
}
