//! `wavelane explain`: the page of a diagnostic code, or a card about a function.

use std::fmt::Write;

use serde_json::json;
use wavelane::internal::diag;
use wavelane::internal::reference::{self, Concept, Function, LibraryFunction};

use crate::asked::LowArgs;
use crate::asked::Output;
use crate::problem::{End, Exit, Problem};
use crate::terminal;
use crate::terminal::print_json;

/// What `explain` needs.
pub(crate) struct ExplainArgs {
    what: What,
    output: Output,
}

/// What is explained.
enum What {
    /// All codes.
    List,
    Word(String),
}

impl ExplainArgs {
    pub(crate) fn new(low: LowArgs) -> Result<ExplainArgs, Problem> {
        let what = match (low.list, low.operands.first()) {
            (true, Some(other)) => {
                return Err(Problem::input(format!(
                    "unexpected operand `{other}`: `--list` lists all codes"
                )));
            }
            (true, None) => What::List,
            (false, _) => What::Word(low.operand()?),
        };
        Ok(ExplainArgs { what, output: low.output })
    }
}

pub(crate) fn explain(args: &ExplainArgs) -> Result<Exit, End> {
    let What::Word(word) = &args.what else { return list(args) };
    // As copied from a message: `[draft-name]`, or a call with its parentheses.
    let word = word.trim_matches(|it: char| "[]()`".contains(it));
    if let Some(code) = diag::by_name(word) {
        match args.output {
            Output::Json => print_json(&json!({
                "code": code.name, "level": code.level.word(), "summary": code.summary, "page": code.page(),
            }))?,
            Output::Text | Output::Github | Output::Sarif | Output::Junit => {
                terminal::print(&page(code))?
            }
        }
        return Ok(Exit::Fine);
    }
    if let Some(function) = reference::function(word) {
        match args.output {
            Output::Json => print_json(&as_json(function))?,
            Output::Text | Output::Github | Output::Sarif | Output::Junit => {
                terminal::print(&card(word, function))?
            }
        }
        return Ok(Exit::Fine);
    }
    if let Some(function) = reference::library_function(word)
        && (function.is_built() || reference::foreign(word).is_none())
    {
        match args.output {
            Output::Json => print_json(&library_json(function))?,
            Output::Text | Output::Github | Output::Sarif | Output::Junit => {
                terminal::print(&library_card(function))?;
            }
        }
        return Ok(Exit::Fine);
    }
    if let Some(concept) = reference::concepts::by_name(word) {
        match args.output {
            Output::Json => print_json(&concept_json(concept))?,
            Output::Text | Output::Github | Output::Sarif | Output::Junit => {
                terminal::print(&concept_page(concept))?;
            }
        }
        return Ok(Exit::Fine);
    }
    if let Some((meaning, function)) = reference::foreign(word) {
        match (args.output, function) {
            (Output::Json, function) => print_json(&json!({
                "name": word,
                "meaning": meaning,
                "function": function.map(as_json),
            }))?,
            (_, Some(function)) => {
                terminal::print(&format!("{meaning}\n\n{}", card(function.name(), function)))?;
            }
            (_, None) => terminal::print(&format!("{meaning}\n"))?,
        }
        return Ok(Exit::Fine);
    }
    let codes = diag::codes().iter().map(|it| it.name);
    let known = codes.chain(reference::function_names()).chain(reference::library_names());
    let concepts = reference::concepts::all().iter().flat_map(|it| it.names);
    let known = known.chain(concepts.copied());
    let problem =
        Problem::input(format!("there is no diagnostic code, function or concept `{word}`"));
    // Among equally similar names, those of HLSL come first.
    let of = |name| Some((diag::similarity(word, name)?, name));
    let own = known.filter_map(of).min();
    let foreign = reference::foreign_names().filter_map(of).min();
    let meant = match (own, foreign) {
        (Some(own), Some(foreign)) if foreign.0 < own.0 => Some(foreign.1),
        (own, foreign) => own.or(foreign).map(|it| it.1),
    };
    let Some(meant) = meant else {
        let help = "`wavelane explain --list` lists the codes, which messages show in brackets, and the concepts";
        return Err(problem.help(help).into());
    };
    Err(problem.help(format!("did you mean `wavelane explain {meant}`?")).into())
}

/// All codes, errors and warnings apart, each with its line.
fn list(args: &ExplainArgs) -> Result<Exit, End> {
    if args.output == Output::Json {
        let codes = diag::codes().iter().map(|code| as_entry(code));
        print_json(&json!({ "codes": codes.collect::<Vec<_>>() }))?;
        return Ok(Exit::Fine);
    }
    let longest = diag::codes().iter().map(|it| it.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (title, level) in [
        ("Errors", diag::Level::Error),
        ("Warnings: -Wno-CODE hides one, -Werror=CODE makes it an error", diag::Level::Warning),
        ("Notes", diag::Level::Note),
        ("Not supported yet", diag::Level::Unsupported),
    ] {
        let _ = writeln!(text, "{title}\n");
        for code in diag::codes().iter().filter(|it| it.level == level) {
            let _ = writeln!(text, "  {:<longest$}  {}", code.name, code.summary);
        }
        text.push('\n');
    }
    let concepts: Vec<&str> = reference::concepts::all().iter().map(Concept::name).collect();
    let _ = writeln!(text, "Concepts\n\n  {}\n", concepts.join(", "));
    text.push_str("`wavelane explain CODE` says more about each.\n");
    terminal::print(&text)?;
    Ok(Exit::Fine)
}

fn as_entry(code: &diag::Code) -> serde_json::Value {
    json!({ "code": code.name, "level": code.level.word(), "summary": code.summary })
}

fn page(code: &diag::Code) -> String {
    let text = code.page().trim_end();
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

/// The page of a concept, with its example and the values in the lanes of a wave.
fn concept_page(concept: &Concept) -> String {
    let mut text = format!(
        "{}\n\n{}\n",
        capitalised(&concept.name().replace('-', " ")),
        wrapped(concept.text, 88)
    );
    for line in concept.example.lines() {
        let _ = writeln!(text, "    {line}");
    }
    let lanes = concept.lanes;
    let width = lanes.iter().map(|it| it.to_string().len()).max().unwrap_or(1).max(2);
    let row = |values: &mut dyn Iterator<Item = u32>| {
        values.map(|it| format!(" {it:>width$}")).collect::<String>()
    };
    let _ = writeln!(text, "\n    lane, i {}", row(&mut (0..8)));
    let _ = writeln!(text, "    x       {}\n", row(&mut lanes.into_iter()));
    let _ = writeln!(text, "see {}", concept.see.join(", "));
    text
}

fn concept_json(concept: &Concept) -> serde_json::Value {
    json!({
        "name": concept.name(),
        "text": concept.text,
        "example": concept.example,
        "lanes": concept.lanes,
        "see": concept.see,
    })
}

fn library_card(function: LibraryFunction) -> String {
    if !function.is_built() {
        return format!("`{}` is a function of HLSL that is not supported yet.\n", function.name());
    }
    let mut text = String::new();
    for overload in function.overloads() {
        let _ = writeln!(text, "{}", overload.signature());
        if let Some(elements) = overload.elements() {
            let _ = writeln!(text, "T: {elements}");
        }
        let since = overload.since();
        let since =
            if since.minor > 0 { format!(" (shader model {since})") } else { String::new() };
        let _ = writeln!(text, "  {}{since}\n", overload.summary());
    }
    if function.overloads().all(reference::Overload::is_pure) {
        text.push_str("Each lane computes it by itself, whichever others are active.\n");
    } else {
        // The last overload ends with an empty line, which nothing follows.
        text.truncate(text.trim_end().len() + 1);
    }
    text
}

fn library_json(function: LibraryFunction) -> serde_json::Value {
    let overload = |it: reference::Overload| {
        json!({
            "signature": it.signature(),
            "elements": it.elements(),
            "summary": it.summary(),
            "shader_model": it.since().to_string(),
        })
    };
    json!({
        "name": function.name(),
        "built": function.is_built(),
        "overloads": function.overloads().map(overload).collect::<Vec<_>>(),
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
