//! Single instructions, slot by slot.

use ir::facts::Kind;
use ir::{Address, Inst, Op, Private, Value, Values};
use ops::wave::Sees;
use ops::{Relation, Ty, WaveOp};

use super::{SLOT_LANES, Slotted};

impl Slotted<'_> {
    /// An instruction that all lanes reach, and that is not a terminator.
    pub(super) fn inst(&mut self, inst: Inst) {
        let source = self.source;
        let data = source.inst(inst);
        self.writer.at(data.span);
        match &data.op {
            op if op.is_construct() => self.construct(inst),
            Op::Print { .. } => {}
            Op::Barrier { barrier, .. } => {
                self.writer.add(Op::Barrier { barrier: *barrier, lanes: None }, &[]);
            }
            Op::Wave { op, args, lanes } if op.facts().sees != Sees::Nothing => {
                debug_assert!(lanes.is_none(), "`legalize` expands functions with masks");
                let ty = args.first().map_or(Ty::Bool, |it| source.ty(*it));
                let news = self.wave(*op, ty, args);
                for (result, new) in data.results.iter().zip(&news) {
                    self.set_all(*result, new);
                }
            }
            Op::Derivative(of, value) => {
                let news = self.derivative(*of, *value);
                self.set_all(data.results[0], &news);
            }
            op if op.is_pure() && data.results.iter().all(|it| self.same.value(*it)) => {
                self.plain(inst, 0);
                for result in &data.results {
                    let new = self.get(0, *result);
                    (1..self.slots).for_each(|slot| self.set(slot, *result, new));
                }
            }
            _ => (0..self.slots).for_each(|slot| self.guarded(inst, slot)),
        }
    }

    /// An instruction for the active lanes of a slot. What only computes is done by all.
    fn guarded(&mut self, inst: Inst, slot: usize) {
        let source = self.source;
        let data = source.inst(inst);
        let act = self.act[slot];
        let is_access = matches!(data.op.effects().kind, Kind::Memory(..));
        // Loads from arrays test their bounds, so that any lane may load.
        let is_harmless = matches!(data.op, Op::SharedLoad { .. } | Op::PrivateLoad { .. });
        if !is_access || is_harmless || self.known(act) == Some(true) {
            return self.plain(inst, slot);
        }
        let zeros: Values =
            data.results.iter().map(|it| self.writer.constant(source.ty(*it), 0)).collect();
        if self.known(act) == Some(false) {
            for (result, zero) in data.results.iter().zip(zeros) {
                self.set(slot, *result, zero);
            }
            return;
        }
        let mut op = self.with_operands(&data.op, slot);
        if let Op::Load { at: Address::Within { when, .. }, .. }
        | Op::Store { at: Address::Within { when, .. }, .. }
        | Op::Atomic { at: Address::Within { when, .. }, .. } = &mut op
        {
            *when = Some(when.map_or(act, |it| self.and(act, it)));
            return self.emitted(inst, op, slot);
        }
        let branch = self.writer.construct_begins();
        self.writer.open(&[]);
        self.plain(inst, slot);
        let made: Values = data.results.iter().map(|it| self.get(slot, *it)).collect();
        let then = self.writer.close_with(&made);
        self.writer.open(&[]);
        let else_ = self.writer.close_with(&zeros);
        let types: Vec<Ty> = data.results.iter().map(|it| source.ty(*it)).collect();
        let news = self.writer.construct_ends(branch, Op::If { cond: act, then, else_ }, &types);
        for (result, new) in data.results.iter().zip(news) {
            self.set(slot, *result, new);
        }
    }

    /// An instruction for the lanes of a slot that execute it.
    pub(super) fn plain(&mut self, inst: Inst, slot: usize) {
        let source = self.source;
        let data = source.inst(inst);
        let one = |it: &mut Self, new: Value| it.set(slot, data.results[0], new);
        match &data.op {
            Op::Const { ty, bits } => {
                let new = self.writer.constant(*ty, *bits);
                one(self, new);
            }
            // Undefined in the language, zero in all our engines.
            Op::Undef(ty) => {
                let new = self.writer.constant(*ty, 0);
                one(self, new);
            }
            Op::Builtin(builtin) => {
                let new = self.threads.builtin(*builtin)[slot];
                one(self, new);
            }
            Op::Wave { op, .. } => {
                for (result, new) in data.results.iter().zip(self.place(*op, slot)) {
                    self.set(slot, *result, new);
                }
            }
            Op::Print { .. } => {}
            op => {
                let op = self.with_operands(op, slot);
                self.emitted(inst, op, slot);
            }
        }
    }

    fn emitted(&mut self, inst: Inst, op: Op, slot: usize) {
        let results = &self.source.inst(inst).results;
        let new = self.writer.add_like(op, results);
        for (result, new) in results.iter().zip(self.writer.results(new)) {
            self.set(slot, *result, new);
        }
    }

    /// The operation on values and private memory of a slot.
    fn with_operands(&self, op: &Op, slot: usize) -> Op {
        let mut op = op.clone();
        op.for_each_operand(|it| *it = self.get(slot, *it));
        if let Op::PrivateLoad { memory, .. } | Op::PrivateStore { memory, .. } = &mut op {
            *memory = Private((slot * self.source.privates.len()) as u32 + memory.0);
        }
        op
    }

    /// What a lane of a slot knows by its place.
    fn place(&self, op: WaveOp, slot: usize) -> Values {
        let writer = &self.writer;
        let own = |op| writer.wave_op(op, &[], &[Ty::I32]);
        let one = |value: Value| std::iter::once(value).collect();
        match op {
            WaveOp::LaneIndex => one(self.threads.lanes[slot]),
            WaveOp::LaneCount => one(writer.word(self.width)),
            // Waves are as many as they were.
            WaveOp::GroupWaveIndex | WaveOp::GroupWaveCount => own(op),
            WaveOp::IsHelperLane => one(self.no()),
            WaveOp::LaneRelation(relation) => {
                let inside = writer.wave_op(op, &[], &[Ty::I32; 4])[0];
                let (lower, upper) = match relation {
                    Relation::Equal => (0, 0),
                    Relation::Less | Relation::LessEqual => (u32::MAX, 0),
                    Relation::Greater | Relation::GreaterEqual => (0, u32::MAX),
                };
                let word = |index: usize| match index {
                    index if index >= self.slots => writer.word(0),
                    index if index < slot => writer.word(lower),
                    index if index > slot => writer.word(upper),
                    _ => inside,
                };
                (0..(128 / SLOT_LANES) as usize).map(word).collect()
            }
            _ => unreachable!("{op:?} depends on the active lanes"),
        }
    }
}
