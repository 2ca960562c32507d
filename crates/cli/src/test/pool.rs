//! Processes that run tests, several at a time, each watched: one that ends or takes too long is replaced.

use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jobs::{Outcome, Test, Verdict};
use serde_json::{Value, json};

use super::record::{Record, outcome_from_json};
use crate::args::Args;
use crate::problem::Problem;
use crate::terminal;

/// As long as LLVM's own runner gives a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// Runs the tests; the records come in the order of the tests.
pub(super) fn run(
    args: &Args,
    tests: &[Test],
    first: Option<Worker>,
) -> Result<Vec<Record>, Problem> {
    let timeout = args.timeout.unwrap_or(PATIENCE);
    let flags = flags_to_repeat();
    let one = |worker: &mut Option<Worker>, test: &Test| {
        let record = |outcome: Outcome| Record {
            test: test.name(),
            file: test.file.clone(),
            command: command("test", test, outcome.width, &flags),
            outcome,
        };
        let outcomes = run_one(worker, test, timeout)?;
        Ok(outcomes.into_iter().map(record).collect())
    };
    in_processes(args, tests, first, one, |it| it.outcome.verdict == Verdict::Failed)
}

/// Does something with every item in processes, several at a time, the first of which may have been started already. What
/// came of it stands in the order of the items.
pub(crate) fn in_processes<T: Sync, R: Send>(
    args: &Args,
    items: &[T],
    first: Option<Worker>,
    one: impl Fn(&mut Option<Worker>, &T) -> Result<Vec<R>, Problem> + Sync,
    is_bad: impl Fn(&R) -> bool + Sync,
) -> Result<Vec<R>, Problem> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let count = args.test.jobs.unwrap_or(cores).clamp(1, items.len().max(1));
    let next = AtomicUsize::new(0);
    let progress = Progress::new(items.len());
    let first = Mutex::new(first);
    let work = || -> Result<Vec<(usize, Vec<R>)>, Problem> {
        let mut worker = first.lock().ok().and_then(|mut it| it.take());
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let results = one(&mut worker, item)?;
            progress.step(results.iter().any(&is_bad));
            done.push((index, results));
        }
        // Nobody waits for a process that has no more to do: its input is closed, and it ends by itself.
        drop(worker);
        Ok(done)
    };
    let parts: Vec<Result<_, Problem>> = match count {
        // Each hand-over from thread to thread is a wait on a busy machine.
        1 => vec![work()],
        _ => std::thread::scope(|scope| {
            let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
            let bug = |_| Err(Problem::bug("a thread that watches processes panicked"));
            threads.into_iter().map(|it| it.join().unwrap_or_else(bug)).collect()
        }),
    };
    progress.clear();
    let mut all = Vec::new();
    for part in parts {
        all.extend(part?);
    }
    all.sort_by_key(|(index, _)| *index);
    Ok(all.into_iter().flat_map(|(_, results)| results).collect())
}

/// Runs one test at all its widths, in as many processes as it takes.
fn run_one(
    worker: &mut Option<Worker>,
    test: &Test,
    timeout: Duration,
) -> Result<Vec<Outcome>, Problem> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    loop {
        let done: Vec<u32> = outcomes.iter().map(|it| it.width).collect();
        let case = test.case.as_ref().map(|it| it.name.as_str());
        let request = json!({ "file": test.file, "case": case, "done": done });
        let mut width = 0;
        let answered = ask(worker, &request, timeout, |answer| match answer["begin"].as_u64() {
            Some(begun) => width = begun as u32,
            None => outcomes.extend(outcome_from_json(&answer)),
        })?;
        match answered {
            // A process whose device was lost is of no use to the widths that are left, and to the tests after this one.
            Answered::Whole(end) if end["lost"].as_bool() == Some(true) => {
                // It may still compute, or hang when it ends.
                worker.take().map(Worker::end);
                if outcomes.len() == done.len() {
                    return Ok(outcomes);
                }
            }
            Answered::Whole(_) => return Ok(outcomes),
            Answered::Broken(why) => {
                // What it ran last is what failed.
                outcomes.push(Outcome::new(width, Verdict::Failed, why));
                if width == 0 {
                    return Ok(outcomes);
                }
            }
        }
    }
}

/// How a process answered.
pub(crate) enum Answered {
    /// To the end; with the last answer.
    Whole(Value),
    /// It is gone, or has had its time, and is of no use any more: why, and what it said.
    Broken(String),
}

/// Asks a process, which is started if there is none, and hands on what it answers but for the end.
pub(crate) fn ask(
    worker: &mut Option<Worker>,
    request: &Value,
    patience: Duration,
    mut take: impl FnMut(Value),
) -> Result<Answered, Problem> {
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
                *worker = Some(current);
                return Ok(Answered::Whole(answer));
            }
            Ok(answer) => take(answer),
            Err(RecvTimeoutError::Timeout) => break None,
            Err(RecvTimeoutError::Disconnected) => break Some("its process ended"),
        }
    };
    let (said, status) = current.end();
    let why = match ended {
        Some(ended) => format!("{ended}: {status}"),
        None => late(patience),
    };
    Ok(Answered::Broken(if said.is_empty() { why } else { format!("{why}\n{said}") }))
}

/// What is said of a test that has had its time.
pub(super) fn late(timeout: Duration) -> String {
    format!("it did not end within {} s (`--timeout`)", timeout.as_secs_f64())
}

/// A process of tests.
pub(crate) struct Worker {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<Value>,
    /// The end of what it says on standard error.
    said: Arc<Mutex<Vec<u8>>>,
}

impl Worker {
    pub(crate) fn start() -> Result<Worker, Problem> {
        let cannot = |error| Problem::input(format!("no process can be started: {error}"));
        let program = std::env::current_exe().map_err(cannot)?;
        let mut child = Command::new(program)
            .args(std::env::args_os().skip(1))
            .arg("--worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(cannot)?;
        let (send, answers) = mpsc::channel();
        if let Some(out) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(out).lines().map_while(Result::ok) {
                    if send.send(serde_json::from_str(&line).unwrap_or_default()).is_err() {
                        break;
                    }
                }
            });
        }
        let said: Arc<Mutex<Vec<u8>>> = Arc::default();
        if let Some(mut err) = child.stderr.take() {
            let said = said.clone();
            std::thread::spawn(move || {
                let mut chunk = [0; 4096];
                while let Ok(count @ 1..) = err.read(&mut chunk) {
                    let Ok(mut said) = said.lock() else { break };
                    said.extend_from_slice(&chunk[..count]);
                    let excess = said.len().saturating_sub(2000);
                    said.drain(..excess);
                }
            });
        }
        let requests = child.stdin.take();
        Ok(Worker { child, requests, answers, said })
    }

    fn ask(&mut self, request: &Value) -> bool {
        let Some(requests) = &mut self.requests else { return false };
        writeln!(requests, "{request}").and_then(|()| requests.flush()).is_ok()
    }

    /// Ends the process by force; what it said last, and how it ended.
    pub(crate) fn end(mut self) -> (String, String) {
        let _ = self.child.kill();
        let status = self.child.wait().map(|it| it.to_string()).unwrap_or_default();
        let said = self.said.lock().map(|it| it.clone()).unwrap_or_default();
        (String::from_utf8_lossy(&said).into_owned(), status)
    }
}

/// The flags that a test needs to run again as it ran here.
pub(crate) fn flags_to_repeat() -> Vec<String> {
    let alone = ["--list", "--features", "--worker"];
    let with_value = [
        "--wave-size",
        "--format",
        "--jobs",
        "-j",
        "--partition",
        "--baseline",
        "--write-baseline",
        "--filter",
    ];
    let mut kept = Vec::new();
    let mut words = std::env::args().skip(2);
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or("");
        if with_value.contains(&name) {
            if !word.contains('=') {
                words.next();
            }
        } else if word.starts_with('-') && !alone.contains(&name) {
            kept.push(word.clone());
            // A value in a word of its own: operands never follow such a flag.
            let takes_more = crate::flags::all().any(|flag| {
                flag.names.contains(&word.as_str()) && flag.takes != crate::flags::Takes::Nothing
            });
            if takes_more {
                kept.extend(words.next());
            }
        }
    }
    kept
}

/// The command that runs a test again, as a shell reads it.
pub(super) fn command(verb: &str, test: &Test, width: u32, flags: &[String]) -> String {
    let mut words = vec!["wavelane".to_owned(), verb.to_owned(), test.name()];
    if width > 0 {
        words.extend(["--wave-size".to_owned(), width.to_string()]);
    }
    words.extend(flags.iter().cloned());
    let words: Vec<String> = words.iter().map(|it| crate::problem::quoted(it)).collect();
    words.join(" ")
}

pub(crate) struct Progress {
    done: AtomicUsize,
    failed: AtomicUsize,
    all: usize,
}

impl Progress {
    pub(crate) fn new(all: usize) -> Progress {
        Progress { done: AtomicUsize::new(0), failed: AtomicUsize::new(0), all }
    }

    pub(crate) fn step(&self, failed: bool) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let failed =
            self.failed.fetch_add(usize::from(failed), Ordering::Relaxed) + usize::from(failed);
        // A line for each of thousands of tests would only blink.
        if terminal::is_watched() && (done.is_multiple_of(8) || done == self.all) {
            let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
            terminal::say(&format!("\r\x1b[K{done} of {} tests{failed}", self.all));
        }
    }

    pub(crate) fn clear(&self) {
        if terminal::is_watched() && std::io::stderr().is_terminal() {
            terminal::say("\r\x1b[K");
        }
    }
}
