//! The diagnostic model: the contents of a report, before rendering.

use crate::{Allows, Cancel, Code, SourceMap, Span};

/// The severity of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Not shown.
    Allow,
    Note,
    Warning,
    Error,
    /// The program may be right, but this implementation lacks a feature that it needs.
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

/// A location in the source with its label, which may be empty.
#[derive(Clone, Debug)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// How execution came to a location: through the calls of functions, which an inliner may have removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// What the location is called in the report, such as `(1)`. Empty for the primary one.
    pub of: String,
    /// The innermost first.
    pub frames: Vec<Frame>,
}

/// A function in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub function: String,
    /// The location itself in the innermost function, in others that of the call.
    pub span: Span,
}

/// A replacement that fixes the program.
#[derive(Clone, Debug)]
pub struct Fix {
    pub span: Span,
    pub replacement: String,
    /// Where in the compiler it was made: a test requires that each such place is tested.
    pub made_at: &'static std::panic::Location<'static>,
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
    /// Related locations: "declared here", "lane 3 left here".
    pub secondary: Vec<Label>,
    /// The callers of functions with such locations.
    pub stacks: Vec<Stack>,
    /// Facts without a location.
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
            stacks: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    /// The label under the carets of the primary location.
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

    /// The functions around a location, the innermost first. One that no function calls is not shown.
    pub fn stack<'a>(
        mut self,
        of: &str,
        frames: impl IntoIterator<Item = (&'a str, Span)>,
    ) -> Diagnostic {
        let frames = frames.into_iter();
        let frame = |(function, span): (&str, Span)| Frame { function: function.to_owned(), span };
        let frames: Vec<Frame> = frames.map(frame).collect();
        if frames.len() > 1 {
            self.stacks.push(Stack { of: of.to_owned(), frames });
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

    #[track_caller]
    pub fn fix(
        mut self,
        text: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Diagnostic {
        self.helps.push(Help {
            text: text.into(),
            fix: Some(Fix {
                span,
                replacement: replacement.into(),
                made_at: std::panic::Location::caller(),
            }),
        });
        self
    }
}

/// Collects diagnostics: bounded, and each only once. It passes through all stages, so it also tells them when to stop.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    reported: Vec<Diagnostic>,
    errors: usize,
    /// The levels that the source sets for warnings, each from a position on.
    levels: Vec<(u32, Levels)>,
    cancel: Cancel,
    /// How often a stage has checked whether to continue.
    steps: u32,
    /// Where the work was cancelled.
    stopped: Option<Span>,
}

/// The levels that the source sets for warnings: `#pragma warning`.
pub type Levels = Vec<(&'static Code, Level)>;

impl Sink {
    /// Beyond this many errors, further ones do not help.
    pub const MOST_ERRORS: usize = 100;
    /// Beyond this many warnings, further ones are dropped.
    const MOST_WARNINGS: usize = 10 * Sink::MOST_ERRORS;
    /// More than any reasonable source needs: a file is at most two.
    const MOST_LEVELS: usize = 1 << 16;

    pub fn new() -> Sink {
        Sink::default()
    }

    /// The number of steps between two reads of the flag: each takes a few microseconds at most.
    const STEPS: u32 = 256;

    /// Lets a flag end the work.
    pub fn cancelled_by(&mut self, cancel: &Cancel) {
        self.cancel = cancel.clone();
    }

    /// Counts a step of the work at that place; returns whether to continue. After `false` the sink is full, and counts
    /// as having errors, so that no result is built from incomplete data.
    pub fn goes_on(&mut self, span: Span) -> bool {
        self.steps += 1;
        if self.steps >= Sink::STEPS {
            self.asks(span);
        }
        self.stopped.is_none()
    }

    /// The same before a long step: the flag is looked at in any case.
    pub fn asks(&mut self, span: Span) -> bool {
        self.steps = 0;
        if self.stopped.is_none() && self.cancel.is_set() {
            self.stopped = Some(span);
        }
        self.stopped.is_none()
    }

    /// How far the work had come when it was cancelled.
    pub fn stopped(&self) -> Option<Span> {
        self.stopped
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        // Excess warnings are dropped, and hide no error.
        let is_error = diagnostic.level >= Level::Error;
        if self.is_full() || !is_error && self.reported.len() >= Sink::MOST_WARNINGS {
            return;
        }
        let known = self.reported.iter().any(|it| {
            std::ptr::eq(it.code, diagnostic.code)
                && it.primary.span == diagnostic.primary.span
                && it.message == diagnostic.message
        });
        if known {
            return;
        }
        self.errors += usize::from(is_error);
        self.reported.push(diagnostic);
    }

    /// From a position of the sources to the next one that has levels, warnings have these levels.
    pub fn set_levels(&mut self, from: u32, levels: &Levels) {
        if self.levels.len() < Sink::MOST_LEVELS {
            self.levels.push((from, levels.clone()));
        }
    }

    /// Gives all warnings so far the levels that the source sets at their positions.
    pub fn apply_levels(&mut self, sources: &SourceMap) {
        let mut levels = std::mem::take(&mut self.levels);
        if levels.iter().all(|(_, it)| it.is_empty()) {
            return;
        }
        // Of several at one position the last one counts: the sort is stable.
        levels.sort_by_key(|(from, _)| *from);
        for it in self.reported.iter_mut().filter(|it| it.level <= Level::Warning) {
            let at = sources.written(it.primary.span).lo;
            let before = levels[..levels.partition_point(|(from, _)| *from <= at)].last();
            let said = before.and_then(|(_, said)| said.iter().find(|(code, _)| *code == it.code));
            if let Some((_, level)) = said {
                it.level = *level;
                self.errors += usize::from(*level >= Level::Error);
            }
        }
        self.reported.retain(|it| it.level > Level::Allow);
    }

    /// Drops the warnings that comments in the source allow.
    pub fn apply_allows(&mut self, allows: &mut Allows, sources: &SourceMap) {
        self.reported.retain(|it| {
            it.level > Level::Warning || allows.find(it.code, it.primary.span, sources).is_none()
        });
    }

    /// Removes all but the first reports, and returns those removed.
    pub fn split_off(&mut self, first: usize) -> Vec<Diagnostic> {
        let rest = self.reported.split_off(first.min(self.reported.len()));
        self.errors -= rest.iter().filter(|it| it.level >= Level::Error).count();
        rest
    }

    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.errors
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0 || self.stopped.is_some()
    }

    /// Whether readers should stop early.
    pub fn is_full(&self) -> bool {
        self.errors >= Sink::MOST_ERRORS || self.stopped.is_some()
    }

    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.reported
    }

    /// All reports, in source order.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.reported.sort_by_key(|it| it.primary.span.lo);
        self.reported
    }
}
