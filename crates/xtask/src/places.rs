//! `cargo xtask places`: the files that a new variant of an enum touches, which are those that list every variant or,
//! for engines, that name any; and the matches that name several variants and have a default for the others, which may
//! have to name it too. A test compares the table "Places" of `ARCHITECTURE.md`, and prints how a row should read.
//!
//! A file lists a variant where it names it, qualified or after a `use …::*`.

mod defaults;

use std::collections::BTreeSet;
use std::path::Path;

/// An enum, the file that defines it, and whether a file counts that names only some of its variants.
const ENUMS: [(&str, &str, bool); 5] = [
    ("WaveOp", "crates/ops/src/wave.rs", false),
    ("Op", "crates/ir/src/module.rs", false),
    ("ResourceKind", "crates/ir/src/module.rs", false),
    ("Stage", "crates/ops/src/intrinsics.rs", false),
    // Engines are also distinguished by comparison with one of them.
    ("Engine", "crates/wavelane/src/device.rs", true),
];

/// Lists the places of the named enums, or of all.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(other) = arguments.iter().find(|it| ENUMS.iter().all(|of| of.0 != it.as_str())) {
        let names: Vec<&str> = ENUMS.iter().map(|it| it.0).collect();
        return Err(format!("no table has `{other}`; there are `{}`", names.join("`, `")));
    }
    for Places { name, files, defaults } in Places::all()? {
        if !arguments.is_empty() && !arguments.iter().any(|it| it == name) {
            continue;
        }
        println!("{name}: {} files list it", files.len());
        files.iter().for_each(|it| println!("  {it}"));
        println!("{name}: {} matches have a default", defaults.len());
        defaults.iter().for_each(|(file, line)| println!("  {file}:{line}"));
    }
    Ok(())
}

/// A file's code without comments and without the tests at its end.
fn code(text: &str) -> String {
    let tests = ["\n#[cfg(test)]\nmod tests {", "\n#[cfg(test)]\npub(crate) mod testing {"];
    let end = tests.iter().filter_map(|it| text.find(it)).min().unwrap_or(text.len());
    let lines = text[..end].lines().map(|it| it.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join("\n")
}

/// The names of an enum's variants: the words at the first level of its braces.
fn variants(definition: &str, name: &str) -> Result<BTreeSet<String>, String> {
    let body = definition.split(&format!("pub enum {name} {{")).nth(1);
    let body = body.ok_or_else(|| {
        format!("`{name}` is defined elsewhere: tell crates/xtask/src/places.rs where")
    })?;
    let body = body.split("\n}").next().unwrap_or(body);
    let mut depth = 0;
    let mut plain = String::new();
    for c in body.chars() {
        depth -= i32::from(matches!(c, ')' | '}' | ']'));
        plain.push(if depth == 0 { c } else { ' ' });
        depth += i32::from(matches!(c, '(' | '{' | '['));
    }
    let is_variant = |it: &&str| it.starts_with(|c: char| c.is_ascii_uppercase());
    Ok(words(&plain).filter(is_variant).map(str::to_owned).collect())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|it| !it.is_empty())
}

/// Whether a file names every variant, or some.
fn lists(code: &str, name: &str, variants: &BTreeSet<String>, some: bool) -> bool {
    let all = |is_named: &dyn Fn(&String) -> bool| match some {
        true => variants.iter().any(is_named),
        false => variants.iter().all(is_named),
    };
    let open = [format!("{name}::*"), format!("names! {{ {name} {{")];
    if open.iter().any(|it| code.contains(it)) {
        let words: BTreeSet<&str> = words(code).collect();
        return all(&|it| words.contains(it.as_str()));
    }
    // Matches `Op::If`, but neither `TextureOp::If` nor `Op::IfNot`.
    let qualified = format!("{name}::");
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let found = code.match_indices(&qualified).filter(|(at, _)| !code[..*at].ends_with(is_part));
    let named: BTreeSet<&str> =
        found.filter_map(|(at, it)| words(&code[at + it.len()..]).next()).collect();
    all(&|it| named.contains(it.as_str()))
}

/// Where an enum's variants are distinguished, apart from its definition.
struct Places {
    name: &'static str,
    /// The files that list all variants, or some.
    files: BTreeSet<String>,
    /// The files and lines of matches with a default.
    defaults: Vec<(String, usize)>,
}

impl Places {
    /// Those of all enums.
    fn all() -> Result<Vec<Places>, String> {
        let read = |path: &Path| {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let mut all = Vec::new();
        for (name, definition, some) in ENUMS {
            let variants = variants(&code(&read(&crate::root().join(definition))?), name)?;
            let places = Places { name, files: BTreeSet::new(), defaults: Vec::new() };
            all.push((places, definition, variants, some));
        }
        for path in crate::sources::files(&crate::root().join("crates"), "rs") {
            let text = read(&path)?;
            let path = path.strip_prefix(crate::root()).unwrap_or(&path);
            let is_test = path.iter().any(|it| it == "tests" || it == "examples")
                || path.file_stem().is_some_and(|it| it == "tests");
            let path = path.to_string_lossy().replace('\\', "/");
            let names = |name| text.contains(&format!("{name}::"));
            if is_test || !ENUMS.iter().any(|it| names(it.0)) {
                continue;
            }
            let (code, tree) = (code(&text), syn::parse_file(&text));
            let tree = tree.map_err(|error| format!("{path}: {error}"))?;
            for (places, definition, variants, some) in &mut all {
                if path == *definition {
                    continue;
                }
                let lines = defaults::lines(&tree, places.name, variants);
                places.defaults.extend(lines.into_iter().map(|it| (path.clone(), it)));
                if lists(&code, places.name, variants, *some) {
                    places.files.insert(path.clone());
                }
            }
        }
        Ok(all.into_iter().map(|it| it.0).collect())
    }
}

#[test]
fn the_table_of_places_matches_the_source() {
    let text = std::fs::read_to_string(crate::root().join("ARCHITECTURE.md")).unwrap();
    let table = text.split("\n### Places\n").nth(1).unwrap().split("\n#").next().unwrap();
    let mut missing = Vec::new();
    for Places { name, files, defaults } in Places::all().unwrap() {
        let files: Vec<String> =
            files.iter().map(|it| format!("`{}`", it.trim_start_matches("crates/"))).collect();
        let row =
            format!("| `{name}` | {} | {} | {} |", files.len(), defaults.len(), files.join(", "));
        if !table.lines().any(|it| it == row) {
            missing.push(row);
        }
    }
    assert!(missing.is_empty(), "these rows should read:\n{}", missing.join("\n"));
}

#[test]
fn a_list_is_found_however_it_is_spelled() {
    let definition = "pub enum Op {\n    If { cond: Value },\n    Wave(WaveOp),\n    Return,\n}\n";
    let all = variants(definition, "Op").unwrap();
    assert_eq!(all.iter().map(String::as_str).collect::<Vec<_>>(), ["If", "Return", "Wave"]);
    assert!(lists("Op::If { .. } => 1, Op::Wave(_) | Op::Return => 2", "Op", &all, false));
    assert!(lists("use Op::*; If { .. } => 1, Wave(_) | Return => 2", "Op", &all, false));
    assert!(!lists("Op::If { .. } => 1, Op::Wave(_) => 2, _ => 3", "Op", &all, false));
    assert!(lists("if op == Op::Return {}", "Op", &all, true));
    assert!(!lists("if op == TextureOp::Return {}", "Op", &all, true));
    assert!(!lists("Op::If {}, Op::Wave(WaveOp::Return), TextureOp::Return", "Op", &all, false));
}
