//! The test of a triangle: which rays hit it, where, and on which face.
//!
//! Every operation rounds to nearest even by itself. There is no fused multiply-add: with it, an edge seen from its
//! two sides would not be its own negative.

use super::search::Edges;

/// What a ray has in common for all triangles of an instance: the shear that turns it into the z axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shear {
    pub(super) origin: [f32; 3],
    /// The axis of the direction's greatest component is `axes[2]`; the others are ordered so that the winding
    /// remains.
    pub(super) axes: [usize; 3],
    pub(super) x: f32,
    pub(super) y: f32,
    /// The direction's greatest component.
    pub(super) depth: f32,
}

/// A hit of a triangle within any range of t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    pub(super) t: f32,
    pub(super) barycentrics: [f32; 2],
    /// The vertices run clockwise, seen from the ray's origin in a left-handed space.
    pub(super) clockwise: bool,
}

impl Shear {
    #[inline(always)]
    pub(super) fn new(origin: [f32; 3], d: [f32; 3]) -> Shear {
        let size = [d[0].abs(), d[1].abs(), d[2].abs()];
        let z = if size[0] >= size[1] && size[0] >= size[2] {
            0
        } else if size[1] >= size[2] {
            1
        } else {
            2
        };
        let (mut x, mut y) = ((z + 1) % 3, (z + 2) % 3);
        if d[z] < 0.0 {
            (x, y) = (y, x);
        }
        Shear { origin, axes: [x, y, z], x: d[x] / d[z], y: d[y] / d[z], depth: d[z] }
    }

    /// The vertices of a triangle relative to the ray: x and y across it, and the distance along its greatest axis.
    /// `at` reads a coordinate of a vertex.
    #[inline(always)]
    pub(super) fn apply(&self, at: impl Fn(usize, usize) -> f32) -> [[f32; 3]; 3] {
        let axes @ [x, y, z] = self.axes;
        let origin = axes.map(|it| self.origin[it]);
        [0, 1, 2].map(|vertex| {
            let z = at(vertex, z) - origin[2];
            [at(vertex, x) - origin[0] - self.x * z, at(vertex, y) - origin[1] - self.y * z, z]
        })
    }
}

/// The crossing of a triangle with the line of the ray, to which its vertices are relative. The caller compares t.
#[inline(always)]
pub(super) fn cross(shear: &Shear, sheared: [[f32; 3]; 3], edges: Edges) -> Option<Crossing> {
    let [a, b, c] = sheared;
    let u = edge(c, b);
    let v = edge(a, c);
    let w = edge(b, a);
    let side = sign(u, c, b, edges);
    if side == 0 || side != sign(v, a, c, edges) || side != sign(w, b, a, edges) {
        return None;
    }
    let determinant = (u + v) + w;
    let depth = (u * f64::from(a[2]) + v * f64::from(b[2])) + w * f64::from(c[2]);
    let t = (depth / (determinant * f64::from(shear.depth))) as f32;
    // The sums with +0 turn −0 into +0.
    let barycentrics = [(v / determinant) as f32 + 0.0, (w / determinant) as f32 + 0.0];
    Some(Crossing { t, barycentrics, clockwise: side > 0 })
}

/// The edge function of p and q at the ray: twice the area of the triangle that they form with it. The products are
/// exact in f64, so the sign of the rounded difference is that of the exact one.
#[inline(always)]
fn edge(p: [f32; 3], q: [f32; 3]) -> f64 {
    f64::from(p[0]) * f64::from(q[1]) - f64::from(p[1]) * f64::from(q[0])
}

/// The sign of an edge function, −1, 0 or 1. On the edge itself it is the sign after the ray has moved by (ε, ε²), or
/// by (−ε, −ε²) with mirrored edges. 0 means that the edge is a point, or that a NaN is involved.
#[inline(always)]
fn sign(edge: f64, p: [f32; 3], q: [f32; 3], edges: Edges) -> i32 {
    let order = |a: f32, b: f32| i32::from(a > b) - i32::from(a < b);
    if edge > 0.0 {
        1
    } else if edge < 0.0 {
        -1
    } else if edge == 0.0 {
        let moved = match order(p[1], q[1]) {
            0 => order(q[0], p[0]),
            side => side,
        };
        match edges {
            Edges::Canonical => moved,
            Edges::Mirrored => -moved,
        }
    } else {
        0
    }
}
