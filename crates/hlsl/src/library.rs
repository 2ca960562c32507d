//! The functions and methods of HLSL that are not wave operations: which exist, what they take, what they mean.
//!
//! One row for each overload in `library/rows.rs`: resolution, `wavelane explain` and did-you-mean read the rows.
//! What pure functions compute is in [`expand`]. Wave and quad functions are rows of [`ops::intrinsics`] instead.
//!
//! Deliberately absent: diagnostics (resolution returns text, the checker has the locations) and the effects of
//! methods and interlocked functions, which lowering knows.

mod accuracy;
pub mod barrier_flags;
pub mod expand;
mod methods;
pub mod objects;
mod prototype;
pub mod rays;
mod resolve;
mod rows;
pub mod stages;

use diag::Span;
use ops::{Binary, Sign, Ternary, Unary};

pub use accuracy::Accuracy;
pub use rows::{Class, Elem, Param, Row, Shape};

use crate::types::{BinaryOp, Mode, TypeId, Types};

/// The meaning of a library function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// No effects: [`expand::expand`] makes its instructions.
    Pure(Pure),
    /// An atomic operation. Arguments: the lvalue ([`Mode::Reference`]), for a compare the comparand, the value, and
    /// if it `returns` an lvalue for the old value ([`Mode::Out`]); all of the first one's scalar type.
    Interlocked {
        op: ir::Atomic,
        returns: bool,
    },
    Barrier(ops::Barrier),
    /// A barrier whose constant arguments define it: flags of memory or a resource, and flags of semantics.
    FlagBarrier,
    /// `NonUniformResourceIndex`: returns its argument.
    NonUniform,
    /// Prints. The first argument is the string of the format, those after it have the types that it prints; for an
    /// assertion, it is the text of the condition.
    Print(Print),
    /// `dx::IsDebuggingEnabled`: an option of the compilation.
    IsDebuggingEnabled,
    /// A function of pixel shaders.
    Pixel(OfPixels),
    /// `SetMeshOutputCounts`: the counts of vertices and primitives.
    MeshCounts,
    /// `DispatchMesh`: the counts of groups in x, y and z, and the payload.
    DispatchMesh,
    /// `Process…TessFactors…`.
    Factors(Factors),
    /// A function of the language that is not supported yet, by its name.
    Unsupported(&'static str),
}

/// The functions of pixel shaders that act on the lane's pixel, or read its inputs again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfPixels {
    /// Discards the pixel if a component is negative.
    Clip,
    /// The argument is an input, here and in the next three.
    AtCentroid,
    /// With the index of a sample.
    AtSample,
    /// With an offset of two components, in sixteenths of a pixel.
    Snapped,
    /// With the number of a vertex.
    AtVertex,
}

/// The functions of hull shaders that round factors as the tessellator does, and derive those of insides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factors {
    /// Arguments: detail and density, and lvalues for both.
    Isoline,
    /// Arguments: the factors of the edges and the scale of insides, and lvalues for the edges, and for the insides
    /// with and without rounding. The factors of edges are reduced in these sets, one for each inside.
    Insides { sets: &'static [&'static [u32]], reduction: Reduction },
}

/// How factors of edges give one of an inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    Average,
    Greatest,
    Least,
}

/// What is printed, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Print {
    Always,
    /// `DebugBreak`, which has no arguments.
    Break,
    /// If a component of the second argument is false.
    Unless,
    /// If the comparison of the second and the third argument is false for some component.
    UnlessCompared(BinaryOp),
}

/// A function without side effects. The rows describe each; [`expand`] gives the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pure {
    /// One operation for each component; where the row leaves the sign open, the argument's type decides it.
    Unary(Unary),
    Binary(Binary),
    Ternary(Ternary),
    // Several operations for each component.
    Clamp,
    Degrees,
    Derivative(ir::Derivative),
    Fwidth,
    Frac,
    Frexp,
    IsNormal,
    Ldexp,
    Lerp,
    Mad,
    Modf,
    Radians,
    Rcp,
    Sign,
    SinCos,
    Smoothstep,
    Step,
    // Over the components.
    All,
    Any,
    Cross,
    Distance,
    Dot,
    Dst,
    FaceForward,
    Length,
    Lit,
    Normalize,
    Reflect,
    Refract,
    // Matrices.
    Determinant,
    Mul,
    Transpose,
    // Bits.
    AddUint64,
    AsDouble,
    Bitcast,
    IsMapped,
    SplitDouble,
    // Packed bytes.
    ColorToUbyte4,
    Dot2Add,
    Dot4Add {
        sign: Sign,
    },
    Msad4,
    /// Packs four numbers into bytes; `clamp` gives the byte range that they are clamped to first.
    Pack {
        clamp: Option<Sign>,
    },
    Unpack {
        sign: Sign,
    },
}

/// A method of a resource. An optional last `out` argument of loads is the status, which is never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `Load(i)` of structured buffers.
    StructuredLoad,
    /// `Load`, `Load2`, `Load3`, `Load4` at a byte address: that many `uint`s.
    RawLoad {
        n: u32,
    },
    /// `Load<T>` at a byte address: the type of the expression.
    RawLoadT,
    RawStore {
        n: u32,
    },
    /// `Store<T>`: the second argument.
    RawStoreT,
    /// An atomic operation at a byte address. Arguments: the address, for a compare the comparand, the value, and if
    /// it `returns` an `out` for the old value. The value's type is that of the operation.
    RawInterlocked {
        op: ir::Atomic,
        returns: bool,
    },
    /// `Load(i)` of typed buffers.
    TypedLoad,
    IncrementCounter,
    DecrementCounter,
    /// `Append` of a stream of a geometry shader.
    Emit,
    /// `RestartStrip` of such a stream.
    Cut,
    Append,
    Consume,
    /// One `out` argument for each number; a structured buffer's second one is the stride.
    GetDimensions,
    /// A method of a texture.
    Texture(TextureMethod),
    /// A write of a feedback map. Arguments: the texture, the sampler, the coordinates, then a bias, a level or the
    /// derivatives in x and in y; the least level may follow.
    Feedback(ir::Detail),
    /// `GetDimensions` of a feedback map: as for its texture.
    FeedbackSize,
    /// A method of a ray query. Arguments of `TraceRayInline`: the scene, flags, the mask, and the ray.
    Ray(rays::RayMethod),
    /// A method that is not supported yet, by its name.
    Unsupported(&'static str),
}

/// A method of a texture, with its arguments. Coordinates have a number for each axis of the texture; the layer of an
/// array comes after them in the same vector.
///
/// The arguments listed here may be followed, in this order, by those of HLSL's overloads: texel offsets (`int`s, one
/// for each axis; for a gather one vector or four), a minimum level (`float`), and the status ([`Mode::Out`], `uint`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureMethod {
    /// `int` coordinates with the mip level last; without one for writable and multisampled textures, for the latter
    /// with the index of the sample as the next argument.
    Load,
    /// `.mips[level][location]`: the level, then the location as `operator[]` takes it.
    Mips,
    /// `.sample[index][location]`.
    Samples,
    /// Sampler, `float` coordinates.
    Sample,
    /// Sampler, coordinates, bias.
    SampleBias,
    /// Sampler, coordinates, level.
    SampleLevel,
    /// Sampler, coordinates, and their derivatives in x and in y, which have no layer.
    SampleGrad,
    /// Sampler, coordinates, the value to compare with.
    SampleCmp,
    /// Sampler, coordinates, the value to compare with, bias.
    SampleCmpBias,
    /// Sampler, coordinates, the value to compare with, level.
    SampleCmpLevel,
    /// Sampler, coordinates, the value to compare with.
    SampleCmpLevelZero,
    /// Sampler, coordinates, the value to compare with, derivatives in x and in y.
    SampleCmpGrad,
    /// Sampler, coordinates; `Gather` and `GatherRed` have component 0, `GatherAlpha` 3.
    Gather { component: u8 },
    /// Sampler, coordinates, the value to compare with.
    GatherCmp { component: u8 },
    /// Sampler, coordinates without a layer.
    CalculateLevelOfDetail { clamped: bool },
    /// The mip level if the overload has it, then an `out` for the width, height, depth or layers, and levels or
    /// samples.
    GetDimensions,
}

impl Function {
    /// Whether it takes a derivative across the lanes of the quad.
    pub fn takes_derivatives(self) -> bool {
        matches!(self, Function::Pure(Pure::Derivative(_) | Pure::Fwidth))
    }
}

impl Method {
    /// The same for a method.
    pub fn takes_derivatives(self) -> bool {
        use TextureMethod::*;
        match self {
            Method::Texture(method) => matches!(
                method,
                Sample | SampleBias | SampleCmp | SampleCmpBias | CalculateLevelOfDetail { .. }
            ),
            _ => false,
        }
    }
}

/// What resolution knows of an argument.
#[derive(Clone, Copy, Debug)]
pub struct ArgInfo {
    pub ty: TypeId,
    /// Whether it is an lvalue that can be written.
    pub is_place: bool,
    pub span: Span,
}

/// The result of overload resolution.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution<F> {
    /// No such name.
    Unknown,
    /// No overload takes the arguments.
    Mismatch {
        message: String,
        notes: Vec<String>,
    },
    Found {
        function: F,
        params: Vec<(TypeId, Mode)>,
        result: TypeId,
    },
}

/// The name in a prototype.
pub fn prototype_name(prototype: &'static str) -> &'static str {
    prototype::name_of(prototype)
}

/// Finds the overload of a function that takes these arguments, which may be of literal types.
pub fn resolve(types: &mut Types, name: &str, args: &[ArgInfo]) -> Resolution<Function> {
    match stages::by_name(name) {
        Some(row) => stages::resolve(types, row, args),
        None => resolve::resolve(types, name, args),
    }
}

pub fn is_function(name: &str) -> bool {
    names().any(|it| it == name)
}

/// The overloads of a name; none for functions that are not supported yet.
pub fn overloads(name: &str) -> impl Iterator<Item = &'static Row> {
    rows::rows().filter(move |row| row.name == name)
}

/// The assertion that the built-in header is made of. Its name is reserved, and not listed.
pub const ASSERTION: &str = "__wavelane_assert";
/// It is in a namespace of the compiler, of which nothing else is supported.
pub const IS_DEBUGGING: &str = "dx::IsDebuggingEnabled";

/// All names, each once: those of the table in its order, those of other stages, and those that are not supported yet.
pub fn names() -> impl Iterator<Item = &'static str> {
    let mut last = "";
    let built = rows::rows()
        .map(|row| row.name)
        .filter(move |name| std::mem::replace(&mut last, *name) != *name);
    built.chain(stages::rows().map(|row| row.name)).chain(rows::UNSUPPORTED.iter().copied())
}

/// The parts of the table, each with a title.
pub fn groups() -> impl Iterator<Item = (&'static str, &'static [Row])> {
    rows::GROUPS.into_iter()
}

/// The names of functions that the language has and this implementation lacks.
pub fn not_built() -> impl Iterator<Item = &'static str> {
    rows::UNSUPPORTED.iter().copied()
}

/// The value of a predeclared name for arguments, such as `GROUP_SYNC`.
pub fn flag(name: &str) -> Option<u32> {
    let found =
        barrier_flags::NAMES.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.or_else(|| stages::flag(name))
}

/// Finds the method of an object of a resource type.
pub fn resolve_method(
    types: &mut Types,
    object: TypeId,
    name: &str,
    template_arg: Option<TypeId>,
    args: &[ArgInfo],
) -> Resolution<Method> {
    methods::resolve_method(types, object, name, template_arg, args)
}

/// The names of the methods of a type, for "did you mean".
pub fn method_names(types: &Types, object: TypeId) -> Vec<String> {
    methods::method_names(types, object)
}

#[cfg(test)]
pub(crate) mod testing {
    //! Reads and writes types as words, for tables in tests.

    use super::ArgInfo;
    use crate::types::{Mode, Scalar, Type, TypeId, Types};

    /// Such as `float3x3`, `literal int`.
    pub(crate) fn ty(types: &mut Types, name: &str) -> TypeId {
        // `int16_t` starts with `int` too: the longest name is meant.
        let candidates =
            Scalar::OF_FUNCTIONS.into_iter().filter(|scalar| name.starts_with(scalar.name()));
        let scalar = candidates.max_by_key(|scalar| scalar.name().len()).unwrap();
        match &name[scalar.name().len()..] {
            "" => types.scalar(scalar),
            shape => match shape.split_once('x') {
                None => types.vector(scalar, shape.parse().unwrap()),
                Some((rows, columns)) => {
                    let (rows, columns) = (rows.parse().unwrap(), columns.parse().unwrap());
                    types.intern(Type::Matrix { scalar, rows, columns, row_major: false })
                }
            },
        }
    }

    /// Types separated by commas; `out` marks lvalues.
    pub(crate) fn args(types: &mut Types, list: &str) -> Vec<ArgInfo> {
        let words = list.split(", ").filter(|word| !word.is_empty());
        let arg = |word: &str| {
            let (name, is_place) =
                word.strip_prefix("out ").map_or((word, false), |name| (name, true));
            ArgInfo { ty: ty(types, name), is_place, span: diag::Span::NONE }
        };
        words.map(arg).collect()
    }

    /// Such as `(float3, out float3) void`.
    pub(crate) fn describe(types: &Types, params: &[(TypeId, Mode)], result: TypeId) -> String {
        let param = |(ty, mode): &(TypeId, Mode)| {
            let mode = match mode {
                Mode::In => "",
                Mode::Out => "out ",
                Mode::InOut => "inout ",
                Mode::Reference => "ref ",
            };
            format!("{mode}{}", types.name(*ty))
        };
        let params: Vec<String> = params.iter().map(param).collect();
        format!("({}) {}", params.join(", "), types.name(result))
    }
}
