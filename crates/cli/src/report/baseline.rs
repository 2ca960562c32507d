//! Failures that are known: a file with one test a line, as `name` or `name@width`.

use std::collections::BTreeSet;
use std::path::Path;

use jobs::Verdict;

use super::record::Record;
use crate::files::tidy;
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

    /// The lines that match no record, except those whose tests were left out, which `is_left_out` decides by name and
    /// width.
    pub(crate) fn unmatched(
        &self,
        records: &[Record],
        is_left_out: impl Fn(&str, Option<u32>) -> bool,
    ) -> Vec<&str> {
        let fits = |line: &str| records.iter().any(|it| it.test == line || it.id() == line);
        let is_left_out = |line: &str| match line.rsplit_once('@') {
            Some((name, width)) => is_left_out(name, width.parse().ok()) || is_left_out(line, None),
            None => is_left_out(line, None),
        };
        let lines = self.names.iter().map(String::as_str);
        lines.filter(|it| !fits(it) && !is_left_out(it)).collect()
    }
}

pub(crate) fn read(file: &Path) -> Result<Baseline, Problem> {
    let (_, text) = crate::files::read_source(&file.to_string_lossy())?;
    let lines = text.lines().map(|it| it.split(" #").next().unwrap_or("").trim());
    let names = lines.filter(|it| !it.is_empty() && !it.starts_with('#'));
    // Different spellings of a path name the same test.
    let tidied = |it: &str| tidy(Path::new(it)).to_string_lossy().replace('\\', "/");
    Ok(Baseline { names: names.map(tidied).collect() })
}

pub(crate) fn write(file: &Path, records: &[Record]) -> Result<(), Problem> {
    let mut text = "# Known failures; wavelane test --baseline FILE\n".to_owned();
    for record in records.iter().filter(|it| it.outcome.verdict == Verdict::Failed) {
        text.push_str(&format!("{}\n", record.id()));
    }
    std::fs::write(file, text)
        .map_err(|error| Problem::input(format!("`{}` cannot be written: {error}", file.display())))
}
