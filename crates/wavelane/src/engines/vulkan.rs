//! GPUs through Vulkan: listing devices, and pipelines and dispatches on one of them.
//!
//! The loader is opened when the first GPU is requested, so that a build does not need Vulkan and a machine without it
//! only gets `unsupported`. A module is emitted for the device's features ([`Gpu::environment`]); missing features are
//! named in an error, and nothing falls back to another engine.
//!
//! # Unsafe code
//! Every call into Vulkan is unsafe. The calls are in `instance`, `context`, `program`, `image`, `samples`, `resident`,
//! `run`, `scene`, `graphics` and `attachment`, each with its reason; there is no unsafe code here or outside. They
//! share these invariants: a handle is in a structure that keeps its device alive and destroys it once, the queue is
//! used by one thread at a time, and after a dispatch that did not finish no object of the device is used or destroyed
//! any more.
//!
//! Buffers and textures stay on the device after a dispatch (`resident.rs`): the next one uses them there, and results
//! are copied back when the host reads them. A list of dispatches is one submission.
//!
//! Deliberately absent: queues other than the first compute queue.

#[allow(unsafe_code, reason = "the images of targets, and their copies")]
mod attachment;
#[allow(unsafe_code, reason = "the device, its memory, and waiting for it")]
mod context;
mod features;
mod format;
#[allow(unsafe_code, reason = "graphics pipelines, and the recording of a draw")]
mod graphics;
#[allow(unsafe_code, reason = "images, samplers and copies")]
mod image;
#[allow(unsafe_code, reason = "the loader, and the properties of devices")]
mod instance;
#[allow(unsafe_code, reason = "shader modules and pipelines")]
mod program;
#[allow(unsafe_code, reason = "what stays on the device, and fetching it")]
mod resident;
mod rewrites;
#[allow(unsafe_code, reason = "descriptors, and the recording of a dispatch")]
mod run;
#[allow(unsafe_code, reason = "the program that copies the samples of images")]
mod samples;
#[allow(unsafe_code, reason = "acceleration structures")]
mod scene;
mod special;
mod stages;
mod state;
mod stored;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ir::Module;
use ir::exec::{Bindings, Failure, Launch, Unsupported};
use spirv::{Emitted, Environment, NoDebug};

use super::{Backend, DrawJob, Program, Step, StepError, made};
use crate::foreign::vouched::Vouched;
use crate::graphics::DrawCaps;
use crate::memory::{Contents, Memory, Slot};
use crate::{Adapter, DispatchError, Engine};
use context::Context;
use instance::{Capabilities, Instance};
use program::Program as Pipeline;
use rewrites::{Launched, Replacement, Replacements};
use run::{Job, Run};

/// An open Vulkan device: a GPU, or a CPU driver such as lavapipe. Copies are the same device.
#[derive(Clone)]
pub struct Gpu {
    context: Arc<Context>,
    /// The device for draws, opened for the first one.
    graphics: Arc<OnceLock<Result<Arc<Context>, Unsupported>>>,
    /// The number of the device.
    index: usize,
    adapter: Adapter,
    /// Whether programs are rewritten where that cannot be observed.
    rewrites: bool,
}

/// The properties of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuInfo {
    /// Its number, by which it can be chosen.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// The driver's name and version.
    pub driver: String,
    /// `discrete GPU`, `CPU` and so on.
    pub kind: &'static str,
    /// The version of Vulkan, such as `1.3.289`.
    pub vulkan: String,
    /// The caps for shaders.
    pub adapter: Adapter,
    /// What it can draw; `None` if it has no queue for draws.
    pub draws: Option<DrawCaps>,
    /// The missing requirement, if the device cannot be used.
    pub unusable: Option<String>,
}

/// How ray queries run on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RayQueries {
    /// By the device (`VK_KHR_ray_query`), within the freedom of its specification.
    #[default]
    Native,
    /// Written into shaders, with the bits of the reference engine. Needs 64-bit floats, and nothing else.
    Software,
}

impl Gpu {
    /// Every device that Vulkan lists, in that order.
    pub fn all() -> Result<Vec<GpuInfo>, Unsupported> {
        let instance = Instance::new().map_err(no_vulkan)?;
        let devices = instance.devices().map_err(no_vulkan)?;
        Ok(devices.iter().enumerate().map(|(index, (_, it))| info(index, it)).collect())
    }

    /// Opens a device: by its number or a part of its name, or the first usable one.
    pub fn open(choice: Option<&str>) -> Result<Gpu, Unsupported> {
        Gpu::open_with(choice, RayQueries::Native)
    }

    /// The same, with a choice of how ray queries run.
    pub fn open_with(choice: Option<&str>, rays: RayQueries) -> Result<Gpu, Unsupported> {
        let instance = Instance::new().map_err(no_vulkan)?;
        let devices = instance.devices().map_err(no_vulkan)?;
        let unsupported = |asked: String, missing: String| Err(Unsupported { asked, missing });
        let names: Vec<String> = devices
            .iter()
            .enumerate()
            .map(|(index, (_, it))| format!("{index}: `{}`", it.name))
            .collect();
        let there = match names.as_slice() {
            [] => return Err(no_vulkan("no driver lists a device".to_owned())),
            names => format!("the devices are {}", names.join(", ")),
        };
        let found = match choice {
            Some(choice) => devices.iter().enumerate().position(|(index, (_, it))| {
                choice == index.to_string() || it.name.contains(choice)
            }),
            None => devices.iter().position(|(_, it)| it.unusable().is_none()),
        };
        let Some(index) = found else {
            let first = devices[0].1.unusable().unwrap_or_default();
            return match choice {
                Some(choice) => unsupported(format!("the device `{choice}`"), there),
                None => unsupported("a Vulkan device".to_owned(), format!("{first}; {there}")),
            };
        };
        let (physical, mut capabilities) = devices[index].clone();
        capabilities.rays.in_software = rays == RayQueries::Software;
        if let Some(what) = capabilities.unusable() {
            return unsupported(format!("the device `{}`", capabilities.name), what);
        }
        let adapter = capabilities.adapter();
        let context =
            Context::new(instance, physical, capabilities).map_err(|result| Unsupported {
                asked: format!("the device `{}`", adapter.name),
                missing: format!("it cannot be opened: {result}"),
            })?;
        let (context, graphics) = (Arc::new(context), Arc::default());
        Ok(Gpu { context, graphics, index, adapter, rewrites: true })
    }

    /// The same device, on which compute shaders do what they say, operation by operation: without the rewrites that
    /// save atomic operations, or run several groups as one, where that cannot be observed.
    pub fn without_rewrites(self) -> Gpu {
        Gpu { rewrites: false, ..self }
    }

    /// The device again, with a queue that can draw. The queue for dispatches may be a faster one that cannot.
    fn graphics(&self) -> Result<&Arc<Context>, Unsupported> {
        let open = || {
            let name = &self.adapter.name;
            let fail = |missing: String| Unsupported { asked: "a draw".to_owned(), missing };
            let instance = Instance::new().map_err(fail)?;
            let devices = instance.devices().map_err(fail)?;
            let found = devices.get(self.index).filter(|(_, it)| it.name == *name).cloned();
            let Some((physical, mut capabilities)) = found else {
                return Err(fail(format!("the device `{name}` is not listed any more")));
            };
            let Some(family) = capabilities.graphics.family else {
                return Err(fail(format!("the device `{name}` has no queue for draws")));
            };
            capabilities.family = Some(family);
            capabilities.rays.in_software = self.context.capabilities.rays.in_software;
            let context = Context::new(instance, physical, capabilities)
                .map_err(|it| fail(format!("the device `{name}` cannot be opened: {it}")))?;
            Ok(Arc::new(context))
        };
        self.graphics.get_or_init(open).as_ref().map_err(Unsupported::clone)
    }

    /// Its caps.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// The driver's name and version.
    pub fn driver(&self) -> &str {
        &self.context.capabilities.driver
    }

    /// Whether a dispatch did not finish: nothing runs on the device any more, and only a new process can reliably open
    /// it again.
    pub fn is_lost(&self) -> bool {
        let graphics = self.graphics.get().and_then(|it| it.as_ref().ok());
        self.context.is_lost() || graphics.is_some_and(|it| it.is_lost())
    }

    /// The environment for which modules are emitted.
    pub fn environment(&self) -> Environment {
        self.context.capabilities.environment()
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("name", &self.adapter.name).finish_non_exhaustive()
    }
}

fn info(index: usize, capabilities: &Capabilities) -> GpuInfo {
    GpuInfo {
        index,
        name: capabilities.name.clone(),
        driver: capabilities.driver.clone(),
        kind: capabilities.kind(),
        vulkan: capabilities.version(),
        adapter: capabilities.adapter(),
        draws: capabilities.draws(),
        unusable: capabilities.unusable(),
    }
}

fn no_vulkan(missing: String) -> Unsupported {
    Unsupported { asked: "the engine `vulkan`".to_owned(), missing }
}

/// The engine on a GPU.
#[derive(Debug)]
pub(crate) struct Vulkan {
    gpu: Gpu,
    /// Checks group counts on the device; made for the first list that has such.
    guard: OnceLock<Arc<dyn Program>>,
}

impl Vulkan {
    pub(crate) fn new(gpu: Gpu) -> Vulkan {
        Vulkan { gpu, guard: OnceLock::new() }
    }

    /// Runs steps in one submission. If one of them is not supported, none of them has been run.
    fn submit(
        &self,
        steps: &[Step<'_>],
        memory: &mut Memory<'_>,
        back: bool,
    ) -> Result<(), (usize, Failure)> {
        let programs = programs(steps, memory)?;
        let times = run::run(&jobs(steps, &programs), memory, back)?;
        for (step, time) in steps.iter().zip(times) {
            let programs: &GpuPrograms = made(step.program);
            programs.made.lock().unwrap_or_else(PoisonError::into_inner).last = time;
            if let Some(progress) = &step.launch.progress {
                let all = progress_steps(&programs.module, step.launch);
                progress.store(all, std::sync::atomic::Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

/// What runs each step.
fn programs(
    steps: &[Step<'_>],
    memory: &Memory<'_>,
) -> Result<Vec<Arc<Pipeline>>, (usize, Failure)> {
    let empty = Slot::default();
    let program = |(number, step): (usize, &Step<'_>)| {
        let contents = memory.contents(&step.places, &empty);
        let programs = made::<GpuPrograms>(step.program);
        let program = programs.ready(step.launch, &contents, step.indirect.is_none());
        program.map_err(|failure| (number, failure))
    };
    steps.iter().enumerate().map(program).collect()
}

fn jobs<'a>(steps: &'a [Step<'_>], programs: &'a [Arc<Pipeline>]) -> Vec<Job<'a>> {
    let job = |(number, (step, program)): (usize, (&'a Step<'_>, &'a Arc<Pipeline>))| Job {
        program,
        module: made::<GpuPrograms>(step.program).module(),
        launch: step.launch,
        places: Some(&step.places),
        indirect: step.indirect,
        space: number,
    };
    steps.iter().zip(programs).enumerate().map(job).collect()
}

impl Backend for Vulkan {
    fn engine(&self) -> Engine {
        Engine::Vulkan
    }

    fn caps(&self, adapter: Adapter) -> Adapter {
        adapter.within(self.gpu.adapter())
    }

    fn prepare(&self, module: &Arc<Module>) -> Arc<dyn Program> {
        let module = match self.gpu.context.capabilities.traces_in_software() {
            true => Arc::new(legalize::without_ray_queries(module).into_owned()),
            false => module.clone(),
        };
        Arc::new(GpuPrograms::new(self.gpu.clone(), module, None))
    }

    fn prepare_foreign(
        &self,
        module: &Arc<Module>,
        words: Vouched<Emitted>,
    ) -> Option<Arc<dyn Program>> {
        Some(Arc::new(GpuPrograms::new(self.gpu.clone(), module.clone(), Some(words))))
    }

    fn run(
        &self,
        steps: &[Step<'_>],
        memory: &mut Memory<'_>,
        back: bool,
    ) -> Result<(), StepError> {
        let stopped = |step: usize, failure: Failure| StepError { step, error: failure.into() };
        match self.submit(steps, memory, back) {
            // An image has one format in a submission: steps that view it in different formats run one by one.
            Err((_, Failure::Unsupported(_))) if steps.len() > 1 => {
                for (number, step) in steps.iter().enumerate() {
                    // The host knows the group counts by now.
                    let launch = super::launch_of(step, memory)
                        .map_err(|error| StepError { step: number, error })?;
                    let Some(launch) = launch else { continue };
                    let places = step.places.clone();
                    let step = Step { launch: &launch, places, indirect: None, ..*step };
                    let step = std::slice::from_ref(&step);
                    self.submit(step, memory, back).map_err(|(_, it)| stopped(number, it))?;
                }
                Ok(())
            }
            result => result.map_err(|(step, failure)| stopped(step, failure)),
        }
    }

    fn guard(&self) -> Option<&Arc<dyn Program>> {
        let guard = || self.prepare(&crate::indirect::guard().module);
        Some(self.guard.get_or_init(guard))
    }

    fn measure_steps(
        &self,
        steps: &[Step<'_>],
        memory: &mut Memory<'_>,
        rounds: u32,
    ) -> Result<Option<Vec<Vec<Duration>>>, StepError> {
        let stopped = |(step, failure): (usize, Failure)| StepError { step, error: failure.into() };
        let programs = programs(steps, memory).map_err(stopped)?;
        run::measure(&jobs(steps, &programs), memory, rounds).map_err(stopped)
    }

    fn measure(
        &self,
        programs: &[&dyn Program],
        launch: &Launch,
        bindings: &mut [Bindings],
        rounds: u32,
    ) -> Result<Option<Vec<Vec<Duration>>>, Failure> {
        let programs: Vec<&GpuPrograms> = programs.iter().map(|it| made(*it)).collect();
        GpuPrograms::measure(&programs, launch, bindings, rounds)
    }

    fn draw(
        &self,
        job: &mut DrawJob<'_>,
        memory: &mut Memory<'_>,
    ) -> Option<Result<(), DispatchError>> {
        let drawn = match self.gpu.graphics() {
            Ok(context) => graphics::draw(context, job, memory),
            Err(unsupported) => Err(Failure::Unsupported(unsupported)),
        };
        Some(drawn.map_err(DispatchError::from))
    }

    fn gpu(&self) -> Option<&Gpu> {
        Some(&self.gpu)
    }
}

/// The pipelines of a shader on a device, created lazily for each width.
struct GpuPrograms {
    gpu: Gpu,
    module: Arc<Module>,
    /// Another compiler's SPIR-V, if it replaces ours.
    words: Option<Vouched<Emitted>>,
    made: Mutex<Made>,
}

/// What a pipeline is made for.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Wanted {
    width: u32,
    /// The relevant properties of the bound resources.
    bound: special::Key,
    /// The index of the replacement for the shader.
    replacement: Option<usize>,
}

#[derive(Default)]
struct Made {
    programs: HashMap<Wanted, Result<Arc<Pipeline>, Unsupported>>,
    replacements: Replacements,
    last: Option<Duration>,
}

impl Program for GpuPrograms {
    fn module(&self) -> &Arc<Module> {
        &self.module
    }

    fn warm_for(&self, launch: &Launch, bindings: &Bindings) -> Result<(), Failure> {
        self.ready(launch, &Contents::of(bindings), true).map(drop)
    }

    fn device_time(&self) -> Option<Duration> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).last
    }
}

impl GpuPrograms {
    fn new(gpu: Gpu, module: Arc<Module>, words: Option<Vouched<Emitted>>) -> GpuPrograms {
        GpuPrograms { gpu, module, words, made: Mutex::default() }
    }

    /// Checks that the device supports a launch, and returns its program. `is_counted` if the host knows the groups.
    fn ready(
        &self,
        launch: &Launch,
        contents: &Contents<'_>,
        is_counted: bool,
    ) -> Result<Arc<Pipeline>, Failure> {
        super::refuse_chosen_orders(&self.module, launch)?;
        let (size, module) = (self.module.group_size, &self.module);
        launch
            .check(size, module.wave_size, module.needs.wave_masks)
            .map_err(Failure::Unsupported)?;
        self.program(launch, contents, is_counted).map_err(Failure::Unsupported)
    }

    /// Runs several pipelines of a module alternately on the same buffers, `rounds` times each and every time from the
    /// same contents, after a warm-up run of each. Returns the times of each by the device's clock, or nothing if it
    /// has none; the results of the last run of each are left in its bindings, which are equal before.
    fn measure(
        all: &[&GpuPrograms],
        launch: &Launch,
        bindings: &mut [Bindings],
        rounds: u32,
    ) -> Result<Option<Vec<Vec<Duration>>>, Failure> {
        let Some(first) = all.first() else { return Ok(Some(Vec::new())) };
        for slot in bindings.iter_mut().flat_map(|it| &mut it.bindings).flatten() {
            first.gpu.context.capabilities.pack(slot)?;
        }
        let Some(bound) = bindings.first() else { return Ok(Some(Vec::new())) };
        let contents = Contents::of(bound);
        let programs: Vec<Arc<Pipeline>> =
            all.iter().map(|it| it.ready(launch, &contents, true)).collect::<Result<_, _>>()?;
        let jobs: Vec<Job<'_>> = programs
            .iter()
            .map(|program| Job {
                program,
                module: &first.module,
                launch,
                places: None,
                indirect: None,
                space: 0,
            })
            .collect();
        let mut run = match Run::of_bindings(&jobs, bound) {
            // The pipelines may need textures in different formats: then each has separate ones.
            Err(Failure::Unsupported(_)) if all.len() > 1 => {
                let mut times = Vec::new();
                for (one, bindings) in all.iter().zip(bindings) {
                    let bindings = std::slice::from_mut(bindings);
                    let Some(its) = GpuPrograms::measure(&[*one], launch, bindings, rounds)? else {
                        return Ok(None);
                    };
                    times.extend(its);
                }
                return Ok(Some(times));
            }
            run => run?,
        };
        let mut times = vec![Vec::new(); programs.len()];
        for round in 0..rounds {
            for turn in 0..programs.len() {
                // The order is reversed in every other round.
                let number = if round % 2 == 0 { turn } else { programs.len() - 1 - turn };
                let Some(time) = run.go(number)? else { return Ok(None) };
                if round > 0 {
                    times[number].push(time);
                }
            }
        }
        for (number, bindings) in bindings.iter_mut().enumerate() {
            run.fill(bindings);
            let Some(time) = run.end(number, bindings)? else { return Ok(None) };
            times[number].push(time);
        }
        Ok(Some(times))
    }

    fn program(
        &self,
        launch: &Launch,
        contents: &Contents<'_>,
        is_counted: bool,
    ) -> Result<Arc<Pipeline>, Unsupported> {
        // A panic while compiling leaves the table as it was.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let Made { programs, replacements, .. } = &mut *made;
        let capabilities = &self.gpu.context.capabilities;
        let replacement = match self.gpu.rewrites && is_counted && self.words.is_none() {
            true => replacements.of(&self.module, capabilities, launch, contents),
            false => None,
        };
        let bound = special::key(&self.module, contents);
        let wanted = Wanted { width: launch.wave_width, bound, replacement };
        if let Some(program) = programs.get(&wanted) {
            return program.clone();
        }
        let replacement = replacement.map(|it| &replacements.all[it]);
        let program = self.make(wanted.width, &wanted.bound, replacement).map(Arc::new);
        programs.insert(wanted, program.clone());
        program
    }

    fn make(
        &self,
        width: u32,
        key: &special::Key,
        replacement: Option<&Replacement>,
    ) -> Result<Pipeline, Unsupported> {
        let mut environment = self.gpu.environment();
        let capabilities = &self.gpu.context.capabilities;
        // Without a required width, a device may choose a different one for each dispatch.
        environment.lanes = capabilities.requires_width.then_some(width);
        environment.bound = key.iter().map(|it| it.bound.clone()).collect();
        environment.matches_by_bits = self.gpu.rewrites && !capabilities.is_processor();
        let launched = replacement.map_or(Launched::PLAIN, |it| it.launched);
        let own = replacement.map_or(&*self.module, |it| &it.module);
        let module = special::module(own, key);
        if let Some(words) = &self.words {
            let mut words = Emitted::clone(words);
            for it in &mut words.reflection.bindings {
                it.count = it.count.or(module.resource(it.resource).count);
            }
            return Pipeline::new(&self.gpu.context, &self.module, &words, width, launched);
        }
        let emitted = spirv::emit(&module, &environment, &NoDebug).map_err(|it| {
            let missing = format!("SPIR-V cannot express {}", it.what);
            Unsupported { asked: it.asked, missing }
        })?;
        Pipeline::new(&self.gpu.context, &module, &emitted, width, launched)
    }
}

fn progress_steps(module: &Module, launch: &Launch) -> u64 {
    let groups = launch.groups();
    let groups = groups.iter().fold(1, |all: u64, it| all.saturating_mul(u64::from(*it)));
    let waves = module.threads_per_group().div_ceil(launch.wave_width.max(1));
    groups.saturating_mul(u64::from(waves) + 1)
}

impl fmt::Debug for GpuPrograms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuPrograms").field("gpu", &self.gpu).finish_non_exhaustive()
    }
}
