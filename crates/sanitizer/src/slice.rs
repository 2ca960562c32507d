//! A static backward slice: the values, memory, and conditions on which an instruction depends.

use ir::facts::Space;
use ir::{Inst, Module, Op, Value};

use crate::facts::Facts;
use crate::hash::HashSet;

/// Memory at the granularity of the slice: whole arrays and whole resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Memory {
    Private(ir::Private),
    Shared(ir::Shared),
    Buffer(ir::Binding),
    Queries,
}

impl Memory {
    pub(crate) fn name(self, module: &Module) -> &str {
        match self {
            Memory::Private(it) => &module.privates[it.index()].name,
            Memory::Shared(it) => &module.groupshared[it.index()].name,
            Memory::Buffer(it) => &module.resource(it).name,
            Memory::Queries => "a ray query",
        }
    }

    /// Whether another lane may store there, so that waiting for a change makes sense.
    ///
    /// The views of a descriptor heap are one memory, which is writable if one of them is.
    pub(crate) fn is_changed_by_others(self, module: &Module) -> bool {
        match self {
            Memory::Private(_) | Memory::Queries => false,
            Memory::Shared(_) => true,
            Memory::Buffer(it) => {
                let mut views = (0..module.resources.len() as u32).map(ir::Binding);
                views
                    .any(|view| module.storage(view) == it && module.resource(view).kind.writable())
            }
        }
    }
}

/// All instructions whose results may affect what `from` does.
pub(crate) fn backward(facts: &Facts<'_>, from: Inst) -> HashSet<Inst> {
    let module = facts.module;
    let mut slice = HashSet::default();
    let mut values: HashSet<Value> = HashSet::default();
    let mut memories: HashSet<Memory> = HashSet::default();
    let mut open = vec![from];
    while let Some(inst) = open.pop() {
        if !slice.insert(inst) {
            continue;
        }
        let op = &module.inst(inst).op;
        let mut wanted = op.operands();
        // Control dependence: the conditions around it, and those under which lanes leave the enclosing constructs.
        for construct in facts.ancestors(inst) {
            open.push(construct);
            open.extend(facts.enders(construct));
        }
        while let Some(value) = wanted.pop() {
            if !values.insert(value) {
                continue;
            }
            if let Some(def) = module.made_by(value) {
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

/// The instructions by which values are computed, not through memory.
pub(crate) fn computed(facts: &Facts<'_>, values: &[Value]) -> Vec<Inst> {
    computed_until(facts, values, |_| false)
}

/// The same, where what these instructions compute with is left out.
pub(crate) fn computed_until(
    facts: &Facts<'_>,
    values: &[Value],
    ends: impl Fn(Inst) -> bool,
) -> Vec<Inst> {
    let mut open = values.to_vec();
    let mut seen: HashSet<Value> = open.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(value) = open.pop() {
        let inst = facts.module.made_by(value);
        found.extend(inst);
        if !inst.is_some_and(&ends) {
            open.extend(facts.sources(value).into_iter().filter(|it| seen.insert(*it)));
        }
    }
    found
}

/// The comparisons that decide whether lanes leave a loop.
pub(crate) fn comparisons(facts: &Facts<'_>, around: Inst) -> Vec<Inst> {
    let is_compare = |it: &Inst| matches!(facts.module.inst(*it).op, Op::Compare(..));
    let mut found = computed_until(facts, &facts.leaving(around), |it| is_compare(&it));
    found.retain(is_compare);
    found
}

/// The memory that an operation loads from.
pub(crate) fn read(module: &Module, op: &Op) -> Option<Memory> {
    op.effects().reads().map(|it| memory(module, it))
}

/// The memory that an operation stores to.
pub(crate) fn written(module: &Module, op: &Op) -> Option<Memory> {
    op.effects().writes().map(|it| memory(module, it))
}

/// A buffer and its counter are not distinguished.
fn memory(module: &Module, space: Space) -> Memory {
    match space {
        Space::Resource(place) | Space::Counter(place) => {
            Memory::Buffer(module.storage(place.binding))
        }
        Space::Shared(it) => Memory::Shared(it),
        Space::Private(it) => Memory::Private(it),
        Space::Queries => Memory::Queries,
    }
}
