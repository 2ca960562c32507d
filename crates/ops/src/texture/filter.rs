//! Sampling and gathering: from coordinates to a weighted sum of texels.

use super::format::Texel;
use super::lod::{self, Detail, Footprint, Levels};
use super::sampler::{Filter, Sampler};
use super::shape::{Image, Shape};
use super::{Dim, cube, rounded, whole};

/// The operands of a sample instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// The coordinates, or the direction for cubes; axes that the texture lacks are ignored.
    pub at: [f32; 3],
    /// The layer of an array, 0 otherwise.
    pub layer: f32,
    pub detail: Detail,
    /// In texels of the level being read.
    pub offset: [i32; 3],
    /// The lower limit for the level of detail.
    pub least: Option<f32>,
    /// The reference value of comparison instructions.
    pub reference: Option<f32>,
}

/// What a sample instruction gives: the components, or in the first one how much of the texels passes the comparison.
/// Each is to be rounded once to the shader's type.
pub fn sample(image: &Image<'_>, dim: Dim, sampler: &Sampler, query: &Query) -> ([f64; 4], u32) {
    let source = Source::new(image, dim, sampler, query.layer, query.reference);
    let walk = Walk::new(&image.shape, dim, sampler, query);
    let mut sum = Sum::default();
    walk.each_pass(query.at, |pass| source.pass(&pass, query.offset, &mut sum));
    (sum.total.map(|it| it / f64::from(walk.footprint.probes)), sum.texels)
}

/// The four texels that linear filtering of the largest level would read, in the order (−, +), (+, +), (+, −), (−,
/// −): one component of each, or 1 for each that passes the comparison. Each has its own offset.
pub fn gather(
    image: &Image<'_>,
    dim: Dim,
    sampler: &Sampler,
    query: &Query,
    offsets: [[i32; 2]; 4],
    component: usize,
) -> [f64; 4] {
    const ORDER: [[i64; 2]; 4] = [[0, 1], [1, 1], [1, 0], [0, 0]];
    let source = Source {
        compared: component.min(3),
        ..Source::new(image, dim, sampler, query.layer, query.reference)
    };
    let (face, at) = source.place(query.at.map(f64::from));
    let size = image.shape.size(0);
    let base: [i64; 2] = std::array::from_fn(|i| (rounded(at[i] * f64::from(size[i])) - 128) >> 8);
    std::array::from_fn(|i| {
        let texel: [i64; 3] = std::array::from_fn(|axis| match axis {
            0 | 1 => base[axis] + ORDER[i][axis] + i64::from(offsets[i][axis]),
            _ => 0,
        });
        let mut sum = Sum::default();
        source.gathered(face, texel, &mut sum);
        sum.total[if query.reference.is_some() { 0 } else { component }]
    })
}

/// What a sample visits: levels, and in each of them one place for each probe.
pub(super) struct Walk {
    pub(super) footprint: Footprint,
    pub(super) levels: Levels,
    filter: Filter,
}

/// One level at one place.
pub(super) struct Pass {
    pub(super) level: u32,
    pub(super) filter: Filter,
    /// The coordinates.
    pub(super) at: [f64; 3],
    /// In 256ths.
    weight: u32,
}

impl Walk {
    pub(super) fn new(shape: &Shape, dim: Dim, sampler: &Sampler, query: &Query) -> Walk {
        let footprint = lod::footprint(shape, dim, sampler, query.at, query.detail);
        let clamped = lod::clamped(footprint.lod, sampler, query.least);
        let levels = lod::levels(shape, sampler, clamped);
        let filter = match (sampler.anisotropy > 1, levels.is_magnified) {
            (true, _) => Filter::Linear,
            (false, true) => sampler.mag,
            (false, false) => sampler.min,
        };
        Walk { footprint, levels, filter }
    }

    /// Calls `visit` for each probe and level, except for levels of weight 0.
    pub(super) fn each_pass(&self, at: [f32; 3], mut visit: impl FnMut(Pass)) {
        let Walk { footprint, levels, filter } = *self;
        for probe in 0..footprint.probes {
            let mut at = at.map(f64::from);
            if footprint.probes > 1 {
                let along = (f64::from(probe) + 0.5) / f64::from(footprint.probes) - 0.5;
                at[0] += along * footprint.along[0];
                at[1] += along * footprint.along[1];
            }
            visit(Pass { level: levels.first, filter, at, weight: 256 - levels.next });
            if levels.next > 0 {
                visit(Pass { level: levels.first + 1, filter, at, weight: levels.next });
            }
        }
    }
}

impl Pass {
    /// For each axis, the first texel and the weight of the next. `at` is on the face of a cube.
    pub(super) fn axes(
        &self,
        dim: Dim,
        size: [u32; 3],
        at: [f64; 3],
        offset: [i32; 3],
    ) -> [(i64, i64); 3] {
        std::array::from_fn(|axis| {
            if axis >= dim.axes() {
                return (0, 0);
            }
            let position = at[axis] * f64::from(size[axis]);
            let (texel, next) = match self.filter {
                Filter::Nearest => (whole(position), 0),
                Filter::Linear => {
                    let from_middle = rounded(position) - 128;
                    (from_middle >> 8, from_middle & 255)
                }
            };
            if dim.is_cube() && self.filter == Filter::Nearest {
                // A direction exactly to an edge stays on its face.
                return (texel.clamp(0, i64::from(size[axis]) - 1), 0);
            }
            (texel + i64::from(offset[axis]), next)
        })
    }
}

/// Calls `visit` with each texel whose weight is not 0, before the address mode, and with its weight in 2⁻²⁴.
pub(super) fn for_each_tap(axes: [(i64, i64); 3], mut visit: impl FnMut([i64; 3], i64)) {
    let taps = |(texel, next): (i64, i64)| [(texel, 256 - next), (texel + 1, next)];
    for (z, weight_z) in taps(axes[2]) {
        for (y, weight_y) in taps(axes[1]) {
            for (x, weight_x) in taps(axes[0]) {
                let product = weight_x * weight_y * weight_z;
                if product != 0 {
                    visit([x, y, z], product);
                }
            }
        }
    }
}

/// The layer that a float selects: rounded to nearest even; NaN and negative values select the first.
pub(super) fn layer_of(shape: &Shape, dim: Dim, layer: f32) -> u32 {
    let faces = if dim.is_cube() { 6 } else { 1 };
    let last = (shape.layers / faces).saturating_sub(1);
    (layer.round_ties_even() as u32).min(last) * faces
}

/// The texels of one layer as a sampler sees them.
struct Source<'a> {
    image: &'a Image<'a>,
    dim: Dim,
    sampler: &'a Sampler,
    /// For a cube, its first face.
    layer: u32,
    reference: Option<f64>,
    /// The reference value of the comparison.
    compared: usize,
}

/// A weighted sum. The first term is assigned rather than added to zero, so that a single texel keeps the sign of
/// its zeros.
#[derive(Default)]
struct Sum {
    total: [f64; 4],
    /// How many there were.
    texels: u32,
}

impl Sum {
    fn add(&mut self, weight: f64, values: [f64; 4]) {
        for (total, value) in self.total.iter_mut().zip(values) {
            let part = weight * value;
            *total = if self.texels > 0 { *total + part } else { part };
        }
        self.texels += 1;
    }
}

impl<'a> Source<'a> {
    fn new(
        image: &'a Image<'a>,
        dim: Dim,
        sampler: &'a Sampler,
        layer: f32,
        reference: Option<f32>,
    ) -> Source<'a> {
        let layer = layer_of(&image.shape, dim, layer);
        let reference = reference.map(|it| match image.shape.format.is_unorm() {
            true if it.is_nan() => 0.0,
            true => f64::from(it.clamp(0.0, 1.0)),
            false => f64::from(it),
        });
        Source { image, dim, sampler, layer, reference, compared: 0 }
    }

    /// The face of a cube, and the position on it.
    fn place(&self, at: [f64; 3]) -> (u32, [f64; 3]) {
        if !self.dim.is_cube() {
            return (0, at);
        }
        let face = cube::face(at);
        let [u, v] = cube::project(face, at);
        (face, [u, v, 0.0])
    }

    /// Adds the contribution of one level.
    fn pass(&self, pass: &Pass, offset: [i32; 3], sum: &mut Sum) {
        let (face, at) = self.place(pass.at);
        let size = self.image.shape.size(pass.level);
        let axes = pass.axes(self.dim, size, at, offset);
        for_each_tap(axes, |texel, product| {
            // Exact in 64 bits, and in f64.
            let weight =
                (i64::from(pass.weight) * product) as f64 / (256.0 * 256.0 * 256.0 * 256.0);
            self.tap(pass.level, face, texel, weight, sum);
        });
    }

    /// Adds a texel, inside the texture or not.
    fn tap(&self, level: u32, face: u32, at: [i64; 3], weight: f64, sum: &mut Sum) {
        if self.dim.is_cube() {
            let size = self.image.shape.size(level)[0];
            let [x, y, _] = at;
            match cube::texel(face, [x, y], size) {
                Some((face, [x, y])) => sum.add(weight, self.read(level, face, [x, y, 0])),
                // Three texels meet at a corner; they share the weight of the missing fourth.
                None => {
                    let [in_x, in_y] = [x, y].map(|it| it.clamp(0, i64::from(size) - 1));
                    for at in [[in_x, in_y], [x, in_y], [in_x, y]] {
                        if let Some((face, [x, y])) = cube::texel(face, at, size) {
                            sum.add(weight / 3.0, self.read(level, face, [x, y, 0]));
                        }
                    }
                }
            }
            return;
        }
        sum.add(weight, self.addressed(level, at));
    }

    /// Like [`Source::tap`], for one texel of a gather: beyond the corner of a cube it reads the texel at the
    /// corner.
    fn gathered(&self, face: u32, at: [i64; 3], sum: &mut Sum) {
        if !self.dim.is_cube() {
            return sum.add(1.0, self.addressed(0, at));
        }
        let size = self.image.shape.size(0)[0];
        let corner = [at[0], at[1]].map(|it| it.clamp(0, i64::from(size) - 1));
        let found = cube::texel(face, [at[0], at[1]], size).or(cube::texel(face, corner, size));
        if let Some((face, [x, y])) = found {
            sum.add(1.0, self.read(0, face, [x, y, 0]));
        }
    }

    fn addressed(&self, level: u32, at: [i64; 3]) -> [f64; 4] {
        let size = self.image.shape.size(level);
        let mut inside = [0; 3];
        for axis in 0..self.dim.axes() {
            match self.sampler.address[axis].resolve(at[axis], size[axis]) {
                Some(texel) => inside[axis] = texel,
                None => return self.seen(self.sampler.border.map(f64::from)),
            }
        }
        self.read(level, 0, inside)
    }

    fn read(&self, level: u32, face: u32, at: [u32; 3]) -> [f64; 4] {
        let texel = self.image.texel(level, self.layer + face, at, 0).unwrap_or(Texel::ZERO);
        self.seen(std::array::from_fn(|i| texel.float(i)))
    }

    /// The components, or in the first one the result of the comparison.
    fn seen(&self, texel: [f64; 4]) -> [f64; 4] {
        match self.reference {
            None => texel,
            Some(reference) => {
                let passes = self.sampler.compare.holds(reference, texel[self.compared]);
                [f64::from(u8::from(passes)), 0.0, 0.0, 0.0]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::{Address, Comparison, Format, Shape};

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|it| it.to_le_bytes()).collect()
    }

    fn query(at: [f32; 3], level: f32) -> Query {
        Query {
            at,
            layer: 0.0,
            detail: Detail::Level(level),
            offset: [0; 3],
            least: None,
            reference: None,
        }
    }

    fn red(format: &str, size: [u32; 3]) -> Shape {
        Shape::new(Format::parse(format).unwrap(), size[0], size[1], size[2])
    }

    #[test]
    fn linear_filtering_weighs_in_256ths() {
        let bytes = bytes(&[0.0, 256.0, 512.0, 1024.0]);
        let image = Image { shape: red("R32_FLOAT", [4, 1, 1]), memory: &bytes };
        let sampler = Sampler::default();
        let at = |u: f32| sample(&image, Dim::D1, &sampler, &query([u, 0.0, 0.0], 0.0)).0[0];
        assert_eq!(
            [0.125, 0.25, 0.375, 0.5, 0.75, 0.875].map(at),
            [0.0, 128.0, 256.0, 384.0, 768.0, 1024.0]
        );
        // A third of the way is 85 256ths.
        assert_eq!(at(0.125 + 0.25 / 3.0), 85.0);
        assert_eq!([-1.0, 2.0, f32::NAN, f32::INFINITY].map(at), [0.0, 1024.0, 0.0, 1024.0]);
    }

    #[test]
    fn texels_of_weight_zero_are_not_read() {
        let bytes = bytes(&[1.0, f32::NAN, -0.0, f32::INFINITY]);
        let image = Image { shape: red("R32_FLOAT", [4, 1, 1]), memory: &bytes };
        let sampler = Sampler::default();
        let at = |u: f32| sample(&image, Dim::D1, &sampler, &query([u, 0.0, 0.0], 0.0)).0[0];
        assert_eq!(at(0.125), 1.0);
        assert!(at(0.2).is_nan());
        assert_eq!(at(0.625).to_bits(), (-0.0f64).to_bits());
        assert_eq!(at(0.7), f64::INFINITY);
    }

    #[test]
    fn a_texture_of_one_value_has_it_everywhere() {
        let value = 0.1f32;
        let bytes = bytes(&[value; 8 * 8 + 16 + 4 + 1]);
        let shape = Shape { levels: 4, ..red("R32_FLOAT", [8, 8, 1]) };
        let image = Image { shape, memory: &bytes };
        let sampler = Sampler { address: [Address::Wrap; 3], ..Sampler::default() };
        for (u, v, lod) in [(0.3, 0.77, 0.4), (12.345, -0.01, 1.9), (0.999, 0.5, 2.5)] {
            assert_eq!(
                sample(&image, Dim::D2, &sampler, &query([u, v, 0.0], lod)).0[0] as f32,
                value
            );
        }
    }

    #[test]
    fn gathers_return_texels_counterclockwise() {
        let bytes = bytes(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let image = Image { shape: red("R32_FLOAT", [3, 3, 1]), memory: &bytes };
        let sampler = Sampler::default();
        let all =
            |offsets| gather(&image, Dim::D2, &sampler, &query([1.0 / 3.0; 3], 0.0), offsets, 0);
        assert_eq!(all([[0; 2]; 4]), [3.0, 4.0, 1.0, 0.0]);
        assert_eq!(all([[1; 2]; 4]), [7.0, 8.0, 5.0, 4.0]);
    }

    #[test]
    fn comparisons_are_filtered() {
        let bytes = bytes(&[0.25, 0.75]);
        let image = Image { shape: red("R32_FLOAT", [2, 1, 1]), memory: &bytes };
        let sampler = Sampler { compare: Comparison::Less, ..Sampler::default() };
        let at = |u: f32| {
            let query = Query { reference: Some(0.5), ..query([u, 0.0, 0.0], 0.0) };
            sample(&image, Dim::D1, &sampler, &query).0[0]
        };
        assert_eq!([0.25, 0.5, 0.625, 0.75].map(at), [0.0, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn cubes_have_no_seams() {
        let bytes = bytes(&[
            0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 4.0,
            4.0, 4.0, 4.0, 5.0, 5.0, 5.0, 5.0,
        ]);
        let image =
            Image { shape: Shape { layers: 6, ..red("R32_FLOAT", [2, 2, 1]) }, memory: &bytes };
        let sampler = Sampler::default();
        let at = |x, y, z| sample(&image, Dim::Cube, &sampler, &query([x, y, z], 0.0)).0[0];
        assert_eq!([at(1.0, 0.0, 0.0), at(0.0, -1.0, 0.0), at(0.0, 0.0, -1.0)], [0.0, 3.0, 5.0]);
        // Halfway between +x and +z, and where +x, +y and +z meet.
        assert_eq!(at(1.0, 0.0, 1.0), 2.0);
        assert!((at(1.0, 1.0, 1.0) - 2.0).abs() < 1e-12);
    }
}
