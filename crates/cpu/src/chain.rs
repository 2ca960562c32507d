//! The chain of batches: passes the sum of all earlier waves from one batch to the next (decoupled look-back, with a
//! distance of one).
//!
//! Threads take batches in ascending order and count each before they need the sum of those before it, so that this is
//! usually there. Where it is late, because the system runs something else on the core of the thread that counts, the
//! waiting thread counts that batch as well (fallback of a look-back): counting has no effects, so it does not matter
//! who does it, and no thread waits for another one for longer than a batch takes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) struct Chain {
    /// [`State::next`], to wait for.
    next: AtomicU64,
    state: Mutex<State>,
}

struct State {
    /// The first wave whose batch has not been added up, and the sum of the waves before it.
    next: u64,
    sum: u64,
    /// The first wave that is not run in parallel: see [`Chain::give_up`].
    end: u64,
    /// For each batch that another thread has added up, by its first wave, the sum of the waves before it.
    helped: BTreeMap<u64, u64>,
}

/// The state of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// It is added up; the waves before it have this sum.
    Yes(u64),
    /// The batch with this first wave is late.
    Late(u64),
    /// It is not run in parallel.
    Never,
}

/// A waiting thread checks this many times, about as long as counting a batch takes, before it helps.
const SPINS: u32 = 1 << 8;

impl Chain {
    /// For waves from 0 to an end, and the initial value of the counter.
    pub(crate) fn new(end: u64, sum: u64) -> Chain {
        let state = State { next: 0, sum, end, helped: BTreeMap::new() };
        Chain { next: AtomicU64::new(0), state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds up a batch, from the sum of what its waves add.
    ///
    /// All threads pass here one after the other, so that what a thread does before its turn counts, and what it does
    /// in it: hence the sum, and not its waves.
    pub(crate) fn pass(&self, first: u64, waves: u64, added: u64) -> Passed {
        for _ in 0..SPINS {
            if self.next.load(Relaxed) >= first {
                break;
            }
            std::hint::spin_loop();
        }
        let mut state = self.state();
        if first >= state.end {
            return Passed::Never;
        }
        if state.next < first {
            return Passed::Late(state.next);
        }
        Passed::Yes(state.helped.remove(&first).unwrap_or_else(|| {
            let sum = state.sum;
            self.advance(&mut state, waves, added);
            sum
        }))
    }

    /// Adds up a batch of another thread that is late.
    pub(crate) fn help(&self, first: u64, waves: u64, added: u64) {
        let mut state = self.state();
        if state.next == first && first < state.end {
            let sum = state.sum;
            state.helped.insert(first, sum);
            self.advance(&mut state, waves, added);
        }
    }

    fn advance(&self, state: &mut State, waves: u64, added: u64) {
        // Sums wrap around as those of the counter do, which has no more bits.
        (state.next, state.sum) = (state.next + waves, state.sum.wrapping_add(added));
        self.next.store(state.next, Relaxed);
    }

    /// Leaves the waves from this one on to be run in sequence, by the unsplit program. Returns false if another thread
    /// has already added up their batch.
    pub(crate) fn give_up(&self, first: u64) -> bool {
        let mut state = self.state();
        if state.next > first {
            return false;
        }
        state.end = state.end.min(first);
        true
    }

    /// The first wave whose batch has not been added up, and the value of the counter there.
    pub(crate) fn left(&self) -> (u64, u64) {
        let state = self.state();
        (state.next, state.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_batch_gets_the_sum_of_all_before_it_on_any_thread() {
        let chain = Chain::new(90, u64::from(u32::MAX));
        let taken = AtomicU64::new(0);
        let seen: Vec<AtomicU64> = (0..30).map(|_| AtomicU64::new(0)).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    loop {
                        let first = taken.fetch_add(3, Relaxed);
                        if first >= 90 {
                            return;
                        }
                        let added = |first| 3 * first + 3;
                        let sum = loop {
                            match chain.pass(first, 3, added(first)) {
                                Passed::Yes(sum) => break sum,
                                Passed::Late(late) => chain.help(late, 3, added(late)),
                                Passed::Never => unreachable!("no batch is given up"),
                            }
                        };
                        seen[first as usize / 3].store(sum, Relaxed);
                    }
                });
            }
        });
        let start = u64::from(u32::MAX);
        let wanted = |wave: u64| start + wave * wave.saturating_sub(1) / 2;
        for (wave, seen) in (0..).step_by(3).zip(&seen) {
            assert_eq!(seen.load(Relaxed), wanted(wave), "{wave}");
        }
        assert_eq!(chain.left(), (90, wanted(90)));
    }

    #[test]
    fn a_late_batch_is_counted_by_a_waiting_thread() {
        let chain = Chain::new(90, 7);
        assert_eq!(chain.pass(60, 30, 30), Passed::Late(0));
        chain.help(0, 30, 5);
        // Only the first help counts.
        chain.help(0, 30, 5);
        assert_eq!(chain.pass(60, 30, 30), Passed::Late(30));
        assert_eq!(chain.pass(30, 30, 60), Passed::Yes(12));
        assert_eq!(chain.pass(0, 30, 5), Passed::Yes(7));
        assert_eq!(chain.left(), (60, 72));
    }

    #[test]
    fn batches_from_one_that_is_given_up_never_pass() {
        let chain = Chain::new(90, 7);
        assert!(chain.give_up(30));
        // Batches before the one that was given up still pass.
        assert_eq!(chain.pass(60, 30, 30), Passed::Never);
        assert_eq!(chain.pass(0, 30, 30), Passed::Yes(7));
        chain.help(30, 30, 1);
        assert_eq!(chain.pass(30, 30, 30), Passed::Never);
        assert_eq!(chain.left(), (30, 37));
        assert!(!chain.give_up(0));
    }
}
