//! Integer scans by whole waves as Hillis–Steele scans: each lane adds the value of the lane one below, then two below,
//! four, and so on, until every lane holds the fold of itself and of all below. Eight lanes take three steps, 32 take
//! five.
//!
//! A device's scan instruction works for any set of active lanes. A driver expands it to a loop even if all lanes are
//! active (NVIDIA 580), since it cannot know that. Here it is known if
//! - waves have a known width, the group's X size is a multiple of it, and the device then fills every wave;
//! - control flow to the scan is uniform ([`Flow::Uniform`]), and lanes that diverged before have reconverged;
//! - no lane has returned: a shader in which some lanes return while others continue has no such scans at all.
//!
//! Integers only: for floats, another order of operations would change the bits. Reductions, and scans over partitions
//! or by masked lanes, remain the device's instructions.

use ir::uniformity::{Flow, analyse};
use ir::{Module, Op, Region, Value};
use ops::{Binary, Compare, Fold, Sign, Ty, WaveOp};

use crate::target::{Class, Target};
use crate::writer::Writer;

/// For each instruction, whether it is such a scan; empty if none is.
pub(crate) fn whole_scans(module: &Module, target: &Target) -> Vec<bool> {
    let whole = target.whole_waves.filter(|it| module.group_size[0].is_multiple_of(*it));
    let is_scan = |op: &Op| match op {
        Op::Wave { op: WaveOp::Scan(_), args, lanes: None } => {
            target.lacks(Class::WholeScan, module.ty(args[0]))
        }
        _ => false,
    };
    if whole.is_none() || !module.insts.iter().any(|it| is_scan(&it.op)) {
        return Vec::new();
    }
    let uniformity = analyse(module);
    let regions = || (0..module.regions.len()).map(|it| Region(it as u32));
    let is_whole = |region: &Region| uniformity.flow(*region) == Flow::Uniform;
    let returns = |region: &Region| {
        let last = module.region(*region).insts.last();
        last.is_some_and(|it| matches!(module.inst(*it).op, Op::Return))
    };
    if regions().any(|it| returns(&it) && !is_whole(&it)) {
        return Vec::new();
    }
    let mut insts = vec![false; module.insts.len()];
    for inst in regions().filter(is_whole).flat_map(|it| &module.region(it).insts) {
        insts[inst.index()] = is_scan(&module.inst(*inst).op);
    }
    insts
}

impl Writer<'_> {
    /// An exclusive scan of integers by all lanes of a wave.
    pub(crate) fn whole_scan(&self, fold: Fold, ty: Ty, a: Value, lanes: u32) -> Value {
        let index = Op::Wave { op: WaveOp::LaneIndex, args: ir::values![], lanes: None };
        let lane = self.value(index, Ty::I32);
        let below = |value: Value, distance: u32| {
            let from = self.with(Binary::Sub, lane, distance.into());
            let args = ir::values![value, from];
            self.value(Op::Wave { op: WaveOp::ReadLaneAt, args, lanes: None }, self.ty(value))
        };
        // The inverse operation, which removes a lane's own value from the fold.
        let inverse = match fold {
            Fold::Sum => Some(Binary::Sub),
            Fold::Xor => Some(Binary::Xor),
            Fold::Product | Fold::Min(_) | Fold::Max(_) | Fold::And | Fold::Or => None,
        };
        // Without an inverse, each lane begins with the value of the lane below.
        let mut folded = match inverse {
            Some(_) => a,
            None => {
                let value = below(a, 1);
                let is_first = self.test(Compare::Eq, lane, self.word(0));
                self.choose(is_first, self.constant(ty, fold.identity(ty)), value)
            }
        };
        for distance in (0..lanes.ilog2()).map(|it| 1 << it) {
            let value = below(folded, distance);
            let joined = self.op2(fold.binary(), value, folded);
            let is_low = self.test(Compare::Lt(Sign::Unsigned), lane, self.word(distance));
            folded = self.choose(is_low, folded, joined);
        }
        match inverse {
            Some(inverse) => self.op2(inverse, folded, a),
            None => folded,
        }
    }
}
