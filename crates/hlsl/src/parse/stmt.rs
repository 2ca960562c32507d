//! Statements.

use diag::{Diagnostic, Span, code};

use super::decl::Context;
use super::ty::{PathMeaning, modifier};
use super::{Parse, Parser, Reported};
use crate::ast::{
    Attribute, Block, CaseGroup, CaseLabel, Expr, For, If, IfArm, Item, ItemKind, Stmt, StmtKind,
    Switch, Var,
};
use crate::token::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self) -> Parse<Block> {
        let open = self.peek().span;
        self.expect(Punct::LBrace, "this")?;
        let own = self.scopes.fresh();
        self.scopes.push(own);
        let mut stmts = Vec::new();
        let result = self.nested(|this| {
            this.stmts(&mut stmts, |_| false);
            Ok(())
        });
        self.scopes.pop();
        result?;
        self.close(Punct::RBrace, open)?;
        Ok(Block { stmts, span: open.to(self.prev()) })
    }

    /// Statements up to a `}`, the end, or where `stop` says so.
    fn stmts(&mut self, stmts: &mut Vec<Stmt>, stop: impl Fn(&Self) -> bool) {
        while !self.is(Punct::RBrace) && !self.is_eof() && !stop(self) {
            let from = self.pos;
            let (depth, scopes) = (self.depth, self.scopes.depth());
            if let Err(Reported) = self.stmt_into(stmts) {
                self.depth = depth;
                self.scopes.truncate(scopes);
                self.no_greater = false;
                let start = self.at(from).span;
                self.recover(from);
                stmts.push(Stmt { attributes: Vec::new(), kind: StmtKind::Error, span: start });
            }
            if self.pos == from && !self.is(Punct::RBrace) {
                self.bump();
            }
        }
    }

    /// The body of an `if`, a loop and so on.
    fn stmt(&mut self) -> Parse<Stmt> {
        let start = self.peek().span;
        let own = self.scopes.fresh();
        self.scopes.push(own);
        let mut stmts = Vec::with_capacity(1);
        let result = self.nested(|this| this.stmt_into(&mut stmts));
        self.scopes.pop();
        result?;
        match stmts.pop() {
            Some(only) if stmts.is_empty() => Ok(only),
            Some(last) => {
                stmts.push(last);
                let span = start.to(self.prev());
                let kind = StmtKind::Block(Block { stmts, span });
                Ok(Stmt { attributes: Vec::new(), kind, span })
            }
            None => Ok(Stmt { attributes: Vec::new(), kind: StmtKind::Empty, span: start }),
        }
    }

    /// One statement; a declaration may produce several.
    fn stmt_into(&mut self, stmts: &mut Vec<Stmt>) -> Parse<()> {
        let start = self.peek().span;
        let mut attributes = self.attributes()?;
        let token = self.peek();
        let kind = match token.kind {
            TokenKind::Punct(Punct::LBrace) => StmtKind::Block(self.block()?),
            TokenKind::Punct(Punct::Semi) => {
                self.bump();
                StmtKind::Empty
            }
            _ => match token.keyword() {
                Some(Keyword::If | Keyword::While | Keyword::Switch) if self.declares_in_head() => {
                    let attributes = std::mem::take(&mut attributes);
                    StmtKind::Block(self.declaring(start, attributes)?)
                }
                Some(Keyword::If) => StmtKind::If(Box::new(self.if_chain()?)),
                Some(Keyword::For) => StmtKind::For(Box::new(self.for_loop()?)),
                Some(Keyword::While) => {
                    self.bump();
                    let condition = self.condition("`while`")?;
                    StmtKind::While { condition, body: Box::new(self.stmt()?) }
                }
                Some(Keyword::Do) => self.do_loop()?,
                Some(Keyword::Switch) => StmtKind::Switch(Box::new(self.switch()?)),
                Some(Keyword::Break) => self.jump(StmtKind::Break, "`break`")?,
                Some(Keyword::Continue) => self.jump(StmtKind::Continue, "`continue`")?,
                Some(Keyword::Discard) => self.jump(StmtKind::Discard, "`discard`")?,
                Some(Keyword::Return) => {
                    self.bump();
                    let value = if self.is(Punct::Semi) || self.is(Punct::RBrace) {
                        None
                    } else {
                        Some(self.expr()?)
                    };
                    self.semi("`return`")?;
                    StmtKind::Return(value)
                }
                Some(Keyword::Case | Keyword::Default) => {
                    let message = format!(
                        "`{}` is only allowed directly in the body of a `switch`",
                        self.text(token)
                    );
                    return self.syntax(token.span, message);
                }
                Some(Keyword::Else) => {
                    return self.report(
                        Diagnostic::new(&code::SYNTAX, token.span, "`else` without a matching `if`")
                            .help("an `if` without braces ends after one statement or `;`: use braces for several"),
                    );
                }
                _ if self.starts_declaration() => return self.local(start, attributes, stmts),
                _ => {
                    let expr = self.expr()?;
                    self.semi("this expression")?;
                    StmtKind::Expr(expr)
                }
            },
        };
        stmts.push(Stmt { attributes, kind, span: start.to(self.prev()) });
        Ok(())
    }

    fn jump(&mut self, kind: StmtKind, word: &str) -> Parse<StmtKind> {
        self.bump();
        self.semi(word)?;
        Ok(kind)
    }

    /// Whether a declaration starts here rather than an expression.
    fn starts_declaration(&mut self) -> bool {
        let token = self.peek();
        if token.is(Punct::ColonColon) {
            return self.declares_ahead();
        }
        if token.kind != TokenKind::Ident {
            return token.kind == TokenKind::Stray;
        }
        match token.keyword() {
            Some(
                Keyword::Struct
                | Keyword::Class
                | Keyword::Interface
                | Keyword::Enum
                | Keyword::Namespace
                | Keyword::Typedef
                | Keyword::Using
                | Keyword::Template
                | Keyword::CBuffer
                | Keyword::TBuffer
                | Keyword::StaticAssert
                | Keyword::StaticAssertC
                | Keyword::Void
                | Keyword::Auto
                | Keyword::Typename,
            ) => true,
            Some(Keyword::Unsigned | Keyword::Signed) => self.declares_ahead(),
            Some(keyword) if keyword.is_unused() => true,
            Some(keyword) if keyword.is_contextual() => {
                self.is_modifier_here() || self.declares_ahead()
            }
            Some(keyword) => modifier(keyword).is_some(),
            None => self.declares_ahead(),
        }
    }

    /// Whether a type is here, followed by something other than its use as a value.
    fn declares_ahead(&mut self) -> bool {
        if let Some(end) = self.type_ahead(self.pos) {
            // `float3(…)` constructs a value; `float3.x` is an error that the expression parser reports.
            return !self.at(end).is(Punct::LParen) && !self.at(end).is(Punct::Dot);
        }
        // Two consecutive names are a declaration of unknown type.
        let Some((end, meaning)) = self.path_ahead(self.pos) else { return false };
        if self.is_name(self.at(end)) && !self.at(end).flags.has(crate::token::Flags::LINE_START) {
            return true;
        }
        // `Unknown<float> x;`, where `float` rules out a comparison.
        meaning == PathMeaning::Unknown
            && self.at(end).is(Punct::Less)
            && self.type_ahead(end + 1).is_some()
            && self.arguments_ahead(end).is_some_and(|behind| {
                self.is_name(self.at(behind))
                    && matches!(
                        self.at(behind + 1).kind,
                        TokenKind::Punct(Punct::Semi | Punct::Assign)
                    )
            })
    }

    /// A declaration in a function.
    fn local(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        stmts: &mut Vec<Stmt>,
    ) -> Parse<()> {
        let mut items: Vec<Item> = Vec::with_capacity(1);
        let result = self.declaration_after(start, attributes, Context::Local, &mut items);
        for item in items {
            let span = item.span;
            let stmt = match item.kind {
                ItemKind::Var(var) => {
                    Stmt { attributes: item.attributes, kind: StmtKind::Var(Box::new(var)), span }
                }
                ItemKind::Namespace(_)
                | ItemKind::Struct(_)
                | ItemKind::Enum(_)
                | ItemKind::Alias(_)
                | ItemKind::UsingNamespace(_)
                | ItemKind::Using(_)
                | ItemKind::Buffer(_)
                | ItemKind::Function(_)
                | ItemKind::StaticAssert(_)
                | ItemKind::Empty => {
                    Stmt { attributes: Vec::new(), kind: StmtKind::Item(Box::new(item)), span }
                }
            };
            stmts.push(stmt);
        }
        result
    }

    /// Whether the header of the statement here declares a variable: `if (int n = f())`.
    fn declares_in_head(&mut self) -> bool {
        let before = self.pos;
        self.pos += 2;
        let declares = self.at(before + 1).is(Punct::LParen) && self.starts_declaration();
        self.pos = before;
        declares
    }

    /// `if`, `while` or `switch` over a variable that its header declares: a block of the declaration and the
    /// statement.
    ///
    /// Kept out of `stmt_into`, whose stack frame every nesting level pays for.
    #[inline(never)]
    fn declaring(&mut self, start: Span, attributes: Vec<Attribute>) -> Parse<Block> {
        let keyword = self.bump().keyword();
        let open = self.peek().span;
        self.expect(Punct::LParen, "this")?;
        // The variable is visible in the whole statement, after `else` too.
        let own = self.scopes.fresh();
        self.scopes.push(own);
        let (variable, value) = self.head_variable()?;
        self.close(Punct::RParen, open)?;
        let head = start.to(self.prev());
        let kind = match keyword {
            Some(Keyword::Switch) => StmtKind::Switch(Box::new(self.switch_over(value)?)),
            // Each iteration of a loop has a separate variable.
            Some(Keyword::While) => {
                let leave = Stmt { attributes: Vec::new(), kind: StmtKind::Break, span: head };
                let body = self.stmt()?;
                let goes_on = If {
                    arms: vec![IfArm {
                        attributes: Vec::new(),
                        condition: value,
                        then: body,
                        span: head,
                    }],
                    otherwise: Some(leave),
                };
                let kind = StmtKind::If(Box::new(goes_on));
                let span = start.to(self.prev());
                let turn = Stmt { attributes: Vec::new(), kind, span };
                let body = Block { stmts: vec![variable, turn], span };
                let body = Stmt { attributes: Vec::new(), kind: StmtKind::Block(body), span };
                let init = Stmt { attributes: Vec::new(), kind: StmtKind::Empty, span: head };
                self.scopes.pop();
                let kind = StmtKind::For(Box::new(For { init, condition: None, step: None, body }));
                return Ok(Block { stmts: vec![Stmt { attributes, kind, span }], span });
            }
            _ => StmtKind::If(Box::new(self.if_chain_from(value, start)?)),
        };
        self.scopes.pop();
        let span = start.to(self.prev());
        Ok(Block { stmts: vec![variable, Stmt { attributes, kind, span }], span })
    }

    /// `T name = e` in a header, and the variable as a value.
    fn head_variable(&mut self) -> Parse<(Stmt, Expr)> {
        let start = self.peek().span;
        let (modifiers, ty) = self.modified_type()?;
        let declarator = self.declarator(Context::Local, false)?;
        let ident = declarator.name.clone();
        if declarator.init.is_none() {
            let message = format!("`{}` has no value to test", ident.name);
            let report = Diagnostic::new(&code::SYNTAX, ident.span, message);
            return self.report(report.help("give it one with `= …`"));
        }
        let span = start.to(self.prev());
        let var = Var { modifiers, template: None, ty, declarators: vec![declarator] };
        let variable = Stmt { attributes: Vec::new(), kind: StmtKind::Var(Box::new(var)), span };
        Ok((variable, self.variable(ident)?))
    }

    /// `( e )`
    fn condition(&mut self, after: &str) -> Parse<Expr> {
        let open = self.peek().span;
        self.expect(Punct::LParen, after)?;
        let condition = self.nested(Self::expr)?;
        self.close(Punct::RParen, open)?;
        Ok(condition)
    }

    /// A whole `if … else if … else`, without recursion along the chain.
    fn if_chain(&mut self) -> Parse<If> {
        let start = self.bump().span;
        let condition = self.condition("`if`")?;
        self.if_chain_from(condition, start)
    }

    /// The rest of a chain after its first condition.
    fn if_chain_from(&mut self, mut condition: Expr, mut start: Span) -> Parse<If> {
        let mut chain = If { arms: Vec::new(), otherwise: None };
        let mut attributes = Vec::new();
        loop {
            let then = self.stmt()?;
            chain.arms.push(IfArm { attributes, condition, then, span: start.to(self.prev()) });
            if !self.eat_kw(Keyword::Else) {
                return Ok(chain);
            }
            let before = self.pos;
            attributes = self.attributes()?;
            if !self.is_kw(Keyword::If) || self.declares_in_head() {
                // The attributes belong to the statement that follows.
                self.pos = before;
                chain.otherwise = Some(self.stmt()?);
                return Ok(chain);
            }
            start = self.bump().span;
            condition = self.condition("`if`")?;
        }
    }

    fn for_loop(&mut self) -> Parse<For> {
        self.bump();
        let open = self.peek().span;
        self.expect(Punct::LParen, "`for`")?;
        // The names of the header are visible in the body.
        let own = self.scopes.fresh();
        self.scopes.push(own);
        let init = self.for_init()?;
        let condition = if self.is(Punct::Semi) { None } else { Some(self.expr()?) };
        self.expect(Punct::Semi, "the condition of this `for`")?;
        let step = if self.is(Punct::RParen) { None } else { Some(self.expr()?) };
        self.close(Punct::RParen, open)?;
        let body = self.stmt()?;
        self.scopes.pop();
        Ok(For { init, condition, step, body })
    }

    /// The first part of a header, with its `;`.
    fn for_init(&mut self) -> Parse<Stmt> {
        let start = self.peek().span;
        if self.starts_declaration() {
            let mut stmts = Vec::new();
            self.local(start, Vec::new(), &mut stmts)?;
            return match (stmts.pop(), stmts.is_empty()) {
                (Some(only), true) => Ok(only),
                _ => self.syntax(start, "a `for` can only declare variables"),
            };
        }
        let kind =
            if self.is(Punct::Semi) { StmtKind::Empty } else { StmtKind::Expr(self.expr()?) };
        self.expect(Punct::Semi, "the first part of this `for`")?;
        Ok(Stmt { attributes: Vec::new(), kind, span: start.to(self.prev()) })
    }

    fn do_loop(&mut self) -> Parse<StmtKind> {
        self.bump();
        let body = Box::new(self.stmt()?);
        if !self.eat_kw(Keyword::While) {
            return self.unexpected("`while` after the body of this `do`");
        }
        let condition = self.condition("`while`")?;
        self.semi("this loop")?;
        Ok(StmtKind::Do { body, condition })
    }

    fn switch(&mut self) -> Parse<Switch> {
        self.bump();
        let value = self.condition("`switch`")?;
        self.switch_over(value)
    }

    /// The body of a `switch`.
    fn switch_over(&mut self, value: Expr) -> Parse<Switch> {
        let open = self.peek().span;
        self.expect(Punct::LBrace, "the head of this `switch`")?;
        let own = self.scopes.fresh();
        self.scopes.push(own);
        let groups = self.nested(Self::case_groups);
        self.scopes.pop();
        let groups = groups?;
        self.close(Punct::RBrace, open)?;
        Ok(Switch { value, groups })
    }

    fn case_groups(&mut self) -> Parse<Vec<CaseGroup>> {
        let is_label = |this: &Self| this.is_kw(Keyword::Case) || this.is_kw(Keyword::Default);
        let mut groups: Vec<CaseGroup> = Vec::new();
        while !self.is(Punct::RBrace) && !self.is_eof() {
            if !is_label(self) {
                let span = self.peek().span;
                self.sink.push(
                    Diagnostic::new(
                        &code::SYNTAX,
                        span,
                        "expected `case` or `default` in this `switch`",
                    )
                    .note("statements before the first label are never reached"),
                );
                self.stmts(&mut Vec::new(), is_label);
                continue;
            }
            let mut group = CaseGroup { labels: Vec::new(), stmts: Vec::new() };
            while is_label(self) {
                let start = self.bump();
                let value = match start.keyword() {
                    Some(Keyword::Case) => Some(self.conditional()?),
                    _ => None,
                };
                self.expect(Punct::Colon, "this label")?;
                group.labels.push(CaseLabel { value, span: start.span.to(self.prev()) });
            }
            self.stmts(&mut group.stmts, is_label);
            groups.push(group);
        }
        Ok(groups)
    }
}
