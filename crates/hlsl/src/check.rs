//! Semantic analysis: resolves names, types and overloads, from the syntax tree to the checked program.
//!
//! Declarations are checked in source order, so that a name refers to an earlier declaration; bodies of methods are
//! deferred to the end of their struct, and bodies of template instances to the end of the enclosing declaration. Every
//! body is checked, but only code that the entry point reaches gets into the program: features that are not supported,
//! or that the profile forbids, are reported only if they are reachable ([`Checker::gate`]).
//!
//! Inside the checker an expression of a literal type (`1`, `2.5`, and `?:` over them) holds its value in 64 bits; it
//! gets a type of the language where it is used (`coerce`). The checked program has no literal types.

pub(crate) mod attr;
mod call;
mod coerce;
mod constant;
mod decl;
mod deduce;
pub(crate) mod entry;
mod expr;
mod feedback;
pub(crate) mod fold;
mod func;
pub(crate) mod group;
mod grouped;
mod guess;
mod heap;
mod init;
mod literal;
mod long;
mod member;
mod method;
mod name;
mod object;
mod operator;
mod outside;
mod place;
mod print;
mod ray;
mod reach;
mod resource;
mod sampled;
mod scope;
mod semantic;
mod signature;
mod stage;
mod stage_traits;
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

pub(crate) use print::letter as print_letter;

use func::{Body, Function};
use scope::{ScopeId, Scopes};
use structure::StructInfo;
use template::{AliasTemplate, FunctionTemplate, StructTemplate, VariableTemplate};

/// Checks a file and returns the program of its entry point; `None` after an error.
pub fn check(file: &ast::File, options: &Options, sink: &mut Sink) -> Option<hir::Program> {
    entry_point(file, options, false, sink)
}

/// The same for an entry point of a library, which may call functions that another library defines: then there is no
/// program.
pub fn part(file: &ast::File, options: &Options, sink: &mut Sink) -> Option<hir::Program> {
    entry_point(file, options, options.stage == Stage::Library, sink)
}

fn entry_point(
    file: &ast::File,
    options: &Options,
    is_linked_later: bool,
    sink: &mut Sink,
) -> Option<hir::Program> {
    let (stage, ray_kind) = entry::stage_of(file, options.stage, &options.entry);
    let purpose = Purpose { stage, ray_kind, is_linked_later, serves_any_stage: false };
    let mut checker = Checker::of_file(file, purpose, options, sink);
    let entry = checker.entry_point(file, &options.entry)?;
    reach::program(checker, entry)
}

pub use reach::Checked;

/// Checks a file once for several of its compute shaders; `None` if they have to be checked one by one.
pub fn checked(
    file: &ast::File,
    options: &Options,
    entries: &[String],
    sink: &mut Sink,
) -> Option<Checked> {
    if options.stage != Stage::Compute {
        return None;
    }
    let purpose = Purpose {
        stage: Stage::Compute,
        ray_kind: None,
        is_linked_later: false,
        serves_any_stage: false,
    };
    reach::checked(Checker::of_file(file, purpose, options, sink), file, entries)
}

/// Checks the exports of a library without an entry point: all defined functions.
/// Their callees may be defined in another library, and their stage is unknown.
pub fn library(file: &ast::File, options: &Options, sink: &mut Sink) {
    let purpose = Purpose {
        stage: Stage::Compute,
        ray_kind: None,
        is_linked_later: true,
        serves_any_stage: true,
    };
    reach::exports(Checker::of_file(file, purpose, options, sink));
}

/// The limit of the checker's recursion: expressions, statements and the template instances that they need.
const MOST_DEPTH: u32 = 1024;
/// The most default arguments in each other: those of the functions that a default argument calls. Each takes as much
/// of our stack as dozens of other constructs.
const MOST_NESTED_DEFAULTS: u32 = 32;
/// The greatest height of an expression tree, in which a chain of operators counts by its length.
const MOST_HEIGHT: u32 = 4096;
/// The most calls that are shown for an error in a chain of template instances, from the innermost.
const MOST_USES: usize = 4;
/// The most functions and structs that templates may instantiate.
const MOST_INSTANCES: usize = 4096;
/// The deepest chain of instances of struct templates that need each other.
const MOST_TEMPLATE_DEPTH: u32 = 100;
/// The most scalars of a variable.
const MOST_SCALARS: u64 = 1 << 28;

/// A global variable that is not a resource.
struct GlobalInfo {
    global: hir::Global,
    is_const: bool,
    /// The value of a constant.
    value: Option<Rc<[u64]>>,
}

/// What a file is checked for.
struct Purpose {
    /// The stage that the entry point is compiled for, and the kind of a ray-tracing shader.
    stage: Stage,
    ray_kind: Option<String>,
    /// Functions without a body may be defined elsewhere.
    is_linked_later: bool,
    /// The stage that functions will run in is unknown, so functions of every stage are allowed.
    serves_any_stage: bool,
}

struct Checker<'a> {
    options: &'a Options,
    sink: &'a mut Sink,
    /// As in [`Purpose`], and the next three; attributes of a library's entry points are checked for their own stage.
    stage: Stage,
    ray_kind: Option<String>,
    is_linked_later: bool,
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
    /// The constant buffer `$Globals`, and the struct of its members.
    globals_buffer: Option<(ResourceId, StructId)>,
    /// The initialisers of constants in `$Globals`, which are their values in constant expressions only.
    globals_initializers: BTreeMap<(ResourceId, u32), u64>,
    /// Whether the expression being checked must be constant.
    wants_constant: bool,
    /// Whether the expression being checked is an unevaluated operand, of which only the type matters.
    is_unevaluated: bool,
    /// The function whose body is being checked.
    body: Option<Body>,
    /// Worklist: functions whose bodies are still to be checked.
    pending: VecDeque<FunctionId>,
    /// The number of structs whose members are being read; bodies are deferred meanwhile.
    open_structs: u32,
    /// The whole file, to find declarations that come too late.
    file_items: &'a [ast::Item],
    /// Undeclared names that were reported, each with the function that used it.
    unknown_names: BTreeSet<(ast::Name, Option<u32>)>,
    /// Divisions of whole literals with a remainder, by where they are.
    cut_divisions: BTreeSet<(u32, u32)>,
    /// Decimal literals that 64 bits hold only without a sign, by where they are.
    unsigned_literals: BTreeSet<(u32, u32)>,
    /// A block with a mistake failed to declare its names, so unknown names are not reported.
    names_lost: bool,
    /// Checking a body that was deferred until an entry point reached it caused a report.
    reported_late: bool,
    /// What the entry point needs and no engine has: it is checked, and does not run. Only in vertex and pixel shaders;
    /// in compute shaders this is reported at once.
    missing: Vec<Diagnostic>,
    /// Whether the file names a rasterizer-ordered view, whose type is otherwise that of the plain one.
    names_ordered_views: bool,
    /// While not zero, reports are counted and discarded: template deduction is being tried.
    muted: u32,
    muted_errors: u32,
    /// The number of arguments of the call whose function is unknown.
    called_with: Option<usize>,
    depth: u32,
    /// How many default arguments are being checked, each for the one before.
    defaults: u32,
    height: u32,
    instances: usize,
    work: work::Work,
    /// The number of comparisons made to find names similar to undeclared ones.
    compared: Cell<usize>,
}

impl<'a> Checker<'a> {
    /// A checker that has checked the declarations of a file.
    fn of_file(
        file: &'a ast::File,
        purpose: Purpose,
        options: &'a Options,
        sink: &'a mut Sink,
    ) -> Checker<'a> {
        let mut checker = Checker::new(&file.items, purpose, options, sink);
        checker.items(&file.items);
        checker.pending_bodies();
        checker
    }

    fn new(
        file_items: &'a [ast::Item],
        purpose: Purpose,
        options: &'a Options,
        sink: &'a mut Sink,
    ) -> Checker<'a> {
        let Purpose { stage, ray_kind, is_linked_later, serves_any_stage } = purpose;
        Checker {
            options,
            sink,
            stage,
            ray_kind,
            is_linked_later,
            serves_any_stage,
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
            globals_buffer: None,
            globals_initializers: BTreeMap::new(),
            wants_constant: false,
            is_unevaluated: false,
            body: None,
            pending: VecDeque::new(),
            open_structs: 0,
            file_items,
            unknown_names: BTreeSet::new(),
            cut_divisions: BTreeSet::new(),
            unsigned_literals: BTreeSet::new(),
            names_lost: false,
            reported_late: false,
            missing: Vec::new(),
            names_ordered_views: false,
            muted: 0,
            muted_errors: 0,
            called_with: None,
            depth: 0,
            defaults: 0,
            height: 0,
            instances: 0,
            work: work::Work::default(),
            compared: Cell::new(0),
        }
    }

    // Reports.

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.muted > 0 {
            self.muted_errors += u32::from(diagnostic.level >= Level::Error);
        } else {
            let diagnostic = self.with_uses(diagnostic);
            self.sink.push(diagnostic);
        }
    }

    /// Adds the calls that instantiated the template around an error: the body may be wrong only for their arguments.
    fn with_uses(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        if diagnostic.level < Level::Error {
            return diagnostic;
        }
        let mut inside = self.body.as_ref().map(|it| it.function);
        for _ in 0..MOST_USES {
            let Some(function) = inside.map(|it| self.function(it)) else { break };
            let Some(first) = function.first_use else { break };
            diagnostic = diagnostic.also(first.call, format!("`{}` is used here", function.name));
            inside = first.by;
        }
        diagnostic
    }

    fn error(&mut self, code: &'static diag::Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    /// Reports something only if the entry point reaches this code: features that are not supported, or that the
    /// profile does not have.
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

    /// Runs a function and discards its reports; the second result is whether there were errors.
    fn quietly<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        self.muted += 1;
        let before = self.muted_errors;
        let result = run(self);
        self.muted -= 1;
        (result, self.muted_errors > before)
    }

    /// Recurses one level; `None` and a report beyond the limit.
    fn deeper<T>(&mut self, span: Span, run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MOST_DEPTH {
            self.error(&code::NESTING_TOO_DEEP, span, "constructs are nested too deeply");
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

    // Options.

    /// HLSL 2021: templates, operators for structs, conditions of one scalar.
    fn is_2021(&self) -> bool {
        self.options.hlsl_version >= Version::V2021
    }

    fn native_16bit(&self) -> bool {
        self.options.enable_16bit
    }

    fn shader_model(&self) -> ShaderModel {
        self.options.shader_model
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

    /// Checks a constant expression.
    fn constant_expr(&mut self, expr: &'a ast::Expr) -> hir::Expr {
        let outer = std::mem::replace(&mut self.wants_constant, true);
        let checked = self.expr(expr);
        self.wants_constant = outer;
        checked
    }

    /// Runs a function inside a scope.
    fn in_scope<T>(&mut self, scope: ScopeId, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.scopes.enter(scope);
        let result = run(self);
        self.scopes.enter(outer);
        result
    }
}
