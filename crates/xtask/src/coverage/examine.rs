//! Examines the entry points that compile with `wavelane san --auto`: how many run to their end, what is found, and
//! whether anything crashes.
//!
//! Contents that are made up are not those of the project: random indices collide, and limits do not fit. A finding
//! says something about the project only if it does not depend on them, which a reader of the source decides. The
//! manifest lists such findings; the document has them, and says which of them are not found any more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;
use wavelane::Stage;

use super::manifest::{Class, Entry, Project, STAGES, how_to_run};

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
    /// Status 2 or 3, of a shader that compiles: what it needs cannot be made up.
    NotMadeUp(String),
    /// A draw would have to run it with other stages, which nothing names.
    NotAlone,
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
    let Some(how) = how_to_run(entry.stage()) else {
        return Ok(Examined { findings: Vec::new(), seconds: 0.0, end: End::NotAlone });
    };
    let mut command = super::on(binary, folder, "san", entry);
    command.args(["--auto", "--format", "json"]).args(how).args(BOUNDS);
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
        Some(2 | 3) => End::NotMadeUp(
            report["errors"][0]["message"].as_str().unwrap_or("no message").to_owned(),
        ),
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

/// All findings of a project by their places, with what a reader made of each.
type Places<'a> = BTreeMap<(&'a str, &'a Finding), Option<Class>>;

fn places<'a>(results: &'a [(&'a Project, Vec<(&Entry, Examined)>)]) -> Places<'a> {
    let mut places = Places::new();
    for (project, them) in results {
        for it in them.iter().flat_map(|(_, it)| &it.findings) {
            let known = project.findings.iter();
            let mut known = known.filter(|known| known.holds(&it.file, it.line, &it.code));
            places.insert((&project.name, it), known.next().map(|known| known.class));
        }
    }
    places
}

/// The section of the document, and a line for the terminal.
pub(super) fn section(results: &[(&Project, Vec<(&Entry, Examined)>)]) -> (String, String) {
    let all = || results.iter().flat_map(|(_, them)| them);
    let count = |is: &dyn Fn(&Examined) -> bool| all().filter(|(_, it)| is(it)).count();
    let total = all().count();
    let not_made_up = count(&|it| matches!(it.end, End::NotMadeUp(_)));
    let not_alone = count(&|it| it.end == End::NotAlone);
    let broken = count(&|it| matches!(it.end, End::Broken(_)));
    let stopped = count(&|it| it.end == End::Stopped);
    let ran = count(&Examined::ran);
    let found = count(&|it| !it.findings.is_empty());
    let seconds: f64 = all().map(|(_, it)| it.seconds).sum();
    let longest = all().map(|(_, it)| it.seconds).fold(0.0, f64::max);
    let said = format!(
        "{ran} of {total} entry points examined in {seconds:.0} s, {found} with findings, {stopped} not to the end, \
         {not_made_up} not made up, {broken} broken"
    );
    let mut text = format!(
        "\n## Under the sanitizer\n\n\
         ```\n\
         wavelane san FILE -E ENTRY FLAGS -w --auto {}\n\
         ```\n\n\
         Every compute shader that compiles, with made-up bindings, at every width that it allows, and every pixel \
         shader with `{}` besides, over a triangle with a made-up vertex shader.\n\
         **{ran} of {total} were examined**, {found} of them with findings; {stopped} ended with their fuel or their time, \
         {not_made_up} need what cannot be made up, and {broken} crashed or ended in another way. \
         The other {not_alone} are of stages that run only with others, which a file does not name; they are compiled.\n\
         It took {seconds:.0} s in all, and {longest:.0} s at most.\n",
        BOUNDS.join(" "),
        how_to_run(Stage::Pixel).unwrap_or_default().join(" "),
    );
    text.push_str("\n| stage | compile | examined | with findings | not to the end |\n|---|--:|--:|--:|--:|\n");
    for (stage, _) in STAGES {
        let them = all().filter(|(entry, _)| entry.stage() == stage).map(|(_, it)| it);
        row(&mut text, stage.word(), &them.collect::<Vec<_>>());
    }
    text.push_str("\n| project | compile | examined | with findings | not to the end |\n|---|--:|--:|--:|--:|\n");
    for (project, them) in results {
        row(&mut text, &project.name, &them.iter().map(|(_, it)| it).collect::<Vec<_>>());
    }
    let places = places(results);
    text.push_str(&read_places(&places));
    text.push_str(&mistakes(results, &places));
    for (project, them) in results {
        for (entry, it) in them {
            if let End::Broken(why) | End::NotMadeUp(why) = &it.end {
                let (name, file) = (&project.name, &entry.file);
                let _ = writeln!(text, "- {name} `{file}` `{}`: {why}", entry.name);
            }
        }
    }
    (text, said)
}

impl Examined {
    fn ran(&self) -> bool {
        matches!(self.end, End::Done | End::Stopped)
    }
}

/// A row of the tables, left out if it counts nothing.
fn row(text: &mut String, name: &str, them: &[&Examined]) {
    let count = |is: &dyn Fn(&Examined) -> bool| them.iter().filter(|it| is(it)).count();
    if !them.is_empty() {
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} |",
            them.len(),
            count(&Examined::ran),
            count(&|it| !it.findings.is_empty()),
            count(&|it| it.end == End::Stopped),
        );
    }
}

/// How many places findings have, and what a reader made of them.
fn read_places(places: &Places<'_>) -> String {
    let of = |class: Option<Class>| places.values().filter(|it| **it == class).count();
    let unread = of(None);
    let mut text = format!(
        "\nMade-up contents are not the project's: random indices collide, which is a race, and constants do not fit \
         each other. Therefore findings are read in the source. They are at {} places, of which {} have been read: \
         {} are mistakes regardless of the bindings, {} follow from made-up contents, \
         and {} are intended by the project or shown by a test. {unread} have not been read.\n\n\
         | finding | places | mistakes | made up | meant | not read |\n|---|--:|--:|--:|--:|--:|\n",
        places.len(),
        places.len() - unread,
        of(Some(Class::Mistake)),
        of(Some(Class::MadeUp)),
        of(Some(Class::Intended)),
    );
    let codes: BTreeSet<&str> = places.keys().map(|(_, it)| it.code.as_str()).collect();
    for code in codes {
        let of_code = || places.iter().filter(move |it| it.0.1.code == code).map(|it| *it.1);
        let of = |class: Option<Class>| of_code().filter(|it| *it == class).count();
        let _ = writeln!(
            text,
            "| `{code}` | {} | {} | {} | {} | {} |",
            of_code().count(),
            of(Some(Class::Mistake)),
            of(Some(Class::MadeUp)),
            of(Some(Class::Intended)),
            of(None)
        );
    }
    if unread > 0 {
        text.push_str("\nThese have not been read:\n\n");
    }
    for (project, it) in places.iter().filter(|it| it.1.is_none()).map(|it| *it.0) {
        let Finding { file, line, code } = it;
        let _ = writeln!(text, "- {project} `{file}:{line}` `{code}`");
    }
    text
}

/// What does not depend on what is made up.
fn mistakes(results: &[(&Project, Vec<(&Entry, Examined)>)], places: &Places<'_>) -> String {
    let mut text =
        "\nThese have been read in the source, and do not depend on what is made up:\n\n"
            .to_owned();
    for (project, _) in results {
        for it in project.findings.iter().filter(|it| it.class == Class::Mistake) {
            let is_there = places.keys().any(|(name, found)| {
                *name == project.name && it.holds(&found.file, found.line, &found.code)
            });
            let lines: Vec<String> = it.lines.iter().map(u64::to_string).collect();
            let lines = if lines.is_empty() { "*".to_owned() } else { lines.join(",") };
            let gone = if is_there { "" } else { " (not found any more)" };
            let (name, file, code) = (&project.name, &it.file, &it.code);
            let _ = writeln!(text, "- {name} `{file}:{lines}` `{code}`: {}{gone}", it.reason);
        }
    }
    text
}
