//! A finding of the sanitizer as text: for people, for programs, and as the command that reproduces it.

use std::fmt::Write;

use jobs::PassName;
use serde_json::{Value, json};
use wavelane::Diagnostic;
use wavelane::internal::diag::{self, SourceMap};
use wavelane::internal::{Invocation, LeftOut, Order, Seen, Verdict};

/// The flags that select the runs. Each is given once, and a finding has its own values.
const OF_RUNS: [&str; 2] = ["--wave-size", "--orders"];

/// The command that reproduces a finding and runs nothing else; `base` is the original command line.
pub(crate) fn again(seen: &Seen, base: &[String]) -> String {
    let line = |words: &mut dyn Iterator<Item = &String>| {
        words.fold("wavelane".to_owned(), |line, it| line + " " + &crate::problem::quoted(it))
    };
    // Of two widths that differ, both are needed; the smallest is where the comparison begins.
    let width = seen.widths.first().copied().unwrap_or(seen.finding.width);
    if seen.finding.kind.verdict() == Verdict::WidthDependent {
        return line(&mut base.iter());
    }
    let mut command = line(&mut without(base, &OF_RUNS));
    let orders = seen.order.map_or("none".to_owned(), |it| it.to_string());
    let _ = write!(command, " --wave-size {width} --orders {orders}");
    command
}

/// The words of a command line without some flags and their values.
fn without<'a>(words: &'a [String], flags: &'a [&str]) -> impl Iterator<Item = &'a String> {
    let mut is_value = false;
    words.iter().filter(move |word| {
        let attached = flags.iter().find_map(|it| word.strip_prefix(it));
        let was_value = std::mem::replace(&mut is_value, attached == Some(""));
        !was_value && attached.is_none_or(|it| !it.is_empty() && !it.starts_with('='))
    })
}

/// The finding with the widths at which it was made, and the pass of a job in which it was.
pub(crate) fn diagnostic(seen: &Seen, pass: Option<&PassName>, again: &str) -> Diagnostic {
    let mut report = seen.report();
    if let Some(pass) = pass {
        report = report.note(format!("in {pass} of the job"));
    }
    if seen.order.is_some() {
        report = report.note(format!("again: {again}"));
    }
    let widths: Vec<String> = seen.widths.iter().map(u32::to_string).collect();
    match widths.as_slice() {
        [_] => report,
        _ => report.note(format!("seen with waves of {} lanes", widths.join(", "))),
    }
}

/// A finding for programs.
pub(crate) fn as_json(
    seen: &Seen,
    report: &Diagnostic,
    program: &str,
    pass: Option<&PassName>,
    again: &str,
    sources: &SourceMap,
) -> Value {
    let finding = &seen.told();
    let mut record = place(finding.site.span, sources);
    record["id"] = json!(report.code.name);
    record["verdict"] = json!(finding.kind.verdict().word());
    record["level"] = json!(report.level.word());
    record["program"] = json!(program);
    record["message"] = json!(finding.message);
    record["text"] = json!(finding.site.text);
    record["related"] = finding
        .related
        .iter()
        .map(|site| {
            let mut related = place(site.span, sources);
            related["message"] = json!(site.text);
            related
        })
        .collect();
    record["stacks"] = diag::stacks_json(report, sources);
    record["notes"] = json!(finding.notes);
    record["lanes"] = finding.lanes.iter().collect();
    record["wave"] = json!(finding.wave);
    record["group"] = json!(finding.group);
    if let Some((stage, at)) = seen.of {
        record["stage"] = json!(stage.word());
        let pixel = match at {
            Some(Invocation::Pixel { at, .. }) => Some(at),
            _ => None,
        };
        record["pixel"] = json!(pixel);
        record["invocation"] = json!(seen.invocation());
    }
    record["width"] = json!(finding.width);
    record["widths"] = json!(seen.widths);
    record["seed"] = json!(seen.order.and_then(Order::seed));
    record["order"] = json!(seen.order.map(|it| it.to_string()));
    record["command"] = json!(again);
    if let Some(pass) = pass {
        record["pass"] = pass_to_json(pass);
    }
    record
}

/// A pass of a job for programs.
pub(crate) fn pass_to_json(pass: &PassName) -> Value {
    json!({
        "number": pass.number, "entry": pass.entry, "round": pass.round.0, "repeat": pass.round.1,
    })
}

pub(crate) fn pass_from_json(value: &Value) -> Option<PassName> {
    let number = |key: &str| value[key].as_u64();
    let round = |key: &str| u32::try_from(number(key)?).ok();
    Some(PassName {
        number: usize::try_from(number("number")?).ok()?,
        entry: value["entry"].as_str()?.to_owned(),
        round: (round("round")?, round("repeat")?),
    })
}

/// What was not compared, and why.
pub(crate) fn left_out(it: &LeftOut, pass: Option<&PassName>, sources: &SourceMap) -> String {
    let mut text = String::new();
    if let Some(pass) = pass {
        let _ = write!(text, "in {pass} of the job: ");
    }
    let _ = write!(text, "{it}: `{}`", it.cause.kind.code().name);
    if let Some(at) = sources.location(it.cause.span) {
        let _ = write!(text, " at {}:{}", at.file, at.line);
    }
    text.push_str(" reaches this");
    text
}

fn place(span: diag::Span, sources: &SourceMap) -> Value {
    let at = sources.location(span);
    json!({
        "file": at.as_ref().map(|it| it.file.to_string()),
        "line": at.as_ref().map(|it| it.line),
        "column": at.as_ref().map(|it| it.column),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_left_out_with_their_values() {
        let words = "san a --wave-size 4 --orders-x --orders=none --bind A=1 --wave-size all b";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let left: Vec<&str> = without(&words, &OF_RUNS).map(String::as_str).collect();
        assert_eq!(left.join(" "), "san a --orders-x --bind A=1 b");
    }
}
