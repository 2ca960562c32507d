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
        let mut constructs = Constructs::default();
        write_page(file, &campaign::page(merged, |it| constructs.of(it)))?;
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
        // An engine that was named and ran nothing proves nothing.
        false if merged.shows_nothing() => Exit::Unsupported,
        false => Exit::Fine,
    })
}

/// Writes a page in one piece: a browser that loads it meanwhile gets the previous one.
pub(crate) fn write_page(file: &str, page: &str) -> Result<(), Problem> {
    let part = format!("{file}.part");
    std::fs::write(&part, page)
        .and_then(|()| std::fs::rename(&part, file))
        .map_err(|error| Problem::input(format!("`{file}` cannot be written: {error}")))
}

/// The constructs of generated programs, each of which is generated once more for this.
#[derive(Default)]
pub(crate) struct Constructs {
    last: Option<(Work, Vec<&'static str>)>,
}

impl Constructs {
    pub(crate) fn of(&mut self, work: &Work) -> Vec<&'static str> {
        // The units of a program come one after the other.
        if let Some((of, known)) = &self.last
            && of == work
        {
            return known.clone();
        }
        let constructs = generated::constructs(work);
        self.last = Some((work.clone(), constructs.clone()));
        constructs
    }
}
