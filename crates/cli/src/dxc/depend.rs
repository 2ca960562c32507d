//! Dependencies of a shader: rules for make and ninja, and the tree of includes.

use wavelane::{SourceMap, Span};

/// Pseudo files, which hold the macros of the compiler and the command line.
fn is_real(name: &str) -> bool {
    !(name.starts_with('<') && name.ends_with('>')) && name != jobs::HEADER_NAME
}

/// The files that were read, each once, the main file first.
fn files<'a>(main: &'a str, sources: &'a SourceMap) -> Vec<&'a str> {
    let mut files = vec![main];
    for (_, file) in sources.files() {
        if is_real(&file.name) && !files.contains(&&*file.name) {
            files.push(&file.name);
        }
    }
    files.retain(|it| is_real(it));
    files
}

/// `target: a.hlsl \` and so on, in the syntax of make, which ninja reads as well.
pub(super) fn rule(target: &str, main: &str, sources: &SourceMap) -> String {
    let files: Vec<String> = files(main, sources).into_iter().map(escaped).collect();
    format!("{}: {}\n", escaped(target), files.join(" \\\n  "))
}

/// Escapes spaces and make's special characters.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for character in name.chars() {
        match character {
            ' ' | '#' => escaped.extend(['\\', character]),
            '$' => escaped.push_str("$$"),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Each included file on a line, behind a dot for each level of inclusion.
pub(super) fn tree(main: &str, sources: &SourceMap) -> String {
    let mut text = String::new();
    for (_, file) in sources.files() {
        if is_real(&file.name) && &*file.name != main {
            let depth = depth(file.included, sources);
            text.push_str(&format!("{} {}\n", ".".repeat(depth.max(1)), file.name));
        }
    }
    text
}

fn depth(included: Span, sources: &SourceMap) -> usize {
    if included.is_none() { 0 } else { 1 + sources.includers(included).count() }
}

/// The path with another extension, or with one.
pub(super) fn with_extension(file: &str, extension: &str) -> String {
    std::path::Path::new(file).with_extension(extension).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_each_file_once_and_escapes_makes_special_characters() {
        let mut sources = SourceMap::new();
        for name in ["my a.hlsl", "<predefined>", "inc/$b#.hlsli", "inc/$b#.hlsli"] {
            sources.add(name, "").unwrap();
        }
        let rule = rule("out dir/a.spv", "my a.hlsl", &sources);
        assert_eq!(rule, "out\\ dir/a.spv: my\\ a.hlsl \\\n  inc/$$b\\#.hlsli\n");
    }
}
