//! Matches a text against the patterns in a test's comments, like LLVM's FileCheck.
//!
//! Supported: `CHECK`, `-NEXT`, `-SAME`, `-NOT`, `-DAG`, `-LABEL`, `-COUNT-n`, `-EMPTY`, regular expressions in
//! `{{…}}`, and variables `[[NAME:regex]]`, `[[NAME]]`. Numeric variables `[[#…]]` are reported as not supported.

use std::collections::BTreeMap;

use regex_lite::Regex;

/// Why a text did not match, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The line of the directive in the pattern file, from 1.
    pub line: usize,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suffix {
    Plain,
    Next,
    Same,
    Not,
    Dag,
    Label,
    Empty,
    Count(usize),
}

#[derive(Clone, Debug)]
struct Directive {
    line: usize,
    suffix: Suffix,
    /// As written, for messages.
    text: String,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Regex(String),
    Define(String, String),
    Use(String),
}

/// Checks `text` with the directives in `patterns` that have one of the prefixes.
pub fn check(patterns: &str, prefixes: &[&str], text: &str) -> Result<(), Mismatch> {
    let directives = directives(patterns, prefixes)?;
    if directives.is_empty() {
        let message = format!("there is no `{}:` directive", prefixes.join(":` or `"));
        return Err(Mismatch { line: 1, message });
    }
    let text = squeeze(text);
    // Labels divide the text into blocks; a directive cannot match beyond the next label.
    let mut checker = Checker { text: &text, at: 0, end: text.len(), variables: BTreeMap::new() };
    let mut labels = Vec::new();
    let mut from = 0;
    for directive in directives.iter().filter(|it| it.suffix == Suffix::Label) {
        let found = checker.find(directive, from, text.len())?;
        let Some((start, end, _)) = found else { return Err(not_found(directive, &text, from)) };
        labels.push((start, end));
        from = end;
    }
    let mut next_label = 0;
    checker.end = labels.first().map_or(text.len(), |it| it.0);
    let mut pending: Vec<&Directive> = Vec::new();
    let mut index = 0;
    while index < directives.len() {
        let directive = &directives[index];
        match directive.suffix {
            Suffix::Not => pending.push(directive),
            Suffix::Label => {
                let (start, end) = labels[next_label];
                checker.forbid(&mut pending, start)?;
                checker.at = end;
                next_label += 1;
                checker.end = labels.get(next_label).map_or(text.len(), |it| it.0);
            }
            Suffix::Dag => {
                let mut group = Vec::new();
                while let Some(it) = directives.get(index)
                    && it.suffix == Suffix::Dag
                {
                    group.push(it);
                    index += 1;
                }
                checker.unordered(&group, &mut pending)?;
                continue;
            }
            Suffix::Plain | Suffix::Next | Suffix::Same | Suffix::Empty | Suffix::Count(_) => {
                checker.ordered(directive, &mut pending)?
            }
        }
        index += 1;
    }
    let end = checker.end;
    checker.forbid(&mut pending, end)
}

struct Checker<'a> {
    text: &'a str,
    /// The end of the last match.
    at: usize,
    /// The end of the block of the current label.
    end: usize,
    variables: BTreeMap<String, String>,
}

/// A match: its start, its end, and the variables it defines.
type Found = (usize, usize, Vec<(String, String)>);

impl Checker<'_> {
    fn ordered(
        &mut self,
        directive: &Directive,
        pending: &mut Vec<&Directive>,
    ) -> Result<(), Mismatch> {
        let times = match directive.suffix {
            Suffix::Count(times) => times,
            _ => 1,
        };
        if directive.suffix == Suffix::Empty {
            let line = self.text[self.at..].find('\n').map(|it| self.at + it + 1);
            let is_empty = line.is_some_and(|it| self.text[it..].starts_with('\n'));
            return match (is_empty, line) {
                (true, Some(line)) => {
                    self.forbid(pending, line)?;
                    self.at = line;
                    Ok(())
                }
                _ => Err(wrong(directive, "the next line is not empty")),
            };
        }
        for _ in 0..times {
            let found = self.find(directive, self.at, self.end)?;
            let Some((start, end, defined)) = found else {
                return Err(not_found(directive, self.text, self.at));
            };
            let lines = self.text[self.at..start].matches('\n').count();
            match directive.suffix {
                Suffix::Next if lines != 1 => {
                    let what = format!(
                        "it matches {lines} lines below the last match, not on the next line"
                    );
                    return Err(wrong(directive, &what));
                }
                Suffix::Same if lines != 0 => {
                    return Err(wrong(
                        directive,
                        "it matches on a later line, not on the same line",
                    ));
                }
                _ => {}
            }
            self.forbid(pending, start)?;
            self.variables.extend(defined);
            self.at = end;
        }
        Ok(())
    }

    /// Matches in any order, without overlaps.
    fn unordered(
        &mut self,
        group: &[&Directive],
        pending: &mut Vec<&Directive>,
    ) -> Result<(), Mismatch> {
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for directive in group {
            let mut from = self.at;
            loop {
                let Some((start, end, defined)) = self.find(directive, from, self.end)? else {
                    return Err(not_found(directive, self.text, self.at));
                };
                match taken.iter().find(|(a, b)| start < *b && *a < end) {
                    Some((_, other)) => from = *other,
                    None => {
                        taken.push((start, end));
                        self.variables.extend(defined);
                        break;
                    }
                }
            }
        }
        let first = taken.iter().map(|it| it.0).min().unwrap_or(self.at);
        self.forbid(pending, first)?;
        self.at = taken.iter().map(|it| it.1).max().unwrap_or(self.at);
        Ok(())
    }

    /// Checks that none of the pending patterns matches before `until`.
    fn forbid(&mut self, pending: &mut Vec<&Directive>, until: usize) -> Result<(), Mismatch> {
        for directive in pending.drain(..) {
            if let Some((start, ..)) = self.find(directive, self.at, until.max(self.at))? {
                let line = self.text[start..].lines().next().unwrap_or("");
                return Err(wrong(directive, &format!("it must not match, but does: `{line}`")));
            }
        }
        Ok(())
    }

    fn find(
        &self,
        directive: &Directive,
        from: usize,
        to: usize,
    ) -> Result<Option<Found>, Mismatch> {
        // Fast path: most patterns are literal text.
        if let [Piece::Literal(literal)] = directive.pieces.as_slice() {
            let found = self.text[from..to].find(literal.as_str());
            return Ok(found.map(|at| (from + at, from + at + literal.len(), Vec::new())));
        }
        let mut expression = "(?m)".to_owned();
        let mut groups: Vec<(String, usize)> = Vec::new();
        let mut same: Vec<(usize, usize)> = Vec::new();
        let mut group = 0;
        for piece in &directive.pieces {
            match piece {
                Piece::Literal(text) => expression.push_str(&regex_lite::escape(text)),
                Piece::Regex(regex) => {
                    expression.push_str(&format!("(?:{regex})"));
                    group += captures(regex);
                }
                Piece::Define(name, regex) => {
                    group += 1;
                    groups.push((name.clone(), group));
                    expression.push_str(&format!("({regex})"));
                    group += captures(regex);
                }
                Piece::Use(name) => match groups.iter().find(|(it, _)| it == name) {
                    // A variable defined on the same line: the expression accepts anything, and equality is checked
                    // afterwards.
                    Some((_, first)) => {
                        group += 1;
                        same.push((*first, group));
                        expression.push_str("(.*?)");
                    }
                    None => match self.variables.get(name) {
                        Some(value) => expression.push_str(&regex_lite::escape(value)),
                        None => {
                            let what = format!("the variable `{name}` is not defined here");
                            return Err(wrong(directive, &what));
                        }
                    },
                },
            }
        }
        let regex = Regex::new(&expression)
            .map_err(|error| wrong(directive, &format!("invalid regular expression: {error}")))?;
        let mut start = from;
        while start <= to {
            let Some(found) = regex.captures(&self.text[start..to]) else { return Ok(None) };
            let text = |group: usize| found.get(group).map_or("", |it| it.as_str());
            let Some(whole) = found.get(0) else { return Ok(None) };
            if same.iter().all(|(a, b)| text(*a) == text(*b)) {
                let defined =
                    groups.iter().map(|(name, group)| (name.clone(), text(*group).to_owned()));
                return Ok(Some((start + whole.start(), start + whole.end(), defined.collect())));
            }
            let step = self.text[start + whole.start()..].chars().next().map_or(1, char::len_utf8);
            start += whole.start() + step;
        }
        Ok(None)
    }
}

fn captures(regex: &str) -> usize {
    Regex::new(regex).map_or(0, |it| it.captures_len() - 1)
}

fn wrong(directive: &Directive, what: &str) -> Mismatch {
    Mismatch { line: directive.line, message: format!("`{}`: {what}", directive.text) }
}

fn not_found(directive: &Directive, text: &str, from: usize) -> Mismatch {
    let rest: Vec<&str> = text[from..].lines().filter(|it| !it.trim().is_empty()).take(6).collect();
    let rest = match rest.is_empty() {
        true => "the output ends here".to_owned(),
        false => format!("the output continues with\n    {}", rest.join("\n    ")),
    };
    wrong(directive, &format!("no match; {rest}"))
}

/// Collapses each run of spaces and tabs into one space, as FileCheck does.
fn squeeze(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    let mut was_space = false;
    for character in text.chars().filter(|it| *it != '\r') {
        let is_space = matches!(character, ' ' | '\t');
        if !(is_space && was_space) {
            squeezed.push(if is_space { ' ' } else { character });
        }
        was_space = is_space;
    }
    squeezed
}

fn directives(patterns: &str, prefixes: &[&str]) -> Result<Vec<Directive>, Mismatch> {
    let mut found = Vec::new();
    for (line, text) in (1..).zip(patterns.lines()) {
        let candidates = prefixes.iter().filter_map(|prefix| {
            let at = text.find(prefix)?;
            let before = text[..at].chars().next_back();
            let is_tail = before.is_some_and(|it| it.is_alphanumeric() || it == '-' || it == '_');
            let (suffix, rest) = suffix(&text[at + prefix.len()..])?;
            (!is_tail).then_some((at, suffix, rest))
        });
        let Some((_, suffix, rest)) = candidates.min_by_key(|it| it.0) else { continue };
        let text = rest.trim();
        let mismatch = |message: String| Mismatch { line, message };
        let pieces = pieces(&squeeze(text)).map_err(mismatch)?;
        if pieces.is_empty() && suffix != Suffix::Empty {
            return Err(Mismatch { line, message: "a directive needs a pattern".to_owned() });
        }
        found.push(Directive { line, suffix, text: text.to_owned(), pieces });
    }
    Ok(found)
}

fn suffix(text: &str) -> Option<(Suffix, &str)> {
    let known = [
        (":", Suffix::Plain),
        ("-NEXT:", Suffix::Next),
        ("-SAME:", Suffix::Same),
        ("-NOT:", Suffix::Not),
        ("-DAG:", Suffix::Dag),
        ("-LABEL:", Suffix::Label),
        ("-EMPTY:", Suffix::Empty),
    ];
    let simple = known.iter().find_map(|(word, it)| Some((*it, text.strip_prefix(word)?)));
    simple.or_else(|| {
        let (count, rest) = text.strip_prefix("-COUNT-")?.split_once(':')?;
        Some((Suffix::Count(count.parse().ok().filter(|it| *it > 0)?), rest))
    })
}

fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let next = rest.find("{{").into_iter().chain(rest.find("[[")).min().unwrap_or(rest.len());
        if next > 0 {
            pieces.push(Piece::Literal(rest[..next].to_owned()));
            rest = &rest[next..];
            continue;
        }
        if let Some(inner) = rest.strip_prefix("{{") {
            // A brace of the expression itself may come before the closing two.
            let end = inner.find("}}").ok_or("unterminated `{{`")?;
            let more = inner[end + 2..].bytes().take_while(|it| *it == b'}').count();
            pieces.push(Piece::Regex(inner[..end + more].to_owned()));
            rest = &inner[end + more + 2..];
            continue;
        }
        let inner = &rest[2..];
        let is_name = |it: &str| {
            !it.is_empty()
                && it.chars().all(|it| it.is_alphanumeric() || it == '_' || it == '$')
                && !it.starts_with(|it: char| it.is_ascii_digit())
        };
        let end = inner.find("]]").ok_or("unterminated `[[`")?;
        if inner.starts_with('#') {
            return Err("numeric variables `[[#…]]` are not supported".to_owned());
        }
        // A character class may end with a bracket right before the closing two.
        let end = end + inner[end + 2..].bytes().take_while(|it| *it == b']').count();
        match inner[..end].split_once(':') {
            Some((name, regex)) if is_name(name) => {
                pieces.push(Piece::Define(name.to_owned(), regex.to_owned()));
            }
            None if is_name(&inner[..end]) => pieces.push(Piece::Use(inner[..end].to_owned())),
            _ => {
                pieces.push(Piece::Literal("[[".to_owned()));
                rest = inner;
                continue;
            }
        }
        rest = &inner[end + 2..];
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_match_like_filecheck() {
        let text = "name: A\n  data:   [ 1, 2 ]\n\nname: B\n  data: [ 7, 7 ]\nend\n";
        for (patterns, fits) in [
            ("# CHECK: name: A\n# CHECK-NEXT: data: [ 1, 2 ]", true),
            ("# CHECK: name: A\n# CHECK-NEXT: name: B", false),
            ("# CHECK: name: A\n# CHECK: name: B\n# CHECK: name: A", false),
            ("# CHECK-DAG: name: B\n# CHECK-DAG: name: A\n# CHECK: end", true),
            ("# CHECK: A\n# CHECK-NOT: B\n# CHECK: end", false),
            ("# CHECK: B\n# CHECK-NOT: A\n# CHECK: end", true),
            ("# CHECK: B\n# CHECK-NOT: end", false),
            ("# CHECK: data\n# CHECK-SAME: 1, 2\n# CHECK-EMPTY:\n# CHECK-NEXT: B", true),
            ("# CHECK: data\n# CHECK-SAME: B", false),
            ("# CHECK-COUNT-2: name", true),
            ("# CHECK-COUNT-3: name", false),
            ("# CHECK-LABEL: name: A\n# CHECK: 1\n# CHECK-LABEL: name: B\n# CHECK: 7", true),
            ("# CHECK-LABEL: name: A\n# CHECK: 7\n# CHECK-LABEL: name: B", false),
            ("# CHECK: data: [ {{[0-9]+}}, 2 ]", true),
            ("# CHECK: [ [[X:[0-9]]], [[X]] ]\n# CHECK: end", true),
            ("# CHECK: name: [[N:[A-Z]]]\n# CHECK: [[N]]", false),
            ("# CHECK: [[UNDEFINED]]", false),
            ("# NOCHECK: zzz\n# CHECK: end", true),
            ("nothing", false),
            ("# CHECK:", false),
            ("# CHECK: {{(}}", false),
        ] {
            assert_eq!(check(patterns, &["CHECK"], text).is_ok(), fits, "{patterns}");
        }
        assert!(check("# DX-NEXT: x\n# A: end", &["A", "B"], text).is_ok());
    }

    #[test]
    fn a_mismatch_names_the_line_and_the_actual_output() {
        let error = check("x\n# CHECK: two", &["CHECK"], "one\n").unwrap_err();
        assert_eq!(error.line, 2);
        assert!(error.message.contains("`two`") && error.message.contains("one"), "{error:?}");
    }
}
