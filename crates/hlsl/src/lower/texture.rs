//! Textures: methods, elements and derivatives to the texture instructions of the IR.

use diag::{Diagnostic, Span, code};
use ir::{Atomic, Derivative, Detail, Op, Texture, TextureArgs, TextureOp, Value, values};
use ops::intrinsics::Stage;
use ops::texture::Dim;
use ops::{Sign, Ty, Unary};

use super::place::{Location, Lvalue};
use super::resource::ResourceRef;
use super::{Lower, Lowerer, Values};
use crate::hir::{Arg, Expr};
use crate::library::{Method, TextureMethod};
use crate::types::{ResourceType, Type, TypeId};

/// A texel named by an expression.
#[derive(Clone, Debug)]
pub(super) struct Texel {
    pub(super) resource: ResourceRef,
    pub(super) dim: Dim,
    pub(super) writable: bool,
    /// A number for each axis, then the array layer.
    pub(super) at: Values,
    /// The mip level, or the sample of a multisampled texture; the first if not given.
    pub(super) which: Option<Value>,
}

/// The object that a method is called on.
struct Object {
    resource: ResourceRef,
    dim: Dim,
    writable: bool,
}

/// The optional arguments after the required ones.
#[derive(Default)]
struct Rest<'a> {
    offset: Values,
    least: Values,
    status: Option<&'a Arg>,
}

impl Lowerer<'_> {
    /// The texel that `texture[index]` names.
    pub(super) fn texel_place(&mut self, base: &Lvalue, index: &Expr, span: Span) -> Lower<Lvalue> {
        let resource = self.single_resource(base, span)?;
        let at = self.expr(index)?;
        let Some(ResourceType::Texture { dim, element, writable, .. }) =
            self.resource_type(base.ty)
        else {
            unreachable!("the caller has checked that this is a texture")
        };
        let texel = Texel { resource, dim: dim.dim(), writable, at, which: None };
        Ok(Lvalue::whole(Location::Texture(texel), element))
    }

    /// The texel that `texture.sample[index][location]` names.
    pub(super) fn sample_place(
        &mut self,
        object: &Expr,
        args: &[Arg],
        ty: TypeId,
    ) -> Lower<Lvalue> {
        let base = self.place(object)?;
        let resource = self.single_resource(&base, object.span)?;
        let Some(ResourceType::Texture { dim, writable, .. }) = self.resource_type(object.ty)
        else {
            unreachable!("the caller has checked that this is a texture")
        };
        let which = self.input(&args[0])?.first().copied();
        let at = self.input(&args[1])?;
        let texel = Texel { resource, dim: dim.dim(), writable, at, which };
        Ok(Lvalue::whole(Location::Texture(texel), ty))
    }

    pub(super) fn load_from_texture(
        &mut self,
        texel: &Texel,
        leaves: &[Option<Ty>],
        which: &[u32],
        span: Span,
    ) -> Lower<Values> {
        let mut args = TextureArgs { at: texel.at.clone(), ..TextureArgs::default() };
        let chosen = texel.which;
        if texel.dim.is_multisampled() {
            args.sample = values![chosen.unwrap_or_else(|| self.word(0))];
        } else if !texel.writable {
            args.level = values![chosen.unwrap_or_else(|| self.word(0))];
        }
        let types: Vec<Ty> = leaves.iter().map(|ty| ty.unwrap_or(Ty::I32)).collect();
        let values = self.texture(TextureOp::Load, texel.resource, None, args, &types, span)?;
        Ok(which.iter().map(|i| values[*i as usize]).collect())
    }

    /// Read-modify-write: of a texel written in part, the rest is read first.
    pub(super) fn store_to_texture(
        &mut self,
        texel: &Texel,
        ty: TypeId,
        which: &[u32],
        values: &[Value],
        span: Span,
    ) -> Lower<()> {
        let leaves = self.leaves(ty, span)?;
        let all: Vec<u32> = (0..leaves.len() as u32).collect();
        let mut stored = match all.iter().all(|i| which.contains(i)) {
            true => values![Value(0); leaves.len()],
            false => self.load_from_texture(texel, &leaves, &all, span)?,
        };
        for (i, value) in which.iter().zip(values) {
            stored[*i as usize] = *value;
        }
        let stored = stored.into_iter().map(|it| self.in_memory(it)).collect();
        let mut args =
            TextureArgs { at: texel.at.clone(), values: stored, ..TextureArgs::default() };
        if texel.dim.is_multisampled() {
            args.sample = values![texel.which.unwrap_or_else(|| self.word(0))];
        }
        self.texture(TextureOp::Store, texel.resource, None, args, &[], span)?;
        Ok(())
    }

    pub(super) fn texture_atomic(
        &mut self,
        texel: &Texel,
        op: Atomic,
        values: Values,
        span: Span,
    ) -> Lower<Op> {
        let args = TextureArgs { at: texel.at.clone(), values, ..TextureArgs::default() };
        let texture = self.binding(texel.resource, span)?;
        let op = TextureOp::Atomic(op);
        Ok(Op::Texture(Box::new(Texture { op, texture, sampler: None, map: None, args })))
    }

    pub(super) fn texture_method(
        &mut self,
        method: TextureMethod,
        resource: ResourceRef,
        texture: TypeId,
        args: &[Arg],
        expr: &Expr,
    ) -> Lower<Values> {
        let Type::Resource(ResourceType::Texture { dim, writable, .. }) =
            self.program.types.get(texture)
        else {
            unreachable!("methods of textures are called on textures")
        };
        let object = Object { resource, dim: dim.dim(), writable };
        match method {
            TextureMethod::Load => self.texture_load(&object, args, expr),
            TextureMethod::Mips | TextureMethod::Samples => {
                let which = self.input(&args[0])?;
                let at = self.input(&args[1])?;
                let Object { resource, dim, writable } = object;
                let texel = Texel { resource, dim, writable, at, which: which.first().copied() };
                self.builder.span = expr.span;
                self.load(&Lvalue::whole(Location::Texture(texel), expr.ty), expr.span)
            }
            TextureMethod::GetDimensions => self.texture_size(&object, args, expr),
            TextureMethod::Sample
            | TextureMethod::SampleBias
            | TextureMethod::SampleLevel
            | TextureMethod::SampleGrad
            | TextureMethod::SampleCmp
            | TextureMethod::SampleCmpBias
            | TextureMethod::SampleCmpLevel
            | TextureMethod::SampleCmpLevelZero
            | TextureMethod::SampleCmpGrad
            | TextureMethod::Gather { .. }
            | TextureMethod::GatherCmp { .. }
            | TextureMethod::CalculateLevelOfDetail { .. } => {
                self.texture_sample(method, &object, args, expr)
            }
        }
    }

    fn texture_load(&mut self, object: &Object, args: &[Arg], expr: &Expr) -> Lower<Values> {
        let Object { resource, dim, writable } = *object;
        let mut at = self.input(&args[0])?;
        let mut operands = TextureArgs::default();
        let mut must = 1;
        if dim.is_multisampled() {
            operands.sample = self.input(&args[1])?;
            must = 2;
        } else if !writable {
            operands.level = at.pop().into_iter().collect();
        }
        let rest = self.rest(&args[must..])?;
        (operands.at, operands.offset) = (at, rest.offset);
        let leaves = self.leaves(expr.ty, expr.span)?;
        let types: Vec<Ty> = leaves.iter().map(|ty| ty.unwrap_or(Ty::I32)).collect();
        let values = self.texture(TextureOp::Load, resource, None, operands, &types, expr.span)?;
        self.status(rest.status)?;
        Ok(values)
    }

    fn texture_sample(
        &mut self,
        method: TextureMethod,
        object: &Object,
        args: &[Arg],
        expr: &Expr,
    ) -> Lower<Values> {
        if Method::Texture(method).takes_derivatives() {
            self.demand_quads(expr.span)?;
        }
        let sampler = self.input(&args[0])?;
        let sampler = self.resource_of(sampler[0], expr.span)?;
        let mut operands = TextureArgs { at: self.input(&args[1])?, ..TextureArgs::default() };
        let mut next = 2;
        let mut take = |this: &mut Self| {
            next += 1;
            this.input(&args[next - 1])
        };
        use TextureMethod as M;
        let op = match method {
            M::Sample => TextureOp::Sample(Detail::Implicit),
            M::SampleBias => TextureOp::Sample(Detail::Bias),
            M::SampleLevel => TextureOp::Sample(Detail::Level),
            M::SampleGrad => TextureOp::Sample(Detail::Gradients),
            M::SampleCmp => TextureOp::Compare(Detail::Implicit),
            M::SampleCmpBias => TextureOp::Compare(Detail::Bias),
            M::SampleCmpLevel | M::SampleCmpLevelZero => TextureOp::Compare(Detail::Level),
            M::SampleCmpGrad => TextureOp::Compare(Detail::Gradients),
            M::Gather { component } => TextureOp::Gather(component),
            M::GatherCmp { component } => TextureOp::GatherCompare(component),
            M::CalculateLevelOfDetail { clamped: true } => TextureOp::LevelOfDetail,
            M::CalculateLevelOfDetail { clamped: false } => TextureOp::LevelOfDetailUnclamped,
            M::Load | M::Mips | M::Samples | M::GetDimensions => {
                unreachable!("these are not sampled")
            }
        };
        if op.compares() {
            operands.reference = take(self)?;
        }
        match op {
            _ if method == M::SampleCmpLevelZero => {
                operands.level = values![self.constant(Ty::F32, 0)];
            }
            TextureOp::Sample(detail) | TextureOp::Compare(detail) => match detail {
                Detail::Implicit => {}
                Detail::Bias | Detail::Level => operands.level = take(self)?,
                Detail::Gradients => {
                    operands.ddx = take(self)?;
                    operands.ddy = take(self)?;
                }
            },
            _ => {}
        }
        let rest = self.rest(&args[next..])?;
        (operands.offset, operands.least) = (rest.offset, rest.least);
        let count = self.count(expr.ty) as usize;
        let types = match op {
            TextureOp::Sample(_) | TextureOp::Gather(_) => vec![self.ty(expr.ty); count],
            _ => vec![Ty::F32; count],
        };
        let values =
            self.texture(op, object.resource, Some(sampler), operands, &types, expr.span)?;
        self.status(rest.status)?;
        Ok(values)
    }

    fn texture_size(&mut self, object: &Object, args: &[Arg], expr: &Expr) -> Lower<Values> {
        let Object { resource, dim, writable } = *object;
        let mut operands = TextureArgs::default();
        let mut outs = args;
        if let [level @ Arg::In(_), rest @ ..] = args {
            operands.level = self.input(level)?;
            outs = rest;
        }
        let mut targets = Vec::new();
        for arg in outs {
            targets.push(self.target(arg)?);
        }
        let types = vec![Ty::I32; TextureOp::sizes(dim, writable)];
        let sizes = self.texture(TextureOp::Size, resource, None, operands, &types, expr.span)?;
        for ((target, arg), size) in targets.into_iter().zip(outs).zip(sizes) {
            let is_float = match arg {
                Arg::Out { ty, .. } => self.ty(*ty) == Ty::F32,
                Arg::In(_) => false,
            };
            let size = match is_float {
                true => {
                    let sign = Sign::Unsigned;
                    let op = Unary::Convert { to: Ty::F32, from_sign: sign, to_sign: sign };
                    self.value(Op::Unary(op, size), Ty::F32)
                }
                false => size,
            };
            self.write(target, values![size])?;
        }
        Ok(Values::new())
    }

    /// A write of a feedback map. The derivatives of a quad are taken here, in which helper lanes take part, although
    /// they write nothing.
    pub(super) fn feedback_write(
        &mut self,
        detail: Detail,
        map: ResourceRef,
        args: &[Arg],
        span: Span,
    ) -> Lower<Values> {
        let mut places = Vec::new();
        for arg in &args[..2] {
            let handle = self.input(arg)?;
            let resource = self.resource_of(handle[0], span)?;
            places.push(self.binding(resource, span)?);
        }
        let at = self.input(&args[2])?;
        let mut operands = TextureArgs::default();
        let mut next = 3;
        let mut take = |this: &mut Self| {
            next += 1;
            this.input(&args[next - 1])
        };
        match detail {
            Detail::Implicit => {}
            Detail::Bias => {
                let bias = take(self)?;
                operands.level = values![self.limited_bias(bias[0])];
            }
            Detail::Level => operands.level = take(self)?,
            Detail::Gradients => {
                operands.ddx = take(self)?;
                operands.ddy = take(self)?;
            }
        }
        if let Some(least) = args.get(next) {
            operands.least = self.input(least)?;
        }
        self.builder.span = span;
        if let Detail::Implicit | Detail::Bias = detail {
            for (of, to) in
                [(Derivative::XCoarse, &mut operands.ddx), (Derivative::YCoarse, &mut operands.ddy)]
            {
                for at in &at[..2] {
                    to.push(self.value(Op::Derivative(of, *at), Ty::F32));
                }
            }
        }
        operands.at = at;
        let op = TextureOp::Feedback(match detail {
            Detail::Level => Detail::Level,
            Detail::Implicit | Detail::Bias | Detail::Gradients => Detail::Gradients,
        });
        let (texture, sampler) = (places[0], Some(places[1]));
        let map = Some(self.binding(map, span)?);
        let texture = Texture { op, texture, sampler, map, args: operands };
        self.builder.inst(Op::Texture(Box::new(texture)), &[]);
        Ok(Values::new())
    }

    /// A bias that is a constant is kept within the limits of Direct3D, as in DXC.
    fn limited_bias(&mut self, bias: Value) -> Value {
        let Some(bits) = self.known(bias) else { return bias };
        let given = f32::from_bits(bits as u32);
        let limited = given.clamp(-16.0, 15.99);
        if given == limited { bias } else { self.constant(Ty::F32, limited.to_bits().into()) }
    }

    /// The size of a feedback map, which is that of its texture.
    pub(super) fn feedback_size(
        &mut self,
        resource: ResourceRef,
        map: TypeId,
        args: &[Arg],
        expr: &Expr,
    ) -> Lower<Values> {
        let is_array = match self.resource_type(map) {
            Some(ResourceType::Other(object)) => object.feedback().is_some_and(|it| it.1),
            _ => false,
        };
        let dim = if is_array { Dim::D2Array } else { Dim::D2 };
        self.texture_size(&Object { resource, dim, writable: false }, args, expr)
    }

    /// A derivative needs threads in quads: four in a row, or squares.
    pub(super) fn demand_quads(&self, span: Span) -> Lower<()> {
        let entry = &self.program.entry;
        let [x, y, z] = entry.group_size;
        let has_quads = x % 4 == 0 && y == 1 && z == 1 || x % 2 == 0 && y % 2 == 0;
        if has_quads || entry.stage != Stage::Compute {
            return Ok(());
        }
        let message =
            format!("a group of {x}×{y}×{z} threads has no quads to take a derivative in");
        let report = Diagnostic::new(&code::BAD_ATTRIBUTE, entry.span, message);
        Err(self.stop(report.also(span, "the derivative is taken here").help(
            "`[numthreads]` gives quads where X is a multiple of 4 and Y and Z are 1, or where X and Y are even",
        )))
    }

    /// Offsets are integers, a minimum level is a float, and the status is written.
    fn rest<'a>(&mut self, args: &'a [Arg]) -> Lower<Rest<'a>> {
        let mut rest = Rest::default();
        for arg in args {
            match arg {
                Arg::Out { .. } => rest.status = Some(arg),
                Arg::In(expr) if self.ty(expr.ty) == Ty::F32 => rest.least = self.input(arg)?,
                Arg::In(_) => rest.offset.extend(self.input(arg)?),
            }
        }
        Ok(rest)
    }

    /// Every access succeeds.
    fn status(&mut self, status: Option<&Arg>) -> Lower<()> {
        let target = match status {
            Some(arg) => self.target(arg)?,
            None => return Ok(()),
        };
        let fine = self.word(1);
        self.write(target, values![fine])
    }

    /// Appends an instruction with results of these types; a `bool` is a 32-bit word in memory.
    fn texture(
        &mut self,
        op: TextureOp,
        texture: ResourceRef,
        sampler: Option<ResourceRef>,
        args: TextureArgs,
        types: &[Ty],
        span: Span,
    ) -> Lower<Values> {
        self.builder.span = span;
        let texture = self.binding(texture, span)?;
        let sampler = match sampler {
            Some(sampler) => Some(self.binding(sampler, span)?),
            None => None,
        };
        let in_memory: Vec<Ty> =
            types.iter().map(|ty| if *ty == Ty::Bool { Ty::I32 } else { *ty }).collect();
        let op = Op::Texture(Box::new(Texture { op, texture, sampler, map: None, args }));
        let inst = self.builder.inst(op, &in_memory);
        let mut values = Values::from(self.builder.results(inst));
        for (value, ty) in values.iter_mut().zip(types) {
            if *ty == Ty::Bool {
                *value = self.is_nonzero(*value);
            }
        }
        Ok(values)
    }
}
