//! The work budget of one compilation.
//!
//! A short text can cause much work: a call tries every overload, an instance checks its body again, a struct copies
//! the fields that it inherits, a default argument is checked at every call. None of these is long by itself, but
//! limits on each of them would multiply. So every step whose cost is not proportional to the text spends from one
//! budget; when it is exhausted, the compilation ends with one report at the current location.

use diag::{Diagnostic, Span, code};

use super::Checker;

/// The checker's budget in steps. A step takes at most some tens of nanoseconds, or about a hundred bytes of memory; a
/// megabyte of source without any of the above takes a tenth of this.
pub(super) const MOST_STEPS: u64 = 1 << 26;

/// Costs in steps.
pub(super) mod cost {
    /// Checking and storing an expression.
    pub(in super::super) const EXPR: u64 = 16;
    /// Trying a function for a call, and each of its arguments.
    pub(in super::super) const CANDIDATE: u64 = 4;
    /// The same for a template, whose arguments are deduced first.
    pub(in super::super) const TEMPLATE: u64 = 128;
    /// Copying or creating a field.
    pub(in super::super) const FIELD: u64 = 32;
    /// A resource, which is searched for among all others.
    pub(in super::super) const RESOURCE: u64 = 1024;
    /// A stored scalar of a constant.
    pub(in super::super) const SCALAR: u64 = 4;
}

#[derive(Debug, Default)]
pub(super) struct Work {
    steps: u64,
    is_over: bool,
}

impl Checker<'_> {
    /// Spends some steps; `false` after a report if none are left.
    pub(super) fn spend(&mut self, steps: u64, span: Span) -> bool {
        let work = &mut self.work;
        work.steps = work.steps.saturating_add(steps);
        if work.steps <= MOST_STEPS {
            return true;
        }
        if !std::mem::replace(&mut work.is_over, true) {
            let message =
                "the program takes too long to check: the work grows faster than the text";
            let report = Diagnostic::new(&code::PROGRAM_TOO_LARGE, span, message)
                .note(format!("{MOST_STEPS} steps were used up to here, on trying overloads, instantiating templates and copying inherited fields"))
                .help("use fewer overloads, template instances, inherited fields or default arguments that call functions");
            // Fatal, so it is reported even while a template is only being tried.
            let muted = std::mem::take(&mut self.muted);
            self.report(report);
            self.muted = muted;
        }
        false
    }

    /// Whether the budget is exhausted.
    pub(super) fn is_spent(&self) -> bool {
        self.work.is_over
    }
}
