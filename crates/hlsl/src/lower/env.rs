//! SSA construction: the current value of each scalar of a variable, at the point that lowering has reached.
//!
//! A variable owns consecutive slots. Structured code becomes SSA without look-ahead: every assignment is logged, an
//! edge out of a construct takes the changes since the construct began, and when the construct closes the log is
//! rolled back and the edges are compared (`control`). The cost of an edge is that of what has changed, not of all
//! variables.
//!
//! Slots are a stack: a call pushes those of its function and pops them again.

use ir::Value;
use ops::Ty;

/// An index into the environment.
pub(super) type SlotId = u32;

struct Slot {
    value: Value,
    /// `None` for a resource, whose value is a handle.
    ty: Option<Ty>,
    /// The newest mark when the variable was declared.
    born: u32,
}

/// A point that the environment can roll back to: the start of a construct.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    number: u32,
    log: usize,
    slots: u32,
}

#[derive(Default)]
pub(super) struct Env {
    slots: Vec<Slot>,
    /// Each assignment with the value before it.
    log: Vec<(SlotId, Value)>,
    marks: u32,
}

impl Env {
    pub(super) fn len(&self) -> u32 {
        self.slots.len() as u32
    }

    pub(super) fn push(&mut self, ty: Option<Ty>, value: Value) -> SlotId {
        self.slots.push(Slot { value, ty, born: self.marks });
        self.len() - 1
    }

    pub(super) fn truncate(&mut self, len: u32) {
        self.slots.truncate(len as usize);
    }

    pub(super) fn get(&self, slot: SlotId) -> Value {
        self.slots[slot as usize].value
    }

    pub(super) fn ty(&self, slot: SlotId) -> Option<Ty> {
        self.slots[slot as usize].ty
    }

    pub(super) fn set(&mut self, slot: SlotId, value: Value) {
        let before = std::mem::replace(&mut self.slots[slot as usize].value, value);
        if before != value {
            self.log.push((slot, before));
        }
    }

    /// The variable of these slots is declared here: constructs that began before do not see it.
    pub(super) fn declare(&mut self, first: SlotId, count: u32) {
        for slot in &mut self.slots[first as usize..(first + count) as usize] {
            slot.born = self.marks;
        }
    }

    /// Whether the slot outlives a construct that begins at the mark.
    pub(super) fn is_older(&self, slot: SlotId, mark: Mark) -> bool {
        slot < mark.slots && self.slots[slot as usize].born < mark.number
    }

    pub(super) fn mark(&mut self) -> Mark {
        self.marks += 1;
        Mark { number: self.marks, log: self.log.len(), slots: self.len() }
    }

    /// The slots that outlive the construct and have been assigned since its mark, ascending, with their values.
    pub(super) fn changes(&self, mark: Mark) -> Vec<(SlotId, Value)> {
        let mut slots: Vec<SlotId> = self.log[mark.log..]
            .iter()
            .map(|(slot, _)| *slot)
            .filter(|slot| self.is_older(*slot, mark))
            .collect();
        slots.sort_unstable();
        slots.dedup();
        slots.into_iter().map(|slot| (slot, self.get(slot))).collect()
    }

    /// The number of assignments that an edge out of the construct has to examine.
    pub(super) fn logged(&self, mark: Mark) -> usize {
        self.log.len() - mark.log
    }

    /// Rolls back to the values at the mark.
    pub(super) fn undo(&mut self, mark: Mark) {
        while self.log.len() > mark.log {
            let Some((slot, before)) = self.log.pop() else { break };
            // The log may still hold slots of calls that have ended.
            if let Some(slot) = self.slots.get_mut(slot as usize) {
                slot.value = before;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_the_assignments_to_older_variables() {
        let mut env = Env::default();
        let a = env.push(Some(Ty::I32), Value(0));
        let b = env.push(Some(Ty::I32), Value(1));
        env.set(b, Value(2));
        let mark = env.mark();
        let inner = env.push(Some(Ty::I32), Value(3));
        env.set(inner, Value(4));
        env.set(a, Value(5));
        env.set(a, Value(6));
        assert_eq!(env.changes(mark), [(a, Value(6))]);
        env.truncate(inner);
        env.undo(mark);
        assert_eq!((env.get(a), env.get(b)), (Value(0), Value(2)));
        assert_eq!(env.changes(mark), []);
    }

    #[test]
    fn a_variable_declared_inside_does_not_leave() {
        let mut env = Env::default();
        let a = env.push(Some(Ty::I32), Value(0));
        let outer = env.mark();
        env.declare(a, 1);
        env.set(a, Value(1));
        let inner = env.mark();
        env.set(a, Value(2));
        assert_eq!(env.changes(outer), []);
        assert_eq!(env.changes(inner), [(a, Value(2))]);
    }
}
