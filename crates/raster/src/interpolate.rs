//! Interpolation: the inputs of the lanes of a wave.
//!
//! Everything is f64 in the order of operations written here, without contraction, and rounded once to the type of
//! the input. So a constant is preserved, and the result is within half a unit in the last place of the exact one in
//! all but extreme perspective.
//!
//! Spec: Direct3D 11.3, 3.5 and 16.5; `docs/semantics.md`.

pub(crate) mod exact;

use std::ops::Range;

use crate::cover::place;
use crate::each::{each3, each4};
use crate::sample::Samples;
use crate::setup::{Geometry, over_quad_from_corner};
use crate::signature::{Input, Inputs, Interpolation, InterpolationPlace, Mode, Scalar, Stored};
use crate::topology::Kind;
use crate::viewport::UNITS;
use crate::wave::{Quad, Record, Run, Wave};

/// Where an input is evaluated on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Centre,
    Centroid,
    /// An index beyond the count is clamped.
    Sample(u32),
    /// Right and down from the centre in sixteenths of a pixel; the low four bits count, as a signed number.
    Snapped([i32; 2]),
}

/// The data of each lane that interpolation at a place needs, for all inputs.
#[derive(Clone, Debug, Default)]
struct Lanes {
    /// Edge functions, or the weights of a line's and point's vertices.
    weights: [Vec<f64>; 3],
    /// The same divided by w.
    over_w: [Vec<f64>; 3],
    /// The reciprocal of the sum of those.
    reciprocal: Vec<f64>,
    is_valid: bool,
}

impl Lanes {
    /// The weights of some lanes divided by w, and the reciprocals of their sums.
    #[inline(always)]
    fn divide_by_w(&mut self, inverse_w: [f64; 3], of: &Range<usize>) {
        let [w0, w1, w2] = each3(self.weights.each_mut(), |it| chunks(it, of));
        let [q0, q1, q2] = each3(self.over_w.each_mut(), |it| chunks(it, of));
        let reciprocals = chunks(&mut self.reciprocal, of);
        let count = reciprocals.len();
        let [w0, w1, w2] = [&w0[..count], &w1[..count], &w2[..count]];
        let [q0, q1, q2] = [&mut q0[..count], &mut q1[..count], &mut q2[..count]];
        for i in 0..count {
            let times = |weights: &[f64; 8], by: f64| {
                let mut lanes = *weights;
                lanes.iter_mut().for_each(|it| *it *= by);
                lanes
            };
            let a = times(&w0[i], inverse_w[0]);
            let b = times(&w1[i], inverse_w[1]);
            let c = times(&w2[i], inverse_w[2]);
            let mut sums = [0.0; 8];
            for lane in 0..8 {
                sums[lane] = 1.0 / ((a[lane] + b[lane]) + c[lane]);
            }
            [q0[i], q1[i], q2[i]] = [a, b, c];
            reciprocals[i] = sums;
        }
    }
}

/// The weights at the three places of declared inputs, computed when first needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weights {
    of: [Lanes; 3],
}

impl Weights {
    pub(crate) fn clear(&mut self) {
        for lanes in &mut self.of {
            lanes.is_valid = false;
        }
    }
}

impl Wave {
    /// The values of an input in all lanes, as bits in `row`, which has one element for each lane of the wave. Lanes
    /// beyond the last quad are 0. [`Wave::evaluate`] is the definition of what is computed here for rows of lanes.
    pub fn row(&mut self, inputs: &Inputs, input: usize, row: &mut [u32]) {
        self.row_inline(inputs, input, row);
    }

    /// The same, inlined into the caller, which may be compiled for more instructions.
    #[inline(always)]
    pub fn row_inline(&mut self, inputs: &Inputs, input: usize, row: &mut [u32]) {
        let row = &mut row[..self.width as usize];
        if !self.is_full() {
            row[4 * self.count()..].fill(0);
        }
        match (inputs.inputs[input], inputs.stored[input]) {
            (_, Stored::Bits(slot)) => {
                self.fill_runs(row, |run| self.bits_of(run.record, inputs, slot, 0));
            }
            (Input::Varying { scalar, interpolation, .. }, Stored::Numbers(number)) => {
                self.numbers_row(inputs, number, scalar, interpolation, row);
            }
            (Input::Barycentric { interpolation, .. }, Stored::Numbers(number)) => {
                self.numbers_row(inputs, number, Scalar::F32, interpolation, row);
            }
            (Input::Position { component, place }, _) => self.position_row(component, place, row),
            (Input::FrontFace, _) => {
                self.fill_runs(row, |run| u32::from(self.record_of(run).front));
            }
            (Input::PrimitiveId, _) => self.fill_runs(row, |run| self.record_of(run).id),
            (Input::SampleIndex, _) => {
                self.fill(row, |quad, _| u32::from(quad.sample.unwrap_or(0)));
            }
            (Input::Coverage, _) => {
                self.fill(row, |quad, lane| u32::from(quad.covered[lane]));
            }
            (Input::Constant(bits), _) => row[..4 * self.count()].fill(bits),
            (Input::Varying { .. } | Input::Barycentric { .. }, Stored::Nowhere) => {
                unreachable!("varyings are stored")
            }
        }
    }

    /// The bits of the primitive's depth in all lanes, as in an `SV_Position` that is interpolated there. Lanes beyond
    /// the last quad are 0.
    pub fn depths(&mut self, at: InterpolationPlace, row: &mut [u32]) {
        row[4 * self.count()..].fill(0);
        self.position_row(2, at, row);
    }

    #[inline(always)]
    fn fill(&self, row: &mut [u32], value: impl Fn(&Quad, usize) -> u32) {
        for (quad, row) in self.quads().zip(row.chunks_exact_mut(4)) {
            for (lane, place) in row.iter_mut().enumerate() {
                *place = value(&quad, lane);
            }
        }
    }

    /// Fills in what all quads of a primitive have in common.
    #[inline(always)]
    fn fill_runs(&self, row: &mut [u32], value: impl Fn(Run) -> u32) {
        for run in &self.runs {
            row[4 * run.start..4 * run.end].fill(value(*run));
        }
    }

    #[inline(always)]
    fn record_of(&self, run: Run) -> &Record {
        &self.records[run.record as usize]
    }

    /// The value of an input in a lane at another place than its own: pull-model evaluation. Flat inputs stay flat,
    /// inputs without perspective stay without it.
    pub fn evaluate(&self, inputs: &Inputs, input: usize, lane: u32, at: At) -> u32 {
        let quad = &self.quad(lane as usize / 4);
        let offset = match at {
            At::Centre => [0, 0],
            At::Centroid => self.centroid(quad, lane as usize % 4),
            At::Sample(index) => {
                let offsets = self.samples.offsets();
                offsets[(index as usize).min(offsets.len() - 1)]
            }
            At::Snapped(offset) => offset.map(|it| ((it as i8) << 4) >> 4),
        };
        let [x, y] = self.pixel(lane);
        let [x, y] = place(x, y, offset);
        let geometry = &self.record(quad).geometry;
        let (scalar, mode) = match inputs.inputs[input] {
            Input::Varying { scalar, interpolation, .. } => (scalar, interpolation.mode),
            Input::Barycentric { interpolation, .. } => (Scalar::F32, interpolation.mode),
            Input::Position { .. }
            | Input::FrontFace
            | Input::PrimitiveId
            | Input::SampleIndex
            | Input::Coverage => (Scalar::F32, Mode::Flat),
            Input::Constant(bits) => return bits,
        };
        match inputs.stored[input] {
            Stored::Bits(slot) => self.bits_of(quad.record, inputs, slot, 0),
            Stored::Numbers(number) => {
                let at = self.numbers_of(quad.record, inputs, number);
                let weights = geometry.weights(x, y);
                scalar.round(match mode {
                    Mode::Linear => in_space(geometry, weights, at),
                    Mode::NoPerspective | Mode::Flat => {
                        numerator(weights, at) * (1.0 / geometry.scale)
                    }
                })
            }
            Stored::Nowhere => 0,
        }
    }

    /// The bits of a flat input at a vertex of the lane's primitive; beyond its vertices those of the last.
    pub fn at_vertex(&self, inputs: &Inputs, input: usize, lane: u32, vertex: u32) -> u32 {
        let quad = &self.quad(lane as usize / 4);
        let last = self.record(quad).geometry.vertices() - 1;
        match inputs.stored[input] {
            Stored::Bits(slot) => {
                let vertex = (vertex as usize).min(last);
                self.bits_of(quad.record, inputs, slot, vertex)
            }
            Stored::Numbers(_) | Stored::Nowhere => 0,
        }
    }

    /// The centroid of a pixel: its centre if all samples are covered, otherwise the first covered sample. A helper
    /// has the first sample of an incomplete mask, or the centre.
    fn centroid(&self, quad: &Quad, lane: usize) -> [i8; 2] {
        let offsets = self.samples.offsets();
        let all = self.samples.all();
        let inside = quad.inside[lane];
        if inside == all {
            return [0, 0];
        }
        let first = |samples: u16| offsets.get(samples.trailing_zeros() as usize).copied();
        let of_mask = || if self.mask == all { None } else { first(self.mask) };
        first(inside & self.mask).or_else(of_mask).unwrap_or([0, 0])
    }

    #[inline(always)]
    fn offset(&self, quad: &Quad, lane: usize, at: InterpolationPlace) -> [i8; 2] {
        match at {
            InterpolationPlace::Centre => [0, 0],
            InterpolationPlace::Centroid => self.centroid(quad, lane),
            InterpolationPlace::Sample => match quad.sample {
                Some(sample) => self.samples.offsets()[usize::from(sample)],
                None => [0, 0],
            },
        }
    }

    /// Computes the weights at a place for all lanes, if they are not there yet.
    #[inline(always)]
    fn prepare(&mut self, at: InterpolationPlace) {
        if self.weights.of[at as usize].is_valid {
            return;
        }
        let mut lanes = std::mem::take(&mut self.weights.of[at as usize]);
        // A pair of quads is computed together; of the last one, only one may exist.
        let count = self.width as usize + 4;
        if lanes.reciprocal.len() < count {
            for it in lanes.weights.iter_mut().chain(&mut lanes.over_w) {
                it.resize(count, 0.0);
            }
            lanes.reciprocal.resize(count, 0.0);
        }
        for run in &self.runs {
            self.weigh(*run, at, &mut lanes);
        }
        lanes.is_valid = true;
        self.weights.of[at as usize] = lanes;
    }

    /// Whether all lanes interpolate at the centres of their pixels.
    #[inline(always)]
    fn is_at_centres(&self, at: InterpolationPlace) -> bool {
        at == InterpolationPlace::Centre || self.samples == Samples::One
    }

    /// The sum of a number's weighted values in the lanes of a run, where it is a plane.
    #[inline(always)]
    fn plane(
        &mut self,
        run: Run,
        at: InterpolationPlace,
        number: usize,
        values: [f64; 3],
    ) -> Option<exact::Plane> {
        let geometry = &self.record_of(run).geometry;
        if !run.is_solid || geometry.kind != Kind::Triangle || !self.is_at_centres(at) {
            return None;
        }
        let first = &self.listed(run)[0];
        let known = self.planes.get(number).copied().flatten();
        if let Some(plane) = known.and_then(|it| it.moved_to(first)) {
            return plane;
        }
        let plane = exact::Weights::of(geometry, first).plane(geometry, values);
        // A triangle that fills waves is the only one in them.
        if self.records.len() == 1 {
            let known = exact::Known::new(first, plane);
            if self.planes.len() <= number {
                self.planes.resize(number + 1, None);
            }
            self.planes[number] = Some(known);
        }
        plane
    }

    /// The weights of a run.
    #[inline(always)]
    fn weigh(&self, run: Run, at: InterpolationPlace, lanes: &mut Lanes) {
        let geometry = &self.record_of(run).geometry;
        let planes = geometry.planes();
        let is_common = geometry.kind == Kind::Triangle && self.is_at_centres(at);
        // Of a pair of quads beyond the end of the run, the next run overwrites the second.
        let quads = run.end - run.start;
        let of = 4 * run.start..4 * (run.start + quads.next_multiple_of(2));
        let [w0, w1, w2] = each3(lanes.weights.each_mut(), |it| chunks(it, &of));
        if run.is_solid && is_common {
            let quad = self.listed(run)[0];
            let [x, y] = place(quad.x, quad.y, [0, 0]);
            for (weights, plane) in [w0, w1, w2].into_iter().zip(planes) {
                // All of this is exact, so that the order of sums is free.
                let [a, b, c] = plane;
                let first = a * x as f64 + b * y as f64 + c;
                let quad = over_quad_from_corner(plane);
                let right = a * (2 * UNITS) as f64;
                let mut offsets = [0.0; 8];
                for lane in 0..4 {
                    offsets[lane] = first + quad[lane];
                    offsets[lane + 4] = first + quad[lane] + right;
                }
                for weights in weights {
                    *weights = offsets;
                    offsets.iter_mut().for_each(|it| *it += 2.0 * right);
                }
            }
        } else {
            let (w0, w1, w2) = (quads_of(w0), quads_of(w1), quads_of(w2));
            if is_common && !run.is_solid {
                let offsets = each3(planes, over_quad_from_corner);
                let places = w0.iter_mut().zip(w1).zip(w2).zip(self.listed(run));
                for (((w0, w1), w2), quad) in places {
                    let [x, y] = place(quad.x, quad.y, [0, 0]);
                    let [c0, c1, c2] = each3(planes, |[a, b, c]| a * x as f64 + b * y as f64 + c);
                    *w0 = each4(offsets[0], |it| c0 + it);
                    *w1 = each4(offsets[1], |it| c1 + it);
                    *w2 = each4(offsets[2], |it| c2 + it);
                }
            } else {
                for (i, quad) in (run.start..run.end).map(|it| self.quad_of(run, it)).enumerate() {
                    [w0[i], w1[i], w2[i]] = self.weights_of_each(geometry, &quad, at);
                }
            }
        }
        match geometry.is_affine {
            // Dividing by 1 changes nothing, and the sum of the weights is exact.
            true => lanes.reciprocal[of].fill(geometry.reciprocal),
            false => lanes.divide_by_w(geometry.inverse_w, &of),
        }
    }

    /// The weights in the lanes of a quad, each evaluated at its own place.
    fn weights_of_each(
        &self,
        geometry: &Geometry,
        quad: &Quad,
        at: InterpolationPlace,
    ) -> [[f64; 4]; 3] {
        let mut weights = [[0.0; 4]; 3];
        for lane in 0..4 {
            let (x, y) = (quad.x + (lane % 2) as i32, quad.y + (lane / 2) as i32);
            let [x, y] = place(x, y, self.offset(quad, lane, at));
            for (weights, weight) in weights.iter_mut().zip(geometry.weights(x, y)) {
                weights[lane] = weight;
            }
        }
        weights
    }

    #[inline(always)]
    fn numbers_row(
        &mut self,
        inputs: &Inputs,
        number: usize,
        scalar: Scalar,
        Interpolation { mode, place: at }: Interpolation,
        row: &mut [u32],
    ) {
        for i in 0..self.runs.len() {
            let run = self.runs[i];
            let values = self.numbers_of(run.record, inputs, number);
            let of = 4 * run.start..4 * run.end;
            let row = &mut row[of.clone()];
            let Geometry { is_affine, reciprocal, .. } = self.record_of(run).geometry;
            let is_linear = mode == Mode::Linear && !is_affine;
            if !is_linear && let Some(plane) = self.plane(run, at, number, values) {
                match scalar {
                    Scalar::F32 => {
                        plane.fill(reciprocal, row, |it| (it as f32).to_bits());
                    }
                    _ => plane.fill(reciprocal, row, |it| scalar.round(it)),
                }
                continue;
            }
            self.prepare(at);
            let lanes = &self.weights.of[at as usize];
            let weights = if is_linear { &lanes.over_w } else { &lanes.weights };
            let weights = each3([0, 1, 2], |i: usize| &weights[i][of.clone()]);
            let factor = match is_linear {
                true => Reciprocal::Each(&lanes.reciprocal[of]),
                false => Reciprocal::Same(reciprocal),
            };
            match scalar {
                Scalar::F32 => {
                    interpolate(weights, values, factor, row, |it| (it as f32).to_bits());
                }
                _ => interpolate(weights, values, factor, row, |it| scalar.round(it)),
            }
        }
    }

    #[inline(always)]
    fn position_row(&mut self, component: u8, at: InterpolationPlace, row: &mut [u32]) {
        if component < 2 {
            let units = |quad: &Quad, lane: usize| {
                let (x, y) = (quad.x + (lane % 2) as i32, quad.y + (lane / 2) as i32);
                let [x, y] = place(x, y, self.offset(quad, lane, at));
                if component == 0 { x } else { y }
            };
            // Exact: sixteenths of a pixel.
            let value = |quad: &Quad, lane| (units(quad, lane) as f32 / UNITS as f32).to_bits();
            return self.fill(row, value);
        }
        self.prepare(at);
        let lanes = &self.weights.of[at as usize];
        for run in &self.runs {
            let geometry = &self.records[run.record as usize].geometry;
            let of = 4 * run.start..4 * run.end;
            let row = &mut row[of.clone()];
            if component == 2 {
                let [e0, e1, e2] = lanes.weights.each_ref().map(|it| &it[of.clone()]);
                let z = geometry.z.map(f64::from);
                for (lane, value) in row.iter_mut().enumerate() {
                    let depth = geometry.on_screen([e0[lane], e1[lane], e2[lane]], z) as f32;
                    *value = depth.to_bits();
                }
            } else {
                for (value, reciprocal) in row.iter_mut().zip(&lanes.reciprocal[of]) {
                    *value = ((geometry.scale * reciprocal) as f32).to_bits();
                }
            }
        }
    }
}

/// The pairs of quads of some lanes.
#[inline(always)]
fn chunks<'a>(row: &'a mut [f64], of: &Range<usize>) -> &'a mut [[f64; 8]] {
    row[of.clone()].as_chunks_mut::<8>().0
}

/// The quads of pairs.
#[inline(always)]
fn quads_of(pairs: &mut [[f64; 8]]) -> &mut [[f64; 4]] {
    pairs.as_flattened_mut().as_chunks_mut::<4>().0
}

/// The sum of weighted values times a reciprocal, in each lane of whole quads.
///
/// PERF: lanes go through arrays, so that nothing is written before all is read: otherwise the compiler must assume
/// that rows and weights overlap, and takes one lane after the other.
#[inline(always)]
fn interpolate(
    [w0, w1, w2]: [&[f64]; 3],
    values: [f64; 3],
    reciprocal: Reciprocal<'_>,
    row: &mut [u32],
    round: impl Fn(f64) -> u32,
) {
    // Pairs of quads, and then the last one: runs are short where triangles are small.
    let (pairs, last) = row.as_chunks_mut::<8>();
    let count = pairs.len();
    let [p0, p1, p2] = each3([w0, w1, w2], |it| &it.as_chunks::<8>().0[..count]);
    for (i, pair) in pairs.iter_mut().enumerate() {
        let of = [&p0[i], &p1[i], &p2[i]];
        *pair = weighted(of, values, reciprocal.lanes(8 * i), &round);
    }
    if let Some((last, _)) = last.split_first_chunk_mut::<4>()
        && let [Some((w0, _)), Some((w1, _)), Some((w2, _))] =
            each3([w0, w1, w2], |it| it[8 * count..].split_first_chunk::<4>())
    {
        *last = weighted([w0, w1, w2], values, reciprocal.lanes(8 * count), &round);
    }
}

#[inline(always)]
fn weighted<const LANES: usize>(
    [w0, w1, w2]: [&[f64; LANES]; 3],
    [a0, a1, a2]: [f64; 3],
    reciprocals: [f64; LANES],
    round: &impl Fn(f64) -> u32,
) -> [u32; LANES] {
    let mut products = [0.0; LANES];
    for lane in 0..LANES {
        let sum = (w0[lane] * a0 + w1[lane] * a1) + w2[lane] * a2;
        products[lane] = sum * reciprocals[lane];
    }
    let mut bits = [0; LANES];
    for lane in 0..LANES {
        bits[lane] = round(products[lane]);
    }
    bits
}

/// What sums of weighted values are multiplied by.
#[derive(Clone, Copy)]
enum Reciprocal<'a> {
    Same(f64),
    Each(&'a [f64]),
}

impl Reciprocal<'_> {
    #[inline(always)]
    fn lanes<const LANES: usize>(self, start: usize) -> [f64; LANES] {
        match self {
            Reciprocal::Same(number) => [number; LANES],
            Reciprocal::Each(row) => match row[start..].split_first_chunk() {
                Some((lanes, _)) => *lanes,
                None => unreachable!("rows have whole quads"),
            },
        }
    }
}

/// The weights divided by w. Those of missing vertices stay 0.
#[inline]
pub(crate) fn divided(geometry: &Geometry, weights: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| weights[i] * geometry.inverse_w[i])
}

/// The numerator of the perspective formula. The numbers of missing vertices are -0.0, which changes no sum.
#[inline]
pub(crate) fn numerator([q0, q1, q2]: [f64; 3], [a0, a1, a2]: [f64; 3]) -> f64 {
    (q0 * a0 + q1 * a1) + q2 * a2
}

fn in_space(geometry: &Geometry, weights: [f64; 3], at: [f64; 3]) -> f64 {
    let over_w = divided(geometry, weights);
    let [q0, q1, q2] = over_w;
    numerator(over_w, at) * (1.0 / ((q0 + q1) + q2))
}
