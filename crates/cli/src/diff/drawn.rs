//! The verdict on a draw, of a job or with `--draw`: it runs on each side from the same contents, and targets, depth
//! and buffers are compared.
//!
//! Engines of the host leave the same bits. A GPU packs pixels into waves in its own way: where the pixel shader can
//! observe the packing, it is recorded there, and the reference engine runs the same waves. Interpolation, blending and
//! formats leave a GPU some precision; a difference within it proves nothing.

use std::sync::{Arc, Mutex, PoisonError};

use jobs::DrawnRun;
use wavelane::draw::Recording;
use wavelane::internal::{self, Left, diag};
use wavelane::sanitizer::DrawReport;
use wavelane::{Device, DispatchError, Draw, DrawError, GraphicsPipeline, Stage};

use super::judge::Told;
use super::record::{Compared, Record, Verdict};
use super::run::{Explained, Runner, explained, rules_of};
use crate::asked::WaveSizes;
use crate::compare::Rules;
use crate::compare::drawn::{check, compare_drawn};
use crate::launch::failed;
use crate::plan::plan_of;
use crate::problem::{Exit, Problem};
use crate::side::{Runs, Side};

/// A draw.
pub(super) struct Drawn {
    /// The file, with the number of the run where it has several.
    pub(super) name: String,
    pub(super) run: DrawnRun,
    /// The name of the test, where the command line names no shader.
    pub(super) test: Option<String>,
}

/// Why a side left nothing.
enum Ended {
    Unsupported(String),
    Failed(DrawError),
}

/// Judges a draw at each width.
pub(super) fn judge(
    runner: &Runner<'_>,
    drawn: &Drawn,
    sides: &[Side],
    style: diag::Style,
    tell: &mut dyn FnMut(Told),
) {
    let widths = widths(runner, drawn, sides);
    if widths.is_empty() && !runner.is_done() {
        let why = "it supports none of the requested widths".to_owned();
        return tell(Told::Record(Box::new(Record::nothing(&drawn.name, Exit::Unsupported, why))));
    }
    let rules = rules_of(runner.args, &drawn.run.san);
    if let Err(Problem { exit, message, .. }) = check(&rules, &drawn.run.names) {
        return tell(Told::Record(Box::new(Record::nothing(&drawn.name, exit, message))));
    }
    for width in widths {
        if runner.is_done() {
            continue;
        }
        if runner.is_lost.get() {
            return;
        }
        tell(Told::Record(Box::new(
            At { runner, drawn, width, rules: &rules }.judge(sides, style),
        )));
    }
}

/// The widths at which it is compared: those asked for, or else the one that each GPU has, which the others follow.
fn widths(runner: &Runner<'_>, drawn: &Drawn, sides: &[Side]) -> Vec<u32> {
    let pipeline = &drawn.run.pipeline;
    let is_made_for =
        |width: &u32| drawn.run.widths.as_ref().is_none_or(|widths| widths.contains(width));
    let allowed: Vec<u32> = pipeline.wave_sizes().iter().copied().filter(is_made_for).collect();
    let usual = |of: &GraphicsPipeline| {
        let usual = of.default_wave_size();
        let has = |it: &u32| of.wave_sizes().contains(it);
        let found = allowed.iter().copied().find(|it| *it == usual);
        found.or_else(|| allowed.iter().copied().find(has))
    };
    runner.args.common.launch.widths_among(&allowed, || {
        let gpus = sides.iter().filter_map(Side::gpu);
        let made = gpus.filter_map(|it| it.create_graphics_pipeline(pipeline.desc()).ok());
        let mut widths: Vec<u32> = made.filter_map(|it| usual(&it)).collect();
        if widths.is_empty() {
            widths.extend(usual(pipeline));
        }
        widths.sort_unstable();
        widths.dedup();
        widths
    })
}

struct At<'a> {
    runner: &'a Runner<'a>,
    drawn: &'a Drawn,
    width: u32,
    rules: &'a Rules,
}

impl At<'_> {
    fn judge(&self, sides: &[Side], style: diag::Style) -> Record {
        let At { runner, drawn, width, .. } = *self;
        let expected = match self.draw(&self.reference(), |_| {}) {
            Ok(left) => left,
            Err(Ended::Unsupported(why)) => {
                return Record { width, ..Record::nothing(&drawn.name, Exit::Unsupported, why) };
            }
            Err(Ended::Failed(error)) => {
                let Problem { exit, message, .. } = self.problem(&error);
                return Record { width, ..Record::nothing(&drawn.name, exit, message) };
            }
        };
        let mut record = Record::new(&drawn.name, width);
        let (mut of_host, mut is_precision) = (false, true);
        for side in sides.iter().filter(|it| !matches!(it.runs, Runs::Reference)) {
            let pair = match &side.runs {
                Runs::Engine(device) if device.is_gpu() => match self.on_gpu(device, &expected) {
                    Some(pair) => pair,
                    // It has no waves of that width, and they were not asked for by number.
                    None => continue,
                },
                Runs::Engine(device) => {
                    self.draw(device, |_| {}).map(|left| (expected.clone(), left))
                }
                Runs::Missing(why) => Err(Ended::Unsupported(why.clone())),
                _ => Err(Ended::Unsupported("draws run on whole engines only".to_owned())),
            };
            let (compared, is_near) = match pair {
                Ok((expected, left)) => self.compare(side, &expected, &left, &mut record),
                Err(Ended::Unsupported(why)) => (Compared::Unsupported(why), true),
                Err(Ended::Failed(error)) => {
                    if runner.is_late() && side.is_gpu() {
                        runner.is_lost.set(true);
                    }
                    record.details.push(format!("`{}` stops: {error}", side.name));
                    (Compared::Differs(None), false)
                }
            };
            is_precision &= is_near;
            of_host |= matches!(compared, Compared::Differs(_)) && !side.is_gpu();
            record.engines.push((side.name.clone(), compared));
        }
        record.conclude(match of_host {
            true => "wavelane: its engines must leave the same bits",
            false => "wavelane, or the driver",
        });
        if record.verdict == Verdict::Disagree && !of_host {
            if is_precision {
                record.verdict = Verdict::Open;
                record.whose =
                    "no engine's: Vulkan leaves the precision of interpolation, blending and formats to the device"
                        .to_owned();
            } else {
                self.explain(&mut record, style);
            }
        }
        record
    }

    /// What a GPU leaves, and the reference engine with its packing; nothing if its waves have other widths.
    fn on_gpu(&self, device: &Device, expected: &Left) -> Option<Result<(Left, Left), Ended>> {
        let made = device.create_graphics_pipeline(self.drawn.run.pipeline.desc());
        let has_width = made.is_ok_and(|it| it.wave_sizes().contains(&self.width));
        if !has_width && !matches!(self.runner.args.common.launch.wave_sizes, WaveSizes::List(_)) {
            return None;
        }
        let pixel = self.drawn.run.of(Stage::Pixel);
        let is_packed = pixel.is_some_and(|it| it.shader.sees_packing());
        if !is_packed {
            return Some(self.draw(device, |_| {}).map(|left| (expected.clone(), left)));
        }
        let recording = Arc::new(Mutex::new(Recording::default()));
        let replayed = || {
            let left = self.draw(device, |draw| draw.record = Some(recording.clone()))?;
            let packing = recording.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let replay = |draw: &mut Draw| draw.replay = Some(Arc::new(packing));
            Ok((self.draw(&self.reference(), replay)?, left))
        };
        Some(replayed())
    }

    /// Compares what a side left. The second result is whether it differs by a device's precision at most.
    fn compare(
        &self,
        side: &Side,
        expected: &Left,
        left: &Left,
        record: &mut Record,
    ) -> (Compared, bool) {
        let table = |stage| self.drawn.run.of(stage).map(|it| &it.table);
        let far = match side.is_gpu() {
            true => compare_drawn(expected, left, table, self.rules, internal::is_device_choice),
            false => None,
        };
        let is_near = side.is_gpu() && far.is_none();
        let any = || compare_drawn(expected, left, table, self.rules, |_, _, _| false);
        let Some(found) = far.or_else(any) else {
            return (Compared::Same, true);
        };
        record.details.push(format!(
            "`{}` and `interp` differ: {}",
            side.name,
            found.text("`interp`")
        ));
        (Compared::Differs(Some(found.to_json())), is_near)
    }

    /// Asks the sanitizer whether the program explains that a GPU differs.
    fn explain(&self, record: &mut Record, style: diag::Style) {
        let run = &self.drawn.run;
        let DrawnRun { pipeline, draw, names, san, .. } = run;
        let args = self.runner.args;
        let Ok(plan) = plan_of(&args.san, san, vec![self.width], None) else { return };
        let draw = self.asked(draw);
        let found = match internal::examine_draw(pipeline, &draw, &plan, &run.tables(), names) {
            Ok(report) => report,
            Err(it) => {
                record.details.push(format!("the sanitizer did not finish: {}", it.error));
                it.found
            }
        };
        let DrawReport { seen, .. } = &found;
        // Packing is the device's already; the policy for helper lanes, and which pixels form a quad, are not.
        let explained = explained(seen.iter().map(|it| &it.1), true);
        if explained == Explained::Not {
            return;
        }
        record.explain(explained);
        let words = super::san_words(&args.common.line, self.drawn.test.as_deref());
        for (stage, seen) in seen {
            record.add_finding(seen, &words, run.sources(Some(*stage)), style);
        }
    }

    fn reference(&self) -> Device {
        Device::new(self.runner.args.common.device.adapter.clone())
    }

    fn asked(&self, draw: &Draw) -> Draw {
        Draw {
            wave_size: Some(self.width),
            fuel: self.runner.args.common.launch.fuel.at(self.width),
            cancel: Some(self.runner.cancel.clone()),
            ..draw.clone()
        }
    }

    /// Draws on a device, from copies of the contents.
    fn draw(&self, device: &Device, set: impl FnOnce(&mut Draw)) -> Result<Left, Ended> {
        let run = &self.drawn.run;
        let DrawnRun { pipeline, draw, names, .. } = run;
        let pipeline = device
            .create_graphics_pipeline(pipeline.desc())
            .map_err(|error| Ended::Unsupported(error.to_string()))?;
        let mut draw = self.asked(draw);
        set(&mut draw);
        internal::drawn(&pipeline, &draw, &run.tables(), names).map_err(|error| match &error {
            DrawError::Run(DispatchError::Unsupported(_)) => {
                let what = error.to_string();
                Ended::Unsupported(what.trim_start_matches("unsupported: ").to_owned())
            }
            _ if error.is_unsupported() => Ended::Unsupported(error.to_string()),
            _ => Ended::Failed(error),
        })
    }

    fn problem(&self, error: &DrawError) -> Problem {
        let (launch, is_late) = (&self.runner.args.common.launch, self.runner.is_late());
        match error {
            DrawError::Run(error) => {
                failed(error, self.width, launch, is_late, self.drawn.run.sources(None))
            }
            error => Problem::input(error.to_string()),
        }
    }
}
