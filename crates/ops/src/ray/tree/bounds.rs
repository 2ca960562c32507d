//! The bounding box of a primitive.

/// A box; empty if a least coordinate is above a greatest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::ray) struct Bounds {
    pub(in crate::ray) low: [f32; 3],
    pub(in crate::ray) high: [f32; 3],
}

impl Bounds {
    pub(in crate::ray) const EMPTY: Bounds =
        Bounds { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };
    pub(in crate::ray) const ALL: Bounds =
        Bounds { low: [f32::NEG_INFINITY; 3], high: [f32::INFINITY; 3] };

    /// The box around points; everything if one of them is not finite.
    #[inline(always)]
    pub(in crate::ray) fn around(points: &[[f32; 3]]) -> Bounds {
        let (mut low, mut high) = ([f32::INFINITY; 4], [f32::NEG_INFINITY; 4]);
        let mut zeros = [0.0; 4];
        for [x, y, z] in points {
            // PERF: whole vectors.
            let point = [*x, *y, *z, 0.0];
            for axis in 0..4 {
                low[axis] = less(point[axis], low[axis]);
                high[axis] = more(point[axis], high[axis]);
                zeros[axis] += point[axis] * 0.0;
            }
        }
        let ([a, b, c, _], [d, e, f, _]) = (low, high);
        match are_finite(&zeros) {
            true => Bounds { low: [a, b, c], high: [d, e, f] },
            false => Bounds::ALL,
        }
    }

    #[inline(always)]
    pub(in crate::ray) fn is_finite(&self) -> bool {
        are_finite(&self.low) && are_finite(&self.high)
    }
}

/// Whether all numbers are finite: a sum of zeros and NaNs, which takes one comparison.
#[inline(always)]
pub(in crate::ray) fn are_finite(numbers: &[f32]) -> bool {
    numbers.iter().fold(0.0, |sum, it| sum + it * 0.0) == 0.0
}

/// The lesser of two numbers that are not NaNs: one instruction.
#[inline(always)]
pub(super) fn less(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
pub(super) fn more(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
