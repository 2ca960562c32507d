//! Tests that every dependency has a licence that `deny.toml` allows.
//!
//! `cargo deny` checks this and more; this test needs only cargo, so it runs on every machine.

use std::collections::BTreeSet;
use std::process::Command;

/// The licences that `deny.toml` lists.
fn allowed() -> BTreeSet<String> {
    let text = std::fs::read_to_string(crate::root().join("deny.toml")).unwrap();
    let list = text.split("\nallow = [").nth(1).unwrap().split(']').next().unwrap();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether an SPDX expression can be satisfied with allowed licences: `OR` is a choice, `AND` requires both.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    // `AND` binds tighter than `OR`; parentheses occur only around choices, so a list of factors is enough.
    let expression = expression.replace('/', " OR ");
    if let Some((choice, rest)) =
        expression.strip_prefix('(').and_then(|it| it.split_once(") AND "))
    {
        return is_allowed(choice, allowed) && is_allowed(rest, allowed);
    }
    expression.split(" OR ").any(|choice| {
        choice.split(" AND ").all(|it| allowed.contains(it.trim_matches(['(', ')', ' '])))
    })
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--workspace", "--offline", "--locked", "--prefix", "none"])
        .args(["--format", "{p}|{l}"])
        .current_dir(crate::root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    let packages: BTreeSet<(&str, &str)> =
        tree.lines().filter_map(|it| it.trim_end_matches(" (*)").split_once('|')).collect();
    assert!(packages.len() > 20, "cargo lists the dependencies");
    let allowed = allowed();
    for (name, licence) in packages {
        assert!(is_allowed(licence, &allowed), "{name} has the licence `{licence}`");
    }
}

#[test]
fn expressions_are_choices_and_requirements() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "Zlib".to_owned()]);
    for (expression, expected) in [
        ("MIT", true),
        ("MIT OR GPL-3.0", true),
        ("GPL-3.0/MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(MIT OR GPL-3.0) AND Zlib", true),
        ("(MIT OR GPL-3.0) AND GPL-2.0", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}
