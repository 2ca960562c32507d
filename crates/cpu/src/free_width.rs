//! Chooses the width to compile for: the requested one, or the fastest if the program cannot observe the width.
//!
//! A program can observe the width of its waves by wave operations, by communication between lanes and waves through
//! memory, and by the order of their side effects. A program without any of these behaves the same at every width, and
//! is run at the fastest one: neither so narrow that most of a vector is idle, nor so wide that register pressure is
//! high.
//!
//! Proof: a wave runs each instruction for all its lanes, ascending, and waves run in sequence. Moving a boundary
//! between waves changes only the order of accesses of two lanes that are in the same wave before and not after, or
//! vice versa. With a single access, made once by each thread, the order does not change: threads access in ascending
//! order at any width. Otherwise the order does not matter if no two lanes of a wave, however wide, access the same
//! element, that is, if their index is one affine value. Nor does it matter for additions that cannot be observed
//! individually (`legalize::additions`), such as those of a histogram.
//!
//! The waves of a vertex or pixel shader keep their width, which the feed deals, but may run in *strips* of it one
//! after the other (strip mining), so that values stay in registers while rows are long. There nothing is written but
//! outputs, each in a place of its lane, and quads are never divided.

use std::collections::BTreeMap;

use ir::facts::{Kind, Space};
use ir::uniformity::{Uniformities, Uniformity};
use ir::{Address, Binding, Inst, Module, Op, Place, Region, ResourceKind, TextureOp, Value};
use ops::WaveOp;

use crate::isa::Isa;

/// Two chunks: with one, a loop is bound by latency, and with more it runs out of masks or vectors.
fn fastest(isa: Isa) -> u32 {
    2 * isa.lanes() as u32
}

/// The width to compile for, given the requested one.
pub(crate) fn made_for(module: &Module, isa: Isa, width: u32) -> u32 {
    let best = fastest(isa);
    // The uniformity analysis is sound for the widths that the module allows, and for narrower waves.
    let is_free = module.wave_size.min == 0 && module.wave_size.max == 0;
    let fits =
        module.threads_per_group().is_multiple_of(best.max(width)) && (best < width || is_free);
    if width != best && fits && is_unobserved(module) { best } else { width }
}

/// The width of the strips in which a wave of a vertex or pixel shader runs: the full width, if the program can observe
/// it.
///
/// Loops are left out except short ones, since a wave is charged for iterations of all its lanes together, and samples,
/// which are calls that cost more for several short rows.
pub(crate) fn of_strips(module: &Module, isa: Isa, width: u32) -> u32 {
    let best = fastest(isa);
    let writes = module.resources.iter().any(|it| it.used && it.kind.writable());
    let short = ir::turns::short_loops(module, width);
    let runs_alike = |(inst, op): (Inst, &Op)| match op {
        Op::Loop { .. } => short.contains(&inst),
        Op::Eval { .. } | Op::InputAt { .. } | Op::Builtin(_) => false,
        Op::Wave { op: WaveOp::IsHelperLane, .. } => true,
        Op::Texture(texture) => texture.op == TextureOp::Size,
        op => {
            let effects = op.effects();
            match effects.kind {
                Kind::Pure | Kind::Stage | Kind::Construct | Kind::Terminator => true,
                Kind::Lanes => effects.asks_quad,
                Kind::Memory(Space::Resource(_), access) => !access.writes(),
                Kind::Memory(Space::Private(_), _) => true,
                Kind::Memory(..) | Kind::Barrier | Kind::Print | Kind::Note => false,
            }
        }
    };
    let mut ops = (0..).map(Inst).zip(module.insts.iter().map(|it| &it.op));
    let is_alike = !writes && ops.all(runs_alike);
    if best < width && is_alike { best } else { width }
}

/// An access to memory that is written.
struct Access {
    binding: Binding,
    is_store: bool,
    in_loop: bool,
    place: Place,
    at: Address,
}

fn is_unobserved(module: &Module) -> bool {
    let Some(accesses) = accesses(module) else { return false };
    let uniformity = std::cell::OnceCell::new();
    let repeated = values_in_loops(module);
    let mut of_buffers: BTreeMap<Binding, Vec<Access>> = BTreeMap::new();
    for access in accesses {
        of_buffers.entry(access.binding).or_default().push(access);
    }
    of_buffers.values().all(|same| {
        let Some(store) = same.iter().find(|it| it.is_store) else { return true };
        if module.shares_memory(store.binding) || same.iter().any(|it| it.place.element.is_some()) {
            return false;
        }
        if same.len() == 1 {
            return !store.in_loop;
        }
        let Some(index) = own_element(module, store) else { return false };
        let uniformity = uniformity.get_or_init(|| ir::uniformity::analyse(module));
        !repeated.contains(&index)
            && is_injective(uniformity, index)
            && same.iter().all(|it| own_element(module, it) == Some(index))
    })
}

/// Whether lanes of a wave hold different numbers, however wide it is.
fn is_injective(uniformity: &Uniformities, index: Value) -> bool {
    // No product with a difference of lane indices may be 0 modulo the range of the type.
    matches!(uniformity.of(index), Uniformity::Affine { stride } if stride.unsigned_abs() < 1 << 16)
}

/// The index of the element of a structured buffer that is accessed.
fn own_element(module: &Module, access: &Access) -> Option<Value> {
    let kind = &module.resource(access.place.binding).kind;
    match (kind, access.at) {
        (ResourceKind::Structured { .. }, Address::Structured { index, .. }) => Some(index),
        _ => None,
    }
}

/// All accesses to buffers whose order matters; `None` if the program can observe its width in another way.
fn accesses(module: &Module) -> Option<Vec<Access>> {
    let mut accesses = Vec::new();
    let mut is_unobserved = true;
    let used = std::cell::OnceCell::new();
    let is_only_added = |binding: Binding| {
        let used = used.get_or_init(|| ir::flow::used(module));
        legalize::additions::is_only_added(module, used, binding)
    };
    each(module, module.body, false, &mut |inst, in_loop| {
        let (place, at, is_store) = match &module.inst(inst).op {
            Op::Load { place, at } => (*place, *at, false),
            Op::Store { place, at, .. } => (*place, *at, true),
            Op::Atomic { place, .. } if is_only_added(place.binding) => return,
            op => {
                is_unobserved &=
                    matches!(op.effects().kind, Kind::Pure | Kind::Construct | Kind::Terminator);
                return;
            }
        };
        let binding = module.storage(place.binding);
        accesses.push(Access { binding, is_store, in_loop, place, at });
    });
    is_unobserved.then_some(accesses)
}

/// Visits every instruction of a region, with whether it is in a loop.
fn each(module: &Module, region: Region, in_loop: bool, call: &mut impl FnMut(Inst, bool)) {
    let mut open = vec![(region, in_loop)];
    while let Some((region, in_loop)) = open.pop() {
        for inst in &module.region(region).insts {
            call(*inst, in_loop);
            let op = &module.inst(*inst).op;
            let inside = in_loop || matches!(op, Op::Loop { .. });
            open.extend(op.regions().into_iter().map(|it| (it, inside)));
        }
    }
}

/// Values that a thread may compute more than once: their value in one iteration says nothing about another.
fn values_in_loops(module: &Module) -> std::collections::HashSet<Value> {
    let mut values = std::collections::HashSet::new();
    each(module, module.body, false, &mut |inst, in_loop| {
        let data = module.inst(inst);
        if in_loop {
            values.extend(&data.results);
        }
        if let Op::Loop { body, .. } = data.op {
            values.extend(&module.region(body).params);
        }
    });
    // The regions of other constructs are entered once, unless they are in a loop.
    values
}
