//! Reports over the records of a campaign, in several forms. Each is a function of the set of records.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use diag::escaped;
use serde_json::{Value, json};

use crate::plan::Unit;
use crate::record::{Outcome, Record};

/// The records of one or several ledgers, one for each unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// By the text of the unit.
    records: BTreeMap<String, Record>,
    /// All records of units that have several different ones.
    unstable: BTreeMap<String, BTreeSet<Record>>,
}

/// What the names of the records of reduced programs begin with.
pub const REDUCED: &str = "reduce ";

impl Merged {
    pub fn new(records: impl IntoIterator<Item = Record>) -> Merged {
        let mut all: BTreeMap<String, BTreeSet<Record>> = BTreeMap::new();
        for record in records {
            all.entry(record.unit.clone()).or_default().insert(record);
        }
        let mut merged = Merged::default();
        for (unit, mut several) in all {
            let record = match several.len() {
                1 => several.pop_first(),
                _ => {
                    let words: Vec<String> =
                        several.iter().map(|it| it.to_json().to_string()).collect();
                    let mut record = Record::new(unit.clone(), Outcome::Unstable);
                    record.detail = Some(words.join("\n"));
                    merged.unstable.insert(unit.clone(), several);
                    Some(record)
                }
            };
            merged.records.extend(record.map(|it| (unit, it)));
        }
        merged
    }

    /// The records of units, without those of reductions.
    pub fn units(&self) -> impl Iterator<Item = &Record> {
        self.records.values().filter(|it| !it.unit.starts_with(REDUCED))
    }

    /// The reduced program of a unit.
    pub fn reduced(&self, unit: &str) -> Option<&Record> {
        self.records.get(&format!("{REDUCED}{unit}"))
    }

    pub fn counts(&self) -> BTreeMap<Outcome, usize> {
        let mut counts: BTreeMap<Outcome, usize> =
            Outcome::ALL.into_iter().map(|it| (it, 0)).collect();
        for record in self.units() {
            *counts.entry(record.outcome).or_default() += 1;
        }
        counts
    }

    pub fn fails(&self) -> bool {
        self.units().any(|it| it.outcome.fails())
    }

    /// Whether an engine ran none of its units, so that nothing was shown of it.
    pub fn shows_nothing(&self) -> bool {
        let mut ran: BTreeMap<String, bool> = BTreeMap::new();
        for record in self.units() {
            let engine = Unit::parse(&record.unit).map(|it| it.engine).unwrap_or_default();
            *ran.entry(engine).or_default() |= record.outcome != Outcome::NotRun;
        }
        ran.values().any(|ran| !ran)
    }

    /// The failures by outcome and signature; that of a reduced program says more.
    pub fn groups(&self) -> BTreeMap<(Outcome, String), Vec<&Record>> {
        let mut groups: BTreeMap<(Outcome, String), Vec<&Record>> = BTreeMap::new();
        for record in self.units().filter(|it| it.outcome.fails()) {
            let reduced = self.reduced(&record.unit).and_then(|it| it.signature.clone());
            let signature = reduced.or_else(|| record.signature.clone()).unwrap_or_default();
            groups.entry((record.outcome, signature)).or_default().push(record);
        }
        groups
    }
}

/// What a group of failures is called: a message of one of them, rather than the signature that all have in common.
pub(crate) fn said<'a>(signature: &'a str, records: &[&'a Record]) -> &'a str {
    records.iter().find_map(|it| it.message.as_deref()).unwrap_or(signature)
}

/// A number of units, in words.
pub(crate) fn counted(units: usize) -> String {
    format!("{units} unit{}", if units == 1 { "" } else { "s" })
}

/// For people.
pub fn text(merged: &Merged) -> String {
    let counts = merged.counts();
    let shown = counts.iter().filter(|it| *it.1 > 0);
    let shown: Vec<String> = shown.map(|(it, count)| format!("{} {count}", it.word())).collect();
    let units = counted(merged.units().count());
    let colon = if shown.is_empty() { "" } else { ": " };
    let mut text = format!("{units}{colon}{}\n", shown.join(", "));
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for record in merged.units().filter(|it| it.outcome == Outcome::NotRun) {
        *reasons.entry(record.signature.as_deref().unwrap_or("")).or_default() += 1;
    }
    for (why, count) in reasons {
        let _ = writeln!(text, "  not run: {why} ({count})");
    }
    for ((outcome, signature), records) in merged.groups() {
        let units = counted(records.len());
        let _ = writeln!(text, "\n{}: {} ({units})", outcome.word(), said(&signature, &records));
        for record in records.iter().take(5) {
            let _ = writeln!(text, "  {}", record.unit);
            for line in record.detail.iter().flat_map(|it| it.lines()) {
                let _ = writeln!(text, "    {line}");
            }
        }
        if records.len() > 5 {
            let _ = writeln!(text, "  and {} more", records.len() - 5);
        }
        let smallest = records.iter().filter_map(|it| merged.reduced(&it.unit)?.text.as_ref());
        if let Some(small) = smallest.min_by_key(|it| it.len()) {
            for line in small.lines() {
                let _ = writeln!(text, "  | {line}");
            }
        }
    }
    text
}

/// For programs.
pub fn json(merged: &Merged) -> Value {
    let counts = merged.counts();
    let outcomes: serde_json::Map<String, Value> =
        counts.into_iter().map(|(it, count)| (it.word().to_owned(), json!(count))).collect();
    let records: Vec<Value> = merged.records.values().map(Record::to_json).collect();
    let unstable: Vec<Value> = merged.unstable.values().flatten().map(Record::to_json).collect();
    let units = merged.units().count();
    json!({ "units": units, "outcomes": outcomes, "records": records, "unstable": unstable })
}

/// As JUnit's XML, a test for each unit. It holds no times: they would differ from run to run.
pub fn junit(merged: &Merged) -> String {
    let counts = merged.counts();
    let failed: usize = counts.iter().filter(|it| it.0.fails()).map(|it| it.1).sum();
    let head = format!(
        "tests=\"{}\" failures=\"{failed}\" errors=\"0\" skipped=\"{}\"",
        merged.units().count(),
        counts[&Outcome::NotRun]
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"wavelane campaign\" {head}>\n  \
         <testsuite name=\"campaign\" {head}>\n"
    );
    for record in merged.units() {
        let engine = Unit::parse(&record.unit).map(|it| it.engine).unwrap_or_default();
        let _ = write!(
            text,
            "    <testcase classname=\"{}\" name=\"{}\"",
            escaped(&engine),
            escaped(&record.unit)
        );
        let said = record.message.clone().or(record.signature.clone()).unwrap_or_default();
        let word = record.outcome.word();
        match record.outcome {
            Outcome::Agrees => text.push_str("/>\n"),
            Outcome::NotRun => {
                let _ = writeln!(text, "><skipped message=\"{}\"/></testcase>", escaped(&said));
            }
            Outcome::Crash
            | Outcome::Hang
            | Outcome::Refuses
            | Outcome::Miscompiles
            | Outcome::Unstable => {
                let mut body = record.detail.clone().unwrap_or_default();
                if let Some(small) = merged.reduced(&record.unit).and_then(|it| it.text.as_ref()) {
                    let _ = write!(body, "\n{small}");
                }
                let _ = writeln!(
                    text,
                    "><failure message=\"{}\">{}</failure></testcase>",
                    escaped(&format!("{word}: {said}")),
                    escaped(&body)
                );
            }
        }
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// As SARIF, a result for each group of failures.
pub fn sarif(merged: &Merged, version: &str) -> Value {
    let groups = merged.groups();
    let rules: BTreeSet<&str> = groups.keys().map(|it| it.0.word()).collect();
    let rules: Vec<Value> = rules.into_iter().map(|it| json!({ "id": it })).collect();
    let results: Vec<Value> = groups
        .iter()
        .map(|((outcome, signature), records)| {
            let units: Vec<&str> = records.iter().map(|it| it.unit.as_str()).collect();
            let locations: Vec<Value> =
                units.iter().map(|it| json!({ "logicalLocations": [{ "name": it }] })).collect();
            json!({
                "ruleId": outcome.word(),
                "level": "error",
                "message": { "text": format!("{}: {}", outcome.word(), said(signature, records)) },
                "locations": locations,
                "partialFingerprints": { "signature": signature },
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "wavelane campaign", "version": version, "rules": rules } },
            "results": results,
        }],
    })
}
