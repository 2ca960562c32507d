//! `wavelane san`: runs shaders and tests at every width and in several orders, watched, and reports undefined
//! behaviour.

mod assertions;
mod baseline;
mod draw;
mod pages;
mod pool;
mod record;
mod show;
mod subject;

use std::time::Instant;

use wavelane::internal::diag::{self, Allows, SourceMap, Style};
use wavelane::{Diagnostic, Level};

use crate::args::Line;
use crate::asked::{Baselines, DrawArgs, LowArgs, Output, Sanitizing};
use crate::command::Command;
use crate::common::Common;
use crate::fitting::{self, Running};
use crate::layers::Layers;
use crate::pages::Pages;
use crate::problem::{End, Exit, Problem};
use crate::{finding, printed, report, terminal, testing};
use assertions::Failure;
use baseline::Baseline;
use record::{Entry, Examined, Found, Made, Program, Skipped, Stop};
use show::Outcome;
use subject::{Part, Subject, Works};

/// What `san` needs.
pub(crate) struct SanArgs {
    common: Common,
    /// What is drawn, instead of a dispatch.
    draw: Option<DrawArgs>,
    san: Sanitizing,
    baselines: Baselines,
    layers: Layers,
    /// Where pages of findings are written.
    pages: Option<String>,
    /// On how many threads a program is examined.
    threads: usize,
}

impl SanArgs {
    pub(crate) fn new(low: LowArgs, line: Line, layers: Layers) -> SanArgs {
        let common = Common::new(&low, line);
        let LowArgs { draw, san, baselines, seeing, .. } = low;
        let draw = draw.asked();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        SanArgs { common, draw, san, baselines, layers, pages: seeing.folder, threads }
    }

    /// The same for an entry point of a file.
    fn of_entry(&self, file: &str, entry: &str) -> Result<SanArgs, Problem> {
        let low = self.layers.of_entry(Command::San, file, entry)?;
        Ok(SanArgs::new(low, self.common.line.clone(), Layers::default()))
    }
}

pub(crate) fn san(args: SanArgs) -> Result<Exit, End> {
    if args.common.is_worker {
        return pool::serve(args);
    }
    match args.draw {
        Some(_) => fitting::check(&args.common.line, Running::Draw)?,
        None => fitting::check_undrawn(&args.common.line)?,
    }
    let (started, since) = (report::now(), Instant::now());
    let works = subject::works(&args)?;
    let is_walk = args.common.bind.auto.is_some() && matches!(works, Works::Many { .. });
    let examined = match works {
        Works::Many { tests, shaders } => {
            let tests = testing::select(&args.common.select, tests)?.tests;
            let mut pages = args.pages.as_deref().map(Pages::new).transpose()?;
            let examined = pool::run(&args, &tests, &shaders)?;
            if let Some(pages) = &mut pages {
                let programs = examined.iter().filter_map(|it| match it {
                    Examined::Program(program) => Some(program),
                    Examined::Skipped(_) => None,
                });
                pages::of_tests(&args, &tests, &shaders, pages, programs)?;
            }
            examined
        }
        Works::One(entry) => {
            let base = args.common.line.words().to_vec();
            let own = match (&args.common.operand, entry) {
                (Ok(file), Some(entry)) => Some(args.of_entry(file, &entry)?),
                _ => None,
            };
            let own = own.as_ref().unwrap_or(&args);
            if own.pages.is_some() && own.draw.is_some() {
                return Err(Problem::input("`--timeline` records dispatches, not draws").into());
            }
            let subject = match &own.draw {
                Some(asked) => draw::shader(own, asked)?,
                None => subject::shader(own)?,
            };
            if let (Some(auto), Output::Text) = (&subject.auto, args.common.output) {
                terminal::note(&auto.told());
            }
            let program = judge(own, subject, &base, style(own), since);
            if let (Some(folder), Ok(file)) = (&own.pages, &own.common.operand) {
                pages::write(own, file, "", &mut Pages::new(folder)?, &program)?;
            }
            vec![Examined::Program(program)]
        }
    };
    let (mut programs, mut skipped) = (Vec::new(), Vec::new());
    for it in examined {
        match it {
            Examined::Program(program) => programs.push(program),
            Examined::Skipped(it) => skipped.push(it),
        }
    }
    let mut known = match &args.baselines.baseline {
        Some(file) => Baseline::read(file)?,
        None => Baseline::default(),
    };
    for program in &mut programs {
        for it in program.entries.iter_mut().filter_map(|it| it.finding.as_mut()) {
            it.is_known = known.takes(&it.key);
        }
    }
    if let Some(file) = &args.baselines.write_baseline {
        let all = programs.iter().flat_map(Program::findings);
        baseline::write(file, all.map(|(_, it)| it.key.clone()).collect())?;
    }
    let has_baseline = args.baselines.baseline.is_some();
    let auto = args.common.bind.auto;
    let outdated = known.left();
    let outcome = Outcome { programs, skipped, outdated, has_baseline, is_walk, auto, started };
    show::show(&args, &outcome)?;
    Ok(exit(&outcome))
}

/// Examines all programs of a test; each is reported as soon as it is done.
fn examine_test(
    args: &SanArgs,
    test: &jobs::Test,
    file: &jobs::TestFile,
    style: Style,
    tell: &mut dyn FnMut(Examined),
) {
    let style = if args.common.output == Output::Text { style } else { Style::Plain };
    let mut base = vec!["san".to_owned(), test.name()];
    base.extend(args.common.line.to_repeat());
    let mut since = Instant::now();
    subject::test(args, test, file, &mut |name, result| {
        tell(match result {
            Ok(subject) => Examined::Program(judge(args, *subject, &base, style, since)),
            Err(stop) => skipped(name, stop, since),
        });
        since = Instant::now();
    });
}

/// A test that could not be examined; the attempt began at `since`.
fn skipped(name: String, stop: Stop, since: Instant) -> Examined {
    Examined::Skipped(Skipped { name, stop, micros: micros(since) })
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// Examines an entry point of a file that was not named on the command line.
fn examine_entry(args: &SanArgs, file: &str, entry: &str, style: Style) -> Examined {
    let (name, since) = (format!("{file}::{entry}"), Instant::now());
    let style = if args.common.output == Output::Text { style } else { Style::Plain };
    let mut base: Vec<String> = ["san", file, "-E", entry].map(str::to_owned).into();
    base.extend(args.common.line.to_repeat_entry());
    let own = match args.of_entry(file, entry) {
        Ok(own) => own,
        Err(problem) => return skipped(name, subject::stop(problem), since),
    };
    match subject::entry(&own, file, args.layers.knows(file, entry)) {
        Ok(subject) => {
            let subject = Subject { name, ..subject };
            Examined::Program(judge(&own, subject, &base, style, since))
        }
        Err(stop) => skipped(name, stop, since),
    }
}

/// The format of reports for people.
fn style(args: &SanArgs) -> Style {
    if args.common.output == Output::Text { terminal::style() } else { Style::Plain }
}

/// Drops what comments and flags hide, sets the levels of the rest, and formats it; the examination began at `since`.
fn judge(
    args: &SanArgs,
    subject: Subject,
    base: &[String],
    style: Style,
    since: Instant,
) -> Program {
    let Subject { name, number, parts, widths, runs, stopped, auto } = subject;
    let (mut entries, mut unused, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for part in &parts {
        let Part { shader, sources, seen, left_out: not_compared, failures } = part;
        left_out.extend(
            not_compared.iter().map(|(pass, it)| finding::left_out(it, pass.as_ref(), sources)),
        );
        // The compiler has reported mistakes in the comments.
        let (mut allows, _) = Allows::read(sources);
        let seen = seen.iter().flat_map(|(pass, seen)| {
            let left = seen.clone().without(|it| it.is_allowed(&mut allows, sources));
            left.into_iter().map(move |it| (pass, it))
        });
        for (pass, seen) in seen {
            let seen = &seen;
            let (code, at) = (seen.finding.kind.code(), seen.finding.site.span);
            let again = finding::again(seen, base);
            let report = finding::diagnostic(seen, pass.as_ref(), &again);
            let Some(report) = args.common.compile.warnings.weigh_finding(report) else {
                continue;
            };
            let mut entry = entry(&report, sources, style);
            entry.json = finding::as_json(seen, &report, &name, pass.as_ref(), &again, sources);
            let (widths, unwatched) = (seen.widths.clone(), seen.unwatched.clone());
            let key = baseline::key(code.name, at, sources);
            entry.finding = Some(Found { key, widths, unwatched, is_known: false });
            entries.push(entry);
        }
        for Failure { report, pass, widths } in failures {
            let (code, at) = (report.code, report.primary.span);
            if allows.find(code, at, sources).is_some() {
                continue;
            }
            let report = printed::seen_with(report.clone(), widths);
            let Some(report) = args.common.compile.warnings.weigh_finding(report) else {
                continue;
            };
            let mut entry = entry(&report, sources, style);
            let key = baseline::key(code.name, at, sources);
            entry.json["id"] = serde_json::json!(code.name);
            entry.json["program"] = serde_json::json!(name);
            entry.json["widths"] = serde_json::json!(widths);
            if let Some(pass) = pass {
                entry.json["pass"] = finding::pass_to_json(pass);
            }
            let (widths, unwatched) = (widths.clone(), Vec::new());
            entry.finding = Some(Found { key, widths, unwatched, is_known: false });
            entries.push(entry);
        }
        let spans: Vec<diag::Span> = shader.spans().collect();
        let remarks = allows.unused(sources, |code| code.in_runs, &spans);
        let remarks = args.common.compile.warnings.weigh(remarks);
        unused.push(remarks.iter().map(|it| entry(it, sources, style)).collect::<Vec<Entry>>());
    }
    // A comment that hides something in one shader of a job is needed, though others compile the same text.
    if let Some((first, others)) = unused.split_first() {
        let is_everywhere = |it: &&Entry| others.iter().all(|other| other.contains(it));
        entries.extend(first.iter().filter(is_everywhere).cloned());
    }
    let made = auto.map(|it| Made { told: it.told(), json: it.as_json() });
    let micros = micros(since);
    Program { name, number, widths, runs, entries, left_out, stopped, made, micros }
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
        stops.chain(outcome.skipped.iter().map(|it| &it.stop)).map(|it| it.exit).collect();
    if stops.contains(&Exit::Bug) {
        return Exit::Bug;
    }
    if outcome.programs.iter().any(Program::fails) || stops.contains(&Exit::Findings) {
        return Exit::Findings;
    }
    if stops.contains(&Exit::BadInput) {
        return Exit::BadInput;
    }
    // If nothing was examined, nothing was proven.
    if outcome.programs.is_empty() { Exit::Unsupported } else { Exit::Fine }
}
