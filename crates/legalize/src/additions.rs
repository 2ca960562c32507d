//! Atomic additions that cannot be observed individually: those whose results are not used, to buffers to which a
//! module does nothing else.
//!
//! No wave can observe when such an addition happens, and the order and the portions of additions do not affect the
//! sum. On this rest copies of counters in groupshared memory (`merged.rs`), counting without matching
//! (`disaggregated.rs`), and the fast engine's sums in registers and private copies.

use ir::{Address, Atomic, Binding, Inst, Module, Op, ResourceKind};
use ops::Ty;

/// The address of an addition of words whose result is not used. `used` is that of [`ir::flow`].
pub fn unused_addition(module: &Module, used: &[bool], inst: Inst) -> Option<Address> {
    let data = module.inst(inst);
    match &data.op {
        Op::Atomic { place, at, op: Atomic::Add, args }
            if place.element.is_none()
                && module.ty(args[0]) == Ty::I32
                && data.results.iter().all(|it| !used[it.index()]) =>
        {
            Some(*at)
        }
        _ => None,
    }
}

/// The instructions that use a resource, except for queries of its size.
pub fn accesses(module: &Module, binding: Binding) -> impl Iterator<Item = Inst> {
    let all = (0..module.insts.len() as u32).map(Inst);
    all.filter(move |inst| {
        let op = &module.inst(*inst).op;
        !matches!(op, Op::Size { .. }) && op.places().any(|it| it.binding == binding)
    })
}

/// Whether a module only adds to a structured buffer, without using the results.
pub fn is_only_added(module: &Module, used: &[bool], binding: Binding) -> bool {
    let is_unused = |inst: Inst| {
        matches!(unused_addition(module, used, inst), Some(Address::Structured { .. }))
    };
    let resource = module.resource(binding);
    matches!(resource.kind, ResourceKind::Structured { .. })
        && !module.shares_memory(binding)
        && accesses(module, binding).next().is_some()
        && accesses(module, binding).all(is_unused)
}
