//! Runs a section that draws: two entry points of one text, `vs` and `ps`, with tables of their own.

use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use wavelane::draw::Recording;
use wavelane::internal::{Shared, Slot, Slots};
use wavelane::texture::Format;
use wavelane::{
    Device, GraphicsPipeline, Includer, Options, PrintLog, Printed, ResourceTable, Shader,
    SourceMap, Stage,
};

use super::draw::{DrawnRun, DrawnStage};
use super::section::bound as bound_to;
use crate::bind::draw as binding;
use crate::job::Job;
use crate::job::draw::Draw;
use crate::section::Section;

/// The most lines that a section prints.
const MOST_LINES: usize = 1 << 14;

/// Both shaders of a section that draws.
pub struct DrawnSection {
    job: Job,
    draw: Draw,
    vertex: Shader,
    pixel: Shader,
    /// Of both.
    sources: [SourceMap; 2],
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
    tables: [ResourceTable; 2],
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

impl From<String> for NotDrawn {
    fn from(what: String) -> NotDrawn {
        NotDrawn::Wrong(what)
    }
}

impl DrawnSection {
    /// Compiles both shaders; `options` are the section's.
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
        let (vertex, of_vertex) = compile(Stage::Vertex, "vs")?;
        let (pixel, of_pixel) = compile(Stage::Pixel, "ps")?;
        Ok(DrawnSection { job, draw, vertex, pixel, sources: [of_vertex, of_pixel] })
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
        let [vertex_table, pixel_table] = self.tables(section)?;
        let names =
            self.draw.targets.iter().map(|it| self.job.buffers[it.buffer].name.clone()).collect();
        let [of_vertex, of_pixel] = self.sources;
        Ok(DrawnRun {
            pipeline,
            draw: bound.draw,
            vertex: DrawnStage { shader: self.vertex, sources: of_vertex, table: vertex_table },
            pixel: DrawnStage { shader: self.pixel, sources: of_pixel, table: pixel_table },
            names,
            widths: Some(widths),
            san: section.san.clone(),
        })
    }

    fn pipeline(&self, device: &Device) -> Result<GraphicsPipeline, NotDrawn> {
        let desc = binding::desc(&self.draw, &self.vertex, &self.pixel);
        let made = device.create_graphics_pipeline(&desc);
        made.map_err(|error| NotDrawn::of(&error, error.is_unsupported()))
    }

    /// What the section binds to each stage.
    fn tables(&self, section: &Section) -> Result<[ResourceTable; 2], NotDrawn> {
        let table =
            |shader: &Shader| bound_to(section, shader).map_err(|end| NotDrawn::Wrong(end.message));
        shared([table(&self.vertex)?, table(&self.pixel)?])
    }

    /// The vertex and the pixel shader.
    pub fn shaders(&self) -> [&Shader; 2] {
        [&self.vertex, &self.pixel]
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
        let log = Arc::new(PrintLog::new(MOST_LINES));
        bound.draw.wave_size = Some(width);
        set(&mut bound.draw);
        match packed {
            Packed::Own => {}
            Packed::Record(recording) => bound.draw.record = Some(recording.clone()),
            Packed::Replay(recording) => bound.draw.replay = Some(recording.clone()),
        }
        bound.draw.prints = self.pixel.prints().then(|| log.clone());
        pipeline
            .draw(&bound.draw, &tables[0], Some(&tables[1]))
            .map_err(|error| NotDrawn::of(&error, error.is_unsupported()))?;
        bound.take_back(&mut job, &self.draw)?;
        let formats = self.draw.targets.iter().map(|it| it.format).collect();
        Ok(DrawnOutcome { job, tables, formats, printed: self.pixel.printed(&log) })
    }
}

fn not_bound(problem: crate::bind::BindProblem) -> NotDrawn {
    match problem {
        crate::bind::BindProblem::Unsupported(what) => NotDrawn::Unsupported(what),
        crate::bind::BindProblem::Wrong(what) => NotDrawn::Wrong(what),
    }
}

/// Binds the same memory wherever both shaders name the same resource, as the log of checks.
fn shared([mut vertex, mut pixel]: [ResourceTable; 2]) -> Result<[ResourceTable; 2], NotDrawn> {
    let held: Vec<(String, u32, Slot)> =
        pixel.iter().map(|(it, element, slot)| (it.name.clone(), element, slot.clone())).collect();
    for (name, element, slot) in held {
        if vertex.get(&name, element).is_none() {
            continue;
        }
        let shared = Shared::new(slot);
        for table in [&mut vertex, &mut pixel] {
            let bound = table.bind_at(&name, element, &shared);
            bound.map_err(|error| NotDrawn::Wrong(error.to_string()))?;
        }
    }
    Ok([vertex, pixel])
}

impl DrawnOutcome {
    /// What is bound and what was drawn, by name and element: the targets are last.
    pub fn contents(&self) -> Vec<(String, usize, Vec<u8>)> {
        let mut held: Vec<(String, usize, Vec<u8>)> = Vec::new();
        // What both shaders bind is judged as the pixel shader left it.
        for table in self.tables.iter().rev() {
            for (resource, element, slot) in table.iter() {
                held.push((resource.name.clone(), element as usize, slot.bytes.to_vec()));
            }
        }
        let buffers = self.job.buffers.iter();
        held.extend(buffers.map(|it| (it.name.clone(), 0, it.data[0].clone())));
        held
    }

    /// Whether another engine has left the same bits, and printed the same.
    pub fn agrees(&self, other: &DrawnOutcome) -> bool {
        self.contents() == other.contents() && self.printed == other.printed
    }

    /// Whether the outputs, the log and what was printed are as expected.
    pub fn judge(&self, section: &Section, width: u32) -> Result<(), String> {
        let held = self.contents();
        section.judge(width, |name, element| {
            let found = held.iter().find(|it| it.0 == name && it.1 == element);
            found.map(|it| it.2.as_slice())
        })?;
        section.judge_printed(width, &self.printed)
    }

    /// The formats of the targets, by name.
    pub fn targets(&self) -> Vec<(String, Format)> {
        let targets = self.job.buffers.iter().zip(&self.formats);
        targets.map(|(buffer, format)| (buffer.name.clone(), *format)).collect()
    }
}
