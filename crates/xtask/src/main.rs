//! Development tasks: `cargo xtask docs [--check]`, `cargo xtask bless`, `cargo xtask bench`, `cargo xtask fuzz`.
//!
//! Every invariant of the repository is a test, here or elsewhere, so `cargo test` checks all of them.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool prints to its user"
)]

mod algorithms;
mod bench;
mod bombs;
mod conformance;
mod coverage;
mod dist;
mod docs;
mod folders;
mod fuzz;
mod gallery;
mod header;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod licences;
mod meshlets;
mod mutate;
mod mutate_source;
mod picture;
mod places;
mod ratchet;
mod reference;
mod sources;
#[cfg(test)]
mod tidy;
mod web;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask COMMAND

  docs [--check]   write (or compare) the generated documents: docs/intrinsics.md, docs/functions.md,
                   the gallery of findings in docs/sanitizer/, and the header of the C interface
  dist [NAME…]     write the packages of a release and their checksums: archives and Debian packages of the targets
                   that can be built here, and the Python wheel where maturin is installed
                   NAME            only these: `wheel`, or a target such as x86_64-unknown-linux-musl
                   --out DIR       the folder (default target/dist)
                   --try           instead install each package of the folder in a new prefix, and run README's first
                                   command there
  bless [NAME]     update the rendered messages in the suite (`//|`),
  in all files or those whose path contains NAME; review the diff afterwards
  bench [FLAGS]    measure an engine on the kernels in benches/
                   --engine E      cpu (default) or interp; --cpu avx512|avx2
                   --kernels a,b   only these
                   --widths a,b    lanes in a wave (default 16,32,64)
                   --rounds N      timed runs of each kernel (default 7)
                   --threads T     CPU threads of the engine cpu
                   --dump FOLDER   write the machine code of each kernel there
                   --csv FILE      append a line for each run: ms,wavelane-wW,KERNEL,W,T,MS,0
                   --hlsl FOLDER   take kernels of the same names from another folder
                   --document      compare the engine cpu with hand-written kernels, and write docs/performance.md
                   and its plots (takes minutes)
  algorithms DIR   run public algorithms, checked out in DIR, from job files, and write docs/algorithms.md
                   --out DIR       the folder for the jobs (default target/algorithms); --binary FILE: a built wavelane
  meshlets DIR     draw with public samples of mesh shaders, checked out in DIR, and write docs/meshlets.md
                   --out DIR       the folder for the jobs (default target/meshlets); --binary FILE: a built wavelane
  conformance PATH run the conformance suite at PATH at every width, and write docs/conformance.md
                   --commit HASH   its commit, if PATH is not a repository
  coverage DIR     compile and examine shaders of public projects checked out in DIR, and write docs/coverage.md
                   NAME…           only projects whose names contain one of these; prints instead of writing
  reference DIR    compile what the reference compiler's tests compile, and write docs/reference-tests.md
  mutate [FLAGS]   plant faults in clean generated programs, and write into docs/sanitizer.md
                   how many the sanitizer finds
                   --programs N    of each class (default 300)
                   --class TEXT    only classes whose names contain TEXT; prints instead of writing
                   --show          print the programs whose fault was not found, or whose report names another line
                                   first
  mutate-source [FLAGS]
                   change our own code in small ways, one at a time, and check that a test fails; exit status 1 if
                   none does (docs/testing.md; an hour or more; needs a POSIX shell)
                   --sample N      how many changes, of all crates together (default 250); --seed S (default 1)
                   --crate C       only of ops, interp, cpu, sanitizer or spirv
                   --only ID,ID    only the changes with these ids, from the list of an earlier run
                   --resume        skip the changes that a test noticed in an earlier run
                   --list          print the sample without trying it
                   --build         only build; --built: try what the same flags built, also on another machine at the same path
                   --stage-seconds S   skip tests that take longer without a change (default 600)
                   --jobs N        mutants at a time (default: one for each processor)
  places [NAME…]   list the files that a new variant of `WaveOp`, `Op`, `ResourceKind`, `Stage` or `Engine` touches, and
                   the matches whose default would cover it
  bombs [NAME…]    compile a megabyte of every kind of source that requires much work, and print the processor time and
                   memory that it took; exit status 1 if that is more than 5 s or 1 GiB (Linux)
  fuzz [FLAGS]     fuzz the front end with unusual HLSL; exit status 1 on a failure
                   --from SOURCE   grammar: programs generated from a grammar; mutations: of the repository's own HLSL;
                                   both: alternately (default)
                   --program SEED  instead print the program of this seed, and try it with all variants of the options
                   --part P        preprocess, parse, check or all (default: lowering and the verifier, too)
                   --part files    instead fuzz the readers of test files, with damaged ones
                   --runs N        how many inputs (default 1000000); --seconds S: a time limit instead
                   --seed N        the seed of the random choices (default 1)
                   --threads T     default: one for each processor
                   --trace         write each input to target/fuzz/current-T.hlsl first, to find one that kills the process
  fuzz --engines   compare the engines on generated programs, bit for bit
                   --runs N, --seed N, --threads T
                   --hostile       instead programs with arbitrary indices, between guard pages:
                                   --count N (default 3000), --seed N
  fuzz --pixels    compare generated pixel shaders, which discard and diverge, with the second evaluator
                   --runs N (default 10000), --seed N, --threads T
  fuzz --pixels-vulkan  draw them on the first Vulkan device, which records its packing, and compare with the second
                   evaluator and the reference engine in the same waves; counts what is left out, by the reason
                   --runs N (default 1000), --seed N, --threads T
  fuzz --mesh      compare generated mesh and amplification shaders, which diverge, with the second evaluator
                   --runs N (default 10000), --seed N, --threads T
  fuzz --mesh-vulkan  the same as draws on the first Vulkan device that runs mesh shaders, at its widths
                   --runs N (default 10000), --seed N, --threads T
  fuzz --spirv     emit generated programs for every version of Vulkan, with and without optional features,
                   and validate each module with spirv-val (or the program in SPIRV_VAL); exit status 1 if one is not valid
                   --runs N (default 1000), --seed N, --threads T, --seconds S
                   --suite         the programs of the suite first
  fuzz --vulkan    compare a GPU with the reference engine on generated programs, bit for bit
                   --runs N, --seconds S, --seed N, --threads T, --width W, --device D
                   --seeds A,B     only these seeds; FILE...: sections of the suite instead
                   --shrink S      seconds to spend on reducing a failing program (default 60)
                   --out FOLDER    the folder for failing programs and their SPIR-V (default target/fuzz/vulkan)
                   --keep          keep all other programs too
  fuzz --cuda      the same on an NVIDIA GPU through CUDA; 32 lanes unless --width says 4, 8 or 16
  web build        build the playground and the documents as a site in target/web (needs the Rust target
                   wasm32-unknown-unknown)
  web serve [PORT] serve it on this machine (8000)
  web test         build it and try it, in node and in Chromium where they are installed
  fuzz FILE...     try these files unchanged, with all variants of the options
  bench --front    measure `wavelane check` as a whole process on a small and a large file
                   --peer COMMAND  another compiler's command, in which FILE is replaced
  bench --compiling  measure the front end and the fast engine's code of all compute shaders of the suite, and list the worst
                   --projects DIR  also of the public projects of docs/coverage.md that are checked out in DIR
                   --width, --rounds as above
  bench --draws    measure draws, in release builds, and the same draws on the first Vulkan driver
                   --kernels lists scenes of `benches/draws`; --width, --rounds, --threads, --engine
  bench --rays     measure builds of trees, nearest hits and shadow rays on one thread, and the same dispatches on the
                   first Vulkan driver if it supports ray queries; --kernels lists shaders of `benches/rays`; --rounds
  bench --seeing   measure recordings, the page of a long run, and the debugger, against their bars (docs/seeing.md)
                   --kernels (recordings of these alone), --width, --rounds as above
  bench --san      measure the cost of the sanitizer: all dynamic detectors against none
                   --kernels, --width, --rounds as above
                   --algorithms DIR  instead the public algorithms of which DIR holds checkouts, and whole sweeps;
                                     --kernels takes parts of their titles
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some("docs") => docs::run(arguments.contains(&"--check".to_owned())),
        Some("bless") => bless(arguments.get(1).map_or("", String::as_str)),
        Some("bench") => bench::run(&arguments[1..]),
        Some("dist") => return failed(dist::run(&arguments[1..])),
        Some("algorithms") => algorithms::run(&arguments[1..]),
        Some("meshlets") => meshlets::run(&arguments[1..]),
        Some("conformance") => conformance::run(&arguments[1..]),
        Some("coverage") => coverage::run(&arguments[1..]),
        Some("reference") => reference::run(&arguments[1..]),
        Some("mutate") => mutate::run(&arguments[1..]),
        Some("mutate-source") => return failed(mutate_source::run(&arguments[1..])),
        Some("places") => places::run(&arguments[1..]),
        Some("bombs") => return failed(bombs::run(&arguments[1..])),
        Some("web") => web::run(&arguments[1..]),
        Some("fuzz") => return failed(fuzz::run(&arguments[1..])),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::from(2)
        }
    }
}

/// A task that fails has a correct command line, so it prints no usage.
fn failed(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

/// Rewrites the messages of the suite's files whose path contains `name`.
fn bless(name: &str) -> Result<(), String> {
    for file in suite::files(&suite::folder()) {
        let short = file.strip_prefix(suite::folder()).unwrap_or(&file).display().to_string();
        if !short.contains(name) {
            continue;
        }
        let new = suite::bless::blessed(&file)?;
        if std::fs::read_to_string(&file).is_ok_and(|old| old == new) {
            continue;
        }
        std::fs::write(&file, new).map_err(|error| format!("{}: {error}", file.display()))?;
        println!("{short}");
    }
    Ok(())
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
