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
mod run;
mod sharing;
mod statistics;
mod target;
mod vertices;

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};

use ir::exec::{Launch, Unsupported};
use ir::print::PrintLog;
use ops::intrinsics::Stage;
use raster::{AlphaSamples, Assembly, MergeState, RasterState};
use smallvec::smallvec;

pub use self::copy::DrawCopy;
pub use self::error::DrawError;
pub use self::examine::ExamineDrawError;
pub(crate) use self::examine::drawn;
pub use self::replay::Recording;
pub use self::statistics::DrawStatistics;
pub use self::target::MOST_PIXELS;
pub use self::target::{DepthTarget, RenderTarget};

pub use self::mesh::MOST_MESH_GROUPS;

use self::departure::{Programs, Stages};
use self::inputs::BoundBuffers;
use self::run::Run;
use self::target::{BoundTargets, Planes};
use self::vertices::Fetched;
use crate::engines::{DrawJob, StagePlaces};
use crate::graphics::{
    Between, GraphicsPipeline, IndexFormat, Packing, RasterizerState, Scissor, Topology, Viewport,
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
    /// Receives which pixel each lane was, on a GPU. A GPU chooses the packing of quads, and refuses wave operations in
    /// a pixel shader whose packing is not recorded.
    pub record: Option<Arc<Mutex<Recording>>>,
    /// Packs quads as recorded, on the other engines. Waves run in the order of the recording; what they write to the
    /// targets is merged in the order of primitives.
    pub replay: Option<Arc<Recording>>,
    /// The most wave-instructions to run, counted as on one thread whatever the number of threads; `None` for no limit.
    pub fuel: Option<u64>,
    /// Set it from another thread to end the run early.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Counts finished waves; twice if a draw on several threads has to be repeated on one to count its fuel.
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

    fn all(&self) -> [Option<&'a ResourceTable>; 6] {
        let StageTables { vertex, amplification, hull, domain, geometry, pixel } = *self;
        [Some(vertex), pixel, amplification, hull, domain, geometry]
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
fn recorded(
    draw: &Draw,
    between: &Between,
    state: &RasterState,
    assembly: &Assembly,
    width: u32,
) -> Option<Buffer> {
    draw.record.as_ref()?;
    // A wave has a quad at least. A device may split a triangle into several, each with separate quads.
    let primitives = match between.is_empty() {
        true => assembly.count().saturating_mul(draw.instances.into()),
        // Unknown before the stages have run.
        false => u64::MAX,
    };
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

/// What is known of a draw before anything is locked.
struct Plan {
    width: u32,
    state: RasterState,
    planes: Planes,
    assembly: Assembly,
    /// The vertices that are transformed, if these are fewer.
    shared: Option<Assembly>,
    /// The contents of the index buffer, for engines that read it themselves.
    indices: Option<Vec<u8>>,
    /// How many vertices there are.
    total: u64,
}

/// Where the locked memory of a draw has what is bound to each stage, the targets, the recording and the vertex
/// buffers.
struct Locked {
    vertex: Indices,
    amplification: Indices,
    hull: Indices,
    domain: Indices,
    geometry: Indices,
    pixel: Indices,
    targets: Indices,
    log: Indices,
    buffers: Indices,
}

impl Locked {
    fn stages(&self) -> StagePlaces<'_> {
        let Locked { vertex, amplification, hull, domain, geometry, pixel, .. } = self;
        StagePlaces { vertex, amplification, hull, domain, geometry, pixel }
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

    /// The same, with waves that something other than the pipeline's programs runs.
    pub(crate) fn draw_by(
        &self,
        draw: &Draw,
        tables: &StageTables<'_>,
        stages: &mut dyn Stages,
    ) -> Result<(), DrawError> {
        let width = draw.wave_size.unwrap_or_else(|| self.default_wave_size());
        if !self.wave_sizes().contains(&width) {
            let allowed = self.wave_sizes().to_vec();
            return Err(DispatchError::WaveSize { asked: width, allowed }.into());
        }
        let empty = self.check_tables(tables)?;
        let tables = &self.with_empty(tables, &empty);
        let plan = self.plan(draw, tables, width, stages.is_watched())?;
        let recorded = recorded(draw, &self.between, &plan.state, &plan.assembly, width);
        // The buffers of the groups of a mesh and of an amplification shader.
        let own: [Arc<Cell>; 4] = std::array::from_fn(|_| Cell::new(Slot::default(), None));
        let (mut memory, locked) = self.lock(draw, tables, &own, recorded.as_ref());
        let places = locked.stages();
        let inputs = BoundBuffers::take(&mut memory, &locked.buffers, &places.all())?;
        let cells: Vec<usize> = locked.targets.iter().flatten().flatten().copied().collect();
        let mut targets = match BoundTargets::take(&mut memory, &cells) {
            Ok(targets) => targets,
            Err(error) => {
                inputs.put(&mut memory);
                return Err(error);
            }
        };
        let buffers = &inputs.bytes();
        let ended = catch(|| {
            if self.draw_on_device(draw, &plan, &locked, buffers, &mut targets, &mut memory)? {
                return Ok(true);
            }
            let mut merge = self.merge_state(draw);
            let departure = stages.departure();
            merge.early |= departure.early_depth;
            merge.alpha_samples = departure.alpha_samples;
            let Plan { state, planes, assembly: own, shared, total, .. } = &plan;
            let (desc, link, total) = (&*self.desc, &self.link, *total);
            let assembly = shared.as_ref().unwrap_or(own);
            let fetched = Fetched { draw, desc, link, assembly, buffers };
            let run = Run { pipeline: self, draw, width, fetched, own, merge, total, places };
            run.on_host(stages, &mut memory, state, &mut targets, planes).map(|()| false)
        });
        targets.put(&mut memory, &cells);
        inputs.put(&mut memory);
        drop(memory);
        match ended.unwrap_or_else(|bug| Err(DispatchError::Bug(bug).into()))? {
            true => draw.keep(recorded.as_ref(), width),
            false => Ok(()),
        }
    }

    /// Checks the draw except for its tables. `is_watched`: an observer sees what each lane represents.
    fn plan(
        &self,
        draw: &Draw,
        tables: &StageTables<'_>,
        width: u32,
        is_watched: bool,
    ) -> Result<Plan, DrawError> {
        if let Some(slot) = (draw.vertex_buffers.len()..self.link.buffers).next() {
            return Err(DrawError::NoVertexBuffer { slot });
        }
        let state = self.raster_state(draw)?;
        check_aliases(draw, &tables.all())?;
        let planes = Planes::of(draw)?;
        let assembly = assembly(draw, self.desc.topology)?;
        // Engines with their own fixed functions read indices themselves.
        let indices = draw.indices.as_ref().filter(|_| self.backend.gpu().is_some());
        let indices = indices.map(|it| it.buffer.read_bytes()).transpose()?;
        let total = u64::from(assembly.vertices()) * u64::from(draw.instances);
        if total > MOST_VERTICES {
            return Err(DrawError::TooManyVertices { vertices: total, most: MOST_VERTICES });
        }
        let shared = match is_watched {
            true => None,
            false => self.shared_vertices(draw, &state, &assembly, width),
        };
        Ok(Plan { width, state, planes, assembly, shared, indices, total })
    }

    /// Locks everything at once, in one order for all draws and dispatches.
    fn lock<'a>(
        &self,
        draw: &'a Draw,
        tables: &StageTables<'a>,
        own: &'a [Arc<Cell>; 4],
        recorded: Option<&'a Buffer>,
    ) -> (Memory<'a>, Locked) {
        let cell = |it: &'a Arc<Cell>| smallvec![Some(&**it)];
        let amplification = match &self.desc.amplification {
            Some(shader) => with_own(places_of(tables.amplification), shader, &own[2..]),
            None => Places::new(),
        };
        let vertex_buffers = &draw.vertex_buffers[..self.link.buffers];
        let (memory, indices) = memory::lock(&[
            with_own(tables.vertex.places(), &self.desc.vertex, &own[..2]),
            amplification,
            places_of(tables.hull),
            places_of(tables.domain),
            places_of(tables.geometry),
            places_of(tables.pixel),
            draw.written().into_iter().map(cell).collect(),
            recorded.iter().map(|it| cell(&it.cell)).collect(),
            vertex_buffers.iter().map(|it| cell(&it.buffer.cell)).collect(),
        ]);
        let Ok([vertex, amplification, hull, domain, geometry, pixel, targets, log, buffers]) =
            <[Indices; 9]>::try_from(indices.into_vec())
        else {
            unreachable!("nine lists of places are locked")
        };
        let locked =
            Locked { vertex, amplification, hull, domain, geometry, pixel, targets, log, buffers };
        (memory, locked)
    }

    /// Draws on an engine with its own fixed functions; returns whether the engine has any.
    fn draw_on_device(
        &self,
        draw: &Draw,
        plan: &Plan,
        locked: &Locked,
        buffers: &[&[u8]],
        targets: &mut BoundTargets,
        memory: &mut Memory<'_>,
    ) -> Result<bool, DrawError> {
        let desc = &*self.desc;
        let mut job = DrawJob {
            desc,
            link: &self.link,
            draw,
            state: &plan.state,
            width: plan.width,
            launch: &draw.launch(plan.width, draw.fuel),
            kind: self.between.kind(desc.topology),
            places: locked.stages(),
            buffers,
            indices: plan.indices.as_deref(),
            record: locked.log.iter().flatten().flatten().next().copied(),
            attached: targets.attached(&plan.planes, desc)?,
        };
        match self.backend.draw(&mut job, memory) {
            None if draw.record.is_some() => {
                let missing = "the engine has one packing, which is always the same";
                Err(unsupported("the recording of a packing", missing))
            }
            None => Ok(false),
            Some(ended) => Ok(ended.map(|()| true)?),
        }
    }

    /// The tables, with empty ones for optional stages that are given none.
    fn with_empty<'a>(
        &self,
        tables: &StageTables<'a>,
        empty: &'a [Option<ResourceTable>; 4],
    ) -> StageTables<'a> {
        let [amplification, hull, domain, geometry] = std::array::from_fn(|it| {
            let (shader, table) = self.optional(tables)[it];
            shader.and(table.or(empty[it].as_ref()))
        });
        StageTables { amplification, hull, domain, geometry, ..*tables }
    }

    /// The optional stages except the pixel shader, and the tables given for them.
    fn optional<'s, 'a>(
        &'s self,
        tables: &StageTables<'a>,
    ) -> [(Option<&'s Shader>, Option<&'a ResourceTable>); 4] {
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
            None => [MOST_PIXELS, MOST_PIXELS, 1],
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
            alpha_samples: AlphaSamples::default(),
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

/// Refuses memory that is a target and that the draw also uses in another way.
fn check_aliases(draw: &Draw, tables: &[Option<&ResourceTable>]) -> Result<(), DrawError> {
    let written = draw.written();
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
