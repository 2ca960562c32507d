//! `wavelane test`: finds tests, runs them in processes beside this one, and reports.
//!
//! A test that crashes, eats the memory or never ends takes its process with it, and nothing else: the report says so and
//! the next test gets a fresh process. A process serves many tests, so that isolation costs almost nothing.

mod baseline;
mod formats;
mod pool;
mod record;
mod report;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use jobs::{Api, Test};

use crate::args::{Args, Command, Output};
use crate::problem::{Exit, Problem};
use crate::run::watch::Watch;
use crate::{End, terminal};
use record::Record;

pub(crate) use formats::xml;
pub(crate) use pool::{Answered, PATIENCE, Worker, ask, flags_to_repeat, in_processes};
pub(crate) use record::read_lines;
pub(crate) use report::{Format, write};
pub(crate) use worker::{Beside, LastFile, asked_for, flags_of, limit_memory, setup};

/// What `test` asks for; `san` shares the baselines, the filters and the features.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestArgs {
    pub(crate) jobs: Option<usize>,
    pub(crate) partition: Option<Partition>,
    pub(crate) baseline: Option<PathBuf>,
    pub(crate) write_baseline: Option<PathBuf>,
    pub(crate) filters: Vec<String>,
    pub(crate) list: bool,
    pub(crate) show_features: bool,
    pub(crate) api: Api,
    pub(crate) format: Format,
    /// This process runs, or examines, the tests that it is told of on its standard input.
    pub(crate) is_worker: bool,
}

/// One of several parts of the tests; `of` parts, `index` from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    by: By,
    index: u64,
    of: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// By the name alone: a test stays in its part when others come and go.
    Hash,
    /// Every n-th test.
    Count,
}

impl Partition {
    /// `hash:M/N` or `count:M/N`.
    pub(crate) fn parse(text: &str) -> Result<Partition, String> {
        let form = "the form is hash:M/N or count:M/N, M from 1 to N";
        let (by, rest) = text.split_once(':').ok_or(form)?;
        let by = match by {
            "hash" => By::Hash,
            "count" | "slice" => By::Count,
            _ => return Err(form.to_owned()),
        };
        let (index, of) = rest.split_once('/').ok_or(form)?;
        let (index, of) = (index.parse().map_err(|_| form)?, of.parse().map_err(|_| form)?);
        if index == 0 || index > of {
            Err(form.to_owned())
        } else {
            Ok(Partition { by, index, of })
        }
    }

    fn holds(self, position: usize, name: &str) -> bool {
        let number = match self.by {
            By::Count => position as u64,
            By::Hash => hash(name),
        };
        number % self.of == self.index - 1
    }
}

/// The FNV-1a hash: the same on every machine and in every version.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

pub(crate) fn test(args: Args) -> Result<Exit, End> {
    let device = crate::caps::device(&args)?;
    let features = jobs::features(device.adapter(), args.test.api);
    if args.test.is_worker {
        return worker::serve(&args, &device, &features);
    }
    if args.test.show_features {
        let names: Vec<&str> = features.iter().map(String::as_str).collect();
        terminal::print(&format!("{}\n", names.join("\n")))?;
        return Ok(Exit::Fine);
    }
    // The first process starts while the tests are looked for.
    let first = if args.test.list { None } else { Some(Worker::start()?) };
    let tests = select(&args, find(&args)?)?;
    if args.test.list {
        let names: Vec<String> = tests.iter().map(|it| format!("{}\n", it.name())).collect();
        terminal::print(&names.concat())?;
        return Ok(Exit::Fine);
    }
    let known = match &args.test.baseline {
        Some(file) => baseline::read(file)?,
        None => baseline::Baseline::default(),
    };
    let records = pool::run(&args, &tests, first)?;
    if let Some(file) = &args.test.write_baseline {
        baseline::write(file, &records)?;
    }
    write(&records, &known, args.test.format, &mut terminal::out())?;
    Ok(exit(&records, &known))
}

/// Whether `wavelane run` is to take that file as a job: it says itself what is bound and what must come out.
pub(crate) fn is_job(operand: &str) -> bool {
    let path = operand.split_once("::").map_or(operand, |(path, _)| path);
    [".test", ".yaml", ".yml"].iter().any(|ending| path.ends_with(ending))
        || operand.contains(".hlsl::")
}

/// `wavelane run` with a job: in this process, with what the buffers hold at the end.
pub(crate) fn run_job(args: &Args) -> Result<Exit, End> {
    refuse_flags_of_shaders(args, args.operand()?)?;
    let device = crate::caps::device(args)?;
    let features = jobs::features(device.adapter(), args.test.api);
    let tests = find(args)?;
    let mut watch = Watch::start(args.timeout, 0);
    let all = worker::here(args, &device, &features, &tests, &watch.cancel)?;
    watch.stop();
    let is_late = watch.cancel.load(Ordering::Relaxed);
    let mut records = Vec::new();
    let mut shown = String::new();
    for (test, outcomes) in tests.iter().zip(all) {
        let several = outcomes.len() > 1;
        for mut outcome in outcomes {
            // What failed before has a reason of its own.
            if let Some(timeout) = args.timeout
                && is_late
                && outcome.message == "the run was cancelled"
            {
                outcome.message = pool::late(timeout);
            }
            if several && !outcome.output.is_empty() {
                shown.push_str(&format!("# waves of {} lanes\n", outcome.width));
            }
            shown.push_str(&outcome.output);
            let command = pool::command("run", test, outcome.width, &flags_to_repeat());
            records.push(Record { test: test.name(), file: test.file.clone(), outcome, command });
        }
    }
    // A report for a machine stands alone.
    let format = match args.output {
        Output::Text => Format::Text,
        Output::Json => Format::Json,
        Output::Github => Format::Github,
        Output::Sarif => Format::Sarif,
        Output::Junit => Format::Junit,
    };
    if format == Format::Text {
        terminal::print(&shown)?;
    }
    let known = baseline::Baseline::default();
    write(&records, &known, format, &mut terminal::out())?;
    Ok(exit(&records, &known))
}

/// What a job says itself, the command line cannot say.
pub(crate) fn refuse_flags_of_shaders(args: &Args, job: &str) -> Result<(), Problem> {
    let said_by_the_job = [
        ("--bind", !args.binds.is_empty()),
        ("--set", !args.sets.is_empty()),
        ("--counter", !args.counters.is_empty()),
        ("--groups", args.groups != [1; 3]),
        ("--print", !args.prints.is_empty()),
        ("--out", !args.outs.is_empty()),
    ];
    if let Some((flag, _)) = said_by_the_job.iter().find(|(_, is_given)| *is_given) {
        let what = format!("`{flag}` is for shaders, and `{job}` is a job");
        let shown = match args.command {
            Command::Run => "; all its buffers are printed",
            _ => "",
        };
        let help = format!("a job says itself what is bound and how many groups run{shown}");
        return Err(Problem::input(what).help(help));
    }
    Ok(())
}

/// What the exit status says about records.
pub(crate) fn exit(records: &[Record], known: &baseline::Baseline) -> Exit {
    let is = |verdict| move |it: &&Record| it.outcome.verdict == verdict;
    let failed = records.iter().filter(is(jobs::Verdict::Failed));
    if failed.clone().any(|it| !known.expects(it)) {
        return Exit::Findings;
    }
    let passed = records.iter().filter(is(jobs::Verdict::Passed)).count();
    // What cannot be run is no pass: where nothing else happened, nothing was shown.
    if passed == 0 && failed.count() == 0 && !records.is_empty() {
        return Exit::Unsupported;
    }
    Exit::Fine
}

/// All tests below the operands, in a fixed order.
pub(crate) fn find(args: &Args) -> Result<Vec<Test>, Problem> {
    if args.operands.is_empty() {
        return Err(Problem::input(format!("`wavelane {}` needs PATH…", args.command.name())).help(
            "a `.test` file, a `job.yaml`, an `.hlsl` file with test cases, or a folder of them",
        ));
    }
    let mut tests = Vec::new();
    for operand in &args.operands {
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
                    "a file of cases includes <wavelane.hlsli> and says TEST_CASE(name) { … }"
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

/// The tests of a file, or of all files below a folder.
fn below(path: &Path) -> Result<Vec<Test>, Problem> {
    let cannot = |path: &Path, error: std::io::Error| {
        Problem::input(format!("`{}` cannot be read: {error}", path.display()))
    };
    let mut files = Vec::new();
    let mut open = vec![path.to_path_buf()];
    while let Some(found) = open.pop() {
        let is_operand = found == path;
        // A link may lead to a folder above: only the operand itself is followed.
        let is_link = found.is_symlink() && !is_operand;
        let path = found;
        if path.is_dir() {
            if is_link {
                continue;
            }
            let entries = std::fs::read_dir(&path).map_err(|error| cannot(&path, error))?;
            for entry in entries {
                open.push(entry.map_err(|error| cannot(&path, error))?.path());
            }
        } else if is_operand || path.is_file() {
            files.push((path, is_operand));
        }
    }
    files.sort();
    let mut tests = Vec::new();
    for (file, is_operand) in files {
        let ending = file.extension().and_then(|it| it.to_str()).unwrap_or("");
        if !matches!(ending, "test" | "yaml" | "yml" | "hlsl") {
            continue;
        }
        let name = file.to_string_lossy().replace('\\', "/");
        let text = match crate::files::read_path(&file) {
            Ok(text) => text,
            Err(error) if is_operand => return Err(cannot(&file, error)),
            // It fails by itself, and whoever runs it says why.
            Err(_) => {
                tests.push(Test { file: name, case: None });
                continue;
            }
        };
        let Ok(found) = jobs::tests(&name, &text) else { continue };
        match file.to_str() {
            Some(_) => tests.extend(found),
            // No name leads to it again, so that it fails as a whole.
            None => tests.push(Test { file: name, case: None }),
        }
    }
    Ok(tests)
}

/// The tests that the flags and the environment leave.
pub(crate) fn select(args: &Args, tests: Vec<Test>) -> Result<Vec<Test>, Problem> {
    let filters = &args.test.filters;
    let wanted = |it: &Test| {
        filters.is_empty() || filters.iter().any(|filter| it.name().contains(filter.as_str()))
    };
    let tests: Vec<Test> = tests.into_iter().filter(wanted).collect();
    let partition = match args.test.partition {
        Some(partition) => Some(partition),
        None => shard(|name| std::env::var(name).ok()).map_err(Problem::input)?,
    };
    let Some(partition) = partition else { return Ok(tests) };
    let each = tests.into_iter().enumerate();
    Ok(each.filter(|(i, it)| partition.holds(*i, &it.name())).map(|(_, it)| it).collect())
}

/// The part that the environment asks for, as LLVM's test runner has it, for scripts that split its tests.
fn shard(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Partition>, String> {
    let number = |name: &str| {
        let text = variable(name).filter(|it| !it.is_empty());
        let number = text.as_ref().map(|it| it.trim().parse::<u64>());
        number.transpose().map_err(|_| {
            format!("{name} is `{}`, which is no whole number", text.unwrap_or_default())
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

    #[test]
    fn partitions_are_disjoint_and_complete() {
        for by in ["hash", "count"] {
            let parts: Vec<Partition> =
                (1..=3).map(|i| Partition::parse(&format!("{by}:{i}/3")).unwrap()).collect();
            for position in 0..100 {
                let name = format!("test-{position}");
                let holds = parts.iter().filter(|it| it.holds(position, &name)).count();
                assert_eq!(holds, 1, "{by} {name}");
            }
        }
        for text in ["hash:0/3", "hash:4/3", "hash:1", "3", "slot:1/2"] {
            assert!(Partition::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_hash_never_changes() {
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
    }
}
