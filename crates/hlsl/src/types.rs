//! The interned types of HLSL, their memory layout, and the operators and passing modes that their rules are about.
//!
//! Equal types have the same [`TypeId`]. Deliberately absent: conversions (see `check`) and names of types in scopes.

pub(crate) mod convert;
pub(crate) mod heap;
mod known;
mod layout;
mod operator;

use std::sync::Arc;

use ir::Norm;
use ops::texture::feedback::FeedbackKind as Feedback;
use ops::{Sign, Ty};

use crate::hash::QuickMap;

pub use known::{Contents, Offsets};
pub use layout::{
    Layout, Packing, array_stride, cbuffer_members, field_offsets, host, layout_of, matrix_stride,
    place, structured_members,
};
pub use operator::{BinaryOp, UnaryOp};

/// A type of a [`Types`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

/// A struct of a [`Types`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    Scalar(Scalar),
    /// One to 1024 components; `vector<float, 1>` is not `float`.
    Vector(Scalar, u32),
    /// The storage order only matters in buffers.
    Matrix {
        scalar: Scalar,
        rows: u32,
        columns: u32,
        row_major: bool,
    },
    /// `len` is 0 for unbounded arrays, which only resources can have.
    Array {
        element: TypeId,
        len: u32,
    },
    Struct(StructId),
    Resource(ResourceType),
    String,
    /// The type of anything that was already reported: every use of it is accepted.
    Error,
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    Bool,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    /// `min16int` and the like are distinct types in overload resolution; `-enable-16bit-types` decides their width.
    Min16Int,
    Min16Uint,
    Min16Float,
    /// `half` without `-enable-16bit-types`: a `float`, but distinct in overload resolution.
    Half,
    /// The type of a literal without a suffix, until its context decides.
    LiteralInt,
    LiteralFloat,
    Enum(Enum),
}

impl Scalar {
    /// The types that library functions are declared for.
    #[cfg(test)]
    pub(crate) const OF_FUNCTIONS: [Scalar; 15] = [
        Scalar::Bool,
        Scalar::I16,
        Scalar::U16,
        Scalar::I32,
        Scalar::U32,
        Scalar::I64,
        Scalar::U64,
        Scalar::F16,
        Scalar::F32,
        Scalar::F64,
        Scalar::Min16Int,
        Scalar::Min16Uint,
        Scalar::Min16Float,
        Scalar::LiteralInt,
        Scalar::LiteralFloat,
    ];
}

/// An enumeration of a [`Types`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Enum {
    id: u32,
    held: Held,
    /// `enum class`: it does not convert to a number implicitly.
    pub scoped: bool,
}

/// The possible underlying types of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Held {
    Bool,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    Min16Int,
    Min16Uint,
}

impl Enum {
    /// The underlying type.
    pub fn held(self) -> Scalar {
        match self.held {
            Held::Bool => Scalar::Bool,
            Held::I16 => Scalar::I16,
            Held::U16 => Scalar::U16,
            Held::I32 => Scalar::I32,
            Held::U32 => Scalar::U32,
            Held::I64 => Scalar::I64,
            Held::U64 => Scalar::U64,
            Held::Min16Int => Scalar::Min16Int,
            Held::Min16Uint => Scalar::Min16Uint,
        }
    }
}

/// Resource objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceType {
    /// `ConstantBuffer<T>`, `cbuffer`.
    Constant(TypeId),
    /// `tbuffer`, `TextureBuffer<T>`.
    TextureBuffer(TypeId),
    Structured {
        element: TypeId,
        access: Access,
    },
    /// `ByteAddressBuffer`.
    Raw {
        writable: bool,
    },
    /// `Buffer<T>`, `RWBuffer<T>`.
    Typed {
        element: TypeId,
        writable: bool,
        norm: Norm,
    },
    Texture {
        dim: TextureDim,
        element: TypeId,
        writable: bool,
        norm: Norm,
    },
    Sampler {
        comparison: bool,
    },
    AccelerationStructure,
    /// An object of a stage that cannot run yet: `RayQuery`, `InputPatch`, `NodeOutput` and others.
    Other(Object),
}

/// An object from the library's table of objects, with its template arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    pub name: &'static str,
    /// The type of its elements; `void` if it has none.
    pub element: TypeId,
    /// The number in its template arguments: control points, flags; 0 if there is none.
    pub count: u32,
}

impl Object {
    /// The object of ray queries.
    pub const RAY_QUERY: &str = "RayQuery";
    /// The bits of a ray query's `count` that are ray flags; those above are the flags of the second template argument.
    pub const RAY_FLAGS: u32 = 0xffff;
    /// The feedback maps of a texture, and of one with layers.
    pub const FEEDBACK: &str = "FeedbackTexture2D";
    pub const FEEDBACK_ARRAY: &str = "FeedbackTexture2DArray";

    /// Whether it is a ray query. Unlike resources, queries are values: handles.
    pub fn is_query(self) -> bool {
        self.name == Object::RAY_QUERY
    }

    /// Of a feedback map, its kind, and whether its texture has layers.
    pub fn feedback(self) -> Option<(Feedback, bool)> {
        let is_array = match self.name {
            Object::FEEDBACK => false,
            Object::FEEDBACK_ARRAY => true,
            _ => return None,
        };
        Some((Feedback::by_number(self.count.into())?, is_array))
    }
}

/// The passing mode of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    In,
    Out,
    InOut,
    /// By reference, for groupshared variables and resources.
    Reference,
}

/// The built-in structs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinStruct {
    RayDesc,
    TriangleAttributes,
    TrianglePositions,
}

/// The operations of a structured buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    ReadWrite,
    Append,
    Consume,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureDim {
    D1,
    D1Array,
    D2,
    D2Array,
    D2Ms,
    D2MsArray,
    D3,
    Cube,
    CubeArray,
}

#[derive(Clone, Debug)]
pub struct Struct {
    pub name: String,
    /// Inherited fields come first; bit-fields know their position in their storage unit.
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub ty: TypeId,
    /// For a bit-field: the index of the hidden field of this struct that stores it, and its bits (offset, width)
    /// there.
    pub bits: Option<BitField>,
    /// A hidden storage unit of bit-fields, which source code cannot name.
    pub hidden: bool,
    /// The byte offset from `packoffset`.
    pub offset: Option<u32>,
    pub span: diag::Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    pub unit: u32,
    pub offset: u32,
    pub width: u32,
}

impl Scalar {
    pub fn is_float(self) -> bool {
        use Scalar::*;
        matches!(self, F16 | F32 | F64 | Min16Float | Half | LiteralFloat)
    }

    pub fn is_int(self) -> bool {
        !self.is_float() && self.number() != Scalar::Bool
    }

    /// The type itself, or the underlying type of an enumeration.
    pub fn number(self) -> Scalar {
        match self {
            Scalar::Enum(it) => it.held(),
            other => other,
        }
    }

    /// Whether it is an `enum class`.
    pub fn is_scoped(self) -> bool {
        matches!(self, Scalar::Enum(it) if it.scoped)
    }

    pub fn is_literal(self) -> bool {
        matches!(self, Scalar::LiteralInt | Scalar::LiteralFloat)
    }

    /// Its signedness in integer operations; floats count as `Signed` and bools as `Unsigned`.
    pub fn sign(self) -> Sign {
        use Scalar::*;
        match self {
            Enum(it) => it.held().sign(),
            Bool | U16 | U32 | U64 | Min16Uint => Sign::Unsigned,
            I16 | I32 | I64 | Min16Int | LiteralInt | F16 | F32 | F64 | Min16Float | Half
            | LiteralFloat => Sign::Signed,
        }
    }

    /// The type that engines compute with. Literals default to `int` and `float`.
    pub fn ty(self, native_16bit: bool) -> Ty {
        use Scalar::*;
        match self {
            Bool => Ty::Bool,
            I16 | U16 => Ty::I16,
            I32 | U32 | LiteralInt => Ty::I32,
            I64 | U64 => Ty::I64,
            F16 => Ty::F16,
            F32 | Half | LiteralFloat => Ty::F32,
            F64 => Ty::F64,
            Min16Int | Min16Uint => {
                if native_16bit {
                    Ty::I16
                } else {
                    Ty::I32
                }
            }
            Enum(it) => it.held().ty(native_16bit),
            Min16Float => {
                if native_16bit {
                    Ty::F16
                } else {
                    Ty::F32
                }
            }
        }
    }

    /// Its keyword; for enumerations see [`Types::name`].
    pub fn name(self) -> &'static str {
        use Scalar::*;
        match self {
            Bool => "bool",
            I16 => "int16_t",
            U16 => "uint16_t",
            I32 => "int",
            U32 => "uint",
            I64 => "int64_t",
            U64 => "uint64_t",
            F16 => "float16_t",
            F32 => "float",
            F64 => "double",
            Min16Int => "min16int",
            Min16Uint => "min16uint",
            Min16Float => "min16float",
            Half => "half",
            LiteralInt => "literal int",
            LiteralFloat => "literal float",
            Enum(_) => "an enumeration",
        }
    }
}

/// All types of one compilation.
#[derive(Debug)]
pub struct Types {
    types: Vec<Type>,
    ids: QuickMap<Type, TypeId>,
    structs: Vec<Struct>,
    /// The names of the enumerations.
    enums: Vec<String>,
    /// The built-in structs created so far, by [`BuiltinStruct`].
    builtins: [Option<TypeId>; 3],
    /// Combined textures and samplers created so far: the texture type and the struct.
    sampled: Vec<(TypeId, TypeId)>,
    /// The texts of string literals.
    texts: Vec<Arc<str>>,
    text_ids: QuickMap<Arc<str>, u64>,
    known: known::Memo,
}

impl Default for Types {
    fn default() -> Types {
        Types::new()
    }
}

impl Types {
    pub const VOID: TypeId = TypeId(0);
    pub const ERROR: TypeId = TypeId(1);
    pub const BOOL: TypeId = TypeId(2);
    pub const INT: TypeId = TypeId(3);
    pub const UINT: TypeId = TypeId(4);
    pub const FLOAT: TypeId = TypeId(5);

    pub fn new() -> Types {
        let mut types = Types {
            types: Vec::new(),
            ids: QuickMap::default(),
            structs: Vec::new(),
            enums: Vec::new(),
            builtins: [None; 3],
            sampled: Vec::new(),
            texts: Vec::new(),
            text_ids: QuickMap::default(),
            known: known::Memo::default(),
        };
        // Invariant: in the order of the constants above.
        types.intern(Type::Void);
        types.intern(Type::Error);
        for scalar in [Scalar::Bool, Scalar::I32, Scalar::U32, Scalar::F32] {
            types.intern(Type::Scalar(scalar));
        }
        types
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        *self.ids.entry(ty).or_insert_with(|| {
            self.types.push(ty);
            TypeId(self.types.len() as u32 - 1)
        })
    }

    /// The number of a text, which is the constant that a string literal denotes.
    pub fn text_id(&mut self, text: &Arc<str>) -> u64 {
        *self.text_ids.entry(text.clone()).or_insert_with(|| {
            self.texts.push(text.clone());
            self.texts.len() as u64 - 1
        })
    }

    /// The text of a string literal.
    pub fn text(&self, id: u64) -> Option<&Arc<str>> {
        self.texts.get(id as usize)
    }

    pub fn get(&self, id: TypeId) -> Type {
        self.types[id.0 as usize]
    }

    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.intern(Type::Scalar(scalar))
    }

    pub fn vector(&mut self, scalar: Scalar, n: u32) -> TypeId {
        self.intern(Type::Vector(scalar, n))
    }

    /// The type with the shape of `shape` and the scalars of `scalar`.
    pub fn with_scalar(&mut self, shape: TypeId, scalar: Scalar) -> TypeId {
        match self.get(shape) {
            Type::Vector(_, n) => self.vector(scalar, n),
            Type::Matrix { rows, columns, row_major, .. } => {
                self.intern(Type::Matrix { scalar, rows, columns, row_major })
            }
            Type::Scalar(_) => self.scalar(scalar),
            Type::Void
            | Type::Array { .. }
            | Type::Struct(_)
            | Type::Resource(_)
            | Type::String
            | Type::Error => shape,
        }
    }

    pub fn add_struct(&mut self, structure: Struct) -> StructId {
        self.structs.push(structure);
        StructId(self.structs.len() as u32 - 1)
    }

    /// A built-in struct.
    pub fn builtin(&mut self, which: BuiltinStruct) -> TypeId {
        if let Some(found) = self.builtins[which as usize] {
            return found;
        }
        let [float2, float3] = [2, 3].map(|n| self.vector(Scalar::F32, n));
        let (name, fields) = match which {
            BuiltinStruct::RayDesc => {
                let fields = vec![
                    ("Origin", float3),
                    ("TMin", Types::FLOAT),
                    ("Direction", float3),
                    ("TMax", Types::FLOAT),
                ];
                ("RayDesc", fields)
            }
            BuiltinStruct::TriangleAttributes => {
                ("BuiltInTriangleIntersectionAttributes", vec![("barycentrics", float2)])
            }
            BuiltinStruct::TrianglePositions => {
                let fields = vec![("p0", float3), ("p1", float3), ("p2", float3)];
                ("BuiltInTrianglePositions", fields)
            }
        };
        let field = |(name, ty): (&str, TypeId)| Field {
            name: name.to_owned(),
            ty,
            bits: None,
            hidden: false,
            offset: None,
            span: diag::Span::NONE,
        };
        let fields = fields.into_iter().map(field).collect();
        let id = self.add_struct(Struct { name: name.to_owned(), fields });
        let ty = self.intern(Type::Struct(id));
        self.builtins[which as usize] = Some(ty);
        ty
    }

    /// The struct of a combined texture and sampler, with one sampler field for each kind of sampler.
    pub fn sampled(&mut self, texture: TypeId, name: String) -> TypeId {
        if let Some((_, found)) = self.sampled.iter().find(|(it, _)| *it == texture) {
            return *found;
        }
        let [sampler, comparison] = [false, true]
            .map(|comparison| self.intern(Type::Resource(ResourceType::Sampler { comparison })));
        let parts = [("texture", texture), ("sampler", sampler), ("comparison", comparison)];
        let field = |(name, ty): (&str, TypeId)| Field {
            name: name.to_owned(),
            ty,
            bits: None,
            hidden: true,
            offset: None,
            span: diag::Span::NONE,
        };
        let id = self.add_struct(Struct { name, fields: parts.map(field).into() });
        let ty = self.intern(Type::Struct(id));
        self.sampled.push((texture, ty));
        ty
    }

    /// Whether a type is a combined texture and sampler.
    pub fn is_sampled(&self, ty: TypeId) -> bool {
        self.sampled.iter().any(|(_, it)| *it == ty)
    }

    /// A new enumeration with that underlying type, or `int` if that is not an integer.
    pub fn add_enum(&mut self, name: String, held: Scalar, scoped: bool) -> Scalar {
        use Scalar::*;
        let held = match held.number() {
            Bool => Held::Bool,
            I16 => Held::I16,
            U16 => Held::U16,
            U32 => Held::U32,
            I64 => Held::I64,
            U64 => Held::U64,
            Min16Int => Held::Min16Int,
            Min16Uint => Held::Min16Uint,
            I32 | F16 | F32 | F64 | Min16Float | Half | LiteralInt | LiteralFloat | Enum(_) => {
                Held::I32
            }
        };
        self.enums.push(name);
        Enum(self::Enum { id: self.enums.len() as u32 - 1, held, scoped })
    }

    fn scalar_name(&self, scalar: Scalar) -> &str {
        match scalar {
            Scalar::Enum(it) => &self.enums[it.id as usize],
            other => other.name(),
        }
    }

    pub fn structure(&self, id: StructId) -> &Struct {
        &self.structs[id.0 as usize]
    }

    pub fn structure_mut(&mut self, id: StructId) -> &mut Struct {
        self.known.forget(id);
        &mut self.structs[id.0 as usize]
    }

    /// The scalar type of a scalar, vector or matrix.
    pub fn scalar_of(&self, id: TypeId) -> Option<Scalar> {
        match self.get(id) {
            Type::Scalar(scalar) | Type::Vector(scalar, _) | Type::Matrix { scalar, .. } => {
                Some(scalar)
            }
            Type::Void
            | Type::Array { .. }
            | Type::Struct(_)
            | Type::Resource(_)
            | Type::String
            | Type::Error => None,
        }
    }

    /// The number of scalars of a value, counting the hidden storage of bit-fields instead of the bit-fields;
    /// saturating. A resource counts as one scalar: its index.
    pub fn scalar_count(&self, id: TypeId) -> u64 {
        self.contents(id).scalars
    }

    /// The scalars of a value in order: vectors by component, matrices row by row, arrays by element, structs by field.
    /// `None` if there are more than `most`, or if it holds a resource.
    pub fn flatten(&self, id: TypeId, most: usize) -> Option<Vec<Scalar>> {
        if self.scalar_count(id) > most as u64 {
            return None;
        }
        let mut scalars = Vec::new();
        self.flatten_into(id, &mut scalars).then_some(scalars)
    }

    fn flatten_into(&self, id: TypeId, scalars: &mut Vec<Scalar>) -> bool {
        // Even a type without scalars may be large: structs of structs of empty structs.
        if self.scalar_count(id) == 0 {
            return true;
        }
        match self.get(id) {
            Type::Void | Type::String | Type::Error => true,
            Type::Resource(_) => false,
            Type::Scalar(scalar) => {
                scalars.push(scalar);
                true
            }
            Type::Vector(scalar, n) => {
                scalars.extend(std::iter::repeat_n(scalar, n as usize));
                true
            }
            Type::Matrix { scalar, rows, columns, .. } => {
                scalars.extend(std::iter::repeat_n(scalar, (rows * columns) as usize));
                true
            }
            Type::Array { element, len } => (0..len).all(|_| self.flatten_into(element, scalars)),
            Type::Struct(id) => self
                .structure(id)
                .fields
                .iter()
                .filter(|it| it.bits.is_none())
                .all(|it| self.flatten_into(it.ty, scalars)),
        }
    }

    /// The numbers of a value as the source sees them: like [`Types::flatten`], but with the bit-fields instead of
    /// their storage. `None` if there are more than `most`, or if it holds a resource.
    pub fn numbers(&self, id: TypeId, most: usize) -> Option<Vec<Scalar>> {
        if !self.has_bit_fields(id) {
            return self.flatten(id, most);
        }
        if self.contents(id).numbers > most as u64 {
            return None;
        }
        let mut numbers = Vec::new();
        match self.get(id) {
            _ if self.contents(id).numbers == 0 => {}
            Type::Array { element, len } => {
                let one = self.numbers(element, most)?;
                if one.len().saturating_mul(len as usize) > most {
                    return None;
                }
                (0..len).for_each(|_| numbers.extend_from_slice(&one));
            }
            Type::Struct(id) => {
                for field in self.structure(id).fields.iter().filter(|it| !it.hidden) {
                    numbers.extend(self.numbers(field.ty, most)?);
                }
            }
            Type::Void
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Matrix { .. }
            | Type::Resource(_)
            | Type::String
            | Type::Error => {}
        }
        (numbers.len() <= most).then_some(numbers)
    }

    /// Whether it contains a bit-field.
    pub fn has_bit_fields(&self, id: TypeId) -> bool {
        self.contents(id).has_bit_fields
    }

    /// Whether it contains a ray query.
    pub fn holds_query(&self, id: TypeId) -> bool {
        self.contents(id).holds_query
    }

    /// Whether it contains a resource other than a ray query.
    pub fn holds_binding(&self, id: TypeId) -> bool {
        self.contents(id).holds_binding
    }

    /// Whether it contains a resource, or a ray query.
    pub fn holds_resource(&self, id: TypeId) -> bool {
        self.contents(id).holds_resource
    }

    /// The ray flags in the type of a ray query; `None` for all other types.
    pub fn query_flags(&self, id: TypeId) -> Option<u32> {
        match self.get(id) {
            Type::Resource(ResourceType::Other(object)) if object.is_query() => {
                Some(object.count & Object::RAY_FLAGS)
            }
            _ => None,
        }
    }

    /// Its spelling in source code.
    pub fn name(&self, id: TypeId) -> String {
        match self.get(id) {
            Type::Void => "void".to_owned(),
            Type::Error => "an unknown type".to_owned(),
            Type::String => "string".to_owned(),
            Type::Scalar(scalar) => self.scalar_name(scalar).to_owned(),
            Type::Vector(scalar, n) if n <= 4 && !matches!(scalar, Scalar::Enum(_)) => {
                format!("{}{n}", scalar.name())
            }
            Type::Vector(scalar, n) => format!("vector<{}, {n}>", self.scalar_name(scalar)),
            Type::Matrix { scalar, rows, columns, .. } => {
                format!("{}{rows}x{columns}", scalar.name())
            }
            Type::Array { element, len } => {
                // Dimensions are written from the outermost in.
                let mut dims = String::new();
                let (mut element, mut len) = (element, len);
                loop {
                    dims.push_str(&if len == 0 { "[]".to_owned() } else { format!("[{len}]") });
                    match self.get(element) {
                        Type::Array { element: inner, len: inner_len } => {
                            (element, len) = (inner, inner_len)
                        }
                        _ => break format!("{}{dims}", self.name(element)),
                    }
                }
            }
            Type::Struct(id) => self.structure(id).name.clone(),
            Type::Resource(resource) => self.resource_name(resource),
        }
    }

    fn resource_name(&self, resource: ResourceType) -> String {
        let rw = |writable: bool| if writable { "RW" } else { "" };
        match resource {
            ResourceType::Constant(ty) => format!("ConstantBuffer<{}>", self.name(ty)),
            ResourceType::TextureBuffer(ty) => format!("TextureBuffer<{}>", self.name(ty)),
            ResourceType::Structured { element, access } => {
                let kind = match access {
                    Access::Read => "StructuredBuffer",
                    Access::ReadWrite => "RWStructuredBuffer",
                    Access::Append => "AppendStructuredBuffer",
                    Access::Consume => "ConsumeStructuredBuffer",
                };
                format!("{kind}<{}>", self.name(element))
            }
            ResourceType::Raw { writable } => format!("{}ByteAddressBuffer", rw(writable)),
            ResourceType::Typed { element, writable, .. } => {
                format!("{}Buffer<{}>", rw(writable), self.name(element))
            }
            ResourceType::Texture { dim, element, writable, .. } => {
                format!("{}{}<{}>", rw(writable), dim.name(), self.name(element))
            }
            ResourceType::Sampler { comparison: false } => "SamplerState".to_owned(),
            ResourceType::Sampler { comparison: true } => "SamplerComparisonState".to_owned(),
            ResourceType::AccelerationStructure => "RaytracingAccelerationStructure".to_owned(),
            ResourceType::Other(it) if it.is_query() => {
                let flags = it.count & Object::RAY_FLAGS;
                match it.count / (Object::RAY_FLAGS + 1) {
                    0 => format!("{}<{flags:#x}>", it.name),
                    other => format!("{}<{flags:#x}, {other:#x}>", it.name),
                }
            }
            ResourceType::Other(it) if let Some((kind, _)) = it.feedback() => {
                format!("{}<{}>", it.name, kind.constant())
            }
            ResourceType::Other(Object { name, element: Types::VOID, .. }) => name.to_owned(),
            ResourceType::Other(Object { name, element, count: 0 }) => {
                format!("{name}<{}>", self.name(element))
            }
            ResourceType::Other(Object { name, element, count }) => {
                format!("{name}<{}, {count}>", self.name(element))
            }
        }
    }
}

impl TextureDim {
    pub fn name(self) -> &'static str {
        match self {
            TextureDim::D1 => "Texture1D",
            TextureDim::D1Array => "Texture1DArray",
            TextureDim::D2 => "Texture2D",
            TextureDim::D2Array => "Texture2DArray",
            TextureDim::D2Ms => "Texture2DMS",
            TextureDim::D2MsArray => "Texture2DMSArray",
            TextureDim::D3 => "Texture3D",
            TextureDim::Cube => "TextureCube",
            TextureDim::CubeArray => "TextureCubeArray",
        }
    }
}
