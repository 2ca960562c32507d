//! The stages between the vertex shader and the rasterizer: tessellation and the geometry shader.
//!
//! Each stage runs for all primitives of the draw before the next one begins; its lanes are dense. What a stage leaves
//! are vertices and the primitives between them, in the form in which the vertex shader's reach the rasterizer.

use ir::Slot;
use ir::exec::{Assembled, Feed, Invocation, Schedule, WaveInputs, WaveOutputs};
use ir::stage::CUT;
use ops::LaneMask;
use raster::{Factors, Primitive, tessellate};

use super::departure::{LanePacking, Part, Stages, dealt};
use super::run::Run;
use super::vertices::Transformed;
use super::{DrawError, MOST_WORDS};
use crate::graphics::{Geometry, Source, Step, Tessellation};
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

    /// What a primitive is.
    fn assembled(&self, number: u64) -> Assembled {
        let each = self.per_instance.unwrap_or(u64::MAX).max(1);
        Assembled { number, instance: (number / each) as u32, id: (number % each) as u32 }
    }
}

/// What the lanes of a stage are, which are numbered: how many, what their inputs hold, and what each stands for.
struct Numbered<'a> {
    total: u64,
    word: &'a dyn Fn(u64, Source) -> u32,
    invocation: &'a dyn Fn(u64) -> Invocation,
}

/// Feeds the lanes of a stage.
struct Lanes<'a> {
    step: &'a Step,
    of: Numbered<'a>,
    next: u64,
    width: u32,
    /// How many lanes of the running wave exist.
    lanes: u32,
    /// The outputs, lane by lane.
    words: Vec<u32>,
}

/// Feeds them in waves that are packed in another way.
struct Dealt<'a> {
    step: &'a Step,
    of: Numbered<'a>,
    /// The waves to come, in reverse order.
    waves: Vec<Vec<u64>>,
    running: Vec<u64>,
    words: Vec<u32>,
}

impl Step {
    /// Fills the rows of a wave with the inputs of these lanes.
    fn fill(
        &self,
        lanes: impl Iterator<Item = u64> + Clone,
        word: &dyn Fn(u64, Source) -> u32,
        wave: &mut WaveInputs,
    ) {
        for (slot, source) in &self.inputs {
            let row = wave.rows.row_mut(*slot);
            for (lane, bits) in lanes.clone().zip(row) {
                *bits = word(lane, *source).into();
            }
        }
    }
}

impl Feed for Lanes<'_> {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        if self.next >= self.of.total {
            return false;
        }
        self.lanes = (self.of.total - self.next).min(u64::from(self.width)) as u32;
        wave.lanes = LaneMask::first_n(self.lanes);
        wave.helpers = LaneMask::EMPTY;
        let end = self.next + u64::from(self.lanes);
        self.step.fill(self.next..end, self.of.word, wave);
        self.next = end;
        true
    }

    fn take(&mut self, wave: &WaveOutputs) {
        let slots = self.step.outputs as usize;
        let start = self.words.len();
        self.words.resize(start + self.lanes as usize * slots, 0);
        for slot in 0..slots {
            let row = wave.rows.row(Slot(slot as u32));
            let lanes = self.words[start..].chunks_exact_mut(slots.max(1));
            for (lane, bits) in lanes.zip(row) {
                lane[slot] = *bits as u32;
            }
        }
    }

    fn invocation(&self, lane: u32) -> Option<Invocation> {
        // The wave has been counted.
        let first = self.next - u64::from(self.lanes);
        (lane < self.lanes).then(|| (self.of.invocation)(first + u64::from(lane)))
    }
}

impl Feed for Dealt<'_> {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        let Some(lanes) = self.waves.pop() else { return false };
        wave.lanes = LaneMask::first_n(lanes.len() as u32);
        wave.helpers = LaneMask::EMPTY;
        self.step.fill(lanes.iter().copied(), self.of.word, wave);
        self.running = lanes;
        true
    }

    fn take(&mut self, wave: &WaveOutputs) {
        let slots = self.step.outputs as usize;
        for slot in 0..slots {
            let row = wave.rows.row(Slot(slot as u32));
            for (lane, bits) in self.running.iter().zip(row) {
                self.words[*lane as usize * slots + slot] = *bits as u32;
            }
        }
    }

    fn invocation(&self, lane: u32) -> Option<Invocation> {
        self.running.get(lane as usize).map(|it| (self.of.invocation)(*it))
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

    /// The outputs of a stage for so many lanes.
    fn lanes(
        &self,
        at: &mut Stage<'_, '_>,
        part: Part,
        step: &Step,
        of: Numbered<'_>,
    ) -> Result<Vec<u32>, DrawError> {
        check_words(of.total, step.outputs.into())?;
        let departure = at.stages.departure();
        let how = (departure.packing(part), departure.waves);
        if how == (LanePacking::Dense, Schedule::Ascending) {
            let (next, lanes) = (0, 0);
            let mut feed = Lanes { step, of, next, width: self.width, lanes, words: Vec::new() };
            self.stage(at.stages, at.memory, (part, at.fuel), &mut feed)?;
            return Ok(feed.words);
        }
        let mut waves = dealt(of.total, self.width, how, |it| assembled((of.invocation)(it)));
        waves.reverse();
        let words = vec![0; of.total as usize * step.outputs as usize];
        let mut feed = Dealt { step, of, waves, running: Vec::new(), words };
        self.stage(at.stages, at.memory, (part, at.fuel), &mut feed)?;
        Ok(feed.words)
    }

    fn tessellated(
        &self,
        at: &mut Stage<'_, '_>,
        tessellation: &Tessellation,
        read: &Read,
    ) -> Result<Read, DrawError> {
        let Tessellation { traits, hull, constants, domain, factors } = tessellation;
        let patches = read.ids.len() as u64;
        let made = u64::from(traits.made);
        let of_vertices = |patch: u64, number: u64, source: Source| match source {
            Source::Vertex { vertex, slot } => read.word(patch, vertex, slot),
            Source::PrimitiveId => read.ids[patch as usize],
            Source::Number => number as u32,
            Source::Zero | Source::Point { .. } | Source::Patch { .. } | Source::Place(_) => 0,
        };
        let word = |lane: u64, source: Source| of_vertices(lane / made, lane % made, source);
        let invocation = |lane: u64| Invocation::ControlPoint {
            patch: read.assembled(lane / made),
            point: (lane % made) as u32,
        };
        let of = Numbered { total: patches * made, word: &word, invocation: &invocation };
        let points = self.lanes(at, Part::Hull, hull, of)?;
        let (of_point, of_patch) = (hull.outputs as usize, constants.outputs as usize);
        let point = |patch: u64, point: u32, slot: u32| {
            let lane = (patch * made) as usize + point as usize;
            points[lane * of_point + slot as usize]
        };
        let word = |lane: u64, source: Source| match source {
            Source::Point { point: number, slot } => point(lane, number, slot),
            source => of_vertices(lane, 0, source),
        };
        let part = Part::PatchConstants;
        let invocation = |lane: u64| Invocation::Patch(read.assembled(lane));
        let of = Numbered { total: patches, word: &word, invocation: &invocation };
        let constants_of = self.lanes(at, part, constants, of)?;
        let constant = |patch: usize, slot: u32| constants_of[patch * of_patch + slot as usize];

        let (of_domain, partitioning, topology) = tessellation.terms();
        let (mut places, mut vertices, mut ids) = (Vec::new(), Vec::new(), Vec::new());
        let each = usize::from(traits.topology.corners());
        for patch in 0..patches as usize {
            let mut of = Factors { edges: [0.0; 4], insides: [0.0; 2] };
            for (factor, slot) in of.edges.iter_mut().zip(&factors[0]) {
                *factor = f32::from_bits(constant(patch, *slot));
            }
            for (factor, slot) in of.insides.iter_mut().zip(&factors[1]) {
                *factor = f32::from_bits(constant(patch, *slot));
            }
            let Some(found) = tessellate(of_domain, partitioning, topology, &of) else { continue };
            let first = places.len() as u32;
            places.extend((0..).zip(found.points).map(|(number, it)| (patch as u64, number, it)));
            check_words(places.len() as u64, domain.outputs.max(6).into())?;
            for primitive in found.primitives {
                vertices.extend(primitive[..each].iter().map(|it| first + it));
                ids.push(read.ids[patch]);
            }
        }
        let word = |lane: u64, source: Source| {
            let (patch, _, [u, v]) = places[lane as usize];
            let [u, v] = [u, v].map(|it| it as f32 / 65536.0);
            match source {
                Source::Place(0) => u.to_bits(),
                Source::Place(1) => v.to_bits(),
                Source::Place(_) => (1.0 - u - v).to_bits(),
                Source::Point { point: number, slot } => point(patch, number, slot),
                Source::Patch { slot } => constant(patch as usize, slot),
                Source::PrimitiveId => read.ids[patch as usize],
                Source::Zero | Source::Vertex { .. } | Source::Number => 0,
            }
        };
        let invocation = |lane: u64| {
            let (patch, number, at) = places[lane as usize];
            Invocation::DomainPoint { patch: read.assembled(patch), number, at }
        };
        let of = Numbered { total: places.len() as u64, word: &word, invocation: &invocation };
        let words = self.lanes(at, Part::Domain, domain, of)?;
        let slots = domain.outputs as usize;
        Ok(Read { words, slots, vertices, each, ids, per_instance: None })
    }

    fn emitted(
        &self,
        at: &mut Stage<'_, '_>,
        geometry: &Geometry,
        read: &Read,
    ) -> Result<Made, DrawError> {
        let Geometry { traits, step, primitive_id } = geometry;
        let instances = u64::from(traits.instances);
        let word = |lane: u64, source: Source| match source {
            Source::Vertex { vertex, slot } => read.word(lane / instances, vertex, slot),
            Source::PrimitiveId => read.ids[(lane / instances) as usize],
            Source::Number => (lane % instances) as u32,
            Source::Zero | Source::Point { .. } | Source::Patch { .. } | Source::Place(_) => 0,
        };
        let total = (read.ids.len() as u64).saturating_mul(instances);
        let invocation = |lane: u64| Invocation::Primitive {
            primitive: read.assembled(lane / instances),
            instance: (lane % instances) as u32,
        };
        let of = Numbered { total, word: &word, invocation: &invocation };
        let words = self.lanes(at, Part::Geometry, step, of)?;
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

/// Whether so many vertices of `each` words can be kept.
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
