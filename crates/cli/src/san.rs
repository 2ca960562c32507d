//! `wavelane san`: runs shaders and tests at every width and in several orders, watched, and reports what is not defined.

mod baseline;
mod pool;
mod record;
pub(crate) mod show;
mod subject;

use std::fmt::Write;
use std::path::Path;

use wavelane::internal::diag::{self, Allows, SourceMap, Style};
use wavelane::internal::{
    ExitedThreads, FloatRoom, IntraWaveSync, Order, Progress, Reconvergence, Seen, Verdict,
};
use wavelane::sanitizer::Plan;
use wavelane::{Diagnostic, Level};

use crate::End;
use crate::args::{Args, Output, WaveSizes};
use crate::problem::Exit;
use baseline::Baseline;
use record::{Entry, Examined, Found, Program};
use show::Outcome;
use subject::Subject;
pub(crate) use subject::plan_of;

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

impl SanArgs {
    /// With what a section asks for beside the command line, whose flags go before.
    fn with(&self, section: &SanArgs) -> SanArgs {
        fn either<T: Default + PartialEq + Clone>(mine: &T, other: &T) -> T {
            if *mine == T::default() { other.clone() } else { mine.clone() }
        }
        let both = |a: &[String], b: &[String]| a.iter().chain(b).cloned().collect();
        SanArgs {
            sync: either(&self.sync, &section.sync),
            width_dependent: both(&self.width_dependent, &section.width_dependent),
            unordered: both(&self.unordered, &section.unordered),
            seeds: self.seeds.or(section.seeds),
            thorough: self.thorough || section.thorough,
            orders: self.orders.clone().or_else(|| section.orders.clone()),
            float_room: self.float_room.or(section.float_room),
            exited: either(&self.exited, &section.exited),
            reconvergence: either(&self.reconvergence, &section.reconvergence),
            progress: either(&self.progress, &section.progress),
            uniform_lane_index: self.uniform_lane_index || section.uniform_lane_index,
        }
    }
}

/// How many random orders a thorough sweep takes.
const THOROUGH_SEEDS: u64 = 8;

pub(crate) fn san(mut args: Args) -> Result<Exit, End> {
    if args.wave_sizes == WaveSizes::Default {
        args.wave_sizes = WaveSizes::All;
    }
    if args.test.is_worker {
        return pool::serve(&args);
    }
    let examined = if holds_tests(&args)? {
        let tests = crate::test::select(&args, crate::test::find(&args)?)?;
        pool::run(&args, &tests)?
    } else {
        let base: Vec<String> = std::env::args().skip(1).collect();
        let subject = subject::shader(&args)?;
        vec![Examined::Program(judge(&args, subject, &base, style(&args)))]
    };
    let (mut programs, mut skipped) = (Vec::new(), Vec::new());
    for it in examined {
        match it {
            Examined::Program(program) => programs.push(program),
            Examined::Skipped { name, stop } => skipped.push((name, stop)),
        }
    }
    let mut known = match &args.test.baseline {
        Some(file) => Baseline::read(file)?,
        None => Baseline::default(),
    };
    for program in &mut programs {
        for it in program.entries.iter_mut().filter_map(|it| it.finding.as_mut()) {
            it.is_known = known.takes(&it.key);
        }
    }
    if let Some(file) = &args.test.write_baseline {
        let all = programs.iter().flat_map(Program::findings);
        baseline::write(file, all.map(|(_, it)| it.key.clone()).collect())?;
    }
    let has_baseline = args.test.baseline.is_some();
    let outcome = Outcome { programs, skipped, outdated: known.left(), has_baseline };
    show::show(&args, &outcome)?;
    Ok(exit(&outcome))
}

/// Examines all programs of a test; each is told of as soon as it is done.
fn examine_test(
    args: &Args,
    test: &jobs::Test,
    file: &jobs::TestFile,
    style: Style,
    tell: &mut dyn FnMut(Examined),
) {
    let style = if args.output == Output::Text { style } else { Style::Plain };
    let mut base = vec!["san".to_owned(), test.name()];
    base.extend(crate::test::flags_to_repeat());
    subject::test(args, test, file, &mut |name, result| {
        tell(match result {
            Ok(subject) => Examined::Program(judge(args, *subject, &base, style)),
            Err(stop) => Examined::Skipped { name, stop },
        });
    });
}

/// How reports are written that people read here.
fn style(args: &Args) -> Style {
    if args.output == Output::Text { crate::terminal::style() } else { Style::Plain }
}

/// Whether the operands name tests, rather than one shader with the buffers of the command line.
pub(crate) fn holds_tests(args: &Args) -> Result<bool, End> {
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

/// Drops what comments and flags hide, weighs the rest, and puts it into words.
fn judge(args: &Args, subject: Subject, base: &[String], style: Style) -> Program {
    let Subject { name, shader, sources, plan, report, stopped } = subject;
    // What is wrong with the comments, the compiler has said.
    let (mut allows, _) = Allows::read(&sources);
    let mut entries = Vec::new();
    for seen in &report.seen {
        let (code, at) = (seen.finding.kind.code(), seen.finding.site.span);
        // Whoever reads of two places may write the reason at either.
        let others = seen.finding.related.iter().map(|it| it.span);
        let mut places = std::iter::once(at).chain(others);
        if places.any(|place| allows.find(code, place, &sources).is_some()) {
            continue;
        }
        let again = again(seen, base);
        let Some(report) = args.warnings.weigh_finding(diagnostic(seen, &again)) else { continue };
        let mut entry = entry(&report, &sources, style);
        entry.json = show::finding(seen, &report, &name, &again, &sources);
        let (widths, is_known) = (seen.widths.clone(), false);
        let key = baseline::key(code.name, at, &sources);
        entry.finding = Some(Found { key, widths, is_known });
        entries.push(entry);
    }
    let spans: Vec<diag::Span> = shader.spans().collect();
    let remarks = args.warnings.weigh(allows.unused(&sources, |code| code.in_runs, &spans));
    entries.extend(remarks.iter().map(|it| entry(it, &sources, style)));
    Program { name, widths: plan.widths, runs: report.runs, entries, stopped }
}

fn entry(report: &Diagnostic, sources: &SourceMap, style: Style) -> Entry {
    Entry {
        code: report.code.name.to_owned(),
        message: report.message.clone(),
        is_error: report.level >= Level::Error,
        finding: None,
        text: diag::render(report, sources, style),
        json: diag::to_json(report, sources),
        github: diag::to_github(report, sources),
        sarif: diag::sarif_result(report, sources),
    }
}

/// Only what is an error sets the status; what is in the baseline does not.
fn exit(outcome: &Outcome) -> Exit {
    let stops = outcome.programs.iter().filter_map(|it| it.stopped.as_ref());
    let stops: Vec<Exit> =
        stops.chain(outcome.skipped.iter().map(|it| &it.1)).map(|it| it.exit).collect();
    if stops.contains(&Exit::Bug) {
        return Exit::Bug;
    }
    if outcome.programs.iter().any(Program::fails) || stops.contains(&Exit::Findings) {
        return Exit::Findings;
    }
    if stops.contains(&Exit::BadInput) {
        return Exit::BadInput;
    }
    // Where nothing was examined, nothing was shown.
    if outcome.programs.is_empty() { Exit::Unsupported } else { Exit::Fine }
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
        plan.breaks_quads = true;
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

/// The command that makes a finding again, with nothing beside it; `base` is what was asked for.
pub(crate) fn again(seen: &Seen, base: &[String]) -> String {
    let mut command = "wavelane".to_owned();
    for word in base {
        let _ = write!(command, " {}", crate::problem::quoted(word));
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
pub(crate) fn diagnostic(seen: &Seen, again: &str) -> Diagnostic {
    let mut report = seen.finding.report();
    if seen.order.is_some() {
        report = report.note(format!("again: {again}"));
    }
    let widths: Vec<String> = seen.widths.iter().map(u32::to_string).collect();
    match widths.as_slice() {
        [_] => report,
        _ => report.note(format!("seen with waves of {} lanes", widths.join(", "))),
    }
}
