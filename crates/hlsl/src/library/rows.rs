//! The table of functions: one row for each overload.
//!
//! To add a function of a known kind, add its row; a new composite also gets a variant of [`Pure`] and a few lines in
//! a family of `expand/`. Rows of one name are adjacent.

use ir::{Atomic, Derivative};
use ops::intrinsics::ShaderModel;
use ops::{Barrier, Binary, MemoryScope, Sign, SyncScope, Ternary, Unary};

use super::{Function, IS_DEBUGGING, Print, Pure};
use crate::types::{Mode, Scalar};

/// One overload of a function.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    /// What it returns or does, as a phrase.
    pub summary: &'static str,
    pub since: ShaderModel,
    /// What [`Elem::T`] may be.
    pub class: Class,
    pub params: &'static [Param],
    /// `None` for `void`.
    pub result: Option<(Shape, Elem)>,
    pub function: Function,
    /// A phrase with what else a reader of the reference should know; may be empty.
    pub note: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: &'static str,
    pub mode: Mode,
    pub shape: Shape,
    pub elem: Elem,
}

/// The shape of a parameter or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One shape shared by all that have it: the smallest of the arguments', where scalars adapt to any.
    Common,
    /// Like `Common`, but never a matrix.
    CommonVector,
    /// A matrix.
    Matrix,
    /// A square matrix.
    Square,
    /// The shape of the transposed matrix.
    Transposed,
    /// Scalar, vector or matrix, each as it is: `mul`.
    Factor,
    /// The shape of the product of the factors.
    Product,
    Scalar,
    Vector(u32),
    /// A buffer or a texture, with any elements.
    Resource,
    /// A string literal.
    Text,
}

/// The elements of a parameter or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// One type shared by all that have it, joined from the arguments, of the row's class.
    T,
    Is(Scalar),
}

/// What an element type may be, and what arguments of other types become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Every number, and `bool`.
    Any,
    /// Every number; `bool` becomes `int`.
    Numeric,
    /// `float` and 16-bit floats; all other numbers become `float`.
    Float,
    /// Floats, `double` among them.
    AnyFloat,
    /// Every integer; floats become `int`, `bool` becomes `uint`.
    Int,
    /// 16- and 32-bit integers.
    SmallInt,
    /// Signed ones of these; unsigned ones become signed.
    SmallSigned,
    /// Exactly 32 bits.
    Word,
    /// Exactly 16 bits.
    HalfWord,
    /// Integers of 32 and 64 bits, as they are.
    Atomic,
    /// Like `Atomic`, and `float`.
    AtomicOrFloat,
    /// `float`, as it is.
    AtomicFloat,
}

/// The parts of the table, each with a title.
pub(super) const GROUPS: [(&str, &[Row]); 5] = [
    ("Arithmetic", ARITHMETIC),
    ("Vectors and matrices", VECTORS),
    ("Bits and packed numbers", BITS),
    ("Memory and resources", MEMORY),
    ("Debugging", DEBUGGING),
];

/// All rows.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    GROUPS.into_iter().flat_map(|(_, rows)| rows)
}

/// Functions that the language has and this implementation lacks: of other stages and of textures.
pub(super) const UNSUPPORTED: &[&str] = &[
    "AllocateRayQuery",
    "abort",
    "errorf",
    "noise",
    "source_mark",
    "tex1D",
    "tex1Dbias",
    "tex1Dgrad",
    "tex1Dlod",
    "tex1Dproj",
    "tex2D",
    "tex2Dbias",
    "tex2Dgrad",
    "tex2Dlod",
    "tex2Dproj",
    "tex3D",
    "tex3Dbias",
    "tex3Dgrad",
    "tex3Dlod",
    "tex3Dproj",
    "texCUBE",
    "texCUBEbias",
    "texCUBEgrad",
    "texCUBElod",
    "texCUBEproj",
];

const V6_2: ShaderModel = ShaderModel { major: 6, minor: 2 };
const V6_4: ShaderModel = ShaderModel { major: 6, minor: 4 };
const V6_8: ShaderModel = ShaderModel { major: 6, minor: 8 };
const FLOAT: Elem = Elem::Is(Scalar::F32);
const HALF: Elem = Elem::Is(Scalar::F16);
const INT: Elem = Elem::Is(Scalar::I32);
const UINT: Elem = Elem::Is(Scalar::U32);
const BOOL: Elem = Elem::Is(Scalar::Bool);

const fn param(name: &'static str, shape: Shape, elem: Elem) -> Param {
    Param { name, mode: Mode::In, shape, elem }
}

const fn out(name: &'static str, shape: Shape, elem: Elem) -> Param {
    Param { name, mode: Mode::Out, shape, elem }
}

/// A value of the common shape and type.
const fn value(name: &'static str) -> Param {
    param(name, Shape::Common, Elem::T)
}

/// A vector of the common length and type.
const fn vector(name: &'static str) -> Param {
    param(name, Shape::CommonVector, Elem::T)
}

type Params = &'static [Param];
const NONE: Params = &[];
const X: Params = &[value("x")];
const XY: Params = &[value("x"), value("y")];
const ABC: Params = &[value("a"), value("b"), value("c")];
const BOOLS: Params = &[param("x", Shape::Common, BOOL), param("y", Shape::Common, BOOL)];
const VECTOR: Params = &[vector("x")];
const SAME: (Shape, Elem) = (Shape::Common, Elem::T);
const SAME_VECTOR: (Shape, Elem) = (Shape::CommonVector, Elem::T);
const SCALAR: (Shape, Elem) = (Shape::Scalar, Elem::T);

const fn row(
    name: &'static str,
    class: Class,
    params: Params,
    result: (Shape, Elem),
    function: Pure,
    summary: &'static str,
) -> Row {
    let function = Function::Pure(function);
    let result = Some(result);
    Row { name, summary, since: ShaderModel::V6_0, class, params, result, function, note: "" }
}

/// A row without a result.
const fn effect(
    name: &'static str,
    class: Class,
    params: Params,
    function: Function,
    summary: &'static str,
) -> Row {
    let since = ShaderModel::V6_0;
    Row { name, summary, since, class, params, result: None, function, note: "" }
}

const fn each(name: &'static str, class: Class, op: Unary, summary: &'static str) -> Row {
    row(name, class, X, SAME, Pure::Unary(op), summary)
}

const fn since(since: ShaderModel, row: Row) -> Row {
    Row { since, ..row }
}

const fn noted(note: &'static str, row: Row) -> Row {
    Row { note, ..row }
}

#[rustfmt::skip]
const ARITHMETIC: &[Row] = &[
    noted("the smallest integer is its own absolute value",
        each("abs", Class::Numeric, Unary::Abs, "the absolute value")),
    each("acos", Class::Float, Unary::Acos, "the arc cosine, from 0 to π"),
    row("all", Class::Any, X, (Shape::Scalar, BOOL), Pure::All, "whether every component is nonzero"),
    row("and", Class::Any, BOOLS, (Shape::Common, BOOL), Pure::Binary(Binary::And),
        "for each component, whether both are true"),
    row("any", Class::Any, X, (Shape::Scalar, BOOL), Pure::Any, "whether any component is nonzero"),
    each("asin", Class::Float, Unary::Asin, "the arc sine, from -π/2 to π/2"),
    each("atan", Class::Float, Unary::Atan, "the arc tangent, from -π/2 to π/2"),
    noted("signs of zeros and infinities as in C",
        row("atan2", Class::Float, &[value("y"), value("x")], SAME, Pure::Binary(Binary::Atan2),
        "the angle of the point (x, y), from -π to π")),
    each("ceil", Class::Float, Unary::Ceil, "the smallest integer not less than the value"),
    noted("the upper bound if it is below the lower one; the lower bound for NaN",
        row("clamp", Class::Numeric, &[value("x"), value("min"), value("max")], SAME, Pure::Clamp,
        "the value, clamped to a range")),
    each("cos", Class::Float, Unary::Cos, "the cosine of an angle in radians"),
    each("cosh", Class::Float, Unary::Cosh, "the hyperbolic cosine"),
    row("degrees", Class::Float, X, SAME, Pure::Degrees, "an angle in radians as degrees"),
    each("exp", Class::Float, Unary::Exp, "e to the power of x"),
    each("exp2", Class::Float, Unary::Exp2, "2 to the power of x"),
    each("floor", Class::Float, Unary::Floor, "the largest integer not greater than the value"),
    row("fma", Class::AnyFloat, ABC, SAME, Pure::Ternary(Ternary::Fma),
        "a * b + c, rounded once"),
    noted("NaN for an infinite x or a zero y",
        row("fmod", Class::Float, XY, SAME, Pure::Binary(Binary::Rem(Sign::Signed)),
        "the exact remainder of x / y, with the sign of x")),
    row("ddx", Class::Float, X, SAME, Pure::Derivative(Derivative::XCoarse),
        "the change of x from the quad's left lane to the right one; `ddx_coarse`"),
    row("ddx_coarse", Class::Float, X, SAME, Pure::Derivative(Derivative::XCoarse),
        "the change of x to the right in the upper row of the quad"),
    row("ddx_fine", Class::Float, X, SAME, Pure::Derivative(Derivative::XFine),
        "the change of x to the right in the lane's row of the quad"),
    row("ddy", Class::Float, X, SAME, Pure::Derivative(Derivative::YCoarse),
        "the change of x from the quad's upper lane to the lower one; `ddy_coarse`"),
    row("ddy_coarse", Class::Float, X, SAME, Pure::Derivative(Derivative::YCoarse),
        "the change of x downward in the left column of the quad"),
    row("ddy_fine", Class::Float, X, SAME, Pure::Derivative(Derivative::YFine),
        "the change of x downward in the lane's column of the quad"),
    row("frac", Class::Float, X, SAME, Pure::Frac, "x - floor(x)"),
    noted("zeros, infinities and NaN are their own mantissas, with exponent 0",
        row("frexp", Class::Float, &[value("x"), out("exp", Shape::Common, Elem::T)], SAME, Pure::Frexp,
        "the mantissa, whose magnitude is from 0.5 to 1, and the exponent of 2")),
    row("fwidth", Class::Float, X, SAME, Pure::Fwidth, "abs(ddx(x)) + abs(ddy(x))"),
    row("isfinite", Class::Float, X, (Shape::Common, BOOL), Pure::Unary(Unary::IsFinite),
        "whether x is neither infinite nor NaN"),
    row("isinf", Class::Float, X, (Shape::Common, BOOL), Pure::Unary(Unary::IsInf), "whether x is infinite"),
    row("isnan", Class::Float, X, (Shape::Common, BOOL), Pure::Unary(Unary::IsNan), "whether x is NaN"),
    row("isnormal", Class::Float, X, (Shape::Common, BOOL), Pure::IsNormal,
        "whether x is not zero, denormal, infinite or NaN"),
    noted("the power is rounded first, so it may overflow when the product would not",
        row("ldexp", Class::Float, &[value("x"), value("exp")], SAME, Pure::Ldexp, "x * exp2(exp)")),
    row("lerp", Class::Float, &[value("a"), value("b"), value("t")], SAME, Pure::Lerp, "a + t * (b - a)"),
    each("log", Class::Float, Unary::Log, "the natural logarithm"),
    each("log10", Class::Float, Unary::Log10, "the decimal logarithm"),
    each("log2", Class::Float, Unary::Log2, "the binary logarithm"),
    noted("never contracted",
        row("mad", Class::Numeric, ABC, SAME, Pure::Mad, "a * b + c, rounded twice")),
    noted("-0 is below +0",
        row("max", Class::Numeric, XY, SAME, Pure::Binary(Binary::Max(Sign::Signed)),
        "the greater value; if one is NaN, the other")),
    noted("-0 is below +0",
        row("min", Class::Numeric, XY, SAME, Pure::Binary(Binary::Min(Sign::Signed)),
        "the lesser value; if one is NaN, the other")),
    noted("the fraction of an infinity is 0",
        row("modf", Class::Float, &[value("x"), out("whole", Shape::Common, Elem::T)], SAME, Pure::Modf,
        "the fraction and the integer part, both with the sign of x")),
    row("or", Class::Any, BOOLS, (Shape::Common, BOOL), Pure::Binary(Binary::Or),
        "for each component, whether either is true"),
    noted("NaN for a negative x, even with an integer y; NaN if `y * log2(x)` is `0 * inf`",
        row("pow", Class::Float, XY, SAME, Pure::Binary(Binary::Pow), "x to the power of y")),
    row("radians", Class::Float, X, SAME, Pure::Radians, "an angle in degrees as radians"),
    noted("an infinity of the same sign for a zero",
        row("rcp", Class::AnyFloat, X, SAME, Pure::Rcp, "1 / x, correctly rounded")),
    each("round", Class::Float, Unary::Round, "the nearest integer, ties to even"),
    each("rsqrt", Class::Float, Unary::Rsqrt, "1 / sqrt(x)"),
    each("saturate", Class::AnyFloat, Unary::Saturate, "the value, clamped to the range 0 to 1; NaN becomes 0"),
    row("select", Class::Any, &[param("cond", Shape::Common, BOOL), value("then"), value("else")], SAME,
        Pure::Ternary(Ternary::Select), "for each component, the second or the third argument; both are evaluated"),
    noted("0 for NaN",
        row("sign", Class::Numeric, X, (Shape::Common, INT), Pure::Sign, "-1, 0 or 1")),
    each("sin", Class::Float, Unary::Sin, "the sine of an angle in radians"),
    effect("sincos", Class::Float, &[value("x"), out("s", Shape::Common, Elem::T), out("c", Shape::Common, Elem::T)],
        Function::Pure(Pure::SinCos), "the sine and the cosine of an angle in radians"),
    each("sinh", Class::Float, Unary::Sinh, "the hyperbolic sine"),
    noted("a step if the edges are equal",
        row("smoothstep", Class::Float, &[value("a"), value("b"), value("x")], SAME, Pure::Smoothstep,
        "0 below a, 1 above b, and between them t * t * (3 - 2 * t)")),
    each("sqrt", Class::Float, Unary::Sqrt, "the square root, correctly rounded"),
    noted("0 if either is NaN",
        row("step", Class::Float, &[value("edge"), value("x")], SAME, Pure::Step,
        "1 if x is at least the edge, otherwise 0")),
    noted("finite for every float",
        each("tan", Class::Float, Unary::Tan, "the tangent of an angle in radians")),
    each("tanh", Class::Float, Unary::Tanh, "the hyperbolic tangent"),
    each("trunc", Class::Float, Unary::Trunc, "the integer part"),
];

#[rustfmt::skip]
const VECTORS: &[Row] = &[
    row("cross", Class::Float, &[param("a", Shape::Vector(3), Elem::T), param("b", Shape::Vector(3), Elem::T)],
        (Shape::Vector(3), Elem::T), Pure::Cross, "the cross product"),
    row("determinant", Class::Float, &[param("m", Shape::Square, Elem::T)], SCALAR, Pure::Determinant,
        "the determinant, expanded along the first row"),
    noted("the squares may overflow, since they are not scaled",
        row("distance", Class::Float, &[vector("a"), vector("b")], SCALAR, Pure::Distance, "length(a - b)")),
    row("dot", Class::Numeric, &[vector("a"), vector("b")], SCALAR, Pure::Dot, "the dot product, summed from the left"),
    row("dst", Class::Numeric, &[param("a", Shape::Vector(4), Elem::T), param("b", Shape::Vector(4), Elem::T)],
        (Shape::Vector(4), Elem::T), Pure::Dst, "(1, a.y * b.y, a.z, b.w)"),
    noted("-n at a right angle",
        row("faceforward", Class::Float, &[vector("n"), vector("i"), vector("ng")], SAME_VECTOR, Pure::FaceForward,
        "n if dot(i, ng) is negative, otherwise -n")),
    noted("the squares may overflow, since they are not scaled",
        row("length", Class::Float, VECTOR, SCALAR, Pure::Length, "sqrt(dot(x, x))")),
    row("lit", Class::Float,
        &[param("l", Shape::Scalar, Elem::T), param("h", Shape::Scalar, Elem::T), param("m", Shape::Scalar, Elem::T)],
        (Shape::Vector(4), Elem::T), Pure::Lit, "(1, diffuse, specular, 1) of dot products and an exponent"),
    row("mul", Class::Numeric, &[param("a", Shape::Factor, Elem::T), param("b", Shape::Factor, Elem::T)],
        (Shape::Product, Elem::T), Pure::Mul,
        "the product; a vector is a row on the left of a matrix, a column on its right"),
    noted("NaN for a zero vector",
        row("normalize", Class::Float, VECTOR, SAME_VECTOR, Pure::Normalize, "x * rsqrt(dot(x, x))")),
    row("reflect", Class::Float, &[vector("i"), vector("n")], SAME_VECTOR, Pure::Reflect, "i - 2 * dot(i, n) * n"),
    row("refract", Class::Float, &[vector("i"), vector("n"), param("eta", Shape::Scalar, Elem::T)], SAME_VECTOR,
        Pure::Refract, "the direction of the refracted ray, or 0 for total internal reflection"),
    row("transpose", Class::Any, &[param("m", Shape::Matrix, Elem::T)], (Shape::Transposed, Elem::T), Pure::Transpose,
        "the transposed matrix"),
];

const fn bitcast(name: &'static str, class: Class, to: Scalar, summary: &'static str) -> Row {
    row(name, class, X, (Shape::Common, Elem::Is(to)), Pure::Bitcast, summary)
}

const fn word(name: &'static str) -> Param {
    param(name, Shape::Scalar, UINT)
}

const FOUR: Params = &[param("v", Shape::Vector(4), Elem::T)];
const PACKED: Params = &[word("packed")];

#[rustfmt::skip]
const BITS: &[Row] = &[
    row("AddUint64", Class::Any, &[param("a", Shape::CommonVector, UINT), param("b", Shape::CommonVector, UINT)],
        (Shape::CommonVector, UINT), Pure::AddUint64, "the sum of 64-bit numbers that are pairs of uint, low half first"),
    row("D3DCOLORtoUBYTE4", Class::Any, &[param("x", Shape::Vector(4), FLOAT)], (Shape::Vector(4), INT),
        Pure::ColorToUbyte4, "x.zyxw * 255.001953, truncated"),
    row("asdouble", Class::Any, &[param("low", Shape::CommonVector, UINT), param("high", Shape::CommonVector, UINT)],
        (Shape::CommonVector, Elem::Is(Scalar::F64)), Pure::AsDouble, "the double with these halves"),
    bitcast("asfloat", Class::Word, Scalar::F32, "the same 32 bits as a float"),
    since(V6_2, bitcast("asfloat16", Class::HalfWord, Scalar::F16, "the same 16 bits as a float16_t")),
    bitcast("asint", Class::Word, Scalar::I32, "the same 32 bits as an int"),
    since(V6_2, bitcast("asint16", Class::HalfWord, Scalar::I16, "the same 16 bits as an int16_t")),
    bitcast("asuint", Class::Word, Scalar::U32, "the same 32 bits as a uint"),
    effect("asuint", Class::Any, &[param("d", Shape::Common, Elem::Is(Scalar::F64)),
        out("low", Shape::Common, UINT), out("high", Shape::Common, UINT)],
        Function::Pure(Pure::SplitDouble), "the halves of a double"),
    since(V6_2, bitcast("asuint16", Class::HalfWord, Scalar::U16, "the same 16 bits as a uint16_t")),
    row("countbits", Class::Int, X, (Shape::Common, UINT), Pure::Unary(Unary::CountBits), "the number of set bits"),
    since(V6_4, row("dot2add", Class::Any,
        &[param("a", Shape::Vector(2), HALF), param("b", Shape::Vector(2), HALF), param("acc", Shape::Scalar, FLOAT)],
        (Shape::Scalar, FLOAT), Pure::Dot2Add, "a.x * b.x + a.y * b.y + acc, computed in float from the left")),
    since(V6_4, row("dot4add_i8packed", Class::Any, &[word("a"), word("b"), param("acc", Shape::Scalar, INT)],
        (Shape::Scalar, INT), Pure::Dot4Add { sign: Sign::Signed }, "the dot product of four signed bytes, plus acc")),
    since(V6_4, row("dot4add_u8packed", Class::Any, &[word("a"), word("b"), word("acc")],
        (Shape::Scalar, UINT), Pure::Dot4Add { sign: Sign::Unsigned },
        "the dot product of four unsigned bytes, plus acc")),
    row("f16tof32", Class::Any, &[param("x", Shape::Common, UINT)], (Shape::Common, FLOAT),
        Pure::Unary(Unary::UnpackHalf), "the 16-bit float in the low half"),
    noted("NaN becomes 0x7e00",
        row("f32tof16", Class::Any, &[param("x", Shape::Common, FLOAT)], (Shape::Common, UINT), Pure::Unary(Unary::PackHalf),
        "a 16-bit float in the low half, rounded to nearest")),
    row("firstbithigh", Class::Int, X, (Shape::Common, UINT), Pure::Unary(Unary::FirstBitHigh(Sign::Unsigned)),
        "the index of the highest set bit, or of the highest clear bit of a negative number; all ones if there is none"),
    row("firstbitlow", Class::Int, X, (Shape::Common, UINT), Pure::Unary(Unary::FirstBitLow),
        "the index of the lowest set bit; all ones if there is none"),
    row("msad4", Class::Any,
        &[word("reference"), param("source", Shape::Vector(2), UINT), param("accum", Shape::Vector(4), UINT)],
        (Shape::Vector(4), UINT), Pure::Msad4,
        "sums of absolute differences with the nonzero bytes of the reference, at four byte offsets"),
    since(ShaderModel::V6_6, row("pack_clamp_s8", Class::SmallSigned, FOUR, (Shape::Scalar, UINT),
        Pure::Pack { clamp: Some(Sign::Signed) }, "four numbers as signed bytes, clamped")),
    since(ShaderModel::V6_6, row("pack_clamp_u8", Class::SmallSigned, FOUR, (Shape::Scalar, UINT),
        Pure::Pack { clamp: Some(Sign::Unsigned) }, "four signed numbers as unsigned bytes, clamped")),
    since(ShaderModel::V6_6, row("pack_s8", Class::SmallInt, FOUR, (Shape::Scalar, UINT),
        Pure::Pack { clamp: None }, "the low bytes of four numbers")),
    since(ShaderModel::V6_6, row("pack_u8", Class::SmallInt, FOUR, (Shape::Scalar, UINT),
        Pure::Pack { clamp: None }, "the low bytes of four numbers")),
    each("reversebits", Class::Int, Unary::ReverseBits, "the bits in reverse order"),
    since(ShaderModel::V6_6, row("unpack_s8s16", Class::Any, PACKED, (Shape::Vector(4), Elem::Is(Scalar::I16)),
        Pure::Unpack { sign: Sign::Signed }, "four signed bytes as numbers")),
    since(ShaderModel::V6_6, row("unpack_s8s32", Class::Any, PACKED, (Shape::Vector(4), INT),
        Pure::Unpack { sign: Sign::Signed }, "four signed bytes as numbers")),
    since(ShaderModel::V6_6, row("unpack_u8u16", Class::Any, PACKED, (Shape::Vector(4), Elem::Is(Scalar::U16)),
        Pure::Unpack { sign: Sign::Unsigned }, "four unsigned bytes as numbers")),
    since(ShaderModel::V6_6, row("unpack_u8u32", Class::Any, PACKED, (Shape::Vector(4), UINT),
        Pure::Unpack { sign: Sign::Unsigned }, "four unsigned bytes as numbers")),
];

/// The lvalue of an atomic operation; its type decides.
const DEST: Param =
    Param { name: "dest", mode: Mode::Reference, shape: Shape::Scalar, elem: Elem::T };
const OPERAND: Param = param("value", Shape::Scalar, Elem::T);
const COMPARAND: Param = param("compare", Shape::Scalar, Elem::T);
const ORIGINAL: Param = out("original", Shape::Scalar, Elem::T);

const fn atomic(name: &'static str, op: Atomic, summary: &'static str) -> Row {
    let function = Function::Interlocked { op, returns: false };
    effect(name, Class::Atomic, &[DEST, OPERAND], function, summary)
}

const fn atomic_returning(name: &'static str, op: Atomic, summary: &'static str) -> Row {
    let function = Function::Interlocked { op, returns: true };
    effect(name, Class::Atomic, &[DEST, OPERAND, ORIGINAL], function, summary)
}

const fn compare_store(name: &'static str, class: Class, summary: &'static str) -> Row {
    let function = Function::Interlocked { op: Atomic::CompareExchange, returns: false };
    effect(name, class, &[DEST, COMPARAND, OPERAND], function, summary)
}

const fn compare_exchange(name: &'static str, class: Class, summary: &'static str) -> Row {
    let function = Function::Interlocked { op: Atomic::CompareExchange, returns: true };
    effect(name, class, &[DEST, COMPARAND, OPERAND, ORIGINAL], function, summary)
}

const fn barrier(
    name: &'static str,
    memory: MemoryScope,
    sync: SyncScope,
    summary: &'static str,
) -> Row {
    effect(name, Class::Any, NONE, Function::Barrier(Barrier { memory, sync }), summary)
}

/// A barrier that needs a thread group.
const fn of_group(
    name: &'static str,
    memory: MemoryScope,
    sync: SyncScope,
    summary: &'static str,
) -> Row {
    noted("in stages with thread groups", barrier(name, memory, sync, summary))
}

#[rustfmt::skip]
const MEMORY: &[Row] = &[
    of_group("AllMemoryBarrier", MemoryScope::All, SyncScope::None, "orders all memory"),
    of_group("AllMemoryBarrierWithGroupSync", MemoryScope::All, SyncScope::Group,
        "orders all memory and waits for the group"),
    noted("flags must be constant",
        since(V6_8, effect("Barrier", Class::Any, &[word("memory"), word("semantics")], Function::FlagBarrier,
        "orders the memory that the first flags name, at the scope of the second, and may wait for the group"))),
    noted("flags must be constant",
        since(V6_8, effect("Barrier", Class::Any, &[param("resource", Shape::Resource, UINT), word("semantics")],
        Function::FlagBarrier, "orders one buffer or texture, at the scope of the flags, and may wait for the group"))),
    noted("true for every status that a load returns",
        row("CheckAccessFullyMapped", Class::Any, &[word("status")], (Shape::Scalar, BOOL), Pure::IsMapped,
        "whether the access with this status touched only mapped memory")),
    barrier("DeviceMemoryBarrier", MemoryScope::Device, SyncScope::None, "orders buffers and textures"),
    of_group("DeviceMemoryBarrierWithGroupSync", MemoryScope::Device, SyncScope::Group,
        "orders buffers and textures and waits for the group"),
    of_group("GroupMemoryBarrier", MemoryScope::Group, SyncScope::None, "orders groupshared memory"),
    of_group("GroupMemoryBarrierWithGroupSync", MemoryScope::Group, SyncScope::Group,
        "orders groupshared memory and waits for the group"),
    atomic("InterlockedAdd", Atomic::Add, "adds atomically"),
    atomic_returning("InterlockedAdd", Atomic::Add, "adds atomically and returns the old value"),
    atomic("InterlockedAnd", Atomic::And, "ands atomically"),
    atomic_returning("InterlockedAnd", Atomic::And, "ands atomically and returns the old value"),
    compare_exchange("InterlockedCompareExchange", Class::Atomic,
        "atomically stores if the old value equals the comparand, and returns the old value"),
    since(ShaderModel::V6_6, compare_exchange("InterlockedCompareExchangeFloatBitwise", Class::AtomicFloat,
        "atomically stores if the old value has the comparand's bits, and returns the old value")),
    compare_store("InterlockedCompareStore", Class::Atomic, "atomically stores if the old value equals the comparand"),
    since(ShaderModel::V6_6, compare_store("InterlockedCompareStoreFloatBitwise", Class::AtomicFloat,
        "atomically stores if the old value has the comparand's bits")),
    Row { class: Class::AtomicOrFloat, ..atomic_returning("InterlockedExchange", Atomic::Exchange,
        "stores atomically and returns the old value") },
    atomic("InterlockedMax", Atomic::Max(Sign::Signed), "stores the maximum atomically"),
    atomic_returning("InterlockedMax", Atomic::Max(Sign::Signed),
        "stores the maximum atomically and returns the old value"),
    atomic("InterlockedMin", Atomic::Min(Sign::Signed), "stores the minimum atomically"),
    atomic_returning("InterlockedMin", Atomic::Min(Sign::Signed),
        "stores the minimum atomically and returns the old value"),
    atomic("InterlockedOr", Atomic::Or, "ors atomically"),
    atomic_returning("InterlockedOr", Atomic::Or, "ors atomically and returns the old value"),
    atomic("InterlockedXor", Atomic::Xor, "xors atomically"),
    atomic_returning("InterlockedXor", Atomic::Xor, "xors atomically and returns the old value"),
    Row { result: Some(SAME), ..effect("NonUniformResourceIndex", Class::Any, X, Function::NonUniform,
        "its argument; marks an index that may differ between lanes") },
];

const V6_10: ShaderModel = ShaderModel { major: 6, minor: 10 };

#[rustfmt::skip]
const DEBUGGING: &[Row] = &[
    since(V6_10, effect("DebugBreak", Class::Any, NONE, Function::Print(Print::Break),
        "stops a debugger that is attached; `wavelane run` prints a line instead")),
    since(V6_10, Row { result: Some((Shape::Scalar, BOOL)), ..effect(IS_DEBUGGING, Class::Any, NONE,
        Function::IsDebuggingEnabled, "whether the program is being debugged: what `--debugging` says") }),
    noted("an argument follows for each conversion, such as `%d` for an int, `%.2f` for a float and `%v3f` for a float3",
        effect("printf", Class::Any, &[param("format", Shape::Text, UINT)], Function::Print(Print::Always),
        "prints a line in each active lane")),
];
