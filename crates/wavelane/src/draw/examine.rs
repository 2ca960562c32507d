//! Examining a draw with the sanitizer, which repeats it from the same contents on the reference engine.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use interp::Observer;
use ir::exec::{Bindings, Failure, Feed, Launch, What};
use ir::{Binding, Module};
use ops::intrinsics::Stage;
use ops::texture::Shape;
use raster::{Layout, Samples};
use sanitizer::{
    AlphaSamples, Content, DrawReport, DrawStopped, Ended, Holder, How, Left, Order, Plan,
    QuadPacking, Scene, Watched,
};

use super::copy::{DrawCopy, OwnTables};
use super::departure::{Departure, Part, Programs, Stages};
use super::{Draw, DrawError, StageTables};
use crate::graphics::{GraphicsPipeline, Packing};
use crate::memory::{Cell, Indices, Memory, Slot};
use crate::{BufferError, DispatchError, ResourceTable};

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
        self.examine_stages(draw, plan, &StageTables::new(vertex_table, pixel_table))
    }

    /// The same for a pipeline of any stages.
    pub fn examine_stages(
        &self,
        draw: &Draw,
        plan: &Plan,
        tables: &StageTables<'_>,
    ) -> Result<DrawReport, Box<ExamineDrawError>> {
        let names = match draw.targets.len() {
            1 => vec!["Target".to_owned()],
            count => (0..count).map(|it| format!("Target{it}")).collect(),
        };
        self.examine_named(draw, plan, tables, &names)
    }

    /// The same, with names of the targets.
    pub(crate) fn examine_named(
        &self,
        draw: &Draw,
        plan: &Plan,
        tables: &StageTables<'_>,
        names: &[String],
    ) -> Result<DrawReport, Box<ExamineDrawError>> {
        let width = plan.widths.first().copied().unwrap_or_else(|| self.default_wave_size());
        let early = |error| {
            Box::new(ExamineDrawError { width, stage: None, error, found: DrawReport::default() })
        };
        let examined = Examined { pipeline: self, draw, tables, names };
        let result = crate::guard::catch(|| sanitizer::examine_draw(&examined, plan));
        match result {
            Ok(Ok(report)) => Ok(report),
            Ok(Err(stopped)) => {
                let DrawStopped { width, why, report: found } = *stopped;
                let (stage, error) = match why {
                    Ended::Run(part, failure) => {
                        (Some(part.stage()), DispatchError::from(failure).into())
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
    tables: &StageTables<'_>,
    names: &[String],
) -> Result<Left, DrawError> {
    let examined = Examined { pipeline, draw, tables, names };
    let width = draw.wave_size.unwrap_or_else(|| pipeline.default_wave_size());
    let copy = examined.copied(How::canonical(width))?;
    pipeline.draw_stages(&copy.draw, &copy.tables.borrowed())?;
    Ok(copy.left(pipeline, names)?)
}

/// A draw that can be repeated.
struct Examined<'a> {
    pipeline: &'a GraphicsPipeline,
    draw: &'a Draw,
    tables: &'a StageTables<'a>,
    /// Of the targets.
    names: &'a [String],
}

/// Runs the waves of a draw with observers, and remembers which program failed.
struct Observed<'a, 'w, O> {
    pipeline: &'a GraphicsPipeline,
    how: How,
    watched: &'a mut [Watched<'w, O>],
    failed: Option<(Part, Failure)>,
}

impl<'w, O> Observed<'_, 'w, O> {
    fn watched(&mut self, part: Part) -> Option<&mut Watched<'w, O>> {
        self.watched.iter_mut().find(|it| it.part == part)
    }
}

impl<O: Observer> Stages for Observed<'_, '_, O> {
    fn departure(&self) -> Departure {
        let mut departure = Departure::default();
        match self.how.order {
            Some(Order::EarlyDepth) => departure.early_depth = true,
            Some(Order::Vertices(order)) => departure.vertices = order,
            Some(Order::Patches(packing)) => departure.patches = packing,
            Some(Order::Primitives(packing)) => departure.primitives = packing,
            Some(Order::Children(order)) => departure.children = order,
            Some(Order::Waves(order)) => departure.waves = order,
            Some(Order::AlphaSamples(which)) => {
                departure.alpha_samples = match which {
                    AlphaSamples::Last => raster::AlphaSamples::Last,
                    AlphaSamples::Dithered => raster::AlphaSamples::Dithered,
                }
            }
            _ => {}
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
        let (variation, pipeline) = (self.how.variation(), self.pipeline);
        let ended = match self.watched(part) {
            Some(Watched { program, observer, .. }) => {
                interp::run_waves(program, launch, variation, bindings, feed, observer)
            }
            None => Programs { pipeline }.run(part, launch, bindings, feed),
        };
        ended.inspect_err(|failure| self.failed = Some((part, failure.clone())))
    }

    fn dispatch(
        &mut self,
        part: Part,
        launch: &Launch,
        memory: &mut Memory<'_>,
        places: &Indices,
    ) -> Result<(), DispatchError> {
        let (variation, pipeline) = (self.how.variation(), self.pipeline);
        let (Some(module), Some(watched)) = (pipeline.module(part), self.watched(part)) else {
            return Programs { pipeline }.dispatch(part, launch, memory, places);
        };
        let mut bindings = memory.take(places)?;
        // The contents are put back into the buffers in any case.
        let ended = crate::guard::catch(|| {
            let Watched { program, observer, .. } = watched;
            interp::run_varied(program, launch, variation, &mut bindings, observer)
        });
        memory.put(places, bindings, module);
        let ended = ended.map_err(DispatchError::Bug)?;
        ended.inspect_err(|failure| self.failed = Some((part, failure.clone())))?;
        Ok(())
    }
}

impl GraphicsPipeline {
    /// The module of a part.
    fn module(&self, part: Part) -> Option<&Module> {
        let desc = &*self.desc;
        let shader = match part {
            Part::Vertex | Part::Mesh => {
                Some(&desc.vertex).filter(|it| it.module.stage == part.stage())
            }
            Part::Hull => desc.hull.as_ref(),
            Part::PatchConstants => return desc.hull.as_ref()?.patch.as_deref(),
            Part::Domain => desc.domain.as_ref(),
            Part::Geometry => desc.geometry.as_ref(),
            Part::Amplification => desc.amplification.as_ref(),
            Part::Pixel => desc.pixel.as_ref(),
        };
        shader.map(|it| &*it.module)
    }
}

impl Scene for Examined<'_> {
    type Error = DrawError;

    fn programs(&self) -> Vec<(Part, &Module)> {
        let with_module = |part| Some((part, self.pipeline.module(part)?));
        PARTS.into_iter().filter_map(with_module).collect()
    }

    fn tests_depth(&self) -> bool {
        let tests = self.pipeline.desc.depth_stencil;
        (tests.depth.is_some() || tests.stencil.is_some()) && !self.pipeline.desc.alpha_to_coverage
    }

    fn shapes(&self, part: Part) -> Vec<Option<Shape>> {
        let Some(table) = self.table(part) else { return Vec::new() };
        let mut shapes: Vec<Option<Shape>> = vec![None; table.resources().len()];
        let mut known = vec![false; shapes.len()];
        for (index, _, cell) in table.cells() {
            let shape = match &cell.lock().shape().what {
                What::Texture { shape, .. } => Some(*shape),
                _ => None,
            };
            let is_first = !std::mem::replace(&mut known[index], true);
            shapes[index] = shape.filter(|it| is_first || shapes[index] == Some(*it));
        }
        shapes
    }

    fn mixes_targets(&self) -> bool {
        let desc = &self.pipeline.desc;
        let mut blends = desc.blend.iter().filter_map(|it| it.blend);
        desc.alpha_to_coverage || blends.any(|it| it.is_dual_source())
    }

    fn covers_by_alpha(&self) -> Option<u32> {
        let desc = &self.pipeline.desc;
        let is_on = desc.alpha_to_coverage && self.pipeline.link.outputs.coverage.is_none();
        Some(desc.samples.count()).filter(|it| is_on && *it > 1)
    }

    fn resolved(&self, left: &Left) -> Left {
        Left { contents: left.contents.iter().map(resolved).collect() }
    }

    fn run<O: Observer>(
        &self,
        how: How,
        watched: &mut [Watched<'_, O>],
    ) -> Result<Left, Ended<DrawError>> {
        let copy = self.copied(how).map_err(|it| Ended::Other(it.into()))?;
        let mut stages = Observed { pipeline: self.pipeline, how, watched, failed: None };
        match self.pipeline.draw_by(&copy.draw, &copy.tables.borrowed(), &mut stages) {
            Ok(()) => copy.left(self.pipeline, self.names).map_err(|it| Ended::Other(it.into())),
            Err(error) => Err(match stages.failed {
                Some((part, failure)) => Ended::Run(part, failure),
                None => Ended::Other(error),
            }),
        }
    }
}

/// All parts, in their order.
const PARTS: [Part; 8] = [
    Part::Amplification,
    Part::Mesh,
    Part::Vertex,
    Part::Hull,
    Part::PatchConstants,
    Part::Domain,
    Part::Geometry,
    Part::Pixel,
];

impl OwnTables {
    /// The table of a part.
    fn of(&self, part: Part) -> Option<&ResourceTable> {
        match part {
            Part::Amplification => self.amplification.as_ref(),
            Part::Mesh | Part::Vertex => Some(&self.vertex),
            Part::Hull | Part::PatchConstants => self.hull.as_ref(),
            Part::Domain => self.domain.as_ref(),
            Part::Geometry => self.geometry.as_ref(),
            Part::Pixel => self.pixel.as_ref(),
        }
    }
}

impl Examined<'_> {
    /// The table of a part.
    fn table(&self, part: Part) -> Option<&ResourceTable> {
        let StageTables { vertex, amplification, hull, domain, geometry, pixel } = *self.tables;
        match part {
            Part::Amplification => amplification,
            Part::Mesh | Part::Vertex => Some(vertex),
            Part::Hull | Part::PatchConstants => hull,
            Part::Domain => domain,
            Part::Geometry => geometry,
            Part::Pixel => pixel,
        }
    }

    /// The draw with copies of everything that it reads and writes.
    fn copied(&self, how: How) -> Result<DrawCopy, BufferError> {
        let mut copy = DrawCopy::of(self.draw, self.tables)?;
        let draw = &mut copy.draw;
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
        Ok(copy)
    }
}

impl DrawCopy {
    /// The contents of all that the draw may have written.
    fn left(self, pipeline: &GraphicsPipeline, names: &[String]) -> Result<Left, BufferError> {
        let DrawCopy { draw, tables } = self;
        let mut contents: Vec<Content> = Vec::new();
        let mut known: Vec<*const Cell> = Vec::new();
        // A resource that several stages use is read as the last of them leaves it; one that no stage uses cannot have
        // changed.
        for part in PARTS.into_iter().rev() {
            let (Some(module), Some(table)) = (pipeline.module(part), tables.of(part)) else {
                continue;
            };
            for (index, element, cell) in table.cells() {
                let resource = &module.resources[index];
                let is_heap = resource.register.class.is_heap();
                if !(is_heap || resource.used && resource.kind.writable()) {
                    continue;
                }
                let binding = Binding(index as u32);
                if let Some(at) = known.iter().position(|it| *it == Arc::as_ptr(cell)) {
                    contents[at].users.push((part, binding));
                    continue;
                }
                known.push(Arc::as_ptr(cell));
                let buffer = cell.lock().host()?.clone();
                let (name, users) = (resource.name.clone(), vec![(part, binding)]);
                let holder = Holder::Resource(part, binding, element);
                contents.push(Content { name, holder, users, buffer });
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
                users: Vec::new(),
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
                let (name, users) = (name.to_owned(), Vec::new());
                contents.push(Content { name, holder, users, buffer });
            }
        }
        Ok(Left { contents })
    }
}

/// A content with the average of each pixel's samples, or with its samples in the order of their bytes where there is
/// no average.
fn resolved(content: &Content) -> Content {
    let (Holder::Target(_, format, size) | Holder::Depth(format, size)) = content.holder else {
        return content.clone();
    };
    let [width, height, layers, count] = size;
    let Some(samples) = Samples::of(count).filter(|it| *it != Samples::One) else {
        return content.clone();
    };
    let bytes = &content.buffer.bytes;
    let (bytes, holder) = match content.holder {
        Holder::Target(number, ..) if !format.is_integer() => {
            let holder = Holder::Target(number, format, [width, height, layers, 1]);
            (raster::resolve(format, samples, bytes), holder)
        }
        holder => {
            let mut sorted = Vec::with_capacity(bytes.len());
            for pixel in bytes.chunks_exact(format.bytes() * count as usize) {
                let mut each: Vec<&[u8]> = pixel.chunks_exact(format.bytes()).collect();
                each.sort_unstable();
                sorted.extend(each.concat());
            }
            (sorted, holder)
        }
    };
    let buffer = Slot { bytes: bytes.into(), ..content.buffer.clone() };
    Content { holder, buffer, ..content.clone() }
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
