//! What is left of a unit: its outcome, without any trace of who ran it or when.

use serde_json::{Map, Value, json};

/// How a unit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The results are the expected ones.
    Agrees,
    Crash,
    Hang,
    /// Valid code is refused.
    Refuses,
    /// The results are others.
    Miscompiles,
    /// There is nothing here to run it on.
    NotRun,
    /// Two records of the unit differ.
    Unstable,
}

impl Outcome {
    pub const ALL: [Outcome; 7] = [
        Outcome::Agrees,
        Outcome::Crash,
        Outcome::Hang,
        Outcome::Refuses,
        Outcome::Miscompiles,
        Outcome::NotRun,
        Outcome::Unstable,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Outcome::Agrees => "agrees",
            Outcome::Crash => "crash",
            Outcome::Hang => "hang",
            Outcome::Refuses => "refuses",
            Outcome::Miscompiles => "miscompiles",
            Outcome::NotRun => "not run",
            Outcome::Unstable => "unstable",
        }
    }

    pub fn parse(word: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|it| it.word() == word)
    }

    /// Whether it makes a campaign fail.
    pub fn fails(self) -> bool {
        !matches!(self, Outcome::Agrees | Outcome::NotRun)
    }
}

/// A unit's record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// The unit as text; or that text after `reduce `, for its reduced program.
    pub unit: String,
    pub outcome: Outcome,
    /// Of what the run left, where it came to its end.
    pub digest: Option<String>,
    /// What groups failures with the same cause.
    pub signature: Option<String>,
    /// The message that the signature was made from, as it was printed.
    pub message: Option<String>,
    pub detail: Option<String>,
    /// A reduced program.
    pub text: Option<String>,
}

impl Record {
    pub fn new(unit: impl Into<String>, outcome: Outcome) -> Record {
        let unit = unit.into();
        Record {
            unit,
            outcome,
            digest: None,
            signature: None,
            message: None,
            detail: None,
            text: None,
        }
    }

    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        map.insert("unit".to_owned(), json!(self.unit));
        map.insert("outcome".to_owned(), json!(self.outcome.word()));
        let rest = [
            ("digest", &self.digest),
            ("signature", &self.signature),
            ("message", &self.message),
            ("detail", &self.detail),
            ("text", &self.text),
        ];
        for (key, value) in rest {
            if let Some(value) = value {
                map.insert(key.to_owned(), json!(value));
            }
        }
        Value::Object(map)
    }

    pub fn from_json(value: &Value) -> Option<Record> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let outcome = Outcome::parse(value["outcome"].as_str()?)?;
        Some(Record {
            digest: text("digest"),
            signature: text("signature"),
            message: text("message"),
            detail: text("detail"),
            text: text("text"),
            ..Record::new(text("unit")?, outcome)
        })
    }
}

/// The digest of what a run left.
pub fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", diag::digest(bytes))
}
