//! NVIDIA GPUs through CUDA's driver: listing devices, and kernels and dispatches on one of them.
//!
//! The driver's library is opened when the first device is requested, so that a build needs no toolkit and a machine
//! without it only gets `unsupported`. A module is emitted as PTX for the device's architecture, and for the formats of
//! the bound buffers and textures; the driver compiles it. A kernel that the driver refuses is a bug of ours. Waves
//! have 4 to 128 lanes.
//!
//! Buffers stay on the device after a dispatch (`resident.rs`): the next one uses them there, and results are copied
//! back when the host reads them.
//!
//! # Unsafe code
//! The driver is called in `driver.rs` only, which states the invariants; there is no unsafe code here or outside.
//!
//! Another compiler's kernel runs on the same buffers (`foreign.rs`).
//!
//! Deliberately absent: texture hardware, streams other than the default one, several devices at once.

#[allow(unsafe_code, reason = "the driver's library, and every call into it")]
mod driver;
pub(crate) mod foreign;
mod resident;

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ir::Module;
use ir::debug::NoDebug;
use ir::exec::{Bindings, ElementFormat, Failure, Launch, Unsupported};
use legalize::Feedback;
use ops::intrinsics::ShaderModel;
use ops::texture;

use super::feedback;
use super::sizes::{self, MOST_DISPATCHES, small_sizes};
use super::{Backend, Program, Step, StepError, launch_of, made};
use crate::adapter::{LaneCounts, RaytracingTier, SamplerFeedbackTier};
use crate::foreign::vouched::Vouched;
use crate::guard::catch;
use crate::memory::{Contents, Memory, Slot};
use crate::{Adapter, DispatchError, Engine};
use driver::{Context, Driver, Kernel, Properties, UNSUPPORTED_PTX};
use foreign::ForeignKernel;
use resident::{Bound, OnDevice};

/// The most groups of a grid on each axis.
const MOST_GROUPS: [u32; 3] = [i32::MAX as u32, 65535, 65535];

/// The blocks that a processor runs at a time at least, with blocks of 256 threads.
const BLOCKS_OF_PROCESSOR: u32 = 8;

/// The lanes of the smallest waves, of which several share a warp.
const LEAST_LANES: u32 = 4;

/// The lanes that a processor of a GPU keeps busy at least.
const LANES_OF_PROCESSOR: u32 = 128;

/// An open NVIDIA GPU. Copies are the same device.
#[derive(Clone)]
pub struct CudaGpu {
    context: Arc<Context>,
    adapter: Adapter,
    /// Whether kernels are rewritten where that cannot be observed.
    rewrites: bool,
    level: JitLevel,
}

/// How much the driver optimises a kernel when it assembles it (just-in-time compilation, JIT), from 0 to 4. No level
/// may change a defined result: one that changes with the level is a mistake of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JitLevel(u32);

impl JitLevel {
    /// Without optimisations.
    pub const NONE: JitLevel = JitLevel(0);
    /// With all of them, the driver's default.
    pub const ALL: JitLevel = JitLevel(4);

    /// A level by its number.
    pub fn new(number: u32) -> Option<JitLevel> {
        (number <= Self::ALL.0).then_some(JitLevel(number))
    }

    /// Its number.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl Default for JitLevel {
    fn default() -> JitLevel {
        JitLevel::ALL
    }
}

/// The properties of an NVIDIA GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaInfo {
    /// Its number, by which it can be chosen.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// The highest version of CUDA that the driver supports, such as `13.0`.
    pub driver: String,
    /// The compute capability as a number, such as 90.
    pub capability: u32,
    /// The caps for shaders.
    pub adapter: Adapter,
    /// The missing requirement, if the device cannot be used.
    pub unusable: Option<String>,
}

fn no_cuda(missing: String) -> Unsupported {
    Unsupported { asked: "the engine `cuda`".to_owned(), missing }
}

/// A version such as 13000 as people write it.
fn version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

fn unusable(device: &Properties) -> Option<String> {
    let least = ptx::KernelEnvironment::LEAST;
    (device.sm < least)
        .then(|| format!("its compute capability is {}; at least {least} is supported", device.sm))
}

fn adapter(device: &Properties) -> Adapter {
    Adapter {
        name: device.name.clone(),
        shader_model: ShaderModel::HIGHEST,
        wave_ops: true,
        wave_lane_count: LaneCounts { min: LEAST_LANES, max: ptx::MOST_LANES },
        total_lane_count: device.processors.saturating_mul(LANES_OF_PROCESSOR),
        double_precision_float_shader_ops: true,
        int64_shader_ops: true,
        native_16bit_shader_ops: true,
        raytracing_tier: RaytracingTier::Tier1_1,
        sampler_feedback_tier: SamplerFeedbackTier::Tier1_0,
        max_group_shared_memory: ptx::MOST_GROUPSHARED as u32,
    }
}

impl CudaGpu {
    /// Every device that the driver lists, in that order.
    pub fn all() -> Result<Vec<CudaInfo>, Unsupported> {
        let driver = Driver::get().map_err(no_cuda)?;
        let devices = driver.devices().map_err(|it| no_cuda(format!("the driver reports {it}")))?;
        let info = |it: &Properties| CudaInfo {
            index: it.index,
            name: it.name.clone(),
            driver: version(driver.version),
            capability: it.sm,
            adapter: adapter(it),
            unusable: unusable(it),
        };
        Ok(devices.iter().map(info).collect())
    }

    /// Opens a device: by its number or a part of its name, or the first usable one.
    pub fn open(choice: Option<&str>) -> Result<CudaGpu, Unsupported> {
        let driver = Driver::get().map_err(no_cuda)?;
        let devices = driver.devices().map_err(|it| no_cuda(format!("the driver reports {it}")))?;
        let names: Vec<String> =
            devices.iter().map(|it| format!("{} `{}`", it.index, it.name)).collect();
        let names = names.join(", ");
        let found = match choice {
            Some(choice) => {
                devices.iter().find(|it| choice == it.index.to_string() || it.name.contains(choice))
            }
            None => devices.iter().find(|it| unusable(it).is_none()).or(devices.first()),
        };
        let Some(device) = found else {
            return Err(match choice {
                Some(choice) if !devices.is_empty() => Unsupported {
                    asked: format!("the device `{choice}`"),
                    missing: format!("there are: {names}"),
                },
                _ => no_cuda("the driver lists no device".to_owned()),
            });
        };
        if let Some(missing) = unusable(device) {
            return Err(Unsupported { asked: format!("the device `{}`", device.name), missing });
        }
        let adapter = adapter(device);
        let context = Context::new(driver, device.clone()).map_err(|error| Unsupported {
            asked: format!("the device `{}`", device.name),
            missing: format!("it cannot be opened: {error}"),
        })?;
        let level = JitLevel::default();
        Ok(CudaGpu { context: Arc::new(context), adapter, rewrites: true, level })
    }

    /// The same device, on which kernels do what the shader says, operation by operation: without the rewrites that
    /// save atomic operations, or run several groups in a block, where that cannot be observed.
    pub fn without_rewrites(self) -> CudaGpu {
        CudaGpu { rewrites: false, ..self }
    }

    /// The same device, whose driver assembles kernels at `level`.
    pub fn with_jit_level(self, level: JitLevel) -> CudaGpu {
        CudaGpu { level, ..self }
    }

    /// How much the driver optimises kernels.
    pub fn jit_level(&self) -> JitLevel {
        self.level
    }

    /// Enough blocks to keep all processors busy: as many run all groups in turn, or are left if a block runs several
    /// groups at once.
    fn blocks(&self) -> u32 {
        self.context.device.processors.max(1).saturating_mul(BLOCKS_OF_PROCESSOR)
    }

    /// Its caps.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// What the driver supports.
    pub fn driver(&self) -> String {
        format!("CUDA {}", version(self.context.version()))
    }

    /// Whether a dispatch did not finish: nothing runs on the device any more, and only a new process can reliably open
    /// it again.
    pub fn is_lost(&self) -> bool {
        self.context.is_lost()
    }
}

impl fmt::Debug for CudaGpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaGpu").field("name", &self.adapter.name).finish_non_exhaustive()
    }
}

/// The engine on a GPU.
#[derive(Debug)]
pub(crate) struct Cuda {
    gpu: CudaGpu,
}

impl Cuda {
    pub(crate) fn new(gpu: CudaGpu) -> Cuda {
        Cuda { gpu }
    }

    /// Runs one dispatch.
    fn step(
        &self,
        step: &Step<'_>,
        launch: &Launch,
        memory: &mut Memory<'_>,
        back: bool,
    ) -> Result<(), Failure> {
        let kernels: &Kernels = made(step.program);
        let empty = Slot::default();
        pack_scenes(step, memory)?;
        let contents = memory.contents(&step.places, &empty);
        let ready = kernels.ready(launch, &contents)?;
        let blocks = self.gpu.blocks();
        let records = ready.records(&kernels.module, &contents, launch, blocks);
        let bound = Bound::of_cells(&self.gpu.context, &kernels.module, &step.places, memory)?;
        let params = bound.params(&kernels.module, &ready, &records, launch)?;
        let (groups, grid) = (launch.groups(), ready.grid(launch, blocks));
        let time = self.gpu.context.run(&ready.kernel, launch, grid, ready.threads, &params)?;
        bound.written(&kernels.module, &step.places, memory);
        if back {
            for cell in step.places.iter().flatten().flatten() {
                memory.cell(*cell).fetch()?;
            }
        }
        kernels.made.lock().unwrap_or_else(PoisonError::into_inner).last = Some(time);
        if let Some(progress) = &launch.progress {
            let groups = groups.iter().fold(1, |all: u64, it| all.saturating_mul(u64::from(*it)));
            let waves = u64::from(kernels.module.threads_per_group().div_ceil(launch.wave_width));
            progress.store(groups.saturating_mul(waves + 1), Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Gives the scenes of a dispatch the bytes in which shaders search.
fn pack_scenes(step: &Step<'_>, memory: &mut Memory<'_>) -> Result<(), Failure> {
    for cell in step.places.iter().flatten().flatten() {
        let (_, slot) = memory.cell(*cell).copy_mut::<OnDevice>()?;
        pack_scene(slot)?;
    }
    Ok(())
}

fn pack_scene(slot: &mut Slot) -> Result<(), Failure> {
    if slot.pack_scene() {
        return Ok(());
    }
    let asked = "a scene for ray queries".to_owned();
    Err(Failure::Unsupported(Unsupported { asked, missing: "it takes over 4 GiB".to_owned() }))
}

impl Backend for Cuda {
    fn engine(&self) -> Engine {
        Engine::Cuda
    }

    fn caps(&self, adapter: Adapter) -> Adapter {
        adapter.within(self.gpu.adapter())
    }

    fn prepare(&self, module: &Arc<Module>) -> Arc<dyn Program> {
        let made = Mutex::default();
        let module = match legalize::without_ray_queries(module) {
            Cow::Borrowed(_) => module.clone(),
            Cow::Owned(written) => Arc::new(written),
        };
        Arc::new(Kernels { gpu: self.gpu.clone(), module, foreign: None, made })
    }

    fn prepare_foreign_kernel(
        &self,
        module: &Arc<Module>,
        kernel: Vouched<Arc<ForeignKernel>>,
    ) -> Option<Arc<dyn Program>> {
        let (foreign, made) = (Some(kernel), Mutex::default());
        Some(Arc::new(Kernels { gpu: self.gpu.clone(), module: module.clone(), foreign, made }))
    }

    fn run(
        &self,
        steps: &[Step<'_>],
        memory: &mut Memory<'_>,
        back: bool,
    ) -> Result<(), StepError> {
        for (number, step) in steps.iter().enumerate() {
            let stopped = |error: DispatchError| StepError { step: number, error };
            let Some(launch) = launch_of(step, memory).map_err(stopped)? else { continue };
            let result = catch(|| self.step(step, &launch, memory, back));
            match result {
                Ok(Ok(())) => {}
                Ok(Err(failure)) => return Err(stopped(failure.into())),
                Err(bug) => return Err(stopped(DispatchError::Bug(bug))),
            }
        }
        Ok(())
    }

    fn measure_steps(
        &self,
        steps: &[Step<'_>],
        memory: &mut Memory<'_>,
        rounds: u32,
    ) -> Result<Option<Vec<Vec<Duration>>>, StepError> {
        let mut all = Vec::new();
        let empty = Slot::default();
        for (number, step) in steps.iter().enumerate() {
            let stopped = |failure: Failure| StepError { step: number, error: failure.into() };
            let kernels: &Kernels = made(step.program);
            pack_scenes(step, memory).map_err(stopped)?;
            let contents = memory.contents(&step.places, &empty);
            let ready = kernels.ready(step.launch, &contents).map_err(stopped)?;
            let blocks = self.gpu.blocks();
            let records = ready.records(&kernels.module, &contents, step.launch, blocks);
            let bound = Bound::of_cells(&self.gpu.context, &kernels.module, &step.places, memory)
                .map_err(stopped)?;
            let saved = bound.save().map_err(stopped)?;
            let params = bound.params(&kernels.module, &ready, &records, step.launch);
            all.push((step.launch, ready, bound, saved, params.map_err(stopped)?));
        }
        let mut times = Vec::new();
        for round in 0..=rounds {
            for (number, (_, _, bound, saved, _)) in all.iter().enumerate() {
                let stopped = |failure: Failure| StepError { step: number, error: failure.into() };
                bound.restore(saved).map_err(stopped)?;
            }
            let mut each = Vec::new();
            for (number, (launch, ready, _, _, params)) in all.iter().enumerate() {
                let stopped = |failure: Failure| StepError { step: number, error: failure.into() };
                let context = &self.gpu.context;
                let grid = ready.grid(launch, self.gpu.blocks());
                let time = context.run(&ready.kernel, launch, grid, ready.threads, params);
                each.push(time.map_err(stopped)?);
            }
            // The first one finds memory and caches cold.
            if round > 0 {
                times.push(each);
            }
        }
        for (number, (_, _, bound, saved, _)) in all.iter().enumerate() {
            let stopped = |failure: Failure| StepError { step: number, error: failure.into() };
            bound.restore(saved).map_err(stopped)?;
        }
        Ok(Some(times))
    }

    fn measure(
        &self,
        programs: &[&dyn Program],
        launch: &Launch,
        bindings: &mut [Bindings],
        rounds: u32,
    ) -> Result<Option<Vec<Vec<Duration>>>, Failure> {
        for slot in bindings.iter_mut().flat_map(|it| &mut it.bindings).flatten() {
            pack_scene(slot)?;
        }
        let Some(first) = bindings.first() else { return Ok(Some(Vec::new())) };
        let context = &self.gpu.context;
        let mut all = Vec::new();
        let mut shared = None;
        for program in programs {
            let kernels: &Kernels = made(*program);
            let contents = Contents::of(first);
            let ready = kernels.ready(launch, &contents)?;
            let blocks = self.gpu.blocks();
            let records = ready.records(&kernels.module, &contents, launch, blocks);
            if shared.is_none() {
                let bound = Bound::of_bindings(context, &kernels.module, first)?;
                let saved = bound.save()?;
                shared = Some((bound, saved, kernels.module.clone()));
            }
            all.push((ready, records));
        }
        let Some((bound, saved, module)) = shared else { return Ok(Some(Vec::new())) };
        let mut times = vec![Vec::new(); all.len()];
        let run = |(ready, records): &(Arc<Ready>, Vec<Vec<u8>>)| -> Result<Duration, Failure> {
            bound.restore(&saved)?;
            let params = bound.params(&module, ready, records, launch)?;
            let grid = ready.grid(launch, self.gpu.blocks());
            context.run(&ready.kernel, launch, grid, ready.threads, &params)
        };
        for round in 0..rounds {
            for turn in 0..all.len() {
                // The order is reversed in every other round.
                let number = if round % 2 == 0 { turn } else { all.len() - 1 - turn };
                let time = run(&all[number])?;
                if round > 0 {
                    times[number].push(time);
                }
            }
        }
        for (number, bindings) in bindings.iter_mut().enumerate() {
            times[number].push(run(&all[number])?);
            bound.read(bindings)?;
        }
        Ok(Some(times))
    }

    fn cuda(&self) -> Option<&CudaGpu> {
        Some(&self.gpu)
    }
}

/// What changes the code of a kernel: the width, and the formats of the bound buffers and textures.
#[derive(Clone, PartialEq)]
struct Key {
    width: u32,
    formats: Vec<Option<ElementFormat>>,
    textures: Vec<Vec<texture::Format>>,
    /// What decides about sampler feedback.
    feedback: Vec<Feedback>,
    /// The sizes of small buffers, if groups may run in turn and add at once; 0 for a buffer that is large or bound
    /// twice.
    sizes: Option<Vec<usize>>,
    /// The dispatch, if accesses that are in bounds in all its threads are not tested, and a block may run several
    /// groups.
    dispatch: Option<ptx::Dispatch>,
}

/// The kernels of a shader on a device, made for what is bound.
struct Kernels {
    gpu: CudaGpu,
    module: Arc<Module>,
    /// Another compiler's kernel, which runs instead.
    foreign: Option<Vouched<Arc<ForeignKernel>>>,
    made: Mutex<Made>,
}

#[derive(Default)]
struct Made {
    kernels: Vec<(Key, Result<Arc<Ready>, Unsupported>)>,
    last: Option<Duration>,
}

/// A kernel, and how it is launched.
struct Ready {
    kernel: Kernel,
    threads: [u32; 3],
    takes: Takes,
    /// What the kernel was made for.
    textures: Vec<Vec<texture::Format>>,
    /// What it was compiled from, if that is ours.
    text: String,
}

impl Key {
    /// Whether nothing but the dispatch differs.
    fn differs_in_dispatch(&self, other: &Key) -> bool {
        Key { dispatch: None, ..self.clone() } == Key { dispatch: None, ..other.clone() }
    }
}

/// The parameters of a kernel.
enum Takes {
    /// One array of descriptors: those of resources, and of records that the host makes. With `in_turn`, groups run in
    /// turn, and the only record is that of the dispatch. A block runs `coarse` groups at once.
    Slots { slots: Vec<ir::Binding>, extras: Vec<ptx::Extra>, in_turn: bool, coarse: u32 },
    /// Those of another compiler's kernel.
    Foreign(Arc<ForeignKernel>),
}

impl Ready {
    /// The blocks of a dispatch.
    fn grid(&self, launch: &Launch, blocks: u32) -> [u32; 3] {
        let groups = self.groups(launch);
        match self.takes {
            Takes::Slots { in_turn: true, .. } => {
                let all = groups.iter().fold(1, |all: u32, it| all.saturating_mul(*it));
                [all.min(blocks), 1, 1]
            }
            _ => groups,
        }
    }

    /// The groups of the kernel, which may run several of the dispatch.
    fn groups(&self, launch: &Launch) -> [u32; 3] {
        match self.takes {
            Takes::Slots { coarse, .. } => ptx::coarse_groups(launch.groups(), coarse),
            Takes::Foreign(_) => launch.groups(),
        }
    }

    /// The contents of the records.
    fn records(
        &self,
        module: &Module,
        contents: &Contents<'_>,
        launch: &Launch,
        blocks: u32,
    ) -> Vec<Vec<u8>> {
        let Takes::Slots { extras, in_turn, .. } = &self.takes else { return Vec::new() };
        if *in_turn {
            let grid = self.grid(launch, blocks);
            return vec![ptx::merged_record(self.groups(launch), grid[0])];
        }
        let shapes = |it| contents.elements(it).iter().map(|it| it.what.texture()).collect();
        let samplers = |it| contents.elements(it).iter().map(|it| it.what.sampler()).collect();
        let of = |extra: &ptx::Extra| extra.bytes(module, &self.textures, shapes, samplers);
        extras.iter().map(of).collect()
    }
}

impl Program for Kernels {
    fn module(&self) -> &Arc<Module> {
        &self.module
    }

    fn warm_for(&self, launch: &Launch, bindings: &Bindings) -> Result<(), Failure> {
        self.ready(launch, &Contents::of(bindings)).map(drop)
    }

    fn device_time(&self) -> Option<Duration> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).last
    }
}

impl Kernels {
    /// Checks that the device supports a launch, and returns its kernel.
    fn ready(&self, launch: &Launch, contents: &Contents<'_>) -> Result<Arc<Ready>, Failure> {
        let unsupported = |asked: &str, missing: String| {
            let asked = asked.to_owned();
            Err(Failure::Unsupported(Unsupported { asked, missing }))
        };
        super::refuse_chosen_orders(&self.module, launch)?;
        let width = launch.wave_width;
        if self.foreign.is_some() && width != ptx::LANES {
            let asked = format!("wave width {width}");
            return unsupported(&asked, "waves of another compiler's kernel have 32".to_owned());
        }
        let module = &self.module;
        launch
            .check(module.group_size, module.wave_size, module.needs.wave_masks)
            .map_err(Failure::Unsupported)?;
        let groups = launch.groups();
        if groups.iter().zip(MOST_GROUPS).any(|(groups, most)| *groups > most) {
            let asked = format!("{}×{}×{} groups", groups[0], groups[1], groups[2]);
            return unsupported(&asked, format!("CUDA supports at most {MOST_GROUPS:?}"));
        }
        let formats = (0..module.resources.len() as u32)
            .map(|it| contents.elements(module.storage(ir::Binding(it))))
            .map(|it| it.first().and_then(|it| it.what.format()))
            .collect();
        let textures = ptx::texture_formats(module, |it| {
            contents.elements(it).iter().map(|it| it.what.texture()).collect()
        });
        let sizes = self.gpu.rewrites.then(|| small_sizes(module, contents));
        let sizes =
            sizes.filter(|_| groups.iter().try_fold(1, |a: u32, b| a.checked_mul(*b)).is_some());
        let bytes = sizes::sizes(module, contents);
        let dispatch = self.gpu.rewrites.then_some(ptx::Dispatch { groups, bytes });
        let feedback = feedback::known(module, contents);
        let mut key = Key { width, formats, textures, feedback, sizes, dispatch };
        // A panic while compiling leaves the table as it was.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let all = &mut made.kernels;
        if all.len() >= MOST_DISPATCHES && !all.iter().any(|it| it.0 == key) {
            key.dispatch = None;
        }
        if let Some((_, ready)) = all.iter().find(|it| it.0 == key) {
            return ready.clone().map_err(Failure::Unsupported);
        }
        let ready = self.make(&key, all)?;
        all.push((key, ready.clone()));
        ready.map_err(Failure::Unsupported)
    }

    /// Another compiler's kernel, loaded.
    fn load(
        &self,
        foreign: &Vouched<Arc<ForeignKernel>>,
    ) -> Result<Result<Arc<Ready>, Unsupported>, Failure> {
        let ready = |kernel| {
            let threads = self.module.group_size;
            let takes = Takes::Foreign(Arc::clone(foreign));
            Arc::new(Ready { kernel, threads, takes, textures: Vec::new(), text: String::new() })
        };
        let kernel = self.gpu.context.kernel(&foreign.text, &foreign.entry, self.gpu.level)?;
        Ok(kernel.map(ready).map_err(|refused| Unsupported {
            asked: format!("the kernel `{}`", foreign.entry),
            missing: format!("the driver refuses it: {}: {}", refused.name, refused.log),
        }))
    }

    /// Makes a kernel. Most dispatches have the same, which is compiled once.
    fn make(
        &self,
        key: &Key,
        made: &[(Key, Result<Arc<Ready>, Unsupported>)],
    ) -> Result<Result<Arc<Ready>, Unsupported>, Failure> {
        if let Some(foreign) = &self.foreign {
            return self.load(foreign);
        }
        let context = &self.gpu.context;
        let environment = ptx::KernelEnvironment::for_device(context.device.sm);
        let environment = environment.unwrap_or_else(|| unreachable!("older devices are refused"));
        let environment = ptx::KernelEnvironment {
            width: key.width,
            formats: key.formats.clone(),
            textures: key.textures.clone(),
            feedback: key.feedback.clone(),
            sizes: key.sizes.clone(),
            dispatch: key.dispatch.clone(),
            blocks: self.gpu.rewrites.then(|| self.gpu.blocks()),
            ..environment
        };
        let emitted = match ptx::emit(&self.module, &environment, &NoDebug) {
            Ok(emitted) => emitted,
            Err(it) => {
                let missing = format!("the PTX back end does not support {}", it.what);
                return Ok(Err(Unsupported { asked: it.asked, missing }));
            }
        };
        let ptx::Kernel { text, entry, slots, extras, record, threads, coarse } = emitted;
        let same = made.iter().filter(|it| it.0.differs_in_dispatch(key));
        let mut same = same.filter_map(|it| it.1.as_ref().ok());
        if let Some(ready) = same.find(|it| it.text == text) {
            return Ok(Ok(ready.clone()));
        }
        Ok(match context.kernel(&text, &entry, self.gpu.level)? {
            Ok(kernel) => {
                let takes = Takes::Slots { slots, extras, in_turn: record.is_some(), coarse };
                let (threads, textures) = ([threads, 1, 1], key.textures.clone());
                Ok(Arc::new(Ready { kernel, threads, takes, textures, text }))
            }
            Err(refused) if refused.status == UNSUPPORTED_PTX => Err(Unsupported {
                asked: format!("PTX for sm_{}", environment.sm),
                missing: format!("the driver supports CUDA {}", version(context.version())),
            }),
            Err(refused) => unreachable!(
                "the driver's assembler takes every kernel that is emitted: {}: {}\n{text}",
                refused.name, refused.log
            ),
        })
    }
}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernels").field("gpu", &self.gpu).finish_non_exhaustive()
    }
}
