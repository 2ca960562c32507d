//! `wavelane diff`: runs programs on several engines, compares what they leave, and says whose mistake a difference is.
//!
//! Every engine is compared with the reference engine at the engine's own width. Where one differs, the sanitizer is asked
//! first: what the language does not define, or leaves open, is no engine's mistake. Of a disagreement the first value that
//! differs is looked for, and a small `.test` file is written that shows it.
//!
//! Programs are compared in processes of their own, because a driver that is given a program can take its process with it.

pub(crate) mod compare;
mod judge;
mod locate;
mod pool;
mod record;
mod repro;
mod run;
mod show;
mod side;
mod subject;
#[cfg(test)]
mod tests;

use std::path::Path;

use crate::args::{Args, Command};
use crate::problem::{Exit, Problem, quoted};
use crate::{End, terminal};
use judge::Told;
use pool::Work;
use record::{Record, Repro};
use side::Side;
use subject::Subject;

pub(crate) use side::read_module;
pub(crate) use subject::{Recorder, Remembered};

/// What only `diff` asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiffArgs {
    /// The engines, as they were written.
    pub(crate) engines: Option<String>,
    /// Another compiler's module of the same shader.
    pub(crate) spirv: Option<String>,
    /// Where a disagreement is written to.
    pub(crate) repro: Option<String>,
}

pub(crate) fn diff(args: Args) -> Result<Exit, End> {
    let sides = side::open(&args)?;
    if args.test.is_worker {
        return pool::serve(&args, &sides);
    }
    let mut records = compared(&args, &sides)?;
    let mut files = Files { wanted: args.diff.repro.clone(), written: 0 };
    for record in &mut records {
        if let Some(Repro::Text { text, about }) = &record.repro {
            let file = files.write(&record.name, record.width, text)?;
            record.repro = Some(Repro::File { file, about: about.clone() });
        }
    }
    show::show(&args, &sides, &records)?;
    Ok(show::exit(&sides, &records))
}

fn compared(args: &Args, sides: &[Side]) -> Result<Vec<Record>, End> {
    if crate::san::holds_tests(args)? {
        let tests = crate::test::select(args, crate::test::find(args)?)?;
        if let (Some(file), [_, _, ..]) = (&args.diff.spirv, tests.as_slice()) {
            let what = format!("`{file}` is one program, and the operands hold {}", tests.len());
            return Err(Problem::input(what)
                .help("name one shader, or one case: FILE::CASE")
                .into());
        }
        let said_by_the_test = [
            ("--bind", !args.binds.is_empty()),
            ("--set", !args.sets.is_empty()),
            ("--counter", !args.counters.is_empty()),
            ("--groups", args.groups != [1; 3]),
        ];
        if let Some((flag, _)) = said_by_the_test.iter().find(|(_, is_given)| *is_given) {
            let problem = Problem::input(format!("`{flag}` is for shaders, and tests are named"));
            return Err(problem.help("a test says itself what is bound").into());
        }
        let work: Vec<Work> = tests.into_iter().map(Work::Test).collect();
        return Ok(pool::run(args, &work)?);
    }
    // What is wrong with the shader or its buffers is told here, with its place.
    let subject = subject::of_shader(args)?;
    let file = args.operand()?;
    if file != "-" {
        return Ok(pool::run(args, &[Work::Shader(file.to_owned())])?);
    }
    // Standard input is read once, so this process does the work.
    let mut records: Vec<Record> = Vec::new();
    pool::one(args, sides, &subject, terminal::style(), &mut 0, &mut |told| match told {
        Told::Record(record) => records.push(*record),
        Told::Repro(repro) => {
            if let Some(last) = records.last_mut() {
                last.repro = Some(pool::repro_of(repro));
            }
        }
    });
    Ok(records)
}

/// The words that give `wavelane san` the program that this command line gives `diff`.
fn san_words(subject: &Subject) -> Vec<String> {
    let mut kept = vec!["san".to_owned()];
    kept.extend(subject.test.clone());
    kept.extend(of_san(std::env::args().skip(2), subject.test.is_some()));
    kept
}

/// The words that `san` knows too, but for widths, which it is told besides; of tests without the operands.
fn of_san(words: impl Iterator<Item = String>, is_test: bool) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or("");
        let row = crate::flags::all().find(|it| {
            it.on.contains(&Command::Diff)
                && (it.names.contains(&name) || it.names.contains(&&*word))
        });
        let Some(row) = row else {
            // An operand, or a flag with its value attached.
            if word.starts_with('-') || !is_test {
                kept.push(word);
            }
            continue;
        };
        let takes_more = row.takes != crate::flags::Takes::Nothing && !word.contains('=');
        let value = if takes_more { words.next() } else { None };
        let is_about_this_run = ["--wave-size", "--format", "--jobs", "--filter", "--worker"]
            .iter()
            .any(|it| row.names.contains(it));
        if row.on.contains(&Command::San) && !is_about_this_run {
            kept.push(word);
            kept.extend(value);
        }
    }
    kept
}

/// Where disagreements are written to.
struct Files {
    /// The file that the command line names, for the first one.
    wanted: Option<String>,
    written: usize,
}

impl Files {
    /// Writes a text, and gives the file's name.
    fn write(&mut self, name: &str, width: u32, text: &str) -> Result<String, Problem> {
        let file = self.name(name, width, &|it| Path::new(it).exists());
        if Path::new(&file).exists() {
            terminal::note(&format!("`{file}` is overwritten"));
        }
        self.written += 1;
        let text =
            text.replacen(repro::PLACEHOLDER, &format!("wavelane diff {}", quoted(&file)), 1);
        std::fs::write(&file, text)
            .map_err(|error| Problem::input(format!("`{file}` cannot be written: {error}")))?;
        Ok(file)
    }

    /// The name that was asked for; with a number for each further one. Without one, a name that is free.
    fn name(&self, name: &str, width: u32, exists: &dyn Fn(&str) -> bool) -> String {
        if let Some(wanted) = &self.wanted {
            let (stem, ending) = wanted.rsplit_once('.').unwrap_or((wanted, "test"));
            return match self.written {
                0 => wanted.clone(),
                number => format!("{stem}-{}.{ending}", number + 1),
            };
        }
        let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
        let stem: String =
            last.replace(".hlsl", "").replace(".test", "").chars().map(plain).collect();
        let stem = format!("diff-{}-{width}", stem.trim_matches('-'));
        let names = (2..).map(|number| format!("{stem}-{number}.test"));
        let mut names = std::iter::once(format!("{stem}.test")).chain(names);
        names.find(|it| !exists(it)).unwrap_or_else(|| unreachable!("numbers do not end"))
    }
}
