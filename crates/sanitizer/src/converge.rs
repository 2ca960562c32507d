//! Reconvergence: lanes that run together only because this engine reconverges them.
//!
//! HLSL's lanes reconverge after every construct. Other languages do not promise that, so this file tracks which
//! lanes *must* be together under weaker rules: the finest partition of the lanes that a machine may produce. A
//! wave operation whose lanes are in several of its parts may see a smaller active set there. Since the parts are
//! the finest, no enumeration is needed: every machine keeps each part together.
//!
//! One such rule is always on: inside a `switch`, some drivers keep lanes with different selector values apart even
//! if they run the same case.

use interp::observe::{At, DivergeEvent, WaveEvent};
use ir::{Inst, Op};
use ops::LaneMask;

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site};

/// The assumed guarantees on reconvergence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reconvergence {
    /// After every construct, as in HLSL, and in SPIR-V with maximal reconvergence.
    #[default]
    Maximal,
    /// As in plain SPIR-V, with each wave taken alone: only where the whole wave reached a construct together and
    /// all of it leaves by the construct's end.
    Spirv,
    /// Never, except at barriers: CUDA's independent thread scheduling.
    Independent,
}

impl Reconvergence {
    /// Each rule as users spell it.
    pub const NAMES: [(&str, Reconvergence); 3] = [
        ("maximal", Reconvergence::Maximal),
        ("spirv", Reconvergence::Spirv),
        ("independent", Reconvergence::Independent),
    ];
}

/// The lanes of one wave.
#[derive(Default)]
pub(crate) struct Convergence {
    started: LaneMask,
    /// The open switches that lanes with several selector values entered.
    switches: Vec<(Inst, Vec<(u64, LaneMask)>)>,
    /// The lanes that must be together.
    parts: Vec<LaneMask>,
    /// Open constructs, and whether the whole wave reached them together.
    entered: Vec<(Inst, bool)>,
    /// Where lanes diverged since the whole wave was last together.
    splits: Vec<(At, LaneMask)>,
}

/// The number of divergence points remembered.
const MOST_SPLITS: usize = 256;

impl Convergence {
    pub(crate) fn begin(&mut self, started: LaneMask) {
        self.started = started;
        self.switches.clear();
        self.entered.clear();
        self.join(started);
    }

    /// The whole wave is together again.
    fn join(&mut self, lanes: LaneMask) {
        self.parts.clear();
        self.parts.push(lanes);
        self.splits.clear();
    }

    pub(crate) fn enter(&mut self, facts: &Facts<'_>, at: At, policy: Reconvergence) {
        if policy == Reconvergence::Spirv {
            self.entered.retain(|it| it.0 != at.inst && facts.encloses(it.0, at.inst));
            let together = self.parts.len() == 1 && at.active == self.started;
            self.entered.push((at.inst, together));
        }
    }

    pub(crate) fn diverge(
        &mut self,
        facts: &Facts<'_>,
        event: &DivergeEvent<'_>,
        policy: Reconvergence,
    ) {
        if policy == Reconvergence::Maximal && event.selector.is_none() {
            return;
        }
        let at = event.at;
        let mut ways: Vec<(u64, LaneMask)> = Vec::new();
        match event.selector {
            None => ways.extend([(1, event.taken), (0, at.active & !event.taken)]),
            Some(selector) => {
                for lane in at.active.iter() {
                    let value = selector.get(lane);
                    match ways.iter_mut().find(|it| it.0 == value) {
                        Some((_, lanes)) => *lanes |= LaneMask::only(lane),
                        None => ways.push((value, LaneMask::only(lane))),
                    }
                }
                self.switches.retain(|it| it.0 != at.inst && facts.encloses(it.0, at.inst));
                if ways.len() > 1 {
                    self.switches.push((at.inst, ways.clone()));
                }
            }
        }
        if policy == Reconvergence::Maximal {
            return;
        }
        self.enter(facts, at, policy);
        ways.retain(|it| !it.1.is_empty());
        if ways.len() < 2 {
            return;
        }
        let parts = std::mem::take(&mut self.parts);
        for part in parts {
            self.parts.push(part & !at.active);
            self.parts.extend(ways.iter().map(|(_, lanes)| part & *lanes));
        }
        self.parts.retain(|it| !it.is_empty());
        if self.splits.len() < MOST_SPLITS {
            self.splits.extend(ways.iter().map(|(_, lanes)| (at, *lanes)));
        }
    }

    pub(crate) fn reconverge(&mut self, facts: &Facts<'_>, at: At, policy: Reconvergence) {
        if !self.switches.is_empty() {
            self.switches.retain(|it| it.0 != at.inst);
        }
        if policy != Reconvergence::Spirv {
            return;
        }
        let entry = self.entered.iter().rposition(|it| it.0 == at.inst);
        let came_together = entry.is_some_and(|index| self.entered[index].1);
        if let Some(index) = entry {
            self.entered.truncate(index);
        }
        // The end of a block is an artefact of ours: where functions return, and where `continue` leads.
        let has_an_end = !matches!(facts.module.inst(at.inst).op, Op::Block { .. });
        if came_together && has_an_end && at.active == self.started {
            self.join(self.started);
        }
    }

    pub(crate) fn barrier(&mut self, at: At, policy: Reconvergence) {
        if policy == Reconvergence::Independent {
            self.parts.iter_mut().for_each(|it| *it &= !at.active);
            self.parts.retain(|it| !it.is_empty());
            self.parts.push(at.active);
        }
    }

    /// Reports an operation that sees lanes together which need not be.
    pub(crate) fn wave_op(
        &self,
        facts: &Facts<'_>,
        width: u32,
        event: &WaveEvent<'_>,
    ) -> Option<Finding> {
        if self.switches.is_empty() && self.parts.len() < 2 || !event.op.sees_lanes() {
            return None;
        }
        let (at, on) = (event.at, event.wave.active);
        let finding = |kind, message: String, text, related, helps| Finding {
            kind,
            message,
            site: Site { span: at.span, inst: Some(at.inst), text },
            related,
            notes: Vec::new(),
            helps,
            stacks: Vec::new(),
            group: at.group,
            wave: at.wave,
            lanes: on,
            width,
        };
        for (switch, ways) in &self.switches {
            let mut here = ways.iter().filter(|it| !(it.1 & on).is_empty());
            if !facts.encloses(*switch, at.inst) {
                continue;
            }
            let (Some(a), Some(b)) = (here.next(), here.next()) else { continue };
            let mut found = finding(
                Kind::SwitchConvergence,
                "lanes with different selector values run together here, but not on every machine"
                    .to_owned(),
                format!(
                    "{} select {}, {} {}",
                    Named(a.1 & on),
                    a.0 as i64,
                    Named(b.1 & on),
                    b.0 as i64
                ),
                vec![Site {
                    span: facts.module.inst(*switch).span,
                    inst: Some(*switch),
                    text: "the lanes diverge here".to_owned(),
                }],
                vec!["use `if` and `else`, or move the operation after the `switch`".to_owned()],
            );
            found.notes.push(
                "a compiled `switch` may run each value separately, even in a shared or fall-through case".to_owned(),
            );
            return Some(found);
        }
        let mut parts = self.parts.iter().map(|it| *it & on).filter(|it| !it.is_empty());
        let (a, b) = (parts.next()?, parts.next()?);
        // Where these two last diverged.
        let parted = self.splits.iter().rev().find(|(_, lanes)| {
            a & *lanes == a && (b & *lanes).is_empty() || b & *lanes == b && (a & *lanes).is_empty()
        });
        let related = parted.map(|(at, _)| Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!("{} and {} diverged here", Named(a), Named(b)),
        });
        Some(finding(
            Kind::Reconvergence,
            "the lanes need not have reconverged here".to_owned(),
            format!("{} may arrive without {}", Named(a), Named(b)),
            related.into_iter().collect(),
            vec![
                "compile with `-fspv-enable-maximal-reconvergence`, or move it before the lanes diverge"
                    .to_owned(),
            ],
        ))
    }
}
