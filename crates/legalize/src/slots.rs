//! Waves wider than those of the device: a lane of the device holds several lanes of the wave, its *slots*. Lane `l`
//! of the wave is slot `l / 32` of the device's lane `l % 32`.
//!
//! Each value becomes one for each slot, unless it is the same in all of them ([`same`]). Which slots are active is
//! values, too: *flags*, one `bool` for each slot. All lanes of the device walk together through what observes lanes
//! ([`control`]), so that the new module's own active set never matters there; other constructs are copied for each
//! slot ([`natural`]). An access to memory is made under the flag of its slot ([`single`]), and an operation on the
//! wave becomes operations on the device's waves, all of whose lanes take part, joined across slots ([`lanes`]).
//!
//! Each instruction is done for the lowest slot first, so that what lanes do in one instruction is in the order of
//! lanes. A construct is only copied for each slot if its lanes cannot observe one another's progress
//! ([`crate::constructs`]).
//!
//! Groups shrink: waves stay as many as they were. Groups smaller than a wave, and waves that are partly empty, have
//! slots or lanes that are never active.
//!
//! Deliberately absent: what has been legalised before, such as functions with masks of lanes and rotations; printing,
//! which no kernel does.

mod control;
mod lanes;
mod natural;
mod same;
mod single;
mod thread;

use std::collections::BTreeMap;

use ir::{Inst, Module, Op, Value, Values, WaveSize};
use ops::{Binary, SyncScope, Ty, Unary, WaveOp};

use crate::constructs::Constructs;
use crate::target::Target;
use crate::writer::Writer;

use natural::Natural;
use same::Same;
use thread::Threads;

/// The lanes of the device's waves.
pub const SLOT_LANES: u32 = 32;

/// A value for each slot.
type Slots = Vec<Value>;

/// The lanes that have left to the end of a construct, and what they brought as its results.
#[derive(Clone)]
struct Left {
    out: Slots,
    results: Vec<Slots>,
}

struct Slotted<'a> {
    writer: Writer<'a>,
    source: &'a Module,
    width: u32,
    slots: usize,
    constructs: Constructs,
    same: Same,
    /// The new value of each value of the source, in each slot.
    values: Vec<Vec<Option<Value>>>,
    /// The active lanes.
    act: Slots,
    /// The lanes that have not returned, if an instruction needs them.
    live: Option<Slots>,
    /// For each construct around the instruction that lanes leave one by one, those that have left.
    left: BTreeMap<Inst, Left>,
    /// The new construct of each that all lanes leave together.
    together: BTreeMap<Inst, Inst>,
    /// The construct that is being copied for one slot.
    natural: Option<Natural>,
    /// Sets of active lanes that have been computed: their flag, and the word.
    masks: Vec<(Value, Value)>,
    threads: Threads,
}

/// The module for waves of [`SLOT_LANES`] lanes that does what a legalised compute shader does in waves of `width`, a
/// multiple of it.
pub fn in_slots(module: &Module, width: u32) -> Module {
    let target = Target::everything();
    let slots = (width / SLOT_LANES) as usize;
    let writer = Writer::new(module, &target);
    let constructs = Constructs::of(module);
    let same = Same::of(module, &constructs);
    let threads = Threads::of(&writer, width);
    let mut pass = Slotted {
        source: module,
        width,
        slots,
        constructs,
        same,
        values: vec![vec![None; module.values.len()]; slots],
        act: threads.exist.clone(),
        live: None,
        left: BTreeMap::new(),
        together: BTreeMap::new(),
        natural: None,
        masks: Vec::new(),
        threads,
        writer,
    };
    if has_group_barriers(module) && pass.constructs.of_region(module.body).returns {
        pass.live = Some(pass.act.clone());
    }
    pass.linear(module.body);
    pass.writer.add(Op::Yield(Values::new()), &[]);
    let mut new = pass.writer.finish();
    new.group_size = [module.threads_per_group().div_ceil(width) * SLOT_LANES, 1, 1];
    new.wave_size = WaveSize::default();
    new.variables.clear();
    new.privates = (0..slots).flat_map(|_| module.privates.iter().cloned()).collect();
    ir::simplify::prune(&mut new);
    new.summarise();
    new
}

fn has_group_barriers(module: &Module) -> bool {
    module.insts.iter().any(|it| match it.op {
        Op::Barrier { barrier, .. } => barrier.sync == SyncScope::Group,
        _ => false,
    })
}

impl Slotted<'_> {
    // Values.

    fn get(&self, slot: usize, value: Value) -> Value {
        self.values[slot][value.index()].unwrap_or_else(|| {
            unreachable!("the verifier has checked that operands are defined before they are used")
        })
    }

    /// The value in each slot.
    fn all(&self, value: Value) -> Slots {
        (0..self.slots).map(|it| self.get(it, value)).collect()
    }

    fn set(&mut self, slot: usize, value: Value, new: Value) {
        self.values[slot][value.index()] = Some(new);
    }

    fn set_all(&mut self, value: Value, new: &[Value]) {
        let is_same = self.same.value(value);
        for slot in 0..self.slots {
            self.set(slot, value, new[if is_same { 0 } else { slot }]);
        }
    }

    /// Zeros in each slot.
    fn zeros(&self, ty: Ty) -> Slots {
        vec![self.writer.constant(ty, 0); self.slots]
    }

    fn no(&self) -> Value {
        self.writer.constant(Ty::Bool, 0)
    }

    fn never(&self) -> Slots {
        vec![self.no(); self.slots]
    }

    // Formulas, with constants folded.

    fn known(&self, truth: Value) -> Option<bool> {
        self.writer.known(truth).map(|it| it & 1 == 1)
    }

    fn and(&self, a: Value, b: Value) -> Value {
        match (self.known(a), self.known(b)) {
            (Some(false), _) | (_, Some(true)) => a,
            (Some(true), _) | (_, Some(false)) => b,
            _ if a == b => a,
            _ => self.writer.both(a, b),
        }
    }

    fn or(&self, a: Value, b: Value) -> Value {
        match (self.known(a), self.known(b)) {
            (Some(true), _) | (_, Some(false)) => a,
            (Some(false), _) | (_, Some(true)) => b,
            _ if a == b => a,
            _ => self.writer.op2(Binary::Or, a, b),
        }
    }

    fn not(&self, a: Value) -> Value {
        match self.known(a) {
            Some(truth) => self.writer.constant(Ty::Bool, u64::from(!truth)),
            None => self.writer.op1(Unary::Not, a),
        }
    }

    fn choose(&self, cond: Value, yes: Value, no: Value) -> Value {
        match self.known(cond) {
            Some(truth) => {
                if truth {
                    yes
                } else {
                    no
                }
            }
            None if yes == no => yes,
            None => self.writer.choose(cond, yes, no),
        }
    }

    fn any_of(&self, truths: &[Value]) -> Value {
        truths.iter().copied().fold(self.no(), |any, it| self.or(any, it))
    }

    /// Whether something holds in any lane of any slot.
    fn any(&self, truths: &[Value]) -> Value {
        let any = self.any_of(truths);
        match self.known(any) {
            Some(_) => any,
            None => self.writer.wave_op(WaveOp::AnyTrue, &[any], &[Ty::Bool])[0],
        }
    }
}
