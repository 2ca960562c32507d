//! Uninitialised values: a variable or an element of an array, and the lanes that skip the assignment or the store that
//! would set it.

use diag::Span;
use interp::observe::{AccessEvent, At};
use ir::{Inst, Op, Value};
use ops::LaneMask;

use super::{Array, Origin};
use crate::assigned::Skipped;
use crate::facts::Facts;
use crate::finding::{Kind, Named, Site, third_person};
use crate::place;
use crate::skipped::Skip;

pub(super) fn declared(memory: &ir::Memory) -> Vec<Site> {
    vec![Site { span: memory.span, inst: None, text: "declared here".to_owned() }]
}

/// Which element of a groupshared array has no value: others may have one.
pub(super) fn unset_element(
    facts: &Facts<'_>,
    array: Array,
    memory: &ir::Memory,
    event: &AccessEvent<'_>,
    lanes: LaneMask,
) -> Vec<String> {
    let (Array::Shared(_), Some(lane)) = (array, lanes.first()) else { return Vec::new() };
    if memory.len <= 1 {
        return Vec::new();
    }
    let address = event.addresses[lane as usize];
    let place = place::place(facts, &event.space, address, u64::from(event.size));
    vec![format!("lane {lane} reads {place}")]
}

/// How an array gets a value before it is read.
pub(super) fn set_first(array: Array) -> String {
    match array {
        Array::Private(_) => "give it a value on every path that leads here",
        Array::Shared(_) => {
            "let the threads of the group store all of it first, and put `GroupMemoryBarrierWithGroupSync()` behind that"
        }
    }
    .to_owned()
}

/// An element that is read before it is written, since a lane skips the store that would set it.
pub(super) fn skipped_store(
    facts: &Facts<'_>,
    event: &AccessEvent<'_>,
    (skip, reader): (Skip, u32),
    array: Array,
    unset: Origin,
) -> Origin {
    let span = |it: Inst| facts.module.inst(it).span;
    let address = event.addresses[reader as usize];
    let place = place::place(facts, &event.space, address, u64::from(event.size));
    let (who, help) = match array {
        Array::Private(_) => (format!("lane {}", skip.lane), SET_OR_SKIP_READ),
        Array::Shared(_) => {
            (format!("lane {} of wave {}", skip.lane, skip.wave), STORE_ALL_OR_READ_LESS)
        }
    };
    let Origin { message, site: read, related: declared, .. } = unset;
    let site = Site {
        span: condition(facts, skip.branch),
        inst: Some(skip.branch),
        text: format!("{who} skips the store to {place} here"),
    };
    let store = Site {
        span: span(skip.store),
        inst: Some(skip.store),
        text: "this would set it".to_owned(),
    };
    let text = format!("lane {reader} reads {place} here");
    let read = Site { text, ..read };
    let related = [store, read].into_iter().filter(|it| !overlap(it.span, site.span));
    Origin {
        message,
        related: related.chain(declared).collect(),
        site,
        notes: Vec::new(),
        helps: vec![help.to_owned()],
        ..unset
    }
}

const SET_OR_SKIP_READ: &str =
    "set it on every path that leads to the read, or read it only where it has been set";
const STORE_ALL_OR_READ_LESS: &str =
    "let every thread store its element, or read only elements that have been stored";

/// A scalar of a variable that a branch leaves without a value.
pub(super) fn skipped_assignment(facts: &Facts<'_>, skipped: &Skipped, declared: Origin) -> Origin {
    let Skipped { branch, is_odd, .. } = *skipped;
    let Origin { site: declaration, lanes, .. } = declared.clone();
    let (who, s) = (Named(lanes), third_person(lanes));
    let site = Site {
        span: condition(facts, branch),
        inst: Some(branch),
        text: format!("{who} skip{s} the assignment here"),
    };
    if !is_odd {
        return Origin { related: vec![site], ..declared };
    }
    let set = Site {
        span: skipped.assignment,
        inst: None,
        text: "only this gives it a value".to_owned(),
    };
    let related = [set, declaration].into_iter().filter(|it| !overlap(it.span, site.span));
    Origin {
        message: format!("a part of `{}` is used before it is given a value", skipped.variable),
        related: related.collect(),
        site,
        helps: vec![
            "assign it on every path that leads to its use, or give it a value where it is declared"
                .to_owned(),
        ],
        ..declared
    }
}

/// The condition of a branch, or the whole branch if that is computed elsewhere.
fn condition(facts: &Facts<'_>, branch: Inst) -> Span {
    let module = facts.module;
    let whole = module.inst(branch).span;
    let made_by = module.inst(branch).op.selector().and_then(|it| module.made_by(it));
    let own = made_by.map(|it| module.inst(it).span);
    own.filter(|it| whole.lo <= it.lo && it.hi <= whole.hi).unwrap_or(whole)
}

/// Whether one of two places contains the other: a report names it once.
pub(super) fn overlap(a: Span, b: Span) -> bool {
    a.lo <= b.lo && b.hi <= a.hi || b.lo <= a.lo && a.hi <= b.hi
}

/// Where threads of the group have returned before they came to a store into the array.
pub(super) fn too_early(facts: &Facts<'_>, array: Array, left: &[At]) -> Option<Site> {
    let Array::Shared(memory) = array else { return None };
    let mut insts = (0..facts.module.insts.len() as u32).map(Inst);
    let store = insts.find(|it| match &facts.module.inst(*it).op {
        Op::SharedStore { memory: it, .. } => *it == memory,
        _ => false,
    })?;
    let at = left.iter().find(|it| facts.position(it.inst) < facts.position(store))?;
    let lanes = left.iter().filter(|it| (it.wave, it.inst) == (at.wave, at.inst));
    let lanes = lanes.fold(LaneMask::EMPTY, |all, it| all | it.active);
    let text = format!("{} of wave {} returned here, before the store", Named(lanes), at.wave);
    Some(Site { span: at.span, inst: Some(at.inst), text })
}

/// A groupshared value that an atomic operation changes before anything has been stored there.
pub(super) fn unset(facts: &Facts<'_>, memory: ir::Shared, inst: Inst, lanes: LaneMask) -> Origin {
    let declaration = &facts.module.groupshared[memory.index()];
    Origin {
        kind: Kind::UninitializedValue,
        message: format!("`{}` is changed before it is given a value", declaration.name),
        site: Site {
            span: facts.module.inst(inst).span,
            inst: Some(inst),
            text: "what was there before is undefined".to_owned(),
        },
        related: declared(declaration),
        notes: Vec::new(),
        helps: vec![set_first(Array::Shared(memory))],
        lanes,
    }
}

pub(super) fn undefined(facts: &Facts<'_>, span: Span, value: Value, lanes: LaneMask) -> Origin {
    let variable = facts.module.variables.iter().find(|it| it.values.contains(&value));
    let message = match variable {
        Some(it) => format!("`{}` is used before it is given a value", it.name),
        None => "a variable is used before it is given a value".to_owned(),
    };
    Origin {
        kind: Kind::UninitializedValue,
        message,
        site: Site {
            span,
            inst: facts.module.made_by(value),
            text: "declared here, without a value".to_owned(),
        },
        related: Vec::new(),
        notes: Vec::new(),
        helps: vec!["give it a value on every path that leads to its use".to_owned()],
        lanes,
    }
}
