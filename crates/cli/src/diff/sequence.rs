//! The verdict on the passes of a job: all of them run on each side, a GPU in one submission, and what they leave is
//! compared. Where it differs, each pass runs alone on what the reference engine has left before it: the first pass
//! that differs is judged like a separate program. If none differs, the passes agree alone and differ in sequence.

use jobs::{PassName, SequenceProgram};
use wavelane::internal::{self, Pass, Slots, diag, run_pass, width_of};
use wavelane::{CommandList, ComputePipeline, DispatchError, Printed};

use super::judge::{Told, judge_at};
use super::record::{Compared, Record, Verdict};
use super::run::{Ended, Runner, other_line, rules_of};
use super::subject::{InOrder, Subject};
use crate::asked::WaveSizes;
use crate::compare::{Difference, Rules, compare};
use crate::launch::failed;
use crate::problem::{Exit, Problem};
use crate::side::{Runs, Side};

/// Judges the passes of a job at each width; `tell` gets each as soon as it is known.
pub(super) fn judge(
    runner: &Runner<'_>,
    all: &InOrder,
    sides: &[Side],
    style: diag::Style,
    tell: &mut dyn FnMut(Told),
) {
    let allowed = all.sequence.wave_sizes();
    let usual = || default_widths(runner, all, sides);
    let widths = runner.args.common.launch.widths_among(&allowed, usual);
    if widths.is_empty() && !runner.is_done() {
        let why = "it supports none of the requested widths".to_owned();
        return tell(Told::Record(Box::new(Record::nothing(&all.name, Exit::Unsupported, why))));
    }
    for width in widths {
        if runner.is_done() {
            continue;
        }
        if runner.is_lost.get() {
            return;
        }
        let rules = rules_of(runner.args, &[]);
        At { runner, all, width, rules }.judge(sides, style, tell);
    }
}

/// The width that each GPU would run at, otherwise the usual one.
fn default_widths(runner: &Runner<'_>, all: &InOrder, sides: &[Side]) -> Vec<u32> {
    let of_gpu = |side: &Side| {
        let pipelines =
            all.sequence.programs.iter().filter_map(|it| {
                side.pipeline(&it.shader, &runner.args.common.device.adapter).ok()
            });
        let pipelines: Vec<ComputePipeline> = pipelines.collect();
        pipelines.iter().max_by_key(|it| it.wave_sizes().len()).map(|it| it.default_wave_size())
    };
    let gpus = sides.iter().filter(|it| it.is_gpu());
    let mut widths: Vec<u32> = gpus.filter_map(of_gpu).collect();
    if widths.is_empty() {
        widths.push(all.sequence.default_wave_size());
    }
    widths.sort_unstable();
    widths.dedup();
    widths
}

struct At<'a> {
    runner: &'a Runner<'a>,
    all: &'a InOrder,
    width: u32,
    rules: Rules,
}

/// Why passes did not run to their end, and which one failed.
type EndedAt = (usize, Ended);

/// What passes have left.
struct Left {
    passes: Vec<Pass>,
    /// What each of them has printed, on a side that prints.
    printed: Vec<Option<Printed>>,
}

impl At<'_> {
    fn judge(&self, sides: &[Side], style: diag::Style, tell: &mut dyn FnMut(Told)) {
        let At { all, width, .. } = *self;
        let count = all.sequence.passes.len();
        let expected = match self.run(&Side::reference(), count) {
            Ok(expected) => expected,
            Err(stopped) => return tell(self.stopped(stopped)),
        };
        let mut record = Record::new(&all.name, width);
        let mut differing = Vec::new();
        let is_listed = matches!(self.runner.args.common.launch.wave_sizes, WaveSizes::List(_));
        for side in sides.iter().filter(|it| !matches!(it.runs, Runs::Reference)) {
            // It has no waves of that width, and they were not asked for by number.
            if !is_listed && !self.has_width(side) {
                continue;
            }
            let compared = match self.run(side, count) {
                Ok(left) => match self.difference(&expected.passes, &left.passes) {
                    None => match self.other_line(&expected, &left) {
                        None => Compared::Same,
                        Some(what) => {
                            let name = &side.name;
                            record.details.push(format!("`{name}` and `interp` differ: {what}"));
                            Compared::Differs(None)
                        }
                    },
                    Some((_, difference)) => {
                        let json = difference.to_json();
                        differing.push(side);
                        Compared::Differs(Some(json))
                    }
                },
                Err((_, Ended::Failed(_))) if self.runner.is_late() => {
                    let span = wavelane::Span::NONE;
                    let cancelled = DispatchError::Trap(wavelane::Trap::Cancelled { span });
                    return tell(self.stopped((0, Ended::Failed(cancelled))));
                }
                Err((pass, Ended::Failed(error))) => {
                    let name = &all.sequence.passes[pass].name;
                    record.details.push(format!("`{}` stops in {name}: {error}", side.name));
                    differing.push(side);
                    Compared::Differs(None)
                }
                Err((_, Ended::Unsupported(why) | Ended::BadInput(why))) => {
                    Compared::Unsupported(why)
                }
            };
            record.engines.push((side.name.clone(), compared));
        }
        if differing.is_empty() {
            record.conclude("wavelane: its engines must print the same lines");
            return tell(Told::Record(Box::new(record)));
        }
        if let Some(told) = self.first(&differing, sides, style) {
            return told.into_iter().for_each(tell);
        }
        self.in_a_row(&mut record, &differing);
        tell(Told::Record(Box::new(record)));
    }

    /// Runs the first passes on a side, from the contents of the job.
    fn run(&self, side: &Side, count: usize) -> Result<Left, EndedAt> {
        let At { runner, all, width, .. } = *self;
        let sequence = &all.sequence;
        let failed = |pass: usize, error: DispatchError| match error {
            DispatchError::Unsupported(_) | DispatchError::WaveSize { .. } => {
                let what = error.to_string();
                let what = what.trim_start_matches("unsupported: ");
                (pass, Ended::Unsupported(format!("{}: {what}", sequence.passes[pass].name)))
            }
            error => {
                if runner.is_late()
                    || matches!(error, DispatchError::Trap(wavelane::Trap::DeviceLost { .. }))
                {
                    runner.is_lost.set(true);
                }
                (pass, Ended::Failed(error))
            }
        };
        if side.module().is_some() {
            let why = "a module is one program, and the job has several passes".to_owned();
            return Err((0, Ended::Unsupported(why)));
        }
        let pipelines = self.pipelines(side)?;
        let pipeline = |index: usize| &pipelines[sequence.passes[index].program];
        let passes = Pass::copied(sequence.passes.iter().map(|it| &it.pass));
        let passes = passes.map_err(|error| failed(0, error.into()))?;
        let mut dispatch = runner.dispatch([0; 3], width, 1);
        if let Some(device) = side.gpu() {
            let mut list = CommandList::new();
            for (index, pass) in passes.iter().enumerate().take(count) {
                dispatch.wave_size = Some(self.width_of(index));
                let recorded = pass.record(&mut list, pipeline(index), &dispatch);
                recorded.map_err(|error| failed(index, error))?;
            }
            let ran = internal::execute(device, &list);
            ran.map_err(|it| failed(it.index, it.error))?;
            return Ok(Left { passes, printed: Vec::new() });
        }
        let mut printed = Vec::new();
        for (index, pass) in passes.iter().enumerate().take(count) {
            dispatch.wave_size = Some(self.width_of(index));
            dispatch.groups = pass.counts(pipeline(index)).map_err(|error| failed(index, error))?;
            // The reference engine compared with itself would agree.
            if let Some(what) = pipeline(index).fallback(&dispatch, &pass.table) {
                let why = format!("{}: it does not support {what}", sequence.passes[index].name);
                return Err((index, Ended::Unsupported(why)));
            }
            let shader = &sequence.programs[sequence.passes[index].program].shader;
            let log = (shader.prints() && side.prints()).then(|| runner.log());
            dispatch.prints.clone_from(&log);
            let spent = run_pass(pipeline(index), &dispatch, pass);
            let spent = spent.map_err(|error| failed(index, error))?;
            printed.push(log.map(|log| shader.printed(&log)));
            dispatch.fuel = dispatch.fuel.map(|it| it.saturating_sub(spent));
        }
        Ok(Left { passes, printed })
    }

    /// The width of a pass, which is that of the reference engine on every side.
    fn width_of(&self, pass: usize) -> u32 {
        let sequence = &self.all.sequence;
        width_of(&sequence.programs[sequence.passes[pass].program].pipeline, self.width)
    }

    /// Whether a side has waves of the widths of all passes; true if it cannot run them anyway.
    fn has_width(&self, side: &Side) -> bool {
        let passes = &self.all.sequence.passes;
        let Ok(pipelines) = self.pipelines(side) else { return true };
        let has = |pass: usize| {
            pipelines[passes[pass].program].wave_sizes().contains(&self.width_of(pass))
        };
        (0..passes.len()).all(has)
    }

    fn pipelines(&self, side: &Side) -> Result<Vec<ComputePipeline>, EndedAt> {
        let adapter = &self.runner.args.common.device.adapter;
        let made = self.all.sequence.programs.iter().map(|it| side.pipeline(&it.shader, adapter));
        made.collect::<Result<_, _>>().map_err(|why| (0, why.into()))
    }

    /// The first line that a pass prints differently.
    fn other_line(&self, expected: &Left, got: &Left) -> Option<String> {
        let pairs = expected.printed.iter().zip(&got.printed).zip(&self.all.sequence.passes);
        let mut found = pairs.map(|((a, b), pass)| {
            let what = other_line(a.as_ref()?, b.as_ref()?)?;
            Some(format!("in {}, {what}", pass.name))
        });
        found.find_map(|it| it)
    }

    /// The first difference in what passes have left, and a pass that binds the buffer.
    fn difference(&self, expected: &[Pass], got: &[Pass]) -> Option<(usize, Difference)> {
        let pairs = expected.iter().zip(got).enumerate();
        let mut found =
            pairs.map(|(index, (a, b))| (index, compare(&a.table, &b.table, &self.rules)));
        found.find_map(|(index, difference)| Some((index, difference?)))
    }

    /// The verdict on the first pass that differs by itself, starting from the reference's buffers.
    fn first(&self, differing: &[&Side], sides: &[Side], style: diag::Style) -> Option<Vec<Told>> {
        let At { runner, all, width, .. } = *self;
        let sequence = &all.sequence;
        for index in 0..sequence.passes.len() {
            let before = self.run(&Side::reference(), index).ok()?.passes;
            let pass = &sequence.passes[index];
            let SequenceProgram { shader, pipeline, sources, source } =
                &sequence.programs[pass.program];
            let groups = before[index].counts(pipeline).ok()?;
            if groups.contains(&0) {
                continue;
            }
            let own = width_of(pipeline, width);
            let table = before[index].table.copied();
            let expected =
                runner.run_shader(&Side::reference(), shader, &table, groups, own).ok()?;
            let differs = |side: &&&Side| match runner.run_shader(side, shader, &table, groups, own)
            {
                Ok(got) => compare(&expected, &got, &self.rules).is_some(),
                Err(Ended::Failed(_)) => true,
                Err(Ended::Unsupported(_) | Ended::BadInput(_)) => false,
            };
            if !differing.iter().any(|it| differs(&it)) {
                continue;
            }
            let subject = Subject {
                name: format!("{}, {}", all.name, pass.name),
                shader: shader.clone(),
                sources: sources.clone(),
                table,
                groups,
                widths: Some(vec![own]),
                san: Vec::new(),
                source: source.clone(),
                may_wait: false,
                test: Some(all.test.clone()),
            };
            let mut told = Vec::new();
            judge_at(runner, &subject, own, sides, style, &mut |it| told.push(it));
            return Some(told);
        }
        None
    }

    /// For passes that agree one by one and differ in sequence: names the first after which the results differ.
    fn in_a_row(&self, record: &mut Record, differing: &[&Side]) {
        let sequence = &self.all.sequence;
        record.verdict = Verdict::Disagree;
        record.whose =
            "wavelane, or the driver: each pass alone agrees, and the sequence of passes differs"
                .to_owned();
        for side in differing {
            let after = (1..=sequence.passes.len()).find_map(|count| {
                let (expected, got) =
                    (self.run(&Side::reference(), count).ok()?, self.run(side, count).ok()?);
                let (_, difference) = self.difference(&expected.passes, &got.passes)?;
                Some((&sequence.passes[count - 1].name, difference))
            });
            if let Some((pass, difference)) = after {
                record.details.push(after_pass(side, pass, &difference));
            }
        }
    }

    /// The reference did not run to its end, so there is nothing to compare with.
    fn stopped(&self, (pass, ended): EndedAt) -> Told {
        let pass = &self.all.sequence.passes[pass];
        let (exit, why) = match ended {
            Ended::Unsupported(why) => (Exit::Unsupported, why),
            Ended::BadInput(why) => (Exit::BadInput, why),
            Ended::Failed(error) => {
                let sources = &self.all.sequence.programs[pass.program].sources;
                let (args, is_late) = (self.runner.args, self.runner.is_late());
                let problem = failed(&error, self.width, &args.common.launch, is_late, sources);
                let Problem { exit, message, place, .. } = problem;
                let place = place.map_or_else(String::new, |(place, _)| format!("{place}: "));
                (exit, format!("{place}{}: {message}", pass.name))
            }
        };
        let mut record = Record::nothing(&self.all.name, exit, why);
        record.width = self.width;
        Told::Record(Box::new(record))
    }
}

fn after_pass(side: &Side, pass: &PassName, difference: &Difference) -> String {
    let Difference { buffer, place, expected, got, .. } = difference;
    format!("after {pass}, {buffer}{place} is {got} in `{}`, and {expected} in `interp`", side.name)
}
