//! Mistakes in the flag that should order a store of one group before a load of another. Static, by the order of the
//! text: operations on one memory that release are taken to raise the flag, and those that acquire to see it.

use ir::{Inst, Op};

use crate::facts::{self, Facts};
use crate::slice::{self, Memory};
use crate::uses::Uses;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// It is raised before the store, and seen there.
    Early { raised: Inst, seen: Inst },
    /// It is seen after the load only.
    Late { seen: Inst },
    /// This operation would order the two if its result mattered.
    Ignored(Inst),
}

/// The mistake, if one of these is to be seen.
pub(super) fn mistake(facts: &Facts<'_>, uses: &Uses, store: Inst, load: Inst) -> Option<Mistake> {
    let module = facts.module;
    let all = || (0..module.insts.len() as u32).map(Inst).filter(|it| *it != store && *it != load);
    let at = |it: &Inst| facts.position(*it);
    let (store, load) = (at(&store), at(&load));
    // The wave that raises the flag need not see what others see.
    let is_seen = |memory: Option<Memory>| {
        all().any(|it| uses.decides(it) && slice::read(module, &module.inst(it).op) == memory)
    };
    let ignored = |it: &Inst| {
        let op = &module.inst(*it).op;
        op.effects().is_atomic()
            && !uses.is_used(*it)
            && (store..load).contains(&at(it))
            && !is_seen(slice::written(module, op))
    };
    let flag = |it: &Inst| flag(facts, uses, *it);
    for seen in all().filter(|it| uses.decides(*it)) {
        let Some(memory) = flag(&seen) else { continue };
        let raises = |it: &Inst| *it != seen && releases(facts, *it) && flag(it) == Some(memory);
        // An operation whose result matters does more than to raise a flag.
        let early = all().find(|it| raises(it) && at(it) < store && !uses.is_used(*it));
        let late = all().any(|it| raises(&it) && at(&it) > store);
        match (early, late) {
            (Some(raised), false) if at(&seen) < load => {
                return Some(Mistake::Early { raised, seen });
            }
            (None, true) if at(&seen) > load => return Some(Mistake::Late { seen }),
            _ => {}
        }
    }
    all().find(ignored).map(Mistake::Ignored)
}

/// The memory of a flag that some wave acquires.
fn flag(facts: &Facts<'_>, uses: &Uses, inst: Inst) -> Option<Memory> {
    let op = &facts.module.inst(inst).op;
    let memory = slice::read(facts.module, op).or_else(|| slice::written(facts.module, op))?;
    (matches!(memory, Memory::Buffer(_)) && uses.is_acquired(memory)).then_some(memory)
}

fn releases(facts: &Facts<'_>, inst: Inst) -> bool {
    let op = &facts.module.inst(inst).op;
    let changes = op.effects().is_atomic() && !facts::only_reads(facts.module, inst);
    changes || matches!(op, Op::Store { .. })
}
