//! The verdict on the draw of a job: it runs on each side from the same contents, and targets, depth and buffers must be the
//! same, bit for bit.
//!
//! Only engines of the host take part, which interpolate in one written order of operations.

use jobs::DrawnRun;
use serde_json::json;
use wavelane::internal::{self, Left};
use wavelane::{Device, DispatchError, Draw, DrawError, Engine};

use super::judge::Told;
use super::record::{Compared, Record};
use super::run::Runner;
use super::side::{Runs, Side};
use crate::asked::WaveSizes;
use crate::launch::failed;
use crate::problem::{Exit, Problem};

/// The draw of a job.
pub(super) struct Drawn {
    /// The file, with the number of the run where it has several.
    pub(super) name: String,
    pub(super) run: DrawnRun,
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
    tell: &mut dyn FnMut(Told),
) {
    let pipeline = &drawn.run.pipeline;
    let is_made_for =
        |width: &u32| drawn.run.widths.as_ref().is_none_or(|widths| widths.contains(width));
    let allowed: Vec<u32> = pipeline.wave_sizes().iter().copied().filter(is_made_for).collect();
    let widths = match &runner.args.launch.wave_sizes {
        WaveSizes::All => allowed,
        WaveSizes::List(list) => list.iter().copied().filter(|it| allowed.contains(it)).collect(),
        WaveSizes::Default => {
            let usual = pipeline.default_wave_size();
            let usual = allowed.iter().copied().find(|it| *it == usual);
            usual.or(allowed.first().copied()).into_iter().collect()
        }
    };
    if widths.is_empty() && !runner.is_done() {
        let why = "none of its widths is among those asked for".to_owned();
        return tell(Told::Record(Box::new(Record::nothing(&drawn.name, Exit::Unsupported, why))));
    }
    for width in widths {
        if runner.is_done() {
            continue;
        }
        tell(Told::Record(Box::new(at_width(runner, drawn, sides, width))));
    }
}

fn at_width(runner: &Runner<'_>, drawn: &Drawn, sides: &[Side], width: u32) -> Record {
    let reference = Device::new(runner.args.device.adapter.clone());
    let expected = match draw(runner, drawn, &reference, width) {
        Ok(left) => left,
        Err(Ended::Unsupported(why)) => {
            return Record { width, ..Record::nothing(&drawn.name, Exit::Unsupported, why) };
        }
        Err(Ended::Failed(error)) => {
            let Problem { exit, message, .. } = problem(runner, drawn, &error, width);
            return Record { width, ..Record::nothing(&drawn.name, exit, message) };
        }
    };
    let mut record = Record::new(&drawn.name, width);
    for side in sides.iter().filter(|it| !matches!(it.runs, Runs::Reference)) {
        let left = match &side.runs {
            Runs::Engine(device) if matches!(device.engine(), Engine::Interp | Engine::Cpu) => {
                draw(runner, drawn, device, width)
            }
            Runs::Missing(why) => Err(Ended::Unsupported(why.clone())),
            _ => Err(Ended::Unsupported("draws are compared on engines of the host".to_owned())),
        };
        let compared = match left {
            Ok(left) => match expected.first_difference(&left) {
                None => Compared::Same,
                Some((place, [right, wrong])) => {
                    record.details.push(format!(
                        "`{}` and `interp` differ: {place} is {wrong}, and {right} in `interp`",
                        side.name
                    ));
                    Compared::Differs(Some(json!({
                        "place": place, "expected": right, "got": wrong,
                    })))
                }
            },
            Err(Ended::Unsupported(why)) => Compared::Unsupported(why),
            Err(Ended::Failed(error)) => {
                record.details.push(format!("`{}` stops: {error}", side.name));
                Compared::Differs(None)
            }
        };
        record.engines.push((side.name.clone(), compared));
    }
    record.conclude("wavelane: its engines must leave the same bits");
    record
}

/// Draws on a device, from copies of the contents.
fn draw(runner: &Runner<'_>, drawn: &Drawn, device: &Device, width: u32) -> Result<Left, Ended> {
    let DrawnRun { pipeline, draw, vertex, pixel, names, .. } = &drawn.run;
    let pipeline = device
        .create_graphics_pipeline(pipeline.desc())
        .map_err(|error| Ended::Unsupported(error.to_string()))?;
    let draw = Draw {
        wave_size: Some(width),
        fuel: runner.args.launch.fuel.at(width),
        cancel: Some(runner.cancel.clone()),
        ..draw.clone()
    };
    let tables = [&vertex.table, &pixel.table];
    internal::drawn(&pipeline, &draw, tables, names).map_err(|error| match &error {
        DrawError::Run(DispatchError::Unsupported(_)) => {
            let what = error.to_string();
            Ended::Unsupported(what.trim_start_matches("unsupported: ").to_owned())
        }
        _ if error.is_unsupported() => Ended::Unsupported(error.to_string()),
        _ => Ended::Failed(error),
    })
}

fn problem(runner: &Runner<'_>, drawn: &Drawn, error: &DrawError, width: u32) -> Problem {
    match error {
        DrawError::Run(error) => {
            let sources = &drawn.run.pixel.sources;
            failed(error, width, &runner.args.launch, runner.is_late(), sources)
        }
        error => Problem::input(error.to_string()),
    }
}
