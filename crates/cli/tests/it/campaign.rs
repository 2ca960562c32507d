//! `wavelane campaign` as scripts see it: the same report however units are distributed, and after any kill.
#![cfg(unix)]

use crate::support;

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use support::{command, wavelane};

fn folder(name: &str) -> PathBuf {
    support::fresh_folder::<&str>(&format!("campaign/{name}"), &[])
}

const PLAN: &str = "fuzz = 6
seed = 3
widths = [8, 32]
orders = [\"waves=descending\"]
engines = [\"interp\", \"cpu\"]
";

#[test]
fn one_process_shards_and_a_killed_campaign_give_the_same_bytes() {
    let folder = folder("shards");
    std::fs::write(folder.join("plan.toml"), PLAN).unwrap();
    let whole = wavelane(
        &folder,
        &["campaign", "plan.toml", "--ledger", "one.jsonl", "-j", "1", "--format", "json"],
    );
    assert_eq!(whole.status, 0, "{}{}", whole.out, whole.err);
    let value: serde_json::Value = serde_json::from_str(&whole.out).unwrap();
    assert_eq!(value["units"], 6 * 2 * 2 * 2);
    let merged = wavelane(&folder, &["merge", "one.jsonl", "--format", "json"]);
    assert_eq!(merged.out, whole.out);
    // Shards, merged in another order, one of them twice.
    for shard in 1..=3 {
        let part = format!("hash:{shard}/3");
        let ledger = format!("part{shard}.jsonl");
        let flags =
            "--fuzz 6 --seed 3 --widths 8,32 --orders waves=descending --engines interp,cpu";
        let mut words = vec!["campaign"];
        words.extend(flags.split(' '));
        words.extend(["--partition", &part, "--ledger", &ledger, "-j", "2"]);
        let ran = wavelane(&folder, &words);
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    }
    for format in ["text", "json", "junit", "sarif"] {
        let parts = ["part3.jsonl", "part1.jsonl", "part2.jsonl", "part1.jsonl"];
        let shards = wavelane(
            &folder,
            &[&["merge"], &parts[..], &["--format", format, "--html", "a.html"]].concat(),
        );
        let one =
            wavelane(&folder, &["merge", "one.jsonl", "--format", format, "--html", "b.html"]);
        assert_eq!((shards.status, &shards.out), (0, &one.out), "{}", shards.err);
        let page = |name| std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(page("a.html"), page("b.html"));
        assert!(page("a.html").contains("0 / 12"), "{}", page("a.html"));
    }
    // Killed again and again, and resumed until it is whole.
    let line = ["campaign", "plan.toml", "--ledger", "killed.jsonl", "-j", "1", "--format", "json"];
    for pause in [150, 250, 400] {
        let mut child =
            command(&folder, &line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        // SIGKILL; the workers end because their input does.
        child.kill().unwrap();
        child.wait().unwrap();
        // A kill in the middle of a write.
        let ledger = folder.join("killed.jsonl");
        let mut text = std::fs::read_to_string(&ledger).unwrap_or_default();
        text.push_str("{\"outcome\":\"agr");
        std::fs::write(&ledger, text).unwrap();
    }
    let resumed = wavelane(&folder, &line);
    assert_eq!((resumed.status, &resumed.out), (0, &whole.out), "{}", resumed.err);
    // Nothing is left to run.
    let before = std::fs::read(folder.join("killed.jsonl")).unwrap();
    assert_eq!(wavelane(&folder, &line).out, whole.out);
    assert_eq!(std::fs::read(folder.join("killed.jsonl")).unwrap(), before);
}

/// Units of other stages are other units of the same ledger.
#[test]
fn the_stage_of_a_program_is_part_of_its_unit() {
    let folder = folder("stages");
    std::fs::write(folder.join("plan.toml"), "fuzz = 2\nwidths = [8]\nstage = \"mesh\"\n").unwrap();
    for line in [&["plan.toml"][..], &["--fuzz", "2", "--widths", "8", "--stage", "pixel"]] {
        let more = ["--ledger", "run.jsonl", "-j", "1"];
        let ran = wavelane(&folder, &[&["campaign"], line, &more].concat());
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        assert!(ran.out.starts_with("4 units: agrees 4\n"), "{}", ran.out);
    }
    let ledger = std::fs::read_to_string(folder.join("run.jsonl")).unwrap();
    for unit in ["fuzz 1/1 stage=mesh @w8 engine=cpu", "fuzz 1/0 stage=pixel @w8 engine=interp"] {
        assert!(ledger.contains(&format!("\"unit\":\"{unit}\"")), "{unit}: {ledger}");
    }
    // A draw has one order, and a GPU packs its pixels in any way.
    let line = ["campaign", "--fuzz", "1", "--stage", "pixel", "--orders", "waves=descending"];
    let more = ["--widths", "8", "--engines", "interp,vulkan", "--ledger", "other.jsonl"];
    let ran = wavelane(&folder, &[&line[..], &more].concat());
    assert_eq!(ran.status, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("4 units: agrees 1, not run 3\n"), "{}", ran.out);
    assert!(ran.out.contains("`vulkan` packs quads into waves in its own way"), "{}", ran.out);
}

#[test]
fn tests_are_units_too_and_failures_are_reported_in_all_forms() {
    let folder = folder("tests");
    let case = "#include <wavelane.hlsli>
TEST_CASE(right) { EXPECT_EQ(WaveActiveSum(1), WaveGetLaneCount()); }
TEST_CASE(wrong) { EXPECT_EQ(WaveActiveSum(1), 8); }
";
    std::fs::write(folder.join("a.hlsl"), case).unwrap();
    let line = ["campaign", "a.hlsl", "--widths", "4,8", "--engines", "interp", "--html", "a.html"];
    let ran = wavelane(&folder, &line);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("4 units: agrees 3, miscompiles 1\n"), "{}", ran.out);
    assert!(ran.out.contains("test a.hlsl::wrong text="), "{}", ran.out);
    assert!(ran.out.contains("\nmiscompiles: line 3 not as expected (1 unit)\n"), "{}", ran.out);
    let junit = wavelane(&folder, &["merge", "campaign.jsonl", "--format", "junit"]);
    assert_eq!(junit.status, 1);
    assert!(junit.out.contains("failures=\"1\"") && junit.out.contains("a.hlsl::wrong text="));
    let sarif = wavelane(&folder, &["merge", "campaign.jsonl", "--format", "sarif"]);
    let value: serde_json::Value = serde_json::from_str(&sarif.out).unwrap();
    assert_eq!(value["runs"][0]["results"].as_array().unwrap().len(), 1);
    assert!(std::fs::read_to_string(folder.join("a.html")).unwrap().contains("1 / 2"));
}

/// A worker that a person starts answers all that it was sent, although its input ends long before.
#[test]
fn a_list_of_units_can_be_piped_into_a_worker() {
    let folder = folder("piped");
    // So many units that no worker is done with them in the moment after its input ends.
    let line = ["campaign", "--fuzz", "8", "--widths", "8", "--engines", "interp,cpu", "--list"];
    let all = wavelane(&folder, &line).out;
    assert_eq!(all.lines().count(), 16, "{all}");
    std::fs::write(folder.join("units.jsonl"), &all).unwrap();
    for words in [&["worker"][..], &["worker", "--supervise"]] {
        let units = std::fs::File::open(folder.join("units.jsonl")).unwrap();
        let ran = command(&folder, words).stdin(units).output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{words:?}");
        let out = String::from_utf8(ran.stdout).unwrap();
        let agree = out.lines().filter(|it| it.contains("\"agrees\"")).count();
        assert_eq!(agree, 16, "{words:?}: {out}");
    }
}

#[test]
fn an_engine_that_runs_none_of_its_units_is_not_a_success() {
    let folder = folder("nothing");
    let line = ["campaign", "--fuzz", "1", "--widths", "8", "--engines", "interp,cpu"];
    // The fast engine has one order of waves.
    let ran = wavelane(&folder, &[&line[..], &["--orders", "waves=descending"]].concat());
    let value: String = std::fs::read_to_string(folder.join("campaign.jsonl")).unwrap();
    assert!(value.contains("waves=descending"), "{value}");
    assert_eq!(ran.status, 0, "some units of `cpu` have run: {}{}", ran.out, ran.err);
    let not_run = |engine: &str, program: u32| {
        format!(
            "{{\"unit\":\"fuzz 1/{program} @w4 engine={engine}\",\"outcome\":\"not run\",\"signature\":\"no device\"}}\n"
        )
    };
    let agrees = "{\"unit\":\"fuzz 1/0 @w4 engine=cpu\",\"outcome\":\"agrees\",\"digest\":\"1\"}\n";
    let fails = "{\"unit\":\"fuzz 1/1 @w4 engine=cpu\",\"outcome\":\"crash\"}\n";
    for (text, status) in [
        (not_run("vulkan", 0), 3),
        (not_run("vulkan", 0) + agrees, 3),
        (not_run("cpu", 1) + agrees, 0),
        (not_run("vulkan", 0) + fails, 1),
    ] {
        std::fs::write(folder.join("a.jsonl"), &text).unwrap();
        let ran = wavelane(&folder, &["merge", "a.jsonl"]);
        assert_eq!(ran.status, status, "{text}{}", ran.out);
        assert!(ran.out.contains("\n  not run: no device (1)\n"), "{}", ran.out);
    }
}

#[test]
fn units_of_another_shader_model_are_other_units() {
    let folder = folder("model");
    let line = ["campaign", "--fuzz", "2", "--widths", "8", "--engines", "interp", "--model"];
    let run = |model, ledger| {
        wavelane(&folder, &[&line[..], &[model, "--ledger", ledger, "--format", "json"]].concat())
    };
    let old = run("6.7", "mixed.jsonl");
    assert_eq!(old.status, 0, "{}", old.err);
    let new = run("6.10", "mixed.jsonl");
    assert_eq!((new.status, &new.json()["units"]), (0, &serde_json::json!(2)), "{}", new.err);
    let mixed = std::fs::read_to_string(folder.join("mixed.jsonl")).unwrap();
    assert_eq!(mixed.lines().count(), 4, "{mixed}");
    assert!(mixed.contains("\"fuzz 1/0 model=6.10 @w8 engine=interp\""), "{mixed}");
    assert_eq!(run("6.10", "new.jsonl").out, new.out);
    run("6.7", "old.jsonl");
    let merged = wavelane(&folder, &["merge", "old.jsonl", "new.jsonl", "--format", "json"]);
    assert_eq!((merged.status, &merged.json()["outcomes"]["agrees"]), (0, &serde_json::json!(4)));
    // What is taken from the ledger is told.
    let line = ["campaign", "--fuzz", "3", "--widths", "8", "--engines", "interp"];
    let more = wavelane(&folder, &[&line[..], &["--ledger", "mixed.jsonl"]].concat());
    assert!(more.err.contains("2 units taken from `mixed.jsonl`, 1 run"), "{}", more.err);
    assert!(more.out.starts_with("3 units: agrees 3\n"), "{}", more.out);
}

#[test]
fn a_test_that_was_edited_is_run_again() {
    let folder = folder("edited");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write(
        "a.hlsl",
        "#include <wavelane.hlsli>\n#include \"b.hlsli\"\nTEST_CASE(one) { EXPECT_EQ(WaveActiveSum(1), 8 * ONE); }\n",
    );
    write("b.hlsli", "#define ONE 1\n");
    let line =
        ["campaign", "a.hlsl", "--widths", "8", "--engines", "interp", "--ledger", "l.jsonl"];
    let run = || wavelane(&folder, &line);
    let ran = run();
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let ran = run();
    assert!(ran.err.contains("1 unit taken from `l.jsonl`, 0 run"), "{}", ran.err);
    write("b.hlsli", "#define ONE 2\n");
    let list = wavelane(&folder, &[&line[..], &["--list"]].concat());
    assert_eq!(list.out.lines().count(), 1, "{}", list.out);
    let ran = run();
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("1 unit: miscompiles 1\n"), "{}", ran.out);
    // A worker does not run another text than the plan has.
    write("b.hlsli", "#define ONE 1\n");
    write("units.jsonl", &list.out);
    for words in [&["worker"][..], &["worker", "--supervise"]] {
        let units = std::fs::File::open(folder.join("units.jsonl")).unwrap();
        let ran = command(&folder, words).stdin(units).output().unwrap();
        let out = String::from_utf8(ran.stdout).unwrap();
        assert!(out.contains("is not what the plan was made of"), "{words:?}: {out}");
    }
}

#[test]
fn a_ledger_belongs_to_one_campaign_at_a_time() {
    let folder = folder("locked");
    let line = ["campaign", "--fuzz", "1", "--widths", "8", "--engines", "interp"];
    let run = || wavelane(&folder, &[&line[..], &["--ledger", "l.jsonl"]].concat());
    assert_eq!(run().status, 0);
    let before = std::fs::read(folder.join("l.jsonl")).unwrap();
    let other = std::fs::File::open(folder.join("l.jsonl")).unwrap();
    other.lock().unwrap();
    let ran = run();
    assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("`l.jsonl` is in use by another campaign"), "{}", ran.err);
    assert!(ran.err.contains("--ledger FILE"), "{}", ran.err);
    assert_eq!(std::fs::read(folder.join("l.jsonl")).unwrap(), before);
    // Reports may be made meanwhile.
    assert_eq!(wavelane(&folder, &["merge", "l.jsonl"]).status, 0);
    drop(other);
    assert_eq!(run().status, 0);
}

/// Units are neither counted one by one before the first runs, nor when the report is made.
#[test]
fn a_huge_campaign_begins_at_once_and_reports_when_it_is_interrupted() {
    let folder = folder("huge");
    let ledger = folder.join("l.jsonl");
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let line = [
            "campaign",
            "--fuzz",
            "1000000000000",
            "--engines",
            "interp",
            "--ledger",
            "l.jsonl",
            "-j",
            "2",
        ];
        let lines = || std::fs::read_to_string(&ledger).map_or(0, |it| it.lines().count());
        let before = lines();
        let ended = support::interrupted(&folder, &line, signal, || lines() > before + 1);
        let (signal, out, err) = ended;
        assert_eq!(signal, Some(number), "{err}");
        let units = lines();
        assert!(out.starts_with(&format!("{units} units: agrees {units}\n")), "{out}");
        assert!(err.contains("--ledger l.jsonl` continues"), "{err}");
    }
    let merged = wavelane(&folder, &["merge", "l.jsonl"]);
    assert_eq!(merged.status, 0, "{}{}", merged.out, merged.err);
}

#[test]
fn the_page_exists_while_a_campaign_runs() {
    let folder = folder("live");
    let page = || std::fs::read_to_string(folder.join("a.html")).unwrap_or_default();
    let words = ["campaign", "--fuzz", "1000000000", "--widths", "8", "--engines", "interp"];
    let line = [&words[..], &["--html", "a.html", "-j", "1"]].concat();
    let (signal, _, err) =
        support::interrupted(&folder, &line, "INT", || page().contains(" left</h1>"));
    assert_eq!(signal, Some(2), "{err}");
    // The last page takes its place, and is not loaded again.
    let last = page();
    assert!(last.contains(" units</h1>") && !last.contains("http-equiv"), "{last}");
    assert!(last.contains("Outcomes by construct"), "{last}");
    assert!(!folder.join("a.html.part").exists());
}

#[test]
fn a_part_without_units_can_be_merged_alone() {
    let folder = folder("empty");
    let line = ["campaign", "--fuzz", "1", "--widths", "8", "--engines", "interp", "--partition"];
    let part = |part| {
        wavelane(
            &folder,
            &[&line[..], &[part, "--ledger", &format!("{}.jsonl", &part[6..7])]].concat(),
        )
    };
    assert!(part("count:1/2").out.starts_with("1 unit: agrees 1\n"));
    let empty = part("count:2/2");
    assert_eq!((empty.status, empty.out.as_str()), (0, "0 units\n"), "{}", empty.err);
    let alone = wavelane(&folder, &["merge", "2.jsonl"]);
    assert_eq!((alone.status, alone.out.as_str()), (0, "0 units\n"), "{}", alone.err);
    let both = wavelane(&folder, &["merge", "2.jsonl", "1.jsonl"]);
    assert_eq!(both.out, "1 unit: agrees 1\n", "{}", both.err);
    // An empty file is not a ledger: its writer may have been killed.
    std::fs::write(folder.join("none.jsonl"), "").unwrap();
    assert_eq!(wavelane(&folder, &["merge", "none.jsonl"]).status, 2);
}

#[test]
fn the_page_has_outcomes_by_construct() {
    let folder = folder("constructs");
    let line =
        ["campaign", "--fuzz", "20", "--widths", "8", "--engines", "interp", "--html", "a.html"];
    assert_eq!(wavelane(&folder, &line).status, 0);
    let page = || std::fs::read_to_string(folder.join("a.html")).unwrap();
    let text = page();
    assert!(text.contains("Outcomes by construct") && text.contains("<th>if</th>"), "{text}");
    assert_eq!(wavelane(&folder, &["merge", "campaign.jsonl", "--html", "a.html"]).status, 0);
    assert_eq!(page(), text);
}

/// Two machines may have different answers; the device in the name of a unit says whose they are.
#[test]
fn units_on_a_gpu_name_the_device() {
    let Some(device) = support::processor(256) else { return };
    let folder = folder("device");
    let line = ["campaign", "--fuzz", "1", "--widths", "8", "--engines", "vulkan", "--orders"];
    let run = || -> support::Ran {
        let words = [&line[..], &["waves=descending"]].concat();
        support::on_processor(&folder, &words, 256).output().unwrap().into()
    };
    let ran = run();
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let ledger = std::fs::read_to_string(folder.join("campaign.jsonl")).unwrap();
    let name = device["name"].as_str().unwrap().split(' ').next().unwrap();
    assert!(ledger.contains(&format!("@w8 engine=vulkan device={name}")), "{ledger}");
    let again = run();
    assert!(again.err.contains("2 units taken from"), "{}", again.err);
    assert_eq!(again.out, ran.out);
    std::fs::write(
        folder.join("other.jsonl"),
        ledger.replace("device=", "device=other-").replace("\"digest\":\"", "\"digest\":\"0"),
    )
    .unwrap();
    let merged = wavelane(&folder, &["merge", "campaign.jsonl", "other.jsonl"]);
    assert!(!merged.out.contains("unstable"), "{}", merged.out);
}

#[test]
fn a_time_limit_ends_units() {
    let folder = folder("late");
    let case = "#include <wavelane.hlsli>
TEST_CASE(endless) { uint i = 0; while (WaveGetLaneIndex() < 128) { i++; } EXPECT_EQ(i, 0); }
";
    std::fs::write(folder.join("a.hlsl"), case).unwrap();
    let line = ["campaign", "a.hlsl", "--widths", "8", "--engines", "interp", "--timeout", "0.001"];
    let ran = wavelane(&folder, &line);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("\nhang: the run does not end in time (1 unit)\n"), "{}", ran.out);
}

#[test]
fn records_that_differ_are_unstable() {
    let folder = folder("unstable");
    let line = |digest: &str| {
        format!(
            "{{\"unit\":\"fuzz 1/0 @w4 engine=cpu\",\"outcome\":\"agrees\",\"digest\":\"{digest}\"}}\n"
        )
    };
    std::fs::write(folder.join("a.jsonl"), line("1")).unwrap();
    std::fs::write(folder.join("b.jsonl"), line("2")).unwrap();
    let ran = wavelane(&folder, &["merge", "a.jsonl", "b.jsonl", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.status, &value["outcomes"]["unstable"]), (1, &serde_json::json!(1)));
}

/// Larger than what is read of source files.
#[test]
fn a_large_ledger_is_merged_and_resumed() {
    let folder = folder("large");
    let unit = "fuzz 1/0 @w8 engine=interp";
    let record =
        serde_json::json!({ "unit": unit, "outcome": "agrees", "detail": "x".repeat(1 << 20) });
    std::fs::write(folder.join("l.jsonl"), format!("{record}\n").repeat(65)).unwrap();
    let ran = wavelane(&folder, &["merge", "l.jsonl"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, "1 unit: agrees 1\n"), "{}", ran.err);
    let line =
        ["campaign", "--fuzz", "1", "--widths", "8", "--engines", "interp", "--ledger", "l.jsonl"];
    let list = wavelane(&folder, &[&line[..], &["--list"]].concat());
    assert_eq!((list.status, list.out.as_str()), (0, ""), "{}", list.err);
    assert_eq!(wavelane(&folder, &line).out, ran.out);
}

#[test]
fn mistakes_in_plans_have_a_line() {
    let folder = folder("mistakes");
    for (plan, said) in [
        ("fuzz = 1\nwidth = [8]\n", "plan.toml:2:1"),
        ("fuzz = 1\nwidth = [8]\n", "did you mean `widths`?"),
        ("fuzz = 1\nwidths = [5]\n", "power of two"),
        ("fuzz = 1\nengines = [\"gpu\"]\n", "`gpu` is not an engine"),
        ("fuzz = 1\norders = [\"sideways\"]\n", "is not an order"),
        ("fuzz = 1\norders = [\"folds=pairs\"]\n", "no units in the order"),
        ("fuzz = {}\n", "a number, a string, or a list"),
        ("fuzz = \n", "plan.toml:1:"),
        ("seed = 1\n", "a campaign without units"),
    ] {
        std::fs::write(folder.join("plan.toml"), plan).unwrap();
        let ran = wavelane(&folder, &["campaign", "plan.toml"]);
        assert_eq!(ran.status, 2, "{plan}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(said), "{plan}: {}", ran.err);
    }
    for (flag, said) in [
        ("--jobs", "`--jobs 0`: expected at least one process"),
        ("--timeout", "`--timeout 0`: no run ends within 0 seconds"),
    ] {
        for command in [&["campaign", "--fuzz"][..], &["fuzz", "--engines", "cpu", "--count"]] {
            let ran = wavelane(&folder, &[command, &["1", flag, "0"]].concat());
            assert!(ran.status == 2 && ran.err.contains(said), "{}", ran.err);
        }
    }
    let ran = wavelane(&folder, &["campaign", "--fuzz", "1", "--list", "--html", "a.html"]);
    assert!(ran.status == 2 && ran.err.contains("no report for `--html`"), "{}", ran.err);
    std::fs::write(folder.join("bad.jsonl"), "{\"unit\":\"x\"}\n{}\n").unwrap();
    let ran = wavelane(&folder, &["merge", "bad.jsonl"]);
    assert!(
        ran.status == 2 && ran.err.contains("bad.jsonl:1: this line is not a record"),
        "{}",
        ran.err
    );
    let ran = wavelane(
        &folder,
        &["campaign", "--fuzz", "1", "--list", "--widths", "8", "--engines", "cpu"],
    );
    assert_eq!(ran.out.lines().count(), 1);
    let request: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(request["unit"], "fuzz 1/0 @w8 engine=cpu");
}
