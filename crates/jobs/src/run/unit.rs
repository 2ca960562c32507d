//! Runs a case of a unit test file. Cases are defined in [`crate::unit`].

use wavelane::internal::{SlotRef, Slots};
use wavelane::{ComputePipeline, Resource, ResourceKind, ResourceTable, Shader, SourceMap};

use super::compile::does_not_compile;
use super::{End, Flags, Runnable, Runner, Widths, failed, unsupported, wrong_file};
use crate::outcome::{Outcome, Verdict};
use crate::section::{Given, Section};
use crate::unit;

/// A compiled case.
struct Case {
    shader: Shader,
    pipeline: ComputePipeline,
    /// The texts to which the shader's locations refer, if requested.
    sources: Option<SourceMap>,
}

impl Runner<'_> {
    fn unit_flags(&self, name: &str) -> Flags {
        let mut flags = self.setup.flags.clone();
        name.clone_into(&mut flags.options.entry);
        flags
    }

    /// Compiles a case. If possible, the front end reads the file once for all of them.
    fn unit_case(&mut self, name: &str, is_watched: bool) -> Result<Case, End> {
        let flags = self.unit_flags(name);
        let mut includer = self.includer(&flags);
        let shared = self.file.shared(&flags.options, &flags.includes, &mut includer);
        let shared = shared.map_err(|bug| failed(bug.to_string()))?;
        let (shader, sources) = match shared.entries.as_ref().filter(|it| it.has(name)) {
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
        };
        let pipeline = self
            .setup
            .device
            .create_compute_pipeline(&shader)
            .map_err(|error| unsupported(error.to_string()))?;
        Ok(Case { shader, pipeline, sources })
    }

    /// Prepares a case for observation.
    pub(super) fn watched_unit(&mut self, name: &str) -> Result<Runnable, End> {
        let Case { shader, pipeline, sources } = self.unit_case(name, true)?;
        let given = self.given()?;
        let table = self.unit_table(&given, &shader)?;
        if !checks(&given.section, &table, &shader) {
            return Err(failed("the case checks nothing"));
        }
        let text = self.file.unit_text().to_owned();
        let source = self.source(&self.test.file, text, self.unit_flags(name));
        let sources = sources.unwrap_or_default();
        let run = Runnable::of(shader, pipeline, sources, table, [1; 3], source);
        Ok(Runnable { log: Some(unit::LOG), ..run })
    }

    pub(super) fn unit(&mut self, name: &str) -> Result<(), End> {
        let given = self.given()?;
        let Case { shader, pipeline, sources } = self.unit_case(name, false)?;
        let widths = match self.setup.widths {
            // Unit tests run at every width.
            Widths::Default => pipeline.wave_sizes().to_vec(),
            Widths::All | Widths::List(_) => {
                self.widths(&[vec![pipeline.wave_sizes()]], pipeline.default_wave_size())?
            }
        };
        let table = self.unit_table(&given, &shader)?;
        for width in widths {
            if !(self.wanted)(width) {
                continue;
            }
            let mut outcome = self
                .unit_at(
                    &given.section,
                    (&shader, &pipeline, sources.as_ref()),
                    table.copied(),
                    width,
                )
                .unwrap_or_else(|end| *end);
            outcome.width = width;
            outcome.printed = self.printed.take();
            outcome.remarks.splice(..0, self.remarks.clone());
            (self.report)(outcome);
        }
        Ok(())
    }

    fn unit_at(
        &self,
        section: &Section,
        (shader, pipeline, sources): (&Shader, &ComputePipeline, Option<&SourceMap>),
        mut table: ResourceTable,
        width: u32,
    ) -> Result<Outcome, End> {
        if !checks(section, &table, shader) {
            return Err(failed("the case checks nothing"));
        }
        let printed = self.go((shader, pipeline, sources), [1, 1, 1], width, &mut table)?;
        self.check_assertions(&printed, sources)?;
        let bytes = table.get(unit::LOG, 0).map_or_else(Vec::new, |it| it.bytes.to_vec());
        // With waves of one lane, each thread and the group are a step.
        let threads = (pipeline.steps([1; 3], 1) - 1) as u32;
        let log = unit::read_log(&bytes, self.file, threads, width);
        let left: Vec<_> =
            table.iter().map(|(resource, at, slot)| (resource.name.as_str(), at, slot)).collect();
        let find = |name: &str, element: usize| {
            let is_it = |it: &&(&str, u32, SlotRef<'_>)| it.0 == name && it.1 as usize == element;
            left.iter().find(is_it).map(|(.., slot)| slot.bytes.as_slice())
        };
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

    /// What stands above the case.
    fn given(&self) -> Result<Given, End> {
        let line = self.test.case.as_ref().map_or(1, |it| it.line);
        unit::given(self.file, line)
            .map_err(|what| wrong_file(format!("the test file has errors\n{what}\n")))
    }

    /// The contents of what stands above the case, and an empty log.
    fn unit_table(&self, given: &Given, shader: &Shader) -> Result<ResourceTable, End> {
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
            let line = self.test.case.as_ref().map_or(1, |it| it.line);
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
        super::section::bound(&given.section, shader)
    }
}

/// Whether anything can show that a case is wrong: it writes to the log, asserts, or results are expected.
fn checks(section: &Section, table: &ResourceTable, shader: &Shader) -> bool {
    table.get(unit::LOG, 0).is_some() || shader.asserts() || !section.outputs.is_empty()
}
