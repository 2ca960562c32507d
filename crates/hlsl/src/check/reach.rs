//! Reachability: the program consists of what the entry point reaches.
//!
//! The checker's ids are replaced by those of the program; the walk also finds recursion and missing bodies.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use diag::{Diagnostic, Level, Sink, Span, code};
use ops::intrinsics::ShaderModel;

use super::entry::Entry;
use super::{Checker, attr};
use crate::ast;
use crate::hir::{
    self, Arg, Expr, ExprKind, FunctionId, GlobalId, GlobalKind, LocalId, Program, ResourceId,
};
use crate::options::Stage;
use crate::types::{Mode, Types};
use crate::walk::{each_expr, each_expr_mut, each_root, each_root_mut};

/// The most functions that a report of recursion names.
const MOST_IN_CHAIN: usize = 8;

/// Whether an expression names a local variable.
pub(super) fn has_local(expr: &Expr) -> bool {
    let mut found = false;
    each_expr(expr, |it| found |= matches!(it.kind, ExprKind::Local(_)));
    found
}

/// Whether an expression names this local variable.
pub(super) fn mentions_local(expr: &Expr, local: LocalId) -> bool {
    let mut found = false;
    each_expr(expr, |it| found |= matches!(it.kind, ExprKind::Local(id) if id == local));
    found
}

/// The functions, globals and resources that the entry point reaches.
#[derive(Clone, Default)]
struct Used {
    /// A function without a body is called.
    is_open: bool,
    functions: BTreeSet<FunctionId>,
    globals: BTreeSet<GlobalId>,
    resources: BTreeSet<ResourceId>,
}

/// The uses in one function or initialiser.
#[derive(Default)]
struct Mentions {
    calls: Vec<(FunctionId, Span)>,
    globals: Vec<GlobalId>,
    resources: Vec<ResourceId>,
}

impl Mentions {
    fn add(&mut self, expr: &Expr) {
        each_expr(expr, |it| match &it.kind {
            ExprKind::Call { function, .. } => self.calls.push((*function, it.span)),
            ExprKind::Global(id) => self.globals.push(*id),
            ExprKind::Resource(id) => self.resources.push(*id),
            _ => {}
        });
    }
}

pub(super) fn program(mut checker: Checker, entry: Entry) -> Option<Program> {
    let reached = reached(&mut checker, entry)?;
    let mut parts = Parts::of(checker);
    let (functions, globals) = (&mut parts.functions, &mut parts.globals);
    let program = assemble(
        reached,
        parts.options,
        parts.types,
        &mut |id| functions.get_mut(id.0 as usize)?.take(),
        &mut |id| globals.get_mut(id.0 as usize)?.take(),
    );
    Some(program)
}

/// An entry point with everything that it uses.
#[derive(Clone)]
struct Reached {
    entry: Entry,
    used: Used,
    resources: Vec<hir::Resource>,
    unreached: Vec<hir::Resource>,
    missing: Vec<Diagnostic>,
}

/// What the entry point reaches; `None` after an error, or if the body of a function is missing.
fn reached(checker: &mut Checker, entry: Entry) -> Option<Reached> {
    let mut used = Used::default();
    let mut path = Vec::new();
    for function in [Some(entry.function), entry.beside].into_iter().flatten() {
        checker.reach_function(function, entry.span, &mut used, &mut path);
    }
    let globals: Vec<GlobalId> = used.globals.iter().copied().collect();
    checker.groupshared_has_group(&globals);
    checker.groupshared_fits(entry.function, &globals);
    let resources: Vec<ResourceId> = used.resources.iter().copied().collect();
    let resources = checker.bind(&resources);
    let unreached = checker.unreached(&used.resources);
    let missing = std::mem::take(&mut checker.missing);
    if checker.sink.has_errors() || used.is_open {
        return None;
    }
    Some(Reached { entry, used, resources, unreached, missing })
}

/// The common parts of all programs of a file.
struct Parts {
    options: (ShaderModel, bool),
    types: Rc<Types>,
    /// The body of each function, and whether it is a method.
    functions: Vec<Option<(hir::Function, bool)>>,
    globals: Vec<Option<hir::Global>>,
}

impl Parts {
    fn of(checker: Checker) -> Parts {
        let options = (checker.shader_model(), checker.native_16bit());
        let body = |it: super::func::Function| Some((it.body?, it.this.is_some()));
        Parts {
            options,
            types: Rc::new(checker.types),
            functions: checker.functions.into_iter().map(body).collect(),
            globals: checker.globals.into_iter().map(|it| Some(it.global)).collect(),
        }
    }
}

/// A checked file with several entry points, each of which makes a program.
pub struct Checked {
    parts: Parts,
    entries: BTreeMap<String, Outcome>,
}

/// What an entry point reaches (`None` after an error), and the reports that it causes.
struct Outcome {
    reached: Option<Reached>,
    reports: Vec<Diagnostic>,
}

/// Resolves all entry points of a checked file. `None` if a body that was checked only when an entry point reached it
/// caused a report: the reports cannot be attributed to one entry point then.
pub(super) fn checked<'a>(
    mut checker: Checker<'a>,
    file: &'a ast::File,
    names: &[String],
) -> Option<Checked> {
    let common = checker.sink.as_slice().len();
    let mut entries = BTreeMap::new();
    for name in names {
        let reached =
            checker.entry_point(file, name).and_then(|entry| reached(&mut checker, entry));
        let reports = checker.sink.split_off(common);
        entries.insert(name.clone(), Outcome { reached, reports });
    }
    let is_clear = !checker.reported_late;
    is_clear.then(|| Checked { parts: Parts::of(checker), entries })
}

impl Checked {
    /// The program that starts at one of the entry points, as [`super::check`] makes it; `None` after an error.
    pub fn program(&self, entry: &str, sink: &mut Sink) -> Option<Program> {
        let Outcome { reached, reports } = self.entries.get(entry)?;
        reports.iter().for_each(|it| sink.push(it.clone()));
        let Parts { options, types, functions, globals } = &self.parts;
        let program = assemble(
            reached.clone()?,
            *options,
            types.clone(),
            &mut |id| functions.get(id.0 as usize)?.clone(),
            &mut |id| globals.get(id.0 as usize)?.clone(),
        );
        Some(program)
    }

    /// Whether a function was resolved as an entry point.
    pub fn has(&self, entry: &str) -> bool {
        self.entries.contains_key(entry)
    }
}

/// Reports errors in the functions of a library and what they reach.
pub(super) fn exports(mut checker: Checker) {
    let mut used = Used::default();
    let defined: Vec<FunctionId> = (0..checker.functions.len() as u32)
        .map(FunctionId)
        .filter(|it| checker.function(*it).definition.is_some())
        .collect();
    for id in &defined {
        let span = checker.function(*id).span;
        checker.reach_function(*id, span, &mut used, &mut Vec::new());
    }
    // Each entry point has a group's memory to itself, so what it uses is walked once more; without a shared variable
    // there is nothing to add up.
    let is_shared =
        |id: &GlobalId| matches!(checker.global(*id).global.kind, GlobalKind::Groupshared);
    let has_shared = used.globals.iter().any(is_shared);
    let entries: Vec<FunctionId> = defined.into_iter().filter(|it| checker.is_entry(*it)).collect();
    for id in entries {
        checker.library_attributes(checker.function(id).attributes);
        checker.library_takes_no_long_vector(id);
        if !has_shared {
            continue;
        }
        let mut own = Used::default();
        let before = checker.sink.as_slice().len();
        checker.reach_function(id, checker.function(id).span, &mut own, &mut Vec::new());
        // What it reaches has been reported above.
        checker.sink.split_off(before);
        let globals: Vec<GlobalId> = own.globals.into_iter().collect();
        checker.groupshared_fits(id, &globals);
    }
    let resources: Vec<ResourceId> = used.resources.iter().copied().collect();
    checker.bind(&resources);
}

impl Checker<'_> {
    /// Whether a function has the attributes of an entry point.
    fn is_entry(&self, id: FunctionId) -> bool {
        let attributes = self.function(id).attributes;
        attributes.iter().any(|it| attr::is(it, "numthreads") || attr::is(it, "shader"))
    }

    /// Depth-first walk over the call graph: records a function and all its uses, and reports what must not be reached.
    fn reach_function(
        &mut self,
        id: FunctionId,
        call: Span,
        used: &mut Used,
        path: &mut Vec<FunctionId>,
    ) {
        if path.contains(&id) {
            self.report_recursion(id, call, path);
            return;
        }
        if !used.functions.insert(id) {
            return;
        }
        if path.len() > 512 {
            self.error(&code::NESTING_TOO_DEEP, call, "function calls are nested too deeply");
            return;
        }
        if self.is_spent() {
            return;
        }
        // The body of an instance may be defined after its first use.
        if self.function(id).body.is_none() {
            let origin = self.function(id).origin.and_then(|it| self.function(it).definition);
            let function = self.function_mut(id);
            function.definition = function.definition.or(origin);
            function.is_queued = false;
            self.use_function(id);
            let before = self.sink.as_slice().len();
            self.pending_bodies();
            self.reported_late |= self.sink.as_slice().len() > before;
        }
        // Cloned, because another entry point may reach the function too.
        for diagnostic in self.function(id).gated.clone() {
            if self.serves_any_stage {
                continue;
            }
            match self.stage {
                // Missing features do not matter where a shader is only checked.
                _ if diagnostic.level != Level::Unsupported => self.report(diagnostic),
                Stage::Compute => self.report(diagnostic),
                Stage::Library | Stage::Node | Stage::RayTracing => {}
                _ => self.missing.push(diagnostic),
            }
        }
        let function = self.function(id);
        let Some(body) = &function.body else {
            used.is_open = true;
            if !self.sink.has_errors() && !self.is_linked_later {
                let message = format!("`{}` is called but has no body", function.name);
                let span = function.span;
                let report = Diagnostic::new(&code::UNDEFINED_FUNCTION, call, message);
                self.report(report.also(span, "declared here"));
            }
            return;
        };
        let mut mentions = Mentions::default();
        each_root(&body.body, |it| mentions.add(it));
        path.push(id);
        self.reach_mentions(mentions, used, path);
        path.pop();
    }

    fn reach_mentions(&mut self, mentions: Mentions, used: &mut Used, path: &mut Vec<FunctionId>) {
        used.resources.extend(mentions.resources);
        for id in mentions.globals {
            if !used.globals.insert(id) {
                continue;
            }
            let mut inner = Mentions::default();
            if let GlobalKind::Static { init: Some(init) } = &self.global(id).global.kind {
                inner.add(init);
            }
            self.reach_mentions(inner, used, path);
        }
        for (id, span) in mentions.calls {
            self.reach_function(id, span, used, path);
        }
    }

    fn report_recursion(&mut self, id: FunctionId, call: Span, path: &[FunctionId]) {
        let start = path.iter().position(|it| *it == id).unwrap_or(0);
        let chain = &path[start..];
        let name = self.function(id).name.clone();
        let message = match chain {
            [_] => format!("`{name}` calls itself, but shaders cannot recurse"),
            _ => format!("`{name}` calls itself indirectly, but shaders cannot recurse"),
        };
        let mut report = Diagnostic::new(&code::RECURSION, call, message);
        for pair in chain.windows(2).take(MOST_IN_CHAIN) {
            let (caller, callee) = (self.function(pair[0]), self.function(pair[1]));
            report = report.note(format!("`{}` calls `{}`", caller.name, callee.name));
        }
        if let (Some(last), true) = (chain.last(), chain.len() > 1) {
            report = report.note(format!("`{}` calls `{name}`", self.function(*last).name));
        }
        report = report.also(self.function(id).span, format!("`{name}` is declared here"));
        self.report(report);
    }
}

/// Renumbers what is used; the callbacks are called once for each function and global, in ascending order.
fn assemble(
    Reached { entry, used, resources, unreached, missing }: Reached,
    (shader_model, native_16bit): (ShaderModel, bool),
    types: Rc<Types>,
    function: &mut dyn FnMut(FunctionId) -> Option<(hir::Function, bool)>,
    global: &mut dyn FnMut(GlobalId) -> Option<hir::Global>,
) -> Program {
    fn number<T: Copy + Ord, U>(ids: &BTreeSet<T>, make: impl Fn(u32) -> U) -> BTreeMap<T, U> {
        // PERF: `collect` has code to sort its items, 2 KB for each type.
        let mut numbers = BTreeMap::new();
        numbers.extend(ids.iter().enumerate().map(|(i, id)| (*id, make(i as u32))));
        numbers
    }
    let functions = number(&used.functions, FunctionId);
    let globals = number(&used.globals, GlobalId);
    let resource_ids = number(&used.resources, ResourceId);
    let renumber = |expr: &mut Expr| {
        each_expr_mut(expr, |it| match &mut it.kind {
            ExprKind::Call { function, .. } => *function = functions[function],
            ExprKind::Global(id) => *id = globals[id],
            ExprKind::Resource(id) => *id = resource_ids[id],
            _ => {}
        });
    };
    let mut program_functions = Vec::new();
    let mut is_method = Vec::new();
    for id in &used.functions {
        let Some((mut body, has_object)) = function(*id) else { continue };
        each_root_mut(&mut body.body, renumber);
        is_method.push(has_object);
        program_functions.push(body);
    }
    let mut program_globals = Vec::new();
    for id in &used.globals {
        let Some(mut global) = global(*id) else { continue };
        if let GlobalKind::Static { init: Some(init) } = &mut global.kind {
            renumber(init);
        }
        program_globals.push(global);
    }
    let mut start = functions[&entry.function];
    if let Some(mut wrapper) = entry.wrapper {
        each_root_mut(&mut wrapper.body, renumber);
        program_functions.push(wrapper);
        is_method.push(false);
        start = FunctionId(program_functions.len() as u32 - 1);
    }
    let mut signature = entry.signature;
    if let Some(signature) = &mut signature {
        // Only views that are written have an order.
        let may_be_one = |it: ir::RegisterClass| it == ir::RegisterClass::Unordered || it.is_heap();
        signature.io.pixel.orders_pixels &=
            resources.iter().any(|it| may_be_one(it.register.class));
    }
    let patch = entry.beside.map(|id| functions[&id]).zip(entry.patch);
    let mut program = Program {
        types,
        functions: program_functions,
        globals: program_globals,
        resources,
        unreached,
        entry: hir::Entry {
            function: start,
            stage: entry.stage,
            shader_model,
            group_size: entry.group_size,
            wave_size: entry.wave_size,
            inputs: entry.inputs,
            signature,
            patch,
            group: entry.group,
            missing,
            native_16bit,
            span: entry.span,
        },
    };
    pass_unwritten_objects_by_value(&mut program, &is_method);
    program
}

// Objects of methods.

/// Passes the object of a method by value if the method never writes it, which avoids the copy back at each call.
fn pass_unwritten_objects_by_value(program: &mut Program, is_method: &[bool]) {
    let mut writes: Vec<bool> = vec![false; program.functions.len()];
    loop {
        let mut changed = false;
        for (index, function) in program.functions.iter().enumerate() {
            if is_method[index] && !writes[index] && writes_object(function, &writes, is_method) {
                writes[index] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let keeps = |id: FunctionId| is_method[id.0 as usize] && !writes[id.0 as usize];
    if !(0..program.functions.len() as u32).any(|id| keeps(FunctionId(id))) {
        return;
    }
    for (index, function) in program.functions.iter_mut().enumerate() {
        if keeps(FunctionId(index as u32))
            && let Some(mode) = function.params.first_mut()
        {
            *mode = Mode::In;
        }
        each_root_mut(&mut function.body, |expr| pass_objects_by_value(expr, &keeps));
    }
    for global in &mut program.globals {
        if let GlobalKind::Static { init: Some(init) } = &mut global.kind {
            pass_objects_by_value(init, &keeps);
        }
    }
}

fn pass_objects_by_value(expr: &mut Expr, keeps: &impl Fn(FunctionId) -> bool) {
    each_expr_mut(expr, |it| {
        let ExprKind::Call { function, args } = &mut it.kind else { return };
        if !keeps(*function) {
            return;
        }
        if let Some(first) = args.first_mut() {
            let placeholder = Expr { kind: ExprKind::Const(0), ty: Types::ERROR, span: Span::NONE };
            let (Arg::In(expr) | Arg::Out { place: expr, .. }) =
                std::mem::replace(first, Arg::In(placeholder));
            *first = Arg::In(expr);
        }
    });
}

/// One step of the fixpoint: whether a method may write its object, given the methods already known to write theirs.
fn writes_object(function: &hir::Function, writes: &[bool], is_method: &[bool]) -> bool {
    let mut found = false;
    each_root(&function.body, |root| {
        each_expr(root, |it| {
            found |= match &it.kind {
                ExprKind::Assign(place, _)
                | ExprKind::AssignOp { place, .. }
                | ExprKind::Step { place, .. } => is_of_object(place),
                ExprKind::Call { function, args } => {
                    let callee = function.0 as usize;
                    args.iter().enumerate().any(|(i, arg)| match arg {
                        Arg::In(_) => false,
                        Arg::Out { place, .. } => {
                            is_of_object(place) && (i > 0 || !is_method[callee] || writes[callee])
                        }
                    })
                }
                ExprKind::Library { args, .. } | ExprKind::Method { args, .. } => args
                    .iter()
                    .any(|arg| matches!(arg, Arg::Out { place, .. } if is_of_object(place))),
                _ => false,
            }
        });
    });
    found
}

/// Whether an lvalue is part of the first local, the object of a method.
fn is_of_object(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Local(id) => *id == LocalId(0),
        ExprKind::Field(base, _)
        | ExprKind::Swizzle(base, _)
        | ExprKind::MatrixSwizzle(base, _)
        | ExprKind::Index(base, _)
        | ExprKind::Assign(base, _)
        | ExprKind::AssignOp { place: base, .. }
        | ExprKind::Step { place: base, .. }
        | ExprKind::Comma(_, base) => is_of_object(base),
        _ => false,
    }
}
