//! Interpolation on the screen where the definition rounds nothing before its last two steps.
//!
//! In covered pixels the weights of a triangle are integers from 0 to its scale, with some trailing zeros in common;
//! the values at its vertices are multiples of a power of two. If the largest product is below 2⁵³ of such units, then
//! f64 holds every product and every sum of the definition. So the sum is a plane, and a step from pixel to pixel an
//! addition instead of five operations. What remains, the product with the reciprocal and its rounding, is that of the
//! definition.
//!
//! Triangles of a few pixels, and those that cover a whole target with simple numbers, are of this kind; a large
//! triangle with corners between pixels is not.

use crate::cover::place;
use crate::each::each3;
use crate::setup::Geometry;
use crate::viewport::UNITS;
use crate::wave::Quad;

/// The sum of weighted values in the pixels of a row of covered quads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    /// In the upper left pixel.
    first: f64,
    /// The differences to the next pixel to the right, and to the one below.
    right: f64,
    down: f64,
    /// Multiples of the steps up to this one are exact.
    most: f64,
}

/// The known facts about a plane, from a row of quads of its triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// The first pixel of that row.
    at: [i32; 2],
    /// `None` if something is rounded, wherever it is.
    plane: Option<Plane>,
}

impl Known {
    #[inline(always)]
    pub(super) fn new(first: &Quad, plane: Option<Plane>) -> Known {
        Known { at: [first.x, first.y], plane }
    }

    /// The plane from another quad on, if its place can be computed from this one.
    #[inline(always)]
    pub(super) fn moved_to(&self, first: &Quad) -> Option<Option<Plane>> {
        let [x, y] = self.at;
        match &self.plane {
            None => Some(None),
            Some(plane) => plane.moved(first.x - x, first.y - y).map(Some),
        }
    }
}

/// A triangle's weights at the pixels of a row of covered quads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    first: [f64; 3],
    right: [f64; 3],
    down: [f64; 3],
    /// A power of two of which all of them are multiples.
    unit: f64,
}

impl Weights {
    /// Those of a triangle, from the first quad of a row on, of which there are at least two.
    #[inline(always)]
    pub(super) fn of(geometry: &Geometry, first: &Quad) -> Weights {
        let [x, y] = place(first.x, first.y, [0, 0]);
        let at = each3(geometry.edges, |it| it.at(x, y));
        let right = each3(geometry.edges, |it| it.a * UNITS);
        let down = each3(geometry.edges, |it| it.b * UNITS);
        let bits = [at, right, down].as_flattened().iter().fold(0, |all, it| all | it);
        let float = |all: [i64; 3]| each3(all, |it| it as f64);
        let unit = (1i64 << bits.trailing_zeros().min(62)) as f64;
        Weights { first: float(at), right: float(right), down: float(down), unit }
    }

    /// The weighted values as a plane, if no product and no sum of the definition is rounded in these pixels.
    #[inline(always)]
    pub(super) fn plane(&self, geometry: &Geometry, values: [f64; 3]) -> Option<Plane> {
        let [a, b, c] = each3(values, lowest_bit);
        let unit = self.unit * a.min(b).min(c);
        let [a, b, c] = each3(values, f64::abs);
        let bound = unit * (1i64 << 51) as f64;
        // Invariant: steps lie within twice the range of weights, and sums of two of them within four times. NaN fails.
        let is_exact = geometry.scale * a.max(b).max(c) <= bound;
        // The definition can get a negative zero from a negative zero only.
        let has_sign = values.iter().any(|it| it.to_bits() == (-0.0f64).to_bits());
        let sum = |[w0, w1, w2]: [f64; 3]| {
            let [a0, a1, a2] = values;
            (w0 * a0 + w1 * a1) + w2 * a2
        };
        (is_exact && !has_sign).then(|| Plane {
            first: sum(self.first),
            right: sum(self.right),
            down: sum(self.down),
            most: bound,
        })
    }
}

/// The power of two of a number's lowest set bit; infinity for 0, and 0 for numbers that are not normal.
#[inline(always)]
fn lowest_bit(number: f64) -> f64 {
    let bits = number.to_bits();
    let exponent = (bits >> 52) & 0x7ff;
    let zeros = u64::from((bits | 1 << 52).trailing_zeros());
    match exponent {
        _ if number == 0.0 => f64::INFINITY,
        0x7ff => 0.0,
        _ if exponent + zeros <= 52 => 0.0,
        _ => f64::from_bits((exponent + zeros - 52) << 52),
    }
}

impl Plane {
    /// The plane from another covered pixel on, this many columns and rows away, if all of it is exact.
    ///
    /// Invariant: both values of the plane are within its bound, and so are the products; their sum is within twice the
    /// bound, of whose units f64 holds four times as many.
    #[inline(always)]
    fn moved(&self, columns: i32, rows: i32) -> Option<Plane> {
        let (across, along) = (self.right * f64::from(columns), self.down * f64::from(rows));
        let is_exact = across.abs() <= self.most && along.abs() <= self.most;
        is_exact.then_some(Plane { first: self.first + (across + along), ..*self })
    }

    /// The bits of the values in a row of quads.
    #[inline(always)]
    pub(super) fn fill(&self, reciprocal: f64, row: &mut [u32], round: impl Fn(f64) -> u32) {
        if self.right == 0.0 {
            self.fill_level(reciprocal, row, round);
        } else if self.down == 0.0 {
            self.fill_columns(reciprocal, row, round);
        } else {
            self.fill_each(reciprocal, row, round);
        }
    }

    #[inline(always)]
    fn fill_each(&self, reciprocal: f64, row: &mut [u32], round: impl Fn(f64) -> u32) {
        let Plane { first, right, down, .. } = *self;
        let mut sums = [0.0; 8];
        for (lane, sum) in sums.iter_mut().enumerate() {
            let across = (lane % 2 + lane / 4 * 2) as f64;
            *sum = first + across * right + if lane / 2 % 2 == 1 { down } else { 0.0 };
        }
        let step = 4.0 * right;
        let (pairs, last) = row.as_chunks_mut::<8>();
        for pair in pairs {
            let mut bits = [0; 8];
            for lane in 0..8 {
                bits[lane] = round(sums[lane] * reciprocal);
            }
            *pair = bits;
            sums.iter_mut().for_each(|it| *it += step);
        }
        for (to, sum) in last.iter_mut().zip(sums) {
            *to = round(sum * reciprocal);
        }
    }

    /// The same where all columns are alike.
    #[inline(always)]
    fn fill_level(&self, reciprocal: f64, row: &mut [u32], round: impl Fn(f64) -> u32) {
        let upper = round((self.first + 0.0) * reciprocal);
        let lower = round((self.first + self.down) * reciprocal);
        row.as_chunks_mut().0.fill([upper, upper, lower, lower]);
    }

    /// The same where both rows of pixels are alike: each column once.
    #[inline(always)]
    fn fill_columns(&self, reciprocal: f64, row: &mut [u32], round: impl Fn(f64) -> u32) {
        let mut sums = [0.0; 8];
        for (column, sum) in sums.iter_mut().enumerate() {
            *sum = self.first + column as f64 * self.right;
        }
        let step = 8.0 * self.right;
        // PERF: chunks of one length. Copying those of any is a call for each, which took a seventh of the time of a
        // row.
        let (all, last) = row.as_chunks_mut::<16>();
        for quads in all {
            let mut bits = [0; 8];
            for column in 0..8 {
                bits[column] = round(sums[column] * reciprocal);
            }
            for (lane, to) in quads.iter_mut().enumerate() {
                *to = bits[lane / 4 * 2 + lane % 2];
            }
            sums.iter_mut().for_each(|it| *it += step);
        }
        for (lane, to) in last.iter_mut().enumerate() {
            *to = round(sums[lane / 4 * 2 + lane % 2] * reciprocal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::RasterState;
    use crate::viewport::{Projected, Rect};

    const ALL: Rect = Rect { left: 0, top: 0, right: 4096, bottom: 4096 };

    #[test]
    fn the_lowest_bit_of_a_number() {
        for (number, bit) in [
            (1.0, 1.0),
            (-3.0, 1.0),
            (0.75, 0.25),
            (-40.0, 8.0),
            (0.0, f64::INFINITY),
            (f64::MIN_POSITIVE, f64::MIN_POSITIVE),
            (f64::MIN_POSITIVE * 0.5, 0.0),
            (1.0 + f64::EPSILON, f64::EPSILON),
            (f64::INFINITY, 0.0),
            (f64::NAN, 0.0),
        ] {
            assert_eq!(lowest_bit(number), bit, "{number:e}");
        }
    }

    /// Over random triangles and values: every plane has the bits of the definition in all pixels of its row.
    #[test]
    fn planes_are_the_definition() {
        let mut random = ops::Random::new(16);
        let (mut planes, mut others, mut moved) = (0, 0, 0);
        let (mut level, mut alike) = (0, 0);
        for round in 0..20_000 {
            let reach = [16, 64, 1024, 4096][round % 4];
            let unit = [1, 128, 256][round / 4 % 3];
            let mut corner = || {
                let [x, y] = [(); 2].map(|()| random.below(reach) as i64 * UNITS);
                let [x, y] = [x, y].map(|it| it + random.below(256) as i64 / unit * unit);
                Projected { x, y, clip_z: 0.5, z: 0.5, inverse_w: 1.0 }
            };
            let vertices = [corner(), corner(), corner()];
            let state = RasterState::new(4096, 4096);
            let Some(geometry) = Geometry::triangle(&vertices, &state, [0.0, 1.0], ALL) else {
                continue;
            };
            let mut value = || match random.below(8) {
                0 => 0.0,
                1 => -0.0,
                2 => f64::from(f32::from_bits(random.bits() as u32)),
                3 => random.below(1 << 24) as f64 / 1e6 - 8.0,
                4 => f64::from((random.below(1000) as f32 - 500.0) * 0.01),
                _ => random.below(64) as f64 / 8.0 - 4.0,
            };
            let of = |it: fn([i64; 2]) -> i64| geometry.corners.map(|at| it(at) as f64 / 64.0);
            let values = match round % 6 {
                0 => of(|[x, _]| x),
                1 => of(|[_, y]| -y),
                _ => [value(), value(), value()],
            };
            let rows = [(); 2].map(|()| random.below(reach) as i32 & !1);
            // The covered quads of a row.
            let inside = |x: i32, y: i32| {
                let [x, y] = place(x, y, [0, 0]);
                geometry.edges.iter().all(|it| it.at(x, y) >= i64::from(!it.is_top_left))
            };
            let is_covered = |x: i32, y: i32| (0..4).all(|lane| inside(x + lane % 2, y + lane / 2));
            let start = |y: i32| (0..reach as i32).step_by(2).find(|x| is_covered(*x, y));
            let [y, other] = rows;
            let Some(x) = start(y) else { continue };
            let count = (0..32).take_while(|it| is_covered(x + 2 * it, y)).count();
            if count < 2 {
                continue;
            }
            let (inside, covered) = ([1; 4], [1; 4]);
            let quad = |x, y| Quad { x, y, layer: 0, sample: None, inside, covered, record: 0 };
            let at = |quad: &Quad| Weights::of(&geometry, quad).plane(&geometry, values);
            let first = quad(x, y);
            let known = Known::new(&first, at(&first));
            if let Some(quad) = start(other).map(|x| quad(x, other))
                && let Some(plane) = known.moved_to(&quad)
            {
                assert_eq!(plane, at(&quad), "{vertices:?} {values:?}");
                moved += 1;
            }
            let Some(plane) = known.plane else {
                others += 1;
                continue;
            };
            planes += 1;
            level += u32::from(plane.right == 0.0);
            alike += u32::from(plane.right != 0.0 && plane.down == 0.0);
            for (round, to_bits) in
                [|it: f64| (it as f32).to_bits(), |it: f64| it.to_bits() as u32].iter().enumerate()
            {
                let mut row = vec![0; 4 * count];
                plane.fill(geometry.reciprocal, &mut row, to_bits);
                for (lane, found) in (0..).zip(row) {
                    let [x, y] = place(x + lane / 4 * 2 + lane % 2, y + lane / 2 % 2, [0, 0]);
                    let [w0, w1, w2] = geometry.weights(x, y);
                    let sum = (w0 * values[0] + w1 * values[1]) + w2 * values[2];
                    let expected = to_bits(sum * geometry.reciprocal);
                    assert_eq!(found, expected, "{vertices:?} {values:?} {lane} {round}");
                }
            }
        }
        assert!(planes > 1000 && others > 1000 && moved > 1000, "{planes} {others} {moved}");
        assert!(level > 100 && alike > 100, "{level} {alike}");
    }
}
