//! Notes for debuggers: where statements begin, what variables are given, which functions run. See [`ir::notes`].
//!
//! Scopes, which say to which inlined function an instruction belongs, are there with and without notes; nothing else
//! of a module depends on whether there are any. Lowering that is only tried, to see whether a loop can be unrolled,
//! makes none.

use diag::Span;
use ir::notes::{InMemory, Note, Notes, Scalar, Scope, ScopeId, Variable, VariableId};
use ir::{Op, Private, Value, Values};

use super::Lowerer;
use super::env::SlotId;
use super::memory::Space;
use super::place::Storage;
use crate::hir::{FunctionId, LocalId};
use crate::types::{Type, TypeId, host};

/// A variable with more scalars has no notes.
const MOST_SCALARS: u64 = 1024;
/// The most scalars of all variables of all scopes: what comes later has no notes.
const MOST_DESCRIBED: u64 = 1 << 20;
/// The most scopes: a call that comes later counts as a part of its caller.
const MOST_SCOPES: usize = 1 << 18;

/// What lowering knows while it makes notes.
#[derive(Default)]
pub(super) struct NoteTaker {
    notes: Notes,
    /// The calls in progress.
    frames: Vec<NoteFrame>,
    /// The variables in slots: the first slot, the number of slots, and the variable. Ascending.
    slots: Vec<(SlotId, u32, VariableId)>,
    described: u64,
    /// The number of enclosing attempts that leave nothing behind.
    trying: u32,
}

struct NoteFrame {
    scope: ScopeId,
    /// By [`LocalId`].
    variables: Vec<Option<VariableId>>,
    innermost: Option<VariableId>,
    /// The number of entries in `slots` when the call began.
    slots: usize,
}

impl Lowerer<'_> {
    pub(super) fn note_entry(&mut self, function: FunctionId) {
        self.push_scope(function, Span::NONE);
    }

    /// A call begins. Returns the scope of the caller, for the return.
    pub(super) fn note_call(&mut self, function: FunctionId, call: Span) -> ScopeId {
        let caller = self.builder.scope;
        if self.push_scope(function, call) {
            self.note(Note::Call { scope: self.builder.scope });
        }
        caller
    }

    /// The code that follows belongs to this function. Returns whether it has a separate scope, or counts for its
    /// caller.
    fn push_scope(&mut self, function: FunctionId, call: Span) -> bool {
        let has_own = self.scopes.len() < MOST_SCOPES;
        let frame = self.notes.as_ref().and_then(|it| it.frames.last());
        let innermost = frame.and_then(|it| it.innermost);
        if has_own {
            let function = self.program.function(function).name.clone();
            let caller = (!self.scopes.is_empty()).then_some(self.builder.scope);
            self.builder.scope = ScopeId(self.scopes.len() as u32);
            self.scopes.push(Scope { function, call, caller, innermost });
        }
        if let Some(taker) = &mut self.notes {
            taker.frames.push(NoteFrame {
                scope: self.builder.scope,
                variables: Vec::new(),
                innermost: None,
                slots: taker.slots.len(),
            });
        }
        has_own
    }

    /// The lanes are back from the innermost call.
    pub(super) fn note_return(&mut self, caller: ScopeId) {
        let scope = std::mem::replace(&mut self.builder.scope, caller);
        let Some(taker) = &mut self.notes else { return };
        let Some(frame) = taker.frames.pop() else { return };
        taker.slots.truncate(frame.slots);
        if scope != caller {
            self.note(Note::Return { scope });
        }
    }

    /// A statement begins.
    pub(super) fn note_statement(&mut self, span: Span) {
        let Some(frame) = self.notes.as_ref().and_then(|it| it.frames.last()) else { return };
        let note = Note::Statement { scope: frame.scope, innermost: frame.innermost };
        let before = std::mem::replace(&mut self.builder.span, span);
        self.note(note);
        self.builder.span = before;
    }

    /// A static variable gets its storage.
    pub(super) fn note_static(&mut self, name: &str, ty: TypeId, span: Span, storage: &Storage) {
        if let Some(id) = self.describe(name, ty, span, storage, true)
            && let Some(taker) = &mut self.notes
        {
            taker.notes.statics.push(id);
        }
    }

    /// A local variable gets its storage; a parameter is visible from here on.
    pub(super) fn note_local(
        &mut self,
        function: FunctionId,
        local: LocalId,
        storage: &Storage,
        is_param: bool,
    ) {
        if self.notes.is_none() {
            return;
        }
        let declared = &self.program.function(function).locals[local.0 as usize];
        let id = self.describe(&declared.name, declared.ty, declared.span, storage, false);
        if let Some(frame) = self.notes.as_mut().and_then(|it| it.frames.last_mut()) {
            frame.variables.push(id);
        }
        if is_param {
            self.note_visible(local);
        }
    }

    /// A local variable is visible from here to the end of the list of statements.
    pub(super) fn note_visible(&mut self, local: LocalId) {
        let Some(taker) = &mut self.notes else { return };
        let Some(frame) = taker.frames.last_mut() else { return };
        let Some(Some(id)) = frame.variables.get(local.0 as usize) else { return };
        if frame.innermost != Some(*id) {
            taker.notes.variables[id.0 as usize].outside = frame.innermost;
            frame.innermost = Some(*id);
        }
    }

    /// The innermost variable visible here, to which [`Lowerer::note_block_end`] goes back.
    pub(super) fn note_block(&self) -> Option<VariableId> {
        self.notes.as_ref()?.frames.last()?.innermost
    }

    pub(super) fn note_block_end(&mut self, innermost: Option<VariableId>) {
        if let Some(frame) = self.notes.as_mut().and_then(|it| it.frames.last_mut()) {
            frame.innermost = innermost;
        }
    }

    /// Slots are given values: each of them the value at its position.
    pub(super) fn note_writes(&mut self, slots: impl Iterator<Item = (SlotId, Value)>) {
        let Some(taker) = &self.notes else { return };
        if taker.trying > 0 {
            return;
        }
        let mut writes: Vec<(VariableId, u32, Values)> = Vec::new();
        for (slot, value) in slots {
            let at = taker.slots.partition_point(|it| it.0 <= slot);
            let Some((first, count, variable)) = at.checked_sub(1).map(|it| taker.slots[it]) else {
                continue;
            };
            let scalar = slot - first;
            if scalar >= count {
                continue;
            }
            match writes.last_mut() {
                Some((last, from, values))
                    if *last == variable && *from + values.len() as u32 == scalar =>
                {
                    values.push(value);
                }
                _ => writes.push((variable, scalar, ir::values![value])),
            }
        }
        for (variable, first, values) in writes {
            self.note(Note::Write { variable, first, values });
        }
    }

    /// What is lowered inside leaves nothing behind.
    pub(super) fn note_trying(&mut self, begins: bool) {
        if let Some(taker) = &mut self.notes {
            taker.trying = if begins { taker.trying + 1 } else { taker.trying - 1 };
        }
    }

    pub(super) fn take_notes(&mut self) -> Notes {
        let scopes = std::mem::take(&mut self.scopes);
        match self.notes.take() {
            Some(it) => Notes { are_complete: true, scopes, ..it.notes },
            None => Notes { scopes, ..Notes::default() },
        }
    }

    fn note(&mut self, note: Note) {
        let tries = self.notes.as_ref().is_none_or(|it| it.trying > 0);
        if !tries && !self.is_ended() {
            self.builder.inst(Op::Note(Box::new(note)), &[]);
        }
    }

    fn describe(
        &mut self,
        name: &str,
        ty: TypeId,
        span: Span,
        storage: &Storage,
        is_static: bool,
    ) -> Option<VariableId> {
        let types = &self.program.types;
        let count = types.scalar_count(ty);
        let taker = self.notes.as_mut()?;
        let is_described = count > 0
            && count <= MOST_SCALARS
            && taker.described + count <= MOST_DESCRIBED
            && !types.holds_resource(ty);
        if !is_described {
            return None;
        }
        let id = VariableId(taker.notes.variables.len() as u32);
        let memory = match storage {
            Storage::Slots { first } => {
                taker.slots.push((*first, count as u32, id));
                None
            }
            Storage::Memory { space: Space::Private, first } => {
                let mut places = Vec::with_capacity(count as usize);
                self.memory_places(ty, *first, 0, &mut places);
                Some(places)
            }
            Storage::Memory { space: Space::Shared, .. } | Storage::Alias(_) => return None,
        };
        let mut scalars = Vec::with_capacity(count as usize);
        self.paths(ty, "", &mut scalars);
        let ty = types.name(ty);
        let taker = self.notes.as_mut()?;
        taker.described += count;
        let scope = taker.frames.last().map(|it| it.scope).filter(|_| !is_static);
        let name = name.to_owned();
        let variable = Variable { name, ty, scalars, span, scope, outside: None, memory };
        taker.notes.variables.push(variable);
        Some(id)
    }

    /// The scalars of a type in order, with their paths.
    fn paths(&self, ty: TypeId, path: &str, out: &mut Vec<Scalar>) {
        const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
        let types = &self.program.types;
        let mut push = |path, scalar| {
            out.push(Scalar { path, ty: host(scalar, self.native_16bit) });
        };
        match types.get(ty) {
            Type::Void | Type::String | Type::Error | Type::Resource(_) => {}
            Type::Scalar(scalar) => push(path.to_owned(), scalar),
            Type::Vector(scalar, n) => {
                for i in 0..n {
                    let path = match COMPONENTS.get(i as usize) {
                        Some(component) if n <= 4 => format!("{path}.{component}"),
                        _ => format!("{path}[{i}]"),
                    };
                    push(path, scalar);
                }
            }
            Type::Matrix { scalar, rows, columns, .. } => {
                for i in 0..rows * columns {
                    push(format!("{path}[{}][{}]", i / columns, i % columns), scalar);
                }
            }
            Type::Array { element, len } => {
                (0..len).for_each(|i| self.paths(element, &format!("{path}[{i}]"), out));
            }
            Type::Struct(id) => {
                for field in types.structure(id).fields.iter().filter(|it| it.bits.is_none()) {
                    self.paths(field.ty, &format!("{path}.{}", field.name), out);
                }
            }
        }
    }

    /// Where the scalars of a variable in private memory are, in the order of [`Lowerer::paths`].
    fn memory_places(&self, ty: TypeId, first: u32, index: u32, out: &mut Vec<InMemory>) {
        let types = &self.program.types;
        let mut each = |count: u32| {
            let at = |i| InMemory { array: Private(first), index: index * count + i };
            out.extend((0..count).map(at));
        };
        match types.get(ty) {
            Type::Void | Type::String | Type::Error | Type::Resource(_) => {}
            Type::Scalar(_) => each(1),
            Type::Vector(_, n) => each(n),
            Type::Matrix { rows, columns, .. } => each(rows * columns),
            Type::Array { element, len } => {
                (0..len).for_each(|i| self.memory_places(element, first, index * len + i, out));
            }
            Type::Struct(id) => {
                let mut first = first;
                for field in types.structure(id).fields.iter().filter(|it| it.bits.is_none()) {
                    self.memory_places(field.ty, first, index, out);
                    first += self.arrays(field.ty);
                }
            }
        }
    }
}
