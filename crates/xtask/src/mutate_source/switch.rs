//! The run-time switch of a build that holds many mutants: enables one of them, and records which of their places a run
//! reaches.
//!
//! `cargo xtask mutate-source` adds this file to a copy of each crate that it changes. `WAVELANE_MUTANT` names the
//! enabled mutant; `WAVELANE_REACHED` names a file that gets a line for each place, the first time a process reaches
//! it.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Larger than the number of any mutant.
const UNREAD: u32 = u32::MAX;
const RECORDS: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX - 2;
const PLACES: usize = 1 << 14;

/// The number of the enabled mutant, or one of the modes above.
static MODE: AtomicU32 = AtomicU32::new(UNREAD);
static REACHED: [AtomicBool; PLACES] = [const { AtomicBool::new(false) }; PLACES];

/// Whether the mutant with this number is enabled.
#[inline]
pub(crate) fn mutant(number: u32) -> bool {
    let mode = MODE.load(Ordering::Relaxed);
    mode == number || (mode >= RECORDS && unusual(number))
}

#[cold]
fn unusual(number: u32) -> bool {
    if MODE.load(Ordering::Relaxed) == UNREAD {
        let on = std::env::var("WAVELANE_MUTANT").ok().and_then(|it| it.parse().ok());
        let records = std::env::var_os("WAVELANE_REACHED").is_some();
        MODE.store(on.unwrap_or(if records { RECORDS } else { NONE }), Ordering::Relaxed);
    }
    let mode = MODE.load(Ordering::Relaxed);
    let place = &REACHED[number as usize];
    if mode == RECORDS
        && !place.load(Ordering::Relaxed)
        && !place.swap(true, Ordering::Relaxed)
        && let Some(path) = std::env::var_os("WAVELANE_REACHED")
        && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(path)
    {
        // A single write for each line, so that those of several processes do not mix.
        let _ = file.write_all(format!("{number}\n").as_bytes());
    }
    mode == number
}
