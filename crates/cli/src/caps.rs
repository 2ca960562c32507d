//! `wavelane caps`: what the adapter, the engines and the devices of this computer can do.

mod draws;

use std::fmt::Write;

use serde_json::json;
use wavelane::{Adapter, CudaGpu, CudaInfo, DrawCaps, Engine, Gpu, GpuInfo, Isa};

use crate::asked::LowArgs;
use crate::asked::Output;
use crate::problem::{End, Exit, Problem};
use crate::terminal;
use crate::terminal::print_json;

/// The stages whose shaders run.
const STAGES: [&str; 8] =
    ["compute", "vertex", "hull", "domain", "geometry", "amplification", "mesh", "pixel"];

/// What `caps` needs.
pub(crate) struct CapsArgs {
    adapter: Adapter,
    output: Output,
}

impl CapsArgs {
    pub(crate) fn new(low: LowArgs) -> Result<CapsArgs, Problem> {
        if let Some(word) = low.operands.first() {
            let what = format!("unexpected operand `{word}`: `wavelane caps` takes none");
            return Err(Problem::input(what));
        }
        Ok(CapsArgs { adapter: low.device.adapter, output: low.output })
    }
}

pub(crate) fn show(args: &CapsArgs) -> Result<Exit, End> {
    match args.output {
        Output::Json => print_json(&as_json(&args.adapter))?,
        Output::Text | Output::Github | Output::Sarif | Output::Junit => {
            terminal::print(&text(&args.adapter))?
        }
    }
    Ok(Exit::Fine)
}

fn text(adapter: &Adapter) -> String {
    let yes = |it: bool| if it { "yes" } else { "no" }.to_owned();
    let mut text = format!("adapter {}\n", adapter.name);
    let rows = [
        ("HighestShaderModel", adapter.shader_model.to_string()),
        ("WaveOps", yes(adapter.wave_ops)),
        ("WaveLaneCountMin", adapter.wave_lane_count.min.to_string()),
        ("WaveLaneCountMax", adapter.wave_lane_count.max.to_string()),
        ("TotalLaneCount", adapter.total_lane_count.to_string()),
        ("Int64ShaderOps", yes(adapter.int64_shader_ops)),
        ("Native16BitShaderOps", yes(adapter.native_16bit_shader_ops)),
        ("RaytracingTier", adapter.raytracing_tier.to_string()),
        ("SamplerFeedbackTier", adapter.sampler_feedback_tier.to_string()),
        ("DoublePrecisionFloatShaderOps", yes(adapter.double_precision_float_shader_ops)),
        ("MaxGroupSharedMemoryPerGroupCS", adapter.max_group_shared_memory.to_string()),
    ];
    for (cap, value) in rows {
        let _ = writeln!(text, "  {cap:<30} {value}");
    }
    text.push_str("\nengines\n");
    for engine in Engine::ALL {
        let state = match engine {
            _ if engine == Engine::fastest() => "available, the default of run and test",
            _ if engine.is_available() => "available",
            Engine::Cpu => "not here: interp runs in its place",
            _ => "no device that can be used",
        };
        let _ = writeln!(text, "  {:<8} {:<44} {state}", engine.name(), about(engine));
        for isa in Isa::ALL.into_iter().filter(|_| engine == Engine::Cpu) {
            let state = isa.missing().unwrap_or("available");
            let _ = writeln!(text, "    {:<50} {state}", isa.name());
        }
    }
    text.push_str("\ninterp and cpu\n");
    for line in draws::lines(&DrawCaps::of_host(adapter)) {
        let _ = writeln!(text, "  {line}");
    }
    let _ = writeln!(text, "\nstages\n  {} run", STAGES.join(", "));
    text.push_str("  all others are checked, and do not run yet\n");
    text.push_str("\ndevices of vulkan\n");
    match Gpu::all() {
        Ok(all) if all.is_empty() => text.push_str("  none: no driver shows one\n"),
        Ok(all) => all.iter().for_each(|it| text.push_str(&listed(it))),
        Err(none) => {
            let _ = writeln!(text, "  none: {}", none.missing);
        }
    }
    text.push_str("\ndevices of cuda\n");
    match CudaGpu::all() {
        Ok(all) if all.is_empty() => text.push_str("  none: the driver lists none\n"),
        Ok(all) => all.iter().for_each(|it| text.push_str(&listed_cuda(it))),
        Err(none) => {
            let _ = writeln!(text, "  none: {}", none.missing);
        }
    }
    text
}

fn listed_cuda(gpu: &CudaInfo) -> String {
    let CudaInfo { index, name, driver, capability, adapter, unusable } = gpu;
    let capability = format!("{}.{}", capability / 10, capability % 10);
    let mut text =
        format!("  {index} {name}\n    compute capability {capability}, CUDA {driver}\n");
    let lanes = &adapter.wave_lane_count;
    let _ = match unusable {
        Some(what) => writeln!(text, "    cannot be used: {what}"),
        None => writeln!(text, "    waves of {lanes} lanes, 64-bit integers, 16-bit types, double"),
    };
    text
}

fn listed(gpu: &GpuInfo) -> String {
    let GpuInfo { index, name, driver, kind, vulkan, adapter, draws, unusable } = gpu;
    let mut has = vec![format!("waves of {} lanes", adapter.wave_lane_count)];
    let halves = adapter.native_16bit_shader_ops;
    for (is_there, what) in [
        (adapter.int64_shader_ops, "64-bit integers"),
        (halves, "16-bit types"),
        (adapter.double_precision_float_shader_ops, "double"),
    ] {
        if is_there {
            has.push(what.to_owned());
        }
    }
    let mut text = format!("  {index} {name}\n    {kind}, Vulkan {vulkan}, {driver}\n");
    let _ = match unusable {
        Some(what) => writeln!(text, "    cannot be used: {what}"),
        None => writeln!(text, "    {}", has.join(", ")),
    };
    if unusable.is_none() {
        match draws {
            Some(draws) => {
                for line in draws::lines(draws) {
                    let _ = writeln!(text, "    {line}");
                }
            }
            None => text.push_str("    no draws: it has no queue for them\n"),
        }
    }
    text
}

fn about(engine: Engine) -> &'static str {
    match engine {
        Engine::Interp => "the reference engine: exact, at every width",
        Engine::Cpu => "machine code for this computer",
        Engine::Vulkan => "a GPU through Vulkan",
        Engine::Cuda => "a GPU through CUDA",
        _ => "",
    }
}

fn as_json(adapter: &Adapter) -> serde_json::Value {
    let engines = Engine::ALL.map(|it| {
        let mut engine = json!({ "name": it.name(), "available": it.is_available() });
        if matches!(it, Engine::Interp | Engine::Cpu) {
            engine["draws"] = draws::as_json(&DrawCaps::of_host(adapter));
        }
        if let Some(missing) = it.missing() {
            engine["missing"] = json!(missing);
        }
        engine
    });
    let device = |it: &GpuInfo| {
        json!({
            "index": it.index,
            "name": it.name,
            "driver": it.driver,
            "kind": it.kind,
            "vulkan": it.vulkan,
            "WaveLaneCountMin": it.adapter.wave_lane_count.min,
            "WaveLaneCountMax": it.adapter.wave_lane_count.max,
            "Int64ShaderOps": it.adapter.int64_shader_ops,
            "Native16BitShaderOps": it.adapter.native_16bit_shader_ops,
            "RaytracingTier": it.adapter.raytracing_tier.to_string(),
            "SamplerFeedbackTier": it.adapter.sampler_feedback_tier.to_string(),
            "DoublePrecisionFloatShaderOps": it.adapter.double_precision_float_shader_ops,
            "MaxGroupSharedMemoryPerGroupCS": it.adapter.max_group_shared_memory,
            "draws": it.draws.as_ref().map(draws::as_json),
            "unusable": it.unusable,
        })
    };
    // The list depends on the machine; without Vulkan it is empty.
    let devices: Vec<serde_json::Value> =
        Gpu::all().unwrap_or_default().iter().map(device).collect();
    let cuda = |it: &CudaInfo| {
        json!({
            "index": it.index,
            "name": it.name,
            "cuda": it.driver,
            "capability": it.capability,
            "WaveLaneCountMin": it.adapter.wave_lane_count.min,
            "WaveLaneCountMax": it.adapter.wave_lane_count.max,
            "MaxGroupSharedMemoryPerGroupCS": it.adapter.max_group_shared_memory,
            "unusable": it.unusable,
        })
    };
    let cuda_devices: Vec<serde_json::Value> =
        CudaGpu::all().unwrap_or_default().iter().map(cuda).collect();
    json!({
        "adapters": [{
            "name": adapter.name,
            "HighestShaderModel": adapter.shader_model.to_string(),
            "WaveOps": adapter.wave_ops,
            "WaveLaneCountMin": adapter.wave_lane_count.min,
            "WaveLaneCountMax": adapter.wave_lane_count.max,
            "TotalLaneCount": adapter.total_lane_count,
            "Int64ShaderOps": adapter.int64_shader_ops,
            "Native16BitShaderOps": adapter.native_16bit_shader_ops,
            "RaytracingTier": adapter.raytracing_tier.to_string(),
            "SamplerFeedbackTier": adapter.sampler_feedback_tier.to_string(),
            "DoublePrecisionFloatShaderOps": adapter.double_precision_float_shader_ops,
            "MaxGroupSharedMemoryPerGroupCS": adapter.max_group_shared_memory,
        }],
        "engines": engines,
        "stages": STAGES,
        "default_engine": Engine::fastest().name(),
        "devices": devices,
        "cuda_devices": cuda_devices,
    })
}
