//! Programs for which a second thread is no help: those whose waves do little but fetch and add to one counter.
//!
//! A counter that several processors change goes to and fro between their caches, which takes longer than a short wave does
//! everything else; then two threads are slower than one. What an addition gives back cannot be fetched for many waves at a
//! time, as additions that nobody looks at can be (`select::unseen`): the sum of the later ones is not known yet.

use ir::{Address, Module, Op};

/// As many machine instructions take about as long as a counter on its way: some 50 ns.
const AS_LONG_AS_THE_WAY: usize = 700;

/// Whether every wave of a program that is so many machine instructions long, and nothing else, waits for one counter.
pub(crate) fn passes_one_counter(module: &Module, size: usize) -> bool {
    if size > AS_LONG_AS_THE_WAY {
        return false;
    }
    let used = ir::flow::used(module);
    let has_loops = module.insts.iter().any(|it| matches!(it.op, Op::Loop { .. }));
    !has_loops
        && module.insts.iter().any(|data| match &data.op {
            Op::Atomic { at: Address::Structured { index, .. } | Address::Byte(index), .. } => {
                module.constant(*index).is_some() && data.results.iter().any(|it| used[it.index()])
            }
            _ => false,
        })
}
