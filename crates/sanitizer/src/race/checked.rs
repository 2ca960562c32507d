//! A check-then-set: a wave reads a coherent buffer, decides by the value, and stores there, in two steps between which
//! another wave can read the same value. Static: the check is a load that decides whether lanes enter a branch, the
//! store is in that branch; a check by which lanes leave a loop is not recognised.

use ir::{Inst, Op, Value};

use crate::facts::Facts;
use crate::slice::{self, Memory};

/// The load that checks, and the store that follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Checked {
    pub(super) check: Inst,
    pub(super) set: Inst,
}

/// The check-then-set that both of two accesses rely on.
pub(super) fn around_both(facts: &Facts<'_>, a: Inst, b: Inst) -> Option<Checked> {
    let sets = sets(facts);
    let checked = around(facts, &sets, a)?;
    (around(facts, &sets, b) == Some(checked)).then_some(checked)
}

/// Whether there is any.
pub(super) fn is_in(facts: &Facts<'_>) -> bool {
    let sets = sets(facts);
    let mut all = (0..facts.module.insts.len() as u32).map(Inst);
    !sets.is_empty() && all.any(|it| of_branch(facts, &sets, it).is_some())
}

/// The innermost one around an access.
fn around(facts: &Facts<'_>, sets: &[(Inst, Memory)], access: Inst) -> Option<Checked> {
    let mut branches = facts.ancestors(access).filter(|_| !sets.is_empty());
    branches.find_map(|it| of_branch(facts, sets, it))
}

/// The stores to coherent buffers.
fn sets(facts: &Facts<'_>) -> Vec<(Inst, Memory)> {
    let module = facts.module;
    let memory = |inst: Inst| match &module.inst(inst).op {
        op @ Op::Store { place, .. } if module.resource(place.binding).globally_coherent => {
            Some((inst, slice::written(module, op)?))
        }
        _ => None,
    };
    (0..module.insts.len() as u32).map(Inst).filter_map(memory).collect()
}

/// The check by which lanes enter a branch, and the store in it.
fn of_branch(facts: &Facts<'_>, sets: &[(Inst, Memory)], branch: Inst) -> Option<Checked> {
    let module = facts.module;
    let Op::If { cond, .. } = module.inst(branch).op else { return None };
    loads(facts, cond).find_map(|check| {
        let memory = slice::read(module, &module.inst(check).op)?;
        let set = sets.iter().find(|it| it.1 == memory && facts.encloses(branch, it.0))?;
        Some(Checked { check, set: set.0 })
    })
}

/// The loads from coherent buffers by which a condition is computed.
fn loads(facts: &Facts<'_>, condition: Value) -> impl Iterator<Item = Inst> {
    let module = facts.module;
    let reads = |inst: Inst| slice::read(module, &module.inst(inst).op).is_some();
    let all = slice::computed_until(facts, &[condition], reads);
    all.into_iter().filter(|inst| match &module.inst(*inst).op {
        Op::Load { place, .. } => module.resource(place.binding).globally_coherent,
        _ => false,
    })
}
