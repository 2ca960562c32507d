//! Ledgers of campaigns as files, and the reports over them in all forms.

use std::path::Path;

use campaign::{Ledger, Merged};

use crate::asked::Output;
use crate::files::read_path;
use crate::problem::{End, Exit, Problem};
use crate::terminal;

/// Whether a text is a ledger, rather than a report of tests.
pub(crate) fn is_ledger(text: &str) -> bool {
    let first = text.lines().find(|it| !it.trim().is_empty()).unwrap_or("");
    let value: serde_json::Value = serde_json::from_str(first).unwrap_or_default();
    value["unit"].is_string()
}

/// The records of a ledger's text.
pub(crate) fn read(name: &str, text: &str) -> Result<Ledger, Problem> {
    campaign::read(text).map_err(|torn| {
        Problem::input(format!("{name}:{}: this line is not a record", torn.line))
            .help("only the last line of a ledger may be torn")
    })
}

/// The ledger of that file; an empty one if there is no file.
pub(crate) fn read_file(file: &str) -> Result<Ledger, Problem> {
    if !Path::new(file).exists() {
        return Ok(Ledger::default());
    }
    let text = read_path(Path::new(file))
        .map_err(|error| Problem::input(format!("`{file}` cannot be read: {error}")))?;
    read(file, &text)
}

/// Writes the report to standard output, and the page to its file.
pub(crate) fn report(merged: &Merged, output: Output, html: Option<&str>) -> Result<Exit, End> {
    if let Some(file) = html {
        std::fs::write(file, campaign::page(merged))
            .map_err(|error| Problem::input(format!("`{file}` cannot be written: {error}")))?;
    }
    let text = match output {
        Output::Text => campaign::text(merged),
        Output::Json => format!("{:#}\n", campaign::json(merged)),
        Output::Junit => campaign::junit(merged),
        Output::Sarif => format!("{:#}\n", campaign::sarif(merged, env!("CARGO_PKG_VERSION"))),
        Output::Github => {
            let what = "a campaign has no report in the form `github`";
            return Err(Problem::input(what).help("text, json, junit or sarif").into());
        }
    };
    terminal::print(&text)?;
    Ok(match merged.fails() {
        true => Exit::Findings,
        // An engine that was named and ran nothing has shown nothing.
        false if merged.shows_nothing() => Exit::Unsupported,
        false => Exit::Fine,
    })
}
