//! Locks that are never released: an atomic operation in a loop takes the lock, and the lane that gets it goes into a
//! branch and leaves the loop from there, and nothing else ever stores to the word.
//!
//! A lock that its holder keeps beyond the loop, as a spin lock, is left out: where the release is missing is open.

use ir::flow::yielded;
use ir::{Atomic, Inst, Module, Op, Value};

use crate::assigned;
use crate::facts::Facts;
use crate::finding::Site;
use crate::hash::HashSet;
use crate::slice::{self, Memory};

/// How a lock is taken and kept.
pub(super) struct Kept {
    /// The branch of the lane that gets it, numbered (1); what lets that lane leave the loop, numbered (2); where it is
    /// taken.
    pub(super) sites: [Site; 3],
    pub(super) help: String,
}

/// The lock that lanes in a loop wait for, if they read it there and nothing releases it.
pub(super) fn kept(facts: &Facts<'_>, around: Inst, reads: &[(Inst, Memory)]) -> Option<Kept> {
    let module = facts.module;
    let all = || (0..module.insts.len() as u32).map(Inst);
    let (take, memory, free) = reads.iter().find_map(|(inst, memory)| {
        let free = taken_from(module, *inst)?;
        let mut writers =
            all().filter(|it| slice::written(module, &module.inst(*it).op) == Some(*memory));
        writers.all(|it| it == *inst).then_some((*inst, *memory, free))
    })?;
    let decides = |it: &Inst| match module.inst(*it).op {
        Op::If { cond, .. } => slice::computed(facts, &[cond]).contains(&take),
        _ => false,
    };
    let is_behind = |it: &Inst| facts.position(take) < facts.position(*it);
    let inside = all().filter(|it| facts.encloses(around, *it));
    let branch = inside.filter(is_behind).find(decides)?;
    let span = |it: Inst| module.inst(it).span;
    let (left, how) = leaves(facts, around, branch)?;
    let name = memory.name(module);
    let site = |span, inst, text: String| Site { span, inst, text };
    let sites = [
        site(
            span(branch),
            Some(branch),
            "(1) the lane that gets the lock continues here".to_owned(),
        ),
        site(left, None, format!("(2) and {how}, still holding it")),
        site(span(take), Some(take), format!("`{name}` is the lock, and is taken here")),
    ];
    let back = free.map_or_else(String::new, |it| format!(" to {it}"));
    let help = format!(
        "put an `InterlockedExchange` that sets `{name}` back{back} between them, behind what the lock protects"
    );
    Some(Kept { sites, help })
}

/// Whether an operation can take a lock: it sets the word to a constant, regardless of what the lane has computed. With
/// the value of a free lock, if that is known.
fn taken_from(module: &Module, inst: Inst) -> Option<Option<u64>> {
    let (Op::Atomic { op, args, .. } | Op::SharedAtomic { op, args, .. }) = &module.inst(inst).op
    else {
        return None;
    };
    let mut constants = args.iter().map(|it| module.constant(*it));
    match op {
        Atomic::CompareExchange if constants.all(|it| it.is_some()) => {
            Some(args.first().and_then(|it| module.constant(*it)))
        }
        Atomic::Exchange if constants.all(|it| it.is_some()) => Some(None),
        _ => None,
    }
}

/// The statement in a branch by which lanes leave the loop: its place, and in words.
fn leaves(facts: &Facts<'_>, around: Inst, branch: Inst) -> Option<(diag::Span, &'static str)> {
    let module = facts.module;
    let Op::If { then, else_, .. } = module.inst(branch).op else { return None };
    let is_inside = |it: &Inst| facts.encloses(branch, *it);
    // The accesses that the lock protects come before.
    let acts = (0..module.insts.len() as u32).map(Inst);
    let mut acts = acts.filter(|it| is_inside(it) && module.inst(*it).op.effects().acts());
    let exit = facts
        .enders(around)
        .find(|it| is_inside(it) && matches!(module.inst(*it).op, Op::Exit { .. }));
    if let Some(exit) = exit {
        let is_behind = acts.any(|it| facts.position(it) < facts.position(exit));
        return is_behind.then(|| (module.inst(exit).span, "leaves the loop here"));
    }
    let deciding = deciding(facts, around);
    let (then, else_) = (yielded(module, then)?, yielded(module, else_)?);
    let joined = module.inst(branch).results.iter().zip(then.iter().zip(else_));
    let assigned = joined.filter(|it| deciding.contains(it.0)).flat_map(|(_, (a, b))| [*a, *b]);
    let start = module.inst(branch).span.lo;
    let places = assigned
        .filter(|it| module.constant(*it).is_some())
        .flat_map(|it| assigned::holders(module, it))
        .filter(|it| start <= it.span.lo);
    let first = places.min_by_key(|it| it.span.lo)?;
    Some((first.span, "leaves the loop because of this"))
}

/// All values on which it depends whether lanes leave a loop, not through memory.
fn deciding(facts: &Facts<'_>, around: Inst) -> HashSet<Value> {
    let mut open = facts.leaving(around);
    let mut seen: HashSet<Value> = open.iter().copied().collect();
    while let Some(value) = open.pop() {
        open.extend(facts.sources(value).into_iter().filter(|it| seen.insert(*it)));
    }
    seen
}
