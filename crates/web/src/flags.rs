//! The words that say how a text runs: the flags of `wavelane run`, as its comment gives them or as the page does.
//!
//! A text says it in a comment, as the examples do:
//! `//   wavelane run examples/compact.hlsl --bind 'Items=u32[64]:iota'`, continued by a backslash, or
//! `// wavelane: --groups 2`. The words are split like a shell's. All widths are shown always, so that `--wave-size`
//! only chooses the one whose lanes are looked at first.

use hlsl::{Dialect, Options, ShaderModel, Version};
use ir::exec::{LaneOrder, Schedule};
use sanitizer::{Progress, Publication, Reconvergence, Rules};
use values::order;

use crate::Problem;

/// What the words ask for.
#[derive(Clone, Debug)]
pub struct Flags {
    pub options: Options,
    pub groups: [u32; 3],
    pub lane_order: Option<LaneOrder>,
    pub schedule: Schedule,
    /// `--bind`, `--set`: names and values.
    pub binds: Vec<(String, String)>,
    pub sets: Vec<(String, String)>,
    pub counters: Vec<(String, u32)>,
    /// Names of buffers, each with the one whose memory it names.
    pub aliases: Vec<(String, String)>,
    pub width_dependent: Vec<String>,
    pub unordered: Vec<String>,
    /// What the sanitizer takes for granted.
    pub rules: Rules,
    /// Which waves make progress while others wait.
    pub progress: Progress,
    /// The smallest that `--wave-size` names.
    pub width: Option<u32>,
}

/// The most groups: the reference engine runs them one lane after the other.
const MOST_GROUPS: u64 = 1 << 12;

type Set = fn(&mut Flags, &str) -> Result<(), Problem>;
type Switch = fn(&mut Flags);

/// Each flag that has a value, and what it sets.
const FLAGS: &[(&[&str], Set)] = &[
    (&["--groups"], groups),
    (&["--bind"], |it, value| pair(value).map(|pair| it.binds.push(pair))),
    (&["--set"], |it, value| pair(value).map(|pair| it.sets.push(pair))),
    (&["--counter"], counter),
    (&["--alias"], |it, value| pair(value).map(|pair| it.aliases.push(pair))),
    (&["--wave-size"], wave_size),
    (&["--lane-order"], lane_order),
    (&["--schedule"], schedule),
    (&["--dialect"], dialect),
    (&["-HV"], version),
    (&["-E", "--entry"], |it, value| {
        it.options.entry = value.to_owned();
        Ok(())
    }),
    (&["-D"], define),
    (&["-T"], profile),
    (&["--reconvergence"], |it, value| {
        it.rules.reconvergence = choose(value, &Reconvergence::NAMES)?;
        Ok(())
    }),
    (&["--publication"], |it, value| {
        it.rules.publication = choose(value, &Publication::NAMES)?;
        Ok(())
    }),
    (&["--progress"], |it, value| {
        it.progress = choose(value, &Progress::NAMES)?;
        Ok(())
    }),
    (&["--width-dependent"], |it, value| {
        it.width_dependent.push(value.to_owned());
        Ok(())
    }),
    (&["--unordered"], |it, value| {
        it.unordered.push(value.to_owned());
        Ok(())
    }),
];

/// Each flag that has none.
const SWITCHES: &[(&str, Switch)] = &[
    ("-enable-16bit-types", |it| it.options.enable_16bit = true),
    ("--uniform-lane-index", |it| it.rules.uniform_lane_index = true),
    ("--feedback", |it| it.rules.feedback_slack = true),
];

impl Default for Flags {
    fn default() -> Flags {
        Flags {
            options: Options::default(),
            groups: [1; 3],
            lane_order: None,
            schedule: Schedule::Ascending,
            binds: Vec::new(),
            sets: Vec::new(),
            counters: Vec::new(),
            aliases: Vec::new(),
            width_dependent: Vec::new(),
            unordered: Vec::new(),
            rules: Rules::default(),
            progress: Progress::default(),
            width: None,
        }
    }
}

impl Flags {
    /// Reads the words of a line.
    pub fn read(line: &str) -> Result<Flags, Problem> {
        let mut flags = Flags::default();
        let mut words = split(line)?.into_iter();
        while let Some(word) = words.next() {
            let (name, given) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            if let Some((_, set)) = SWITCHES.iter().find(|(it, _)| *it == word) {
                set(&mut flags);
                continue;
            }
            let Some((_, set)) = FLAGS.iter().find(|(names, _)| names.contains(&name)) else {
                let what = match word.starts_with('-') {
                    true => format!("the playground has no flag `{name}`"),
                    false => format!("`{word}` is not a flag"),
                };
                let known = FLAGS.iter().flat_map(|(names, _)| names.iter().copied());
                let known = known.chain(SWITCHES.iter().map(|(it, _)| *it));
                return Err(Problem::new(what).known(name, known));
            };
            let value = given.or_else(|| words.next());
            let value = value.ok_or_else(|| Problem::new(format!("`{name}` needs a value")))?;
            set(&mut flags, &value).map_err(|problem| Problem {
                message: format!("`{name} {value}`: {}", problem.message),
                ..problem
            })?;
        }
        Ok(flags)
    }
}

fn pair(value: &str) -> Result<(String, String), Problem> {
    let pair = value.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or_else(|| Problem::new("expected `NAME=VALUE`"))?;
    Ok((name.to_owned(), value.to_owned()))
}

fn number<T: std::str::FromStr>(value: &str) -> Result<T, Problem> {
    value.trim().parse().map_err(|_| Problem::new(format!("`{value}` is not an integer")))
}

fn groups(flags: &mut Flags, value: &str) -> Result<(), Problem> {
    let parts =
        value.split([',', 'x']).map(number::<u32>).collect::<Result<Vec<u32>, Problem>>()?;
    let (first, rest) = parts.split_first().ok_or_else(|| Problem::new("a number is missing"))?;
    if rest.len() > 2 {
        return Err(Problem::new("there are at most three numbers: x, y and z"));
    }
    flags.groups = [*first, rest.first().copied().unwrap_or(1), rest.get(1).copied().unwrap_or(1)];
    let all = flags.groups.iter().fold(1, |all: u64, it| all.saturating_mul(u64::from(*it)));
    match all {
        0 => Err(Problem::new("at least one group runs")),
        _ if all > MOST_GROUPS => {
            Err(Problem::new(format!("the playground runs at most {MOST_GROUPS} groups")))
        }
        _ => Ok(()),
    }
}

fn counter(flags: &mut Flags, value: &str) -> Result<(), Problem> {
    let (name, count) = pair(value)?;
    flags.counters.push((name, number(&count)?));
    Ok(())
}

/// Only the smallest one matters, since all widths are shown.
fn wave_size(flags: &mut Flags, value: &str) -> Result<(), Problem> {
    if value == "all" {
        return Ok(());
    }
    let widths = value.split(',').flat_map(|it| it.split(".."));
    let widths = widths.map(number::<u32>).collect::<Result<Vec<u32>, Problem>>()?;
    match widths.iter().find(|it| !crate::WIDTHS.contains(it)) {
        Some(width) => Err(Problem::new(format!("no wave has {width} lanes"))
            .help("waves have 4, 8, 16, 32, 64 or 128 lanes")),
        None => {
            flags.width = widths.into_iter().min();
            Ok(())
        }
    }
}

fn choose<T: Copy>(value: &str, choices: &[(&str, T)]) -> Result<T, Problem> {
    let found = choices.iter().find(|(name, _)| *name == value).map(|(_, it)| *it);
    let names = choices.iter().map(|(name, _)| *name);
    found.ok_or_else(|| Problem::new(format!("`{value}` is not known")).known(value, names))
}

fn lane_order(flags: &mut Flags, value: &str) -> Result<(), Problem> {
    flags.lane_order = Some(match order::seed(value) {
        Some(seed) => LaneOrder::Random(seed.map_err(Problem::new)?),
        None => choose(value, &order::LANE_ORDERS)?,
    });
    Ok(())
}

fn schedule(flags: &mut Flags, value: &str) -> Result<(), Problem> {
    flags.schedule = match order::seed(value) {
        Some(seed) => Schedule::Random(seed.map_err(Problem::new)?),
        None => choose(value, &order::SCHEDULES)?,
    };
    Ok(())
}

fn dialect(flags: &mut Flags, value: &str) -> Result<(), Problem> {
    flags.options.dialect = choose(value, &[("hlsl", Dialect::Hlsl), ("slang", Dialect::Slang)])?;
    Ok(())
}

fn version(flags: &mut Flags, value: &str) -> Result<(), Problem> {
    let version = Version::parse(value);
    flags.options.hlsl_version =
        version.ok_or_else(|| Problem::new(format!("`{value}` is not a version of HLSL")))?;
    Ok(())
}

fn define(flags: &mut Flags, value: &str) -> Result<(), Problem> {
    let (name, text) = match value.split_once('=') {
        Some((name, text)) => (name, Some(text.to_owned())),
        None => (value, None),
    };
    flags.options.defines.push((name.to_owned(), text));
    Ok(())
}

/// Only compute shaders run on the page; the number is the shader model.
fn profile(flags: &mut Flags, value: &str) -> Result<(), Problem> {
    let model = value.strip_prefix("cs_").ok_or_else(|| {
        Problem::new("the playground runs compute shaders only").help("write `-T cs_6_6`")
    })?;
    flags.options.shader_model = ShaderModel::parse(model).ok_or_else(|| {
        Problem::new(format!("the shader models are 6.0 to {}", ShaderModel::HIGHEST))
            .help("write `-T cs_6_6`")
    })?;
    Ok(())
}

/// Splits a line into words like a shell: blanks separate, quotes and backslashes protect.
fn split(line: &str) -> Result<Vec<String>, Problem> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            it if it.is_whitespace() => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some(it) if it == character => break,
                        Some('\\') if character == '"' => word.extend(characters.next()),
                        Some(it) => word.push(it),
                        None => return Err(Problem::new(format!("a `{character}` is not closed"))),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(characters.next()),
            it => word.get_or_insert_default().push(it),
        }
    }
    words.extend(word);
    Ok(words)
}

/// The words in a comment of the text that say how it runs; empty if none does.
pub fn command(text: &str) -> String {
    let mut lines = text.lines().map(str::trim_start);
    while let Some(line) = lines.next() {
        let Some(comment) = line.strip_prefix("//") else { continue };
        let Some(mut rest) = flags_of(comment.trim()) else { continue };
        let mut words = String::new();
        while let Some(before) = rest.strip_suffix('\\') {
            words.push_str(before);
            let Some(next) = lines.next().and_then(|it| it.strip_prefix("//")) else {
                return words.trim().to_owned();
            };
            rest = next.trim();
        }
        words.push_str(rest);
        return words.trim().to_owned();
    }
    String::new()
}

/// What follows `wavelane run FILE`, `wavelane san FILE` or `wavelane:`. A comment that allows findings or warnings,
/// `wavelane: allow(…)`, says nothing of how a text runs.
fn flags_of(comment: &str) -> Option<&str> {
    if let Some(rest) = comment.strip_prefix("wavelane:") {
        return Some(rest).filter(|it| !it.trim_start().starts_with("allow("));
    }
    let rest = comment.strip_prefix("wavelane run ").or(comment.strip_prefix("wavelane san "))?;
    let file = rest.split_whitespace().next()?;
    Some(rest.trim_start().strip_prefix(file).unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_says_in_a_comment_how_it_runs() {
        let text = "// A title.\n//   wavelane run examples/a.hlsl --groups 2 \\\n//     --bind 'A=1, 2'\nint x;";
        assert_eq!(command(text), "--groups 2 --bind 'A=1, 2'");
        assert_eq!(command("// wavelane: --set A=1\n"), "--set A=1");
        assert_eq!(command("// nothing\nint wavelane;"), "");
        assert_eq!(command("// wavelane: allow(race)\n// wavelane: --groups 3\n"), "--groups 3");
        assert_eq!(command("//   wavelane san a.hlsl --groups 2 \\"), "--groups 2");
    }

    #[test]
    fn words_are_split_like_a_shells() {
        let words = split(r#"--bind 'A=u32: 1, 2' --set "B=\"1" C\ D ''"#).unwrap();
        assert_eq!(words, ["--bind", "A=u32: 1, 2", "--set", "B=\"1", "C D", ""]);
        assert!(split("'a").is_err());
    }

    #[test]
    fn flags_mean_what_they_mean_on_the_command_line() {
        let flags = Flags::read(
            "--groups 2,3 --bind A=u32[4] --bind=B=1 --set C[1]=2 --counter A=3 --alias D=A --lane-order random:7 --schedule \
             round-robin --dialect slang -HV 2018 -E other -D N=4 -D M -T cs_6_5 -enable-16bit-types --wave-size 8,16 --publication strict --progress fair \
             --reconvergence=spirv --uniform-lane-index --unordered A --width-dependent B",
        )
        .unwrap();
        assert_eq!(flags.groups, [2, 3, 1]);
        assert_eq!(flags.binds[1], ("B".to_owned(), "1".to_owned()));
        assert_eq!(flags.sets, [("C[1]".to_owned(), "2".to_owned())]);
        assert_eq!(flags.counters, [("A".to_owned(), 3)]);
        assert_eq!(flags.aliases, [("D".to_owned(), "A".to_owned())]);
        assert_eq!(flags.lane_order, Some(LaneOrder::Random(7)));
        assert_eq!(flags.schedule, Schedule::RoundRobin);
        assert_eq!((flags.options.entry.as_str(), flags.width), ("other", Some(8)));
        assert_eq!(
            (flags.options.shader_model, flags.options.enable_16bit),
            (ShaderModel::V6_5, true)
        );
        assert_eq!(flags.options.defines.len(), 2);
        assert_eq!(flags.rules.reconvergence, Reconvergence::Spirv);
        assert_eq!(flags.rules.publication, Publication::Strict);
        assert_eq!(flags.progress, Progress::Fair);
        assert!(flags.rules.uniform_lane_index);
        assert_eq!((flags.unordered[0].as_str(), flags.width_dependent[0].as_str()), ("A", "B"));
    }

    #[test]
    fn words_that_make_no_sense_are_explained() {
        for (line, message, help) in [
            ("--group 2", "no flag `--group`", "did you mean `--groups`?"),
            ("file.hlsl", "`file.hlsl` is not a flag", ""),
            ("--groups", "`--groups` needs a value", ""),
            ("--groups 0", "at least one group runs", ""),
            ("--groups 9999", "at most 4096 groups", ""),
            ("--groups 1,2,3,4", "at most three", ""),
            ("--bind A", "expected `NAME=VALUE`", ""),
            ("--wave-size 12", "no wave has 12 lanes", "4, 8, 16"),
            ("--schedule sideways", "`sideways` is not known", ""),
            ("-T ps_6_0", "compute shaders only", "cs_6_6"),
            ("--bind 'A", "is not closed", ""),
        ] {
            let problem = Flags::read(line).unwrap_err();
            assert!(problem.message.contains(message), "{line}: {problem:?}");
            assert!(problem.help.unwrap_or_default().contains(help), "{line}");
        }
    }
}
