//! Dead code elimination after a program was rewritten, also of what observers could see and machine code does not
//! need: [`ir::simplify::prune`] keeps loads, wave operations and constructs.

use ir::rewrite::rewrite;
use ir::{Inst, Module};

/// Removes instructions whose results are not used, if `may_go`, and what is of no use then.
pub(crate) fn sweep(module: &mut Module, may_go: impl Fn(&Module, Inst) -> bool) {
    // Each pass removes the users of nothing; what is left after the last one is only slow.
    const MOST_PASSES: usize = 16;
    for _ in 0..MOST_PASSES {
        ir::simplify::prune(module);
        let used = ir::flow::used(module);
        let mut is_done = true;
        rewrite(module, |rewriter, _, inst| {
            let data = rewriter.module.inst(inst);
            let is_used = data.results.iter().any(|it| used[it.index()]);
            if is_used || !may_go(rewriter.module, inst) {
                rewriter.keep(inst);
            } else {
                is_done = false;
            }
        });
        if is_done {
            return;
        }
    }
    ir::simplify::prune(module);
}
