//! Jobs of several dispatches, as `run`, `test`, `san`, `diff` and `bench` treat them, on the engines of the host and
//! on a processor through Vulkan where there is one.

use crate::support;

use std::path::Path;

use serde_json::Value;

use support::Ran;

/// Runs `wavelane` in a separate folder that holds `job.test`.
fn wavelane(name: &str, job: &str, line: &str) -> Ran {
    let folder = support::folder(&format!("passes/{name}"), &[("job.test", job)]);
    support::wavelane(&folder, &support::words(line))
}

/// A job of a shader, its buffers besides `Data` and `Args`, and its passes; entry points are those of `passes`.
fn job(source: &str, passes: &str) -> String {
    let mut entries: Vec<&str> = passes
        .match_indices("Entry: ")
        .map(|(at, word)| {
            let rest = &passes[at + word.len()..];
            &rest[..rest.find([',', ' ']).unwrap_or(rest.len())]
        })
        .collect();
    entries.sort_unstable();
    entries.dedup();
    let shaders: String =
        entries.iter().map(|it| format!("  - {{ Stage: Compute, Entry: {it} }}\n")).collect();
    format!(
        "#--- source.hlsl
{source}
#--- pipeline.yaml
---
Shaders:
{shaders}Buffers:
  - {{ Name: Data, Format: UInt32, Stride: 4, FillSize: 256 }}
  - {{ Name: Other, Format: UInt32, Stride: 4, FillSize: 256, FillValue: 7 }}
  - {{ Name: Args, Format: UInt32, Stride: 4, Data: [ 1, 1, 1, 2, 1, 1 ] }}
DescriptorSets:
  - Resources:
    - {{ Name: Data, Kind: RWStructuredBuffer, DirectXBinding: {{ Register: 0, Space: 0 }} }}
    - {{ Name: Args, Kind: RWStructuredBuffer, DirectXBinding: {{ Register: 1, Space: 0 }} }}
Passes:
{passes}
...
#--- end
# RUN: split-file %s %t
# RUN: %dxc_target -T cs_6_6 -Fo %t.o %t/source.hlsl
# RUN: %offloader %t/pipeline.yaml %t.o
"
    )
}

const STEPS: &str = "RWStructuredBuffer<uint> Data : register(u0);
RWStructuredBuffer<uint> Args : register(u1);
StructuredBuffer<uint> In : register(t5);
cbuffer Params : register(b3) { uint Add; uint2 Pair; };
[numthreads(64, 1, 1)] void Grow(uint i : SV_GroupIndex) { Data[i] = 10 * Data[i] + Add; }
[numthreads(1, 1, 1)] void Plan() { Args[0] = 70000; Args[3] = 0; }
[numthreads(64, 1, 1)] void Copy(uint i : SV_GroupIndex) { Data[i] += In[i] + Pair.y; }
[WaveSize(16)] [numthreads(64, 1, 1)] void Wide(uint i : SV_GroupIndex) {
  Data[i] = 1000 * Data[i] + WaveGetLaneCount();
}
[numthreads(64, 1, 1)] void Narrow(uint i : SV_GroupIndex) {
  Data[i] = 1000 * Data[i] + WaveGetLaneCount();
}
[numthreads(64, 1, 1)] void Forever(uint i : SV_GroupIndex) {
  for (uint n = 0; n < 1000000; n++) InterlockedAdd(Data[i], n);
}
[numthreads(64, 1, 1)] void Long(uint i : SV_GroupIndex) {
  for (uint n = 0; n < 10000; n++) InterlockedAdd(Data[i], n);
}";

/// Constants and buffers are those of a pass alone, and each sees what those before it left.
#[test]
fn run_gives_the_buffers_at_the_end() {
    let passes = "  - { Entry: Grow, Set: { Add: 1 } }
  - { Entry: Grow, Set: { Add: 2 }, Repeat: 2 }
  - { Entry: Copy, Bind: { In: Other }, Set: { Pair: [ 5, 0x10 ] } }
  - { Entry: Grow, Set: { Add: 9 }, Bind: { Data: Other } }
  - { Entry: Grow, Set: { Add: 0 } }
  - { Entry: Grow, DispatchGroupCount: [ 0, 1, 1 ], Set: { Add: 0 } }";
    let job = job(STEPS, passes);
    for engine in ["interp", "cpu", "vulkan"] {
        let line = format!("run job.test --engine {engine} --format json");
        let ran = wavelane("run", &job, &line);
        if engine != "interp" && ran.status == 3 {
            skipped::skipped!("{engine}: {}", ran.err);
            continue;
        }
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        let run: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
        // 0, 1, 12, 122, 122 + 7 + 16, and ten times that; and 7 once grown.
        assert_eq!(run["buffers"]["Data"], Value::from(vec![1450; 64]), "{engine}");
        assert_eq!(run["buffers"]["Other"], Value::from(vec![79; 64]), "{engine}");
    }
    let text = wavelane("run", &job, "run job.test");
    assert!(text.out.contains("Passes:\n  - Entry:           Grow\n"), "{}", text.out);
}

/// A `[WaveSize]` counts in the passes of its entry point alone.
#[test]
fn each_entry_point_has_its_own_wave_size() {
    let job = job(STEPS, "  - { Entry: Wide }\n  - { Entry: Narrow }");
    for engine in ["interp", "cpu"] {
        let line = format!("run job.test --wave-size 4,64 --engine {engine} --format json");
        let ran = wavelane("sizes", &job, &line);
        if ran.status == 3 {
            skipped::skipped!("{engine}: {}", ran.err);
            continue;
        }
        let data: Vec<Value> =
            ran.out.lines().filter_map(|it| serde_json::from_str(it).ok()).collect();
        let first = |at: usize| data[at]["buffers"]["Data"][0].as_u64();
        assert_eq!((first(0), first(1)), (Some(16_004), Some(16_064)), "{}", ran.out);
        let usual =
            wavelane("sizes", &job, &format!("run job.test --engine {engine} --format json"));
        let usual: Value = serde_json::from_str(usual.out.lines().next().unwrap()).unwrap();
        assert_eq!(usual["buffers"]["Data"][0], 16_032);
    }
}

#[test]
fn mistakes_that_need_the_shader_are_located() {
    for (passes, place, part) in [
        ("  - { Entry: Grow, Set: { Ad: 1 } }", "Ad: 1", "did you mean `Add`?"),
        ("  - { Entry: Grow, Set: { Add: 1.5 } }", "1.5", "`1.5` is not a value of `Add`"),
        ("  - { Entry: Grow, Set: { Add: -1 } }", "Add: -1", "cannot hold -1"),
        ("  - { Entry: Copy, Set: { Pair: 3 } }", "Pair: 3", "takes 2 numbers, got 1"),
        ("  - { Entry: Grow, Bind: { Dtaa: Other } }", "Dtaa", "did you mean `Data`?"),
        ("  - { Entry: Grow, Bind: { 'Data[x]': Other } }", "'Data[x]'", "not `NAME`"),
        ("  - { Entry: Grow, Bind: { 'Data[7]': Other } }", "'Data[7]'", "not an array"),
    ] {
        let text = job(STEPS, passes);
        let at = text.find(place).unwrap();
        let line = text[..at].matches('\n').count() + 1;
        let column = at - text[..at].rfind('\n').unwrap();
        let ran = wavelane("wrong", &text, "test job.test");
        assert_eq!(ran.status, 2, "{passes}");
        let place = format!("job.test:{line}:{column}: error: ");
        assert!(ran.out.contains(&place) && ran.out.contains(part), "{place}{part}: {}", ran.out);
    }
    for (passes, part) in [
        (
            "  - { Entry: Copy, Set: { Pair: [ 1, 2 ] } }",
            ": error: pass 1 (`Copy`): nothing is bound to `In`, which the shader uses\n",
        ),
        (
            "  - { Entry: Grow, Set: { Add: 0 } }\n  - { Entry: Copy, Bind: { In: Data }, Set: { Add: 0 } }",
            "error: pass 2 (`Copy`): the same buffer",
        ),
    ] {
        let text = job(STEPS, passes);
        // The name of the last pass's entry point.
        let line = text[..text.rfind("Entry: ").unwrap()].matches('\n').count() + 1;
        let ran = wavelane("wrong", &text, "test job.test");
        let place = format!("job.test:{line}:14: error: ");
        assert_eq!(ran.status, 2, "{passes}");
        assert!(ran.out.contains(&place) && ran.out.contains(part), "{place}{part}: {}", ran.out);
    }
}

/// `--verbose` names what runs each pass, and the reason where the engine cannot.
#[test]
fn verbose_names_the_engine_of_each_pass() {
    let passes =
        "  - { Entry: Grow, Set: { Add: 1 } }\n  - { Entry: Grow, Set: { Add: 2 }, Repeat: 2 }";
    let job = job(STEPS, passes);
    let ran = wavelane("verbose", &job, "run job.test --verbose --engine interp --wave-size 8");
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    for pass in ["pass 1 (`Grow`)", "pass 2 (`Grow`), round 2 of 2"] {
        let line = format!("note: {pass}: the engine `interp` runs waves of 8 lanes\n");
        assert!(ran.err.contains(&line), "{line}{}", ran.err);
    }
    let quiet = wavelane("verbose", &job, "run job.test --engine interp --wave-size 8");
    assert_eq!((quiet.out, quiet.err.as_str()), (ran.out, ""));
}

#[test]
fn group_counts_of_a_pass_are_checked_when_it_begins() {
    let passes = "  - { Entry: Grow, Indirect: { Buffer: Args }, Set: { Add: 1 } }
  - { Entry: Plan }
  - { Entry: Grow, Indirect: { Buffer: Args, Offset: 12 }, Set: { Add: 1 } }
  - { Entry: Grow, Indirect: { Buffer: Args }, Set: { Add: 1 } }
  - { Entry: Grow, Set: { Add: 1 } }";
    for engine in ["interp", "cpu", "vulkan"] {
        let ran =
            wavelane("counts", &job(STEPS, passes), &format!("run job.test --engine {engine}"));
        if engine != "interp" && ran.status == 3 {
            skipped::skipped!("{engine}: {}", ran.err);
            continue;
        }
        assert_eq!(ran.status, 1);
        let part = "pass 4 (`Grow`): 70000 groups in one dimension";
        assert!(ran.out.contains(part) && ran.out.contains("in `Args` at offset 0"), "{}", ran.out);
    }
    // Without the pass that has too many.
    let passes = passes.replace(
        "Indirect: { Buffer: Args }, Set: { Add: 1 } }\n  - { Entry: Grow, Set",
        "Set: { Add: 2 } }\n  - { Entry: Grow, Set",
    );
    for engine in ["interp", "cpu", "vulkan"] {
        let line = format!("run job.test --engine {engine} --format json");
        let ran = wavelane("counts", &job(STEPS, &passes), &line);
        if engine != "interp" && ran.status == 3 {
            continue;
        }
        let run: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
        assert_eq!(run["buffers"]["Data"][5], 121, "{engine}: {}", ran.out);
    }
}

/// The fuel is for all passes together, and a run that is stopped names the pass.
#[test]
fn passes_share_fuel_and_time() {
    let job = job(STEPS, "  - { Entry: Grow, Set: { Add: 0 } }\n  - { Entry: Long, Repeat: 30 }");
    for engine in ["interp", "cpu"] {
        let line = format!("test job.test --engine {engine} --wave-size 32 --fuel 1000000");
        let ran = wavelane("fuel", &job, &line);
        if ran.status == 3 {
            skipped::skipped!("{engine}: {}", ran.err);
            continue;
        }
        assert_eq!(ran.status, 1, "{}", ran.out);
        assert!(ran.out.contains("pass 2 (`Long`), round "), "{}", ran.out);
        assert!(ran.out.contains(": the fuel is spent"), "{}", ran.out);
        assert!(!ran.out.contains("round 1 of 30"), "one round takes less: {}", ran.out);
    }
    let job = self::job(STEPS, "  - { Entry: Forever, Repeat: 30 }");
    let late = wavelane("fuel", &job, "run job.test --fuel none --timeout 0.2");
    assert!(late.status == 1 && late.out.contains("0.2 s"), "{}{}", late.out, late.err);
}

const PARTS: &str = "RWStructuredBuffer<uint> Data : register(u0);
RWStructuredBuffer<uint> Args : register(u1);
groupshared uint tile[64];
[numthreads(64, 1, 1)] void Fill(uint i : SV_GroupIndex) { Data[i] = i; }
[numthreads(64, 1, 1)] void Reverse(uint i : SV_GroupIndex) { uint other = Data[63 - i]; AllMemoryBarrierWithGroupSync(); Data[i] = other; }
[numthreads(64, 1, 1)] void Race(uint i : SV_GroupIndex) { tile[i] = Data[i]; Data[i] = tile[63 - i]; }
[numthreads(64, 1, 1)] void Sums(uint i : SV_GroupIndex) { uint s = WaveActiveSum(i); Data[i] = s; }
[numthreads(64, 1, 1)] void Clear(uint i : SV_GroupIndex) { Data[i] = 0; }";

/// Dispatches are ordered: what one pass writes, the next may read at other places.
#[test]
fn the_sanitizer_names_the_pass_and_knows_that_passes_are_ordered() {
    let good =
        job(PARTS, "  - { Entry: Fill }\n  - { Entry: Fill, Repeat: 2 }\n  - { Entry: Reverse }");
    let ran = wavelane("san", &good, "san job.test");
    assert!(ran.out.contains("no findings"), "{}{}", ran.out, ran.err);
    let bad = job(PARTS, "  - { Entry: Fill }\n  - { Entry: Race, Repeat: 2 }");
    let ran = wavelane("san", &bad, "san job.test --wave-size 4,64 --format json");
    assert_eq!(ran.status, 1);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let race = findings.iter().find(|it| it["id"] == "race").unwrap();
    assert_eq!((&race["pass"]["number"], &race["pass"]["entry"]), (&2.into(), &"Race".into()));
    assert_eq!(findings.iter().filter(|it| it["id"] == "race").count(), 1, "{findings:?}");
    let text = wavelane("san", &bad, "san job.test --wave-size 4");
    let part = "in pass 2 (`Race`), round 1 of 2 of the job";
    assert!(text.out.contains(part), "{}", text.out);
}

/// What passes leave is compared between widths, and the pass that makes the difference is named.
#[test]
fn a_result_that_depends_on_the_width_names_its_pass() {
    let depends = job(
        PARTS,
        "  - { Entry: Clear }\n  - { Entry: Sums }\n  - { Entry: Reverse }\n  - { Entry: Reverse }",
    );
    let ran = wavelane("width", &depends, "san job.test --wave-size 4,8 --format json");
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let finding = &report["findings"][0];
    assert_eq!(finding["id"], "width-dependent-result", "{report}");
    assert_eq!(finding["pass"]["entry"], "Sums", "{finding}");
    for allowed in ["--width-dependent Data --wave-size 4,8", "--orders none --wave-size 4"] {
        let ran = wavelane("width", &depends, &format!("san job.test {allowed}"));
        assert_eq!(ran.status, 0, "{}", ran.out);
    }
    // Values that are overwritten later do not count as results.
    let cleared = job(PARTS, "  - { Entry: Sums }\n  - { Entry: Clear }");
    let ran = wavelane("width", &cleared, "san job.test");
    assert_eq!(ran.status, 0, "{}", ran.out);
}

#[test]
fn engines_agree_on_passes_at_every_width() {
    let job =
        job(PARTS, "  - { Entry: Fill }\n  - { Entry: Sums }\n  - { Entry: Reverse, Repeat: 3 }");
    for engines in ["interp,cpu", "interp,vulkan"] {
        let line = format!("diff job.test --engines {engines} --wave-size all --format json");
        let ran = wavelane("diff", &job, &line);
        if ran.status == 3 {
            skipped::skipped!("{engines}: {}", ran.err);
            continue;
        }
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        let count = |verdict: &str| report["summary"][verdict].as_u64().unwrap();
        // A device has one width; the other widths do not count as disagreement.
        let all = report["comparisons"].as_array().unwrap().len() as u64;
        assert!(count("agree") > 0 && count("agree") + count("unsupported") == all, "{}", ran.out);
        assert!(engines != "interp,cpu" || count("agree") == 6, "{}", ran.out);
    }
    // The reference stops, and it says where.
    let endless = self::job(STEPS, "  - { Entry: Grow, Set: { Add: 0 } }\n  - { Entry: Forever }");
    let ran =
        wavelane("diff", &endless, "diff job.test --engines interp,interp:vulkan1.3 --fuel 1000");
    assert!(ran.status == 1 && ran.out.contains("pass 2 (`Forever`)"), "{}{}", ran.out, ran.err);
}

#[test]
fn bench_gives_the_time_of_each_pass_and_of_all() {
    let job = job(PARTS, "  - { Entry: Fill }\n  - { Entry: Reverse, Repeat: 3 }");
    for engine in ["interp", "cpu", "vulkan"] {
        let line = format!("bench job.test --engine {engine} --rounds 3 --format json");
        let ran = wavelane("bench", &job, &line);
        if engine != "interp" && ran.status == 3 {
            skipped::skipped!("{engine}: {}", ran.err);
            continue;
        }
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        let run = &report["benches"][0]["runs"][0];
        let passes = run["passes"].as_array().unwrap();
        let names: Vec<&str> = passes.iter().filter_map(|it| it["entry"].as_str()).collect();
        assert_eq!(names, ["Fill", "Reverse"], "{run}");
        assert_eq!(passes[1]["repeat"], 3, "{run}");
        let least = |it: &Value| it["run_ms"]["least"].as_f64().unwrap();
        let sum: f64 = passes.iter().map(least).sum();
        assert!(sum > 0.0 && least(run) >= sum * 0.999, "{run}");
    }
}

const TELLING: &str = "#include <wavelane.hlsli>
RWStructuredBuffer<uint> Data : register(u0);
RWStructuredBuffer<uint> Args : register(u1);
[numthreads(8, 1, 1)] void Fill(uint i : SV_GroupIndex) { Data[i] = i; if (i > 5) printf(\"i = %u\", i); }
[numthreads(8, 1, 1)] void Check(uint i : SV_GroupIndex) { uint v = Data[i]; ASSERT(v < 6); }";
const TOLD: &str = "  - { Entry: Fill }\n  - { Entry: Check, Repeat: 2 }";

/// An assertion that fails in a pass is a finding, at each width at which it fails, and names the first pass.
#[test]
fn the_sanitizer_reports_assertions_that_fail_in_passes() {
    let job = job(TELLING, TOLD);
    let ran = wavelane("asserts", &job, "san job.test --wave-size 4,16 --format json");
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let [finding] = report["findings"].as_array().unwrap().as_slice() else { panic!("{report}") };
    assert_eq!(finding["id"], "assertion-failed");
    assert_eq!(finding["widths"], serde_json::json!([4, 16]));
    assert_eq!(
        finding["pass"],
        serde_json::json!({ "number": 2, "entry": "Check", "round": 1, "repeat": 2 })
    );
    let text = wavelane("asserts", &job, "san job.test");
    let (what, pass) = ("assertion failed: v < 6", "in pass 2 (`Check`), round 1 of 2 of the job");
    assert!(text.out.contains(what) && text.out.contains(pass), "{}", text.out);
    // Printed lines are not findings, and are not shown.
    assert!(!text.out.contains("i = "), "{}", text.out);
    let holds = self::job(&TELLING.replace("v < 6", "v < 8"), TOLD);
    let ran = wavelane("asserts", &holds, "san job.test");
    assert!(ran.status == 0 && ran.out.contains("no findings"), "{}", ran.out);
}

/// Lines come with their passes, whether the test passes or not.
#[test]
fn passes_print_lines() {
    let fails = job(TELLING, TOLD);
    let holds = job(&TELLING.replace("v < 6", "v < 8"), TOLD);
    for engine in ["interp", "cpu"] {
        for command in ["run", "test"] {
            let line = format!("{command} job.test --wave-size 8 --engine {engine} --format json");
            let ran = wavelane("prints", &holds, &line);
            if ran.status == 3 {
                skipped::skipped!("{engine}: {}", ran.err);
                continue;
            }
            assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
            let run: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
            let lines = run["printed"].as_array().unwrap();
            assert_eq!(lines.len(), 2, "{run}");
            let expected = serde_json::json!({
                "group": [0, 0, 0], "wave": 0, "lane": 6, "file": "job.test", "line": 5,
                "text": "i = 6", "pass": { "number": 1, "entry": "Fill", "round": 1, "repeat": 1 },
            });
            assert_eq!(lines[0], expected, "{run}");
        }
        let shown = "pass 1 (`Fill`):\ngroup 0 wave 0 lane 6: job.test:5: i = 6\n";
        let line = format!("run job.test --wave-size 8 --engine {engine}");
        let ran = wavelane("prints", &holds, &line);
        assert!(ran.out.contains(shown), "{}", ran.out);
        // A failure shows them as part of its report, once.
        let ran = wavelane("prints", &fails, &line);
        assert_eq!(ran.status, 1);
        assert_eq!(ran.out.matches("i = 6").count(), 1, "{}", ran.out);
        assert!(ran.out.contains("    pass 1 (`Fill`):\n"), "{}", ran.out);
        let line = format!("run job.test --wave-size 8 --print-limit 1 --engine {engine}");
        let ran = wavelane("prints", &holds, &line);
        assert!(ran.out.contains("… 1 more; --print-limit N keeps more than 1"), "{}", ran.out);
    }
}

/// Engines of the host are compared by what passes print, too.
#[test]
fn engines_agree_on_what_passes_print() {
    let job = job(TELLING, TOLD);
    let ran = wavelane("lines", &job, "diff job.test --engines interp,interp:vulkan1.3,cpu");
    assert!(ran.status == 0 || ran.status == 3, "{}{}", ran.out, ran.err);
}

/// The example in the documentation of jobs passes as it stands there.
#[test]
fn the_job_in_the_documentation_runs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/jobs.md");
    let page = std::fs::read_to_string(page).unwrap();
    let job = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let ran = wavelane("document", job, "test job.test --wave-size all");
    assert!(ran.out.starts_with("6 passed, 0 failed, 0 unsupported"), "{}{}", ran.out, ran.err);
    let examined = wavelane("document", job, "san job.test --unordered Kept");
    assert!(examined.out.starts_with("no findings"), "{}", examined.out);
}
