//! From the instructions that a builder has collected to a function in the allocator's form.
//!
//! Removes superfluous parameters, dead code and unreachable blocks, schedules each block, and sets long straight-line
//! code apart as segments.

use iced_x86::Code;
use regalloc2::{Block, Operand, PRegSet, VReg};
use rustc_hash::FxHashMap as HashMap;

use super::{
    BlockData, Builder, Function, Instructions, NONE, Op, Parameter, Placed, X86, is_repeatable,
};
use crate::schedule::Orders;
use crate::segment::Segments;

impl Builder {
    /// `chunks` is the number of vectors in a wave.
    pub(crate) fn finish(
        self,
        saved_by_calls: PRegSet,
        everything: PRegSet,
        chunks: usize,
    ) -> Function {
        let Builder { mut instructions, mut bodies, mut blocks, makers, parameters, .. } = self;
        let registers = makers.len();
        // Before liveness: some are the only readers of their masks.
        bodies.iter_mut().for_each(|it| remove_overwritten_flags(&mut instructions, it));
        let alias = without_trivial(&parameters, registers);
        let resolve = |it: VReg| alias[it.vreg()].unwrap_or(it);
        let live = live(&instructions, &makers, &parameters, &alias);
        for parameter in &parameters {
            let is_alias = resolve(parameter.register) != parameter.register;
            if is_alias || !live[parameter.register.vreg()] {
                continue;
            }
            blocks[parameter.block.index()].params.push(parameter.register);
            let predecessors = blocks[parameter.block.index()].predecessors.clone();
            for (predecessor, arg) in predecessors.iter().zip(&parameter.args) {
                blocks[predecessor.index()].args.push(resolve(*arg));
            }
        }
        let order = reverse_postorder(&blocks);
        let mut numbers = vec![Block::invalid(); blocks.len()];
        for (number, block) in order.iter().enumerate() {
            numbers[block.index()] = Block::new(number);
        }
        let mut old: Vec<Option<BlockData>> = blocks.into_iter().map(Some).collect();
        let mut kept: Vec<(BlockData, Vec<u32>)> = Vec::with_capacity(order.len());
        for block in order {
            let Some(data) = old[block.index()].take() else {
                unreachable!("a block occurs once in the order")
            };
            let mut body: Vec<u32> = Vec::with_capacity(bodies[block.index()].len());
            for number in &bodies[block.index()] {
                let placed = instructions.at(*number);
                if !is_needed(placed, &live) {
                    continue;
                }
                body.push(*number);
                for it in instructions.operands_mut(*number) {
                    if let Some(instead) = alias[it.vreg().vreg()] {
                        *it = Operand::new(instead, it.constraint(), it.kind(), it.pos());
                    }
                }
            }
            kept.push((data, body));
        }
        let mut orders = Orders::new(registers, self.vector_bytes, chunks);
        for (data, body) in &kept {
            orders.reads(body.iter().map(|it| instructions.at(*it)), &data.args);
        }
        for (_, body) in &mut kept {
            orders.order(&instructions, body);
        }
        let mut segments = Segments::new(orders.into_reads(), everything);
        let mut order = Vec::new();
        let mut blocks = Vec::with_capacity(kept.len());
        for (mut data, body) in kept {
            data.first = order.len();
            order.extend(segments.set_apart(&mut instructions, body));
            data.end = order.len();
            for edge in data.successors.iter_mut().chain(&mut data.predecessors) {
                *edge = numbers[edge.index()];
            }
            data.predecessors.retain(|it| it.is_valid());
            blocks.push(data);
        }
        let values = registers;
        let registers = match segments.all.is_empty() {
            true => values,
            false => renumber(&mut instructions, &order, &mut blocks, values),
        };
        Function {
            instructions,
            order,
            blocks,
            segments: segments.all,
            registers,
            values,
            vector_bytes: self.vector_bytes,
            saved_by_calls,
            everything,
            pool: self.pool,
        }
    }
}

/// Renumbers the registers that the allocator sees, which keeps a record of each: those within segments are not among
/// them. Returns their number.
fn renumber(
    instructions: &mut Instructions,
    order: &[u32],
    blocks: &mut [BlockData],
    values: usize,
) -> usize {
    let mut numbers = vec![NONE; values];
    let operands = order.iter().flat_map(|it| instructions.operands(*it)).map(|it| it.vreg());
    let edges = blocks.iter().flat_map(|it| it.params.iter().chain(&it.args)).copied();
    operands.chain(edges).for_each(|it| numbers[it.vreg()] = 0);
    // In the same order, by which the allocator breaks ties.
    let mut count = 0;
    for number in numbers.iter_mut().filter(|it| **it != NONE) {
        *number = count;
        count += 1;
    }
    let new = |it: VReg| VReg::new(numbers[it.vreg()] as usize, it.class());
    for number in order {
        for it in instructions.operands_mut(*number) {
            *it = Operand::new(new(it.vreg()), it.constraint(), it.kind(), it.pos());
        }
    }
    for it in blocks.iter_mut().flat_map(|it| it.params.iter_mut().chain(&mut it.args)) {
        *it = new(*it);
    }
    count as usize
}

/// The reachable blocks, dominators first and loops contiguous.
fn reverse_postorder(blocks: &[BlockData]) -> Vec<Block> {
    let mut seen = vec![false; blocks.len()];
    let mut order = Vec::with_capacity(blocks.len());
    // Depth-first search: a block and the number of visited successors, the last one first, so that the first successor
    // directly follows its block.
    let mut path = vec![(Block::new(0), 0)];
    seen[0] = true;
    while let Some((block, visited)) = path.last_mut() {
        let successors = &blocks[block.index()].successors;
        if *visited == successors.len() {
            order.push(*block);
            path.pop();
            continue;
        }
        *visited += 1;
        let next = successors[successors.len() - *visited];
        if !std::mem::replace(&mut seen[next.index()], true) {
            path.push((next, 0));
        }
    }
    order.reverse();
    order
}

/// Removes the instructions of a block that set flags only, and whose flags are overwritten before anything reads them.
fn remove_overwritten_flags(instructions: &mut Instructions, body: &mut Vec<u32>) {
    let mut overwritten = Vec::new();
    let mut unread = None;
    for number in body.iter().copied() {
        let Placed { op, operands } = instructions.at(number);
        if only_sets_flags(op) {
            overwritten.extend(unread.replace(number));
        } else if !is_independent_of_flags(op, operands) {
            unread = None;
        }
    }
    if overwritten.is_empty() {
        return;
    }
    for number in &overwritten {
        // It no longer keeps its operands alive.
        instructions.clear(*number as usize..*number as usize + 1);
    }
    body.retain(|it| overwritten.binary_search(it).is_err());
}

/// Whether it certainly reads no flags.
fn is_independent_of_flags(op: &Op, operands: &[Operand]) -> bool {
    match op {
        Op::X86(x86) if !x86.effect => is_repeatable(x86.code, operands[0].vreg().class()),
        Op::Undefined => true,
        _ => false,
    }
}

fn only_sets_flags(op: &Op) -> bool {
    let Op::X86(x86) = op else { return false };
    matches!(
        x86.code,
        Code::Cmp_r32_rm32
            | Code::Cmp_r64_rm64
            | Code::Cmp_rm32_imm32
            | Code::Test_rm32_r32
            | Code::Test_rm64_r64
            | Code::VEX_Kortestw_kr_kr
    )
}

/// Dead code elimination: whether an instruction has side effects, or writes a register that is read.
fn is_needed(Placed { op, operands }: Placed, live: &[bool]) -> bool {
    match op {
        Op::X86(X86 { effect: false, .. }) | Op::Undefined => live[operands[0].vreg().vreg()],
        Op::X86(_)
        | Op::Segment(_)
        | Op::Call { .. }
        | Op::Suspend { .. }
        | Op::Fuel { .. }
        | Op::Settle { .. }
        | Op::Jump
        | Op::Branch(_)
        | Op::Finish { .. } => true,
    }
}

/// The registers that live instructions read.
///
/// Backwards, since most instructions come after those that make their operands. Registers that are read before, in
/// loops, and the arguments of parameters are followed from a list.
fn live(
    instructions: &Instructions,
    makers: &[u32],
    parameters: &[Parameter],
    alias: &[Option<VReg>],
) -> Vec<bool> {
    let args: HashMap<VReg, &[VReg]> =
        parameters.iter().map(|it| (it.register, it.args.as_slice())).collect();
    let mut live = vec![false; makers.len()];
    let mut open: Vec<VReg> = Vec::new();
    for number in (0..instructions.len() as u32).rev() {
        let placed = instructions.at(number);
        if !is_needed(placed, &live) {
            continue;
        }
        let mut read = |it: VReg, open: &mut Vec<VReg>| {
            let register = alias[it.vreg()].unwrap_or(it);
            let is_new = !std::mem::replace(&mut live[register.vreg()], true);
            // The others are still to come. Parameters have the highest number.
            if is_new && makers[register.vreg()] > number {
                open.push(register);
            }
        };
        placed.reads().for_each(|it| read(it, &mut open));
        while let Some(register) = open.pop() {
            match makers[register.vreg()] {
                NONE => {
                    let args = args.get(&register).copied().unwrap_or_default();
                    args.iter().for_each(|it| read(*it, &mut open));
                }
                maker => instructions.at(maker).reads().for_each(|it| read(it, &mut open)),
            }
        }
    }
    live
}

/// The replacement of each parameter with a single source.
fn without_trivial(parameters: &[Parameter], registers: usize) -> Vec<Option<VReg>> {
    let mut alias: Vec<Option<VReg>> = vec![None; registers];
    fn resolve(alias: &[Option<VReg>], mut it: VReg) -> VReg {
        while let Some(next) = alias[it.vreg()] {
            it = next;
        }
        it
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for parameter in parameters {
            if alias[parameter.register.vreg()].is_some() {
                continue;
            }
            let mut sources = parameter
                .args
                .iter()
                .map(|it| resolve(&alias, *it))
                .filter(|it| *it != parameter.register);
            if let Some(first) = sources.next()
                && sources.all(|it| it == first)
            {
                alias[parameter.register.vreg()] = Some(first);
                changed = true;
            }
        }
    }
    let resolved = alias.iter().map(|it| it.map(|next| resolve(&alias, next)));
    resolved.collect()
}

#[cfg(test)]
mod tests {
    use iced_x86::Code::{EVEX_Vptestmd_kr_k1_zmm_zmmm512b32 as TEST, VEX_Kortestw_kr_kr as ANY};

    use super::super::{Address, Condition, Source, VECTOR, View};
    use super::*;
    use crate::allocate::everything;
    use crate::isa::Isa;

    /// The codes of the x86 instructions that remain of a block that compares `between`, and then branches.
    fn remaining(between: impl Fn(&mut Builder)) -> Vec<Code> {
        let mut builder = Builder::new(64);
        let vectors = [0, 1].map(|_| Source::Register(View::Zmm, builder.undefined(VECTOR)));
        let masks =
            vectors.map(|it| Source::Register(View::K, builder.define(TEST, View::K, &[it, it])));
        builder.effect(ANY, &[masks[0]; 2]);
        between(&mut builder);
        builder.effect(ANY, &[masks[1]; 2]);
        let [then, otherwise] = [(); 2].map(|()| builder.block());
        builder.branch(Condition::Zero, then, otherwise);
        for block in [then, otherwise] {
            builder.switch_to(block);
            builder.finish_waves(0);
        }
        let function = builder.finish(PRegSet::empty(), everything(Isa::Avx512), 1);
        let x86 = |it: &u32| match function.instructions.op(*it) {
            Op::X86(x86) => Some(x86.code),
            _ => None,
        };
        function.order.iter().filter_map(x86).collect()
    }

    #[test]
    fn masks_that_only_set_overwritten_flags_are_not_computed() {
        assert_eq!(remaining(|_| {}), [TEST, ANY]);
    }

    #[test]
    fn flags_that_are_read_are_set() {
        let read = |builder: &mut Builder| {
            let register = builder.define(Code::Setne_rm8, View::R8, &[]);
            let [to, value] =
                [Source::Memory(Address::frame(0)), Source::Register(View::R8, register)];
            builder.effect(Code::Mov_rm8_r8, &[to, value]);
        };
        assert_eq!(remaining(read), [TEST, TEST, ANY, Code::Setne_rm8, Code::Mov_rm8_r8, ANY]);
    }
}
