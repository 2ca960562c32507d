//! `wavelane test`: finds tests, runs them in processes beside this one, and reports.
//!
//! A test that crashes, eats the memory or never ends takes its process with it, and nothing else: the report says so and
//! the next test gets a fresh process. A process serves many tests, so that isolation costs almost nothing.

mod pool;
mod worker;

use std::collections::BTreeSet;
use std::path::Path;

use jobs::Test;

use crate::args::Line;
use crate::asked::LowArgs;
use crate::asked::{Baselines, Compiling, DeviceChoice, Launch, Output, Selecting, WaveSizes};
use crate::command::Command;
use crate::pool::Pool;
use crate::problem::{End, Exit, Problem};
use crate::report::{Baseline, Record, Report, read_baseline, write_baseline};
use crate::testing::Selected;
use crate::value::counted;
use crate::worker::Worker;
use crate::{device, report, terminal, testing};

/// What `test` needs.
pub(crate) struct TestArgs {
    operands: Vec<String>,
    /// The operands are what the project file lists, which may hold shaders without tests.
    are_of_project: bool,
    line: Line,
    pool: Pool,
    compile: Compiling,
    launch: Launch,
    device: DeviceChoice,
    select: Selecting,
    baselines: Baselines,
    output: Output,
    list: bool,
    show_features: bool,
    /// This process runs the tests that it is told of on its standard input.
    is_worker: bool,
}

impl TestArgs {
    pub(crate) fn new(low: LowArgs, line: Line) -> Result<TestArgs, Problem> {
        let pool = Pool { words: line.of_worker(), jobs: low.jobs };
        let LowArgs {
            operands,
            compile,
            launch,
            device,
            select,
            baselines,
            output,
            list,
            show_features,
            is_worker,
            operands_are_of_project: are_of_project,
            ..
        } = low;
        Ok(TestArgs {
            operands,
            are_of_project,
            line,
            pool,
            compile,
            // The same for every kind of test: what was not run at a width is not tested there.
            launch: launch.at_every_width(),
            device,
            select,
            baselines,
            output,
            list,
            show_features,
            is_worker,
        })
    }
}

pub(crate) fn test(args: &TestArgs) -> Result<Exit, End> {
    let device = device::open(&args.device, false)?;
    let features = args.select.features(device.adapter());
    if args.is_worker {
        return worker::serve(args, &device, &features);
    }
    if args.show_features {
        let names: Vec<&str> = features.iter().map(String::as_str).collect();
        terminal::print(&format!("{}\n", names.join("\n")))?;
        return Ok(Exit::Fine);
    }
    // The first process starts while the tests are looked for.
    let first = if args.list { None } else { Some(Worker::start(&args.pool.words)?) };
    let found = match args.are_of_project {
        true => testing::find_among(&args.operands)?,
        false => testing::find(&args.operands, Command::Test)?,
    };
    let names: BTreeSet<String> = found.iter().map(Test::name).collect();
    let Selected { tests, part } = testing::select(&args.select, found)?;
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
    let records = pool::run(args, &tests, first)?;
    if let Some(file) = &args.baselines.write_baseline {
        write_baseline(file, &records)?;
    }
    tell_unmatched(args, &known, &records, &names, &tests);
    let report = Report { records, part, started };
    report::write(&report, &known, args.output, &mut terminal::out())?;
    Ok(report::exit(&report.records, &known))
}

/// Says which lines of the baseline fit nothing: a test may have been renamed, or mended and renamed.
fn tell_unmatched(
    args: &TestArgs,
    known: &Baseline,
    records: &[Record],
    found: &BTreeSet<String>,
    selected: &[Test],
) {
    let selected: BTreeSet<String> = selected.iter().map(Test::name).collect();
    let names_cases = args.operands.iter().any(|it| it.contains("::"));
    let is_left_out = |name: &str, width: Option<u32>| {
        let is_other_width = match (&args.launch.wave_sizes, width) {
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
    terminal::note(&format!("{what} of the baseline fit no test: {}", shown.join(", ")));
}
