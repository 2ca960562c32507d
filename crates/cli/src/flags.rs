//! Every flag: one row with its names, the commands that know it, its help, and what it does.
//!
//! Reading and `--help` are both made from these rows.

mod bench;
mod binding;
mod device;
mod diff;
mod dxc;
mod language;
mod output;
mod run;
mod san;
mod values;

use crate::args::{Args, Command};

/// One flag.
pub(crate) struct Flag {
    /// The spellings, the one that is shown first.
    pub(crate) names: &'static [&'static str],
    pub(crate) takes: Takes,
    pub(crate) on: &'static [Command],
    pub(crate) section: Section,
    /// One or several lines.
    pub(crate) help: &'static str,
    /// Records the flag, or says what is wrong with the value.
    pub(crate) set: fn(&mut Args, &str) -> Result<(), String>,
}

/// What follows a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// The next word, or after `=`.
    Value(&'static str),
    /// The next word, or the rest of this one, as dxc has it.
    Joined(&'static str),
    /// So many words, which come with spaces between them.
    Words(&'static str, usize),
    /// So many words that nobody looks at.
    Ignored(usize),
}

impl Takes {
    pub(crate) fn placeholder(self) -> String {
        match self {
            Takes::Nothing => String::new(),
            Takes::Value(name) | Takes::Joined(name) | Takes::Words(name, _) => name.to_owned(),
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
    /// Accepted so that build scripts can swap the program.
    Ignored,
}

impl Section {
    pub(crate) const ALL: [(Section, &'static str); 6] = [
        (Section::Run, "The run"),
        (Section::Device, "The device"),
        (Section::Output, "Output"),
        (Section::Language, "The language, as dxc has it"),
        (Section::Warnings, "Warnings"),
        (Section::Ignored, "Accepted for dxc's sake, without effect"),
    ];
}

const EVERYWHERE: &[Command] = &[
    Command::Check,
    Command::Emit,
    Command::Run,
    Command::Explain,
    Command::Caps,
    Command::Test,
    Command::Merge,
    Command::Dxc,
    Command::San,
    Command::Bench,
    Command::Diff,
];
// Whatever says what `run` runs says it to `bench` too.
const RUN: &[Command] = &[Command::Run];
const SAN: &[Command] = &[Command::San];
const SAN_AND_DIFF: &[Command] = &[Command::San, Command::Diff];
const SAN_DIFF_AND_BENCH: &[Command] = &[Command::San, Command::Diff, Command::Bench];
const DIFF: &[Command] = &[Command::Diff];
const DIFF_AND_BENCH: &[Command] = &[Command::Diff, Command::Bench];
const RUN_AND_SAN: &[Command] = &[Command::Run, Command::San, Command::Bench, Command::Diff];
const EMIT: &[Command] = &[Command::Emit];
const TEST: &[Command] = &[Command::Test];
const TEST_AND_SAN: &[Command] = &[Command::Test, Command::San];
const TEST_SAN_AND_DIFF: &[Command] = &[Command::Test, Command::San, Command::Diff];
const RUN_AND_TEST: &[Command] = &[Command::Run, Command::Test, Command::Bench];
const RUN_TEST_AND_DIFF: &[Command] = &[Command::Run, Command::Test, Command::Bench, Command::Diff];
const RUN_TEST_AND_SAN: &[Command] =
    &[Command::Run, Command::Test, Command::San, Command::Bench, Command::Diff];
const COMPILE: &[Command] = &[
    Command::Check,
    Command::Emit,
    Command::Run,
    Command::Test,
    Command::Dxc,
    Command::San,
    Command::Bench,
    Command::Diff,
];
const DEVICE: &[Command] = &[
    Command::Check,
    Command::Run,
    Command::Caps,
    Command::Test,
    Command::San,
    Command::Bench,
    Command::Diff,
];
const FORMAT: &[Command] = &[
    Command::Check,
    Command::Emit,
    Command::Run,
    Command::Caps,
    Command::Explain,
    Command::Test,
    Command::Merge,
    Command::San,
    Command::Bench,
    Command::Diff,
];

/// All flags: those of a section in the order in which `--help` lists them.
pub(crate) fn all() -> impl Iterator<Item = &'static Flag> {
    [run::FLAGS, device::FLAGS, output::FLAGS, language::FLAGS, dxc::FLAGS].into_iter().flatten()
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
            assert!(flag.section == Section::Ignored || !flag.help.is_empty(), "{}", flag.names[0]);
            assert!(flag.help.lines().all(|it| it.len() <= 80), "{}", flag.names[0]);
        }
    }
}
