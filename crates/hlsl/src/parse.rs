//! The parser: tokens to the syntax tree.
//!
//! Recursive descent; each method reads one construct and starts at its first token. A method returns
//! `Err(Reported)` when it cannot continue: the error is reported where it is found, and the nearest list
//! of statements or declarations skips to the start of the next one. If something is merely missing (`;` at the
//! end of a line), it is reported and assumed.
//!
//! Whether a name is a type, a template or a value is looked up in [`scope`]: C's grammar is ambiguous otherwise.
//! Nothing else about names is decided here; unknown names are left to `check`.

mod annotation;
mod decl;
mod elsewhere;
mod expr;
mod function;
mod proposal;
mod scope;
mod stmt;
#[cfg(test)]
mod tests;
mod ty;

use diag::{Diagnostic, Sink, Span, code, most_similar};

use crate::ast::{File, Ident, MOST_HEIGHT, Name};
use crate::foreign::foreign;
use crate::options::{MatrixOrder, Options, Version};
use crate::token::{Flags, Keyword, Names, Punct, Symbol, Token, TokenKind, Tokens};

use scope::Scopes;
pub(crate) use scope::{builtin_types, is_builtin_type};

/// Parses a whole compilation. The result holds everything that could be parsed, errors or not.
pub fn parse(tokens: &Tokens, options: &Options, sink: &mut Sink) -> File {
    let end = end_of(&tokens.list);
    let mut parser = Parser {
        tokens: &tokens.list,
        names: &tokens.names,
        sink,
        pos: 0,
        half: false,
        end,
        depth: 0,
        no_greater: false,
        end_missed: false,
        is_torn: false,
        headless: false,
        inner_functions: Vec::new(),
        scopes: Scopes::new(tokens.names.len()),
        cache: vec![None; tokens.names.len()],
        unnamed: 0,
        has_goto: false,
        has_library: options.hlsl_version >= Version::V202x,
    };
    let items = parser.file();
    for report in std::mem::take(&mut parser.inner_functions) {
        parser.sink.push(report);
    }
    File { items, is_torn: parser.is_torn || parser.end_missed }
}

/// An error has been reported; the construct could not be parsed.
#[derive(Debug)]
struct Reported;

type Parse<T> = Result<T, Reported>;

struct Parser<'a> {
    tokens: &'a [Token],
    names: &'a Names,
    sink: &'a mut Sink,
    pos: usize,
    /// The first `>` of the current `>>` (or `>=`) has been consumed.
    half: bool,
    /// The end-of-file token, for look-ahead past the end.
    end: Token,
    /// The nesting depth of the current construct.
    depth: usize,
    /// Template arguments are being parsed: `>` ends them.
    no_greater: bool,
    /// Something was unclosed at the end of the file.
    end_missed: bool,
    /// Something other than a statement could not be parsed.
    is_torn: bool,
    /// A function had neither a body nor a `;`.
    headless: bool,
    /// Errors about functions in functions, which only count if every block is closed.
    inner_functions: Vec<Diagnostic>,
    scopes: Scopes,
    /// The names made so far, by symbol.
    cache: Vec<Option<Name>>,
    /// The number of unnamed structs and enums so far.
    unnamed: u32,
    /// A `goto` has been reported: its label needs no separate report.
    has_goto: bool,
    /// The version has the namespace `hlsl`. The grammar is otherwise the same in all versions: what a version lacks is
    /// reported by `check`, which knows why.
    has_library: bool,
}

fn end_of(tokens: &[Token]) -> Token {
    let span = tokens.last().map_or(Span::NONE, |it| it.span);
    Token { kind: TokenKind::Eof, flags: Flags::LINE_START, symbol: Names::EMPTY, span }
}

impl<'a> Parser<'a> {
    // Tokens.

    fn peek(&self) -> Token {
        let token = self.at(self.pos);
        if !self.half {
            return token;
        }
        let rest = if token.is(Punct::Shr) { Punct::Greater } else { Punct::Assign };
        Token {
            kind: TokenKind::Punct(rest),
            span: Span { lo: token.span.lo + 1, ..token.span },
            ..token
        }
    }

    /// The token at an index.
    fn at(&self, index: usize) -> Token {
        self.tokens.get(index).copied().unwrap_or(self.end)
    }

    fn nth(&self, ahead: usize) -> Token {
        if ahead == 0 { self.peek() } else { self.at(self.pos + ahead) }
    }

    fn bump(&mut self) -> Token {
        let token = self.peek();
        self.half = false;
        if self.pos < self.tokens.len() {
            self.pos += 1;
        }
        token
    }

    /// The span of the last token consumed.
    fn prev(&self) -> Span {
        match self.pos.checked_sub(1) {
            Some(before) => self.at(before).span,
            None => Span { hi: self.at(0).span.lo, ..self.at(0).span },
        }
    }

    fn is(&self, punct: Punct) -> bool {
        self.peek().is(punct)
    }

    fn is_kw(&self, keyword: Keyword) -> bool {
        self.peek().is_keyword(keyword)
    }

    fn is_eof(&self) -> bool {
        self.peek().kind == TokenKind::Eof
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.is(punct);
        if found {
            self.bump();
        }
        found
    }

    fn eat_kw(&mut self, keyword: Keyword) -> bool {
        let found = self.is_kw(keyword);
        if found {
            self.bump();
        }
        found
    }

    fn text(&self, token: Token) -> &'a str {
        self.names.spelling(&token)
    }

    fn name(&mut self, symbol: Symbol) -> Name {
        let slot = &mut self.cache[symbol.0 as usize];
        slot.get_or_insert_with(|| Name::new(self.names.text(symbol))).clone()
    }

    /// Whether a token can be a name.
    fn is_name(&self, token: Token) -> bool {
        token.kind == TokenKind::Ident && token.keyword().is_none_or(Keyword::is_contextual)
    }

    /// The name of something declared or used; `what` says what is expected.
    fn ident(&mut self, what: &str) -> Parse<Ident> {
        let token = self.peek();
        if self.is_name(token) {
            self.bump();
            return Ok(Ident { name: self.name(token.symbol), span: token.span });
        }
        if token.kind == TokenKind::Ident {
            let report = self.reserved(token, what);
            return self.report(report);
        }
        self.unexpected(what)
    }

    /// The matrix order that pragmas and options set at the current token.
    fn order(&self) -> MatrixOrder {
        match self.peek().flags.has(Flags::ROW_MAJOR) {
            true => MatrixOrder::RowMajor,
            false => MatrixOrder::ColumnMajor,
        }
    }

    // Errors.

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        // Everything still open misses its end at the end of the file: only the innermost is reported.
        if !(self.is_eof() && self.end_missed) {
            let diagnostic = self.explained(diagnostic);
            self.sink.push(diagnostic);
        }
        self.end_missed |= self.is_eof();
        Err(Reported)
    }

    fn syntax<T>(&mut self, span: Span, message: impl Into<String>) -> Parse<T> {
        self.report(Diagnostic::new(&code::SYNTAX, span, message))
    }

    /// Adds a help if a word before the mistake belongs to another language.
    fn explained(&self, diagnostic: Diagnostic) -> Diagnostic {
        if diagnostic.code == &code::SYNTAX
            && let Some(named) = self.proposal(&diagnostic.message)
        {
            return named;
        }
        let here = self.peek();
        if here.kind == TokenKind::Stray
            && let Some(letter) = self.text(here).chars().next().filter(|it| !it.is_ascii())
        {
            let number = u32::from(letter);
            return diagnostic.help(match letter {
                '\u{a0}' | '\u{2000}'..='\u{200f}' | '\u{feff}' => {
                    format!("there is an invisible character here, U+{number:04X}: remove it, or write a space")
                }
                '\u{2018}'..='\u{201f}' => {
                    format!("`{letter}` is a quotation mark of a text editor, U+{number:04X}")
                }
                _ => format!("outside of comments and strings there are ASCII characters only, and this is U+{number:04X}"),
            });
        }
        // The nearby words, and the first one on the line.
        let line = (self.pos.saturating_sub(LONGEST_LINE)..self.pos).rev();
        let first = line.map(|at| self.at(at)).find(|it| it.flags.has(Flags::LINE_START));
        let near = (self.pos.saturating_sub(2)..=self.pos).rev().map(|at| self.at(at)).chain(first);
        for token in near.filter(|it| it.kind == TokenKind::Ident && it.keyword().is_none()) {
            let word = self.text(token);
            if let Some(found) = foreign(word)
                && self.scopes.find(token.symbol).is_none()
            {
                return diagnostic.help(found.help(word));
            }
            let meant = match word {
                "and" => Some("&&"),
                "or" => Some("||"),
                "not" => Some("!"),
                "elif" | "elseif" | "elsif" => Some("else if"),
                _ if word.len() > 2 && self.scopes.find(token.symbol).is_none() => {
                    most_similar(word, KEYWORDS)
                }
                _ => None,
            };
            if let Some(meant) = meant {
                return diagnostic.fix(format!("did you mean `{meant}`?"), token.span, meant);
            }
        }
        diagnostic
    }

    /// A token, as messages name it.
    fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Eof | TokenKind::UnclosedComment => "the end of the file".to_string(),
            _ if self.text(token).len() > 40 => "this".to_string(),
            _ => format!("`{}`", self.text(token)),
        }
    }

    /// Reports that the current token is not the expected one.
    fn unexpected<T>(&mut self, wanted: &str) -> Parse<T> {
        let token = self.peek();
        if let Some(report) = self.no_pointers(token) {
            self.sink.push(report);
            return Err(Reported);
        }
        let span = if token.kind == TokenKind::Eof { self.prev().end() } else { token.span };
        let message = format!("expected {wanted}, found {}", self.describe(token));
        self.syntax(span, message)
    }

    /// A required token.
    fn expect(&mut self, punct: Punct, after: &str) -> Parse<Span> {
        if self.is(punct) {
            return Ok(self.bump().span);
        }
        let found = self.describe(self.peek());
        let message = format!("expected `{}` after {after}, found {found}", punct.text());
        let place = self.prev().end();
        self.report(
            Diagnostic::new(&code::SYNTAX, place, message)
                .also(self.peek().span, "this was not expected here"),
        )
    }

    /// The bracket that closes `open`.
    fn close(&mut self, punct: Punct, open: Span) -> Parse<Span> {
        if self.is(punct) {
            return Ok(self.bump().span);
        }
        let token = self.peek();
        if token.kind == TokenKind::Eof {
            let message = format!("this bracket has no closing `{}`", punct.text());
            let mut report = Diagnostic::new(&code::UNCLOSED, open, message);
            let inner = std::mem::take(&mut self.inner_functions);
            if let Some(first) = inner.first().filter(|_| punct == Punct::RBrace) {
                report = report.also(first.primary.span, "a function starts here, inside it");
            }
            return self.report(report);
        }
        let message = format!("expected `{}`, found {}", punct.text(), self.describe(token));
        self.report(Diagnostic::new(&code::SYNTAX, token.span, message).also(open, "to close this"))
    }

    /// The `;` at the end of a statement or declaration.
    ///
    /// If it is missing and the next token starts a new line, it is reported and assumed.
    fn semi(&mut self, after: &str) -> Parse<()> {
        if self.eat(Punct::Semi) {
            return Ok(());
        }
        let token = self.peek();
        if self.is_label(token) {
            return Err(Reported);
        }
        let place = self.prev().end();
        let message = format!("expected `;` after {after}");
        let new_line = token.flags.has(Flags::LINE_START) || token.is(Punct::RBrace);
        let mut report = Diagnostic::new(&code::SYNTAX, place, message);
        if new_line {
            report = report.fix("add the `;`", place, ";");
        } else {
            report =
                report.also(token.span, format!("{} was not expected here", self.describe(token)));
        }
        let report = self.explained(report);
        self.sink.push(report);
        if new_line { Ok(()) } else { Err(Reported) }
    }

    /// Runs `read` one nesting level deeper, up to the limit.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MOST_HEIGHT {
            return self.too_deep(self.peek().span);
        }
        if !self.sink.goes_on(self.peek().span) {
            self.pos = self.tokens.len();
            return Err(Reported);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn too_deep<T>(&mut self, span: Span) -> Parse<T> {
        let message =
            format!("this stands more than {MOST_HEIGHT} levels deep in other constructs");
        self.report(Diagnostic::new(&code::NESTING_TOO_DEEP, span, message))
    }

    /// Error recovery: skips to where the next statement or declaration may start: after a `;`, before a `}`, or, at
    /// the same bracket depth, before a line that starts with a word that nothing else starts with.
    ///
    /// Always advances, or stops at a `}` or the end.
    fn recover(&mut self, from: usize) {
        self.half = false;
        let mut open = 0usize;
        // In the header of a `for` a `;` ends no statement.
        let mut heads = 0usize;
        for at in from..self.pos {
            match self.at(at).kind {
                TokenKind::Punct(Punct::LParen) => heads += 1,
                TokenKind::Punct(Punct::RParen) => heads = heads.saturating_sub(1),
                _ => {}
            }
        }
        while !self.is_eof() && !self.sink.is_full() {
            let token = self.peek();
            match token.kind {
                TokenKind::Punct(Punct::LParen) => heads += 1,
                TokenKind::Punct(Punct::RParen) => heads = heads.saturating_sub(1),
                TokenKind::Punct(Punct::Semi) if open == 0 => {
                    self.bump();
                    if heads == 0 || self.peek().flags.has(Flags::LINE_START) {
                        return;
                    }
                    continue;
                }
                TokenKind::Punct(Punct::RBrace) if open == 0 => return,
                TokenKind::Punct(Punct::LBrace) => open += 1,
                TokenKind::Punct(Punct::RBrace) => {
                    open -= 1;
                    self.bump();
                    // A block ends its declaration, unless more of it follows.
                    if open == 0
                        && !self.is(Punct::Semi)
                        && self.peek().flags.has(Flags::LINE_START)
                    {
                        return;
                    }
                    continue;
                }
                TokenKind::Ident
                    if open == 0
                        && self.pos > from
                        && token.flags.has(Flags::LINE_START)
                        && token.keyword().is_some_and(starts_anew) =>
                {
                    return;
                }
                _ => {}
            }
            self.bump();
        }
        if self.sink.is_full() {
            // No further errors will be shown: stop parsing.
            self.pos = self.tokens.len();
        }
    }
}

/// How many tokens before a mistake are examined.
const LONGEST_LINE: usize = 24;

/// Words that are easily mistyped, and then parsed as names.
pub(crate) const KEYWORDS: [&str; 22] = [
    "break",
    "case",
    "cbuffer",
    "class",
    "const",
    "continue",
    "default",
    "else",
    "enum",
    "for",
    "groupshared",
    "inout",
    "namespace",
    "register",
    "return",
    "static",
    "struct",
    "switch",
    "template",
    "typedef",
    "using",
    "while",
];

/// Words that only start statements or declarations.
fn starts_anew(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::If
            | Keyword::For
            | Keyword::While
            | Keyword::Do
            | Keyword::Switch
            | Keyword::Case
            | Keyword::Default
            | Keyword::Break
            | Keyword::Continue
            | Keyword::Discard
            | Keyword::Return
            | Keyword::Struct
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
            | Keyword::Static
            | Keyword::Void
            | Keyword::GroupShared
            | Keyword::Const
    )
}
