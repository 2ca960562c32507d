//! `cargo xtask fuzz --vulkan` and `--cuda`: generated programs on the reference engine and on a GPU, bit for bit.
//!
//! A program can crash a driver, and with it the process, so programs run in worker processes ([`worker`]), which are
//! replaced when they die. A program that differs, or that kills a worker, is minimised and printed as a section of the
//! suite, and written into a folder together with its SPIR-V or PTX.

mod worker;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use suite::gpu::{self, Generated, Outcome};
use wavelane::{Adapter, CudaGpu, Device, Gpu};

use super::batches::on_threads_with;
use worker::{Answer, Worker};

/// What runs the programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Vulkan,
    Cuda,
}

impl Of {
    const ALL: [Of; 2] = [Of::Vulkan, Of::Cuda];

    /// Its flag.
    fn flag(self) -> &'static str {
        match self {
            Of::Vulkan => "--vulkan",
            Of::Cuda => "--cuda",
        }
    }

    pub(super) fn named(flag: &str) -> Option<Of> {
        Of::ALL.into_iter().find(|it| it.flag() == flag)
    }

    /// The chosen device, or the first.
    fn open(self, choice: Option<&str>) -> Result<Device, String> {
        let missing = |it: wavelane::Unsupported| format!("{}: {}", it.asked, it.missing);
        let adapter = Adapter::reference();
        Ok(match self {
            Of::Vulkan => Device::with_gpu(adapter, Gpu::open(choice).map_err(missing)?),
            Of::Cuda => Device::with_cuda(adapter, CudaGpu::open(choice).map_err(missing)?),
        })
    }

    /// What a kept program becomes for a device, and the ending of its file.
    fn emitted(self, text: &str, width: u32, device: &Device) -> (&'static str, Vec<u8>) {
        match self {
            Of::Vulkan => {
                let words = device.gpu().map(|it| gpu::words(text, width, &it.environment()));
                ("spv", words.and_then(Result::ok).unwrap_or_default())
            }
            Of::Cuda => ("ptx", gpu::kernel(text, width).unwrap_or_default().into_bytes()),
        }
    }
}

/// The settings of a run.
struct Plan {
    of: Of,
    seeds: Vec<u64>,
    /// Files of one section each, instead of generated programs.
    files: Vec<PathBuf>,
    /// No program is started after this time.
    seconds: u64,
    /// The time limit for minimising.
    shrink: u64,
    threads: usize,
    width: u32,
    device: Option<String>,
    folder: PathBuf,
    /// Whether to write programs that agree into the folder too.
    keep: bool,
}

#[derive(Default)]
struct Tally {
    same: u64,
    unsupported: BTreeMap<String, u64>,
    failures: Vec<Failure>,
}

struct Failure {
    seed: u64,
    what: String,
}

pub(super) fn run(of: Of, arguments: &[String]) -> Result<(), String> {
    if arguments.first().is_some_and(|it| it == "--worker") {
        return worker::serve(of, &arguments[1..]);
    }
    let mut plan = Plan {
        of,
        seeds: Vec::new(),
        files: Vec::new(),
        seconds: u64::MAX,
        shrink: 60,
        threads: 1,
        width: 0,
        device: None,
        folder: crate::root().join("target/fuzz").join(&of.flag()[2..]),
        keep: false,
    };
    let (mut runs, mut first) = (10_000, 1_000_000);
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        if !flag.starts_with("--") {
            plan.files.push(PathBuf::from(flag));
            continue;
        }
        if flag == "--keep" {
            plan.keep = true;
            continue;
        }
        let value = rest.next().ok_or(crate::USAGE)?;
        let number = |it: &str| {
            it.parse::<u64>().map_err(|_| format!("`{flag}` expects a number, not `{it}`"))
        };
        match flag.as_str() {
            "--runs" => runs = number(value)?,
            "--seed" => first = number(value)?,
            "--seeds" => plan.seeds = value.split(',').map(number).collect::<Result<_, _>>()?,
            "--threads" => plan.threads = number(value)?.clamp(1, 256) as usize,
            "--seconds" => plan.seconds = number(value)?,
            "--shrink" => plan.shrink = number(value)?,
            "--width" => plan.width = number(value)? as u32,
            "--device" => plan.device = Some(value.clone()),
            "--out" => plan.folder = PathBuf::from(value),
            _ => return Err(crate::USAGE.to_owned()),
        }
    }
    if !plan.files.is_empty() {
        plan.seeds = (0..plan.files.len() as u64).collect();
    }
    if plan.seeds.is_empty() {
        plan.seeds = (0..runs).map(|it| u64::wrapping_add(first, it)).collect();
    }
    fs::create_dir_all(&plan.folder)
        .map_err(|error| format!("{}: {error}", plan.folder.display()))?;
    let device = of.open(plan.device.as_deref())?;
    let (own, driver) = match (device.gpu(), device.cuda()) {
        (Some(gpu), _) => (gpu.adapter(), gpu.driver().to_owned()),
        (None, Some(gpu)) => (gpu.adapter(), gpu.driver()),
        (None, None) => unreachable!("both kinds of devices are GPUs"),
    };
    if plan.width == 0 {
        // The width of the hardware: CUDA's smaller waves share a warp.
        let lanes = own.wave_lane_count;
        plan.width = if of == Of::Cuda { lanes.max } else { lanes.min };
    }
    println!("{} ({driver}), waves of {} lanes", own.name, plan.width);
    let start = Instant::now();
    let tally = on_workers(&plan, &device, start)?;
    report(&plan, tally, start.elapsed())
}

fn on_workers(plan: &Plan, device: &Device, start: Instant) -> Result<Tally, String> {
    let next = AtomicUsize::new(0);
    let tally: Mutex<Tally> = Mutex::default();
    let start_worker = || {
        let worker = Worker::new(plan.of.flag(), plan.width, plan.device.clone());
        (worker, Generated::new(plan.width))
    };
    on_threads_with(plan.threads as u64, start_worker, |(worker, programs)| {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let is_over = start.elapsed().as_secs() >= plan.seconds;
        let Some(seed) = plan.seeds.get(number).filter(|_| !is_over) else { return Ok(false) };
        let text = match plan.files.get(number) {
            None => programs.section(*seed),
            Some(file) => {
                fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?
            }
        };
        if plan.keep {
            keep(plan, *seed, &[("", &text)], device)?;
        }
        let answer = worker.ask(&text)?;
        let failure = match &answer {
            Answer::Ran(Outcome::Same | Outcome::Unsupported(_)) => None,
            Answer::Ran(Outcome::Different(what) | Outcome::Lost(what)) | Answer::Died(what) => {
                println!("seed {seed}: {what}");
                let smallest = smallest(plan, worker, &text, &answer);
                println!("{}", section(plan, *seed, what, &smallest));
                keep(plan, *seed, &[("", &text), ("-small", &smallest)], device)?;
                Some(Failure { seed: *seed, what: what.clone() })
            }
            Answer::Invalid(what) => return Err(format!("seed {seed}: {what}\n{text}")),
        };
        let Ok(mut tally) = tally.lock() else { return Ok(false) };
        match answer {
            Answer::Ran(Outcome::Same) => tally.same += 1,
            Answer::Ran(Outcome::Unsupported(what)) => {
                *tally.unsupported.entry(what).or_default() += 1;
            }
            _ => tally.failures.extend(failure),
        }
        Ok(true)
    })?;
    tally.into_inner().map_err(|_| "a thread has panicked".to_owned())
}

/// Minimises a program while its result stays the same: a difference, or the death of the worker.
fn smallest(plan: &Plan, worker: &mut Worker, text: &str, answer: &Answer) -> String {
    let start = Instant::now();
    let worker = std::cell::RefCell::new(worker);
    let has_time = || start.elapsed() < Duration::from_secs(plan.shrink);
    gpu::smallest(text, plan.width, has_time, |text| {
        matches!(
            (answer, worker.borrow_mut().ask(text)),
            (Answer::Died(_), Ok(Answer::Died(_)))
                | (Answer::Ran(_), Ok(Answer::Ran(Outcome::Different(_))))
        )
    })
}

/// A failing program as a section of the suite.
fn section(plan: &Plan, seed: u64, what: &str, text: &str) -> String {
    let (marker, rest) = text.split_once('\n').unwrap_or((text, ""));
    format!("\nseed {seed}: {what}\n{marker}\n//# widths {}\n{rest}", plan.width)
}

/// Writes programs and their SPIR-V or PTX into the folder, so that they can be run elsewhere.
fn keep(plan: &Plan, seed: u64, programs: &[(&str, &str)], device: &Device) -> Result<(), String> {
    for (suffix, text) in programs {
        let file = |extension: &str| plan.folder.join(format!("{seed}{suffix}.{extension}"));
        let (ending, bytes) = plan.of.emitted(text, plan.width, device);
        for (file, bytes) in [(file("hlsl"), text.as_bytes()), (file(ending), bytes.as_slice())] {
            fs::write(&file, bytes).map_err(|error| format!("{}: {error}", file.display()))?;
        }
    }
    Ok(())
}

fn report(plan: &Plan, mut tally: Tally, took: Duration) -> Result<(), String> {
    println!(
        "{} programs agree, {} do not, {} are unsupported, {:.0} s",
        tally.same,
        tally.failures.len(),
        tally.unsupported.values().sum::<u64>(),
        took.as_secs_f64()
    );
    for (what, count) in &tally.unsupported {
        println!("  unsupported, {count}: {what}");
    }
    tally.failures.sort_by_key(|it| it.seed);
    for Failure { seed, what } in &tally.failures {
        println!("  seed {seed}: {what}");
    }
    match tally.failures.len() {
        0 => Ok(()),
        count => Err(format!("{count} programs fail; they are in {}", plan.folder.display())),
    }
}
