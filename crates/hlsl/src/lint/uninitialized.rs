//! Use before initialisation: variables that are read before any write, on every path.
//!
//! One pass over the statements in order. A variable declared without a value is *fresh* until its first mention: if
//! that is a read, it is reported, and after any other mention the variable is no longer tracked. So a write in one
//! branch and a read in another are not reported; the reference engine, which knows the lanes, finds those at run time.

use std::collections::{BTreeMap, BTreeSet};

use diag::{Diagnostic, Span, code};

use crate::hir::{Arg, Expr, ExprKind, Function, LocalId, Stmt, StmtKind};
use crate::types::{Type, Types};
use crate::walk::each_expr;

pub(super) fn find(function: &Function, types: &Types) -> Vec<Diagnostic> {
    let mut reader = Reader {
        function,
        types,
        fresh: BTreeMap::new(),
        loops: Vec::new(),
        conditions: 0,
        reports: Vec::new(),
    };
    reader.stmts(&function.body);
    reader.reports
}

struct Reader<'a> {
    function: &'a Function,
    types: &'a Types,
    /// Variables declared and not mentioned since, each with the number of loops around its declaration.
    fresh: BTreeMap<LocalId, usize>,
    /// The writes in each enclosing loop, since an earlier iteration may write what this one reads, unless the first
    /// iteration reaches the read too. With each loop, the number of conditions around it.
    loops: Vec<(BTreeSet<LocalId>, usize)>,
    /// The number of enclosing conditions.
    conditions: usize,
    reports: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(expr) => self.read(expr),
            StmtKind::Let(local, Some(init)) => {
                self.read(init);
                self.fresh.remove(local);
            }
            StmtKind::Let(local, None) => {
                if self.holds_numbers(*local) {
                    self.fresh.insert(*local, self.loops.len());
                }
            }
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::If { cond, then, else_ } => {
                self.read(cond);
                self.conditions += 1;
                self.stmts(then);
                self.stmts(else_);
                self.conditions -= 1;
            }
            StmtKind::Loop(it) => {
                let mut written = BTreeSet::new();
                if !self.fresh.is_empty() {
                    written_in(&it.body, &mut written);
                    it.cond.iter().chain(&it.step).for_each(|it| writes_of(it, &mut written));
                }
                self.loops.push((written, self.conditions));
                if it.test_first {
                    it.cond.iter().for_each(|it| self.read(it));
                }
                self.stmts(&it.body);
                it.step.iter().for_each(|it| self.read(it));
                if !it.test_first {
                    it.cond.iter().for_each(|it| self.read(it));
                }
                self.loops.pop();
            }
            StmtKind::Switch(it) => {
                self.read(&it.selector);
                self.conditions += 1;
                for group in &it.groups {
                    self.stmts(&group.body);
                }
                self.conditions -= 1;
            }
            StmtKind::Return(value) => value.iter().for_each(|it| self.read(it)),
            StmtKind::Break | StmtKind::Continue | StmtKind::Discard => {}
        }
    }

    fn holds_numbers(&self, local: LocalId) -> bool {
        let ty = self.function.locals[local.0 as usize].ty;
        self.types.get(ty) != Type::Error
            && !self.types.holds_resource(ty)
            && self.types.scalar_count(ty) > 0
    }

    /// Processes the mentions in an expression.
    fn read(&mut self, root: &Expr) {
        if self.fresh.is_empty() {
            return;
        }
        let mut written = BTreeSet::new();
        writes_of(root, &mut written);
        // Not recursive, since chains of operators can be long; the order within one expression matters little, since
        // variables that it also writes are not reported.
        let mut reads: Vec<(LocalId, Span)> = Vec::new();
        let mut has_conditions = false;
        each_expr(root, |expr| match &expr.kind {
            ExprKind::Conditional { .. } | ExprKind::Logic { .. } => has_conditions = true,
            ExprKind::Local(local) => reads.push((*local, expr.span)),
            // `(void)x` suppresses the warning.
            ExprKind::Convert(inner) if expr.ty == Types::VOID => {
                written.extend(root_of(inner));
            }
            ExprKind::AssignOp { place, .. } | ExprKind::Step { place, .. } => {
                if let Some(local) = root_of(place) {
                    written.remove(&local);
                }
            }
            _ => {}
        });
        for (local, span) in reads {
            let Some(depth) = self.fresh.remove(&local) else { continue };
            let earlier = self.loops[depth..].iter().any(|(written, conditions)| {
                written.contains(&local) && (has_conditions || self.conditions > *conditions)
            });
            if earlier || written.contains(&local) {
                continue;
            }
            let it = &self.function.locals[local.0 as usize];
            self.reports.push(
                Diagnostic::new(
                    &code::UNINITIALIZED,
                    span,
                    format!("`{}` is read before it is initialised", it.name),
                )
                .also(it.span, "declared here without a value"),
            );
        }
    }
}

/// The variable that an lvalue is a part of.
fn root_of(mut place: &Expr) -> Option<LocalId> {
    loop {
        place = match &place.kind {
            ExprKind::Local(local) => return Some(*local),
            ExprKind::Field(inner, _)
            | ExprKind::Swizzle(inner, _)
            | ExprKind::MatrixSwizzle(inner, _)
            | ExprKind::Index(inner, _)
            | ExprKind::Convert(inner) => inner,
            _ => return None,
        };
    }
}

/// The variables that an expression writes or may write through a call.
fn writes_of(root: &Expr, written: &mut BTreeSet<LocalId>) {
    each_expr(root, |expr| match &expr.kind {
        ExprKind::Assign(place, _)
        | ExprKind::AssignOp { place, .. }
        | ExprKind::Step { place, .. } => written.extend(root_of(place)),
        ExprKind::Call { args, .. } | ExprKind::Library { args, .. } => {
            written.extend(args.iter().filter_map(out_argument));
        }
        ExprKind::Method { object, args, .. } => {
            written.extend(args.iter().filter_map(out_argument));
            written.extend(root_of(object));
        }
        _ => {}
    });
}

fn out_argument(arg: &Arg) -> Option<LocalId> {
    match arg {
        Arg::In(_) => None,
        Arg::Out { place, .. } => root_of(place),
    }
}

fn written_in(stmts: &[Stmt], written: &mut BTreeSet<LocalId>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Expr(expr) => writes_of(expr, written),
            StmtKind::Let(_, init) => init.iter().for_each(|it| writes_of(it, written)),
            StmtKind::Block(stmts) => written_in(stmts, written),
            StmtKind::If { cond, then, else_ } => {
                writes_of(cond, written);
                written_in(then, written);
                written_in(else_, written);
            }
            StmtKind::Loop(it) => {
                it.cond.iter().chain(&it.step).for_each(|it| writes_of(it, written));
                written_in(&it.body, written);
            }
            StmtKind::Switch(it) => {
                writes_of(&it.selector, written);
                it.groups.iter().for_each(|group| written_in(&group.body, written));
            }
            StmtKind::Return(value) => value.iter().for_each(|it| writes_of(it, written)),
            StmtKind::Break | StmtKind::Continue | StmtKind::Discard => {}
        }
    }
}
