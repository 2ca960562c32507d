//! The watchdog thread of a run: it ends the run when its time is spent, and shows the progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use wavelane::internal::Pace;

use crate::terminal;

/// Shorter runs show no progress.
const PATIENCE: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(200);

/// Watches runs, one after the other.
pub(crate) struct Watch {
    /// Set when the time is spent.
    pub(crate) cancel: Arc<AtomicBool>,
    /// Steps done, of `steps`.
    pub(crate) progress: Arc<AtomicU64>,
    steps: Arc<AtomicU64>,
    width: Arc<AtomicU32>,
    /// Dropping it ends the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Starts the clock. A run without groups shows no progress.
    pub(crate) fn start(timeout: Option<Duration>, groups: u64) -> Watch {
        Watch::begin(timeout, groups, None)
    }

    /// The same for a sweep of many runs, which reports its progress, for groups of this many threads.
    pub(crate) fn start_sweep(
        timeout: Option<Duration>,
        groups: u64,
        threads: u64,
        pace: Arc<Pace>,
    ) -> Watch {
        Watch::begin(timeout, groups, Some((pace, threads)))
    }

    fn begin(timeout: Option<Duration>, groups: u64, sweep: Option<(Arc<Pace>, u64)>) -> Watch {
        let (end, ended) = mpsc::channel::<()>();
        let mut watch = Watch {
            cancel: Arc::default(),
            progress: Arc::default(),
            steps: Arc::default(),
            width: Arc::default(),
            end: Some(end),
            thread: None,
        };
        let is_watched = terminal::is_watched();
        if timeout.is_none() && !is_watched {
            return watch;
        }
        let (cancel, progress) = (watch.cancel.clone(), watch.progress.clone());
        let (steps, width) = (watch.steps.clone(), watch.width.clone());
        let begin = Instant::now();
        let work = move || {
            let mut shown = false;
            loop {
                let left = timeout.map(|it| it.saturating_sub(begin.elapsed()));
                if left.is_some_and(|it| it.is_zero()) {
                    cancel.store(true, Ordering::Relaxed);
                }
                let wait = if is_watched { EVERY } else { Duration::from_secs(3600) };
                let wait = left.filter(|it| !it.is_zero()).map_or(wait, |it| it.min(wait));
                match ended.recv_timeout(wait) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
                }
                if is_watched && groups > 0 && begin.elapsed() > PATIENCE {
                    let done = progress.load(Ordering::Relaxed);
                    let line = match &sweep {
                        Some((pace, threads)) => of_sweep(pace.now(), done, groups, *threads),
                        None => {
                            let (width, steps) = (&width, &steps);
                            let of = (width.load(Ordering::Relaxed), steps.load(Ordering::Relaxed));
                            of_run(of, done, groups)
                        }
                    };
                    terminal::say(&format!("\r\x1b[K{line}, {} s", begin.elapsed().as_secs()));
                    shown = true;
                }
            }
            if shown {
                terminal::say("\r\x1b[K");
            }
        };
        // Without the thread there is no time-out, but the run is still bounded by its fuel.
        watch.thread = std::thread::Builder::new().name("watch".to_owned()).spawn(work).ok();
        watch
    }

    /// A run at another width begins.
    pub(crate) fn next(&mut self, width: u32, steps: u64) {
        self.width.store(width, Ordering::Relaxed);
        self.steps.store(steps, Ordering::Relaxed);
        self.progress.store(0, Ordering::Relaxed);
    }

    pub(crate) fn stop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // It has no result, and if it panicked only the progress line is lost.
            let _ = thread.join();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The progress of a run of which this many steps are done.
fn of_run((width, steps): (u32, u64), done: u64, groups: u64) -> String {
    // Groups end one after the other, so their share of the steps is that of the groups.
    let done = u128::from(done.min(steps)) * u128::from(groups) / u128::from(steps.max(1));
    format!("wave size {width}: {done} of {groups} groups")
}

/// The progress of a sweep: the number of the current run, and its progress.
fn of_sweep(
    (width, run, most): (u32, usize, usize),
    done: u64,
    groups: u64,
    threads: u64,
) -> String {
    if width == 0 {
        return format!("run {run} of at most {most}");
    }
    // Each wave and each group is a step.
    let steps = groups.saturating_mul(threads.div_ceil(u64::from(width.max(1))) + 1);
    format!("run {run} of at most {most}, {}", of_run((width, steps), done, groups))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_names_its_run_and_counts_groups() {
        // 64 threads are 4 waves of 16 lanes, and with the group itself 5 steps.
        let line = |done| of_sweep((16, 7, 18), done, 256, 64);
        assert_eq!(line(0), "run 7 of at most 18, wave size 16: 0 of 256 groups");
        assert_eq!(line(5 * 100), "run 7 of at most 18, wave size 16: 100 of 256 groups");
        assert_eq!(line(5 * 300), "run 7 of at most 18, wave size 16: 256 of 256 groups");
        // Several at once.
        assert_eq!(of_sweep((0, 7, 18), 99, 256, 64), "run 7 of at most 18");
    }

    #[test]
    fn the_flag_is_set_when_the_time_is_spent_and_not_before() {
        let mut watch = Watch::start(Some(Duration::from_millis(20)), 1);
        let begin = Instant::now();
        while !watch.cancel.load(Ordering::Relaxed) && begin.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(begin.elapsed() >= Duration::from_millis(20));
        assert!(watch.cancel.load(Ordering::Relaxed));
        watch.stop();
        let calm = Watch::start(Some(Duration::from_secs(3600)), 1);
        assert!(!calm.cancel.load(Ordering::Relaxed));
    }
}
