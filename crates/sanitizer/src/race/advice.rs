//! What to do about a race: the barrier that is missing, or what is wrong with the one that is there.

use interp::observe::Space;
use ir::{Inst, Op};
use ops::intrinsics::{Stage, Stages};
use ops::{Barrier, MemoryScope, SyncScope};

use super::checked;
use super::flags::{self, Mistake};
use super::rounds::Round;
use super::shadow::Act;
use super::update::{self, Update};
use crate::calls::{self, Meeting};
use crate::facts::Facts;
use crate::finding::{CHECKED, Kind, Site};
use crate::slice;
use crate::uses::Uses;

#[derive(Default)]
pub(super) struct Advice {
    /// Where the mistake is, if it is at neither of the accesses.
    pub(super) cause: Option<Site>,
    /// Further places involved.
    pub(super) sites: Vec<Site>,
    pub(super) notes: Vec<String>,
    pub(super) helps: Vec<String>,
}

/// An access: the instruction, what it does, and in which iterations of the loops around it, outermost first.
type Part<'a> = (Inst, Act, &'a [Round]);

/// Remedies for a race of two accesses to the memory of that name.
pub(super) fn advise(
    (facts, uses): (&Facts<'_>, &Uses),
    space: &Space<'_>,
    kind: Kind,
    name: &str,
    before: Part<'_>,
    now: Part<'_>,
    same_group: bool,
) -> Advice {
    let mut advice = Advice::default();
    let is_race = matches!(kind, Kind::Race | Kind::EqualStores);
    if is_race && check_then_set(facts, before.0, now.0, &mut advice) {
        return advice;
    }
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
                    "reading `{name}`, computing and storing are three steps, and those of other threads may come between them"
                ));
                let view = match facts.module.stage {
                    Stage::Pixel => ", or through a rasterizer-ordered view",
                    _ => "",
                };
                advice.helps.push(format!(
                    "change `{name}` by one atomic operation, such as `InterlockedAdd`{view}"
                ));
            }
            // Between groups, values in coherent buffers are on their way from one to the next.
            (Some(Update::OtherPlaces), false) if !is_coherent(facts, space) => advice.helps.push(format!(
                "store to a buffer or texture other than `{name}`, so that every group reads the old contents"
            )),
            _ if !Stages::GROUPS.contains(facts.module.stage) => in_draw(facts, name, before, now, &mut advice),
            (update, true) => {
                barriers(facts, (space, name), (before, now), update, &mut advice);
            }
            (_, false) => {
                let is_flagged = is_coherent(facts, space)
                    && (before.1, now.1) == (Act::Store, Act::Load)
                    && by_flag(facts, uses, before.0, now.0, &mut advice);
                if !is_flagged {
                    between_groups(facts, (space, name), before, now, &mut advice);
                }
            }
        },
    }
    advice
}

/// Two accesses that rely on a check in a step before them: returns whether they do.
fn check_then_set(facts: &Facts<'_>, before: Inst, now: Inst, advice: &mut Advice) -> bool {
    let Some(checked) = checked::around_both(facts, before, now) else { return false };
    let op = |it: Inst| &facts.module.inst(it).op;
    let Some(lock) = slice::written(facts.module, op(checked.set)) else { return false };
    let lock = lock.name(facts.module);
    let site = |inst: Inst, text: String| {
        let span = facts.module.inst(inst).span;
        Site { span, inst: Some(inst), text }
    };
    advice.cause = Some(site(checked.check, format!("`{lock}` {CHECKED}")));
    if ![before, now].contains(&checked.set) {
        let text = format!("and `{lock}` is set here, in a second step");
        advice.sites.push(site(checked.set, text));
    }
    advice.notes.push(format!(
        "between the check of `{lock}` and the store to it, another wave can check it and proceed as well"
    ));
    advice.helps.push(format!(
        "check and set `{lock}` by one atomic operation, such as `InterlockedCompareExchange`, and proceed if it returns the expected value"
    ));
    true
}

/// No barrier orders the pixels, vertices or primitives of a draw.
fn in_draw(
    facts: &Facts<'_>,
    name: &str,
    (_, before, _): Part<'_>,
    (_, act, _): Part<'_>,
    advice: &mut Advice,
) {
    let (each, view) = match facts.module.stage {
        Stage::Pixel => (
            "pixel",
            "use a rasterizer-ordered view, so that pixels come in the order of primitives",
        ),
        Stage::Vertex => ("vertex", ""),
        Stage::Hull => ("control point", ""),
        Stage::Domain => ("point", ""),
        _ => ("primitive", ""),
    };
    let (between, last) = match view {
        "" => (String::new(), String::new()),
        view => (format!(", {view}"), format!(", or {view}")),
    };
    advice.helps.push(match (before, act) {
        (Act::Atomic, _) | (_, Act::Atomic) => {
            format!("access `{name}` by atomic operations only, or in another draw{last}")
        }
        (Act::Store, Act::Store) => format!(
            "let each {each} write to its own place{between}, or change `{name}` by an atomic operation"
        ),
        _ => format!("read `{name}` in a different draw from the one that writes it{last}"),
    });
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

    /// A barrier that does not order the accesses, and why.
    fn site(&self, facts: &Facts<'_>, (barrier, what): (Inst, Barrier)) -> Site {
        let memory = self.memory;
        let text = match (what.sync, self.covers(&what)) {
            (SyncScope::Group, _) => format!("this barrier does not cover {memory}"),
            (_, true) => "this barrier makes no thread wait".to_owned(),
            (_, false) => format!("this barrier neither covers {memory} nor makes threads wait"),
        };
        Site { span: facts.module.inst(barrier).span, inst: Some(barrier), text }
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
    (before, now): (Part<'_>, Part<'_>),
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
    // A barrier that is already there is not proposed again. Where there are several, the one at which threads wait
    // is replaced: all of them reach it.
    let mut between = all_barriers(facts).filter(|it| {
        let at = facts.position(it.0);
        low < at && at < high && !needed.orders(&it.1)
    });
    let waits = |it: &(Inst, Barrier)| it.1.sync == SyncScope::Group;
    let first = between.next();
    if let Some(useless) = first.filter(waits).or_else(|| between.find(waits)).or(first) {
        advice.cause = Some(needed.site(facts, useless));
        advice.helps.push(format!("use `{call}` instead of the barrier between them"));
        advice.notes.extend(apart(facts, before, now));
        return;
    }
    if update == Some(Update::OtherPlaces) {
        let span = |it: Inst| facts.module.inst(it).span;
        let (read, store) = if before_act == Act::Load { (before, now) } else { (now, before) };
        let (read, store) = (span(read), span(store));
        let is_read_before = read.hi <= store.lo;
        let first = if is_read_before { "" } else { "read into a variable first, and " };
        advice.helps.push(format!(
            "{first}put `{call}` between the read and the store, where all threads reach it"
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
            "no barrier can be placed between them: threads leave the loop in different iterations"
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

/// The two accesses are in different iterations of a loop: returns whether that is a complete explanation.
fn between_rounds(
    facts: &Facts<'_>,
    needed: &Needed,
    (before, _, before_rounds): Part<'_>,
    (now, _, rounds): Part<'_>,
    advice: &mut Advice,
) -> bool {
    // Of the loops around both, the outermost one whose iterations differ carries the dependence.
    let is_around = |it: &Round| facts.encloses(it.of, before) && facts.encloses(it.of, now);
    let mut common = before_rounds.iter().zip(rounds).filter(|(a, b)| a.of == b.of && is_around(a));
    let Some((before_round, round)) = common.find(|(a, b)| a.number != b.number) else {
        return false;
    };
    let (around, before_round, round) = (round.of, before_round.number, round.number);
    let call = needed.call;
    let (first, second) = (before_round.min(round), before_round.max(round));
    let (early, late, numbers) = match before_round < round {
        true => (before, now, (1, 2)),
        false => (now, before, (2, 1)),
    };
    advice.notes.push(format!(
        "({}) is in iteration {first} of the loop, ({}) in iteration {second}",
        numbers.0, numbers.1
    ));
    let inside =
        all_barriers(facts).find(|it| facts.encloses(around, it.0) && needed.orders(&it.1));
    if let Some((barrier, _)) = inside {
        let span = |it: Inst| facts.module.inst(it).span;
        let site =
            |it: Inst, text: &str| Site { span: span(it), inst: Some(it), text: text.to_owned() };
        if let Some(branch) = skipping(facts, around, barrier, now) {
            advice.sites.push(site(barrier, "this barrier would be between the two"));
            advice.sites.push(site(branch, "but this condition leaves it out of some iterations"));
            advice.notes.push(
                "without it, an iteration is right only if one wave holds all threads that take part"
                    .to_owned(),
            );
            advice.helps.push(format!("let all threads reach `{call}` in every iteration"));
            return true;
        }
        advice
            .sites
            .push(site(barrier, "this barrier is between the two within one iteration only"));
        // Another one is between the iterations, and would order the two if it were the right one.
        let useless = all_barriers(facts).find(|it| {
            let at = facts.position(it.0);
            let is_carried = facts.position(early) < at || at < facts.position(late);
            facts.encloses(around, it.0) && !needed.orders(&it.1) && is_carried
        });
        if let Some(useless) = useless {
            advice.cause = Some(needed.site(facts, useless));
            advice.helps.push(format!(
                "use `{call}` instead of this barrier, so that no thread begins the next iteration early"
            ));
            return true;
        }
        let of = calls::other_function(facts.module, around, now);
        let of = of.map_or_else(String::new, |it| format!(" in `{it}`"));
        advice.helps.push(format!(
            "put a second `{call}` at the end of the loop{of}, so that no thread begins the next iteration early"
        ));
        return true;
    }
    // An access later in the text can only meet an earlier one in a later iteration.
    let is_carried = facts.position(early) >= facts.position(late);
    // None of them orders the accesses, or it would have been named above.
    let useless = all_barriers(facts).find(|it| facts.encloses(around, it.0));
    if let Some(useless) = useless {
        advice.cause = Some(needed.site(facts, useless));
        advice.helps.push(format!("use `{call}` instead of that barrier"));
    } else if is_carried {
        advice.helps.push(format!(
            "put `{call}` at the end of the loop, so that no thread begins the next iteration early"
        ));
    }
    is_carried || useless.is_some()
}

/// The branch of a loop that a barrier is in and an access is not, so that there are iterations without the barrier.
fn skipping(facts: &Facts<'_>, around: Inst, barrier: Inst, access: Inst) -> Option<Inst> {
    let is_branch = |it: &Inst| facts.module.inst(*it).op.is_branch();
    let inside = facts.ancestors(barrier).take_while(|it| *it != around);
    let branches = inside.filter(is_branch).filter(|it| !facts.encloses(*it, access));
    // If the other arm leaves the loop, no iteration lacks it.
    let mut branches =
        branches.filter(|branch| !facts.enders(around).any(|it| facts.encloses(*branch, it)));
    // All threads decide alike, or the barrier would be reported itself.
    branches.find(|it| {
        facts.module.inst(*it).op.selector().is_some_and(|it| !update::differs(facts, it))
    })
}

/// Whether threads leave a loop around both accesses in different iterations: no barrier can be placed there.
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
    let is_branch = |it: &Inst| facts.module.inst(*it).op.is_branch();
    let branch = facts.ancestors(before).filter(is_branch).find(|it| facts.encloses(*it, now))?;
    let cond = facts.module.inst(branch).op.selector()?;
    update::differs(facts, cond).then(|| {
        "all threads of the group must reach the barrier: end the branch around both accesses before it, and begin it again after it"
            .to_owned()
    })
}

/// A flag orders accesses of different groups: returns whether its mistake is known.
fn by_flag(facts: &Facts<'_>, uses: &Uses, store: Inst, load: Inst, advice: &mut Advice) -> bool {
    let site = |inst: Inst, text: &str| Site {
        span: facts.module.inst(inst).span,
        inst: Some(inst),
        text: text.to_owned(),
    };
    let help = match flags::mistake(facts, uses, store, load) {
        Some(Mistake::Early { raised, seen }) => {
            advice.cause = Some(site(raised, "the flag is raised here, before (1)"));
            advice.sites.push(site(seen, "and seen here"));
            "raise the flag after the store"
        }
        Some(Mistake::Late { seen }) => {
            advice.sites.push(site(seen, "the flag is seen here, after (2)"));
            "read only when the flag has been seen"
        }
        Some(Mistake::Ignored(inst)) => {
            let text = "the result of this operation is ignored, so that it orders nothing";
            advice.cause = Some(site(inst, text));
            "let the result of that operation decide which threads read"
        }
        None => return false,
    };
    advice.helps.push(help.to_owned());
    true
}

/// No barrier orders accesses of different groups.
fn between_groups(
    facts: &Facts<'_>,
    (space, name): (&Space<'_>, &str),
    (store, before, _): Part<'_>,
    (_, act, _): Part<'_>,
    advice: &mut Advice,
) {
    // One wave may raise the flag for the stores of all, if a barrier for that memory is between the two.
    let needed = Needed::new(space);
    let is_behind = |it: Inst| facts.position(store) < facts.position(it);
    let useless = all_barriers(facts).find(|(inst, what)| {
        is_behind(*inst) && what.sync == SyncScope::Group && !needed.orders(what)
    });
    let raised = (0..facts.module.insts.len() as u32).map(Inst).find(|it| {
        useless.is_some_and(|useless| facts.position(useless.0) < facts.position(*it))
            && facts.module.inst(*it).op.effects().is_atomic()
    });
    if let (Some(useless), Some(_), Act::Store, true) =
        (useless, raised, before, is_coherent(facts, space))
    {
        advice.notes.push(
            "an operation that raises a flag publishes the stores of its own wave, and those of others that a barrier has published"
                .to_owned(),
        );
        advice.cause = Some(needed.site(facts, useless));
        advice.helps.push(format!("use `{}` instead of that barrier", needed.call));
        return;
    }
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
