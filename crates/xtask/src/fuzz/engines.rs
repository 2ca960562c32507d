//! `cargo xtask fuzz --engines`: differential testing of the reference engine and the fast one, bit for bit. Generated,
//! irregular and non-terminating programs alternate with those whose results depend on the order of waves, which run on
//! several threads as well. A failure is minimised and printed as a section of the suite.
//!
//! With `--hostile`: programs with arbitrary indices, between guard pages. These need a special allocator, which only a
//! test of the suite has, so this runs that test with the requested numbers.

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use generate::Statistics;
use suite::engines::{Programs, try_seed};

pub(super) fn run(arguments: &[String]) -> Result<(), String> {
    if arguments.first().is_some_and(|it| it == "--hostile") {
        return hostile(&arguments[1..]);
    }
    let (mut runs, mut first) = (100_000u64, 1_000_000u64);
    let mut threads = std::thread::available_parallelism().map_or(1, |it| it.get() as u64);
    let flags = [("--runs", &mut runs), ("--seed", &mut first), ("--threads", &mut threads)];
    super::numbers(arguments, flags)?;
    let threads = threads.max(1);
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let too_large = AtomicU64::new(0);
    let failed: Mutex<Option<String>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut statistics = Statistics::default();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let over = failed.lock().map_or(true, |it| it.is_some());
                    if number >= runs || over {
                        return;
                    }
                    let programs = Programs::ALL[(number % 4) as usize];
                    match try_seed(programs, first.wrapping_add(number / 4), &mut statistics) {
                        Ok(true) => {}
                        Ok(false) => _ = too_large.fetch_add(1, Ordering::Relaxed),
                        Err(what) => {
                            if let Ok(mut place) = failed.lock() {
                                place.get_or_insert(what);
                            }
                        }
                    }
                }
            });
        }
    });
    if let Some(what) = failed.into_inner().map_err(|_| "a thread has panicked")? {
        return Err(what);
    }
    let too_large = too_large.into_inner();
    println!(
        "{} programs agree, {too_large} are too large, {:.0} s",
        runs - too_large,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn hostile(arguments: &[String]) -> Result<(), String> {
    let (mut count, mut seed) = (3000u64, 1_000_000u64);
    super::numbers(arguments, [("--count", &mut count), ("--seed", &mut seed)])?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let status = Command::new(cargo)
        .args(["test", "-q", "-p", "suite", "--test", "hostile", "--", "--nocapture"])
        .env("HOSTILE_COUNT", count.to_string())
        .env("HOSTILE_SEED", seed.to_string())
        .current_dir(crate::root())
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err("a hostile program failed; its seed is above".to_owned())
    }
}
