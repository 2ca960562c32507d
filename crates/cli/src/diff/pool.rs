//! Processes that compare: a driver that crashes or never ends takes its process with it, and nothing else.

use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use device::diag::Style;
use jobs::Test;
use serde_json::{Value, json};

use super::judge::{Told, judge};
use super::record::{Record, Repro, Verdict};
use super::run::Runner;
use super::side::Side;
use super::subject::{self, Nothing, Subject};
use crate::args::Args;
use crate::files::read_source;
use crate::problem::{Exit, Problem};
use crate::run::watch::Watch;
use crate::test::{PATIENCE, Progress, Worker};
use crate::{End, terminal};

/// How much longer than its own time-out a process is waited for: by then it has told what it knew.
const GRACE: Duration = Duration::from_secs(5);

/// What a process is asked to compare.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// The shader of the command line.
    Shader(String),
    Test(Test),
}

impl Work {
    fn name(&self) -> String {
        match self {
            Work::Shader(file) => file.clone(),
            Work::Test(test) => test.name(),
        }
    }
}

/// Compares everything; what became of it comes in the order of the work.
pub(super) fn run(args: &Args, all: &[Work]) -> Result<Vec<Record>, Problem> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let count = args.test.jobs.unwrap_or(cores).clamp(1, all.len().max(1));
    let patience = args.timeout.map_or(PATIENCE, |it| it.saturating_add(GRACE));
    let next = AtomicUsize::new(0);
    let progress = Progress::new(all.len());
    let done: Mutex<Vec<(usize, Vec<Record>)>> = Mutex::default();
    let work = || -> Result<(), Problem> {
        let mut worker = None;
        while let Some((index, work)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            all.get(index).map(|it| (index, it))
        } {
            let records = run_one(&mut worker, work, patience)?;
            progress.step(records.iter().any(Record::is_bad));
            if let Ok(mut done) = done.lock() {
                done.push((index, records));
            }
        }
        if let Some(worker) = worker {
            worker.finish();
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let bug = |_| Err(Problem::bug("a thread that watches processes panicked"));
        threads.into_iter().try_for_each(|it| it.join().unwrap_or_else(bug))
    })?;
    progress.clear();
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().flat_map(|(_, records)| records).collect())
}

/// Has one piece of work done. A verdict that was told before its process failed counts.
fn run_one(
    worker: &mut Option<Worker>,
    work: &Work,
    patience: Duration,
) -> Result<Vec<Record>, Problem> {
    let styled = terminal::style() == Style::Colour;
    let mut request = match work {
        Work::Shader(_) => json!({ "shader": true, "styled": styled }),
        Work::Test(test) => {
            let case = test.case.as_ref().map(|it| it.name.as_str());
            json!({ "file": test.file, "case": case, "styled": styled })
        }
    };
    let mut records: Vec<Record> = Vec::new();
    let mut done = 0;
    loop {
        request["done"] = json!(done);
        let end = ask(worker, &request, patience, &mut records)?;
        match end {
            Ended::Fine => return Ok(records),
            // A process whose device is lost is replaced; as long as it comes on, it has another try.
            Ended::Lost(count) if count > done => done = count,
            Ended::Lost(_) => {
                let why = "the device was lost again and again".to_owned();
                records.push(Record::nothing(&work.name(), Exit::Findings, why));
                return Ok(records);
            }
            Ended::Failed(why) => {
                match records.last_mut() {
                    // The verdict stands; the search for a smaller program is what failed.
                    Some(last) if last.verdict == Verdict::Disagree && last.repro.is_none() => {
                        last.repro = Some(Repro::Not(why));
                    }
                    _ => records.push(Record::nothing(&work.name(), Exit::Findings, why)),
                }
                return Ok(records);
            }
        }
    }
}

/// How a process answered.
enum Ended {
    Fine,
    /// It has lost its device, after so many comparisons.
    Lost(u64),
    /// It is gone, or had its time.
    Failed(String),
}

/// Asks a process, and takes its answers.
fn ask(
    worker: &mut Option<Worker>,
    request: &Value,
    patience: Duration,
    records: &mut Vec<Record>,
) -> Result<Ended, Problem> {
    let mut current = match worker.take() {
        Some(worker) => worker,
        None => Worker::start()?,
    };
    let asked = current.ask(request);
    // `None` where it has had its time.
    let ended = loop {
        if !asked {
            break Some("its process ended");
        }
        match current.answers.recv_timeout(patience) {
            Ok(answer) if answer.get("end").is_some() => {
                if let Some(count) = answer["lost"].as_u64() {
                    current.end();
                    return Ok(Ended::Lost(count));
                }
                *worker = Some(current);
                return Ok(Ended::Fine);
            }
            Ok(answer) => match (answer.get("repro_of_last"), records.last_mut()) {
                (Some(repro), Some(last)) => last.repro = Repro::from_json(repro),
                _ => records.extend(Record::from_json(&answer)),
            },
            Err(RecvTimeoutError::Timeout) => break None,
            Err(RecvTimeoutError::Disconnected) => break Some("its process ended"),
        }
    };
    // The process is of no use any more; what it did last is what failed.
    let (said, status) = current.end();
    let why = match ended {
        Some(ended) => format!("{ended}: {status}"),
        None => format!("it did not end within {} s (`--timeout`)", patience.as_secs_f64()),
    };
    let why = if said.is_empty() { why } else { format!("{why}\n{said}") };
    Ok(Ended::Failed(why))
}

/// Compares what standard input names until it ends.
pub(super) fn serve(args: &Args, sides: &[Side]) -> Result<Exit, End> {
    // A driver of a GPU reserves addresses by the hundred gigabytes.
    if sides.iter().all(|it| it.gpu().is_none()) {
        crate::test::limit_memory();
    }
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?).unwrap_or_default();
        let style = if request["styled"] == true { Style::Colour } else { Style::Plain };
        let out = RefCell::new(terminal::out());
        let say = |value: Value| {
            let mut out = out.borrow_mut();
            // Whoever started this process is gone: so are we, with the next line we read.
            let _ = writeln!(out, "{value}").and_then(|()| out.flush());
        };
        // Each record is a comparison that was made.
        let made = Cell::new(request["done"].as_u64().unwrap_or(0));
        let is_lost = Cell::new(false);
        let answers = Answers { say: &say, made: &made, is_lost: &is_lost };
        for record in answered(args, sides, &request, style, &answers) {
            say(record.to_whole_json());
        }
        let lost = is_lost.get().then_some(made.get());
        say(json!({ "end": true, "lost": lost }));
    }
    Ok(Exit::Fine)
}

/// Where answers go.
struct Answers<'a> {
    say: &'a dyn Fn(Value),
    /// How many comparisons have been made.
    made: &'a Cell<u64>,
    is_lost: &'a Cell<bool>,
}

/// Does what a request asks for; gives what could not be begun.
fn answered(
    args: &Args,
    sides: &[Side],
    request: &Value,
    style: Style,
    answers: &Answers<'_>,
) -> Vec<Record> {
    let say = answers.say;
    let mut done = request["done"].as_u64().unwrap_or(0) as usize;
    let tell = |told: Told| match told {
        Told::Record(record) => {
            say(record.to_whole_json());
        }
        Told::Repro(repro) => {
            let mut holder = Record::new("", 0);
            holder.repro = Some(repro_of(repro));
            say(json!({ "repro_of_last": holder.to_json()["repro"] }));
        }
    };
    if request["shader"] == true {
        return match subject::of_shader(args) {
            Ok(subject) => {
                let mut tell = |told: Told| {
                    answers.count(&told);
                    tell(told);
                };
                answers.is_lost.set(one(args, sides, &subject, style, &mut done, &mut tell));
                Vec::new()
            }
            Err(End::Problem(problem)) => {
                vec![Record::nothing("the shader", problem.exit, problem.message)]
            }
            Err(End::Output(error)) => {
                vec![Record::nothing("the shader", Exit::BadInput, error.to_string())]
            }
        };
    }
    let Some(file) = request["file"].as_str() else { return Vec::new() };
    let case = request["case"].as_str();
    let text = match read_source(file) {
        Ok((_, text)) => text,
        Err(problem) => return vec![Record::nothing(file, problem.exit, problem.message)],
    };
    let name_of = |it: &Test| it.case.as_ref().map(|it| it.name.clone());
    let tests = jobs::tests(file, &text).unwrap_or_default();
    let Some(test) = tests.iter().find(|it| name_of(it).as_deref() == case) else {
        return Vec::new();
    };
    let subjects = match subject::of_test(args, test, &text) {
        Ok(subjects) => subjects,
        Err(Nothing { exit, why }) => return vec![Record::nothing(&test.name(), exit, why)],
    };
    // A text that knows the width is a program for each; where one of them ran, the others say nothing.
    let several = subjects.len() > 1;
    let any = Cell::new(false);
    let mut left: Vec<Record> = Vec::new();
    for subject in &subjects {
        let mut tell = |told: Told| {
            answers.count(&told);
            match told {
                Told::Record(record) if record.width == 0 && several => left.push(*record),
                told => {
                    any.set(true);
                    tell(told);
                }
            }
        };
        if one(args, sides, subject, style, &mut done, &mut tell) {
            answers.is_lost.set(true);
            return left;
        }
    }
    if any.get() {
        left.retain(|it| it.stop.as_ref().is_some_and(|(exit, _)| *exit != Exit::Unsupported));
    } else {
        left.truncate(1);
    }
    left
}

impl Answers<'_> {
    fn count(&self, told: &Told) {
        if let Told::Record(_) = told {
            self.made.set(self.made.get() + 1);
        }
    }
}

/// Compares one program, within its time, but for so many comparisons that have been made before. Says whether a device
/// was lost, and with it the use of this process.
pub(super) fn one(
    args: &Args,
    sides: &[Side],
    subject: &Subject,
    style: Style,
    done: &mut usize,
    tell: &mut dyn FnMut(Told),
) -> bool {
    let mut watch = Watch::start(args.timeout, 0);
    let (is_lost, left) = (Cell::new(false), Cell::new(*done));
    let (cancel, most_fuel) = (watch.cancel.clone(), Cell::new(u64::MAX));
    let runner = Runner { args, cancel, is_lost, done: left, most_fuel };
    judge(&runner, subject, sides, style, tell);
    watch.stop();
    *done = runner.done.get();
    runner.is_lost.get() && sides.iter().any(|it| it.gpu().is_some())
}

/// What has become of a disagreement, in words.
pub(super) fn repro_of(repro: Result<super::repro::Written, String>) -> Repro {
    match repro {
        Ok(written) => {
            let (before, after) = written.lines;
            let [x, y, z] = written.groups;
            let lines = if before == after {
                format!("{after} lines")
            } else {
                format!("{after} of {before} lines")
            };
            let groups = if written.groups == [1; 3] {
                "one group".to_owned()
            } else {
                format!("{x}×{y}×{z} groups")
            };
            Repro::Text { text: written.text, about: format!("{lines}, {groups}") }
        }
        Err(why) => Repro::Not(why),
    }
}
