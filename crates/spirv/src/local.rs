//! Arrays in groupshared and private memory. An out-of-bounds load returns zero and an out-of-bounds store does
//! nothing, as in all our engines.
//!
//! An array of floats with atomic operations is stored as integers, because SPIR-V has compare-and-exchange only for
//! these.

use ir::{Atomic, Op, Value};
use ops::Ty;

use crate::builtin::SCOPE_GROUP;
use crate::emit::Emitter;
use crate::module::{Id, push};
use crate::native::Part;
use crate::opcode as op;

/// A groupshared (`true`) or private array.
pub(crate) type Array = (bool, u32);

/// An element of an array.
struct Element {
    pointer: Id,
    inside: Option<Id>,
    ty: Ty,
    /// The type of the stored elements.
    held: Ty,
}

impl Emitter<'_> {
    /// Declares the arrays.
    pub(crate) fn local_arrays(&mut self) {
        self.shared_arrays();
        self.private_arrays();
    }

    fn shared_arrays(&mut self) {
        let ir = self.ir;
        for (index, memory) in ir.groupshared.iter().enumerate() {
            let array = (true, index as u32);
            match (self.part(array.1), self.payload()) {
                (Some(Part::Payload), Some(payload)) => {
                    self.arrays.insert(array, payload);
                    continue;
                }
                (Some(_), _) => continue,
                (None, _) => {}
            }
            let held = self.held(array);
            let ty = self.out.ty(held);
            let ty = self.out.array(ty, memory.len);
            let zeros = self.environment.zero_groupshared.then(|| self.out.null(ty));
            let variable = self.global_with(op::WORKGROUP, ty, zeros);
            self.out.name(variable, &memory.name);
            self.arrays.insert(array, variable);
        }
    }

    pub(crate) fn private_arrays(&mut self) {
        let ir = self.ir;
        for (index, memory) in ir.privates.iter().enumerate() {
            let ty = self.out.ty(memory.ty);
            let ty = self.out.array(ty, memory.len);
            let pointer = self.out.pointer(op::FUNCTION_STORAGE, ty);
            let variable = self.out.id();
            // Initialised to zero, as in all our engines.
            let zeros = self.out.null(ty);
            let words = [pointer.0, variable.0, op::FUNCTION_STORAGE, zeros.0];
            push(&mut self.out.variables, op::VARIABLE, &words);
            self.out.name(variable, &memory.name);
            self.arrays.insert((false, index as u32), variable);
        }
    }

    fn memory_of(&self, (shared, index): Array) -> &ir::Memory {
        let ir = self.ir;
        if shared { &ir.groupshared[index as usize] } else { &ir.privates[index as usize] }
    }

    fn held(&self, array: Array) -> Ty {
        let ty = self.memory_of(array).ty;
        let is_atomic =
            |op: &Op| matches!(op, Op::SharedAtomic { memory, .. } if memory.0 == array.1);
        let exchanged =
            array.0 && ty == Ty::F32 && self.ir.insts.iter().any(|it| is_atomic(&it.op));
        if exchanged { Ty::I32 } else { ty }
    }

    fn element(&mut self, array: Array, index: Value) -> Element {
        let memory = self.memory_of(array);
        let (ty, len) = (memory.ty, memory.len);
        let held = self.held(array);
        let known = self.ir.constant(index);
        let index = self.get(index);
        let inside = self.below(index, known, len);
        let index = self.or_zero(inside, index);
        let storage = match array {
            (true, memory) if self.part(memory) == Some(Part::Payload) => op::TASK_PAYLOAD,
            (true, _) => op::WORKGROUP,
            (false, _) => op::FUNCTION_STORAGE,
        };
        let pointee = self.out.ty(held);
        let pointer = self.out.pointer(storage, pointee);
        let variable = self.arrays[&array];
        let pointer = self.op(op::ACCESS_CHAIN, pointer, &[variable, index]);
        Element { pointer, inside, ty, held }
    }

    pub(crate) fn array_load(&mut self, array: Array, index: Value) -> Id {
        let Element { pointer, inside, ty, held } = self.element(array, index);
        let held_id = self.out.ty(held);
        let value = self.op(op::LOAD, held_id, &[pointer]);
        let value = self.bitcast(value, held, ty);
        self.value_or_zero(ty, inside, value)
    }

    pub(crate) fn array_store(&mut self, array: Array, index: Value, value: Value) {
        if let (true, Some(part)) = (array.0, self.part(array.1))
            && part != Part::Payload
        {
            return self.store_part(part, index, value);
        }
        let Element { pointer, inside, ty, held } = self.element(array, index);
        let value = self.get(value);
        let value = self.bitcast(value, ty, held);
        self.guarded(inside, |it| {
            it.effect(op::STORE, &[pointer, value]);
            []
        });
    }

    pub(crate) fn array_atomic(
        &mut self,
        memory: u32,
        index: Value,
        operation: Atomic,
        args: &[Value],
    ) -> Id {
        let Element { pointer, inside, ty, .. } = self.element((true, memory), index);
        let args = self.get_all(args);
        let ty_id = self.out.ty(ty);
        let [old] = self.guarded(inside, |it| {
            [(ty_id, it.atomic_at(pointer, SCOPE_GROUP, ty, operation, &args))]
        });
        old
    }
}
