//! `wavelane explain`: the page of a diagnostic code, or a card about a wave function.

use std::fmt::Write;

use device::diag;
use device::reference::{self, Function};
use serde_json::json;

use crate::args::{Args, Output};
use crate::check::print_json;
use crate::problem::{Exit, Problem};
use crate::{End, suggest, terminal};

pub(crate) fn explain(args: &Args) -> Result<Exit, End> {
    // As it is copied from a message: `[draft-name]`, or a call with its parentheses.
    let word = args.operand()?.trim_matches(|it: char| "[]()`".contains(it));
    if let Some(code) = diag::by_name(word) {
        match args.output {
            Output::Json => print_json(&json!({
                "code": code.name, "level": code.level.word(), "summary": code.summary, "page": code.page,
            }))?,
            Output::Text | Output::Github | Output::Sarif => terminal::print(&page(code))?,
        }
        return Ok(Exit::Fine);
    }
    if let Some(function) = reference::function(word) {
        match args.output {
            Output::Json => print_json(&as_json(function))?,
            Output::Text | Output::Github | Output::Sarif => {
                terminal::print(&card(word, function))?
            }
        }
        return Ok(Exit::Fine);
    }
    let codes = diag::codes().iter().map(|it| it.name);
    let problem =
        Problem::input(format!("`{word}` is neither a diagnostic code nor a wave intrinsic"));
    Err(match suggest::nearest(word, codes.chain(reference::function_names())) {
        Some(meant) => problem.help(format!("did you mean `wavelane explain {meant}`?")),
        None => problem.help("codes stand in brackets behind each message"),
    }
    .into())
}

fn page(code: &diag::Code) -> String {
    let text = code.page.trim_end();
    format!("{text}\n\n{}: {}\n", code.level.word(), code.summary)
}

fn card(word: &str, function: Function) -> String {
    let mut text = function.signature();
    let _ = write!(text, "\n\n{}.\n", capitalised(function.summary()));
    if word != function.name() {
        let by = function.aliases().find(|(name, _)| *name == word).map_or("", |(_, by)| by);
        let _ = writeln!(text, "`{word}` is the name that {by} has for it.");
    }
    text.push('\n');
    for line in function.lanes().lines() {
        text.push_str(&wrapped(line, 88));
    }
    text.push('\n');
    let aliases: Vec<String> =
        function.aliases().map(|(name, by)| format!("{name} ({by})")).collect();
    let aliases = if aliases.is_empty() { "–".to_owned() } else { aliases.join(", ") };
    let rows = [
        ("also called", aliases),
        ("from", function.origin().to_owned()),
        ("shader model", function.since().to_string()),
        ("stages", function.stages().to_owned()),
        ("see", function.link().to_owned()),
    ];
    for (name, value) in rows {
        let _ = writeln!(text, "{name:<13} {value}");
    }
    text
}

fn as_json(function: Function) -> serde_json::Value {
    json!({
        "name": function.name(),
        "signature": function.signature(),
        "summary": function.summary(),
        "lanes": function.lanes(),
        "aliases": function.aliases().map(|(name, by)| json!({ "name": name, "from": by })).collect::<Vec<_>>(),
        "from": function.origin(),
        "shader_model": function.since().to_string(),
        "stages": function.stages(),
        "link": function.link(),
    })
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}

fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        if length > 0 && length + 1 + word.len() > width {
            lines.push('\n');
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += word.len();
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_says_what_a_function_does_under_either_name() {
        let text = card("WaveAllSum", reference::function("WaveAllSum").unwrap());
        for part in [
            "T WaveActiveSum(T value)",
            "`WaveAllSum` is the name",
            "shader model  6.0",
            "Inactive lanes",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}
