//! How a test says what this machine lacks, and what it therefore did not check.
//!
//! The test harness keeps what `println!` prints in a test that passes. What goes to standard error directly is seen.
#![forbid(unsafe_code)]

use std::fmt::Arguments;
use std::io::Write;

/// Prints `skipped: ` and the reason, formatted as by `println!`.
#[macro_export]
macro_rules! skipped {
    ($($reason:tt)*) => { $crate::print(format_args!($($reason)*)) };
}

/// What the macro calls.
pub fn print(reason: Arguments<'_>) {
    // In one piece: several tests run at a time.
    let line = format!("skipped: {reason}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
