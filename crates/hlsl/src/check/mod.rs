//! Names, types and overloads: the syntax tree to the checked program.
//!
//! Declarations are checked in the order of the source, so that a name means what was declared before it; bodies of
//! methods wait for the end of their struct, and bodies of template instances for the end of the declaration around them.
//! Every body is checked, but only what the entry point reaches gets into the program: what this implementation
//! does not have, or what the profile forbids, is reported there only ([`Checker::gate`]).
//!
//! Inside the checker an expression of a literal type (`1`, `2.5`, and `?:` over them) holds its value in 64 bits; it gets a type
//! of the language where it is used (`coerce`). The checked program has no literal types.

pub(crate) mod attr;
mod call;
mod coerce;
mod constant;
pub(crate) mod convert;
mod decl;
mod deduce;
pub(crate) mod entry;
mod expr;
pub(crate) mod fold;
mod func;
mod guess;
mod heap;
mod init;
mod literal;
mod member;
mod method;
mod name;
mod object;
mod operator;
mod outside;
mod place;
mod reach;
mod resource;
mod sampled;
mod scope;
mod semantic;
mod stage;
mod stmt;
mod structure;
mod template;
mod ty;
mod wave;
mod work;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use diag::{Diagnostic, Level, Sink, Span, code};
use ops::intrinsics::ShaderModel;

use crate::ast;
use crate::hir::{self, FunctionId, GlobalId, ResourceId};
use crate::options::{Options, Stage, Version};
use crate::types::{StructId, TypeId, Types};

use func::{Body, Function};
use scope::{ScopeId, Scopes};
use structure::StructInfo;
use template::{AliasTemplate, FunctionTemplate, StructTemplate, VariableTemplate};

/// Checks a whole compilation and makes the program of its entry point. `None` after an error.
pub fn check(file: &ast::File, options: &Options, sink: &mut Sink) -> Option<hir::Program> {
    entry_point(file, options, false, sink)
}

/// The same for an entry point of a library, which may call what another library defines: then there is no program.
pub fn part(file: &ast::File, options: &Options, sink: &mut Sink) -> Option<hir::Program> {
    entry_point(file, options, options.stage == Stage::Library, sink)
}

fn entry_point(
    file: &ast::File,
    options: &Options,
    is_linked_later: bool,
    sink: &mut Sink,
) -> Option<hir::Program> {
    let mut checker = Checker::new(options, sink);
    checker.is_linked_later = is_linked_later;
    (checker.stage, checker.ray_kind) = entry::stage_of(file, options.stage, &options.entry);
    checker.file_items = &file.items;
    checker.items(&file.items);
    checker.pending_bodies();
    let entry = checker.entry_point(file, &options.entry)?;
    reach::program(checker, entry)
}

pub use reach::Checked;

/// Checks a whole compilation once, for several compute shaders in it. `None` where they have to be checked one by one.
pub fn checked(
    file: &ast::File,
    options: &Options,
    entries: &[String],
    sink: &mut Sink,
) -> Option<Checked> {
    if options.stage != Stage::Compute {
        return None;
    }
    let mut checker = Checker::new(options, sink);
    checker.file_items = &file.items;
    checker.items(&file.items);
    checker.pending_bodies();
    reach::checked(checker, file, entries)
}

/// Checks what a library exports where it has no entry point: all functions that are defined.
/// What they call may be defined in another library, and which stage they will serve is not known.
pub fn library(file: &ast::File, options: &Options, sink: &mut Sink) {
    let mut checker = Checker::new(options, sink);
    checker.stage = Stage::Compute;
    checker.is_linked_later = true;
    checker.serves_any_stage = true;
    checker.file_items = &file.items;
    checker.items(&file.items);
    checker.pending_bodies();
    reach::exports(checker);
}

/// How deep the checker's recursion may go: expressions, statements and the instances of templates they need.
const MAX_DEPTH: u32 = 1024;
/// How many operators may stand in each other, chains counted by their length: the height of the trees that come out.
const MAX_HEIGHT: u32 = 4096;
/// How many functions and structs templates may make.
const MAX_INSTANCES: usize = 4096;
/// How many instances of struct templates may need each other in a row.
const MAX_TEMPLATE_DEPTH: u32 = 100;
/// How many scalars a variable may have.
const MAX_SCALARS: u64 = 1 << 28;

/// A global variable that is no resource.
struct GlobalInfo {
    global: hir::Global,
    is_const: bool,
    /// The value of a constant.
    value: Option<Rc<[u64]>>,
}

struct Checker<'a> {
    options: &'a Options,
    sink: &'a mut Sink,
    /// The stage that the entry point is compiled for, and of ray tracing which kind.
    stage: Stage,
    ray_kind: Option<String>,
    /// Functions without a body may be defined elsewhere.
    is_linked_later: bool,
    /// The stage that functions will run in is not known, so nothing is out of place.
    serves_any_stage: bool,
    types: Types,
    scopes: Scopes,
    functions: Vec<Function<'a>>,
    function_templates: Vec<FunctionTemplate<'a>>,
    struct_templates: Vec<StructTemplate<'a>>,
    alias_templates: Vec<AliasTemplate<'a>>,
    variable_templates: Vec<VariableTemplate<'a>>,
    structs: BTreeMap<StructId, StructInfo<'a>>,
    globals: Vec<GlobalInfo>,
    resources: Vec<resource::ResourceInfo>,
    /// The members of the constant buffer `$Globals`, and which resource it is.
    loose: Option<(ResourceId, StructId)>,
    /// The values that initialisers give constants in `$Globals`: they count where a constant is demanded, and nowhere else.
    loose_constants: BTreeMap<(ResourceId, u32), u64>,
    /// Whether the expression being checked is to be known at compile time.
    wants_constant: bool,
    /// Whether only the type of the expression being checked matters.
    is_unevaluated: bool,
    /// The function whose body is being checked.
    body: Option<Body>,
    /// Functions whose bodies are still to be checked.
    pending: VecDeque<FunctionId>,
    /// Structs whose members are being read: bodies wait.
    open_structs: u32,
    /// The whole file, to tell what is declared too late.
    file_items: &'a [ast::Item],
    /// Names that are not declared and were reported, each with the function it was in.
    unknown_names: BTreeSet<(ast::Name, Option<u32>)>,
    /// A block that was meant to declare names did not.
    names_lost: bool,
    /// A body that was checked because an entry point reaches it was reported on.
    reported_late: bool,
    /// While not zero, reports are counted and thrown away: a template is tried.
    muted: u32,
    muted_errors: u32,
    depth: u32,
    height: u32,
    instances: usize,
    work: work::Work,
    /// How many names were compared with names that are not declared.
    compared: Cell<usize>,
}

impl<'a> Checker<'a> {
    fn new(options: &'a Options, sink: &'a mut Sink) -> Checker<'a> {
        Checker {
            options,
            sink,
            stage: options.stage,
            ray_kind: None,
            is_linked_later: false,
            serves_any_stage: false,
            types: Types::new(),
            scopes: Scopes::new(),
            functions: Vec::new(),
            function_templates: Vec::new(),
            struct_templates: Vec::new(),
            alias_templates: Vec::new(),
            variable_templates: Vec::new(),
            structs: BTreeMap::new(),
            globals: Vec::new(),
            resources: Vec::new(),
            loose: None,
            loose_constants: BTreeMap::new(),
            wants_constant: false,
            is_unevaluated: false,
            body: None,
            pending: VecDeque::new(),
            open_structs: 0,
            file_items: &[],
            unknown_names: BTreeSet::new(),
            names_lost: false,
            reported_late: false,
            muted: 0,
            muted_errors: 0,
            depth: 0,
            height: 0,
            instances: 0,
            work: work::Work::default(),
            compared: Cell::new(0),
        }
    }

    // -----------------------------------------------------------------------------------------------------
    // Reports
    // -----------------------------------------------------------------------------------------------------

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.muted > 0 {
            self.muted_errors += u32::from(diagnostic.level >= Level::Error);
        } else {
            self.sink.push(diagnostic);
        }
    }

    fn error(&mut self, code: &'static diag::Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    /// Reports something that matters only if the entry point reaches the place: features that are not built,
    /// or that the profile does not have.
    fn gate(&mut self, diagnostic: Diagnostic) {
        if self.muted > 0 {
            return;
        }
        match &mut self.body {
            Some(body) => body.gated.push(diagnostic),
            None => self.sink.push(diagnostic),
        }
    }

    fn unsupported(&mut self, span: Span, message: impl Into<String>) {
        self.gate(Diagnostic::new(&code::UNSUPPORTED_FEATURE, span, message));
    }

    /// Runs something whose reports are thrown away; the second part says whether there were errors.
    fn quietly<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        self.muted += 1;
        let before = self.muted_errors;
        let result = run(self);
        self.muted -= 1;
        (result, self.muted_errors > before)
    }

    /// Goes one level deeper; `None` and a report where it gets too deep.
    fn deeper<T>(&mut self, span: Span, run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.error(&code::NESTING_TOO_DEEP, span, "constructs nest too deep here");
            return None;
        }
        if !self.sink.goes_on(span) {
            return None;
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        Some(result)
    }

    // -----------------------------------------------------------------------------------------------------
    // Options
    // -----------------------------------------------------------------------------------------------------

    /// HLSL 2021: templates, operators for structs, conditions of one scalar.
    fn is_2021(&self) -> bool {
        self.options.hlsl_version >= Version::V2021
    }

    fn native_16bit(&self) -> bool {
        self.options.enable_16bit
    }

    fn shader_model(&self) -> ShaderModel {
        let (major, minor) = self.options.shader_model;
        let byte = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
        ShaderModel { major: byte(major), minor: byte(minor) }
    }

    fn name_of(&self, ty: TypeId) -> String {
        self.types.name(ty)
    }

    fn function(&self, id: FunctionId) -> &Function<'a> {
        &self.functions[id.0 as usize]
    }

    fn function_mut(&mut self, id: FunctionId) -> &mut Function<'a> {
        &mut self.functions[id.0 as usize]
    }

    fn global(&self, id: GlobalId) -> &GlobalInfo {
        &self.globals[id.0 as usize]
    }

    /// Checks an expression that is to be known at compile time.
    fn constant_expr(&mut self, expr: &'a ast::Expr) -> hir::Expr {
        let outer = std::mem::replace(&mut self.wants_constant, true);
        let checked = self.expr(expr);
        self.wants_constant = outer;
        checked
    }

    /// Enters a scope for the time of something.
    fn in_scope<T>(&mut self, scope: ScopeId, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.scopes.enter(scope);
        let result = run(self);
        self.scopes.enter(outer);
        result
    }
}
