//! The report for people, and which form a report takes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use jobs::{Finding, Row, Verdict, printed_text};

use super::baseline::Baseline;
use super::formats;
use super::record::{Record, Report};
use crate::asked::{Output, Partition};

/// Writes a report.
pub(crate) fn write(
    report: &Report,
    known: &Baseline,
    output: Output,
    out: &mut impl Write,
) -> io::Result<()> {
    match output {
        Output::Text => text(report, known, out)?,
        Output::Json => formats::json(report, out)?,
        Output::Junit => formats::junit(report, known, out)?,
        Output::Sarif => formats::sarif(&report.records, known, out)?,
        Output::Github => {
            formats::github(&report.records, known, out)?;
            writeln!(out, "{}", summary(report))?;
        }
    }
    out.flush()
}

/// `N passed, N failed, N unsupported; wave sizes 4, 8`
pub(super) fn summary(report: &Report) -> String {
    let records = &report.records;
    let count = |verdict| records.iter().filter(|it| it.outcome.verdict == verdict).count();
    let words = Verdict::ALL.map(|it| format!("{} {}", count(it), it.name()));
    let mut text = words.join(", ");
    let widths: BTreeSet<u32> =
        records.iter().map(|it| it.outcome.width).filter(|it| *it > 0).collect();
    let widths: Vec<String> = widths.iter().map(u32::to_string).collect();
    match widths.as_slice() {
        [] => {}
        [only] => text.push_str(&format!("; wave size {only}")),
        several => text.push_str(&format!("; wave sizes {}", several.join(", "))),
    }
    if let Some(part) = report.part {
        let Partition { index, of, .. } = part.partition;
        text.push_str(&format!("; part {index} of {of}"));
    }
    text
}

fn text(report: &Report, known: &Baseline, out: &mut impl Write) -> io::Result<()> {
    let records = &report.records;
    let failed = records.iter().filter(|it| it.outcome.verdict == Verdict::Failed);
    let mut open: Vec<&Record> = failed.clone().collect();
    while let Some(first) = open.first().copied() {
        // Equal failures at several widths are reported once, and so is a file that does not compile for any of its
        // cases.
        let is_alike = |it: &&Record| {
            let is_whole_file = it.outcome.width == 0 && it.file == first.file;
            (it.test == first.test || is_whole_file)
                && it.outcome.width.min(1) == first.outcome.width.min(1)
                && it.outcome.message == first.outcome.message
                && it.outcome.findings == first.outcome.findings
                && known.expects(it) == known.expects(first)
        };
        let (alike, rest): (Vec<&Record>, Vec<&Record>) = open.into_iter().partition(is_alike);
        failure(&alike, known, out)?;
        open = rest;
    }
    let unsupported = records.iter().filter(|it| it.outcome.verdict == Verdict::Unsupported);
    let reasons = grouped(unsupported.map(|it| (first_line(&it.outcome.message), it)));
    for (reason, records) in reasons {
        writeln!(out, "unsupported: {reason}")?;
        names(&records, out)?;
    }
    let remarks = records.iter().flat_map(|it| {
        it.outcome.remarks.iter().map(move |remark| (remark.as_str().to_owned(), it))
    });
    for (remark, records) in grouped(remarks) {
        writeln!(out, "note: {remark}")?;
        names(&records, out)?;
    }
    let known_failures = failed.filter(|it| known.expects(it)).count();
    if known_failures > 0 {
        writeln!(out, "{known_failures} of the failures are known")?;
    }
    let passes = records.iter().filter(|it| it.outcome.verdict == Verdict::Passed);
    for record in passes.filter(|it| known.expects(it)) {
        writeln!(out, "note: `{}` passes now, and the baseline says that it fails", record.id())?;
    }
    writeln!(out, "{}", summary(report))
}

fn failure(alike: &[&Record], known: &Baseline, out: &mut impl Write) -> io::Result<()> {
    let record = alike[0];
    let mark = match (known.expects(record), record.outcome.is_wrong) {
        (true, _) => "known failure",
        (false, true) => "bad file",
        (false, false) => "FAIL",
    };
    let widths: Vec<String> = alike.iter().map(|it| it.outcome.width.to_string()).collect();
    let others: Vec<&str> =
        alike.iter().map(|it| it.test.as_str()).filter(|it| *it != record.test).collect();
    let lanes = match record.outcome.width {
        0 => String::new(),
        _ => format!(" with waves of {} lanes", widths.join(", ")),
    };
    match others.as_slice() {
        [] => writeln!(out, "{mark}: {}{lanes}", record.test)?,
        [other] => writeln!(out, "{mark}: {} and {other}", record.test)?,
        [_, ..] => writeln!(out, "{mark}: {} and {} more of the file", record.test, others.len())?,
    }
    for line in record.outcome.message.lines() {
        writeln!(out, "  {line}")?;
    }
    for finding in &record.outcome.findings {
        writeln!(out, "  {}: {}", place(finding), finding.message)?;
        write!(out, "{}", table(finding))?;
    }
    let printed = printed_text(&record.outcome.printed);
    if !printed.is_empty() {
        writeln!(out, "  printed:")?;
    }
    for line in printed.lines().take(MOST_ROWS) {
        writeln!(out, "    {line}")?;
    }
    let more = printed.lines().count().saturating_sub(MOST_ROWS);
    if more > 0 {
        writeln!(out, "    … {more} more lines; wavelane run shows all")?;
    }
    writeln!(out, "  again: {}\n", record.command)
}

pub(super) fn place(finding: &Finding) -> String {
    match finding.line {
        0 => finding.file.clone(),
        line => format!("{}:{line}", finding.file),
    }
}

/// How many rows are shown to people; machines get all.
const MOST_ROWS: usize = 16;

/// The values in columns; neighbouring elements with the same values share a row.
pub(super) fn table(finding: &Finding) -> String {
    let mut folded: Vec<(Row, usize)> = Vec::new();
    let mut last = "";
    for row in &finding.rows {
        match folded.last_mut() {
            Some((known, count))
                if known.expected == row.expected
                    && known.got == row.got
                    && are_neighbours(last, &row.place) =>
            {
                *count += 1;
            }
            _ => {
                end_row(&mut folded, last);
                folded.push((row.clone(), 1));
            }
        }
        last = &row.place;
    }
    end_row(&mut folded, last);
    let rows = &folded[..folded.len().min(MOST_ROWS)];
    let width = |cell: fn(&Row) -> &String| {
        rows.iter().map(|it| cell(&it.0).chars().count()).max().unwrap_or(0)
    };
    let (place, expected) = (width(|it| &it.place), width(|it| &it.expected));
    let mut text = String::new();
    for (row, _) in rows {
        text.push_str(&format!(
            "    {:<place$}  expected {:<expected$}  got {}\n",
            row.place, row.expected, row.got
        ));
    }
    let shown: usize = rows.iter().map(|it| it.1).sum();
    let more = finding.more + finding.rows.len() - shown;
    if more > 0 {
        text.push_str(&format!("    … {more} more\n"));
    }
    text
}

/// Whether two places are elements in a row, such as `Out[3]` and `Out[4]`. Lanes are ranges by themselves.
fn are_neighbours(one: &str, next: &str) -> bool {
    let element = |place: &str| {
        let (name, index) = place.strip_suffix(']')?.rsplit_once('[')?;
        Some((name.to_owned(), index.parse::<u64>().ok()?))
    };
    match (element(one), element(next)) {
        (Some((a, i)), Some((b, j))) => a == b && i + 1 == j,
        _ => false,
    }
}

/// Names the places of the last row, which ends with this one.
fn end_row(folded: &mut [(Row, usize)], last: &str) {
    if let Some((row, 2..)) = folded.last_mut() {
        row.place = format!("{} to {last}", row.place);
    }
}

fn grouped<'a>(
    items: impl Iterator<Item = (String, &'a Record)>,
) -> BTreeMap<String, Vec<&'a Record>> {
    let mut groups: BTreeMap<String, Vec<&Record>> = BTreeMap::new();
    for (key, record) in items {
        let group = groups.entry(key).or_default();
        // The widths of one test have the same text.
        if group.last().is_none_or(|it| it.test != record.test) {
            group.push(record);
        }
    }
    groups
}

fn names(records: &[&Record], out: &mut impl Write) -> io::Result<()> {
    const MOST: usize = 4;
    for record in records.iter().take(MOST) {
        writeln!(out, "  {}", record.test)?;
    }
    match records.len().saturating_sub(MOST) {
        0 => Ok(()),
        more => writeln!(out, "  … {more} more"),
    }
}

/// The first line; for a report of the compiler, its first message.
pub(super) fn first_line(message: &str) -> String {
    let mut lines = message.lines();
    let first = lines.next().unwrap_or("");
    let said = lines.find_map(|it| it.split_once(": unsupported").map(|(_, rest)| rest));
    match said {
        Some(said) => format!("{first}: {}", said.split_once(": ").map_or(said, |(_, it)| it)),
        None => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::example;
    use super::*;

    #[test]
    fn people_see_values_and_how_to_run_it_again() {
        let records =
            vec![example("a.test", 4, Verdict::Failed), example("b.test", 0, Verdict::Unsupported)];
        let report = Report { records, ..Report::default() };
        let mut out = Vec::new();
        write(&report, &Baseline::default(), Output::Text, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("FAIL: a.test with waves of 4 lanes\n  a \"message\""), "{text}");
        assert!(text.contains("    Out[3]  expected 1  got 2\n    … 2 more\n"), "{text}");
        assert!(text.contains("again: wavelane test a.test --wave-size 4\n"), "{text}");
        assert!(text.ends_with("\n0 passed, 1 failed, 1 unsupported; wave size 4\n"), "{text}");
    }

    #[test]
    fn a_file_that_does_not_compile_is_reported_once() {
        let case = |name: &str| {
            let mut record = example(name, 0, Verdict::Failed);
            record.file = "a.hlsl".to_owned();
            record.outcome.findings.clear();
            record
        };
        let mut records = vec![case("a.hlsl::a"), case("a.hlsl::b"), case("a.hlsl::c")];
        records[2].outcome.message = "other".to_owned();
        let report = Report { records, ..Report::default() };
        let mut out = Vec::new();
        write(&report, &Baseline::default(), Output::Text, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("FAIL: a.hlsl::a and a.hlsl::b\n  a \"message\""), "{text}");
        assert_eq!(text.matches("FAIL: ").count(), 2, "{text}");
        assert!(text.ends_with("\n0 passed, 3 failed, 0 unsupported\n"), "{text}");
    }

    #[test]
    fn neighbours_with_the_same_values_share_a_row() {
        let row = |index: usize, got: &str| Row {
            place: format!("Out[{index}]"),
            expected: "1".to_owned(),
            got: got.to_owned(),
        };
        let mut record = example("a.test", 4, Verdict::Failed);
        let finding = &mut record.outcome.findings[0];
        finding.rows = (0..8).map(|it| row(it, "0")).chain([row(8, "2"), row(9, "0")]).collect();
        finding.more = 0;
        let shown = "    Out[0] to Out[7]  expected 1  got 0\n    Out[8]            expected 1  got 2\n    \
                     Out[9]            expected 1  got 0\n";
        assert_eq!(table(finding), shown);
    }

    #[test]
    fn only_consecutive_elements_are_shown_as_a_range() {
        let mut record = example("a.test", 4, Verdict::Failed);
        let finding = &mut record.outcome.findings[0];
        let row = |place: &str| Row {
            place: place.to_owned(),
            expected: "1".to_owned(),
            got: "0".to_owned(),
        };
        let places = ["lane 3 of every wave", "lane 7", "Out[1]", "Out[3]", "Out[4]", "Other[5]"];
        finding.rows = places.map(row).into();
        finding.more = 0;
        let shown = table(finding);
        let shown: Vec<&str> =
            shown.lines().map(|it| it.split("  expected").next().unwrap_or("").trim()).collect();
        let expected = ["lane 3 of every wave", "lane 7", "Out[1]", "Out[3] to Out[4]", "Other[5]"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_the_compiler_lacks_is_reported_in_its_words() {
        let message =
            "it does not compile\na.hlsl:1:2: unsupported[x]: `ddx` is not supported\n  |\n";
        assert_eq!(first_line(message), "it does not compile: `ddx` is not supported");
    }
}
