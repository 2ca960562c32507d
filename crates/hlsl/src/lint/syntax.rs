//! Warnings about syntax: `=` for `==`, a stray `;`, a dangling `else`, `x = x`.

use diag::{Diagnostic, Sink, SourceMap, Span, code};

use crate::ast::{Expr, ExprKind, File, Function, If, Item, ItemKind, Stmt, StmtKind, Struct};

/// Lints a parsed file.
pub(crate) fn syntax(file: &File, sources: &SourceMap, sink: &mut Sink) {
    Reader { sources, sink }.items(&file.items);
}

struct Reader<'a> {
    sources: &'a SourceMap,
    sink: &'a mut Sink,
}

impl Reader<'_> {
    fn items(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Namespace(it) => self.items(&it.items),
            ItemKind::Struct(it) => self.structure(it),
            ItemKind::Function(it) => self.function(it),
            ItemKind::Enum(_)
            | ItemKind::Alias(_)
            | ItemKind::UsingNamespace(_)
            | ItemKind::Using(_)
            | ItemKind::Buffer(_)
            | ItemKind::Var(_)
            | ItemKind::StaticAssert(_)
            | ItemKind::Empty => {}
        }
    }

    fn structure(&mut self, it: &Struct) {
        for member in it.members.iter().flatten() {
            self.item(member);
        }
    }

    fn function(&mut self, it: &Function) {
        if let Some(body) = &it.body {
            self.stmts(&body.stmts);
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for (index, stmt) in stmts.iter().enumerate() {
            self.stmt(stmt, stmts.get(index + 1));
        }
    }

    /// Lints a statement, given the one that follows it.
    fn stmt(&mut self, stmt: &Stmt, next: Option<&Stmt>) {
        match &stmt.kind {
            StmtKind::Block(block) => self.stmts(&block.stmts),
            StmtKind::Item(item) => self.item(item),
            StmtKind::Expr(expr) => self.assignment_to_itself(expr),
            StmtKind::If(it) => self.chain(it),
            StmtKind::For(it) => {
                self.conditions(it.condition.iter());
                self.loop_body(&it.body, "`for`", next);
            }
            StmtKind::While { condition, body } => {
                self.conditions([condition]);
                self.loop_body(body, "`while`", next);
            }
            StmtKind::Do { body, condition } => {
                self.stmt(body, None);
                self.conditions([condition]);
            }
            StmtKind::Switch(it) => {
                for group in &it.groups {
                    self.stmts(&group.stmts);
                }
            }
            StmtKind::Var(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Discard
            | StmtKind::Return(_)
            | StmtKind::Empty
            | StmtKind::Error => {}
        }
    }

    fn chain(&mut self, it: &If) {
        self.conditions(it.arms.iter().map(|arm| &arm.condition));
        for arm in &it.arms {
            self.stmt(&arm.then, None);
        }
        if let Some(otherwise) = &it.otherwise {
            self.stmt(otherwise, None);
            return;
        }
        let Some(last) = it.arms.last() else { return };
        match &last.then.kind {
            StmtKind::Empty if self.is_bare(last.span, last.then.span) => {
                let report = Diagnostic::new(
                    &code::EMPTY_BODY,
                    last.then.span,
                    "this `;` is the entire body of the `if`",
                );
                self.sink.push(remove(report, last.then.span));
            }
            StmtKind::If(inner) => {
                let Some(otherwise) = &inner.otherwise else { return };
                let Some(arm) = inner.arms.last() else { return };
                if !otherwise.span.expansion.is_none() {
                    return;
                }
                let word = Span { lo: last.span.lo, hi: last.span.lo + 2, ..last.span };
                let near =
                    Span { lo: inner.arms[0].span.lo, hi: inner.arms[0].span.lo + 2, ..arm.span };
                self.sink.push(
                    Diagnostic::new(
                        &code::DANGLING_ELSE,
                        else_between(arm.span, otherwise.span, self.sources),
                        "this `else` belongs to the inner `if`",
                    )
                    .also(near, "to this one")
                    .also(word, "not to this one")
                    .help("add braces around the inner `if` to make this clear"),
                );
            }
            _ => {}
        }
    }

    fn loop_body(&mut self, body: &Stmt, what: &str, next: Option<&Stmt>) {
        self.stmt(body, None);
        let block = match next.map(|it| (&it.kind, it.span)) {
            Some((StmtKind::Block(_), span)) => Span { hi: span.lo + 1, ..span },
            _ => return,
        };
        if matches!(body.kind, StmtKind::Empty) && body.span.expansion.is_none() {
            let message = format!("this `;` is the entire body of the {what}");
            let report = Diagnostic::new(&code::EMPTY_BODY, body.span, message)
                .also(block, "this block runs once, after the loop");
            self.sink.push(remove(report, body.span));
        }
    }

    /// Whether a condition and the `;` after it are adjacent, without even a macro that expands to nothing between
    /// them.
    fn is_bare(&self, arm: Span, semicolon: Span) -> bool {
        let expansion = arm.expansion;
        if !expansion.is_none() || !semicolon.expansion.is_none() || semicolon.lo < arm.lo {
            return false;
        }
        let head = self.sources.text(Span { lo: arm.lo, hi: semicolon.lo, expansion });
        let mut open = 0usize;
        let end = head.find(|it| {
            open += usize::from(it == '(');
            open -= usize::from(it == ')' && open > 0);
            it == ')' && open == 0
        });
        end.is_some_and(|end| head[end + 1..].trim().is_empty())
    }

    fn conditions<'e>(&mut self, conditions: impl IntoIterator<Item = &'e Expr>) {
        for condition in conditions {
            let ExprKind::Assign { op: None, op_span, target, .. } = &condition.kind else {
                continue;
            };
            // Extra parentheses mark an intended assignment.
            if condition.span.lo < target.span.lo || !op_span.expansion.is_none() {
                continue;
            }
            self.sink.push(
                Diagnostic::new(
                    &code::ASSIGNMENT_IN_CONDITION,
                    *op_span,
                    "`=` assigns, but this is a condition",
                )
                .fix("use `==` to compare", *op_span, "==")
                .help("if this is intended, add parentheses around the assignment"),
            );
        }
    }

    fn assignment_to_itself(&mut self, expr: &Expr) {
        let ExprKind::Assign { op: None, target, value, .. } = &expr.kind else { return };
        if !expr.span.expansion.is_none() || !is_place(target) || !is_place(value) {
            return;
        }
        let (left, right) = (self.sources.text(target.span), self.sources.text(value.span));
        if left == right && !left.is_empty() {
            let message = format!("`{left}` is assigned to itself");
            let report = Diagnostic::new(&code::SELF_ASSIGNMENT, expr.span, message);
            let help = "use `this.` to name a member that has the same name as a parameter";
            self.sink.push(if matches!(target.kind, ExprKind::Name(_)) {
                report.help(help)
            } else {
                report
            });
        }
    }
}

/// Whether an expression has the same value when it is repeated: a variable, a member or an element.
fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) | ExprKind::This => true,
        ExprKind::Member { base, .. } => is_place(base),
        ExprKind::Index { base, index } => {
            is_place(base) && (is_place(index) || matches!(index.kind, ExprKind::Int(_)))
        }
        _ => false,
    }
}

fn remove(report: Diagnostic, semicolon: Span) -> Diagnostic {
    let one = Span { hi: semicolon.lo + 1, ..semicolon };
    report.fix("remove the `;`", one, "")
}

/// The keyword `else` between two statements, or if it is not found, the second statement.
fn else_between(then: Span, otherwise: Span, sources: &SourceMap) -> Span {
    let gap = Span { lo: then.hi, hi: otherwise.lo.max(then.hi), ..otherwise };
    match sources.text(gap).rfind("else") {
        Some(at) => Span { lo: gap.lo + at as u32, hi: gap.lo + at as u32 + 4, ..gap },
        None => otherwise,
    }
}
