//! The sweep: one program at every width, in several orders, each run watched or compared.

use interp::NoObserver;
use ir::exec::{Bindings, Failure, LaneOrder, Launch, Schedule};
use ir::{Binding, HostScalar, Module, ResourceKind};

use crate::compare::{self, Difference, Side};
use crate::finding::{Finding, Kind, Verdict};
use crate::race::IntraWaveSync;
use crate::watch::Watcher;

/// What is tried, and what is taken for granted.
#[derive(Clone, Debug)]
pub struct Plan {
    pub widths: Vec<u32>,
    /// Beside the order of the launch.
    pub lane_orders: Vec<LaneOrder>,
    /// Beside the schedule of the launch.
    pub schedules: Vec<Schedule>,
    pub sync: IntraWaveSync,
    /// Resources whose content is meant to differ between widths.
    pub width_dependent: Vec<String>,
    /// Resources whose elements may come in any order.
    pub unordered: Vec<String>,
}

impl Plan {
    /// The bounded sweep: each width, the opposite order of waves and groups, and one at random.
    pub fn new(widths: Vec<u32>) -> Plan {
        Plan {
            widths,
            lane_orders: Vec::new(),
            schedules: vec![Schedule::Descending, Schedule::Random(1)],
            sync: IntraWaveSync::default(),
            width_dependent: Vec::new(),
            unordered: Vec::new(),
        }
    }

    /// How many runs it takes if nothing differs.
    pub fn runs(&self) -> usize {
        self.widths.len() * (1 + self.lane_orders.len() + self.schedules.len())
    }
}

/// A finding and the widths at which it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// As it was made at the smallest width.
    pub finding: Finding,
    pub widths: Vec<u32>,
    /// The seed of the random order that showed it, where one did.
    pub seed: Option<u64>,
}

/// What a sweep found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub seen: Vec<Seen>,
}

impl Report {
    fn add(&mut self, finding: Finding, launch: &Launch) {
        let width = finding.width;
        match self.seen.iter_mut().find(|it| it.finding.is_like(&finding)) {
            Some(seen) if seen.widths.contains(&width) => {}
            Some(seen) => seen.widths.push(width),
            None => self.seen.push(Seen { finding, widths: vec![width], seed: seed(launch) }),
        }
    }

    /// Whether the program did something at that width that the language does not define.
    fn is_undefined_at(&self, width: u32) -> bool {
        self.seen.iter().any(|it| {
            it.widths.contains(&width)
                && matches!(it.finding.kind.verdict(), Verdict::Undefined | Verdict::Unspecified)
        })
    }
}

/// Floats whose spread stays below this are the same result summed in another order.
const FLOAT_SPREAD: f64 = 1.0 / 1024.0;

/// Runs the whole plan. `launch` gives everything but the width.
pub fn examine(
    module: &Module,
    launch: &Launch,
    bindings: &Bindings,
    plan: &Plan,
) -> Result<Report, (u32, Failure)> {
    let mut report = Report::default();
    let mut canonical: Option<(Launch, Bindings)> = None;
    let writable = |binding: Binding| module.resource(binding).kind.writable();
    let named = |names: &[String], binding: Binding| {
        names.iter().any(|it| *it == module.resource(binding).name)
    };
    for width in &plan.widths {
        let launch = Launch { wave_width: *width, ..launch.clone() };
        let at = |failure| (*width, failure);
        let mut watcher = Watcher::new(module, *width, plan.sync);
        let mut left = bindings.clone();
        interp::run(module, &launch, &mut left, &mut watcher).map_err(at)?;
        watcher.into_findings().into_iter().for_each(|it| report.add(it, &launch));
        // Where something is undefined, differences need no other explanation.
        if report.is_undefined_at(*width) {
            continue;
        }
        let mut differs = false;
        for other in others(&launch, plan) {
            let mut again = bindings.clone();
            interp::run(module, &other, &mut again, &mut NoObserver).map_err(at)?;
            let compared = |it| writable(it) && !named(&plan.unordered, it);
            let Some(difference) = real_difference(module, &left, &again, compared) else {
                continue;
            };
            differs = true;
            let (a, b) = (
                Side { module, launch: &launch, bindings },
                Side { module, launch: &other, bindings },
            );
            let permuted = is_permuted(module, &left, &again, difference);
            let kind = if permuted { Kind::PermutedResult } else { Kind::OrderDependentResult };
            let what = if other.lane_order == launch.lane_order {
                "the order in which waves and groups run"
            } else {
                "the order in which threads are dealt to lanes"
            };
            let finding = compare::explain(kind, &a, &b, difference, what).map_err(at)?;
            report.add(finding, &other);
            break;
        }
        match &canonical {
            // An order that decides the result decides it between widths too.
            _ if differs => {}
            None => canonical = Some((launch, left)),
            Some((first, expected)) => {
                let compared = |it| {
                    writable(it) && !named(&plan.unordered, it) && !named(&plan.width_dependent, it)
                };
                if let Some(difference) = real_difference(module, expected, &left, compared) {
                    let (a, b) = (
                        Side { module, launch: first, bindings },
                        Side { module, launch: &launch, bindings },
                    );
                    let kind = Kind::WidthDependentResult;
                    let what = "the width of waves";
                    let finding = compare::explain(kind, &a, &b, difference, what).map_err(at)?;
                    report.add(finding, &launch);
                }
            }
        }
    }
    Ok(report)
}

/// The seed of what is random about a launch.
fn seed(launch: &Launch) -> Option<u64> {
    match launch.schedule {
        Schedule::Random(seed) => Some(seed),
        Schedule::Ascending | Schedule::Descending | Schedule::RoundRobin => None,
    }
}

/// The launches that should leave the same.
fn others(launch: &Launch, plan: &Plan) -> Vec<Launch> {
    let orders = plan.lane_orders.iter().filter(|it| **it != launch.lane_order);
    let orders = orders.map(|it| Launch { lane_order: *it, ..launch.clone() });
    let schedules = plan.schedules.iter().filter(|it| **it != launch.schedule);
    orders.chain(schedules.map(|it| Launch { schedule: *it, ..launch.clone() })).collect()
}

/// The first difference that is more than floats rounded in another order.
fn real_difference(
    module: &Module,
    a: &Bindings,
    b: &Bindings,
    is_compared: impl Fn(Binding) -> bool,
) -> Option<Difference> {
    let exact = |it| is_compared(it) && !are_close(module, a, b, it);
    compare::first_difference(a, b, exact)
}

/// Whether a resource of floats alone holds nearly the same in both.
fn are_close(module: &Module, a: &Bindings, b: &Bindings, binding: Binding) -> bool {
    let floats = match &module.resource(binding).kind {
        ResourceKind::Structured { members, .. } => {
            members.iter().all(|it| it.scalar == HostScalar::F32)
        }
        ResourceKind::Typed { element, .. } => element.scalar == HostScalar::F32,
        _ => false,
    };
    let (a, b) = (&a.bindings[binding.index()], &b.bindings[binding.index()]);
    let value =
        |bytes: &[u8]| f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    floats
        && a.iter().zip(b).all(|(a, b)| {
            a.format.is_none()
                && a.counter == b.counter
                && a.bytes.len() == b.bytes.len()
                && a.bytes.chunks_exact(4).zip(b.bytes.chunks_exact(4)).all(|(a, b)| {
                    let (x, y) = (value(a), value(b));
                    a == b || (x - y).abs() <= FLOAT_SPREAD * x.abs().max(y.abs())
                })
        })
}

/// Whether both hold the same elements, in another order.
fn is_permuted(module: &Module, a: &Bindings, b: &Bindings, difference: Difference) -> bool {
    let size = match &module.resource(difference.binding).kind {
        ResourceKind::Structured { stride, .. } => *stride as usize,
        ResourceKind::Raw { .. } | ResourceKind::Typed { .. } => 4,
        _ => return false,
    };
    let elements = |it: &Bindings| {
        let buffer = it.bindings[difference.binding.index()].get(difference.element as usize)?;
        let mut all: Vec<Vec<u8>> = buffer.bytes.chunks(size.max(1)).map(<[u8]>::to_vec).collect();
        all.sort();
        Some((all, buffer.counter))
    };
    elements(a) == elements(b)
}
