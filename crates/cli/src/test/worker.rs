//! The process that runs tests: it reads their names from standard input and writes their outcomes to standard output.

use std::cell::RefCell;
use std::io::Write;
use std::time::Instant;

use jobs::{Features, Setup};
use serde_json::{Value, json};
use wavelane::Device;

use super::TestArgs;
use crate::compile::flags_of;
use crate::problem::{End, Exit};
use crate::report::outcome_to_json;
use crate::terminal;
use crate::testing::{Beside, LastFile, asked_for, setup, widths_of};
use crate::worker::{limit_memory, requests};

/// Serves until standard input ends.
pub(super) fn serve(args: &TestArgs, device: &Device, features: &Features) -> Result<Exit, End> {
    // A driver of a GPU reserves addresses by the hundred gigabytes.
    if !device.is_gpu() {
        limit_memory();
    }
    let widths = widths_of(&args.common.launch);
    let flags = flags_of(&args.common.compile);
    let fuel = |width| args.common.launch.fuel.at(width);
    let setup = Setup {
        golden: args.common.select.golden.as_deref(),
        ..setup(&args.common.launch, device, features, &widths, &flags, &fuel)
    };
    let mut last = LastFile::default();
    let is_lost = || device.is_lost();
    for request in requests() {
        let Some(file) = request["file"].as_str() else { continue };
        let out = RefCell::new(terminal::out());
        let say = |value: Value| {
            let mut out = out.borrow_mut();
            // The parent process is gone; the next read ends this one.
            let _ = writeln!(out, "{value}").and_then(|()| out.flush());
        };
        let mut front_ends = 0;
        // Since the last outcome: compiling for all widths counts for the first.
        let mut since = Instant::now();
        let mut told = |outcome: &jobs::Outcome| {
            let mut line = outcome_to_json(outcome);
            line["seconds"] = json!(since.elapsed().as_secs_f64());
            since = Instant::now();
            say(line);
        };
        match last.read(file) {
            Ok(file) => {
                if let Some(test) = asked_for(&request, file) {
                    let done: Vec<u64> = request["done"]
                        .as_array()
                        .map(|it| it.iter().filter_map(Value::as_u64).collect())
                        .unwrap_or_default();
                    let wanted = |width: u32| {
                        // The widths that a lost device does not run are left to another process.
                        let is_wanted = !is_lost() && !done.contains(&u64::from(width));
                        if is_wanted {
                            say(json!({ "begin": width }));
                        }
                        is_wanted
                    };
                    let mut report = |outcome| told(&outcome);
                    let mut beside = Beside::of(&args.common.compile);
                    jobs::run(test, file, &setup, &mut beside, &wanted, &mut report);
                    front_ends = file.front_ends();
                }
            }
            Err(problem) => {
                let failed = jobs::Outcome::new(0, jobs::Verdict::Failed, problem.message);
                told(&jobs::Outcome { is_wrong: true, ..failed });
            }
        }
        say(json!({ "end": true, "lost": is_lost(), "front_ends": front_ends }));
    }
    Ok(Exit::Fine)
}
