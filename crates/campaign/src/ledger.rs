//! Files of records: a line of JSON each, appended, and whole except perhaps for the last line.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::record::Record;

/// What a ledger's text holds.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    pub records: Vec<Record>,
    /// The bytes that are whole lines; what follows was torn by the end of its writer.
    pub whole: usize,
}

/// A line that is not a record, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    pub line: usize,
}

/// Reads a ledger. The last line may be torn; any other line that is not a record is an error.
pub fn read(text: &str) -> Result<Ledger, Torn> {
    let mut ledger = Ledger::default();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if !line.ends_with('\n') {
            break;
        }
        if !line.trim().is_empty() {
            let value = serde_json::from_str::<Value>(line).ok();
            let record = value.as_ref().and_then(Record::from_json);
            ledger.records.push(record.ok_or(Torn { line: index + 1 })?);
        }
        ledger.whole += line.len();
    }
    Ok(ledger)
}

impl Ledger {
    /// The units that need not be run again.
    pub fn units(&self) -> BTreeSet<&str> {
        self.records.iter().map(|it| it.unit.as_str()).collect()
    }
}
