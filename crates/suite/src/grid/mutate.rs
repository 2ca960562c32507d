//! Mutation testing of a cell: a slightly wrong wave function must not go unnoticed.
//!
//! The mutations change the operation ([`neighbours`]), the active set, the lanes of a mask, the width of the
//! element type, and the components of vectors. Those without an effect are listed with the reason.

use ir::flow::Structure;
use ir::rewrite::{Rewriter, rewrite};
use ir::{Inst, Module, Op, Value};
use ops::intrinsics::Meaning;
use ops::{Binary, Compare, Fold, QuadDirection, Relation, Sign, Ty, Unary, WaveOp};

use super::{Cell, Shape};

/// A broken module and its broken shapes.
pub struct Mutant {
    pub what: String,
    pub module: Module,
    pub touched: Vec<Shape>,
}

/// All mutations that apply to a cell at a width; and for those without an effect, the reasons.
pub fn mutants(cell: &Cell, module: &Module, width: u32) -> (Vec<Mutant>, Vec<&'static str>) {
    let mut mutants = Vec::new();
    let mut idle = Vec::new();
    let insts = under_test(module);
    let every = cell.shapes.clone();
    let several: Vec<Shape> =
        cell.shapes.iter().copied().filter(|it| it.components() > 1).collect();
    let mut add = |what: String, touched: &[Shape], change: &dyn Fn(&mut Module) -> bool| {
        let mut mutant = module.clone();
        if !touched.is_empty() && change(&mut mutant) {
            mutants.push(Mutant { what, module: mutant, touched: touched.to_vec() });
        }
    };
    match cell.row.meaning {
        Meaning::Barrier(_) => {
            idle.push("lanes of a wave run in lockstep, so that a barrier inside it orders nothing")
        }
        Meaning::Wave(row_op) => {
            // The one in the module has the sign of the cell's type.
            let op = insts.iter().find_map(|inst| wave_op(module, *inst)).unwrap_or(row_op);
            for other in neighbours(op) {
                match same_here(op, other, cell, width) {
                    Some(reason) => idle.push(reason),
                    None => add(format!("{other:?} for {op:?}"), &every, &|it| {
                        replace_operation(it, &insts, other)
                    }),
                }
            }
            if op == WaveOp::AllEqual {
                add("a comparison of each lane with itself".into(), &every, &|it| {
                    compare_with_itself(it, &insts)
                });
            }
            if cell.row.is_masked() {
                add("the active lanes for those of the mask".into(), &every, &|it| {
                    drop_mask(it, &insts)
                });
            }
        }
    }
    match ignores_active(cell) {
        Some(reason) => idle.push(reason),
        None => add("all lanes active".into(), &every, &|it| activate_all_lanes(it, &insts)),
    }
    add("values narrowed".into(), &every, &|it| narrow(it, &insts));
    add("the first component for the second".into(), &several, &|it| {
        first_for_second(it, cell, &insts)
    });
    (mutants, idle)
}

/// The operations with which a wave operation is easily confused.
pub fn neighbours(op: WaveOp) -> Vec<WaveOp> {
    use WaveOp::*;
    match op {
        LaneIndex => vec![LaneCount],
        LaneCount => vec![LaneIndex],
        IsFirstLane => vec![IsHelperLane],
        IsHelperLane => vec![IsFirstLane],
        GroupWaveIndex => vec![GroupWaveCount, LaneIndex],
        GroupWaveCount => vec![GroupWaveIndex, LaneCount],
        LaneRelation(relation) => vec![LaneRelation(match relation {
            Relation::Equal => Relation::GreaterEqual,
            Relation::GreaterEqual => Relation::Greater,
            Relation::Greater => Relation::Less,
            Relation::Less => Relation::LessEqual,
            Relation::LessEqual => Relation::Equal,
        })],
        ActiveLanes | ConvergedLanes => vec![LaneRelation(Relation::LessEqual)],
        AnyTrue => vec![AllTrue, QuadAny],
        AllTrue => vec![AnyTrue, QuadAll],
        Ballot => vec![ActiveLanes, Match],
        CountBits => vec![PrefixCountBits],
        PrefixCountBits => vec![CountBits],
        ReadLaneFirst => vec![QuadRead(QuadDirection::X)],
        ReadLaneAt => vec![Rotate, ReadLaneFirst],
        Rotate => vec![ReadLaneAt],
        ClusteredRotate => vec![Rotate],
        // No other operation maps a value to a truth value: see `compare_with_itself`.
        AllEqual => Vec::new(),
        Reduce(fold) => folds(fold).into_iter().map(Reduce).chain([Scan(fold)]).collect(),
        Scan(fold) => folds(fold).into_iter().map(Scan).chain([Reduce(fold)]).collect(),
        Match => vec![ActiveLanes, LaneRelation(Relation::Equal)],
        MultiPrefixCountBits => vec![PrefixCountBits],
        MultiReduce(fold) => folds(fold)
            .into_iter()
            .map(MultiReduce)
            .chain([MultiScanInclusive(fold), Reduce(fold)])
            .collect(),
        MultiScan(fold) => folds(fold)
            .into_iter()
            .map(MultiScan)
            .chain([MultiScanInclusive(fold), Scan(fold)])
            .collect(),
        MultiScanInclusive(fold) => folds(fold)
            .into_iter()
            .map(MultiScanInclusive)
            .chain([MultiScan(fold), MultiReduce(fold)])
            .collect(),
        QuadRead(direction) => vec![QuadRead(match direction {
            QuadDirection::X => QuadDirection::Y,
            QuadDirection::Y => QuadDirection::Diagonal,
            QuadDirection::Diagonal => QuadDirection::X,
        })],
        QuadReadLaneAt => vec![QuadRead(QuadDirection::X), ReadLaneAt],
        QuadAny => vec![QuadAll, AnyTrue],
        QuadAll => vec![QuadAny, AllTrue],
    }
}

fn folds(fold: Fold) -> Vec<Fold> {
    match fold {
        Fold::Sum => vec![Fold::Product],
        Fold::Product => vec![Fold::Sum],
        Fold::Min(sign) => vec![Fold::Max(sign), Fold::Min(other(sign))],
        Fold::Max(sign) => vec![Fold::Min(sign), Fold::Max(other(sign))],
        Fold::And => vec![Fold::Or],
        Fold::Or => vec![Fold::Xor],
        Fold::Xor => vec![Fold::Or],
    }
}

fn other(sign: Sign) -> Sign {
    match sign {
        Sign::Signed => Sign::Unsigned,
        Sign::Unsigned => Sign::Signed,
    }
}

/// Why a neighbour is the same operation in this cell, if it is.
fn same_here(op: WaveOp, other: WaveOp, cell: &Cell, width: u32) -> Option<&'static str> {
    match (op.fold(), other.fold()) {
        (Some(Fold::Min(a)), Some(Fold::Min(b))) | (Some(Fold::Max(a)), Some(Fold::Max(b)))
            if a != b && cell.spelling.kind.is_float() =>
        {
            return Some("floats have no separate signedness");
        }
        _ => {}
    }
    match (op, other) {
        (WaveOp::QuadAny, WaveOp::AnyTrue) | (WaveOp::QuadAll, WaveOp::AllTrue) if width == 4 => {
            Some("a wave of four lanes is one quad")
        }
        (WaveOp::AnyTrue, WaveOp::QuadAny) | (WaveOp::AllTrue, WaveOp::QuadAll) if width == 4 => {
            Some("a wave of four lanes is one quad")
        }
        _ => None,
    }
}

/// Why the active set makes no difference to a cell, if it does not.
fn ignores_active(cell: &Cell) -> Option<&'static str> {
    let Meaning::Wave(op) = cell.row.meaning else { return None };
    match op {
        WaveOp::GroupWaveIndex | WaveOp::GroupWaveCount => {
            Some("a wave keeps its place in the group")
        }
        WaveOp::IsHelperLane => Some("there are no helper lanes in compute"),
        op if op.sees_lanes() => None,
        _ => Some("lanes keep their index, whichever of them are active"),
    }
}

/// The wave operations and barriers of a module, in textual order.
fn under_test(module: &Module) -> Vec<Inst> {
    let is_tested = |it: &Inst| matches!(module.inst(*it).op, Op::Wave { .. } | Op::Barrier { .. });
    Structure::of(module).insts().filter(is_tested).collect()
}

fn wave_op(module: &Module, inst: Inst) -> Option<WaveOp> {
    match &module.inst(inst).op {
        Op::Wave { op, .. } => Some(*op),
        _ => None,
    }
}

/// Operands that the other operation lacks are dropped.
fn replace_operation(module: &mut Module, insts: &[Inst], other: WaveOp) -> bool {
    use ops::wave::Operands as In;
    for inst in insts {
        let Op::Wave { op, args, .. } = &mut module.insts[inst.index()].op else { continue };
        *op = other;
        args.truncate(match other.signature().operands {
            In::None => 0,
            In::Bool | In::Value => 1,
            In::ValueAndIndex => 2,
            In::ValueAndTwoIndices => 3,
            In::BoolAndLanes | In::ValueAndLanes => 5,
            In::Values => args.len(),
        });
        if let Some(value) = args.first().copied()
            && !other.takes(module.ty(value))
        {
            return false;
        }
    }
    true
}

fn compare_with_itself(module: &mut Module, insts: &[Inst]) -> bool {
    for inst in insts {
        let op = &mut module.insts[inst.index()].op;
        if let Op::Wave { args, .. } = op {
            *op = Op::Compare(Compare::Eq, args[0], args[0]);
        }
    }
    true
}

/// The condition before the operation becomes true in every lane, the one before the stores does not; and masks are
/// dropped.
fn activate_all_lanes(module: &mut Module, insts: &[Inst]) -> bool {
    drop_mask(module, insts);
    let Some(first) = insts.first() else { return false };
    let Some(branch) = branch_around(module, *first) else { return false };
    rewrite(module, |to, _, inst| {
        if inst == branch {
            let always = to.constant(Ty::Bool, 1);
            if let Op::If { cond, .. } = &mut to.module.insts[inst.index()].op {
                *cond = always;
            }
        }
        to.keep(inst);
    });
    true
}

/// The innermost branch around an instruction.
fn branch_around(module: &Module, wanted: Inst) -> Option<Inst> {
    let structure = Structure::of(module);
    let around = std::iter::successors(structure.parent(wanted), |it| structure.parent(*it));
    around.into_iter().find(|it| matches!(module.inst(*it).op, Op::If { .. }))
}

fn drop_mask(module: &mut Module, insts: &[Inst]) -> bool {
    for inst in insts {
        if let Op::Wave { lanes, .. } | Op::Barrier { lanes, .. } =
            &mut module.insts[inst.index()].op
        {
            *lanes = None;
        }
    }
    true
}

/// Keeps one half of 16-bit and 64-bit values: the upper half of integers, the lower one of floats.
fn narrow(module: &mut Module, insts: &[Inst]) -> bool {
    let mut narrowed = false;
    rewrite(module, |to, _, inst| {
        if let (true, Op::Wave { op, args, .. }) = (insts.contains(&inst), &to.module.inst(inst).op)
        {
            let (op, mut args) = (*op, args.clone());
            let values = if op == WaveOp::Match { args.len() } else { 1 };
            for value in args.iter_mut().take(values) {
                let half = half(to, *value);
                narrowed |= half.is_some();
                *value = half.unwrap_or(*value);
            }
            if let Op::Wave { args: own, .. } = &mut to.module.insts[inst.index()].op {
                *own = args;
            }
        }
        to.keep(inst);
    });
    narrowed
}

/// One half of a value that is not 32 bits wide.
fn half(to: &mut Rewriter<'_>, value: Value) -> Option<Value> {
    let ty = to.module.ty(value);
    let (int, kept) = match ty {
        Ty::I16 => (Ty::I16, 0x00ff),
        Ty::F16 => (Ty::I16, 0xff00),
        Ty::I64 => (Ty::I64, 0x0000_0000_ffff_ffff),
        Ty::F64 => (Ty::I64, 0xffff_ffff_0000_0000),
        Ty::Bool | Ty::I32 | Ty::F32 => return None,
    };
    let bits = to.value(Op::Unary(Unary::Bitcast(int), value), int);
    let mask = to.constant(int, kept);
    let half = to.value(Op::Binary(Binary::And, bits, mask), int);
    Some(to.value(Op::Unary(Unary::Bitcast(ty), half), ty))
}

/// In each vector and matrix.
fn first_for_second(module: &mut Module, cell: &Cell, insts: &[Inst]) -> bool {
    // One operation for each component, or one for all of them.
    let together = insts.len() == cell.shapes.len();
    for (i, shape) in cell.shapes.iter().enumerate().filter(|(_, shape)| shape.components() > 1) {
        let first = |module: &Module, inst: Inst| match &module.inst(inst).op {
            Op::Wave { args, .. } => args.first().copied(),
            _ => None,
        };
        let from = if together { insts[i] } else { insts[shape.first] };
        let Some(value) = first(module, from) else { return false };
        let (to, arg) = if together { (insts[i], 1) } else { (insts[shape.first + 1], 0) };
        if let Op::Wave { args, .. } = &mut module.insts[to.index()].op {
            args[arg] = value;
        }
    }
    true
}
