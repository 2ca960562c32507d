//! `cargo xtask conformance PATH`: runs the public conformance suite at PATH at every width, and writes
//! `docs/conformance.md`. Of the suite's text, only the names of its folders and tests get into the document.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use jobs::Features;
use serde_json::Value;
use suite::section::WIDTHS;

/// Failures that are not ours, and why.
const KNOWN: [(&str, &str); 2] = [
    (
        "PushConstant/array_of_matrices.test",
        "it expects the matrices of an array row by row, although `matrix.test` beside it expects a single matrix column by column, as \
         HLSL defines. The suite expects it to fail with dxc and with clang; dxc gives, according to the test, \
         `1, 3, 2, 4, 5, 7, 6, 8`, and so do we",
    ),
    ("WaveOps/WaveActiveMax.test", "with waves of 4 lanes only; the test assumes wider waves"),
];

/// Tests whose pictures cannot agree in every pixel, and why.
const OTHER_PIXELS: [(&str, &str); 2] = [
    (
        "DdxCoarse.test",
        "the image was made with the derivative of the lower row; ours is of the upper one",
    ),
    (
        "fwidth.test",
        "the image was made with the coarse derivative of the lower row; ours is of the upper one",
    ),
];

/// The counts of the last version without draws, from the history of this document.
const BEFORE_DRAWS: &str = "\nBefore there were draws, 0 of the 18 tests in `Graphics` passed, 0 of the 3 in \
                            `Graphics/MeshShaders`, 1 of the 13 in `Feature/Semantics`, and of all 612, 514 at 4 lanes, \
                            515 at 8 and 16, 520 at 32, and 519 at 64 and 128.\n";

/// How the tests of a folder ended.
#[derive(Default)]
struct Folder {
    tests: BTreeSet<String>,
    /// Passed and failed, by width.
    at: BTreeMap<u64, (usize, usize)>,
    /// Tests that could not be run.
    unsupported: BTreeSet<String>,
    failed: BTreeSet<String>,
}

/// A line of the report.
struct Line {
    test: String,
    width: u64,
    verdict: String,
    message: String,
    remarks: Vec<String>,
}

/// `words`: the path of the suite; `--commit HASH` if the path is not a repository; `--binary FILE` for a `wavelane`
/// that is already built; `--golden DIR` for the folder of golden images.
pub(crate) fn run(words: &[String]) -> Result<(), String> {
    let usage =
        "usage: cargo xtask conformance PATH [--commit HASH] [--binary FILE] [--golden DIR]";
    let flag = |name: &str| {
        let at = words.iter().position(|it| it == name)?;
        Some(words.get(at + 1).cloned().unwrap_or_default())
    };
    let binary = flag("--binary");
    let golden = flag("--golden");
    let path = PathBuf::from(words.first().ok_or(usage)?);
    let path = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
    let commit = match flag("--commit") {
        Some(commit) => commit,
        None => head(&path)?,
    };
    let directx = report(&path, "directx", binary.as_deref(), golden.as_deref())?;
    let vulkan = report(&path, "vulkan", binary.as_deref(), golden.as_deref())?;
    let pictures = pictures(&directx);
    let (folders, reasons) = sum_up(directx, vulkan);
    let text = document(&path, &commit, &folders, &reasons, &pictures)?;
    let file = crate::root().join("docs/conformance.md");
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
}

fn head(path: &Path) -> Result<String, String> {
    let output = Command::new("git").arg("-C").arg(path).args(["rev-parse", "HEAD"]).output();
    let output = output.map_err(|error| format!("git: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!(
            "{} is not a repository; name its commit with `--commit HASH`",
            path.display()
        )),
    }
}

fn report(
    path: &Path,
    profile: &str,
    binary: Option<&str>,
    golden: Option<&str>,
) -> Result<Vec<Line>, String> {
    let mut command = Command::new(binary.unwrap_or("cargo"));
    if binary.is_none() {
        command.current_dir(crate::root());
        command.args(["run", "--quiet", "--release", "-p", "wavelane-cli", "--"]);
    }
    command.arg("test").arg(path.join("test"));
    command.args(["--wave-size", "all", "--format", "json", "--profile", profile]);
    if let Some(golden) = golden {
        let golden = std::path::absolute(golden).map_err(|error| format!("{golden}: {error}"))?;
        command.arg("--golden").arg(golden);
    }
    let output = command.output().map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let root = path.join("test").to_string_lossy().replace('\\', "/");
    let mut lines = Vec::new();
    for line in text.lines() {
        let value: Value =
            serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        let (Some(test), Some(width)) = (value["test"].as_str(), value["wave_size"].as_u64())
        else {
            continue;
        };
        let text = |key: &str| value[key].as_str().unwrap_or("").to_owned();
        let test = test.strip_prefix(&root).unwrap_or(test).trim_start_matches('/').to_owned();
        let remarks = value["remarks"].as_array().into_iter().flatten();
        let remarks = remarks.filter_map(|it| it.as_str().map(str::to_owned)).collect();
        let (verdict, message) = (text("verdict"), text("message"));
        lines.push(Line { test, width, verdict, message, remarks });
    }
    match lines.is_empty() {
        true => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        false => Ok(lines),
    }
}

/// What the strict comparison says of each golden image, the same at all widths.
fn pictures(lines: &[Line]) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in lines {
        let told = line.remarks.iter().filter(|it| it.contains("of the golden image"));
        for remark in told {
            all.entry(line.test.clone()).or_default().insert(remark.clone());
        }
    }
    all
}

type Reasons = BTreeMap<String, BTreeSet<String>>;

/// Sums up by folder. A test that is for one interface only counts with its result under that one.
fn sum_up(directx: Vec<Line>, vulkan: Vec<Line>) -> (BTreeMap<String, Folder>, Reasons) {
    let ran = |lines: &[Line]| -> BTreeSet<String> {
        let ran = lines.iter().filter(|it| it.verdict != "unsupported");
        ran.map(|it| it.test.clone()).collect()
    };
    // If neither ran, the interface that the test is for gives the more useful reason.
    let only_vulkan = |lines: &[Line]| -> BTreeSet<String> {
        let refused = lines.iter().filter(|it| {
            it.verdict == "unsupported"
                && (it.message == "it requires `Vulkan`" || it.message.contains("`!Vulkan`"))
        });
        refused.map(|it| it.test.clone()).collect()
    };
    let (first, second, other) = (ran(&directx), ran(&vulkan), only_vulkan(&directx));
    let is_vulkan =
        |test: &String| !first.contains(test) && (second.contains(test) || other.contains(test));
    let directx = directx.into_iter().filter(|it| !is_vulkan(&it.test));
    let chosen = directx.chain(vulkan.into_iter().filter(|it| is_vulkan(&it.test)));
    let mut folders: BTreeMap<String, Folder> = BTreeMap::new();
    let mut reasons = Reasons::new();
    for line in chosen {
        let name = line.test.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let folder = folders.entry(name).or_default();
        folder.tests.insert(line.test.clone());
        let counts = folder.at.entry(line.width).or_default();
        match line.verdict.as_str() {
            "passed" => counts.0 += 1,
            "failed" => {
                counts.1 += 1;
                folder.failed.insert(line.test);
            }
            _ => {
                folder.unsupported.insert(line.test.clone());
                reasons.entry(reason(&line.message)).or_default().insert(line.test);
            }
        }
    }
    (folders, reasons)
}

/// The first line of a message; of the compiler's, only the feature it names.
fn reason(message: &str) -> String {
    let mut lines = message.lines();
    let first = lines.next().unwrap_or("").to_owned();
    match lines.find_map(|it| it.split_once(": unsupported").map(|(_, said)| said)) {
        Some(said) => {
            let said = said.split_once(": ").map_or(said, |(_, it)| it);
            said.split(" [").next().unwrap_or(said).to_owned()
        }
        None => first,
    }
}

fn document(
    path: &Path,
    commit: &str,
    folders: &BTreeMap<String, Folder>,
    reasons: &Reasons,
    pictures: &BTreeMap<String, BTreeSet<String>>,
) -> Result<String, String> {
    let mut text = format!(
        "# Conformance\n\n\
         Generated by `cargo xtask conformance PATH`; do not edit.\n\n\
         The suite is llvm/offload-test-suite at commit `{commit}`; none of it is part of this repository.\n\
         Every test runs at every wave size that its `[WaveSize]` allows:\n\n\
         ```\n\
         wavelane test PATH/test --wave-size all --golden IMAGES\n\
         wavelane test PATH/test --wave-size all --golden IMAGES --profile vulkan\n\
         ```\n\n\
         A test for Vulkan alone counts with its result under `--profile vulkan`.\n\
         A number is how many tests passed at that width, followed by the failures.\n\
         An unsupported test does not count as passed.\n\n\
         | folder | tests | 4 | 8 | 16 | 32 | 64 | 128 | unsupported |\n\
         |---|---|---|---|---|---|---|---|---|\n"
    );
    let mut all = Folder::default();
    for (name, folder) in folders {
        row(&mut text, &format!("`{name}`"), folder);
        all.tests.extend(folder.tests.iter().cloned());
        all.unsupported.extend(folder.unsupported.iter().cloned());
        for (width, (passed, failed)) in &folder.at {
            let counts = all.at.entry(*width).or_default();
            counts.0 += passed;
            counts.1 += failed;
        }
    }
    row(&mut text, "all", &all);
    let failed: BTreeSet<&String> = folders.values().flat_map(|it| &it.failed).collect();
    text.push_str(BEFORE_DRAWS);
    let _ = write!(text, "\n## What fails\n\n");
    if failed.is_empty() {
        text.push_str("Nothing.\n");
    }
    for test in failed {
        let why = KNOWN.iter().find(|(name, _)| test.ends_with(name));
        let why = why.map(|(_, why)| format!(": {why}")).unwrap_or_default();
        let _ = writeln!(text, "- `{test}`{why}");
    }
    let _ = write!(text, "\n## What is unsupported, and why\n\n| tests | why |\n|---|---|\n");
    let mut reasons: Vec<(&String, usize)> =
        reasons.iter().map(|(reason, tests)| (reason, tests.len())).collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    for (reason, count) in reasons {
        let _ = writeln!(text, "| {count} | {} |", reason.replace('|', "\\|"));
    }
    if !pictures.is_empty() {
        let _ = write!(
            text,
            "\n## Golden images\n\n\
             The images of llvm/offload-golden-images, by the suite's own comparison above and by a strict one, at every \
             wave size.\n\n| test | strict comparison |\n|---|---|\n"
        );
    }
    for (test, told) in pictures {
        let told: Vec<&str> = told.iter().map(String::as_str).collect();
        let why = OTHER_PIXELS.iter().find(|(name, _)| test.ends_with(name));
        let why = why.map(|(_, why)| format!(": {why}")).unwrap_or_default();
        let _ = writeln!(text, "| `{test}` | {}{why} |", told.join("; "));
    }
    others(&mut text, path, folders)?;
    Ok(text)
}

fn row(text: &mut String, name: &str, folder: &Folder) {
    let _ = write!(text, "| {name} | {} |", folder.tests.len());
    // A result that needs no wave holds at all widths.
    let (passed_without, failed_without) = folder.at.get(&0).copied().unwrap_or_default();
    for width in WIDTHS.map(u64::from) {
        let (passed, failed) = folder.at.get(&width).copied().unwrap_or_default();
        let passed = passed + passed_without;
        let _ = match failed + failed_without {
            0 => write!(text, " {passed} |"),
            failed => write!(text, " {passed}, {failed} failed |"),
        };
    }
    let _ = writeln!(text, " {} |", folder.unsupported.len());
}

/// What the suite records about other implementations: how many tests of a folder it expects to fail or skips.
fn others(
    text: &mut String,
    path: &Path,
    folders: &BTreeMap<String, Folder>,
) -> Result<(), String> {
    const OTHERS: [(&str, &[&str]); 8] = [
        ("WARP", &["DirectX", "WARP", "x64"]),
        ("Lavapipe", &["Vulkan", "Lavapipe"]),
        ("NVIDIA", &["DirectX", "NV"]),
        ("AMD", &["DirectX", "AMD"]),
        ("Intel", &["DirectX", "Intel", "Intel-Gen-Current"]),
        ("Qualcomm", &["DirectX", "QC"]),
        ("Metal", &["Metal", "Darwin"]),
        ("MoltenVK", &["Vulkan", "MoltenVK", "Darwin"]),
    ];
    let _ = write!(
        text,
        "\n## What the suite records about other implementations\n\n\
         How many tests of a folder the suite itself expects to fail with dxc on other implementations; in \
         brackets, how many it does not run there.\n\n| folder |"
    );
    for (name, _) in OTHERS {
        let _ = write!(text, " {name} |");
    }
    let _ = writeln!(text, "\n|---|{}", "---|".repeat(OTHERS.len()));
    for (name, folder) in folders {
        let mut cells = Vec::new();
        for (_, features) in OTHERS {
            let features: Features =
                features.iter().chain(&["DXC"]).map(|it| (*it).to_owned()).collect();
            let (mut failing, mut left_out) = (0, 0);
            for test in &folder.tests {
                let file = path.join("test").join(test);
                let source = std::fs::read_to_string(&file)
                    .map_err(|error| format!("{}: {error}", file.display()))?;
                let Ok(directives) = jobs::directives(&source) else { continue };
                // A requirement depends on the device; an exclusion depends on the implementation.
                if directives.unsupported.iter().any(|it| it.holds(&features)) {
                    left_out += 1;
                } else if directives.expected_failure(&features).is_some() {
                    failing += 1;
                }
            }
            cells.push(match left_out {
                0 => failing.to_string(),
                left_out => format!("{failing} ({left_out})"),
            });
        }
        let _ = writeln!(text, "| `{name}` | {} |", cells.join(" | "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_for_one_interface_counts_with_its_result_there() {
        let line = |test: &str, width, verdict: &str| Line {
            test: test.to_owned(),
            width,
            verdict: verdict.to_owned(),
            message: "it requires `Vulkan`".to_owned(),
            remarks: Vec::new(),
        };
        let directx = vec![
            line("A/a", 4, "passed"),
            line("A/a", 8, "failed"),
            line("A/b", 0, "unsupported"),
            line("A/c", 0, "unsupported"),
        ];
        let vulkan =
            vec![line("A/a", 4, "passed"), line("A/b", 4, "passed"), line("A/c", 0, "unsupported")];
        // A test that neither runs is reported with its own interface's reason.
        let mut vulkan = vulkan;
        vulkan[2].message = "it has a vertex shader".to_owned();
        let (folders, reasons) = sum_up(directx, vulkan);
        let folder = &folders["A"];
        assert_eq!(folder.tests.len(), 3);
        assert_eq!((folder.at[&4], folder.at[&8]), ((2, 0), (0, 1)));
        assert_eq!(folder.unsupported.len(), 1);
        assert_eq!(reasons.keys().collect::<Vec<_>>(), ["it has a vertex shader"]);
    }
}
