//! NVIDIA GPUs through CUDA's driver: listing devices, and kernels and dispatches on one of them.
//!
//! The driver's library is opened when the first device is requested, so that a build needs no toolkit and a machine
//! without it only gets `unsupported`. A module is emitted as PTX for the device's architecture, and for the formats of
//! the bound buffers; the driver compiles it. A kernel that the driver refuses is a bug of ours. Waves have 32 lanes.
//!
//! Buffers stay on the device after a dispatch (`resident.rs`): the next one uses them there, and results are copied
//! back when the host reads them.
//!
//! # Unsafe code
//! The driver is called in `driver.rs` only, which states the invariants; there is no unsafe code here or outside.
//!
//! Deliberately absent: textures, streams other than the default one, several devices at once.

#[allow(unsafe_code, reason = "the driver's library, and every call into it")]
mod driver;
mod resident;

use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ir::Module;
use ir::debug::NoDebug;
use ir::exec::{Bindings, Failure, Format, Launch, Unsupported};
use ops::intrinsics::ShaderModel;

use super::{Backend, Program, Step, Stopped, launch_of, made};
use crate::adapter::{LaneCounts, Options1, Options4, Options5, RaytracingTier};
use crate::guard::catch;
use crate::memory::{Contents, Memory, Slot};
use crate::{Adapter, DispatchError, Engine};
use driver::{Context, Driver, Kernel, Properties, UNSUPPORTED_PTX};
use resident::Bound;

/// The most groups of a grid on each axis.
const MOST_GROUPS: [u32; 3] = [i32::MAX as u32, 65535, 65535];

/// The lanes that a processor of a GPU keeps busy at least.
const LANES_OF_PROCESSOR: u32 = 128;

/// An open NVIDIA GPU. Copies are the same device.
#[derive(Clone)]
pub struct CudaGpu {
    context: Arc<Context>,
    adapter: Adapter,
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
    let least = ptx::Environment::LEAST;
    (device.sm < least)
        .then(|| format!("its compute capability is {}; at least {least} is supported", device.sm))
}

fn adapter(device: &Properties) -> Adapter {
    Adapter {
        name: device.name.clone(),
        shader_model: ShaderModel::HIGHEST,
        double_precision_float_shader_ops: true,
        options1: Options1 {
            wave_ops: true,
            wave_lane_count: LaneCounts { min: ptx::LANES, max: ptx::LANES },
            total_lane_count: device.processors.saturating_mul(LANES_OF_PROCESSOR),
            int64_shader_ops: true,
        },
        options4: Options4 { native_16bit_shader_ops: true },
        options5: Options5 { raytracing_tier: RaytracingTier::NotSupported },
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
        Ok(CudaGpu { context: Arc::new(context), adapter })
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
        let ready = kernels.ready(launch, &memory.contents(&step.places, &empty))?;
        let bound = Bound::of_cells(&self.gpu.context, &kernels.module, &step.places, memory)?;
        let param = bound.param(&kernels.module, &ready.slots)?;
        let groups = launch.groups();
        let time = self.gpu.context.run(&ready.kernel, launch, groups, ready.threads, &param)?;
        bound.written(&kernels.module, &step.places, memory);
        if back {
            for cell in step.places.iter().flatten().flatten() {
                memory.cell(*cell).fetch()?;
            }
        }
        kernels.made.lock().unwrap_or_else(PoisonError::into_inner).last = Some(time);
        if let Some(progress) = &launch.progress {
            let groups = groups.iter().fold(1, |all: u64, it| all.saturating_mul(u64::from(*it)));
            let waves = u64::from(kernels.module.threads_per_group().div_ceil(ptx::LANES));
            progress.store(groups.saturating_mul(waves + 1), Ordering::Relaxed);
        }
        Ok(())
    }
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
        Arc::new(Kernels { gpu: self.gpu.clone(), module: module.clone(), made })
    }

    fn run(&self, steps: &[Step<'_>], memory: &mut Memory<'_>, back: bool) -> Result<(), Stopped> {
        for (number, step) in steps.iter().enumerate() {
            let stopped = |error: DispatchError| Stopped { step: number, error };
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
    ) -> Result<Option<Vec<Vec<Duration>>>, Stopped> {
        let mut all = Vec::new();
        let empty = Slot::default();
        for (number, step) in steps.iter().enumerate() {
            let stopped = |failure: Failure| Stopped { step: number, error: failure.into() };
            let kernels: &Kernels = made(step.program);
            let contents = memory.contents(&step.places, &empty);
            let ready = kernels.ready(step.launch, &contents).map_err(stopped)?;
            let bound = Bound::of_cells(&self.gpu.context, &kernels.module, &step.places, memory)
                .map_err(stopped)?;
            let saved = bound.save().map_err(stopped)?;
            let param = bound.param(&kernels.module, &ready.slots).map_err(stopped)?;
            all.push((step.launch, ready, bound, saved, param));
        }
        let mut times = Vec::new();
        for round in 0..=rounds {
            for (number, (_, _, bound, saved, _)) in all.iter().enumerate() {
                let stopped = |failure: Failure| Stopped { step: number, error: failure.into() };
                bound.restore(saved).map_err(stopped)?;
            }
            let mut each = Vec::new();
            for (number, (launch, ready, _, _, param)) in all.iter().enumerate() {
                let stopped = |failure: Failure| Stopped { step: number, error: failure.into() };
                let context = &self.gpu.context;
                let groups = launch.groups();
                let time = context.run(&ready.kernel, launch, groups, ready.threads, param);
                each.push(time.map_err(stopped)?);
            }
            // The first one finds memory and caches cold.
            if round > 0 {
                times.push(each);
            }
        }
        for (number, (_, _, bound, saved, _)) in all.iter().enumerate() {
            let stopped = |failure: Failure| Stopped { step: number, error: failure.into() };
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
        let Some(first) = bindings.first() else { return Ok(Some(Vec::new())) };
        let context = &self.gpu.context;
        let mut all = Vec::new();
        let mut shared = None;
        for program in programs {
            let kernels: &Kernels = made(*program);
            let ready = kernels.ready(launch, &Contents::of(first))?;
            if shared.is_none() {
                let bound = Bound::of_bindings(context, &kernels.module, first)?;
                let saved = bound.save()?;
                shared = Some((bound, saved, kernels.module.clone()));
            }
            all.push(ready);
        }
        let Some((bound, saved, module)) = shared else { return Ok(Some(Vec::new())) };
        let mut times = vec![Vec::new(); all.len()];
        let run = |ready: &Ready| -> Result<Duration, Failure> {
            bound.restore(&saved)?;
            let param = bound.param(&module, &ready.slots)?;
            context.run(&ready.kernel, launch, launch.groups(), ready.threads, &param)
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

/// The formats of the bound buffers, which change the code.
type Formats = Vec<Option<Format>>;

/// The kernels of a shader on a device, made for the formats of what is bound.
struct Kernels {
    gpu: CudaGpu,
    module: Arc<Module>,
    made: Mutex<Made>,
}

#[derive(Default)]
struct Made {
    kernels: Vec<(Formats, Result<Arc<Ready>, Unsupported>)>,
    last: Option<Duration>,
}

/// A kernel, and how it is launched.
struct Ready {
    kernel: Kernel,
    slots: Vec<ir::Binding>,
    threads: u32,
}

impl Program for Kernels {
    fn module(&self) -> &Arc<Module> {
        &self.module
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
        if launch.wave_width != ptx::LANES {
            let asked = format!("wave width {}", launch.wave_width);
            return unsupported(&asked, "waves of the engine `cuda` have 32 lanes".to_owned());
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
        let formats: Formats = (0..module.resources.len() as u32)
            .map(|it| contents.elements(module.storage(ir::Binding(it))))
            .map(|it| it.first().and_then(|it| it.format))
            .collect();
        // A panic while compiling leaves the table as it was.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let all = &mut made.kernels;
        if let Some((_, ready)) = all.iter().find(|it| it.0 == formats) {
            return ready.clone().map_err(Failure::Unsupported);
        }
        let ready = self.make(&formats)?;
        all.push((formats, ready.clone()));
        ready.map_err(Failure::Unsupported)
    }

    fn make(&self, formats: &Formats) -> Result<Result<Arc<Ready>, Unsupported>, Failure> {
        let context = &self.gpu.context;
        let environment = ptx::Environment::for_device(context.device.sm);
        let environment = environment.unwrap_or_else(|| unreachable!("older devices are refused"));
        let environment = ptx::Environment { formats: formats.clone(), ..environment };
        let emitted = match ptx::emit(&self.module, &environment, &NoDebug) {
            Ok(emitted) => emitted,
            Err(it) => {
                let missing = format!("the PTX back end does not support {}", it.what);
                return Ok(Err(Unsupported { asked: it.asked, missing }));
            }
        };
        let ptx::Emitted { text, entry, slots, threads } = emitted;
        Ok(match context.kernel(&text, &entry)? {
            Ok(kernel) => Ok(Arc::new(Ready { kernel, slots, threads })),
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
