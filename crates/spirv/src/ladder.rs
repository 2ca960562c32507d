//! Scans of integers by whole waves as ladders: each lane takes in what the lane one below holds, then the one two below,
//! four, and so on, until every lane holds the fold of itself and of all below. Eight lanes take three steps, 32 take five.
//!
//! SPIR-V's instruction for a scan serves whichever lanes are active. A driver makes a loop of that even where they are all
//! of them (NVIDIA 580): that the whole wave comes is known here and not there. It does where
//! - waves have a known width, X of the group is a multiple of it, and the device then leaves no lane out;
//! - no lanes part on the way to the scan ([`Flow::Uniform`]), and those that parted before have met again, which takes
//!   maximal reconvergence;
//! - no lane has returned: a shader in which some lanes return while others stay has no ladders at all.
//!
//! Integers only: of floats another order of the operations would change the bits. Folds, and scans over partitions or by
//! named lanes, stay the instructions that they are.

use std::cell::OnceCell;

use ir::shape::{Flow, Shapes, shape};
use ir::{Inst, Module, Op, Region};
use ops::{Binary, Fold, Ty, WaveOp};

use crate::emit::Emitter;
use crate::environment::{Environment, Extension};
use crate::module::Id;
use crate::opcode as op;

/// The scans that become ladders.
#[derive(Default)]
pub(crate) struct Ladders {
    /// For each instruction whether it is one; empty where none is.
    insts: Vec<bool>,
    lanes: u32,
}

impl Ladders {
    pub(crate) fn of(
        module: &Module,
        environment: &Environment,
        shapes: &OnceCell<Shapes>,
    ) -> Ladders {
        let Some(lanes) = full_waves(module, environment) else { return Ladders::default() };
        if !module.insts.iter().any(|it| is_scan(module, &it.op)) {
            return Ladders::default();
        }
        let shapes = shapes.get_or_init(|| shape(module));
        let regions = || (0..module.regions.len()).map(|it| Region(it as u32));
        let is_whole = |region: &Region| shapes.flow(*region) == Flow::Uniform;
        let returns = |region: &Region| {
            let last = module.region(*region).insts.last();
            last.is_some_and(|it| matches!(module.inst(*it).op, Op::Return))
        };
        if regions().any(|it| returns(&it) && !is_whole(&it)) {
            return Ladders::default();
        }
        let mut insts = vec![false; module.insts.len()];
        for inst in regions().filter(is_whole).flat_map(|it| &module.region(it).insts) {
            insts[inst.index()] = is_scan(module, &module.inst(*inst).op);
        }
        Ladders { insts, lanes }
    }

    /// How many lanes climb together.
    pub(crate) fn lanes(&self, inst: Inst) -> Option<u32> {
        self.insts.get(inst.index()).is_some_and(|it| *it).then_some(self.lanes)
    }
}

/// How many lanes every wave of the module has, if no lane of any is missing.
fn full_waves(module: &Module, environment: &Environment) -> Option<u32> {
    let lanes = environment.lanes.filter(|it| module.group_size[0].is_multiple_of(*it))?;
    let certain = environment.full_waves && environment.has(Extension::MaximalReconvergence);
    (certain && environment.relative_reads).then_some(lanes)
}

fn is_scan(module: &Module, op: &Op) -> bool {
    match op {
        Op::Wave { op: WaveOp::Scan(_), args, lanes: None } => module.ty(args[0]).is_int(),
        _ => false,
    }
}

impl Emitter<'_> {
    /// An exclusive scan of integers by all lanes of a whole wave.
    pub(crate) fn climb(&mut self, fold: Fold, ty: Ty, a: Id, lanes: u32) -> Id {
        if ty == Ty::I16 {
            return self.in_words(fold, a, |it, word| it.climb(fold, Ty::I32, word, lanes));
        }
        let lane = self.input(op::SUBGROUP_LOCAL_INVOCATION_ID);
        let joins = fold.binary();
        // What takes a lane's own value out of the fold again.
        let inverse = match fold {
            Fold::Sum => Some(Binary::Sub),
            Fold::Xor => Some(Binary::Xor),
            Fold::Product | Fold::Min(_) | Fold::Max(_) | Fold::And | Fold::Or => None,
        };
        // Without an inverse each lane begins with the value of the lane below.
        let mut folded = match inverse {
            Some(_) => a,
            None => {
                let below = self.held_below(ty, a, 1);
                let nothing = self.out.constant(ty, fold.identity(ty));
                let zero = self.out.word(0);
                let is_first = self.test(op::I_EQUAL, lane, zero);
                self.choose(ty, is_first, nothing, below)
            }
        };
        for distance in (0..lanes.ilog2()).map(|it| 1 << it) {
            let below = self.held_below(ty, folded, distance);
            let joined = self.binary(joins, ty, below, folded, None);
            let distance = self.out.word(distance);
            let is_low = self.test(op::U_LESS_THAN, lane, distance);
            folded = self.choose(ty, is_low, folded, joined);
        }
        match inverse {
            Some(inverse) => self.binary(inverse, ty, folded, a, None),
            None => folded,
        }
    }
}
