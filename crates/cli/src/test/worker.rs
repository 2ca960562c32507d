//! The process that runs tests: it reads which on standard input and writes how they end on standard output.

use std::cell::RefCell;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jobs::{Features, Files, Flags, Setup, Test, TestFile, Widths};
use serde_json::{Value, json};
use wavelane::{Device, Includer};

use super::record::outcome_to_json;
use crate::args::{self, Args, Request, WaveSizes};
use crate::files::{Folders, Roots, read_named, read_source};
use crate::problem::{Exit, Problem};
use crate::{End, terminal};

/// What a process of tests may have in memory. The largest real jobs take a tenth.
#[cfg(unix)]
const MOST_MEMORY: u64 = 4 << 30;

/// Runs tests in this process, and shows what each left in its buffers; `wavelane run` with a job.
pub(super) fn here(
    args: &Args,
    device: &Device,
    features: &Features,
    tests: &[Test],
    cancel: &Arc<AtomicBool>,
) -> Result<Vec<Outcomes>, End> {
    let widths = widths_of(args);
    let flags = flags_of(args);
    let fuel = |width| args.fuel.at(width);
    let setup = Setup {
        cancel: Some(cancel.clone()),
        wants_output: true,
        ..setup(args, device, features, &widths, &flags, &fuel)
    };
    let mut all = Vec::new();
    let mut last = LastFile::default();
    for test in tests {
        let file = last.read(&test.file)?;
        let mut outcomes = Vec::new();
        let mut beside = Beside::of(args);
        jobs::run(test, file, &setup, &mut beside, &|_| true, &mut |it| outcomes.push(it));
        all.push(outcomes);
    }
    Ok(all)
}

/// Of one test, at each width.
pub(super) type Outcomes = Vec<jobs::Outcome>;

fn widths_of(args: &Args) -> Widths {
    match &args.wave_sizes {
        WaveSizes::Default => Widths::Default,
        WaveSizes::All => Widths::All,
        WaveSizes::List(list) => Widths::List(list.clone()),
    }
}

/// How tests are run in a process that nobody cancels.
pub(crate) fn setup<'a>(
    args: &Args,
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
        lane_order: args.lane_order,
        schedule: args.schedule,
        fuel,
        cancel: None,
        wants_output: false,
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
    // What no Unicode can say was replaced when the file was found.
    if !file.contains(char::REPLACEMENT_CHARACTER) {
        return problem;
    }
    Problem::input(format!("the name of `{file}` is not valid Unicode; rename the file"))
}

/// The test of a file that a request names: the whole file, or one case of it.
pub(crate) fn asked_for<'a>(request: &Value, file: &'a TestFile) -> Option<&'a Test> {
    file.test(request["case"].as_str())
}

/// Serves until standard input ends.
pub(super) fn serve(args: &Args, device: &Device, features: &Features) -> Result<Exit, End> {
    // A driver of a GPU reserves addresses by the hundred gigabytes.
    if device.gpu().is_none() {
        limit_memory();
    }
    let widths = widths_of(args);
    let flags = flags_of(args);
    let fuel = |width| args.fuel.at(width);
    let setup = setup(args, device, features, &widths, &flags, &fuel);
    let mut last = LastFile::default();
    let is_lost = || device.gpu().is_some_and(wavelane::Gpu::is_lost);
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?).unwrap_or_default();
        let Some(file) = request["file"].as_str() else { continue };
        let out = RefCell::new(terminal::out());
        let say = |value: Value| {
            let mut out = out.borrow_mut();
            // Whoever started this process is gone: so are we, with the next line we read.
            let _ = writeln!(out, "{value}").and_then(|()| out.flush());
        };
        let mut front_ends = 0;
        match last.read(file) {
            Ok(file) => {
                if let Some(test) = asked_for(&request, file) {
                    let done: Vec<u64> = request["done"]
                        .as_array()
                        .map(|it| it.iter().filter_map(Value::as_u64).collect())
                        .unwrap_or_default();
                    let wanted = |width: u32| {
                        // What a lost device does not run is left to another process.
                        let is_wanted = !is_lost() && !done.contains(&u64::from(width));
                        if is_wanted {
                            say(json!({ "begin": width }));
                        }
                        is_wanted
                    };
                    let mut report = |outcome| say(outcome_to_json(&outcome));
                    let mut beside = Beside::of(args);
                    jobs::run(test, file, &setup, &mut beside, &wanted, &mut report);
                    front_ends = file.front_ends();
                }
            }
            Err(problem) => {
                let failed = jobs::Verdict::Failed;
                say(outcome_to_json(&jobs::Outcome::new(0, failed, problem.message)));
            }
        }
        say(json!({ "end": true, "lost": is_lost(), "front_ends": front_ends }));
    }
    Ok(Exit::Fine)
}

/// Beyond the limit an allocation fails and the process ends, which is the failure of the test that it ran.
#[cfg(unix)]
pub(crate) fn limit_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::As).maximum;
    let current = maximum.map_or(MOST_MEMORY, |it| it.min(MOST_MEMORY));
    // Where the system refuses, tests run without the limit.
    let _ = setrlimit(Resource::As, Rlimit { current: Some(current), maximum });
}

// Portability: other systems have no such limit for a process by itself; there a test may take what it gets.
#[cfg(not(unix))]
pub(crate) fn limit_memory() {}

pub(crate) fn flags_of(args: &Args) -> Flags {
    Flags {
        options: args.options.clone(),
        includes: args.includes.iter().map(|it| it.to_string_lossy().into_owned()).collect(),
        remarks: args.remarks.clone(),
    }
}

/// Flags of a `RUN:` line mean what they mean on the command line of `check`.
pub(crate) fn read_flags(words: &[String]) -> Result<Flags, String> {
    let line = ["wavelane", "check"].into_iter().map(str::to_owned).chain(words.iter().cloned());
    match args::parse(line.map(Into::into)) {
        Ok(Request::Work(args)) => Ok(flags_of(&args)),
        Ok(Request::Help(_) | Request::Version) => Err("they ask for help".to_owned()),
        Err(problem) => Err(problem.message),
    }
}

/// Files beside the test.
pub(crate) struct Beside {
    roots: Roots,
}

impl Beside {
    pub(crate) fn of(args: &Args) -> Beside {
        Beside { roots: args.include_roots.clone() }
    }
}

impl Files for Beside {
    fn read(&mut self, path: &str, test: &str) -> Option<String> {
        let file = Path::new(test).parent().unwrap_or(Path::new("")).join(path);
        read_named(&file, &self.roots)
    }

    fn includer(&mut self, includes: &[String]) -> Box<dyn Includer> {
        Box::new(Folders {
            folders: includes.iter().map(PathBuf::from).collect(),
            roots: self.roots.clone(),
            ignore_case: false,
        })
    }
}
