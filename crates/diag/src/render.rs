//! Diagnostics as text, the way rustc shows them.
//!
//! The first line, `file:line:col: level: message [code]`, is what editors and build tools look for; below it comes
//! the source with the locations marked, then the macro expansions that led there, notes and remedies.
//! Any span is accepted: one that lies outside of every file is left out, an inconsistent one is trimmed.

mod picture;

use crate::{Diagnostic, Fix, Help, Level, SourceMap, Span, Stack};
use picture::{Gutter, Mark, Role, mark};

/// Rendering options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Without escape sequences, for files and editors.
    #[default]
    Plain,
    /// With terminal escape sequences.
    Colour,
}

/// The maximum number of levels of nested macros shown; the inner ones are the more interesting.
const MOST_EXPANSIONS: usize = 4;

/// The maximum number of including files named, from the innermost.
const MOST_INCLUDERS: usize = 4;

/// One diagnostic: first the line `file:line:col: error: message [code]`, then the source with carets, notes and helps.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, style: Style) -> String {
    let mut page = Page { text: String::new(), style, width: 0, sources };
    page.header(diagnostic);
    let steps = expansions(diagnostic.primary.span, sources);
    let mut marks = Vec::new();
    let role = Role::Primary(diagnostic.level);
    marks.extend(mark(
        sources.written(diagnostic.primary.span),
        &diagnostic.primary.text,
        role,
        sources,
    ));
    for label in &diagnostic.secondary {
        marks.extend(mark(sources.written(label.span), &label.text, Role::Secondary, sources));
    }
    let inner: Vec<Mark> =
        steps.iter().filter_map(|(_, span)| mark(*span, "", Role::Secondary, sources)).collect();
    let fixes = diagnostic.helps.iter().filter_map(|help| help.fix.as_ref());
    let fixed = fixes.filter_map(|fix| mark(fix.span, "", Role::Secondary, sources));
    page.width = marks
        .iter()
        .chain(&inner)
        .map(Mark::digits)
        .chain(fixed.map(|it| it.digits()))
        .max()
        .unwrap_or(0);
    page.picture(&marks);
    for (name, span) in &steps {
        page.expansion(name, *span);
    }
    let included = included_from(diagnostic.primary.span, sources);
    let stacks = diagnostic.stacks.iter();
    let stacks: Vec<String> =
        stacks.map(|it| told_stack(it, diagnostic.primary.span, sources)).collect();
    let notes = included.iter().chain(&stacks).chain(&diagnostic.notes);
    let says_more = notes.clone().next().is_some() || !diagnostic.helps.is_empty();
    if says_more && !marks.is_empty() {
        page.gutter(Gutter::Bar);
        page.text.push('\n');
    }
    for note in notes {
        page.remark("note", note);
    }
    for help in &diagnostic.helps {
        page.help(help);
    }
    page.text
}

/// All of them, in order.
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap, style: Style) -> String {
    let rendered: Vec<String> = diagnostics.iter().map(|it| render(it, sources, style)).collect();
    rendered.join("\n")
}

/// A single marked location, for reports that are not diagnostics, such as where a run was ended.
pub fn excerpt(span: Span, text: &str, sources: &SourceMap, style: Style) -> String {
    let mut page = Page { text: String::new(), style, width: 0, sources };
    let marks: Vec<Mark> = mark(sources.written(span), text, Role::Primary(Level::Error), sources)
        .into_iter()
        .collect();
    page.width = marks.iter().map(Mark::digits).max().unwrap_or(0);
    page.picture(&marks);
    page.text
}

/// The include chain of a location's file, if it was included.
fn included_from(span: Span, sources: &SourceMap) -> Option<String> {
    let all: Vec<String> = sources
        .includers(span)
        .take(MOST_INCLUDERS)
        .map(|at| format!("`{}:{}`", at.file, at.line))
        .collect();
    (!all.is_empty()).then(|| format!("included from {}", all.join(", from ")))
}

/// The maximum number of callers named, from the innermost; the entry point comes on top.
const MOST_CALLERS: usize = 6;

/// A call stack in words: "in `f`, called at line 7 by `g`, called at line 9 by `main`". Lines of another file than the
/// location's are named with their file.
pub(crate) fn told_stack(stack: &Stack, primary: Span, sources: &SourceMap) -> String {
    let at = |span: Span| sources.location(span);
    let [first, callers @ ..] = stack.frames.as_slice() else { return String::new() };
    let here = at(first.span);
    let mut text = match (stack.of.as_str(), &here) {
        ("", Some(it)) if first.span != primary => {
            format!("line {} is in `{}`", it.line, first.function)
        }
        ("", _) => format!("in `{}`", first.function),
        (of, _) => format!("{of} is in `{}`", first.function),
    };
    let left_out = callers.len().saturating_sub(MOST_CALLERS + 1);
    for (depth, caller) in callers.iter().enumerate() {
        if (MOST_CALLERS..MOST_CALLERS + left_out).contains(&depth) {
            if depth == MOST_CALLERS {
                text.push_str(&format!(", … ({left_out} left out)"));
            }
            continue;
        }
        text.push_str(", called");
        match (at(caller.span), &here) {
            (Some(place), Some(here)) if place.file == here.file => {
                text.push_str(&format!(" at line {}", place.line));
            }
            (Some(place), _) => text.push_str(&format!(" at {}:{}", place.file, place.line)),
            (None, _) => {}
        }
        text.push_str(&format!(" by `{}`", caller.function));
    }
    text
}

/// Longer quotations are elided in the middle.
const LONGEST_QUOTATION: usize = 400;

/// Text quoted from a program must neither move the cursor of a terminal nor fill it.
fn printable(text: &str) -> String {
    let text = text.replace(|it| it != '\n' && picture::is_unsafe(it), "\u{fffd}");
    if text.len() <= LONGEST_QUOTATION {
        return text;
    }
    let cut = |piece: &str| match piece.chars().count() {
        count if count > LONGEST_QUOTATION => {
            let start: String = piece.chars().take(60).collect();
            let end: String = piece.chars().skip(count - 30).collect();
            format!("{start}…{end}")
        }
        _ => piece.to_owned(),
    };
    text.split('`').map(cut).collect::<Vec<_>>().join("`")
}

/// The macro expansions of a span, outermost first, each with the location in the macro's body.
fn expansions(span: Span, sources: &SourceMap) -> Vec<(&str, Span)> {
    let mut steps = Vec::new();
    let mut at = span;
    while let Some(expansion) = sources.expansion(at.expansion) {
        // A builtin or a `-D` of the command line has no text to show.
        let body = if sources.file_of(at).is_some() { at } else { expansion.definition };
        steps.push((expansion.name.as_ref(), Span::new(body.lo, body.hi)));
        at = expansion.call;
    }
    steps.truncate(MOST_EXPANSIONS);
    steps.reverse();
    steps
}

/// The text under construction.
struct Page<'a> {
    text: String,
    style: Style,
    /// Digits of the widest line number.
    width: usize,
    sources: &'a SourceMap,
}

impl Page<'_> {
    fn header(&mut self, diagnostic: &Diagnostic) {
        if let Some(at) = self.sources.location(diagnostic.primary.span) {
            self.paint(Paint::Bold, &format!("{}:{}:{}: ", at.file, at.line, at.column));
        }
        self.paint(Paint::of(diagnostic.level), diagnostic.level.word());
        self.paint(Paint::Bold, &format!(": {}", printable(&diagnostic.message)));
        self.text.push_str(&format!(" [{}]\n", diagnostic.code.name));
    }

    /// The location of the reported text in a macro's body.
    fn expansion(&mut self, name: &str, span: Span) {
        let Some(at) = self.sources.location(span) else { return };
        self.place(&format!(
            "{}:{}:{}: in the expansion of macro `{name}`",
            at.file, at.line, at.column
        ));
        let marks: Vec<Mark> = mark(span, "", Role::Secondary, self.sources).into_iter().collect();
        self.picture(&marks);
    }

    fn remark(&mut self, word: &str, text: &str) {
        let indent = self.width + word.len() + 5;
        self.text.push_str(&" ".repeat(self.width + 1));
        self.paint(Paint::Frame, "= ");
        self.paint(Paint::Bold, word);
        let text = printable(text.trim_end()).replace('\n', &format!("\n{}", " ".repeat(indent)));
        self.text.push_str(&format!(": {text}\n"));
    }

    fn help(&mut self, help: &Help) {
        self.remark("help", &help.text);
        if let Some(fix) = &help.fix {
            self.fix(fix);
        }
    }

    /// The line to be changed, before and after; nothing for changes of several lines.
    fn fix(&mut self, fix: &Fix) {
        if !fix.span.expansion.is_none() || fix.replacement.contains('\n') {
            return;
        }
        let Some(id) = self.sources.file_of(fix.span) else { return };
        let file = self.sources.file(id);
        let line = file.line_of(fix.span.lo);
        let (text, start) = file.line_text(line);
        let (Some(from), Some(to)) =
            (fix.span.lo.checked_sub(start), fix.span.hi.checked_sub(start))
        else {
            return;
        };
        let (Some(before), Some(after)) = (text.get(..from as usize), text.get(to as usize..))
        else {
            return;
        };
        if text.len() > picture::WIDEST {
            return;
        }
        let number = file.presumed(line).1;
        let changed = format!("{before}{}{after}", fix.replacement);
        self.gutter(Gutter::Bar);
        self.text.push('\n');
        for (sign, paint, text) in
            [("- ", Paint::Removed, text), ("+ ", Paint::Added, changed.as_str())]
        {
            // A line that is deleted altogether leaves nothing to show.
            if sign == "+ " && text.trim().is_empty() {
                continue;
            }
            self.paint(Paint::Frame, &format!("{:>1$} ", number, self.width));
            self.paint(paint, sign);
            let text = picture::text_of(&picture::display(text));
            self.text.push_str(text.trim_end());
            self.text.push('\n');
        }
    }

    fn paint(&mut self, paint: Paint, text: &str) {
        match self.style {
            Style::Plain => self.text.push_str(text),
            Style::Colour => {
                self.text.push_str(paint.start());
                self.text.push_str(text);
                self.text.push_str("\x1b[0m");
            }
        }
    }
}

/// The role of a piece of text, for colours.
#[derive(Clone, Copy)]
enum Paint {
    Error,
    Warning,
    Note,
    Bold,
    /// Line numbers, bars and the marks of secondary locations.
    Frame,
    Removed,
    Added,
}

impl Paint {
    fn of(level: Level) -> Paint {
        match level {
            Level::Error => Paint::Error,
            Level::Warning => Paint::Warning,
            Level::Unsupported | Level::Note | Level::Allow => Paint::Note,
        }
    }

    fn start(self) -> &'static str {
        match self {
            Paint::Error => "\x1b[1;31m",
            Paint::Warning => "\x1b[1;33m",
            Paint::Note => "\x1b[1;36m",
            Paint::Bold => "\x1b[1m",
            Paint::Frame => "\x1b[1;34m",
            Paint::Removed => "\x1b[31m",
            Paint::Added => "\x1b[32m",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Style, excerpt, render};
    use crate::{Diagnostic, Expansion, SourceMap, Span, code};

    /// The span of the n-th occurrence of a text, counted from 0.
    fn find(sources: &SourceMap, what: &str, n: usize) -> Span {
        let (_, file, at) = sources
            .files()
            .flat_map(|(id, file)| file.text.match_indices(what).map(move |(at, _)| (id, file, at)))
            .nth(n)
            .unwrap();
        Span::new(file.start + at as u32, file.start + (at + what.len()) as u32)
    }

    fn map(files: &[(&str, &str)]) -> SourceMap {
        let mut sources = SourceMap::new();
        for (name, text) in files {
            sources.add(*name, *text).unwrap();
        }
        sources
    }

    fn check(diagnostic: &Diagnostic, sources: &SourceMap, expected: &str) {
        let got = render(diagnostic, sources, Style::Plain);
        assert_eq!(got, expected.trim_start_matches('\n'), "\n{got}");
    }

    #[test]
    fn a_place_a_second_place_a_note_and_a_help() {
        let sources = map(&[("a.hlsl", "if (lane < 2)\n    x;\n    y;\n    z = Read(x, 3);\n")]);
        let it =
            Diagnostic::new(&code::UNKNOWN_NAME, find(&sources, "Read(x, 3)", 0), "reads lane 3")
                .label("lanes 0 and 1 read it")
                .also(find(&sources, "lane < 2", 0), "lanes 2 and 3 left here")
                .note("first\nsecond")
                .help("read before the branch");
        check(
            &it,
            &sources,
            "
a.hlsl:4:9: error: reads lane 3 [unknown-name]
  |
1 | if (lane < 2)
  |     -------- lanes 2 and 3 left here
...
4 |     z = Read(x, 3);
  |         ^^^^^^^^^^ lanes 0 and 1 read it
  |
  = note: first
          second
  = help: read before the branch
",
        );
    }

    #[test]
    fn places_on_one_line_hang_below_each_other() {
        let sources = map(&[("a.hlsl", "float2 v = a + b;\n")]);
        let it = Diagnostic::new(&code::TYPE_MISMATCH, find(&sources, "+", 0), "no such sum")
            .label("here")
            .also(find(&sources, "a +", 0), "")
            .also(find(&sources, "b", 0), "`float3`")
            .also(find(&sources, "float2", 0), "wanted");
        check(
            &it,
            &sources,
            "
a.hlsl:1:14: error: no such sum [type-mismatch]
  |
1 | float2 v = a + b;
  | ------     --^ - `float3`
  | |            |
  | |            here
  | wanted
",
        );
    }

    #[test]
    fn a_fix_shows_the_line_as_it_should_be() {
        let text = "\n".repeat(98) + "\tx = WaveAllSum(1);\n";
        let sources = map(&[("a.hlsl", &text)]);
        let at = find(&sources, "WaveAllSum", 0);
        let it = Diagnostic::new(&code::MACRO_REDEFINED, at, "a draft name").fix(
            "use the new name",
            at,
            "WaveActiveSum",
        );
        check(
            &it,
            &sources,
            "
a.hlsl:99:6: warning: a draft name [macro-redefined]
   |
99 |     x = WaveAllSum(1);
   |         ^^^^^^^^^^
   |
   = help: use the new name
   |
99 -     x = WaveAllSum(1);
99 +     x = WaveActiveSum(1);
",
        );
    }

    #[test]
    fn macros_are_followed_to_their_bodies() {
        let mut sources = map(&[
            ("m.hlsli", "#define ONE(x) bad(x)\n"),
            ("a.hlsl", "#define TWO ONE(1)\nTWO;\n"),
        ]);
        let call = find(&sources, "TWO", 1);
        let outer = sources.add_expansion(Expansion {
            name: "TWO".into(),
            call,
            definition: find(&sources, "TWO", 0),
        });
        let call = Span { expansion: outer, ..find(&sources, "ONE(1)", 0) };
        let inner = sources.add_expansion(Expansion {
            name: "ONE".into(),
            call,
            definition: find(&sources, "ONE", 0),
        });
        let span = Span { expansion: inner, ..find(&sources, "bad(x)", 0) };
        check(
            &Diagnostic::new(&code::UNKNOWN_NAME, span, "`bad` is not declared"),
            &sources,
            "
a.hlsl:2:1: error: `bad` is not declared [unknown-name]
  |
2 | TWO;
  | ^^^
 ::: a.hlsl:1:13: in the expansion of macro `TWO`
  |
1 | #define TWO ONE(1)
  |             ------
 ::: m.hlsli:1:16: in the expansion of macro `ONE`
  |
1 | #define ONE(x) bad(x)
  |                ------
",
        );
    }

    #[test]
    fn other_files_are_named_and_line_directives_obeyed() {
        let mut sources = map(&[("a.hlsl", "#line 41\nuse\n"), ("b.hlsl", "declaration\n")]);
        sources.set_line(find(&sources, "#line", 0), 41, None);
        let it = Diagnostic::new(&code::SYNTAX, find(&sources, "use", 0), "no")
            .also(find(&sources, "declaration", 0), "declared here");
        check(
            &it,
            &sources,
            "
a.hlsl:41:1: error: no [syntax]
   |
41 | use
   | ^^^
  ::: b.hlsl:1:1
   |
 1 | declaration
   | ----------- declared here
",
        );
    }

    #[test]
    fn malformed_spans_are_harmless() {
        let sources = map(&[("a.hlsl", "\u{e4}\u{f6}\n\u{7}x")]);
        let length = 8;
        for lo in 0..length + 4 {
            for hi in [0, lo, lo + 1, length, u32::MAX - 1] {
                let it = Diagnostic::new(&code::SYNTAX, Span::new(lo, hi), "m").label("l").fix(
                    "f",
                    Span::new(lo, hi),
                    "r",
                );
                assert!(!render(&it, &sources, Style::Colour).is_empty());
            }
        }
        assert_eq!(
            render(&Diagnostic::new(&code::SYNTAX, Span::NONE, "m"), &sources, Style::Plain),
            "error: m [syntax]\n"
        );
        assert_eq!(excerpt(Span::NONE, "", &sources, Style::Plain), "");
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}here{}", "a".repeat(500), "b".repeat(500));
        let sources = map(&[("a.hlsl", &text)]);
        let got = excerpt(find(&sources, "here", 0), "look", &sources, Style::Plain);
        let lines: Vec<&str> = got.lines().collect();
        assert!(lines.iter().all(|it| it.chars().count() < 160), "{got}");
        let column = |line: &str, what: &str| line.find(what).map(|at| line[..at].chars().count());
        assert_eq!(column(lines[1], "here"), column(lines[2], "^^^^"));
    }

    #[test]
    fn marks_are_below_the_marked_text_after_tabs_and_wide_characters() {
        // Two ideographs; a letter with a combining accent; emoji of the blocks of 1993 and of 2020.
        let text = "\tf(\"\u{6f22}\u{5b57}\", e\u{301}, \u{2705}\u{1fa70}, here)";
        let sources = map(&[("a.hlsl", text)]);
        let got = render(
            &Diagnostic::new(&code::SYNTAX, find(&sources, "here", 0), "m\u{1b}[31m"),
            &sources,
            Style::Plain,
        );
        // The column of the message counts characters, the marks columns: 4 + `f("` + 2 * 2 + `", e, ` + 2 * 2 + `, `.
        assert!(got.starts_with("a.hlsl:1:18: error: m\u{fffd}[31m [syntax]\n"), "{got}");
        let marks = got.lines().last().unwrap();
        assert_eq!(marks.find("^^^^"), Some("1 | ".len() + 4 + 3 + 4 + 6 + 4 + 2), "{got}");
    }

    #[test]
    fn long_names_are_elided_in_the_middle() {
        let sources = map(&[("a.hlsl", "x")]);
        let message = format!("`{}` and `b` differ", "a".repeat(1 << 20));
        let it = Diagnostic::new(&code::SYNTAX, Span::new(0, 1), message);
        let got = render(&it, &sources, Style::Plain);
        assert!(
            got.len() < 300 && got.contains("a…a") && got.contains("` and `b` differ"),
            "{got}"
        );
    }

    #[test]
    fn colours_come_only_on_request() {
        let sources = map(&[("a.hlsl", "x")]);
        let it = Diagnostic::new(&code::SYNTAX, Span::new(0, 1), "m");
        assert!(render(&it, &sources, Style::Colour).contains("\x1b[1;31merror\x1b[0m"));
        assert!(!render(&it, &sources, Style::Plain).contains('\x1b'));
    }
}
