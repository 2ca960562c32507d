//! `cargo xtask bombs`: what a compiler process takes for a megabyte of every kind of bomb (`suite::bombs`), in
//! processor time and memory, against the bound of `docs/testing.md`. Linux only: the figures come from `/proc`.
//!
//! Deliberately no test: clocks and memory depend on the machine. The test counts work instead.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use suite::bombs::{BOMBS, Bomb};

const BYTES: usize = 1 << 20;
const MOST_SECONDS: f64 = 5.0;
const MOST_BYTES: u64 = 1 << 30;

/// The ways in, each of which ends in other code: machine code behind a run of one group, and a SPIR-V module.
const WAYS: &[(&str, &[&str])] = &[
    (
        "run",
        &[
            "--engine",
            "cpu",
            "--wave-size",
            "32",
            "--groups",
            "1",
            "--fuel",
            "1000000",
            "--bind",
            "O=u32[65536]",
            // Some kinds declare more resources.
            "--auto",
        ],
    ),
    ("emit", &["--spirv"]),
];

/// What one process took.
struct Cost {
    seconds: f64,
    bytes: u64,
    /// The exit status; none after a signal, or where the process was stopped for taking too long.
    status: Option<i32>,
    first_line: String,
}

/// `words`: parts of names; without any, all kinds.
pub(crate) fn run(words: &[String]) -> Result<(), String> {
    let binary = crate::coverage::build()?;
    let folder = crate::root().join("target/bombs");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let chosen = |it: &&Bomb| words.is_empty() || words.iter().any(|word| it.name.contains(word));
    let (mut runs, mut failures) = (0, 0);
    let mut worst = (0.0f64, 0u64);
    println!("{:32} {:6} {:>8} {:>8}  ends", "bomb", "way", "seconds", "MiB");
    for bomb in BOMBS.iter().filter(chosen) {
        let file = folder.join("bomb.hlsl");
        std::fs::write(&file, bomb.fill(BYTES))
            .map_err(|error| format!("{}: {error}", file.display()))?;
        for (way, flags) in WAYS {
            let cost = measure(&binary, &file, way, flags)?;
            let is_bad = cost.seconds > MOST_SECONDS
                || cost.bytes > MOST_BYTES
                || !matches!(cost.status, Some(0..=3));
            println!(
                "{:32} {way:6} {:8.2} {:8}  {}{}{}",
                bomb.name,
                cost.seconds,
                cost.bytes >> 20,
                cost.status.map_or("stopped".to_owned(), |it| format!("status {it}")),
                if cost.first_line.is_empty() { "" } else { ": " },
                cost.first_line,
            );
            runs += 1;
            failures += usize::from(is_bad);
            worst = (worst.0.max(cost.seconds), worst.1.max(cost.bytes));
        }
    }
    println!("{runs} runs, worst {:.1} s and {} MiB", worst.0, worst.1 >> 20);
    match failures {
        0 => Ok(()),
        _ => Err(format!("{failures} took more than {MOST_SECONDS} s or 1 GiB, or crashed")),
    }
}

fn measure(binary: &Path, file: &Path, way: &str, flags: &[&str]) -> Result<Cost, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", binary.display());
    let before = children_seconds()?;
    let errors = file.with_extension("txt");
    let stderr = std::fs::File::create(&errors).map_err(failed)?;
    let mut child = Command::new(binary)
        .arg(way)
        .arg(file)
        .args(flags)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .map_err(failed)?;
    let (status, bytes) = watch(&mut child).map_err(failed)?;
    let text = std::fs::read_to_string(&errors).unwrap_or_default();
    let first_line = text.lines().next().unwrap_or_default();
    let first_line = first_line.rsplit("bomb.hlsl").next().unwrap_or_default();
    Ok(Cost {
        seconds: children_seconds()? - before,
        bytes,
        status,
        first_line: first_line.chars().take(90).collect(),
    })
}

/// Waits for the process, and stops it when it is far beyond the bound. Returns its status and the most memory it held.
fn watch(child: &mut Child) -> std::io::Result<(Option<i32>, u64)> {
    let start = Instant::now();
    let status_file = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut most = 0;
    loop {
        let text = std::fs::read_to_string(&status_file).unwrap_or_default();
        most = most.max(peak(&text).unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), most));
        }
        let is_beyond =
            start.elapsed().as_secs_f64() > 20.0 * MOST_SECONDS || most > 4 * MOST_BYTES;
        if is_beyond {
            child.kill()?;
            child.wait()?;
            return Ok((None, most));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The line `VmHWM: N kB` of a process's status: the most memory it has held.
fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find(|it| it.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

/// Processor time of all children that have ended, the fields `cutime` and `cstime` of `/proc/self/stat`.
fn children_seconds() -> Result<f64, String> {
    /// The kernel counts in hundredths of a second for every process that reads this file.
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat")
        .map_err(|error| format!("/proc/self/stat: {error}; `bombs` needs Linux"))?;
    let behind_name = text.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = behind_name.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|it| it.parse::<u64>().ok());
    match (ticks(13), ticks(14)) {
        (Some(user), Some(system)) => Ok((user + system) as f64 / TICKS),
        _ => Err("/proc/self/stat has another form".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_bomb_fills_what_it_is_given_and_no_more() {
        for bomb in suite::bombs::BOMBS {
            let length = bomb.fill(20_000).len();
            assert!((10_000..=20_000).contains(&length), "{}: {length} bytes", bomb.name);
        }
    }
}
