//! The test of eight boxes by a ray.

use super::Node;
use crate::ray::vector::Vector;

/// A ray, prepared for the test of boxes (Kay and Kajiya, "Ray Tracing Complex Scenes", 1986).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slab {
    /// Which planes the ray meets first on each axis: 0 for the low ones.
    sides: [usize; 3],
    /// The origin, moved so that every box is enlarged: for the planes that the ray meets first, then for the others.
    origins: [[f32; 3]; 2],
    /// 1 by the direction; for the planes that it meets last, with the slack of comparisons.
    inverse: [[f32; 3]; 2],
}

/// The interval of t that is of interest.
#[derive(Clone, Copy, Debug)]
pub(in crate::ray) struct Interval {
    pub(super) near: f32,
    pub(super) far: f32,
}

impl Interval {
    /// Its end with the slack of comparisons.
    #[inline(always)]
    fn end(self) -> f32 {
        self.far * SLACK
    }

    /// Whether something at a distance is worth a look.
    #[inline(always)]
    pub(super) fn reaches(self, near: f32) -> bool {
        near <= self.end() + f32::MIN_POSITIVE
    }
}

/// Numbers between these have bounded relative errors in all that follows.
const LEAST: f32 = 1e-18;
const MOST: f32 = 1e18;

/// The slack of comparisons: more than the error of the distances to planes.
const SLACK: f32 = 1.0 + 1.0 / (1u32 << 21) as f32;

impl Slab {
    /// Prepares a ray, in place, or returns false if a tree of this reach cannot be pruned safely for it. `pad` is the
    /// factor by which the origin moves, times its greatest |coordinate|.
    #[inline(always)]
    pub(super) fn prepare(&mut self, origin: [f32; 3], d: [f32; 3], reach: f32, pad: f32) -> bool {
        let largest = |v: [f32; 3]| v[0].abs().max(v[1].abs()).max(v[2].abs());
        let (size, length) = (largest(origin), largest(d));
        // Comparisons with a NaN fail.
        let sound =
            size <= MOST && (LEAST..=MOST).contains(&length) && (LEAST..=MOST).contains(&reach);
        if !sound {
            return false;
        }
        // An eighth more than the padding, at least 2u · size: the sums with it are rounded by less.
        let pad = pad * size * 1.125 + f32::MIN_POSITIVE;
        for axis in 0..3 {
            let (o, d) = (origin[axis], d[axis]);
            // Invariant: at most 2¹²⁸ in size, so that a distance of 0 stays 0. A plane in the distance of the padding,
            // 2⁻²¹ · reach at the least, is then farther than any hit: t ≤ (reach + size) / length ≤ 2¹²¹.
            let inverse = if d == 0.0 { f32::MAX } else { 1.0 / d };
            let cut = |it: f32| it.clamp(-f32::MAX, f32::MAX);
            let (low, high) = (o + pad, o - pad);
            let backward = usize::from(d < 0.0);
            self.sides[axis] = backward;
            self.origins[backward][axis] = low;
            self.origins[1 - backward][axis] = high;
            self.inverse[0][axis] = cut(inverse);
            self.inverse[1][axis] = cut(inverse * SLACK);
        }
        true
    }

    /// The distances to eight boxes, and a mask of those that the ray may meet within the interval.
    #[inline(always)]
    pub(super) fn meet<V: Vector>(&self, node: &Node, interval: Interval) -> (V, u32) {
        let near = self.distances::<V, 0>(node, 0).max(self.distances::<V, 0>(node, 1));
        let near = near.max(self.distances::<V, 0>(node, 2).max(V::splat(interval.near)));
        let far = self.distances::<V, 1>(node, 0).min(self.distances::<V, 1>(node, 1));
        let far = far.min(self.distances::<V, 1>(node, 2).min(V::splat(interval.end())));
        (near, near.at_most(far.add(V::splat(f32::MIN_POSITIVE))))
    }

    /// The distances to the planes of an axis that the ray meets first (0) or last (1). Not a closure, which would be
    /// compiled without the instructions of the caller.
    #[inline(always)]
    fn distances<V: Vector, const SIDE: usize>(&self, node: &Node, axis: usize) -> V {
        let row = (self.sides[axis] ^ SIDE) % 2;
        V::load(&node.planes[axis][row])
            .sub(V::splat(self.origins[SIDE][axis]))
            .mul(V::splat(self.inverse[SIDE][axis]))
    }
}
