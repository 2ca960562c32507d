//! Instrumentation: a module that reports every value it computes to an observer.
//!
//! Behind each instruction with results, the values are stored into private scalars that the program does not have,
//! and before values move along a path (into the parameters of a loop, out of an arm of an `if`) a constant is.
//! The observer gets these stores as events, in the order of the run, with values, poison and active lanes.
//! The additions have no control flow, and touch no memory of the program: active sets and results are those of the
//! original module. Only the number of executed instructions differs, and with it the moments at which a schedule
//! that counts instructions lets other waves run, unless the marks are decoded so that they do not count.
//!
//! Deliberately absent: what the values mean. `spread` follows undefined ones through them, `record` remembers them.

use interp::Program;
use ir::exec::{Failure, Trap};
use ir::flow::Structure;
use ir::rewrite::{Rewriter, rewrite};
use ir::{Inst, Memory, Module, Op, Private, Region, Span, Value};
use ops::Ty;

use crate::hash::HashMap;

/// What an added store reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The instruction that defines this value has been executed.
    Defined(Value),
    /// Values are about to move at this instruction: the start of a construct, or a terminator.
    Moves(Inst),
}

/// A module with marks, ready to run.
pub(crate) struct Marked {
    pub(crate) program: Program,
    /// By the number of the added instruction, less that of the first.
    marks: Vec<Option<Mark>>,
    first: u32,
    /// For each instruction at which values move: the values that receive, and those that they receive.
    moves: HashMap<Inst, Vec<(Value, Value)>>,
}

/// What a run found, with the origins that its repetition with marks has, if there was one and it ended; and why that
/// failed other than by the time that the marks take. `found` gives what the run found by itself, without guesses
/// where it or its repetition was cut short: nothing is left then that would confirm them.
pub(crate) fn told<T, E>(
    exact: Option<Result<Option<T>, E>>,
    is_cut_short: bool,
    found: impl FnOnce(Guesses) -> T,
) -> (T, Option<E>) {
    match exact {
        Some(Ok(Some(exact))) => (exact, None),
        Some(Err(why)) => (found(Guesses::Dropped), Some(why)),
        None if is_cut_short => (found(Guesses::Dropped), None),
        Some(Ok(None)) | None => (found(Guesses::Kept), None),
    }
}

/// The treatment of findings whose origin is only likely, since it was searched for in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guesses {
    Kept,
    Dropped,
}

/// Whether a run was ended from outside.
pub(crate) fn is_cancelled(failure: &Failure) -> bool {
    matches!(failure, Failure::Trap(Trap::Cancelled { .. }))
}

impl Marked {
    pub(crate) fn new(module: &Module) -> Marked {
        Marked::decoded(module, interp::decode)
    }

    /// The same, where the marks take no time: a schedule that counts instructions is that of the module itself.
    pub(crate) fn in_step(module: &Module) -> Marked {
        Marked::decoded(module, |marked| interp::decode_marked(marked, module))
    }

    fn decoded(module: &Module, decode: impl FnOnce(&Module) -> Program) -> Marked {
        let moves = moves(module);
        let first = module.insts.len() as u32;
        let mut marks: Vec<Option<Mark>> = Vec::new();
        let mut marked = module.clone();
        let arrays: Vec<(Ty, Private)> = Ty::ALL
            .iter()
            .map(|ty| {
                let memory = Private(marked.privates.len() as u32);
                let (name, span) = ("mark".to_owned(), Span::NONE);
                marked.privates.push(Memory { name, ty: *ty, len: 1, span });
                (*ty, memory)
            })
            .collect();
        let memory_of = |ty: Ty| {
            let found = arrays.iter().find(|it| it.0 == ty);
            found.map_or(Private(0), |it| it.1)
        };
        let mut zero = None;
        rewrite(&mut marked, |to, _: Region, inst| {
            // The first instruction of the body comes first, so that the constant is defined everywhere.
            let zero = *zero.get_or_insert_with(|| to.constant(Ty::I32, 0));
            let mut mark = |to: &mut Rewriter<'_>, value: Value, what: Mark| {
                let memory = memory_of(to.module.ty(value));
                let it = to.inst(Op::PrivateStore { memory, index: zero, value }, &[]);
                let at = (it.0 - first) as usize;
                marks.resize(at + 1, None);
                marks[at] = Some(what);
            };
            if moves.contains_key(&inst) {
                mark(to, zero, Mark::Moves(inst));
            }
            to.keep(inst);
            let data = to.module.inst(inst);
            if data.op.is_construct() || matches!(data.op, Op::Const { .. }) {
                return;
            }
            for value in data.results.clone() {
                mark(to, value, Mark::Defined(value));
            }
        });
        Marked { program: decode(&marked), marks, first, moves }
    }

    /// What an access by this instruction reports, if it has been added.
    pub(crate) fn mark(&self, inst: Inst) -> Option<Mark> {
        let at = inst.0.checked_sub(self.first)?;
        self.marks.get(at as usize).copied().flatten()
    }

    /// The values that receive others anywhere, and those that they receive.
    pub(crate) fn all_moves(&self) -> Vec<(Value, Value)> {
        self.moves.values().flatten().copied().collect()
    }

    /// The values that receive others at an instruction, and those that they receive.
    pub(crate) fn moves(&self, inst: Inst) -> &[(Value, Value)] {
        self.moves.get(&inst).map_or(&[], Vec::as_slice)
    }
}

/// All moves of values along paths of lanes, by the instruction at whose execution they take place.
fn moves(module: &Module) -> HashMap<Inst, Vec<(Value, Value)>> {
    let structure = Structure::of(module);
    let mut moves: HashMap<Inst, Vec<(Value, Value)>> = HashMap::default();
    let mut add = |at: Inst, into: &[Value], from: &[Value]| {
        if !into.is_empty() {
            moves.entry(at).or_default().extend(into.iter().copied().zip(from.iter().copied()));
        }
    };
    for inst in structure.insts() {
        match &module.inst(inst).op {
            Op::Loop { body, inits } => add(inst, &module.region(*body).params, inits),
            Op::Switch { cases, inits, .. } => {
                for case in cases {
                    add(inst, &module.region(case.body).params, inits);
                }
                add(inst, &module.inst(inst).results, inits);
            }
            Op::Exit { to, args } => add(inst, &module.inst(*to).results, args),
            Op::Yield(args) => {
                let region = structure.region(inst);
                let Some(owner) = structure.owner(region) else { continue };
                let into = match &module.inst(owner).op {
                    Op::Loop { body, .. } => &module.region(*body).params,
                    Op::Switch { cases, .. } => {
                        let at = cases.iter().position(|it| it.body == region);
                        match at.and_then(|at| cases.get(at + 1)) {
                            Some(next) => &module.region(next.body).params,
                            None => &module.inst(owner).results,
                        }
                    }
                    _ => &module.inst(owner).results,
                };
                add(inst, into, args);
            }
            _ => {}
        }
    }
    moves
}
