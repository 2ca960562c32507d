//! Rewrites the rendered messages (`//|`) of suite files, so that better wording costs one command.
//!
//! In `errors/` every section that expects a report gets its message; elsewhere only those that have one already.
//! The reviewer of the diff decides whether a message is good.

use std::path::Path;

use crate::run;
use crate::section::{self, Section};

/// The text of a suite file with its current messages.
pub fn blessed(file: &Path) -> Result<String, String> {
    let old =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let sections = crate::read(file)?;
    let demands = file.parent() == Some(&crate::folder().join("errors"));
    let mut lines: Vec<String> = Vec::new();
    let mut rest = sections.iter();
    let mut current: Option<&Section> = None;
    for line in old.lines() {
        if line.starts_with("//---") {
            finish(current, demands, &mut lines)?;
            current = rest.next();
        }
        if !line.starts_with("//|") {
            lines.push(line.to_owned());
        }
    }
    finish(current, demands, &mut lines)?;
    let mut new = lines.join("\n").trim_end().to_owned();
    new.push('\n');
    Ok(new)
}

/// Adds the messages of a section after its text.
fn finish(section: Option<&Section>, demands: bool, lines: &mut Vec<String>) -> Result<(), String> {
    let Some(section) = section else { return Ok(()) };
    if section.rendered.is_none() && (!demands || section.annotations.is_empty()) {
        return Ok(());
    }
    while lines.last().is_some_and(|it| it.trim().is_empty()) {
        lines.pop();
    }
    let width = section.widths.first().copied().unwrap_or(section::WIDTHS[0]);
    for line in run::rendered(section, width)?.trim_end().lines() {
        lines.push(format!("//| {line}").trim_end().to_owned());
    }
    lines.push(String::new());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_message_is_up_to_date() {
        for file in crate::files(&crate::folder().join("errors")) {
            let now = std::fs::read_to_string(&file).unwrap();
            assert!(
                blessed(&file).unwrap() == now,
                "{}: messages are missing or old; see `cargo xtask bless`",
                file.display()
            );
        }
    }
}
