//! The checked program to IR: aggregates become scalars, calls are inlined, structured code becomes SSA.
//!
//! A value of HLSL is a `Vec` of scalars in the order of [`crate::types::Types::flatten`]; an lvalue (`place`) says
//! where such scalars are.
//! Variables live in SSA slots (`env`) unless they are large or indexed dynamically: then they are arrays in the
//! lane's private memory (`memory`). The active lanes follow from structure alone, so `control` builds exactly the
//! constructs that `docs/semantics.md` B.2 describes.
//!
//! Deliberately absent: optimisation. Only addresses are folded, because folding hides uninitialised values; dead
//! values are left to [`ir::simplify`].

mod buffer;
mod call;
mod constant;
mod control;
mod emitted;
mod env;
mod expr;
mod factors;
mod facts;
mod finish;
mod group;
mod memory;
mod note;
mod pixel;
mod place;
mod print;
mod ray;
mod resource;
mod texture;
mod unroll;
mod wave;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::rc::Rc;

use diag::{Diagnostic, Sink, Span, code};
use ir::notes::Scope;
use ir::print::MessageData;
use ir::{Builder, Module, Op, Private, Region, Value, Values};
use ops::Ty;

use crate::hash::QuickMap;
use crate::hir::{FunctionId, GlobalKind, LocalId, Program};
use crate::options::Options;
use crate::types::{Scalar, Type, TypeId};

use call::Frame;
use constant::Prelude;
use control::{Block, Break};
use emitted::Emission;
use env::{Env, Mark};
use facts::Facts;
use group::GroupState;
use note::NoteTaker;
use place::Storage;
use resource::Handles;
pub(crate) use resource::unreached;
pub use resource::{OpaqueResource, Unreached};

/// The maximum number of instructions, and of arguments of branches, of a module.
const MOST_INSTS: usize = 2_000_000;
const MOST_BRANCH_ARGS: usize = 16_000_000;
/// The limit on the work of lowering: a statement, an expression or a scalar that is passed on is one step, and so is
/// every scalar of the variables of a call. Calls that emit no instruction count, too.
const MOST_STEPS: u64 = 1 << 26;
/// The maximum depth of calls; there is no recursion, so this is a chain of that many functions.
const MOST_CALLS: usize = 256;
/// The maximum nesting of statements and expressions, inlined calls included: each level takes some of our stack.
const MOST_NESTING: u32 = 800;
/// The maximum number of scalars of one value.
const MOST_SCALARS: u64 = 1 << 16;
/// The maximum number of scalars of all variables of the functions in progress.
const MOST_SLOTS: u32 = 1 << 20;

/// Lowers a checked program to a module. Returns `None` after an error.
pub fn lower(program: &Program, options: &Options, sink: &mut Sink) -> Option<Module> {
    let mut lowerer = Lowerer {
        sink,
        program,
        native_16bit: program.entry.native_16bit,
        has_tiles: options.has_tiles,
        builder: Builder::new(empty_module(program)),
        prelude: Prelude::default(),
        env: Env::default(),
        facts: Facts::of(program),
        handles: Handles::default(),
        bindings: Vec::new(),
        globals: Vec::new(),
        privates: QuickMap::default(),
        messages: HashMap::new(),
        leaves: QuickMap::default(),
        frames: Vec::new(),
        blocks: Vec::new(),
        breaks: Vec::new(),
        continues: Vec::new(),
        loops: Vec::new(),
        unrolling: 0,
        unrolled: 0,
        reachable: true,
        regions: 0,
        depth: 0,
        branch_args: 0,
        steps: 0,
        variable_values: 0,
        wave_masks: false,
        scopes: Vec::new(),
        notes: options.notes.then(NoteTaker::default),
        group: GroupState::default(),
        emission: None,
    };
    match lowerer.program() {
        Ok(()) => Some(lowerer.finish()),
        Err(Abort(diagnostic)) => {
            lowerer.sink.push(*diagnostic);
            None
        }
    }
}

/// Lowering cannot continue, for a reason that is reported. Only size and unsupported features are left to fail here,
/// so the first error is the last.
#[derive(Debug)]
struct Abort(Box<Diagnostic>);

type Lower<T> = Result<T, Abort>;

struct Lowerer<'a> {
    sink: &'a mut Sink,
    program: &'a Program,
    native_16bit: bool,
    /// Resources may have unmapped parts.
    has_tiles: bool,
    builder: Builder,
    prelude: Prelude,
    env: Env,
    facts: Facts,
    handles: Handles,
    /// One per resource of the program; `None` for kinds that the IR does not have.
    bindings: Vec<Option<ir::Binding>>,
    globals: Vec<Storage>,
    /// The first private array of a variable. Without recursion, all inlined copies of a function share them.
    privates: QuickMap<(FunctionId, LocalId), Private>,
    /// The numbers of the messages so far.
    messages: HashMap<MessageData, ir::Message>,
    leaves: QuickMap<TypeId, Rc<[Option<Ty>]>>,
    /// The calls in progress, the entry point's first.
    frames: Vec<Frame>,
    /// The enclosing `block`s, in which exits are collected.
    blocks: Vec<Block>,
    /// The targets of `break`, innermost last.
    breaks: Vec<Break>,
    /// The blocks at whose end `continue` lands, innermost last.
    continues: Vec<usize>,
    /// The starts of the enclosing loops and switches.
    loops: Vec<Mark>,
    /// The number of enclosing unrolled loops, and of iterations unrolled so far.
    unrolling: u32,
    unrolled: u32,
    /// Whether the current point is reachable: not so after a loop that nothing leaves.
    reachable: bool,
    /// The number of open regions.
    regions: usize,
    depth: u32,
    branch_args: usize,
    steps: u64,
    variable_values: usize,
    wave_masks: bool,
    /// The inlined functions.
    scopes: Vec<Scope>,
    /// If the module is to have notes.
    notes: Option<NoteTaker>,
    /// Of a mesh or amplification shader.
    group: GroupState,
    /// Of a geometry shader.
    emission: Option<Emission>,
}

impl Lowerer<'_> {
    fn program(&mut self) -> Lower<()> {
        self.declare_resources();
        self.declare_globals()?;
        self.entry()?;
        // After an endless loop no lane is left to reach the end.
        self.terminate(if self.reachable { Op::Yield(Values::new()) } else { Op::Return });
        Ok(())
    }

    fn declare_globals(&mut self) -> Lower<()> {
        let program = self.program;
        for (index, global) in program.globals.iter().enumerate() {
            self.builder.span = global.span;
            let storage = match &global.kind {
                GlobalKind::Groupshared => {
                    self.groupshared(&global.name, global.ty, global.span)?
                }
                GlobalKind::Static { .. } => {
                    let dynamic =
                        self.facts.dynamic_globals.contains(&crate::hir::GlobalId(index as u32));
                    let storage =
                        self.variable(&global.name, global.ty, global.span, dynamic, None)?;
                    self.note_static(&global.name, global.ty, global.span, &storage);
                    storage
                }
            };
            self.globals.push(storage);
        }
        for (index, global) in program.globals.iter().enumerate() {
            let GlobalKind::Static { init } = &global.kind else { continue };
            self.builder.span = global.span;
            let storage = self.globals[index].clone();
            let place = storage.place(global.ty);
            match init {
                Some(init) => {
                    let constant = self.facts.constant(program, init);
                    let values = match constant {
                        Some(bits) => self.constants(global.ty, &bits, global.span)?,
                        None => self.expr(init)?,
                    };
                    self.store(&place, &values)?;
                }
                // A resource has no zero value; using it unset is reported where that happens.
                None if program.types.holds_query(global.ty) => {
                    let values = self.new_queries(&global.name, global.ty, global.span)?;
                    self.store(&place, &values)?;
                }
                None if program.types.holds_resource(global.ty) => {}
                None => self.zero(&storage, global.ty, global.span)?,
            }
        }
        Ok(())
    }

    // Types.

    /// The types of a value's scalars in order, `None` for resources.
    fn leaves(&mut self, ty: TypeId, span: Span) -> Lower<Rc<[Option<Ty>]>> {
        if let Some(known) = self.leaves.get(&ty) {
            self.steps += known.len() as u64;
            return Ok(Rc::clone(known));
        }
        let count = self.program.types.scalar_count(ty);
        if count > MOST_SCALARS {
            let name = self.program.types.name(ty);
            return Err(
                self.too_large(span, format!("a value of type `{name}` has {count} scalars"))
            );
        }
        let mut leaves = Vec::with_capacity(count as usize);
        self.push_leaves(ty, &mut leaves);
        let leaves: Rc<[Option<Ty>]> = leaves.into();
        self.leaves.insert(ty, Rc::clone(&leaves));
        Ok(leaves)
    }

    fn push_leaves(&self, ty: TypeId, leaves: &mut Vec<Option<Ty>>) {
        let types = &self.program.types;
        if types.scalar_count(ty) == 0 {
            return;
        }
        let of = |scalar: Scalar| Some(scalar.ty(self.native_16bit));
        match types.get(ty) {
            Type::Void | Type::String | Type::Error => {}
            Type::Resource(_) => {
                leaves.push(types.query_flags(ty).map(|_| Ty::I32));
            }
            Type::Scalar(scalar) => leaves.push(of(scalar)),
            Type::Vector(scalar, n) => leaves.extend(std::iter::repeat_n(of(scalar), n as usize)),
            Type::Matrix { scalar, rows, columns, .. } => {
                leaves.extend(std::iter::repeat_n(of(scalar), (rows * columns) as usize));
            }
            Type::Array { element, len } => {
                (0..len).for_each(|_| self.push_leaves(element, leaves))
            }
            Type::Struct(id) => {
                let stored = types.structure(id).fields.iter().filter(|field| field.bits.is_none());
                stored.for_each(|field| self.push_leaves(field.ty, leaves));
            }
        }
    }

    /// The IR type of a scalar, vector or matrix's scalars.
    fn ty(&self, id: TypeId) -> Ty {
        self.program.types.scalar_of(id).map_or(Ty::I32, |scalar| scalar.ty(self.native_16bit))
    }

    fn count(&self, id: TypeId) -> u32 {
        u32::try_from(self.program.types.scalar_count(id)).unwrap_or(u32::MAX)
    }

    // Instructions.

    fn value(&mut self, op: Op, ty: Ty) -> Value {
        self.builder.value(op, ty)
    }

    fn terminate(&mut self, op: Op) {
        if !self.builder.is_terminated() {
            self.builder.terminate(op);
        }
    }

    fn open(&mut self, params: &[Ty]) -> Lower<(Region, Values)> {
        // The text form limits nesting to this depth, and code that walks a module may rely on it.
        if self.regions + 2 >= ir::text::MOST_DEPTH {
            let span = self.builder.span;
            return Err(self.nested(span));
        }
        self.regions += 1;
        self.reachable = true;
        Ok(self.builder.open(params))
    }

    fn close(&mut self) -> Region {
        self.regions -= 1;
        self.builder.close()
    }

    /// Whether the rest of the statements is unreachable.
    fn is_ended(&self) -> bool {
        !self.reachable || self.builder.is_terminated()
    }

    // Limits and reports.

    /// Enters one more level of the program; [`Lowerer::leave`] leaves it.
    fn enter(&mut self, span: Span) -> Lower<()> {
        if self.depth >= MOST_NESTING {
            return Err(self.nested(span));
        }
        if self.builder.module.insts.len() > MOST_INSTS || self.branch_args > MOST_BRANCH_ARGS {
            return Err(self.exploded(span));
        }
        self.steps += 1;
        // A cancelled compilation reports nothing.
        if self.steps > MOST_STEPS || !self.sink.goes_on(span) {
            return Err(self.exploded(span));
        }
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn nested(&self, span: Span) -> Abort {
        let message = "statements, expressions and the calls in them nest too deeply here";
        self.stop(Diagnostic::new(&code::NESTING_TOO_DEEP, span, message))
    }

    /// Blames the call in the entry point: below it, the exact point where the limit is met is arbitrary.
    fn exploded(&self, span: Span) -> Abort {
        let diagnostic = match self.frames.get(1) {
            Some(frame) => {
                let name = &self.program.function(frame.function).name;
                let message = format!(
                    "the program grows too large when the calls below `{name}` are expanded"
                );
                Diagnostic::new(&code::PROGRAM_TOO_LARGE, frame.call, message)
                    .note(self.bound())
                    .help("turn repeated calls into a loop around one call, or keep the result of the first in a variable")
            }
            None => Diagnostic::new(&code::PROGRAM_TOO_LARGE, span, "the program is too large")
                .note(self.bound()),
        };
        Abort(Box::new(diagnostic))
    }

    /// The limit that a program has exceeded.
    fn bound(&self) -> String {
        if self.steps > MOST_STEPS {
            return format!(
                "a program may take {MOST_STEPS} steps to expand: a statement, an expression or a scalar of a variable each"
            );
        }
        if self.branch_args > MOST_BRANCH_ARGS {
            return format!(
                "branches may carry {MOST_BRANCH_ARGS} values: the variables that are assigned in them"
            );
        }
        format!(
            "a program may have {MOST_INSTS} instructions after every call has become its function's body"
        )
    }

    fn too_large(&self, span: Span, message: String) -> Abort {
        self.stop(Diagnostic::new(&code::PROGRAM_TOO_LARGE, span, message))
    }

    fn unsupported(&self, span: Span, message: impl Into<String>) -> Abort {
        self.stop(Diagnostic::new(&code::UNSUPPORTED_FEATURE, span, message))
    }

    /// Adds the chain of calls that leads to this point.
    fn stop(&self, mut diagnostic: Diagnostic) -> Abort {
        const SHOWN: usize = 4;
        for frame in self.frames.iter().skip(1).rev().take(SHOWN) {
            diagnostic = diagnostic.also(
                frame.call,
                format!("in this call of `{}`", self.program.function(frame.function).name),
            );
        }
        Abort(Box::new(diagnostic))
    }
}

fn empty_module(program: &Program) -> Module {
    let entry = &program.entry;
    Module {
        name: program.function(entry.function).name.clone(),
        stage: entry.stage,
        shader_model: entry.shader_model,
        group_size: entry.group_size,
        wave_size: entry.wave_size,
        io: entry.signature.as_ref().map(|it| it.io.clone()),
        ..Module::empty()
    }
}
