//! What a command line can ask for, as plain values in groups: a command's own struct holds the groups that it needs.
//!
//! [`LowArgs`] has all of them. The row of a flag defines how it changes them.

mod build;
mod draw;
mod seeing;
mod tools;

use std::path::PathBuf;
use std::time::Duration;

use jobs::Api;
use wavelane::internal::spirv_target::Written;
use wavelane::internal::{
    ExitedThreads, FloatRoom, IntraWaveSync, Order, Progress, Publication, Reconvergence,
};
use wavelane::{
    Adapter, CudaGpu, Engine, Gpu, Isa, JitLevel, LaneOrder, Options, RayQueries, Schedule,
    Unsupported,
};

use crate::command::Command;
use crate::files::Roots;
use crate::problem::Problem;
use crate::terminal::When;
use crate::warnings::Warnings;

pub(crate) use build::{Build, Refused, RefusedKind};
pub(crate) use draw::{DrawArgs, Overlay};
pub(crate) use seeing::{Picture, Seeing};
pub(crate) use tools::Tools;

/// The whole command line, as plain values.
#[derive(Clone, Debug)]
pub(crate) struct LowArgs {
    pub(crate) command: Command,
    pub(crate) operands: Vec<String>,
    /// The operands are the `files` of the project file.
    pub(crate) operands_are_of_project: bool,
    /// Every `-E`, for commands that take several.
    pub(crate) entries: Vec<String>,
    /// The project file is not read.
    pub(crate) no_config: bool,
    pub(crate) compile: Compiling,
    pub(crate) launch: Launch,
    pub(crate) bind: Binds,
    pub(crate) device: DeviceChoice,
    pub(crate) san: Sanitizing,
    pub(crate) select: Selecting,
    pub(crate) baselines: Baselines,
    pub(crate) output: Output,
    pub(crate) colour: When,
    pub(crate) prints: Vec<String>,
    pub(crate) outs: Vec<(String, String)>,
    /// `--draw` and what goes with it; nothing is drawn if it names nothing.
    pub(crate) draw: DrawArgs,
    /// `-o`
    pub(crate) target_file: Option<String>,
    /// `--ir` and `--spirv` of `emit`.
    pub(crate) emit_ir: bool,
    /// The target that the emitted IR is made for.
    pub(crate) emit_for: Option<String>,
    pub(crate) emit_spirv: bool,
    /// `--ptx` of `emit`, the architecture, and the groups of the only dispatch.
    pub(crate) emit_ptx: bool,
    pub(crate) sm: Option<String>,
    pub(crate) emit_groups: Option<[u32; 3]>,
    pub(crate) spirv: SpirvFlags,
    /// What dxc's flags ask for besides the code.
    pub(crate) build: Build,
    /// `--list`
    pub(crate) list: bool,
    /// `--bindings`
    pub(crate) lists_bindings: bool,
    pub(crate) show_features: bool,
    /// How many processes work at a time.
    pub(crate) jobs: Option<usize>,
    /// This process is a worker, which reads requests from its standard input.
    pub(crate) is_worker: bool,
    /// How often `bench` measures; at least once.
    pub(crate) rounds: u32,
    pub(crate) against: Against,
    /// The engines that `diff` compares, as they were written.
    pub(crate) engines: Option<String>,
    /// Another compiler's module of the same shader.
    pub(crate) module: Option<String>,
    /// The file to which a disagreement is written.
    pub(crate) repro: Option<String>,
    pub(crate) tools: Tools,
    pub(crate) seeing: Seeing,
}

impl LowArgs {
    /// How the command runs shaders.
    pub(crate) fn launch(&self) -> Launch {
        let mut launch = self.launch.clone();
        // What was not run at a width is not tested there.
        if self.command.runs_at_every_width() && launch.wave_sizes == WaveSizes::Default {
            launch.wave_sizes = WaveSizes::All;
        }
        launch
    }

    pub(crate) fn new(command: Command) -> LowArgs {
        LowArgs {
            command,
            operands: Vec::new(),
            operands_are_of_project: false,
            entries: Vec::new(),
            no_config: false,
            compile: Compiling::default(),
            launch: Launch::default(),
            bind: Binds::default(),
            device: DeviceChoice::default(),
            san: Sanitizing::default(),
            select: Selecting::default(),
            baselines: Baselines::default(),
            output: Output::Text,
            colour: When::Auto,
            prints: Vec::new(),
            outs: Vec::new(),
            draw: DrawArgs {
                // Small enough to be read in the file that is written.
                size: if command == Command::New { [8; 2] } else { DrawArgs::default().size },
                ..DrawArgs::default()
            },
            target_file: None,
            emit_ir: false,
            emit_for: None,
            emit_spirv: false,
            emit_ptx: false,
            sm: None,
            emit_groups: None,
            spirv: SpirvFlags::default(),
            build: Build::default(),
            list: false,
            lists_bindings: false,
            show_features: false,
            jobs: None,
            is_worker: false,
            rounds: ROUNDS,
            against: Against::default(),
            engines: None,
            module: None,
            repro: None,
            tools: Tools::default(),
            seeing: Seeing::default(),
        }
    }

    /// The one operand of commands that take one.
    pub(crate) fn operand(&self) -> Result<String, Problem> {
        match self.operands.as_slice() {
            [one] => Ok(one.clone()),
            [] => Err(self.usage(format!(
                "`wavelane {}` needs {}",
                self.command.name(),
                self.command.operands()
            ))),
            [_, other, ..] => Err(self.usage(format!(
                "`wavelane {}` takes one operand, and `{other}` is a second one",
                self.command.name()
            ))),
        }
    }

    /// The operands of commands that take at least one.
    pub(crate) fn some_operands(&self) -> Result<Vec<String>, Problem> {
        match self.operands.is_empty() {
            true => self.operand().map(|it| vec![it]),
            false => Ok(self.operands.clone()),
        }
    }

    pub(crate) fn usage(&self, message: String) -> Problem {
        usage(message, Some(self.command))
    }
}

fn usage(message: String, command: Option<Command>) -> Problem {
    let command = command.map(|it| format!("{} ", it.name())).unwrap_or_default();
    Problem::input(message).help(format!("`wavelane {command}--help` lists the flags"))
}

/// How a source is compiled, and how its diagnostics are reported.
#[derive(Clone, Debug)]
pub(crate) struct Compiling {
    pub(crate) options: Options,
    /// The command line or the project names the profile: only entry points of its stage are meant.
    pub(crate) has_profile: bool,
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) include_roots: Roots,
    pub(crate) ignore_case_includes: bool,
    pub(crate) warnings: Warnings,
    /// How many errors are shown; the rest is counted.
    pub(crate) most_errors: usize,
    pub(crate) most_warnings: usize,
    /// The time limit, after which `options.cancel` is set.
    pub(crate) timeout: Option<Duration>,
    /// Diagnostics are printed in the format of Microsoft's compilers.
    pub(crate) is_msvc: bool,
    /// Remarks about the command line itself.
    pub(crate) remarks: Vec<String>,
}

/// The same as in clang: of more errors, only the first are read anyway.
const MOST_ERRORS: usize = 20;
/// Each takes several lines.
const MOST_WARNINGS: usize = 100;

impl Default for Compiling {
    fn default() -> Compiling {
        Compiling {
            options: Options::default(),
            has_profile: false,
            includes: Vec::new(),
            include_roots: Roots::default(),
            ignore_case_includes: false,
            warnings: Warnings::default(),
            most_errors: MOST_ERRORS,
            most_warnings: MOST_WARNINGS,
            timeout: None,
            is_msvc: false,
            remarks: Vec::new(),
        }
    }
}

/// How a shader is run: how much of it, at which widths, in which order, and for how long.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) groups: [u32; 3],
    pub(crate) wave_sizes: WaveSizes,
    pub(crate) lane_order: Option<LaneOrder>,
    pub(crate) schedule: Schedule,
    pub(crate) timeout: Option<Duration>,
    pub(crate) fuel: Fuel,
    /// How many lines that a shader prints are kept.
    pub(crate) print_limit: usize,
}

impl Default for Launch {
    fn default() -> Launch {
        Launch {
            groups: [1, 1, 1],
            wave_sizes: WaveSizes::Default,
            lane_order: None,
            schedule: Schedule::Ascending,
            timeout: None,
            fuel: Fuel::Usual,
            print_limit: 1000,
        }
    }
}

impl Launch {
    /// The requested widths among those that are allowed; `usual` gives the default ones.
    pub(crate) fn widths_among(
        &self,
        allowed: &[u32],
        usual: impl FnOnce() -> Vec<u32>,
    ) -> Vec<u32> {
        match &self.wave_sizes {
            WaveSizes::Default => usual(),
            WaveSizes::All => allowed.to_vec(),
            WaveSizes::List(list) => {
                list.iter().copied().filter(|it| allowed.contains(it)).collect()
            }
        }
    }

    /// The first width that was named and is not allowed.
    pub(crate) fn width_not_among(&self, allowed: &[u32]) -> Option<u32> {
        match &self.wave_sizes {
            WaveSizes::List(list) => list.iter().copied().find(|it| !allowed.contains(it)),
            WaveSizes::Default | WaveSizes::All => None,
        }
    }
}

/// What is bound to a shader, as it was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binds {
    pub(crate) binds: Vec<(String, String)>,
    pub(crate) sets: Vec<(String, String)>,
    pub(crate) counters: Vec<(String, u32)>,
    /// Names of buffers, each with the one whose memory it names.
    pub(crate) aliases: Vec<(String, String)>,
    /// The seed of the bindings that are made up for everything else.
    pub(crate) auto: Option<u64>,
    /// The command line, to be continued in a suggested command.
    pub(crate) words: Vec<String>,
    /// The part that comes from the project file.
    pub(crate) of_project: Vec<Given>,
}

/// A binding of the project file.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) flag: &'static str,
    /// `NAME=VALUE`
    pub(crate) text: String,
    /// Its location, as a problem shows it.
    pub(crate) place: Option<(String, String)>,
}

impl Binds {
    /// A problem with a binding, located if the binding is in the project file.
    pub(crate) fn blamed(
        &self,
        flag: &str,
        name: &str,
        value: &str,
        mut problem: Problem,
    ) -> Problem {
        let text = format!("{name}={value}");
        // Later ones win.
        let given = self.of_project.iter().rfind(|it| it.flag == flag && it.text == text);
        let Some(place) = given.and_then(|it| it.place.clone()) else { return problem };
        if let Some((declared, _)) = problem.place.replace(place) {
            problem.helps.push(format!("it is declared at {declared}"));
        }
        problem
    }
}

/// What a shader runs on.
#[derive(Clone, Debug)]
pub(crate) struct DeviceChoice {
    pub(crate) adapter: Adapter,
    /// `None` for the fastest one there is.
    pub(crate) engine: Option<Engine>,
    /// Which device of Vulkan, by its number or a part of its name.
    pub(crate) name: Option<String>,
    /// The instructions of the engine `cpu`.
    pub(crate) isa: Option<Isa>,
    pub(crate) threads: usize,
    /// Whether ray queries try every primitive.
    pub(crate) brute_rays: bool,
    /// How ray queries run on a device of Vulkan.
    pub(crate) ray_queries: RayQueries,
    /// Whether to say what ran the lanes.
    pub(crate) verbose: bool,
    /// Whether compiled engines leave out rewrites that cannot be observed.
    pub(crate) unoptimised: bool,
    /// How much the driver of CUDA optimises kernels.
    pub(crate) jit_level: JitLevel,
}

impl DeviceChoice {
    /// Opens a device of Vulkan.
    pub(crate) fn vulkan(&self, name: Option<&str>) -> Result<Gpu, Unsupported> {
        let gpu = Gpu::open_with(name.or(self.name.as_deref()), self.ray_queries)?;
        Ok(if self.unoptimised { gpu.without_rewrites() } else { gpu })
    }

    /// Opens a device of CUDA.
    pub(crate) fn cuda(&self, name: Option<&str>) -> Result<CudaGpu, Unsupported> {
        let gpu = CudaGpu::open(name.or(self.name.as_deref()))?.with_jit_level(self.jit_level);
        Ok(if self.unoptimised { gpu.without_rewrites() } else { gpu })
    }
}

impl Default for DeviceChoice {
    fn default() -> DeviceChoice {
        DeviceChoice {
            adapter: Adapter::reference(),
            engine: None,
            name: None,
            isa: None,
            threads: 1,
            brute_rays: false,
            ray_queries: RayQueries::default(),
            verbose: false,
            unoptimised: false,
            jit_level: JitLevel::default(),
        }
    }
}

/// Which tests run, and whose features they find.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selecting {
    pub(crate) filters: Vec<String>,
    /// Only tests of these entry points, unless there are none.
    pub(crate) entries: Vec<String>,
    pub(crate) partition: Option<Partition>,
    pub(crate) api: Api,
    /// The folder of golden images, an absolute path.
    pub(crate) golden: Option<String>,
}

impl Selecting {
    /// What tests find here.
    pub(crate) fn features(&self, adapter: &Adapter) -> jobs::Features {
        let mut features = jobs::features(adapter, self.api);
        if self.golden.is_some() {
            features.insert("goldenimage".to_owned());
        }
        features
    }
}

/// The baseline to compare with, and the file of the new one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Baselines {
    pub(crate) baseline: Option<PathBuf>,
    pub(crate) write_baseline: Option<PathBuf>,
}

/// How often `bench` measures by default.
pub(crate) const ROUNDS: u32 = 10;
/// More rounds add no information.
pub(crate) const MOST_ROUNDS: u32 = 100_000;

/// What `bench` compares with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Against {
    /// Another program, or an earlier report.
    pub(crate) file: Option<String>,
    /// The largest ratio that passes.
    pub(crate) fail_above: Option<f64>,
}

/// The flags about SPIR-V.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpirvFlags {
    pub(crate) target: Option<String>,
    /// The name of the entry point in the module.
    pub(crate) entry: Option<String>,
    pub(crate) extensions: Vec<String>,
    pub(crate) format_given: bool,
    /// `-Zi`: the module holds the text of the sources, and the lines of its instructions.
    pub(crate) has_debug: bool,
    /// `-Qstrip_debug`: it holds neither, nor names.
    pub(crate) is_stripped: bool,
    /// The bindings that dxc's flags choose.
    pub(crate) written: Written,
}

/// How the sanitizer works.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sanitizing {
    pub(crate) sync: IntraWaveSync,
    pub(crate) publication: Publication,
    pub(crate) width_dependent: Vec<String>,
    pub(crate) unordered: Vec<String>,
    /// The number of random orders at each width; one by default.
    pub(crate) seeds: Option<u64>,
    pub(crate) thorough: bool,
    /// Only the smallest and the largest width, and one other order.
    pub(crate) quick: bool,
    /// The orders that are tried instead of the default ones.
    pub(crate) orders: Option<Vec<Order>>,
    pub(crate) float_room: Option<FloatRoom>,
    pub(crate) exited: ExitedThreads,
    pub(crate) reconvergence: Reconvergence,
    pub(crate) progress: Progress,
    pub(crate) uniform_lane_index: bool,
    /// Whether texels of feedback maps that devices may report differently are named.
    pub(crate) feedback_slack: bool,
    /// The command line says that devices have tier 1.0 of sampler feedback.
    pub(crate) has_feedback_tier_1: bool,
}

impl Sanitizing {
    /// Adds the flags of a section; those of the command line take precedence.
    pub(crate) fn with(&self, section: &Sanitizing) -> Sanitizing {
        fn either<T: Default + PartialEq + Clone>(mine: &T, other: &T) -> T {
            if *mine == T::default() { other.clone() } else { mine.clone() }
        }
        let both = |a: &[String], b: &[String]| a.iter().chain(b).cloned().collect();
        Sanitizing {
            sync: either(&self.sync, &section.sync),
            publication: either(&self.publication, &section.publication),
            width_dependent: both(&self.width_dependent, &section.width_dependent),
            unordered: both(&self.unordered, &section.unordered),
            seeds: self.seeds.or(section.seeds),
            thorough: self.thorough || section.thorough,
            quick: self.quick || section.quick,
            orders: self.orders.clone().or_else(|| section.orders.clone()),
            float_room: self.float_room.or(section.float_room),
            exited: either(&self.exited, &section.exited),
            reconvergence: either(&self.reconvergence, &section.reconvergence),
            progress: either(&self.progress, &section.progress),
            uniform_lane_index: self.uniform_lane_index || section.uniform_lane_index,
            feedback_slack: self.feedback_slack || section.feedback_slack,
            has_feedback_tier_1: self.has_feedback_tier_1 || section.has_feedback_tier_1,
        }
    }
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Output {
    #[default]
    Text,
    Json,
    Github,
    Sarif,
    Junit,
}

/// The widths asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WaveSizes {
    /// What the shader prefers, or else the adapter.
    Default,
    /// Every one that both shader and adapter allow.
    All,
    List(Vec<u32>),
}

/// How many wave-instructions a run may execute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fuel {
    /// Ends an endless loop within about a minute; few sensible runs need as much.
    #[default]
    Usual,
    Of(u64),
    Endless,
}

impl Fuel {
    /// The bound at a width.
    pub(crate) fn at(self, width: u32) -> Option<u64> {
        match self {
            // PERF: the reference engine runs 130 million wave-instructions of 4 lanes in a second and 100 of 32;
            // beyond that the lanes tell, and 128 of them give 25.
            Fuel::Usual => Some((1 << 32) / u64::from(width.max(32) / 32)),
            Fuel::Of(fuel) => Some(fuel),
            Fuel::Endless => None,
        }
    }
}

/// One of several parts of the tests; `of` parts, `index` from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    pub(crate) by: By,
    pub(crate) index: u64,
    pub(crate) of: u64,
}

/// A part of a run of tests, as its report names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) partition: Partition,
    /// How many tests all parts have together.
    pub(crate) of_tests: usize,
    /// The hash of the names of all tests: parts with a different hash belong to a different run.
    pub(crate) whole: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// By the name alone: a test stays in its part when others come and go.
    Hash,
    /// Every n-th test.
    Count,
}

impl Partition {
    /// `hash:M/N` or `count:M/N`.
    pub(crate) fn parse(text: &str) -> Result<Partition, String> {
        let form = "the form is hash:M/N or count:M/N, M from 1 to N";
        let (by, rest) = text.split_once(':').ok_or(form)?;
        let by = match by {
            "hash" => By::Hash,
            "count" | "slice" => By::Count,
            _ => return Err(form.to_owned()),
        };
        let (index, of) = rest.split_once('/').ok_or(form)?;
        let (index, of) = (index.parse().map_err(|_| form)?, of.parse().map_err(|_| form)?);
        if index == 0 || index > of {
            Err(form.to_owned())
        } else {
            Ok(Partition { by, index, of })
        }
    }

    /// As [`Partition::parse`] reads it.
    pub(crate) fn spelled(self) -> String {
        let by = match self.by {
            By::Hash => "hash",
            By::Count => "count",
        };
        format!("{by}:{}/{}", self.index, self.of)
    }

    pub(crate) fn holds(self, position: usize, name: &str) -> bool {
        let number = match self.by {
            By::Count => position as u64,
            By::Hash => hash(name),
        };
        number % self.of == self.index - 1
    }
}

/// The FNV-1a hash: the same on every machine and in every version.
pub(crate) fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_disjoint_and_complete() {
        for by in ["hash", "count"] {
            let parts: Vec<Partition> =
                (1..=3).map(|i| Partition::parse(&format!("{by}:{i}/3")).unwrap()).collect();
            for position in 0..100 {
                let name = format!("test-{position}");
                let holds = parts.iter().filter(|it| it.holds(position, &name)).count();
                assert_eq!(holds, 1, "{by} {name}");
            }
        }
        for text in ["hash:0/3", "hash:4/3", "hash:1", "3", "slot:1/2"] {
            assert!(Partition::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_hash_never_changes() {
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
    }
}
