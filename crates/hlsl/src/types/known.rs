//! Memoisation of the properties of structs, which would otherwise need a walk through everything that they hold.
//!
//! A struct may hold another one twice, and that one a third one twice: sixty declarations make a tree of 2^60 leaves.
//! So every property of a struct is computed once, from the properties of its fields.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Layout, Packing, StructId, Type, TypeId, Types};

/// The memoised properties, by [`StructId`].
#[derive(Debug, Default)]
pub(super) struct Memo(RefCell<Vec<Known>>);

/// Offsets and types of fields.
pub type Offsets = Rc<[(u32, TypeId)]>;

#[derive(Clone, Debug, Default)]
struct Known {
    contents: Option<Contents>,
    layouts: Vec<((Packing, bool), Layout, Offsets)>,
}

/// A summary of what a type contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Counts the hidden storage of bit-fields, not the bit-fields; a resource counts as one. Saturating.
    pub scalars: u64,
    /// Counts bit-fields, not their storage. Saturating.
    pub numbers: u64,
    /// The number of scalars, vectors and matrices, counting those in the elements of an array once. Saturating.
    pub leaves: u64,
    /// The greatest number of structs and arrays around a scalar.
    pub depth: u32,
    pub has_bit_fields: bool,
    pub holds_resource: bool,
    /// Whether it holds a ray query, which is a scalar: a handle.
    pub holds_query: bool,
    /// Whether it holds a resource that is not a ray query.
    pub holds_binding: bool,
    /// Whether it is or contains a vector of more than four components.
    pub has_long_vector: bool,
}

impl Contents {
    const NOTHING: Contents = Contents {
        scalars: 0,
        numbers: 0,
        leaves: 0,
        depth: 0,
        has_bit_fields: false,
        holds_resource: false,
        holds_query: false,
        holds_binding: false,
        has_long_vector: false,
    };

    fn of(scalars: u64) -> Contents {
        Contents { scalars, numbers: scalars, leaves: 1, ..Contents::NOTHING }
    }
}

impl Memo {
    /// Invalidates the properties of a struct that changes. No other struct holds one that can still change.
    pub(super) fn forget(&mut self, id: StructId) {
        if let Some(known) = self.0.get_mut().get_mut(id.0 as usize) {
            *known = Known::default();
        }
    }

    fn read<T>(&self, id: StructId, read: impl FnOnce(&Known) -> Option<T>) -> Option<T> {
        self.0.borrow().get(id.0 as usize).and_then(read)
    }

    fn write(&self, id: StructId, write: impl FnOnce(&mut Known)) {
        let mut all = self.0.borrow_mut();
        let index = id.0 as usize;
        if all.len() <= index {
            all.resize(index + 1, Known::default());
        }
        write(&mut all[index]);
    }
}

impl Types {
    /// What a type contains, memoised for structs.
    pub fn contents(&self, id: TypeId) -> Contents {
        match self.get(id) {
            Type::Void | Type::String | Type::Error => Contents::NOTHING,
            Type::Scalar(_) => Contents::of(1),
            Type::Resource(_) => match self.query_flags(id) {
                Some(_) => Contents { holds_resource: true, holds_query: true, ..Contents::of(1) },
                None => Contents {
                    holds_resource: true,
                    holds_binding: true,
                    leaves: 0,
                    ..Contents::of(1)
                },
            },
            Type::Vector(_, n) => Contents { has_long_vector: n > 4, ..Contents::of(n.into()) },
            Type::Matrix { rows, columns, .. } => Contents::of((rows * columns).into()),
            Type::Array { element, len } => {
                let one = self.contents(element);
                Contents {
                    scalars: one.scalars.saturating_mul(len.into()),
                    numbers: one.numbers.saturating_mul(len.into()),
                    depth: one.depth + 1,
                    ..one
                }
            }
            Type::Struct(id) => self.contents_of_struct(id),
        }
    }

    fn contents_of_struct(&self, id: StructId) -> Contents {
        if let Some(known) = self.known.read(id, |it| it.contents) {
            return known;
        }
        let mut all = Contents::NOTHING;
        for field in &self.structure(id).fields {
            let one = self.contents(field.ty);
            if field.bits.is_none() {
                all.scalars = all.scalars.saturating_add(one.scalars);
                all.leaves = all.leaves.saturating_add(one.leaves);
            }
            if !field.hidden {
                all.numbers = all.numbers.saturating_add(one.numbers);
            }
            all.depth = all.depth.max(one.depth);
            all.has_bit_fields |= field.bits.is_some() || one.has_bit_fields;
            all.holds_resource |= one.holds_resource;
            all.holds_query |= one.holds_query;
            all.holds_binding |= one.holds_binding;
            all.has_long_vector |= one.has_long_vector;
        }
        all.depth += 1;
        self.known.write(id, |it| it.contents = Some(all));
        all
    }

    /// The layout of a struct with the offsets of its fields, memoised.
    pub(super) fn layout_of_struct(
        &self,
        id: StructId,
        packing: Packing,
        native_16bit: bool,
        make: impl FnOnce() -> (Layout, Vec<(u32, TypeId)>),
    ) -> (Layout, Offsets) {
        let rules = (packing, native_16bit);
        let find = |it: &Known| {
            let found = it.layouts.iter().find(|(of, ..)| *of == rules);
            found.map(|(_, layout, offsets)| (*layout, Rc::clone(offsets)))
        };
        if let Some(known) = self.known.read(id, find) {
            return known;
        }
        let (layout, offsets) = make();
        let offsets: Offsets = offsets.into();
        self.known.write(id, |it| it.layouts.push((rules, layout, Rc::clone(&offsets))));
        (layout, offsets)
    }
}
