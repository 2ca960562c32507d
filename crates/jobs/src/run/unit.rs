//! Runs a case of a unit test file. Cases are defined in [`crate::unit`]; `draw.rs` runs pixel shaders.

mod draw;

use wavelane::internal::Slots;
use wavelane::{ComputePipeline, Resource, ResourceKind, ResourceTable, Shader, SourceMap, Stage};

use super::compile::does_not_compile;
use super::contents::{self, Content};
use super::{End, Flags, Runnable, Runner, Widths, Work, failed, unsupported, wrong_file};
use crate::outcome::{Outcome, Verdict};
use crate::section::{Given, Section};
use crate::unit::{self, Case, Extent};

/// The shader of a case, and the texts to which its locations refer, if requested.
type Compiled = (Shader, Option<SourceMap>);

impl Runner<'_> {
    fn unit_flags(&self, name: &str, stage: Stage) -> Flags {
        let mut flags = self.setup.flags.clone();
        name.clone_into(&mut flags.options.entry);
        flags.options.stage = stage;
        flags
    }

    /// Compiles a case. If possible, the front end reads the file once for all compute shaders.
    fn unit_shader(&mut self, name: &str, stage: Stage, is_watched: bool) -> Result<Compiled, End> {
        let flags = self.unit_flags(name, stage);
        if stage == Stage::Pixel {
            let (file, test) = (self.file, self.test);
            let (shader, sources) = self.compile_with(&test.file, file.unit_text(), &flags)?;
            return Ok((shader, Some(sources)));
        }
        let mut includer = self.includer(&flags);
        let shared = self.file.shared(&flags.options, &flags.includes, &mut includer);
        let shared = shared.map_err(|bug| failed(bug.to_string()))?;
        Ok(match shared.entries.as_ref().filter(|it| it.has(name)) {
            Some(entries) => {
                let (shader, diagnostics) =
                    entries.compile(name).map_err(|bug| failed(bug.to_string()))?;
                let shader =
                    shader.ok_or_else(|| does_not_compile(&diagnostics, entries.sources()))?;
                if is_watched {
                    let found =
                        shared.included.iter().map(|(name, text)| (name.clone(), text.clone()));
                    self.included.extend(found);
                }
                let wants_sources = is_watched || shader.prints();
                (shader, wants_sources.then(|| entries.sources().clone()))
            }
            None => {
                let (file, test) = (self.file, self.test);
                let (shader, sources) = self.compile_with(&test.file, file.unit_text(), &flags)?;
                let wants_sources = is_watched || shader.prints();
                (shader, wants_sources.then_some(sources))
            }
        })
    }

    fn unit_pipeline(&self, shader: &Shader) -> Result<ComputePipeline, End> {
        let made = self.setup.device.create_compute_pipeline(shader);
        made.map_err(|error| unsupported(error.to_string()))
    }

    /// Prepares a case for observation.
    pub(super) fn watched_unit(&mut self, case: &Case) -> Result<Work, End> {
        let given = self.given(case)?;
        if given.section.draw.is_some() {
            let run = self.watched_draw(case, &given)?;
            return Ok(Work::Draw(Box::new(run)));
        }
        let stage = self.setup.flags.options.stage;
        let (shader, sources) = self.unit_shader(&case.name, stage, true)?;
        let pipeline = self.unit_pipeline(&shader)?;
        self.check_bindings(case, &given, &shader)?;
        let table = super::section::bound(&given.section, &shader)?;
        if !checks(&given.section, &shader) {
            return Err(failed("the case checks nothing"));
        }
        let text = self.file.unit_text().to_owned();
        let source = self.source(&self.test.file, text, self.unit_flags(&case.name, stage));
        let sources = sources.unwrap_or_default();
        let run = Runnable::of(shader, pipeline, sources, table, [1; 3], source);
        Ok(Work::Shader(Box::new(Runnable { log: Some(unit::LOG), ..run })))
    }

    pub(super) fn unit(&mut self, case: &Case) -> Result<(), End> {
        let given = self.given(case)?;
        if given.section.draw.is_some() {
            return self.unit_draw(case, &given);
        }
        let stage = self.setup.flags.options.stage;
        let (shader, sources) = self.unit_shader(&case.name, stage, false)?;
        let pipeline = self.unit_pipeline(&shader)?;
        let widths = self.unit_widths(pipeline.wave_sizes(), pipeline.default_wave_size())?;
        self.check_bindings(case, &given, &shader)?;
        let table = super::section::bound(&given.section, &shader)?;
        self.unit_at_each(widths, |runner, width| {
            let run = (&shader, &pipeline, sources.as_ref());
            runner.unit_at(&given.section, run, table.copied(), width)
        });
        Ok(())
    }

    /// The widths at which a case runs, of those that its pipeline allows: without a request, all of them.
    fn unit_widths(&self, allowed: &[u32], default: u32) -> Result<Vec<u32>, End> {
        match self.setup.widths {
            Widths::Default => Ok(allowed.to_vec()),
            Widths::All | Widths::List(_) => self.widths(&[vec![allowed]], default),
        }
    }

    /// Runs and reports a case at each of these widths that is wanted.
    fn unit_at_each(&mut self, widths: Vec<u32>, run: impl Fn(&Self, u32) -> Result<Outcome, End>) {
        for width in widths {
            if !(self.wanted)(width) {
                continue;
            }
            let mut outcome = run(self, width).unwrap_or_else(|end| *end);
            outcome.width = width;
            outcome.printed = self.printed.take();
            outcome.remarks.splice(..0, self.remarks.clone());
            (self.report)(outcome);
        }
    }

    fn unit_at(
        &self,
        section: &Section,
        (shader, pipeline, sources): (&Shader, &ComputePipeline, Option<&SourceMap>),
        mut table: ResourceTable,
        width: u32,
    ) -> Result<Outcome, End> {
        if !checks(section, shader) {
            return Err(failed("the case checks nothing"));
        }
        let printed = self.go((shader, pipeline, sources), [1, 1, 1], width, &mut table)?;
        self.check_assertions(&printed, sources)?;
        // With waves of one lane, each thread and the group are a step.
        let threads = (pipeline.steps([1; 3], 1) - 1) as u32;
        let left: Vec<Content> = contents::of(&table).collect();
        let find = |name: &str, element: usize| contents::find(&left, name, element);
        self.judged(section, shader, width, Extent::Threads { threads, width }, find)
    }

    /// The outcome of a case, from its results, by name and element.
    fn judged<'a>(
        &self,
        section: &Section,
        shader: &Shader,
        width: u32,
        extent: Extent,
        find: impl Fn(&str, usize) -> Option<&'a [u8]>,
    ) -> Result<Outcome, End> {
        let log = unit::read_log(find(unit::LOG, 0).unwrap_or(&[]), self.file, extent);
        let has_outputs = !section.outputs.is_empty();
        let judged = if has_outputs { section.judge(width, find) } else { Ok(()) };
        if log.findings.is_empty() {
            return match judged {
                Err(what) => Err(failed(what)),
                Ok(()) if log.checks == 0 && !has_outputs && !shader.asserts() => {
                    Err(failed("the case checks nothing"))
                }
                Ok(()) => Ok(Outcome::new(width, Verdict::Passed, "")),
            };
        }
        let mut lines: Vec<String> = log.findings.iter().map(|it| it.line.to_string()).collect();
        lines.dedup();
        let what = if lines.len() == 1 { "line" } else { "lines" };
        let more = judged.err().map(|it| format!("\n{it}")).unwrap_or_default();
        let mut outcome = failed(format!("{what} {} not as expected{more}", lines.join(", ")));
        outcome.findings = log.findings;
        Err(outcome)
    }

    /// The directives above the case.
    fn given(&self, case: &Case) -> Result<Given, End> {
        unit::given(self.file, case)
            .map_err(|what| wrong_file(format!("the test file has errors\n{what}\n")))
    }

    /// Every name above the case must be a resource, and every resource that the case uses must be there.
    fn check_bindings(&self, case: &Case, given: &Given, shader: &Shader) -> Result<(), End> {
        let base = |name: &str| name.split('[').next().unwrap_or(name).to_owned();
        let file = self.file.name();
        let all = || shader.resources().iter().filter(|it| it.name != unit::LOG);
        for (line, name) in &given.named {
            if all().any(|it| it.name == base(name)) {
                continue;
            }
            let mut what = format!("{file}:{line}:1: error: the file has no resource `{name}`\n");
            let known = all().map(|it| it.name.as_str());
            if let Some(meant) = crate::error::did_you_mean(name, known) {
                what.push_str(&format!("  = help: {meant}\n"));
            }
            return Err(wrong_file(format!("the test file has errors\n{what}")));
        }
        let is_missing = |it: &&Resource| {
            let is_given = given.named.iter().any(|(_, name)| base(name) == it.name);
            it.used && !is_given && !it.register.class.is_heap()
        };
        let missing: Vec<&Resource> = all().filter(is_missing).collect();
        if !missing.is_empty() {
            let line = case.line;
            let names: Vec<String> = missing.iter().map(|it| format!("`{}`", it.name)).collect();
            let mut what = format!(
                "the test file has errors\n{file}:{line}:1: error: nothing is bound to {}, which the case uses\n",
                names.join(", ")
            );
            what.push_str("  = help: write in lines above the case:\n");
            for resource in missing {
                let name = &resource.name;
                what.push_str(&match (&resource.kind, resource.kind.writable()) {
                    (ResourceKind::Sampler { .. }, _) => format!("          //# sampler {name}\n"),
                    (ResourceKind::Texture { .. }, _) => {
                        format!("          //# texture {name} RGBA8_UNORM 4x4\n")
                    }
                    (_, true) => format!("          //# inout {name} u32[8]\n"),
                    (_, false) => format!("          //# in {name} u32: 1,2,3\n"),
                });
            }
            return Err(wrong_file(what));
        }
        Ok(())
    }
}

/// Whether anything can show that a case is wrong: it writes to the log, asserts, or results are expected.
fn checks(section: &Section, shader: &Shader) -> bool {
    let logs = || shader.resources().iter().any(|it| it.used && it.name == unit::LOG);
    !section.outputs.is_empty() || shader.asserts() || logs()
}
