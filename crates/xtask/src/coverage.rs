//! `cargo xtask coverage DIR`: compiles shaders of public projects checked out in DIR, those that use wave intrinsics
//! or ray queries, examines them under the sanitizer with bindings that are made up, and writes `docs/coverage.md`. The
//! manifest `crates/xtask/coverage/projects.txt` says which files, with which flags, and what was made of findings.
//!
//! Of the projects' text, only names of files, entry points, folders and macros get into the document, and what our
//! messages quote. The command fetches nothing: the document says how to get the projects.

mod examine;
mod manifest;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use manifest::{Entry, Kind, Project, STAGES};
use serde_json::Value;

const MANIFEST: &str = "crates/xtask/coverage/projects.txt";

/// How a compilation ended.
enum Verdict {
    Compiled,
    /// Exit status 2 or 3, and the first message.
    Refused(i32, String),
    /// The project is checked out, but lacks the file.
    Missing,
}

/// `words`: the folder that holds a folder `OWNER+NAME` for each project, and words that project names must hold.
pub(crate) fn run(words: &[String]) -> Result<(), String> {
    let (folder, names) = words.split_first().ok_or("usage: cargo xtask coverage DIR [NAME…]")?;
    let folder = PathBuf::from(folder);
    let mut projects = projects()?;
    projects.retain(|it| names.is_empty() || names.iter().any(|name| it.name.contains(name)));
    for project in &projects {
        let place = place(&folder, project);
        if !place.is_dir() {
            return Err(format!("{} is missing: {}", place.display(), how_to_get(project)));
        }
    }
    let compiler = build()?;
    let work: Vec<(usize, &Project, &Entry)> = projects
        .iter()
        .enumerate()
        .flat_map(|(index, project)| project.entries.iter().map(move |it| (index, project, it)))
        .collect();
    let start = Instant::now();
    let verdicts = in_parallel(&work, |(_, project, entry)| {
        compile(&place(&folder, project), entry, &compiler)
    })?;
    let took = start.elapsed();
    let compiled = work.iter().zip(&verdicts).filter(|(_, it)| matches!(it, Verdict::Compiled));
    let compiled: Vec<(usize, &Project, &Entry)> = compiled.map(|(it, _)| *it).collect();
    let examined = in_parallel(&compiled, |(_, project, entry)| {
        examine::examine(&place(&folder, project), entry, &compiler)
    })?;
    let mut by_project: Vec<Vec<_>> = projects.iter().map(|_| Vec::new()).collect();
    for ((index, _, entry), examined) in compiled.iter().zip(examined) {
        by_project[*index].push((*entry, examined));
    }
    let examined: Vec<(&Project, Vec<_>)> = projects.iter().zip(by_project).collect();
    let (examined, said) = examine::section(&examined);
    let mut by_project: Vec<Vec<(&Entry, Verdict)>> = projects.iter().map(|_| Vec::new()).collect();
    for ((index, _, entry), verdict) in work.iter().zip(verdicts) {
        by_project[*index].push((entry, verdict));
    }
    let results: Vec<(&Project, Vec<(&Entry, Verdict)>)> =
        projects.iter().zip(by_project).collect();
    let (text, total) = document(&results, &examined);
    println!(
        "{} entry points of {} projects: {} compile, {} refused, {} missing; {:.1} s, {:.1} ms each",
        total.entries,
        results.iter().filter(|(_, it)| !it.is_empty()).count(),
        total.compiled,
        total.refused,
        total.missing,
        took.as_secs_f64(),
        took.as_secs_f64() * 1e3 / (total.entries.max(1) as f64),
    );
    println!("{said}");
    if !names.is_empty() {
        // A run over some of the projects helps with a repair; the document records all of them.
        println!("\n{text}");
        return Ok(());
    }
    let file = crate::root().join("docs/coverage.md");
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
}

fn projects() -> Result<Vec<Project>, String> {
    let file = crate::root().join(MANIFEST);
    let text =
        std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    manifest::read(&text).map_err(|error| format!("{MANIFEST}:{error}"))
}

/// The modules of all entry points that compile, of those projects that are checked out in a folder.
pub(crate) fn modules(folder: &Path) -> Result<Vec<(String, ir::Module)>, String> {
    let compiler = build()?;
    let projects = projects()?;
    let present = projects.iter().filter(|it| place(folder, it).is_dir());
    let work: Vec<(&Project, &Entry)> =
        present.flat_map(|it| it.entries.iter().map(move |entry| (it, entry))).collect();
    let all = in_parallel(&work, |(project, entry)| {
        let mut command = on(&compiler, &place(folder, project), "emit", entry);
        command.arg("--ir");
        let output =
            command.output().map_err(|error| format!("{}: {error}", compiler.display()))?;
        if !output.status.success() {
            return Ok(None);
        }
        let name = format!("{} {} {}", project.name, entry.file, entry.name);
        let text = String::from_utf8(output.stdout).map_err(|error| format!("{name}: {error}"))?;
        let module = ir::text::read(&text).map_err(|error| format!("{name}: {error}"))?;
        Ok(Some((name, module)))
    })?;
    Ok(all.into_iter().flatten().collect())
}

fn place(folder: &Path, project: &Project) -> PathBuf {
    folder.join(project.name.replace('/', "+"))
}

fn how_to_get(project: &Project) -> String {
    let (name, folder) = (&project.name, project.name.replace('/', "+"));
    format!(
        "git clone https://github.com/{name} {folder} && git -C {folder} checkout {}",
        project.commit
    )
}

/// Builds the command line tool in the same profile as this program, in the same folder.
pub(crate) fn build() -> Result<PathBuf, String> {
    let this = std::env::current_exe()
        .map_err(|error| format!("cannot find the path of this program: {error}"))?;
    let mut command = Command::new("cargo");
    command.current_dir(crate::root()).args(["build", "--quiet", "-p", "wavelane-cli"]);
    if this.parent().is_some_and(|it| it.ends_with("release")) {
        command.arg("--release");
    }
    match command.status() {
        Ok(status) if status.success() => {
            Ok(this.with_file_name(format!("wavelane{}", std::env::consts::EXE_SUFFIX)))
        }
        Ok(_) => Err("the compiler does not build".to_owned()),
        Err(error) => Err(format!("cargo: {error}")),
    }
}

/// What `one` makes of each piece of work, in its order, made by all processors.
fn in_parallel<W: Sync, T: Send>(
    work: &[W],
    one: impl Fn(&W) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(it) = work.get(at) else { break };
                    let result = one(it);
                    if let Ok(mut done) = done.lock() {
                        done.insert(at, result);
                    }
                }
            });
        }
    });
    done.into_inner().map_err(|error| error.to_string())?.into_values().collect()
}

/// A command of the tool on an entry point, in its project's folder, without warnings.
fn on(binary: &Path, folder: &Path, name: &str, entry: &Entry) -> Command {
    let mut command = Command::new(binary);
    command.current_dir(folder).arg(name).arg(&entry.file).args(["-E", &entry.name]);
    command.args(&entry.flags).arg("-w");
    command
}

fn compile(project: &Path, entry: &Entry, compiler: &Path) -> Result<Verdict, String> {
    if !project.join(&entry.file).is_file() {
        return Ok(Verdict::Missing);
    }
    let mut command = on(compiler, project, "check", entry);
    command.args(["--format", "json"]);
    let output = command.output().map_err(|error| format!("{}: {error}", compiler.display()))?;
    match output.status.code() {
        Some(0) => Ok(Verdict::Compiled),
        code => {
            let said = String::from_utf8_lossy(&output.stderr);
            let reason = first_message(&output.stdout)
                .unwrap_or_else(|| said.lines().next().unwrap_or("no message").to_owned());
            // Without an exit code, a signal ended the process: a stack overflow, for example.
            Ok(Verdict::Refused(code.unwrap_or(-1), reason))
        }
    }
}

/// The first error, or else the first unsupported feature.
fn first_message(json: &[u8]) -> Option<String> {
    let report: Value = serde_json::from_slice(json).ok()?;
    let all = report["diagnostics"].as_array()?;
    let of = |level: &str| all.iter().find(|it| it["level"] == level);
    let message = of("error").or_else(|| of("unsupported")).or_else(|| all.first())?;
    Some(message["message"].as_str()?.to_owned())
}

#[derive(Default)]
struct Count {
    entries: usize,
    compiled: usize,
    refused: usize,
    missing: usize,
    unresolved: usize,
}

impl Count {
    fn of(project: &Project, verdicts: &[(&Entry, Verdict)]) -> Count {
        let count = |is: fn(&Verdict) -> bool| verdicts.iter().filter(|(_, it)| is(it)).count();
        Count {
            entries: verdicts.len(),
            compiled: count(|it| matches!(it, Verdict::Compiled)),
            refused: count(|it| matches!(it, Verdict::Refused(..))),
            missing: count(|it| matches!(it, Verdict::Missing)),
            unresolved: project.unresolved.iter().map(|it| it.names.len()).sum(),
        }
    }

    fn add(&mut self, other: &Count) {
        self.entries += other.entries;
        self.compiled += other.compiled;
        self.refused += other.refused;
        self.missing += other.missing;
        self.unresolved += other.unresolved;
    }

    fn percent(&self) -> f64 {
        100.0 * self.compiled as f64 / self.entries.max(1) as f64
    }
}

/// The document, with the section about what the sanitizer found, and its totals.
fn document(results: &[(&Project, Vec<(&Entry, Verdict)>)], examined: &str) -> (String, Count) {
    let mut total = Count::default();
    let mut tables = String::new();
    for kind in Kind::ALL {
        let of_kind =
            || results.iter().filter(|(it, verdicts)| it.kind == kind && !verdicts.is_empty());
        let _ = write!(
            tables,
            "\n## {}\n\n| project | commit | entry points | compile | refused | includes unresolved |\n|---|---|--:|--:|--:|--:|\n",
            kind.title()
        );
        let mut sum = Count::default();
        for (project, verdicts) in of_kind() {
            let count = Count::of(project, verdicts);
            let _ = writeln!(
                tables,
                "| {} | `{}` | {} | {} | {} | {} |",
                project.name,
                project.commit.get(..9).unwrap_or(&project.commit),
                count.entries,
                count.compiled,
                count.refused + count.missing,
                count.unresolved
            );
            sum.add(&count);
        }
        let _ = writeln!(
            tables,
            "| **{} projects** | | **{}** | **{}** ({:.1} %) | **{}** | **{}** |",
            of_kind().count(),
            sum.entries,
            sum.compiled,
            sum.percent(),
            sum.refused + sum.missing,
            sum.unresolved
        );
        total.add(&sum);
    }
    let projects = results.iter().filter(|(_, verdicts)| !verdicts.is_empty()).count();
    let mut text = format!(
        "# Coverage\n\n\
         Generated by `cargo xtask coverage DIR` from `{MANIFEST}`; do not edit.\n\n\
         Entry points of public projects that use wave intrinsics or ray queries, in the file itself or in one it includes. \
         The sources are unchanged. \
         A compilation is refused if it ends with an error or with exit status 3, \"not supported yet\".\n\n\
         **{} of {} entry points of {projects} projects compile: {:.1} %.**\n\n\
         ```\n\
         cd DIR/OWNER+NAME\n\
         wavelane check FILE -E ENTRY FLAGS -w\n\
         ```\n\n\
         FLAGS are in the manifest. They are not always the project's own: macros and profiles come from its build \
         where the build states them and were chosen elsewhere, include paths were found by matching the names in `#include` lines, \
         and one of the permutations that a build makes is compiled.\n\n\
         None of the projects is part of this repository; the commands below fetch one of them. RTXPT takes headers from NVIDIA-RTX/Donut, \
         and FidelityFX-SSSR from GPUOpen-Effects/FidelityFX-Denoiser: submodules, which are expected beside them at the commits \
         in the manifest, which are the tips of their branches, not the commits that the projects pin.\n\n\
         ```\n\
         git clone https://github.com/OWNER/NAME DIR/OWNER+NAME\n\
         git -C DIR/OWNER+NAME checkout COMMIT\n\
         ```\n",
        total.compiled,
        total.entries,
        total.percent()
    );
    text.push_str(&by_stage(results));
    text.push_str(&tables);
    text.push_str(examined);
    text.push_str(&refusals(results));
    text.push_str(&unresolved(results));
    (text, total)
}

/// How many entry points of each stage there are.
fn by_stage(results: &[(&Project, Vec<(&Entry, Verdict)>)]) -> String {
    let mut text = "\n| stage | entry points | compile |\n|---|--:|--:|\n".to_owned();
    for (stage, _) in STAGES {
        let them = || results.iter().flat_map(|it| &it.1).filter(move |it| it.0.stage() == stage);
        let compiled = them().filter(|it| matches!(it.1, Verdict::Compiled)).count();
        let _ = writeln!(text, "| {} | {} | {compiled} |", stage.word(), them().count());
    }
    text
}

fn refusals(results: &[(&Project, Vec<(&Entry, Verdict)>)]) -> String {
    let mut text = String::from("\n## Refused\n\n");
    let start = text.len();
    for (project, verdicts) in results {
        for (entry, verdict) in verdicts {
            let (status, reason) = match verdict {
                Verdict::Compiled => continue,
                Verdict::Refused(status, reason) => (*status, reason.replace('\n', " ")),
                Verdict::Missing => (2, "the file is missing".to_owned()),
            };
            let (name, file) = (&project.name, &entry.file);
            let _ = writeln!(text, "- {name} `{file}` `{}`: status {status}, {reason}", entry.name);
        }
    }
    if text.len() == start {
        text.push_str("None.\n");
    }
    text
}

fn unresolved(results: &[(&Project, Vec<(&Entry, Verdict)>)]) -> String {
    let mut text = String::from(
        "\n## Not compiled: includes unresolved, or not plain HLSL\n\n\
         These need files that a build step writes or that belong to another product, or a separate preprocessor.\n\n",
    );
    for (project, _) in results {
        for it in &project.unresolved {
            let names: Vec<String> = it.names.iter().map(|it| format!("`{it}`")).collect();
            let place = match names.is_empty() {
                true => format!("`{}`", it.file),
                false => format!("`{}` {}", it.file, names.join(", ")),
            };
            let _ = writeln!(text, "- {} {place}: {}", project.name, it.reason);
        }
    }
    text
}
