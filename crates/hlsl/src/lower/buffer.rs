//! Buffer accesses: which bytes a part of an element occupies, and how many scalars one instruction moves.

use diag::Span;
use ir::{Address, Atomic, Op, Value};
use ops::{Binary, Compare, Sign, Ty, Unary};

use super::constant::Sum;
use super::place::{Location, Lvalue};
use super::resource::ResourceRef;
use super::{Lower, Lowerer, Values};
use crate::hir::{Arg, Expr};
use crate::types::{
    Packing, ResourceType, Scalar, Type, TypeId, Types, array_stride, field_offsets, matrix_stride,
};

/// The maximum number of scalars that one instruction moves.
const MOST_AT_ONCE: usize = 4;

/// Larger than any buffer, and small enough that the sum of a few still fits into 32 bits.
const BEYOND_BUFFERS: u32 = 1 << 30;

/// A part of a buffer's contents.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) resource: ResourceRef,
    /// The element index of a structured buffer; other buffers are addressed by byte alone.
    pub(super) element: Option<Value>,
    /// In bytes.
    pub(super) offset: Sum,
    pub(super) packing: Packing,
    /// For a row of a column-major matrix: the stride in bytes between its components.
    pub(super) step: Option<u32>,
}

impl Buffer {
    pub(super) fn plus(self, bytes: u32) -> Buffer {
        Buffer { offset: self.offset.plus(bytes), ..self }
    }

    /// The strides in bytes of a value of type `ty` here: from one element to the next, and from one component of an
    /// element to the next where they are not adjacent.
    pub(super) fn strides(
        &self,
        types: &Types,
        ty: TypeId,
        native_16bit: bool,
    ) -> (u32, Option<u32>) {
        let bytes = |scalar: Scalar| scalar.ty(native_16bit).bytes();
        match types.get(ty) {
            Type::Vector(scalar, _) => (self.step.unwrap_or(bytes(scalar)), None),
            Type::Matrix { scalar, columns, row_major: true, .. } => {
                (matrix_stride(scalar, columns, self.packing, native_16bit), None)
            }
            Type::Matrix { scalar, rows, row_major: false, .. } => {
                (bytes(scalar), Some(matrix_stride(scalar, rows, self.packing, native_16bit)))
            }
            Type::Array { element, .. } => {
                (array_stride(types, element, self.packing, native_16bit), None)
            }
            Type::Void
            | Type::Scalar(_)
            | Type::Struct(_)
            | Type::Resource(_)
            | Type::String
            | Type::Error => (0, None),
        }
    }
}

impl Lowerer<'_> {
    /// An element of a value of type `ty` in a buffer.
    pub(super) fn element_in_buffer(&mut self, buffer: Buffer, ty: TypeId, index: Value) -> Buffer {
        let (stride, step) = buffer.strides(&self.program.types, ty, self.native_16bit);
        let known = self.builder.module.constant(index);
        let mut offset = buffer.offset;
        match known {
            Some(known) => offset = offset.plus((known as u32).saturating_mul(stride)),
            None => {
                let index = self.at_most(index, BEYOND_BUFFERS / stride.max(1));
                offset.terms.push((index, stride));
            }
        }
        Buffer { offset, step, ..buffer }
    }

    /// Keeps an address from wrapping around: an address that is too large stays too large when more is added.
    fn at_most(&mut self, value: Value, most: u32) -> Value {
        let most = self.word(most);
        self.value(Op::Binary(Binary::Min(Sign::Unsigned), value, most), Ty::I32)
    }

    pub(super) fn buffer_element(
        &mut self,
        base: &Lvalue,
        resource: ResourceType,
        index: Value,
        span: Span,
    ) -> Lower<Lvalue> {
        match resource {
            ResourceType::Structured { element, .. } => {
                let resource = self.single_resource(base, span)?;
                Ok(structured(resource, index, element))
            }
            ResourceType::Typed { element, .. } => {
                let resource = self.single_resource(base, span)?;
                Ok(Lvalue::whole(Location::Texel { resource, index }, element))
            }
            ResourceType::Constant(_)
            | ResourceType::TextureBuffer(_)
            | ResourceType::Raw { .. }
            | ResourceType::Texture { .. }
            | ResourceType::Sampler { .. }
            | ResourceType::AccelerationStructure
            | ResourceType::Other(_) => {
                let name = self.program.types.name(base.ty);
                Err(self.unsupported(span, format!("indexing a `{name}` is not supported yet")))
            }
        }
    }

    /// The element that `Load` of a structured buffer returns.
    pub(super) fn structured_element(
        &mut self,
        object: &Expr,
        index: &Arg,
        expr: &Expr,
    ) -> Lower<Lvalue> {
        let object = self.place(object)?;
        let resource = self.single_resource(&object, expr.span)?;
        let index = self.input(index)?;
        Ok(structured(resource, index[0], expr.ty))
    }

    /// The lvalue of that type at a byte address.
    pub(super) fn at_byte(&mut self, resource: ResourceRef, address: Value, ty: TypeId) -> Lvalue {
        let offset = match self.builder.module.constant(address) {
            Some(known) => Sum { constant: known as u32, terms: Vec::new() },
            // A single instruction does not wrap by itself.
            None if matches!(
                self.program.types.get(ty),
                Type::Scalar(_) | Type::Vector(_, 1..=4)
            ) =>
            {
                Sum { constant: 0, terms: vec![(address, 1)] }
            }
            None => {
                let address = self.at_most(address, 3 * BEYOND_BUFFERS);
                Sum { constant: 0, terms: vec![(address, 1)] }
            }
        };
        let buffer =
            Buffer { resource, element: None, offset, packing: Packing::Structured, step: None };
        Lvalue::whole(Location::Buffer(buffer), ty)
    }

    pub(super) fn load_buffer(
        &mut self,
        buffer: &Buffer,
        ty: TypeId,
        which: &[u32],
        span: Span,
    ) -> Lower<Values> {
        let (place, mut address) = self.address(buffer, span)?;
        let scalars = self.scalars_in_buffer(ty, buffer);
        // In memory order, so that adjacent scalars are loaded together and none twice.
        let mut sorted: Vec<u32> = which.to_vec();
        ops::sort_by_key(&mut sorted, |i| (scalars[*i as usize].0, *i));
        sorted.dedup();
        let mut loaded: Vec<(u32, Value)> = Vec::with_capacity(sorted.len());
        for run in runs(&sorted, &scalars) {
            let (offset, ty) = scalars[run[0] as usize];
            let at = address.at(self, offset);
            let in_memory = if ty == Ty::Bool { Ty::I32 } else { ty };
            let inst = self.builder.inst(Op::Load { place, at }, &vec![in_memory; run.len()]);
            let results = self.builder.results(inst).to_vec();
            for (i, value) in run.iter().zip(results) {
                let value = if ty == Ty::Bool { self.is_nonzero(value) } else { value };
                loaded.push((*i, value));
            }
        }
        ops::sort_by_key(&mut loaded, |(i, _)| *i);
        let value_of = |i: &u32| loaded.binary_search_by_key(i, |(i, _)| *i).map(|at| loaded[at].1);
        Ok(which.iter().filter_map(|i| value_of(i).ok()).collect())
    }

    pub(super) fn store_buffer(
        &mut self,
        buffer: &Buffer,
        ty: TypeId,
        which: &[u32],
        values: &[Value],
        span: Span,
    ) -> Lower<()> {
        let (place, mut address) = self.address(buffer, span)?;
        let scalars = self.scalars_in_buffer(ty, buffer);
        let mut sorted: Vec<(u32, Value)> =
            which.iter().copied().zip(values.iter().copied()).collect();
        ops::sort_by_key(&mut sorted, |(i, _)| scalars[*i as usize].0);
        let order: Vec<u32> = sorted.iter().map(|(i, _)| *i).collect();
        let mut rest = sorted.as_slice();
        for run in runs(&order, &scalars) {
            let (these, behind) = rest.split_at(run.len());
            rest = behind;
            let mut values = Values::with_capacity(run.len());
            for (_, value) in these {
                values.push(self.in_memory(*value));
            }
            let at = address.at(self, scalars[run[0] as usize].0);
            self.builder.inst(Op::Store { place, at, values }, &[]);
        }
        Ok(())
    }

    pub(super) fn load_texel(
        &mut self,
        resource: ResourceRef,
        index: Value,
        leaves: &[Option<Ty>],
        which: &[u32],
        span: Span,
    ) -> Lower<Values> {
        let place = self.binding(resource, span)?;
        let types: Vec<Ty> = leaves.iter().map(|ty| ty.unwrap_or(Ty::I32)).collect();
        let in_memory: Vec<Ty> =
            types.iter().map(|ty| if *ty == Ty::Bool { Ty::I32 } else { *ty }).collect();
        let inst = self.builder.inst(Op::Load { place, at: Address::Texel(index) }, &in_memory);
        let mut values = self.builder.results(inst).to_vec();
        for (value, ty) in values.iter_mut().zip(types) {
            if ty == Ty::Bool {
                *value = self.is_nonzero(*value);
            }
        }
        Ok(which.iter().map(|i| values[*i as usize]).collect())
    }

    pub(super) fn store_texel(
        &mut self,
        resource: ResourceRef,
        index: Value,
        ty: TypeId,
        which: &[u32],
        values: &[Value],
        span: Span,
    ) -> Lower<()> {
        let place = self.binding(resource, span)?;
        let mut texel: Vec<Option<Value>> = vec![None; self.count(ty) as usize];
        for (i, value) in which.iter().zip(values) {
            texel[*i as usize] = Some(self.in_memory(*value));
        }
        // Read-modify-write: of an element written in part, the rest is read first.
        if texel.contains(&None) {
            let leaves = self.leaves(ty, span)?;
            let all: Vec<u32> = (0..texel.len() as u32).collect();
            let before = self.load_texel(resource, index, &leaves, &all, span)?;
            for (texel, before) in texel.iter_mut().zip(before) {
                let before = self.in_memory(before);
                texel.get_or_insert(before);
            }
        }
        let values = texel.into_iter().flatten().collect();
        self.builder.inst(Op::Store { place, at: Address::Texel(index), values }, &[]);
        Ok(())
    }

    /// An atomic operation on the one scalar of an lvalue; returns the old value if `returns`.
    pub(super) fn atomic(
        &mut self,
        target: &Lvalue,
        op: Atomic,
        args: Values,
        returns: bool,
        span: Span,
    ) -> Lower<Option<Value>> {
        let ty = self.builder.module.ty(args[0]);
        let instruction = if let Some((memory, index)) = self.shared_scalar(target) {
            Op::SharedAtomic { memory, index, op, args }
        } else {
            match &target.at {
                Location::Buffer(buffer) => {
                    let (place, mut address) = self.address(buffer, span)?;
                    let scalar =
                        target.pick.as_ref().and_then(|pick| pick.first()).copied().unwrap_or(0);
                    let offset = self.scalars_in_buffer(target.ty, buffer)[scalar as usize].0;
                    let at = address.at(self, offset);
                    Op::Atomic { place, at, op, args }
                }
                Location::Texel { resource, index } => {
                    let place = self.binding(*resource, span)?;
                    Op::Atomic { place, at: Address::Texel(*index), op, args }
                }
                Location::Texture(texel) => self.texture_atomic(texel, op, args, span)?,
                Location::Slots { .. }
                | Location::Memory { .. }
                | Location::Resource { .. }
                | Location::Component { .. }
                | Location::Values(_)
                | Location::Nowhere => {
                    let message = "an atomic operation needs a destination in groupshared memory or a writable buffer";
                    return Err(self.unsupported(span, message));
                }
            }
        };
        let results: &[Ty] = if returns { &[ty] } else { &[] };
        let inst = self.builder.inst(instruction, results);
        Ok(self.builder.results(inst).first().copied())
    }

    /// The offset and type of each scalar of a value in a buffer.
    pub(super) fn scalars_in_buffer(&self, ty: TypeId, buffer: &Buffer) -> Vec<(u32, Ty)> {
        let mut scalars = Vec::new();
        self.push_buffer_scalars(ty, 0, buffer, &mut scalars);
        scalars
    }

    fn push_buffer_scalars(
        &self,
        ty: TypeId,
        at: u32,
        buffer: &Buffer,
        scalars: &mut Vec<(u32, Ty)>,
    ) {
        let types = &self.program.types;
        let of = |scalar: Scalar| scalar.ty(self.native_16bit);
        match types.get(ty) {
            _ if types.scalar_count(ty) == 0 => {}
            Type::Scalar(scalar) => scalars.push((at, of(scalar))),
            Type::Vector(scalar, n) => {
                let step = buffer.step.unwrap_or(of(scalar).bytes());
                scalars.extend((0..n).map(|i| (at.saturating_add(i * step), of(scalar))));
            }
            Type::Matrix { scalar, rows, columns, row_major } => {
                let components = if row_major { columns } else { rows };
                let stride = matrix_stride(scalar, components, buffer.packing, self.native_16bit);
                let bytes = of(scalar).bytes();
                for (row, column) in
                    (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)))
                {
                    let offset = if row_major {
                        row * stride + column * bytes
                    } else {
                        column * stride + row * bytes
                    };
                    scalars.push((at.saturating_add(offset), of(scalar)));
                }
            }
            Type::Array { element, len } => {
                let stride = array_stride(types, element, buffer.packing, self.native_16bit);
                for i in 0..len {
                    self.push_buffer_scalars(
                        element,
                        at.saturating_add(i.saturating_mul(stride)),
                        buffer,
                        scalars,
                    );
                }
            }
            Type::Struct(_) => {
                let offsets = field_offsets(types, ty, buffer.packing, self.native_16bit);
                for (offset, ty) in offsets.iter() {
                    self.push_buffer_scalars(*ty, at.saturating_add(*offset), buffer, scalars);
                }
            }
            Type::Void | Type::Resource(_) | Type::String | Type::Error => {}
        }
    }

    fn address(&mut self, buffer: &Buffer, span: Span) -> Lower<(ir::Place, BufferAddress)> {
        let place = self.binding(buffer.resource, span)?;
        let dynamic = match buffer.offset.terms.is_empty() {
            true => None,
            false => Some(self.sum(&Sum { constant: 0, ..buffer.offset.clone() })),
        };
        Ok((
            place,
            BufferAddress { element: buffer.element, dynamic, constant: buffer.offset.constant },
        ))
    }

    pub(super) fn is_nonzero(&mut self, value: Value) -> Value {
        let ty = self.builder.module.ty(value);
        let zero = self.constant(ty, 0);
        self.value(Op::Compare(Compare::Ne, value, zero), Ty::Bool)
    }

    /// A `bool` is a 32-bit word in memory.
    pub(super) fn in_memory(&mut self, value: Value) -> Value {
        if self.builder.module.ty(value) != Ty::Bool {
            return value;
        }
        let op = Unary::Convert { to: Ty::I32, from_sign: Sign::Unsigned, to_sign: Sign::Unsigned };
        self.value(Op::Unary(op, value), Ty::I32)
    }
}

pub(super) fn structured(resource: ResourceRef, index: Value, element: TypeId) -> Lvalue {
    let buffer = Buffer {
        resource,
        element: Some(index),
        offset: Sum::default(),
        packing: Packing::Structured,
        step: None,
    };
    Lvalue::whole(Location::Buffer(buffer), element)
}

/// The address of an lvalue in a buffer, computed once for all its scalars.
struct BufferAddress {
    element: Option<Value>,
    dynamic: Option<Value>,
    constant: u32,
}

impl BufferAddress {
    fn at(&mut self, lowerer: &mut Lowerer<'_>, offset: u32) -> Address {
        let constant = self.constant.saturating_add(offset);
        let offset = match self.dynamic {
            Some(dynamic) => lowerer.offset(dynamic, constant),
            None => lowerer.word(constant),
        };
        match self.element {
            Some(index) => Address::Structured { index, offset },
            None => Address::Byte(offset),
        }
    }
}

/// Splits scalars in memory order into runs of adjacent scalars of one type.
fn runs<'a>(sorted: &'a [u32], scalars: &'a [(u32, Ty)]) -> impl Iterator<Item = &'a [u32]> {
    let mut rest = sorted;
    std::iter::from_fn(move || {
        let (start, ty) = scalars[*rest.first()? as usize];
        let is_next = |(n, i): (usize, &u32)| {
            scalars[*i as usize] == (start.wrapping_add(n as u32 * ty.bytes()), ty)
        };
        let len =
            rest.iter().enumerate().take(MOST_AT_ONCE).take_while(|it| is_next(*it)).count().max(1);
        let (run, behind) = rest.split_at(len);
        rest = behind;
        Some(run)
    })
}
