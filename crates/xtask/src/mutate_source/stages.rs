//! Runs test programs with one mutant enabled, with limits, until the first test that fails.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::tree::Program;

/// Programs with long tests, each of which is a separate stage.
const TAKEN_APART: [&str; 4] = ["suite/engines", "suite/progress", "suite/grid", "suite/spirv"];

/// The address space of a test program, in KiB: some tests reserve much and use little.
const MOST_MEMORY: u64 = 16 << 20;

/// A test program, or one test of it.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    pub(super) name: String,
    program: Program,
    test: Option<String>,
    /// The run time without mutants.
    pub(super) seconds: f64,
    /// The mutants whose places it reaches.
    pub(super) reaches: BTreeSet<u32>,
}

/// How a stage ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    Passed,
    /// With the test that failed, or another reason.
    Failed(String),
    OutOfTime,
}

impl Stage {
    /// Tests of the command line tool share folders.
    pub(super) fn shares_folders(&self) -> bool {
        self.program.name.starts_with("cli")
    }

    /// Runs with a mutant enabled.
    pub(super) fn notices(&self, mutant: u32) -> Result<End, String> {
        // The machine may be shared, so the limit of CPU time is tighter than that of elapsed time.
        let (seconds, cpu) = (10.0 * self.seconds + 60.0, 4.0 * self.seconds + 10.0);
        self.run("WAVELANE_MUTANT", mutant.to_string().as_ref(), seconds, cpu)
    }

    /// Runs without a mutant, and records the places that are reached in the file `reached`.
    pub(super) fn record(&self, reached: &Path, seconds: f64) -> Result<End, String> {
        self.run("WAVELANE_REACHED", reached.as_ref(), seconds, 2.0 * seconds)
    }

    fn run(&self, name: &str, value: &OsStr, seconds: f64, cpu: f64) -> Result<End, String> {
        let mut command = Command::new("sh");
        let limits =
            format!("ulimit -c 0; ulimit -t {cpu:.0}; ulimit -v {MOST_MEMORY}; exec \"$@\"");
        command.args(["-c", &limits, "sh"]).arg(&self.program.file).arg("--test-threads=1");
        if let Some(test) = &self.test {
            command.args([test, "--exact"]);
        }
        command
            .current_dir(&self.program.package)
            .env(name, value)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // A process group, so that processes that the tests start end with them.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().map_err(|it| format!("{}: {it}", self.name))?;
        Ok(watch(child, Duration::from_secs_f64(seconds)))
    }
}

/// Reads what a test program prints until it fails, ends, or has run for too long.
fn watch(mut child: Child, limit: Duration) -> End {
    let start = Instant::now();
    let (send, receive) = mpsc::channel();
    let output = child.stdout.take();
    std::thread::spawn(move || {
        for line in output.into_iter().flat_map(|it| BufReader::new(it).lines()) {
            let line = match line {
                Ok(line) => line,
                // A test may print invalid UTF-8.
                Err(error) if error.kind() == std::io::ErrorKind::InvalidData => continue,
                Err(_) => break,
            };
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let mut running = String::new();
    let end = loop {
        let left = limit.saturating_sub(start.elapsed());
        match receive.recv_timeout(left) {
            Ok(line) => {
                if let Some(name) = line.strip_prefix("test ") {
                    name.split(" ... ").next().unwrap_or_default().clone_into(&mut running);
                }
                if line.starts_with("test ") && line.ends_with("FAILED") {
                    break End::Failed(running);
                }
            }
            Err(RecvTimeoutError::Timeout) => break End::OutOfTime,
            Err(RecvTimeoutError::Disconnected) => {
                break match ended(&mut child, limit.saturating_sub(start.elapsed())) {
                    None => End::OutOfTime,
                    Some(status) if status.success() => End::Passed,
                    // SIGXCPU, or the SIGKILL that follows if it is caught.
                    #[cfg(unix)]
                    Some(status)
                        if [Some(24), Some(9)]
                            .contains(&std::os::unix::process::ExitStatusExt::signal(&status)) =>
                    {
                        End::OutOfTime
                    }
                    Some(status) => End::Failed(status.to_string()),
                };
            }
        }
    };
    let _ = Command::new("kill")
        .args(["-KILL", "--", &format!("-{}", child.id())])
        .stderr(Stdio::null())
        .status();
    let _ = child.kill();
    let _ = child.wait();
    end
}

fn ended(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(5)),
            _ => return None,
        }
    }
}

/// The stages of the test programs.
pub(super) fn stages(programs: &[Program]) -> Result<Vec<Stage>, String> {
    let mut stages = Vec::new();
    for program in programs {
        let mut tests = vec![None];
        if TAKEN_APART.contains(&program.name.as_str()) {
            let list = Command::new(&program.file)
                .args(["--list", "--format=terse"])
                .current_dir(&program.package)
                .output()
                .map_err(|it| format!("{}: {it}", program.name))?;
            let list = String::from_utf8_lossy(&list.stdout).into_owned();
            tests = list
                .lines()
                .filter_map(|it| it.strip_suffix(": test"))
                .map(|it| Some(it.to_owned()))
                .collect();
        }
        for test in tests {
            let name = match &test {
                Some(test) => format!("{}: {test}", program.name),
                None => program.name.clone(),
            };
            let program = program.clone();
            stages.push(Stage { name, program, test, seconds: 0.0, reaches: BTreeSet::new() });
        }
    }
    Ok(stages)
}
