//! Mesh and amplification shaders for a device that has these stages.
//!
//! The front end turns them into compute shaders, whose groups read a header and fill a record ([`ir::group`]): bytes
//! at addresses that are linear in the group's number. Here each access is decoded by its linear form, and becomes one
//! to a groupshared array that represents the device's equivalent ([`Part`]): the payload, the counts, the indices, and
//! an array for each slot of the vertices and primitives. The emitter (`group.rs`) replaces these arrays.
//!
//! Limit: only addresses of the form that the front end writes are decoded, and payloads of 16-bit values cannot be
//! written word by word. Both are refused.

use ir::group::{BUFFERS, GroupIo, MeshIo, PAYLOAD_AT};
use ir::rewrite::{Rewriter, rewrite};
use ir::{Address, Binding, Builtin, Inst, Memory, Module, Op, Shared, Value, ValueDef};
use ops::intrinsics::Stage;
use ops::{Binary, Sign, Ty, Unary};

use crate::CannotEmit;

/// What a groupshared array represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The words of the payload.
    Payload,
    /// The numbers of vertices and primitives of a mesh shader.
    Counts,
    /// A corner of the primitives.
    Index(u32),
    /// A slot of the vertices.
    Vertex(u32),
    /// A slot of the primitives.
    Primitive(u32),
}

/// The arrays that were added to the module, the first of which has number `first`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    first: usize,
    parts: Vec<Part>,
    /// The groups that an amplification shader dispatches, in groupshared memory.
    pub(crate) dispatched: Option<Shared>,
}

impl Parts {
    /// What a groupshared array represents, if it is one of these.
    pub(crate) fn part(&self, memory: u32) -> Option<Part> {
        self.parts.get((memory as usize).checked_sub(self.first)?).copied()
    }

    fn memory(&self, part: Part) -> Option<Shared> {
        let number = self.parts.iter().position(|it| *it == part)?;
        Some(Shared((self.first + number) as u32))
    }
}

/// The shader with arrays in place of headers and records.
pub(crate) fn native(source: &Module, io: &GroupIo) -> Result<(Module, Parts), CannotEmit> {
    let mut module = source.clone();
    let mut parts = Parts { first: module.groupshared.len(), ..Parts::default() };
    let mut lengths = Vec::new();
    let mut add = |part: Part, ty: Ty, len: u32| {
        parts.parts.push(part);
        lengths.push((ty, len));
    };
    if io.payload > 0 {
        add(Part::Payload, Ty::I32, io.payload.div_ceil(4));
    }
    if let Some(mesh) = &io.mesh {
        add(Part::Counts, Ty::I32, 2);
        (0..u32::from(mesh.corners))
            .for_each(|it| add(Part::Index(it), Ty::I32, mesh.most_primitives));
        for (elements, most, part) in [
            (&mesh.vertices, mesh.most_vertices, Part::Vertex as fn(u32) -> Part),
            (&mesh.primitives, mesh.most_primitives, Part::Primitive as fn(u32) -> Part),
        ] {
            let slots =
                elements.iter().flat_map(|it| std::iter::repeat_n(it.ty(), it.components.into()));
            for (slot, ty) in (0..).zip(slots) {
                // Truth values are words in memory.
                add(part(slot), if ty == Ty::Bool { Ty::I32 } else { ty }, most);
            }
        }
    }
    let headers = Binding((module.resources.len() - BUFFERS) as u32);
    let (name, span) = (String::new(), module.resources[headers.index()].span);
    let memory = |(ty, len): (Ty, u32)| Memory { name: name.clone(), ty, len: len.max(1), span };
    module.groupshared.extend(lengths.into_iter().map(memory));
    if source.stage == Stage::Amplification {
        parts.dispatched = Some(Shared(module.groupshared.len() as u32));
        module.groupshared.push(Memory {
            name: "$dispatched".to_owned(),
            ty: Ty::I32,
            len: 3,
            span,
        });
    }
    let records = Binding(headers.0 + 1);
    for own in &mut module.resources[headers.index()..] {
        own.used = false;
    }
    let mut pass = Pass { io, parts: &parts, old: module.insts.len(), failed: None };
    rewrite(&mut module, |to, _, inst| match &to.module.inst(inst).op {
        Op::Load { place, at: Address::Byte(at) } if place.binding == headers => {
            let at = *at;
            pass.load(to, inst, at);
        }
        Op::Store { place, at: Address::Byte(at), values } if place.binding == records => {
            let (at, values) = (*at, values.to_vec());
            pass.store(to, inst, at, &values);
        }
        _ => to.keep(inst),
    });
    match pass.failed {
        Some((what, asked, inst)) => Err(CannotEmit::new(what, asked, source, Some(inst))),
        None => Ok((module, parts)),
    }
}

/// A sum of constants and multiples of values.
#[derive(Default)]
struct Linear {
    constant: u32,
    terms: Vec<(Value, u32)>,
}

impl Linear {
    fn of(module: &Module, value: Value) -> Linear {
        let mut sum = Linear::default();
        sum.add(module, value, 1);
        sum
    }

    fn add(&mut self, module: &Module, value: Value, by: u32) {
        let known = |it: Value| module.constant(it).map(|it| it as u32);
        match module.op_of(value) {
            Some(Op::Const { bits, .. }) => {
                self.constant = self.constant.wrapping_add(by.wrapping_mul(*bits as u32));
            }
            Some(Op::Binary(Binary::Add, a, b)) => {
                self.add(module, *a, by);
                self.add(module, *b, by);
            }
            Some(Op::Binary(Binary::Mul, a, b)) if known(*b).is_some() => {
                self.add(module, *a, by.wrapping_mul(known(*b).unwrap_or(0)));
            }
            Some(Op::Binary(Binary::Mul, a, b)) if known(*a).is_some() => {
                self.add(module, *b, by.wrapping_mul(known(*a).unwrap_or(0)));
            }
            _ => self.terms.push((value, by)),
        }
    }

    /// Drops the multiple of the group's number, which one of the first `old` instructions defines: those after them
    /// are the group in the device's dispatch. Returns whether there was one.
    fn without_group(&mut self, module: &Module, old: usize) -> bool {
        let before = self.terms.len();
        let is_group = |it: Value| {
            module.made_by(it).is_some_and(|it| it.index() < old)
                && matches!(module.op_of(it), Some(Op::Builtin(Builtin::GroupId(0))))
        };
        self.terms.retain(|(value, _)| !is_group(*value));
        self.terms.len() < before
    }
}

struct Pass<'a> {
    io: &'a GroupIo,
    parts: &'a Parts,
    /// How many instructions there were before.
    old: usize,
    failed: Option<(&'static str, String, Inst)>,
}

/// Makes an instruction with one result define an old value.
fn redefine(to: &mut Rewriter<'_>, seen: Value, op: Op, ty: Ty) {
    let new = to.inst(op, &[ty]);
    to.module.insts[new.index()].results[0] = seen;
    to.module.values[seen.index()].def = ValueDef::Result(new, 0);
}

fn binary(to: &mut Rewriter<'_>, op: Binary, a: Value, b: u32) -> Value {
    let b = to.constant(Ty::I32, b.into());
    to.value(Op::Binary(op, a, b), Ty::I32)
}

fn converted(to: Ty) -> Unary {
    Unary::Convert { to, from_sign: Sign::Unsigned, to_sign: Sign::Unsigned }
}

impl Pass<'_> {
    fn fail(&mut self, what: &'static str, asked: &str, inst: Inst) {
        self.failed.get_or_insert((what, asked.to_owned(), inst));
    }

    /// The group in the device's dispatch, or values of the payload.
    fn load(&mut self, to: &mut Rewriter<'_>, inst: Inst, at: Value) {
        let results = to.module.inst(inst).results.to_vec();
        let mut sum = Linear::of(to.module, at);
        if sum.without_group(to.module, self.old) {
            for (axis, seen) in (0..).zip(results) {
                match sum.constant {
                    0 => redefine(to, seen, Op::Builtin(Builtin::GroupId(axis)), Ty::I32),
                    // Addresses of the payload begin at 0.
                    _ => redefine(to, seen, Op::Const { ty: Ty::I32, bits: 0 }, Ty::I32),
                }
            }
            return;
        }
        let Some(memory) = self.parts.memory(Part::Payload) else {
            return self.fail("payloads that are read before they are known", "a payload", inst);
        };
        let word = |to: &mut Rewriter<'_>, byte: u32| {
            let at = binary(to, Binary::Add, at, byte);
            let index = binary(to, Binary::Shr(Sign::Unsigned), at, 2);
            (to.value(Op::SharedLoad { memory, index }, Ty::I32), at)
        };
        for (number, seen) in (0..).zip(results) {
            let ty = to.module.ty(seen);
            let bytes = ty.bytes();
            let (low, at) = word(to, number * bytes);
            match bytes {
                2 => {
                    let odd = binary(to, Binary::And, at, 2);
                    let by = binary(to, Binary::Shl, odd, 3);
                    let shift = Op::Binary(Binary::Shr(Sign::Unsigned), low, by);
                    let half = to.value(shift, Ty::I32);
                    if ty == Ty::F16 {
                        let half = to.value(Op::Unary(converted(Ty::I16), half), Ty::I16);
                        redefine(to, seen, Op::Unary(Unary::Bitcast(ty), half), ty);
                    } else {
                        redefine(to, seen, Op::Unary(converted(ty), half), ty);
                    }
                }
                8 => {
                    let high = word(to, number * bytes + 4).0;
                    let [low, high] =
                        [low, high].map(|it| to.value(Op::Unary(converted(Ty::I64), it), Ty::I64));
                    let by = to.constant(Ty::I64, 32);
                    let high = to.value(Op::Binary(Binary::Shl, high, by), Ty::I64);
                    if ty == Ty::F64 {
                        let both = to.value(Op::Binary(Binary::Or, low, high), Ty::I64);
                        redefine(to, seen, Op::Unary(Unary::Bitcast(ty), both), ty);
                    } else {
                        redefine(to, seen, Op::Binary(Binary::Or, low, high), ty);
                    }
                }
                _ => redefine(to, seen, Op::Unary(Unary::Bitcast(ty), low), ty),
            }
        }
    }

    fn store(&mut self, to: &mut Rewriter<'_>, inst: Inst, at: Value, values: &[Value]) {
        let mut sum = Linear::of(to.module, at);
        sum.without_group(to.module, self.old);
        match &self.io.mesh {
            Some(mesh) => self.store_output(to, inst, mesh, &sum, values),
            None if sum.terms.is_empty() && sum.constant == 0 && values.len() == 3 => {
                let Some(memory) = self.parts.dispatched else {
                    unreachable!("an amplification shader has the counts of its dispatch")
                };
                for (axis, value) in (0..).zip(values) {
                    let index = to.constant(Ty::I32, axis);
                    to.inst(Op::SharedStore { memory, index, value: *value }, &[]);
                }
            }
            None => self.store_payload(to, inst, &sum, values),
        }
    }

    fn store_payload(&mut self, to: &mut Rewriter<'_>, inst: Inst, sum: &Linear, values: &[Value]) {
        let Some(memory) = self.parts.memory(Part::Payload) else {
            return self.fail("payloads of this form", "a payload", inst);
        };
        let mut byte = sum.constant.wrapping_sub(PAYLOAD_AT);
        let dynamic = scaled(to, &sum.terms, 4);
        let Some(dynamic) = dynamic else {
            return self.fail("payloads of 16-bit values", "a payload", inst);
        };
        let put = |to: &mut Rewriter<'_>, byte: u32, value: Value| {
            let index = match dynamic {
                Some(first) => binary(to, Binary::Add, first, byte / 4),
                None => to.constant(Ty::I32, (byte / 4).into()),
            };
            to.inst(Op::SharedStore { memory, index, value }, &[]);
        };
        for value in values {
            let ty = to.module.ty(*value);
            match ty.bytes() {
                4 => {
                    let value = to.value(Op::Unary(Unary::Bitcast(Ty::I32), *value), Ty::I32);
                    put(to, byte, value);
                }
                8 => {
                    let whole = to.value(Op::Unary(Unary::Bitcast(Ty::I64), *value), Ty::I64);
                    let by = to.constant(Ty::I64, 32);
                    let shift = Op::Binary(Binary::Shr(Sign::Unsigned), whole, by);
                    let high = to.value(shift, Ty::I64);
                    for (more, part) in [(0, whole), (4, high)] {
                        let part = to.value(Op::Unary(converted(Ty::I32), part), Ty::I32);
                        put(to, byte + more, part);
                    }
                }
                _ => return self.fail("payloads of 16-bit values", "a payload", inst),
            }
            byte += ty.bytes();
        }
    }

    fn store_output(
        &mut self,
        to: &mut Rewriter<'_>,
        inst: Inst,
        mesh: &MeshIo,
        sum: &Linear,
        values: &[Value],
    ) {
        let (word, corners) = (sum.constant / 4, u32::from(mesh.corners));
        let (vertices, primitives) = (mesh.vertex_slot(0), mesh.primitive_slot(0));
        if word < MeshIo::INDICES {
            if let Some(memory) = self.parts.memory(Part::Counts) {
                for (number, value) in (0..).zip(values) {
                    let index = to.constant(Ty::I32, number);
                    to.inst(Op::SharedStore { memory, index, value: *value }, &[]);
                }
            }
            return;
        }
        let (part, first, unit) = if word < vertices {
            let word = word - MeshIo::INDICES;
            (Part::Index(word % corners), word / corners, 4 * corners)
        } else if word < primitives {
            let word = word - vertices;
            (Part::Vertex(word / mesh.most_vertices), word % mesh.most_vertices, 4)
        } else {
            let word = word - primitives;
            (Part::Primitive(word / mesh.most_primitives), word % mesh.most_primitives, 4)
        };
        let (Some(memory), [value], Some(dynamic)) =
            (self.parts.memory(part), values, scaled(to, &sum.terms, unit))
        else {
            return self.fail("outputs of a mesh shader of this form", "an output", inst);
        };
        let index = match dynamic {
            Some(index) if first == 0 => index,
            Some(index) => binary(to, Binary::Add, index, first),
            None => to.constant(Ty::I32, first.into()),
        };
        to.inst(Op::SharedStore { memory, index, value: *value }, &[]);
    }
}

/// The sum of the terms in units; `None` if one is not a whole number of them, `Some(None)` if there are no terms.
fn scaled(to: &mut Rewriter<'_>, terms: &[(Value, u32)], unit: u32) -> Option<Option<Value>> {
    if terms.iter().any(|(_, by)| !by.is_multiple_of(unit)) {
        return None;
    }
    let mut sum = None;
    for (value, by) in terms {
        let term = match by / unit {
            1 => *value,
            more => binary(to, Binary::Mul, *value, more),
        };
        sum = Some(match sum {
            Some(before) => to.value(Op::Binary(Binary::Add, before, term), Ty::I32),
            None => term,
        });
    }
    Some(sum)
}
