//! Overload resolution for library functions, with an explanation where no overload matches.

use ops::Sign;

use super::rows::{Class, Elem, Param, Row, Shape, UNSUPPORTED, rows};
use super::{ArgInfo, Function, Resolution};
use crate::types::convert::{self, implicit, join, settled, shape_of, with_common_shape};
use crate::types::{Mode, Scalar, Type, TypeId, Types};

/// The result of a matching overload.
type Signature = (Vec<(TypeId, Mode)>, TypeId);

pub(super) fn resolve(types: &mut Types, name: &str, args: &[ArgInfo]) -> Resolution<Function> {
    let as_given = |function| Resolution::Found {
        function,
        params: args.iter().map(|arg| (arg.ty, Mode::In)).collect(),
        result: Types::ERROR,
    };
    if let Some(name) = UNSUPPORTED.iter().find(|it| **it == name) {
        return as_given(Function::Unsupported(name));
    }
    let overloads: Vec<&Row> = rows().filter(|row| row.name == name).collect();
    let Some(first) = overloads.first() else { return Resolution::Unknown };
    if args.iter().any(|arg| arg.ty == Types::ERROR) {
        return as_given(first.function);
    }
    let mut reason = None;
    for row in overloads.iter().filter(|row| row.params.len() == args.len()) {
        match fit(types, row, args) {
            Ok((params, result)) => {
                return Resolution::Found {
                    function: concrete(types, row.function, &params),
                    params,
                    result,
                };
            }
            Err(message) => reason = reason.or(Some(message)),
        }
    }
    let message = reason.unwrap_or_else(|| {
        let mut counts: Vec<usize> = overloads.iter().map(|row| row.params.len()).collect();
        counts.dedup();
        count_message(name, &counts, args.len())
    });
    Resolution::Mismatch {
        message,
        notes: overloads
            .iter()
            .map(|row| format!("`{}`: {}", row.signature(), row.summary))
            .collect(),
    }
}

/// "`f` takes 2 or 3 arguments, but 1 was given"
pub(super) fn count_message(name: &str, counts: &[usize], given: usize) -> String {
    let wanted = counts.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ");
    let plural = if counts == [1] { "" } else { "s" };
    let were = if given == 1 { "was" } else { "were" };
    match counts {
        [0] => format!("`{name}` takes no arguments, but {given} {were} given"),
        _ => format!("`{name}` takes {wanted} argument{plural}, but {given} {were} given"),
    }
}

/// The minimum or maximum of an atomic has the sign of its operands' type.
fn concrete(types: &Types, function: Function, params: &[(TypeId, Mode)]) -> Function {
    match (function, params.first().and_then(|(ty, _)| types.scalar_of(*ty))) {
        (Function::Interlocked { op, returns }, Some(scalar)) => {
            Function::Interlocked { op: with_sign(op, scalar.sign()), returns }
        }
        _ => function,
    }
}

pub(super) fn with_sign(op: ir::Atomic, sign: Sign) -> ir::Atomic {
    use ir::Atomic::*;
    match op {
        Min(_) => Min(sign),
        Max(_) => Max(sign),
        Add | And | Or | Xor | Exchange | CompareExchange => op,
    }
}

fn fit(types: &mut Types, row: &Row, args: &[ArgInfo]) -> Result<Signature, String> {
    let element = element(types, row, args)?;
    let scalar = |elem: Elem| match elem {
        Elem::T => element,
        Elem::Is(scalar) => scalar,
    };
    let shape = common_shape(types, row, args)?;
    let factors = factors(types, row, args)?;
    let mut params = Vec::with_capacity(args.len());
    for (i, (param, arg)) in row.params.iter().zip(args).enumerate() {
        let ty = match param.shape {
            Shape::Common | Shape::CommonVector => types.with_scalar(shape, scalar(param.elem)),
            Shape::Factor => types.with_scalar(factors[i], scalar(param.elem)),
            Shape::Matrix | Shape::Square | Shape::Transposed | Shape::Product => {
                types.with_scalar(arg.ty, scalar(param.elem))
            }
            Shape::Scalar => types.scalar(scalar(param.elem)),
            Shape::Vector(n) => types.vector(scalar(param.elem), n),
            Shape::Resource => arg.ty,
            Shape::Text => types.intern(Type::String),
        };
        check(types, row, param, arg, ty)?;
        params.push((ty, param.mode));
    }
    let result = match row.result {
        None => Types::VOID,
        Some((shape_of_result, elem)) => {
            let elem = scalar(elem);
            match shape_of_result {
                Shape::Common | Shape::CommonVector => types.with_scalar(shape, elem),
                Shape::Scalar | Shape::Factor => types.scalar(elem),
                Shape::Vector(n) => types.vector(elem, n),
                Shape::Matrix | Shape::Square => types.with_scalar(params[0].0, elem),
                Shape::Transposed => transposed(types, params[0].0),
                Shape::Product => product(types, params[0].0, params[1].0),
                Shape::Resource | Shape::Text => params[0].0,
            }
        }
    };
    Ok((params, result))
}

/// Deduces `T`.
fn element(types: &Types, row: &Row, args: &[ArgInfo]) -> Result<Scalar, String> {
    // An atomic takes its type from the lvalue, regardless of the other arguments.
    if let (Some(Param { mode: Mode::Reference, name, .. }), Some(arg)) =
        (row.params.first(), args.first())
    {
        return match types.get(arg.ty) {
            Type::Scalar(scalar) if arg.is_place && row.class.admit(scalar) == Some(scalar) => {
                Ok(scalar)
            }
            _ if !arg.is_place => {
                Err(format!("`{name}` of `{}` is not an lvalue that can be written", row.name))
            }
            Type::Scalar(Scalar::F32) => Err(format!(
                "`{}` does not take `float`; `InterlockedExchange` and the `FloatBitwise` functions do",
                row.name
            )),
            _ => Err(format!(
                "`{}` works on {}, not on `{}`",
                row.name,
                row.class.words(),
                types.name(arg.ty)
            )),
        };
    }
    let mut joined = None;
    for (param, arg) in row.params.iter().zip(args) {
        if param.mode != Mode::In || param.elem != Elem::T {
            continue;
        }
        let Some(scalar) = types.scalar_of(arg.ty) else {
            return Err(format!(
                "`{}` of `{}` must be a number, a vector or a matrix, but `{}` is not",
                param.name,
                row.name,
                types.name(arg.ty)
            ));
        };
        joined = Some(joined.map_or(scalar, |so_far| join(so_far, scalar)));
    }
    // Rows without `T` ignore it.
    let Some(joined) = joined else { return Ok(Scalar::F32) };
    row.class.admit(joined).ok_or_else(|| {
        format!("`{}` takes {}, not `{}`", row.name, row.class.words(), joined.name())
    })
}

/// The common shape of the arguments that have it; its element type is a placeholder.
fn common_shape(types: &mut Types, row: &Row, args: &[ArgInfo]) -> Result<TypeId, String> {
    let mut shape = Types::FLOAT;
    for (param, arg) in row.params.iter().zip(args) {
        let vectors_only = param.shape == Shape::CommonVector;
        if param.mode != Mode::In || !vectors_only && param.shape != Shape::Common {
            continue;
        }
        let found = shape_of(types, arg.ty);
        if found.is_none() || vectors_only && matches!(found, Some(convert::Shape::Matrix(..))) {
            let wanted = if vectors_only {
                "a number or a vector"
            } else {
                "a number, a vector or a matrix"
            };
            let name = types.name(arg.ty);
            return Err(format!(
                "`{}` of `{}` must be {wanted}, but `{name}` is not",
                param.name, row.name
            ));
        }
        let before = types.name(shape);
        shape = with_common_shape(types, shape, arg.ty, Scalar::F32).ok_or_else(|| {
            format!(
                "`{}` of `{}` is a `{}`, which does not match a `{before}`",
                param.name,
                row.name,
                types.name(arg.ty)
            )
        })?;
    }
    Ok(shape)
}

/// The shapes of the factors of a product, truncated to what can be multiplied.
fn factors(types: &mut Types, row: &Row, args: &[ArgInfo]) -> Result<Vec<TypeId>, String> {
    use convert::Shape::*;
    if !row.params.iter().any(|param| param.shape == Shape::Factor) {
        return Ok(Vec::new());
    }
    let mut shapes = Vec::new();
    for (param, arg) in row.params.iter().zip(args) {
        shapes.push(shape_of(types, arg.ty).ok_or_else(|| {
            format!(
                "`{}` of `{}` must be a number, a vector or a matrix, but `{}` is not",
                param.name,
                row.name,
                types.name(arg.ty)
            )
        })?);
    }
    let cut = match (shapes[0], shapes[1]) {
        (Scalar, other) => [Scalar, other],
        (other, Scalar) => [other, Scalar],
        (Vector(n), Vector(m)) => [Vector(n.min(m)), Vector(n.min(m))],
        (Vector(n), Matrix(r, c)) => [Vector(n.min(r)), Matrix(n.min(r), c)],
        (Matrix(r, c), Vector(n)) => [Matrix(r, c.min(n)), Vector(c.min(n))],
        (Matrix(r, c), Matrix(s, d)) => [Matrix(r, c.min(s)), Matrix(c.min(s), d)],
    };
    Ok(cut.into_iter().zip(args).map(|(shape, arg)| shaped_like(types, shape, arg.ty)).collect())
}

/// A type of this shape with the storage order of `like`; its element type is a placeholder.
fn shaped_like(types: &mut Types, shape: convert::Shape, like: TypeId) -> TypeId {
    match shape {
        convert::Shape::Scalar => Types::FLOAT,
        convert::Shape::Vector(n) => types.vector(Scalar::F32, n),
        convert::Shape::Matrix(rows, columns) => {
            let row_major = matches!(types.get(like), Type::Matrix { row_major: true, .. });
            types.intern(Type::Matrix { scalar: Scalar::F32, rows, columns, row_major })
        }
    }
}

fn transposed(types: &mut Types, id: TypeId) -> TypeId {
    match types.get(id) {
        Type::Matrix { scalar, rows, columns, row_major } => {
            types.intern(Type::Matrix { scalar, rows: columns, columns: rows, row_major })
        }
        _ => id,
    }
}

fn product(types: &mut Types, a: TypeId, b: TypeId) -> TypeId {
    use convert::Shape::*;
    let Some(scalar) = types.scalar_of(a) else { return a };
    match (shape_of(types, a), shape_of(types, b)) {
        (Some(Scalar), _) => b,
        (_, Some(Scalar)) => a,
        (Some(Vector(_)), Some(Vector(_))) => types.scalar(scalar),
        (Some(Vector(_)), Some(Matrix(_, columns))) => types.vector(scalar, columns),
        (Some(Matrix(rows, _)), Some(Vector(_))) => types.vector(scalar, rows),
        (Some(Matrix(rows, _)), Some(Matrix(_, columns))) => {
            let like = shaped_like(types, Matrix(rows, columns), a);
            types.with_scalar(like, scalar)
        }
        (None, _) | (_, None) => a,
    }
}

/// Whether the argument can be passed for a parameter of type `ty`.
fn check(types: &Types, row: &Row, param: &Param, arg: &ArgInfo, ty: TypeId) -> Result<(), String> {
    let shape = shape_of(types, arg.ty);
    let fits_shape = match param.shape {
        Shape::Matrix | Shape::Transposed => matches!(shape, Some(convert::Shape::Matrix(..))),
        Shape::Square => matches!(shape, Some(convert::Shape::Matrix(r, c)) if r == c),
        Shape::Resource => matches!(types.get(arg.ty), Type::Resource(_)),
        Shape::Common
        | Shape::CommonVector
        | Shape::Factor
        | Shape::Product
        | Shape::Scalar
        | Shape::Text
        | Shape::Vector(_) => true,
    };
    if !fits_shape {
        let wanted = match param.shape {
            Shape::Square => "square matrix",
            Shape::Resource => "buffer or a texture",
            _ => "matrix",
        };
        return Err(format!(
            "`{}` takes a {wanted}, but `{}` is not one",
            row.name,
            types.name(arg.ty)
        ));
    }
    passes(types, row.name, param.name, param.mode, arg, ty)
}

/// Whether an argument converts to its parameter, and for an `out` parameter back.
pub(super) fn passes(
    types: &Types,
    function: &str,
    param: &str,
    mode: Mode,
    arg: &ArgInfo,
    ty: TypeId,
) -> Result<(), String> {
    if mode != Mode::In && !arg.is_place {
        return Err(format!("`{param}` of `{function}` is written, so it must be a variable"));
    }
    let (from, to) = if mode == Mode::Out { (ty, arg.ty) } else { (arg.ty, ty) };
    if implicit(types, from, to).is_some() {
        return Ok(());
    }
    Err(format!(
        "`{param}` of `{function}` must be `{}`, but this is `{}`",
        types.name(ty),
        types.name(arg.ty)
    ))
}

impl Row {
    /// Whether some parameter or the result has the type that the arguments decide.
    pub fn is_generic(&self) -> bool {
        let params = self.params.iter().map(|param| param.elem);
        params.chain(self.result.map(|(_, elem)| elem)).any(|elem| elem == Elem::T)
    }

    /// Such as `lerp(T a, T b, T t) -> T`.
    pub fn signature(&self) -> String {
        let params: Vec<String> = self
            .params
            .iter()
            .map(|param| {
                let mode = match param.mode {
                    Mode::In => "",
                    Mode::Out => "out ",
                    Mode::InOut | Mode::Reference => "inout ",
                };
                format!("{mode}{} {}", spell(param.shape, param.elem), param.name)
            })
            .collect();
        let result = self.result.map_or("void".to_owned(), |(shape, elem)| spell(shape, elem));
        format!("{result} {}({})", self.name, params.join(", "))
    }
}

fn spell(shape: Shape, elem: Elem) -> String {
    let elem = match elem {
        Elem::T => "T",
        Elem::Is(scalar) => scalar.name(),
    };
    match shape {
        Shape::Common | Shape::Factor | Shape::Product => format!("{elem}<…>"),
        Shape::CommonVector => format!("{elem}<N>"),
        Shape::Matrix => format!("{elem}<R, C>"),
        Shape::Square => format!("{elem}<N, N>"),
        Shape::Transposed => format!("{elem}<C, R>"),
        Shape::Scalar => elem.to_owned(),
        Shape::Vector(n) => format!("{elem}<{n}>"),
        Shape::Resource => "resource".to_owned(),
        Shape::Text => "string".to_owned(),
    }
}

impl Class {
    /// The converted element type, or `None` where the class rejects it.
    pub fn admit(self, scalar: Scalar) -> Option<Scalar> {
        use Scalar::*;
        let settled = settled(scalar);
        if matches!(settled, Enum(_)) {
            return None;
        }
        let result = match self {
            Class::Any => settled,
            Class::Numeric if settled == Bool => I32,
            Class::Numeric => settled,
            Class::Float => match settled {
                F16 | Min16Float | Half => settled,
                Bool | I16 | U16 | I32 | U32 | I64 | U64 | F32 | F64 | Min16Int | Min16Uint
                | LiteralInt | LiteralFloat | Enum(_) => F32,
            },
            Class::AnyFloat => match settled {
                F16 | Min16Float | Half | F64 => settled,
                Bool | I16 | U16 | I32 | U32 | I64 | U64 | F32 | Min16Int | Min16Uint
                | LiteralInt | LiteralFloat | Enum(_) => F32,
            },
            Class::Int => match settled {
                Bool => U32,
                other if other.is_float() => I32,
                other => other,
            },
            Class::SmallInt => match settled {
                Bool => U32,
                I16 | U16 | I32 | U32 | Min16Int | Min16Uint => settled,
                I64 | U64 | F16 | F32 | F64 | Min16Float | Half | LiteralInt | LiteralFloat
                | Enum(_) => {
                    return None;
                }
            },
            Class::SmallSigned => match settled {
                Bool | U32 | I32 => I32,
                I16 | U16 => I16,
                Min16Int | Min16Uint => Min16Int,
                I64 | U64 | F16 | F32 | F64 | Min16Float | Half | LiteralInt | LiteralFloat
                | Enum(_) => {
                    return None;
                }
            },
            Class::Word => match settled {
                Bool | Min16Uint => U32,
                Min16Int => I32,
                Min16Float | Half => F32,
                I32 | U32 | F32 => settled,
                I16 | U16 | I64 | U64 | F16 | F64 | LiteralInt | LiteralFloat | Enum(_) => {
                    return None;
                }
            },
            Class::HalfWord => match settled {
                I16 | U16 | F16 => settled,
                // A literal takes the size of its context.
                I32 if scalar == LiteralInt => I16,
                F32 if scalar == LiteralFloat => F16,
                Bool | I32 | U32 | I64 | U64 | F32 | F64 | Min16Int | Min16Uint | Min16Float
                | Half | LiteralInt | LiteralFloat | Enum(_) => return None,
            },
            Class::Atomic | Class::AtomicOrFloat | Class::AtomicFloat => {
                let integer =
                    matches!(settled, I32 | U32 | I64 | U64) && self != Class::AtomicFloat;
                let float = matches!(settled, F32 | Half) && self != Class::Atomic;
                return (integer || float).then_some(settled);
            }
        };
        Some(result)
    }

    /// What a function of the class takes, for messages.
    pub fn words(self) -> &'static str {
        match self {
            Class::Any => "numbers and bools",
            Class::Numeric => "numbers",
            Class::Float => "floats",
            Class::AnyFloat => "floats and doubles",
            Class::Int => "integers",
            Class::SmallInt | Class::SmallSigned => "integers of 16 or 32 bits",
            Class::Word => "values of 32 bits",
            Class::HalfWord => "values of 16 bits",
            Class::Atomic => "`int`, `uint` and 64-bit integers",
            Class::AtomicOrFloat => "`int`, `uint`, 64-bit integers and `float`",
            Class::AtomicFloat => "`float`",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::testing::{args, describe};

    /// The signature for the arguments, or the message.
    fn outcome(call: &str) -> String {
        let (name, rest) = call.split_once('(').unwrap();
        let mut types = Types::new();
        let args = args(&mut types, rest.trim_end_matches(')'));
        match resolve(&mut types, name, &args) {
            Resolution::Found { params, result, .. } => describe(&types, &params, result),
            Resolution::Mismatch { message, .. } => message,
            Resolution::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn arguments_choose_the_signature() {
        for (call, signature) in [
            ("sin(float3)", "(float3) float3"),
            ("sin(int)", "(float) float"),
            ("sin(double)", "(float) float"),
            ("sin(float16_t2)", "(float16_t2) float16_t2"),
            ("sqrt(double)", "(float) float"),
            ("fma(double, literal int, literal float)", "(double, double, double) double"),
            ("saturate(double2)", "(double2) double2"),
            ("lerp(double, float, float)", "(float, float, float) float"),
            ("abs(literal int)", "(int) int"),
            ("abs(float2x3)", "(float2x3) float2x3"),
            ("min(int, uint)", "(uint, uint) uint"),
            ("max(literal int, float3)", "(float3, float3) float3"),
            ("max(float4, float3)", "(float3, float3) float3"),
            (
                "clamp(uint64_t, literal int, literal int)",
                "(uint64_t, uint64_t, uint64_t) uint64_t",
            ),
            ("lerp(float3, literal float, float)", "(float3, float3, float3) float3"),
            ("pow(int, literal float)", "(float, float) float"),
            ("mad(bool, literal int, literal int)", "(int, int, int) int"),
            ("dot(float3, int3)", "(float3, float3) float"),
            ("dot(float, float)", "(float, float) float"),
            ("length(int2)", "(float2) float"),
            ("cross(literal int, float3)", "(float3, float3) float3"),
            ("any(float4x4)", "(float4x4) bool"),
            ("select(bool3, float, literal int)", "(bool3, float3, float3) float3"),
            ("select(bool, uint4, literal int)", "(bool4, uint4, uint4) uint4"),
            ("and(bool2, int2)", "(bool2, bool2) bool2"),
            ("isnan(float3)", "(float3) bool3"),
            ("sign(uint2)", "(uint2) int2"),
            ("countbits(int64_t2)", "(int64_t2) uint2"),
            ("firstbithigh(literal int)", "(int) uint"),
            ("reversebits(int)", "(int) int"),
            ("asfloat(uint4)", "(uint4) float4"),
            ("asuint(literal float)", "(float) uint"),
            ("asuint(double2, out uint2, out uint2)", "(double2, out uint2, out uint2) void"),
            ("asdouble(uint, uint)", "(uint, uint) double"),
            ("f16tof32(int3)", "(uint3) float3"),
            ("sincos(float2, out float2, out float2)", "(float2, out float2, out float2) void"),
            ("modf(float3, out int3)", "(float3, out float3) float3"),
            ("refract(float3, float3, literal int)", "(float3, float3, float) float3"),
            ("transpose(int2x3)", "(int2x3) int3x2"),
            ("determinant(float3x3)", "(float3x3) float"),
            ("mul(float, float4)", "(float, float4) float4"),
            ("mul(float4x3, literal int)", "(float4x3, float) float4x3"),
            ("mul(float4, float4x3)", "(float4, float4x3) float3"),
            ("mul(float3x4, float4)", "(float3x4, float4) float3"),
            ("mul(float4x4, float3)", "(float4x3, float3) float4"),
            ("mul(float2x3, float3x4)", "(float2x3, float3x4) float2x4"),
            ("mul(int3, float3)", "(float3, float3) float"),
            ("InterlockedAdd(out uint, int)", "(ref uint, uint) void"),
            ("InterlockedMax(out int, literal int, out uint)", "(ref int, int, out int) void"),
            (
                "InterlockedExchange(out float, literal int, out float)",
                "(ref float, float, out float) void",
            ),
            (
                "InterlockedCompareExchange(out uint64_t, int, int, out uint64_t)",
                "(ref uint64_t, uint64_t, uint64_t, out uint64_t) void",
            ),
            ("pack_clamp_u8(int4)", "(int4) uint"),
            ("pack_clamp_u8(uint4)", "(int4) uint"),
            ("dot2add(float16_t2, float16_t2, float)", "(float16_t2, float16_t2, float) float"),
            ("NonUniformResourceIndex(uint)", "(uint) uint"),
            ("GroupMemoryBarrierWithGroupSync()", "() void"),
            ("ddx(float)", "(float) float"),
            ("errorf(float)", "(float) an unknown type"),
            ("sine(float)", "unknown"),
        ] {
            assert_eq!(outcome(call), signature, "{call}");
        }
    }

    #[test]
    fn mismatches_are_explained() {
        for (call, message) in [
            ("sin()", "`sin` takes 1 argument, but 0 were given"),
            ("InterlockedOr(out uint)", "`InterlockedOr` takes 2 or 3 arguments, but 1 was given"),
            ("printf(float)", "`format` of `printf` must be `string`, but this is `float`"),
            ("AllMemoryBarrier(int)", "`AllMemoryBarrier` takes no arguments, but 1 was given"),
            (
                "dot(float3, float3x3)",
                "`b` of `dot` must be a number or a vector, but `float3x3` is not",
            ),
            (
                "max(float3, float3x3)",
                "`y` of `max` is a `float3x3`, which does not match a `float3`",
            ),
            ("transpose(float3)", "`transpose` takes a matrix, but `float3` is not one"),
            (
                "determinant(float2x3)",
                "`determinant` takes a square matrix, but `float2x3` is not one",
            ),
            ("cross(float2, float3)", "`a` of `cross` must be `float3`, but this is `float2`"),
            ("asuint(uint64_t)", "`asuint` takes values of 32 bits, not `uint64_t`"),
            (
                "sincos(float, float, out float)",
                "`s` of `sincos` is written, so it must be a variable",
            ),
            (
                "InterlockedAdd(uint, uint)",
                "`dest` of `InterlockedAdd` is not an lvalue that can be written",
            ),
            (
                "InterlockedAdd(out float, float)",
                "`InterlockedAdd` does not take `float`; `InterlockedExchange` and the `FloatBitwise` functions do",
            ),
            (
                "InterlockedAdd(out uint2, uint)",
                "`InterlockedAdd` works on `int`, `uint` and 64-bit integers, not on `uint2`",
            ),
        ] {
            assert_eq!(outcome(call), message, "{call}");
        }
    }

    #[test]
    fn atomics_compare_by_the_sign_of_the_destination() {
        for (dest, sign) in [("out int", Sign::Signed), ("out uint64_t", Sign::Unsigned)] {
            let mut types = Types::new();
            let args = args(&mut types, &format!("{dest}, literal int"));
            let Resolution::Found { function, .. } = resolve(&mut types, "InterlockedMin", &args)
            else {
                panic!("{dest}")
            };
            assert_eq!(
                function,
                Function::Interlocked { op: ir::Atomic::Min(sign), returns: false }
            );
        }
    }

    #[test]
    fn rows_of_a_name_are_adjacent_and_all_can_be_spelled() {
        let names: Vec<&str> = crate::library::names().collect();
        let mut unique = names.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
        for row in rows() {
            assert!(row.signature().contains(row.name) && !row.summary.is_empty());
            assert!(
                !ops::intrinsics::all().any(|it| it.name == row.name),
                "{} is not a wave function",
                row.name
            );
        }
    }
}
