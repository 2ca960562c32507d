//! Local register allocation: registers and spill slots within segments, after the allocator has placed what they read
//! and leave.
//!
//! One pass from the first instruction to the last. Whenever a register is needed and none is free, the value with the
//! farthest next use is spilled (Belady's algorithm), which is optimal for straight-line code. A value never changes
//! (SSA), so it is stored once and reloaded as often as needed.
//!
//! Deliberately absent: rematerialisation.

use regalloc2::{
    Allocation, Edit, Inst, Operand, OperandConstraint, OperandKind, OperandPos, Output, PReg,
    PRegSet, RegClass, SpillSlot, VReg,
};
use rustc_hash::FxHashSet as HashSet;

use crate::machine::{Function, Instructions, Op, VECTOR};
use crate::segment::Segment;

const NEVER: u32 = u32::MAX;
const NOWHERE: u32 = u32::MAX;

/// A segment with registers.
pub(crate) struct Allocated {
    pub(crate) steps: Vec<Step>,
    pub(crate) places: Vec<Allocation>,
}

pub(crate) enum Step {
    /// An instruction, by its number, and the first of its operands' places.
    Execute {
        number: u32,
        places: u32,
    },
    Move(Edit),
}

/// Allocates the registers of all segments. The output then has room for their spills.
pub(crate) fn allocate(
    function: &Function,
    registers: &[PRegSet; 3],
    output: &mut Output,
) -> Vec<Allocated> {
    let values = if function.segments.is_empty() { 0 } else { function.values };
    let vector_slots = (function.vector_bytes / 8) as u32;
    let mut local = Local::new(vector_slots, values, registers, output.num_spillslots as u32);
    let mut all = Vec::with_capacity(function.segments.len());
    let instructions = &function.instructions;
    for index in 0..function.order.len() {
        let Op::Segment(number) = function.op(index) else { continue };
        let places = output.inst_allocs(Inst::new(index));
        let Segment { body, operands, .. } = &function.segments[*number as usize];
        let allocated = local.segment(instructions, body, operands, places);
        #[cfg(debug_assertions)]
        check(instructions, operands, places, &allocated);
        all.push(allocated);
    }
    output.num_spillslots = local.most_slots as usize;
    all
}

/// What is known about a value.
#[derive(Clone, Copy)]
struct State {
    register: Option<PReg>,
    /// The spill slot that holds it.
    slot: u32,
    /// The slot, or the register, in which it has to be at the end of the segment.
    last_slot: u32,
    last_register: Option<PReg>,
    /// Whether the spill slot can be reused after the last use.
    owns_slot: bool,
    next: u32,
}

impl Default for State {
    fn default() -> State {
        let (slot, last_slot, next) = (NOWHERE, NOWHERE, NEVER);
        State { register: None, slot, last_slot, last_register: None, owns_slot: false, next }
    }
}

struct Local {
    vector_slots: u32,
    /// The first spill slot of segments, the number of slots now, and the maximum over all segments.
    first_slot: u32,
    slots: u32,
    most_slots: u32,
    /// The free spill slots, for words and for vectors, and those that the current instruction frees.
    free_slots: [Vec<u32>; 2],
    freed: Vec<(usize, u32)>,
    states: Vec<State>,
    /// By class: all registers, the free ones, and those of the current instruction, as bits.
    all: [u64; 3],
    free: [u64; 3],
    pinned: [u64; 3],
    held: [[VReg; 64]; 3],
    steps: Vec<Step>,
    places: Vec<Allocation>,
}

impl Local {
    fn new(vector_slots: u32, values: usize, registers: &[PRegSet; 3], slots: u32) -> Local {
        let bits = |set: &PRegSet| set.into_iter().fold(0, |bits, it| bits | 1 << it.hw_enc());
        Local {
            vector_slots,
            first_slot: slots,
            slots,
            most_slots: slots,
            free_slots: [Vec::new(), Vec::new()],
            freed: Vec::new(),
            states: vec![State::default(); values],
            all: registers.each_ref().map(bits),
            free: registers.each_ref().map(bits),
            pinned: [0; 3],
            held: [[VReg::invalid(); 64]; 3],
            steps: Vec::new(),
            places: Vec::new(),
        }
    }

    fn segment(
        &mut self,
        instructions: &Instructions,
        body: &[u32],
        operands: &[Operand],
        places: &[Allocation],
    ) -> Allocated {
        self.begin(body.len() as u32, operands, places);
        let later = self.later(instructions, body);
        let mut read = 0;
        self.steps = Vec::with_capacity(body.len() * 5 / 4);
        self.places = Vec::with_capacity(later.len() * 3 / 2);
        for number in body {
            let first = self.places.len();
            let placed = instructions.at(*number);
            self.instruction(placed.operands, &later[read..]);
            read += placed.reads().count();
            self.steps.push(Step::Execute { number: *number, places: first as u32 });
            while let Some((kind, slot)) = self.freed.pop() {
                self.free_slots[kind].push(slot);
            }
        }
        self.end(operands);
        for operand in body.iter().flat_map(|it| instructions.operands(*it)) {
            self.states[operand.vreg().vreg()] = State::default();
        }
        Allocated {
            steps: std::mem::take(&mut self.steps),
            places: std::mem::take(&mut self.places),
        }
    }

    /// Places what the segment reads from outside, and where its results have to be.
    fn begin(&mut self, end: u32, operands: &[Operand], places: &[Allocation]) {
        self.slots = self.first_slot;
        self.free_slots.iter_mut().for_each(Vec::clear);
        self.free = self.all;
        let mut read = HashSet::default();
        for (operand, place) in operands.iter().zip(places) {
            let register = operand.vreg();
            let slot = place.as_stack().map(|it| it.index() as u32);
            match operand.kind() {
                OperandKind::Use => {
                    if let Some(own) = place.as_reg() {
                        self.hold(register, own);
                    }
                    self.states[register.vreg()].slot = slot.unwrap_or(NOWHERE);
                    read.extend(slot);
                }
                OperandKind::Def => {
                    let state = &mut self.states[register.vreg()];
                    state.next = end;
                    state.last_register = place.as_reg();
                    state.last_slot = slot.unwrap_or(NOWHERE);
                }
            }
        }
        // The slot of a value that is read may be that of a result: the result is stored at the end.
        for operand in operands.iter().filter(|it| it.kind() == OperandKind::Def) {
            let state = &mut self.states[operand.vreg().vreg()];
            state.owns_slot = state.last_slot == NOWHERE || read.contains(&state.last_slot);
        }
    }

    /// For each use, the next use of the same value; records the first uses.
    fn later(&mut self, instructions: &Instructions, body: &[u32]) -> Vec<u32> {
        let mut later = Vec::with_capacity(3 * body.len());
        for (at, number) in body.iter().enumerate().rev() {
            let placed = instructions.at(*number);
            // Two uses in one instruction count as one.
            later.extend(placed.reads().rev().map(|it| self.states[it.vreg()].next));
            placed.reads().for_each(|it| self.states[it.vreg()].next = at as u32);
        }
        later.reverse();
        later
    }

    /// Places the operands of an instruction, after the moves that they need.
    fn instruction(&mut self, operands: &[Operand], later: &[u32]) {
        let first = self.places.len();
        self.places.resize(first + operands.len(), Allocation::none());
        self.pinned = [0; 3];
        for register in reads(operands) {
            if let Some(held) = self.states[register.vreg()].register {
                self.pin(held);
            }
        }
        let uses = || operands.iter().enumerate().filter(|it| it.1.kind() == OperandKind::Use);
        for ((at, operand), later) in uses().zip(later) {
            let class = operand.class() as usize;
            let state = self.states[operand.vreg().vreg()];
            self.places[first + at] = match state.register {
                Some(held) => Allocation::reg(held),
                None if operand.constraint() == OperandConstraint::Any
                    && (*later == NEVER || self.free[class] & !self.pinned[class] == 0) =>
                {
                    stack(state.slot)
                }
                None => {
                    let to = self.take(operand.class(), self.pinned[class], None);
                    self.r#move(stack(state.slot), Allocation::reg(to));
                    self.hold(operand.vreg(), to);
                    self.pin(to);
                    Allocation::reg(to)
                }
            };
        }
        for ((_, operand), later) in uses().zip(later) {
            self.states[operand.vreg().vreg()].next = *later;
        }
        let Some(made) = operands.first().filter(|it| it.kind() == OperandKind::Def) else {
            return reads(operands).for_each(|it| self.release_if_done(it));
        };
        let hint = self.states[made.vreg().vreg()].last_register;
        let (class, pinned) = (made.class(), self.pinned[made.class() as usize]);
        let to = match (made.constraint(), made.pos()) {
            (OperandConstraint::Reuse(_), _) => self.reuse(operands, first, hint),
            (_, OperandPos::Early) => self.take(class, pinned, hint),
            (_, OperandPos::Late) => {
                reads(operands).for_each(|it| self.release_if_done(it));
                self.take(class, 0, hint)
            }
        };
        reads(operands).for_each(|it| self.release_if_done(it));
        self.places[first] = Allocation::reg(to);
        self.hold(made.vreg(), to);
        self.release_if_done(made.vreg());
    }

    /// The register for the result of an instruction that modifies its first source in place.
    fn reuse(&mut self, operands: &[Operand], first: usize, hint: Option<PReg>) -> PReg {
        let tied = operands[1].vreg();
        let class = tied.class() as usize;
        let state = self.states[tied.vreg()];
        let Some(own) = state.register else { unreachable!("what is read is in a register") };
        let is_late = |it: &Operand| it.pos() == OperandPos::Late && it.vreg() == tied;
        if !operands[1..].iter().any(is_late) {
            if state.next == NEVER {
                self.release_if_done(tied);
                return own;
            }
            let others = self.pinned[class] & !bit(own);
            if self.free[class] & !others == 0 {
                // Only one of two copies could be kept.
                let spilled = self.farthest(tied.class(), others);
                self.spill(spilled);
                if spilled == own {
                    return own;
                }
            }
        }
        let copy = self.take(tied.class(), self.pinned[class], hint);
        self.r#move(Allocation::reg(own), Allocation::reg(copy));
        self.places[first + 1] = Allocation::reg(copy);
        copy
    }

    /// Moves the results to their places.
    fn end(&mut self, operands: &[Operand]) {
        let results: Vec<VReg> = operands
            .iter()
            .filter(|it| it.kind() == OperandKind::Def)
            .map(|it| it.vreg())
            .collect();
        // Results that are spilled make room for moves of the others.
        for result in &results {
            let state = self.states[result.vreg()];
            if let (None, Some(own)) = (state.last_register, state.register) {
                if state.slot != state.last_slot {
                    self.r#move(Allocation::reg(own), stack(state.last_slot));
                }
                self.states[result.vreg()].slot = state.last_slot;
                self.states[result.vreg()].register = None;
            }
        }
        self.parallel_moves(&results);
        let mut taken = [0u64; 3];
        for result in &results {
            let state = self.states[result.vreg()];
            if let Some(last) = state.last_register {
                taken[last.class() as usize] |= bit(last);
                if state.register.is_none() {
                    self.r#move(stack(state.slot), Allocation::reg(last));
                }
            }
        }
        for result in &results {
            let state = self.states[result.vreg()];
            if state.last_register.is_none() && state.slot != state.last_slot {
                let between = self.other_than(result.class(), taken[result.class() as usize]);
                self.r#move(stack(state.slot), Allocation::reg(between));
                self.r#move(Allocation::reg(between), stack(state.last_slot));
            }
        }
    }

    /// Moves results that are in registers to the registers where they have to be.
    fn parallel_moves(&mut self, results: &[VReg]) {
        let mut open: Vec<(PReg, PReg)> = Vec::new();
        for result in results {
            let state = self.states[result.vreg()];
            if let (Some(from), Some(to)) = (state.register, state.last_register) {
                open.push((from, to));
            }
        }
        open.retain(|(from, to)| from != to);
        while !open.is_empty() {
            let leaf = open.iter().position(|(_, to)| open.iter().all(|it| it.0 != *to));
            match leaf {
                Some(leaf) => {
                    let (from, to) = open.swap_remove(leaf);
                    self.r#move(Allocation::reg(from), Allocation::reg(to));
                }
                None => {
                    // All that is left are cycles, each within a class, whose registers are those of results.
                    let (from, to) = open[0];
                    let class = from.class();
                    let alike = open.iter().filter(|it| it.0.class() == class);
                    let in_cycles = alike.fold(0, |bits, it| bits | bit(it.0));
                    let targets = results.iter().filter_map(|it| {
                        let last = self.states[it.vreg()].last_register?;
                        (last.class() == class).then(|| bit(last))
                    });
                    let taken = targets.fold(in_cycles, |bits, it| bits | it);
                    let between = self.other_than(class, taken);
                    self.r#move(Allocation::reg(from), Allocation::reg(between));
                    open[0] = (between, to);
                }
            }
        }
    }

    fn other_than(&self, class: RegClass, taken: u64) -> PReg {
        let open = self.all[class as usize] & !taken;
        assert!(open != 0, "not all registers are given to results");
        PReg::new(open.trailing_zeros() as usize, class)
    }

    /// A free register; if there is none, spills the value with the farthest next use, outside the pinned registers.
    fn take(&mut self, class: RegClass, pinned: u64, hint: Option<PReg>) -> PReg {
        let open = self.free[class as usize] & !pinned;
        match hint {
            Some(hint) if open & bit(hint) != 0 => hint,
            _ if open != 0 => PReg::new(open.trailing_zeros() as usize, class),
            _ => {
                let farthest = self.farthest(class, pinned);
                self.spill(farthest);
                farthest
            }
        }
    }

    /// The register that holds the value with the farthest next use.
    fn farthest(&self, class: RegClass, pinned: u64) -> PReg {
        let mut left = self.all[class as usize] & !pinned;
        let (mut found, mut latest) = (0, 0);
        while left != 0 {
            let number = left.trailing_zeros() as usize;
            left &= left - 1;
            let next = self.states[self.held[class as usize][number].vreg()].next;
            if next >= latest {
                (found, latest) = (number, next);
            }
        }
        PReg::new(found, class)
    }

    /// Frees a register; stores its value unless it has been stored before.
    fn spill(&mut self, own: PReg) {
        let register = self.held[own.class() as usize][own.hw_enc()];
        let state = &mut self.states[register.vreg()];
        state.register = None;
        if state.slot == NOWHERE {
            if !state.owns_slot && state.last_slot != NOWHERE {
                state.slot = state.last_slot;
            } else {
                state.owns_slot = true;
                let slot = self.new_slot(own.class());
                self.states[register.vreg()].slot = slot;
            }
            let slot = self.states[register.vreg()].slot;
            self.r#move(Allocation::reg(own), stack(slot));
        }
        self.free[own.class() as usize] |= bit(own);
    }

    fn new_slot(&mut self, class: RegClass) -> u32 {
        let (kind, size) = if class == VECTOR { (1, self.vector_slots) } else { (0, 1) };
        if let Some(slot) = self.free_slots[kind].pop() {
            return slot;
        }
        let slot = self.slots.next_multiple_of(size);
        self.slots = slot + size;
        self.most_slots = self.most_slots.max(self.slots);
        slot
    }

    /// Frees the register and the spill slot of a value after its last use.
    fn release_if_done(&mut self, register: VReg) {
        let state = &mut self.states[register.vreg()];
        if state.next != NEVER {
            return;
        }
        if let Some(own) = state.register.take() {
            self.free[own.class() as usize] |= bit(own);
        }
        if std::mem::take(&mut state.owns_slot) && state.slot != NOWHERE {
            self.freed.push((usize::from(register.class() == VECTOR), state.slot));
        }
    }

    fn hold(&mut self, register: VReg, own: PReg) {
        self.states[register.vreg()].register = Some(own);
        self.held[own.class() as usize][own.hw_enc()] = register;
        self.free[own.class() as usize] &= !bit(own);
    }

    fn pin(&mut self, own: PReg) {
        self.pinned[own.class() as usize] |= bit(own);
    }

    fn r#move(&mut self, from: Allocation, to: Allocation) {
        self.steps.push(Step::Move(Edit::Move { from, to }));
    }
}

fn bit(register: PReg) -> u64 {
    1 << register.hw_enc()
}

fn stack(slot: u32) -> Allocation {
    debug_assert!(slot != NOWHERE, "what is not in a register is in a slot");
    Allocation::stack(SpillSlot::new(slot as usize))
}

fn reads(operands: &[Operand]) -> impl DoubleEndedIterator<Item = VReg> {
    operands.iter().filter(|it| it.kind() == OperandKind::Use).map(|it| it.vreg())
}

/// Symbolic execution: every instruction finds its operands where it reads them, and every result is where it has to
/// be.
#[cfg(debug_assertions)]
fn check(
    instructions: &Instructions,
    operands: &[Operand],
    places: &[Allocation],
    allocated: &Allocated,
) {
    use rustc_hash::FxHashMap as HashMap;
    let mut holds: HashMap<Allocation, VReg> = HashMap::default();
    let outside = || operands.iter().zip(places);
    holds.extend(
        outside().filter(|it| it.0.kind() == OperandKind::Use).map(|it| (*it.1, it.0.vreg())),
    );
    for step in &allocated.steps {
        match step {
            Step::Move(Edit::Move { from, to }) => {
                assert!(from.is_reg() || to.is_reg(), "no move is from memory to memory");
                let value = holds.get(from).copied();
                let value = value.unwrap_or_else(|| unreachable!("{from} holds a value"));
                holds.insert(*to, value);
            }
            Step::Execute { number, places } => {
                let operands = instructions.operands(*number);
                let places = &allocated.places[*places as usize..][..operands.len()];
                let made = operands.iter().zip(places).find(|it| it.0.kind() == OperandKind::Def);
                for (operand, place) in operands.iter().zip(places) {
                    if operand.kind() == OperandKind::Def {
                        continue;
                    }
                    assert_eq!(holds.get(place), Some(&operand.vreg()), "operand of {number}");
                    let is_free = operand.constraint() == OperandConstraint::Any;
                    assert!(is_free || place.is_reg(), "operand of {number} is in a register");
                    let lasts = operand.pos() == OperandPos::Late;
                    if let Some((made, to)) = made {
                        let is_early = made.pos() == OperandPos::Early;
                        assert!(place != to || !lasts && !is_early, "{number} overwrites a source");
                    }
                }
                if let Some((made, to)) = made {
                    if let OperandConstraint::Reuse(tied) = made.constraint() {
                        assert_eq!(places[tied], *to, "{number} modifies its first source");
                    }
                    holds.insert(*to, made.vreg());
                }
            }
        }
    }
    for (operand, place) in outside().filter(|it| it.0.kind() == OperandKind::Def) {
        assert_eq!(holds.get(place), Some(&operand.vreg()), "a result");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves that rotate the registers of a class.
    fn rotation(class: RegClass, numbers: std::ops::RangeInclusive<usize>) -> Vec<(PReg, PReg)> {
        let all: Vec<PReg> = numbers.map(|it| PReg::new(it, class)).collect();
        let next = all.iter().cycle().skip(1);
        all.iter().copied().zip(next.copied()).collect()
    }

    /// Free registers of one class are unrelated to those of another, whose registers have the same numbers.
    #[test]
    fn cycles_of_moves_are_broken_within_their_class() {
        let classes = [RegClass::Int, RegClass::Float, RegClass::Vector];
        let registers = classes.map(|class| {
            (0..8).fold(PRegSet::empty(), |mut all, it| {
                all.add(PReg::new(it, class));
                all
            })
        });
        let moves = [rotation(RegClass::Float, 0..=6), rotation(RegClass::Vector, 1..=7)].concat();
        let mut local = Local::new(8, moves.len(), &registers, 0);
        let mut results = Vec::new();
        for (value, (from, to)) in moves.iter().enumerate() {
            results.push(VReg::new(value, from.class()));
            local.states[value].register = Some(*from);
            local.states[value].last_register = Some(*to);
        }
        local.parallel_moves(&results);
        let mut holds: Vec<(PReg, usize)> =
            moves.iter().enumerate().map(|(value, (from, _))| (*from, value)).collect();
        for step in &local.steps {
            let Step::Move(Edit::Move { from, to }) = step else { panic!("only moves") };
            let [from, to] = [from, to].map(|it| it.as_reg().unwrap());
            let (_, value) = *holds.iter().find(|it| it.0 == from).unwrap();
            holds.retain(|it| it.0 != to);
            holds.push((to, value));
        }
        for (value, (_, to)) in moves.iter().enumerate() {
            assert!(holds.contains(&(*to, value)), "{value} in {to}");
        }
    }
}
