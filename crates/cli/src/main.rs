//! The program `wavelane`, all of which is in the library beside it.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    wavelane_cli::main()
}
