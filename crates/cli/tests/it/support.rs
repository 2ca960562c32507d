//! Runs the built program in folders of tests.
#![cfg_attr(not(unix), allow(dead_code, reason = "some tests need Unix"))]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How a run of the program ended, and what it printed.
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran {
            status: output.status.code().unwrap(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

impl Ran {
    /// Standard output, then standard error.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }
}

/// A folder for a test, with these files beside those that are there. Its name begins with that of the module: tests
/// run side by side.
pub(crate) fn folder<T: AsRef<[u8]>>(name: &str, files: &[(&str, T)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// The same folder with nothing but these files.
pub(crate) fn fresh_folder<T: AsRef<[u8]>>(name: &str, files: &[(&str, T)]) -> PathBuf {
    let _ = std::fs::remove_dir_all(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
    folder(name, files)
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The program, independent of the terminal and of a runner that deals tests to shards.
///
/// Mesa's CPU driver of Vulkan, if there is one, compiles without optimisation. Most shaders run once, and compiling
/// them takes the time.
pub(crate) fn command(folder: &Path, words: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavelane"));
    command.args(words).current_dir(folder).env("NO_COLOR", "1").env("GALLIVM_PERF", "nopt");
    command.env_remove("LIT_NUM_SHARDS").env_remove("LIT_RUN_SHARD");
    command
}

pub(crate) fn wavelane(folder: &Path, words: &[impl AsRef<OsStr>]) -> Ran {
    command(folder, words).output().unwrap().into()
}

/// Starts the program, sends it a signal once `is_time`, and returns the signal that ended it, and what it printed.
#[cfg(unix)]
pub(crate) fn interrupted(
    folder: &Path,
    words: &[&str],
    signal: &str,
    mut is_time: impl FnMut() -> bool,
) -> (Option<i32>, String, String) {
    use std::os::unix::process::ExitStatusExt;
    let mut command = command(folder, words);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    // The leader of a group, as a command that a shell or `timeout` starts: all its processes get the signal.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().unwrap();
    while !is_time() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // As `timeout` does it: to the process, and at once to its group.
    for id in [child.id().to_string(), format!("-{}", child.id())] {
        let sent = Command::new("kill").args(["-s", signal, "--", &id]).status().unwrap();
        assert!(sent.success());
    }
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.signal(), text(output.stdout), text(output.stderr))
}

/// The program, for Mesa's CPU driver of Vulkan with vectors of this many bits; other drivers ignore the variable.
pub(crate) fn on_processor(folder: &Path, words: &[impl AsRef<OsStr>], vector: u32) -> Command {
    let mut command = command(folder, words);
    command.env("LP_NATIVE_VECTOR_WIDTH", vector.to_string());
    command
}

/// The first CPU among the devices of Vulkan that can be used, with vectors of this many bits; prints a line if there
/// is none.
#[expect(clippy::print_stdout, reason = "what is skipped must be seen")]
pub(crate) fn processor(vector: u32) -> Option<serde_json::Value> {
    let mut caps = on_processor(&root(), &["caps", "--format", "json"], vector);
    let caps = Ran::from(caps.output().unwrap()).json();
    for it in caps["devices"].as_array()? {
        let usable = it["unusable"].as_str().unwrap_or("usable");
        println!("{} {}: {usable}", it["name"], it["driver"]);
        if it["kind"] == "CPU" && it["unusable"].is_null() && it["backend"] != "cuda" {
            return Some(it.clone());
        }
    }
    skipped::skipped!("no CPU driver of Vulkan can be used here");
    None
}

/// The words of a line without quotes.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}
