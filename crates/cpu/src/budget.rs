//! What a compilation may cost, in numbers that no clock enters: instructions, and blocks that values live through.
//!
//! Every pass is linear in the instructions, the usual register allocation apart: its time grows with the number of live
//! ranges, one for each value and each block that it lives in, and then faster.

use regalloc2::{Function as _, Inst};

use crate::machine::Function;

/// The machine instructions of a program: a larger one is left to the reference engine.
pub(crate) const MOST_INSTRUCTIONS: usize = 400_000;

/// Between two questions whether the compilation is cancelled lie so many instructions of the module.
pub(crate) const ASK_EVERY: usize = 256;

/// The live ranges up to which the usual register allocation is used. The kernels of the benchmarks have a few thousand.
///
/// PERF: of a million the usual algorithm makes registers in about one second.
pub const MOST_LIVE_RANGES: u64 = 1_000_000;

/// How many waves a frame is given at a time: few of a long program, as nobody looks at the flag that ends runs meanwhile.
pub(crate) fn batch(instructions: usize) -> u64 {
    const MOST_WAVES: u64 = 1 << 12;
    const MOST_WORK: u64 = 1 << 24;
    (MOST_WORK / instructions.max(1) as u64).clamp(1, MOST_WAVES)
}

/// The bytes of a frame that spilled values may take: with more, waves would run slower than in the reference engine.
pub(crate) const MOST_SPILLED_BYTES: usize = 64 << 20;

/// Where a value is made and read, by the numbers of blocks.
#[derive(Clone, Copy)]
struct Life {
    first: u32,
    last: u32,
}

/// For each value the blocks that it lives in, added up: from the first that has it to the last, and to the end of every
/// loop that it comes to from outside.
///
/// Blocks are in an order in which each stands before those that it dominates, and loops are in one piece.
pub(crate) fn live_ranges(function: &Function) -> u64 {
    let mut lives = vec![Life { first: u32::MAX, last: 0 }; function.registers];
    let mut seen = |register: usize, block: u32| {
        let life = &mut lives[register];
        (life.first, life.last) = (life.first.min(block), life.last.max(block));
    };
    for (number, block) in (0u32..).zip(&function.blocks) {
        for register in block.params.iter().chain(&block.args) {
            seen(register.vreg(), number);
        }
        for inst in block.first..block.end {
            for operand in function.inst_operands(Inst::new(inst)) {
                seen(operand.vreg().vreg(), number);
            }
        }
    }
    let loops = Loops::of(function);
    let alive = |life: &Life| {
        let mut end = life.last;
        let mut inside = loops.around[life.last as usize];
        while let Some(round) = inside.map(|it| &loops.all[it])
            && life.first < round.first
        {
            (end, inside) = (end.max(round.last), round.outer);
        }
        u64::from(end - life.first) + 1
    };
    lives.iter().filter(|it| it.first <= it.last).map(alive).sum()
}

/// A loop, from the block that it begins with to the last one that jumps back there.
struct Round {
    first: u32,
    last: u32,
    outer: Option<usize>,
}

struct Loops {
    all: Vec<Round>,
    /// For each block the innermost loop that it is in.
    around: Vec<Option<usize>>,
}

impl Loops {
    fn of(function: &Function) -> Loops {
        let mut loops =
            Loops { all: Vec::new(), around: Vec::with_capacity(function.blocks.len()) };
        let mut inside: Option<usize> = None;
        for (number, block) in (0u32..).zip(&function.blocks) {
            while let Some(round) = inside.map(|it| &loops.all[it])
                && round.last < number
            {
                inside = round.outer;
            }
            let back = block.predecessors.iter().map(|it| it.index() as u32).max();
            if let Some(last) = back.filter(|it| *it >= number) {
                loops.all.push(Round { first: number, last, outer: inside });
                inside = Some(loops.all.len() - 1);
            }
            loops.around.push(inside);
        }
        loops
    }
}
