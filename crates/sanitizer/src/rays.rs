//! Ray queries: uses that are undefined, rays and flags that are, and candidates that nothing judges.
//!
//! Undefined behaviour is reported where it happens, whether or not the result is used. A query is followed by its
//! handle, so that a use of what a wrong ray has found is not reported again.

use diag::{ExpansionId, Span};
use interp::observe::{At, OddScene, RayEvent, Undefined};
use ir::ray::{Which, Wrong};
use ir::{Op, RayOp};
use ops::LaneMask;
use ops::ray::{RayProblem, State};

use crate::assigned;
use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, third_person};
use crate::hash::HashMap;

/// A query of a lane of a wave, by its handle.
type Key = ([u32; 3], u32, u32, u32);

#[derive(Default)]
pub(crate) struct Rays {
    /// Candidates that nothing has judged yet: the `Proceed` that found them.
    unread: HashMap<Key, Span>,
    /// Why the results of a query are poisoned.
    spoiled: HashMap<Key, Kind>,
}

/// The consequences of an event.
pub(crate) struct Told {
    pub(crate) findings: Vec<Finding>,
    /// Why the result is poisoned in some lanes, which has been reported.
    pub(crate) poison: Vec<(Kind, LaneMask)>,
}

impl Rays {
    pub(crate) fn ray(&mut self, facts: &Facts<'_>, event: &RayEvent<'_>, width: u32) -> Told {
        let at = event.at;
        let mut findings: Vec<Finding> =
            event.odd_scenes.iter().filter_map(|it| instances(facts, at, width, it)).collect();
        let mut groups: Vec<(Undefined, LaneMask)> = Vec::new();
        for (lane, wrong) in event.wrong {
            match groups.iter_mut().find(|it| it.0 == *wrong) {
                Some(group) => group.1 |= LaneMask::only(*lane),
                None => groups.push((*wrong, LaneMask::only(*lane))),
            }
        }
        findings.extend(groups.iter().map(|(wrong, lanes)| {
            let found = undefined(at, width, *wrong, *lanes);
            match wrong {
                Undefined::Ray(problem) => made(facts, at, *problem, found),
                Undefined::Use(_) | Undefined::Flags(_) => found,
            }
        }));
        let mut poison: Vec<(Kind, LaneMask)> = Vec::new();
        let mut left: HashMap<Span, LaneMask> = HashMap::default();
        for lane in at.active.iter() {
            let key = (at.group, at.wave, lane, event.handles[lane as usize]);
            let own = event.wrong.iter().find(|it| it.0 == lane).map(|it| kind_of(it.1));
            let is_poisoned = event.poison.contains(lane);
            match event.op {
                RayOp::Trace => {
                    if let Some(span) = self.unread.remove(&key) {
                        *left.entry(span).or_default() |= LaneMask::only(lane);
                    }
                    self.spoiled.remove(&key);
                    if is_poisoned {
                        self.spoiled.insert(key, own.unwrap_or(Kind::UninitializedValue));
                    }
                    continue;
                }
                RayOp::Proceed => {
                    self.unread.remove(&key);
                    if event.found.contains(lane) {
                        self.unread.insert(key, at.span);
                    }
                }
                RayOp::Get(Which::Candidate, _)
                | RayOp::Abort
                | RayOp::CommitTriangle
                | RayOp::CommitProcedural => {
                    self.unread.remove(&key);
                }
                RayOp::Allocate | RayOp::Get(..) => {}
            }
            if is_poisoned {
                let known = self.spoiled.get(&key).copied();
                let kind = own.or(known).unwrap_or(Kind::RayQueryState);
                if event.op == RayOp::CommitProcedural {
                    self.spoiled.insert(key, kind);
                }
                match poison.iter_mut().find(|it| it.0 == kind) {
                    Some(found) => found.1 |= LaneMask::only(lane),
                    None => poison.push((kind, LaneMask::only(lane))),
                }
            }
        }
        findings.extend(left.into_iter().map(|(span, lanes)| unread(at, width, span, lanes)));
        ops::sort_by_key(&mut findings, |it| (place(it.site.span), it.kind));
        Told { findings, poison }
    }

    /// The wave has ended: reports the candidates that were never judged.
    pub(crate) fn wave_end(&mut self, at: At, width: u32) -> Vec<Finding> {
        let own = |key: &Key| (key.0, key.1) == (at.group, at.wave);
        self.spoiled.retain(|key, _| !own(key));
        let mut left: HashMap<Span, LaneMask> = HashMap::default();
        for (key, span) in self.unread.iter().filter(|it| own(it.0)) {
            *left.entry(*span).or_default() |= LaneMask::only(key.2);
        }
        self.unread.retain(|key, _| !own(key));
        let all = left.into_iter().map(|(span, lanes)| unread(at, width, span, lanes));
        let mut all: Vec<Finding> = all.collect();
        ops::sort_by_key(&mut all, |it| place(it.site.span));
        all
    }
}

/// A total order of places: instructions of one macro differ only in its expansion.
fn place(span: Span) -> (u32, u32, ExpansionId) {
    (span.lo, span.hi, span.expansion)
}

/// How many instances of a scene are named; the rest are only counted.
const MOST_NAMED: usize = 4;

/// A scene is traced that has instances which are not valid.
fn instances(facts: &Facts<'_>, at: At, width: u32, odd: &OddScene<'_>) -> Option<Finding> {
    let Op::Ray(ray) = &facts.module.inst(at.inst).op else { return None };
    let resource = facts.module.resource(ray.scene?.binding);
    let name = match resource.count {
        Some(1) => resource.name.clone(),
        _ => format!("{}[{}]", resource.name, odd.element),
    };
    let problems = odd.scene.problems();
    let ((first, problem), others) = problems.split_first()?;
    let message = format!("instance {first} of `{name}` is not valid: {problem}");
    let (who, s) = (Named(odd.lanes), third_person(odd.lanes));
    let text = format!("{who} trace{s} a ray through this scene");
    let mut found = Finding::at(at, width, Kind::BadInstance, odd.lanes, message, text);
    found.related.push(Site {
        span: resource.span,
        inst: None,
        text: format!("`{name}` is declared here"),
    });
    let named = others.iter().take(MOST_NAMED);
    found.notes.extend(named.map(|(instance, problem)| format!("instance {instance}: {problem}")));
    if let more @ 1.. = others.len().saturating_sub(MOST_NAMED) {
        found.notes.push(format!("{more} more instances are not valid"));
    }
    found.helps.push(
        "leave such an instance out of the scene, or give it the mask 0 and a valid transform"
            .to_owned(),
    );
    Some(found)
}

/// The kind of a finding about something undefined.
pub(crate) fn kind_of(wrong: Undefined) -> Kind {
    match wrong {
        Undefined::Use(Wrong::OutOfRange) => Kind::RayHitOutOfRange,
        Undefined::Use(Wrong::DataAccess) => Kind::NoDataAccess,
        Undefined::Use(Wrong::Stale | Wrong::State(_)) => Kind::RayQueryState,
        Undefined::Flags(_) => Kind::RayFlags,
        Undefined::Ray(_) => Kind::BadRay,
    }
}

/// The same finding about a wrong ray, at the place of the mistake, if that is known: where all of it is made of
/// constants, or where an operation computes what is wrong with it.
fn made(facts: &Facts<'_>, at: At, problem: RayProblem, found: Finding) -> Finding {
    let module = facts.module;
    let Op::Ray(ray) = &module.inst(at.inst).op else { return found };
    // Behind the handle, the flags and the mask: the origin, `TMin`, the direction, and `TMax`.
    let Some(parts) = ray.args.get(3..11) else { return found };
    let (suspects, text) = match problem {
        RayProblem::ZeroDirection => (&parts[4..7], "the direction of the ray is set here"),
        RayProblem::NegativeTMin => (&parts[3..4], "`TMin` is set here"),
        RayProblem::Nan | RayProblem::Infinite | RayProblem::TMinAboveTMax => {
            (parts, "the ray is set here")
        }
    };
    let site = if suspects.iter().all(|it| module.constant(*it).is_some()) {
        let holds = |it: &&ir::Variable| parts.iter().all(|part| it.values.contains(part));
        let whole = assigned::before(module, parts[0], at.span).rfind(holds);
        // A ray that is set member by member holds its constants in any of them.
        let is_only = |it: &&ir::Variable| {
            let own = module.variables.iter().filter(|other| other.name == it.name);
            own.filter(|other| other.values.len() > 1).all(|other| other.span == it.span)
        };
        whole.filter(is_only).map(|it| Site { span: it.span, inst: None, text: text.to_owned() })
    } else {
        let mut computed = suspects.iter().filter_map(|it| facts.computed_by(*it));
        let is_one = suspects.len() <= 3;
        let inst = computed.next().filter(|_| is_one);
        inst.map(|it| Site { span: module.inst(it).span, inst: Some(it), text: text.to_owned() })
    };
    match site.filter(|it| it.span != at.span) {
        Some(site) => found.caused_at(site),
        None => found,
    }
}

fn undefined(at: At, width: u32, wrong: Undefined, lanes: LaneMask) -> Finding {
    let (who, s) = (Named(lanes), third_person(lanes));
    let (message, text, help): (String, String, &str) = match wrong {
        Undefined::Use(Wrong::Stale) => (
            "a ray query is used after it was replaced".to_owned(),
            format!("{who} use{s} a query here that its declaration has since replaced"),
            "declare the query outside the loop, or do not keep a copy of it",
        ),
        Undefined::Use(Wrong::State(state)) => {
            let (what, help) = match state {
                State::New => ("was never traced", "call `TraceRayInline` first"),
                State::Traced => (
                    "has no candidate yet",
                    "call `Proceed` first, and continue only if it returns true",
                ),
                State::CandidateTriangle => (
                    "has a triangle as its candidate",
                    "check `CandidateType` or `CommittedStatus` before a method that only one kind of primitive has",
                ),
                State::CandidateProcedural => (
                    "has a procedural primitive as its candidate",
                    "check `CandidateType` or `CommittedStatus` before a method that only one kind of primitive has",
                ),
                State::Finished => (
                    "no longer has a candidate, or has committed nothing of this kind",
                    "check `CommittedStatus` before reading the committed hit, and read candidates only while `Proceed` returns true",
                ),
            };
            (
                "a ray query is used in a state that does not allow it".to_owned(),
                format!("the query of {who} {what}"),
                help,
            )
        }
        Undefined::Use(Wrong::OutOfRange) => (
            "a hit is committed outside the interval of its ray".to_owned(),
            format!("{who} commit{s} a hit here that is not between `RayTMin` and `CommittedRayT`"),
            "compare the distance with `RayTMin()` and `CommittedRayT()` first",
        ),
        Undefined::Use(Wrong::DataAccess) => (
            "the positions of a triangle are read without access to them".to_owned(),
            format!("{who} read{s} them here"),
            "build the acceleration structure with `ALLOW_DATA_ACCESS`",
        ),
        Undefined::Flags(problem) => (
            format!("{problem}"),
            format!("{who} trace{s} with these flags, those in the type of the query included"),
            "the flags of the type and those of the call are combined; remove one of the two",
        ),
        Undefined::Ray(problem) => (
            format!("{problem}"),
            format!("{who} trace{s} such a ray here"),
            "a ray needs finite numbers, a direction other than zero, and 0 <= `TMin` <= `TMax`; `TMax` may be infinite",
        ),
    };
    let mut found = Finding::at(at, width, kind_of(wrong), lanes, message, text);
    found.helps.push(help.to_owned());
    found
}

fn unread(at: At, width: u32, span: Span, lanes: LaneMask) -> Finding {
    let message = "a ray query is abandoned with a candidate that was not judged".to_owned();
    let text = format!("{} get{} a candidate here", Named(lanes), third_person(lanes));
    let mut found =
        Finding::at(At { span, ..at }, width, Kind::UnreadCandidates, lanes, message, text);
    found.notes.push(
        "a traversal continues only while `Proceed` is called: hits behind the candidate are not found"
            .to_owned(),
    );
    found.helps.push(
        "call `Proceed` in a loop and judge each candidate, or trace with `RAY_FLAG_FORCE_OPAQUE`"
            .to_owned(),
    );
    found
}
