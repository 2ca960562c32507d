//! `wavelane diff`: runs programs on several engines, compares what they leave, and says whose mistake a difference is.
//!
//! Every engine is compared with the reference engine at the engine's own width. Where one differs, the sanitizer is
//! asked first: what the language does not define, or leaves open, is not an engine's mistake. For a disagreement, the
//! first value that differs is searched for, and a small `.test` file that shows it is written.
//!
//! Programs are compared in separate processes, because a driver can crash the process that runs a program on it.

mod drawn;
mod judge;
mod locate;
#[cfg(test)]
mod planted;
mod pool;
mod record;
mod repro;
mod run;
mod sequence;
mod show;
mod subject;

use std::path::Path;

use crate::args::Line;
use crate::asked::{DrawArgs, LowArgs, Sanitizing};
use crate::auto::Auto;
use crate::command::Command;
use crate::common::Common;
use crate::fitting::{self, Running};
use crate::problem::{End, Exit, Problem, quoted};
use crate::side::{self, Side, Wanted};
use crate::{terminal, testing};
use judge::Told;
use pool::Work;
use record::{Record, Repro};

/// What `diff` needs.
#[derive(Clone)]
pub(crate) struct DiffArgs {
    common: Common,
    /// What is drawn, instead of a dispatch.
    draw: Option<DrawArgs>,
    san: Sanitizing,
    /// The engines, as they were written.
    engines: Option<String>,
    /// Another compiler's module of the same shader.
    module: Option<String>,
    /// The file to which a disagreement is written.
    repro: Option<String>,
}

impl DiffArgs {
    pub(crate) fn new(low: LowArgs, line: Line) -> DiffArgs {
        let common = Common::new(&low, line);
        let LowArgs { draw, san, engines, module, repro, .. } = low;
        let draw = draw.asked();
        DiffArgs { common, draw, san, engines, module, repro }
    }
}

impl DiffArgs {
    fn wanted(&self) -> Wanted<'_> {
        let (engines, module) = (self.engines.as_deref(), self.module.as_deref());
        Wanted { engines, module, device: &self.common.device }
    }
}

pub(crate) fn diff(args: DiffArgs) -> Result<Exit, End> {
    let sides = side::open(args.wanted())?;
    if args.common.is_worker {
        return pool::serve(&args, &sides);
    }
    match args.draw {
        Some(_) => fitting::check(&args.common.line, Running::Draw)?,
        None => fitting::check_undrawn(&args.common.line)?,
    }
    let (mut records, auto) = compared(&args, &sides)?;
    let mut files = Files { wanted: args.repro.clone(), written: 0 };
    for record in &mut records {
        if let Some(Repro::Text { text, about }) = &record.repro {
            let file = files.write(&record.name, record.width, text)?;
            record.repro = Some(Repro::File { file, about: about.clone() });
        }
    }
    show::show(&args, &sides, &records, auto.as_ref())?;
    Ok(show::exit(&sides, &records))
}

/// All comparisons, and the bindings that were made up for them.
fn compared(args: &DiffArgs, sides: &[Side]) -> Result<(Vec<Record>, Option<Auto>), End> {
    if testing::holds_tests(&args.common.operands)? {
        let found = testing::select(
            &args.common.select,
            testing::find(&args.common.operands, Command::Diff)?,
        )?;
        let found = found.tests;
        if let (Some(file), [_, _, ..]) = (&args.module, found.as_slice()) {
            let what = format!("`{file}` is one program, and the operands hold {}", found.len());
            return Err(Problem::input(what)
                .help("name one shader, or one case: FILE::CASE")
                .into());
        }
        let said_by_the_test = [
            ("--bind", !args.common.bind.binds.is_empty()),
            ("--set", !args.common.bind.sets.is_empty()),
            ("--counter", !args.common.bind.counters.is_empty()),
            ("--auto", args.common.bind.auto.is_some()),
            ("--groups", args.common.launch.groups != [1; 3]),
            ("--draw", args.draw.is_some()),
        ];
        if let Some((flag, _)) = said_by_the_test.iter().find(|(_, is_given)| *is_given) {
            let problem = Problem::input(format!("`{flag}` is for shaders, and tests are named"));
            return Err(problem.help("a test specifies its own bindings").into());
        }
        let work: Vec<Work> = found.into_iter().map(Work::Test).collect();
        return Ok((pool::run(args, &work)?, None));
    }
    if !args.common.select.filters.is_empty() {
        return Err(Problem::input("`--filter` is for tests, and a shader is named").into());
    }
    // Mistakes in the shader or its bindings are reported here, with their locations.
    let (item, auto) = subject::of_command(args)?;
    if let Some(auto) = &auto {
        terminal::note(&auto.told());
    }
    let file = args.common.operand.clone()?;
    if file != "-" {
        return Ok((pool::run(args, &[Work::Shader(file)])?, auto));
    }
    // Standard input is read once, so this process does the work.
    let mut records: Vec<Record> = Vec::new();
    pool::one(args, sides, &item, terminal::style(), &mut 0, &mut |told| match told {
        Told::Record(record) => records.push(*record),
        Told::Repro(repro) => {
            if let Some(last) = records.last_mut() {
                last.repro = Some(pool::repro_of(repro));
            }
        }
    });
    Ok((records, auto))
}

/// The words that give `wavelane san` the program that this command line gives `diff`, except for widths, which are
/// added to it.
fn san_words(line: &Line, test: Option<&str>) -> Vec<String> {
    let mut kept = vec![Command::San.name().to_owned()];
    kept.extend(test.map(str::to_owned));
    kept.extend(line.for_command(Command::San, test.is_some()));
    kept
}

/// The files to which disagreements are written.
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

    /// The requested name, with a number for each further file; without one, an unused name.
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
