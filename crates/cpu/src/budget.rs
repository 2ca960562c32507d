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

/// The number of waves that a frame gets at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    /// Fewer would take little longer than to prepare their frame.
    least: u64,
    /// Few for a long program, since the cancellation flag is only checked between.
    most: u64,
}

impl Batch {
    /// For waves of this many machine instructions; those in loops may run any number of times.
    pub(crate) fn of(instructions: usize, has_loops: bool) -> Batch {
        const LEAST_WORK: u64 = 1 << 15;
        const MOST_WAVES: u64 = 1 << 12;
        const MOST_WORK: u64 = 1 << 24;
        let waves = |work: u64| (work / instructions.max(1) as u64).clamp(1, MOST_WAVES);
        let least = if has_loops { 1 } else { waves(LEAST_WORK) };
        Batch { least, most: waves(MOST_WORK) }
    }

    /// Guided self-scheduling: smaller batches towards the end, so that all threads end at about the same time, however
    /// long single waves take.
    pub(crate) fn next(self, left: u64, threads: usize) -> u64 {
        match threads {
            0 | 1 => self.most,
            _ => (left / (4 * threads as u64)).clamp(self.least, self.most),
        }
    }

    /// As many threads as have work to do.
    pub(crate) fn threads(self, waves: u64, most: usize) -> usize {
        most.min(usize::try_from(waves.div_ceil(self.least)).unwrap_or(most))
    }
}

/// The bytes that a batch of waves reads to be counted: they stay in the second-level cache until the waves run.
pub(crate) const BATCH_BYTES: u64 = 128 << 10;

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

#[cfg(test)]
mod tests {
    use super::Batch;

    /// The batches of a launch, with the number of waves that were left before each.
    fn batches(batch: Batch, waves: u64, threads: usize) -> Vec<(u64, u64)> {
        let mut left = waves;
        let next = || {
            let of = (left, batch.next(left, threads).min(left));
            left -= of.1;
            (of.1 > 0).then_some(of)
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn no_thread_gets_more_than_its_share_of_what_is_left() {
        for (instructions, waves, threads) in [(100, 1 << 18, 16), (3000, 5000, 7), (40, 900, 2)] {
            for has_loops in [false, true] {
                let batch = Batch::of(instructions, has_loops);
                let all = batches(batch, waves, threads);
                assert_eq!(all.iter().map(|it| it.1).sum::<u64>(), waves);
                let share = |left: u64| (left / threads as u64).max(batch.least);
                assert!(all.iter().all(|(left, count)| *count <= share(*left)), "{all:?}");
                assert!(all.len() < 100 * threads, "{}", all.len());
            }
        }
    }

    #[test]
    fn short_launches_run_on_one_thread_unless_they_may_loop() {
        assert_eq!(Batch::of(100, false).threads(300, 16), 1);
        assert_eq!(Batch::of(100, true).threads(300, 16), 16);
        assert_eq!(Batch::of(100, false).threads(1 << 20, 16), 16);
        assert_eq!(Batch::of(100, false).threads(0, 16), 0);
    }
}
