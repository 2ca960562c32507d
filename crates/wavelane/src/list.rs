//! Lists of dispatches, like Direct3D's command lists: recorded first, then run as one submission.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ir::exec::Launch;
use smallvec::{SmallVec, smallvec};

use crate::engines::{Backend, Step, StepError};
use crate::guard::catch;
use crate::indirect::{self, Guarded};
use crate::memory::{self, Cell, Places};
use crate::{Buffer, ComputePipeline, Device, Dispatch, DispatchError, ResourceTable};

/// Dispatches to run in order, each of which sees what the earlier ones have written.
///
/// A GPU gets them in one submission. A list captures the handles and constants of a table when a dispatch is recorded,
/// so the table can be changed for the next one. It can be run more than once.
///
/// ```
/// use wavelane::*;
///
/// let text = "cbuffer Params { uint Step; }; RWStructuredBuffer<uint> Data;
///     [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Data[i] = Data[i] * 10 + Step; }";
/// let shader = Shader::compile("steps.hlsl", text, &Options::default(), &mut NoIncludes)?.shader()?;
/// let device = Device::new(Adapter::reference());
/// let pipeline = device.create_compute_pipeline(&shader)?;
/// let data = Buffer::zeroed::<u32>(4);
/// let mut table = ResourceTable::new(&shader);
/// table.bind("Data", &data)?;
/// let mut list = CommandList::new();
/// for step in 1..=3 {
///     table.set("Step", step)?;
///     list.dispatch(&pipeline, &Dispatch::new([1, 1, 1]), &table)?;
/// }
/// device.execute(&list)?;
/// assert_eq!(data.read::<u32>()?, [123; 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct CommandList {
    commands: Vec<Command>,
    fuel: Option<u64>,
}

#[derive(Debug)]
struct Command {
    pipeline: ComputePipeline,
    launch: Launch,
    table: ResourceTable,
    /// The buffer that holds the group counts, and their offset.
    indirect: Option<(Arc<Cell>, usize)>,
}

impl Command {
    fn recorded(&self) -> Recorded<'_> {
        let Command { pipeline, launch, table, indirect } = self;
        let indirect = indirect.as_ref().map(|(cell, offset)| (cell, *offset));
        Recorded { pipeline, launch, table, indirect }
    }
}

impl CommandList {
    /// A list without dispatches.
    pub fn new() -> CommandList {
        CommandList::default()
    }

    /// Checks a dispatch, and adds it.
    pub fn dispatch(
        &mut self,
        pipeline: &ComputePipeline,
        dispatch: &Dispatch,
        table: &ResourceTable,
    ) -> Result<(), DispatchError> {
        let launch = pipeline.launch(dispatch, table)?;
        self.add(pipeline, launch, table, None);
        Ok(())
    }

    /// Adds a dispatch whose group counts are three words of a buffer, at an offset in bytes that is a multiple of 4.
    /// They are read when the list reaches this dispatch, so that an earlier one can write them; no group runs if one
    /// of them is 0. The counts of `dispatch` do not matter.
    ///
    /// Counts beyond [`crate::MOST_GROUPS`] or [`crate::MOST_THREADS`] end the list with an error, on a GPU too.
    ///
    /// ```
    /// use wavelane::*;
    ///
    /// let text = "RWStructuredBuffer<uint> Out;
    ///     [numthreads(4, 1, 1)] void main(uint i : SV_DispatchThreadID) { Out[i] = 1; }";
    /// let shader = Shader::compile("ones.hlsl", text, &Options::default(), &mut NoIncludes)?.shader()?;
    /// let device = Device::new(Adapter::reference());
    /// let pipeline = device.create_compute_pipeline(&shader)?;
    /// let (out, arguments) = (Buffer::zeroed::<u32>(16), Buffer::from_slice(&[7u32, 2, 1, 1]));
    /// let mut table = ResourceTable::new(&shader);
    /// table.bind("Out", &out)?;
    /// let mut list = CommandList::new();
    /// list.dispatch_indirect(&pipeline, &Dispatch::new([0; 3]), &table, &arguments, 4)?;
    /// device.execute(&list)?;
    /// assert_eq!(out.read::<u32>()?.iter().sum::<u32>(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dispatch_indirect(
        &mut self,
        pipeline: &ComputePipeline,
        dispatch: &Dispatch,
        table: &ResourceTable,
        arguments: &Buffer,
        offset: usize,
    ) -> Result<(), DispatchError> {
        if !offset.is_multiple_of(4) {
            return Err(DispatchError::MisalignedArguments { offset });
        }
        let bytes = arguments.len();
        if offset.checked_add(indirect::BYTES).is_none_or(|end| end > bytes) {
            return Err(DispatchError::ArgumentsOutOfBounds { offset, bytes });
        }
        let launch = pipeline.launch(&Dispatch { groups: [0; 3], ..dispatch.clone() }, table)?;
        self.add(pipeline, launch, table, Some((arguments.cell.clone(), offset)));
        Ok(())
    }

    fn add(
        &mut self,
        pipeline: &ComputePipeline,
        launch: Launch,
        table: &ResourceTable,
        indirect: Option<(Arc<Cell>, usize)>,
    ) {
        let (pipeline, table) = (pipeline.clone(), table.share());
        self.commands.push(Command { pipeline, launch, table, indirect });
    }

    /// How many wave-instructions all dispatches together may run, besides the bound of each; `None` for no bound.
    pub fn set_fuel(&mut self, fuel: Option<u64>) {
        self.fuel = fuel;
    }

    /// The number of dispatches.
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    fn recorded(&self) -> Vec<Recorded<'_>> {
        self.commands.iter().map(Command::recorded).collect()
    }
}

impl Device {
    /// Runs the dispatches of a list. After an error, the dispatches before the failed one have been run.
    pub fn execute(&self, list: &CommandList) -> Result<(), ExecuteError> {
        self.execute_with(list, false)
    }

    /// `back`: what is written is wanted on the host at once.
    pub(crate) fn execute_with(&self, list: &CommandList, back: bool) -> Result<(), ExecuteError> {
        self.check_own(list)?;
        let all = list.recorded();
        let fail = |it: StepError| ExecuteError { index: it.step, error: it.error };
        let guarded = Guarded::new(&self.backend, &all);
        let guarded = guarded.map_err(|error| ExecuteError { index: 0, error })?;
        let Some(guarded) = guarded else {
            return run(&*self.backend, &all, list.fuel, back).map_err(fail);
        };
        let steps = guarded.steps(&all);
        run(&*self.backend, &steps, list.fuel, back)
            .map_err(|it| fail(StepError { step: guarded.dispatch_of(it.step), ..it }))?;
        guarded.refused(&all).map_or(Ok(()), |it| Err(fail(it)))
    }

    /// Runs a list `rounds` times on a GPU, every time from what the buffers hold, which they keep. Returns for each
    /// round the time of each dispatch by the device's own clock, without copies; `None` without such a clock.
    pub(crate) fn measure(
        &self,
        list: &CommandList,
        rounds: u32,
    ) -> Result<Option<Vec<Vec<Duration>>>, ExecuteError> {
        self.check_own(list)?;
        let all = list.recorded();
        let guarded = Guarded::new(&self.backend, &all);
        let guarded = guarded.map_err(|error| ExecuteError { index: 0, error })?;
        let steps = guarded.as_ref().map_or_else(|| all.clone(), |it| it.steps(&all));
        let dispatch_of = |step| guarded.as_ref().map_or(step, |it| it.dispatch_of(step));
        let times = with_steps(&steps, None, |steps, memory| {
            self.backend.measure_steps(steps, memory, rounds)
        });
        let times =
            times.map_err(|it| ExecuteError { index: dispatch_of(it.step), error: it.error })?;
        let is_dispatch = |step| guarded.as_ref().is_none_or(|it| it.is_dispatch(step));
        let only = |round: Vec<Duration>| {
            let each = round.into_iter().enumerate();
            each.filter(|(step, _)| is_dispatch(*step)).map(|(_, time)| time).collect()
        };
        Ok(times.map(|rounds| rounds.into_iter().map(only).collect()))
    }

    fn check_own(&self, list: &CommandList) -> Result<(), ExecuteError> {
        let is_foreign = |it: &Command| !Arc::ptr_eq(&it.pipeline.backend, &self.backend);
        match list.commands.iter().position(is_foreign) {
            Some(index) => Err(ExecuteError { index, error: DispatchError::OtherDevice }),
            None => Ok(()),
        }
    }
}

/// A dispatch that is about to run.
#[derive(Clone, Copy)]
pub(crate) struct Recorded<'a> {
    pub(crate) pipeline: &'a ComputePipeline,
    pub(crate) launch: &'a Launch,
    pub(crate) table: &'a ResourceTable,
    pub(crate) indirect: Option<(&'a Arc<Cell>, usize)>,
}

impl<'a> Recorded<'a> {
    /// What is bound. The group counts are locked like the elements of one more resource.
    fn places(&self) -> Places<'a> {
        let mut places = self.table.places();
        places.extend(self.indirect.map(|(cell, _)| smallvec![Some(&**cell)]));
        places
    }

    fn step(
        &self,
        mut places: memory::Indices,
        budget: Option<&'a std::cell::Cell<u64>>,
    ) -> Step<'a> {
        let offset = self.indirect.map(|(_, offset)| offset);
        let cell = offset.and_then(|_| *places.pop()?.first()?);
        let (program, launch) = (&*self.pipeline.program, self.launch);
        Step { program, launch, places, indirect: cell.zip(offset), budget }
    }
}

/// Runs dispatches of one engine.
pub(crate) fn run(
    backend: &dyn Backend,
    all: &[Recorded<'_>],
    fuel: Option<u64>,
    back: bool,
) -> Result<(), StepError> {
    with_steps(all, fuel, |steps, memory| backend.run(steps, memory, back))
}

/// Locks everything that dispatches work on.
fn with_steps<T>(
    all: &[Recorded<'_>],
    fuel: Option<u64>,
    work: impl FnOnce(&[Step<'_>], &mut memory::Memory<'_>) -> Result<T, StepError>,
) -> Result<T, StepError> {
    let places: SmallVec<[Places<'_>; 1]> = all.iter().map(Recorded::places).collect();
    let (mut memory, indices) = memory::lock(&places);
    let budget = fuel.map(std::cell::Cell::new);
    let each = all.iter().zip(indices);
    let steps: SmallVec<[Step<'_>; 1]> =
        each.map(|(recorded, places)| recorded.step(places, budget.as_ref())).collect();
    catch(|| work(&steps, &mut memory))
        .unwrap_or_else(|bug| Err(StepError { step: 0, error: DispatchError::Bug(bug) }))
}

/// Why a list failed.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecuteError {
    /// The index of the failed dispatch; the earlier ones have been run.
    pub index: usize,
    /// The error.
    pub error: DispatchError,
}

impl fmt::Display for ExecuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dispatch {} of the list: {}", self.index, self.error)
    }
}

impl std::error::Error for ExecuteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
