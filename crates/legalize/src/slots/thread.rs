//! What identifies the thread of each slot.

use ir::{Builtin, Op, Value};
use ops::intrinsics::ShaderModel;
use ops::{Binary, Compare, Relation, Sign, Ty, WaveOp};

use super::{SLOT_LANES, Slots};
use crate::writer::Writer;

/// Values that are there from the start.
pub(super) struct Threads {
    /// The number of the device's lane, and the set of those below.
    pub(super) lane: Value,
    pub(super) below: Value,
    /// Whether each slot has a thread.
    pub(super) exist: Slots,
    /// The number of each slot's lane in the wave.
    pub(super) lanes: Slots,
    /// What the dispatch provides, for each slot, if the module needs it.
    builtins: Vec<(Builtin, Slots)>,
}

impl Threads {
    pub(super) fn of(writer: &Writer<'_>, width: u32) -> Threads {
        let source = writer.source;
        let size = source.threads_per_group();
        let word = |op| writer.wave_op(op, &[], &[Ty::I32])[0];
        let lane = word(WaveOp::LaneIndex);
        let below = writer.wave_op(WaveOp::LaneRelation(Relation::Less), &[], &[Ty::I32; 4])[0];
        let starts = (0..width).step_by(SLOT_LANES as usize);
        let lanes: Slots = starts.clone().map(|it| plus(writer, lane, it)).collect();
        let has_one_wave = size <= width;
        let threads: Slots = match has_one_wave {
            true => lanes.clone(),
            false => {
                let wave = word(WaveOp::GroupWaveIndex);
                let first = writer.with(Binary::Mul, wave, width.into());
                lanes.iter().map(|it| writer.op2(Binary::Add, first, *it)).collect()
            }
        };
        let exist = starts.zip(&threads).map(|(start, thread)| {
            if size.is_multiple_of(width) || (has_one_wave && size >= start + SLOT_LANES) {
                writer.constant(Ty::Bool, 1)
            } else if has_one_wave && size <= start {
                writer.constant(Ty::Bool, 0)
            } else {
                writer.test(Compare::Lt(Sign::Unsigned), *thread, writer.word(size))
            }
        });
        let exist = exist.collect();
        let mut builtins: Vec<(Builtin, Slots)> = Vec::new();
        for data in &source.insts {
            if let Op::Builtin(builtin) = data.op
                && !builtins.iter().any(|it| it.0 == builtin)
            {
                let all = threads.iter().map(|it| provided(writer, builtin, *it)).collect();
                builtins.push((builtin, all));
            }
        }
        Threads { lane, below, exist, lanes, builtins }
    }

    pub(super) fn builtin(&self, builtin: Builtin) -> &Slots {
        let known = self.builtins.iter().find(|it| it.0 == builtin);
        &known.unwrap_or_else(|| unreachable!("all that the module names has been computed")).1
    }
}

fn plus(writer: &Writer<'_>, word: Value, more: u32) -> Value {
    if more == 0 { word } else { writer.with(Binary::Add, word, more.into()) }
}

fn divided(writer: &Writer<'_>, word: Value, by: u32) -> Value {
    match by {
        1 => word,
        by => writer.with(Binary::Div(Sign::Unsigned), word, by.into()),
    }
}

fn rest(writer: &Writer<'_>, word: Value, of: u32) -> Value {
    let whole = writer.with(Binary::Mul, divided(writer, word, of), of.into());
    writer.op2(Binary::Sub, word, whole)
}

/// What the dispatch provides to a thread, of which the number in the order of lanes is given.
fn provided(writer: &Writer<'_>, builtin: Builtin, thread: Value) -> Value {
    let size = writer.source.group_size;
    let inside = |axis: u8| coordinate(writer, axis, thread);
    match builtin {
        Builtin::GroupId(_) => writer.value(Op::Builtin(builtin), Ty::I32),
        Builtin::GroupThreadId(axis) => inside(axis),
        Builtin::DispatchThreadId(axis) => {
            let group = writer.value(Op::Builtin(Builtin::GroupId(axis)), Ty::I32);
            let first = writer.with(Binary::Mul, group, size[usize::from(axis)].into());
            writer.op2(Binary::Add, first, inside(axis))
        }
        Builtin::GroupIndex if has_squares(writer) => {
            let row = writer.with(Binary::Mul, inside(2), size[1].into());
            let row = writer.op2(Binary::Add, row, inside(1));
            let first = writer.with(Binary::Mul, row, size[0].into());
            writer.op2(Binary::Add, first, inside(0))
        }
        Builtin::GroupIndex => thread,
    }
}

/// Whether each square of 2 by 2 threads has four consecutive lanes, squares row by row.
fn has_squares(writer: &Writer<'_>) -> bool {
    let source = writer.source;
    let [x, y, _] = source.group_size;
    source.needs.quads && x % 2 == 0 && y % 2 == 0 && source.shader_model >= ShaderModel::V6_6
}

/// A coordinate of a thread in its group. The first axis varies fastest.
fn coordinate(writer: &Writer<'_>, axis: u8, thread: Value) -> Value {
    let [x, y, z] = writer.source.group_size;
    if [x, y, z][usize::from(axis)] == 1 {
        return writer.word(0);
    }
    match (axis, has_squares(writer)) {
        (0, false) => rest(writer, thread, x),
        (1, false) => rest(writer, divided(writer, thread, x), y),
        (0 | 1, true) => {
            let square = divided(writer, thread, 4);
            let (at, part) = match axis {
                0 => (rest(writer, square, x / 2), thread),
                _ => {
                    let row = divided(writer, square, x / 2);
                    (rest(writer, row, y / 2), divided(writer, thread, 2))
                }
            };
            let part = writer.with(Binary::And, part, 1);
            let first = writer.with(Binary::Mul, at, 2);
            writer.op2(Binary::Add, first, part)
        }
        (_, _) => divided(writer, thread, x * y),
    }
}
