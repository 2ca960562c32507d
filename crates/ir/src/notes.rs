//! Notes: debug information that is part of the instruction stream, as `llvm.dbg.value` is in LLVM.
//!
//! A module has notes only if it was compiled for debugging. [`Op::Note`] marks where a statement
//! begins, which scalars a variable is given, and where an inlined function begins and ends. A variable is, for each
//! lane, what that lane wrote last: joins need no notes, and inactive lanes have a value of their own.
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

use crate::{HostScalar, Inst, Module, Op, Private, Value, Values, simplify};

/// A function as inlined at one call: an index into [`Notes::scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u32);

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

/// What the notes of a module refer to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// The first is the entry point.
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
    /// The innermost variable that is visible there.
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
    /// For a variable in private memory, where its scalars are; no notes tell its writes.
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
    /// Whether the module was compiled with notes.
    pub fn has_notes(&self) -> bool {
        !self.notes.scopes.is_empty()
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
    module.notes = Notes::default();
    let Module { regions, insts, .. } = &mut module;
    for region in regions {
        region.insts.retain(|it| !matches!(insts[it.index()].op, Op::Note(_)));
    }
    let (insts, values) = simplify::prune_mapped(&mut module);
    module.summarise();
    Stripped { module, insts, values }
}

/// The module without notes: itself, if it has none.
pub fn without(module: &Module) -> Cow<'_, Module> {
    if module.has_notes() { Cow::Owned(strip(module).module) } else { Cow::Borrowed(module) }
}
