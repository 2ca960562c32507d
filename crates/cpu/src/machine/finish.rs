//! From the instructions that a builder has collected to a function in the allocator's form.
//!
//! Removes superfluous parameters, dead code and unreachable blocks, schedules each block, and sets long straight-line
//! code apart as segments.

use iced_x86::Code;
use regalloc2::{Block, Operand, PRegSet, VReg};

use super::{BlockData, Builder, Function, Op, Parameter, Placed, X86};
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
        let Builder { mut ops, bodies, mut blocks, registers, parameters, vector_bytes, .. } = self;
        let alias = without_trivial(&parameters, registers);
        let resolve = |it: VReg| alias[it.vreg()].unwrap_or(it);
        let live = live(&ops, &parameters, &alias, registers);
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
        let mut function = Function {
            ops: Vec::with_capacity(ops.len()),
            operands: Vec::new(),
            ranges: Vec::with_capacity(ops.len()),
            blocks,
            segments: Vec::new(),
            registers: registers as usize,
            vector_bytes,
            saved_by_calls,
            everything,
            pool: self.pool,
        };
        let order = reverse_postorder(&function.blocks);
        let mut numbers = vec![Block::invalid(); function.blocks.len()];
        for (number, block) in order.iter().enumerate() {
            numbers[block.index()] = Block::new(number);
        }
        let mut old: Vec<Option<BlockData>> =
            std::mem::take(&mut function.blocks).into_iter().map(Some).collect();
        let mut kept: Vec<(BlockData, Vec<u32>)> = Vec::with_capacity(order.len());
        for block in order {
            let Some(data) = old[block.index()].take() else {
                unreachable!("a block occurs once in the order")
            };
            let mut body: Vec<u32> = Vec::with_capacity(bodies[block.index()].len());
            for index in &bodies[block.index()] {
                let (op, operands) = &mut ops[*index as usize];
                if !is_needed(op, operands, &live) {
                    continue;
                }
                for it in operands {
                    *it = Operand::new(resolve(it.vreg()), it.constraint(), it.kind(), it.pos());
                }
                // Flags that are overwritten immediately are not read.
                let sets_flags = |it: &u32| only_sets_flags(&ops[*it as usize].0);
                if sets_flags(index) && body.last().is_some_and(sets_flags) {
                    body.pop();
                }
                body.push(*index);
            }
            kept.push((data, body));
        }
        let mut orders = Orders::new(function.registers, vector_bytes, chunks);
        for (data, body) in &kept {
            orders.reads(body.iter().map(|it| &ops[*it as usize]), &data.args);
        }
        for (_, body) in &mut kept {
            orders.order(&ops, body);
        }
        let mut segments = Segments::new(orders.into_reads(), everything);
        for (mut data, body) in kept {
            data.first = function.ops.len();
            // An instruction is in one block.
            let body = body.into_iter().map(|it| {
                let (op, operands) = &mut ops[it as usize];
                (std::mem::replace(op, Op::Jump), std::mem::take(operands))
            });
            for (op, operands) in segments.set_apart(body.collect()) {
                let start = function.operands.len() as u32;
                function.operands.extend(operands);
                function.ranges.push((start, function.operands.len() as u32));
                function.ops.push(op);
            }
            data.end = function.ops.len();
            for edge in data.successors.iter_mut().chain(&mut data.predecessors) {
                *edge = numbers[edge.index()];
            }
            data.predecessors.retain(|it| it.is_valid());
            function.blocks.push(data);
        }
        function.segments = segments.all;
        function
    }
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
fn is_needed(op: &Op, operands: &[Operand], live: &[bool]) -> bool {
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
fn live(
    ops: &[Placed],
    parameters: &[Parameter],
    alias: &[Option<VReg>],
    registers: u32,
) -> Vec<bool> {
    let resolve = |it: VReg| alias[it.vreg()].unwrap_or(it).vreg();
    let mut live = vec![false; registers as usize];
    // The definition of each register.
    let mut makers: Vec<&[Operand]> = vec![&[]; registers as usize];
    let mut sources: Vec<&[VReg]> = vec![&[]; registers as usize];
    let mut open: Vec<usize> = Vec::new();
    for (op, operands) in ops {
        let pure = matches!(op, Op::X86(X86 { effect: false, .. }) | Op::Undefined);
        if pure {
            makers[operands[0].vreg().vreg()] = &operands[1..];
        } else {
            open.extend(operands.iter().map(|it| resolve(it.vreg())));
        }
    }
    for parameter in parameters {
        sources[parameter.register.vreg()] = &parameter.args;
    }
    while let Some(register) = open.pop() {
        if std::mem::replace(&mut live[register], true) {
            continue;
        }
        open.extend(makers[register].iter().map(|it| resolve(it.vreg())));
        open.extend(sources[register].iter().map(|it| resolve(*it)));
    }
    live
}

/// The replacement of each parameter with a single source.
fn without_trivial(parameters: &[Parameter], registers: u32) -> Vec<Option<VReg>> {
    let mut alias: Vec<Option<VReg>> = vec![None; registers as usize];
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
