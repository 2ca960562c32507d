//! Threads that are kept between launches: to start one takes as long as thousands of waves.
//!
//! Several threads of a host may launch at the same time. Each launch takes separate threads, so that none waits for
//! another. A process that was forked has the pools of its parent without their threads, and starts its own.

use std::collections::BTreeMap;
use std::mem;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// The idle pools, which sleep. There are as many as there were launches at the same time.
static IDLE: Mutex<Idle> = Mutex::new(Idle { process: 0, pools: BTreeMap::new() });

struct Idle {
    /// The process that started the pools.
    process: u32,
    /// The pools by their number of threads.
    pools: BTreeMap<usize, Vec<ThreadPool>>,
}

/// The threads of a launch or a draw.
pub struct Team {
    /// `None` for the calling thread alone.
    pool: Option<ThreadPool>,
}

impl Team {
    /// A team of this many threads, or of the calling thread alone if the system has no more.
    #[must_use]
    pub fn of(threads: usize) -> Team {
        if threads <= 1 {
            return Team { pool: None };
        }
        let kept = idle().pools.get_mut(&threads).and_then(Vec::pop);
        Team { pool: kept.or_else(|| started(threads)) }
    }

    /// The number of its threads.
    #[must_use]
    pub fn size(&self) -> usize {
        self.pool.as_ref().map_or(1, ThreadPool::current_num_threads)
    }

    /// Runs `work` once on each thread, and returns when all have ended.
    pub fn run(&self, work: impl Fn() + Sync) {
        match &self.pool {
            Some(pool) => drop(pool.broadcast(|_| work())),
            None => work(),
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.take() {
            idle().pools.entry(pool.current_num_threads()).or_default().push(pool);
        }
    }
}

fn idle() -> MutexGuard<'static, Idle> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    idle.belong_to(process::id());
    idle
}

impl Idle {
    /// Forgets the pools of another process: their threads did not survive the fork, and a launch that used them would
    /// wait for ever.
    fn belong_to(&mut self, process: u32) {
        if self.process != process {
            mem::forget(mem::take(&mut self.pools));
            self.process = process;
        }
    }
}

fn started(threads: usize) -> Option<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.thread_name(|it| format!("wavelane-cpu-{it}")).build().ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::{Barrier, Mutex};

    use super::Team;

    /// The threads that a team runs on; the barrier opens only if all run at the same time.
    fn threads_of(team: &Team) -> BTreeSet<String> {
        let (barrier, ids) = (Barrier::new(team.size()), Mutex::new(BTreeSet::new()));
        team.run(|| {
            barrier.wait();
            let id = format!("{:?}", std::thread::current().id());
            ids.lock().unwrap().insert(id);
        });
        ids.into_inner().unwrap()
    }

    // No other test has teams of these sizes.
    #[test]
    fn the_same_threads_run_all_launches() {
        let seen = [(); 3].map(|()| threads_of(&Team::of(3)));
        assert!(seen.iter().all(|it| it.len() == 3 && *it == seen[0]), "{seen:?}");
    }

    #[test]
    fn simultaneous_launches_have_separate_threads() {
        let teams = [Team::of(5), Team::of(5)];
        let [a, b] = teams.each_ref().map(threads_of);
        assert_eq!((a.len(), b.len()), (5, 5));
        assert!(a.is_disjoint(&b), "{a:?} {b:?}");
    }

    #[test]
    fn a_team_of_one_is_the_calling_thread() {
        let here = std::thread::current().id();
        for threads in [0, 1] {
            Team::of(threads).run(|| assert_eq!(std::thread::current().id(), here));
        }
    }
}
