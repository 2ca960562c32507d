//! Every flag: one row with its names, the commands that know it, its help, and what it does.
//!
//! Reading and `--help` are both made from these rows.

mod auto;
mod bench;
mod binding;
mod device;
mod diff;
mod draw;
mod dxc;
mod language;
mod output;
mod run;
mod san;
mod seeing;
mod tools;
mod values;

use crate::asked::LowArgs;
use crate::command::Command;

/// One flag.
#[derive(Debug)]
pub(crate) struct Flag {
    /// The spellings, the one that is shown first.
    pub(crate) names: &'static [&'static str],
    pub(crate) takes: Takes,
    pub(crate) on: Commands,
    pub(crate) section: Section,
    /// One or several lines.
    pub(crate) help: &'static str,
    /// Records the flag, or says what is wrong with the value.
    pub(crate) set: fn(&mut LowArgs, &str) -> Result<(), String>,
}

/// What follows a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// Nothing, or a value after `=`.
    Optional(&'static str),
    /// The next word, or after `=`.
    Value(&'static str),
    /// The same, and the flag may be repeated.
    Values(&'static str),
    /// The next word, or the rest of this one, as in dxc.
    Joined(&'static str),
    /// This many words, joined by spaces.
    Words(&'static str, usize),
    /// This many words, which are ignored.
    Ignored(usize),
}

impl Takes {
    pub(crate) fn placeholder(self) -> String {
        match self {
            Takes::Nothing => String::new(),
            Takes::Optional(name) => format!("[={name}]"),
            Takes::Value(name)
            | Takes::Values(name)
            | Takes::Joined(name)
            | Takes::Words(name, _) => name.to_owned(),
            Takes::Ignored(count) => format!("{count} values"),
        }
    }
}

/// Where `--help` lists a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Run,
    Device,
    Output,
    Language,
    Warnings,
    /// The outputs of a build, as in dxc.
    Build,
    /// Accepted so that build scripts can swap the program.
    Ignored,
    /// Outputs that `dxc` refuses.
    Refused,
}

impl Section {
    pub(crate) const ALL: [(Section, &'static str); 8] = [
        (Section::Run, "The run"),
        (Section::Device, "The device"),
        (Section::Output, "Output"),
        (Section::Language, "The language, as dxc has it"),
        (Section::Warnings, "Warnings"),
        (Section::Build, "The outputs of a build, as dxc has them"),
        (Section::Ignored, "Accepted for dxc's sake, without effect"),
        (Section::Refused, "Outputs that `wavelane dxc` refuses, unless --check-only is given"),
    ];
}

/// The commands that know a flag. Each group is named by what its commands do.
pub(crate) type Commands = &'static [Command];

const EVERYWHERE: Commands = &Command::ALL;
const COMPILES: Commands = &[
    Command::Check,
    Command::Emit,
    Command::Run,
    Command::Test,
    Command::Dxc,
    Command::San,
    Command::Bench,
    Command::Diff,
    Command::Trace,
    Command::Timeline,
    Command::New,
    Command::Reduce,
];
/// They read the project file.
const READS_PROJECT: Commands = &[
    Command::Check,
    Command::Emit,
    Command::Run,
    Command::Test,
    Command::San,
    Command::Bench,
    Command::Diff,
    Command::Reduce,
    Command::Trace,
    Command::Timeline,
    Command::New,
];
/// They take a shader with what is bound to it.
const RUNS_SHADERS: Commands = &[
    Command::Run,
    Command::San,
    Command::Bench,
    Command::Diff,
    Command::Trace,
    Command::Timeline,
    Command::New,
    Command::Reduce,
];
/// They run a shader in which two names can mean one buffer.
const HAS_ALIASES: Commands =
    &[Command::Run, Command::San, Command::Bench, Command::Trace, Command::Timeline];
/// They run shaders or tests, at widths and in orders.
const RUNS: Commands = &[
    Command::Run,
    Command::Test,
    Command::San,
    Command::Bench,
    Command::Diff,
    Command::Trace,
    Command::Timeline,
    Command::Reduce,
];
/// They record what lanes do.
const RECORDS: Commands = &[Command::Trace, Command::Timeline];
/// They run jobs as whole tests.
const RUNS_JOBS: Commands = &[Command::Run, Command::Test, Command::San];
/// They show what shaders print.
const PRINTS: Commands = &[Command::Run, Command::Test, Command::San];
/// Their runs have a time limit.
const HAS_TIMEOUT: Commands = &[
    Command::Run,
    Command::Test,
    Command::San,
    Command::Bench,
    Command::Diff,
    Command::Trace,
    Command::Timeline,
];
/// They need a device's caps, or show them.
const KNOWS_CAPS: Commands = &[
    Command::Check,
    Command::Run,
    Command::Caps,
    Command::Test,
    Command::San,
    Command::Bench,
    Command::Diff,
    Command::Reduce,
    Command::Trace,
    Command::Timeline,
];
/// They work in several processes or threads.
const HAS_JOBS: Commands = &[
    Command::Test,
    Command::San,
    Command::Diff,
    Command::Reduce,
    Command::Fuzz,
    Command::Campaign,
];
/// They let an engine be chosen.
const RUNS_ON_AN_ENGINE: Commands = &[Command::Run, Command::Test, Command::Bench];
/// They run something on an engine other than the reference engine.
const RUNS_ON_DEVICES: Commands =
    &[Command::Run, Command::Test, Command::Bench, Command::Diff, Command::Reduce];
/// They run tests in separate processes.
const RUNS_TESTS: Commands = &[Command::Test, Command::San, Command::Diff];
/// Their processes can be workers of another process, and end with it.
const HAS_WORKERS: Commands = &[Command::Test, Command::San, Command::Diff, Command::Worker];
const HAS_BASELINES: Commands = &[Command::Test, Command::San];
/// They run the sanitizer.
const EXAMINES: Commands = &[Command::San, Command::Diff, Command::Reduce];
/// They compare what runs leave.
const COMPARES: Commands = &[Command::San, Command::Diff, Command::Bench];
/// They take another compiler's module.
const TAKES_MODULES: Commands = &[Command::Diff, Command::Bench];

/// What makes a process a worker.
pub(crate) const WORKER: &str = "--worker";

/// Flags that select tests and format reports: a test that is repeated alone does not need them.
const ABOUT_THE_REPORT: [&str; 11] = [
    "--timeline",
    "--list",
    "--features",
    WORKER,
    "--wave-size",
    "--format",
    "--jobs",
    "--partition",
    "--baseline",
    "--write-baseline",
    "--filter",
];

/// Flags that select runs and format reports: another command chooses these itself.
const ABOUT_THIS_RUN: [&str; 5] = ["--wave-size", "--format", "--jobs", "--filter", WORKER];

impl Flag {
    /// Whether it is given at most once. Of dxc's flags, which start with one `-`, the last one wins, as in dxc.
    pub(crate) fn is_single(&self) -> bool {
        let is_ours = self.names.iter().any(|it| it.starts_with("--") || *it == "-o");
        is_ours && matches!(self.takes, Takes::Value(_) | Takes::Optional(_))
    }

    pub(crate) fn is_about_the_report(&self) -> bool {
        self.names.iter().any(|it| ABOUT_THE_REPORT.contains(it))
    }

    pub(crate) fn is_about_this_run(&self) -> bool {
        self.names.iter().any(|it| ABOUT_THIS_RUN.contains(it))
    }
}

/// All flags: those of a section in the order in which `--help` lists them.
pub(crate) fn all() -> impl Iterator<Item = &'static Flag> {
    [
        run::FLAGS,
        tools::RUN,
        device::FLAGS,
        seeing::FLAGS,
        output::FLAGS,
        tools::OUTPUT,
        language::FLAGS,
        dxc::FLAGS,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_unique_and_every_shown_flag_has_help() {
        for command in Command::ALL {
            let of_command = all().filter(|it| it.on.contains(&command));
            let mut names: Vec<&str> = of_command.flat_map(|it| it.names.iter().copied()).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|it| it[0] != it[1]), "{}", command.name());
        }
        for flag in all() {
            let is_listed = matches!(flag.section, Section::Ignored | Section::Refused);
            assert!(is_listed || !flag.help.is_empty(), "{}", flag.names[0]);
            assert!(flag.help.lines().all(|it| it.len() <= 80), "{}", flag.names[0]);
        }
    }
}
