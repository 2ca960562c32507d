//! A line of a report that machines read: one test at one width.
//!
//! Reports of the same tests are the same bytes except for times, on one machine or joined from several.

use std::time::Duration;

use jobs::job::Buffer;
use jobs::{Finding, Outcome, PlacedLine, PrintedLines, Row, Test, Verdict};
use serde_json::{Value, json};

use crate::asked::{Part, Partition};
use crate::problem::Problem;
use crate::{finding, number};

/// The results of a run of tests, or of a part of one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) records: Vec<Record>,
    pub(crate) part: Option<Part>,
    /// When it began, in universal time: `2026-01-31T12:00:00Z`.
    pub(crate) started: Option<String>,
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// `file` or `file::case`.
    pub(crate) test: String,
    pub(crate) file: String,
    /// Where the test begins, counting from 1.
    pub(crate) line: u32,
    /// How long it took, in microseconds; work that is done once for several widths counts for the first.
    pub(crate) micros: u64,
    pub(crate) outcome: Outcome,
    /// The command that runs it again.
    pub(crate) command: String,
}

impl Record {
    pub(crate) fn new(test: &Test, outcome: Outcome, command: String, time: Duration) -> Record {
        Record {
            test: test.name(),
            file: test.file.clone(),
            line: test.case.as_ref().map_or(1, |it| it.line),
            micros: u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
            outcome,
            command,
        }
    }

    /// Whether both are equal except for the time.
    pub(crate) fn is_like(&self, other: &Record) -> bool {
        *self == Record { micros: self.micros, ..other.clone() }
    }

    /// The test with its width, which is unique in a report.
    pub(crate) fn id(&self) -> String {
        match self.outcome.width {
            0 => self.test.clone(),
            width => format!("{}@{width}", self.test),
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut value = outcome_to_json(&self.outcome);
        value["test"] = json!(self.test);
        value["file"] = json!(self.file);
        value["line"] = json!(self.line);
        value["seconds"] = json!(seconds(self.micros));
        value["command"] = json!(self.command);
        value
    }

    fn from_json(value: &Value) -> Option<Record> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Record {
            test: text("test")?,
            file: text("file")?,
            line: u32::try_from(value["line"].as_u64()?).ok()?,
            micros: micros_from_json(value)?,
            outcome: outcome_from_json(value)?,
            command: text("command")?,
        })
    }
}

pub(crate) fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// The time in a line, in microseconds.
pub(crate) fn micros_from_json(value: &Value) -> Option<u64> {
    let seconds = value["seconds"].as_f64().filter(|it| (0.0..1e12).contains(it))?;
    Some((seconds * 1e6).round() as u64)
}

pub(crate) fn outcome_to_json(outcome: &Outcome) -> Value {
    let row = |it: &Row| json!({ "at": it.place, "expected": it.expected, "got": it.got });
    let finding = |it: &Finding| {
        let rows: Vec<Value> = it.rows.iter().map(row).collect();
        json!({ "message": it.message, "file": it.file, "line": it.line, "values": rows, "more": it.more })
    };
    let findings: Vec<Value> = outcome.findings.iter().map(finding).collect();
    let mut value = json!({
        "wave_size": outcome.width,
        "verdict": outcome.verdict.name(),
        "message": outcome.message,
        "wrong_file": outcome.is_wrong,
        "findings": findings,
        "remarks": outcome.remarks,
        "printed": outcome.printed.iter().flat_map(printed_to_json).collect::<Vec<_>>(),
    });
    let more: u64 = outcome.printed.iter().map(|it| it.more).sum();
    if more > 0 {
        value["more_printed"] = json!(more);
    }
    if !outcome.buffers.is_empty() {
        value["buffers"] = outcome.buffers.iter().flat_map(buffer_to_json).collect();
    }
    value
}

/// The lines that a dispatch printed, each with the pass of the job where there are several.
fn printed_to_json(printed: &PrintedLines) -> impl Iterator<Item = Value> {
    printed.lines.iter().map(|it| {
        let (file, line) = it.at.as_ref().map(|(file, line)| (file, line)).unzip();
        let mut value = json!({
            "group": it.group, "wave": it.wave, "lane": it.lane,
            "file": file, "line": line, "text": it.text,
        });
        if let Some(pass) = &printed.pass {
            value["pass"] = finding::pass_to_json(pass);
        }
        value
    })
}

/// The lines of all dispatches. Reports of older versions have none.
fn printed_from_json(value: &Value) -> Option<Vec<PrintedLines>> {
    let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let mut all: Vec<PrintedLines> = Vec::new();
    for it in value["printed"].as_array().map_or(&[][..], Vec::as_slice) {
        let pass = match it.get("pass") {
            Some(pass) => Some(finding::pass_from_json(pass)?),
            None => None,
        };
        let group: Option<Vec<u32>> = it["group"].as_array()?.iter().map(number).collect();
        let at = it["file"].as_str().zip(number(&it["line"]));
        let line = PlacedLine {
            group: group?.try_into().ok()?,
            wave: number(&it["wave"])?,
            lane: number(&it["lane"])?,
            at: at.map(|(file, line)| (file.to_owned(), line)),
            text: it["text"].as_str()?.to_owned(),
        };
        match all.last_mut().filter(|it| it.pass == pass) {
            Some(last) => last.lines.push(line),
            None => all.push(PrintedLines { pass, lines: vec![line], more: 0 }),
        }
    }
    if let Some(more) = value["more_printed"].as_u64() {
        match all.last_mut() {
            Some(last) => last.more = more,
            None => all.push(PrintedLines { more, ..PrintedLines::default() }),
        }
    }
    Some(all)
}

/// The numbers of a buffer, or of each element of an array of them, by its name.
fn buffer_to_json(buffer: &Buffer) -> Vec<(String, Value)> {
    let scalar = buffer.format.scalar();
    let number =
        |bits| -> Value { serde_json::from_str(&number::json(bits, scalar)).unwrap_or_default() };
    let is_array = buffer.data.len() > 1;
    let name = |element: usize| match is_array {
        true => format!("{}[{element}]", buffer.name),
        false => buffer.name.clone(),
    };
    let elements = 0..buffer.data.len();
    elements.map(|it| (name(it), buffer.numbers(it).map(number).collect())).collect()
}

pub(crate) fn outcome_from_json(value: &Value) -> Option<Outcome> {
    let text = |value: &Value, key: &str| value[key].as_str().map(str::to_owned);
    let number = |value: &Value, key: &str| value[key].as_u64();
    let verdict = value["verdict"].as_str()?;
    let row = |it: &Value| {
        Some(Row { place: text(it, "at")?, expected: text(it, "expected")?, got: text(it, "got")? })
    };
    let finding = |it: &Value| {
        Some(Finding {
            message: text(it, "message")?,
            file: text(it, "file")?,
            line: u32::try_from(number(it, "line")?).ok()?,
            rows: it["values"].as_array()?.iter().map(row).collect::<Option<_>>()?,
            more: number(it, "more")? as usize,
        })
    };
    let remarks = value["remarks"].as_array()?.iter();
    Some(Outcome {
        width: u32::try_from(number(value, "wave_size")?).ok()?,
        verdict: Verdict::ALL.into_iter().find(|it| it.name() == verdict)?,
        message: text(value, "message")?,
        is_wrong: value["wrong_file"].as_bool()?,
        findings: value["findings"].as_array()?.iter().map(finding).collect::<Option<_>>()?,
        remarks: remarks.map(|it| it.as_str().map(str::to_owned)).collect::<Option<_>>()?,
        printed: printed_from_json(value)?,
        output: String::new(),
        buffers: Vec::new(),
    })
}

/// How many records there are of each kind.
pub(super) fn counts(records: &[Record]) -> Value {
    let count = |verdict| records.iter().filter(|it| it.outcome.verdict == verdict).count();
    let counts = Verdict::ALL.iter().map(|it| (it.name().to_owned(), json!(count(*it))));
    Value::Object(counts.collect())
}

/// The last line of a report.
pub(super) fn summary(report: &Report) -> Value {
    let mut line = json!({ "summary": counts(&report.records) });
    if let Some(started) = &report.started {
        line["started"] = json!(started);
    }
    if let Some(Part { partition, of_tests, whole }) = report.part {
        line["part"] = json!({
            "index": partition.index,
            "of": partition.of,
            "partition": partition.spelled(),
            "of_tests": of_tests,
            "whole": format!("{whole:016x}"),
        });
    }
    line
}

fn part_from_json(value: &Value) -> Option<Part> {
    Some(Part {
        partition: Partition::parse(value["partition"].as_str()?).ok()?,
        of_tests: usize::try_from(value["of_tests"].as_u64()?).ok()?,
        whole: u64::from_str_radix(value["whole"].as_str()?, 16).ok()?,
    })
}

/// The reports in a file, each of which ends with its summary. A truncated report is noticed.
pub(crate) fn read_lines(file: &str, text: &str) -> Result<Vec<Report>, Problem> {
    let mut reports = Vec::new();
    let mut report = Report::default();
    let mut last = 1;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        last = number;
        let wrong = |what: &str| Problem::input(format!("{file}:{number}:1: {what}"));
        let value: Value = serde_json::from_str(line)
            .map_err(|_| wrong("this is not JSON").help("is the report cut off?"))?;
        let Some(summary) = value.get("summary") else {
            let record = Record::from_json(&value);
            let what = "this is not a line of a report of `wavelane test`";
            report.records.push(record.ok_or_else(|| wrong(what))?);
            continue;
        };
        if *summary != counts(&report.records) {
            let what = format!("the report is incomplete: it counts {summary}, and holds");
            return Err(wrong(&format!("{what} {}", counts(&report.records))));
        }
        if let Some(part) = value.get("part") {
            let part = part_from_json(part);
            report.part = Some(part.ok_or_else(|| wrong("the part of the report is wrong"))?);
        }
        report.started = value["started"].as_str().map(str::to_owned);
        reports.push(std::mem::take(&mut report));
    }
    if reports.is_empty() || !report.records.is_empty() {
        let what = format!(
            "{file}:{last}:1: the report is cut off: its last line, the summary, is missing"
        );
        return Err(Problem::input(what));
    }
    Ok(reports)
}

#[cfg(test)]
pub(super) fn example(test: &str, width: u32, verdict: Verdict) -> Record {
    let mut outcome = Outcome::new(width, verdict, "a \"message\" <&>\nof two lines");
    if verdict == Verdict::Failed {
        let row = Row { place: "Out[3]".into(), expected: "1".into(), got: "2".into() };
        outcome.findings.push(Finding {
            message: "Sum".into(),
            file: test.into(),
            line: 7,
            rows: vec![row],
            more: 2,
        });
    }
    let command = format!("wavelane test {test} --wave-size {width}");
    let (test, file) = (test.to_owned(), test.to_owned());
    Record { test, file, line: 3, micros: 1500, outcome, command }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_back_as_they_were_written() {
        let records: Vec<Record> =
            Verdict::ALL.map(|verdict| example("a.test", 8, verdict)).to_vec();
        let mut text: String = records.iter().map(|it| format!("{}\n", it.to_json())).collect();
        let partition = Partition::parse("hash:2/3").unwrap();
        let part = Some(Part { partition, of_tests: 9, whole: 77 });
        let whole = Report { records: records.clone(), part, started: Some("x".to_owned()) };
        text.push_str(&format!("{}\n", summary(&whole)));
        let read = read_lines("r", &format!("{text}{text}")).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!((&read[1].records, read[1].part), (&records, part));
        for (text, at) in [("{}\n", "r:1:1"), ("\n{\n", "r:2:1"), ("", "r:1:1")] {
            assert!(read_lines("r", text).unwrap_err().message.starts_with(at), "{text}");
        }
        // Truncation at any line is noticed.
        let lines: Vec<&str> = text.lines().collect();
        for end in 0..lines.len() {
            assert!(read_lines("r", &lines[..end].join("\n")).is_err(), "{end}");
            let mut without = lines.clone();
            without.remove(end);
            assert!(read_lines("r", &without.join("\n")).is_err(), "{end}");
        }
    }
}
