//! `wavelane run` with a job, which has its own bindings and expected results.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jobs::{Engaged, Features, Setup, Test, Verdict, printed_text};
use wavelane::{Device, Layout};

use super::{RunArgs, show, told};
use crate::asked::Output;
use crate::bind::split_element;
use crate::command::Command;
use crate::compile::flags_of;
use crate::problem::{End, Exit, Problem};
use crate::report::{Baseline, Record, Report};
use crate::testing::{Beside, LastFile, find, refuse_flags_of_shaders, setup, widths_of};
use crate::watch::Watch;
use crate::worker::late;
use crate::{device, fitting, missing, report, terminal, texture};

/// `wavelane run` with a job: in this process, with the final contents of the buffers.
pub(super) fn run_job(args: &RunArgs) -> Result<Exit, End> {
    let operand = args.operand.as_str();
    let more = [("--print", !args.prints.is_empty()), ("--draw", args.draw.is_some())];
    let remedy = "; all its buffers are printed, and `--out` writes one";
    refuse_flags_of_shaders(&args.common.bind, &args.common.launch, &more, operand, remedy)?;
    let device = device::open(&args.common.device, false)?;
    let features = args.common.select.features(device.adapter());
    let tests = find(&[operand.to_owned()], Command::Run)?;
    for test in &tests {
        if LastFile::default().read(&test.file)?.says_flags() {
            fitting::check_compiler(&args.common.line, &test.name())?;
        }
    }
    let started = Some(report::now());
    let mut watch = Watch::start(args.common.launch.timeout, 0);
    let all = here(args, &device, &features, &tests, &watch.cancel)?;
    watch.stop();
    let is_late = watch.cancel.load(Ordering::Relaxed);
    let mut records = Vec::new();
    let mut shown = String::new();
    for (test, outcomes) in tests.iter().zip(all) {
        let several = outcomes.len() > 1;
        for (mut outcome, time) in outcomes {
            // An earlier failure has been reported with its reason.
            if let Some(timeout) = args.common.launch.timeout
                && is_late
                && outcome.message == "the run was cancelled"
            {
                outcome.message = late(timeout);
            }
            if several && !outcome.output.is_empty() {
                shown.push_str(&format!("# waves of {} lanes\n", outcome.width));
            }
            shown.push_str(&outcome.output);
            write_outs(args, &outcome, several)?;
            // Those of a failure are part of its report.
            if outcome.verdict != Verdict::Failed {
                shown.push_str(&printed_text(&outcome.printed));
            }
            let command =
                report::command("run", test, outcome.width, &args.common.line.to_repeat());
            records.push(Record::new(test, outcome, command, time));
        }
    }
    // A machine-readable report is printed alone.
    if args.common.output == Output::Text {
        terminal::print(&shown)?;
    }
    let known = Baseline::default();
    let report = Report { records, part: None, started };
    report::write(&report, &known, args.common.output, &mut terminal::out())?;
    Ok(report::exit(&report.records, &known))
}

/// Runs tests in this process, and shows the final contents of their buffers.
fn here(
    args: &RunArgs,
    device: &Device,
    features: &Features,
    tests: &[Test],
    cancel: &Arc<AtomicBool>,
) -> Result<Vec<Outcomes>, End> {
    let widths = widths_of(&args.common.launch);
    let flags = flags_of(&args.common.compile);
    let fuel = |width| args.common.launch.fuel.at(width);
    let engaged = |it: Engaged| {
        let which = it.pass.map_or(String::new(), |it| format!("{it}: "));
        let order = it.order.map_or(String::new(), |it| format!(" {it}"));
        told(args, device.engine(), &which, it.width, || it.fallback, || order);
    };
    let setup = Setup {
        on_engine: Some(&engaged),
        cancel: Some(cancel.clone()),
        wants_output: true,
        golden: args.common.select.golden.as_deref(),
        ..setup(&args.common.launch, device, features, &widths, &flags, &fuel)
    };
    let mut all = Vec::new();
    let mut last = LastFile::default();
    for test in tests {
        let file = last.read(&test.file)?;
        let mut outcomes = Vec::new();
        let mut beside = Beside::of(&args.common.compile);
        let mut since = Instant::now();
        let mut report = |outcome| {
            outcomes.push((outcome, since.elapsed()));
            since = Instant::now();
        };
        jobs::run(test, file, &setup, &mut beside, &|_| true, &mut report);
        all.push(outcomes);
    }
    Ok(all)
}

/// Writes the buffers that `--out` names; `several` if there are other wave sizes.
fn write_outs(args: &RunArgs, outcome: &jobs::Outcome, several: bool) -> Result<(), Problem> {
    // A test that failed early has no results, and its report says why.
    if outcome.buffers.is_empty() {
        return Ok(());
    }
    for (name, path) in &args.outs {
        let (base, element) = split_element(name)?;
        let Some(buffer) = outcome.buffers.iter().find(|it| it.name == base) else {
            let known = outcome.buffers.iter().map(|it| it.name.as_str());
            return Err(missing::unknown(&format!("the job has no buffer `{base}`"), base, known));
        };
        let count = buffer.data.len();
        if name == base && count > 1 {
            let problem = Problem::input(format!("`{name}` is an array of {count} buffers"));
            return Err(problem.help(format!("--out '{name}[0]={path}'")));
        }
        let Some(bytes) = buffer.data.get(element as usize) else {
            let what = format!("there is no `{name}`, since the array has {count}");
            return Err(Problem::input(what));
        };
        if several && !path.contains("{width}") {
            let what = format!("`--out {name}={path}` names one file for several wave sizes");
            let (stem, ending) = path.rsplit_once('.').unwrap_or((path, "npy"));
            let help = format!("--out {name}={stem}-{{width}}.{ending}");
            return Err(Problem::input(what).help(help));
        }
        let path = path.replace("{width}", &outcome.width.to_string());
        let wrong = |what: String| Problem::input(format!("`{path}`: {what}"));
        let ending = path.rsplit_once('.').map_or("", |it| it.1);
        let file = match (ending, buffer.shape().map_err(wrong)?) {
            ("bin", _) => bytes.clone(),
            ("npy", None) => {
                // Of an element, the numbers; they are of one type.
                let each = match buffer.stride as usize / buffer.format.bytes() {
                    0 => buffer.channels as usize,
                    numbers => numbers,
                };
                show::file(&Layout::uniform(buffer.format.scalar(), each), bytes, true)
            }
            ("png" | "npy", Some(shape)) => {
                let layout = Layout::of_texel(shape.format);
                texture::file(&shape, &layout, bytes, ending == "png").map_err(wrong)?
            }
            ("png", None) => {
                let what = format!("`{name}` has no `OutputProps` that say its size");
                let help = "write its numbers or its bytes: a file that ends in `.npy` or `.bin`";
                return Err(Problem::input(what).help(help));
            }
            _ => {
                let what =
                    format!("`{path}` has an unknown ending; expected `.png`, `.npy` or `.bin`");
                return Err(Problem::input(what));
            }
        };
        std::fs::write(&path, file)
            .map_err(|error| Problem::input(format!("`{path}` cannot be written: {error}")))?;
    }
    Ok(())
}

/// Of one test, at each width, with the time it took.
type Outcomes = Vec<(jobs::Outcome, Duration)>;
