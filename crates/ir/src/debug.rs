//! File names and lines for emitted code. A back end queries them by span, and the owner of the sources answers.

use diag::Span;

/// A source location; line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The index of the file among [`Debug::sources`].
    pub file: usize,
    pub line: u32,
    pub column: u32,
}

/// A source file whose text may be put into the emitted code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// The source of file names and lines.
pub trait Debug {
    fn sources(&self) -> Vec<Source>;
    /// `None` for a span without source text.
    fn place(&self, span: Span) -> Option<Position>;
}

/// No sources and no lines; names of variables and resources are kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDebug;

impl Debug for NoDebug {
    fn sources(&self) -> Vec<Source> {
        Vec::new()
    }

    fn place(&self, _: Span) -> Option<Position> {
        None
    }
}
