//! What shaders print, for programs, and failed assertions as reports.

use jobs::failed_assertions;
use serde_json::json;
use wavelane::internal::diag::{SourceMap, code};
use wavelane::{Diagnostic, Printed, PrintedLine};

use crate::value::counted;

/// The rows of a report about an assertion.
const MOST_ROWS: usize = 8;

/// `[{"group":[0,0,0],"wave":0,"lane":3,"line":12,"text":"…"}]`
pub(crate) fn to_json(lines: &[PrintedLine], sources: &SourceMap) -> String {
    let each = lines.iter().map(|it| {
        // In this order.
        format!(
            "{{\"group\":{},\"wave\":{},\"lane\":{},\"line\":{},\"text\":{}}}",
            json!(it.group),
            it.wave,
            it.lane,
            json!(sources.location(it.span).map(|at| at.line)),
            json!(it.text),
        )
    });
    format!("[{}]", each.collect::<Vec<_>>().join(","))
}

/// A report for each assertion that failed, with the lanes and the values that they compared; [`seen_with`] adds the
/// widths.
pub(crate) fn failures(printed: &Printed, sources: &SourceMap) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for it in failed_assertions(printed) {
        // The header's macro is left out.
        let span = sources.written(it.span);
        let mut report = Diagnostic::new(&code::ASSERTION_FAILED, span, it.what);
        for row in it.rows.iter().take(MOST_ROWS) {
            report = report.note(match row.values.as_str() {
                "" => row.place.clone(),
                values => format!("{}: {values}", row.place),
            });
        }
        if it.rows.len() > MOST_ROWS {
            report = report.note(format!("and {} more", it.rows.len() - MOST_ROWS));
        }
        all.push(report);
    }
    if printed.more_failures > 0
        && let Some(last) = all.pop()
    {
        let more = counted(printed.more_failures as usize, "more failure");
        all.push(last.note(format!("{more} of assertions; --print-limit N keeps more")));
    }
    all
}

/// Whether two reports are of the same assertion.
pub(crate) fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    one.primary.span == other.primary.span && one.message == other.message
}

/// Adds the widths at which an assertion failed, of which the report shows the lanes of the first.
pub(crate) fn seen_with(report: Diagnostic, widths: &[u32]) -> Diagnostic {
    let listed: Vec<String> = widths.iter().map(u32::to_string).collect();
    let shown = match widths {
        [first, _, ..] => format!(", shown for {first}"),
        _ => String::new(),
    };
    report.note(format!("seen with waves of {} lanes{shown}", listed.join(", ")))
}
