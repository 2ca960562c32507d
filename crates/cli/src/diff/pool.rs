//! Processes that compare: a driver that crashes or hangs ends only the process that uses it.

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::time::Duration;

use jobs::Test;
use serde_json::{Value, json};
use wavelane::internal::diag::Style;

use super::DiffArgs;
use super::judge::{Told, judge};
use super::record::{Record, Repro, Verdict};
use super::run::Runner;
use super::subject::{self, Item, Nothing};
use super::{drawn, sequence};
use crate::problem::{End, Exit, Problem};
use crate::side::Side;
use crate::terminal;
use crate::testing::{LastFile, asked_for};
use crate::watch::Watch;
use crate::worker::{Answered, Broken, PATIENCE, Slot, ask, limit_memory, requests};

/// How much longer than its time-out a process is waited for: by then it has reported its results.
const GRACE: Duration = Duration::from_secs(5);

/// What a process is to compare.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// The shader of the command line.
    Shader(String),
    Test(Test),
}

impl Work {
    fn name(&self) -> String {
        match self {
            Work::Shader(file) => file.clone(),
            Work::Test(test) => test.name(),
        }
    }
}

/// Compares everything; the outcomes are in the order of the work.
pub(super) fn run(args: &DiffArgs, all: &[Work]) -> Result<Vec<Record>, Problem> {
    let patience = args.common.launch.timeout.map_or(PATIENCE, |it| it.saturating_add(GRACE));
    let one = |slot: &mut Slot<'_>, work: &Work| run_one(slot, work, patience);
    args.common.pool.run(all, None, one, Record::is_bad)
}

/// Processes one piece of work. A verdict that was reported before the process failed counts.
fn run_one(slot: &mut Slot<'_>, work: &Work, patience: Duration) -> Result<Vec<Record>, Problem> {
    let styled = terminal::style() == Style::Colour;
    let mut request = match work {
        Work::Shader(_) => json!({ "shader": true, "styled": styled }),
        Work::Test(test) => {
            let case = test.case.as_ref().map(|it| it.name.as_str());
            json!({ "file": test.file, "case": case, "styled": styled })
        }
    };
    let mut records: Vec<Record> = Vec::new();
    let mut done = 0;
    loop {
        request["done"] = json!(done);
        let take = |answer: Value| match (answer.get("repro_of_last"), records.last_mut()) {
            (Some(repro), Some(last)) => last.repro = Repro::from_json(repro),
            _ => records.extend(Record::from_json(&answer)),
        };
        match ask(slot, &request, patience, take)? {
            Answered::Whole(end) => {
                // How many comparisons were made before the device was lost.
                let Some(count) = end["lost"].as_u64() else { return Ok(records) };
                // A process whose device is lost is replaced; as long as there is progress, the work is tried again.
                slot.end();
                if count <= done {
                    let why = "the device was lost repeatedly".to_owned();
                    records.push(Record::nothing(&work.name(), Exit::Findings, why));
                    return Ok(records);
                }
                done = count;
            }
            Answered::Broken(Broken { why, .. }) => {
                match records.last_mut() {
                    // The verdict stands; the search for a smaller program is what failed.
                    Some(last) if last.verdict == Verdict::Disagree && last.repro.is_none() => {
                        last.repro = Some(Repro::Not(why));
                    }
                    _ => records.push(Record::nothing(&work.name(), Exit::Findings, why)),
                }
                return Ok(records);
            }
        }
    }
}

/// Compares what standard input names until it ends.
pub(super) fn serve(args: &DiffArgs, sides: &[Side]) -> Result<Exit, End> {
    // A driver of a GPU reserves addresses by the hundred gigabytes.
    if sides.iter().all(|it| !it.is_gpu()) {
        limit_memory();
    }
    let mut last = LastFile::default();
    for request in requests() {
        let style = if request["styled"] == true { Style::Colour } else { Style::Plain };
        let out = RefCell::new(terminal::out());
        let say = |value: Value| {
            let mut out = out.borrow_mut();
            // The parent process is gone; the next read ends this one.
            let _ = writeln!(out, "{value}").and_then(|()| out.flush());
        };
        // Each record is a comparison that was made.
        let made = Cell::new(request["done"].as_u64().unwrap_or(0));
        let is_lost = Cell::new(false);
        let answers = Answers { say: &say, made: &made, is_lost: &is_lost };
        for record in answered(args, sides, &request, style, &answers, &mut last) {
            say(record.to_whole_json());
        }
        let lost = is_lost.get().then_some(made.get());
        say(json!({ "end": true, "lost": lost }));
    }
    Ok(Exit::Fine)
}

/// Where answers go.
struct Answers<'a> {
    say: &'a dyn Fn(Value),
    /// How many comparisons have been made.
    made: &'a Cell<u64>,
    is_lost: &'a Cell<bool>,
}

/// Carries out a request; returns what could not be begun.
fn answered(
    args: &DiffArgs,
    sides: &[Side],
    request: &Value,
    style: Style,
    answers: &Answers<'_>,
    last: &mut LastFile,
) -> Vec<Record> {
    let say = answers.say;
    let mut done = request["done"].as_u64().unwrap_or(0) as usize;
    let tell = |told: Told| match told {
        Told::Record(record) => {
            say(record.to_whole_json());
        }
        Told::Repro(repro) => {
            let mut holder = Record::new("", 0);
            holder.repro = Some(repro_of(repro));
            say(json!({ "repro_of_last": holder.to_json()["repro"] }));
        }
    };
    if request["shader"] == true {
        return match subject::of_command(args) {
            Ok((item, _)) => {
                let mut tell = |told: Told| {
                    answers.count(&told);
                    tell(told);
                };
                answers.is_lost.set(one(args, sides, &item, style, &mut done, &mut tell));
                Vec::new()
            }
            Err(End::Problem(problem)) => {
                vec![Record::nothing("the shader", problem.exit, problem.message)]
            }
            Err(End::Output(error)) => {
                vec![Record::nothing("the shader", Exit::BadInput, error.to_string())]
            }
        };
    }
    let Some(file) = request["file"].as_str() else { return Vec::new() };
    let file = match last.read(file) {
        Ok(file) => file,
        Err(problem) => return vec![Record::nothing(file, problem.exit, problem.message)],
    };
    let Some(test) = asked_for(request, file) else { return Vec::new() };
    let subjects = match subject::of_test(args, test, file) {
        Ok(subjects) => subjects,
        Err(Nothing { exit, why }) => return vec![Record::nothing(&test.name(), exit, why)],
    };
    // A text that depends on the width is a different program at each width; if one of them ran, those that did not are
    // not reported.
    let several = subjects.len() > 1;
    let any = Cell::new(false);
    let mut left: Vec<Record> = Vec::new();
    for subject in &subjects {
        let mut tell = |told: Told| {
            answers.count(&told);
            match told {
                Told::Record(record) if record.width == 0 && several => left.push(*record),
                told => {
                    any.set(true);
                    tell(told);
                }
            }
        };
        if one(args, sides, subject, style, &mut done, &mut tell) {
            answers.is_lost.set(true);
            return left;
        }
    }
    if any.get() {
        left.retain(|it| it.stop.as_ref().is_some_and(|(exit, _)| *exit != Exit::Unsupported));
    } else {
        left.truncate(1);
    }
    left
}

impl Answers<'_> {
    fn count(&self, told: &Told) {
        if let Told::Record(_) = told {
            self.made.set(self.made.get() + 1);
        }
    }
}

/// Compares one program within its time limit, except for the comparisons that were made before. Returns whether a
/// device was lost, and with it the use of this process.
pub(super) fn one(
    args: &DiffArgs,
    sides: &[Side],
    item: &Item,
    style: Style,
    done: &mut usize,
    tell: &mut dyn FnMut(Told),
) -> bool {
    let mut watch = Watch::start(args.common.launch.timeout, 0);
    let (is_lost, left) = (Cell::new(false), Cell::new(*done));
    let (cancel, most_fuel) = (watch.cancel.clone(), Cell::new(u64::MAX));
    let runner = Runner { args, cancel, is_lost, done: left, most_fuel };
    match item {
        Item::One(subject) => judge(&runner, subject, sides, style, tell),
        Item::Sequence(all) => sequence::judge(&runner, all, sides, style, tell),
        Item::Draw(drawn) => drawn::judge(&runner, drawn, sides, style, tell),
    }
    watch.stop();
    *done = runner.done.get();
    runner.is_lost.get() && sides.iter().any(|it| it.is_gpu())
}

/// The state of a disagreement, in words.
pub(super) fn repro_of(repro: Result<super::repro::Written, String>) -> Repro {
    match repro {
        Ok(written) => {
            let (before, after) = written.lines;
            let [x, y, z] = written.groups;
            let lines = if before == after {
                format!("{after} lines")
            } else {
                format!("{after} of {before} lines")
            };
            let groups = if written.groups == [1; 3] {
                "one group".to_owned()
            } else {
                format!("{x}×{y}×{z} groups")
            };
            Repro::Text { text: written.text, about: format!("{lines}, {groups}") }
        }
        Err(why) => Repro::Not(why),
    }
}
