//! `san --auto` with folders: every compute shader of every `.hlsl` file below them, each with made-up bindings.
//!
//! Files with test cases say themselves what is bound, and are examined as tests. What a file needs beside it, such as
//! include paths and macros, the flags say for all.

use std::path::{Path, PathBuf};

use jobs::Test;
use wavelane::{Level, Shader};

use super::SanArgs;
use super::record::{Examined, Stop};
use super::subject::{self, Subject};
use crate::asked::{Compiling, Fuel, Launch};
use crate::compile::{self, Compiled};
use crate::problem::{Exit, Problem};
use crate::value::counted;

/// What a process is asked to examine.
pub(super) enum Work {
    Test(Test),
    /// A compute shader of a file.
    Entry {
        file: String,
        entry: String,
    },
}

impl Work {
    pub(super) fn name(&self) -> String {
        match self {
            Work::Test(test) => test.name(),
            Work::Entry { file, entry } => name(file, entry),
        }
    }
}

/// What there is below the operands, and what cannot be examined.
pub(super) struct Walk {
    pub(super) work: Vec<Work>,
    pub(super) skipped: Vec<Examined>,
}

fn name(file: &str, entry: &str) -> String {
    format!("{file}:{entry}")
}

/// Whether the operands are to be walked through, rather than being one shader.
pub(super) fn is_asked_for(args: &SanArgs) -> bool {
    let is_folder = |it: &String| Path::new(it).is_dir();
    args.bind.auto.is_some() && (args.operands.len() > 1 || args.operands.iter().any(is_folder))
}

/// Finds everything that is to be examined.
pub(super) fn find(args: &SanArgs) -> Result<Walk, Problem> {
    let mut walk = Walk { work: Vec::new(), skipped: Vec::new() };
    for file in files(&args.operands)? {
        let text = match crate::files::read_path(&file) {
            Ok(text) => text,
            Err(error) => {
                let name = shown(&file);
                let why = format!("it cannot be read: {error}");
                walk.skipped.push(skipped(name, Exit::BadInput, why));
                continue;
            }
        };
        let name = shown(&file);
        if let Ok(tests) = jobs::tests(&name, &text) {
            walk.work.extend(tests.into_iter().map(Work::Test));
            continue;
        }
        let (entries, compiled) = match compile::compute_entries(&name, &args.compile) {
            Ok(read) => read,
            Err(problem) => {
                walk.skipped.push(Examined::Skipped { name, stop: subject::stop(problem) });
                continue;
            }
        };
        match why_not(&compiled) {
            Some(stop) => walk.skipped.push(Examined::Skipped { name, stop }),
            None => walk
                .work
                .extend(entries.into_iter().map(|entry| Work::Entry { file: name.clone(), entry })),
        }
    }
    let is_wanted = |name: &str| {
        let filters = &args.select.filters;
        filters.is_empty() || filters.iter().any(|it| name.contains(it.as_str()))
    };
    walk.work.retain(|it| is_wanted(&it.name()));
    walk.skipped.retain(|it| matches!(it, Examined::Skipped { name, .. } if is_wanted(name)));
    if walk.work.is_empty() && walk.skipped.is_empty() {
        let what = format!("there is no compute shader in `{}`", args.operands.join("`, `"));
        return Err(Problem::input(what).help("compute shaders are functions with `[numthreads]`"));
    }
    Ok(walk)
}

fn skipped(name: String, exit: Exit, why: String) -> Examined {
    Examined::Skipped { name, stop: Stop { exit, why } }
}

fn shown(file: &Path) -> String {
    file.to_string_lossy().replace('\\', "/")
}

/// The `.hlsl` files below the operands, in a fixed order; an operand that is a file counts whatever its name.
fn files(operands: &[String]) -> Result<Vec<PathBuf>, Problem> {
    let mut files = Vec::new();
    for operand in operands {
        let mut open = vec![PathBuf::from(operand)];
        while let Some(path) = open.pop() {
            let is_operand = path == Path::new(operand);
            let cannot = |error: std::io::Error| {
                Problem::input(format!("`{}` cannot be read: {error}", path.display()))
            };
            if path.is_dir() {
                // A link may lead to a folder above.
                if path.is_symlink() && !is_operand {
                    continue;
                }
                for entry in std::fs::read_dir(&path).map_err(cannot)? {
                    open.push(entry.map_err(cannot)?.path());
                }
            } else if is_operand || path.extension().is_some_and(|it| it == "hlsl") {
                files.push(path);
            }
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// The first error of a compilation that has any.
fn why_not(compiled: &Compiled) -> Option<Stop> {
    let problem = compiled.problem()?;
    let worst = if problem.exit == Exit::BadInput { Level::Error } else { Level::Unsupported };
    let first = compiled.diagnostics.iter().find(|it| it.level == worst);
    let why = match first {
        Some(first) => match compiled.sources.location(first.primary.span) {
            Some(at) => format!("{}:{}:{}: {}", at.file, at.line, at.column, first.message),
            None => first.message.clone(),
        },
        None => problem.message,
    };
    let others = compiled.count(worst).saturating_sub(1);
    let more = match others {
        0 => String::new(),
        _ => format!(" (and {})", counted(others, "more error")),
    };
    Some(Stop { exit: problem.exit, why: format!("{why}{more}") })
}

/// A run of a walk ends after so many wave-instructions, where nothing else is asked for: it is one of thousands.
const FUEL: u64 = 1 << 22;

/// Examines a compute shader of a file.
pub(super) fn examine(args: &SanArgs, file: &str, entry: &str) -> Result<Box<Subject>, Stop> {
    let mut compiling: Compiling = args.compile.clone();
    entry.clone_into(&mut compiling.options.entry);
    let compiled = compile::compile(file, &compiling, Shader::compile).map_err(subject::stop)?;
    if let Some(stop) = why_not(&compiled) {
        return Err(stop);
    }
    let Compiled { shader: Some(shader), sources, .. } = compiled else {
        return Err(subject::stop(Problem::bug(
            "a compilation gave neither a shader nor an error",
        )));
    };
    let fuel = match args.launch.fuel {
        Fuel::Usual => Fuel::Of(FUEL),
        given @ (Fuel::Of(_) | Fuel::Endless) => given,
    };
    let launch = Launch { fuel, ..args.launch.clone() };
    let examined = subject::compiled(args, &launch, name(file, entry), shader, sources);
    examined.map(Box::new).map_err(subject::stop)
}

/// The words that examine that shader alone.
pub(super) fn words(args: &SanArgs, file: &str, entry: &str) -> Vec<String> {
    let mut words = vec!["san".to_owned(), file.to_owned(), "-E".to_owned(), entry.to_owned()];
    words.extend(args.line.to_repeat());
    words
}
