//! Why two draws differ: the first operation that gave a pixel, a vertex, a patch or a primitive a different value.
//! [`super::alpha`] explains differences by alpha to coverage.
//!
//! Both draws are repeated with modules that report each value they compute. Of the operations that see other lanes and
//! on which the result depends, each gives every invocation a sequence of values; the first value that differs for an
//! invocation which both draws have names the operation. An invocation is the same in both whichever lane it is in.

use std::collections::BTreeMap;

use diag::Span;
use interp::Observer;
use interp::observe::{AccessEvent, At, DiscardEvent, WaveEvent};
use ir::exec::{Invocation, LaneOrder, WaveInputs};
use ir::facts::{self, Space};
use ir::stage::{SystemValue, element_of};
use ir::{Atomic, Binding, Inst, Module, Op, Value};
use ops::intrinsics::Stage;
use ops::wave::Sees;
use ops::{LaneMask, WaveOp};

use super::contents::{Content, Difference, Holder, Left};
use super::{Ended, How, Order, Part, Scene, Sweep, Watched};
use crate::assigned;
use crate::compare::of_type;
use crate::facts::Facts;
use crate::finding::{Finding, Kind, Site};
use crate::hash::{HashMap, HashSet};
use crate::marked::{Mark, Marked};
use crate::pixels::named;
use crate::slice::{self, Memory};

/// The number of values remembered; beyond it the first difference may be missed, and the finding is less specific.
const MOST_STEPS: usize = 1 << 21;
/// Instructions of a module with marks, for each of its own, at most.
pub(super) const MARKS: u64 = 8;

/// A value that an invocation got from an operation that sees other lanes.
struct Step {
    of: Invocation,
    value: Value,
    bits: u64,
    /// How many pixels and how many helper lanes took part.
    company: Option<[u32; 2]>,
    wave: u32,
}

/// Remembers what a program computed.
struct Trail<'a> {
    module: &'a Module,
    marked: &'a Marked,
    /// The operations of interest.
    wanted: &'a HashSet<Inst>,
    helpers: LaneMask,
    /// What the lanes of the running wave represent, in stages that are fed.
    invocations: Vec<Option<Invocation>>,
    /// The threads of a group in the order of lanes, in stages that have groups, and the width of waves.
    threads: Vec<u32>,
    width: u32,
    company: HashMap<Inst, [u32; 2]>,
    steps: Vec<Step>,
    by: BTreeMap<Invocation, Vec<usize>>,
}

impl<'a> Trail<'a> {
    fn new(suspect: &'a Suspect<'_>, width: u32) -> Trail<'a> {
        let Suspect { part, module, ref wanted, ref marked, .. } = *suspect;
        let threads = match part.has_groups() {
            true => ir::deal(module.group_size, LaneOrder::natural(module)),
            false => Vec::new(),
        };
        Trail {
            module,
            marked,
            wanted,
            helpers: LaneMask::EMPTY,
            invocations: Vec::new(),
            threads: threads.iter().map(|it| it[3]).collect(),
            width,
            company: HashMap::default(),
            steps: Vec::new(),
            by: BTreeMap::new(),
        }
    }

    fn invocation(&self, at: At, lane: u32) -> Option<Invocation> {
        if self.threads.is_empty() {
            return self.invocations.get(lane as usize).copied().flatten();
        }
        let thread = *self.threads.get((at.wave * self.width + lane) as usize)?;
        Some(Invocation::Thread { group: at.group[0], thread })
    }
}

impl Observer for Trail<'_> {
    const POISON: bool = false;
    const INDIRECT: bool = true;

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
            let Some(of) = self.invocation(event.at, lane) else { continue };
            let bits = event.values.first().map_or(0, |it| it.get(lane));
            self.by.entry(of).or_default().push(self.steps.len());
            self.steps.push(Step { of, value, bits, company, wave: event.at.wave });
        }
    }
}

/// A program of the draw, and what of it may have led to a difference.
struct Suspect<'a> {
    part: Part,
    module: &'a Module,
    /// The instructions that wrote what differs, or what later programs read.
    wrote: Vec<Inst>,
    /// The operations behind these that see other lanes.
    wanted: HashSet<Inst>,
    /// Those of them that the channels that differ depend on.
    closest: HashSet<Inst>,
    marked: Marked,
}

impl<'a> Suspect<'a> {
    fn new(part: Part, module: &'a Module, content: &Content, channels: [bool; 4]) -> Suspect<'a> {
        let facts = Facts::new(module);
        let wrote = writers(module, content, part);
        let behind = |is_asked: &dyn Fn(Inst) -> bool| -> HashSet<Inst> {
            let asked = wrote.iter().filter(|inst| is_asked(**inst));
            let all = asked.flat_map(|inst| slice::backward(&facts, *inst));
            all.filter(|inst| sees_others(module, &module.inst(*inst).op)).collect()
        };
        let wanted = behind(&|_| true);
        // Blending mixes the channels, so that others may be the cause if these are not.
        let closest = behind(&|inst| decides(module, inst, content.holder, channels));
        Suspect { part, module, wanted, closest, marked: Marked::new(module), wrote }
    }

    /// The place of the first instruction that wrote.
    fn written(&self, name: &str) -> Option<Site> {
        let first = *self.wrote.first()?;
        let inst = self.module.inst(first);
        let is_output = match &inst.op {
            Op::Output { .. } => self.part != Part::Pixel,
            op => slice::written(self.module, op) == records(self.module),
        };
        let text = match (is_output, self.part) {
            (false, _) => format!("`{name}` is written here"),
            (true, Part::Vertex) => "the outputs of vertices are written here".to_owned(),
            (true, Part::PatchConstants) => "the patch constants are written here".to_owned(),
            (true, part) => {
                format!("the outputs of the {} shader are written here", part.stage().word())
            }
        };
        Some(Site { span: inst.span, inst: Some(first), text })
    }
}

/// The buffer that receives what a group passes on.
fn records(module: &Module) -> Option<Memory> {
    let last = module.resources.len().checked_sub(1)?;
    module.group.is_some().then_some(Memory::Buffer(Binding(last as u32)))
}

/// Whether an order varies which lanes of a program share a wave, or what they do there.
fn varies(order: Option<Order>, part: Part) -> bool {
    match order {
        Some(
            Order::Helpers(_)
            | Order::Packing(_)
            | Order::QuadOrigin(_)
            | Order::Coarse(_)
            | Order::EarlyDepth
            | Order::AlphaSamples(_),
        ) => part == Part::Pixel,
        Some(Order::Vertices(_)) => part == Part::Vertex,
        Some(Order::Patches(_)) => {
            matches!(part, Part::Hull | Part::PatchConstants | Part::Domain)
        }
        Some(Order::Primitives(_)) => part == Part::Geometry,
        Some(
            Order::Waves(_)
            | Order::HandOver
            | Order::Groups(_)
            | Order::SparseWaves
            | Order::Folds(_)
            | Order::Lanes(_)
            | Order::Rays(_)
            | Order::Children(_),
        )
        | None => false,
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
            // The two take different paths: an earlier value decided that.
            if mine.value != its.value {
                break;
            }
            let Some(inst) = module.made_by(mine.value) else { continue };
            if mine.bits == its.bits || !among.contains(&inst) {
                continue;
            }
            // The lane of an invocation differs as a matter of course.
            let is_query =
                matches!(module.inst(inst).op, Op::Wave { op, .. } if op.identifies_lane());
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

/// Whether an operation can give an invocation a different value for the same operands.
fn sees_others(module: &Module, op: &Op) -> bool {
    let effects = op.effects();
    let is_shared = |space: Space| match space {
        Space::Resource(place) => {
            Memory::Buffer(module.storage(place.binding)).is_changed_by_others(module)
        }
        Space::Counter(_) | Space::Shared(_) => true,
        // What a query finds depends on the order of candidates.
        Space::Queries => true,
        Space::Private(_) => false,
    };
    // A helper lane stays one in every wave.
    let is_of_lanes = effects.kind == facts::Kind::Lanes
        && !matches!(op, Op::Wave { op: WaveOp::IsHelperLane, .. });
    is_of_lanes || effects.sees_lanes || effects.reads().is_some_and(is_shared)
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

/// The instructions by which a program may have written a content, or what later programs read.
pub(super) fn writers(module: &Module, content: &Content, part: Part) -> Vec<Inst> {
    let own: Vec<Option<Memory>> = content
        .users
        .iter()
        .filter(|it| it.0 == part)
        .map(|it| Some(Memory::Buffer(module.storage(it.1))))
        .collect();
    // The outputs of a program decide about those after it.
    let is_before = match content.holder {
        Holder::Resource(..) => content.users.iter().any(|it| part < it.0),
        Holder::Target(..) | Holder::Depth(..) => true,
    };
    let records = records(module);
    let writes = |op: &Op| match op {
        Op::Output { .. } | Op::Discard => is_before,
        op => {
            let written = slice::written(module, op);
            written.is_some() && (own.contains(&written) || is_before && written == records)
        }
    };
    let all = module.insts.iter().enumerate().filter(|(_, it)| writes(&it.op));
    let mut all: Vec<Inst> = all.map(|(index, _)| Inst(index as u32)).collect();
    // A discarded pixel is not written.
    ops::sort_by_key(&mut all, |it| matches!(module.inst(*it).op, Op::Discard));
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
        let name = content.name.clone();
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
            site: Site { span: Span::NONE, inst: None, text: "written here".to_owned() },
            related: Vec::new(),
            notes: vec![note],
            helps: Vec::new(),
            stacks: Vec::new(),
            group: [0; 3],
            wave: 0,
            lanes: LaneMask::EMPTY,
            width: how[1].width,
        };
        if let Some(Order::AlphaSamples(_)) = how[1].order {
            finding.helps = help(kind, &name, Part::Pixel);
            return self.of_alpha(finding, how[0], texel);
        }
        let channels = difference.channels;
        let mut suspects: Vec<Suspect<'_>> = self
            .modules
            .iter()
            .map(|(part, module)| Suspect::new(*part, module, content, channels))
            .collect();
        // In the order of the draw, in which they are watched.
        let trails = {
            let mut record = |how: How| {
                self.report.runs += 1;
                let mut watched: Vec<Watched<'_, Trail<'_>>> = suspects
                    .iter()
                    .map(|it| Watched {
                        part: it.part,
                        program: &it.marked.program,
                        observer: Trail::new(it, how.width),
                    })
                    .collect();
                self.scene.run(How { marks: MARKS, ..how }, &mut watched)?;
                Ok(watched.into_iter().map(|it| it.observer).collect::<Vec<_>>())
            };
            [record(how[0])?, record(how[1])?]
        };
        // The varied stage comes first; else the nearest cause.
        let mut numbers: Vec<usize> = (0..suspects.len()).collect();
        ops::sort_by_key(&mut numbers, |it| {
            let is_varied = how.iter().any(|how| varies(how.order, suspects[*it].part));
            if is_varied { (0, *it) } else { (1, suspects.len() - it) }
        });
        for it in &numbers {
            let suspect = &suspects[*it];
            let (both, module) = ([&trails[0][*it], &trails[1][*it]], suspect.module);
            let mut first = [&suspect.closest, &suspect.wanted]
                .into_iter()
                .map(|among| first_difference(module, both, among, is_near));
            let Some((a, b)) = first.find_map(|it| it) else { continue };
            let (a, b) = (&both[0].steps[a], &both[1].steps[b]);
            let Some(inst) = module.made_by(a.value) else { continue };
            let side = |step: &Step, words: &str| {
                let value = of_type(module.ty(step.value), step.bits);
                format!("{value}{} ({words})", company(step))
            };
            let differs =
                format!("{} gets {}, or {}", named(a.of), side(a, &words[0]), side(b, &words[1]));
            let (span, inst) = (module.inst(inst).span, Some(inst));
            let spent = spent(module, a.value).filter(|_| kind == Kind::OrderDependentResult);
            finding.site = match spent {
                Some((span, inst)) => Site { span, inst, text: format!("{differs} here") },
                None => Site { span, inst, text: differs },
            };
            if spent.is_some() {
                let text = "numbers are taken here in any order".to_owned();
                finding.related.push(Site { span, inst, text });
            }
            finding.wave = b.wave;
            let written = suspect.written(&name);
            finding.related.extend(written.filter(|it| it.span != finding.site.span));
            finding.helps = help(kind, &name, suspect.part);
            let finding = finding.with_stacks(suspect.module);
            return Ok((suspect.part.stage(), finding, Some(b.of)));
        }
        // No operation is the cause: lanes interacted through memory.
        let last = suspects.iter().rposition(|it| !it.wrote.is_empty()).unwrap_or(0);
        let suspect = suspects.swap_remove(last);
        if let Some(inst) = suspect.wrote.first() {
            finding.site.span = suspect.module.inst(*inst).span;
            finding.site.inst = Some(*inst);
        }
        finding.helps = help(kind, &name, suspect.part);
        Ok((suspect.part.stage(), finding.with_stacks(suspect.module), None))
    }
}

/// Where a program first uses the number that it has taken from a counter: taking numbers in any order is right; only
/// their use may be wrong.
fn spent(module: &Module, number: Value) -> Option<(Span, Option<Inst>)> {
    let taken = module.inst(module.made_by(number)?);
    let (Op::Atomic { op: Atomic::Add, .. } | Op::SharedAtomic { op: Atomic::Add, .. }) = taken.op
    else {
        return None;
    };
    let is_behind = |it: &Span| taken.span.hi <= it.lo;
    let uses = |it: &Inst| {
        let data = module.inst(*it);
        let kind = data.op.effects().kind;
        let passes_on =
            matches!(kind, facts::Kind::Terminator | facts::Kind::Construct | facts::Kind::Note);
        !passes_on && data.op.operands().contains(&number) && is_behind(&data.span)
    };
    let by_inst = (0..module.insts.len() as u32).map(Inst).find(uses);
    assigned::earlier(module, assigned::after(module, number, taken.span).next(), by_inst)
}

/// The participants, in words.
fn company(step: &Step) -> String {
    let counted = |count: u32, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let lane = match step.of {
        Invocation::Pixel { .. } => "pixel",
        Invocation::Vertex { .. }
        | Invocation::ControlPoint { .. }
        | Invocation::Patch(_)
        | Invocation::DomainPoint { .. }
        | Invocation::Primitive { .. }
        | Invocation::Thread { .. } => "lane",
    };
    match step.company {
        None => String::new(),
        Some([pixels, 0]) => format!(" of {}", counted(pixels, lane)),
        Some([pixels, helpers]) => {
            format!(" of {} and {}", counted(pixels, lane), counted(helpers, "helper lane"))
        }
    }
}

/// The remedies.
fn help(kind: Kind, name: &str, part: Part) -> Vec<String> {
    let lane = match part {
        Part::Pixel => "the pixel and its quad",
        Part::Vertex => "the vertex",
        Part::Hull => "the control point and its patch",
        Part::PatchConstants => "the patch",
        Part::Domain => "the point and its patch",
        Part::Geometry => "the primitive",
        Part::Amplification | Part::Mesh => "the thread and its group",
    };
    let text = match kind {
        Kind::DependsOnHelpers => {
            "some machines let helper lanes take part in wave operations: exclude them with `if (!IsHelperLane())`, or give them a value that changes nothing"
                .to_owned()
        }
        Kind::DependsOnPacking | Kind::WidthDependentResult => format!(
            "compute it from {lane}, or combine all waves, by one atomic operation for each; if `{name}` is meant to differ, pass `--width-dependent {name}`"
        ),
        Kind::DependsOnQuads => {
            "take derivatives of smooth values only; where the result must be exact, compute the gradient in the shader"
                .to_owned()
        }
        Kind::DependsOnAlphaSamples => {
            "write `SV_Coverage` to choose the samples, or let alpha be 0 or 1 where an edge, a mask or another primitive shares the samples of a pixel"
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
