//! Files of records: a line of JSON each, appended, and whole except perhaps for the last line.

use serde_json::Value;

use crate::record::Record;

/// A line that is not a record, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    pub line: usize,
}

/// The line of a ledger that would have none: without it, a part without units left the same file as a process that was
/// killed before its first line.
pub const NO_UNITS: &str = "{\"ledger\":\"wavelane campaign\"}";

/// Whether a line is [`NO_UNITS`], or a record.
pub fn is_line(line: &str) -> bool {
    let value: Value = serde_json::from_str(line).unwrap_or_default();
    line.trim() == NO_UNITS || value["unit"].is_string()
}

/// Reads the records of a ledger. The last line may be torn by the end of its writer; any other line that is not a
/// record is an error.
pub fn read(text: &str) -> Result<Vec<Record>, Torn> {
    let mut records = Vec::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if !line.ends_with('\n') {
            break;
        }
        if !line.trim().is_empty() && line.trim() != NO_UNITS {
            let value = serde_json::from_str::<Value>(line).ok();
            let record = value.as_ref().and_then(Record::from_json);
            records.push(record.ok_or(Torn { line: index + 1 })?);
        }
    }
    Ok(records)
}
