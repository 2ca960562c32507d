//! The vertex side of a draw: fetches attributes, feeds the vertex shader, and keeps its outputs until they are drawn.
//!
//! A lane is a fetched vertex; waves are dense over instances, and only the last one of a draw is partial. An index
//! that occurs twice is two lanes, except in draws that cannot observe the difference ([`raster::Assembly::shared`]).

use ir::Slot;
use ir::exec::{Feed, FeedInPlace, Invocation, WaveInPlace, WaveInputs, WaveOutputs};
use ops::LaneMask;
use raster::{Assembly, fetch};

use super::{Draw, VertexBuffer};
use crate::graphics::{GraphicsDesc, Link, VertexInput};

/// What the input assembler reads.
#[derive(Clone, Copy)]
pub(super) struct Fetched<'a> {
    pub(super) draw: &'a Draw,
    pub(super) desc: &'a GraphicsDesc,
    pub(super) link: &'a Link,
    pub(super) assembly: &'a Assembly,
    /// By slot, the contents of the vertex buffers.
    pub(super) buffers: &'a [&'a [u8]],
}

/// The outputs of vertices, for those that primitives to come may need.
pub(super) struct Transformed {
    /// The number of the first one in the draw.
    pub(super) first: u64,
    pub(super) words: Vec<u32>,
    pub(super) slots: usize,
}

/// Feeds waves of vertices up to `end`, counted from the first of the draw.
pub(super) struct VertexFeed<'a> {
    pub(super) fetched: &'a Fetched<'a>,
    pub(super) transformed: &'a mut Transformed,
    /// The next vertex.
    pub(super) next: &'a mut u64,
    pub(super) end: u64,
    pub(super) width: u32,
    /// How many vertices the draw has.
    pub(super) total: u64,
    /// How many lanes of the running wave exist.
    pub(super) lanes: u32,
}

impl Transformed {
    pub(super) fn new(slots: u32) -> Transformed {
        Transformed { first: 0, words: Vec::new(), slots: slots as usize }
    }

    /// Makes room for more vertices.
    pub(super) fn grow(&mut self, vertices: u32) -> &mut [u32] {
        let start = self.words.len();
        self.words.resize(start + vertices as usize * self.slots, 0);
        &mut self.words[start..]
    }

    /// Makes sure that the vertices before this one have room, at once.
    pub(super) fn reserve(&mut self, before: u64) {
        let count = (before - self.first) as usize * self.slots;
        self.words.reserve(count.saturating_sub(self.words.len()));
    }

    /// Forgets the vertices before this one.
    pub(super) fn forget(&mut self, before: u64) {
        let count = (before - self.first) as usize * self.slots;
        self.words.drain(..count.min(self.words.len()));
        self.first = before;
    }
}

impl Fetched<'_> {
    /// `SV_StartVertexLocation`.
    fn start_vertex(&self) -> u32 {
        match self.draw.indices {
            Some(_) => self.draw.base_vertex as u32,
            None => self.draw.start,
        }
    }

    /// Which element of the vertex buffers a vertex is.
    fn element(&self, vertex_id: u32) -> u64 {
        let first = match self.draw.indices {
            Some(_) => i64::from(self.draw.base_vertex),
            None => i64::from(self.draw.start),
        };
        // Reads before the buffer give 0, like those beyond its end.
        u64::try_from(i64::from(vertex_id) + first).unwrap_or(u64::MAX)
    }

    /// The bits of an attribute's components for a vertex of an instance.
    fn attribute(&self, attribute: usize, vertex_id: u32, instance: u32) -> [u32; 4] {
        let attribute = self.link.attributes[attribute];
        let element = &self.desc.input_layout[attribute.element];
        let at = match element.step_rate {
            None => self.element(vertex_id),
            Some(rate) => {
                let step = instance.checked_div(rate).unwrap_or(0);
                u64::from(self.draw.start_instance) + u64::from(step)
            }
        };
        let VertexBuffer { stride, .. } = self.draw.vertex_buffers[element.slot];
        let buffer = raster::VertexBuffer { bytes: self.buffers[element.slot], stride };
        fetch(buffer, at, element.offset, element.format, attribute.scalar)
    }

    /// Fills the rows of a wave with the inputs of these vertices, lane by lane.
    pub(super) fn fill(&self, vertices: impl Iterator<Item = u64>, wave: &mut WaveInputs) {
        let per_instance = u64::from(self.assembly.vertices());
        let mut attributes = vec![[0; 4]; self.link.attributes.len()];
        for (lane, vertex) in vertices.enumerate() {
            let instance = (vertex / per_instance) as u32;
            let vertex_id = self.assembly.vertex_id((vertex % per_instance) as u32);
            for (i, attribute) in attributes.iter_mut().enumerate() {
                *attribute = self.attribute(i, vertex_id, instance);
            }
            for (slot, input) in self.link.vertex_inputs.iter().enumerate() {
                let bits = match *input {
                    VertexInput::VertexId => vertex_id,
                    VertexInput::InstanceId => instance,
                    VertexInput::StartVertex => self.start_vertex(),
                    VertexInput::StartInstance => self.draw.start_instance,
                    VertexInput::Zero => 0,
                    VertexInput::Attribute { attribute, component } => {
                        attributes[attribute][component]
                    }
                };
                wave.rows.row_mut(Slot(slot as u32))[lane] = u64::from(bits);
            }
        }
    }

    /// Fills the row of an input for consecutive vertices, if these are one instance's with consecutive numbers, and
    /// what the slot holds can be copied or counted; whether that is so.
    fn fill_row(&self, input: VertexInput, first: u64, row: &mut [u32]) -> bool {
        let per_instance = u64::from(self.assembly.vertices());
        let (instance, within) = (first / per_instance, first % per_instance);
        let Some(first_id) = self.assembly.first_id() else { return false };
        if within + row.len() as u64 > per_instance {
            return false;
        }
        let constant = match input {
            VertexInput::VertexId => {
                let first = first_id + within as u32;
                (first..).zip(row).for_each(|(id, to)| *to = id);
                return true;
            }
            VertexInput::InstanceId => instance as u32,
            VertexInput::StartVertex => self.start_vertex(),
            VertexInput::StartInstance => self.draw.start_instance,
            VertexInput::Zero => 0,
            VertexInput::Attribute { attribute, component } => {
                let attribute = self.link.attributes[attribute];
                let element = &self.desc.input_layout[attribute.element];
                if element.step_rate.is_some() {
                    return false;
                }
                let stride = self.draw.vertex_buffers[element.slot].stride;
                let buffer = raster::VertexBuffer { bytes: self.buffers[element.slot], stride };
                let at = self.element(first_id + within as u32);
                let (offset, format) = (element.offset, element.format);
                return raster::fetch_row(
                    buffer,
                    at,
                    offset,
                    format,
                    attribute.scalar,
                    component,
                    row,
                );
            }
        };
        row.fill(constant);
        true
    }

    /// What a vertex is.
    pub(super) fn invocation(&self, number: u64) -> Invocation {
        let per_instance = u64::from(self.assembly.vertices());
        let instance = (number / per_instance) as u32;
        let id = self.assembly.vertex_id((number % per_instance) as u32);
        Invocation::Vertex { number, instance, id }
    }
}

impl Feed for VertexFeed<'_> {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        if *self.next >= self.end {
            return false;
        }
        let fetched = self.fetched;
        let lanes = (self.total - *self.next).min(u64::from(self.width)) as u32;
        wave.lanes = LaneMask::first_n(lanes);
        wave.helpers = LaneMask::EMPTY;
        let vertices = *self.next..*self.next + u64::from(lanes);
        fetched.fill(vertices, wave);
        *self.next += u64::from(lanes);
        self.lanes = lanes;
        true
    }

    fn take(&mut self, wave: &WaveOutputs) {
        let slots = self.transformed.slots;
        let words = self.transformed.grow(self.lanes);
        for slot in 0..slots {
            let row = wave.rows.row(Slot(slot as u32));
            for (vertex, bits) in words.chunks_exact_mut(slots).zip(row) {
                vertex[slot] = *bits as u32;
            }
        }
    }

    fn in_place(&mut self) -> Option<&mut dyn FeedInPlace> {
        Some(self)
    }

    fn invocation(&self, lane: u32) -> Option<Invocation> {
        // The wave has been counted.
        let first = *self.next - u64::from(self.lanes);
        (lane < self.lanes).then(|| self.fetched.invocation(first + u64::from(lane)))
    }
}

impl FeedInPlace for VertexFeed<'_> {
    fn next_in_place(&mut self, wave: &mut dyn WaveInPlace) -> bool {
        if *self.next >= self.end {
            return false;
        }
        let first = *self.next;
        let lanes = (self.total - first).min(u64::from(self.width)) as u32;
        wave.deal(LaneMask::first_n(lanes), LaneMask::EMPTY);
        // The rows that cannot be filled as such, by all lanes one after the other.
        let mut general: Option<WaveInputs> = None;
        let inputs = &self.fetched.link.vertex_inputs;
        for (slot, input) in (0..).map(Slot).zip(inputs) {
            let Some(row) = wave.input(slot) else { continue };
            let (row, beyond) = row.split_at_mut(lanes as usize);
            beyond.fill(0);
            if self.fetched.fill_row(*input, first, row) {
                continue;
            }
            let general = general.get_or_insert_with(|| {
                let mut wave = WaveInputs::new(inputs.len() as u32, self.width);
                self.fetched.fill(first..first + u64::from(lanes), &mut wave);
                wave
            });
            let bits = general.rows.row(slot);
            row.iter_mut().zip(bits).for_each(|(to, bits)| *to = *bits as u32);
        }
        *self.next += u64::from(lanes);
        self.lanes = lanes;
        true
    }

    fn take_in_place(&mut self, wave: &dyn WaveInPlace) {
        let slots = self.transformed.slots;
        let words = self.transformed.grow(self.lanes);
        interleave(words, slots, |slot| wave.output(Slot(slot as u32)));
    }
}

/// Writes rows of outputs vertex by vertex; a vertex has `slots` slots.
pub(super) fn interleave<'a>(words: &mut [u32], slots: usize, row: impl Fn(usize) -> &'a [u32]) {
    // Four slots at a time are a vector.
    let fours = slots / 4 * 4;
    for first in (0..fours).step_by(4) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|it| row(first + it));
        let rows = a.iter().zip(b).zip(c).zip(d);
        for (vertex, (((a, b), c), d)) in words.chunks_exact_mut(slots).zip(rows) {
            vertex[first..first + 4].copy_from_slice(&[*a, *b, *c, *d]);
        }
    }
    for slot in fours..slots {
        let vertices = words.chunks_exact_mut(slots);
        vertices.zip(row(slot)).for_each(|(vertex, bits)| vertex[slot] = *bits);
    }
}
