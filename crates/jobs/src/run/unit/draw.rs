//! Runs a case that is a pixel shader: it draws a triangle that covers the target, with a vertex shader made for its
//! inputs.

use wavelane::internal::signature;
use wavelane::{GraphicsPipeline, Shader, SourceMap, Stage};

use super::super::contents;
use super::super::draw::wrong_at;
use super::super::section::not_drawn;
use super::super::{DrawnRun, DrawnSection, End, Engaged, Runner, Setup, failed, wrong_file};
use super::checks;
use crate::outcome::Outcome;
use crate::printed::PrintedLines;
use crate::section::{Given, Section};
use crate::unit::{self, AT, Case, Extent};
use crate::vertex;

impl Runner<'_> {
    /// Prepares a case for observation.
    pub(super) fn watched_draw(&mut self, case: &Case, given: &Given) -> Result<DrawnRun, End> {
        let drawn = self.drawn_case(case, given)?;
        if !checks(&given.section, drawn.pixel()) {
            return Err(failed("the case checks nothing"));
        }
        self.case_pipeline(&drawn)?;
        let run =
            drawn.watched(&given.section, self.setup.device, Vec::new()).map_err(not_drawn)?;
        Ok(DrawnRun { widths: None, log: Some(unit::LOG), ..run })
    }

    pub(super) fn unit_draw(&mut self, case: &Case, given: &Given) -> Result<(), End> {
        let drawn = self.drawn_case(case, given)?;
        let pipeline = self.case_pipeline(&drawn)?;
        self.remarks.extend(pipeline.ignored());
        let widths = self.unit_widths(pipeline.wave_sizes(), pipeline.default_wave_size())?;
        self.unit_at_each(widths, |runner, width| {
            if let Some(told) = runner.setup.on_engine {
                let fallback = pipeline.fallback(width);
                told(Engaged { pass: None, width, fallback, order: None });
            }
            runner.drawn_at(&given.section, &drawn, width)
        });
        Ok(())
    }

    fn case_pipeline(&self, drawn: &DrawnSection) -> Result<GraphicsPipeline, End> {
        drawn.create(self.setup.device).map_err(|error| match error.span() {
            Some(span) if !error.is_unsupported() => {
                wrong_at(&error.to_string(), span, drawn.pixel_sources())
            }
            _ => not_drawn(error.into()),
        })
    }

    fn drawn_at(
        &self,
        section: &Section,
        drawn: &DrawnSection,
        width: u32,
    ) -> Result<Outcome, End> {
        if !checks(section, drawn.pixel()) {
            return Err(failed("the case checks nothing"));
        }
        let Setup { device, cancel, fuel, .. } = self.setup;
        let left =
            drawn.run(section, device, width, fuel(width), cancel.clone()).map_err(not_drawn)?;
        let sources = drawn.pixel_sources();
        self.keep(PrintedLines::new(&left.printed, sources));
        self.check_assertions(&left.printed, Some(sources))?;
        let held = left.contents();
        let find = |name: &str, element: usize| contents::find(&held, name, element);
        let extent = Extent::Pixels { size: size(section) };
        self.judged(section, drawn.pixel(), width, extent, find)
    }

    /// The shaders of a case, and what it draws.
    fn drawn_case(&mut self, case: &Case, given: &Given) -> Result<DrawnSection, End> {
        let (pixel, sources) = self.unit_shader(&case.name, Stage::Pixel, true)?;
        let sources = sources.unwrap_or_default();
        self.check_bindings(case, given, &pixel)?;
        let vertex = self.vertex_shader(&given.section, (&pixel, &sources))?;
        let shaders = [vertex, (pixel, sources)];
        // The state is written in lines above the case.
        DrawnSection::of_case(&given.section, shaders, self.setup.print_limit).map_err(|it| {
            let end = not_drawn(it);
            let at = format!("{}:{}:1", self.file.name(), case.line);
            let what = format!("{at}: error: the draw of the case has errors\n{}", end.message);
            wrong_file(format!("the test file has errors\n{what}"))
        })
    }

    /// The vertex shader made for a pixel shader.
    fn vertex_shader(
        &self,
        section: &Section,
        (pixel, sources): (&Shader, &SourceMap),
    ) -> Result<(Shader, SourceMap), End> {
        let inputs = signature(pixel).map_or(&[][..], |it| &it.inputs);
        let [width, height] = size(section);
        let position =
            |it: &str| (it == AT).then(|| format!("float4(uv * float2({width}, {height}), 0, 1)"));
        let text = vertex::text(inputs, None, &position).map_err(|element| {
            let at = sources.location(element.span);
            let at = at.map_or(self.file.name().to_owned(), |at| {
                format!("{}:{}:{}", at.file, at.line, at.column)
            });
            let known = vertex::KNOWN.map(|it| it.semantic).join(", ");
            wrong_file(format!(
                "the test file has errors\n{at}: error: the triangle that a case draws has no `{}`\n  \
                 = help: it has {known}; write a section or a job for other inputs\n",
                element.semantic
            ))
        })?;
        let options = &self.setup.flags.options;
        let made = vertex::compiled("<vertex shader of the case>", &text, options);
        made.map(|it| (it.0, SourceMap::new())).map_err(failed)
    }
}

/// The size of the target.
fn size(section: &Section) -> [u32; 2] {
    section.draw.as_ref().map_or([0, 0], |it| it.size())
}
