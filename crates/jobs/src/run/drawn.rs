//! Runs a section that draws: several entry points of one text, such as `vs` and `ps`, with separate tables.

use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use wavelane::draw::Recording;
use wavelane::graphics::GraphicsError;
use wavelane::internal::{Shared, Slot, Slots};
use wavelane::texture::Format;
use wavelane::{
    Device, GraphicsPipeline, Includer, Options, PrintLog, Printed, ResourceTable, Shader,
    SourceMap, Stage,
};

use super::contents::{self, Content};
use super::draw::{DrawnRun, DrawnStage};
use super::section::bound as bound_to;
use crate::bind::draw as binding;
use crate::job::Job;
use crate::job::draw::Draw;
use crate::section::Section;

/// The most lines that a section prints.
const MOST_LINES: usize = 1 << 14;

/// The shaders of a section that draws.
pub struct DrawnSection {
    job: Job,
    draw: Draw,
    /// From the vertex, mesh or amplification shader to the pixel shader.
    shaders: Vec<(Stage, Shader)>,
    sources: Vec<SourceMap>,
    /// The most lines that it prints.
    lines: usize,
}

/// Which packing a draw has.
pub enum Packed {
    /// That of the engine.
    Own,
    Record(Arc<Mutex<Recording>>),
    Replay(Arc<Recording>),
}

/// What a draw left.
pub struct DrawnOutcome {
    job: Job,
    /// In the order of the stages.
    tables: Vec<ResourceTable>,
    /// Of the targets, which are the first buffers of the job.
    formats: Vec<Format>,
    pub printed: Printed,
}

/// Why a section could not be drawn.
pub enum NotDrawn {
    Wrong(String),
    Unsupported(String),
}

impl NotDrawn {
    fn of(error: &dyn Error, is_unsupported: bool) -> NotDrawn {
        match is_unsupported {
            true => NotDrawn::Unsupported(error.to_string()),
            false => NotDrawn::Wrong(error.to_string()),
        }
    }
}

impl From<GraphicsError> for NotDrawn {
    fn from(error: GraphicsError) -> NotDrawn {
        NotDrawn::of(&error, error.is_unsupported())
    }
}

impl From<String> for NotDrawn {
    fn from(what: String) -> NotDrawn {
        NotDrawn::Wrong(what)
    }
}

impl DrawnSection {
    /// Compiles all shaders; `options` are the section's.
    pub fn compile(
        section: &Section,
        options: &Options,
        includer: &mut dyn Includer,
    ) -> Result<DrawnSection, NotDrawn> {
        let Some(drawn) = &section.draw else {
            return Err("the section has no `//# draw` line".to_owned().into());
        };
        let (job, draw) = drawn.job()?;
        let mut compile = |stage, entry: &str| {
            let options = Options { stage, entry: entry.to_owned(), ..options.clone() };
            let compiled = Shader::compile(&section.file, &section.source(), &options, includer)
                .map_err(|bug| NotDrawn::Wrong(bug.to_string()))?;
            let shown: Vec<_> =
                compiled.diagnostics.iter().filter(|it| !section.is_allowed(it)).cloned().collect();
            let plain = wavelane::internal::diag::Style::Plain;
            let report = wavelane::internal::diag::render_all(&shown, &compiled.sources, plain);
            match compiled.shader {
                Some(shader) if shown.is_empty() => Ok((shader, compiled.sources)),
                _ => Err(NotDrawn::Wrong(format!("the compiler says\n{report}"))),
            }
        };
        let (mut shaders, mut sources) = (Vec::new(), Vec::new());
        for (stage, entry) in drawn.entries() {
            let (shader, of_shader) = compile(stage, entry)?;
            shaders.push((stage, shader));
            sources.push(of_shader);
        }
        Ok(DrawnSection { job, draw, shaders, sources, lines: MOST_LINES })
    }

    /// A vertex shader and a pixel shader that have been compiled already; at most `lines` lines are printed.
    pub(super) fn of_case(
        section: &Section,
        [vertex, pixel]: [(Shader, SourceMap); 2],
        lines: usize,
    ) -> Result<DrawnSection, NotDrawn> {
        let Some(drawn) = &section.draw else {
            unreachable!("the caller has seen that the case draws");
        };
        let (job, draw) = drawn.job()?;
        let shaders = vec![(Stage::Vertex, vertex.0), (Stage::Pixel, pixel.0)];
        Ok(DrawnSection { job, draw, shaders, sources: vec![vertex.1, pixel.1], lines })
    }

    /// The draw, ready to be observed at these widths.
    pub fn watched(
        self,
        section: &Section,
        device: &Device,
        widths: Vec<u32>,
    ) -> Result<DrawnRun, NotDrawn> {
        let pipeline = self.pipeline(device)?;
        let bound = binding::bind(&self.job, &self.draw, &[], false).map_err(not_bound)?;
        let tables = self.tables(section)?;
        let names =
            self.draw.targets.iter().map(|it| self.job.buffers[it.buffer].name.clone()).collect();
        let stages = self.shaders.into_iter().zip(self.sources).zip(tables);
        let stages = stages.map(|(((stage, shader), sources), table)| DrawnStage {
            stage,
            shader,
            sources,
            table,
        });
        let (stages, widths, san) = (stages.collect(), Some(widths), section.san.clone());
        Ok(DrawnRun { pipeline, draw: bound.draw, stages, names, widths, san, log: None })
    }

    fn pipeline(&self, device: &Device) -> Result<GraphicsPipeline, NotDrawn> {
        Ok(self.create(device)?)
    }

    pub(super) fn create(&self, device: &Device) -> Result<GraphicsPipeline, GraphicsError> {
        let shaders: Vec<_> = self.shaders.iter().map(|(stage, it)| (*stage, it)).collect();
        device.create_graphics_pipeline(&binding::desc(&self.draw, &shaders))
    }

    /// What the section binds to each stage.
    fn tables(&self, section: &Section) -> Result<Vec<ResourceTable>, NotDrawn> {
        let table =
            |shader: &Shader| bound_to(section, shader).map_err(|end| NotDrawn::Wrong(end.message));
        shared(self.shaders.iter().map(|(_, it)| table(it)).collect::<Result<_, _>>()?)
    }

    /// The shaders in the order of the stages: the last one is the pixel shader.
    pub fn shaders(&self) -> Vec<&Shader> {
        self.shaders.iter().map(|it| &it.1).collect()
    }

    pub(super) fn pixel(&self) -> &Shader {
        match self.shaders.last() {
            Some((_, pixel)) => pixel,
            None => unreachable!("a section has a pixel shader"),
        }
    }

    /// The texts to which the locations of the pixel shader refer.
    pub(super) fn pixel_sources(&self) -> &SourceMap {
        match self.sources.last() {
            Some(sources) => sources,
            None => unreachable!("a section has a pixel shader"),
        }
    }

    /// Draws at a width.
    pub fn run(
        &self,
        section: &Section,
        device: &Device,
        width: u32,
        fuel: Option<u64>,
        cancel: Option<Arc<AtomicBool>>,
    ) -> Result<DrawnOutcome, NotDrawn> {
        self.run_packed(section, device, width, &Packed::Own, |draw| {
            draw.fuel = fuel;
            draw.cancel = cancel;
        })
    }

    /// The same, with a packing that is recorded or replayed.
    pub fn run_packed(
        &self,
        section: &Section,
        device: &Device,
        width: u32,
        packed: &Packed,
        set: impl FnOnce(&mut wavelane::Draw),
    ) -> Result<DrawnOutcome, NotDrawn> {
        let pipeline = self.pipeline(device)?;
        let mut job = self.job.clone();
        let mut bound = binding::bind(&job, &self.draw, &[], false).map_err(not_bound)?;
        let tables = self.tables(section)?;
        let log = Arc::new(PrintLog::new(self.lines));
        bound.draw.wave_size = Some(width);
        set(&mut bound.draw);
        match packed {
            Packed::Own => {}
            Packed::Record(recording) => bound.draw.record = Some(recording.clone()),
            Packed::Replay(recording) => bound.draw.replay = Some(recording.clone()),
        }
        bound.draw.prints = self.pixel().prints().then(|| log.clone());
        let stages = self.shaders.iter().map(|it| it.0).zip(&tables);
        let stages: Vec<(Stage, &ResourceTable)> = stages.collect();
        pipeline
            .draw_stages(&bound.draw, &binding::tables(&stages))
            .map_err(|error| NotDrawn::of(&error, error.is_unsupported()))?;
        bound.take_back(&mut job, &self.draw)?;
        let formats = self.draw.targets.iter().map(|it| it.format).collect();
        Ok(DrawnOutcome { job, tables, formats, printed: self.pixel().printed(&log) })
    }
}

fn not_bound(problem: crate::bind::BindProblem) -> NotDrawn {
    NotDrawn::Wrong(problem.0)
}

/// Binds the same memory wherever several shaders name the same resource, as the log of checks.
fn shared(mut tables: Vec<ResourceTable>) -> Result<Vec<ResourceTable>, NotDrawn> {
    // What the last one binds.
    let mut held: Vec<(String, u32, Slot)> = Vec::new();
    for (name, element, slot) in tables.iter().rev().flat_map(Slots::iter) {
        if !held.iter().any(|it| it.0 == name.name && it.1 == element) {
            held.push((name.name.clone(), element, slot.clone()));
        }
    }
    for (name, element, slot) in held {
        let has = |it: &ResourceTable| it.get(&name, element).is_some();
        if tables.iter().filter(|it| has(it)).count() < 2 {
            continue;
        }
        let shared = Shared::new(slot);
        for table in tables.iter_mut().filter(|it| has(it)) {
            let bound = table.bind_at(&name, element, &shared);
            bound.map_err(|error| NotDrawn::Wrong(error.to_string()))?;
        }
    }
    Ok(tables)
}

impl DrawnOutcome {
    /// What is bound and what was drawn, by name and element: the targets are last.
    pub fn contents(&self) -> Vec<Content> {
        // What several shaders bind is judged as the last one left it.
        let held = self.tables.iter().rev().flat_map(contents::of);
        let buffers = self.job.buffers.iter();
        held.chain(buffers.map(|it| (it.name.clone(), 0, it.data[0].clone()))).collect()
    }

    /// Whether another engine has the same results, bit for bit, and printed the same.
    pub fn agrees(&self, other: &DrawnOutcome) -> bool {
        self.contents() == other.contents() && self.printed == other.printed
    }

    /// Whether the outputs, the log and what was printed are as expected.
    pub fn judge(&self, section: &Section, width: u32) -> Result<(), String> {
        let held = self.contents();
        section.judge(width, |name, element| contents::find(&held, name, element))?;
        section.judge_printed(width, &self.printed)
    }

    /// The formats of the targets, by name.
    pub fn targets(&self) -> Vec<(String, Format)> {
        let targets = self.job.buffers.iter().zip(&self.formats);
        targets.map(|(buffer, format)| (buffer.name.clone(), *format)).collect()
    }
}
