//! Why two draws differ: the first operation that gave a pixel, or a vertex, something else.
//!
//! Both draws are repeated with modules that tell each value they compute. Of the operations that see other lanes and
//! on which the result depends, each gives every invocation a sequence of values; the first value that differs for an
//! invocation which both draws have names the operation. An invocation is the same in both whatever lane it is.

use std::collections::{BTreeMap, HashMap, HashSet};

use interp::Observer;
use interp::observe::{AccessEvent, At, DiscardEvent, WaveEvent};
use ir::exec::{Invocation, WaveInputs};
use ir::stage::{SystemValue, element_of};
use ir::{Inst, Module, Op, Value};
use ops::intrinsics::Stage;
use ops::wave::Sees;
use ops::{LaneMask, WaveOp};

use super::contents::{Difference, Holder, Left};
use super::{Ended, How, Scene, Sweep, Watched};
use crate::compare::of_type;
use crate::facts::Facts;
use crate::finding::{Finding, Kind, Site};
use crate::marked::{Mark, Marked};
use crate::pixels::named;
use crate::slice::{self, Memory};

/// The number of values remembered; beyond it the first difference may be missed, and the finding says less.
const MOST_STEPS: usize = 1 << 21;
/// Instructions of a module with marks, for each of its own, at most.
const MARKS: u64 = 8;

/// A value that an invocation got from an operation that sees other lanes.
struct Step {
    of: Invocation,
    value: Value,
    bits: u64,
    /// How many pixels and how many helper lanes took part.
    company: Option<[u32; 2]>,
    wave: u32,
}

/// Remembers what a stage computed.
struct Trail<'a> {
    module: &'a Module,
    marked: &'a Marked,
    /// The operations of interest.
    wanted: &'a HashSet<Inst>,
    helpers: LaneMask,
    invocations: Vec<Option<Invocation>>,
    company: HashMap<Inst, [u32; 2]>,
    steps: Vec<Step>,
    by: BTreeMap<Invocation, Vec<usize>>,
}

impl<'a> Trail<'a> {
    fn new(module: &'a Module, marked: &'a Marked, wanted: &'a HashSet<Inst>) -> Trail<'a> {
        Trail {
            module,
            marked,
            wanted,
            helpers: LaneMask::EMPTY,
            invocations: Vec::new(),
            company: HashMap::new(),
            steps: Vec::new(),
            by: BTreeMap::new(),
        }
    }
}

impl Observer for Trail<'_> {
    const POISON: bool = false;

    fn fed(&mut self, _at: At, inputs: &WaveInputs) {
        self.helpers = inputs.helpers;
        self.invocations.clone_from(&inputs.invocations);
    }

    fn discard(&mut self, event: &DiscardEvent) {
        self.helpers |= event.at.active;
    }

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        if self.wanted.contains(&event.at.inst) && event.op.facts().sees != Sees::Nothing {
            let on = event.wave.participants();
            let company = [(on & !self.helpers).count(), (on & self.helpers).count()];
            self.company.insert(event.at.inst, company);
        }
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        let Some(Mark::Defined(value)) = self.marked.mark(event.at.inst) else { return };
        let Some(inst) = self.module.made_by(value) else { return };
        if !self.wanted.contains(&inst) || self.steps.len() >= MOST_STEPS {
            return;
        }
        let company = self.company.get(&inst).copied();
        for lane in (event.at.active & !self.helpers).iter() {
            let Some(Some(of)) = self.invocations.get(lane as usize).copied() else { continue };
            let bits = event.values.first().map_or(0, |it| it.get(lane));
            self.by.entry(of).or_default().push(self.steps.len());
            self.steps.push(Step { of, value, bits, company, wave: event.at.wave });
        }
    }
}

/// The first value of certain operations that two runs give an invocation differently, by its steps in both.
fn first_difference(
    module: &Module,
    [one, other]: [&Trail<'_>; 2],
    among: &HashSet<Inst>,
    is_near: impl Fn(Invocation) -> bool,
) -> Option<(usize, usize)> {
    let mut best: Option<(u8, usize, usize)> = None;
    for (of, steps) in &one.by {
        let Some(theirs) = other.by.get(of) else { continue };
        for (a, b) in steps.iter().zip(theirs) {
            let (mine, its) = (&one.steps[*a], &other.steps[*b]);
            // The two go different ways: an earlier value has decided that.
            if mine.value != its.value {
                break;
            }
            let Some(inst) = module.made_by(mine.value) else { continue };
            if mine.bits == its.bits || !among.contains(&inst) {
                continue;
            }
            // Which lane an invocation is differs as a matter of course.
            let is_query = matches!(
                module.inst(inst).op,
                Op::Wave { op: WaveOp::LaneIndex | WaveOp::IsFirstLane, .. }
            );
            let rank = 2 * u8::from(is_query) + u8::from(!is_near(*of));
            if best.is_none_or(|it| (rank, *a) < (it.0, it.1)) {
                best = Some((rank, *a, *b));
            }
            if !is_query {
                break;
            }
        }
    }
    best.map(|it| (it.1, it.2))
}

/// Whether an operation can give an invocation something else though its operands are the same.
fn sees_others(module: &Module, op: &Op) -> bool {
    let effects = op.effects();
    match op {
        Op::Wave { op, .. } => op.facts().sees != Sees::Nothing || *op != WaveOp::IsHelperLane,
        Op::Derivative(..) => true,
        Op::Load { place, .. } => module.resource(place.binding).kind.writable(),
        Op::Atomic { .. } => true,
        _ => effects.asks_quad,
    }
}

/// Whether an output of a pixel shader decides about some channels of a target.
fn decides(module: &Module, inst: Inst, holder: Holder, channels: [bool; 4]) -> bool {
    let (Op::Output { slot, .. }, Holder::Target(number, ..)) = (&module.inst(inst).op, holder)
    else {
        return true;
    };
    let outputs = module.io.as_ref().map_or(&[][..], |it| &it.outputs);
    match element_of(outputs, *slot) {
        Some((element, component)) if element.system == Some(SystemValue::Target) => {
            element.index == number && channels.get(usize::from(component)) == Some(&true)
        }
        _ => true,
    }
}

/// The instructions by which a stage may have written a content.
fn writers(module: &Module, holder: Holder, stage: Stage) -> Vec<Inst> {
    let writes = |op: &Op| match (holder, op) {
        (Holder::Resource(of, binding, _), op) if of == stage => {
            slice::written(module, op) == Some(Memory::Buffer(module.storage(binding)))
        }
        // The pixel shader runs after the vertex shader.
        (Holder::Resource(Stage::Vertex, ..), _) => false,
        // What the vertex shader puts out decides what pixels there are.
        (_, Op::Output { .. } | Op::Discard) => true,
        _ => false,
    };
    let all = module.insts.iter().enumerate().filter(|(_, it)| writes(&it.op));
    let mut all: Vec<Inst> = all.map(|(index, _)| Inst(index as u32)).collect();
    // What is discarded is not written.
    all.sort_by_key(|it| matches!(module.inst(*it).op, Op::Discard));
    all
}

impl<S: Scene> Sweep<'_, S> {
    /// The finding about a difference between two draws, and whose shader and which invocation it is about.
    pub(super) fn found(
        &mut self,
        kind: Kind,
        how: [How; 2],
        left: [&Left; 2],
        difference: Difference,
        what: &str,
    ) -> Result<(Stage, Finding, Option<Invocation>), Ended<S::Error>> {
        let content = &left[0].contents[difference.content];
        let words = [how[0].words(how[1]), how[1].words(how[0])];
        let (name, holder) = (content.name.clone(), content.holder);
        let mut note =
            format!("{} is the first that differs", content.place(difference.at, self.scene));
        let values = [0, 1].map(|it| left[it].contents[difference.content].value(difference.at));
        match values {
            [Some(a), Some(b)] => {
                note.push_str(&format!(": {a} with {}, {b} with {}", words[0], words[1]))
            }
            _ => note.push_str(&format!(": {} against {}", words[0], words[1])),
        }
        let texel = content.texel(difference.at);
        let is_near = |of: Invocation| match (of, texel) {
            (Invocation::Pixel { at, layer, .. }, Some(([x, y], slice, _))) => {
                at == [x as i32, y as i32] && layer == slice
            }
            _ => false,
        };
        let mut finding = Finding {
            kind,
            message: format!("`{name}` depends on {what}"),
            site: Site { span: diag::Span::NONE, text: "written here".to_owned() },
            related: Vec::new(),
            notes: vec![note],
            helps: help(kind, &name),
            group: [0; 3],
            wave: 0,
            lanes: LaneMask::EMPTY,
            width: how[1].width,
        };
        let stages = [Stage::Pixel, Stage::Vertex];
        let modules = [self.scene.pixel().unwrap_or(self.scene.vertex()), self.scene.vertex()];
        let facts = modules.map(Facts::new);
        let wrote = [0, 1].map(|it| match (stages[it], self.scene.pixel()) {
            (Stage::Pixel, None) => Vec::new(),
            (stage, _) => writers(modules[it], holder, stage),
        });
        let behind = |it: usize, is_asked: &dyn Fn(Inst) -> bool| -> HashSet<Inst> {
            let asked = wrote[it].iter().filter(|inst| is_asked(**inst));
            let all = asked.flat_map(|inst| slice::backward(&facts[it], *inst));
            all.filter(|inst| sees_others(modules[it], &modules[it].inst(*inst).op)).collect()
        };
        let wanted = [0, 1].map(|it| behind(it, &|_| true));
        // Blending mixes the channels, so that others may be the cause if these are not.
        let closest = [0, 1].map(|it| {
            let channels = difference.channels;
            behind(it, &|inst| decides(modules[it], inst, holder, channels))
        });
        let marked = modules.map(Marked::new);
        let trails = {
            let mut record = |how: How| {
                self.report.runs += 1;
                let trail = |it: usize| Trail::new(modules[it], &marked[it], &wanted[it]);
                let (mut pixel, mut vertex) = (trail(0), trail(1));
                let how = How { marks: MARKS, ..how };
                let program = self.scene.pixel().map(|_| &marked[0].program);
                self.scene.run(
                    how,
                    Watched { program: Some(&marked[1].program), observer: &mut vertex },
                    Watched { program, observer: &mut pixel },
                )?;
                Ok([pixel, vertex])
            };
            [record(how[0])?, record(how[1])?]
        };
        for it in [0, 1] {
            let (both, module) = ([&trails[0][it], &trails[1][it]], modules[it]);
            let mut first = [&closest[it], &wanted[it]]
                .into_iter()
                .map(|among| first_difference(module, both, among, is_near));
            let Some((a, b)) = first.find_map(|it| it) else { continue };
            let (a, b) = (&both[0].steps[a], &both[1].steps[b]);
            let Some(inst) = module.made_by(a.value) else { continue };
            let side = |step: &Step, words: &str| {
                let value = of_type(module.ty(step.value), step.bits);
                format!("{value}{} ({words})", company(step))
            };
            finding.site = Site {
                span: module.inst(inst).span,
                text: format!(
                    "{} gets {}, or {}",
                    named(a.of),
                    side(a, &words[0]),
                    side(b, &words[1])
                ),
            };
            finding.wave = b.wave;
            if let Some(inst) = wrote[it].first()
                && module.inst(*inst).span != finding.site.span
            {
                let span = module.inst(*inst).span;
                let text = match module.inst(*inst).op {
                    Op::Output { .. } if stages[it] == Stage::Vertex => {
                        "the outputs of vertices are written here".to_owned()
                    }
                    _ => format!("`{name}` is written here"),
                };
                finding.related.push(Site { span, text });
            }
            return Ok((stages[it], finding, Some(b.of)));
        }
        // No operation is the cause: pixels interacted through memory.
        let it = usize::from(wrote[0].is_empty());
        if let Some(inst) = wrote[it].first() {
            finding.site.span = modules[it].inst(*inst).span;
        }
        Ok((stages[it], finding, None))
    }
}

/// Who took part, in words.
fn company(step: &Step) -> String {
    let counted = |count: u32, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let lane = match step.of {
        Invocation::Vertex { .. } => "lane",
        Invocation::Pixel { .. } => "pixel",
    };
    match step.company {
        None => String::new(),
        Some([pixels, 0]) => format!(" of {}", counted(pixels, lane)),
        Some([pixels, helpers]) => {
            format!(" of {} and {}", counted(pixels, lane), counted(helpers, "helper lane"))
        }
    }
}

/// What may be done about it.
fn help(kind: Kind, name: &str) -> Vec<String> {
    let text = match kind {
        Kind::DependsOnHelpers => {
            "some machines let helper lanes take part in wave operations: keep them away with `if (!IsHelperLane())`, or give them a value that changes nothing"
                .to_owned()
        }
        Kind::DependsOnPacking | Kind::WidthDependentResult => format!(
            "compute it from the pixel and its quad, or combine all waves, by one atomic operation for each; if `{name}` is meant to differ, pass `--width-dependent {name}`"
        ),
        Kind::DependsOnQuads => {
            "take derivatives of smooth values only; what has to be exact takes gradients that the shader computes itself"
                .to_owned()
        }
        Kind::PermutedResult => format!("if any order is acceptable, pass `--unordered {name}`"),
        _ => {
            "only targets are written in the order of primitives: use blending, a rasterizer-ordered view, or operations that do not depend on the order"
                .to_owned()
        }
    };
    vec![text]
}
