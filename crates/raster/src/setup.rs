//! Primitive setup: edge functions, facing, culling and depth bias, from vertices on the screen's grid.
//!
//! Edge functions are integers in 1/256 pixels: |E| < 2⁵⁰, which i64 and f64 both hold exactly.
//!
//! Spec: Direct3D 11.3, 3.4.2, 15.8 and 15.10.

use crate::cover::{SIDE, place};
use crate::depth::DepthFormat;
use crate::each::{each3, each4};
use crate::state::{Cull, DepthBias, RasterState};
use crate::topology::Kind;
use crate::viewport::{Projected, Rect, UNITS};

/// The function a·x + b·y + c, which is positive on the inner side of an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) a: i64,
    pub(crate) b: i64,
    pub(crate) c: i64,
    /// Whether points on the edge belong to the triangle.
    pub(crate) is_top_left: bool,
}

/// A primitive on the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    pub(crate) kind: Kind,
    /// For triangles, edge i is opposite vertex i.
    pub(crate) edges: [Edge; 3],
    /// The sum of the edge functions anywhere: twice the area of a triangle. 1 for lines and points.
    pub(crate) scale: f64,
    /// 1 / scale.
    pub(crate) reciprocal: f64,
    /// Snapped positions.
    pub(crate) corners: [[i64; 2]; 3],
    pub(crate) inverse_w: [f64; 3],
    /// Whether w is 1 everywhere: then the sum of the weights over w is the scale, exactly.
    pub(crate) is_affine: bool,
    /// z in the viewport's depth range, with bias.
    pub(crate) z: [f32; 3],
    /// z before the depth range.
    pub(crate) clip_z: [f32; 3],
    /// The viewport's depth range.
    pub(crate) depth_range: [f32; 2],
    /// The pixels that samples inside can lie in.
    pub(crate) bounds: Rect,
}

impl Edge {
    /// From `a` to `b`; `sign` is that of the triangle's area.
    #[inline(always)]
    fn new([ax, ay]: [i64; 2], [bx, by]: [i64; 2], sign: i64) -> Edge {
        let (dx, dy) = (sign * (bx - ax), sign * (by - ay));
        // y grows downwards: an edge that goes up is a left one, and a horizontal one to the right a top one.
        let is_top_left = dy < 0 || dy == 0 && dx > 0;
        Edge { a: -dy, b: dx, c: dy * ax - dx * ay, is_top_left }
    }

    /// The constant of the function that is ≥ 0 inside: E > 0 is E - 1 ≥ 0 for integers.
    #[inline(always)]
    pub(crate) fn inner(&self) -> i64 {
        self.c - i64::from(!self.is_top_left)
    }

    #[inline(always)]
    pub(crate) fn at(&self, x: i64, y: i64) -> i64 {
        self.a * x + self.b * y + self.c
    }
}

/// Twice the signed area of a triangle; positive if it is clockwise on the screen.
#[inline(always)]
pub(crate) fn area(corners: &[Projected; 3]) -> i64 {
    let [p, q, r] = corners;
    (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)
}

/// Whether a triangle of this signed area is front-facing.
#[inline(always)]
pub(crate) fn is_front(area: i64, state: &RasterState) -> bool {
    if state.front_counter_clockwise { area < 0 } else { area > 0 }
}

/// Whether a triangle is dropped.
#[inline(always)]
pub(crate) fn is_culled(front: bool, cull: Cull) -> bool {
    match cull {
        Cull::None => false,
        Cull::Front => front,
        Cull::Back => !front,
    }
}

impl Geometry {
    /// Nothing, to be set.
    pub(crate) const NOTHING: Geometry = Geometry {
        kind: Kind::Point,
        edges: [Edge { a: 0, b: 0, c: 0, is_top_left: false }; 3],
        scale: 1.0,
        reciprocal: 1.0,
        corners: [[0; 2]; 3],
        inverse_w: [1.0; 3],
        is_affine: false,
        z: [0.0; 3],
        clip_z: [0.0; 3],
        depth_range: [0.0, 1.0],
        bounds: Rect { left: 0, top: 0, right: 0, bottom: 0 },
    };

    /// Becomes a triangle; `false` if it has no area, or no sample can lie in it. The other arguments belong to its
    /// viewport.
    ///
    /// PERF: in place, since a copy that follows at once has to wait until all of it is stored. With that the fixed
    /// functions of small triangles take 39 ms instead of 42.
    #[inline(always)]
    pub(crate) fn set_triangle(
        &mut self,
        vertices: &[Projected; 3],
        state: &RasterState,
        depth_range: [f32; 2],
        drawable: Rect,
    ) -> bool {
        let area = area(vertices);
        if area == 0 {
            return false;
        }
        let corners @ [p, q, r] = each3(*vertices, |it| [it.x, it.y]);
        self.corners = corners;
        self.bounds = drawable;
        self.bound(state, 0, 0);
        // Many of the triangles that are smaller than a pixel.
        if self.bounds.is_empty() {
            return false;
        }
        let sign = area.signum();
        self.edges[0] = Edge::new(q, r, sign);
        self.edges[1] = Edge::new(r, p, sign);
        self.edges[2] = Edge::new(p, q, sign);
        let scale = area.abs() as f64;
        let mut z = each3(*vertices, |it| it.z);
        let bias = state.depth_bias;
        if bias.bias != 0 || bias.slope != 0.0 {
            let by = depth_bias(&self.edges, scale, z, bias, state.depth_format);
            z = z.map(|it| it + by);
        }
        let inverse_w = each3(*vertices, |it| it.inverse_w);
        self.kind = Kind::Triangle;
        self.scale = scale;
        self.reciprocal = 1.0 / scale;
        self.inverse_w = inverse_w;
        self.is_affine = inverse_w == [1.0; 3];
        self.z = z;
        self.clip_z = each3(*vertices, |it| it.clip_z);
        self.depth_range = depth_range;
        true
    }

    /// A line; its third vertex has no weight.
    pub(crate) fn line(
        ends: &[Projected; 2],
        state: &RasterState,
        depth_range: [f32; 2],
        drawable: Rect,
    ) -> Geometry {
        let mut geometry =
            Geometry::weightless(Kind::Line, [ends[0], ends[1], ends[1]], depth_range, drawable);
        // A diamond reaches half a pixel beyond the centre.
        geometry.bound(state, UNITS, UNITS);
        geometry
    }

    /// A point: a square of one pixel.
    pub(crate) fn point(
        vertex: Projected,
        state: &RasterState,
        depth_range: [f32; 2],
        drawable: Rect,
    ) -> Geometry {
        let mut geometry = Geometry::weightless(Kind::Point, [vertex; 3], depth_range, drawable);
        geometry.bound(state, UNITS / 2, UNITS / 2);
        geometry
    }

    fn weightless(
        kind: Kind,
        vertices: [Projected; 3],
        depth_range: [f32; 2],
        bounds: Rect,
    ) -> Geometry {
        Geometry {
            kind,
            edges: [Edge::default(); 3],
            scale: 1.0,
            reciprocal: 1.0,
            corners: vertices.map(|it| [it.x, it.y]),
            inverse_w: vertices.map(|it| it.inverse_w),
            is_affine: false,
            z: vertices.map(|it| it.z),
            clip_z: vertices.map(|it| it.clip_z),
            depth_range,
            bounds,
        }
    }

    /// Shrinks the bounds to the pixels with a sample within the corners, or this far outside.
    #[inline(always)]
    fn bound(&mut self, state: &RasterState, right: i64, left: i64) {
        let (above, below) = (left, right);
        let (first, last) = state.samples.reach();
        let (first, last) = (i64::from(first), i64::from(last));
        let [p, q, r] = self.corners;
        let (left, right) = span([p[0], q[0], r[0]], [left + last, right - first]);
        let (top, bottom) = span([p[1], q[1], r[1]], [above + last, below - first]);
        self.bounds = self.bounds.intersect(Rect { left, top, right, bottom });
    }

    /// The columns between two others in which these rows may be covered. A line or a long triangle is narrow, however
    /// wide its bounds are.
    #[inline(always)]
    pub(crate) fn columns(&self, top: i32, bottom: i32, left: i32, right: i32) -> (i32, i32) {
        if self.kind == Kind::Triangle {
            return self.between_edges(top, bottom, left, right);
        }
        let [[x0, y0], [x1, y1], _] = self.corners;
        if self.kind != Kind::Line || y0 == y1 {
            return (left, right);
        }
        // A diamond reaches half a pixel beyond its row's centre; another pixel covers all rounding.
        let margin = UNITS;
        let at = |row: i32| {
            let y = (i64::from(row) * UNITS).clamp(y0.min(y1) - margin, y0.max(y1) + margin);
            x0 as f64 + (y - y0) as f64 / (y1 - y0) as f64 * (x1 - x0) as f64
        };
        let ends = [at(top - 1), at(bottom + 1)].map(|it| it / UNITS as f64);
        let (least, most) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        (left.max(least.floor() as i32 - 1), right.min(most.ceil() as i32 + 1))
    }

    /// The columns between two others in which no edge of a triangle rejects all places of these rows.
    #[inline(always)]
    fn between_edges(&self, top: i32, bottom: i32, mut left: i32, mut right: i32) -> (i32, i32) {
        // Blocks are rejected one by one as fast.
        if right - left <= 32 {
            return (left, right);
        }
        let [top, bottom] = [top, bottom].map(|it| i64::from(it) * UNITS);
        for edge in &self.edges {
            // The largest value in a column is a·x + rest.
            let rest = edge.c + (edge.b * top).max(edge.b * bottom);
            let pixels = edge.a.abs() * UNITS;
            // a·x + rest ≥ 0 where x ≥ -rest / a, or x ≤ rest / -a; a pixel reaches from its number to the next.
            if edge.a > 0 {
                left = left.max(clamped((-rest).div_euclid(pixels)));
            } else if edge.a < 0 {
                right = right.min(clamped(rest.div_euclid(pixels) + 1));
            } else if rest < 0 {
                return (left, left);
            }
        }
        (left, right)
    }

    /// The columns of whole blocks, counted from `first`, whose pixels' centres are all covered; none where it is not
    /// worth the divisions.
    #[inline(always)]
    pub(crate) fn covered_columns(&self, top: i32, first: i32, right: i32) -> (i32, i32) {
        let none = (first, first);
        let bounds = self.bounds;
        if right - first <= 4 * SIDE
            || self.kind != Kind::Triangle
            || top < bounds.top
            || top + SIDE > bounds.bottom
        {
            return none;
        }
        let half = UNITS / 2;
        let [upper, lower] = [top, top + SIDE - 1].map(|it| i64::from(it) * UNITS + half);
        let (mut from, mut to) = (first.max(bounds.left), right.min(bounds.right));
        for edge in &self.edges {
            // The least value in a column x is a·256·x + rest.
            let rest = edge.inner() + (edge.b * upper).min(edge.b * lower) + edge.a * half;
            let pixels = edge.a.abs() * UNITS;
            if edge.a > 0 {
                // x ≥ ⌈-rest / pixels⌉
                from = from.max(clamped(-rest.div_euclid(pixels)));
            } else if edge.a < 0 {
                to = to.min(clamped(rest.div_euclid(pixels) + 1));
            } else if rest < 0 {
                return none;
            }
        }
        let whole = first + (from - first + SIDE - 1).div_euclid(SIDE) * SIDE;
        let end = first + (to - first).div_euclid(SIDE) * SIDE;
        if whole < end { (whole, end) } else { none }
    }

    /// The values of the edge functions, or the weights of a line's or point's vertices, at a place in 1/256 pixels.
    #[inline(always)]
    pub(crate) fn weights(&self, x: i64, y: i64) -> [f64; 3] {
        match self.kind {
            Kind::Triangle => each3(self.edges, |it| it.at(x, y) as f64),
            Kind::Line => {
                let [[x0, y0], [x1, y1], _] = self.corners;
                let (dx, dy) = (x1 - x0, y1 - y0);
                let along = (x - x0) * dx + (y - y0) * dy;
                let t = along as f64 / (dx * dx + dy * dy) as f64;
                [1.0 - t, t, 0.0]
            }
            Kind::Point => [1.0, 0.0, 0.0],
        }
    }

    /// The coefficients of the edge functions in f64, in which their values at all places of the grid are exact: each
    /// product is below 2⁴⁹.
    #[inline(always)]
    pub(crate) fn planes(&self) -> [[f64; 3]; 3] {
        each3(self.edges, |it| [it.a as f64, it.b as f64, it.c as f64])
    }

    /// The depth of every covered sample, if the vertices agree on one.
    ///
    /// Weights of covered samples are not negative, so that the rounding errors of interpolation are below 2⁻⁵⁰ of the
    /// result, which is then rounded to f32: back to the depth of the vertices.
    #[inline(always)]
    pub(crate) fn constant_depth(&self) -> Option<f32> {
        let [a, b, c] = self.z.map(f32::to_bits);
        (a == b && b == c && self.z[0].is_finite() && self.kind == Kind::Triangle)
            .then_some(self.z[0])
    }

    /// How many vertices have a weight.
    #[inline(always)]
    pub(crate) fn vertices(&self) -> usize {
        match self.kind {
            Kind::Triangle => 3,
            Kind::Line => 2,
            Kind::Point => 1,
        }
    }

    /// A number that is linear on the screen, in f64.
    #[inline(always)]
    pub(crate) fn on_screen(&self, weights: [f64; 3], at: [f64; 3]) -> f64 {
        let [e0, e1, e2] = weights;
        let sum = match self.kind {
            Kind::Triangle => (e0 * at[0] + e1 * at[1]) + e2 * at[2],
            Kind::Line => e0 * at[0] + e1 * at[1],
            Kind::Point => e0 * at[0],
        };
        sum * self.reciprocal
    }

    /// `SV_Position.z` at a place, which the depth test uses too.
    #[inline(always)]
    pub(crate) fn depth(&self, x: i64, y: i64) -> f32 {
        self.on_screen(self.weights(x, y), self.z.map(f64::from)) as f32
    }

    /// The depths at the centres of a quad's pixels; `planes` are those of [`Geometry::planes`].
    #[inline(always)]
    pub(crate) fn depths(&self, planes: &[[f64; 3]; 3], x: i32, y: i32) -> [f32; 4] {
        let [x, y] = place(x, y, [0, 0]);
        if self.kind != Kind::Triangle {
            let at = |lane: i64| self.depth(x + lane % 2 * UNITS, y + lane / 2 * UNITS);
            return [at(0), at(1), at(2), at(3)];
        }
        let [e0, e1, e2] = each3(*planes, |it| over_quad(it, x as f64, y as f64));
        let [z0, z1, z2] = each3(self.z, f64::from);
        each4([0, 1, 2, 3], |lane: usize| {
            (((e0[lane] * z0 + e1[lane] * z1) + e2[lane] * z2) * self.reciprocal) as f32
        })
    }

    /// z before the depth range, at a place.
    pub(crate) fn plane_z(&self, x: i64, y: i64) -> f64 {
        self.on_screen(self.weights(x, y), self.clip_z.map(f64::from))
    }
}

/// The differences between a plane's values in the pixels of a quad and the first one. Sums and products are exact.
#[inline(always)]
pub(crate) fn over_quad_from_corner([a, b, _]: [f64; 3]) -> [f64; 4] {
    let (right, down) = (a * UNITS as f64, b * UNITS as f64);
    [0.0, right, down, right + down]
}

/// The values of a plane in the pixels of a quad.
#[inline(always)]
fn over_quad(plane: [f64; 3], x: f64, y: f64) -> [f64; 4] {
    let [a, b, c] = plane;
    let corner = a * x + b * y + c;
    each4(over_quad_from_corner(plane), |it| corner + it)
}

/// The pixels of a direction whose samples lie between three places, or this far before and behind them.
#[inline(always)]
fn span([a, b, c]: [i64; 3], [before, behind]: [i64; 2]) -> (i32, i32) {
    let (least, most) = (a.min(b).min(c), a.max(b).max(c));
    // ⌈least / 256⌉ and ⌊most / 256⌋ + 1.
    let from = (least - before + UNITS - 1).div_euclid(UNITS);
    let to = (most + behind).div_euclid(UNITS) + 1;
    (from as i32, to as i32)
}

/// A column, or the first or last one that there is.
fn clamped(column: i64) -> i32 {
    column.clamp(i64::from(i32::MIN / 2), i64::from(i32::MAX / 2)) as i32
}

/// The depth bias of a triangle.
fn depth_bias(
    edges: &[Edge; 3],
    area: f64,
    z: [f32; 3],
    bias: DepthBias,
    format: Option<DepthFormat>,
) -> f32 {
    let most = z.map(f32::abs).into_iter().fold(0.0, f32::max);
    let unit = match format.map(DepthFormat::is_float) {
        // 2 to the power of the exponent less 23; below the smallest normal number, the smallest number.
        Some(true) => {
            let exponent = (most.to_bits() >> 23).max(1);
            if exponent > 23 {
                f32::from_bits((exponent - 23) << 23)
            } else {
                f32::from_bits(1 << (exponent - 1))
            }
        }
        Some(false) => (1.0 / 65535.0) as f32,
        // Without a depth buffer: the unit of the 24-bit format.
        None => (1.0 / 16_777_215.0) as f32,
    };
    let mut sum = bias.bias as f32 * unit;
    if bias.slope != 0.0 {
        let [z0, z1, z2] = z.map(f64::from);
        let slope = |steps: [i64; 3]| {
            let [s0, s1, s2] = steps.map(|it| it as f64);
            ((((s0 * z0 + s1 * z1) + s2 * z2) * (1.0 / area)) * UNITS as f64) as f32
        };
        let (dx, dy) = (slope(edges.map(|it| it.a)), slope(edges.map(|it| it.b)));
        sum += bias.slope * dx.abs().max(dy.abs());
    }
    if bias.clamp > 0.0 {
        sum.min(bias.clamp)
    } else if bias.clamp < 0.0 {
        sum.max(bias.clamp)
    } else {
        sum
    }
}

#[cfg(test)]
impl Geometry {
    /// A triangle; `None` if it has no area.
    pub(crate) fn triangle(
        vertices: &[Projected; 3],
        state: &RasterState,
        depth_range: [f32; 2],
        drawable: Rect,
    ) -> Option<Geometry> {
        let mut geometry = Geometry::NOTHING;
        geometry.set_triangle(vertices, state, depth_range, drawable).then_some(geometry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: i64, y: i64, z: f32) -> Projected {
        Projected { x: x * UNITS, y: y * UNITS, clip_z: z, z, inverse_w: 1.0 }
    }

    const ALL: Rect = Rect { left: 0, top: 0, right: 1000, bottom: 1000 };

    fn state(bias: i32, slope: f32, clamp: f32, format: DepthFormat) -> RasterState {
        let depth_bias = DepthBias { bias, slope, clamp };
        RasterState { depth_bias, depth_format: Some(format), ..RasterState::new(1000, 1000) }
    }

    #[test]
    fn facing_follows_the_order_of_vertices() {
        let clockwise = [at(0, 0, 0.0), at(9, 0, 0.0), at(0, 9, 0.0)];
        let mut state = RasterState::new(8, 8);
        assert!(is_front(area(&clockwise), &state));
        state.front_counter_clockwise = true;
        assert!(!is_front(area(&clockwise), &state));
        let flat = [at(0, 0, 0.0), at(9, 9, 0.0), at(3, 3, 0.0)];
        assert!(!is_front(area(&flat), &state));
        assert!(Geometry::triangle(&flat, &state, [0.0, 1.0], ALL).is_none());
        let culled = [Cull::None, Cull::Front, Cull::Back].map(|it| is_culled(true, it));
        assert_eq!(culled, [false, true, false]);
    }

    #[test]
    fn edge_functions_sum_to_the_area_and_vanish_at_corners() {
        let far = 32768;
        let corners = [at(-far, -far, 0.0), at(far, -far, 0.0), at(-far, far, 0.0)];
        let geometry =
            Geometry::triangle(&corners, &RasterState::new(8, 8), [0.0, 1.0], ALL).unwrap();
        for [x, y] in geometry.corners {
            let sum: i64 = geometry.edges.iter().map(|it| it.at(x, y)).sum();
            assert_eq!(sum as f64, geometry.scale);
            assert_eq!(geometry.edges.iter().filter(|it| it.at(x, y) == 0).count(), 2);
        }
    }

    #[test]
    fn depth_bias_adds_units_and_slope_within_its_clamp() {
        let float = DepthFormat::D32Float;
        // z rises by 1/8 a pixel in x and falls by 1/16 in y.
        let corners = [at(0, 0, 0.5), at(4, 0, 1.0), at(0, 4, 0.25)];
        let biased = |bias, slope, clamp, format| {
            let state = state(bias, slope, clamp, format);
            Geometry::triangle(&corners, &state, [0.0, 1.0], ALL).unwrap().z[0] - 0.5
        };
        let unit = 1.0 / 8_388_608.0;
        assert_eq!(biased(4, 0.0, 0.0, float), 4.0 * unit);
        assert_eq!(biased(0, 2.0, 0.0, float), 0.25);
        assert_eq!(biased(0, 2.0, 0.125, float), 0.125);
        assert_eq!(biased(0, -2.0, -0.125, float), -0.125);
        assert_eq!(biased(0, 2.0, -0.125, float), 0.25);
        assert_eq!(biased(65535, 0.0, 0.0, DepthFormat::D16Unorm), 1.0);
        // Smaller depths have smaller units, down to the smallest number.
        for (most, unit) in [
            (0.5, 1.0 / 16_777_216.0),
            (1e-38, f64::from(f32::from_bits(1))),
            (0.0, f64::from(f32::from_bits(1))),
        ] {
            let flat = corners.map(|it| Projected { z: most, ..it });
            let geometry = Geometry::triangle(&flat, &state(1, 0.0, 0.0, float), [0.0, 1.0], ALL);
            assert_eq!(f64::from(geometry.unwrap().z[0] - most), unit, "{most}");
        }
    }
}
