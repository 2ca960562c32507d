//! Reports for machines: JSON lines, JUnit's XML, SARIF, and the annotations of GitHub's runners.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use jobs::Verdict;
use serde_json::{Value, json};
use wavelane::internal::diag;

use super::baseline::Baseline;
use super::people::{place, table};
use super::record::{self, Record, Report};
use super::xml;

/// A line for each test at each width, and a last one with the summary.
pub(super) fn json(report: &Report, out: &mut impl Write) -> io::Result<()> {
    for record in &report.records {
        writeln!(out, "{}", record.to_json())?;
    }
    writeln!(out, "{}", record::summary(report))
}

pub(super) fn junit(report: &Report, known: &Baseline, out: &mut impl Write) -> io::Result<()> {
    let records = &report.records;
    let mut files: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        files.entry(&record.file).or_default().push(record);
    }
    let counts = |records: &[&Record]| {
        let is_new = |it: &&&Record| it.outcome.verdict == Verdict::Failed && !known.expects(it);
        let errors = records.iter().filter(is_new).filter(|it| it.outcome.is_wrong).count();
        let failed = records.iter().filter(is_new).count() - errors;
        let passed = records.iter().filter(|it| it.outcome.verdict == Verdict::Passed).count();
        let skipped = records.len() - passed - failed - errors;
        let time = time(records.iter().map(|it| it.micros).sum());
        let started = report.started.iter().map(|it| format!(" timestamp=\"{}\"", xml(it)));
        format!(
            "tests=\"{}\" failures=\"{failed}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{time}\"{}",
            records.len(),
            started.collect::<String>()
        )
    };
    let all: Vec<&Record> = records.iter().collect();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"wavelane\" {}>", counts(&all))?;
    for (file, records) in &files {
        let file = xml(file);
        writeln!(out, "  <testsuite name=\"{file}\" file=\"{file}\" {}>", counts(records))?;
        for record in records {
            let (name, line, time) = (xml(&record.id()), record.line, time(record.micros));
            write!(
                out,
                "    <testcase classname=\"{file}\" name=\"{name}\" file=\"{file}\" line=\"{line}\" time=\"{time}\""
            )?;
            let message = &record.outcome.message;
            let first = xml(message.lines().next().unwrap_or(""));
            match record.outcome.verdict {
                Verdict::Passed => writeln!(out, "/>")?,
                Verdict::Unsupported => {
                    writeln!(out, "><skipped message=\"unsupported: {first}\"/></testcase>")?;
                }
                Verdict::Failed if known.expects(record) => {
                    writeln!(out, "><skipped message=\"known failure: {first}\"/></testcase>")?;
                }
                Verdict::Failed => {
                    let body = xml(&details(record));
                    let tag = if record.outcome.is_wrong { "error" } else { "failure" };
                    writeln!(out, "><{tag} message=\"{first}\">{body}</{tag}></testcase>")?;
                }
            }
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// Microseconds as seconds.
pub(crate) fn time(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// Everything that is known about a failure.
fn details(record: &Record) -> String {
    let mut text = format!("{}\n", record.outcome.message.trim_end());
    for finding in &record.outcome.findings {
        text.push_str(&format!("{}: {}\n{}", place(finding), finding.message, table(finding)));
    }
    text.push_str(&format!("again: {}\n", record.command));
    text
}

/// Failures that are not known, at one place of a file.
struct Failed<'a> {
    file: &'a str,
    line: u32,
    /// Of one test at several widths, or of several tests of a file that does not compile.
    records: Vec<&'a Record>,
}

impl Failed<'_> {
    /// The tests with their widths.
    fn title(&self) -> String {
        let mut title = self.records[0].test.clone();
        let others: BTreeSet<&str> = self.records.iter().map(|it| it.test.as_str()).collect();
        if others.len() > 1 {
            title.push_str(&format!(" and {} more of the file", others.len() - 1));
        }
        let widths: BTreeSet<u32> =
            self.records.iter().map(|it| it.outcome.width).filter(|it| *it > 0).collect();
        let widths: Vec<String> = widths.iter().map(u32::to_string).collect();
        match widths.as_slice() {
            [] => {}
            [only] => title.push_str(&format!(" with waves of {only} lanes")),
            several => title.push_str(&format!(" with waves of {} lanes", several.join(", "))),
        }
        title
    }
}

/// Every place of the failures that are not known, in order: a place that a test names at several widths is one, since
/// services show few annotations.
fn places<'a>(records: &'a [Record], known: &Baseline) -> Vec<Failed<'a>> {
    let mut places: Vec<Failed<'a>> = Vec::new();
    let mut index: BTreeMap<(&str, &str, u32), usize> = BTreeMap::new();
    let is_new = |it: &&Record| it.outcome.verdict == Verdict::Failed && !known.expects(it);
    for record in records.iter().filter(is_new) {
        let findings = &record.outcome.findings;
        let whole = findings.is_empty().then_some((record.file.as_str(), record.line));
        let found = findings.iter().map(|it| (it.file.as_str(), it.line));
        // A record without a width is about the file, whichever of its tests has it.
        let subject = match record.outcome.width {
            0 => record.outcome.message.as_str(),
            _ => record.test.as_str(),
        };
        for (file, line) in whole.into_iter().chain(found) {
            let line = if record.outcome.width == 0 && findings.is_empty() { 0 } else { line };
            match index.get(&(subject, file, line)) {
                Some(at) => places[*at].records.push(record),
                None => {
                    index.insert((subject, file, line), places.len());
                    places.push(Failed { file, line, records: vec![record] });
                }
            }
        }
    }
    places
}

pub(super) fn sarif(records: &[Record], known: &Baseline, out: &mut impl Write) -> io::Result<()> {
    let results: Vec<Value> = places(records, known)
        .into_iter()
        .map(|failed| {
            let mut location = json!({ "artifactLocation": { "uri": diag::uri(failed.file) } });
            if failed.line > 0 {
                location["region"] = json!({ "startLine": failed.line });
            }
            let text = format!("{}\n{}", failed.title(), details(failed.records[0]));
            json!({
                "ruleId": "test-failed",
                "level": "error",
                "message": { "text": text },
                "locations": [{ "physicalLocation": location }],
            })
        })
        .collect();
    let rule = json!({
        "id": "test-failed",
        "shortDescription": { "text": "a test did not give what it expects" },
    });
    let report = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "wavelane",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [rule],
            } },
            "results": results,
        }],
    });
    writeln!(out, "{}", diag::sarif_with_files(report))
}

pub(super) fn github(records: &[Record], known: &Baseline, out: &mut impl Write) -> io::Result<()> {
    let escape = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
    for failed in places(records, known) {
        let line = if failed.line > 0 { format!(",line={}", failed.line) } else { String::new() };
        let (file, title) = (property(failed.file), property(&failed.title()));
        let text = escape(&details(failed.records[0]));
        writeln!(out, "::error file={file}{line},title={title}::{text}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::record::example;
    use super::*;

    fn report() -> Report {
        let records = Verdict::ALL.map(|verdict| example("a.test", 8, verdict)).to_vec();
        Report { records, started: Some("2026-01-31T12:00:00Z".to_owned()), part: None }
    }

    fn text(out: Vec<u8>) -> String {
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn junit_counts_and_escapes() {
        let mut out = Vec::new();
        junit(&report(), &Baseline::default(), &mut out).unwrap();
        let text = text(out);
        let counts = "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"0.004500\" \
                      timestamp=\"2026-01-31T12:00:00Z\"";
        assert_eq!(text.matches(counts).count(), 2, "{text}");
        let case = "name=\"a.test@8\" file=\"a.test\" line=\"3\" time=\"0.001500\"";
        assert!(text.contains(case), "{text}");
        assert!(text.contains("message=\"a &quot;message&quot; &lt;&amp;&gt;\""), "{text}");
        assert!(text.contains("again: wavelane test"), "{text}");
        assert_eq!(xml("\u{1b}a"), "\u{fffd}a");
    }

    #[test]
    fn a_file_with_errors_is_an_error_and_not_a_failure() {
        let mut report = report();
        report.records.iter_mut().for_each(|it| it.outcome.is_wrong = true);
        let mut out = Vec::new();
        junit(&report, &Baseline::default(), &mut out).unwrap();
        let text = text(out);
        assert!(text.contains("failures=\"0\" errors=\"1\"") && text.contains("<error "), "{text}");
    }

    #[test]
    fn sarif_and_github_point_to_the_line_once() {
        let mut records = report().records;
        records.push(example("a.test", 16, Verdict::Failed));
        records.push(example("b c#.test", 16, Verdict::Failed));
        let mut out = Vec::new();
        sarif(&records, &Baseline::default(), &mut out).unwrap();
        let value: Value = serde_json::from_str(&text(out)).unwrap();
        let run = &value["runs"][0];
        assert_eq!(run["results"].as_array().unwrap().len(), 2);
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["region"]["startLine"], 7);
        let artifacts: Vec<&str> = run["artifacts"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|it| it["location"]["uri"].as_str())
            .collect();
        assert_eq!(artifacts, ["a.test", "b%20c%23.test"], "{run}");
        let mut out = Vec::new();
        github(&records, &Baseline::default(), &mut out).unwrap();
        let text = text(out);
        let title =
            "::error file=a.test,line=7,title=a.test with waves of 8%2C 16 lanes::a \"message\"";
        assert!(text.starts_with(title), "{text}");
        assert_eq!(text.lines().count(), 2);
    }
}
