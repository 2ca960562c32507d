//! Runs commands of the user, such as another compiler, with a time limit, and captures their output.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Status(i32),
    #[cfg_attr(not(unix), expect(dead_code, reason = "other systems have no signals"))]
    Signal(i32),
    TimedOut,
}

/// Whether a status is that of a crash: from 128 on, as shells report signals, or an NTSTATUS of severity "error", with
/// which Windows ends a process. An HRESULT is not a crash: `dxc` ends with one if it refuses a program.
pub(crate) fn is_crash(status: i32) -> bool {
    status >= 128 || (0xC000_0000..0xD000_0000).contains(&status.cast_unsigned())
}

/// A status as its system writes it: error statuses of Windows are hexadecimal.
pub(crate) fn status_text(status: i32) -> String {
    match status < 0 {
        true => format!("{status:#010x}"),
        false => status.to_string(),
    }
}

/// A line for the system's shell, with a path in place of each `{}`.
#[cfg(not(windows))]
pub(crate) fn shell(line: &str, file: &Path) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(line.replace("{}", &crate::problem::quoted(&file.to_string_lossy())));
    shell
}

// Portability: `cmd` reads its line itself, by other rules than the programs that it starts; paths have no quotes
// there.
#[cfg(windows)]
pub(crate) fn shell(line: &str, file: &Path) -> Command {
    let line = line.replace("{}", &format!("\"{}\"", file.display()));
    let mut shell = Command::new("cmd");
    std::os::windows::process::CommandExt::raw_arg(&mut shell, format!("/D /S /C \"{line}\""));
    shell
}

/// The outcome of a command.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub(crate) ended: Ended,
    /// Its standard output, then its standard error.
    pub(crate) said: String,
}

/// Output of a command beyond this is not read.
const MOST_SAID: u64 = 1 << 20;

/// Runs a command until it ends or its time is spent; then its whole process group is killed. What it prints goes to
/// files beside `log`, since a pipe that is not read would stop it.
pub(crate) fn run(command: &mut Command, log: &Path, patience: Duration) -> std::io::Result<Ran> {
    let names = ["out", "err"].map(|ending| log.with_extension(ending));
    command.stdin(Stdio::null()).stdout(File::create(&names[0])?).stderr(File::create(&names[1])?);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.spawn()?;
    let running = Running::new(&child);
    let status = wait(&mut child, patience)?;
    drop(running);
    let mut said = String::new();
    for name in &names {
        let mut bytes = Vec::new();
        File::open(name)?.take(MOST_SAID).read_to_end(&mut bytes)?;
        said.push_str(&String::from_utf8_lossy(&bytes));
        // The next command makes new ones.
        let _ = std::fs::remove_file(name);
    }
    Ok(Ran { ended: status.map_or(Ended::TimedOut, ended), said })
}

/// Kills all commands that run, with their children, in a process that is about to end, since no other process would.
pub(crate) fn end_all() {
    #[cfg(unix)]
    running::end_all();
}

/// A command while it runs, for [`end_all`].
#[cfg(unix)]
use running::Running;

// Portability: other systems have no process groups, and commands end by themselves there.
#[cfg(not(unix))]
struct Running;

#[cfg(not(unix))]
impl Running {
    fn new(_: &Child) -> Running {
        Running
    }
}

#[cfg(unix)]
mod running {
    use std::process::Child;
    use std::sync::Mutex;

    use rustix::process::{Pid, Signal, kill_process_group};

    static ALL: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

    pub(super) struct Running(Pid);

    impl Running {
        pub(super) fn new(child: &Child) -> Running {
            let pid = Pid::from_child(child);
            if let Ok(mut all) = ALL.lock() {
                all.push(pid);
            }
            Running(pid)
        }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            if let Ok(mut all) = ALL.lock() {
                all.retain(|it| *it != self.0);
            }
        }
    }

    pub(super) fn end_all() {
        for group in ALL.lock().iter().flat_map(|it| it.iter()) {
            let _ = kill_process_group(*group, Signal::KILL);
        }
    }
}

/// `None` if the time was spent.
fn wait(child: &mut Child, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
    let begin = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begin.elapsed() >= patience {
            kill(child);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

#[cfg(unix)]
fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // The leader has not been waited for, so the group is still its own.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
}

#[cfg(not(unix))]
fn kill(child: &mut Child) {
    let _ = child.kill();
}

fn ended(status: ExitStatus) -> Ended {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ended::Signal(signal);
    }
    Ended::Status(status.code().unwrap_or(-1))
}

/// The words of a command line as a shell splits them, without the other expansions of a shell. On Windows a backslash,
/// which separates folders, is a character as any other.
pub(crate) fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            it if it.is_whitespace() => words.extend(word.take()),
            '\\' if !cfg!(windows) => word.get_or_insert_default().extend(letters.next()),
            quote @ ('\'' | '"') => {
                let into = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        None => return Err(format!("`{line}`: a quote is not closed")),
                        Some(it) if it == quote => break,
                        Some('\\') if quote == '"' && !cfg!(windows) => into.extend(letters.next()),
                        Some(it) => into.push(it),
                    }
                }
            }
            it => word.get_or_insert_default().push(it),
        }
    }
    words.extend(word);
    match words.is_empty() {
        true => Err("the command is empty".to_owned()),
        false => Ok(words),
    }
}

/// A folder of this process for files of commands, which goes with the value.
#[derive(Debug)]
pub(crate) struct Scratch(pub(crate) std::path::PathBuf);

impl Scratch {
    pub(crate) fn new() -> std::io::Result<Scratch> {
        static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("wavelane-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, the system clears its folder of temporary files later.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(windows))]
    #[test]
    fn lines_are_split_like_a_shells() {
        let words = split(r#"dxc -T cs_6_6 "a b" 'c "d"' e\ f "g\"h" ''"#).unwrap();
        assert_eq!(words, ["dxc", "-T", "cs_6_6", "a b", "c \"d\"", "e f", "g\"h", ""]);
        assert!(split("a 'b").is_err() && split("  ").is_err());
    }

    #[test]
    fn an_exit_status_of_windows_distinguishes_crashes_from_refusals() {
        let [access_violation, failure] = [0xC000_0005_u32, 0x8000_4005].map(u32::cast_signed);
        assert!(is_crash(access_violation) && is_crash(139));
        assert!(!is_crash(failure) && !is_crash(1) && !is_crash(-1));
        assert_eq!(status_text(access_violation), "0xc0000005");
        assert_eq!(status_text(3), "3");
    }

    #[cfg(unix)]
    #[test]
    fn a_command_ends_with_its_children_when_its_time_is_spent() {
        let scratch = Scratch::new().unwrap();
        let mark = scratch.0.join("mark");
        let mut command = Command::new("sh");
        command.args(["-c", "(sleep 1; : > \"$1\") & wait", "sh"]).arg(&mark);
        let ran = run(&mut command, &scratch.0.join("log"), Duration::from_millis(50)).unwrap();
        assert_eq!(ran.ended, Ended::TimedOut);
        std::thread::sleep(Duration::from_millis(1500));
        assert!(!mark.exists());
        let mut command = Command::new("sh");
        command.args(["-c", "echo a; echo b >&2; kill -SEGV $$"]);
        let ran = run(&mut command, &scratch.0.join("log"), Duration::from_secs(20)).unwrap();
        assert_eq!((ran.ended, ran.said.as_str()), (Ended::Signal(11), "a\nb\n"));
    }
}
