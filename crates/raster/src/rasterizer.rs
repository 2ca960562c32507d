//! The rasterizer: takes primitives one after the other, and packs their quads into waves.
//!
//! Quads come in this order: primitives; in each the rows of quads from top to bottom, in a row from left to right; at
//! sample frequency then the samples. A wave takes them in this order, across primitives and instances.
//! One row of blocks is expanded at a time, so that memory is bounded by the width of a target.

use crate::each::{each3, each4};
use std::ops::Range;

use crate::clip::{self, ClipVertex};
use crate::cover::{Block, SIDE, cover, cover_single};
use crate::depth::{DepthStencil, DepthStencilState, Pixel};
use crate::group::{Fate, Group};
use crate::interpolate::{divided, numerator};
use crate::sample::{MOST, Samples};
use crate::setup::{Geometry, area, is_culled, is_front};
use crate::signature::{Inputs, Number, Of};
use crate::state::{RasterState, Viewport};
use crate::topology::{Kind, Primitive};
use crate::viewport::{Projected, Rect, UNITS, drawable};
use crate::wave::{Quad, Record, Source, Strip, Wave};

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
    pub(crate) fn of(&self, vertex: u32) -> &'a [u32] {
        let start = (vertex as usize).saturating_mul(self.slots);
        self.words.get(start..start.saturating_add(self.slots)).unwrap_or(&[])
    }
}

/// The value of a slot; 0 if it is not there.
#[inline(always)]
pub(crate) fn word(slots: &[u32], slot: u32) -> u32 {
    slots.get(slot as usize).copied().unwrap_or(0)
}

/// What follows from the viewports in advance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawArea {
    pub(crate) viewport: Viewport,
    pub(crate) band: f64,
    pub(crate) drawable: Rect,
}

/// A primitive, or a triangle of a clipped one.
#[derive(Clone, Debug)]
struct Piece {
    geometry: Geometry,
    /// Whether near plane, far plane or clip distances can drop samples.
    is_partial: bool,
}

impl Piece {
    const NOTHING: Piece = Piece { geometry: Geometry::NOTHING, is_partial: false };
}

/// Blocks side by side with the same covered pixels; more than one are covered wholly.
#[derive(Clone, Copy, Debug)]
struct Span {
    x: i32,
    blocks: u32,
    covered: u64,
}

/// Turns primitives into waves of quads.
#[derive(Clone, Debug)]
pub struct Rasterizer {
    state: RasterState,
    inputs: Inputs,
    kind: Kind,
    draw_areas: Vec<DrawArea>,
    /// Whether pixels have one sample, which no mask drops.
    is_single: bool,
    /// The next triangles, if nothing but their positions decides what they cover.
    group: Option<Box<Group>>,
    /// The pieces of the current primitive, which are the first `count`, and how many are begun.
    pieces: Vec<Piece>,
    count: usize,
    begun: usize,
    /// For each piece and each number of the inputs, the values at the vertices; behind them, what was there before.
    numbers: Vec<f64>,
    /// Of the current primitive: the kept bits, facing, number and slice.
    bits: Vec<u32>,
    front: bool,
    id: u32,
    layer: u32,
    /// The rest of the current piece, in rows of blocks.
    rest: Rect,
    blocks: Vec<Block>,
    /// The covered pixels of a row of blocks where pixels have one sample.
    spans: Vec<Span>,
    /// Quads of the current piece, and how many strips are in waves.
    strips: Vec<Strip>,
    packed: usize,
    /// Counts pieces.
    piece: u64,
}

impl Rasterizer {
    pub fn new(state: RasterState, inputs: Inputs, kind: Kind) -> Rasterizer {
        let draw_area = |(i, viewport): (usize, &Viewport)| DrawArea {
            viewport: *viewport,
            band: viewport.guard_band(),
            drawable: drawable(&state, i),
        };
        let draw_areas: Vec<DrawArea> = state.viewports.iter().enumerate().map(draw_area).collect();
        let layout = &inputs.layout;
        let is_plain = layout.viewport_index.is_none()
            && layout.clip_distances.is_empty()
            && layout.cull_distances.is_empty();
        let has_groups = kind == Kind::Triangle && is_plain && !draw_areas.is_empty();
        Rasterizer {
            draw_areas,
            is_single: state.samples == Samples::One && state.sample_mask & 1 == 1,
            group: has_groups.then(|| Box::new(Group::NOTHING)),
            state,
            inputs,
            kind,
            pieces: vec![Piece::NOTHING],
            count: 0,
            begun: 0,
            numbers: Vec::new(),
            bits: Vec::new(),
            front: true,
            id: 0,
            layer: 0,
            rest: Rect { left: 0, top: 0, right: 0, bottom: 0 },
            blocks: Vec::new(),
            spans: Vec::new(),
            strips: Vec::new(),
            packed: 0,
            piece: 0,
        }
    }

    /// Draws within these rows only. They begin and end at a multiple of 8.
    pub fn restrict(&mut self, rows: Range<u32>) {
        let (top, bottom) = (rows.start as i32, rows.end as i32);
        let band = Rect { left: 0, top, right: i32::MAX, bottom };
        for draw_area in &mut self.draw_areas {
            draw_area.drawable = draw_area.drawable.intersect(band);
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

    /// The same, inlined into the caller, which may be compiled for more instructions.
    #[inline(always)]
    pub fn fill_inline(
        &mut self,
        batch: &mut Batch<'_>,
        mut early: Option<(&DepthStencilState, &mut DepthStencil<'_>)>,
        wave: &mut Wave,
    ) -> bool {
        loop {
            while self.packed < self.strips.len() {
                let room = self.admitted(wave);
                if room == 0 {
                    return true;
                }
                let piece = &self.pieces[self.begun - 1];
                let source = Source {
                    geometry: &piece.geometry,
                    front: self.front,
                    id: self.id,
                    numbers: self.numbers_of(self.begun - 1),
                    bits: &self.bits,
                };
                let record = wave.join(self.piece, &source);
                self.pack(wave, room, record);
            }
            if wave.is_full() {
                return true;
            }
            self.strips.clear();
            self.packed = 0;
            if !self.rest.is_empty() {
                self.expand_row();
            } else if self.begun < self.count {
                self.rest = self.begin_piece();
            } else if !self.begin_next(batch) {
                return false;
            }
            if let Some((state, target)) = &mut early
                && !self.strips.is_empty()
            {
                self.split_strips();
                self.test_early(state, target);
            }
        }
    }

    /// Begins the next piece of the current primitive, and returns its bounds.
    #[inline(always)]
    fn begin_piece(&mut self) -> Rect {
        self.begun += 1;
        self.piece += 1;
        self.pieces[self.begun - 1].geometry.bounds
    }

    /// Begins the next primitive of a batch; whether there is one.
    #[inline(always)]
    fn begin_next(&mut self, batch: &mut Batch<'_>) -> bool {
        if let (Some(group), Some(position), [draw_area, ..]) =
            (&mut self.group, self.inputs.layout.position, &self.draw_areas[..])
        {
            let lane = match group.next() {
                Some(lane) => lane,
                None => {
                    let samples = (self.state.samples, self.is_single);
                    return group.gather(batch, position, draw_area, samples);
                }
            };
            let (primitive, fate) = (group.primitive(lane), group.fate(lane));
            let projected = group.projected(lane);
            match fate {
                Fate::Other => self.begin(primitive, batch.vertices),
                Fate::Large => self.begin_projected(primitive, batch.vertices, &projected),
                Fate::Small(at, covered) => {
                    self.begin_projected(primitive, batch.vertices, &projected);
                    self.expand_small(at, covered);
                }
            }
            return true;
        }
        let next = batch.primitives.next();
        next.inspect(|it| self.begin(*it, batch.vertices)).is_some()
    }

    /// How many of the next quads may join a wave together.
    #[inline(always)]
    fn admitted(&self, wave: &Wave) -> usize {
        if self.state.packing.is_dense() {
            return wave.room();
        }
        let next = &self.strips[self.packed].first;
        usize::from(wave.room() > 0 && wave.admits(next, self.piece, self.state.packing))
    }

    /// Adds as many quads to a wave.
    #[inline(always)]
    fn pack(&mut self, wave: &mut Wave, mut room: usize, record: u32) {
        while room > 0
            && let Some(strip) = self.strips.get_mut(self.packed)
        {
            let count = room.min(strip.count as usize);
            wave.push(strip, count, record);
            room -= count;
            if count == strip.count as usize {
                self.packed += 1;
            } else {
                strip.count -= count as u32;
                strip.first.x += 2 * count as i32;
            }
        }
    }

    /// Sets up a primitive: its pieces, if anything of it may be visible.
    #[inline(always)]
    fn begin(&mut self, primitive: Primitive, vertices: Vertices<'_>) {
        self.count = 0;
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
        let Some(draw_area) = self.draw_areas.get(viewport as usize).copied() else { return };
        if draw_area.drawable.is_empty() {
            return;
        }
        self.identify(primitive, leading);
        let [a, b, c] = positions;
        if clip::is_inside(a, draw_area.band)
            && clip::is_inside(b, draw_area.band)
            && clip::is_inside(c, draw_area.band)
        {
            let projected = [
                draw_area.viewport.project(a),
                draw_area.viewport.project(b),
                draw_area.viewport.project(c),
            ];
            let [Some(a), Some(b), Some(c)] = projected else { return };
            self.add_whole(&[a, b, c], slots, &draw_area);
        } else {
            self.add_clipped(positions, slots, &draw_area);
        }
        self.keep_bits(slots);
    }

    /// Sets up a triangle that is projected already: whole, in the first viewport.
    #[inline(always)]
    fn begin_projected(
        &mut self,
        primitive: Primitive,
        vertices: Vertices<'_>,
        projected: &[Projected; 3],
    ) {
        self.count = 0;
        self.begun = 0;
        let slots = each3(primitive.vertices, |it| vertices.of(it));
        self.identify(primitive, slots[0]);
        let draw_area = self.draw_areas[0];
        self.add_whole(projected, &slots, &draw_area);
        self.keep_bits(&slots);
    }

    /// What all pieces of a primitive have in common; `leading` are the slots of its first vertex.
    #[inline(always)]
    fn identify(&mut self, primitive: Primitive, leading: &[u32]) {
        let layer = self.inputs.layout.target_index.map_or(0, |slot| word(leading, slot));
        self.layer = if layer < self.state.layers { layer } else { 0 };
        self.id = primitive.id;
        self.front = true;
    }

    /// Keeps the bits of a primitive's vertices, if anything of it may be visible.
    #[inline(always)]
    fn keep_bits(&mut self, slots: &[&[u32]]) {
        if self.count > 0 {
            self.bits.clear();
            for slot in &self.inputs.bits {
                self.bits.extend((0..3).map(|i| word(slots[i.min(slots.len() - 1)], *slot)));
            }
        }
    }

    #[inline(always)]
    fn add_whole(&mut self, vertices: &[Projected; 3], slots: &[&[u32]], draw_area: &DrawArea) {
        if self.kind == Kind::Triangle {
            // Most triangles of a draw on several threads lie in the bands of others.
            let [a, b, c] = each3(*vertices, |it| it.y);
            let Rect { top, bottom, .. } = draw_area.drawable;
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
        if !self.set(vertices, draw_area) {
            return;
        }
        // In place, as the geometry. A missing vertex has no weight, and -0.0 changes no sum.
        let count = 3 * self.inputs.numbers.len();
        if self.numbers.len() < count {
            self.numbers.resize(count, -0.0);
        }
        let (values, _) = self.numbers.as_chunks_mut::<3>();
        for (number, values) in self.inputs.numbers.iter().zip(values) {
            for (vertex, (of, to)) in slots.iter().zip(values).enumerate() {
                *to = value(number.of, of, vertex);
            }
        }
        self.add();
    }

    fn add_clipped(&mut self, positions: [[f32; 4]; 3], slots: &[&[u32]], draw_area: &DrawArea) {
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
                clip::segment(ends, &perspective, draw_area.band).map(Vec::from)
            }
            Kind::Triangle => clip::polygon(vertices, &perspective, draw_area.band),
        };
        let Some(clipped) = clipped else { return };
        let project = |it: &ClipVertex| draw_area.viewport.project(it.position.map(|it| it as f32));
        let Some(projected) = clipped.iter().map(project).collect::<Option<Vec<Projected>>>()
        else {
            return;
        };
        self.numbers.clear();
        let interleaved = |corners: [usize; 3], count: usize, numbers: &mut Vec<f64>| {
            for number in 0..perspective.len() {
                let at = |i: usize| clipped[corners[i]].numbers[number];
                numbers.extend((0..3).map(|i| if i < count { at(i) } else { -0.0 }));
            }
        };
        if self.kind == Kind::Line {
            let ends = [projected[0], projected[1], projected[1]];
            if self.set(&ends, draw_area) {
                interleaved([0, 1, 1], 2, &mut self.numbers);
                self.add();
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
            if self.set(&triangle, draw_area) {
                interleaved(corners, 3, &mut self.numbers);
                self.add();
            }
        }
    }

    /// Sets up the piece behind the last one; whether it may be visible.
    #[inline(always)]
    fn set(&mut self, vertices: &[Projected; 3], draw_area: &DrawArea) -> bool {
        let range = [draw_area.viewport.min_depth, draw_area.viewport.max_depth];
        let (state, drawable) = (&self.state, draw_area.drawable);
        if self.count == self.pieces.len() {
            self.pieces.push(Piece::NOTHING);
        }
        let geometry = &mut self.pieces[self.count].geometry;
        match self.kind {
            Kind::Triangle => {
                if !geometry.set_triangle(vertices, state, range, drawable) {
                    return false;
                }
            }
            Kind::Line => {
                *geometry = Geometry::line(&[vertices[0], vertices[1]], state, range, drawable);
            }
            Kind::Point => *geometry = Geometry::point(vertices[0], state, range, drawable),
        }
        !geometry.bounds.is_empty()
    }

    /// Adds the piece that was set up, and whose numbers are there.
    #[inline(always)]
    fn add(&mut self) {
        let geometry = &self.pieces[self.count].geometry;
        let count = geometry.vertices();
        // Within these bounds interpolation stays within them, so that no sample needs a test.
        let is_between = |it: &f32| (0.0..=1.0).contains(it);
        let is_deep = self.state.depth_clip && !geometry.clip_z[..count].iter().all(is_between);
        let distances = 3 * (self.inputs.numbers.len() - self.inputs.layout.clip_distances.len());
        let is_kept =
            |it: &f64| (0.0..f64::INFINITY).contains(it) || it.is_sign_negative() && *it == 0.0;
        let numbers = self.numbers_of(self.count);
        let is_partial = is_deep || !numbers[distances..].iter().all(is_kept);
        self.pieces[self.count].is_partial = is_partial;
        self.count += 1;
    }

    #[inline(always)]
    fn numbers_of(&self, piece: usize) -> &[f64] {
        let count = 3 * self.inputs.numbers.len();
        &self.numbers[piece * count..][..count]
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
        self.rest.top = top + SIDE;
        if left >= right {
            return;
        }
        let first = align(left, odd_x);
        if self.is_single {
            return self.expand_single(top, first, right);
        }
        let mask = self.state.sample_mask as u16 & samples.all();
        self.blocks.clear();
        for x in (first..right).step_by(SIDE as usize) {
            let mut block = cover(&piece.geometry, samples, x, top);
            if piece.is_partial {
                self.keep_visible(self.begun - 1, &mut block);
            }
            if !block.is_empty(samples) {
                self.blocks.push(block);
            }
        }
        for row in 0..SIDE / 2 {
            for i in 0..self.blocks.len() {
                self.expand_samples(i, row, mask);
            }
        }
    }

    /// The quads of a row of blocks with one sample.
    #[inline(always)]
    fn expand_single(&mut self, top: i32, first: i32, right: i32) {
        let piece = &self.pieces[self.begun - 1];
        let geometry = &piece.geometry;
        let mut spans = std::mem::take(&mut self.spans);
        spans.clear();
        // The blocks of a wide row that are covered wholly need no separate tests.
        let (whole, end) = match piece.is_partial {
            true => (first, first),
            false => geometry.covered_columns(top, first, right),
        };
        let mut x = first;
        while x < right {
            if x == whole && whole < end {
                let blocks = ((end - whole) / SIDE) as u32;
                spans.push(Span { x, blocks, covered: u64::MAX });
                x = end;
                continue;
            }
            let mut covered = cover_single(geometry, x, top);
            if piece.is_partial && covered != 0 {
                let mut block = Block { x, y: top, covered: [0; MOST] };
                block.covered[0] = covered;
                self.keep_visible(self.begun - 1, &mut block);
                covered = block.covered[0];
            }
            if covered != 0 {
                spans.push(Span { x, blocks: 1, covered });
            }
            x += SIDE;
        }
        for row in 0..SIDE / 2 {
            for span in &spans {
                self.expand_span(span, top + 2 * row, span.covered >> (16 * row) & 0xffff);
            }
        }
        self.spans = spans;
    }

    /// The quads of a triangle that covers these of 4×4 pixels, of which this is the first: bit 4·y + x.
    #[inline(always)]
    fn expand_small(&mut self, [x, y]: [i32; 2], covered: u32) {
        // The general path has to test each sample of a partial piece.
        if self.count == 0 || self.pieces[0].is_partial {
            return;
        }
        self.begin_piece();
        let [odd_x, odd_y] = self.state.packing.odd_origin.map(i32::from);
        let (right, down) = ((x + odd_x) & 1, (y + odd_y) & 1);
        // A byte for each row of pixels, from the quads on in which the first one lies.
        let row = |row: u32| u64::from(covered >> (4 * row) & 15) << (8 * row);
        let covered = (row(0) | row(1) | row(2) | row(3)) << (8 * down + right);
        let span = Span { x: x - right, blocks: 1, covered };
        for row in 0..3 {
            self.expand_span(&span, y - down + 2 * row, covered >> (16 * row) & 0xffff);
        }
    }

    /// A quad of the current piece where pixels have one sample.
    #[inline(always)]
    fn quad(&self, [x, y]: [i32; 2], covered: [u16; 4]) -> Quad {
        let sample = self.state.sample_frequency.then_some(0);
        Quad { x, y, layer: self.layer, sample, inside: covered, covered, record: 0 }
    }

    /// The quads of one row of a span; `rows` are the pixels of two rows of its blocks, a byte each.
    #[inline(always)]
    fn expand_span(&mut self, span: &Span, y: i32, rows: u64) {
        if rows == 0xffff {
            let count = span.blocks * (SIDE / 2) as u32;
            if let Some(Strip { first, count: before }) = self.strips.last_mut()
                && *before > 1
                && first.y == y
                && first.x + 2 * *before as i32 == span.x
            {
                *before += count;
                return;
            }
            self.strips.push(Strip { first: self.quad([span.x, y], [1; 4]), count });
            return;
        }
        // The columns of quads with a covered pixel.
        let either = rows | rows >> 8;
        let mut columns = (either | either >> 1) & 0x55;
        while columns != 0 {
            let column = columns.trailing_zeros();
            columns &= columns - 1;
            let quad_rows = (rows >> column) as u16;
            let covered =
                [quad_rows & 1, quad_rows >> 1 & 1, quad_rows >> 8 & 1, quad_rows >> 9 & 1];
            let first = self.quad([span.x + column as i32, y], covered);
            self.strips.push(Strip { first, count: 1 });
        }
    }

    /// Makes each quad a separate strip.
    fn split_strips(&mut self) {
        let split = self.strips.iter().flat_map(|it| {
            let first = it.first;
            (0..it.count as i32)
                .map(move |i| Strip { first: Quad { x: first.x + 2 * i, ..first }, count: 1 })
        });
        self.strips = split.collect();
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
                self.strips.push(Strip { first: quad, count: 1 });
                continue;
            }
            for sample in 0..samples.count() {
                let covered = covered.map(|it| it & 1 << sample);
                if covered != [0; 4] {
                    let first = Quad { sample: Some(sample as u8), covered, ..quad };
                    self.strips.push(Strip { first, count: 1 });
                }
            }
        }
    }

    /// Drops the samples beyond near plane, far plane and clip distances.
    fn keep_visible(&self, piece: usize, block: &mut Block) {
        let geometry = &self.pieces[piece].geometry;
        let first = self.inputs.numbers.len() - self.inputs.layout.clip_distances.len();
        let distances = &self.numbers_of(piece)[3 * first..];
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
        for Strip { first: quad, .. } in &mut self.strips {
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
        self.strips.retain(|it| it.first.covered != [0; 4]);
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

#[cfg(test)]
impl Rasterizer {
    /// The same, but sets up each triangle by itself.
    pub(crate) fn without_groups(self) -> Rasterizer {
        Rasterizer { group: None, ..self }
    }
}
