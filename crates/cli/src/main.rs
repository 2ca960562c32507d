//! The program `wavelane`: all of it is in the library beside it, but for the tuning of the allocator.
// Only `room` calls what is unsafe; it says why.
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "advice to the system about memory of ours")]
mod room;

use std::process::ExitCode;

fn main() -> ExitCode {
    wavelane_cli::main(room::make)
}
