//! Root causes of differences between two runs of one program.
//!
//! Both runs are repeated and observed. The last writers of the first differing byte are found, and `chain` walks back
//! from there. Where that finds no cause, of all wave operations on which the writers' values may depend, the
//! first in execution order that gave a thread a different result is named.
//! A thread is identified by its `SV_GroupIndex`, whichever lane it is assigned to.

use diag::Span;
use interp::observe::{AccessEvent, At, DivergeEvent, Space, WaveEvent};
use interp::{Observer, Progress, Variation};
use ir::exec::{Bindings, Failure, Launch, Schedule};
use ir::{Binding, Inst, Module};
use ops::wave::Results;
use ops::{F16, LaneMask, Ty, WaveOp};

use crate::chained;
use crate::facts::{self, Facts};
use crate::finding::{Finding, Kind, Named, Site};
use crate::hash::{self, HashMap, HashSet};
use crate::order::{GroupOrder, Order, RayOrder};
use crate::place;
use crate::slice;
use crate::sweep::on_threads;

/// The number of results remembered; beyond it the first difference may be missed, and the finding is less specific.
const MOST_RESULTS: usize = 1 << 22;
/// The number of decisions compared.
const MOST_TURNS: usize = 1 << 19;

/// A byte that differs after two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    pub binding: Binding,
    /// The element of a resource array.
    pub element: u32,
    pub byte: u64,
}

/// What one run did, as far as it can explain a difference.
struct Trace {
    wanted: Difference,
    width: u32,
    /// The thread in each slot, wave by wave and lane by lane.
    threads: Vec<u32>,
    /// The relevant wave operations.
    slice: HashSet<Inst>,
    /// Atomic operations that change nothing.
    loads: HashSet<Inst>,
    writer: Option<Writer>,
    /// The results for each operation, group and thread, in order; one execution may give several.
    results: HashMap<(Inst, [u32; 3], u32), Vec<u64>>,
    /// In execution order: operation, group, thread and the number of the execution.
    order: Vec<(Inst, Span, WaveOp, [u32; 3], u32, u32)>,
}

/// The last writer of a byte.
#[derive(Clone, Copy)]
pub(crate) struct Writer {
    inst: Inst,
    span: Span,
    pub(crate) group: [u32; 3],
    thread: Option<u32>,
}

impl Trace {
    fn new(wanted: Difference, side: &Side<'_>, slice: HashSet<Inst>) -> Trace {
        let (results, order) = (HashMap::default(), Vec::new());
        let width = side.launch.wave_width;
        let threads = ir::deal(side.module.group_size, side.launch.lane_order);
        let threads = threads.iter().map(|it| it[3]).collect();
        let all = (0..side.module.insts.len() as u32).map(Inst);
        let loads = all.filter(|it| facts::only_reads(side.module, *it)).collect();
        Trace { wanted, width, threads, slice, loads, writer: None, results, order }
    }

    fn written(&mut self, event: &AccessEvent<'_>) {
        let lane = match event.space {
            Space::Buffer(binding, elements) if binding == self.wanted.binding => event
                .at
                .active
                .iter()
                .filter(|lane| {
                    let lane = *lane;
                    let start = event.addresses[lane as usize];
                    let element = elements.map_or(0, |it| it[lane as usize]);
                    event.in_bounds.contains(lane)
                        && element == self.wanted.element
                        && (start..start + u64::from(event.size)).contains(&self.wanted.byte)
                })
                .last(),
            Space::Counter(binding)
                if binding == self.wanted.binding && self.wanted.byte == u64::MAX =>
            {
                event.at.active.iter().last()
            }
            Space::Buffer(..) | Space::Counter(_) | Space::Shared(_) | Space::Private(_) => None,
        };
        let Some(lane) = lane else { return };
        let At { inst, span, group, .. } = event.at;
        self.writer = Some(Writer { inst, span, group, thread: self.thread(event.at, lane) });
    }

    fn thread(&self, at: At, lane: u32) -> Option<u32> {
        self.threads.get((at.wave * self.width + lane) as usize).copied()
    }

    /// The result of an execution of an operation for a thread.
    fn result(&self, key: (Inst, [u32; 3], u32), number: u32, many: usize) -> Option<&[u64]> {
        let start = number as usize * many;
        self.results.get(&key)?.get(start..start + many)
    }
}

impl Observer for Trace {
    const POISON: bool = false;
    const INDIRECT: bool = true;

    fn store(&mut self, event: &AccessEvent<'_>) {
        self.written(event);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        if !self.loads.contains(&event.at.inst) {
            self.written(event);
        }
    }

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        let at = event.at;
        if !self.slice.contains(&at.inst) || self.order.len() >= MOST_RESULTS {
            return;
        }
        for lane in event.wave.active.iter() {
            let Some(thread) = self.thread(at, lane) else { continue };
            let results = self.results.entry((at.inst, at.group, thread)).or_default();
            let number = results.len() / event.results.len().max(1);
            self.order.push((at.inst, at.span, event.op, at.group, thread, number as u32));
            results.extend(event.results.iter().map(|it| it.get(lane)));
        }
    }
}

/// One of the two runs being compared.
pub struct Side<'a> {
    pub module: &'a Module,
    pub launch: &'a Launch,
    pub variation: Variation,
    /// The initial contents.
    pub bindings: &'a Bindings,
    /// On how many threads runs are repeated.
    pub threads: usize,
}

/// The finding about a difference between two runs.
///
/// A permuted result is one whose elements were written by other threads: if every thread keeps its element, and
/// the assignment of threads to lanes decides its value, the result depends on just that.
pub fn explain(
    kind: Kind,
    a: &Side<'_>,
    b: &Side<'_>,
    difference: Difference,
    what: &str,
    right: &[Side<'_>],
) -> Result<Finding, Failure> {
    let facts = Facts::new(a.module).with_textures(a.bindings);
    let watch = |side: &Side<'_>, slice: HashSet<Inst>| {
        let mut trace = Trace::new(difference, side, slice);
        let mut bindings = side.bindings.clone();
        let program = interp::decode(side.module);
        interp::run_varied(&program, side.launch, side.variation, &mut bindings, &mut trace)?;
        Ok(trace)
    };
    // Both at once, if there are threads.
    let both = |slice: HashSet<Inst>| {
        let one = |at: usize| watch([a, b][at], slice.clone());
        let mut two = on_threads(a.threads, 2, one, Result::is_ok).into_iter();
        match (two.next(), two.next()) {
            (Some(Ok(a)), Some(Ok(b))) => Ok([a, b]),
            (Some(Err(failure)), _) | (_, Some(Err(failure))) => Err(failure),
            _ => unreachable!("a run is left out only after one that failed"),
        }
    };
    // Once to find the writers, once more to see what their values depend on.
    let writers: Vec<Writer> =
        both(HashSet::default())?.into_iter().filter_map(|it| it.writer).collect();
    let other_lanes = a.launch.lane_order != b.launch.lane_order;
    let kind = match writers.as_slice() {
        [one, other]
            if kind == Kind::PermutedResult
                && other_lanes
                && (one.group, one.thread) == (other.group, other.thread) =>
        {
            Kind::OrderDependentResult
        }
        _ => kind,
    };
    let slice: HashSet<Inst> =
        writers.iter().flat_map(|it| slice::backward(&facts, it.inst)).collect();
    let has_chain = matches!(kind, Kind::WidthDependentResult | Kind::OrderDependentResult)
        || of_rays(kind).is_some();
    if has_chain
        && let Some(finding) =
            chained::explain(&facts, [a, b], (kind, difference, what), &writers, right, &slice)?
    {
        return Ok(finding);
    }
    let [left, right] = both(slice)?;
    let resource = a.module.resource(difference.binding);
    let mut differing = left.order.iter().filter(|(inst, _, _, group, thread, n)| {
        let key = (*inst, *group, *thread);
        let many = a.module.inst(*inst).results.len();
        left.result(key, *n, many) != right.result(key, *n, many)
    });
    // With other lane assignments, lane indices differ as a matter of course; only what is computed from them
    // matters.
    let is_news = !other_lanes;
    let first = differing.clone().find(|it| is_news || !it.2.identifies_lane());
    let first = first.or_else(|| differing.next());
    let wrote = writers.first().map(|it| it.inst);
    let written = writers.first().map_or(resource.span, |it| it.span);
    let (site, mut related, group, wave) = match first {
        Some((inst, span, op, group, thread, n)) => {
            let key = (*inst, *group, *thread);
            let types: Vec<Ty> =
                a.module.inst(*inst).results.iter().map(|it| a.module.ty(*it)).collect();
            let value = |trace: &Trace| {
                let value = trace.result(key, *n, types.len());
                value.map_or("nothing, because it does not execute".to_owned(), |it| {
                    shown(*op, &types, it)
                })
            };
            let text = format!(
                "the first difference: thread {thread} of its group gets {} ({}), or {} ({})",
                value(&left),
                describe(a, b),
                value(&right),
                describe(b, a),
            );
            let slot = right.threads.iter().position(|it| it == thread).unwrap_or(0) as u32;
            let related = vec![Site {
                span: written,
                inst: wrote,
                text: format!("`{}` is written here", resource.name),
            }];
            (
                Site { span: *span, inst: Some(*inst), text },
                related,
                *group,
                slot / b.launch.wave_width,
            )
        }
        None => (
            Site { span: written, inst: wrote, text: "written here".to_owned() },
            Vec::new(),
            [0; 3],
            0,
        ),
    };
    related.retain(|it| it.span != site.span);
    // No wave operation is the cause: waves interacted through memory.
    let by_memory = first.is_none()
        && kind == Kind::OrderDependentResult
        && (a.launch.schedule != b.launch.schedule || b.variation.hands_over);
    let helps = by_memory.then(|| {
        "the contents of memory depend on which wave comes first: order the accesses by a barrier, or compute something that does not depend on the order"
            .to_owned()
    });
    let helps = helps.or_else(|| advised(kind, &resource.name)).into_iter().collect();
    let place = in_words(&facts, difference);
    Ok(Finding {
        kind,
        message: format!("`{}` depends on {what}", resource.name),
        site,
        related,
        notes: vec![format!(
            "{place} is the first that differs: {} against {}",
            describe(a, b),
            describe(b, a)
        )],
        helps,
        stacks: Vec::new(),
        group,
        wave,
        lanes: LaneMask::EMPTY,
        // Of two widths, the one that differs from the previous ones.
        width: b.launch.wave_width,
    }
    .with_stacks(a.module))
}

/// The remedies for a difference whose chain is not known. A permuted result has its own help.
fn advised(kind: Kind, name: &str) -> Option<String> {
    Some(match kind {
        Kind::WidthDependentResult => format!(
            "compute this so that it does not depend on how threads are divided into waves, or name the buffer in `--width-dependent {name}` if it is meant to differ"
        ),
        Kind::OrderDependentResult => {
            "compute something that does not depend on the order, or order the accesses by a barrier"
                .to_owned()
        }
        Kind::DependsOnWaveCount => {
            "decide by threads instead of waves; to number waves without gaps, let the first lane of each increment a counter in groupshared memory"
                .to_owned()
        }
        _ => return of_rays(kind).map(str::to_owned),
    })
}

/// The remedies for a result that depends on how candidates are offered to ray queries; `None` for others.
pub(crate) fn of_rays(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::CandidateDependentResult => Some(
            "decide by properties of a candidate, such as its distance, not by how many there are or which comes first",
        ),
        Kind::RayTie => Some(
            "use only values that equally near hits share, such as the distance, or choose one of them by your own rule",
        ),
        _ => None,
    }
}

/// The finding about a difference of which only the store is known.
pub(crate) fn unexplained(
    kind: Kind,
    a: &Side<'_>,
    b: &Side<'_>,
    difference: Difference,
    what: &str,
    writer: Option<Inst>,
) -> Finding {
    let facts = Facts::new(a.module).with_textures(a.bindings);
    let resource = a.module.resource(difference.binding);
    let span = writer.map_or(resource.span, |it| a.module.inst(it).span);
    let text = if writer.is_some() { "written here" } else { "declared here" };
    let note = format!(
        "{} differs, too: {} against {}",
        in_words(&facts, difference),
        describe(a, b),
        describe(b, a)
    );
    Finding {
        kind,
        message: format!("`{}` depends on {what}", resource.name),
        site: Site { span, inst: writer, text: text.to_owned() },
        related: Vec::new(),
        notes: vec![note],
        helps: vec!["fix the other findings first: this one may have the same cause".to_owned()],
        stacks: Vec::new(),
        group: [0; 3],
        wave: 0,
        lanes: LaneMask::EMPTY,
        width: b.launch.wave_width,
    }
    .with_stacks(a.module)
}

/// The finding about an element that only one run leaves, where elements may come in any order.
pub(crate) fn odd_element(
    kind: Kind,
    a: &Side<'_>,
    b: &Side<'_>,
    difference: Difference,
    writer: Option<Inst>,
) -> Finding {
    let (right, wrong) = (describe(a, b), describe(b, a));
    let facts = Facts::new(a.module).with_textures(a.bindings);
    let place = in_words(&facts, difference);
    let mut finding = unexplained(kind, a, b, difference, "the wave width", writer);
    finding.site.text =
        format!("{place} is written here with {wrong}, and no element equals it with {right}");
    finding.notes = vec![format!("elements are compared in any order: {right} against {wrong}")];
    finding.helps = vec![
        "let the stored values depend on the thread, not on how threads are divided into waves"
            .to_owned(),
    ];
    finding
}

/// The place of a difference.
pub(crate) fn in_words(facts: &Facts<'_>, difference: Difference) -> String {
    let name = &facts.module.resource(difference.binding).name;
    match difference.byte {
        u64::MAX => format!("the counter of `{name}`"),
        byte => format!("{} of `{name}`", place::of_byte(facts, difference.binding, byte)),
    }
}

/// A result for display: lanes if it is a set of them.
fn shown(op: WaveOp, types: &[Ty], bits: &[u64]) -> String {
    if op.signature().results == Results::Lanes {
        let words = bits.iter().rev();
        let lanes = LaneMask(words.fold(0, |all, word| all << 32 | u128::from(*word)));
        return if lanes.is_empty() { "no lanes".to_owned() } else { Named(lanes).to_string() };
    }
    let one = |(ty, bits): (&Ty, &u64)| of_type(*ty, *bits);
    match types.iter().zip(bits).map(one).collect::<Vec<_>>().as_slice() {
        [only] => only.clone(),
        many => format!("({})", many.join(", ")),
    }
}

pub(crate) fn of_type(ty: Ty, bits: u64) -> String {
    match ty {
        Ty::Bool => (bits != 0).to_string(),
        Ty::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Ty::F64 => format!("{:?}", f64::from_bits(bits)),
        Ty::F16 => format!("{:?}", F16(bits as u16).to_f32()),
        // The signedness is not known here, and large numbers are more recognisable in hexadecimal.
        Ty::I16 | Ty::I32 | Ty::I64 if bits <= MOST_DECIMAL => bits.to_string(),
        Ty::I16 | Ty::I32 | Ty::I64 => format!("{bits:#x}"),
    }
}

/// Integers are shown in decimal up to this one.
const MOST_DECIMAL: u64 = 0xff_ffff;

/// What distinguishes a run from another.
pub(crate) fn describe(side: &Side<'_>, other: &Side<'_>) -> String {
    let (launch, there) = (side.launch, other.launch);
    if launch.wave_width != there.wave_width {
        format!("waves of {} lanes", launch.wave_width)
    } else if launch.lane_order != there.lane_order {
        Order::Lanes(launch.lane_order).to_string()
    } else if side.variation.progress != other.variation.progress {
        match (side.variation.progress, launch.schedule) {
            (Progress::OccupancyBound, Schedule::Descending) => {
                Order::Groups(GroupOrder::Descending).to_string()
            }
            (Progress::OccupancyBound, _) => Order::Groups(GroupOrder::Ascending).to_string(),
            _ => "all groups at the same time".to_owned(),
        }
    } else if side.variation.sparse_waves {
        Order::SparseWaves.to_string()
    } else if other.variation.sparse_waves {
        "group-waves=least".to_owned()
    } else if side.variation.hands_over {
        Order::HandOver.to_string()
    } else if side.variation.search != other.variation.search {
        let order = RayOrder::of(&side.variation.search);
        order.map_or_else(|| "rays=nearest".to_owned(), |it| Order::Rays(it).to_string())
    } else if launch.schedule != there.schedule || other.variation.hands_over {
        Order::Waves(launch.schedule).to_string()
    } else {
        Order::Folds(side.variation.folds).to_string()
    }
}

/// A decision or an address that a different order of additions has changed, although the results are almost equal.
pub(crate) fn explain_turn(
    (at, decision): (At, Decision),
    a: &Side<'_>,
    b: &Side<'_>,
    subject: &str,
) -> Finding {
    let what = match decision {
        Decision::Address => "an address",
        Decision::Path => "the path that lanes take",
    };
    Finding {
        kind: Kind::OrderDependentResult,
        message: format!("{what} depends on {subject}"),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: "the first that differs".to_owned(),
        },
        related: Vec::new(),
        notes: vec![format!("{} against {}", describe(a, b), describe(b, a))],
        helps: vec!["compare floats with a tolerance, or sum integers".to_owned()],
        stacks: Vec::new(),
        group: at.group,
        wave: at.wave,
        lanes: at.active,
        width: b.launch.wave_width,
    }
    .with_stacks(a.module)
}

/// What a float may decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Path,
    Address,
}

/// The branches taken and the addresses accessed, in execution order: everything that a change in the last bits of
/// a float must not affect.
#[derive(Default)]
pub(crate) struct Turns {
    /// Each with a digest of what was decided.
    pub(crate) all: Vec<(At, u64, Decision)>,
}

impl Turns {
    fn note(&mut self, at: At, decision: Decision, values: impl Iterator<Item = u64>) {
        if self.all.len() < MOST_TURNS {
            self.all.push((at, hash::digest(values), decision));
        }
    }

    /// The first decision that differs in another run.
    pub(crate) fn first_difference(&self, other: &Turns) -> Option<(At, Decision)> {
        type Turn = (At, u64, Decision);
        let differs = |(mine, theirs): &(&Turn, &Turn)| {
            (mine.0.inst, mine.0.active, mine.1) != (theirs.0.inst, theirs.0.active, theirs.1)
        };
        let (mine, _) = self.all.iter().zip(&other.all).find(differs)?;
        Some((mine.0, mine.2))
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let addresses = event.at.active.iter().map(|lane| event.addresses[lane as usize]);
        self.note(event.at, Decision::Address, addresses);
    }
}

impl Observer for Turns {
    const POISON: bool = false;
    const INDIRECT: bool = true;

    fn diverge(&mut self, event: &DivergeEvent) {
        let taken = [event.taken.0 as u64, (event.taken.0 >> 64) as u64];
        self.note(event.at, Decision::Path, taken.into_iter());
    }

    fn load(&mut self, event: &AccessEvent<'_>) {
        self.access(event);
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        self.access(event);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.access(event);
    }
}
