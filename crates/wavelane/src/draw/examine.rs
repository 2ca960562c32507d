//! Examining a draw with the sanitizer, which repeats it from the same contents on the reference engine.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use interp::Observer;
use ir::exec::{Bindings, Failure, Feed, Launch};
use ir::{Binding, Module};
use ops::intrinsics::Stage;
use ops::texture::Shape;
use raster::Layout;
use sanitizer::{
    Content, DrawReport, DrawStopped, Ended, Holder, How, Left, Order, Plan, QuadPacking, Scene,
    Watched,
};

use super::departure::{Departure, Part, Programs, Stages, VertexOrder};
use super::{DepthTarget, Draw, DrawError, StageTables};
use crate::graphics::{GraphicsPipeline, Packing};
use crate::memory::{Cell, Indices, Memory, Slot};
use crate::table::Copies;
use crate::{Buffer, BufferError, DispatchError, ResourceTable, Texture};

/// Why the examination of a draw failed, and at which width.
#[derive(Debug)]
pub struct ExamineDrawError {
    /// The width of waves of the run that failed.
    pub width: u32,
    /// The shader that trapped, if one did.
    pub stage: Option<Stage>,
    /// The error.
    pub error: DrawError,
    /// The findings up to then.
    pub found: DrawReport,
}

impl std::fmt::Display for ExamineDrawError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "with waves of {} lanes: {}", self.width, self.error)
    }
}

impl std::error::Error for ExamineDrawError {}

impl GraphicsPipeline {
    /// Draws as the plan says, on the reference engine, and reports the findings.
    ///
    /// Each run begins with the contents of the tables and targets, which do not change. `draw.wave_size` and
    /// `draw.packing` are ignored: the plan has the widths, and the sweep varies the packing. Names of the plan are
    /// those of resources, `Target` or of several `Target0` and so on, `Depth` and `Stencil`.
    pub fn examine(
        &self,
        draw: &Draw,
        plan: &Plan,
        vertex_table: &ResourceTable,
        pixel_table: Option<&ResourceTable>,
    ) -> Result<DrawReport, Box<ExamineDrawError>> {
        let names = match draw.targets.len() {
            1 => vec!["Target".to_owned()],
            count => (0..count).map(|it| format!("Target{it}")).collect(),
        };
        self.examine_named(draw, plan, vertex_table, pixel_table, &names)
    }

    /// The same, with names of the targets.
    pub(crate) fn examine_named(
        &self,
        draw: &Draw,
        plan: &Plan,
        vertex_table: &ResourceTable,
        pixel_table: Option<&ResourceTable>,
        names: &[String],
    ) -> Result<DrawReport, Box<ExamineDrawError>> {
        let width = plan.widths.first().copied().unwrap_or_else(|| self.default_wave_size());
        let early = |error| {
            Box::new(ExamineDrawError { width, stage: None, error, found: DrawReport::default() })
        };
        let examined = Examined { pipeline: self, draw, vertex_table, pixel_table, names };
        let result = crate::guard::catch(|| sanitizer::examine_draw(&examined, plan));
        match result {
            Ok(Ok(report)) => Ok(report),
            Ok(Err(stopped)) => {
                let DrawStopped { width, why, report: found } = *stopped;
                let (stage, error) = match why {
                    Ended::Run(stage, failure) => {
                        (Some(stage), DispatchError::from(failure).into())
                    }
                    Ended::Other(error) => (None, error),
                };
                Err(Box::new(ExamineDrawError { width, stage, error, found }))
            }
            Err(bug) => Err(early(DispatchError::Bug(bug).into())),
        }
    }
}

/// Draws by the pipeline's programs from copies of everything, and returns what that leaves.
pub(crate) fn drawn(
    pipeline: &GraphicsPipeline,
    draw: &Draw,
    [vertex_table, pixel_table]: [&ResourceTable; 2],
    names: &[String],
) -> Result<Left, DrawError> {
    let pixel_table = Some(pixel_table);
    let examined = Examined { pipeline, draw, vertex_table, pixel_table, names };
    let width = draw.wave_size.unwrap_or_else(|| pipeline.default_wave_size());
    let copy = examined.copied(How::canonical(width))?;
    pipeline.draw(&copy.draw, &copy.vertex, copy.pixel.as_ref())?;
    Ok(copy.left(names)?)
}

/// A draw that can be repeated.
struct Examined<'a> {
    pipeline: &'a GraphicsPipeline,
    draw: &'a Draw,
    vertex_table: &'a ResourceTable,
    pixel_table: Option<&'a ResourceTable>,
    /// Of the targets.
    names: &'a [String],
}

/// Runs the waves of a draw with observers, and remembers which stage failed.
struct Observed<'a, V, P> {
    pipeline: &'a GraphicsPipeline,
    how: How,
    vertex: Watched<'a, V>,
    pixel: Watched<'a, P>,
    failed: Option<(Stage, Failure)>,
}

impl<V: Observer, P: Observer> Stages for Observed<'_, V, P> {
    fn departure(&self) -> Departure {
        let mut departure = Departure::default();
        match self.how.order {
            Some(Order::EarlyDepth) => departure.early_depth = true,
            Some(Order::Vertices(order)) => departure.vertices = order,
            Some(Order::Waves(order)) => departure.waves = order,
            _ => departure.vertices = VertexOrder::Dense,
        }
        departure
    }

    fn run(
        &mut self,
        part: Part,
        launch: &Launch,
        bindings: &mut Bindings,
        feed: &mut dyn Feed,
    ) -> Result<(), Failure> {
        let variation = self.how.variation();
        let ended = match (part, self.vertex.program, self.pixel.program) {
            (Part::Pixel, _, Some(program)) => {
                let observer = &mut *self.pixel.observer;
                interp::run_waves(program, launch, variation, bindings, feed, observer)
            }
            (Part::Vertex, Some(program), _) => {
                let observer = &mut *self.vertex.observer;
                interp::run_waves(program, launch, variation, bindings, feed, observer)
            }
            // The stages between run, and are not watched.
            _ => Programs { pipeline: self.pipeline }.run(part, launch, bindings, feed),
        };
        let stage = if part == Part::Pixel { Stage::Pixel } else { Stage::Vertex };
        ended.inspect_err(|failure| self.failed = Some((stage, failure.clone())))
    }

    fn dispatch(
        &mut self,
        part: Part,
        launch: &Launch,
        memory: &mut Memory<'_>,
        places: &Indices,
    ) -> Result<(), DispatchError> {
        let (Part::Mesh, Some(program)) = (part, self.vertex.program) else {
            return Programs { pipeline: self.pipeline }.dispatch(part, launch, memory, places);
        };
        let mut bindings = memory.take(places)?;
        let variation = self.how.variation();
        let observer = &mut *self.vertex.observer;
        // The contents are put back into the buffers in any case.
        let ended = crate::guard::catch(|| {
            interp::run_varied(program, launch, variation, &mut bindings, observer)
        });
        memory.put(places, bindings, &self.pipeline.desc.vertex.module);
        let ended = ended.map_err(DispatchError::Bug)?;
        ended.inspect_err(|failure| self.failed = Some((Stage::Vertex, failure.clone())))?;
        Ok(())
    }
}

impl Scene for Examined<'_> {
    type Error = DrawError;

    fn vertex(&self) -> &Module {
        &self.pipeline.desc.vertex.module
    }

    fn pixel(&self) -> Option<&Module> {
        self.pipeline.desc.pixel.as_ref().map(|it| &*it.module)
    }

    fn tests_depth(&self) -> bool {
        let tests = self.pipeline.desc.depth_stencil;
        (tests.depth.is_some() || tests.stencil.is_some()) && !self.pipeline.desc.alpha_to_coverage
    }

    fn run<V: Observer, P: Observer>(
        &self,
        how: How,
        vertex: Watched<'_, V>,
        pixel: Watched<'_, P>,
    ) -> Result<Left, Ended<DrawError>> {
        let copy = self.copied(how).map_err(|it| Ended::Other(it.into()))?;
        let mut stages = Observed { pipeline: self.pipeline, how, vertex, pixel, failed: None };
        let tables = StageTables::new(&copy.vertex, copy.pixel.as_ref());
        match self.pipeline.draw_by(&copy.draw, &tables, &mut stages) {
            Ok(()) => copy.left(self.names).map_err(|it| Ended::Other(it.into())),
            Err(error) => Err(match stages.failed {
                Some((stage, failure)) => Ended::Run(stage, failure),
                None => Ended::Other(error),
            }),
        }
    }
}

/// A draw with memory of its own.
struct Copied {
    draw: Draw,
    vertex: ResourceTable,
    pixel: Option<ResourceTable>,
}

impl Examined<'_> {
    /// The draw with copies of everything that it reads and writes.
    fn copied(&self, how: How) -> Result<Copied, BufferError> {
        let known = &mut Copies::new();
        let vertex = self.vertex_table.duplicate_with(known)?;
        let pixel = self.pixel_table.map(|it| it.duplicate_with(known)).transpose()?;
        let mut draw = self.draw.clone();
        let copy = |cell: &Arc<Cell>, known: &mut Copies| ResourceTable::copy_of(cell, known);
        for target in draw.targets.iter_mut().flatten() {
            target.cell = copy(&target.cell, known)?;
        }
        if let Some(DepthTarget { depth, stencil, .. }) = &mut draw.depth {
            *depth = Texture { cell: copy(&depth.cell, known)? };
            if let Some(stencil) = stencil {
                *stencil = Texture { cell: copy(&stencil.cell, known)? };
            }
        }
        for buffer in &mut draw.vertex_buffers {
            buffer.buffer = Buffer { cell: copy(&buffer.buffer.cell, known)? };
        }
        if let Some(indices) = &mut draw.indices {
            indices.buffer = Buffer { cell: copy(&indices.buffer.cell, known)? };
        }
        draw.wave_size = Some(how.width);
        draw.prints = None;
        draw.fuel = draw.fuel.map(|it| it.saturating_mul(how.marks));
        let origin = match how.order {
            Some(Order::QuadOrigin(origin)) => origin,
            _ => [false; 2],
        };
        let is = |packing| how.order == Some(Order::Packing(packing));
        draw.packing = Packing {
            per_primitive: is(QuadPacking::PerPrimitive),
            one_quad: is(QuadPacking::OneQuad),
            odd_origin: origin,
            ..Packing::default()
        };
        if let Some(progress) = &draw.progress {
            progress.store(0, Ordering::Relaxed);
        }
        Ok(Copied { draw, vertex, pixel })
    }
}

impl Copied {
    /// The contents of all that the draw may have written.
    fn left(self, names: &[String]) -> Result<Left, BufferError> {
        let Copied { draw, vertex, pixel } = self;
        let mut contents: Vec<Content> = Vec::new();
        let mut known: Vec<*const Cell> = Vec::new();
        // What both bind is looked at as the pixel shader sees it.
        let tables = pixel.iter().map(|it| (Stage::Pixel, it)).chain([(Stage::Vertex, &vertex)]);
        for (stage, table) in tables {
            for (index, element, cell) in table.cells() {
                let resource = &table.resources()[index];
                let is_open = resource.kind.writable() || resource.register.class.is_heap();
                if !is_open || known.contains(&Arc::as_ptr(cell)) {
                    continue;
                }
                known.push(Arc::as_ptr(cell));
                let buffer = cell.lock().host()?.clone();
                let holder = Holder::Resource(stage, Binding(index as u32), element);
                contents.push(Content { name: resource.name.clone(), holder, buffer });
            }
        }
        for (number, target) in draw.targets.iter().enumerate() {
            let Some(target) = target else { continue };
            let Ok(layout) = target.layout() else { continue };
            let name = names.get(number).cloned().unwrap_or_else(|| format!("Target{number}"));
            let format = target.format();
            let holder = Holder::Target(number as u32, format, size(&layout));
            let bytes = texels(&target.cell, layout, format.bytes())?;
            contents.push(Content {
                name,
                holder,
                buffer: Slot { bytes: bytes.into(), ..Slot::default() },
            });
        }
        if let Some(depth) = &draw.depth {
            let planes = [("Depth", Some(&depth.depth)), ("Stencil", depth.stencil.as_ref())];
            for (name, plane) in planes {
                let Some(plane) = plane else { continue };
                let shape: Shape = plane.shape();
                let Some(layout) = Layout::of_level(&shape, 0) else { continue };
                let holder = Holder::Depth(shape.format, size(&layout));
                let bytes = texels(&plane.cell, layout, shape.format.bytes())?;
                let buffer = Slot { bytes: bytes.into(), ..Slot::default() };
                contents.push(Content { name: name.to_owned(), holder, buffer });
            }
        }
        Ok(Left { contents })
    }
}

fn size(layout: &Layout) -> [u32; 4] {
    [layout.width, layout.height, layout.layers, layout.samples]
}

/// The texels of a level, without what lies between its slices.
fn texels(cell: &Cell, layout: Layout, texel: usize) -> Result<Vec<u8>, BufferError> {
    let mut state = cell.lock();
    let bytes = &state.host()?.bytes;
    let of_layer = texel * (layout.width * layout.height * layout.samples) as usize;
    let stride = layout.layer_stride.unwrap_or(of_layer);
    let mut all = Vec::with_capacity(of_layer * layout.layers as usize);
    for layer in 0..layout.layers as usize {
        let start = layout.start + layer * stride;
        all.extend_from_slice(bytes.get(start..start + of_layer).unwrap_or(&[]));
    }
    Ok(all)
}
