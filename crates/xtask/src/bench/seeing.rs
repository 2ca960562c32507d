//! Measures what shows lanes: recordings beside plain runs, the page of a long run, and the debugger.
//!
//! The bars are those of `docs/seeing.md`. Plain and recorded runs alternate in one process, and processor time is
//! taken where the system tells it, so that other load affects both alike; the debugger is a process, whose answers
//! take wall-clock time.

mod debugger;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use diag::{Sink, SourceMap, Style};
use interp::{NoObserver, Variation};
use ir::Module;
use timeline::{Program, Window};

use super::clock::Clock;
use super::{Benches, KERNELS, Kernel, bindings, launch};

/// A run below this many milliseconds has a separate bar for all values.
const SHORT: f64 = 10.0;
/// The most bytes and seconds of the page of a run of 10⁹ lane-statements.
const MOST_PAGE: u64 = 16 << 20;
const MOST_SECONDS: f64 = 60.0;
/// The waves of that run have this many lanes.
const LONG_WIDTH: u32 = 64;

/// 10⁹ lane-statements: 1,024 threads, in each of which a loop begins two statements half a million times.
const LONG: &str = "RWStructuredBuffer<uint> Out;
[numthreads(1024, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint hash = i;
    for (uint n = 0; n < 500000; n++) {
        hash = hash * 1664525 + 1013904223;
    }
    Out[i] = hash;
}
";

pub(super) fn run(only: Option<&[String]>, width: u32, rounds: usize) -> Result<(), String> {
    recordings(only, width, rounds)?;
    if only.is_some() {
        return Ok(());
    }
    let folder = crate::root().join("target/bench");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let wavelane = super::front::wavelane()?;
    debugger::run(&wavelane, &folder, rounds)?;
    page(&wavelane, &folder)
}

/// Recordings of all kernels beside the plain run: the masks of all steps alone, and all values.
fn recordings(only: Option<&[String]>, width: u32, rounds: usize) -> Result<(), String> {
    println!("recordings: {width} lanes, the best of {rounds} alternating rounds, processor time");
    println!(
        "{:>10}  {:>10}  {:>8}  {:>8}  {:>12}  bars: masks 1.5, values 4 (12 below 10 ms), 1 byte",
        "kernel", "plain ms", "masks", "values", "bytes/event"
    );
    for kernel in &KERNELS {
        if only.is_some_and(|it| !it.iter().any(|it| it == kernel.name)) {
            continue;
        }
        let kernel = Kernel { grid: small_grid(kernel), ..*kernel };
        let measured = Recorded::of(&kernel, width, rounds)?;
        let [plain, masks, values] = measured.times;
        let most = if plain < SHORT { 12.0 } else { 4.0 };
        // A star marks a bar that is missed.
        let mark = |is_met: bool| if is_met { " " } else { "*" };
        println!(
            "{:>10}  {plain:>10.2}  {:>7.2}{}  {:>7.2}{}  {:>12.2}",
            kernel.name,
            masks / plain,
            mark(masks <= 1.5 * plain),
            values / plain,
            mark(values <= most * plain),
            measured.bytes as f64 / measured.events as f64,
        );
    }
    Ok(())
}

/// So few threads that every value is kept.
fn small_grid(kernel: &Kernel) -> [u32; 2] {
    match kernel.name {
        "mandel" => [256, 16],
        "matmul" => [512, 1],
        "radix_hist" => [1 << 12, 1],
        "bitonic" => [1 << 14, 1],
        _ => [1 << 15, 1],
    }
}

struct Recorded {
    /// Milliseconds of the plain run, with masks, and with values.
    times: [f64; 3],
    bytes: usize,
    /// Statements that lanes began, values that they wrote, and lanes that they read.
    events: u64,
}

impl Recorded {
    fn of(kernel: &Kernel, width: u32, rounds: usize) -> Result<Recorded, String> {
        let (module, sources) = with_notes(kernel.file)?;
        let launch = launch(kernel, width);
        let plain = interp::decode(&ir::notes::without(&module));
        let bound = bindings(kernel, &module);
        // No wave has such a number: no values are kept.
        let windows = [Window::parse("wave=4000000000")?, Window::default()];
        let mut best = [f64::INFINITY; 3];
        let mut kept = None;
        for _ in 0..rounds {
            let mut left = bound.clone();
            let start = Clock::start(1);
            interp::run_varied(&plain, &launch, Variation::default(), &mut left, &mut NoObserver)
                .map_err(|failure| format!("{}: {failure}", kernel.name))?;
            best[0] = best[0].min(start.milliseconds());
            for (best, window) in best[1..].iter_mut().zip(&windows) {
                let (program, bound) = (program(kernel, &module, width), bound.clone());
                let start = Clock::start(1);
                let (recording, ended) =
                    timeline::record(&module, &sources, &launch, bound, program, window, vec![]);
                *best = best.min(start.milliseconds());
                ended.map_err(|failure| format!("{}: {failure}", kernel.name))?;
                kept = Some(recording);
            }
        }
        let Some(recording) = kept else { unreachable!("there is a round") };
        if !recording.complete || !recording.has_all_values {
            return Err(format!("`{}` is too long to be kept whole", kernel.name));
        }
        let lanes: u64 = recording.lines.values().map(|it| it.lanes).sum();
        let values = |it: &timeline::Wave| (it.values.len() + it.sources.len()) as u64;
        let events = lanes + recording.waves.iter().map(values).sum::<u64>();
        Ok(Recorded { times: best, bytes: timeline::file::write(&recording).len(), events })
    }
}

fn program(kernel: &Kernel, module: &Module, width: u32) -> Program {
    Program {
        name: kernel.file.to_owned(),
        entry: "main".to_owned(),
        groups: [kernel.grid[0] / 256, kernel.grid[1], 1],
        group_size: module.group_size,
        wave_size: width,
        ..Program::default()
    }
}

/// A kernel with the notes that a recording needs.
fn with_notes(name: &str) -> Result<(Module, SourceMap), String> {
    let folder = crate::root().join("benches");
    let path = folder.join(format!("{name}.hlsl"));
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (mut sources, mut sink) = (SourceMap::new(), Sink::new());
    let main = sources.add(name.to_owned(), text).ok_or("the file is too large")?;
    let options = hlsl::Options { notes: true, ..hlsl::Options::default() };
    let compiled = hlsl::compile(main, &mut sources, &mut Benches(&folder), &options, &mut sink);
    match compiled {
        Some(it) => Ok((it.module, sources)),
        None => Err(diag::render_all(&sink.into_sorted(), &sources, Style::Plain)),
    }
}

/// The page of a run of 10⁹ lane-statements.
fn page(wavelane: &Path, folder: &Path) -> Result<(), String> {
    let (file, page) = (folder.join("long.hlsl"), folder.join("long.html"));
    std::fs::write(&file, LONG).map_err(|error| format!("{}: {error}", file.display()))?;
    let start = Instant::now();
    let output = Command::new(wavelane)
        .args(["timeline", "--bind", "Out=u32[1024]", "--wave-size"])
        .arg(LONG_WIDTH.to_string())
        .arg(&file)
        .arg("-o")
        .arg(&page)
        .output()
        .map_err(|error| format!("{}: {error}", wavelane.display()))?;
    let seconds = start.elapsed().as_secs_f64();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let bytes = std::fs::metadata(&page).map_err(|error| error.to_string())?.len();
    println!(
        "\na page of 10\u{2079} lane-statements: {seconds:.1} s (bar {MOST_SECONDS}), {bytes} bytes (bar {MOST_PAGE})"
    );
    Ok(())
}
