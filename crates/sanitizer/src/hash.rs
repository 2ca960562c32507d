//! The hash tables and digests of this crate. Events of a run look up entries by their names (a group, a wave, an
//! instruction, an address), several times for each instruction: there SipHash, the default of the standard library,
//! took a sixth of an examination. FxHash takes one multiplication for each word.
//!
//! FxHash has no random seed, so it does not withstand keys that are chosen to collide. Most keys are numbers of ours,
//! but a shader chooses the addresses that it accesses. One that chooses them badly makes its own accesses slower to
//! examine, and nothing else: no table outlives an examination. Fuel bounds the number of accesses, and `--timeout`
//! bounds the time, as for any other slow shader.
//!
//! As in any hash table, the order of the elements is arbitrary: everything that a report shows is sorted, or does not
//! depend on it.

pub(crate) type HashMap<K, V> = rustc_hash::FxHashMap<K, V>;
pub(crate) type HashSet<K> = rustc_hash::FxHashSet<K>;
pub(crate) type Hashed = rustc_hash::FxHasher;

/// A digest of words, in their order: equal for equal ones.
pub(crate) fn digest(words: impl Iterator<Item = u64>) -> u64 {
    words.fold(0, |all, it| (all ^ it).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31))
}
