//! Barrier divergence: group barriers that not all threads reach.
//!
//! The engine lets whole waves arrive, and counts those that have ended as arrived. A program must not rely on
//! either: every thread of the group must reach the same barrier. A thread that has returned before counts as
//! arrived.

use diag::Span;
use interp::observe::{At, BarrierEvent};
use ir::Inst;
use ops::{LaneMask, SyncScope};

use crate::calls::{Call, Meeting};
use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, RACES, Site, third_person};
use crate::flow::Flow;
use crate::flying::Flying;
use crate::hash::HashMap;
use crate::slice;

/// How threads that have returned before a barrier count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExitedThreads {
    /// As arrived, as on current hardware.
    #[default]
    Arrived,
    /// As missing, as in the wording of older specifications.
    Missing,
}

impl ExitedThreads {
    /// Each rule as users spell it.
    pub const NAMES: [(&str, ExitedThreads); 2] =
        [("arrived", ExitedThreads::Arrived), ("missing", ExitedThreads::Missing)];
}

/// A group in flight.
#[derive(Default)]
struct Group {
    /// The waves that have reached a barrier since the last one that all have passed.
    arrived: Vec<At>,
    /// Where lanes returned.
    ended: Vec<At>,
}

pub(crate) struct Barriers {
    exited: ExitedThreads,
    /// Groups whose threads did not all reach the same barriers, and one such barrier.
    broken: HashMap<[u32; 3], Span>,
    groups: Flying<Group>,
}

impl Barriers {
    pub(crate) fn new(exited: ExitedThreads) -> Barriers {
        Barriers { exited, broken: HashMap::default(), groups: Flying::default() }
    }

    pub(crate) fn barrier(
        &mut self,
        facts: &Facts<'_>,
        flow: &Flow,
        width: u32,
        event: &BarrierEvent,
    ) -> Option<Finding> {
        if event.barrier.sync != SyncScope::Group {
            return None;
        }
        let at = event.at;
        let all = match self.exited {
            ExitedThreads::Arrived => event.live,
            ExitedThreads::Missing => flow.started(),
        };
        let missing = all & !at.active;
        let early = self.arrive(facts, width, at);
        if let Some(early) = &early {
            self.broken.entry(at.group).or_insert(early.site.span);
        }
        if missing.is_empty() {
            return early;
        }
        self.broken.entry(at.group).or_insert(at.span);
        let (mut related, notes) = flow.why_absent(facts, at.inst, missing);
        // If lanes diverge in a caller, the call is misplaced.
        let parted = related.first().and_then(|it| it.inst);
        let call = parted.and_then(|it| Meeting::of(facts.module, it, at.inst));
        let call = call.and_then(|it| Some((it.function, it.calls[1]?)));
        let help = match &call {
            Some((caller, Call { function, .. })) => format!(
                "call `{function}` in `{caller}` where all threads of the group reach the call"
            ),
            None => "move the barrier to where all threads of the group reach it".to_owned(),
        };
        related.extend(call.map(|(_, Call { function, span })| {
            let text = format!("the barrier is in this call of `{function}`");
            Site { span, inst: None, text }
        }));
        Some(Finding {
            kind: Kind::DivergentBarrier,
            message: format!(
                "{} do{} not reach this barrier",
                Named(missing),
                if missing.count() == 1 { "es" } else { "" }
            ),
            site: Site {
                span: at.span,
                inst: Some(at.inst),
                text: format!("{} wait{} here", Named(at.active), third_person(at.active)),
            },
            related,
            notes,
            helps: vec![help],
            stacks: Vec::new(),
            group: at.group,
            wave: at.wave,
            lanes: missing,
            width,
        })
    }

    fn arrive(&mut self, facts: &Facts<'_>, width: u32, at: At) -> Option<Finding> {
        let exited = self.exited;
        let group = self.groups.of(at.group);
        // A wave that arrives again has passed the last barrier, and so have all others.
        let finding = if group.arrived.iter().any(|it| it.wave == at.wave) {
            let finding = judge(facts, width, &group.arrived, &group.ended, exited);
            group.arrived.clear();
            finding
        } else {
            None
        };
        group.arrived.push(at);
        finding
    }

    /// Lanes of a wave return for good.
    pub(crate) fn returned(&mut self, at: At) {
        self.groups.of(at.group).ended.push(at);
    }

    /// Where lanes of a group have returned.
    pub(crate) fn left(&mut self, group: [u32; 3]) -> &[At] {
        &self.groups.of(group).ended
    }

    pub(crate) fn group_end(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        name: [u32; 3],
    ) -> Option<Finding> {
        let exited = self.exited;
        let group = self.groups.remove(name).unwrap_or_default();
        let finding = judge(facts, width, &group.arrived, &group.ended, exited);
        if let Some(finding) = &finding {
            self.broken.entry(name).or_insert(finding.site.span);
        }
        finding
    }

    pub(crate) fn take_broken(&mut self) -> HashMap<[u32; 3], Span> {
        std::mem::take(&mut self.broken)
    }
}

/// If the condition on which the threads diverge depends on a read that races, the race is the greater mistake: the
/// finding points to the read.
pub(crate) fn blame(facts: &Facts<'_>, finding: &mut Finding, racing: &[Span]) {
    let parted = finding.related.first().and_then(|it| it.inst);
    let selector = parted.and_then(|it| facts.module.inst(it).op.selector());
    let reads = |inst: &Inst| slice::read(facts.module, &facts.module.inst(*inst).op).is_some();
    let found = selector.into_iter().flat_map(|it| slice::computed(facts, &[it]));
    let found = found.filter(reads).map(|inst| (inst, facts.module.inst(inst).span));
    if let Some((inst, span)) = found.into_iter().find(|it| racing.contains(&it.1)) {
        let text = format!("the condition depends on this read, {RACES}");
        finding.related.push(Site { span, inst: Some(inst), text });
    }
}

/// Whether all waves reached the same barrier, and whether those that did not had returned before it.
fn judge(
    facts: &Facts<'_>,
    width: u32,
    arrived: &[At],
    ended: &[At],
    exited: ExitedThreads,
) -> Option<Finding> {
    let first = *arrived.first()?;
    if let Some(other) = arrived.iter().find(|it| it.inst != first.inst) {
        return Some(Finding {
            kind: Kind::DivergentBarrier,
            message: "the waves of a group wait at different barriers".to_owned(),
            site: Site {
                span: other.span,
                inst: Some(other.inst),
                text: format!("wave {} waits here", other.wave),
            },
            related: vec![Site {
                span: first.span,
                inst: Some(first.inst),
                text: format!("wave {} waits here", first.wave),
            }],
            notes: Vec::new(),
            helps: vec!["make all threads of the group reach the same barrier".to_owned()],
            stacks: Vec::new(),
            group: other.group,
            wave: other.wave,
            lanes: other.active,
            width,
        });
    }
    let passed = ended.iter().find(|it| {
        arrived.iter().all(|arrived| arrived.wave != it.wave)
            && (exited == ExitedThreads::Missing || facts.is_past(it.inst, first.inst))
    })?;
    Some(Finding {
        kind: Kind::DivergentBarrier,
        message: format!("wave {} ends without reaching this barrier", passed.wave),
        site: Site {
            span: first.span,
            inst: Some(first.inst),
            text: format!("wave {} waits here", first.wave),
        },
        related: facts
            .condition(first.inst)
            .into_iter()
            .map(|(inst, span)| Site {
                span,
                inst: Some(inst),
                text: format!("wave {} enters here, wave {} does not", first.wave, passed.wave),
            })
            .collect(),
        notes: vec![format!(
            "the condition around the barrier is the same for all lanes of wave {}, but differs for wave {}",
            passed.wave, first.wave
        )],
        helps: vec!["move the barrier to where all threads of the group reach it".to_owned()],
        stacks: Vec::new(),
        group: passed.group,
        wave: passed.wave,
        lanes: LaneMask::EMPTY,
        width,
    })
}
