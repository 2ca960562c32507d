//! Runs the suite under the sanitizer: `suite/san/` must give the announced findings, everything else none.

use std::collections::BTreeSet;

use libtest_mimic::{Arguments, Failed, Trial};
use sanitizer::{
    ExitedThreads, Finding, IntraWaveSync, Order, Plan, Progress, Publication, Reconvergence, Seen,
};
use suite::section::{Announced, Section};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for file in suite::files(&suite::folder()) {
        let short = file.strip_prefix(suite::folder()).unwrap_or(&file).display().to_string();
        if short.starts_with("errors") {
            continue;
        }
        for section in suite::read_all(&file).unwrap_or_else(|what| panic!("{what}")) {
            let name = format!("{short}: {}", section.name);
            trials.push(Trial::test(name, move || examine(&section).map_err(Failed::from)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Whether a report contains a text: in its message, a note, a help, or at one of its places; behind `help: `, in its
/// first help.
fn says(finding: &Finding, text: &str) -> bool {
    if let Some(text) = text.strip_prefix("help: ") {
        return finding.helps.first().is_some_and(|it| it.contains(text));
    }
    let sites = std::iter::once(&finding.site).chain(&finding.related).map(|it| &it.text);
    let notes = finding.notes.iter().chain(&finding.helps);
    sites.chain(notes).chain([&finding.message]).any(|it| it.contains(text))
}

/// The plan for `//# san FLAGS`.
fn plan(section: &Section, widths: Vec<u32>) -> Result<Plan, String> {
    let mut plan = Plan::new(widths);
    for flag in &section.san {
        let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
        match (name, value) {
            ("--exited-threads", it) => plan.rules.exited = choose(it, &ExitedThreads::NAMES)?,
            ("--intra-wave-sync", it) => plan.rules.sync = choose(it, &IntraWaveSync::NAMES)?,
            ("--publication", it) => plan.rules.publication = choose(it, &Publication::NAMES)?,
            ("--reconvergence", it) => {
                plan.rules.reconvergence = choose(it, &Reconvergence::NAMES)?;
            }
            ("--progress", it) => plan.progress = choose(it, &Progress::NAMES)?,
            ("--uniform-lane-index", "") => plan.rules.uniform_lane_index = true,
            ("--feedback", "") => plan.rules.feedback_slack = true,
            ("--thorough", "") => plan.thorough(),
            ("--unordered", name) => plan.unordered.push(name.to_owned()),
            ("--orders", list) => {
                let orders = list.split(',').map(Order::parse).collect::<Option<Vec<Order>>>();
                plan.orders = orders.ok_or_else(|| format!("unknown order in `{flag}`"))?;
            }
            ("--width-dependent", name) => plan.width_dependent.push(name.to_owned()),
            _ => return Err(format!("unknown flag `{flag}` of the sanitizer")),
        }
    }
    Ok(plan)
}

/// The value that a table of names has under a word.
fn choose<T: Copy>(word: &str, names: &[(&str, T)]) -> Result<T, String> {
    let found = names.iter().find(|it| it.0 == word);
    found.map(|it| it.1).ok_or_else(|| format!("`{word}` is not a value of the flag"))
}

fn examine(section: &Section) -> Result<(), String> {
    let announced: Vec<Announced> = section.announced().collect();
    let mut judge = Judge {
        section,
        announced: &announced,
        missing: announced.iter().collect(),
        not_found: section.finds.iter().collect(),
        problems: String::new(),
    };
    // `WIDTH` makes a different program for every width; only sections that do not use it are compared between
    // widths.
    for widths in section.programs() {
        if section.draw.is_some() {
            for (sources, seen) in drawn(section, widths)? {
                judge.judge(&sources, &seen);
            }
            continue;
        }
        let compiled = suite::run::compile(section, widths[0])?;
        let Some(module) = &compiled.module else { return Ok(()) };
        // Shaders of draws only compile here.
        if module.io.is_some() || module.group.is_some() {
            return Ok(());
        }
        let bindings = suite::run::inputs(section, module)?;
        let launch = suite::run::launch(section, module, widths[0]);
        let plan = plan(section, widths)?;
        let report = sanitizer::examine(module, &launch, &bindings, &plan)
            .map_err(|it| format!("at width {}: {:?}", it.width, it.failure))?;
        for seen in report.seen {
            judge.judge(&compiled.sources, &seen);
        }
    }
    let Judge { missing, not_found, mut problems, .. } = judge;
    for Announced { line, code, text } in missing {
        problems.push_str(&format!("line {line}: expected but not found: {code}: {text}\n"));
    }
    for code in not_found {
        problems.push_str(&format!("expected but not found: {code}\n"));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Compares findings with those that a section announces.
struct Judge<'a> {
    section: &'a Section,
    announced: &'a [Announced<'a>],
    missing: BTreeSet<&'a Announced<'a>>,
    not_found: BTreeSet<&'a String>,
    problems: String,
}

impl Judge<'_> {
    fn judge(&mut self, sources: &diag::SourceMap, seen: &Seen) {
        let finding = &seen.finding;
        if finding.helps.is_empty() {
            let report = diag::render(&seen.report(), sources, diag::Style::Plain);
            self.problems.push_str(&format!("without a help line:\n{report}"));
        }
        let line = sources.location(finding.site.span).map_or(0, |at| at.line);
        let rendered = || diag::render(&seen.report(), sources, diag::Style::Plain);
        let fits = |it: &Announced| {
            it.line == line
                && it.code == finding.kind.code().name
                && (says(finding, it.text)
                    || !it.text.starts_with("help: ") && rendered().contains(it.text))
        };
        if self.announced.iter().any(fits) {
            self.missing.retain(|it| !fits(it));
            return;
        }
        let code = finding.kind.code().name;
        if self.section.finds.iter().any(|it| it == code) {
            self.not_found.retain(|it| *it != code);
            return;
        }
        let order = seen.order.map_or(String::new(), |it| format!(" with {it}"));
        self.problems.push_str(&format!("at widths {:?}{order}, not expected:\n", seen.widths));
        self.problems.push_str(&diag::render(&seen.report(), sources, diag::Style::Plain));
    }
}

/// The findings of a draw, with the sources of the shader that each is about.
fn drawn(section: &Section, widths: Vec<u32>) -> Result<Vec<(diag::SourceMap, Seen)>, String> {
    let mut plan = plan(section, widths.clone())?;
    let run = suite::run::watched(section, widths)?;
    plan.widths.retain(|it| run.pipeline.wave_sizes().contains(it));
    let draw = wavelane::Draw { fuel: Some(1 << 28), ..run.draw.clone() };
    let report =
        wavelane::internal::examine_draw(&run.pipeline, &draw, &plan, &run.tables(), &run.names)
            .map_err(|it| it.to_string())?;
    let of = |stage| run.sources(Some(stage)).clone();
    Ok(report.seen.into_iter().map(|(stage, it)| (of(stage), it)).collect())
}
