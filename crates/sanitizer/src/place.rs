//! Places in memory for display: elements where the source has elements, bytes where it has bytes.

use interp::observe::Space;
use ir::{AddressKind, Binding};

use crate::facts::Facts;

/// The indices of the whole if one of several indices is beyond its dimension: out of bounds for every array, with room for
/// the components of an element.
const IN_NO_DIMENSION: std::ops::Range<u64> = 1 << 31..(1 << 31) + (1 << 24);

/// An index, which has been computed below zero if it is near the end of 32 bits.
pub(crate) fn index(number: u64) -> String {
    match u32::try_from(number).map(|it| it as i32) {
        Ok(it @ -0xffff..0) => format!("{it} ({number} without a sign)"),
        _ => number.to_string(),
    }
}

/// The target of an access: `element 3`, or `byte 12` of memory without elements.
pub(crate) fn place(facts: &Facts<'_>, space: &Space<'_>, address: u64, size: u64) -> String {
    match space {
        Space::Private(_) | Space::Shared(_) if IN_NO_DIMENSION.contains(&address) => {
            "beyond one of its dimensions".to_owned()
        }
        Space::Private(_) | Space::Shared(_) => format!("element {}", index(address)),
        Space::Buffer(binding, _) | Space::Counter(binding) => {
            in_resource(facts, *binding, address, size)
        }
    }
}

/// The position of the scalar that contains a byte of a resource.
pub(crate) fn of_byte(facts: &Facts<'_>, binding: Binding, byte: u64) -> String {
    let view = facts.module.resource(binding).kind.view();
    let is_of_words = view.has_elements() && view.stride.is_multiple_of(4);
    in_resource(facts, binding, if is_of_words { byte & !3 } else { byte }, 0)
}

/// The same for a byte of a resource; `size` is that of the access, or 0.
fn in_resource(facts: &Facts<'_>, binding: Binding, address: u64, size: u64) -> String {
    let resource = facts.module.resource(binding);
    let view = resource.kind.view();
    let stride = match view.address {
        // A heap is named by one of its views, and others may have elements of another size.
        _ if resource.register.class.is_heap() => 0,
        AddressKind::Texel => size,
        _ => u64::from(view.stride),
    };
    match (address.checked_div(stride), address.checked_rem(stride)) {
        (Some(element), Some(0)) => format!("element {}", index(element)),
        (Some(element), Some(byte)) => format!("byte {byte} of element {element}"),
        _ => format!("byte {address}"),
    }
}
