//! Notes: debug information that is part of the instruction stream, as `llvm.dbg.value` is in LLVM.
//!
//! A module has notes only if it was compiled for debugging. [`Op::Note`] marks where a statement
//! begins, which scalars a variable is given, and where an inlined function begins and ends. A variable is, for each
//! lane, what that lane wrote last: joins need no notes, and inactive lanes have their own values.
//!
//! A note has no result and no effect. The law, which tests state for whole programs: with notes and without, a
//! program leaves the same bytes, has the same findings, and reports the same other events. Three things could break
//! it, and each has one answer:
//! - Arithmetic that only notes use stays in the module. It counts for nothing where schedules and fuel count
//!   instructions, and raises no hazards: the reference engine finds it with [`strip`].
//! - Every engine and emitter but the reference engine drops notes before it reads the module, with [`without`].
//! - Notes of an unrolled loop are repeated, with the same numbers.

use std::borrow::Cow;

use diag::Span;

use crate::{HostScalar, Inst, InstData, Module, Op, Private, Value, Values, simplify};

/// A function as inlined at one call: an index into [`Notes::scopes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u32);

impl ScopeId {
    /// That of the entry point.
    pub const ENTRY: ScopeId = ScopeId(0);
}

/// A variable of one scope: an index into [`Notes::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// What a note says about its place in the module. Its span is that of its instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// A statement begins. The variables visible there are `innermost` and those [`outside`](Variable::outside) it.
    Statement { scope: ScopeId, innermost: Option<VariableId> },
    /// The active lanes give these values to the scalars of a variable from `first` on.
    Write { variable: VariableId, first: u32, values: Values },
    /// The active lanes enter a function: none of its variables has a value yet.
    Call { scope: ScopeId },
    /// The active lanes are back from it.
    Return { scope: ScopeId },
}

/// The functions of a module, and what its notes refer to.
///
/// Every module has the scopes of its instructions: they are the inlining tree that LLVM keeps as `inlinedAt`, from
/// which findings get their call stacks. Everything else is there for debuggers only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// Whether the module was compiled with notes.
    pub are_complete: bool,
    /// The first is the entry point, and a caller comes before those that it calls. Empty if all instructions belong to
    /// the entry point, unless there are notes.
    pub scopes: Vec<Scope>,
    pub variables: Vec<Variable>,
    /// The `static` variables, which are visible everywhere.
    pub statics: Vec<VariableId>,
}

/// A function as inlined at one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    pub function: String,
    /// Where it is called; [`Span::NONE`] for the entry point.
    pub call: Span,
    /// The scope of the call.
    pub caller: Option<ScopeId>,
    /// The innermost variable that is visible there, if there are notes.
    pub innermost: Option<VariableId>,
}

/// A source variable in one scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    /// The type as HLSL spells it.
    pub ty: String,
    /// The scalars in the order of the type: their paths within the variable, such as `.Position.x`, and their types.
    pub scalars: Vec<Scalar>,
    /// Its declaration.
    pub span: Span,
    /// `None` for a static variable.
    pub scope: Option<ScopeId>,
    /// The variable that was declared before it and is visible where it is.
    pub outside: Option<VariableId>,
    /// For a variable in private memory, where its scalars are; no notes record its writes.
    pub memory: Option<Vec<InMemory>>,
}

/// A scalar of a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    pub path: String,
    pub ty: HostScalar,
}

/// A scalar in private memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InMemory {
    pub array: Private,
    pub index: u32,
}

impl Module {
    /// The functions that an instruction is in, the innermost first: each with its name and with the place where the
    /// next one is called, or the instruction itself stands.
    pub fn stack(&self, inst: Inst) -> Vec<(&str, Span)> {
        let mut stack = Vec::new();
        let InstData { span, scope, .. } = self.inst(inst);
        let (mut span, mut at) = (*span, Some(*scope));
        while let Some(scope) = at.and_then(|it| self.notes.scopes.get(it.0 as usize)) {
            stack.push((scope.function.as_str(), span));
            (span, at) = (scope.call, scope.caller);
        }
        if stack.is_empty() {
            stack.push((self.name.as_str(), span));
        }
        stack
    }

    /// Whether the module was compiled with notes.
    pub fn has_notes(&self) -> bool {
        self.notes.are_complete
    }
}

impl Notes {
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// The variables that are visible where the statement begins, the innermost first; then those of the module.
    pub fn visible(&self, innermost: Option<VariableId>) -> impl Iterator<Item = VariableId> {
        let chain = std::iter::successors(innermost, |it| self.variable(*it).outside);
        chain.chain(self.statics.iter().copied())
    }
}

/// A module without its notes, and how its parts were called with them.
pub struct Stripped {
    pub module: Module,
    /// For each instruction of the module with notes its number now; `None` if only notes needed it.
    pub insts: Vec<Option<Inst>>,
    /// The same for values.
    pub values: Vec<Option<Value>>,
}

/// Drops notes and what only notes need. What is left equals the module as compiled without notes.
pub fn strip(module: &Module) -> Stripped {
    let mut module = module.clone();
    let mut scopes = std::mem::take(&mut module.notes.scopes);
    scopes.iter_mut().for_each(|it| it.innermost = None);
    module.notes = Notes { scopes, ..Notes::default() };
    let Module { regions, insts, .. } = &mut module;
    for region in regions {
        region.insts.retain(|it| !matches!(insts[it.index()].op, Op::Note(_)));
    }
    let (insts, values) = simplify::prune_mapped(&mut module);
    module.summarise();
    Stripped { module, insts, values }
}

/// A module with notes of its statements alone, for observers that read no values: what only other notes need is gone.
/// A run of it is cheaper, and otherwise that of the module.
pub fn statements(module: &Module) -> Module {
    let mut module = module.clone();
    let Module { regions, insts, .. } = &mut module;
    let is_other =
        |op: &Op| matches!(op, Op::Note(note) if !matches!(**note, Note::Statement { .. }));
    for region in regions {
        region.insts.retain(|it| !is_other(&insts[it.index()].op));
    }
    simplify::prune_mapped(&mut module);
    module.summarise();
    module
}

/// Drops the scopes that no instruction of a module without notes is in, and numbers the others anew.
pub(crate) fn drop_unused_scopes(module: &mut Module) {
    if module.has_notes() || module.notes.scopes.is_empty() {
        return;
    }
    let count = module.notes.scopes.len();
    let exists = |it: ScopeId| (it.0 as usize) < count;
    let are_whole = module.insts.iter().all(|it| exists(it.scope))
        && module.notes.scopes.iter().all(|it| it.caller.is_none_or(exists));
    if !are_whole {
        // A malformed module is left to the verifier.
        return;
    }
    let scopes = std::mem::take(&mut module.notes.scopes);
    let mut is_used = vec![false; scopes.len()];
    for data in &module.insts {
        let mut at = Some(data.scope);
        while let Some(scope) = at
            && !std::mem::replace(&mut is_used[scope.0 as usize], true)
        {
            at = scopes[scope.0 as usize].caller;
        }
    }
    if !is_used[1..].contains(&true) {
        module.insts.iter_mut().for_each(|it| it.scope = ScopeId::ENTRY);
        return;
    }
    is_used[0] = true;
    let mut next = 0;
    let numbers: Vec<ScopeId> = is_used
        .iter()
        .map(|it| {
            let number = ScopeId(next);
            next += u32::from(*it);
            number
        })
        .collect();
    let new = |it: ScopeId| numbers[it.0 as usize];
    module.insts.iter_mut().for_each(|it| it.scope = new(it.scope));
    let kept = scopes.into_iter().zip(is_used).filter(|it| it.1);
    module.notes.scopes = kept.map(|(it, _)| Scope { caller: it.caller.map(new), ..it }).collect();
}

/// The module without notes: itself, if it has none.
pub fn without(module: &Module) -> Cow<'_, Module> {
    if module.has_notes() { Cow::Owned(strip(module).module) } else { Cow::Borrowed(module) }
}
