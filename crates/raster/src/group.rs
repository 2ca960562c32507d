//! Triangles that are projected and bounded together, and covered if they are about as small as a pixel.
//!
//! These are loops over the triangles of a group in 32 bits, which the compiler turns into vectors. They decide as
//! [`Viewport::project`], [`crate::setup`] and [`crate::cover`] define it, and leave the rest to these: triangles that
//! may have to be clipped, and those far outside of all targets.

use crate::each::each3;
use crate::rasterizer::{Batch, DrawArea, word};
use crate::sample::Samples;
use crate::state::Viewport;
use crate::topology::Primitive;
use crate::viewport::{Projected, Rect, UNITS};

/// The most triangles of a group.
const MOST: usize = 32;
/// The width and height in pixels of what a triangle may cover here.
const SIDE: u32 = 4;
/// Units of the screen's grid in a pixel, in 32 bits.
const PIXEL: i32 = UNITS as i32;

/// A number for each triangle.
type Lanes<T> = [T; MOST];

/// The fate of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is set up by the definition.
    Other,
    /// It is whole, and may cover pixels.
    Large,
    /// It covers these of 4×4 pixels, of which this is the first: bit 4·y + x.
    Small([i32; 2], u32),
}

/// Fates as numbers; smaller ones are the covered pixels.
const LARGE: u32 = 1 << 16;
const OTHER: u32 = 1 << 17;

/// One corner of each triangle.
#[derive(Clone, Debug)]
struct Corner {
    /// x, y, z and w in clip space.
    position: [Lanes<f32>; 4],
    /// On the screen, in 1/256 pixels.
    x: Lanes<i32>,
    y: Lanes<i32>,
    clip_z: Lanes<f32>,
    z: Lanes<f32>,
}

/// Some triangles of a draw.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    primitives: Lanes<Primitive>,
    corners: [Corner; 3],
    /// The first pixel whose samples a triangle may cover.
    first: [Lanes<i32>; 2],
    fates: Lanes<u32>,
    /// The triangles to come that may cover something.
    rest: u32,
}

impl Corner {
    const NOTHING: Corner = Corner {
        position: [[0.0; MOST]; 4],
        x: [0; MOST],
        y: [0; MOST],
        clip_z: [0.0; MOST],
        z: [0.0; MOST],
    };

    /// Projects the corner, and marks the triangles that need the general definition.
    ///
    /// The guard band is a power of two, so that its products are exact in f32 too. A coordinate of at most 16384
    /// pixels has at most 2²² units: where those are the last bits of f32, addition rounds to nearest even.
    #[inline(always)]
    fn project(&mut self, viewport: &Viewport, band: f32, others: &mut Lanes<u32>) {
        const ROUND: f32 = 12_582_912.0;
        const FAR: f32 = 4_194_304.0;
        let Viewport { min_depth, max_depth, .. } = *viewport;
        let [xs, ys, zs, ws] = &self.position;
        for i in 0..MOST {
            let (x, y, z, w) = (xs[i], ys[i], zs[i], ws[i]);
            let is_inside = (w > 0.0) & (x.abs() <= band * w) & (y.abs() <= band * w);
            let (x, y, clip_z) = (x / w, y / w, z / w);
            let screen_x = ((x + 1.0) * viewport.width) * 0.5 + viewport.x;
            let screen_y = ((1.0 - y) * viewport.height) * 0.5 + viewport.y;
            let z = clip_z * (max_depth - min_depth) + min_depth;
            let (units_x, units_y) = (screen_x * PIXEL as f32, screen_y * PIXEL as f32);
            // NaN fails.
            let is_near = (units_x.abs() <= FAR) & (units_y.abs() <= FAR);
            let snap = |units: f32| {
                let bits = (units + ROUND).to_bits().wrapping_sub(ROUND.to_bits());
                if is_near { bits as i32 } else { 0 }
            };
            self.x[i] = snap(units_x);
            self.y[i] = snap(units_y);
            self.clip_z[i] = clip_z;
            self.z[i] = z;
            others[i] |= u32::from(!(is_inside & is_near & !z.is_nan()));
        }
    }
}

/// The pixels of a direction whose samples lie between the places of three corners: the first, and the one behind the
/// last.
#[inline(always)]
fn spans([a, b, c]: [&Lanes<i32>; 3], samples: Samples) -> (Lanes<i32>, Lanes<i32>) {
    let (nearest, farthest) = samples.reach();
    let (nearest, farthest) = (i32::from(nearest), i32::from(farthest));
    let (mut from, mut to) = ([0; MOST], [0; MOST]);
    for i in 0..MOST {
        let (least, most) = (a[i].min(b[i]).min(c[i]), a[i].max(b[i]).max(c[i]));
        // ⌈least / 256⌉ and ⌊most / 256⌋ + 1.
        from[i] = (least - farthest + PIXEL - 1) >> 8;
        to[i] = ((most - nearest) >> 8) + 1;
    }
    (from, to)
}

/// Adds numbers to others.
#[inline(always)]
fn step(numbers: &mut Lanes<i32>, by: &Lanes<i32>) {
    numbers.iter_mut().zip(by).for_each(|(it, by)| *it = it.wrapping_add(*by));
}

impl Group {
    pub(crate) const NOTHING: Group = Group {
        primitives: [Primitive { vertices: [0; 3], id: 0 }; MOST],
        corners: [Corner::NOTHING; 3],
        first: [[0; MOST]; 2],
        fates: [0; MOST],
        rest: 0,
    };

    /// Takes the next triangles of a batch; whether there are any. `position`: the slots of the vertices' positions.
    /// `is_single`: pixels have one sample, which no mask drops.
    #[inline(always)]
    pub(crate) fn gather(
        &mut self,
        batch: &mut Batch<'_>,
        position: [u32; 4],
        draw_area: &DrawArea,
        (samples, is_single): (Samples, bool),
    ) -> bool {
        let mut count = 0;
        while count < MOST
            && let Some(primitive) = batch.primitives.next()
        {
            self.primitives[count] = primitive;
            for (corner, vertex) in self.corners.iter_mut().zip(primitive.vertices) {
                let slots = batch.vertices.of(vertex);
                for (lanes, slot) in corner.position.iter_mut().zip(position) {
                    lanes[count] = f32::from_bits(word(slots, slot));
                }
            }
            count += 1;
        }
        if count == 0 {
            return false;
        }
        let mut others = [0; MOST];
        for corner in &mut self.corners {
            corner.project(&draw_area.viewport, draw_area.band as f32, &mut others);
        }
        self.decide(draw_area.drawable, samples, is_single, &others);
        // Lanes beyond the last triangle hold older ones.
        self.rest = 0;
        for (i, fate) in self.fates.iter().enumerate() {
            self.rest |= u32::from(*fate != 0) << i;
        }
        self.rest &= u32::MAX >> (MOST - count);
        true
    }

    /// Bounds all triangles, and covers the pixels of those with small bounds.
    ///
    /// PERF: a loop over triangles for each step, which becomes vectors; one loop of all steps does not.
    #[inline(always)]
    fn decide(&mut self, drawable: Rect, samples: Samples, is_single: bool, others: &Lanes<u32>) {
        let [p, q, r] = self.corners.each_ref();
        let (left, right) = spans([&p.x, &q.x, &r.x], samples);
        let (top, bottom) = spans([&p.y, &q.y, &r.y], samples);
        let outside = self.outside(&left, &top);
        let side = SIDE as i32;
        // The distance in bits from one column or row of the square to the next.
        let bits = |from: i32, to: i32, each: i32| {
            let bit = |at: i32| 1u32 << (at.clamp(0, side) * each);
            bit(to).wrapping_sub(bit(from))
        };
        for i in 0..MOST {
            let (from_x, to_x) = (left[i].max(drawable.left), right[i].min(drawable.right));
            let (from_y, to_y) = (top[i].max(drawable.top), bottom[i].min(drawable.bottom));
            let columns = bits(from_x - left[i], to_x - left[i], 1).wrapping_mul(0x1111);
            let rows = bits(from_y - top[i], to_y - top[i], side);
            let is_small = is_single & (right[i] - left[i] <= side) & (bottom[i] - top[i] <= side);
            let is_empty = (from_x >= to_x) | (from_y >= to_y);
            let whole = if is_small { columns & rows & !outside[i] } else { LARGE };
            let whole = if is_empty { 0 } else { whole };
            self.fates[i] = if others[i] != 0 { OTHER } else { whole };
        }
        self.first = [left, top];
    }

    /// The pixels of the square from this one on whose centres lie outside of a small triangle: bit 4·y + x. Products
    /// of larger ones overflow.
    #[inline(always)]
    fn outside(&self, left: &Lanes<i32>, top: &Lanes<i32>) -> Lanes<u32> {
        let [p, q, r] = self.corners.each_ref();
        let mut signs = [0; MOST];
        for (i, sign) in signs.iter_mut().enumerate() {
            let along = (q.x[i] - p.x[i]).wrapping_mul(r.y[i] - p.y[i]);
            let area = along.wrapping_sub((q.y[i] - p.y[i]).wrapping_mul(r.x[i] - p.x[i]));
            *sign = if area < 0 { -1 } else { 1 };
        }
        let mut edges = [[[0; MOST]; 3]; 3];
        for ([a, b], [rows, right, down]) in [[q, r], [r, p], [p, q]].into_iter().zip(&mut edges) {
            for i in 0..MOST {
                let (x, y) = (left[i] * PIXEL + PIXEL / 2, top[i] * PIXEL + PIXEL / 2);
                let (dx, dy) = (signs[i] * (b.x[i] - a.x[i]), signs[i] * (b.y[i] - a.y[i]));
                let is_top_left = (dy < 0) | (dy == 0) & (dx > 0);
                let along = dx.wrapping_mul(y - a.y[i]);
                let at = along.wrapping_sub(dy.wrapping_mul(x - a.x[i]));
                // ≥ 0 inside.
                rows[i] = at.wrapping_sub(i32::from(!is_top_left));
                right[i] = dy.wrapping_mul(-PIXEL);
                down[i] = dx.wrapping_mul(PIXEL);
            }
        }
        let mut outside = [0; MOST];
        for row in 0..SIDE {
            let [mut a, mut b, mut c] = each3(edges.each_ref(), |it| it[0]);
            for pixel in SIDE * row..SIDE * (row + 1) {
                for i in 0..MOST {
                    outside[i] |= ((a[i] | b[i] | c[i]) as u32 >> 31) << pixel;
                }
                for (at, [_, right, _]) in [&mut a, &mut b, &mut c].into_iter().zip(&edges) {
                    step(at, right);
                }
            }
            for [at, _, down] in &mut edges {
                step(at, down);
            }
        }
        outside
    }

    /// The next triangle that may cover something, as a lane.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<usize> {
        let lane = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest.wrapping_sub(1);
        (lane < MOST).then_some(lane)
    }

    #[inline(always)]
    pub(crate) fn primitive(&self, lane: usize) -> Primitive {
        self.primitives[lane]
    }

    #[inline(always)]
    pub(crate) fn fate(&self, lane: usize) -> Fate {
        match self.fates[lane] {
            OTHER => Fate::Other,
            LARGE => Fate::Large,
            covered => Fate::Small([self.first[0][lane], self.first[1][lane]], covered),
        }
    }

    /// The corners of a triangle that has no other fate.
    #[inline(always)]
    pub(crate) fn projected(&self, lane: usize) -> [Projected; 3] {
        each3(self.corners.each_ref(), |it| Projected {
            x: i64::from(it.x[lane]),
            y: i64::from(it.y[lane]),
            clip_z: it.clip_z[lane],
            z: it.z[lane],
            inverse_w: 1.0 / f64::from(it.position[3][lane]),
        })
    }
}

#[cfg(test)]
mod tests {
    use ops::Random;

    use super::*;
    use crate::rasterizer::{Rasterizer, Vertices};
    use crate::signature::{Input, Inputs, Interpolation, Scalar, VertexLayout};
    use crate::state::{Cull, DepthBias, Packing, RasterState, Scissor};
    use crate::topology::{Assembly, Kind, Topology};
    use crate::wave::{Quad, Wave};

    /// A state in which everything may matter.
    fn state(random: &mut Random) -> RasterState {
        let size = [64, 33, 7][random.below(3)];
        let mut state = RasterState::new(size, size);
        state.cull = *random.pick(&[Cull::None, Cull::None, Cull::Front, Cull::Back]);
        state.front_counter_clockwise = random.one_in(2);
        state.depth_clip = random.one_in(2);
        if random.one_in(4) {
            state.samples = *random.pick(&Samples::ALL);
            state.sample_mask = random.bits() as u32;
            state.sample_frequency = random.one_in(2);
        }
        if random.one_in(4) {
            state.depth_bias = DepthBias { bias: 3, slope: 0.5, clamp: 0.0 };
        }
        if random.one_in(4) {
            let odd_origin = [random.one_in(2), random.one_in(2)];
            state.packing = Packing { odd_origin, ..Packing::default() };
        }
        if random.one_in(4) {
            let mut at = || random.below(size as usize) as i32;
            let scissor = Scissor { left: at(), top: at(), right: at() + 4, bottom: at() + 4 };
            state.scissors = Some(vec![scissor]);
        }
        state
    }

    /// Triangles of all sizes, at places where ties matter and at others; some reach behind the eye or far away.
    fn words(random: &mut Random, size: u32) -> Vec<u32> {
        let mut words = Vec::new();
        for _ in 0..1 + random.below(100) {
            let reach = *random.pick(&[0.5, 1.0, 1.0, 3.0, 5.0, 40.0, 20_000.0]);
            let mut centre = || (random.unit() * 1.25 - 0.125) * f64::from(size);
            let (x, y) = (centre(), centre());
            let unit = *random.pick(&[1.0, 2.0, 256.0, 4096.0]);
            for _ in 0..3 {
                let mut place = |centre: f64| {
                    let pixels = centre + (random.unit() - 0.5) * reach;
                    (pixels * unit).round() / unit / f64::from(size) * 2.0 - 1.0
                };
                let (x, y) = (place(x), -place(y));
                let w = match random.below(40) {
                    0 => -1.0,
                    1 => 0.0,
                    2 => f64::NAN,
                    3..8 => 0.5 + random.unit(),
                    _ => 1.0,
                };
                let z = (random.unit() * 1.2 - 0.1) * w;
                let colour = random.unit();
                words.extend([x * w, y * w, z, w, colour].map(|it| (it as f32).to_bits()));
            }
        }
        words
    }

    /// All quads of a draw, and what is known of their primitives except the numbers of pieces.
    fn drawn(mut rasterizer: Rasterizer, words: &[u32], width: u32) -> Vec<(Quad, String)> {
        let assembly = Assembly::plain(Topology::TriangleList, words.len() as u32 / 5);
        let mut primitives = assembly.primitives();
        let vertices = Vertices { words, slots: 5 };
        let mut batch = Batch { vertices, primitives: &mut primitives };
        let mut wave = Wave::new(width, rasterizer.state());
        let mut drawn = Vec::new();
        while rasterizer.fill(&mut batch, None, &mut wave) || !wave.is_empty() {
            let of = |quad: Quad| {
                let record = &wave.records[quad.record as usize];
                let values = wave.numbers_of(quad.record, rasterizer.inputs(), 0);
                (quad, format!("{:?} {} {} {values:?}", record.geometry, record.front, record.id))
            };
            drawn.extend(wave.quads().map(of));
            wave.clear();
        }
        drawn
    }

    #[test]
    fn groups_change_nothing() {
        let mut random = Random::new(19);
        let mut quads = 0;
        for round in 0..300 {
            let state = state(&mut random);
            let words = words(&mut random, state.width);
            let (scalar, interpolation) = (Scalar::F32, Interpolation::LINEAR);
            let varying = Input::Varying { slot: 4, scalar, interpolation };
            let layout = VertexLayout { position: Some([0, 1, 2, 3]), ..VertexLayout::default() };
            let inputs = Inputs::new(vec![varying], layout);
            let rasterizer = Rasterizer::new(state.clone(), inputs, Kind::Triangle);
            let alone = drawn(rasterizer.clone().without_groups(), &words, 64);
            assert_eq!(drawn(rasterizer, &words, 64), alone, "{round} {state:?}");
            quads += alone.len();
        }
        assert!(quads > 20_000, "{quads}");
    }
}
