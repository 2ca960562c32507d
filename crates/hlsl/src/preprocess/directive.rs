//! Directives: lines that start with `#`.
//!
//! Each method consumes its line to the end, even after an error. Groups that a condition leaves out are skipped here,
//! too, and only their own conditional directives are examined.

use std::sync::Arc;

use diag::{Diagnostic, Level, Span, code};

use super::{
    Condition, Guard, MOST_INCLUDE_DEPTH, MOST_INCLUDED_BYTES, MOST_INCLUDES, NotFound,
    Preprocessor, last_name,
};
use crate::lex::{self, Cursor};
use crate::token::{Flags, Punct, Symbol, Token, TokenKind};

const DIRECTIVES: [&str; 15] = [
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "line",
    "error", "warning", "pragma", "elifdef", "elifndef",
];

/// Pragmas of other compilers and tools: they control warnings and editors, or name variants and entry points for the
/// shader's build system. They have no effect here, and are not reported.
const FOREIGN_PRAGMAS: [&str; 19] = [
    "dxc",
    "clang",
    "GCC",
    "region",
    "endregion",
    "def",
    "kernel",
    "multi_compile",
    "multi_compile_local",
    "multi_compile_fragment",
    "shader_feature",
    "shader_feature_local",
    "only_renderers",
    "exclude_renderers",
    "require",
    "target",
    "use_dxc",
    "enable_d3d11_debug_symbols",
    "editor_sync_compilation",
];

/// The maximum number of nested `#pragma warning(push)`; those beyond are ignored.
const MOST_SAVED_LEVELS: usize = 1 << 10;

impl Preprocessor<'_> {
    /// Executes the directive whose `#` was just read.
    pub(super) fn directive(&mut self, hash: Token) {
        let Some(name) = self.line_token() else { return };
        // The text of a keyword never changes, but `self` does: copy the word.
        let word = self.spelling(&name).to_string();
        self.note_guard(&word);
        match word.as_str() {
            "define" => self.define(name),
            "undef" => self.undef(name),
            "include" => self.include(name),
            "if" => self.open_if(hash, name),
            "ifdef" => self.open_ifdef(hash, name, true),
            "ifndef" => self.open_ifdef(hash, name, false),
            "elif" | "elifdef" | "elifndef" | "else" => self.next_group(hash, name),
            "endif" => self.close_if(hash),
            "line" => {
                let tokens = self.rest_of_line();
                self.line(name.span, tokens);
            }
            "error" | "warning" => self.message(name, word == "error"),
            "pragma" => self.pragma(name),
            _ if name.kind == TokenKind::Number => {
                // `# 12 "file"`, the output of other preprocessors.
                let mut tokens = vec![name];
                tokens.append(&mut self.rest_of_line());
                self.line(name.span, tokens);
            }
            _ => self.unknown_directive(name, &word),
        }
    }

    fn unknown_directive(&mut self, name: Token, word: &str) {
        if matches!(word, "version" | "extension") {
            let message = "this looks like GLSL; wavelane reads HLSL";
            self.error(Diagnostic::new(&code::BAD_DIRECTIVE, name.span, message));
            return self.halt();
        }
        let mut report = Diagnostic::new(
            &code::BAD_DIRECTIVE,
            name.span,
            format!("`#{word}` is not a directive"),
        );
        if let Some(similar) = DIRECTIVES.iter().find(|it| is_similar(it, word)) {
            report = report.fix(format!("did you mean `#{similar}`?"), name.span, *similar);
        }
        self.error(report);
        self.skip_rest();
    }

    pub(super) fn bad_directive(&mut self, span: Span, message: &str) {
        self.error(Diagnostic::new(&code::BAD_DIRECTIVE, span, message));
        self.skip_rest();
    }

    // Lines.

    /// The next token of the directive's line.
    pub(super) fn line_token(&mut self) -> Option<Token> {
        let input = self.inputs.last_mut()?;
        let before = input.cursor;
        let token = lex::next(&input.text, &mut input.cursor, input.base, &mut self.names);
        let over = token.flags.has(Flags::LINE_START)
            || matches!(token.kind, TokenKind::Eof | TokenKind::UnclosedComment);
        if over {
            input.cursor = before;
            return None;
        }
        Some(token)
    }

    pub(super) fn rest_of_line(&mut self) -> Vec<Token> {
        let mut tokens = self.fresh();
        while let Some(token) = self.line_token() {
            tokens.push(token);
        }
        tokens
    }

    pub(super) fn skip_rest(&mut self) {
        while self.line_token().is_some() {}
    }

    /// Warns about text after a complete directive.
    fn finish_line(&mut self, directive: &str) {
        if let Some(token) = self.line_token() {
            self.extra_tokens(token.span, directive);
            self.skip_rest();
        }
    }

    fn extra_tokens(&mut self, span: Span, directive: &str) {
        let message = format!("unexpected text after `{directive}`");
        self.error(
            Diagnostic::new(&code::EXTRA_TOKENS, span, message)
                .help("if it is a comment, write `//` before it"),
        );
    }

    /// The rest of the line as written.
    fn raw_rest(&mut self, from: Span) -> String {
        self.skip_rest();
        let Some(input) = self.inputs.last() else { return String::new() };
        let start = (from.hi - input.base) as usize;
        let rest = input.text.get(start..input.cursor.pos).unwrap_or("");
        rest.trim().to_string()
    }

    // Conditions.

    fn open_if(&mut self, hash: Token, name: Token) {
        let tokens = self.rest_of_line();
        let holds = self.condition(name.span, tokens);
        self.open(hash.span.to(name.span), holds);
    }

    fn open_ifdef(&mut self, hash: Token, name: Token, wanted: bool) {
        let is_start = self.inputs.last().is_some_and(|input| input.guard == Guard::Start);
        let symbol = self.macro_name(name);
        if let (Some(symbol), true, false, Some(input)) =
            (symbol, is_start, wanted, self.inputs.last_mut())
        {
            input.guard = Guard::Inside(symbol);
        }
        let holds = symbol.is_some_and(|symbol| self.is_defined(symbol) == wanted);
        self.open(hash.span.to(name.span), holds);
    }

    /// The macro name that `#ifdef`, `#ifndef` or `#undef` takes.
    fn macro_name(&mut self, directive: Token) -> Option<Symbol> {
        let word = self.spelling(&directive).to_string();
        match self.line_token() {
            Some(token) if token.kind == TokenKind::Ident => {
                self.finish_line(&format!("#{word} {}", self.spelling(&token)));
                Some(token.symbol)
            }
            other => {
                let span = other.map_or(directive.span.end(), |it| it.span);
                self.bad_directive(span, &format!("expected the name of a macro after `#{word}`"));
                None
            }
        }
    }

    fn open(&mut self, span: Span, holds: bool) {
        let Some(input) = self.inputs.last_mut() else { return };
        input.conditions.push(Condition { span, taken: holds, otherwise: None });
        if !holds {
            self.skip_groups();
        }
    }

    /// `#elif` or `#else` after a group that was taken: everything up to `#endif` is left out.
    fn next_group(&mut self, hash: Token, name: Token) {
        if self.check_group(hash, name) {
            self.skip_rest();
            self.skip_groups();
        } else {
            self.skip_rest();
        }
    }

    /// Checks that an `#elif` or `#else` is allowed here.
    fn check_group(&mut self, hash: Token, name: Token) -> bool {
        let word = self.spelling(&name).to_string();
        let span = hash.span.to(name.span);
        let Some(input) = self.inputs.last_mut() else { return false };
        if let (1, Guard::Inside(_)) = (input.conditions.len(), input.guard) {
            // An include guard has no alternative group.
            input.guard = Guard::Not;
        }
        let Some(condition) = input.conditions.last_mut() else {
            let message = format!("`#{word}` without `#if`");
            self.error(Diagnostic::new(&code::UNBALANCED_CONDITION, span, message));
            return false;
        };
        let (opened, earlier) = (condition.span, condition.otherwise);
        if word == "else" {
            condition.otherwise = Some(span);
        }
        if let Some(earlier) = earlier {
            let message = format!("`#{word}` after `#else`");
            self.error(
                Diagnostic::new(&code::UNBALANCED_CONDITION, span, message)
                    .also(earlier, "the `#else`")
                    .also(opened, "the `#if`"),
            );
        }
        true
    }

    fn close_if(&mut self, hash: Token) {
        let Some(input) = self.inputs.last_mut() else { return };
        match input.conditions.pop() {
            Some(_) => {
                if let (true, Guard::Inside(symbol)) = (input.conditions.is_empty(), input.guard) {
                    input.guard = Guard::Closed(symbol);
                }
            }
            None => {
                let message = "`#endif` without `#if`";
                self.error(Diagnostic::new(&code::UNBALANCED_CONDITION, hash.span, message));
            }
        }
        self.finish_line("#endif");
    }

    /// Skips from the end of a directive's line to the group that is taken, or past the `#endif`.
    fn skip_groups(&mut self) {
        let mut depth = 0usize;
        loop {
            let Some(input) = self.inputs.last_mut() else { return };
            let closed = lex::skip_blank(input.text.as_bytes(), &mut input.cursor);
            let Some(&byte) = input.text.as_bytes().get(input.cursor.pos) else { return };
            if !closed {
                return;
            }
            if byte != b'#' || !input.cursor.line_start {
                if !lex::skip_line(&input.text, &mut input.cursor) {
                    return;
                }
                continue;
            }
            let hash = lex::next(&input.text, &mut input.cursor, input.base, &mut self.names);
            let Some(name) = self.line_token() else { continue };
            let mut found = false;
            match (self.spelling(&name), depth) {
                ("if" | "ifdef" | "ifndef", _) => depth += 1,
                ("endif", 0) => return self.close_if(hash),
                ("endif", _) => depth -= 1,
                ("elif" | "elifdef" | "elifndef" | "else", 0) => {
                    found = self.take_group(hash, name)
                }
                _ => {}
            }
            if found {
                return;
            }
            if let Some(input) = self.inputs.last_mut() {
                // The rest of this line is ignored.
                if !input.cursor.line_start && !lex::skip_line(&input.text, &mut input.cursor) {
                    return;
                }
            }
        }
    }

    /// Reads an `#elif` or `#else` after groups that were not taken; returns whether its own group is.
    fn take_group(&mut self, hash: Token, name: Token) -> bool {
        let misplaced = self
            .inputs
            .last()
            .and_then(|it| it.conditions.last())
            .is_some_and(|it| it.otherwise.is_some());
        self.check_group(hash, name);
        let taken =
            self.inputs.last().and_then(|it| it.conditions.last()).is_some_and(|it| it.taken);
        if taken || misplaced {
            return false;
        }
        let word = self.spelling(&name).to_string();
        let holds = match word.as_str() {
            "else" => {
                self.finish_line("#else");
                true
            }
            "elif" => {
                let tokens = self.rest_of_line();
                self.condition(name.span, tokens)
            }
            _ => {
                let symbol = self.macro_name(name);
                symbol.is_some_and(|it| self.is_defined(it) == (word == "elifdef"))
            }
        };
        if let Some(condition) = self.inputs.last_mut().and_then(|it| it.conditions.last_mut()) {
            condition.taken = holds;
        }
        holds
    }

    /// Tracks whether the file consists of an include guard.
    fn note_guard(&mut self, word: &str) {
        let Some(input) = self.inputs.last_mut() else { return };
        match input.guard {
            Guard::Start if word != "ifndef" => input.guard = Guard::Not,
            Guard::Closed(_) => input.guard = Guard::Not,
            Guard::Start | Guard::Inside(_) | Guard::Not => {}
        }
    }

    // The others.

    fn undef(&mut self, name: Token) {
        let Some(symbol) = self.macro_name(name) else { return };
        if self.macro_of(symbol).is_some_and(|it| it.definition.is_none()) {
            let message =
                format!("`{}` is built in and cannot be undefined", self.names.text(symbol));
            return self.error(Diagnostic::new(&code::BAD_MACRO, name.span, message));
        }
        if self.macro_of(symbol).is_some() {
            self.set_macro(symbol, None);
        }
    }

    fn include(&mut self, directive: Token) {
        let Some((path, span, system)) = self.include_path(directive) else { return };
        if self.collecting > 0 {
            let message = "a file cannot be included in the arguments of a macro";
            return self.error(Diagnostic::new(&code::BAD_DIRECTIVE, span, message));
        }
        let Some(includer) = self.inputs.last().map(|it| it.name.clone()) else { return };
        if self.inputs.len() >= MOST_INCLUDE_DEPTH {
            return self.include_too_deep(span);
        }
        self.includes += 1;
        if self.includes > MOST_INCLUDES {
            return self.stop(span, &format!("more than {MOST_INCLUDES} files are included"));
        }
        let slashed = path.replace('\\', "/");
        let Some((name, text)) = self.includer.read(&slashed, &includer, system) else {
            let mut report = Diagnostic::new(
                &code::FILE_NOT_FOUND,
                span,
                format!("cannot find the file `{path}`"),
            );
            if path.is_empty() {
                report =
                    Diagnostic::new(&code::BAD_DIRECTIVE, span, "the name of the file is empty");
            }
            if system && path == "metal_stdlib" {
                let message = "this looks like Metal; wavelane reads HLSL";
                self.error(Diagnostic::new(&code::FILE_NOT_FOUND, span, message));
                return self.halt();
            }
            let NotFound { notes, helps } = match path.is_empty() {
                true => NotFound::default(),
                false => self.includer.not_found(&slashed, &includer, system),
            };
            report = notes.into_iter().fold(report, Diagnostic::note);
            report = helps.into_iter().fold(report, Diagnostic::help);
            if self.inputs.len() > 1 {
                report = report.note(format!("it is included from `{includer}`"));
            }
            return self.error(report);
        };
        let name: Arc<str> = name.into();
        let guarded = self.guards.get(&name).is_some_and(|symbol| self.macro_of(*symbol).is_some());
        let again = || (last_name(&name).to_owned(), text.clone());
        if guarded || self.once.contains(&name) || self.once_texts.contains(&again()) {
            return;
        }
        self.included_bytes += text.len();
        if self.included_bytes > MOST_INCLUDED_BYTES {
            return self.stop(
                span,
                &format!("the included files hold more than {MOST_INCLUDED_BYTES} bytes"),
            );
        }
        match self.sources.add_included(name, text, span) {
            Some(file) => {
                self.push_file(file);
                if let Some(input) = self.inputs.last_mut() {
                    input.included = span;
                }
            }
            None => self.stop(span, "the sources together are larger than 4 GiB"),
        }
    }

    /// The error at the bottom of an include cycle; nothing is read after it.
    fn include_too_deep(&mut self, span: Span) {
        let last = self.inputs.len() - 1;
        let name = self.inputs[last].name.clone();
        let earlier = self.inputs[..last].iter().rposition(|it| it.name == name);
        let report = match earlier {
            Some(earlier) => {
                let chain: Vec<String> = self.inputs[earlier..]
                    .iter()
                    .take(8)
                    .map(|it| format!("`{}`", it.name))
                    .collect();
                let message = format!("`{name}` includes itself endlessly");
                Diagnostic::new(&code::INCLUDE_CYCLE, span, message)
                    .also(self.inputs[(earlier + 1).min(last)].included, "the cycle starts here")
                    .note(format!("the cycle: {}", chain.join(" → ")))
                    .help("write `#pragma once` at the top of the file")
            }
            None => {
                let message =
                    format!("files include each other more than {MOST_INCLUDE_DEPTH} levels deep");
                Diagnostic::new(&code::TOO_LARGE, span, message)
            }
        };
        self.error(report);
        self.halt();
    }

    /// The path of an `#include`, its span, and whether it is in `< >`.
    fn include_path(&mut self, directive: Token) -> Option<(String, Span, bool)> {
        // The path is read as bare text: a backslash in it is a separator, not an escape.
        let input = self.inputs.last_mut()?;
        let mut cursor = input.cursor;
        lex::skip_blank(input.text.as_bytes(), &mut cursor);
        let rest = &input.text[cursor.pos..];
        let close = match rest.as_bytes().first() {
            Some(b'"') => Some('"'),
            Some(b'<') => Some('>'),
            _ => None,
        };
        if let (Some(close), false) = (close, cursor.line_start) {
            let line = rest.lines().next().unwrap_or("");
            let start = input.base + cursor.pos as u32;
            let Some(len) = line[1..].find(close) else {
                let span = Span::new(start, start + line.trim_end().len() as u32);
                self.bad_directive(span, &format!("this path has no closing `{close}`"));
                return None;
            };
            let path = line[1..1 + len].trim().to_string();
            input.cursor.pos = cursor.pos + len + 2;
            let span = Span::new(start, start + len as u32 + 2);
            self.finish_line("#include");
            return Some((path, span, close == '>'));
        }
        let tokens = self.rest_of_line();
        let span = match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => directive.span.end(),
        };
        let tokens = self.expand_alone(tokens);
        let found = match tokens.first() {
            Some(first) if first.kind == TokenKind::String && tokens.len() == 1 => {
                let spelling = self.spelling(first);
                Some((spelling[1..spelling.len() - 1].to_string(), span, false))
            }
            Some(first) if first.is(Punct::Less) && tokens[tokens.len() - 1].is(Punct::Greater) => {
                let mut path = String::new();
                for token in &tokens[1..tokens.len() - 1] {
                    path.push_str(self.spelling(token));
                }
                Some((path, span, true))
            }
            _ => None,
        };
        self.recycle(tokens);
        if found.is_none() {
            self.bad_directive(span, "expected `\"path\"` or `<path>` after `#include`");
        }
        found
    }

    /// `#line NUMBER "file"`
    fn line(&mut self, at: Span, tokens: Vec<Token>) {
        let tokens = self.expand_alone(tokens);
        let number = tokens.first().filter(|it| it.kind == TokenKind::Number);
        let number = number.and_then(|it| self.names.text(it.symbol).parse::<u32>().ok());
        let name = tokens.get(1).map(|it| match it.kind {
            TokenKind::String => Some(Arc::from(lex::unquote(self.names.text(it.symbol)))),
            _ => None,
        });
        match (number, name) {
            (Some(number), None) => self.sources.set_line(at, number, None),
            (Some(number), Some(Some(name))) => self.sources.set_line(at, number, Some(name)),
            _ => {
                let span = tokens.first().map_or(at.end(), |it| it.span);
                self.bad_directive(
                    span,
                    "expected a line number after `#line`, optionally followed by a file in quotes",
                );
            }
        }
        self.recycle(tokens);
    }

    fn message(&mut self, name: Token, is_error: bool) {
        let text = self.raw_rest(name.span);
        let text = text.trim_matches('"');
        let code = if is_error { &code::ERROR_DIRECTIVE } else { &code::WARNING_DIRECTIVE };
        let text =
            if text.is_empty() { if is_error { "#error" } else { "#warning" } } else { text };
        self.error(Diagnostic::new(code, name.span, text));
    }

    fn pragma(&mut self, directive: Token) {
        let tokens = self.rest_of_line();
        self.obey_pragma(directive, &tokens);
        self.recycle(tokens);
    }

    /// `_Pragma("words")`, which a macro may produce.
    pub(super) fn pragma_operator(&mut self, operator: Token) {
        // In the arguments of a macro, it must not leave the file.
        self.collecting += 1;
        let found = [self.next_raw(), self.next_raw(), self.next_raw()];
        self.collecting -= 1;
        let text = match &found {
            [_, text, close] if text.kind == TokenKind::String && close.is(Punct::RParen) => {
                lex::unquote(self.names.text(text.symbol))
            }
            _ => {
                let message =
                    "expected a string in parentheses after `_Pragma`: `_Pragma(\"once\")`";
                return self.error(Diagnostic::new(&code::BAD_DIRECTIVE, operator.span, message));
            }
        };
        let mut cursor = Cursor::start(&text);
        let mut tokens = self.fresh();
        loop {
            let token = lex::next(&text, &mut cursor, 0, &mut self.names);
            if matches!(token.kind, TokenKind::Eof | TokenKind::UnclosedComment) {
                break;
            }
            // The words occur only in the string.
            tokens.push(Token { span: found[1].span, ..token });
        }
        self.obey_pragma(operator, &tokens);
        self.recycle(tokens);
    }

    /// `#pragma warning(disable: CODE CODE; error: CODE)`, `push` and `pop`. The numbers that other compilers use as
    /// codes name none of our warnings, and are ignored.
    fn pragma_warning(&mut self, rest: &[Token]) {
        let [open, inside @ .., close] = rest else { return };
        if !open.is(Punct::LParen) || !close.is(Punct::RParen) {
            return;
        }
        for part in inside.split(|it| it.is(Punct::Semi)) {
            let Some((action, words)) = part.split_first() else { continue };
            let level = match self.spelling(action) {
                "push" => {
                    if self.saved_levels.len() < MOST_SAVED_LEVELS {
                        self.saved_levels.push(self.levels.clone());
                    }
                    continue;
                }
                "pop" => {
                    self.levels = self.saved_levels.pop().unwrap_or_default();
                    continue;
                }
                "disable" | "suppress" => Some(Level::Allow),
                "error" => Some(Level::Error),
                "default" | "once" | "enable" => None,
                _ => continue,
            };
            let mut text = String::new();
            for word in words.iter().skip(1) {
                if word.flags.has(Flags::SPACE) {
                    text.push(' ');
                }
                text.push_str(self.spelling(word).trim_matches('"'));
            }
            for code in codes(&text) {
                self.levels.retain(|(it, _)| *it != code);
                self.levels.extend(level.map(|it| (code, it)));
            }
        }
    }

    fn obey_pragma(&mut self, directive: Token, tokens: &[Token]) {
        let Some((name, rest)) = tokens.split_first() else { return };
        let word = self.spelling(name).to_string();
        match word.as_str() {
            "once" => {
                if let Some(input) = self.inputs.last() {
                    self.once.insert(input.name.clone());
                    self.once_texts.insert((last_name(&input.name).to_owned(), input.text.clone()));
                }
                if let Some(extra) = rest.first() {
                    self.extra_tokens(extra.span, "#pragma once");
                }
            }
            "pack_matrix" => {
                let order = match rest {
                    [open, word, close] if open.is(Punct::LParen) && close.is(Punct::RParen) => {
                        Some(self.spelling(word))
                    }
                    _ => None,
                };
                match order {
                    Some("row_major") => self.row_major = true,
                    Some("column_major") => self.row_major = false,
                    _ => {
                        let message = "expected `(row_major)` or `(column_major)` after `#pragma pack_matrix`";
                        let span = rest.first().map_or(name.span.end(), |it| it.span);
                        self.error(Diagnostic::new(&code::BAD_DIRECTIVE, span, message));
                    }
                }
            }
            "warning" => {
                self.pragma_warning(rest);
                // Applies from the next token on.
                if let Some(input) = self.inputs.last() {
                    self.sink.set_levels(input.base + input.cursor.pos as u32, &self.levels);
                }
            }
            "message" => {
                let texts = rest.iter().filter(|it| it.kind == TokenKind::String);
                let said: String = texts.map(|it| lex::unquote(self.spelling(it))).collect();
                if !said.is_empty() {
                    let span = directive.span.to(name.span);
                    let report = Diagnostic::new(&code::WARNING_DIRECTIVE, span, said);
                    self.error(Diagnostic { level: Level::Note, ..report });
                }
            }
            _ if FOREIGN_PRAGMAS.contains(&word.as_str()) => {}
            _ => {
                if self.known_pragmas.insert(word.clone()) {
                    let message = format!("`#pragma {word}` has no meaning here");
                    let span = directive.span.to(name.span);
                    let mut report = Diagnostic::new(&code::UNKNOWN_PRAGMA, span, message)
                        .note("it is ignored, here and from now on");
                    let known = ["once", "pack_matrix"];
                    if let Some(similar) = known.iter().find(|it| is_similar(it, &word)) {
                        let help = format!("did you mean `#pragma {similar}`?");
                        report = report.fix(help, name.span, *similar);
                    }
                    self.error(report);
                }
            }
        }
    }
}

/// The codes of warnings that a list of tokens spells: `implicit-truncation` is three tokens.
fn codes(words: &str) -> impl Iterator<Item = &'static diag::Code> {
    words.split([' ', ',']).filter_map(diag::by_name).filter(|it| it.level == Level::Warning)
}

/// Whether two words differ by one letter added, missing or wrong, or by two neighbours swapped.
fn is_similar(known: &str, word: &str) -> bool {
    let (a, b) = (known.as_bytes(), word.as_bytes());
    let front = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[front..], &b[front..]);
    match (a, b) {
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        ([_, a @ ..], b) if a == b => true,
        (a, [_, b @ ..]) if a == b => true,
        ([a0, a1, a @ ..], [b0, b1, b @ ..]) => a0 == b1 && a1 == b0 && a == b,
        _ => false,
    }
}
