//! Runs a case of a unit test file. Cases are defined in [`crate::unit`].

use wavelane::internal::{Slot, Slots};
use wavelane::{ComputePipeline, ResourceTable, Shader, SourceMap};

use super::{End, Flags, Runnable, Runner, Widths, does_not_compile, failed, unsupported};
use crate::outcome::{Outcome, Verdict};
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
                (shader, is_watched.then(|| entries.sources().clone()))
            }
            None => {
                let (file, test) = (self.file, self.test);
                let (shader, sources) = self.compile_with(&test.file, file.unit_text(), &flags)?;
                (shader, is_watched.then_some(sources))
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
        let table = unit_table(&shader)?;
        let text = self.file.unit_text().to_owned();
        let source = self.source(&self.test.file, text, self.unit_flags(name));
        let sources = sources.unwrap_or_default();
        let run = Runnable::of(shader, pipeline, sources, table, [1; 3], source);
        Ok(Runnable { log: Some(unit::LOG), ..run })
    }

    pub(super) fn unit(&mut self, name: &str) -> Result<(), End> {
        let Case { shader, pipeline, .. } = self.unit_case(name, false)?;
        let widths = match self.setup.widths {
            // Unit tests run at every width.
            Widths::Default => pipeline.wave_sizes().to_vec(),
            Widths::All | Widths::List(_) => {
                self.widths(&[&pipeline], pipeline.default_wave_size())?
            }
        };
        for width in widths {
            if !(self.wanted)(width) {
                continue;
            }
            let mut outcome = self.unit_at(&shader, &pipeline, width).unwrap_or_else(|end| *end);
            outcome.width = width;
            outcome.remarks.splice(..0, self.remarks.clone());
            (self.report)(outcome);
        }
        Ok(())
    }

    fn unit_at(
        &self,
        shader: &Shader,
        pipeline: &ComputePipeline,
        width: u32,
    ) -> Result<Outcome, End> {
        let mut table = unit_table(shader)?;
        self.go(pipeline, [1, 1, 1], width, &mut table)?;
        let log = table.get(unit::LOG, 0);
        let bytes = log.as_ref().map_or(&[][..], |it| &it.bytes);
        let log = unit::read_log(bytes, self.file);
        if log.findings.is_empty() {
            return match log.checks {
                0 => Err(failed("the case checks nothing")),
                _ => Ok(Outcome::new(width, Verdict::Passed, "")),
            };
        }
        let lines: Vec<String> = log.findings.iter().map(|it| it.line.to_string()).collect();
        let what = if lines.len() == 1 { "line" } else { "lines" };
        let mut outcome = failed(format!("{what} {} not as expected", lines.join(", ")));
        outcome.findings = log.findings;
        Err(outcome)
    }
}

/// An empty log, bound.
fn unit_table(shader: &Shader) -> Result<ResourceTable, End> {
    let mut table = ResourceTable::new(shader);
    let log = Slot { bytes: vec![0; unit::LOG_BYTES], ..Slot::default() };
    match table.bind_at(unit::LOG, 0, log) {
        Ok(_) => Ok(table),
        Err(_) => Err(failed("the case checks nothing")),
    }
}
