//! Cycle detection: a launch never ends if its entire state repeats.
//!
//! Waves take turns in a fixed order, and nothing else runs meanwhile: if frames, memory and the current turn have the
//! same state as before, they repeat forever. States are compared by hashes of 64 bits, so the verdict is certain but
//! for a collision. The reference state is renewed at growing intervals (Brent's algorithm), so that a loop of any
//! period is found eventually and memory is rarely hashed. A loop that counts never repeats a state; its fuel ends it.

use crate::layout::Header;
use crate::views::Views;

/// A recorded state of a launch.
#[derive(Default)]
pub(crate) struct Past {
    rounds: u64,
    frames: Option<u64>,
    memory: u64,
}

impl Past {
    /// Must be called after a round in which every wave only looped; returns whether the state has repeated.
    pub(crate) fn comes_back(&mut self, frames: u64, memory: impl Fn() -> u64) -> bool {
        self.rounds += 1;
        if self.frames == Some(frames) && self.memory == memory() {
            return true;
        }
        if self.rounds.is_power_of_two() {
            (self.frames, self.memory) = (Some(frames), memory());
        }
        false
    }
}

/// A state hash.
#[derive(Clone, Copy)]
pub(crate) struct Digest(u64, u64);

impl Digest {
    pub(crate) fn new() -> Digest {
        Digest(0x9e37_79b9_7f4a_7c15, 0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn word(&mut self, word: u64) {
        // Each half of a wide product depends on every bit.
        let product = u128::from(self.0 ^ word) * u128::from(self.1 | 1);
        self.0 = product as u64 ^ (product >> 64) as u64 ^ self.1.rotate_left(23);
        self.1 = self.1.wrapping_add(word).rotate_left(29) ^ product as u64;
    }

    pub(crate) fn words(&mut self, words: impl Iterator<Item = u64>) {
        words.for_each(|it| self.word(it));
    }

    /// The parts of a header that determine what the wave does; fuel is renewed at every turn, so it does not count.
    pub(crate) fn header(&mut self, header: &Header) {
        let Header { resume, back, group, wave, remaining, .. } = header;
        self.words([*resume, *back, u64::from(*wave), *remaining].into_iter());
        self.words(group.iter().map(|it| u64::from(*it)));
    }

    pub(crate) fn memory(&mut self, views: &Views<'_>) {
        for view in views.bindings.iter().flatten() {
            let whole = view.len / 8;
            self.words((0..whole).map(|i| view.load(8 * i, 8)));
            self.words((8 * whole..view.len).map(|i| view.load(i, 1)));
            self.word(u64::from(view.counted()));
        }
    }

    pub(crate) fn finish(self) -> u64 {
        self.0 ^ self.1.rotate_left(32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_of_any_period_come_back() {
        for period in [1, 2, 3, 7, 100] {
            let mut past = Past::default();
            let found = (0..4 * period + 8).position(|round| past.comes_back(round % period, || 5));
            assert!(found.is_some(), "{period}");
        }
    }

    #[test]
    fn a_loop_that_counts_or_writes_never_repeats_a_state() {
        let mut past = Past::default();
        assert!((0..1000).all(|round| !past.comes_back(round, || 5)));
        let mut past = Past::default();
        let memory = std::cell::Cell::new(0);
        assert!((0..1000).all(|_| {
            memory.set(memory.get() + 1);
            !past.comes_back(7, || memory.get())
        }));
    }

    #[test]
    fn digests_differ_with_the_place_of_a_word() {
        let of = |words: &[u64]| {
            let mut digest = Digest::new();
            digest.words(words.iter().copied());
            digest.finish()
        };
        let all = [of(&[]), of(&[0]), of(&[0, 0]), of(&[1, 0]), of(&[0, 1]), of(&[u64::MAX])];
        let different: std::collections::BTreeSet<u64> = all.into_iter().collect();
        assert_eq!(different.len(), all.len());
    }
}
