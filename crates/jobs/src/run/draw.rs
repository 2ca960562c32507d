//! Runs the draw of a job: its shaders become a graphics pipeline, which runs at each width.

use std::sync::Arc;

use wavelane::graphics::{GraphicsError, GraphicsPipeline};
use wavelane::{
    Denormals, DrawError, PrintLog, ResourceTable, Shader, SourceMap, Span, Stage, StageTables,
};

use super::dispatch::{NotBound, not_run};
use super::steps::{Object, Prepared, What};
use super::{End, Engaged, Runner, unsupported, wrong_file};
use crate::Error;
use crate::bind::draw as bound;
use crate::job::draw::Draw;
use crate::job::{Job, Rule};
use crate::printed::PrintedLines;
use crate::root::Root;
use crate::specialize::constants;

/// The shaders of a draw, as pipelines.
pub(super) struct Drawing {
    pub(super) pipeline: GraphicsPipeline,
    /// In the order of the job.
    shaders: Vec<DrawnShader>,
    /// The same with denormal floats flushed to zero, if the flags leave the choice.
    flushed: Option<(GraphicsPipeline, Vec<Shader>)>,
}

/// A draw, ready except for the width, for callers that observe it.
#[derive(Debug)]
pub struct DrawnRun {
    pub pipeline: GraphicsPipeline,
    pub draw: wavelane::Draw,
    /// In the order of the draw; the first is a vertex, mesh or amplification shader.
    pub stages: Vec<DrawnStage>,
    /// Of the targets.
    pub names: Vec<String>,
    /// The only widths that it is meant for, if these are not all that the pipeline allows.
    pub widths: Option<Vec<u32>>,
    /// Flags for `wavelane san` in the test.
    pub san: Vec<String>,
    /// The buffer to which a case of a unit test writes its checks.
    pub log: Option<&'static str>,
}

/// A shader of a draw, and what is bound to it.
#[derive(Debug)]
pub struct DrawnStage {
    pub stage: Stage,
    pub shader: Shader,
    pub sources: SourceMap,
    pub table: ResourceTable,
}

impl DrawnRun {
    /// What is bound to the shaders.
    pub fn tables(&self) -> StageTables<'_> {
        StageTables::by_stage(|stage| self.of(stage).map(|it| &it.table))
            .unwrap_or_else(|| unreachable!("a draw has a vertex or a mesh shader"))
    }

    /// The shader of a stage.
    pub fn of(&self, stage: Stage) -> Option<&DrawnStage> {
        self.stages.iter().find(|it| it.stage == stage)
    }

    /// The sources that a message about a stage points into: those of another shader, if there is none.
    pub fn sources(&self, stage: Option<Stage>) -> &SourceMap {
        let last = self.stages.last();
        let Some(found) = stage.and_then(|it| self.of(it)).or(last) else {
            unreachable!("a draw has shaders")
        };
        &found.sources
    }
}

struct DrawnShader {
    shader: Shader,
    root: Root,
    sources: SourceMap,
}

impl Drawing {
    pub(super) fn can_flush(&self) -> bool {
        self.flushed.is_some()
    }
}

/// Sorts the shaders of a draw into its order.
fn in_order(stages: &mut [DrawnStage]) {
    stages.sort_by_key(|it| match it.stage {
        Stage::Amplification => 0,
        Stage::Vertex | Stage::Mesh => 1,
        Stage::Hull => 2,
        Stage::Domain => 3,
        Stage::Geometry => 4,
        _ => 5,
    });
}

/// The end of a test whose shader does not fit, with the place in it.
pub(super) fn wrong_at(what: &str, span: Span, sources: &SourceMap) -> End {
    let at = sources.location(span);
    let at = at.map_or(String::new(), |at| format!("{}:{}:{}: ", at.file, at.line, at.column));
    let plain = wavelane::internal::diag::Style::Plain;
    let excerpt = wavelane::internal::diag::excerpt(span, "declared here", sources, plain);
    wrong_file(format!("the test file has errors\n{at}error: {what}\n{excerpt}"))
}

/// A stage of a job that no engine here runs.
pub(super) fn not_built(job: &Job) -> Option<String> {
    let traces = job.shaders.iter().any(|it| it.stage == Stage::RayTracing);
    traces.then(|| format!("{} shaders do not run yet", Stage::RayTracing.word()))
}

impl Runner<'_> {
    /// Compiles the shaders of a draw, each from the object at its place in the line.
    pub(super) fn drawing(
        &mut self,
        job: Job,
        place: (String, String, usize),
        picture: Option<(usize, String)>,
        objects: &[&Object],
    ) -> Result<What, End> {
        let Some(draw) = job.draw.as_ref() else {
            unreachable!("a job without a draw is a dispatch");
        };
        let is_compared = job.results.iter().any(|it| !matches!(it.rule, Rule::Exact));
        let (mut shaders, mut flushed) = (Vec::new(), Vec::new());
        let mut is_open = false;
        for (shader, object) in job.shaders.iter().zip(objects) {
            let constants = match constants(&shader.constants) {
                Ok(constants) => constants,
                Err(what) => return Ok(What::Refused(format!("gpu-exec: error: {what}\n"))),
            };
            let mut flags = self.flags_of_only(object, &shader.entry)?;
            let options = &mut flags.options;
            let stage = shader.stage;
            if options.stage != stage {
                let (file, text, offset) = &place;
                let at = shader.at.start + offset..shader.at.end + offset;
                let what = format!(
                    "`{}` was compiled as a {} shader, not as a {} shader",
                    shader.entry,
                    options.stage.word(),
                    stage.word()
                );
                let error = Error::new(at, what);
                let help = "the files of a line have the order of `Shaders`";
                return Err(self.wrong_in(&[error.help(help)], file, text));
            }
            options.vulkan |= self.setup.features.contains("Vulkan")
                || !constants.is_empty()
                || !job.push_constants.is_empty();
            options.specialization.extend(constants);
            let may_flush = options.denormals == Denormals::Any && is_compared;
            is_open |= may_flush;
            let (name, _, text) = object;
            let (compiled, sources) = self.compile_with(name, text, &flags)?;
            if may_flush {
                flags.options.denormals = Denormals::FlushToZero;
                flushed.push(self.compile_with(name, text, &flags)?.0);
            } else {
                flushed.push(compiled.clone());
            }
            shaders.push(DrawnShader { shader: compiled, root: Root::of(text), sources });
        }
        let plain: Vec<&Shader> = shaders.iter().map(|it| &it.shader).collect();
        let made = self.pipeline(&job, draw, &plain);
        let pipeline = made.map_err(|it| self.no_pipeline(&it, &job, &shaders, &place))?;
        self.remarks.extend(pipeline.ignored());
        let flushed = match is_open {
            true => {
                let all: Vec<&Shader> = flushed.iter().collect();
                let made = self.pipeline(&job, draw, &all);
                let made = made.map_err(|it| self.no_pipeline(&it, &job, &shaders, &place))?;
                Some((made, flushed))
            }
            false => None,
        };
        let drawing = Some(Box::new(Drawing { pipeline, shaders, flushed }));
        Ok(What::Run(Box::new(Prepared { job, programs: Vec::new(), drawing, place, picture })))
    }

    fn pipeline(
        &self,
        job: &Job,
        draw: &Draw,
        shaders: &[&Shader],
    ) -> Result<GraphicsPipeline, GraphicsError> {
        let stages = job.shaders.iter().map(|it| it.stage);
        let shaders: Vec<_> = stages.zip(shaders.iter().copied()).collect();
        self.setup.device.create_graphics_pipeline(&bound::desc(draw, &shaders))
    }

    /// The end of a job whose shaders and state do not fit each other: located in the shader that it is about, or at
    /// the shaders of the job.
    fn no_pipeline(
        &self,
        error: &GraphicsError,
        job: &Job,
        shaders: &[DrawnShader],
        (file, text, offset): &(String, String, usize),
    ) -> End {
        if error.is_unsupported() {
            return unsupported(error.to_string().trim_start_matches("unsupported: "));
        }
        let stage = error.stage();
        let index = job.shaders.iter().position(|it| Some(it.stage) == stage);
        if let (Some(index), Some(span)) = (index, error.span()) {
            return wrong_at(&error.to_string(), span, &shaders[index].sources);
        }
        let at = job.shaders.get(index.unwrap_or(0)).map_or(0..0, |it| it.at.clone());
        let error = Error::new(at.start + offset..at.end + offset, error.to_string());
        self.wrong_in(&[error], file, text)
    }

    /// Binds the draw of a job, to be observed.
    pub(super) fn drawn_run(&self, prepared: Prepared) -> Result<DrawnRun, NotBound> {
        let Prepared { job, drawing: Some(drawing), .. } = prepared else {
            unreachable!("the caller has seen that the job draws");
        };
        let Some(draw) = job.draw.clone() else {
            unreachable!("only a job with a draw has a pipeline");
        };
        let Drawing { pipeline, shaders, .. } = *drawing;
        let programs: Vec<(&Shader, &Root)> =
            shaders.iter().map(|it| (&it.shader, &it.root)).collect();
        let is_vulkan = self.setup.features.contains("Vulkan");
        let mut bound = bound::bind(&job, &draw, &programs, is_vulkan)?;
        let mut tables = std::mem::take(&mut bound.tables);
        let mut stages: Vec<DrawnStage> = Vec::new();
        for (index, it) in shaders.into_iter().enumerate().rev() {
            let Some(table) = tables.pop() else { unreachable!("each shader has a table") };
            let DrawnShader { shader, sources, .. } = it;
            let stage = job.shaders[index].stage;
            stages.push(DrawnStage { stage, shader, sources, table });
        }
        in_order(&mut stages);
        let names = draw.targets.iter().map(|it| job.buffers[it.buffer].name.clone()).collect();
        let (widths, san, log, draw) = (None, Vec::new(), None, bound.draw);
        Ok(DrawnRun { pipeline, draw, stages, names, widths, san, log })
    }

    /// Draws, and leaves the results in the job; returns what may explain unexpected ones.
    pub(super) fn draw(
        &self,
        drawing: &Drawing,
        is_flushed: bool,
        width: u32,
        job: &mut Job,
    ) -> Result<Vec<String>, NotBound> {
        let Some(draw) = job.draw.clone() else {
            unreachable!("only a job with a draw has a pipeline");
        };
        let flushed = drawing.flushed.as_ref().filter(|_| is_flushed);
        let pipeline = flushed.map_or(&drawing.pipeline, |it| &it.0);
        let plain = drawing.shaders.iter().enumerate();
        let programs: Vec<(&Shader, &Root)> = plain
            .map(|(index, it)| (flushed.map_or(&it.shader, |all| &all.1[index]), &it.root))
            .collect();
        let is_vulkan = self.setup.features.contains("Vulkan");
        let mut bound = bound::bind(job, &draw, &programs, is_vulkan)?;
        let of = |stage| job.shaders.iter().position(|it| it.stage == stage);
        // Without a pixel shader, what the first one prints.
        let pixel = of(Stage::Pixel).unwrap_or(0);
        let stages = job.shaders.iter().map(|it| it.stage).zip(&bound.tables);
        let stages: Vec<(Stage, &ResourceTable)> = stages.collect();
        let log = Arc::new(PrintLog::new(self.setup.print_limit));
        let prints = programs.iter().any(|(shader, _)| shader.prints());
        bound.draw.wave_size = Some(width);
        bound.draw.fuel = (self.setup.fuel)(width);
        bound.draw.cancel = self.setup.cancel.clone();
        bound.draw.prints = prints.then(|| log.clone());
        if let Some(told) = self.setup.on_engine {
            let fallback = pipeline.fallback(width);
            told(Engaged { pass: None, width, fallback, order: None });
        }
        let ended = pipeline.draw_stages(&bound.draw, &bound::tables(&stages));
        if prints {
            let printed = programs[pixel].0.printed(&log);
            let sources = &drawing.shaders[pixel].sources;
            self.keep(PrintedLines::new(&printed, sources));
            self.check_assertions(&printed, Some(sources))?;
        }
        match ended {
            Ok(()) => {}
            Err(DrawError::Run(error)) => return Err(not_run(&error, "").into()),
            Err(error) if error.is_unsupported() => {
                return Err(unsupported(error.to_string()).into());
            }
            Err(error) => return Err(NotBound::Wrong(error.to_string())),
        }
        bound.take_back(job, &draw).map_err(NotBound::Wrong)?;
        Ok(bound.doubts)
    }
}
