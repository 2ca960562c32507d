//! Draws: the only place where the fixed functions of `raster` meet an engine.
//!
//! The vertex shader's waves run ahead of the pixel shader's, which is invisible unless one of them writes memory
//! that the other reads: a draw of shaders without writes runs in portions of some thousands of vertices, one with
//! writes runs all of its vertices first. Waves of either stage are the same in both cases.

mod bands;
mod between;
mod copy;
mod departure;
mod error;
mod examine;
pub(crate) mod freedom;
mod inputs;
#[allow(unsafe_code, reason = "calls of functions compiled for instructions that the host has")]
pub(crate) mod loops;
mod mesh;
mod pixels;
mod portions;
mod replay;
mod statistics;
mod target;
mod vertices;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ir::exec::{Bindings, Feed, Launch, Schedule, Trap, Unsupported};
use ir::print::PrintLog;
use ops::intrinsics::Stage;
use raster::{Assembly, MergeState, Primitive, RasterState, Targets};
use smallvec::smallvec;

pub use self::copy::DrawCopy;
pub use self::error::DrawError;
pub use self::examine::ExamineDrawError;
pub(crate) use self::examine::drawn;
pub use self::replay::Recording;
pub use self::statistics::DrawStatistics;
pub(crate) use self::target::MOST_PIXELS;
pub use self::target::{DepthTarget, RenderTarget};

pub(crate) use self::departure::{Departure, Part, Stages, VertexOrder};
pub use self::mesh::MOST_MESH_GROUPS;

use self::bands::Band;
use self::between::{Made, check_words};
use self::departure::{Programs, Reordered, Shuffled};
use self::inputs::BoundBuffers;
use self::pixels::{Pixels, Portion};
use self::portions::Portions;
use self::replay::{Drawn, Replay};
use self::target::{BoundTargets, Planes};
use self::vertices::{Fetched, Transformed, VertexFeed};
use crate::engines::{DrawJob, StagePlaces};
use crate::graphics::{
    GraphicsPipeline, IndexFormat, Packing, RasterizerState, Scissor, Topology, Viewport,
};
use crate::guard::catch;
use crate::memory::{self, Cell, Indices, Memory, Places, Slot};
use crate::{Buffer, DispatchError, ResourceTable, Shader};

/// The most vertices of a draw, instances included.
pub const MOST_VERTICES: u64 = 1 << 40;
/// The most words of outputs of the vertices that are kept at a time.
const MOST_WORDS: u64 = 1 << 28;
/// The most viewports of a draw.
pub(crate) const MOST_VIEWPORTS: usize = 16;
/// The most bytes of a recorded packing.
const MOST_RECORDED: u64 = 1 << 26;
/// About how many vertices run ahead of the pixel shader.
const PORTION: u64 = 1 << 14;

/// A vertex buffer of a draw.
#[derive(Clone, Debug)]
pub struct VertexBuffer {
    /// The buffer.
    pub buffer: Buffer,
    /// The distance from one element to the next, in bytes.
    pub stride: usize,
}

/// The index buffer of a draw.
#[derive(Clone, Debug)]
pub struct IndexBuffer {
    /// The buffer.
    pub buffer: Buffer,
    /// The type of its indices.
    pub format: IndexFormat,
}

/// One draw.
#[derive(Clone, Debug)]
pub struct Draw {
    /// How many vertices an instance has, or how many indices.
    pub count: u32,
    /// How many groups of the mesh or amplification shader run, in x, y and z.
    pub groups: [u32; 3],
    /// How many instances there are.
    pub instances: u32,
    /// The first vertex, or the first index.
    pub start: u32,
    /// Added to indices before vertices are fetched.
    pub base_vertex: i32,
    /// Added to the number of the instance before per-instance data is fetched.
    pub start_instance: u32,
    /// The indices; without them vertices are taken in order.
    pub indices: Option<IndexBuffer>,
    /// The vertex buffers, by the slots of the input layout.
    pub vertex_buffers: Vec<VertexBuffer>,
    /// The targets, as many as the pipeline has formats.
    pub targets: Vec<Option<RenderTarget>>,
    /// The depth buffer.
    pub depth: Option<DepthTarget>,
    /// The viewports; without any, one that covers the targets.
    pub viewports: Vec<Viewport>,
    /// The scissor rectangles, one for each viewport; `None` disables the test.
    pub scissors: Option<Vec<Scissor>>,
    /// The constant of blend equations.
    pub blend_factor: [f32; 4],
    /// The reference of the stencil test.
    pub stencil_ref: u8,
    /// The width of waves; `None` for [`GraphicsPipeline::default_wave_size`].
    pub wave_size: Option<u32>,
    /// How quads are packed into waves.
    pub packing: Packing,
    /// Receives which pixel each lane was, on a GPU: it packs quads as it likes, and refuses wave operations in a pixel
    /// shader whose packing is not recorded.
    pub record: Option<Arc<Mutex<Recording>>>,
    /// Packs quads as recorded, on the other engines. Waves run in the order of the recording; what they write to the
    /// targets is merged in the order of primitives.
    pub replay: Option<Arc<Recording>>,
    /// The most wave-instructions to run, as one thread counts them whatever their number; `None` for no limit.
    pub fuel: Option<u64>,
    /// Set it from another thread to end the run early.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Counts finished waves; twice where several threads find that one has to count their fuel.
    pub progress: Option<Arc<AtomicU64>>,
    /// Receives what the shaders print.
    pub prints: Option<Arc<PrintLog>>,
    /// Counts what the draw does.
    pub statistics: Option<Arc<DrawStatistics>>,
}

impl Draw {
    /// One instance of this many vertices, without buffers or targets.
    pub fn new(count: u32) -> Draw {
        Draw {
            count,
            groups: [0; 3],
            instances: 1,
            start: 0,
            base_vertex: 0,
            start_instance: 0,
            indices: None,
            vertex_buffers: Vec::new(),
            targets: Vec::new(),
            depth: None,
            viewports: Vec::new(),
            scissors: None,
            blend_factor: [1.0; 4],
            stencil_ref: 0,
            wave_size: None,
            packing: Packing::default(),
            record: None,
            replay: None,
            fuel: None,
            cancel: None,
            progress: None,
            prints: None,
            statistics: None,
        }
    }

    /// The groups of a mesh shader, or of an amplification shader in front of it.
    pub fn mesh(groups: [u32; 3]) -> Draw {
        Draw { groups, ..Draw::new(0) }
    }
}

/// What is bound to the shaders of a pipeline. A shader without resources needs no table.
#[derive(Clone, Copy, Debug)]
pub struct StageTables<'a> {
    /// Of the vertex or mesh shader.
    pub vertex: &'a ResourceTable,
    /// Of the amplification shader.
    pub amplification: Option<&'a ResourceTable>,
    /// Of the hull shader and its patch-constant function.
    pub hull: Option<&'a ResourceTable>,
    /// Of the domain shader.
    pub domain: Option<&'a ResourceTable>,
    /// Of the geometry shader.
    pub geometry: Option<&'a ResourceTable>,
    /// Of the pixel shader.
    pub pixel: Option<&'a ResourceTable>,
}

impl<'a> StageTables<'a> {
    /// The tables of a vertex or mesh shader and of a pixel shader.
    pub fn new(vertex: &'a ResourceTable, pixel: Option<&'a ResourceTable>) -> StageTables<'a> {
        let (amplification, hull, domain, geometry) = (None, None, None, None);
        StageTables { vertex, amplification, hull, domain, geometry, pixel }
    }

    /// The tables by their stages; `None` without one for a vertex or a mesh shader.
    pub fn by_stage(of: impl Fn(Stage) -> Option<&'a ResourceTable>) -> Option<StageTables<'a>> {
        let vertex = of(Stage::Mesh).or_else(|| of(Stage::Vertex))?;
        Some(StageTables {
            amplification: of(Stage::Amplification),
            hull: of(Stage::Hull),
            domain: of(Stage::Domain),
            geometry: of(Stage::Geometry),
            ..StageTables::new(vertex, of(Stage::Pixel))
        })
    }
}

impl Draw {
    fn launch(&self, width: u32, fuel: Option<u64>) -> Launch {
        Launch {
            fuel,
            cancel: self.cancel.clone(),
            progress: self.progress.clone(),
            prints: self.prints.clone(),
            spent: fuel.map(|_| Arc::default()),
            ..Launch::waves(width)
        }
    }
}

/// A buffer for the packing of a draw, if it is recorded.
fn recorded(draw: &Draw, state: &RasterState, assembly: &Assembly, width: u32) -> Option<Buffer> {
    draw.record.as_ref()?;
    // A wave has a quad at least. A device may cut triangles into some, each with quads of its own.
    let primitives = assembly.count().saturating_mul(draw.instances.into());
    let per_primitive = u64::from(state.width / 2 + 1) * u64::from(state.height / 2 + 1);
    let samples = if state.sample_frequency { state.samples.count() } else { 1 };
    let waves = primitives.saturating_mul(per_primitive * u64::from(samples)).saturating_mul(3);
    let most = MOST_RECORDED / u64::from(width) / ir::packing::SEAT as u64;
    let waves = waves.saturating_add(16).min(most) as usize;
    Some(Buffer::from_bytes(vec![0; ir::packing::bytes(waves, width)]))
}

impl Draw {
    /// Hands over what was recorded.
    fn keep(&self, recorded: Option<&Buffer>, width: u32) -> Result<(), DrawError> {
        let (Some(buffer), Some(record)) = (recorded, &self.record) else { return Ok(()) };
        let Some(seats) = ir::packing::read(&buffer.read_bytes()?, width) else {
            let missing = format!("it has more waves than fit into {MOST_RECORDED} bytes");
            return Err(unsupported("the recording of a packing", missing));
        };
        // Another thread that panicked left a whole recording.
        *record.lock().unwrap_or_else(PoisonError::into_inner) = Recording { width, seats };
        Ok(())
    }
}

impl GraphicsPipeline {
    /// Draws. The results are in the targets, and in the buffers that the tables hold.
    ///
    /// After a trap they hold what had been written by then.
    pub fn draw(
        &self,
        draw: &Draw,
        vertex_table: &ResourceTable,
        pixel_table: Option<&ResourceTable>,
    ) -> Result<(), DrawError> {
        self.draw_stages(draw, &StageTables::new(vertex_table, pixel_table))
    }

    /// The same for a pipeline of any stages.
    pub fn draw_stages(&self, draw: &Draw, tables: &StageTables<'_>) -> Result<(), DrawError> {
        self.draw_by(draw, tables, &mut Programs { pipeline: self })
    }

    /// The same, with waves that something else than the programs of the pipeline runs.
    pub(crate) fn draw_by(
        &self,
        draw: &Draw,
        tables: &StageTables<'_>,
        stages: &mut dyn Stages,
    ) -> Result<(), DrawError> {
        let desc = &*self.desc;
        let (vertex_table, pixel_table) = (tables.vertex, tables.pixel);
        let width = draw.wave_size.unwrap_or_else(|| self.default_wave_size());
        if !self.wave_sizes().contains(&width) {
            let allowed = self.wave_sizes().to_vec();
            return Err(DispatchError::WaveSize { asked: width, allowed }.into());
        }
        let empty = self.check_tables(tables)?;
        let optional = self.optional(tables);
        let [of_amplification, of_hull, of_domain, of_geometry] = std::array::from_fn(|it| {
            let (shader, table) = optional[it];
            shader.and(table.or(empty[it].as_ref()))
        });
        if let Some(slot) = (draw.vertex_buffers.len()..self.link.buffers).next() {
            return Err(DrawError::NoVertexBuffer { slot });
        }
        let state = self.raster_state(draw)?;
        let written = draw.written();
        let others = [of_amplification, of_hull, of_domain, of_geometry];
        check_aliases(draw, &written, &[&[Some(vertex_table), pixel_table][..], &others].concat())?;
        let planes = Planes::of(draw)?;
        let assembly = assembly(draw, desc.topology)?;
        // Engines with fixed functions of their own read indices themselves.
        let indices = draw.indices.as_ref().filter(|_| self.backend.gpu().is_some());
        let index_bytes = indices.map(|it| it.buffer.read_bytes()).transpose()?;
        let total = u64::from(assembly.vertices()) * u64::from(draw.instances);
        if total > MOST_VERTICES {
            return Err(DrawError::TooManyVertices { vertices: total, most: MOST_VERTICES });
        }
        let mut merge = self.merge_state(draw);
        merge.early |= stages.departure().early_depth;
        let recorded = recorded(draw, &state, &assembly, width);
        // The buffers of the groups of a mesh and of an amplification shader.
        let own: [Arc<Cell>; 4] = std::array::from_fn(|_| Cell::new(Slot::default(), None));
        // Everything is locked at once, in one order for all draws and dispatches.
        let places = places_of(pixel_table);
        let amplification = match &desc.amplification {
            Some(shader) => with_own(places_of(of_amplification), shader, &own[2..]),
            None => Places::new(),
        };
        let first = with_own(vertex_table.places(), &desc.vertex, &own[..2]);
        let targets = written.iter().map(|it| smallvec![Some(&***it)]).collect();
        let log = recorded.iter().map(|it| smallvec![Some(&*it.cell)]).collect();
        let vertex_buffers = &draw.vertex_buffers[..self.link.buffers];
        let vertex_buffers =
            vertex_buffers.iter().map(|it| smallvec![Some(&*it.buffer.cell)]).collect();
        let (mut memory, indices) = memory::lock(&[
            first,
            places,
            targets,
            log,
            amplification,
            places_of(of_hull),
            places_of(of_domain),
            places_of(of_geometry),
            vertex_buffers,
        ]);
        let [
            of_vertex,
            of_pixel,
            of_targets,
            of_log,
            amplification,
            hull,
            domain,
            geometry,
            of_buffers,
        ] = indices.as_slice()
        else {
            unreachable!("nine lists of places are locked")
        };
        let cells: Vec<usize> = of_targets.iter().flatten().flatten().copied().collect();
        let others = [of_vertex, of_pixel, amplification, hull, domain, geometry];
        let inputs = BoundBuffers::take(&mut memory, of_buffers, &others)?;
        let buffers = inputs.bytes();
        let mut bound = match BoundTargets::take(&mut memory, &cells) {
            Ok(bound) => bound,
            Err(error) => {
                inputs.put(&mut memory);
                return Err(error);
            }
        };
        let on_device = catch(|| {
            let mut job = DrawJob {
                desc,
                link: &self.link,
                draw,
                state: &state,
                width,
                launch: &draw.launch(width, draw.fuel),
                kind: self.between.kind(desc.topology),
                places: StagePlaces {
                    vertex: of_vertex,
                    amplification,
                    hull,
                    domain,
                    geometry,
                    pixel: of_pixel,
                },
                buffers: &buffers,
                indices: index_bytes,
                record: of_log.iter().flatten().flatten().next().copied(),
                attached: bound.attached(&planes, desc)?,
            };
            match self.backend.draw(&mut job, &mut memory) {
                None if draw.record.is_some() => {
                    let missing = "the engine has one packing, which is always the same";
                    Err(unsupported("the recording of a packing", missing))
                }
                None => Ok(false),
                Some(ended) => Ok(ended.map(|()| true)?),
            }
        });
        match on_device.unwrap_or_else(|bug| Err(DispatchError::Bug(bug).into())) {
            Ok(false) => {}
            ended => {
                bound.put(&mut memory, &cells);
                inputs.put(&mut memory);
                drop(memory);
                ended?;
                return draw.keep(recorded.as_ref(), width);
            }
        }
        let fetched =
            Fetched { draw, desc, link: &self.link, assembly: &assembly, buffers: &buffers };
        let between = between::Bound { hull, domain, geometry };
        let run =
            Run { pipeline: self, draw, width, fetched, merge, total, between, amplification };
        let result = catch(|| {
            let places = [of_vertex, of_pixel];
            run.on_host(stages, &mut memory, places, state, &mut bound, &planes)
        });
        bound.put(&mut memory, &cells);
        inputs.put(&mut memory);
        result.unwrap_or_else(|bug| Err(DispatchError::Bug(bug).into()))
    }

    /// The optional stages but for the pixel shader, and the tables that are given for them.
    fn optional<'a>(
        &'a self,
        tables: &StageTables<'a>,
    ) -> [(Option<&'a Shader>, Option<&'a ResourceTable>); 4] {
        let desc = &*self.desc;
        [
            (desc.amplification.as_ref(), tables.amplification),
            (desc.hull.as_ref(), tables.hull),
            (desc.domain.as_ref(), tables.domain),
            (desc.geometry.as_ref(), tables.geometry),
        ]
    }

    /// Checks that the tables are complete; makes empty ones for the optional stages that are given none.
    fn check_tables(
        &self,
        tables: &StageTables<'_>,
    ) -> Result<[Option<ResourceTable>; 4], DrawError> {
        tables.vertex.check_ready(&self.desc.vertex)?;
        match (&self.desc.pixel, tables.pixel) {
            (Some(pixel), Some(table)) => table.check_ready(pixel)?,
            (None, None) => {}
            (pixel, _) => return Err(DrawError::PixelTable { has_shader: pixel.is_some() }),
        }
        let mut empty = [const { None }; 4];
        for ((shader, table), empty) in self.optional(tables).into_iter().zip(&mut empty) {
            let Some(shader) = shader else { continue };
            match table {
                Some(table) => table.check_ready(shader)?,
                None => empty.insert(ResourceTable::new(shader)).check_ready(shader)?,
            }
        }
        Ok(empty)
    }

    fn raster_state(&self, draw: &Draw) -> Result<RasterState, DrawError> {
        let desc = &*self.desc;
        if draw.viewports.len() > MOST_VIEWPORTS {
            return Err(DrawError::TooManyViewports { count: draw.viewports.len() });
        }
        if let Some(viewport) = draw.viewports.iter().position(|it| !is_possible(it)) {
            return Err(DrawError::Viewport { viewport });
        }
        let [width, height, layers] = match draw.check_targets(desc)? {
            Some(size) => size,
            None if draw.viewports.is_empty() => return Err(DrawError::NoSize),
            // Without targets, viewports alone bound what runs.
            None => [16384, 16384, 1],
        };
        let mut state = RasterState::new(width, height);
        if !draw.viewports.is_empty() {
            state.viewports.clone_from(&draw.viewports);
        }
        let pixel = desc.pixel.as_ref().and_then(|it| it.module.io.as_ref()).map(|it| it.pixel);
        let RasterizerState { cull, front_counter_clockwise, depth_bias, depth_clip } =
            desc.rasterizer;
        state.scissors.clone_from(&draw.scissors);
        state.cull = cull;
        state.front_counter_clockwise = front_counter_clockwise;
        state.depth_bias = depth_bias;
        state.depth_clip = depth_clip;
        state.samples = desc.samples;
        state.sample_mask = desc.sample_mask;
        state.sample_frequency = pixel.is_some_and(|it| it.sample_frequency);
        state.layers = layers;
        state.depth_format = desc.depth_format;
        state.packing = draw.packing;
        state.packing.ordered |= pixel.is_some_and(|it| it.orders_pixels);
        Ok(state)
    }

    fn merge_state(&self, draw: &Draw) -> MergeState {
        let desc = &*self.desc;
        let mut depth_stencil = desc.depth_stencil;
        if let Some(stencil) = &mut depth_stencil.stencil {
            stencil.reference = draw.stencil_ref;
        }
        let pixel = desc.pixel.as_ref().and_then(|it| it.module.io.as_ref());
        MergeState {
            targets: desc.blend.clone(),
            blend_factor: draw.blend_factor,
            alpha_to_coverage: desc.alpha_to_coverage,
            depth_stencil,
            early: pixel.is_some_and(|it| it.pixel.early_depth),
        }
    }
}

/// Whether a viewport is a rectangle in the range of coordinates.
fn is_possible(viewport: &Viewport) -> bool {
    let Viewport { x, y, width, height, min_depth, max_depth } = *viewport;
    let range = -32768.0..=32768.0;
    [x, y, x + width, y + height].iter().all(|it| range.contains(it))
        && width >= 0.0
        && height >= 0.0
        && 0.0 <= min_depth
        && min_depth <= max_depth
        && max_depth <= 1.0
}

fn unsupported(asked: &str, missing: impl Into<String>) -> DrawError {
    let (asked, missing) = (asked.to_owned(), missing.into());
    DispatchError::Unsupported(Unsupported { asked, missing }).into()
}

fn places_of(table: Option<&ResourceTable>) -> Places<'_> {
    table.map_or_else(Places::new, ResourceTable::places)
}

/// Appends the buffers of the groups of a mesh or amplification shader.
fn with_own<'a>(mut places: Places<'a>, of: &Shader, own: &'a [Arc<Cell>]) -> Places<'a> {
    if of.module.group.is_some() {
        places.extend(own.iter().map(|it| smallvec![Some(&**it)]));
    }
    places
}

/// Refuses memory that is a target and also something else of the draw.
fn check_aliases(
    draw: &Draw,
    written: &[&Arc<Cell>],
    tables: &[Option<&ResourceTable>],
) -> Result<(), DrawError> {
    let bound =
        tables.iter().copied().flatten().flat_map(ResourceTable::cells).map(|(_, _, it)| it);
    let read = draw.vertex_buffers.iter().map(|it| &it.buffer.cell);
    let indices = draw.indices.iter().map(|it| &it.buffer.cell);
    let mut others = bound.chain(read).chain(indices);
    let is_target = |cell: &Arc<Cell>| written.iter().any(|it| Arc::ptr_eq(it, cell));
    let is_twice =
        |(i, cell): (usize, &&Arc<Cell>)| written[..i].iter().any(|it| Arc::ptr_eq(it, cell));
    if others.any(is_target) || written.iter().enumerate().any(is_twice) {
        return Err(DrawError::Aliased);
    }
    Ok(())
}

fn assembly(draw: &Draw, topology: Topology) -> Result<Assembly, DrawError> {
    Ok(match &draw.indices {
        None => Assembly::plain(topology, draw.count),
        Some(IndexBuffer { buffer, format }) => {
            // Beyond the buffer indices are 0: they need not be listed to know that there are too many.
            let vertices = u64::from(draw.count) * u64::from(draw.instances);
            if u64::from(draw.count) > MOST_WORDS {
                return Err(DrawError::TooManyVertices { vertices, most: MOST_WORDS });
            }
            let mut state = buffer.cell.lock();
            let bytes = &state.host()?.bytes;
            Assembly::indexed(topology, *format, bytes, draw.start, draw.count)
        }
    })
}

/// A stage of a running draw.
struct At<'a> {
    part: Part,
    /// What is bound to it.
    places: &'a Indices,
    fuel: &'a mut Option<u64>,
}

/// Where the pixel side of a draw runs.
struct ToPixels<'a, 'm, 't> {
    stages: &'a mut dyn Stages,
    memory: &'a mut Memory<'m>,
    /// What is bound to the pixel shader.
    places: &'a Indices,
    bands: &'a mut [Band<'t>],
}

/// A draw that runs.
#[derive(Clone)]
struct Run<'a> {
    pipeline: &'a GraphicsPipeline,
    draw: &'a Draw,
    width: u32,
    fetched: Fetched<'a>,
    merge: MergeState,
    /// How many vertices there are.
    total: u64,
    between: between::Bound<'a>,
    /// What is bound to the amplification shader.
    amplification: &'a Indices,
}

impl Run<'_> {
    /// Draws, or replays a recording, with the waves of the stages.
    fn on_host(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        places: [&Indices; 2],
        state: RasterState,
        bound: &mut BoundTargets,
        planes: &Planes,
    ) -> Result<(), DrawError> {
        let (pipeline, draw, width) = (self.pipeline, self.draw, self.width);
        let GraphicsPipeline { desc, link, between, .. } = pipeline;
        let Some(recording) = &draw.replay else {
            let primitives = self.fetched.assembly.count().saturating_mul(draw.instances.into());
            let most = bands::most_spent(pipeline, &state, self.total, primitives, width);
            if most.zip(draw.fuel).is_some_and(|(most, fuel)| most < fuel) {
                let draw = Draw { fuel: None, ..draw.clone() };
                let run = Run { draw: &draw, ..self.clone() };
                return run.on_host(stages, memory, places, state, bound, planes);
            }
            let mut threads = stages.threads();
            let targets = bound.targets(planes)?;
            if draw.fuel.is_some() && pipeline.has_bands(draw, threads, &state, &targets) {
                let before = bound.copy();
                let targets = bound.targets(planes)?;
                match self.attempt(stages, memory, places, &state, targets) {
                    ended if bands::is_open(&ended) => bound.restore(before),
                    ended => return ended,
                }
                threads = 1;
            }
            let targets = bound.targets(planes)?;
            let mut bands = pipeline.bands(draw, threads, &state, width, targets);
            return self.all(stages, memory, places, &mut bands);
        };
        if !between.is_empty() {
            let missing = "the pipeline has more stages than two";
            return Err(unsupported("the replay of a packing", missing));
        }
        let pixels = Pixels::new(state, link, desc.topology.kind(), width);
        let band = Band { pixels, targets: bound.targets(planes)? };
        self.replay(stages, memory, places, recording, band)
    }

    /// Draws on several threads with bounded fuel, which may leave open how the draw ends on one.
    fn attempt(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        places: [&Indices; 2],
        state: &RasterState,
        targets: Targets<'_>,
    ) -> Result<(), DrawError> {
        let statistics = &self.draw.statistics;
        let counted = statistics.as_ref().map(|_| Arc::<DrawStatistics>::default());
        let draw = Draw { statistics: counted.clone(), ..self.draw.clone() };
        let threads = stages.threads();
        let mut bands = self.pipeline.bands(&draw, threads, state, self.width, targets);
        let ended = Run { draw: &draw, ..self.clone() }.all(stages, memory, places, &mut bands);
        if !bands::is_open(&ended) {
            let both = statistics.iter().zip(&counted);
            both.for_each(|(statistics, counted)| statistics.add(counted));
        }
        ended
    }

    /// Runs portions of whole instances, one after the other.
    fn all(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        [of_vertex, of_pixel]: [&Indices; 2],
        bands: &mut [Band<'_>],
    ) -> Result<(), DrawError> {
        let assembly = self.fetched.assembly;
        let (per_instance, instances) = (u64::from(assembly.vertices()), self.draw.instances);
        if self.pipeline.between.mesh.is_some() {
            return self.all_groups(stages, memory, [of_vertex, of_pixel], bands);
        }
        if self.total == 0 {
            return Ok(());
        }
        let has_more = !self.pipeline.between.is_empty();
        let Departure { vertices, waves, .. } = stages.departure();
        let is_canonical = vertices == VertexOrder::Dense && waves == Schedule::Ascending;
        let is_one = self.pipeline.desc.writes_memory() || !is_canonical || has_more;
        let most = if is_one { u64::MAX } else { PORTION };
        // The primitives of a small portion often lie in the band of one thread.
        let portions = Portions::new(assembly, instances, most, bands.len() == 1);
        let link = &self.pipeline.link;
        let mut transformed = Transformed::new(link.vertex_slots);
        let mut fuel = self.draw.fuel;
        let mut next = 0;
        for portions::Part { instances: drawn, primitives: ids, vertices: kept, is_last } in
            portions
        {
            transformed.forget(kept.start);
            let end_vertex = kept.end;
            let kept = end_vertex - transformed.first + u64::from(self.width);
            if kept.saturating_mul(u64::from(link.vertex_slots.max(1))) > MOST_WORDS {
                let most = MOST_WORDS / u64::from(link.vertex_slots.max(1));
                return Err(DrawError::TooManyVertices { vertices: self.total, most });
            }
            let mut feed = VertexFeed {
                fetched: &self.fetched,
                transformed: &mut transformed,
                next: &mut next,
                end: end_vertex,
                width: self.width,
                total: self.total,
                lanes: 0,
            };
            let mut stage = At { part: Part::Vertex, places: of_vertex, fuel: &mut fuel };
            if is_canonical {
                self.stage(stages, memory, &mut stage, &mut feed)?;
            } else {
                let mut feed = Reordered::new(&mut feed, vertices, waves);
                self.stage(stages, memory, &mut stage, &mut feed)?;
                feed.finish();
            }
            let first = transformed.first;
            let primitives = || {
                let ids = ids.clone();
                drawn.clone().flat_map(move |instance| {
                    // The kept vertices are fewer than `MOST_WORDS`.
                    let start = u64::from(instance) * per_instance;
                    let kept = move |it: u32| (start + u64::from(it) - first) as u32;
                    assembly
                        .some_primitives(ids.clone())
                        .map(move |it| Primitive { vertices: it.vertices.map(kept), id: it.id })
                })
            };
            if has_more {
                let made = self.between(stages, memory, transformed, &mut fuel)?;
                let mut pixels = ToPixels { stages, memory, places: of_pixel, bands };
                let primitives = || made.primitives.iter().copied();
                return self.rasterize(&mut pixels, &mut fuel, &made.transformed, true, primitives);
            }
            let mut pixels = ToPixels { stages, memory, places: of_pixel, bands };
            self.rasterize(&mut pixels, &mut fuel, &transformed, is_last, primitives)?;
        }
        Ok(())
    }

    /// Draws what the groups of a mesh shader make.
    fn all_groups(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        [of_mesh, of_pixel]: [&Indices; 2],
        bands: &mut [Band<'_>],
    ) -> Result<(), DrawError> {
        let mut fuel = self.draw.fuel;
        let writes = self.pipeline.desc.writes_memory();
        let mut kept: Option<Made> = None;
        self.mesh(stages, memory, of_mesh, &mut fuel, &mut |stages, memory, fuel, made| {
            // Where the order of the stages can be seen, all groups run first.
            if let (true, Some(before)) = (writes, &mut kept) {
                return before.append(made);
            }
            if writes {
                kept = Some(made);
                return Ok(());
            }
            let mut pixels = ToPixels { stages, memory, places: of_pixel, bands };
            let primitives = || made.primitives.iter().copied();
            self.rasterize(&mut pixels, fuel, &made.transformed, false, primitives)
        })?;
        // The last wave may not be full.
        let rest = kept.unwrap_or_else(|| Made::new(0));
        let mut pixels = ToPixels { stages, memory, places: of_pixel, bands };
        let primitives = || rest.primitives.iter().copied();
        self.rasterize(&mut pixels, &mut fuel, &rest.transformed, true, primitives)
    }

    /// Rasterizes primitives, and runs the pixel shader.
    fn rasterize<I: Iterator<Item = Primitive>>(
        &self,
        ToPixels { stages, memory, places, bands }: &mut ToPixels<'_, '_, '_>,
        fuel: &mut Option<u64>,
        transformed: &Transformed,
        is_last: bool,
        primitives: impl Fn() -> I + Sync,
    ) -> Result<(), DrawError> {
        if let Some(statistics) = &self.draw.statistics {
            statistics.add_primitives(primitives().count() as u64);
        }
        let link = &self.pipeline.link;
        let [Band { pixels, targets }] = &mut **bands else {
            let each = bands::most_for_each(self.width);
            let launch = self.draw.launch(self.width, fuel.map(|it| it / each));
            let (pipeline, merge) = (self.pipeline, &self.merge);
            let common = bands::Common { pipeline, merge, transformed, launch: &launch, is_last };
            let mut bindings = memory.take(places)?;
            let result = bands::draw(bands, &common, &mut bindings, primitives);
            if let Some(program) = &self.pipeline.pixel {
                memory.put(places, bindings, program.module());
            }
            let spent = result?;
            return match fuel {
                Some(fuel) if *fuel / each <= spent && spent > 0 => {
                    let span = ir::Span::NONE;
                    Err(DispatchError::Trap(Trap::OutOfFuel { span }).into())
                }
                Some(fuel) => {
                    *fuel -= spent * each;
                    Ok(())
                }
                None => Ok(()),
            };
        };
        let mut of_draw = Portion {
            link,
            merge: &self.merge,
            transformed,
            primitives: &mut primitives(),
            targets,
            is_last,
        };
        if self.pipeline.pixel.is_none() {
            pixels.run_alone(&mut of_draw);
            return Ok(());
        }
        let mut stage = At { part: Part::Pixel, places, fuel };
        let mut feed = pixels.feed(of_draw);
        match stages.departure().waves {
            Schedule::Ascending => self.stage(*stages, memory, &mut stage, &mut feed),
            order => {
                let mut feed = Shuffled::new(feed, order);
                self.stage(*stages, memory, &mut stage, &mut feed)?;
                feed.finish();
                Ok(())
            }
        }
    }

    /// Runs the pixel shader's waves as a device packed them.
    fn replay(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        [of_vertex, of_pixel]: [&Indices; 2],
        recording: &Recording,
        Band { mut pixels, mut targets }: Band<'_>,
    ) -> Result<(), DrawError> {
        let refused = |why: String| {
            let asked = "the replay of a packing".to_owned();
            let missing = Unsupported { asked, missing: why };
            DrawError::Run(DispatchError::Unsupported(missing))
        };
        if recording.width != self.width {
            let why = format!("it was recorded with waves of {} lanes", recording.width);
            return Err(refused(why));
        }
        if self.pipeline.pixel.is_none() {
            return Err(refused("there is no pixel shader".to_owned()));
        }
        let link = &self.pipeline.link;
        let per_instance = u64::from(self.fetched.assembly.vertices());
        let mut transformed = Transformed::new(link.vertex_slots);
        check_words(self.total, link.vertex_slots.into())?;
        let (mut fuel, mut next) = (self.draw.fuel, 0);
        let mut feed = VertexFeed {
            fetched: &self.fetched,
            transformed: &mut transformed,
            next: &mut next,
            end: self.total,
            width: self.width,
            total: self.total,
            lanes: 0,
        };
        let mut stage = At { part: Part::Vertex, places: of_vertex, fuel: &mut fuel };
        self.stage(stages, memory, &mut stage, &mut feed)?;
        let mut quads = Vec::new();
        for instance in 0..self.draw.instances {
            let start = (u64::from(instance) * per_instance) as u32;
            let mut primitives = self.fetched.assembly.primitives().map(|it| Primitive {
                vertices: it.vertices.map(|vertex| start + vertex),
                id: it.id,
            });
            let mut of_draw = Portion {
                link,
                merge: &self.merge,
                transformed: &transformed,
                primitives: &mut primitives,
                targets: &mut targets,
                is_last: true,
            };
            quads.extend(pixels.quads(&mut of_draw).map(|wave| Drawn { instance, wave }));
        }
        let tests = self.merge.depth_stencil;
        let culls = !self.merge.early && (tests.depth.is_some() || tests.stencil.is_some());
        let counts = pixels.counts();
        let layers = pixels.layers();
        let mut feed =
            Replay::new(link, quads, recording, layers, culls, counts).map_err(refused)?;
        let mut stage = At { part: Part::Pixel, places: of_pixel, fuel: &mut fuel };
        self.stage(stages, memory, &mut stage, &mut feed)?;
        feed.merge(&self.merge, &mut targets);
        Ok(())
    }

    /// The shader of a part.
    fn shader(&self, part: Part) -> &Shader {
        let desc = &*self.pipeline.desc;
        let found = match part {
            Part::Vertex | Part::Mesh => None,
            Part::Hull | Part::PatchConstants => desc.hull.as_ref(),
            Part::Domain => desc.domain.as_ref(),
            Part::Geometry => desc.geometry.as_ref(),
            Part::Amplification => desc.amplification.as_ref(),
            Part::Pixel => desc.pixel.as_ref(),
        };
        found.unwrap_or(&desc.vertex)
    }

    /// Runs the waves of a stage that a feed supplies.
    fn stage(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        At { part, places, fuel }: &mut At<'_>,
        feed: &mut dyn Feed,
    ) -> Result<(), DrawError> {
        let launch = self.draw.launch(self.width, **fuel);
        let mut bindings: Bindings = memory.take(places)?;
        // The contents are put back into the buffers in any case.
        let result = catch(|| stages.run(*part, &launch, &mut bindings, feed));
        memory.put(places, bindings, &self.shader(*part).module);
        if let (Some(fuel), Some(spent)) = (fuel.as_mut(), &launch.spent) {
            *fuel = fuel.saturating_sub(spent.load(Ordering::Relaxed));
        }
        match result {
            Ok(ended) => Ok(ended?),
            Err(bug) => Err(DispatchError::Bug(bug).into()),
        }
    }
}
