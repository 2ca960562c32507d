//! What a measurement takes.

use std::time::Instant;

/// Processor time where one thread works, so that the load of the machine does not count; wall-clock time where several
/// do, and where the system does not tell.
pub(super) enum Clock {
    Processor(f64),
    Wall(Instant),
}

impl Clock {
    pub(super) fn start(threads: usize) -> Clock {
        match bench::clock::milliseconds().filter(|_| threads == 1) {
            Some(start) => Clock::Processor(start),
            None => Clock::Wall(Instant::now()),
        }
    }

    pub(super) fn milliseconds(&self) -> f64 {
        match self {
            Clock::Processor(start) => {
                bench::clock::milliseconds().map_or(f64::NAN, |it| it - start)
            }
            Clock::Wall(start) => super::milliseconds(*start),
        }
    }
}
