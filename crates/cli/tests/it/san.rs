//! `wavelane san` as it is adopted: levels, comments with reasons, baselines, tests and formats.

use crate::support;

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use support::Ran;

/// A race at every width but the widest, and two stores of one value.
const RACE: &str = "groupshared uint tile[64];
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t;
    Out[t] = tile[63 - t];
    Out[64] = 1;
}
";
const ARGUMENTS: &str = "san a.hlsl --bind Out=[65] --wave-size 16";

/// Runs `wavelane` in a separate folder with these files.
fn wavelane(name: &str, files: &[(&str, &str)], line: &str) -> Ran {
    let folder = support::folder(&format!("san/{name}"), files);
    support::wavelane(&folder, &support::words(line))
}

fn folder(name: &str) -> PathBuf {
    support::folder::<&str>(&format!("san/{name}"), &[])
}

/// The codes in the report, sorted.
fn codes(text: &str) -> Vec<&str> {
    let ends = text.lines().filter(|it| it.contains(".hlsl:") && it.ends_with(']'));
    let mut codes: Vec<&str> =
        ends.filter_map(|it| it.rsplit_once('[')?.1.strip_suffix(']')).collect();
    codes.sort_unstable();
    codes
}

#[test]
fn flags_weigh_findings_and_only_errors_set_the_status() {
    for (flags, status, found) in [
        ("", 1, &["equal-stores", "race"][..]),
        ("-Wno-race", 0, &["equal-stores"]),
        ("-Wno-race -Wno-equal-stores", 0, &[]),
        ("-Wno-race -Werror=equal-stores", 1, &["equal-stores"]),
        ("-Wno-race -Werror", 1, &["equal-stores"]),
        ("-Wno-error=race", 0, &["equal-stores", "race"]),
        ("-Wno-race -Wrace", 1, &["equal-stores", "race"]),
        ("-w", 1, &["race"]),
    ] {
        let ran = wavelane("weigh", &[("a.hlsl", RACE)], &format!("{ARGUMENTS} {flags}"));
        assert_eq!(ran.status, status, "{flags}\n{}\n{}", ran.out, ran.err);
        assert_eq!(codes(&ran.out), found, "{flags}\n{}", ran.out);
    }
    let ran = wavelane("slip", &[("a.hlsl", RACE)], &format!("{ARGUMENTS} -Wno-rase"));
    assert!(ran.err.contains("did you mean `race`?"), "{}", ran.err);
}

/// Integers are compared to the last bit, in buffers without a layout of floats, too.
#[test]
fn the_first_byte_that_differs_between_widths_is_named() {
    for (declared, stores) in [
        ("RWByteAddressBuffer", "Out.Store(0, 7); Out.Store(4, sum);"),
        ("RWBuffer<uint>", "Out[0] = 7; Out[1] = sum;"),
    ] {
        let shader = format!(
            "{declared} Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {{
    uint sum = WaveActiveSum(t);
    if (t == 0) {{ {stores} }}
}}
"
        );
        let line = "san a.hlsl --bind Out=u32[2] --wave-size 4,8";
        let ran = wavelane("first-byte", &[("a.hlsl", &shader)], line);
        assert_eq!(codes(&ran.out), ["width-dependent-result"], "{}\n{}", ran.out, ran.err);
        assert!(ran.out.contains("byte 4 of `Out` is the first that differs"), "{}", ran.out);
    }
}

/// A run that is cut short reports what it found, except for origins that only a whole run can distinguish.
#[test]
fn a_time_limit_keeps_what_is_certain() {
    let shader = |stores: &str| {
        format!(
            "RWStructuredBuffer<uint> Out;
groupshared uint tile[32];
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {{
    {stores}
    for (uint i = 0; i < 4000000000; ++i) Out[32 + t] += i * t;
}}
"
        )
    };
    let one = "uint a; if (t < 4) a = 1; Out[t] = a;";
    let two = "uint a, b; if (t < 4) a = 1; if (t > 8) b = 2; Out[t] = Out[t] < 1 ? a : b;";
    let race = "tile[t] = t; Out[t] = tile[31 - t];";
    for (name, stores, found) in [
        ("one-origin", one, &["uninitialized-value"][..]),
        ("two-origins", two, &[]),
        ("race", race, &["race"]),
    ] {
        let line = "san a.hlsl --bind Out=[64] --wave-size 8 --fuel none --timeout 1";
        let ran = wavelane(&format!("cut-short-{name}"), &[("a.hlsl", &shader(stores))], line);
        assert_eq!(ran.status, 1, "{}\n{}", ran.out, ran.err);
        assert_eq!(codes(&ran.out), found, "{}\n{}", ran.out, ran.err);
        let told = ran.out + &ran.err;
        assert!(told.contains("the time of 1 s is spent, with waves of 8 lanes"), "{told}");
    }
}

/// What a flag, a comment or a baseline hides is not taken for a result, and the rest is still compared.
#[test]
fn a_hidden_finding_hides_nothing_else() {
    let shader = |comment: &str, last: &str| {
        format!(
            "RWStructuredBuffer<uint> Out;
groupshared uint tile[32];
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {{
    tile[t] = t;{comment}
    Out[t] = tile[31 - t];
    uint last = {last};
    Out[32 + t] = last;
}}
"
        )
    };
    let allow = " // wavelane: allow(race): as it was";
    for (name, comment, flag) in [("flag", "", " -Wno-race"), ("comment", allow, "")] {
        let line = format!("san a.hlsl --bind Out=u32[64] --wave-size 8,16,32{flag}");
        let ran = wavelane(name, &[("a.hlsl", &shader(comment, "WaveActiveSum(t)"))], &line);
        assert_eq!(codes(&ran.out), ["width-dependent-result"], "{}\n{}", ran.out, ran.err);
        let ran = wavelane(name, &[("a.hlsl", &shader(comment, "t * 2"))], &line);
        let left_out = "not compared: 128 of the 256 bytes of `Out` with waves of 8 and 16 lanes: `race` at a.hlsl:5 reaches this\n";
        assert!(ran.out.contains(left_out), "{}\n{}", ran.out, ran.err);
        assert!(ran.out.contains("no findings in what was compared: "), "{}", ran.out);
        let json = wavelane(
            name,
            &[("a.hlsl", &shader(comment, "t * 2"))],
            &format!("{line} --format json"),
        );
        assert!(json.out.contains("\"not_compared\": [\n"), "{}", json.out);
    }
}

/// The reference is the largest set of widths that agree, and the cause is a chain with values of both sides.
#[test]
fn the_cause_of_a_difference_is_reported_as_a_chain() {
    let shader = "RWStructuredBuffer<uint> Out;
groupshared uint total;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    uint sum = WaveActiveSum(t);
    if (t == 0) total = 0;
    GroupMemoryBarrierWithGroupSync();
    if (lanes < 32 && WaveIsFirstLane()) InterlockedAdd(total, sum);
    GroupMemoryBarrierWithGroupSync();
    Out[t] = total;
}
";
    let line = "san a.hlsl --bind Out=u32[32] --wave-size 4,8,16,32";
    let ran = wavelane("chain", &[("a.hlsl", shader)], line);
    assert_eq!(codes(&ran.out), ["width-dependent-result"], "{}\n{}", ran.out, ran.err);
    for text in [
        "a.hlsl:9:9: ",
        "thread 0 of its group: `16 < 32` is true (waves of 16 lanes), `32 < 32` is false (waves of 32 lanes)",
        "only with waves of 16 lanes does thread 0 store this",
        "waves of 4, 8 and 16 lanes give one result, of 32 another",
    ] {
        assert!(ran.out.contains(text), "{text}:\n{}", ran.out);
    }
}

#[test]
fn an_endless_wait_says_whether_any_lane_stores_there() {
    let says = |name: &str, store: &str| {
        let shader = format!(
            "groupshared uint flag;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {{
    uint seen = 0;
    while (seen == 0) InterlockedOr(flag, 0, seen);
    {store}
    Out[0] = seen;
}}
"
        );
        let line = "san a.hlsl --bind Out=u32[1] --wave-size 8";
        let ran = wavelane(name, &[("a.hlsl", &shader)], line);
        assert!(codes(&ran.out).contains(&"endless-wait"), "{}\n{}", ran.out, ran.err);
        ran.out.contains("nothing outside the loop stores there")
    };
    assert!(says("wait-for-nothing", ""));
    assert!(!says("wait-for-oneself", "flag = 1;"));
}

/// Each group waits for the one before it, by its own number.
const LOOK_BACK: &str = "RWStructuredBuffer<uint> Ready;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    if (t == 0) {
        uint turn = g, seen;
        do InterlockedOr(Ready[0], 0, seen); while (seen < turn);
        InterlockedAdd(Ready[0], 1, seen);
    }
}
";

#[test]
fn a_wait_for_a_group_that_need_not_have_started_is_found_and_repeated() {
    let run = |shader: &str, flags: &str| {
        let line = format!("san a.hlsl --bind Ready=[2] --groups 4,1,1 --wave-size 4 {flags}");
        wavelane("look-back", &[("a.hlsl", shader)], &line)
    };
    let ran = run(LOOK_BACK, "");
    assert_eq!((ran.status, codes(&ran.out)), (1, vec!["endless-wait"]), "{}", ran.out);
    assert!(ran.out.contains("pass `--progress concurrent`"), "{}", ran.out);
    assert!(ran.out.contains("--orders groups=reverse"), "{}", ran.out);
    for (flags, status) in [
        ("--orders groups=reverse", 1),
        ("--quick", 1),
        ("--progress occupancy-bound --orders waves=descending", 1),
        ("--orders groups=in-order", 0),
        ("--progress concurrent", 0),
        ("--progress fair", 0),
    ] {
        let ran = run(LOOK_BACK, flags);
        assert_eq!(ran.status, status, "{flags}\n{}\n{}", ran.out, ran.err);
    }
    let tickets =
        LOOK_BACK.replace("turn = g, seen;", "turn, seen; InterlockedAdd(Ready[1], 1, turn);");
    assert_eq!(run(&tickets, "").status, 0);
}

#[test]
fn a_long_loop_over_memory_that_no_other_lane_changes_is_not_a_wait() {
    let main = "RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) { uint sum = 0;";
    let constants = format!(
        "cbuffer Push {{ uint Count; }};\n{main}
    for (uint k = 0; k < Count; k += 1 + (sum == 3)) sum = sum * 5 + k;
    Out[t] = sum; }}
"
    );
    let query = format!(
        "RaytracingAccelerationStructure Scene;\n{main}
    RayDesc ray = {{ float3(0, 0, 1), 0, float3(0, 0, -1), 100 }};
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    while (q.Proceed()) sum = sum * 5 + 1;
    Out[t] = sum; }}
"
    );
    let scene =
        format!("Scene=non-opaque triangles({})", ["0 1 0, -1 -1 0, 1 -1 0"; 300].join(", "));
    for (name, shader, fuel, given) in [
        ("constants", &constants, "20000", ["--set", "Count=1000000"]),
        ("query", &query, "300", ["--bind", &scene]),
    ] {
        let folder = support::folder(&format!("san/no-wait-{name}"), &[("a.hlsl", shader)]);
        let mut words = support::words("san a.hlsl --bind Out=u32[8] --wave-size 8 --fuel");
        words.extend([fuel, given[0], given[1]]);
        let ran = support::wavelane(&folder, &words);
        assert_eq!((ran.status, codes(&ran.out)), (1, Vec::new()), "{}\n{}", ran.out, ran.err);
        assert!(ran.text().contains("fuel"), "{}", ran.text());
    }
}

#[test]
fn comments_allow_findings_at_any_of_their_places() {
    let race = "// wavelane: allow(race): one wave by convention";
    let store = "    // wavelane: allow(equal-stores): a flag\n    Out[64]";
    for (name, shader) in [
        ("store", RACE.replace("= t;", &format!("= t; {race}"))),
        ("load", RACE.replace("    Out[t]", &format!("    {race}\n    Out[t]"))),
        ("declared", RACE.replace("[64];", &format!("[64]; {race}"))),
    ] {
        let shader = shader.replace("    Out[64]", store);
        let ran = wavelane(&format!("allow-{name}"), &[("a.hlsl", &shader)], ARGUMENTS);
        assert_eq!((ran.status, codes(&ran.out)), (0, Vec::new()), "{name}\n{}", ran.out);
    }
    // One that is no longer needed says so, and only where its code takes part.
    let mended = RACE.replace("    Out[64] = 1;\n", "").replace(
        "    Out[t]",
        &format!("    GroupMemoryBarrierWithGroupSync();\n    {race}\n    Out[t]"),
    );
    let ran = wavelane("allow-unused", &[("a.hlsl", &mended)], ARGUMENTS);
    assert_eq!((ran.status, codes(&ran.out)), (0, vec!["unused-suppression"]), "{}", ran.out);
    let other = format!("{RACE}void other(uint t) {{\n    tile[t] = 1; {race}\n}}\n");
    let ran = wavelane("allow-other", &[("a.hlsl", &other)], ARGUMENTS);
    assert_eq!(codes(&ran.out), ["equal-stores", "race"], "{}", ran.out);
    // Without a reason it is an error.
    let bare = RACE.replace("= t;", "= t; // wavelane: allow(race)");
    let ran = wavelane("allow-bare", &[("a.hlsl", &bare)], ARGUMENTS);
    assert_eq!(ran.status, 2, "{}", ran.err);
    assert!(ran.err.contains("[bad-suppression]"), "{}", ran.err);
}

#[test]
fn a_baseline_matches_findings_whose_lines_have_moved() {
    let files = [("a.hlsl", RACE)];
    let ran = wavelane("known", &files, &format!("{ARGUMENTS} --write-baseline known.txt"));
    assert_eq!(ran.status, 1);
    let written = std::fs::read_to_string(folder("known").join("known.txt")).unwrap();
    assert!(written.contains("race a.hlsl: tile[t] = t;\n"), "{written}");
    let moved = format!("// A line more.\n\n{}", RACE.replace("    tile", "  tile"));
    let baseline = format!("{ARGUMENTS} --baseline known.txt");
    let ran = wavelane("known", &[("a.hlsl", &moved)], &baseline);
    assert_eq!((ran.status, codes(&ran.out)), (0, Vec::new()), "{}", ran.out);
    assert!(ran.out.contains("2 known findings"), "{}", ran.out);
    // What is new is reported, and what is gone is counted.
    let changed = moved.replace("tile[t] = t;", "tile[t] = t + 1;");
    let ran = wavelane("known", &[("a.hlsl", &changed)], &baseline);
    assert_eq!((ran.status, codes(&ran.out)), (1, vec!["race"]), "{}", ran.out);
    assert!(ran.out.contains("1 line of the baseline"), "{}", ran.out);
}

const CASES: &str = "#include <wavelane.hlsli>
TEST_CASE(right) { EXPECT_EQ(WaveActiveCountBits(true), WaveGetLaneCount()); }
TEST_CASE(wrong) {
    uint x = 3;
    if (WaveGetLaneIndex() > 0) x = WaveReadLaneAt(x, 0);
    EXPECT_EQ(x, 3u);
}
";

const JOB: &str = "#--- source.hlsl
RWStructuredBuffer<uint> Out : register(u0);
[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint x = i;
    if (i % 4 != 0) x = WaveReadLaneAt(x, 0);
    Out[i] = x;
}
#--- pipeline.yaml
Shaders:
  - Stage: Compute
    Entry: main
Buffers:
  - { Name: Out, Format: UInt32, Stride: 4, FillSize: 32 }
DescriptorSets:
  - Resources:
    - { Name: Out, Kind: RWStructuredBuffer, DirectXBinding: { Register: 0, Space: 0 } }
#--- end
# RUN: split-file %s %t
# RUN: %dxc_target -T cs_6_0 -Fo %t.o %t/source.hlsl
# RUN: %offloader %t/pipeline.yaml %t.o
";

#[test]
fn tests_are_examined_as_they_are_run() {
    let files = [("cases.hlsl", CASES), ("job.test", JOB), ("none.hlsl", RACE)];
    let ran = wavelane("tests", &files, "san . --wave-size 8 --format json");
    let report: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    let field = |list: &str, name: &str| -> Vec<String> {
        let all = report[list].as_array().unwrap();
        all.iter().map(|it| it[name].as_str().unwrap_or("").to_owned()).collect()
    };
    assert_eq!(ran.status, 1);
    let programs = ["cases.hlsl::right", "cases.hlsl::wrong", "job.test", "none.hlsl::main"];
    assert_eq!(field("programs", "name"), programs, "{}", ran.out);
    assert_eq!(field("findings", "id"), ["inactive-lane-read"; 2], "{}", ran.out);
    assert_eq!(field("findings", "program"), programs[1..3]);
    // There are no bindings for a shader that is not a test.
    assert_eq!(report["programs"][3]["unsupported"], true);
    // Places are those of the test's file.
    assert_eq!(field("findings", "file"), ["cases.hlsl", "job.test"]);
    assert_eq!(report["findings"][0]["line"], 5);
    assert_eq!(report["findings"][1]["line"], 6);

    let ran = wavelane("tests", &files, "san cases.hlsl::right job.test --filter right");
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("no findings"), "{}", ran.out);
    let ran = wavelane("tests", &files, "san . --caps wave-ops=off");
    assert_eq!(ran.status, 3, "{}", ran.out);
    let broken = [("cases.hlsl", "#include <wavelane.hlsli>\nTEST_CASE(a) { x; }\n")];
    let ran = wavelane("broken", &broken, "san cases.hlsl");
    assert_eq!(ran.status, 2, "{}", ran.out);
    assert!(ran.out.contains("not examined: cases.hlsl::a"), "{}", ran.out);
}

#[test]
fn a_finding_has_all_its_fields_in_json() {
    let ran = wavelane("json", &[("a.hlsl", RACE)], &format!("{ARGUMENTS} --format json"));
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let race = findings.iter().find(|it| it["id"] == "race").unwrap();
    let expected = [
        ("id", "\"race\""),
        ("verdict", "\"undefined\""),
        ("level", "\"error\""),
        ("file", "\"a.hlsl\""),
        ("line", "5"),
        ("column", "5"),
        ("group", "[0,0,0]"),
        ("width", "16"),
        ("seed", "null"),
        ("known", "false"),
    ];
    for (field, value) in expected {
        assert_eq!(race[field].to_string(), value, "{field}: {}", ran.out);
    }
    for field in ["message", "text"] {
        assert!(race[field].as_str().is_some_and(|it| !it.is_empty()), "{field}: {}", ran.out);
    }
    for field in ["related", "lanes"] {
        assert!(race[field].as_array().is_some_and(|it| !it.is_empty()), "{field}: {}", ran.out);
    }
    assert!(race["wave"].is_u64(), "{}", ran.out);
    assert_eq!(race["related"][0]["line"], 6);
}

#[test]
fn other_formats_name_code_and_place() {
    let ran = |format: &str| {
        let line = format!("{ARGUMENTS} --format {format}");
        let ran = wavelane(format, &[("a.hlsl", RACE)], &line);
        assert_eq!(ran.status, 1, "{format}");
        ran.out
    };
    let junit = ran("junit");
    assert!(junit.contains("tests=\"1\" failures=\"1\""), "{junit}");
    // The suite and the case have times, and the case takes some.
    let times: Vec<&str> = junit.split(" time=\"").skip(1).collect();
    let seconds = |it: &str| it[..it.find('"').unwrap()].parse::<f64>().unwrap();
    assert!(times.len() == 3 && times.iter().all(|it| seconds(it) > 0.0), "{junit}");
    assert_eq!(junit.matches(" timestamp=\"20").count(), 2, "{junit}");
    assert!(junit.contains("<failure type=\"race\""), "{junit}");
    let github = ran("github");
    assert!(github.contains("::error file=a.hlsl,line=5,"), "{github}");
    let sarif: Value = serde_json::from_str(&ran("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().any(|it| it["ruleId"] == "race" && it["level"] == "error"), "{sarif}");
}

/// The race again, between two functions that a third one calls.
const RACE_IN_FUNCTIONS: &str = "groupshared uint tile[64];
RWStructuredBuffer<uint> Out;
void put(uint t) { tile[t] = t; }
uint take(uint t) { return tile[63 - t]; }
uint reverse(uint t) {
    put(t);
    return take(t);
}
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) { Out[t] = reverse(t); }
";

#[test]
fn findings_in_inlined_functions_have_stacks() {
    let ran = |format: &str| {
        let line = format!("san a.hlsl --bind Out=[64] --wave-size 16 --format {format}");
        wavelane(&format!("stacks-{format}"), &[("a.hlsl", RACE_IN_FUNCTIONS)], &line).out
    };
    let text = ran("text");
    for line in [
        "note: (1) is in `take`, called at line 7 by `reverse`, called at line 10 by `main`\n",
        "note: (2) is in `put`, called at line 6 by `reverse`, called at line 10 by `main`\n",
        "between the calls of `put` and `take` in `reverse`\n",
        "(2) is in this call of `put`",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let json: Value = serde_json::from_str(&ran("json")).unwrap();
    let stacks = &json["findings"][0]["stacks"];
    assert_eq!(stacks[1]["of"], "(1)", "{json}");
    let functions = |stack: &Value| -> Vec<(String, u64)> {
        let frames = stack["frames"].as_array().unwrap().iter();
        let line = |it: &Value| it["location"]["line"].as_u64().unwrap();
        frames.map(|it| (it["function"].as_str().unwrap().to_owned(), line(it))).collect()
    };
    let expected = [("take", 4), ("reverse", 7), ("main", 10)];
    assert_eq!(functions(&stacks[1]), expected.map(|(name, line)| (name.to_owned(), line)));
    let sarif: Value = serde_json::from_str(&ran("sarif")).unwrap();
    let stacks = &sarif["runs"][0]["results"][0]["stacks"];
    assert_eq!(stacks[0]["message"]["text"], "(2)", "{sarif}");
    let frame = &stacks[0]["frames"][1]["location"];
    assert_eq!(frame["logicalLocations"][0]["name"], "reverse", "{sarif}");
    assert_eq!(frame["physicalLocation"]["region"]["startLine"], 6, "{sarif}");
}

/// Three sections: one that is wrong at every width, one that knows its width, one that does not compile.
const SECTIONS: &str = "//--- wrong
//# zero Out 32
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t;
    if (t > 0) x = WaveReadLaneAt(x, 0);
    Out[t] = x;
}
//--- right
//# zero Out 32
//# san --width-dependent=Out
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) { Out[t] = WaveGetLaneCount(); }
//--- knows
//# zero Out 32
//# widths 4 8
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) { Out[t] = WIDTH; }
//--- none
void main() { x; } //~ error[undeclared-identifier]
";

#[test]
fn sections_are_examined_at_their_widths_with_their_flags() {
    let ran = wavelane("sections", &[("s.hlsl", SECTIONS)], "san s.hlsl --format json");
    let report: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    assert_eq!(ran.status, 1);
    let findings = report["findings"].as_array().unwrap();
    let all: Vec<_> = findings.iter().map(|it| (it["id"].as_str(), it["line"].as_u64())).collect();
    assert_eq!(all, [(Some("inactive-lane-read"), Some(7))], "{}", ran.out);
    assert_eq!(findings[0]["widths"].as_array().unwrap().len(), 6);
    assert_eq!(findings[0]["program"], "s.hlsl::wrong");
    let command = findings[0]["command"].as_str().unwrap();
    assert_eq!(command, "wavelane san s.hlsl::wrong --wave-size 4 --orders none");
    let programs: Vec<(&str, Vec<u64>)> = report["programs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let widths = it["widths"].as_array().into_iter().flatten();
            (it["name"].as_str().unwrap(), widths.filter_map(Value::as_u64).collect())
        })
        .collect();
    let every = vec![4, 8, 16, 32, 64, 128];
    let expected = [
        ("s.hlsl::wrong", every.clone()),
        ("s.hlsl::right", every),
        ("s.hlsl::knows run 1", vec![4]),
        ("s.hlsl::knows run 2", vec![8]),
        ("s.hlsl::none", vec![]),
    ];
    assert_eq!(programs, expected);
    // The command of a finding makes it again.
    let again = wavelane("sections", &[], &command["wavelane ".len()..]);
    assert_eq!((again.status, codes(&again.out)), (1, vec!["inactive-lane-read"]), "{}", again.err);
}

/// The widths and orders that were asked for give way to those of the finding.
#[test]
fn the_command_of_a_finding_gives_each_flag_once() {
    const FIRST: &str = "RWStructuredBuffer<uint> Winner;
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint before;
    InterlockedCompareExchange(Winner[0], 0, id.x + 1, before);
}
";
    let line = "san a.hlsl --bind Winner=[1] --groups 2 --wave-size=16,32 --format json";
    let ran = wavelane("again", &[("a.hlsl", FIRST)], line);
    let report: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    let command = report["findings"][0]["command"].as_str().unwrap();
    assert_eq!(command.matches("--wave-size").count(), 1, "{command}");
    let again = wavelane("again", &[], &command["wavelane ".len()..].replace('\'', ""));
    assert_eq!(again.status, 1, "{command}: {}", again.err);
    assert!(again.out.contains("order-dependent-result"), "{}", again.out);
}

/// Writes beyond the end, and then goes on for ever.
const ENDLESS: &str = "//--- endless
//# zero Out 32
RWStructuredBuffer<uint> Out;
groupshared uint few[4];
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint i = 0; i < 8; i = (i + 1) & 7) few[i] = t;
    Out[t] = few[0];
}
";

#[test]
fn findings_are_kept_when_a_run_is_given_up() {
    let line = "san s.hlsl --fuel 1000 --wave-size 8 -Wno-race --format";
    let ran = wavelane("endless", &[("s.hlsl", ENDLESS)], &format!("{line} text"));
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert_eq!(codes(&ran.out), ["out-of-bounds"], "{}", ran.out);
    let stop = "not examined to the end: s.hlsl::endless: s.hlsl:7:";
    assert!(ran.out.contains(stop), "{}", ran.out);
    let ran = wavelane("endless", &[], &format!("{line} json"));
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(report["programs"][0]["stopped"].as_str().unwrap().contains("fuel"), "{}", ran.out);
    // A run that did not end is a failure, whatever is suppressed.
    let ran = wavelane("endless", &[], &format!("{line} text -Wno-out-of-bounds"));
    assert_eq!((ran.status, codes(&ran.out)), (1, vec![]), "{}", ran.out);
}

#[test]
fn sarif_marks_what_a_baseline_knows() {
    let known = "race a.hlsl: tile[t] = t;\nrace a.hlsl: gone;\n";
    let line = format!("{ARGUMENTS} --format sarif");
    let states = |ran: &Ran| -> Vec<(String, String)> {
        let log: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        let results = run["results"].as_array().unwrap().iter();
        let state = |it: &Value| {
            let rule = &rules[it["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], it["ruleId"]);
            let state = it["baselineState"].as_str().unwrap_or("");
            (it["ruleId"].as_str().unwrap().to_owned(), state.to_owned())
        };
        let mut all: Vec<_> = results.map(state).collect();
        all.sort();
        all
    };
    let files = [("a.hlsl", RACE), ("known.txt", known)];
    let ran = wavelane("states", &files, &format!("{line} --baseline known.txt"));
    let expected = [("equal-stores", "new"), ("race", "absent"), ("race", "unchanged")];
    assert_eq!(states(&ran), expected.map(|(code, state)| (code.to_owned(), state.to_owned())));
    assert_eq!(ran.status, 0);
    let ran = wavelane("states", &files, &line);
    assert!(states(&ran).iter().all(|it| it.1.is_empty()), "{}", ran.out);
}

/// Two buffers that are too large for a process with little memory, and its small neighbour.
#[cfg(target_os = "linux")]
#[test]
fn a_test_that_exhausts_memory_fails_alone() {
    let large = JOB.replace("FillSize: 32", "FillSize: 1000000000");
    let folder = folder("memory");
    for (file, text) in [("a.test", large.as_str()), ("b.test", JOB)] {
        std::fs::write(folder.join(file), text).unwrap();
    }
    let program = env!("CARGO_BIN_EXE_wavelane");
    let line = format!("ulimit -v 900000; exec {program} san . --wave-size 8 -j 1 --format json");
    let output = Command::new("sh").args(["-c", &line]).current_dir(&folder).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let examined: Vec<bool> = report["programs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["examined"].as_bool().unwrap())
        .collect();
    // Those that were not examined come last.
    assert_eq!(examined, [true, false], "{report}");
    let why = report["programs"][1]["why"].as_str().unwrap();
    assert!(why.starts_with("its process ended"), "{why}");
    assert_eq!(report["findings"][0]["program"], "b.test");
    assert_eq!(output.status.code(), Some(1));
}
