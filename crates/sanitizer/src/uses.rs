//! The uses of the values that a program reads from memory: whether anything depends on them at all, and whether they
//! decide where lanes go, by comparisons and masks but not by arithmetic. An atomic operation orders nothing for a wave
//! that ignores its result, and a wave that waits for a flag decides by what it has read.
//!
//! A static backward slice over data, through private and groupshared arrays as wholes, and not through buffers. It is
//! computed only for modules that synchronise through memory.

use ir::{Inst, Op, Value};
use ops::scalar::Family;

use crate::facts::Facts;
use crate::hash::HashSet;
use crate::slice::{self, Memory};

#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// By instruction: whether something depends on its results.
    used: Vec<bool>,
    /// By instruction: whether a condition does.
    decides: Vec<bool>,
    /// The memory through which waves can learn of each other.
    acquired: HashSet<Memory>,
}

impl Uses {
    pub(crate) fn new(facts: &Facts<'_>) -> Uses {
        let module = facts.module;
        let is_sync = |op: &Op| op.effects().is_atomic();
        if !module.insts.iter().any(|it| is_sync(&it.op))
            && !module.resources.iter().any(|it| it.globally_coherent)
        {
            return Uses::default();
        }
        let selectors = || module.insts.iter().filter_map(|it| it.op.selector());
        let acting = module.insts.iter().filter(|it| it.op.effects().acts());
        let decides = by_inst(facts, selectors().collect(), is_arithmetic);
        let roots = acting.flat_map(|it| it.op.operands()).chain(selectors());
        let used = by_inst(facts, roots.collect(), |_| false);
        let mut uses = Uses { used, decides, acquired: HashSet::default() };
        for inst in (0..module.insts.len() as u32).map(Inst) {
            let op = &module.inst(inst).op;
            let Some(memory) = slice::read(module, op) else { continue };
            let acquires = match memory {
                Memory::Private(_) | Memory::Queries => false,
                _ if is_sync(op) => uses.is_used(inst),
                Memory::Shared(_) => false,
                Memory::Buffer(it) => module.resource(it).globally_coherent && uses.decides(inst),
            };
            if acquires {
                uses.acquired.insert(memory);
            }
        }
        uses
    }

    /// Whether something depends on what an instruction reads.
    pub(crate) fn is_used(&self, inst: Inst) -> bool {
        self.used.get(inst.index()).copied().unwrap_or(false)
    }

    /// Whether a condition depends on what an instruction reads.
    pub(crate) fn decides(&self, inst: Inst) -> bool {
        self.decides.get(inst.index()).copied().unwrap_or(false)
    }

    /// Whether some instruction acquires what others release in this memory.
    pub(crate) fn is_acquired(&self, memory: Memory) -> bool {
        self.acquired.contains(&memory)
    }
}

/// Whether an operation adds up or scales: a flag is compared and masked, and what is summed is data.
fn is_arithmetic(op: &Op) -> bool {
    let family = op.scalar_facts().map(|it| it.family);
    matches!(family, Some(Family::Ring | Family::Division | Family::Remainder | Family::Fma))
}

/// For each instruction, whether one of these values depends on its results, not counting what comes through some
/// operations.
fn by_inst(facts: &Facts<'_>, mut open: Vec<Value>, stops: fn(&Op) -> bool) -> Vec<bool> {
    let module = facts.module;
    let mut seen = vec![false; module.values.len()];
    let mut insts = vec![false; module.insts.len()];
    let mut memories: HashSet<Memory> = HashSet::default();
    while let Some(value) = open.pop() {
        if std::mem::replace(&mut seen[value.index()], true) {
            continue;
        }
        let Some(inst) = module.made_by(value) else {
            open.extend(facts.sources(value));
            continue;
        };
        insts[inst.index()] = true;
        if stops(&module.inst(inst).op) {
            continue;
        }
        open.extend(facts.sources(value));
        let memory = slice::read(module, &module.inst(inst).op);
        let is_array = |it: &Memory| !matches!(it, Memory::Buffer(_));
        if let Some(memory) = memory.filter(is_array).filter(|it| memories.insert(*it)) {
            let all = module.insts.iter().map(|it| &it.op);
            let writes = all.filter(|it| slice::written(module, it) == Some(memory));
            open.extend(writes.flat_map(Op::operands));
        }
    }
    insts
}
