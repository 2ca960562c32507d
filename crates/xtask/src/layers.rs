//! The layers of `ARCHITECTURE.md` are those of the `Cargo.toml`s.

use std::collections::{BTreeMap, BTreeSet};

const CRATES: [&str; 13] = [
    "ops",
    "diag",
    "ir",
    "hlsl",
    "interp",
    "cpu",
    "spirv",
    "sanitizer",
    "wavelane",
    "jobs",
    "cli",
    "suite",
    "xtask",
];

/// The table: for each crate, which others it may use.
fn allowed() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(crate::root().join("ARCHITECTURE.md")).unwrap();
    let table = text.split("\n## Layers\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut layers = BTreeMap::new();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let uses = match cells[3] {
            "–" => BTreeSet::new(),
            "all" => CRATES.into_iter().map(str::to_owned).collect(),
            list => list.split(',').map(|it| it.trim().to_owned()).collect(),
        };
        layers.insert(cells[1].trim_matches('`').to_owned(), uses);
    }
    layers
}

#[test]
fn crates_use_only_what_the_table_allows() {
    let allowed = allowed();
    assert_eq!(
        allowed.keys().map(String::as_str).collect::<BTreeSet<_>>(),
        CRATES.into_iter().collect()
    );
    for name in CRATES {
        let manifest =
            std::fs::read_to_string(crate::root().join(format!("crates/{name}/Cargo.toml")))
                .unwrap();
        let used = manifest.lines().filter_map(|line| {
            let (name, _) = line.split_once([' ', '.', '='])?;
            CRATES.contains(&name).then(|| name.to_owned())
        });
        for used in used.filter(|it| it != "name") {
            assert!(allowed[name].contains(&used), "`{name}` may not use `{used}`");
        }
    }
}

#[test]
fn no_crate_but_cpu_and_the_facade_allows_unsafe_code() {
    for name in CRATES.into_iter().filter(|it| !["cpu", "wavelane"].contains(it)) {
        for file in ["lib.rs", "main.rs"] {
            let path = crate::root().join(format!("crates/{name}/src/{file}"));
            if let Ok(text) = std::fs::read_to_string(path) {
                assert!(text.contains("#![forbid(unsafe_code)]"), "{name}/src/{file}");
            }
        }
    }
    let device = std::fs::read_to_string(crate::root().join("crates/wavelane/src/lib.rs")).unwrap();
    assert!(device.contains("#![deny(unsafe_code)]"));
}

#[test]
fn unsafe_code_stands_in_few_files_with_a_reason_each() {
    let of_cpu = ["bounds.rs", "call.rs", "code.rs", "frame.rs", "launch.rs", "views.rs"];
    let of_device =
        ["context.rs", "fill.rs", "image.rs", "instance.rs", "program.rs", "room.rs", "run.rs"];
    for (name, allowed) in [("cpu", &of_cpu[..]), ("wavelane", &of_device[..])] {
        let allowed: BTreeSet<String> = allowed.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(files_with_unsafe_code(name), allowed, "{name}");
    }
}

/// The files of a crate that hold unsafe code, each block of which must say why it is sound.
fn files_with_unsafe_code(name: &str) -> BTreeSet<String> {
    let folder = crate::root().join(format!("crates/{name}/src"));
    let mut with = BTreeSet::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let files = match path.is_dir() {
            true => std::fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()).collect(),
            false => vec![path],
        };
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                if !line.contains("unsafe {") && !line.contains("unsafe impl") {
                    continue;
                }
                let reason =
                    lines[at.saturating_sub(4)..at].iter().any(|it| it.contains("SAFETY:"));
                assert!(reason, "{}:{} says no reason", file.display(), at + 1);
                with.insert(file.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    with
}
