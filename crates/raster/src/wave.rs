//! Waves of quads: which lane is which pixel of which primitive.
//!
//! Lanes 4k to 4k + 3 are the pixels (x, y), (x + 1, y), (x, y + 1) and (x + 1, y + 1) of quad k. Lanes whose pixel is
//! not covered are helpers; lanes beyond the last quad do not exist.

use ops::LaneMask;

use crate::each::each4;
use crate::interpolate::Weights;
use crate::sample::Samples;
use crate::setup::Geometry;
use crate::signature::Inputs;
use crate::state::{Packing, RasterState};

/// 2×2 pixels of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quad {
    /// The upper left pixel.
    pub x: i32,
    pub y: i32,
    /// The slice of the targets.
    pub layer: u32,
    /// The sample of the invocation, if the shader runs at sample frequency.
    pub sample: Option<u8>,
    /// The samples of each pixel that the primitive covers.
    pub inside: [u16; 4],
    /// Those for which the lane runs: without masked ones, ones that an early test rejected, and other invocations'.
    pub covered: [u16; 4],
    /// The primitive, as an index into the records of its wave.
    pub(crate) record: u32,
}

/// What a wave keeps of a primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) geometry: Geometry,
    pub(crate) front: bool,
    pub(crate) id: u32,
    /// The number of the piece in the draw.
    pub(crate) piece: u64,
}

/// Consecutive quads of one primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) record: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether the quads lie side by side in one row, all of their pixels covered. Short runs do not say.
    pub(crate) is_solid: bool,
}

/// The fewest quads of a run that may be solid.
const LONG: usize = 4;

/// The quads of one wave, and what interpolation and merging need of their primitives.
#[derive(Clone, Debug)]
pub struct Wave {
    pub(crate) width: u32,
    pub(crate) samples: Samples,
    /// The sample mask, within the samples.
    pub(crate) mask: u16,
    pub(crate) quads: Vec<Quad>,
    /// The lanes of quads whose pixel is not covered.
    uncovered: LaneMask,
    pub(crate) records: Vec<Record>,
    /// For each record and each number of the inputs, the values at its vertices.
    pub(crate) numbers: Vec<f64>,
    /// For each record and each kept slot, the bits at its vertices.
    pub(crate) bits: Vec<u32>,
    pub(crate) runs: Vec<Run>,
    /// The number of the last record's primitive.
    pub(crate) last: Option<u64>,
    pub(crate) weights: Weights,
}

impl Wave {
    /// An empty wave; the width is a multiple of 4, up to 128.
    pub fn new(width: u32, state: &RasterState) -> Wave {
        Wave {
            width,
            samples: state.samples,
            mask: state.sample_mask as u16 & state.samples.all(),
            quads: Vec::with_capacity(width as usize / 4),
            uncovered: LaneMask::EMPTY,
            records: Vec::new(),
            numbers: Vec::new(),
            bits: Vec::new(),
            runs: Vec::new(),
            last: None,
            weights: Weights::default(),
        }
    }

    /// Removes all quads.
    pub fn clear(&mut self) {
        self.quads.clear();
        self.uncovered = LaneMask::EMPTY;
        self.records.clear();
        self.numbers.clear();
        self.bits.clear();
        self.runs.clear();
        self.last = None;
        self.weights.clear();
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn quads(&self) -> &[Quad] {
        &self.quads
    }

    pub fn is_empty(&self) -> bool {
        self.quads.is_empty()
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.quads.len() as u32 >= self.width / 4
    }

    /// The lanes that exist: those of quads, helpers included.
    #[inline]
    pub fn lanes(&self) -> LaneMask {
        LaneMask::first_n(4 * self.quads.len() as u32)
    }

    /// The lanes whose pixel is not covered.
    #[inline]
    pub fn helpers(&self) -> LaneMask {
        self.uncovered
    }

    /// The pixel of a lane.
    pub fn pixel(&self, lane: u32) -> [i32; 2] {
        let quad = &self.quads[lane as usize / 4];
        [quad.x + (lane % 2) as i32, quad.y + (lane / 2 % 2) as i32]
    }

    /// `SV_PrimitiveID` of a quad.
    pub fn primitive_id(&self, quad: usize) -> u32 {
        self.record(&self.quads[quad]).id
    }

    /// The number of a quad's primitive, or of its piece of a clipped one, counted over the draw.
    pub fn piece(&self, quad: usize) -> u64 {
        self.record(&self.quads[quad]).piece
    }

    /// Whether a quad's primitive is front-facing.
    pub fn is_front(&self, quad: usize) -> bool {
        self.record(&self.quads[quad]).front
    }

    #[inline]
    pub(crate) fn record(&self, quad: &Quad) -> &Record {
        &self.records[quad.record as usize]
    }

    /// Whether a quad of the primitive with this number may join the wave.
    #[inline]
    pub(crate) fn admits(&self, quad: &Quad, primitive: u64, packing: Packing) -> bool {
        if self.quads.is_empty() {
            return true;
        }
        let other = packing.per_primitive && self.last != Some(primitive);
        let overlaps = |it: &Quad| (it.x, it.y, it.layer) == (quad.x, quad.y, quad.layer);
        !(other || packing.one_quad || packing.ordered && self.quads.iter().any(overlaps))
    }

    /// How many quads can still join.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        (self.width as usize / 4).saturating_sub(self.quads.len())
    }

    /// Adds quads of one primitive, for which there is room. They are in rows, from left to right.
    #[inline(always)]
    pub(crate) fn push(&mut self, mut quads: &[Quad], primitive: u64, of: &Source<'_>) {
        if self.last != Some(primitive) {
            self.last = Some(primitive);
            let Source { geometry, front, id, .. } = *of;
            self.records.push(Record { geometry: *geometry, front, id, piece: primitive });
            self.numbers.extend_from_slice(of.numbers);
            self.bits.extend_from_slice(of.bits);
        }
        let record = self.records.len() as u32 - 1;
        while let Some(first) = quads.first() {
            // Short runs are not worth the search for the ends of rows.
            let is_long = quads.len() >= LONG;
            let count =
                if is_long { quads.partition_point(|it| it.y == first.y) } else { quads.len() };
            let (row, rest) = quads.split_at(count);
            quads = rest;
            let start = self.quads.len();
            let mut uncovered = 0;
            for (i, quad) in row.iter().enumerate() {
                let [a, b, c, d] = each4(quad.covered, |it| u128::from(it == 0));
                uncovered |= (a | b << 1 | c << 2 | d << 3) << (4 * i);
            }
            self.uncovered.0 |= uncovered << (4 * start);
            self.quads.extend(row.iter().map(|it| Quad { record, ..*it }));
            let is_adjacent = row[count - 1].x - first.x == 2 * (count as i32 - 1);
            let is_solid = is_long && count >= LONG && is_adjacent && uncovered == 0;
            self.runs.push(Run { record, start, end: start + count, is_solid });
        }
    }

    /// The lanes of a run.
    #[inline]
    pub(crate) fn lanes_of(run: Run) -> u128 {
        u128::MAX >> (128 - 4 * (run.end - run.start)) << (4 * run.start)
    }

    /// The values of a number at the vertices of a record's primitive.
    #[inline]
    pub(crate) fn numbers_of(&self, record: u32, inputs: &Inputs, number: usize) -> [f64; 3] {
        let start = (record as usize * inputs.numbers.len() + number) * 3;
        [self.numbers[start], self.numbers[start + 1], self.numbers[start + 2]]
    }

    /// The bits of a kept slot at a vertex of a quad's primitive.
    #[inline]
    pub(crate) fn bits_of(&self, quad: &Quad, inputs: &Inputs, slot: usize, vertex: usize) -> u32 {
        self.bits[(quad.record as usize * inputs.bits.len() + slot) * 3 + vertex]
    }
}

/// The primitive of a quad that joins a wave.
pub(crate) struct Source<'a> {
    pub(crate) geometry: &'a Geometry,
    pub(crate) front: bool,
    pub(crate) id: u32,
    pub(crate) numbers: &'a [f64],
    pub(crate) bits: &'a [u32],
}
