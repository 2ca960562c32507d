//! `cargo xtask mutate`: measures how many planted faults the sanitizer finds.

use sanitizer::Kind;
use suite::plant::{self, Faults, Tally, Verdict, class, pixels};

/// Programs of each class, unless a flag says otherwise.
const PROGRAMS: u32 = 300;
/// The fraction that must be found of each class, and of all together, where the wrong line must be the first place,
/// too.
const LEAST_OF_A_CLASS: f64 = 0.90;
const LEAST: f64 = 0.95;

/// The document with the table, which is between two marks.
const DOCUMENT: &str = "docs/sanitizer.md";
const BEGIN: &str = "<!-- mutate -->\n";
const END: &str = "<!-- end -->";

/// The flags, and whether each takes a value.
const FLAGS: [(&str, bool); 3] = [("--programs", true), ("--class", true), ("--show", false)];

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match FLAGS.iter().find(|it| it.0 == argument) {
            Some((name, true)) => {
                rest.next().ok_or_else(|| format!("`{name}` takes a value"))?;
            }
            Some((_, false)) => {}
            None => return Err(crate::USAGE.to_owned()),
        }
    }
    let value = |name: &str| {
        let at = arguments.iter().position(|it| it == name)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let programs = match value("--programs") {
        Some(text) => text.parse().map_err(|_| format!("`{text}` is not a number"))?,
        None => PROGRAMS,
    };
    let filter = value("--class");
    let shows = arguments.iter().any(|it| it == "--show");
    let mut tallies: Vec<(&str, Kind, Tally)> = Vec::new();
    let is_wanted = |name: &str| filter.is_none_or(|text| name.contains(text));
    for class in class::all().filter(|it| is_wanted(it.name)) {
        tallies.push((class.name, class.kind, measure(class, programs, shows)?));
    }
    for class in pixels::all().filter(|it| is_wanted(it.name)) {
        tallies.push((class.name, class.kind, measure(class, programs, shows)?));
    }
    let table = plant::table(&tallies);
    let sum = |of: fn(&Tally) -> u32| tallies.iter().map(|(_, _, it)| of(it)).sum::<u32>();
    let (planted, found) = (sum(|it| it.planted), sum(|it| it.found));
    let (first, own) = (sum(|it| it.first), sum(|it| it.own));
    let share = |count: u32| 100.0 * f64::from(count) / f64::from(planted.max(1));
    let summary = format!(
        "{found} of {planted} found. The first place that the report names is a line of the fault for {:.1} %, and the wrong line itself for {:.1} %: the explanation score.",
        share(first),
        share(own)
    );
    println!("{table}\n{summary}");
    if filter.is_none() {
        record(&format!("{table}\n{summary}\n"))?;
    }
    let poor = tallies
        .iter()
        .filter(|(_, _, it)| f64::from(it.found) < LEAST_OF_A_CLASS * f64::from(it.planted))
        .map(|(name, _, _)| *name);
    let poor: Vec<&str> = poor.collect();
    if !poor.is_empty() || f64::from(found) < LEAST * f64::from(planted) {
        return Err(format!("too few were found: {}", poor.join("; ")));
    }
    for (count, what) in [(first, "are the first place named"), (own, "at the wrong line itself")] {
        if f64::from(count) < LEAST * f64::from(planted) {
            return Err(format!("of {planted} faults, only {count} {what}"));
        }
    }
    Ok(())
}

/// Plants faults of a class, and prints those that are not found, or with `shows` not at the wrong line itself.
fn measure<F: Faults>(class: &F, programs: u32, shows: bool) -> Result<Tally, String> {
    let (tally, name) = (plant::measure(class, programs)?, class.name());
    for (seed, verdict) in &tally.failures {
        println!("{name}, seed {seed}: {verdict:?}");
        if let (true, Some(planted)) = (shows, class.plant(*seed)) {
            let text = match verdict {
                Verdict::FalseAlarm(_) => &planted.clean,
                _ => &planted.faulty,
            };
            println!("lines {:?}\n{text}", planted.lines);
        }
    }
    for seed in tally.other.iter().filter(|_| shows) {
        if let Some(planted) = class.plant(*seed) {
            let reports = plant::reports(class, &planted)?;
            println!("{name}, seed {seed}: another line\n{}\n{reports}", planted.faulty);
        }
    }
    Ok(tally)
}

fn record(text: &str) -> Result<(), String> {
    let path = crate::root().join(DOCUMENT);
    let old = std::fs::read_to_string(&path).map_err(|error| format!("{DOCUMENT}: {error}"))?;
    let parts = old.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) =
        parts.ok_or_else(|| format!("{DOCUMENT} lacks the marks of the table"))?;
    std::fs::write(&path, format!("{before}{BEGIN}{text}{END}{after}"))
        .map_err(|error| format!("{DOCUMENT}: {error}"))
}
