//! From words on the command line to plain values, [`LowArgs`]: the first of two stages. The row of a flag in
//! [`crate::flags`] defines what it means; in the second stage each command builds a struct of what it needs.

use std::ffi::OsString;

use wavelane::internal::diag;

use crate::asked::LowArgs;
use crate::command::Command;
use crate::files;
use crate::flags::{self, Flag, Takes};
use crate::problem::Problem;

/// The command line as it was written, for reports and processes that repeat it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// The words after the program's name.
    words: Vec<String>,
    /// The words after the command, with the words of response files in place.
    expanded: Vec<String>,
    /// The parsed words after the command, in order.
    said: Vec<Said>,
}

/// One flag or operand, with the words that gave it.
#[derive(Clone, Debug)]
enum Said {
    Operand(String),
    /// `None` for a flag of other compilers, which is ignored.
    Flag(Option<&'static Flag>, Vec<String>),
}

impl Line {
    /// All words.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// The flags in order: the first name of each, its value, and the words that gave both.
    pub(crate) fn flags(&self) -> impl Iterator<Item = (&'static str, String, &[String])> {
        self.said.iter().filter_map(|said| {
            let Said::Flag(Some(flag), words) = said else { return None };
            let (first, rest) = words.split_first()?;
            let value = match rest {
                [] => {
                    let spelt = flag.names.iter().find(|it| first.starts_with(**it));
                    let rest = first.get(spelt.map_or(first.len(), |it| it.len())..).unwrap_or("");
                    rest.strip_prefix('=').unwrap_or(rest).to_owned()
                }
                _ => rest.join(" "),
            };
            Some((flag.names[0], value, words.as_slice()))
        })
    }

    /// The words that make another process a worker for this command line.
    pub(crate) fn of_worker(&self) -> Vec<String> {
        let mut words = self.words.clone();
        words.insert(1.min(words.len()), flags::WORKER.to_owned());
        words
    }

    /// The flags that a test needs to run again as it ran here.
    pub(crate) fn to_repeat(&self) -> Vec<String> {
        self.kept(|flag| !flag.is_about_the_report(), false)
    }

    /// The flags that an entry point needs to run again as it ran here, except its name.
    pub(crate) fn to_repeat_entry(&self) -> Vec<String> {
        let names_entry = |flag: &Flag| flag.names.contains(&"-E");
        self.kept(|flag| !flag.is_about_the_report() && !names_entry(flag), false)
    }

    /// The words that give another command the same program, without flags about this run; without the operands for
    /// tests.
    pub(crate) fn for_command(&self, command: Command, is_test: bool) -> Vec<String> {
        let wanted = |flag: &Flag| flag.on.contains(&command) && !flag.is_about_this_run();
        self.kept(wanted, !is_test)
    }

    /// The words of an earlier occurrence of a flag that takes a single value.
    fn given(&self, flag: &'static Flag) -> Option<String> {
        self.said.iter().filter(|_| flag.is_single()).find_map(|said| match said {
            Said::Flag(Some(it), words) if std::ptr::eq(*it, flag) => Some(words.join(" ")),
            Said::Flag(..) | Said::Operand(_) => None,
        })
    }

    fn kept(&self, wanted: impl Fn(&Flag) -> bool, with_operands: bool) -> Vec<String> {
        let mut kept = Vec::new();
        for said in &self.said {
            match said {
                Said::Operand(word) if with_operands => kept.push(word.clone()),
                Said::Flag(flag, words) if flag.is_none_or(&wanted) => {
                    kept.extend(words.iter().cloned());
                }
                Said::Operand(_) | Said::Flag(..) => {}
            }
        }
        kept
    }
}

/// What the command line requests.
#[derive(Debug)]
pub(crate) enum Request {
    /// The overview, or a command's help: its usual flags, or all.
    Help(Option<Command>, bool),
    Version,
    Work(Box<LowArgs>, Line),
}

/// Reads the command line; the first word is the program's name.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Request, Problem> {
    let mut words = words.into_iter().skip(1).map(|it| {
        it.into_string().map_err(|it| {
            Problem::input(format!("`{}` is not valid Unicode", it.to_string_lossy()))
        })
    });
    let Some(first) = words.next().transpose()? else { return Ok(Request::Help(None, false)) };
    let command = match first.as_str() {
        "--version" | "-V" | "version" => return Ok(Request::Version),
        "--help" | "-h" | "-help" | "/?" => return Ok(Request::Help(None, false)),
        "help" => {
            return match words.next().transpose()? {
                Some(word) => {
                    let command = find_command(&word)?;
                    let is_whole = words.next().transpose()?.is_some_and(|it| it == "all");
                    Ok(Request::Help(Some(command), is_whole))
                }
                None => Ok(Request::Help(None, false)),
            };
        }
        word => find_command(word)?,
    };
    let words = words.collect::<Result<Vec<String>, Problem>>()?;
    let mut args = LowArgs::new(command);
    let words_of_line = std::iter::once(&first).chain(&words).cloned().collect();
    let mut line = Line { words: words_of_line, expanded: files::expand(words)?, said: Vec::new() };
    match read(&mut args, &mut line)? {
        Wanted::Work => Ok(Request::Work(Box::new(args), line)),
        Wanted::Help(is_whole) => Ok(Request::Help(Some(command), is_whole)),
        Wanted::Version => Ok(Request::Version),
    }
}

/// What a command line asks its command to do.
pub(crate) enum Wanted {
    Work,
    /// Of the command, with every flag or those that matter most.
    Help(bool),
    Version,
}

/// Applies the words after the command to values that may have been set before.
pub(crate) fn read(args: &mut LowArgs, line: &mut Line) -> Result<Wanted, Problem> {
    line.said.clear();
    let mut words = line.expanded.clone().into_iter();
    let mut only_operands = false;
    while let Some(word) = words.next() {
        if only_operands || !looks_like_a_flag(&word) {
            line.said.push(Said::Operand(word.clone()));
            args.operands.push(word);
        } else if word == "--" {
            only_operands = true;
        } else if word == "--version" {
            return Ok(Wanted::Version);
        } else if matches!(word.as_str(), "--help" | "-h" | "-help" | "/?") {
            let is_whole = words.next().is_some_and(|it| it == "all");
            return Ok(Wanted::Help(is_whole));
        } else {
            flag(&word, &mut words, args, line)?;
        }
    }
    args.bind.words.clone_from(&line.words);
    Ok(Wanted::Work)
}

fn find_command(word: &str) -> Result<Command, Problem> {
    if let Some(command) = Command::ALL.into_iter().find(|it| it.name() == word) {
        return Ok(command);
    }
    let problem = Problem::input(format!("there is no command `{word}`"));
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
    args: &mut LowArgs,
    line: &mut Line,
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
            None => return unknown(word, args, line),
        },
    };
    if !flag.on.contains(&args.command) {
        // `-Foa.spv` and `/Fo` are spellings of `-Fo`.
        let name = flag.names.iter().find(|it| **it == name).unwrap_or(&flag.names[0]);
        let takes = |it: &Command| {
            flags::all().any(|flag| flag.names.contains(name) && flag.on.contains(it))
        };
        let on = Command::ALL.into_iter().filter(takes).map(Command::name);
        let on: Vec<&str> = on.collect();
        let what = format!(
            "`{name}` means nothing to `wavelane {}`; it belongs to `{}`",
            args.command.name(),
            on.join("`, `")
        );
        return Err(args.usage(what));
    }
    let (mut values, mut said) = (Vec::new(), vec![word.to_owned()]);
    let wanted = match flag.takes {
        Takes::Nothing | Takes::Optional(_) => 0,
        Takes::Value(_) | Takes::Values(_) | Takes::Joined(_) => 1,
        Takes::Words(_, count) | Takes::Ignored(count) => count,
    };
    if let Some(value) = attached {
        if flag.takes == Takes::Nothing {
            return Err(args.usage(format!("`{name}` takes no value")));
        }
        values.push(value.to_owned());
    }
    while values.len() < wanted {
        let value = rest.next();
        let value = value
            .ok_or_else(|| args.usage(format!("`{name}` needs {}", flag.takes.placeholder())))?;
        said.push(value.clone());
        values.push(value);
    }
    if let Some(before) = line.given(flag) {
        let what = format!("`{before}` and `{}` give the same flag", said.join(" "));
        return Err(Problem::input(what).help(format!("`{name}` has one value: leave one out")));
    }
    line.said.push(Said::Flag(Some(flag), said));
    let value = match flag.takes {
        Takes::Words(..) => values.join(" "),
        Takes::Nothing
        | Takes::Optional(_)
        | Takes::Value(_)
        | Takes::Values(_)
        | Takes::Joined(_)
        | Takes::Ignored(_) => values.into_iter().next().unwrap_or_default(),
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
    // No compiler spells it `-T=cs_6_0`, but the meaning is clear.
    Some((flag, value.strip_prefix('=').unwrap_or(value)))
}

/// Build scripts pass flags of other compilers; those that start with `-f` cannot change what a program means.
fn unknown(word: &str, args: &mut LowArgs, line: &mut Line) -> Result<(), Problem> {
    if word.starts_with("-f") {
        line.said.push(Said::Flag(None, vec![word.to_owned()]));
        args.compile.remarks.push(format!("`{word}` is not known and is ignored"));
        return Ok(());
    }
    let problem = args.usage(format!("there is no flag `{word}`"));
    let name = word.split('=').next().unwrap_or(word);
    let names = flags::all()
        .filter(|it| it.on.contains(&args.command))
        .flat_map(|it| it.names.iter().copied());
    Err(match diag::most_similar(name, names) {
        Some(meant) => problem.help(format!("did you mean `{meant}`?")),
        None => problem,
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;
    use crate::asked::{Fuel, WaveSizes};
    use wavelane::{Dialect, MatrixOrder, Schedule, ShaderModel, Version};

    fn read(line: &str) -> Result<LowArgs, Problem> {
        both(line).map(|it| it.0)
    }

    fn both(line: &str) -> Result<(LowArgs, Line), Problem> {
        let words = std::iter::once("wavelane").chain(line.split_whitespace()).map(OsString::from);
        match parse(words)? {
            Request::Work(args, line) => Ok((*args, line)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn dxc_flags_are_read_in_all_their_spellings() {
        let args = read(
            "dxc a.hlsl -T cs_6_5 -E other -D A -DB=2 -D C=x=y -I inc -Iinc2 -HV 2018 -enable-16bit-types -Zpr -WX \
             -Wno-extra-tokens -O3 -Od -Zi -Qembed_debug -Fo out.bin -Foout -fspv-target-env=vulkan1.3 \
             -fvk-b-shift 1 2 -fvk-bind-register t0 0 1 0 -Gis --dialect slang",
        )
        .unwrap();
        assert_eq!(args.operands, ["a.hlsl"]);
        assert_eq!(args.compile.options.shader_model, ShaderModel::V6_5);
        assert_eq!(args.compile.options.entry, "other");
        let defines: Vec<(&str, Option<&str>)> = args
            .compile
            .options
            .defines
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_deref()))
            .collect();
        assert_eq!(defines, [("A", None), ("B", Some("2")), ("C", Some("x=y"))]);
        assert_eq!(args.compile.includes, [PathBuf::from("inc"), PathBuf::from("inc2")]);
        assert_eq!(args.compile.options.hlsl_version, Version::V2018);
        assert!(args.compile.options.enable_16bit && args.compile.warnings.are_errors);
        assert_eq!(args.compile.options.matrix_order, MatrixOrder::RowMajor);
        assert_eq!(args.compile.options.dialect, Dialect::Slang);
        assert!(args.compile.remarks.is_empty(), "{:?}", args.compile.remarks);
        let slashes = read("check /T cs_6_0 /Zpc /home/me/a.hlsl").unwrap();
        assert_eq!(slashes.compile.options.shader_model, ShaderModel::V6_0);
        assert_eq!(slashes.operands, ["/home/me/a.hlsl"]);
    }

    #[test]
    fn without_a_profile_everything_is_allowed() {
        assert_eq!(read("check a.hlsl").unwrap().compile.options.shader_model, ShaderModel::V6_10);
    }

    #[test]
    fn own_flags_are_read() {
        let args = read(
            "run - --groups 2,3 --wave-size 4,16..64 --bind A=u32:1 --bind=B[2]=@x=y.bin --set C.D=1 --print A --out \
             A=o.npy --format json --engine interp --lane-order quad2d --schedule random:7 --timeout 1.5 --fuel 10 \
             --caps wave-ops=off,lanes=32..64 --caps sm=6.5",
        )
        .unwrap();
        assert_eq!(args.launch.groups, [2, 3, 1]);
        assert_eq!(args.launch.wave_sizes, WaveSizes::List(vec![4, 16, 32, 64]));
        assert_eq!(args.bind.binds[1], ("B[2]".to_owned(), "@x=y.bin".to_owned()));
        assert_eq!(args.launch.schedule, Schedule::Random(7));
        assert_eq!(args.launch.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(args.launch.fuel, Fuel::Of(10));
        assert!(!args.device.adapter.wave_ops);
        assert_eq!(args.device.adapter.wave_lane_count.min, 32);
        assert_eq!(args.device.adapter.shader_model.to_string(), "6.5");
        assert_eq!(args.operands, ["-"]);
    }

    #[test]
    fn wrong_command_lines_are_explained() {
        for (line, message) in [
            ("chekc a", "did you mean `wavelane check`?"),
            ("a.hlsl", "wavelane run a.hlsl"),
            ("run a --group 4", "did you mean `--groups`?"),
            ("check a --groups 4", "it belongs to `run`"),
            (
                "check a -Fo b",
                "`-Fo` means nothing to `wavelane check`; it belongs to `emit`, `dxc`",
            ),
            (
                "check a -Fob",
                "`-Fo` means nothing to `wavelane check`; it belongs to `emit`, `dxc`",
            ),
            ("check a /Fc b", "`-Fc` means nothing to `wavelane check`; it belongs to `dxc`"),
            ("dxc a --format json", "it belongs to `check`, `run`, "),
            ("run a --groups", "needs X[,Y[,Z]]"),
            ("run a --groups 1,2,3,4", "three dimensions"),
            ("run a --groups x", "`x` is not an integer"),
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
            ("check a -T cs_3_0", "6.0"),
            ("check a -T cs_5_2", "6.0"),
            ("check a -T cs_6_99", "6.10"),
            ("check a -T zs_6_0", "zs"),
            ("check a -HV 2020", "2021"),
            ("check a -Wall=3 --nonsense", "there is no flag `--nonsense`"),
            ("timeline a -o a.html -o b.svg", "`-o a.html` and `-o b.svg` give the same flag"),
            ("campaign --ledger=a --ledger b", "`--ledger=a` and `--ledger b` give the same flag"),
            ("test a -j 2 --jobs=3", "`--jobs` has one value: leave one out"),
            ("run a --auto --auto=2", "`--auto` and `--auto=2` give the same flag"),
        ] {
            let problem = read(line).unwrap_err();
            let text = format!("{} {}", problem.message, problem.helps.join(" "));
            assert!(text.contains(message), "{line}: {text}");
        }
    }

    #[test]
    fn the_last_of_dxcs_flags_wins_and_lists_grow() {
        let line = "run a --verbose --verbose -T cs_6_0 -T cs_6_5 --bind A=1 --bind B=2 --print A --print B";
        let args = read(line).unwrap();
        assert_eq!(args.compile.options.shader_model, ShaderModel::V6_5);
        assert_eq!((args.bind.binds.len(), args.prints.len()), (2, 2));
    }

    #[test]
    fn unknown_flags_of_other_compilers_are_mentioned_and_ignored() {
        let args = read("check a.hlsl -funknown -fspv-anything").unwrap();
        let remark = |flag: &str| format!("`{flag}` is not known and is ignored");
        assert_eq!(args.compile.remarks, ["-funknown", "-fspv-anything"].map(remark));
    }

    #[test]
    fn a_command_line_is_repeated_as_it_was_written() {
        let (_, line) = both(
            "test a.test --wave-size 4 -D A=1 -DB --format=json -fvk-bind-register t3 0 7 1 -funknown /T cs_6_0 \
             --filter x b.test --jobs 2 --timeout 3 --list",
        )
        .unwrap();
        let kept = "-D A=1 -DB -fvk-bind-register t3 0 7 1 -funknown /T cs_6_0 --timeout 3";
        assert_eq!(line.to_repeat().join(" "), kept);
        let worker = line.of_worker().join(" ");
        assert!(worker.starts_with("test --worker a.test --wave-size 4 -D A=1"), "{worker}");
        assert!(read(&worker).unwrap().is_worker);

        let (_, line) =
            both("diff a.hlsl --bind A=[4] --engines interp,cpu --wave-size 8 -I inc").unwrap();
        let words = |is_test| line.for_command(Command::San, is_test).join(" ");
        assert_eq!(words(false), "a.hlsl --bind A=[4] -I inc");
        assert_eq!(words(true), "--bind A=[4] -I inc");
        assert_eq!(line.words()[0], "diff");
    }
}
