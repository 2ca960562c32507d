//! A second opinion on the rasterizer: coverage and interpolation in exact rational arithmetic, one sample at a time.
//!
//! Shares nothing with `raster`: numbers are fractions of big integers, a triangle covers a sample if the sample lies
//! on the inner side of its edges or on one that owns it, and a value is rounded once from its exact fraction. Slow on
//! purpose: every sample of the target is tested against every primitive.
//! It knows triangles, lines, points, the standard patterns, and inputs that are linear in space or on the screen.

use std::cmp::Ordering;

/// An integer of any size: sign and magnitude, the least significant word first, without leading zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Big {
    is_negative: bool,
    words: Vec<u32>,
}

impl Big {
    pub fn new(value: i128) -> Big {
        let mut rest = value.unsigned_abs();
        let mut words = Vec::new();
        while rest != 0 {
            words.push(rest as u32);
            rest >>= 32;
        }
        Big { is_negative: value < 0, words }
    }

    fn of(is_negative: bool, mut words: Vec<u32>) -> Big {
        while words.last() == Some(&0) {
            words.pop();
        }
        Big { is_negative: is_negative && !words.is_empty(), words }
    }

    pub fn is_zero(&self) -> bool {
        self.words.is_empty()
    }

    fn magnitude(&self, other: &Big) -> Ordering {
        let lengths = self.words.len().cmp(&other.words.len());
        lengths.then_with(|| self.words.iter().rev().cmp(other.words.iter().rev()))
    }

    pub fn negated(&self) -> Big {
        Big::of(!self.is_negative, self.words.clone())
    }

    pub fn plus(&self, other: &Big) -> Big {
        if self.is_negative == other.is_negative {
            let mut words = Vec::new();
            let mut carry = 0;
            for i in 0..self.words.len().max(other.words.len()) + 1 {
                let at = |it: &Big| u64::from(it.words.get(i).copied().unwrap_or(0));
                let sum = at(self) + at(other) + carry;
                words.push(sum as u32);
                carry = sum >> 32;
            }
            return Big::of(self.is_negative, words);
        }
        let (large, small) = match self.magnitude(other) {
            Ordering::Less => (other, self),
            Ordering::Equal | Ordering::Greater => (self, other),
        };
        let mut words = Vec::new();
        let mut borrow = 0;
        for (i, word) in large.words.iter().enumerate() {
            let less = i64::from(small.words.get(i).copied().unwrap_or(0)) + borrow;
            let rest = i64::from(*word) - less;
            borrow = i64::from(rest < 0);
            words.push(rest as u32);
        }
        Big::of(large.is_negative, words)
    }

    pub fn times(&self, other: &Big) -> Big {
        let mut words = vec![0u32; self.words.len() + other.words.len()];
        for (i, a) in self.words.iter().enumerate() {
            let mut carry = 0;
            for (j, b) in other.words.iter().enumerate() {
                let sum = u64::from(*a) * u64::from(*b) + u64::from(words[i + j]) + carry;
                words[i + j] = sum as u32;
                carry = sum >> 32;
            }
            words[i + other.words.len()] = carry as u32;
        }
        Big::of(self.is_negative != other.is_negative, words)
    }

    fn doubled(&self, times: usize) -> Big {
        let mut words = vec![0; times / 32];
        let shift = times % 32;
        let mut carry = 0;
        for word in &self.words {
            words.push(word << shift | carry);
            carry = if shift == 0 { 0 } else { word >> (32 - shift) };
        }
        words.push(carry);
        Big::of(self.is_negative, words)
    }
}

/// A fraction; the denominator is positive.
#[derive(Clone, Debug)]
pub struct Fraction {
    above: Big,
    below: Big,
}

impl Fraction {
    pub fn new(above: i128, below: i128) -> Fraction {
        Fraction { above: Big::new(above * below.signum()), below: Big::new(below.abs()) }
    }

    /// The exact value of a finite float.
    pub fn of(number: f64) -> Fraction {
        let bits = number.to_bits();
        let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
        let (units, power) = match exponent {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, exponent as i64 - 1075),
        };
        let sign = if number < 0.0 { -1 } else { 1 };
        let (above, one) = (Big::new(sign * i128::from(units)), Big::new(1));
        if power >= 0 {
            Fraction { above: above.doubled(power as usize), below: one }
        } else {
            Fraction { above, below: one.doubled(-power as usize) }
        }
    }

    pub fn plus(&self, other: &Fraction) -> Fraction {
        let above = self.above.times(&other.below).plus(&other.above.times(&self.below));
        Fraction { above, below: self.below.times(&other.below) }
    }

    pub fn minus(&self, other: &Fraction) -> Fraction {
        self.plus(&Fraction { above: other.above.negated(), below: other.below.clone() })
    }

    pub fn times(&self, other: &Fraction) -> Fraction {
        Fraction { above: self.above.times(&other.above), below: self.below.times(&other.below) }
    }

    pub fn over(&self, other: &Fraction) -> Fraction {
        let (above, below) = (self.above.times(&other.below), self.below.times(&other.above));
        if below.is_negative {
            return Fraction { above: above.negated(), below: below.negated() };
        }
        Fraction { above, below }
    }

    pub fn sign(&self) -> Ordering {
        match (self.above.is_zero(), self.above.is_negative) {
            (true, _) => Ordering::Equal,
            (_, true) => Ordering::Less,
            (_, false) => Ordering::Greater,
        }
    }

    /// The nearest f32, ties to even, by comparison with candidates.
    pub fn nearest(&self) -> f32 {
        // A first guess from the leading words, then the exact neighbourhood.
        let leading = |it: &Big| {
            let number = it
                .words
                .iter()
                .rev()
                .take(3)
                .fold(0.0, |all, word| all * 4_294_967_296.0 + f64::from(*word));
            (number, it.words.len().saturating_sub(3))
        };
        let ((above, more), (below, less)) = (leading(&self.above), leading(&self.below));
        let mut guess = above / below;
        (less..more).for_each(|_| guess *= 4_294_967_296.0);
        (more..less).for_each(|_| guess /= 4_294_967_296.0);
        if self.above.is_negative {
            guess = -guess;
        }
        let mut nearest = guess as f32;
        // Towards the exact value as long as the halfway point to the next number is passed.
        loop {
            let error = self.minus(&Fraction::of(f64::from(nearest)));
            let next = match error.sign() {
                Ordering::Equal => return nearest,
                Ordering::Less => nearest.next_down(),
                Ordering::Greater => nearest.next_up(),
            };
            if !next.is_finite() {
                return nearest;
            }
            let halfway = f64::midpoint(f64::from(nearest), f64::from(next));
            let beyond = self.minus(&Fraction::of(halfway));
            let is_even = nearest.to_bits().is_multiple_of(2);
            match beyond.sign() {
                Ordering::Equal => return if is_even { nearest } else { next },
                passed if passed == error.sign() => nearest = next,
                _ => return nearest,
            }
        }
    }
}

/// A vertex in clip space with a value.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    pub position: [f32; 4],
    pub value: f32,
}

impl Vertex {
    /// In 1/256 pixels.
    fn on_screen(self, size: u32) -> [i128; 2] {
        let [x, y, _, w] = self.position;
        let (x, y) = (x / w, y / w);
        let x = ((x + 1.0) * size as f32) * 0.5;
        let y = ((1.0 - y) * size as f32) * 0.5;
        [x, y].map(nearest_unit)
    }
}

/// A triangle on the screen, in 1/256 pixels, after the viewport.
#[derive(Clone, Debug)]
pub struct Triangle {
    corners: [[i128; 2]; 3],
    w: [f32; 3],
    values: [f32; 3],
}

/// What a sample sees of a triangle.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Linear in space, and on the screen.
    pub linear: f32,
    pub flat_on_screen: f32,
}

impl Triangle {
    /// A triangle in front of the eye, on a target of a size that is a power of two, so that the viewport rounds
    /// nothing but what the specification says.
    pub fn new(vertices: [Vertex; 3], size: u32) -> Triangle {
        Triangle {
            corners: vertices.map(|it| it.on_screen(size)),
            w: vertices.map(|it| it.position[3]),
            values: vertices.map(|it| it.value),
        }
    }

    /// Twice the signed area of the triangle p, a, b.
    fn turn(p: [i128; 2], a: [i128; 2], b: [i128; 2]) -> i128 {
        (a[0] - p[0]) * (b[1] - p[1]) - (a[1] - p[1]) * (b[0] - p[0])
    }

    /// Whether a place belongs to the triangle: inside, or on an edge that is a left or a top one.
    pub fn covers(&self, place: [i128; 2]) -> bool {
        let [a, b, c] = self.corners;
        let area = Triangle::turn(a, b, c);
        if area == 0 {
            return false;
        }
        // Clockwise on the screen, where y grows downwards.
        let [a, b, c] = if area > 0 { [a, b, c] } else { [a, c, b] };
        [(a, b), (b, c), (c, a)].into_iter().all(|(from, to)| {
            match Triangle::turn(place, from, to).cmp(&0) {
                Ordering::Greater => true,
                Ordering::Less => false,
                // Clockwise, a left edge goes up and a top edge goes right.
                Ordering::Equal => to[1] < from[1] || to[1] == from[1] && to[0] > from[0],
            }
        })
    }

    /// The value at a place, exact and rounded once. The weights are the areas opposite the vertices.
    pub fn at(&self, place: [i128; 2]) -> Seen {
        let [a, b, c] = self.corners;
        let areas = [(b, c), (c, a), (a, b)].map(|(from, to)| Triangle::turn(place, from, to));
        let mut sums =
            [Fraction::new(0, 1), Fraction::new(0, 1), Fraction::new(0, 1), Fraction::new(0, 1)];
        for ((area, value), w) in areas.into_iter().zip(self.values).zip(self.w) {
            let area = Fraction::new(area, 1);
            let value = Fraction::of(f64::from(value));
            let over_w = area.over(&Fraction::of(f64::from(w)));
            sums[0] = sums[0].plus(&over_w.times(&value));
            sums[1] = sums[1].plus(&over_w);
            sums[2] = sums[2].plus(&area.times(&value));
            sums[3] = sums[3].plus(&area);
        }
        Seen {
            linear: sums[0].over(&sums[1]).nearest(),
            flat_on_screen: sums[2].over(&sums[3]).nearest(),
        }
    }
}

/// A line on the screen, in 1/256 pixels.
#[derive(Clone, Debug)]
pub struct Line {
    ends: [[i128; 2]; 2],
    w: [f32; 2],
    values: [f32; 2],
}

impl Line {
    pub fn new(vertices: [Vertex; 2], size: u32) -> Line {
        Line {
            ends: vertices.map(|it| it.on_screen(size)),
            w: vertices.map(|it| it.position[3]),
            values: vertices.map(|it| it.value),
        }
    }

    /// Whether the line covers the pixel with this centre: it meets the diamond around it and does not end there.
    ///
    /// What the line has in common with the diamond begins and ends at an end of the line or on one of the four lines
    /// along the diamond's edges. So it is enough to look at these places, and halfway between them.
    pub fn covers(&self, centre: [i128; 2]) -> bool {
        let [start, end] = self
            .ends
            .map(|[x, y]| [Fraction::new(x - centre[0], 256), Fraction::new(y - centre[1], 256)]);
        let run: [Fraction; 2] = std::array::from_fn(|axis| end[axis].minus(&start[axis]));
        let is_steep = magnitude(&run[1]).minus(&magnitude(&run[0])).sign() == Ordering::Greater;
        if is_in_diamond(&end, is_steep) {
            return false;
        }
        let (zero, one, half) = (Fraction::new(0, 1), Fraction::new(1, 1), Fraction::new(1, 2));
        let mut places = vec![zero.clone(), one.clone()];
        for sides in [[1, 1], [1, -1], [-1, 1], [-1, -1]] {
            let sides = sides.map(|it| Fraction::new(it, 1));
            let along = |of: &[Fraction; 2]| of[0].times(&sides[0]).plus(&of[1].times(&sides[1]));
            let slope = along(&run);
            if slope.sign() == Ordering::Equal {
                continue;
            }
            let place = half.minus(&along(&start)).over(&slope);
            let is_before = place.sign() == Ordering::Less;
            if !is_before && one.minus(&place).sign() != Ordering::Less {
                places.push(place);
            }
        }
        places.sort_by(|a, b| a.minus(b).sign());
        let between: Vec<Fraction> =
            places.windows(2).map(|it| it[0].plus(&it[1]).times(&half)).collect();
        places.iter().chain(&between).any(|place| {
            let at: [Fraction; 2] =
                std::array::from_fn(|axis| start[axis].plus(&run[axis].times(place)));
            is_in_diamond(&at, is_steep)
        })
    }

    /// The value at a place; `None` beyond the ends, and where weights may cancel.
    pub fn at(&self, place: [i128; 2]) -> Option<Seen> {
        let [start, end] = self.ends;
        let run = [end[0] - start[0], end[1] - start[1]];
        let along = (place[0] - start[0]) * run[0] + (place[1] - start[1]) * run[1];
        let length = run[0] * run[0] + run[1] * run[1];
        if along <= 0 || along >= length {
            return None;
        }
        let weights = [Fraction::new(length - along, length), Fraction::new(along, length)];
        let zero = || Fraction::new(0, 1);
        let (mut linear, mut over, mut flat) = (zero(), zero(), zero());
        for ((weight, value), w) in weights.iter().zip(self.values).zip(self.w) {
            let value = Fraction::of(f64::from(value));
            let over_w = weight.over(&Fraction::of(f64::from(w)));
            linear = linear.plus(&over_w.times(&value));
            over = over.plus(&over_w);
            flat = flat.plus(&weight.times(&value));
        }
        Some(Seen { linear: linear.over(&over).nearest(), flat_on_screen: flat.nearest() })
    }
}

fn magnitude(of: &Fraction) -> Fraction {
    if of.sign() == Ordering::Less { Fraction::new(0, 1).minus(of) } else { of.clone() }
}

/// Whether a place relative to a pixel's centre belongs to its diamond: inside, on a lower edge, at the lower corner,
/// or for steep lines at the right one.
fn is_in_diamond([x, y]: &[Fraction; 2], is_steep: bool) -> bool {
    let far = magnitude(x).plus(&magnitude(y)).minus(&Fraction::new(1, 2)).sign();
    match far {
        Ordering::Less => true,
        Ordering::Greater => false,
        Ordering::Equal => match y.sign() {
            // y grows downwards.
            Ordering::Greater => true,
            Ordering::Equal => is_steep && x.sign() == Ordering::Greater,
            Ordering::Less => false,
        },
    }
}

/// A point on the screen: a square of one pixel.
#[derive(Clone, Debug)]
pub struct Point {
    centre: [i128; 2],
}

impl Point {
    pub fn new(vertex: Vertex, size: u32) -> Point {
        Point { centre: vertex.on_screen(size) }
    }

    /// Whether a place lies in the square; of its edges, the left and the upper one belong to it.
    pub fn covers(&self, place: [i128; 2]) -> bool {
        (0..2).all(|axis| {
            let off = place[axis] - self.centre[axis];
            (-128..128).contains(&off)
        })
    }
}

/// To the nearest 1/256, ties to even.
fn nearest_unit(coordinate: f32) -> i128 {
    let exact = Fraction::of(f64::from(coordinate)).times(&Fraction::new(256, 1));
    let mut units = (f64::from(coordinate) * 256.0) as i128;
    loop {
        let off = exact.minus(&Fraction::new(units, 1));
        let above = off.minus(&Fraction::new(1, 2)).sign();
        let below = off.plus(&Fraction::new(1, 2)).sign();
        let is_odd = units % 2 != 0;
        if above == Ordering::Greater || above == Ordering::Equal && is_odd {
            units += 1;
        } else if below == Ordering::Less || below == Ordering::Equal && is_odd {
            units -= 1;
        } else {
            return units;
        }
    }
}

/// The places of a pixel's samples in 1/256 pixels, as the documentation of Direct3D draws them.
pub fn places(samples: usize, x: u32, y: u32) -> Vec<[i128; 2]> {
    // From the upper left corner of the pixel, in sixteenths.
    let pattern: &[(i128, i128)] = match samples {
        1 => &[(8, 8)],
        2 => &[(12, 12), (4, 4)],
        4 => &[(6, 2), (14, 6), (2, 10), (10, 14)],
        8 => &[(9, 5), (7, 11), (13, 9), (5, 3), (3, 13), (1, 7), (11, 15), (15, 1)],
        _ => &[
            (9, 9),
            (7, 5),
            (5, 10),
            (12, 7),
            (3, 6),
            (10, 13),
            (13, 11),
            (11, 3),
            (6, 14),
            (8, 1),
            (4, 2),
            (2, 12),
            (0, 8),
            (15, 4),
            (14, 15),
            (1, 0),
        ],
    };
    let at = |(right, down): &(i128, i128)| {
        [i128::from(x) * 256 + right * 16, i128::from(y) * 256 + down * 16]
    };
    pattern.iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_round_to_the_nearest_float() {
        let third = Fraction::new(1, 3);
        assert_eq!(third.nearest(), 1.0 / 3.0);
        assert_eq!(Fraction::new(-2, 3).nearest(), -2.0 / 3.0);
        // Halfway between 1 and its successor, and just beside.
        let half = Fraction::new((1 << 24) + 1, 1 << 24);
        assert_eq!(half.nearest(), 1.0);
        assert_eq!(half.plus(&Fraction::new(1, 1 << 90)).nearest(), 1.0f32.next_up());
        for number in [0.0, 1e-45, -3.5e-39, 0.1, 16_777_217.0, 3.4e38] {
            assert_eq!(Fraction::of(f64::from(number as f32)).nearest(), number as f32);
        }
        let sum = third.plus(&third).plus(&third);
        assert_eq!(sum.minus(&Fraction::new(1, 1)).sign(), Ordering::Equal);
        assert_eq!(third.over(&Fraction::new(-1, 6)).nearest(), -2.0);
    }
}
