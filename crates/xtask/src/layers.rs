//! Tests that the layers in `ARCHITECTURE.md` match the `Cargo.toml`s, and that the modules of `cli` keep to theirs.

use std::collections::{BTreeMap, BTreeSet};

const CRATES: [&str; 28] = [
    "ops",
    "diag",
    "ir",
    "values",
    "skipped",
    "hlsl",
    "interp",
    "cpu",
    "legalize",
    "raster",
    "campaign",
    "generate",
    "reduce",
    "spirv",
    "ptx",
    "sanitizer",
    "session",
    "timeline",
    "serve",
    "wavelane",
    "web",
    "jobs",
    "cli",
    "python",
    "capi",
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
            let (used, _) = line.split_once([' ', '.', '='])?;
            CRATES.contains(&used).then(|| used.to_owned())
        });
        for used in used {
            assert!(allowed[name].contains(&used), "`{name}` may not use `{used}`");
        }
    }
}

#[test]
fn unsafe_code_is_forbidden_where_it_is_not_needed() {
    let with_unsafe = ["cpu", "wavelane", "bench", "web", "python", "capi"];
    for name in CRATES.into_iter().filter(|it| !with_unsafe.contains(it)) {
        // The binary of `cli` tunes the allocator.
        let files = if name == "cli" { &["lib.rs"][..] } else { &["lib.rs", "main.rs"] };
        for file in files {
            let path = crate::root().join(format!("crates/{name}/src/{file}"));
            if let Ok(text) = std::fs::read_to_string(path) {
                assert!(text.contains("#![forbid(unsafe_code)]"), "{name}/src/{file}");
            }
        }
    }
    for name in ["wavelane", "web", "python"] {
        let path = crate::root().join(format!("crates/{name}/src/lib.rs"));
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("#![deny(unsafe_code)]"), "{name}");
    }
}

/// The lint `undocumented_unsafe_blocks` checks that each block says why it is sound.
#[test]
fn unsafe_code_stays_in_few_files() {
    let of_cpu = [
        "call.rs",
        "code.rs",
        "frame.rs",
        "launch.rs",
        "ordered.rs",
        "rays.rs",
        "views.rs",
        "waves.rs",
    ];
    let of_facade = [
        "attachment.rs",
        "borrowed.rs",
        "context.rs",
        "driver.rs",
        "samples.rs",
        "graphics.rs",
        "image.rs",
        "instance.rs",
        "loops.rs",
        "program.rs",
        "resident.rs",
        "run.rs",
        "scene.rs",
        "vouched.rs",
    ];
    let of_cli = ["early.rs", "room.rs"];
    // The exports of the module for browsers.
    let of_web = ["abi.rs"];
    let of_python = ["foreign.rs", "memory.rs"];
    let of_capi = ["compile.rs", "error.rs", "handles.rs", "run.rs", "texture.rs"];
    for (name, allowed) in [
        ("cpu", &of_cpu[..]),
        ("wavelane", &of_facade),
        ("cli", &of_cli),
        ("web", &of_web),
        ("python", &of_python),
        ("capi", &of_capi),
    ] {
        let allowed: BTreeSet<String> = allowed.iter().map(|it| (*it).to_owned()).collect();
        let with: BTreeSet<String> =
            crate::sources::files(&crate::root().join("crates").join(name).join("src"), "rs")
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

/// The modules of the commands, each named after its command, with or without a folder. The command `worker` is in
/// `serve`: the module `worker` is what all commands share that deal work to processes.
fn commands() -> BTreeSet<String> {
    let path = crate::root().join("crates/cli/src/command.rs");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, names) = text.split_once("fn name(self)").expect("`Command::name`");
    let (names, _) = names.split_once("\n    }\n").unwrap();
    let names = names.split('"').skip(1).step_by(2);
    names.map(|it| if it == "worker" { "serve" } else { it }.to_owned()).collect()
}

/// The files of `cli`, each with the module that it belongs to.
fn files_of_cli() -> Vec<(String, String, String)> {
    let source = crate::root().join("crates/cli/src");
    let (mut files, mut open) = (Vec::new(), vec![source.clone()]);
    while let Some(folder) = open.pop() {
        for path in std::fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let short = path.strip_prefix(&source).unwrap().to_string_lossy().replace('\\', "/");
            let module = short.split(['/', '.']).next().unwrap_or("").to_owned();
            files.push((module, short, std::fs::read_to_string(&path).unwrap()));
        }
    }
    files
}

/// The modules of the same crate that a file names after `crate::`, in `use` lines and elsewhere.
fn named_modules(text: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    for rest in text.split("crate::").skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            named.extend(rest.split(|it| !is_word(it)).next().map(str::to_owned));
            continue;
        };
        // The words of a list outside its nested lists.
        let mut depth = 0;
        let mut starts = true;
        let mut word = String::new();
        for character in list.chars() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    named.insert(std::mem::take(&mut word));
                    starts = true;
                }
                it if depth == 0 && starts && is_word(it) => word.push(it),
                ':' => starts = false,
                _ => {}
            }
        }
        named.insert(word);
    }
    named
}

/// The command line flows one way: words, plain values, one command. Modules that commands share use none of them.
#[test]
fn only_a_command_itself_uses_the_modules_of_a_command() {
    let (files, commands) = (files_of_cli(), commands());
    for command in &commands {
        assert!(files.iter().any(|it| it.0 == *command), "the command `{command}` has no module");
    }
    for (module, file, text) in &files {
        // The only place that calls commands.
        if module == "lib" {
            continue;
        }
        for named in named_modules(text) {
            assert!(
                !commands.contains(&named) || named == *module,
                "cli/src/{file} uses the command `{named}`"
            );
        }
    }
}

/// An acyclic module graph has an order of reading in which each module depends only on earlier ones.
#[test]
fn the_modules_of_the_command_line_have_no_cyclic_dependencies() {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, _, text) in files_of_cli() {
        let named = named_modules(&text).into_iter().filter(|it| *it != module);
        uses.entry(module.clone()).or_default().extend(named);
    }
    // They are above all others.
    for root in ["lib", "main"] {
        uses.remove(root);
    }
    while !uses.is_empty() {
        let is_free = |it: &BTreeSet<String>| it.iter().all(|used| !uses.contains_key(used));
        let free: Vec<String> =
            uses.iter().filter(|(_, it)| is_free(it)).map(|(name, _)| name.clone()).collect();
        assert!(!free.is_empty(), "cyclic dependencies among {:?}", uses.keys());
        free.iter().for_each(|it| drop(uses.remove(it)));
    }
}

/// The process's arguments are read in one place and passed on.
#[test]
fn the_words_of_a_command_line_are_read_in_one_place() {
    let readers: Vec<String> = files_of_cli()
        .into_iter()
        .filter(|(_, _, text)| text.contains("env::args"))
        .map(|(_, file, _)| file)
        .collect();
    assert_eq!(readers, ["lib.rs"]);
}

#[test]
fn modules_are_found_in_every_form_of_a_use_line() {
    let text = "use crate::run::watch;\nuse crate::{End, caps, test::{Worker, ask}, diff};\ncrate::san::plan()";
    let named: Vec<String> = named_modules(text).into_iter().filter(|it| !it.is_empty()).collect();
    assert_eq!(named, ["End", "caps", "diff", "run", "san", "test"]);
}

/// Clippy reads the nearest `clippy.toml` only, so that one of a crate's own replaces that of the root, mathematics of
/// the host included.
#[test]
fn the_command_line_may_not_use_mathematics_of_the_host_either() {
    let read = |path: &str| std::fs::read_to_string(crate::root().join(path)).unwrap();
    let own = read("crates/cli/clippy.toml");
    for row in
        read("clippy.toml").lines().filter(|it| it.contains("ops::math") && it.contains("path"))
    {
        assert!(own.contains(row), "crates/cli/clippy.toml lacks: {row}");
    }
}
