//! Constant folding, with exactly the bits that running the expression would give.
//!
//! Operators use the definitions of [`ops::scalar`], and library functions are expanded and run instruction by
//! instruction, so there is no second arithmetic. An expression with effects, or one that depends on anything but
//! constants, does not fold.

use std::rc::Rc;

use ir::eval::eval;
use ir::{Builder, InstData, Module};
use ops::scalar::{eval_binary, eval_compare, eval_unary};
use ops::{Binary, Compare, Ty, Unary};

use crate::hir::{Arg, Expr, ExprKind, GlobalId};
use crate::library::expand::{Operand, expand};
use crate::library::{Function, Pure};
use crate::types::convert;
use crate::types::{BinaryOp, Scalar, Type, TypeId, Types, UnaryOp};

/// The deepest nesting of an expression that folds, not counting chains of operators.
const MOST_DEPTH: usize = 512;
/// The most scalars of a constant.
const MOST_SCALARS: u64 = 1 << 16;

/// The scalars of a constant expression, each as the bits of its type, in the order of [`Types::flatten`];
/// `None` if it is not constant. `globals` gives the values of constant globals.
pub(crate) fn fold(
    types: &Types,
    native_16bit: bool,
    expr: &Expr,
    globals: &dyn Fn(GlobalId) -> Option<Rc<[u64]>>,
) -> Option<Vec<u64>> {
    Folder { types, native_16bit, globals }.expr(expr, 0)
}

/// The operation of a binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Binary(Binary),
    Compare(Compare),
}

/// The operation that an operator applies to elements; floats use the signed operations.
pub(crate) fn operation(op: BinaryOp, scalar: Scalar) -> Operation {
    use Operation::{Binary as B, Compare as C};
    let sign = scalar.sign();
    match op {
        BinaryOp::Add => B(Binary::Add),
        BinaryOp::Sub => B(Binary::Sub),
        BinaryOp::Mul => B(Binary::Mul),
        BinaryOp::Div => B(Binary::Div(sign)),
        BinaryOp::Rem => B(Binary::Rem(sign)),
        BinaryOp::Shl => B(Binary::Shl),
        BinaryOp::Shr => B(Binary::Shr(sign)),
        BinaryOp::And => B(Binary::And),
        BinaryOp::Or => B(Binary::Or),
        BinaryOp::Xor => B(Binary::Xor),
        BinaryOp::Eq => C(Compare::Eq),
        BinaryOp::Ne => C(Compare::Ne),
        BinaryOp::Lt => C(Compare::Lt(sign)),
        BinaryOp::Le => C(Compare::Le(sign)),
        BinaryOp::Gt => C(Compare::Gt(sign)),
        BinaryOp::Ge => C(Compare::Ge(sign)),
    }
}

struct Folder<'a> {
    types: &'a Types,
    native_16bit: bool,
    globals: &'a dyn Fn(GlobalId) -> Option<Rc<[u64]>>,
}

impl Folder<'_> {
    fn expr(&self, expr: &Expr, depth: usize) -> Option<Vec<u64>> {
        if depth > MOST_DEPTH
            || expr.ty == Types::ERROR
            || self.types.scalar_count(expr.ty) > MOST_SCALARS
        {
            return None;
        }
        let fold = |expr: &Expr| self.expr(expr, depth + 1);
        let values = match &expr.kind {
            ExprKind::Const(bits) => vec![*bits],
            ExprKind::Global(id) => (self.globals)(*id)?.to_vec(),
            ExprKind::Field(base, field) => {
                self.of(base, depth, |values| self.field(base.ty, *field, values))?
            }
            ExprKind::Swizzle(base, components) => {
                pick(&fold(base)?, components.iter().map(|it| *it as usize))?
            }
            ExprKind::MatrixSwizzle(base, elements) => {
                let Type::Matrix { columns, .. } = self.types.get(base.ty) else { return None };
                pick(
                    &fold(base)?,
                    elements.iter().map(|(row, column)| (row * columns + column) as usize),
                )?
            }
            ExprKind::Index(base, index) => {
                let at = fold(index)?;
                self.of(base, depth, |values| self.index(base.ty, values, index.ty, &at))?
            }
            ExprKind::Unary(op, operand) => {
                let ty = self.ty(operand.ty)?;
                let op = match op {
                    UnaryOp::Neg => Unary::Neg,
                    UnaryOp::BitNot | UnaryOp::Not => Unary::Not,
                };
                op.result(ty)?;
                fold(operand)?.into_iter().map(|a| eval_unary(op, ty, a)).collect()
            }
            ExprKind::Binary(..) => self.chain(expr, depth)?,
            ExprKind::Logic { and, short_circuit, lhs, rhs } => {
                let left = fold(lhs)?;
                let decided = u64::from(!*and);
                if *short_circuit && left == [decided] {
                    left
                } else {
                    let op = if *and { Binary::And } else { Binary::Or };
                    zip(Ty::Bool, Operation::Binary(op), &left, &fold(rhs)?)?
                }
            }
            ExprKind::Conditional { short_circuit, cond, then, else_ } => {
                let cond = fold(cond)?;
                match (*short_circuit, cond.as_slice()) {
                    (true, [cond]) => fold(if *cond == 1 { then } else { else_ })?,
                    _ => {
                        let (then, else_) = (fold(then)?, fold(else_)?);
                        let cond_of =
                            |i: usize| if cond.len() == 1 { cond.first() } else { cond.get(i) };
                        let choose = |(i, (a, b)): (usize, (u64, u64))| {
                            Some(if *cond_of(i)? == 1 { a } else { b })
                        };
                        then.into_iter()
                            .zip(else_)
                            .enumerate()
                            .map(choose)
                            .collect::<Option<_>>()?
                    }
                }
            }
            ExprKind::Convert(operand) => self.convert(operand.ty, expr.ty, &fold(operand)?)?,
            ExprKind::Construct(parts) => {
                let mut values = Vec::new();
                for part in parts {
                    values.extend(fold(part)?);
                }
                values
            }
            ExprKind::Comma(first, second) => {
                fold(first)?;
                fold(second)?
            }
            ExprKind::Library { function: Function::Pure(function), args } => {
                self.library(*function, args, expr.ty, depth)?
            }
            ExprKind::Library { .. }
            | ExprKind::Local(_)
            | ExprKind::Resource(_)
            | ExprKind::Assign(..)
            | ExprKind::AssignOp { .. }
            | ExprKind::Step { .. }
            | ExprKind::Call { .. }
            | ExprKind::Wave { .. }
            | ExprKind::Method { .. } => return None,
        };
        (values.len() as u64 == self.types.scalar_count(expr.ty)).then_some(values)
    }

    /// A part of a value. A global table is not copied, since it may be large and used often.
    fn of(
        &self,
        whole: &Expr,
        depth: usize,
        part: impl FnOnce(&[u64]) -> Option<Vec<u64>>,
    ) -> Option<Vec<u64>> {
        match whole.kind {
            ExprKind::Global(id) if self.types.scalar_count(whole.ty) <= MOST_SCALARS => {
                part(&(self.globals)(id)?)
            }
            _ => part(&self.expr(whole, depth + 1)?),
        }
    }

    /// A binary expression. Source code chains operators at length, so the left spine is walked by a loop.
    fn chain(&self, expr: &Expr, depth: usize) -> Option<Vec<u64>> {
        let mut steps = Vec::new();
        let mut first = expr;
        while let ExprKind::Binary(op, lhs, rhs) = &first.kind {
            steps.push((*op, rhs, lhs.ty));
            first = lhs;
        }
        let mut value = self.expr(first, depth + 1)?;
        for (op, rhs, ty) in steps.into_iter().rev() {
            let op = operation(op, self.types.scalar_of(ty)?);
            value = zip(self.ty(ty)?, op, &value, &self.expr(rhs, depth + 1)?)?;
        }
        Some(value)
    }

    fn ty(&self, id: TypeId) -> Option<Ty> {
        Some(self.types.scalar_of(id)?.ty(self.native_16bit))
    }

    fn field(&self, base: TypeId, field: u32, values: &[u64]) -> Option<Vec<u64>> {
        let Type::Struct(id) = self.types.get(base) else { return None };
        let fields = &self.types.structure(id).fields;
        let start = |index: usize| {
            let before = fields.get(..index)?.iter().filter(|it| it.bits.is_none());
            Some(before.map(|it| self.types.scalar_count(it.ty)).sum::<u64>() as usize)
        };
        let found = fields.get(field as usize)?;
        let Some(bits) = found.bits else {
            let start = start(field as usize)?;
            return Some(
                values.get(start..start + self.types.scalar_count(found.ty) as usize)?.to_vec(),
            );
        };
        // Sign or zero extension: shift to the top of the word, then down with the field's sign.
        let unit = *values.get(start(bits.unit as usize)?)?;
        let scalar = self.types.scalar_of(found.ty)?;
        let ty = scalar.ty(self.native_16bit);
        if ty == Ty::Bool {
            return Some(vec![unit >> bits.offset & 1]);
        }
        let up = u64::from(ty.bits().checked_sub(bits.offset + bits.width)?);
        let down = u64::from(ty.bits() - bits.width);
        let top = eval_binary(Binary::Shl, ty, unit, up);
        Some(vec![eval_binary(Binary::Shr(scalar.sign()), ty, top, down)])
    }

    fn index(
        &self,
        base: TypeId,
        values: &[u64],
        index_ty: TypeId,
        index: &[u64],
    ) -> Option<Vec<u64>> {
        let [index] = index else { return None };
        let index = self.convert(index_ty, Types::UINT, &[*index])?[0] as usize;
        let (len, each) = match self.types.get(base) {
            Type::Vector(_, n) => (n as usize, 1),
            Type::Matrix { rows, columns, .. } => (rows as usize, columns as usize),
            Type::Array { element, len } => {
                (len as usize, self.types.scalar_count(element) as usize)
            }
            Type::Void
            | Type::Scalar(_)
            | Type::Struct(_)
            | Type::Resource(_)
            | Type::String
            | Type::Error => return None,
        };
        (index < len).then(|| values.get(index * each..(index + 1) * each).map(<[u64]>::to_vec))?
    }

    fn convert(&self, from: TypeId, to: TypeId, values: &[u64]) -> Option<Vec<u64>> {
        if self.types.has_bit_fields(from) || self.types.has_bit_fields(to) {
            return None;
        }
        let before = self.types.flatten(from, MOST_SCALARS as usize)?;
        let after = self.types.flatten(to, MOST_SCALARS as usize)?;
        convert::sources(self.types, from, to)
            .into_iter()
            .zip(after)
            .map(|(source, to)| {
                let (bits, from) = (*values.get(source)?, *before.get(source)?);
                Some(match convert::operation(from, to, self.native_16bit) {
                    Some(op) => eval_unary(op, from.ty(self.native_16bit), bits),
                    None => bits,
                })
            })
            .collect()
    }

    fn library(
        &self,
        function: Pure,
        args: &[Arg],
        result: TypeId,
        depth: usize,
    ) -> Option<Vec<u64>> {
        let mut values = Vec::new();
        for arg in args {
            let Arg::In(expr) = arg else { return None };
            values.push((expr.ty, self.expr(expr, depth + 1)?));
        }
        evaluate(self.types, self.native_16bit, function, &values, result)
    }
}

/// Expands a library function over constants and runs the expansion. Returns the scalars of the result, then those of
/// the `out` parameters.
pub(crate) fn evaluate(
    types: &Types,
    native_16bit: bool,
    function: Pure,
    args: &[(TypeId, Vec<u64>)],
    result: TypeId,
) -> Option<Vec<u64>> {
    let mut builder = Builder::new(Module::empty());
    let mut operands = Vec::new();
    for (ty, values) in args {
        let scalars = types.flatten(*ty, MOST_SCALARS as usize)?;
        if scalars.is_empty() || scalars.len() != values.len() {
            return None;
        }
        let scalars = scalars
            .iter()
            .zip(values)
            .map(|(scalar, bits)| builder.constant(scalar.ty(native_16bit), *bits));
        operands.push(Operand { ty: *ty, scalars: scalars.collect() });
    }
    let results = expand(function, &mut builder, types, native_16bit, &operands, result);
    let module = builder.finish();
    let mut bits = vec![0; module.values.len()];
    for inst in &module.region(module.body).insts {
        let InstData { op, results, .. } = module.inst(*inst);
        let result = eval(&module, op, |value| Some(bits[value.index()]))?;
        let [value] = results.as_slice() else { return None };
        bits[value.index()] = result;
    }
    Some(results.iter().map(|value| bits[value.index()]).collect())
}

fn pick(values: &[u64], which: impl Iterator<Item = usize>) -> Option<Vec<u64>> {
    which.map(|i| values.get(i).copied()).collect()
}

fn zip(ty: Ty, op: Operation, a: &[u64], b: &[u64]) -> Option<Vec<u64>> {
    let takes = match op {
        Operation::Binary(op) => op.result(ty).is_some(),
        Operation::Compare(op) => op.takes(ty),
    };
    let apply = |(a, b): (&u64, &u64)| match op {
        Operation::Binary(op) => eval_binary(op, ty, *a, *b),
        Operation::Compare(op) => u64::from(eval_compare(op, ty, *a, *b)),
    };
    (takes && a.len() == b.len()).then(|| a.iter().zip(b).map(apply).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::testing::ty;
    use crate::library::{self, ArgInfo, Resolution, resolve};
    use crate::types::Mode;
    use diag::Span;

    fn expr(kind: ExprKind, ty: TypeId) -> Expr {
        Expr { kind, ty, span: Span::NONE }
    }

    fn boxed(kind: ExprKind, ty: TypeId) -> Box<Expr> {
        Box::new(expr(kind, ty))
    }

    /// A value of a type from its numbers.
    fn value(types: &mut Types, name: &str, numbers: &[f64]) -> Expr {
        let ty = ty(types, name);
        let scalar = types.scalar_of(ty).unwrap();
        let element = types.scalar(scalar);
        let bits = |number: f64| match scalar.ty(true) {
            Ty::F16 => u64::from(ops::F16::from_f64(number).0),
            Ty::F32 => u64::from((number as f32).to_bits()),
            Ty::F64 => number.to_bits(),
            Ty::I64 => number as i64 as u64,
            Ty::I32 => u64::from(number as i64 as u32),
            Ty::I16 => u64::from(number as i64 as u16),
            Ty::Bool => u64::from(number != 0.0),
        };
        let parts =
            numbers.iter().map(|number| expr(ExprKind::Const(bits(*number)), element)).collect();
        expr(ExprKind::Construct(parts), ty)
    }

    /// The value of a call; each argument is a type with its numbers.
    fn call(name: &str, args: &[(&str, &[f64])]) -> Vec<f64> {
        let mut types = Types::new();
        let args: Vec<Expr> =
            args.iter().map(|(ty, numbers)| value(&mut types, ty, numbers)).collect();
        let infos: Vec<ArgInfo> =
            args.iter().map(|it| ArgInfo { ty: it.ty, is_place: false, span: it.span }).collect();
        let Resolution::Found { function, params, result } = resolve(&mut types, name, &infos)
        else {
            panic!("{name}")
        };
        assert!(params.iter().all(|(_, mode)| *mode == Mode::In));
        let convert = |(arg, (ty, _)): (Expr, &(TypeId, Mode))| {
            Arg::In(expr(ExprKind::Convert(Box::new(arg)), *ty))
        };
        let args = args.into_iter().zip(&params).map(convert).collect();
        let call = expr(ExprKind::Library { function, args }, result);
        let scalar = types.scalar_of(result).unwrap();
        let number = |bits: u64| match scalar.ty(true) {
            Ty::F32 => f64::from(f32::from_bits(bits as u32)),
            Ty::F64 => f64::from_bits(bits),
            Ty::F16 => f64::from(ops::F16(bits as u16).to_f32()),
            Ty::I32 if scalar == Scalar::I32 => f64::from(bits as i32),
            Ty::I16 if scalar == Scalar::I16 => f64::from(bits as i16),
            Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => bits as f64,
        };
        fold(&types, true, &call, &|_| None).unwrap().into_iter().map(number).collect()
    }

    /// A function, its arguments, and the expected components of its value.
    type Case = (&'static str, &'static [(&'static str, &'static [f64])], &'static [f64]);

    #[test]
    fn library_functions_fold_to_their_values() {
        let cases: &[Case] = &[
            ("abs", &[("uint", &[4294967295.0])], &[4294967295.0]),
            ("abs", &[("int", &[-5.0])], &[5.0]),
            (
                "clamp",
                &[("int3", &[-5.0, 5.0, 50.0]), ("literal int", &[0.0]), ("literal int", &[9.0])],
                &[0.0, 5.0, 9.0],
            ),
            ("max", &[("uint", &[1.0]), ("int", &[-1.0])], &[4294967295.0]),
            ("lerp", &[("float2", &[1.0, 2.0]), ("float", &[3.0]), ("float", &[0.5])], &[2.0, 2.5]),
            ("frac", &[("float", &[-1.25])], &[0.75]),
            ("round", &[("float3", &[0.5, 1.5, -2.5])], &[0.0, 2.0, -2.0]),
            ("fmod", &[("float2", &[-5.5, 5.5]), ("float", &[2.0])], &[-1.5, 1.5]),
            ("sign", &[("float3", &[-2.0, 0.0, 3.0])], &[-1.0, 0.0, 1.0]),
            ("step", &[("float", &[2.0]), ("float3", &[1.0, 2.0, 3.0])], &[0.0, 1.0, 1.0]),
            (
                "smoothstep",
                &[("float", &[0.0]), ("float", &[2.0]), ("float3", &[-1.0, 1.0, 5.0])],
                &[0.0, 0.5, 1.0],
            ),
            ("saturate", &[("float3", &[-1.0, 0.25, 2.0])], &[0.0, 0.25, 1.0]),
            ("all", &[("int2", &[1.0, 0.0])], &[0.0]),
            ("any", &[("int2", &[1.0, 0.0])], &[1.0]),
            (
                "select",
                &[("bool2", &[1.0, 0.0]), ("int", &[7.0]), ("int2", &[8.0, 9.0])],
                &[7.0, 9.0],
            ),
            ("dot", &[("float3", &[1.0, 2.0, 3.0]), ("float3", &[4.0, 5.0, 6.0])], &[32.0]),
            (
                "cross",
                &[("float3", &[1.0, 2.0, 3.0]), ("float3", &[4.0, 5.0, 6.0])],
                &[-3.0, 6.0, -3.0],
            ),
            ("length", &[("float2", &[3.0, 4.0])], &[5.0]),
            ("distance", &[("float2", &[3.0, 4.0]), ("float2", &[0.0, 0.0])], &[5.0]),
            ("reflect", &[("float2", &[1.0, -1.0]), ("float2", &[0.0, 1.0])], &[1.0, 1.0]),
            (
                "refract",
                &[("float2", &[0.0, -1.0]), ("float2", &[0.0, 1.0]), ("float", &[0.5])],
                &[0.0, -1.0],
            ),
            (
                "faceforward",
                &[("float2", &[0.0, 1.0]), ("float2", &[0.0, 1.0]), ("float2", &[0.0, 1.0])],
                &[0.0, -1.0],
            ),
            (
                "dst",
                &[("float4", &[9.0, 2.0, 3.0, 9.0]), ("float4", &[9.0, 5.0, 9.0, 7.0])],
                &[1.0, 10.0, 3.0, 7.0],
            ),
            (
                "mul",
                &[("float2", &[1.0, 2.0]), ("float2x3", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])],
                &[9.0, 12.0, 15.0],
            ),
            (
                "mul",
                &[("float2x3", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), ("float3", &[1.0, 1.0, 2.0])],
                &[9.0, 21.0],
            ),
            (
                "mul",
                &[("int2x2", &[1.0, 2.0, 3.0, 4.0]), ("int2x2", &[0.0, 1.0, 1.0, 0.0])],
                &[2.0, 1.0, 4.0, 3.0],
            ),
            (
                "mul",
                &[("float4x4", &[1.0; 16]), ("float3", &[1.0, 2.0, 3.0])],
                &[6.0, 6.0, 6.0, 6.0],
            ),
            (
                "transpose",
                &[("int2x3", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])],
                &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0],
            ),
            (
                "determinant",
                &[("float3x3", &[2.0, 0.0, 1.0, 1.0, 3.0, 2.0, 0.0, 1.0, 4.0])],
                &[21.0],
            ),
            ("countbits", &[("int", &[-1.0])], &[32.0]),
            ("firstbithigh", &[("int2", &[-2.0, 8.0])], &[0.0, 3.0]),
            ("firstbitlow", &[("uint2", &[8.0, 0.0])], &[3.0, 4294967295.0]),
            ("reversebits", &[("uint", &[1.0])], &[2147483648.0]),
            ("asuint", &[("float", &[1.0])], &[1065353216.0]),
            ("asint16", &[("float16_t", &[0.0])], &[0.0]),
            ("asdouble", &[("uint", &[0.0]), ("uint", &[1072693248.0])], &[1.0]),
            ("AddUint64", &[("uint2", &[4294967295.0, 1.0]), ("uint2", &[1.0, 2.0])], &[0.0, 4.0]),
            ("isnormal", &[("float2", &[1.0, 1e-40])], &[1.0, 0.0]),
            (
                "dot4add_u8packed",
                &[("uint", &[16909060.0]), ("uint", &[16843009.0]), ("uint", &[5.0])],
                &[15.0],
            ),
            ("dot4add_i8packed", &[("uint", &[255.0]), ("uint", &[2.0]), ("int", &[1.0])], &[-1.0]),
            ("pack_clamp_u8", &[("int4", &[-1.0, 256.0, 2.0, 0.0])], &[196352.0]),
            ("pack_clamp_s8", &[("int4", &[-200.0, 200.0, 0.0, 0.0])], &[32640.0]),
            ("pack_u8", &[("uint4", &[257.0, 2.0, 0.0, 0.0])], &[513.0]),
            ("unpack_s8s32", &[("uint", &[65535.0])], &[-1.0, -1.0, 0.0, 0.0]),
            ("unpack_u8u16", &[("uint", &[65535.0])], &[255.0, 255.0, 0.0, 0.0]),
            (
                "msad4",
                &[("uint", &[258.0]), ("uint2", &[513.0, 0.0]), ("uint4", &[0.0, 0.0, 0.0, 9.0])],
                &[2.0, 1.0, 3.0, 12.0],
            ),
            ("D3DCOLORtoUBYTE4", &[("float4", &[0.0, 0.5, 1.0, 1.0])], &[255.0, 127.0, 0.0, 255.0]),
            ("CheckAccessFullyMapped", &[("uint", &[1.0])], &[1.0]),
        ];
        for (name, args, expected) in cases {
            assert_eq!(call(name, args), *expected, "{name}");
        }
    }

    #[test]
    fn out_parameters_follow_the_result() {
        let float = |number: f32| u64::from(number.to_bits());
        let cases: &[(Pure, &[f32], &[f32])] = &[
            (
                Pure::Modf,
                &[-1.25, 3.0, f32::NEG_INFINITY],
                &[-0.25, 0.0, -0.0, -1.0, 3.0, f32::NEG_INFINITY],
            ),
            (Pure::Frexp, &[8.0, -0.75, 0.0], &[0.5, -0.75, 0.0, 4.0, 0.0, 0.0]),
            (
                Pure::Frexp,
                &[f32::MIN_POSITIVE, 1e-45, f32::INFINITY],
                &[0.5, 0.5, f32::INFINITY, -125.0, -148.0, 0.0],
            ),
        ];
        let mut types = Types::new();
        let float3 = types.vector(Scalar::F32, 3);
        for (function, x, expected) in cases {
            let args = [(float3, x.iter().copied().map(float).collect())];
            let expected: Vec<u64> = expected.iter().copied().map(float).collect();
            assert_eq!(
                evaluate(&types, false, *function, &args, float3),
                Some(expected),
                "{function:?} {x:?}"
            );
        }
        let double = types.scalar(Scalar::F64);
        let halves = evaluate(
            &types,
            false,
            Pure::SplitDouble,
            &[(double, vec![(1.5f64).to_bits() | 7])],
            Types::VOID,
        );
        assert_eq!(halves, Some(vec![7, 0x3ff8_0000]));
    }

    #[test]
    fn every_function_gives_values_of_its_types() {
        let mut types = Types::new();
        let mut found = std::collections::BTreeSet::new();
        for (name, count) in library::names()
            .flat_map(|name| library::overloads(name).map(move |it| (name, it.params.len())))
        {
            for (scalar, shape) in Scalar::OF_FUNCTIONS
                .into_iter()
                .flat_map(|it| ["", "2", "3", "4", "3x3", "2x4"].map(|shape| (it, shape)))
            {
                let ty = ty(&mut types, &format!("{}{shape}", scalar.name()));
                let args = vec![ArgInfo { ty, is_place: true, span: Span::NONE }; count];
                let Resolution::Found { function: Function::Pure(function), params, result } =
                    resolve(&mut types, name, &args)
                else {
                    continue;
                };
                found.insert((name, count));
                for native_16bit in [false, true] {
                    let flat = |ty: TypeId| {
                        types
                            .flatten(ty, 16)
                            .unwrap()
                            .into_iter()
                            .map(|scalar| scalar.ty(native_16bit))
                            .collect::<Vec<Ty>>()
                    };
                    let mut builder = Builder::new(Module::empty());
                    let ins = params.iter().filter(|(_, mode)| *mode == Mode::In);
                    let args: Vec<Operand> = ins
                        .map(|(ty, _)| {
                            let scalars =
                                flat(*ty).into_iter().map(|ty| builder.constant(ty, 1)).collect();
                            Operand { ty: *ty, scalars }
                        })
                        .collect();
                    let values =
                        expand(function, &mut builder, &types, native_16bit, &args, result);
                    let outs = params
                        .iter()
                        .filter(|(_, mode)| *mode == Mode::Out)
                        .flat_map(|(ty, _)| flat(*ty));
                    let expected: Vec<Ty> = flat(result).into_iter().chain(outs).collect();
                    let given: Vec<Ty> =
                        values.iter().map(|value| builder.module.ty(*value)).collect();
                    assert_eq!(given, expected, "{name} of {}", types.name(ty));
                    builder.terminate(ir::Op::Return);
                    assert_eq!(
                        ir::verify::verify(&builder.finish()).err().map(|it| it.len()),
                        None,
                        "{name}"
                    );
                    let ones: Vec<(TypeId, Vec<u64>)> =
                        args.iter().map(|it| (it.ty, vec![1; it.scalars.len()])).collect();
                    let folds = evaluate(&types, native_16bit, function, &ones, result).is_some();
                    // Derivatives depend on other lanes.
                    assert_eq!(folds, !Function::Pure(function).takes_derivatives(), "{name}");
                }
            }
        }
        let pure = library::names()
            .flat_map(library::overloads)
            .filter(|row| matches!(row.function, Function::Pure(_)));
        for row in pure {
            assert!(
                found.contains(&(row.name, row.params.len())),
                "{} takes some of these types",
                row.signature()
            );
        }
    }

    #[test]
    fn long_chains_of_operators_fold() {
        let one = || expr(ExprKind::Const(1), Types::UINT);
        let chain = (1..5000).fold(one(), |sum, _| {
            expr(ExprKind::Binary(BinaryOp::Add, Box::new(sum), Box::new(one())), Types::UINT)
        });
        assert_eq!(fold(&Types::new(), false, &chain, &|_| None), Some(vec![5000]));
    }

    #[test]
    fn operators_fold_to_their_values() {
        let mut types = Types::new();
        let constant = |bits, ty| boxed(ExprKind::Const(bits), ty);
        let (int, uint, bool_) = (Types::INT, Types::UINT, Types::BOOL);
        let minus_seven = u64::from(-7i32 as u32);
        for (op, ty, a, b, expected) in [
            (BinaryOp::Add, uint, 0xffff_ffff, 2, 1),
            (BinaryOp::Div, int, minus_seven, 2, u64::from(-3i32 as u32)),
            (BinaryOp::Div, uint, 7, 0, 0xffff_ffff),
            (BinaryOp::Rem, int, minus_seven, 2, u64::from(-1i32 as u32)),
            (BinaryOp::Shr, int, minus_seven, 33, u64::from(-4i32 as u32)),
            (BinaryOp::Shr, uint, 0x8000_0000, 31, 1),
        ] {
            let found = expr(ExprKind::Binary(op, constant(a, ty), constant(b, ty)), ty);
            assert_eq!(fold(&types, false, &found, &|_| None), Some(vec![expected]), "{op:?}");
        }
        for (op, ty, expected) in
            [(BinaryOp::Lt, int, 1), (BinaryOp::Lt, uint, 0), (BinaryOp::Ne, uint, 1)]
        {
            let found =
                expr(ExprKind::Binary(op, constant(minus_seven, ty), constant(1, ty)), bool_);
            assert_eq!(fold(&types, false, &found, &|_| None), Some(vec![expected]), "{op:?}");
        }
        // A swizzle of a vector, an element of a constant array, a splat.
        let vector = value(&mut types, "int3", &[1.0, 2.0, 3.0]);
        let int2 = types.vector(Scalar::I32, 2);
        let swizzle = expr(ExprKind::Swizzle(Box::new(vector), vec![2, 0]), int2);
        assert_eq!(fold(&types, false, &swizzle, &|_| None), Some(vec![3, 1]));
        let array = types.intern(Type::Array { element: int2, len: 2 });
        let element = |i| {
            expr(
                ExprKind::Index(boxed(ExprKind::Global(GlobalId(0)), array), constant(i, uint)),
                int2,
            )
        };
        let globals = |_| Some([1, 2, 3, 4].into());
        assert_eq!(fold(&types, false, &element(1), &globals), Some(vec![3, 4]));
        assert_eq!(fold(&types, false, &element(2), &globals), None);
        assert_eq!(fold(&types, false, &element(0), &|_| None), None);
        let splat = expr(ExprKind::Convert(constant(minus_seven, int)), int2);
        assert_eq!(fold(&types, false, &splat, &|_| None), Some(vec![minus_seven; 2]));
    }
}
