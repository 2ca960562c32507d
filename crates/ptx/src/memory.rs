//! Buffers: descriptors, addresses, accesses.
//!
//! A buffer is its bytes, at an address that is a multiple of 256. `legalize` has turned every access into units with a
//! condition that says for which lanes they are in bounds; the access is predicated on it, since CUDA has no robust
//! access. The texels of typed buffers are units, too: `legalize` has written out their conversions. Consecutive
//! scalars are moved together where their address is a multiple of their size.
//!
//! Accesses are weak, except those of `globallycoherent` buffers, and loads in loops that may wait for another wave,
//! which would otherwise be moved out of the loop. What a shader only reads is loaded through the *non-coherent* path
//! (`ld.global.nc`): a buffer that a shader writes is bound to nothing else, so the assembler may move such loads
//! across stores and barriers, and share them.

use ir::{Address, Atomic, Binding, Inst, Op, Place, ResourceKind, Value};
use ops::{Binary, Sign, Ty};

use crate::emit::Emitter;
use crate::scalar::signed;
use crate::text::{Class, Operand, Reg, put, put_if};
use crate::{CannotEmit, DESCRIPTOR_BYTES};

/// Where a resource is.
#[derive(Clone, Copy)]
pub(crate) struct Descriptor {
    pub(crate) base: Reg,
    /// The size in bytes.
    pub(crate) bytes: Reg,
    /// For an element of an array, whether it exists; its size is 0 otherwise.
    pub(crate) exists: Option<Reg>,
}

/// The positions of the parts of a descriptor.
const COUNTER: u32 = 8;
const BYTES: u32 = 16;
const COUNT: u32 = 20;

/// A location in memory: a register and a constant offset.
#[derive(Clone, Copy)]
pub(crate) struct Location {
    pub(crate) base: Reg,
    pub(crate) offset: u32,
    /// A power of two of which the address is a multiple.
    pub(crate) multiple: u32,
}

impl Location {
    pub(crate) fn plus(self, more: u32) -> Location {
        Location { offset: self.offset + more, ..self }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.offset {
            0 => write!(f, "[{}]", self.base),
            offset => write!(f, "[{}+{offset}]", self.base),
        }
    }
}

impl Emitter<'_> {
    /// Gives each used resource a place in the parameter.
    pub(crate) fn bind(&mut self) {
        let used = |it: &(usize, &ir::Resource)| it.1.used;
        let slots = self.ir.resources.iter().enumerate().filter(used);
        self.slots = slots.map(|(index, _)| Binding(index as u32)).collect();
    }

    /// The offset of a resource's descriptor in the parameter.
    fn slot(&self, binding: Binding) -> u32 {
        let slot = self.slots.iter().position(|it| *it == binding);
        let slot = slot.unwrap_or_else(|| unreachable!("a resource that is named is used"));
        slot as u32 * DESCRIPTOR_BYTES
    }

    fn param(&mut self, class: Class, offset: u32) -> Reg {
        let reg = self.text.reg(class);
        put!(self, "ld.param.{} {reg}, [bindings+{offset}]", class.bits());
        reg
    }

    /// The descriptor of a resource, or of an element of its array.
    pub(crate) fn descriptor(&mut self, place: Place) -> Descriptor {
        if self.ir.resource(place.binding).count != Some(1) {
            let [base, bytes, exists] = self.element(place, 0);
            return Descriptor { base, bytes, exists: Some(exists) };
        }
        if let Some(known) = self.descriptors.get(&place.binding.0) {
            return *known;
        }
        let slot = self.slot(place.binding);
        let descriptor = self.early(|it| Descriptor {
            base: it.param(Class::Long, slot),
            bytes: it.param(Class::Word, slot + BYTES),
            exists: None,
        });
        self.descriptors.insert(place.binding.0, descriptor);
        descriptor
    }

    /// The address at `part` of an array element's descriptor, its size, and whether the element exists.
    fn element(&mut self, place: Place, part: u32) -> [Reg; 3] {
        let slot = self.slot(place.binding);
        let (table, count) =
            self.early(|it| (it.param(Class::Long, slot), it.param(Class::Word, slot + COUNT)));
        let element = place.element.map_or(Operand::word(0), |it| self.get(it));
        let element = self.reg(element);
        let exists = self.text.reg(Class::Predicate);
        let [base, at] = [(); 2].map(|()| self.text.reg(Class::Long));
        let bytes = self.text.reg(Class::Word);
        put!(self, "setp.lt.u32 {exists}, {element}, {count}");
        put!(self, "mad.wide.u32 {at}, {element}, {DESCRIPTOR_BYTES}, {table}");
        put!(self, "mov.b64 {base}, 0");
        put!(self, "mov.b32 {bytes}, 0");
        let when = self.when(Some(exists));
        put_if!(self, when, "ld.global.nc.b64 {base}, [{at}+{part}]");
        put_if!(self, when, "ld.global.nc.b32 {bytes}, [{at}+{BYTES}]");
        [base, bytes, exists]
    }

    /// The conjunction of conditions.
    pub(crate) fn both(&mut self, a: Option<Reg>, b: Option<Reg>) -> Option<Reg> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.logic("and", a, b)),
            (one, None) | (None, one) => one,
        }
    }

    /// The condition of an access, as a predicate.
    pub(crate) fn condition(&mut self, when: Option<Value>) -> Option<Reg> {
        let when = self.get(when?);
        match when {
            Operand::Bits(_, bits) if bits & 1 == 1 => None,
            other => Some(self.reg(other)),
        }
    }

    /// The location of a unit.
    pub(crate) fn unit(&mut self, base: Reg, unit: Value, bytes: u32) -> Location {
        self.unit_or_first(base, unit, bytes, None)
    }

    /// The location of a unit, or of the first one where a condition does not hold.
    fn unit_or_first(&mut self, base: Reg, unit: Value, bytes: u32, is: Option<Reg>) -> Location {
        const FAR: u64 = 1 << 24;
        let multiple = self.multiple(unit, 0).saturating_mul(bytes & bytes.wrapping_neg()).min(256);
        let mut unit = self.get(unit);
        if let Some(is) = is {
            unit = self.select(Ty::I32, is.into(), unit, Operand::word(0));
        }
        match unit {
            Operand::Bits(_, known) if known * u64::from(bytes) < FAR => {
                Location { base, offset: known as u32 * bytes, multiple }
            }
            unit => {
                let unit = self.reg(unit);
                let [offset, at] = [(); 2].map(|()| self.text.reg(Class::Long));
                // Of a `mad`, the assembler makes four instructions instead of one if another has the same product.
                put!(self, "mul.wide.u32 {offset}, {unit}, {bytes}");
                put!(self, "add.s64 {at}, {offset}, {base}");
                Location { base: at, offset: 0, multiple }
            }
        }
    }

    /// A power of two of which a word is known to be a multiple.
    fn multiple(&self, value: Value, depth: u32) -> u32 {
        const DEEPEST: u32 = 8;
        let power = |known: u64| match known as u32 {
            0 => 256,
            known => (known & known.wrapping_neg()).min(256),
        };
        if let Operand::Bits(_, known) = self.get(value) {
            return power(known);
        }
        let Some(Op::Binary(op, a, b)) = self.ir.op_of(value).filter(|_| depth < DEEPEST) else {
            return 1;
        };
        let of = |it: Value| self.multiple(it, depth + 1);
        match op {
            Binary::Add | Binary::Sub => of(*a).min(of(*b)),
            Binary::Mul => of(*a).saturating_mul(of(*b)).min(256),
            Binary::Shl => match self.ir.constant(*b) {
                Some(by) if by < 8 => (of(*a) << by).min(256),
                _ => 1,
            },
            _ => 1,
        }
    }

    fn texel_bytes(&self, binding: Binding) -> u32 {
        ir::access::texel_bytes(self.target.texel_format(self.ir, binding)) as u32
    }

    fn is_coherent(&self, binding: Binding) -> bool {
        self.ir.resource(binding).globally_coherent
    }

    /// The name of a load of a resource.
    pub(crate) fn load_name(&self, binding: Binding) -> &'static str {
        let resource = self.ir.resource(binding);
        if !self.ir.may_be_written(binding) {
            return "ld.global.nc";
        }
        let waits = self.waiting > 0 && resource.kind.writable();
        if waits || self.is_coherent(binding) { "ld.relaxed.gpu.global" } else { "ld.global" }
    }

    pub(crate) fn store_name(&self, binding: Binding) -> &'static str {
        if self.is_coherent(binding) { "st.relaxed.gpu.global" } else { "st.global" }
    }

    fn uneven<T>(&self, inst: Inst, place: Place) -> Result<T, CannotEmit> {
        let stride = self.ir.resource(place.binding).kind.view().stride;
        self.unsupported("uneven strides", format!("elements of {stride} bytes"), Some(inst))
    }

    pub(crate) fn load(
        &mut self,
        inst: Inst,
        place: Place,
        at: Address,
    ) -> Result<Vec<Operand>, CannotEmit> {
        let results = &self.ir.inst(inst).results;
        let (ty, count) = (self.ir.ty(results[0]), results.len());
        let Address::Within { unit, bytes, when } = at else { return self.uneven(inst, place) };
        let descriptor = self.descriptor(place);
        let inside = self.condition(when);
        let inside = self.both(inside, descriptor.exists);
        let parts = at.scalar_bytes(ty) / bytes;
        let polled = inside.filter(|_| self.is_polled(place, bytes * parts * count as u32));
        let location = self.unit_or_first(descriptor.base, unit, bytes, polled);
        let name = self.load_name(place.binding);
        let inside = inside.filter(|_| polled.is_none());
        let words = self.load_units(name, location, inside, bytes, parts, count);
        let mut values = Vec::new();
        for parts in words {
            let loaded = Operand::Reg(self.assembled(ty, &parts));
            values.push(match polled {
                Some(inside) => self.select(ty, inside.into(), loaded, Operand::Bits(ty, 0)),
                None => loaded,
            });
        }
        Ok(values)
    }

    /// Whether a load is in a loop in which a lane waits for other waves, and from a buffer of at least `bytes` bytes.
    ///
    /// Then it loads the first element instead of none where it is out of bounds: the assembler makes a branch of a
    /// predicated load in such a loop, before which the device switches to another thread (PERF: 8 % of a chained
    /// scan).
    fn is_polled(&self, place: Place, bytes: u32) -> bool {
        let size = self.sizes.get(place.binding.index()).copied().unwrap_or(0);
        self.natural.is_some()
            && self.waiting > 0
            && self.ir.resource(place.binding).count == Some(1)
            && size >= bytes as usize
    }

    /// Loads scalars of several units each: as few instructions as the alignment allows.
    fn load_units(
        &mut self,
        name: &str,
        location: Location,
        inside: Option<Reg>,
        bytes: u32,
        parts: u32,
        count: usize,
    ) -> Vec<Vec<Reg>> {
        let (class, kind) = match bytes {
            1 => (Class::Word, "u8"),
            2 => (Class::Half, "b16"),
            4 => (Class::Word, "b32"),
            _ => (Class::Long, "b64"),
        };
        let all: Vec<Reg> = (0..count as u32 * parts).map(|_| self.text.reg(class)).collect();
        if inside.is_some() {
            for reg in &all {
                put!(self, "mov.{} {reg}, 0", class.bits());
            }
        }
        let when = self.when(inside);
        for (first, run) in runs(&all, bytes, location) {
            let at = location.plus(first * bytes);
            match run {
                [one] => put_if!(self, when, "{name}.{kind} {one}, {at}"),
                several => {
                    let (list, number) = (list(several), several.len());
                    put_if!(self, when, "{name}.v{number}.{kind} {list}, {at}");
                }
            }
        }
        all.chunks(parts.max(1) as usize).map(<[Reg]>::to_vec).collect()
    }

    /// A scalar from the units that hold it.
    fn assembled(&mut self, ty: Ty, units: &[Reg]) -> Reg {
        match (ty, units) {
            (Ty::Bool, [word]) => {
                let to = self.text.reg(Class::Predicate);
                put!(self, "setp.ne.b32 {to}, {word}, 0");
                to
            }
            (_, [low, high]) => {
                let to = self.text.reg(Class::Long);
                put!(self, "mov.b64 {to}, {{{low}, {high}}}");
                to
            }
            _ => units[0],
        }
    }

    /// The units that hold a scalar.
    fn taken_apart(&mut self, ty: Ty, value: Reg, bytes: u32) -> Vec<Reg> {
        match (ty, bytes) {
            (Ty::Bool, _) => {
                let word = self.text.reg(Class::Word);
                put!(self, "selp.b32 {word}, 1, 0, {value}");
                vec![word]
            }
            (Ty::I64 | Ty::F64, 4) => {
                let [low, high] = [(); 2].map(|()| self.text.reg(Class::Word));
                put!(self, "mov.b64 {{{low}, {high}}}, {value}");
                vec![low, high]
            }
            _ => vec![value],
        }
    }

    pub(crate) fn store(
        &mut self,
        inst: Inst,
        place: Place,
        at: Address,
        values: &[Value],
    ) -> Result<(), CannotEmit> {
        let ty = self.ir.ty(values[0]);
        let Address::Within { unit, bytes, when } = at else { return self.uneven(inst, place) };
        let descriptor = self.descriptor(place);
        let inside = self.condition(when);
        let inside = self.both(inside, descriptor.exists);
        let location = self.unit(descriptor.base, unit, bytes);
        let mut all = Vec::new();
        for value in values {
            let value = self.get_reg(*value);
            all.extend(self.taken_apart(ty, value, bytes));
        }
        let name = self.store_name(place.binding);
        let when = self.when(inside);
        for (first, run) in runs(&all, bytes, location) {
            let at = location.plus(first * bytes);
            let bits = if bytes == 1 { "b8" } else { run[0].class.bits() };
            match run {
                [one] => put_if!(self, when, "{name}.{bits} {at}, {one}"),
                several => {
                    let (list, number) = (list(several), several.len());
                    put_if!(self, when, "{name}.v{number}.{bits} {at}, {list}");
                }
            }
        }
        Ok(())
    }

    pub(crate) fn atomic(
        &mut self,
        inst: Inst,
        place: Place,
        at: Address,
        operation: Atomic,
        args: &[Value],
    ) -> Result<Vec<Operand>, CannotEmit> {
        let Address::Within { unit, bytes, when } = at else { return self.uneven(inst, place) };
        let descriptor = self.descriptor(place);
        let inside = self.condition(when);
        let inside = self.both(inside, descriptor.exists);
        if bytes == 0 {
            let what = "atomic operations on texels of another size than the operand";
            let name = self.ir.resource(place.binding).name.clone();
            return self.unsupported(what, format!("the buffer `{name}`"), Some(inst));
        }
        let location = self.unit(descriptor.base, unit, bytes);
        Ok(self.atomic_at(inst, "gpu.global", location, inside, operation, args))
    }

    /// An atomic operation at a location; returns the old value, if the instruction has a result.
    pub(crate) fn atomic_at(
        &mut self,
        inst: Inst,
        space: &str,
        location: Location,
        inside: Option<Reg>,
        operation: Atomic,
        args: &[Value],
    ) -> Vec<Operand> {
        let ir = self.ir;
        let ty = ir.ty(args[0]);
        let int = ty.as_int();
        let args: Vec<Reg> = args.iter().map(|it| self.get_reg(*it)).collect();
        let bits = Class::of(ty).bits();
        let (name, kind) = match operation {
            Atomic::Add => ("add", signed(int, Sign::Unsigned)),
            Atomic::And => ("and", bits),
            Atomic::Or => ("or", bits),
            Atomic::Xor => ("xor", bits),
            Atomic::Min(sign) => ("min", signed(int, sign)),
            Atomic::Max(sign) => ("max", signed(int, sign)),
            Atomic::Exchange => ("exch", bits),
            Atomic::CompareExchange => ("cas", bits),
        };
        let when = self.when(inside);
        let results = &ir.inst(inst).results;
        let used = results.iter().any(|it| self.constructs.used[it.index()]);
        let list: Vec<String> = args.iter().map(Reg::to_string).collect();
        let list = list.join(", ");
        // `red` has the folds only.
        if !used && operation.fold().is_some() {
            put_if!(self, when, "red.relaxed.{space}.{name}.{kind} {location}, {list}");
            return results.iter().map(|_| Operand::Bits(ty, 0)).collect();
        }
        let old = self.reg_for(ty);
        if inside.is_some() {
            put!(self, "mov.{bits} {old}, 0");
        }
        put_if!(self, when, "atom.relaxed.{space}.{name}.{kind} {old}, {location}, {list}");
        results.iter().map(|_| Operand::Reg(old)).collect()
    }

    /// The number of elements or bytes, and the stride.
    pub(crate) fn size(&mut self, place: Place, results: usize) -> Vec<Operand> {
        let bytes = self.descriptor(place).bytes;
        let (unit, stride) = match &self.ir.resource(place.binding).kind {
            ResourceKind::Structured { stride, .. } => (*stride, *stride),
            ResourceKind::Raw { .. } => (1, 0),
            ResourceKind::Typed { .. } => (self.texel_bytes(place.binding), 0),
            ResourceKind::Constant { .. }
            | ResourceKind::Texture { .. }
            | ResourceKind::Sampler { .. }
            | ResourceKind::Scene
            | ResourceKind::Feedback { .. } => {
                unreachable!("the verifier has checked that sizes are those of buffers")
            }
        };
        let count = match unit {
            0 => Operand::word(0),
            1 => Operand::Reg(bytes),
            unit => self.divided(bytes, unit),
        };
        let mut all = vec![count, Operand::word(stride)];
        all.truncate(results);
        all
    }

    /// Adds to the hidden counter of a buffer; returns the value before (+1) or after (-1).
    pub(crate) fn counter(&mut self, place: Place, delta: i32) -> Operand {
        let (base, exists) = if self.ir.resource(place.binding).count == Some(1) {
            let slot = self.slot(place.binding);
            (self.param(Class::Long, slot + COUNTER), None)
        } else {
            let [base, _, exists] = self.element(place, COUNTER);
            (base, Some(exists))
        };
        let old = self.text.reg(Class::Word);
        put!(self, "mov.b32 {old}, 0");
        let when = self.when(exists);
        put_if!(self, when, "atom.relaxed.gpu.global.add.u32 {old}, [{base}], {delta}");
        if delta > 0 {
            return Operand::Reg(old);
        }
        let after = self.text.reg(Class::Word);
        put!(self, "add.s32 {after}, {old}, {delta}");
        if let Some(exists) = exists {
            put!(self, "selp.b32 {after}, {after}, 0, {exists}");
        }
        Operand::Reg(after)
    }
}

/// Units that are moved by one instruction: the number of the first, and the units. Vectors must be aligned to their
/// size.
fn runs(all: &[Reg], bytes: u32, location: Location) -> Vec<(u32, &[Reg])> {
    let mut runs = Vec::new();
    let mut first = 0;
    while first < all.len() {
        let at = location.offset + first as u32 * bytes;
        let aligned = |size: u32| location.multiple.is_multiple_of(size) && at.is_multiple_of(size);
        let fits = |number: &usize| {
            let size = bytes * *number as u32;
            first + number <= all.len() && size <= 16 && aligned(size)
        };
        let number = [4, 2].into_iter().find(fits).unwrap_or(1);
        runs.push((first as u32, &all[first..first + number]));
        first += number;
    }
    runs
}

fn list(regs: &[Reg]) -> String {
    let names: Vec<String> = regs.iter().map(Reg::to_string).collect();
    format!("{{{}}}", names.join(", "))
}
