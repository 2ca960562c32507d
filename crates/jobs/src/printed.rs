//! What a shader printed, as lines, and its failed assertions, with the lanes of equal lines merged.

use std::fmt::Write;

use wavelane::{Printed, PrintedLine, SourceMap, Span};

use crate::outcome::{Finding, Row};
use crate::run::PassName;

/// What a dispatch printed, with locations that need no sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedLines {
    /// Where the dispatch is one of several.
    pub pass: Option<PassName>,
    pub lines: Vec<PlacedLine>,
    /// How many further lines were not kept.
    pub more: u64,
}

/// A line that a lane printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedLine {
    pub group: [u32; 3],
    pub wave: u32,
    pub lane: u32,
    /// The file and the line of the statement, if they are known.
    pub at: Option<(String, u32)>,
    pub text: String,
}

impl PrintedLines {
    /// With the places that `sources` knows.
    pub fn new(printed: &Printed, sources: &SourceMap) -> PrintedLines {
        let placed = |it: &PrintedLine| {
            let at = sources.location(it.span).map(|at| (at.file.to_string(), at.line));
            let PrintedLine { group, wave, lane, ref text, .. } = *it;
            PlacedLine { group, wave, lane, at, text: text.clone() }
        };
        let lines = printed.lines.iter().map(placed).collect();
        PrintedLines { pass: None, lines, more: printed.more }
    }

    /// Whether nothing was printed.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.more == 0
    }
}

/// Such as `group 0 wave 0 lane 3: a.hlsl:12: text`, a line for each lane, below the name of the pass if there are
/// several; last, how many further lines were not kept.
pub fn printed_text(all: &[PrintedLines]) -> String {
    let mut text = String::new();
    for PrintedLines { pass, lines, .. } in all {
        if let Some(pass) = pass {
            let _ = writeln!(text, "{pass}:");
        }
        for line in lines {
            let _ = write!(text, "{} lane {}: ", wave(line.group, line.wave), line.lane);
            if let Some((file, line)) = &line.at {
                let _ = write!(text, "{file}:{line}: ");
            }
            let _ = writeln!(text, "{}", line.text);
        }
    }
    let more: u64 = all.iter().map(|it| it.more).sum();
    if more > 0 {
        // The limit applies to each dispatch.
        let kept = all.iter().map(|it| it.lines.len()).max().unwrap_or(0);
        let _ = writeln!(text, "… {more} more; --print-limit N keeps more than {kept}");
    }
    text
}

/// An assertion that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedAssertion {
    pub span: Span,
    /// Such as `assertion failed: i < 3`.
    pub what: String,
    pub rows: Vec<FailedLanes>,
}

/// The lanes of a wave in which an assertion failed with the same values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedLanes {
    /// Such as `group 0 wave 1 lanes 0..3, 7`.
    pub place: String,
    /// What the condition compared, such as `5 < 3`; empty if it is not a comparison.
    pub values: String,
}

/// The first of several equal lines, and the lanes that printed them.
type Alike<'a> = (&'a PrintedLine, Vec<u32>);

/// The assertions that failed, each once, in the order of their first failures.
pub fn failed_assertions(printed: &Printed) -> Vec<FailedAssertion> {
    let mut all: Vec<(FailedAssertion, Vec<Alike<'_>>)> = Vec::new();
    for line in &printed.failures {
        let (what, _) = split(&line.text);
        let known = all.iter().position(|(it, _)| it.span == line.span && it.what == what);
        let index = known.unwrap_or_else(|| {
            let it = FailedAssertion { span: line.span, what: what.into(), rows: Vec::new() };
            all.push((it, Vec::new()));
            all.len() - 1
        });
        let rows = &mut all[index].1;
        let is_same = |(first, _): &&mut Alike<'_>| {
            (first.group, first.wave, &first.text) == (line.group, line.wave, &line.text)
        };
        match rows.iter_mut().find(is_same) {
            Some((_, lanes)) => lanes.push(line.lane),
            None => rows.push((line, vec![line.lane])),
        }
    }
    let finish = |(mut it, rows): (FailedAssertion, Vec<Alike<'_>>)| {
        let row = |(first, all): &Alike<'_>| FailedLanes {
            place: format!("{} {}", wave(first.group, first.wave), lanes(all)),
            values: split(&first.text).1.to_owned(),
        };
        it.rows = rows.iter().map(row).collect();
        it
    };
    all.into_iter().map(finish).collect()
}

/// The failed assertions as findings of a test.
pub(crate) fn findings(printed: &Printed, sources: &SourceMap) -> Vec<Finding> {
    let finding = |it: FailedAssertion| {
        let at = sources.location(it.span);
        let row = |row: FailedLanes| Row {
            place: row.place,
            expected: it.what.trim_start_matches("assertion failed: ").to_owned(),
            got: if row.values.is_empty() { "false".to_owned() } else { row.values },
        };
        Finding {
            message: it.what.clone(),
            file: at.as_ref().map_or(String::new(), |at| at.file.to_string()),
            line: at.map_or(0, |at| at.line),
            rows: it.rows.into_iter().map(row).collect(),
            more: 0,
        }
    };
    failed_assertions(printed).into_iter().map(finding).collect()
}

/// The condition and the values: `assertion failed: i < 3`, `5 < 3`.
fn split(text: &str) -> (&str, &str) {
    match text.split_once(VALUES) {
        Some((what, values)) => (what, values),
        None => (text, ""),
    }
}

/// The separator between the condition and the values.
const VALUES: &str = " with ";

/// Such as `group 0 wave 1`; a dispatch in several dimensions has all of a group's numbers.
fn wave(group: [u32; 3], wave: u32) -> String {
    match group {
        [x, 0, 0] => format!("group {x} wave {wave}"),
        [x, y, z] => format!("group {x},{y},{z} wave {wave}"),
    }
}

/// Such as `lane 3` or `lanes 0..3, 7`.
fn lanes(all: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for lane in all {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *lane => *last = *lane,
            _ => runs.push((*lane, *lane)),
        }
    }
    let run = |it: &(u32, u32)| match it {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}..{last}"),
    };
    let word = if all.len() == 1 { "lane" } else { "lanes" };
    format!("{word} {}", runs.iter().map(run).collect::<Vec<_>>().join(", "))
}
