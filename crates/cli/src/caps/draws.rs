//! What an engine or a device can draw, in words and as JSON.

use serde_json::{Value, json};
use wavelane::{DrawCaps, Stage};

/// The lines about it, the first of which says `draws`.
pub(super) fn lines(draws: &DrawCaps) -> Vec<String> {
    let packing = match draws.canonical_packing {
        true => "in the canonical packing",
        false => "as the device packs them",
    };
    let mut first = vec![
        format!("waves of {} lanes {packing}", draws.wave_lane_count),
        "points".to_owned(),
        "triangles".to_owned(),
    ];
    let mut missing = Vec::new();
    for (_, what, is_there) in parts(draws) {
        match is_there {
            true => first.push(what.to_owned()),
            false => missing.push(what),
        }
    }
    let all = DrawCaps::all_formats();
    let lacking: Vec<String> =
        all.iter().filter(|it| !draws.formats.contains(it)).map(ToString::to_string).collect();
    let formats = match lacking.len() {
        0 => format!("all {}", all.len()),
        few if few <= 12 => {
            format!("{} of {}; not {}", draws.formats.len(), all.len(), lacking.join(", "))
        }
        _ => format!("{} of {}", draws.formats.len(), all.len()),
    };
    let depths: Vec<&str> = draws.depth_formats.iter().map(|it| it.name()).collect();
    let samples: Vec<String> = draws.samples.iter().map(u32::to_string).collect();
    let size = draws.target_size;
    let mut lines = vec![
        format!("draws: {}", first.join(", ")),
        format!("  stages: {}", stages(draws).join(", ")),
        format!(
            "  targets: {} of at most {size}x{size} pixels, {} samples, {} viewports",
            draws.targets,
            samples.join(", "),
            draws.viewports
        ),
        format!("  formats: {formats}; depth: {}", depths.join(", ")),
    ];
    if !missing.is_empty() {
        lines.push(format!("  not: {}", missing.join(", ")));
    }
    lines
}

/// Names in JSON and in words, and what there is.
fn parts(draws: &DrawCaps) -> [(&'static str, &'static str, bool); 8] {
    [
        ("lines", "lines", draws.lines),
        ("SV_Barycentrics", "SV_Barycentrics", draws.barycentrics),
        ("SV_StencilRef", "SV_StencilRef", draws.stencil_reference),
        ("ROVsSupported", "rasterizer-ordered views", draws.ordered_views),
        ("DualSourceBlend", "blending with two sources", draws.dual_source_blending),
        ("IndependentBlend", "different blending of targets", draws.independent_blending),
        ("OutputMergerLogicOp", "logic operations", draws.logic_operations),
        (
            "ConservativeRasterization",
            "conservative rasterization",
            draws.conservative_rasterization,
        ),
    ]
}

fn stages(draws: &DrawCaps) -> Vec<String> {
    draws.stages.iter().map(|it| format!("{it:?}").to_lowercase()).collect()
}

pub(super) fn as_json(draws: &DrawCaps) -> Value {
    let has = |stage: Stage| draws.stages.contains(&stage);
    let mut value = json!({
        "WaveLaneCountMin": draws.wave_lane_count.min,
        "WaveLaneCountMax": draws.wave_lane_count.max,
        "canonical_packing": draws.canonical_packing,
        "stages": stages(draws),
        "GeometryShaders": has(Stage::Geometry),
        "Tessellation": has(Stage::Hull),
        "MeshShaders": has(Stage::Mesh) && has(Stage::Amplification),
        "targets": draws.targets,
        "target_size": draws.target_size,
        "viewports": draws.viewports,
        "samples": draws.samples,
        "formats": draws.formats.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "depth_formats": draws.depth_formats.iter().map(|it| it.name()).collect::<Vec<_>>(),
    });
    for (name, _, is_there) in parts(draws) {
        value[name] = json!(is_there);
    }
    value
}
