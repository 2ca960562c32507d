//! Findings that are known: a file with one finding a line, as `CODE FILE: LINE OF SOURCE`.
//!
//! The text of the line identifies its place, so that a baseline stays valid when other lines are added or removed.
//! Equal lines are counted: two known findings do not hide a third. White space and the order of lines mean nothing.

use std::collections::BTreeMap;
use std::path::Path;

use wavelane::{SourceMap, Span};

use crate::problem::Problem;

/// How often each finding is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Baseline {
    left: BTreeMap<String, usize>,
}

impl Baseline {
    pub(super) fn read(file: &Path) -> Result<Baseline, Problem> {
        let (_, text) = crate::files::read_source(&file.to_string_lossy())?;
        let mut baseline = Baseline::default();
        for line in text.lines().map(normal).filter(|it| !it.is_empty() && !it.starts_with('#')) {
            *baseline.left.entry(line).or_default() += 1;
        }
        Ok(baseline)
    }

    /// Whether a finding is known; each line of the file covers one.
    pub(super) fn takes(&mut self, key: &str) -> bool {
        match self.left.get_mut(key) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }

    /// The lines of the file that nothing was found for.
    pub(super) fn left(self) -> Vec<String> {
        let times = |(line, count): (String, usize)| std::iter::repeat_n(line, count);
        self.left.into_iter().flat_map(times).collect()
    }
}

/// What a line of the file says about a finding.
pub(super) fn key(code: &str, at: Span, sources: &SourceMap) -> String {
    let file = sources.location(at).map_or_else(String::new, |it| it.file.replace('\\', "/"));
    let file = file.trim_start_matches("./");
    normal(&format!("{code} {file}: {}", sources.line(at)))
}

fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn write(file: &Path, mut keys: Vec<String>) -> Result<(), Problem> {
    keys.sort();
    let lines: String = keys.iter().map(|it| format!("{it}\n")).collect();
    let text = format!("# Known findings; wavelane san --baseline FILE\n{lines}");
    std::fs::write(file, text)
        .map_err(|error| Problem::input(format!("`{}` cannot be written: {error}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str, what: &str) -> Vec<String> {
        let mut sources = SourceMap::new();
        sources.add("./a.hlsl", text).unwrap();
        let places = text.match_indices(what);
        places.map(|(at, _)| key("race", Span::new(at as u32, at as u32 + 1), &sources)).collect()
    }

    #[test]
    fn a_finding_is_known_by_the_text_of_its_line() {
        let before = keys("  tile[t]  = x;\n", "tile");
        let after = keys("// new\n\n\ttile[t] = x;\n", "tile");
        assert_eq!(before, after);
        assert_eq!(before, ["race a.hlsl: tile[t] = x;"]);
    }

    #[test]
    fn two_known_findings_do_not_hide_a_third() {
        let mut sources = SourceMap::new();
        sources.add("a.hlsl", "x;\n").unwrap();
        let mut baseline = Baseline::default();
        let at = Span::new(0, 1);
        baseline.left.insert(key("race", at, &sources), 2);
        baseline.left.insert("gone b.hlsl: y;".to_owned(), 2);
        let mut known = || baseline.takes(&key("race", at, &sources));
        assert_eq!([known(), known(), known()], [true, true, false]);
        assert_eq!(baseline.left(), ["gone b.hlsl: y;"; 2]);
    }
}
