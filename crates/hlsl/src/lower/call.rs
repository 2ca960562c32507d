//! Calls: functions are inlined at the call, library functions expanded, methods of buffers turned into accesses.

use diag::{Diagnostic, Span, code};
use ir::{Builtin, Op, Slot, Value, values};
use ops::{Barrier, Binary, Compare, MemoryScope, Sign, SyncScope, Ty, Unary};

use super::emitted::stream_id;
use super::env::SlotId;
use super::place::{Lvalue, Storage};
use super::resource::{NO_HANDLE, ResourceRef};
use super::{Lower, Lowerer, MOST_CALLS, Values};
use crate::hir::{Arg, Expr, FunctionId, LocalId, Signature, SystemValue};
use crate::library::barrier_flags as flag;
use crate::library::expand::{Operand, expand};
use crate::library::{Function as LibraryFunction, Method, Pure};
use crate::types::{Mode, Packing, ResourceType, Type, TypeId, layout_of};

/// A call in progress.
pub(super) struct Frame {
    pub(super) function: FunctionId,
    /// The location of the call.
    pub(super) call: Span,
    /// By [`LocalId`].
    locals: Vec<Storage>,
    /// The first of the slots that `return` assigns.
    pub(super) result: SlotId,
    pub(super) returns: Returns,
}

/// The effect of `return` on its lanes.
#[derive(Clone, Copy)]
pub(super) enum Returns {
    /// In the entry point it ends them.
    Entry,
    /// The call ends here anyway.
    AtEnd,
    /// It sends them to the end of the block with this index.
    Exit(usize),
}

impl Frame {
    /// The frame of an entry point, whose locals are still missing.
    pub(super) fn new(function: FunctionId, result: SlotId, returns: Returns) -> Frame {
        Frame { function, call: Span::NONE, locals: Vec::new(), result, returns }
    }

    pub(super) fn local(&self, id: LocalId) -> &Storage {
        &self.locals[id.0 as usize]
    }
}

/// An argument that has been evaluated.
pub(super) enum Passed {
    Value(Values),
    /// An lvalue that is copied back to, with the value copied in, if any.
    Lvalue {
        place: Lvalue,
        value: Option<Values>,
    },
    Alias(Lvalue),
    /// A parameter that is read after the call, with its first value.
    Kept(Values),
}

impl Lowerer<'_> {
    pub(super) fn frame(&self) -> &Frame {
        self.frames.last().unwrap_or_else(|| unreachable!("every statement is in a function"))
    }

    /// Whether the current function may run more than once.
    pub(super) fn is_inlined(&self) -> bool {
        self.frames.len() > 1
    }

    pub(super) fn entry(&mut self) -> Lower<()> {
        let program = self.program;
        let entry = &program.entry;
        let function = program.function(entry.function);
        self.builder.span = entry.span;
        if let Some(signature) = &entry.signature {
            return self.stage_entry(signature);
        }
        if let Some(group) = &entry.group {
            return self.group_entry(group.mesh.as_ref());
        }
        let mut passed = Vec::new();
        for (input, local) in entry.inputs.iter().zip(&function.locals) {
            let leaves = self.leaves(local.ty, local.span)?;
            let mut values = Values::new();
            for (i, leaf) in leaves.iter().enumerate() {
                let i = (i as u8).min(2);
                let value = self.builtin(match input {
                    SystemValue::GroupId => Builtin::GroupId(i),
                    SystemValue::GroupThreadId => Builtin::GroupThreadId(i),
                    SystemValue::DispatchThreadId => Builtin::DispatchThreadId(i),
                    SystemValue::GroupIndex
                    | SystemValue::ViewId
                    | SystemValue::Payload
                    | SystemValue::Vertices
                    | SystemValue::Indices
                    | SystemValue::Primitives => Builtin::GroupIndex,
                });
                values.push(self.as_input(value, leaf.unwrap_or(Ty::I32)));
            }
            passed.push(Passed::Value(values));
        }
        let result = self.env.len();
        self.frames.push(Frame {
            function: entry.function,
            call: Span::NONE,
            locals: Vec::new(),
            result,
            returns: Returns::Entry,
        });
        self.note_entry(entry.function);
        self.locals(&passed)?;
        self.stmts(&function.body)?;
        self.frames.pop();
        Ok(())
    }

    /// A system value, which is a word, in the type of a parameter.
    pub(super) fn as_input(&mut self, value: Value, to: Ty) -> Value {
        if to == Ty::I32 {
            return value;
        }
        let op = Unary::Convert { to, from_sign: Sign::Unsigned, to_sign: Sign::Unsigned };
        self.value(Op::Unary(op, value), to)
    }

    /// The entry point of a shader with a signature: a call with the inputs as arguments, whose results are the
    /// outputs.
    fn stage_entry(&mut self, signature: &Signature) -> Lower<()> {
        let program = self.program;
        let entry = &program.entry;
        let function = program.function(entry.function);
        let mut passed = Vec::new();
        for (slots, local) in signature.params.iter().zip(&function.locals) {
            self.builder.span = local.span;
            if let Some(number) = slots.stream {
                let stream = ResourceRef { id: stream_id(number), element: None };
                passed.push(Passed::Value(values![self.handles.make(stream)]));
                continue;
            }
            let ty = slots.array.unwrap_or(local.ty);
            let leaves = self.leaves(ty, local.span)?;
            self.builder.span = local.span;
            let mut values = Values::new();
            for (i, leaf) in leaves.iter().enumerate() {
                let ty = leaf.unwrap_or(Ty::I32);
                values.push(match slots.inputs.get(i) {
                    Some(slot) => self.value(Op::Input(*slot), ty),
                    None => self.undefined(ty, local.span),
                });
            }
            if slots.array.is_some() && ty != local.ty {
                let is_dynamic = self.facts.has_dynamic_index(program, local.ty);
                let storage = self.variable(&local.name, ty, local.span, is_dynamic, None)?;
                let place = storage.place(ty);
                self.store(&place, &values)?;
                passed.push(Passed::Alias(place));
                continue;
            }
            passed.push(match slots.outputs.is_empty() {
                true => Passed::Value(values),
                false => Passed::Kept(values),
            });
        }
        self.builder.span = entry.span;
        self.begin_emission(signature);
        let result = self.env.len();
        for leaf in self.leaves(function.result, entry.span)?.iter() {
            let nothing = self.undefined(leaf.unwrap_or(Ty::I32), entry.span);
            self.env.push(*leaf, nothing);
        }
        self.frames.push(Frame {
            function: entry.function,
            call: Span::NONE,
            locals: Vec::new(),
            result,
            returns: Returns::AtEnd,
        });
        self.note_entry(entry.function);
        self.body(&passed)?;
        self.builder.span = entry.span;
        if !self.is_ended() {
            for (i, slots) in signature.params.iter().enumerate() {
                if slots.outputs.is_empty() {
                    continue;
                }
                let local = &function.locals[i];
                let place = self.frame().local(LocalId(i as u32)).place(local.ty);
                let values = self.load(&place, local.span)?;
                self.outputs(&slots.outputs, &values);
            }
            let values: Values =
                (result..).zip(&signature.result).map(|it| self.env.get(it.0)).collect();
            self.outputs(&signature.result, &values);
            self.end_emission()?;
        }
        self.frames.pop();
        Ok(())
    }

    /// The statements of the innermost function, given the arguments of its parameters.
    pub(super) fn body(&mut self, passed: &[Passed]) -> Lower<()> {
        let id = self.frame().function;
        let program = self.program;
        let function = program.function(id);
        self.locals(passed)?;
        if self.facts.function(id).returns_last {
            return self.stmts(&function.body);
        }
        self.block(|this, block| {
            if let Some(frame) = this.frames.last_mut() {
                frame.returns = Returns::Exit(block);
            }
            this.forget_at_end(passed);
            this.stmts(&function.body)
        })
    }

    fn outputs(&mut self, slots: &[Slot], values: &[Value]) {
        for (slot, value) in slots.iter().zip(values) {
            self.builder.inst(Op::Output { slot: *slot, value: *value }, &[]);
        }
    }

    pub(super) fn call(&mut self, id: FunctionId, args: &[Arg], span: Span) -> Lower<Values> {
        let program = self.program;
        let function = program.function(id);
        if self.frames.len() > MOST_CALLS {
            return Err(self.nested(span));
        }
        let floor = self.env.len();
        let mut passed = Vec::with_capacity(args.len());
        for (arg, param) in args.iter().zip(&function.locals) {
            passed.push(self.pass(arg, param.ty)?);
        }
        self.builder.span = span;

        let result = self.env.len();
        let results = self.leaves(function.result, span)?;
        for leaf in results.iter() {
            let nothing = match leaf {
                Some(ty) => self.undefined(*ty, span),
                None => NO_HANDLE,
            };
            self.env.push(*leaf, nothing);
        }
        let frame =
            Frame { function: id, call: span, locals: Vec::new(), result, returns: Returns::AtEnd };
        self.frames.push(frame);
        // Nothing else counts a call of a function without statements, and it costs more than an expression.
        const STEPS: u64 = 8;
        self.steps += STEPS;
        self.enter(span)?;
        self.leave();
        let caller = self.note_call(id, span);
        // Values that are copied back must outlive the block; the other locals follow, and the block drops them.
        self.body(&passed)?;
        self.builder.span = span;
        self.note_return(caller);

        for (i, passed) in passed.into_iter().enumerate() {
            let Passed::Lvalue { place, .. } = passed else { continue };
            let local = &function.locals[i];
            let param = self.frame().local(LocalId(i as u32)).place(local.ty);
            let values = self.load(&param, span)?;
            let (place, to) = self.inherited(place, args[i].place_ty(), local.ty);
            self.store_converted(&place, local.ty, values, to)?;
        }
        self.frames.pop();
        let values =
            (result..result + results.len() as u32).map(|slot| self.env.get(slot)).collect();
        self.env.truncate(floor);
        Ok(values)
    }

    fn pass(&mut self, arg: &Arg, param: TypeId) -> Lower<Passed> {
        Ok(match arg {
            // An unbounded array is not copied: the number of its resources is unknown, and no element can be assigned
            // to.
            Arg::In(expr) | Arg::Out { place: expr, .. }
                if self.is_unbounded(param) || self.is_patch(param) =>
            {
                Passed::Alias(self.place(expr)?)
            }
            Arg::In(expr) => Passed::Value(self.expr(expr)?),
            Arg::Out { place, mode: Mode::Reference, .. } => Passed::Alias(self.place(place)?),
            Arg::Out { place, ty, mode } => {
                let target = self.place(place)?;
                let (target, from) = self.inherited(target, place.ty, *ty);
                let value = match mode {
                    Mode::InOut => {
                        let values = self.load(&target, place.span)?;
                        Some(self.convert(from, *ty, values, place.span)?)
                    }
                    Mode::In | Mode::Out | Mode::Reference => None,
                };
                Passed::Lvalue { place: target, value }
            }
        })
    }

    /// Whether it holds the control points of a patch, which are an array that nothing assigns to.
    fn is_patch(&self, ty: TypeId) -> bool {
        matches!(
            self.program.types.get(ty),
            Type::Resource(ResourceType::Other(object))
                if matches!(object.name, "InputPatch" | "OutputPatch")
        )
    }

    /// Whether it is an unbounded array of resources.
    fn is_unbounded(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Array { len: 0, .. })
    }

    /// Creates the locals of the newest frame; the parameters come first.
    fn locals(&mut self, passed: &[Passed]) -> Lower<()> {
        let program = self.program;
        let id = self.frame().function;
        let function = program.function(id);
        let passed_count = passed.len();
        for (i, local) in function.locals.iter().enumerate() {
            let local_id = LocalId(i as u32);
            let storage = match passed.get(i) {
                Some(Passed::Alias(place)) => {
                    let storage = Storage::Alias(place.clone());
                    self.note_local(id, local_id, &storage, false);
                    storage
                }
                passed => {
                    let dynamic = self.facts.function(id).dynamic.contains(&local_id);
                    let storage = self.variable(
                        &local.name,
                        local.ty,
                        local.span,
                        dynamic,
                        Some((id, local_id)),
                    )?;
                    self.note_local(id, local_id, &storage, i < passed_count);
                    if let Some(
                        Passed::Value(values)
                        | Passed::Kept(values)
                        | Passed::Lvalue { value: Some(values), .. },
                    ) = passed
                    {
                        self.store(&storage.place(local.ty), values)?;
                    } else if let Some(Passed::Lvalue { value: None, .. }) = passed {
                        self.unset(&storage, local.ty)?;
                    }
                    storage
                }
            };
            if let Some(frame) = self.frames.last_mut() {
                frame.locals.push(storage);
            }
            if i < passed.len() {
                self.record(local_id);
            }
        }
        Ok(())
    }

    /// Everything that is not copied back is local to the block.
    fn forget_at_end(&mut self, passed: &[Passed]) {
        let program = self.program;
        let frame = self.frame();
        let function = program.function(frame.function);
        let mut forgotten = Vec::new();
        for (i, local) in function.locals.iter().enumerate() {
            if let (false, Storage::Slots { first }) = (
                matches!(passed.get(i), Some(Passed::Lvalue { .. } | Passed::Kept(_))),
                frame.local(LocalId(i as u32)),
            ) {
                forgotten.push((*first, self.count(local.ty)));
            }
        }
        for (first, count) in forgotten {
            self.env.declare(first, count);
        }
    }

    /// Stores a value of type `from` to an lvalue of type `to`.
    fn store_converted(
        &mut self,
        place: &Lvalue,
        from: TypeId,
        values: Values,
        to: TypeId,
    ) -> Lower<()> {
        let span = self.builder.span;
        let values = self.convert(from, to, values, span)?;
        self.store(place, &values)
    }

    /// The value of an argument that is only passed in.
    pub(super) fn input(&mut self, arg: &Arg) -> Lower<Values> {
        match arg {
            Arg::In(expr) => self.expr(expr),
            Arg::Out { place, ty, .. } => {
                let values = self.expr(place)?;
                self.convert(place.ty, *ty, values, place.span)
            }
        }
    }

    /// The lvalue of an argument that is written or operated on.
    pub(super) fn target(&mut self, arg: &Arg) -> Lower<Option<Target>> {
        match arg {
            Arg::In(_) => Ok(None),
            Arg::Out { place, ty, .. } => {
                Ok(Some(Target { place: self.place(place)?, from: *ty, to: place.ty }))
            }
        }
    }

    pub(super) fn write(&mut self, target: Option<Target>, values: Values) -> Lower<()> {
        match target {
            Some(Target { place, from, to }) => self.store_converted(&place, from, values, to),
            None => Ok(()),
        }
    }

    // The library.

    pub(super) fn library(
        &mut self,
        function: LibraryFunction,
        args: &[Arg],
        expr: &Expr,
    ) -> Lower<Values> {
        match function {
            LibraryFunction::Pure(pure) => {
                if function.takes_derivatives() {
                    self.demand_quads(expr.span)?;
                }
                self.pure(pure, args, expr)
            }
            LibraryFunction::Interlocked { op, returns } => {
                let Some((first, rest)) = args.split_first() else { return Ok(Values::new()) };
                let place = match first {
                    Arg::In(expr) | Arg::Out { place: expr, .. } => self.place(expr)?,
                };
                self.interlocked(&place, op, returns, rest, expr.span)?;
                Ok(Values::new())
            }
            LibraryFunction::Barrier(barrier) => {
                self.builder.inst(Op::Barrier { barrier, lanes: None }, &[]);
                Ok(Values::new())
            }
            LibraryFunction::FlagBarrier => {
                let barrier = self.flag_barrier(args)?;
                self.builder.inst(Op::Barrier { barrier, lanes: None }, &[]);
                Ok(Values::new())
            }
            LibraryFunction::NonUniform => {
                let Some(arg) = args.first() else { return Ok(Values::new()) };
                let values = self.input(arg)?;
                let marks = values.iter().map(|it| (*it, expr.span));
                self.builder.module.non_uniform.extend(marks);
                Ok(values)
            }
            LibraryFunction::Pixel(function) => self.of_pixels(function, args, expr),
            LibraryFunction::Factors(factors) => {
                self.factors(factors, args, expr.span)?;
                Ok(Values::new())
            }
            LibraryFunction::MeshCounts => {
                self.mesh_counts(args, expr.span)?;
                Ok(Values::new())
            }
            LibraryFunction::DispatchMesh => {
                self.dispatch_mesh(args, expr.span)?;
                Ok(Values::new())
            }
            LibraryFunction::Print(print) => self.print(print, args, expr),
            // The checker has put a constant in its place.
            LibraryFunction::IsDebuggingEnabled => Ok(Values::new()),
            LibraryFunction::Unsupported(name) => {
                Err(self.unsupported(expr.span, format!("`{name}` is not supported yet")))
            }
        }
    }

    /// Decodes the flags of a `Barrier`. Whose accesses are ordered makes no difference here: there is a single order
    /// of all accesses.
    fn flag_barrier(&self, args: &[Arg]) -> Lower<Barrier> {
        let mut flags = [flag::UAV_MEMORY, 0];
        for (flags, arg) in flags.iter_mut().zip(args) {
            let Arg::In(arg) = arg else { continue };
            if let Type::Resource(_) = self.program.types.get(arg.ty) {
                continue;
            }
            let Some(bits) = self.facts.constant(self.program, arg) else {
                let message = "the flags of a barrier must be constant";
                return Err(self.stop(Diagnostic::new(&code::NOT_CONSTANT, arg.span, message)));
            };
            *flags = bits.first().map_or(0, |it| *it as u32);
        }
        let of_group = flag::GROUP_SHARED_MEMORY;
        let memory = match (flags[0] & of_group != 0, flags[0] & !of_group != 0) {
            (true, true) => MemoryScope::All,
            (true, false) => MemoryScope::Group,
            (false, _) => MemoryScope::Device,
        };
        let sync =
            if flags[1] & flag::GROUP_SYNC != 0 { SyncScope::Group } else { SyncScope::None };
        Ok(Barrier { memory, sync })
    }

    fn pure(&mut self, function: Pure, args: &[Arg], expr: &Expr) -> Lower<Values> {
        let mut operands = Vec::new();
        let mut targets = Vec::new();
        for arg in args {
            match arg {
                Arg::In(arg) => operands.push(Operand { ty: arg.ty, scalars: self.expr(arg)? }),
                Arg::Out { mode: Mode::Out, .. } => targets.push(self.target(arg)?),
                // No row has an `inout` parameter; it would be both.
                Arg::Out { ty, .. } => {
                    operands.push(Operand { ty: *ty, scalars: self.input(arg)? })
                }
            }
        }
        self.builder.span = expr.span;
        let types = &self.program.types;
        let mut values =
            expand(function, &mut self.builder, types, self.native_16bit, &operands, expr.ty);
        // The results come first, then the written lvalues, one after the other.
        let own = (self.count(expr.ty) as usize).min(values.len());
        let written = Values::from(&values[own..]);
        values.truncate(own);
        let mut rest = written.as_slice();
        for target in targets.into_iter().flatten() {
            let count = self.count(target.from) as usize;
            let (these, behind) = rest.split_at(count.min(rest.len()));
            self.write(Some(target), these.into())?;
            rest = behind;
        }
        Ok(values)
    }

    /// The comparand if there is one, the value, and the destination of the old value.
    fn interlocked(
        &mut self,
        place: &Lvalue,
        op: ir::Atomic,
        returns: bool,
        args: &[Arg],
        span: Span,
    ) -> Lower<()> {
        let (inputs, output) = match args.split_last() {
            Some((last, before)) if returns => (before, Some(last)),
            _ => (args, None),
        };
        let mut values = Values::new();
        for input in inputs {
            values.extend(self.input(input)?);
        }
        let target = match output {
            Some(output) => self.target(output)?,
            None => None,
        };
        self.builder.span = span;
        let before = self.atomic(place, op, values, returns, span)?;
        match before {
            Some(before) => self.write(target, values![before]),
            None => Ok(()),
        }
    }

    // Methods.

    pub(super) fn method(
        &mut self,
        method: Method,
        object: &Expr,
        args: &[Arg],
        expr: &Expr,
    ) -> Lower<Values> {
        let span = expr.span;
        match method {
            Method::Unsupported(name) => {
                let object = self.program.types.name(object.ty);
                let what = format!("`{name}` of a `{object}` is not supported yet");
                return Err(self.unsupported(span, what));
            }
            Method::Ray(method) => return self.ray_method(method, object, args, span),
            _ => {}
        }
        let object_ty = object.ty;
        let object = self.place(object)?;
        let resource = self.single_resource(&object, span)?;
        match method {
            Method::StructuredLoad => {
                let index = self.input(&args[0])?;
                let place = self.structured_place(resource, object_ty, index[0]);
                let last = index[0];
                self.load_with_status(&place, args, Reach { resource, last }, span)
            }
            Method::RawLoad { .. } | Method::RawLoadT => {
                let address = self.input(&args[0])?;
                let place = self.at_byte(resource, address[0], expr.ty);
                let layout =
                    layout_of(&self.program.types, expr.ty, Packing::Structured, self.native_16bit);
                let size = self.word(layout.size.saturating_sub(1));
                let last = self.value(Op::Binary(Binary::Add, address[0], size), Ty::I32);
                self.load_with_status(&place, args, Reach { resource, last }, span)
            }
            Method::RawStore { .. } | Method::RawStoreT => {
                let address = self.input(&args[0])?;
                let value = self.input(&args[1])?;
                self.builder.span = span;
                let place = self.at_byte(resource, address[0], args[1].ty());
                self.store(&place, &value)?;
                Ok(Values::new())
            }
            Method::RawInterlocked { op, returns } => {
                let address = self.input(&args[0])?;
                let ty = args.get(1).map_or(expr.ty, Arg::ty);
                let place = self.at_byte(resource, address[0], ty);
                self.interlocked(&place, op, returns, &args[1..], span)?;
                Ok(Values::new())
            }
            Method::TypedLoad => {
                let index = self.input(&args[0])?;
                let at = super::place::Location::Texel { resource, index: index[0] };
                let reach = Reach { resource, last: index[0] };
                self.load_with_status(&Lvalue::whole(at, expr.ty), args, reach, span)
            }
            Method::IncrementCounter => Ok(values![self.counter(resource, 1, span)?]),
            Method::DecrementCounter => Ok(values![self.counter(resource, -1, span)?]),
            Method::Append => {
                let value = self.input(&args[0])?;
                self.builder.span = span;
                let index = self.counter(resource, 1, span)?;
                let place = self.structured_place(resource, object_ty, index);
                self.store(&place, &value)?;
                Ok(Values::new())
            }
            Method::Consume => {
                let index = self.counter(resource, -1, span)?;
                let place = self.structured_place(resource, object_ty, index);
                self.load(&place, span)
            }
            Method::GetDimensions => self.dimensions(resource, args, span),
            Method::Emit => {
                let value = self.input(&args[0])?;
                self.builder.span = span;
                self.emit_vertex(resource.id, &value)?;
                Ok(Values::new())
            }
            Method::Cut => {
                self.cut_strip(resource.id);
                Ok(Values::new())
            }
            Method::Texture(method) => self.texture_method(method, resource, object_ty, args, expr),
            Method::Feedback(detail) => self.feedback_write(detail, resource, args, span),
            Method::FeedbackSize => self.feedback_size(resource, object_ty, args, expr),
            Method::Ray(_) | Method::Unsupported(_) => Ok(Values::new()),
        }
    }

    /// `GetDimensions` of a buffer.
    fn dimensions(&mut self, resource: ResourceRef, args: &[Arg], span: Span) -> Lower<Values> {
        let mut targets = Vec::new();
        for arg in args {
            targets.push(self.target(arg)?);
        }
        self.builder.span = span;
        let place = self.binding(resource, span)?;
        let inst = self.builder.inst(Op::Size { place }, &vec![Ty::I32; targets.len()]);
        let sizes = self.builder.results(inst).to_vec();
        for (target, size) in targets.into_iter().zip(sizes) {
            self.write(target, values![size])?;
        }
        Ok(Values::new())
    }

    fn structured_place(&mut self, resource: ResourceRef, object: TypeId, index: Value) -> Lvalue {
        let element = match self.program.types.get(object) {
            Type::Resource(ResourceType::Structured { element, .. }) => element,
            _ => object,
        };
        super::buffer::structured(resource, index, element)
    }

    /// A second argument takes the status of the access. It never fails where all resources are fully mapped;
    /// otherwise mapped memory ends with the resource as bound.
    fn load_with_status(
        &mut self,
        place: &Lvalue,
        args: &[Arg],
        reach: Reach,
        span: Span,
    ) -> Lower<Values> {
        let status = match args.get(1) {
            Some(arg) => self.target(arg)?,
            None => None,
        };
        self.builder.span = span;
        let values = self.load(place, span)?;
        let fine = match status.is_some() && self.has_tiles {
            false => self.word(1),
            true => {
                let place = self.binding(reach.resource, span)?;
                let size = self.value(Op::Size { place }, Ty::I32);
                let is_there = Op::Compare(Compare::Lt(Sign::Unsigned), reach.last, size);
                let is_there = self.value(is_there, Ty::Bool);
                self.in_memory(is_there)
            }
        };
        self.write(status, values![fine])?;
        Ok(values)
    }

    fn counter(&mut self, resource: ResourceRef, delta: i32, span: Span) -> Lower<Value> {
        let place = self.binding(resource, span)?;
        let declared = &mut self.builder.module.resources[place.binding.index()];
        if let ir::ResourceKind::Structured { counter, .. } = &mut declared.kind {
            *counter = true;
        }
        Ok(self.value(Op::Counter { place, delta }, Ty::I32))
    }
}

/// The extent of a load: the index of its element, or its last byte.
struct Reach {
    resource: ResourceRef,
    last: Value,
}

/// The destination of a result: converted from one type to another.
pub(super) struct Target {
    place: Lvalue,
    from: TypeId,
    to: TypeId,
}

impl Arg {
    /// The type of the argument as written.
    fn place_ty(&self) -> TypeId {
        match self {
            Arg::In(expr) | Arg::Out { place: expr, .. } => expr.ty,
        }
    }
}
