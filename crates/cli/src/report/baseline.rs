//! Failures that are known: a file with one test a line, as `name` or `name@width`.

use std::collections::BTreeSet;
use std::path::Path;

use jobs::Verdict;

use super::record::Record;
use crate::problem::Problem;

/// The tests that are expected to fail.
#[derive(Clone, Debug, Default)]
pub(crate) struct Baseline {
    names: BTreeSet<String>,
}

impl Baseline {
    pub(crate) fn expects(&self, record: &Record) -> bool {
        self.names.contains(&record.id()) || self.names.contains(&record.test)
    }
}

pub(crate) fn read(file: &Path) -> Result<Baseline, Problem> {
    let (_, text) = crate::files::read_source(&file.to_string_lossy())?;
    let lines = text.lines().map(|it| it.split(" #").next().unwrap_or("").trim());
    let names = lines.filter(|it| !it.is_empty() && !it.starts_with('#')).map(str::to_owned);
    Ok(Baseline { names: names.collect() })
}

pub(crate) fn write(file: &Path, records: &[Record]) -> Result<(), Problem> {
    let mut text = "# Known failures; wavelane test --baseline FILE\n".to_owned();
    for record in records.iter().filter(|it| it.outcome.verdict == Verdict::Failed) {
        text.push_str(&format!("{}\n", record.id()));
    }
    std::fs::write(file, text)
        .map_err(|error| Problem::input(format!("`{}` cannot be written: {error}", file.display())))
}
