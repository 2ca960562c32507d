//! The triangles of a leaf side by side, and a filter in front of their exact test.

use super::{LEAF, Leaf};
use crate::ray::triangle::Shear;
use crate::ray::vector::Vector;

/// The triangles of a leaf, each coordinate of them side by side, and which ones they are: five cache lines.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(in crate::ray) struct Block {
    /// By vertex and axis.
    rows: [[[f32; LEAF]; 3]; 3],
    primitives: [u32; LEAF],
}

impl Block {
    /// Takes the triangles of a leaf.
    #[inline(always)]
    pub(in crate::ray) fn fill(&mut self, leaf: &Leaf, vertices: impl Fn(u32) -> [[f32; 3]; 3]) {
        self.primitives = leaf.primitives;
        for (lane, primitive) in leaf.primitives().iter().enumerate() {
            for (rows, vertex) in self.rows.iter_mut().zip(vertices(*primitive)) {
                for (row, value) in rows.iter_mut().zip(vertex) {
                    row[lane] = value;
                }
            }
        }
    }

    /// Which triangles these are; of a leaf of fewer, the others mean nothing.
    pub(in crate::ray) fn primitives(&self) -> &[u32] {
        &self.primitives
    }

    /// Which triangle is in a lane.
    #[inline(always)]
    pub(super) fn primitive(&self, lane: usize) -> u32 {
        self.primitives[lane % LEAF]
    }

    /// A coordinate of a vertex of the triangle in a lane.
    #[inline(always)]
    pub(in crate::ray) fn coordinate(&self, vertex: usize, axis: usize, lane: usize) -> f32 {
        self.rows[vertex][axis][lane % LEAF]
    }

    /// A mask of the triangles that the ray may hit: a filter in f32 in front of the exact test. It refuses a triangle
    /// only if two edge functions have opposite signs beyond doubt, or if one is a NaN, which the exact test refuses.
    ///
    /// The operands of edge functions are those of the exact test. With M the greatest of them in size, the error of a
    /// difference of products is below 6u·M² < 2⁻²¹·M², or below the least normal number where products are denormal.
    /// An infinite M² refuses nothing.
    #[inline(always)]
    pub(super) fn filter<V: Vector>(&self, shear: &Shear) -> u32 {
        const ERROR: f32 = 1.0 / (1u32 << 21) as f32;
        let (a, b, c) =
            (self.across::<V>(0, shear), self.across::<V>(1, shear), self.across::<V>(2, shear));
        let (u, v, w) = (edge(c, b), edge(a, c), edge(b, a));
        let size = size(a).max(size(b)).max(size(c));
        let error = size.mul(size).mul(V::splat(ERROR)).add(V::splat(f32::MIN_POSITIVE));
        let least = u.min(v).min(w).add(error);
        let most = u.max(v).max(w).sub(error);
        V::splat(0.0).at_most(least) | most.at_most(V::splat(0.0))
    }

    /// A vertex of each triangle, across the ray: [`Shear::apply`] without its last result.
    #[inline(always)]
    fn across<V: Vector>(&self, vertex: usize, shear: &Shear) -> (V, V) {
        let (rows, [x, y, z]) = (&self.rows[vertex], shear.axes);
        let x = V::load(&rows[x]).sub(V::splat(shear.origin[x]));
        let y = V::load(&rows[y]).sub(V::splat(shear.origin[y]));
        let z = V::load(&rows[z]).sub(V::splat(shear.origin[z]));
        (x.sub(V::splat(shear.x).mul(z)), y.sub(V::splat(shear.y).mul(z)))
    }
}

// Functions, because a closure is compiled without the instructions of the caller.

#[inline(always)]
fn edge<V: Vector>(p: (V, V), q: (V, V)) -> V {
    p.0.mul(q.1).sub(p.1.mul(q.0))
}

#[inline(always)]
fn size<V: Vector>(p: (V, V)) -> V {
    p.0.abs().max(p.1.abs())
}
