//! Several dispatches on the same buffers, as jobs describe them: run as a list, measured, or examined by the
//! sanitizer.
//!
//! Not part of the stability promise; a host records a [`CommandList`].

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ir::Binding;
use ir::exec::{Bindings, Launch};
use sanitizer::{Difference, Finding, Kind, LeftOut, Plan, Reach, Report, Seen, Side};

use crate::list::{self, Recorded};
use crate::memory::{Cell, Slot};
use crate::{
    Bindable, Buffer, BufferError, CommandList, ComputePipeline, Dispatch, DispatchError,
    ResourceTable, indirect,
};

/// One of several dispatches; the caller decides which shader runs.
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
    /// Deep copies, which share buffers among themselves as those of `all` do.
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

    /// The current group counts, if a dispatch may have as many.
    pub fn counts(&self, pipeline: &ComputePipeline) -> Result<[u32; 3], DispatchError> {
        let groups = match &self.groups {
            Groups::Count(groups) => *groups,
            Groups::Indirect(buffer, offset) => indirect::counts(&buffer.read_bytes()?, *offset),
        };
        indirect::check(groups, pipeline.shader.module.threads_per_group())?;
        Ok(groups)
    }
}

/// The width of a pass in a job of waves of that width: the same, or else what its `[WaveSize]` prefers. What the
/// device has does not count, so that a width it lacks is an error.
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
    /// What was not compared, with the index of the pass.
    pub left_out: Vec<(usize, LeftOut)>,
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

impl fmt::Display for PassesStopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pass {} with waves of {} lanes: {}", self.pass, self.width, self.error)
    }
}

impl std::error::Error for PassesStopped {}

/// Runs all passes in order at every width of the plan. Each is examined in the orders of the plan, from what the
/// passes before it leave in the canonical order. What all have left is compared between widths.
///
/// `dispatch` bounds the work: its fuel is for all passes at a width together.
pub fn examine(
    all: &[Examined<'_>],
    dispatch: &Dispatch,
    plan: &Plan,
) -> Result<PassesReport, Box<PassesStopped>> {
    let new = || Sweep { all, dispatch, plan, found: PassesReport::default() };
    let (mut sweep, mut runs) = (new(), Vec::new());
    let mut failed = None;
    let one = |at: usize| {
        let mut sweep = new();
        let ended = sweep.at_width(plan.widths[at]);
        (sweep.found, ended)
    };
    let found = sanitizer::on_threads(plan.threads, plan.widths.len(), one, |it| it.1.is_ok());
    for (width, (found, ended)) in plan.widths.iter().zip(found) {
        sweep.add_all(found);
        match ended {
            Ok(run) => runs.extend(run),
            Err((pass, error)) => {
                failed = Some((*width, pass, error));
                break;
            }
        }
    }
    // What has been run is compared, even if the sweep does not come to its end.
    if let Err((pass, error)) = sweep.compare_widths(&runs) {
        let width = runs.first().map_or(0, |it| it.width);
        failed = failed.or(Some((width, pass, error)));
    }
    match failed {
        None => Ok(sweep.found),
        Some((width, pass, error)) => {
            Err(Box::new(PassesStopped { width, pass, error, found: sweep.found }))
        }
    }
}

/// What all passes leave at one width.
struct Run {
    width: u32,
    passes: Vec<Pass>,
    reached: Reached,
}

/// What something undefined reaches of buffers, by their contents: as a resource of a pass.
#[derive(Default)]
struct Reached(HashMap<usize, (Binding, u32, Reach)>);

/// The address of a cell, by which it is known: runs of other widths are on other threads, and cells do not move.
fn address(cell: &Arc<Cell>) -> usize {
    Arc::as_ptr(cell).addr()
}

impl Reached {
    /// Of one buffer, as another resource.
    fn of(&self, cell: &Arc<Cell>, binding: Binding, element: u32) -> Option<Reach> {
        let (known, index, reach) = self.0.get(&address(cell))?;
        let here = |b, e| ((b, e) == (*known, *index)).then_some((binding, element));
        Some(reach.renamed(here))
    }

    /// Of all that a pass binds.
    fn before(&self, pass: &Pass) -> Reach {
        let mut all = Reach::default();
        for (resource, element, cell) in pass.table.cells() {
            let binding = Binding(resource as u32);
            if let Some(reach) = self.of(cell, binding, element) {
                all.add(&reach);
            }
        }
        all
    }

    /// After a pass.
    fn put(&mut self, pass: &Pass, reach: &Reach) {
        for (resource, element, cell) in pass.table.cells() {
            let binding = Binding(resource as u32);
            if reach.touches((binding, element)) {
                self.0.insert(address(cell), (binding, element, reach.clone()));
            }
        }
    }
}

struct Sweep<'a> {
    all: &'a [Examined<'a>],
    dispatch: &'a Dispatch,
    plan: &'a Plan,
    found: PassesReport,
}

/// A failure, and the pass in which it occurred.
type Failed = (usize, DispatchError);

/// A buffer that passes write, by one of its bindings.
struct Written {
    pass: usize,
    resource: usize,
    element: u32,
}

impl Sweep<'_> {
    /// Examines the passes at one width. Returns what they leave if all ended.
    fn at_width(&mut self, width: u32) -> Result<Option<Run>, Failed> {
        let passes = self.start()?;
        let mut fuel = self.dispatch.fuel;
        let mut reached = Reached::default();
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
                // Other widths run at the same time.
                threads: self.plan.threads / self.plan.widths.len().max(1),
                unordered: self.all[index].unordered.clone(),
                reached: reached.before(pass),
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
            let ended = report.reached.first().map(|it| it.1.clone());
            self.add(index, width, report);
            // It leaves nothing for the passes after it.
            let Some(reach) = ended else { return Ok(None) };
            reached.put(pass, &reach);
            let spent = run(pipeline, &dispatch, table).map_err(fail)?;
            fuel = fuel.map(|it| it.saturating_sub(spent));
        }
        Ok(Some(Run { width, passes, reached }))
    }

    fn start(&self) -> Result<Vec<Pass>, Failed> {
        Pass::copied(self.all.iter().map(|it| it.pass)).map_err(|error| (0, error.into()))
    }

    fn add(&mut self, pass: usize, width: u32, report: Report) {
        self.found.runs += report.runs;
        for it in report.left_out {
            self.add_left_out(pass, LeftOut { widths: vec![width], ..it });
        }
        for seen in report.seen {
            self.add_seen(pass, seen.at_width(width));
        }
    }

    /// Adds what was found at one width.
    fn add_all(&mut self, found: PassesReport) {
        self.found.runs += found.runs;
        found.left_out.into_iter().for_each(|(pass, it)| self.add_left_out(pass, it));
        found.seen.into_iter().for_each(|(pass, it)| self.add_seen(pass, it));
    }

    fn add_left_out(&mut self, pass: usize, left: LeftOut) {
        let like = |(other, known): &&mut (usize, LeftOut)| {
            (*other, &known.buffer, known.cause) == (pass, &left.buffer, left.cause)
        };
        match self.found.left_out.iter_mut().find(like) {
            Some((_, known)) => known.widths.extend(left.widths),
            None => self.found.left_out.push((pass, left)),
        }
    }

    fn add_seen(&mut self, pass: usize, seen: Seen) {
        let module = |index: usize| &self.all[index].pipeline.shader.module;
        for new in seen.apart() {
            let is_same = |other: usize| Arc::ptr_eq(module(other), module(pass));
            let mut known = self.found.seen.iter_mut().filter(|it| is_same(it.0));
            if !known.any(|it| it.1.takes(&new)) {
                self.found.seen.push((pass, new));
            }
        }
    }

    /// Compares what is left at all widths, buffer by buffer.
    fn compare_widths(&mut self, runs: &[Run]) -> Result<(), Failed> {
        let Some(first) = runs.first() else { return Ok(()) };
        let written = self.written(&first.passes);
        written.iter().try_for_each(|it| self.compare_buffer(runs, it))
    }

    /// The largest set of widths that agree is compared with each other set, where the two are nearest. Widths at which
    /// something undefined reaches the whole buffer agree with no other width.
    fn compare_buffer(&mut self, runs: &[Run], written: &Written) -> Result<(), Failed> {
        let mut classes: Vec<Vec<&Run>> = Vec::new();
        for run in runs.iter().filter(|it| !self.is_all_reached(it, written)) {
            let agrees = |class: &&mut Vec<&Run>| {
                class.iter().all(|it| self.difference(it, run, written).is_none())
            };
            match classes.iter_mut().find(agrees) {
                Some(class) => class.push(run),
                None => classes.push(vec![run]),
            }
        }
        classes.sort_by_key(|it| (std::cmp::Reverse(it.len()), it[0].width));
        let [reference, others @ ..] = classes.as_slice() else { return Ok(()) };
        for other in others {
            let steps = |a: u32, b: u32| a.trailing_zeros().abs_diff(b.trailing_zeros());
            let pairs = other.iter().flat_map(|b| reference.iter().map(move |a| (*a, *b)));
            let nearest = pairs.min_by_key(|(a, b)| (steps(a.width, b.width), b.width));
            let Some((a, b)) = nearest else { continue };
            let Some(byte) = self.difference(a, b, written) else { continue };
            let widths = other.iter().map(|it| it.width).collect::<Vec<_>>();
            self.explain([a.width, b.width], &a.passes, written, byte, &widths)?;
        }
        Ok(())
    }

    /// Whether something undefined reaches all bytes of a buffer.
    fn is_all_reached(&self, run: &Run, written: &Written) -> bool {
        let Written { pass, resource, element } = *written;
        let name = &self.all[pass].pipeline.shader.module.resources[resource].name;
        let Some(cell) = run.passes[pass].table.cell(name, element) else { return false };
        let binding = Binding(resource as u32);
        let Some(reach) = run.reached.of(cell, binding, element) else { return false };
        let size = cell.lock().shape().bytes.len();
        size > 0 && reach.count(binding, element, size).is_some_and(|it| it.0 == size)
    }

    /// The first byte of a buffer that differs between two widths, where both are defined.
    fn difference(&self, a: &Run, b: &Run, written: &Written) -> Option<u64> {
        let Written { pass, resource, element } = *written;
        let module = &self.all[pass].pipeline.shader.module;
        let name = &module.resources[resource].name;
        let mut slots = both([&a.passes, &b.passes], pass, name, element)?;
        let binding = Binding(resource as u32);
        for run in [a, b] {
            let Some(cell) = run.passes[pass].table.cell(name, element) else { continue };
            let Some(reach) = run.reached.of(cell, binding, element) else { continue };
            let [a, b] = &mut slots;
            reach.blank((binding, element), a, b);
        }
        let room = self.plan.float_room;
        let byte = sanitizer::first_difference(module, binding, &slots[0], &slots[1], room);
        byte.or((slots[0].what.counter() != slots[1].what.counter()).then_some(u64::MAX))
    }

    /// Every buffer that passes write and that is to be compared, by the last pass that binds it to write.
    fn written(&self, passes: &[Pass]) -> Vec<Written> {
        let mut all: Vec<(*const Cell, Written)> = Vec::new();
        for (pass, it) in passes.iter().enumerate() {
            for (resource, element, cell) in it.table.cells() {
                if it.table.module.may_be_written(Binding(resource as u32)) {
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
        wrong: &[u32],
    ) -> Result<(), Failed> {
        let place = |passes: &[Pass]| {
            let name = &passes[written.pass].table.resources()[written.resource].name;
            let cell = passes[written.pass].table.cell(name, written.element)?;
            let state = cell.lock();
            let slot = state.shape();
            match byte {
                u64::MAX => slot.what.counter(),
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
            Some(Arc::as_ptr(cell)) == target && module.may_be_written(Binding(*resource as u32))
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
        let threads = self.plan.threads;
        let side = |(launch, bindings)| Side { module, launch, variation, bindings, threads };
        let [a, b] = [&starts[0], &starts[1]].map(|(launch, bindings)| side((launch, bindings)));
        let kind = Kind::WidthDependentResult;
        let finding = sanitizer::explain(kind, &a, &b, difference, "the wave width", &[]);
        let finding = finding.map_err(|it| fail(it.into()))?;
        for width in wrong {
            let finding = Finding { width: *width, ..finding.clone() };
            self.add_seen(culprit, Seen::new(finding, None).at_width(*width));
        }
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

/// What two tables hold at the same place.
fn both(passes: [&[Pass]; 2], pass: usize, name: &str, element: u32) -> Option<[Slot; 2]> {
    let slot =
        |passes: &[Pass]| Some(passes[pass].table.cell(name, element)?.lock().shape().clone());
    Some([slot(passes[0])?, slot(passes[1])?])
}

/// Runs one pass alone on an engine of the host; the group counts of `dispatch` do not matter. Returns the fuel that it
/// has spent, if that is bounded.
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
