//! Supervision of the worker of a campaign: it gets a unit, and gets it again if its process ends.
//!
//! A unit that ends its process twice has crashed. This is decided here, so that the record of a crash is the same
//! whether `campaign` or another scheduler distributes the units.

use std::time::Duration;

use campaign::{Outcome, REDUCED, Record, Unit, Work};
use serde_json::{Value, json};

use crate::command::Command;
use crate::fatal;
use crate::flags;
use crate::generated::{Asked, PATIENCE};
use crate::problem::Problem;
use crate::worker::{Answered, Broken, Slot, ask};

/// The words that make a process of this program a worker of this process, with which it ends.
pub(crate) fn worker() -> Vec<String> {
    vec![Command::Worker.name().to_owned(), flags::WORKER.to_owned()]
}

/// The signature of a unit whose process ended.
const ENDED: &str = "its process ended";
/// More seconds than any run takes, and far fewer than a `Duration` can hold.
const LONGEST: f64 = 1e9;

/// The records of a unit.
pub(crate) struct Ran {
    pub(crate) records: Vec<Record>,
    /// Whether a failure is still to be reduced, because the request had the key `later`.
    pub(crate) is_left: bool,
}

/// Whether a worker that tests up to `attempts` candidates reduces the failure of this record.
pub(crate) fn is_reduced(attempts: usize, record: &Record) -> bool {
    attempts > 0
        && record.outcome.fails()
        // If a whole process hangs, each candidate would take the whole time limit of a unit.
        && !(record.outcome == Outcome::Hang && record.signature.as_deref() == Some(ENDED))
        && Unit::parse(&record.unit).is_some_and(|it| matches!(it.work, Work::Fuzz { .. }))
}

/// The record of a smaller program that ends its process as that of a unit did. There is one in any case: without it
/// the unit would be run again when the campaign is resumed.
fn reduced(
    slot: &mut Slot<'_>,
    request: &Value,
    unit: &str,
    broken: &Broken,
) -> Result<Record, Problem> {
    let mut record = Record::new(format!("{REDUCED}{unit}"), Outcome::Crash);
    record.signature = Some(ENDED.to_owned());
    if let (Some(asked), Some(unit)) = (Asked::from_json(request), Unit::parse(unit))
        && let Some((asked, program)) = asked.of_unit(&unit)
    {
        record.text = fatal::reduced(slot, &asked, program, broken)?;
    }
    Ok(record)
}

/// Runs a unit. With the key `later` in the request its failure is not reduced yet.
pub(crate) fn run(slot: &mut Slot<'_>, request: &Value) -> Result<Ran, Problem> {
    let Some(unit) = request["unit"].as_str() else {
        return Err(Problem::input("the request names no unit"));
    };
    // The worker reports its device before a driver can end its process.
    let mut named = unit.to_owned();
    let attempts = request["attempts"].as_u64().unwrap_or(0) as usize;
    let is_later = request["later"].as_bool().unwrap_or(false);
    let mut request = request.clone();
    if is_later {
        request["attempts"] = json!(0);
    }
    let seconds = request["timeout"].as_f64().filter(|it| (0.0..=LONGEST).contains(it));
    let once = seconds.map_or(PATIENCE, Duration::from_secs_f64);
    let calls = u32::try_from(attempts).unwrap_or(u32::MAX).saturating_add(4);
    let patience = once.saturating_mul(calls).saturating_add(Duration::from_secs(60));
    let mut broken = Broken::default();
    for _ in 0..2 {
        let begun = |line: Value| named = line["begin"].as_str().unwrap_or(unit).to_owned();
        match ask(slot, &request, patience, begun)? {
            Answered::Whole(answer) => {
                if answer["lost"].as_bool().unwrap_or(false) {
                    slot.end();
                }
                if let Some(problem) = answer["problem"].as_str() {
                    return Err(Problem::input(format!("`{unit}`: {problem}")));
                }
                let records = answer["records"].as_array().map(Vec::as_slice).unwrap_or_default();
                let records: Option<Vec<Record>> = records.iter().map(Record::from_json).collect();
                let Some(records) = records else {
                    return Err(Problem::bug("a worker gave no records"));
                };
                let is_left = is_later && records.iter().any(|it| is_reduced(attempts, it));
                return Ok(Ran { records, is_left });
            }
            Answered::Broken(it) => broken = it,
        }
    }
    let outcome = if broken.is_late { Outcome::Hang } else { Outcome::Crash };
    let mut record = Record::new(&named, outcome);
    record.signature = Some(ENDED.to_owned());
    record.detail = Some(broken.how().to_owned());
    let is_left = is_reduced(attempts, &record);
    let mut records = vec![record];
    if is_left && !is_later {
        records.push(reduced(slot, &request, &named, &broken)?);
    }
    Ok(Ran { records, is_left: is_left && is_later })
}
