//! Processes that examine tests and shaders, several at a time: a crash, exhausted memory or a hang is the failure of
//! that test.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write;
use std::time::{Duration, Instant};

use jobs::Test;
use serde_json::{Value, json};
use wavelane::internal::diag::Style;

use super::record::{Examined, Stop};
use super::{SanArgs, examine_entry, examine_test, skipped, subject};
use crate::problem::{End, Exit, Problem};
use crate::terminal;
use crate::testing::{LastFile, asked_for};
use crate::worker::{Answered, Broken, PATIENCE, Slot, ask, limit_memory, requests};

/// How much longer than its own time-out a process is waited for: by then it has reported its findings.
const GRACE: Duration = Duration::from_secs(5);

/// Examines tests; the outcomes are in the order of the tests.
pub(super) fn run(
    args: &SanArgs,
    tests: &[Test],
    shaders: &BTreeSet<String>,
) -> Result<Vec<Examined>, Problem> {
    let patience = args.common.launch.timeout.map_or(PATIENCE, |it| it.saturating_add(GRACE));
    // Processes share the cores.
    let threads = (args.threads / args.common.pool.count(tests.len())).max(1);
    let one = |slot: &mut Slot<'_>, test: &Test| {
        run_one(slot, test, shaders.contains(&test.name()), threads, patience)
    };
    args.common.pool.run(tests, None, one, |it| match it {
        Examined::Program(program) => program.fails() || program.stopped.is_some(),
        Examined::Skipped(it) => it.stop.exit != Exit::Unsupported,
    })
}

/// Examines one test in a process. A test may hold several programs; those examined before one fails count.
fn run_one(
    slot: &mut Slot<'_>,
    test: &Test,
    is_shader: bool,
    threads: usize,
    patience: Duration,
) -> Result<Vec<Examined>, Problem> {
    let case = test.case.as_ref().map(|it| it.name.as_str());
    let styled = terminal::style() == Style::Colour;
    let mut request = json!({ "file": test.file, "case": case, "styled": styled });
    request["shader"] = is_shader.into();
    request["threads"] = threads.into();
    let (mut examined, since) = (Vec::new(), Instant::now());
    let take = |answer| examined.extend(Examined::from_json(&answer));
    if let Answered::Broken(Broken { why, .. }) = ask(slot, &request, patience, take)? {
        // The program that it examined last has failed.
        let stop = Stop { exit: Exit::Findings, why };
        examined.push(skipped(test.name(), stop, since));
    }
    Ok(examined)
}

/// Examines the tests that standard input names until it ends.
pub(super) fn serve(mut args: SanArgs) -> Result<Exit, End> {
    limit_memory();
    let mut last = LastFile::default();
    for request in requests() {
        let Some(file) = request["file"].as_str() else { continue };
        args.threads = request["threads"].as_u64().map_or(1, |it| it as usize);
        let args = &args;
        let style = if request["styled"] == true { Style::Colour } else { Style::Plain };
        let out = RefCell::new(terminal::out());
        let say = |value: Value| {
            let mut out = out.borrow_mut();
            // The parent process is gone; the next read ends this one.
            let _ = writeln!(out, "{value}").and_then(|()| out.flush());
        };
        if let (Some(entry), true) = (request["case"].as_str(), request["shader"] == true) {
            say(examine_entry(args, file, entry, style).to_json());
            say(json!({ "end": true }));
            continue;
        }
        match last.read(file) {
            Ok(file) => {
                if let Some(test) = asked_for(&request, file) {
                    examine_test(args, test, file, style, &mut |it| say(it.to_json()));
                }
            }
            Err(problem) => {
                let stop = subject::stop(problem);
                say(skipped(file.to_owned(), stop, Instant::now()).to_json());
            }
        }
        say(json!({ "end": true }));
    }
    Ok(Exit::Fine)
}
