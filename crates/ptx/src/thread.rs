//! What identifies a thread, and barriers.

use ir::Builtin;
use ops::intrinsics::ShaderModel;
use ops::{Barrier, MemoryScope, Relation, SyncScope};

use crate::emit::Emitter;
use crate::text::{Class, Operand, Reg, put};

impl Emitter<'_> {
    /// A word that is computed once, at the start.
    fn once(&mut self, name: &'static str, make: impl FnOnce(&mut Self, Reg)) -> Reg {
        if let Some(reg) = self.thread.get(name) {
            return *reg;
        }
        let reg = self.text.reg(Class::Word);
        self.early(|it| make(it, reg));
        self.thread.insert(name, reg);
        reg
    }

    fn special(&mut self, name: &'static str) -> Reg {
        self.once(name, |it, reg| put!(it, "mov.u32 {reg}, {name}"))
    }

    /// The index of the thread in its block: the lane of the group.
    pub(crate) fn thread_index(&mut self) -> Reg {
        self.special("%tid.x")
    }

    /// The number of the lane in its wave.
    pub(crate) fn lane(&mut self) -> Reg {
        let thread = self.special("%laneid");
        if !self.environment.is_packed() {
            return thread;
        }
        let last = self.environment.width - 1;
        self.once("lane", |it, reg| put!(it, "and.b32 {reg}, {thread}, {last}"))
    }

    /// The number of the wave's first lane in its warp, if several waves share one.
    pub(crate) fn first_thread(&mut self) -> Option<Reg> {
        if !self.environment.is_packed() {
            return None;
        }
        let thread = self.special("%laneid");
        let first = !(self.environment.width - 1) & (crate::LANES - 1);
        Some(self.once("first", |it, reg| put!(it, "and.b32 {reg}, {thread}, {first}")))
    }

    /// The part of a set of threads of the warp that belongs to the wave.
    pub(crate) fn set_of_wave(&mut self, threads: Reg) -> Reg {
        let Some(first) = self.first_thread() else { return threads };
        let all = self.environment.all_lanes();
        let set = self.text.reg(Class::Word);
        put!(self, "shr.u32 {set}, {threads}, {first}");
        put!(self, "and.b32 {set}, {set}, {all}");
        set
    }

    /// The lanes in a relation to this one.
    pub(crate) fn lanes(&mut self, relation: Relation) -> Reg {
        if let Some(first) = self.first_thread() {
            let name = match relation {
                Relation::Equal => "lanes ==",
                Relation::GreaterEqual => "lanes >=",
                Relation::Greater => "lanes >",
                Relation::LessEqual => "lanes <=",
                Relation::Less => "lanes <",
            };
            let threads = self.special(relation_name(relation));
            let all = self.environment.all_lanes();
            return self.once(name, |it, reg| {
                put!(it, "shr.u32 {reg}, {threads}, {first}");
                put!(it, "and.b32 {reg}, {reg}, {all}");
            });
        }
        self.special(relation_name(relation))
    }

    pub(crate) fn wave_index(&mut self) -> Reg {
        let thread = self.thread_index();
        let shift = self.environment.width.ilog2();
        self.once("wave", |it, reg| put!(it, "shr.u32 {reg}, {thread}, {shift}"))
    }

    /// Whether each square of 2 by 2 threads has four consecutive lanes, squares row by row.
    fn has_squares(&self) -> bool {
        let [x, y, _] = self.ir.group_size;
        self.ir.needs.quads && x % 2 == 0 && y % 2 == 0 && self.ir.shader_model >= ShaderModel::V6_6
    }

    pub(crate) fn builtin(&mut self, builtin: Builtin) -> Operand {
        let size = self.ir.group_size;
        match builtin {
            Builtin::GroupId(axis) => {
                let name = ["%ctaid.x", "%ctaid.y", "%ctaid.z"][usize::from(axis)];
                Operand::Reg(self.special(name))
            }
            Builtin::GroupThreadId(axis) => self.coordinate(axis),
            Builtin::DispatchThreadId(axis) => {
                let group = self.builtin(Builtin::GroupId(axis));
                let inside = self.coordinate(axis);
                let name = ["dispatch.x", "dispatch.y", "dispatch.z"][usize::from(axis)];
                let size = size[usize::from(axis)];
                if size == 1 {
                    return group;
                }
                Operand::Reg(self.once(name, |it, reg| {
                    put!(it, "mad.lo.u32 {reg}, {group}, {size}, {inside}");
                }))
            }
            Builtin::GroupIndex if self.has_squares() => {
                let [x, y, z] = [0, 1, 2].map(|it| self.coordinate(it));
                let [columns, rows, _] = size;
                Operand::Reg(self.once("index", |it, reg| {
                    let z = it.reg(z);
                    put!(it, "mad.lo.u32 {reg}, {z}, {rows}, {y}");
                    put!(it, "mad.lo.u32 {reg}, {reg}, {columns}, {x}");
                }))
            }
            Builtin::GroupIndex => Operand::Reg(self.thread_index()),
        }
    }

    /// A coordinate of the thread in its group. Padding threads have any.
    fn coordinate(&mut self, axis: u8) -> Operand {
        let [x, y, z] = self.ir.group_size;
        if [x, y, z][usize::from(axis)] == 1 {
            return Operand::word(0);
        }
        let thread = self.thread_index();
        let squares = self.has_squares();
        let name = ["thread.x", "thread.y", "thread.z"][usize::from(axis)];
        // The first axis varies fastest.
        Operand::Reg(match (axis, squares) {
            (0, false) if y == 1 && z == 1 => thread,
            (0, false) => self.once(name, |it, reg| {
                let column = it.rest(thread, x);
                it.move_to(reg.into(), column, None);
            }),
            (1, false) => self.once(name, |it, reg| {
                let row = it.divided(thread, x);
                let row = it.reg(row);
                let row = it.rest(row, y);
                it.move_to(reg.into(), row, None);
            }),
            (0 | 1, true) => self.once(name, |it, reg| {
                let square = it.text.reg(Class::Word);
                put!(it, "shr.u32 {square}, {thread}, 2");
                let (at, inside) = match axis {
                    0 => (it.rest(square, x / 2), 0),
                    _ => {
                        let row = it.divided(square, x / 2);
                        let row = it.reg(row);
                        (it.rest(row, y / 2), 1)
                    }
                };
                let part = it.text.reg(Class::Word);
                put!(it, "shr.u32 {part}, {thread}, {inside}");
                put!(it, "and.b32 {part}, {part}, 1");
                let at = it.reg(at);
                put!(it, "shl.b32 {reg}, {at}, 1");
                put!(it, "or.b32 {reg}, {reg}, {part}");
            }),
            (_, _) => self.once(name, |it, reg| {
                let layer = it.divided(thread, x * y);
                it.move_to(reg.into(), layer, None);
            }),
        })
    }

    /// All 32 threads execute it, also those of lanes that have returned.
    pub(crate) fn barrier(&mut self, barrier: Barrier) {
        match (barrier.memory, barrier.sync) {
            // The barrier of the block orders its accesses; a fence would also wait for those to global memory.
            (MemoryScope::Group, SyncScope::Group) => {}
            (MemoryScope::Group, _) => put!(self, "fence.acq_rel.cta"),
            (MemoryScope::Device | MemoryScope::All, _) => put!(self, "fence.acq_rel.gpu"),
        }
        match barrier.sync {
            SyncScope::None => {}
            SyncScope::Wave => self.sync_lanes(),
            SyncScope::Group => {
                put!(self, "bar.sync 0");
                self.forget_pending();
            }
        }
    }
}

/// The special register with the threads of the warp in a relation to this one.
fn relation_name(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "%lanemask_eq",
        Relation::GreaterEqual => "%lanemask_ge",
        Relation::Greater => "%lanemask_gt",
        Relation::LessEqual => "%lanemask_le",
        Relation::Less => "%lanemask_lt",
    }
}
