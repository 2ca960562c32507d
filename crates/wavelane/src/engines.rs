//! Engines behind one trait: each has a file here, which reports its capabilities, and prepares, runs and measures
//! modules.
//!
//! A device holds an engine without knowing which one it is. What is specific to an engine is in its options
//! ([`CpuOptions`], [`Gpu`]).

pub(crate) mod cpu;
pub(crate) mod cuda;
mod feedback;
pub(crate) mod reference;
mod sizes;
pub(crate) mod vulkan;

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ir::Module;
use ir::exec::{Bindings, Failure, Feed, Launch, Schedule, Unsupported, Work};
use ops::texture::Format;
use raster::{Layout, RasterState};
use spirv::Emitted;

use self::cpu::CpuOptions;
use self::cuda::foreign::ForeignKernel;
use crate::draw::Draw;
use crate::foreign::vouched::Vouched;
use crate::graphics::{GraphicsDesc, Link};
use crate::guard::catch;
use crate::indirect;
use crate::memory::{Indices, Memory};
use crate::{Adapter, CudaGpu, DispatchError, Engine, Gpu};

/// Whether this program can load the libraries of drivers. `Err` says why not.
fn drivers_can_be_loaded() -> Result<(), String> {
    match cfg!(target_feature = "crt-static") && !cfg!(windows) {
        true => Err("this program is static, and static programs cannot load drivers".to_owned()),
        false => Ok(()),
    }
}

/// The implementation of one [`Engine`].
pub(crate) trait Backend: fmt::Debug + Send + Sync {
    /// Its name.
    fn engine(&self) -> Engine;

    /// The caps that it has in common with an adapter.
    fn caps(&self, adapter: Adapter) -> Adapter {
        adapter
    }

    /// Prepares a module. What depends on the width is compiled later.
    fn prepare(&self, module: &Arc<Module>) -> Arc<dyn Program>;

    /// Prepares another compiler's SPIR-V in place of the module; `None` if the engine does not run SPIR-V.
    fn prepare_foreign(&self, _: &Arc<Module>, _: Vouched<Emitted>) -> Option<Arc<dyn Program>> {
        None
    }

    /// Prepares another compiler's kernel in PTX in place of the module; `None` if the engine does not run PTX.
    fn prepare_foreign_kernel(
        &self,
        _: &Arc<Module>,
        _: Vouched<Arc<ForeignKernel>>,
    ) -> Option<Arc<dyn Program>> {
        None
    }

    /// Runs dispatches in order; each sees what the earlier ones have written.
    ///
    /// `back`: whether to copy the results to the host immediately.
    fn run(&self, steps: &[Step<'_>], memory: &mut Memory<'_>, back: bool)
    -> Result<(), StepError>;

    /// The module of [`crate::indirect`] that checks group counts, if they are known on the device only. An engine
    /// without it checks them itself.
    fn guard(&self) -> Option<&Arc<dyn Program>> {
        None
    }

    /// Runs all dispatches in order, `rounds` times and every time from what the cells hold, and returns the times by
    /// the device's own clock: for each round one for each dispatch. The cells keep their contents. `None` without such
    /// a clock.
    fn measure_steps(
        &self,
        _steps: &[Step<'_>],
        _memory: &mut Memory<'_>,
        _rounds: u32,
    ) -> Result<Option<Vec<Vec<Duration>>>, StepError> {
        Ok(None)
    }

    /// Runs programs of one module alternately, `rounds` times each, every time from the same contents, and returns the
    /// times of each by the device's clock; `None` if there is no such clock. The results of the last run of each are
    /// left in its bindings, which are equal before.
    fn measure(
        &self,
        _programs: &[&dyn Program],
        _launch: &Launch,
        _bindings: &mut [Bindings],
        _rounds: u32,
    ) -> Result<Option<Vec<Vec<Duration>>>, Failure> {
        Ok(None)
    }

    /// The options of the engine `cpu`, if it is that one.
    fn cpu(&self) -> Option<&CpuOptions> {
        None
    }

    /// Draws with its own fixed functions, instead of those of `raster`; `None` if the engine has none.
    fn draw(
        &self,
        _job: &mut DrawJob<'_>,
        _memory: &mut Memory<'_>,
    ) -> Option<Result<(), DispatchError>> {
        None
    }

    /// The GPU, if it runs on one through Vulkan.
    fn gpu(&self) -> Option<&Gpu> {
        None
    }

    /// The GPU, if it runs on one through CUDA.
    fn cuda(&self) -> Option<&CudaGpu> {
        None
    }
}

/// A module prepared by an engine, and runnable only by it.
pub(crate) trait Program: Any + fmt::Debug + Send + Sync {
    fn module(&self) -> &Arc<Module>;

    /// Prepares for dispatches at that width now, instead of at the first one.
    fn warm(&self, _width: u32) {}

    /// The same for dispatches like this one, on whose size and contents the code may depend.
    fn warm_for(&self, launch: &Launch, _bindings: &Bindings) -> Result<(), Failure> {
        self.warm(launch.wave_width);
        Ok(())
    }

    /// Runs the waves of a vertex or pixel shader that a feed supplies.
    fn run_waves(
        &self,
        _launch: &Launch,
        _bindings: &mut Bindings,
        _feed: &mut dyn Feed,
    ) -> Result<(), Failure> {
        Err(Failure::Unsupported(Unsupported {
            asked: "a draw".to_owned(),
            missing: "the engine runs dispatches only; `interp`, `cpu` and `vulkan` run draws"
                .to_owned(),
        }))
    }

    /// On how many threads waves may run at once.
    fn threads(&self) -> usize {
        1
    }

    /// The feature that the engine lacks, as a noun phrase, if the launch has to run on the reference engine.
    fn refuses(&self, _launch: &Launch, _bindings: &Bindings) -> Option<String> {
        None
    }

    /// What several threads mean for an order of waves that the program can observe, unless they keep it.
    fn order(&self, _width: u32) -> Option<String> {
        None
    }

    /// The duration of the last dispatch by the device's clock, if it has one.
    fn device_time(&self) -> Option<Duration> {
        None
    }
}

/// A draw for an engine with its own fixed functions.
pub(crate) struct DrawJob<'a> {
    pub(crate) desc: &'a GraphicsDesc,
    pub(crate) link: &'a Link,
    pub(crate) draw: &'a Draw,
    pub(crate) state: &'a RasterState,
    pub(crate) width: u32,
    pub(crate) launch: &'a Launch,
    /// What is drawn.
    pub(crate) kind: raster::Kind,
    pub(crate) places: StagePlaces<'a>,
    /// The contents of the vertex buffers by slot, and of the index buffer.
    pub(crate) buffers: &'a [&'a [u8]],
    pub(crate) indices: Option<&'a [u8]>,
    /// The cell of the buffer that records the packing.
    pub(crate) record: Option<usize>,
    pub(crate) attached: Vec<Attached<'a>>,
}

/// What is bound to each stage; nothing to those that are not there.
#[derive(Clone, Copy)]
pub(crate) struct StagePlaces<'a> {
    /// Of the vertex or mesh shader.
    pub(crate) vertex: &'a Indices,
    pub(crate) amplification: &'a Indices,
    pub(crate) hull: &'a Indices,
    pub(crate) domain: &'a Indices,
    pub(crate) geometry: &'a Indices,
    pub(crate) pixel: &'a Indices,
}

impl<'a> StagePlaces<'a> {
    pub(crate) fn all(self) -> [&'a Indices; 6] {
        let StagePlaces { vertex, amplification, hull, domain, geometry, pixel } = self;
        [vertex, amplification, hull, domain, geometry, pixel]
    }
}

/// The texels of a target, on the host.
pub(crate) struct Attached<'a> {
    pub(crate) part: Part,
    pub(crate) format: Format,
    pub(crate) layout: Layout,
    pub(crate) is_blended: bool,
    /// Of the whole texture or buffer.
    pub(crate) bytes: &'a mut [u8],
}

/// What a target is to the draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Colour(usize),
    Depth,
    Stencil,
}

/// One dispatch of a list.
pub(crate) struct Step<'a> {
    pub(crate) program: &'a dyn Program,
    pub(crate) launch: &'a Launch,
    /// What is bound, as indices of cells in the memory.
    pub(crate) places: Indices,
    /// The cell that holds the group counts, and their offset in bytes; then those of the launch do not count.
    pub(crate) indirect: Option<(usize, usize)>,
    /// The fuel that is left to this dispatch and all that follow.
    pub(crate) budget: Option<&'a std::cell::Cell<u64>>,
}

/// A dispatch of a list failed.
#[derive(Debug)]
pub(crate) struct StepError {
    /// The index of the dispatch; the earlier ones have been run.
    pub(crate) step: usize,
    pub(crate) error: DispatchError,
}

/// Downcasts a program to the engine's type.
fn made<T: Program>(program: &dyn Program) -> &T {
    let program: &dyn Any = program;
    match program.downcast_ref() {
        Some(program) => program,
        None => unreachable!("a pipeline is run by the engine that prepared it"),
    }
}

/// Runs dispatches one by one on the host's contents.
fn in_order<T: Program>(
    steps: &[Step<'_>],
    memory: &mut Memory<'_>,
    run: impl Fn(&T, &Launch, &mut Bindings) -> Result<(), Failure>,
) -> Result<(), StepError> {
    for (number, step) in steps.iter().enumerate() {
        let stopped = |error: DispatchError| StepError { step: number, error };
        let program: &T = made(step.program);
        let Some(launch) = launch_of(step, memory).map_err(stopped)? else { continue };
        let mut bindings = memory.take(&step.places).map_err(|it| stopped(it.into()))?;
        // The contents are put back into the buffers in any case.
        let result = catch(|| run(program, &launch, &mut bindings));
        memory.put(&step.places, bindings, program.module());
        if let (Some(budget), Some(spent)) = (step.budget, &launch.spent) {
            budget.set(budget.get().saturating_sub(spent.load(Ordering::Relaxed)));
        }
        match result {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => return Err(stopped(failure.into())),
            Err(bug) => return Err(stopped(DispatchError::Bug(bug))),
        }
    }
    Ok(())
}

/// The launch of a step with its group counts and the fuel that is left; `None` if it has no groups.
fn launch_of<'a>(
    step: &Step<'a>,
    memory: &mut Memory<'_>,
) -> Result<Option<Cow<'a, Launch>>, DispatchError> {
    let mut launch = Cow::Borrowed(step.launch);
    if let Some((cell, offset)) = step.indirect {
        let groups = indirect::counts(&memory.cell(cell).host()?.bytes, offset);
        indirect::check(groups, step.program.module().threads_per_group())?;
        if groups.contains(&0) {
            return Ok(None);
        }
        launch.to_mut().work = Work::Dispatch { groups };
    }
    if let Some(budget) = step.budget {
        let launch = launch.to_mut();
        launch.fuel = Some(launch.fuel.map_or(budget.get(), |it| it.min(budget.get())));
        launch.spent = Some(Arc::default());
    }
    Ok(Some(launch))
}

/// Refuses launches that choose the order of lanes or waves, which GPUs choose themselves.
fn refuse_chosen_orders(module: &Module, launch: &Launch) -> Result<(), Failure> {
    let (asked, missing) = if launch.schedule != Schedule::Ascending {
        ("a schedule of waves", "a GPU schedules its waves itself")
    } else if launch.lane_order != ir::exec::LaneOrder::natural(module) {
        ("an order of lanes", "a GPU assigns threads to lanes itself")
    } else {
        return Ok(());
    };
    let (asked, missing) = (asked.to_owned(), missing.to_owned());
    Err(Failure::Unsupported(Unsupported { asked, missing }))
}
