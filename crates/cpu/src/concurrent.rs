//! Programs for concurrent groups: recognises those whose groups communicate while they run.
//!
//! Examples are chained scans, whose groups take tickets and wait for the sums of earlier ones, and reductions whose
//! last group finishes the work. They prescribe by themselves what their results need of the order of waves, and are
//! written for several groups at a time. So they run on all threads although these share their counters in no fixed
//! order; other programs whose results show the order stay on one thread, unless they can be split (`legalize::split`).

use ir::{Module, Op};
use ops::MemoryScope;

/// Whether groups can see what other groups write while both run: in coherent memory, or behind a barrier that orders
/// the memory of the device.
pub(crate) fn is_concurrent(module: &Module) -> bool {
    let orders_device = |op: &Op| match op {
        Op::Barrier { barrier, .. } => barrier.memory != MemoryScope::Group,
        _ => false,
    };
    module.resources.iter().any(|it| it.globally_coherent)
        || module.insts.iter().any(|it| orders_device(&it.op))
}
