//! Statements.

use diag::{Diagnostic, Span, code};

use super::attr::{self, Target};
use super::func::LocalFacts;
use super::scope::{self, ScopeKind, ValueEntity};
use super::{Checker, reach};
use crate::ast::{self, Declarator, Modifier};
use crate::hash::QuickMap;
use crate::hir::{CaseGroup, Expr, ExprKind, Loop, Stmt, StmtKind, Switch};
use crate::options::Version;
use crate::types::{Scalar, Type, TypeId, Types};

impl<'a> Checker<'a> {
    pub(super) fn stmts(&mut self, stmts: &'a [ast::Stmt]) -> Vec<Stmt> {
        let mut checked = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            if self.is_spent() {
                break;
            }
            self.stmt(stmt, &mut checked);
        }
        checked
    }

    /// A statement in its own scope.
    fn scoped(&mut self, stmt: &'a ast::Stmt) -> Vec<Stmt> {
        let scope = self.scopes.inside(self.scopes.current(), ScopeKind::Block);
        self.in_scope(scope, |this| match &stmt.kind {
            ast::StmtKind::Block(block) if stmt.attributes.is_empty() => this.stmts(&block.stmts),
            _ => this.stmts(std::slice::from_ref(stmt)),
        })
    }

    fn stmt(&mut self, stmt: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        self.deeper(span, |this| this.stmt_inner(stmt, out));
    }

    fn stmt_inner(&mut self, stmt: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        attr::report_misplaced(self, &stmt.attributes, place_of(&stmt.kind));
        let kind = match &stmt.kind {
            ast::StmtKind::Empty | ast::StmtKind::Error => return,
            ast::StmtKind::Block(block) => {
                let scope = self.scopes.inside(self.scopes.current(), ScopeKind::Block);
                StmtKind::Block(self.in_scope(scope, |this| this.stmts(&block.stmts)))
            }
            ast::StmtKind::Var(var) => return self.local_var(var, out),
            ast::StmtKind::Item(item) => return self.item(item),
            ast::StmtKind::Expr(expr) => {
                let expr = self.expr(expr);
                StmtKind::Expr(self.settle(expr))
            }
            ast::StmtKind::If(it) => return self.if_chain(it, span, out),
            ast::StmtKind::For(it) => return self.for_loop(it, span, out),
            ast::StmtKind::While { condition, body } => {
                let cond = self.loop_condition(condition, "`while`");
                let body = self.loop_body(body);
                self.loop_stmt(Loop { cond: Some(cond), test_first: true, body, step: None }, span)
            }
            ast::StmtKind::Do { body, condition } => {
                let body = self.loop_body(body);
                let cond = self.loop_condition(condition, "`do`");
                self.loop_stmt(Loop { cond: Some(cond), test_first: false, body, step: None }, span)
            }
            ast::StmtKind::Switch(it) => match self.switch(it) {
                Some(kind) => kind,
                None => return,
            },
            ast::StmtKind::Break => {
                if self.body.as_ref().is_some_and(|it| it.breakable == 0) {
                    self.error(
                        &code::MISPLACED_STATEMENT,
                        span,
                        "`break` outside a loop or `switch`",
                    );
                    return;
                }
                StmtKind::Break
            }
            ast::StmtKind::Continue => {
                if self.body.as_ref().is_some_and(|it| it.loops == 0) {
                    self.error(&code::MISPLACED_STATEMENT, span, "`continue` outside a loop");
                    return;
                }
                StmtKind::Continue
            }
            ast::StmtKind::Discard => {
                let stage = self.stage;
                if !matches!(stage, ops::intrinsics::Stage::Pixel | ops::intrinsics::Stage::Library)
                {
                    let message = "`discard` is only available in pixel shaders";
                    self.gate(Diagnostic::new(&code::WRONG_STAGE, span, message));
                }
                StmtKind::Discard
            }
            ast::StmtKind::Return(value) => self.return_stmt(value.as_ref(), span),
        };
        out.push(Stmt { kind, span });
    }

    fn return_stmt(&mut self, value: Option<&'a ast::Expr>, span: Span) -> StmtKind {
        let Some((result, result_span)) = self.body.as_ref().map(|it| (it.result, it.result_span))
        else {
            return StmtKind::Return(None);
        };
        let Some(value) = value else {
            if result != Types::VOID && result != Types::ERROR {
                let message = format!("expected a `{}` to return", self.name_of(result));
                let report = Diagnostic::new(&code::TYPE_MISMATCH, span, message);
                self.report(report.also(result_span, "the function's type"));
            }
            return StmtKind::Return(None);
        };
        let checked = self.init_value(value, result);
        // The call of a function without a result is made, as in C++.
        if result == Types::VOID && checked.ty != Types::VOID {
            if checked.ty != Types::ERROR {
                let message = "the function returns `void`, so `return` cannot have a value";
                let report = Diagnostic::new(&code::TYPE_MISMATCH, value.span, message);
                self.report(report.also(result_span, "the function's type"));
            }
            return StmtKind::Return(None);
        }
        StmtKind::Return(Some(checked))
    }

    /// A value converted as in the initialisation of a variable, but lists are not allowed.
    fn init_value(&mut self, value: &'a ast::Expr, ty: TypeId) -> Expr {
        let checked = self.expr(value);
        if ty == Types::VOID { checked } else { self.coerce(checked, ty) }
    }

    // Variables.

    fn local_var(&mut self, var: &'a ast::Var, out: &mut Vec<Stmt>) {
        let is_deduced = matches!(var.ty.kind, ast::TypeKind::Auto)
            && self.options.hlsl_version >= Version::V202x;
        let base = (!is_deduced).then(|| self.ty_with(&var.ty, &var.modifiers));
        let is_const = var.modifiers.has(Modifier::Const);
        for declarator in &var.declarators {
            if let Some(span) = var.modifiers.span(Modifier::GroupShared) {
                let report = Diagnostic::new(
                    &code::BAD_DECLARATION,
                    span,
                    "a local variable cannot be groupshared",
                );
                self.report(report.help("declare it outside of functions"));
            }
            let ty = match base {
                Some(base) => self.array(base, &declarator.dims),
                None => match self.deduced(declarator) {
                    Some(ty) => ty,
                    None => {
                        self.declare(&declarator.name, ValueEntity::Broken);
                        continue;
                    }
                },
            };
            let ty = self.no_string(ty, &declarator.name);
            if var.modifiers.has(Modifier::Static) {
                self.static_var(declarator, ty, is_const);
            } else {
                self.local_declarator(declarator, ty, is_const, out);
            }
        }
    }

    /// Deduces the type of an `auto` variable from its initialiser; `None` after a report.
    fn deduced(&mut self, declarator: &'a Declarator) -> Option<TypeId> {
        let span = declarator.name.span;
        let Some(ast::Initializer::Expr(init)) = &declarator.init else {
            let message = format!("`{}` is `auto` but has no initialiser", declarator.name.name);
            self.error(&code::BAD_DECLARATION, span, message);
            return None;
        };
        if let Some(dim) = declarator.dims.first() {
            self.error(
                &code::BAD_DECLARATION,
                dim.span,
                "an `auto` variable cannot have an array size",
            );
            return None;
        }
        // Checked again once the variable is declared.
        let (checked, failed) = self.quietly(|this| {
            let value = this.expr(init);
            this.settle(value)
        });
        if failed || checked.ty == Types::ERROR {
            // Report without the variable in scope, which might hide the name in error.
            self.expr(init);
            return None;
        }
        Some(checked.ty)
    }

    fn local_declarator(
        &mut self,
        declarator: &'a Declarator,
        ty: TypeId,
        is_const: bool,
        out: &mut Vec<Stmt>,
    ) {
        // As in C, the variable is in scope in its own initialiser, where it is uninitialised.
        let facts = LocalFacts { is_const, is_reference: false };
        let name = declarator.name.name.to_string();
        let local = self.add_local(name, ty, declarator.name.span, facts);
        let Some(owner) = self.body.as_ref().map(|it| it.function) else { return };
        let entity = |ty, value| match ty {
            Types::ERROR => ValueEntity::Broken,
            ty => ValueEntity::Local(scope::Local { owner, id: local, ty, value }),
        };
        let before = entity(ty, None);
        self.declare(&declarator.name, before.clone());
        let is_declared = |this: &Checker| {
            let known = this.scopes.own_value(this.scopes.current(), &declarator.name.name);
            known.is_some_and(|it| it.entity == before)
        };
        let (ty, init) = self.initializer(ty, declarator);
        let reads_itself = init.as_ref().is_some_and(|it| reach::mentions_local(it, local));
        if let Some(name) = self.incomplete(ty) {
            let message = format!("`{name}` is incomplete here");
            self.error(&code::BAD_DECLARATION, declarator.name.span, message);
        }
        let value = match (&init, self.types.get(ty)) {
            (Some(init), Type::Scalar(_)) if is_const => {
                self.constant(init).and_then(|it| it.first().copied())
            }
            _ => None,
        };
        if let Some(body) = &mut self.body {
            body.locals[local.0 as usize].ty = ty;
        }
        let after = entity(ty, value);
        if after != before && is_declared(self) {
            let (scope, name) = (self.scopes.current(), declarator.name.name.clone());
            self.scopes.declare_value(scope, name, after, declarator.name.span);
        }
        if reads_itself {
            out.push(Stmt { kind: StmtKind::Let(local, None), span: declarator.name.span });
        }
        out.push(Stmt { kind: StmtKind::Let(local, init), span: declarator.span });
    }

    // Control flow.

    fn if_chain(&mut self, it: &'a ast::If, span: Span, out: &mut Vec<Stmt>) {
        const MOST_ARMS: usize = 512;
        if it.arms.len() > MOST_ARMS {
            return self.error(
                &code::NESTING_TOO_DEEP,
                span,
                format!("more than {MOST_ARMS} `else if` in a row"),
            );
        }
        let mut arms = Vec::new();
        for arm in &it.arms {
            attr::report_misplaced(self, &arm.attributes, Target::If);
            let cond = self.expr(&arm.condition);
            let cond = self.condition(cond, "`if`");
            arms.push((cond, self.scoped(&arm.then), arm.span));
        }
        let mut else_ = it.otherwise.as_ref().map_or(Vec::new(), |it| self.scoped(it));
        while let Some((cond, then, arm)) = arms.pop() {
            let span = if arms.is_empty() { span } else { arm };
            else_ = vec![Stmt { kind: StmtKind::If { cond, then, else_ }, span }];
        }
        out.append(&mut else_);
    }

    fn loop_condition(&mut self, condition: &'a ast::Expr, what: &str) -> Expr {
        let checked = self.expr(condition);
        self.condition(checked, what)
    }

    fn loop_body(&mut self, body: &'a ast::Stmt) -> Vec<Stmt> {
        self.nested(1, 1, |this| this.scoped(body))
    }

    /// Runs a function inside this many more loops and breakable statements.
    fn nested<T>(&mut self, loops: u32, breakable: u32, run: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(body) = &mut self.body {
            body.loops += loops;
            body.breakable += breakable;
        }
        let result = run(self);
        if let Some(body) = &mut self.body {
            body.loops -= loops;
            body.breakable -= breakable;
        }
        result
    }

    /// A loop, with a warning if no lane can ever leave it.
    fn loop_stmt(&mut self, it: Loop, span: Span) -> StmtKind {
        if runs_forever(&it) && !leaves(&it.body) && !returns(&it.body) {
            let report =
                Diagnostic::new(&code::ENDLESS_LOOP, span, "no lane ever leaves this loop")
                    .help("add a `break`, a `return` or a condition that becomes false");
            self.report(report);
        }
        StmtKind::Loop(Box::new(it))
    }

    fn for_loop(&mut self, it: &'a ast::For, span: Span, out: &mut Vec<Stmt>) {
        // Before HLSL 2021 the names of the header stay visible after the loop, and the next loop may redeclare them.
        let leaks = !self.is_2021();
        let outer = self.scopes.current();
        let scope = self.scopes.inside(outer, ScopeKind::Block);
        let mut stmts = Vec::new();
        self.in_scope(scope, |this| {
            this.stmt(&it.init, &mut stmts);
            let cond = it.condition.as_ref().map(|it| this.loop_condition(it, "`for`"));
            let step = it.step.as_ref().map(|it| {
                let step = this.expr(it);
                this.settle(step)
            });
            let body = this.loop_body(&it.body);
            let kind = this.loop_stmt(Loop { cond, test_first: true, body, step }, span);
            stmts.push(Stmt { kind, span });
        });
        if leaks && let ast::StmtKind::Var(var) = &it.init.kind {
            for declarator in &var.declarators {
                let name = &declarator.name.name;
                if let Some(found) = self.scopes.own_value(scope, name).cloned()
                    && self.scopes.own_value(outer, name).is_none_or(|it| it.span != found.span)
                {
                    self.scopes.declare_value(outer, name.clone(), found.entity, found.span);
                }
            }
            out.append(&mut stmts);
            return;
        }
        match stmts.len() {
            1 => out.append(&mut stmts),
            _ => out.push(Stmt { kind: StmtKind::Block(stmts), span }),
        }
    }

    fn switch(&mut self, it: &'a ast::Switch) -> Option<StmtKind> {
        let selector = self.expr(&it.value);
        let selector = self.contents(selector);
        let selector = self.settle(selector);
        let selector = self.decay(selector);
        let scalar = match self.types.get(selector.ty) {
            Type::Scalar(scalar) => Some(scalar),
            Type::Error => None,
            _ => {
                let message = format!(
                    "the selector of a `switch` must be an integer, not `{}`",
                    self.name_of(selector.ty)
                );
                self.error(&code::TYPE_MISMATCH, it.value.span, message);
                None
            }
        };
        let selector = match scalar {
            Some(Scalar::Bool) => self.convert(selector, Types::INT),
            Some(scalar) if scalar.is_float() => {
                let name = self.name_of(selector.ty);
                let message = format!(
                    "the selector of a `switch` is an integer, so this `{name}` is converted to `int`"
                );
                let report = Diagnostic::new(&code::LOSSY_CONVERSION, it.value.span, message);
                self.report(report.help("cast it if this is intended"));
                self.convert(selector, Types::INT)
            }
            _ => selector,
        };
        let scope = self.scopes.inside(self.scopes.current(), ScopeKind::Block);
        let groups = self.in_scope(scope, |this| {
            this.nested(0, 1, |this| {
                let mut labels = QuickMap::default();
                let mut groups = Vec::new();
                for group in &it.groups {
                    groups.push(this.case_group(group, selector.ty, &mut labels));
                }
                groups
            })
        });
        scalar?;
        Some(StmtKind::Switch(Box::new(Switch { selector, groups })))
    }

    fn case_group(
        &mut self,
        group: &'a ast::CaseGroup,
        ty: TypeId,
        seen: &mut QuickMap<Option<u64>, Span>,
    ) -> CaseGroup {
        let mut labels = Vec::new();
        let mut default = false;
        for label in &group.labels {
            let value = match &label.value {
                None => {
                    default = true;
                    None
                }
                Some(value) => {
                    let Some((_, checked)) = self.constant_integer(value, "a label") else {
                        continue;
                    };
                    let converted = self.coerce(checked, ty);
                    // A selector of type `void` has no value, and is reported elsewhere.
                    let Some(bits) = self.constant(&converted).and_then(|it| it.first().copied())
                    else {
                        continue;
                    };
                    Some(bits)
                }
            };
            if let Some(before) = seen.get(&value) {
                let message = match value {
                    None => "this `switch` already has a `default`",
                    Some(_) => "this `switch` already has a label with this value",
                };
                let report = Diagnostic::new(&code::DUPLICATE_LABEL, label.span, message)
                    .also(*before, "the first one");
                self.report(report);
                continue;
            }
            seen.insert(value, label.span);
            labels.extend(value);
        }
        CaseGroup { labels, default, body: self.stmts(&group.stmts) }
    }
}

/// Whether control can reach the end of a list of statements.
pub(super) fn falls_through(stmts: &[Stmt]) -> bool {
    stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Discard | StmtKind::Break | StmtKind::Continue => false,
        StmtKind::Block(stmts) => falls_through(stmts),
        StmtKind::If { then, else_, .. } => falls_through(then) || falls_through(else_),
        StmtKind::Loop(it) => {
            !runs_forever(it) && (it.test_first || falls_through(&it.body) || leaves(&it.body))
                || leaves(&it.body)
        }
        StmtKind::Switch(it) => {
            let has_default = it.groups.iter().any(|group| group.default);
            let last_falls = it.groups.last().is_none_or(|group| falls_through(&group.body));
            !has_default || last_falls || it.groups.iter().any(|group| leaves(&group.body))
        }
        StmtKind::Expr(_) | StmtKind::Let(..) => true,
    })
}

/// Whether the condition of a loop is constantly true.
fn runs_forever(it: &Loop) -> bool {
    it.cond.as_ref().is_none_or(|cond| matches!(cond.kind, ExprKind::Const(1)))
}

/// Whether the statements contain a `return`.
fn returns(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Discard => true,
        StmtKind::Block(stmts) => returns(stmts),
        StmtKind::If { then, else_, .. } => returns(then) || returns(else_),
        StmtKind::Loop(it) => returns(&it.body),
        StmtKind::Switch(it) => it.groups.iter().any(|group| returns(&group.body)),
        StmtKind::Break | StmtKind::Continue | StmtKind::Expr(_) | StmtKind::Let(..) => false,
    })
}

/// Whether the statements contain a `break` out of the enclosing loop or switch.
fn leaves(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::Block(stmts) => leaves(stmts),
        StmtKind::If { then, else_, .. } => leaves(then) || leaves(else_),
        StmtKind::Loop(_) | StmtKind::Switch(_) => false,
        StmtKind::Return(_)
        | StmtKind::Discard
        | StmtKind::Continue
        | StmtKind::Expr(_)
        | StmtKind::Let(..) => false,
    })
}

/// What the attributes of a statement precede.
fn place_of(stmt: &ast::StmtKind) -> Target {
    match stmt {
        ast::StmtKind::For(_) | ast::StmtKind::While { .. } | ast::StmtKind::Do { .. } => {
            Target::Loop
        }
        ast::StmtKind::If(_) => Target::If,
        ast::StmtKind::Switch(_) => Target::Switch,
        ast::StmtKind::Var(_) => Target::Variable,
        // A condition that declares a variable is a block around its statement.
        ast::StmtKind::Block(block) => match block.stmts.as_slice() {
            [ast::Stmt { kind: ast::StmtKind::Var(_), .. }, last] => place_of(&last.kind),
            _ => Target::Statement,
        },
        _ => Target::Statement,
    }
}
