//! Sampler feedback on the command line: every form of a map, decoded maps in and out, and bad ones.

use crate::support;

use std::path::{Path, PathBuf};

/// Four lanes, each of which samples its own level in its own quarter of the texture.
const SHADER: &str = "Texture2D<float4> T : register(t0);
SamplerState S : register(s0);
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> F : register(u0);
FeedbackTexture2D<SAMPLER_FEEDBACK_MIP_REGION_USED> U : register(u1);
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    float2 at = float2(i % 2, i / 2) / 2 + 0.25;
    F.WriteSamplerFeedbackLevel(T, S, at, i);
    if (i == 3) U.WriteSamplerFeedbackLevel(T, S, at, 1);
}
";

fn folder(name: &str) -> PathBuf {
    support::fresh_folder(&format!("feedback/{name}"), &[("a.hlsl", SHADER)])
}

/// The status, and both streams.
fn wavelane(folder: &Path, words: &[&str]) -> (i32, String) {
    let ran = support::wavelane(folder, words);
    (ran.status, ran.text())
}

/// Runs with these maps, and more flags.
fn run(folder: &Path, least: &str, used: &str, more: &[&str]) -> (i32, String) {
    let (least, used) = (format!("F={least}"), format!("U={used}"));
    // The maps precede their texture.
    let words = ["run", "a.hlsl", "--bind", &least, "--bind", &used];
    let texture = ["--bind", "T=R8_UNORM[16x8 mips 4]", "--bind", "S=nearest clamp"];
    wavelane(folder, &[&words[..], &texture, more].concat())
}

const LEAST: &str = "feedback(T, region=8x4)";
const USED: &str = "feedback( T , region = 4x4 )";

fn maps(text: &str) -> [serde_json::Value; 2] {
    let json: serde_json::Value = serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"));
    ["F", "U"].map(|it| json["runs"][0]["buffers"][it].clone())
}

#[test]
fn decoded_maps_are_numbers_of_a_byte() {
    let folder = folder("json");
    for engine in ["interp", "cpu"] {
        let more = ["--format", "json", "--engine", engine];
        let (code, text) = run(&folder, LEAST, USED, &more);
        assert_eq!(code, 0, "{text}");
        let [least, used] = maps(&text);
        assert_eq!(least, serde_json::json!([0, 1, 2, 3]), "{engine}");
        // Levels of 4x2, 2x1, 1x1 and 1x1 regions.
        let expected = [0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0];
        assert_eq!(used, serde_json::json!(expected), "{engine}");
    }
    // The null descriptor, and maps that are not cleared.
    let least = "feedback(T, region=8x4):2,0,255,7";
    let (code, text) = run(&folder, least, "none", &["--format", "json"]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(maps(&text)[0], serde_json::json!([0, 0, 2, 3]));
}

#[test]
fn text_shows_rows_and_dots() {
    let (code, text) = run(&folder("text"), LEAST, USED, &[]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("F: FeedbackTexture2D, 2x2 R8_UINT"), "{text}");
    assert!(text.contains("      0 |   0   1\n      1 |   2   3\n"), "{text}");
    assert!(text.contains("    level 1\n      0 |   · 255\n"), "{text}");
}

#[test]
fn maps_go_through_files() {
    let folder = folder("files");
    let outs = ["--out", "F=f.npy", "--out", "U=u-{level}.npy"];
    let (code, text) = run(&folder, LEAST, USED, &outs);
    assert_eq!(code, 0, "{text}");
    let array = std::fs::read(folder.join("f.npy")).unwrap();
    assert!(String::from_utf8_lossy(&array).contains("'shape': (2,2,)"), "{array:?}");
    assert!(array.ends_with(&[0, 1, 2, 3]));
    let level = std::fs::read(folder.join("u-1.npy")).unwrap();
    assert!(level.ends_with(&[0, 255]));
    assert!(folder.join("u-3.npy").exists() && !folder.join("u-4.npy").exists());
    let (code, text) = run(
        &folder,
        LEAST,
        USED,
        &["--out", "F=f.png", "--out", "U=u-{level}.png", "--out", "F=f.bin"],
    );
    assert_eq!(code, 0, "{text}");
    assert_eq!(std::fs::read(folder.join("f.bin")).unwrap(), [0, 1, 2, 3]);
    // What was written is read again; nothing in it grows.
    for file in ["f.npy", "f.png", "f.bin"] {
        let least = format!("{LEAST}:@{file}");
        let (code, text) = run(&folder, &least, USED, &["--format", "json"]);
        assert_eq!(code, 0, "{file}: {text}");
        assert_eq!(maps(&text)[0], serde_json::json!([0, 1, 2, 3]), "{file}");
    }
    let (code, text) = run(&folder, LEAST, USED, &["--out", "U=u.npy"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("--out U=u-{level}.npy"), "{text}");
}

#[test]
fn bad_maps_are_refused_where_they_are_declared() {
    let folder = folder("bad");
    for (least, message) in [
        (
            "feedback(T, region=16x4)",
            "a mip region cannot have the width 16; for a texture of width 16 it is a power of two from 4 to 8",
        ),
        ("feedback(T, region=8x3)", "a mip region cannot have the height 3"),
        ("feedback(T, region=8)", "expected `feedback(T, region=8x8)`"),
        ("feedback(T, region=8xx)", "`x` is not a size"),
        ("feedback(Q, region=8x4)", "no texture `Q` is bound"),
        ("feedback(S, region=8x4)", "no texture `S` is bound"),
        ("feedback(T[1], region=8x4)", "no texture `T[1]` is bound"),
        ("feedback(T[, region=8x4)", "expected `T` or `T[k]`"),
        ("feedback(T, region=8x4", "expected `feedback(T, region=8x8)`"),
        ("feedback(T, region=8x4):1,2,3", "3 values for 4 scalars"),
        ("feedback(T, region=8x4):@missing.npy", "cannot be read"),
        ("feedback(T, region=8x4):300,0,0,0", "300"),
        ("[4]", "expected `feedback(T, region=8x8)`"),
    ] {
        let (code, text) = run(&folder, least, USED, &[]);
        assert_eq!(code, 2, "{least}: {text}");
        assert!(text.contains(message), "{least}: {text}");
        assert!(text.contains("a.hlsl:3:"), "{least}: {text}");
    }
    let (code, text) = wavelane(&folder, &["run", "a.hlsl"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("--bind F=none"), "{text}");
}

#[test]
fn a_map_may_belong_to_a_texture_that_the_shader_does_not_use() {
    let folder = folder("unused-pair");
    // The entry point queries the map's size alone, and another one samples.
    let shader = "Texture2D<float4> T, Several[2];
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> F;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)] void records(uint i : SV_GroupIndex) { F.WriteSamplerFeedbackLevel(T, S, 0.5, 0); }
[numthreads(1, 1, 1)] void main() {
    uint width, height;
    F.GetDimensions(width, height);
    Out[0] = 100 * width + height;
}
";
    std::fs::write(folder.join("c.hlsl"), shader).unwrap();
    let run = |map: &str, texture: &str, more: &[&str]| {
        let words = ["run", "c.hlsl", "-E", "main", "--bind", map, "--bind", texture];
        let rest = ["--bind", "Out=[1]", "--format", "json"];
        wavelane(&folder, &[&words[..], &rest, more].concat())
    };
    let small = "T=R8_UNORM[16x8 mips 2]";
    for engine in ["interp", "cpu"] {
        let (code, text) =
            run("F=feedback(T, region=8x4):1,255,255,0", small, &["--engine", engine]);
        assert_eq!(code, 0, "{text}");
        // No note says that what is given to the texture has no effect.
        let json: serde_json::Value =
            serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
        let buffers = &json["runs"][0]["buffers"];
        assert_eq!(buffers["Out"], serde_json::json!([1608]), "{engine}");
        assert_eq!(buffers["F"], serde_json::json!([1, 255, 255, 0]), "{engine}");
    }
    let second = "Several[1]=R8_UNORM[32x16]";
    let (code, text) = run("F=feedback(Several[1], region=8x8)", second, &[]);
    assert_eq!(code, 0, "{text}");
    for (map, texture, more, message) in [
        ("F=feedback(T, region=8x8)", small, &[][..], "c.hlsl:3:"),
        (
            "F=feedback(T, region=8x4)",
            small,
            &["--bind", small],
            "c.hlsl:1:19: error: `--bind T=R8_UNORM[16x8 mips 2]`: it is bound twice",
        ),
        ("F=feedback(T, region=8x4)", "T=RX[1]", &[], "c.hlsl:1:19:"),
        (
            "F=feedback(Several[2], region=8x4)",
            "Several[2]=R8_UNORM[16x8]",
            &[],
            "there is no element 2, since the array has 2",
        ),
        ("F=feedback(Several[1], region=8x4)", small, &[], "no texture `Several[1]` is bound"),
    ] {
        let (code, text) = run(map, texture, more);
        assert_eq!(code, 2, "{map} {texture}: {text}");
        assert!(text.contains(message), "{map} {texture}: {text}");
    }
}

#[test]
fn ptx_cannot_record_feedback() {
    let folder = folder("elsewhere");
    let (code, text) = wavelane(&folder, &["emit", "a.hlsl", "--ptx"]);
    assert_eq!(code, 3, "{text}");
}

/// A program that records through two samplers: what `san` reports with these flags, by line, and its exit status.
fn examined(folder: &Path, samplers: [&str; 2], more: &[&str]) -> (i32, serde_json::Value) {
    let shader = "Texture2D<float4> T, Other;
SamplerState S, R;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> F;
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    F.WriteSamplerFeedbackLevel(T, S, float2(i + 0.5, 0.5) / 4, 0);
    F.WriteSamplerFeedbackLevel(T, R, float2(i + 0.5, 0.5) / 4, 1);
    F.WriteSamplerFeedbackLevel(T, R, float2(i + 0.5, 0.5) / 4, 1);
}
";
    std::fs::write(folder.join("b.hlsl"), shader).unwrap();
    let binds = ["T=R8_UNORM[32x32 mips 6]", "F=feedback(T, region=8x8)"].map(str::to_owned);
    let samplers = [("S", samplers[0]), ("R", samplers[1])];
    let samplers = samplers.map(|(name, state)| format!("{name}={state}"));
    let mut words = vec!["san", "b.hlsl", "--wave-size", "4", "--format", "json"];
    for it in binds.iter().chain(&samplers) {
        words.extend(["--bind", it.as_str()]);
    }
    let (code, text) = wavelane(folder, &[&words[..], more].concat());
    (code, serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}")))
}

fn reported(report: &serde_json::Value) -> Vec<(String, u64)> {
    let all = report["findings"].as_array().unwrap().iter();
    all.map(|it| (it["id"].as_str().unwrap().to_owned(), it["line"].as_u64().unwrap())).collect()
}

#[test]
fn samplers_of_a_higher_tier_are_reported_once() {
    let folder = folder("tier");
    let (code, report) = examined(&folder, ["nearest wrap", "nearest u=clamp v=border"], &[]);
    assert_eq!((code, reported(&report)), (0, vec![("feedback-tier".to_owned(), 6)]));
    let tier = ["--caps", "feedback=0.9"];
    let (_, report) = examined(&folder, ["nearest mirror", "nearest mirror-once"], &tier);
    let both = [("feedback-tier".to_owned(), 5), ("feedback-tier".to_owned(), 6)];
    assert_eq!(reported(&report), both);
    let tier = ["--caps", "feedback=1.0"];
    let (code, report) = examined(&folder, ["nearest mirror", "nearest border"], &tier);
    assert_eq!((code, reported(&report)), (0, vec![]));
}

#[test]
fn slack_is_reported_on_request() {
    let folder = folder("slack");
    let samplers = ["nearest clamp", "nearest clamp"];
    assert_eq!(reported(&examined(&folder, samplers, &[]).1), []);
    let (code, report) = examined(&folder, samplers, &["--feedback"]);
    assert_eq!(code, 0);
    // Level 1 at four places of the first row of regions, which has level 0: only the row below is open.
    let found = &report["findings"][0];
    assert_eq!((&found["id"], &found["line"]), (&"feedback-slack".into(), &6.into()), "{report}");
    assert_eq!(found["level"], "note", "{report}");
    let notes = found["notes"].to_string();
    assert!(notes.contains("reason 2") && notes.contains("(0, 1) 1 instead of"), "{notes}");
}

#[test]
fn an_adapter_without_feedback_refuses_a_shader_that_records() {
    let folder = folder("caps");
    for command in ["run", "san", "check"] {
        let mut words = vec![command, "a.hlsl", "--caps", "feedback=none"];
        let binds = ["F=none", "U=none", "T=R8_UNORM[16x8 mips 4]", "S=nearest"];
        if command != "check" {
            words.extend(binds.iter().flat_map(|it| ["--bind", it]));
        }
        let (status, text) = wavelane(&folder, &words);
        assert_eq!(status, 3, "{command}: {text}");
        assert!(text.contains("`main` uses sampler feedback"), "{command}: {text}");
        assert!(text.contains("a.hlsl:7:"), "{command}: {text}");
    }
    for (tier, shown) in [("none", "no"), ("0.9", "0.9"), ("1.0", "1.0")] {
        let (status, text) = wavelane(&folder, &["caps", "--caps", &format!("feedback={tier}")]);
        assert_eq!(status, 0, "{text}");
        assert!(text.contains(&format!("SamplerFeedbackTier            {shown}\n")), "{text}");
    }
    let (status, text) = wavelane(&folder, &["caps", "--caps", "feedback=2"]);
    assert!(status == 2 && text.contains("0.9"), "{text}");
    // A map that is only declared needs nothing.
    let shader = "FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> F;
[numthreads(4, 1, 1)] void main() {}
";
    std::fs::write(folder.join("idle.hlsl"), shader).unwrap();
    let (status, text) = wavelane(&folder, &["run", "idle.hlsl", "--caps", "feedback=none"]);
    assert_eq!(status, 0, "{text}");
}

/// Lanes choose maps, textures and samplers in arrays, right pairs and wrong ones; two of the samplers take probes.
/// Maps that lanes of a wave choose among have the same size, which Mesa's driver takes from the first lane:
/// `docs/hardware.md`.
const ARRAYS: &str = "Texture2D<float4> T[3] : register(t0);
Texture2DArray<float4> L : register(t8);
SamplerState S[3] : register(s0);
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Least[4] : register(u0);
FeedbackTexture2D<SAMPLER_FEEDBACK_MIP_REGION_USED> Used[2] : register(u8);
FeedbackTexture2DArray<SAMPLER_FEEDBACK_MIP_REGION_USED> Layers : register(u16);
RWStructuredBuffer<uint> Out : register(u20);
[numthreads(32, 1, 1)] void main(uint lane : SV_GroupIndex) {
    for (uint i = lane; i < 192; i += 32) {
        float2 at = float2((i * 37 % 101) / 90.0 - 0.3, (i * 53 % 89) / 70.0 - 0.2);
        float2 dx = float2((i * 7 % 23) / 90.0, (i * 5 % 19) / 300.0);
        float2 dy = float2((i * 3 % 17) / 500.0, (i * 13 % 29) / 200.0);
        uint t = NonUniformResourceIndex(i % 3), s = NonUniformResourceIndex(i / 3 % 3);
        uint l = i / 16 % 4, u = NonUniformResourceIndex(i / 6 % 2);
        Least[l].WriteSamplerFeedbackGrad(T[t], S[s], at, dx, dy);
        Used[u].WriteSamplerFeedbackLevel(T[t], S[s], at, (i % 7) / 3.0);
        Used[0].WriteSamplerFeedbackGrad(T[0], S[2], at, dx / 50, dy / 10);
        Layers.WriteSamplerFeedbackGrad(L, S[s], float3(at, i % 5), dx / 3, dy / 4);
        uint width, height, levels;
        Least[l].GetDimensions(0, width, height, levels);
        Out[i] = width * 100 + levels;
    }
}
";

/// Devices have no instruction for feedback: what is written instead leaves the same maps on a CPU driver of Vulkan.
#[test]
fn maps_of_arrays_and_of_anisotropic_samplers_are_the_same_through_vulkan() {
    let Some(device) = support::processor(256) else {
        return;
    };
    let folder = support::fresh_folder("feedback/arrays", &[("a.hlsl", ARRAYS)]);
    let buffers = |engine: &[&str]| {
        let mut words = [&["run", "a.hlsl", "--format", "json", "--engine"][..], engine].concat();
        for bound in [
            "T[0]=R8_UNORM[160x64 mips 6]",
            "T[1]=R8_UNORM[90x75 mips 4]",
            "T[2]=R8_UNORM[160x64 mips 6]",
            "L=R8_UNORM[96x64 layers 3 mips 5]",
            "S[0]=linear clamp",
            "S[1]=nearest wrap anisotropic=16",
            "S[2]=linear mirror anisotropic=4 lod=0..1.5",
            "Least[0]=feedback(T[1], region=4x8)",
            "Least[1]=none",
            "Least[2]=feedback(T[0], region=4x4)",
            "Least[3]=feedback(T[2], region=8x8)",
            "Used[0]=feedback(T[0], region=8x4)",
            "Used[1]=feedback(T[2], region=8x4)",
            "Layers=feedback(L, region=4x4)",
            "Out=[192]",
        ] {
            words.extend(["--bind", bound]);
        }
        let mut command = support::on_processor(&folder, &words, 256);
        let ran = support::Ran::from(command.output().unwrap());
        assert_eq!(ran.status, 0, "{engine:?}: {}", ran.text());
        ran.json()["runs"][0]["buffers"].clone()
    };
    let wanted = buffers(&["interp"]);
    let got = buffers(&["vulkan", "--device", &device["index"].to_string()]);
    let all = wanted.as_object().unwrap();
    for (name, texels) in all {
        assert_eq!(got[name], *texels, "{name}");
        let texels = texels.as_array().unwrap();
        let are_mixed = texels.iter().any(|it| *it != texels[0]);
        assert!(are_mixed || texels.is_empty(), "{name} tells nothing: {texels:?}");
    }
    assert_eq!(got.as_object().unwrap().len(), all.len());
}
