//! The reports of `san`: for people, and for programs.

use std::fmt::Write;

use device::diag::{self, SourceMap};
use device::{Level, Order};
use serde_json::{Value, json};

use super::subject::Skipped;
use super::{Judged, Program};
use crate::args::{Args, Output};
use crate::problem::Exit;
use crate::test::xml;
use crate::value::counted;
use crate::{End, check, terminal};

/// Everything that came out.
pub(super) struct Outcome {
    pub(super) programs: Vec<Program>,
    pub(super) skipped: Vec<Skipped>,
    /// How many lines of the baseline nothing was found for.
    pub(super) outdated: usize,
}

pub(super) fn show(args: &Args, outcome: &Outcome) -> Result<(), End> {
    match args.output {
        Output::Text => terminal::print(&text(outcome))?,
        Output::Json => check::print_json(&as_json(outcome))?,
        Output::Github => {
            let all = outcome
                .programs
                .iter()
                .flat_map(|program| program.news().map(|it| diag::to_github(it, &program.sources)));
            terminal::print(&all.collect::<String>())?;
        }
        Output::Sarif => {
            let all = outcome
                .programs
                .iter()
                .flat_map(|program| program.news().map(|it| (it, &program.sources)));
            let all: Vec<_> = all.collect();
            check::print_json(&diag::sarif(&all, env!("CARGO_PKG_VERSION")))?;
        }
        Output::Junit => terminal::print(&junit(outcome))?,
    }
    Ok(())
}

/// Findings are the result that was asked for, so they go where results go.
fn text(outcome: &Outcome) -> String {
    let mut text = String::new();
    for program in &outcome.programs {
        let reports: Vec<String> = program
            .news()
            .map(|it| diag::render(it, &program.sources, terminal::style()))
            .collect();
        if reports.is_empty() {
            continue;
        }
        text.push_str(&reports.join("\n"));
        text.push('\n');
        text.push_str(&table(program));
    }
    for it in &outcome.skipped {
        let what = if it.exit == Exit::Unsupported { "unsupported" } else { "not examined" };
        let _ = writeln!(text, "{what}: {}: {}", it.name, it.why.trim_end());
    }
    let known =
        outcome.programs.iter().flat_map(|it| &it.findings).filter(|it| it.is_known).count();
    if known > 0 {
        let _ = writeln!(text, "{} in the baseline", counted(known, "known finding"));
    }
    if outcome.outdated > 0 {
        let _ = writeln!(
            text,
            "note: {} of the baseline found nothing; `--write-baseline` writes it anew",
            counted(outcome.outdated, "line")
        );
    }
    let wrong = outcome.programs.iter().filter(|it| it.findings().next().is_some()).count();
    match outcome.programs.as_slice() {
        [only] if outcome.skipped.is_empty() => {
            if wrong == 0 {
                let _ = writeln!(
                    text,
                    "no {}findings: {} with waves of {} lanes",
                    if known > 0 { "new " } else { "" },
                    counted(only.runs, "run"),
                    listed(&only.plan.widths)
                );
            }
        }
        all => {
            let runs = all.iter().map(|it| it.runs).sum();
            let _ = writeln!(
                text,
                "{} in {}, {wrong} with findings, {} not examined",
                counted(all.len(), "program"),
                counted(runs, "run"),
                outcome.skipped.len()
            );
        }
    }
    text
}

/// Which finding was made at which width.
fn table(program: &Program) -> String {
    let mut text = String::new();
    let names = program.findings().map(|it| it.report.code.name.len());
    let Some(longest) = names.max() else { return text };
    let column = longest.max("finding".len());
    let _ = write!(text, "{:<column$}", "finding");
    for width in &program.plan.widths {
        let _ = write!(text, "  {width:>4}");
    }
    text.push('\n');
    for it in program.findings() {
        let _ = write!(text, "{:<column$}", it.report.code.name);
        for width in &program.plan.widths {
            let mark = if it.seen.widths.contains(width) { "x" } else { "." };
            let _ = write!(text, "  {mark:>4}");
        }
        text.push('\n');
    }
    text
}

fn listed(widths: &[u32]) -> String {
    widths.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn as_json(outcome: &Outcome) -> Value {
    let mut widths: Vec<u32> =
        outcome.programs.iter().flat_map(|it| it.plan.widths.iter().copied()).collect();
    widths.sort_unstable();
    widths.dedup();
    let findings = outcome.programs.iter().flat_map(|program| {
        program.findings.iter().map(|it| record(it, program)).collect::<Vec<_>>()
    });
    let remarks = outcome
        .programs
        .iter()
        .flat_map(|program| program.remarks.iter().map(|it| diag::to_json(it, &program.sources)));
    let examined = outcome.programs.iter().map(|it| {
        json!({ "name": it.name, "examined": true, "widths": it.plan.widths, "runs": it.runs })
    });
    let skipped = outcome.skipped.iter().map(|it| {
        json!({
            "name": it.name, "examined": false, "why": it.why,
            "unsupported": it.exit == Exit::Unsupported,
        })
    });
    json!({
        "findings": findings.collect::<Vec<_>>(),
        "diagnostics": remarks.collect::<Vec<_>>(),
        "programs": examined.chain(skipped).collect::<Vec<_>>(),
        "widths": widths,
    })
}

/// A finding for programs.
fn record(it: &Judged, program: &Program) -> Value {
    let finding = &it.seen.finding;
    let mut record = place(finding.site.span, &program.sources);
    record["id"] = json!(it.report.code.name);
    record["verdict"] = json!(finding.kind.verdict().word());
    record["level"] = json!(it.report.level.word());
    record["known"] = json!(it.is_known);
    record["program"] = json!(program.name);
    record["message"] = json!(finding.message);
    record["text"] = json!(finding.site.text);
    record["related"] = finding
        .related
        .iter()
        .map(|site| {
            let mut related = place(site.span, &program.sources);
            related["message"] = json!(site.text);
            related
        })
        .collect();
    record["notes"] = json!(finding.notes);
    record["lanes"] = finding.lanes.iter().collect();
    record["wave"] = json!(finding.wave);
    record["group"] = json!(finding.group);
    record["width"] = json!(finding.width);
    record["widths"] = json!(it.seen.widths);
    record["seed"] = json!(it.seen.order.and_then(Order::seed));
    record["order"] = json!(it.seen.order.map(|it| it.to_string()));
    record["command"] = json!(super::again(&it.seen));
    record
}

fn place(span: diag::Span, sources: &SourceMap) -> Value {
    let at = sources.location(span);
    json!({
        "file": at.as_ref().map(|it| it.file.to_string()),
        "line": at.as_ref().map(|it| it.line),
        "column": at.as_ref().map(|it| it.column),
    })
}

/// A program is a test case, and its findings are why it fails.
fn junit(outcome: &Outcome) -> String {
    let fails = |it: &Program| it.news().any(|it| it.level >= Level::Error);
    let failures = outcome.programs.iter().filter(|it| fails(it)).count();
    let broken = outcome.skipped.iter().filter(|it| it.exit != Exit::Unsupported).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{broken}\" skipped=\"{}\"",
        outcome.programs.len() + outcome.skipped.len(),
        outcome.skipped.len() - broken
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"wavelane san\" {counts}>\n  <testsuite name=\"san\" {counts}>\n"
    );
    for program in &outcome.programs {
        let _ = write!(text, "    <testcase classname=\"san\" name=\"{}\"", xml(&program.name));
        let bodies: Vec<String> = program
            .news()
            .map(|it| {
                let body = xml(&diag::render(it, &program.sources, diag::Style::Plain));
                let (code, message) = (it.code.name, xml(&it.message));
                match it.level >= Level::Error {
                    true => {
                        format!("<failure type=\"{code}\" message=\"{message}\">{body}</failure>")
                    }
                    false => format!("<system-out>{body}</system-out>"),
                }
            })
            .collect();
        let _ = match bodies.is_empty() {
            true => writeln!(text, "/>"),
            false => writeln!(text, ">{}</testcase>", bodies.concat()),
        };
    }
    for it in &outcome.skipped {
        let tag = if it.exit == Exit::Unsupported { "skipped" } else { "error" };
        let (name, why) = (xml(&it.name), xml(it.why.lines().next().unwrap_or("")));
        let _ = writeln!(
            text,
            "    <testcase classname=\"san\" name=\"{name}\"><{tag} message=\"{why}\"/></testcase>"
        );
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}
