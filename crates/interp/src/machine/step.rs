//! The interpreter loop: a wave's turn, one step for each instruction of the flat program.
//!
//! A step is an arm of one `match`, and the method that it calls. Memory, textures, ray queries and wave operations are
//! in separate files.
//!
//! PERF: all methods of [`Turning`] are inlined into the loop, which keeps its fields in registers.

use ir::print::PrintEvent;
use ir::stage::EvalPlace;
use ir::turns::ROUNDS;
use ir::{Builtin, Inst, Slot};
use ops::scalar::Hazard;
use ops::wave::Lanes;
use ops::{Binary, Compare, LaneMask, SyncScope, Ternary, Ty, Unary};

use super::{GroupContext, MOST_EFFORT, Machine, Stop, Turn, WaveState};
use crate::HelperPolicy;
use crate::buffers::for_each_lane;
use crate::code::{Code, EvalAt, Row, SwitchCode, Target};
use crate::observe::{
    At, BarrierEvent, DiscardEvent, DivergeEvent, EvalEvent, ExitTo, NoteEvent, Observer,
    OutputEvent,
};
use crate::registers::Registers;
use crate::waves::StageRun;

/// A wave during its turn.
struct Turning<'t, 'a, 'g, O> {
    machine: &'t mut Machine<'a, O>,
    group: &'t mut GroupContext<'g>,
    wave: &'t mut WaveState,
    /// The instruction that is executed, and the one after it.
    here: usize,
    next: usize,
    /// If no lane is active after a control instruction, execution continues elsewhere.
    active: LaneMask,
    /// What is left of the turn, in instructions and in loop iterations.
    left: u64,
    rounds: u32,
    effort: u64,
    /// The bit of the wave width in [`Code::Next`].
    width_bit: u8,
}

impl<O: Observer> Machine<'_, O> {
    /// Runs a wave for a turn; afterwards, `turn.instructions` is what is left of it.
    pub(crate) fn run(
        &mut self,
        group: &mut GroupContext<'_>,
        wave: &mut WaveState,
        turn: &mut Turn,
    ) -> Stop {
        let mut it = Turning {
            here: wave.pc,
            next: wave.pc,
            active: wave.active,
            left: turn.instructions,
            rounds: wave.rounds,
            effort: turn.effort,
            width_bit: 1 << (self.width.trailing_zeros().saturating_sub(2) & 7),
            machine: self,
            group,
            wave,
        };
        let stop = loop {
            if it.left == 0 {
                break Stop::Budget;
            }
            it.left -= 1;
            it.here = it.next;
            it.next += 1;
            if let Some(stop) = it.step() {
                break stop;
            }
        };
        turn.instructions = it.left;
        turn.effort = it.effort;
        it.wave.rounds = if stop == Stop::Barrier { ROUNDS } else { it.rounds };
        it.wave.pc = it.next;
        it.wave.active = it.active;
        stop
    }
}

impl<O: Observer> Turning<'_, '_, '_, O> {
    /// Executes one instruction; returns why the turn ends, if it does.
    #[inline(always)]
    fn step(&mut self) -> Option<Stop> {
        let program = self.machine.program;
        let (group, here, active) = (self.group.id, self.here, self.active);
        let code = &program.codes[here];
        match *code {
            Code::Binary { op, ty, to, a, b } => self.binary(op, ty, to, [a, b]),
            Code::Unary { op, ty, to, a } => self.unary(op, ty, to, a),
            Code::Compare { op, ty, to, a, b } => self.compare(op, ty, to, [a, b]),
            Code::Ternary { op, ty, to, args } => self.ternary(op, ty, to, args),
            Code::Copy { to, from } => {
                self.wave.registers.copy(to, from);
                self.poison(to, |it| it.poison(from));
            }
            Code::Blend { to, from } => {
                self.wave.registers.blend(to, from, active);
                self.poison(to, |it| it.poison(to) & !active | it.poison(from) & active);
            }
            Code::Builtin { builtin, to } => self.builtin(builtin, to),
            Code::Input { slot, to } => self.input(slot, to),
            Code::Eval(table) => {
                let code = program.evals[table as usize];
                let stage = stage(&mut self.machine.stage);
                let missing = stage.evaluate(code, &mut self.wave.registers, active);
                if O::EVENTS && !missing.is_empty() {
                    let index = match code.at {
                        EvalAt::Vertex(row) | EvalAt::Place(EvalPlace::Sample(row)) => row,
                        EvalAt::Place(EvalPlace::Centroid | EvalPlace::Snapped(..)) => {
                            unreachable!("every pixel has these places")
                        }
                    };
                    let (at, slot) = (self.at(), code.slot);
                    let index = self.wave.registers.words(index);
                    self.machine.observer.eval(&EvalEvent { at, slot, missing, index });
                }
            }
            Code::Output { slot, value } => self.output(slot, value),
            Code::WithoutHelpers => self.without_helpers(),
            Code::WithHelpers { result } => self.with_helpers(result),
            Code::Discard { skip } => self.discard(skip),
            Code::Wave(table) => {
                let code = &program.waves[table as usize];
                self.machine.wave_op(group, self.wave, code, here, active);
            }
            Code::Load(_) | Code::Store(_) | Code::Atomic(_) => {
                self.machine.buffer(group, self.wave, here, active);
                return self.hands_over(code);
            }
            Code::SharedLoad { .. }
            | Code::SharedStore { .. }
            | Code::SharedAtomic { .. }
            | Code::PrivateLoad { .. }
            | Code::PrivateStore { .. } => {
                self.machine.local(self.group, self.wave, here, active);
                return self.hands_over(code);
            }
            Code::Counter(_) => {
                self.machine.counter(group, self.wave, here, active);
                return self.hands_over(code);
            }
            Code::Size(table) => self.size(table),
            Code::Texture(_) => {
                let texels = self.machine.texture(group, self.wave, here, active);
                return self.spend(ir::effort::of_texels(texels, self.machine.width));
            }
            Code::Ray(_) => self.machine.ray(group, self.wave, here, active),
            Code::Derivative { of, ty, to, a } => {
                self.machine.derivative(group, self.wave, here, active, (of, ty, to, a));
            }
            Code::Print(table) => self.print(table),
            Code::Effort(more) => {
                // It is part of the instruction behind it.
                self.left += 1;
                return self.spend(u64::from(more.at(self.machine.width)));
            }
            Code::Note(table) => return self.note(table),
            // Itself, and the next one.
            Code::Free => self.left += 2,
            Code::Hazards(are_told) => {
                self.left += 1;
                self.machine.is_silent = !are_told;
            }
            Code::Pass => {}
            Code::Barrier(table) => return self.barrier(table),
            Code::If { cond, otherwise } => self.branch(cond, otherwise),
            Code::Else { end } => {
                let frame = self.wave.top();
                frame.joined |= active;
                self.active = frame.pending;
                self.skip_if_empty(end);
            }
            Code::Enter => self.enter(),
            Code::Next { start, skip, short } => return self.back_edge(start, skip, short),
            Code::Switch(table) => self.switch(&program.switches[table as usize]),
            Code::Case { index, next } => {
                let first = self.wave.top().selections;
                self.active |= self.wave.selections[first + index as usize];
                self.skip_if_empty(next);
            }
            Code::CaseSelect { index } => {
                let frame = self.wave.top();
                frame.pending = active;
                let first = frame.selections;
                self.active = self.wave.selections[first + index as usize];
            }
            Code::CaseJoin { next } => {
                self.active |= self.wave.top().pending;
                self.skip_if_empty(next);
            }
            Code::End { skip } => {
                self.active |= self.wave.pop().joined;
                self.reconverge(skip);
            }
            Code::Exit { up, to, skip } => self.exit(up, to, skip),
            Code::Return { skip } => self.end_lanes(skip),
            Code::Halt => {
                self.next = here;
                return Some(Stop::Done);
            }
        }
        None
    }

    /// The instruction as events name it.
    #[inline(always)]
    fn at(&self) -> At {
        self.machine.at(self.group.id, self.wave.index, self.here, self.active)
    }

    /// Continues at the target if no lane is active.
    #[inline(always)]
    fn skip_if_empty(&mut self, target: Target) {
        if self.active.is_empty() {
            self.next = target.0 as usize;
        }
    }

    /// Adds to the effort of the turn, and ends it if that is too much.
    #[inline(always)]
    fn spend(&mut self, effort: u64) -> Option<Stop> {
        self.effort += effort;
        (self.effort > MOST_EFFORT).then_some(Stop::Budget)
    }

    /// Ends the turn after an access that can let another wave go on, or on which this one may rely no longer once
    /// another has, if the run varies there.
    #[inline(always)]
    fn hands_over(&mut self, code: &Code) -> Option<Stop> {
        if !self.machine.hands_over {
            return None;
        }
        let program = self.machine.program;
        let binding = |table: u32| program.accesses[table as usize].binding.index();
        let hands_over = match *code {
            Code::Atomic(_) | Code::SharedAtomic { .. } | Code::Counter(_) => true,
            Code::Store(table) => program.coherent[binding(table)],
            Code::Load(table) => {
                let checks = program.checked[binding(table)] && self.wave.checks > 0;
                self.wave.checks -= u8::from(checks);
                checks
            }
            _ => false,
        };
        hands_over.then_some(Stop::HandsOver)
    }
}

/// Arithmetic.
impl<O: Observer> Turning<'_, '_, '_, O> {
    /// Sets the poison of a result, if poison is tracked.
    #[inline(always)]
    fn poison(&mut self, to: Row, poison: impl FnOnce(&Registers) -> LaneMask) {
        if O::POISON {
            let poison = poison(&self.wave.registers);
            self.wave.registers.set_poison(to, poison);
        }
    }

    #[inline(always)]
    fn unary(&mut self, op: Unary, ty: Ty, to: Row, a: Row) {
        let registers = &self.wave.registers;
        let mut poison = LaneMask::EMPTY;
        if O::POISON {
            poison = registers.poison(a);
            if op.has_hazards(ty) {
                let hazard = |lane| op.hazard(ty, registers.get(a, lane));
                let found = hazards(self.active & !poison, hazard);
                poison |= self.tell_hazards(found);
            }
        }
        self.wave.registers.unary(op, ty, to, a);
        self.poison(to, |_| poison);
    }

    #[inline(always)]
    fn binary(&mut self, op: Binary, ty: Ty, to: Row, [a, b]: [Row; 2]) {
        let registers = &self.wave.registers;
        // Poison first: the result may overwrite an operand.
        let mut poison = LaneMask::EMPTY;
        if O::POISON {
            poison = registers.poison(a) | registers.poison(b);
            if op.has_hazards(ty) && registers.leaves(b, op.harmless(ty)) {
                let hazard = |lane| op.hazard(ty, registers.get(a, lane), registers.get(b, lane));
                let found = hazards(self.active & !poison, hazard);
                poison |= self.tell_hazards(found);
            }
        }
        self.wave.registers.binary(op, ty, to, a, b);
        self.poison(to, |_| poison);
    }

    #[inline(always)]
    fn compare(&mut self, op: Compare, ty: Ty, to: Row, [a, b]: [Row; 2]) {
        self.wave.registers.compare(op, ty, to, a, b);
        self.poison(to, |it| it.poison(a) | it.poison(b));
    }

    #[inline(always)]
    fn ternary(&mut self, op: Ternary, ty: Ty, to: Row, args: [Row; 3]) {
        let registers = &mut self.wave.registers;
        // Poison first: the result may overwrite the condition.
        let poison = if O::POISON { ternary_poison(op, registers, args) } else { LaneMask::EMPTY };
        registers.ternary(op, ty, to, args);
        self.poison(to, |_| poison);
    }

    /// Reports hazards; returns the lanes whose result they poison.
    #[inline(always)]
    fn tell_hazards(&mut self, found: Option<(Hazard, LaneMask)>) -> LaneMask {
        let Some((hazard, lanes)) = found else { return LaneMask::EMPTY };
        if O::EVENTS && !self.machine.is_silent {
            let at = self.at();
            self.machine.observer.arithmetic(at, hazard, lanes);
        }
        match hazard {
            Hazard::DivisionByZero | Hazard::ConversionOutOfRange => lanes,
            Hazard::ShiftOutOfRange => LaneMask::EMPTY,
        }
    }
}

/// Inputs, outputs and helper lanes.
impl<O: Observer> Turning<'_, '_, '_, O> {
    #[inline(always)]
    fn builtin(&mut self, builtin: Builtin, to: Row) {
        let machine = &*self.machine;
        let width = machine.width as usize;
        let first = self.wave.index as usize * width;
        let threads = &machine.threads[first..first + width];
        let out = self.wave.registers.words_mut(to);
        builtin_row(threads, self.group.id, machine.program.group_size, builtin, out);
        self.poison(to, |_| LaneMask::EMPTY);
    }

    #[inline(always)]
    fn input(&mut self, slot: Slot, to: Row) {
        let inputs = &stage(&mut self.machine.stage).inputs;
        let registers = &mut self.wave.registers;
        registers.fill_row(to, inputs.rows.row(slot));
        if O::POISON {
            registers.set_poison(to, inputs.poison[slot.index()]);
        }
    }

    #[inline(always)]
    fn output(&mut self, slot: Slot, value: Row) {
        let (registers, active) = (&self.wave.registers, self.active);
        let outputs = &mut stage(&mut self.machine.stage).outputs;
        outputs.write(slot, active, |lane| registers.get(value, lane));
        let poison = registers.poison(value) & active;
        outputs.poison[slot.index()] |= poison;
        if O::EVENTS {
            let (at, helpers) = (self.at(), self.wave.helpers & active);
            let values = self.wave.registers.lanes(value);
            let event = OutputEvent { at, slot, helpers, poison, values };
            self.machine.observer.output(&event);
        }
    }

    #[inline(always)]
    fn without_helpers(&mut self) {
        self.wave.waiting = self.active & self.wave.helpers;
        self.active &= !self.wave.helpers;
        if self.active.is_empty() {
            // Past the instruction.
            self.next += 1;
        }
    }

    #[inline(always)]
    fn with_helpers(&mut self, result: Option<Row>) {
        let helpers = std::mem::take(&mut self.wave.waiting);
        if let Some(row) = result
            && !helpers.is_empty()
        {
            let registers = &mut self.wave.registers;
            for_each_lane(helpers, |lane| registers.set(row, lane, 0));
            registers.set_poison(row, registers.poison(row) | helpers);
        }
        self.active |= helpers;
    }

    #[inline(always)]
    fn discard(&mut self, skip: Target) {
        let (wave, active) = (&mut *self.wave, self.active);
        let discarded = active & !wave.helpers;
        let ended = match self.machine.helpers {
            HelperPolicy::None => wave.terminate(active),
            HelperPolicy::Included => wave.demote(active, false),
            HelperPolicy::Specified => wave.demote(active, self.machine.retires),
        };
        if O::EVENTS {
            let at = self.at();
            self.machine.observer.discard(&DiscardEvent { at, discarded, ended });
        }
        self.active &= !ended;
        self.skip_if_empty(skip);
    }
}

/// Sizes, text, notes and barriers.
impl<O: Observer> Turning<'_, '_, '_, O> {
    #[inline(always)]
    fn size(&mut self, table: u32) {
        let access = &self.machine.program.accesses[table as usize];
        let registers = &mut self.wave.registers;
        self.machine.memory(self.active).size(access, registers);
        if O::POISON {
            let poison = access.element.map_or(LaneMask::EMPTY, |row| registers.poison(row));
            access.values.iter().for_each(|row| registers.set_poison(*row, poison));
        }
    }

    #[inline(always)]
    fn print(&mut self, table: u32) {
        let program = self.machine.program;
        let print = &program.prints[table as usize];
        if let Some(log) = &self.machine.prints {
            let event = PrintEvent {
                kind: print.kind,
                message: print.message,
                span: program.span(self.here),
                group: self.group.id,
                wave: self.wave.index,
                lanes: self.active,
                scalars: print.args.len(),
            };
            let registers = &self.wave.registers;
            log.record(&event, &|arg, lane| registers.get(print.args[arg], lane));
        }
    }

    #[inline(always)]
    fn note(&mut self, table: u32) -> Option<Stop> {
        self.left += 1;
        if !O::NOTES {
            return None;
        }
        let code = &self.machine.program.notes[table as usize];
        let registers = &self.wave.registers;
        // PERF: most writes are of a scalar or a vector: recording all values of `matmul` took half as long again with
        // an allocation for each.
        let mut few = [(Lanes::Bits(LaneMask::EMPTY), LaneMask::EMPTY); 4];
        let many: Vec<(Lanes<'_>, LaneMask)>;
        let given = |row: &Row| (registers.lanes(*row), registers.poison(*row));
        let values = match code.values.len() {
            count if count <= few.len() => {
                few.iter_mut().zip(&code.values).for_each(|(to, row)| *to = given(row));
                &few[..count]
            }
            _ => {
                many = code.values.iter().map(given).collect();
                &many
            }
        };
        let event = NoteEvent { at: self.at(), note: &code.note, live: self.wave.live, values };
        self.machine.observer.note(&event);
        self.machine.observer.pauses().then_some(Stop::Paused)
    }

    #[inline(always)]
    fn barrier(&mut self, table: u32) -> Option<Stop> {
        let code = self.machine.program.barriers[table as usize];
        if O::EVENTS {
            let first = self.active.first().unwrap_or(0) as usize;
            let lanes = |row| LaneMask(u128::from(self.wave.registers.words(row)[first]));
            let (at, named) = (self.at(), code.lanes.map(lanes));
            let event = BarrierEvent { at, barrier: code.barrier, live: self.wave.live, named };
            self.machine.observer.barrier(&event);
        }
        (code.barrier.sync == SyncScope::Group).then_some(Stop::Barrier)
    }
}

/// Control flow.
impl<O: Observer> Turning<'_, '_, '_, O> {
    #[inline(always)]
    fn branch(&mut self, cond: Row, otherwise: Target) {
        let (active, registers) = (self.active, &self.wave.registers);
        let taken = active & registers.bits(cond);
        if O::EVENTS {
            let (at, poison) = (self.at(), registers.poison(cond) & active);
            let event = DivergeEvent { at, taken, poison, selector: None };
            self.machine.observer.diverge(&event);
        }
        self.wave.push(LaneMask::EMPTY, active & !taken, self.wave.selections.len());
        self.active = taken;
        self.skip_if_empty(otherwise);
    }

    #[inline(always)]
    fn enter(&mut self) {
        if O::EVENTS {
            let at = self.at();
            self.machine.observer.enter(at);
        }
        self.wave.push(LaneMask::EMPTY, LaneMask::EMPTY, self.wave.selections.len());
    }

    /// Goes on after the end of a construct, with the lanes that are active there.
    #[inline(always)]
    fn reconverge(&mut self, skip: Target) {
        self.skip_if_empty(skip);
        if O::EVENTS && !self.active.is_empty() {
            let at = self.at();
            self.machine.observer.reconverge(at);
        }
    }

    #[inline(always)]
    fn back_edge(&mut self, start: Target, skip: Target, short: u8) -> Option<Stop> {
        if self.active.is_empty() {
            self.active = self.wave.pop().joined;
            self.reconverge(skip);
            return None;
        }
        if O::EVENTS {
            let at = self.at();
            self.machine.observer.back_edge(at);
        }
        self.next = start.0 as usize;
        if short & self.width_bit == 0 {
            self.rounds -= 1;
            if self.rounds == 0 {
                self.wave.spun_at = self.here;
                self.rounds = ROUNDS;
                return Some(Stop::Spinning);
            }
        }
        None
    }

    #[inline(always)]
    fn switch(&mut self, table: &SwitchCode) {
        let (active, wave) = (self.active, &mut *self.wave);
        let selections = wave.selections.len();
        let unselected = select(table, &wave.registers, active, &mut wave.selections);
        if O::EVENTS {
            let registers = &self.wave.registers;
            let event = DivergeEvent {
                at: self.at(),
                taken: active & !unselected,
                poison: registers.poison(table.selector) & active,
                selector: Some(registers.lanes(table.selector)),
            };
            self.machine.observer.diverge(&event);
        }
        self.wave.push(unselected, LaneMask::EMPTY, selections);
        self.active = LaneMask::EMPTY;
    }

    #[inline(always)]
    fn exit(&mut self, up: u32, to: Inst, skip: Target) {
        if O::EVENTS {
            let at = self.at();
            self.machine.observer.exit(at, ExitTo::Construct(to));
        }
        let depth = self.wave.frames.len() - 1 - up as usize;
        self.wave.frames[depth].joined |= self.active;
        self.active = LaneMask::EMPTY;
        self.next = skip.0 as usize;
    }

    /// A return from the entry point.
    #[inline(always)]
    fn end_lanes(&mut self, skip: Target) {
        if O::EVENTS {
            let at = self.at();
            self.machine.observer.exit(at, ExitTo::Return);
        }
        self.wave.live &= !self.active;
        self.active = LaneMask::EMPTY;
        self.next = skip.0 as usize;
    }
}

fn stage<'a, 'b>(stage: &'b mut Option<StageRun<'a>>) -> &'b mut StageRun<'a> {
    stage
        .as_mut()
        .unwrap_or_else(|| unreachable!("a shader with inputs and outputs runs from a feed only"))
}

/// The lanes with a hazard; all hazards of one operation are of the same kind.
fn hazards(lanes: LaneMask, hazard: impl Fn(u32) -> Option<Hazard>) -> Option<(Hazard, LaneMask)> {
    let mut found = None;
    let mut with_it = LaneMask::EMPTY;
    for_each_lane(lanes, |lane| {
        if let Some(hazard) = hazard(lane) {
            found = Some(hazard);
            with_it |= LaneMask::only(lane);
        }
    });
    found.map(|hazard| (hazard, with_it))
}

/// The lanes for which the result of a select or a fused operation is poisoned.
fn ternary_poison(op: Ternary, registers: &Registers, [a, b, c]: [Row; 3]) -> LaneMask {
    let poison = |row| registers.poison(row);
    match op {
        Ternary::Fma => poison(a) | poison(b) | poison(c),
        Ternary::Select => {
            let which = registers.bits(a);
            poison(a) | poison(b) & which | poison(c) & !which
        }
    }
}

/// Pushes the lanes that select each case; returns those that select none.
fn select(
    table: &SwitchCode,
    registers: &Registers,
    active: LaneMask,
    selections: &mut Vec<LaneMask>,
) -> LaneMask {
    let first = selections.len();
    let mut rest = active;
    for labels in &table.cases {
        let mut lanes = LaneMask::EMPTY;
        for label in labels {
            for_each_lane(rest, |lane| {
                if registers.get(table.selector, lane) == *label {
                    lanes |= LaneMask::only(lane);
                }
            });
        }
        rest &= !lanes;
        selections.push(lanes);
    }
    if let Some(default) = table.default {
        selections[first + default] |= rest;
        rest = LaneMask::EMPTY;
    }
    rest
}

/// The values of a dispatch builtin for the threads of a wave.
fn builtin_row(
    threads: &[[u32; 4]],
    group: [u32; 3],
    size: [u32; 3],
    builtin: Builtin,
    out: &mut [u32],
) {
    match builtin {
        Builtin::GroupId(axis) => out.fill(group[usize::from(axis)]),
        Builtin::GroupThreadId(axis) => {
            out.iter_mut().zip(threads).for_each(|(out, thread)| *out = thread[usize::from(axis)]);
        }
        Builtin::DispatchThreadId(axis) => {
            let axis = usize::from(axis);
            let start = group[axis].wrapping_mul(size[axis]);
            out.iter_mut()
                .zip(threads)
                .for_each(|(out, thread)| *out = start.wrapping_add(thread[axis]));
        }
        Builtin::GroupIndex => {
            out.iter_mut().zip(threads).for_each(|(out, thread)| *out = thread[3])
        }
    }
}
