//! Writes a small `.test` file that reproduces a disagreement (delta debugging).
//!
//! First the dispatch shrinks, then the source (crate `reduce`), as long as the sides still differ and the sanitizer
//! still finds nothing that would explain it: a smaller program with undefined behaviour would prove nothing. Buffers
//! that nothing uses any more are dropped. The file is read back and run before it is reported.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use jobs::{Repro, Source, Test};
use reduce::{Settings, Tester};
use wavelane::{ResourceTable, Shader};

use super::run::{Ended, Explained, Runner, explained, rules_of};
use super::subject::{Item, Subject, of_test};
use crate::compare;
use crate::problem::quoted;
use crate::side::{Runs, Side};

/// How many wave-instructions a smaller program may run.
const FUEL: u64 = 1 << 23;

/// Further attempts are not worth the wait.
const MOST_ATTEMPTS: usize = 3000;

/// How long the program is reduced, unless a time-out is shorter.
const PATIENCE: Duration = Duration::from_secs(20);

/// A file that shows a disagreement.
pub(super) struct Written {
    pub(super) text: String,
    /// Lines of the source, before and after.
    pub(super) lines: (usize, usize),
    pub(super) groups: [u32; 3],
}

/// The outcome of a program on both sides.
struct Sides {
    /// What the reference left.
    expected: ResourceTable,
    differs: bool,
}

/// The disagreement of a side with the reference, as a file.
pub(super) fn repro(
    runner: &Runner<'_>,
    subject: &Subject,
    side: &Side,
    width: u32,
) -> Result<Written, String> {
    if runner.is_lost.get() {
        return Err("the device is lost".to_owned());
    }
    let written = made(runner, subject, side, width);
    runner.most_fuel.set(u64::MAX);
    written
}

fn made(
    runner: &Runner<'_>,
    subject: &Subject,
    side: &Side,
    width: u32,
) -> Result<Written, String> {
    let rules = rules_of(runner.args, &subject.san);
    let maker = Maker { runner, subject, side, width, rules };
    let lost = "the disagreement is gone when it is run again";
    let whole = &subject.source.text;
    // A loop that has lost its step may run for ever, and there are many such attempts.
    runner.most_fuel.set(FUEL);
    let few = maker.groups();
    let is_long = few.is_none();
    if is_long {
        runner.most_fuel.set(u64::MAX);
    }
    let groups = few.or_else(|| maker.groups()).ok_or(lost)?;
    // A lost device runs nothing more, and another compiler's module belongs to this source alone.
    let is_fixed = matches!(side.runs, Runs::Module(..));
    let is_heap = subject.shader.resources().iter().any(|it| it.register.class.is_heap());
    let small = match is_fixed || is_heap || is_long {
        true => whole.clone(),
        false => maker.shrunk(whole, groups),
    };
    let mut why = lost.to_owned();
    for text in [small.as_str(), whole.as_str()] {
        match maker.written(text, groups) {
            Ok(file) if maker.shows(&file) => {
                let lines = |text: &str| text.lines().filter(|it| !it.trim().is_empty()).count();
                let lines = (lines(whole), lines(text));
                return Ok(Written { text: file, lines, groups });
            }
            Ok(_) => why = "what was written does not show the disagreement".to_owned(),
            Err(what) => why = format!("a `.test` file cannot express {what}"),
        }
    }
    Err(why)
}

struct Maker<'a> {
    runner: &'a Runner<'a>,
    subject: &'a Subject,
    side: &'a Side,
    width: u32,
    rules: compare::Rules,
}

impl Maker<'_> {
    /// Whether the sides differ; `None` where the program itself does not run.
    fn sides(&self, shader: &Shader, table: &ResourceTable, groups: [u32; 3]) -> Option<Sides> {
        let run = |side: &Side| self.runner.run_shader(side, shader, table, groups, self.width);
        let expected = run(&Side::reference()).ok()?;
        let differs = match run(self.side) {
            Ok(got) => {
                let found = compare::compare(&expected, &got, &self.rules);
                // A permitted difference in rounding is not a disagreement.
                found.is_some_and(|it| !(it.is_rounding && self.side.may_round(shader)))
            }
            // A lost device fails with every program.
            Err(Ended::Failed(_)) if self.runner.is_lost.get() => return None,
            Err(Ended::Failed(_)) => true,
            Err(Ended::Unsupported(_) | Ended::BadInput(_)) => return None,
        };
        Some(Sides { expected, differs })
    }

    fn is_defined(&self, shader: &Shader, table: &ResourceTable, groups: [u32; 3]) -> bool {
        let (report, stopped) =
            self.runner.examine(self.subject, shader, table, groups, self.width);
        let is_foreign = self.side.module().is_some();
        stopped.is_none() && explained(report.seen.iter(), is_foreign) == Explained::Not
    }

    fn disagrees(
        &self,
        text: &str,
        shader: &Shader,
        table: &ResourceTable,
        groups: [u32; 3],
    ) -> bool {
        self.sides(shader, table, groups).is_some_and(|it| it.differs)
            && self.is_defined(shader, table, groups)
            && !self.only_flushes(text, groups)
    }

    /// Whether the side differs only in a permitted way: denormal floats become zeros.
    fn only_flushes(&self, text: &str, groups: [u32; 3]) -> bool {
        let Maker { runner, subject, side, width, rules } = self;
        if !side.is_gpu() {
            return false;
        }
        let flushed = runner.flushed(subject, text, groups, *width);
        let denormals = subject.source.flags.options.denormals;
        let got = subject.with(text, denormals).and_then(|(shader, table)| {
            runner.run_shader(side, &shader, &table, groups, *width).ok()
        });
        let both = flushed.zip(got);
        both.is_some_and(|(a, b)| compare::compare(&a, &b, rules).is_none())
    }

    /// The smallest dispatch that shows it, by halves.
    fn groups(&self) -> Option<[u32; 3]> {
        let Subject { shader, table, groups, source, .. } = self.subject;
        let shows = |groups| self.disagrees(&source.text, shader, table, groups);
        if shows([1; 3]) {
            return Some([1; 3]);
        }
        if !shows(*groups) {
            return None;
        }
        let mut smallest = *groups;
        for axis in 0..3 {
            while smallest[axis] > 1 {
                let mut fewer = smallest;
                fewer[axis] = smallest[axis].div_ceil(2);
                if self.runner.is_late() || !shows(fewer) {
                    break;
                }
                smallest = fewer;
            }
        }
        Some(smallest)
    }

    /// The source without what does not matter.
    fn shrunk(&self, text: &str, groups: [u32; 3]) -> String {
        let patience =
            self.runner.args.common.launch.timeout.map_or(PATIENCE, |it| (it / 2).min(PATIENCE));
        let source = &self.subject.source;
        let settings = Settings {
            options: source.flags.options.clone(),
            included: source.included.clone(),
            attempts: Some(MOST_ATTEMPTS),
        };
        let mut smaller = Smaller { maker: self, groups, end: Instant::now() + patience };
        reduce::reduce(text, &settings, &mut smaller).text
    }

    fn written(&self, text: &str, groups: [u32; 3]) -> Result<String, String> {
        let Subject { source, shader, table, .. } = self.subject;
        // The unchanged text needs no second compilation, and a heap is bound as it was.
        let made = (*text != source.text)
            .then(|| self.subject.with(text, self.subject.source.flags.options.denormals))
            .flatten();
        let (shader, table) = made.as_ref().map_or((shader, table), |(a, b)| (a, b));
        let source = Source { text: text.to_owned(), ..source.clone() };
        let left = self.sides(shader, table, groups);
        let comment = format!(
            "`{}` and `interp` leave different buffers with waves of {} lanes:\n  {}\n\
             The expected results are those of `interp`.",
            self.side.name,
            self.width,
            command(self.side, self.width)
        );
        jobs::write(&Repro {
            comment: &comment,
            source: &source,
            beside: None,
            shader,
            table,
            expected: left.as_ref().map(|it| &it.expected),
            unchecked: &BTreeSet::new(),
            groups,
        })
    }

    /// Whether a file reproduces the disagreement by itself.
    fn shows(&self, file: &str) -> bool {
        let test = Test { file: "repro.test".to_owned(), case: None };
        let file = jobs::TestFile::new(&*test.file, file);
        let Ok(subjects) = of_test(self.runner.args, &test, &file) else { return false };
        let [Item::One(subject)] = subjects.as_slice() else { return false };
        let rules = self.rules.clone();
        let maker = Maker { subject, rules, ..*self };
        let Subject { shader, table, groups, source, .. } = &**subject;
        maker.disagrees(&source.text, shader, table, *groups)
    }
}

/// Tests candidates one after the other: a device takes one at a time.
struct Smaller<'a> {
    maker: &'a Maker<'a>,
    groups: [u32; 3],
    end: Instant,
}

impl Tester for Smaller<'_> {
    fn test(&mut self, texts: &[String]) -> Option<Vec<bool>> {
        let Maker { runner, subject, .. } = self.maker;
        let denormals = subject.source.flags.options.denormals;
        let mut answers = Vec::new();
        for text in texts {
            if Instant::now() > self.end || runner.is_late() || runner.is_lost.get() {
                return None;
            }
            let shows = subject.with(text, denormals).is_some_and(|(shader, table)| {
                self.maker.disagrees(text, &shader, &table, self.groups)
            });
            answers.push(shows);
        }
        Some(answers)
    }
}

/// A placeholder for the command until the file's name is known.
pub(super) const PLACEHOLDER: &str = "wavelane diff FILE";

/// The command that shows a disagreement again.
fn command(side: &Side, width: u32) -> String {
    let engines = match side.module() {
        Some(_) => format!("interp,vulkan --spirv {}", quoted(&side.name)),
        None => format!("interp,{}", quoted(&side.name)),
    };
    format!("{PLACEHOLDER} --engines {engines} --wave-size {width}")
}
