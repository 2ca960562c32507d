//! How long the passes of a job take: each of them, and all together. On a GPU all run in one submission, and the times
//! are those between its own clock's readings before and after each dispatch.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use jobs::{PassName, Sequence, SequencePass};
use wavelane::internal::{self, Pass, Slots, width_of};
use wavelane::{BufferError, CommandList, Device, Dispatch, DispatchError, Engine};

use super::{Bench, BenchArgs, COMPILATIONS, Row, Times, front_end, widths_among};
use crate::device;
use crate::launch::failed;
use crate::problem::{Exit, Problem};
use crate::watch::Watch;

/// Measures the passes of a job.
pub(super) fn measure(
    name: String,
    sequence: Sequence,
    args: &BenchArgs,
    device: &Device,
) -> Result<Bench, Problem> {
    if let Some(module) = &args.module {
        let what = format!("`{module}` is one program, and `{name}` is a job of several passes");
        return Err(Problem::input(what).help("bench the module with its shader alone"));
    }
    let usual = Some(sequence.default_wave_size());
    let widths = widths_among(args, sequence.wave_sizes(), usual)
        .map_err(|why| Problem::new(Exit::Unsupported, format!("`{name}`: {why}")))?;
    let front = Times::of(args.rounds, COMPILATIONS, || {
        sequence.programs.iter().try_for_each(|it| front_end(&it.source))
    })?;
    let buffers = sequence.passes.iter().flat_map(|it| {
        it.bound.iter().map(move |(resource, element, buffer)| (buffer, (it, resource, *element)))
    });
    let buffers: std::collections::BTreeMap<_, _> = buffers.collect();
    let size = |(pass, resource, element): &(&SequencePass, &String, u32)| {
        pass.pass.table.get(resource, *element).map_or(0, |it| it.bytes.len() as u64)
    };
    let bytes = buffers.values().map(size).sum();
    let mut watch = Watch::start(args.common.launch.timeout, 0);
    let mut rows = Vec::new();
    for width in widths {
        rows.push(Measured { sequence: &sequence, args, device, width }.row(&watch)?);
    }
    watch.stop();
    let (moved, groups, auto) = (None, None, None);
    let (front, drawn) = (Some(front), None);
    Ok(Bench { file: name, front, bytes, moved, groups, rows, auto, drawn })
}

/// What is measured at one width.
struct Measured<'a> {
    sequence: &'a Sequence,
    args: &'a BenchArgs,
    device: &'a Device,
    width: u32,
}

impl Measured<'_> {
    fn row(&self, watch: &Watch) -> Result<Row, Problem> {
        let Measured { sequence, args, device, width } = *self;
        let failed = |index: usize, error: &DispatchError| {
            let pass = &sequence.passes[index];
            let late = watch.cancel.load(Ordering::Relaxed);
            let sources = &sequence.programs[pass.program].sources;
            let mut problem = failed(error, width, &args.common.launch, late, sources);
            problem.message = format!("{}: {}", pass.name, problem.message);
            problem
        };
        let copied = || Pass::copied(sequence.passes.iter().map(|it| &it.pass));
        let copied = || copied().map_err(|error: BufferError| failed(0, &error.into()));
        let list = |passes: &[Pass], which: std::ops::Range<usize>| {
            let mut list = CommandList::new();
            list.set_fuel(args.common.launch.fuel.at(width));
            for index in which {
                let pipeline = &sequence.programs[sequence.passes[index].program].pipeline;
                let dispatch = self.dispatch(watch, width_of(pipeline, width));
                let recorded = passes[index].record(&mut list, pipeline, &dispatch);
                recorded.map_err(|error| failed(index, &error))?;
            }
            Ok(list)
        };
        let all = 0..sequence.passes.len();
        // The first one finds memory and caches cold, and makes sure that all passes end within the fuel.
        let passes = copied()?;
        let first = list(&passes, all.clone())?;
        internal::execute(device, &first).map_err(|it| failed(it.index, &it.error))?;
        let code = self.code()?;
        let rounds: Vec<Vec<Duration>> = if device.is_gpu() {
            let passes = copied()?;
            let list = list(&passes, all)?;
            let times = internal::measure(device, &list, args.rounds);
            let times = times.map_err(|it| failed(it.index, &it.error))?;
            let no_clock =
                || Problem::new(Exit::Unsupported, "the device has no clock to measure by");
            times.ok_or_else(no_clock)?
        } else {
            let mut rounds = Vec::new();
            for _ in 0..args.rounds {
                let passes = copied()?;
                let mut times = Vec::new();
                for index in all.clone() {
                    let list = list(&passes, index..index + 1)?;
                    let begin = Instant::now();
                    let result = internal::execute(device, &list);
                    times.push(begin.elapsed());
                    result.map_err(|it| failed(index, &it.error))?;
                }
                rounds.push(times);
            }
            rounds
        };
        let fallback = sequence.passes.iter().find_map(|it| {
            let pipeline = &sequence.programs[it.program].pipeline;
            let dispatch = self.dispatch(watch, width_of(pipeline, width));
            let what = pipeline.fallback(&Dispatch { groups: [1; 3], ..dispatch }, &it.pass.table);
            what.map(|what| format!("{what}, in {}", it.name))
        });
        let mut run = Times(Vec::new());
        rounds.iter().for_each(|round| run.add(round.iter().sum()));
        let passes = self.by_pass(&rounds);
        let engine = device.engine();
        let isa = device.cpu().and_then(|it| it.isa);
        let cpu = isa.filter(|_| engine == Engine::Cpu).map(|it| it.name());
        let (module, differs, against) = (None, None, None);
        Ok(Row { width, engine, cpu, module, fallback, differs, code, run, against, passes })
    }

    /// The times of each pass of the job, its repetitions together.
    fn by_pass(&self, rounds: &[Vec<Duration>]) -> Vec<(PassName, Times)> {
        let mut passes: Vec<(PassName, Times)> = Vec::new();
        for pass in &self.sequence.passes {
            if passes.last().is_none_or(|(it, _)| it.number != pass.name.number) {
                passes.push((pass.name.clone(), Times(Vec::new())));
            }
        }
        for (name, times) in &mut passes {
            for round in rounds {
                let each = self.sequence.passes.iter().zip(round);
                let its = each.filter(|(pass, _)| pass.name.number == name.number);
                times.add(its.map(|(_, time)| *time).sum());
            }
        }
        passes
    }

    /// How long it takes to make code for all shaders; nothing where none is made.
    fn code(&self) -> Result<Option<Times>, Problem> {
        let Measured { sequence, args, device, width } = *self;
        if device.engine() != Engine::Cpu {
            return Ok(None);
        }
        let times = Times::of(args.rounds, COMPILATIONS, || {
            sequence.programs.iter().try_for_each(|it| {
                let pipeline = device
                    .create_compute_pipeline(&it.shader)
                    .map_err(|error| device::problem(&error, &it.sources))?;
                pipeline.prepare(width_of(&pipeline, width));
                Ok(())
            })
        });
        times.map(Some)
    }

    fn dispatch(&self, watch: &Watch, width: u32) -> Dispatch {
        let args = self.args;
        Dispatch {
            wave_size: Some(width),
            lane_order: args.common.launch.lane_order,
            schedule: args.common.launch.schedule,
            fuel: args.common.launch.fuel.at(self.width),
            cancel: Some(watch.cancel.clone()),
            ..Dispatch::new([0; 3])
        }
    }
}
