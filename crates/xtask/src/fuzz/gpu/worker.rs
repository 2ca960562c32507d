//! A worker process that runs programs on a GPU, so that a driver that crashes ends nothing else.
//!
//! The processes communicate over pipes: a request is a line with the number of bytes, then the text; an answer is one
//! line. A worker that does not answer for a while is killed. This file does not know what a program is or what happens
//! to one that fails.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use suite::gpu::{Outcome, compare};
use wavelane::Device;

/// A driver's compiler recurses deeper than a thread's default stack allows.
const STACK: usize = 256 << 20;
/// A worker that takes longer for a program is considered hung.
const PATIENCE: Duration = Duration::from_secs(120);

/// A worker's answer about a program.
pub(super) enum Answer {
    Ran(Outcome),
    /// The worker died, or had to be killed.
    Died(String),
    /// The program is invalid.
    Invalid(String),
}

/// A worker process, started on the first request and again after its death.
pub(super) struct Worker {
    /// The flag that makes it one.
    flag: &'static str,
    width: u32,
    device: Option<String>,
    process: Option<Process>,
}

struct Process {
    child: Child,
    questions: ChildStdin,
    answers: Receiver<String>,
}

impl Worker {
    pub(super) fn new(flag: &'static str, width: u32, device: Option<String>) -> Worker {
        Worker { flag, width, device, process: None }
    }

    /// Runs a text that holds one section. `Err`: a worker cannot be started.
    pub(super) fn ask(&mut self, text: &str) -> Result<Answer, String> {
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.start()?,
        };
        let asked = write!(process.questions, "{}\n{text}", text.len());
        let answer = match asked.and_then(|()| process.questions.flush()) {
            Ok(()) => process.answers.recv_timeout(PATIENCE),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        };
        let answer = match answer {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => {
                // An error means that it has already ended.
                let _ = process.child.kill();
                let _ = process.child.wait();
                return Ok(Answer::Died(format!("no answer in {} s", PATIENCE.as_secs())));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = process.child.wait().map_err(|error| error.to_string())?;
                return Ok(Answer::Died(format!("the process that ran it ended: {status}")));
            }
        };
        let (word, what) = answer.split_once(' ').unwrap_or((&answer, ""));
        let what = what.to_owned();
        if word == "lost" {
            // A driver waits for its dispatches on exit, and one may never end.
            let _ = process.child.kill();
            let _ = process.child.wait();
            return Ok(Answer::Died(what));
        }
        self.process = Some(process);
        match word {
            "same" => Ok(Answer::Ran(Outcome::Same)),
            "unsupported" => Ok(Answer::Ran(Outcome::Unsupported(what))),
            "different" => Ok(Answer::Ran(Outcome::Different(what))),
            "invalid" => Ok(Answer::Invalid(what)),
            _ => Err(format!("a worker: {answer}")),
        }
    }

    fn start(&self) -> Result<Process, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.args(["fuzz", self.flag, "--worker", &self.width.to_string()]);
        command.args(&self.device);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("a worker: {error}"))?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are pipes")
        };
        let (sender, receiver) = channel();
        // The thread ends with the pipe, and the pipe with the process.
        std::thread::spawn(move || {
            for line in BufReader::new(answers).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Process { child, questions, answers: receiver })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            // Without requests it would end by itself, but a driver may take long to do so.
            let _ = process.child.kill();
            let _ = process.child.wait();
        }
    }
}

/// The worker's side: answers until there are no more requests.
pub(super) fn serve(of: super::Of, arguments: &[String]) -> Result<(), String> {
    let width =
        arguments.first().and_then(|it| it.parse().ok()).ok_or("a worker expects a width")?;
    let device = of.open(arguments.get(1).map(String::as_str))?;
    let thread = std::thread::Builder::new().stack_size(STACK);
    let served = thread.spawn(move || answer_all(&device, width)).map_err(|it| it.to_string())?;
    served.join().map_err(|_| "the thread of the worker has panicked".to_owned())?
}

fn answer_all(device: &Device, width: u32) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut questions = std::io::stdin().lock();
    loop {
        let mut line = String::new();
        if questions.read_line(&mut line).map_err(failed)? == 0 {
            return Ok(());
        }
        let bytes: usize = line.trim().parse().map_err(|_| "a request begins with a number")?;
        let mut text = vec![0; bytes];
        questions.read_exact(&mut text).map_err(failed)?;
        let text = String::from_utf8(text).map_err(|error| error.to_string())?;
        let answer = match compare(device, &text, width) {
            Ok(Outcome::Same) => "same".to_owned(),
            Ok(Outcome::Unsupported(what)) => format!("unsupported {what}"),
            Ok(Outcome::Different(what)) => format!("different {what}"),
            // A lost device stays lost in this process.
            Ok(Outcome::Lost(what)) => {
                println!("lost {}", what.replace('\n', "; "));
                return Ok(());
            }
            Err(what) => format!("invalid {what}"),
        };
        println!("{}", answer.replace('\n', "; "));
    }
}
