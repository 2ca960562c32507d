//! House tasks: `cargo xtask docs [--check]`, `cargo xtask bench`.
//!
//! What must always hold is a test, here or elsewhere, so that `cargo test` is the whole truth.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks to people"
)]

mod bench;
mod docs;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask COMMAND

  docs [--check]   write (or compare) the generated documents: docs/intrinsics.md
  bench [FLAGS]    measure the reference engine on the kernels in benches/
                   --kernels a,b   only these
                   --width W       lanes in a wave (default 32)
                   --rounds N      timed runs of each kernel (default 3)
                   --threads T     accepted for harnesses that pair engines; the reference engine uses one
                   --csv FILE      append a line for each run: ms,wavelane-wW,KERNEL,W,T,MS,0
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some("docs") => docs::run(arguments.contains(&"--check".to_owned())),
        Some("bench") => bench::run(&arguments[1..]),
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

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
