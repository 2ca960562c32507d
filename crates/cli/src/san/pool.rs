//! Processes that examine tests, several at a time: what crashes, eats the memory or never ends is that test's failure.

use std::cell::RefCell;
use std::io::{self, BufRead, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use device::diag::Style;
use jobs::Test;
use serde_json::{Value, json};

use super::record::{Examined, Stop};
use super::{examine_test, subject};
use crate::args::Args;
use crate::files::read_source;
use crate::problem::{Exit, Problem};
use crate::test::{PATIENCE, Progress, Worker};
use crate::{End, terminal};

/// How much longer than its own time-out a process is waited for: by then it has told what it had found.
const GRACE: Duration = Duration::from_secs(5);

/// Examines tests; what became of them comes in the order of the tests.
pub(super) fn run(args: &Args, tests: &[Test]) -> Result<Vec<Examined>, Problem> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let count = args.test.jobs.unwrap_or(cores).clamp(1, tests.len().max(1));
    let patience = args.timeout.map_or(PATIENCE, |it| it.saturating_add(GRACE));
    let next = AtomicUsize::new(0);
    let progress = Progress::new(tests.len());
    let done: Mutex<Vec<(usize, Vec<Examined>)>> = Mutex::default();
    let work = || -> Result<(), Problem> {
        let mut worker = None;
        while let Some((index, test)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            tests.get(index).map(|it| (index, it))
        } {
            let examined = run_one(&mut worker, test, patience)?;
            let fails = |it: &Examined| match it {
                Examined::Program(program) => program.fails() || program.stopped.is_some(),
                Examined::Skipped { stop, .. } => stop.exit != Exit::Unsupported,
            };
            progress.step(examined.iter().any(fails));
            if let Ok(mut done) = done.lock() {
                done.push((index, examined));
            }
        }
        if let Some(worker) = worker {
            worker.finish();
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let bug = |_| Err(Problem::bug("a thread that watches tests panicked"));
        threads.into_iter().try_for_each(|it| it.join().unwrap_or_else(bug))
    })?;
    progress.clear();
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().flat_map(|(_, examined)| examined).collect())
}

/// Has one test examined. A test may hold several programs; those that were done before one fails count.
fn run_one(
    worker: &mut Option<Worker>,
    test: &Test,
    patience: Duration,
) -> Result<Vec<Examined>, Problem> {
    let mut current = match worker.take() {
        Some(worker) => worker,
        None => Worker::start()?,
    };
    let case = test.case.as_ref().map(|it| it.name.as_str());
    let styled = terminal::style() == Style::Colour;
    let mut examined = Vec::new();
    let asked = current.ask(&json!({ "file": test.file, "case": case, "styled": styled }));
    // `None` where it has had its time.
    let ended = loop {
        if !asked {
            break Some("its process ended");
        }
        match current.answers.recv_timeout(patience) {
            Ok(answer) if answer.get("end").is_some() => {
                *worker = Some(current);
                return Ok(examined);
            }
            Ok(answer) => examined.extend(Examined::from_json(&answer)),
            Err(RecvTimeoutError::Timeout) => break None,
            Err(RecvTimeoutError::Disconnected) => break Some("its process ended"),
        }
    };
    // The process is of no use any more; what it examined last is what failed.
    let (said, status) = current.end();
    let why = match ended {
        Some(ended) => format!("{ended}: {status}"),
        None => format!("it did not end within {} s (`--timeout`)", patience.as_secs_f64()),
    };
    let why = if said.is_empty() { why } else { format!("{why}\n{said}") };
    examined
        .push(Examined::Skipped { name: test.name(), stop: Stop { exit: Exit::Findings, why } });
    Ok(examined)
}

/// Examines the tests that standard input names until it ends.
pub(super) fn serve(args: &Args) -> Result<Exit, End> {
    crate::test::limit_memory();
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?).unwrap_or_default();
        let Some(file) = request["file"].as_str() else { continue };
        let case = request["case"].as_str();
        let style = if request["styled"] == true { Style::Colour } else { Style::Plain };
        let out = RefCell::new(terminal::out());
        let say = |value: Value| {
            let mut out = out.borrow_mut();
            // Whoever started this process is gone: so are we, with the next line we read.
            let _ = writeln!(out, "{value}").and_then(|()| out.flush());
        };
        match read_source(file) {
            Ok((_, text)) => {
                let name_of = |it: &Test| it.case.as_ref().map(|it| it.name.clone());
                let tests = jobs::tests(file, &text).unwrap_or_default();
                if let Some(test) = tests.iter().find(|it| name_of(it).as_deref() == case) {
                    examine_test(args, test, &text, style, &mut |it| say(it.to_json()));
                }
            }
            Err(problem) => {
                let stop = subject::stop(problem);
                say(Examined::Skipped { name: file.to_owned(), stop }.to_json());
            }
        }
        say(json!({ "end": true }));
    }
    Ok(Exit::Fine)
}
