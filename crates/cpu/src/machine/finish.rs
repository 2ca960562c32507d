//! From the instructions that a builder has collected to a function in the allocator's form.
//!
//! Removes superfluous parameters, dead code and unreachable blocks, schedules each block, and sets long straight-line
//! code apart as segments.

use iced_x86::Code;
use regalloc2::{Block, Operand, PRegSet, VReg};
use rustc_hash::FxHashMap as HashMap;

use super::{BlockData, Builder, Function, Instructions, NONE, Op, Parameter, Placed, X86};
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
        let Builder { mut instructions, bodies, mut blocks, makers, parameters, .. } = self;
        let registers = makers.len();
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
                // Flags that are overwritten immediately are not read.
                let sets_flags = |it: &u32| only_sets_flags(instructions.op(*it));
                if sets_flags(number) && body.last().is_some_and(sets_flags) {
                    body.pop();
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
