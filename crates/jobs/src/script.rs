//! The meaning of a test's `RUN:` lines: parts to split, shaders to compile, jobs to run, output to check.
//!
//! Deliberately absent: a shell. A line must have one of the few forms that shader tests use; any other command is
//! reported as foreign, so that the caller can say what was skipped.

use crate::Error;
use crate::lit::{Features, Line};

/// One `RUN:` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub line: Line,
    pub command: Command,
    /// The command is preceded by `not`.
    pub fails: bool,
    pub check: Option<Check>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// `split-file`: nothing to do, since the parts have been split already.
    Split,
    Compile {
        flags: Vec<String>,
        source: Path,
        object: String,
    },
    Run {
        job: Path,
        objects: Vec<String>,
        picture: Option<Drawn>,
    },
    /// `imgdiff`
    Compare(Comparison),
    /// A program that we neither implement nor have.
    Foreign(String),
}

/// `-r NAME -o FILE`: a buffer that becomes a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Drawn {
    pub buffer: String,
    pub file: String,
}

/// Two pictures that should look alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// The words of the line: a picture of an earlier line, or a file.
    pub pictures: [String; 2],
    pub rules: Option<Path>,
    pub is_exact: bool,
}

/// `| FileCheck`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    pub prefixes: Vec<String>,
    pub patterns: Path,
}

/// A file named on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// `%s`
    Test,
    /// `%t/NAME`
    Part(String),
    /// Any other, relative to the folder of the test.
    File(String),
}

/// Parses a line. `features` decide the arms of `%if … %{ … %}`.
pub(crate) fn step(line: &Line, features: &Features) -> Result<Step, Error> {
    let wrong = |message: &str| Error::new(line.at.clone(), message);
    let text = conditional(&line.text, features, 0).map_err(wrong)?;
    let words = words(&text);
    let mut commands = words.split(|it| it == "|");
    let first = commands.next().unwrap_or_default();
    let mut first: Vec<&str> =
        first.iter().map(String::as_str).filter(|it| *it != "2>&1").collect();
    let fails = first.first() == Some(&"not");
    first.drain(..usize::from(fails));
    let check = match commands.next() {
        None => None,
        Some(words) if words.first().is_some_and(|it| it == "FileCheck") => {
            Some(check(&words[1..]).ok_or_else(|| wrong("`FileCheck` needs a pattern file"))?)
        }
        Some(words) => {
            let foreign = words.first().cloned().unwrap_or_default();
            let command = Command::Foreign(foreign);
            return Ok(Step { line: line.clone(), command, fails, check: None });
        }
    };
    let [program, arguments @ ..] = first.as_slice() else {
        return Err(wrong("expected a command"));
    };
    let command = match *program {
        "split-file" => Command::Split,
        "%dxc_target" | "dxc" | "%dxc" | "wavelane" => {
            compile(arguments).ok_or_else(|| wrong("a compilation needs one source file"))?
        }
        "%offloader" | "offloader" => run(arguments).map_err(wrong)?,
        "imgdiff" => compare(arguments).map_err(wrong)?,
        foreign => Command::Foreign(foreign.trim_start_matches('%').to_owned()),
    };
    Ok(Step { line: line.clone(), command, fails, check })
}

fn compile(arguments: &[&str]) -> Option<Command> {
    let (mut flags, mut source, mut object) = (Vec::new(), None, "%t.o".to_owned());
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match *word {
            "-Fo" | "/Fo" => object = (*rest.next()?).to_owned(),
            "-I" | "/I" => flags.extend([*word, *rest.next()?].map(str::to_owned)),
            // A path: every flag with a value in these tests is followed by a value without a dot.
            path if !path.starts_with('-') && is_source(path) => source = Some(self::path(path)),
            flag => flags.push(flag.to_owned()),
        }
    }
    Some(Command::Compile { flags, source: source?, object })
}

fn is_source(word: &str) -> bool {
    word == "%s" || word.starts_with("%t/") || word.starts_with("%S/") || word.ends_with(".hlsl")
}

fn run(arguments: &[&str]) -> Result<Command, &'static str> {
    let (mut files, mut buffer, mut file) = (Vec::new(), None, None);
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match *word {
            "-r" => {
                buffer = Some((*rest.next().ok_or("`-r` needs the name of a buffer")?).to_owned())
            }
            "-o" => file = Some((*rest.next().ok_or("`-o` needs the name of a file")?).to_owned()),
            // Debug layers and the like have no meaning here.
            flag if flag.starts_with('-') => {}
            file => files.push(file.to_owned()),
        }
    }
    let picture = match (buffer, file) {
        (Some(buffer), Some(file)) => Some(Drawn { buffer, file }),
        (Some(_), None) => return Err("`-r` needs `-o FILE.png`, where the buffer is written"),
        // What the tool prints.
        (None, _) => None,
    };
    let job = path(files.first().ok_or("a run needs a job")?);
    Ok(Command::Run { job, objects: files.split_off(1), picture })
}

fn compare(arguments: &[&str]) -> Result<Command, &'static str> {
    let (mut files, mut rules, mut is_exact) = (Vec::new(), None, false);
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) if word.starts_with('-') => (flag, Some(value)),
            _ => (*word, None),
        };
        // One dash or two, as LLVM's tools take them.
        let flag = if flag.starts_with("--") { &flag[1..] } else { flag };
        let mut value = || value.or_else(|| rest.next().copied()).ok_or("a flag needs a value");
        match flag {
            "-rules" => rules = Some(path(value()?)),
            "-mode" => {
                is_exact = match value()? {
                    "exact" => true,
                    "cie76" => false,
                    _ => return Err("`-mode` is `exact` or `cie76`"),
                }
            }
            // A picture of the differences, which nothing reads.
            "-o" => {
                value()?;
            }
            flag if flag.starts_with('-') => return Err("`imgdiff` has no such flag"),
            file => files.push(file.to_owned()),
        }
    }
    let pictures = files.try_into().map_err(|_| "`imgdiff` compares two pictures")?;
    Ok(Command::Compare(Comparison { pictures, rules, is_exact }))
}

fn check(words: &[String]) -> Option<Check> {
    let (mut prefixes, mut patterns) = (Vec::new(), None);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let flag = word.trim_start_matches('-');
        let is_flag = word.starts_with('-');
        if let Some(list) = flag
            .strip_prefix("check-prefixes=")
            .or_else(|| flag.strip_prefix("check-prefix="))
            .filter(|_| is_flag)
        {
            prefixes.extend(list.split(',').map(str::to_owned));
        } else if is_flag && matches!(flag, "check-prefix" | "check-prefixes") {
            prefixes.extend(rest.next()?.split(',').map(str::to_owned));
        } else if !is_flag {
            patterns = Some(path(word));
        }
    }
    if prefixes.is_empty() {
        prefixes.push("CHECK".to_owned());
    }
    Some(Check { prefixes, patterns: patterns? })
}

fn path(word: &str) -> Path {
    if word == "%s" {
        return Path::Test;
    }
    let part = word.strip_prefix("%t/").or_else(|| word.strip_prefix("%t\\"));
    match part {
        Some(name) => Path::Part(name.to_owned()),
        None => {
            let beside = word.strip_prefix("%S/").or_else(|| word.strip_prefix("%p/"));
            Path::File(beside.unwrap_or(word).to_owned())
        }
    }
}

/// Replaces `%if COND %{ … %} %else %{ … %}` with the arm whose condition holds.
fn conditional(text: &str, features: &Features, depth: usize) -> Result<String, &'static str> {
    let Some(at) = text.find("%if ") else { return Ok(text.to_owned()) };
    if depth > 16 {
        return Err("too many conditions in one line");
    }
    let rest = &text[at + 4..];
    let (condition, rest) = rest.split_once("%{").ok_or("expected `%{` after `%if`")?;
    let (then, rest) = rest.split_once("%}").ok_or("expected `%}`")?;
    let (otherwise, rest) = match rest.trim_start().strip_prefix("%else") {
        Some(rest) => {
            let rest = rest.split_once("%{").ok_or("expected `%{` after `%else`")?.1;
            rest.split_once("%}").ok_or("expected `%}`")?
        }
        None => ("", rest),
    };
    let names = format!("REQUIRES: {}", condition.trim());
    let condition = crate::lit::directives(&names).map_err(|_| "the condition is invalid")?;
    let chosen = if condition.refused(features).is_none() { then } else { otherwise };
    conditional(&format!("{}{chosen}{rest}", &text[..at]), features, depth + 1)
}

/// Splits at white space; quotes of both kinds group words, and a bar outside quotes is a separate word.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in text.chars() {
        match (quote, character) {
            (Some(open), it) if it == open => quote = None,
            (Some(_), it) => word.get_or_insert_default().push(it),
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, '|') => {
                words.extend(word.take());
                words.push("|".to_owned());
            }
            (None, it) if it.is_whitespace() => words.extend(word.take()),
            (None, it) => word.get_or_insert_default().push(it),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Step {
        let line = Line { text: text.to_owned(), at: 0..text.len() };
        step(&line, &Features::from(["Vulkan".to_owned()])).unwrap()
    }

    #[test]
    fn run_lines_are_parsed() {
        assert_eq!(read("split-file %s %t").command, Command::Split);
        let compile = read(
            "%dxc_target -T cs_6_0 %if Vulkan %{ -A %} %if !Vulkan %{ -B %} -D 'X=1 2' -Fo %t.o %t/a.hlsl",
        );
        let flags = ["-T", "cs_6_0", "-A", "-D", "X=1 2"].map(str::to_owned).to_vec();
        let source = Path::Part("a.hlsl".to_owned());
        assert_eq!(compile.command, Command::Compile { flags, source, object: "%t.o".to_owned() });
        let compile = read("%dxc_target -I %S/../inc -Fo %t.o %S/a.hlsl");
        let flags = ["-I", "%S/../inc"].map(str::to_owned).to_vec();
        let source = Path::File("a.hlsl".to_owned());
        assert_eq!(compile.command, Command::Compile { flags, source, object: "%t.o".to_owned() });
        let run =
            read("not %offloader --layer %t/j.yaml %t.o 2>&1 | FileCheck %s --check-prefix=A,B");
        assert!(run.fails);
        let (job, objects) = (Path::Part("j.yaml".to_owned()), vec!["%t.o".to_owned()]);
        assert_eq!(run.command, Command::Run { job, objects, picture: None });
        assert_eq!(run.check.unwrap().prefixes, ["A", "B"]);
        assert_eq!(read("imgsame a b").command, Command::Foreign("imgsame".to_owned()));
        let line = Line { text: "%if A %{ x".to_owned(), at: 0..9 };
        assert!(step(&line, &Features::new()).is_err());
    }

    #[test]
    fn pictures_are_drawn_and_compared() {
        let run = read("%offloader %t/j.yaml %t-v.o %t-p.o -r Output -o %t/Output.png");
        let Command::Run { objects, picture, .. } = run.command else { panic!("{run:?}") };
        assert_eq!(objects, ["%t-v.o", "%t-p.o"]);
        let (buffer, file) = ("Output".to_owned(), "%t/Output.png".to_owned());
        assert_eq!(picture, Some(Drawn { buffer, file }));
        for (line, rules, is_exact) in [
            ("imgdiff %t/a.png b.png -rules %t/rules.yaml", Some("rules.yaml"), false),
            ("imgdiff -mode exact %t/a.png b.png", None, true),
            ("imgdiff %t/a.png --mode=cie76 b.png -o %t/d.png", None, false),
        ] {
            let rules = rules.map(|it| Path::Part(it.to_owned()));
            let pictures = ["%t/a.png".to_owned(), "b.png".to_owned()];
            let wanted = Command::Compare(Comparison { pictures, rules, is_exact });
            assert_eq!(read(line).command, wanted, "{line}");
        }
        for wrong in [
            "imgdiff a",
            "imgdiff a b c",
            "imgdiff a b -mode x",
            "imgdiff a b -x",
            "imgdiff a b -rules",
            "%offloader j -r A",
        ] {
            let line = Line { text: wrong.to_owned(), at: 0..wrong.len() };
            assert!(step(&line, &Features::new()).is_err(), "{wrong}");
        }
    }
}
