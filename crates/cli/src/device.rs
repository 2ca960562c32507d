//! The device that a command line requests, and the report where a shader needs what it lacks.

use wavelane::{
    CpuOptions, Device, Engine, Missing, PipelineError, RayQueries, SourceMap, internal,
};

use crate::asked::DeviceChoice;
use crate::problem::{Exit, Problem};

/// The report about a pipeline that cannot be made.
pub(crate) fn problem(error: &PipelineError, sources: &SourceMap) -> Problem {
    let problem = Problem::new(Exit::Unsupported, error.to_string()).at(error.span, "", sources);
    let problem = error.remedy().into_iter().fold(problem, Problem::help);
    let problem = match error.missing {
        Missing::RayQueries => problem
            .help("`--ray-query software` lets a Vulkan device without them search in the shader"),
        _ => problem,
    };
    problem.help("`wavelane caps` shows what the adapter has, `--caps` chooses another")
}

/// The device that the flags ask for. Commands that do not measure may leave small dispatches to the reference engine,
/// unless the flags name an engine.
pub(crate) fn open(choice: &DeviceChoice, is_measured: bool) -> Result<Device, Problem> {
    let unsupported = |what: wavelane::Unsupported| {
        Problem::new(Exit::Unsupported, format!("{}: {}", what.asked, what.missing))
    };
    let engine = choice.engine.unwrap_or(Engine::fastest());
    if choice.ray_queries == RayQueries::Software && engine != Engine::Vulkan {
        let what = "`--ray-query software` is for the engine `vulkan`".to_owned();
        let help = "the engines `interp` and `cpu` have these results anyway";
        return Err(Problem::input(what).help(help));
    }
    if choice.brute_rays {
        if engine != Engine::Interp {
            let problem = Problem::input("`--rays brute` is for the engine `interp`".to_owned());
            return Err(problem.help("add `--engine interp`"));
        }
        return Ok(internal::with_brute_rays(choice.adapter.clone()));
    }
    if matches!(engine, Engine::Vulkan | Engine::Cuda) {
        let adapter = choice.adapter.clone();
        let device = match engine {
            Engine::Cuda => Device::with_cuda(adapter, choice.cuda(None).map_err(unsupported)?),
            _ => Device::with_gpu(adapter, choice.vulkan(None).map_err(unsupported)?),
        };
        let none = |error| Problem::new(Exit::Unsupported, format!("--caps: {error}"));
        device.adapter().check().map_err(none)?;
        return Ok(device);
    }
    if engine != Engine::Cpu {
        return Device::with_engine(choice.adapter.clone(), engine).map_err(unsupported);
    }
    // Without `--engine`, small dispatches may run on the reference engine.
    let is_chosen = choice.engine.is_some() || choice.verbose || is_measured;
    let options = CpuOptions {
        isa: choice.isa,
        threads: choice.threads,
        leaves_small: !is_chosen,
        rewrites: !choice.unoptimised,
    };
    Device::with_cpu(choice.adapter.clone(), options).map_err(unsupported)
}
