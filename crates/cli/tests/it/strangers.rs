//! Untrusted files and surroundings: what a shader may include, file names that are not valid Unicode, and a standard
//! output that cannot be written to.
#![cfg(unix)]

use crate::support;

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use support::command;

const SHADER: &str = "#include \"inner.hlsli\"
RWStructuredBuffer<uint> O;
[numthreads(4, 1, 1)] void main(uint lane : SV_GroupIndex) { O[lane] = lane + ONE; }
";

const CASES: &str = "#include <wavelane.hlsli>
#include \"inner.hlsli\"
TEST_CASE(one) { EXPECT_EQ(WaveGetLaneIndex() * 0 + ONE, 1u); }
TEST_CASE(two) { EXPECT_EQ(ONE + ONE, 2u); }
TEST_CASE(three) { EXPECT(ONE == 1); }
";

fn wavelane(words: &[&str], folder: &Path) -> Output {
    command(folder, words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A separate folder for each test, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    support::fresh_folder(&format!("strangers/{name}"), files)
}

/// What all commands that compile have in common, with the words that let them run the shader.
const COMPILING: [&[&str]; 8] = [
    &["check", "a.hlsl"],
    &["run", "a.hlsl", "--bind", "O=u32[4]"],
    &["emit", "--ir", "a.hlsl"],
    &["dxc", "-T", "cs_6_0", "a.hlsl"],
    &["san", "a.hlsl", "--bind", "O=u32[4]"],
    &["diff", "a.hlsl", "--bind", "O=u32[4]", "--engines", "interp,cpu"],
    &["bench", "a.hlsl", "--bind", "O=u32[4]", "--rounds", "1"],
    &["test", "cases.hlsl"],
];

#[test]
fn includes_stay_below_the_roots_wherever_links_lead() {
    let inner = "#define ONE 1\n";
    let folder = folder(
        "roots",
        &[
            ("in/a.hlsl", SHADER),
            ("in/cases.hlsl", CASES),
            ("in/inner.hlsli", inner),
            ("out/inner.hlsli", inner),
        ],
    );
    let home = folder.join("in");
    let with = |words: &[&str], more: &[&str]| {
        let output = wavelane(&[words, more].concat(), &home);
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    for words in COMPILING {
        let (status, shown) = with(words, &["--include-root", "."]);
        assert_eq!(status, Some(0), "{words:?}: {shown}");
        // What lies below one of several is enough.
        let (status, shown) = with(words, &["--include-root", "../out", "--include-root", "."]);
        assert_eq!(status, Some(0), "{words:?}: {shown}");
        let (status, shown) = with(words, &["--include-root", "../out"]);
        assert_ne!(status, Some(0), "{words:?}: {shown}");
        assert!(shown.contains("inner.hlsli"), "{words:?}: {shown}");
    }
    // The same name, which now leads out of the root.
    std::fs::remove_file(home.join("inner.hlsli")).unwrap();
    std::os::unix::fs::symlink("../out/inner.hlsli", home.join("inner.hlsli")).unwrap();
    for words in COMPILING {
        assert_eq!(with(words, &[]).0, Some(0), "{words:?}");
        assert_ne!(with(words, &["--include-root", "."]).0, Some(0), "{words:?}");
    }
    let (status, shown) = with(COMPILING[0], &["--include-root", "nowhere"]);
    assert_eq!(status, Some(2));
    assert!(shown.contains("`--include-root nowhere`: "), "{shown}");
}

#[test]
fn a_job_cannot_choose_its_own_roots() {
    let job = "# RUN: %dxc_target --include-root=/ -T cs_6_0 -Fo %t.o %S/../out/secret.hlsl
# RUN: %offloader %t/job.yaml %t.o
#--- job.yaml
Shaders: [{ Stage: Compute, Entry: main }]
Buffers: []
DescriptorSets: []
";
    let files = [("in/a.test", job), ("out/secret.hlsl", "root: of all evil\n")];
    let home = folder("job", &files).join("in");
    let shown = |words: &[&str]| text(&wavelane(words, &home).stdout);
    // A message shows the line that is wrong.
    let open = shown(&["test", "a.test"]);
    assert!(open.contains("root: of all evil"), "{open}");
    let kept = shown(&["test", "a.test", "--include-root", "."]);
    assert!(kept.contains("secret.hlsl` cannot be read") && !kept.contains("evil"), "{kept}");
}

#[test]
fn what_is_not_a_regular_file_is_not_included() {
    let folder = folder("devices", &[("empty.hlsli", "")]);
    let pipe = folder.join("pipe.hlsli");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for name in ["pipe.hlsli", ".", "/dev/zero", "/dev/stdin", "/dev/tty"] {
        let shader = format!("#include \"{name}\"\n[numthreads(1, 1, 1)] void main() {{}}\n");
        std::fs::write(folder.join("a.hlsl"), shader).unwrap();
        let output = wavelane(&["check", "a.hlsl"], &folder);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", text(&output.stderr));
    }
    // What the system makes up as it is read says that it is empty, and some of it never ends.
    for (name, status) in [("/proc/kmsg", 2), ("/proc/self/status", 2), ("empty.hlsli", 0)] {
        if !Path::new(name).exists() && name.starts_with('/') {
            continue;
        }
        let shader = format!("#include \"{name}\"\n[numthreads(1, 1, 1)] void main() {{}}\n");
        std::fs::write(folder.join("a.hlsl"), shader).unwrap();
        let output = wavelane(&["check", "a.hlsl"], &folder);
        assert_eq!(output.status.code(), Some(status), "{name}: {}", text(&output.stderr));
    }
}

#[test]
fn a_name_that_is_not_text_fails_that_test_alone() {
    let cases = CASES.replace("#include \"inner.hlsli\"\n", "#define ONE 1\n");
    let folder = folder("names", &[("good.hlsl", &cases), ("sub/also.hlsl", &cases)]);
    let named = |bytes: &[u8]| folder.join(OsStr::from_bytes(bytes));
    std::fs::write(named(b"bad-\xff.hlsl"), &cases).unwrap();
    std::fs::create_dir(named(b"sub/\xfe")).unwrap();
    std::fs::write(named(b"sub/\xfe/worse.hlsl"), &cases).unwrap();
    // A file without tests is not a test, regardless of its name.
    std::fs::write(named(b"header-\xff.hlsl"), "#define A 1\n").unwrap();
    std::fs::write(named(b"\xff.txt"), "").unwrap();
    // A pipe without a writer.
    assert!(Command::new("mkfifo").arg(named(b"pipe.test")).status().unwrap().success());

    let output = wavelane(&["test", ".", "--wave-size", "4"], &folder);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{shown}{}", text(&output.stderr));
    assert!(shown.ends_with("6 passed, 2 failed, 0 unsupported; wave size 4\n"), "{shown}");
    assert_eq!(shown.matches("is not valid Unicode").count(), 2, "{shown}");
    for command in ["san", "diff"] {
        let words: &[&str] = match command {
            "diff" => &["diff", ".", "--engines", "interp,cpu"],
            _ => &["san", "."],
        };
        let output = wavelane(words, &folder);
        let shown = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{shown}");
        assert!(shown.contains("is not valid Unicode"), "{command}: {shown}");
        assert!(shown.contains("good.hlsl") || shown.contains('6'), "{command}: {shown}");
    }
}

/// Commands that write to standard output.
const WRITING: [&[&str]; 11] = [
    &["--help"],
    &["--version"],
    &["run", "a.hlsl", "--bind", "O=u32[4]"],
    &["check", "a.hlsl", "--format", "json"],
    &["emit", "--ir", "a.hlsl"],
    &["explain", "race"],
    &["caps"],
    &["test", "cases.hlsl"],
    &["test", "cases.hlsl", "--list"],
    &["san", "a.hlsl", "--bind", "O=u32[4]", "--format", "json"],
    &["diff", "a.hlsl", "--bind", "O=u32[4]", "--engines", "interp,cpu"],
];

fn writing(name: &str) -> PathBuf {
    let inner = "#define ONE 1\n";
    folder(name, &[("a.hlsl", SHADER), ("cases.hlsl", CASES), ("inner.hlsli", inner)])
}

/// Runs a command whose standard output a shell redirects.
fn redirected(words: &[&str], to: &str, folder: &Path) -> (Option<i32>, String) {
    let output = Command::new("sh")
        .args(["-c", &format!("exec \"$0\" \"$@\" {to}"), env!("CARGO_BIN_EXE_wavelane")])
        .args(words)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    (output.status.code(), text(&output.stderr))
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_that_takes_nothing_is_an_error() {
    let folder = writing("full");
    for words in WRITING {
        for to in [">&-", ">/dev/full"] {
            let (status, said) = redirected(words, to, &folder);
            assert_eq!(status, Some(2), "{words:?} {to}: {said}");
            assert!(said.contains("the output cannot be written: "), "{words:?} {to}: {said}");
        }
        // Discarding the results is not an error, however the shell does it.
        for to in [">/dev/null", "1<>/dev/null"] {
            let (status, said) = redirected(words, to, &folder);
            assert_eq!(status, Some(0), "{words:?} {to}: {said}");
        }
    }
    // Nothing is to be written, so nothing is lost.
    let (status, said) = redirected(&["check", "a.hlsl"], ">&-", &folder);
    assert_eq!((status, said.as_str()), (Some(0), ""));
}

#[test]
fn a_closed_reader_ends_every_command_quietly() {
    let folder = writing("broken");
    for words in WRITING {
        let mut child =
            command(&folder, words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{words:?}");
    }
}

/// A process that runs tests says how often the front end has read the file that it was asked about last.
#[test]
fn a_process_of_tests_reads_and_compiles_a_file_once() {
    let folder = writing("once");
    let mut child = command(&folder, &["test", "cases.hlsl", "--worker"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut requests = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for case in ["one", "two", "three", "one", "two"] {
        let request = serde_json::json!({ "file": "cases.hlsl", "case": case, "done": [] });
        writeln!(requests, "{request}").unwrap();
        let end = loop {
            let answer: serde_json::Value =
                serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
            if answer.get("end").is_some() {
                break answer;
            }
        };
        assert_eq!(end["front_ends"], 1, "{case}");
    }
    drop(requests);
    assert!(child.wait().unwrap().success());
}

/// `--timeout` covers compilation: no machine compiles half a megabyte in a hundredth of a second.
#[test]
fn a_timeout_covers_the_time_spent_compiling() {
    let statements: String = (0..20_000).map(|it| format!("if (r == {it}) return;\n")).collect();
    let source = format!(
        "RWStructuredBuffer<uint> O;
        [numthreads(32, 1, 1)] void main(uint r : SV_GroupIndex) {{ {statements} O[r] = 1; }}"
    );
    let folder = folder("compile-time", &[("a.hlsl", &source)]);
    let commands: [&[&str]; 4] = [
        &["run", "a.hlsl", "--bind", "O=u32[32]"],
        &["san", "a.hlsl", "--bind", "O=u32[32]"],
        &["diff", "a.hlsl", "--bind", "O=u32[32]", "--engines", "interp,cpu"],
        &["bench", "a.hlsl", "--bind", "O=u32[32]", "--rounds", "1"],
    ];
    for words in commands {
        let output = wavelane(&[words, &["--timeout", "0.01"]].concat(), &folder);
        let shown = text(&output.stdout) + &text(&output.stderr);
        assert!(shown.contains("the time of 0.01 s is spent"), "{words:?}: {shown}");
        assert!(shown.contains("a.hlsl:"), "{words:?} names no place: {shown}");
        assert_eq!(output.status.code(), Some(1), "{words:?}: {shown}");
    }
}
