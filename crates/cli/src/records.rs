//! Ledgers of campaigns as files, and the reports over them in all forms.

use std::path::Path;

use campaign::{Merged, Record, Work};

use crate::asked::Output;
use crate::files::read_report;
use crate::generated;
use crate::problem::{End, Exit, Problem};
use crate::terminal;

/// Whether a text is a ledger, rather than a report of tests.
pub(crate) fn is_ledger(text: &str) -> bool {
    text.lines().find(|it| !it.trim().is_empty()).is_some_and(campaign::is_line)
}

/// The records of a ledger's text.
pub(crate) fn read(name: &str, text: &str) -> Result<Vec<Record>, Problem> {
    campaign::read(text).map_err(|torn| {
        Problem::input(format!("{name}:{}: this line is not a record", torn.line))
            .help("only the last line of a ledger may be torn")
    })
}

/// The records of that file; none if there is no file.
pub(crate) fn read_file(file: &str) -> Result<Vec<Record>, Problem> {
    if !Path::new(file).exists() {
        return Ok(Vec::new());
    }
    read(file, &read_report(file)?.1)
}

/// Writes the report to standard output, and the page to its file.
pub(crate) fn report(merged: &Merged, output: Output, html: Option<&str>) -> Result<Exit, End> {
    if let Some(file) = html {
        std::fs::write(file, campaign::page(merged, constructs()))
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

/// The constructs of generated programs, each of which is made once more for that.
fn constructs() -> impl FnMut(&Work) -> Vec<&'static str> {
    let mut last: Option<(Work, Vec<&'static str>)> = None;
    move |work| {
        // The units of a program come one after the other.
        if let Some((of, known)) = &last
            && of == work
        {
            return known.clone();
        }
        let constructs = generated::constructs(work);
        last = Some((work.clone(), constructs.clone()));
        constructs
    }
}
