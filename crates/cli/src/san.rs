//! `wavelane san`: runs shaders and tests at every width and in several orders, watched, and reports what is not defined.

mod baseline;
mod show;
mod subject;

use std::fmt::Write;
use std::path::Path;

use device::diag::{self, Allows, SourceMap};
use device::{
    Diagnostic, ExitedThreads, FloatRoom, IntraWaveSync, Level, Order, Plan, Progress,
    Reconvergence, Seen, Verdict,
};

use crate::End;
use crate::args::{Args, WaveSizes};
use crate::problem::Exit;
use baseline::Baseline;
use show::Outcome;
use subject::Subject;

/// What only `san` asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct SanArgs {
    pub(crate) sync: IntraWaveSync,
    pub(crate) width_dependent: Vec<String>,
    pub(crate) unordered: Vec<String>,
    /// How many random orders are tried at each width; one if nothing is said.
    pub(crate) seeds: Option<u64>,
    pub(crate) thorough: bool,
    /// The orders that are tried instead of the sweep.
    pub(crate) orders: Option<Vec<Order>>,
    pub(crate) float_room: Option<FloatRoom>,
    pub(crate) exited: ExitedThreads,
    pub(crate) reconvergence: Reconvergence,
    pub(crate) progress: Progress,
    pub(crate) uniform_lane_index: bool,
}

/// How many random orders a thorough sweep takes.
const THOROUGH_SEEDS: u64 = 8;

/// A program with what is to be said about it.
struct Program {
    name: String,
    sources: SourceMap,
    plan: Plan,
    /// How many runs it took.
    runs: usize,
    findings: Vec<Judged>,
    /// About comments that allow nothing.
    remarks: Vec<Diagnostic>,
}

/// A finding that neither a flag nor a comment hides.
struct Judged {
    seen: Seen,
    /// At the level that the flags give it.
    report: Diagnostic,
    /// The baseline has it.
    is_known: bool,
}

impl Program {
    /// The findings that are not in the baseline.
    fn findings(&self) -> impl Iterator<Item = &Judged> {
        self.findings.iter().filter(|it| !it.is_known)
    }

    /// What is new, in the order in which it is shown.
    fn news(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings().map(|it| &it.report).chain(&self.remarks)
    }
}

pub(crate) fn san(mut args: Args) -> Result<Exit, End> {
    if args.wave_sizes == WaveSizes::Default {
        args.wave_sizes = WaveSizes::All;
    }
    let mut subjects = Vec::new();
    let mut skipped = Vec::new();
    if holds_tests(&args)? {
        for test in crate::test::select(&args, crate::test::find(&args)?)? {
            match subject::test(&args, &test) {
                Ok(found) => subjects.extend(found),
                Err(it) => skipped.push(it),
            }
        }
    } else {
        subjects.push(subject::shader(&args)?);
    }
    let mut known = match &args.test.baseline {
        Some(file) => Baseline::read(file)?,
        None => Baseline::default(),
    };
    let programs: Vec<Program> =
        subjects.into_iter().map(|it| judge(&args, it, &mut known)).collect();
    if let Some(file) = &args.test.write_baseline {
        let all = programs.iter().flat_map(|program| {
            let key = |it: &Judged| {
                baseline::key(it.report.code.name, it.seen.finding.site.span, &program.sources)
            };
            program.findings.iter().map(key).collect::<Vec<_>>()
        });
        baseline::write(file, all.collect())?;
    }
    let outcome = Outcome { programs, skipped, outdated: known.left() };
    show::show(&args, &outcome)?;
    Ok(exit(&outcome))
}

/// Whether the operands name tests, rather than one shader with the buffers of the command line.
fn holds_tests(args: &Args) -> Result<bool, End> {
    let [file] = args.operands.as_slice() else { return Ok(!args.operands.is_empty()) };
    // What is read from standard input is read once.
    if file == "-" {
        return Ok(false);
    }
    if Path::new(file).is_dir() || (file.contains("::") && !Path::new(file).exists()) {
        return Ok(true);
    }
    let (_, text) = crate::files::read_source(file)?;
    Ok(jobs::tests(file, &text).is_ok())
}

/// Drops what comments and flags hide, and weighs the rest.
fn judge(args: &Args, subject: Subject, known: &mut Baseline) -> Program {
    let Subject { name, shader, sources, plan, report } = subject;
    // What is wrong with the comments, the compiler has said.
    let (mut allows, _) = Allows::read(&sources);
    let runs = report.runs;
    let mut findings = Vec::new();
    for seen in report.seen {
        let (code, at) = (seen.finding.kind.code(), seen.finding.site.span);
        // Whoever reads of two places may write the reason at either.
        let others = seen.finding.related.iter().map(|it| it.span);
        let mut places = std::iter::once(at).chain(others);
        if places.any(|place| allows.find(code, place, &sources).is_some()) {
            continue;
        }
        let Some(report) = args.warnings.weigh_finding(diagnostic(&seen)) else { continue };
        let is_known = known.takes(code.name, at, &sources);
        findings.push(Judged { seen, report, is_known });
    }
    let spans: Vec<diag::Span> = shader.spans().collect();
    let remarks = args.warnings.weigh(allows.unused(&sources, |code| code.in_runs, &spans));
    Program { name, sources, plan, runs, findings, remarks }
}

/// Only what is an error sets the status; what is in the baseline does not.
fn exit(outcome: &Outcome) -> Exit {
    let is_wrong = |it: &Program| it.news().any(|it| it.level >= Level::Error);
    if outcome.programs.iter().any(is_wrong) {
        return Exit::Findings;
    }
    let worst = [Exit::Bug, Exit::Findings, Exit::BadInput]
        .into_iter()
        .find(|exit| outcome.skipped.iter().any(|it| it.exit == *exit));
    match worst {
        Some(exit) => exit,
        // Where nothing was examined, nothing was shown.
        None if outcome.programs.is_empty() => Exit::Unsupported,
        None => Exit::Fine,
    }
}

fn plan(args: &Args, widths: Vec<u32>) -> Plan {
    let mut plan = Plan::new(widths);
    let san = &args.san;
    if san.thorough {
        plan.thorough();
    }
    if let Some(seeds) = san.seeds.or(san.thorough.then_some(THOROUGH_SEEDS)) {
        plan.seeds(seeds);
    }
    if let Some(orders) = &san.orders {
        plan.orders.clone_from(orders);
        // Who asks for an order by name wants to see it.
        plan.shuffles_rows = true;
    }
    if let Some(room) = san.float_room {
        plan.float_room = room;
    }
    plan.progress = san.progress;
    plan.rules.sync = san.sync;
    plan.rules.exited = san.exited;
    plan.rules.reconvergence = san.reconvergence;
    plan.rules.uniform_lane_index = san.uniform_lane_index;
    plan.width_dependent.clone_from(&args.san.width_dependent);
    plan.unordered.clone_from(&args.san.unordered);
    plan
}

/// The command that makes a finding again, with nothing beside it.
fn again(seen: &Seen) -> String {
    let mut command = "wavelane".to_owned();
    for word in std::env::args().skip(1) {
        let is_plain = |it: char| it.is_alphanumeric() || "-_./=,:+@%".contains(it);
        if !word.is_empty() && word.chars().all(is_plain) {
            let _ = write!(command, " {word}");
        } else {
            let _ = write!(command, " '{}'", word.replace('\'', "'\\''"));
        }
    }
    // Of two widths that differ, both are needed; the smallest is where the comparison begins.
    let width = seen.finding.width;
    if seen.finding.kind.verdict() == Verdict::WidthDependent {
        return command;
    }
    let orders = seen.order.map_or("none".to_owned(), |it| it.to_string());
    let _ = write!(command, " --wave-size {width} --orders {orders}");
    command
}

/// The finding with the widths at which it was made.
fn diagnostic(seen: &Seen) -> Diagnostic {
    let mut report = seen.finding.report();
    if seen.order.is_some() {
        report = report.note(format!("again: {}", again(seen)));
    }
    let widths: Vec<String> = seen.widths.iter().map(u32::to_string).collect();
    match widths.as_slice() {
        [_] => report,
        _ => report.note(format!("seen with waves of {} lanes", widths.join(", "))),
    }
}
