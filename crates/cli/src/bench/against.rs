//! `bench --against`: the ratio between the times of a program and of another one, or of an earlier report.
//!
//! Another program takes turns with ours in one process, and each round gives a ratio: other load on the machine
//! affects both. An earlier report gives ratios between the statistics of two runs, whose spread is as wide as both of
//! them together: the lower quartile of one run against the upper quartile of the other.

use serde_json::{Value, json};

use super::{Bench, Row, Times, ms};
use crate::asked::Against;
use crate::compare::drawn::Differs;
use crate::files::read_source;
use crate::problem::{Exit, Problem};

/// What programs are compared with.
pub(super) enum Other {
    /// A shader or a job, which runs in turns with ours.
    Program(String),
    Report(Report),
}

impl Other {
    pub(super) fn of(against: &Against) -> Result<Option<Other>, Problem> {
        match &against.file {
            None if against.fail_above.is_some() => {
                Err(Problem::input("`--fail-above` needs `--against`")
                    .help("a ratio is between two programs, or between now and an earlier report"))
            }
            None => Ok(None),
            Some(file) if file.ends_with(".json") => {
                Report::read(file).map(|it| Some(Other::Report(it)))
            }
            Some(file) => Ok(Some(Other::Program(file.clone()))),
        }
    }
}

/// How many times as long ours takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) median: f64,
    lower: f64,
    upper: f64,
    /// Between the least times.
    least: f64,
}

/// The comparison of a row.
pub(super) struct Compared {
    file: String,
    pub(super) ratio: Ratio,
    /// The times of the other program.
    run: Option<Times>,
    /// The first difference between its results and ours, if it ran.
    pub(super) differs: Option<Differs>,
    /// Whether the ratio exceeds the limit.
    pub(super) is_above: bool,
}

impl Compared {
    /// With a program that ran in turns; each round gave a ratio.
    pub(super) fn with_program(
        file: &str,
        [ours, theirs]: [&Times; 2],
        rounds: &Times,
        differs: Option<Differs>,
    ) -> Compared {
        let ratio = Ratio {
            median: rounds.median(),
            lower: rounds.quartile(1),
            upper: rounds.quartile(3),
            least: ours.quartile(0) / theirs.quartile(0),
        };
        let run = Some(Times(theirs.0.clone()));
        Compared { file: file.to_owned(), ratio, run, differs, is_above: false }
    }

    pub(super) fn judged(mut self, fail_above: Option<f64>) -> Compared {
        self.is_above = fail_above.is_some_and(|most| self.ratio.median > most);
        self
    }

    pub(super) fn as_json(&self) -> Value {
        let Ratio { median, lower, upper, least } = self.ratio;
        let mut value = json!({
            "file": self.file,
            "ratio": {
                "median": median,
                "lower_quartile": lower,
                "upper_quartile": upper,
                "least": least,
            },
            "is_above": self.is_above,
        });
        if let Some(run) = &self.run {
            value["run_ms"] = run.as_json();
            value["same_results"] = json!(self.differs.is_none());
        }
        if let Some(difference) = &self.differs {
            value["difference"] = difference.to_json();
        }
        value
    }

    pub(super) fn text(&self, fail_above: Option<f64>) -> String {
        let Ratio { median, lower, upper, least } = self.ratio;
        let mut text = format!(
            "             {median:.3} ({lower:.3} to {upper:.3}, least {least:.3}) times as long as `{}`",
            self.file
        );
        match (&self.run, &self.differs) {
            (Some(run), None) => {
                text.push_str(&format!(
                    ", which takes {} ms, with the same results",
                    ms(run.median())
                ));
            }
            (Some(run), Some(it)) => text.push_str(&format!(
                ", which takes {} ms\n             its results differ: {}",
                ms(run.median()),
                it.text("ours")
            )),
            (None, _) => text.push_str(" has it"),
        }
        if let (true, Some(most)) = (self.is_above, fail_above) {
            text.push_str(&format!("\n             that is above {most}"));
        }
        text.push('\n');
        text
    }
}

/// What `bench --format json` wrote earlier.
pub(super) struct Report {
    file: String,
    text: Value,
}

impl Report {
    fn read(file: &str) -> Result<Report, Problem> {
        let (name, text) = read_source(file)?;
        let at = |line: usize, column: usize, what: String| {
            let place = (format!("{name}:{line}:{column}"), String::new());
            Problem { place: Some(place), ..Problem::input(what) }
        };
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or(&what).to_owned();
            at(error.line(), error.column().max(1), format!("this is not JSON: {what}"))
        })?;
        let is_report = value["benches"].as_array().is_some_and(|all| {
            all.iter().all(|it| it["file"].is_string() && it["runs"].is_array())
        });
        if !is_report {
            let what = "this is not a report of `wavelane bench --format json`".to_owned();
            return Err(at(1, 1, what));
        }
        Ok(Report { file: name, text: value })
    }

    fn wrong(&self, what: String) -> Problem {
        let place = (format!("{}:1:1", self.file), String::new());
        Problem { place: Some(place), ..Problem::input(what) }
    }

    /// Compares everything that was measured of one file.
    pub(super) fn compare(
        &self,
        bench: &mut Bench,
        threads: u32,
        fail_above: Option<f64>,
    ) -> Result<(), Problem> {
        let plain = |it: &str| it.trim_start_matches("./").to_owned();
        let all = self.text["benches"].as_array().into_iter().flatten();
        let names: Vec<String> =
            all.clone().filter_map(|it| it["file"].as_str()).map(|it| format!("`{it}`")).collect();
        let mut same = all.filter(|it| it["file"].as_str().map(plain) == Some(plain(&bench.file)));
        let Some(then) = same.next() else {
            let what = format!("`{}` is not in this report", bench.file);
            return Err(self.wrong(what).help(format!("it holds {}", names.join(", "))));
        };
        // The work must be the same: otherwise a ratio says nothing.
        let works = [
            ("groups", json!(bench.groups), &then["groups"]),
            ("bound bytes", json!(bench.bytes), &then["bound_bytes"]),
            ("threads", json!(threads), &self.text["threads"]),
            ("pixels", json!(bench.drawn.map(|it| it.pixels)), &then["pixels"]),
            ("primitives", json!(bench.drawn.map(|it| it.primitives)), &then["primitives"]),
        ];
        if let Some((what, now, then)) = works.iter().find(|(_, now, then)| now != *then) {
            let what = format!(
                "`{}` was measured on other work: {then} {what} then, and {now} now",
                bench.file
            );
            return Err(self.wrong(what));
        }
        for row in &mut bench.rows {
            let ratio = self.ratio(&bench.file, row, then)?;
            let compared = Compared {
                file: self.file.clone(),
                ratio,
                run: None,
                differs: None,
                is_above: false,
            };
            row.against = Some(compared.judged(fail_above));
        }
        Ok(())
    }

    fn ratio(&self, file: &str, row: &Row, then: &Value) -> Result<Ratio, Problem> {
        let runs = then["runs"].as_array();
        let mut runs = runs.into_iter().flatten();
        let found = runs.find(|it| {
            it["wave_size"] == json!(row.width)
                && it["engine"] == json!(row.engine.name())
                && it["cpu"].as_str() == row.cpu
                && it["module"].as_str() == row.module.as_deref()
        });
        let engine = row.cpu.unwrap_or(row.engine.name());
        let Some(found) = found else {
            let what = format!(
                "`{file}` was not measured with waves of {} lanes on {engine} in this report",
                row.width
            );
            return Err(self.wrong(what));
        };
        let time = |key: &str| {
            let time = found["run_ms"][key].as_f64().filter(|it| *it > 0.0 && it.is_finite());
            time.ok_or_else(|| self.wrong(format!("the `{key}` of `{file}` is not a time")))
        };
        Ok(Ratio {
            median: row.run.median() / time("median")?,
            lower: row.run.quartile(1) / time("upper_quartile")?,
            upper: row.run.quartile(3) / time("lower_quartile")?,
            least: row.run.quartile(0) / time("least")?,
        })
    }
}

/// The exit status that comparisons give.
pub(super) fn exit<'a>(rows: impl Iterator<Item = &'a Row>) -> Exit {
    let mut compared = rows.filter_map(|it| it.against.as_ref());
    match compared.any(|it| it.is_above || it.differs.is_some()) {
        true => Exit::Findings,
        false => Exit::Fine,
    }
}
