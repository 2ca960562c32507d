//! Robust access to buffers, as instructions: the comparison of each address with the size of its buffer.
//!
//! In Direct3D, an out-of-bounds load returns zero, an out-of-bounds store does nothing, and an out-of-bounds atomic
//! returns zero. A target without [`Class::Bounds`] gets accesses to units ([`Address::Within`]), with a condition that
//! says for which lanes they are in bounds. How the other lanes are kept from accessing memory is up to the target: by
//! a branch, by reading elsewhere, by a predicate.
//!
//! Byte addresses become unit numbers before anything is added to them, so that nothing wraps. Scalars of one access
//! that are in bounds under the same condition stay together; the others get separate accesses. The misaligned part
//! of an address is dropped. What becomes of texels, where a target has none, is in `typed.rs`.
//!
//! Deliberately absent: the bounds of textures and of groupshared and private arrays. Structured buffers whose
//! elements are not a whole number of units stay as they are, since no target here has them.

use ir::{Address, Inst, Op, Place, ResourceKind, Value, Values};
use ops::{Binary, Compare, Sign, Ty};

use crate::target::{Class, uneven};
use crate::typed::TexelPlace;
use crate::writer::Writer;

/// Where an access is in bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Always,
    Never,
    For(Value),
}

/// An access in units of a buffer.
struct Units {
    /// The size of a unit, in bytes; 0 for texels.
    bytes: u32,
    /// The unit of the first scalar.
    first: Value,
    /// Whether each scalar is in bounds.
    inside: Vec<Inside>,
}

/// The scalars of an access.
#[derive(Clone, Copy)]
struct Scalars {
    /// The size of one, in bytes.
    size: u32,
    count: u32,
    /// The size of the units in which they are accessed.
    unit: u32,
}

impl Writer<'_> {
    /// An access to a buffer, or to the whole of it.
    pub(crate) fn buffer_access(&self, inst: Inst) {
        let data = self.source.inst(inst);
        if !self.target.lacks(Class::Bounds, Ty::I32) {
            return self.kept(inst);
        }
        match &data.op {
            Op::Load { place, at } => self.load(inst, *place, *at),
            Op::Store { place, at, values } => self.store(inst, *place, *at, values),
            Op::Atomic { place, at, op: _, args } => self.atomic(inst, *place, *at, args),
            Op::Size { place } => self.size(inst, *place),
            Op::Counter { place, delta } => self.counter(inst, *place, *delta),
            _ => unreachable!("the caller passes accesses to buffers"),
        }
    }

    /// Whether an access remains as it is: the device checks it, or has no units for it.
    fn stays(&self, inst: Inst) -> bool {
        let data = self.source.inst(inst);
        if let Op::Load { place, at: Address::Within { bytes: 0, .. } }
        | Op::Store { place, at: Address::Within { bytes: 0, .. }, .. }
        | Op::Atomic { place, at: Address::Within { bytes: 0, .. }, .. } = &data.op
        {
            return self.texel_bytes(*place).is_none();
        }
        let Some(access) = crate::target::buffer_access(self.source, data) else { return true };
        !self.target.lacks(access.class, access.ty) || uneven(self.source, &access)
    }

    fn load(&self, inst: Inst, place: Place, at: Address) {
        if self.stays(inst) {
            return self.kept(inst);
        }
        let results = &self.source.inst(inst).results;
        let ty = self.source.ty(results[0]);
        let scalars = Scalars::moved(ty, results.len());
        let (place, units) = self.units(place, at, scalars);
        for (from, to, inside) in units.runs() {
            let results = &results[from as usize..to as usize];
            if inside == Inside::Never {
                for result in results {
                    self.set(*result, self.constant(ty, 0));
                }
                continue;
            }
            if let Some(texel) = self.texel_place(place, &units, inside) {
                let news = self.load_typed(texel, ty, results.len());
                results.iter().zip(news).for_each(|(old, new)| self.set(*old, new));
                continue;
            }
            let at = self.within(&units, scalars, from, inside);
            let new = self.add_like(Op::Load { place, at }, results);
            for (old, new) in results.iter().zip(self.results(new)) {
                self.set(*old, self.loaded(new, ty));
            }
        }
    }

    fn store(&self, inst: Inst, place: Place, at: Address, values: &[Value]) {
        if self.stays(inst) {
            return self.kept(inst);
        }
        let ty = self.source.ty(values[0]);
        let scalars = Scalars::moved(ty, values.len());
        let (place, units) = self.units(place, at, scalars);
        if let Some(texel) = self.texel_place(place, &units, units.inside[0]) {
            if units.inside[0] != Inside::Never {
                self.store_typed(texel, values);
            }
            return;
        }
        let values: Values = values.iter().map(|it| self.stored(self.get(*it), ty)).collect();
        for (from, to, inside) in units.runs() {
            if inside != Inside::Never {
                let at = self.within(&units, scalars, from, inside);
                let values = values[from as usize..to as usize].iter().copied().collect();
                self.add(Op::Store { place, at, values }, &[]);
            }
        }
    }

    fn atomic(&self, inst: Inst, place: Place, at: Address, args: &[Value]) {
        if self.stays(inst) {
            return self.kept(inst);
        }
        let data = self.source.inst(inst);
        let size = self.source.ty(args[0]).bytes();
        let scalars = Scalars { size, count: 1, unit: size };
        let (place, mut units) = self.units(place, at, scalars);
        if self.texel_bytes(place) == Some(size) {
            units.bytes = size;
        }
        let inside = units.inside[0];
        if inside == Inside::Never {
            for result in &data.results {
                self.set(*result, self.constant(self.source.ty(*result), 0));
            }
            return;
        }
        let Op::Atomic { op, .. } = data.op else { unreachable!("the caller passes an atomic") };
        let at = self.within(&units, scalars, 0, inside);
        let new =
            self.add_like(Op::Atomic { place, at, op, args: self.get_all(args) }, &data.results);
        for (old, new) in data.results.iter().zip(self.results(new)) {
            self.set(*old, new);
        }
    }

    fn size(&self, inst: Inst, place: Place) {
        let results = &self.source.inst(inst).results;
        let (place, exists) = self.existing(place);
        let new = self.results(self.add_like(Op::Size { place }, results));
        let zero = self.word(0);
        for (i, (old, new)) in results.iter().zip(new).enumerate() {
            // The stride is that of the declaration.
            let new = match exists {
                Inside::For(exists) if i == 0 => self.choose(exists, new, zero),
                Inside::Never if i == 0 => zero,
                Inside::Always | Inside::Never | Inside::For(_) => new,
            };
            self.set(*old, new);
        }
    }

    fn counter(&self, inst: Inst, place: Place, delta: i32) {
        let results = &self.source.inst(inst).results;
        let (place, exists) = self.existing(place);
        let count = || self.value(Op::Counter { place, delta }, Ty::I32);
        let value = match exists {
            Inside::Always => count(),
            Inside::Never => self.word(0),
            Inside::For(exists) => self.branch(exists, || [count()], || [self.word(0)])[0],
        };
        for result in results {
            self.set(*result, value);
        }
    }

    /// The address of a run of scalars.
    fn within(&self, units: &Units, scalars: Scalars, from: u32, inside: Inside) -> Address {
        let unit = match from {
            0 => units.first,
            _ => self.plus(units.first, from * scalars.size / scalars.unit),
        };
        Address::Within { unit, bytes: units.bytes, when: inside.when() }
    }

    /// The size of a texel of a typed buffer, if the target accesses them by their bytes.
    fn texel_bytes(&self, place: Place) -> Option<u32> {
        let is_typed =
            matches!(self.source.resource(place.binding).kind, ResourceKind::Typed { .. });
        (is_typed && self.target.lacks(Class::Texel, Ty::I32)).then(|| {
            let format = self.target.texel_format(self.source, place.binding);
            ir::access::texel_bytes(format) as u32
        })
    }

    /// The texel of such an access.
    fn texel_place(&self, place: Place, units: &Units, inside: Inside) -> Option<TexelPlace> {
        self.texel_bytes(place)?;
        Some(TexelPlace { place, index: units.first, when: inside.when() })
    }

    /// The place with an element that exists in the resource array, and whether that is the element meant.
    fn existing(&self, place: Place) -> (Place, Inside) {
        let Some(element) = place.element else { return (place, Inside::Always) };
        let element = self.get(element);
        let exists = match self.source.resource(place.binding).count {
            Some(count) => self.below(element, count),
            None => Inside::Always,
        };
        let element = match exists {
            Inside::Always => element,
            Inside::Never => self.word(0),
            Inside::For(exists) => self.choose(exists, element, self.word(0)),
        };
        (Place { element: Some(element), ..place }, exists)
    }

    fn units(&self, place: Place, at: Address, scalars: Scalars) -> (Place, Units) {
        let Scalars { size, count, unit } = scalars;
        let shift = unit.trailing_zeros();
        let (place, exists) = self.existing(place);
        let kind = &self.source.resource(place.binding).kind;
        let units = match (at, kind) {
            (Address::Structured { index, offset }, ResourceKind::Structured { stride, .. }) => {
                let (index, offset) = (self.get(index), self.get(offset));
                let whole = match self.exist(place, self.most(index), *stride) {
                    true => exists,
                    false => self.both_inside(self.less(index, self.size_of(place, 0)), exists),
                };
                let inside = (1..=count).map(|scalars| {
                    let limit = (stride + 1).saturating_sub(size * scalars);
                    self.both_inside(whole, self.below(offset, limit))
                });
                let inside = inside.collect();
                let element = match stride / unit {
                    1 => index,
                    units => self.with(Binary::Mul, index, units.into()),
                };
                let first = match self.known(offset) {
                    Some(offset) => self.plus(element, offset as u32 >> shift),
                    None => self.op2(Binary::Add, element, self.shifted(offset, shift)),
                };
                Units { bytes: unit, first, inside }
            }
            (Address::Byte(at), ResourceKind::Constant { size: declared, .. }) => {
                // Only the declared size is known: it is the host's mistake to bind a smaller buffer.
                let all = declared.div_ceil(16).max(1) * (16 / unit);
                let first = self.shifted(self.get(at), shift);
                let inside = (0..count).map(|scalar| {
                    let limit = all + 1 - size / unit;
                    let unit = self.plus(first, scalar * (size / unit));
                    self.both_inside(self.below(unit, limit), exists)
                });
                Units { bytes: unit, first, inside: inside.collect() }
            }
            (Address::Byte(at), _) => {
                let first = self.shifted(self.get(at), shift);
                let most = self.most(first);
                let inside = (1..=count).map(|scalars| {
                    let more = scalars * (size / unit) - 1;
                    if self.exist(place, most.map(|it| it + u64::from(more)), unit) {
                        return exists;
                    }
                    let last = self.plus(first, more);
                    self.both_inside(self.less(last, self.size_of(place, shift)), exists)
                });
                Units { bytes: unit, first, inside: inside.collect() }
            }
            (Address::Texel(at), _) => {
                let at = self.get(at);
                let inside = match self.texel_bytes(place) {
                    Some(bytes) if self.exist(place, self.most(at), bytes) => exists,
                    // Not shared between accesses, as an image's size is not read from memory.
                    _ => {
                        let all = self.value(Op::Size { place }, Ty::I32);
                        self.both_inside(self.less(at, all), exists)
                    }
                };
                Units { bytes: 0, first: at, inside: vec![inside; count as usize] }
            }
            (Address::Within { unit, when, .. }, _) => {
                let when = when.map_or(Inside::Always, |it| Inside::For(self.get(it)));
                let inside = self.both_inside(when, exists);
                Units { bytes: 0, first: self.get(unit), inside: vec![inside; count as usize] }
            }
            (Address::Structured { .. }, _) => {
                unreachable!("the verifier has checked that addresses suit their resources")
            }
        };
        (place, units)
    }

    /// What a buffer says of its size, its elements or bytes, shifted right. If it is the same buffer everywhere, it is
    /// asked once.
    fn size_of(&self, place: Place, shift: u32) -> Value {
        let resource = self.source.resource(place.binding);
        let is_same = place.element.is_none() && resource.count == Some(1);
        let key = (place.binding, shift);
        let known = self.sizes.borrow().get(&key).copied();
        if let Some(known) = known.filter(|_| is_same) {
            return known;
        }
        let add = |op, results: &[Ty]| match is_same {
            true => self.results(self.early(op, results))[0],
            false => self.results(self.add(op, results))[0],
        };
        let results = if resource.kind.view().has_elements() { 2 } else { 1 };
        let size = add(Op::Size { place }, &[Ty::I32; 2][..results]);
        let value = match shift {
            0 => size,
            _ => add(Op::Binary(Binary::Shr(Sign::Unsigned), size, self.word(shift)), &[Ty::I32]),
        };
        if is_same {
            self.sizes.borrow_mut().insert(key, value);
        }
        value
    }

    fn plus(&self, value: Value, more: u32) -> Value {
        match (self.known(value), more) {
            (_, 0) => value,
            (Some(known), _) => self.word((known as u32).wrapping_add(more)),
            (None, _) => self.with(Binary::Add, value, more.into()),
        }
    }

    fn shifted(&self, value: Value, by: u32) -> Value {
        match self.known(value) {
            Some(known) => self.word(known as u32 >> by),
            None => self.with(Binary::Shr(Sign::Unsigned), value, by.into()),
        }
    }

    fn less(&self, a: Value, b: Value) -> Inside {
        Inside::For(self.test(Compare::Lt(Sign::Unsigned), a, b))
    }

    fn below(&self, value: Value, limit: u32) -> Inside {
        match self.known(value) {
            Some(known) if known < u64::from(limit) => Inside::Always,
            Some(_) => Inside::Never,
            None => self.less(value, self.word(limit)),
        }
    }

    fn both_inside(&self, a: Inside, b: Inside) -> Inside {
        match (a, b) {
            (Inside::Never, _) | (_, Inside::Never) => Inside::Never,
            (Inside::Always, other) | (other, Inside::Always) => other,
            (Inside::For(a), Inside::For(b)) => Inside::For(self.both(a, b)),
        }
    }
}

impl Inside {
    /// The condition of an access to what may exist.
    fn when(self) -> Option<Value> {
        match self {
            Inside::For(when) => Some(when),
            Inside::Always | Inside::Never => None,
        }
    }
}

impl Scalars {
    /// Scalars that are loaded or stored: those of 64 bits as two words.
    fn moved(ty: Ty, count: usize) -> Scalars {
        let unit = if ty.bytes() == 2 { 2 } else { 4 };
        Scalars { size: ty.bytes(), count: count as u32, unit }
    }
}

impl Units {
    /// Consecutive scalars that are in bounds under the same condition: the first, and the one after the last.
    fn runs(&self) -> Vec<(u32, u32, Inside)> {
        let mut runs: Vec<(u32, u32, Inside)> = Vec::new();
        for (scalar, inside) in (0..).zip(&self.inside) {
            match runs.last_mut() {
                Some(last) if last.2 == *inside => last.1 = scalar + 1,
                _ => runs.push((scalar, scalar + 1, *inside)),
            }
        }
        runs
    }
}
