//! Visitors over the checked program: the parts of an expression, the expressions of a statement, and everything below.
//!
//! None of them recurses, since chains of operators and of `else if` can be long. Analyses that need the control flow
//! do their own walk.
//! The stacks are inline up to a certain depth: there are very many expressions and statements, most of them small.

use smallvec::SmallVec;

use crate::hir::{Arg, Expr, ExprKind, Stmt, StmtKind};

/// Visits the parts of an expression, from left to right.
pub(crate) fn each_part<'e>(expr: &'e Expr, mut see: impl FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Resource(_) => {}
        ExprKind::Field(a, _)
        | ExprKind::Swizzle(a, _)
        | ExprKind::MatrixSwizzle(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Step { place: a, .. }
        | ExprKind::Convert(a) => see(a),
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Logic { lhs: a, rhs: b, .. }
        | ExprKind::Assign(a, b)
        | ExprKind::AssignOp { place: a, value: b, .. }
        | ExprKind::Comma(a, b) => [a, b].into_iter().for_each(|it| see(it)),
        ExprKind::Conditional { cond, then, else_, .. } => {
            [cond, then, else_].into_iter().for_each(|it| see(it));
        }
        ExprKind::Call { args, .. } | ExprKind::Library { args, .. } => {
            args.iter().map(argument).for_each(see);
        }
        ExprKind::Method { object, args, .. } => {
            see(object);
            args.iter().map(argument).for_each(see);
        }
        ExprKind::Wave { args, .. } | ExprKind::Construct(args) => args.iter().for_each(see),
    }
}

/// The value or lvalue that is passed.
fn argument(arg: &Arg) -> &Expr {
    match arg {
        Arg::In(expr) | Arg::Out { place: expr, .. } => expr,
    }
}

/// Like [`each_part`], but mutable.
pub(crate) fn each_part_mut<'e>(expr: &'e mut Expr, mut see: impl FnMut(&'e mut Expr)) {
    fn argument(arg: &mut Arg) -> &mut Expr {
        match arg {
            Arg::In(expr) | Arg::Out { place: expr, .. } => expr,
        }
    }
    match &mut expr.kind {
        ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Resource(_) => {}
        ExprKind::Field(a, _)
        | ExprKind::Swizzle(a, _)
        | ExprKind::MatrixSwizzle(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Step { place: a, .. }
        | ExprKind::Convert(a) => see(a),
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Logic { lhs: a, rhs: b, .. }
        | ExprKind::Assign(a, b)
        | ExprKind::AssignOp { place: a, value: b, .. }
        | ExprKind::Comma(a, b) => [a, b].into_iter().for_each(|it| see(it)),
        ExprKind::Conditional { cond, then, else_, .. } => {
            [cond, then, else_].into_iter().for_each(|it| see(it));
        }
        ExprKind::Call { args, .. } | ExprKind::Library { args, .. } => {
            args.iter_mut().map(argument).for_each(see);
        }
        ExprKind::Method { object, args, .. } => {
            see(object);
            args.iter_mut().map(argument).for_each(see);
        }
        ExprKind::Wave { args, .. } | ExprKind::Construct(args) => args.iter_mut().for_each(see),
    }
}

/// Visits an expression and everything in it in pre-order, from left to right.
pub(crate) fn each_expr<'e>(root: &'e Expr, mut see: impl FnMut(&'e Expr)) {
    let mut open: SmallVec<[&Expr; 16]> = SmallVec::new();
    let mut next = Some(root);
    while let Some(expr) = next {
        see(expr);
        let first = open.len();
        each_part(expr, |it| open.push(it));
        open[first..].reverse();
        next = open.pop();
    }
}

/// Visits an expression and everything in it, parents before their parts.
pub(crate) fn each_expr_mut(root: &mut Expr, mut see: impl FnMut(&mut Expr)) {
    let mut open: SmallVec<[&mut Expr; 16]> = SmallVec::new();
    let mut next = Some(root);
    while let Some(expr) = next {
        see(expr);
        each_part_mut(expr, |it| open.push(it));
        next = open.pop();
    }
}

/// Visits all statements in pre-order, which is source order.
pub(crate) fn each_stmt<'s>(stmts: &'s [Stmt], mut see: impl FnMut(&'s Stmt)) {
    each_node(stmts, |node| match *node {
        Node::Stmt(stmt) => see(stmt),
        Node::Root(_) => {}
    });
}

/// The root expressions of a statement: those directly in it.
pub(crate) fn roots(stmt: &Stmt) -> impl Iterator<Item = &Expr> {
    let (first, second) = match &stmt.kind {
        StmtKind::Expr(expr) | StmtKind::If { cond: expr, .. } => (Some(expr), None),
        StmtKind::Let(_, value) | StmtKind::Return(value) => (value.as_ref(), None),
        StmtKind::Loop(it) => (it.cond.as_ref(), it.step.as_ref()),
        StmtKind::Switch(it) => (Some(&it.selector), None),
        StmtKind::Block(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Discard => {
            (None, None)
        }
    };
    first.into_iter().chain(second)
}

/// Visits the root expressions of all statements, in source order.
pub(crate) fn each_root<'s>(stmts: &'s [Stmt], mut see: impl FnMut(&'s Expr)) {
    each_node(stmts, |node| match *node {
        Node::Stmt(_) => {}
        Node::Root(expr) => see(expr),
    });
}

/// A statement, or a root expression of one.
enum Node<'s> {
    Stmt(&'s Stmt),
    Root(&'s Expr),
}

fn each_node<'s>(stmts: &'s [Stmt], mut see: impl FnMut(&Node<'s>)) {
    let mut open: SmallVec<[Node; 16]> = stmts.iter().rev().map(Node::Stmt).collect();
    while let Some(node) = open.pop() {
        see(&node);
        let Node::Stmt(stmt) = node else { continue };
        let first = open.len();
        match &stmt.kind {
            StmtKind::Expr(expr) => open.push(Node::Root(expr)),
            StmtKind::Let(_, value) | StmtKind::Return(value) => {
                open.extend(value.iter().map(Node::Root));
            }
            StmtKind::Block(stmts) => open.extend(stmts.iter().map(Node::Stmt)),
            StmtKind::If { cond, then, else_ } => {
                open.push(Node::Root(cond));
                open.extend(then.iter().chain(else_).map(Node::Stmt));
            }
            StmtKind::Loop(it) => {
                open.extend(it.cond.iter().map(Node::Root));
                open.extend(it.body.iter().map(Node::Stmt));
                open.extend(it.step.iter().map(Node::Root));
            }
            StmtKind::Switch(it) => {
                open.push(Node::Root(&it.selector));
                open.extend(it.groups.iter().flat_map(|group| &group.body).map(Node::Stmt));
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Discard => {}
        }
        open[first..].reverse();
    }
}

/// Like [`each_root`], but mutable and in no particular order.
pub(crate) fn each_root_mut(stmts: &mut [Stmt], mut see: impl FnMut(&mut Expr)) {
    let mut open: SmallVec<[&mut Stmt; 16]> = stmts.iter_mut().collect();
    while let Some(stmt) = open.pop() {
        match &mut stmt.kind {
            StmtKind::Expr(expr) => see(expr),
            StmtKind::Let(_, value) | StmtKind::Return(value) => {
                value.iter_mut().for_each(&mut see);
            }
            StmtKind::Block(stmts) => open.extend(stmts),
            StmtKind::If { cond, then, else_ } => {
                see(cond);
                open.extend(then.iter_mut().chain(else_));
            }
            StmtKind::Loop(it) => {
                let it = &mut **it;
                it.cond.iter_mut().chain(&mut it.step).for_each(&mut see);
                open.extend(&mut it.body);
            }
            StmtKind::Switch(it) => {
                let it = &mut **it;
                see(&mut it.selector);
                open.extend(it.groups.iter_mut().flat_map(|group| &mut group.body));
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Discard => {}
        }
    }
}
