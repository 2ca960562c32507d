//! Instruction scheduling within blocks, to reduce register pressure.
//!
//! A wave's chunks are selected operation by operation, so the results of an operation for all chunks are live at once.
//! Here pure instructions are delayed until their first use, and an instruction with the last use of a register follows
//! immediately: this interchanges chunks and operations. Instructions with observable effects are not moved: those that
//! write, call, jump, read memory that may change, or use flags. Vectors and masks are computed without flags, so they
//! may be placed between a comparison and its jump.
//!
//! This is done where register pressure is high (with AVX2, and in long blocks), and kept if it reduces the pressure:
//! values that chunks share, as in a scan, may be live longer. So a long block is scheduled part by part.
//!
//! Deliberately absent: latencies. Out-of-order processors look far enough ahead to find the next chunk by themselves,
//! except divisions and square roots, by which `latency` schedules shorter blocks.

use regalloc2::{RegClass, VReg};

use crate::latency;
use crate::machine::{GENERAL, Instructions, MASK, NONE, Op, Placed, SlotBase, VECTOR, X86};

/// The minimal length of a long block. With 32 vectors, scheduling shorter ones has not paid off.
const LONG: usize = 400;
/// The number of instructions to schedule at a time, for each chunk of a wave: a few operations, fewer than there are
/// between two scans.
const AT_A_TIME: usize = 64;

/// Information about each register of a function.
pub(crate) struct Orders {
    vectors: usize,
    /// The number of instructions to schedule at a time.
    at_a_time: usize,
    /// The number of its uses by operands and block arguments.
    reads: Vec<u32>,
    /// The instruction of the current block that defines it.
    maker: Vec<u32>,
}

/// The number of vectors with AVX-512.
pub(crate) const WIDE: usize = 32;

impl Orders {
    /// For a number of registers, the size of vectors in bytes, and the number of vectors in a wave.
    pub(crate) fn new(registers: usize, vector_bytes: usize, chunks: usize) -> Orders {
        Orders {
            vectors: if vector_bytes == 32 { 16 } else { WIDE },
            at_a_time: AT_A_TIME * chunks,
            reads: vec![0; registers],
            maker: vec![NONE; registers],
        }
    }

    /// Records the uses and block arguments of a block. All blocks must be recorded before any is scheduled.
    pub(crate) fn reads<'a>(&mut self, body: impl Iterator<Item = Placed<'a>>, handed_on: &[VReg]) {
        for register in body.flat_map(Placed::reads).chain(handed_on.iter().copied()) {
            self.reads[register.vreg()] += 1;
        }
    }

    /// The number of uses of each register.
    pub(crate) fn into_reads(self) -> Vec<u32> {
        self.reads
    }

    /// Schedules the instructions of a block, by their numbers.
    pub(crate) fn order(&mut self, instructions: &Instructions, body: &mut [u32]) {
        let is_long = body.len() >= LONG;
        let at_a_time = if is_long { self.at_a_time } else { body.len().max(1) };
        for part in body.chunks_mut(at_a_time) {
            let placed: Vec<Placed> = part.iter().map(|it| instructions.at(*it)).collect();
            let order = match !is_long && self.vectors == WIDE {
                true => self.order_by_latency(&placed),
                false => self.order_of(&placed),
            };
            if let Some(order) = order {
                let ordered: Vec<u32> = order.iter().map(|it| part[*it as usize]).collect();
                part.copy_from_slice(&ordered);
            }
        }
    }

    /// The order of a whole block by latency; `None` if its own stays.
    fn order_by_latency(&mut self, body: &[Placed]) -> Option<Vec<u32>> {
        if !latency::applies(body) {
            return None;
        }
        for (at, instruction) in (0..).zip(body) {
            if let Some(made) = instruction.made() {
                self.maker[made.vreg()] = at;
            }
        }
        let order = latency::order(body, &self.maker, &self.reads);
        body.iter().copied().filter_map(Placed::made).for_each(|it| self.maker[it.vreg()] = NONE);
        order
    }

    /// The order of instructions with less pressure; `None` if theirs is as good.
    fn order_of(&mut self, body: &[Placed]) -> Option<Vec<u32>> {
        let is_free: Vec<bool> = body.iter().map(|it| is_free(*it)).collect();
        if is_free.iter().filter(|it| **it).count() < 2 {
            return None;
        }
        let mut dependences = Dependences::new(body.len());
        let mut left = vec![0; body.len()];
        let mut from_outside: Vec<VReg> = Vec::new();
        for (at, instruction) in (0..).zip(body) {
            for register in instruction.reads() {
                let maker = self.maker[register.vreg()];
                if maker == NONE {
                    from_outside.push(register);
                    continue;
                }
                left[maker as usize] += 1;
                dependences.add(maker, at, is_free[at as usize]);
            }
            let made = instruction.made();
            dependences.close(made.map(|it| it.class()));
            if let Some(made) = made {
                self.maker[made.vreg()] = at;
            }
        }
        let made = body.iter().map(|it| it.made());
        let goes_on: Vec<bool> = made
            .zip(&left)
            .map(|(made, left)| made.is_some_and(|made| self.reads[made.vreg()] > *left))
            .collect();
        body.iter().copied().filter_map(Placed::made).for_each(|it| self.maker[it.vreg()] = NONE);
        let pressure = Pressure::new(self.vectors, from_outside);
        let old: Vec<u32> = (0..body.len() as u32).collect();
        let before = pressure.shortage(&dependences, &old, &left, &goes_on);
        if before == 0 {
            return None;
        }
        let placed = vec![false; body.len()];
        let order = Vec::with_capacity(body.len());
        let (uses, open) = (left.clone(), Vec::new());
        let mut block = Block { dependences, left, goes_on, placed, order, open };
        let mut settled = 0;
        for (at, instruction) in body.iter().enumerate() {
            if matches!(instruction.op, Op::Call { .. } | Op::Suspend { .. }) {
                // These clobber registers: instructions that are delayed beyond them would have their operands spilled
                // instead of their results.
                (settled..at).for_each(|it| block.place(it as u32));
                settled = at;
            }
            if !is_free[at] || block.goes_on[at] {
                block.place(at as u32);
            }
        }
        // No instruction is lost here, even if nothing reads its result.
        (0..body.len()).for_each(|it| block.place(it as u32));
        let Block { dependences, goes_on, order, .. } = block;
        (pressure.shortage(&dependences, &order, &uses, &goes_on) < before).then_some(order)
    }
}

/// What is known about register pressure before an order is.
struct Pressure {
    room: [usize; 2],
    /// The live vectors and masks from other blocks, which stay live in the block.
    from_outside: [usize; 2],
}

impl Pressure {
    /// For a number of vectors, and the uses of registers from other blocks.
    fn new(vectors: usize, mut from_outside: Vec<VReg>) -> Pressure {
        from_outside.sort_unstable();
        from_outside.dedup();
        let count = |of| from_outside.iter().filter(|it| kind(it.class()) == Some(of)).count();
        Pressure { room: room(vectors), from_outside: [0, 1].map(count) }
    }

    /// The excess of live vectors and masks, summed over the instructions in an order.
    fn shortage(
        &self,
        dependences: &Dependences,
        order: &[u32],
        uses: &[u32],
        goes_on: &[bool],
    ) -> usize {
        let mut alive = self.from_outside;
        let mut left = uses.to_vec();
        let mut short = 0;
        for at in order {
            if let Some(kind) = dependences.class(*at).and_then(kind) {
                alive[kind] += 1;
            }
            short += (0..2).map(|it| alive[it].saturating_sub(self.room[it])).sum::<usize>();
            for maker in dependences.makers(*at) {
                left[*maker as usize] -= 1;
                if let (0, false, Some(kind)) = (
                    left[*maker as usize],
                    goes_on[*maker as usize],
                    dependences.class(*maker).and_then(kind),
                ) {
                    alive[kind] -= 1;
                }
            }
        }
        short
    }
}

/// The data dependences between the instructions of a block, by their places in it.
struct Dependences {
    /// The instructions that define the operands of each instruction, one for each operand, in one list.
    makers: Vec<u32>,
    /// For each instruction, where its part of the list ends.
    ends: Vec<u32>,
    /// The classes of the registers that the instructions define.
    classes: Vec<Option<RegClass>>,
    readers: Readers,
}

impl Dependences {
    fn new(instructions: usize) -> Dependences {
        Dependences {
            makers: Vec::with_capacity(2 * instructions),
            ends: Vec::with_capacity(instructions),
            classes: Vec::with_capacity(instructions),
            readers: Readers::new(instructions),
        }
    }

    /// Adds a use of the next instruction, which may be movable.
    fn add(&mut self, maker: u32, reader: u32, is_free: bool) {
        self.makers.push(maker);
        if is_free {
            self.readers.add(maker, reader);
        }
    }

    /// Ends the next instruction.
    fn close(&mut self, class: Option<RegClass>) {
        self.ends.push(self.makers.len() as u32);
        self.classes.push(class);
    }

    fn makers(&self, at: u32) -> &[u32] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.makers[start as usize..self.ends[at as usize] as usize]
    }

    fn class(&self, at: u32) -> Option<RegClass> {
        self.classes[at as usize]
    }
}

/// For each instruction, the movable ones that use its result: a list, the last one first.
struct Readers {
    /// Where the list of each instruction begins in `links`.
    heads: Vec<u32>,
    /// An instruction of a list, and where its rest begins.
    links: Vec<(u32, u32)>,
}

impl Readers {
    fn new(instructions: usize) -> Readers {
        Readers { heads: vec![NONE; instructions], links: Vec::with_capacity(2 * instructions) }
    }

    /// Adds a reader, which may use the result several times.
    fn add(&mut self, maker: u32, reader: u32) {
        let head = &mut self.heads[maker as usize];
        if self.links.get(*head as usize).is_some_and(|it| it.0 == reader) {
            return;
        }
        self.links.push((reader, *head));
        *head = self.links.len() as u32 - 1;
    }

    fn of(&self, maker: u32) -> impl Iterator<Item = u32> {
        let mut at = self.heads[maker as usize];
        std::iter::from_fn(move || {
            let (reader, next) = *self.links.get(at as usize)?;
            at = next;
            Some(reader)
        })
    }
}

struct Block {
    dependences: Dependences,
    /// The number of remaining uses in this block.
    left: Vec<u32>,
    /// Whether it is used outside this block.
    goes_on: Vec<bool>,
    placed: Vec<bool>,
    order: Vec<u32>,
    /// What is to be placed next, the last one first; empty between two calls.
    open: Vec<u32>,
}

impl Block {
    /// Places an instruction after its operands; instructions that thereby have the last use of a register follow
    /// immediately.
    fn place(&mut self, wanted: u32) {
        let mut open = std::mem::take(&mut self.open);
        open.push(wanted);
        while let Some(at) = open.pop() {
            if self.placed[at as usize] {
                continue;
            }
            open.push(at);
            let missing = open.len();
            let makers = self.dependences.makers(at);
            // The first one is popped first.
            open.extend(makers.iter().rev().filter(|it| !self.placed[**it as usize]));
            if open.len() > missing {
                continue;
            }
            open.pop();
            self.placed[at as usize] = true;
            self.order.push(at);
            makers.iter().for_each(|it| self.left[*it as usize] -= 1);
            open.extend(self.dependences.readers.of(at).filter(|it| self.ends_a_life(*it)));
        }
        self.open = open;
    }

    /// Whether all operands are available, and one of its own register class has its last use here.
    fn ends_a_life(&self, at: u32) -> bool {
        let makers = self.dependences.makers(at);
        if self.placed[at as usize] || makers.iter().any(|it| !self.placed[*it as usize]) {
            return false;
        }
        let class = self.dependences.class(at);
        makers.iter().any(|maker| {
            let own = || makers.iter().filter(|it| *it == maker).count();
            self.dependences.class(*maker) == class
                && !self.goes_on[*maker as usize]
                && self.left[*maker as usize] as usize == own()
        })
    }
}

/// The vectors and masks that may be live without spilling. Some registers are reserved for values that are live
/// through a block.
pub(crate) fn room(vectors: usize) -> [usize; 2] {
    [vectors - vectors / 4, 5]
}

/// The number of a register class in [`room`].
pub(crate) fn kind(class: RegClass) -> Option<usize> {
    match class {
        VECTOR => Some(0),
        MASK => Some(1),
        _ => None,
    }
}

/// Whether an instruction only computes a vector or a mask from registers and constants.
pub(crate) fn is_free(Placed { op, operands }: Placed) -> bool {
    let Op::X86(X86 { effect: false, spends_mask: false, memory, .. }) = op else { return false };
    operands[0].vreg().class() != GENERAL
        && memory.is_none_or(|it| matches!(it.base, SlotBase::Pool) && it.index.is_none())
}

#[cfg(test)]
mod tests {
    use iced_x86::Code::{EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 as ADD, Mov_rm32_r32 as STORE};

    use super::*;

    fn vector(number: usize) -> VReg {
        VReg::new(number, VECTOR)
    }

    /// Their numbers in the order of a block of them all.
    fn ordered(all: &Instructions, vectors: usize) -> Vec<u32> {
        let mut orders = Orders { vectors, ..Orders::new(10_000, 32, 3) };
        let mut numbers = unordered(all);
        orders.reads(numbers.iter().map(|it| all.at(*it)), &[]);
        orders.order(all, &mut numbers);
        numbers
    }

    fn unordered(all: &Instructions) -> Vec<u32> {
        (0..all.len() as u32).collect()
    }

    /// Sixteen chunks: first all sums of two, then all sums of these, then all stores. The registers are numbered from
    /// that one on.
    fn add_by_operation(all: &mut Instructions, base: usize) {
        let mut sum = |to: usize, from: [usize; 2]| {
            all.add(ADD, Some(vector(base + to)), &from.map(|it| vector(base + it)));
        };
        (0..16).for_each(|it| sum(100 + it, [it, 50]));
        (0..16).for_each(|it| sum(200 + it, [100 + it, 51]));
        (0..16).for_each(|it| all.add(STORE, None, &[vector(base + 200 + it)]));
    }

    fn by_operation() -> Instructions {
        let mut all = Instructions::default();
        add_by_operation(&mut all, 0);
        all
    }

    fn most_alive(all: &Instructions, order: &[u32]) -> usize {
        let mut alive = std::collections::HashSet::new();
        let mut most = 0;
        for (at, number) in order.iter().enumerate() {
            alive.extend(all.at(*number).made());
            most = most.max(alive.len());
            let later = || order[at + 1..].iter().flat_map(|it| all.at(*it).reads());
            alive.retain(|it| later().any(|read| read == *it));
        }
        most
    }

    #[test]
    fn values_are_used_before_more_are_made() {
        let all = by_operation();
        let after = ordered(&all, 16);
        assert_eq!(after.len(), all.len());
        assert_eq!(most_alive(&all, &unordered(&all)), 17);
        assert_eq!(most_alive(&all, &after), 2);
    }

    #[test]
    fn nothing_is_read_before_it_is_made_and_effects_keep_their_order() {
        let all = by_operation();
        let after = ordered(&all, 16);
        let mut there: Vec<VReg> = (0..60).map(vector).collect();
        for number in &after {
            assert!(all.at(*number).reads().all(|it| there.contains(&it)));
            there.extend(all.at(*number).made());
        }
        let stores = after.iter().map(|it| all.at(*it)).filter(|it| it.made().is_none());
        let stored: Vec<usize> = stores.flat_map(Placed::reads).map(|it| it.vreg()).collect();
        assert_eq!(stored, (200..216).collect::<Vec<_>>());
    }

    #[test]
    fn a_long_block_is_put_in_order_part_by_part() {
        let mut all = Instructions::default();
        (0..20).for_each(|round| add_by_operation(&mut all, 300 * round));
        assert!(by_operation().len() < LONG && all.len() > LONG);
        let after = ordered(&all, 16);
        assert_eq!(after.len(), all.len());
        let (mut left, mut there) = (unordered(&all), std::collections::HashSet::new());
        for (at, number) in after.iter().enumerate() {
            let old = left.iter().position(|it| it == number).unwrap();
            left.remove(old);
            let mut reads = all.at(*number).reads();
            assert!(reads.all(|it| it.vreg() % 300 < 100 || there.contains(&it)));
            there.extend(all.at(*number).made());
            // No instruction has moved far.
            assert!(old < 3 * AT_A_TIME, "{at} came from {old} further on");
        }
        assert_eq!(most_alive(&all, &after), 2);
    }

    #[test]
    fn instructions_whose_results_are_not_read_stay_in_the_block() {
        let mut all = by_operation();
        all.add(ADD, Some(vector(300)), &[vector(52), vector(52)]);
        all.add(ADD, Some(vector(301)), &[vector(300), vector(52)]);
        let mut after = ordered(&all, 16);
        assert_ne!(after, unordered(&all));
        after.sort_unstable();
        assert_eq!(after, unordered(&all));
    }

    #[test]
    fn the_order_stays_where_registers_suffice() {
        let all = by_operation();
        assert_eq!(ordered(&all, 64), unordered(&all));
    }
}
