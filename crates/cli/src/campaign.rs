//! `wavelane campaign`: many units, dealt to processes, with a ledger that survives any of them.

mod plan;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use campaign::{Ledger, Merged, Plan, Record, Unit};
use serde_json::{Value, json};

use crate::args::Line;
use crate::asked::{LowArgs, Output, Partition};
use crate::generated::PATIENCE;
use crate::problem::{End, Exit, Problem};
use crate::records;
use crate::supervise::{self, is_reduced};
use crate::terminal;
use crate::worker::Slot;

/// What `campaign` needs.
pub(crate) struct CampaignArgs {
    plan: Plan,
    units: u64,
    model: wavelane::ShaderModel,
    attempts: usize,
    patience: Duration,
    partition: Option<Partition>,
    ledger: String,
    html: Option<String>,
    jobs: usize,
    list: bool,
    /// With `list`: whether the units that the ledger has are left out.
    resumes: bool,
    output: Output,
}

/// The candidates of each reduction by default.
const ATTEMPTS: usize = 300;
/// What a process that was killed between two calls of this loses.
const EVERY: Duration = Duration::from_millis(250);

impl CampaignArgs {
    pub(crate) fn new(low: LowArgs, line: Line) -> Result<CampaignArgs, Problem> {
        let low = plan::complete(low, line)?;
        let plan = plan::plan(&low)?;
        let Some(units) = plan.len() else {
            return Err(low.usage("the plan has more than 2^64 units".to_owned()));
        };
        if low.list && low.tools.html.is_some() {
            let what = "`--list` runs nothing, so there is no report for `--html`";
            return Err(low.usage(what.to_owned()));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let tools = &low.tools;
        Ok(CampaignArgs {
            plan,
            units,
            model: tools.model.unwrap_or(crate::generated::MODEL),
            attempts: tools.attempts.unwrap_or(ATTEMPTS),
            patience: low.launch.timeout.unwrap_or(PATIENCE),
            partition: low.select.partition,
            ledger: tools.ledger.clone().unwrap_or_else(|| "campaign.jsonl".to_owned()),
            html: tools.html.clone(),
            jobs: low.jobs.unwrap_or(cores).clamp(1, 1024),
            list: low.list,
            resumes: tools.ledger.is_some(),
            output: low.output,
        })
    }

    /// The units of this part, with their texts, in the order of their numbers.
    fn mine(&self) -> impl Iterator<Item = (Unit, String)> + Send + '_ {
        (0..self.units).filter_map(|number| {
            let unit = self.plan.unit(number);
            let text = unit.to_string();
            let is_mine = self
                .partition
                .is_none_or(|it| it.holds(usize::try_from(number).unwrap_or(0), &text));
            is_mine.then_some((unit, text))
        })
    }

    /// The units of this part that a ledger does not have.
    fn left(&self, known: &Ledger) -> impl Iterator<Item = (Unit, String)> + Send + '_ {
        let mut done: BTreeSet<String> = known.units().into_iter().map(str::to_owned).collect();
        // A process may have been killed between the two records of a failure: the unit is run again.
        for record in &known.records {
            let is_reduced = is_reduced(self.attempts, record);
            if is_reduced && !done.contains(&format!("reduce {}", record.unit)) {
                done.remove(&record.unit);
            }
        }
        self.mine().filter(move |it| !done.contains(&it.1))
    }

    /// What a worker needs to know besides the unit.
    fn request(&self) -> Value {
        json!({
            "model": [self.model.major, self.model.minor],
            "attempts": self.attempts,
            "timeout": self.patience.as_secs_f64(),
        })
    }
}

pub(crate) fn campaign(args: &CampaignArgs) -> Result<Exit, End> {
    if args.list {
        let known = match args.resumes {
            true => records::read_file(&args.ledger)?,
            false => Ledger::default(),
        };
        let mut out = terminal::out();
        for (_, text) in args.left(&known) {
            let mut request = args.request();
            request["unit"] = json!(text);
            writeln!(out, "{request}")?;
        }
        out.flush()?;
        return Ok(Exit::Fine);
    }
    let known = records::read_file(&args.ledger)?;
    let all = args.mine().count();
    let left = Mutex::new(args.left(&known));
    let writer = Mutex::new(Writer::open(args, known.whole, all)?);
    let failed: Mutex<Option<Problem>> = Mutex::new(None);
    let words = supervise::worker();
    let work = || {
        let mut slot = Slot::new(&words, None);
        loop {
            let next = left.lock().ok().and_then(|mut it| it.next());
            let Some((_, text)) = next else { break };
            let mut request = args.request();
            request["unit"] = json!(text);
            let result = supervise::run(&mut slot, &request).and_then(|it| match writer.lock() {
                Ok(mut writer) => writer.write(&it.records),
                Err(_) => Err(Problem::bug("a thread that wrote the ledger panicked")),
            });
            if let Err(problem) = result {
                if let Ok(mut failed) = failed.lock() {
                    failed.get_or_insert(problem);
                }
                // The others have nothing more to do.
                if let Ok(mut left) = left.lock() {
                    while left.next().is_some() {}
                }
                break;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.min(all.max(1)) {
            scope.spawn(work);
        }
    });
    if let Ok(mut writer) = writer.lock() {
        writer.finish()?;
    }
    if let Some(problem) = failed.lock().ok().and_then(|mut it| it.take()) {
        return Err(problem.into());
    }
    // The report is of this part of this plan, whatever else the ledger holds.
    let mine: BTreeSet<String> = args.mine().map(|it| it.1).collect();
    let is_mine = |it: &Record| mine.contains(it.unit.strip_prefix("reduce ").unwrap_or(&it.unit));
    let records = records::read_file(&args.ledger)?.records.into_iter().filter(is_mine);
    records::report(&Merged::new(records), args.output, args.html.as_deref())
}

/// Appends to the ledger, and tells how far the campaign is.
struct Writer {
    file: File,
    synced: Instant,
    begun: Instant,
    /// Units run by this process, and how many failed.
    done: usize,
    failed: usize,
    /// Units that are to be run by this process.
    all: usize,
    is_shown: bool,
}

impl Writer {
    fn open(args: &CampaignArgs, whole: usize, all: usize) -> Result<Writer, Problem> {
        let cannot =
            |error| Problem::input(format!("`{}` cannot be written: {error}", args.ledger));
        let mut file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&args.ledger)
            .map_err(cannot)?;
        // A torn line at the end would tear the next one, too.
        file.set_len(whole as u64).map_err(cannot)?;
        file.seek(SeekFrom::End(0)).map_err(cannot)?;
        let known = records::read_file(&args.ledger)?;
        let units = known.units();
        let before = args.mine().filter(|it| units.contains(it.1.as_str())).count();
        let now = Instant::now();
        Ok(Writer {
            file,
            synced: now,
            begun: now,
            done: 0,
            failed: 0,
            all: all - before,
            is_shown: false,
        })
    }

    fn write(&mut self, records: &[Record]) -> Result<(), Problem> {
        let text: String = records.iter().map(|it| format!("{}\n", it.to_json())).collect();
        let cannot = |error| Problem::input(format!("the ledger cannot be written: {error}"));
        // In one piece, so that a kill tears at most the last line.
        self.file.write_all(text.as_bytes()).map_err(cannot)?;
        self.done += 1;
        self.failed += usize::from(records.first().is_some_and(|it| it.outcome.fails()));
        if self.synced.elapsed() > EVERY {
            self.file.sync_data().map_err(cannot)?;
            self.synced = Instant::now();
            self.show();
        }
        Ok(())
    }

    fn show(&mut self) {
        if !terminal::is_watched() {
            return;
        }
        let all = self.all.max(self.done);
        let left = self.begun.elapsed().as_secs_f64() * (all - self.done) as f64 / self.done as f64;
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        terminal::say(&format!(
            "\r\x1b[K{} of {all} units{failed}, about {} s left",
            self.done,
            left.ceil()
        ));
        self.is_shown = true;
    }

    fn finish(&mut self) -> Result<(), Problem> {
        if self.is_shown {
            terminal::say("\r\x1b[K");
        }
        self.file
            .sync_all()
            .map_err(|error| Problem::input(format!("the ledger cannot be written: {error}")))
    }
}
