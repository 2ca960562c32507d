//! Sizes of recordings of the benchmark kernels, as ratchets: a byte for each thing that a lane does, or less. How much
//! longer a recorded run takes is printed.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "shows sizes and times")]

use std::time::{Duration, Instant};

use interp::{NoObserver, Variation};
use ir::exec::{Bindings, Buffer, Launch};
use ops::Random;
use wavelane_timeline::{Program, Window, file, record};

/// The folder of the kernels.
struct Kernels;

impl Kernels {
    fn folder() -> std::path::PathBuf {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches")
    }
}

impl hlsl::Includer for Kernels {
    fn read(&mut self, path: &str, _: &str, _: bool) -> Option<(String, std::sync::Arc<str>)> {
        let text = std::fs::read_to_string(Kernels::folder().join(path)).ok()?;
        Some((path.to_owned(), text.into()))
    }
}

/// What a recording takes.
struct Taken {
    bytes: usize,
    /// How much lanes did in the run: statements that they began, values that they wrote, and lanes that they read.
    events: u64,
    /// The times of the run alone, with the masks of all steps, and with all values.
    times: [Duration; 3],
}

fn taken(text: &str, width: u32) -> Option<Taken> {
    let (mut sources, mut sink) = (diag::SourceMap::new(), diag::Sink::new());
    let main = sources.add("kernel.hlsl", text).unwrap();
    let options = hlsl::Options { notes: true, ..hlsl::Options::default() };
    let compiled = hlsl::compile(main, &mut sources, &mut Kernels, &options, &mut sink)?;
    let module = compiled.module;
    let launch = Launch::dispatch([16, 1, 1], width);
    // Random words, which no compression makes smaller.
    let mut random = Random::new(1);
    let mut words =
        || (0..1 << 16).flat_map(|_| (random.below(1 << 32) as u32).to_le_bytes()).collect();
    let buffer = |bytes: Vec<u8>| vec![Buffer { bytes: bytes.into(), ..Buffer::default() }];
    let bindings = module.resources.iter().map(|_| buffer(words())).collect();
    let program = Program {
        name: "kernel.hlsl".to_owned(),
        entry: "main".to_owned(),
        groups: [16, 1, 1],
        group_size: module.group_size,
        wave_size: width,
        ..Program::default()
    };
    let bindings = Bindings { bindings };
    let decoded = interp::decode(&ir::notes::without(&module));
    let mut own = bindings.clone();
    let begin = Instant::now();
    interp::run_varied(&decoded, &launch, Variation::default(), &mut own, &mut NoObserver).unwrap();
    let alone = begin.elapsed();
    let recorded = |window: &Window| {
        let (bindings, program) = (bindings.clone(), program.clone());
        let begin = Instant::now();
        let (recording, ended) =
            record(&module, &sources, &launch, bindings, program, window, Vec::new());
        ended.unwrap();
        (recording, begin.elapsed())
    };
    // No wave has such a number: no values are kept.
    let (_, masks) = recorded(&Window::parse("wave=4000000000").unwrap());
    let (recording, all) = recorded(&Window::default());
    assert!(recording.complete && recording.has_all_values);
    let events: u64 = recording.lines.values().map(|it| it.lanes).sum();
    let kept = |it: &wavelane_timeline::Wave| it.values.len() as u64 + it.sources.len() as u64;
    let values: u64 = recording.waves.iter().map(kept).sum();
    let bytes = file::write(&recording).len();
    Some(Taken { bytes, events: events + values, times: [alone, masks, all] })
}

#[test]
fn recordings_of_kernels_are_small() {
    let mut tried = 0;
    let mut files: Vec<_> =
        std::fs::read_dir(Kernels::folder()).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|it| it.extension().is_some_and(|it| it == "hlsl")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let taken = taken(&std::fs::read_to_string(path).unwrap(), 32);
        let Some(Taken { bytes, events, times: [alone, masks, all] }) = taken else {
            println!("{name}: has other entry points or options");
            continue;
        };
        tried += 1;
        let ratio = |it: Duration| it.as_secs_f64() / alone.as_secs_f64();
        println!(
            "{name}: {bytes} bytes, {events} events, {:.2}; {alone:.1?}, masks {:.1} times, values {:.1} times as long",
            bytes as f64 / events as f64,
            ratio(masks),
            ratio(all)
        );
        assert!(bytes as u64 <= events, "{name}: {bytes} bytes for {events} events");
    }
    assert!(tried >= 8, "{tried}");
}
