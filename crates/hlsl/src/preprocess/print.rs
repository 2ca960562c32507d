//! Preprocessed tokens as text that compiles to the same program, for `-P`.
//!
//! Tokens stay on their lines, with `#line` where a line cannot be reached by a few empty ones. Deliberately absent:
//! comments, and with them the comments that allow warnings; pragmas, except for the matrix order, which tokens carry.

use std::fmt::Write;
use std::sync::Arc;

use diag::SourceMap;

use crate::token::{Flags, TokenKind, Tokens};

/// Up to this many empty lines replace a `#line`.
const MOST_EMPTY_LINES: u32 = 8;

/// The text of the tokens; `row_major` is the matrix order that the command line sets.
pub fn print(tokens: &Tokens, sources: &SourceMap, row_major: bool) -> String {
    let mut text = String::new();
    let mut place: Option<(Arc<str>, u32)> = None;
    let mut row_major = row_major;
    let mut from_macro = false;
    for token in tokens.list.iter().filter(|it| it.kind != TokenKind::Eof) {
        if token.flags.has(Flags::ROW_MAJOR) != row_major {
            row_major = !row_major;
            let order = if row_major { "row_major" } else { "column_major" };
            let _ = write!(text, "\n#pragma pack_matrix({order})");
            place = None;
        }
        let is_moved = go_to(&mut text, &mut place, token.span, sources);
        // Two tokens out of macros may be adjacent without being one: `-X` where X is `-1`.
        let is_expanded = !token.span.expansion.is_none();
        if !is_moved && (token.flags.has(Flags::SPACE) || is_expanded || from_macro) {
            text.push(' ');
        }
        from_macro = is_expanded;
        match token.kind {
            TokenKind::Punct(punct) => text.push_str(punct.text()),
            _ => text.push_str(tokens.names.text(token.symbol)),
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Starts a new line if the token is not on the current one; returns whether it did.
fn go_to(
    text: &mut String,
    place: &mut Option<(Arc<str>, u32)>,
    span: diag::Span,
    sources: &SourceMap,
) -> bool {
    let Some(at) = sources.location(sources.written(span)) else { return false };
    match place {
        Some((file, line)) if *file == at.file && *line == at.line => return false,
        Some((file, line))
            if *file == at.file
                && (1..=MOST_EMPTY_LINES).contains(&at.line.wrapping_sub(*line)) =>
        {
            (*line..at.line).for_each(|_| text.push('\n'));
        }
        _ => {
            if !text.is_empty() {
                text.push('\n');
            }
            let name = at.file.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "#line {} \"{name}\"", at.line);
        }
    }
    *place = Some((at.file, at.line));
    true
}
