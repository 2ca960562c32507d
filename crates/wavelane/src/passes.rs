//! Several dispatches on the same buffers, as jobs describe them: run as a list, measured, or examined by the sanitizer.
//!
//! Not part of the stability promise; a host records a [`CommandList`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ir::Binding;
use ir::exec::{Bindings, Launch};
use sanitizer::{Difference, Finding, Kind, Order, Plan, Report, Seen, Side, Verdict};

use crate::list::{self, Recorded};
use crate::memory::{Cell, Slot};
use crate::{
    Bindable, Buffer, BufferError, CommandList, ComputePipeline, Dispatch, DispatchError,
    ResourceTable, indirect,
};

/// One of several dispatches; which shader runs is the caller's business.
#[derive(Debug)]
pub struct Pass {
    /// What is bound. A buffer can be in the tables of several passes.
    pub table: ResourceTable,
    /// How many groups run.
    pub groups: Groups,
}

/// The group counts of a pass.
#[derive(Clone, Debug)]
pub enum Groups {
    /// In x, y and z.
    Count([u32; 3]),
    /// Three words of a buffer when the pass begins, at an offset in bytes.
    Indirect(Buffer, usize),
}

/// Contents that several tables can hold.
#[derive(Clone, Debug)]
pub struct Shared(Arc<Cell>);

impl Shared {
    /// New contents.
    pub fn new(slot: Slot) -> Shared {
        Shared(Cell::new(slot, None))
    }

    /// As a buffer of group counts.
    pub fn buffer(&self) -> Buffer {
        Buffer { cell: self.0.clone() }
    }

    /// Whether they are bound to the first element of a resource.
    pub fn is_bound(&self, table: &ResourceTable, name: &str) -> bool {
        table.cell(name, 0).is_some_and(|it| Arc::ptr_eq(it, &self.0))
    }

    pub(crate) fn cell(&self) -> &Cell {
        &self.0
    }
}

impl From<&Shared> for Bindable {
    fn from(shared: &Shared) -> Bindable {
        Bindable { cell: shared.0.clone() }
    }
}

impl Pass {
    /// Copies with buffers of their own, which are shared as those of `all` are.
    pub fn copied<'a>(all: impl IntoIterator<Item = &'a Pass>) -> Result<Vec<Pass>, BufferError> {
        let mut known = Vec::new();
        let copy = |it: &Pass| {
            let table = it.table.duplicate_with(&mut known)?;
            let groups = match &it.groups {
                Groups::Count(groups) => Groups::Count(*groups),
                Groups::Indirect(buffer, offset) => {
                    let cell = ResourceTable::copy_of(&buffer.cell, &mut known)?;
                    Groups::Indirect(Buffer { cell }, *offset)
                }
            };
            Ok(Pass { table, groups })
        };
        all.into_iter().map(copy).collect()
    }

    /// Adds the pass to a list; the group counts of `dispatch` do not matter.
    pub fn record(
        &self,
        list: &mut CommandList,
        pipeline: &ComputePipeline,
        dispatch: &Dispatch,
    ) -> Result<(), DispatchError> {
        match &self.groups {
            Groups::Count(groups) => {
                let dispatch = Dispatch { groups: *groups, ..dispatch.clone() };
                list.dispatch(pipeline, &dispatch, &self.table)
            }
            Groups::Indirect(buffer, offset) => {
                list.dispatch_indirect(pipeline, dispatch, &self.table, buffer, *offset)
            }
        }
    }

    /// The group counts as they are now, if a dispatch may have so many.
    pub fn counts(&self, pipeline: &ComputePipeline) -> Result<[u32; 3], DispatchError> {
        let groups = match &self.groups {
            Groups::Count(groups) => *groups,
            Groups::Indirect(buffer, offset) => indirect::counts(&buffer.read_bytes()?, *offset),
        };
        indirect::check(groups, pipeline.shader.module.threads_per_group())?;
        Ok(groups)
    }
}

/// The width of a pass in a job of waves of that width: the same, or else what its `[WaveSize]` prefers. What the device
/// has does not count, so that a width it lacks is an error.
pub fn width_of(pipeline: &ComputePipeline, width: u32) -> u32 {
    match crate::pipeline::wanted(&pipeline.shader.module).contains(width) {
        true => width,
        false => pipeline.default_wave_size(),
    }
}

/// A pass to be examined.
pub struct Examined<'a> {
    /// On the reference engine.
    pub pipeline: &'a ComputePipeline,
    /// What it starts from is what the passes before it leave.
    pub pass: &'a Pass,
    /// Its resources whose elements may come in any order.
    pub unordered: Vec<String>,
    /// Its resources and their elements that are not compared between widths.
    pub width_dependent: Vec<(String, u32)>,
}

/// The findings in several passes.
#[derive(Debug, Default)]
pub struct PassesReport {
    /// With the index of the pass; a finding in several passes of one shader is there once.
    pub seen: Vec<(usize, Seen)>,
    /// How often a pass was run.
    pub runs: usize,
}

/// Why passes were not examined to the end.
#[derive(Debug)]
pub struct PassesStopped {
    /// The width of the job's waves.
    pub width: u32,
    /// The index of the pass.
    pub pass: usize,
    /// What happened to it.
    pub error: DispatchError,
    /// The findings so far.
    pub found: PassesReport,
}

/// Runs all passes in order at every width of the plan. Each is examined in the orders of the plan, from what the passes
/// before it leave in the canonical order. What all have left is compared between widths.
///
/// `dispatch` bounds the work: its fuel is for all passes at a width together.
pub fn examine(
    all: &[Examined<'_>],
    dispatch: &Dispatch,
    plan: &Plan,
) -> Result<PassesReport, Box<PassesStopped>> {
    let mut sweep = Sweep { all, dispatch, plan, found: PassesReport::default() };
    let mut canonical: Option<(u32, Vec<Pass>)> = None;
    for width in &plan.widths {
        let result = sweep.at_width(*width, canonical.as_ref());
        match result {
            Ok(left) => canonical = canonical.or(left.map(|it| (*width, it))),
            Err((pass, error)) => {
                let (width, found) = (*width, sweep.found);
                return Err(Box::new(PassesStopped { width, pass, error, found }));
            }
        }
    }
    Ok(sweep.found)
}

struct Sweep<'a> {
    all: &'a [Examined<'a>],
    dispatch: &'a Dispatch,
    plan: &'a Plan,
    found: PassesReport,
}

/// A failure, and the pass that it befell.
type Failed = (usize, DispatchError);

/// A buffer that passes write, by one of its bindings.
struct Written {
    pass: usize,
    resource: usize,
    element: u32,
}

impl Sweep<'_> {
    /// Examines the passes at one width. Returns what they leave if it may be compared with other widths.
    fn at_width(
        &mut self,
        width: u32,
        canonical: Option<&(u32, Vec<Pass>)>,
    ) -> Result<Option<Vec<Pass>>, Failed> {
        let passes = self.start()?;
        let mut fuel = self.dispatch.fuel;
        let mut is_comparable = true;
        for (index, pass) in passes.iter().enumerate() {
            let pipeline = self.all[index].pipeline;
            let own = width_of(pipeline, width);
            let fail = |error| (index, error);
            let groups = pass.counts(pipeline).map_err(fail)?;
            if groups.contains(&0) {
                continue;
            }
            let dispatch = Dispatch { groups, wave_size: Some(own), fuel, ..self.dispatch.clone() };
            let plan = Plan {
                widths: vec![own],
                unordered: self.all[index].unordered.clone(),
                ..self.plan.clone()
            };
            let table = &pass.table;
            let report = match pipeline.examine(&dispatch, &plan, table) {
                Ok(report) => report,
                Err(it) => {
                    self.add(index, width, it.found);
                    return Err((index, it.error));
                }
            };
            is_comparable &= !report.seen.iter().any(explains_differences);
            let has_ended = !report.seen.iter().any(|it| it.finding.kind == Kind::EndlessWait);
            self.add(index, width, report);
            if !has_ended {
                // It leaves nothing for the passes after it.
                return Ok(None);
            }
            let spent = run(pipeline, &dispatch, table).map_err(fail)?;
            fuel = fuel.map(|it| it.saturating_sub(spent));
        }
        if !is_comparable {
            return Ok(None);
        }
        if let Some((first, left)) = canonical {
            self.compare([*first, width], [left, &passes])?;
        }
        Ok(Some(passes))
    }

    fn start(&self) -> Result<Vec<Pass>, Failed> {
        Pass::copied(self.all.iter().map(|it| it.pass)).map_err(|error| (0, error.into()))
    }

    fn add(&mut self, pass: usize, width: u32, report: Report) {
        self.found.runs += report.runs;
        for seen in report.seen {
            self.add_seen(pass, width, seen.finding, seen.order);
        }
    }

    fn add_seen(&mut self, pass: usize, width: u32, finding: Finding, order: Option<Order>) {
        let module = |index: usize| &self.all[index].pipeline.shader.module;
        let is_known = |(other, it): &&mut (usize, Seen)| {
            Arc::ptr_eq(module(*other), module(pass)) && it.finding.is_like(&finding)
        };
        match self.found.seen.iter_mut().find(is_known) {
            Some((_, known)) if known.widths.contains(&width) => {}
            Some((_, known)) => known.widths.push(width),
            None => {
                self.found.seen.push((pass, Seen { finding, widths: vec![width], order }));
            }
        }
    }

    /// Reports the first buffer that differs between two widths, and the pass that makes it differ.
    fn compare(&mut self, widths: [u32; 2], left: [&[Pass]; 2]) -> Result<(), Failed> {
        for written in self.written(left[0]) {
            let Written { pass, resource, element } = written;
            let module = &self.all[pass].pipeline.shader.module;
            let name = &module.resources[resource].name;
            let Some(slots) = both(left, pass, name, element) else { continue };
            let binding = Binding(resource as u32);
            let room = self.plan.float_room;
            let byte = sanitizer::first_difference(module, binding, &slots[0], &slots[1], room);
            let byte = byte.or((slots[0].counter != slots[1].counter).then_some(u64::MAX));
            let Some(byte) = byte else { continue };
            return self.explain(widths, left[0], &written, byte);
        }
        Ok(())
    }

    /// Every buffer that passes write and that is to be compared, by the last pass that binds it to write.
    fn written(&self, passes: &[Pass]) -> Vec<Written> {
        let mut all: Vec<(*const Cell, Written)> = Vec::new();
        for (pass, it) in passes.iter().enumerate() {
            for (resource, element, cell) in it.table.cells() {
                let declared = &it.table.resources()[resource];
                let is_written = declared.kind.writable() || declared.register.class.is_heap();
                if is_written {
                    let cell = Arc::as_ptr(cell);
                    all.retain(|(known, _)| *known != cell);
                    all.push((cell, Written { pass, resource, element }));
                }
            }
        }
        let is_compared = |it: &Written| {
            let name = &passes[it.pass].table.resources()[it.resource].name;
            let excluded = &self.all[it.pass].width_dependent;
            !excluded.iter().any(|(other, element)| other == name && *element == it.element)
        };
        all.into_iter().map(|(_, it)| it).filter(is_compared).collect()
    }

    /// Runs both sides again to find the pass after which they differ for good, and explains the difference there.
    fn explain(
        &mut self,
        widths: [u32; 2],
        left: &[Pass],
        written: &Written,
        byte: u64,
    ) -> Result<(), Failed> {
        let place = |passes: &[Pass]| {
            let name = &passes[written.pass].table.resources()[written.resource].name;
            let cell = passes[written.pass].table.cell(name, written.element)?;
            let state = cell.lock();
            let slot = state.shape();
            match byte {
                u64::MAX => Some(slot.counter),
                byte => slot.bytes.get(byte as usize).map(|it| u32::from(*it)),
            }
        };
        let (a, b) = (self.start()?, self.start()?);
        let (mut differs, mut culprit) = (false, written.pass);
        for pass in 0..left.len() {
            for (width, passes) in widths.iter().zip([&a, &b]) {
                self.step(*width, passes, pass)?;
            }
            let now = place(&a) != place(&b);
            if now && !differs {
                culprit = pass;
            }
            differs = now;
        }
        let (a, b) = (self.start()?, self.start()?);
        for pass in 0..culprit {
            for (width, passes) in widths.iter().zip([&a, &b]) {
                self.step(*width, passes, pass)?;
            }
        }
        let pipeline = self.all[culprit].pipeline;
        let module = &pipeline.shader.module;
        let fail = |error| (culprit, error);
        let target = a[written.pass]
            .table
            .cell(&a[written.pass].table.resources()[written.resource].name, written.element)
            .map(Arc::as_ptr);
        let seen_as = a[culprit].table.cells().find(|(resource, _, cell)| {
            Some(Arc::as_ptr(cell)) == target && module.resources[*resource].kind.writable()
        });
        let Some((resource, element, _)) = seen_as else { return Ok(()) };
        let difference = Difference { binding: Binding(resource as u32), element, byte };
        let mut starts: Vec<(Launch, Bindings)> = Vec::new();
        for (width, passes) in widths.iter().zip([&a, &b]) {
            let pass = &passes[culprit];
            let groups = pass.counts(pipeline).map_err(fail)?;
            let wave_size = Some(width_of(pipeline, *width));
            let dispatch = Dispatch { groups, wave_size, ..self.dispatch.clone() };
            let launch = pipeline.launch(&dispatch, &pass.table).map_err(fail)?;
            let bindings = pass.table.with_bindings(|it| Ok(it.clone()));
            starts.push((launch, bindings.map_err(|it| fail(it.into()))?));
        }
        let variation = sanitizer::variation(self.plan.progress);
        let side = |(launch, bindings)| Side { module, launch, variation, bindings };
        let [a, b] = [&starts[0], &starts[1]].map(|(launch, bindings)| side((launch, bindings)));
        let kind = Kind::WidthDependentResult;
        let finding = sanitizer::explain(kind, &a, &b, difference, "the wave width");
        let finding = finding.map_err(|it| fail(it.into()))?;
        self.add_seen(culprit, widths[1], finding, None);
        Ok(())
    }

    /// Runs one pass in the canonical order.
    fn step(&self, width: u32, passes: &[Pass], index: usize) -> Result<(), Failed> {
        let pipeline = self.all[index].pipeline;
        let fail = |error| (index, error);
        let groups = passes[index].counts(pipeline).map_err(fail)?;
        let wave_size = Some(width_of(pipeline, width));
        let dispatch = Dispatch { groups, wave_size, ..self.dispatch.clone() };
        run(pipeline, &dispatch, &passes[index].table).map(|_| ()).map_err(fail)
    }
}

/// Whether differences at that width need no other explanation.
fn explains_differences(seen: &Seen) -> bool {
    let kind = seen.finding.kind;
    let verdict = kind.verdict();
    matches!(verdict, Verdict::Undefined | Verdict::Unspecified | Verdict::OrderDependent)
        || matches!(kind, Kind::TruncatedMask | Kind::PermutedResult)
}

/// What two tables hold at the same place.
fn both(passes: [&[Pass]; 2], pass: usize, name: &str, element: u32) -> Option<[Slot; 2]> {
    let slot =
        |passes: &[Pass]| Some(passes[pass].table.cell(name, element)?.lock().shape().clone());
    Some([slot(passes[0])?, slot(passes[1])?])
}

/// Runs one pass alone on an engine of the host; the group counts of `dispatch` do not matter. Returns the fuel that it has
/// spent, if that is bounded.
pub fn run_pass(
    pipeline: &ComputePipeline,
    dispatch: &Dispatch,
    pass: &Pass,
) -> Result<u64, DispatchError> {
    let dispatch = Dispatch { groups: pass.counts(pipeline)?, ..dispatch.clone() };
    run(pipeline, &dispatch, &pass.table)
}

fn run(
    pipeline: &ComputePipeline,
    dispatch: &Dispatch,
    table: &ResourceTable,
) -> Result<u64, DispatchError> {
    let launch = pipeline.launch(dispatch, table)?;
    let groups = launch.groups();
    if groups.contains(&0) {
        return Ok(0);
    }
    let spent: Arc<AtomicU64> = Arc::default();
    let launch = Launch { spent: Some(spent.clone()), ..launch };
    let recorded = Recorded { pipeline, launch: &launch, table, indirect: None };
    list::run(&*pipeline.backend, &[recorded], None, true).map_err(|it| it.error)?;
    Ok(spent.load(Ordering::Relaxed))
}
