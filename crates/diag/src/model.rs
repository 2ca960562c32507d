//! The diagnostic model: what a report holds, before anyone renders it.

use crate::{Code, Span};

/// How much a report weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Not shown.
    Allow,
    Note,
    Warning,
    Error,
    /// The program may be right, but this implementation does not have what it needs.
    Unsupported,
}

impl Level {
    pub fn word(self) -> &'static str {
        match self {
            Level::Allow => "allowed",
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
            Level::Unsupported => "unsupported",
        }
    }
}

/// A place in the source with what is to be said about it; the text may be empty.
#[derive(Clone, Debug)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// A replacement that mends the program.
#[derive(Clone, Debug)]
pub struct Fix {
    pub span: Span,
    pub replacement: String,
}

/// What the user can do about it.
#[derive(Clone, Debug)]
pub struct Help {
    pub text: String,
    pub fix: Option<Fix>,
}

/// One report about the user's program.
///
/// Message style: lower case, no full stop, names in backticks; the fact first, then the remedy as help.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub code: &'static Code,
    pub level: Level,
    /// If only one thing can be shown, this.
    pub message: String,
    /// Where it is.
    pub primary: Label,
    /// The other parties: "declared here", "lane 3 left here".
    pub secondary: Vec<Label>,
    /// Facts without a place.
    pub notes: Vec<String>,
    pub helps: Vec<Help>,
}

impl Diagnostic {
    /// A report at the code's default level.
    pub fn new(code: &'static Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            level: code.level,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    /// Words under the carets of the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        if !span.is_none() {
            self.secondary.push(Label { span, text: text.into() });
        }
        self
    }

    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.helps.push(Help { text: text.into(), fix: None });
        self
    }

    pub fn fix(
        mut self,
        text: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Diagnostic {
        self.helps.push(Help {
            text: text.into(),
            fix: Some(Fix { span, replacement: replacement.into() }),
        });
        self
    }
}

/// Collects diagnostics: bounded, and each only once.
#[derive(Debug, Default)]
pub struct Sink {
    reported: Vec<Diagnostic>,
    errors: usize,
}

impl Sink {
    /// After so many errors, further ones help nobody.
    pub const MOST_ERRORS: usize = 100;

    pub fn new() -> Sink {
        Sink::default()
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        let known = self.reported.iter().any(|it| {
            std::ptr::eq(it.code, diagnostic.code)
                && it.primary.span == diagnostic.primary.span
                && it.message == diagnostic.message
        });
        if known || self.is_full() {
            return;
        }
        self.errors += usize::from(diagnostic.level >= Level::Error);
        self.reported.push(diagnostic);
    }

    /// How many errors there were.
    pub fn errors(&self) -> usize {
        self.errors
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether readers should stop early.
    pub fn is_full(&self) -> bool {
        self.errors >= Sink::MOST_ERRORS || self.reported.len() >= 10 * Sink::MOST_ERRORS
    }

    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.reported
    }

    /// All reports, in the order of the source.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.reported.sort_by_key(|it| it.primary.span.lo);
        self.reported
    }
}
