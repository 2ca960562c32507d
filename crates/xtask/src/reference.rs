//! `cargo xtask reference DIR`: compiles what the tests of the reference compiler compile, and writes
//! `docs/reference-tests.md`. DIR is the folder `tools/clang/test` of a checkout of DirectXShaderCompiler.
//!
//! A test is a file with lines `// RUN: %dxc FLAGS %s | …`; each such line is a compilation. Those meant to fail
//! (`not %dxc`, or an error among the file's expectations) are counted separately. Expectations about the generated
//! code are ignored. Of their text, only names of files and what our messages quote get into the document.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of tests that name a profile, and their subject.
const FOLDERS: [(&str, &str); 4] = [
    ("HLSLFileCheck", "the language, DXIL"),
    ("CodeGenDXIL", "DXIL"),
    ("CodeGenSPIRV", "SPIR-V"),
    ("SemaHLSL", "diagnostics"),
];

/// Flags that select the language; the others say what to do with the result.
const KEPT: [&str; 14] = [
    "T",
    "E",
    "D",
    "I",
    "HV",
    "enable-16bit",
    "no-min",
    "Zpr",
    "Zpc",
    "auto-binding",
    "W",
    "spirv",
    "fspv-target",
    "include",
];

/// Of those, the flags whose value is the next word.
const WITH_VALUE: [&str; 7] = ["T", "E", "D", "I", "HV", "include", "auto-binding-space"];

/// One compilation.
struct Run {
    file: PathBuf,
    flags: Vec<String>,
    is_to_fail: bool,
}

#[derive(Clone, Copy, Default)]
struct Count {
    compiled: usize,
    unsupported: usize,
    refused: usize,
    failed_rightly: usize,
    accepted: usize,
}

impl Count {
    /// Counts a compilation by whether it is meant to fail and its exit status; `false` for an unexpected status.
    fn add(&mut self, is_to_fail: bool, status: i32) -> bool {
        let place = match (is_to_fail, status) {
            (false, 0) => &mut self.compiled,
            (false, 3) => &mut self.unsupported,
            (false, 2) => &mut self.refused,
            (true, 0) => &mut self.accepted,
            (true, 2 | 3) => &mut self.failed_rightly,
            _ => return false,
        };
        *place += 1;
        true
    }

    fn good(&self) -> usize {
        self.compiled + self.unsupported + self.refused
    }

    fn bad(&self) -> usize {
        self.failed_rightly + self.accepted
    }
}

/// Whether a test is about vectors of more than four components, by its name.
fn has_long_vectors(file: &Path) -> bool {
    let name = file.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    ["longvec", "toolong-vectors"].iter().any(|it| name.contains(it))
}

/// `words`: the folder.
pub(crate) fn run(words: &[String]) -> Result<(), String> {
    let [folder] = words else { return Err("usage: cargo xtask reference DIR".to_owned()) };
    let folder = Path::new(folder);
    let compiler = crate::coverage::build()?;
    let mut counts = Vec::new();
    let (mut long, mut long_files) = (Count::default(), BTreeSet::new());
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (name, about) in FOLDERS {
        let mut count = Count::default();
        for run in runs(&folder.join(name))? {
            let (status, code) = compile(&compiler, &run)?;
            if !count.add(run.is_to_fail, status) {
                return Err(format!("{}: exit status {status}", run.file.display()));
            }
            if !run.is_to_fail && status == 2 {
                *reasons.entry(code).or_default() += 1;
            }
            if has_long_vectors(&run.file) {
                long.add(run.is_to_fail, status);
                long_files.insert(run.file);
            }
        }
        counts.push((name, about, count));
    }
    let text = document(&counts, reasons, (long_files.len(), long));
    print!("{text}");
    let file = crate::root().join("docs/reference-tests.md");
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
}

/// The compilations of all tests in a folder, in the order of their names.
fn runs(folder: &Path) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == "hlsl") {
                let text = std::fs::read(&path).map_err(|error| error.to_string())?;
                runs.extend(runs_of(&path, &String::from_utf8_lossy(&text)));
            }
        }
    }
    runs.sort_by(|a, b| (&a.file, &a.flags).cmp(&(&b.file, &b.flags)));
    Ok(runs)
}

fn runs_of(file: &Path, text: &str) -> Vec<Run> {
    let expects_error = text.lines().any(|line| {
        let is_check = ["CHECK", "ERR", "FAIL"].iter().any(|it| line.contains(it));
        is_check && line.contains("error:") || line.contains("expected-error")
    });
    let mut runs = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((_, command)) = line.split_once("RUN:") else { continue };
        let mut command = command.trim().to_owned();
        while let Some(rest) = command.strip_suffix('\\') {
            let next = lines.next().unwrap_or_default().trim_start_matches(['/', ' ']);
            command = format!("{rest} {}", next.trim_start_matches("RUN:").trim());
        }
        let Some((before, command)) = command.split_once("%dxc ") else { continue };
        let flags = flags(command.split(['|', '>', '&']).next().unwrap_or_default());
        if flags.iter().any(|it| it.starts_with("-T")) && !flags.iter().any(|it| it.contains('%')) {
            let is_to_fail = before.trim_end().ends_with("not") || expects_error;
            runs.push(Run { file: file.to_owned(), flags, is_to_fail });
        }
    }
    runs
}

/// The flags of a command that are kept, each with its value.
fn flags(command: &str) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = command.split_whitespace().map(|it| it.trim_matches(['"', '\'']));
    while let Some(word) = words.next() {
        let Some(name) = word.strip_prefix(['-', '/']) else { continue };
        if !KEPT.iter().any(|it| name.starts_with(it)) {
            continue;
        }
        kept.push(format!("-{name}"));
        if WITH_VALUE.contains(&name) {
            kept.extend(words.next().map(str::to_owned));
        }
    }
    kept
}

/// The exit status, and the code of the first error.
fn compile(compiler: &Path, run: &Run) -> Result<(i32, String), String> {
    let output = Command::new(compiler)
        .arg("check")
        .args(&run.flags)
        .arg(&run.file)
        .output()
        .map_err(|error| format!("{}: {error}", compiler.display()))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let first = text.lines().find(|it| it.contains("error: ")).unwrap_or_default();
    let code = first.rsplit_once('[').map_or("a flag or a file", |it| it.1.trim_end_matches(']'));
    Ok((output.status.code().unwrap_or(-1), code.to_owned()))
}

fn document(
    counts: &[(&str, &str, Count)],
    reasons: BTreeMap<String, usize>,
    (long_files, long): (usize, Count),
) -> String {
    let mut text = String::from(
        "# The tests of the reference compiler\n\n\
         Generated by `cargo xtask reference DIR`; do not edit. DIR is the folder `tools/clang/test` of a checkout of \
         DirectXShaderCompiler; nothing from it is part of this repository.\n\n\
         Each line `RUN: %dxc FLAGS %s` with a profile is one compilation, for any stage; `wavelane check` gets the \
         flags that concern the language. What the tests expect of DXIL or SPIR-V is not checked.\n\n\
         | folder | subject | to compile | compile | not supported yet | refused | to fail | refused | accepted |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for (name, about, it) in counts {
        let (good, bad) = (it.good(), it.bad());
        let _ = writeln!(
            text,
            "| {name} | {about} | {good} | {} | {} | {} | {bad} | {} | {} |",
            it.compiled, it.unsupported, it.refused, it.failed_rightly, it.accepted
        );
    }
    text.push_str(
        "\nMany of the accepted ones fail in DXC's back end or for Vulkan only: an unrolling that does not end, \
        a location that is used twice.\n\
        A file is meant to fail if it expects errors; so all its compilations count as meant to fail, even if only one of them does.\n",
    );
    let _ = writeln!(
        text,
        "\n{long_files} of the files are about vectors of more than 4 components (shader model 6.9), with {} \
         compilations: {} of the {} that are to compile do, {} are not supported yet; {} of the {} that are to fail are \
         refused. The one about the attributes of a `dx::HitObject` is not: the namespace `dx` is not supported yet.",
        long.good() + long.bad(),
        long.compiled,
        long.good(),
        long.unsupported,
        long.failed_rightly,
        long.bad()
    );
    text.push_str(
        "\nThe first error of each refused compilation:\n\n| code | compilations |\n|---|---|\n",
    );
    let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
    reasons.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    for (code, times) in reasons {
        let _ = writeln!(text, "| {code} | {times} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_comments() {
        let text = "// RUN: %dxc -T cs_6_0 /E run -Zi -HV 2018 -DN=4 %s | FileCheck %s\n\
                    // RUN: not %dxc -Tlib_6_3 \\\n// RUN: -spirv %s 2>&1 | FileCheck %s\n\
                    // RUN: %dxc -E main %s\n";
        let runs = runs_of(Path::new("a.hlsl"), text);
        let shown: Vec<(String, bool)> =
            runs.iter().map(|it| (it.flags.join(" "), it.is_to_fail)).collect();
        let expected = [("-T cs_6_0 -E run -HV 2018 -DN=4", false), ("-Tlib_6_3 -spirv", true)];
        assert_eq!(shown, expected.map(|(flags, fails)| (flags.to_owned(), fails)));
    }

    #[test]
    fn a_file_that_expects_errors_is_meant_to_fail() {
        let text = "// RUN: %dxc -T cs_6_0 %s | FileCheck %s\n// CHECK: error: no\n";
        assert!(runs_of(Path::new("a.hlsl"), text)[0].is_to_fail);
    }
}
