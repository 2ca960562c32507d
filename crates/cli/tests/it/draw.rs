//! Draws without a job: `wavelane run FILE --draw`, and jobs with golden images.

use crate::support;

mod bench;
mod binds;
mod caps;
mod new;
mod refused;
mod state;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use jobs::Picture;

const GRADIENT: &str = "cbuffer C { float Blue; }
float4 main(float4 position : SV_Position, float2 uv : TEXCOORD) : SV_Target {
    return float4(uv, Blue, 1);
}
";

/// A pixel shader whose result depends on the vendor: a ballot says which pixels share a wave.
const BALLOT: &str = "float4 main(float4 position : SV_Position) : SV_Target {
    return countbits(WaveActiveBallot(true).x) / 32.0;
}
";

fn wavelane(words: &[&str], folder: &Path) -> Output {
    support::command(folder, words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    support::fresh_folder(&format!("draw/{name}"), files)
}

fn fine(words: &[&str], folder: &Path) -> String {
    let output = wavelane(words, folder);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_pixel_shader_is_a_one_liner() {
    let folder = folder("one-liner", &[("a.hlsl", GRADIENT)]);
    let draw = ["run", "a.hlsl", "-T", "ps_6_6", "--draw", "fullscreen", "--size", "4x2"];
    let more = |more: &[&'static str]| [&draw[..], &["--set", "Blue=0.5"], more].concat();
    assert_eq!(fine(&more(&["-o", "a.png"]), &folder), "");
    let picture = Picture::read(&fs::read(folder.join("a.png")).unwrap()).unwrap();
    assert_eq!((picture.width(), picture.height()), (4, 2));
    fine(&more(&["-o", "a.npy"]), &folder);
    let array = fs::read(folder.join("a.npy")).unwrap();
    assert!(text(&array).contains("'shape': (2,4,4,)"), "{}", text(&array));
    let first: Vec<f32> = array[array.len() - 2 * 4 * 16..][..16]
        .chunks_exact(4)
        .map(|it| f32::from_le_bytes([it[0], it[1], it[2], it[3]]))
        .collect();
    assert_eq!(first, [0.125, 0.25, 0.5, 1.0]);
    // Every width gives the same, which `--format json` says.
    let json = fine(&more(&["--wave-size", "all", "--format", "json"]), &folder);
    assert!(json.contains("0.125,0.25,0.5,1") || json.contains("0.125, 0.25"), "{json}");
    assert!(!json.contains("\"agree\": false") && !json.contains("\"agree\":false"), "{json}");
}

#[test]
fn a_result_that_depends_on_the_width_is_found() {
    let folder = folder("ballot", &[("a.hlsl", BALLOT)]);
    let words = [
        "run",
        "a.hlsl",
        "-T",
        "ps_6_6",
        "--draw",
        "fullscreen",
        "--size",
        "8x8",
        "--wave-size",
        "4,32",
        "--format",
        "json",
    ];
    let json = fine(&words, &folder);
    assert!(json.contains("depends_on_wave_size") && json.contains("Target"), "{json}");
}

#[test]
fn a_mesh_is_fitted_into_the_target() {
    let square = "v -3 -3 0\nv 3 -3 0\nv 3 3 0\nv -3 3 0\nf 1 2 3 4\n";
    let shader = "float4 main(float4 p : SV_Position, float3 n : NORMAL) : SV_Target { return float4(n, 1); }\n";
    let folder =
        folder("mesh", &[("m.obj", square), ("a.hlsl", shader), ("bad.obj", "v 0 0 0\nf 1 2 3\n")]);
    let words =
        ["run", "a.hlsl", "-T", "ps_6_6", "--draw", "m.obj", "--size", "4x4", "--format", "json"];
    let json = fine(&words, &folder);
    // The normal points at the viewer, and the square covers nine tenths: all pixel centres.
    assert!(json.contains("0.0,0.0,1.0,1.0,0.0,0.0,1.0,1.0"), "{json}");
    let bad = wavelane(&["run", "a.hlsl", "-T", "ps_6_6", "--draw", "bad.obj"], &folder);
    assert_eq!(bad.status.code(), Some(2));
    assert!(text(&bad.stderr).contains("bad.obj:2: there is no number 2"), "{}", text(&bad.stderr));
}

#[test]
fn an_overlay_shows_lanes() {
    let folder = folder("overlay", &[("a.hlsl", GRADIENT)]);
    let mut seen = Vec::new();
    for overlay in ["quads", "helpers", "waves"] {
        let file = format!("{overlay}-{{width}}.png");
        let words = [
            "run",
            "a.hlsl",
            "-T",
            "ps_6_6",
            "--draw",
            "fullscreen",
            "--size",
            "8x8",
            "--set",
            "Blue=0",
            "--wave-size",
            "4,16",
            "--overlay",
            overlay,
            "-o",
            &file,
        ];
        fine(&words, &folder);
        for width in [4, 16] {
            let bytes = fs::read(folder.join(format!("{overlay}-{width}.png"))).unwrap();
            let picture = Picture::read(&bytes).unwrap();
            assert_eq!((picture.width(), picture.height()), (256, 256), "{overlay}");
            seen.push((overlay, width, picture));
        }
    }
    // Waves differ with their width, quads do not.
    assert_eq!(seen[0].2, seen[1].2);
    assert_ne!(seen[4].2, seen[5].2);
}

#[test]
fn mistakes_in_draws_are_reported() {
    let needs = "float4 main(float3 t : TANGENT) : SV_Target { return float4(t, 1); }\n";
    let folder = folder("mistakes", &[("a.hlsl", GRADIENT), ("t.hlsl", needs), ("j.obj", "")]);
    for (words, status, says) in [
        (&["a.hlsl", "-T", "ps_6_6", "--draw", "fulscreen"][..], 2, "--draw fullscreen, or a mesh"),
        (&["a.hlsl", "-T", "ps_6_6", "--draw", "none.obj"], 2, "`none.obj` cannot be read"),
        (&["a.hlsl", "-T", "ps_6_6", "--draw", "j.obj"], 2, "no faces"),
        (
            &["a.hlsl", "-T", "ps_6_6", "--draw", "fullscreen", "--size", "0x4"],
            2,
            "1 to 16384 pixels",
        ),
        (&["a.hlsl", "-T", "ps_6_6", "--draw", "fullscreen", "--size", "4"], 2, "the form is WxH"),
        (
            &["a.hlsl", "-T", "ps_6_6", "--draw", "fullscreen", "--samples", "3"],
            2,
            "1, 2, 4, 8 or 16",
        ),
        (
            &["a.hlsl", "-T", "ps_6_6", "--draw", "fullscreen", "--target", "RGBA8"],
            2,
            "`RGBA8` is not the format of a target",
        ),
        (
            &["a.hlsl", "-T", "ps_6_6", "--draw", "fullscreen", "--target", "RGBA8"],
            2,
            "did you mean `RGBA8_UNORM`?",
        ),
        (
            &["a.hlsl", "-T", "ps_6_6", "--draw", "fullscreen", "--target", "R8G8_UNOM"],
            2,
            "did you mean `R8G8_UNORM`?",
        ),
        (
            &["a.hlsl", "-T", "ps_6_6", "--draw", "fullscreen", "--target", "FOO"],
            2,
            "they are R, RG or RGBA with 8, 16 or 32 bits",
        ),
        (
            &[
                "a.hlsl",
                "-T",
                "ps_6_6",
                "--draw",
                "fullscreen",
                "--set",
                "Blue=1",
                "--overlay",
                "lanes",
                "-o",
                "a.png",
            ],
            2,
            "quads",
        ),
        (
            &[
                "a.hlsl",
                "-T",
                "ps_6_6",
                "--draw",
                "fullscreen",
                "--set",
                "Blue=1",
                "--overlay",
                "waves",
                "-o",
                "a.npy",
            ],
            2,
            "does not end in `.png`",
        ),
        (&["a.hlsl", "-T", "ps_6_6", "-o", "a.png"], 2, "`-o` writes the targets of a draw"),
        (&["a.hlsl", "-T", "vs_6_6", "--draw", "fullscreen"], 2, "draws with a pixel shader"),
        (&["t.hlsl", "-T", "ps_6_6", "--draw", "fullscreen"], 2, "`main` reads `TANGENT`"),
    ] {
        let output = wavelane(&[&["run"], words].concat(), &folder);
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{words:?}: {shown}");
        assert!(shown.contains(says), "{words:?}: {shown}");
    }
}

#[test]
fn parts_of_a_draw_that_do_not_fit_are_located() {
    let shaders = "struct V { float4 at : SV_Position; float2 mood : MOOD; };
V vs(uint i : SV_VertexID) { return (V)0; }
struct P { float4 at : SV_Position; float2 mood : TEMPER; };
float4 other(P p) : SV_Target { return p.mood.x; }
float4 more(float4 at : SV_Position, float3 mood : MOOD) : SV_Target { return mood.x; }
uint4 whole(float4 at : SV_Position) : SV_Target { return 1; }
float4 alone(float3 mood : MOOD) : SV_Target { return mood.x; }
";
    let folder = folder("places", &[("a.hlsl", shaders)]);
    for (entry, more, place, says) in [
        ("other", &["--vertex", "vs"][..], "a.hlsl:3:51: error: ", "reads `TEMPER`"),
        ("more", &["--vertex", "vs"], "a.hlsl:5:52: error: ", "writes `MOOD` as `float2`"),
        (
            "whole",
            &["--target", "RGBA8_UNORM"],
            "a.hlsl:6:40: error: ",
            "whose format is RGBA8_UNORM",
        ),
        ("alone", &[], "a.hlsl:7:28: error: ", "`alone` reads `MOOD`"),
    ] {
        for command in ["run", "san", "bench"] {
            let words = [command, "a.hlsl", "-T", "ps_6_6", "-E", entry, "--draw", "fullscreen"];
            let output = wavelane(&[&words, more].concat(), &folder);
            let shown = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command} {entry}: {shown}");
            assert!(shown.starts_with(place) && shown.contains(says), "{command}: {shown}");
        }
    }
}

#[test]
fn a_target_is_as_large_as_the_caps_say() {
    let shader = "float main(float4 p : SV_Position) : SV_Target { return p.x; }\n";
    let folder = folder("size", &[("a.hlsl", shader)]);
    let caps = wavelane(&["caps"], &folder);
    let most = wavelane::internal::MOST_PIXELS;
    assert!(text(&caps.stdout).contains(&most.to_string()), "{}", text(&caps.stdout));
    let run = |side: u32| {
        let size = format!("{side}x1");
        let words = ["run", "a.hlsl", "--draw", "fullscreen", "--size", &size, "--format", "json"];
        wavelane(&words, &folder)
    };
    let largest = run(most);
    assert_eq!(largest.status.code(), Some(0), "{}", text(&largest.stderr));
    assert!(text(&largest.stdout).contains(&format!("{}.5]", most - 1)));
    assert_eq!(run(most + 1).status.code(), Some(2));
}

#[test]
fn channels_that_share_a_word_are_printed_one_by_one() {
    let shader =
        "float4 main(float4 p : SV_Position) : SV_Target { return float4(p.x / 4, 0.5, 1, 1); }\n";
    let folder = folder("packed", &[("a.hlsl", shader)]);
    let run = |more: &[&str]| {
        let words = ["run", "a.hlsl", "--draw", "fullscreen", "--size", "2x1", "--target"];
        text(&wavelane(&[&words, more].concat(), &folder).stdout)
    };
    let floats = "2x1 RG11B10_FLOAT, 2 x f32x3\n    0 | 0.125   0.5     1  0.375   0.5     1\n";
    assert!(run(&["RG11B10_FLOAT"]).contains(floats), "{}", run(&["RG11B10_FLOAT"]));
    let integers =
        "2x1 RGB10A2_UNORM, 2 x u32x4\n    0 |  128  512 1023    3   384  512 1023    3\n";
    assert!(run(&["RGB10A2_UNORM"]).contains(integers), "{}", run(&["RGB10A2_UNORM"]));
    // The words are shown on request.
    let words = run(&["RGB10A2_UNORM", "--print", "Target:x"]);
    assert!(words.contains("0 | 0xfff80080 0xfff80180\n"), "{words}");
}

const GOLDEN: &str = "#--- vertex.hlsl
float4 main(uint id : SV_VertexID) : SV_Position {
    return float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
}
#--- pixel.hlsl
float4 main(float4 position : SV_Position) : SV_Target { return float4(1, 0, position.x > RED, 1); }
#--- pipeline.yaml
Shaders: [{ Stage: Vertex, Entry: main }, { Stage: Pixel, Entry: main }]
Buffers:
  - { Name: T, Format: Float32, Channels: 4, FillSize: 128, OutputProps: { Width: 4, Height: 2, Depth: 1 } }
Bindings: { RenderTarget: T }
DescriptorSets: []
DispatchParameters: { VertexCount: 3 }
#--- end
# REQUIRES: goldenimage
# RUN: %dxc_target -T vs_6_0 -Fo %t-v.o %t/vertex.hlsl
# RUN: %dxc_target -T ps_6_0 -D RED=LIMIT -Fo %t-p.o %t/pixel.hlsl
# RUN: %offloader %t/pipeline.yaml %t-v.o %t-p.o -r T -o %t/T.png
# RUN: imgdiff %t/T.png %goldenimage_dir/a/red.png
";

#[test]
fn golden_images_are_compared_if_their_folder_is_given() {
    let same = GOLDEN.replace("LIMIT", "9");
    let files = [("same.test", same.as_str()), ("other.test", &GOLDEN.replace("LIMIT", "2"))];
    let folder = folder("golden", &files);
    fs::create_dir_all(folder.join("images/a")).unwrap();
    let red = Picture::rgb8(4, 2, &[[255, 0, 0]; 8]).unwrap().write().unwrap();
    fs::write(folder.join("images/a/red.png"), red).unwrap();
    let run = |words: &[&str]| {
        let output = wavelane(&[&["test"], words].concat(), &folder);
        (output.status.code(), format!("{}{}", text(&output.stdout), text(&output.stderr)))
    };
    let (status, shown) = run(&["same.test"]);
    assert!(status == Some(3) && shown.contains("it requires `goldenimage`"), "{shown}");
    let (status, shown) = run(&["same.test", "--golden", "images"]);
    assert!(status == Some(0) && shown.contains("6 passed"), "{shown}");
    assert!(shown.contains("every pixel is within 1/65535 of the golden image"), "{shown}");
    let (status, shown) = run(&["other.test", "--golden", "images", "--wave-size", "4"]);
    assert!(status == Some(1) && shown.contains("the furthest distance is"), "{shown}");
    assert!(shown.contains("4 pixels are not within"), "{shown}");
    let (status, shown) = run(&["same.test", "--golden", "none"]);
    assert!(status == Some(2) && shown.contains("`none` is not a folder"), "{shown}");
    fs::remove_file(folder.join("images/a/red.png")).unwrap();
    let (_, shown) = run(&["same.test", "--golden", "images"]);
    assert!(shown.contains("there is no golden image"), "{shown}");
}

/// Counts pixels and the discarded ones, where a machine lets helper lanes take part.
const VISIBLE: &str = "RWStructuredBuffer<uint> Visible;
float4 main(float4 position : SV_Position) : SV_Target {
    if (position.x > 3) discard;
    uint pixels = WaveActiveCountBits(true);
    if (WaveIsFirstLane()) InterlockedAdd(Visible[0], pixels);
    return 1;
}
";

#[test]
fn a_draw_is_examined() {
    let kept =
        VISIBLE.replace("    uint pixels", "    if (IsHelperLane()) return 0;\n    uint pixels");
    let files = [("a.hlsl", VISIBLE), ("kept.hlsl", kept.as_str())];
    let folder = folder("examined", &files);
    let examine = |more: &[&str]| {
        let draw = ["-T", "ps_6_6", "--draw", "fullscreen", "--size", "4x4", "--format", "json"];
        let output =
            wavelane(&[&["san"], more, &draw, &["--bind", "Visible=[1]"]].concat(), &folder);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), report)
    };
    let (status, report) = examine(&["a.hlsl"]);
    assert_eq!(status, Some(1), "{report}");
    let [finding] = report["findings"].as_array().unwrap().as_slice() else { panic!("{report}") };
    assert_eq!(finding["id"], "depends-on-helpers");
    assert_eq!((&finding["line"], &finding["stage"]), (&4.into(), &"pixel".into()));
    assert_eq!(finding["order"], "helpers=included");
    assert_eq!(finding["pixel"], serde_json::json!([2, 0]));
    assert!(finding["text"].as_str().unwrap().contains("helper lanes (helpers=included)"));
    // The command that repeats it does.
    let again = finding["command"].as_str().unwrap().replace('\'', "");
    let words: Vec<&str> = again.split_whitespace().skip(1).collect();
    let output = wavelane(&words, &folder);
    assert_eq!(output.status.code(), Some(1), "{again}: {}", text(&output.stderr));
    let (status, report) = examine(&["kept.hlsl"]);
    assert_eq!((status, report["findings"].as_array().unwrap().len()), (Some(0), 0), "{report}");
    let (status, report) = examine(&["a.hlsl", "--orders", "packing=one-quad"]);
    assert_eq!((status, report["findings"].as_array().unwrap().len()), (Some(0), 0), "{report}");
    let bad = wavelane(
        &[
            "san",
            "a.hlsl",
            "-T",
            "ps_6_6",
            "--draw",
            "fullscreen",
            "--bind",
            "Visible=[1]",
            "--width-dependent",
            "Tarjet",
        ],
        &folder,
    );
    let shown = text(&bad.stderr);
    assert!(bad.status.code() == Some(2) && shown.contains("`Tarjet`"), "{shown}");
}

/// A job whose pixels differ between packings.
const PACKED: &str = "#--- vertex.hlsl
float4 main(uint id : SV_VertexID) : SV_Position {
    return float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
}
#--- pixel.hlsl
float4 main(float4 position : SV_Position) : SV_Target { return SHOWN; }
#--- pipeline.yaml
Shaders: [{ Stage: Vertex, Entry: main }, { Stage: Pixel, Entry: main }]
Buffers:
  - { Name: T, Format: Float32, Channels: 4, FillSize: 128, OutputProps: { Width: 4, Height: 2, Depth: 1 } }
Bindings: { RenderTarget: T }
DescriptorSets: []
DispatchParameters: { VertexCount: 3 }
#--- end
# RUN: split-file %s %t
# RUN: %dxc_target -T vs_6_0 -Fo %t-v.o %t/vertex.hlsl
# RUN: %dxc_target -T ps_6_0 -Fo %t-p.o %t/pixel.hlsl
# RUN: %offloader %t/pipeline.yaml %t-v.o %t-p.o
";

#[test]
fn jobs_that_draw_are_examined() {
    let wrong = PACKED.replace("SHOWN", "WaveActiveMax(position.x)");
    let right = PACKED.replace("SHOWN", "float4(ddx(position.x), position.yx, 1)");
    let folder = folder("examined-jobs", &[("wrong.test", &wrong), ("right.test", &right)]);
    let examine = |file: &str| {
        let output = wavelane(&["san", file, "--wave-size", "all", "--format", "json"], &folder);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), report)
    };
    let (status, report) = examine("wrong.test");
    assert_eq!(status, Some(1), "{report}");
    assert_eq!(report["findings"][0]["id"], "depends-on-packing", "{report}");
    assert!(report["findings"][0]["message"].as_str().unwrap().contains("`T` depends on"));
    let (status, report) = examine("right.test");
    assert_eq!((status, report["findings"].as_array().unwrap().len()), (Some(0), 0), "{report}");
    assert_eq!(report["programs"][0]["widths"].as_array().unwrap().len(), 6, "{report}");
}

#[test]
fn a_job_writes_its_picture() {
    let folder = folder("written", &[("a.test", &PACKED.replace("SHOWN", "float4(1, 0, 0, 1)"))]);
    let run = |more: &[&str]| wavelane(&[&["run", "a.test"], more].concat(), &folder);
    let done = run(&["--out", "T=a.png"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let picture = Picture::read(&fs::read(folder.join("a.png")).unwrap()).unwrap();
    assert_eq!((picture.width(), picture.height()), (4, 2));
    let done = run(&["--out", "T=a-{width}.npy", "--wave-size", "4,8"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    for width in [4, 8] {
        let array = fs::read(folder.join(format!("a-{width}.npy"))).unwrap();
        assert!(text(&array).contains("'shape': (2,4,4,)"), "{}", text(&array));
    }
    for (more, says) in [
        (&["--out", "U=a.png"][..], "the job has no buffer `U`"),
        (&["--out", "T=a.jpg"], "has an unknown ending; expected"),
        (&["--out", "T=a.png", "--wave-size", "4,8"], "one file for several wave sizes"),
    ] {
        let bad = run(more);
        assert_eq!(bad.status.code(), Some(2), "{more:?}");
        assert!(text(&bad.stderr).contains(says), "{more:?}: {}", text(&bad.stderr));
    }
}

#[test]
fn engines_draw_alike() {
    let folder = folder("alike", &[("a.test", &PACKED.replace("SHOWN", "position / 3"))]);
    let words = ["diff", "a.test", "--engines", "interp,cpu", "--wave-size", "4,32"];
    let output = wavelane(&[&words[..], &["--format", "json"]].concat(), &folder);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert_eq!(report.to_string().matches("\"result\":\"same\"").count(), 2, "{report}");
}

#[test]
fn a_pixel_shader_is_compared_without_a_job() {
    let folder = folder("undrawn", &[("a.hlsl", BALLOT), ("b.hlsl", GRADIENT)]);
    let draw = ["-T", "ps_6_6", "--draw", "fullscreen", "--size", "5x3", "--engines", "interp,cpu"];
    let diff = |words: &[&str]| {
        let output = wavelane(&[&["diff"], words, &draw, &["--format", "json"]].concat(), &folder);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), report)
    };
    let (status, report) = diff(&["a.hlsl", "--wave-size", "4,128"]);
    assert_eq!(status, Some(0), "{report}");
    assert_eq!(report.to_string().matches("\"result\":\"same\"").count(), 2, "{report}");
    // Bindings and their mistakes are those of `run`.
    let (status, report) = diff(&["b.hlsl", "--set", "Blue=0.5"]);
    assert_eq!(status, Some(0), "{report}");
    let (status, report) = diff(&["b.hlsl", "--set", "Green=0.5"]);
    assert_eq!(status, Some(2), "{report}");
    assert!(report.to_string().contains("Green"), "{report}");
    let refused = wavelane(&["diff", "a.hlsl", "--size", "4x4"], &folder);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("`--size` is for draws"), "{}", text(&refused.stderr));
}

#[test]
fn pixels_have_places() {
    let folder = folder("positions", &[("a.test", &PACKED.replace("SHOWN", "position / 3"))]);
    let words = ["diff", "a.test", "--engines", "interp,cpu", "--unordered", "T"];
    let refused = wavelane(&words, &folder);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stdout));
    let said = text(&refused.stdout) + &text(&refused.stderr);
    assert!(said.contains("`T` is a target, whose pixels have places"), "{said}");
}

#[test]
fn a_gpu_chooses_the_packing_of_pixels_only_where_that_is_accepted() {
    let folder = folder("packing", &[("a.hlsl", BALLOT)]);
    let draw = ["run", "a.hlsl", "-T", "ps_6_6", "--draw", "fullscreen", "--size", "4x4"];
    let on = |more: &[&'static str]| wavelane(&[&draw[..], more].concat(), &folder);
    let refused = on(&["--packing", "device"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("--engine vulkan"), "{}", text(&refused.stderr));
    // Without a device the engine is unsupported, with one the wave operations are.
    let refused = on(&["--engine", "vulkan"]);
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused.stderr));
    let accepted = on(&["--engine", "vulkan", "--packing", "device"]);
    let has_device = !text(&refused.stderr).contains("a Vulkan device");
    match accepted.status.code() {
        Some(0) => assert!(has_device),
        code => assert_eq!((code, has_device), (Some(3), false), "{}", text(&accepted.stderr)),
    }
}

/// Groups of one triangle each, with an amplification shader that passes on how many there are; a geometry shader that
/// turns the picture over.
const MESH: &str = "struct Payload { uint count; };
groupshared Payload payload;
struct V { float4 position : SV_Position; nointerpolation float shade : SHADE; };
[numthreads(1, 1, 1)]
void amplify(uint group : SV_GroupID) {
    payload.count = 4;
    DispatchMesh(2, 1, 1, payload);
}
V corner(uint i, uint x, uint count) {
    V v;
    v.position = float4(-1 + 2.0 * x / count + (i == 1 ? 4.0 / count : 0), i == 2 ? -3 : 1, 0.9 - 0.1 * x, 1);
    v.shade = x + 1;
    return v;
}
[numthreads(3, 1, 1)] [outputtopology(\"triangle\")]
void plain(uint i : SV_GroupIndex, uint3 group : SV_GroupID, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    verts[i] = corner(i, group.x + 2 * group.y, 4);
    tris[0] = uint3(0, 1, 2);
}
[numthreads(3, 1, 1)] [outputtopology(\"triangle\")]
void child(uint i : SV_GroupIndex, uint group : SV_GroupID, in payload Payload p, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    verts[i] = corner(i, group, p.count);
    tris[0] = uint3(0, 1, 2);
}
V vs(uint id : SV_VertexID) { return corner(id, 0, 1); }
[maxvertexcount(3)]
void gs(triangle V v[3], inout TriangleStream<V> stream) {
    for (uint i = 0; i < 3; i++) {
        V it = v[i];
        it.shade = 7;
        stream.Append(it);
    }
}
float4 main(V v) : SV_Target { return v.shade; }
";

#[test]
fn mesh_amplification_and_geometry_shaders_draw() {
    let folder = folder("mesh-shader", &[("a.hlsl", MESH)]);
    let draw = |more: &[&'static str]| {
        let words = ["run", "a.hlsl", "-T", "ps_6_6", "--size", "4x1", "--target", "R32_FLOAT"];
        let words = [&words[..], &["-o", "a.bin"], more].concat();
        fine(&words, &folder);
        let bytes = fs::read(folder.join("a.bin")).unwrap();
        let floats = bytes.chunks_exact(4).map(|it| f32::from_le_bytes(it.try_into().unwrap()));
        floats.collect::<Vec<f32>>()
    };
    for engine in ["interp", "cpu"] {
        let mesh = ["--engine", engine, "--mesh", "plain", "--draw"];
        assert_eq!(draw(&[&mesh[..], &["4"]].concat()), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(draw(&[&mesh[..], &["2,2"]].concat()), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(draw(&[&mesh[..], &["0"]].concat()), [0.0; 4]);
        let amplified = ["--engine", engine, "--amplification", "amplify", "--mesh", "child"];
        assert_eq!(draw(&[&amplified[..], &["--draw", "1"]].concat()), [1.0, 2.0, 0.0, 0.0]);
        let geometry = ["--engine", engine, "--vertex", "vs", "--geometry", "gs"];
        assert_eq!(draw(&[&geometry[..], &["--draw", "fullscreen"]].concat()), [7.0; 4]);
    }
}

#[test]
fn wrong_meshes_are_refused() {
    let folder = folder("wrong-mesh", &[("a.hlsl", MESH)]);
    for (words, status, wanted) in [
        (&["--mesh", "plain", "--draw", "many"][..], 2, "`--draw many` is not a number of groups"),
        (&["--amplification", "amplify", "--draw", "fullscreen"], 2, "needs a mesh shader"),
        (&["--mesh", "child", "--draw", "1"], 2, "only an amplification shader passes"),
        (&["--mesh", "plain", "--draw", "70000"], 2, "the limit is 65535"),
        (&["--mesh", "vs", "--draw", "1"], 2, "needs `[numthreads"),
    ] {
        let words = [&["run", "a.hlsl", "-T", "ps_6_6"][..], words].concat();
        let output = wavelane(&words, &folder);
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{words:?}: {shown}");
        assert!(shown.contains(wanted), "{words:?}: {shown}");
    }
}

/// A mesh shader whose groups each cover a half, and stages that divide the triangles of a mesh.
const PARTS: &str = "struct V { float4 p : SV_Position; };
[numthreads(4, 1, 1)] [outputtopology(\"triangle\")]
void mesh(uint i : SV_GroupIndex, uint group : SV_GroupID, out vertices V verts[4], out indices uint3 tris[2]) {
    SetMeshOutputCounts(4, 2);
    verts[i].p = float4(float(group + (i & 1)) - 1, i < 2 ? 1 : -1, 0.5, 1);
    if (i < 2) tris[i] = i == 0 ? uint3(0, 1, 2) : uint3(1, 3, 2);
}
struct C { float3 at : POSITION; };
struct F { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
C vs(C c) { return c; }
F factors(InputPatch<C, 3> patch) {
    F f;
    f.edges[0] = f.edges[1] = f.edges[2] = f.inside = 4;
    return f;
}
[domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)] [patchconstantfunc(\"factors\")]
C hs(InputPatch<C, 3> patch, uint i : SV_OutputControlPointID) { return patch[i]; }
[domain(\"tri\")]
V ds(F f, float3 at : SV_DomainLocation, const OutputPatch<C, 3> patch) {
    V v;
    v.p = float4((patch[0].at * at.x + patch[1].at * at.y + patch[2].at * at.z).xy, 0.5, 1);
    return v;
}
float4 main() : SV_Target { return 1; }
";

#[test]
fn an_overlay_shows_meshlets_and_patches() {
    let square = "v -1 1 0\nv 1 1 0\nv 1 -1 0\nv -1 -1 0\nf 1 2 3 4\n";
    let folder = folder("parts", &[("a.hlsl", PARTS), ("square.obj", square)]);
    let run = |more: &[&str]| {
        let words = ["run", "a.hlsl", "-T", "ps_6_6", "--size", "8x8", "-o", "a.png"];
        fine(&[&words[..], more].concat(), &folder);
        let picture = Picture::read(&fs::read(folder.join("a.png")).unwrap()).unwrap();
        // The colour at the middle of a pixel of the target, which takes 32 pixels.
        let at = move |x: u32, y: u32| picture.at(32 * x + 16, 32 * y + 16).to_vec();
        let white = vec![255; 3];
        (at, white)
    };
    let (meshlets, white) = run(&["--mesh", "mesh", "--draw", "2", "--overlay", "meshlets"]);
    assert_ne!(meshlets(0, 0), white);
    assert_eq!(meshlets(0, 0), meshlets(3, 7), "both triangles of a group");
    assert_eq!(meshlets(4, 0), meshlets(7, 7));
    assert_ne!(meshlets(3, 3), meshlets(4, 3), "two groups");
    let stages = ["--vertex", "vs", "--hull", "hs", "--domain", "ds", "--draw", "square.obj"];
    let (patches, white) = run(&[&stages[..], &["--overlay", "patches"]].concat());
    assert_ne!(patches(6, 1), white);
    assert_eq!(patches(6, 1), patches(3, 1), "triangles of one patch");
    assert_ne!(patches(6, 1), patches(1, 6), "two patches");
}

#[test]
fn overlays_and_stages_that_do_not_fit_are_refused() {
    let folder = folder("no-parts", &[("a.hlsl", PARTS)]);
    let words = ["run", "a.hlsl", "-T", "ps_6_6", "--draw", "fullscreen", "--overlay", "quads"];
    let output = wavelane(&words, &folder);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("which no file is named for"));
    for (words, wanted) in [
        (&["--draw", "fullscreen", "--wave-size", "4,8"][..], "`-o a.png` names one file for 2"),
        (&["--draw", "fullscreen", "--overlay", "meshlets"], "needs `--mesh`"),
        (&["--draw", "fullscreen", "--overlay", "patches"], "needs `--hull`"),
        (&["--draw", "fullscreen", "--hull", "hs"], "`--hull` and `--domain` need each other"),
        (
            &["--draw", "fullscreen", "--hull", "hs", "--domain", "ds"],
            "`--hull` needs a vertex shader",
        ),
    ] {
        let words = [&["run", "a.hlsl", "-T", "ps_6_6", "-o", "a.png"][..], words].concat();
        let output = wavelane(&words, &folder);
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {shown}");
        assert!(shown.contains(wanted), "{words:?}: {shown}");
    }
}

/// A geometry shader and a hull shader in which a wave agrees on something, and the same without that.
const AGREED: &str = "struct C { float3 at : POSITION; };
struct P { float3 at : POSITION; uint a : A; };
struct F { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
struct V { float4 p : SV_Position; nointerpolation uint a : A; };
V vs(C c) {
    V v;
    v.p = float4(c.at.xy, 0.5, 1);
    v.a = 0;
    return v;
}
uint agreed(uint id) {
#ifdef WRONG
    return WaveActiveMax(id);
#else
    return id;
#endif
}
[maxvertexcount(3)]
void gs(triangle V v[3], uint id : SV_PrimitiveID, inout TriangleStream<V> stream) {
    for (uint i = 0; i < 3; i++) {
        V made = v[i];
        made.a = agreed(id);
        stream.Append(made);
    }
}
P vertex(C c) {
    P p;
    p.at = c.at;
    p.a = 0;
    return p;
}
F factors(InputPatch<P, 3> patch) {
    F f;
    f.edges[0] = f.edges[1] = f.edges[2] = f.inside = 2;
    return f;
}
[domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)] [patchconstantfunc(\"factors\")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID, uint id : SV_PrimitiveID) {
    P p = patch[i];
    p.a = agreed(id);
    return p;
}
[domain(\"tri\")]
V ds(F f, float3 at : SV_DomainLocation, const OutputPatch<P, 3> patch) {
    V v;
    v.p = float4((patch[0].at * at.x + patch[1].at * at.y + patch[2].at * at.z).xy, 0.5, 1);
    v.a = patch[0].a;
    return v;
}
float4 main(V v) : SV_Target { return v.a; }
";

#[test]
fn the_sanitizer_watches_every_stage_of_a_draw() {
    let square = "v -1 1 0\nv 1 1 0\nv 1 -1 0\nv -1 -1 0\nf 1 2 3 4\n";
    let folder = folder("watched", &[("a.hlsl", AGREED), ("square.obj", square)]);
    let examine = |stages: &[&str], more: &[&str]| {
        let words = ["san", "a.hlsl", "-T", "ps_6_6", "--draw", "square.obj", "--size", "4x4"];
        let wide = ["--wave-size", "8,16", "--format", "json"];
        let output = wavelane(&[&words[..], stages, &wide, more].concat(), &folder);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        (output.status.code(), report)
    };
    let geometry = ["--vertex", "vs", "--geometry", "gs"];
    let tessellation = ["--vertex", "vertex", "--hull", "hs", "--domain", "ds"];
    for (stages, stage, invocation) in [
        (&geometry[..], "geometry", "primitive 0"),
        (&tessellation, "hull", "control point 0 of patch 0"),
    ] {
        let (status, report) = examine(stages, &["-D", "WRONG"]);
        assert_eq!(status, Some(1), "{report}");
        let finding = &report["findings"][0];
        assert_eq!(finding["id"], "depends-on-packing", "{report}");
        assert_eq!(finding["line"], 13, "{report}");
        assert_eq!(finding["stage"], stage, "{report}");
        assert_eq!(finding["invocation"], invocation, "{report}");
        let (status, report) = examine(stages, &[]);
        assert_eq!((status, &report["findings"]), (Some(0), &serde_json::json!([])), "{report}");
    }
}

/// A job with a geometry shader whose primitives count in waves.
const EMITTED: &str = "#--- vertex.hlsl
float4 main(uint id : SV_VertexID) : SV_Position { return float4(id / 2.0 - 0.75, 0, 0, 1); }
#--- geometry.hlsl
struct Read { float4 position : SV_Position; };
struct V { float4 position : SV_Position; nointerpolation uint a : A; };
[maxvertexcount(1)]
void main(point Read read[1], inout PointStream<V> stream) {
    V v;
    v.position = read[0].position;
    v.a = WavePrefixCountBits(true);
    stream.Append(v);
}
#--- pixel.hlsl
float4 main(float4 position : SV_Position, nointerpolation uint a : A) : SV_Target { return a; }
#--- pipeline.yaml
Shaders:
  - { Stage: Vertex, Entry: main }
  - { Stage: Geometry, Entry: main }
  - { Stage: Pixel, Entry: main }
Buffers:
  - { Name: T, Format: Float32, Channels: 4, FillSize: 64, OutputProps: { Width: 4, Height: 1, Depth: 1 } }
Bindings: { RenderTarget: T, Topology: PointList }
DescriptorSets: []
DispatchParameters: { VertexCount: 4 }
#--- end
# RUN: split-file %s %t
# RUN: %dxc_target -T vs_6_0 -Fo %t-v.o %t/vertex.hlsl
# RUN: %dxc_target -T gs_6_0 -Fo %t-g.o %t/geometry.hlsl
# RUN: %dxc_target -T ps_6_0 -Fo %t-p.o %t/pixel.hlsl
# RUN: %offloader %t/pipeline.yaml %t-v.o %t-g.o %t-p.o
";

#[test]
fn draws_of_other_stages_are_compared_and_examined() {
    let folder = folder("emitted", &[("a.test", EMITTED)]);
    let words = ["diff", "a.test", "--engines", "interp,cpu", "--wave-size", "4,32"];
    let output = wavelane(&[&words[..], &["--format", "json"]].concat(), &folder);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert_eq!(report.to_string().matches("\"result\":\"same\"").count(), 2, "{report}");
    let output = wavelane(&["san", "a.test", "--format", "json"], &folder);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert_eq!(report["findings"][0]["stage"], "geometry", "{report}");
}
