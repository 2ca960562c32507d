//! The number that a group waits for, if it is computed from the index of the group: groups start in any order,
//! and one that has not started serves no other. A number from an atomic counter is that of a group which has started.

use ir::{Builtin, Inst, Op, Value, Variable};

use crate::assigned;
use crate::facts::Facts;
use crate::finding::Site;
use crate::hash::HashSet;
use crate::slice::{self, Memory};

/// Where the number that a loop waits for is made from the index of the group.
pub(super) fn of_group(facts: &Facts<'_>, around: Inst, reads: &[(Inst, Memory)]) -> Option<Site> {
    let module = facts.module;
    let awaits = |value: Value| {
        let from = slice::computed_until(facts, &[value], |it| !facts.encloses(around, it));
        reads.iter().any(|it| from.contains(&it.0))
    };
    let (compare, number) = slice::comparisons(facts, around).into_iter().find_map(|inst| {
        let Op::Compare(_, a, b) = module.inst(inst).op else { return None };
        let number = if awaits(a) { b } else { Some(a).filter(|_| awaits(b))? };
        is_of_group(facts, number).then_some((inst, number))
    })?;
    let text = "the number that is waited for follows from the index of the group".to_owned();
    let made_by = module.made_by(number).filter(|it| !module.inst(*it).op.is_construct());
    let inst = match made_by.map(|it| &module.inst(it).op) {
        Some(Op::Builtin(_)) => None,
        _ => made_by,
    };
    if let Some(inst) = inst {
        return Some(Site { span: module.inst(inst).span, inst: Some(inst), text });
    }
    // A variable that is given this number and nothing else; a parameter of the entry point has it from the launch.
    let launched = made_by.map(|it| module.inst(it).span);
    let is_given = |it: &&Variable| it.values.len() == 1 && Some(it.span) != launched;
    let mut holders = assigned::before(module, number, module.inst(compare).span);
    Some(match holders.rfind(is_given) {
        Some(it) => Site { span: it.span, inst: None, text },
        None => Site { span: module.inst(compare).span, inst: Some(compare), text },
    })
}

/// Whether a value is computed from the index of the group, and from nothing that a lane reads or gets from others.
fn is_of_group(facts: &Facts<'_>, value: Value) -> bool {
    let module = facts.module;
    let from: HashSet<Inst> = slice::computed(facts, &[value]).into_iter().collect();
    let is_arithmetic = |it: &Inst| {
        let op = &module.inst(*it).op;
        op.is_pure() || op.is_construct()
    };
    let is_index = |it: &Inst| matches!(module.inst(*it).op, Op::Builtin(Builtin::GroupId(_)));
    from.iter().all(is_arithmetic) && from.iter().any(is_index)
}
