//! A copy of the repository whose crates contain the mutants, and its test programs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::rewrite::rewritten;
use super::sites::{self, Site};

/// The crates that are mutated.
pub(super) const CRATES: [&str; 5] = ["ops", "interp", "cpu", "sanitizer", "spirv"];

/// The packages whose tests may notice a mutant.
const TESTED: [&str; 8] = [
    "wavelane-ops",
    "wavelane-interp",
    "wavelane-cpu",
    "wavelane-sanitizer",
    "wavelane-spirv",
    "suite",
    "wavelane",
    "wavelane-cli",
];

/// Programs for speed comparisons, which are not part of the product.
const LEFT_OUT: [&str; 1] = ["crates/cpu/src/bounds.rs"];

/// Lints that would reject a valid mutant.
const LINTS: &str = "arithmetic_overflow = \"allow\"\noverflowing_literals = \"allow\"\nunconditional_panic = \"allow\"\n";

/// A test program that cargo built.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) name: String,
    pub(super) package: PathBuf,
    pub(super) file: PathBuf,
}

/// The result of a build.
pub(super) struct Built {
    pub(super) programs: Vec<Program>,
    /// The mutants that do not compile.
    pub(super) dropped: BTreeSet<u32>,
}

impl Built {
    fn path() -> PathBuf {
        folder().join("built.json")
    }

    /// Notes the build for `--built`. Paths are absolute, since the tests contain the paths of their packages, too.
    pub(super) fn write(&self) -> Result<(), String> {
        let program =
            |it: &Program| json!({ "name": it.name, "package": it.package, "file": it.file });
        let programs: Vec<Value> = self.programs.iter().map(program).collect();
        let text = json!({ "programs": programs, "dropped": self.dropped }).to_string();
        let path = Built::path();
        std::fs::write(&path, text).map_err(|it| format!("{}: {it}", path.display()))
    }

    pub(super) fn read() -> Result<Built, String> {
        let path = Built::path();
        let broken = |it: &dyn std::fmt::Display| format!("{}: {it}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|it| broken(&it))?;
        let value: Value = serde_json::from_str(&text).map_err(|it| broken(&it))?;
        let program = |it: &Value| {
            let text = |name: &str| it[name].as_str().map(str::to_owned);
            let (package, file) = (text("package")?.into(), text("file")?.into());
            Some(Program { name: text("name")?, package, file })
        };
        let list = |name: &str| value[name].as_array().map(Vec::as_slice).unwrap_or_default();
        let programs: Option<Vec<Program>> = list("programs").iter().map(program).collect();
        let dropped = list("dropped").iter().filter_map(|it| u32::try_from(it.as_u64()?).ok());
        Ok(Built {
            programs: programs.ok_or_else(|| broken(&"a program lacks a field"))?,
            dropped: dropped.collect(),
        })
    }
}

/// The folder of all output of a run.
pub(super) fn folder() -> PathBuf {
    crate::root().join("target/mutants")
}

/// The source files of a crate, without tests.
fn sources(krate: &str) -> Result<Vec<(String, String)>, String> {
    let root = crate::root();
    let mut open = vec![format!("crates/{krate}/src")];
    let (mut files, mut skipped) = (Vec::new(), BTreeSet::new());
    while let Some(folder) = open.pop() {
        let entries =
            std::fs::read_dir(root.join(&folder)).map_err(|it| format!("{folder}: {it}"))?;
        for entry in entries {
            let entry = entry.map_err(|it| format!("{folder}: {it}"))?;
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                open.push(name);
            } else if name.ends_with(".rs") && !LEFT_OUT.contains(&name.as_str()) {
                let text =
                    std::fs::read_to_string(entry.path()).map_err(|it| format!("{name}: {it}"))?;
                let inner = match name.strip_suffix("/lib.rs").or(name.strip_suffix("/mod.rs")) {
                    Some(folder) => folder.to_owned(),
                    None => name.trim_end_matches(".rs").to_owned(),
                };
                let tests = sites::test_modules(&text).map_err(|it| format!("{name}: {it}"))?;
                skipped.extend(tests.iter().map(|it| format!("{inner}/{it}")));
                files.push((name, text));
            }
        }
    }
    files.retain(|(name, _)| {
        let of = |skipped: &String| {
            name.strip_prefix(skipped.as_str()).is_some_and(|it| it.starts_with(['.', '/']))
        };
        !skipped.iter().any(of)
    });
    files.sort();
    Ok(files)
}

/// All mutation sites in a crate.
pub(super) fn all(krate: &str) -> Result<Vec<Site>, String> {
    let mut all = Vec::new();
    for (name, text) in sources(krate)? {
        all.extend(sites::sites(&name, &text).map_err(|it| format!("{name}: {it}"))?);
    }
    Ok(all)
}

/// Writes the copy. Files that are up to date are not rewritten, so that cargo builds only what changed. Returns the
/// parts of each mutated file that belong to mutants.
fn write(mutants: &[Site], dropped: &BTreeSet<u32>) -> Result<Parts, String> {
    let (root, tree) = (crate::root(), folder().join("tree"));
    let output = Command::new("git")
        .current_dir(&root)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .output()
        .map_err(|it| format!("git: {it}"))?;
    let mut wanted: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for name in String::from_utf8_lossy(&output.stdout).split('\0').filter(|it| !it.is_empty()) {
        // A file whose deletion is not committed yet does not exist.
        if let Ok(bytes) = std::fs::read(root.join(name)) {
            wanted.insert(name.to_owned(), bytes);
        }
    }
    let mut parts = Parts::new();
    for krate in CRATES {
        let switch = format!("crates/{krate}/src/mutant_switch.rs");
        wanted.insert(switch, include_bytes!("switch.rs").to_vec());
        let library = format!("crates/{krate}/src/lib.rs");
        let mut by_file: BTreeMap<&str, Vec<(u32, &Site)>> = BTreeMap::new();
        by_file.entry(&library).or_default();
        for (number, site) in (0..).zip(mutants) {
            if site.krate() == krate && !dropped.contains(&number) {
                by_file.entry(&site.file).or_default().push((number, site));
            }
        }
        for (file, sites) in by_file {
            let text = wanted.get(file).ok_or_else(|| format!("{file} is missing"))?;
            let text = String::from_utf8_lossy(text).into_owned();
            let (mut new, of_file) = rewritten(&text, &sites);
            if file == library {
                new.push_str("\nmod mutant_switch;\n#[allow(unused_imports)]\npub(crate) use mutant_switch::mutant;\n");
            }
            wanted.insert(file.to_owned(), new.into_bytes());
            parts.insert(file.to_owned(), of_file);
        }
    }
    // The compiler may prove that a mutant overflows or never returns; it must compile all the same.
    if let Some(manifest) = wanted.get_mut("Cargo.toml") {
        let text = String::from_utf8_lossy(manifest);
        let head = "[workspace.lints.rust]\n";
        *manifest = text.replace(head, &format!("{head}{LINTS}")).into_bytes();
    }
    for name in stale(&tree, &wanted) {
        std::fs::remove_file(tree.join(&name)).map_err(|it| format!("{name}: {it}"))?;
    }
    for (name, bytes) in &wanted {
        let path = tree.join(name);
        if std::fs::read(&path).is_ok_and(|old| old == *bytes) {
            continue;
        }
        let folder = path.parent().unwrap_or(&tree);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, bytes))
            .map_err(|it| format!("{}: {it}", path.display()))?;
    }
    Ok(parts)
}

type Parts = BTreeMap<String, Vec<(Range<usize>, u32)>>;

/// Files that an earlier run copied and the repository no longer has.
fn stale(tree: &Path, wanted: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let (mut open, mut found) = (vec![String::new()], Vec::new());
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(tree.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let name = format!("{folder}{}", entry.file_name().to_string_lossy());
            match entry.path().is_dir() {
                true => open.push(format!("{name}/")),
                false if !wanted.contains_key(&name) => found.push(name),
                false => {}
            }
        }
    }
    found
}

fn cargo(words: &[&str]) -> Result<(bool, Vec<Value>), String> {
    let mut command = Command::new("cargo");
    command
        .current_dir(folder().join("tree"))
        .args(words)
        .arg("--message-format=json")
        .env("CARGO_TARGET_DIR", folder().join("build"))
        .stderr(Stdio::inherit());
    let output = command.output().map_err(|it| format!("cargo: {it}"))?;
    let lines = String::from_utf8_lossy(&output.stdout);
    let messages = lines.lines().filter_map(|it| serde_json::from_str(it).ok());
    Ok((output.status.success(), messages.collect()))
}

/// Builds the copy. Mutants that the compiler rejects are left out until it accepts the rest.
pub(super) fn build(mutants: &[Site]) -> Result<Built, String> {
    let mut dropped = BTreeSet::new();
    let packages: Vec<String> =
        CRATES.iter().map(|it| format!("--package=wavelane-{it}")).collect();
    let check: Vec<&str> = ["check", "--quiet", "--keep-going"]
        .into_iter()
        .chain(packages.iter().map(String::as_str))
        .collect();
    loop {
        let parts = write(mutants, &dropped)?;
        let (compiles, messages) = cargo(&check)?;
        if compiles {
            break;
        }
        let before = dropped.len();
        let mut others = String::new();
        for message in &messages {
            let message = &message["message"];
            if message["level"] != "error" {
                continue;
            }
            let refused = refused(message, &parts);
            if refused.is_empty() {
                others.push_str(message["rendered"].as_str().unwrap_or_default());
            }
            dropped.extend(refused);
        }
        if dropped.len() == before {
            return Err(format!(
                "the copy does not compile, for a reason outside the mutants:\n{others}"
            ));
        }
        println!("{} of {} mutants do not compile", dropped.len(), mutants.len());
    }
    let packages: Vec<String> = TESTED.iter().map(|it| format!("--package={it}")).collect();
    let test: Vec<&str> = ["test", "--quiet", "--no-run"]
        .into_iter()
        .chain(packages.iter().map(String::as_str))
        .collect();
    let (built, messages) = cargo(&test)?;
    if !built {
        return Err("the tests of the copy do not compile".to_owned());
    }
    Ok(Built { programs: programs(&messages), dropped })
}

/// The mutants that contain a span of an error: its primary spans if any is in a mutant, otherwise all of its spans.
fn refused(message: &Value, parts: &Parts) -> Vec<u32> {
    let spans = |message: &Value| message["spans"].as_array().cloned().unwrap_or_default();
    let children = message["children"].as_array().cloned().unwrap_or_default();
    let (first, others): (Vec<Value>, Vec<Value>) =
        spans(message).into_iter().partition(|it| it["is_primary"] == true);
    let beside = children.iter().flat_map(spans);
    for spans in [first, others.into_iter().chain(beside).collect()] {
        let hit = spans.iter().flat_map(|span| {
            let file = span["file_name"].as_str().unwrap_or_default();
            let at = |name: &str| span[name].as_u64().unwrap_or(0) as usize;
            let (start, end) = (at("byte_start"), at("byte_end"));
            let of_file = parts.get(file).map(Vec::as_slice).unwrap_or_default();
            of_file.iter().filter(move |(part, _)| part.start < end && start < part.end)
        });
        let hit: Vec<u32> = hit.map(|(_, number)| *number).collect();
        if !hit.is_empty() {
            return hit;
        }
    }
    Vec::new()
}

fn programs(messages: &[Value]) -> Vec<Program> {
    let tests = messages.iter().filter(|it| it["profile"]["test"] == true);
    let program = |it: &Value| {
        let file = PathBuf::from(it["executable"].as_str()?);
        let package = Path::new(it["manifest_path"].as_str()?).parent()?.to_path_buf();
        let krate = package.file_name()?.to_string_lossy().into_owned();
        let target = it["target"]["name"].as_str()?;
        let is_test = it["target"]["kind"][0] == "test";
        let name = if is_test { format!("{krate}/{target}") } else { krate };
        Some(Program { name, package, file })
    };
    tests.filter_map(program).collect()
}
