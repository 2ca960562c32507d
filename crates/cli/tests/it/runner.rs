//! The runner where things go wrong: reports that are cut, names that are misspelt, parents that are killed. A mistake
//! is never a pass.

use crate::support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn wavelane(words: &[&str], folder: &Path) -> Output {
    support::command(folder, words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The status, standard output and standard error.
fn ran(words: &[&str], folder: &Path) -> (i32, String, String) {
    let output = wavelane(words, folder);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A separate folder for each test, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    support::fresh_folder(&format!("runner/{name}"), files)
}

const CASES: &str = "#include <wavelane.hlsli>
TEST_CASE(right) { EXPECT(true); }
TEST_CASE(other) { EXPECT_EQ(1u + 1u, 2u); }
TEST_CASE(wrong) {
    EXPECT_EQ(float3(1, 2, 3) * 2, float3(2, 4, 7));
}
";

const JOB: &str = "#--- source.hlsl
RWStructuredBuffer<uint> Out : register(u0);
[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = 1; }
#--- pipeline.yaml
---
Shaders:
  - Stage: Compute
    Entry: main
Buffers:
  - Name: Out
    Format: UInt32
    Stride: 4
    FillSize: 32
  - Name: Expected
    Format: UInt32
    Stride: 4
    FillSize: 32
    FillValue: 1
Results:
  - { Result: Ones, Rule: BufferExact, Actual: Out, Expected: Expected }
DescriptorSets:
  - Resources:
    - Name: Out
      Kind: RWStructuredBuffer
      DirectXBinding: { Register: 0, Space: 0 }
...
#--- end
# RUN: split-file %s %t
# RUN: %dxc_target -T cs_6_6 -Fo %t.o %t/source.hlsl
# RUN: %offloader %t/pipeline.yaml %t.o
";

const ALL: &str = "; wave sizes 4, 8, 16, 32, 64, 128\n";

#[test]
fn every_kind_of_test_runs_at_every_width_and_says_so() {
    let section = "//--- s\n//# zero Out 512\nRWStructuredBuffer<uint> Out;\n\
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = i; }\n//= Out u32: 0..4\n";
    let right = CASES.replace("2, 4, 7", "2, 4, 6");
    let files = [("a.test", JOB), ("unit.hlsl", &right), ("section.hlsl", section)];
    let folder = folder("widths", &files);
    for (file, passes) in [("a.test", 6), ("unit.hlsl", 18), ("section.hlsl", 6), (".", 30)] {
        let (status, out, _) = ran(&["test", file], &folder);
        assert_eq!((status, out), (0, format!("{passes} passed, 0 failed, 0 unsupported{ALL}")));
    }
}

#[test]
fn a_filter_that_matches_nothing_is_an_error() {
    let folder = folder("filter", &[("a.hlsl", CASES), ("b.test", JOB)]);
    for (words, says) in [
        (&["test", ".", "--filter", "nosuch"][..], "none of 4 tests has `nosuch` in its name"),
        (&["test", ".", "--filter", "right", "--filter", "nosuch"], "none of 4 tests has `nosuch`"),
        (&["san", ".", "--filter", "nosuch"], "none of 4 tests has `nosuch`"),
        (&["diff", ".", "--filter", "nosuch"], "none of 4 tests has `nosuch`"),
        (&["test", "a.hlsl", "-E", "rihgt"], "did you mean `right`?"),
        (
            &["test", "a.hlsl", "-E", "right", "--filter", "other"],
            "the filters together leave none",
        ),
    ] {
        let (status, out, err) = ran(words, &folder);
        assert!(
            status == 2 && err.contains(says) && out.is_empty(),
            "{words:?}: {status} {err}{out}"
        );
    }
    let (status, out, _) = ran(&["test", ".", "-E", "right", "-E", "main"], &folder);
    assert_eq!((status, out), (0, format!("12 passed, 0 failed, 0 unsupported{ALL}")));
    // A part may be empty: there are more parts than tests.
    for index in 1..=9 {
        let part = format!("hash:{index}/9");
        let words = ["test", "a.hlsl", "--filter", "right", "--partition", &part];
        assert_eq!(ran(&words, &folder).0, 0);
    }
}

#[test]
fn merging_notices_missing_parts() {
    let files = [("a.hlsl", CASES), ("b.test", JOB)];
    let folder = folder("parts", &files);
    let write = |name: &str, words: &[&str]| {
        let words = [&["test", ".", "--wave-size", "4", "--format", "json"], words].concat();
        let (_, out, _) = ran(&words, &folder);
        std::fs::write(folder.join(name), &out).unwrap();
        out
    };
    for index in 1..=3 {
        let part = write(&format!("{index}.jsonl"), &["--partition", &format!("hash:{index}/3")]);
        let last: serde_json::Value = serde_json::from_str(part.lines().last().unwrap()).unwrap();
        assert_eq!(
            (last["part"]["index"].as_u64(), last["part"]["of"].as_u64()),
            (Some(index), Some(3))
        );
    }
    write("other.jsonl", &["--partition", "hash:2/3", "--filter", "right"]);
    let merge = |names: &[&str]| ran(&[&["merge"], names].concat(), &folder);
    let (status, out, _) = merge(&["3.jsonl", "1.jsonl", "2.jsonl"]);
    assert_eq!(
        (status, out.lines().last()),
        (1, Some("3 passed, 1 failed, 0 unsupported; wave size 4"))
    );
    for (names, says) in [
        (&["1.jsonl"][..], "parts 2, 3 of 3 missing, of a run of 4 tests"),
        (&["1.jsonl", "3.jsonl"], "part 2 of 3 missing"),
        (
            &["1.jsonl", "2.jsonl", "3.jsonl", "2.jsonl"],
            "part 2 of 3 is given twice: `2.jsonl` and `2.jsonl`",
        ),
        (&["1.jsonl", "other.jsonl", "3.jsonl"], "parts belong together if"),
    ] {
        let (status, out, err) = merge(names);
        assert!(
            status == 2 && out.is_empty() && err.contains(says),
            "{names:?}: {status} {err}{out}"
        );
    }
    // Several reports in one file are as good as several files.
    let joined: String = (1..=3)
        .map(|it| std::fs::read_to_string(folder.join(format!("{it}.jsonl"))).unwrap())
        .collect();
    std::fs::write(folder.join("joined.jsonl"), &joined).unwrap();
    assert_eq!(merge(&["joined.jsonl"]).0, 1);
    // Wherever a report is cut, in a line or between two, it is noticed; half of its parts are missed.
    let whole = write("whole.jsonl", &[]);
    for end in (0..whole.len() - 1).step_by(97).chain(whole.match_indices('\n').map(|it| it.0 + 1))
    {
        if end == whole.len() || !whole.is_char_boundary(end) {
            continue;
        }
        std::fs::write(folder.join("cut.jsonl"), &whole[..end]).unwrap();
        let (status, _, err) = merge(&["cut.jsonl"]);
        assert!(status == 2 && err.contains("cut.jsonl:"), "{end}: {status} {err}");
    }
}

#[test]
fn junit_has_times_files_and_lines() {
    let folder = folder("junit", &[("t/a.hlsl", CASES), ("t/b.test", JOB)]);
    let junit =
        |path: &str| ran(&["test", path, "--wave-size", "8", "--format", "junit"], &folder).1;
    let text = junit("t");
    let attribute = |line: &str, name: &str| {
        let rest = line.split(&format!(" {name}=\"")).nth(1).unwrap_or_else(|| panic!("{line}"));
        rest.split('"').next().unwrap().to_owned()
    };
    let mut total = 0.0;
    for (case, file, line) in [
        ("t/a.hlsl::right@8", "t/a.hlsl", "2"),
        ("t/a.hlsl::wrong@8", "t/a.hlsl", "4"),
        ("t/b.test@8", "t/b.test", "1"),
    ] {
        let found = text.lines().find(|it| it.contains(&format!("name=\"{case}\"")));
        let found = found.unwrap_or_else(|| panic!("{case} in {text}"));
        assert_eq!(
            (attribute(found, "file"), attribute(found, "line")),
            (file.into(), line.into())
        );
        total += attribute(found, "time").parse::<f64>().unwrap();
    }
    assert!(total > 0.0, "{text}");
    for line in text.lines().filter(|it| it.contains("<testsuite")) {
        let stamp = attribute(line, "timestamp");
        assert!(stamp.len() == 20 && stamp.ends_with('Z') && stamp.starts_with("20"), "{stamp}");
        assert!(attribute(line, "time").parse::<f64>().unwrap() > 0.0);
    }
    let names = |text: &str| -> Vec<String> {
        text.lines().filter(|it| it.contains("<testcase")).map(|it| attribute(it, "name")).collect()
    };
    for path in ["./t", ".//t", "t/", "././t/."] {
        assert_eq!(names(&junit(path)), names(&text), "{path}");
    }
}

#[test]
fn a_test_is_annotated_once_for_all_widths() {
    let folder = folder("github", &[("a.hlsl", CASES)]);
    let (_, out, _) = ran(&["test", "./a.hlsl", "--format", "github"], &folder);
    let errors: Vec<&str> = out.lines().filter(|it| it.starts_with("::error")).collect();
    assert_eq!(errors.len(), 1, "{out}");
    let title = "title=a.hlsl::wrong with waves of 4, 8, 16, 32, 64, 128 lanes";
    let escaped = title.replace(',', "%2C").replace("a.hlsl::", "a.hlsl%3A%3A");
    assert!(errors[0].starts_with(&format!("::error file=a.hlsl,line=5,{escaped}::")), "{out}");
}

#[test]
fn equal_failures_of_lanes_and_widths_are_reported_once() {
    let folder = folder("fold", &[("a.hlsl", CASES)]);
    let (_, out, _) = ran(&["test", "a.hlsl::wrong"], &folder);
    let expected = "FAIL: a.hlsl::wrong with waves of 4, 8, 16, 32, 64, 128 lanes
  line 5 not as expected
  a.hlsl:5: EXPECT_EQ(float3(1, 2, 3) * 2, float3(2, 4, 7));
    all lanes  expected (2.0, 4.0, 7.0)  got (2.0, 4.0, 6.0)
  again: wavelane test a.hlsl::wrong --wave-size 4

0 passed, 6 failed, 0 unsupported; wave sizes 4, 8, 16, 32, 64, 128
";
    assert_eq!(out, expected);
}

#[test]
fn a_baseline_matches_tests_under_any_spelling_of_their_paths() {
    let folder = folder("baseline", &[("t/a.hlsl", CASES), ("t/b.test", JOB)]);
    let write = ["test", "./t", "--wave-size", "4", "--write-baseline", "known.txt"];
    assert_eq!(ran(&write, &folder).0, 1);
    for path in ["t", "./t/", ".//t/a.hlsl", "t/a.hlsl::wrong"] {
        let words = ["test", path, "--wave-size", "4", "--baseline", "known.txt"];
        let (status, out, err) = ran(&words, &folder);
        assert!(status == 0 && !err.contains("baseline"), "{path}: {out}{err}");
    }
    // As older versions wrote it.
    std::fs::write(folder.join("known.txt"), "./t/a.hlsl::wrong@4\n").unwrap();
    let words = ["test", "t", "--wave-size", "4", "--baseline", "known.txt"];
    assert_eq!(ran(&words, &folder).0, 0);
}

#[test]
fn a_line_of_the_baseline_that_matches_nothing_is_reported() {
    let folder = folder("unmatched", &[("a.hlsl", CASES)]);
    let told = |lines: &str, more: &[&str]| {
        std::fs::write(folder.join("known.txt"), lines).unwrap();
        let words = [&["test", "a.hlsl", "--baseline", "known.txt"], more].concat();
        ran(&words, &folder).2
    };
    let all = "a.hlsl::wrong\na.hlsl::right@4\n";
    assert_eq!(told(all, &[]), "");
    let err = told(&format!("{all}no-such-test@4\na.hlsl::wrogn\na.hlsl::right@5\n"), &[]);
    let expected = "note: 3 lines of the baseline match no test: `a.hlsl::right@5`, `a.hlsl::wrogn`, `no-such-test@4`\n";
    assert_eq!(err, expected);
    // What was left out on purpose is not missed.
    assert_eq!(told(all, &["--filter", "other"]), "");
    assert_eq!(told(all, &["--wave-size", "8"]), "");
    assert!(told("a.hlsl::right@5\n", &["--wave-size", "8"]).contains("`a.hlsl::right@5`"));
}

#[test]
fn a_wrong_file_is_bad_input_and_not_a_failure() {
    let broken = JOB.replace("Format: UInt32", "Fromat: UInt32");
    let torn = "//--- a\n//# no such line\n";
    let files =
        [("bad.test", &*broken), ("torn.hlsl", torn), ("fails.hlsl", CASES), ("fine.test", JOB)];
    let folder = folder("wrong", &files);
    for (paths, status) in [
        (&["bad.test"][..], 2),
        (&["torn.hlsl"], 2),
        (&["bad.test", "fine.test"], 2),
        (&["fails.hlsl"], 1),
        (&["bad.test", "fails.hlsl"], 1),
        (&["fine.test"], 0),
    ] {
        let (ended, out, _) = ran(&[&["test"], paths].concat(), &folder);
        assert_eq!(ended, status, "{paths:?}: {out}");
        assert_eq!(out.contains("bad file: "), paths[0] != "fine.test" && paths[0] != "fails.hlsl");
    }
}

/// Ends a process.
#[cfg(target_os = "linux")]
fn kill(id: u32, signal: &str) {
    let status = Command::new("kill").args([signal, &id.to_string()]).status().unwrap();
    assert!(status.success());
}

/// The processes whose command lines hold a text.
#[cfg(target_os = "linux")]
fn processes(text: &str) -> Vec<u32> {
    let ids = std::fs::read_dir("/proc").unwrap().filter_map(|it| {
        let id: u32 = it.ok()?.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(format!("/proc/{id}/cmdline")).ok()?;
        String::from_utf8_lossy(&line).contains(text).then_some(id)
    });
    ids.collect()
}

#[cfg(target_os = "linux")]
#[test]
fn workers_end_when_their_parent_is_killed() {
    use std::time::{Duration, Instant};
    let endless = "#include <wavelane.hlsli>
        TEST_CASE(endless) {
            uint i = 1;
            while (i != 0) i = wavelane_log[1] == 77 ? 0 : i + 2;
            EXPECT(true);
        }";
    let until = |is_so: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !is_so() && begin.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        is_so()
    };
    let commands: [&[&str]; 3] =
        [&["test"], &["san"], &["diff", "--engines", "interp,interp:least"]];
    for (command, signal) in commands.into_iter().zip(["-KILL", "-TERM", "-KILL"]) {
        // The name of the file tells the processes of this test from all others.
        let name = format!("endless-{}-{}.hlsl", command[0], std::process::id());
        let folder = folder(&format!("killed-{}", command[0]), &[(&name, endless)]);
        let words = [command, &[&name, "--fuel", "none", "--wave-size", "4"]].concat();
        let mut parent = Command::new(env!("CARGO_BIN_EXE_wavelane"))
            .args(words)
            .current_dir(folder)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let workers = || -> Vec<u32> {
            processes(&name).into_iter().filter(|it| *it != parent.id()).collect()
        };
        assert!(until(&|| !workers().is_empty()), "{command:?} started no worker");
        kill(parent.id(), signal);
        // A zombie is a process, too, until its end is noticed.
        let id = parent.id();
        parent.wait().unwrap();
        let left = || -> Vec<u32> { processes(&name).into_iter().filter(|it| *it != id).collect() };
        let are_gone = until(&|| left().is_empty());
        left().into_iter().for_each(|it| kill(it, "-KILL"));
        assert!(are_gone, "{command:?}: a worker goes on");
    }
}
