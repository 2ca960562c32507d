//! Group barriers that not all threads reach.
//!
//! The engine lets whole waves arrive, and counts those that have ended as arrived. A program may rely on neither:
//! every thread of the group must come to the same barrier. A thread that has returned before counts as arrived.

use std::collections::HashMap;

use interp::observe::{At, BarrierEvent};
use ops::{LaneMask, SyncScope};

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, third_person};
use crate::flow::Flow;

/// How far the waves of a group have come since the last barrier that all have passed.
#[derive(Default)]
struct Round {
    arrived: Vec<At>,
}

#[derive(Default)]
pub(crate) struct Barriers {
    rounds: HashMap<[u32; 3], Round>,
    /// Where waves ended: their last returns.
    ended: HashMap<[u32; 3], Vec<At>>,
}

impl Barriers {
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
        let missing = event.live & !at.active;
        let early = self.arrive(facts, width, at);
        if missing.is_empty() {
            return early;
        }
        let (related, notes) = flow.why_absent(facts, at.inst, missing);
        Some(Finding {
            kind: Kind::DivergentBarrier,
            message: format!(
                "{} do{} not come to this barrier",
                Named(missing),
                if missing.count() == 1 { "es" } else { "" }
            ),
            site: Site {
                span: at.span,
                text: format!("{} wait{} here", Named(at.active), third_person(at.active)),
            },
            related,
            notes,
            helps: vec!["move the barrier to where all threads of the group come by".to_owned()],
            group: at.group,
            wave: at.wave,
            lanes: missing,
            width,
        })
    }

    fn arrive(&mut self, facts: &Facts<'_>, width: u32, at: At) -> Option<Finding> {
        let round = self.rounds.entry(at.group).or_default();
        // A wave that comes again has passed the last barrier, and so have all others.
        let finding = if round.arrived.iter().any(|it| it.wave == at.wave) {
            let old = std::mem::take(&mut round.arrived);
            self.judge(facts, width, &old)
        } else {
            None
        };
        self.rounds.entry(at.group).or_default().arrived.push(at);
        finding
    }

    /// A wave's lanes return for good.
    pub(crate) fn returned(&mut self, at: At) {
        self.ended.entry(at.group).or_default().push(at);
    }

    pub(crate) fn group_end(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        group: [u32; 3],
    ) -> Option<Finding> {
        let finding = match self.rounds.remove(&group) {
            Some(round) => self.judge(facts, width, &round.arrived),
            None => None,
        };
        self.ended.remove(&group);
        finding
    }

    /// Whether all waves came to the same barrier, and whether those that did not had returned before it.
    fn judge(&self, facts: &Facts<'_>, width: u32, arrived: &[At]) -> Option<Finding> {
        let first = *arrived.first()?;
        if let Some(other) = arrived.iter().find(|it| it.inst != first.inst) {
            return Some(Finding {
                kind: Kind::DivergentBarrier,
                message: "the waves of a group wait at different barriers".to_owned(),
                site: Site { span: other.span, text: format!("wave {} waits here", other.wave) },
                related: vec![Site {
                    span: first.span,
                    text: format!("wave {} waits here", first.wave),
                }],
                notes: Vec::new(),
                helps: vec!["let all threads of the group come to the same barrier".to_owned()],
                group: other.group,
                wave: other.wave,
                lanes: other.active,
                width,
            });
        }
        let ended = self.ended.get(&first.group)?;
        let passed = ended.iter().find(|it| {
            arrived.iter().all(|arrived| arrived.wave != it.wave)
                && facts.is_past(it.inst, first.inst)
        })?;
        Some(Finding {
            kind: Kind::DivergentBarrier,
            message: format!("wave {} ends without coming to this barrier", passed.wave),
            site: Site { span: first.span, text: format!("wave {} waits here", first.wave) },
            related: Vec::new(),
            notes: vec![format!(
                "the condition around the barrier is the same for all lanes of wave {}, and differs from wave {}",
                passed.wave, first.wave
            )],
            helps: vec!["move the barrier to where all threads of the group come by".to_owned()],
            group: passed.group,
            wave: passed.wave,
            lanes: LaneMask::EMPTY,
            width,
        })
    }
}
