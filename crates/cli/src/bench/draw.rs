//! How long draws take: those of jobs, and what `--draw` draws. The time is that of the whole draw, from the first
//! vertex to the last texel: on engines of the host by the wall clock, on a GPU by its own, without the copies to it
//! and from it.
//!
//! Every round begins with copies of what is bound and of the targets, which are not part of the time. Pixels and
//! primitives are counted in a separate run, by an engine of the host.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use jobs::DrawnRun;
use wavelane::internal::{self, DrawCopy, Slots};
use wavelane::{
    Device, Draw, DrawError, DrawStatistics, Engine, GraphicsPipeline, ResourceTable, Shader,
    SourceMap, Stage, StageTables,
};

use super::against::Compared;
use super::{Bench, BenchArgs, COMPILATIONS, Counts, Row, Times, widths_among};
use crate::asked::{Compiling, DrawArgs};
use crate::auto::{self, Auto};
use crate::compare::drawn::{Differs, check, compare_drawn};
use crate::draw::{self, Scene, Tables};
use crate::problem::{Exit, Problem};
use crate::watch::Watch;
use crate::{compile, terminal};

/// A draw with everything that it reads and writes.
pub(super) struct Subject {
    pub(super) name: String,
    pipeline: GraphicsPipeline,
    draw: Draw,
    tables: Vec<(Stage, ResourceTable)>,
    /// Of the targets.
    names: Vec<String>,
    /// Of the pixel shader, or of the last one.
    sources: SourceMap,
    widths: Vec<u32>,
    front: Option<Times>,
    auto: Option<Auto>,
}

/// A pixel shader with the scene and the buffers of the command line.
pub(super) fn of_shader(
    file: &str,
    args: &BenchArgs,
    asked: &DrawArgs,
    device: &Device,
) -> Result<Subject, Problem> {
    let mut compiling = args.common.compile.clone();
    let (pixel, sources) = draw::pixel_shader(file, &mut compiling)?;
    let pixel = auto::prepared(pixel, &args.common.bind);
    let scene = Scene::new(file, &compiling, asked, (&pixel, &sources), &args.common.bind)?;
    let pipeline = scene.pipeline(device, &scene.state, (&pixel, &sources))?;
    let widths = draw::widths(&args.common.launch, &pipeline)?;
    let mut tables = Tables::bind(&args.common.bind, &scene, &pixel, asked.size, &sources)?;
    let auto = tables.auto.take();
    if let Some(auto) = &auto {
        terminal::note(&auto.told());
    }
    let tables = tables.into_tables();
    let cannot = |error: wavelane::BufferError| Problem::input(error.to_string());
    let (draw, _) = scene.draw(asked, &scene.state).map_err(cannot)?;
    // Standard input can be read only once.
    let front = match file {
        "-" => None,
        file => Some(front(file, args, &compiling, asked)?),
    };
    let names = scene.state.names();
    let name = file.to_owned();
    Ok(Subject { name, pipeline, draw, tables, names, sources, widths, front, auto })
}

/// How long the shaders of a file take to compile.
fn front(
    file: &str,
    args: &BenchArgs,
    pixel: &Compiling,
    asked: &DrawArgs,
) -> Result<Times, Problem> {
    let entries = [
        (Stage::Vertex, &asked.vertex),
        (Stage::Mesh, &asked.mesh),
        (Stage::Amplification, &asked.amplification),
        (Stage::Hull, &asked.hull),
        (Stage::Domain, &asked.domain),
        (Stage::Geometry, &asked.geometry),
    ];
    let mut all = vec![pixel.clone()];
    for (stage, entry) in entries {
        let Some(entry) = entry else { continue };
        let mut compiling = pixel.clone();
        (compiling.options.stage, compiling.options.entry) = (stage, entry.clone());
        all.push(compiling);
    }
    Times::of(args.rounds, COMPILATIONS, || {
        all.iter().try_for_each(|it| compile::compile(file, it, Shader::compile).map(drop))
    })
}

/// The draw of a job, at the requested widths.
pub(super) fn of_job(name: String, run: DrawnRun, args: &BenchArgs) -> Result<Subject, String> {
    let is_made_for = |it: &u32| run.widths.as_ref().is_none_or(|widths| widths.contains(it));
    let mut allowed = run.pipeline.wave_sizes().to_vec();
    allowed.retain(is_made_for);
    let usual = Some(run.pipeline.default_wave_size()).filter(is_made_for);
    let widths = widths_among(args, allowed, usual)?;
    let DrawnRun { pipeline, draw, stages, names, .. } = run;
    // All stages of a job have the same sources.
    let mut sources = SourceMap::new();
    let mut tables = Vec::new();
    for it in stages {
        tables.push((it.stage, it.table));
        sources = it.sources;
    }
    let (front, auto) = (None, None);
    Ok(Subject { name, pipeline, draw, tables, names, sources, widths, front, auto })
}

/// Measures a draw, and beside it another one if there is one.
pub(super) fn measure(
    subject: Subject,
    against: Option<Subject>,
    args: &BenchArgs,
    device: &Device,
) -> Result<Bench, Problem> {
    if let Some(module) = &args.module {
        let what = format!("`{module}` is one program, and `{}` is a draw", subject.name);
        return Err(Problem::input(what));
    }
    let mut watch = Watch::start(args.common.launch.timeout, 0);
    let mut rows = Vec::new();
    let mut drawn = None;
    for width in &subject.widths {
        let at = At { args, device, width: *width };
        rows.push(at.row(&subject, against.as_ref(), &watch)?);
        if drawn.is_none() {
            drawn = Some(at.counts(&subject, &watch)?);
        }
    }
    watch.stop();
    let tables = subject.tables.iter().flat_map(|it| it.1.iter());
    let bytes = tables.map(|(_, _, buffer)| buffer.bytes.len() as u64).sum();
    let Subject { name, front, auto, .. } = subject;
    Ok(Bench { file: name, front, bytes, moved: None, groups: None, rows, auto, drawn })
}

/// What is measured at one width.
struct At<'a> {
    args: &'a BenchArgs,
    device: &'a Device,
    width: u32,
}

impl At<'_> {
    fn row(
        &self,
        subject: &Subject,
        other: Option<&Subject>,
        watch: &Watch,
    ) -> Result<Row, Problem> {
        let At { args, device, width } = *self;
        // The first one finds memory and caches cold.
        self.once(subject, watch)?;
        let fallback = subject.pipeline.fallback(width);
        let code = match (device.engine(), &fallback) {
            (Engine::Cpu, None) => Some(Times::of(args.rounds, COMPILATIONS, || {
                draw::pipeline(device, subject.pipeline.desc())?.prepare(width);
                Ok(())
            })?),
            _ => None,
        };
        let engine = if fallback.is_some() { Engine::Interp } else { device.engine() };
        let isa = device.cpu().and_then(|it| it.isa).filter(|_| engine == Engine::Cpu);
        let mut row = Row {
            width,
            engine,
            cpu: isa.map(|it| it.name()),
            module: None,
            fallback,
            differs: None,
            code,
            run: Times(Vec::new()),
            against: None,
            passes: Vec::new(),
        };
        let Some(other) = other else {
            for _ in 0..args.rounds {
                row.run.add(self.once(subject, watch)?);
            }
            return Ok(row);
        };
        if !other.widths.contains(&width) {
            let what = format!("`{}` does not run with waves of {width} lanes here", other.name);
            return Err(Problem::new(Exit::Unsupported, what));
        }
        self.once(other, watch)?;
        let differs = self.differs(subject, other, watch)?;
        let [mut others, mut ratios] = [Times(Vec::new()), Times(Vec::new())];
        for round in 0..args.rounds {
            let (own, their) = if round % 2 == 0 {
                let own = self.once(subject, watch)?;
                (own, self.once(other, watch)?)
            } else {
                let their = self.once(other, watch)?;
                (self.once(subject, watch)?, their)
            };
            row.run.add(own);
            others.add(their);
            ratios.insert(own.as_secs_f64() / their.as_secs_f64().max(1e-9));
        }
        let times = [&row.run, &others];
        let compared = Compared::with_program(&other.name, times, &ratios, differs);
        row.against = Some(compared.judged(args.against.fail_above));
        Ok(row)
    }

    /// The first place where the results of two draws differ.
    fn differs(
        &self,
        subject: &Subject,
        other: &Subject,
        watch: &Watch,
    ) -> Result<Option<Differs>, Problem> {
        let left = |it: &Subject| {
            let draw = self.asked(it, watch);
            let left = internal::drawn(&it.pipeline, &draw, &it.tables(), &it.names);
            left.map_err(|error| self.problem(&error, it, watch))
        };
        let [ours, theirs] = [left(subject)?, left(other)?];
        let sizes = |it: &internal::Left| -> Vec<usize> {
            it.contents.iter().map(|it| it.buffer.bytes.len()).collect()
        };
        if sizes(&ours) != sizes(&theirs) {
            let what = format!("`{}` draws into other targets or buffers", other.name);
            return Err(Problem::input(what));
        }
        check(&self.args.rules, &subject.names)?;
        let table = |stage| subject.of(stage);
        Ok(compare_drawn(&ours, &theirs, table, &self.args.rules, |_, _, _| false))
    }

    /// Draws once.
    fn once(&self, subject: &Subject, watch: &Watch) -> Result<Duration, Problem> {
        watch.progress.store(0, Ordering::Relaxed);
        let statistics: Arc<DrawStatistics> = Arc::default();
        let mut draw = self.asked(subject, watch);
        let is_gpu = self.device.is_gpu();
        draw.statistics = is_gpu.then(|| statistics.clone());
        let copy = DrawCopy::of(&draw, &subject.tables())
            .map_err(|error| Problem::input(error.to_string()))?;
        let begin = Instant::now();
        let result = copy.run(&subject.pipeline);
        let time = begin.elapsed();
        result.map_err(|error| self.problem(&error, subject, watch))?;
        match is_gpu {
            false => Ok(time),
            true => statistics.device_time().ok_or_else(|| {
                Problem::new(Exit::Unsupported, "the device has no clock to measure by")
            }),
        }
    }

    /// What is drawn: pixels and primitives do not depend on the engine, nor on the width.
    fn counts(&self, subject: &Subject, watch: &Watch) -> Result<Counts, Problem> {
        let adapter = self.args.common.device.adapter.clone();
        let host = Device::with_engine(adapter.clone(), Engine::fastest());
        let host = host.unwrap_or_else(|_| Device::new(adapter));
        let pipeline = draw::pipeline(&host, subject.pipeline.desc())?;
        let statistics: Arc<DrawStatistics> = Arc::default();
        let draw = Draw {
            statistics: Some(statistics.clone()),
            record: None,
            wave_size: None,
            ..self.asked(subject, watch)
        };
        let copy = DrawCopy::of(&draw, &subject.tables())
            .map_err(|error| Problem::input(error.to_string()))?;
        copy.run(&pipeline).map_err(|error| self.problem(&error, subject, watch))?;
        Ok(Counts { pixels: statistics.pixels(), primitives: statistics.primitives() })
    }

    fn asked(&self, subject: &Subject, watch: &Watch) -> Draw {
        Draw {
            wave_size: Some(self.width),
            fuel: self.args.common.launch.fuel.at(self.width),
            cancel: Some(watch.cancel.clone()),
            progress: Some(watch.progress.clone()),
            record: self.args.is_packed_by_device.then(Arc::default),
            ..subject.draw.clone()
        }
    }

    fn problem(&self, error: &DrawError, subject: &Subject, watch: &Watch) -> Problem {
        let late = watch.cancel.load(Ordering::Relaxed);
        let launch = &self.args.common.launch;
        draw::problem(error, self.width, launch, late, &subject.sources)
    }
}

impl Subject {
    fn of(&self, stage: Stage) -> Option<&ResourceTable> {
        self.tables.iter().find(|it| it.0 == stage).map(|it| &it.1)
    }

    fn tables(&self) -> StageTables<'_> {
        StageTables::by_stage(|stage| self.of(stage))
            .unwrap_or_else(|| unreachable!("a draw has a vertex or a mesh shader"))
    }
}
