//! `wavelane bench` of draws: what is reported, and that results are compared. Times are never asserted.

use std::path::Path;

use serde_json::Value;

use super::{PACKED, folder, text, wavelane};

const FLAT: &str = "float4 main(float4 position : SV_Position) : SV_Target { return float4(position.xy, 0, 1); }\n";

fn bench(words: &[&str], folder: &Path) -> (Option<i32>, Value) {
    let more = ["--rounds", "2", "--format", "json"];
    let output = wavelane(&[&["bench"], words, &more].concat(), folder);
    let report = serde_json::from_slice(&output.stdout);
    let report = report.unwrap_or_else(|_| panic!("{words:?}: {}", text(&output.stderr)));
    (output.status.code(), report)
}

#[test]
fn draws_are_timed_with_what_they_draw() {
    let job = PACKED.replace("SHOWN", "position / 3");
    let files = [("a.hlsl", FLAT), ("a.test", job.as_str())];
    let folder = folder("bench", &files);
    let draw = ["a.hlsl", "--draw", "fullscreen", "--size", "6x4"];
    for engine in ["interp", "cpu"] {
        let widths = ["--engine", engine, "--wave-size", "4,32"];
        let (status, report) = bench(&[&draw[..], &widths].concat(), &folder);
        assert_eq!(status, Some(0), "{report}");
        let of_file = &report["benches"][0];
        assert_eq!(
            (&of_file["pixels"], &of_file["primitives"]),
            (&24.into(), &1.into()),
            "{of_file}"
        );
        assert!(of_file["front_end_ms"]["median"].as_f64().unwrap() > 0.0, "{of_file}");
        let runs = of_file["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 2, "{of_file}");
        for run in runs {
            assert!(run["pixels_per_s"].as_f64().unwrap() > 0.0, "{run}");
            assert!(run["primitives_per_s"].as_f64().unwrap() > 0.0, "{run}");
            assert_eq!(run["run_ms"]["rounds"], 2, "{run}");
        }
        // The draw of a job, whose target has 4x2 pixels.
        let (status, report) = bench(&["a.test", "--engine", engine], &folder);
        assert_eq!(status, Some(0), "{report}");
        assert_eq!(report["benches"][0]["pixels"], 8, "{report}");
    }
    let output = wavelane(&[&["bench"], &draw[..], &["--rounds", "1"]].concat(), &folder);
    let shown = text(&output.stdout);
    assert!(shown.contains("24 pixels of 1 primitive"), "{shown}");
    assert!(shown.contains("Mpixel/s"), "{shown}");
}

#[test]
fn two_draws_take_turns_and_are_compared() {
    let same = FLAT.replace("float4(position.xy, 0, 1)", "float4(position.x, position.y, 0, 1)");
    let wrong = FLAT.replace("position.xy, 0", "position.xy, position.x > 3");
    let scalar = "float main(float4 position : SV_Position) : SV_Target { return position.x; }";
    let files = [
        ("a.hlsl", FLAT),
        ("same.hlsl", &same),
        ("wrong.hlsl", &wrong),
        ("a.test", &PACKED.replace("SHOWN", "1")),
        ("scalar.hlsl", scalar),
    ];
    let folder = folder("bench-against", &files);
    let draw = ["a.hlsl", "--draw", "fullscreen", "--size", "4x2"];
    let (status, report) = bench(&[&draw[..], &["--against", "same.hlsl"]].concat(), &folder);
    let against = &report["benches"][0]["runs"][0]["against"];
    assert_eq!((status, &against["same_results"]), (Some(0), &true.into()), "{report}");
    assert!(against["ratio"]["median"].as_f64().unwrap() > 0.0, "{report}");
    let (status, report) = bench(&[&draw[..], &["--against", "wrong.hlsl"]].concat(), &folder);
    let against = &report["benches"][0]["runs"][0]["against"];
    assert_eq!((status, &against["same_results"]), (Some(1), &false.into()), "{report}");
    let place = against["difference"]["place"].as_str().unwrap();
    assert!(place.contains("pixel (3, 0)") && place.contains("Target"), "{place}");
    // An earlier report is of the same work only if as much was drawn.
    let (_, report) = bench(&draw, &folder);
    std::fs::write(folder.join("then.json"), report.to_string()).unwrap();
    let (status, report) = bench(&[&draw[..], &["--against", "then.json"]].concat(), &folder);
    assert!(matches!(status, Some(0)), "{report}");
    let larger = ["a.hlsl", "--draw", "fullscreen", "--size", "8x2", "--against", "then.json"];
    let output = wavelane(&[&["bench"], &larger[..]].concat(), &folder);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("8 pixels then, and 16 now"), "{}", text(&output.stderr));
    // What cannot be compared says so.
    let sized = ["a.hlsl", "--draw", "fullscreen", "--size", "8x2", "--against", "scalar.hlsl"];
    let output = wavelane(&[&["bench"], &sized[..]].concat(), &folder);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("draws into other targets"), "{}", text(&output.stderr));
    let output = wavelane(&["bench", "a.test", "--draw", "fullscreen"], &folder);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn draws_are_compared_as_the_flags_say() {
    let shader = "RWStructuredBuffer<uint> Order;
float4 main(float4 at : SV_Position) : SV_Target {
    uint i = uint(at.x) + 4 * uint(at.y);
    Order[PLACE] = i;
    return asfloat(asuint(at.x) + OFF);
}
";
    let file = |place: &str, off: &str| shader.replace("PLACE", place).replace("OFF", off);
    let files = [
        ("a.hlsl", file("i", "0")),
        ("turned.hlsl", file("7 - i", "0")),
        ("other.hlsl", file("i / 2", "0")),
        ("near.hlsl", file("i", "2")),
    ];
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = folder("bench-rules", &files);
    let against = |file: &str, more: &[&str]| {
        let draw = ["a.hlsl", "--draw", "fullscreen", "--size", "4x2", "--bind=Order=[8]"];
        let (status, report) = bench(&[&draw[..], &["--against", file], more].concat(), &folder);
        let same = report["benches"][0]["runs"][0]["against"]["same_results"].as_bool();
        assert_eq!(status, Some(i32::from(same == Some(false))), "{report}");
        same.unwrap()
    };
    assert!(!against("turned.hlsl", &[]));
    assert!(against("turned.hlsl", &["--unordered", "Order"]));
    assert!(!against("turned.hlsl", &["--float-ulp", "9"]));
    assert!(!against("other.hlsl", &["--unordered", "Order"]));
    assert!(!against("near.hlsl", &["--unordered", "Order"]));
    assert!(!against("near.hlsl", &["--float-ulp", "1"]));
    assert!(against("near.hlsl", &["--float-ulp", "2"]));
    let words = ["bench", "a.hlsl", "--draw", "fullscreen", "--size", "4x2", "--bind=Order=[8]"];
    let more = ["--against", "turned.hlsl", "--unordered", "Target"];
    let output = wavelane(&[&words[..], &more].concat(), &folder);
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("is a target"), "{said}");
}
