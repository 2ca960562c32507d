//! One atomic addition for each group: where every wave of a group reserves a part of a buffer, as compaction does, by
//! an addition whose result is used, the group adds the sum of all parts at once, and each wave gets its own from a
//! prefix sum over the waves.
//!
//! The order in which waves reserve is one that the language allows: they reserve in the order of their numbers, and
//! nothing comes between them. The difference cannot be observed otherwise under these conditions:
//! - *All come.* The addition is an instruction of the body, or in an `if` of the body that does nothing else but
//!   arithmetic; no lane returns early, so that all waves reach the barriers around it.
//! - *One place.* The element is the same in all lanes, and is in bounds.
//! - *There is no waiting.* No loop reads memory that the module can write, since a wave that waited for another's
//!   addition would wait for a wave that waits at the barrier.
//! - *Whole waves*, at most as many in a group as a wave has lanes.
//!
//! Deliberately absent: other operations than the addition of words; elements that differ between groups.

use std::collections::BTreeMap;

use ir::{
    Address, Atomic, Builtin, Inst, Memory, Module, Op, Place, Region, ResourceKind, Shared, Value,
    values,
};
use ops::intrinsics::Stage;
use ops::{Barrier, Binary, Compare, Fold, MemoryScope, Sign, SyncScope, Ty, WaveOp};

use crate::merged::returns_or_waits;
use crate::target::Target;
use crate::writer::Writer;

/// The most groupshared memory, in bytes, with which a group reserves at once.
const MOST_SHARED: u64 = 32 << 10;

/// The additions that groups do at once.
pub(crate) struct Aggregating {
    /// The instructions of the body that are replaced: the addition, or the `if` around it, and the number of the
    /// groupshared array in which the waves leave their parts.
    places: BTreeMap<Inst, (Inst, Shared)>,
    waves: u32,
}

/// The new module, for waves of a width. `bytes` are the sizes of the buffers that are bound to each resource. `None`
/// if nothing is gained, or a condition does not hold.
pub fn aggregated(module: &Module, width: u32, bytes: &[usize]) -> Option<Module> {
    let module = &*ir::notes::without(module);
    let threads = module.threads_per_group();
    let waves = threads / width;
    if module.stage != Stage::Compute
        || module.io.is_some()
        || module.group.is_some()
        || !threads.is_multiple_of(width)
        || !(2..=width).contains(&waves)
        || module.groupshared_bytes() > MOST_SHARED
        || returns_or_waits(module, |_| false)
    {
        return None;
    }
    let used = ir::flow::used(module);
    let first = module.groupshared.len() as u32;
    let mut places = BTreeMap::new();
    for inst in &module.region(module.body).insts {
        if let Some(atomic) = reserving(module, &used, bytes, *inst) {
            places.insert(*inst, (atomic, Shared(first + places.len() as u32)));
        }
    }
    if places.is_empty() {
        return None;
    }
    let target = Target::everything();
    let mut writer = Writer::new(module, &target);
    let count = places.len();
    writer.aggregating = Some(Aggregating { places, waves });
    writer.list(module.body);
    let mut new = writer.finish();
    for number in 0..count {
        new.groupshared.push(Memory {
            name: format!("parts.{number}"),
            ty: Ty::I32,
            len: waves + 1,
            span: ir::Span::NONE,
        });
    }
    new.needs.wave_ops = true;
    Some(new)
}

/// The addition that an instruction of the body is, or that its `if` contains.
fn reserving(module: &Module, used: &[bool], bytes: &[usize], inst: Inst) -> Option<Inst> {
    let reserves = |inst: Inst| {
        let results = &module.inst(inst).results;
        is_word_inside(module, bytes, inst) && results.iter().any(|it| used[it.index()])
    };
    let Op::If { then, else_, .. } = module.inst(inst).op else {
        return reserves(inst).then_some(inst);
    };
    let mut others = [then, else_]
        .into_iter()
        .flat_map(|region| &module.region(region).insts)
        .filter(|it| !module.inst(**it).op.is_pure());
    // In textual order: the addition and the yields.
    let is_yield =
        |it: Option<&Inst>| it.is_some_and(|it| matches!(module.inst(*it).op, Op::Yield(_)));
    let atomic = *others.next()?;
    let rest = is_yield(others.next()) && is_yield(others.next()) && others.next().is_none();
    (reserves(atomic) && rest && module.region(then).insts.contains(&atomic)).then_some(atomic)
}

/// Whether an instruction is an addition to a word of a buffer that is the same for all lanes, and in bounds.
pub(crate) fn is_word_inside(module: &Module, bytes: &[usize], inst: Inst) -> bool {
    let Op::Atomic { place, at: Address::Structured { index, offset }, op, args } =
        &module.inst(inst).op
    else {
        return false;
    };
    let resource = module.resource(place.binding);
    let ResourceKind::Structured { stride, .. } = resource.kind else { return false };
    let (Some(index), Some(offset)) = (module.constant(*index), module.constant(*offset)) else {
        return false;
    };
    let size = bytes.get(place.binding.index()).copied().unwrap_or(0) as u64;
    let elements = size / u64::from(stride.max(1));
    *op == Atomic::Add
        && module.ty(args[0]) == Ty::I32
        && place.element.is_none()
        && resource.count == Some(1)
        && index < elements
        && offset % 4 == 0
        && offset + 4 <= u64::from(stride)
}

impl Writer<'_> {
    /// Replaces an addition, or the `if` around it. Returns whether it has.
    pub(crate) fn aggregates(&self, inst: Inst) -> bool {
        let Some(aggregating) = &self.aggregating else { return false };
        let Some((atomic, memory)) = aggregating.places.get(&inst) else { return false };
        let data = self.source.inst(inst);
        let Op::If { cond, then, else_ } = data.op else {
            self.reserved(inst, *memory, aggregating.waves, None);
            return true;
        };
        // All lanes compute what either arm does.
        let arm = |region: Region| {
            for inst in &self.source.region(region).insts {
                match &self.source.inst(*inst).op {
                    Op::Yield(values) => return self.get_all(values),
                    _ if inst == atomic => {
                        self.reserved(*inst, *memory, aggregating.waves, Some(cond));
                    }
                    _ => self.inst(*inst),
                }
            }
            unreachable!("the verifier has checked that a region ends in a terminator")
        };
        let yields = [arm(then), arm(else_)];
        let cond = self.get(cond);
        for (result, (yes, no)) in data.results.iter().zip(yields[0].iter().zip(&yields[1])) {
            self.set(*result, self.choose(cond, *yes, *no));
        }
        true
    }

    /// Adds the sum of what all lanes add for which a condition holds, and sets the result of the addition.
    fn reserved(&self, atomic: Inst, memory: Shared, waves: u32, cond: Option<Value>) {
        let data = self.source.inst(atomic);
        let Op::Atomic { place, at: Address::Structured { index, offset }, op, args } = &data.op
        else {
            unreachable!("`reserving` has found an addition to a structured buffer")
        };
        let (op, place): (Atomic, Place) = (*op, *place);
        let at = Address::Structured { index: self.get(*index), offset: self.get(*offset) };
        let amount = self.get(args[0]);
        let zero = self.word(0);
        let wave_op = |op: WaveOp, args: &[Value], ty: Ty| {
            self.value(Op::Wave { op, args: args.iter().copied().collect(), lanes: None }, ty)
        };
        let is_one_lane = cond.is_some_and(|it| {
            matches!(self.source.op_of(it), Some(Op::Wave { op: WaveOp::IsFirstLane, .. }))
        });
        let cond = cond.map(|it| self.get(it));
        let (own, sum, first) = match cond {
            Some(first) if is_one_lane => (zero, amount, first),
            cond => {
                let added = cond.map_or(amount, |it| self.choose(it, amount, zero));
                let own = wave_op(WaveOp::Scan(Fold::Sum), &[added], Ty::I32);
                let sum = wave_op(WaveOp::Reduce(Fold::Sum), &[added], Ty::I32);
                (own, sum, wave_op(WaveOp::IsFirstLane, &[], Ty::Bool))
            }
        };
        let wave = wave_op(WaveOp::GroupWaveIndex, &[], Ty::I32);
        let store = |index: Value, value: Value| {
            self.add(Op::SharedStore { memory, index, value }, &[]);
        };
        let load = |index: Value| self.value(Op::SharedLoad { memory, index }, Ty::I32);
        let leave = || {
            store(wave, sum);
            []
        };
        self.branch(first, leave, || []);
        let barrier = Barrier { memory: MemoryScope::Group, sync: SyncScope::Group };
        self.add(Op::Barrier { barrier, lanes: None }, &[]);

        // Each lane has the part of the wave of its number.
        let lane = wave_op(WaveOp::LaneIndex, &[], Ty::I32);
        let below = |limit: Value| self.test(Compare::Lt(Sign::Unsigned), lane, limit);
        let part = load(self.with(Binary::Min(Sign::Unsigned), lane, u64::from(waves - 1)));
        let sum_below = |limit: Value| {
            let part = self.choose(below(limit), part, zero);
            wave_op(WaveOp::Reduce(Fold::Sum), &[part], Ty::I32)
        };
        let (all, lower) = (sum_below(self.word(waves)), sum_below(wave));
        let thread = self.value(Op::Builtin(Builtin::GroupIndex), Ty::I32);
        let leads = self.test(Compare::Eq, thread, zero);
        let add = || {
            let op = Op::Atomic { place, at, op, args: values![all] };
            let old = self.value(op, Ty::I32);
            store(self.word(waves), old);
            []
        };
        self.branch(leads, add, || []);
        self.add(Op::Barrier { barrier, lanes: None }, &[]);
        let start = self.op2(Binary::Add, load(self.word(waves)), lower);
        let old = self.op2(Binary::Add, start, own);
        for result in &data.results {
            self.set(*result, old);
        }
    }
}
