//! The syntax tree of a text as lists of places, and the passes that turn those into edits.
//!
//! Types are not looked at: an edit that breaks them gives a text that does not compile, which the tester rejects at
//! the cost of a compilation. What a macro or an included file produced has no place of its own in the text, and is
//! left alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use diag::{FileId, Sink, SourceMap, Span};
use hlsl::ast::{
    Annotation, Attribute, Block, Declarator, Dim, Expr, ExprKind, File, Function, If, Initializer,
    Item, ItemKind, Modifiers, Stmt, StmtKind, Switch, Type, Var, any_stmt,
};
use hlsl::{Includer, preprocess};

use crate::Settings;
use crate::edit::{Edit, runs};
use crate::replace;
use crate::word::{Kind, words};

/// The passes, the coarsest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    Items,
    Statements,
    /// Blocks out of their braces, arms out of their `if`s.
    Unwrap,
    /// Calls by bodies.
    Inline,
    Parameters,
    Expressions,
    /// Variables by the expressions that initialise them.
    Variables,
    Numbers,
    Types,
    /// Attributes, semantics, modifiers, single declarators.
    Trimmings,
}

impl Pass {
    pub(crate) const ALL: [Pass; 10] = [
        Pass::Items,
        Pass::Statements,
        Pass::Unwrap,
        Pass::Inline,
        Pass::Parameters,
        Pass::Expressions,
        Pass::Variables,
        Pass::Numbers,
        Pass::Types,
        Pass::Trimmings,
    ];
}

/// The edits of a pass, the largest first.
pub(crate) fn candidates(pass: Pass, text: &str, settings: &Settings) -> Vec<Edit> {
    match pass {
        Pass::Numbers => return replace::numbers(text),
        Pass::Types => return replace::types(text),
        _ => {}
    }
    let Some(tree) = Tree::read(text, settings) else { return Vec::new() };
    let mut edits = Vec::new();
    match pass {
        Pass::Items => tree.items.iter().for_each(|it| runs(it, &mut edits)),
        Pass::Statements => tree.statements.iter().for_each(|it| runs(it, &mut edits)),
        Pass::Unwrap => edits = tree.unwraps,
        Pass::Inline => edits = replace::inlined(text, &tree),
        Pass::Parameters => edits = replace::parameters(text, &tree),
        Pass::Expressions => edits = replace::expressions(text, &tree),
        Pass::Variables => edits = replace::variables(text, &tree),
        Pass::Trimmings => {
            for cut in tree.trimmings {
                edits.push(Edit::cut(cut));
            }
        }
        Pass::Numbers | Pass::Types => {}
    }
    edits
}

/// A function with a body.
#[derive(Debug)]
pub(crate) struct Func {
    pub(crate) name: String,
    pub(crate) at: Range<usize>,
    pub(crate) params: Vec<Parameter>,
    /// Between the braces.
    pub(crate) body: Range<usize>,
    /// `e`, where the body is `return e;`.
    pub(crate) result: Option<Range<usize>>,
    pub(crate) returns: bool,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// The declaration without the comma.
    pub(crate) at: Range<usize>,
    pub(crate) ty: Range<usize>,
    /// It hands a value back.
    pub(crate) is_out: bool,
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) at: Range<usize>,
    pub(crate) args: Vec<Range<usize>>,
    /// The statement that is nothing but this call.
    pub(crate) statement: Option<Range<usize>>,
}

/// A variable that is given a value, where it is declared or later.
#[derive(Debug)]
pub(crate) struct Local {
    pub(crate) name: String,
    /// The statement, which does nothing else.
    pub(crate) at: Range<usize>,
    pub(crate) value: Range<usize>,
    /// The end of the block that it lives in.
    pub(crate) end: usize,
}

/// An expression, and those that can stand in its place.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) at: Range<usize>,
    pub(crate) parts: Vec<Range<usize>>,
    /// One step of it left out: the chain without one operand.
    pub(crate) shorter: Vec<Range<usize>>,
    pub(crate) is_literal: bool,
}

/// The places of a text.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    length: usize,
    items: Vec<Vec<Range<usize>>>,
    statements: Vec<Vec<Range<usize>>>,
    unwraps: Vec<Edit>,
    trimmings: Vec<Range<usize>>,
    pub(crate) functions: Vec<Func>,
    pub(crate) calls: Vec<Call>,
    pub(crate) locals: Vec<Local>,
    pub(crate) nodes: Vec<Node>,
    /// Where the innermost open block ends.
    end: usize,
    text: Arc<str>,
}

/// Included texts by the words of their `#include`.
struct Included<'a>(&'a BTreeMap<String, String>);

impl Includer for Included<'_> {
    fn read(&mut self, path: &str, _includer: &str, _system: bool) -> Option<(String, Arc<str>)> {
        let name = path.trim_start_matches("./");
        self.0.get(name).map(|text| (name.to_owned(), text.as_str().into()))
    }
}

fn parsed(text: &str, settings: &Settings) -> Option<(File, bool)> {
    let (mut sources, mut sink) = (SourceMap::new(), Sink::new());
    let main = sources.add("reduced.hlsl", text)?;
    let options = &settings.options;
    let includer = &mut Included(&settings.included);
    let tokens = preprocess(main, &mut sources, includer, options, &mut sink);
    let file = hlsl::parse(&tokens, options, &mut sink);
    Some((file, sink.has_errors()))
}

/// Whether the text has a tree worth looking at.
pub(crate) fn parses(text: &str, settings: &Settings) -> bool {
    parsed(text, settings).is_some_and(|(file, has_errors)| !has_errors && !file.is_torn)
}

/// The text without macros, conditions and includes, if it has any.
pub(crate) fn preprocessed(text: &str, settings: &Settings) -> Option<String> {
    let has_directives = words(text).iter().any(|it| it.kind == Kind::Directive);
    if !has_directives && settings.options.defines.is_empty() {
        return None;
    }
    let (mut sources, mut sink) = (SourceMap::new(), Sink::new());
    let main: FileId = sources.add("reduced.hlsl", text)?;
    let includer = &mut Included(&settings.included);
    let tokens = preprocess(main, &mut sources, includer, &settings.options, &mut sink);
    if sink.has_errors() {
        return None;
    }
    let is_row_major = settings.options.matrix_order == hlsl::MatrixOrder::RowMajor;
    let printed = preprocess::print(&tokens, &sources, is_row_major);
    let lines = printed.lines().filter(|it| !it.starts_with("#line") && !it.trim().is_empty());
    Some(lines.flat_map(|it| [it, "\n"]).collect())
}

impl Tree {
    pub(crate) fn read(text: &str, settings: &Settings) -> Option<Tree> {
        let (file, _) = parsed(text, settings)?;
        let mut tree =
            Tree { length: text.len(), end: text.len(), text: text.into(), ..Tree::default() };
        tree.list(&file.items);
        Some(tree)
    }

    /// The bytes of a span, if they are written in the text itself.
    fn at(&self, span: Span) -> Option<Range<usize>> {
        let (from, to) = (span.lo as usize, span.hi as usize);
        let is_here = !span.is_none() && span.expansion.is_none() && from < to;
        (is_here && to <= self.length).then_some(from..to)
    }

    fn list(&mut self, items: &[Item]) {
        let places: Vec<Range<usize>> = items.iter().filter_map(|it| self.item_at(it)).collect();
        let places = apart(places);
        if !places.is_empty() {
            self.items.push(places);
        }
        for item in items {
            self.item(item);
        }
    }

    /// With its attributes.
    fn item_at(&self, item: &Item) -> Option<Range<usize>> {
        let at = self.at(item.span)?;
        let first = item.attributes.first().and_then(|it| self.at(it.span));
        Some(first.map_or(at.start, |it| it.start.min(at.start))..at.end)
    }

    fn item(&mut self, item: &Item) {
        self.attributes(&item.attributes);
        match &item.kind {
            ItemKind::Namespace(namespace) => self.list(&namespace.items),
            ItemKind::Struct(it) => {
                if let Some(members) = &it.members {
                    self.list(members);
                }
                let bases = it.bases.iter().filter_map(|it| self.at(it.span));
                let bases: Vec<Range<usize>> = bases.collect();
                self.trimmings.extend(bases);
            }
            ItemKind::Buffer(block) => {
                self.annotations(&block.annotations);
                self.list(&block.members);
            }
            ItemKind::Var(var) => self.var(var, None),
            ItemKind::Function(function) => self.function(function, item),
            ItemKind::Enum(it) => {
                for value in it.variants.iter().flatten().filter_map(|it| it.value.as_ref()) {
                    self.expr(value);
                }
            }
            ItemKind::StaticAssert(it) => self.expr(&it.condition),
            ItemKind::Alias(_)
            | ItemKind::UsingNamespace(_)
            | ItemKind::Using(_)
            | ItemKind::Empty => {}
        }
    }

    fn function(&mut self, function: &Function, item: &Item) {
        self.modifiers(&function.modifiers);
        self.annotations(&function.annotations);
        for param in &function.params {
            self.attributes(&param.attributes);
            self.modifiers(&param.modifiers);
            self.dims(&param.dims);
        }
        let Some(body) = &function.body else { return };
        let inside = self.at(body.span).map(|it| it.start + 1..it.end - 1);
        if let (Some(name), Some(at), Some(inside), None) =
            (function.name.as_plain(), self.item_at(item), inside, &function.template)
        {
            let result = match body.stmts.as_slice() {
                [Stmt { kind: StmtKind::Return(Some(value)), .. }] => self.at(value.span),
                _ => None,
            };
            let params = function.params.iter().map(|it| {
                use hlsl::ast::Modifier::{InOut, Out};
                let name = it.name.as_ref().map(|it| it.name.as_str().to_owned());
                Some(Parameter {
                    name: name.unwrap_or_default(),
                    at: self.at(it.span)?,
                    ty: self.at(it.ty.span)?,
                    is_out: it.modifiers.has(Out) || it.modifiers.has(InOut),
                })
            });
            if let Some(params) = params.collect::<Option<Vec<Parameter>>>() {
                let returns = returns(&body.stmts);
                let name = name.name.as_str().to_owned();
                self.functions.push(Func { name, at, params, body: inside, result, returns });
            }
        }
        self.block(body);
    }

    fn block(&mut self, block: &Block) {
        let outer = self.end;
        if let Some(at) = self.at(block.span) {
            self.end = at.end;
        }
        self.stmts(&block.stmts);
        self.end = outer;
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        let places: Vec<Range<usize>> = stmts.iter().filter_map(|it| self.at(it.span)).collect();
        let places = apart(places);
        if !places.is_empty() {
            self.statements.push(places);
        }
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    /// A statement by others.
    fn unwrap(&mut self, at: &Range<usize>, by: String) {
        self.unwraps.push(Edit::replace(at.clone(), by));
    }

    /// A statement by the expression that decides about it, and others: what matters may be a call in the expression.
    fn unwrap_with(&mut self, decides: &Expr, at: &Range<usize>, by: &str) {
        let text = self.at(decides.span).map(|it| self.text_of(it));
        if let Some(text) = text.filter(|it| it.contains('(')) {
            self.unwrap(at, format!("{text}; {by}"));
        }
    }

    /// What stands in a place.
    fn text_of(&self, at: Range<usize>) -> String {
        self.text[at].to_owned()
    }

    /// A statement as several: without its braces.
    fn opened(&self, stmt: &Stmt) -> Option<String> {
        let at = self.at(stmt.span)?;
        Some(match &stmt.kind {
            StmtKind::Block(block) => {
                let at = self.at(block.span)?;
                self.text_of(at.start + 1..at.end - 1)
            }
            _ => self.text_of(at),
        })
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.attributes(&stmt.attributes);
        let at = self.at(stmt.span);
        match &stmt.kind {
            StmtKind::Block(block) => {
                if let (Some(at), Some(by)) = (&at, self.opened(stmt)) {
                    self.unwrap(at, by);
                }
                self.block(block);
            }
            StmtKind::Var(var) => self.var(var, at),
            StmtKind::Item(item) => self.item(item),
            StmtKind::Expr(expr) => {
                if let (ExprKind::Call { .. }, Some(at)) = (&expr.kind, &at) {
                    self.call(expr, Some(at.clone()));
                }
                if let (ExprKind::Assign { op: None, target, value, .. }, Some(at)) =
                    (&expr.kind, &at)
                    && let (ExprKind::Name(path), Some(of)) = (&target.kind, self.at(value.span))
                    && let Some(name) = path.as_simple()
                {
                    let name = name.name.as_str().to_owned();
                    self.locals.push(Local { name, at: at.clone(), value: of, end: self.end });
                }
                self.expr(expr);
            }
            StmtKind::If(it) => self.if_chain(it, at),
            StmtKind::For(it) => {
                let init = self.at(it.init.span).map(|at| self.text_of(at)).unwrap_or_default();
                if let (Some(at), Some(by)) = (&at, self.opened(&it.body)) {
                    let ended = if init.ends_with(';') || init.is_empty() { "" } else { ";" };
                    self.unwrap(at, by.clone());
                    self.unwrap(at, format!("{init}{ended} {by}"));
                    self.unwrap(at, format!("{{ {init}{ended} {by} }}"));
                    if let Some(condition) = &it.condition {
                        self.unwrap_with(condition, at, &by);
                    }
                }
                self.stmt(&it.init);
                it.condition.iter().chain(&it.step).for_each(|it| self.expr(it));
                self.stmt(&it.body);
            }
            StmtKind::While { condition, body } | StmtKind::Do { body, condition } => {
                if let (Some(at), Some(by)) = (&at, self.opened(body)) {
                    self.unwrap(at, by.clone());
                    self.unwrap_with(condition, at, &by);
                }
                self.expr(condition);
                self.stmt(body);
            }
            StmtKind::Switch(it) => self.switch(it, at),
            StmtKind::Return(Some(value)) => self.expr(value),
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Discard
            | StmtKind::Return(None)
            | StmtKind::Empty
            | StmtKind::Error => {}
        }
    }

    fn if_chain(&mut self, it: &If, at: Option<Range<usize>>) {
        if let Some(at) = &at {
            let bodies = it.arms.iter().map(|arm| &arm.then).chain(&it.otherwise);
            let bodies: Vec<&Stmt> = bodies.collect();
            for body in &bodies {
                if let Some(by) = self.opened(body) {
                    self.unwrap(at, by);
                }
            }
            if let (Some(arm), [body]) = (it.arms.first(), bodies.as_slice())
                && let Some(by) = self.opened(body)
            {
                self.unwrap_with(&arm.condition, at, &by);
            }
            // Several arms after each other.
            if bodies.len() > 1 {
                let all: Vec<String> = bodies.iter().filter_map(|it| self.opened(it)).collect();
                self.unwrap(at, all.join(" "));
            }
            // What follows an arm.
            for arm in &it.arms {
                if let Some(arm) = self.at(arm.span).filter(|arm| arm.end < at.end) {
                    self.unwraps.push(Edit::cut(arm.end..at.end));
                }
            }
            // An arm, and its `else`.
            for pair in it.arms.windows(2) {
                if let (Some(one), Some(two)) = (self.at(pair[0].span), self.at(pair[1].span)) {
                    self.unwraps.push(Edit::cut(one.start..two.start));
                }
            }
        }
        for arm in &it.arms {
            self.expr(&arm.condition);
            self.stmt(&arm.then);
        }
        it.otherwise.iter().for_each(|it| self.stmt(it));
    }

    fn switch(&mut self, it: &Switch, at: Option<Range<usize>>) {
        let mut groups = Vec::new();
        for group in &it.groups {
            let labels: Vec<Range<usize>> =
                group.labels.iter().filter_map(|it| self.at(it.span)).collect();
            let stmts: Vec<&Stmt> =
                group.stmts.iter().filter(|it| !matches!(it.kind, StmtKind::Break)).collect();
            let first = stmts.first().and_then(|it| self.at(it.span));
            let last = stmts.last().and_then(|it| self.at(it.span));
            if let (Some(at), Some(first), Some(last)) = (&at, first, last) {
                let by = self.text_of(first.start..last.end);
                self.unwrap(at, by);
            }
            let end = group.stmts.last().and_then(|it| self.at(it.span));
            if let Some(start) = labels.first() {
                let end = end.or_else(|| labels.last().cloned()).map_or(start.end, |it| it.end);
                groups.push(start.start..end.max(start.end));
            }
            if labels.len() > 1 {
                self.trimmings.extend(labels);
            }
        }
        runs(&apart(groups), &mut self.unwraps);
        if let Some(at) = &at {
            self.unwrap_with(&it.value, at, "");
        }
        self.expr(&it.value);
        for group in &it.groups {
            self.stmts(&group.stmts);
        }
    }

    fn var(&mut self, var: &Var, statement: Option<Range<usize>>) {
        self.modifiers(&var.modifiers);
        self.ty(&var.ty);
        let declarators: Vec<Option<Range<usize>>> =
            var.declarators.iter().map(|it| self.at(it.span)).collect();
        // One of several, with the comma before or after it.
        for pair in declarators.windows(2) {
            if let [Some(one), Some(two)] = pair {
                self.trimmings.push(one.end..two.end);
                self.trimmings.push(one.start..two.start);
            }
        }
        for it in &var.declarators {
            self.declarator(it, statement.clone().filter(|_| declarators.len() == 1));
        }
    }

    fn declarator(&mut self, it: &Declarator, statement: Option<Range<usize>>) {
        self.dims(&it.dims);
        self.annotations(&it.annotations);
        let Some(Initializer::Expr(value)) = &it.init else { return };
        if let (Some(at), Some(of), []) = (statement, self.at(value.span), it.dims.as_slice()) {
            let name = it.name.name.as_str().to_owned();
            self.locals.push(Local { name, at, value: of, end: self.end });
        }
        self.expr(value);
    }

    fn dims(&mut self, dims: &[Dim]) {
        for dim in dims {
            if let Some(size) = &dim.size {
                self.expr(size);
            }
        }
    }

    /// A vector by its scalar is another pass; here the element type of a resource is left alone.
    fn ty(&mut self, ty: &Type) {
        self.modifiers(&ty.modifiers);
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        for it in attributes {
            self.trimmings.extend(self.at(it.span));
        }
    }

    /// With the colon before each.
    fn annotations(&mut self, annotations: &[Annotation]) {
        for it in annotations {
            if let Some(at) = self.at(it.span) {
                let colon = self.text[..at.start].rfind(':').unwrap_or(at.start);
                self.trimmings.push(colon..at.end);
            }
        }
    }

    fn modifiers(&mut self, modifiers: &Modifiers) {
        for (_, span) in &modifiers.list {
            self.trimmings.extend(self.at(*span));
        }
    }

    fn call(&mut self, expr: &Expr, statement: Option<Range<usize>>) {
        let ExprKind::Call { callee, args, .. } = &expr.kind else { return };
        let ExprKind::Name(path) = &callee.kind else { return };
        let places: Vec<Range<usize>> = args.iter().filter_map(|it| self.at(it.span)).collect();
        if let (Some(name), Some(at), true) =
            (path.as_simple(), self.at(expr.span), places.len() == args.len())
        {
            let name = name.name.as_str().to_owned();
            if statement.is_some() || !self.calls.iter().any(|it| it.at == at) {
                self.calls.push(Call { name, at, args: places, statement });
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        self.call(expr, None);
        let mut children: Vec<&Expr> = Vec::new();
        let mut shorter = Vec::new();
        let mut is_literal = false;
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::String(_) => {
                is_literal = true;
            }
            ExprKind::Name(_) | ExprKind::This | ExprKind::Error | ExprKind::SizeOfType { .. } => {}
            ExprKind::Unary { operand, .. }
            | ExprKind::Step { operand, .. }
            | ExprKind::Cast { operand, .. }
            | ExprKind::SizeOfExpr(operand) => children.push(operand),
            ExprKind::Binary { first, rest } => {
                children.push(first);
                children.extend(rest.iter().map(|it| &it.expr));
                if rest.len() > 1 {
                    // Without the first operand, or without a later one.
                    let places: Vec<Option<Range<usize>>> =
                        children.iter().map(|it| self.at(it.span)).collect();
                    for pair in places.windows(2) {
                        if let [Some(one), Some(two)] = pair {
                            shorter.push(one.end..two.end);
                        }
                    }
                    if let [Some(one), Some(two), ..] = places.as_slice() {
                        shorter.push(one.start..two.start);
                    }
                }
            }
            ExprKind::Assign { target, value, .. } => children.extend([&**value, &**target]),
            ExprKind::Conditional { condition, then, otherwise } => {
                children.extend([&**then, &**otherwise, &**condition]);
            }
            ExprKind::Comma(all) | ExprKind::List(all) => children.extend(all),
            ExprKind::Construct { args, .. } => children.extend(args),
            ExprKind::Call { callee, args, .. } => {
                children.extend(args);
                if let ExprKind::Member { base, .. } = &callee.kind {
                    children.push(base);
                }
            }
            ExprKind::Member { base, .. } => children.push(base),
            ExprKind::Index { base, index } => children.extend([&**base, &**index]),
        }
        if let Some(at) = self.at(expr.span) {
            let parts: Vec<Range<usize>> =
                children.iter().filter_map(|it| self.at(it.span)).collect();
            self.nodes.push(Node { at, parts, shorter, is_literal });
        }
        for child in children {
            self.expr(child);
        }
    }

    /// The functions that no other shares its name with.
    pub(crate) fn unique_functions(&self) -> Vec<&Func> {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for it in &self.functions {
            *seen.entry(&it.name).or_default() += 1;
        }
        self.functions.iter().filter(|it| seen[it.name.as_str()] == 1).collect()
    }
}

/// The places that follow each other without overlapping: a declaration of several things has one place.
fn apart(places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut end = 0;
    let mut seen = BTreeSet::new();
    places
        .into_iter()
        .filter(|it| {
            let is_after = it.start >= end && seen.insert(it.start);
            end = end.max(it.end);
            is_after
        })
        .collect()
}

/// Whether there is a `return` anywhere.
fn returns(stmts: &[Stmt]) -> bool {
    any_stmt(stmts, &|it| matches!(it, StmtKind::Return(_)))
}
