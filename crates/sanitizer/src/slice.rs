//! What an instruction depends on: values, memory, and the conditions that decide whether it runs.

use std::collections::HashSet;

use ir::{Inst, Module, Op, Value, ValueDef};

use crate::facts::Facts;

/// Memory as far as it is told apart: whole arrays and whole resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Memory {
    Private(ir::Private),
    Shared(ir::Shared),
    Buffer(ir::Binding),
}

impl Memory {
    pub(crate) fn name(self, module: &Module) -> &str {
        match self {
            Memory::Private(it) => &module.privates[it.index()].name,
            Memory::Shared(it) => &module.groupshared[it.index()].name,
            Memory::Buffer(it) => &module.resource(it).name,
        }
    }
}

/// All instructions whose results can have a part in what `from` does.
pub(crate) fn backward(facts: &Facts<'_>, from: Inst) -> HashSet<Inst> {
    let module = facts.module;
    let mut slice = HashSet::new();
    let mut values: HashSet<Value> = HashSet::new();
    let mut memories: HashSet<Memory> = HashSet::new();
    let mut open = vec![from];
    while let Some(inst) = open.pop() {
        if !slice.insert(inst) {
            continue;
        }
        let op = &module.inst(inst).op;
        let mut wanted = op.operands();
        // Whether it runs: the conditions around it, and those under which lanes leave what is around it.
        for construct in facts.ancestors(inst) {
            open.push(construct);
            open.extend(facts.enders(construct));
        }
        while let Some(value) = wanted.pop() {
            if !values.insert(value) {
                continue;
            }
            if let ValueDef::Result(def, _) = module.values[value.index()].def {
                open.push(def);
            }
            wanted.extend(facts.sources(value));
        }
        if let Some(memory) = read(module, op).filter(|it| memories.insert(*it)) {
            let writes = |it: &Inst| written(module, &module.inst(*it).op) == Some(memory);
            open.extend((0..module.insts.len() as u32).map(Inst).filter(writes));
        }
    }
    slice
}

/// The memory that an operation loads from.
pub(crate) fn read(module: &Module, op: &Op) -> Option<Memory> {
    match op {
        Op::Load { place, .. } | Op::Atomic { place, .. } | Op::Counter { place, .. } => {
            Some(Memory::Buffer(module.storage(place.binding)))
        }
        Op::SharedLoad { memory, .. } | Op::SharedAtomic { memory, .. } => {
            Some(Memory::Shared(*memory))
        }
        Op::PrivateLoad { memory, .. } => Some(Memory::Private(*memory)),
        _ => None,
    }
}

/// The memory that an operation stores to.
pub(crate) fn written(module: &Module, op: &Op) -> Option<Memory> {
    match op {
        Op::Store { place, .. } | Op::Atomic { place, .. } | Op::Counter { place, .. } => {
            Some(Memory::Buffer(module.storage(place.binding)))
        }
        Op::SharedStore { memory, .. } | Op::SharedAtomic { memory, .. } => {
            Some(Memory::Shared(*memory))
        }
        Op::PrivateStore { memory, .. } => Some(Memory::Private(*memory)),
        _ => None,
    }
}
