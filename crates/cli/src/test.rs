//! `wavelane test`: finds tests, runs them in processes beside this one, and reports.
//!
//! A test that crashes, exhausts memory or hangs ends only its own process: the report says so, and the next test gets
//! a new process. A process serves many tests, so that isolation costs almost nothing.

mod pool;
mod worker;

use std::collections::BTreeSet;
use std::path::Path;

use jobs::{Test, Verdict};

use crate::args::Line;
use crate::asked::{Baselines, LowArgs, WaveSizes};
use crate::command::Command;
use crate::common::Common;
use crate::pages::Pages;
use crate::problem::{End, Exit, Problem};
use crate::recorded::of_test;
use crate::report::{Baseline, Record, Report, read_baseline, write_baseline};
use crate::testing::Selected;
use crate::value::counted;
use crate::worker::Worker;
use crate::{device, fitting, report, terminal, testing};

/// What `test` needs.
pub(crate) struct TestArgs {
    common: Common,
    baselines: Baselines,
    list: bool,
    show_features: bool,
    /// Where pages of failures are written.
    pages: Option<String>,
}

impl TestArgs {
    pub(crate) fn new(low: LowArgs, line: Line) -> TestArgs {
        let common = Common::new(&low, line);
        let LowArgs { baselines, list, show_features, seeing, .. } = low;
        TestArgs { common, baselines, list, show_features, pages: seeing.folder }
    }
}

pub(crate) fn test(args: &TestArgs) -> Result<Exit, End> {
    fitting::check_engine(&args.common.line, args.common.device.engine)?;
    let device = device::open(&args.common.device, false)?;
    let features = args.common.select.features(device.adapter());
    if args.common.is_worker {
        return worker::serve(args, &device, &features);
    }
    if args.show_features {
        let names: Vec<&str> = features.iter().map(String::as_str).collect();
        terminal::print(&format!("{}\n", names.join("\n")))?;
        return Ok(Exit::Fine);
    }
    // The first process starts while the tests are searched for.
    let first = if args.list { None } else { Some(Worker::start(&args.common.pool.words)?) };
    let found = match args.common.are_of_project {
        true => testing::find_among(&args.common.operands)?,
        false => testing::find(&args.common.operands, Command::Test)?,
    };
    let names: BTreeSet<String> = found.iter().map(Test::name).collect();
    let Selected { tests, part } = testing::select(&args.common.select, found)?;
    if args.list {
        let names: Vec<String> = tests.iter().map(|it| format!("{}\n", it.name())).collect();
        terminal::print(&names.concat())?;
        return Ok(Exit::Fine);
    }
    let known = match &args.baselines.baseline {
        Some(file) => read_baseline(file)?,
        None => Baseline::default(),
    };
    let started = Some(report::now());
    let mut pages = args.pages.as_deref().map(Pages::new).transpose()?;
    let records = pool::run(args, &tests, first)?;
    if let Some(pages) = &mut pages {
        write_pages(args, pages, &tests, &records)?;
    }
    if let Some(file) = &args.baselines.write_baseline {
        write_baseline(file, &records)?;
    }
    tell_unmatched(args, &known, &records, &names, &tests);
    let report = Report { records, part, started };
    report::write(&report, &known, args.common.output, &mut terminal::out())?;
    Ok(report::exit(&report.records, &known))
}

/// Writes a page for each failure: what every lane does at the width at which the test fails.
fn write_pages(
    args: &TestArgs,
    pages: &mut Pages,
    tests: &[Test],
    records: &[Record],
) -> Result<(), Problem> {
    // A test that was never run has no width.
    let failed =
        records.iter().filter(|it| it.outcome.verdict == Verdict::Failed && it.outcome.width > 0);
    // A test that fails at several widths is named once.
    let mut told = BTreeSet::new();
    for record in failed {
        let Some(test) = tests.iter().find(|it| it.name() == record.test) else { continue };
        let (name, width) = (&record.test, record.outcome.width);
        let runs = of_test(&args.common, test, width)?;
        let several = runs.len() > 1;
        let is_nothing = runs.is_empty();
        let mut left_out = false;
        for (number, recording) in (1..).zip(runs) {
            if pages.are_full() {
                return Ok(());
            }
            let run = if several { format!("-run{number}") } else { String::new() };
            match recording {
                Some(it) => pages.write(&format!("{name}{run}-wave{width}"), it)?,
                None => left_out = true,
            }
        }
        if is_nothing && told.insert(name) {
            terminal::note(&format!("`{name}` runs nothing that `--timeline` could record"));
        }
        if left_out && told.insert(name) {
            terminal::note(&format!("`--timeline` records single dispatches; `{name}` is not one"));
        }
    }
    Ok(())
}

/// Reports the lines of the baseline that match nothing: a test may have been renamed, or fixed and renamed.
fn tell_unmatched(
    args: &TestArgs,
    known: &Baseline,
    records: &[Record],
    found: &BTreeSet<String>,
    selected: &[Test],
) {
    let selected: BTreeSet<String> = selected.iter().map(Test::name).collect();
    let names_cases = args.common.operands.iter().any(|it| it.contains("::"));
    let is_left_out = |name: &str, width: Option<u32>| {
        let is_other_width = match (&args.common.launch.wave_sizes, width) {
            (WaveSizes::List(list), Some(width)) => {
                width.is_power_of_two() && (4..=128).contains(&width) && !list.contains(&width)
            }
            _ => false,
        };
        let file = name.split("::").next().unwrap_or(name);
        let is_below = found.iter().any(|it| it.split("::").next() == Some(file));
        // Other files, and other cases where one is named.
        let is_elsewhere = Path::new(file).exists() && (!is_below || names_cases);
        let is_unselected = found.contains(name) && !selected.contains(name);
        is_elsewhere && !found.contains(name)
            || is_unselected
            || found.contains(name) && is_other_width
    };
    const MOST: usize = 4;
    let lines = known.unmatched(records, is_left_out);
    if lines.is_empty() {
        return;
    }
    let mut shown: Vec<String> = lines.iter().take(MOST).map(|it| format!("`{it}`")).collect();
    if lines.len() > MOST {
        shown.push(format!("{} more", lines.len() - MOST));
    }
    let what = counted(lines.len(), "line");
    let matches = if lines.len() == 1 { "matches" } else { "match" };
    terminal::note(&format!("{what} of the baseline {matches} no test: {}", shown.join(", ")));
}
