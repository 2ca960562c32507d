//! Fixes for findings, each tried before it is offered: a fix must compile, end the finding, and leave
//! nothing undefined of another kind.
//!
//! The sanitizer's remedies are words, because it cannot know what the program means. One of them is a text that can be
//! put into the program: a barrier between two accesses. Whether it helps follows from another sweep.

use sanitizer::{Kind, Report, Verdict};

use crate::place::Places;

/// A text to insert at a byte of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mend {
    pub(crate) at: usize,
    pub(crate) text: String,
    /// The index of the finding.
    pub(crate) finding: usize,
    pub(crate) what: &'static str,
}

/// The most attempts: each is a sweep.
const MOST_TRIED: usize = 6;

const BARRIER: &str = "GroupMemoryBarrierWithGroupSync()";

/// What may end the findings, the likeliest first.
pub(crate) fn candidates(report: &Report, places: &Places) -> Vec<Mend> {
    let races = report.seen.iter().enumerate().filter(|(_, it)| it.finding.kind == Kind::Race);
    let barriers = races.flat_map(|(index, seen)| {
        let has_help = seen.finding.helps.iter().any(|it| it.contains(BARRIER));
        let sites = seen.finding.related.iter().chain([&seen.finding.site]);
        let last = sites.filter_map(|it| places.bytes(it.span)).map(|(from, _)| from).max();
        let lines = last.filter(|_| has_help).map(|last| statements(places.text(), last));
        lines.unwrap_or_default().into_iter().map(move |(at, indent)| {
            let text = format!("{indent}{BARRIER};\n");
            Mend { at, text, finding: index, what: "put a barrier between the accesses" }
        })
    });
    barriers.take(MOST_TRIED).collect()
}

/// The lines before which a statement can stand that comes before the one at `at`: its own, and those of the statements
/// around it as far as the indentation tells, with that indentation.
fn statements(text: &str, at: usize) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut end = text.get(at..).and_then(|it| it.find('\n')).map_or(text.len(), |it| at + it);
    loop {
        let start = text[..end].rfind('\n').map_or(0, |it| it + 1);
        let line = &text[start..end];
        let code = line.trim_start_matches([' ', '\t']);
        let indent = &line[..line.len() - code.len()];
        let is_outer = found.last().is_none_or(|(_, last)| indent.len() < last.len());
        if is_outer && !code.is_empty() && !code.starts_with(['{', '}', '/', '#']) {
            found.push((start, indent.to_owned()));
        }
        // Unindented text is the head of a function, not a statement.
        if start == 0 || found.last().is_some_and(|(_, it)| it.is_empty()) {
            return found;
        }
        end = start - 1;
    }
}

/// Whether a program has fewer findings of a kind than before, and nothing undefined of a kind that it did not have.
/// More findings of other kinds may come to light, because what a race reaches is not compared.
pub(crate) fn helps(kind: Kind, before: &Report, after: &Report) -> bool {
    let count = |report: &Report, kind: Kind| {
        report.seen.iter().filter(|it| it.finding.kind == kind).count()
    };
    let is_new = |it: &Kind| {
        it.verdict() == Verdict::Undefined && count(before, *it) == 0 && count(after, *it) > 0
    };
    count(after, kind) < count(before, kind) && !Kind::ALL.iter().any(is_new)
}

impl Mend {
    /// The program with the fix.
    pub(crate) fn applied(&self, text: &str) -> String {
        let (before, after) = text.split_at(self.at);
        format!("{before}{}{after}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_may_precede_each_statement_around_an_access() {
        let text =
            "void main()\n{\n    a();\n\n    if (x)\n    {\n        b();\n        c();\n    }\n}\n";
        let at = text.find("c()").unwrap();
        let lines: Vec<&str> = statements(text, at)
            .iter()
            .map(|(at, _)| text[*at..].lines().next().unwrap().trim())
            .collect();
        assert_eq!(lines, ["c();", "if (x)", "void main()"]);
        assert_eq!(statements("x", 0), [(0, String::new())]);
    }
}
