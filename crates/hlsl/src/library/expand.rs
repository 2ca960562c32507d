//! Expands pure functions into instructions.
//!
//! Everything here is straight-line code, so that constant folding can run it. Each composite is the natural formula,
//! computed from the left with one rounding for each operation: no `fma` unless the source says so.
//! One file for each family; [`Emit`] builds the instructions.

mod arithmetic;
mod bits;
mod matrix;
mod packing;
mod vector;

use ir::{Builder, Derivative, Op, Value, Values, values};
use ops::{Binary, Compare, Sign, Ternary, Ty, Unary};

use super::Pure;
use crate::types::convert::{Shape, shape_of};
use crate::types::{Scalar, TypeId, Types};

/// An argument, converted to the parameter's type.
#[derive(Clone, Debug)]
pub struct Operand {
    pub ty: TypeId,
    /// In the order of [`Types::flatten`].
    pub scalars: Values,
}

/// Appends the instructions of a function. The values are the result's scalars, then those of `out` parameters in
/// order.
///
/// `args` are those of the `in` parameters; `result` is the function's result type, `void` where there is none.
pub fn expand(
    function: Pure,
    builder: &mut Builder,
    types: &Types,
    native_16bit: bool,
    args: &[Operand],
    result: TypeId,
) -> Values {
    let scalars: Vec<&[Value]> = args.iter().map(|arg| arg.scalars.as_slice()).collect();
    let sign =
        args.first().and_then(|arg| types.scalar_of(arg.ty)).map_or(Sign::Signed, Scalar::sign);
    let result_ty = types.scalar_of(result).map_or(Ty::F32, |scalar| scalar.ty(native_16bit));
    let shape =
        |i: usize| args.get(i).and_then(|arg| shape_of(types, arg.ty)).unwrap_or(Shape::Scalar);
    let e = &mut Emit { builder };
    match function {
        // An unsigned integer is its own absolute value; the operation reads it as signed.
        Pure::Unary(Unary::Abs) if sign == Sign::Unsigned => scalars[0].into(),
        Pure::Unary(op) => e.each(&scalars, |e, [x]| e.unary(with_unary_sign(op, sign), x)),
        Pure::Binary(op) => e.each(&scalars, |e, [x, y]| {
            // Floats compute with the signed operations.
            let sign = if e.ty(x).is_int() { sign } else { Sign::Signed };
            e.binary(with_binary_sign(op, sign), x, y)
        }),
        Pure::Ternary(op) => e.each(&scalars, |e, [x, y, z]| e.ternary(op, x, y, z)),
        Pure::Clamp => {
            e.each(&scalars, |e, [x, low, high]| arithmetic::clamp(e, sign, x, low, high))
        }
        Pure::Degrees => {
            e.each(&scalars, |e, [x]| arithmetic::scale(e, x, 180.0 / std::f64::consts::PI))
        }
        Pure::Radians => {
            e.each(&scalars, |e, [x]| arithmetic::scale(e, x, std::f64::consts::PI / 180.0))
        }
        Pure::Derivative(of) => e.each(&scalars, |e, [x]| e.derivative(of, x)),
        Pure::Fwidth => e.each(&scalars, |e, [x]| {
            let parts = [Derivative::XCoarse, Derivative::YCoarse];
            let [x, y] = parts.map(|of| {
                let part = e.derivative(of, x);
                e.unary(Unary::Abs, part)
            });
            e.add(x, y)
        }),
        Pure::Frac => e.each(&scalars, |e, [x]| arithmetic::frac(e, x)),
        Pure::Frexp => e.each_pair(&scalars, |e, [x]| arithmetic::frexp(e, x)),
        Pure::IsNormal => e.each(&scalars, |e, [x]| arithmetic::is_normal(e, x)),
        Pure::Ldexp => e.each(&scalars, |e, [x, exp]| arithmetic::ldexp(e, x, exp)),
        Pure::Lerp => e.each(&scalars, |e, [a, b, t]| arithmetic::lerp(e, a, b, t)),
        Pure::Mad => e.each(&scalars, |e, [a, b, c]| arithmetic::mad(e, a, b, c)),
        Pure::Modf => e.each_pair(&scalars, |e, [x]| arithmetic::modf(e, x)),
        Pure::Rcp => e.each(&scalars, |e, [x]| arithmetic::rcp(e, x)),
        Pure::Sign => e.each(&scalars, |e, [x]| arithmetic::sign(e, sign, x)),
        Pure::SinCos => {
            e.each_pair(&scalars, |e, [x]| (e.unary(Unary::Sin, x), e.unary(Unary::Cos, x)))
        }
        Pure::Smoothstep => e.each(&scalars, |e, [a, b, x]| arithmetic::smoothstep(e, a, b, x)),
        Pure::Step => e.each(&scalars, |e, [edge, x]| arithmetic::step(e, edge, x)),
        Pure::All => values![vector::fold_bools(e, Binary::And, scalars[0])],
        Pure::Any => values![vector::fold_bools(e, Binary::Or, scalars[0])],
        Pure::Cross => vector::cross(e, scalars[0], scalars[1]),
        Pure::Distance => values![vector::distance(e, scalars[0], scalars[1])],
        Pure::Dot => values![vector::dot(e, scalars[0], scalars[1])],
        Pure::Dst => vector::dst(e, scalars[0], scalars[1]),
        Pure::FaceForward => vector::face_forward(e, scalars[0], scalars[1], scalars[2]),
        Pure::Length => values![vector::length(e, scalars[0])],
        Pure::Lit => vector::lit(e, scalars[0][0], scalars[1][0], scalars[2][0]),
        Pure::Normalize => vector::normalize(e, scalars[0]),
        Pure::Reflect => vector::reflect(e, scalars[0], scalars[1]),
        Pure::Refract => vector::refract(e, scalars[0], scalars[1], scalars[2][0]),
        Pure::Determinant => values![matrix::determinant(e, scalars[0])],
        Pure::Mul => matrix::mul(e, (shape(0), scalars[0]), (shape(1), scalars[1])),
        Pure::Transpose => matrix::transpose(shape(0), scalars[0]),
        Pure::AddUint64 => bits::add_uint64(e, scalars[0], scalars[1]),
        Pure::AsDouble => e.each(&scalars, |e, [low, high]| bits::as_double(e, low, high)),
        Pure::Bitcast => e.each(&scalars, |e, [x]| e.bitcast(result_ty, x)),
        Pure::IsMapped => e.each(&scalars, |e, [status]| e.is_nonzero(status)),
        Pure::SplitDouble => e.each_pair(&scalars, |e, [x]| bits::split_double(e, x)),
        Pure::ColorToUbyte4 => packing::color_to_ubyte4(e, scalars[0]),
        Pure::Dot2Add => values![packing::dot2add(e, scalars[0], scalars[1], scalars[2][0])],
        Pure::Dot4Add { sign } => {
            values![packing::dot4add(e, sign, scalars[0][0], scalars[1][0], scalars[2][0])]
        }
        Pure::Msad4 => packing::msad4(e, scalars[0][0], scalars[1], scalars[2]),
        Pure::Pack { clamp } => values![packing::pack(e, clamp, sign, scalars[0])],
        Pure::Unpack { sign } => packing::unpack(e, sign, scalars[0][0], result_ty),
    }
}

fn with_unary_sign(op: Unary, sign: Sign) -> Unary {
    match op {
        Unary::FirstBitHigh(_) => Unary::FirstBitHigh(sign),
        op => op,
    }
}

fn with_binary_sign(op: Binary, sign: Sign) -> Binary {
    use Binary::*;
    match op {
        Div(_) => Div(sign),
        Rem(_) => Rem(sign),
        Shr(_) => Shr(sign),
        Min(_) => Min(sign),
        Max(_) => Max(sign),
        Add | Sub | Mul | And | Or | Xor | Shl | Atan2 | Pow => op,
    }
}

/// Emits instructions; the types follow from the values.
struct Emit<'a> {
    builder: &'a mut Builder,
}

impl Emit<'_> {
    fn ty(&self, value: Value) -> Ty {
        self.builder.module.ty(value)
    }

    /// Applies a formula to each component.
    fn each<const N: usize>(
        &mut self,
        args: &[&[Value]],
        f: impl Fn(&mut Self, [Value; N]) -> Value,
    ) -> Values {
        (0..args[0].len()).map(|i| f(self, std::array::from_fn(|arg| args[arg][i]))).collect()
    }

    /// Applies a formula with two results to each component; all first ones, then all second ones.
    fn each_pair<const N: usize>(
        &mut self,
        args: &[&[Value]],
        f: impl Fn(&mut Self, [Value; N]) -> (Value, Value),
    ) -> Values {
        let (mut first, second): (Values, Values) =
            (0..args[0].len()).map(|i| f(self, std::array::from_fn(|arg| args[arg][i]))).unzip();
        first.extend(second);
        first
    }

    fn unary(&mut self, op: Unary, a: Value) -> Value {
        let ty = op
            .result(self.ty(a))
            .unwrap_or_else(|| unreachable!("the rows give {op:?} types that it takes"));
        self.builder.value(Op::Unary(op, a), ty)
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.builder.value(Op::Binary(op, a, b), ty)
    }

    fn compare(&mut self, op: Compare, a: Value, b: Value) -> Value {
        self.builder.value(Op::Compare(op, a, b), Ty::Bool)
    }

    fn ternary(&mut self, op: Ternary, a: Value, b: Value, c: Value) -> Value {
        let ty = self.ty(c);
        self.builder.value(Op::Ternary(op, [a, b, c]), ty)
    }

    fn derivative(&mut self, of: Derivative, a: Value) -> Value {
        let ty = self.ty(a);
        self.builder.value(Op::Derivative(of, a), ty)
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.binary(Binary::Add, a, b)
    }

    fn sub(&mut self, a: Value, b: Value) -> Value {
        self.binary(Binary::Sub, a, b)
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.binary(Binary::Mul, a, b)
    }

    fn div(&mut self, a: Value, b: Value) -> Value {
        self.binary(Binary::Div(Sign::Signed), a, b)
    }

    fn select(&mut self, cond: Value, then: Value, else_: Value) -> Value {
        self.ternary(Ternary::Select, cond, then, else_)
    }

    /// A constant of the type of `like`, rounded to it.
    fn number(&mut self, like: Value, number: f64) -> Value {
        self.constant(self.ty(like), number)
    }

    fn constant(&mut self, ty: Ty, number: f64) -> Value {
        let bits = match ty {
            Ty::Bool => u64::from(number != 0.0),
            Ty::I16 => u64::from(number as i64 as u16),
            Ty::I32 => u64::from(number as i64 as u32),
            Ty::I64 => number as i64 as u64,
            Ty::F16 => u64::from(ops::F16::from_f64(number).0),
            Ty::F32 => u64::from((number as f32).to_bits()),
            Ty::F64 => number.to_bits(),
        };
        self.builder.constant(ty, bits)
    }

    fn bits(&mut self, ty: Ty, bits: u64) -> Value {
        self.builder.constant(ty, bits)
    }

    /// Reinterprets the bits as another type.
    fn bitcast(&mut self, to: Ty, a: Value) -> Value {
        if self.ty(a) == to { a } else { self.unary(Unary::Bitcast(to), a) }
    }

    /// Converts to another type; `sign` says how integers are read.
    fn convert(&mut self, to: Ty, sign: Sign, a: Value) -> Value {
        if self.ty(a) == to {
            a
        } else {
            self.unary(Unary::Convert { to, from_sign: sign, to_sign: sign }, a)
        }
    }

    fn is_nonzero(&mut self, a: Value) -> Value {
        if self.ty(a) == Ty::Bool {
            return a;
        }
        let zero = self.number(a, 0.0);
        self.compare(Compare::Ne, a, zero)
    }
}
