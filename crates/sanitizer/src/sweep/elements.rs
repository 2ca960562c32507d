//! Buffers whose elements may come in any order, compared as multisets.

use ir::exec::Buffer;
use ir::{AddressKind, Binding, Module};

use crate::floats::{self, FloatRoom};

/// Elements that have no equal bit by bit are compared each with each up to this number, float by float.
const MOST_APART: usize = 2048;

/// The bytes of an element; `None` of memory without elements.
pub(super) fn size(module: &Module, binding: Binding) -> Option<usize> {
    let view = module.resource(binding).kind.view();
    match view.address {
        AddressKind::Element => Some((view.stride as usize).max(1)),
        AddressKind::Byte | AddressKind::Texel => Some(4),
        AddressKind::Texture | AddressKind::None => None,
    }
}

/// Whether both hold the same elements, and the same counter, in any order.
pub(super) fn are_same(
    (module, binding): (&Module, Binding),
    a: &Buffer,
    b: &Buffer,
    room: FloatRoom,
) -> bool {
    a.what.counter() == b.what.counter() && odd((module, binding), a, b, room).is_none()
}

/// The first byte of an element of the second buffer that has no equal in the first one.
pub(super) fn odd(
    (module, binding): (&Module, Binding),
    a: &Buffer,
    b: &Buffer,
    room: FloatRoom,
) -> Option<u64> {
    let size = size(module, binding)?;
    let sorted = |it: &Buffer| {
        let mut all: Vec<(Vec<u8>, usize)> =
            it.bytes.chunks(size).map(<[u8]>::to_vec).zip(0..).collect();
        all.sort();
        all
    };
    let (ours, theirs) = (sorted(a), sorted(b));
    // What remains if each element is struck out together with an equal one.
    let (mut only_ours, mut only_theirs) = (Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while i < ours.len() || j < theirs.len() {
        match (ours.get(i), theirs.get(j)) {
            (Some(x), Some(y)) if x.0 == y.0 => (i, j) = (i + 1, j + 1),
            (Some(x), Some(y)) if x.0 < y.0 => {
                only_ours.push(x);
                i += 1;
            }
            (Some(x), None) => {
                only_ours.push(x);
                i += 1;
            }
            (_, Some(y)) => {
                only_theirs.push(y);
                j += 1;
            }
            (None, None) => unreachable!("one of them has more"),
        }
    }
    let with =
        |of: &Buffer, bytes: &[u8]| Buffer { bytes: bytes.to_vec().into(), what: of.what.clone() };
    let are_close = |x: &[u8], y: &[u8]| {
        floats::first_difference(module, binding, &with(a, x), &with(b, y), room).is_none()
    };
    if only_theirs.len() <= MOST_APART {
        only_theirs.retain(|theirs| {
            let close = only_ours.iter().position(|ours| are_close(&ours.0, &theirs.0));
            close.map(|it| only_ours.remove(it)).is_none()
        });
    }
    only_theirs.iter().map(|it| it.1).min().map(|it| (it * size) as u64)
}
