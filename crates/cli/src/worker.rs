//! Worker processes: a worker that crashes or exceeds its time is replaced. Requests and answers are lines of JSON; the
//! last line of an answer has the key `end`. The callers define the contents of requests.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::problem::{Exit, Problem};
use crate::{external, interrupt};

/// The default time limit of LLVM's test runner.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// The memory limit of a worker. The largest real jobs need a tenth of it.
#[cfg(unix)]
const MOST_MEMORY: u64 = 4 << 30;

/// The outcome of a request.
pub(crate) enum Answered {
    /// The answer is complete; this is its last line.
    Whole(Value),
    /// The process has to be replaced.
    Broken(Broken),
}

/// A request that was not answered.
#[derive(Default)]
pub(crate) struct Broken {
    /// Whether the process exceeded its time, rather than ended.
    pub(crate) is_late: bool,
    /// The reason, and below it the last output of the process.
    pub(crate) why: String,
}

impl Broken {
    /// The reason alone.
    pub(crate) fn how(&self) -> &str {
        self.why.lines().next().unwrap_or_default()
    }
}

/// The words that start this program, if it runs inside another one.
static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the words that start this program, which is not the process's own.
pub(crate) fn start_by(program: Vec<OsString>) {
    // A second run in the same process starts as the first did.
    let _ = PROGRAM.set(program);
}

/// A slot for a worker, which starts with the first request.
pub(crate) struct Slot<'a> {
    /// The words that make a process of this program a worker.
    words: &'a [String],
    worker: Option<Worker>,
}

impl<'a> Slot<'a> {
    pub(crate) fn new(words: &'a [String], worker: Option<Worker>) -> Slot<'a> {
        Slot { words, worker }
    }

    /// Kills the process, which may be computing, or hang while it exits.
    pub(crate) fn end(&mut self) {
        self.worker.take().map(Worker::end);
    }
}

/// Sends a request to the worker of a slot, and passes on the lines of its answer except the last.
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
    // `None` if it exceeded its time.
    let ended = loop {
        if !asked {
            break Some("its process ended");
        }
        match receive(&current.answers, patience) {
            Ok(answer) if answer.get("end").is_some() => {
                slot.worker = Some(current);
                return Ok(Answered::Whole(answer));
            }
            Ok(answer) => take(answer),
            Err(RecvTimeoutError::Timeout) => break None,
            Err(RecvTimeoutError::Disconnected) => break Some("its process ended"),
        }
    };
    if interrupt::is_caught() {
        current.leave();
        return Err(interrupt::problem());
    }
    let (said, status) = current.end();
    let why = match ended {
        Some(ended) => format!("{ended}: {status}"),
        None => late(patience),
    };
    let why = if said.is_empty() { why } else { format!("{why}\n{said}") };
    Ok(Answered::Broken(Broken { is_late: ended.is_none(), why }))
}

/// How often a wait for an answer looks whether the command was interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// The next line of an answer. The wait ends early if the command is interrupted.
fn receive(answers: &Receiver<Value>, patience: Duration) -> Result<Value, RecvTimeoutError> {
    let begin = Instant::now();
    loop {
        let left = patience.saturating_sub(begin.elapsed());
        match answers.recv_timeout(left.min(LOOK)) {
            Err(RecvTimeoutError::Timeout) if left > LOOK && !interrupt::is_caught() => {}
            ended => return ended,
        }
    }
}

/// The message about a test that exceeded its time.
pub(crate) fn late(timeout: Duration) -> String {
    format!("it did not end within {} s (`--timeout`)", timeout.as_secs_f64())
}

/// A process that reads requests from its standard input, and answers on its standard output.
pub(crate) struct Worker {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<Value>,
    /// The last lines of its standard error.
    said: Arc<Mutex<Vec<u8>>>,
}

impl Worker {
    /// Starts this program with words that make it a worker.
    pub(crate) fn start(words: &[String]) -> Result<Worker, Problem> {
        let cannot = |error| Problem::input(format!("no process can be started: {error}"));
        let mut command = match PROGRAM.get().and_then(|it| it.split_first()) {
            Some((program, first)) => {
                let mut command = Command::new(program);
                command.args(first);
                command
            }
            None => Command::new(std::env::current_exe().map_err(cannot)?),
        };
        // Ctrl-C is for this process, which ends its workers when it has reported. A worker that Ctrl-C ended would
        // look like a crash.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
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

    /// Lets the process end the commands that it runs, and then itself.
    fn leave(mut self) {
        drop(self.requests.take());
        let begin = Instant::now();
        while begin.elapsed() < 10 * LAST_MOMENTS && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(LOOK);
        }
        self.end();
    }

    /// Kills the process. Returns its last output and how it ended.
    fn end(mut self) -> (String, String) {
        let _ = self.child.kill();
        let status = self.child.wait().map(|it| it.to_string()).unwrap_or_default();
        let said = self.said.lock().map(|it| it.clone()).unwrap_or_default();
        (String::from_utf8_lossy(&said).into_owned(), status)
    }
}

/// The requests on a worker's standard input, one per line, until it is closed.
///
/// Only the parent process holds the other end of the pipe, so the system closes it however the parent ends: a parent
/// that is killed leaves no workers behind. A separate thread reads, so that the end is noticed during a request too;
/// there is no reader for the answer then, and the process exits at once.
pub(crate) fn requests() -> impl Iterator<Item = Value> {
    let (send, requests) = mpsc::channel();
    let read = move || {
        for request in requests_in_turn() {
            if send.send(request).is_err() {
                return;
            }
        }
        drop(send);
        // A worker without work ends by itself within this time, and gives back its devices.
        std::thread::sleep(LAST_MOMENTS);
        external::end_all();
        std::process::exit(Exit::Findings as i32);
    };
    if std::thread::Builder::new().name("requests".to_owned()).spawn(read).is_err() {
        // Without the thread no request is read, and the parent reports that the worker has ended.
        std::process::exit(Exit::Findings as i32);
    }
    requests.into_iter()
}

/// The requests on standard input, one per line, each read when the one before is answered. The end of the input does
/// not end the worker at once: a client may write all its requests first, and then wait for the answers.
pub(crate) fn requests_in_turn() -> impl Iterator<Item = Value> {
    let lines = std::io::stdin().lock().lines().map_while(Result::ok);
    lines.map(|it| serde_json::from_str(&it).unwrap_or_default())
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

// Portability: other systems have no such limit for a process by itself; there memory is not limited.
#[cfg(not(unix))]
pub(crate) fn limit_memory() {}
