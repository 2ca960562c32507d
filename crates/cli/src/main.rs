//! The program `wavelane`: all of it is in the library beside it, except what concerns the process alone.
// Only `early` and `room` hold unsafe code; they say why.
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "advice to the system about memory of ours")]
mod room;

mod early;

use std::process::ExitCode;

fn main() -> ExitCode {
    wavelane_cli::main(room::make, early::stdout_was_closed())
}
