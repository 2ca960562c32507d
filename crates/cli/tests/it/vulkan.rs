//! The whole suite through SPIR-V on a CPU driver of Vulkan, at its usual width.
//!
//! Each section checks itself with what the reference engine gives, bit for bit. Permitted differences are in
//! `vulkan/open.txt`, each line with its reason; everything else must agree. Tests run in separate processes, because a
//! driver's compiler can crash its process. Without a usable driver the test prints that and checks nothing.
#![expect(clippy::print_stdout, reason = "what is skipped or unsupported must be seen")]

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The bits of a vector that Mesa's driver computes with, which make 8 lanes. Others ignore the variable. With 128
/// bits, which make 4 lanes, the driver's own code crashes on texels, on a stack that is not aligned:
/// `docs/hardware.md`.
const VECTORS: [u32; 1] = [256];

fn wavelane(words: &[&str], vector: u32) -> String {
    let mut command = support::on_processor(&support::root(), words, vector);
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

fn open() -> BTreeSet<String> {
    let text = include_str!("../vulkan/open.txt");
    let lines = text.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
    lines.map(|it| it.split_once(" # ").expect("each line has its reason").0.to_owned()).collect()
}

#[test]
fn the_suite_gives_the_same_bits_on_a_processor_through_vulkan() {
    let open = open();
    let mut widths = BTreeSet::new();
    for vector in VECTORS {
        let Some(device) = support::processor(vector) else {
            return;
        };
        let width = device["WaveLaneCountMin"].as_u64().unwrap();
        if !widths.insert(width) {
            continue;
        }
        let index = device["index"].to_string();
        let words = ["test", "suite", "--engine", "vulkan", "--device", &index];
        let said =
            wavelane(&[&words[..], &["--timeout", "120", "--format", "json"]].concat(), vector);
        let (mut passed, mut failures) = (0, Vec::new());
        let mut unsupported: BTreeMap<String, usize> = BTreeMap::new();
        for line in said.lines() {
            let Ok(record) = serde_json::from_str::<Value>(line) else { continue };
            let test = record["test"].as_str().unwrap_or_default().to_owned();
            let message = record["message"].as_str().unwrap_or_default();
            match record["verdict"].as_str() {
                Some("passed") => passed += 1,
                Some("failed") if open.contains(&test) => {}
                Some("failed") => failures.push(format!("{test}: {message}")),
                Some("unsupported") => {
                    // Names differ from case to case, the reason behind them does not.
                    let reason = message.split('`').step_by(2).collect::<Vec<&str>>().join("…");
                    *unsupported.entry(reason).or_default() += 1;
                }
                _ => {}
            }
        }
        println!("waves of {width} lanes: {passed} passed");
        for (reason, count) in unsupported {
            println!("  unsupported, {count}: {reason}");
        }
        assert!(passed > 1000, "{passed} passed only:\n{said}");
        let failed = failures.join("\n");
        assert!(failures.is_empty(), "at {width} lanes {} differ:\n{failed}", failures.len());
    }
}

#[test]
fn without_vulkan_the_engine_is_unsupported_and_nothing_passes() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavelane"));
    command.args(["test", "suite/wave/read", "--engine", "vulkan"]).current_dir(support::root());
    // A loader that finds no driver, or no loader: the same for the user.
    command.env("VK_DRIVER_FILES", "/nowhere").env("VK_ICD_FILENAMES", "/nowhere");
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("the engine `vulkan`"), "{said}");
}

/// Both programs run in turns on the device, and what they leave is compared.
/// Waves are those of the device: the sums of a wave agree although it packs pixels otherwise. What may differ by the
/// precision of interpolation is open, and a difference that the sanitizer explains is the program's.
#[test]
fn draws_are_compared_with_the_packing_of_the_device() {
    let Some(device) = support::processor(VECTORS[0]) else {
        return;
    };
    let width = device["WaveLaneCountMin"].as_u64().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vulkan-draws");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("draws.hlsl");
    let section = |name: &str, body: &str| {
        format!(
            "//--- {name}\n//# draw 16x8\nfloat4 vs(uint id : SV_VertexID) : SV_Position {{\n\
             return float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);\n}}\n\
             float4 ps(float4 at : SV_Position) : SV_Target {{ {body} }}\n"
        )
    };
    let text = section("packed", "return WaveActiveSum(uint(at.x));")
        + &section("plain", "return at.xyxy;")
        + &section(
            "undefined",
            "if (at.x > 1) discard; float sum = WavePrefixSum(1.0f); return QuadReadAcrossX(sum);",
        );
    std::fs::write(&file, text).unwrap();
    let engines = format!("interp,cpu,vulkan:{}", device["index"]);
    let words = ["diff", file.to_str().unwrap(), "--engines", &engines, "--format", "json"];
    let report: Value = serde_json::from_str(&wavelane(&words, VECTORS[0])).unwrap();
    let records = report["comparisons"].as_array().unwrap();
    assert_eq!(records.len(), 3, "{report}");
    for (record, [verdict, on_device]) in
        records.iter().zip([["agree", "same"], ["agree", "same"], ["undefined", "differs"]])
    {
        assert_eq!(record["wave_size"].as_u64(), Some(width), "{report}");
        assert_eq!(record["verdict"], verdict, "{report}");
        assert_eq!(record["engines"][0]["result"], "same", "{report}");
        assert_eq!(record["engines"][1]["result"], on_device, "{report}");
    }
    assert_eq!(records[2]["findings"][0]["id"], "helper-result", "{report}");
}

/// A device runs the pixels of a draw in an order that it chooses, which a list shows.
#[test]
fn lists_of_draws_may_be_declared_unordered() {
    let Some(device) = support::processor(VECTORS[0]) else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vulkan-lists");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("list.hlsl");
    let text = "//--- list\n//# draw 128x128\n//# zero List 65536\n//# zero Next 4\n\
        RWStructuredBuffer<uint> List : register(u0);\n\
        RWStructuredBuffer<uint> Next : register(u1);\n\
        float4 vs(uint id : SV_VertexID) : SV_Position {\n\
        return float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);\n}\n\
        float4 ps(float4 at : SV_Position) : SV_Target {\n\
        uint next; InterlockedAdd(Next[0], 1u, next);\n\
        List[next] = 128 * uint(at.y) + uint(at.x); return 1; }\n";
    std::fs::write(&file, text).unwrap();
    let engines = format!("interp,vulkan:{}", device["index"]);
    let words = ["diff", file.to_str().unwrap(), "--engines", &engines, "--format", "json"];
    for (more, expected) in [(&[][..], "differs"), (&["--unordered", "List"], "same")] {
        let report: Value =
            serde_json::from_str(&wavelane(&[&words[..], more].concat(), VECTORS[0])).unwrap();
        assert_eq!(report["comparisons"][0]["engines"][0]["result"], expected, "{report}");
    }
}

#[test]
fn two_programs_are_measured_beside_each_other_on_a_device() {
    if support::processor(VECTORS[0]).is_none() {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("against-vulkan");
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, sum: &str| {
        let text = format!(
            "RWStructuredBuffer<uint> Out;
            [numthreads(64, 1, 1)] void main(uint t : SV_DispatchThreadID) {{ Out[t] = {sum}; }}"
        );
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let scan = file("scan.hlsl", "WavePrefixSum(t) + t");
    let same = file("same.hlsl", "WavePrefixSum(t + 0) + t");
    let other = file("other.hlsl", "WavePrefixSum(t) + t + 1");
    let verdict = |against: &str| {
        let bind = ["--groups", "16", "--bind", "Out=u32[1024]", "--format", "json"];
        let words =
            [&["bench", &scan, "--against", against, "--engine", "vulkan"], &bind[..]].concat();
        let report: Value = serde_json::from_str(&wavelane(&words, VECTORS[0])).unwrap();
        let against = &report["benches"][0]["runs"][0]["against"];
        assert!(against["ratio"]["median"].as_f64().is_some_and(|it| it > 0.0), "{report}");
        against["same_results"].as_bool()
    };
    assert_eq!(verdict(&same), Some(true));
    assert_eq!(verdict(&other), Some(false));
}
