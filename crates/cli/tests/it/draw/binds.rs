//! `--bind`, `--set` and `--counter` of draws reach every stage that declares the name.

use std::path::Path;

use serde_json::{Value, json};

use super::{folder, text, wavelane};

/// Both stages count in one buffer; each has separate constants and buffers.
const BOTH: &str = "RWStructuredBuffer<uint> Log;
RWStructuredBuffer<uint> Early;
StructuredBuffer<float> Depths;
StructuredBuffer<float> Spare;
float Scale;
cbuffer Placed { float Shift; }
cbuffer Coloured { float Blue; }
float4 corners(uint i : SV_VertexID) : SV_Position {
    InterlockedAdd(Log[0], 1u);
    Early[i] = i + 10;
    return float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, Depths[0] * Scale + Shift, 1);
}
float4 main(float4 at : SV_Position) : SV_Target {
    InterlockedAdd(Log[0], 100u);
    return float4(at.z, Scale, Blue, 1);
}
";

const DRAW: [&str; 10] = [
    "a.hlsl",
    "-T",
    "ps_6_6",
    "--draw",
    "fullscreen",
    "--vertex",
    "corners",
    "--size",
    "2x2",
    "--bind=Log=[1]",
];

const ALL: [&str; 5] = [
    "--bind=Early=[3]",
    "--bind=Depths=0.25",
    "--set=Scale=2",
    "--set=Shift=0.125",
    "--set=Blue=3",
];

/// The exit status, and what both streams say.
fn run(command: &str, more: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let output = wavelane(&[&[command], &DRAW[..], more].concat(), folder);
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn values_reach_every_stage_that_declares_the_name() {
    let folder = folder("binds", &[("a.hlsl", BOTH)]);
    for engine in ["interp", "cpu"] {
        let more = ["--engine", engine, "--wave-size", "4,16", "--format", "json"];
        let (status, out, said) = run("run", &[&ALL[..], &more].concat(), &folder);
        assert_eq!((status, said.as_str()), (Some(0), ""), "{engine}");
        let report: Value = serde_json::from_str(&out).unwrap();
        let runs = report["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 2, "{report}");
        for run in runs {
            let buffers = &run["buffers"];
            // Three vertices and four pixels, at every width from the same contents.
            assert_eq!(buffers["Log"], json!([403]), "{run}");
            assert_eq!(buffers["Early"], json!([10, 11, 12]), "{run}");
            let texels = buffers["Target"].as_array().unwrap();
            assert_eq!(texels[..4], [json!(0.625), json!(2.0), json!(3.0), json!(1.0)], "{run}");
        }
    }
    // What the overlay draws for itself writes to separate copies.
    let more = ["--overlay", "quads", "-o", "a.png", "--print", "Log"];
    let (status, out, said) = run("run", &[&ALL[..], &more].concat(), &folder);
    assert!(status == Some(0) && out.contains("403"), "{out}{said}");
    // The sanitizer and `bench` draw the same.
    let (status, out, said) = run("bench", &[&ALL[..], &["--rounds", "1"]].concat(), &folder);
    assert!(status == Some(0) && said.is_empty() && out.contains("4 pixels"), "{out}{said}");
    let (status, out, said) = run("san", &ALL, &folder);
    assert!(status == Some(0) && !said.contains("no effect"), "{out}{said}");
}

#[test]
fn names_are_checked_against_all_stages() {
    let folder = folder("bind-names", &[("a.hlsl", BOTH)]);
    for (more, says) in [
        (&["--bind=Deaths=1"][..], "no shader of the draw has a buffer `Deaths`"),
        (&["--bind=Deaths=1"], "did you mean `Depths`?"),
        (&["--bind=Deaths=1"], "there are: $Globals, Coloured, Depths, Early, Log, Placed, Spare"),
        (&["--set=Shaft=1"], "no constant buffer of the draw has a member `Shaft`"),
        (&["--set=Shaft=1"], "did you mean `Shift`?"),
        (&["--set=Depths=1"], "`--set` sets members, but `Depths` is a whole buffer"),
        (&["--counter=Deaths=1"], "no shader of the draw has a buffer `Deaths`"),
        (&["--bind=Log=[1]"], "it is bound twice"),
        (&["--bind=Early=[3]", "--set=Blue=1", "--set=Scale=1"], "nothing is bound to"),
    ] {
        for command in ["run", "bench", "san"] {
            let (status, _, said) = run(command, more, &folder);
            assert!(status == Some(2) && said.contains(says), "{command} {more:?}: {said}");
        }
    }
    // What only one of the stages does not use needs no note.
    let more = [&ALL[..], &["--bind=Spare=1"]].concat();
    let (status, _, said) = run("run", &more, &folder);
    let note =
        "no shader of the draw uses `Spare` (a.hlsl:4), so what is given to it has no effect";
    assert!(status == Some(0) && said.contains(note), "{said}");
    assert_eq!(said.matches("no effect").count(), 1, "{said}");
}
