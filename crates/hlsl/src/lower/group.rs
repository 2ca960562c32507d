//! Mesh and amplification shaders: compute shaders whose groups leave a record ([`ir::group`]).
//!
//! The output arrays of a mesh shader are groupshared memory, so that they have all of its rules: lanes share them, an
//! index out of bounds reaches nothing, and what was never written is uninitialised. When all lanes have arrived at the
//! end of the shader, they copy as many vertices and primitives to the record as the shader has requested. What lies
//! beyond these counts is dropped with the rest of the memory.
//!
//! `DispatchMesh` ends the lanes: it is a barrier, after which the payload is copied.

use diag::{Diagnostic, Span, code};
use ir::group::{BUFFERS, GroupIo, HEADER_BYTES, HEADERS, PAYLOAD_AT, RECORDS};
use ir::{
    Address, Binding, Builtin, Chosen, Memory, Op, Place, Register, RegisterClass, Resource,
    ResourceKind, Shared, Slot, Value, Values, values,
};
use ops::{Barrier, Binary, Compare, MemoryScope, Sign, SyncScope, Ty};

use super::buffer::Buffer;
use super::call::{Frame, Passed, Returns};
use super::constant::Sum;
use super::memory::Space;
use super::place::{Location, Lvalue, Storage};
use super::resource::ResourceRef;
use super::{Lower, Lowerer};
use crate::check::group::MOST_PAYLOAD;
use crate::hir::{Arg, Expr, ExprKind, GlobalKind, Mesh, ResourceId, SystemValue};
use crate::types::{Packing, Type, TypeId, layout_of};

/// Stands for the buffers of the groups, which no source declares.
const OWN: ResourceId = ResourceId(u32::MAX);
/// The register space of these buffers.
const SPACE: u32 = 0xffff_0000;
/// Values of up to this many scalars are copied by one lane, and larger arrays by all together.
const MOST_AT_ONCE: u64 = 16;

/// What lowering remembers of a mesh or amplification shader.
#[derive(Default)]
pub(super) struct GroupState {
    /// The place of the group's payload in the buffer of headers.
    payload_at: Option<Value>,
    /// The counts of a mesh shader.
    counts: Option<Shared>,
    /// The first and the last groupshared array of an output.
    outputs: Vec<(u32, u32)>,
    /// Where the counts were set, or the groups dispatched.
    called: Option<Span>,
    /// The bytes of the payload of an amplification shader.
    payload: u32,
}

/// An output array of a mesh shader.
struct Output {
    storage: Storage,
    ty: TypeId,
    element: TypeId,
}

/// An output, the slots of its scalars, its count and length, the distance of its elements in words, and the word at
/// which a slot begins.
type Leaving<'a> = (&'a Option<Output>, &'a [Slot], Value, u32, u32, &'a dyn Fn(u32) -> u32);

impl Lowerer<'_> {
    /// The reference to a buffer of the groups, if it is one.
    pub(super) fn own_buffer(&self, resource: ResourceRef) -> Option<Place> {
        (resource.id == OWN).then(|| self.headers())
    }

    fn headers(&self) -> Place {
        let at = self.builder.module.resources.len() - BUFFERS;
        Place { binding: Binding(at as u32), element: None }
    }

    fn records(&self) -> Place {
        let at = self.builder.module.resources.len() - 1;
        Place { binding: Binding(at as u32), element: None }
    }

    /// The entry point of a mesh or amplification shader.
    pub(super) fn group_entry(&mut self, mesh: Option<&Mesh>) -> Lower<()> {
        let program = self.program;
        let entry = &program.entry;
        let function = program.function(entry.function);
        self.add_resources();
        let number = self.builtin(Builtin::GroupId(0));
        let header = self.times(number, HEADER_BYTES);
        let place = self.headers();
        let at = Address::Byte(header);
        let inst = self.builder.inst(Op::Load { place, at }, &[Ty::I32; 3]);
        let group: Values = self.builder.results(inst).iter().copied().collect();
        let at = Address::Byte(self.offset(header, 12));
        self.group.payload_at = Some(self.value(Op::Load { place, at }, Ty::I32));
        if mesh.is_some() {
            self.clear_counts(entry.span)?;
        }
        let mut passed = Vec::new();
        let mut outputs: [Option<Output>; 3] = [None, None, None];
        for (input, local) in entry.inputs.iter().zip(&function.locals) {
            let output = match input {
                SystemValue::Vertices => Some(0),
                SystemValue::Indices => Some(1),
                SystemValue::Primitives => Some(2),
                _ => None,
            };
            if let Some(which) = output {
                let first = self.builder.module.groupshared.len() as u32;
                let storage = self.groupshared(&local.name, local.ty, local.span)?;
                let end = self.builder.module.groupshared.len() as u32;
                self.group.outputs.push((first, end));
                passed.push(Passed::Alias(storage.place(local.ty)));
                let element = match program.types.get(local.ty) {
                    Type::Array { element, .. } => element,
                    _ => local.ty,
                };
                outputs[which] = Some(Output { storage, ty: local.ty, element });
                continue;
            }
            if *input == SystemValue::Payload {
                let place = self.payload(local.ty);
                passed.push(Passed::Alias(place));
                continue;
            }
            let leaves = self.leaves(local.ty, local.span)?;
            let mut values = Values::new();
            for (i, leaf) in leaves.iter().enumerate() {
                let value = self.group_input(*input, &group, i.min(2));
                values.push(self.as_input(value, leaf.unwrap_or(Ty::I32)));
            }
            passed.push(Passed::Value(values));
        }
        let result = self.env.len();
        self.frames.push(Frame::new(entry.function, result, Returns::AtEnd));
        self.body(&passed)?;
        self.builder.span = entry.span;
        match mesh {
            Some(mesh) if !self.is_ended() => self.leave_mesh(mesh, &outputs)?,
            Some(_) => {}
            None if self.group.called.is_none() => {
                let message = "an amplification shader must call `DispatchMesh`";
                let report = Diagnostic::new(&code::BAD_ENTRY_POINT, entry.span, message);
                return Err(self.stop(report.help("with counts of 0 it dispatches nothing")));
            }
            None => {}
        }
        self.frames.pop();
        let payload = match (mesh, program.entry.group.as_ref().and_then(|it| it.payload)) {
            (Some(_), Some(ty)) => self.payload_bytes(ty),
            (Some(_), None) => 0,
            (None, _) => self.group.payload,
        };
        let mesh = mesh.map(|it| it.io.clone());
        self.builder.module.group = Some(Box::new(GroupIo { payload, mesh }));
        Ok(())
    }

    /// Adds the buffers of the headers and records of groups.
    fn add_resources(&mut self) {
        for (name, class, writable) in
            [(HEADERS, RegisterClass::Shader, false), (RECORDS, RegisterClass::Unordered, true)]
        {
            self.builder.module.resources.push(Resource {
                name: name.to_owned(),
                kind: ResourceKind::Raw { writable },
                count: Some(1),
                register: Register { class, index: 0, space: SPACE },
                chosen: Chosen::Counted,
                globally_coherent: false,
                alias_of: None,
                used: false,
                span: Span::NONE,
            });
        }
    }

    /// The counts of a mesh shader's outputs, which begin at 0.
    fn clear_counts(&mut self, span: Span) -> Lower<()> {
        let arrays = &mut self.builder.module.groupshared;
        let counts = Shared(arrays.len() as u32);
        arrays.push(Memory { name: "$counts".to_owned(), ty: Ty::I32, len: 2, span });
        self.group.counts = Some(counts);
        self.first_lane(|this| {
            let zero = this.word(0);
            for i in 0..2 {
                let index = this.word(i);
                this.builder.inst(Op::SharedStore { memory: counts, index, value: zero }, &[]);
            }
            Ok(())
        })
    }

    /// A component of an input, from the number of the group.
    fn group_input(&mut self, input: SystemValue, group: &Values, axis: usize) -> Value {
        match input {
            SystemValue::GroupId => group[axis],
            SystemValue::GroupThreadId => self.builtin(Builtin::GroupThreadId(axis as u8)),
            SystemValue::DispatchThreadId => {
                let first = self.times(group[axis], self.program.entry.group_size[axis]);
                let own = self.builtin(Builtin::GroupThreadId(axis as u8));
                self.value(Op::Binary(Binary::Add, first, own), Ty::I32)
            }
            SystemValue::GroupIndex => self.builtin(Builtin::GroupIndex),
            SystemValue::ViewId
            | SystemValue::Payload
            | SystemValue::Vertices
            | SystemValue::Indices
            | SystemValue::Primitives => self.word(0),
        }
    }

    fn payload_bytes(&self, ty: TypeId) -> u32 {
        layout_of(&self.program.types, ty, Packing::Structured, self.native_16bit).size
    }

    /// The payload that a mesh shader reads.
    fn payload(&mut self, ty: TypeId) -> Lvalue {
        let terms = self.group.payload_at.map(|at| (at, 1)).into_iter().collect();
        let buffer = Buffer {
            resource: ResourceRef { id: OWN, element: None },
            element: None,
            offset: Sum { constant: 0, terms },
            packing: Packing::Structured,
            step: None,
        };
        Lvalue::whole(Location::Buffer(buffer), ty)
    }

    /// Refuses a store to a payload, and to an output before there are counts.
    pub(super) fn check_group_store(&self, place: &Lvalue, span: Span) -> Lower<()> {
        match &place.at {
            Location::Buffer(buffer) if buffer.resource.id == OWN => {
                let message = "a mesh shader cannot change its payload";
                let report = Diagnostic::new(&code::NOT_ASSIGNABLE, span, message);
                Err(self.stop(report.help("copy it to a variable")))
            }
            Location::Memory { space: Space::Shared, first, .. }
                if self.group.called.is_none()
                    && self.group.outputs.iter().any(|it| (it.0..it.1).contains(first)) =>
            {
                let message = "an output is written before `SetMeshOutputCounts` is called";
                let report = Diagnostic::new(&code::BAD_ENTRY_POINT, span, message);
                Err(self.stop(
                    report.help("call it first, with the numbers of vertices and primitives"),
                ))
            }
            _ => Ok(()),
        }
    }

    fn called_once(&mut self, name: &str, span: Span) -> Lower<()> {
        let Some(before) = self.group.called.replace(span) else { return Ok(()) };
        let message = format!("a shader calls `{name}` only once");
        let report = Diagnostic::new(&code::BAD_ENTRY_POINT, span, message);
        Err(self.stop(report.also(before, "the other call")))
    }

    /// `SetMeshOutputCounts`. The counts are those of the first thread of the group.
    pub(super) fn mesh_counts(&mut self, args: &[Arg], span: Span) -> Lower<()> {
        let mut counts = Values::new();
        for arg in args {
            counts.extend(self.input(arg)?);
        }
        self.builder.span = span;
        self.called_once("SetMeshOutputCounts", span)?;
        let Some(memory) = self.group.counts else {
            return Err(self.unsupported(span, "`SetMeshOutputCounts` is not supported here"));
        };
        self.first_lane(|this| {
            for (i, value) in counts.into_iter().enumerate() {
                let index = this.word(i as u32);
                this.builder.inst(Op::SharedStore { memory, index, value }, &[]);
            }
            Ok(())
        })
    }

    /// `DispatchMesh`, which ends the group.
    pub(super) fn dispatch_mesh(&mut self, args: &[Arg], span: Span) -> Lower<()> {
        let Some((Arg::In(payload) | Arg::Out { place: payload, .. }, counts)) = args.split_last()
        else {
            return Ok(());
        };
        let mut groups = Values::new();
        for count in counts {
            groups.extend(self.input(count)?);
        }
        self.builder.span = span;
        self.called_once("DispatchMesh", span)?;
        if !self.is_groupshared(payload) {
            let message = "the payload of `DispatchMesh` must be a groupshared variable";
            let report = Diagnostic::new(&code::TYPE_MISMATCH, payload.span, message);
            return Err(self.stop(report.help("copy it to one before the call")));
        }
        let source = self.place(payload)?;
        let bytes = self.payload_bytes(payload.ty);
        if bytes > MOST_PAYLOAD {
            let message = format!("a payload has at most {MOST_PAYLOAD} bytes, not {bytes}");
            return Err(self.stop(Diagnostic::new(&code::TOO_LARGE, payload.span, message)));
        }
        self.group.payload = bytes;
        let record = GroupIo { payload: bytes, mesh: None }.record_bytes();
        let number = self.builtin(Builtin::GroupId(0));
        let at = self.times(number, record);
        self.wait();
        let place = self.records();
        let counts = groups.clone();
        self.first_lane(|this| {
            this.builder.inst(Op::Store { place, at: Address::Byte(at), values: counts }, &[]);
            Ok(())
        })?;
        let to = Sum { constant: PAYLOAD_AT, terms: vec![(at, 1)] };
        self.copy_payload(source, to, payload.ty, true, span)?;
        // No lane gets any further.
        self.reachable = false;
        Ok(())
    }

    fn is_groupshared(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Global(id) => {
                matches!(self.program.global(*id).kind, GlobalKind::Groupshared)
            }
            ExprKind::Field(base, _) | ExprKind::Index(base, _) => self.is_groupshared(base),
            _ => false,
        }
    }

    /// Copies a part of the payload to the record. With `together`, the lanes of the group divide arrays among them,
    /// and the first one copies the rest.
    fn copy_payload(
        &mut self,
        from: Lvalue,
        to: Sum,
        ty: TypeId,
        together: bool,
        span: Span,
    ) -> Lower<()> {
        let program = self.program;
        let types = &program.types;
        let is_large = types.scalar_count(ty) > MOST_AT_ONCE;
        match types.get(ty) {
            Type::Struct(id) if is_large => {
                let offsets =
                    crate::types::field_offsets(types, ty, Packing::Structured, self.native_16bit);
                let fields = types.structure(id).fields.iter().enumerate();
                let stored = fields.filter(|(_, it)| it.bits.is_none());
                for ((index, _), (offset, ty)) in stored.zip(offsets.iter()) {
                    let field = self.field(from.clone(), index as u32, span)?;
                    self.copy_payload(field, to.clone().plus(*offset), *ty, together, span)?;
                }
                Ok(())
            }
            Type::Array { element, len } if is_large => {
                let stride = crate::types::array_stride(
                    types,
                    element,
                    Packing::Structured,
                    self.native_16bit,
                );
                let (start, step) = match together {
                    true => (self.builtin(Builtin::GroupIndex), self.threads()),
                    false => (self.word(0), 1),
                };
                let end = self.word(len);
                self.for_each(start, end, step, len <= step, |this, i| {
                    let part = this.element(from, i, element, span)?;
                    let mut to = to;
                    to.terms.push((i, stride));
                    this.copy_payload(part, to, element, false, span)
                })
            }
            _ => {
                let copy = |this: &mut Self| {
                    let values = this.load(&from, span)?;
                    this.store_scalars(&to, ty, &values)
                };
                if together { self.first_lane(copy) } else { copy(self) }
            }
        }
    }

    /// Stores a value of a payload to the record.
    fn store_scalars(&mut self, to: &Sum, ty: TypeId, values: &[Value]) -> Lower<()> {
        let buffer = Buffer {
            resource: ResourceRef { id: OWN, element: None },
            element: None,
            offset: Sum::default(),
            packing: Packing::Structured,
            step: None,
        };
        let scalars = self.scalars_in_buffer(ty, &buffer);
        let base = self.sum(&Sum { constant: 0, ..to.clone() });
        let place = self.records();
        for (value, (offset, _)) in values.iter().zip(scalars) {
            let value = self.in_memory(*value);
            let at = Address::Byte(self.offset(base, to.constant + offset));
            self.builder.inst(Op::Store { place, at, values: values![value] }, &[]);
        }
        Ok(())
    }

    /// Copies the output of a mesh shader to the record of its group.
    fn leave_mesh(&mut self, mesh: &Mesh, outputs: &[Option<Output>; 3]) -> Lower<()> {
        let Some(memory) = self.group.counts else { return Ok(()) };
        let io = &mesh.io;
        self.wait();
        let number = self.builtin(Builtin::GroupId(0));
        let record = self.times(number, 4 * io.words());
        let mut counts = Values::new();
        for i in 0..2 {
            let index = self.word(i);
            counts.push(self.value(Op::SharedLoad { memory, index }, Ty::I32));
        }
        let place = self.records();
        let set = counts.clone();
        self.first_lane(|this| {
            this.builder.inst(Op::Store { place, at: Address::Byte(record), values: set }, &[]);
            Ok(())
        })?;
        let index_slots: Vec<Slot> = (0..u32::from(io.corners)).map(Slot).collect();
        let corners = u32::from(io.corners);
        let [vertices, indices, primitives] = outputs;
        let all: [Leaving<'_>; 3] = [
            (vertices, &mesh.vertex_slots, counts[0], io.most_vertices, 1, &|it| {
                io.vertex_slot(it)
            }),
            (primitives, &mesh.primitive_slots, counts[1], io.most_primitives, 1, &|it| {
                io.primitive_slot(it)
            }),
            // The last, so that a device can cull a primitive whose indices turn out to be wrong.
            (indices, &index_slots, counts[1], io.most_primitives, corners, &|it| {
                ir::group::MeshIo::INDICES + it
            }),
        ];
        for (output, slots, count, most, distance, word) in all {
            let Some(Output { storage, ty, element }) = output else { continue };
            let most_value = self.word(most);
            let end =
                self.value(Op::Binary(Binary::Min(Sign::Unsigned), count, most_value), Ty::I32);
            let start = self.builtin(Builtin::GroupIndex);
            let step = self.threads();
            let (storage, element, span) = (storage.place(*ty), *element, self.builder.span);
            self.for_each(start, end, step, most <= step, |this, i| {
                let part = this.element(storage, i, element, span)?;
                let values = this.load(&part, span)?;
                let own = this.times(i, 4 * distance);
                let base = this.value(Op::Binary(Binary::Add, record, own), Ty::I32);
                for (value, slot) in values.iter().zip(slots) {
                    let value = this.in_memory(*value);
                    let at = Address::Byte(this.offset(base, 4 * word(slot.0)));
                    this.builder.inst(Op::Store { place, at, values: values![value] }, &[]);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    // Pieces.

    fn threads(&self) -> u32 {
        self.program.entry.group_size.iter().product()
    }

    fn times(&mut self, value: Value, by: u32) -> Value {
        let by = self.word(by);
        self.value(Op::Binary(Binary::Mul, value, by), Ty::I32)
    }

    /// Waits for all lanes of the group.
    fn wait(&mut self) {
        let barrier = Barrier { memory: MemoryScope::Group, sync: SyncScope::Group };
        self.builder.inst(Op::Barrier { barrier, lanes: None }, &[]);
    }

    /// Emits what only the first lane of the group does.
    fn first_lane(&mut self, body: impl FnOnce(&mut Self) -> Lower<()>) -> Lower<()> {
        let (index, zero) = (self.builtin(Builtin::GroupIndex), self.word(0));
        let is_first = self.value(Op::Compare(Compare::Eq, index, zero), Ty::Bool);
        self.when(is_first, body)
    }

    pub(super) fn when(
        &mut self,
        cond: Value,
        body: impl FnOnce(&mut Self) -> Lower<()>,
    ) -> Lower<()> {
        let then = |this: &mut Self| {
            body(this)?;
            Ok(Values::new())
        };
        self.if_(cond, then, |_| Ok(Values::new())).map(|_| ())
    }

    /// Emits a loop from `start` on in steps, which assigns no variables; `once` if there is at most one step.
    fn for_each(
        &mut self,
        start: Value,
        end: Value,
        step: u32,
        once: bool,
        body: impl FnOnce(&mut Self, Value) -> Lower<()>,
    ) -> Lower<()> {
        let less = Compare::Lt(Sign::Unsigned);
        if once {
            let is_inside = self.value(Op::Compare(less, start, end), Ty::Bool);
            return self.when(is_inside, |this| body(this, start));
        }
        let loop_ = self.builder.reserve();
        let (region, params) = self.open(&[Ty::I32])?;
        let is_inside = self.value(Op::Compare(less, params[0], end), Ty::Bool);
        let test = self.builder.reserve();
        let (then, _) = self.open(&[])?;
        self.builder.terminate(Op::Yield(Values::new()));
        self.close();
        let (else_, _) = self.open(&[])?;
        self.builder.terminate(Op::Exit { to: loop_, args: Values::new() });
        self.close();
        self.builder.fill(test, Op::If { cond: is_inside, then, else_ }, &[]);
        body(self, params[0])?;
        let next = self.offset(params[0], step);
        self.builder.terminate(Op::Yield(values![next]));
        self.close();
        self.builder.fill(loop_, Op::Loop { body: region, inits: values![start] }, &[]);
        Ok(())
    }
}
