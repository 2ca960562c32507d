//! Machine code for the host, compiled lazily for each width.
//!
//! Launches that the engine does not support run on the reference engine, with the same bits. So may small dispatches
//! ([`CpuOptions::leaves_small`]): the reference engine finishes them before machine code would be compiled. The amount
//! of work is not known in advance, so the reference engine gets little fuel; if that is spent, the buffers are
//! restored and machine code starts again. Of a draw it gets the first waves instead, and machine code runs the others:
//! what a wave has written into targets cannot be undone. Both engines give the same bits, even if waves observe each
//! other (`ir::turns`). Only what an aborted run has written, and how much fuel it took, depends on the engine.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cpu::{Compiled, Fallback, Isa, Mode};
use ir::exec::{
    Bindings, Evaluated, Failure, Feed, Launch, Trap, Unsupported, WaveInputs, WaveOutputs,
};
use ir::stage::EvalPlace;
use ir::{Module, Op, Slot};

use super::reference::Decoded;
use super::{Backend, Program, Step, StepError, in_order};
use crate::Engine;
use crate::guard::catch;
use crate::memory::Memory;

/// The options of the engine `cpu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuOptions {
    /// The instruction set; `None` for the best of the host.
    pub isa: Option<Isa>,
    /// The number of CPU threads. With one thread, the order of groups and waves is the canonical one. With several,
    /// atomic operations give the same results: programs that need one thread for this stay on it, and
    /// [`ComputePipeline::order`](crate::ComputePipeline::order) says why. The exceptions are programs whose groups
    /// communicate while they run, in `globallycoherent` buffers or behind barriers for device memory.
    pub threads: usize,
    /// Lets the reference engine run small dispatches, for which compilation would take longer than the run. The
    /// results are the same.
    pub leaves_small: bool,
    /// Whether compute shaders are rewritten where the difference cannot be observed: atomic additions are combined or
    /// split, and one addition to a counter is divided among threads.
    pub rewrites: bool,
}

impl CpuOptions {
    /// The most threads that front ends accept.
    pub const MOST_THREADS: usize = 256;
}

impl Default for CpuOptions {
    fn default() -> CpuOptions {
        CpuOptions { isa: None, threads: 1, leaves_small: false, rewrites: true }
    }
}

/// About the number of wave-instructions that the reference engine executes in the time to compile a small kernel.
const FUEL: u64 = 4096;
/// The most bytes to copy for a restart: copying more would take as long as compiling.
const MOST_BYTES: usize = 1 << 20;

/// Invariant: `isa` is set, and the host supports it.
#[derive(Debug)]
pub(crate) struct Native {
    options: CpuOptions,
    isa: Isa,
}

impl Native {
    pub(crate) fn new(options: CpuOptions) -> Result<Native, Unsupported> {
        let Some(isa) = options.isa.or(Isa::best()) else {
            let missing =
                Isa::Avx2.missing().unwrap_or("the host has none of its instruction sets");
            return Err(Unsupported {
                asked: "the engine `cpu`".to_owned(),
                missing: format!("{missing}; `interp` runs anywhere"),
            });
        };
        if let Some(missing) = isa.missing() {
            let asked = format!("code for `{}`", isa.name());
            return Err(Unsupported { asked, missing: missing.to_owned() });
        }
        let options = CpuOptions { isa: Some(isa), threads: options.threads.max(1), ..options };
        Ok(Native { options, isa })
    }
}

impl Native {
    /// The module, to be compiled when it is first run.
    pub(crate) fn code(&self, module: &Arc<Module>) -> Code {
        Code {
            module: module.clone(),
            options: self.options,
            isa: self.isa,
            by_width: Mutex::default(),
            reference: Decoded::new(module.clone()),
        }
    }
}

impl Backend for Native {
    fn engine(&self) -> Engine {
        Engine::Cpu
    }

    fn prepare(&self, module: &Arc<Module>) -> Arc<dyn Program> {
        Arc::new(self.code(module))
    }

    fn run(&self, steps: &[Step<'_>], memory: &mut Memory<'_>, _: bool) -> Result<(), StepError> {
        in_order(steps, memory, Code::run)
    }

    fn cpu(&self) -> Option<&CpuOptions> {
        Some(&self.options)
    }
}

/// The code of a module.
pub(crate) struct Code {
    module: Arc<Module>,
    options: CpuOptions,
    isa: Isa,
    /// The code for a width, with a separate lock: several widths are compiled at once.
    by_width: Mutex<BTreeMap<u32, Arc<Mutex<Option<Made>>>>>,
    /// Runs the launches that this engine does not support.
    reference: Decoded,
}

/// Code, or the feature that the engine lacks.
type Made = Result<Arc<Compiled>, String>;

impl Code {
    /// The code for that width. If the compilation is cancelled, the next caller starts it again.
    fn made(&self, width: u32, cancel: Option<&AtomicBool>) -> Made {
        let place = self.place(width);
        // A panic while compiling leaves the place as it was.
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*place {
            return made.clone();
        }
        let is_cancelled = || cancel.is_some_and(|it| it.load(Ordering::Relaxed));
        let mode = Mode { isa: self.isa, width, rewrites: self.options.rewrites };
        let made = cpu::compile_unless(&self.module, mode, &is_cancelled);
        if let Err(Fallback { what, is_cancelled: true }) = made {
            return Err(what);
        }
        let made = made.map(Arc::new).map_err(|it| it.what);
        *place = Some(made.clone());
        made
    }

    fn place(&self, width: u32) -> Arc<Mutex<Option<Made>>> {
        let mut all = self.by_width.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(width).or_default())
    }

    /// Whether there is no code for that width.
    fn is_cold(&self, width: u32) -> bool {
        self.place(width).lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    fn run(&self, launch: &Launch, bindings: &mut Bindings) -> Result<(), Failure> {
        if self.options.leaves_small
            && self.is_cold(launch.wave_width)
            && let Some(done) = self.run_small(launch, bindings)
        {
            return done;
        }
        // If the compilation was cancelled, the reference engine reports where the launch would have begun.
        let compiled = match self.made(launch.wave_width, launch.cancel.as_deref()) {
            Ok(compiled) if compiled.refuses(launch, bindings).is_none() => compiled,
            _ => return self.reference.run(launch, bindings),
        };
        match compiled.run(launch, bindings, self.options.threads) {
            Ok(()) => Ok(()),
            Err(cpu::Stopped::Failure(failure)) => Err(failure),
            Err(cpu::Stopped::Fallback(what)) => unreachable!("{what} has been refused before"),
        }
    }

    /// Runs a dispatch if it is small; otherwise returns `None` and leaves `bindings` unchanged.
    fn run_small(&self, launch: &Launch, bindings: &mut Bindings) -> Option<Result<(), Failure>> {
        let all = || bindings.bindings.iter().flatten();
        if all().map(|it| it.bytes.len()).sum::<usize>() > MOST_BYTES {
            return None;
        }
        let before = bindings.clone();
        let is_bounded = launch.fuel.is_some_and(|fuel| fuel <= FUEL);
        let fuel = if is_bounded { launch.fuel } else { Some(FUEL) };
        // An attempt that may be undone must not count as progress, and prints only if it counts.
        let prints = launch.prints.as_ref().map(|it| Arc::new(it.fresh()));
        let attempt = Launch { fuel, progress: None, prints: prints.clone(), ..launch.clone() };
        let result = self.reference.run(&attempt, bindings);
        drop(attempt);
        match result {
            Err(Failure::Trap(Trap::OutOfFuel { .. })) if !is_bounded => {
                bindings.restore(before);
                None
            }
            result => {
                let printed = prints.and_then(Arc::into_inner);
                if let (Some(log), Some(printed)) = (&launch.prints, printed) {
                    log.absorb(printed);
                }
                Some(result)
            }
        }
    }
}

/// Runs a module for the sanitizer where nothing is observed. It is prepared when it is first run.
pub(crate) struct Unobserved {
    module: Arc<Module>,
    code: OnceLock<Option<Code>>,
}

impl Unobserved {
    pub(crate) fn new(module: Arc<Module>) -> Unobserved {
        Unobserved { module, code: OnceLock::new() }
    }
}

impl sanitizer::Engine for Unobserved {
    fn run(&self, launch: &Launch, bindings: &mut Bindings) -> Option<Result<(), Failure>> {
        let options = CpuOptions { leaves_small: true, ..CpuOptions::default() };
        let made = || Native::new(options).ok().map(|it| it.code(&self.module));
        let code = self.code.get_or_init(made).as_ref()?;
        Some(code.run(launch, bindings))
    }
}

/// Hands on a few waves of a feed.
struct First<'a> {
    feed: &'a mut dyn Feed,
    left: u64,
    has_ended: bool,
}

impl Feed for First<'_> {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.has_ended = !self.feed.next(wave);
        !self.has_ended
    }

    fn take(&mut self, wave: &WaveOutputs) {
        self.feed.take(wave);
    }

    fn evaluate(&mut self, slot: Slot, lane: u32, place: EvalPlace<u32>) -> Evaluated {
        self.feed.evaluate(slot, lane, place)
    }

    fn at_vertex(&mut self, slot: Slot, lane: u32, vertex: u32) -> Evaluated {
        self.feed.at_vertex(slot, lane, vertex)
    }
}

/// Adds the fuel that a part of a launch has spent to that of the whole.
fn add_spent(launch: &Launch, part: &Launch) {
    if let (Some(all), Some(own)) = (&launch.spent, &part.spent)
        && !Arc::ptr_eq(all, own)
    {
        all.fetch_add(own.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

impl Code {
    /// Runs the first waves of a draw on the reference engine, as many as take no longer than compiling, unless they
    /// may loop; returns whether there are no others. `rest` is the launch, and then that of the other waves.
    fn run_first(
        &self,
        rest: &mut Launch,
        bindings: &mut Bindings,
        feed: &mut dyn Feed,
    ) -> Result<bool, Failure> {
        let has_loops = self.module.insts.iter().any(|it| matches!(it.op, Op::Loop { .. }));
        // Printed lines have the number of the wave in the launch.
        if has_loops || rest.prints.is_some() {
            return Ok(false);
        }
        let left = FUEL / self.module.insts.len().max(1) as u64;
        let mut first = First { feed, left: left.max(1), has_ended: false };
        let attempt = Launch { spent: rest.fuel.map(|_| Arc::default()), ..rest.clone() };
        let ended = self.reference.run_waves(&attempt, bindings, &mut first);
        add_spent(rest, &attempt);
        ended?;
        if let (Some(fuel), Some(spent)) = (&mut rest.fuel, &attempt.spent) {
            *fuel = fuel.saturating_sub(spent.load(Ordering::Relaxed));
        }
        rest.spent = rest.spent.as_ref().map(|_| Arc::default());
        Ok(first.has_ended)
    }
}

impl Program for Code {
    fn module(&self) -> &Arc<Module> {
        &self.module
    }

    fn warm(&self, width: u32) {
        // A bug shows again when the code is run.
        let _ = catch(|| self.made(width, None).is_ok());
    }

    fn run_waves(
        &self,
        launch: &Launch,
        bindings: &mut Bindings,
        feed: &mut dyn Feed,
    ) -> Result<(), Failure> {
        // Machine code ends them.
        if feed.keeps_quads() {
            return self.reference.run_waves(launch, bindings, feed);
        }
        let mut rest = launch.clone();
        if self.options.leaves_small
            && self.is_cold(launch.wave_width)
            && self.run_first(&mut rest, bindings, feed)?
        {
            return Ok(());
        }
        let ended = match self.made(launch.wave_width, launch.cancel.as_deref()) {
            Ok(compiled) if compiled.refuses(launch, bindings).is_none() => {
                match compiled.run_waves(&rest, bindings, feed) {
                    Ok(()) => Ok(()),
                    Err(cpu::Stopped::Failure(failure)) => Err(failure),
                    Err(cpu::Stopped::Fallback(what)) => {
                        unreachable!("{what} has been refused before")
                    }
                }
            }
            _ => self.reference.run_waves(&rest, bindings, feed),
        };
        add_spent(launch, &rest);
        ended
    }

    fn threads(&self) -> usize {
        self.options.threads
    }

    fn refuses(&self, launch: &Launch, bindings: &Bindings) -> Option<String> {
        match self.made(launch.wave_width, launch.cancel.as_deref()) {
            Ok(compiled) => compiled.refuses(launch, bindings).map(|it| it.what),
            Err(what) => Some(what),
        }
    }

    fn order(&self, width: u32) -> Option<String> {
        self.made(width, None).ok()?.order(self.options.threads)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code").field("isa", &self.isa).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Adapter, Device, Dispatch, NoIncludes, Options, ResourceTable, Shader};

    /// The contents of `Out` after a group of 32 threads has added 1 `times` times, and whether it was compiled.
    fn count_to(rounds: u32, fuel: Option<u64>) -> (Result<(), String>, u32, bool) {
        let text = format!(
            "RWStructuredBuffer<uint> Out;
             [numthreads(32, 1, 1)] void main() {{
                 for (uint i = 0; i < {rounds}; i++) InterlockedAdd(Out[0], 1);
             }}"
        );
        let compiled = Shader::compile("count.hlsl", &text, &Options::default(), &mut NoIncludes);
        let shader = compiled.unwrap().shader().unwrap();
        let options = CpuOptions { leaves_small: true, ..CpuOptions::default() };
        let device = Device::with_cpu(Adapter::reference(), options).unwrap();
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let out = crate::Buffer::zeroed::<u32>(1);
        let mut table = ResourceTable::new(&shader);
        table.bind("Out", &out).unwrap();
        let dispatch = Dispatch { fuel, wave_size: Some(32), ..Dispatch::new([1, 1, 1]) };
        let result = pipeline.dispatch(&dispatch, &table).map_err(|error| error.to_string());
        let code: &Code = super::super::made(&*pipeline.program);
        (result, out.read::<u32>().unwrap()[0], !code.is_cold(32))
    }

    #[test]
    fn small_dispatches_need_no_code_and_large_ones_start_anew() {
        if let Some(missing) = Engine::Cpu.missing() {
            skipped::skipped!("{missing}");
            return;
        }
        assert_eq!(count_to(10, None), (Ok(()), 320, false));
        assert_eq!(count_to(20_000, None), (Ok(()), 640_000, true));
    }

    #[test]
    fn fuel_that_the_caller_bounds_is_spent_once() {
        if let Some(missing) = Engine::Cpu.missing() {
            skipped::skipped!("{missing}");
            return;
        }
        let spent = || Err("the fuel is spent".to_owned());
        let (result, left, has_code) = count_to(20_000, Some(1000));
        assert_eq!((result, has_code), (spent(), false));
        assert!((32..32_000).contains(&left));
        let (result, _, has_code) = count_to(20_000, Some(10_000));
        assert_eq!((result, has_code), (spent(), true));
    }
}
