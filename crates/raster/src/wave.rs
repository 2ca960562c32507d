//! Waves of quads: which lane is which pixel of which primitive.
//!
//! Lanes 4k to 4k + 3 are the pixels (x, y), (x + 1, y), (x, y + 1) and (x + 1, y + 1) of quad k. Lanes whose pixel is
//! not covered are helpers; lanes beyond the last quad do not exist.

use ops::LaneMask;

use crate::each::each4;
use crate::interpolate::{Weights, exact};
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

/// The data of a primitive that a wave keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) geometry: Geometry,
    pub(crate) front: bool,
    pub(crate) id: u32,
    /// The number of the piece in the draw.
    pub(crate) piece: u64,
}

/// Quads side by side in one row: the first, and how many there are. More than one have all of their pixels covered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strip {
    pub(crate) first: Quad,
    pub(crate) count: u32,
}

/// Consecutive quads of one primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) record: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Where the first quad is in the list; a solid run has no others there.
    first: usize,
    /// Whether the quads lie side by side in one row, all of their pixels covered. Not set for short runs.
    pub(crate) is_solid: bool,
}

/// The fewest quads of a solid run.
const LONG: usize = 4;
/// The most quads of a wave.
const MOST: usize = 32;

/// The quads of one wave, and what interpolation and merging need of their primitives.
#[derive(Clone, Debug)]
pub struct Wave {
    pub(crate) width: u32,
    pub(crate) samples: Samples,
    /// The sample mask, within the samples.
    pub(crate) mask: u16,
    /// How many quads there are.
    count: usize,
    /// The quads of runs that are not solid, and the first ones of those that are.
    listed: Vec<Quad>,
    /// For each quad, its run.
    run_of: [u8; MOST],
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
    /// Of a single record, what is known of the planes of its numbers.
    pub(crate) planes: Vec<Option<exact::Known>>,
}

impl Wave {
    /// An empty wave; the width is a multiple of 4, up to 128.
    pub fn new(width: u32, state: &RasterState) -> Wave {
        Wave {
            width,
            samples: state.samples,
            mask: state.sample_mask as u16 & state.samples.all(),
            count: 0,
            listed: Vec::with_capacity(width as usize / 4),
            run_of: [0; MOST],
            uncovered: LaneMask::EMPTY,
            records: Vec::new(),
            numbers: Vec::new(),
            bits: Vec::new(),
            runs: Vec::new(),
            last: None,
            weights: Weights::default(),
            planes: Vec::new(),
        }
    }

    /// Removes all quads. The record of a single primitive stays: more of its quads may follow.
    pub fn clear(&mut self) {
        self.count = 0;
        self.listed.clear();
        self.uncovered = LaneMask::EMPTY;
        self.runs.clear();
        self.weights.clear();
        if self.records.len() > 1 {
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.records.clear();
        self.numbers.clear();
        self.bits.clear();
        self.planes.clear();
        self.last = None;
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    /// How many quads there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The quad with this number, which exists.
    #[inline(always)]
    pub fn quad(&self, number: usize) -> Quad {
        debug_assert!(number < self.count, "the quad exists");
        self.quad_of(self.runs[usize::from(self.run_of[number])], number)
    }

    pub fn quads(&self) -> impl Iterator<Item = Quad> {
        (0..self.count).map(|it| self.quad(it))
    }

    /// A quad of a run.
    #[inline(always)]
    pub(crate) fn quad_of(&self, run: Run, number: usize) -> Quad {
        let at = number - run.start;
        if run.is_solid {
            let first = self.listed[run.first];
            return Quad { x: first.x + 2 * at as i32, ..first };
        }
        self.listed[run.first + at]
    }

    /// The quads of a run that are listed: the first one of a solid run, otherwise all.
    #[inline(always)]
    pub(crate) fn listed(&self, run: Run) -> &[Quad] {
        let count = if run.is_solid { 1 } else { run.end - run.start };
        &self.listed[run.first..run.first + count]
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.count as u32 >= self.width / 4
    }

    /// The lanes that exist: those of quads, helpers included.
    #[inline]
    pub fn lanes(&self) -> LaneMask {
        LaneMask::first_n(4 * self.count as u32)
    }

    /// The lanes whose pixel is not covered.
    #[inline]
    pub fn helpers(&self) -> LaneMask {
        self.uncovered
    }

    /// The pixel of a lane.
    pub fn pixel(&self, lane: u32) -> [i32; 2] {
        let quad = self.quad(lane as usize / 4);
        [quad.x + (lane % 2) as i32, quad.y + (lane / 2 % 2) as i32]
    }

    /// `SV_PrimitiveID` of a quad.
    pub fn primitive_id(&self, quad: usize) -> u32 {
        self.record(&self.quad(quad)).id
    }

    /// The number of a quad's primitive, or of its piece of a clipped one, counted over the draw.
    pub fn piece(&self, quad: usize) -> u64 {
        self.record(&self.quad(quad)).piece
    }

    /// Whether a quad's primitive is front-facing.
    pub fn is_front(&self, quad: usize) -> bool {
        self.record(&self.quad(quad)).front
    }

    #[inline]
    pub(crate) fn record(&self, quad: &Quad) -> &Record {
        &self.records[quad.record as usize]
    }

    /// Whether a quad of the primitive with this number may join the wave.
    #[inline]
    pub(crate) fn admits(&self, quad: &Quad, primitive: u64, packing: Packing) -> bool {
        if self.is_empty() {
            return true;
        }
        let other = packing.per_primitive && self.last != Some(primitive);
        let overlaps = |it: Quad| (it.x, it.y, it.layer) == (quad.x, quad.y, quad.layer);
        !(other || packing.one_quad || packing.ordered && self.quads().any(overlaps))
    }

    /// How many quads can still join.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        (self.width as usize / 4).saturating_sub(self.count)
    }

    /// The record of a primitive whose quads join.
    #[inline(always)]
    pub(crate) fn join(&mut self, primitive: u64, of: &Source<'_>) -> u32 {
        if self.last != Some(primitive) {
            if self.is_empty() {
                self.forget();
            }
            self.last = Some(primitive);
            self.planes.clear();
            let Source { geometry, front, id, .. } = *of;
            self.records.push(Record { geometry: *geometry, front, id, piece: primitive });
            self.numbers.extend_from_slice(of.numbers);
            self.bits.extend_from_slice(of.bits);
        }
        self.records.len() as u32 - 1
    }

    /// Adds the first quads of a strip, for which there is room, of the primitive with this record.
    #[inline(always)]
    pub(crate) fn push(&mut self, strip: &Strip, count: usize, record: u32) {
        let (start, end) = (self.count, self.count + count);
        self.count = end;
        if count >= LONG {
            self.run_of[start..end].fill(self.runs.len() as u8);
            let first = self.listed.len();
            self.listed.push(Quad { record, ..strip.first });
            self.runs.push(Run { record, start, end, first, is_solid: true });
            return;
        }
        match self.runs.last_mut().filter(|it| !it.is_solid && it.record == record) {
            Some(run) => run.end = end,
            None => {
                let first = self.listed.len();
                self.runs.push(Run { record, start, end, first, is_solid: false });
            }
        }
        let [a, b, c, d] = each4(strip.first.covered, |it| u128::from(it == 0));
        self.uncovered.0 |= (a | b << 1 | c << 2 | d << 3) << (4 * start);
        for i in 0..count {
            self.run_of[start + i] = self.runs.len() as u8 - 1;
            self.listed.push(Quad { record, x: strip.first.x + 2 * i as i32, ..strip.first });
        }
    }

    /// All lanes of a run, counted from its first.
    #[inline]
    pub(crate) fn all_of(run: Run) -> u128 {
        u128::MAX >> (128 - 4 * (run.end - run.start))
    }

    /// Those of the lanes that belong to a run, counted from its first.
    #[inline]
    pub(crate) fn live_of(run: Run, lanes: LaneMask) -> u128 {
        lanes.0 >> (4 * run.start) & Wave::all_of(run)
    }

    /// The values of a number at the vertices of a record's primitive.
    #[inline]
    pub(crate) fn numbers_of(&self, record: u32, inputs: &Inputs, number: usize) -> [f64; 3] {
        let start = (record as usize * inputs.numbers.len() + number) * 3;
        [self.numbers[start], self.numbers[start + 1], self.numbers[start + 2]]
    }

    /// The bits of a kept slot at a vertex of a record's primitive.
    #[inline]
    pub(crate) fn bits_of(&self, record: u32, inputs: &Inputs, slot: usize, vertex: usize) -> u32 {
        self.bits[(record as usize * inputs.bits.len() + slot) * 3 + vertex]
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
