//! Segments: long straight-line code, which is one instruction for the register allocator.
//!
//! The allocator tries every register for each value, splits its live range, and tries again, which takes quadratic
//! time where a wide wave has more live values than there are registers. In straight-line code one pass does as well
//! (`local`), so that the allocator only has to know what a segment reads from outside, and what it leaves.
//!
//! A segment clobbers every register but those of its results. Values that are live through it are therefore spilled
//! around it, which is little beside its length.
//!
//! Deliberately absent: short blocks, of which most loops consist.

use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, PReg, PRegSet, VReg};

use crate::machine::{Instructions, Op};

/// Blocks with fewer instructions are left to the allocator.
pub(crate) const LEAST: usize = 400;
/// In longer ones, that many instructions between calls are a segment.
const LEAST_BETWEEN: usize = 16;

/// Straight-line code.
pub(crate) struct Segment {
    /// The numbers of its instructions.
    pub(crate) body: Vec<u32>,
    /// Its inputs and its outputs, by the registers of the body. The allocator has other numbers.
    pub(crate) operands: Vec<Operand>,
    pub(crate) clobbers: PRegSet,
}

/// The segments of a function.
pub(crate) struct Segments {
    pub(crate) all: Vec<Segment>,
    everything: PRegSet,
    /// The registers for results, by class; the other results are spilled.
    for_results: [Vec<PReg>; 3],
    /// For each register, the number of its uses in the function.
    reads: Vec<u32>,
    /// For each register, the number of its uses in the current segment, and whether that defines it.
    here: Vec<(u32, bool)>,
}

impl Segments {
    /// `reads` has the number of uses of each register, and `everything` all machine registers that can hold a value.
    pub(crate) fn new(reads: Vec<u32>, everything: PRegSet) -> Segments {
        let for_results = [0, 1, 2].map(|class| {
            let own = everything.into_iter().filter(|it| it.class() as usize == class);
            let mut own: Vec<PReg> = own.collect();
            // The last ones may be reserved for copies of masks, and moves need one.
            own.truncate(own.len() - own.len() / 4 - 1);
            own
        });
        let here = vec![(0, false); reads.len()];
        Segments { all: Vec::new(), everything, for_results, reads, here }
    }

    /// A block, with its long stretches between calls replaced by segments.
    pub(crate) fn set_apart(
        &mut self,
        instructions: &mut Instructions,
        mut body: Vec<u32>,
    ) -> Vec<u32> {
        if body.len() < LEAST {
            return body;
        }
        let is_straight =
            |all: &Instructions, it: u32| matches!(all.op(it), Op::X86(_) | Op::Undefined);
        let mut new = Vec::new();
        if body.iter().all(|it| is_straight(instructions, *it)) {
            self.close(instructions, &mut body, &mut new);
            return new;
        }
        let mut open = Vec::with_capacity(body.len());
        for number in body {
            if is_straight(instructions, number) {
                open.push(number);
                continue;
            }
            self.close(instructions, &mut open, &mut new);
            new.push(number);
        }
        self.close(instructions, &mut open, &mut new);
        new
    }

    fn close(&mut self, instructions: &mut Instructions, open: &mut Vec<u32>, new: &mut Vec<u32>) {
        if open.len() < LEAST_BETWEEN {
            return new.append(open);
        }
        let body = std::mem::take(open);
        let mut from_outside: Vec<VReg> = Vec::new();
        for number in &body {
            for operand in instructions.operands(*number) {
                let here = &mut self.here[operand.vreg().vreg()];
                match operand.kind() {
                    OperandKind::Def => here.1 = true,
                    OperandKind::Use => {
                        if *here == (0, false) {
                            from_outside.push(operand.vreg());
                        }
                        here.0 += 1;
                    }
                }
            }
        }
        let read = from_outside.into_iter().map(|it| {
            Operand::new(it, OperandConstraint::Any, OperandKind::Use, OperandPos::Early)
        });
        let mut operands: Vec<Operand> = read.collect();
        let mut clobbers = self.everything;
        let mut free = self.for_results.each_ref().map(|it| it.iter());
        for result in body.iter().filter_map(|it| instructions.operands(*it).first()) {
            let register = result.vreg();
            if result.kind() != OperandKind::Def
                || self.here[register.vreg()].0 == self.reads[register.vreg()]
            {
                continue;
            }
            let constraint = match free[register.class() as usize].next() {
                Some(fixed) => {
                    clobbers.remove(*fixed);
                    OperandConstraint::FixedReg(*fixed)
                }
                None => OperandConstraint::Any,
            };
            operands.push(Operand::new(register, constraint, OperandKind::Def, OperandPos::Late));
        }
        for operand in body.iter().flat_map(|it| instructions.operands(*it)) {
            self.here[operand.vreg().vreg()] = (0, false);
        }
        operands.iter().for_each(|it| instructions.push_operand(*it));
        new.push(instructions.push(Op::Segment(self.all.len() as u32)));
        self.all.push(Segment { body, operands, clobbers });
    }
}
