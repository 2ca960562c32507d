//! Warnings about derivatives, and samples with an implicit level of detail, whose operands come from wave operations,
//! or that are reached on a condition from one: wave operations leave helper lanes undefined results, and derivatives
//! read helper lanes.
//!
//! They look at the module, so functions and variables hide nothing. Deliberately absent: memory, values that only a
//! branch chooses, loops that lanes leave on such a condition, and operations that give helper lanes defined results.
//! Runs of the sanitizer find these.

use diag::{Diagnostic, code};
use ir::flow::Structure;
use ir::{Inst, Module, Op, Value};

/// The most passes in which values flow around nested loops; values that need more are missed.
const MOST_PASSES: usize = 8;

pub(crate) fn derivative(module: &Module) -> Vec<Diagnostic> {
    if !module.has_helpers() || module.helpers_take_part() {
        return Vec::new();
    }
    let structure = Structure::of(module);
    let insts: Vec<Inst> = structure.insts().collect();
    let readers: Vec<Inst> = insts.iter().copied().filter(|it| reads_quad(module, *it)).collect();
    if readers.is_empty() || !insts.iter().any(|it| leaves_helpers_out(module, *it)) {
        return Vec::new();
    }
    let from = waves_of(module, &structure, &insts);
    let wave_of = |value: &Value| from[value.index()];
    let mut reports = Vec::new();
    for inst in readers {
        let data = module.inst(inst);
        let ancestors = std::iter::successors(structure.parent(inst), |it| structure.parent(*it));
        let mut selectors = ancestors.filter_map(|it| module.inst(it).op.selector());
        let (wave, message) = if let Some(wave) = data.op.operands().iter().find_map(wave_of) {
            (wave, "a derivative of a wave operation's result")
        } else if let Some(wave) = selectors.find_map(|it| wave_of(&it)) {
            (wave, "a derivative where the result of a wave operation leads")
        } else {
            continue;
        };
        reports.push(
            Diagnostic::new(&code::WAVE_DERIVATIVE, data.span, message)
                .label("this reads helper lanes")
                .also(module.inst(wave).span, "helper lanes get an undefined result here")
                .help("take the derivative before the wave operation, or of something else")
                .help(
                    "`[WaveOpsIncludeHelperLanes]` (shader model 6.7) lets helper lanes take part",
                ),
        );
    }
    reports
}

/// Whether an instruction reads the other lanes of the quad for a derivative.
fn reads_quad(module: &Module, inst: Inst) -> bool {
    match &module.inst(inst).op {
        Op::Derivative(..) => true,
        Op::Texture(texture) => texture.op.needs_quad(),
        _ => false,
    }
}

/// Whether an instruction is a wave operation whose result is undefined in helper lanes.
fn leaves_helpers_out(module: &Module, inst: Inst) -> bool {
    matches!(&module.inst(inst).op, Op::Wave { op, .. } if !op.is_defined_on_helpers())
}

/// For each value, a wave operation from which it was computed.
fn waves_of(module: &Module, structure: &Structure, insts: &[Inst]) -> Vec<Option<Inst>> {
    let mut from: Vec<Option<Inst>> = vec![None; module.values.len()];
    for _ in 0..MOST_PASSES {
        let mut is_changed = false;
        let mut set = |from: &mut Vec<Option<Inst>>, value: Value, wave: Option<Inst>| {
            if wave.is_some() && from[value.index()].is_none() {
                from[value.index()] = wave;
                is_changed = true;
            }
        };
        for inst in insts {
            let data = module.inst(*inst);
            if data.op.is_construct() {
                continue;
            }
            let wave = match leaves_helpers_out(module, *inst) {
                true => Some(*inst),
                false => data.op.operands().iter().find_map(|it| from[it.index()]),
            };
            data.results.iter().for_each(|it| set(&mut from, *it, wave));
        }
        structure.edges(module, |source, into| {
            let wave = from[source.index()];
            set(&mut from, into, wave);
        });
        if !is_changed {
            break;
        }
    }
    from
}
