//! `wavelane new test` for pixel shaders: the job that is written runs as it is, and passes.

use std::fs;

use super::{fine, folder, text, wavelane};

const SHADED: &str = "Texture2D<float4> Albedo : register(t0);
SamplerState Linear : register(s0);
cbuffer Light : register(b0) { float3 Direction; float Scale; };
RWStructuredBuffer<uint> Count : register(u1);
float4 PSMain(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target {
    uint before;
    InterlockedAdd(Count[0], 1u, before);
    return Albedo.Sample(Linear, uv) * Scale + float4(Direction, 0);
}
";

const BOTH: &str = "struct V { float4 position : SV_Position; float4 colour : COLOR; };
V VSMain(float3 at : POSITION, float2 uv : TEXCOORD, uint id : SV_VertexID) {
    V v;
    v.position = float4(at, 1);
    v.colour = float4(uv, id, 1);
    return v;
}
float4 PSMain(V v) : SV_Target { return v.colour; }
";

const MESH: &str =
    "struct V { float4 position : SV_Position; nointerpolation float3 colour : COLOUR; };
[numthreads(3, 1, 1)] [outputtopology(\"triangle\")]
void mesh(uint i : SV_GroupIndex, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    verts[i].colour = float3(i == 0, i == 1, i == 2);
    tris[0] = uint3(0, 1, 2);
}
float4 PSMain(V v) : SV_Target { return float4(v.colour, 1); }
";

const TWO: &str = "struct Out { float4 colour : SV_Target; uint lanes : SV_Target1; };
Out PSMain(float4 p : SV_Position) {
    Out o;
    o.colour = p;
    o.lanes = WaveGetLaneCount();
    return o;
}
";

#[test]
fn the_test_of_a_pixel_shader_passes_and_guards() {
    for (name, shader, flags, more) in [
        ("shaded", SHADED, &["-T", "ps_6_6"][..], &[][..]),
        ("inferred", SHADED, &[], &[]),
        ("both", BOTH, &["--vertex", "VSMain"], &[]),
        ("mesh", MESH, &["-T", "ps_6_6", "--mesh", "mesh"], &[]),
        ("two", TWO, &["-T", "ps_6_6"], &["--profile", "wavelane"]),
    ] {
        let folder = folder(&format!("new-{name}"), &[("a.hlsl", shader)]);
        let told = fine(&[&["new", "test", "a.hlsl", "-E", "PSMain"], flags].concat(), &folder);
        assert!(told.contains("wrote `PSMain.test`"), "{told}");
        let written = fs::read_to_string(folder.join("PSMain.test")).unwrap();
        let run = [&["test", "PSMain.test", "--wave-size", "all"], more].concat();
        let report = fine(&run, &folder);
        assert!(report.contains("6 passed"), "{name}: {report}\n{written}");
        // It is run by the command that is shown.
        let told: Vec<&str> =
            told.trim().rsplit(": wavelane ").next().unwrap().split(' ').collect();
        fine(&told, &folder);
        // Another result fails.
        let wrong = shader.replace("return v.colour", "return v.colour * 2");
        let wrong = wrong.replace("float4(v.colour, 1)", "float4(v.colour, 2)");
        let wrong = wrong.replace("o.colour = p", "o.colour = p + 1").replace("* Scale", "- Scale");
        assert_ne!(wrong, shader);
        fs::write(folder.join("a.hlsl"), wrong).unwrap();
        let output = wavelane(&run, &folder);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", text(&output.stdout));
    }
}

#[test]
fn what_depends_on_the_width_is_not_expected() {
    let folder = folder("new-open", &[("two.hlsl", TWO)]);
    fine(&["new", "test", "two.hlsl", "-E", "PSMain", "--size", "4x2"], &folder);
    let written = fs::read_to_string(folder.join("PSMain.test")).unwrap();
    assert!(written.contains("`Target1` depends on the wave size"), "{written}");
    assert!(!written.contains("Expected_Target1") && written.contains("Expected_Target"));
    assert!(written.contains("Width: 4, Height: 2"), "{written}");
}

#[test]
fn contents_that_a_test_cannot_hold_are_named() {
    let cube = "TextureCube<float4> Sky; SamplerState S;
        float4 PSMain(float3 n : NORMAL) : SV_Target { return Sky.Sample(S, n); }";
    let needs = "float4 PSMain(float3 t : TANGENT) : SV_Target { return float4(t, 1); }";
    let folder = folder("new-refused", &[("cube.hlsl", cube), ("needs.hlsl", needs)]);
    let new = |file: &str, more: &[&str]| {
        let words = [&["new", "test", file, "-E", "PSMain", "-T", "ps_6_6"], more].concat();
        let output = wavelane(&words, &folder);
        (output.status.code(), text(&output.stderr))
    };
    let (status, shown) = new("cube.hlsl", &[]);
    assert!(status == Some(3) && shown.contains("cannot express `Sky`, a TextureCube"), "{shown}");
    let (status, shown) = new("needs.hlsl", &[]);
    assert!(status == Some(2) && shown.contains("`PSMain` reads `TANGENT`"), "{shown}");
    let (status, shown) = new("needs.hlsl", &["--vertex", "nothing"]);
    assert!(status == Some(2) && shown.contains("nothing"), "{shown}");
    assert!(!folder.join("PSMain.test").exists());
}
