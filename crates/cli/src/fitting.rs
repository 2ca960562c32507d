//! Refuses flags that would have no effect on what is run.
//!
//! Only the command line counts. The settings of a project file are for everything below its folder, whether all of it
//! uses them or not.

use wavelane::Engine;

use crate::args::Line;
use crate::flags::{self, Section};
use crate::problem::Problem;

/// What a command line runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Running {
    Dispatch,
    Draw,
    Job,
}

/// Flags with their purpose.
struct Rule {
    flags: &'static [&'static str],
    fits: &'static [Running],
    /// In the plural: `draws`.
    what: &'static str,
    help: &'static str,
}

const RULES: [Rule; 7] = [
    Rule {
        flags: &[
            "--size",
            "--vertex",
            "--mesh",
            "--amplification",
            "--hull",
            "--domain",
            "--geometry",
            "--target",
            "--blend",
            "--depth",
            "--stencil",
            "--raster",
            "--samples",
            "--packing",
            "--overlay",
        ],
        fits: &[Running::Draw],
        what: "draws with `--draw`",
        help: "`--draw fullscreen` draws with a pixel shader; a job specifies what it draws",
    },
    Rule {
        flags: &["--groups"],
        fits: &[Running::Dispatch],
        what: "dispatches",
        help: "`--mesh ENTRY --draw 8` draws with 8 groups; a job specifies how many groups run",
    },
    Rule {
        flags: &["--alias"],
        fits: &[Running::Dispatch],
        what: "dispatches of a shader",
        help: "the shaders of a draw share buffers by their names; a job binds one buffer to two resources",
    },
    Rule {
        flags: &["--lane-order", "--schedule"],
        fits: &[Running::Dispatch, Running::Job],
        what: "dispatches",
        help: "draws pack pixels into waves in one canonical order, and run these in that order",
    },
    Rule {
        flags: &["--profile", "--golden"],
        fits: &[Running::Job],
        what: "jobs",
        help: "a job is a `.test` or `.yaml` file, or a case of a file: FILE.hlsl::CASE",
    },
    Rule {
        flags: &["-E", "--bindings"],
        fits: &[Running::Dispatch, Running::Draw],
        what: "shaders",
        help: "a job specifies its bindings and its entry points",
    },
    Rule {
        flags: &["--debug"],
        fits: &[Running::Dispatch],
        what: "dispatches of a shader",
        help: "the debugger steps compute shaders: name an `.hlsl` file",
    },
];

/// Flags that only one kind of engine reads.
const OF_ENGINES: [(&str, &[Engine]); 3] = [
    ("--device", &[Engine::Vulkan, Engine::Cuda]),
    ("--cpu", &[Engine::Cpu]),
    ("--threads", &[Engine::Cpu]),
];

/// Refuses flags that cannot apply to what is run.
pub(crate) fn check(line: &Line, runs: Running) -> Result<(), Problem> {
    obey(&RULES, line, runs)
}

/// Refuses several entry points where one runs.
pub(crate) fn check_one_entry(line: &Line) -> Result<(), Problem> {
    let mut named = line.flags().filter(|it| it.0 == "-E").map(|it| it.1);
    let (Some(first), Some(second)) = (named.next(), named.next()) else { return Ok(()) };
    let what = format!("`-E {first}` and `-E {second}`: this runs one entry point");
    Err(Problem::input(what)
        .help("`check`, `san` and `test` take several, and a job has `Passes:`"))
}

/// Refuses flags of draws if no draw is requested, and files of several kinds may run.
pub(crate) fn check_undrawn(line: &Line) -> Result<(), Problem> {
    obey(&RULES[..1], line, Running::Dispatch)
}

fn obey(rules: &[Rule], line: &Line, runs: Running) -> Result<(), Problem> {
    for (name, ..) in line.flags() {
        let unfit = |it: &&Rule| it.flags.contains(&name) && !it.fits.contains(&runs);
        let Some(rule) = rules.iter().find(unfit) else { continue };
        let this = match runs {
            Running::Dispatch => "a dispatch",
            Running::Draw => "a draw",
            Running::Job => "a job",
        };
        let what = format!("`{name}` is for {}, and this runs {this}", rule.what);
        return Err(Problem::input(what).help(rule.help));
    }
    Ok(())
}

/// Refuses flags of engines other than the one that runs.
pub(crate) fn check_engine(line: &Line, engine: Option<Engine>) -> Result<(), Problem> {
    // Where machine code cannot be made, the default falls back to another engine, without the user's choice.
    let used = engine.unwrap_or(Engine::Cpu);
    for (name, ..) in line.flags() {
        let of = OF_ENGINES.iter().find(|it| it.0 == name).map(|it| it.1);
        let Some(engines) = of else { continue };
        if !engines.contains(&used) {
            let names: Vec<String> = engines.iter().map(|it| format!("`{}`", it.name())).collect();
            let word = if names.len() == 1 { "engine" } else { "engines" };
            let (used, names) = (used.name(), names.join(" and "));
            let what = format!("`{name}` is for the {word} {names}, and `{used}` runs this");
            let help = format!("--engine {}", engines[0].name());
            return Err(Problem::input(what).help(help));
        }
    }
    Ok(())
}

/// Refuses flags of the compiler for a job that says itself how its shaders are compiled.
pub(crate) fn check_compiler(line: &Line, job: &str) -> Result<(), Problem> {
    let is_for_compiler = |name: &str| {
        // They determine which files can be found.
        let is_about_files = ["--include-root", "--ignore-case-includes"].contains(&name);
        let is_language = |it: &flags::Flag| it.section == Section::Language && it.names[0] == name;
        !is_about_files && (name == "--debugging" || flags::all().any(is_language))
    };
    let Some((name, ..)) = line.flags().find(|it| is_for_compiler(it.0)) else { return Ok(()) };
    let what = format!("`{name}` has no effect: `{job}` specifies its own compiler flags");
    Err(Problem::input(what).help("change the flags in its `RUN:` lines or its sections"))
}
