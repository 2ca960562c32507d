//! `--alias`: one buffer under two names of a shader.

use crate::support;

use support::Ran;

const SHADER: &str = "RWStructuredBuffer<uint> A : register(u0);
RWByteAddressBuffer B : register(u1);
RWStructuredBuffer<uint2> Pairs : register(u2);
RWStructuredBuffer<uint> Out : register(u3);
cbuffer K { uint k; };
[numthreads(8, 1, 1)] void main(uint i : SV_DispatchThreadID) {
    A[i] = i + k;
    DeviceMemoryBarrierWithGroupSync();
    Out[i] = B.Load(4 * (7 - i)) + (k ? Pairs[i].x : 0);
}
";

/// Runs `wavelane` in a separate folder that holds `a.hlsl`.
fn wavelane(name: &str, line: &str) -> Ran {
    let folder = support::folder(&format!("aliases/{name}"), &[("a.hlsl", SHADER)]);
    support::wavelane(&folder, &line.split(' ').collect::<Vec<_>>())
}

#[test]
fn both_names_are_printed_with_the_same_contents() {
    for engine in ["interp", "cpu"] {
        let line = "run a.hlsl --bind A=[8] --alias B=A --bind Pairs=u32[2] --bind Out=[8] --set k=0 \
                    --wave-size 4,32 --format json --engine";
        let ran = wavelane("both", &format!("{line} {engine}"));
        assert_eq!(ran.status, 0, "{}", ran.text());
        let result: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        for run in result["runs"].as_array().unwrap() {
            let buffers = &run["buffers"];
            assert_eq!(buffers["A"], serde_json::json!([0, 1, 2, 3, 4, 5, 6, 7]), "{engine}");
            assert_eq!(buffers["A"], buffers["B"], "{engine}");
            assert_eq!(buffers["Out"], serde_json::json!([7, 6, 5, 4, 3, 2, 1, 0]), "{engine}");
        }
    }
}

#[test]
fn an_impossible_alias_is_refused_where_it_is_declared() {
    for (words, message) in [
        ("--alias B=B", "a.hlsl:2:21: error: `--alias B=B`: `B` cannot be an alias of itself"),
        ("--alias B=A --alias B=Out", "`B` is an alias of `A` already"),
        ("--alias B=A --alias Out=B", "`Out` would take part in a chain of aliases; name `A`"),
        ("--alias B=K", "`K` is a constant buffer"),
        ("--alias Q=A", "error: `--alias Q=A`: the entry point uses no buffer `Q`"),
        ("--alias B=A --bind B=[8]", "`B` is an alias of `A`; bind the buffer to `A`"),
        (
            "--alias Pairs=A --bind A=[7]",
            "28 bytes is not a multiple of the 8-byte stride of `Pairs`",
        ),
        ("--alias B=A --draw fullscreen", "`--alias` is for dispatches of a shader"),
    ] {
        let ran = wavelane("refused", &format!("run a.hlsl {words}"));
        assert_eq!(ran.status, 2, "{words}: {}", ran.text());
        assert!(ran.err.contains(message), "{words}: {}", ran.err);
    }
}

#[test]
fn the_memory_alone_is_made_up() {
    let ran = wavelane("auto", "run a.hlsl --alias B=A --auto --wave-size 8");
    assert_eq!(ran.status, 0, "{}", ran.text());
    assert!(ran.err.contains("--bind 'A=u32[8]'") && !ran.err.contains("'B="), "{}", ran.err);
}

#[test]
fn the_sanitizer_knows_both_names() {
    let line = "san a.hlsl --bind A=[8] --bind Pairs=u32[2] --bind Out=[8] --wave-size 4 --set k=0";
    let ran = wavelane("found", &format!("{line} --alias B=A"));
    assert_eq!(ran.status, 0, "{}", ran.text());
    let folder = support::folder(
        "aliases/moved",
        &[("a.hlsl", &SHADER.replace("    DeviceMemoryBarrierWithGroupSync();\n", ""))],
    );
    let line = format!("{line} --alias B=A");
    let ran = support::wavelane(&folder, &line.split(' ').collect::<Vec<_>>());
    assert_eq!(ran.status, 1, "{}", ran.text());
    assert!(
        ran.text().contains("race on `B`") || ran.text().contains("race on `A`"),
        "{}",
        ran.text()
    );
    assert!(ran.text().contains("both names mean the same buffer"), "{}", ran.text());
}

/// A test reads what both names hold.
#[test]
fn a_section_has_two_names_of_one_buffer() {
    let section = "//--- both\n//# alias B A\n//# zero A 16\n//= A u32: 1 2 3 4\n\
                   RWStructuredBuffer<uint> A : register(u0);\nRWByteAddressBuffer B : register(u1);\n\
                   [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { A[i] = i; B.Store(4 * i, B.Load(4 * i) + 1); }\n";
    let folder = support::folder("aliases/section", &[("a.hlsl", section)]);
    for engine in ["interp", "cpu"] {
        let ran = support::wavelane(&folder, &["test", "a.hlsl", "--engine", engine]);
        assert_eq!(ran.status, 0, "{}", ran.text());
        assert!(ran.out.contains("6 passed, 0 failed"), "{}", ran.text());
    }
}
