//! Plans for groups: whether the waves of a group can take turns in straight code, and which constructs they enter
//! together.
//!
//! A barrier splits the code of a wave into pieces (region formation, as in OpenCL implementations for CPUs). If all
//! waves pass the same barriers in the same order, a frame can run a whole group: between two barriers, the piece of
//! each wave follows that of the wave before it, which is the canonical order, and a barrier costs nothing.
//!
//! A construct is *joint* if it contains a barrier, or if lanes may leave through it to a joint construct. Waves must
//! enter it, go through its rounds and leave it together, so its condition must be the same for all waves of a group.
//! Everything else belongs to the piece of one wave, in which nothing may wait for another wave: its loops are short,
//! by the rule of [`ir::turns`], so that no turn of a wave ends in it.

use std::collections::BTreeSet;

use ir::{Builtin, Inst, Module, Op, Region, ResourceKind};
use ops::SyncScope;

use ir::uniformity::Uniformities;

use crate::isa::Isa;

/// The most instructions of the module, each counted once for every vector of a group, in every round of a loop that is
/// unrolled. Larger programs would take long to compile. Vectors have the size of AVX-512's: with AVX2 the same
/// programs run as groups, and their code is twice as long.
const MOST_WORK: u64 = 6000;
/// The weight of an atomic operation, which serves its lanes one by one.
const ATOMIC: u64 = 24;
/// The rounds of a short loop whose number depends on others.
const USUAL_ROUNDS: u64 = 16;

pub(super) struct Plan {
    /// By instruction: group barriers, terminators of joint regions, and joint constructs.
    pub(super) joint: Vec<bool>,
    /// By value: whether all lanes of a group hold the same.
    pub(super) same: Vec<bool>,
}

/// How the waves of a group can run in one frame, if they can.
pub(super) fn plan(
    module: &Module,
    uniformity: &Uniformities,
    width: u32,
    asked: u32,
) -> Option<Plan> {
    // Printed lines are ordered by wave, and a frame has room for the private memory and the ray queries of
    // one wave.
    let prints = |it: &ir::InstData| matches!(it.op, Op::Print { .. });
    if !module.insts.iter().any(|it| is_barrier(&it.op))
        || module.insts.iter().any(prints)
        || !module.privates.is_empty()
        || !module.queries.is_empty()
        || !module.threads_per_group().is_multiple_of(width)
    {
        return None;
    }
    let short = ir::turns::short_loops(module, asked);
    let work = work(module, module.body, width, &short);
    let vectors = module.threads_per_group() / width.min(Isa::Avx512.lanes() as u32);
    if work.saturating_mul(u64::from(vectors)) > MOST_WORK {
        return None;
    }
    let joint = marked(module);
    if !super::pieces::commute(module, &joint) {
        return None;
    }
    let plan = Plan { joint, same: same(module) };
    plan.allows(module, uniformity, &short, module.body).then_some(plan)
}

pub(super) fn is_barrier(op: &Op) -> bool {
    matches!(op, Op::Barrier { barrier, .. } if barrier.sync == SyncScope::Group)
}

/// By instruction, whether it is joint.
pub(super) fn marked(module: &Module) -> Vec<bool> {
    let mut joint = vec![false; module.insts.len()];
    mark(module, module.body, &mut joint);
    joint
}

/// Marks what is joint in a region; returns whether it contains a barrier.
fn mark(module: &Module, region: Region, joint: &mut [bool]) -> bool {
    let mut has_barrier = false;
    for inst in &module.region(region).insts {
        let op = &module.inst(*inst).op;
        let mut inside = is_barrier(op);
        for region in op.regions() {
            inside |= mark(module, region, joint);
        }
        has_barrier |= inside;
        joint[inst.index()] = inside
            || matches!(op, Op::Yield(_) | Op::Exit { .. } | Op::Return)
            || !op.regions().is_empty() && ir::rounds::leaves_beyond(module, *inst);
    }
    has_barrier
}

impl Plan {
    /// Whether waves can go through a joint region together.
    fn allows(
        &self,
        module: &Module,
        uniformity: &Uniformities,
        short: &BTreeSet<Inst>,
        region: Region,
    ) -> bool {
        module.region(region).insts.iter().all(|inst| {
            let op = &module.inst(*inst).op;
            if !self.joint[inst.index()] {
                return is_short(module, *inst, short);
            }
            let allows = |it: Region| self.allows(module, uniformity, short, it);
            match op {
                Op::Barrier { .. } | Op::Yield(_) | Op::Exit { .. } => true,
                Op::If { cond, then, else_ } => {
                    self.same[cond.index()] && allows(*then) && allows(*else_)
                }
                // After a barrier a turn begins again, so a round with a barrier never ends one.
                Op::Loop { body, .. } => {
                    let mut own = module.region(*body).insts.iter();
                    !uniformity.splits(*inst)
                        && own.any(|it| is_barrier(&module.inst(*it).op))
                        && allows(*body)
                }
                Op::Block { body } => !uniformity.splits(*inst) && allows(*body),
                // A barrier in a switch is rare, and a return may end some waves before others.
                _ => false,
            }
        })
    }
}

/// Whether an instruction is not a long loop and contains none.
fn is_short(module: &Module, inst: Inst, short: &BTreeSet<Inst>) -> bool {
    let op = &module.inst(inst).op;
    let has_short =
        |it: Region| module.region(it).insts.iter().all(|inner| is_short(module, *inner, short));
    (!matches!(op, Op::Loop { .. }) || short.contains(&inst))
        && op.regions().into_iter().all(has_short)
}

/// Which values are the same in all lanes of a group: constants, the group's own coordinates, constant buffers, what is
/// computed from these, and the parameters of joint loops. A greatest fixed point.
///
/// For the parameters of other loops the result is meaningless and not used: they are visible only in the piece of a
/// wave.
fn same(module: &Module) -> Vec<bool> {
    let mut same = vec![true; module.values.len()];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for data in &module.insts {
            let all =
                |values: &[ir::Value], same: &[bool]| values.iter().all(|it| same[it.index()]);
            let is_same = match &data.op {
                Op::Const { .. } | Op::Undef(_) | Op::Builtin(Builtin::GroupId(_)) => true,
                op if op.is_elementwise() => all(&op.operands(), &same),
                Op::Load { place, .. } => {
                    let kind = &module.resource(place.binding).kind;
                    matches!(kind, ResourceKind::Constant { .. }) && all(&data.op.operands(), &same)
                }
                Op::Loop { body, inits } => {
                    let next = ir::flow::yielded(module, *body).unwrap_or(inits);
                    let params = module.region(*body).params.iter();
                    for ((param, init), next) in params.zip(inits).zip(next) {
                        let is_same = same[init.index()] && same[next.index()];
                        changed |= same[param.index()] && !is_same;
                        same[param.index()] &= is_same;
                    }
                    false
                }
                _ => false,
            };
            for result in &data.results {
                changed |= same[result.index()] && !is_same;
                same[result.index()] &= is_same;
            }
        }
    }
    same
}

/// Whether a region contains atomic operations on groupshared memory. The code that serves their lanes is long, so that
/// loops around it are not unrolled for every wave.
pub(super) fn has_shared_atomics(module: &Module, region: Region) -> bool {
    module.region(region).insts.iter().any(|inst| {
        let op = &module.inst(*inst).op;
        matches!(op, Op::SharedAtomic { .. })
            || op.regions().into_iter().any(|it| has_shared_atomics(module, it))
    })
}

/// The size of a region's code for one vector.
fn work(module: &Module, region: Region, width: u32, short: &BTreeSet<Inst>) -> u64 {
    let of = |inst: &Inst| {
        let op = &module.inst(*inst).op;
        let inside: u64 = op.regions().iter().map(|it| work(module, *it, width, short)).sum();
        match op {
            Op::Loop { body, .. } if short.contains(inst) && !has_shared_atomics(module, *body) => {
                let known = |it| module.constant(it);
                let rounds = ir::rounds::rounds(module, width, *inst, known);
                inside * rounds.map_or(USUAL_ROUNDS, |it| it as u64)
            }
            Op::SharedAtomic { .. } | Op::Atomic { .. } => ATOMIC,
            Op::Const { .. } | Op::Undef(_) => 0,
            _ => 1 + inside,
        }
    };
    module.region(region).insts.iter().map(of).sum()
}
