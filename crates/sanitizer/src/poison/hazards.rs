//! Causes of undefined results: wave operations and derivatives that lack a lane, helper lanes, and inputs that do not
//! exist.

use interp::observe::{At, EvalEvent, WaveEvent};
use ir::stage::element_of;
use ir::{Inst, InstData, Op, Value};
use ops::wave::{Hazards, Sees};
use ops::{LaneMask, WaveOp};

use super::Origin;
use crate::facts::Facts;
use crate::finding::{Kind, Named, Site, be, third_person};
use crate::flow::Flow;
use crate::hash::HashSet;
use crate::place;

/// An input at a sample or a vertex that does not exist.
pub(super) fn missing_origin(facts: &Facts<'_>, event: &EvalEvent<'_>) -> Option<Origin> {
    let EvalEvent { at, slot, missing: lanes, index } = *event;
    let (element, _) = element_of(&facts.module.io.as_ref()?.inputs, slot)?;
    let lane = lanes.first()?;
    let index = index.get(lane as usize)?;
    let (what, how, help) = match facts.module.inst(at.inst).op {
        Op::InputAt { .. } => (
            "vertex",
            "read at a vertex that the primitive does not have",
            "vertices count from 0, and a triangle has 3, a line 2, a point 1",
        ),
        _ => (
            "sample",
            "evaluated at a sample that the target does not have",
            "samples count from 0; pass their number to the shader, and compare the index with it",
        ),
    };
    let name = format!("{}{}", element.semantic, element.index);
    Some(Origin {
        kind: Kind::OutOfBounds,
        message: format!("the input `{name}` is {how}"),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!(
                "{} ask{} for one that does not exist",
                Named(lanes),
                third_person(lanes)
            ),
        },
        related: vec![Site {
            span: element.span,
            inst: None,
            text: "the input is declared here".to_owned(),
        }],
        notes: vec![format!("lane {lane} asks for {what} {index}")],
        helps: vec![help.to_owned()],
        lanes,
    })
}

/// A result that helper lanes get and must not use.
pub(super) fn helper_origin(at: At, helpers: LaneMask, message: &str) -> Origin {
    let come = match helpers.count() {
        1 => "is a helper lane, and comes",
        _ => "are helper lanes, and come",
    };
    Origin {
        kind: Kind::HelperResult,
        message: message.to_owned(),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!("{} {come} here without taking part", Named(helpers)),
        },
        related: Vec::new(),
        notes: vec!["derivatives and quad operations read helper lanes too".to_owned()],
        helps: vec![
            "take the derivative before the wave operation, or of something else".to_owned(),
            INCLUDE.to_owned(),
        ],
        lanes: helpers,
    }
}

/// An operation that reads helper lanes, in words.
pub(super) fn reader(op: &Op) -> &'static str {
    match op {
        Op::Derivative(..) => "a derivative",
        Op::Texture(_) => "a sample that takes derivatives",
        _ => "a quad operation",
    }
}

/// An operation that leaves helper lanes without a result, in words.
pub(super) fn leaver(op: &Op) -> &'static str {
    if op.effects().is_atomic() { "an atomic operation" } else { "a wave operation" }
}

/// Whether an operation reads lanes that the program names, helper lanes among them.
pub(super) fn names_lanes(inst: &InstData) -> bool {
    matches!(inst.op, Op::Wave { op, .. } if op.facts().sees == Sees::Named)
}

/// Remedies of an index of a lane beyond the width.
const COUNT: &str = "compute the index from `WaveGetLaneCount()`";
const NEIGHBOUR: &str = "that neighbour is in another wave, or in none: pass the value through groupshared memory, or leave the last lanes of a wave out";

/// Whether the lane that an operation reads is computed from that of the reader.
fn from_lane_index(facts: &Facts<'_>, inst: Inst) -> bool {
    let Op::Wave { args, .. } = &facts.module.inst(inst).op else { return false };
    let mut open: Vec<Value> = args.get(1).copied().into_iter().collect();
    let mut seen: HashSet<Value> = open.iter().copied().collect();
    while let Some(value) = open.pop() {
        let op = facts.module.made_by(value).map(|it| &facts.module.inst(it).op);
        if matches!(op, Some(Op::Wave { op: WaveOp::LaneIndex, .. })) {
            return true;
        }
        open.extend(facts.sources(value).into_iter().filter(|it| seen.insert(*it)));
    }
    false
}

/// A remedy wherever helper lanes are left out.
pub(super) const INCLUDE: &str =
    "`[WaveOpsIncludeHelperLanes]` (shader model 6.7) lets helper lanes take part";

/// The error of a wave operation, in words.
pub(super) fn wave_origin(
    facts: &Facts<'_>,
    flow: &Flow,
    event: &WaveEvent<'_>,
    found: &Hazards,
) -> Origin {
    let (at, width) = (event.at, event.wave.width);
    let read = |lanes: LaneMask| -> LaneMask {
        if event.op == WaveOp::ReadLaneAt {
            let source = |lane| event.args[1].get(lane) as u32;
            lanes.iter().map(source).filter(|it| *it < width).collect()
        } else {
            LaneMask::first_n(width) & !event.wave.active
        }
    };
    if !found.index_out_of_range.is_empty() {
        let lanes = found.index_out_of_range;
        let lane = lanes.first().unwrap_or(0);
        let index = event.args.get(1).map_or(0, |it| it.get(lane)) as u32;
        let of_a_quad = event.op == WaveOp::QuadReadLaneAt;
        let (message, help, mut notes) = if of_a_quad {
            let message = format!("lane {index} of a quad is read, but a quad has 4");
            (message, "the lanes of a quad are 0 to 3: `lane & 3`", Vec::new())
        } else {
            let note = format!("waves have {width} lanes in this run");
            let message =
                format!("lane {} is read, but there are only {width}", place::index(index.into()));
            let is_neighbour = from_lane_index(facts, at.inst);
            (message, if is_neighbour { NEIGHBOUR } else { COUNT }, vec![note])
        };
        // Such an index is wrong whichever lanes are active; one report for each operation is enough.
        if !found.inactive_source.is_empty() {
            let readers = found.inactive_source;
            let verb = if readers.count() == 1 { "reads a lane" } else { "read lanes" };
            notes.push(format!("{} {verb} that {} not active", Named(readers), be(readers)));
        }
        return Origin {
            kind: Kind::LaneIndexOutOfRange,
            message,
            site: Site {
                span: at.span,
                inst: Some(at.inst),
                text: format!("{} read{} it here", Named(lanes), third_person(lanes)),
            },
            related: Vec::new(),
            notes,
            helps: vec![help.to_owned()],
            lanes,
        };
    }
    let helpers = read(found.inactive_source) & event.wave.active & event.wave.helpers;
    if !found.inactive_source.is_empty() && !helpers.is_empty() {
        let readers = found.inactive_source;
        let are = match helpers.count() {
            1 => "is a helper lane, and is",
            _ => "are helper lanes, and are",
        };
        return Origin {
            kind: Kind::HelperResult,
            message: format!("{} {are} read", Named(helpers)),
            site: Site {
                span: at.span,
                inst: Some(at.inst),
                text: format!(
                    "{} read{} {} here",
                    Named(readers),
                    third_person(readers),
                    it(helpers)
                ),
            },
            related: Vec::new(),
            notes: vec!["only quad operations and derivatives may read helper lanes".to_owned()],
            helps: vec![
                "read only lanes of `WaveActiveBallot(true)`".to_owned(),
                INCLUDE.to_owned(),
            ],
            lanes: readers,
        };
    }
    if !found.inactive_source.is_empty() {
        let (readers, sources) = (found.inactive_source, read(found.inactive_source));
        let (related, mut notes) = flow.why_absent(facts, at.inst, sources);
        notes.push(format!("active here: {}", Named(event.wave.active)));
        return Origin {
            kind: Kind::InactiveLaneRead,
            message: format!("{} {} read while inactive", Named(sources), be(sources)),
            site: Site {
                span: at.span, inst: Some(at.inst),
                text: format!(
                    "{} read{} {} here",
                    Named(readers),
                    third_person(readers),
                    it(sources)
                ),
            },
            related,
            notes,
            helps: vec![
                if (sources & flow.started()).is_empty() {
                    "make the group a multiple of the waves, or read only lanes of `WaveActiveBallot(true)`"
                } else {
                    "read before the lanes diverge, or read only lanes of `WaveActiveBallot(true)`"
                }
                .to_owned(),
            ],
            lanes: readers,
        };
    }
    if !found.incomplete_quad.is_empty() {
        return quad_origin(facts, flow, at, found.incomplete_quad, "a quad operation");
    }
    let lanes = found.bad_partition;
    Origin {
        kind: Kind::BadPartition,
        message: "the masks are not a partition of the active lanes".to_owned(),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!(
                "{} name{} a set that does not contain {}, or whose lanes name another",
                Named(lanes),
                third_person(lanes),
                if lanes.count() == 1 { "it" } else { "them" }
            ),
        },
        related: Vec::new(),
        notes: Vec::new(),
        helps: vec!["take the masks from `WaveMatch` in the same flow".to_owned()],
        lanes,
    }
}

/// Lanes that need their whole quad to be active, when it is not.
pub(super) fn quad_origin(
    facts: &Facts<'_>,
    flow: &Flow,
    at: At,
    lanes: LaneMask,
    what: &str,
) -> Origin {
    let absent = lanes.iter().flat_map(|lane| lane & !3..(lane & !3) + 4);
    let absent = absent.collect::<LaneMask>() & !at.active;
    let (related, notes) = flow.why_absent(facts, at.inst, absent);
    Origin {
        kind: Kind::IncompleteQuad,
        message: format!("{what} where the quad is not complete"),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!(
                "{} arrive{} here without {}",
                Named(lanes),
                third_person(lanes),
                Named(absent)
            ),
        },
        related,
        notes,
        helps: vec!["move it before the lanes of the quad diverge".to_owned()],
        lanes,
    }
}

fn it(lanes: LaneMask) -> &'static str {
    if lanes.count() == 1 { "it" } else { "them" }
}
