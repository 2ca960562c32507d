//! What to do about a race: the barrier that is missing, or what is wrong with the one that is there.

use interp::observe::Space;
use ir::{Inst, Op};
use ops::{Barrier, MemoryScope, SyncScope};

use super::shadow::Act;
use crate::calls::{self, Meeting};
use crate::facts::Facts;
use crate::finding::{Kind, Site};

#[derive(Default)]
pub(super) struct Advice {
    /// Further places involved.
    pub(super) sites: Vec<Site>,
    pub(super) notes: Vec<String>,
    pub(super) helps: Vec<String>,
}

/// An access: the instruction, what it does, and the iteration of the innermost loop around it.
type Part = (Inst, Act, u32);

/// What helps against a race of two accesses to the memory of that name.
pub(super) fn advise(
    facts: &Facts<'_>,
    space: &Space<'_>,
    kind: Kind,
    name: &str,
    before: Part,
    now: Part,
    same_group: bool,
) -> Advice {
    let mut advice = Advice::default();
    match kind {
        Kind::NotGloballyCoherent => {
            advice.notes.push(
                "the accesses are ordered, but a store of one group may stay in a cache that another group does not see"
                    .to_owned(),
            );
            advice.helps.push(format!("declare `{name}` as `globallycoherent`"));
        }
        Kind::UnpublishedStore => {
            advice.helps.push(
                "put `DeviceMemoryBarrier()` between (1) and the operation that raises the flag".to_owned(),
            );
        }
        Kind::EqualStores => advice.helps.push(
            "let one thread store, or allow this with a comment if the stores are meant to be equal"
                .to_owned(),
        ),
        _ if same_group => barriers(facts, space, before, now, &mut advice),
        _ => between_groups(name, before, now, &mut advice),
    }
    advice
}

/// Within a group, a barrier orders accesses.
fn barriers(
    facts: &Facts<'_>,
    space: &Space<'_>,
    (before, before_act, before_round): Part,
    (now, act, round): Part,
    advice: &mut Advice,
) {
    let is_shared = matches!(space, Space::Shared(_));
    let (needed, memory) = match is_shared {
        true => ("GroupMemoryBarrierWithGroupSync()", "groupshared memory"),
        false => ("AllMemoryBarrierWithGroupSync()", "buffers"),
    };
    let covers = |it: &Barrier| match is_shared {
        true => it.memory != MemoryScope::Device,
        false => it.memory != MemoryScope::Group,
    };
    let all = || {
        let insts = (0..facts.module.insts.len() as u32).map(Inst);
        insts.filter_map(|it| match &facts.module.inst(it).op {
            Op::Barrier { barrier, .. } => Some((it, *barrier)),
            _ => None,
        })
    };
    let span = |inst: Inst| facts.module.inst(inst).span;
    let round_of =
        innermost_loop(facts, before).filter(|it| Some(*it) == innermost_loop(facts, now));
    if let Some(around) = round_of.filter(|_| before_round != round) {
        let (first, second) = (before_round.min(round), before_round.max(round));
        let (early, late) = if before_round < round { (1, 2) } else { (2, 1) };
        advice
            .notes
            .push(format!("({early}) is in round {first} of the loop, ({late}) in round {second}"));
        let inside = all().find(|it| {
            facts.encloses(around, it.0) && it.1.sync == SyncScope::Group && covers(&it.1)
        });
        if let Some((barrier, _)) = inside {
            let text = "this barrier stands between the two within one round only".to_owned();
            advice.sites.push(Site { span: span(barrier), inst: Some(barrier), text });
            let of = calls::other_function(facts.module, around, now);
            let of = of.map_or_else(String::new, |it| format!(" in `{it}`"));
            advice.helps.push(format!(
                "put a second `{needed}` at the end of the loop{of}, so that no thread begins the next round early"
            ));
            return;
        }
    }
    let [low, high] = {
        let mut both = [facts.position(before), facts.position(now)];
        both.sort_unstable();
        both
    };
    // A barrier that stands there already is not proposed again.
    let between = all().find(|it| {
        let at = facts.position(it.0);
        low < at && at < high && !(it.1.sync == SyncScope::Group && covers(&it.1))
    });
    if let Some((barrier, what)) = between {
        let text = match (what.sync, covers(&what)) {
            (SyncScope::Group, _) => format!("this barrier does not cover {memory}"),
            (_, true) => "this barrier makes no thread wait".to_owned(),
            (_, false) => format!("this barrier neither covers {memory} nor makes threads wait"),
        };
        advice.sites.push(Site { span: span(barrier), inst: Some(barrier), text });
        advice.helps.push(format!("use `{needed}` instead of the barrier between them"));
        return;
    }
    let meeting = Meeting::of(facts.module, before, now);
    advice.sites.extend(meeting.iter().flat_map(Meeting::sites));
    let between = |otherwise: &str| match &meeting {
        Some(it) => {
            let in_order = facts.position(before) < facts.position(now);
            format!("between {}", it.between(in_order))
        }
        None => format!("between {otherwise}"),
    };
    advice.helps.push(match (before_act, act) {
        (Act::Store, Act::Store) if before == now => {
            let between = between("the stores");
            format!("let each thread write to its own place, or put `{needed}` {between}")
        }
        (Act::Store, Act::Store) => {
            let between = between("the stores");
            format!("put `{needed}` {between}, or let each thread write to its own place")
        }
        (Act::Atomic, _) | (_, Act::Atomic) => {
            let between = between("them");
            format!("put `{needed}` {between}, or make both of them atomic operations")
        }
        _ => format!("put `{needed}` {}", between("them")),
    });
}

/// No barrier orders accesses of different groups.
fn between_groups(name: &str, (_, before, _): Part, (_, act, _): Part, advice: &mut Advice) {
    advice.notes.push("no barrier orders accesses of different groups".to_owned());
    advice.helps.push(match (before, act) {
        (Act::Atomic, _) | (_, Act::Atomic) => {
            format!("access `{name}` by atomic operations only, or in another dispatch")
        }
        (Act::Store, Act::Store) => {
            "let each group write to its own place, or use an atomic operation".to_owned()
        }
        _ => "raise a flag by an atomic operation after the store, and read only after an atomic operation has seen it; or read in another dispatch"
            .to_owned(),
    });
}

/// For each access to memory that lanes share, the innermost loop around it.
pub(super) fn loops(facts: &Facts<'_>) -> Vec<Option<Inst>> {
    let shared = |it: Inst| match facts.module.inst(it).op.effects().memory() {
        Some((space, _)) if !space.is_private() => innermost_loop(facts, it),
        _ => None,
    };
    (0..facts.module.insts.len() as u32).map(|it| shared(Inst(it))).collect()
}

fn innermost_loop(facts: &Facts<'_>, inst: Inst) -> Option<Inst> {
    facts.ancestors(inst).find(|it| matches!(facts.module.inst(*it).op, Op::Loop { .. }))
}
