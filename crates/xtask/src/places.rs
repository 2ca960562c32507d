//! Checks the table "Places" of `ARCHITECTURE.md`, which names the files that a new variant of an enum touches: those
//! that list every variant or, for engines, that name any.
//!
//! The test looks for files that name each variant, qualified or after a `use …::*`. If the table does not match the
//! source, the test prints how the row should read. A file that names some of the variants and has a wildcard for the
//! others does not count: a new variant needs no change there.

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

/// A file's code without comments and without the tests at its end.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let tests = ["\n#[cfg(test)]\nmod tests {", "\n#[cfg(test)]\npub(crate) mod testing {"];
    let end = tests.iter().filter_map(|it| text.find(it)).min().unwrap_or(text.len());
    let lines = text[..end].lines().map(|it| it.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join("\n")
}

/// The names of an enum's variants: the words at the first level of its braces.
fn variants(definition: &str, name: &str) -> BTreeSet<String> {
    let start = definition
        .find(&format!("pub enum {name} {{"))
        .unwrap_or_else(|| panic!("`{name}` is defined elsewhere: tell xtask/src/places.rs where"));
    let body = definition[start..].split_once('{').unwrap().1;
    let body = body.split("\n}").next().unwrap();
    let mut depth = 0;
    let mut plain = String::new();
    for c in body.chars() {
        depth -= i32::from(matches!(c, ')' | '}' | ']'));
        plain.push(if depth == 0 { c } else { ' ' });
        depth += i32::from(matches!(c, '(' | '{' | '['));
    }
    let is_variant = |it: &&str| it.starts_with(|c: char| c.is_ascii_uppercase());
    words(&plain).filter(is_variant).map(str::to_owned).collect()
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

/// The files that list all variants, or some, except the one that defines them.
fn listing(name: &str, definition: &str, some: bool) -> BTreeSet<String> {
    let variants = variants(&code(&crate::root().join(definition)), name);
    assert!(variants.len() > 3, "{name}: {variants:?}");
    let mut found = BTreeSet::new();
    for path in crate::tidy::files(&crate::root().join("crates"), "rs") {
        let path = path.strip_prefix(crate::root()).unwrap();
        let is_test = path.iter().any(|it| it == "tests" || it == "examples")
            || path.file_stem().is_some_and(|it| it == "tests");
        let path = path.to_string_lossy().replace('\\', "/");
        if !is_test
            && path != definition
            && lists(&code(&crate::root().join(&path)), name, &variants, some)
        {
            found.insert(path);
        }
    }
    found
}

#[test]
fn the_table_of_places_matches_the_source() {
    let text = std::fs::read_to_string(crate::root().join("ARCHITECTURE.md")).unwrap();
    let table = text.split("\n### Places\n").nth(1).unwrap().split("\n#").next().unwrap();
    let mut missing = Vec::new();
    for (name, definition, some) in ENUMS {
        let found = listing(name, definition, some);
        let files: Vec<String> =
            found.iter().map(|it| format!("`{}`", it.trim_start_matches("crates/"))).collect();
        let row = format!("| `{name}` | {} | {} |", files.len(), files.join(", "));
        if !table.lines().any(|it| it == row) {
            missing.push(row);
        }
    }
    assert!(missing.is_empty(), "these rows should read:\n{}", missing.join("\n"));
}

#[test]
fn a_list_is_found_however_it_is_spelled() {
    let definition = "pub enum Op {\n    If { cond: Value },\n    Wave(WaveOp),\n    Return,\n}\n";
    let all = variants(definition, "Op");
    assert_eq!(all.iter().map(String::as_str).collect::<Vec<_>>(), ["If", "Return", "Wave"]);
    assert!(lists("Op::If { .. } => 1, Op::Wave(_) | Op::Return => 2", "Op", &all, false));
    assert!(lists("use Op::*; If { .. } => 1, Wave(_) | Return => 2", "Op", &all, false));
    assert!(!lists("Op::If { .. } => 1, Op::Wave(_) => 2, _ => 3", "Op", &all, false));
    assert!(lists("if op == Op::Return {}", "Op", &all, true));
    assert!(!lists("if op == TextureOp::Return {}", "Op", &all, true));
    assert!(!lists("Op::If {}, Op::Wave(WaveOp::Return), TextureOp::Return", "Op", &all, false));
}
