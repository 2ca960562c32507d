//! Contended counters: recognises programs that a second thread does not speed up, because their waves do little but
//! fetch and add to one counter, unless they can be split there (`split`).
//!
//! The cache line of a counter that several cores change moves between their caches, which takes longer than the rest
//! of a short wave; then two threads are slower than one. Additions whose results are used cannot be combined for many
//! waves, unlike those whose results are not (`select::unseen`), because the sums of later waves are not known yet.

use ir::{Address, Module, Op};

/// Instructions that run while a cache line moves between cores (about 50 ns).
const AS_LONG_AS_THE_WAY: usize = 700;

/// Whether the waves of a program without loops and of this many machine instructions wait for one counter most of the time.
pub(crate) fn passes_one_counter(module: &Module, size: usize) -> bool {
    if size > AS_LONG_AS_THE_WAY {
        return false;
    }
    let used = ir::flow::used(module);
    module.insts.iter().any(|data| match &data.op {
        Op::Atomic { at: Address::Structured { index, .. } | Address::Byte(index), .. } => {
            module.constant(*index).is_some() && data.results.iter().any(|it| used[it.index()])
        }
        _ => false,
    })
}
