//! Interpolation: the inputs of the lanes of a wave.
//!
//! Everything is f64 in the order of operations written here, without contraction, and rounded once to the type of
//! the input. So a constant stays itself, and the result is within half a unit in the last place of the exact one in
//! all but extreme perspective.
//!
//! Spec: Direct3D 11.3, 3.5 and 16.5; `docs/semantics.md`.

use crate::cover::place;
use crate::setup::Geometry;
use crate::signature::{Input, Inputs, Mode, Place, Scalar, Stored};
use crate::wave::{Quad, Wave};

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
    /// The places, in 1/256 pixels.
    places: Vec<[i64; 2]>,
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
    /// beyond the last quad are 0.
    pub fn row(&mut self, inputs: &Inputs, input: usize, row: &mut [u64]) {
        row.fill(0);
        let of_quads = |wave: &Wave, row: &mut [u64], value: &dyn Fn(&Quad, usize) -> u32| {
            for (quad, row) in wave.quads.iter().zip(row.chunks_exact_mut(4)) {
                for (lane, place) in row.iter_mut().enumerate() {
                    *place = u64::from(value(quad, lane));
                }
            }
        };
        match (inputs.inputs[input], inputs.stored[input]) {
            (_, Stored::Bits(slot)) => {
                of_quads(self, row, &|quad, _| self.bits_of(quad, inputs, slot, 0));
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
                of_quads(self, row, &|quad, _| u32::from(self.record(quad).front));
            }
            (Input::PrimitiveId, _) => of_quads(self, row, &|quad, _| self.record(quad).id),
            (Input::SampleIndex, _) => {
                of_quads(self, row, &|quad, _| u32::from(quad.sample.unwrap_or(0)));
            }
            (Input::Coverage, _) => {
                of_quads(self, row, &|quad, lane| u32::from(quad.covered[lane]));
            }
            (Input::Constant(bits), _) => of_quads(self, row, &|_, _| bits),
            (Input::Varying { .. } | Input::Barycentric { .. }, Stored::Nowhere) => {
                unreachable!("varyings are stored")
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
                let at = self.numbers_of(quad, inputs, number);
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

    /// Computes the weights at a place for all lanes, if they are not there yet.
    fn prepare(&mut self, at: Place) {
        let mut lanes = std::mem::take(&mut self.weights.of[at as usize]);
        if !lanes.is_valid {
            let count = 4 * self.quads.len();
            lanes.places.clear();
            for it in lanes.weights.iter_mut().chain(&mut lanes.over_w) {
                it.resize(count, 0.0);
            }
            lanes.reciprocal.resize(count, 0.0);
            for (i, quad) in self.quads.iter().enumerate() {
                let geometry = &self.record(quad).geometry;
                for lane in 0..4 {
                    let (x, y) = (quad.x + (lane % 2) as i32, quad.y + (lane / 2) as i32);
                    let [x, y] = place(x, y, self.offset(quad, lane, at));
                    lanes.places.push([x, y]);
                    let weights = geometry.weights(x, y);
                    let over_w = divided(geometry, weights);
                    for vertex in 0..3 {
                        lanes.weights[vertex][4 * i + lane] = weights[vertex];
                        lanes.over_w[vertex][4 * i + lane] = over_w[vertex];
                    }
                    let [q0, q1, q2] = over_w;
                    lanes.reciprocal[4 * i + lane] = 1.0 / ((q0 + q1) + q2);
                }
            }
            lanes.is_valid = true;
        }
        self.weights.of[at as usize] = lanes;
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
        for (i, (quad, row)) in self.quads.iter().zip(row.chunks_exact_mut(4)).enumerate() {
            let [a0, a1, a2] = self.numbers_of(quad, inputs, number);
            let of = 4 * i..4 * i + 4;
            let mut values = [0.0; 4];
            match mode {
                Mode::Linear => {
                    let [q0, q1, q2] = [0, 1, 2].map(|it| &lanes.over_w[it][of.clone()]);
                    let reciprocal = &lanes.reciprocal[of];
                    for lane in 0..4 {
                        let sum = (q0[lane] * a0 + q1[lane] * a1) + q2[lane] * a2;
                        values[lane] = sum * reciprocal[lane];
                    }
                }
                Mode::NoPerspective | Mode::Flat => {
                    let [e0, e1, e2] = [0, 1, 2].map(|it| &lanes.weights[it][of.clone()]);
                    let reciprocal = 1.0 / self.record(quad).geometry.scale;
                    for lane in 0..4 {
                        values[lane] =
                            ((e0[lane] * a0 + e1[lane] * a1) + e2[lane] * a2) * reciprocal;
                    }
                }
            }
            for (place, value) in row.iter_mut().zip(values) {
                *place = u64::from(scalar.round(value));
            }
        }
    }

    fn position_row(&mut self, component: u8, at: Place, row: &mut [u64]) {
        self.prepare(at);
        let lanes = &self.weights.of[at as usize];
        for (i, (quad, row)) in self.quads.iter().zip(row.chunks_exact_mut(4)).enumerate() {
            let geometry = &self.record(quad).geometry;
            for (lane, value) in row.iter_mut().enumerate() {
                let it = 4 * i + lane;
                let [x, y] = lanes.places[it];
                let number = match component {
                    // Exact: sixteenths of a pixel.
                    0 => x as f32 / 256.0,
                    1 => y as f32 / 256.0,
                    2 => geometry.depth(x, y),
                    _ => (geometry.scale * lanes.reciprocal[it]) as f32,
                };
                *value = u64::from(number.to_bits());
            }
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

fn on_screen([e0, e1, e2]: [f64; 3], [a0, a1, a2]: [f64; 3], reciprocal: f64) -> f64 {
    ((e0 * a0 + e1 * a1) + e2 * a2) * reciprocal
}
