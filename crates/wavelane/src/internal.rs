//! What the programs of this repository need beyond the public interface. None of it is stable.
//!
//! Their tables hold plain values: a [`Slot`] is anything that can be bound, with its bytes. [`Slots`] gives access to
//! the values in a table, and [`dispatch`] leaves them on the host.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use ir::Resource;

pub use crate::apart::apart;
pub use crate::draw::freedom::is_device_choice;
pub use crate::draw::loops::Loops;
pub use crate::draw::{DrawCopy, MOST_PIXELS};
pub use crate::foreign::vouched::create_vouched_pipeline;
pub use crate::missed::{Beyond, Counting, Missed};
pub use crate::passes::{
    Examined, Groups, Pass, PassesReport, PassesStopped, Shared, examine, run_pass, width_of,
};
pub use crate::preprocessed::{Preprocessed, preprocess};
pub use crate::survey::{Slot as HeapSlot, Survey, Use, survey};
pub use crate::trace::{TRACE_NAME, Trace, TracePoint};
pub use ir::exec::{Buffer as Slot, FeedbackMap, Invocation, SharedScene, What};
pub use ir::packing::{Seat, Seats};
pub use ir::stage::{Element as StageElement, StageIo, SystemValue};
pub use legalize::trace::Event as TraceEvent;
pub use ops::Random;
pub use ops::WIDTHS;
pub use ops::math::pow;
pub use ops::ray;
pub use sanitizer::{
    DrawReport, ExitedThreads, FloatRoom, Holder, IntraWaveSync, Kind, Left, LeftOut, Order, Pace,
    Plan, Progress, Publication, Reconvergence, Report, Seen, Verdict,
};

/// The reference of the language.
pub mod reference {
    pub use crate::reference::*;
}

/// The whole crate of diagnostics.
pub use diag;
/// What arrays of numbers are as textures.
pub use values::texel;

/// The whole of the emitters.
pub use ptx as ptx_target;
pub use spirv as spirv_target;

pub use hlsl::Declared;
pub use hlsl::options::PROFILES;

use crate::Shader;
use crate::draw::Recording;
use crate::guard::catch;
use crate::memory::{Cell, State};
use crate::{
    Adapter, Bug, CommandList, ComputePipeline, ConstantError, Device, Dispatch, DispatchError,
    Draw, DrawError, ExamineDrawError, ExecuteError, GraphicsPipeline, Includer, Options,
    ResourceTable, Scalar, SourceMap, StageTables,
};

/// What each lane of each wave was, by a recording.
pub fn seats(recording: &Recording) -> &Seats {
    &recording.seats
}

/// A recording of waves of `width` lanes that no device has made.
pub fn recording(width: u32, seats: Seats) -> Recording {
    Recording { width, seats }
}

/// What a vertex or a pixel shader reads and writes.
pub fn signature(shader: &Shader) -> Option<&StageIo> {
    shader.module.io.as_ref()
}

/// Whether the engine `cpu` has code for a shader at that width; if not, what it lacks.
pub fn compiles(shader: &Shader, isa: cpu::Isa, width: u32) -> Result<(), String> {
    cpu::compile(&shader.module, isa, width).map(|_| ()).map_err(|it| it.to_string())
}

/// The entry points that a text declares by their attributes, and `main`. `None` if it cannot be parsed; compiling it
/// says why.
pub fn declared(
    name: &str,
    text: &str,
    options: &Options,
    includer: &mut dyn Includer,
) -> Result<Option<Vec<Declared>>, Bug> {
    catch(|| {
        let (mut sources, mut sink) = (SourceMap::new(), diag::Sink::new());
        let main = sources.add(name, text)?;
        hlsl::declared(main, &mut sources, includer, options, &mut sink)
    })
}

/// How often [`ComputePipeline::examine`] runs the shader at most.
pub fn most_runs(
    pipeline: &ComputePipeline,
    dispatch: &Dispatch,
    plan: &Plan,
    table: &ResourceTable,
) -> usize {
    let dispatch = Dispatch { wave_size: plan.widths.first().copied(), ..dispatch.clone() };
    let launch = pipeline.launch(&dispatch, table);
    launch.map_or(0, |it| plan.most_runs(&pipeline.shader.module, &it))
}

/// Draws from copies of everything, and returns what that leaves.
pub fn drawn(
    pipeline: &GraphicsPipeline,
    draw: &Draw,
    tables: &StageTables<'_>,
    names: &[String],
) -> Result<Left, DrawError> {
    crate::draw::drawn(pipeline, draw, tables, names)
}

/// Examines a draw whose targets have these names.
pub fn examine_draw(
    pipeline: &GraphicsPipeline,
    draw: &Draw,
    plan: &Plan,
    tables: &StageTables<'_>,
    names: &[String],
) -> Result<DrawReport, Box<ExamineDrawError>> {
    pipeline.examine_named(draw, plan, tables, names)
}

/// A device on the reference engine whose ray queries try every primitive of a scene: the definition of what they find,
/// and much slower.
pub fn with_brute_rays(adapter: Adapter) -> Device {
    Device::with_brute_rays(adapter)
}

/// Runs a pipeline, and copies the results to the host.
pub fn dispatch(
    pipeline: &ComputePipeline,
    dispatch: &Dispatch,
    table: &ResourceTable,
) -> Result<(), DispatchError> {
    pipeline.run(dispatch, table, true)
}

/// Runs a list, and has what it writes on the host when it is done.
pub fn execute(device: &Device, list: &CommandList) -> Result<(), ExecuteError> {
    device.execute_with(list, true)
}

/// A dispatch as the reference engine takes it, with copies of what its buffers hold: for recordings and debuggers.
pub struct Prepared {
    /// The module: with notes, if the shader was compiled with them.
    pub module: Arc<ir::Module>,
    /// How it is launched.
    pub launch: ir::exec::Launch,
    /// The contents of its buffers.
    pub bindings: ir::exec::Bindings,
}

/// Prepares a dispatch.
pub fn prepared(
    pipeline: &ComputePipeline,
    dispatch: &Dispatch,
    table: &ResourceTable,
) -> Result<Prepared, DispatchError> {
    let launch = pipeline.launch(dispatch, table)?;
    let bindings = table.with_bindings(|bindings| Ok(bindings.clone()))?;
    Ok(Prepared { module: pipeline.shader.module.clone(), launch, bindings })
}

/// The error of a dispatch that another run of the reference engine met.
pub fn dispatch_error(failure: ir::exec::Failure) -> DispatchError {
    failure.into()
}

/// Runs a list on a GPU, again and again; see the library's `Device::measure`.
pub fn measure(
    device: &Device,
    list: &CommandList,
    rounds: u32,
) -> Result<Option<Vec<Vec<Duration>>>, ExecuteError> {
    device.measure(list, rounds)
}

/// The types of the numbers that [`ResourceTable::set`] takes for a constant, in their order.
pub fn types_of_constant(table: &ResourceTable, name: &str) -> Result<Vec<Scalar>, ConstantError> {
    table.types_of(name)
}

/// Reading what tables share.
impl Shared {
    /// The value.
    pub fn value(&self) -> SlotRef<'_> {
        slot(self.cell())
    }
}

/// Exclusive access to the value of a cell.
pub struct SlotRef<'a>(MutexGuard<'a, State>);

impl Deref for SlotRef<'_> {
    type Target = Slot;

    fn deref(&self) -> &Slot {
        self.0.shape()
    }
}

impl DerefMut for SlotRef<'_> {
    fn deref_mut(&mut self) -> &mut Slot {
        match self.0.host_mut() {
            Ok(slot) => slot,
            Err(failure) => unreachable!("`dispatch` has fetched what was written: {failure}"),
        }
    }
}

fn slot(cell: &Cell) -> SlotRef<'_> {
    let Some(mut state) = cell.try_lock() else { unreachable!("a value has one user at a time") };
    match state.host().map(|_| ()) {
        Ok(()) => SlotRef(state),
        Err(failure) => unreachable!("`dispatch` has fetched what was written: {failure}"),
    }
}

/// The values in a table.
pub trait Slots {
    /// The value bound to an element of a resource.
    fn get(&self, name: &str, element: u32) -> Option<SlotRef<'_>>;

    /// The same, for writing.
    fn get_mut(&mut self, name: &str, element: u32) -> Option<SlotRef<'_>> {
        self.get(name, element)
    }

    /// A table with copies of the values.
    fn copied(&self) -> ResourceTable;

    /// Binds what another shader's table holds to the resources that both declare alike, constants excepted.
    fn share_from(&mut self, other: &ResourceTable);

    /// Everything that is bound, in the order of declaration; an alias is there beside the resource whose memory it
    /// names.
    fn iter(&self) -> impl Iterator<Item = (&Resource, u32, SlotRef<'_>)>;
}

impl Slots for ResourceTable {
    fn get(&self, name: &str, element: u32) -> Option<SlotRef<'_>> {
        self.cell(name, element).map(|cell| slot(cell))
    }

    fn share_from(&mut self, other: &ResourceTable) {
        ResourceTable::share_from(self, other);
    }

    fn copied(&self) -> ResourceTable {
        match self.duplicate() {
            Ok(table) => table,
            Err(error) => unreachable!("`dispatch` has fetched what was written: {error}"),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&Resource, u32, SlotRef<'_>)> {
        self.named_cells().map(|(index, element, cell)| {
            let slot = slot(cell);
            (self.seen_as(index, &slot), element, slot)
        })
    }
}
