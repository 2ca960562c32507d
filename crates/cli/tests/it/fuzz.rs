//! `wavelane fuzz` as scripts see it: against engines, and against compilers that are broken on purpose.
#![cfg(unix)]

use crate::support;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use support::{Ran, wavelane};

fn folder(name: &str) -> PathBuf {
    support::fresh_folder::<&str>(&format!("fuzz/{name}"), &[])
}

/// A compiler that is ours, with something wrong around it.
fn compiler(folder: &Path, script: &str) {
    let ours = env!("CARGO_BIN_EXE_wavelane");
    let ours = format!("{ours} dxc -T cs_6_7 -enable-16bit-types -spirv -w");
    let text = format!("#!/bin/sh\n{}\n", script.replace("OURS", &ours));
    let file = folder.join("compiler.sh");
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a few programs through `compiler.sh`.
fn through(folder: &Path, more: &[&str]) -> (Ran, Value) {
    let target = "./compiler.sh {in} {out}";
    let line = [
        "fuzz", "--target", target, "--count", "6", "--format", "json", "--save", "found", "-j",
        "2",
    ];
    let ran = wavelane(folder, &[&line[..], more].concat());
    let value = ran.json();
    let sum: u64 =
        value["outcomes"].as_object().unwrap().values().map(|it| it.as_u64().unwrap()).sum();
    assert_eq!(sum, 6);
    (ran, value)
}

#[test]
fn engines_agree_with_the_second_evaluator_at_every_width() {
    let folder = folder("engines");
    let line =
        ["fuzz", "--engines", "interp,cpu", "--count", "5", "--seed", "5", "--format", "json"];
    let ran = wavelane(&folder, &line);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let value = ran.json();
    assert_eq!(value["outcomes"]["agrees"], 5);
    let statistics = &value["statistics"];
    assert_eq!(statistics["programs"], 5);
    assert!(statistics["diverging"].as_u64().unwrap() >= 2, "{statistics}");
    assert!(statistics["calls_by_active_lanes"].as_object().unwrap().len() > 20, "{statistics}");
    // The same seed, the same bytes, with any number of processes.
    assert_eq!(wavelane(&folder, &[&line[..], &["-j", "1"]].concat()).out, ran.out);
    let other = wavelane(&folder, &["fuzz", "--engines", "cpu", "--count", "3", "--widths", "8"]);
    assert_eq!(other.status, 0, "{}", other.err);
    assert!(other.out.starts_with("3 programs: agrees 3\n"), "{}", other.out);
}

#[test]
fn programs_of_other_stages_are_drawn_and_agree_with_the_second_evaluator() {
    let folder = folder("stages");
    for (stage, construct) in [("pixel", "discard"), ("mesh", "output")] {
        let line = ["fuzz", "--engines", "interp,cpu", "--count", "5", "--format", "json"];
        let line = [&line[..], &["--stage", stage]].concat();
        let ran = wavelane(&folder, &line);
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        let value = ran.json();
        assert_eq!((&value["outcomes"]["agrees"], &value["stage"]), (&5.into(), &stage.into()));
        let statistics = &value["statistics"];
        assert!(statistics["constructs"][construct].as_u64() > Some(0), "{statistics}");
        assert!(statistics["diverging"].as_u64() >= Some(2), "{statistics}");
        assert_eq!(wavelane(&folder, &[&line[..], &["-j", "1"]].concat()).out, ran.out);
    }
    // Nothing is known of the packing of a GPU.
    let ran = wavelane(&folder, &["fuzz", "--stage", "pixel", "--engines", "cpu,vulkan:0"]);
    assert_eq!(ran.status, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("`vulkan:0` packs quads into waves in its own way"), "{}", ran.err);
}

#[test]
fn emitted_tests_pass_at_every_width_and_notice_mistakes() {
    for (stage, folder) in [
        ("compute", folder("emit")),
        ("pixel", folder("emit-pixel")),
        ("mesh", folder("emit-mesh")),
    ] {
        let line = ["fuzz", "--emit", "tests", "--count", "3", "--seed", "2", "--stage", stage];
        let ran = wavelane(&folder, &line);
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        for engine in ["interp", "cpu"] {
            let line = ["test", "tests", "--wave-size", "all", "--engine", engine];
            let ran = wavelane(&folder, &line);
            assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
            assert!(ran.out.contains("18 passed, 0 failed, 0 unsupported"), "{}", ran.out);
        }
        let file = folder.join("tests/fuzz-2-0.test");
        let text = std::fs::read_to_string(&file).unwrap();
        // A wrong result at any place is noticed, and so are triangles that cover nothing.
        let mut mistakes = vec![text.replace("* 31 + value", "* 33 + value")];
        if stage == "pixel" {
            mistakes.push(text.replace("1 - y, 0, 1)", "1 - y, 9, 1)"));
        }
        for wrong in mistakes {
            assert_ne!(text, wrong);
            std::fs::write(&file, wrong).unwrap();
            let ran = wavelane(&folder, &["test", "tests", "--wave-size", "all"]);
            assert_eq!(ran.status, 1, "{stage}: {}{}", ran.out, ran.err);
        }
    }
}

/// A compiler that fails for one profile alone: of a program with mesh shaders each shader is compiled.
#[test]
fn a_compiler_that_is_broken_for_a_stage_is_found_and_the_program_shrinks() {
    for (stage, profile) in [("pixel", "ps_6_7"), ("mesh", "as_6_7")] {
        let folder = folder(&format!("broken-{stage}"));
        let script = "if [ $3 = PROFILE ] && grep -q Wave \"$1\"; then echo 'internal error 7'; exit 1; fi\n\
                      printf DXBC > \"$2\"";
        compiler(&folder, &script.replace("PROFILE", profile));
        let target = "./compiler.sh {in} {out} {profile} {entry}";
        let line = ["fuzz", "--stage", stage, "--target", target, "--count", "3"];
        let more = ["--attempts", "150", "--format", "json"];
        let ran = wavelane(&folder, &[&line[..], &more].concat());
        assert_eq!(ran.status, 1, "{stage}: {}", ran.err);
        let value = ran.json();
        let failures = value["failures"].as_array().unwrap();
        // Half of the mesh shaders have an amplification shader.
        let not_run = value["outcomes"]["not run"].as_u64().unwrap() as usize;
        assert_eq!((failures.len() + not_run, not_run > 0), (3, stage == "mesh"), "{}", ran.out);
        for failure in failures {
            assert_eq!(failure["message"], "internal error 7", "{stage}");
            let reduced = failure["reduced"].as_str().unwrap();
            assert!(reduced.contains("Wave") && reduced.len() < 2000, "{stage}: {reduced}");
        }
    }
}

#[test]
fn a_saved_draw_begins_with_the_command_that_runs_it() {
    for stage in ["pixel", "mesh"] {
        let folder = folder(&format!("saved-{stage}"));
        let target = "false {in} {profile} {entry}";
        let line =
            ["fuzz", "--stage", stage, "--target", target, "--count", "2", "--save", "found"];
        let ran = wavelane(&folder, &[&line[..], &["--attempts", "0"]].concat());
        assert_eq!(ran.status, 1, "{}", ran.err);
        for number in 0..2 {
            let file = folder.join(format!("found/refuses-1-{number}.hlsl"));
            let text = std::fs::read_to_string(file).unwrap();
            let command = text.lines().next().unwrap().strip_prefix("// wavelane ").unwrap();
            let words: Vec<&str> = command.split(' ').map(|it| it.trim_matches('\'')).collect();
            let ran = wavelane(&folder, &[&words[..], &["--wave-size", "8"]].concat());
            assert_eq!(ran.status, 0, "{command}: {}", ran.err);
            assert!(ran.out.contains("Log"), "{command}: {}", ran.out);
        }
    }
}

#[test]
fn a_compiler_that_crashes_is_found_and_the_program_shrinks() {
    let folder = folder("crash");
    compiler(
        &folder,
        "if grep -q 'WaveActive' \"$1\"; then echo 'assertion failed: x' >&2; kill -SEGV $$; fi\nOURS \"$1\" -Fo \"$2\"",
    );
    let (ran, value) = through(&folder, &["--attempts", "300"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let failures = value["failures"].as_array().unwrap();
    assert!(!failures.is_empty());
    for failure in failures {
        assert_eq!(failure["outcome"], "crash");
        assert_eq!(failure["signature"], "signal 11: assertion failed: x");
    }
    let text = std::fs::read_to_string(folder.join(failures[0]["file"].as_str().unwrap())).unwrap();
    assert!(text.lines().count() <= 12 && text.contains("WaveActive"), "{text}");
    // What was found is found again, in the same bytes.
    assert_eq!(through(&folder, &["--attempts", "300"]).0.out, ran.out);
}

#[test]
fn hangs_refusals_and_successes_without_a_module_are_distinguished() {
    for (name, script, outcome, signature) in [
        ("hang", "sleep 60", "hang", "it does not end in time"),
        ("status", "echo oops; exit 134", "crash", "status 134: oops"),
        (
            "refuses",
            "echo \"$1:7:3: error: unknown 'x17'\" >&2; exit 1",
            "refuses",
            "PATH error: unknown ''",
        ),
        ("nothing", "exit 0", "miscompiles", "it reports success and writes nothing"),
        ("malformed", "echo abcdefgh > \"$2\"", "miscompiles", "the module is malformed"),
    ] {
        let folder = folder(name);
        compiler(&folder, script);
        let (ran, value) = through(&folder, &["--attempts", "0", "--timeout", "0.3"]);
        assert_eq!(ran.status, 1, "{name}: {}", ran.err);
        let failures = value["failures"].as_array().unwrap();
        assert_eq!(failures.len(), 6, "{name}");
        for failure in failures {
            assert_eq!(failure["outcome"], outcome, "{name}");
            let said = failure["signature"].as_str().unwrap();
            assert!(said.starts_with(signature), "{name}: {said}");
        }
    }
}

#[test]
fn what_was_found_survives_an_interrupt() {
    let folder = folder("interrupted");
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let found = folder.join(format!("found-{signal}"));
        let save = found.to_string_lossy();
        let line = [
            "fuzz",
            "--target",
            "false {in} {out}",
            "--count",
            "1000000",
            "--attempts",
            "0",
            "--save",
            &save,
            "-j",
            "2",
        ];
        let files = || std::fs::read_dir(&found).map_or(0, Iterator::count);
        let (signal, out, err) = support::interrupted(&folder, &line, signal, || files() > 2);
        assert_eq!(signal, Some(number), "{out}{err}");
        let files = files();
        assert!(out.contains(&format!("{files} programs: refuses {files}\n")), "{files} {out}");
        let note = format!("interrupted: {files} programs of 1000000 were run");
        assert!(err.contains(&note), "{err}");
    }
}

/// A compiler must not outlive its worker.
#[test]
fn a_compiler_ends_with_the_command_that_called_it() {
    let folder = folder("orphans");
    compiler(&folder, "echo $$ > pid\nexec sleep 1000");
    let line = ["fuzz", "--target", "./compiler.sh {in} {out}", "--count", "1", "--timeout", "900"];
    let pid = || std::fs::read_to_string(folder.join("pid")).ok().filter(|it| it.ends_with('\n'));
    let (signal, out, err) = support::interrupted(&folder, &line, "INT", || pid().is_some());
    assert_eq!(signal, Some(2), "{out}{err}");
    assert!(out.starts_with("0 programs\n"), "{out}");
    let pid = pid().unwrap();
    // One that has ended stays in the table of processes until somebody asks how.
    let status = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    while status().is_ok_and(|it| !it.contains(") Z ")) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn the_time_limit_is_for_engines_too() {
    let folder = folder("late");
    let line = ["fuzz", "--engines", "interp", "--count", "8", "--attempts", "0", "--timeout"];
    let ran = wavelane(&folder, &[&line[..], &["0.000001", "--format", "json"]].concat());
    let value = ran.json();
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert_eq!(value["failures"][0]["outcome"], "hang");
    assert_eq!(value["failures"][0]["signature"], "the run does not end in time");
    let ran = wavelane(&folder, &[&line[..], &["500"]].concat());
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn a_class_of_failures_is_shown_by_one_of_its_messages() {
    let folder = folder("messages");
    for (script, message, signature) in [
        (
            "printf abcdefghabcdefghabcdefgh > \"$2\"",
            "the module is malformed: it is not a module of SPIR-V or PTX: it begins with 0x64636261, not with SPIR-V's 0x07230203",
            "the module is malformed: it is not a module of SPIR-V or PTX: it begins with #x#, not with SPIR-V's #x#",
        ),
        (
            "echo \"$1:7:3: error: unknown 'x17'\" >&2; exit 1",
            "./program.hlsl:7:3: error: unknown 'x17'",
            "PATH error: unknown ''",
        ),
        (
            "echo 'assertion 7 failed' >&2; exit 134",
            "status 134: assertion 7 failed",
            "status 134: assertion # failed",
        ),
    ] {
        compiler(&folder, script);
        let (_, value) = through(&folder, &["--attempts", "0"]);
        assert_eq!(value["failures"][0]["message"], message);
        assert_eq!(value["failures"][0]["signature"], signature);
        let line =
            ["fuzz", "--target", "./compiler.sh {in} {out}", "--count", "2", "--attempts", "0"];
        let ran = wavelane(&folder, &line);
        assert!(ran.out.contains(&format!(": {message}\n  programs 0, 1")), "{}", ran.out);
    }
}

/// Each compiler fails on a construct that most programs have, in its own way.
#[test]
fn each_kind_of_failure_shrinks_to_the_construct_that_shows_it() {
    const FAILS: &str = "if grep -q 'WaveActiveSum(' \"$1\"; then FAIL; fi\nexit 3";
    for (name, failure, outcome, signature) in [
        ("refuses", "echo \"$1:3:1: error: no 'Sum'\" >&2; exit 1", "refuses", "PATH error: no ''"),
        ("status", "echo oops; exit 134", "crash", "status 134: oops"),
        ("hang", "exec sleep 60", "hang", "it does not end in time"),
        ("nothing", "exit 0", "miscompiles", "it reports success and writes nothing"),
        ("malformed", "echo abcdefgh > \"$2\"; exit 0", "miscompiles", "the module is malformed"),
    ] {
        let folder = folder(&format!("shrinks-{name}"));
        compiler(&folder, &FAILS.replace("FAIL", failure));
        let line = ["fuzz", "--target", "./compiler.sh {in} {out}", "--format", "json"];
        // Each candidate that hangs takes the whole time: a program that has few of them, and little time.
        let (seed, timeout) = if name == "hang" { ("29", "0.2") } else { ("4", "20") };
        let few = ["--count", "1", "--seed", seed, "--save", "found", "-j", "1"];
        let bounds = ["--attempts", "250", "--timeout", timeout];
        let ran = wavelane(&folder, &[&line[..], &few, &bounds].concat());
        assert_eq!(ran.status, 1, "{name}: {}", ran.err);
        let failure = &ran.json()["failures"][0];
        assert_eq!(failure["outcome"], outcome, "{name}");
        let said = failure["signature"].as_str().unwrap();
        assert!(said.starts_with(signature), "{name}: {said}");
        let text = failure["reduced"].as_str().unwrap();
        assert!(text.contains("WaveActiveSum("), "{name}: {text}");
        assert!(text.lines().count() <= 12, "{name}: {text}");
    }
}

#[test]
fn a_right_compiler_agrees_and_a_wrong_one_miscompiles_where_there_is_a_device() {
    let folder = folder("modules");
    compiler(&folder, "OURS \"$1\" -Fo \"$2\"");
    let (ran, value) = through(&folder, &[]);
    let outcomes = &value["outcomes"];
    if outcomes["agrees"] == 0 {
        skipped::skipped!("no device of Vulkan can be used here: {}", outcomes);
        assert_eq!(outcomes["not run"], 6, "{}", ran.out);
        // A run in which no program ran does not succeed.
        assert_eq!(ran.status, 3, "{}{}", ran.out, ran.err);
        return;
    }
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    compiler(
        &folder,
        "sed 's/WaveActiveSum(/WaveActiveMax(/g; s/ - / + /g' \"$1\" > \"$1.hlsl\"\nOURS \"$1.hlsl\" -Fo \"$2\"",
    );
    let (ran, value) = through(&folder, &["--attempts", "150"]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    let failures = value["failures"].as_array().unwrap();
    assert!(failures.iter().all(|it| it["outcome"] == "miscompiles"), "{}", ran.out);
    let smallest = failures.iter().filter_map(|it| it["reduced"].as_str()).map(str::len).min();
    assert!(smallest.is_some_and(|it| it < 600), "{smallest:?}");
}

/// Without a device: the driver's files are looked for where there are none.
#[test]
fn a_missing_engine_is_not_a_success() {
    let folder = folder("missing");
    let line = ["fuzz", "--count", "2", "--widths", "8", "--engines", "interp,vulkan"];
    let ran = support::command(&folder, &line)
        .env("VK_DRIVER_FILES", folder.join("none.json"))
        .env("VK_ICD_FILENAMES", folder.join("none.json"))
        .output()
        .unwrap();
    let err = String::from_utf8(ran.stderr).unwrap();
    assert!(err.contains("`vulkan` is not available here"), "{err}");
    assert_eq!(ran.status.code(), Some(3), "{err}");
}

#[test]
fn mistakes_on_the_command_line_are_reported() {
    let folder = folder("mistakes");
    for (words, said) in [
        (&["fuzz"][..], "`fuzz` needs one of `--target`, `--engines` and `--emit`"),
        (&["fuzz", "a.hlsl", "--engines", "cpu"], "unexpected operand `a.hlsl`"),
        (&["fuzz", "--engines", "cpu", "--emit", "x"], "exclude each other"),
        (&["fuzz", "--engines", "gpu"], "`gpu` is not an engine"),
        (&["fuzz", "--target", "dxc"], "names no `{in}`"),
        (&["fuzz", "--target", "'dxc {in}"], "a quote is not closed"),
        (&["fuzz", "--target", "./not-there {in}", "--count", "1"], "cannot be run"),
        (&["fuzz", "--engines", "cpu", "--model", "5.1"], "from 6.5 on"),
        (&["fuzz", "--engines", "cpu", "--count", "x"], "is not an integer"),
        (&["fuzz", "--engines", "cpu", "--count", "-1"], "`-1` is negative"),
        (&["fuzz", "--engines", "cpu", "--count", "0"], "`--count 0` leaves nothing to run"),
        (&["fuzz", "--engines", "cpu", "--widths", "5"], "power of two"),
        (&["fuzz", "--emit", "x", "--widths", "8"], "`--widths` has no effect with `--emit`"),
        (&["fuzz", "--emit", "x", "--save", "y"], "`--save` has no effect with `--emit`"),
        (&["fuzz", "--emit", "x", "--attempts", "9"], "`--attempts` has no effect with `--emit`"),
        (&["fuzz", "--emit", "x", "--timeout", "9"], "`--timeout` has no effect with `--emit`"),
        (&["fuzz", "--engines", "cpu", "--stage", "vertex"], "compute, pixel or mesh"),
        (
            &["fuzz", "--stage", "mesh", "--target", "dxc {in} {out}"],
            "names no `{profile}` and `{entry}`",
        ),
        (&["worker", "x"], "unexpected operand `x`"),
    ] {
        let ran = wavelane(&folder, words);
        assert_eq!(ran.status, 2, "{words:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{words:?}: {}", ran.err);
    }
}
