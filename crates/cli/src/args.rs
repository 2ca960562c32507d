//! From words on the command line to [`Args`]; what a flag means stands in its row in [`crate::flags`].

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use wavelane::internal::diag;
use wavelane::{Adapter, Engine, LaneOrder, Options, Schedule};

use crate::files;
use crate::flags::{self, Flag, Takes};
use crate::problem::Problem;
use crate::terminal::When;
use crate::warnings::Warnings;

/// The word after `wavelane`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Check,
    Run,
    Emit,
    Explain,
    Caps,
    Test,
    Merge,
    Dxc,
    San,
    Bench,
    Diff,
}

impl Command {
    pub(crate) const ALL: [Command; 11] = [
        Command::Check,
        Command::Run,
        Command::Emit,
        Command::Explain,
        Command::Caps,
        Command::Test,
        Command::Merge,
        Command::Dxc,
        Command::San,
        Command::Bench,
        Command::Diff,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Command::Check => "check",
            Command::Run => "run",
            Command::Emit => "emit",
            Command::Explain => "explain",
            Command::Caps => "caps",
            Command::Test => "test",
            Command::Merge => "merge",
            Command::Dxc => "dxc",
            Command::San => "san",
            Command::Diff => "diff",
            Command::Bench => "bench",
        }
    }

    pub(crate) fn summary(self) -> &'static str {
        match self {
            Command::Check => "compile a shader and report what is wrong with it",
            Command::Run => {
                "run a compute shader at one or several wave sizes, and compare the results"
            }
            Command::Emit => "write what the compiler makes of a shader",
            Command::Explain => "explain a diagnostic code or a wave intrinsic",
            Command::Caps => "show the adapter's caps and the engines",
            Command::Test => "run test jobs and unit tests in HLSL, at one or several wave sizes",
            Command::Merge => "join the JSON reports of several test runs",
            Command::Dxc => "check a shader, with the command line of dxc",
            Command::San => {
                "find what is undefined, or differs with the width or the order of waves"
            }
            Command::Diff => {
                "compare engines and other compilers' SPIR-V, and say whose mistake a difference is"
            }
            Command::Bench => "measure how long shaders and jobs take to compile and to run",
        }
    }

    /// What may follow it besides flags.
    pub(crate) fn operands(self) -> &'static str {
        match self {
            Command::Check => "FILE…",
            Command::Run | Command::Emit => "FILE",
            Command::San => "FILE|PATH…",
            Command::Explain => "CODE|INTRINSIC",
            Command::Caps => "",
            Command::Test => "PATH…",
            Command::Merge => "REPORT…",
            Command::Dxc => "FILE",
            Command::Bench => "FILE…",
            Command::Diff => "FILE|PATH…",
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
    /// Of `san` only; `test` has formats of its own.
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

/// Everything that was said on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Args {
    pub(crate) command: Command,
    pub(crate) operands: Vec<String>,
    pub(crate) options: Options,
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) include_roots: files::Roots,
    pub(crate) ignore_case_includes: bool,
    pub(crate) warnings: Warnings,
    pub(crate) output: Output,
    pub(crate) colour: When,
    /// How many errors are shown; the rest is counted.
    pub(crate) most_errors: usize,
    pub(crate) most_warnings: usize,
    /// `explain --list`
    pub(crate) list: bool,
    pub(crate) adapter: Adapter,
    pub(crate) emit_ir: bool,
    /// The target that the emitted IR is made for.
    pub(crate) emit_for: Option<String>,
    pub(crate) spirv: crate::emit::SpirvArgs,
    pub(crate) groups: [u32; 3],
    pub(crate) wave_sizes: WaveSizes,
    pub(crate) binds: Vec<(String, String)>,
    pub(crate) sets: Vec<(String, String)>,
    pub(crate) counters: Vec<(String, u32)>,
    pub(crate) prints: Vec<String>,
    pub(crate) outs: Vec<(String, String)>,
    /// `None` for the fastest one there is.
    pub(crate) engine: Option<Engine>,
    /// Which device of Vulkan, by its number or a part of its name.
    pub(crate) device: Option<String>,
    /// The instructions of the engine `cpu`.
    pub(crate) isa: Option<wavelane::Isa>,
    pub(crate) threads: usize,
    /// Whether to say what ran the lanes.
    pub(crate) verbose: bool,
    /// How often `bench` measures; at least once.
    pub(crate) rounds: u32,
    pub(crate) lane_order: Option<LaneOrder>,
    pub(crate) schedule: Schedule,
    pub(crate) timeout: Option<Duration>,
    pub(crate) fuel: Fuel,
    pub(crate) test: crate::test::TestArgs,
    pub(crate) san: crate::san::SanArgs,
    pub(crate) diff: crate::diff::DiffArgs,
    /// Files that dxc would write, and that are not written here.
    pub(crate) unwritten: Vec<String>,
    /// What is to be said about the command line itself.
    pub(crate) remarks: Vec<String>,
}

/// As clang has it: who has more errors than this reads them from the top anyway.
const MOST_ERRORS: usize = 20;
/// Each takes the room of several lines.
const MOST_WARNINGS: usize = 100;

/// How many wave-instructions a run may execute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fuel {
    /// So many that an endless loop ends within about a minute; few reasonable runs come near.
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

impl Args {
    pub(crate) fn new(command: Command) -> Args {
        let highest = wavelane::ShaderModel::HIGHEST;
        let shader_model = (u32::from(highest.major), u32::from(highest.minor));
        Args {
            command,
            operands: Vec::new(),
            options: Options { shader_model, ..Options::default() },
            includes: Vec::new(),
            include_roots: files::Roots::default(),
            ignore_case_includes: false,
            warnings: Warnings::default(),
            output: Output::Text,
            colour: When::Auto,
            most_errors: MOST_ERRORS,
            most_warnings: MOST_WARNINGS,
            list: false,
            adapter: Adapter::reference(),
            emit_ir: false,
            emit_for: None,
            spirv: crate::emit::SpirvArgs::default(),
            groups: [1, 1, 1],
            wave_sizes: WaveSizes::Default,
            binds: Vec::new(),
            sets: Vec::new(),
            counters: Vec::new(),
            prints: Vec::new(),
            outs: Vec::new(),
            engine: None,
            verbose: false,
            rounds: crate::bench::ROUNDS,
            device: None,
            isa: None,
            threads: 1,
            lane_order: None,
            schedule: Schedule::Ascending,
            timeout: None,
            fuel: Fuel::Usual,
            test: crate::test::TestArgs::default(),
            san: crate::san::SanArgs::default(),
            diff: crate::diff::DiffArgs::default(),
            unwritten: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// The one operand of commands that take one.
    pub(crate) fn operand(&self) -> Result<&str, Problem> {
        match self.operands.as_slice() {
            [one] => Ok(one),
            [] => Err(self.usage(format!(
                "`wavelane {}` needs {}",
                self.command.name(),
                self.command.operands()
            ))),
            [_, other, ..] => Err(self.usage(format!("one operand is enough; what is `{other}`?"))),
        }
    }

    fn usage(&self, message: String) -> Problem {
        usage(message, Some(self.command))
    }
}

/// What the command line asks for.
#[derive(Debug)]
pub(crate) enum Request {
    Help(Option<Command>),
    Version,
    Work(Box<Args>),
}

/// Reads the command line; the first word is the program's name.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Request, Problem> {
    let mut words = words.into_iter().skip(1).map(|it| {
        it.into_string().map_err(|it| {
            Problem::input(format!("`{}` is not valid Unicode", it.to_string_lossy()))
        })
    });
    let Some(first) = words.next().transpose()? else { return Ok(Request::Help(None)) };
    let command = match first.as_str() {
        "--version" | "-V" | "version" => return Ok(Request::Version),
        "--help" | "-h" | "-help" | "/?" => return Ok(Request::Help(None)),
        "help" => {
            return match words.next().transpose()? {
                Some(word) => Ok(Request::Help(Some(find_command(&word)?))),
                None => Ok(Request::Help(None)),
            };
        }
        word => find_command(word)?,
    };
    let words = words.collect::<Result<Vec<String>, Problem>>()?;
    let mut words = files::expand(words)?.into_iter();
    let mut args = Args::new(command);
    let mut only_operands = false;
    while let Some(word) = words.next() {
        if only_operands || !looks_like_a_flag(&word) {
            args.operands.push(word);
        } else if word == "--" {
            only_operands = true;
        } else if matches!(word.as_str(), "--help" | "-h" | "-help" | "/?") {
            return Ok(Request::Help(Some(command)));
        } else {
            flag(&word, &mut words, &mut args)?;
        }
    }
    Ok(Request::Work(Box::new(args)))
}

fn find_command(word: &str) -> Result<Command, Problem> {
    if let Some(command) = Command::ALL.into_iter().find(|it| it.name() == word) {
        return Ok(command);
    }
    let problem = Problem::input(format!("`{word}` is no command"));
    let problem = match diag::most_similar(word, Command::ALL.map(Command::name)) {
        Some(meant) => problem.help(format!("did you mean `wavelane {meant}`?")),
        None if word.ends_with(".hlsl") => {
            problem.help(format!("to run that shader: wavelane run {word}"))
        }
        None => problem,
    };
    Err(problem.help("`wavelane --help` lists the commands"))
}

/// `-` alone is standard input, and a path may start with `/`.
fn looks_like_a_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') || slashed(word).is_some() || word == "/?"
}

/// dxc's flags may be written `/T`; only exact names are taken so, since paths start like that.
fn slashed(word: &str) -> Option<&'static Flag> {
    let name = word.strip_prefix('/').filter(|it| !it.contains(['/', '.']))?;
    let is_meant = |flag: &&Flag| {
        flag.names
            .iter()
            .any(|it| it.strip_prefix('-').is_some_and(|it| !it.starts_with('-') && it == name))
    };
    flags::all().find(is_meant)
}

fn flag(
    word: &str,
    rest: &mut dyn Iterator<Item = String>,
    args: &mut Args,
) -> Result<(), Problem> {
    let (name, attached) = match word.split_once('=') {
        Some((name, value)) if word.starts_with("--") => (name, Some(value)),
        _ => (word, None),
    };
    // A name may mean something else to another command.
    let mine = |flag: &&Flag| flag.names.contains(&name) && flag.on.contains(&args.command);
    let exact = flags::all().find(mine);
    let exact = exact.or_else(|| flags::all().find(|flag| flag.names.contains(&name)));
    let exact = exact.or_else(|| slashed(name));
    let (flag, attached) = match exact {
        Some(flag) => (flag, attached),
        None => match joined(word) {
            Some((flag, value)) => (flag, Some(value)),
            None => return unknown(word, args),
        },
    };
    if !flag.on.contains(&args.command) {
        let on: Vec<&str> = flag.on.iter().map(|it| it.name()).collect();
        let what = format!(
            "`{name}` means nothing to `wavelane {}`; it belongs to `{}`",
            args.command.name(),
            on.join("`, `")
        );
        return Err(args.usage(what));
    }
    let mut values = Vec::new();
    let wanted = match flag.takes {
        Takes::Nothing => 0,
        Takes::Value(_) | Takes::Joined(_) => 1,
        Takes::Words(_, count) | Takes::Ignored(count) => count,
    };
    if let Some(value) = attached {
        if wanted == 0 {
            return Err(args.usage(format!("`{name}` takes no value")));
        }
        values.push(value.to_owned());
    }
    while values.len() < wanted {
        let value = rest.next();
        values.push(
            value.ok_or_else(|| {
                args.usage(format!("`{name}` needs {}", flag.takes.placeholder()))
            })?,
        );
    }
    let value = match flag.takes {
        Takes::Words(..) => values.join(" "),
        Takes::Nothing | Takes::Value(_) | Takes::Joined(_) | Takes::Ignored(_) => {
            values.into_iter().next().unwrap_or_default()
        }
    };
    let value = value.as_str();
    (flag.set)(args, value).map_err(|what| args.usage(format!("`{name} {value}`: {what}")))
}

/// A flag with its value attached, as in `-DX=1`: the longest name wins.
fn joined(word: &str) -> Option<(&'static Flag, &str)> {
    let names = flags::all().filter(|flag| matches!(flag.takes, Takes::Joined(_)));
    let names = names.flat_map(|flag| flag.names.iter().map(move |name| (flag, *name)));
    let fitting = names.filter_map(|(flag, name)| Some((flag, name, word.strip_prefix(name)?)));
    let (flag, _, value) = fitting.max_by_key(|(_, name, _)| name.len())?;
    // `-T=cs_6_0` is nobody's spelling, but clear enough.
    Some((flag, value.strip_prefix('=').unwrap_or(value)))
}

/// Build scripts pass flags of other compilers; those that start with `-f` cannot change what a program means.
fn unknown(word: &str, args: &mut Args) -> Result<(), Problem> {
    if word.starts_with("-f") {
        if !["-fspv-", "-fvk-"].iter().any(|it| word.starts_with(it)) {
            args.remarks.push(format!("`{word}` is not known and is ignored"));
        }
        return Ok(());
    }
    let problem = args.usage(format!("`{word}` is no flag"));
    let name = word.split('=').next().unwrap_or(word);
    let names = flags::all()
        .filter(|it| it.on.contains(&args.command))
        .flat_map(|it| it.names.iter().copied());
    Err(match diag::most_similar(name, names) {
        Some(meant) => problem.help(format!("did you mean `{meant}`?")),
        None => problem,
    })
}

fn usage(message: String, command: Option<Command>) -> Problem {
    let command = command.map(|it| format!("{} ", it.name())).unwrap_or_default();
    Problem::input(message).help(format!("`wavelane {command}--help` lists the flags"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavelane::{Dialect, MatrixOrder, Version};

    fn read(line: &str) -> Result<Args, Problem> {
        let words = std::iter::once("wavelane").chain(line.split_whitespace()).map(OsString::from);
        match parse(words)? {
            Request::Work(args) => Ok(*args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn dxc_flags_are_read_in_all_their_spellings() {
        let args = read(
            "check a.hlsl -T cs_6_5 -E other -D A -DB=2 -D C=x=y -I inc -Iinc2 -HV 2018 -enable-16bit-types -Zpr -WX \
             -Wno-extra-tokens -O3 -Od -Zi -Qembed_debug -Fo out.bin -Foout -fspv-target-env=vulkan1.3 \
             -fvk-b-shift 1 2 -fvk-bind-register t0 0 1 0 -Gis --dialect slang",
        )
        .unwrap();
        assert_eq!(args.operands, ["a.hlsl"]);
        assert_eq!(args.options.shader_model, (6, 5));
        assert_eq!(args.options.entry, "other");
        let defines: Vec<(&str, Option<&str>)> = args
            .options
            .defines
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_deref()))
            .collect();
        assert_eq!(defines, [("A", None), ("B", Some("2")), ("C", Some("x=y"))]);
        assert_eq!(args.includes, [PathBuf::from("inc"), PathBuf::from("inc2")]);
        assert_eq!(args.options.hlsl_version, Version::V2018);
        assert!(args.options.enable_16bit && args.warnings.are_errors);
        assert_eq!(args.options.matrix_order, MatrixOrder::RowMajor);
        assert_eq!(args.options.dialect, Dialect::Slang);
        assert!(args.remarks.is_empty(), "{:?}", args.remarks);
        let slashes = read("check /T cs_6_0 /Zpc /home/me/a.hlsl").unwrap();
        assert_eq!(slashes.options.shader_model, (6, 0));
        assert_eq!(slashes.operands, ["/home/me/a.hlsl"]);
    }

    #[test]
    fn without_a_profile_everything_is_allowed() {
        assert_eq!(read("check a.hlsl").unwrap().options.shader_model, (6, 10));
    }

    #[test]
    fn own_flags_are_read() {
        let args = read(
            "run - --groups 2,3 --wave-size 4,16..64 --bind A=u32:1 --bind=B[2]=@x=y.bin --set C.D=1 --print A --out \
             A=o.npy --format json --engine interp --lane-order quad2d --schedule random:7 --timeout 1.5 --fuel 10 \
             --caps wave-ops=off,lanes=32..64 --caps sm=6.5",
        )
        .unwrap();
        assert_eq!(args.groups, [2, 3, 1]);
        assert_eq!(args.wave_sizes, WaveSizes::List(vec![4, 16, 32, 64]));
        assert_eq!(args.binds[1], ("B[2]".to_owned(), "@x=y.bin".to_owned()));
        assert_eq!(args.schedule, Schedule::Random(7));
        assert_eq!(args.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(args.fuel, Fuel::Of(10));
        assert!(!args.adapter.options1.wave_ops);
        assert_eq!(args.adapter.options1.wave_lane_count.min, 32);
        assert_eq!(args.adapter.shader_model.to_string(), "6.5");
        assert_eq!(args.operands, ["-"]);
    }

    #[test]
    fn wrong_command_lines_are_explained() {
        for (line, message) in [
            ("chekc a", "did you mean `wavelane check`?"),
            ("a.hlsl", "wavelane run a.hlsl"),
            ("run a --group 4", "did you mean `--groups`?"),
            ("check a --groups 4", "it belongs to `run`"),
            ("run a --groups", "needs X[,Y[,Z]]"),
            ("run a --groups 1,2,3,4", "three dimensions"),
            ("run a --groups x", "`x` is no whole number"),
            ("run a --groups 70000", "65535"),
            ("run a --wave-size 5", "power of two"),
            ("run a --wave-size 256", "power of two"),
            ("run a --bind A", "NAME=VALUE"),
            ("run a --timeout -1", "seconds"),
            ("run a --timeout nan", "seconds"),
            ("run a --caps lanes=3", "power of two"),
            ("run a --caps waves=on", "did you mean `wave-ops`"),
            ("run a --format xml", "text, json"),
            ("run a --engine gpu", "interp"),
            ("check a -T cs_5_0", "6.0"),
            ("check a -T cs_6_99", "6.10"),
            ("check a -T zs_6_0", "zs"),
            ("check a -HV 2020", "2021"),
            ("check a -Wall=3 --nonsense", "`--nonsense` is no flag"),
        ] {
            let problem = read(line).unwrap_err();
            let text = format!("{} {}", problem.message, problem.helps.join(" "));
            assert!(text.contains(message), "{line}: {text}");
        }
    }

    #[test]
    fn unknown_flags_of_other_compilers_are_mentioned_and_ignored() {
        let args = read("check a.hlsl -funknown -fspv-anything").unwrap();
        assert_eq!(args.remarks, ["`-funknown` is not known and is ignored"]);
    }
}
