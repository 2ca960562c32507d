//! `wavelane campaign`: many units, dealt to processes, with a ledger that survives any of them.

mod ledger;
mod live;
mod plan;

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use campaign::{Merged, Numbers, Plan, REDUCED, Record, Unit};
use serde_json::{Value, json};

use crate::args::Line;
use crate::asked::{By, LowArgs, Output, Partition};
use crate::problem::{End, Exit, Problem};
use crate::records::Constructs;
use crate::supervise::{self, is_reduced};
use crate::value::counted;
use crate::worker::Slot;
use crate::{interrupt, records, terminal};
use ledger::Writer;
use live::Page;

/// What `campaign` needs.
pub(crate) struct CampaignArgs {
    plan: Plan,
    units: u64,
    attempts: usize,
    timeout: Option<Duration>,
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
            attempts: tools.attempts.unwrap_or(ATTEMPTS),
            timeout: low.launch.timeout,
            partition: low.select.partition,
            ledger: tools.ledger.clone().unwrap_or_else(|| "campaign.jsonl".to_owned()),
            html: tools.html.clone(),
            jobs: low.jobs.unwrap_or(cores).clamp(1, 1024),
            list: low.list,
            resumes: tools.ledger.is_some(),
            output: low.output,
        })
    }

    /// Whether a unit belongs to this part.
    fn holds(&self, number: u64, text: &str) -> bool {
        self.partition.is_none_or(|it| it.holds(usize::try_from(number).unwrap_or(0), text))
    }

    /// How many units this part has; by hash, approximately.
    fn count(&self) -> u64 {
        match self.partition {
            None => self.units,
            Some(Partition { by: By::Count, index, of }) => {
                self.units.saturating_sub(index - 1).div_ceil(of)
            }
            Some(Partition { by: By::Hash, of, .. }) => self.units / of,
        }
    }

    /// The number of the unit that a record is about, if it is in this part, whichever device ran it.
    fn number(&self, numbers: &Numbers<'_>, record: &Record) -> Option<u64> {
        let text = record.unit.strip_prefix(REDUCED).unwrap_or(&record.unit);
        let unit = Unit { device: String::new(), ..Unit::parse(text)? };
        let number = numbers.of(&unit)?;
        self.holds(number, &unit.to_string()).then_some(number)
    }

    /// The numbers of this part's units that need not be run again.
    fn done(&self, known: &[Record]) -> BTreeSet<u64> {
        let numbers = self.plan.numbers();
        let reduced: BTreeSet<&str> =
            known.iter().filter_map(|it| it.unit.strip_prefix(REDUCED)).collect();
        // A process may have been killed between the two records of a failure: the unit is run again.
        let is_whole = |it: &&Record| {
            !it.unit.starts_with(REDUCED)
                && (!is_reduced(self.attempts, it) || reduced.contains(it.unit.as_str()))
        };
        let whole = known.iter().filter(is_whole);
        whole.filter_map(|it| self.number(&numbers, it)).collect()
    }

    /// The texts of the units of this part that are still to be run, each generated on demand.
    fn left<'a>(&'a self, done: &'a BTreeSet<u64>) -> impl Iterator<Item = String> + Send + 'a {
        let numbers = (0..self.units).filter(|it| !done.contains(it));
        numbers.filter_map(|number| {
            let text = self.plan.unit(number).to_string();
            self.holds(number, &text).then_some(text)
        })
    }

    /// The request to a worker.
    fn request(&self, unit: &str) -> Value {
        let mut request = json!({ "unit": unit, "attempts": self.attempts });
        if let Some(timeout) = self.timeout {
            request["timeout"] = json!(timeout.as_secs_f64());
        }
        request
    }
}

pub(crate) fn campaign(args: &CampaignArgs) -> Result<Exit, End> {
    if args.list {
        let known = match args.resumes {
            true => records::read_file(&args.ledger)?,
            false => Vec::new(),
        };
        let mut out = terminal::out();
        for unit in args.left(&args.done(&known)) {
            writeln!(out, "{}", args.request(&unit))?;
        }
        out.flush()?;
        return Ok(Exit::Fine);
    }
    let (writer, known) = Writer::open(&args.ledger)?;
    interrupt::watch();
    let done = args.done(&known);
    let left = Mutex::new(args.left(&done));
    let all = args.count().saturating_sub(done.len() as u64);
    let numbers = args.plan.numbers();
    let is_mine = |it: &&Record| args.number(&numbers, it).is_some();
    let page = args.html.as_deref().map(|file| Page::new(file, known.iter().filter(is_mine)));
    let keeper = Mutex::new(Keeper { writer, progress: Progress::new(all), page });
    let failed: Mutex<Option<Problem>> = Mutex::new(None);
    let words = supervise::worker();
    let work = || {
        let (mut slot, mut constructs) = (Slot::new(&words, None), Constructs::default());
        while !interrupt::is_caught() && failed.lock().is_ok_and(|it| it.is_none()) {
            let next = left.lock().ok().and_then(|mut it| it.next());
            let Some(unit) = next else { break };
            let ran = supervise::run(&mut slot, &args.request(&unit));
            // A unit that was not finished has no record.
            if interrupt::is_caught() && ran.is_err() {
                break;
            }
            // While no other process waits for the ledger: the program is generated once more for that.
            let constructs = match args.html {
                Some(_) => Unit::parse(&unit).map_or_else(Vec::new, |it| constructs.of(&it.work)),
                None => Vec::new(),
            };
            let kept = ran.and_then(|ran| match keeper.lock() {
                Ok(mut keeper) => keeper.keep(&ran.records, &constructs),
                Err(_) => Err(Problem::bug("a thread that wrote the ledger panicked")),
            });
            if let (Err(problem), Ok(mut failed)) = (kept, failed.lock()) {
                failed.get_or_insert(problem);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.min(usize::try_from(all).unwrap_or(usize::MAX).max(1)) {
            scope.spawn(work);
        }
    });
    let Keeper { writer, progress, .. } =
        keeper.into_inner().map_err(|_| Problem::bug("a thread that wrote the ledger panicked"))?;
    progress.clear();
    let ledger = writer.finish()?;
    if let Some(problem) = failed.into_inner().ok().flatten() {
        return Err(problem.into());
    }
    if !done.is_empty() {
        terminal::note(&format!(
            "{} taken from `{}`, {} run",
            counted(done.len(), "unit"),
            args.ledger,
            progress.done
        ));
    }
    if interrupt::is_caught() {
        terminal::note(&format!(
            "interrupted: the same command with `--ledger {}` continues",
            args.ledger
        ));
    }
    // The report is of this part of this plan, whatever else the ledger holds.
    let records = ledger.into_iter().filter(|it| is_mine(&it));
    let exit = records::report(&Merged::new(records), args.output, args.html.as_deref())?;
    interrupt::obey();
    Ok(exit)
}

/// Receives records.
struct Keeper<'a> {
    writer: Writer,
    progress: Progress,
    /// With `--html`.
    page: Option<Page<'a>>,
}

impl Keeper<'_> {
    /// Appends the records of a unit, and shows the progress whenever they are written to the disk.
    fn keep(&mut self, records: &[Record], constructs: &[&'static str]) -> Result<(), Problem> {
        let is_synced = self.writer.write(records)?;
        let progress = &mut self.progress;
        progress.done += 1;
        progress.failed += u64::from(records.first().is_some_and(|it| it.outcome.fails()));
        if is_synced {
            progress.show();
        }
        if let Some(page) = &mut self.page {
            page.add(records, constructs);
            if is_synced {
                page.write(progress.left())?;
            }
        }
        Ok(())
    }
}

/// The progress of a campaign.
struct Progress {
    begun: Instant,
    /// Units run by this process, and how many failed.
    done: u64,
    failed: u64,
    /// Units that are to be run by this process.
    all: u64,
    is_shown: bool,
}

impl Progress {
    fn new(all: u64) -> Progress {
        Progress { begun: Instant::now(), done: 0, failed: 0, all, is_shown: false }
    }

    fn left(&self) -> u64 {
        self.all.saturating_sub(self.done)
    }

    fn show(&mut self) {
        if !terminal::is_watched() {
            return;
        }
        let all = self.all.max(self.done);
        let left = self.begun.elapsed().as_secs_f64() * self.left() as f64 / self.done as f64;
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

    fn clear(&self) {
        if self.is_shown {
            terminal::say("\r\x1b[K");
        }
    }
}
