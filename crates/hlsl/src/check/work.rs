//! How much work one compilation may take.
//!
//! A short text can ask for much: a call tries every overload, an instance checks its body again, a struct copies the fields
//! that it inherits, a default argument is read at every call. No such thing is long by itself, and limits on each of them
//! multiply. So everything whose cost is not in proportion to the text spends from one budget; when that is used up the
//! compilation ends with one report, at the place it had come to.

use diag::{Diagnostic, Span, code};

use super::Checker;

/// How many steps the checker may take. A step is at most some tens of nanoseconds, or about a hundred bytes of memory; a
/// megabyte of source without any of the above takes a tenth of this.
pub(super) const MOST_STEPS: u64 = 1 << 26;

/// What things cost, in steps.
pub(super) mod cost {
    /// An expression: it is checked, and kept.
    pub(in super::super) const EXPR: u64 = 16;
    /// A function that is tried for a call, and each of its arguments.
    pub(in super::super) const CANDIDATE: u64 = 4;
    /// The same for a template, whose arguments are found first.
    pub(in super::super) const TEMPLATE: u64 = 128;
    /// A field that is copied or made.
    pub(in super::super) const FIELD: u64 = 32;
    /// A resource, which is looked for among all others.
    pub(in super::super) const RESOURCE: u64 = 1024;
    /// A scalar of a constant that is kept.
    pub(in super::super) const SCALAR: u64 = 4;
}

#[derive(Debug, Default)]
pub(super) struct Work {
    steps: u64,
    is_over: bool,
}

impl Checker<'_> {
    /// Spends some steps. `false` if there are none left, which has been reported then.
    pub(super) fn spend(&mut self, steps: u64, span: Span) -> bool {
        let work = &mut self.work;
        work.steps = work.steps.saturating_add(steps);
        if work.steps <= MOST_STEPS {
            return true;
        }
        if !std::mem::replace(&mut work.is_over, true) {
            let message =
                "checking the program takes too long: the work grows faster than the text";
            let report = Diagnostic::new(&code::PROGRAM_TOO_LARGE, span, message)
                .note(format!("this is where {MOST_STEPS} steps were used up: of overloads that are tried, bodies of templates that are checked again, inherited fields that are copied"))
                .help("fewer overloads, instances of templates, inherited fields or default arguments that call functions take less");
            // Said aloud even where a template is only tried.
            let muted = std::mem::take(&mut self.muted);
            self.report(report);
            self.muted = muted;
        }
        false
    }

    /// Whether nothing more is to be checked.
    pub(super) fn is_spent(&self) -> bool {
        self.work.is_over
    }
}
