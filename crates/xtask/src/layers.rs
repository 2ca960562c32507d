//! The layers of `ARCHITECTURE.md` are those of the `Cargo.toml`s.

use std::collections::{BTreeMap, BTreeSet};

const CRATES: [&str; 15] = [
    "ops",
    "diag",
    "ir",
    "hlsl",
    "interp",
    "cpu",
    "legalize",
    "spirv",
    "sanitizer",
    "wavelane",
    "jobs",
    "cli",
    "bench",
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
fn unsafe_code_is_forbidden_where_it_is_not_needed() {
    for name in CRATES.into_iter().filter(|it| !["cpu", "wavelane", "bench"].contains(it)) {
        // The program of `cli` tunes the allocator.
        let files = if name == "cli" { &["lib.rs"][..] } else { &["lib.rs", "main.rs"] };
        for file in files {
            let path = crate::root().join(format!("crates/{name}/src/{file}"));
            if let Ok(text) = std::fs::read_to_string(path) {
                assert!(text.contains("#![forbid(unsafe_code)]"), "{name}/src/{file}");
            }
        }
    }
    let device = std::fs::read_to_string(crate::root().join("crates/wavelane/src/lib.rs")).unwrap();
    assert!(device.contains("#![deny(unsafe_code)]"));
}

/// That each block says why it is sound is a lint: `undocumented_unsafe_blocks`.
#[test]
fn unsafe_code_stays_in_few_files() {
    let of_cpu = ["call.rs", "code.rs", "frame.rs", "launch.rs", "views.rs"];
    let of_facade =
        ["context.rs", "fill.rs", "image.rs", "instance.rs", "program.rs", "resident.rs", "run.rs"];
    let of_cli = ["early.rs", "room.rs"];
    for (name, allowed) in [("cpu", &of_cpu[..]), ("wavelane", &of_facade), ("cli", &of_cli)] {
        let allowed: BTreeSet<String> = allowed.iter().map(|it| (*it).to_owned()).collect();
        let with: BTreeSet<String> =
            crate::tidy::files(&crate::root().join("crates").join(name).join("src"), "rs")
                .into_iter()
                .filter(|path| {
                    let text = std::fs::read_to_string(path).unwrap();
                    text.contains("unsafe {") || text.contains("unsafe impl")
                })
                .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
                .collect();
        assert_eq!(with, allowed, "{name}");
    }
}
