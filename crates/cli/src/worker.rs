//! Processes beside this one, each watched: one that ends or takes too long is replaced. What they do is no matter here: they
//! are asked in lines of JSON, and answer in lines, the last of which has the key `end`.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use crate::problem::{Exit, Problem};

/// As long as LLVM's own runner gives a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// What a worker may have in memory. The largest real jobs take a tenth.
#[cfg(unix)]
const MOST_MEMORY: u64 = 4 << 30;

/// How a process answered.
pub(crate) enum Answered {
    /// To the end; with the last answer.
    Whole(Value),
    /// It is gone, or has had its time, and is of no use any more: why, and what it said.
    Broken(String),
}

/// A place for a process, which is started once there is something to ask it.
pub(crate) struct Slot<'a> {
    /// The words that make a process of this program a worker.
    words: &'a [String],
    worker: Option<Worker>,
}

impl<'a> Slot<'a> {
    pub(crate) fn new(words: &'a [String], worker: Option<Worker>) -> Slot<'a> {
        Slot { words, worker }
    }

    /// Ends the process by force: it may still compute, or hang when it ends.
    pub(crate) fn end(&mut self) {
        self.worker.take().map(Worker::end);
    }
}

/// Asks the process of a slot, and hands on what it answers but for the end.
pub(crate) fn ask(
    slot: &mut Slot<'_>,
    request: &Value,
    patience: Duration,
    mut take: impl FnMut(Value),
) -> Result<Answered, Problem> {
    let mut current = match slot.worker.take() {
        Some(worker) => worker,
        None => Worker::start(slot.words)?,
    };
    let asked = current.ask(request);
    // `None` where it has had its time.
    let ended = loop {
        if !asked {
            break Some("its process ended");
        }
        match current.answers.recv_timeout(patience) {
            Ok(answer) if answer.get("end").is_some() => {
                slot.worker = Some(current);
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
pub(crate) fn late(timeout: Duration) -> String {
    format!("it did not end within {} s (`--timeout`)", timeout.as_secs_f64())
}

/// A process that does what it is told of on its standard input, and answers on its standard output.
pub(crate) struct Worker {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<Value>,
    /// The end of what it says on standard error.
    said: Arc<Mutex<Vec<u8>>>,
}

impl Worker {
    /// Starts this program with words that make it a worker.
    pub(crate) fn start(words: &[String]) -> Result<Worker, Problem> {
        let cannot = |error| Problem::input(format!("no process can be started: {error}"));
        let program = std::env::current_exe().map_err(cannot)?;
        let mut child = Command::new(program)
            .args(words)
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
    fn end(mut self) -> (String, String) {
        let _ = self.child.kill();
        let status = self.child.wait().map(|it| it.to_string()).unwrap_or_default();
        let said = self.said.lock().map(|it| it.clone()).unwrap_or_default();
        (String::from_utf8_lossy(&said).into_owned(), status)
    }
}

/// What a worker is told on its standard input, one request a line, until that ends.
///
/// The other end of the pipe is held by the process that started this one, and by no other, so that the system closes it however
/// that process ends: even one that is killed leaves no workers behind. A thread reads, so that the end is noticed while a request
/// is being worked on; then nobody is left to answer, and the process ends at once.
pub(crate) fn requests() -> impl Iterator<Item = Value> {
    let (send, requests) = mpsc::channel();
    let read = move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if send.send(serde_json::from_str(&line).unwrap_or_default()).is_err() {
                return;
            }
        }
        drop(send);
        // A worker without work ends by itself within this time, and gives back its devices.
        std::thread::sleep(LAST_MOMENTS);
        std::process::exit(Exit::Findings as i32);
    };
    if std::thread::Builder::new().name("requests".to_owned()).spawn(read).is_err() {
        // Without the thread nothing is read, and whoever waits for answers is told that the process has ended.
        std::process::exit(Exit::Findings as i32);
    }
    requests.into_iter()
}

/// How long a worker may take to end by itself.
const LAST_MOMENTS: Duration = Duration::from_millis(300);

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
