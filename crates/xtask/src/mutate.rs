//! `cargo xtask mutate`: how many planted faults the sanitizer finds.

use suite::plant::{self, Class, Tally, Verdict, class};

/// At least so many of a class must be found, and of all together.
const LEAST_OF_A_CLASS: f64 = 0.90;
const LEAST: f64 = 0.95;

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let value = |name: &str| {
        let at = arguments.iter().position(|it| it == name)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let programs = match value("--programs") {
        Some(text) => text.parse().map_err(|_| format!("`{text}` is no number"))?,
        None => 60,
    };
    let filter = value("--class");
    let shows = arguments.iter().any(|it| it == "--show");
    let mut tallies: Vec<(&Class, Tally)> = Vec::new();
    for class in class::ALL.iter().filter(|it| filter.is_none_or(|text| it.name.contains(text))) {
        let tally = plant::measure(class, programs)?;
        for (seed, verdict) in &tally.failures {
            println!("{}, seed {seed}: {verdict:?}", class.name);
            if let (true, Some(planted)) = (shows, plant::plant(class, *seed)) {
                let text = match verdict {
                    Verdict::FalseAlarm(_) => &planted.clean,
                    _ => &planted.faulty,
                };
                println!("lines {:?}\n{text}", planted.lines);
            }
        }
        tallies.push((class, tally));
    }
    let table = plant::table(&tallies);
    let (planted, found) = tallies
        .iter()
        .fold((0, 0), |(planted, found), (_, it)| (planted + it.planted, found + it.found));
    println!("{table}\n{found} of {planted} found");
    let poor = tallies
        .iter()
        .filter(|(_, it)| f64::from(it.found) < LEAST_OF_A_CLASS * f64::from(it.planted))
        .map(|(class, _)| class.name);
    let poor: Vec<&str> = poor.collect();
    if !poor.is_empty() || f64::from(found) < LEAST * f64::from(planted) {
        return Err(format!("too few were found: {}", poor.join("; ")));
    }
    Ok(())
}
