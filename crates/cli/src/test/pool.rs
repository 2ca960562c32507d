//! Runs tests in workers. If a worker ends or exceeds its time, the test that it ran last has failed.

use std::time::{Duration, Instant};

use jobs::{Outcome, Test, Verdict};
use serde_json::json;

use super::TestArgs;
use crate::problem::Problem;
use crate::report::{Record, command, micros_from_json, outcome_from_json};
use crate::worker::{Answered, Broken, PATIENCE, Slot, Worker, ask};

/// Runs the tests; the records are in the order of the tests.
pub(super) fn run(
    args: &TestArgs,
    tests: &[Test],
    first: Option<Worker>,
) -> Result<Vec<Record>, Problem> {
    let timeout = args.common.launch.timeout.unwrap_or(PATIENCE);
    let flags = args.common.line.to_repeat();
    let one = |slot: &mut Slot<'_>, test: &Test| {
        let record = |(outcome, time): (Outcome, Duration)| {
            let command = command("test", test, outcome.width, &flags);
            Record::new(test, outcome, command, time)
        };
        let outcomes = run_one(slot, test, timeout)?;
        Ok(outcomes.into_iter().map(record).collect())
    };
    args.common.pool.run(tests, first, one, |it| it.outcome.verdict == Verdict::Failed)
}

/// Runs one test at all its widths, in as many processes as it takes.
fn run_one(
    slot: &mut Slot<'_>,
    test: &Test,
    timeout: Duration,
) -> Result<Vec<(Outcome, Duration)>, Problem> {
    let mut outcomes: Vec<(Outcome, Duration)> = Vec::new();
    loop {
        let done: Vec<u32> = outcomes.iter().map(|it| it.0.width).collect();
        let case = test.case.as_ref().map(|it| it.name.as_str());
        let request = json!({ "file": test.file, "case": case, "done": done });
        let mut width = 0;
        let begun = Instant::now();
        let answered = ask(slot, &request, timeout, |answer| match answer["begin"].as_u64() {
            Some(next) => width = next as u32,
            None => {
                let time = Duration::from_micros(micros_from_json(&answer).unwrap_or(0));
                outcomes.extend(outcome_from_json(&answer).map(|it| (it, time)));
            }
        })?;
        match answered {
            // A process whose device was lost cannot run the remaining widths and tests.
            Answered::Whole(end) if end["lost"].as_bool() == Some(true) => {
                slot.end();
                if outcomes.len() == done.len() {
                    return Ok(outcomes);
                }
            }
            Answered::Whole(_) => return Ok(outcomes),
            Answered::Broken(Broken { why, .. }) => {
                // The test that it ran last has failed.
                outcomes.push((Outcome::new(width, Verdict::Failed, why), begun.elapsed()));
                if width == 0 {
                    return Ok(outcomes);
                }
            }
        }
    }
}
