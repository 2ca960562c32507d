//! House tasks: `cargo xtask docs [--check]`, `cargo xtask bless`, `cargo xtask bench`, `cargo xtask fuzz`.
//!
//! What must always hold is a test, here or elsewhere, so that `cargo test` is the whole truth.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks to people"
)]

mod algorithms;
mod bench;
mod bombs;
mod conformance;
mod coverage;
mod docs;
mod fuzz;
mod gallery;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod licences;
mod mutate;
mod mutate_source;
#[cfg(test)]
mod places;
mod reference;
#[cfg(test)]
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask COMMAND

  docs [--check]   write (or compare) the generated documents: docs/intrinsics.md, docs/functions.md,
                   and the gallery of findings in docs/sanitizer/
  bless [NAME]     write the rendered messages in the suite (`//|`) as they are now,
                   in all files or those whose name holds NAME; then read the difference
  bench [FLAGS]    measure an engine on the kernels in benches/
                   --engine E      cpu (default) or interp; --cpu avx512|avx2
                   --kernels a,b   only these
                   --widths a,b    lanes in a wave (default 16,32,64)
                   --rounds N      timed runs of each kernel (default 7)
                   --threads T     threads of the engine cpu
                   --dump FOLDER   write the machine code of each kernel there
                   --csv FILE      append a line for each run: ms,wavelane-wW,KERNEL,W,T,MS,0
                   --hlsl FOLDER   the kernels of another folder, by the same names
                   --document      pair the engine cpu with the kernels by hand, and write docs/performance.md
                                   and its plots (some minutes)
  algorithms DIR   run public algorithms, whose checkouts lie in DIR, from job files, and write docs/algorithms.md
                   --out DIR       where the jobs go (default target/algorithms); --binary FILE: a built wavelane
  conformance PATH run the conformance suite at PATH at every width, and write docs/conformance.md
                   --commit HASH   its commit, where PATH is no repository
  coverage DIR     compile the wave shaders of public projects that lie in DIR, and write docs/coverage.md
                   NAME…           only projects with such names, and print instead
  reference DIR    compile what the reference compiler's tests compile, and write docs/reference-tests.md
  mutate [FLAGS]   plant faults in clean generated programs, and write into docs/sanitizer.md
                   how many the sanitizer finds
                   --programs N    of each class (default 300)
                   --class TEXT    only classes whose names hold the text, and print instead
                   --show          the programs that failed
  mutate-source [FLAGS]
                   change our own code in small ways, one at a time, and see whether a test notices; exit status 1 if
                   none does (docs/testing.md; an hour or more; needs a POSIX shell)
                   --sample N      how many changes, of all crates together (default 250); --seed S (default 1)
                   --crate C       only of ops, interp, cpu, sanitizer or spirv
                   --only ID,ID    these, as the list of an earlier run names them
                   --resume        do not try again what a test noticed in an earlier run
                   --list          show the sample, and try nothing
                   --stage-seconds S   leave out tests that take longer without a change (default 600)
                   --jobs N        mutants at a time (default: one for each processor)
  bombs [NAME…]    compile a megabyte of every kind of source that asks for much work, and print the processor time and
                   memory that it took; exit status 1 if that is more than 5 s or 1 GiB (Linux)
  fuzz [FLAGS]     throw odd HLSL at the front end; exit status 1 if it breaks
                   --from SOURCE   grammar: programs made from a grammar; mutations: of the repository's own HLSL;
                                   both: in turn (default)
                   --program SEED  instead print this program of the grammar, and try it in all variants
                   --part P        preprocess, parse, check or all (default: lowering and the verifier, too)
                   --part files    instead damage the files that tests are read from
                   --runs N        how many inputs (default 1000000); --seconds S instead ends by the clock
                   --seed N        where the random choices start (default 1)
                   --threads T     default: one for each processor
                   --trace         write each input to target/fuzz/current-T.hlsl first, for one that kills the process
  fuzz --engines   compare the engines on generated programs, bit for bit
                   --runs N, --seed N, --threads T
                   --hostile       instead programs whose indices lead anywhere, behind guard pages:
                                   --count N (default 3000), --seed N
  fuzz --spirv     emit generated programs for every version of Vulkan, with and without what is optional,
                   and ask spirv-val (or what SPIRV_VAL names) about each module; exit status 1 if one is not valid
                   --runs N (default 1000), --seed N, --threads T, --seconds S
                   --suite         the programs of the suite before them
  fuzz --vulkan    compare a GPU with the reference engine on generated programs, bit for bit
                   --runs N, --seconds S, --seed N, --threads T, --width W, --device D
                   --seeds A,B     only these; FILE...: sections instead
                   --shrink S      how many seconds a program that fails is made smaller (default 60)
                   --out FOLDER    where these programs go, and their SPIR-V (default target/fuzz/vulkan);
                   --keep          and all others
  fuzz FILE...     try these files as they are, with all variants of the options
  bench --front    measure `wavelane check` as a whole process on a small and a large file
                   --peer COMMAND  another compiler's command, FILE standing for the file
  bench --san      measure what watching costs: all dynamic detectors against nobody watching
                   --kernels, --width, --rounds as above
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some("docs") => docs::run(arguments.contains(&"--check".to_owned())),
        Some("bless") => bless(arguments.get(1).map_or("", String::as_str)),
        Some("bench") => bench::run(&arguments[1..]),
        Some("algorithms") => algorithms::run(&arguments[1..]),
        Some("conformance") => conformance::run(&arguments[1..]),
        Some("coverage") => coverage::run(&arguments[1..]),
        Some("reference") => reference::run(&arguments[1..]),
        Some("mutate") => mutate::run(&arguments[1..]),
        Some("mutate-source") => return failed(mutate_source::run(&arguments[1..])),
        Some("bombs") => return failed(bombs::run(&arguments[1..])),
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

/// What a task finds is not a mistake in its command line.
fn failed(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

/// Rewrites the messages of the suite's files whose path holds `name`.
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
