//! Tests for the commands that run them: finds them below the operands, selects those that run, and prepares what each
//! runs with.

use std::path::{Path, PathBuf};

use jobs::{Features, Files, Flags, Setup, Test, TestFile, Widths};
use serde_json::Value;
use wavelane::internal::diag;
use wavelane::{Device, Includer};

use crate::args::{self, Request};
use crate::asked::{Binds, By, Compiling, Launch, Part, Partition, Selecting, WaveSizes, hash};
use crate::command::Command;
use crate::compile::flags_of;
use crate::files::{Folders, Roots, read_named, read_source};
use crate::operand;
use crate::problem::Problem;
use crate::value::counted;
use crate::walk;

/// Whether the operands name tests, rather than one shader with the buffers of the command line.
pub(crate) fn holds_tests(operands: &[String]) -> Result<bool, Problem> {
    let [file] = operands else { return Ok(!operands.is_empty()) };
    // Standard input can be read only once.
    if file == "-" {
        return Ok(false);
    }
    if Path::new(file).is_dir() || (file.contains("::") && !Path::new(file).exists()) {
        return Ok(true);
    }
    let (_, text) = read_source(file)?;
    // A job file without a test in it is refused as one.
    Ok(operand::is_job(file) || jobs::tests(file, &text).is_ok())
}

/// Refuses flags for what a job specifies itself, and those that `more` names.
pub(crate) fn refuse_flags_of_shaders(
    bind: &Binds,
    launch: &Launch,
    more: &[(&str, bool)],
    job: &str,
    remedy: &str,
) -> Result<(), Problem> {
    let said_by_the_job = [
        ("--bind", !bind.binds.is_empty()),
        ("--set", !bind.sets.is_empty()),
        ("--counter", !bind.counters.is_empty()),
        ("--alias", !bind.aliases.is_empty()),
        ("--auto", bind.auto.is_some()),
        ("--groups", launch.groups != [1; 3]),
    ];
    if let Some((flag, _)) = said_by_the_job.iter().chain(more).find(|(_, is_given)| *is_given) {
        let what = format!("`{flag}` is for shaders, and `{job}` is a job");
        let help = format!("a job specifies its bindings and how many groups run{remedy}");
        return Err(Problem::input(what).help(help));
    }
    Ok(())
}

/// All tests below the operands, in a fixed order.
pub(crate) fn find(operands: &[String], command: Command) -> Result<Vec<Test>, Problem> {
    if operands.is_empty() {
        return Err(Problem::input(format!("`wavelane {}` needs PATH…", command.name())).help(
            "a `.test` file, a `job.yaml`, an `.hlsl` file with test cases, or a folder of them",
        ));
    }
    let mut tests = Vec::new();
    for operand in operands {
        let (path, case) = match operand.split_once("::") {
            Some((path, case)) if !Path::new(operand).exists() => (path, Some(case)),
            _ => (operand.as_str(), None),
        };
        let found = below(Path::new(path))?;
        let wanted =
            |it: &Test| case.is_none_or(|case| it.case.as_ref().is_some_and(|it| it.name == case));
        let before = tests.len();
        tests.extend(found.into_iter().filter(wanted));
        if tests.len() == before {
            let problem = Problem::input(format!("there is no test in `{operand}`"));
            let help = match Path::new(path).extension().and_then(|it| it.to_str()) {
                Some("hlsl") => {
                    "a file of cases includes <wavelane.hlsli> and declares TEST_CASE(name) { … }"
                }
                Some("yaml" | "yml") => {
                    "a job has lines `Shaders:`, `Buffers:` and `DescriptorSets:`"
                }
                _ => "tests are `.test` files, jobs in YAML, and `.hlsl` files with cases",
            };
            return Err(problem.help(help));
        }
    }
    Ok(tests)
}

/// The tests of files, some of which may hold none, but not all.
pub(crate) fn find_among(files: &[String]) -> Result<Vec<Test>, Problem> {
    let mut tests = Vec::new();
    for file in files {
        tests.extend(below(Path::new(file))?);
    }
    match tests.is_empty() {
        true => Err(Problem::input("there is no test in `files` of the project file")
            .help("tests are `.test` files, jobs in YAML, and `.hlsl` files with cases")),
        false => Ok(tests),
    }
}

/// The tests of a file, or of all files below a folder.
fn below(path: &Path) -> Result<Vec<Test>, Problem> {
    path.metadata().map_err(|error| walk::unreadable(path, &error))?;
    let mut tests = Vec::new();
    for (file, is_operand) in walk::below(path)? {
        let ending = file.extension().and_then(|it| it.to_str()).unwrap_or("");
        if !matches!(ending, "test" | "yaml" | "yml" | "hlsl") {
            continue;
        }
        let name = file.to_string_lossy().replace('\\', "/");
        let text = match crate::files::read_path(&file) {
            Ok(text) => text,
            Err(error) if is_operand => return Err(walk::unreadable(&file, &error)),
            // The worker that runs it reports why it fails.
            Err(_) => {
                tests.push(Test { file: name, case: None });
                continue;
            }
        };
        let Ok(found) = jobs::tests(&name, &text) else { continue };
        match file.to_str() {
            Some(_) => tests.extend(found),
            // Its name cannot be given to a worker, so it fails as a whole.
            None => tests.push(Test { file: name, case: None }),
        }
    }
    Ok(tests)
}

/// The tests that run, and which part of all tests they are.
pub(crate) struct Selected {
    pub(crate) tests: Vec<Test>,
    pub(crate) part: Option<Part>,
}

/// The tests that the flags and the environment select. A filter that matches none is an error; a part may be empty.
pub(crate) fn select(args: &Selecting, tests: Vec<Test>) -> Result<Selected, Problem> {
    let count = tests.len();
    for entry in &args.entries {
        if !tests.iter().any(|it| is_of_entry(it, entry)) {
            let what =
                format!("none of {} is of the entry point `{entry}`", counted(count, "test"));
            let cases = tests.iter().filter_map(|it| it.case.as_ref().map(|it| it.name.as_str()));
            let problem = Problem::input(what);
            return Err(match diag::most_similar(entry, cases) {
                Some(meant) => problem.help(format!("did you mean `{meant}`?")),
                None => problem,
            });
        }
    }
    for filter in &args.filters {
        if !tests.iter().any(|it| it.name().contains(filter.as_str())) {
            let what = format!("none of {} has `{filter}` in its name", counted(count, "test"));
            return Err(Problem::input(what).help("`wavelane test PATH… --list` shows the names"));
        }
    }
    let wanted = |it: &Test| {
        let is_named = |filter: &String| it.name().contains(filter.as_str());
        (args.filters.is_empty() || args.filters.iter().any(is_named))
            && (args.entries.is_empty() || args.entries.iter().any(|entry| is_of_entry(it, entry)))
    };
    let tests: Vec<Test> = tests.into_iter().filter(wanted).collect();
    if tests.is_empty() && count > 0 {
        let what = format!("the filters together leave none of {}", counted(count, "test"));
        return Err(Problem::input(what));
    }
    let partition = match args.partition {
        Some(partition) => Some(partition),
        None => shard(|name| std::env::var(name).ok()).map_err(Problem::input)?,
    };
    let Some(partition) = partition else { return Ok(Selected { tests, part: None }) };
    let names: Vec<String> = tests.iter().map(Test::name).collect();
    let part = Part { partition, of_tests: names.len(), whole: hash(&names.join("\n")) };
    let each = tests.into_iter().zip(&names).enumerate();
    let held = each.filter(|(i, (_, name))| partition.holds(*i, name));
    let tests = held.map(|(_, (test, _))| test).collect();
    Ok(Selected { tests, part: Some(part) })
}

/// Whether a test is of that entry point: a case of that name, or a job that names it.
fn is_of_entry(test: &Test, entry: &str) -> bool {
    if let Some(case) = &test.case {
        return case.name == entry;
    }
    let Ok(text) = crate::files::read_path(Path::new(&test.file)) else { return false };
    let named = text.split("Entry:").skip(1).map(str::trim_start);
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    named.filter_map(|it| it.split(|it| !is_word(it)).next()).any(|it| it == entry)
}

/// The part that the environment selects, with the variables of LLVM's test runner, for scripts that split its tests.
fn shard(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Partition>, String> {
    let number = |name: &str| {
        let text = variable(name).filter(|it| !it.is_empty());
        let number = text.as_ref().map(|it| it.trim().parse::<u64>());
        number.transpose().map_err(|_| {
            format!("{name} is `{}`, which is not an integer", text.unwrap_or_default())
        })
    };
    match (number("LIT_NUM_SHARDS")?, number("LIT_RUN_SHARD")?) {
        (None, None) => Ok(None),
        (Some(of), Some(index)) if index == 0 || index > of => {
            Err(format!("LIT_RUN_SHARD is {index}, of {of} shards by LIT_NUM_SHARDS"))
        }
        (Some(of), Some(index)) => Ok(Some(Partition { by: By::Count, index, of })),
        (Some(_), None) => Err("LIT_NUM_SHARDS is set, and LIT_RUN_SHARD is not".to_owned()),
        (None, Some(_)) => Err("LIT_RUN_SHARD is set, and LIT_NUM_SHARDS is not".to_owned()),
    }
}

/// The requested widths, as tests take them.
pub(crate) fn widths_of(launch: &Launch) -> Widths {
    match &launch.wave_sizes {
        WaveSizes::Default => Widths::Default,
        WaveSizes::All => Widths::All,
        WaveSizes::List(list) => Widths::List(list.clone()),
    }
}

/// The name of a run of a test, by its number if there are several.
pub(crate) fn run_name(test: &Test, number: Option<usize>) -> String {
    match number {
        Some(number) => format!("{} run {number}", test.name()),
        None => test.name(),
    }
}

/// How tests are run in a process that is not cancelled.
pub(crate) fn setup<'a>(
    launch: &Launch,
    device: &'a Device,
    features: &'a Features,
    widths: &'a Widths,
    flags: &'a Flags,
    fuel: &'a dyn Fn(u32) -> Option<u64>,
) -> Setup<'a> {
    Setup {
        device,
        features,
        widths,
        read_flags: &read_flags,
        flags,
        lane_order: launch.lane_order,
        schedule: launch.schedule,
        fuel,
        cancel: None,
        golden: None,
        print_limit: launch.print_limit,
        wants_output: false,
        on_engine: None,
    }
}

/// The file of tests that was read last: its tests come one after the other, and it is read and compiled once for all.
#[derive(Default)]
pub(crate) struct LastFile(Option<TestFile>);

impl LastFile {
    /// The file of that name.
    pub(crate) fn read(&mut self, file: &str) -> Result<&TestFile, Problem> {
        let known = self.0.take().filter(|it| it.name() == file);
        let read = match known {
            Some(known) => known,
            None => {
                let (name, text) = read_source(file).map_err(|it| unreadable(file, it))?;
                TestFile::new(name, text)
            }
        };
        Ok(self.0.insert(read))
    }
}

/// Why a file that was found cannot be read.
fn unreadable(file: &str, problem: Problem) -> Problem {
    // Bytes that are not Unicode were replaced when the file was found.
    if !file.contains(char::REPLACEMENT_CHARACTER) {
        return problem;
    }
    Problem::input(format!("the name of `{file}` is not valid Unicode; rename the file"))
}

/// The test of a file that a request names: the whole file, or one case of it.
pub(crate) fn asked_for<'a>(request: &Value, file: &'a TestFile) -> Option<&'a Test> {
    file.test(request["case"].as_str())
}

/// Flags of a `RUN:` line mean what they mean on the command line of `dxc`, whose outputs do not affect a run.
pub(crate) fn read_flags(words: &[String]) -> Result<Flags, String> {
    let line = ["wavelane", "dxc"].into_iter().map(str::to_owned).chain(words.iter().cloned());
    match args::parse(line.map(Into::into)) {
        Ok(Request::Work(args, _)) => Ok(flags_of(&args.compile)),
        Ok(Request::Help(..) | Request::Version) => Err("they ask for help".to_owned()),
        Err(problem) => Err(problem.message),
    }
}

/// Files beside the test.
pub(crate) struct Beside {
    roots: Roots,
    ignore_case: bool,
}

impl Beside {
    pub(crate) fn of(args: &Compiling) -> Beside {
        Beside { roots: args.include_roots.clone(), ignore_case: args.ignore_case_includes }
    }
}

impl Files for Beside {
    fn read(&mut self, path: &str, test: &str) -> Option<String> {
        let file = Path::new(test).parent().unwrap_or(Path::new("")).join(path);
        read_named(&file, &self.roots)
    }

    fn bytes(&mut self, path: &str, test: &str) -> Option<Vec<u8>> {
        let file = Path::new(test).parent().unwrap_or(Path::new("")).join(path);
        crate::files::read_bytes_named(&file, &self.roots)
    }

    fn includer(&mut self, includes: &[String]) -> Box<dyn Includer> {
        Box::new(Folders {
            folders: includes.iter().map(PathBuf::from).collect(),
            roots: self.roots.clone(),
            ignore_case: self.ignore_case,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_of_the_environment_are_read_or_refused() {
        let shard = |of: &'static str, index: &'static str| {
            shard(|name| {
                let value = if name == "LIT_NUM_SHARDS" { of } else { index };
                (value != "unset").then(|| value.to_owned())
            })
        };
        assert_eq!(shard("unset", "unset"), Ok(None));
        assert_eq!(shard("3", "2").unwrap().map(|it| (it.index, it.of)), Some((2, 3)));
        for (of, index) in [("3", "0"), ("3", "4"), ("x", "1"), ("3", "-1"), ("3", "unset")] {
            assert!(shard(of, index).is_err(), "{of} {index}");
        }
        assert!(shard("unset", "1").is_err());
    }
}
