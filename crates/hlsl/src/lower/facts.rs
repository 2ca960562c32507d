//! Facts that lowering needs about code in advance: what a loop assigns, which variables are indexed dynamically,
//! whether a function returns only at its end.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::check::fold;
use crate::hash::QuickMap;
use crate::hir::{
    Arg, Expr, ExprKind, Function, FunctionId, GlobalId, GlobalKind, LocalId, Program, Stmt,
    StmtKind,
};
use crate::types::{Type, TypeId};
use crate::walk::{each_expr, each_root, each_stmt};

/// The variables that a statement assigns, calls included.
#[derive(Debug, Default)]
pub(super) struct Assigned {
    pub(super) locals: BTreeSet<LocalId>,
    /// Those of the locals that are declared inside it.
    pub(super) declared: BTreeSet<LocalId>,
    pub(super) statics: BTreeSet<GlobalId>,
    /// Whether it contains a `continue` that belongs to it.
    pub(super) continues: bool,
    /// Whether it assigns a resource variable declared outside of it, or takes a resource out of such a variable by a
    /// dynamic index.
    pub(super) resources: bool,
}

/// Facts about a function.
#[derive(Debug, Default)]
pub(super) struct FunctionFacts {
    /// The locals that are indexed dynamically.
    pub(super) dynamic: BTreeSet<LocalId>,
    /// Whether lanes return only where the body ends anyway.
    pub(super) returns_last: bool,
    /// Statics that it or its callees assign.
    statics: BTreeSet<GlobalId>,
}

pub(super) struct Facts {
    functions: Vec<FunctionFacts>,
    pub(super) dynamic_globals: BTreeSet<GlobalId>,
    /// The values of statics that nothing assigns and whose initialiser is constant.
    constants: Vec<Option<Rc<[u64]>>>,
    native_16bit: bool,
    /// By the address of the statement, which does not move during lowering.
    assigned: QuickMap<*const Stmt, Rc<Assigned>>,
}

impl Facts {
    pub(super) fn of(program: &Program) -> Facts {
        let mut facts = Facts {
            functions: Vec::new(),
            dynamic_globals: BTreeSet::new(),
            constants: vec![None; program.globals.len()],
            native_16bit: program.entry.native_16bit,
            assigned: QuickMap::default(),
        };
        let (mut callees, mut picks) = (Vec::new(), Vec::new());
        for function in &program.functions {
            let (found, calls, picked) = direct(program, function);
            facts.functions.push(found);
            callees.push(calls);
            picks.push(picked);
        }
        facts.close_over_calls(&callees);
        facts.find_constants(program);
        for (index, picks) in picks.iter().enumerate() {
            for root in facts.dynamic(program, picks) {
                match root {
                    Root::Local(id) => facts.functions[index].dynamic.insert(id),
                    Root::Global(id) => facts.dynamic_globals.insert(id),
                };
            }
        }
        for global in &program.globals {
            if let GlobalKind::Static { init: Some(init) } = &global.kind {
                let mut picks = Vec::new();
                each_expr(init, |expr| picks.extend(pick(program, expr)));
                let found = facts.dynamic(program, &picks);
                facts.dynamic_globals.extend(found.into_iter().filter_map(Root::global));
            }
        }
        facts
    }

    pub(super) fn function(&self, id: FunctionId) -> &FunctionFacts {
        &self.functions[id.0 as usize]
    }

    /// Whether an object of that type is indexed by anything but a constant.
    pub(super) fn has_dynamic_index(&self, program: &Program, ty: TypeId) -> bool {
        let mut found = false;
        for function in &program.functions {
            each_root(&function.body, |root| {
                each_expr(root, |expr| {
                    if let ExprKind::Index(base, index) = &expr.kind {
                        found |= base.ty == ty && self.constant(program, index).is_none();
                    }
                });
            });
        }
        found
    }

    /// The bits of a constant expression: one that has the same value whenever it is evaluated.
    pub(super) fn constant(&self, program: &Program, expr: &Expr) -> Option<Vec<u64>> {
        if let ExprKind::Const(bits) = expr.kind {
            return Some(vec![bits]);
        }
        let global = |id: GlobalId| self.constants.get(id.0 as usize).cloned().flatten();
        fold::fold(&program.types, self.native_16bit, expr, &global)
    }

    /// The assignments in these statements and expressions of a loop or switch. `key` is its own statement.
    pub(super) fn assigned(&mut self, program: &Program, key: &Stmt) -> Rc<Assigned> {
        if let Some(known) = self.assigned.get(&std::ptr::from_ref(key)) {
            return Rc::clone(known);
        }
        let mut assigned = Assigned::default();
        let mut holders = BTreeSet::new();
        let within = std::slice::from_ref(key);
        each_stmt(within, |stmt| {
            if let StmtKind::Let(local, _) = stmt.kind {
                assigned.declared.insert(local);
                assigned.locals.insert(local);
            }
        });
        each_root(within, |root| {
            each_expr(root, |expr| {
                let is_held = assigns_resource(program, expr);
                holders.extend(self.chosen_from(program, expr));
                for root in assigned_roots(expr) {
                    if is_held {
                        holders.insert(root);
                    }
                    match root {
                        Root::Local(id) => assigned.locals.insert(id),
                        Root::Global(id) => assigned.statics.insert(id),
                    };
                }
                if let ExprKind::Call { function, .. } = &expr.kind {
                    assigned.statics.extend(&self.functions[function.0 as usize].statics);
                }
            });
        });
        assigned.continues = match &key.kind {
            StmtKind::Loop(it) => has_continue(&it.body),
            _ => false,
        };
        assigned.resources =
            holders.iter().any(|it| it.local().is_none_or(|id| !assigned.declared.contains(&id)));
        let assigned = Rc::new(assigned);
        self.assigned.insert(std::ptr::from_ref(key), Rc::clone(&assigned));
        assigned
    }

    fn close_over_calls(&mut self, callees: &[BTreeSet<FunctionId>]) {
        // Fixpoint: without recursion, nothing changes after as many rounds as the deepest chain of calls.
        loop {
            let mut changed = false;
            for (caller, calls) in callees.iter().enumerate() {
                for callee in calls {
                    let statics = self.functions[callee.0 as usize].statics.clone();
                    let before = self.functions[caller].statics.len();
                    self.functions[caller].statics.extend(statics);
                    changed |= self.functions[caller].statics.len() != before;
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn find_constants(&mut self, program: &Program) {
        let mut assigned: BTreeSet<GlobalId> = BTreeSet::new();
        self.functions.iter().for_each(|it| assigned.extend(&it.statics));
        for (index, global) in program.globals.iter().enumerate() {
            let id = GlobalId(index as u32);
            if let GlobalKind::Static { init: Some(init) } = &global.kind
                && !assigned.contains(&id)
            {
                self.constants[index] = self.constant(program, init).map(Rc::from);
            }
        }
    }

    /// The resource variable that the expression indexes dynamically.
    fn chosen_from(&self, program: &Program, expr: &Expr) -> Option<Root> {
        let ExprKind::Index(base, index) = &expr.kind else { return None };
        let is_array = matches!(program.types.get(base.ty), Type::Array { .. });
        if !is_array || !program.types.holds_binding(base.ty) {
            return None;
        }
        root_of(program, base).filter(|_| self.constant(program, index).is_none())
    }

    /// The variables whose index is not constant, once for each index.
    fn dynamic(&self, program: &Program, picks: &[(Root, &Expr)]) -> Vec<Root> {
        let dynamic = picks.iter().filter(|(_, index)| self.constant(program, index).is_none());
        dynamic.map(|(root, _)| *root).collect()
    }
}

/// The variable that an expression indexes, and the index.
fn pick<'p>(program: &Program, expr: &'p Expr) -> Option<(Root, &'p Expr)> {
    let ExprKind::Index(base, index) = &expr.kind else { return None };
    let is_buffer = matches!(program.types.get(base.ty), Type::Resource(_));
    let root = if is_buffer { None } else { root_of(program, base) };
    root.map(|root| (root, &**index))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Root {
    Local(LocalId),
    Global(GlobalId),
}

impl Root {
    fn local(self) -> Option<LocalId> {
        match self {
            Root::Local(id) => Some(id),
            Root::Global(_) => None,
        }
    }

    fn global(self) -> Option<GlobalId> {
        match self {
            Root::Global(id) => Some(id),
            Root::Local(_) => None,
        }
    }
}

/// The variable that an lvalue lies in, without going through a resource.
fn root_of(program: &Program, mut expr: &Expr) -> Option<Root> {
    loop {
        if matches!(program.types.get(expr.ty), Type::Resource(_)) {
            return None;
        }
        match variable_or_base(expr) {
            Ok(root) => return Some(root),
            Err(Some(base)) => expr = base,
            Err(None) => return None,
        }
    }
}

/// The variable that an expression names, or is a part of.
fn variable_or_base(expr: &Expr) -> Result<Root, Option<&Expr>> {
    match &expr.kind {
        ExprKind::Local(id) => Ok(Root::Local(*id)),
        ExprKind::Global(id) => Ok(Root::Global(*id)),
        ExprKind::Field(base, _)
        | ExprKind::Swizzle(base, _)
        | ExprKind::MatrixSwizzle(base, _)
        | ExprKind::Index(base, _)
        | ExprKind::Assign(base, _)
        | ExprKind::AssignOp { place: base, .. }
        | ExprKind::Step { place: base, prefix: true, .. }
        | ExprKind::Comma(_, base) => Err(Some(base)),
        ExprKind::Const(_)
        | ExprKind::Resource(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Logic { .. }
        | ExprKind::Conditional { .. }
        | ExprKind::Step { prefix: false, .. }
        | ExprKind::Call { .. }
        | ExprKind::Wave { .. }
        | ExprKind::Library { .. }
        | ExprKind::Method { .. }
        | ExprKind::Convert(_)
        | ExprKind::Construct(_) => Err(None),
    }
}

/// The variables that an expression itself assigns; the assignments of its parts are theirs.
/// A buffer element counts as its variable where a local holds the buffer: an over-approximation, which is safe.
fn assigned_roots(expr: &Expr) -> Vec<Root> {
    let root = |mut place: &Expr| loop {
        match variable_or_base(place) {
            Ok(root) => return Some(root),
            Err(Some(base)) => place = base,
            Err(None) => return None,
        }
    };
    let out = |arg: &Arg| match arg {
        Arg::Out { place, .. } => root(place),
        Arg::In(_) => None,
    };
    match &expr.kind {
        ExprKind::Assign(place, _)
        | ExprKind::AssignOp { place, .. }
        | ExprKind::Step { place, .. } => root(place).into_iter().collect(),
        ExprKind::Call { args, .. }
        | ExprKind::Library { args, .. }
        | ExprKind::Method { args, .. } => args.iter().filter_map(out).collect(),
        _ => Vec::new(),
    }
}

/// Whether it assigns to a resource, or to an array of them. A struct of resources is usually written back unchanged.
fn assigns_resource(program: &Program, expr: &Expr) -> bool {
    let ExprKind::Assign(place, _) = &expr.kind else { return false };
    let mut ty = place.ty;
    while let Type::Array { element, .. } = program.types.get(ty) {
        ty = element;
    }
    matches!(program.types.get(ty), Type::Resource(_)) && program.types.holds_binding(ty)
}

/// What a function itself does, its callees, and what it indexes.
fn direct<'p>(
    program: &Program,
    function: &'p Function,
) -> (FunctionFacts, BTreeSet<FunctionId>, Vec<(Root, &'p Expr)>) {
    let mut facts =
        FunctionFacts { returns_last: returns_last(&function.body), ..FunctionFacts::default() };
    let (mut calls, mut picks) = (BTreeSet::new(), Vec::new());
    each_root(&function.body, |root| {
        each_expr(root, |expr| {
            picks.extend(pick(program, expr));
            if let ExprKind::Call { function, .. } = &expr.kind {
                calls.insert(*function);
            }
            facts.statics.extend(assigned_roots(expr).into_iter().filter_map(Root::global));
        });
    });
    (facts, calls, picks)
}

/// Whether every `return` is in tail position: at the end of the body, or at the end of an arm there.
fn returns_last(mut body: &[Stmt]) -> bool {
    let returns = |stmts: &[Stmt]| {
        let mut found = false;
        each_stmt(stmts, |stmt| found |= matches!(stmt.kind, StmtKind::Return(_)));
        found
    };
    loop {
        let Some((last, before)) = body.split_last() else { return true };
        if returns(before) {
            return false;
        }
        match &last.kind {
            StmtKind::Block(inner) => body = inner,
            StmtKind::If { then, else_, .. } => {
                // The longer side of an `else if` chain is the second one: iterate on that side, and recurse into the
                // other.
                if !returns_last(then) {
                    return false;
                }
                body = else_;
            }
            StmtKind::Loop(_) | StmtKind::Switch(_) => return !returns(std::slice::from_ref(last)),
            StmtKind::Expr(_)
            | StmtKind::Let(..)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Discard => return true,
        }
    }
}

/// Whether a `continue` in these statements belongs to the enclosing loop.
fn has_continue(stmts: &[Stmt]) -> bool {
    let mut open: Vec<&Stmt> = stmts.iter().collect();
    while let Some(stmt) = open.pop() {
        match &stmt.kind {
            StmtKind::Continue => return true,
            StmtKind::Block(stmts) => open.extend(stmts),
            StmtKind::If { then, else_, .. } => open.extend(then.iter().chain(else_)),
            StmtKind::Switch(it) => open.extend(it.groups.iter().flat_map(|group| &group.body)),
            // A `continue` in an inner loop belongs to that one.
            StmtKind::Loop(_)
            | StmtKind::Expr(_)
            | StmtKind::Let(..)
            | StmtKind::Break
            | StmtKind::Return(_)
            | StmtKind::Discard => {}
        }
    }
    false
}
