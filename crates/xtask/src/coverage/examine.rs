//! Examines the entry points that compile with `wavelane san --auto`: how many run to their end, what is found, and whether
//! anything crashes.
//!
//! Contents that are made up are not those of the project: random indices collide, and limits do not fit. A finding says
//! something about the project only if it does not depend on them, which a reader of the source decides. The manifest
//! lists such findings; the document has them, and says which of them are not found any more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use super::manifest::{Entry, Project};

/// What bounds each run: instructions of a wave, and seconds for all runs of an entry point.
const BOUNDS: [&str; 4] = ["--fuel", "4194304", "--timeout", "60"];

/// What became of an entry point.
pub(super) struct Examined {
    findings: Vec<Finding>,
    seconds: f64,
    end: End,
}

#[derive(PartialEq)]
enum End {
    Done,
    /// The bounds ended it.
    Stopped,
    /// Status 3: its bindings cannot be made up.
    NotMadeUp,
    /// Any other status, or a signal.
    Broken(String),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    file: String,
    line: u64,
    code: String,
}

/// Examines one entry point.
pub(super) fn examine(folder: &Path, entry: &Entry, binary: &Path) -> Result<Examined, String> {
    let mut command = Command::new(binary);
    command.current_dir(folder).arg("san").arg(&entry.file).args(["-E", &entry.name]);
    command.args(&entry.flags).args(["-w", "--auto", "--format", "json"]).args(BOUNDS);
    let start = Instant::now();
    let output = command.output().map_err(|error| format!("{}: {error}", binary.display()))?;
    let seconds = start.elapsed().as_secs_f64();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let said = String::from_utf8_lossy(&output.stderr);
    let end = match output.status.code() {
        Some(0) => End::Done,
        // Errors without findings are those of a run.
        Some(1) if report["findings"].is_null() => End::Stopped,
        Some(1) if report["programs"][0]["stopped"].is_null() => End::Done,
        Some(1) => End::Stopped,
        Some(3) => End::NotMadeUp,
        code => {
            let why = said.lines().last().unwrap_or("no message");
            End::Broken(format!("status {code:?}: {why}"))
        }
    };
    let findings = report["findings"].as_array().map_or(&[][..], Vec::as_slice).iter();
    let finding = |it: &Value| {
        // A failed assertion has its place inside.
        let at = if it["file"].is_null() { &it["location"] } else { it };
        Some(Finding {
            file: at["file"].as_str()?.to_owned(),
            line: at["line"].as_u64()?,
            code: it["id"].as_str()?.to_owned(),
        })
    };
    Ok(Examined { findings: findings.filter_map(finding).collect(), seconds, end })
}

/// The section of the document, and a line for the terminal.
pub(super) fn section(results: &[(&Project, Vec<(&Entry, Examined)>)]) -> (String, String) {
    let all = || results.iter().flat_map(|(_, them)| them);
    let count = |is: &dyn Fn(&Examined) -> bool| all().filter(|(_, it)| is(it)).count();
    let total = all().count();
    let not_made_up = count(&|it| it.end == End::NotMadeUp);
    let broken = count(&|it| matches!(it.end, End::Broken(_)));
    let stopped = count(&|it| it.end == End::Stopped);
    let ran = total - not_made_up - broken;
    let found = count(&|it| !it.findings.is_empty());
    let seconds: f64 = all().map(|(_, it)| it.seconds).sum();
    let longest = all().map(|(_, it)| it.seconds).fold(0.0, f64::max);
    let said = format!(
        "{ran} of {total} entry points examined in {seconds:.0} s, {found} with findings, {stopped} not to the end, \
         {broken} broken"
    );
    let mut text = format!(
        "\n## Under the sanitizer\n\n\
         ```\n\
         wavelane san FILE -E ENTRY FLAGS -w --auto {}\n\
         ```\n\n\
         Every entry point that compiles, with bindings that are made up, at every width that it allows.\n\
         **{ran} of {total} were examined**, {found} of them with findings; {stopped} ended with their fuel or their time, \
         {not_made_up} take resources out of a heap by indices that cannot be made up, and {broken} crashed or \
         ended otherwise.\n\
         It took {seconds:.0} s in all, and {longest:.0} s at most.\n\n\
         Contents that are made up are not the project's: random indices collide, which is a race, and constants do not \
         fit each other. Most findings mean no more than that.\n",
        BOUNDS.join(" ")
    );
    text.push_str("\n| project | entry points | examined | with findings | not to the end |\n|---|--:|--:|--:|--:|\n");
    for (project, them) in results.iter().filter(|(_, them)| !them.is_empty()) {
        let count = |is: &dyn Fn(&Examined) -> bool| them.iter().filter(|(_, it)| is(it)).count();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            project.name,
            them.len(),
            count(&|it| matches!(it.end, End::Done | End::Stopped)),
            count(&|it| !it.findings.is_empty()),
            count(&|it| it.end == End::Stopped),
        );
    }
    let mut places: BTreeMap<&str, BTreeSet<(&str, &Finding)>> = BTreeMap::new();
    for (project, them) in results {
        for it in them.iter().flat_map(|(_, it)| &it.findings) {
            places.entry(&it.code).or_default().insert((&project.name, it));
        }
    }
    text.push_str("\n| finding | places |\n|---|--:|\n");
    for (code, places) in &places {
        let _ = writeln!(text, "| `{code}` | {} |", places.len());
    }
    text.push_str(
        "\nThese have been read in the source, and do not depend on what is made up:\n\n",
    );
    for (project, _) in results {
        for it in &project.findings {
            let (file, line, code) = (&it.file, it.line, &it.code);
            let is_there = places.get(code.as_str()).is_some_and(|all| {
                all.iter().any(|(name, found)| {
                    *name == project.name && (&found.file, found.line) == (file, line)
                })
            });
            let gone = if is_there { "" } else { " (not found any more)" };
            let _ =
                writeln!(text, "- {} `{file}:{line}` `{code}`: {}{gone}", project.name, it.reason);
        }
    }
    for (project, them) in results {
        for (entry, it) in them {
            if let End::Broken(why) = &it.end {
                let (name, file) = (&project.name, &entry.file);
                let _ = writeln!(text, "- {name} `{file}` `{}`: {why}", entry.name);
            }
        }
    }
    (text, said)
}
