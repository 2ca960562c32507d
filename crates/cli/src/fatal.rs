//! Reduces generated programs that end the process of their worker.
//!
//! A process that has ended cannot answer. So workers run the candidates, each of which may end one, and this process
//! observes the outcome. A candidate that is not defined is rejected before an engine sees it.

use std::time::Duration;

use generate::Statistics;
use reduce::{Settings, Tester};
use serde_json::{Value, json};

use crate::generated::Asked;
use crate::problem::Problem;
use crate::worker::{Answered, Broken, Slot, ask};

/// The questions about a candidate: is it defined, and does the process that runs it survive?
pub(crate) const IS_DEFINED: &str = "defined";
pub(crate) const JUDGED: &str = "judged";

/// The time allowed for a process in addition to the run: to start, and to compile and examine a candidate.
const BESIDES: Duration = Duration::from_secs(10);

/// A smaller text that ends a process as a program did. `None` if the program itself no longer does so.
pub(crate) fn reduced(
    slot: &mut Slot<'_>,
    asked: &Asked,
    number: u64,
    broken: &Broken,
) -> Result<Option<String>, Problem> {
    let mut request = asked.to_json();
    request["program"] = json!(number);
    let runs = asked.widths.len().max(1) as u32;
    let patience = asked.hurried().patience().saturating_mul(runs).saturating_add(BESIDES);
    let mut tester = Fatal { slot, request, patience, broken, problem: None };
    let text = asked.program(number, &mut Statistics::default()).print();
    let settings = Settings {
        options: asked.options(),
        attempts: Some(asked.attempts),
        ..Settings::default()
    };
    let is_again = tester.keeps(&text)?;
    let reduced = is_again.then(|| reduce::reduce(&text, &settings, &mut tester).text);
    match tester.problem {
        Some(problem) => Err(problem),
        None => Ok(reduced),
    }
}

struct Fatal<'a, 's> {
    slot: &'a mut Slot<'s>,
    /// The requests to workers, without the text.
    request: Value,
    patience: Duration,
    /// How the program ended its process.
    broken: &'a Broken,
    /// Why no further request is possible.
    problem: Option<Problem>,
}

impl Fatal<'_, '_> {
    fn ask(&mut self, question: &str, text: &str) -> Result<Answered, Problem> {
        self.request["question"] = json!(question);
        self.request["text"] = json!(text);
        ask(self.slot, &self.request, self.patience, |_| {})
    }

    fn keeps(&mut self, text: &str) -> Result<bool, Problem> {
        match self.ask(IS_DEFINED, text)? {
            Answered::Whole(answer) if answer[IS_DEFINED] == true => {}
            _ => return Ok(false),
        }
        Ok(match self.ask(JUDGED, text)? {
            Answered::Whole(_) => false,
            Answered::Broken(it) => {
                it.is_late == self.broken.is_late && it.how() == self.broken.how()
            }
        })
    }
}

impl Tester for Fatal<'_, '_> {
    fn test(&mut self, texts: &[String]) -> Option<Vec<bool>> {
        let kept: Result<Vec<bool>, Problem> = texts.iter().map(|it| self.keeps(it)).collect();
        kept.map_err(|it| self.problem = Some(it)).ok()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::external::Scratch;
    use crate::worker;

    /// A worker whose engine ends the process at a sum over lanes; all texts that name the log are defined.
    const FRAGILE: &str = r#"#!/bin/sh
while read -r request; do
    case "$request" in
    *'"question":"defined"'*Log*) echo '{"defined":true,"end":true}' ;;
    *'"question":"defined"'*) echo '{"defined":false,"end":true}' ;;
    *WaveActiveSum*) kill -SEGV $$ ;;
    *) echo '{"end":true}' ;;
    esac
done
"#;

    #[test]
    fn a_program_that_ends_its_process_shrinks_to_what_ends_it() {
        let folder = Scratch::new().unwrap();
        let script = folder.0.join("worker.sh");
        std::fs::write(&script, FRAGILE).unwrap();
        std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
        worker::start_by(vec![script.into_os_string()]);
        let asked = json!({ "seed": 1, "engines": ["cpu"], "attempts": 1000 });
        let asked = Asked::from_json(&asked).unwrap();
        let text = |number| asked.program(number, &mut Statistics::default()).print();
        let sums = |it: &u64| text(*it).contains("WaveActiveSum");
        let number = (0..).find(sums).unwrap();
        let mut slot = Slot::new(&[], None);
        let Ok(Answered::Broken(broken)) = ask(
            &mut slot,
            &json!({ "text": text(number), "question": JUDGED }),
            Duration::from_secs(60),
            |_| {},
        ) else {
            panic!("the process did not end")
        };
        let reduced = reduced(&mut slot, &asked, number, &broken).ok().flatten().unwrap();
        assert!(reduced.contains("WaveActiveSum") && reduced.contains("Log"), "{reduced}");
        assert!(reduced.len() < text(number).len() / 4, "{reduced}");
        // A candidate that does not end the process is not a smaller program of this kind.
        let other = (0..).find(|it| !sums(it)).unwrap();
        assert!(super::reduced(&mut slot, &asked, other, &broken).ok().unwrap().is_none());
    }
}
