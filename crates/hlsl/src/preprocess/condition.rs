//! Evaluates the conditions of `#if` and `#elif`.
//!
//! C's rules: 64-bit arithmetic, unsigned as soon as one operand is, names that are not macros count as 0, and an
//! unevaluated operand of `&&`, `||` and `?:` may divide by zero.

use diag::{Diagnostic, Span, code};

use super::{MOST_INCLUDES, Preprocessor};
use crate::lex::{self, Number};
use crate::token::{Flags, Punct, Token, TokenKind};

/// The maximum nesting of parentheses and operators.
const MOST_DEPTH: usize = 200;

#[derive(Clone, Copy)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn truth(value: bool) -> Value {
        Value { bits: value.into(), unsigned: false }
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

struct Evaluator<'a, 'b> {
    preprocessor: &'a mut Preprocessor<'b>,
    tokens: &'a [Token],
    at: usize,
    /// Where errors about a missing operand at the end point.
    end: Span,
    depth: usize,
}

/// The error has been reported.
struct Wrong;

impl Preprocessor<'_> {
    /// Whether a condition holds; `false` after an error, which is reported.
    pub(super) fn condition(&mut self, directive: Span, tokens: Vec<Token>) -> bool {
        let end = tokens.last().map_or(directive, |it| it.span).end();
        let Some(tokens) = self.resolve_questions(tokens, end, false) else { return false };
        let tokens = self.expand_condition(tokens);
        if self.stopped {
            return false;
        }
        // Resolves the questions that macros expanded to; their own arguments are expanded already, as in other
        // compilers.
        let Some(tokens) = self.resolve_questions(tokens, end, true) else { return false };
        if tokens.is_empty() {
            self.error(Diagnostic::new(&code::BAD_CONDITION, end, "expected a condition"));
            return false;
        }
        let mut evaluator = Evaluator { preprocessor: self, tokens: &tokens, at: 0, end, depth: 0 };
        let result = evaluator.comma(true);
        if let (Ok(_), Some(extra)) = (&result, tokens.get(evaluator.at)) {
            let _ = evaluator.unexpected::<Value>(Some(*extra), "an operator");
            return false;
        }
        self.recycle(tokens);
        result.is_ok_and(Value::is_true)
    }

    /// Expands all names except the operands of `defined`.
    fn expand_condition(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let defined = self.words.defined;
        self.push_context(tokens, None, true);
        let mut out = self.fresh();
        loop {
            let asks = out.last().is_some_and(|it: &Token| it.symbol == defined)
                || matches!(&out[..], [.., it, open] if it.symbol == defined && open.is(Punct::LParen));
            let token = if asks { self.next_raw() } else { self.next() };
            if token.kind == TokenKind::Eof {
                break;
            }
            out.push(token);
        }
        // An exhausted budget has dropped all contexts, including this one.
        if !self.stopped {
            self.pop_context();
        }
        out
    }

    /// Replaces `defined X`, `defined(X)` and `__has_include("file")` by 0 or 1.
    fn resolve_questions(
        &mut self,
        tokens: Vec<Token>,
        end: Span,
        is_expanded: bool,
    ) -> Option<Vec<Token>> {
        let (defined, has_include) = (self.words.defined, self.words.has_include);
        let asks = |it: &Token| {
            // The file name may come from a macro.
            it.kind == TokenKind::Ident
                && (it.symbol == defined || it.symbol == has_include && is_expanded)
        };
        if !tokens.iter().any(asks) {
            return Some(tokens);
        }
        let mut out = self.fresh();
        let mut rest = &tokens[..];
        while let Some((token, after)) = rest.split_first() {
            rest = after;
            if !asks(token) {
                out.push(*token);
                continue;
            }
            let answer = match token.symbol == defined {
                true => self.answer_defined(&mut rest),
                false => self.answer_has_include(&mut rest),
            };
            let Some(answer) = answer else {
                let message = match token.symbol == defined {
                    true => "expected the name of a macro after `defined`: `defined(NAME)`",
                    false => "expected a file after `__has_include`: `__has_include(\"file\")`",
                };
                let span = if rest.is_empty() { end } else { token.span };
                self.error(Diagnostic::new(&code::BAD_CONDITION, span, message));
                return None;
            };
            let symbol = self.names.intern(if answer { "1" } else { "0" });
            out.push(Token { kind: TokenKind::Number, symbol, ..*token });
        }
        self.recycle(tokens);
        Some(out)
    }

    /// Reads `NAME` or `(NAME)`; returns whether that macro is defined.
    fn answer_defined(&mut self, rest: &mut &[Token]) -> Option<bool> {
        let (name, after) = match **rest {
            [open, name, close, ref after @ ..]
                if open.is(Punct::LParen) && close.is(Punct::RParen) =>
            {
                (name, after)
            }
            [name, ref after @ ..] => (name, after),
            [] => return None,
        };
        *rest = after;
        let is_operator = name.symbol == self.words.has_include;
        (name.kind == TokenKind::Ident).then(|| is_operator || self.macro_of(name.symbol).is_some())
    }

    /// Reads `("file")` or `(<file>)`; returns whether an `#include` would find it.
    fn answer_has_include(&mut self, rest: &mut &[Token]) -> Option<bool> {
        let (open, after) = rest.split_first()?;
        let length = after.iter().position(|it| it.is(Punct::RParen))?;
        let inside = &after[..length];
        *rest = &after[length + 1..];
        let (path, system) = match inside {
            [text] if text.kind == TokenKind::String => {
                let spelling = self.names.text(text.symbol);
                (spelling[1..spelling.len() - 1].to_string(), false)
            }
            [less, path @ .., greater]
                if less.is(Punct::Less) && greater.is(Punct::Greater) && !path.is_empty() =>
            {
                (path.iter().map(|it| self.spelling(it)).collect(), true)
            }
            _ => return None,
        };
        let includer = self.inputs.last()?.name.clone();
        self.includes += 1;
        let counts = open.is(Punct::LParen) && self.includes <= MOST_INCLUDES;
        counts.then(|| self.includer.read(&path.replace('\\', "/"), &includer, system).is_some())
    }
}

impl Evaluator<'_, '_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.peek().is_some_and(|it| it.is(punct));
        self.at += usize::from(found);
        found
    }

    fn wrong<T>(&mut self, span: Span, message: String) -> Result<T, Wrong> {
        self.preprocessor.error(Diagnostic::new(&code::BAD_CONDITION, span, message));
        Err(Wrong)
    }

    fn unexpected<T>(&mut self, token: Option<Token>, wanted: &str) -> Result<T, Wrong> {
        match token {
            Some(token) => {
                let spelling = self.preprocessor.spelling(&token).to_string();
                self.wrong(
                    token.span,
                    format!("expected {wanted} in this condition, found `{spelling}`"),
                )
            }
            None => self.wrong(self.end, format!("expected {wanted} at the end of this condition")),
        }
    }

    /// `live` is false in unevaluated operands.
    fn comma(&mut self, live: bool) -> Result<Value, Wrong> {
        let mut value = self.ternary(live)?;
        while self.eat(Punct::Comma) {
            value = self.ternary(live)?;
        }
        Ok(value)
    }

    fn ternary(&mut self, live: bool) -> Result<Value, Wrong> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            let span = self.peek().map_or(self.end, |it| it.span);
            let message = format!("this condition nests more than {MOST_DEPTH} levels deep");
            self.preprocessor.error(Diagnostic::new(&code::NESTING_TOO_DEEP, span, message));
            return Err(Wrong);
        }
        let condition = self.binary(1, live)?;
        let value = if self.eat(Punct::Question) {
            let first = self.comma(live && condition.is_true())?;
            if !self.eat(Punct::Colon) {
                let found = self.peek();
                return self.unexpected(found, "`:`");
            }
            let second = self.ternary(live && !condition.is_true())?;
            let chosen = if condition.is_true() { first } else { second };
            Value { bits: chosen.bits, unsigned: first.unsigned || second.unsigned }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, least: u8, live: bool) -> Result<Value, Wrong> {
        let mut left = self.unary(live)?;
        loop {
            let Some(token) = self.peek() else { return Ok(left) };
            let TokenKind::Punct(op) = token.kind else { return Ok(left) };
            let precedence = precedence(op);
            if precedence < least || precedence == 0 {
                return Ok(left);
            }
            self.at += 1;
            let matters = match op {
                Punct::AndAnd => left.is_true(),
                Punct::OrOr => !left.is_true(),
                _ => true,
            };
            let right = self.binary(precedence + 1, live && matters)?;
            left = self.apply(op, left, right, live, token.span)?;
        }
    }

    fn apply(
        &mut self,
        op: Punct,
        left: Value,
        right: Value,
        live: bool,
        at: Span,
    ) -> Result<Value, Wrong> {
        let unsigned = left.unsigned || right.unsigned;
        let (a, b) = (left.bits, right.bits);
        let (sa, sb) = (a as i64, b as i64);
        let number = |bits| Ok(Value { bits, unsigned });
        let less = if unsigned { a < b } else { sa < sb };
        // A shift by 64 or more moves every bit out, and a negative shift goes in the other direction.
        let shift = |left_ward: bool| {
            let count = if right.unsigned { b.min(64) as i64 } else { sb.clamp(-64, 64) };
            let (left_ward, count) =
                if count < 0 { (!left_ward, -count) } else { (left_ward, count) };
            let bits = match (left_ward, left.unsigned) {
                (true, _) => a.checked_shl(count as u32).unwrap_or(0),
                (false, true) => a.checked_shr(count as u32).unwrap_or(0),
                (false, false) => (sa >> count.min(63)) as u64,
            };
            Ok(Value { bits, unsigned: left.unsigned })
        };
        match op {
            Punct::OrOr => Ok(Value::truth(left.is_true() || right.is_true())),
            Punct::AndAnd => Ok(Value::truth(left.is_true() && right.is_true())),
            Punct::Or => number(a | b),
            Punct::Caret => number(a ^ b),
            Punct::And => number(a & b),
            Punct::Equal => Ok(Value::truth(a == b)),
            Punct::NotEqual => Ok(Value::truth(a != b)),
            Punct::Less => Ok(Value::truth(less)),
            Punct::GreaterEqual => Ok(Value::truth(!less)),
            Punct::Greater => Ok(Value::truth(a != b && !less)),
            Punct::LessEqual => Ok(Value::truth(a == b || less)),
            Punct::Shl => shift(true),
            Punct::Shr => shift(false),
            Punct::Plus => number(a.wrapping_add(b)),
            Punct::Minus => number(a.wrapping_sub(b)),
            Punct::Star => number(a.wrapping_mul(b)),
            Punct::Slash | Punct::Percent if b == 0 => match live {
                true => self.wrong(at, "division by zero in a condition".to_string()),
                false => number(0),
            },
            Punct::Slash if unsigned => number(a / b),
            Punct::Slash => number(sa.wrapping_div(sb) as u64),
            Punct::Percent if unsigned => number(a % b),
            Punct::Percent => number(sa.wrapping_rem(sb) as u64),
            _ => self.wrong(at, format!("`{}` is not allowed in a condition", op.text())),
        }
    }

    fn unary(&mut self, live: bool) -> Result<Value, Wrong> {
        // Prefix operators are collected first, so that a long row of them needs no recursion.
        let start = self.at;
        while self.peek().is_some_and(|it| {
            matches!(
                it.kind,
                TokenKind::Punct(Punct::Not | Punct::Minus | Punct::Plus | Punct::Tilde)
            )
        }) {
            self.at += 1;
        }
        let end = self.at;
        let mut value = self.primary(live)?;
        for token in self.tokens[start..end].iter().rev() {
            value = match token.kind {
                TokenKind::Punct(Punct::Not) => Value::truth(!value.is_true()),
                TokenKind::Punct(Punct::Minus) => {
                    Value { bits: value.bits.wrapping_neg(), ..value }
                }
                TokenKind::Punct(Punct::Tilde) => Value { bits: !value.bits, ..value },
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self, live: bool) -> Result<Value, Wrong> {
        let found = self.peek();
        let Some(token) = found else { return self.unexpected(None, "a value") };
        match token.kind {
            TokenKind::Punct(Punct::LParen) => {
                self.at += 1;
                let value = self.comma(live)?;
                if !self.eat(Punct::RParen) {
                    let found = self.peek();
                    return self.unexpected(found, "`)`");
                }
                Ok(value)
            }
            TokenKind::Number => {
                self.at += 1;
                let text = self.preprocessor.spelling(&token).to_string();
                match lex::number(&text) {
                    Ok(Number::Int(it)) => {
                        let unsigned = it.unsigned || it.value > i64::MAX as u64;
                        Ok(Value { bits: it.value, unsigned })
                    }
                    Ok(Number::Float(_)) => {
                        self.wrong(token.span, format!("`{text}` is not an integer"))
                    }
                    Err(message) => self.wrong(token.span, message),
                }
            }
            TokenKind::Char => {
                self.at += 1;
                let first = lex::unquote(self.preprocessor.spelling(&token)).chars().next();
                Ok(Value { bits: first.map_or(0, |c| u64::from(u32::from(c))), unsigned: false })
            }
            TokenKind::Ident => {
                self.at += 1;
                let words = &self.preprocessor.words;
                if token.symbol == words.true_ {
                    return Ok(Value::truth(true));
                }
                if token.symbol != words.false_
                    && !token.flags.has(Flags::PAINTED)
                    && self.peek().is_some_and(|it| it.is(Punct::LParen))
                {
                    let name = self.preprocessor.spelling(&token).to_string();
                    return self.wrong(
                        token.span,
                        format!("the macro `{name}` that is called here is not defined"),
                    );
                }
                Ok(Value::truth(false))
            }
            _ => self.unexpected(found, "a value"),
        }
    }
}

/// The precedence of an operator; 0 for any other token.
fn precedence(op: Punct) -> u8 {
    match op {
        Punct::OrOr => 1,
        Punct::AndAnd => 2,
        Punct::Or => 3,
        Punct::Caret => 4,
        Punct::And => 5,
        Punct::Equal | Punct::NotEqual => 6,
        Punct::Less | Punct::Greater | Punct::LessEqual | Punct::GreaterEqual => 7,
        Punct::Shl | Punct::Shr => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => 0,
    }
}
