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
        let failed: Mutex<Option<String>> = Mutex::new(None);
        let batch = |start: u64| {
            let mut statistics = Statistics::default();
            for number in start..self.runs.min(start.saturating_add(BATCH)) {
                if failed.lock().map_or(true, |it| it.is_some()) {
                    return;
                }
                let seed = |number| self.first.wrapping_add(number / self.kinds);
                if let Err(what) = attempt(seed(number), number % self.kinds, &mut statistics)
                    && let Ok(mut place) = failed.lock()
                {
                    let repeat = format!("repeat it with `--runs {BATCH} --seed {}`", seed(start));
                    place.get_or_insert(format!("{what}\n{repeat}"));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(|| {
                    loop {
                        let start = next.fetch_add(BATCH, Ordering::Relaxed);
                        if start >= self.runs || failed.lock().map_or(true, |it| it.is_some()) {
                            return;
                        }
                        batch(start);
                    }
                });
            }
        });
        match failed.into_inner().map_err(|_| "a thread has panicked")? {
            Some(what) => Err(what),
            None => Ok(()),
        }
    }
}
