//! Interpolation: the inputs of the lanes of a wave.
//!
//! Everything is f64 in the order of operations written here, without contraction, and rounded once to the type of
//! the input. So a constant stays itself, and the result is within half a unit in the last place of the exact one in
//! all but extreme perspective.
//!
//! Spec: Direct3D 11.3, 3.5 and 16.5; `docs/semantics.md`.

use crate::cover::place;
use crate::sample::Samples;
use crate::setup::{Geometry, over_quad};
use crate::signature::{Input, Inputs, Mode, Place, Scalar, Stored};
use crate::topology::Kind;
use crate::viewport::UNITS;
use crate::wave::{Quad, Run, Wave};

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

/// What interpolation at a place needs of each lane, for all inputs.
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
    pub fn row(&mut self, inputs: &Inputs, input: usize, row: &mut [u64]) {
        row[4 * self.quads.len()..].fill(0);
        match (inputs.inputs[input], inputs.stored[input]) {
            (_, Stored::Bits(slot)) => {
                self.fill(row, |quad, _| self.bits_of(quad, inputs, slot, 0));
            }
            (Input::Varying { scalar, interpolation, .. }, Stored::Numbers(number)) => {
                self.numbers_row(
                    inputs,
                    number,
                    scalar,
                    interpolation.mode,
                    interpolation.place,
                    row,
                );
            }
            (Input::Barycentric { interpolation, .. }, Stored::Numbers(number)) => {
                let (mode, place) = (interpolation.mode, interpolation.place);
                self.numbers_row(inputs, number, Scalar::F32, mode, place, row);
            }
            (Input::Position { component, place }, _) => self.position_row(component, place, row),
            (Input::FrontFace, _) => {
                self.fill(row, |quad, _| u32::from(self.record(quad).front));
            }
            (Input::PrimitiveId, _) => self.fill(row, |quad, _| self.record(quad).id),
            (Input::SampleIndex, _) => {
                self.fill(row, |quad, _| u32::from(quad.sample.unwrap_or(0)));
            }
            (Input::Coverage, _) => {
                self.fill(row, |quad, lane| u32::from(quad.covered[lane]));
            }
            (Input::Constant(bits), _) => self.fill(row, |_, _| bits),
            (Input::Varying { .. } | Input::Barycentric { .. }, Stored::Nowhere) => {
                unreachable!("varyings are stored")
            }
        }
    }

    fn fill(&self, row: &mut [u64], value: impl Fn(&Quad, usize) -> u32) {
        for (quad, row) in self.quads.iter().zip(row.chunks_exact_mut(4)) {
            for (lane, place) in row.iter_mut().enumerate() {
                *place = u64::from(value(quad, lane));
            }
        }
    }

    /// The value of an input in a lane at another place than its own: pull-model evaluation. Flat inputs stay flat,
    /// inputs without perspective stay without it.
    pub fn evaluate(&self, inputs: &Inputs, input: usize, lane: u32, at: At) -> u64 {
        let quad = &self.quads[lane as usize / 4];
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
            Input::Constant(bits) => return u64::from(bits),
        };
        let bits = match inputs.stored[input] {
            Stored::Bits(slot) => self.bits_of(quad, inputs, slot, 0),
            Stored::Numbers(number) => {
                let at = self.numbers_of(quad.record, inputs, number);
                let weights = geometry.weights(x, y);
                scalar.round(match mode {
                    Mode::Linear => in_space(geometry, weights, at),
                    Mode::NoPerspective | Mode::Flat => {
                        on_screen(weights, at, 1.0 / geometry.scale)
                    }
                })
            }
            Stored::Nowhere => 0,
        };
        u64::from(bits)
    }

    /// The bits of a flat input at a vertex of the lane's primitive; beyond its vertices those of the last.
    pub fn at_vertex(&self, inputs: &Inputs, input: usize, lane: u32, vertex: u32) -> u64 {
        let quad = &self.quads[lane as usize / 4];
        let last = self.record(quad).geometry.vertices() - 1;
        match inputs.stored[input] {
            Stored::Bits(slot) => {
                u64::from(self.bits_of(quad, inputs, slot, (vertex as usize).min(last)))
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

    fn offset(&self, quad: &Quad, lane: usize, at: Place) -> [i8; 2] {
        match at {
            Place::Centre => [0, 0],
            Place::Centroid => self.centroid(quad, lane),
            Place::Sample => match quad.sample {
                Some(sample) => self.samples.offsets()[usize::from(sample)],
                None => [0, 0],
            },
        }
    }

    /// The offset that all lanes of a quad have in common, if they do.
    fn common_offset(&self, quad: &Quad, at: Place) -> Option<[i8; 2]> {
        match at {
            Place::Centroid if self.samples != Samples::One => None,
            Place::Centre | Place::Centroid | Place::Sample => Some(self.offset(quad, 0, at)),
        }
    }

    /// Computes the weights at a place for all lanes, if they are not there yet.
    fn prepare(&mut self, at: Place) {
        let mut lanes = std::mem::take(&mut self.weights.of[at as usize]);
        if !lanes.is_valid {
            let count = 4 * self.quads.len();
            for it in lanes.weights.iter_mut().chain(&mut lanes.over_w) {
                it.resize(count, 0.0);
            }
            lanes.reciprocal.resize(count, 0.0);
            for run in &self.runs {
                self.weigh(*run, at, &mut lanes);
            }
            lanes.is_valid = true;
        }
        self.weights.of[at as usize] = lanes;
    }

    /// The weights of a run.
    #[inline(always)]
    fn weigh(&self, run: Run, at: Place, lanes: &mut Lanes) {
        let quads = &self.quads[run.start..run.end];
        let geometry = &self.records[run.record as usize].geometry;
        let planes = geometry.planes();
        let inverse_w = geometry.inverse_w;
        let is_affine = geometry.is_affine();
        let of = 4 * run.start..4 * run.end;
        let [weights0, weights1, weights2] = lanes.weights.each_mut().map(|it| &mut it[of.clone()]);
        let [over0, over1, over2] = lanes.over_w.each_mut().map(|it| &mut it[of.clone()]);
        let reciprocals = &mut lanes.reciprocal[of];
        let outputs = weights0
            .chunks_exact_mut(4)
            .zip(weights1.chunks_exact_mut(4))
            .zip(weights2.chunks_exact_mut(4))
            .zip(over0.chunks_exact_mut(4).zip(over1.chunks_exact_mut(4)))
            .zip(over2.chunks_exact_mut(4).zip(reciprocals.chunks_exact_mut(4)));
        for (quad, ((((w0, w1), w2), (q0, q1)), (q2, reciprocal))) in quads.iter().zip(outputs) {
            let weights: [[f64; 4]; 3] = match self.common_offset(quad, at) {
                Some(offset) if geometry.kind == Kind::Triangle => {
                    let [x, y] = place(quad.x, quad.y, offset).map(|it| it as f64);
                    planes.map(|it| over_quad(it, x, y))
                }
                _ => self.weights_of_each(geometry, quad, at),
            };
            w0.copy_from_slice(&weights[0]);
            w1.copy_from_slice(&weights[1]);
            w2.copy_from_slice(&weights[2]);
            if is_affine {
                // Dividing by 1 changes nothing, and the sum of the weights is exact.
                reciprocal.fill(geometry.reciprocal);
                continue;
            }
            let over: [[f64; 4]; 3] =
                std::array::from_fn(|i| weights[i].map(|it| it * inverse_w[i]));
            let of_sum: [f64; 4] =
                std::array::from_fn(|i| 1.0 / ((over[0][i] + over[1][i]) + over[2][i]));
            q0.copy_from_slice(&over[0]);
            q1.copy_from_slice(&over[1]);
            q2.copy_from_slice(&over[2]);
            reciprocal.copy_from_slice(&of_sum);
        }
    }

    /// The weights in the lanes of a quad, which are evaluated at places of their own.
    fn weights_of_each(&self, geometry: &Geometry, quad: &Quad, at: Place) -> [[f64; 4]; 3] {
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

    fn numbers_row(
        &mut self,
        inputs: &Inputs,
        number: usize,
        scalar: Scalar,
        mode: Mode,
        at: Place,
        row: &mut [u64],
    ) {
        self.prepare(at);
        let lanes = &self.weights.of[at as usize];
        for run in &self.runs {
            let geometry = &self.records[run.record as usize].geometry;
            let values = self.numbers_of(run.record, inputs, number);
            let of = 4 * run.start..4 * run.end;
            let row = &mut row[of.clone()];
            match mode {
                Mode::Linear => {
                    let is_affine = geometry.is_affine();
                    let over_w = if is_affine { &lanes.weights } else { &lanes.over_w };
                    let over_w = over_w.each_ref().map(|it| &it[of.clone()]);
                    let reciprocal = &lanes.reciprocal[of];
                    match scalar {
                        Scalar::F32 => {
                            linear(over_w, values, reciprocal, row, |it| (it as f32).to_bits());
                        }
                        _ => linear(over_w, values, reciprocal, row, |it| scalar.round(it)),
                    }
                }
                Mode::NoPerspective | Mode::Flat => {
                    let weights = lanes.weights.each_ref().map(|it| &it[of.clone()]);
                    let reciprocal = geometry.reciprocal;
                    match scalar {
                        Scalar::F32 => {
                            flattened(weights, values, reciprocal, row, |it| (it as f32).to_bits());
                        }
                        _ => flattened(weights, values, reciprocal, row, |it| scalar.round(it)),
                    }
                }
            }
        }
    }

    fn position_row(&mut self, component: u8, at: Place, row: &mut [u64]) {
        if component < 2 {
            let units = |quad: &Quad, lane: usize| {
                let (x, y) = (quad.x + (lane % 2) as i32, quad.y + (lane / 2) as i32);
                let [x, y] = place(x, y, self.offset(quad, lane, at));
                if component == 0 { x } else { y }
            };
            for (quad, row) in self.quads.iter().zip(row.chunks_exact_mut(4)) {
                for (lane, value) in row.iter_mut().enumerate() {
                    // Exact: sixteenths of a pixel.
                    *value = u64::from((units(quad, lane) as f32 / UNITS as f32).to_bits());
                }
            }
            return;
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
                    *value = u64::from(depth.to_bits());
                }
            } else {
                for (value, reciprocal) in row.iter_mut().zip(&lanes.reciprocal[of]) {
                    *value = u64::from(((geometry.scale * reciprocal) as f32).to_bits());
                }
            }
        }
    }
}

/// The perspective formula over lanes.
#[inline(always)]
fn linear(
    [q0, q1, q2]: [&[f64]; 3],
    [a0, a1, a2]: [f64; 3],
    reciprocal: &[f64],
    row: &mut [u64],
    round: impl Fn(f64) -> u32,
) {
    for ((((value, q0), q1), q2), r) in row.iter_mut().zip(q0).zip(q1).zip(q2).zip(reciprocal) {
        *value = u64::from(round(((q0 * a0 + q1 * a1) + q2 * a2) * r));
    }
}

/// The formula without perspective over lanes.
#[inline(always)]
fn flattened(
    [e0, e1, e2]: [&[f64]; 3],
    [a0, a1, a2]: [f64; 3],
    reciprocal: f64,
    row: &mut [u64],
    round: impl Fn(f64) -> u32,
) {
    for (((value, e0), e1), e2) in row.iter_mut().zip(e0).zip(e1).zip(e2) {
        *value = u64::from(round(((e0 * a0 + e1 * a1) + e2 * a2) * reciprocal));
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

fn on_screen([e0, e1, e2]: [f64; 3], [a0, a1, a2]: [f64; 3], reciprocal: f64) -> f64 {
    ((e0 * a0 + e1 * a1) + e2 * a2) * reciprocal
}
