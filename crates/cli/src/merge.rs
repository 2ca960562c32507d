//! `wavelane merge`: joins the reports that parts of a test run wrote, in any of the forms of a report.
//!
//! A part knows that it is part M of N, and of which run, so a missing part is noticed: half a report that looks like a
//! whole one would show a pass that never happened.

use std::collections::BTreeMap;

use crate::asked::LowArgs;
use crate::asked::{Output, Part};
use crate::files::read_report;
use crate::problem::{End, Exit, Problem};
use crate::report::Report;
use crate::{records, report, terminal};

/// What `merge` needs.
pub(crate) struct MergeArgs {
    files: Vec<String>,
    output: Output,
    html: Option<String>,
}

impl MergeArgs {
    pub(crate) fn new(low: LowArgs) -> Result<MergeArgs, Problem> {
        if low.operands.is_empty() {
            return Err(Problem::input("`wavelane merge` needs REPORT…").help(
                "reports that `wavelane test --format json` wrote, or ledgers of campaigns",
            ));
        }
        let html = low.tools.html;
        Ok(MergeArgs { files: low.operands, output: low.output, html })
    }
}

pub(crate) fn merge(args: &MergeArgs) -> Result<Exit, End> {
    let mut texts = Vec::new();
    for file in &args.files {
        texts.push(read_report(file)?);
    }
    if texts.iter().any(|it| records::is_ledger(&it.1)) {
        return ledgers(args, &texts);
    }
    if args.html.is_some() {
        let problem = Problem::input("`--html` is the page of a campaign, and there is no ledger");
        return Err(problem.into());
    }
    let mut records = BTreeMap::new();
    let mut parts: Vec<(String, Part)> = Vec::new();
    let mut started: Option<String> = None;
    for (name, text) in &texts {
        for report in report::read_lines(name, text)? {
            parts.extend(report.part.map(|it| (name.clone(), it)));
            started = started.into_iter().chain(report.started).min();
            for record in report.records {
                let key = (record.test.clone(), record.outcome.width);
                match records.get(&key) {
                    None => drop(records.insert(key, record)),
                    Some(other) if record.is_like(other) => {}
                    Some(_) => {
                        let id = record.id();
                        let what = format!("{name}: `{id}` ends differently in another report");
                        return Err(Problem::input(what).into());
                    }
                }
            }
        }
    }
    check_parts(&parts)?;
    let report = Report { records: records.into_values().collect(), part: None, started };
    let known = Default::default();
    report::write(&report, &known, args.output, &mut terminal::out())?;
    Ok(report::exit(&report.records, &known))
}

/// Joins the ledgers of campaigns.
fn ledgers(args: &MergeArgs, texts: &[(String, String)]) -> Result<Exit, End> {
    let mut all = Vec::new();
    for (name, text) in texts {
        all.extend(records::read(name, text)?);
    }
    records::report(&campaign::Merged::new(all), args.output, args.html.as_deref())
}

/// Checks that each run has every part exactly once.
fn check_parts(parts: &[(String, Part)]) -> Result<(), Problem> {
    // Parts of the same tests, split in the same way, belong to one run.
    let mut runs: BTreeMap<(u64, usize, u64, bool), BTreeMap<u64, &str>> = BTreeMap::new();
    for (file, part) in parts {
        let by_hash = part.partition.by == crate::asked::By::Hash;
        let run = (part.whole, part.of_tests, part.partition.of, by_hash);
        let (index, of) = (part.partition.index, part.partition.of);
        if let Some(other) = runs.entry(run).or_default().insert(index, file) {
            let what = format!("part {index} of {of} is given twice: `{other}` and `{file}`");
            return Err(Problem::input(what));
        }
    }
    for ((_, tests, of, _), present) in &runs {
        let missing: Vec<String> = (1..=*of)
            .filter(|it| !present.contains_key(it))
            .take(10)
            .map(|it| it.to_string())
            .collect();
        let count = of - present.len() as u64;
        if count == 0 {
            continue;
        }
        let more = if count > 10 { format!(" and {} more", count - 10) } else { String::new() };
        let missing = missing.join(", ");
        let is = if count == 1 { "part" } else { "parts" };
        let what = format!("{is} {missing}{more} of {of} missing, of a run of {tests} tests");
        let files: Vec<String> = present.values().map(|it| format!("`{it}`")).collect();
        let problem = Problem::input(what)
            .help(format!("the parts of this run that were given: {}", files.join(", ")));
        return Err(if runs.len() > 1 {
            problem.help("parts belong together if they were given the same tests and `--filter`")
        } else {
            problem
        });
    }
    Ok(())
}
