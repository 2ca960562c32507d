//! Turns the `RUN:` lines of a test into steps that are ready to run: jobs that are read, with shaders that are
//! compiled. Steps that nothing here can do are refused, or skipped with a remark.

use std::collections::BTreeMap;

use wavelane::{ComputePipeline, Denormals, Shader, SourceMap};

use super::draw::Drawing;
use super::pictures::Compared;
use super::{End, Flags, Runner, draw, failed, passes, unsupported};
use crate::Error;
use crate::features::Api;
use crate::job::{Job, Rule};
use crate::repro::Source;
use crate::root::Root;
use crate::script::{self, Command, Path, Step};
use crate::specialize::constants;
use crate::test::{self, Script};

/// A prepared `RUN:` line.
pub(super) struct Ready {
    pub(super) step: Step,
    pub(super) what: What,
}

pub(super) enum What {
    Nothing,
    /// The output of a compilation that failed as expected.
    Said(String),
    Run(Box<Prepared>),
    Compare(Compared),
    /// The run ends before it starts, with this message, which a test may expect.
    Refused(String),
}

pub(super) struct Prepared {
    pub(super) job: Job,
    /// By the index of the job's shaders; without those that no pass runs.
    pub(super) programs: Vec<Option<Program>>,
    /// If the job draws; then there are no other programs.
    pub(super) drawing: Option<Box<Drawing>>,
    /// The job's file, its whole text, and where in it the job begins.
    pub(super) place: (String, String, usize),
    /// A buffer that becomes a picture, and the picture's name.
    pub(super) picture: Option<(usize, String)>,
}

/// A compiled shader of a job.
pub(super) struct Program {
    pub(super) shader: Shader,
    pub(super) pipeline: ComputePipeline,
    /// The same with denormal floats flushed to zero, if the flags leave the choice.
    pub(super) flushed: Option<(Shader, ComputePipeline)>,
    pub(super) root: Root,
    pub(super) sources: SourceMap,
    pub(super) source: Source,
}

impl Prepared {
    pub(super) fn program(&self, shader: usize) -> &Program {
        match self.programs.get(shader) {
            Some(Some(program)) => program,
            _ => unreachable!("every shader that runs is compiled"),
        }
    }

    /// The widths of each program that runs.
    fn wave_sizes(&self) -> Vec<&[u32]> {
        match &self.drawing {
            Some(drawing) => vec![drawing.pipeline.wave_sizes()],
            None => self.programs().map(|it| it.pipeline.wave_sizes()).collect(),
        }
    }

    fn default_wave_size(&self) -> u32 {
        match &self.drawing {
            Some(drawing) => drawing.pipeline.default_wave_size(),
            None => {
                passes::default_width(&self.programs().map(|it| &it.pipeline).collect::<Vec<_>>())
            }
        }
    }

    /// Whether denormal floats may be flushed to zero or not.
    pub(super) fn can_flush(&self) -> bool {
        self.drawing.as_ref().is_some_and(|it| it.can_flush())
            || self.programs().any(|it| it.flushed.is_some())
    }

    pub(super) fn programs(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter().flatten()
    }
}

impl Program {
    /// The shader with denormal floats as wanted, if the flags leave the choice.
    pub(super) fn with(&self, is_flushed: bool) -> (&Shader, &ComputePipeline) {
        match &self.flushed {
            Some((shader, pipeline)) if is_flushed => (shader, pipeline),
            _ => (&self.shader, &self.pipeline),
        }
    }
}

/// A compiled source: its name, the flags, and the text.
pub(super) type Object = (String, Vec<String>, String);

impl Runner<'_> {
    pub(super) fn job(&mut self) -> Result<(), End> {
        let ready = self.ready()?;
        let runs = ready.iter().filter_map(|it| match &it.what {
            What::Run(prepared) => Some(&**prepared),
            What::Nothing | What::Said(_) | What::Refused(_) | What::Compare(_) => None,
        });
        let runs: Vec<&Prepared> = runs.collect();
        let widths = match runs.as_slice() {
            // The result is known without a wave.
            [] => vec![0],
            [first, ..] => {
                let default = first.default_wave_size();
                let runs: Vec<Vec<&[u32]>> = runs.iter().map(|it| it.wave_sizes()).collect();
                self.widths(&runs, default)?
            }
        };
        for width in widths {
            if !(self.wanted)(width) {
                continue;
            }
            let mut outcome = self.run_at(&ready, width).unwrap_or_else(|end| *end);
            outcome.width = width;
            outcome.printed = self.printed.take();
            outcome.remarks.splice(..0, self.remarks.clone());
            (self.report)(outcome);
        }
        Ok(())
    }

    /// The steps of the test's lines, except those that are skipped.
    pub(super) fn ready(&mut self) -> Result<Vec<Ready>, End> {
        let script = test::script(self.text).map_err(|error| self.wrong(&[error], self.text))?;
        if let Some(why) = script.directives.refused(self.setup.features) {
            return Err(unsupported(why));
        }
        if let Some(condition) = script.directives.expected_failure(self.setup.features) {
            self.remarks.push(format!("the file expects a failure where `{condition}`"));
        }
        self.prepare(&script)
    }

    fn steps(&mut self, script: &Script) -> Result<Vec<Step>, End> {
        let mut steps = Vec::new();
        for line in &script.directives.run {
            let step = script::step(line, self.setup.features)
                .map_err(|error| self.wrong(&[error], self.text))?;
            steps.push(step);
        }
        if !steps.is_empty() {
            return Ok(steps);
        }
        // A job without `RUN:` lines: its shader is beside it.
        if self.test.file.ends_with(".test") {
            let error = Error::new(0..0, "the file has no `RUN:` line");
            return Err(self.wrong(&[error], self.text));
        }
        let source = self.shader_beside()?;
        let line = crate::lit::Line { text: String::new(), at: 0..0 };
        let step = |command| Step { line: line.clone(), command, fails: false, check: None };
        let object = "%t.o".to_owned();
        let compile = Command::Compile { flags: Vec::new(), source, object: object.clone() };
        let run = Command::Run { job: Path::Test, objects: vec![object], picture: None };
        Ok(vec![step(compile), step(run)])
    }

    fn shader_beside(&mut self) -> Result<Path, End> {
        let file = self.test.file.rsplit(['/', '\\']).next().unwrap_or("");
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let names = [format!("{stem}.hlsl"), "source.hlsl".to_owned(), "shader.hlsl".to_owned()];
        let found = names.iter().find(|it| self.files.read(it, &self.test.file).is_some());
        match found {
            Some(name) => Ok(Path::File(name.clone())),
            None => {
                let error = Error::new(0..0, format!("missing shader `{}`", names[0]));
                let help = "or name it: # RUN: %dxc_target -T cs_6_6 -Fo %t.o %S/shader.hlsl";
                Err(self.wrong(&[error.help(help)], self.text))
            }
        }
    }

    /// Reads the jobs, and compiles the shaders of those that can run here.
    fn prepare(&mut self, script: &Script) -> Result<Vec<Ready>, End> {
        let steps = self.steps(script)?;
        let mut jobs = Vec::new();
        for step in &steps {
            let Command::Run { job, .. } = &step.command else {
                if let Command::Foreign(program) = &step.command {
                    self.foreign(program, &steps)?;
                }
                jobs.push(None);
                continue;
            };
            let (text, name, offset) = self.text_of(job, script, step)?;
            let place = match offset {
                0 => (name, text.clone(), 0),
                _ => (self.test.file.clone(), self.text.to_owned(), offset),
            };
            let job = test::read_job(&text, offset, Api::of(self.setup.features));
            let job = job.map_err(|errors| self.wrong_in(&errors, &place.0, &place.1));
            let job = match job {
                // A test may be about a job that is refused; then its shaders do not matter.
                Err(refused) if step.fails => {
                    jobs.push(Some(Err(refused.message)));
                    continue;
                }
                job => job?,
            };
            if let Some(what) = draw::not_built(&job) {
                return Err(unsupported(what));
            }
            jobs.push(Some(Ok((job, place))));
        }
        let mut objects: BTreeMap<String, Object> = BTreeMap::new();
        let mut ready = Vec::new();
        for (step, job) in steps.into_iter().zip(jobs) {
            let what = match (&step.command, job) {
                (Command::Compile { flags, source, object }, _) => {
                    self.flags(flags).map_err(|end| self.wrong_flags(*end, &step))?;
                    let (mut text, mut name, offset) = self.text_of(source, script, &step)?;
                    if offset > 0 {
                        // Leading empty lines keep the locations those of the whole file.
                        let lines = self.text[..offset].matches('\n').count();
                        text = format!("{}{text}", "\n".repeat(lines));
                        name.clone_from(&self.test.file);
                    }
                    let what = match step.fails {
                        true => What::Said(self.compile_to_fail(&name, &text, flags)?),
                        false => What::Nothing,
                    };
                    objects.insert(object.clone(), (name, flags.clone(), text));
                    what
                }
                (Command::Run { .. }, Some(Err(message))) => What::Refused(message),
                (Command::Compare(comparison), _) => {
                    What::Compare(self.comparison(comparison, script, &step, &ready)?)
                }
                (Command::Run { objects: names, picture, .. }, Some(Ok((job, place)))) => {
                    let found: Vec<_> = names.iter().filter_map(|it| objects.get(it)).collect();
                    let is_enough = match (&job.draw, job.passes.is_empty()) {
                        (Some(_), _) => {
                            found.len() == names.len() && found.len() == job.shaders.len()
                        }
                        (None, true) => found.len() == 1,
                        (None, false) => !found.is_empty() && found.len() == names.len(),
                    };
                    if !is_enough {
                        let what = match job.draw {
                            Some(_) => {
                                "a draw needs each of its shaders, compiled by earlier lines"
                            }
                            None => "the run needs a shader compiled by an earlier line",
                        };
                        let error = Error::new(step.line.at.clone(), what);
                        return Err(self.wrong(&[error], self.text));
                    }
                    let picture = self.picture(picture.as_ref(), &job, &step)?;
                    match job.draw {
                        Some(_) => self.drawing(job, place, picture, &found)?,
                        None => self.programs(job, place, picture, &found)?,
                    }
                }
                (Command::Split | Command::Foreign(_) | Command::Run { .. }, _) => What::Nothing,
            };
            ready.push(Ready { step, what });
        }
        if !ready
            .iter()
            .any(|it| matches!(it.what, What::Run(_) | What::Said(_) | What::Refused(_)))
        {
            // Shaders that never run are still compiled.
            for (name, flags, text) in objects.into_values() {
                self.compile(&name, &text, &flags)?;
            }
        }
        Ok(ready)
    }

    /// A command that we cannot run: inspections of compiled files are skipped, everything else ends the test.
    fn foreign(&mut self, program: &str, steps: &[Step]) -> Result<(), End> {
        let also_runs = steps.iter().any(|it| matches!(it.command, Command::Run { .. }));
        if program == "obj2yaml" && also_runs {
            let what =
                "`obj2yaml` was skipped: it inspects a compiled file, and none is written here";
            self.remarks.push(what.to_owned());
            return Ok(());
        }
        Err(unsupported(format!("unknown command `{program}`")))
    }

    /// A file's text, its name, and its offset in the test file (0 if it is a separate file).
    pub(super) fn text_of(
        &mut self,
        path: &Path,
        script: &Script,
        step: &Step,
    ) -> Result<(String, String, usize), End> {
        let missing = |what: String| Error::new(step.line.at.clone(), what);
        match path {
            Path::Test => Ok((self.text.to_owned(), self.test.file.clone(), 0)),
            Path::Part(name) => match script.parts.iter().find(|it| it.name == *name) {
                Some(part) => {
                    Ok((self.text[part.at.clone()].to_owned(), name.clone(), part.at.start))
                }
                None => {
                    let known = script.parts.iter().map(|it| it.name.as_str());
                    let error = missing(format!("there is no part `{name}`"));
                    let error = match crate::error::did_you_mean(name, known) {
                        Some(help) => error.help(help),
                        None => error,
                    };
                    Err(self.wrong(&[error], self.text))
                }
            },
            Path::File(name) => match self.files.read(name, &self.test.file) {
                Some(text) => {
                    let folder = self.test.file.rsplit_once(['/', '\\']).map(|(folder, _)| folder);
                    let path = match folder {
                        Some(folder) if !name.starts_with('/') => format!("{folder}/{name}"),
                        _ => name.clone(),
                    };
                    Ok((text, path, 0))
                }
                None => Err(self.wrong(&[missing(format!("`{name}` cannot be read"))], self.text)),
            },
        }
    }

    /// Compiles the shaders of a job.
    fn programs(
        &mut self,
        job: Job,
        place: (String, String, usize),
        picture: Option<(usize, String)>,
        objects: &[&Object],
    ) -> Result<What, End> {
        let mut programs = Vec::new();
        for (index, shader) in job.shaders.iter().enumerate() {
            let is_run = job.passes.is_empty() || job.passes.iter().any(|it| it.entry == index);
            if !is_run {
                programs.push(None);
                continue;
            }
            let constants = match constants(&shader.constants) {
                Ok(constants) => constants,
                Err(what) => return Ok(What::Refused(format!("gpu-exec: error: {what}\n"))),
            };
            let (object, flags) = match job.passes.is_empty() {
                true => (objects[0], self.flags_of_only(objects[0], &shader.entry)?),
                false => self.object_of(&job, index, objects, &place)?,
            };
            programs.push(Some(self.program(object, flags, &job, constants)?));
        }
        Ok(What::Run(Box::new(Prepared { job, programs, drawing: None, place, picture })))
    }

    /// The flags of the only shader of a job, whose entry point must be the one that was compiled.
    pub(super) fn flags_of_only(&self, (_, words, _): &Object, entry: &str) -> Result<Flags, End> {
        let mut flags = self.flags(words)?;
        let options = &mut flags.options;
        if words.is_empty() {
            entry.clone_into(&mut options.entry);
        }
        if options.entry != *entry {
            let what = format!("the job runs `{entry}`, but `{}` was compiled", options.entry);
            return Err(failed(format!("{what}; pass `-E {entry}` to compile it")));
        }
        Ok(flags)
    }

    fn program(
        &mut self,
        (name, _, text): &Object,
        mut flags: Flags,
        job: &Job,
        constants: Vec<(u32, u64)>,
    ) -> Result<Program, End> {
        let options = &mut flags.options;
        options.vulkan |= self.setup.features.contains("Vulkan")
            || !constants.is_empty()
            || !job.push_constants.is_empty();
        options.specialization.extend(constants);
        options.has_tiles |= job.sets.iter().flatten().any(|it| it.tiles.is_some());
        let (shader, pipeline, sources) = self.compiled(name, text, &flags, job)?;
        let source = self.source(name, text.clone(), flags.clone());
        // If the flags allow either mode, a result that is right in one of them is right.
        let is_compared = job.results.iter().any(|it| !matches!(it.rule, Rule::Exact));
        let flushed = match flags.options.denormals == Denormals::Any && is_compared {
            true => {
                flags.options.denormals = Denormals::FlushToZero;
                let (shader, pipeline, _) = self.compiled(name, text, &flags, job)?;
                Some((shader, pipeline))
            }
            false => None,
        };
        Ok(Program { shader, pipeline, flushed, root: Root::of(text), sources, source })
    }
}
