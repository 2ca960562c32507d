//! `wavelane explain`: concepts with their lanes, names of other languages; and loops that cannot end.

use crate::support;

use std::path::Path;

/// The status, and both streams.
fn wavelane(words: &[&str]) -> (i32, String) {
    let ran = support::wavelane(Path::new("."), words);
    (ran.status, ran.text())
}

#[test]
fn every_code_is_listed() {
    let (_, text) = wavelane(&["explain", "--list"]);
    let (_, json) = wavelane(&["explain", "--list", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for code in json["codes"].as_array().unwrap() {
        let name = code["code"].as_str().unwrap();
        assert!(text.contains(&format!("\n  {name} ")), "{name}");
    }
}

#[test]
fn concepts_have_a_page_with_an_example_and_its_lanes() {
    for word in [
        "active-lanes",
        "divergence",
        "ballot",
        "quad",
        "helper-lane",
        "partition",
        "lane",
        "subgroup",
    ] {
        let (status, text) = wavelane(&["explain", word]);
        assert!(status == 0 && text.contains("lane, i "), "{word}: {text}");
    }
    let (_, text) = wavelane(&["explain", "active lanes"]);
    assert!(text.contains("else       x = WaveActiveSum(10u);"), "{text}");
    assert!(text.contains("    x         3  3  3 50 50 50 50 50\n"), "{text}");
    assert!(wavelane(&["explain", "--list"]).1.contains("active-lanes"));
}

#[test]
fn names_of_other_languages_are_explained_by_the_function_of_hlsl() {
    for (word, says) in [
        ("subgroupAdd", "T WaveActiveSum(T value)"),
        ("__shfl_sync", "it is `WaveReadLaneAt(x, lane)`"),
        ("simd_sum", "`simd_sum` is Metal; in HLSL, it is `WaveActiveSum`"),
        ("sub_group_scan_inclusive_add", "`WavePrefixSum(x) + x`"),
        ("NvShflXor", "NVAPI"),
        ("AmdDxExtShaderIntrinsics_ReadfirstlaneU", "WaveReadLaneFirst"),
        ("tex3D", "shader model 3"),
    ] {
        let (status, text) = wavelane(&["explain", word]);
        assert!(status == 0 && text.contains(says), "{word}: {text}");
    }
    assert_eq!(wavelane(&["explain", "nothing-of-the-kind"]).0, 2);
}

#[test]
fn misspelt_names_of_any_language_lead_to_the_right_one() {
    for (word, meant) in [
        ("wavesum", "WaveSum"),
        ("wavebroadcast", "WaveBroadcast"),
        ("waveactivesum", "WaveActiveSum"),
        ("SubgroupAdd", "subgroupAdd"),
        ("__shfl_syn", "__shfl_sync"),
        ("simdsum", "simd_sum"),
        ("ballott", "ballot"),
    ] {
        let (status, text) = wavelane(&["explain", word]);
        let help = format!("did you mean `wavelane explain {meant}`?");
        assert!(status == 2 && text.contains(&help), "{word}: {text}");
        let (status, text) = wavelane(&["explain", meant]);
        assert_eq!(status, 0, "{meant}: {text}");
    }
}

#[test]
fn a_loop_that_nothing_can_end_is_not_a_deadlock() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let run = |name: &str, condition: &str| {
        let path = folder.join(name);
        let text = format!(
            "RWStructuredBuffer<uint> Out;\n[numthreads(8, 1, 1)]\nvoid main(uint i : SV_GroupIndex) {{\n\
             while (true) {{ if ({condition}) break; }}\nOut[i] = i;\n}}\n"
        );
        std::fs::write(&path, text).unwrap();
        wavelane(&["run", path.to_str().unwrap(), "--bind", "Out=[8]", "--fuel", "1000000"])
    };
    let (status, text) = run("endless.hlsl", "i == 0");
    assert!(
        status == 1 && text.contains("endless loop: nothing that this loop tests can change"),
        "{text}"
    );
    assert!(text.contains("endless.hlsl:4:1") && !text.contains("waits"), "{text}");
    let (status, text) = run("waiting.hlsl", "Out[0] == 7");
    assert!(
        status == 1 && text.contains("deadlock") && text.contains("a wave waits here"),
        "{text}"
    );
}
