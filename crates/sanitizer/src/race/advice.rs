//! What to do about a race: the barrier that is missing, or what is wrong with the one that is there.

use interp::observe::Space;
use ir::{Inst, Op};
use ops::{Barrier, MemoryScope, SyncScope};

use super::shadow::Act;
use super::update::{self, Update};
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
        _ => match (update::of(facts, before.0, now.0), same_group) {
            (Some(Update::SamePlace), _) => {
                advice.notes.push(format!(
                    "reading `{name}`, computing and storing are three steps, between which other threads do theirs"
                ));
                advice.helps.push(format!(
                    "change `{name}` by one atomic operation, such as `InterlockedAdd`"
                ));
            }
            // Between groups, values in coherent buffers are on their way from one to the next.
            (Some(Update::OtherPlaces), false) if !is_coherent(facts, space) => advice.helps.push(format!(
                "store to another buffer or texture than `{name}`, so that every group reads what was there before"
            )),
            (update, true) => {
                barriers(facts, (space, name), (before, now), update, &mut advice);
            }
            (_, false) => between_groups(name, before, now, &mut advice),
        },
    }
    advice
}

fn is_coherent(facts: &Facts<'_>, space: &Space<'_>) -> bool {
    match space {
        Space::Buffer(binding, _) => facts.module.resource(*binding).globally_coherent,
        Space::Shared(_) | Space::Private(_) | Space::Counter(_) => false,
    }
}

/// The barrier that a memory needs.
struct Needed {
    call: &'static str,
    memory: &'static str,
    is_shared: bool,
}

impl Needed {
    fn new(space: &Space<'_>) -> Needed {
        let is_shared = matches!(space, Space::Shared(_));
        let (call, memory) = match is_shared {
            true => ("GroupMemoryBarrierWithGroupSync()", "groupshared memory"),
            false => ("AllMemoryBarrierWithGroupSync()", "buffers"),
        };
        Needed { call, memory, is_shared }
    }

    /// Whether a barrier concerns the memory.
    fn covers(&self, barrier: &Barrier) -> bool {
        match self.is_shared {
            true => barrier.memory != MemoryScope::Device,
            false => barrier.memory != MemoryScope::Group,
        }
    }

    /// Whether a barrier orders accesses of the threads of a group.
    fn orders(&self, barrier: &Barrier) -> bool {
        barrier.sync == SyncScope::Group && self.covers(barrier)
    }
}

fn all_barriers(facts: &Facts<'_>) -> impl Iterator<Item = (Inst, Barrier)> {
    let insts = (0..facts.module.insts.len() as u32).map(Inst);
    insts.filter_map(|it| match &facts.module.inst(it).op {
        Op::Barrier { barrier, .. } => Some((it, *barrier)),
        _ => None,
    })
}

/// Within a group, a barrier orders accesses.
fn barriers(
    facts: &Facts<'_>,
    (space, name): (&Space<'_>, &str),
    (before, now): (Part, Part),
    update: Option<Update>,
    advice: &mut Advice,
) {
    let needed = Needed::new(space);
    if between_rounds(facts, &needed, before, now, advice) {
        return;
    }
    let ((before, before_act, _), (now, act, _)) = (before, now);
    let [low, high] = {
        let mut both = [facts.position(before), facts.position(now)];
        both.sort_unstable();
        both
    };
    let call = needed.call;
    // A barrier that stands there already is not proposed again.
    let between = all_barriers(facts).find(|it| {
        let at = facts.position(it.0);
        low < at && at < high && !needed.orders(&it.1)
    });
    if let Some((barrier, what)) = between {
        let memory = needed.memory;
        let text = match (what.sync, needed.covers(&what)) {
            (SyncScope::Group, _) => format!("this barrier does not cover {memory}"),
            (_, true) => "this barrier makes no thread wait".to_owned(),
            (_, false) => format!("this barrier neither covers {memory} nor makes threads wait"),
        };
        let span = facts.module.inst(barrier).span;
        advice.sites.push(Site { span, inst: Some(barrier), text });
        advice.helps.push(format!("use `{call}` instead of the barrier between them"));
        advice.notes.extend(apart(facts, before, now));
        return;
    }
    if update == Some(Update::OtherPlaces) {
        advice.helps.push(format!(
            "read into a variable first, and put `{call}` between the read and the store, where all threads reach it"
        ));
        return;
    }
    let plain = match (before_act, act) {
        (Act::Atomic, other) | (other, Act::Atomic) => Some(other),
        _ => None,
    };
    if let Some(plain) = plain
        && in_loop_apart(facts, before, now)
    {
        advice.notes.push(
            "no barrier can stand between them: threads leave the loop in different rounds"
                .to_owned(),
        );
        advice.helps.push(match plain {
            Act::Load => format!(
                "read `{name}` by an atomic operation, too, such as `InterlockedOr` of 0 with its result"
            ),
            _ => format!("write `{name}` by an atomic operation, too, such as `InterlockedExchange`"),
        });
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
            format!("let each thread write to its own place, or put `{call}` {between}")
        }
        (Act::Store, Act::Store) => {
            let between = between("the stores");
            format!("put `{call}` {between}, or let each thread write to its own place")
        }
        (Act::Atomic, _) | (_, Act::Atomic) => {
            let between = between("them");
            format!("put `{call}` {between}, or make both of them atomic operations")
        }
        _ => format!("put `{call}` {}", between("them")),
    });
    advice.notes.extend(apart(facts, before, now));
}

/// The two accesses are in different rounds of a loop: returns whether that says all that there is to say.
fn between_rounds(
    facts: &Facts<'_>,
    needed: &Needed,
    (before, _, before_round): Part,
    (now, _, round): Part,
    advice: &mut Advice,
) -> bool {
    let around = innermost_loop(facts, before).filter(|it| Some(*it) == innermost_loop(facts, now));
    let Some(around) = around.filter(|_| before_round != round) else { return false };
    let call = needed.call;
    let (first, second) = (before_round.min(round), before_round.max(round));
    let (early, late, numbers) = match before_round < round {
        true => (before, now, (1, 2)),
        false => (now, before, (2, 1)),
    };
    advice.notes.push(format!(
        "({}) is in round {first} of the loop, ({}) in round {second}",
        numbers.0, numbers.1
    ));
    let inside =
        all_barriers(facts).find(|it| facts.encloses(around, it.0) && needed.orders(&it.1));
    if let Some((barrier, _)) = inside {
        let span = |it: Inst| facts.module.inst(it).span;
        let site =
            |it: Inst, text: &str| Site { span: span(it), inst: Some(it), text: text.to_owned() };
        if let Some(branch) = skipping(facts, around, barrier, now) {
            advice.sites.push(site(barrier, "this barrier would stand between the two"));
            advice.sites.push(site(branch, "but this condition leaves it out of some rounds"));
            advice.notes.push(
                "without it, a round is right only if one wave holds all threads that take part"
                    .to_owned(),
            );
            advice.helps.push(format!("let all threads come to `{call}` in every round"));
            return true;
        }
        advice
            .sites
            .push(site(barrier, "this barrier stands between the two within one round only"));
        let of = calls::other_function(facts.module, around, now);
        let of = of.map_or_else(String::new, |it| format!(" in `{it}`"));
        advice.helps.push(format!(
            "put a second `{call}` at the end of the loop{of}, so that no thread begins the next round early"
        ));
        return true;
    }
    // What comes later in the text can only meet what comes earlier in a round after it.
    let is_carried = facts.position(early) >= facts.position(late);
    if is_carried {
        advice.helps.push(format!(
            "put `{call}` at the end of the loop, so that no thread begins the next round early"
        ));
    }
    is_carried
}

/// The branch of a loop that a barrier is in and an access is not, so that there are rounds without the barrier.
fn skipping(facts: &Facts<'_>, around: Inst, barrier: Inst, access: Inst) -> Option<Inst> {
    let is_branch =
        |it: &Inst| matches!(facts.module.inst(*it).op, Op::If { .. } | Op::Switch { .. });
    let inside = facts.ancestors(barrier).take_while(|it| *it != around);
    let branches = inside.filter(is_branch).filter(|it| !facts.encloses(*it, access));
    // Where the other arm leaves the loop, there is no round without it.
    let mut branches =
        branches.filter(|branch| !facts.enders(around).any(|it| facts.encloses(*branch, it)));
    // All threads decide alike, or the barrier would be reported itself.
    branches.find(|it| {
        facts.module.inst(*it).op.selector().is_some_and(|it| !update::differs(facts, it))
    })
}

/// Whether threads leave a loop around both accesses in different rounds: no barrier can stand there.
fn in_loop_apart(facts: &Facts<'_>, before: Inst, now: Inst) -> bool {
    let is_loop = |it: &Inst| matches!(facts.module.inst(*it).op, Op::Loop { .. });
    let both = |it: &Inst| facts.encloses(*it, now);
    let Some(around) = facts.ancestors(before).filter(is_loop).find(both) else { return false };
    let insts = (0..facts.module.insts.len() as u32).map(Inst);
    let returns = insts.filter(|it| matches!(facts.module.inst(*it).op, Op::Return));
    let returns = returns.filter(|it| facts.encloses(around, *it));
    let conditions = returns.flat_map(|it| facts.ancestors(it).take_while(|it| *it != around));
    let conditions = conditions.filter_map(|it| facts.module.inst(it).op.selector());
    let mut all = facts.leaving(around).into_iter().chain(conditions);
    all.any(|it| update::differs(facts, it))
}

/// A barrier between two accesses in a branch that some threads do not take would make these wait for ever.
fn apart(facts: &Facts<'_>, before: Inst, now: Inst) -> Option<String> {
    let is_branch =
        |it: &Inst| matches!(facts.module.inst(*it).op, Op::If { .. } | Op::Switch { .. });
    let branch = facts.ancestors(before).filter(is_branch).find(|it| facts.encloses(*it, now))?;
    let cond = facts.module.inst(branch).op.selector()?;
    update::differs(facts, cond).then(|| {
        "all threads of the group have to reach the barrier: the branch around both accesses has to be left before it, and entered again behind it"
            .to_owned()
    })
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
