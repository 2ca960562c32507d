//! The rasterizer: takes primitives one after the other, and packs their quads into waves.
//!
//! Quads come in this order: primitives; in each the rows of quads from top to bottom, in a row from left to right; at
//! sample frequency then the samples. A wave takes them as they come, over primitives and instances.
//! One row of blocks is expanded at a time, so that memory is bounded by the width of a target.

use crate::each::{each3, each4};
use std::ops::Range;

use crate::clip::{self, ClipVertex};
use crate::cover::{Block, SIDE, cover};
use crate::depth::{DepthStencil, DepthStencilState, Pixel};
use crate::interpolate::{divided, numerator};
use crate::sample::Samples;
use crate::setup::{Geometry, area, is_culled, is_front};
use crate::signature::{Inputs, Number, Of};
use crate::state::{RasterState, Viewport};
use crate::topology::{Kind, Primitive};
use crate::viewport::{Projected, Rect, UNITS, drawable};
use crate::wave::{Quad, Record, Source, Wave};

/// The outputs of vertices: one word for each slot, vertex after vertex. 16-bit values are in the low bits.
#[derive(Clone, Copy, Debug)]
pub struct Vertices<'a> {
    pub words: &'a [u32],
    /// The number of slots.
    pub slots: usize,
}

/// Primitives that wait to be drawn.
pub struct Batch<'a> {
    pub vertices: Vertices<'a>,
    pub primitives: &'a mut dyn Iterator<Item = Primitive>,
}

impl<'a> Vertices<'a> {
    /// The slots of a vertex; a vertex that is not there has none.
    #[inline(always)]
    fn of(&self, vertex: u32) -> &'a [u32] {
        let start = (vertex as usize).saturating_mul(self.slots);
        self.words.get(start..start.saturating_add(self.slots)).unwrap_or(&[])
    }
}

/// The value of a slot; 0 if it is not there.
#[inline(always)]
fn word(slots: &[u32], slot: u32) -> u32 {
    slots.get(slot as usize).copied().unwrap_or(0)
}

/// What the viewports decide in advance.
#[derive(Clone, Copy, Debug)]
struct View {
    viewport: Viewport,
    band: f64,
    drawable: Rect,
}

/// A primitive, or a triangle of a clipped one.
#[derive(Clone, Debug)]
struct Piece {
    geometry: Geometry,
    /// For each number of the inputs, the values at the vertices.
    numbers: Vec<f64>,
    /// Whether near plane, far plane or clip distances can drop samples.
    is_partial: bool,
}

/// Turns primitives into waves of quads.
#[derive(Clone, Debug)]
pub struct Rasterizer {
    state: RasterState,
    inputs: Inputs,
    kind: Kind,
    views: Vec<View>,
    /// The pieces of the current primitive, and how many are begun.
    pieces: Vec<Piece>,
    begun: usize,
    /// Memory of earlier pieces, for the next ones.
    spare: Vec<Vec<f64>>,
    /// Of the current primitive: the kept bits, facing, number and slice.
    bits: Vec<u32>,
    front: bool,
    id: u32,
    layer: u32,
    /// The rest of the current piece, in rows of blocks.
    rest: Rect,
    blocks: Vec<Block>,
    /// Quads of the current piece, and how many are in waves.
    quads: Vec<Quad>,
    packed: usize,
    /// Counts pieces.
    piece: u64,
}

impl Rasterizer {
    pub fn new(state: RasterState, inputs: Inputs, kind: Kind) -> Rasterizer {
        let view = |(i, viewport): (usize, &Viewport)| View {
            viewport: *viewport,
            band: viewport.guard_band(),
            drawable: drawable(&state, i),
        };
        let views = state.viewports.iter().enumerate().map(view).collect();
        Rasterizer {
            views,
            state,
            inputs,
            kind,
            pieces: Vec::new(),
            begun: 0,
            spare: Vec::new(),
            bits: Vec::new(),
            front: true,
            id: 0,
            layer: 0,
            rest: Rect { left: 0, top: 0, right: 0, bottom: 0 },
            blocks: Vec::new(),
            quads: Vec::new(),
            packed: 0,
            piece: 0,
        }
    }

    /// Draws within these rows only. They begin and end at a multiple of 8.
    pub fn restrict(&mut self, rows: Range<u32>) {
        let (top, bottom) = (rows.start as i32, rows.end as i32);
        let band = Rect { left: 0, top, right: i32::MAX, bottom };
        for view in &mut self.views {
            view.drawable = view.drawable.intersect(band);
        }
    }

    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    pub fn state(&self) -> &RasterState {
        &self.state
    }

    /// Adds quads to a wave until it is closed: then the result is true. Otherwise the batch is used up, and the wave
    /// may be continued with the next one.
    ///
    /// With `early`, depth and stencil are tested and written here, before the pixel shader runs.
    pub fn fill(
        &mut self,
        batch: &mut Batch<'_>,
        early: Option<(&DepthStencilState, &mut DepthStencil<'_>)>,
        wave: &mut Wave,
    ) -> bool {
        self.fill_inline(batch, early, wave)
    }

    /// The same as a part of the caller, which may be compiled for more instructions.
    #[inline(always)]
    pub fn fill_inline(
        &mut self,
        batch: &mut Batch<'_>,
        mut early: Option<(&DepthStencilState, &mut DepthStencil<'_>)>,
        wave: &mut Wave,
    ) -> bool {
        loop {
            while self.packed < self.quads.len() {
                let count = self.admitted(wave);
                if count == 0 {
                    return true;
                }
                let piece = &self.pieces[self.begun - 1];
                let source = Source {
                    geometry: &piece.geometry,
                    front: self.front,
                    id: self.id,
                    numbers: &piece.numbers,
                    bits: &self.bits,
                };
                wave.push(&self.quads[self.packed..][..count], self.piece, &source);
                self.packed += count;
            }
            if wave.is_full() {
                return true;
            }
            self.quads.clear();
            self.packed = 0;
            if !self.rest.is_empty() {
                self.expand_row();
                if let Some((state, target)) = &mut early {
                    self.test_early(state, target);
                }
            } else if self.begun < self.pieces.len() {
                self.rest = self.pieces[self.begun].geometry.bounds;
                self.begun += 1;
                self.piece += 1;
            } else if let Some(primitive) = batch.primitives.next() {
                self.begin(primitive, batch.vertices);
            } else {
                return false;
            }
        }
    }

    /// How many of the next quads join a wave together.
    #[inline(always)]
    fn admitted(&self, wave: &Wave) -> usize {
        let rest = &self.quads[self.packed..];
        let count = wave.room().min(rest.len());
        if self.state.packing.is_dense() {
            return count;
        }
        usize::from(count > 0 && wave.admits(&rest[0], self.piece, self.state.packing))
    }

    /// Sets up a primitive: its pieces, if anything of it may be visible.
    #[inline(always)]
    fn begin(&mut self, primitive: Primitive, vertices: Vertices<'_>) {
        self.spare.extend(self.pieces.drain(..).map(|it| it.numbers));
        self.spare.truncate(8);
        self.begun = 0;
        let layout = &self.inputs.layout;
        let Some(position) = layout.position else { return };
        let slots = each3(primitive.vertices, |it| vertices.of(it));
        let count = match self.kind {
            Kind::Point => 1,
            Kind::Line => 2,
            Kind::Triangle => 3,
        };
        let slots = &slots[..count];
        let float = |of: &[u32], slot: u32| f32::from_bits(word(of, slot));
        let last = count - 1;
        let positions =
            each3([0, last.min(1), last], |i| each4(position, |slot| float(slots[i], slot)));
        let is_dropped =
            |slot: &u32| slots.iter().map(|of| float(of, *slot)).all(|it| it < 0.0 || it.is_nan());
        let is_nan = |slot: &u32| slots.iter().any(|of| float(of, *slot).is_nan());
        if layout.cull_distances.iter().any(is_dropped)
            || layout.clip_distances.iter().any(is_nan)
            || positions.as_flattened().iter().fold(false, |any, it| any | it.is_nan())
        {
            return;
        }
        let leading = slots[0];
        let viewport = layout.viewport_index.map_or(0, |slot| word(leading, slot));
        let viewport = if viewport > 15 { 0 } else { viewport };
        let Some(view) = self.views.get(viewport as usize).copied() else { return };
        if view.drawable.is_empty() {
            return;
        }
        let layer = layout.target_index.map_or(0, |slot| word(leading, slot));
        self.layer = if layer < self.state.layers { layer } else { 0 };
        self.id = primitive.id;
        self.front = true;
        let [a, b, c] = positions;
        if clip::is_inside(a, view.band)
            && clip::is_inside(b, view.band)
            && clip::is_inside(c, view.band)
        {
            let projected =
                [view.viewport.project(a), view.viewport.project(b), view.viewport.project(c)];
            let [Some(a), Some(b), Some(c)] = projected else { return };
            self.add_whole(&[a, b, c], slots, &view);
        } else {
            self.add_clipped(positions, slots, &view);
        }
        if !self.pieces.is_empty() {
            self.bits.clear();
            for slot in &self.inputs.bits {
                self.bits.extend((0..3).map(|i| word(slots[i.min(count - 1)], *slot)));
            }
        }
    }

    #[inline(always)]
    fn add_whole(&mut self, vertices: &[Projected; 3], slots: &[&[u32]], view: &View) {
        if self.kind == Kind::Triangle {
            // Most triangles of a draw on several threads lie in the bands of others.
            let [a, b, c] = each3(*vertices, |it| it.y);
            let Rect { top, bottom, .. } = view.drawable;
            if a.max(b).max(c) < i64::from(top) * UNITS
                || a.min(b).min(c) > i64::from(bottom) * UNITS
            {
                return;
            }
            self.front = is_front(area(vertices), &self.state);
            if is_culled(self.front, self.state.cull) {
                return;
            }
        }
        let Some(geometry) = self.geometry(vertices, view) else { return };
        let mut numbers = self.spare.pop().unwrap_or_default();
        numbers.clear();
        for number in &self.inputs.numbers {
            for vertex in 0..3 {
                // A missing vertex has no weight, and -0.0 changes no sum.
                let of = slots.get(vertex);
                numbers.push(of.map_or(-0.0, |of| value(number.of, of, vertex)));
            }
        }
        self.add(geometry, numbers);
    }

    fn add_clipped(&mut self, positions: [[f32; 4]; 3], slots: &[&[u32]], view: &View) {
        let vertices: Vec<ClipVertex> = (0..slots.len())
            .map(|vertex| {
                let of = |number: &Number| value(number.of, slots[vertex], vertex);
                ClipVertex {
                    position: positions[vertex].map(f64::from),
                    numbers: self.inputs.numbers.iter().map(of).collect(),
                }
            })
            .collect();
        let perspective: Vec<bool> = self.inputs.numbers.iter().map(|it| it.perspective).collect();
        let clipped = match self.kind {
            // A point is drawn or not.
            Kind::Point => None,
            Kind::Line => {
                let ends = [vertices[0].clone(), vertices[1].clone()];
                clip::segment(ends, &perspective, view.band).map(Vec::from)
            }
            Kind::Triangle => clip::polygon(vertices, &perspective, view.band),
        };
        let Some(clipped) = clipped else { return };
        let project = |it: &ClipVertex| view.viewport.project(it.position.map(|it| it as f32));
        let Some(projected) = clipped.iter().map(project).collect::<Option<Vec<Projected>>>()
        else {
            return;
        };
        let interleaved = |corners: [usize; 3], count: usize| {
            let mut numbers = Vec::with_capacity(3 * perspective.len());
            for number in 0..perspective.len() {
                let at = |i: usize| clipped[corners[i]].numbers[number];
                numbers.extend((0..3).map(|i| if i < count { at(i) } else { -0.0 }));
            }
            numbers
        };
        if self.kind == Kind::Line {
            let ends = [projected[0], projected[1], projected[1]];
            if let Some(geometry) = self.geometry(&ends, view) {
                self.add(geometry, interleaved([0, 1, 1], 2));
            }
            return;
        }
        // A fan; its triangles have the facing of the polygon.
        let corners = (1..clipped.len() - 1).map(|i| [0, i, i + 1]);
        let of = |it: [usize; 3]| it.map(|i| projected[i]);
        let whole: i64 = corners.clone().map(|it| area(&of(it))).sum();
        self.front = is_front(whole, &self.state);
        if is_culled(self.front, self.state.cull) {
            return;
        }
        for corners in corners {
            let triangle = of(corners);
            // Snapping may turn a sliver around, which its neighbours cover already.
            if area(&triangle).signum() != whole.signum() {
                continue;
            }
            if let Some(geometry) = self.geometry(&triangle, view) {
                self.add(geometry, interleaved(corners, 3));
            }
        }
    }

    #[inline(always)]
    fn geometry(&self, vertices: &[Projected; 3], view: &View) -> Option<Geometry> {
        let range = [view.viewport.min_depth, view.viewport.max_depth];
        let state = &self.state;
        let geometry = match self.kind {
            Kind::Triangle => Geometry::triangle(vertices, state, range, view.drawable)?,
            Kind::Line => Geometry::line(&[vertices[0], vertices[1]], state, range, view.drawable),
            Kind::Point => Geometry::point(vertices[0], state, range, view.drawable),
        };
        (!geometry.bounds.is_empty()).then_some(geometry)
    }

    #[inline(always)]
    fn add(&mut self, geometry: Geometry, numbers: Vec<f64>) {
        let count = geometry.vertices();
        // Within these bounds interpolation stays within them, so that no sample needs a test.
        let is_between = |it: &f32| (0.0..=1.0).contains(it);
        let is_deep = self.state.depth_clip && !geometry.clip_z[..count].iter().all(is_between);
        let distances = 3 * (self.inputs.numbers.len() - self.inputs.layout.clip_distances.len());
        let is_kept =
            |it: &f64| (0.0..f64::INFINITY).contains(it) || it.is_sign_negative() && *it == 0.0;
        let is_partial = is_deep || !numbers[distances..].iter().all(is_kept);
        self.pieces.push(Piece { geometry, numbers, is_partial });
    }

    /// Expands the next row of blocks of the current piece into quads.
    #[inline(always)]
    fn expand_row(&mut self) {
        let piece = &self.pieces[self.begun - 1];
        let samples = self.state.samples;
        let [odd_x, odd_y] = self.state.packing.odd_origin.map(i32::from);
        let align = |at: i32, odd: i32| (at + odd).div_euclid(SIDE) * SIDE - odd;
        let top = align(self.rest.top, odd_y);
        let (left, right) =
            piece.geometry.columns(top, top + SIDE, self.rest.left, self.rest.right);
        if left >= right {
            self.rest.top = top + SIDE;
            self.blocks.clear();
            return;
        }
        let mut x = align(left, odd_x);
        self.rest.top = top + SIDE;
        self.blocks.clear();
        while x < right {
            let mut block = cover(&piece.geometry, samples, x, top);
            if piece.is_partial {
                self.keep_visible(piece, &mut block);
            }
            if !block.is_empty(samples) {
                self.blocks.push(block);
            }
            x += SIDE;
        }
        let mask = self.state.sample_mask as u16 & samples.all();
        for row in 0..SIDE / 2 {
            for i in 0..self.blocks.len() {
                if samples == Samples::One && mask == 1 {
                    self.expand_one(i, row);
                } else {
                    self.expand_samples(i, row, mask);
                }
            }
        }
    }

    /// The quads of one row of a block with one sample.
    #[inline(always)]
    fn expand_one(&mut self, block: usize, row: i32) {
        let block = &self.blocks[block];
        let (y, layer) = (block.y + 2 * row, self.layer);
        let sample = self.state.sample_frequency.then_some(0);
        // The pixels of two rows, a byte each.
        let rows = block.covered[0] >> (16 * row) & 0xffff;
        if rows == 0xffff {
            let covered = [1; 4];
            let quad = Quad { x: block.x, y, layer, sample, inside: covered, covered, record: 0 };
            self.quads.extend([0, 2, 4, 6].map(|right| Quad { x: block.x + right, ..quad }));
            return;
        }
        for column in 0..SIDE / 2 {
            let quad = (rows >> (2 * column)) as u16;
            let inside = [quad & 1, quad >> 1 & 1, quad >> 8 & 1, quad >> 9 & 1];
            if quad & 0x0303 != 0 {
                let x = block.x + 2 * column;
                let covered = inside;
                self.quads.push(Quad { x, y, layer, sample, inside, covered, record: 0 });
            }
        }
    }

    /// The quads of one row of a block with several samples.
    fn expand_samples(&mut self, block: usize, row: i32, mask: u16) {
        let samples = self.state.samples;
        let block = &self.blocks[block];
        for column in 0..SIDE / 2 {
            let corner = (16 * row + 2 * column) as u32;
            let mut inside = [0u16; 4];
            for (sample, covered) in block.covered[..samples.count() as usize].iter().enumerate() {
                let quad = covered >> corner;
                for (lane, bit) in [0, 1, 8, 9].into_iter().enumerate() {
                    inside[lane] |= ((quad >> bit & 1) as u16) << sample;
                }
            }
            let covered = inside.map(|it| it & mask);
            if covered == [0; 4] {
                continue;
            }
            let (x, y) = (block.x + 2 * column, block.y + 2 * row);
            let quad = Quad { x, y, layer: self.layer, sample: None, inside, covered, record: 0 };
            if !self.state.sample_frequency {
                self.quads.push(quad);
                continue;
            }
            for sample in 0..samples.count() {
                let covered = covered.map(|it| it & 1 << sample);
                if covered != [0; 4] {
                    self.quads.push(Quad { sample: Some(sample as u8), covered, ..quad });
                }
            }
        }
    }

    /// Drops the samples beyond near plane, far plane and clip distances.
    fn keep_visible(&self, piece: &Piece, block: &mut Block) {
        let geometry = &piece.geometry;
        let first = self.inputs.numbers.len() - self.inputs.layout.clip_distances.len();
        let distances = &piece.numbers[3 * first..];
        block.retain(self.state.samples, |x, y| {
            if self.state.depth_clip && !(0.0..=1.0).contains(&geometry.plane_z(x, y)) {
                return false;
            }
            let over_w = divided(geometry, geometry.weights(x, y));
            distances.chunks_exact(3).all(|it| numerator(over_w, [it[0], it[1], it[2]]) >= 0.0)
        });
    }

    fn record(&self, piece: &Piece) -> Record {
        let Rasterizer { front, id, piece: number, .. } = *self;
        Record { geometry: piece.geometry, front, id, piece: number }
    }

    /// Tests and writes depth and stencil before the shader runs, and drops quads of which nothing is left.
    fn test_early(&mut self, state: &DepthStencilState, target: &mut DepthStencil<'_>) {
        let piece = &self.pieces[self.begun - 1];
        let record = self.record(piece);
        for quad in &mut self.quads {
            for lane in 0..4 {
                let (x, y) = (quad.x + (lane % 2) as i32, quad.y + (lane / 2) as i32);
                let pixel = Pixel {
                    at: [x, y].map(|it| it as u32),
                    layer: quad.layer,
                    covered: quad.covered[lane],
                    front: self.front,
                    reference: None,
                };
                let depth = |sample| record.depth(self.state.samples, x, y, sample);
                quad.covered[lane] = target.test(state, &pixel, depth);
            }
        }
        self.quads.retain(|it| it.covered != [0; 4]);
    }
}

/// A number of a vertex.
#[inline(always)]
fn value(of: Of, slots: &[u32], vertex: usize) -> f64 {
    match of {
        Of::Slot(slot, scalar) => scalar.number(word(slots, slot)),
        Of::Vertex(which) => f64::from(usize::from(which) == vertex),
    }
}
