//! The project file: `wavelane.toml`, which holds the flags that a project would otherwise repeat on every command
//! line.
//!
//! Its keys are the long names of flags, so that a setting means what its flag means, and [`crate::flags`] stays the
//! only place that says so. The nearest file counts, from the current folder upwards; paths in it are relative to its
//! folder. Every mistake is reported with its line, even in tables that the current command does not need.
//! Deliberately absent: which of two settings wins, see `layers.rs`.

mod glob;
mod keys;

use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use wavelane::internal::diag;
use wavelane::{SourceMap, Span};

use crate::asked::{Given, LowArgs};
use crate::command::Command;
use crate::flags;
use crate::problem::Problem;
use keys::Key;

/// The name of the file.
pub(crate) const NAME: &str = "wavelane.toml";

/// A project file.
#[derive(Debug)]
pub(crate) struct Project {
    /// As seen from the current folder: `wavelane.toml`, `../wavelane.toml`.
    pub(crate) name: String,
    /// Its folder, as seen from the current one; empty if they are the same.
    base: PathBuf,
    text: String,
    /// The patterns of `files`, each with its place.
    files: Vec<(String, Range<usize>)>,
    settings: Vec<Setting>,
    entries: Vec<Entry>,
}

/// The table `[entry.NAME]`.
#[derive(Debug)]
struct Entry {
    /// `None` where the name of the table is an entry point alone.
    file: Option<PathBuf>,
    name: String,
    settings: Vec<Setting>,
}

/// A key with its values, as its flag takes them.
#[derive(Debug)]
struct Setting {
    flag: &'static str,
    values: Vec<(String, Range<usize>)>,
}

impl Project {
    /// The nearest project file, if there is one.
    pub(crate) fn find() -> Result<Option<Project>, Problem> {
        let Ok(here) = std::env::current_dir() else { return Ok(None) };
        let mut base = PathBuf::new();
        for folder in here.ancestors() {
            if folder.join(NAME).is_file() {
                let path = base.join(NAME);
                let name = path.to_string_lossy().replace('\\', "/");
                let text = crate::files::read_path(&path).map_err(|error| {
                    Problem::input(format!("`{name}` cannot be read: {error}"))
                        .help("`--no-config` ignores it")
                })?;
                return Project::read(name, base, text).map(Some);
            }
            base.push("..");
        }
        Ok(None)
    }

    fn read(name: String, base: PathBuf, text: String) -> Result<Project, Problem> {
        let mut project = Project {
            name,
            base,
            text: String::new(),
            files: Vec::new(),
            settings: Vec::new(),
            entries: Vec::new(),
        };
        // A byte order mark is not part of the text.
        let root = match DeTable::parse(&text) {
            Ok(root) => root.into_inner(),
            Err(error) => {
                let (at, what) = (error.span().unwrap_or(0..0), error.message().to_owned());
                project.text.clone_from(&text);
                return Err(project.wrong(at, what.lines().next().unwrap_or("wrong syntax")));
            }
        };
        project.text.clone_from(&text);
        for (key, value) in &root {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("files", _) => {
                    for (pattern, at) in project.strings("files", value)? {
                        if let Err(what) = glob::check(&pattern) {
                            return Err(project.wrong(at, &what));
                        }
                        project.files.push((pattern, at));
                    }
                }
                ("entry", DeValue::Table(entries)) => {
                    for (name, table) in entries {
                        let entry = project.entry(name, table)?;
                        project.entries.push(entry);
                    }
                }
                ("entry", _) => {
                    let help = "`[entry.NAME]` holds the settings of the entry point `NAME`";
                    return Err(project.wrong(key.span(), "`entry` is not a value").help(help));
                }
                _ => {
                    let setting = project.setting(key, value, false)?;
                    project.settings.push(setting);
                }
            }
        }
        project.try_out()?;
        Ok(project)
    }

    fn entry(
        &self,
        name: &Spanned<toml::de::DeString<'_>>,
        table: &Spanned<DeValue<'_>>,
    ) -> Result<Entry, Problem> {
        let DeValue::Table(keys) = table.get_ref() else {
            let help = "`[entry.NAME]` holds the settings of the entry point `NAME`";
            let what = format!("`entry.{}` is not a table", name.get_ref());
            return Err(self.wrong(name.span(), &what).help(help));
        };
        let (file, entry) = match name.get_ref().rsplit_once("::") {
            Some((file, entry)) => (Some(crate::files::tidy(&self.base.join(file))), entry),
            None => (None, name.get_ref().as_ref()),
        };
        let settings = keys.iter().map(|(key, value)| self.setting(key, value, true));
        let settings = settings.collect::<Result<_, Problem>>()?;
        Ok(Entry { file, name: entry.to_owned(), settings })
    }

    fn setting(
        &self,
        key: &Spanned<toml::de::DeString<'_>>,
        value: &Spanned<DeValue<'_>>,
        is_of_entry: bool,
    ) -> Result<Setting, Problem> {
        let name = key.get_ref().as_ref();
        let found = match keys::find(name) {
            Ok(found) => found,
            Err(None) => {
                let problem = self.wrong(key.span(), &format!("unknown key `{name}`"));
                let known = keys::all().chain(["files", "entry"]);
                return Err(match diag::most_similar(name, known) {
                    Some(meant) => problem.help(format!("did you mean `{meant}`?")),
                    None => problem.help("the keys are the long names of flags: docs/testing.md"),
                });
            }
            Err(Some(why)) => return Err(self.wrong(key.span(), &format!("`{name}` {why}"))),
        };
        if !is_of_entry && found.is_of_entry() {
            let help = format!("write `{name} = …` below a line `[entry.NAME]`");
            let what = format!("`{name}` is a setting of an entry point");
            return Err(self.wrong(key.span(), &what).help(help));
        }
        let values = self.values(name, found, value)?;
        Ok(Setting { flag: found.flag, values })
    }

    /// The values of a key, as its flag takes them.
    fn values(
        &self,
        name: &str,
        key: Key,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<(String, Range<usize>)>, Problem> {
        if key.is_switch() {
            return match value.get_ref() {
                DeValue::Boolean(true) => Ok(vec![(String::new(), value.span())]),
                DeValue::Boolean(false) => Ok(Vec::new()),
                _ => Err(self.wrong(value.span(), &format!("`{name}` is `true` or `false`"))),
            };
        }
        let items = self.strings(name, value)?;
        let items = items.into_iter().map(|(text, at)| (self.relative(key, text), at));
        let items: Vec<(String, Range<usize>)> = items.collect();
        let is_list = matches!(value.get_ref(), DeValue::Array(_));
        match key.list() {
            _ if !is_list => Ok(items),
            keys::List::Repeated => Ok(items),
            keys::List::Commas => {
                let words: Vec<&str> = items.iter().map(|it| it.0.as_str()).collect();
                Ok(vec![(words.join(","), value.span())])
            }
            keys::List::None => {
                Err(self.wrong(value.span(), &format!("`{name}` takes one value, not a list")))
            }
        }
    }

    /// A value as words: a string, a number, or a list of those.
    fn strings(
        &self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<(String, Range<usize>)>, Problem> {
        let one = |value: &Spanned<DeValue<'_>>| {
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(number) => {
                    let read = i128::from_str_radix(number.as_str(), number.radix());
                    read.map_or_else(|_| number.to_string(), |it| it.to_string())
                }
                DeValue::Float(number) => number.to_string(),
                DeValue::Boolean(_)
                | DeValue::Datetime(_)
                | DeValue::Array(_)
                | DeValue::Table(_) => {
                    let what = format!("`{name}` takes strings and numbers");
                    return Err(self.wrong(value.span(), &what));
                }
            };
            Ok((text, value.span()))
        };
        match value.get_ref() {
            DeValue::Array(items) => items.iter().map(one).collect(),
            _ => Ok(vec![one(value)?]),
        }
    }

    /// With paths as seen from the current folder.
    fn relative(&self, key: Key, text: String) -> String {
        let rooted = |path: &str| self.base.join(path).to_string_lossy().into_owned();
        match key.path() {
            keys::Path::None => text,
            keys::Path::Whole => rooted(&text),
            keys::Path::AfterAt => match text.split_once('@') {
                Some((before, path)) => format!("{before}@{}", rooted(path)),
                None => text,
            },
        }
    }

    /// Applies every setting to values that are discarded, so that mistakes are found in every command.
    fn try_out(&self) -> Result<(), Problem> {
        let all = self.settings.iter().chain(self.entries.iter().flat_map(|it| &it.settings));
        for setting in all {
            let rows = flags::all().filter(|it| it.names.contains(&setting.flag));
            let commands = rows.filter_map(|it| it.on.first());
            for command in commands {
                self.set(&mut LowArgs::new(*command), std::slice::from_ref(setting))?;
            }
        }
        Ok(())
    }

    /// Applies the settings that the current command knows.
    fn set(&self, args: &mut LowArgs, settings: &[Setting]) -> Result<(), Problem> {
        for Setting { flag, values } in settings {
            let is_it =
                |it: &&flags::Flag| it.names.contains(flag) && it.on.contains(&args.command);
            let Some(row) = flags::all().find(is_it) else { continue };
            for (value, at) in values {
                if let Err(what) = (row.set)(args, value) {
                    return Err(self.wrong(at.clone(), &format!("`{value}`: {what}")));
                }
                if ["--bind", "--set", "--counter", "--alias"].contains(flag) {
                    let place = self.wrong(at.clone(), "").place;
                    args.bind.of_project.push(Given { flag, text: value.clone(), place });
                }
            }
        }
        Ok(())
    }

    /// Applies the settings of the whole project.
    pub(crate) fn apply(&self, args: &mut LowArgs) -> Result<(), Problem> {
        self.set(args, &self.settings)
    }

    /// Applies the settings of an entry point: those for its file come last, so that they win.
    pub(crate) fn apply_entry(
        &self,
        args: &mut LowArgs,
        file: &str,
        entry: &str,
    ) -> Result<(), Problem> {
        let file = crate::files::tidy(Path::new(file));
        let named = || self.entries.iter().filter(|it| it.name == entry);
        for it in named().filter(|it| it.file.is_none()) {
            self.set(args, &it.settings)?;
        }
        for it in named().filter(|it| it.file.as_ref() == Some(&file)) {
            self.set(args, &it.settings)?;
        }
        Ok(())
    }

    /// Whether there are settings for an entry point.
    pub(crate) fn knows(&self, file: &str, entry: &str) -> bool {
        let file = crate::files::tidy(Path::new(file));
        let is_for = |it: &&Entry| it.file.as_ref().is_none_or(|it| *it == file);
        self.entries.iter().filter(is_for).any(|it| it.name == entry)
    }

    /// The files of the project, sorted; empty if the project file lists none.
    pub(crate) fn files(&self) -> Result<Vec<String>, Problem> {
        let mut all = Vec::new();
        for (pattern, at) in &self.files {
            let found = glob::find(&self.base, pattern)?;
            if found.is_empty() {
                return Err(self.wrong(at.clone(), &format!("no file matches `{pattern}`")));
            }
            all.extend(found);
        }
        all.sort();
        all.dedup();
        Ok(all)
    }

    /// A mistake, shown where it is.
    fn wrong(&self, at: Range<usize>, what: &str) -> Problem {
        let problem = Problem::input(what);
        let mut sources = SourceMap::new();
        let (start, end) = (at.start as u32, (at.end.max(at.start + 1)) as u32);
        match sources.add(self.name.as_str(), self.text.as_str()) {
            Some(_) if !self.text.is_empty() => {
                let end = end.min(self.text.len() as u32);
                problem.at(Span::new(start.min(end), end), "", &sources)
            }
            _ => problem,
        }
    }
}

/// Whether a command reads the project file. The command line of `dxc` is complete, since it must mean what it means to
/// dxc.
pub(crate) fn is_read_by(command: Command) -> bool {
    match command {
        Command::Check
        | Command::Run
        | Command::Emit
        | Command::Test
        | Command::San
        | Command::Bench
        | Command::Diff
        | Command::Reduce
        | Command::Trace
        | Command::Timeline
        | Command::New => true,
        Command::Explain
        | Command::Caps
        | Command::Merge
        | Command::Dxc
        | Command::Fuzz
        | Command::Campaign
        | Command::Worker
        | Command::Dap => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asked::WaveSizes;

    fn read(text: &str) -> Result<Project, Problem> {
        Project::read(format!("../{NAME}"), PathBuf::from(".."), text.to_owned())
    }

    #[test]
    fn settings_are_flags_and_paths_are_relative_to_the_file() {
        let project = read(
            "defines = [\"NUM=5\"]\ninclude = [\"inc\", \"/abs\"]\nprofile = \"cs_6_6\"\n\
             wave-size = [4, 8, 32]\nenable-16bit-types = true\nspirv = false\nwarnings = [\"no-race\"]\n\
             timeout = 1.5\n[entry.Up]\ngroups = [4, 1, 1]\nbind = [\"Src=@a.bin\", \"Dst=u32[4]\"]\n\
             [entry.\"a/b.hlsl::Up\"]\ngroups = 0x10\n",
        )
        .unwrap();
        let mut args = LowArgs::new(Command::Run);
        project.apply(&mut args).unwrap();
        assert_eq!(args.compile.includes, [PathBuf::from("../inc"), PathBuf::from("/abs")]);
        assert_eq!(args.compile.options.shader_model, wavelane::ShaderModel::V6_6);
        assert_eq!(args.launch.wave_sizes, WaveSizes::List(vec![4, 8, 32]));
        assert!(args.compile.options.enable_16bit && !args.compile.options.spirv);
        project.apply_entry(&mut args, "./x.hlsl", "Up").unwrap();
        assert_eq!(args.launch.groups, [4, 1, 1]);
        assert_eq!(args.bind.binds[0], ("Src".to_owned(), "@../a.bin".to_owned()));
        project.apply_entry(&mut args, "../a/b.hlsl", "Up").unwrap();
        assert_eq!(args.launch.groups, [16, 1, 1]);
        assert!(project.knows("x.hlsl", "Up") && !project.knows("x.hlsl", "Down"));
    }

    #[test]
    fn every_mistake_has_its_line_and_a_remedy() {
        for (text, place, says) in [
            ("defnes = [\"A\"]", "1:1", "unknown key `defnes` did you mean `defines`?"),
            ("\nwave-sise = 4", "2:1", "did you mean `wave-size`?"),
            ("wave-size = [4, 5]", "1:13", "power of two"),
            ("[entry.A]\nbnd = []", "2:1", "did you mean `bind`?"),
            ("[entry.A]\nbind = [\"A\"]", "2:9", "NAME=VALUE"),
            ("bind = [\"A=u32[4]\"]", "1:1", "below a line `[entry.NAME]`"),
            ("entry = 3", "1:1", "`entry` is not a value"),
            ("profile = [\"cs_6_0\"]", "1:11", "takes one value, not a list"),
            ("profile = true", "1:11", "strings and numbers"),
            ("profile = \"zs_6_0\"", "1:11", "the choices are"),
            ("enable-16bit-types = 1", "1:22", "`true` or `false`"),
            ("filter = \"a\"", "1:1", "belongs on the command line"),
            ("files = [\"a[\"]", "1:10", "`[`"),
            ("a = = 3", "1:", "error"),
            ("profile = \"cs_6_0\"\nprofile = \"cs_6_1\"", "2:1", "duplicate"),
        ] {
            let problem = read(text).unwrap_err();
            let (at, _) = problem.place.clone().unwrap_or_default();
            assert!(at.starts_with(&format!("../{NAME}:{place}")), "{text}: {at}");
            let said = format!("error {} {}", problem.message, problem.helps.join(" "));
            assert!(said.contains(says), "{text}: {said}");
        }
        assert!(read("").is_ok() && read("# only a comment\n").is_ok());
    }
}
