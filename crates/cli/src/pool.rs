//! A pool of workers for many items, with progress. It does not know what the work on an item is.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::problem::Problem;
use crate::worker::{Slot, Worker};
use crate::{interrupt, terminal};

/// Workers for many items.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    /// The words that make a process of this program a worker.
    pub(crate) words: Vec<String>,
    /// The number of workers; by default, the number of cores.
    pub(crate) jobs: Option<usize>,
}

impl Pool {
    /// The number of workers for `items` items.
    pub(crate) fn count(&self, items: usize) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or(cores).clamp(1, items.max(1))
    }

    /// Processes every item, several at a time; the first worker may have been started already. The outcomes are in the
    /// order of the items. After an interrupt some are missing.
    pub(crate) fn run<T: Sync, R: Send>(
        &self,
        items: &[T],
        first: Option<Worker>,
        one: impl Fn(&mut Slot<'_>, &T) -> Result<Vec<R>, Problem> + Sync,
        is_bad: impl Fn(&R) -> bool + Sync,
    ) -> Result<Vec<R>, Problem> {
        self.run_as("tests", items, first, one, is_bad)
    }

    /// The same with another noun for the items.
    pub(crate) fn run_as<T: Sync, R: Send>(
        &self,
        what: &'static str,
        items: &[T],
        first: Option<Worker>,
        one: impl Fn(&mut Slot<'_>, &T) -> Result<Vec<R>, Problem> + Sync,
        is_bad: impl Fn(&R) -> bool + Sync,
    ) -> Result<Vec<R>, Problem> {
        let count = self.count(items.len());
        let next = AtomicUsize::new(0);
        let progress = Progress::new(what, items.len());
        let first = Mutex::new(first);
        let work = || -> Result<Vec<(usize, Vec<R>)>, Problem> {
            let mut slot = Slot::new(&self.words, first.lock().ok().and_then(|mut it| it.take()));
            let mut done = Vec::new();
            while !interrupt::is_caught() {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(index) else { break };
                let results = match one(&mut slot, item) {
                    // Unfinished items have no results.
                    Err(_) if interrupt::is_caught() => break,
                    results => results?,
                };
                progress.step(results.iter().any(&is_bad));
                done.push((index, results));
            }
            // An idle process need not be waited for: its input is closed, and it ends by itself.
            drop(slot);
            Ok(done)
        };
        let parts: Vec<Result<_, Problem>> = match count {
            // Each hand-over from thread to thread is a wait on a busy machine.
            1 => vec![work()],
            _ => std::thread::scope(|scope| {
                let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
                let bug = |_| Err(Problem::bug("a thread that watches processes panicked"));
                threads.into_iter().map(|it| it.join().unwrap_or_else(bug)).collect()
            }),
        };
        progress.clear();
        let mut all = Vec::new();
        for part in parts {
            all.extend(part?);
        }
        all.sort_by_key(|(index, _)| *index);
        Ok(all.into_iter().flat_map(|(_, results)| results).collect())
    }
}

/// Shows the progress to a person who watches.
struct Progress {
    what: &'static str,
    begun: Instant,
    done: AtomicUsize,
    failed: AtomicUsize,
    all: usize,
}

impl Progress {
    fn new(what: &'static str, all: usize) -> Progress {
        let (done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Progress { what, begun: Instant::now(), done, failed, all }
    }

    fn step(&self, failed: bool) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let failed =
            self.failed.fetch_add(usize::from(failed), Ordering::Relaxed) + usize::from(failed);
        // A line for each of thousands of tests would only blink.
        if terminal::is_watched() && (done.is_multiple_of(8) || done == self.all) {
            let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
            let left = (self.all - done) as f64 / done as f64;
            let left = (self.begun.elapsed().as_secs_f64() * left).ceil();
            // Short waits need no estimate.
            let left = if left > 3.0 { format!(", about {left} s left") } else { String::new() };
            let Progress { what, all, .. } = self;
            terminal::say(&format!("\r\x1b[K{done} of {all} {what}{failed}{left}"));
        }
    }

    fn clear(&self) {
        if terminal::is_watched() && std::io::stderr().is_terminal() {
            terminal::say("\r\x1b[K");
        }
    }
}
