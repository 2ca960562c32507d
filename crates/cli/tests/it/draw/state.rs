//! The fixed state of `--draw`: several targets, blending, depth and stencil.

use std::fs;
use std::path::Path;

use jobs::Picture;
use serde_json::Value;

use super::{fine, folder, text, wavelane};

/// Writes targets of three types.
const THREE: &str =
    "struct Out { float4 colour : SV_Target; uint2 id : SV_Target2; float z : SV_Target1; };
Out main(float4 position : SV_Position) {
    Out o;
    o.colour = float4(position.xy / 4, 0, 0.5);
    o.id = uint2(position.x, 7);
    o.z = 0.25;
    return o;
}
";

/// Two triangles over each other: the first one is nearer, the second one covers the right half only.
const LAYERS: &str =
    "struct V { float4 position : SV_Position; nointerpolation float4 colour : COLOR; };
V corners(uint id : SV_VertexID, uint layer : SV_InstanceID) {
    float2 uv = float2(id == 1 ? 2 : 0, id == 2 ? 2 : 0);
    V v;
    v.position = float4(uv * float2(2, -2) + float2(layer - 1.0, 1), 0.25 + 0.5 * layer, 1);
    v.colour = layer == 0 ? float4(1, 0, 0, 0.5) : float4(0, 1, 0, 0.25);
    return v;
}
float4 main(V v) : SV_Target { return v.colour; }
";

const DRAW: [&str; 6] = ["-T", "ps_6_6", "--draw", "fullscreen", "--size", "4x2"];

/// The targets of a run as JSON.
fn left(file: &str, more: &[&str], folder: &Path) -> Value {
    let words = [&["run", file], &DRAW[..], more, &["--format", "json"]].concat();
    let report: Value = serde_json::from_str(&fine(&words, folder)).unwrap();
    report["runs"][0]["buffers"].clone()
}

/// Of each pixel of the first row, what is drawn over two layers.
fn row(more: &[&str], folder: &Path) -> Vec<Vec<f64>> {
    let layers = ["--vertex", "corners", "--raster", "Instances: 2"];
    let left = left("layers.hlsl", &[&layers, more].concat(), folder);
    let numbers: Vec<f64> =
        left["Target"].as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect();
    numbers.chunks(4).take(4).map(<[f64]>::to_vec).collect()
}

#[test]
fn every_target_that_is_written_becomes_a_file() {
    let folder = folder("targets", &[("three.hlsl", THREE)]);
    // Formats hold what the outputs can be.
    let all = left("three.hlsl", &[], &folder);
    assert_eq!(all["Target"].as_array().unwrap().len(), 4 * 8);
    assert_eq!(all["Target1"], Value::from(vec![0.25; 8]));
    assert_eq!(all["Target2"].as_array().unwrap()[..4], [0, 7, 1, 7].map(Value::from));
    let draw = |more: &[&str]| fine(&[&["run", "three.hlsl"], &DRAW[..], more].concat(), &folder);
    assert_eq!(draw(&["-o", "a.npy"]), "");
    let header = |file: &str| text(&fs::read(folder.join(file)).unwrap()[..118]);
    assert!(header("a.npy").contains("'<f4'") && header("a.npy").contains("(2,4,4,)"));
    assert!(header("a-Target1.npy").contains("'<f4'"));
    assert!(
        header("a-Target2.npy").contains("'<u4'") && header("a-Target2.npy").contains("(2,4,2,)")
    );
    // Names and formats are given in the order of the targets.
    let given =
        ["--target", "Albedo=RGBA8_UNORM", "--target", "{ Name: Linear, Clear: [9, 0, 0, 0] }"];
    draw(&[&given[..], &["-o", "b-{target}.npy"]].concat());
    assert!(header("b-Albedo.npy").contains("'|u1'"), "{}", header("b-Albedo.npy"));
    assert!(folder.join("b-Linear.npy").exists() && folder.join("b-Target2.npy").exists());
    draw(&["--target", "A=RGBA8_UNORM", "--out", "A=c.png"]);
    let picture = Picture::read(&fs::read(folder.join("c.png")).unwrap()).unwrap();
    assert_eq!((picture.width(), picture.height()), (4, 2));
    // Waves of every width leave the same targets.
    let words = [&["run", "three.hlsl"], &DRAW[..], &["--wave-size", "all", "--format", "json"]];
    let report: Value = serde_json::from_str(&fine(&words.concat(), &folder)).unwrap();
    assert_eq!(report["agree"], true, "{report}");
}

#[test]
fn a_number_that_is_left_out_has_no_target() {
    let gap = "struct Out { float a : SV_Target; float b : SV_Target3; };
        Out main() { Out o; o.a = 1; o.b = 3; return o; }";
    let folder = folder("gap", &[("gap.hlsl", gap)]);
    let all = left("gap.hlsl", &["--target", "R32_FLOAT", "--target", "B=R16_FLOAT"], &folder);
    let names: Vec<&String> = all.as_object().unwrap().keys().collect();
    assert_eq!(names, ["B", "Target"], "{all}");
    assert_eq!(all["B"], Value::from(vec![3.0; 8]));
}

#[test]
fn engines_leave_the_same_targets() {
    let folder = folder("engines", &[("three.hlsl", THREE), ("layers.hlsl", LAYERS)]);
    let three = |engine: &str| left("three.hlsl", &["--engine", engine], &folder);
    assert_eq!(three("interp"), three("cpu"));
    let layers = |engine: &str| {
        let stencil = "{ Ref: 1, Front: { Pass: Incr } }";
        row(&["--engine", engine, "--blend", "screen", "--stencil", stencil], &folder)
    };
    assert_eq!(layers("interp"), layers("cpu"));
}

#[test]
fn blending_is_named_or_written_as_in_a_job() {
    let folder = folder("blended", &[("layers.hlsl", LAYERS), ("three.hlsl", THREE)]);
    let both = |more: &[&str]| row(more, &folder)[3].clone();
    assert_eq!(both(&[]), [0.0, 1.0, 0.0, 0.25]);
    // 0.5 of red over nothing, then 0.25 of green over that.
    assert_eq!(both(&["--blend", "alpha"]), [0.375, 0.25, 0.0, 0.625]);
    let written = "{ Src: SrcAlpha, Dst: InvSrcAlpha, SrcAlpha: One, DstAlpha: InvSrcAlpha }";
    assert_eq!(both(&["--blend", written]), both(&["--blend", "Alpha"]));
    assert_eq!(both(&["--blend", "additive"]), [1.0, 1.0, 0.0, 0.75]);
    assert_eq!(both(&["--blend", "max"]), [1.0, 1.0, 0.0, 0.5]);
    assert_eq!(both(&["--blend", "{ WriteMask: 5 }"]), [0.0, 0.0, 0.0, 0.0]);
    // Of white, what the layers let through.
    let white = ["--target", "{ Clear: [1, 1, 1, 1] }"];
    assert_eq!(both(&[&white[..], &["--blend", "multiply"]].concat()), [0.0, 0.0, 0.0, 0.125]);
    // A target of integers beside one that is blended.
    let own = ["--target", "RGBA16_FLOAT", "--target", "R32_FLOAT", "--target", "{ Blend: none }"];
    let all = left("three.hlsl", &[&own[..], &["--blend", "additive"]].concat(), &folder);
    assert_eq!(all["Target2"].as_array().unwrap()[..2], [0, 7].map(Value::from));
}

#[test]
fn depth_is_tested_and_written_to_files() {
    let folder = folder("depths", &[("layers.hlsl", LAYERS)]);
    // Without a test the last layer is seen on the right, with one the nearer one.
    assert_eq!(row(&[], &folder)[3], [0.0, 1.0, 0.0, 0.25]);
    assert_eq!(row(&["--depth", "less"], &folder)[3], [1.0, 0.0, 0.0, 0.5]);
    let far = ["--depth", "{ Func: Greater, Clear: 0 }"];
    assert_eq!(row(&far, &folder)[3], [0.0, 1.0, 0.0, 0.25]);
    let layers = ["--vertex", "corners", "--raster", "Instances: 2", "--print", "Depth"];
    let depth = |more: &[&str]| {
        let left = left("layers.hlsl", &[&layers, more].concat(), &folder);
        left["Depth"].as_array().unwrap()[..4].to_vec()
    };
    assert_eq!(depth(&["--depth", "greater"]), [1.0; 4].map(Value::from));
    assert_eq!(depth(&far), [0.25, 0.25, 0.75, 0.75].map(Value::from));
    assert_eq!(depth(&["--depth", "{ Write: false }"]), [1.0; 4].map(Value::from));
    let draw = ["run", "layers.hlsl", "--vertex", "corners", "--depth", "{ Format: D16_UNORM }"];
    let files = ["--out", "Depth=d.npy", "--out", "Target=t.png"];
    assert_eq!(fine(&[&draw[..], &DRAW, &files].concat(), &folder), "");
    let header = text(&fs::read(folder.join("d.npy")).unwrap()[..118]);
    assert!(header.contains("'<u2'") && header.contains("(2,4,)"), "{header}");
    fine(&[&draw[..], &DRAW, &["--out", "Depth=d.png"]].concat(), &folder);
    let picture = Picture::read(&fs::read(folder.join("d.png")).unwrap()).unwrap();
    assert_eq!((picture.width(), picture.height()), (4, 2));
}

#[test]
fn the_stencil_is_tested_and_shown() {
    let folder = folder("stencil", &[("layers.hlsl", LAYERS)]);
    let draw = |stencil: &str| {
        let layers = ["--vertex", "corners", "--raster", "Instances: 2", "--print", "Stencil"];
        let left = left("layers.hlsl", &[&layers[..], &["--stencil", stencil]].concat(), &folder);
        (left["Stencil"].as_array().unwrap()[..4].to_vec(), left["Target"][12].clone())
    };
    let (counts, _) = draw("{ Front: { Pass: Incr } }");
    assert_eq!(counts, [1, 1, 2, 2].map(Value::from));
    // The second layer finds what the first one has replaced.
    let (marks, red) = draw("{ Clear: 3, Ref: 3, Front: { Func: Equal, Pass: Invert } }");
    assert_eq!((marks, red), ([252; 4].map(Value::from).to_vec(), Value::from(1.0)));
}

#[test]
fn other_state_is_that_of_jobs() {
    let folder = folder("raster", &[("layers.hlsl", LAYERS)]);
    let none = [0.0; 4];
    assert_eq!(row(&["--raster", "Cull: Front"], &folder)[3], none);
    assert_ne!(row(&["--raster", "Cull: Back"], &folder)[3], none);
    let right = "Scissors: [{ Left: 2, Top: 0, Right: 4, Bottom: 2 }]";
    let seen = row(&["--raster", right], &folder);
    assert_eq!((&seen[1], &seen[2]), (&none.to_vec(), &vec![0.0, 1.0, 0.0, 0.25]));
    // Half of the samples of a pixel of white.
    let half = "{ Samples: 4, SampleMask: 3 }";
    assert_eq!(row(&["--raster", half], &folder)[0], [0.5, 0.0, 0.0, 0.25]);
}

#[test]
fn a_draw_with_several_targets_is_examined() {
    let wrong = THREE.replace("o.z = 0.25", "o.z = WaveActiveMax(position.x)");
    let folder = folder("examined-targets", &[("wrong.hlsl", &wrong)]);
    let words = [&["san", "wrong.hlsl"], &DRAW[..], &["--target", "A=RGBA8_UNORM", "--target"]];
    let more = ["Z=R32_FLOAT", "--format", "json"];
    let output = wavelane(&[&words.concat()[..], &more].concat(), &folder);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{report}");
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("`Z` depends on"), "{message}");
}

#[test]
fn mistakes_in_state_have_places() {
    let own = "Texture2D<float4> Albedo; float4 main(float4 p : SV_Position) : SV_Target { return Albedo[uint2(0, 0)]; }";
    let files = [("three.hlsl", THREE), ("layers.hlsl", LAYERS), ("own.hlsl", own)];
    let folder = folder("state-mistakes", &files);
    for (words, says) in [
        (
            &["three.hlsl", "--blend", "alhpa"][..],
            "--blend:1:1: error: `alhpa` is not a valid choice",
        ),
        (&["three.hlsl", "--blend", "alhpa"], "did you mean `Alpha`?"),
        (
            &["three.hlsl", "--blend", "{ Src: On }"],
            "--blend:1:8: error: `On` is not a valid choice",
        ),
        (&["three.hlsl", "--blend", "{ Src: One"], "--blend:1:"),
        (&["three.hlsl", "--blend", "alpha"], "integers are not blended"),
        (&["three.hlsl", "--depth", "nearer"], "--depth:1:1: error: `nearer`"),
        (&["three.hlsl", "--depth", "{ Format: R32_FLOAT }"], "--depth:1:11: error: `R32_FLOAT`"),
        (&["three.hlsl", "--depth", "{ Format: D16_UNORM }", "--stencil", "{ Ref: 1 }"], "stencil"),
        (
            &["three.hlsl", "--stencil", "{ Ref: 256 }"],
            "--stencil:1:8: error: a stencil has eight bits",
        ),
        (&["three.hlsl", "--raster", "Topology: LineList"], "unknown key `Topology`"),
        (&["three.hlsl", "--raster", "Samples: 3"], "1, 2, 4, 8 or 16 samples"),
        (&["three.hlsl", "--target", "A=RGB9E5_FLOAT"], "--target:1:3: error: `RGB9E5_FLOAT`"),
        (&["three.hlsl", "--target", "Depth=R32_FLOAT"], "`Depth` is a plane of the depth buffer"),
        (
            &["three.hlsl", "--target", "A=RGBA8_UNORM", "--target", "A=R32_FLOAT"],
            "`A` is a target already",
        ),
        (
            &[
                "three.hlsl",
                "--target",
                "R8_UNORM",
                "--target",
                "R8_UNORM",
                "--target",
                "R8_UINT",
                "--target",
                "R8_UINT",
            ],
            "`main` writes 3 targets",
        ),
        (
            &["own.hlsl", "--target", "Albedo=R8_UNORM", "--bind", "Albedo=[1x1]"],
            "`Albedo` is a resource of `main`",
        ),
        (&["three.hlsl", "--out", "Depth=d.npy"], "the draw has no depth"),
        (&["three.hlsl", "--depth", "less", "--out", "Stencil=d.npy"], "the draw has no stencil"),
        (&["three.hlsl", "--target", "R32_UINT"], "target 0"),
    ] {
        let output = wavelane(&[&["run"], &DRAW[..], words].concat(), &folder);
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {shown}");
        assert!(shown.contains(says), "{words:?}: {shown}");
    }
}
