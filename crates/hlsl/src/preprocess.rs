//! The preprocessor: text to tokens, with macros expanded and conditions evaluated.
//!
//! [`Preprocessor::next_raw`] takes tokens from the macro expansions in progress, then from the current file, where it
//! executes directives as it meets them; [`Preprocessor::next`] expands macros on top of that. Mistakes are reported
//! and skipped. Three budgets (see the constants) end runaway input with one error.
//!
//! It parses nothing; in particular it does not know keywords, which can be macro names like any other word.

mod condition;
mod directive;
mod macros;
mod print;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use diag::{Diagnostic, FileId, Levels, Sink, SourceMap, Span, code};

use crate::lex::{self, Cursor};
use crate::options::{MatrixOrder, Options, STAGE_MACROS, ShaderModel};
use crate::token::{Flags, Names, Symbol, Token, TokenKind, Tokens};

use macros::Macro;
pub use print::print;

/// Finds the files that `#include` names.
pub trait Includer {
    /// The resolved name and the text of `path`, as requested by the file named `includer`;
    /// `system` for `<path>`. The same file must get the same resolved name each time.
    /// Backslashes in the source arrive as `/`.
    fn read(&mut self, path: &str, includer: &str, system: bool) -> Option<(String, Arc<str>)>;

    /// What helps the user after [`Includer::read`] found nothing, with the same arguments.
    fn not_found(&mut self, _path: &str, _includer: &str, _system: bool) -> NotFound {
        NotFound::default()
    }
}

/// What an [`Includer`] adds to the report about a file that it did not find.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotFound {
    /// What to know, such as the folders that were searched.
    pub notes: Vec<String>,
    /// What to do, such as the correct spelling.
    pub helps: Vec<String>,
}

/// The maximum depth of includes.
const MOST_INCLUDE_DEPTH: usize = 200;
/// The maximum number of included files, and of their bytes, in one compilation.
const MOST_INCLUDES: usize = 1 << 14;
const MOST_INCLUDED_BYTES: usize = 1 << 26;
/// The version of DXC whose language this is: headers test it before they use new features.
const DXC_MAJOR: u32 = 1;
const DXC_MINOR: u32 = 9;
/// The maximum number of tokens that macros make, and of macro uses.
const MOST_EXPANDED_TOKENS: usize = 1 << 22;
const MOST_EXPANSIONS: usize = 1 << 20;
/// The typical length of a token with the space after it, for reserving a file's tokens at once.
const BYTES_PER_TOKEN: usize = 3;
/// The maximum nesting of macro calls in the arguments of macro calls.
const MOST_CALL_DEPTH: usize = 256;

/// Preprocesses a file that is already in the map.
///
/// Continues after errors; errors from parsing the result may follow from the first one.
pub fn preprocess(
    file: FileId,
    sources: &mut SourceMap,
    includer: &mut dyn Includer,
    options: &Options,
    sink: &mut Sink,
) -> Tokens {
    let expected = sources.file(file).text.len() / BYTES_PER_TOKEN;
    let mut names = Names::new();
    let words = Words::new(&mut names);
    let mut preprocessor = Preprocessor {
        sources,
        includer,
        sink,
        names,
        words,
        macros: Vec::new(),
        inputs: Vec::new(),
        contexts: Vec::new(),
        pool: Vec::new(),
        counter: 0,
        row_major: options.matrix_order == MatrixOrder::RowMajor,
        levels: Levels::new(),
        saved_levels: Vec::new(),
        once: HashSet::new(),
        once_texts: HashSet::new(),
        guards: HashMap::new(),
        known_pragmas: HashSet::new(),
        includes: 0,
        included_bytes: 0,
        expansions: 0,
        expanded_tokens: 0,
        call_depth: 0,
        collecting: 0,
        stopped: false,
    };
    preprocessor.define_builtins();
    preprocessor.push_file(file);
    // The top of the stack is read first: the predefined macros, then the command line, then the file.
    preprocessor.push_text("<command line>", command_line(options));
    preprocessor.push_text("<predefined>", predefined(options));
    let list = preprocessor.run(expected);
    Tokens { list, names: preprocessor.names }
}

/// Spellings that the preprocessor compares with.
struct Words {
    defined: Symbol,
    has_include: Symbol,
    pragma: Symbol,
    va_args: Symbol,
    va_opt: Symbol,
    true_: Symbol,
    false_: Symbol,
}

impl Words {
    fn new(names: &mut Names) -> Words {
        Words {
            defined: names.intern("defined"),
            has_include: names.intern("__has_include"),
            pragma: names.intern("_Pragma"),
            va_args: names.intern("__VA_ARGS__"),
            va_opt: names.intern("__VA_OPT__"),
            true_: names.intern("true"),
            false_: names.intern("false"),
        }
    }
}

struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    includer: &'a mut dyn Includer,
    sink: &'a mut Sink,
    names: Names,
    words: Words,
    /// By symbol.
    macros: Vec<Option<Rc<Macro>>>,
    /// The files in progress, the innermost last.
    inputs: Vec<Input>,
    /// The expansions in progress, the innermost last.
    contexts: Vec<Context>,
    /// Vectors for reuse.
    pool: Vec<Vec<Token>>,
    /// The next value of `__COUNTER__`.
    counter: u32,
    /// The matrix order of the last `#pragma pack_matrix`.
    row_major: bool,
    /// The levels that `#pragma warning` set, and those that `#pragma warning(push)` saved.
    levels: Levels,
    saved_levels: Vec<Levels>,
    /// Files with `#pragma once`.
    once: HashSet<Arc<str>>,
    /// Their file names and texts: one file can be reached by several paths.
    once_texts: HashSet<(String, Arc<str>)>,
    /// Files that consist of `#ifndef NAME … #endif`.
    guards: HashMap<Arc<str>, Symbol>,
    /// Unknown pragmas that have been warned about.
    known_pragmas: HashSet<String>,
    includes: usize,
    included_bytes: usize,
    expansions: usize,
    expanded_tokens: usize,
    /// How deeply expansions of arguments nest.
    call_depth: usize,
    /// How many macro calls are collecting their arguments: they may not leave the file.
    collecting: usize,
    /// A budget is exhausted: no more input.
    stopped: bool,
}

/// A file in progress.
struct Input {
    name: Arc<str>,
    text: Arc<str>,
    base: u32,
    cursor: Cursor,
    /// The enclosing `#if`s.
    conditions: Vec<Condition>,
    guard: Guard,
    /// Where it was included.
    included: Span,
}

/// One `#if` … `#endif`.
struct Condition {
    span: Span,
    /// One of its groups was taken, so the others are not.
    taken: bool,
    /// The location of its `#else`.
    otherwise: Option<Span>,
}

/// Include-guard detection: whether the file consists of an include guard, as far as it has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// Nothing read yet.
    Start,
    /// It started with `#ifndef` of this name, which is still open.
    Inside(Symbol),
    /// That `#ifndef` was closed, and nothing has followed so far.
    Closed(Symbol),
    Not,
}

/// Tokens to read before the file continues.
struct Context {
    tokens: Vec<Token>,
    pos: usize,
    /// The macro being expanded, which must not expand inside itself.
    expanded: Option<Rc<Macro>>,
    /// Reading stops at its end until it is popped.
    barrier: bool,
}

impl Preprocessor<'_> {
    fn run(&mut self, expected: usize) -> Vec<Token> {
        let mut out = Vec::with_capacity(expected);
        loop {
            let mut token = self.next();
            if self.row_major {
                token.flags = token.flags.with(Flags::ROW_MAJOR);
            }
            match token.kind {
                TokenKind::UnclosedString | TokenKind::UnclosedChar => {
                    let (kind, what, quote) = match token.kind {
                        TokenKind::UnclosedString => (TokenKind::String, "string", '"'),
                        _ => (TokenKind::Char, "character", '\''),
                    };
                    token.kind = kind;
                    self.error(
                        Diagnostic::new(
                            &code::UNCLOSED,
                            token.span,
                            format!("this {what} has no closing `{quote}`"),
                        )
                        .label("the line ends before it does"),
                    );
                }
                TokenKind::Eof => {
                    out.push(token);
                    return out;
                }
                TokenKind::Ident
                | TokenKind::Number
                | TokenKind::Char
                | TokenKind::String
                | TokenKind::Punct(_)
                | TokenKind::Stray
                | TokenKind::UnclosedComment => {}
            }
            out.push(token);
        }
    }

    /// The next token with macros expanded.
    fn next(&mut self) -> Token {
        loop {
            let token = self.next_raw();
            if token.kind != TokenKind::Ident || token.flags.has(Flags::PAINTED) {
                return token;
            }
            if token.symbol == self.words.pragma && self.paren_follows() {
                self.pragma_operator(token);
                continue;
            }
            match self.expand(token) {
                Some(token) => return token,
                None => continue,
            }
        }
    }

    /// The next token without expansion, from expansions in progress or from the file.
    fn next_raw(&mut self) -> Token {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(token) = context.tokens.get(context.pos) {
                context.pos += 1;
                return *token;
            }
            if context.barrier {
                return end_of_tokens(Span::NONE);
            }
            self.pop_context();
        }
        self.next_in_file()
    }

    /// The next token of the current file that is not part of a directive.
    fn next_in_file(&mut self) -> Token {
        loop {
            let Some(input) = self.inputs.last_mut() else { return end_of_tokens(Span::NONE) };
            let here = Span::new(input.base, input.base);
            if self.stopped || !self.sink.goes_on(here) || self.sink.is_full() {
                self.stopped = true;
                return end_of_tokens(Span::new(input.base, input.base));
            }
            let token = lex::next(&input.text, &mut input.cursor, input.base, &mut self.names);
            match token.kind {
                TokenKind::Punct(crate::token::Punct::Hash)
                    if token.flags.has(Flags::LINE_START) =>
                {
                    self.directive(token);
                }
                TokenKind::Eof | TokenKind::UnclosedComment => {
                    if token.kind == TokenKind::UnclosedComment {
                        let start = Span { hi: token.span.lo + 2, ..token.span };
                        let message = "this comment is never closed";
                        self.error(
                            Diagnostic::new(&code::UNCLOSED, start, message)
                                .help("close it with `*/`"),
                        );
                    }
                    if self.collecting > 0 {
                        return end_of_tokens(token.span.end());
                    }
                    if let Some(end) = self.end_of_file(token.span.end()) {
                        return end;
                    }
                }
                TokenKind::Ident
                | TokenKind::Number
                | TokenKind::Char
                | TokenKind::String
                | TokenKind::Punct(_)
                | TokenKind::Stray
                | TokenKind::UnclosedString
                | TokenKind::UnclosedChar => {
                    if input.guard == Guard::Start || matches!(input.guard, Guard::Closed(_)) {
                        input.guard = Guard::Not;
                    }
                    return token;
                }
            }
        }
    }

    /// Leaves the current file; the final token where it was the last.
    fn end_of_file(&mut self, at: Span) -> Option<Token> {
        let input = self.inputs.pop()?;
        if let Guard::Closed(symbol) = input.guard {
            self.guards.insert(input.name.clone(), symbol);
        }
        for condition in input.conditions {
            let message = "this condition has no `#endif`";
            self.error(Diagnostic::new(&code::UNBALANCED_CONDITION, condition.span, message));
        }
        let Some(input) = self.inputs.last() else { return Some(end_of_tokens(at)) };
        // Warning levels set in the included file hold for the rest of this one.
        self.sink.set_levels(input.base + input.cursor.pos as u32, &self.levels);
        None
    }

    fn push_context(&mut self, tokens: Vec<Token>, expanded: Option<Rc<Macro>>, barrier: bool) {
        if let Some(expanded) = &expanded {
            expanded.active.set(true);
        }
        self.contexts.push(Context { tokens, pos: 0, expanded, barrier });
    }

    fn pop_context(&mut self) {
        let Some(context) = self.contexts.pop() else { return };
        if let Some(expanded) = &context.expanded {
            expanded.active.set(false);
        }
        self.recycle(context.tokens);
    }

    fn fresh(&mut self) -> Vec<Token> {
        self.pool.pop().unwrap_or_default()
    }

    fn recycle(&mut self, mut tokens: Vec<Token>) {
        if self.pool.len() < 64 && tokens.capacity() < 4096 {
            tokens.clear();
            self.pool.push(tokens);
        }
    }

    /// The full expansion of some tokens, independent of the tokens around them.
    fn expand_alone(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        self.push_context(tokens, None, true);
        let mut out = self.fresh();
        loop {
            let token = self.next();
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

    fn push_file(&mut self, file: FileId) {
        let source = self.sources.file(file);
        self.inputs.push(Input {
            name: source.name.clone(),
            text: source.text.clone(),
            base: source.start,
            cursor: Cursor::start(&source.text),
            conditions: Vec::new(),
            guard: Guard::Start,
            included: Span::NONE,
        });
        self.sink.set_levels(source.start, &self.levels);
    }

    fn push_text(&mut self, name: &str, text: String) {
        if text.is_empty() {
            return;
        }
        match self.sources.add(name, text) {
            Some(file) => self.push_file(file),
            None => self.stop(Span::NONE, "the sources together are larger than 4 GiB"),
        }
    }

    /// Ends the input because it has exceeded a budget.
    fn stop(&mut self, at: Span, message: &str) {
        if !self.stopped {
            self.error(Diagnostic::new(&code::TOO_LARGE, at, message));
        }
        self.halt();
    }

    /// No more input, from anywhere.
    fn halt(&mut self) {
        self.stopped = true;
        while !self.contexts.is_empty() {
            self.pop_context();
        }
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.sink.push(diagnostic);
    }

    /// The spelling of a token.
    fn spelling(&self, token: &Token) -> &str {
        self.names.spelling(token)
    }

    fn macro_of(&self, symbol: Symbol) -> Option<&Rc<Macro>> {
        self.macros.get(symbol.0 as usize)?.as_ref()
    }

    /// The value of `defined` for a name.
    fn is_defined(&self, symbol: Symbol) -> bool {
        symbol == self.words.has_include || self.macro_of(symbol).is_some()
    }
}

/// The name of a file without its directories.
fn last_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn end_of_tokens(span: Span) -> Token {
    Token { kind: TokenKind::Eof, flags: Flags::LINE_START, symbol: Names::EMPTY, span }
}

/// The macros of `-D` as directives.
fn command_line(options: &Options) -> String {
    let mut text = String::new();
    for (name, value) in &options.defines {
        let value = value.as_deref().unwrap_or("1");
        // One macro, one line: a newline inside would start new directives.
        text += &format!("#define {name} {value}").replace(['\n', '\r'], " ");
        text.push('\n');
    }
    text
}

/// The predefined macros. None depends on the host: the date is the one that C prescribes if the date is not
/// available.
fn predefined(options: &Options) -> String {
    let ShaderModel { major, minor } = options.shader_model;
    let mut text = format!(
        "#define __hlsl_dx_compiler 1\n\
         #define __wavelane__ 1\n\
         #define __DXC_VERSION_MAJOR {DXC_MAJOR}\n\
         #define __DXC_VERSION_MINOR {DXC_MINOR}\n\
         #define __DXC_VERSION_RELEASE 0\n\
         #define __DXC_VERSION_COMMITS 0\n\
         #define __DATE__ \"??? ?? ????\"\n\
         #define __TIME__ \"??:??:??\"\n\
         #define __HLSL_VERSION {}\n\
         #define __SHADER_TARGET_MAJOR {major}\n\
         #define __SHADER_TARGET_MINOR {minor}\n",
        options.hlsl_version.number(),
    );
    for (stage, word, number) in STAGE_MACROS {
        text += &format!("#define __SHADER_STAGE_{word} {number}\n");
        if stage == options.stage {
            text += &format!("#define __SHADER_TARGET_STAGE {number}\n");
        }
    }
    if options.enable_16bit {
        text += "#define __HLSL_ENABLE_16_BIT 1\n";
    }
    if options.spirv {
        text += "#define __spirv__ 1\n";
    }
    text
}
