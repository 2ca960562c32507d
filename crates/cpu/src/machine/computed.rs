//! Available computations, for common subexpression elimination: pure instructions, by their contents.
//!
//! A hash table of lists of instructions, which are compared in place.

use std::hash::{Hash, Hasher};

use regalloc2::{Block, Operand};
use rustc_hash::{FxHashMap as HashMap, FxHasher};

use super::instructions::{Instructions, Op, Placed, X86};

#[derive(Default)]
pub(super) struct Computed {
    /// By the hash, the newest computation that has it.
    newest: HashMap<u32, u32>,
    all: Vec<Available>,
}

pub(super) struct Available {
    pub(super) instruction: u32,
    pub(super) block: Block,
    /// The next older one with the same hash.
    older: Option<u32>,
}

impl Computed {
    pub(super) fn reserve(&mut self, computations: usize) {
        self.newest.reserve(computations);
        self.all.reserve(computations);
    }

    /// The hash of an instruction with these operands.
    pub(super) fn hash(x86: &X86, operands: &[Operand]) -> u32 {
        let mut hasher = FxHasher::default();
        (x86.code as u16).hash(&mut hasher);
        operands[1..].iter().for_each(|it| it.hash(&mut hasher));
        x86.memory.map(|it| it.displacement).hash(&mut hasher);
        x86.immediate.hash(&mut hasher);
        hasher.finish() as u32
    }

    /// The computations that are equal to an instruction whose operands are pending, the newest first.
    pub(super) fn alike<'a>(
        &'a self,
        hash: u32,
        x86: &'a X86,
        instructions: &'a Instructions,
    ) -> impl Iterator<Item = &'a Available> {
        let newest = self.newest.get(&hash).map(|it| &self.all[*it as usize]);
        let all = std::iter::successors(newest, |it| Some(&self.all[it.older? as usize]));
        let own = instructions.pending();
        all.filter(move |it| {
            let Placed { op, operands } = instructions.at(it.instruction);
            matches!(op, Op::X86(it) if it == x86) && are_alike(operands, own)
        })
    }

    pub(super) fn add(&mut self, hash: u32, instruction: u32, block: Block) {
        let older = self.newest.insert(hash, self.all.len() as u32);
        self.all.push(Available { instruction, block, older });
    }
}

/// Whether operands are equal except for the register that is written.
fn are_alike(one: &[Operand], other: &[Operand]) -> bool {
    one[0].constraint() == other[0].constraint() && one[1..] == other[1..]
}
