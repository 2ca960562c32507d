//! The layout of values in constant buffers, structured buffers and push constants.
//!
//! Constant buffers pack into rows of 16 bytes: a vector never crosses a row, arrays, structs and matrices start a new
//! one, and each element of an array (each stored vector of a matrix) takes whole rows, except for the last one.
//! Structured and raw buffers only align every scalar to its size.
//! Push constants of Vulkan have a third packing, between the two.

use ir::{HostScalar, Member};

use super::{Offsets, Scalar, StructId, Type, TypeId, Types};

/// The packing rules of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    Constant,
    Structured,
    /// In arrays, matrices and structs, vectors of two have twice their scalar's alignment, and longer ones four times
    /// it; as members they are aligned to their scalars unless they would cross 16 bytes.
    Push,
}

/// The size and alignment of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// In bytes, without padding after the last scalar in constant buffers.
    pub size: u32,
    pub align: u32,
}

/// The size and alignment of a type; sizes saturate.
pub fn layout_of(types: &Types, id: TypeId, packing: Packing, native_16bit: bool) -> Layout {
    match types.get(id) {
        Type::Void | Type::Error | Type::String | Type::Resource(_) => Layout { size: 0, align: 1 },
        Type::Scalar(scalar) => {
            let bytes = scalar.ty(native_16bit).bytes();
            Layout { size: bytes, align: bytes }
        }
        Type::Vector(scalar, n) => {
            let bytes = scalar.ty(native_16bit).bytes();
            let align = match packing {
                Packing::Constant | Packing::Structured => bytes,
                Packing::Push => vector_align(bytes, n),
            };
            Layout { size: bytes * n, align }
        }
        Type::Matrix { scalar, rows, columns, row_major } => {
            let bytes = scalar.ty(native_16bit).bytes();
            let (vectors, components) = if row_major { (rows, columns) } else { (columns, rows) };
            match packing {
                Packing::Structured => Layout { size: bytes * rows * columns, align: bytes },
                Packing::Push => {
                    let align = vector_align(bytes, components);
                    Layout { size: round_up(bytes * components, align) * vectors, align }
                }
                Packing::Constant => {
                    let stride = round_up(bytes * components, 16);
                    Layout { size: stride * (vectors - 1) + bytes * components, align: 16 }
                }
            }
        }
        Type::Array { element, len } => {
            let stride = array_stride(types, element, packing, native_16bit);
            let element = layout_of(types, element, packing, native_16bit);
            match packing {
                Packing::Structured | Packing::Push => {
                    Layout { size: stride.saturating_mul(len), align: element.align }
                }
                Packing::Constant => {
                    let before_last = stride.saturating_mul(len.saturating_sub(1));
                    Layout { size: before_last.saturating_add(element.size), align: 16 }
                }
            }
        }
        Type::Struct(id) => structure(types, id, packing, native_16bit).0,
    }
}

/// The distance between the elements of an array.
pub fn array_stride(types: &Types, element: TypeId, packing: Packing, native_16bit: bool) -> u32 {
    let layout = layout_of(types, element, packing, native_16bit);
    match packing {
        Packing::Constant => round_up(layout.size, 16),
        Packing::Structured | Packing::Push => round_up(layout.size, layout.align),
    }
}

/// The distance between the stored vectors of a matrix, and how many components each has.
pub fn matrix_stride(scalar: Scalar, components: u32, packing: Packing, native_16bit: bool) -> u32 {
    let one = scalar.ty(native_16bit).bytes();
    let bytes = one * components;
    match packing {
        Packing::Constant => round_up(bytes, 16),
        Packing::Structured => bytes,
        Packing::Push => round_up(bytes, vector_align(one, components)),
    }
}

/// The offset and type of each field of a struct that takes space (not bit-fields, but their storage units).
pub fn field_offsets(types: &Types, id: TypeId, packing: Packing, native_16bit: bool) -> Offsets {
    match types.get(id) {
        Type::Struct(id) => structure(types, id, packing, native_16bit).1,
        _ => Offsets::default(),
    }
}

/// The layout of a struct, with the offsets of its fields.
fn structure(
    types: &Types,
    id: StructId,
    packing: Packing,
    native_16bit: bool,
) -> (Layout, Offsets) {
    types.layout_of_struct(id, packing, native_16bit, || {
        let offsets = placed(types, id, packing, native_16bit);
        let mut size: u32 = 0;
        let mut align = 1;
        for (offset, ty) in &offsets {
            let layout = layout_of(types, *ty, packing, native_16bit);
            size = size.max(offset.saturating_add(layout.size));
            align = align.max(layout.align);
        }
        let layout = match packing {
            Packing::Structured | Packing::Push => Layout { size: round_up(size, align), align },
            Packing::Constant => Layout { size, align: 16 },
        };
        (layout, offsets)
    })
}

/// The offsets and types of the fields that take space.
fn placed(types: &Types, id: StructId, packing: Packing, native_16bit: bool) -> Vec<(u32, TypeId)> {
    let mut end: u32 = 0;
    let mut offsets = Vec::new();
    for field in &types.structure(id).fields {
        if field.bits.is_some() {
            continue;
        }
        let offset =
            field.offset.unwrap_or_else(|| place(types, end, field.ty, packing, native_16bit));
        end = offset.saturating_add(layout_of(types, field.ty, packing, native_16bit).size);
        offsets.push((offset, field.ty));
    }
    offsets
}

/// The offset of a value of that type if everything up to `end` is taken.
pub fn place(types: &Types, end: u32, ty: TypeId, packing: Packing, native_16bit: bool) -> u32 {
    let layout = layout_of(types, ty, packing, native_16bit);
    let align = match types.get(ty) {
        Type::Vector(scalar, _) => scalar.ty(native_16bit).bytes(),
        _ => layout.align,
    };
    let offset = round_up(end, align);
    let rows = match packing {
        Packing::Structured => false,
        Packing::Constant => true,
        Packing::Push => matches!(types.get(ty), Type::Vector(..)),
    };
    // A vector that would cross a row of 16 bytes starts the next one.
    if rows && offset % 16 + layout.size > 16 { round_up(offset, 16) } else { offset }
}

/// The alignment of a vector in arrays and matrices, from the size of its scalars.
fn vector_align(bytes: u32, components: u32) -> u32 {
    match components {
        0 | 1 => bytes,
        2 => 2 * bytes,
        _ => 4 * bytes,
    }
}

fn round_up(value: u32, to: u32) -> u32 {
    value.checked_next_multiple_of(to).unwrap_or(u32::MAX)
}

/// The members of a structured buffer's element.
pub fn structured_members(types: &Types, element: TypeId, native_16bit: bool) -> Vec<Member> {
    members(types, element, Packing::Structured, native_16bit)
}

/// The members of a constant buffer of a struct type.
pub fn cbuffer_members(
    types: &Types,
    structure: TypeId,
    packing: Packing,
    native_16bit: bool,
) -> Vec<Member> {
    members(types, structure, packing, native_16bit)
}

/// The most members, and bytes in their names, for which a host gets names: more are never set one by one.
const MOST_MEMBERS: usize = 4096;
const MOST_BYTES: usize = 1 << 20;

fn members(types: &Types, ty: TypeId, packing: Packing, native_16bit: bool) -> Vec<Member> {
    let mut walk = Walk { types, packing, native_16bit, members: Vec::new(), bytes: 0 };
    walk.visit(ty, "", 0, &mut Vec::new());
    walk.members
}

struct Walk<'a> {
    types: &'a Types,
    packing: Packing,
    native_16bit: bool,
    members: Vec<Member>,
    bytes: usize,
}

impl Walk<'_> {
    fn visit(&mut self, ty: TypeId, name: &str, offset: u32, dims: &mut Vec<(u32, u32)>) {
        // Even a type without scalars may be large: structs of structs of empty structs.
        let is_enough = self.members.len() >= MOST_MEMBERS || self.bytes >= MOST_BYTES;
        if is_enough || self.types.scalar_count(ty) == 0 {
            return;
        }
        match self.types.get(ty) {
            Type::Void | Type::Error | Type::String | Type::Resource(_) => {}
            Type::Scalar(scalar) => self.push(name, offset, scalar, (1, 1, 0, false), dims),
            Type::Vector(scalar, n) => self.push(name, offset, scalar, (n, 1, 0, false), dims),
            Type::Matrix { scalar, rows, columns, row_major } => {
                let (vectors, components) =
                    if row_major { (rows, columns) } else { (columns, rows) };
                let stride = matrix_stride(scalar, components, self.packing, self.native_16bit);
                self.push(name, offset, scalar, (components, vectors, stride, row_major), dims);
            }
            Type::Array { element, len } => {
                dims.push((
                    len,
                    array_stride(self.types, element, self.packing, self.native_16bit),
                ));
                self.visit(element, name, offset, dims);
                dims.pop();
            }
            Type::Struct(id) => {
                let offsets = field_offsets(self.types, ty, self.packing, self.native_16bit);
                let fields =
                    self.types.structure(id).fields.iter().filter(|field| field.bits.is_none());
                for (field, (at, ty)) in fields.zip(offsets.iter()) {
                    let path = if name.is_empty() {
                        field.name.clone()
                    } else {
                        format!("{name}.{}", field.name)
                    };
                    self.visit(*ty, &path, offset.saturating_add(*at), dims);
                }
            }
        }
    }

    fn push(
        &mut self,
        name: &str,
        offset: u32,
        scalar: Scalar,
        shape: (u32, u32, u32, bool),
        dims: &[(u32, u32)],
    ) {
        let (components, vectors, vector_stride, row_major) = shape;
        self.bytes += name.len();
        self.members.push(Member {
            name: name.to_owned(),
            offset,
            scalar: host(scalar, self.native_16bit),
            components,
            vectors,
            vector_stride,
            row_major,
            dims: dims.to_vec(),
        });
    }
}

/// The scalar's type as a host sees it.
pub fn host(scalar: Scalar, native_16bit: bool) -> HostScalar {
    use Scalar::*;
    match scalar {
        Bool => HostScalar::Bool,
        I16 => HostScalar::I16,
        U16 => HostScalar::U16,
        I32 | LiteralInt => HostScalar::I32,
        U32 => HostScalar::U32,
        I64 => HostScalar::I64,
        U64 => HostScalar::U64,
        F16 => HostScalar::F16,
        F32 | Half | LiteralFloat => HostScalar::F32,
        F64 => HostScalar::F64,
        Min16Int if native_16bit => HostScalar::I16,
        Min16Int => HostScalar::I32,
        Min16Uint if native_16bit => HostScalar::U16,
        Min16Uint => HostScalar::U32,
        Min16Float if native_16bit => HostScalar::F16,
        Min16Float => HostScalar::F32,
        Enum(it) => host(it.held(), native_16bit),
    }
}
