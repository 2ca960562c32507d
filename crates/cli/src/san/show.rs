//! The reports of `san`: for people, and for programs.

use std::fmt::Write;

use serde_json::{Value, json};
use wavelane::internal::diag;

use super::SanArgs;
use super::record::{Entry, Program, Skipped, Stop};
use crate::asked::Output;
use crate::problem::{End, Exit};
use crate::report::{self, xml};
use crate::terminal;
use crate::terminal::print_json;
use crate::value::counted;

/// All results.
pub(super) struct Outcome {
    pub(super) programs: Vec<Program>,
    /// Tests that were not examined.
    pub(super) skipped: Vec<Skipped>,
    /// The lines of the baseline that nothing was found for.
    pub(super) outdated: Vec<String>,
    /// Whether a baseline was given.
    pub(super) has_baseline: bool,
    /// Whole folders of shaders were examined.
    pub(super) is_walk: bool,
    /// The seed of bindings that were made up.
    pub(super) auto: Option<u64>,
    /// When it began, in universal time.
    pub(super) started: String,
}

impl Outcome {
    /// Tests and programs that were not examined, or not to the end.
    fn stops(&self) -> impl Iterator<Item = (&str, &Stop)> {
        let skipped = self.skipped.iter().map(|it| (it.name.as_str(), &it.stop));
        let stopped = self.programs.iter();
        skipped.chain(stopped.filter_map(|it| Some((it.name.as_str(), it.stopped.as_ref()?))))
    }
}

pub(super) fn show(args: &SanArgs, outcome: &Outcome) -> Result<(), End> {
    let news = || outcome.programs.iter().flat_map(Program::news);
    match args.common.output {
        Output::Text => terminal::print(&text(outcome))?,
        Output::Json => print_json(&as_json(outcome))?,
        Output::Github => {
            terminal::print(&news().map(|it| it.github.as_str()).collect::<String>())?;
        }
        Output::Sarif => {
            print_json(&diag::sarif_log(sarif(outcome), env!("CARGO_PKG_VERSION")))?;
        }
        Output::Junit => terminal::print(&junit(outcome))?,
    }
    Ok(())
}

/// New findings; with a baseline also known and fixed ones, each marked as such.
fn sarif(outcome: &Outcome) -> Vec<Value> {
    let all = outcome.programs.iter();
    if !outcome.has_baseline {
        return all.flat_map(Program::news).map(|it| it.sarif.clone()).collect();
    }
    let marked = all.flat_map(|it| &it.entries).map(|it| {
        let is_known = it.finding.as_ref().is_some_and(|it| it.is_known);
        let mut result = it.sarif.clone();
        result["baselineState"] = json!(if is_known { "unchanged" } else { "new" });
        result
    });
    let gone = outcome.outdated.iter().map(|line| {
        json!({
            "ruleId": line.split(' ').next(),
            "baselineState": "absent",
            "message": { "text": format!("no longer found: {line}") },
        })
    });
    marked.chain(gone).collect()
}

/// Findings are results, so they go to standard output.
fn text(outcome: &Outcome) -> String {
    let mut text = String::new();
    for program in &outcome.programs {
        let reports: Vec<&str> = program.news().map(|it| it.text.as_str()).collect();
        if reports.is_empty() {
            continue;
        }
        text.push_str(&reports.join("\n"));
        text.push('\n');
        text.push_str(&table(program));
        // The bindings of a single shader were reported when it was run.
        if let Some(made) = program.made.as_ref().filter(|_| outcome.is_walk) {
            let _ = writeln!(text, "{}", made.told);
        }
        if outcome.is_walk {
            text.push('\n');
        }
    }
    for Skipped { name, stop, .. } in &outcome.skipped {
        let what = if stop.exit == Exit::Unsupported { "unsupported" } else { "not examined" };
        let _ = writeln!(text, "{what}: {name}: {}", stop.why.trim_end());
    }
    for program in &outcome.programs {
        let Some(it) = &program.stopped else { continue };
        let _ = writeln!(text, "not examined to the end: {}: {}", program.name, it.why.trim_end());
    }
    for program in &outcome.programs {
        for it in &program.left_out {
            let _ = match outcome.programs.len() {
                1 => writeln!(text, "not compared: {it}"),
                _ => writeln!(text, "not compared: {}: {it}", program.name),
            };
        }
    }
    let findings = || outcome.programs.iter().flat_map(Program::findings);
    let known = findings().filter(|(_, it)| it.is_known).count();
    if known > 0 {
        let _ = writeln!(text, "{} in the baseline", counted(known, "known finding"));
    }
    if !outcome.outdated.is_empty() {
        let _ = writeln!(
            text,
            "note: {} of the baseline found nothing; `--write-baseline` writes it anew",
            counted(outcome.outdated.len(), "line")
        );
    }
    let is_wrong = |it: &&Program| it.findings().any(|(_, it)| !it.is_known);
    let wrong = outcome.programs.iter().filter(is_wrong).count();
    match outcome.programs.as_slice() {
        [only] if outcome.skipped.is_empty() && !outcome.is_walk => {
            if wrong == 0 && only.stopped.is_none() {
                let _ = writeln!(
                    text,
                    "no {}findings{}: {} with waves of {} lanes",
                    if known > 0 { "new " } else { "" },
                    if only.left_out.is_empty() { "" } else { " in what was compared" },
                    counted(only.runs, "run"),
                    listed(&only.widths)
                );
            }
        }
        all => {
            let runs = all.iter().map(|it| it.runs).sum();
            let made = match outcome.auto.filter(|_| outcome.is_walk) {
                Some(seed) => format!("; bindings made up by --auto={seed}"),
                None => String::new(),
            };
            let _ = writeln!(
                text,
                "{} in {}, {wrong} with findings, {} not examined{made}",
                counted(all.len(), "program"),
                counted(runs, "run"),
                outcome.skipped.len()
            );
        }
    }
    text
}

/// The table of findings by width.
fn table(program: &Program) -> String {
    let mut text = String::new();
    let findings = || program.findings().filter(|(_, it)| !it.is_known);
    let Some(longest) = findings().map(|(it, _)| it.code.len()).max() else { return text };
    let column = longest.max("finding".len());
    let _ = write!(text, "{:<column$}", "finding");
    for width in &program.widths {
        let _ = write!(text, "  {width:>4}");
    }
    text.push('\n');
    for (entry, found) in findings() {
        let _ = write!(text, "{:<column$}", entry.code);
        for width in &program.widths {
            let mark = match found {
                it if it.widths.contains(width) => "x",
                it if it.unwatched.contains(width) => "-",
                _ => ".",
            };
            let _ = write!(text, "  {mark:>4}");
        }
        text.push('\n');
    }
    if findings().any(|(_, it)| !it.unwatched.is_empty()) {
        text.push_str("- the order that shows it was not watched at this width\n");
    }
    text
}

fn listed(widths: &[u32]) -> String {
    widths.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn as_json(outcome: &Outcome) -> Value {
    let all = || outcome.programs.iter();
    let mut widths: Vec<u32> = all().flat_map(|it| it.widths.iter().copied()).collect();
    widths.sort_unstable();
    widths.dedup();
    let findings = all().flat_map(Program::findings).map(|(entry, found)| {
        let mut record = entry.json.clone();
        record["known"] = json!(found.is_known);
        record
    });
    let is_remark = |it: &&Entry| it.finding.is_none();
    let remarks = all().flat_map(|it| &it.entries).filter(is_remark).map(|it| it.json.clone());
    let examined = all().map(|it| {
        json!({
            "name": it.name, "examined": true, "widths": it.widths, "runs": it.runs,
            "stopped": it.stopped.as_ref().map(|it| &it.why),
            "not_compared": it.left_out,
            "auto": it.made.as_ref().map(|it| &it.json), "seconds": report::seconds(it.micros),
        })
    });
    let skipped = outcome.skipped.iter().map(|it| {
        json!({
            "name": it.name, "examined": false, "why": it.stop.why,
            "unsupported": it.stop.exit == Exit::Unsupported, "seconds": report::seconds(it.micros),
        })
    });
    let mut value = json!({
        "findings": findings.collect::<Vec<_>>(),
        "diagnostics": remarks.collect::<Vec<_>>(),
        "programs": examined.chain(skipped).collect::<Vec<_>>(),
        "widths": widths,
    });
    // For one shader all made-up bindings; for many only what they have in common.
    match (outcome.programs.as_slice(), outcome.auto) {
        ([Program { made: Some(made), .. }], _) => value["auto"] = made.json.clone(),
        (_, Some(seed)) => value["auto"] = json!({ "seed": seed }),
        (_, None) => {}
    }
    value
}

/// A program is a test case, and its findings are why it fails.
fn junit(outcome: &Outcome) -> String {
    let failures = outcome.programs.iter().filter(|it| it.fails()).count();
    let unsupported = outcome.stops().filter(|it| it.1.exit == Exit::Unsupported).count();
    let broken = outcome.stops().count() - unsupported;
    let took = outcome.programs.iter().map(|it| it.micros);
    let took = took.chain(outcome.skipped.iter().map(|it| it.micros)).sum();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{broken}\" skipped=\"{unsupported}\" time=\"{}\" timestamp=\"{}\"",
        outcome.programs.len() + outcome.skipped.len(),
        report::time(took),
        xml(&outcome.started),
    );
    let case = |name: &str, micros| {
        let (name, time) = (xml(name), report::time(micros));
        format!("    <testcase classname=\"san\" name=\"{name}\" time=\"{time}\"")
    };
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"wavelane san\" {counts}>\n  <testsuite name=\"san\" {counts}>\n"
    );
    let stop = |it: &Stop| {
        let tag = if it.exit == Exit::Unsupported { "skipped" } else { "error" };
        format!("<{tag} message=\"{}\"/>", xml(it.why.lines().next().unwrap_or("")))
    };
    for program in &outcome.programs {
        text.push_str(&case(&program.name, program.micros));
        let news = program.news().map(|it| {
            let (code, message, body) = (&it.code, xml(&it.message), xml(&it.text));
            match it.is_error {
                true => format!("<failure type=\"{code}\" message=\"{message}\">{body}</failure>"),
                false => format!("<system-out>{body}</system-out>"),
            }
        });
        let left_out = program.left_out.iter();
        let left_out =
            left_out.map(|it| format!("<system-out>not compared: {}</system-out>", xml(it)));
        let bodies: String = news.chain(left_out).chain(program.stopped.iter().map(stop)).collect();
        let _ = match bodies.is_empty() {
            true => writeln!(text, "/>"),
            false => writeln!(text, ">{bodies}</testcase>"),
        };
    }
    for it in &outcome.skipped {
        let _ = writeln!(text, "{}>{}</testcase>", case(&it.name, it.micros), stop(&it.stop));
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}
