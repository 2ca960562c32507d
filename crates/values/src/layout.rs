//! The memory layout of a buffer's scalars, so that hosts can fill and print buffers of any shader.

use std::fmt;

use ir::exec::{ElementFormat, FormatScalar};
use ir::{HostScalar, Member, Norm, ResourceKind};
use ops::texture::{Encoding, Format};

/// A scalar in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// HLSL's `bool` in memory: 32 bits, true unless 0.
    Bool,
    /// A signed byte; only in typed and raw buffers.
    I8,
    /// A byte; only in typed and raw buffers.
    U8,
    /// `int16_t`
    I16,
    /// `uint16_t`
    U16,
    /// `float16_t`
    F16,
    /// `int`
    I32,
    /// `uint`
    U32,
    /// `float`
    F32,
    /// `int64_t`
    I64,
    /// `uint64_t`
    U64,
    /// `double`
    F64,
}

impl Scalar {
    /// All of them.
    pub const ALL: [Scalar; 12] = [
        Scalar::Bool,
        Scalar::I8,
        Scalar::U8,
        Scalar::I16,
        Scalar::U16,
        Scalar::F16,
        Scalar::I32,
        Scalar::U32,
        Scalar::F32,
        Scalar::I64,
        Scalar::U64,
        Scalar::F64,
    ];

    /// The size in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
            Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// The short name, such as `u32`.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::U8 => "u8",
            Scalar::I16 => "i16",
            Scalar::U16 => "u16",
            Scalar::F16 => "f16",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::F32 => "f32",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::F64 => "f64",
        }
    }

    /// The name in HLSL; bytes have none there, and are called by their short names.
    pub fn hlsl_name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 | Scalar::U8 => self.name(),
            Scalar::I16 => "int16_t",
            Scalar::U16 => "uint16_t",
            Scalar::F16 => "half",
            Scalar::I32 => "int",
            Scalar::U32 => "uint",
            Scalar::F32 => "float",
            Scalar::I64 => "int64_t",
            Scalar::U64 => "uint64_t",
            Scalar::F64 => "double",
        }
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }
}

impl From<HostScalar> for Scalar {
    fn from(scalar: HostScalar) -> Scalar {
        match scalar {
            HostScalar::Bool => Scalar::Bool,
            HostScalar::I16 => Scalar::I16,
            HostScalar::U16 => Scalar::U16,
            HostScalar::I32 => Scalar::I32,
            HostScalar::U32 => Scalar::U32,
            HostScalar::I64 => Scalar::I64,
            HostScalar::U64 => Scalar::U64,
            HostScalar::F16 => Scalar::F16,
            HostScalar::F32 => Scalar::F32,
            HostScalar::F64 => Scalar::F64,
        }
    }
}

impl From<FormatScalar> for Scalar {
    /// Normalised formats count as the integers in memory.
    fn from(scalar: FormatScalar) -> Scalar {
        match scalar {
            FormatScalar::Float16 => Scalar::F16,
            FormatScalar::Float32 => Scalar::F32,
            FormatScalar::Float64 => Scalar::F64,
            FormatScalar::Int8 | FormatScalar::Snorm8 => Scalar::I8,
            FormatScalar::Int16 | FormatScalar::Snorm16 => Scalar::I16,
            FormatScalar::Int32 => Scalar::I32,
            FormatScalar::Int64 => Scalar::I64,
            FormatScalar::Uint8 | FormatScalar::Unorm8 => Scalar::U8,
            FormatScalar::Uint16 | FormatScalar::Unorm16 => Scalar::U16,
            FormatScalar::Uint32 => Scalar::U32,
            FormatScalar::Uint64 => Scalar::U64,
        }
    }
}

/// The scalars of one element, in memory order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes from one element to the next; never 0.
    pub stride: usize,
    /// The offset and the type of each scalar.
    pub scalars: Vec<(usize, Scalar)>,
}

impl fmt::Display for Layout {
    /// The short names of the scalars; only the first if there are many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 8;
        let name = |it: &(usize, Scalar)| it.1.name();
        match (self.only(), self.scalars.as_slice()) {
            (Some(scalar), [_]) => f.write_str(scalar.name()),
            (Some(scalar), several) => write!(f, "[{}; {}]", scalar.name(), several.len()),
            (None, several) => {
                let names: Vec<&str> = several.iter().take(MOST).map(name).collect();
                let rest = if several.len() > MOST { ", …" } else { "" };
                write!(f, "({}{rest})", names.join(", "))
            }
        }
    }
}

/// Elements with more scalars are printed as words rather than by members.
const MOST_SCALARS: usize = 1 << 20;

impl Layout {
    /// The layout of an element of a resource; a typed buffer may have a different format.
    pub fn of(kind: &ResourceKind, format: Option<ElementFormat>) -> Layout {
        let view = kind.view();
        if let Some(element) = view.element {
            let (scalar, components) = match format {
                Some(format) => (Scalar::from(format.scalar), format.components),
                None => (own(element.scalar, element.norm), element.components),
            };
            return Layout::uniform(scalar, components as usize);
        }
        match kind {
            ResourceKind::Raw { .. } => Layout::words(4),
            _ if view.is_buffer() => Layout::of_members(view.members, view.size.max(view.stride)),
            _ => Layout::uniform(Scalar::U8, 1),
        }
    }

    /// The channels of a texel in memory; a packed format is one word.
    pub fn of_texel(format: Format) -> Layout {
        let Format::Plain { channels, bits, encoding } = format else {
            return match format {
                Format::Bgra8 { .. } => Layout::uniform(Scalar::U8, 4),
                _ => Layout::uniform(Scalar::U32, 1),
            };
        };
        let scalar = match (encoding, bits) {
            (Encoding::Float, 16) => Scalar::F16,
            (Encoding::Float, _) => Scalar::F32,
            (Encoding::Snorm | Encoding::Sint, 8) => Scalar::I8,
            (Encoding::Snorm | Encoding::Sint, 16) => Scalar::I16,
            (Encoding::Snorm | Encoding::Sint, 32) => Scalar::I32,
            (Encoding::Snorm | Encoding::Sint, _) => Scalar::I64,
            (Encoding::Unorm | Encoding::Uint | Encoding::Srgb, 8) => Scalar::U8,
            (Encoding::Unorm | Encoding::Uint | Encoding::Srgb, 16) => Scalar::U16,
            (Encoding::Unorm | Encoding::Uint | Encoding::Srgb, 32) => Scalar::U32,
            (Encoding::Unorm | Encoding::Uint | Encoding::Srgb, _) => Scalar::U64,
        };
        Layout::uniform(scalar, channels.count())
    }

    /// `count` scalars of one type, without gaps.
    pub fn uniform(scalar: Scalar, count: usize) -> Layout {
        let count = count.max(1);
        let scalars = (0..count).map(|i| (i * scalar.bytes(), scalar)).collect();
        Layout { stride: count * scalar.bytes(), scalars }
    }

    /// The type of all scalars, if it is the same and there are no gaps.
    pub fn only(&self) -> Option<Scalar> {
        let (_, first) = *self.scalars.first()?;
        let packed =
            self.scalars.iter().enumerate().all(|(i, it)| *it == (i * first.bytes(), first));
        (packed && self.stride == self.scalars.len() * first.bytes()).then_some(first)
    }

    fn words(bytes: usize) -> Layout {
        match bytes % 4 {
            0 => Layout::uniform(Scalar::U32, bytes / 4),
            2 => Layout::uniform(Scalar::U16, bytes / 2),
            _ => Layout::uniform(Scalar::U8, bytes),
        }
    }

    fn of_members(members: &[Member], size: u32) -> Layout {
        let size = size as usize;
        let mut scalars = Vec::new();
        for member in members {
            let (count, scalar) = (scalar_count(member), Scalar::from(member.scalar));
            if count > MOST_SCALARS - scalars.len() {
                return Layout::words(size);
            }
            scalars.extend(offsets(member).map(|offset| (offset, scalar)));
        }
        scalars.retain(|(offset, scalar)| offset + scalar.bytes() <= size);
        ops::sort_by_key(&mut scalars, |(offset, _)| *offset);
        if scalars.is_empty() { Layout::words(size) } else { Layout { stride: size, scalars } }
    }
}

/// The format of a typed buffer by its declaration alone.
fn own(scalar: HostScalar, norm: Norm) -> Scalar {
    match (scalar, norm) {
        (HostScalar::F16, Norm::Unorm) => Scalar::U16,
        (HostScalar::F16, Norm::Snorm) => Scalar::I16,
        // Spec: a typed buffer has no format of booleans; they are 32-bit integers there.
        (HostScalar::Bool, _) => Scalar::U32,
        (other, _) => Scalar::from(other),
    }
}

/// The number of scalars of a member; saturates.
fn scalar_count(member: &Member) -> usize {
    let parts = [member.components, member.vectors]
        .into_iter()
        .chain(member.dims.iter().map(|(count, _)| *count));
    parts.fold(1, |all: usize, count| all.saturating_mul(count as usize))
}

/// The offsets of a member's scalars from the start of the buffer, in the order in which HLSL initialises them: arrays
/// by ascending index, matrices row by row.
fn offsets(member: &Member) -> impl Iterator<Item = usize> {
    offsets_below(member, &[])
}

/// The same for one element of an array, named by its outermost indices, which must be in range.
fn offsets_below<'a>(member: &'a Member, indices: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
    let fixed = member
        .dims
        .iter()
        .zip(indices)
        .map(|((_, stride), index)| *stride as usize * *index as usize);
    let start = member.offset as usize + fixed.sum::<usize>();
    let free = &member.dims[indices.len().min(member.dims.len())..];
    let elements =
        free.iter().fold(1, |all: usize, (count, _)| all.saturating_mul(*count as usize));
    let (rows, columns) = match member.row_major {
        true => (member.vectors, member.components),
        false => (member.components, member.vectors),
    };
    let size = Scalar::from(member.scalar).bytes();
    (0..elements).flat_map(move |element| {
        let mut rest = element;
        let mut at = start;
        for (count, stride) in free.iter().rev() {
            let count = (*count as usize).max(1);
            at += rest % count * *stride as usize;
            rest /= count;
        }
        (0..rows as usize).flat_map(move |row| {
            (0..columns as usize).map(move |column| {
                // A vector is stored like a matrix of one vector.
                let (vector, component) =
                    if member.row_major { (row, column) } else { (column, row) };
                at + vector * member.vector_stride as usize + component * size
            })
        })
    })
}

impl Layout {
    /// The offsets of a member's scalars, in the order in which HLSL initialises them: arrays by ascending index,
    /// matrices row by row. `indices` choose an element of an array, outermost first.
    ///
    /// `None` if an index is too large or there are too many indices.
    pub fn offsets_of(member: &Member, indices: &[u32]) -> Option<Vec<usize>> {
        let fits = indices.len() <= member.dims.len()
            && indices.iter().zip(&member.dims).all(|(index, (count, _))| index < count)
            && scalar_count(member) <= MOST_SCALARS;
        fits.then(|| offsets_below(member, indices).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, offset: u32, scalar: HostScalar, components: u32) -> Member {
        Member {
            name: name.to_owned(),
            offset,
            scalar,
            components,
            vectors: 1,
            vector_stride: 0,
            row_major: false,
            dims: Vec::new(),
        }
    }

    #[test]
    fn structures_keep_their_gaps_and_types() {
        let members = vec![member("id", 8, HostScalar::U32, 1), member("p", 0, HostScalar::F16, 3)];
        let kind = ResourceKind::Structured { writable: true, stride: 12, members, counter: false };
        let layout = Layout::of(&kind, None);
        assert_eq!(layout.stride, 12);
        assert_eq!(
            layout.scalars,
            [(0, Scalar::F16), (2, Scalar::F16), (4, Scalar::F16), (8, Scalar::U32)]
        );
        assert_eq!(layout.only(), None);
        assert_eq!(Layout::uniform(Scalar::F32, 4).only(), Some(Scalar::F32));
    }

    #[test]
    fn matrices_go_row_by_row_in_either_storage_order() {
        // float2x3 in a constant buffer.
        let columns =
            Member { vectors: 3, vector_stride: 16, ..member("m", 32, HostScalar::F32, 2) };
        assert_eq!(Layout::offsets_of(&columns, &[]).unwrap(), [32, 48, 64, 36, 52, 68]);
        let rows = Member {
            vectors: 2,
            vector_stride: 16,
            row_major: true,
            ..member("m", 32, HostScalar::F32, 3)
        };
        assert_eq!(Layout::offsets_of(&rows, &[]).unwrap(), [32, 36, 40, 48, 52, 56]);
    }

    #[test]
    fn arrays_go_by_index_and_can_be_chosen_from() {
        let array = Member { dims: vec![(2, 64), (2, 16)], ..member("a", 4, HostScalar::I32, 2) };
        assert_eq!(Layout::offsets_of(&array, &[]).unwrap(), [4, 8, 20, 24, 68, 72, 84, 88]);
        assert_eq!(Layout::offsets_of(&array, &[1]).unwrap(), [68, 72, 84, 88]);
        assert_eq!(Layout::offsets_of(&array, &[1, 0]).unwrap(), [68, 72]);
        assert_eq!(Layout::offsets_of(&array, &[2]), None);
        assert_eq!(Layout::offsets_of(&array, &[0, 0, 0]), None);
    }

    #[test]
    fn a_layout_is_named_by_its_scalars() {
        let members =
            vec![member("id", 0, HostScalar::U32, 1), member("weight", 4, HostScalar::F32, 1)];
        let kind = ResourceKind::Structured { writable: true, stride: 8, members, counter: false };
        assert_eq!(Layout::of(&kind, None).to_string(), "(u32, f32)");
        assert_eq!(Layout::uniform(Scalar::F32, 4).to_string(), "[f32; 4]");
    }

    #[test]
    fn typed_buffers_are_seen_as_memory_holds_them() {
        let element = ir::Element { scalar: HostScalar::F32, components: 2, norm: Norm::Unorm };
        let kind = ResourceKind::Typed { writable: true, element };
        let format = ElementFormat { scalar: FormatScalar::Unorm8, components: 4 };
        assert_eq!(Layout::of(&kind, Some(format)), Layout::uniform(Scalar::U8, 4));
        assert_eq!(Layout::of(&kind, None), Layout::uniform(Scalar::F32, 2));
    }
}
