//! Running a pipeline.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use ir::exec::{Bindings, Failure, LaneOrder, Launch, Schedule, TooLarge, Trap, Unsupported, Work};

use crate::guard::catch;
use crate::pipeline::Runner;
use crate::vulkan::GpuPrograms;
use crate::{Bug, ComputePipeline, ResourceTable, small};

/// The most groups a dispatch may have in each dimension (`D3D12_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION`).
pub const MOST_GROUPS: u32 = 65535;
/// The most threads of a dispatch: more would take days.
pub const MOST_THREADS: u64 = 1 << 40;

/// One dispatch.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// Groups in x, y and z.
    pub groups: [u32; 3],
    /// The width of waves; `None` for [`ComputePipeline::default_wave_size`].
    pub wave_size: Option<u32>,
    /// How threads are dealt to lanes; `None` for [`ComputePipeline::default_lane_order`].
    pub lane_order: Option<LaneOrder>,
    /// In which order groups and waves take turns.
    pub schedule: Schedule,
    /// How many wave-instructions may run; `None` for no bound.
    pub fuel: Option<u64>,
    /// Set it from another thread to end the run soon.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Counts the waves and groups that are done, up to [`ComputePipeline::steps`].
    pub progress: Option<Arc<AtomicU64>>,
}

impl Dispatch {
    /// So many groups, and everything else as it is by default: the canonical schedule, no bound.
    pub fn new(groups: [u32; 3]) -> Dispatch {
        Dispatch {
            groups,
            wave_size: None,
            lane_order: None,
            schedule: Schedule::Ascending,
            fuel: None,
            cancel: None,
            progress: None,
        }
    }
}

/// What [`ComputePipeline::measure`] found out about one pipeline.
#[derive(Clone, Debug)]
pub struct Measured {
    /// How long each round took.
    pub times: Vec<Duration>,
    /// What the last round left.
    pub table: ResourceTable,
}

impl ComputePipeline {
    /// Runs the pipeline to its end; the results are left in `table`.
    ///
    /// After a trap the table holds what had been written by then.
    pub fn dispatch(
        &self,
        dispatch: &Dispatch,
        table: &mut ResourceTable,
    ) -> Result<(), DispatchError> {
        let launch = self.launch(dispatch, table)?;
        let mut bindings = table.take();
        let result = catch(|| match &self.runner {
            Runner::Cpu(programs) => {
                if programs.leaves_small(launch.wave_width)
                    && let Some(done) = small::run(&self.shader.module, &launch, &mut bindings)
                {
                    return done;
                }
                match programs.refuses(&launch, &bindings) {
                    None => programs.run(&launch, &mut bindings),
                    Some(_) => self.refer(&launch, &mut bindings),
                }
            }
            Runner::Gpu(programs) => programs.run(&launch, &mut bindings),
            Runner::Reference => self.refer(&launch, &mut bindings),
        });
        table.put(bindings);
        match result {
            Ok(Ok(())) => Ok(()),
            Ok(Err(failure)) => Err(failure.into()),
            Err(bug) => Err(DispatchError::Bug(bug)),
        }
    }

    /// Runs pipelines of one shader on a GPU in turns and on the same buffers, `rounds` times each and every time from what
    /// `table` holds, after a run of each that warms up. The times are those of the device's own clock, without copies.
    ///
    /// `None` where something else than a GPU runs one of them, or the GPU has no clock.
    pub fn measure(
        pipelines: &[&ComputePipeline],
        dispatch: &Dispatch,
        table: &ResourceTable,
        rounds: u32,
    ) -> Result<Option<Vec<Measured>>, DispatchError> {
        let Some(first) = pipelines.first() else { return Ok(Some(Vec::new())) };
        let launch = first.launch(dispatch, table)?;
        let mut programs = Vec::new();
        for pipeline in pipelines {
            let Runner::Gpu(it) = &pipeline.runner else { return Ok(None) };
            programs.push(it);
        }
        let mut tables = vec![table.clone(); pipelines.len()];
        let mut bindings: Vec<Bindings> = tables.iter_mut().map(ResourceTable::take).collect();
        let result = catch(|| GpuPrograms::measure(&programs, &launch, &mut bindings, rounds));
        tables.iter_mut().zip(bindings).for_each(|(table, bindings)| table.put(bindings));
        match result {
            Ok(Ok(times)) => Ok(times.map(|all| {
                let each = all.into_iter().zip(tables);
                each.map(|(times, table)| Measured { times, table }).collect()
            })),
            Ok(Err(failure)) => Err(failure.into()),
            Err(bug) => Err(DispatchError::Bug(bug)),
        }
    }

    /// Runs a launch on the reference engine.
    fn refer(&self, launch: &Launch, bindings: &mut Bindings) -> Result<(), Failure> {
        interp::run(&self.shader.module, launch, bindings, &mut interp::NoObserver)
    }
}

impl ComputePipeline {
    /// What of a dispatch the device's engine does not do, so that the reference engine runs it: a noun phrase.
    /// The results are the same; it takes longer.
    pub fn fallback(&self, dispatch: &Dispatch, table: &mut ResourceTable) -> Option<String> {
        let Runner::Cpu(programs) = &self.runner else { return None };
        let launch = self.launch(dispatch, table).ok()?;
        let bindings = table.take();
        let what = catch(|| programs.refuses(&launch, &bindings)).ok().flatten();
        table.put(bindings);
        what
    }

    /// Makes the machine code for waves of that width now, not at the first dispatch that needs it.
    pub fn prepare(&self, wave_size: u32) {
        if let Runner::Cpu(programs) = &self.runner {
            // A mistake of ours comes up again where the code is run.
            let _ = catch(|| programs.program(wave_size).is_ok());
        }
    }

    /// What engines are told, once it is certain that it can be done.
    pub(crate) fn launch(
        &self,
        dispatch: &Dispatch,
        table: &ResourceTable,
    ) -> Result<Launch, DispatchError> {
        if let Some(groups) = dispatch.groups.iter().find(|it| **it > MOST_GROUPS) {
            return Err(DispatchError::TooManyGroups { groups: *groups });
        }
        let groups: u64 = dispatch.groups.iter().map(|it| u64::from(*it)).product();
        let threads = groups.saturating_mul(u64::from(self.shader.module.threads_per_group()));
        if threads > MOST_THREADS {
            return Err(DispatchError::TooManyThreads { threads });
        }
        let wave_width = dispatch.wave_size.unwrap_or_else(|| self.default_wave_size());
        if !self.wave_sizes().contains(&wave_width) {
            return Err(DispatchError::WaveSize {
                asked: wave_width,
                allowed: self.wave_sizes().to_vec(),
            });
        }
        table.check_made_for(&self.shader)?;
        if let Some(resource) = table.unbound_of(self.shader.resources()) {
            return Err(DispatchError::Unbound { name: resource.name.clone() });
        }
        Ok(Launch {
            work: Work::Dispatch { groups: dispatch.groups },
            wave_width,
            lane_order: dispatch.lane_order.unwrap_or_else(|| self.default_lane_order()),
            schedule: dispatch.schedule,
            fuel: dispatch.fuel,
            cancel: dispatch.cancel.clone(),
            progress: dispatch.progress.clone(),
        })
    }
}

/// Why a dispatch did not come to its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DispatchError {
    /// A dimension has more than [`MOST_GROUPS`] groups.
    TooManyGroups {
        /// How many it has.
        groups: u32,
    },
    /// More than [`MOST_THREADS`] threads.
    TooManyThreads {
        /// How many there would be.
        threads: u64,
    },
    /// The width is not one of [`ComputePipeline::wave_sizes`].
    WaveSize {
        /// The width asked for.
        asked: u32,
        /// The widths there are.
        allowed: Vec<u32>,
    },
    /// The table was made for a shader that declares other resources.
    OtherShader {
        /// The entry point and the text of the table's shader.
        table: String,
        /// Those of the pipeline's.
        pipeline: String,
    },
    /// The shader uses a resource that nothing is bound to.
    Unbound {
        /// The resource.
        name: String,
    },
    /// The engine cannot do it.
    Unsupported(Unsupported),
    /// There is no room for the local arrays of a group.
    TooLarge(TooLarge),
    /// The run could not go on.
    Trap(Trap),
    /// A mistake of ours; the buffers hold nothing of worth.
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

impl fmt::Display for DispatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DispatchError::TooManyGroups { groups } => {
                write!(
                    f,
                    "{groups} groups in one dimension are too many: {MOST_GROUPS} are the most"
                )
            }
            DispatchError::TooManyThreads { threads } => {
                write!(f, "{threads} threads are too many: {MOST_THREADS} are the most")
            }
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
            DispatchError::Unbound { name } => {
                write!(f, "nothing is bound to `{name}`, which the shader uses")
            }
            DispatchError::Unsupported(Unsupported { asked, missing }) => {
                write!(f, "unsupported: {asked}: {missing}")
            }
            DispatchError::TooLarge(what) => what.fmt(f),
            DispatchError::Trap(trap) => match trap {
                Trap::OutOfFuel { .. } => write!(f, "the fuel is spent"),
                Trap::Cancelled { .. } => write!(f, "the run was cancelled"),
                Trap::Deadlock { .. } => {
                    write!(f, "every wave that is left waits for another, or goes round for ever")
                }
                Trap::OutOfMemory { bytes } => {
                    write!(f, "{bytes} bytes of memory are more than there are")
                }
                Trap::DeviceLost { why } => write!(f, "the device is lost: {why}"),
            },
            DispatchError::Bug(bug) => bug.fmt(f),
        }
    }
}

impl std::error::Error for DispatchError {}
