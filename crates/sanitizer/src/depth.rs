//! Depths that a pixel shader writes against the bound that `SV_DepthGreaterEqual` or `SV_DepthLessEqual` promises.
//!
//! Spec: Direct3D 11.3, 16.9.2: a device may reject pixels by the depth of the primitive, and does not clamp what the
//! shader writes.

use diag::Span;
use interp::observe::OutputEvent;
use ir::stage::{SystemValue, element_of};
use ir::{Inst, Op, Value};
use ops::LaneMask;

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, third_person};
use crate::hash::HashSet;

/// Reports an output that breaks its promise; `depths` are the bits of the primitive's depth, lane by lane.
pub(crate) fn output(
    facts: &Facts<'_>,
    width: u32,
    depths: &[u32],
    event: &OutputEvent<'_>,
) -> Option<Finding> {
    if depths.is_empty() {
        return None;
    }
    let (element, _) = element_of(&facts.module.io.as_ref()?.outputs, event.slot)?;
    let (name, relation, function) = match element.system {
        Some(SystemValue::DepthGreaterEqual) => ("SV_DepthGreaterEqual", "smaller", "max"),
        Some(SystemValue::DepthLessEqual) => ("SV_DepthLessEqual", "greater", "min"),
        _ => return None,
    };
    let at = event.at;
    let written = |lane: u32| f32::from_bits(event.values.get(lane) as u32);
    let promised = |lane: u32| depths.get(lane as usize).map(|it| f32::from_bits(*it));
    let breaks = |lane: &u32| {
        promised(*lane).is_some_and(|bound| match relation {
            "smaller" => written(*lane) < bound,
            _ => written(*lane) > bound,
        })
    };
    let all = at.active & !event.helpers & !event.poison;
    let lanes: LaneMask = all.iter().filter(breaks).collect();
    let first = lanes.first()?;
    let bound = promised(first)?;
    // The entry point is not an informative location: the operation that computed the value is.
    let span = match &facts.module.inst(at.inst).op {
        Op::Output { value, .. } => made_at(facts, *value),
        _ => None,
    };
    Some(Finding {
        kind: Kind::BrokenDepthPromise,
        message: format!("a {relation} depth is written than `{name}` promises"),
        site: Site {
            span: span.unwrap_or(at.span),
            inst: Some(at.inst),
            text: format!(
                "{} write{} a {relation} depth than the primitive has",
                Named(lanes),
                third_person(lanes)
            ),
        },
        related: vec![Site {
            span: element.span,
            inst: None,
            text: "the bound is promised here".to_owned(),
        }],
        notes: vec![
            format!("lane {first} writes {:?}, and the primitive has {bound:?}", written(first)),
            "a device may reject the pixel by the depth of the primitive, before the shader runs"
                .to_owned(),
        ],
        helps: vec![
            format!("write `{function}(depth, position.z)`, where `position` is `SV_Position`"),
            "`SV_Depth` promises nothing".to_owned(),
        ],
        stacks: Vec::new(),
        group: at.group,
        wave: at.wave,
        lanes,
        width,
    })
}

/// Where a value was computed: of several paths to it, the last one that computes anything.
fn made_at(facts: &Facts<'_>, value: Value) -> Option<Span> {
    let (mut seen, mut open) = (HashSet::from_iter([value]), vec![value]);
    let mut last: Option<Inst> = None;
    while let Some(value) = open.pop() {
        let op = |inst| &facts.module.inst(inst).op;
        match facts.module.made_by(value) {
            Some(inst) if op(inst).is_construct() => {
                let selector = op(inst).selector();
                let values = facts.sources(value).into_iter().filter(|it| Some(*it) != selector);
                open.extend(values.filter(|it| seen.insert(*it)));
            }
            Some(inst) if matches!(op(inst), Op::Input(_)) => {}
            Some(inst) => {
                let is_later = |it: Inst| facts.position(it) < facts.position(inst);
                if last.is_none_or(is_later) {
                    last = Some(inst);
                }
            }
            None => {
                let values = facts.sources(value);
                open.extend(values.into_iter().filter(|it| seen.insert(*it)));
            }
        }
    }
    last.map(|it| facts.module.inst(it).span).filter(|it| !it.is_none())
}
