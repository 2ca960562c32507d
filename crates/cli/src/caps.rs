//! `wavelane caps`, and the report when a shader needs a cap that the adapter lacks.

use std::fmt::Write;

use device::{Adapter, Device, Engine, Isa, PipelineError, SourceMap};
use serde_json::json;

use crate::args::{Args, Output};
use crate::check::print_json;
use crate::problem::{Exit, Problem};
use crate::{End, terminal};

pub(crate) fn show(args: &Args) -> Result<Exit, End> {
    if let Some(word) = args.operands.first() {
        return Err(
            Problem::input(format!("`wavelane caps` takes no operand; what is `{word}`?")).into()
        );
    }
    match args.output {
        Output::Json => print_json(&as_json(&args.adapter))?,
        Output::Text | Output::Github | Output::Sarif | Output::Junit => {
            terminal::print(&text(&args.adapter))?
        }
    }
    Ok(Exit::Fine)
}

/// The report about a pipeline that cannot be made.
pub(crate) fn problem(error: &PipelineError, sources: &SourceMap) -> Problem {
    let problem = Problem::new(Exit::Unsupported, error.to_string()).at(error.span, "", sources);
    let problem = error.remedy().into_iter().fold(problem, Problem::help);
    problem.help("`wavelane caps` shows what the adapter has, `--caps` chooses another")
}

/// The device that the flags ask for.
pub(crate) fn device(args: &Args) -> Result<Device, Problem> {
    let unsupported = |what: device::Unsupported| {
        Problem::new(Exit::Unsupported, format!("{}: {}", what.asked, what.missing))
    };
    let engine = args.engine.unwrap_or(Engine::fastest());
    let device = Device::with_engine(args.adapter.clone(), engine).map_err(unsupported)?;
    let device = match args.isa {
        Some(isa) => device.with_isa(isa).map_err(unsupported)?,
        None => device,
    };
    Ok(device.with_threads(args.threads))
}

fn text(adapter: &Adapter) -> String {
    let yes = |it: bool| if it { "yes" } else { "no" }.to_owned();
    let mut text = format!("adapter {}\n", adapter.name);
    let rows = [
        ("HighestShaderModel", adapter.shader_model.to_string()),
        ("WaveOps", yes(adapter.options1.wave_ops)),
        ("WaveLaneCountMin", adapter.options1.wave_lane_count.min.to_string()),
        ("WaveLaneCountMax", adapter.options1.wave_lane_count.max.to_string()),
        ("TotalLaneCount", adapter.options1.total_lane_count.to_string()),
        ("Int64ShaderOps", yes(adapter.options1.int64_shader_ops)),
        ("Native16BitShaderOps", yes(adapter.options4.native_16bit_shader_ops)),
        ("DoublePrecisionFloatShaderOps", yes(adapter.double_precision_float_shader_ops)),
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
            _ => "not built yet",
        };
        let _ = writeln!(text, "  {:<8} {:<44} {state}", engine.name(), about(engine));
        for isa in Isa::ALL.into_iter().filter(|_| engine == Engine::Cpu) {
            let state = isa.missing().unwrap_or("available");
            let _ = writeln!(text, "    {:<50} {state}", isa.name());
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
        if let Some(missing) = it.missing() {
            engine["missing"] = json!(missing);
        }
        engine
    });
    json!({
        "adapters": [{
            "name": adapter.name,
            "HighestShaderModel": adapter.shader_model.to_string(),
            "WaveOps": adapter.options1.wave_ops,
            "WaveLaneCountMin": adapter.options1.wave_lane_count.min,
            "WaveLaneCountMax": adapter.options1.wave_lane_count.max,
            "TotalLaneCount": adapter.options1.total_lane_count,
            "Int64ShaderOps": adapter.options1.int64_shader_ops,
            "Native16BitShaderOps": adapter.options4.native_16bit_shader_ops,
            "DoublePrecisionFloatShaderOps": adapter.double_precision_float_shader_ops,
        }],
        "engines": engines,
        "default_engine": Engine::fastest().name(),
    })
}
