//! The reports of `diff`: for people, and for programs.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use super::DiffArgs;
use super::record::{Compared, Record, Repro, Verdict};
use crate::asked::Output;
use crate::auto::Auto;
use crate::problem::{End, Exit};
use crate::report::xml;
use crate::side::Side;
use crate::terminal;
use crate::terminal::print_json;
use crate::value::counted;

pub(super) fn show(
    args: &DiffArgs,
    sides: &[Side],
    records: &[Record],
    auto: Option<&Auto>,
) -> Result<(), End> {
    match args.common.output {
        Output::Text => terminal::print(&text(sides, records))?,
        Output::Json => {
            let mut value = as_json(sides, records);
            if let Some(auto) = auto {
                value["auto"] = auto.as_json();
            }
            print_json(&value)?;
        }
        Output::Github => {
            terminal::print(&records.iter().map(github).collect::<String>())?;
        }
        Output::Junit => terminal::print(&junit(records))?,
        Output::Sarif => unreachable!("the flag takes no such format for `diff`"),
    }
    Ok(())
}

/// How often each verdict was given.
fn counts(records: &[Record]) -> String {
    let count = |verdict| records.iter().filter(|it| it.verdict == verdict).count();
    let all = Verdict::ALL.map(|it| (it, count(it)));
    let shown: Vec<String> = all
        .iter()
        .filter(|(it, count)| *count > 0 || matches!(it, Verdict::Agree | Verdict::Disagree))
        .map(|(it, count)| format!("{count} {}", it.word()))
        .collect();
    shown.join(", ")
}

fn text(sides: &[Side], records: &[Record]) -> String {
    let mut text = String::new();
    for side in sides {
        let missing = match &side.runs {
            crate::side::Runs::Missing(why) => Some(format!("unsupported: {why}")),
            _ => None,
        };
        if let Some(about) = missing.as_ref().or(side.about.as_ref()) {
            let _ = writeln!(text, "{}: {about}", side.name);
        }
    }
    let is_alone = records.len() == 1;
    for record in records {
        let is_counted = matches!(record.verdict, Verdict::Agree | Verdict::Unsupported);
        if !is_counted || is_alone {
            text.push_str(&told(record));
        }
    }
    if !is_alone {
        text.push_str(&not_compared(records));
        let _ = writeln!(text, "{}: {}", counted(records.len(), "comparison"), counts(records));
    }
    text
}

/// What was not compared, by reasons. Names differ from program to program, the reason behind them does not.
fn not_compared(records: &[Record]) -> String {
    let mut reasons: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut add = |what: &str, why: &str| {
        let first = why.lines().next().unwrap_or("");
        let plain = first.split('`').step_by(2).collect::<Vec<&str>>().join("…");
        *reasons.entry((what.to_owned(), plain)).or_default() += 1;
    };
    for record in records {
        for (name, compared) in &record.engines {
            if let Compared::Unsupported(why) = compared {
                add(&format!("not compared with `{name}`"), why);
            }
        }
        if let (Verdict::Unsupported, Some((_, why))) = (record.verdict, &record.stop) {
            add("unsupported", why);
        }
    }
    let line =
        |((what, why), count): (&(String, String), &usize)| format!("{what}, {count}: {why}\n");
    reasons.iter().map(line).collect()
}

/// One record.
fn told(record: &Record) -> String {
    let mut text = format!("{}: {}", record.verdict.word(), record.name);
    if record.width > 0 {
        let _ = write!(text, " with waves of {} lanes", record.width);
    }
    if record.verdict == Verdict::Agree {
        let same = record.engines.iter().filter(|(_, it)| *it == Compared::Same);
        let names: Vec<String> = std::iter::once("interp".to_owned())
            .chain(same.map(|(name, _)| name.clone()))
            .collect();
        let _ = write!(text, ": {}", names.join(", "));
    }
    if let Some((_, why)) = &record.stop {
        let _ = write!(text, ": {}", why.trim_end());
    }
    text.push('\n');
    for detail in &record.details {
        let _ = writeln!(text, "  {detail}");
    }
    for (name, compared) in &record.engines {
        if let Compared::Unsupported(why) = compared {
            let _ = writeln!(text, "  `{name}` was not compared: {why}");
        }
    }
    if !record.whose.is_empty() {
        let _ = writeln!(text, "  whose: {}", record.whose);
    }
    for note in &record.notes {
        let _ = writeln!(text, "  note: {note}");
    }
    match &record.repro {
        Some(Repro::File { file, about }) => {
            let _ = writeln!(text, "  repro: {file} ({about})");
        }
        Some(Repro::Not(why)) => {
            let _ = writeln!(text, "  no repro: {}", why.lines().next().unwrap_or(""));
        }
        Some(Repro::Text { .. }) | None => {}
    }
    for picture in &record.pictures {
        let _ = write!(text, "\n{}\n", picture.trim_end());
    }
    if !record.pictures.is_empty() {
        text.push('\n');
    }
    text
}

fn as_json(sides: &[Side], records: &[Record]) -> Value {
    let engine = |it: &Side| {
        let missing = match &it.runs {
            crate::side::Runs::Missing(why) => Some(why),
            _ => None,
        };
        json!({ "name": it.name, "about": it.about, "unsupported": missing })
    };
    let count = |verdict| records.iter().filter(|it| it.verdict == verdict).count();
    let counts: serde_json::Map<String, Value> =
        Verdict::ALL.iter().map(|it| (it.word().to_owned(), json!(count(*it)))).collect();
    json!({
        "engines": sides.iter().map(engine).collect::<Vec<Value>>(),
        "comparisons": records.iter().map(Record::to_json).collect::<Vec<Value>>(),
        "summary": counts,
    })
}

/// An annotation of GitHub's runners.
pub(super) fn annotation(file: &str, place: Option<(&str, u32)>, message: &str) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let place = match place {
        Some((file, line)) => format!("file={},line={line},", property(file)),
        None => format!("file={},", property(file.split("::").next().unwrap_or(file))),
    };
    format!("::error {place}title=diff::{}\n", data(message))
}

fn github(record: &Record) -> String {
    match (&record.stop, record.verdict) {
        (Some((_, why)), Verdict::NotRun) => annotation(&record.name, None, why),
        (_, Verdict::Open | Verdict::Undefined | Verdict::Disagree) if record.github.is_empty() => {
            annotation(&record.name, None, &record.details.join("\n"))
        }
        _ => record.github.clone(),
    }
}

fn junit(records: &[Record]) -> String {
    let count =
        |wanted: &[Verdict]| records.iter().filter(|it| wanted.contains(&it.verdict)).count();
    let failures = count(&[Verdict::Undefined, Verdict::Open, Verdict::Disagree]);
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{}\" skipped=\"{}\"",
        records.len(),
        count(&[Verdict::NotRun]),
        count(&[Verdict::Unsupported]),
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"wavelane diff\" {counts}>\n  <testsuite name=\"diff\" {counts}>\n"
    );
    for record in records {
        let head = format!("    <testcase classname=\"diff\" name=\"{}\"", xml(&record.id()));
        let why = match (&record.stop, record.details.first()) {
            (Some((_, why)), _) => why.lines().next().unwrap_or("").to_owned(),
            (None, Some(first)) => first.clone(),
            (None, None) => record
                .engines
                .iter()
                .find_map(|(_, it)| match it {
                    Compared::Unsupported(why) => Some(why.clone()),
                    Compared::Same | Compared::Differs(_) => None,
                })
                .unwrap_or_default(),
        };
        let why = xml(&why);
        let _ = match record.verdict {
            Verdict::Agree => writeln!(text, "{head}/>"),
            Verdict::Unsupported => {
                writeln!(text, "{head}><skipped message=\"{why}\"/></testcase>")
            }
            Verdict::NotRun => writeln!(text, "{head}><error message=\"{why}\"/></testcase>"),
            Verdict::Undefined | Verdict::Open | Verdict::Disagree => writeln!(
                text,
                "{head}><failure type=\"{}\" message=\"{why}\">{}</failure></testcase>",
                record.verdict.word(),
                xml(&told(record))
            ),
        };
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// What the exit status says.
pub(super) fn exit(sides: &[Side], records: &[Record]) -> Exit {
    let stops: Vec<Exit> =
        records.iter().filter_map(|it| it.stop.as_ref().map(|(exit, _)| *exit)).collect();
    if stops.contains(&Exit::Bug) {
        return Exit::Bug;
    }
    let is_finding =
        |it: &Record| matches!(it.verdict, Verdict::Undefined | Verdict::Open | Verdict::Disagree);
    if records.iter().any(is_finding) || stops.contains(&Exit::Findings) {
        return Exit::Findings;
    }
    if stops.contains(&Exit::BadInput) {
        return Exit::BadInput;
    }
    // An engine that was named and compared nowhere has shown nothing.
    let was_compared = |side: &Side| {
        matches!(side.runs, crate::side::Runs::Reference)
            || records
                .iter()
                .flat_map(|it| &it.engines)
                .any(|(name, it)| *name == side.name && *it == Compared::Same)
    };
    match sides.iter().all(was_compared) {
        true => Exit::Fine,
        false => Exit::Unsupported,
    }
}
