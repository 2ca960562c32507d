//! The verdict on a program at a width: runs it on all sides, compares, and asks the sanitizer where they differ.

use serde_json::json;
use wavelane::internal::diag;
use wavelane::{ComputePipeline, DispatchError, Printed, ResourceTable};

use super::locate::{self, Disputed, Located};
use super::record::{Compared, Record, Verdict};
use super::repro;
use super::run::{Ended, Explained, Runner, explained, other_line, rules_of};
use super::subject::Subject;
use crate::asked::WaveSizes;
use crate::compare::{Difference, Rules, compare};
use crate::launch::failed;
use crate::problem::{Exit, Problem};
use crate::side::{NotRun, Runs, Side};

/// A side with the pipeline that it runs a program with.
struct Ready<'a> {
    side: &'a Side,
    pipeline: Result<ComputePipeline, NotRun>,
}

/// What a side did at a width.
enum Did {
    Same,
    Differs(Difference, Box<ResourceTable>),
    /// The buffers are the same, and a printed line is not.
    Prints(String),
    Failed(DispatchError),
    Unsupported(String),
    BadInput(String),
    /// It has no waves of that width, and they were not requested.
    NotThere,
}

impl Did {
    /// Whether its behaviour differs from the reference's.
    fn is_other(&self) -> bool {
        match self {
            Did::Differs(..) | Did::Prints(_) | Did::Failed(_) => true,
            Did::Same | Did::Unsupported(_) | Did::BadInput(_) | Did::NotThere => false,
        }
    }
}

/// A message of a worker.
pub(super) enum Told {
    Record(Box<Record>),
    /// The file that reproduces the last disagreement, or why there is none.
    Repro(Result<repro::Written, String>),
}

/// Judges a program at each of its widths; `tell` gets each as soon as it is known.
pub(super) fn judge(
    runner: &Runner<'_>,
    subject: &Subject,
    sides: &[Side],
    style: diag::Style,
    tell: &mut dyn FnMut(Told),
) {
    let args = runner.args;
    let tell = &mut |told: Told| {
        let is_new = match &told {
            // What cannot be run counts as a comparison.
            Told::Record(record) => record.width > 0 || !runner.is_done(),
            Told::Repro(_) => true,
        };
        if is_new {
            tell(told);
        }
    };
    let nothing =
        |exit, why: String| Told::Record(Box::new(Record::nothing(&subject.name, exit, why)));
    let of_reference =
        match Side::reference().pipeline(&subject.shader, &args.common.device.adapter) {
            Ok(pipeline) => pipeline,
            Err(NotRun::Unsupported(why)) => return tell(nothing(Exit::Unsupported, why)),
            Err(NotRun::BadInput(why)) => return tell(nothing(Exit::BadInput, why)),
        };
    let ready = ready(runner, subject, sides);
    let gpus = ready.iter().filter(|it| it.side.is_gpu());
    let gpus: Vec<&ComputePipeline> = gpus.filter_map(|it| it.pipeline.as_ref().ok()).collect();
    let widths = subject.widths(args, &of_reference, &gpus);
    if widths.is_empty() {
        let why = match &args.common.launch.wave_sizes {
            WaveSizes::Default => "the device has none of the widths that it is made for",
            WaveSizes::All | WaveSizes::List(_) => "it supports none of the requested widths",
        };
        return tell(nothing(Exit::Unsupported, why.to_owned()));
    }
    // If the source fixes the width, the module is only for that one.
    for it in &ready {
        if let Err(NotRun::BadInput(why)) = &it.pipeline {
            return tell(nothing(Exit::BadInput, format!("`{}`: {why}", it.side.name)));
        }
    }
    for width in widths {
        if runner.is_done() {
            continue;
        }
        if runner.is_lost.get() {
            return;
        }
        let rules = rules_of(args, &subject.san);
        let at = At { runner, subject, width, style, rules };
        at.judge(&of_reference, &ready, tell);
    }
}

/// All sides except the reference, with their pipelines.
fn ready<'a>(runner: &Runner<'_>, subject: &Subject, sides: &'a [Side]) -> Vec<Ready<'a>> {
    let others = sides.iter().filter(|it| !matches!(it.runs, Runs::Reference));
    others
        .map(|side| {
            let pipeline = match side.is_gpu() && subject.may_wait {
                true => {
                    let why = "it may wait forever, which cannot be interrupted on a GPU";
                    Err(NotRun::Unsupported(why.to_owned()))
                }
                false => side.pipeline(&subject.shader, &runner.args.common.device.adapter),
            };
            Ready { side, pipeline }
        })
        .collect()
}

/// Judges a program at one width.
pub(super) fn judge_at(
    runner: &Runner<'_>,
    subject: &Subject,
    width: u32,
    sides: &[Side],
    style: diag::Style,
    tell: &mut dyn FnMut(Told),
) {
    let rules = rules_of(runner.args, &subject.san);
    let at = At { runner, subject, width, style, rules };
    match Side::reference().pipeline(&subject.shader, &runner.args.common.device.adapter) {
        Ok(of_reference) => at.judge(&of_reference, &ready(runner, subject, sides), tell),
        Err(why) => tell(at.stopped(why.into())),
    }
}

struct At<'a> {
    runner: &'a Runner<'a>,
    subject: &'a Subject,
    width: u32,
    style: diag::Style,
    rules: Rules,
}

impl At<'_> {
    fn judge(
        &self,
        of_reference: &ComputePipeline,
        ready: &[Ready<'_>],
        tell: &mut dyn FnMut(Told),
    ) {
        let Subject { table, groups, .. } = self.subject;
        let expected = match self.runner.run(of_reference, table, *groups, self.width, 1) {
            Ok(expected) => expected,
            Err(ended) => return tell(self.stopped(ended)),
        };
        let shader = &self.subject.shader;
        let printed = shader
            .prints()
            .then(|| self.runner.printed(of_reference, shader, table, *groups, self.width));
        let printed = printed.flatten();
        let did: Vec<(&Side, Did)> =
            ready.iter().map(|it| (it.side, self.run(it, &expected, printed.as_ref()))).collect();
        if self.runner.is_late() {
            let cancelled =
                DispatchError::Trap(wavelane::Trap::Cancelled { span: wavelane::Span::NONE });
            return tell(self.stopped(Ended::Failed(cancelled)));
        }
        let mut record = Record::new(&self.subject.name, self.width);
        for (side, did) in &did {
            let compared = match did {
                Did::Same => Compared::Same,
                Did::Differs(difference, _) => Compared::Differs(Some(difference.to_json())),
                Did::Failed(_) | Did::Prints(_) => Compared::Differs(None),
                Did::Unsupported(why) | Did::BadInput(why) => Compared::Unsupported(why.clone()),
                Did::NotThere => continue,
            };
            record.engines.push((side.name.clone(), compared));
        }
        let differing: Vec<&(&Side, Did)> = did.iter().filter(|(_, it)| it.is_other()).collect();
        if differing.is_empty() {
            record.verdict = match record.engines.iter().any(|(_, it)| *it == Compared::Same) {
                true => Verdict::Agree,
                false => Verdict::Unsupported,
            };
            return tell(Told::Record(Box::new(record)));
        }
        self.differ(record, &did, &differing, &expected, tell);
    }

    fn run(&self, ready: &Ready<'_>, expected: &ResourceTable, printed: Option<&Printed>) -> Did {
        let Subject { shader, table, groups, .. } = self.subject;
        let pipeline = match &ready.pipeline {
            Ok(pipeline) => pipeline,
            Err(NotRun::Unsupported(why)) => return Did::Unsupported(why.clone()),
            Err(NotRun::BadInput(why)) => return Did::BadInput(why.clone()),
        };
        if !pipeline.wave_sizes().contains(&self.width) {
            let widths: Vec<String> = pipeline.wave_sizes().iter().map(u32::to_string).collect();
            return match self.runner.args.common.launch.wave_sizes {
                WaveSizes::List(_) => {
                    Did::Unsupported(format!("its waves have {} lanes", widths.join(", ")))
                }
                WaveSizes::All | WaveSizes::Default => Did::NotThere,
            };
        }
        match self.runner.run(pipeline, table, *groups, self.width, 1) {
            Ok(got) => match compare(expected, &got, &self.rules) {
                None => {
                    let printed = printed.filter(|_| ready.side.prints());
                    let other = printed.and_then(|expected| {
                        let got =
                            self.runner.printed(pipeline, shader, table, *groups, self.width)?;
                        other_line(expected, &got)
                    });
                    other.map_or(Did::Same, Did::Prints)
                }
                Some(difference) => Did::Differs(difference, Box::new(got)),
            },
            Err(Ended::Unsupported(why)) => Did::Unsupported(why),
            Err(Ended::BadInput(why)) => Did::BadInput(why),
            Err(Ended::Failed(error)) => Did::Failed(error),
        }
    }

    /// The reference did not run to its end, so there is nothing to compare with.
    fn stopped(&self, ended: Ended) -> Told {
        let (exit, why) = match ended {
            Ended::Unsupported(why) => (Exit::Unsupported, why),
            Ended::BadInput(why) => (Exit::BadInput, why),
            Ended::Failed(error) => {
                let Subject { sources, .. } = self.subject;
                let is_late = self.runner.is_late();
                let args = self.runner.args;
                let problem = failed(&error, self.width, &args.common.launch, is_late, sources);
                let Problem { exit, message, place, .. } = problem;
                let place = place.map_or_else(String::new, |(place, _)| format!("{place}: "));
                (exit, format!("{place}{message}"))
            }
        };
        let mut record = Record::nothing(&self.subject.name, exit, why);
        record.width = self.width;
        Told::Record(Box::new(record))
    }

    /// What it means that some sides differ.
    fn differ(
        &self,
        mut record: Record,
        did: &[(&Side, Did)],
        differing: &[&(&Side, Did)],
        expected: &ResourceTable,
        tell: &mut dyn FnMut(Told),
    ) {
        let Subject { shader, table, groups, sources, .. } = self.subject;
        for (side, did) in differing {
            record.details.push(format!("`{}` and `interp` differ: {}", side.name, told(did)));
        }
        let (report, stopped) =
            self.runner.examine(self.subject, shader, table, *groups, self.width);
        let is_foreign = differing.iter().any(|(side, _)| side.module().is_some());
        let explained = explained(report.seen.iter(), is_foreign);
        if let Some(why) = stopped {
            record.details.push(format!("the sanitizer did not finish: {why}"));
            if explained == Explained::Not && self.runner.is_late() {
                // A difference proves nothing yet.
                let why = "they differ, and the time was spent before it was known why".to_owned();
                record.verdict = Verdict::NotRun;
                record.stop = Some((Exit::Findings, why));
                return tell(Told::Record(Box::new(record)));
            }
        }
        if explained != Explained::Not {
            record.explain(explained);
            let words =
                super::san_words(&self.runner.args.common.line, self.subject.test.as_deref());
            for seen in &report.seen {
                record.add_finding(seen, &words, sources, self.style);
            }
            return tell(Told::Record(Box::new(record)));
        }
        let flushed =
            self.runner.flushed(self.subject, &self.subject.source.text, *groups, self.width);
        let is_flushed = |got: &ResourceTable| {
            flushed.as_ref().is_some_and(|flushed| compare(flushed, got, &self.rules).is_none())
        };
        let is_open = |(side, did): &&&(&Side, Did)| match did {
            Did::Differs(difference, got) => {
                difference.is_rounding && side.may_round(shader) || side.is_gpu() && is_flushed(got)
            }
            _ => false,
        };
        if differing.iter().all(|it| is_open(&it)) {
            let is_flushed = differing.iter().any(|(_, did)| match did {
                Did::Differs(_, got) => is_flushed(got),
                _ => false,
            });
            record.verdict = Verdict::Open;
            record.whose = match is_flushed {
                true => {
                    "no engine's: denormal floats are flushed to zero, which `-denorm any` allows"
                }
                false => "no engine's: the rounding and order of float sums are device-specific",
            }
            .to_owned();
            return tell(Told::Record(Box::new(record)));
        }
        let real: Vec<&(&Side, Did)> =
            differing.iter().filter(|it| !is_open(it)).copied().collect();
        record.verdict = Verdict::Disagree;
        let second: Vec<(&Side, Option<bool>)> =
            real.iter().map(|(side, _)| (*side, self.second_opinion(side, expected))).collect();
        record.whose = match second.iter().all(|(_, agrees)| *agrees == Some(true)) {
            true => blames_driver(second[0].0),
            false => whose(did),
        };
        record.notes = self.notes(&real);
        record.notes.extend(second.iter().filter(|it| it.1 == Some(false)).map(|(side, _)| {
            format!(
                "`{}` differs with `--jit-level 0` as well, without the driver's optimisations",
                side.name
            )
        }));
        let mut is_rounding = true;
        for (side, did) in real.iter() {
            is_rounding &= match did {
                Did::Differs(..) => self.locate(side, &mut record) && side.is_gpu(),
                _ => false,
            };
        }
        if is_rounding {
            record.verdict = Verdict::Open;
            record.notes.clear();
            record.whose =
                "no engine's: the order of float sums and the precision of filters are device-specific"
                    .to_owned();
            return tell(Told::Record(Box::new(record)));
        }
        tell(Told::Record(Box::new(record)));
        let Some((side, _)) = real.iter().find(|(_, it)| matches!(it, Did::Differs(..))) else {
            let why = match real.iter().any(|(_, it)| matches!(it, Did::Prints(_))) {
                true => "the buffers agree, so there is nothing to reduce the program by",
                false => "a run that ended early is not run again",
            };
            let why = why.to_owned();
            return tell(Told::Repro(Err(why)));
        };
        tell(Told::Repro(repro::repro(self.runner, self.subject, side, self.width)));
    }

    /// Whether a side agrees as soon as its driver optimises nothing. `None` where that cannot be tried.
    fn second_opinion(&self, side: &Side, expected: &ResourceTable) -> Option<bool> {
        let Subject { shader, table, groups, .. } = self.subject;
        let got = self.runner.run_shader(&side.unoptimised()?, shader, table, *groups, self.width);
        Some(compare(expected, &got.ok()?, &self.rules).is_none())
    }

    fn notes(&self, differing: &[&(&Side, Did)]) -> Vec<String> {
        let reconverges = |it: &wavelane::Foreign| it.reconverges(&self.subject.shader);
        let mut lost =
            differing.iter().filter(|(side, _)| side.module().is_some_and(|it| !reconverges(it)));
        let note = lost.next().map(|(side, _)| match side.module().is_some_and(|it| it.is_ptx()) {
            true => format!(
                "`{}` asks the hardware which lanes are active, and a GPU may let lanes run apart",
                side.name
            ),
            false => format!(
                "`{}` does not ask for maximal reconvergence, so a driver may let lanes run apart: \
                 dxc asks with -fspv-enable-maximal-reconvergence",
                side.name
            ),
        });
        note.into_iter().collect()
    }

    /// Puts the first value that differs into the record. Returns whether devices may differ there.
    fn locate(&self, side: &Side, record: &mut Record) -> bool {
        let Subject { shader, table, groups, sources, name, .. } = self.subject;
        // With fewer threads there is room for more values of each.
        let few = [1, 1, 1];
        let differs = |groups| {
            let run = |side: &Side| self.runner.run_shader(side, shader, table, groups, self.width);
            let (expected, got) = (run(&Side::reference()).ok()?, run(side).ok()?);
            compare(&expected, &got, &self.rules)
        };
        let groups = if differs(few).is_some() { few } else { *groups };
        let (width, rules) = (self.width, &self.rules);
        let disputed = Disputed { side, shader, table, groups, width, rules };
        let first = match locate::locate(self.runner, &disputed) {
            Located::First(first) => first,
            Located::Vanished => {
                let what = "the first value that differs was not found: where values are watched, the results agree";
                record.details.push(what.to_owned());
                return false;
            }
            Located::Memory => {
                let what = "every value that is computed agrees: what differs is a store, an atomic operation or its order";
                record.details.push(what.to_owned());
                return false;
            }
            Located::Not(why) => {
                record.details.push(format!("the first value that differs was not found: {why}"));
                return false;
            }
        };
        let [x, y, z] = first.group;
        let mut lanes =
            format!("lane {} of wave {} of group ({x}, {y}, {z})", first.lane, first.wave);
        if first.more > 0 {
            lanes.push_str(&format!(" and {} more of that wave", first.more));
        }
        let label = match &first.values {
            Some((expected, got)) => {
                format!("`{}` has {got}, `interp` has {expected}", side.name)
            }
            None => format!("`{}` and `interp` take different paths", side.name),
        };
        let operation = &first.operation;
        let message = match &first.values {
            Some(_) => format!("the first value that differs: {lanes}, in `{operation}`"),
            // Its cause is a value that agrees as soon as it is watched.
            None => format!(
                "no traced value differs, but the paths diverge: {lanes}, before this `{operation}`"
            ),
        };
        let at = sources.location(first.span);
        let place = at.as_ref().map(|it| format!("{}:{}:{}", it.file, it.line, it.column));
        let mut text = match &place {
            Some(place) => format!("{place}: {message}\n"),
            None => format!("{message}: {label}\n"),
        };
        if place.is_some() {
            text.push_str(&diag::excerpt(first.span, &label, sources, self.style));
        }
        if first.is_open {
            text.push_str(
                "  = note: it reads what other lanes have left, in an order that the device chooses\n",
            );
        }
        record.pictures.push(text);
        let at = at.map(|it| (it.file.to_string(), it.line));
        record.first.push(json!({
            "engine": side.name,
            "file": at.as_ref().map(|it| &it.0),
            "line": at.as_ref().map(|it| it.1),
            "operation": operation,
            "expected": first.values.as_ref().map(|it| it.0.to_json()),
            "got": first.values.as_ref().map(|it| it.1.to_json()),
            "lane": first.lane,
            "wave": first.wave,
            "group": first.group,
            "more_lanes": first.more,
        }));
        let place = at.as_ref().map(|(file, line)| (file.as_str(), *line));
        record.github.push_str(&super::show::annotation(
            name,
            place,
            &format!("{message}: {label}"),
        ));
        first.is_rounding
    }
}

fn told(did: &Did) -> String {
    match did {
        Did::Differs(difference, _) => {
            let Difference { buffer, place, expected, got, count, of, .. } = difference;
            let which = match of {
                1 => String::new(),
                of => format!("; {count} of {of} elements differ"),
            };
            format!("{buffer}{place} is {got}, and {expected} in `interp`{which}")
        }
        Did::Prints(what) => what.clone(),
        Did::Failed(error) => format!("it fails: {error}"),
        Did::Same | Did::Unsupported(_) | Did::BadInput(_) | Did::NotThere => {
            unreachable!("only differences are reported")
        }
    }
}

/// A kernel that agrees as soon as the driver leaves its optimisations out.
fn blames_driver(side: &Side) -> String {
    format!(
        "the driver of `{}`, it seems: with `--jit-level 0`, which turns its optimisations off, `{}` agrees",
        side.gpu_name().unwrap_or_default(),
        side.name
    )
}

/// What wavelane emits for a side, and the flag for another compiler's.
fn emitted(side: &Side) -> (&'static str, &'static str) {
    match side.is_of_cuda() {
        true => ("PTX", "--ptx"),
        false => ("SPIR-V", "--spirv"),
    }
}

/// Whose mistake a disagreement is, as far as the sides that agree show it.
fn whose(did: &[(&Side, Did)]) -> String {
    let is_wrong = Did::is_other;
    let was_compared = |did: &Did| is_wrong(did) || matches!(did, Did::Same);
    let compared: Vec<&(&Side, Did)> = did.iter().filter(|(_, it)| was_compared(it)).collect();
    let alike = |a: &Did, b: &Did| match (a, b) {
        (Did::Differs(_, a), Did::Differs(_, b)) => compare(a, b, &Rules::default()).is_none(),
        _ => false,
    };
    let module = compared.iter().find(|(side, _)| side.module().is_some());
    let ours: Vec<&&(&Side, Did)> =
        compared.iter().filter(|(side, _)| side.is_gpu() && side.module().is_none()).collect();
    let hosts: Vec<&&(&Side, Did)> = compared.iter().filter(|(side, _)| !side.is_gpu()).collect();
    let wrong: Vec<&&(&Side, Did)> = compared.iter().filter(|(_, it)| is_wrong(it)).collect();
    // All others agree with each other.
    if wrong.len() > 1
        && wrong.len() == compared.len()
        && !hosts.is_empty()
        && wrong.iter().all(|it| alike(&it.1, &wrong[0].1))
    {
        return "wavelane's reference engine, it seems: all others agree with each other"
            .to_owned();
    }
    if let Some((host, _)) = hosts.iter().find(|(_, it)| is_wrong(it)) {
        return format!("wavelane: `{}` must give the bits of the reference engine", host.name);
    }
    let gpu = |side: &Side| side.gpu_name().unwrap_or_default();
    match (module, ours.as_slice()) {
        (Some((module, its)), [(side, own), ..]) => match (is_wrong(its), is_wrong(own)) {
            (true, false) => format!(
                "the compiler that made `{}`: wavelane's module agrees on the same device",
                module.name
            ),
            (false, true) => format!(
                "wavelane's {}, or what the driver makes of it: `{}` agrees on the same device",
                emitted(side).0,
                module.name
            ),
            (true, true) if alike(its, own) => format!(
                "the driver of `{}`, or both compilers: both modules are wrong alike",
                gpu(side)
            ),
            _ => format!(
                "the driver of `{}`, or each compiler: both modules are wrong, and not alike",
                gpu(side)
            ),
        },
        (Some((module, _)), []) => format!(
            "the compiler that made `{}`, or the driver of `{}`: nothing else ran on that device",
            module.name,
            gpu(module)
        ),
        (None, several) => {
            type Ran<'a> = Vec<&'a &'a (&'a Side, Did)>;
            let (bad, good): (Ran<'_>, Ran<'_>) =
                several.iter().copied().partition(|it| is_wrong(&it.1));
            match (bad.as_slice(), good.as_slice()) {
                ([(side, _), ..], [(other, _), ..]) => format!(
                    "the driver of `{}`, it seems: `{}` agrees with the reference engine",
                    gpu(side),
                    gpu(other)
                ),
                ([(side, _), ..], []) => {
                    let (what, flag) = emitted(side);
                    format!(
                        "the driver of `{}`, or wavelane's {what}: `{flag}` with another compiler's module shows which",
                        gpu(side)
                    )
                }
                ([], _) => "unknown".to_owned(),
            }
        }
    }
}
