//! The result for an examined program: plain data, so that a process that examines can pass it to the one that reports.

use serde_json::{Value, json};

use crate::problem::Exit;

/// A program that was examined.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Program {
    /// The file, with the case or the number of the run where it has several.
    pub(super) name: String,
    /// Which run of its test it is, if there are several.
    pub(super) number: Option<usize>,
    pub(super) widths: Vec<u32>,
    /// How many runs it took.
    pub(super) runs: usize,
    /// Findings that neither a flag nor a comment hides, followed by remarks about the comments.
    pub(super) entries: Vec<Entry>,
    /// What was not compared between widths or orders, and why.
    pub(super) left_out: Vec<String>,
    /// Why it was not examined to the end.
    pub(super) stopped: Option<Stop>,
    /// The bindings that were made up for it.
    pub(super) made: Option<Made>,
    /// How long it took, in microseconds.
    pub(super) micros: u64,
}

/// A test that was not examined.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Skipped {
    pub(super) name: String,
    pub(super) stop: Stop,
    /// How long it took to find out, in microseconds.
    pub(super) micros: u64,
}

/// Bindings that were made up, for people and for programs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Made {
    pub(super) told: String,
    pub(super) json: Value,
}

/// One report, in all the forms that it is shown in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) code: String,
    pub(super) message: String,
    pub(super) is_error: bool,
    /// Of a finding alone.
    pub(super) finding: Option<Found>,
    /// For people.
    pub(super) text: String,
    pub(super) json: Value,
    pub(super) github: String,
    pub(super) sarif: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// Its line in a baseline.
    pub(super) key: String,
    /// The widths at which it was made.
    pub(super) widths: Vec<u32>,
    /// The widths at which no run that could show it was watched.
    pub(super) unwatched: Vec<u32>,
    /// The baseline has it.
    pub(super) is_known: bool,
}

/// A run that did not run to its end, or a test that was not examined.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stop {
    pub(super) exit: Exit,
    pub(super) why: String,
}

/// The outcome of a test.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Examined {
    Program(Program),
    Skipped(Skipped),
}

impl Program {
    pub(super) fn findings(&self) -> impl Iterator<Item = (&Entry, &Found)> {
        self.entries.iter().filter_map(|it| Some((it, it.finding.as_ref()?)))
    }

    /// What is not in the baseline, in the order in which it is shown.
    pub(super) fn news(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|it| !it.finding.as_ref().is_some_and(|it| it.is_known))
    }

    /// Whether a new finding sets the exit status.
    pub(super) fn fails(&self) -> bool {
        self.news().any(|it| it.is_error)
    }
}

impl Examined {
    pub(super) fn to_json(&self) -> Value {
        match self {
            Examined::Skipped(Skipped { name, stop, micros }) => {
                json!({ "name": name, "skipped": stop.to_json(), "micros": micros })
            }
            Examined::Program(Program {
                name,
                number,
                widths,
                runs,
                entries,
                left_out,
                stopped,
                made,
                micros,
            }) => {
                json!({
                    "micros": micros,
                    "name": name,
                    "number": number,
                    "widths": widths,
                    "runs": runs,
                    "entries": entries.iter().map(Entry::to_json).collect::<Vec<_>>(),
                    "left_out": left_out,
                    "stopped": stopped.as_ref().map(Stop::to_json),
                    "made": made.as_ref().map(|it| json!({ "told": it.told, "json": it.json })),
                })
            }
        }
    }

    pub(super) fn from_json(value: &Value) -> Option<Examined> {
        let name = value["name"].as_str()?.to_owned();
        let micros = value["micros"].as_u64()?;
        if let Some(stop) = Stop::from_json(&value["skipped"]) {
            return Some(Examined::Skipped(Skipped { name, stop, micros }));
        }
        Some(Examined::Program(Program {
            name,
            number: value["number"].as_u64().and_then(|it| usize::try_from(it).ok()),
            micros,
            widths: widths(&value["widths"])?,
            runs: usize::try_from(value["runs"].as_u64()?).ok()?,
            entries: value["entries"]
                .as_array()?
                .iter()
                .map(Entry::from_json)
                .collect::<Option<_>>()?,
            left_out: value["left_out"]
                .as_array()?
                .iter()
                .map(|it| it.as_str().map(str::to_owned))
                .collect::<Option<_>>()?,
            stopped: Stop::from_json(&value["stopped"]),
            made: value["made"]["told"]
                .as_str()
                .map(|told| Made { told: told.to_owned(), json: value["made"]["json"].clone() }),
        }))
    }
}

impl Entry {
    fn to_json(&self) -> Value {
        let finding =
            |it: &Found| json!({ "key": it.key, "widths": it.widths, "unwatched": it.unwatched });
        json!({
            "code": self.code,
            "message": self.message,
            "error": self.is_error,
            "finding": self.finding.as_ref().map(finding),
            "text": self.text,
            "json": self.json,
            "github": self.github,
            "sarif": self.sarif,
        })
    }

    fn from_json(value: &Value) -> Option<Entry> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let finding = match &value["finding"] {
            Value::Null => None,
            it => Some(Found {
                key: it["key"].as_str()?.to_owned(),
                widths: widths(&it["widths"])?,
                unwatched: widths(&it["unwatched"])?,
                is_known: false,
            }),
        };
        Some(Entry {
            code: text("code")?,
            message: text("message")?,
            is_error: value["error"].as_bool()?,
            finding,
            text: text("text")?,
            json: value["json"].clone(),
            github: text("github")?,
            sarif: value["sarif"].clone(),
        })
    }
}

impl Stop {
    fn to_json(&self) -> Value {
        json!({ "exit": self.exit as u8, "why": self.why })
    }

    fn from_json(value: &Value) -> Option<Stop> {
        let number = value["exit"].as_u64()?;
        let all = [Exit::Fine, Exit::Findings, Exit::BadInput, Exit::Unsupported, Exit::Bug];
        let exit = all.into_iter().find(|it| *it as u64 == number)?;
        Some(Stop { exit, why: value["why"].as_str()?.to_owned() })
    }
}

fn widths(value: &Value) -> Option<Vec<u32>> {
    value.as_array()?.iter().map(|it| u32::try_from(it.as_u64()?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_passed_between_processes_arrives_unchanged() {
        let entry = |finding| Entry {
            code: "race".to_owned(),
            message: "m".to_owned(),
            is_error: true,
            finding,
            text: "a.hlsl:1:1\n".to_owned(),
            json: json!({ "id": "race" }),
            github: "::error".to_owned(),
            sarif: json!({ "ruleId": "race" }),
        };
        let found = Found {
            key: "race a.hlsl: x".to_owned(),
            widths: vec![4, 8],
            unwatched: vec![16],
            is_known: false,
        };
        let stop = Stop { exit: Exit::Findings, why: "late".to_owned() };
        let program = |stopped| Program {
            name: "a".to_owned(),
            number: Some(2),
            widths: vec![4, 8, 16],
            runs: 7,
            entries: vec![entry(Some(found.clone())), entry(None)],
            left_out: vec!["`a` is not compared".to_owned()],
            stopped,
            made: Some(Made { told: "made up".to_owned(), json: json!({ "seed": 7 }) }),
            micros: 1234,
        };
        for it in [
            Examined::Program(program(None)),
            Examined::Program(program(Some(stop.clone()))),
            Examined::Skipped(Skipped { name: "b".to_owned(), stop, micros: 5 }),
        ] {
            let text = it.to_json().to_string();
            let back = serde_json::from_str(&text).unwrap();
            assert_eq!(Examined::from_json(&back), Some(it));
        }
    }
}
