//! Diagnostics for other programs: JSON, the commands of GitHub's workflow logs, and SARIF 2.1.0.

use serde_json::{Value, json};

use crate::{Code, Diagnostic, Help, Label, Level, SourceMap, Span};

/// One diagnostic as an object.
///
/// `{"code", "level", "message", "location", "label", "related": […], "notes": […], "helps": […]}`; a location is
/// `{"file", "line", "column", "end_line", "end_column"}` counting from 1, or null. A help's `fix`, if it has one, is
/// `{"location", "replacement"}`.
pub fn to_json(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let related =
        |label: &Label| json!({ "location": location(label.span, sources), "text": label.text });
    let help = |help: &Help| {
        let fix = help.fix.as_ref();
        let fix = fix.map(|fix| json!({ "location": location(fix.span, sources), "replacement": fix.replacement }));
        json!({ "text": help.text, "fix": fix })
    };
    json!({
        "code": diagnostic.code.name,
        "level": diagnostic.level.word(),
        "message": diagnostic.message,
        "location": location(diagnostic.primary.span, sources),
        "label": diagnostic.primary.text,
        "related": diagnostic.secondary.iter().map(related).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "helps": diagnostic.helps.iter().map(help).collect::<Vec<_>>(),
    })
}

/// One diagnostic as a line that GitHub shows beside the changed code.
pub fn to_github(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let command = match diagnostic.level {
        Level::Error | Level::Unsupported => "error",
        Level::Warning => "warning",
        Level::Note | Level::Allow => "notice",
    };
    let place = sources.location(diagnostic.primary.span).map(|at| {
        format!("file={},line={},col={},", github_property(&at.file), at.line, at.column)
    });
    let title = github_property(diagnostic.code.name);
    let message = github_data(&diagnostic.message);
    format!("::{command} {}title={title}::{message}\n", place.unwrap_or_default())
}

/// A whole run as one SARIF log, which code-scanning services take.
pub fn sarif(diagnostics: &[(&Diagnostic, &SourceMap)], version: &str) -> Value {
    let mut rules: Vec<&Code> = diagnostics.iter().map(|(it, _)| it.code).collect();
    rules.sort_by_key(|code| code.name);
    rules.dedup_by_key(|code| code.name);
    let results: Vec<Value> =
        diagnostics.iter().map(|(it, sources)| sarif_result(it, sources)).collect();
    let rules: Vec<Value> = rules
        .iter()
        .map(|code| {
            json!({
                "id": code.name,
                "shortDescription": { "text": code.summary },
                "help": { "text": code.page, "markdown": code.page },
                "defaultConfiguration": { "level": sarif_level(code.level) },
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "wavelane", "version": version, "rules": rules } },
            "results": results,
        }],
    })
}

fn sarif_result(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let place = |span: Span, text: &str| {
        let at = Extent::of(span, sources)?;
        Some(json!({
            "physicalLocation": {
                "artifactLocation": { "uri": at.file.replace('\\', "/") },
                "region": {
                    "startLine": at.line, "startColumn": at.column,
                    "endLine": at.end_line, "endColumn": at.end_column,
                },
            },
            "message": { "text": text },
        }))
    };
    let related = diagnostic.secondary.iter().filter_map(|it| place(it.span, &it.text));
    let mut text = diagnostic.message.clone();
    for more in diagnostic.notes.iter().chain(diagnostic.helps.iter().map(|it| &it.text)) {
        text.push('\n');
        text.push_str(more);
    }
    json!({
        "ruleId": diagnostic.code.name,
        "level": sarif_level(diagnostic.level),
        "message": { "text": text },
        "locations": place(diagnostic.primary.span, &diagnostic.primary.text).into_iter().collect::<Vec<_>>(),
        "relatedLocations": related.collect::<Vec<_>>(),
    })
}

fn sarif_level(level: Level) -> &'static str {
    match level {
        Level::Error | Level::Unsupported => "error",
        Level::Warning => "warning",
        Level::Note => "note",
        Level::Allow => "none",
    }
}

/// From where to where a span goes, as a person counts.
struct Extent {
    file: std::sync::Arc<str>,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

impl Extent {
    fn of(span: Span, sources: &SourceMap) -> Option<Extent> {
        let from = sources.location(span)?;
        let to = sources.location(sources.written(span).end()).filter(|to| to.file == from.file);
        let to = to.unwrap_or_else(|| from.clone());
        Some(Extent {
            file: from.file,
            line: from.line,
            column: from.column,
            end_line: to.line,
            end_column: to.column,
        })
    }
}

fn location(span: Span, sources: &SourceMap) -> Value {
    match Extent::of(span, sources) {
        Some(at) => json!({
            "file": &*at.file, "line": at.line, "column": at.column,
            "end_line": at.end_line, "end_column": at.end_column,
        }),
        None => Value::Null,
    }
}

fn github_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn github_property(text: &str) -> String {
    github_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code;

    fn example() -> (Diagnostic, SourceMap) {
        let mut sources = SourceMap::new();
        sources.add("a,b.hlsl", "one\ntwo\n").unwrap();
        let it = Diagnostic::new(&code::SYNTAX, Span::new(4, 7), "100%\nbad")
            .label("here")
            .also(Span::new(0, 3), "there")
            .note("why")
            .fix("so", Span::new(4, 7), "2");
        (it, sources)
    }

    #[test]
    fn json_has_places_notes_and_fixes() {
        let (it, sources) = example();
        let place =
            json!({ "file": "a,b.hlsl", "line": 2, "column": 1, "end_line": 2, "end_column": 4 });
        let value = to_json(&it, &sources);
        assert_eq!(value["location"], place);
        assert_eq!(value["code"], "syntax");
        assert_eq!(value["related"][0]["text"], "there");
        assert_eq!(value["helps"][0]["fix"], json!({ "location": place, "replacement": "2" }));
        let nowhere = Diagnostic::new(&code::SYNTAX, Span::NONE, "m");
        assert_eq!(to_json(&nowhere, &sources)["location"], Value::Null);
    }

    #[test]
    fn github_commands_escape_what_ends_a_field() {
        let (it, sources) = example();
        assert_eq!(
            to_github(&it, &sources),
            "::error file=a%2Cb.hlsl,line=2,col=1,title=syntax::100%25%0Abad\n"
        );
    }

    #[test]
    fn sarif_lists_each_rule_once() {
        let (it, sources) = example();
        let log = sarif(&[(&it, &sources), (&it, &sources)], "1.0");
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len(), 1);
        assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 2);
        assert_eq!(
            log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"],
            2
        );
    }
}
