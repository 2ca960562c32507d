//! Ctrl-C and SIGTERM, for commands that report their results so far before they end.
//!
//! The first signal is noted: the command starts no more work, reports, and then ends by that signal, so that shells
//! see the status of an interrupted command. Another signal, some time later, ends the process at once. Commands that
//! never call [`watch`] are ended by the system.

use crate::problem::{Exit, Problem};

pub(crate) use system::{is_caught, obey, watch};

/// The error of interrupted work. The caller checks [`is_caught`] and drops it.
pub(crate) fn problem() -> Problem {
    Problem::new(Exit::Findings, "it was interrupted")
}

#[cfg(unix)]
mod system {
    use std::sync::Once;
    use std::sync::atomic::{AtomicI32, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// The signal that came first, 0 before.
    static CAUGHT: AtomicI32 = AtomicI32::new(0);

    /// Signals that follow within this time count as one: `timeout` sends one to the process, and one to its group.
    const AGAIN: Duration = Duration::from_millis(500);

    pub(crate) fn watch() {
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            // Without handlers, the system ends the process, as it would without this code.
            let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
            let work = move || {
                let mut first = None;
                for signal in signals.forever() {
                    let begin = *first.get_or_insert_with(Instant::now);
                    CAUGHT.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed).ok();
                    if begin.elapsed() > AGAIN {
                        let _ = emulate_default_handler(signal);
                    }
                }
            };
            if thread::Builder::new().name("signals".to_owned()).spawn(work).is_err() {
                // Without this thread signals would have no effect, so the command fails at once.
                CAUGHT.store(SIGTERM, Ordering::Relaxed);
            }
        });
    }

    /// Whether the command should end.
    pub(crate) fn is_caught() -> bool {
        CAUGHT.load(Ordering::Relaxed) != 0
    }

    /// Ends the process by the signal that was caught, if any was.
    pub(crate) fn obey() {
        if is_caught() {
            let _ = emulate_default_handler(CAUGHT.load(Ordering::Relaxed));
        }
    }
}

// Portability: other systems end the process at once; what was written until then stays.
#[cfg(not(unix))]
mod system {
    pub(crate) fn watch() {}

    pub(crate) fn is_caught() -> bool {
        false
    }

    pub(crate) fn obey() {}
}
