//! Arrays in groupshared and private memory. An out-of-bounds load returns zero and an out-of-bounds store does
//! nothing, as in all our engines; both kinds of memory begin with zeros.
//!
//! All arrays of a kind are parts of one declaration.

use ir::{Atomic, Inst, Memory, Private, Shared, Value};
use ops::{Compare, Sign, Ty};

use crate::emit::Emitter;
use crate::memory::Location;
use crate::text::{Class, Operand, Reg, put, put_if};

/// Private memory up to this size is cleared by single stores, in bytes.
const SMALL: u32 = 64;

fn offsets(arrays: &[Memory]) -> Vec<u32> {
    let mut all = vec![0u32];
    for array in arrays {
        let end = all[all.len() - 1] + array.len * array.ty.bytes();
        all.push(end.next_multiple_of(8));
    }
    all
}

impl Emitter<'_> {
    /// Places the arrays: the offset of each, and the size of all.
    pub(crate) fn declare_arrays(&mut self) {
        self.groupshared = offsets(&self.ir.groupshared);
        self.privates = offsets(&self.ir.privates);
    }

    /// Clears all arrays.
    pub(crate) fn clear_arrays(&mut self) {
        let shared = self.groupshared.last().copied().unwrap_or(0);
        let private = self.privates.last().copied().unwrap_or(0);
        let threads = self.ir.threads_per_group().next_multiple_of(crate::LANES);
        if shared > 0 {
            let thread = self.thread_index();
            let at = self.text.reg(Class::Long);
            let [offset, more] = [(); 2].map(|()| self.text.reg(Class::Word));
            let inside = self.text.reg(Class::Predicate);
            let (head, end) = (self.text.label("clear"), self.text.label("cleared"));
            put!(self, "shl.b32 {offset}, {thread}, 3");
            self.mark(head);
            put!(self, "setp.lt.u32 {inside}, {offset}, {shared}");
            self.line_text(format_args!("\t@!{inside} bra {end};"));
            put!(self, "mov.u64 {at}, groupshared");
            put!(self, "mad.wide.u32 {at}, {offset}, 1, {at}");
            put!(self, "st.shared.b64 [{at}], 0");
            put!(self, "add.s32 {more}, {offset}, {}", threads * 8);
            put!(self, "mov.b32 {offset}, {more}");
            self.line_text(format_args!("\tbra {head};"));
            self.mark(end);
            put!(self, "bar.sync 0");
        }
        if private > 0 {
            let at = self.text.reg(Class::Long);
            put!(self, "mov.u64 {at}, privates");
            if private <= SMALL {
                for offset in (0..private).step_by(8) {
                    put!(self, "st.local.b64 [{at}+{offset}], 0");
                }
                return;
            }
            let left = self.text.reg(Class::Word);
            let more = self.text.reg(Class::Predicate);
            let head = self.text.label("clear");
            put!(self, "mov.b32 {left}, {}", private / 8);
            self.mark(head);
            put!(self, "st.local.b64 [{at}], 0");
            put!(self, "add.s64 {at}, {at}, 8");
            put!(self, "add.s32 {left}, {left}, -1");
            put!(self, "setp.ne.b32 {more}, {left}, 0");
            self.line_text(format_args!("\t@{more} bra {head};"));
        }
    }

    /// The location of an element, and whether it exists.
    fn array_element(
        &mut self,
        name: &'static str,
        start: u32,
        array: &Memory,
        index: Value,
    ) -> (Location, Option<Reg>) {
        let size = array.ty.bytes();
        let key = if name == "groupshared" { "groupshared" } else { "privates" };
        let base = self.text.reg(Class::Long);
        put!(self, "mov.u64 {base}, {key}");
        match self.get(index) {
            Operand::Bits(_, known) => {
                let exists = known < u64::from(array.len);
                let offset = if exists { start + known as u32 * size } else { start };
                let never = (!exists).then(|| self.reg(Operand::Bits(Ty::Bool, 0)));
                (Location { base, offset, multiple: size }, never)
            }
            index => {
                let len = Operand::word(array.len);
                let inside = self.test(Compare::Lt(Sign::Unsigned), Ty::I32, index, len);
                let at = self.text.reg(Class::Long);
                put!(self, "mad.wide.u32 {at}, {index}, {size}, {base}");
                (Location { base: at, offset: start, multiple: size }, Some(inside))
            }
        }
    }

    fn array_load(&mut self, name: &str, ty: Ty, at: Location, inside: Option<Reg>) -> Operand {
        let class = if ty == Ty::Bool { Class::Word } else { Class::of(ty) };
        let to = self.text.reg(class);
        if inside.is_some() {
            put!(self, "mov.{} {to}, 0", class.bits());
        }
        let when = self.when(inside);
        put_if!(self, when, "{name}.{} {to}, {at}", class.bits());
        if ty != Ty::Bool {
            return Operand::Reg(to);
        }
        let truth = self.text.reg(Class::Predicate);
        put!(self, "setp.ne.b32 {truth}, {to}, 0");
        Operand::Reg(truth)
    }

    fn array_store(&mut self, name: &str, ty: Ty, at: Location, inside: Option<Reg>, value: Value) {
        let mut value = self.get_reg(value);
        if ty == Ty::Bool {
            let word = self.text.reg(Class::Word);
            put!(self, "selp.b32 {word}, 1, 0, {value}");
            value = word;
        }
        let when = self.when(inside);
        put_if!(self, when, "{name}.{} {at}, {value}", value.class.bits());
    }

    fn shared_element(&mut self, memory: Shared, index: Value) -> (Ty, Location, Option<Reg>) {
        let ir = self.ir;
        let array = &ir.groupshared[memory.index()];
        let start = self.groupshared[memory.index()];
        let (at, inside) = self.array_element("groupshared", start, array, index);
        (array.ty, at, inside)
    }

    pub(crate) fn shared_load(&mut self, memory: Shared, index: Value) -> Operand {
        let (ty, at, inside) = self.shared_element(memory, index);
        let name = if self.waiting > 0 { "ld.relaxed.cta.shared" } else { "ld.shared" };
        self.array_load(name, ty, at, inside)
    }

    pub(crate) fn shared_store(&mut self, memory: Shared, index: Value, value: Value) {
        let (ty, at, inside) = self.shared_element(memory, index);
        self.array_store("st.shared", ty, at, inside, value);
    }

    pub(crate) fn shared_atomic(
        &mut self,
        inst: Inst,
        memory: Shared,
        index: Value,
        operation: Atomic,
        args: &[Value],
    ) -> Vec<Operand> {
        let (_, at, inside) = self.shared_element(memory, index);
        self.atomic_at(inst, "cta.shared", at, inside, operation, args)
    }

    fn private_element(&mut self, memory: Private, index: Value) -> (Ty, Location, Option<Reg>) {
        let ir = self.ir;
        let array = &ir.privates[memory.index()];
        let start = self.privates[memory.index()];
        let (at, inside) = self.array_element("privates", start, array, index);
        (array.ty, at, inside)
    }

    pub(crate) fn private_load(&mut self, memory: Private, index: Value) -> Operand {
        let (ty, at, inside) = self.private_element(memory, index);
        self.array_load("ld.local", ty, at, inside)
    }

    pub(crate) fn private_store(&mut self, memory: Private, index: Value, value: Value) {
        let (ty, at, inside) = self.private_element(memory, index);
        self.array_store("st.local", ty, at, inside, value);
    }
}
