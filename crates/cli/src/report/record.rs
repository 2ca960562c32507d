//! A line of a report that machines read: one test at one width.
//!
//! Times are deliberately absent: reports of the same tests are the same bytes, on one machine or joined from several.

use jobs::{Finding, Outcome, Row, Verdict};
use serde_json::{Value, json};

use crate::problem::Problem;

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// `file` or `file::case`.
    pub(crate) test: String,
    pub(crate) file: String,
    pub(crate) outcome: Outcome,
    /// What runs it again.
    pub(crate) command: String,
}

impl Record {
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
        value["command"] = json!(self.command);
        value
    }

    fn from_json(value: &Value) -> Option<Record> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Record {
            test: text("test")?,
            file: text("file")?,
            outcome: outcome_from_json(value)?,
            command: text("command")?,
        })
    }
}

pub(crate) fn outcome_to_json(outcome: &Outcome) -> Value {
    let row = |it: &Row| json!({ "at": it.place, "expected": it.expected, "got": it.got });
    let finding = |it: &Finding| {
        let rows: Vec<Value> = it.rows.iter().map(row).collect();
        json!({ "message": it.message, "file": it.file, "line": it.line, "values": rows, "more": it.more })
    };
    let findings: Vec<Value> = outcome.findings.iter().map(finding).collect();
    json!({
        "wave_size": outcome.width,
        "verdict": outcome.verdict.name(),
        "message": outcome.message,
        "findings": findings,
        "remarks": outcome.remarks,
    })
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
        findings: value["findings"].as_array()?.iter().map(finding).collect::<Option<_>>()?,
        remarks: remarks.map(|it| it.as_str().map(str::to_owned)).collect::<Option<_>>()?,
        output: String::new(),
    })
}

/// The records of a report; its last line, the summary, is none.
pub(crate) fn read_lines(file: &str, text: &str) -> Result<Vec<Record>, Problem> {
    let mut records = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |what: &str| Problem::input(format!("{file}:{number}:1: {what}"));
        let value: Value = serde_json::from_str(line).map_err(|_| wrong("this is no JSON"))?;
        if value.get("summary").is_some() {
            continue;
        }
        let record = Record::from_json(&value);
        records
            .push(record.ok_or_else(|| wrong("this is no line of a report of `wavelane test`"))?);
    }
    Ok(records)
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
    Record { test: test.into(), file: test.into(), outcome, command }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_back_as_they_were_written() {
        let records: Vec<Record> =
            Verdict::ALL.map(|verdict| example("a.test", 8, verdict)).to_vec();
        let mut text: String = records.iter().map(|it| format!("{}\n", it.to_json())).collect();
        text.push_str("{\"summary\":{}}\n");
        assert_eq!(read_lines("r", &text).unwrap(), records);
        assert!(read_lines("r", "{}\n").unwrap_err().message.starts_with("r:1:1"));
        assert!(read_lines("r", "\n{\n").unwrap_err().message.starts_with("r:2:1"));
    }
}
