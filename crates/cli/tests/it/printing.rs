//! What shaders print, and assertions that fail, on the built program.

use crate::support;

/// Status, standard output and standard error of `wavelane` in a separate folder that holds `a.hlsl`.
fn wavelane(name: &str, shader: &str, line: &str) -> (i32, String, String) {
    let folder = support::folder(&format!("printing/{name}"), &[("a.hlsl", shader)]);
    let ran = support::wavelane(&folder, &support::words(line));
    let text = |text: String| text.replace("\r\n", "\n");
    (ran.status, text(ran.out), text(ran.err))
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

const PLACES: &str = "
[numthreads(6, 2, 1)]
void main(uint i : SV_GroupIndex, uint3 g : SV_GroupID) {
    printf(\"%u %u %u %u\\n\", g.x, g.y, i / WaveGetLaneCount(), WaveGetLaneIndex());
}
";

/// The lines name the place that the shader itself sees, on every engine and at every width, and are in order.
#[test]
fn lines_name_group_wave_and_lane_in_order() {
    for engine in ["interp", "cpu", "cpu --threads 3"] {
        let line =
            format!("run a.hlsl --wave-size 4,8,32 --groups 2,3 --format json --engine {engine}");
        let (status, out, err) = wavelane("places", PLACES, &line);
        if err.contains("unsupported") {
            continue;
        }
        assert_eq!(status, 0, "{err}");
        for run in json(&out)["runs"].as_array().unwrap() {
            let lines = run["printed"].as_array().unwrap();
            assert_eq!(lines.len(), 72);
            let mut keys = Vec::new();
            for line in lines {
                let group = &line["group"];
                let (wave, lane) = (&line["wave"], &line["lane"]);
                let said = format!("{} {} {wave} {lane}", group[0], group[1]);
                assert_eq!(line["text"].as_str(), Some(said.as_str()));
                assert_eq!(line["line"], 4);
                keys.push([&group[1], &group[0], wave, lane].map(|it| it.as_u64().unwrap()));
            }
            assert!(keys.is_sorted());
        }
    }
}

#[test]
fn lines_follow_the_results_and_are_bounded() {
    let shader = "RWStructuredBuffer<uint> Out; [numthreads(8, 1, 1)]\n\
                  void main(uint i : SV_GroupIndex) {\n    Out[i] = i;\n    printf(\"i = %u\", i);\n}\n";
    let expected = "wave size 32\n  Out: RWStructuredBuffer, 8 x u32\n    0 | 0 1 2 3 4 5 6 7\n\n\
                    group 0 wave 0 lane 0: a.hlsl:4: i = 0\n\
                    group 0 wave 0 lane 1: a.hlsl:4: i = 1\n\
                    … 6 more; --print-limit N keeps more than 2\n";
    let (status, out, _) = wavelane("bounded", shader, "run a.hlsl --bind Out=[8] --print-limit 2");
    assert_eq!((status, out.as_str()), (0, expected));
    let line = "run a.hlsl --bind Out=[8] --print-limit 0 --format json";
    let (_, out, _) = wavelane("bounded", shader, line);
    let run = &json(&out)["runs"][0];
    assert_eq!((&run["printed"], &run["more_printed"]), (&json("[]"), &json("8")));
    // A shader without `printf` has no list.
    let silent = shader.replace("printf(\"i = %u\", i);", "");
    let (_, out, _) = wavelane("silent", &silent, "run a.hlsl --bind Out=[8] --format json");
    assert!(json(&out)["runs"][0].get("printed").is_none());
}

#[test]
fn an_endless_loop_that_prints_ends_with_its_fuel_and_shows_the_first_lines() {
    let shader = "[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {\n\
                  for (uint k = 0; k < 0xffffffff; k++) printf(\"%u %u\", k, i);\n}\n";
    for engine in ["interp", "cpu"] {
        let line = format!("run a.hlsl --fuel 100000 --print-limit 5 --engine {engine}");
        let (status, _, err) = wavelane("endless", shader, &line);
        assert_eq!(status, 1, "{err}");
        assert!(err.contains("fuel of 100000"), "{err}");
        assert!(
            err.contains("lane 3: a.hlsl:2: 0 3\ngroup 0 wave 0 lane 0: a.hlsl:2: 1 0\n"),
            "{err}"
        );
        assert!(err.contains("--print-limit N keeps more than 5"), "{err}");
    }
}

const ASSERTS: &str = "#include <wavelane.hlsli>
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) {
    ASSERT(i < 4 || i > 6);
    ASSERT(Out[i] + 1 > i);
    ASSERT(all(float2(i, 0.5) == float2(i, 0.5)));
    ASSERT(uint2(i, 9) != uint2(2, 1));
    Out[i] = i;
}
";

/// Lanes, values and place; the program goes on, and the status is 1.
#[test]
fn a_failed_assertion_reports_lanes_values_and_location() {
    for engine in ["interp", "cpu"] {
        let line = format!("run a.hlsl --bind Out=0,1,1,3,4,5,6,7 --engine {engine}");
        let (status, out, err) = wavelane("asserts", ASSERTS, &line);
        assert_eq!(status, 1, "{err}");
        assert!(out.contains("0 | 0 1 2 3 4 5 6 7"), "{out}");
        let or = "a.hlsl:5:5: error: assertion failed: i < 4 || i > 6 [assertion-failed]";
        assert!(err.contains(or) && err.contains("note: group 0 wave 0 lanes 4..6\n"), "{err}");
        let more = "a.hlsl:6:5: error: assertion failed: Out[i] + 1 > i [assertion-failed]";
        assert!(
            err.contains(more) && err.contains("note: group 0 wave 0 lane 2: 2 > 2\n"),
            "{err}"
        );
        assert!(err.contains("lane 2: 2, 9 != 2, 1\n"), "{err}");
        assert!(!err.contains("all(float2"), "{err}");
    }
    let line = "run a.hlsl --bind Out=0,1,1,3,4,5,6,7 --format json --wave-size 4";
    let (status, out, _) = wavelane("asserts", ASSERTS, line);
    assert_eq!(status, 1);
    let failed = json(&out)["runs"][0]["failed_assertions"].clone();
    assert_eq!(failed.as_array().unwrap().len(), 5);
    assert_eq!(failed[0]["line"], 6);
}

#[test]
fn the_sanitizer_reports_failed_assertions_and_is_not_disturbed_by_lines() {
    let line = "san a.hlsl --bind Out=0,1,1,3,4,5,6,7";
    let (status, out, err) = wavelane("san", ASSERTS, line);
    assert_eq!(status, 1, "{err}");
    assert!(out.contains("assertion-failed     x     x     x     x     x     x"), "{out}");
    let (status, out, err) = wavelane("san-silent", PLACES, "san a.hlsl");
    assert_eq!(status, 0, "{out}{err}");
}

const CASES: &str = "#include <wavelane.hlsli>
TEST_CASE_N(passes, 4, 1, 1) { printf(\"not shown\"); EXPECT(true); }
TEST_CASE_N(fails, 4, 1, 1) { printf(\"lane %u\", test_index); EXPECT_EQ(test_index, min(test_index, 2u)); }
TEST_CASE_N(asserts, 4, 1, 1) { ASSERT(test_index < 3); }
TEST_CASE_N(holds, 4, 1, 1) { ASSERT(test_index < 4); }
";

#[test]
fn a_failed_test_shows_what_it_printed() {
    let (status, out, err) = wavelane("tests", CASES, "test a.hlsl --wave-size 4");
    assert_eq!(status, 1, "{out}{err}");
    assert!(out.contains("group 0 wave 0 lane 3: a.hlsl:3: lane 3\n"), "{out}");
    assert!(!out.contains("not shown"), "{out}");
    assert!(out.contains("a.hlsl:4: assertion failed: test_index < 3"), "{out}");
    assert!(out.contains("expected test_index < 3  got 3 < 3"), "{out}");
    assert!(out.contains("2 passed, 2 failed"), "{out}");
}

#[test]
fn debugging_is_what_the_flag_says() {
    let shader = "[numthreads(1, 1, 1)] void main() {\n\
                  if (dx::IsDebuggingEnabled()) DebugBreak(); else printf(\"no\");\n}\n";
    let (_, out, _) = wavelane("debugging", shader, "run a.hlsl");
    assert!(out.ends_with("a.hlsl:2: no\n"), "{out}");
    let (_, out, _) = wavelane("debugging", shader, "run a.hlsl --debugging");
    assert!(out.ends_with("a.hlsl:2: DebugBreak()\n"), "{out}");
}

/// Formats that are meant to do harm are refused with a place, or print as they stand.
#[test]
fn hostile_formats_are_refused() {
    let call = |format: &str, args: &str| {
        format!("[numthreads(1, 1, 1)] void main() {{ printf(\"{format}\"{args}); }}")
    };
    let numbers = |count: usize| (0..count).map(|it| format!(", {it}")).collect::<String>();
    let cases = [
        ("long", call(&"x".repeat(1 << 20), ""), "a format of 1048576 bytes is too long"),
        ("many", call(&"%d".repeat(1000), &numbers(1000)), "at most 64 numbers"),
        ("extra", call("", &numbers(100_000)), "the format does not print this argument"),
        ("write", call("%n", ", 1"), "`%n` writes to memory"),
        ("string", call("%s", ", 1"), "a shader has no strings"),
        ("wide", call("%999999999999d", ", 1"), "at most 256"),
        ("letters", call(&format!("%{}d", "l".repeat(3000)), ", 1"), "is not a conversion"),
    ];
    for (name, shader, message) in cases {
        let (status, _, err) = wavelane(name, &shader, "run a.hlsl");
        assert_eq!(status, 2, "{name}: {}", &err[..err.len().min(500)]);
        assert!(err.contains("a.hlsl:1:") && err.contains(message), "{name}: {err}");
    }
    let (status, out, _) = wavelane("fits", &call(&"%256d".repeat(64), &numbers(64)), "run a.hlsl");
    assert_eq!(status, 0);
    assert_eq!(out.lines().last().unwrap().split_whitespace().count(), 7 + 64);
}

/// The lanes are those of the first width at which it fails, and all widths are named.
#[test]
fn a_failed_assertion_names_every_width_at_which_it_fails() {
    let shader = "#include <wavelane.hlsli>
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) {
    Out[i] = WaveGetLaneCount();
    ASSERT(i < 31);
    ASSERT(WaveGetLaneCount() < 16);
    ASSERT(WaveGetLaneCount() != 8);
}
";
    let notes = |text: &str| -> Vec<String> {
        let all = text.lines().filter_map(|it| it.split_once("= note: seen with "));
        all.map(|it| it.1.to_owned()).collect()
    };
    let expected = [
        "waves of 4, 8, 16, 32 lanes, shown for 4",
        "waves of 8 lanes",
        "waves of 16, 32 lanes, shown for 16",
    ];
    for command in ["run", "san"] {
        let line = format!("{command} a.hlsl --bind Out=[32] --wave-size 4,8,16,32");
        let (status, out, err) = wavelane(&format!("widths-{command}"), shader, &line);
        assert_eq!(status, 1, "{err}");
        let mut seen = notes(&(out + &err));
        seen.retain(|it| expected.contains(&it.as_str()));
        assert_eq!(seen, expected, "{command}: {err}");
    }
    let (_, _, err) = wavelane("widths-one", shader, "run a.hlsl --bind Out=[32] --wave-size 16");
    assert_eq!(notes(&err), ["waves of 16 lanes", "waves of 16 lanes"], "{err}");
}
