//! Compares the fast engine with hand-written kernels, and writes the results into `docs/performance.md`.
//!
//! All contestants of a kernel run in alternating rounds in one process, so that a slow moment affects all alike; the
//! best of all rounds counts, since other load can only add time. The code measured is the same for any number of
//! threads.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Barrier};
use std::time::Instant;

use cpu::{Compiled, Isa};
use ir::Module;
use ir::exec::{Bindings, Launch};
use suite::section::WIDTHS;

use super::{Buffers, KERNELS, Kernel, bindings, compile, compile_text, launch, milliseconds};
use super::{plot, role, words};

/// The widths whose best time represents a kernel.
const JUDGED: [u32; 3] = [16, 32, 64];
/// The kernels whose hand-written version can run as independent parts: they show how much threads gain if memory is
/// the bottleneck.
const IN_PARTS: [&str; 10] = [
    "scan",
    "reduce",
    "saxpy",
    "bitonic",
    "hist_uni",
    "hist_skew",
    "reduce_f32",
    "scan_f32",
    "radix_hist",
    "tree",
];
/// The numbers of threads whose speed-up is measured, as far as there are processors.
const THREADS: [usize; 5] = [1, 2, 4, 8, 16];
/// The widths at which compile times are measured.
const COMPILED: [u32; 3] = [32, 64, 128];
const BEGIN: &str = "<!-- `cargo xtask bench --document` writes from here … -->";
const END: &str = "<!-- … to here -->";

/// One kernel at one width, with one instruction set.
struct Contestant {
    isa: Isa,
    width: u32,
    program: Compiled,
    compile_ms: f64,
    best: f64,
}

struct Result_ {
    kernel: &'static Kernel,
    by_hand: Option<f64>,
    contestants: Vec<Contestant>,
    scaling: Vec<Scaling>,
}

/// The best times of a kernel on a number of threads.
struct Scaling {
    threads: usize,
    /// At the best width for one thread.
    ours: f64,
    /// If its parts are independent.
    by_hand: Option<f64>,
}

pub(super) fn run(rounds: usize, wanted: Option<&[String]>) -> Result<(), String> {
    let mut results = Vec::new();
    for kernel in &KERNELS {
        if wanted.is_none_or(|it| it.iter().any(|name| name == kernel.name)) {
            let result = pair(kernel, rounds)?;
            println!("{}", row(&result));
            results.push(result);
        }
    }
    let sizes = compile_times(rounds)?;
    let text = document(&results, &sizes, rounds);
    if wanted.is_some() {
        println!("{text}");
        return Ok(());
    }
    let docs = crate::root().join("docs");
    let write = |name: &str, text: &str| {
        std::fs::write(docs.join(name), text).map_err(|error| format!("{name}: {error}"))
    };
    let old = std::fs::read_to_string(docs.join("performance.md"))
        .map_err(|error| format!("performance.md: {error}"))?;
    let (Some(from), Some(to)) = (old.find(BEGIN), old.find(END)) else {
        return Err("docs/performance.md lacks the lines that mark the generated part".to_owned());
    };
    let new = format!("{}{BEGIN}\n\n{text}\n{}", &old[..from], &old[to..]);
    write("performance.md", &new)?;
    write("performance-width.svg", &width_plot(&results))?;
    write("performance-threads.svg", &threads_plot(&results))?;
    write("performance-compile.svg", &compile_plot(&sizes))
}

/// All contestants of a kernel, each checked once and then timed in alternating rounds.
fn pair(kernel: &'static Kernel, rounds: usize) -> Result<Result_, String> {
    let module = Arc::new(compile(kernel.file, None)?);
    let mut contestants = contestants(&module)?;
    let mut buffers = bindings(kernel, &module);
    let by_hand = bench::bound(kernel.name);
    let mut best_by_hand = f64::INFINITY;
    for round in 0..rounds {
        for it in &mut contestants {
            let before = (round == 0).then(|| words(&module, &buffers).input);
            let ms = timed(kernel, &module, it, &mut buffers, 1)?;
            it.best = it.best.min(ms);
            // A kernel that reads its own output is right in the first round only.
            let Some(input) = before else { continue };
            if !(kernel.check)(&Buffers { input, ..words(&module, &buffers) }, it.width) {
                return Err(format!("{} at {}: the result is wrong", kernel.name, it.width));
            }
            if kernel.name == "saxpy" {
                buffers = bindings(kernel, &module);
            }
        }
        if let Some(by_hand) = by_hand {
            clear(&module, &mut buffers);
            let [input, output, counters] = parts(&module, &mut buffers);
            let start = Instant::now();
            by_hand(input, output, counters);
            best_by_hand = best_by_hand.min(milliseconds(start));
        }
    }
    let by_hand = by_hand.map(|_| best_by_hand);
    let mut result = Result_ { kernel, by_hand, contestants, scaling: Vec::new() };
    if let Some(best) = Isa::best().and_then(|isa| result.best(isa)) {
        result.scaling = scaling(kernel, &module, best, &mut buffers, rounds)?;
    }
    Ok(result)
}

fn timed(
    kernel: &Kernel,
    module: &Module,
    it: &Contestant,
    buffers: &mut Bindings,
    threads: usize,
) -> Result<f64, String> {
    clear(module, buffers);
    let launch: Launch = launch(kernel, it.width);
    let start = Instant::now();
    let ran = it.program.run(&launch, buffers, threads);
    ran.map_err(|stopped| format!("{}: {stopped:?}", kernel.name))?;
    Ok(milliseconds(start))
}

/// The buffers as hand-written kernels take them: input, output, counters.
fn parts<'b>(module: &Module, buffers: &'b mut Bindings) -> [&'b mut [u8]; 3] {
    let mut parts: [&mut [u8]; 3] = Default::default();
    for (resource, elements) in module.resources.iter().zip(&mut buffers.bindings) {
        let place = match role(&resource.name) {
            "Input" => 0,
            "Output" => 1,
            _ => 2,
        };
        parts[place] = &mut elements[0].bytes;
    }
    parts
}

/// Both on each number of threads, in alternating rounds.
fn scaling(
    kernel: &Kernel,
    module: &Module,
    contestant: &Contestant,
    buffers: &mut Bindings,
    rounds: usize,
) -> Result<Vec<Scaling>, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let by_hand = bench::bound(kernel.name).filter(|_| IN_PARTS.contains(&kernel.name));
    let fresh = |threads| Scaling { threads, ours: f64::INFINITY, by_hand: None };
    let mut all: Vec<Scaling> = THREADS.into_iter().filter(|it| *it <= cores).map(fresh).collect();
    for _ in 0..rounds {
        for it in &mut all {
            it.ours = it.ours.min(timed(kernel, module, contestant, buffers, it.threads)?);
            if let Some(by_hand) = by_hand {
                let ms = in_parts(by_hand, parts(module, buffers), it.threads);
                it.by_hand = Some(it.by_hand.map_or(ms, |old| old.min(ms)));
            }
        }
    }
    Ok(all)
}

/// Milliseconds from when all threads are ready until the last has ended. Each has its own counters.
fn in_parts(by_hand: bench::Bound, buffers: [&mut [u8]; 3], threads: usize) -> f64 {
    let [input, output, counters] = buffers;
    let ready = Barrier::new(threads + 1);
    let (input_part, output_part) = (input.len() / threads, output.len() / threads);
    std::thread::scope(|scope| {
        let (mut input, mut output) = (&*input, output);
        let running: Vec<_> = (0..threads)
            .map(|_| {
                let (own_input, own_output);
                (own_input, input) = input.split_at(input_part);
                (own_output, output) = std::mem::take(&mut output).split_at_mut(output_part);
                let (ready, mut own_counters) = (&ready, counters.to_vec());
                scope.spawn(move || {
                    ready.wait();
                    by_hand(own_input, own_output, &mut own_counters);
                    Instant::now()
                })
            })
            .collect();
        let start = Instant::now();
        ready.wait();
        let ends = running.into_iter().filter_map(|it| it.join().ok());
        ends.map(|end| (end - start).as_secs_f64() * 1e3).fold(0.0, f64::max)
    })
}

fn clear(module: &Module, buffers: &mut Bindings) {
    for (resource, elements) in module.resources.iter().zip(&mut buffers.bindings) {
        if role(&resource.name) == "Count" {
            elements[0].bytes.fill(0);
        }
    }
}

fn contestants(module: &Arc<Module>) -> Result<Vec<Contestant>, String> {
    let mut all = Vec::new();
    for isa in Isa::ALL.into_iter().filter(|it| it.missing().is_none()) {
        for width in WIDTHS {
            let (program, compile_ms) = timed_compile(module, isa, width)?;
            all.push(Contestant { isa, width, program, compile_ms, best: f64::INFINITY });
        }
    }
    Ok(all)
}

/// The best of a few, since the first runs with cold caches.
fn timed_compile(module: &Arc<Module>, isa: Isa, width: u32) -> Result<(Compiled, f64), String> {
    let mut best = f64::INFINITY;
    loop {
        let start = Instant::now();
        let program = cpu::compile(module, isa, width).map_err(|it| it.what)?;
        let ms = milliseconds(start);
        if ms >= best * 0.95 {
            return Ok((program, best.min(ms)));
        }
        best = ms;
    }
}

impl Result_ {
    /// The fastest of the widths that represent a kernel.
    fn best(&self, isa: Isa) -> Option<&Contestant> {
        let own = |it: &&Contestant| it.isa == isa && JUDGED.contains(&it.width);
        self.contestants.iter().filter(own).min_by(|a, b| a.best.total_cmp(&b.best))
    }

    fn at(&self, isa: Isa, width: u32) -> Option<&Contestant> {
        self.contestants.iter().find(|it| it.isa == isa && it.width == width)
    }
}

fn ratio(a: Option<f64>, b: Option<f64>) -> String {
    match (a, b) {
        (Some(a), Some(b)) => format!("{:.2}", a / b),
        _ => "–".to_owned(),
    }
}

fn row(it: &Result_) -> String {
    let wide = it.best(Isa::Avx512);
    let narrow = it.best(Isa::Avx2).map(|it| it.best);
    let best = wide.map(|it| it.best);
    let number = |it: Option<f64>| it.map_or("–".to_owned(), |it| format!("{it:.2}"));
    format!(
        "| {} | {} | {} | {} | {} | **{}** | {} | {} |",
        it.kernel.name,
        it.kernel.limit.word(),
        number(it.by_hand),
        number(best),
        wide.map_or("–".to_owned(), |it| it.width.to_string()),
        ratio(best, it.by_hand),
        ratio(narrow, best),
        wide.map_or("–".to_owned(), |it| format!("{:.2}", it.compile_ms)),
    )
}

fn document(results: &[Result_], sizes: &[Size], rounds: usize) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Machine: {}. Command: `cargo xtask bench --document --rounds {rounds}`. 16Mi threads (saxpy 32Mi, mandel 2048², radix_hist 1Mi with 16 keys each, matmul 512²) in \
         groups of 256; the best of {rounds} alternating rounds in one process; every result is checked.\n\
         Hand-written: `crates/bench`, one thread, the same computation as the HLSL at 16 lanes; `reduce` and `mandel` in any \
         order; the histograms element by element, into four copies; `radix_hist`, `tree`, `transpose` and `matmul`, which use groupshared memory, one group at a time without barriers.
",
        machine()
    );
    text.push_str(
        "| kernel | bound by | hand-written, ms | ours, ms | lanes | **ours : hand-written** | AVX2 : AVX-512 | compile, ms |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for it in results {
        let _ = writeln!(text, "{}", row(it));
    }
    text.push_str(
        "\nVectors of AVX2 hold half as many lanes. Where arithmetic in vectors bounds a kernel, twice as many instructions \
         therefore take up to twice as long; where memory does, or lanes that add one by one, the vectors hardly matter.\n",
    );
    text.push_str(&threads_table(results));
    text.push_str(
        "\nPicoseconds per shader thread, by lanes in a wave, on one CPU thread:\n\n| kernel |",
    );
    WIDTHS.iter().for_each(|width| {
        let _ = write!(text, " {width} |");
    });
    let _ = writeln!(text, " 128 : 32 |\n|---{}|", "|---".repeat(WIDTHS.len() + 1));
    for it in results {
        let threads = f64::from(it.kernel.grid[0]) * f64::from(it.kernel.grid[1]);
        let of = |width| Isa::best().and_then(|isa| it.at(isa, width)).map(|it| it.best);
        let _ = write!(text, "| {} |", it.kernel.name);
        for width in WIDTHS {
            let _ = write!(text, " {:.0} |", of(width).unwrap_or(f64::NAN) * 1e9 / threads);
        }
        let _ = writeln!(text, " {} |", ratio(of(128), of(32)));
    }
    text.push_str("\n![Time against width](performance-width.svg)\n\n");
    text.push_str("Milliseconds from IR to executable machine code, for a chain of arithmetic with wave sums:\n\n| operations |");
    sizes.iter().for_each(|it| {
        let _ = write!(text, " {} |", it.operations);
    });
    let _ = write!(text, "\n|---{}|", "|---".repeat(sizes.len()));
    for (i, width) in COMPILED.into_iter().enumerate() {
        let _ = write!(text, "\n| {width} lanes |");
        sizes.iter().for_each(|it| {
            let _ = write!(text, " {:.2} |", it.ms[i]);
        });
    }
    text.push_str("\n\n![Compile time against size](performance-compile.svg)\n");
    text
}

/// The speed-up over one thread, ours and of the hand-written code.
fn threads_table(results: &[Result_]) -> String {
    let counts: Vec<usize> = THREADS.into_iter().skip(1).collect();
    let mut text = "\nSpeed-up by threads over one thread, ours at the best width for one thread : hand-written in \
                    as many independent parts:\n\n| kernel | ours on one, ms |"
        .to_owned();
    for threads in &counts {
        let _ = write!(text, " {threads} threads |");
    }
    let _ = writeln!(text, "\n|---|---{}|", "|---".repeat(counts.len()));
    for it in results {
        let Some(one) = it.scaling.first() else { continue };
        let _ = write!(text, "| {} | {:.2} |", it.kernel.name, one.ours);
        for threads in &counts {
            let cell = match it.scaling.iter().find(|it| it.threads == *threads) {
                Some(many) => {
                    format!(" {:.2} : {} |", one.ours / many.ours, ratio(one.by_hand, many.by_hand))
                }
                None => " – |".to_owned(),
            };
            text.push_str(&cell);
        }
        text.push('\n');
    }
    text.push_str("\n![Speed against threads](performance-threads.svg)\n");
    text
}

fn threads_plot(results: &[Result_]) -> String {
    let series = results.iter().map(|it| {
        let speed = |many: &Scaling| (many.threads as f64, it.scaling[0].ours / many.ours);
        (it.kernel.name.to_owned(), it.scaling.iter().map(speed).collect())
    });
    plot::lines("threads", "speed, one thread = 1", &series.collect::<Vec<_>>())
}

/// The processor, and the load when the run ended.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|it| it.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or_default();
    format!(
        "{}, {cores} cores, load {load} when the run ended",
        model.map_or("an unnamed processor", |it| it.1)
    )
}

/// A shader with a number of operations, and how long the engine compiles it at each of the widths.
struct Size {
    operations: usize,
    ms: [f64; COMPILED.len()],
}

fn compile_times(rounds: usize) -> Result<Vec<Size>, String> {
    let Some(isa) = Isa::best() else { return Ok(Vec::new()) };
    let mut times = Vec::new();
    for size in [30, 100, 300, 1000, 3000] {
        let module = Arc::new(compile_text("chain", chain(size), Path::new(""))?);
        let mut ms = [f64::INFINITY; COMPILED.len()];
        for _ in 0..rounds {
            for (best, width) in ms.iter_mut().zip(COMPILED) {
                *best = best.min(timed_compile(&module, isa, width)?.1);
            }
        }
        times.push(Size { operations: module.insts.len(), ms });
    }
    Ok(times)
}

/// Arithmetic on eight values in turn that no rule simplifies, with occasional wave operations.
fn chain(size: usize) -> String {
    let mut text = String::from(
        "RWStructuredBuffer<uint> Data;\n[numthreads(256, 1, 1)]\nvoid main(uint t : SV_DispatchThreadID) {\n",
    );
    (0..8).for_each(|i| {
        let _ = writeln!(text, "    uint v{i} = Data[t] + {i};");
    });
    for i in 0..size / 2 {
        let (to, a, b) = (i % 8, (i + 3) % 8, (i + 5) % 8);
        let _ = match i % 20 {
            19 => writeln!(text, "    v{to} += WavePrefixSum(v{a});"),
            _ => writeln!(text, "    v{to} = v{to} * v{a} ^ v{b};"),
        };
    }
    text.push_str("    Data[t] = v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5 ^ v6 ^ v7;\n}\n");
    text
}

fn width_plot(results: &[Result_]) -> String {
    let series: Vec<(String, Vec<(f64, f64)>)> = results
        .iter()
        .map(|it| {
            let threads = f64::from(it.kernel.grid[0]) * f64::from(it.kernel.grid[1]);
            let point = |width: u32| {
                let own = it.at(Isa::best()?, width)?;
                Some((f64::from(width), own.best * 1e6 / threads))
            };
            (it.kernel.name.to_owned(), WIDTHS.into_iter().filter_map(point).collect())
        })
        .collect();
    plot::lines("lanes in a wave", "ns per thread", &series)
}

fn compile_plot(sizes: &[Size]) -> String {
    let series = COMPILED.into_iter().enumerate().map(|(i, width)| {
        let points = sizes.iter().map(|it| (it.operations as f64, it.ms[i])).collect();
        (format!("{width} lanes"), points)
    });
    plot::lines("operations", "ms from IR to code", &series.collect::<Vec<_>>())
}
