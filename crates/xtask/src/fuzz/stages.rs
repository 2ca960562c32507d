//! `cargo xtask fuzz --pixels` and `--mesh`: generated pixel shaders, or mesh and amplification shaders, on the reference
//! engine and the fast one, compared with the second evaluator, on several threads. A failure is printed with its program.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use cpu::Isa;
use generate::Statistics;
use generate::second;
use suite::section::WIDTHS;
use suite::{meshlets, pixels};

/// The programs of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Pixels,
    Mesh,
}

impl Of {
    pub(super) fn named(flag: &str) -> Option<Of> {
        match flag {
            "--pixels" => Some(Of::Pixels),
            "--mesh" => Some(Of::Mesh),
            _ => None,
        }
    }
}

pub(super) fn run(of: Of, arguments: &[String]) -> Result<(), String> {
    let (mut runs, mut first) = (10_000u64, 1_000_000u64);
    let mut threads = std::thread::available_parallelism().map_or(1, |it| it.get() as u64);
    let flags = [("--runs", &mut runs), ("--seed", &mut first), ("--threads", &mut threads)];
    super::numbers(arguments, flags)?;
    let start = Instant::now();
    let sets = suite::engines::sets();
    let next = AtomicU64::new(0);
    let failed: Mutex<Option<(u64, String)>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut statistics = Statistics::default();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let is_over = failed.lock().map_or(true, |it| it.is_some());
                    if number >= runs || is_over {
                        return;
                    }
                    let seed = first.saturating_add(number);
                    let Err(what) = try_seed(of, seed, &sets, &mut statistics) else { continue };
                    if let Ok(mut place) = failed.lock() {
                        place.get_or_insert((seed, what));
                    }
                }
            });
        }
    });
    if let Some((seed, what)) = failed.into_inner().map_err(|_| "a thread has panicked")? {
        return Err(format!("seed {seed}, {what}"));
    }
    let what = match of {
        Of::Pixels => "pixel shaders",
        Of::Mesh => "mesh shaders",
    };
    println!("{runs} {what} agree, {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Compares one generated shader; the error says what differs.
fn try_seed(of: Of, seed: u64, sets: &[Isa], statistics: &mut Statistics) -> Result<(), String> {
    let width = WIDTHS[(seed % WIDTHS.len() as u64) as usize];
    if of == Of::Mesh {
        let program = generate::meshlets(seed, width, statistics);
        return meshlets::compare(&program, width, sets).map(|_| ());
    }
    let program = generate::pixels(seed, width, statistics);
    let expected = second::evaluate(&program, width);
    let got = pixels::log_of(&program, width, sets);
    if got.as_ref() == Ok(&expected) {
        return Ok(());
    }
    let text = generate::print(&program);
    let what = got.err().unwrap_or_else(|| "the logs differ".to_owned());
    Err(format!("width {width}: {what}\n{text}"))
}
