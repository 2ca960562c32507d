//! The engines to compare: those that `--engines`, `--spirv` and `--ptx` name, opened, or with the reason why they
//! cannot be opened.
//!
//! Deliberately absent: what a difference between them means.

use wavelane::{
    Adapter, ComputePipeline, CpuOptions, Device, Engine, Foreign, ForeignError, Isa, JitLevel,
    Shader, Unsupported, internal,
};

use crate::asked::DeviceChoice;
use crate::module::read_module;
use crate::problem::{Exit, Problem};
use crate::target;

/// One side of a comparison.
pub(crate) struct Side {
    /// The name from the command line: `cpu`, `vulkan:1`, or the file of a foreign module.
    pub(crate) name: String,
    /// The device and its driver, where that says more.
    pub(crate) about: Option<String>,
    pub(crate) runs: Runs,
}

/// What executes the program.
pub(crate) enum Runs {
    /// The reference engine, which all others are compared with.
    Reference,
    Engine(Device),
    /// The reference engine on the module legalised for a target: `interp:vulkan1.3`.
    Legalized(String),
    /// Another compiler's module on a device.
    Module(Device, Foreign),
    /// It is not available here.
    Missing(String),
    /// The reference engine on a deliberately changed shader.
    #[cfg(test)]
    Planted(fn(&Shader) -> Shader),
    /// The same, except that its second opinion is right.
    #[cfg(test)]
    Misassembled(fn(&Shader) -> Shader),
}

/// Why a side does not run a shader.
pub(crate) enum NotRun {
    Unsupported(String),
    /// The foreign module was not generated from this shader.
    BadInput(String),
}

impl Side {
    /// The pipeline of a shader.
    pub(crate) fn pipeline(
        &self,
        shader: &Shader,
        adapter: &Adapter,
    ) -> Result<ComputePipeline, NotRun> {
        let unsupported = |it: wavelane::PipelineError| NotRun::Unsupported(it.to_string());
        match &self.runs {
            Runs::Reference => {
                Device::new(adapter.clone()).create_compute_pipeline(shader).map_err(unsupported)
            }
            Runs::Engine(device) => device.create_compute_pipeline(shader).map_err(unsupported),
            Runs::Module(device, module) => {
                internal::create_vouched_pipeline(device, shader, module).map_err(|error| {
                    match error {
                        ForeignError::Malformed(_) | ForeignError::Mismatch(_) => {
                            NotRun::BadInput(error.to_string())
                        }
                        _ => NotRun::Unsupported(error.to_string()),
                    }
                })
            }
            Runs::Legalized(target) => match shader.made_for(target) {
                Ok(Some(made)) => {
                    Device::new(adapter.clone()).create_compute_pipeline(&made).map_err(unsupported)
                }
                Ok(None) => Err(NotRun::BadInput(format!("`{target}` is not a target"))),
                Err(bug) => Err(NotRun::Unsupported(bug.message)),
            },
            Runs::Missing(why) => Err(NotRun::Unsupported(why.clone())),
            #[cfg(test)]
            Runs::Planted(fault) | Runs::Misassembled(fault) => Device::new(adapter.clone())
                .create_compute_pipeline(&fault(shader))
                .map_err(unsupported),
        }
    }

    /// Whether it returns the lines that a shader prints; a GPU drops them.
    pub(crate) fn prints(&self) -> bool {
        !self.is_gpu()
    }

    fn device(&self) -> Option<&Device> {
        match &self.runs {
            Runs::Engine(device) | Runs::Module(device, _) => Some(device),
            Runs::Reference | Runs::Legalized(_) | Runs::Missing(_) => None,
            #[cfg(test)]
            Runs::Planted(_) | Runs::Misassembled(_) => None,
        }
    }

    /// The same side with the driver's optimisations disabled: a second opinion about a kernel.
    pub(crate) fn unoptimised(&self) -> Option<Side> {
        let slow = |device: &Device| {
            let gpu =
                device.cuda().filter(|it| it.jit_level() != JitLevel::NONE && !it.is_lost())?;
            let gpu = gpu.clone().with_jit_level(JitLevel::NONE);
            Some(Device::with_cuda(device.adapter().clone(), gpu))
        };
        let runs = match &self.runs {
            Runs::Engine(device) => Runs::Engine(slow(device)?),
            Runs::Module(device, module) => Runs::Module(slow(device)?, module.clone()),
            Runs::Reference | Runs::Legalized(_) | Runs::Missing(_) => return None,
            #[cfg(test)]
            Runs::Planted(_) => return None,
            #[cfg(test)]
            Runs::Misassembled(_) => Runs::Planted(Shader::clone),
        };
        Some(Side { name: self.name.clone(), about: self.about.clone(), runs })
    }

    /// The GPU that whole programs run on. It takes the dispatches of a list in one submission.
    pub(crate) fn gpu(&self) -> Option<&Device> {
        match &self.runs {
            Runs::Engine(device) => Some(device).filter(|it| it.is_gpu()),
            Runs::Reference | Runs::Legalized(_) | Runs::Missing(_) | Runs::Module(..) => None,
            #[cfg(test)]
            Runs::Planted(_) | Runs::Misassembled(_) => None,
        }
    }

    pub(crate) fn is_gpu(&self) -> bool {
        self.device().is_some_and(Device::is_gpu)
    }

    /// Whether it runs PTX.
    pub(crate) fn is_of_cuda(&self) -> bool {
        self.device().is_some_and(|it| it.cuda().is_some())
    }

    /// The name of the GPU.
    pub(crate) fn gpu_name(&self) -> Option<String> {
        self.device().filter(|it| it.is_gpu()).map(|it| it.adapter().name.clone())
    }

    /// The GPU and its driver without spaces, as the units of campaigns name it.
    pub(crate) fn gpu_label(&self) -> Option<String> {
        self.device().and_then(gpu_label)
    }

    /// Whether a run did not end on its GPU, which only another process can open again.
    pub(crate) fn is_lost(&self) -> bool {
        self.device().is_some_and(Device::is_lost)
    }

    /// The reference engine as a side.
    pub(crate) fn reference() -> Side {
        Side { name: "interp".to_owned(), about: None, runs: Runs::Reference }
    }

    /// Whether close floats agree: the side chooses its rounding, or the device its order of sums.
    pub(crate) fn may_round(&self, shader: &Shader) -> bool {
        let sums = || shader.trace_points().iter().any(internal::TracePoint::folds_floats);
        self.rounds_as_it_likes() || self.reorders_sums() && sums()
    }

    /// Whether the order in which lanes are added is the device's.
    pub(crate) fn reorders_sums(&self) -> bool {
        self.device().is_some_and(|it| it.gpu().is_some())
    }

    /// Whether the last bits of floats and the bits of a NaN are device-specific.
    pub(crate) fn rounds_as_it_likes(&self) -> bool {
        match &self.runs {
            Runs::Module(..) => true,
            Runs::Engine(device) => device.gpu().is_some_and(|it| !it.environment().exact),
            Runs::Reference | Runs::Legalized(_) | Runs::Missing(_) => false,
            #[cfg(test)]
            Runs::Planted(_) | Runs::Misassembled(_) => false,
        }
    }

    pub(crate) fn module(&self) -> Option<&Foreign> {
        match &self.runs {
            Runs::Module(_, module) => Some(module),
            Runs::Reference | Runs::Engine(_) | Runs::Legalized(_) | Runs::Missing(_) => None,
            #[cfg(test)]
            Runs::Planted(_) | Runs::Misassembled(_) => None,
        }
    }
}

/// The GPU of a device and its driver, without spaces.
pub(crate) fn gpu_label(device: &Device) -> Option<String> {
    let driver = match (device.gpu(), device.cuda()) {
        (Some(gpu), _) => gpu.driver().to_owned(),
        (None, Some(gpu)) => gpu.driver(),
        (None, None) => return None,
    };
    let words = |it: &str| it.split_whitespace().collect::<Vec<_>>().join("-");
    Some(format!("{}/{}", words(&device.adapter().name), words(&driver)))
}

/// The requested engines.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// As they were written; by default all that are available.
    pub(crate) engines: Option<&'a str>,
    /// The file of another compiler's module.
    pub(crate) module: Option<&'a str>,
    pub(crate) device: &'a DeviceChoice,
}

/// Opens the engines that the command line names, or all available ones.
pub(crate) fn open(args: Wanted<'_>) -> Result<Vec<Side>, Problem> {
    let module = args.module.map(|it| read_module(it).map(|module| (it, module))).transpose()?;
    // The engine that runs it.
    let runs = match &module {
        Some((_, module)) if module.is_ptx() => Some(Engine::Cuda),
        Some(_) => Some(Engine::Vulkan),
        None => None,
    };
    let named = match args.engines {
        Some(list) => list.split(',').map(|it| it.trim().to_owned()).collect(),
        None => {
            let all = Engine::ALL.into_iter();
            // A module needs a device to run on.
            let wanted = |it: &Engine| it.is_available() || Some(*it) == runs;
            all.filter(wanted).map(|it| it.name().to_owned()).collect::<Vec<String>>()
        }
    };
    let mut sides: Vec<Side> = Vec::new();
    for name in named {
        if sides.iter().any(|it| it.name == name) {
            return Err(Problem::input(format!("`--engines` names `{name}` twice")));
        }
        let side = open_one(args, name)?;
        // The reference engine always comes first.
        match side.runs {
            Runs::Reference => sides.insert(0, side),
            _ => sides.push(side),
        }
    }
    if let (Some((file, module)), Some(engine)) = (module, runs) {
        sides.push(foreign(file, module, engine, &sides)?);
    }
    if sides.iter().all(|it| matches!(it.runs, Runs::Reference)) {
        let problem = Problem::input("there is nothing to compare the reference engine with");
        return Err(problem.help(match Engine::Cpu.is_available() {
            true => "name another engine, as in `--engines interp,cpu`",
            false => "no other engine is available here; `wavelane caps` says what each lacks",
        }));
    }
    Ok(sides)
}

fn open_one(args: Wanted<'_>, name: String) -> Result<Side, Problem> {
    let (engine, choice) = match name.split_once(':') {
        Some((engine, choice)) => (engine, Some(choice)),
        None => (name.as_str(), None),
    };
    let Some(engine) = Engine::ALL.into_iter().find(|it| it.name() == engine) else {
        let names = Engine::ALL.map(Engine::name).join(", ");
        let problem = Problem::input(format!("`{engine}` is not an engine"));
        return Err(problem.help(format!("the engines are {names}")));
    };
    let missing = |it: Unsupported| Runs::Missing(format!("{}: {}", it.asked, it.missing));
    let (mut about, mut adapter) = (None, args.device.adapter.clone());
    let runs = match (engine, choice) {
        (Engine::Interp, None) => Runs::Reference,
        (Engine::Interp, Some(target)) => {
            target::check(target)?;
            Runs::Legalized(target.to_owned())
        }
        (Engine::Vulkan, choice) => match args.device.vulkan(choice) {
            Ok(gpu) => {
                about = Some(format!("{}, {}", gpu.adapter().name, gpu.driver().trim()));
                adapter = adapter.within(gpu.adapter());
                match adapter.check() {
                    Ok(()) => Runs::Engine(Device::with_gpu(args.device.adapter.clone(), gpu)),
                    Err(error) => Runs::Missing(format!("--caps: {error}")),
                }
            }
            Err(error) => missing(error),
        },
        (Engine::Cuda, choice) => match args.device.cuda(choice) {
            Ok(gpu) => {
                about = Some(format!("{}, {}", gpu.adapter().name, gpu.driver()));
                adapter = adapter.within(gpu.adapter());
                match adapter.check() {
                    Ok(()) => Runs::Engine(Device::with_cuda(args.device.adapter.clone(), gpu)),
                    Err(error) => Runs::Missing(format!("--caps: {error}")),
                }
            }
            Err(error) => missing(error),
        },
        (Engine::Cpu, choice) => {
            let isa = match choice {
                None => args.device.isa,
                Some(choice) => {
                    let isa = Isa::ALL.into_iter().find(|it| it.name() == choice);
                    let names = Isa::ALL.map(Isa::name).join(", ");
                    Some(isa.ok_or_else(|| {
                        Problem::input(format!("`cpu` has no `{choice}`"))
                            .help(format!("there are: {names}"))
                    })?)
                }
            };
            let options = CpuOptions {
                isa,
                threads: args.device.threads,
                leaves_small: false,
                rewrites: !args.device.unoptimised,
            };
            match Device::with_cpu(adapter, options) {
                Ok(device) => Runs::Engine(device),
                Err(error) => missing(error),
            }
        }
        (engine, Some(choice)) => {
            let what = format!("`{}` has no devices; what is `:{choice}`?", engine.name());
            return Err(Problem::input(what));
        }
        (engine, None) => match Device::with_engine(adapter, engine) {
            Ok(device) => Runs::Engine(device),
            Err(error) => missing(error),
        },
    };
    Ok(Side { name, about, runs })
}

/// A foreign module, on the first GPU of its engine that is named.
fn foreign(file: &str, module: Foreign, engine: Engine, sides: &[Side]) -> Result<Side, Problem> {
    let is_of = |it: &&Side| it.name.split(':').next() == Some(engine.name());
    let about = module.compiler().map(|it| format!("made by {it}"));
    let runs = match sides.iter().find(is_of).map(|it| &it.runs) {
        Some(Runs::Engine(device)) => Runs::Module(device.clone(), module),
        Some(Runs::Missing(why)) => Runs::Missing(why.clone()),
        _ => {
            let flag = if engine == Engine::Cuda { "--ptx" } else { "--spirv" };
            let what = format!("`{flag}` needs a device to run it on");
            let problem = Problem::new(Exit::BadInput, what);
            return Err(problem.help(format!("--engines interp,cpu,{}", engine.name())));
        }
    };
    Ok(Side { name: file.to_owned(), about, runs })
}
