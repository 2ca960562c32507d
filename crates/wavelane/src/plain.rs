//! Host values with the memory layout of shaders: numbers, and arrays and tuples of them.
//!
//! Every value is little-endian. The members of a tuple are laid out like those of a structure in a structured buffer:
//! each at the next multiple of its alignment, which is that of its largest number.

use ops::F16;

use crate::{Layout, Scalar};

/// A value with the memory layout of shaders.
///
/// It is implemented for numbers, for arrays, for tuples of up to eight members, and for structures that
/// [`shader_struct!`](crate::shader_struct) declares:
///
/// ```
/// wavelane::shader_struct! {
///     struct Particle { position: [f32; 3], id: u32 }
/// }
/// let buffer = wavelane::Buffer::from_slice(&[Particle { position: [0.0, 1.0, 2.0], id: 7 }]);
/// assert_eq!(buffer.len(), 16);
/// ```
pub trait Plain: Sized {
    /// The size in bytes; 0 only for arrays without elements.
    const SIZE: usize;
    /// The alignment in bytes.
    const ALIGNMENT: usize;
    /// Adds the offset and the type of each of its numbers, for a value that begins at byte `at`.
    fn scalars(at: usize, all: &mut Vec<(usize, Scalar)>);
    /// Writes it to the first [`Plain::SIZE`] bytes. Padding is not changed.
    fn store(&self, bytes: &mut [u8]);
    /// Reads it from the first [`Plain::SIZE`] bytes.
    fn load(bytes: &[u8]) -> Self;
}

/// The layout of a value.
pub(crate) fn layout<T: Plain>() -> Layout {
    let mut scalars = Vec::new();
    T::scalars(0, &mut scalars);
    Layout { stride: T::SIZE.max(1), scalars }
}

/// Whether consecutive values of both layouts have numbers of the same types at the same offsets.
pub(crate) fn tiles(a: &Layout, b: &Layout) -> bool {
    let (small, large) = if a.stride <= b.stride { (a, b) } else { (b, a) };
    large.stride.is_multiple_of(small.stride) && holds(small, large)
}

/// Whether consecutive values of the layout `ours` have a number of the same type wherever `other` has one. In memory,
/// `bool` is a word.
pub(crate) fn holds(ours: &Layout, other: &Layout) -> bool {
    let is_same =
        |ours: Scalar, its: Scalar| ours == its || (ours, its) == (Scalar::U32, Scalar::Bool);
    let is_at = |offset: usize, its: Scalar| {
        let within = offset % ours.stride;
        let found = ours.scalars.partition_point(|(at, _)| *at < within);
        ours.scalars.get(found).is_some_and(|(at, ours)| *at == within && is_same(*ours, its))
    };
    other.scalars.iter().all(|(offset, scalar)| is_at(*offset, *scalar))
}

/// The bytes of several values.
pub(crate) fn to_bytes<T: Plain>(values: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * T::SIZE];
    if T::SIZE > 0 {
        values.iter().zip(bytes.chunks_exact_mut(T::SIZE)).for_each(|(it, to)| it.store(to));
    }
    bytes
}

/// The values in a slice of bytes; a remainder at the end is ignored.
pub(crate) fn from_bytes<T: Plain>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::SIZE.max(1)).map(T::load).collect()
}

macro_rules! numbers {
    ($($ty:ty, $scalar:ident;)*) => { $(
        impl Plain for $ty {
            const SIZE: usize = size_of::<$ty>();
            const ALIGNMENT: usize = size_of::<$ty>();

            fn scalars(at: usize, all: &mut Vec<(usize, Scalar)>) {
                all.push((at, Scalar::$scalar));
            }

            fn store(&self, bytes: &mut [u8]) {
                bytes[..Self::SIZE].copy_from_slice(&self.to_le_bytes());
            }

            fn load(bytes: &[u8]) -> $ty {
                let mut own = [0; size_of::<$ty>()];
                own.copy_from_slice(&bytes[..Self::SIZE]);
                <$ty>::from_le_bytes(own)
            }
        }
    )* };
}

numbers! {
    i8, I8; u8, U8;
    i16, I16; u16, U16;
    i32, I32; u32, U32; f32, F32;
    i64, I64; u64, U64; f64, F64;
}

impl Plain for F16 {
    const SIZE: usize = 2;
    const ALIGNMENT: usize = 2;

    fn scalars(at: usize, all: &mut Vec<(usize, Scalar)>) {
        all.push((at, Scalar::F16));
    }

    fn store(&self, bytes: &mut [u8]) {
        self.0.store(bytes);
    }

    fn load(bytes: &[u8]) -> F16 {
        F16(u16::load(bytes))
    }
}

impl<T: Plain, const N: usize> Plain for [T; N] {
    const SIZE: usize = T::SIZE * N;
    const ALIGNMENT: usize = T::ALIGNMENT;

    fn scalars(at: usize, all: &mut Vec<(usize, Scalar)>) {
        (0..N).for_each(|i| T::scalars(at + i * T::SIZE, all));
    }

    fn store(&self, bytes: &mut [u8]) {
        self.iter().enumerate().for_each(|(i, it)| it.store(&mut bytes[i * T::SIZE..]));
    }

    fn load(bytes: &[u8]) -> [T; N] {
        std::array::from_fn(|i| T::load(&bytes[i * T::SIZE..]))
    }
}

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// The offset of a member after others.
const fn member(end: usize, alignment: usize) -> usize {
    end.next_multiple_of(alignment)
}

macro_rules! tuples {
    ($($first:ident $($name:ident)*;)*) => { $(
        impl<$first: Plain $(, $name: Plain)*> Plain for ($first, $($name,)*) {
            const ALIGNMENT: usize = {
                let alignment = $first::ALIGNMENT;
                $(let alignment = larger(alignment, $name::ALIGNMENT);)*
                alignment
            };
            const SIZE: usize = {
                let end = $first::SIZE;
                $(let end = member(end, $name::ALIGNMENT) + $name::SIZE;)*
                member(end, Self::ALIGNMENT)
            };

                        fn scalars(at: usize, all: &mut Vec<(usize, Scalar)>) {
                let end = $first::SIZE;
                $first::scalars(at, all);
                $(
                    let start = member(end, $name::ALIGNMENT);
                    $name::scalars(at + start, all);
                    let end = start + $name::SIZE;
                )*
                let _ = end;
            }

            #[allow(non_snake_case, reason = "members are named by their types")]
            fn store(&self, bytes: &mut [u8]) {
                let ($first, $($name,)*) = self;
                let end = $first::SIZE;
                $first.store(bytes);
                $(
                    let start = member(end, $name::ALIGNMENT);
                    $name.store(&mut bytes[start..]);
                    let end = start + $name::SIZE;
                )*
                let _ = end;
            }

            #[allow(non_snake_case, reason = "members are named by their types")]
            fn load(bytes: &[u8]) -> Self {
                let end = $first::SIZE;
                let $first = $first::load(bytes);
                $(
                    let start = member(end, $name::ALIGNMENT);
                    let $name = $name::load(&bytes[start..]);
                    let end = start + $name::SIZE;
                )*
                let _ = end;
                ($first, $($name,)*)
            }
        }
    )* };
}

tuples! {
    A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_lie_as_those_of_structured_buffers_do() {
        type Record = (u16, [f32; 2], u8, f64);
        let layout = layout::<Record>();
        assert_eq!(layout.stride, 24);
        let offsets: Vec<usize> = layout.scalars.iter().map(|(offset, _)| *offset).collect();
        assert_eq!(offsets, [0, 4, 8, 12, 16]);
        let records: [Record; 2] = [(1, [2.0, 3.0], 4, 5.0), (6, [7.0, 8.0], 9, 10.0)];
        assert_eq!(from_bytes::<Record>(&to_bytes(&records)), records);
    }

    #[test]
    fn values_suit_an_element_that_has_their_types_at_their_places() {
        let element = Layout { stride: 8, scalars: vec![(0, Scalar::U32), (4, Scalar::F32)] };
        assert!(tiles(&layout::<(u32, f32)>(), &element));
        assert!(!tiles(&layout::<(f32, u32)>(), &element));
        assert!(!tiles(&layout::<u32>(), &element));
        assert!(!tiles(&element, &layout::<u32>()));
        let vector = Layout::uniform(Scalar::F32, 4);
        assert!(tiles(&layout::<f32>(), &vector));
        assert!(tiles(&layout::<[f32; 8]>(), &vector));
        assert!(!tiles(&layout::<[f32; 3]>(), &vector));
        assert!(tiles(&layout::<u32>(), &Layout::uniform(Scalar::Bool, 1)));
    }
}
