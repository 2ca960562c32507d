//! Instrumentation for tracing: turns a module into one that also stores its values into a buffer as it runs.
//!
//! The values are those of [`points`]: every result of an instruction, in textual order. Each thread has space for
//! a number of *events* in an additional resource, a raw buffer; an event is the number of its point, a stamp, and
//! the bits of the value.
//! A thread counts its events in private memory, so that those of a loop are consecutive. Events before `skip`, and
//! those for which there is no space, are counted but not kept: to see more of a long run, trace it again with a
//! larger `skip`.
//!
//! The additions are plain instructions, so every engine that runs modules can run them. They add no control flow:
//! an event that is not kept is stored beyond the end of the buffer, where stores have no effect. Active sets, and
//! everything that the program itself stores, are those of the original module.
//!
//! With a *clock*, an event's stamp is its number among all events of the run, so that events of different threads
//! are ordered too. That order depends on the engine, and the clock serialises the waves: only the reference engine
//! gets one.
//!
//! Deliberately absent: stores and barriers, which have no results; constants; any interpretation of the trace.

use ir::rewrite::{Rewriter, rewrite};
use ir::{
    Address, Atomic, Binding, Builtin, Chosen, Inst, Memory, Module, Op, Place, Private, Region,
    Resource, ResourceKind, Span, Value, values,
};
use ops::{Binary, Compare, Sign, Ternary, Ty, Unary};

/// The name of the added buffer; no source identifier contains a dot.
pub const NAME: &str = "wavelane.trace";

/// The bytes of an event: the number of its point plus 1, its stamp, and the value in two words.
const EVENT: u32 = 16;

/// The address of discarded stores: no buffer is that large, and an event ends before addresses wrap.
const NOWHERE: u64 = 0x7fff_fff0;

/// The largest trace buffer.
pub const MOST_BYTES: u64 = 32 << 20;

/// A traced value of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    pub inst: Inst,
    /// The index of the instruction's result.
    pub result: usize,
    pub ty: Ty,
    pub span: Span,
}

/// What is traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The groups of the dispatch, which determine the numbers of threads.
    pub groups: [u32; 3],
    /// The selected [`points`], ascending.
    pub points: Vec<usize>,
    /// The number of events at the start of each thread that are not kept.
    pub skip: u32,
    /// The number of events after them that are.
    pub room: u32,
    pub clock: bool,
}

/// A value computed by a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The index of its point.
    pub point: usize,
    /// 0 without a clock.
    pub stamp: u32,
    pub bits: u64,
}

/// All traceable values, in textual order.
pub fn points(module: &Module) -> Vec<Point> {
    let mut points = Vec::new();
    // A worklist of the rest of each open region; the regions of a construct come before the code after it.
    let rest = |region: Region| module.region(region).insts.iter().rev().copied().collect();
    let mut left: Vec<Vec<Inst>> = vec![rest(module.body)];
    while let Some(insts) = left.last_mut() {
        let Some(inst) = insts.pop() else {
            left.pop();
            continue;
        };
        let data = module.inst(inst);
        let is_known = matches!(data.op, Op::Const { .. } | Op::Undef(_));
        for (result, value) in data.results.iter().enumerate().filter(|_| !is_known) {
            points.push(Point { inst, result, ty: module.ty(*value), span: data.span });
        }
        left.extend(data.op.regions().into_iter().rev().map(rest));
    }
    points
}

impl Trace {
    /// The number of events of each thread for which there can be space; `None` if there are too many threads.
    pub fn most_room(group_size: [u32; 3], groups: [u32; 3]) -> Option<u32> {
        let all = group_size.iter().chain(&groups);
        let threads = all.fold(1, |all: u64, it| all.saturating_mul(u64::from(*it)));
        let room = (MOST_BYTES - 4) / u64::from(EVENT) / threads.max(1);
        (room > 0).then_some(room.min(1 << 12) as u32)
    }

    /// The size of the buffer.
    pub fn bytes(&self, module: &Module) -> usize {
        self.events_bytes(module) + 4
    }

    fn events_bytes(&self, module: &Module) -> usize {
        self.threads(module) * self.room as usize * EVENT as usize
    }

    fn threads(&self, module: &Module) -> usize {
        let all = module.group_size.iter().chain(&self.groups);
        all.fold(1, |all: usize, it| all.saturating_mul(*it as usize))
    }

    /// The instrumented module, and the binding of the trace buffer.
    pub fn rewrite(&self, module: &Module) -> (Module, Binding) {
        let points = points(module);
        let binding = Binding(module.resources.len() as u32);
        let counter = Private(module.privates.len() as u32);
        let mut module = module.clone();
        let bytes = self.events_bytes(&module);
        module.resources.push(Resource {
            name: NAME.to_owned(),
            kind: ResourceKind::Raw { writable: true },
            count: Some(1),
            register: module.free_register(),
            chosen: Chosen::Counted,
            globally_coherent: false,
            alias_of: None,
            used: true,
            span: Span::NONE,
        });
        let (name, span) = ("trace.count".to_owned(), Span::NONE);
        module.privates.push(Memory { name, ty: Ty::I32, len: 1, span });
        let traced = || self.points.iter().filter_map(|it| Some((*it, points.get(*it)?)));
        module.needs.int64 |= traced().any(|(_, it)| it.ty == Ty::F64);
        module.needs.native_16bit |= traced().any(|(_, it)| it.ty == Ty::F16);
        let mut by_inst: Vec<Vec<usize>> = vec![Vec::new(); module.insts.len()];
        for (number, point) in traced() {
            by_inst[point.inst.index()].push(number);
        }
        let buffer = Place { binding, element: None };
        // The first instruction of the body is visited first: emit the values that all events use in front of it.
        let mut start = None;
        rewrite(&mut module, |to, _, inst| {
            to.span = Span::NONE;
            let mut writer = Writer { trace: self, to, buffer, counter, clock: bytes as u64 };
            let start = *start.get_or_insert_with(|| writer.begin());
            writer.to.keep(inst);
            for number in &by_inst[inst.index()] {
                writer.event(start, *number, &points[*number]);
            }
        });
        (module, binding)
    }

    /// The kept events of each thread, by its number among all threads.
    pub fn read(&self, module: &Module, bytes: &[u8]) -> Vec<Vec<Event>> {
        let each = (self.room as usize * EVENT as usize).max(1);
        let events = bytes.get(..self.events_bytes(module)).unwrap_or_default();
        events.chunks_exact(each).map(|thread| self.read_thread(thread)).collect()
    }

    fn read_thread(&self, bytes: &[u8]) -> Vec<Event> {
        let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let event = |it: &[u8]| {
            // An unwritten record ends the list.
            let point = word(it).checked_sub(1)? as usize;
            let bits = u64::from(word(&it[8..])) | u64::from(word(&it[12..])) << 32;
            self.points.binary_search(&point).ok()?;
            Some(Event { point, stamp: word(&it[4..]), bits })
        };
        bytes.chunks_exact(EVENT as usize).map_while(event).collect()
    }
}

/// Values that all events use.
#[derive(Clone, Copy)]
struct Start {
    /// The start of this thread's events.
    base: Value,
    zero: Value,
    one: Value,
}

struct Writer<'a, 'm> {
    trace: &'a Trace,
    to: &'a mut Rewriter<'m>,
    buffer: Place,
    counter: Private,
    /// The address of the word that counts all events.
    clock: u64,
}

impl Writer<'_, '_> {
    /// The code in front of everything else.
    fn begin(&mut self) -> Start {
        let (zero, one) = (self.constant(0), self.constant(1));
        let store = Op::PrivateStore { memory: self.counter, index: zero, value: zero };
        self.to.inst(store, &[]);
        let [x, y, _] = self.trace.groups;
        let group = [0, 1, 2].map(|it| self.value(Op::Builtin(Builtin::GroupId(it)), Ty::I32));
        let thread = self.value(Op::Builtin(Builtin::GroupIndex), Ty::I32);
        let threads = self.to.module.threads_per_group();
        let factors = [1, x, x.wrapping_mul(y)].map(|it| it.wrapping_mul(threads));
        let mut number = thread;
        for (group, factor) in group.into_iter().zip(factors) {
            let factor = self.constant(factor);
            let before = self.binary(Binary::Mul, group, factor);
            number = self.binary(Binary::Add, number, before);
        }
        let size = self.constant(self.trace.room * EVENT);
        Start { base: self.binary(Binary::Mul, number, size), zero, one }
    }

    fn event(&mut self, start: Start, number: usize, point: &Point) {
        let Start { base, zero, one } = start;
        let value = self.to.module.inst(point.inst).results[point.result];
        let count = self.value(Op::PrivateLoad { memory: self.counter, index: zero }, Ty::I32);
        let next = self.binary(Binary::Add, count, one);
        self.to.inst(Op::PrivateStore { memory: self.counter, index: zero, value: next }, &[]);
        let (skip, room) = (self.constant(self.trace.skip), self.constant(self.trace.room));
        let place = self.binary(Binary::Sub, count, skip);
        let is_kept = Op::Compare(Compare::Lt(Sign::Unsigned), place, room);
        let is_kept = self.value(is_kept, Ty::Bool);
        let size = self.constant(EVENT);
        let offset = self.binary(Binary::Mul, place, size);
        let inside = self.binary(Binary::Add, base, offset);
        let outside = self.constant(NOWHERE as u32);
        let at = self.value(Op::Ternary(Ternary::Select, [is_kept, inside, outside]), Ty::I32);
        let stamp = match self.trace.clock {
            true => {
                let clock = self.constant(self.clock as u32);
                let at = Address::Byte(clock);
                let op = Op::Atomic { place: self.buffer, at, op: Atomic::Add, args: values![one] };
                self.value(op, Ty::I32)
            }
            false => zero,
        };
        let (low, high) = self.words(start, value, point.ty);
        let name = self.constant(number as u32 + 1);
        let values = values![name, stamp, low, high];
        self.to.inst(Op::Store { place: self.buffer, at: Address::Byte(at), values }, &[]);
    }

    /// The bits of a value in two words.
    fn words(&mut self, start: Start, value: Value, ty: Ty) -> (Value, Value) {
        let Start { zero, one, .. } = start;
        let cast = |to| Op::Unary(Unary::Bitcast(to), value);
        match ty {
            Ty::Bool => {
                (self.value(Op::Ternary(Ternary::Select, [value, one, zero]), Ty::I32), zero)
            }
            Ty::I16 => (self.convert(value, Ty::I32), zero),
            Ty::F16 => {
                let bits = self.value(cast(Ty::I16), Ty::I16);
                (self.convert(bits, Ty::I32), zero)
            }
            Ty::I32 => (value, zero),
            Ty::F32 => (self.value(cast(Ty::I32), Ty::I32), zero),
            Ty::I64 => self.halves(value),
            Ty::F64 => {
                let bits = self.value(cast(Ty::I64), Ty::I64);
                self.halves(bits)
            }
        }
    }

    fn halves(&mut self, value: Value) -> (Value, Value) {
        let count = self.to.constant(Ty::I64, 32);
        let shift = Op::Binary(Binary::Shr(Sign::Unsigned), value, count);
        let high = self.value(shift, Ty::I64);
        (self.convert(value, Ty::I32), self.convert(high, Ty::I32))
    }

    fn convert(&mut self, value: Value, to: Ty) -> Value {
        let (from_sign, to_sign) = (Sign::Unsigned, Sign::Unsigned);
        self.value(Op::Unary(Unary::Convert { to, from_sign, to_sign }, value), to)
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value) -> Value {
        self.value(Op::Binary(op, a, b), Ty::I32)
    }

    fn constant(&mut self, bits: u32) -> Value {
        self.to.constant(Ty::I32, bits.into())
    }

    fn value(&mut self, op: Op, ty: Ty) -> Value {
        self.to.value(op, ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Register;
    use ir::text::{print, read};
    use ir::verify::verify;

    const LOOP: &str = "entry \"main\": compute 6.6\ngroup_size 4, 1, 1\nneeds wave_ops, int64, double, native_16bit\n\
        b0 \"Out\": raw.rw at u3 space 2 used\nbody r0 {\nv0: i32 = builtin.group_index\nv1: i32 = const.i32 0\n\
        v2: i32 = const.i32 1\ni3: v3: i32 = loop v1 do r1(v4: i32) {\nv5: i32 = add v4, v2\nv6: bool = lt.u v5, v0\n\
        if v6 then r2 {\nyield\n} else r3 {\nexit i3 v5\n}\nyield v5\n}\n\
        v7: f64 = const.f64 0x3ff0000000000000\nv8: f64 = add v7, v7\nv9: f16 = const.f16 0x3c00\nv10: f16 = add v9, v9\n\
        store b0[byte v1], v3\nyield\n}\n";

    #[test]
    fn instrumented_modules_are_valid_and_use_a_free_register() {
        let module = read(LOOP).unwrap_or_else(|error| panic!("{error:?}"));
        verify(&module).unwrap_or_else(|problems| panic!("{problems:?}"));
        let all = points(&module);
        let types: Vec<&str> = all.iter().map(|it| it.ty.name()).collect();
        assert_eq!(types, ["i32", "i32", "i32", "bool", "f64", "f16"]);
        for points in [(0..all.len()).collect(), vec![0, 3], Vec::new(), vec![99]] {
            let trace = Trace { groups: [2, 3, 1], points, skip: 1, room: 8, clock: true };
            let (traced, binding) = trace.rewrite(&module);
            verify(&traced).unwrap_or_else(|problems| panic!("{problems:?}\n{}", print(&traced)));
            assert_eq!(trace.bytes(&module), 4 * 6 * 8 * 16 + 4);
            let Register { index, space, .. } = traced.resource(binding).register;
            assert_eq!((index, space), (4, 2));
        }
    }

    #[test]
    fn events_round_trip() {
        let module = read(LOOP).unwrap_or_else(|error| panic!("{error:?}"));
        let points = (0..6).collect();
        let trace = Trace { groups: [1; 3], points, skip: 0, room: 2, clock: false };
        let mut bytes = vec![0; trace.bytes(&module)];
        for (at, word) in [(0, 3u32), (4, 9), (8, 5), (12, 1), (32, 7), (64, 1)] {
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let events = trace.read(&module, &bytes);
        assert_eq!(events[0], [Event { point: 2, stamp: 9, bits: 5 | 1 << 32 }]);
        // The seventh point does not exist.
        assert_eq!(events[1], []);
        assert_eq!(events[2], [Event { point: 0, stamp: 0, bits: 0 }]);
        assert_eq!(trace.read(&module, &[]), Vec::<Vec<Event>>::new());
    }

    #[test]
    fn the_buffer_is_bounded() {
        assert_eq!(Trace::most_room([64, 1, 1], [1, 1, 1]), Some(4096));
        assert_eq!(Trace::most_room([1024, 1, 1], [64, 1, 1]), Some(31));
        assert_eq!(Trace::most_room([1024, 1, 1], [65535, 65535, 1]), None);
    }
}
