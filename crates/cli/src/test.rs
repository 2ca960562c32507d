//! `wavelane test`: finds tests, runs them in processes beside this one, and reports.
//!
//! A test that crashes, eats the memory or never ends takes its process with it, and nothing else: the report says so and
//! the next test gets a fresh process. A process serves many tests, so that isolation costs almost nothing.

mod pool;
mod worker;

use crate::args::Line;
use crate::asked::LowArgs;
use crate::asked::{Baselines, Compiling, DeviceChoice, Launch, Output, Selecting};
use crate::command::Command;
use crate::pool::Pool;
use crate::problem::{End, Exit, Problem};
use crate::report::{Baseline, read_baseline, write_baseline};
use crate::worker::Worker;
use crate::{device, report, terminal, testing};

/// What `test` needs.
pub(crate) struct TestArgs {
    operands: Vec<String>,
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
            ..
        } = low;
        Ok(TestArgs {
            operands,
            line,
            pool,
            compile,
            launch,
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
    let features = jobs::features(device.adapter(), args.select.api);
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
    let tests = testing::select(&args.select, testing::find(&args.operands, Command::Test)?)?;
    if args.list {
        let names: Vec<String> = tests.iter().map(|it| format!("{}\n", it.name())).collect();
        terminal::print(&names.concat())?;
        return Ok(Exit::Fine);
    }
    let known = match &args.baselines.baseline {
        Some(file) => read_baseline(file)?,
        None => Baseline::default(),
    };
    let records = pool::run(args, &tests, first)?;
    if let Some(file) = &args.baselines.write_baseline {
        write_baseline(file, &records)?;
    }
    report::write(&records, &known, args.output, &mut terminal::out())?;
    Ok(report::exit(&records, &known))
}
