//! Sizes of recordings of the benchmark kernels, as ratchets: a byte for each thing that a lane does, or less. How much
//! longer a recorded run takes, `cargo xtask bench --seeing` measures.
#![allow(clippy::print_stdout, reason = "shows sizes")]

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
    let window = Window::default();
    let (recording, ended) =
        record(&module, &sources, &launch, bindings, program, &window, Vec::new());
    ended.unwrap();
    assert!(recording.complete && recording.has_all_values);
    let events: u64 = recording.lines.values().map(|it| it.lanes).sum();
    let kept = |it: &wavelane_timeline::Wave| it.values.len() as u64 + it.sources.len() as u64;
    let values: u64 = recording.waves.iter().map(kept).sum();
    let bytes = file::write(&recording).len();
    Some(Taken { bytes, events: events + values })
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
        let Some(Taken { bytes, events }) = taken else {
            println!("{name}: has other entry points or options");
            continue;
        };
        tried += 1;
        println!("{name}: {bytes} bytes, {events} events, {:.2}", bytes as f64 / events as f64);
        assert!(bytes as u64 <= events, "{name}: {bytes} bytes for {events} events");
    }
    assert!(tried >= 8, "{tried}");
}
