//! The budget of a compilation, counted in instructions and live ranges rather than time.
//!
//! Every pass is linear in the instructions, except the default register allocation: its time grows with the number of
//! live ranges, one for each value and each block in which it is live, and eventually faster than linearly.

use regalloc2::{Function as _, Inst};

use crate::machine::Function;

/// The most machine instructions of a program: larger ones are left to the reference engine.
pub(crate) const MOST_INSTRUCTIONS: usize = 400_000;

/// The compilation checks for cancellation after this many instructions of the module.
pub(crate) const ASK_EVERY: usize = 256;

/// The most live ranges for the default register allocation. The kernels of the benchmarks have a few thousand.
///
/// PERF: the default algorithm allocates a million in about one second.
pub const MOST_LIVE_RANGES: u64 = 1_000_000;

/// The number of waves that a frame gets at a time: few for a long program, since the cancellation flag is only checked
/// between.
pub(crate) fn batch(instructions: usize) -> u64 {
    const MOST_WAVES: u64 = 1 << 12;
    const MOST_WORK: u64 = 1 << 24;
    (MOST_WORK / instructions.max(1) as u64).clamp(1, MOST_WAVES)
}

/// The most bytes of a frame for spilled values: with more, waves would run slower than in the reference engine.
pub(crate) const MOST_SPILLED_BYTES: usize = 64 << 20;

/// The blocks in which a value is defined and used.
#[derive(Clone, Copy)]
struct Life {
    first: u32,
    last: u32,
}

/// The sum of the values' live ranges in blocks: from the definition to the last use, extended to the end of every loop
/// that the value enters from outside.
///
/// The order of blocks must put dominators first and keep loops contiguous.
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

/// A loop, from its header to its last back edge.
struct Round {
    first: u32,
    last: u32,
    outer: Option<usize>,
}

struct Loops {
    all: Vec<Round>,
    /// The innermost loop of each block.
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
