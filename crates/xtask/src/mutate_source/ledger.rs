//! The results: a line of JSON for each mutant in `target/mutants/ledger.jsonl`, and a printed table by crate and
//! outcome.
//!
//! `equivalent.txt` lists the equivalent mutants, which no test can notice, with the reason for each.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::sites::Site;
use super::tree::{self, CRATES};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    Killed,
    OutOfTime,
    Survived,
    NotReached,
    Equivalent,
}

impl Outcome {
    const ALL: [Outcome; 5] = [
        Outcome::Killed,
        Outcome::OutOfTime,
        Outcome::Survived,
        Outcome::NotReached,
        Outcome::Equivalent,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Outcome::Killed => "killed",
            Outcome::OutOfTime => "out of time",
            Outcome::Survived => "survived",
            Outcome::NotReached => "not reached",
            Outcome::Equivalent => "equivalent",
        }
    }
}

pub(super) struct Entry<'s> {
    pub(super) site: &'s Site,
    pub(super) outcome: Outcome,
    /// The test that noticed it, or why none did.
    pub(super) by: String,
    pub(super) seconds: f64,
}

impl Entry<'_> {
    pub(super) fn line(&self) -> String {
        let Site { id, file, function, line, kind, original, mutated, .. } = self.site;
        let by = if self.by.is_empty() { String::new() } else { format!(" ({})", self.by) };
        format!(
            "{id} {}{by}: {file}:{line} {function}, {}: `{original}` → `{mutated}`",
            self.outcome.name(),
            kind.name()
        )
    }

    fn json(&self) -> Value {
        let site = self.site;
        json!({
            "id": site.id, "crate": site.krate(), "file": site.file, "line": site.line,
            "function": site.function, "kind": site.kind.name(), "original": site.original,
            "mutated": site.mutated, "outcome": self.outcome.name(), "by": self.by,
            "seconds": (self.seconds * 10.0).round() / 10.0,
        })
    }
}

fn path() -> PathBuf {
    tree::folder().join("ledger.jsonl")
}

/// Appends a line; the last line about a mutant counts.
pub(super) fn record(entry: &Entry<'_>) -> Result<(), String> {
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path());
    file.and_then(|mut it| it.write_all(format!("{}\n", entry.json()).as_bytes()))
        .map_err(|error| format!("{}: {error}", path().display()))
}

/// The mutants that a test noticed in an earlier run, with that test.
pub(super) fn killed() -> BTreeMap<String, (Outcome, String)> {
    let mut killed = BTreeMap::new();
    for line in std::fs::read_to_string(path()).unwrap_or_default().lines() {
        let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
        let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        match text("outcome").as_str() {
            "killed" => killed.insert(text("id"), (Outcome::Killed, text("by"))),
            "out of time" => killed.insert(text("id"), (Outcome::OutOfTime, text("by"))),
            _ => killed.remove(&text("id")),
        };
    }
    killed
}

/// The manually maintained list: `ID CRATE FUNCTION: REASON`.
pub(super) fn equivalent() -> BTreeMap<&'static str, &'static str> {
    let lines = include_str!("equivalent.txt").lines();
    let lines = lines.filter(|it| !it.is_empty() && !it.starts_with('#'));
    lines.filter_map(|it| it.split_once(' ')).collect()
}

pub(super) fn table(entries: &[Entry<'_>]) -> String {
    let mut table = "| crate | mutants |".to_owned();
    for outcome in Outcome::ALL {
        let _ = write!(table, " {} |", outcome.name());
    }
    table.push_str("\n|---|---|---|---|---|---|---|\n");
    for krate in CRATES.into_iter().chain(["all"]) {
        let of = |it: &&Entry<'_>| krate == "all" || it.site.krate() == krate;
        let _ = write!(table, "| {krate} | {} |", entries.iter().filter(of).count());
        for outcome in Outcome::ALL {
            let count = entries.iter().filter(of).filter(|it| it.outcome == outcome).count();
            let _ = write!(table, " {count} |");
        }
        table.push('\n');
    }
    table
}
