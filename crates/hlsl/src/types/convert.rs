//! Conversions between types, their ranks, and the usual arithmetic conversions of an operator's operands.
//!
//! Shapes and elements are ranked separately. HLSL converts all numbers to each other without a cast, splats scalars
//! and truncates vectors and matrices; the caller warns about lossy conversions (`truncates`, `narrows`).
//!
//! Deliberately absent: lvalues (an `out` argument converts twice, so the caller queries twice), user-defined
//! conversions.

use ops::{Sign, Ty, Unary};

use crate::types::{BinaryOp, ResourceType, Scalar, Type, TypeId, Types};

/// The rank of an element conversion, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Element {
    Same,
    /// The same representation under another name: `half` where it is a `float`.
    Renamed,
    /// A literal takes a type; 0 is the preferred one: `int` for integers, then `uint`; `float` for floats.
    Literal(u8),
    /// To a wider type of the same kind, or from `bool` to `int`.
    Promotion,
    /// To a type of the same kind that is not wider: `uint` to `int`, `double` to `float`.
    Kin,
    Conversion,
}

/// The rank of a conversion, the best first. Overload resolution compares these argument by argument.
///
/// A conversion that keeps the shape beats one that does not, and a lossless splat beats a truncation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Rank {
    /// The shape stays; `vector<T, 1>` and `T` count as the same shape.
    Kept(Element),
    /// A struct converts to a base.
    Base,
    Splat(Element),
    /// A matrix becomes a vector of as many components, or the reverse.
    Reshape(Element),
    Truncation(Element),
}

/// An implicit conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Implicit {
    pub(crate) rank: Rank,
    /// Components are dropped.
    pub(crate) truncates: bool,
    /// The new element type has fewer bits, or is an integer where there was a float.
    pub(crate) narrows: bool,
}

impl Implicit {
    pub(crate) const IDENTITY: Implicit =
        Implicit { rank: Rank::Kept(Element::Same), truncates: false, narrows: false };
}

/// The rows and columns of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Scalar,
    Vector(u32),
    Matrix(u32, u32),
}

/// The implicit conversion of a value of type `from` to type `to`, if there is one.
pub(crate) fn implicit(types: &Types, from: TypeId, to: TypeId) -> Option<Implicit> {
    if from == to || from == Types::ERROR || to == Types::ERROR {
        return Some(Implicit::IDENTITY);
    }
    match (types.get(from), types.get(to)) {
        (Type::Struct(_), Type::Struct(_)) => is_base(types, from, to).then_some(Implicit {
            rank: Rank::Base,
            truncates: false,
            narrows: false,
        }),
        // An array of resources of any size converts to one of open size.
        (Type::Array { element: a, .. }, Type::Array { element: b, len: 0 })
            if types.holds_resource(a) =>
        {
            (implicit(types, a, b) == Some(Implicit::IDENTITY)).then_some(Implicit::IDENTITY)
        }
        (Type::Array { element: a, len: n }, Type::Array { element: b, len: m }) => (n == m
            && implicit(types, a, b) == Some(Implicit::IDENTITY))
        .then_some(Implicit::IDENTITY),
        // A format such as `unorm` converts in memory only: the shader sees the same type.
        (
            Type::Resource(ResourceType::Typed { element: a, writable: v, .. }),
            Type::Resource(ResourceType::Typed { element: b, writable: w, .. }),
        ) => (a == b && v == w).then_some(Implicit::IDENTITY),
        (Type::Resource(_), Type::Resource(_)) => super::heap::is_viewed_as(types, from, to)
            .then_some(Implicit {
                rank: Rank::Kept(Element::Conversion),
                truncates: false,
                narrows: false,
            }),
        _ => numeric(types, from, to),
    }
}

/// Structural equality: whether two structs hold the same numbers in the same order. Before HLSL 2021 such structs
/// convert to each other implicitly.
pub(crate) fn is_same_shape(types: &Types, from: TypeId, to: TypeId) -> bool {
    const MOST: usize = 1 << 12;
    let both_structs =
        matches!((types.get(from), types.get(to)), (Type::Struct(_), Type::Struct(_)));
    both_structs && types.numbers(from, MOST).is_some_and(|it| types.numbers(to, MOST) == Some(it))
}

/// Whether a cast to type `to` exists: every implicit conversion, a scalar splat to an aggregate, and a flattening
/// conversion from an aggregate of at least as many numbers, which takes the first of them.
pub(crate) fn explicit(types: &Types, from: TypeId, to: TypeId) -> bool {
    if implicit(types, from, to).is_some() {
        return true;
    }
    if !is_plain(types, from) || !is_plain(types, to) {
        return false;
    }
    let (have, want) = (number_count(types, from), number_count(types, to));
    have >= want || have == 1
}

/// The common type that both operands of an operator convert to, or `None` if the operator does not take them.
/// For shifts it is that of the left operand. Two literals stay literal.
pub(crate) fn common(types: &mut Types, op: BinaryOp, a: TypeId, b: TypeId) -> Option<TypeId> {
    if a == Types::ERROR || b == Types::ERROR {
        return Some(Types::ERROR);
    }
    let (left, right) = (types.scalar_of(a)?, types.scalar_of(b)?);
    // Values of the same enumeration compare; elsewhere those of an unscoped enumeration are integers.
    if left.is_scoped() || right.is_scoped() {
        let compares = op.is_comparison() && left == right;
        return if compares { with_common_shape(types, a, b, left) } else { None };
    }
    let (left, right) = (left.number(), right.number());
    let integers = !left.is_float() && !right.is_float();
    let scalar = match op {
        BinaryOp::Shl | BinaryOp::Shr => {
            if !integers {
                return None;
            }
            if left == Scalar::LiteralInt && right != Scalar::LiteralInt {
                Scalar::I32
            } else {
                number(left)
            }
        }
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
            if !integers {
                return None;
            }
            join(left, right)
        }
        BinaryOp::Eq | BinaryOp::Ne => join(left, right),
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
            number(join(left, right))
        }
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => number(join(left, right)),
    };
    with_common_shape(types, a, b, scalar)
}

/// The smaller of two shapes (a scalar takes the other's), with elements `scalar`.
/// `None` for a vector with a matrix of a different count.
pub(crate) fn with_common_shape(
    types: &mut Types,
    a: TypeId,
    b: TypeId,
    scalar: Scalar,
) -> Option<TypeId> {
    let shaped = match (shape_of(types, a)?, shape_of(types, b)?) {
        (Shape::Scalar, _) => b,
        (_, Shape::Scalar) => a,
        // A vector of one component counts as a scalar.
        (Shape::Vector(1), _) => b,
        (_, Shape::Vector(1)) => a,
        (Shape::Vector(n), Shape::Vector(m)) => {
            if n <= m {
                a
            } else {
                b
            }
        }
        (Shape::Matrix(r, c), Shape::Matrix(s, d)) => {
            let Type::Matrix { row_major, .. } = types.get(a) else { return None };
            return Some(types.intern(Type::Matrix {
                scalar,
                rows: r.min(s),
                columns: c.min(d),
                row_major,
            }));
        }
        (Shape::Vector(n), Shape::Matrix(r, c)) => (n == r * c).then_some(a)?,
        (Shape::Matrix(r, c), Shape::Vector(n)) => (n == r * c).then_some(b)?,
    };
    Some(types.with_scalar(shaped, scalar))
}

/// The rows and columns of a numeric type.
pub(crate) fn shape_of(types: &Types, id: TypeId) -> Option<Shape> {
    match types.get(id) {
        Type::Scalar(_) => Some(Shape::Scalar),
        Type::Vector(_, n) => Some(Shape::Vector(n)),
        Type::Matrix { rows, columns, .. } => Some(Shape::Matrix(rows, columns)),
        Type::Void
        | Type::Array { .. }
        | Type::Struct(_)
        | Type::Resource(_)
        | Type::String
        | Type::Error => None,
    }
}

/// The usual arithmetic conversions on elements: a float wins over an integer, the wider over the narrower,
/// unsigned over signed, and a literal takes the type of the other.
pub(crate) fn join(a: Scalar, b: Scalar) -> Scalar {
    use Scalar::*;
    match (a, b) {
        _ if a == b => a,
        (Enum(_), _) | (_, Enum(_)) => join(a.number(), b.number()),
        // A literal type is for constants, and a `bool` is seldom one.
        (Bool, other) | (other, Bool) => settled(other),
        (LiteralInt, other) | (other, LiteralInt) => other,
        (LiteralFloat, other) | (other, LiteralFloat) => {
            if other.is_float() {
                other
            } else {
                F32
            }
        }
        _ if a.is_float() != b.is_float() => {
            if a.is_float() {
                a
            } else {
                b
            }
        }
        _ if width(a) != width(b) => {
            if width(a) > width(b) {
                a
            } else {
                b
            }
        }
        (Half, F32) | (F32, Half) => F32,
        // Same width and kind: a signed and an unsigned integer, or a fixed and a minimum-precision type.
        _ if a.is_float() => F16,
        _ => match (a, b) {
            (Min16Int | Min16Uint, Min16Int | Min16Uint) => Min16Uint,
            (I16 | Min16Int, I16 | Min16Int) => I16,
            _ => match width(a) {
                16 => U16,
                32 => U32,
                _ => U64,
            },
        },
    }
}

/// The default type of a literal.
pub(crate) fn settled(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::LiteralInt => Scalar::I32,
        Scalar::LiteralFloat => Scalar::F32,
        other => other,
    }
}

/// The operation that converts one element; `None` if the bits stay the same.
pub(crate) fn operation(from: Scalar, to: Scalar, native_16bit: bool) -> Option<Unary> {
    let (before, after) = (from.ty(native_16bit), to.ty(native_16bit));
    (before != after).then(|| Unary::Convert {
        to: after,
        from_sign: from.sign(),
        to_sign: integer_sign(to, after),
    })
}

/// For each number of a value of type `to`, the index of its source among the numbers of `from`.
/// The types must convert, at least by a cast.
pub(crate) fn sources(types: &Types, from: TypeId, to: TypeId) -> Vec<usize> {
    let count = number_count(types, to) as usize;
    if number_count(types, from) == 1 {
        return vec![0; count];
    }
    match (shape_of(types, from), shape_of(types, to)) {
        (Some(Shape::Matrix(_, width)), Some(Shape::Matrix(rows, columns))) => (0..rows)
            .flat_map(|row| (0..columns).map(move |column| (row * width + column) as usize))
            .collect(),
        _ => (0..count).collect(),
    }
}

/// The number of a value's numbers as the source sees them, with each bit-field counted.
pub(crate) fn number_count(types: &Types, id: TypeId) -> u64 {
    types.contents(id).numbers
}

fn integer_sign(scalar: Scalar, ty: Ty) -> Sign {
    // Signedness is irrelevant to floats and bools.
    if ty.is_int() { scalar.sign() } else { Sign::Signed }
}

/// Integer promotion: arithmetic on `bool` is arithmetic on `int`.
fn number(scalar: Scalar) -> Scalar {
    if scalar == Scalar::Bool { Scalar::I32 } else { scalar }
}

fn width(scalar: Scalar) -> u32 {
    use Scalar::*;
    match scalar {
        Bool => 1,
        I16 | U16 | F16 | Min16Int | Min16Uint | Min16Float => 16,
        I32 | U32 | F32 | Half | LiteralInt | LiteralFloat => 32,
        I64 | U64 | F64 => 64,
        Enum(it) => width(it.held()),
    }
}

fn numeric(types: &Types, from: TypeId, to: TypeId) -> Option<Implicit> {
    let (source, target) = (types.scalar_of(from)?, types.scalar_of(to)?);
    // Only a cast converts a number to an enumeration, or a scoped enumeration to a number.
    let is_enum = |it| matches!(it, Scalar::Enum(_));
    if source != target && (is_enum(target) || source.is_scoped()) {
        return None;
    }
    let element = element(source, target);
    let narrows = narrows(source, target);
    let (rank, truncates) = match (shape_of(types, from)?, shape_of(types, to)?) {
        (a, b) if a == b => (Rank::Kept(element), false),
        (
            Shape::Scalar | Shape::Vector(1) | Shape::Matrix(1, 1),
            Shape::Scalar | Shape::Vector(1),
        ) => (Rank::Kept(element), false),
        (
            Shape::Scalar | Shape::Vector(1) | Shape::Matrix(1, 1),
            Shape::Vector(_) | Shape::Matrix(..),
        ) => (Rank::Splat(element), false),
        (Shape::Vector(_) | Shape::Matrix(..), Shape::Scalar | Shape::Vector(1)) => {
            (Rank::Truncation(element), true)
        }
        (Shape::Vector(n), Shape::Vector(m)) if n > m => (Rank::Truncation(element), true),
        (Shape::Matrix(r, c), Shape::Matrix(s, d)) if r >= s && c >= d => {
            (Rank::Truncation(element), true)
        }
        (Shape::Vector(n), Shape::Matrix(r, c)) | (Shape::Matrix(r, c), Shape::Vector(n))
            if n == r * c =>
        {
            (Rank::Reshape(element), false)
        }
        (Shape::Vector(_) | Shape::Matrix(..), Shape::Vector(_) | Shape::Matrix(..)) => {
            return None;
        }
    };
    Some(Implicit { rank, truncates, narrows })
}

fn element(from: Scalar, to: Scalar) -> Element {
    use Scalar::*;
    if from == to {
        return Element::Same;
    }
    match (from, to) {
        (Enum(it), _) if it.held() == to => Element::Promotion,
        (Enum(_), _) | (_, Enum(_)) => Element::Conversion,
        (LiteralInt, _) => Element::Literal(match to {
            I32 => 0,
            U32 => 1,
            I64 => 2,
            U64 => 3,
            Min16Int | I16 => 4,
            Min16Uint | U16 => 5,
            F32 | LiteralFloat => 6,
            F64 => 7,
            F16 | Min16Float | Half => 8,
            Bool | LiteralInt | Enum(_) => 9,
        }),
        (LiteralFloat, F32) => Element::Literal(0),
        (LiteralFloat, F64) => Element::Literal(1),
        (LiteralFloat, F16 | Min16Float | Half) => Element::Literal(2),
        (Half, F32) | (F32, Half) => Element::Renamed,
        (Bool, I32) => Element::Promotion,
        _ if from == Bool || to == Bool => Element::Conversion,
        _ if from.is_float() != to.is_float() => Element::Conversion,
        _ if width(from) >= width(to) => Element::Kin,
        _ if from.is_float() || from.sign() == to.sign() => Element::Promotion,
        _ => Element::Kin,
    }
}

fn narrows(from: Scalar, to: Scalar) -> bool {
    let (from, to) = (from.number(), to.number());
    if from.is_literal() || from == Scalar::Bool || to == Scalar::Bool {
        return from == Scalar::LiteralFloat && !to.is_float() && to != Scalar::Bool;
    }
    match (from.is_float(), to.is_float()) {
        (true, false) => true,
        (false, true) => false,
        (true, true) | (false, false) => width(to) < width(from),
    }
}

/// Inherited fields come first and are the base's own, so their indices are the same in the source.
pub(crate) fn is_base(types: &Types, derived: TypeId, base: TypeId) -> bool {
    let (Type::Struct(derived), Type::Struct(base)) = (types.get(derived), types.get(base)) else {
        return false;
    };
    let (derived, base) = (&types.structure(derived).fields, &types.structure(base).fields);
    !base.is_empty()
        && base.len() <= derived.len()
        && base
            .iter()
            .zip(derived)
            .all(|(a, b)| a.ty == b.ty && a.span == b.span && a.name == b.name)
}

/// Whether a value consists of numbers only.
fn is_plain(types: &Types, id: TypeId) -> bool {
    match types.get(id) {
        Type::Void | Type::String | Type::Error => false,
        Type::Scalar(_) | Type::Vector(..) | Type::Matrix { .. } => true,
        Type::Array { .. } | Type::Struct(_) | Type::Resource(_) => {
            !types.holds_resource(id) && types.scalar_count(id) > 0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Field, Struct};
    use diag::Span;

    fn vector(types: &mut Types, scalar: Scalar, n: u32) -> TypeId {
        types.vector(scalar, n)
    }

    fn matrix(types: &mut Types, rows: u32, columns: u32) -> TypeId {
        types.intern(Type::Matrix { scalar: Scalar::F32, rows, columns, row_major: false })
    }

    #[test]
    fn element_types_join_by_the_usual_arithmetic_conversions() {
        use Scalar::*;
        for (a, b, joined) in [
            (I32, U32, U32),
            (I32, F32, F32),
            (U64, I64, U64),
            (I64, U32, I64),
            (F16, I32, F16),
            (F16, F32, F32),
            (F32, F64, F64),
            (Min16Float, F16, F16),
            (Min16Int, Min16Uint, Min16Uint),
            (Min16Uint, I16, U16),
            (Min16Int, I16, I16),
            (Min16Int, I32, I32),
            (LiteralInt, U64, U64),
            (LiteralInt, F16, F16),
            (LiteralInt, LiteralFloat, LiteralFloat),
            (LiteralFloat, F16, F16),
            (LiteralFloat, U32, F32),
            (LiteralFloat, Bool, F32),
            (LiteralInt, Bool, I32),
            (Bool, U32, U32),
            (Bool, Bool, Bool),
        ] {
            assert_eq!(join(a, b), joined, "{a:?} {b:?}");
            assert_eq!(join(b, a), joined, "{b:?} {a:?}");
        }
    }

    #[test]
    fn better_conversions_have_smaller_ranks() {
        let mut types = Types::new();
        let (literal, double) = (types.scalar(Scalar::LiteralInt), types.scalar(Scalar::F64));
        let (float3, float4) =
            (vector(&mut types, Scalar::F32, 3), vector(&mut types, Scalar::F32, 4));
        let int3 = vector(&mut types, Scalar::I32, 3);
        let rank = |from, to| implicit(&types, from, to).map(|it| it.rank);
        // In each triple, the first type converts better to the second than to the third.
        for (from, better, worse) in [
            (Types::FLOAT, Types::FLOAT, double),
            (Types::FLOAT, double, Types::INT),
            (Types::FLOAT, Types::INT, float3),
            (Types::FLOAT, float3, int3),
            (literal, Types::INT, Types::UINT),
            (literal, Types::UINT, Types::FLOAT),
            (literal, Types::FLOAT, float3),
            (Types::BOOL, Types::INT, Types::FLOAT),
            (Types::UINT, Types::INT, Types::FLOAT),
            (float4, float4, float3),
            (float3, int3, Types::FLOAT),
        ] {
            assert!(
                rank(from, better) < rank(from, worse),
                "{} {} {}",
                types.name(from),
                types.name(better),
                types.name(worse)
            );
        }
        assert_eq!(rank(float3, float4), None);
    }

    #[test]
    fn lossy_conversions_are_flagged() {
        let mut types = Types::new();
        let (long, half) = (types.scalar(Scalar::I64), types.scalar(Scalar::F16));
        let (float3, float4) =
            (vector(&mut types, Scalar::F32, 3), vector(&mut types, Scalar::F32, 4));
        let (small, big) = (matrix(&mut types, 3, 3), matrix(&mut types, 4, 4));
        for (from, to, truncates, narrows) in [
            (Types::FLOAT, Types::INT, false, true),
            (Types::INT, Types::FLOAT, false, false),
            (Types::INT, Types::UINT, false, false),
            (long, Types::UINT, false, true),
            (Types::FLOAT, half, false, true),
            (Types::FLOAT, Types::BOOL, false, false),
            (float4, float3, true, false),
            (float4, Types::INT, true, true),
            (big, small, true, false),
        ] {
            let found = implicit(&types, from, to).unwrap();
            assert_eq!(
                (found.truncates, found.narrows),
                (truncates, narrows),
                "{} {}",
                types.name(from),
                types.name(to)
            );
        }
        assert_eq!(implicit(&types, small, big), None);
        assert_eq!(sources(&types, big, small), [0, 1, 2, 4, 5, 6, 8, 9, 10]);
        assert_eq!(sources(&types, Types::FLOAT, float3), [0, 0, 0]);
    }

    #[test]
    fn operands_convert_to_a_common_type() {
        use BinaryOp::*;
        let mut types = Types::new();
        let (float3, float4) =
            (vector(&mut types, Scalar::F32, 3), vector(&mut types, Scalar::F32, 4));
        let (int3, bool3) =
            (vector(&mut types, Scalar::I32, 3), vector(&mut types, Scalar::Bool, 3));
        let (big, small) = (matrix(&mut types, 4, 4), matrix(&mut types, 3, 2));
        let literal = types.scalar(Scalar::LiteralInt);
        for (op, a, b, result) in [
            (Add, int3, Types::FLOAT, Some(float3)),
            (Add, float4, float3, Some(float3)),
            (Mul, big, small, Some(small)),
            (Mul, big, Types::INT, Some(big)),
            (Mul, big, float3, None),
            (Add, bool3, bool3, Some(int3)),
            (Eq, bool3, bool3, Some(bool3)),
            (Or, bool3, Types::BOOL, Some(bool3)),
            (Xor, Types::FLOAT, Types::INT, None),
            (Shl, Types::UINT, Types::INT, Some(Types::UINT)),
            (Shl, literal, Types::UINT, Some(Types::INT)),
            (Shr, Types::INT, Types::FLOAT, None),
            (Lt, literal, literal, Some(literal)),
        ] {
            assert_eq!(
                common(&mut types, op, a, b),
                result,
                "{op:?} {} {}",
                types.name(a),
                types.name(b)
            );
        }
    }

    #[test]
    fn structs_convert_to_bases_and_by_casts_to_types_of_the_same_size() {
        let mut types = Types::new();
        let span = |at| Span::new(at, at + 1);
        let field = |name: &str, ty, at| Field {
            name: name.into(),
            ty,
            bits: None,
            hidden: false,
            offset: None,
            span: span(at),
        };
        let mut make = |name: &str, fields: &[(&str, u32)]| {
            let fields = fields.iter().map(|(name, at)| field(name, Types::FLOAT, *at)).collect();
            let id = types.add_struct(Struct { name: name.into(), fields });
            types.intern(Type::Struct(id))
        };
        let base = make("Base", &[("a", 1)]);
        let derived = make("Derived", &[("a", 1), ("b", 2)]);
        let other = make("Other", &[("a", 5), ("b", 6)]);
        let float2 = types.vector(Scalar::F32, 2);
        let float3 = types.vector(Scalar::F32, 3);
        assert_eq!(implicit(&types, derived, base).map(|it| it.rank), Some(Rank::Base));
        assert_eq!(implicit(&types, base, derived), None);
        assert_eq!(implicit(&types, other, base), None);
        assert_eq!(implicit(&types, other, derived), None);
        assert!(explicit(&types, other, derived));
        assert!(explicit(&types, Types::INT, derived));
        assert!(explicit(&types, derived, float2));
        assert!(explicit(&types, derived, Types::INT));
        assert!(!explicit(&types, derived, float3));
        assert!(!explicit(&types, Types::VOID, derived));
    }
}
