//! Sources, spans and diagnostics.
//!
//! A diagnostic is data: a code, a message, places in the source and remedies.
//! Readers collect diagnostics; only the outermost layer renders them.
//! Nothing here reads files or prints.

#![forbid(unsafe_code)]

mod allow;
mod cancel;
mod codes;
mod json;
mod lines;
mod model;
mod render;
mod similar;
mod source;
mod text;

pub use allow::{Allow, Allows};
pub use cancel::Cancel;
pub use codes::{Code, by_name, codes};
pub use json::{
    sarif, sarif_log, sarif_result, sarif_with_files, stacks_json, to_github, to_json, uri,
};
pub use lines::to_msvc;
pub use model::{Diagnostic, Fix, Frame, Help, Label, Level, Levels, Sink, Stack};
pub use render::{Style, excerpt, render, render_all};
pub use similar::{most_similar, similarity};
pub use source::{Expansion, ExpansionId, FileId, Location, SourceFile, SourceMap, Span};
pub use text::{digest, escaped};

/// The registered codes, one constant each.
pub mod code {
    pub use crate::codes::registry::*;
}
