//! Several runs at once: as many as there are threads, with results in an order that does not depend on them.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Does `count` things on several threads. Returns what came of them, in order, up to the first that `goes_on` says
/// ends it.
pub fn on_threads<T: Send>(
    threads: usize,
    count: usize,
    one: impl Fn(usize) -> T + Sync,
    goes_on: impl Fn(&T) -> bool,
) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    if threads <= 1 || count <= 1 {
        while all.len() < count && all.last().is_none_or(&goes_on) {
            all.push(one(all.len()));
        }
        return all;
    }
    let next = Mutex::new(0..count);
    let work = || {
        let mut own: Vec<(usize, T)> = Vec::new();
        loop {
            let at = next.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(at) = at else { return own };
            own.push((at, one(at)));
        }
    };
    let mut done = std::thread::scope(|scope| {
        let begun = (1..threads.min(count)).map_while(|_| thread(scope, work));
        let workers: Vec<_> = begun.collect();
        let mut done = work();
        for worker in workers {
            match worker.join() {
                Ok(own) => done.extend(own),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    ops::sort_by_key(&mut done, |it| it.0);
    for (_, it) in done {
        if !all.last().is_none_or(&goes_on) {
            break;
        }
        all.push(it);
    }
    all
}

/// Rewriting deeply nested programs takes more stack than a thread has by default.
const STACK_BYTES: usize = 16 << 20;

/// Starts a thread, where the system has one.
fn thread<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).ok()
}

/// A counting semaphore, which limits the number of concurrent runs.
pub(super) struct Permits {
    free: Mutex<usize>,
    freed: Condvar,
}

/// Leave for one run.
pub(super) struct Permit<'a>(&'a Permits);

impl Permits {
    pub(super) fn new(count: usize) -> Permits {
        Permits { free: Mutex::new(count.max(1)), freed: Condvar::new() }
    }

    /// Waits until a run may begin.
    pub(super) fn take(&self) -> Permit<'_> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}
