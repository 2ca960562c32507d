//! Constructs of C++ that HLSL does not have, most of which a proposal would add: each is called by its name, with what
//! to write instead.
//!
//! Their words are ordinary names in HLSL. So they count only where a declaration starts with them, or where
//! something cannot be parsed, and never if the source declares them.

use diag::{Diagnostic, Span, code};

use super::scope::Meaning;
use super::{Parse, Parser, Reported};
use crate::token::{Keyword, Punct, Token, TokenKind};

/// Words with what they are, as messages name it, and what to write instead.
const WORDS: &[(&str, &str, &str)] = &[
    ("constexpr", "`constexpr`", "a constant is `static const`; a function needs no such word"),
    (
        "consteval",
        "`consteval`",
        "calls with constant arguments are computed at compile time anyway",
    ),
    ("constinit", "`constinit`", "a constant is `static const`"),
    (
        "concept",
        "concepts",
        "overloads, or a `static_assert` in the template, restrict its arguments",
    ),
    (
        "requires",
        "concepts",
        "overloads, or a `static_assert` in the template, restrict its arguments",
    ),
    ("import", "modules", "`#include` reads another file"),
    ("module", "modules", "`#include` reads another file"),
    (
        "decltype",
        "`decltype`",
        "write the type, or use `auto` for a local variable with `-HV 202x`",
    ),
    (
        "alignas",
        "`alignas`",
        "`packoffset`, or members that fill the gaps, place the members of a constant buffer",
    ),
    ("noexcept", "exceptions", "leave the word out"),
    (
        "override",
        "virtual functions",
        "leave the word out: a method hides the one it is named after",
    ),
    ("thread_local", "`thread_local`", "a `static` variable belongs to one thread"),
    (
        "ref",
        "references",
        "an `out` or `inout` parameter passes a variable: `void f(inout uint x)`",
    ),
];

const NO_REFERENCES: (&str, &str) =
    ("references", "an `out` or `inout` parameter passes a variable: `void f(inout uint x)`");

const AFTER_DECLARATION: &str = "expected `;` after this declaration";

impl Parser<'_> {
    /// Reports a declaration that starts with a word of [`WORDS`].
    pub(super) fn proposed(&mut self) -> Parse<()> {
        let token = self.peek();
        let leads = self.nth(1).kind == TokenKind::Ident || self.nth(1).is(Punct::LParen);
        match self.proposed_word(token) {
            Some(report) if leads => {
                self.sink.push(report);
                Err(Reported)
            }
            _ => Ok(()),
        }
    }

    fn proposed_word(&self, token: Token) -> Option<Diagnostic> {
        if token.kind != TokenKind::Ident || self.scopes.find(token.symbol).is_some() {
            return None;
        }
        let word = self.text(token);
        let (_, what, instead) = WORDS.iter().find(|it| it.0 == word)?;
        Some(has_no(token.span, what, instead))
    }

    /// The report on a construct of C++ at the point where the parser cannot continue, for the reason in `after`.
    pub(super) fn proposal(&self, after: &str) -> Option<Diagnostic> {
        let back = |count: usize| self.pos.checked_sub(count).map(|it| self.at(it));
        // The words before it in the same statement.
        let ends =
            |it: &Token| [Punct::Semi, Punct::LBrace, Punct::RBrace].iter().any(|p| it.is(*p));
        let near = (1..=4).map_while(back).take_while(|it| !ends(it)).chain([self.peek()]);
        if let Some(report) = near.filter_map(|it| self.proposed_word(it)).next() {
            return Some(report);
        }
        let (here, next) = (self.peek(), self.nth(1));
        let before = back(1)?;
        let is_type = |token: Token| {
            matches!(self.scopes.find(token.symbol), Some(Meaning::Type { .. }))
                && token.kind == TokenKind::Ident
        };
        let (what, instead) = match here.kind {
            TokenKind::Punct(Punct::LBracket) if before.is_keyword(Keyword::Auto) => {
                ("structured bindings", "declare a variable for each part")
            }
            TokenKind::Punct(Punct::LBracket)
                if next.is(Punct::RBracket) || next.is(Punct::And) || next.is(Punct::Assign) =>
            {
                ("lambdas", "write a function, and pass it what it needs")
            }
            TokenKind::Punct(Punct::AndAnd) => NO_REFERENCES,
            TokenKind::Punct(Punct::Tilde) if is_type(next) => {
                ("destructors", "nothing happens at the end of a variable's life")
            }
            TokenKind::Punct(Punct::LParen) if is_type(before) => (
                "constructors",
                "initialise the members with `{ … }`, or write a function that returns the struct",
            ),
            TokenKind::Punct(Punct::LBrace)
                if before.kind == TokenKind::Ident && after == AFTER_DECLARATION =>
            {
                ("initialisers without `=`", "write `= { … }`")
            }
            TokenKind::Punct(Punct::RParen)
                if back(2).is_some_and(|it| it.is(Punct::Colon))
                    && (5..9).filter_map(back).any(|it| it.is_keyword(Keyword::For)) =>
            {
                (
                    "`for` over the elements of an array",
                    "count them: `for (uint i = 0; i < N; i++)`",
                )
            }
            TokenKind::Punct(Punct::Greater) if before.is(Punct::LessEqual) => {
                ("`<=>`", "compare with `<` and `==`")
            }
            _ if before.kind == TokenKind::Number && self.text(here).starts_with('\'') => {
                ("`'` between digits", "leave it out")
            }
            _ => return None,
        };
        Some(has_no(here.span, what, instead))
    }

    /// The report on a keyword that HLSL reserves for C++.
    pub(super) fn proposed_keyword(&self, token: Token) -> Option<Diagnostic> {
        let (what, instead) = match token.keyword()? {
            Keyword::Union => {
                ("unions", "use a struct, and `asuint`, `asint` and `asfloat` to reinterpret bits")
            }
            Keyword::Virtual => (
                "virtual functions",
                "a parameter of a template chooses the function at compile time",
            ),
            Keyword::Friend => ("friends", "all members are public"),
            Keyword::Explicit => {
                ("constructors or conversion operators", "write a method or a function")
            }
            Keyword::Mutable => ("`mutable`", "leave it out"),
            _ => return None,
        };
        let report =
            Diagnostic::new(&code::RESERVED_WORD, token.span, format!("HLSL has no {what}"));
        Some(report.help(instead))
    }
}

fn has_no(span: Span, what: &str, instead: &str) -> Diagnostic {
    Diagnostic::new(&code::SYNTAX, span, format!("HLSL has no {what}")).help(instead)
}
