//! The result for a program at a width: plain data, so that a process that compares can pass it to the one that
//! reports.

use serde_json::{Value, json};
use wavelane::SourceMap;
use wavelane::internal::Seen;
use wavelane::internal::diag::{self, Style};

use super::run::Explained;
use crate::finding;
use crate::problem::Exit;

/// The verdict on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Agree,
    /// The sides differ, and the language does not define what the program does.
    Undefined,
    /// The sides differ, and each result is right.
    Open,
    Disagree,
    /// No side could be compared.
    Unsupported,
    /// There was nothing to compare with: the program is wrong, or did not run to its end.
    NotRun,
}

impl Verdict {
    pub(super) const ALL: [Verdict; 6] = [
        Verdict::Agree,
        Verdict::Undefined,
        Verdict::Open,
        Verdict::Disagree,
        Verdict::Unsupported,
        Verdict::NotRun,
    ];

    pub(super) fn word(self) -> &'static str {
        match self {
            Verdict::Agree => "agree",
            Verdict::Undefined => "undefined",
            Verdict::Open => "open",
            Verdict::Disagree => "disagree",
            Verdict::Unsupported => "unsupported",
            Verdict::NotRun => "not run",
        }
    }
}

/// The result of the comparison with one side.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Compared {
    Same,
    /// The first difference, if it ran to its end.
    Differs(Option<Value>),
    Unsupported(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    pub(super) name: String,
    /// 0 if it was never run.
    pub(super) width: u32,
    pub(super) verdict: Verdict,
    /// Why it was not run, if it was not.
    pub(super) stop: Option<(Exit, String)>,
    /// The sides besides the reference, by their names.
    pub(super) engines: Vec<(String, Compared)>,
    /// Sentences about the differences.
    pub(super) details: Vec<String>,
    pub(super) notes: Vec<String>,
    /// Whose mistake it is.
    pub(super) whose: String,
    /// Reports for people.
    pub(super) pictures: Vec<String>,
    /// The first value that differs, for each side where it was found.
    pub(super) first: Vec<Value>,
    /// What the sanitizer found.
    pub(super) findings: Vec<Value>,
    /// Annotations of GitHub.
    pub(super) github: String,
    pub(super) repro: Option<Repro>,
}

/// A file that shows a disagreement, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Repro {
    /// The text, with its state in words.
    Text {
        text: String,
        about: String,
    },
    /// Where it was written, with the same words.
    File {
        file: String,
        about: String,
    },
    Not(String),
}

impl Record {
    pub(super) fn new(name: &str, width: u32) -> Record {
        Record {
            name: name.to_owned(),
            width,
            verdict: Verdict::NotRun,
            stop: None,
            engines: Vec::new(),
            details: Vec::new(),
            notes: Vec::new(),
            whose: String::new(),
            pictures: Vec::new(),
            first: Vec::new(),
            findings: Vec::new(),
            github: String::new(),
            repro: None,
        }
    }

    pub(super) fn nothing(name: &str, exit: Exit, why: String) -> Record {
        let verdict = match exit {
            Exit::Unsupported => Verdict::Unsupported,
            Exit::Fine | Exit::Findings | Exit::BadInput | Exit::Bug => Verdict::NotRun,
        };
        Record { verdict, stop: Some((exit, why)), ..Record::new(name, 0) }
    }

    /// Derives the verdict from the result of each side; `whose` names the mistake if one differs.
    pub(super) fn conclude(&mut self, whose: &str) {
        let has = |what: fn(&Compared) -> bool| self.engines.iter().any(|(_, it)| what(it));
        if has(|it| matches!(it, Compared::Differs(_))) {
            self.verdict = Verdict::Disagree;
            whose.clone_into(&mut self.whose);
        } else if has(|it| *it == Compared::Same) {
            self.verdict = Verdict::Agree;
        } else {
            self.verdict = Verdict::Unsupported;
        }
    }

    /// The sides differ because of the program.
    pub(super) fn explain(&mut self, explained: Explained) {
        self.verdict = match explained {
            Explained::Undefined => Verdict::Undefined,
            Explained::Open | Explained::Not => Verdict::Open,
        };
        "the program".clone_into(&mut self.whose);
    }

    /// Adds what the sanitizer found; `words` repeat its run.
    pub(super) fn add_finding(
        &mut self,
        seen: &Seen,
        words: &[String],
        sources: &SourceMap,
        style: Style,
    ) {
        let again = finding::again(seen, words);
        let report = finding::diagnostic(seen, None, &again);
        self.pictures.push(diag::render(&report, sources, style));
        self.github.push_str(&diag::to_github(&report, sources));
        let json = finding::as_json(seen, &report, &self.name, None, &again, sources);
        self.findings.push(json);
    }

    pub(super) fn is_bad(&self) -> bool {
        match self.verdict {
            Verdict::Undefined | Verdict::Open | Verdict::Disagree | Verdict::NotRun => true,
            Verdict::Agree | Verdict::Unsupported => false,
        }
    }

    /// The program with its width.
    pub(super) fn id(&self) -> String {
        match self.width {
            0 => self.name.clone(),
            width => format!("{}@{width}", self.name),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let engine = |(name, compared): &(String, Compared)| match compared {
            Compared::Same => json!({ "engine": name, "result": "same" }),
            Compared::Differs(difference) => {
                json!({ "engine": name, "result": "differs", "difference": difference })
            }
            Compared::Unsupported(why) => {
                json!({ "engine": name, "result": "unsupported", "why": why })
            }
        };
        let repro = self.repro.as_ref().map(|it| match it {
            Repro::Text { text, about } => json!({ "text": text, "about": about }),
            Repro::File { file, about } => json!({ "file": file, "about": about }),
            Repro::Not(why) => json!({ "why": why }),
        });
        let stop = self.stop.as_ref().map(|(exit, why)| json!({ "exit": *exit as u8, "why": why }));
        json!({
            "name": self.name,
            "wave_size": self.width,
            "verdict": self.verdict.word(),
            "stop": stop,
            "engines": self.engines.iter().map(engine).collect::<Vec<Value>>(),
            "details": self.details,
            "notes": self.notes,
            "whose": self.whose,
            "first": self.first,
            "findings": self.findings,
            "repro": repro,
        })
    }

    /// What only the process that reports needs.
    pub(super) fn to_whole_json(&self) -> Value {
        let mut value = self.to_json();
        value["pictures"] = json!(self.pictures);
        value["github"] = json!(self.github);
        value
    }

    pub(super) fn from_json(value: &Value) -> Option<Record> {
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let texts = |it: &Value| it.as_array()?.iter().map(text).collect::<Option<Vec<String>>>();
        let engine = |it: &Value| {
            let compared = match it["result"].as_str()? {
                "same" => Compared::Same,
                "differs" => {
                    Compared::Differs(Some(it["difference"].clone()).filter(|it| !it.is_null()))
                }
                _ => Compared::Unsupported(text(&it["why"])?),
            };
            Some((text(&it["engine"])?, compared))
        };
        let word = value["verdict"].as_str()?;
        let stop = match &value["stop"] {
            Value::Null => None,
            it => Some((exit(it["exit"].as_u64()?)?, text(&it["why"])?)),
        };
        Some(Record {
            name: text(&value["name"])?,
            width: u32::try_from(value["wave_size"].as_u64()?).ok()?,
            verdict: Verdict::ALL.into_iter().find(|it| it.word() == word)?,
            stop,
            engines: value["engines"].as_array()?.iter().map(engine).collect::<Option<_>>()?,
            details: texts(&value["details"])?,
            notes: texts(&value["notes"])?,
            whose: text(&value["whose"])?,
            pictures: texts(&value["pictures"])?,
            first: value["first"].as_array()?.clone(),
            findings: value["findings"].as_array()?.clone(),
            github: text(&value["github"])?,
            repro: Repro::from_json(&value["repro"]),
        })
    }
}

impl Repro {
    pub(super) fn from_json(value: &Value) -> Option<Repro> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        match (text("text"), text("about"), text("why")) {
            (Some(text), Some(about), _) => Some(Repro::Text { text, about }),
            (_, _, Some(why)) => Some(Repro::Not(why)),
            _ => None,
        }
    }
}

fn exit(number: u64) -> Option<Exit> {
    let all = [Exit::Fine, Exit::Findings, Exit::BadInput, Exit::Unsupported, Exit::Bug];
    all.into_iter().find(|it| *it as u64 == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_passed_between_processes_arrives_unchanged() {
        let mut record = Record::new("a.test", 8);
        record.verdict = Verdict::Disagree;
        record.engines = vec![
            ("cpu".to_owned(), Compared::Same),
            ("vulkan".to_owned(), Compared::Differs(Some(json!({ "buffer": "Out" })))),
            ("vulkan:1".to_owned(), Compared::Differs(None)),
            ("a.spv".to_owned(), Compared::Unsupported("why".to_owned())),
        ];
        record.details = vec!["d".to_owned()];
        record.pictures = vec!["p\n".to_owned()];
        record.first = vec![json!({ "lane": 3 })];
        record.github = "::error::x\n".to_owned();
        record.repro = Some(Repro::Text { text: "t".to_owned(), about: "a".to_owned() });
        assert_eq!(Record::from_json(&record.to_whole_json()), Some(record));
        let nothing = Record::nothing("b", Exit::BadInput, "wrong".to_owned());
        assert_eq!(Record::from_json(&nothing.to_whole_json()), Some(nothing));
    }
}
