//! Running a pipeline.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use ir::exec::{Bindings, Failure, LaneOrder, Launch, Schedule, TooLarge, Trap, Unsupported};
use ir::print::PrintLog;

use crate::engines::Program;
use crate::guard::catch;
use crate::list::{self, Recorded};
use crate::{BufferError, Bug, ComputePipeline, ResourceTable, indirect};

/// The most groups a dispatch may have in each dimension (`D3D12_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION`).
pub const MOST_GROUPS: u32 = 65535;
/// The most threads of a dispatch: more would run for days.
pub const MOST_THREADS: u64 = 1 << 40;

/// One dispatch.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// Groups in x, y and z.
    pub groups: [u32; 3],
    /// The width of waves; `None` for [`ComputePipeline::default_wave_size`].
    pub wave_size: Option<u32>,
    /// How threads are assigned to lanes; `None` for [`ComputePipeline::default_lane_order`].
    pub lane_order: Option<LaneOrder>,
    /// The order in which groups and waves run.
    pub schedule: Schedule,
    /// The most wave-instructions to run; `None` for no limit.
    pub fuel: Option<u64>,
    /// Set it from another thread to end the run early.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Counts finished waves and groups, up to [`ComputePipeline::steps`].
    pub progress: Option<Arc<AtomicU64>>,
    /// Receives what the shader prints, for [`Shader::printed`](crate::Shader::printed); without it, nothing is
    /// recorded. A GPU prints nothing here: its own tools read what it prints.
    pub prints: Option<Arc<PrintLog>>,
}

impl Dispatch {
    /// A dispatch of `groups` with the defaults: the canonical schedule, no limit.
    pub fn new(groups: [u32; 3]) -> Dispatch {
        Dispatch {
            groups,
            wave_size: None,
            lane_order: None,
            schedule: Schedule::Ascending,
            fuel: None,
            cancel: None,
            progress: None,
            prints: None,
        }
    }
}

/// The result of [`ComputePipeline::measure`] for one pipeline.
#[derive(Debug)]
pub struct Measured {
    /// The time of each round.
    pub times: Vec<Duration>,
    /// The resources after the last round.
    pub table: ResourceTable,
}

impl ComputePipeline {
    /// Runs the pipeline to its end. The results are in the buffers that `table` holds.
    ///
    /// After a trap the buffers hold what had been written by then. After a cancellation, or when the fuel is spent,
    /// waves that were still running may also have written wrong values, always within the bounds of their resources:
    /// discard the contents.
    pub fn dispatch(
        &self,
        dispatch: &Dispatch,
        table: &ResourceTable,
    ) -> Result<(), DispatchError> {
        self.run(dispatch, table, false)
    }

    /// `back`: whether to copy the results to the host immediately.
    pub(crate) fn run(
        &self,
        dispatch: &Dispatch,
        table: &ResourceTable,
        back: bool,
    ) -> Result<(), DispatchError> {
        let launch = self.launch(dispatch, table)?;
        let recorded = Recorded { pipeline: self, launch: &launch, table, indirect: None };
        list::run(&*self.backend, &[recorded], None, back).map_err(|it| self.told(it.error))
    }

    /// Distinguishes a loop that nothing can end from waves that wait for each other.
    fn told(&self, error: DispatchError) -> DispatchError {
        match error {
            DispatchError::Trap(Trap::Deadlock { span })
                if !ir::waits(&self.shader.module, span) =>
            {
                DispatchError::Trap(Trap::Endless { span })
            }
            other => other,
        }
    }

    /// Runs pipelines of one shader on a GPU alternately and on the same buffers, `rounds` times each, after a warm-up
    /// run of each. Every run starts with the contents of `table`. The times are those of the device's clock, without
    /// copies.
    ///
    /// `None` if one of them does not run on a GPU, or the GPU has no clock.
    pub fn measure(
        pipelines: &[&ComputePipeline],
        dispatch: &Dispatch,
        table: &ResourceTable,
        rounds: u32,
    ) -> Result<Option<Vec<Measured>>, DispatchError> {
        let Some(first) = pipelines.first() else { return Ok(Some(Vec::new())) };
        let launch = first.launch(dispatch, table)?;
        for pipeline in pipelines {
            table.check_made_for(&pipeline.shader)?;
            if !Arc::ptr_eq(&pipeline.backend, &first.backend) {
                return Err(DispatchError::OtherDevice);
            }
        }
        let programs: Vec<&dyn Program> = pipelines.iter().map(|it| &*it.program).collect();
        let mut measured = Vec::new();
        for _ in pipelines {
            let table = table.duplicate().map_err(DispatchError::from)?;
            measured.push(Measured { times: Vec::new(), table });
        }
        let mut bindings = Vec::new();
        for one in &measured {
            bindings.push(one.table.with_bindings(|bindings| Ok(bindings.clone()))?);
        }
        let result = catch(|| first.backend.measure(&programs, &launch, &mut bindings, rounds));
        let Some(times) = result.map_err(DispatchError::Bug)?? else { return Ok(None) };
        for ((one, times), left) in measured.iter_mut().zip(times).zip(bindings) {
            one.times = times;
            one.table.with_bindings(|bindings| {
                *bindings = left;
                Ok(())
            })?;
        }
        Ok(Some(measured))
    }

    /// The feature that the device's engine lacks, as a noun phrase, if the dispatch has to run on the reference
    /// engine. The results are the same, but it takes longer.
    pub fn fallback(&self, dispatch: &Dispatch, table: &ResourceTable) -> Option<String> {
        let launch = self.launch(dispatch, table).ok()?;
        let asked = |bindings: &mut Bindings| {
            Ok(catch(|| self.program.refuses(&launch, bindings)).ok().flatten())
        };
        table.with_bindings(asked).ok().flatten()
    }

    /// How the threads of the engine `cpu` affect the order of waves at that width, if the program can observe that
    /// order and several threads cannot keep it, as a clause: on one thread, because the counter changes in a loop.
    pub fn order(&self, wave_size: u32) -> Option<String> {
        catch(|| self.program.order(wave_size)).ok().flatten()
    }

    /// Prepares for dispatches at that width now, instead of at the first one: compiles machine code, for example.
    pub fn prepare(&self, wave_size: u32) {
        self.program.warm(wave_size);
    }

    /// Prepares for this dispatch on these resources now, since the code for a GPU also depends on the resources. The
    /// dispatch then only moves data and runs.
    pub fn prepare_dispatch(
        &self,
        dispatch: &Dispatch,
        table: &ResourceTable,
    ) -> Result<(), DispatchError> {
        let launch = self.launch(dispatch, table)?;
        let warm =
            |bindings: &mut Bindings| match catch(|| self.program.warm_for(&launch, bindings)) {
                Ok(result) => result.map(Ok),
                Err(bug) => Ok(Err(DispatchError::Bug(bug))),
            };
        table.with_bindings(warm)?
    }

    /// Checks a dispatch, and converts it for the engine.
    pub(crate) fn launch(
        &self,
        dispatch: &Dispatch,
        table: &ResourceTable,
    ) -> Result<Launch, DispatchError> {
        indirect::check(dispatch.groups, self.shader.module.threads_per_group())?;
        let wave_width = dispatch.wave_size.unwrap_or_else(|| self.default_wave_size());
        if !self.wave_sizes().contains(&wave_width) {
            return Err(DispatchError::WaveSize {
                asked: wave_width,
                allowed: self.wave_sizes().to_vec(),
            });
        }
        table.check_ready(&self.shader)?;
        Ok(Launch {
            lane_order: dispatch.lane_order.unwrap_or_else(|| self.default_lane_order()),
            schedule: dispatch.schedule,
            fuel: dispatch.fuel,
            cancel: dispatch.cancel.clone(),
            progress: dispatch.progress.clone(),
            prints: dispatch.prints.clone(),
            ..Launch::dispatch(dispatch.groups, wave_width)
        })
    }
}

/// Why a dispatch failed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DispatchError {
    /// A dimension has more than [`MOST_GROUPS`] groups.
    TooManyGroups {
        /// The number of groups.
        groups: u32,
    },
    /// More than [`MOST_THREADS`] threads.
    TooManyThreads {
        /// The number of threads.
        threads: u64,
    },
    /// The group counts of an indirect dispatch begin at an offset that is not a multiple of 4.
    MisalignedArguments {
        /// The offset in bytes.
        offset: usize,
    },
    /// The group counts of an indirect dispatch do not lie within their buffer.
    ArgumentsOutOfBounds {
        /// Where they begin, in bytes.
        offset: usize,
        /// The size of the buffer.
        bytes: usize,
    },
    /// The width is not one of [`ComputePipeline::wave_sizes`].
    WaveSize {
        /// The requested width.
        asked: u32,
        /// The allowed widths.
        allowed: Vec<u32>,
    },
    /// The table was made for a shader that declares other resources.
    OtherShader {
        /// The entry point and the text of the table's shader.
        table: String,
        /// Those of the pipeline's.
        pipeline: String,
    },
    /// A buffer is bound to two resources, and the shader writes to one of them.
    Aliased {
        /// One resource.
        first: String,
        /// The other resource.
        second: String,
    },
    /// The pipeline belongs to another device.
    OtherDevice,
    /// The shader uses resources that nothing is bound to.
    Unbound {
        /// All of them, in the order of declaration.
        names: Vec<String>,
    },
    /// The engine cannot do it.
    Unsupported(Unsupported),
    /// The local arrays of a group are too large.
    TooLarge(TooLarge),
    /// The run trapped.
    Trap(Trap),
    /// A bug in wavelane; the contents of the buffers are meaningless.
    Bug(Bug),
}

impl From<Failure> for DispatchError {
    fn from(failure: Failure) -> DispatchError {
        match failure {
            Failure::Unsupported(what) => DispatchError::Unsupported(what),
            Failure::TooLarge(what) => DispatchError::TooLarge(what),
            Failure::Trap(trap) => DispatchError::Trap(trap),
        }
    }
}

impl From<BufferError> for DispatchError {
    /// A table's contents can be lost with a device; no other error is possible.
    fn from(error: BufferError) -> DispatchError {
        match error {
            BufferError::Device(failure) => failure.into(),
            other => unreachable!("contents are copied as they are: {other}"),
        }
    }
}

impl fmt::Display for DispatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DispatchError::TooManyGroups { groups } => {
                write!(
                    f,
                    "{groups} groups in one dimension are too many; the limit is {MOST_GROUPS}"
                )
            }
            DispatchError::TooManyThreads { threads } => {
                write!(f, "{threads} threads are too many; the limit is {MOST_THREADS}")
            }
            DispatchError::MisalignedArguments { offset } => {
                write!(f, "group counts begin at a multiple of 4 bytes, and the offset is {offset}")
            }
            DispatchError::ArgumentsOutOfBounds { offset, bytes } => write!(
                f,
                "the three group counts at offset {offset} do not lie within the {bytes} bytes of their buffer"
            ),
            DispatchError::WaveSize { asked, allowed } => {
                let allowed: Vec<String> = allowed.iter().map(u32::to_string).collect();
                write!(
                    f,
                    "waves of {asked} lanes are not allowed here, only of {}",
                    allowed.join(", ")
                )
            }
            DispatchError::OtherShader { table, pipeline } => {
                write!(
                    f,
                    "the resource table was made for {table}, but the pipeline runs {pipeline}, which declares other \
                     resources; make a table with `ResourceTable::new` for that shader"
                )
            }
            DispatchError::Aliased { first, second } => write!(
                f,
                "the same buffer is bound to `{first}` and `{second}`, and the shader writes to it; bind a buffer of its \
                 own to each, or declare the alias by `Shader::with_alias`"
            ),
            DispatchError::OtherDevice => {
                write!(
                    f,
                    "the pipeline belongs to another device; run it on the one that created it"
                )
            }
            DispatchError::Unbound { names } => {
                write!(f, "nothing is bound to `{}`, which the shader uses", names.join("`, `"))
            }
            DispatchError::Unsupported(what) => what.fmt(f),
            DispatchError::TooLarge(what) => what.fmt(f),
            DispatchError::Trap(trap) => trap.fmt(f),
            DispatchError::Bug(bug) => bug.fmt(f),
        }
    }
}

impl std::error::Error for DispatchError {}
