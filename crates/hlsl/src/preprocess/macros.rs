//! Macros: their definitions, and their expansion.
//!
//! The rules are C's. A macro does not expand inside its own expansion, and its name, once found there, never expands
//! again ([`Flags::PAINTED`]). Arguments are expanded on their own first, except next to `#` and `##`.
//! Tokens of a macro's body carry the expansion that made them; tokens of arguments keep their location in the source.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use diag::{Diagnostic, Expansion, ExpansionId, Span, code};

use super::{MOST_CALL_DEPTH, MOST_EXPANDED_TOKENS, MOST_EXPANSIONS, Preprocessor, end_of_tokens};
use crate::lex::{self, Cursor};
use crate::token::{Flags, Punct, Symbol, Token, TokenKind};

/// The maximum length of a string that `#` makes.
const MOST_STRING: usize = 1 << 16;

pub(super) struct Macro {
    pub(super) name: Arc<str>,
    pub(super) definition: Span,
    pub(super) kind: MacroKind,
    /// The names of the parameters; with `variadic`, the last one takes all further arguments.
    pub(super) params: Vec<Symbol>,
    pub(super) variadic: bool,
    pub(super) body: Vec<Part>,
    /// It is being expanded.
    pub(super) active: Cell<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MacroKind {
    Object,
    Function,
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
    /// `__COUNTER__`
    Counter,
}

/// One token of a body.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) token: Token,
    pub(super) role: Role,
    /// Followed by `##`.
    pub(super) paste: bool,
    /// Inside a `__VA_OPT__( )`: it counts only if the variadic parameter is not empty.
    pub(super) optional: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Plain,
    Param(u16),
    /// `#param`
    Quote(u16),
}

/// The arguments of a call.
struct Arguments {
    tokens: Vec<Token>,
    ranges: Vec<Range<usize>>,
    /// Each fully expanded, on demand.
    expanded: Vec<Option<Vec<Token>>>,
}

impl Preprocessor<'_> {
    pub(super) fn define_builtins(&mut self) {
        let builtins = [
            ("__LINE__", MacroKind::Line),
            ("__FILE__", MacroKind::File),
            ("__COUNTER__", MacroKind::Counter),
        ];
        for (name, kind) in builtins {
            let symbol = self.names.intern(name);
            let definition = Macro {
                name: name.into(),
                definition: Span::NONE,
                kind,
                params: Vec::new(),
                variadic: false,
                body: Vec::new(),
                active: Cell::new(false),
            };
            self.set_macro(symbol, Some(definition));
        }
    }

    pub(super) fn set_macro(&mut self, symbol: Symbol, definition: Option<Macro>) {
        let index = symbol.0 as usize;
        if self.macros.len() <= index {
            self.macros.resize(index + 1, None);
        }
        self.macros[index] = definition.map(Rc::new);
    }

    /// Starts the expansion of a name; returns the name if it is not to be expanded.
    pub(super) fn expand(&mut self, token: Token) -> Option<Token> {
        let Some(found) = self.macro_of(token.symbol) else { return Some(token) };
        if found.active.get() {
            return Some(Token { flags: token.flags.with(Flags::PAINTED), ..token });
        }
        let found = found.clone();
        match found.kind {
            MacroKind::Object => {
                let id = self.expansion(&found, token.span)?;
                let mut tokens = self.fresh();
                self.substitute(&found, id, None, &mut tokens);
                self.enter(found, token, tokens);
            }
            MacroKind::Function => {
                if !self.paren_follows() {
                    return Some(token);
                }
                let Some((mut arguments, call)) = self.arguments(&found, token) else {
                    // Reported; an unterminated call has no expansion.
                    return None;
                };
                let id = self.expansion(&found, call)?;
                let mut tokens = self.fresh();
                self.substitute(&found, id, Some(&mut arguments), &mut tokens);
                self.recycle(arguments.tokens);
                self.enter(found, token, tokens);
            }
            MacroKind::Line => {
                let line = self.sources.location(token.span).map_or(1, |at| at.line);
                return Some(self.made(token, TokenKind::Number, &line.to_string()));
            }
            MacroKind::File => {
                let file =
                    self.sources.location(token.span).map_or_else(|| "".into(), |at| at.file);
                let quoted = format!("\"{}\"", file.replace('\\', "\\\\").replace('"', "\\\""));
                return Some(self.made(token, TokenKind::String, &quoted));
            }
            MacroKind::Counter => {
                let count = self.counter;
                self.counter = self.counter.wrapping_add(1);
                return Some(self.made(token, TokenKind::Number, &count.to_string()));
            }
        }
        None
    }

    /// A token that takes the place of another.
    fn made(&mut self, token: Token, kind: TokenKind, spelling: &str) -> Token {
        Token { kind, symbol: self.names.intern(spelling), ..token }
    }

    fn enter(&mut self, found: Rc<Macro>, name: Token, mut tokens: Vec<Token>) {
        if self.stopped {
            return;
        }
        if let Some(first) = tokens.first_mut() {
            first.flags = first.flags.placed_as(name.flags);
        }
        self.push_context(tokens, Some(found), false);
    }

    /// Records a use of a macro.
    fn expansion(&mut self, found: &Macro, call: Span) -> Option<ExpansionId> {
        self.expansions += 1;
        if self.stopped || self.expansions > MOST_EXPANSIONS {
            self.stop(call, &format!("macros are used more than {MOST_EXPANSIONS} times"));
            return None;
        }
        let name = found.name.clone();
        Some(self.sources.add_expansion(Expansion { name, call, definition: found.definition }))
    }

    /// Counts tokens made by macros; returns `false` if there are too many.
    fn charge(&mut self, tokens: usize, at: Span) -> bool {
        self.expanded_tokens += tokens;
        if self.expanded_tokens > MOST_EXPANDED_TOKENS {
            self.stop(at, &format!("macros expand to more than {MOST_EXPANDED_TOKENS} tokens"));
        }
        !self.stopped
    }

    pub(super) fn paren_follows(&self) -> bool {
        for context in self.contexts.iter().rev() {
            if let Some(token) = context.tokens.get(context.pos) {
                return token.is(Punct::LParen);
            }
            if context.barrier {
                return false;
            }
        }
        self.inputs.last().is_some_and(|input| lex::at_paren(&input.text, input.cursor))
    }

    /// Reads the arguments of a call, from its `(` on; also returns the span of the whole call.
    fn arguments(&mut self, found: &Macro, name: Token) -> Option<(Arguments, Span)> {
        self.collecting += 1;
        let open = self.next_raw();
        let mut tokens = self.fresh();
        let mut ranges = Vec::new();
        let mut start = 0;
        let mut depth = 0usize;
        let last = loop {
            let token = self.next_raw();
            match token.kind {
                TokenKind::Eof => break None,
                TokenKind::Punct(Punct::RParen) if depth == 0 => break Some(token),
                TokenKind::Punct(Punct::Comma)
                    if depth == 0
                        && !(found.variadic && ranges.len() + 1 >= found.params.len()) =>
                {
                    ranges.push(start..tokens.len());
                    start = tokens.len();
                    continue;
                }
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                _ => {}
            }
            tokens.push(token);
            if !self.charge(1, name.span) {
                break None;
            }
        };
        self.collecting -= 1;
        let Some(last) = last else {
            if !self.stopped {
                let message = format!("this use of macro `{}` has no closing `)`", found.name);
                self.error(
                    Diagnostic::new(&code::UNCLOSED, name.span, message)
                        .also(open.span, "opened here"),
                );
            }
            return None;
        };
        ranges.push(start..tokens.len());
        let call = name.span.to(last.span);
        self.check_count(found, call, &mut ranges);
        let expanded = vec![None; ranges.len()];
        Some((Arguments { tokens, ranges, expanded }, call))
    }

    /// Makes the number of arguments fit, and reports an error if it did not.
    fn check_count(&mut self, found: &Macro, call: Span, ranges: &mut Vec<Range<usize>>) {
        let wanted = found.params.len();
        let nothing = ranges.len() == 1 && ranges[0].is_empty();
        let given = if nothing && wanted == 0 { 0 } else { ranges.len() };
        let fits = given == wanted || found.variadic && given + 1 >= wanted;
        if !fits {
            let at_least = if found.variadic { "at least " } else { "" };
            let wanted = if found.variadic { wanted - 1 } else { wanted };
            let were = if given == 1 { "was" } else { "were" };
            let message = format!(
                "macro `{}` takes {at_least}{wanted} argument{}, but {given} {were} given",
                found.name,
                if wanted == 1 { "" } else { "s" },
            );
            self.error(
                Diagnostic::new(&code::BAD_MACRO, call, message)
                    .also(found.definition, "defined here"),
            );
        }
        let end = ranges.last().map_or(0, |last| last.end);
        ranges.resize(wanted, end..end);
    }

    /// Appends the body of a macro, with arguments substituted.
    fn substitute(
        &mut self,
        found: &Macro,
        id: ExpansionId,
        mut arguments: Option<&mut Arguments>,
        out: &mut Vec<Token>,
    ) {
        // The start of the operands of the current chain of `##`.
        let mut chain = 0;
        let mut pasting = false;
        let has_rest = found.body.iter().any(|it| it.optional)
            && arguments.as_deref_mut().is_some_and(|it| self.has_rest(found, it, id));
        for part in &found.body {
            if part.optional && !has_rest {
                pasting &= part.paste;
                continue;
            }
            if !pasting {
                chain = out.len();
            }
            let start = out.len();
            let span = Span { expansion: id, ..part.token.span };
            let mut is_rest = false;
            match (part.role, &mut arguments) {
                (Role::Param(index), Some(arguments)) => {
                    let index = index as usize;
                    is_rest = found.variadic && index + 1 == found.params.len();
                    if pasting || part.paste {
                        out.extend_from_slice(&arguments.tokens[arguments.ranges[index].clone()]);
                    } else {
                        self.expand_argument(arguments, index, span);
                        out.extend(arguments.expanded[index].iter().flatten());
                    }
                    if let Some(first) = out.get_mut(start) {
                        first.flags = first.flags.placed_as(part.token.flags);
                    }
                }
                (Role::Quote(index), Some(arguments)) => {
                    let quoted = self
                        .quote(&arguments.tokens[arguments.ranges[index as usize].clone()], span);
                    let symbol = self.names.intern(&quoted);
                    out.push(Token { kind: TokenKind::String, symbol, span, ..part.token });
                }
                (Role::Plain | Role::Param(_) | Role::Quote(_), _) => {
                    out.push(Token { span, ..part.token })
                }
            }
            if pasting && start > chain {
                if is_rest && out[start - 1].is(Punct::Comma) {
                    // `, ## __VA_ARGS__`: the comma is dropped if nothing follows it.
                    if out.len() == start {
                        out.pop();
                    }
                } else if out.len() > start {
                    self.paste(out, start, span);
                }
            }
            pasting = part.paste;
            if !self.charge(out.len().saturating_sub(start) + 1, span) {
                out.clear();
                return;
            }
        }
    }

    /// Whether the variadic parameter is non-empty after expansion.
    fn has_rest(&mut self, found: &Macro, arguments: &mut Arguments, id: ExpansionId) -> bool {
        let Some(last) = arguments.ranges.len().checked_sub(1).filter(|_| found.variadic) else {
            return false;
        };
        self.expand_argument(arguments, last, Span { expansion: id, ..found.definition });
        arguments.expanded[last].as_ref().is_some_and(|it| !it.is_empty())
    }

    fn expand_argument(&mut self, arguments: &mut Arguments, index: usize, at: Span) {
        if arguments.expanded[index].is_some() {
            return;
        }
        let tokens = &arguments.tokens[arguments.ranges[index].clone()];
        // Most arguments contain no macro.
        if !tokens
            .iter()
            .any(|token| token.kind == TokenKind::Ident && self.macro_of(token.symbol).is_some())
        {
            arguments.expanded[index] = Some(tokens.to_vec());
            return;
        }
        if self.call_depth >= MOST_CALL_DEPTH {
            let message = format!("macro calls nest more than {MOST_CALL_DEPTH} levels deep");
            self.error(Diagnostic::new(&code::NESTING_TOO_DEEP, at, message));
            return self.halt();
        }
        let mut copy = self.fresh();
        copy.extend_from_slice(tokens);
        self.call_depth += 1;
        let expanded = self.expand_alone(copy);
        self.call_depth -= 1;
        arguments.expanded[index] = Some(expanded);
    }

    /// The string that `#` makes of an argument, with quotes.
    fn quote(&mut self, tokens: &[Token], at: Span) -> String {
        let mut out = String::from("\"");
        for (index, token) in tokens.iter().enumerate() {
            let spaced = token.flags.has(Flags::SPACE) || token.flags.has(Flags::LINE_START);
            if index > 0 && spaced {
                out.push(' ');
            }
            let spelling = self.spelling(token);
            match token.kind {
                TokenKind::String
                | TokenKind::Char
                | TokenKind::UnclosedString
                | TokenKind::UnclosedChar => {
                    for c in spelling.chars() {
                        if matches!(c, '"' | '\\') {
                            out.push('\\');
                        }
                        out.push(c);
                    }
                }
                _ => out.push_str(spelling),
            }
            if out.len() > MOST_STRING {
                self.stop(at, &format!("`#` makes a string of more than {MOST_STRING} bytes"));
                break;
            }
        }
        out.push('"');
        // Interned spellings are never freed, so they count.
        self.charge(out.len() / 8, at);
        out
    }

    /// Pastes the token at `right` to the one before it.
    fn paste(&mut self, out: &mut Vec<Token>, right: usize, at: Span) {
        let (left, second) = (out[right - 1], out[right]);
        let spelling = format!("{}{}", self.spelling(&left), self.spelling(&second));
        let mut cursor = Cursor { pos: 0, line_start: false };
        let made = match spelling.len() <= MOST_STRING {
            true => lex::next(&spelling, &mut cursor, 0, &mut self.names),
            false => end_of_tokens(at),
        };
        let whole = cursor.pos == spelling.len();
        match made.kind {
            TokenKind::Ident
            | TokenKind::Number
            | TokenKind::Char
            | TokenKind::String
            | TokenKind::Punct(_)
                if whole =>
            {
                let flags = Flags::default().placed_as(left.flags);
                out[right - 1] = Token { flags, span: left.span, ..made };
                out.remove(right);
                self.charge(out.len().saturating_sub(right) / 16 + spelling.len() / 8, at);
            }
            _ => {
                let mut message = String::from("`##` joins ");
                message += &format!("`{}` and `{}`", self.spelling(&left), self.spelling(&second));
                message += ", which is not a token";
                self.error(
                    Diagnostic::new(&code::BAD_MACRO, at, message)
                        .help("leave out the `##`: they are two tokens"),
                );
            }
        }
    }
}

/// Whether two definitions are equal except for the amount of white space.
pub(super) fn same(a: &Macro, b: &Macro) -> bool {
    a.kind == b.kind
        && a.params == b.params
        && a.variadic == b.variadic
        && a.body.len() == b.body.len()
        && a.body.iter().zip(&b.body).enumerate().all(|(index, (a, b))| {
            let spaced = |part: &Part| part.token.flags.has(Flags::SPACE);
            a.token.kind == b.token.kind
                && a.token.symbol == b.token.symbol
                && a.role == b.role
                && a.paste == b.paste
                && a.optional == b.optional
                && (index == 0 || spaced(a) == spaced(b))
        })
}

impl Preprocessor<'_> {
    /// `#define`: reads the rest of the line.
    pub(super) fn define(&mut self, directive: Token) {
        let Some(name) = self.line_token() else {
            return self.bad_directive(
                directive.span.end(),
                "expected the name of a macro after `#define`",
            );
        };
        if name.kind != TokenKind::Ident {
            let message = format!("a macro cannot be named `{}`", self.spelling(&name));
            self.error(Diagnostic::new(&code::BAD_MACRO, name.span, message));
            return self.skip_rest();
        }
        if name.symbol == self.words.defined {
            self.error(Diagnostic::new(&code::BAD_MACRO, name.span, "`defined` cannot be a macro"));
            return self.skip_rest();
        }
        let mut found = Macro {
            name: self.names.text(name.symbol).into(),
            definition: name.span,
            kind: MacroKind::Object,
            params: Vec::new(),
            variadic: false,
            body: Vec::new(),
            active: Cell::new(false),
        };
        let mut tokens = self.rest_of_line();
        let called =
            tokens.first().is_some_and(|it| it.is(Punct::LParen) && !it.flags.has(Flags::SPACE));
        if called {
            found.kind = MacroKind::Function;
            match self.parameters(&tokens, &mut found) {
                Some(count) => drop(tokens.drain(..count)),
                None => return,
            }
        }
        if !self.body(&tokens, &mut found) {
            return;
        }
        self.recycle(tokens);
        if let Some(old) = self.macro_of(name.symbol).cloned() {
            if old.definition.is_none() {
                let message = format!("`{}` is built in and cannot be redefined", old.name);
                return self.error(Diagnostic::new(&code::BAD_MACRO, name.span, message));
            }
            if !same(&old, &found) {
                let message = format!("macro `{}` is redefined differently", old.name);
                let undef = format!("if this is intended, put `#undef {}` before it", old.name);
                self.error(
                    Diagnostic::new(&code::MACRO_REDEFINED, name.span, message)
                        .also(old.definition, "the first definition")
                        .help(undef),
                );
            }
        }
        self.set_macro(name.symbol, Some(found));
    }

    /// Reads `(a, b, ...)` at the start of the tokens; returns the number of tokens consumed.
    fn parameters(&mut self, tokens: &[Token], found: &mut Macro) -> Option<usize> {
        let mut at = 1;
        let fail = |this: &mut Self, at: usize, message: &str| {
            let span =
                tokens.get(at).map_or_else(|| tokens[tokens.len() - 1].span.end(), |it| it.span);
            this.error(Diagnostic::new(&code::BAD_MACRO, span, message));
            None
        };
        if tokens.get(at).is_some_and(|it| it.is(Punct::RParen)) {
            return Some(at + 1);
        }
        loop {
            match tokens.get(at) {
                Some(token) if token.is(Punct::Ellipsis) => {
                    found.params.push(self.words.va_args);
                    found.variadic = true;
                }
                Some(token) if token.kind == TokenKind::Ident => {
                    if found.params.contains(&token.symbol) {
                        let message =
                            format!("parameter `{}` appears twice", self.names.text(token.symbol));
                        return fail(self, at, &message);
                    }
                    if found.params.len() >= 1024 {
                        return fail(self, at, "a macro has at most 1024 parameters");
                    }
                    found.params.push(token.symbol);
                    // `name...` is a named variadic parameter.
                    if tokens.get(at + 1).is_some_and(|it| it.is(Punct::Ellipsis)) {
                        found.variadic = true;
                        at += 1;
                    }
                }
                _ => return fail(self, at, "expected the name of a parameter"),
            }
            at += 1;
            match tokens.get(at) {
                Some(token) if token.is(Punct::RParen) => return Some(at + 1),
                Some(token) if token.is(Punct::Comma) && !found.variadic => at += 1,
                _ if found.variadic => return fail(self, at, "expected `)` after `...`"),
                _ => return fail(self, at, "expected `,` or `)` after a parameter"),
            }
        }
    }

    /// Parses a body; returns `false` after an error.
    fn body(&mut self, tokens: &[Token], found: &mut Macro) -> bool {
        let param = |token: &Token| match token.kind {
            TokenKind::Ident => {
                found.params.iter().position(|it| *it == token.symbol).map(|index| index as u16)
            }
            _ => None,
        };
        let mut wrong = None;
        let mut body: Vec<Part> = Vec::with_capacity(tokens.len());
        let mut at = 0;
        // The `__VA_OPT__` being read, and how many parentheses are open in it.
        let mut optional: Option<(Span, usize)> = None;
        while let Some(token) = tokens.get(at) {
            at += 1;
            if token.kind == TokenKind::Ident && token.symbol == self.words.va_opt && found.variadic
            {
                let opens = tokens.get(at).is_some_and(|it| it.is(Punct::LParen));
                let problem = match optional {
                    None if opens => None,
                    None => Some("expected `(` after `__VA_OPT__`"),
                    Some(_) => Some("`__VA_OPT__` cannot be nested"),
                };
                if let Some(problem) = problem {
                    wrong = Some((token.span, problem.to_string()));
                    break;
                }
                optional = Some((token.span, 0));
                at += 1;
                continue;
            }
            if let Some((_, depth)) = &mut optional {
                if token.is(Punct::LParen) {
                    *depth += 1;
                } else if token.is(Punct::RParen) {
                    match depth.checked_sub(1) {
                        Some(less) => *depth = less,
                        None => {
                            optional = None;
                            continue;
                        }
                    }
                }
            }
            if token.is(Punct::HashHash) {
                match body.last_mut() {
                    Some(last) if at < tokens.len() => last.paste = true,
                    _ => wrong = Some((token.span, "`##` must be between two tokens".to_string())),
                }
                continue;
            }
            let optional = optional.is_some();
            let mut part = Part { token: *token, role: Role::Plain, paste: false, optional };
            if found.kind == MacroKind::Function {
                if token.is(Punct::Hash) {
                    match tokens.get(at).and_then(param) {
                        Some(index) => {
                            part.role = Role::Quote(index);
                            at += 1;
                        }
                        None => {
                            wrong = Some((
                                token.span,
                                "`#` must be followed by a parameter".to_string(),
                            ))
                        }
                    }
                } else if let Some(index) = param(token) {
                    part.role = Role::Param(index);
                } else if token.kind == TokenKind::Ident && token.symbol == self.words.va_args {
                    let message = "`__VA_ARGS__` needs `...` among the parameters".to_string();
                    wrong = Some((token.span, message));
                }
            }
            body.push(part);
        }
        if let Some((span, _)) = optional {
            wrong.get_or_insert((span, "this `__VA_OPT__` has no closing `)`".to_string()));
        }
        if let Some((span, message)) = wrong {
            self.error(Diagnostic::new(&code::BAD_MACRO, span, message));
            return false;
        }
        found.body = body;
        true
    }
}
