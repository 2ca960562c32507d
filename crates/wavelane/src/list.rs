//! Lists of dispatches, like Direct3D's command lists: recorded first, then run as one submission.

use std::fmt;
use std::sync::Arc;

use ir::exec::Launch;
use smallvec::SmallVec;

use crate::engines::{Backend, Step, Stopped};
use crate::guard::catch;
use crate::memory::{self, Places};
use crate::{ComputePipeline, Device, Dispatch, DispatchError, ResourceTable};

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
}

#[derive(Debug)]
struct Command {
    pipeline: ComputePipeline,
    launch: Launch,
    table: ResourceTable,
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
        self.commands.push(Command { pipeline: pipeline.clone(), launch, table: table.share() });
        Ok(())
    }

    /// The number of dispatches.
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }
}

impl Device {
    /// Runs the dispatches of a list. After an error, the dispatches before the failed one have been run.
    pub fn execute(&self, list: &CommandList) -> Result<(), ExecuteError> {
        let fail = |index, error| Err(ExecuteError { index, error });
        let is_foreign = |it: &Command| !Arc::ptr_eq(&it.pipeline.backend, &self.backend);
        if let Some(index) = list.commands.iter().position(is_foreign) {
            return fail(index, DispatchError::OtherDevice);
        }
        let each = list.commands.iter().map(|it| (&it.pipeline, &it.launch, &it.table));
        run(&*self.backend, &each.collect::<Vec<_>>(), false)
            .or_else(|stopped| fail(stopped.step, stopped.error))
    }
}

/// Runs dispatches of one engine.
pub(crate) fn run(
    backend: &dyn Backend,
    all: &[(&ComputePipeline, &Launch, &ResourceTable)],
    back: bool,
) -> Result<(), Stopped> {
    let places: SmallVec<[Places<'_>; 1]> =
        all.iter().map(|(_, _, table)| table.places()).collect();
    let (mut memory, indices) = memory::lock(&places);
    let steps: SmallVec<[Step<'_>; 1]> = all
        .iter()
        .zip(indices)
        .map(|((pipeline, launch, _), places)| Step { program: &*pipeline.program, launch, places })
        .collect();
    catch(|| backend.run(&steps, &mut memory, back))
        .unwrap_or_else(|bug| Err(Stopped { step: 0, error: DispatchError::Bug(bug) }))
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
