//! The control flow of each wave: the open constructs, and the places where lanes left them.

use interp::observe::{At, DivergeEvent, ExitTo};
use ir::Inst;
use ops::LaneMask;

use crate::converge::Convergence;
use crate::facts::Facts;
use crate::finding::{Named, Site, third_person};
use crate::waterfall::FirstRead;

/// A selection that has begun and not ended.
struct Open {
    inst: Inst,
    site: At,
    /// The lanes that reached it.
    entered: LaneMask,
}

/// The flow of one wave.
#[derive(Default)]
pub(crate) struct Flow {
    started: LaneMask,
    open: Vec<Open>,
    /// Where lanes left a construct that has not ended, or returned.
    left: Vec<(LaneMask, At, ExitTo)>,
    /// The latest back edge of a loop that has not ended.
    pub(crate) back_edge: Option<At>,
    pub(crate) first_read: Option<FirstRead>,
    pub(crate) convergence: Convergence,
}

impl Flow {
    /// A wave starts with the given lanes.
    pub(crate) fn begin(&mut self, started: LaneMask) {
        self.started = started;
        self.open.clear();
        self.left.clear();
        self.back_edge = None;
        self.first_read = None;
        self.convergence.begin(started);
    }

    pub(crate) fn started(&self) -> LaneMask {
        self.started
    }

    pub(crate) fn diverge(&mut self, facts: &Facts<'_>, event: &DivergeEvent<'_>) {
        let at = event.at;
        // A construct that all lanes left early ends without an event.
        while self
            .open
            .last()
            .is_some_and(|it| it.inst == at.inst || !facts.encloses(it.inst, at.inst))
        {
            self.open.pop();
        }
        self.open.push(Open { inst: at.inst, site: at, entered: at.active });
    }

    pub(crate) fn reconverge(&mut self, at: At) {
        self.back_edge = self.back_edge.filter(|it| it.inst != at.inst);
        if let Some(first) = self.open.iter().position(|it| it.inst == at.inst) {
            self.open.truncate(first);
        }
        self.left.retain_mut(|(lanes, _, to)| {
            if matches!(to, ExitTo::Construct(_)) {
                *lanes &= !at.active;
            }
            !lanes.is_empty()
        });
    }

    pub(crate) fn exit(&mut self, at: At, to: ExitTo) {
        self.left.push((at.active, at, to));
    }

    /// Whether some of these lanes, which have started and are not at `from`, may still reach `to`: not if they took
    /// the other arm of a selection that contains both.
    pub(crate) fn may_come_to(
        &self,
        facts: &Facts<'_>,
        from: Inst,
        to: Inst,
        absent: LaneMask,
    ) -> bool {
        let mut able = absent;
        for open in self.open.iter().filter(|it| facts.are_in_one_arm(it.inst, from, to)) {
            let left = self.left.iter().filter(|it| facts.encloses(open.inst, it.1.inst));
            let came = left.fold(LaneMask::EMPTY, |all, it| all | it.0);
            able &= !open.entered | came;
        }
        !able.is_empty()
    }

    /// Why lanes do not participate in what happens at an instruction: one site for each reason.
    pub(crate) fn why_absent(
        &self,
        facts: &Facts<'_>,
        inst: Inst,
        absent: LaneMask,
    ) -> (Vec<Site>, Vec<String>) {
        let mut sites: Vec<(At, &str, LaneMask)> = Vec::new();
        let mut never = LaneMask::EMPTY;
        for lane in absent.iter() {
            let reason = if !self.started.contains(lane) {
                never |= LaneMask::only(lane);
                continue;
            } else if let Some((_, at, to)) =
                self.left.iter().rev().find(|it| it.0.contains(lane)).copied()
            {
                (at, if to == ExitTo::Return { "returned here" } else { "left here" })
            } else {
                let around = self.open.iter().rev().filter(|it| facts.encloses(it.inst, inst));
                match around.into_iter().find(|it| it.entered.contains(lane)) {
                    Some(open) => (open.site, "took another branch here"),
                    None => continue,
                }
            };
            match sites.iter_mut().find(|it| it.0.inst == reason.0.inst) {
                Some((_, _, lanes)) => *lanes |= LaneMask::only(lane),
                None => sites.push((reason.0, reason.1, LaneMask::only(lane))),
            }
        }
        let site = |(at, what, lanes): (At, &str, LaneMask)| Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!("{} {what}", Named(lanes)),
        };
        let mut notes = Vec::new();
        if !never.is_empty() {
            notes.push(format!(
                "{} do{} not exist in this wave: the group has no thread for {}",
                Named(never),
                if never.count() == 1 { "es" } else { "" },
                if third_person(never).is_empty() { "them" } else { "it" },
            ));
        }
        (sites.into_iter().map(site).collect(), notes)
    }
}
