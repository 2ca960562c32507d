//! Early spilling: stores vectors with distant next uses in the frame, before register allocation.
//!
//! A wide wave has many chunks, and long straight-line code has more live values than registers. The allocator would
//! handle that, but it tries every register for each of them, splits its live range, and tries again, in quadratic
//! time. Here, whenever one value too many is live, the vector with the farthest next use is spilled (Belady's
//! algorithm), which is optimal for straight-line code and takes one pass.
//!
//! A value never changes (SSA), so it is stored once and reloaded as often as needed. Uses in other blocks read its
//! original register, which the allocator handles as usual.
//!
//! Deliberately absent: short blocks, of which most loops consist (the allocator handles loop-carried values), and
//! masks and general registers, of which a wave has few.

use iced_x86::Code::*;
use regalloc2::{Operand, OperandKind, VReg};
use smallvec::smallvec;

use crate::machine::{Op, Placed, Slot, SlotBase, VECTOR, View, X86};

/// Blocks with fewer instructions are left to the allocator.
const LEAST: usize = 400;
/// Registers that are reserved for values that are live through a block, and for copies.
const SPARE: usize = 4;
const NEVER: u32 = u32::MAX;

/// The state of all registers of a function.
pub(crate) struct Away {
    /// The number of vectors that may be in registers.
    room: usize,
    vector_bytes: usize,
    /// The offset of the spill area in a frame.
    start: usize,
    /// The free spill slots, the number that the current block uses, and the maximum over all blocks.
    free: Vec<u32>,
    used: u32,
    most: u32,
    /// For each register: its current name, its spill slot, and its next use.
    held_as: Vec<Option<VReg>>,
    stored_at: Vec<Option<u32>>,
    next: Vec<u32>,
    held: Vec<VReg>,
    /// The number of registers, including those for reloaded values.
    pub(crate) registers: usize,
}

impl Away {
    pub(crate) fn new(registers: usize, vector_bytes: usize, start: usize) -> Away {
        Away {
            room: if vector_bytes == 64 { 32 } else { 16 } - SPARE,
            vector_bytes,
            start,
            free: Vec::new(),
            used: 0,
            most: 0,
            held_as: vec![None; registers],
            stored_at: vec![None; registers],
            next: vec![NEVER; registers],
            held: Vec::new(),
            registers,
        }
    }

    /// The size of the spill area in a frame.
    pub(crate) fn bytes(&self) -> usize {
        self.most as usize * self.vector_bytes
    }

    /// A block with its stores and reloads.
    pub(crate) fn block(&mut self, body: Vec<Placed>) -> Vec<Placed> {
        if body.len() < LEAST {
            return body;
        }
        let later = self.readers(&body);
        let mut later = later.into_iter();
        let mut new = Vec::with_capacity(body.len() * 5 / 4);
        for (at, (op, mut operands)) in (0u32..).zip(body) {
            if matches!(op, Op::Call { .. } | Op::Suspend { .. }) {
                // These clobber all vectors.
                while !self.held.is_empty() {
                    self.put_away(self.held.len() - 1, &mut new);
                }
            }
            let reads: Vec<VReg> = reads(&operands).collect();
            let missing = reads.iter().filter(|it| self.held_as[it.vreg()].is_none()).count();
            self.make_room(at, missing, &mut new);
            for register in &reads {
                self.fetch(*register, &mut new);
            }
            for operand in operands.iter_mut().filter(|it| is_read(it)) {
                if let Some(name) = self.held_as[operand.vreg().vreg()] {
                    let (constraint, kind, position) =
                        (operand.constraint(), operand.kind(), operand.pos());
                    *operand = Operand::new(name, constraint, kind, position);
                }
            }
            for register in reads {
                self.next[register.vreg()] = later.next().unwrap_or(NEVER);
                self.forget_if_done(register);
            }
            let made = operands.first().filter(|it| it.kind() == OperandKind::Def);
            let made = made.map(|it| it.vreg()).filter(|it| it.class() == VECTOR);
            new.push((op, operands));
            if let Some(made) = made.filter(|it| self.next[it.vreg()] != NEVER) {
                self.held_as[made.vreg()] = Some(made);
                self.held.push(made);
                self.make_room(at, 0, &mut new);
            }
        }
        self.free.clear();
        self.most = self.most.max(self.used);
        self.used = 0;
        new
    }

    /// For each use of a vector, the next use; records the first uses.
    fn readers(&mut self, body: &[Placed]) -> Vec<u32> {
        let mut later = Vec::with_capacity(2 * body.len());
        for (at, (_, operands)) in body.iter().enumerate().rev() {
            let first = later.len();
            // Two uses in one instruction count as one.
            for register in reads(operands) {
                later.push(self.next[register.vreg()]);
            }
            later[first..].reverse();
            reads(operands).for_each(|it| self.next[it.vreg()] = at as u32);
        }
        later.reverse();
        later
    }

    /// Reloads a vector that is not in a register.
    fn fetch(&mut self, register: VReg, new: &mut Vec<Placed>) {
        if self.held_as[register.vreg()].is_some() {
            return;
        }
        let name = match self.stored_at[register.vreg()] {
            // It is defined in another block.
            None => register,
            Some(place) => {
                let name = VReg::new(self.registers, VECTOR);
                self.registers += 1;
                let code = match self.view() {
                    View::Zmm => EVEX_Vmovdqu32_zmm_k1z_zmmm512,
                    _ => VEX_Vmovdqu_ymm_ymmm256,
                };
                let slots = [Slot::Register(self.view(), 0), self.slot(place)];
                new.push((x86(code, slots, false), smallvec![Operand::reg_def(name)]));
                name
            }
        };
        self.held_as[register.vreg()] = Some(name);
        self.held.push(register);
    }

    /// Spills vectors until `more` registers are free, but none that the instruction reads.
    fn make_room(&mut self, at: u32, more: usize, new: &mut Vec<Placed>) {
        while self.held.len() + more > self.room {
            let next = |it: &VReg| self.next[it.vreg()];
            let farthest = (0..self.held.len()).max_by_key(|it| next(&self.held[*it]));
            match farthest {
                Some(index) if next(&self.held[index]) > at => self.put_away(index, new),
                _ => return,
            }
        }
    }

    /// Spills a vector; stores it unless it has been stored before.
    fn put_away(&mut self, index: usize, new: &mut Vec<Placed>) {
        let register = self.held.swap_remove(index);
        let Some(name) = self.held_as[register.vreg()].take() else {
            unreachable!("what is held has a name")
        };
        if self.stored_at[register.vreg()].is_some() {
            return;
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        self.stored_at[register.vreg()] = Some(place);
        let code = match self.view() {
            View::Zmm => EVEX_Vmovdqu32_zmmm512_k1z_zmm,
            _ => VEX_Vmovdqu_ymmm256_ymm,
        };
        let slots = [self.slot(place), Slot::Register(self.view(), 0)];
        new.push((x86(code, slots, true), smallvec![Operand::reg_use(name)]));
    }

    /// Frees the register and the spill slot of a value after its last use in the block.
    fn forget_if_done(&mut self, register: VReg) {
        let number = register.vreg();
        if self.next[number] != NEVER || self.held_as[number].take().is_none() {
            return;
        }
        self.held.retain(|it| *it != register);
        self.free.extend(self.stored_at[number].take());
    }

    fn view(&self) -> View {
        if self.vector_bytes == 64 { View::Zmm } else { View::Ymm }
    }

    fn slot(&self, place: u32) -> Slot {
        let displacement = (self.start + place as usize * self.vector_bytes) as i32;
        Slot::Memory { base: SlotBase::Frame, index: None, scale: 1, displacement }
    }
}

fn x86(code: iced_x86::Code, [first, second]: [Slot; 2], effect: bool) -> Op {
    Op::X86(X86 {
        code,
        slots: [Some(first), Some(second), None, None],
        mask: None,
        zeroing: false,
        broadcast: false,
        spends_mask: false,
        lock: false,
        effect,
    })
}

fn is_read(operand: &Operand) -> bool {
    operand.kind() == OperandKind::Use && operand.vreg().class() == VECTOR
}

fn reads(operands: &[Operand]) -> impl Iterator<Item = VReg> {
    operands.iter().filter(|it| is_read(it)).map(|it| it.vreg())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    const SPILLS: usize = 4096;

    fn vector(number: usize) -> VReg {
        VReg::new(number, VECTOR)
    }

    /// Computes a vector from two others, which are given by number.
    fn make(to: usize, from: [usize; 2]) -> Placed {
        let code = EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
        let slots = [Slot::Register(View::Zmm, 0), Slot::Register(View::Zmm, 1)];
        let reads = from.map(|it| Operand::reg_use(vector(it)));
        (x86(code, slots, false), smallvec![Operand::reg_def(vector(to)), reads[0], reads[1]])
    }

    /// `alive` values from other blocks, and as many computed from each of them in turn.
    fn rounds(alive: usize, rounds: usize) -> Vec<Placed> {
        let of = |round: usize, it: usize| round * alive + it % alive;
        (0..rounds)
            .flat_map(|round| (0..alive).map(move |it| (round, it)))
            .map(|(round, it)| make(of(round + 1, it), [of(round, it), of(round, it * 7 + 3)]))
            .collect()
    }

    /// Interprets a block with numbers instead of vectors; returns the number of stores, and the last few results.
    fn run(body: &[Placed], outside: usize, wanted: usize) -> (usize, Vec<u64>) {
        let mut values: HashMap<VReg, u64> =
            (0..outside).map(|it| (vector(it), it as u64)).collect();
        let mut frame: HashMap<i32, u64> = HashMap::new();
        let mut last = Vec::new();
        let mut stores = 0;
        for (op, operands) in body {
            let Op::X86(x86) = op else { unreachable!("only vectors are computed here") };
            let read: Vec<u64> = reads(operands).map(|it| values[&it]).collect();
            match (x86.slots[0], x86.slots[1]) {
                (Some(Slot::Memory { displacement, .. }), _) => {
                    assert!(displacement as usize >= SPILLS);
                    frame.insert(displacement, read[0]);
                    stores += 1;
                }
                (_, Some(Slot::Memory { displacement, .. })) => {
                    values.insert(operands[0].vreg(), frame[&displacement]);
                }
                _ => {
                    let new = read[0].wrapping_mul(31) ^ read[1].rotate_left(7);
                    values.insert(operands[0].vreg(), new);
                    last.push(new);
                }
            }
        }
        (stores, last.split_off(last.len() - wanted))
    }

    /// The maximal number of vectors that are live at once.
    fn most_alive(body: &[Placed]) -> usize {
        let mut alive = std::collections::HashSet::new();
        let mut most = 0;
        for (_, operands) in body.iter().rev() {
            alive.remove(&operands[0].vreg());
            alive.extend(reads(operands));
            most = most.max(alive.len());
        }
        most
    }

    #[test]
    fn a_long_block_holds_no_more_than_there_is_room_for_and_computes_the_same() {
        for (alive, count) in [(64, 20), (40, 16), (200, 4)] {
            let before = rounds(alive, count);
            let registers = alive * (count + 1);
            let mut away = Away::new(registers, 64, SPILLS);
            let after = away.block(before.clone());
            let (stores, results) = run(&after, alive, alive);
            assert_eq!(results, run(&before, alive, alive).1);
            assert!(stores > 0 && stores <= registers, "{stores} stores of {registers} values");
            assert!(away.bytes() <= alive * 2 * 64, "{} bytes", away.bytes());
            // A value from another block stays in its original register until its first use.
            let first = after.iter().position(|(_, it)| it[0].vreg() == vector(2 * alive));
            assert!(most_alive(&after[first.unwrap()..]) <= away.room + 1);
        }
    }

    #[test]
    fn where_there_is_room_nothing_is_added() {
        let block = rounds(away_room(), 30);
        let mut away = Away::new(31 * away_room(), 64, SPILLS);
        assert_eq!(away.block(block.clone()).len(), block.len());
        assert_eq!(away.bytes(), 0);
        let short = rounds(100, 3);
        assert_eq!(away_of(400).block(short.clone()).len(), short.len());
    }

    fn away_of(registers: usize) -> Away {
        Away::new(registers, 64, SPILLS)
    }

    /// Each round uses a few values of the previous one.
    fn away_room() -> usize {
        away_of(0).room / 2
    }

    #[test]
    fn a_call_finds_every_vector_put_away() {
        let mut block = rounds(8, 60);
        block.insert(200, (Op::Call { site: 0 }, smallvec![]));
        let after = away_of(8 * 61).block(block);
        let call = after.iter().position(|it| matches!(it.0, Op::Call { .. })).unwrap();
        let made = |it: &Placed| {
            it.1.first().filter(|it| it.kind() == OperandKind::Def).map(|it| it.vreg())
        };
        let later: std::collections::HashSet<VReg> =
            after[call..].iter().filter_map(made).collect();
        let mut read = after[call..].iter().flat_map(|it| reads(&it.1));
        assert!(read.all(|it| later.contains(&it)));
    }
}
