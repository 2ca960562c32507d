//! Built-in inputs (thread and group indices), and barriers.
//!
//! Threads are assigned to lanes as in the reference engine: in the order of `SV_GroupIndex`, or in squares of 2 by 2
//! threads if a shader of model 6.6 uses quads. Devices number the invocations of a subgroup by `LocalInvocationIndex`;
//! for squares the thread is computed from that number, which needs no extension for derivative groups.

use ir::Builtin;
use ops::intrinsics::ShaderModel;
use ops::{Barrier, MemoryScope, SyncScope};

use crate::emit::Emitter;
use crate::module::{Id, push};
use crate::opcode as op;

/// Scopes of memory and execution.
pub(crate) const SCOPE_DEVICE: u32 = 1;
pub(crate) const SCOPE_GROUP: u32 = 2;
pub(crate) const SCOPE_WAVE: u32 = 3;

const ACQUIRE_RELEASE: u32 = 0x8;
const BUFFERS: u32 = 0x40;
const GROUP_MEMORY: u32 = 0x100;
const IMAGES: u32 = 0x800;

impl Emitter<'_> {
    /// A built-in input, loaded once before everything else.
    pub(crate) fn input(&mut self, number: u32) -> Id {
        if let Some(id) = self.built_ins.get(&number) {
            return *id;
        }
        let uint = self.out.uint();
        let ty = match number {
            op::WORKGROUP_ID | op::LOCAL_INVOCATION_ID | op::GLOBAL_INVOCATION_ID => {
                self.out.vector(uint, 3)
            }
            op::SUBGROUP_EQ_MASK
            | op::SUBGROUP_GE_MASK
            | op::SUBGROUP_GT_MASK
            | op::SUBGROUP_LE_MASK
            | op::SUBGROUP_LT_MASK => {
                self.out.capabilities.insert(op::CAP_GROUP_BALLOT);
                self.out.vector(uint, 4)
            }
            _ => uint,
        };
        if ![
            op::WORKGROUP_ID,
            op::LOCAL_INVOCATION_ID,
            op::GLOBAL_INVOCATION_ID,
            op::LOCAL_INVOCATION_INDEX,
            op::VERTEX_INDEX,
            op::INSTANCE_INDEX,
            op::BASE_VERTEX,
            op::BASE_INSTANCE,
            op::PRIMITIVE_ID,
            op::INVOCATION_ID,
        ]
        .contains(&number)
        {
            self.out.capabilities.insert(op::CAP_GROUP);
        }
        let variable = self.global(op::INPUT, ty);
        self.out.decorate(variable, op::BUILT_IN, &[number]);
        if self.is_pixel() {
            // Spec: Vulkan, VUID-StandaloneSpirv-Flat-04744.
            self.out.decorate(variable, op::FLAT, &[]);
        }
        let id = self.early(|it| it.op(op::LOAD, ty, &[variable]));
        self.built_ins.insert(number, id);
        id
    }

    /// A variable outside the function.
    pub(crate) fn global(&mut self, storage: u32, ty: Id) -> Id {
        self.global_with(storage, ty, None)
    }

    /// The same, with an initial value.
    pub(crate) fn global_with(&mut self, storage: u32, ty: Id, initial: Option<Id>) -> Id {
        let pointer = self.out.pointer(storage, ty);
        let variable = self.out.id();
        let words: Vec<u32> =
            [pointer.0, variable.0, storage].into_iter().chain(initial.map(|it| it.0)).collect();
        push(&mut self.out.globals, op::VARIABLE, &words);
        self.interface.push((storage, variable));
        variable
    }

    /// Emits at the start of the function, which dominates every use.
    pub(crate) fn early<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let body = std::mem::take(&mut self.out.body);
        let value = emit(self);
        let made = std::mem::replace(&mut self.out.body, body);
        self.out.prologue.extend(made);
        value
    }

    pub(crate) fn component(&mut self, vector: Id, index: u32) -> Id {
        let uint = self.out.uint();
        self.op_words(op::COMPOSITE_EXTRACT, uint, &[vector.0, index])
    }

    fn squares(&self) -> bool {
        let [x, y, _] = self.ir.group_size;
        self.ir.needs.quads && x % 2 == 0 && y % 2 == 0 && self.ir.shader_model >= ShaderModel::V6_6
    }

    pub(crate) fn builtin(&mut self, builtin: Builtin) -> Id {
        let [x, y, _] = self.ir.group_size;
        match builtin {
            Builtin::GroupId(i) => {
                let id = self.input(op::WORKGROUP_ID);
                self.component(id, u32::from(i))
            }
            Builtin::GroupThreadId(i) if self.squares() => self.square(i),
            Builtin::GroupThreadId(i) => {
                let id = self.input(op::LOCAL_INVOCATION_ID);
                self.component(id, u32::from(i))
            }
            Builtin::DispatchThreadId(i) if self.squares() => {
                let thread = self.square(i);
                let group = self.builtin(Builtin::GroupId(i));
                let size = self.ir.group_size[usize::from(i)];
                let first = self.words(op::I_MUL, group, size);
                let uint = self.out.uint();
                self.op(op::I_ADD, uint, &[first, thread])
            }
            Builtin::DispatchThreadId(i) => {
                let id = self.input(op::GLOBAL_INVOCATION_ID);
                self.component(id, u32::from(i))
            }
            Builtin::GroupIndex if self.squares() => {
                let [tx, ty, tz] = [0, 1, 2].map(|i| self.square(i));
                let uint = self.out.uint();
                let layer = self.words(op::I_MUL, tz, y);
                let rows = self.op(op::I_ADD, uint, &[layer, ty]);
                let before = self.words(op::I_MUL, rows, x);
                self.op(op::I_ADD, uint, &[before, tx])
            }
            Builtin::GroupIndex => self.input(op::LOCAL_INVOCATION_INDEX),
        }
    }

    /// An operation on a word and a constant.
    pub(crate) fn words(&mut self, opcode: op::Opcode, a: Id, b: u32) -> Id {
        let (uint, b) = (self.out.uint(), self.out.word(b));
        self.op(opcode, uint, &[a, b])
    }

    /// A coordinate of the thread if each square of 2 by 2 threads has four consecutive lanes, squares row by row.
    fn square(&mut self, axis: u8) -> Id {
        let [x, y, _] = self.ir.group_size;
        let index = self.input(op::LOCAL_INVOCATION_INDEX);
        let uint = self.out.uint();
        let square = self.words(op::SHIFT_RIGHT_LOGICAL, index, 2);
        match axis {
            0 => {
                let column = self.words(op::U_MOD, square, x / 2);
                let left = self.words(op::SHIFT_LEFT_LOGICAL, column, 1);
                let right = self.words(op::BITWISE_AND, index, 1);
                self.op(op::BITWISE_OR, uint, &[left, right])
            }
            1 => {
                let row = self.words(op::U_DIV, square, x / 2);
                let row = self.words(op::U_MOD, row, y / 2);
                let upper = self.words(op::SHIFT_LEFT_LOGICAL, row, 1);
                let lower = self.words(op::SHIFT_RIGHT_LOGICAL, index, 1);
                let lower = self.words(op::BITWISE_AND, lower, 1);
                self.op(op::BITWISE_OR, uint, &[upper, lower])
            }
            _ => self.words(op::U_DIV, index, x * y),
        }
    }

    pub(crate) fn barrier(&mut self, barrier: Barrier) {
        let (scope, memory) = match barrier.memory {
            MemoryScope::Group => (SCOPE_GROUP, GROUP_MEMORY),
            MemoryScope::Device => (SCOPE_DEVICE, BUFFERS | IMAGES),
            MemoryScope::All => (SCOPE_DEVICE, GROUP_MEMORY | BUFFERS | IMAGES),
        };
        let scope = self.out.word(scope);
        let semantics = self.out.word(memory | ACQUIRE_RELEASE);
        let waits = match barrier.sync {
            SyncScope::None => return self.effect(op::MEMORY_BARRIER, &[scope, semantics]),
            SyncScope::Wave => SCOPE_WAVE,
            SyncScope::Group => SCOPE_GROUP,
        };
        let waits = self.out.word(waits);
        self.effect(op::CONTROL_BARRIER, &[waits, scope, semantics]);
    }
}
