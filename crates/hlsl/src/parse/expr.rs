//! Expressions.
//!
//! Binary operators are parsed with an explicit stack, not by recursion, so that only source nesting costs depth:
//! brackets, prefix operators, casts, `?:` and assignments.

use std::sync::Arc;

use diag::{Diagnostic, Span, code};

use super::scope::Builtin;
use super::ty::PathMeaning;
use super::{Parse, Parser};
use crate::ast::{
    BinaryOp, Dim, Expr, ExprKind, Ident, IntLiteral, MOST_CHAIN, MOST_HEIGHT, Operand, Path,
    Segment, StepOp, TemplateArg, Type, TypeKind, UnaryOp,
};
use crate::lex::{self, Number};
use crate::token::{Keyword, Punct, Symbol, Token, TokenKind};

/// A chain of binary operators waiting for its next operand.
struct Chain {
    first: Expr,
    rest: Vec<Operand>,
    op: BinaryOp,
    op_span: Span,
}

impl Parser<'_> {
    /// A full expression, commas included.
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        let first = self.assignment()?;
        if !self.is(Punct::Comma) {
            return Ok(first);
        }
        let start = first.span;
        let mut all = vec![first];
        while self.eat(Punct::Comma) {
            all.push(self.assignment()?);
        }
        let span = start.to(self.prev());
        self.node(ExprKind::Comma(all), span)
    }

    /// An expression without commas, as arguments and initialisers are.
    pub(super) fn assignment(&mut self) -> Parse<Expr> {
        let target = self.conditional()?;
        let token = self.peek();
        let TokenKind::Punct(punct) = token.kind else { return Ok(target) };
        let op = match punct {
            Punct::Assign => None,
            Punct::PlusAssign => Some(BinaryOp::Add),
            Punct::MinusAssign => Some(BinaryOp::Sub),
            Punct::StarAssign => Some(BinaryOp::Mul),
            Punct::SlashAssign => Some(BinaryOp::Div),
            Punct::PercentAssign => Some(BinaryOp::Rem),
            Punct::AndAssign => Some(BinaryOp::BitAnd),
            Punct::OrAssign => Some(BinaryOp::BitOr),
            Punct::CaretAssign => Some(BinaryOp::BitXor),
            Punct::ShlAssign => Some(BinaryOp::Shl),
            Punct::ShrAssign => Some(BinaryOp::Shr),
            _ => return Ok(target),
        };
        self.bump();
        let value = self
            .nested(|this| if this.is(Punct::LBrace) { this.list() } else { this.assignment() })?;
        let span = target.span.to(value.span);
        let kind = ExprKind::Assign {
            op,
            op_span: token.span,
            target: Box::new(target),
            value: Box::new(value),
        };
        self.node(kind, span)
    }

    /// An initialiser: an expression, or a braced list.
    pub(super) fn initializer(&mut self) -> Parse<Expr> {
        if self.is(Punct::LBrace) { self.list() } else { self.assignment() }
    }

    fn list(&mut self) -> Parse<Expr> {
        let open = self.bump().span;
        let mut all = Vec::new();
        self.nested(|this| {
            this.bracketed(|this| {
                while !this.is(Punct::RBrace) && !this.is_eof() {
                    all.push(this.initializer()?);
                    if !this.eat(Punct::Comma) {
                        break;
                    }
                }
                Ok(())
            })
        })?;
        let close = self.close(Punct::RBrace, open)?;
        self.node(ExprKind::List(all), open.to(close))
    }

    /// `c ? a : b` and everything that binds more tightly.
    pub(super) fn conditional(&mut self) -> Parse<Expr> {
        let condition = self.binary()?;
        if !self.is(Punct::Question) {
            return Ok(condition);
        }
        let question = self.bump().span;
        self.nested(|this| {
            let then = this.bracketed(Self::expr)?;
            if !this.is(Punct::Colon) {
                let message = format!(
                    "expected `:` of the conditional, found {}",
                    this.describe(this.peek())
                );
                let span = this.prev().end();
                return this.report(
                    Diagnostic::new(&code::SYNTAX, span, message)
                        .also(question, "the condition ends here"),
                );
            }
            this.bump();
            let otherwise = this.assignment()?;
            let span = condition.span.to(otherwise.span);
            let kind = ExprKind::Conditional {
                condition: Box::new(condition),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            };
            this.node(kind, span)
        })
    }

    /// Operator-precedence parsing, [`Chain`] by [`Chain`].
    fn binary(&mut self) -> Parse<Expr> {
        let mut current = self.unary()?;
        let mut waiting: Vec<Chain> = Vec::new();
        loop {
            let next = self.binary_op();
            let strength = next.map_or(0, BinaryOp::precedence);
            // Operators that bind more tightly than the next one are complete.
            while waiting.last().is_some_and(|it| it.op.precedence() > strength) {
                let Some(chain) = waiting.pop() else { break };
                current = self.finish(chain, current)?;
            }
            let Some(op) = next else { return Ok(current) };
            let op_span = self.bump().span;
            match waiting.last_mut() {
                Some(chain) if chain.op.precedence() == strength => {
                    chain.rest.push(Operand {
                        op: chain.op,
                        op_span: chain.op_span,
                        expr: current,
                    });
                    (chain.op, chain.op_span) = (op, op_span);
                    if chain.rest.len() + 2 > MOST_CHAIN {
                        let message = format!("more than {MOST_CHAIN} operands in a row");
                        return self.report(
                            Diagnostic::new(&code::NESTING_TOO_DEEP, op_span, message)
                                .help("store parts of the expression in variables"),
                        );
                    }
                }
                _ => waiting.push(Chain { first: current, rest: Vec::new(), op, op_span }),
            }
            current = self.unary()?;
        }
    }

    fn finish(&mut self, mut chain: Chain, last: Expr) -> Parse<Expr> {
        let span = chain.first.span.to(last.span);
        // Most chains have one operand more, and an operand is large.
        chain.rest.reserve_exact(1);
        chain.rest.push(Operand { op: chain.op, op_span: chain.op_span, expr: last });
        self.node(ExprKind::Binary { first: Box::new(chain.first), rest: chain.rest }, span)
    }

    fn binary_op(&self) -> Option<BinaryOp> {
        let TokenKind::Punct(punct) = self.peek().kind else { return None };
        if self.no_greater && matches!(punct, Punct::Greater | Punct::Shr | Punct::GreaterEqual) {
            return None;
        }
        binary_op(punct)
    }

    fn unary(&mut self) -> Parse<Expr> {
        let token = self.peek();
        let TokenKind::Punct(punct) = token.kind else {
            if token.is_keyword(Keyword::SizeOf) {
                return self.size_of();
            }
            return self.postfix();
        };
        let prefix = match punct {
            Punct::Plus => Some(UnaryOp::Plus),
            Punct::Minus => Some(UnaryOp::Minus),
            Punct::Not => Some(UnaryOp::Not),
            Punct::Tilde => Some(UnaryOp::BitNot),
            _ => None,
        };
        let step = match punct {
            Punct::PlusPlus => Some(StepOp::Increment),
            Punct::MinusMinus => Some(StepOp::Decrement),
            _ => None,
        };
        if prefix.is_none() && step.is_none() {
            if punct == Punct::LParen && self.is_cast() {
                return self.cast();
            }
            return self.postfix();
        }
        self.bump();
        let operand = Box::new(self.nested(Self::unary)?);
        let span = token.span.to(operand.span);
        let kind = match (prefix, step) {
            (Some(op), _) => ExprKind::Unary { op, operand },
            (None, Some(op)) => ExprKind::Step { op, postfix: false, operand },
            (None, None) => unreachable!("one of the two was found above"),
        };
        self.node(kind, span)
    }

    /// Whether the `(` here starts a cast.
    fn is_cast(&mut self) -> bool {
        let start = self.pos + 1;
        if let Some(mut end) = self.type_ahead(start) {
            while self.at(end).is(Punct::LBracket) {
                match self.bracket_ahead(end) {
                    Some(behind) => end = behind,
                    None => return false,
                }
            }
            return self.at(end).is(Punct::RParen);
        }
        // `(Unknown)x` can only be a cast to an undeclared type.
        let Some((end, PathMeaning::Unknown)) = self.path_ahead(start) else { return false };
        let operand = self.at(end + 1);
        self.at(end).is(Punct::RParen)
            && (operand.kind == TokenKind::Number || self.is_name(operand))
            && !self.at(end + 1).is_keyword(Keyword::In)
    }

    /// The index after the `]` that matches the `[` at `index`.
    fn bracket_ahead(&self, mut index: usize) -> Option<usize> {
        let mut depth = 0usize;
        loop {
            match self.at(index).kind {
                TokenKind::Punct(Punct::LBracket) => depth += 1,
                TokenKind::Punct(Punct::RBracket) => depth -= 1,
                TokenKind::Punct(Punct::Semi | Punct::LBrace | Punct::RBrace) | TokenKind::Eof => {
                    return None;
                }
                _ => {}
            }
            index += 1;
            if depth == 0 {
                return Some(index);
            }
        }
    }

    fn cast(&mut self) -> Parse<Expr> {
        let open = self.bump().span;
        let (ty, dims) = self.bracketed(|this| Ok((this.ty()?, this.dims()?)))?;
        self.close(Punct::RParen, open)?;
        let operand = Box::new(self.nested(Self::unary)?);
        let span = open.to(operand.span);
        self.node(ExprKind::Cast { ty: Box::new(ty), dims, operand }, span)
    }

    fn size_of(&mut self) -> Parse<Expr> {
        let start = self.bump().span;
        let open = self.peek().span;
        if self.is(Punct::LParen)
            && let Some(end) = self.type_ahead(self.pos + 1)
            && (self.at(end).is(Punct::RParen) || self.at(end).is(Punct::LBracket))
        {
            self.bump();
            let (ty, dims) = self.bracketed(|this| Ok((this.ty()?, this.dims()?)))?;
            let close = self.close(Punct::RParen, open)?;
            return self.node(ExprKind::SizeOfType { ty: Box::new(ty), dims }, start.to(close));
        }
        let operand = self.nested(Self::unary)?;
        let span = start.to(operand.span);
        self.node(ExprKind::SizeOfExpr(Box::new(operand)), span)
    }

    /// A primary expression with its postfix operators: members, indices, calls.
    fn postfix(&mut self) -> Parse<Expr> {
        let mut base = self.primary()?;
        loop {
            let token = self.peek();
            let TokenKind::Punct(punct) = token.kind else { return Ok(base) };
            let start = base.span;
            let kind = match punct {
                Punct::Dot => {
                    self.bump();
                    self.eat_kw(Keyword::Template);
                    let symbol = self.peek().symbol;
                    let name = self.member_name()?;
                    let args = self.member_args(symbol)?;
                    ExprKind::Member { base: Box::new(base), name, args }
                }
                Punct::Arrow => {
                    return self.report(
                        Diagnostic::new(
                            &code::SYNTAX,
                            token.span,
                            "HLSL has no pointers, so there is no `->`",
                        )
                        .fix("use `.`", token.span, "."),
                    );
                }
                Punct::LBracket if self.is_attribute_ahead() => return Ok(base),
                Punct::LBracket => {
                    self.bump();
                    let index = Box::new(self.nested(|this| this.bracketed(Self::expr))?);
                    self.close(Punct::RBracket, token.span)?;
                    ExprKind::Index { base: Box::new(base), index }
                }
                Punct::LParen => {
                    let (args, args_span) = self.call_args()?;
                    ExprKind::Call { callee: Box::new(base), args, args_span }
                }
                Punct::PlusPlus | Punct::MinusMinus => {
                    self.bump();
                    let op = if punct == Punct::PlusPlus {
                        StepOp::Increment
                    } else {
                        StepOp::Decrement
                    };
                    ExprKind::Step { op, postfix: true, operand: Box::new(base) }
                }
                _ => return Ok(base),
            };
            let span = start.to(self.prev());
            base = self.node(kind, span)?;
        }
    }

    fn member_name(&mut self) -> Parse<Ident> {
        if self.is_kw(Keyword::Operator) {
            return self.syntax(self.peek().span, "an operator cannot be called by its name");
        }
        self.ident("the name of a member after `.`")
    }

    /// `<float4>` in `buffer.Load<float4>(0)`, where the name is that of some method template.
    fn member_args(&mut self, symbol: Symbol) -> Parse<Option<Vec<TemplateArg>>> {
        if !self.is(Punct::Less) || self.scopes.builtin(symbol, self.names) != Builtin::Template {
            return Ok(None);
        }
        match self.arguments_ahead(self.pos) {
            Some(end) if self.at(end).is(Punct::LParen) => self.template_args().map(Some),
            _ => Ok(None),
        }
    }

    /// `(a, b)`
    pub(super) fn call_args(&mut self) -> Parse<(Vec<Expr>, Span)> {
        let open = self.bump().span;
        let mut args = Vec::new();
        self.nested(|this| {
            this.bracketed(|this| {
                if this.is(Punct::RParen) {
                    return Ok(());
                }
                loop {
                    args.push(this.initializer()?);
                    if !this.eat(Punct::Comma) {
                        return Ok(());
                    }
                }
            })
        })?;
        let close = self.close(Punct::RParen, open)?;
        Ok((args, open.to(close)))
    }

    fn primary(&mut self) -> Parse<Expr> {
        let token = self.peek();
        match token.kind {
            TokenKind::Number => self.number(token),
            TokenKind::Char => {
                self.bump();
                let value = lex::unquote(self.text(token)).chars().next().map_or(0, u64::from);
                let literal = IntLiteral { value, unsigned: false, long: false, decimal: true };
                self.leaf(ExprKind::Int(literal), token.span)
            }
            TokenKind::String => self.strings(),
            TokenKind::Punct(Punct::LParen) => {
                self.bump();
                let mut inner = self.nested(|this| this.bracketed(Self::expr))?;
                let close = self.close(Punct::RParen, token.span)?;
                inner.span = token.span.to(close);
                Ok(inner)
            }
            TokenKind::Punct(Punct::ColonColon) => self.named(),
            TokenKind::Punct(Punct::LBrace) => self.syntax(
                token.span,
                "a braced list can only initialise a variable or be an argument",
            ),
            TokenKind::Ident => match token.keyword() {
                Some(Keyword::True | Keyword::False) => {
                    self.bump();
                    self.leaf(ExprKind::Bool(token.is_keyword(Keyword::True)), token.span)
                }
                Some(Keyword::This) => {
                    self.bump();
                    self.leaf(ExprKind::This, token.span)
                }
                Some(Keyword::Unsigned | Keyword::Signed | Keyword::Typename) => self.construct(),
                Some(keyword) if keyword.is_unused() => {
                    self.ident("an expression").and(Err(super::Reported))
                }
                Some(keyword) if !keyword.is_contextual() => self.unexpected("an expression"),
                _ => self.named(),
            },
            _ => self.unexpected("an expression"),
        }
    }

    /// A path, or a value constructed from a type.
    fn named(&mut self) -> Parse<Expr> {
        // Most names are plain values: skip the look-ups.
        let token = self.peek();
        if self.is_name(token)
            && !self.nth(1).is(Punct::ColonColon)
            && self.scopes.is_plain(token.symbol, self.names)
        {
            self.bump();
            let ident = Ident { name: self.name(token.symbol), span: token.span };
            return self.variable(ident);
        }
        let (path, meaning) = self.path_or_type()?;
        match path {
            Ok(path) => {
                let span = path.span;
                if let PathMeaning::Namespace(_) = meaning {
                    let message = format!(
                        "`{}` is a namespace, but a value is expected here",
                        path.last.ident.name
                    );
                    return self.syntax(span, message);
                }
                self.node(ExprKind::Name(path), span)
            }
            Err(ty) => {
                let (args, args_span) = self.call_args()?;
                let span = ty.span.to(args_span);
                self.node(ExprKind::Construct { ty: Box::new(ty), args }, span)
            }
        }
    }

    /// A path to a value, or (as the error side) a type followed by a `(`.
    fn path_or_type(&mut self) -> Parse<(Result<Path, Type>, PathMeaning)> {
        let start = self.pos;
        let is_type = match self.path_ahead(start) {
            Some((end, meaning)) if meaning.is_type() => {
                let name = self.at(end - 1);
                if !self.at(end).is(Punct::LParen) {
                    let text = self.text(name).to_string();
                    return self.type_as_value(name.span, &text);
                }
                true
            }
            _ => false,
        };
        if is_type {
            let ty = self.bare_type()?;
            return Ok((Err(ty), PathMeaning::Type(None)));
        }
        let (path, meaning) = self.path("an expression")?;
        Ok((Ok(path), meaning))
    }

    /// `unsigned int(x)`
    fn construct(&mut self) -> Parse<Expr> {
        let ty = self.bare_type()?;
        if !self.is(Punct::LParen) {
            return self.unexpected("`(` after a type in an expression");
        }
        let (args, args_span) = self.call_args()?;
        let span = ty.span.to(args_span);
        self.node(ExprKind::Construct { ty: Box::new(ty), args }, span)
    }

    fn number(&mut self, token: Token) -> Parse<Expr> {
        self.bump();
        match lex::number(self.text(token)) {
            Ok(Number::Int(literal)) => self.leaf(ExprKind::Int(literal), token.span),
            Ok(Number::Float(literal)) => self.leaf(ExprKind::Float(literal), token.span),
            Err(message) => {
                // Only the number is malformed, not the expression around it.
                self.sink.push(Diagnostic::new(&code::BAD_LITERAL, token.span, message));
                self.leaf(ExprKind::Error, token.span)
            }
        }
    }

    fn strings(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        let text = self.string();
        self.leaf(ExprKind::String(text), start.to(self.prev()))
    }

    /// Adjacent strings, joined.
    pub(super) fn string(&mut self) -> Arc<str> {
        let mut text = String::new();
        while self.peek().kind == TokenKind::String {
            let token = self.bump();
            text += &lex::unquote(self.text(token));
        }
        text.into()
    }

    /// The expression for a plain name.
    pub(super) fn variable(&mut self, ident: Ident) -> Parse<Expr> {
        let span = ident.span;
        let last = Segment { ident, args: None };
        let path = Path { global: false, library: false, scope: Vec::new(), last, span };
        self.leaf(ExprKind::Name(path), span)
    }

    fn leaf(&mut self, kind: ExprKind, span: Span) -> Parse<Expr> {
        Ok(Expr { kind, span, height: 1 })
    }

    /// A node with children, unless the tree gets too high.
    fn node(&mut self, kind: ExprKind, span: Span) -> Parse<Expr> {
        let height = 1 + children_height(&kind);
        if height as usize > MOST_HEIGHT {
            return self.too_deep(span);
        }
        Ok(Expr { kind, span, height })
    }
}

fn children_height(kind: &ExprKind) -> u16 {
    let highest = |all: &[Expr]| all.iter().map(|it| it.height).max().unwrap_or(0);
    match kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::String(_)
        | ExprKind::This
        | ExprKind::Error => 0,
        ExprKind::Name(path) => path_height(path),
        ExprKind::SizeOfType { ty, dims } => type_height(ty).max(dims_height(dims)),
        ExprKind::Unary { operand, .. }
        | ExprKind::Step { operand, .. }
        | ExprKind::SizeOfExpr(operand) => operand.height,
        ExprKind::Cast { ty, dims, operand } => {
            operand.height.max(type_height(ty)).max(dims_height(dims))
        }
        ExprKind::Binary { first, rest } => {
            rest.iter().map(|it| it.expr.height).max().unwrap_or(0).max(first.height)
        }
        ExprKind::Assign { target, value, .. } => target.height.max(value.height),
        ExprKind::Conditional { condition, then, otherwise } => {
            condition.height.max(then.height).max(otherwise.height)
        }
        ExprKind::Comma(all) | ExprKind::List(all) => highest(all),
        ExprKind::Construct { ty, args } => type_height(ty).max(highest(args)),
        ExprKind::Call { callee, args, .. } => callee.height.max(highest(args)),
        ExprKind::Member { base, args, .. } => base.height.max(args_height(args.as_deref())),
        ExprKind::Index { base, index } => base.height.max(index.height),
    }
}

// Types contain expressions, too; unless these count, a tree could be as high as the square of the limit.

fn path_height(path: &Path) -> u16 {
    let segments = path.scope.iter().chain(std::iter::once(&path.last));
    segments.map(|it| args_height(it.args.as_deref())).max().unwrap_or(0)
}

fn args_height(args: Option<&[TemplateArg]>) -> u16 {
    let heights = args.unwrap_or_default().iter().map(|arg| match arg {
        TemplateArg::Type(ty) => type_height(ty),
        TemplateArg::Expr(expr) => expr.height,
    });
    heights.max().unwrap_or(0)
}

fn type_height(ty: &Type) -> u16 {
    match &ty.kind {
        TypeKind::Named(path) => 1 + path_height(path),
        TypeKind::Array(element, dims) => 1 + type_height(element).max(dims_height(dims)),
        TypeKind::Void | TypeKind::Numeric(_) | TypeKind::Auto | TypeKind::Error => 1,
    }
}

fn dims_height(dims: &[Dim]) -> u16 {
    dims.iter().filter_map(|it| it.size.as_ref()).map(|it| it.height).max().unwrap_or(0)
}

pub(super) fn binary_op(punct: Punct) -> Option<BinaryOp> {
    Some(match punct {
        Punct::Star => BinaryOp::Mul,
        Punct::Slash => BinaryOp::Div,
        Punct::Percent => BinaryOp::Rem,
        Punct::Plus => BinaryOp::Add,
        Punct::Minus => BinaryOp::Sub,
        Punct::Shl => BinaryOp::Shl,
        Punct::Shr => BinaryOp::Shr,
        Punct::Less => BinaryOp::Lt,
        Punct::Greater => BinaryOp::Gt,
        Punct::LessEqual => BinaryOp::Le,
        Punct::GreaterEqual => BinaryOp::Ge,
        Punct::Equal => BinaryOp::Eq,
        Punct::NotEqual => BinaryOp::Ne,
        Punct::And => BinaryOp::BitAnd,
        Punct::Caret => BinaryOp::BitXor,
        Punct::Or => BinaryOp::BitOr,
        Punct::AndAnd => BinaryOp::And,
        Punct::OrOr => BinaryOp::Or,
        _ => return None,
    })
}
