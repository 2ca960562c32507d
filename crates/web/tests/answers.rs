//! The engine of the playground, as the page calls it: bytes in, bytes out.

use serde_json::{Value, json};
use wavelane_web::Engine;

fn ask(engine: &mut Engine, request: Value) -> Value {
    serde_json::from_slice(&engine.call(request.to_string().as_bytes())).unwrap()
}

fn example(name: &str) -> String {
    let path = format!("{}/../../examples/{name}.hlsl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

const RACE: &str = "groupshared uint tile[64];\n\
    RWStructuredBuffer<uint> Out;\n\
    [numthreads(64, 1, 1)]\n\
    void main(uint t : SV_GroupIndex) {\n    \
        tile[t] = t;\n    \
        Out[t] = tile[t ^ 32];\n\
    }\n";

#[test]
fn every_example_compiles_and_runs_as_its_comment_says() {
    let folder = format!("{}/../../examples", env!("CARGO_MANIFEST_DIR"));
    let mut engine = Engine::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let compiled = ask(&mut engine, json!({ "do": "compile", "text": text }));
        assert_eq!(compiled["problem"], Value::Null, "{path:?}");
        assert_eq!(compiled["runs"], true, "{path:?}: {compiled}");
        assert!(compiled["flags"].as_str().unwrap().contains("--bind"), "{path:?}");
        let run = ask(&mut engine, json!({ "do": "run", "text": text }));
        assert_eq!(run["widths"][0]["ended"]["word"], "done", "{path:?}: {run}");
        assert_ne!(run["buffers"].as_array().unwrap().len(), 0, "{path:?}");
    }
}

#[test]
fn widths_are_side_by_side_and_differences_are_marked() {
    let text = "RWStructuredBuffer<uint> Out;\n[numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {\n\
                Out[t] = t < 40 ? 7 : WaveGetLaneCount() == 8; }";
    let run = ask(&mut Engine::new(), json!({ "do": "run", "text": text }));
    let out = &run["buffers"][0];
    assert_eq!(out["label"], "Out[0..64]");
    assert_eq!(out["marks"], json!(["=", "≠", "=", "=", "=", "="]));
    assert_eq!(out["first"], "Out[40]");
    assert_eq!((&out["values"][1][40], &out["values"][0][40]), (&json!("1"), &json!("0")));
    assert_eq!(out["values"][5][39], "7");
}

#[test]
fn widths_can_run_one_by_one() {
    let (mut engine, text) = (Engine::new(), example("compact"));
    let one = ask(&mut engine, json!({ "do": "run", "text": text, "widths": [16] }));
    let has_run = |answer: &Value, at: usize| !answer["widths"][at]["ended"].is_null();
    assert_eq!((0..6).filter(|at| has_run(&one, *at)).collect::<Vec<usize>>(), [2]);
    let two = ask(&mut engine, json!({ "do": "run", "text": text, "widths": [4] }));
    assert_eq!((0..6).filter(|at| has_run(&two, *at)).collect::<Vec<usize>>(), [0, 2]);
    // Another text forgets the runs of the last one.
    let text = format!("{text}\n");
    let other = ask(&mut engine, json!({ "do": "run", "text": text, "widths": [8] }));
    assert_eq!((0..6).filter(|at| has_run(&other, *at)).collect::<Vec<usize>>(), [1]);
}

#[test]
fn all_bytes_of_buffers_can_be_requested() {
    let text = "RWStructuredBuffer<uint> Out;\nRWByteAddressBuffer Raw[2];\n[numthreads(2, 1, 1)] void main(uint t : SV_GroupIndex) {\n\
                Out[t] = 0x1234 + t; Raw[1].Store(0, WaveGetLaneCount()); }";
    let request = json!({ "do": "run", "text": text, "widths": [8, 32], "bytes": true });
    let run = ask(&mut Engine::new(), request);
    let bytes = |buffer: usize| &run["buffers"][buffer]["bytes"];
    let out = "3412000035120000";
    assert_eq!(bytes(0), &json!([null, out, null, out, null, null]));
    assert_eq!(
        (run["buffers"][2]["name"].as_str(), &bytes(1)[1]),
        (Some("Raw[1]"), &json!("0000000000000000"))
    );
    assert_eq!(
        (&bytes(2)[1], &bytes(2)[3]),
        (&json!("0800000000000000"), &json!("2000000000000000"))
    );
}

#[test]
fn endless_loops_end_by_fuel_in_slices() {
    let text = "RWStructuredBuffer<uint> Out;\n[numthreads(4, 1, 1)] void main() {\n\
                uint i = 0; while (Out[0] < 5) { i++; Out[1] = i; } }";
    let mut engine = Engine::new();
    for fuel in [1 << 10, 1 << 12] {
        let request = json!({ "do": "run", "text": text, "widths": [32], "fuel": fuel });
        let run = ask(&mut engine, request);
        assert_eq!(run["widths"][3]["ended"]["word"], "fuel", "{run}");
        assert_eq!(run["widths"][3]["ended"]["line"], 3);
        assert_eq!(run["unfinished"], true);
    }
    let swept = ask(&mut engine, json!({ "do": "sweep", "text": text, "fuel": 1 << 10 }));
    assert!(swept["findings"].is_array() && swept["error"].is_null(), "{swept}");
    // With enough fuel, a run that did not end is run again.
    let text = text.replace("Out[0] < 5", "i < 3000");
    let slice = |engine: &mut Engine, fuel: u64| {
        let request = json!({ "do": "run", "text": text, "widths": [4], "fuel": fuel });
        ask(engine, request)["widths"][0]["ended"]["word"].clone()
    };
    assert_eq!(
        (slice(&mut engine, 1 << 10), slice(&mut engine, 1 << 20)),
        (json!("fuel"), json!("done"))
    );
    assert_eq!(slice(&mut engine, 1 << 10), "done");
}

#[test]
fn memory_is_bounded() {
    let text = "RWStructuredBuffer<uint> Out;\n[numthreads(4, 1, 1)] void main() { Out[0] = 1; }";
    for flags in
        ["--bind Out=[2000000000]", "--bind Out=u32[5000000]", "--bind Out=u8[90000000]:iota"]
    {
        let compiled =
            ask(&mut Engine::new(), json!({ "do": "compile", "text": text, "flags": flags }));
        let message = compiled["problem"]["message"].as_str().unwrap();
        assert!(message.contains("at most 16 MiB"), "{flags}: {message}");
        assert_eq!(compiled["runs"], false);
    }
    let long = " ".repeat(2 << 20);
    let answer = ask(&mut Engine::new(), json!({ "do": "compile", "text": long }));
    assert!(answer["error"]["message"].as_str().unwrap().contains("longer"));
}

#[test]
fn diagnostics_have_ranges_in_utf16_and_fixes() {
    let text = "// 😀 ä\nRWStructuredBuffer<uint> Out;\n[numthreads(4, 1, 1)] void main() { Out[0] = WaveActivSum(1); }";
    let compiled = ask(&mut Engine::new(), json!({ "do": "compile", "text": text }));
    let found = &compiled["diagnostics"][0];
    assert_eq!(found["level"], "error");
    let units: Vec<u16> = text.encode_utf16().collect();
    let of = |range: &Value| {
        let at = |index: usize| range[index].as_u64().unwrap() as usize;
        String::from_utf16(&units[at(0)..at(1)]).unwrap()
    };
    assert_eq!(of(&found["range"]), "WaveActivSum");
    let fix = &found["helps"][0]["fix"];
    assert_eq!(
        (of(&fix["range"]).as_str(), &fix["replacement"]),
        ("WaveActivSum", &json!("WaveActiveSum"))
    );
    assert_eq!((&compiled["runs"], &compiled["problem"]), (&json!(false), &Value::Null));
}

#[test]
fn findings_have_call_stacks_with_ranges() {
    let text = "RWStructuredBuffer<uint> Out;\n\
                uint inner(uint a) { return 7 / a; }\n\
                uint outer(uint a) { return inner(a); }\n\
                [numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex) { Out[t] = outer(t); }";
    let swept = ask(&mut Engine::new(), json!({ "do": "sweep", "text": text }));
    let finding = &swept["findings"][0];
    assert_eq!(finding["code"], "division-by-zero", "{swept}");
    let frames = finding["stacks"][0]["frames"].as_array().unwrap();
    let at = |range: &Value, index: usize| range[index].as_u64().unwrap() as usize;
    let told = frames.iter().map(|it| {
        let range = &it["range"];
        (it["function"].as_str().unwrap(), &text[at(range, 0)..at(range, 1)])
    });
    let told: Vec<(&str, &str)> = told.collect();
    assert_eq!(told, [("inner", "7 / a"), ("outer", "inner(a)"), ("main", "outer(t)")]);
}

#[test]
fn findings_have_both_places_a_row_and_a_fix_that_was_tried() {
    let mut engine = Engine::new();
    let swept = ask(&mut engine, json!({ "do": "sweep", "text": RACE }));
    let finding = &swept["findings"][0];
    assert_eq!((&finding["code"], &finding["verdict"]), (&json!("race"), &json!("undefined")));
    assert_eq!(swept["rows"][0]["marks"], json!(["x", "x", "x", "x", ".", "."]));
    assert!(finding["related"].as_array().unwrap().iter().any(|it| !it["range"].is_null()));
    let mended = ask(&mut engine, json!({ "do": "mend", "text": RACE }));
    let fix = &mended["fixes"][0];
    let at = fix["range"][0].as_u64().unwrap() as usize;
    let fixed = format!("{}{}{}", &RACE[..at], fix["replacement"].as_str().unwrap(), &RACE[at..]);
    assert!(fixed.contains("= t;\n    GroupMemoryBarrierWithGroupSync();\n    Out[t]"), "{fixed}");
    let swept = ask(&mut engine, json!({ "do": "sweep", "text": fixed }));
    assert_eq!(swept["findings"], json!([]));
}

#[test]
fn a_comment_that_allows_a_finding_hides_it() {
    let comment = "    // wavelane: allow(race): the test wants one\n    Out[t] =";
    let text = RACE.replace("    Out[t] =", comment);
    let mut engine = Engine::new();
    let swept = ask(&mut engine, json!({ "do": "sweep", "text": text }));
    assert_eq!((&swept["findings"], &swept["rows"]), (&json!([]), &json!([])));
    let mended = ask(&mut engine, json!({ "do": "mend", "text": text }));
    assert_eq!(mended["fixes"], json!([]));
}

#[test]
fn a_fix_is_placed_where_all_threads_pass() {
    // A barrier right before the access would be divergent.
    let text = RACE.replace("    Out[t] =", "    if (t < 33)\n        Out[t] =");
    let mut engine = Engine::new();
    assert_eq!(
        ask(&mut engine, json!({ "do": "sweep", "text": text }))["findings"][0]["code"],
        "race"
    );
    let fixes = ask(&mut engine, json!({ "do": "mend", "text": text }))["fixes"].clone();
    let at = text.find("    if (t").unwrap();
    assert_eq!((&fixes[0]["range"], fixes.as_array().unwrap().len()), (&json!([at, at]), 1));
}

#[test]
fn a_fix_may_bring_to_light_what_the_race_hid() {
    let mut engine = Engine::new();
    let text = example("lost-lanes");
    let fixes = ask(&mut engine, json!({ "do": "mend", "text": text }))["fixes"].clone();
    let at = text.find("    if (thread == 0)").unwrap();
    assert_eq!(fixes[0]["range"], json!([at, at]), "{fixes}");
}

#[test]
fn a_fix_that_does_not_help_is_not_offered() {
    // Threads of other groups wait at no barrier of this one.
    let text = "RWStructuredBuffer<uint> Out;\n[numthreads(4, 1, 1)]\nvoid main(uint t : SV_DispatchThreadID) {\n    \
                Out[t] = t;\n    Out[t] = Out[t ^ 4];\n}\n";
    let mut engine = Engine::new();
    let flags = "--groups 2";
    let swept = ask(&mut engine, json!({ "do": "sweep", "text": text, "flags": flags }));
    assert_eq!(swept["findings"][0]["code"], "race", "{swept}");
    let mended = ask(&mut engine, json!({ "do": "mend", "text": text, "flags": flags }));
    assert_eq!(mended["fixes"], json!([]));
}

#[test]
fn lanes_tell_which_are_active_on_each_line() {
    let text = "RWStructuredBuffer<uint> Out;\n[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) {\n\
                if (t < 3) {\nOut[t] = 1;\n} else {\nOut[t] = 2;\n}\nOut[t + 8] = WaveActiveCountBits(true);\n}";
    let flags = "--bind Out=[16]";
    let request = json!({ "do": "lanes", "text": text, "flags": flags, "width": 8 });
    let lanes = ask(&mut Engine::new(), request);
    let wave = &lanes["waves"][0];
    assert_eq!((&wave["lanes"], &wave["group"]), (&json!("ff"), &json!([0, 0, 0])));
    let steps = wave["steps"].as_array().unwrap();
    for step in [json!([3, "ff"]), json!([4, "7"]), json!([6, "f8"]), json!([8, "ff"])] {
        assert!(steps.contains(&step), "{step}: {wave}");
    }
    let line = |wanted: u64| {
        let lines = lanes["lines"].as_array().unwrap();
        lines.iter().find(|it| it["line"] == wanted).unwrap()["average"].clone()
    };
    assert_eq!((line(4), line(6), line(8)), (json!(3.0), json!(5.0), json!(8.0)));
    let four =
        ask(&mut Engine::new(), json!({ "do": "lanes", "text": text, "flags": flags, "width": 4 }));
    assert_eq!(four["waves"].as_array().unwrap().len(), 2);
}

#[test]
fn prints_and_failed_assertions_are_reported_with_their_lanes() {
    let run = ask(&mut Engine::new(), json!({ "do": "run", "text": example("look-inside") }));
    let printed = &run["printed"][0];
    assert_eq!(printed["width"], 4);
    assert!(printed["lines"][0]["text"].as_str().unwrap().starts_with("n is "), "{printed}");
    let text = "#include <wavelane.hlsli>\n[numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex) { ASSERT(t != 2); }";
    let run = ask(&mut Engine::new(), json!({ "do": "run", "text": text }));
    assert_eq!(run["printed"][0]["failures"][0]["lane"], 2, "{run}");
}

#[test]
fn colours_cover_the_text_in_order() {
    let text = "uint ä; // 😀\nWaveActiveSum(1)";
    let tokens = ask(&mut Engine::new(), json!({ "do": "tokens", "text": text }));
    let wanted =
        json!([0, 4, "type", 5, 1, "stray", 8, 5, "comment", 14, 13, "wave", 28, 1, "number"]);
    assert_eq!(tokens["pieces"], wanted);
}

#[test]
fn unsupported_requests_to_the_playground_are_reported() {
    let ask = |request: Value| ask(&mut Engine::new(), request);
    let texture = "Texture2D<float4> T; RWStructuredBuffer<float> Out;\n\
                   [numthreads(4, 1, 1)] void main() { Out[0] = T[uint2(0, 0)].x; }";
    let compiled = ask(json!({ "do": "compile", "text": texture }));
    assert!(compiled["problem"]["help"].as_str().unwrap().contains("buffers only"), "{compiled}");
    for (request, message) in [
        (json!({ "do": "dance" }), "`dance` is not a request"),
        (json!(7), "`` is not a request"),
        (json!({ "do": "emit", "text": "int" }), "the program has errors"),
        (
            json!({ "do": "run", "text": example("compact"), "flags": "--bind Nope=1" }),
            "no buffer `Nope`",
        ),
        (
            json!({ "do": "run", "text": example("compact"), "flags": "--bind Items=@a.bin" }),
            "no files",
        ),
        (
            json!({ "do": "run", "text": example("free-ids"), "flags": "--set Other=1" }),
            "no constant buffer",
        ),
        (
            json!({ "do": "run", "text": example("compact"), "flags": "--draw 3" }),
            "no flag `--draw`",
        ),
    ] {
        let answer = ask(request.clone());
        let got = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(got.contains(message), "{request}: {answer}");
    }
    let emitted = ask(json!({ "do": "emit", "text": example("compact") }));
    assert!(emitted["ir"].as_str().unwrap().contains("wave."), "{emitted}");
}

#[test]
fn no_bytes_make_the_engine_panic() {
    let whole =
        json!({ "do": "run", "text": RACE, "flags": "--groups 2 --bind Out=[64]" }).to_string();
    let mut engine = Engine::new();
    for end in 0..whole.len() {
        engine.call(&whole.as_bytes()[..end]);
    }
    for byte in 0..=255 {
        engine.call(&[byte]);
    }
    // A program that is being typed, with every request on every tenth beginning.
    for end in (0..RACE.len()).step_by(10) {
        for what in ["tokens", "compile", "run", "sweep", "mend", "lanes", "emit"] {
            let request = json!({ "do": what, "text": &RACE[..end], "fuel": 4096 });
            let answer: Value =
                serde_json::from_slice(&engine.call(request.to_string().as_bytes())).unwrap();
            assert!(answer.is_object());
        }
    }
}

/// The command line and the playground give the same findings at the same widths.
#[test]
fn every_page_of_a_finding_shows_it_in_the_playground() {
    let mut shown = 0;
    for code in diag::codes().iter().filter(|it| it.in_runs) {
        let Some((before, rest)) = code.page().split_once("`wavelane san a.hlsl ") else {
            continue;
        };
        let flags = rest.split('`').next().unwrap();
        let text = before.rsplit_once("```hlsl\n").unwrap().1.split_once("\n```").unwrap().0;
        // It has no draws, scenes or feedback maps.
        if ["--draw", "Scene=", "=feedback("].iter().any(|it| flags.contains(it)) {
            continue;
        }
        let request = json!({ "do": "sweep", "text": text, "flags": flags });
        let swept = ask(&mut Engine::new(), request);
        let findings =
            swept["findings"].as_array().unwrap_or_else(|| panic!("{}: {swept}", code.name));
        // An assertion is not a finding of the sanitizer.
        assert!(
            code.name == "assertion-failed" || findings.iter().any(|it| it["code"] == code.name),
            "{}: {swept}",
            code.name
        );
        shown += 1;
    }
    assert!(shown >= 20, "{shown}");
}
