//! Why two runs of one program differ: the first wave operation on the way to the difference that gave something else.
//!
//! Both runs are watched once more. The last writers of the first differing byte are found; of all wave operations that
//! can have a part in what they wrote, the first in the order of the run that gave a thread another result is named.
//! A thread is known by its slot, the number under which it is dealt to lanes: that is the same at every width.

use std::collections::{HashMap, HashSet};

use diag::Span;
use interp::Observer;
use interp::observe::{AccessEvent, Space, WaveEvent};
use ir::exec::{Bindings, Failure, Launch};
use ir::{Binding, Inst, Module};
use ops::WaveOp;

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Site};
use crate::slice;

/// So many results are remembered; beyond, the first difference may be missed, and the finding says less.
const MOST_RESULTS: usize = 1 << 22;

/// A byte that two runs left different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    pub binding: Binding,
    /// The element of a resource array.
    pub element: u32,
    pub byte: u64,
}

/// The first difference between what two runs left, among the resources that are compared.
pub fn first_difference(
    a: &Bindings,
    b: &Bindings,
    is_compared: impl Fn(Binding) -> bool,
) -> Option<Difference> {
    let all = (0..).map(Binding).zip(a.bindings.iter().zip(&b.bindings));
    all.filter(|(binding, _)| is_compared(*binding)).find_map(|(binding, (a, b))| {
        (0..).zip(a.iter().zip(b)).find_map(|(element, (a, b))| {
            let byte = match a.bytes.iter().zip(&b.bytes).position(|(a, b)| a != b) {
                Some(byte) => byte as u64,
                None if a.counter != b.counter => u64::MAX,
                None => return None,
            };
            Some(Difference { binding, element, byte })
        })
    })
}

/// What one run did, as far as it can explain a difference.
struct Trace {
    wanted: Difference,
    width: u32,
    /// The wave operations that count.
    slice: HashSet<Inst>,
    writer: Option<(Inst, Span)>,
    /// For each operation, group and slot, the results in order.
    results: HashMap<(Inst, [u32; 3], u32), Vec<u64>>,
    /// In the order of the run: operation, group, slot and the number of the execution.
    order: Vec<(Inst, Span, WaveOp, [u32; 3], u32, u32)>,
}

impl Trace {
    fn new(wanted: Difference, width: u32, slice: HashSet<Inst>) -> Trace {
        let (results, order) = (HashMap::new(), Vec::new());
        Trace { wanted, width, slice, writer: None, results, order }
    }

    fn written(&mut self, event: &AccessEvent<'_>) {
        let touches = match event.space {
            Space::Buffer(binding, elements) if binding == self.wanted.binding => {
                event.at.active.iter().any(|lane| {
                    let start = event.addresses[lane as usize];
                    let element = elements.map_or(0, |it| it[lane as usize]);
                    event.in_bounds.contains(lane)
                        && element == self.wanted.element
                        && (start..start + u64::from(event.size)).contains(&self.wanted.byte)
                })
            }
            Space::Counter(binding) => {
                binding == self.wanted.binding && self.wanted.byte == u64::MAX
            }
            Space::Buffer(..) | Space::Shared(_) | Space::Private(_) => false,
        };
        if touches {
            self.writer = Some((event.at.inst, event.at.span));
        }
    }
}

impl Observer for Trace {
    const POISON: bool = false;

    fn store(&mut self, event: &AccessEvent<'_>) {
        self.written(event);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.written(event);
    }

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        let at = event.at;
        if !self.slice.contains(&at.inst) || self.order.len() >= MOST_RESULTS {
            return;
        }
        for lane in event.wave.active.iter() {
            let slot = at.wave * self.width + lane;
            let digest =
                event.results.iter().fold(0u64, |all, it| all.rotate_left(17) ^ it.get(lane));
            let results = self.results.entry((at.inst, at.group, slot)).or_default();
            self.order.push((at.inst, at.span, event.op, at.group, slot, results.len() as u32));
            results.push(digest);
        }
    }
}

/// One of the two runs that are compared.
pub struct Side<'a> {
    pub module: &'a Module,
    pub launch: &'a Launch,
    /// The contents at the start.
    pub bindings: &'a Bindings,
}

/// The finding about a difference between two runs.
pub fn explain(
    kind: Kind,
    a: &Side<'_>,
    b: &Side<'_>,
    difference: Difference,
    what: &str,
) -> Result<Finding, Failure> {
    let facts = Facts::new(a.module);
    let watch = |side: &Side<'_>, slice: HashSet<Inst>| {
        let mut trace = Trace::new(difference, side.launch.wave_width, slice);
        let mut bindings = side.bindings.clone();
        interp::run(side.module, side.launch, &mut bindings, &mut trace)?;
        Ok(trace)
    };
    // Once to learn who wrote, once more to see what that came from.
    let writers: Vec<(Inst, Span)> =
        [watch(a, HashSet::new())?.writer, watch(b, HashSet::new())?.writer]
            .into_iter()
            .flatten()
            .collect();
    let slice: HashSet<Inst> =
        writers.iter().flat_map(|(inst, _)| slice::backward(&facts, *inst)).collect();
    let (left, right) = (watch(a, slice.clone())?, watch(b, slice)?);
    let resource = a.module.resource(difference.binding);
    let first = left.order.iter().find(|(inst, _, _, group, slot, n)| {
        let key = (*inst, *group, *slot);
        let (mine, other) = (left.results.get(&key), right.results.get(&key));
        mine.and_then(|it| it.get(*n as usize)) != other.and_then(|it| it.get(*n as usize))
    });
    let written = writers.first().map(|(_, span)| *span).unwrap_or(resource.span);
    let (site, mut related, group, wave) = match first {
        Some((inst, span, _, group, slot, n)) => {
            let key = (*inst, *group, *slot);
            let value = |trace: &Trace| {
                let value = trace.results.get(&key).and_then(|it| it.get(*n as usize));
                value.map_or("it is not executed".to_owned(), |it| format!("it gives {it:#x}"))
            };
            let text = format!(
                "the first difference: for thread {slot} of its group {} ({}), {} ({})",
                value(&left),
                describe(a.launch, b.launch),
                value(&right),
                describe(b.launch, a.launch),
            );
            let related =
                vec![Site { span: written, text: format!("`{}` is written here", resource.name) }];
            (Site { span: *span, text }, related, *group, *slot / b.launch.wave_width)
        }
        None => (Site { span: written, text: "written here".to_owned() }, Vec::new(), [0; 3], 0),
    };
    related.retain(|it| it.span != site.span);
    let place = match difference.byte {
        u64::MAX => format!("the counter of `{}`", resource.name),
        byte => format!("byte {byte} of `{}`", resource.name),
    };
    Ok(Finding {
        kind,
        message: format!("`{}` depends on {what}", resource.name),
        site,
        related,
        notes: vec![format!(
            "{place} is the first that differs: {} against {}",
            describe(a.launch, b.launch),
            describe(b.launch, a.launch)
        )],
        helps: Vec::new(),
        group,
        wave,
        lanes: ops::LaneMask::EMPTY,
        // Of two widths, the one that departs from what came before.
        width: b.launch.wave_width,
    })
}

/// What distinguishes a launch from another one.
fn describe(launch: &Launch, other: &Launch) -> String {
    if launch.wave_width != other.wave_width {
        format!("{} lanes", launch.wave_width)
    } else if launch.lane_order != other.lane_order {
        format!("{:?} lanes", launch.lane_order)
    } else {
        format!("{:?} schedule", launch.schedule)
    }
}
