//! `cargo xtask fuzz --engines`: differential testing of the reference engine and the fast one, bit for bit. Generated,
//! irregular and non-terminating programs alternate with those whose results depend on the order of waves, which run on
//! several threads as well. A failure is minimised and printed as a section of the suite.
//!
//! With `--hostile`: programs with arbitrary indices, between guard pages. These need a special allocator, which only a
//! test of the suite has, so this runs that test with the requested numbers.

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use suite::engines::{Programs, try_seed};

use super::batches::Campaign;

pub(super) fn run(arguments: &[String]) -> Result<(), String> {
    if arguments.first().is_some_and(|it| it == "--hostile") {
        return hostile(&arguments[1..]);
    }
    let campaign = Campaign::read(arguments, 100_000, Programs::ALL.len() as u64)?;
    let start = Instant::now();
    let too_large = AtomicU64::new(0);
    campaign.each(|seed, kind, statistics| {
        if !try_seed(Programs::ALL[kind as usize], seed, statistics)? {
            too_large.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    })?;
    let too_large = too_large.into_inner();
    println!(
        "{} programs agree, {too_large} are too large, {:.0} s",
        campaign.runs - too_large,
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
