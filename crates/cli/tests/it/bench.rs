//! `wavelane bench --against`: ratios between programs, and between now and an earlier report.
//! Times are never asserted: thresholds are so far away that no machine comes near them.

use crate::support;

use std::path::{Path, PathBuf};

use serde_json::Value;

use support::Ran;

const SUM: &str = "RWStructuredBuffer<uint> Out;
    [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = WaveActiveSum(i); }";
/// The same sums in another way; with `WRONG`, the first one is not.
const LOOP: &str = "RWStructuredBuffer<uint> Out;
    [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
        uint sum = 0;
        for (uint lane = 0; lane < WaveGetLaneCount(); ++lane) sum += WaveReadLaneAt(i, lane);
    #ifdef WRONG
        if (i == 0) sum += 1;
    #endif
        Out[i] = sum;
    }";
const EIGHT: &str = "RWStructuredBuffer<uint> Out;
    [WaveSize(8)] [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = 28; }";
const OTHERS: &str = "RWStructuredBuffer<uint> Other;
    [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Other[i] = i; }";

const FLAGS: &str = "--bind Out=[8] --rounds 3 --engine interp --wave-size 4,8";

fn folder(name: &str) -> PathBuf {
    let wrong = format!("#define WRONG\n{LOOP}");
    let files = [
        ("sum.hlsl", SUM),
        ("a.ptx", ".version 7.0\n.entry main(.param .u64 out) { ret; }"),
        ("loop.hlsl", LOOP),
        ("wrong.hlsl", &wrong),
        ("eight.hlsl", EIGHT),
        ("others.hlsl", OTHERS),
    ];
    support::folder(&format!("against/{name}"), &files)
}

fn bench(folder: &Path, line: &str) -> Ran {
    support::wavelane(folder, &support::words(&format!("bench {line}")))
}

/// The rows of the first file.
fn rows(report: &Value) -> Vec<Value> {
    report["benches"][0]["runs"].as_array().unwrap().clone()
}

fn assert_is_spread(ratio: &Value) {
    let of = |key: &str| ratio[key].as_f64().unwrap();
    assert!(of("lower_quartile") <= of("median") && of("median") <= of("upper_quartile"));
    assert!(of("lower_quartile") > 0.0 && of("least") > 0.0, "{ratio}");
}

#[test]
fn rows_of_a_gpu_name_its_engine() {
    let folder = folder("engine");
    for engine in ["vulkan", "cuda"] {
        let ran = bench(
            &folder,
            &format!("sum.hlsl --bind Out=[8] --rounds 3 --engine {engine} --format json"),
        );
        if ran.status == 3 {
            skipped::skipped!("{}", ran.err);
            continue;
        }
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert!(rows(&ran.json()).iter().all(|it| it["engine"] == engine), "{}", ran.out);
    }
}

#[test]
fn two_programs_take_turns_and_their_results_are_compared() {
    let folder = folder("turns");
    let ran = bench(&folder, &format!("sum.hlsl {FLAGS} --against loop.hlsl --format json"));
    assert_eq!(ran.status, 0, "{}", ran.err);
    let rows = rows(&ran.json());
    assert_eq!(rows.len(), 2);
    for row in rows {
        let against = &row["against"];
        assert_eq!(against["file"], "loop.hlsl");
        assert_eq!(against["run_ms"]["rounds"], 3);
        assert_eq!(against["same_results"], true);
        assert_eq!(against["is_above"], false);
        assert_is_spread(&against["ratio"]);
        let least = |it: &Value| it["run_ms"]["least"].as_f64().unwrap();
        let ratio = least(&row) / least(against);
        assert!((against["ratio"]["least"].as_f64().unwrap() / ratio - 1.0).abs() < 1e-9);
    }
    let ran = bench(&folder, &format!("sum.hlsl {FLAGS} --against loop.hlsl"));
    assert!(ran.out.contains(" times as long as `loop.hlsl`, which takes "), "{}", ran.out);
    assert!(ran.out.contains(" ms, with the same results\n"), "{}", ran.out);
    assert!(ran.out.lines().nth(1).unwrap().contains(" least "), "{}", ran.out);

    let ran = bench(&folder, &format!("sum.hlsl {FLAGS} --against wrong.hlsl"));
    assert_eq!(ran.status, 1, "{}", ran.out);
    assert!(ran.out.contains("its results differ: Out[0] is "), "{}", ran.out);
}

#[test]
fn a_ratio_above_the_threshold_is_a_finding() {
    let folder = folder("threshold");
    let line = format!("sum.hlsl {FLAGS} --against sum.hlsl");
    for (most, status) in [("0.0001", 1), ("10000", 0)] {
        let ran = bench(&folder, &format!("{line} --fail-above {most}"));
        assert_eq!(ran.status, status, "{}{}", ran.out, ran.err);
        assert_eq!(ran.out.contains("that is above 0.0001"), status == 1, "{}", ran.out);
    }
    let report = bench(&folder, &format!("{line} --fail-above 0.0001 --format json")).json();
    assert!(rows(&report).iter().all(|it| it["against"]["is_above"] == true), "{report}");
}

#[test]
fn an_earlier_report_is_a_baseline() {
    let folder = folder("baseline");
    let earlier = bench(&folder, &format!("sum.hlsl {FLAGS} --format json"));
    let earlier_rows = rows(&earlier.json());
    std::fs::write(folder.join("base.json"), &earlier.out).unwrap();
    // However the file is spelled.
    let line = format!("./sum.hlsl {FLAGS} --against base.json");
    let ran = bench(&folder, &format!("{line} --format json"));
    assert_eq!(ran.status, 0, "{}", ran.err);
    for (row, then) in rows(&ran.json()).iter().zip(&earlier_rows) {
        let against = &row["against"];
        assert_eq!(against["file"], "base.json");
        assert_is_spread(&against["ratio"]);
        let of = |row: &Value, key: &str| row["run_ms"][key].as_f64().unwrap();
        for (ratio, now, before) in [
            ("median", "median", "median"),
            ("least", "least", "least"),
            ("lower_quartile", "lower_quartile", "upper_quartile"),
            ("upper_quartile", "upper_quartile", "lower_quartile"),
        ] {
            let wanted = of(row, now) / of(then, before);
            let got = against["ratio"][ratio].as_f64().unwrap();
            assert!((got / wanted - 1.0).abs() < 1e-9, "{ratio}: {got}, not {wanted}");
        }
    }
    let ran = bench(&folder, &line);
    assert!(ran.out.contains(" times as long as `base.json` has it\n"), "{}", ran.out);
    for (most, status) in [("0.0001", 1), ("10000", 0)] {
        assert_eq!(bench(&folder, &format!("{line} --fail-above {most}")).status, status);
    }
    // Against a run that took far longer, ours is below any threshold.
    let longer = |value: &mut Value| {
        let times = value["run_ms"].as_object_mut().unwrap();
        for key in ["median", "least", "most", "lower_quartile", "upper_quartile"] {
            times[key] = (times[key].as_f64().unwrap() * 1e5).into();
        }
    };
    let mut slower: Value = serde_json::from_str(&earlier.out).unwrap();
    slower["benches"][0]["runs"].as_array_mut().unwrap().iter_mut().for_each(longer);
    std::fs::write(folder.join("slower.json"), slower.to_string()).unwrap();
    let line = format!("sum.hlsl {FLAGS} --against slower.json --fail-above 0.5");
    assert_eq!(bench(&folder, &line).status, 0);
}

#[test]
fn what_cannot_be_compared_is_bad_input() {
    let folder = folder("wrong");
    let report = bench(&folder, &format!("sum.hlsl {FLAGS} --format json")).out;
    let texts = [
        ("base.json", report.as_str()),
        ("text.json", "{\n  \"benches\": nothing\n}"),
        ("list.json", "[1, 2]"),
        ("times.json", &report.replace("\"median\":", "\"median\":-")),
    ];
    texts.iter().for_each(|(file, text)| std::fs::write(folder.join(file), text).unwrap());
    let bind = "--rounds 1 --engine interp";
    for (line, status, says) in [
        (format!("sum.hlsl {FLAGS} --against none.json"), 2, "`none.json` cannot be read"),
        (format!("sum.hlsl {FLAGS} --against none.hlsl"), 2, "`none.hlsl` cannot be read"),
        (
            format!("sum.hlsl {FLAGS} --against text.json"),
            2,
            "text.json:2:15: error: this is not JSON",
        ),
        (
            format!("sum.hlsl {FLAGS} --against list.json"),
            2,
            "list.json:1:1: error: this is not a report of `wavelane bench --format json`",
        ),
        (
            format!("sum.hlsl {FLAGS} --against times.json"),
            2,
            "times.json:1:1: error: the `median` of `sum.hlsl` is not a time",
        ),
        (
            format!("loop.hlsl {FLAGS} --against base.json"),
            2,
            "base.json:1:1: error: `loop.hlsl` is not in this report\n  = help: it holds `sum.hlsl`",
        ),
        (
            format!("sum.hlsl --bind Out=[8] {bind} --wave-size 16 --against base.json"),
            2,
            "base.json:1:1: error: `sum.hlsl` was not measured with waves of 16 lanes on interp",
        ),
        (
            format!("sum.hlsl --bind Out=[16] {bind} --wave-size 8 --against base.json"),
            2,
            "`sum.hlsl` was measured on other work: 32 bound bytes then, and 64 now",
        ),
        (
            format!("sum.hlsl {FLAGS} --groups 2,1,1 --against base.json"),
            2,
            "`sum.hlsl` was measured on other work: [1,1,1] groups then, and [2,1,1] now",
        ),
        (format!("sum.hlsl {FLAGS} --fail-above 1.1"), 2, "`--fail-above` needs `--against`"),
        (
            format!("sum.hlsl {FLAGS} --against sum.hlsl --fail-above -1"),
            2,
            "a ratio is a number greater than 0",
        ),
        (
            format!("sum.hlsl {FLAGS} --against sum.hlsl --spirv a.spv"),
            2,
            "`--against` and another compiler's module each say",
        ),
        (format!("sum.hlsl {FLAGS} --ptx a.ptx"), 3, "only the engine `cuda` runs PTX"),
        (format!("sum.hlsl {FLAGS} --spirv none.spv"), 2, "`none.spv` cannot be read"),
        (format!("sum.hlsl {FLAGS} --against eight.hlsl"), 3, "4 lanes"),
        (
            format!("sum.hlsl --bind Out=[8] {bind} --against eight.hlsl"),
            3,
            "`eight.hlsl` does not run with waves of ",
        ),
        (format!("sum.hlsl {FLAGS} --against others.hlsl"), 2, "Out"),
    ] {
        let ran = bench(&folder, &line);
        assert_eq!(ran.status, status, "{line}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(says), "{line}: {}", ran.err);
        assert_eq!(ran.out, "", "{line}");
    }
}

#[test]
fn runs_of_jobs_are_paired() {
    let folder = folder("jobs");
    std::fs::copy(folder.join("sum.hlsl"), folder.join("a.hlsl")).unwrap();
    let job = |name: &str, shader: &str, runs: usize| {
        let run = format!(
            "#--- source.hlsl\n{shader}\n#--- pipeline.yaml\n---\nShaders:\n  - Stage: Compute\n    Entry: main\n\
             Buffers:\n  - Name: Out\n    Format: UInt32\n    Stride: 4\n    FillSize: 32\n    FillValue: 0\n\
             DescriptorSets:\n  - Resources:\n    - Name: Out\n      Kind: RWStructuredBuffer\n\
             \x20     DirectXBinding:\n        Register: 0\n        Space: 0\n...\n#--- end\n"
        );
        let lines = "# RUN: %dxc_target -T cs_6_0 -Fo %t.o %t/source.hlsl\n# RUN: %offloader %t/pipeline.yaml %t.o\n";
        let text = format!("{run}\n# RUN: split-file %s %t\n{}", lines.repeat(runs));
        std::fs::write(folder.join(name), text).unwrap();
    };
    job("one.test", SUM, 1);
    job("other.test", LOOP, 1);
    job("two.test", SUM, 2);
    let flags = "--rounds 2 --engine interp --wave-size 8";
    let ran = bench(&folder, &format!("one.test {flags} --against other.test --format json"));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let rows = rows(&ran.json());
    assert!(rows[0]["against"]["file"].as_str().unwrap().contains("other.test"), "{rows:?}");
    let ran = bench(&folder, &format!("one.test {flags} --against two.test"));
    assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("`two.test` has 2 runs, and `one.test` has 1"), "{}", ran.err);
}
