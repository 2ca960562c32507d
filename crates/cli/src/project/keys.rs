//! The keys of `wavelane.toml`: the flag of each, and how its values are written.

use crate::flags::{self, Flag, Section, Takes};

/// Keys whose flags have short names.
const RENAMED: [(&str, &str); 5] = [
    ("profile", "-T"),
    ("defines", "-D"),
    ("include", "-I"),
    ("hlsl-version", "-HV"),
    ("warnings", "-W"),
];

/// Flags about one call of the program rather than about the project.
const OF_THE_COMMAND_LINE: [&str; 40] = [
    "--filter",
    "--list",
    "--features",
    flags::WORKER,
    "--write-baseline",
    "--partition",
    "--print",
    "--out",
    "--repro",
    "-o",
    "--keep",
    "--keep-finding",
    "--keep-diff",
    "--keep-message",
    "--by",
    "--allow-undefined",
    "--attempts",
    "--target",
    "--emit",
    "--save",
    "--count",
    "--seed",
    "--model",
    "--widths",
    "--fuzz",
    "--ledger",
    "--html",
    "--format",
    "--color",
    "--colour",
    "--verbose",
    "--no-config",
    "--ir",
    "--for",
    "--quick",
    "--against",
    "--fail-above",
    "-E",
    "-w",
    "-no-warnings",
];

/// Flags that may be given several times: each element of a list is one of them.
const REPEATED: [&str; 13] = [
    "-D",
    "-I",
    "-W",
    "--bind",
    "--set",
    "--counter",
    "--alias",
    "--caps",
    "--constant",
    "--include-root",
    "--width-dependent",
    "--unordered",
    "-fspv-extension",
];

/// Flags whose value is a list with commas.
const WITH_COMMAS: [&str; 4] = ["--wave-size", "--groups", "--orders", "--engines"];

/// A key that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) flag: &'static str,
    takes: Takes,
}

/// What a list means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    None,
    Repeated,
    Commas,
}

/// Where a value holds a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    None,
    Whole,
    /// `@a.npy`, `RGBA8_UNORM@a.png`
    AfterAt,
}

/// The key of that name, or an explanation of why there is none.
pub(super) fn find(key: &str) -> Result<Key, Option<&'static str>> {
    let renamed = RENAMED.iter().find(|it| it.0 == key).map(|it| it.1);
    let mut is_of_the_command_line = false;
    for (name, flag) in names() {
        let is_it = match renamed {
            Some(renamed) => name == renamed,
            None => key_of(name) == Some(key),
        };
        if !is_it {
            continue;
        }
        if OF_THE_COMMAND_LINE.contains(&name) {
            is_of_the_command_line = true;
            continue;
        }
        return Ok(Key { flag: name, takes: flag.takes });
    }
    Err(is_of_the_command_line.then_some("belongs on the command line"))
}

/// All keys of flags.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    let is_allowed = |it: &(&str, &Flag)| !OF_THE_COMMAND_LINE.contains(&it.0);
    let plain = names().filter(is_allowed).filter_map(|(name, _)| key_of(name));
    RENAMED.iter().map(|it| it.0).chain(plain)
}

/// The names of flags with an effect; dxc's first, so that `spirv` is its `-spirv`.
fn names() -> impl Iterator<Item = (&'static str, &'static Flag)> {
    // Flags for outputs of a build, and unsupported ones, have no keys.
    let is_usable =
        |it: &&Flag| !matches!(it.section, Section::Ignored | Section::Refused | Section::Build);
    let named = move |is_long: bool| {
        let flags = flags::all().filter(is_usable);
        let names = flags.flat_map(|flag| flag.names.iter().map(move |name| (*name, flag)));
        names.filter(move |(name, _)| name.starts_with("--") == is_long)
    };
    named(false).chain(named(true))
}

/// The key for the name of a flag that is long enough to be one.
fn key_of(name: &'static str) -> Option<&'static str> {
    let key = name.strip_prefix("--").or_else(|| name.strip_prefix('-').filter(|it| it.len() > 2));
    key.filter(|it| !RENAMED.iter().any(|(renamed, _)| renamed == it))
}

impl Key {
    pub(super) fn is_switch(self) -> bool {
        self.takes == Takes::Nothing
    }

    pub(super) fn list(self) -> List {
        match self.flag {
            it if REPEATED.contains(&it) => List::Repeated,
            it if WITH_COMMAS.contains(&it) => List::Commas,
            _ => List::None,
        }
    }

    pub(super) fn path(self) -> Path {
        match self.flag {
            "-I" | "--include-root" | "--baseline" => Path::Whole,
            "--bind" => Path::AfterAt,
            _ => Path::None,
        }
    }

    /// Whether it applies to a single entry point.
    pub(super) fn is_of_entry(self) -> bool {
        ["--bind", "--set", "--counter", "--alias", "--groups"].contains(&self.flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_name_flags() {
        let lists = RENAMED.iter().map(|it| it.1).chain(REPEATED).chain(WITH_COMMAS);
        for name in lists.chain(OF_THE_COMMAND_LINE) {
            assert!(flags::all().any(|it| it.names.contains(&name)), "{name}");
        }
        for key in all() {
            assert!(find(key).is_ok(), "{key}");
        }
        assert_eq!(find("profile").unwrap().flag, "-T");
        assert_eq!(find("spirv").unwrap().flag, "-spirv");
        assert!(matches!(find("worker"), Err(None)) && matches!(find("filter"), Err(Some(_))));
    }
}
