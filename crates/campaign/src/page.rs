//! The report of a campaign as one HTML page: counts, heat maps of failures, and the groups of failures with their
//! smallest programs. It needs no network and no script. While a campaign runs, its page has the counts and heat maps
//! so far.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use diag::escaped;

use crate::plan::Work;
use crate::record::Outcome;
use crate::report::{Merged, counted, said};
use crate::tally::{Grid, Tally};

const STYLE: &str = "\
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
       color: #1c2024; background: #fff; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; } th, td { padding: .3rem .7rem; text-align: right; }
th:first-child { text-align: left; font-weight: normal; } td { border: 2px solid #fff; min-width: 4rem; }
caption { text-align: left; color: #555; padding-bottom: .3rem; }
pre { background: #f4f5f7; padding: .7rem; overflow-x: auto; } details { margin: .5rem 0; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e8ea; background: #16181b; } td { border-color: #16181b; } pre { background: #22252a; }
  caption { color: #aaa; } td { color: #111; }
}
";

/// The page of a campaign that has ended. `constructs` has the constructs of what a unit runs, each once, where they
/// are known.
pub fn page(merged: &Merged, constructs: impl FnMut(&Work) -> Vec<&'static str>) -> String {
    let mut html = beginning(&counted(merged.units().count()), "");
    html.push_str(&tables(&Tally::of(merged, constructs)));
    html.push_str(&failures(merged));
    html.push_str("</body>\n</html>\n");
    html
}

/// The page of a campaign that still runs, and has `left` units to run. Browsers load it again every few seconds.
pub fn page_so_far(tally: &Tally, left: u64) -> String {
    let done: usize = tally.counts.values().sum();
    let heading = format!("{} done, {left} left", counted(done));
    let mut html = beginning(&heading, "<meta http-equiv=\"refresh\" content=\"5\">\n");
    html.push_str(&tables(tally));
    html.push_str("</body>\n</html>\n");
    html
}

/// Everything up to the heading.
fn beginning(units: &str, head: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{head}\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>wavelane campaign</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>wavelane campaign: {units}</h1>\n"
    )
}

/// The outcomes, and the heat maps.
fn tables(tally: &Tally) -> String {
    let mut html = "<ul>\n".to_owned();
    for (outcome, count) in &tally.counts {
        let _ = writeln!(html, "<li>{} {count}</li>", outcome.word());
    }
    html.push_str("</ul>\n");
    html.push_str(&heat("Failures by engine and width", &tally.engines));
    html.push_str(&heat("Failures by order and width", &tally.orders));
    html.push_str(&heat_of_outcomes(&tally.constructs));
    html
}

/// The groups of failures with their smallest programs.
fn failures(merged: &Merged) -> String {
    let mut html = String::new();
    let groups = merged.groups();
    if !groups.is_empty() {
        html.push_str("<h2>Failures</h2>\n");
    }
    for ((outcome, signature), records) in groups {
        let _ = writeln!(
            html,
            "<details open><summary><b>{}</b>: {} ({})</summary>",
            outcome.word(),
            escaped(said(&signature, &records)),
            counted(records.len())
        );
        let smallest = records.iter().filter_map(|it| merged.reduced(&it.unit)?.text.as_ref());
        if let Some(small) = smallest.min_by_key(|it| it.len()) {
            let _ = writeln!(html, "<pre>{}</pre>", escaped(small));
        }
        html.push_str("<ul>\n");
        for record in records {
            let detail = record.detail.as_deref().unwrap_or("");
            let (unit, detail) = (escaped(&record.unit), escaped(detail));
            let _ = writeln!(html, "<li><code>{unit}</code> {detail}</li>");
        }
        html.push_str("</ul>\n</details>\n");
    }
    html
}

/// A table whose cells are darker the larger the share of failures is; the numbers say the same.
fn heat(title: &str, grid: &Grid) -> String {
    let widths: BTreeSet<u32> = grid.values().flat_map(|row| row.keys().copied()).collect();
    let caption = "failed of run, for each width of waves";
    let mut html = head(title, caption, widths.iter().map(u32::to_string));
    for (name, row) in grid {
        let _ = write!(html, "<tr><th>{}</th>", escaped(name));
        for width in &widths {
            match row.get(width) {
                None => html.push_str("<td></td>"),
                Some((of, failed)) => html.push_str(&cell(*failed, *failed, *of)),
            }
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table>\n");
    html
}

/// The same for outcomes: the cells of failures show their share of the row.
fn heat_of_outcomes(grid: &BTreeMap<&str, BTreeMap<Outcome, usize>>) -> String {
    if grid.is_empty() {
        return String::new();
    }
    let outcomes: BTreeSet<Outcome> = grid.values().flat_map(|row| row.keys().copied()).collect();
    let caption = "units run whose program has the construct, for each outcome";
    let names = outcomes.iter().map(|it| it.word().to_owned());
    let mut html = head("Outcomes by construct", caption, names);
    for (name, row) in grid {
        let of: usize = row.values().sum();
        let _ = write!(html, "<tr><th>{}</th>", escaped(name));
        for outcome in &outcomes {
            let count = row.get(outcome).copied().unwrap_or(0);
            let failed = if outcome.fails() { count } else { 0 };
            html.push_str(&cell(count, failed, of));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table>\n");
    html
}

/// The beginning of a table, with its first row.
fn head(title: &str, caption: &str, columns: impl Iterator<Item = String>) -> String {
    let mut html =
        format!("<h2>{title}</h2>\n<table>\n<caption>{caption}</caption>\n<tr><th></th>");
    for column in columns {
        let _ = write!(html, "<th>{column}</th>");
    }
    html.push_str("</tr>\n");
    html
}

/// A cell from green over yellow to red; a single failure must be seen among millions.
fn cell(count: usize, failed: usize, of: usize) -> String {
    let hue = match failed {
        0 => 130,
        failed => 50 - (50 * failed / of.max(1)).min(50),
    };
    format!("<td style=\"background:hsl({hue} 60% 75%)\">{count} / {of}</td>")
}
