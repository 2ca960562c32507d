//! Helper lanes and quads of a pixel shader: what other lanes must not rely on.
//!
//! A wave operation leaves helper lanes an undefined result. In themselves helper lanes do not matter; but derivatives
//! and quad operations read them, so the result matters where it is an operand of one, and where it decides whether
//! helper lanes reach one.
//! Which quads share a wave is unspecified, so a lane of another quad may only be read if the program has found out
//! which lanes there are.

use interp::observe::{At, DivergeEvent, WaveEvent};
use ir::exec::{Assembled, Invocation, WaveInputs};
use ir::{Inst, Op, Value};
use ops::LaneMask;
use ops::wave::{Sees, source};

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, third_person};
use crate::hash::{HashMap, HashSet};

/// What is known of the running wave.
#[derive(Default)]
pub(crate) struct Pixels {
    is_pixel_shader: bool,
    helpers: LaneMask,
    invocations: Vec<Option<Invocation>>,
    /// The depths of the primitives, where the shader promises a bound for its own.
    depths: Vec<u32>,
    /// The helper lanes whose way through a construct is undefined, with the condition.
    doubts: Vec<(Inst, LaneMask, Option<Value>)>,
    /// Whether an operand says which lane to read without asking which lanes there are.
    blind: HashMap<Value, bool>,
}

impl Pixels {
    pub(crate) fn new(facts: &Facts<'_>) -> Pixels {
        Pixels { is_pixel_shader: facts.module.has_helpers(), ..Pixels::default() }
    }

    pub(crate) fn begin(&mut self, inputs: &WaveInputs) {
        self.helpers = inputs.helpers;
        self.invocations.clone_from(&inputs.invocations);
        self.depths.clone_from(&inputs.depths);
        self.doubts.clear();
    }

    pub(crate) fn discard(&mut self, at: At) {
        self.helpers |= at.active;
    }

    /// Whether the module is a pixel shader.
    pub(crate) fn is_pixel_shader(&self) -> bool {
        self.is_pixel_shader
    }

    pub(crate) fn helpers(&self) -> LaneMask {
        self.helpers
    }

    pub(crate) fn depths(&self) -> &[u32] {
        &self.depths
    }

    /// What a lane of the running wave represents.
    pub(crate) fn invocation(&self, lane: u32) -> Option<Invocation> {
        self.invocations.get(lane as usize).copied().flatten()
    }

    /// Notes the helper lanes whose condition is undefined.
    pub(crate) fn diverge(&mut self, facts: &Facts<'_>, event: &DivergeEvent<'_>) {
        let lanes = event.poison & self.helpers;
        if lanes.is_empty() {
            return;
        }
        let selector = facts.module.inst(event.at.inst).op.selector();
        let inst = event.at.inst;
        self.doubts.push((inst, lanes, selector));
        // Lanes that leave an outer construct here are in doubt for the rest of it.
        for outer in facts.ancestors(inst) {
            if facts.enders(outer).any(|it| facts.encloses(inst, it) && it != inst) {
                self.doubts.push((outer, lanes, selector));
            }
        }
    }

    pub(crate) fn reconverge(&mut self, at: At) {
        self.doubts.retain(|it| it.0 != at.inst);
    }

    /// Where an operation needs whole quads: the helper lanes beside pixels that come here on an undefined condition.
    pub(crate) fn doubtful(&self, facts: &Facts<'_>, at: At) -> Option<(Value, LaneMask)> {
        let pixels = at.active & !self.helpers;
        self.doubts.iter().find_map(|(inst, lanes, selector)| {
            let beside = lanes.iter().filter(|lane| {
                let quad = LaneMask(0xf << (lane & !3));
                !(quad & pixels).is_empty()
            });
            let beside: LaneMask = beside.collect();
            let is_around = *inst != at.inst && facts.encloses(*inst, at.inst);
            if beside.is_empty() || !is_around { None } else { Some(((*selector)?, beside)) }
        })
    }

    /// Reports a read of a lane in another quad.
    pub(crate) fn wave_op(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        event: &WaveEvent<'_>,
    ) -> Option<Finding> {
        if !self.is_pixel_shader || event.op.facts().sees != Sees::Named {
            return None;
        }
        let on = event.wave.participants() & !self.helpers;
        let read = |lane: u32| source(event.op, &event.wave, event.args, lane);
        let is_foreign = |lane: &u32| {
            let read = read(*lane);
            read < width && read / 4 != lane / 4 && event.wave.active.contains(read)
        };
        let lanes: LaneMask = on.iter().filter(is_foreign).collect();
        let first = lanes.first()?;
        let Op::Wave { args, .. } = &facts.module.inst(event.at.inst).op else { return None };
        // An operation with a fixed distance names lanes by its own, too.
        let index = *args.get(1)?;
        let is_blind = *self.blind.entry(index).or_insert_with(|| is_blind(facts, index));
        if !is_blind {
            return None;
        }
        let mut notes = Vec::new();
        if let (Some(reader), Some(other)) = (self.invocation(first), self.invocation(read(first)))
        {
            notes.push(format!("{} reads {}", named(reader), named(other)));
        }
        Some(Finding {
            kind: Kind::OtherQuadRead,
            message: format!(
                "lane {} is read, and which quad it belongs to is not specified",
                read(first)
            ),
            site: Site {
                span: event.at.span, inst: Some(event.at.inst),
                text: format!(
                    "{} read{} a lane of another quad here",
                    Named(lanes),
                    third_person(lanes)
                ),
            },
            related: Vec::new(),
            notes,
            helps: vec![
                "read lanes of the same quad by quad operations, and others only if a wave operation has found them, such as the first of `WaveActiveBallot(true)`"
                    .to_owned(),
            ],
            stacks: Vec::new(),
            group: event.at.group,
            wave: event.at.wave,
            lanes,
            width,
        })
    }
}

/// Whether a value depends on nothing that shows which lanes are active.
fn is_blind(facts: &Facts<'_>, value: Value) -> bool {
    let (mut seen, mut open) = (HashSet::from_iter([value]), vec![value]);
    while let Some(value) = open.pop() {
        if let Some(inst) = facts.module.made_by(value)
            && let Op::Wave { op, .. } = &facts.module.inst(inst).op
            && !matches!(op.facts().sees, Sees::Nothing | Sees::Quad)
        {
            return false;
        }
        open.extend(facts.sources(value).into_iter().filter(|it| seen.insert(*it)));
    }
    true
}

/// What a lane represents, in words.
pub(crate) fn named(invocation: Invocation) -> String {
    let assembled = |what: &str, Assembled { id, instance, .. }: Assembled| match instance {
        0 => format!("{what} {id}"),
        instance => format!("{what} {id} of instance {instance}"),
    };
    match invocation {
        Invocation::Vertex { id, instance: 0, .. } => format!("vertex {id}"),
        Invocation::Vertex { id, instance, .. } => format!("vertex {id} of instance {instance}"),
        Invocation::ControlPoint { patch, point } => {
            format!("control point {point} of {}", assembled("patch", patch))
        }
        Invocation::Patch(patch) => assembled("patch", patch),
        Invocation::DomainPoint { patch, at, .. } => {
            let [u, v] = at.map(|it| (f64::from(it) / 65536.0 * 1e4).round() / 1e4);
            format!("the point ({u}, {v}) of {}", assembled("patch", patch))
        }
        Invocation::Primitive { primitive, instance: 0 } => assembled("primitive", primitive),
        Invocation::Primitive { primitive, instance } => {
            format!("run {instance} for {}", assembled("primitive", primitive))
        }
        Invocation::Thread { group, thread } => format!("thread {thread} of group {group}"),
        Invocation::Pixel { at: [x, y], sample, primitive, layer, .. } => {
            let mut text = format!("pixel ({x}, {y})");
            if let Some(sample) = sample {
                text = format!("sample {sample} of {text}");
            }
            if layer > 0 {
                text.push_str(&format!(" of slice {layer}"));
            }
            format!("{text} of primitive {primitive}")
        }
    }
}
