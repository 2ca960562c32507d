//! Diagnostics as lines of the form `file(line,col): error CODE: message`, which Visual Studio and MSBuild make
//! clickable.

use std::fmt::Write;

use crate::render::told_stack;
use crate::{Diagnostic, Level, SourceMap, Span};

/// A diagnostic, its related places and its remedies, each on a separate line.
pub fn to_msvc(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let level = match diagnostic.level {
        // The format has no third level.
        Level::Error | Level::Unsupported => "error",
        Level::Warning => "warning",
        Level::Note | Level::Allow => "note",
    };
    let place = |span: Span| {
        sources
            .location(span)
            .map_or_else(String::new, |at| format!("{}({},{}): ", at.file, at.line, at.column))
    };
    let here = place(diagnostic.primary.span);
    let code = diagnostic.code.name;
    let mut text = format!("{here}{level} {code}: {}\n", diagnostic.message);
    for label in diagnostic.secondary.iter().filter(|it| !it.text.is_empty()) {
        let _ = writeln!(text, "{}note: {}", place(label.span), label.text);
    }
    for stack in &diagnostic.stacks {
        let told = told_stack(stack, diagnostic.primary.span, sources);
        let _ = writeln!(text, "{here}note: {told}");
    }
    let notes = diagnostic.notes.iter();
    for note in notes.chain(diagnostic.helps.iter().map(|it| &it.text)) {
        let _ = writeln!(text, "{here}note: {}", note.replace('\n', " "));
    }
    text
}
