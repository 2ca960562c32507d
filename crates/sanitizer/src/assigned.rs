//! Assignments: where the source gives a variable a value that no instruction computes there, such as a constant,
//! another variable, or an input of the launch.
//!
//! A module remembers what each variable holds behind each of its assignments, and where that is, also without notes.
//! It does not remember which scalar of the variable a value is, so that a constant may be found in another member.

use diag::Span;
use ir::flow::yielded;
use ir::{Inst, Module, Op, Value, Variable};

use crate::hash::HashMap;

/// The assignments before a place behind which a variable holds a value, in the order of the text.
pub(crate) fn before(
    module: &Module,
    value: Value,
    place: Span,
) -> impl DoubleEndedIterator<Item = &Variable> {
    in_order(holders(module, value).filter(|it| it.span.hi <= place.lo))
}

/// Those after a place.
pub(crate) fn after(
    module: &Module,
    value: Value,
    place: Span,
) -> impl DoubleEndedIterator<Item = &Variable> {
    in_order(holders(module, value).filter(|it| place.hi <= it.span.lo))
}

fn in_order<'m>(all: impl Iterator<Item = &'m Variable>) -> std::vec::IntoIter<&'m Variable> {
    let mut all: Vec<&Variable> = all.collect();
    ops::sort_by_key(&mut all, |it| it.span.lo);
    all.into_iter()
}

/// The assignments behind which a variable holds a value.
pub(crate) fn holders(module: &Module, value: Value) -> impl Iterator<Item = &Variable> {
    module.variables.iter().filter(move |it| !it.span.is_none() && it.values.contains(&value))
}

/// The earlier in the text of an assignment and an instruction: its place, and the instruction if it is one.
pub(crate) fn earlier(
    module: &Module,
    variable: Option<&Variable>,
    inst: Option<Inst>,
) -> Option<(Span, Option<Inst>)> {
    let by_variable = variable.map(|it| (it.span, None));
    let by_inst = inst.map(|it| (module.inst(it).span, Some(it)));
    by_variable.into_iter().chain(by_inst).min_by_key(|it| it.0.lo)
}

/// A branch of which one arm assigns a scalar of a variable, and the other leaves it as it was declared, without a
/// value.
#[derive(Debug)]
pub(crate) struct Skipped {
    /// Whether the branch is the odd one: the variable is set piece by piece, other pieces have been assigned before,
    /// and the branch begins with one that has not. A variable that has no value at all before the branch, or that the
    /// branch sets as a whole, lacks one where it is declared.
    pub(crate) is_odd: bool,
    pub(crate) branch: Inst,
    /// The scalar behind the branch, and before.
    pub(crate) joined: Value,
    pub(crate) unset: Value,
    /// The variable, and the assignment that is skipped.
    pub(crate) variable: String,
    pub(crate) assignment: Span,
}

/// All such branches of a module.
pub(crate) fn skipped(module: &Module) -> Vec<Skipped> {
    let branches = (0..module.insts.len() as u32).map(Inst);
    let pieces: Vec<(Inst, Vec<Piece>)> =
        branches.map(|it| (it, pieces(module, it))).filter(|it| !it.1.is_empty()).collect();
    if pieces.is_empty() {
        return Vec::new();
    }
    let names = by_name(module);
    let all = pieces.iter().flat_map(|(branch, pieces)| {
        let one = |it: &Piece| skipped_piece(module, &names, (*branch, pieces), *it);
        pieces.iter().filter_map(one).collect::<Vec<_>>()
    });
    all.collect()
}

/// The assignments to variables of one name, in the order of the text.
type Names<'m> = HashMap<&'m str, Vec<&'m Variable>>;

fn by_name(module: &Module) -> Names<'_> {
    let mut names: Names<'_> = HashMap::default();
    for it in module.variables.iter().filter(|it| !it.span.is_none()) {
        names.entry(it.name.as_str()).or_default().push(it);
    }
    names.values_mut().for_each(|it| ops::sort_by_key(it, |it| it.span.lo));
    names
}

/// A scalar that one arm of a branch sets, and the other leaves unset.
#[derive(Clone, Copy)]
struct Piece {
    joined: Value,
    unset: Value,
    set: Value,
}

fn pieces(module: &Module, branch: Inst) -> Vec<Piece> {
    let data = module.inst(branch);
    let Op::If { then, else_, .. } = data.op else { return Vec::new() };
    let (Some(then), Some(else_)) = (yielded(module, then), yielded(module, else_)) else {
        return Vec::new();
    };
    let is_unset = |it: Value| matches!(module.op_of(it), Some(Op::Undef(_)));
    let ways = data.results.iter().copied().zip(then.iter().copied().zip(else_.iter().copied()));
    let one = |(joined, (a, b)): (Value, (Value, Value))| match [is_unset(a), is_unset(b)] {
        [true, false] => Some(Piece { joined, unset: a, set: b }),
        [false, true] => Some(Piece { joined, unset: b, set: a }),
        _ => None,
    };
    ways.filter_map(one).collect()
}

fn skipped_piece<'m>(
    module: &'m Module,
    names: &Names<'m>,
    (branch, pieces): (Inst, &[Piece]),
    Piece { joined, unset, set }: Piece,
) -> Option<Skipped> {
    let span = module.inst(branch).span;
    let declared = holders(module, unset).next()?;
    let own = names.get(declared.name.as_str())?;
    let start = own.partition_point(|it| it.span.lo < span.lo);
    let (before, rest) = own.split_at(start);
    // Behind an assignment of a part, something is still unset.
    let is_of_a_part = |it: &&Variable| {
        it.span != declared.span && it.span.hi <= span.lo && it.values.contains(&unset)
    };
    let is_partly_set = before.iter().any(is_of_a_part);
    let inside = &rest[..rest.partition_point(|it| it.span.lo < span.hi)];
    let first = inside.first()?;
    let is_odd = is_partly_set && pieces.iter().any(|it| first.values.contains(&it.set));
    let assignment = inside.iter().find(|it| it.values.contains(&set))?;
    let (variable, assignment) = (assignment.name.clone(), assignment.span);
    Some(Skipped { is_odd, branch, joined, unset, variable, assignment })
}
