//! Robust buffer access: which bytes of a buffer an access may touch, for every engine that runs on the host.
//!
//! A load beyond the end gives 0, a store there does nothing, and an access to an element stays inside the element.
//! Spec: "Memory" in `docs/semantics.md`. For textures, see `texture/lane.rs`.

use ops::Ty;

use crate::exec::ElementFormat;
use crate::{Element, ResourceKind, texel};

/// The computed address of one lane's access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Byte `offset` of the element `index`; elements are `stride` bytes apart.
    Element {
        index: u32,
        offset: u32,
        stride: u32,
    },
    Byte(u32),
    /// The texel `index`; texels take `size` bytes.
    Texel {
        index: u32,
        size: u64,
    },
    /// The unit `index` of `bytes` bytes, and those that follow it.
    Unit {
        index: u32,
        bytes: u32,
    },
    /// No address.
    None,
}

/// The bytes that an access may touch: a start and a length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    pub start: u64,
    pub room: u64,
}

impl At {
    /// The bytes that may be touched in a buffer of the given size. Only whole elements count.
    #[inline(always)]
    pub fn reach(self, len: u64) -> Reach {
        match self {
            At::Element { index, offset, stride } => {
                let (index, offset, stride) =
                    (u64::from(index), u64::from(offset), u64::from(stride));
                let count = len.checked_div(stride).unwrap_or(0);
                let room = if index < count { stride.saturating_sub(offset) } else { 0 };
                Reach { start: index * stride + offset, room }
            }
            At::Byte(at) => {
                let at = u64::from(at);
                Reach { start: at, room: len.saturating_sub(at) }
            }
            At::Texel { index, size } => {
                let index = u64::from(index);
                Reach { start: index * size, room: if index < len / size { size } else { 0 } }
            }
            At::Unit { index, bytes } => {
                let start = u64::from(index) * u64::from(bytes);
                Reach { start, room: len.saturating_sub(start) }
            }
            At::None => Reach::default(),
        }
    }
}

impl Reach {
    /// The position of the scalar `number` of consecutive scalars of `size` bytes, if it is in bounds.
    #[inline(always)]
    pub fn scalar(self, number: usize, size: u32) -> Option<u64> {
        let offset = number as u64 * u64::from(size);
        (offset + u64::from(size) <= self.room).then_some(self.start + offset)
    }

    /// The value that a shader reads for component `number` of the texel here; `load` reads stored bits of a given
    /// size at a position.
    #[inline(always)]
    pub fn load_component(
        self,
        number: usize,
        format: ElementFormat,
        ty: Ty,
        load: impl FnOnce(u64, u32) -> u64,
    ) -> u64 {
        let size = texel::scalar_bytes(format.scalar);
        match self.scalar(number, size) {
            _ if self.room == 0 => 0,
            Some(at) if number < format.components as usize => {
                texel::load(format.scalar, ty, load(at, size))
            }
            _ => texel::missing(number as u32, ty),
        }
    }

    /// The position and size of component `number` of the texel here; `None` if it is not stored.
    #[inline(always)]
    pub fn store_component(self, number: usize, format: ElementFormat) -> Option<(u64, u32)> {
        let size = texel::scalar_bytes(format.scalar);
        let is_stored = number < format.components as usize;
        self.scalar(number, size).filter(|_| is_stored).map(|at| (at, size))
    }
}

/// The format of the texels of a buffer: the one bound, or the one the shader declares.
/// A texel has one to four components, regardless of what the host specifies.
pub fn format(bound: Option<ElementFormat>, element: &Element) -> ElementFormat {
    let format = bound.unwrap_or_else(|| texel::own_format(element));
    ElementFormat { components: format.components.clamp(1, 4), ..format }
}

/// The texel size in bytes of a format that [`format()`] returned.
pub fn texel_bytes(format: ElementFormat) -> u64 {
    u64::from(texel::scalar_bytes(format.scalar) * format.components)
}

/// The size of a buffer as a shader queries it: its elements or bytes, and the stride of elements.
pub fn size(kind: &ResourceKind, bound: Option<ElementFormat>, len: u64) -> [u64; 2] {
    let view = kind.view();
    match (view.element, view.stride) {
        (Some(element), _) => [len / texel_bytes(format(bound, &element)), 0],
        (None, 0) if view.has_elements() => [0, 0],
        (None, 0) => [len, 0],
        (None, stride) => [len / u64::from(stride), u64::from(stride)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_stays_inside_its_element_and_a_partial_element_does_not_count() {
        let reach = |index, offset| At::Element { index, offset, stride: 12 }.reach(30);
        assert_eq!(reach(1, 4), Reach { start: 16, room: 8 });
        assert_eq!((reach(1, 4).scalar(1, 4), reach(1, 4).scalar(2, 4)), (Some(20), None));
        // A partial element does not count, and an offset beyond an element is not in the next one.
        assert_eq!((reach(2, 0).room, reach(0, 12).room, reach(0, 40).room), (0, 0, 0));
        // Nothing wraps around.
        assert_eq!(reach(u32::MAX, u32::MAX).room, 0);
        assert_eq!(At::Element { index: 0, offset: 0, stride: 0 }.reach(30).room, 0);
    }

    #[test]
    fn byte_accesses_end_with_the_buffer_and_partial_texels_do_not_count() {
        assert_eq!(At::Byte(28).reach(30).scalar(0, 4), None);
        assert_eq!(At::Byte(26).reach(30).scalar(0, 4), Some(26));
        assert_eq!(At::Byte(u32::MAX).reach(30).room, 0);
        let texel = |index| At::Texel { index, size: 8 }.reach(30);
        assert_eq!((texel(2).room, texel(3).room), (8, 0));
        let unit = |index| At::Unit { index, bytes: 4 }.reach(30);
        assert_eq!((unit(6), unit(8).room), (Reach { start: 24, room: 6 }, 0));
        assert_eq!(unit(1 << 30).room, 0);
    }

    #[test]
    fn sizes_count_elements_or_bytes_by_the_kind_of_buffer() {
        let structured = |stride| ResourceKind::Structured {
            writable: false,
            stride,
            members: Vec::new(),
            counter: false,
        };
        assert_eq!(size(&structured(12), None, 30), [2, 12]);
        assert_eq!(size(&structured(0), None, 30), [0, 0]);
        assert_eq!(size(&ResourceKind::Raw { writable: false }, None, 30), [30, 0]);
    }
}
