//! The stages between the vertex shader and the rasterizer: tessellation and the geometry shader.
//!
//! Each stage runs for all primitives of the draw before the next one begins; its lanes are dense. What a stage leaves
//! are vertices and the primitives between them, in the form in which the vertex shader's reach the rasterizer.

mod lanes;
mod tessellated;

use ir::exec::{Assembled, Invocation, Schedule};
use ir::stage::CUT;
use raster::Primitive;

use self::lanes::{Dealt, Lanes, Numbered};
use super::departure::{LanePacking, Part, Stages, dealt};
use super::run::Run;
use super::vertices::Transformed;
use super::{DrawError, MOST_WORDS};
use crate::graphics::{Geometry, Source, Step};
use crate::memory::Memory;

/// Vertices, and the primitives that they form.
pub(super) struct Made {
    pub(super) transformed: Transformed,
    pub(super) primitives: Vec<Primitive>,
}

impl Made {
    pub(super) fn new(slots: u32) -> Made {
        Made { transformed: Transformed::new(slots), primitives: Vec::new() }
    }

    /// Adds what another batch has made.
    pub(super) fn append(&mut self, more: Made) -> Result<(), DrawError> {
        let slots = self.transformed.slots.max(1);
        let first = (self.transformed.words.len() / slots) as u32;
        let words = self.transformed.words.len() + more.transformed.words.len();
        if words as u64 > MOST_WORDS {
            let vertices = (words / slots) as u64;
            return Err(DrawError::TooManyVertices { vertices, most: MOST_WORDS / slots as u64 });
        }
        self.transformed.words.extend(more.transformed.words);
        self.primitives.extend(
            more.primitives
                .into_iter()
                .map(|it| Primitive { vertices: it.vertices.map(|vertex| first + vertex), ..it }),
        );
        Ok(())
    }
}

/// The primitives that a stage reads: all of their vertices, one after the other.
struct Read {
    words: Vec<u32>,
    slots: usize,
    vertices: Vec<u32>,
    /// The vertices of a primitive.
    each: usize,
    /// By primitive, `SV_PrimitiveID`.
    ids: Vec<u32>,
    /// How many primitives an instance of the draw has; `None` if the tessellator made them.
    per_instance: Option<u64>,
}

impl Read {
    fn word(&self, primitive: u64, vertex: u32, slot: u32) -> u32 {
        let vertex = self.vertices[primitive as usize * self.each + vertex as usize] as usize;
        self.words[vertex * self.slots + slot as usize]
    }

    /// What a stage reads of a primitive's vertices; `number` is that of the invocation.
    fn of_vertices(&self, primitive: u64, number: u64, source: Source) -> u32 {
        match source {
            Source::Vertex { vertex, slot } => self.word(primitive, vertex, slot),
            Source::PrimitiveId => self.ids[primitive as usize],
            Source::Number => number as u32,
            Source::Zero | Source::Point { .. } | Source::Patch { .. } | Source::Place(_) => 0,
        }
    }

    /// What a primitive is.
    fn assembled(&self, number: u64) -> Assembled {
        let each = self.per_instance.unwrap_or(u64::MAX).max(1);
        Assembled { number, instance: (number / each) as u32, id: (number % each) as u32 }
    }
}

/// The lanes of a geometry shader: each is an instance of a primitive.
struct Primitives<'a> {
    read: &'a Read,
    instances: u64,
}

impl Numbered for Primitives<'_> {
    fn total(&self) -> u64 {
        (self.read.ids.len() as u64).saturating_mul(self.instances)
    }

    fn word(&self, lane: u64, source: Source) -> u32 {
        self.read.of_vertices(lane / self.instances, lane % self.instances, source)
    }

    fn invocation(&self, lane: u64) -> Invocation {
        Invocation::Primitive {
            primitive: self.read.assembled(lane / self.instances),
            instance: (lane % self.instances) as u32,
        }
    }
}

/// The patch or primitive of a lane.
fn assembled(invocation: Invocation) -> u64 {
    match invocation {
        Invocation::ControlPoint { patch, .. }
        | Invocation::Patch(patch)
        | Invocation::DomainPoint { patch, .. } => patch.number,
        Invocation::Primitive { primitive, .. } => primitive.number,
        Invocation::Vertex { number, .. } => number,
        Invocation::Pixel { piece, .. } => piece,
        Invocation::Thread { group, .. } => group.into(),
    }
}

impl Run<'_> {
    /// Runs the stages between for all primitives of the draw.
    pub(super) fn between(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        transformed: Transformed,
        fuel: &mut Option<u64>,
    ) -> Result<Made, DrawError> {
        let assembly = self.fetched.assembly;
        let own = assembly.all_vertices();
        let (count, per_instance) = (assembly.count(), u64::from(assembly.vertices()));
        let all = count.saturating_mul(self.draw.instances.into());
        check_words(all, u64::from(assembly.topology().vertices()))?;
        // Fits: the kept vertices are fewer than `MOST_WORDS`.
        let of_instance = |instance: u32| {
            let first = (u64::from(instance) * per_instance) as u32;
            own.iter().map(move |it| first + it)
        };
        let mut read = Read {
            vertices: (0..self.draw.instances).flat_map(of_instance).collect(),
            slots: transformed.slots,
            words: transformed.words,
            each: assembly.topology().vertices() as usize,
            ids: (0..all).map(|it| (it % count.max(1)) as u32).collect(),
            per_instance: Some(count),
        };
        let between = &self.pipeline.between;
        if let Some(tessellation) = &between.tessellation {
            let mut at = Stage { stages, memory, fuel };
            read = self.tessellated(&mut at, tessellation, &read)?;
        }
        if let Some(geometry) = &between.geometry {
            let mut at = Stage { stages, memory, fuel };
            return self.emitted(&mut at, geometry, &read);
        }
        let corner =
            |at: usize, corner: usize| read.vertices[at * read.each + corner.min(read.each - 1)];
        let primitives = read.ids.iter().enumerate().map(|(at, id)| Primitive {
            vertices: [corner(at, 0), corner(at, 1), corner(at, 2)],
            id: *id,
        });
        let primitives = primitives.collect();
        let transformed = Transformed { first: 0, words: read.words, slots: read.slots };
        Ok(Made { transformed, primitives })
    }

    /// The outputs of a stage for all of its lanes.
    fn lanes(
        &self,
        at: &mut Stage<'_, '_>,
        part: Part,
        step: &Step,
        of: &dyn Numbered,
    ) -> Result<Vec<u32>, DrawError> {
        check_words(of.total(), step.outputs.into())?;
        let departure = at.stages.departure();
        let how = (departure.packing(part), departure.waves);
        if how == (LanePacking::Dense, Schedule::Ascending) {
            let mut feed = Lanes::new(step, of, self.width);
            self.stage(at.stages, at.memory, (part, at.fuel), &mut feed)?;
            return Ok(feed.words);
        }
        let waves = dealt(of.total(), self.width, how, |it| assembled(of.invocation(it)));
        let mut feed = Dealt::new(step, of, waves);
        self.stage(at.stages, at.memory, (part, at.fuel), &mut feed)?;
        Ok(feed.words)
    }

    fn emitted(
        &self,
        at: &mut Stage<'_, '_>,
        geometry: &Geometry,
        read: &Read,
    ) -> Result<Made, DrawError> {
        let Geometry { traits, step, primitive_id } = geometry;
        let instances = u64::from(traits.instances);
        let words = self.lanes(at, Part::Geometry, step, &Primitives { read, instances })?;
        let drawn = traits.streams.first();
        let slots = drawn.map_or(0, |it| ir::stage::slot_count(&it.elements)) as usize;
        let corners = drawn.map_or(3, |it| it.corners);
        let stride = traits.stride() as usize;
        let mut made = Made::new(slots as u32);
        let mut next = 0;
        for lane in words.chunks_exact(step.outputs.max(1) as usize) {
            let count = lane[0].min(traits.most_vertices) as usize;
            let mut strip: Vec<u32> = Vec::new();
            for vertex in lane[1..].chunks_exact(stride).take(count) {
                // The other streams are run and dropped.
                if vertex[0] & !CUT != 0 {
                    continue;
                }
                if vertex[0] & CUT != 0 {
                    strip.clear();
                }
                strip.push(next);
                next += 1;
                made.transformed.words.extend_from_slice(&vertex[1..1 + slots]);
                let Some(corners) = newest(&strip, corners) else { continue };
                let leading = corners[0] as usize * slots;
                let id = primitive_id.map_or(0, |it| made.transformed.words[leading + it as usize]);
                made.primitives.push(Primitive { vertices: corners, id });
            }
        }
        Ok(made)
    }
}

/// Whether `count` vertices of `each` words can be kept.
pub(super) fn check_words(count: u64, each: u64) -> Result<(), DrawError> {
    if count.saturating_mul(each.max(1)) <= MOST_WORDS {
        return Ok(());
    }
    Err(DrawError::TooManyVertices { vertices: count, most: MOST_WORDS / each.max(1) })
}

/// The primitive that the last vertex of a strip completes.
fn newest(strip: &[u32], corners: u8) -> Option<[u32; 3]> {
    match (strip, corners) {
        ([.., a], 1) => Some([*a; 3]),
        ([.., a, b], 2) => Some([*a, *b, *b]),
        // Every other triangle is turned, so that all have the same facing.
        ([.., a, b, c], 3) if strip.len() % 2 == 1 => Some([*a, *b, *c]),
        ([.., a, b, c], 3) => Some([*a, *c, *b]),
        _ => None,
    }
}

/// What the stages of a draw run with.
struct Stage<'a, 'm> {
    stages: &'a mut dyn Stages,
    memory: &'a mut Memory<'m>,
    fuel: &'a mut Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::newest;

    #[test]
    fn the_triangles_of_a_strip_have_one_facing() {
        let strip = [4, 5, 6, 7];
        assert_eq!(newest(&strip[..2], 3), None);
        assert_eq!(newest(&strip[..3], 3), Some([4, 5, 6]));
        assert_eq!(newest(&strip, 3), Some([5, 7, 6]));
        assert_eq!(newest(&strip, 2), Some([6, 7, 7]));
        assert_eq!(newest(&strip[..1], 1), Some([4; 3]));
    }
}
