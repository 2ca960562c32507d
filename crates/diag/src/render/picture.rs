//! Lines of source with locations marked.
//!
//! Each file gets a block, the one with the primary location first. Every location takes one line: a span over several
//! lines is shown by its first. The marks count columns of the terminal: tabs reach to the next multiple of four, wide
//! characters take two columns. The column in a message counts characters.

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthChar;

use super::{Page, Paint};
use crate::{FileId, Level, SourceMap, Span};

/// The maximum length of the part of a line that is shown.
pub(super) const WIDEST: usize = 140;
/// How much of a long line is shown before the first location on it.
const BEFORE: usize = 40;
const TAB: usize = 4;
/// The maximum number of bytes of a long line that are examined, from a little before its first location on.
const LONGEST: usize = 1 << 12;
/// How many bytes of a long line before its first location are examined: more than the picture shows.
const LOOK_BACK: usize = 1 << 10;

/// The role of a location.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Primary(Level),
    Secondary,
}

/// A location on one line of one file.
pub(super) struct Mark<'a> {
    file: FileId,
    /// The physical line, 0-based.
    line: u32,
    /// The line number shown.
    number: u32,
    /// The column shown: characters from 1.
    column: usize,
    /// The bytes of the line.
    from: usize,
    to: usize,
    text: &'a str,
    role: Role,
}

impl Mark<'_> {
    pub(super) fn digits(&self) -> usize {
        self.number.to_string().len()
    }
}

/// The gutter's text in place of a line number.
pub(super) enum Gutter {
    Bar,
    Gap,
}

/// The mark for a span of plain text, if it lies in a file.
pub(super) fn mark<'a>(
    span: Span,
    text: &'a str,
    role: Role,
    sources: &SourceMap,
) -> Option<Mark<'a>> {
    let file = sources.file_of(span)?;
    let source = sources.file(file);
    let line = source.line_of(span.lo);
    let (content, start) = source.line_text(line);
    let offset =
        |position: u32| content.floor_char_boundary(position.saturating_sub(start) as usize);
    let from = offset(span.lo);
    let to = offset(span.hi.max(span.lo));
    let column = content[..from].chars().count() + 1;
    let number = source.presumed(line).1;
    Some(Mark { file, line, number, column, from, to, text, role })
}

/// The cell after a wide character in the columns of a line.
const SECOND_HALF: char = '\0';

/// The columns of a line as shown.
pub(super) fn display(text: &str) -> Vec<char> {
    let mut shown = Vec::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => shown.resize((shown.len() / TAB + 1) * TAB, ' '),
            it if is_unsafe(it) => shown.push('\u{fffd}'),
            it => match it.width() {
                Some(0) => {}
                Some(2) => shown.extend([it, SECOND_HALF]),
                _ => shown.push(it),
            },
        }
    }
    shown
}

/// The text of columns.
pub(super) fn text_of(columns: &[char]) -> String {
    columns.iter().filter(|it| **it != SECOND_HALF).collect()
}

/// Characters that would move the cursor, or change the text direction around them.
pub(super) fn is_unsafe(it: char) -> bool {
    it.is_control() || matches!(it, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The examined part of a line: all of it, or the part around its first location.
struct Cut {
    /// The first byte.
    from: usize,
    columns: Vec<char>,
    /// The first column shown.
    window: usize,
}

impl Cut {
    fn of(content: &str, first: usize) -> Cut {
        let from = match content.len() > LONGEST {
            true => content.floor_char_boundary(first.saturating_sub(LOOK_BACK)),
            false => 0,
        };
        let to = content.ceil_char_boundary(from.saturating_add(LONGEST).min(content.len()));
        let mut cut = Cut { from, columns: display(&content[from..to]), window: 0 };
        if from > 0 || cut.columns.len() > WIDEST {
            cut.window = cut.column(content, first).saturating_sub(BEFORE);
        }
        cut
    }

    /// The column of a byte of the line.
    fn column(&self, content: &str, at: usize) -> usize {
        let at = at.clamp(self.from, content.len()).min(self.from + LONGEST);
        display(&content[self.from..content.floor_char_boundary(at)]).len()
    }
}

/// A mark in the columns of its line.
struct Placed<'a> {
    from: usize,
    to: usize,
    mark: &'a Mark<'a>,
}

impl Page<'_> {
    /// The lines with these marks, file by file; the first mark's file comes first and is not named again.
    pub(super) fn picture(&mut self, marks: &[Mark<'_>]) {
        let Some(first) = marks.first() else { return };
        let mut files: BTreeMap<(bool, FileId), BTreeMap<u32, Vec<&Mark<'_>>>> = BTreeMap::new();
        for mark in marks {
            let lines = files.entry((mark.file != first.file, mark.file)).or_default();
            lines.entry(mark.line).or_default().push(mark);
        }
        for ((is_other, file), lines) in files {
            let source = self.sources.file(file);
            if is_other && let Some(mark) = lines.values().next().and_then(|it| it.first()) {
                let name = source.presumed(mark.line).0;
                self.place(&format!("{name}:{}:{}", mark.number, mark.column));
            }
            self.gutter(Gutter::Bar);
            self.text.push('\n');
            let mut last: Option<u32> = None;
            for (line, marks) in lines {
                match last.map_or(1, |last| line - last) {
                    1 => {}
                    2 => self.source_line(file, line - 1, None),
                    _ => self.gutter(Gutter::Gap),
                }
                self.marked_line(file, line, &marks);
                last = Some(line);
            }
        }
    }

    /// A line that names another location.
    pub(super) fn place(&mut self, text: &str) {
        self.text.push_str(&" ".repeat(self.width));
        self.paint(Paint::Frame, "::: ");
        self.text.push_str(text);
        self.text.push('\n');
    }

    pub(super) fn gutter(&mut self, gutter: Gutter) {
        match gutter {
            Gutter::Bar => self.paint(Paint::Frame, &format!("{:1$} |", "", self.width)),
            Gutter::Gap => self.paint(Paint::Frame, "...\n"),
        }
    }

    fn source_line(&mut self, file: FileId, line: u32, cut: Option<&Cut>) {
        let source = self.sources.file(file);
        let whole = Cut::of(source.line_text(line).0, 0);
        let cut = cut.unwrap_or(&whole);
        let start = cut.window;
        let end = cut.columns.len().min(start + WIDEST);
        let mut text = text_of(cut.columns.get(start..end).unwrap_or_default());
        if start > 0 || cut.from > 0 {
            text.insert(0, '…');
        }
        if cut.columns.len() > start + WIDEST {
            text.push('…');
        }
        self.paint(Paint::Frame, &format!("{:>1$} |", source.presumed(line).1, self.width));
        let text = text.trim_end();
        if !text.is_empty() {
            self.text.push(' ');
            self.text.push_str(text);
        }
        self.text.push('\n');
    }

    /// A line, the marks under it, and their labels.
    fn marked_line(&mut self, file: FileId, line: u32, marks: &[&Mark<'_>]) {
        let first = marks.iter().map(|it| it.from).min().unwrap_or(0);
        let content = self.sources.file(file).line_text(line).0;
        let cut = Cut::of(content, first);
        self.source_line(file, line, Some(&cut));
        let marks: Vec<Placed<'_>> = marks
            .iter()
            .map(|mark| {
                let from = cut.column(content, mark.from);
                Placed { from, to: cut.column(content, mark.to).max(from + 1), mark }
            })
            .collect();

        // The dots at a cut take a column.
        let shift = usize::from(cut.window > 0 || cut.from > 0);
        let column = |at: usize| (at - cut.window.min(at)).min(WIDEST) + shift;

        let mut row = Row::default();
        for mark in marks.iter().filter(|it| it.mark.role == Role::Secondary) {
            row.fill(column(mark.from), column(mark.to), '-', Paint::Frame);
        }
        for mark in &marks {
            if let Role::Primary(level) = mark.mark.role {
                row.fill(column(mark.from), column(mark.to), '^', Paint::of(level));
            }
        }
        let mut hanging: Vec<&Placed<'_>> =
            marks.iter().filter(|it| !it.mark.text.is_empty()).collect();
        hanging.sort_by_key(|it| std::cmp::Reverse((it.from, it.to)));
        // The rightmost mark has room beside it, unless another one reaches further.
        let furthest = marks.iter().map(|it| it.to).max().unwrap_or(0);
        if hanging.first().is_some_and(|it| {
            it.to == furthest && it.from >= marks.iter().map(|it| it.from).max().unwrap_or(0)
        }) {
            let beside = hanging.remove(0);
            row.say(row.cells.len() + 1, beside.mark);
        }
        self.row(&row);
        for depth in 0..hanging.len() {
            let mut bars = Row::default();
            let mut words = Row::default();
            for mark in hanging[depth + 1..].iter().rev() {
                words.fill(column(mark.from), column(mark.from) + 1, '|', paint(mark.mark));
            }
            for mark in hanging.iter().rev() {
                bars.fill(column(mark.from), column(mark.from) + 1, '|', paint(mark.mark));
            }
            if depth == 0 {
                self.row(&bars);
            }
            words.cells.truncate(column(hanging[depth].from));
            words.say(column(hanging[depth].from), hanging[depth].mark);
            self.row(&words);
        }
    }

    fn row(&mut self, row: &Row) {
        self.gutter(Gutter::Bar);
        self.text.push(' ');
        let mut cells = row.cells.as_slice();
        while let Some((_, look)) = cells.first() {
            let run = cells.iter().take_while(|(_, it)| same(*it, *look)).count();
            let text: String = cells[..run].iter().map(|(it, _)| it).collect();
            match look {
                Some(look) => self.paint(*look, &text),
                None => self.text.push_str(&text),
            }
            cells = &cells[run..];
        }
        self.text.push('\n');
    }
}

fn paint(mark: &Mark<'_>) -> Paint {
    match mark.role {
        Role::Primary(level) => Paint::of(level),
        Role::Secondary => Paint::Frame,
    }
}

fn same(a: Option<Paint>, b: Option<Paint>) -> bool {
    a.map(Paint::start) == b.map(Paint::start)
}

/// Characters below a source line.
#[derive(Default)]
struct Row {
    cells: Vec<(char, Option<Paint>)>,
}

impl Row {
    fn fill(&mut self, from: usize, to: usize, with: char, paint: Paint) {
        // Invariant: at least one cell, also for what a cut pushed to the margin.
        let to = to.max(from + 1);
        self.reach(to);
        self.cells[from..to].fill((with, Some(paint)));
    }

    fn say(&mut self, at: usize, mark: &Mark<'_>) {
        self.reach(at);
        let words = mark.text.chars().map(|it| if it.is_control() { ' ' } else { it });
        self.cells.extend(words.map(|it| (it, Some(paint(mark)))));
    }

    fn reach(&mut self, length: usize) {
        if self.cells.len() < length {
            self.cells.resize(length, (' ', None));
        }
    }
}
