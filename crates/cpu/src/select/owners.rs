//! Which thread of a group accesses which element of a groupshared array, where the index depends on the thread alone.
//!
//! A thread's accesses to elements that no other thread accesses keep their order, regardless of the order of waves: at
//! the end of `for (…) { GroupMemoryBarrierWithGroupSync(); if (index < d) sums[index] += sums[index + d]; }` thread 0
//! may read `sums[0]`, which it alone has written since the last barrier.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use ir::{Builtin, Module, Op, Value};

/// The most operations to follow from an index.
const MOST_DEPTH: u32 = 16;

/// How threads access an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// Nothing is known.
    Anywhere,
    /// Each element in one thread: a number of [`Owners::all`].
    Owned(usize),
}

pub(super) struct Owners<'a> {
    module: &'a Module,
    /// The values that depend on the thread alone, in all threads of a group; `None` for other values.
    values: HashMap<Value, Option<Rc<[u64]>>>,
    /// By element, its thread.
    all: Vec<BTreeMap<u64, usize>>,
}

impl<'a> Owners<'a> {
    pub(super) fn new(module: &'a Module) -> Owners<'a> {
        Owners { module, values: HashMap::new(), all: Vec::new() }
    }

    /// Whether no element belongs to two threads.
    pub(super) fn agree(&self, a: Way, b: Way) -> bool {
        let (Way::Owned(a), Way::Owned(b)) = (a, b) else { return false };
        let other = &self.all[b];
        self.all[a].iter().all(|(element, thread)| other.get(element).is_none_or(|it| it == thread))
    }

    /// How the threads that may run an instruction, which are all without a list, access its array.
    pub(super) fn way(&mut self, op: &Op, threads: Option<&[bool]>) -> Way {
        let (Op::SharedLoad { index, .. }
        | Op::SharedStore { index, .. }
        | Op::SharedAtomic { index, .. }) = op
        else {
            return Way::Anywhere;
        };
        let Some(elements) = self.value(*index, MOST_DEPTH) else { return Way::Anywhere };
        let mut owned = BTreeMap::new();
        for (thread, element) in elements.iter().enumerate() {
            let runs = threads.is_none_or(|it| it[thread]);
            if runs && owned.insert(*element, thread).is_some() {
                return Way::Anywhere;
            }
        }
        let known = self.all.iter().position(|it| *it == owned);
        Way::Owned(known.unwrap_or_else(|| {
            self.all.push(owned);
            self.all.len() - 1
        }))
    }

    /// The threads that take each arm of an `if`, where its condition depends on the thread alone.
    pub(super) fn arms(&mut self, cond: Value, threads: Option<&[bool]>) -> Option<[Vec<bool>; 2]> {
        let taken = self.value(cond, MOST_DEPTH)?;
        Some([true, false].map(|arm| {
            let is_in = |thread: usize| threads.is_none_or(|it| it[thread]);
            let takes = taken.iter().map(|it| (*it != 0) == arm);
            takes.enumerate().map(|(thread, takes)| takes && is_in(thread)).collect()
        }))
    }

    fn value(&mut self, value: Value, depth: u32) -> Option<Rc<[u64]>> {
        if let Some(known) = self.values.get(&value) {
            return known.clone();
        }
        let found = depth.checked_sub(1).and_then(|depth| self.computed(value, depth));
        self.values.insert(value, found.clone());
        found
    }

    fn computed(&mut self, value: Value, depth: u32) -> Option<Rc<[u64]>> {
        let module = self.module;
        let op = &module.inst(module.made_by(value)?).op;
        let threads = 0..u64::from(module.threads_per_group());
        let [x, y, _] = module.group_size.map(u64::from);
        match op {
            Op::Builtin(Builtin::GroupIndex) => return Some(threads.collect()),
            Op::Builtin(Builtin::GroupThreadId(axis)) => {
                let of = |it: u64| [it % x, it / x % y, it / (x * y)][usize::from(*axis)];
                return Some(threads.map(of).collect());
            }
            Op::Const { .. } => {}
            _ if op.is_elementwise() => {}
            _ => return None,
        }
        let mut operands = HashMap::new();
        for operand in op.operands() {
            operands.insert(operand, self.value(operand, depth)?);
        }
        let of =
            |it: u64| ir::eval::eval(module, op, |operand| Some(operands[&operand][it as usize]));
        threads.map(of).collect()
    }
}
