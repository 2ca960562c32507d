//! Runs the passes of a job in order, as one list of commands: on a GPU they are one submission.
//!
//! A job runs at a width that at least one of its entry points allows. A pass whose `[WaveSize]` allows another width
//! only runs at the one that it prefers.

use std::fmt;
use std::sync::Arc;

use wavelane::internal::{self, Pass, width_of};
use wavelane::{
    CommandList, ComputePipeline, Dispatch, DispatchError, Level, PrintLog, Shader, SourceMap,
    Stage,
};

use super::dispatch::{NotBound, not_run};
use super::steps::{Object, Prepared, Program};
use super::{End, Flags, Runner, wrong_file};
use crate::Error;
use crate::bind::passes::{self, Passes, Problem};
use crate::error::did_you_mean;
use crate::job::{Groups, Job};
use crate::outcome::Verdict;
use crate::printed::PrintedLines;
use crate::repro::Source;

/// Several dispatches that a job describes, each repetition one of them, ready except for the wave width.
#[derive(Debug)]
pub struct Sequence {
    pub programs: Vec<SequenceProgram>,
    pub passes: Vec<SequencePass>,
    /// The buffers that the job's results compare; without results, all buffers.
    pub results: Vec<String>,
}

impl Sequence {
    /// The widths that at least one of the shaders allows, ascending.
    pub fn wave_sizes(&self) -> Vec<u32> {
        let all = self.programs.iter().flat_map(|it| it.pipeline.wave_sizes());
        let all: std::collections::BTreeSet<u32> = all.copied().collect();
        all.into_iter().collect()
    }

    /// The default width.
    pub fn default_wave_size(&self) -> u32 {
        default_width(&self.programs.iter().map(|it| &it.pipeline).collect::<Vec<_>>())
    }

    /// The resources of a pass, with their elements, that have a buffer for which `is_wanted` holds.
    pub fn with_buffer<'a>(
        &'a self,
        pass: &'a SequencePass,
        is_wanted: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = (&'a str, u32)> + 'a {
        let bound = pass.bound.iter().filter(move |(_, _, buffer)| is_wanted(buffer));
        bound.map(|(resource, element, _)| (resource.as_str(), *element))
    }
}

/// A shader that passes run.
#[derive(Debug)]
pub struct SequenceProgram {
    pub shader: Shader,
    pub pipeline: ComputePipeline,
    pub sources: SourceMap,
    pub source: Source,
}

/// A pass, with the contents before the first one.
#[derive(Debug)]
pub struct SequencePass {
    pub name: PassName,
    /// An index of [`Sequence::programs`].
    pub program: usize,
    pub pass: Pass,
    /// Resources and elements, with the name of the job's buffer that each has.
    pub bound: Vec<(String, u32, String)>,
}

/// The name of a pass: its number in the job, from 1 on, and its entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassName {
    pub number: usize,
    pub entry: String,
    /// The number of the repetition from 1 on, and how many there are.
    pub round: (u32, u32),
}

impl fmt::Display for PassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pass {} (`{}`)", self.number, self.entry)?;
        match self.round {
            (_, 1) => Ok(()),
            (round, rounds) => write!(f, ", round {round} of {rounds}"),
        }
    }
}

impl PassName {
    fn of(job: &Job, index: usize, round: u32) -> PassName {
        let pass = &job.passes[index];
        let entry = job.shaders[pass.entry].entry.clone();
        PassName { number: index + 1, entry, round: (round + 1, pass.repeat) }
    }
}

/// The default width of a job: what the entry point that allows most of them prefers.
pub(super) fn default_width(pipelines: &[&ComputePipeline]) -> u32 {
    let all = pipelines.iter().rev();
    all.max_by_key(|it| it.wave_sizes().len()).map_or(0, |it| it.default_wave_size())
}

impl Runner<'_> {
    /// The object that an entry point comes from, and the flags to compile it with: the object that was compiled for it
    /// by `-E`, or else one that was compiled for none and declares it.
    pub(super) fn object_of<'b>(
        &mut self,
        job: &Job,
        index: usize,
        objects: &[&'b Object],
        place: &(String, String, usize),
    ) -> Result<(&'b Object, Flags), End> {
        let shader = &job.shaders[index];
        let mut open: Vec<(&'b Object, Flags)> = Vec::new();
        let mut known: Vec<String> = Vec::new();
        for object in objects {
            let mut flags = self.flags(&object.1)?;
            let options = &mut flags.options;
            if options.entry == shader.entry {
                options.stage = Stage::Compute;
                return Ok((object, flags));
            }
            // `main` is what a compiler takes without `-E`.
            if options.entry == "main" {
                options.entry.clone_from(&shader.entry);
                options.stage = Stage::Compute;
                open.push((object, flags));
            } else {
                known.push(options.entry.clone());
            }
        }
        if let [_] = open.as_slice()
            && let Some(only) = open.pop()
        {
            return Ok(only);
        }
        for (object, flags) in open {
            let compiled = self.compilation(&object.0, &object.2, &flags)?;
            let is_missing = compiled.diagnostics.iter().any(|it| {
                it.level == Level::Error
                    && it.code.name == internal::diag::code::NO_ENTRY_POINT.name
            });
            if !is_missing {
                return Ok((object, flags));
            }
        }
        let offset = place.2;
        let at = shader.at.start + offset..shader.at.end + offset;
        let error = Error::new(
            at,
            format!("no shader was compiled with the entry point `{}`", shader.entry),
        );
        let help = did_you_mean(&shader.entry, known.iter().map(String::as_str));
        let help = help
            .unwrap_or_else(|| format!("compile it without `-E`, or with `-E {}`", shader.entry));
        Err(self.wrong_in(&[error.help(help)], &place.0, &place.1))
    }

    /// Binds the passes of a job.
    fn bound(&self, prepared: &Prepared, is_flushed: bool) -> Result<Passes, NotBound> {
        if let Some(what) = passes::not_built(&prepared.job) {
            return Err(super::unsupported(what).into());
        }
        let programs = |index: usize| {
            let program: &Program = prepared.program(index);
            (program.with(is_flushed).0, &program.root)
        };
        let is_vulkan = self.setup.features.contains("Vulkan");
        passes::bind(&prepared.job, &programs, is_vulkan).map_err(|problem| {
            let error = match problem {
                Problem::Located(error) => error,
                Problem::Of(index, problem) => {
                    let name = PassName::of(&prepared.job, index, 0);
                    let at = prepared.job.passes[index].at.clone();
                    Error::new(at, format!("{name}: {}", problem.0))
                }
            };
            wrong_job(prepared, error).into()
        })
    }

    /// Runs all passes of a job, and leaves the results in it; returns what may explain unexpected ones.
    pub(super) fn passes(
        &self,
        prepared: &Prepared,
        is_flushed: bool,
        width: u32,
        job: &mut Job,
    ) -> Result<Vec<String>, NotBound> {
        let passes = self.bound(prepared, is_flushed)?;
        let fuel = (self.setup.fuel)(width);
        let mut list = CommandList::new();
        list.set_fuel(fuel);
        let name = |number: usize| match passes.all.get(number) {
            Some(it) => format!("{}: ", PassName::of(job, it.index, it.round)),
            None => String::new(),
        };
        let stopped = |number: usize, error: &DispatchError| {
            let mut end = not_run(error, &name(number));
            let groups = passes.all.get(number).map(|it| &job.passes[it.index].groups);
            let is_size = matches!(
                error,
                DispatchError::TooManyGroups { .. } | DispatchError::TooManyThreads { .. }
            );
            if let (Some(Groups::Indirect { buffer, offset, .. }), true) = (groups, is_size) {
                let name = &job.buffers[*buffer].name;
                end.message
                    .push_str(&format!("; the counts are those in `{name}` at offset {offset}"));
            }
            end
        };
        let mut logs = Vec::new();
        for (number, it) in passes.all.iter().enumerate() {
            let program = prepared.program(job.passes[it.index].entry);
            let (shader, pipeline) = program.with(is_flushed);
            let log = shader.prints().then(|| Arc::new(PrintLog::new(self.setup.print_limit)));
            let dispatch = Dispatch {
                prints: log.clone(),
                wave_size: Some(width_of(pipeline, width)),
                lane_order: self.setup.lane_order,
                schedule: self.setup.schedule,
                fuel,
                cancel: self.setup.cancel.clone(),
                ..Dispatch::new([0; 3])
            };
            let pass = PassName::of(job, it.index, it.round);
            self.engaged(Some(pass), pipeline, &dispatch, &it.pass.table);
            let recorded = it.pass.record(&mut list, pipeline, &dispatch);
            recorded.map_err(|error| match stopped(number, &error) {
                // Before anything has run, only the job can be at fault.
                end if end.verdict == Verdict::Failed => {
                    let at = job.passes[it.index].at.clone();
                    wrong_job(prepared, Error::new(at, end.message))
                }
                end => end,
            })?;
            logs.extend(log.map(|log| (number, shader, &program.sources, log)));
        }
        let ended = internal::execute(self.setup.device, &list);
        let mut failed_assertions = None;
        for (number, shader, sources, log) in logs {
            let printed = shader.printed(&log);
            let it = &passes.all[number];
            let pass = Some(PassName::of(job, it.index, it.round));
            let lines = PrintedLines { pass, ..PrintedLines::new(&printed, sources) };
            self.keep(lines);
            if let Err(mut end) = self.check_assertions(&printed, Some(sources)) {
                end.message.insert_str(0, &name(number));
                failed_assertions.get_or_insert(end);
            }
        }
        ended.map_err(|it| stopped(it.index, &it.error))?;
        if let Some(end) = failed_assertions {
            return Err(end.into());
        }
        passes.memory.take_back(job);
        Ok(passes.doubts)
    }

    /// The passes of a job, for callers that observe them.
    pub(super) fn sequence(&mut self, prepared: Prepared) -> Result<Sequence, NotBound> {
        let passes = self.bound(&prepared, false)?;
        let Prepared { job, programs, .. } = prepared;
        let indices: Vec<usize> =
            (0..programs.len()).filter(|it| programs[*it].is_some()).collect();
        let pass = |it: passes::Ready| {
            let entry = job.passes[it.index].entry;
            let bound = it.bound.into_iter();
            SequencePass {
                name: PassName::of(&job, it.index, it.round),
                program: indices.iter().position(|it| *it == entry).unwrap_or(0),
                pass: it.pass,
                bound: bound.map(|(a, b, c)| (a, b, job.buffers[c].name.clone())).collect(),
            }
        };
        let passes = passes.all.into_iter().map(pass).collect();
        let program = |it: Program| {
            let Program { shader, pipeline, sources, source, .. } = it;
            SequenceProgram { shader, pipeline, sources, source }
        };
        let programs = programs.into_iter().flatten().map(program).collect();
        let results = job.results.iter().map(|it| job.buffers[it.actual].name.clone()).collect();
        Ok(Sequence { programs, passes, results })
    }
}

/// The end of a test whose job has an error.
fn wrong_job(prepared: &Prepared, mut error: Error) -> End {
    let (file, text, offset) = &prepared.place;
    error.at = error.at.start + offset..error.at.end + offset;
    wrong_file(format!("the job has errors\n{}", error.render(file, text)))
}
