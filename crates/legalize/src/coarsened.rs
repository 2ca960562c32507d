//! Thread coarsening, of groups: each group of the new module runs several of the source, neighbours on the first axis,
//! instruction by instruction. So their loads are in flight at the same time, and a device launches fewer groups.
//!
//! Each group of the source is a *slot*. An instruction of the body becomes one for each slot, in the order of the
//! slots, with the slot's values; one that is the same for all slots, such as a constant or the number of a thread in
//! its group, stays one. A nested region is copied whole for each slot, except for an `if` whose condition is the same
//! for all slots, whose arms are treated like the body.
//!
//! Groups run in any order and interleaved, so what the new module does is what the source may do:
//! - *There is no waiting.* The module has no loop, so no group waits for memory that another one writes. (Loops whose
//!   course is known have been unrolled; others take longer than the loads that would be gained.)
//! - *Barriers* that a group waits at are in the body, where all slots reach them at once; so one serves them all.
//! - *No lane returns early*, because it would return from all slots.
//! - *Groupshared arrays* are separate, and together small enough not to keep other groups from a processor.
//! - *Nothing is printed*: the order of lines is that of groups.
//!
//! What can be seen is the order in which groups reach atomic operations and stores to one place, which the language
//! leaves open.
//!
//! Atomic operations of the slots on one element follow one another, so they become one, with the fold of the operands:
//! where no slot uses the old value, and where an addition is to a word that is in bounds, so that each slot can
//! compute its own old value. A reduction that only such an operation uses folds the values of all slots.
//!
//! Deliberately absent: modules with private arrays, textures and ray queries, whose accesses become long code; those
//! that load nothing in the body, which would gain nothing; and long ones. The caller checks whether registers suffice.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use ir::facts::{Kind, Space};
use ir::flow::Structure;
use ir::{Builtin, Inst, Memory, Module, Op, Region, ResourceKind, Shared, Value, Values};
use ops::intrinsics::Stage;
use ops::{Binary, Fold, SyncScope, Ty, WaveOp};

use crate::aggregated::is_word_inside;
use crate::merged::returns_or_waits;
use crate::target::Target;
use crate::textures::uses_textures;
use crate::writer::Writer;

/// The most instructions of the new module, without constants. Longer code takes longer to compile than is gained.
const MOST_INSTS: usize = 512;

/// The most groupshared memory of the new module, in bytes.
const MOST_SHARED: u64 = 16 << 10;

/// What is known while a module is coarsened.
pub(crate) struct Coarsening {
    plan: Plan,
    slots: usize,
    /// The slot whose values the writer has, and the values of the others.
    current: Cell<usize>,
    values: RefCell<Vec<Vec<Option<Value>>>>,
    /// The number of each slot's group on the first axis, and that of the thread in the dispatch.
    groups: Vec<Value>,
    threads: Vec<Value>,
}

/// The module with `slots` groups in one, for a dispatch whose number of groups on the first axis is a multiple of
/// that, and which has as many times fewer groups afterwards. `bytes` are the sizes of the buffers that are bound to
/// each resource; 0 if that is unknown. `None` if a condition does not hold, or nothing is gained.
pub fn coarsened(module: &Module, slots: u32, bytes: &[usize]) -> Option<Module> {
    let module = &*ir::notes::without(module);
    if !can_share(module, slots) {
        return None;
    }
    let plan = Plan::of(module, bytes);
    let slots = slots as usize;
    if plan.loads == 0 || plan.size(module, module.body, slots) > MOST_INSTS {
        return None;
    }
    let target = Target::everything();
    let mut writer = Writer::new(module, &target);
    let group = writer.value(Op::Builtin(Builtin::GroupId(0)), Ty::I32);
    let thread = writer.value(Op::Builtin(Builtin::GroupThreadId(0)), Ty::I32);
    let first = writer.with(Binary::Mul, group, slots as u64);
    let size = u64::from(module.group_size[0]);
    let start = writer.with(Binary::Mul, group, size * slots as u64);
    let start = writer.op2(Binary::Add, start, thread);
    let numbers = 0..slots as u64;
    writer.coarsening = Some(Coarsening {
        plan,
        slots,
        current: Cell::new(0),
        values: RefCell::new(vec![vec![None; module.values.len()]; slots]),
        groups: numbers.clone().map(|it| writer.with(Binary::Add, first, it)).collect(),
        threads: numbers.map(|it| writer.with(Binary::Add, start, it * size)).collect(),
    });
    writer.coarse_list(module.body);
    let last = module.region(module.body).insts.last()?;
    writer.add(module.inst(*last).op.clone(), &[]);
    writer.select(0);

    let mut new = writer.finish();
    for slot in 1..slots {
        new.groupshared.extend(
            module
                .groupshared
                .iter()
                .map(|it| Memory { name: format!("{}.{slot}", it.name), ..it.clone() }),
        );
    }
    // Numbers that the source does not use.
    ir::simplify::prune(&mut new);
    Some(new)
}

/// Whether groups can run interleaved in one group, and the module is short enough to be analysed.
fn can_share(module: &Module, slots: u32) -> bool {
    let structure = Structure::of(module);
    let is_free = |inst: Inst| match &module.inst(inst).op {
        Op::Loop { .. } | Op::Print { .. } => false,
        Op::Barrier { barrier, .. } => {
            barrier.sync != SyncScope::Group || structure.parent(inst).is_none()
        }
        _ => true,
    };
    module.stage == Stage::Compute
        && module.io.is_none()
        && module.group.is_none()
        && module.privates.is_empty()
        && module.queries.is_empty()
        && module.groupshared_bytes().saturating_mul(slots.into()) <= MOST_SHARED
        && counted(module, structure.insts()) <= MOST_INSTS
        && !uses_textures(module)
        && structure.insts().all(is_free)
        && !returns_or_waits(module, |_| false)
}

/// The number of instructions that are not constants.
fn counted(module: &Module, insts: impl Iterator<Item = Inst>) -> usize {
    insts.filter(|it| !matches!(module.inst(*it).op, Op::Const { .. })).count()
}

/// Dependence on the slot.
struct Plan {
    /// Whether each value of the source depends on the slot.
    values: Vec<bool>,
    /// The instructions that are done for each slot.
    varying: BTreeSet<Inst>,
    /// Of these, the `if`s whose arms are treated like the body.
    opened: BTreeSet<Inst>,
    /// The atomic operations of which the slots do one together.
    joined: BTreeSet<Inst>,
    /// The values that are folded over all slots.
    folded: BTreeSet<Value>,
    /// The number of loads of the body that depend on the slot.
    loads: usize,
}

impl Plan {
    fn of(module: &Module, bytes: &[usize]) -> Plan {
        let mut plan = Plan {
            values: vec![false; module.values.len()],
            varying: BTreeSet::new(),
            opened: BTreeSet::new(),
            joined: BTreeSet::new(),
            folded: BTreeSet::new(),
            loads: 0,
        };
        let uses = ir::flow::uses(module);
        let mut reductions = BTreeSet::new();
        let context = Context { module, uses: &uses, bytes };
        plan.region(&context, module.body, true, &mut reductions);
        plan.folded = plan
            .joined
            .iter()
            .filter_map(|it| context.reduction_for(*it))
            .filter(|it| reductions.contains(it))
            .collect();
        plan
    }

    /// Looks at a region; `is_body` if it is treated like the body. Returns whether anything depends on the slot.
    fn region(
        &mut self,
        context: &Context<'_>,
        region: Region,
        is_body: bool,
        reductions: &mut BTreeSet<Value>,
    ) -> bool {
        let module = context.module;
        let mut any = false;
        for inst in &module.region(region).insts {
            let data = module.inst(*inst);
            let depends = data.op.operands().iter().any(|it| self.values[it.index()]);
            if let (Op::If { cond, then, else_ }, true) = (&data.op, is_body)
                && !self.values[cond.index()]
            {
                let [yes, no] =
                    [*then, *else_].map(|it| self.region(context, it, true, reductions));
                if yes || no {
                    any = true;
                    self.varying.insert(*inst);
                    self.opened.insert(*inst);
                    let arms = [*then, *else_].map(|it| yielded(module, it));
                    for (index, result) in data.results.iter().enumerate() {
                        self.values[result.index()] =
                            arms.iter().any(|it| self.values[it[index].index()]);
                    }
                }
                continue;
            }
            let mut varies = depends || depends_on_group(&data.op);
            for inner in data.op.regions() {
                varies |= self.region(context, inner, false, reductions);
            }
            if !varies {
                continue;
            }
            any = true;
            self.varying.insert(*inst);
            data.results.iter().for_each(|it| self.values[it.index()] = true);
            if !is_body {
                continue;
            }
            match &data.op {
                Op::Load { place, .. } => {
                    let kind = &module.resource(place.binding).kind;
                    self.loads += usize::from(!matches!(kind, ResourceKind::Constant { .. }));
                }
                Op::Wave { op: WaveOp::Reduce(_), .. } => {
                    reductions.insert(data.results[0]);
                }
                Op::Atomic { .. } if context.joins(*inst, &self.values) => {
                    self.joined.insert(*inst);
                }
                _ => {}
            }
        }
        any
    }

    /// The number of instructions that a region becomes, without constants.
    fn size(&self, module: &Module, region: Region, slots: usize) -> usize {
        let of = |inst: &Inst| {
            let op = &module.inst(*inst).op;
            let inner = |slots: usize| {
                let regions = op.regions().into_iter();
                regions.map(|it| self.size(module, it, slots)).sum::<usize>()
            };
            match self.varying.contains(inst) {
                _ if matches!(op, Op::Const { .. }) => 0,
                true if self.opened.contains(inst) => 1 + inner(slots),
                true => slots * (1 + self.whole(module, op)),
                false => 1 + self.whole(module, op),
            }
        };
        module.region(region).insts.iter().map(of).sum()
    }

    /// The number of instructions in the regions of a construct.
    fn whole(&self, module: &Module, op: &Op) -> usize {
        let regions = op.regions().into_iter();
        let insts = regions.flat_map(|it| &module.region(it).insts);
        insts.map(|it| 1 + self.whole(module, &module.inst(*it).op)).sum()
    }
}

/// Whether an instruction depends on the group, or must be done for each.
fn depends_on_group(op: &Op) -> bool {
    let effects = op.effects();
    match effects.kind {
        Kind::Memory(Space::Shared(_), _) => true,
        Kind::Barrier => false,
        _ if effects.acts() => true,
        _ => matches!(op, Op::Builtin(Builtin::GroupId(0) | Builtin::DispatchThreadId(0))),
    }
}

/// The operands of the yield of a region from which no lane escapes.
fn yielded(module: &Module, region: Region) -> &[Value] {
    ir::flow::yielded(module, region)
        .unwrap_or_else(|| unreachable!("no lane returns, and there is nothing around to exit to"))
}

/// What decides which atomic operations become one.
struct Context<'a> {
    module: &'a Module,
    /// The number of uses of each value.
    uses: &'a [u32],
    bytes: &'a [usize],
}

impl Context<'_> {
    /// Whether the atomic operations of the slots become one; `varies` tells the values that depend on the slot.
    fn joins(&self, inst: Inst, varies: &[bool]) -> bool {
        let data = self.module.inst(inst);
        let Op::Atomic { op, args, .. } = &data.op else { return false };
        let is_one_place = !data.op.address_and_values().0.iter().any(|it| varies[it.index()]);
        let is_unused = data.results.iter().all(|it| self.uses[it.index()] == 0);
        is_one_place
            && op.fold().is_some()
            && !self.module.ty(args[0]).is_float()
            && (is_unused || is_word_inside(self.module, self.bytes, inst))
    }

    /// The reduction that only a joined operation uses, if it folds like that, and no slot uses the old value.
    fn reduction_for(&self, inst: Inst) -> Option<Value> {
        let data = self.module.inst(inst);
        let Op::Atomic { op, args, .. } = &data.op else { return None };
        let Op::Wave { op: WaveOp::Reduce(fold), lanes: None, .. } = self.module.op_of(args[0])?
        else {
            return None;
        };
        let is_unused = data.results.iter().all(|it| self.uses[it.index()] == 0);
        (is_unused && op.fold() == Some(*fold) && self.uses[args[0].index()] == 1)
            .then_some(args[0])
    }
}

impl Writer<'_> {
    /// Replaces an instruction that depends on the slot by itself. Returns whether it has.
    pub(crate) fn coarsens(&self, inst: Inst) -> bool {
        let Some(coarsening) = &self.coarsening else { return false };
        let data = self.source.inst(inst);
        let slot = coarsening.current.get();
        let own = |it: Shared| Shared((slot * self.source.groupshared.len()) as u32 + it.0);
        let mut op = data.op.clone();
        match &mut op {
            Op::Builtin(Builtin::GroupId(0)) => {
                self.set(data.results[0], coarsening.groups[slot]);
                return true;
            }
            Op::Builtin(Builtin::DispatchThreadId(0)) => {
                self.set(data.results[0], coarsening.threads[slot]);
                return true;
            }
            Op::SharedLoad { memory, .. }
            | Op::SharedStore { memory, .. }
            | Op::SharedAtomic { memory, .. } => *memory = own(*memory),
            _ => return false,
        }
        op.for_each_operand(|it| *it = self.get(*it));
        let new = self.results(self.add_like(op, &data.results));
        for (old, new) in data.results.iter().zip(new) {
            self.set(*old, new);
        }
        true
    }

    /// Appends the instructions of a region but its terminator, for all slots.
    fn coarse_list(&self, region: Region) {
        let Some((_, insts)) = self.source.region(region).insts.split_last() else { return };
        for inst in insts {
            self.coarse(*inst);
        }
    }

    fn coarse(&self, inst: Inst) {
        let Some(coarsening) = &self.coarsening else { return };
        let Coarsening { plan, slots, .. } = coarsening;
        let data = self.source.inst(inst);
        self.at(data.span);
        if !plan.varying.contains(&inst) {
            self.select(0);
            self.inst(inst);
            // Setting one selects another slot, which does not have the next.
            let news = self.get_all(&data.results);
            data.results.iter().zip(news).for_each(|(old, new)| self.set_in_all(*old, new));
            return;
        }
        match &data.op {
            Op::If { cond, then, else_ } if plan.opened.contains(&inst) => {
                let cond = self.get(*cond);
                let results: Vec<(bool, Value)> =
                    data.results.iter().map(|it| (plan.values[it.index()], *it)).collect();
                let arm = |region: Region| {
                    self.at(data.span);
                    self.coarse_list(region);
                    let yields = yielded(self.source, region).iter().zip(&results);
                    yields.flat_map(|(it, (varies, _))| self.get_in_all(*it, *varies)).collect()
                };
                let mut news = self.either(cond, || arm(*then), || arm(*else_)).into_iter();
                for (varies, result) in results {
                    let count = if varies { *slots } else { 1 };
                    let own: Values = news.by_ref().take(count).collect();
                    self.set_each(result, &own);
                }
            }
            Op::Wave { op: op @ WaveOp::Reduce(fold), args, lanes: None }
                if plan.folded.contains(&data.results[0]) =>
            {
                let all = self.fold_slots(*fold, &self.get_in_all(args[0], true));
                let op = Op::Wave { op: *op, args: ir::values![all], lanes: None };
                let folded = self.value(op, self.source.ty(data.results[0]));
                self.set_in_all(data.results[0], folded);
            }
            Op::Atomic { op, args, .. } if plan.joined.contains(&inst) => {
                let fold = op.fold();
                let fold = fold.unwrap_or_else(|| unreachable!("`joins` has found one"));
                let own = match plan.folded.contains(&args[0]) {
                    true => ir::values![self.get(args[0])],
                    false => self.get_in_all(args[0], true),
                };
                let mut joined = data.op.clone();
                joined.for_each_operand(|it| *it = self.get(*it));
                let all = self.fold_slots(fold, &own);
                if let Op::Atomic { args, .. } = &mut joined {
                    args[0] = all;
                }
                let results = self.results(self.add_like(joined, &data.results));
                let [mut old] = results[..] else { return };
                if plan.folded.contains(&args[0]) || fold != Fold::Sum {
                    // Nothing uses it.
                    self.set_in_all(data.results[0], old);
                    return;
                }
                for (slot, added) in own.iter().enumerate() {
                    self.select(slot);
                    self.set(data.results[0], old);
                    old = self.op2(Binary::Add, old, *added);
                }
            }
            _ => {
                for slot in 0..*slots {
                    self.select(slot);
                    self.inst(inst);
                }
            }
        }
    }

    fn fold_slots(&self, fold: Fold, values: &[Value]) -> Value {
        let folded = values.iter().copied().reduce(|a, b| self.op2(fold.binary(), a, b));
        folded.unwrap_or_else(|| unreachable!("there is a slot"))
    }

    /// Makes the values of a slot those of the writer.
    fn select(&self, slot: usize) {
        let Some(coarsening) = &self.coarsening else { return };
        let values = &mut *coarsening.values.borrow_mut();
        self.exchange(&mut values[coarsening.current.replace(slot)]);
        self.exchange(&mut values[slot]);
    }

    /// The new values of a value in all slots, or only in the first.
    fn get_in_all(&self, value: Value, all: bool) -> Values {
        let slots = self.coarsening.as_ref().map_or(1, |it| it.slots);
        let get = |slot: usize| {
            self.select(slot);
            self.get(value)
        };
        (0..if all { slots } else { 1 }).map(get).collect()
    }

    fn set_in_all(&self, value: Value, new: Value) {
        self.set_each(value, &[new]);
    }

    /// Sets the values of the slots in turn, the last of which counts for those after it.
    fn set_each(&self, value: Value, news: &[Value]) {
        let slots = self.coarsening.as_ref().map_or(1, |it| it.slots);
        for slot in 0..slots {
            self.select(slot);
            self.set(value, news[slot.min(news.len() - 1)]);
        }
    }
}
