//! `cargo xtask fuzz --spirv`: emits generated programs, and those of the suite, as SPIR-V for every environment, and
//! validates them. No device is needed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use suite::gpu::Generated;
use suite::validate::{Shader, Validator, Verdict, Ways, sections};
use wavelane::internal::spirv_target::Vulkan;

use super::batches::on_threads;

/// The wave size that programs are generated for. The module does not fix it, but the program depends on it.
const WIDTH: u32 = 32;
/// A run ends after this many invalid modules.
const MOST_FAILURES: usize = 20;

struct Plan {
    runs: u64,
    seed: u64,
    threads: u64,
    seconds: u64,
    suite: bool,
}

#[derive(Default)]
struct Tally {
    programs: u64,
    valid: u64,
    not_emitted: BTreeMap<&'static str, u64>,
    failures: BTreeSet<String>,
}

pub(super) fn run(arguments: &[String]) -> Result<(), String> {
    let mut plan = Plan { runs: 1000, seed: 0, threads: 2, seconds: u64::MAX, suite: false };
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        if flag == "--suite" {
            plan.suite = true;
            continue;
        }
        let value = rest.next().ok_or(crate::USAGE)?;
        let number =
            value.parse().map_err(|_| format!("`{flag}` expects a number, not `{value}`"))?;
        match flag.as_str() {
            "--runs" => plan.runs = number,
            "--seed" => plan.seed = number,
            "--threads" => plan.threads = number.clamp(1, 256),
            "--seconds" => plan.seconds = number,
            _ => return Err(crate::USAGE.to_owned()),
        }
    }
    let Some(validator) = Validator::find() else {
        return Err(
            "cannot find `spirv-val`; install it, or set `SPIRV_VAL` to its path".to_owned()
        );
    };
    let shortcomings = validator.shortcomings();
    if !shortcomings.is_empty() {
        println!("{} does not support {}: skipped", validator.path(), shortcomings.join(", "));
    }
    let start = Instant::now();
    let tally = Mutex::new(Tally::default());
    if plan.suite {
        let all = sections(WIDTH)?;
        let next = AtomicU64::new(0);
        on_threads(plan.threads, || {
            let number = next.fetch_add(1, Ordering::Relaxed) as usize;
            let Some((name, module)) = all.get(number) else { return Ok(false) };
            judge(&validator, name, module, &tally)
        })?;
    }
    // A program depends on the earlier ones of its thousand, so a thread takes a hundred at a time.
    let next = AtomicU64::new(0);
    on_threads(plan.threads, || {
        let first = next.fetch_add(100, Ordering::Relaxed);
        let mut programs = Generated::new(WIDTH);
        for offset in first..plan.runs.min(first.saturating_add(100)) {
            let seed = plan.seed.wrapping_add(offset);
            let module = programs.module(seed).map_err(|what| format!("seed {seed}: {what}"))?;
            let goes_on = judge(&validator, &format!("seed {seed}"), &module.into(), &tally)?;
            if !goes_on || start.elapsed().as_secs() >= plan.seconds {
                return Ok(false);
            }
        }
        Ok(first < plan.runs)
    })?;
    let tally = tally.into_inner().map_err(|_| "a thread has panicked")?;
    let Tally { programs, valid, not_emitted, failures } = tally;
    println!("{programs} programs, {valid} modules are valid, in {:.0?}", start.elapsed());
    for (what, count) in &not_emitted {
        println!("not emitted, {count}: {what}");
    }
    match failures.len() {
        0 => Ok(()),
        count => Err(format!("{count} are not valid")),
    }
}

/// Validates a module in every environment; returns whether to continue.
fn judge(
    validator: &Validator,
    name: &str,
    shader: &Shader,
    tally: &Mutex<Tally>,
) -> Result<bool, String> {
    let environments = validator.versions().iter().flat_map(|it| Ways::ALL.map(|ways| (*it, ways)));
    let judged: Vec<(Vulkan, Ways, Verdict)> = environments
        .map(|(vulkan, ways)| (vulkan, ways, validator.judge(shader, vulkan, ways)))
        .collect();
    let mut tally = tally.lock().map_err(|_| "a thread has panicked")?;
    tally.programs += 1;
    for (vulkan, ways, verdict) in judged {
        match verdict {
            Verdict::Valid => tally.valid += 1,
            Verdict::NotEmitted(what) => *tally.not_emitted.entry(what).or_default() += 1,
            Verdict::Invalid(what) => {
                let failure = format!("{name} for {}, {ways:?}: {what}", vulkan.name());
                println!("{failure}");
                tally.failures.insert(failure);
            }
        }
    }
    Ok(tally.failures.len() < MOST_FAILURES)
}
