//! Diagnostics for the page: as `diag` gives them to programs, with ranges that an editor can use.

use std::sync::Arc;

use diag::{Diagnostic, FileId, SourceMap, Span};
use serde_json::{Value, json};

/// The text that is edited, and where its bytes are for JavaScript.
pub(crate) struct Places {
    sources: Arc<SourceMap>,
    main: FileId,
}

impl Places {
    pub(crate) fn new(sources: Arc<SourceMap>, main: FileId) -> Places {
        Places { sources, main }
    }

    /// A diagnostic with a `range` beside each location in the edited text.
    pub(crate) fn diagnostic(&self, diagnostic: &Diagnostic) -> Value {
        let mut value = diag::to_json(diagnostic, &self.sources);
        value["range"] = self.range(diagnostic.primary.span);
        for (related, label) in list(&mut value["related"]).zip(&diagnostic.secondary) {
            related["range"] = self.range(label.span);
        }
        for (stack, of) in list(&mut value["stacks"]).zip(&diagnostic.stacks) {
            for (frame, of) in list(&mut stack["frames"]).zip(&of.frames) {
                frame["range"] = self.range(of.span);
            }
        }
        for (help, of) in list(&mut value["helps"]).zip(&diagnostic.helps) {
            if let Some(fix) = &of.fix {
                help["fix"]["range"] = self.range(fix.span);
            }
        }
        value
    }

    /// `[from, to]` in UTF-16 units, as JavaScript counts; null for what is not in the edited text.
    pub(crate) fn range(&self, span: Span) -> Value {
        match self.bytes(span) {
            Some((from, to)) => json!([self.units(from), self.units(to)]),
            None => Value::Null,
        }
    }

    /// The bytes of a span in the edited text; of what a macro gives, those of its use.
    pub(crate) fn bytes(&self, span: Span) -> Option<(usize, usize)> {
        if span.is_none() {
            return None;
        }
        let span = self.sources.written(span);
        let is_here = self.sources.file_of(span) == Some(self.main);
        let file = is_here.then(|| self.sources.file(self.main))?;
        let length = file.text.len();
        let within = |it: u32| (it.saturating_sub(file.start) as usize).min(length);
        Some((within(span.lo), within(span.hi)))
    }

    /// The line, counted from 1; `None` outside of the edited text.
    pub(crate) fn line(&self, span: Span) -> Option<u32> {
        let (from, _) = self.bytes(span)?;
        let before = self.text().as_bytes().get(..from)?;
        Some(before.iter().filter(|it| **it == b'\n').count() as u32 + 1)
    }

    pub(crate) fn sources(&self) -> &SourceMap {
        &self.sources
    }

    pub(crate) fn text(&self) -> &str {
        &self.sources.file(self.main).text
    }

    fn units(&self, bytes: usize) -> usize {
        utf16(self.text(), bytes)
    }
}

/// The number of UTF-16 units before a byte.
pub(crate) fn utf16(text: &str, bytes: usize) -> usize {
    match text.get(..bytes) {
        Some(before) => before.encode_utf16().count(),
        None => text.encode_utf16().count(),
    }
}

fn list(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    value.as_array_mut().into_iter().flatten()
}
