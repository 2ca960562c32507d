//! `wavelane caps`: what engines and devices can draw.

use std::path::Path;

use serde_json::Value;

use super::{fine, folder, text, wavelane};

/// That what the caps say is what pipelines take: a target of every format, and every number of samples.
#[test]
fn engines_draw_what_their_caps_say() {
    let float = "float4 main(float4 p : SV_Position) : SV_Target { return 1; }";
    let files = [
        ("float.hlsl", float.to_owned()),
        ("uint.hlsl", float.replace("float4 main", "uint4 main")),
        ("int.hlsl", float.replace("float4 main", "int4 main")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|it| (it.0, it.1.as_str())).collect();
    let folder = folder("caps", &files);
    let caps: Value = serde_json::from_str(&fine(&["caps", "--format", "json"], &folder)).unwrap();
    let engines = caps["engines"].as_array().unwrap();
    let of = |name: &str| &engines.iter().find(|it| it["name"] == name).unwrap()["draws"];
    let draws = of("interp");
    assert_eq!(draws, of("cpu"));
    assert!(of("cuda").is_null());
    assert_eq!(draws["canonical_packing"], true, "{draws}");
    assert_eq!((&draws["targets"], &draws["viewports"]), (&8.into(), &16.into()));
    let stages: Vec<&str> =
        draws["stages"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    for stage in ["vertex", "hull", "domain", "geometry", "amplification", "mesh", "pixel"] {
        assert!(stages.contains(&stage), "{draws}");
    }
    let formats = draws["formats"].as_array().unwrap();
    assert!(formats.len() > 40, "{draws}");
    for format in formats.iter().map(|it| it.as_str().unwrap()) {
        let file = match format {
            _ if format.ends_with("UINT") => "uint.hlsl",
            _ if format.ends_with("SINT") => "int.hlsl",
            _ => "float.hlsl",
        };
        draw(&[file, "--target", format], &folder);
    }
    for format in draws["depth_formats"].as_array().unwrap() {
        let depth = format!("{{ Format: {} }}", format.as_str().unwrap());
        draw(&["float.hlsl", "--depth", &depth], &folder);
    }
    for samples in draws["samples"].as_array().unwrap() {
        draw(&["float.hlsl", "--samples", &samples.to_string()], &folder);
    }
    let shown = fine(&["caps"], &folder);
    assert!(shown.contains("formats: all ") && shown.contains("D32_FLOAT_S8X24_UINT"), "{shown}");
    assert!(shown.contains("not: conservative rasterization"), "{shown}");
}

fn draw(words: &[&str], folder: &Path) {
    let draw = ["-T", "ps_6_6", "--draw", "fullscreen", "--size", "2x2"];
    let output = wavelane(&[&["run"], words, &draw].concat(), folder);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", text(&output.stderr));
}
