//! Lvalues: where the scalars of a value are, and how to reach its parts.
//!
//! An [`Lvalue`] is a location of some type, with all of its scalars or only selected ones (a swizzle). Selecting a
//! field, an element or a component yields a smaller place and loads nothing, so an access touches only what it names.

use diag::Span;
use ir::{Value, values};
use ops::{Binary, Compare, Sign, Ternary, Ty, Unary};

use super::buffer::Buffer;
use super::constant::Sum;
use super::env::SlotId;
use super::memory::{Index, Space};
use super::resource::{NO_HANDLE, ResourceRef};
use super::texture::Texel;
use super::{Lower, Lowerer, MOST_SLOTS, Values};
use crate::hir::{Expr, ExprKind, FunctionId, LocalId, ResourceId};
use crate::library::{Method, TextureMethod};
use crate::types::convert::is_base;
use crate::types::{BitField, ResourceType, Scalar, Type, TypeId, field_offsets};

/// The storage of a variable.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// In the environment: consecutive scalars from this slot on.
    Slots { first: SlotId },
    /// In arrays from this one on.
    Memory { space: Space, first: u32 },
    /// An alias of an lvalue.
    Alias(Lvalue),
}

impl Storage {
    pub(super) fn place(&self, ty: TypeId) -> Lvalue {
        match self {
            Storage::Slots { first } => Lvalue::whole(Location::Slots { first: *first }, ty),
            Storage::Memory { space, first } => Lvalue::whole(
                Location::Memory { space: *space, first: *first, index: Index::default() },
                ty,
            ),
            Storage::Alias(place) => place.clone(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Lvalue {
    pub(super) at: Location,
    /// The type of the location's contents.
    pub(super) ty: TypeId,
    /// The selected scalars, in this order; all if `None`.
    pub(super) pick: Option<Vec<u32>>,
    /// Only these bits of the one scalar: a bit-field.
    pub(super) bits: Option<Bits>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Bits {
    offset: u32,
    width: u32,
    scalar: Scalar,
}

#[derive(Clone, Debug)]
pub(super) enum Location {
    Slots {
        first: SlotId,
    },
    Memory {
        space: Space,
        first: u32,
        index: Index,
    },
    Buffer(Buffer),
    Texel {
        resource: ResourceRef,
        index: Value,
    },
    /// A texel of a texture.
    Texture(Texel),
    /// A resource, or an array of them: the elements from here on.
    Resource {
        id: ResourceId,
        element: Option<Sum>,
    },
    /// The component with this index of a texel, which is read and written whole.
    Component {
        of: Box<Lvalue>,
        index: Value,
    },
    /// A value outside of variables: an rvalue.
    Values(Values),
    /// Past the end of a variable: reads are uninitialised, and stores are dropped.
    Nowhere,
}

impl Lvalue {
    pub(super) fn whole(at: Location, ty: TypeId) -> Lvalue {
        Lvalue { at, ty, pick: None, bits: None }
    }
}

impl Lowerer<'_> {
    /// Allocates a variable. `share` identifies it where copies of it may use the same memory.
    pub(super) fn variable(
        &mut self,
        name: &str,
        ty: TypeId,
        span: Span,
        is_dynamic: bool,
        share: Option<(FunctionId, LocalId)>,
    ) -> Lower<Storage> {
        // Large arrays are cheaper in memory even if every index is constant.
        const MOST_SCALARS_IN_SLOTS: u64 = 64;
        let types = &self.program.types;
        let has_binding = types.holds_binding(ty);
        let is_large = types.scalar_count(ty) > MOST_SCALARS_IN_SLOTS
            && !matches!(types.get(ty), Type::Scalar(_) | Type::Vector(..) | Type::Matrix { .. });
        if !has_binding && (is_dynamic || is_large) {
            return self.private(name, ty, span, share);
        }
        let leaves = self.leaves(ty, span)?;
        if self.env.len().saturating_add(leaves.len() as u32) > MOST_SLOTS {
            return Err(self.too_large(
                span,
                "the variables of the functions that call each other here are too large".to_owned(),
            ));
        }
        let first = self.env.len();
        for leaf in leaves.iter() {
            let value = match leaf {
                Some(ty) => self.undefined(*ty, span),
                None => NO_HANDLE,
            };
            self.env.push(*leaf, value);
        }
        Ok(Storage::Slots { first })
    }

    pub(super) fn place(&mut self, expr: &Expr) -> Lower<Lvalue> {
        self.enter(expr.span)?;
        let place = self.place_inner(expr);
        self.leave();
        place
    }

    fn place_inner(&mut self, expr: &Expr) -> Lower<Lvalue> {
        let program = self.program;
        match &expr.kind {
            ExprKind::Local(id) => {
                let frame = self.frame();
                let ty = program.function(frame.function).locals[id.0 as usize].ty;
                Ok(frame.local(*id).place(ty))
            }
            ExprKind::Global(id) => Ok(self.globals[id.0 as usize].place(program.global(*id).ty)),
            ExprKind::Resource(id) => {
                let place = Location::Resource { id: *id, element: None };
                Ok(Lvalue::whole(place, program.resource(*id).ty))
            }
            ExprKind::Field(base, field) => {
                let base = self.place(base)?;
                self.field(base, *field, expr.span)
            }
            ExprKind::Swizzle(base, components) => {
                let base = self.place(base)?;
                let base = self.contents(base, expr.span)?;
                Ok(pick(base, components.iter().copied()))
            }
            ExprKind::MatrixSwizzle(base, elements) => {
                let base = self.place(base)?;
                let base = self.contents(base, expr.span)?;
                let columns = match program.types.get(base.ty) {
                    Type::Matrix { columns, .. } => columns,
                    _ => 1,
                };
                Ok(pick(base, elements.iter().map(|(row, column)| row * columns + column)))
            }
            ExprKind::Index(base, index) => {
                let base = self.place(base)?;
                if let Some(ResourceType::Texture { .. }) = self.resource_type(base.ty) {
                    return self.texel_place(&base, index, expr.span);
                }
                let constant = self.facts.constant(program, index);
                match constant.as_deref() {
                    Some([index_bits]) if !self.is_buffer(base.ty) => {
                        let known = u32::try_from(*index_bits).unwrap_or(u32::MAX);
                        self.known_element(base, known, expr.ty, expr.span)
                    }
                    _ => {
                        let index = self.index_value(index)?;
                        self.element(base, index, expr.ty, expr.span)
                    }
                }
            }
            ExprKind::Assign(target, value) => Ok(self.assign(target, value)?.0),
            ExprKind::AssignOp { op, place, compute, value } => {
                Ok(self.assign_op(*op, place, *compute, value)?.0)
            }
            ExprKind::Step { place, increment, prefix: true } => {
                Ok(self.step(place, *increment)?.0)
            }
            ExprKind::Comma(first, second) => {
                self.expr(first)?;
                self.place(second)
            }
            ExprKind::Method { method: Method::Texture(TextureMethod::Samples), object, args } => {
                self.sample_place(object, args, expr.ty)
            }
            // An element that is loaded whole, though possibly only a part is wanted.
            ExprKind::Method { method: Method::StructuredLoad, object, args }
                if args.len() == 1 =>
            {
                self.structured_element(object, &args[0], expr)
            }
            ExprKind::Convert(inner)
                if matches!(
                    program.types.get(inner.ty),
                    Type::Resource(ResourceType::Constant(_) | ResourceType::TextureBuffer(_))
                ) =>
            {
                let place = self.place(inner)?;
                self.contents(place, expr.span)
            }
            // Inherited fields come first.
            ExprKind::Convert(inner) if is_base(&program.types, inner.ty, expr.ty) => {
                Ok(Lvalue { ty: expr.ty, ..self.place(inner)? })
            }
            ExprKind::Const(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Logic { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Step { prefix: false, .. }
            | ExprKind::Call { .. }
            | ExprKind::Wave { .. }
            | ExprKind::Library { .. }
            | ExprKind::Method { .. }
            | ExprKind::Convert(_)
            | ExprKind::Construct(_) => {
                let values = self.expr(expr)?;
                Ok(Lvalue::whole(Location::Values(values), expr.ty))
            }
        }
    }

    /// Whether indexing a value of that type reaches into a buffer, where no index is known to be out of bounds.
    fn is_buffer(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Resource(_))
    }

    pub(super) fn index_value(&mut self, index: &Expr) -> Lower<Value> {
        let values = self.expr(index)?;
        let [value] = values.as_slice() else {
            return Err(self.unsupported(
                index.span,
                "resources with several dimensions are not supported yet",
            ));
        };
        Ok(self.convert_index(*value, index.ty))
    }

    fn convert_index(&mut self, value: Value, ty: TypeId) -> Value {
        if self.builder.module.ty(value) == Ty::I32 {
            return value;
        }
        let from_sign = self.program.types.scalar_of(ty).map_or(Sign::Unsigned, Scalar::sign);
        let op = Unary::Convert { to: Ty::I32, from_sign, to_sign: Sign::Unsigned };
        self.value(ir::Op::Unary(op, value), Ty::I32)
    }

    /// The contents of a constant buffer's lvalue; any other lvalue is returned unchanged.
    pub(super) fn contents(&mut self, place: Lvalue, span: Span) -> Lower<Lvalue> {
        let Some(ResourceType::Constant(structure) | ResourceType::TextureBuffer(structure)) =
            self.resource_type(place.ty)
        else {
            return Ok(place);
        };
        let resource = self.single_resource(&place, span)?;
        let packing = self.program.resource(resource.id).packing;
        let buffer =
            Buffer { resource, element: None, offset: Sum::default(), packing, step: None };
        Ok(Lvalue::whole(Location::Buffer(buffer), structure))
    }

    /// The resource of an lvalue of a resource type.
    pub(super) fn single_resource(&mut self, place: &Lvalue, span: Span) -> Lower<ResourceRef> {
        let values = self.load(place, span)?;
        match values.first() {
            Some(handle) => self.resource_of(*handle, span),
            None => Err(self.unsupported(span, "this resource is not supported yet")),
        }
    }

    pub(super) fn field(&mut self, base: Lvalue, field: u32, span: Span) -> Lower<Lvalue> {
        let base = self.contents(base, span)?;
        let types = &self.program.types;
        let Type::Struct(id) = types.get(base.ty) else { return Ok(base) };
        let fields = &types.structure(id).fields;
        let wanted = &fields[field as usize];
        if let Some(BitField { unit, offset, width }) = wanted.bits {
            let scalar = types.scalar_of(wanted.ty).unwrap_or(Scalar::U32);
            let unit = self.field(base, unit, span)?;
            return Ok(Lvalue { bits: Some(Bits { offset, width, scalar }), ..unit });
        }
        let before = || fields[..field as usize].iter().filter(|it| it.bits.is_none());
        let scalars: u32 = before().map(|it| self.count(it.ty)).sum();
        let ty = wanted.ty;
        let at = match base.at {
            Location::Slots { first } => Location::Slots { first: first + scalars },
            Location::Memory { space, first, index } => {
                let arrays: u32 = before().map(|it| self.arrays(it.ty)).sum();
                Location::Memory { space, first: first + arrays, index }
            }
            Location::Buffer(buffer) => {
                let offsets = field_offsets(types, base.ty, buffer.packing, self.native_16bit);
                let offset = offsets.get(before().count()).map_or(0, |(offset, _)| *offset);
                Location::Buffer(buffer.plus(offset))
            }
            Location::Values(values) => {
                let (first, count) = (scalars as usize, self.count(ty) as usize);
                Location::Values(values[first..first + count].into())
            }
            at @ (Location::Texel { .. }
            | Location::Texture(_)
            | Location::Component { .. }
            | Location::Resource { .. }
            | Location::Nowhere) => at,
        };
        Ok(Lvalue::whole(at, ty))
    }

    /// An element at a constant index.
    pub(super) fn known_element(
        &mut self,
        base: Lvalue,
        index: u32,
        ty: TypeId,
        span: Span,
    ) -> Lower<Lvalue> {
        let types = &self.program.types;
        if let Some(picked) = &base.pick {
            return Ok(match picked.get(index as usize) {
                Some(scalar) => Lvalue { pick: Some(vec![*scalar]), ..base },
                None => Lvalue::whole(Location::Nowhere, ty),
            });
        }
        let len = match types.get(base.ty) {
            Type::Vector(_, n) => n,
            Type::Matrix { rows, .. } => rows,
            Type::Array { len: 0, .. } => u32::MAX,
            Type::Array { len, .. } => len,
            _ => 1,
        };
        let element = self.count(ty);
        match base.at {
            Location::Slots { .. } | Location::Values(_) if index >= len => {
                Ok(Lvalue::whole(Location::Nowhere, ty))
            }
            Location::Slots { first } => {
                Ok(Lvalue::whole(Location::Slots { first: first + index * element }, ty))
            }
            Location::Values(values) => {
                let first = (index * element) as usize;
                Ok(Lvalue::whole(
                    Location::Values(values[first..first + element as usize].into()),
                    ty,
                ))
            }
            Location::Texel { .. } | Location::Texture(_) => Ok(pick(base, [index.min(len - 1)])),
            Location::Memory { .. }
            | Location::Buffer(_)
            | Location::Resource { .. }
            | Location::Component { .. }
            | Location::Nowhere => {
                let index = self.word(index);
                self.element(base, index, ty, span)
            }
        }
    }

    /// The element of an array, vector, matrix or buffer at that index.
    pub(super) fn element(
        &mut self,
        base: Lvalue,
        index: Value,
        ty: TypeId,
        span: Span,
    ) -> Lower<Lvalue> {
        let program = self.program;
        let types = &program.types;
        if let Some(resource) = self.resource_type(base.ty) {
            return self.buffer_element(&base, resource, index, span);
        }
        if let Some(picked) = &base.pick {
            return self.picked_element(&base, picked, index, ty, span);
        }
        let shape = types.get(base.ty);
        let len = match shape {
            Type::Vector(_, n) => n,
            Type::Matrix { rows, .. } => rows,
            Type::Array { len, .. } => len,
            _ => 1,
        };
        let at = match base.at {
            Location::Memory { space, first, index: outer } => {
                let known = self.builder.module.constant(index);
                Location::Memory { space, first, index: outer.step(index, known, len) }
            }
            Location::Buffer(buffer) => {
                Location::Buffer(self.element_in_buffer(buffer, base.ty, index))
            }
            Location::Resource { id, element } => {
                let mut element = element.unwrap_or_default().scaled(len.max(1));
                match self.builder.module.constant(index) {
                    Some(index) => element = element.plus(index as u32),
                    None => element.terms.push((index, 1)),
                }
                Location::Resource { id, element: Some(element) }
            }
            Location::Nowhere => Location::Nowhere,
            Location::Texel { .. } | Location::Texture(_) => {
                Location::Component { of: Box::new(base), index }
            }
            Location::Slots { .. } if self.unrolling > 0 && self.known(index).is_some() => {
                let known = self.known(index).and_then(|it| u32::try_from(it).ok());
                return self.known_element(base, known.unwrap_or(u32::MAX), ty, span);
            }
            Location::Slots { .. } | Location::Component { .. } | Location::Values(_) => {
                return self.chosen(&base, index, ty, span);
            }
        };
        Ok(Lvalue::whole(at, ty))
    }

    /// The element of a swizzle: where scalars have addresses, the index is looked up in the selection.
    fn picked_element(
        &mut self,
        base: &Lvalue,
        picked: &[u32],
        index: Value,
        ty: TypeId,
        span: Span,
    ) -> Lower<Lvalue> {
        let types = &self.program.types;
        let columns = match types.get(base.ty) {
            Type::Matrix { columns, .. } => columns,
            _ => 1,
        };
        let at = match base.at.clone() {
            Location::Memory { space, first, index: outer } => {
                let scalar = self.looked_up(picked, index);
                let count = self.count(base.ty);
                Location::Memory { space, first, index: outer.step(scalar, None, count) }
            }
            Location::Buffer(buffer) => {
                let (row, column) = buffer.strides(types, base.ty, self.native_16bit);
                let column = column.unwrap_or(
                    types.scalar_of(base.ty).map_or(4, |it| it.ty(self.native_16bit).bytes()),
                );
                let bytes: Vec<u32> =
                    picked.iter().map(|it| it / columns * row + it % columns * column).collect();
                let mut buffer = buffer;
                buffer.offset.terms.push((self.looked_up(&bytes, index), 1));
                Location::Buffer(Buffer { step: None, ..buffer })
            }
            Location::Texel { .. } | Location::Texture(_) => {
                Location::Component { of: Box::new(base.clone()), index }
            }
            Location::Slots { .. }
            | Location::Resource { .. }
            | Location::Component { .. }
            | Location::Values(_)
            | Location::Nowhere => return self.chosen(base, index, ty, span),
        };
        Ok(Lvalue::whole(at, ty))
    }

    /// A look-up in a short table; far out of bounds where the index is.
    fn looked_up(&mut self, table: &[u32], index: Value) -> Value {
        // Far enough that no element is there, and near enough that no computed address wraps around.
        const OUTSIDE: u32 = 1 << 27;
        let mut found = self.word(OUTSIDE);
        for (i, entry) in table.iter().enumerate() {
            let (i, entry) = (self.word(i as u32), self.word(*entry));
            let is_this = self.value(ir::Op::Compare(Compare::Eq, index, i), Ty::Bool);
            found = self.value(ir::Op::Ternary(Ternary::Select, [is_this, entry, found]), Ty::I32);
        }
        found
    }

    /// Replaces the value at that index.
    pub(super) fn replace(&mut self, values: &mut [Value], index: Value, new: Value) {
        let ty = self.builder.module.ty(new);
        for (i, value) in values.iter_mut().enumerate() {
            let this = self.word(i as u32);
            let is_this = self.value(ir::Op::Compare(Compare::Eq, index, this), Ty::Bool);
            *value = self.value(ir::Op::Ternary(Ternary::Select, [is_this, new, *value]), ty);
        }
    }

    /// An element selected by an index from scalars that have no addresses.
    pub(super) fn chosen(
        &mut self,
        base: &Lvalue,
        index: Value,
        ty: TypeId,
        span: Span,
    ) -> Lower<Lvalue> {
        let values = self.load(base, span)?;
        let width = self.count(ty).max(1) as usize;
        if width == 1 && values.iter().all(|it| super::resource::is_handle(*it)) {
            let mut chosen = values[0];
            for (i, handle) in values.iter().enumerate().skip(1) {
                let this = self.word(i as u32);
                let is_this = self.value(ir::Op::Compare(Compare::Eq, index, this), Ty::Bool);
                chosen = self.select_handle(is_this, *handle, chosen, span)?;
            }
            return Ok(Lvalue::whole(Location::Values(values![chosen]), ty));
        }
        if values.iter().any(|it| super::resource::is_handle(*it)) {
            return Err(self.unsupported(
                span,
                "indexing resources in a variable by a non-constant index is not supported yet",
            ));
        }
        // A few are selected by comparison; more go through memory.
        const MOST_COMPARED: usize = 16;
        if values.len() / width > MOST_COMPARED {
            let storage = self.private("value", base.ty, span, None)?;
            let place = storage.place(base.ty);
            self.store(&place, &values)?;
            return self.element(place, index, ty, span);
        }
        let mut chosen = Values::with_capacity(width);
        for value in &values[..width] {
            let leaf = self.builder.module.ty(*value);
            chosen.push(self.undefined(leaf, span));
        }
        for (i, element) in values.chunks_exact(width).enumerate() {
            let this = self.word(i as u32);
            let is_this = self.value(ir::Op::Compare(Compare::Eq, index, this), Ty::Bool);
            for (chosen, value) in chosen.iter_mut().zip(element) {
                let leaf = self.builder.module.ty(*value);
                *chosen =
                    self.value(ir::Op::Ternary(Ternary::Select, [is_this, *value, *chosen]), leaf);
            }
        }
        Ok(Lvalue::whole(Location::Values(chosen), ty))
    }

    /// For a struct that inherits from `base`: its base part. Any other lvalue is unchanged, with type `ty`.
    pub(super) fn inherited(&self, place: Lvalue, ty: TypeId, base: TypeId) -> (Lvalue, TypeId) {
        match (self.program.types.get(ty), self.program.types.get(base)) {
            // The base comes first.
            (Type::Struct(_), Type::Struct(_)) => (Lvalue { ty: base, ..place }, base),
            _ => (place, ty),
        }
    }

    /// The bits of a bit-field, as its type.
    pub(super) fn read_bits(&mut self, unit: Value, bits: Bits) -> Value {
        let unit_ty = self.builder.module.ty(unit);
        let width = unit_ty.bits();
        let (up, down) = (width - bits.offset - bits.width, width - bits.width);
        let up = self.constant(unit_ty, u64::from(up));
        let down = self.constant(unit_ty, u64::from(down));
        let top = self.value(ir::Op::Binary(Binary::Shl, unit, up), unit_ty);
        let value = self.value(ir::Op::Binary(Binary::Shr(bits.scalar.sign()), top, down), unit_ty);
        let ty = bits.scalar.ty(self.native_16bit);
        if ty == unit_ty {
            return value;
        }
        let sign = bits.scalar.sign();
        self.value(
            ir::Op::Unary(Unary::Convert { to: ty, from_sign: sign, to_sign: sign }, value),
            ty,
        )
    }

    /// The storage unit with these bits replaced.
    pub(super) fn write_bits(&mut self, unit: Value, value: Value, bits: Bits) -> Value {
        let ty = self.builder.module.ty(unit);
        let value = if self.builder.module.ty(value) == ty {
            value
        } else {
            let sign = bits.scalar.sign();
            self.value(
                ir::Op::Unary(
                    Unary::Convert { to: ty, from_sign: sign, to_sign: Sign::Unsigned },
                    value,
                ),
                ty,
            )
        };
        let ones = u64::MAX >> (64 - bits.width);
        let field = self.constant(ty, ones << bits.offset);
        let others = self.constant(ty, !(ones << bits.offset));
        let offset = self.constant(ty, u64::from(bits.offset));
        let shifted = self.value(ir::Op::Binary(Binary::Shl, value, offset), ty);
        let new = self.value(ir::Op::Binary(Binary::And, shifted, field), ty);
        // The first field stored to an undefined unit: the other bits are undefined anyway, and must not poison this
        // field.
        if self.is_undefined(unit) {
            return new;
        }
        let kept = self.value(ir::Op::Binary(Binary::And, unit, others), ty);
        self.value(ir::Op::Binary(Binary::Or, kept, new), ty)
    }
}

/// The lvalue with only some of its scalars.
fn pick(base: Lvalue, scalars: impl IntoIterator<Item = u32>) -> Lvalue {
    let picked = scalars.into_iter().map(|i| match &base.pick {
        Some(before) => before.get(i as usize).copied().unwrap_or(0),
        None => i,
    });
    Lvalue { pick: Some(picked.collect()), ..base }
}
