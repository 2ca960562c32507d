//! Endless loops: which lanes wait, for which store, and why it cannot happen.

mod lock;
mod turn;

use std::collections::VecDeque;

use interp::Progress;
use interp::observe::At;
use ir::{Inst, Value};

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, third_person};
use crate::flow::Flow;
use crate::hash::HashSet;
use crate::slice::{self, Memory};
use crate::waterfall;

/// How the run that was given up let lanes, waves and groups proceed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub(crate) progress: Progress,
    /// The run can never end.
    pub(crate) is_proven: bool,
    /// A run in which groups do not wait for others to end has ended, so that the lanes of a wave are not what blocks
    /// it.
    pub(crate) blames_groups: bool,
}

/// The finding about lanes that were in a loop when the run was given up.
///
/// `None` if the loop does not wait for memory and might have ended.
pub(crate) fn endless(
    facts: &Facts<'_>,
    flow: &Flow,
    at: At,
    width: u32,
    given: Given,
) -> Option<Finding> {
    let Given { progress, is_proven, blames_groups } = given;
    let reads = awaited(facts, at.inst);
    if reads.is_empty() && !is_proven {
        return None;
    }
    let mut related: Vec<Site> = Vec::new();
    let mut helps = Vec::new();
    let mut notes = Vec::new();
    let mut stores: Vec<Inst> = Vec::new();
    let kept = lock::kept(facts, at.inst, &reads);
    for (load, memory) in &reads {
        let name = memory.name(facts.module);
        related.push(Site {
            span: facts.module.inst(*load).span,
            inst: Some(*load),
            text: format!("(1) they read `{name}` here"),
        });
        let all = (0..facts.module.insts.len() as u32).map(Inst);
        let writes = |it: &Inst| {
            slice::written(facts.module, &facts.module.inst(*it).op) == Some(*memory)
                && !facts.encloses(at.inst, *it)
        };
        stores.extend(all.filter(writes));
    }
    for store in stores.iter().take(2) {
        related.push(Site {
            span: facts.module.inst(*store).span,
            inst: Some(*store),
            text: "(2) they wait for this store".to_owned(),
        });
    }
    if let Some(kept) = kept {
        related = kept.sites.into();
        notes.push("nothing ever releases the lock".to_owned());
        helps.push(kept.help);
    } else if stores.is_empty() && !reads.is_empty() {
        notes.push("nothing outside the loop stores there".to_owned());
    }
    let absent = flow.started() & !at.active;
    let (sites, _) = flow.why_absent(facts, at.inst, absent);
    let could = |store: &Inst| flow.may_come_to(facts, at.inst, *store, absent);
    let others_could = !blames_groups && !sites.is_empty() && stores.iter().any(could);
    related.extend(sites.into_iter().filter(|_| !blames_groups));
    if others_could && progress != Progress::Fair {
        notes.push(format!(
            "the lanes of a wave run in lockstep: {} arrive{} at the store only after the loop has ended for all",
            Named(absent),
            third_person(absent)
        ));
        helps.push(
            "store inside the loop before a lane leaves it, or let one lane of the wave wait for all".to_owned(),
        );
    } else if progress == Progress::OccupancyBound {
        notes.push(
            "groups run one at a time here: a group that has not started cannot store".to_owned(),
        );
    } else if !stores.is_empty() {
        notes.push(
            "all waves that have started are in such loops, wait at a barrier, or have ended"
                .to_owned(),
        );
    }
    if reads.is_empty() {
        let why = waterfall::explain(facts, at, flow.first_read);
        related.extend(why.sites);
        notes.extend(why.notes);
        helps.extend(why.helps);
    }
    if !is_proven {
        notes.push(
            "the run was stopped here; the loop also changes local values, so it might still end"
                .to_owned(),
        );
    }
    related.dedup_by(|a, b| a.span == b.span);
    if helps.is_empty() && stores.is_empty() {
        helps.push(match reads.is_empty() {
            true => "let something in the loop change what its condition depends on".to_owned(),
            false => "store what the loop waits for, or leave the loop without it".to_owned(),
        });
    }
    let looping = Site {
        span: at.span,
        inst: Some(at.inst),
        text: format!("{} loop{} here", Named(at.active), third_person(at.active)),
    };
    // Waiting is right if every group that is waited for has started.
    let number = if blames_groups { turn::of_group(facts, at.inst, &reads) } else { None };
    let site = match number {
        Some(number) => {
            related.insert(0, looping);
            number
        }
        None => looping,
    };
    Some(Finding {
        kind: Kind::EndlessWait,
        message: match reads.first() {
            Some((_, memory)) => format!(
                "{} wait{} for ever for `{}` to change",
                Named(at.active),
                third_person(at.active),
                memory.name(facts.module)
            ),
            None => format!(
                "{} stay{} in this loop for ever",
                Named(at.active),
                third_person(at.active)
            ),
        },
        site,
        related,
        notes,
        helps,
        stacks: Vec::new(),
        group: at.group,
        wave: at.wave,
        lanes: at.active,
        width,
    })
}

/// The same with a help line, where nothing more is known.
pub(crate) fn advised(mut finding: Finding) -> Finding {
    if finding.helps.is_empty() {
        finding.helps.push(
            "store before the loop, or wait only for threads that have started and make progress"
                .to_owned(),
        );
    }
    finding
}

/// The memory that decides whether lanes leave a loop, and where they read it.
fn awaited(facts: &Facts<'_>, around: Inst) -> Vec<(Inst, Memory)> {
    let module = facts.module;
    let mut open: VecDeque<Value> = facts.leaving(around).into();
    let mut seen: HashSet<Value> = open.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(value) = open.pop_front() {
        if let Some(inst) = module.made_by(value)
            && facts.encloses(around, inst)
            && let Some(memory) = slice::read(module, &module.inst(inst).op)
            && memory.is_changed_by_others(module)
        {
            if !found.iter().any(|(_, it)| *it == memory) {
                found.push((inst, memory));
            }
            // The computation of the address does not matter.
            continue;
        }
        open.extend(facts.sources(value).into_iter().filter(|it| seen.insert(*it)));
    }
    found
}
