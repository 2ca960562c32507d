//! Suppressions in the source, each with its reason: `// wavelane: allow(race): the waves of this group never
//! overlap`.
//!
//! A comment of that form after code applies to its line; one on a separate line applies to the next line of code.
//! The reason is mandatory: a comment without one is an error, and one that no longer suppresses anything is a
//! warning.
//! Deliberately absent: whole files or folders, for which there are flags and baselines, and errors of the compiler.

use std::collections::HashSet;

use crate::{Code, Diagnostic, FileId, Level, SourceMap, Span, by_name, code, codes, most_similar};

/// The word that starts the comment; it must be the first one.
const MARK: &str = "wavelane:";
const FORM: &str = "the form is `// wavelane: allow(CODE): REASON`";

/// One comment.
#[derive(Clone, Debug)]
pub struct Allow {
    /// The codes that it allows.
    pub codes: Vec<&'static Code>,
    /// What follows the colon.
    pub reason: String,
    /// The comment, from its marker on.
    pub span: Span,
    /// The line that it applies to.
    file: FileId,
    line: u32,
    /// Those of `codes` that it has allowed.
    used: Vec<&'static Code>,
}

/// Every such comment of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Allows {
    entries: Vec<Allow>,
}

impl Allows {
    /// Finds the comments in all files that were read, and reports malformed ones.
    pub fn read(sources: &SourceMap) -> (Allows, Vec<Diagnostic>) {
        let mut allows = Allows::default();
        let mut wrong = Vec::new();
        let mut names = HashSet::new();
        for (id, file) in sources.files() {
            // A file that is included often is reported once.
            let is_first = names.insert(file.name.clone());
            for (at, _) in file.text.match_indices(MARK) {
                let position = file.start + at as u32;
                let line = file.line_of(position);
                let (text, start) = file.line_text(line);
                let column = (position - start) as usize;
                let (Some(before), Some(rest)) = (text.get(..column), text.get(column..)) else {
                    continue;
                };
                let Some(code_before) = before.trim_end().strip_suffix("//") else { continue };
                let span = Span::new(position, position + rest.trim_end().len() as u32);
                match parse(&rest[MARK.len()..]) {
                    None => {}
                    Some(Err(what)) if is_first => {
                        wrong.push(Diagnostic::new(&code::BAD_SUPPRESSION, span, what).help(FORM));
                    }
                    Some(Err(_)) => {}
                    Some(Ok((codes, reason))) => {
                        let line = if code_before.trim().is_empty() {
                            next_code(sources, id, line)
                        } else {
                            line
                        };
                        let used = Vec::new();
                        allows.entries.push(Allow { codes, reason, span, file: id, line, used });
                    }
                }
            }
        }
        (allows, wrong)
    }

    /// The comment that allows a report of that code at that location; marks the comment as used.
    pub fn find(&mut self, code: &Code, at: Span, sources: &SourceMap) -> Option<&Allow> {
        let (file, line) = line_of(at, sources)?;
        let fits = |it: &&mut Allow| {
            it.file == file && it.line == line && it.codes.iter().any(|it| it.name == code.name)
        };
        let found = self.entries.iter_mut().find(fits)?;
        let allowed = found.codes.iter().find(|it| it.name == code.name);
        found.used.extend(allowed);
        Some(found)
    }

    /// A warning for each comment of the main file that has suppressed nothing, among those about codes that
    /// `is_judged`.
    ///
    /// Code that is left out of this compilation says nothing about its comments: only comments about the `spans` that
    /// took part, or about no code at all, are judged; all of them if `spans` is empty.
    pub fn unused(
        &self,
        sources: &SourceMap,
        is_judged: impl Fn(&Code) -> bool,
        spans: &[Span],
    ) -> Vec<Diagnostic> {
        let lines: HashSet<(FileId, u32)> =
            spans.iter().filter_map(|it| line_of(*it, sources)).collect();
        let main = FileId(0);
        let took_part = |it: &&Allow| {
            let (text, _) = sources.file(it.file).line_text(it.line);
            lines.is_empty() || lines.contains(&(it.file, it.line)) || text.trim().is_empty()
        };
        let mut reports = Vec::new();
        for it in self.entries.iter().filter(|it| it.file == main).filter(took_part) {
            let unused = it.codes.iter().filter(|code| {
                is_judged(code) && !it.used.iter().any(|used| used.name == code.name)
            });
            for code in unused {
                let message =
                    format!("this comment allows `{}`, which is not reported here", code.name);
                reports.push(
                    Diagnostic::new(&code::UNUSED_SUPPRESSION, it.span, message)
                        .help("remove it, so that it hides nothing in the future"),
                );
            }
        }
        reports
    }
}

fn line_of(at: Span, sources: &SourceMap) -> Option<(FileId, u32)> {
    let at = sources.written(at);
    let file = sources.file_of(at)?;
    Some((file, sources.file(file).line_of(at.lo)))
}

/// The first line after a comment that is neither empty nor a comment; the line after the file's last if there is
/// none.
fn next_code(sources: &SourceMap, file: FileId, comment: u32) -> u32 {
    let file = sources.file(file);
    let is_code = |line: &u32| {
        let text = file.line_text(*line).0.trim();
        !text.is_empty() && !text.starts_with("//")
    };
    let last = file.line_of(file.start + file.text.len() as u32);
    (comment + 1..=last).find(is_code).unwrap_or(last + 1)
}

/// Parses what follows the marker; `None` for prose.
fn parse(rest: &str) -> Option<Result<(Vec<&'static Code>, String), String>> {
    let rest = rest.trim();
    let end = rest.find(|it: char| !it.is_alphanumeric() && it != '-').unwrap_or(rest.len());
    let (verb, rest) = rest.split_at(end);
    if verb != "allow" {
        let is_remark = rest.starts_with('(') && !verb.is_empty();
        return is_remark.then(|| Err(format!("unknown word `{verb}`: expected `allow`")));
    }
    let inner = rest.trim_start().strip_prefix('(').and_then(|it| it.split_once(')'));
    let Some((names, rest)) = inner else {
        return Some(Err("this comment names no code".to_owned()));
    };
    Some(read_names(names).and_then(|codes| {
        let reason = rest.trim_start().strip_prefix(':').unwrap_or("").trim();
        match reason.is_empty() {
            true => Err("this comment gives no reason".to_owned()),
            false => Ok((codes, reason.to_owned())),
        }
    }))
}

fn read_names(names: &str) -> Result<Vec<&'static Code>, String> {
    let mut found = Vec::new();
    for name in names.split(',').map(str::trim) {
        let code = by_name(name).ok_or_else(|| {
            let near = most_similar(name, codes().iter().map(|it| it.name));
            let near = near.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
            format!("unknown code `{name}`{near}")
        })?;
        if code.level > Level::Warning && !code.in_runs {
            return Err(format!("`{name}` is an error of the compiler, which cannot be allowed"));
        }
        found.push(code);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (SourceMap, Allows, Vec<Diagnostic>) {
        let mut sources = SourceMap::new();
        sources.add("a.hlsl", text).unwrap();
        let (allows, wrong) = Allows::read(&sources);
        (sources, allows, wrong)
    }

    #[test]
    fn a_comment_applies_to_its_line_or_the_next_line_of_code() {
        let text = "x(); // wavelane: allow(race): so\n// wavelane: allow(race, equal-stores): so\n\n// more\ny();\nz();\n";
        let (sources, mut allows, wrong) = read(text);
        assert!(wrong.is_empty());
        let at = |what: &str| {
            let at = text.find(what).unwrap() as u32;
            Span::new(at, at + 1)
        };
        assert!(allows.find(&code::RACE, at("x("), &sources).is_some());
        assert!(allows.find(&code::EQUAL_STORES, at("y("), &sources).is_some());
        assert!(allows.find(&code::RACE, at("z("), &sources).is_none());
        assert!(allows.find(&code::OUT_OF_BOUNDS, at("x("), &sources).is_none());
        let unused = allows.unused(&sources, |it| it.in_runs, &[]);
        assert_eq!(unused.len(), 1);
        assert!(unused[0].message.contains("`race`"), "{}", unused[0].message);
        // Only what was compiled is judged.
        assert!(allows.unused(&sources, |it| it.in_runs, &[at("z(")]).is_empty());
    }

    #[test]
    fn a_reason_and_an_existing_code_are_required() {
        for (text, what) in [
            ("// wavelane: allow(race)", "no reason"),
            ("// wavelane: allow(race):  ", "no reason"),
            ("// wavelane: allow race: so", "names no code"),
            ("// wavelane: allow(rcae): so", "did you mean `race`?"),
            ("// wavelane: allow(syntax): so", "an error of the compiler"),
            ("// wavelane: forbid(race): so", "`forbid`"),
        ] {
            let (_, _, wrong) = read(text);
            assert!(wrong.len() == 1 && wrong[0].message.contains(what), "{text}: {wrong:?}");
        }
        for text in ["// see wavelane: allow", "// wavelane: a tool", "\"wavelane: allow\"", "//"] {
            assert!(read(text).2.is_empty(), "{text}");
        }
    }

    #[test]
    fn a_comment_at_the_end_of_a_file_applies_to_nothing() {
        let (sources, allows, _) = read("x();\n// wavelane: allow(race): so");
        assert_eq!(allows.unused(&sources, |_| true, &[Span::new(0, 1)]).len(), 1);
    }
}
