//! Generated programs on several threads, in batches that can be repeated.
//!
//! A generator prefers what its statistics show least of, so that a program depends on those before it. Each batch
//! begins with empty statistics: it makes the same programs on any number of threads, and a failure names its batch.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use generate::Statistics;

/// A multiple of the number of programs for each seed.
const BATCH: u64 = 64;

/// What to run: `--runs`, `--seed` and `--threads`.
pub(super) struct Campaign {
    pub(super) runs: u64,
    first: u64,
    threads: u64,
    /// The number of programs for each seed.
    kinds: u64,
}

impl Campaign {
    pub(super) fn read(arguments: &[String], runs: u64, kinds: u64) -> Result<Campaign, String> {
        let threads = std::thread::available_parallelism().map_or(1, |it| it.get() as u64);
        let mut read = Campaign { runs, first: 1_000_000, threads, kinds };
        let flags = [
            ("--runs", &mut read.runs),
            ("--seed", &mut read.first),
            ("--threads", &mut read.threads),
        ];
        super::numbers(arguments, flags)?;
        Ok(read)
    }

    /// Attempts each program, by its seed and its kind, until one fails.
    pub(super) fn each<F>(&self, attempt: F) -> Result<(), String>
    where
        F: Fn(u64, u64, &mut Statistics) -> Result<(), String> + Sync,
    {
        let next = AtomicU64::new(0);
        let seed = |number| self.first.wrapping_add(number / self.kinds);
        on_threads(self.threads.max(1), || {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            let mut statistics = Statistics::default();
            for number in start..self.runs.min(start.saturating_add(BATCH)) {
                attempt(seed(number), number % self.kinds, &mut statistics).map_err(|what| {
                    format!("{what}\nrepeat it with `--runs {BATCH} --seed {}`", seed(start))
                })?;
            }
            Ok(start < self.runs)
        })
    }
}

/// Calls `part` on each thread until it returns `false`, or fails on one of them.
pub(super) fn on_threads(
    threads: u64,
    part: impl Fn() -> Result<bool, String> + Sync,
) -> Result<(), String> {
    on_threads_with(threads, || (), |()| part())
}

/// The same, with what `start` makes on each thread.
pub(super) fn on_threads_with<S>(
    threads: u64,
    start: impl Fn() -> S + Sync,
    part: impl Fn(&mut S) -> Result<bool, String> + Sync,
) -> Result<(), String> {
    let failed: Mutex<Option<String>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut own = start();
                while failed.lock().is_ok_and(|it| it.is_none()) {
                    match part(&mut own) {
                        Ok(true) => {}
                        Ok(false) => return,
                        Err(what) => {
                            if let Ok(mut place) = failed.lock() {
                                place.get_or_insert(what);
                            }
                        }
                    }
                }
            });
        }
    });
    failed.into_inner().map_err(|_| "a thread has panicked")?.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_batch_that_repeats_it() {
        let campaign = Campaign { runs: 1000, first: 10, threads: 3, kinds: 4 };
        let failed = campaign.each(|seed, kind, _| match (seed, kind) {
            (30, 1) => Err("it differs".to_owned()),
            _ => Ok(()),
        });
        assert_eq!(failed, Err("it differs\nrepeat it with `--runs 64 --seed 26`".to_owned()));
    }

    #[test]
    fn every_program_is_attempted_once() {
        let campaign = Campaign { runs: 1001, first: 10, threads: 3, kinds: 4 };
        let attempted = Mutex::new(Vec::new());
        let attempt = |seed, kind, _: &mut Statistics| {
            attempted.lock().unwrap().push((seed, kind));
            Ok(())
        };
        campaign.each(attempt).unwrap();
        let mut attempted = attempted.into_inner().unwrap();
        attempted.sort_unstable();
        let all: Vec<(u64, u64)> = (0..1001).map(|it| (10 + it / 4, it % 4)).collect();
        assert_eq!(attempted, all);
    }
}
