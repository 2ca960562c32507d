//! Source positions: files, spans over all of them, macro expansions and `#line`.
//!
//! All files share one space of byte positions, so that a span is small and identifies its file.
//! A token that came out of a macro keeps the span of its spelling, and the expansion that produced it.

use std::sync::Arc;

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A macro expansion of a [`SourceMap`]; `NONE` for text that is not from a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExpansionId(u32);

impl ExpansionId {
    pub const NONE: ExpansionId = ExpansionId(0);

    pub fn is_none(self) -> bool {
        self == ExpansionId::NONE
    }

    /// The number by which text forms refer to the expansion; 0 for `NONE`.
    pub fn number(self) -> u32 {
        self.0
    }

    pub fn from_number(number: u32) -> ExpansionId {
        ExpansionId(number)
    }
}

/// A range of bytes in the common space of all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    pub lo: u32,
    pub hi: u32,
    pub expansion: ExpansionId,
}

impl Span {
    /// The span of anything without source text.
    pub const NONE: Span = Span { lo: u32::MAX, hi: u32::MAX, expansion: ExpansionId::NONE };

    pub fn new(lo: u32, hi: u32) -> Span {
        Span { lo, hi, expansion: ExpansionId::NONE }
    }

    pub fn is_none(self) -> bool {
        self.lo == u32::MAX
    }

    /// From the start of `self` to the end of `last`.
    /// Where the two come from different expansions or files, `self` alone.
    pub fn to(self, last: Span) -> Span {
        if self.is_none() {
            return last;
        }
        if last.is_none() || self.expansion != last.expansion || last.hi < self.lo {
            return self;
        }
        Span { hi: last.hi, ..self }
    }

    /// The empty span right after this one.
    pub fn end(self) -> Span {
        Span { lo: self.hi, ..self }
    }
}

/// One use of a macro.
#[derive(Clone, Debug)]
pub struct Expansion {
    pub name: Arc<str>,
    /// The use of the macro; this span may itself lie in another expansion.
    pub call: Span,
    /// The definition of the macro.
    pub definition: Span,
}

/// One file that the compiler read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub name: Arc<str>,
    pub text: Arc<str>,
    /// The position of the first byte in the common space.
    pub start: u32,
    /// The `#include` that it was read for; `Span::NONE` for what was named otherwise.
    pub included: Span,
    /// Where each line starts, relative to the file.
    line_starts: Vec<u32>,
    /// `#line` directives in ascending order: from this physical line (0-based) on,
    /// lines are counted from that number and belong to that file name.
    overrides: Vec<LineOverride>,
}

#[derive(Clone, Debug)]
struct LineOverride {
    from_line: u32,
    line: u32,
    name: Option<Arc<str>>,
}

/// A human-readable location; line and column count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
}

/// Every file and every macro expansion of one compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file; `None` when the common space (4 GiB) is full.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Option<FileId> {
        self.add_included(name, text, Span::NONE)
    }

    /// Adds a file that an `#include` asked for.
    pub fn add_included(
        &mut self,
        name: impl Into<Arc<str>>,
        text: impl Into<Arc<str>>,
        included: Span,
    ) -> Option<FileId> {
        let text: Arc<str> = text.into();
        let start = self.files.last().map_or(0, |last| last.start + last.text.len() as u32 + 1);
        // Invariant: positions stay below `Span::NONE`.
        u32::try_from(text.len()).ok()?.checked_add(start)?.checked_add(2)?;
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1))
            .collect();
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile {
            name: name.into(),
            text,
            start,
            included,
            line_starts,
            overrides: Vec::new(),
        });
        Some(id)
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, file)| (FileId(i as u32), file))
    }

    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32)
    }

    /// The expansion that produced a token, if any; `None` for invalid numbers, which a text form may contain.
    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        self.expansions.get((id.0 as usize).checked_sub(1)?)
    }

    /// The places of the `#include`s that led to a span's file, the innermost first.
    pub fn includers(&self, span: Span) -> impl Iterator<Item = Location> {
        let mut file = self.file_of(self.written(span));
        std::iter::from_fn(move || {
            let included = self.file(file?).included;
            file = self.file_of(self.written(included));
            self.location(included)
        })
    }

    /// Records `#line LINE "NAME"`: the physical line after `at` counts as `line`.
    pub fn set_line(&mut self, at: Span, line: u32, name: Option<Arc<str>>) {
        let Some(file) = self.file_of(at) else { return };
        let from_line = self.file(file).line_of(at.lo) + 1;
        self.files[file.0 as usize].overrides.push(LineOverride { from_line, line, name });
    }

    /// The file that contains the spelling of a span.
    pub fn file_of(&self, span: Span) -> Option<FileId> {
        if span.is_none() || self.files.is_empty() {
            return None;
        }
        let after = self.files.partition_point(|file| file.start <= span.lo);
        after.checked_sub(1).map(|i| FileId(i as u32))
    }

    /// The text a span covers; empty for `Span::NONE`.
    pub fn text(&self, span: Span) -> &str {
        let Some(id) = self.file_of(span) else { return "" };
        let file = self.file(id);
        let (from, to) = (span.lo - file.start, span.hi.saturating_sub(file.start));
        file.text.get(from as usize..to as usize).unwrap_or("")
    }

    /// The location of a span in a file, for navigation: for text out of a macro, the outermost use of the macro.
    pub fn written(&self, mut span: Span) -> Span {
        while let Some(expansion) = self.expansion(span.expansion) {
            span = expansion.call;
        }
        span
    }

    /// The line that a span starts in, macros followed to their outermost use.
    pub fn line(&self, span: Span) -> &str {
        let span = self.written(span);
        let Some(id) = self.file_of(span) else { return "" };
        let file = self.file(id);
        file.line_text(file.line_of(span.lo)).0
    }

    /// The place where a span starts, `#line` taken into account, macros followed to their outermost use.
    pub fn location(&self, span: Span) -> Option<Location> {
        let span = self.written(span);
        let file = self.file(self.file_of(span)?);
        let line = file.line_of(span.lo);
        let line_start = file.line_starts[line as usize] as usize;
        let before = file.text.get(line_start..(span.lo - file.start) as usize).unwrap_or("");
        let column = before.chars().count() as u32 + 1;
        let (file, line) = file.presumed(line);
        Some(Location { file, line, column })
    }
}

impl SourceFile {
    /// The physical line (0-based) of a position in the common space.
    pub(crate) fn line_of(&self, position: u32) -> u32 {
        let offset = position.saturating_sub(self.start);
        self.line_starts.partition_point(|start| *start <= offset) as u32 - 1
    }

    /// A physical line (0-based) without its end, and the position of its first byte in the common space.
    pub(crate) fn line_text(&self, line: u32) -> (&str, u32) {
        let from =
            self.line_starts.get(line as usize).map_or(self.text.len(), |start| *start as usize);
        let to = self
            .line_starts
            .get(line as usize + 1)
            .map_or(self.text.len(), |next| *next as usize - 1);
        let text = self.text.get(from..to).unwrap_or("");
        (text.strip_suffix('\r').unwrap_or(text), self.start + from as u32)
    }

    /// The name and the 1-based number that `#line` gives to a physical line.
    pub(crate) fn presumed(&self, line: u32) -> (Arc<str>, u32) {
        let count = self.overrides.partition_point(|it| it.from_line <= line);
        let name = self.overrides[..count].iter().rev().find_map(|it| it.name.clone());
        let number = match self.overrides[..count].last() {
            Some(it) => it.line.saturating_add(line - it.from_line),
            None => line + 1,
        };
        (name.unwrap_or_else(|| self.name.clone()), number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_finds_its_file_line_and_column() {
        let mut map = SourceMap::new();
        map.add("a.hlsl", "one\ntwo").unwrap();
        let b = map.add("b.hlsl", "x\n\u{e4}yz").unwrap();
        let start = map.file(b).start;
        let at = map.location(Span::new(start + 4, start + 5)).unwrap();
        assert_eq!((at.file.as_ref(), at.line, at.column), ("b.hlsl", 2, 2));
        assert_eq!(map.text(Span::new(4, 7)), "two");
    }

    #[test]
    fn line_directives_rename_what_follows() {
        let mut map = SourceMap::new();
        map.add("a.hlsl", "#line 100 \"gen.hlsl\"\nhere\nthere").unwrap();
        map.set_line(Span::new(0, 5), 100, Some("gen.hlsl".into()));
        let at = map.location(Span::new(26, 27)).unwrap();
        assert_eq!((at.file.as_ref(), at.line), ("gen.hlsl", 101));
    }

    #[test]
    fn made_up_spans_name_nothing() {
        let mut map = SourceMap::new();
        map.add("a.hlsl", "one").unwrap();
        for number in [1, 7, u32::MAX] {
            let span = Span { lo: 5, hi: 1, expansion: ExpansionId::from_number(number) };
            assert_eq!((map.text(span), map.written(span)), ("", span));
            assert!(map.expansion(span.expansion).is_none());
        }
    }

    #[test]
    fn a_file_knows_what_included_it() {
        let mut map = SourceMap::new();
        map.add("a.hlsl", "\n#include b").unwrap();
        let b = map.add_included("b.hlsl", "#include c", Span::new(10, 11)).unwrap();
        let at = map.file(b).start;
        let c = map.add_included("c.hlsl", "x", Span::new(at + 9, at + 10)).unwrap();
        let at = map.file(c).start;
        let all = map.includers(Span::new(at, at + 1));
        let all: Vec<_> = all.map(|it| (it.file.to_string(), it.line)).collect();
        assert_eq!(all, [("b.hlsl".to_owned(), 1), ("a.hlsl".to_owned(), 2)]);
    }

    #[test]
    fn a_macro_is_reported_where_it_is_used() {
        let mut map = SourceMap::new();
        map.add("a.hlsl", "#define M bad\nM;").unwrap();
        let call = Span::new(14, 15);
        let id =
            map.add_expansion(Expansion { name: "M".into(), call, definition: Span::new(8, 13) });
        let spelled = Span { lo: 10, hi: 13, expansion: id };
        assert_eq!(map.text(spelled), "bad");
        assert_eq!(map.location(spelled).unwrap().line, 2);
    }
}
