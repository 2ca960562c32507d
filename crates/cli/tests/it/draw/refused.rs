//! What draws do not support, by name, and what does not go together.

use super::{folder, text, wavelane};

const WHITE: &str = "float4 main(float4 position : SV_Position) : SV_Target { return 1; }
struct V { float4 position : SV_Position; uint rate : SV_ShadingRate; };
V rates(uint i : SV_VertexID) {
    V v;
    v.position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0, 1);
    v.rate = 5;
    return v;
}
";

const SMALL: [&str; 6] = ["run", "a.hlsl", "--draw", "fullscreen", "--size", "2x2"];

#[test]
fn state_that_is_not_supported_is_named() {
    let folder = folder("refused", &[("a.hlsl", WHITE)]);
    for (flag, value, says) in [
        ("--raster", "Wireframe: true", "--raster:1:1: unsupported: `Wireframe` sets wireframe"),
        ("--raster", "{ Cull: Back, Conservative: true }", "--raster:1:15: unsupported:"),
        (
            "--depth",
            "{ Bounds: [0, 1] }",
            "--depth:1:3: unsupported: `Bounds` sets a test of depth",
        ),
        ("--blend", "{ ShadingRate: 2x2 }", "--blend:1:3: unsupported: `ShadingRate`"),
    ] {
        let output = wavelane(&[&SMALL[..], &[flag, value]].concat(), &folder);
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{value}: {shown}");
        assert!(shown.contains(says) && !shown.contains("unknown key"), "{value}: {shown}");
    }
}

#[test]
fn a_shading_rate_is_ignored_with_a_note() {
    let folder = folder("shading-rate", &[("a.hlsl", WHITE)]);
    for command in ["run", "san"] {
        let words = [&[command], &SMALL[1..], &["--vertex", "rates"]].concat();
        let output = wavelane(&words, &folder);
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{shown}");
        let note = "`SV_ShadingRate`, which `rates` writes, is ignored";
        assert_eq!(shown.matches(note).count(), 1, "{command}: {shown}");
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = folder("together", &[("a.hlsl", WHITE)]);
    for (more, says) in [
        (&["--target", "D32_FLOAT"][..], "--target:1:1: error: `D32_FLOAT` is a format of depth"),
        (&["--target", "A=D16_UNORM"], "help: `R16_UNORM` holds the same numbers"),
        (&["--blend", "{ Src: Src1Color, Dst: Zero }"], "writes no `SV_Target1`"),
        (
            &["--samples", "2", "--raster", "{ Cull: None, Samples: 4 }"],
            "`--samples 2` and `--raster { Cull: None, Samples: 4 }` say the same twice",
        ),
        (&["-T", "cs_6_6"], "`--draw` draws with a pixel shader"),
        (
            &["--samples", "16", "--size", "4096x4096"],
            "take 4563402752 bytes, and at most 1073741824",
        ),
    ] {
        let output = wavelane(&[&SMALL[..4], more].concat(), &folder);
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {shown}");
        assert!(shown.contains(says), "{more:?}: {shown}");
    }
    // A mask is not a number of samples.
    let fine = [&SMALL[..], &["--samples", "2", "--raster", "SampleMask: 1"]].concat();
    assert_eq!(wavelane(&fine, &folder).status.code(), Some(0));
}

/// A job whose pixel shader and target are these.
fn job(pixel: &str, raster: &str) -> String {
    format!(
        "#--- vertex.hlsl
float4 main(uint i : SV_VertexID) : SV_Position {{ return float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1); }}
#--- pixel.hlsl
{pixel}
#--- pipeline.yaml
Shaders:
  - {{ Stage: Vertex, Entry: main }}
  - {{ Stage: Pixel, Entry: main }}
Buffers:
  - {{ Name: T, Format: Float32, Channels: 4, FillSize: 64, OutputProps: {{ Width: 2, Height: 2, Depth: 1 }} }}
Bindings:
  RenderTarget: T
DispatchParameters: {{ VertexCount: 3 }}
DescriptorSets: []
{raster}
#--- end
# RUN: split-file %s %t
# RUN: %dxc_target -T vs_6_0 -Fo %t-v.o %t/vertex.hlsl
# RUN: %dxc_target -T ps_6_2 -Fo %t-p.o %t/pixel.hlsl
# RUN: %offloader %t/pipeline.yaml %t-v.o %t-p.o
"
    )
}

#[test]
fn jobs_say_where_shaders_and_formats_do_not_fit() {
    let output = |name: &str, pixel: &str, raster: &str| {
        let folder = folder(name, &[("a.test", &job(pixel, raster))]);
        let output = wavelane(&["test", "a.test", "--profile", "wavelane"], &folder);
        (text(&output.stdout), output.status.code())
    };
    let shader =
        |ty: &str| format!("{ty} main(float4 p : SV_Position) : SV_Target {{ return 1; }}");
    for (ty, says) in [
        ("uint4", "`uint` needs a format of unsigned integers"),
        ("double4", "no target holds numbers of 64 bits"),
        ("bool", "`bool` needs a format of unsigned integers"),
    ] {
        let (shown, status) = output("job-format", &shader(ty), "");
        assert!(shown.contains("bad file: a.test\n"), "{shown}");
        assert!(shown.contains("  a.test:4:") && shown.contains(says), "{shown}");
        assert_eq!(status, Some(2), "{shown}");
    }
    let reads = "float4 main(float4 p : SV_Position, float3 q : QQ) : SV_Target { return q.x; }";
    let (shown, status) = output("job-input", reads, "");
    assert!(shown.contains("  a.test:4:48: error: the pixel shader reads `QQ`"), "{shown}");
    assert_eq!(status, Some(2), "{shown}");
    let (shown, status) =
        output("job-dual", &shader("float4"), "Raster: { Blend: { Src: Src1Color, Dst: Zero } }");
    assert!(shown.contains("a.test:8:28: error: the blending takes factors"), "{shown}");
    assert_eq!(status, Some(2), "{shown}");
    let (shown, status) = output("job-refused", &shader("float4"), "Raster: { Wireframe: true }");
    assert!(shown.contains("unsupported: `Wireframe` sets wireframe rasterization"), "{shown}");
    assert_eq!(status, Some(3), "{shown}");
}
