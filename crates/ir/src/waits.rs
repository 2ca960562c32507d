//! Whether an endless loop waits for something that another lane could change.
//!
//! A loop that reads no shared memory cannot be ended from outside: it is endless, and waits for no other lane.

use diag::Span;

use crate::{Module, Op, Region};

/// Whether a loop at this place, or a barrier, can be ended by what other lanes do. `true` for places without a loop.
pub fn waits(module: &Module, span: Span) -> bool {
    let mut loops =
        module.insts.iter().filter(|it| it.span == span).filter_map(|it| match &it.op {
            Op::Loop { body, .. } => Some(*body),
            _ => None,
        });
    let Some(first) = loops.next() else { return true };
    std::iter::once(first).chain(loops).any(|body| reads_shared(module, body))
}

/// Uses an explicit stack, since regions nest deeply.
fn reads_shared(module: &Module, body: Region) -> bool {
    let mut open = vec![body];
    while let Some(region) = open.pop() {
        for inst in &module.region(region).insts {
            let op = &module.inst(*inst).op;
            let effects = op.effects();
            if effects.reads().is_some_and(|it| !it.is_private())
                || matches!(op, Op::Barrier { .. })
            {
                return true;
            }
            open.extend(op.regions());
        }
    }
    false
}
