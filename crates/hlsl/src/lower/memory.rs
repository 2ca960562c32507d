//! Groupshared and private arrays, and loads from and stores to lvalues.
//!
//! A variable in memory is split into one array for each member that is not a struct; the dimensions of all arrays
//! around the member, of the member itself and of a vector or matrix multiply. An index that is out of bounds in any
//! dimension is moved out of bounds of the whole array, so that it never reaches another element.

use diag::Span;
use ir::{Memory, Op, Private, Shared, Value, values};
use ops::{Binary, Compare, Sign, Ternary, Ty};

use super::constant::Sum;
use super::place::{Location, Lvalue, Storage};
use super::resource::ResourceRef;
use super::{Lower, Lowerer, Values};
use crate::hir::{FunctionId, LocalId};
use crate::types::{Type, TypeId};

/// The maximum number of scalars of an array.
const MOST_IN_ARRAY: u64 = 1 << 24;
/// An index beyond the end of every array, with room for components after it.
const OUT_OF_BOUNDS: u32 = 1 << 31;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Shared,
    Private,
}

/// The index of the element in the dimensions so far.
#[derive(Clone, Debug)]
pub(super) struct Index {
    sum: Sum,
    /// The per-lane indices and the lengths of their dimensions.
    checks: Vec<(Value, u32)>,
    /// The product of these lengths.
    len: u32,
    /// A constant index was out of bounds.
    is_outside: bool,
}

impl Default for Index {
    fn default() -> Index {
        Index { sum: Sum::default(), checks: Vec::new(), len: 1, is_outside: false }
    }
}

impl Index {
    /// Adds one more dimension.
    pub(super) fn step(self, index: Value, known: Option<u64>, len: u32) -> Index {
        let mut next =
            Index { sum: self.sum.scaled(len), len: self.len.saturating_mul(len), ..self };
        match known {
            Some(known) if known < u64::from(len) => next.sum = next.sum.plus(known as u32),
            Some(_) => next.is_outside = true,
            None => {
                next.sum.terms.push((index, 1));
                next.checks.push((index, len));
            }
        }
        next
    }
}

/// The address of a scalar of a value in memory: its array, and there the lvalue's index × `each` + `offset`.
struct ScalarAt {
    array: u32,
    each: u32,
    offset: u32,
}

impl Lowerer<'_> {
    pub(super) fn groupshared(&mut self, name: &str, ty: TypeId, span: Span) -> Lower<Storage> {
        let first = self.builder.module.groupshared.len() as u32;
        let arrays = self.arrays_of(name, ty, span)?;
        self.builder.module.groupshared.extend(arrays);
        Ok(Storage::Memory { space: Space::Shared, first })
    }

    pub(super) fn private(
        &mut self,
        name: &str,
        ty: TypeId,
        span: Span,
        share: Option<(FunctionId, LocalId)>,
    ) -> Lower<Storage> {
        if let Some(known) = share.and_then(|key| self.privates.get(&key)) {
            return Ok(Storage::Memory { space: Space::Private, first: known.0 });
        }
        let first = self.builder.module.privates.len() as u32;
        let arrays = self.arrays_of(name, ty, span)?;
        self.builder.module.privates.extend(arrays);
        if let Some(key) = share {
            self.privates.insert(key, Private(first));
        }
        Ok(Storage::Memory { space: Space::Private, first })
    }

    /// The number of arrays that a variable of that type is split into.
    pub(super) fn arrays(&self, ty: TypeId) -> u32 {
        u32::try_from(self.program.types.contents(ty).leaves).unwrap_or(u32::MAX)
    }

    fn arrays_of(&self, name: &str, ty: TypeId, span: Span) -> Lower<Vec<Memory>> {
        let mut arrays = Vec::new();
        self.push_arrays(name.to_owned(), ty, 1, span, &mut arrays)?;
        Ok(arrays)
    }

    fn push_arrays(
        &self,
        name: String,
        ty: TypeId,
        len: u64,
        span: Span,
        arrays: &mut Vec<Memory>,
    ) -> Lower<()> {
        let types = &self.program.types;
        if len > MOST_IN_ARRAY {
            return Err(
                self.too_large(span, format!("`{name}` has more than {MOST_IN_ARRAY} scalars"))
            );
        }
        match types.get(ty) {
            _ if types.scalar_count(ty) == 0 => {}
            Type::Scalar(_) | Type::Vector(..) | Type::Matrix { .. } => {
                let len = len.saturating_mul(u64::from(self.count(ty)));
                if len > MOST_IN_ARRAY {
                    return Err(self.too_large(span, format!("`{name}` has {len} scalars")));
                }
                if len > 0 {
                    arrays.push(Memory { name, ty: self.ty(ty), len: len as u32, span });
                }
            }
            Type::Array { element, len: n } => {
                self.push_arrays(name, element, len.saturating_mul(u64::from(n)), span, arrays)?;
            }
            Type::Struct(id) => {
                for field in types.structure(id).fields.iter().filter(|it| it.bits.is_none()) {
                    // The name is for display only.
                    const LONGEST: usize = 256;
                    let name = match name.len() + field.name.len() < LONGEST {
                        true => format!("{name}.{}", field.name),
                        false => name.clone(),
                    };
                    self.push_arrays(name, field.ty, len, span, arrays)?;
                }
            }
            Type::Resource(_) if types.holds_query(ty) => {
                arrays.push(Memory { name, ty: Ty::I32, len: len as u32, span });
            }
            Type::Void | Type::Resource(_) | Type::String | Type::Error => {}
        }
        Ok(())
    }

    /// Sets every scalar of a variable to zero.
    pub(super) fn zero(&mut self, storage: &Storage, ty: TypeId, span: Span) -> Lower<()> {
        match storage {
            Storage::Slots { first } => {
                let leaves = self.leaves(ty, span)?;
                for (slot, leaf) in (*first..).zip(leaves.iter()) {
                    let zero = self.constant(leaf.unwrap_or(Ty::I32), 0);
                    self.env.set(slot, zero);
                    self.note_writes(std::iter::once((slot, zero)));
                }
                Ok(())
            }
            Storage::Memory { space: Space::Private, first } => {
                for array in *first..*first + self.arrays(ty) {
                    let zero = self.constant(self.builder.module.privates[array as usize].ty, 0);
                    self.fill(Private(array), zero)?;
                }
                Ok(())
            }
            Storage::Memory { space: Space::Shared, .. } | Storage::Alias(_) => Ok(()),
        }
    }

    /// Makes a variable in private memory uninitialised again, where it may have been used before: in an earlier
    /// iteration, or in an earlier call of its function.
    pub(super) fn unset(&mut self, storage: &Storage, ty: TypeId) -> Lower<()> {
        let Storage::Memory { space: Space::Private, first } = *storage else { return Ok(()) };
        for array in first..first + self.arrays(ty) {
            let array_data = &self.builder.module.privates[array as usize];
            let (ty, span) = (array_data.ty, array_data.span);
            let nothing = self.undefined(ty, span);
            self.fill(Private(array), nothing)?;
        }
        Ok(())
    }

    fn fill(&mut self, memory: Private, value: Value) -> Lower<()> {
        const MOST_UNROLLED: u32 = 16;
        let len = self.builder.module.privates[memory.index()].len;
        if len <= MOST_UNROLLED {
            for i in 0..len {
                let index = self.word(i);
                self.builder.inst(Op::PrivateStore { memory, index, value }, &[]);
            }
            return Ok(());
        }
        let start = self.word(0);
        let loop_ = self.builder.reserve();
        let (body, params) = self.open(&[Ty::I32])?;
        self.builder.inst(Op::PrivateStore { memory, index: params[0], value }, &[]);
        let next = self.offset(params[0], 1);
        let end = self.word(len);
        let is_end = self.value(Op::Compare(Compare::Ge(Sign::Unsigned), next, end), Ty::Bool);
        let test = self.builder.reserve();
        let (then, _) = self.open(&[])?;
        self.builder.terminate(Op::Exit { to: loop_, args: Values::new() });
        self.close();
        let (else_, _) = self.open(&[])?;
        self.builder.terminate(Op::Yield(Values::new()));
        self.close();
        self.builder.fill(test, Op::If { cond: is_end, then, else_ }, &[]);
        self.builder.terminate(Op::Yield(values![next]));
        self.close();
        self.builder.fill(loop_, Op::Loop { body, inits: values![start] }, &[]);
        Ok(())
    }

    // Loads and stores.

    /// The scalars of an lvalue.
    pub(super) fn load(&mut self, place: &Lvalue, span: Span) -> Lower<Values> {
        let leaves = self.leaves(place.ty, span)?;
        let which: Vec<u32> = match &place.pick {
            Some(pick) => pick.clone(),
            None => (0..leaves.len() as u32).collect(),
        };
        let values: Values = match &place.at {
            Location::Slots { first } => which.iter().map(|i| self.env.get(first + i)).collect(),
            Location::Values(values) => which.iter().map(|i| values[*i as usize]).collect(),
            Location::Component { of, index } => {
                let chosen = self.chosen(of, *index, place.ty, span)?;
                return self.load(&chosen, span);
            }
            Location::Nowhere => which
                .iter()
                .map(|i| match leaves.get(*i as usize) {
                    Some(Some(ty)) => self.undefined(*ty, span),
                    _ => super::resource::NO_HANDLE,
                })
                .collect(),
            Location::Memory { space, first, index } => {
                let (scalars, mut bases) = (self.scalars_in_memory(place.ty), Bases::default());
                let mut values = Values::with_capacity(which.len());
                for i in which {
                    let at = &scalars[i as usize];
                    let (array, index) =
                        (first + at.array, self.array_index(*space, *first, index, at, &mut bases));
                    let ty = leaves[i as usize].unwrap_or(Ty::I32);
                    let op = match space {
                        Space::Shared => Op::SharedLoad { memory: Shared(array), index },
                        Space::Private => Op::PrivateLoad { memory: Private(array), index },
                    };
                    values.push(self.value(op, ty));
                }
                values
            }
            Location::Buffer(buffer) => self.load_buffer(buffer, place.ty, &which, span)?,
            Location::Texel { resource, index } => {
                self.load_texel(*resource, *index, &leaves, &which, span)?
            }
            Location::Texture(texel) => self.load_from_texture(texel, &leaves, &which, span)?,
            Location::Resource { id, element } => {
                self.load_handles(*id, element.as_ref(), leaves.len() as u32, span)?
            }
        };
        Ok(match place.bits {
            Some(bits) => values.into_iter().map(|unit| self.read_bits(unit, bits)).collect(),
            None => values,
        })
    }

    pub(super) fn store(&mut self, place: &Lvalue, values: &[Value]) -> Lower<()> {
        let span = self.builder.span;
        if let Some(bits) = place.bits {
            let unit = Lvalue { bits: None, ..place.clone() };
            let before = self.load(&unit, span)?;
            let after: Values = before
                .iter()
                .zip(values)
                .map(|(unit, value)| self.write_bits(*unit, *value, bits))
                .collect();
            return self.store(&unit, &after);
        }
        self.check_group_store(place, span)?;
        let which: Vec<u32> = match &place.pick {
            Some(pick) => pick.clone(),
            None => (0..values.len() as u32).collect(),
        };
        match &place.at {
            Location::Slots { first } => {
                for (i, value) in which.iter().zip(values) {
                    self.set_slot(first + i, *value, span)?;
                }
                self.note_writes(which.iter().map(|it| first + it).zip(values.iter().copied()));
            }
            Location::Memory { space, first, index } => {
                let (scalars, mut bases) = (self.scalars_in_memory(place.ty), Bases::default());
                for (i, value) in which.into_iter().zip(values) {
                    let at = &scalars[i as usize];
                    let (array, index) =
                        (first + at.array, self.array_index(*space, *first, index, at, &mut bases));
                    let op = match space {
                        Space::Shared => {
                            Op::SharedStore { memory: Shared(array), index, value: *value }
                        }
                        Space::Private => {
                            Op::PrivateStore { memory: Private(array), index, value: *value }
                        }
                    };
                    self.builder.inst(op, &[]);
                }
            }
            Location::Buffer(buffer) => {
                self.store_buffer(buffer, place.ty, &which, values, span)?
            }
            Location::Texel { resource, index } => {
                self.store_texel(*resource, *index, place.ty, &which, values, span)?
            }
            Location::Texture(texel) => {
                self.store_to_texture(texel, place.ty, &which, values, span)?
            }
            Location::Component { of, index } => {
                let Some(new) = values.first() else { return Ok(()) };
                let mut whole = self.load(of, span)?;
                self.replace(&mut whole, *index, *new);
                self.store(of, &whole)?;
            }
            Location::Nowhere => {}
            Location::Values(_) => {
                return Err(
                    self.unsupported(span, "assigning to a part of a value is not supported yet")
                );
            }
            Location::Resource { .. } => {
                return Err(self.unsupported(
                    span,
                    "assigning to a resource declaration is not supported yet",
                ));
            }
        }
        Ok(())
    }

    /// A resource must not change while an enclosing loop or switch runs.
    fn set_slot(&mut self, slot: u32, value: Value, span: Span) -> Lower<()> {
        let is_handle = self.env.ty(slot).is_none();
        if is_handle
            && self.env.get(slot) != value
            && let Some(innermost) = self.loops.last()
            && self.env.is_older(slot, *innermost)
        {
            return Err(self.differing_resources(span));
        }
        self.env.set(slot, value);
        Ok(())
    }

    fn load_handles(
        &mut self,
        id: crate::hir::ResourceId,
        element: Option<&Sum>,
        count: u32,
        span: Span,
    ) -> Lower<Values> {
        let is_array = !self.program.resource(id).dims.is_empty();
        if !is_array {
            return Ok(values![self.handles.make(ResourceRef { id, element: None })]);
        }
        if count == 0 {
            return Err(self.unsupported(
                span,
                "copying an unbounded array of resources is not supported yet",
            ));
        }
        let first = element.cloned().unwrap_or_default().scaled(count);
        let base = self.sum(&first);
        Ok((0..count)
            .map(|i| {
                let element = self.offset(base, i);
                self.handles.make(ResourceRef { id, element: Some(element) })
            })
            .collect())
    }

    /// The array and index of the one scalar of an lvalue in groupshared memory.
    pub(super) fn shared_scalar(&mut self, place: &Lvalue) -> Option<(Shared, Value)> {
        let Location::Memory { space: space @ Space::Shared, first, index } = &place.at else {
            return None;
        };
        let scalar = place.pick.as_ref().and_then(|pick| pick.first()).copied().unwrap_or(0);
        let scalars = self.scalars_in_memory(place.ty);
        let at = scalars.get(scalar as usize)?;
        let index = self.array_index(*space, *first, index, at, &mut Bases::default());
        Some((Shared(first + at.array), index))
    }

    fn scalars_in_memory(&self, ty: TypeId) -> Vec<ScalarAt> {
        let mut scalars = Vec::new();
        self.push_scalars(ty, ScalarAt { array: 0, each: 1, offset: 0 }, &mut scalars);
        scalars
    }

    fn push_scalars(&self, ty: TypeId, at: ScalarAt, scalars: &mut Vec<ScalarAt>) {
        let types = &self.program.types;
        let part = |len: u32, i: u32| ScalarAt {
            array: at.array,
            each: at.each * len,
            offset: at.offset * len + i,
        };
        match types.get(ty) {
            _ if types.scalar_count(ty) == 0 => {}
            Type::Scalar(_) => scalars.push(at),
            Type::Vector(_, n) => scalars.extend((0..n).map(|i| part(n, i))),
            Type::Matrix { rows, columns, .. } => {
                // A row is an element of the matrix.
                for row in 0..rows {
                    let row = part(rows, row);
                    scalars.extend((0..columns).map(|i| ScalarAt {
                        array: at.array,
                        each: row.each * columns,
                        offset: row.offset * columns + i,
                    }));
                }
            }
            Type::Array { element, len } => {
                (0..len).for_each(|i| self.push_scalars(element, part(len, i), scalars))
            }
            Type::Struct(id) => {
                let mut array = at.array;
                for field in types.structure(id).fields.iter().filter(|it| it.bits.is_none()) {
                    self.push_scalars(field.ty, ScalarAt { array, ..at }, scalars);
                    array += self.arrays(field.ty);
                }
            }
            Type::Resource(_) if types.holds_query(ty) => scalars.push(at),
            Type::Void | Type::Resource(_) | Type::String | Type::Error => {}
        }
    }

    fn array_index(
        &mut self,
        space: Space,
        first: u32,
        index: &Index,
        at: &ScalarAt,
        bases: &mut Bases,
    ) -> Value {
        if index.is_outside {
            return self.word(OUT_OF_BOUNDS);
        }
        if index.sum.terms.is_empty() {
            return self.word(index.sum.constant * at.each + at.offset);
        }
        let array = first + at.array;
        let len = match space {
            Space::Shared => self.builder.module.groupshared[array as usize].len,
            Space::Private => self.builder.module.privates[array as usize].len,
        };
        if let Some((_, base)) = bases.found.iter().find(|(key, _)| *key == at.each) {
            let base = *base;
            return self.offset(base, at.offset);
        }
        let mut base = self.sum(&index.sum.clone().scaled(at.each));
        // With a single dimension, the array's own bounds are enough.
        let is_plain =
            at.each == 1 && index.checks.len() == 1 && index.len == len && index.checks[0].1 == len;
        if !is_plain {
            let is_inside = match bases.is_inside {
                Some(known) => known,
                None => self.is_inside(&index.checks),
            };
            bases.is_inside = Some(is_inside);
            let outside = self.word(OUT_OF_BOUNDS);
            base = self.value(Op::Ternary(Ternary::Select, [is_inside, base, outside]), Ty::I32);
        }
        bases.found.push((at.each, base));
        self.offset(base, at.offset)
    }

    fn is_inside(&mut self, checks: &[(Value, u32)]) -> Value {
        let mut all = None;
        for (index, len) in checks {
            let len = self.word(*len);
            let fits = self.value(Op::Compare(Compare::Lt(Sign::Unsigned), *index, len), Ty::Bool);
            all = Some(match all {
                Some(all) => self.value(Op::Binary(Binary::And, all, fits), Ty::Bool),
                None => fits,
            });
        }
        all.unwrap_or_else(|| self.constant(Ty::Bool, 1))
    }
}

/// What the scalars of one access have in common: the bounds check, and the scaled index for each stride.
#[derive(Default)]
struct Bases {
    is_inside: Option<Value>,
    found: Vec<(u32, Value)>,
}
