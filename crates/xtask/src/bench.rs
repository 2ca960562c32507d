//! Measures the engines on the kernels in `benches/`.
//!
//! Each result is checked once before it is timed. Times are printed, never asserted.

mod clock;
mod compiling;
mod draws;
mod engine;
mod front;
mod plot;
mod rays;
mod san;
mod seeing;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use diag::{Sink, SourceMap, Style};
use interp::NoObserver;
use ir::Module;
use ir::exec::{Bindings, Buffer, Launch};

use clock::Clock;

const ROW: u32 = 1 << 20;
const N: u32 = 16 << 20;

/// What bounds a kernel on one thread of a processor.
#[derive(Clone, Copy)]
enum Limit {
    Memory,
    /// Arithmetic in vectors and shuffles of them: half as many lanes in a vector take twice as many instructions.
    Vectors,
    /// Lanes one by one, which add to counters that are in the cache.
    Lanes,
}

impl Limit {
    fn word(self) -> &'static str {
        match self {
            Limit::Memory => "memory",
            Limit::Vectors => "vectors",
            Limit::Lanes => "lane by lane",
        }
    }
}

/// One kernel with its grid, in threads.
struct Kernel {
    name: &'static str,
    /// The file in `benches/`.
    file: &'static str,
    grid: [u32; 2],
    /// How many elements of the input a thread has.
    each: u32,
    /// What a thread of the processor waits for.
    limit: Limit,
    check: fn(&Buffers, u32) -> bool,
}

/// The words of the three buffers before and after a run.
struct Buffers {
    input: Vec<u32>,
    output: Vec<u32>,
    count: Vec<u32>,
}

const LINEAR: [u32; 2] = [ROW, N / ROW];

const KERNELS: [Kernel; 14] = [
    Kernel {
        name: "compact",
        file: "compact",
        grid: LINEAR,
        each: 1,
        limit: Limit::Memory,
        check: compact_is_right,
    },
    Kernel {
        name: "scan",
        file: "scan",
        grid: LINEAR,
        each: 1,
        limit: Limit::Memory,
        check: scan_is_right,
    },
    Kernel {
        name: "reduce",
        file: "reduce",
        grid: LINEAR,
        each: 1,
        limit: Limit::Memory,
        check: reduce_is_right,
    },
    Kernel {
        name: "mandel",
        file: "mandel",
        grid: [2048, 2048],
        each: 1,
        limit: Limit::Vectors,
        check: mandel_is_right,
    },
    Kernel {
        name: "saxpy",
        file: "saxpy",
        grid: [ROW, 32],
        each: 1,
        limit: Limit::Memory,
        check: saxpy_is_right,
    },
    Kernel {
        name: "bitonic",
        file: "bitonic",
        grid: LINEAR,
        each: 1,
        limit: Limit::Vectors,
        check: bitonic_is_right,
    },
    Kernel {
        name: "hist_uni",
        file: "histogram",
        grid: LINEAR,
        each: 1,
        limit: Limit::Lanes,
        check: histogram_is_right,
    },
    Kernel {
        name: "hist_skew",
        file: "histogram",
        grid: LINEAR,
        each: 1,
        limit: Limit::Lanes,
        check: histogram_is_right,
    },
    Kernel {
        name: "reduce_f32",
        file: "reduce_f32",
        grid: LINEAR,
        each: 1,
        limit: Limit::Memory,
        check: reduce_f32_is_right,
    },
    Kernel {
        name: "scan_f32",
        file: "scan_f32",
        grid: LINEAR,
        each: 1,
        limit: Limit::Memory,
        check: scan_f32_is_right,
    },
    Kernel {
        name: "radix_hist",
        file: "radix_hist",
        grid: [ROW / 16, 16],
        each: 16,
        limit: Limit::Lanes,
        check: radix_hist_is_right,
    },
    Kernel {
        name: "tree",
        file: "shared",
        grid: LINEAR,
        each: 1,
        limit: Limit::Memory,
        check: tree_is_right,
    },
    Kernel {
        name: "transpose",
        file: "transpose",
        grid: [1 << 16, 256],
        each: 1,
        limit: Limit::Memory,
        check: transpose_is_right,
    },
    Kernel {
        name: "matmul",
        file: "matmul",
        grid: [32 * 256, 32],
        each: 2,
        limit: Limit::Vectors,
        check: matmul_is_right,
    },
];

/// What is measured.
#[derive(Clone, Copy)]
enum Mode {
    Kernels,
    /// Kernels beside code by hand, for the document.
    Document,
    Front,
    Compiling,
    Sanitizer,
    Seeing,
    Draws,
    /// The process of `Draws` that has the driver.
    DrawsOnDriver,
    Rays,
}

/// The flags that choose another mode than kernels.
const MODES: [(&str, Mode); 8] = [
    ("--document", Mode::Document),
    ("--front", Mode::Front),
    ("--compiling", Mode::Compiling),
    ("--san", Mode::Sanitizer),
    ("--seeing", Mode::Seeing),
    ("--draws", Mode::Draws),
    ("--draws-on-driver", Mode::DrawsOnDriver),
    ("--rays", Mode::Rays),
];

struct Flags {
    mode: Mode,
    kernels: Option<Vec<String>>,
    widths: Vec<u32>,
    rounds: usize,
    threads: usize,
    engine: String,
    isa: Option<cpu::Isa>,
    /// The folder to write machine code into, for inspection.
    dump: Option<String>,
    csv: Option<String>,
    /// Another folder with kernels of the same names.
    hlsl: Option<String>,
    /// The folder with checkouts of public projects, for the front end and the fast engine.
    projects: Option<String>,
    /// The folder with checkouts of public algorithms, for the sanitizer.
    algorithms: Option<String>,
    peers: Vec<String>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let flags = flags(arguments)?;
    let (kernels, rounds) = (flags.kernels.as_deref(), flags.rounds);
    let width = flags.widths.first().copied().unwrap_or(32);
    let of_draws = || crate::root().join("benches/draws");
    match flags.mode {
        Mode::Kernels => measure_all(&flags),
        Mode::Document => engine::run(rounds, kernels),
        Mode::Front => front::run(rounds, &flags.peers),
        Mode::Compiling => compiling::run(flags.projects.as_deref().map(Path::new), width, rounds),
        Mode::Sanitizer => match &flags.algorithms {
            Some(root) => san::algorithms(Path::new(root), kernels, width, rounds),
            None => san::run(kernels, width, rounds),
        },
        Mode::Seeing => seeing::run(kernels, width, rounds),
        Mode::Draws => {
            let (scenes, widths) = (kernels, &flags.widths[..]);
            let (threads, engine) = (flags.threads, &flags.engine[..]);
            draws::run(&draws::Flags { scenes, widths, rounds, threads, engine }, &of_draws())
        }
        Mode::DrawsOnDriver => draws::serve(&of_draws()),
        Mode::Rays => rays::run(kernels, rounds),
    }
}

/// Kernels on an engine, each at each width.
fn measure_all(flags: &Flags) -> Result<(), String> {
    let clock = if flags.threads == 1 { "processor" } else { "wall-clock" };
    println!(
        "engine {}, threads {}; median of {} runs, {clock} time",
        flags.engine, flags.threads, flags.rounds
    );
    println!(
        "{:>10}  {:>5}  {:>10}  {:>10}  {:>12}",
        "kernel", "lanes", "compile ms", "run ms", "ns/thread"
    );
    for kernel in KERNELS {
        let is_wanted = |names: &Vec<String>| {
            names.iter().any(|name| name == kernel.name || name == kernel.file)
        };
        if flags.kernels.as_ref().is_some_and(|it| !is_wanted(it)) {
            continue;
        }
        let module = Arc::new(compile(kernel.file, flags.hlsl.as_deref())?);
        for width in &flags.widths {
            measure(&kernel, &module, *width, flags)?;
        }
    }
    Ok(())
}

/// One kernel at one width: checked once, then timed.
fn measure(kernel: &Kernel, module: &Arc<Module>, width: u32, flags: &Flags) -> Result<(), String> {
    let start = Instant::now();
    let program = match flags.engine.as_str() {
        "interp" => None,
        _ => {
            let isa = flags.isa.or(cpu::Isa::best()).ok_or("the host has no AVX2")?;
            Some(cpu::compile(module, isa, width).map_err(|it| it.what)?)
        }
    };
    let compile_ms = milliseconds(start);
    if let (Some(folder), Some(program)) = (&flags.dump, &program) {
        let path = format!("{folder}/{}-{width}.bin", kernel.name);
        std::fs::write(&path, program.bytes()).map_err(|error| format!("{path}: {error}"))?;
    }
    let mut bindings = bindings(kernel, module);
    let mut times = Vec::new();
    let mut launch = launch(kernel, width);
    launch.fuel = None;
    for round in 0..flags.rounds {
        let before = round.eq(&0).then(|| words(module, &bindings).input);
        for (resource, buffers) in module.resources.iter().zip(&mut bindings.bindings) {
            if role(&resource.name) == "Count" {
                buffers[0].bytes.fill(0);
            }
        }
        let start = Clock::start(flags.threads);
        match &program {
            None => interp::run(module, &launch, &mut bindings, &mut NoObserver)
                .map_err(|failure| format!("{}: {failure:?}", kernel.name))?,
            Some(program) => program
                .run(&launch, &mut bindings, flags.threads)
                .map_err(|stopped| format!("{}: {stopped:?}", kernel.name))?,
        }
        times.push(start.milliseconds());
        if let Some(input) = before {
            let buffers = Buffers { input, ..words(module, &bindings) };
            if !(kernel.check)(&buffers, width) {
                return Err(format!("{} at {width}: the result is wrong", kernel.name));
            }
        }
    }
    report(kernel, flags, width, &times)?;
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    let threads = f64::from(kernel.grid[0]) * f64::from(kernel.grid[1]);
    println!(
        "{:>10}  {width:>5}  {compile_ms:>10.2}  {median:>10.2}  {:>12.3}",
        kernel.name,
        median * 1e6 / threads
    );
    Ok(())
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn flags(arguments: &[String]) -> Result<Flags, String> {
    let mut flags = Flags {
        mode: Mode::Kernels,
        kernels: None,
        widths: vec![16, 32, 64],
        rounds: 7,
        threads: 1,
        engine: "cpu".to_owned(),
        isa: None,
        dump: None,
        csv: None,
        hlsl: None,
        projects: None,
        algorithms: None,
        peers: Vec::new(),
    };
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        if let Some((_, mode)) = MODES.iter().find(|it| it.0 == flag) {
            flags.mode = *mode;
            continue;
        }
        let value = rest.next().ok_or_else(|| format!("`{flag}` needs a value"))?;
        let number = || {
            value.parse::<u32>().map_err(|_| format!("`{flag}` expects a number, not `{value}`"))
        };
        match flag.as_str() {
            "--kernels" => flags.kernels = Some(value.split(',').map(str::to_owned).collect()),
            "--width" | "--widths" => {
                let widths = value.split(',').map(|it| it.parse::<u32>());
                flags.widths = widths.collect::<Result<_, _>>().map_err(|it| it.to_string())?;
            }
            "--engine" => flags.engine = value.clone(),
            "--cpu" => {
                let isa = cpu::Isa::ALL.into_iter().find(|it| it.name() == value);
                flags.isa = Some(isa.ok_or_else(|| format!("unknown instruction set `{value}`"))?);
            }
            "--rounds" => flags.rounds = number()?.max(1) as usize,
            "--threads" => flags.threads = number()?.max(1) as usize,
            "--projects" => flags.projects = Some(value.clone()),
            "--algorithms" => flags.algorithms = Some(value.clone()),
            "--peer" => flags.peers.push(value.clone()),
            "--dump" => flags.dump = Some(value.clone()),
            "--csv" => flags.csv = Some(value.clone()),
            "--hlsl" => flags.hlsl = Some(value.clone()),
            _ => return Err(format!("unknown flag `{flag}`\n\n{}", crate::USAGE)),
        }
    }
    Ok(flags)
}

/// Appends the lines that the comparison harness reads.
fn report(kernel: &Kernel, flags: &Flags, width: u32, times: &[f64]) -> Result<(), String> {
    let Some(path) = &flags.csv else { return Ok(()) };
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(|error| format!("{path}: {error}"))?;
    for ms in times {
        let (name, threads) = (kernel.name, &flags.threads);
        let engine = match flags.engine.as_str() {
            "interp" => "wavelane-interp",
            _ => "wavelane",
        };
        writeln!(file, "ms,{engine}-w{width},{name},{width},{threads},{ms},0")
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

struct Benches<'a>(&'a Path);

impl hlsl::Includer for Benches<'_> {
    fn read(&mut self, path: &str, _includer: &str, _system: bool) -> Option<(String, Arc<str>)> {
        let text = std::fs::read_to_string(self.0.join(path)).ok()?;
        Some((path.to_owned(), text.into()))
    }
}

fn compile(name: &str, folder: Option<&str>) -> Result<Module, String> {
    let folder = folder.map_or(crate::root().join("benches"), Into::into);
    let mut path = folder.join(format!("{name}.hlsl"));
    if name == "histogram" && !path.exists() {
        // The comparison harness has this name for it.
        path = folder.join("histmatch.hlsl");
    }
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    compile_text(name, text, &folder)
}

fn compile_text(name: &str, text: String, folder: &Path) -> Result<Module, String> {
    let mut sources = SourceMap::new();
    let mut sink = Sink::new();
    let main = sources.add(name.to_owned(), text).ok_or("the file is too large")?;
    let options = hlsl::Options::default();
    let compiled = hlsl::compile(main, &mut sources, &mut Benches(folder), &options, &mut sink);
    compiled
        .map(|it| it.module)
        .ok_or_else(|| diag::render_all(&sink.into_sorted(), &sources, Style::Plain))
}

fn launch(kernel: &Kernel, width: u32) -> Launch {
    Launch::dispatch([kernel.grid[0] / 256, kernel.grid[1], 1], width)
}

/// A hash that looks random enough to defeat branch prediction.
fn hash(i: u32) -> u32 {
    let x = i.wrapping_mul(0x9e37_79b1) ^ i >> 15;
    let x = x.wrapping_mul(0x85eb_ca77) ^ x >> 13;
    x ^ x >> 16
}

fn bindings(kernel: &Kernel, module: &Module) -> Bindings {
    let elements = kernel.grid[0] * kernel.grid[1] * kernel.each;
    let bytes = |values: &mut dyn Iterator<Item = u32>| {
        values.flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
    };
    let float = |i: u32| (hash(i) as f32 / u32::MAX as f32).to_bits();
    let skewed = |i: u32| match hash(i) {
        it if it & 3 != 0 => it >> 8 & 3,
        it => it >> 8 & 255,
    };
    let bindings = module
        .resources
        .iter()
        .map(|resource| {
            let bytes = match (role(&resource.name), kernel.name) {
                ("Input", "saxpy" | "reduce_f32" | "scan_f32" | "matmul") => {
                    bytes(&mut (0..elements).map(float))
                }
                ("Input", "hist_uni") => bytes(&mut (0..elements).map(|i| hash(i) & 255)),
                ("Input", "hist_skew") => bytes(&mut (0..elements).map(skewed)),
                ("Input", _) => bytes(&mut (0..elements).map(hash)),
                ("Output", "saxpy") => bytes(&mut (0..elements).map(|i| float(!i))),
                ("Output", _) => vec![0xff; elements as usize * 4],
                _ => vec![0; 1024],
            };
            vec![Buffer::new(bytes)]
        })
        .collect();
    Bindings { bindings }
}

/// The role of a buffer: the comparison harness uses different names.
fn role(name: &str) -> &'static str {
    match name {
        "Input" | "src" | "x" => "Input",
        "Output" | "dst" | "y" => "Output",
        _ => "Count",
    }
}

fn words(module: &Module, bindings: &Bindings) -> Buffers {
    let of = |name: &str| {
        let index = module.resources.iter().position(|it| role(&it.name) == name);
        let bytes = index.map_or(&[][..], |index| &bindings.bindings[index][0].bytes);
        bytes.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()
    };
    Buffers { input: of("Input"), output: of("Output"), count: of("Count") }
}

/// In the canonical order, waves append one after another, so the kept values stay in order.
fn compact_is_right(it: &Buffers, _: u32) -> bool {
    let kept: Vec<u32> = it.input.iter().copied().filter(|value| value & 1 == 1).collect();
    it.count[0] as usize == kept.len() && it.output[..kept.len()] == kept
}

fn scan_is_right(it: &Buffers, width: u32) -> bool {
    it.input.chunks(width as usize).zip(it.output.chunks(width as usize)).all(|(input, output)| {
        let mut sum = 0u32;
        input.iter().zip(output).all(|(value, got)| {
            let before = sum;
            sum = sum.wrapping_add(*value);
            *got == before
        })
    })
}

fn reduce_is_right(it: &Buffers, _: u32) -> bool {
    it.count[0] == it.input.iter().fold(0, |sum: u32, value| sum.wrapping_add(*value))
}

fn mandel_is_right(it: &Buffers, _: u32) -> bool {
    (0..2048 * 2048).step_by(97).all(|at| {
        let (px, py) = (at % 2048, at / 2048);
        let (cx, cy) = (3.0 * (px as f32 / 2048.0) - 2.0, 3.0 * (py as f32 / 2048.0) - 1.5);
        let (mut x, mut y, mut steps) = (0f32, 0f32, 0);
        while steps < 256 && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            steps += 1;
        }
        it.output[at as usize] == steps
    })
}

fn saxpy_is_right(it: &Buffers, _: u32) -> bool {
    let float = |i: u32| hash(i) as f32 / u32::MAX as f32;
    it.output.iter().zip(0..).all(|(got, i)| f32::from_bits(*got) == 2.5 * float(i) + float(!i))
}

fn bitonic_is_right(it: &Buffers, width: u32) -> bool {
    it.input.chunks(width as usize).zip(it.output.chunks(width as usize)).all(|(input, output)| {
        let mut sorted = input.to_vec();
        sorted.sort_unstable();
        sorted == output
    })
}

fn histogram_is_right(it: &Buffers, _: u32) -> bool {
    let mut bins = [0u32; 256];
    for value in &it.input {
        bins[(value & 255) as usize] += 1;
    }
    it.count == bins
}

/// The second digit of the keys of each group.
fn radix_hist_is_right(it: &Buffers, _: u32) -> bool {
    it.input.chunks(4096).zip(it.output.chunks(256)).all(|(keys, counts)| {
        let mut bins = [0u32; 256];
        keys.iter().for_each(|key| bins[(key >> 8 & 255) as usize] += 1);
        bins == counts
    })
}

fn tree_is_right(it: &Buffers, _: u32) -> bool {
    it.input.chunks(256).zip(&it.output).all(|(input, got)| {
        *got == input.iter().fold(0, |sum: u32, value| sum.wrapping_add(*value))
    })
}

fn transpose_is_right(it: &Buffers, _: u32) -> bool {
    (0..4096 * 4096).all(|at| it.output[at] == it.input[at % 4096 * 4096 + at / 4096])
}

/// Products are added in the order of the rows, and nothing is fused.
fn matmul_is_right(it: &Buffers, _: u32) -> bool {
    let (left, right) = it.input.split_at(512 * 512);
    (0..512 * 512).step_by(7).all(|at| {
        let (row, column) = (at / 512, at % 512);
        let product = |k: usize| {
            f32::from_bits(left[row * 512 + k]) * f32::from_bits(right[k * 512 + column])
        };
        let sum = (0..512).fold(0.0, |sum: f32, k| sum + product(k));
        it.output[at] == sum.to_bits()
    })
}

/// Halves are folded onto each other.
fn reduce_f32_is_right(it: &Buffers, width: u32) -> bool {
    it.input.chunks(width as usize).zip(&it.output).all(|(input, got)| {
        let mut values: Vec<f32> = input.iter().map(|it| f32::from_bits(*it)).collect();
        while values.len() > 1 {
            let (low, high) = values.split_at(values.len() / 2);
            values = low.iter().zip(high).map(|(a, b)| a + b).collect();
        }
        *got == values[0].to_bits()
    })
}

/// Hillis–Steele scan: in each step, every lane adds the value of the lane 1, 2, 4 … below it, if there is one.
fn scan_f32_is_right(it: &Buffers, width: u32) -> bool {
    it.input.chunks(width as usize).zip(it.output.chunks(width as usize)).all(|(input, output)| {
        let mut sums: Vec<f32> = input.iter().map(|it| f32::from_bits(*it)).collect();
        let mut distance = 1;
        while distance < sums.len() {
            let below = |i: usize| if i < distance { -0.0 } else { sums[i - distance] };
            sums = (0..sums.len()).map(|i| below(i) + sums[i]).collect();
            distance *= 2;
        }
        output[0] == 0 && output[1..].iter().zip(&sums).all(|(got, sum)| *got == sum.to_bits())
    })
}
