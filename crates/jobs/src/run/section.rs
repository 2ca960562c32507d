//! Runs a section of a suite file on the device. Its directives are defined in [`crate::section`].

use wavelane::{Compilation, ResourceTable, Shader, Stage};

use super::contents::{self, Content};
use super::{
    DrawnSection, End, Flags, NotDrawn, Runnable, Runner, Setup, Widths, Work, failed, unsupported,
    wrong_file,
};
use crate::outcome::{Outcome, Verdict};
use crate::section::{self, LOG, LOG_BYTES, Section};
use crate::unit;

/// The most elements of a resource array that can be bound.
const MOST_ELEMENTS: u32 = 64;

/// The size limit for all bound contents together.
const MOST_BYTES: usize = 1 << 30;

/// How many parent folders of the file are searched for the prelude.
const MOST_FOLDERS: usize = 8;

impl Runner<'_> {
    pub(super) fn section(&mut self, name: &str) -> Result<(), End> {
        let file = self.file;
        let section = file.section(name).map_err(wrong_file)?;
        if self.setup.device.is_gpu() && section.may_wait_for_ever() {
            return Err(unsupported("it may wait for ever, which cannot be interrupted on a GPU"));
        }
        let mut widths = match self.setup.widths {
            Widths::Default | Widths::All => section.widths.clone(),
            Widths::List(list) => {
                list.iter().copied().filter(|it| section.widths.contains(it)).collect()
            }
        };
        let lanes = self.setup.device.adapter().wave_lane_count;
        if self.setup.device.is_gpu() && !section.fails() {
            // A device has fixed widths; the section runs at those of them that it names.
            widths.retain(|it| lanes.contains(*it));
        }
        if section.fails() {
            // A section that does not compile has no width.
            widths.truncate(1);
        }
        if widths.is_empty() {
            let all: Vec<String> = section.widths.iter().map(u32::to_string).collect();
            let what = format!("it runs only with waves of {} lanes", all.join(", "));
            return Err(unsupported(what));
        }
        for width in widths {
            if !(self.wanted)(width) {
                continue;
            }
            let mut outcome = self.section_at(section, width).unwrap_or_else(|end| *end);
            outcome.width = width;
            outcome.printed = self.printed.take();
            (self.report)(outcome);
        }
        Ok(())
    }

    /// Prepares a section for observation: one program if its text does not depend on the wave width, one for each
    /// width if it does.
    pub(super) fn watched(&mut self, name: &str) -> Result<Vec<Work>, End> {
        let file = self.file;
        let section = file.section(name).map_err(wrong_file)?;
        if section.fails() {
            return Ok(Vec::new());
        }
        if section.draw.is_none() {
            let runs = self.watched_section(section)?;
            return Ok(runs.into_iter().map(|it| Work::Shader(Box::new(it))).collect());
        }
        let mut runs = Vec::new();
        for widths in section.programs() {
            let Some(first) = widths.first() else { continue };
            let flags = self.section_flags(section, *first)?;
            let mut includer = self.includer(&flags);
            self.file.count_front_end();
            let run = DrawnSection::compile(section, &flags.options, &mut includer)
                .and_then(|it| it.watched(section, self.setup.device, widths))
                .map_err(not_drawn)?;
            runs.push(Work::Draw(Box::new(run)));
        }
        Ok(runs)
    }

    fn watched_section(&mut self, section: &Section) -> Result<Vec<Runnable>, End> {
        let mut runs = Vec::new();
        for widths in section.programs() {
            let Some(first) = widths.first() else { continue };
            let flags = self.section_flags(section, *first)?;
            let Compilation { shader, diagnostics, sources, .. } =
                self.checked(&section.file, &section.source(), &flags)?;
            // Shaders of other stages do not run by themselves.
            if flags.options.stage != Stage::Compute {
                return Ok(Vec::new());
            }
            let Some(shader) = shader else {
                let plain = wavelane::internal::diag::Style::Plain;
                return Err(failed(wavelane::internal::diag::render_all(
                    &diagnostics,
                    &sources,
                    plain,
                )));
            };
            let shader = aliased(section, shader)?;
            let pipeline = self
                .setup
                .device
                .create_compute_pipeline(&shader)
                .map_err(|error| unsupported(error.to_string()))?;
            let table = bound(section, &shader)?;
            let log = shader.resources().iter().any(|it| it.used && it.name == LOG).then_some(LOG);
            let source = self.source(&section.file, section.source(), flags);
            runs.push(Runnable {
                log,
                widths: Some(widths),
                san: section.san.clone(),
                may_wait: section.may_wait_for_ever(),
                ..Runnable::of(shader, pipeline, sources, table, section.groups, source)
            });
        }
        Ok(runs)
    }

    fn section_at(&mut self, section: &Section, width: u32) -> Result<Outcome, End> {
        let flags = self.section_flags(section, width)?;
        if section.draw.is_some() {
            return self.drawn_section(section, &flags, width);
        }
        let compilation = self.checked(&section.file, &section.source(), &flags)?;
        // Locations as if the section were a separate file, `FILE`, whose first line is the marker.
        let rendered = || {
            let alone = section.alone().source();
            let compiled = self.checked(&section.file, &alone, &flags).map_err(|it| it.message)?;
            let shown: Vec<wavelane::Diagnostic> =
                compiled.diagnostics.into_iter().filter(|it| !section.is_allowed(it)).collect();
            let plain = wavelane::internal::diag::Style::Plain;
            let text = wavelane::internal::diag::render_all(&shown, &compiled.sources, plain);
            Ok(text.replace(&section.file, "FILE"))
        };
        section
            .compare_diagnostics(&compilation.diagnostics, &compilation.sources, rendered)
            .map_err(failed)?;
        let passed = || Ok(Outcome::new(width, Verdict::Passed, ""));
        let shader = match compilation.shader {
            Some(_) if section.fails() => {
                return Err(failed("it compiled, but errors are expected"));
            }
            None if section.fails() => return passed(),
            // Shaders of other stages do not run by themselves: these have been checked.
            _ if flags.options.stage != Stage::Compute => return passed(),
            Some(shader) => shader,
            None => return Err(failed("no shader was produced")),
        };
        let shader = aliased(section, shader)?;
        let pipeline = self
            .setup
            .device
            .create_compute_pipeline(&shader)
            .map_err(|error| unsupported(error.to_string()))?;
        let is_only_watched =
            section.is_for_sanitizer() && section.outputs.is_empty() && !section.checks_itself();
        let watched = || Err(unsupported("only the sanitizer can check it; use `wavelane san`"));
        if is_only_watched && section.may_wait_for_ever() {
            return watched();
        }
        let mut table = bound(section, &shader)?;
        let run = (&shader, &pipeline, Some(&compilation.sources));
        let printed = self.go(run, section.groups, width, &mut table)?;
        let left: Vec<Content> = contents::of(&table).collect();
        let find = |name: &str, element: usize| contents::find(&left, name, element);
        section.judge(width, find).map_err(failed)?;
        // What a shader prints on a GPU is for the GPU's tools.
        if !self.setup.device.is_gpu() {
            section.judge_printed(width, &printed).map_err(failed)?;
        }
        if is_only_watched { watched() } else { passed() }
    }

    /// A section that draws.
    fn drawn_section(
        &mut self,
        section: &Section,
        flags: &Flags,
        width: u32,
    ) -> Result<Outcome, End> {
        let mut includer = self.includer(flags);
        self.file.count_front_end();
        let drawn =
            DrawnSection::compile(section, &flags.options, &mut includer).map_err(not_drawn)?;
        let Setup { device, cancel, fuel, .. } = self.setup;
        let left =
            drawn.run(section, device, width, fuel(width), cancel.clone()).map_err(not_drawn)?;
        left.judge(section, width).map_err(failed)?;
        Ok(Outcome::new(width, Verdict::Passed, ""))
    }

    fn section_flags(&mut self, section: &Section, width: u32) -> Result<Flags, End> {
        let mut flags = (self.setup.read_flags)(&section.flags)
            .map_err(|what| wrong_file(format!("its flags: {what}")))?;
        let prelude = self.file.prelude.get_or_init(|| {
            // Sections include files beside the prelude, in a parent folder.
            let mut above = String::new();
            for _ in 0..MOST_FOLDERS {
                let prelude = format!("{above}{}", section::PRELUDE);
                if self.files.read(&prelude, &self.test.file).is_some() {
                    let folder = self.test.file.rsplit_once(['/', '\\']).map_or(".", |it| it.0);
                    return Some(format!("{folder}/{above}"));
                }
                above.push_str("../");
            }
            None
        });
        flags.includes.extend(prelude.clone());
        flags.options.defines.push(("WIDTH".to_owned(), Some(width.to_string())));
        Ok(flags)
    }

    /// Compiles a text of a section, for any stage.
    fn checked(&mut self, name: &str, text: &str, flags: &Flags) -> Result<Compilation, End> {
        let mut includer = self.includer(flags);
        self.file.count_front_end();
        let compiled = Shader::check(name, text, &flags.options, &mut includer);
        self.included.append(&mut includer.read);
        compiled.map_err(|bug| failed(bug.to_string()))
    }
}

pub(super) fn not_drawn(problem: NotDrawn) -> End {
    match problem {
        NotDrawn::Wrong(what) => failed(what),
        NotDrawn::Unsupported(what) => unsupported(what.trim_start_matches("unsupported: ")),
    }
}

/// The shader with the section's aliases.
fn aliased(section: &Section, shader: Shader) -> Result<Shader, End> {
    let share = |shader: Shader, (name, of): &(String, String)| shader.with_alias(name, of);
    section.aliases.iter().try_fold(shader, share).map_err(|error| failed(error.to_string()))
}

/// Binds the section's inputs to the resources of those names.
pub(super) fn bound(section: &Section, shader: &Shader) -> Result<ResourceTable, End> {
    let mut table = ResourceTable::new(shader);
    let mut held = 0;
    for resource in shader.resources().iter().filter(|it| it.used && it.alias_of.is_none()) {
        let heap = resource.register.class.is_heap();
        let count = resource.count.unwrap_or(section.reach(&resource.name));
        for index in 0..count.clamp(1, MOST_ELEMENTS) {
            let input = section.input(&resource.name, index);
            let sampler = section.sampler(&resource.name, index);
            let scene = section.scene(&resource.name, index);
            let is_sampler = matches!(resource.kind, wavelane::ResourceKind::Sampler { .. });
            let mut bytes = match input {
                Some(_) | None if is_sampler && sampler.is_none() => continue,
                Some(input) => input.bytes.clone(),
                None if is_sampler || scene.is_some() => Vec::new(),
                None if resource.name == LOG => vec![0; LOG_BYTES],
                None if resource.name == unit::LOG => vec![0; unit::LOG_BYTES],
                None if heap => continue,
                None => {
                    let what = "no `//# in NAME TYPE: VALUES` for the resource";
                    return Err(failed(format!("{what} `{}`", resource.name)));
                }
            };
            held += bytes.len();
            if held > MOST_BYTES {
                return Err(failed(format!("more than {MOST_BYTES} bytes are bound")));
            }
            // A constant buffer is padded, like a device's memory.
            if let wavelane::ResourceKind::Constant { size, .. } = resource.kind {
                bytes.resize(bytes.len().max(size as usize), 0);
            }
            table
                .bind_at(&resource.name, index, section.slot(&resource.name, index, bytes))
                .map_err(|error| failed(format!("`{}`: {error}", resource.name)))?;
        }
    }
    Ok(table)
}
