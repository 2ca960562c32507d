//! The report on tests, in every form: what `test`, `run` with a job, and `merge` have in common.

mod baseline;
mod clock;
mod formats;
mod people;
mod record;

use jobs::Test;

use crate::problem::Exit;

pub(crate) use baseline::{Baseline, read as read_baseline, write as write_baseline};
pub(crate) use clock::now;
pub(crate) use formats::time;
pub(crate) use people::write;
pub(crate) use record::{
    Record, Report, micros_from_json, outcome_from_json, outcome_to_json, read_lines, seconds,
};
/// A text in XML.
pub(crate) use wavelane::internal::diag::escaped as xml;

/// What the exit status says about records.
pub(crate) fn exit(records: &[Record], known: &Baseline) -> Exit {
    let is = |verdict| move |it: &&Record| it.outcome.verdict == verdict;
    let failed = records.iter().filter(is(jobs::Verdict::Failed));
    let mut news = failed.clone().filter(|it| !known.expects(it)).peekable();
    if news.peek().is_some() {
        // If only files are wrong, no test has run, let alone failed.
        let are_wrong = news.all(|it| it.outcome.is_wrong);
        return if are_wrong { Exit::BadInput } else { Exit::Findings };
    }
    let passed = records.iter().filter(is(jobs::Verdict::Passed)).count();
    // A test that cannot run does not pass: if nothing else ran, nothing was tested.
    if passed == 0 && failed.count() == 0 && !records.is_empty() {
        return Exit::Unsupported;
    }
    Exit::Fine
}

/// The command that runs a test again, as a shell reads it.
pub(crate) fn command(verb: &str, test: &Test, width: u32, flags: &[String]) -> String {
    let mut words = vec!["wavelane".to_owned(), verb.to_owned(), test.name()];
    if width > 0 {
        words.extend(["--wave-size".to_owned(), width.to_string()]);
    }
    words.extend(flags.iter().cloned());
    let words: Vec<String> = words.iter().map(|it| crate::problem::quoted(it)).collect();
    words.join(" ")
}
