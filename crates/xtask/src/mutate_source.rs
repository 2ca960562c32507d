//! `cargo xtask mutate-source`: mutation testing of this repository's own code: a test must notice each small change.
//!
//! A build for each change would take days, so mutants are compiled into one program (mutant schemata): a copy of the
//! repository holds a whole sample of them, each behind a switch (`rewrite.rs`) that an environment variable selects
//! (`switch.rs`). A first run of all tests without a change records which places each test reaches; then each mutant
//! runs the tests that reach it, the fastest first, until one fails.
//!
//! `cargo xtask mutate` is a different command: it plants faults in shaders, for the sanitizer to find.

mod ledger;
mod rewrite;
mod sites;
mod stages;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ledger::{Entry, Outcome};
use sites::{Kind, Site};
use stages::{End, Stage};

struct Flags {
    sample: usize,
    seed: u64,
    krate: Option<String>,
    only: Vec<String>,
    /// Stages that take longer without mutants are skipped.
    most_seconds: f64,
    jobs: usize,
    /// Whether to skip mutants that a test noticed in an earlier run.
    resume: bool,
    list: bool,
    /// Whether to end after the build, so that another machine can try the mutants.
    build: bool,
    /// Whether to try the mutants of an earlier build.
    built: bool,
}

fn flags(arguments: &[String]) -> Result<Flags, String> {
    let mut flags = Flags {
        sample: 250,
        seed: 1,
        krate: None,
        only: Vec::new(),
        most_seconds: 600.0,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        resume: false,
        list: false,
        build: false,
        built: false,
    };
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        match name.as_str() {
            "--resume" => flags.resume = true,
            "--list" => flags.list = true,
            "--build" => flags.build = true,
            "--built" => flags.built = true,
            _ => {
                let value = rest.next().ok_or_else(|| format!("`{name}` needs a value"))?;
                let wrong = |_| format!("`{name}` expects a number, not `{value}`");
                match name.as_str() {
                    "--sample" => flags.sample = value.parse().map_err(wrong)?,
                    "--seed" => flags.seed = value.parse().map_err(wrong)?,
                    "--jobs" => flags.jobs = value.parse::<usize>().map_err(wrong)?.max(1),
                    "--stage-seconds" => {
                        flags.most_seconds = value.parse::<u32>().map_err(wrong)?.into();
                    }
                    "--crate" if tree::CRATES.contains(&value.as_str()) => {
                        flags.krate = Some(value.clone());
                    }
                    "--crate" => {
                        let all = tree::CRATES.join("`, `");
                        return Err(format!(
                            "`{value}` is not one of the mutated crates; `--crate` expects `{all}`"
                        ));
                    }
                    "--only" => flags.only.extend(value.split(',').map(str::to_owned)),
                    _ => return Err(format!("unknown flag `{name}`")),
                }
            }
        }
    }
    Ok(flags)
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let flags = flags(arguments)?;
    let mut all: BTreeMap<&str, Vec<Site>> = BTreeMap::new();
    for krate in tree::CRATES {
        all.insert(krate, tree::all(krate)?);
    }
    let ids: BTreeSet<&str> = all.values().flatten().map(|it| it.id.as_str()).collect();
    for (id, what) in ledger::equivalent() {
        if !ids.contains(id) {
            println!("equivalent.txt: {id} no longer exists: {what}");
        }
    }
    println!("{} places can be changed", ids.len());
    let chosen = choose(&flags, &all)?;
    if flags.list {
        for it in &chosen {
            let (kind, line) = (it.kind.name(), it.line);
            println!("{} {}:{line} {kind}: `{}` → `{}`", it.id, it.file, it.original, it.mutated);
        }
        return Ok(());
    }
    std::fs::create_dir_all(tree::folder()).map_err(|it| format!("target/mutants: {it}"))?;
    let built = if flags.built { tree::Built::read()? } else { tree::build(&chosen)? };
    if flags.build {
        return built.write();
    }
    let tree::Built { programs, dropped } = built;
    let mut stages = record(stages::stages(&programs)?, flags.jobs, flags.most_seconds)?;
    stages.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let tried: Vec<(u32, &Site)> =
        (0..).zip(&chosen).filter(|(number, _)| !dropped.contains(number)).collect();
    let entries = try_all(&tried, &stages, &flags)?;
    report(&entries, chosen.len() - tried.len())
}

/// Samples mutants of each crate: the kinds of changes alternate, and no two overlap.
fn choose(flags: &Flags, all: &BTreeMap<&str, Vec<Site>>) -> Result<Vec<Site>, String> {
    if !flags.only.is_empty() {
        let wanted = |it: &&Site| flags.only.iter().any(|id| it.id.starts_with(id.as_str()));
        let found: Vec<Site> = all.values().flatten().filter(wanted).cloned().collect();
        let mut apart: Vec<Site> = Vec::new();
        for site in found {
            match apart.iter().find(|it| overlap(it, &site)) {
                Some(other) => {
                    return Err(format!(
                        "`{}` and `{}` change the same text; try them in separate runs",
                        other.id, site.id
                    ));
                }
                None => apart.push(site),
            }
        }
        return match apart.is_empty() {
            true => Err(format!("no mutant has the id `{}`", flags.only.join(","))),
            false => Ok(apart),
        };
    }
    let crates: Vec<&str> = match &flags.krate {
        Some(one) => vec![one.as_str()],
        None => tree::CRATES.to_vec(),
    };
    let mut chosen = Vec::new();
    for (place, krate) in crates.iter().enumerate() {
        let share = (flags.sample + place) / crates.len();
        let mut by_kind: BTreeMap<Kind, Vec<&Site>> = BTreeMap::new();
        for site in &all[krate] {
            by_kind.entry(site.kind).or_default().push(site);
        }
        for sites in by_kind.values_mut() {
            sites.sort_by_key(|it| sites::hash(&format!("{} {}", flags.seed, it.id)));
        }
        let mut of_crate: Vec<Site> = Vec::new();
        while of_crate.len() < share && by_kind.values().any(|it| !it.is_empty()) {
            for sites in by_kind.values_mut() {
                let next = sites.pop();
                if let Some(site) = next
                    && of_crate.len() < share
                    && !of_crate.iter().any(|it| overlap(it, site))
                {
                    of_crate.push(site.clone());
                }
            }
        }
        chosen.extend(of_crate);
    }
    Ok(chosen)
}

fn overlap(one: &Site, other: &Site) -> bool {
    let (a, b) = (one.hull(), other.hull());
    one.file == other.file && a.start < b.end && b.start < a.end
}

/// Runs all stages without a mutant, and notes how long each takes and which places it reaches.
fn record(stages: Vec<Stage>, jobs: usize, most_seconds: f64) -> Result<Vec<Stage>, String> {
    let (next, shared, done) = (AtomicUsize::new(0), Mutex::new(()), Mutex::new(Vec::new()));
    let work = |_: usize| -> Result<(), String> {
        while let Some(stage) = stages.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut stage = stage.clone();
            let guard = stage.shares_folders().then(|| shared.lock());
            let name = stage.name.replace(['/', ':', ' '], "-");
            let reached = tree::folder().join(format!("reached-{name}"));
            let _ = std::fs::remove_file(&reached);
            let start = Instant::now();
            let end = stage.record(&reached, most_seconds)?;
            drop(guard);
            stage.seconds = start.elapsed().as_secs_f64();
            let lines = std::fs::read_to_string(&reached).unwrap_or_default();
            stage.reaches = lines.lines().filter_map(|it| it.parse().ok()).collect();
            let (seconds, reaches) = (stage.seconds, stage.reaches.len());
            println!("{}: {seconds:.1} s, reaches {reaches}", stage.name);
            match end {
                End::Passed => done.lock().map_err(|it| it.to_string())?.push(stage),
                other => {
                    println!("skipped, since it fails without mutants: {}, {other:?}", stage.name)
                }
            }
        }
        Ok(())
    };
    parallel(jobs, &work)?;
    done.into_inner().map_err(|it| it.to_string())
}

fn parallel(
    jobs: usize,
    work: &(dyn Fn(usize) -> Result<(), String> + Sync),
) -> Result<(), String> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|it| scope.spawn(move || work(it))).collect();
        threads
            .into_iter()
            .try_for_each(|it| it.join().unwrap_or(Err("a thread failed".to_owned())))
    })
}

fn try_all<'s>(
    tried: &[(u32, &'s Site)],
    stages: &[Stage],
    flags: &Flags,
) -> Result<Vec<Entry<'s>>, String> {
    let (equivalent, earlier) = (ledger::equivalent(), ledger::killed());
    let (next, shared, done) = (AtomicUsize::new(0), Mutex::new(()), Mutex::new(Vec::new()));
    let work = |_: usize| -> Result<(), String> {
        while let Some(&(number, site)) = tried.get(next.fetch_add(1, Ordering::Relaxed)) {
            let start = Instant::now();
            let known = equivalent.get(site.id.as_str()).filter(|_| flags.only.is_empty());
            let (outcome, by) = match (known, earlier.get(&site.id)) {
                (Some(reason), _) => (Outcome::Equivalent, (*reason).to_owned()),
                (None, Some((outcome, by))) if flags.resume => (*outcome, by.clone()),
                _ => try_one(number, stages, &shared)?,
            };
            let entry = Entry { site, outcome, by, seconds: start.elapsed().as_secs_f64() };
            println!("{:.0} s {}", entry.seconds, entry.line());
            let mut done = done.lock().map_err(|it| it.to_string())?;
            ledger::record(&entry)?;
            done.push(entry);
        }
        Ok(())
    };
    parallel(flags.jobs, &work)?;
    done.into_inner().map_err(|it| it.to_string())
}

fn try_one(number: u32, stages: &[Stage], shared: &Mutex<()>) -> Result<(Outcome, String), String> {
    let mut reached = false;
    for stage in stages.iter().filter(|it| it.reaches.contains(&number)) {
        reached = true;
        let guard = stage.shares_folders().then(|| shared.lock());
        let end = stage.notices(number)?;
        drop(guard);
        match end {
            End::Passed => {}
            End::Failed(test) => return Ok((Outcome::Killed, format!("{}: {test}", stage.name))),
            End::OutOfTime => return Ok((Outcome::OutOfTime, stage.name.clone())),
        }
    }
    Ok((if reached { Outcome::Survived } else { Outcome::NotReached }, String::new()))
}

fn report(entries: &[Entry<'_>], dropped: usize) -> Result<(), String> {
    println!("\n{}", ledger::table(entries));
    println!("{dropped} more do not compile");
    let mut open: Vec<&Entry<'_>> = entries
        .iter()
        .filter(|it| [Outcome::Survived, Outcome::NotReached].contains(&it.outcome))
        .collect();
    open.sort_by_key(|it| (&it.site.file, it.site.line));
    for entry in &open {
        println!("{}", entry.line());
    }
    match open.len() {
        0 => Ok(()),
        count => Err(format!("no test notices {count} of {} mutants", entries.len())),
    }
}
