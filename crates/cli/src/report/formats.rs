//! Reports for machines: JSON lines, JUnit's XML, SARIF, and the annotations of GitHub's runners.

use std::collections::BTreeMap;
use std::io::{self, Write};

use jobs::Verdict;
use serde_json::{Value, json};

use super::baseline::Baseline;
use super::people::{place, table};
use super::record::Record;

/// A line for each test at each width, and a last one with the summary.
pub(super) fn json(records: &[Record], out: &mut impl Write) -> io::Result<()> {
    for record in records {
        writeln!(out, "{}", record.to_json())?;
    }
    let count = |verdict| records.iter().filter(|it| it.outcome.verdict == verdict).count();
    let counts: serde_json::Map<String, Value> =
        Verdict::ALL.iter().map(|it| (it.name().to_owned(), json!(count(*it)))).collect();
    writeln!(out, "{}", json!({ "summary": counts }))
}

pub(super) fn junit(records: &[Record], known: &Baseline, out: &mut impl Write) -> io::Result<()> {
    let mut files: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        files.entry(&record.file).or_default().push(record);
    }
    let counts = |records: &[&Record]| {
        let is_failed = |it: &&&Record| it.outcome.verdict == Verdict::Failed;
        let failed = records.iter().filter(is_failed).filter(|it| !known.expects(it)).count();
        let passed = records.iter().filter(|it| it.outcome.verdict == Verdict::Passed).count();
        let skipped = records.len() - passed - failed;
        format!("tests=\"{}\" failures=\"{failed}\" skipped=\"{skipped}\"", records.len())
    };
    let all: Vec<&Record> = records.iter().collect();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"wavelane\" {}>", counts(&all))?;
    for (file, records) in &files {
        writeln!(out, "  <testsuite name=\"{}\" {}>", xml(file), counts(records))?;
        for record in records {
            let name = record.id();
            write!(out, "    <testcase classname=\"{}\" name=\"{}\"", xml(file), xml(&name))?;
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
                    writeln!(out, "><failure message=\"{first}\">{body}</failure></testcase>")?;
                }
            }
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
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

pub(crate) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML 1.0 has no other control characters, not even escaped.
            '\n' | '\t' => escaped.push(character),
            it if it.is_control() => escaped.push('\u{fffd}'),
            it => escaped.push(it),
        }
    }
    escaped
}

/// Failures that are not known, each with every place it names, or with its file alone.
fn places<'a>(
    records: &'a [Record],
    known: &'a Baseline,
) -> impl Iterator<Item = (&'a Record, &'a str, u32)> {
    let failed =
        records.iter().filter(|it| it.outcome.verdict == Verdict::Failed && !known.expects(it));
    failed.flat_map(|record| {
        let whole = record.outcome.findings.is_empty().then_some((record.file.as_str(), 0));
        let found = record.outcome.findings.iter().map(|it| (it.file.as_str(), it.line));
        whole.into_iter().chain(found).map(move |(file, line)| (record, file, line))
    })
}

pub(super) fn sarif(records: &[Record], known: &Baseline, out: &mut impl Write) -> io::Result<()> {
    let results: Vec<Value> = places(records, known)
        .map(|(record, file, line)| {
            let mut location = json!({ "artifactLocation": { "uri": file } });
            if line > 0 {
                location["region"] = json!({ "startLine": line });
            }
            json!({
                "ruleId": "test-failed",
                "level": "error",
                "message": { "text": format!("{}\n{}", record.id(), details(record)) },
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
    writeln!(out, "{report}")
}

pub(super) fn github(records: &[Record], known: &Baseline, out: &mut impl Write) -> io::Result<()> {
    let escape = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
    for (record, file, line) in places(records, known) {
        let line = if line > 0 { format!(",line={line}") } else { String::new() };
        let (file, title) = (property(file), property(&record.id()));
        writeln!(out, "::error file={file}{line},title={title}::{}", escape(&details(record)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::record::example;
    use super::*;

    fn written(write: fn(&[Record], &Baseline, &mut Vec<u8>) -> io::Result<()>) -> String {
        let records = Verdict::ALL.map(|verdict| example("a.test", 8, verdict));
        let mut out = Vec::new();
        write(&records, &Baseline::default(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn junit_counts_and_escapes() {
        let text = written(junit);
        assert!(text.contains("tests=\"3\" failures=\"1\" skipped=\"1\""), "{text}");
        assert!(text.contains("message=\"a &quot;message&quot; &lt;&amp;&gt;\""), "{text}");
        assert!(text.contains("again: wavelane test"), "{text}");
        assert_eq!(xml("\u{1b}a"), "\u{fffd}a");
    }

    #[test]
    fn sarif_and_github_point_to_the_line() {
        let text = written(sarif);
        let value: Value = serde_json::from_str(&text).unwrap();
        let result = &value["runs"][0]["results"][0];
        assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
        let text = written(github);
        assert!(
            text.starts_with("::error file=a.test,line=7,title=a.test@8::a \"message\""),
            "{text}"
        );
        assert_eq!(text.lines().count(), 1);
    }
}
