//! Threads that are kept between launches: to start one takes as long as thousands of waves.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// The pools by their number of threads. Idle threads sleep, and a process asks for few different numbers.
static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());

/// The threads of a launch or a draw.
pub struct Team {
    /// `None` for the calling thread alone.
    pool: Option<Arc<ThreadPool>>,
}

impl Team {
    /// A team of so many threads, or of the calling thread alone if the system has no more.
    #[must_use]
    pub fn of(threads: usize) -> Team {
        Team { pool: if threads > 1 { pool(threads) } else { None } }
    }

    /// The number of its threads.
    #[must_use]
    pub fn size(&self) -> usize {
        self.pool.as_ref().map_or(1, |it| it.current_num_threads())
    }

    /// Runs `work` once on each thread, and returns when all have ended.
    pub fn run(&self, work: impl Fn() + Sync) {
        match &self.pool {
            Some(pool) => drop(pool.broadcast(|_| work())),
            None => work(),
        }
    }
}

fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Some(Arc::clone(pool));
    }
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let pool = Arc::new(builder.thread_name(|it| format!("wavelane-cpu-{it}")).build().ok()?);
    pools.insert(threads, Arc::clone(&pool));
    Some(pool)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::{Barrier, Mutex};

    use super::Team;

    /// The barrier opens only if all threads run at the same time.
    #[test]
    fn the_same_threads_run_all_launches() {
        let mut seen: Vec<BTreeSet<String>> = Vec::new();
        for _ in 0..3 {
            let (barrier, ids) = (Barrier::new(3), Mutex::new(BTreeSet::new()));
            let team = Team::of(3);
            assert_eq!(team.size(), 3);
            team.run(|| {
                barrier.wait();
                let id = format!("{:?}", std::thread::current().id());
                ids.lock().unwrap().insert(id);
            });
            seen.push(ids.into_inner().unwrap());
        }
        assert!(seen.iter().all(|it| it.len() == 3 && *it == seen[0]), "{seen:?}");
    }

    #[test]
    fn a_team_of_one_is_the_calling_thread() {
        let here = std::thread::current().id();
        for threads in [0, 1] {
            Team::of(threads).run(|| assert_eq!(std::thread::current().id(), here));
        }
    }
}
