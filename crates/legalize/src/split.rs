//! Splits a program at its reservation, so that several threads give it the numbers that one thread would have given.
//!
//! A *reservation* is an atomic addition whose result is used: the counter of a stream compaction, an append buffer, a
//! ticket. Its results depend on the order of waves. This is the parallel prefix sum over waves (reduce, then scan):
//! the module *count* has what the waves add, and does nothing else; the module *place* is the program, with the sum of
//! all earlier waves in place of the counter. Both find the word of their wave, its *slot*, in a hidden buffer that the
//! engine moves on by one slot after each wave. The fast engine runs them batch by batch, and passes sums from batch to
//! batch.
//!
//! Deliberately absent: stores by several waves to the same place. Their order shows on several threads, with a
//! reservation or without.

use std::collections::BTreeSet;

use ir::facts::{Kind, Space};
use ir::flow::Structure;
use ir::rewrite::{Rewriter, rewrite};
use ir::uniformity::Uniformities;
use ir::{
    Address, Atomic, Binding, Chosen, Inst, Module, Op, Place, Region, Register, RegisterClass,
    Resource, ResourceKind, Span, Value, ValueDef, Values, values,
};
use ops::{Binary, Fold, Sign, Ty, Unary, WaveOp};

use crate::sweep::sweep;

/// The counter of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    pub binding: Binding,
    pub at: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// A number of bytes at an offset into the buffer. They are in bounds if the buffer has `end` bytes.
    Bytes { offset: u64, bytes: u32, end: u64 },
    /// The hidden counter of the buffer.
    Hidden,
}

/// The two halves of a program.
pub struct Halves {
    pub count: Module,
    pub place: Module,
    pub counter: Counter,
    /// The hidden buffer in both.
    pub slots: Binding,
    /// The bytes that a lane reads to count.
    pub bytes: u64,
}

/// The bytes of a slot.
pub const SLOT: usize = 8;

/// Whether waves can observe in which order they change memory, because the result of an atomic operation is used.
/// Groupshared memory does not count: a group keeps the order of its waves on any number of threads.
pub fn sees_order(module: &Module) -> bool {
    let used = ir::flow::used(module);
    insts(module).any(|it| is_ordered(module, &used, it))
}

fn insts(module: &Module) -> impl Iterator<Item = Inst> {
    module.regions.iter().flat_map(|it| it.insts.iter().copied())
}

fn is_ordered(module: &Module, used: &[bool], inst: Inst) -> bool {
    let data = module.inst(inst);
    let effects = data.op.effects();
    let is_shared = matches!(effects.memory(), Some((Space::Shared(_), _)));
    effects.is_atomic() && !is_shared && data.results.iter().any(|it| used[it.index()])
}

/// Splits a program, or says why that is not possible.
///
/// It is split if all of this holds:
/// - One atomic operation with a used result, an addition or a change of a hidden counter. Others would need an order
///   of their own. Atomic operations with unused results commute, except exchanges.
/// - It is at a constant address of one buffer, so that it has one counter, and no other operation accesses this, since
///   its contents are wrong until the end.
/// - It is not in a loop, so that a wave has one slot.
/// - There are no barriers and no groupshared memory, so that waves are counted one by one, each from start to end.
/// - No buffer is both read and written, so that a wave reads the same when it is counted as when it runs, before
///   earlier waves have run and after. Neither can it observe the order of waves in any other way.
///
/// Stores and prints before the reservation are not an obstacle then: counting omits them.
pub fn split(module: &Module) -> Result<Halves, &'static str> {
    let used = ir::flow::used(module);
    let mut ordered = insts(module).filter(|it| is_ordered(module, &used, *it));
    let Some(inst) = ordered.next() else { return Err("no result of an atomic operation is used") };
    if ordered.next().is_some() {
        return Err("several atomic operations have results that are used");
    }
    let (binding, at) = counter(module, inst)?;
    let structure = Structure::of(module);
    let is_loop = |it: Inst| matches!(module.inst(it).op, Op::Loop { .. });
    if std::iter::successors(structure.parent(inst), |it| structure.parent(*it)).any(is_loop) {
        return Err("the counter changes in a loop");
    }
    check_others(module, inst, &used)?;
    let cut = Cut::at(module, &structure, inst);
    let uniformity = ir::uniformity::analyse(module);
    let is_uniform = match &module.inst(inst).op {
        Op::Atomic { args, .. } => uniformity.is_uniform(args[0]),
        _ => true,
    };
    let reservation =
        Reservation { inst, slots: Binding(module.resources.len() as u32), is_uniform, cut };
    let count = reservation.count(module);
    let place = reservation.place(module);
    let uniformity = ir::uniformity::analyse(&count);
    let bytes = insts(&count).map(|it| bytes_read(&count, &uniformity, it)).sum();
    let counter = Counter { binding, at };
    Ok(Halves { bytes, count, place, counter, slots: reservation.slots })
}

/// Where the reservation counts.
fn counter(module: &Module, inst: Inst) -> Result<(Binding, At), &'static str> {
    let op = &module.inst(inst).op;
    let (place, at) = match op {
        Op::Counter { place, .. } => (*place, At::Hidden),
        Op::Atomic { place, at, op: Atomic::Add, args } => {
            let bytes = module.ty(args[0]).bytes();
            let constant =
                |it: Value| module.constant(it).ok_or("the counter is not at a constant address");
            let (offset, end) = match (*at, &module.resource(place.binding).kind) {
                (Address::Byte(at), ResourceKind::Raw { .. }) => {
                    let offset = constant(at)?;
                    (offset, offset + u64::from(bytes))
                }
                (
                    Address::Structured { index, offset },
                    ResourceKind::Structured { stride, .. },
                ) => {
                    let (index, offset) = (constant(index)?, constant(offset)?);
                    let stride = u64::from(*stride);
                    if offset + u64::from(bytes) > stride {
                        return Err("the counter is not in an element of the buffer");
                    }
                    (index * stride + offset, (index + 1) * stride)
                }
                _ => return Err("the counter is in a typed buffer"),
            };
            (*place, At::Bytes { offset, bytes, end })
        }
        Op::Atomic { .. } => {
            return Err("the atomic operation whose result is used is not an addition");
        }
        _ => return Err("the counter is in a texture"),
    };
    if place.element.is_some() || module.resource(place.binding).register.class.is_heap() {
        return Err("the counter is in an array of buffers");
    }
    if module.shares_memory(place.binding) {
        return Err("the counter has two names");
    }
    Ok((place.binding, at))
}

/// The conditions on all other instructions.
fn check_others(module: &Module, reservation: Inst, used: &[bool]) -> Result<(), &'static str> {
    let counter = space(module, reservation);
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    for inst in insts(module).filter(|it| *it != reservation) {
        let op = &module.inst(inst).op;
        if op.effects().kind == Kind::Barrier {
            return Err("the program has barriers");
        }
        if matches!(op, Op::Atomic { op, .. } if op.fold().is_none()) {
            return Err("the program exchanges values in memory");
        }
        let Some(place) = space(module, inst) else {
            match op.effects().memory() {
                Some((Space::Shared(_), _)) => return Err("the program uses groupshared memory"),
                _ => continue,
            }
        };
        if Some(place) == counter {
            return Err("the counter is also accessed in another way");
        }
        let Some((_, access)) = op.effects().memory() else { continue };
        // An atomic operation whose result is not used only writes.
        let sees = !op.effects().is_atomic()
            || module.inst(inst).results.iter().any(|it| used[it.index()]);
        if access.reads() && sees {
            read.insert(place);
        }
        if access.writes() {
            written.insert(place);
        }
    }
    if read.is_disjoint(&written) {
        Ok(())
    } else {
        Err("the program reads a buffer that it also writes")
    }
}

/// The buffer that an instruction accesses, and whether it is its hidden counter.
fn space(module: &Module, inst: Inst) -> Option<(u32, bool)> {
    match module.inst(inst).op.effects().memory()?.0 {
        Space::Resource(place) => Some((module.storage(place.binding).0, false)),
        Space::Counter(place) => Some((module.storage(place.binding).0, true)),
        Space::Shared(_) | Space::Private(_) | Space::Queries => None,
    }
}

/// The bytes that an instruction reads for each lane.
fn bytes_read(module: &Module, uniformity: &Uniformities, inst: Inst) -> u64 {
    let data = module.inst(inst);
    match &data.op {
        Op::Load { at, .. } if at.operands().all(|it| uniformity.is_uniform(it)) => 0,
        Op::Load { .. } => data.results.iter().map(|it| u64::from(module.ty(*it).bytes())).sum(),
        _ => 0,
    }
}

/// The places behind which nothing remains of the program that counts.
struct Cut {
    /// The reservation, and the constructs around it.
    path: BTreeSet<Inst>,
    /// Regions that lanes enter only after the reservation.
    later: BTreeSet<Region>,
}

impl Cut {
    fn at(module: &Module, structure: &Structure, inst: Inst) -> Cut {
        let mut cut = Cut { path: BTreeSet::from([inst]), later: BTreeSet::new() };
        let mut inside = structure.region(inst);
        while let Some(around) = structure.owner(inside) {
            cut.path.insert(around);
            let regions = module.inst(around).op.regions();
            cut.later.extend(regions.into_iter().skip_while(|it| *it != inside).skip(1));
            inside = structure.region(around);
        }
        cut
    }
}

struct Reservation {
    inst: Inst,
    slots: Binding,
    /// Whether all lanes add the same.
    is_uniform: bool,
    cut: Cut,
}

impl Reservation {
    /// The program up to the reservation, without effects, where the sum of what the lanes add goes into the wave's
    /// slot.
    fn count(&self, module: &Module) -> Module {
        let mut count = with_slots(module);
        let mut over: BTreeSet<Region> = BTreeSet::new();
        rewrite(&mut count, |rewriter, region, inst| {
            if over.contains(&region) {
                return;
            }
            if self.cut.later.contains(&region) {
                rewriter.inst(Op::Return, &[]);
                over.insert(region);
                return;
            }
            let effects = rewriter.module.inst(inst).op.effects();
            let is_private = effects.memory().is_some_and(|it| it.0.is_private());
            if inst == self.inst {
                self.leave_total(rewriter);
            } else if !effects.acts() || is_private {
                rewriter.keep(inst);
            }
            if self.cut.path.contains(&inst) {
                rewriter.inst(Op::Return, &[]);
                over.insert(region);
            }
        });
        sweep(&mut count, is_silent);
        count
    }

    /// The type of the counter, and what each lane adds.
    fn operand(&self, rewriter: &mut Rewriter<'_>) -> (Ty, Value) {
        match &rewriter.module.inst(self.inst).op {
            Op::Atomic { args, .. } => (rewriter.module.ty(args[0]), args[0]),
            Op::Counter { delta, .. } => {
                let bits = u64::from(*delta as u32);
                (Ty::I32, rewriter.constant(Ty::I32, bits))
            }
            _ => unreachable!("a reservation is an addition or changes a hidden counter"),
        }
    }

    /// The operand times a number of active lanes.
    fn times(&self, rewriter: &mut Rewriter<'_>, op: WaveOp, operand: Value, ty: Ty) -> Value {
        let all = rewriter.constant(Ty::Bool, 1);
        let lanes = rewriter.value(Op::Wave { op, args: values![all], lanes: None }, Ty::I32);
        let lanes = converted(rewriter, lanes, ty);
        rewriter.value(Op::Binary(Binary::Mul, operand, lanes), ty)
    }

    fn leave_total(&self, rewriter: &mut Rewriter<'_>) {
        let (ty, operand) = self.operand(rewriter);
        let total = match self.is_uniform {
            true => self.times(rewriter, WaveOp::CountBits, operand, ty),
            false => {
                let op = WaveOp::Reduce(Fold::Sum);
                rewriter.value(Op::Wave { op, args: values![operand], lanes: None }, ty)
            }
        };
        let words = words_of(rewriter, total, ty);
        let (place, at) = self.slot(rewriter);
        rewriter.inst(Op::Store { place, at, values: words }, &[]);
    }

    /// The program with a load from the wave's slot in place of the reservation: each lane gets the sum of all earlier
    /// waves and of the lanes below it.
    fn place(&self, module: &Module) -> Module {
        let is_single = self.is_single(module);
        let mut placed = with_slots(module);
        rewrite(&mut placed, |rewriter, _, inst| {
            if inst != self.inst {
                return rewriter.keep(inst);
            }
            let (ty, operand) = self.operand(rewriter);
            let delta = match rewriter.module.inst(inst).op {
                Op::Counter { delta, .. } => delta,
                _ => 0,
            };
            let (place, at) = self.slot(rewriter);
            let words = [Ty::I32; 2];
            let loaded = rewriter.inst(Op::Load { place, at }, &words[..(ty.bytes() / 4) as usize]);
            let loaded = rewriter.module.inst(loaded).results.clone();
            let mut sum = value_of(rewriter, &loaded, ty);
            if !is_single {
                let below = match self.is_uniform {
                    true => self.times(rewriter, WaveOp::PrefixCountBits, operand, ty),
                    false => {
                        let op = WaveOp::Scan(Fold::Sum);
                        rewriter.value(Op::Wave { op, args: values![operand], lanes: None }, ty)
                    }
                };
                sum = rewriter.value(Op::Binary(Binary::Add, sum, below), ty);
            }
            if delta < 0 {
                // What the counter is afterwards.
                sum = rewriter.value(Op::Binary(Binary::Add, sum, operand), ty);
            }
            let Some(seen) = rewriter.module.inst(inst).results.first().copied() else { return };
            let ValueDef::Result(maker, at) = rewriter.module.values[sum.index()].def else {
                unreachable!("a sum is the result of an instruction")
            };
            rewriter.module.insts[maker.index()].results[at as usize] = seen;
            rewriter.module.values[seen.index()].def = ValueDef::Result(maker, at);
        });
        ir::simplify::prune(&mut placed);
        placed
    }

    /// Whether only the first lane gets there.
    fn is_single(&self, module: &Module) -> bool {
        let structure = Structure::of(module);
        let region = structure.region(self.inst);
        let Some(Op::If { cond, then, .. }) = structure.owner(region).map(|it| &module.inst(it).op)
        else {
            return false;
        };
        let Some(cond) = module.made_by(*cond) else { return false };
        *then == region
            && matches!(module.inst(cond).op, Op::Wave { op: WaveOp::IsFirstLane, lanes: None, .. })
    }

    fn slot(&self, rewriter: &mut Rewriter<'_>) -> (Place, Address) {
        let at = rewriter.constant(Ty::I32, 0);
        (Place { binding: self.slots, element: None }, Address::Byte(at))
    }
}

fn converted(rewriter: &mut Rewriter<'_>, value: Value, to: Ty) -> Value {
    if rewriter.module.ty(value) == to {
        return value;
    }
    let op = Unary::Convert { to, from_sign: Sign::Unsigned, to_sign: Sign::Unsigned };
    rewriter.value(Op::Unary(op, value), to)
}

/// A value as words, the low one first.
fn words_of(rewriter: &mut Rewriter<'_>, value: Value, ty: Ty) -> Values {
    if ty == Ty::I32 {
        return values![value];
    }
    let count = rewriter.constant(ty, 32);
    let high = rewriter.value(Op::Binary(Binary::Shr(Sign::Unsigned), value, count), ty);
    values![converted(rewriter, value, Ty::I32), converted(rewriter, high, Ty::I32)]
}

/// The value with these words.
fn value_of(rewriter: &mut Rewriter<'_>, words: &[Value], ty: Ty) -> Value {
    let [low, high] = *words else { return words[0] };
    let count = rewriter.constant(ty, 32);
    let high = converted(rewriter, high, ty);
    let high = rewriter.value(Op::Binary(Binary::Shl, high, count), ty);
    let low = converted(rewriter, low, ty);
    rewriter.value(Op::Binary(Binary::Or, low, high), ty)
}

/// A copy of the module with the hidden buffer of slots.
fn with_slots(module: &Module) -> Module {
    let mut copy = module.clone();
    let none = u32::MAX;
    copy.resources.push(Resource {
        name: "the slots of waves".to_owned(),
        kind: ResourceKind::Raw { writable: true },
        count: Some(1),
        register: Register { class: RegisterClass::Unordered, index: none, space: none },
        chosen: Chosen::Counted,
        globally_coherent: false,
        alias_of: None,
        used: true,
        span: Span::NONE,
    });
    copy
}

/// Whether an instruction does nothing but compute its results.
fn is_silent(module: &Module, inst: Inst) -> bool {
    if module.inst(inst).op.is_terminator() || ir::rounds::leaves_beyond(module, inst) {
        return false;
    }
    let mut open = vec![inst];
    while let Some(inst) = open.pop() {
        let op = &module.inst(inst).op;
        if op.effects().acts() {
            return false;
        }
        open.extend(
            op.regions().into_iter().flat_map(|it| module.region(it).insts.iter().copied()),
        );
    }
    true
}
