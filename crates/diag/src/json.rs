//! Diagnostics for other programs: JSON, the commands of GitHub's workflow logs, and SARIF 2.1.0.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::render::told_stack;
use crate::{Code, Diagnostic, Frame, Help, Label, Level, SourceMap, Span, Stack};

/// One diagnostic as an object.
///
/// `{"code", "level", "message", "location", "label", "related": […], "stacks": […], "notes": […], "helps": […]}`;
/// a stack is `{"of", "frames": [{"function", "location"}]}`, the innermost function first; a location is
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
        "stacks": stacks_json(diagnostic, sources),
        "notes": diagnostic.notes,
        "helps": diagnostic.helps.iter().map(help).collect::<Vec<_>>(),
    })
}

/// The call stacks of a diagnostic.
pub fn stacks_json(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let frame =
        |it: &Frame| json!({ "function": it.function, "location": location(it.span, sources) });
    let stack = |it: &Stack| {
        let frames: Vec<Value> = it.frames.iter().map(frame).collect();
        json!({ "of": it.of, "frames": frames })
    };
    diagnostic.stacks.iter().map(stack).collect()
}

/// One diagnostic as a line that GitHub shows beside the changed code, with its remedies.
///
/// Columns are left out of spans over several lines: GitHub does not accept both.
pub fn to_github(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let command = match diagnostic.level {
        Level::Error | Level::Unsupported => "error",
        Level::Warning => "warning",
        Level::Note | Level::Allow => "notice",
    };
    let place = Extent::of(diagnostic.primary.span, sources).map(|at| {
        let columns = match at.end_line == at.line {
            true => format!("col={},endColumn={},", at.column, at.end_column),
            false => String::new(),
        };
        let file = github_property(&at.file);
        format!("file={file},line={},endLine={},{columns}", at.line, at.end_line)
    });
    let title = github_property(diagnostic.code.name);
    let told = |it| told_stack(it, diagnostic.primary.span, sources);
    let stacks = diagnostic.stacks.iter().map(told);
    let notes = stacks.chain(diagnostic.notes.iter().cloned());
    let notes = notes.map(|it| format!("\nnote: {it}"));
    let helps = diagnostic.helps.iter().map(|it| format!("\nhelp: {}", it.text));
    let more: String = notes.chain(helps).collect();
    let message = github_data(&format!("{}{more}", diagnostic.message));
    format!("::{command} {}title={title}::{message}\n", place.unwrap_or_default())
}

/// A whole run as one SARIF log, which code-scanning services take.
///
/// Columns count characters, as the log states (`columnKind`); the end of a region is the first column after it.
/// Remedies that replace text are `fixes`; everything else is in the message.
pub fn sarif(diagnostics: &[(&Diagnostic, &SourceMap)], version: &str) -> Value {
    let results = diagnostics.iter().map(|(it, sources)| sarif_result(it, sources));
    sarif_log(results.collect(), version)
}

/// The log of results that [`sarif_result`] has made, possibly in another process, or that have its `ruleId` at least.
pub fn sarif_log(mut results: Vec<Value>, version: &str) -> Value {
    let mut rules: Vec<&Code> =
        results.iter().filter_map(|it| crate::by_name(it["ruleId"].as_str()?)).collect();
    rules.sort_by_key(|code| code.name);
    rules.dedup_by_key(|code| code.name);
    for result in &mut results {
        let index = rules.iter().position(|it| result["ruleId"] == it.name);
        result["ruleIndex"] = json!(index);
    }
    let rules: Vec<Value> = rules
        .iter()
        .map(|code| {
            json!({
                "id": code.name,
                "shortDescription": { "text": code.summary },
                "help": { "text": code.page(), "markdown": code.page() },
                "defaultConfiguration": { "level": sarif_level(code.level) },
            })
        })
        .collect();
    sarif_with_files(json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "wavelane", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    }))
}

/// Completes a log from its results: the files that they name, relative to a named folder, each once and without `./`,
/// and that the run was completed.
pub fn sarif_with_files(mut log: Value) -> Value {
    for run in log["runs"].as_array_mut().into_iter().flatten() {
        let mut files = BTreeSet::new();
        name_files(&mut run["results"], &mut files);
        let artifact = |file: &String| json!({ "location": located(file) });
        run["artifacts"] = files.iter().map(artifact).collect();
        run["invocations"] = json!([{ "executionSuccessful": true }]);
        let about = "the folder in which the command was run";
        run["originalUriBaseIds"] = json!({ BASE: { "description": { "text": about } } });
    }
    log
}

/// The name of the folder that files are relative to.
const BASE: &str = "ROOT";

/// The place of a file: relative to the folder of the run, unless the path is absolute.
fn located(file: &str) -> Value {
    match file.starts_with('/') || file.contains(':') {
        true => json!({ "uri": file }),
        false => json!({ "uri": file, "uriBaseId": BASE }),
    }
}

/// Replaces every file name in a value with its normalised form, and collects these.
fn name_files(value: &mut Value, files: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|it| name_files(it, files)),
        Value::Object(object) => {
            if let Some(uri) = object.get("artifactLocation").and_then(|it| it["uri"].as_str()) {
                let mut file = uri.replace('\\', "/");
                while let Some(rest) = file.strip_prefix("./") {
                    file = rest.trim_start_matches('/').to_owned();
                }
                object["artifactLocation"] = located(&file);
                files.insert(file);
            }
            object.values_mut().for_each(|it| name_files(it, files));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A file's name as a URI: relative, or `file:` where it starts at a root.
pub fn uri(file: &str) -> String {
    let path = file.replace('\\', "/");
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    let mut uri = match (path.starts_with('/'), is_drive) {
        (true, _) => "file://".to_owned(),
        (false, true) => "file:///".to_owned(),
        (false, false) => String::new(),
    };
    for (at, byte) in path.bytes().enumerate() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        match is_plain || is_drive && at == 1 {
            true => uri.push(char::from(byte)),
            false => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// One result of a SARIF log.
pub fn sarif_result(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let place = |span: Span, text: &str, id: Option<usize>| {
        let at = Extent::of(span, sources)?;
        let mut place = json!({ "physicalLocation": at.physical() });
        if !text.is_empty() {
            place["message"] = json!({ "text": text });
        }
        if let Some(id) = id {
            place["id"] = json!(id);
        }
        Some(place)
    };
    let related = diagnostic.secondary.iter().enumerate();
    let related = related.filter_map(|(id, it)| place(it.span, &it.text, Some(id)));
    let mut text = diagnostic.message.clone();
    for stack in &diagnostic.stacks {
        text.push('\n');
        text.push_str(&told_stack(stack, diagnostic.primary.span, sources));
    }
    for more in diagnostic.notes.iter().chain(diagnostic.helps.iter().map(|it| &it.text)) {
        text.push('\n');
        text.push_str(more);
    }
    let fixes = diagnostic.helps.iter().filter_map(|help| {
        let fix = help.fix.as_ref()?;
        let mut place = Extent::of(fix.span, sources)?.physical();
        let change = json!({
            "deletedRegion": place["region"].take(),
            "insertedContent": { "text": fix.replacement },
        });
        let change = json!({
            "artifactLocation": place["artifactLocation"].take(), "replacements": [change],
        });
        Some(json!({ "description": { "text": help.text }, "artifactChanges": [change] }))
    });
    let fixes: Vec<Value> = fixes.collect();
    let primary = place(diagnostic.primary.span, &diagnostic.primary.text, None);
    let mut result = json!({
        "ruleId": diagnostic.code.name,
        "level": sarif_level(diagnostic.level),
        "message": { "text": text },
        "locations": primary.into_iter().collect::<Vec<_>>(),
        "relatedLocations": related.collect::<Vec<_>>(),
    });
    let frame = |it: &Frame| {
        let mut at = json!({
            "logicalLocations": [{ "name": it.function, "kind": "function" }],
        });
        if let Some(place) = Extent::of(it.span, sources) {
            at["physicalLocation"] = place.physical();
        }
        json!({ "location": at })
    };
    let stack = |it: &Stack| {
        let frames: Vec<Value> = it.frames.iter().map(frame).collect();
        let text = if it.of.is_empty() { "the reported location" } else { it.of.as_str() };
        json!({ "message": { "text": text }, "frames": frames })
    };
    let stacks: Vec<Value> = diagnostic.stacks.iter().map(stack).collect();
    if !stacks.is_empty() {
        result["stacks"] = json!(stacks);
    }
    if !fixes.is_empty() {
        result["fixes"] = json!(fixes);
    }
    result
}

fn sarif_level(level: Level) -> &'static str {
    match level {
        Level::Error | Level::Unsupported => "error",
        Level::Warning => "warning",
        Level::Note => "note",
        Level::Allow => "none",
    }
}

/// The start and the end of a span, counted from 1.
struct Extent {
    file: std::sync::Arc<str>,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

impl Extent {
    /// SARIF's `physicalLocation`.
    fn physical(&self) -> Value {
        json!({
            "artifactLocation": { "uri": uri(&self.file) },
            "region": {
                "startLine": self.line, "startColumn": self.column,
                "endLine": self.end_line, "endColumn": self.end_column,
            },
        })
    }

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
            .stack("(1)", [("f", Span::new(0, 3)), ("main", Span::new(4, 7))])
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
        assert_eq!(value["stacks"][0]["of"], "(1)");
        assert_eq!(
            value["stacks"][0]["frames"][1],
            json!({ "function": "main", "location": place })
        );
        assert_eq!(value["helps"][0]["fix"], json!({ "location": place, "replacement": "2" }));
        let nowhere = Diagnostic::new(&code::SYNTAX, Span::NONE, "m");
        assert_eq!(to_json(&nowhere, &sources)["location"], Value::Null);
    }

    #[test]
    fn github_commands_escape_what_ends_a_field() {
        let (it, sources) = example();
        assert_eq!(
            to_github(&it, &sources),
            "::error file=a%2Cb.hlsl,line=2,endLine=2,col=1,endColumn=4,title=syntax::\
             100%25%0Abad%0Anote: (1) is in `f`, called at line 2 by `main`%0Anote: why%0Ahelp: so\n"
        );
        let nowhere = Diagnostic::new(&code::EXTRA_TOKENS, Span::NONE, "m");
        assert_eq!(to_github(&nowhere, &sources), "::warning title=extra-tokens::m\n");
        // Columns make sense on one line only.
        let lines = Diagnostic::new(&code::SYNTAX, Span::new(0, 5), "m");
        let start = "::error file=a%2Cb.hlsl,line=1,endLine=2,title=";
        assert!(to_github(&lines, &sources).starts_with(start));
    }

    #[test]
    fn a_sarif_log_has_rules_results_related_places_and_fixes() {
        let (it, sources) = example();
        let log = sarif(&[(&it, &sources), (&it, &sources)], "1.0");
        let run = &log["runs"][0];
        assert_eq!(
            (&log["version"], &run["columnKind"]),
            (&json!("2.1.0"), &json!("unicodeCodePoints"))
        );
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 1);
        assert_eq!(run["tool"]["driver"]["rules"][0]["help"]["markdown"], code::SYNTAX.page());
        assert_eq!(run["results"].as_array().unwrap().len(), 2);
        let region = |line: u32| json!({ "startLine": line, "startColumn": 1, "endLine": line, "endColumn": 4 });
        let place = |line| json!({ "artifactLocation": { "uri": "a%2Cb.hlsl", "uriBaseId": "ROOT" }, "region": region(line) });
        let result = json!({
            "ruleId": "syntax",
            "ruleIndex": 0,
            "level": "error",
            "message": { "text": "100%\nbad\n(1) is in `f`, called at line 2 by `main`\nwhy\nso" },
            "locations": [{ "physicalLocation": place(2), "message": { "text": "here" } }],
            "relatedLocations": [{ "physicalLocation": place(1), "message": { "text": "there" }, "id": 0 }],
            "stacks": [{
                "message": { "text": "(1)" },
                "frames": [
                    { "location": { "physicalLocation": place(1), "logicalLocations": [{ "name": "f", "kind": "function" }] } },
                    { "location": { "physicalLocation": place(2), "logicalLocations": [{ "name": "main", "kind": "function" }] } },
                ],
            }],
            "fixes": [{
                "description": { "text": "so" },
                "artifactChanges": [{
                    "artifactLocation": { "uri": "a%2Cb.hlsl", "uriBaseId": "ROOT" },
                    "replacements": [{ "deletedRegion": region(2), "insertedContent": { "text": "2" } }],
                }],
            }],
        });
        assert_eq!(run["results"][0], result);
    }

    #[test]
    fn files_become_uris() {
        for (file, wanted) in [
            ("a/b c.hlsl", "a/b%20c.hlsl"),
            ("/x/y.hlsl", "file:///x/y.hlsl"),
            ("C:\\x\\y.hlsl", "file:///C:/x/y.hlsl"),
            ("<stdin>", "%3Cstdin%3E"),
        ] {
            assert_eq!(uri(file), wanted);
        }
    }
}
