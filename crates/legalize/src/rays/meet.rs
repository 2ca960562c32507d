//! The tests of triangles and boxes: `ops::ray`'s, operation by operation. Each answers whether the primitive is met
//! within the range, the t of its key in f64, the barycentrics, and whether the front is seen.

use ir::{Value, Values};
use ops::ray::{geometry_flag, instance_flag, ray_flag};
use ops::{Binary, Compare, Sign, Ty, Unary};

use super::search::{Inside, Line, Wanted};
use crate::writer::Writer;

/// What a ray has in common for all triangles of an instance: see `ops::ray`.
pub(super) struct Shear {
    /// Whether the greatest component of the direction is x, and whether it is y rather than z.
    is_x: Value,
    is_y: Value,
    /// Whether it is negative.
    backward: Value,
    x: Value,
    y: Value,
    depth: Value,
}

const LT: Compare = Compare::Lt(Sign::Signed);
const LE: Compare = Compare::Le(Sign::Signed);
const GT: Compare = Compare::Gt(Sign::Signed);
const GE: Compare = Compare::Ge(Sign::Signed);
const DIV: Binary = Binary::Div(Sign::Signed);

/// A vertex in the space of the ray.
type Point = [Value; 3];

impl Writer<'_> {
    pub(super) fn shear(&self, line: &Line) -> Shear {
        let d = line.direction;
        let [x, y, z] = d.map(|it| self.absolute(it));
        let is_x = self.both(self.test(GE, x, y), self.test(GE, x, z));
        let is_y = self.test(GE, y, z);
        let depth = self.choose(is_x, d[0], self.choose(is_y, d[1], d[2]));
        let backward = self.test(LT, depth, self.single(0.0));
        let mut shear = Shear { is_x, is_y, backward, x: depth, y: depth, depth };
        let [x, y, _] = self.turned(&shear, d);
        shear.x = self.op2(DIV, x, depth);
        shear.y = self.op2(DIV, y, depth);
        shear
    }

    /// The components in the order of the ray's axes.
    fn turned(&self, shear: &Shear, v: [Value; 3]) -> [Value; 3] {
        let pick = |x: Value, y: Value, z: Value| {
            self.choose(shear.is_x, x, self.choose(shear.is_y, y, z))
        };
        let first = pick(v[1], v[2], v[0]);
        let second = pick(v[2], v[0], v[1]);
        [
            self.choose(shear.backward, second, first),
            self.choose(shear.backward, first, second),
            pick(v[0], v[1], v[2]),
        ]
    }

    /// Whether a primitive is opaque.
    pub(super) fn opacity(&self, wanted: &Wanted, inside: &Inside, geometry: Value) -> Value {
        let is_set = |flags: Value, bit: u32| {
            let set = self.with(Binary::And, flags, u64::from(bit));
            self.test(Compare::Ne, set, self.word(0))
        };
        let mut opaque = is_set(geometry, geometry_flag::OPAQUE);
        for (flags, bit, value) in [
            (inside.flags, instance_flag::FORCE_OPAQUE, 1),
            (inside.flags, instance_flag::FORCE_NON_OPAQUE, 0),
            (wanted.flags, ray_flag::FORCE_OPAQUE, 1),
            (wanted.flags, ray_flag::FORCE_NON_OPAQUE, 0),
        ] {
            opaque = self.choose(is_set(flags, bit), self.constant(Ty::Bool, value), opaque);
        }
        opaque
    }

    pub(super) fn meet_triangle(
        &self,
        wanted: &Wanted,
        inside: &Inside,
        vertices: &Values,
    ) -> [Value; 5] {
        let shear = &inside.shear;
        let point = |first: usize| -> Point {
            let v = [0, 1, 2].map(|axis| {
                self.op2(Binary::Sub, vertices[first + axis], inside.line.origin[axis])
            });
            let [x, y, z] = self.turned(shear, v);
            let sheared = |value: Value, by: Value| {
                self.op2(Binary::Sub, value, self.op2(Binary::Mul, by, z))
            };
            [sheared(x, shear.x), sheared(y, shear.y), z]
        };
        let [a, b, c] = [0, 3, 6].map(point);
        let (u, v, w) = (self.edge(c, b), self.edge(a, c), self.edge(b, a));
        let sides = [self.sides(u, c, b), self.sides(v, a, c), self.sides(w, b, a)];
        let all =
            |side: usize| self.both(self.both(sides[0][side], sides[1][side]), sides[2][side]);
        let (right, left) = (all(0), all(1));
        let crosses = self.op2(Binary::Or, right, left);
        let none = || {
            let (zero, no) = (self.single(0.0), self.falsehood());
            [no, self.constant(Ty::F64, 0), zero, zero, no]
        };
        let hit = || {
            let add = |a: Value, b: Value| self.op2(Binary::Add, a, b);
            let mul = |a: Value, b: Value| self.op2(Binary::Mul, a, b);
            let determinant = add(add(u, v), w);
            let [az, bz, cz] = [a, b, c].map(|it| self.double_of(it[2]));
            let depth = add(add(mul(u, az), mul(v, bz)), mul(w, cz));
            let t = self.op2(DIV, depth, mul(determinant, self.double_of(shear.depth)));
            let t = self.single_of(t);
            let barycentric =
                |it: Value| add(self.single_of(self.op2(DIV, it, determinant)), self.single(0.0));
            let from = self.test(LT, wanted.t_min, t);
            let to = self.test(LT, t, wanted.t_max);
            let is_set = |flags: Value, bit: u32| {
                let set = self.with(Binary::And, flags, u64::from(bit));
                self.test(Compare::Ne, set, self.word(0))
            };
            let reversed = is_set(inside.flags, instance_flag::TRIANGLE_FRONT_COUNTERCLOCKWISE);
            let front = self.test(Compare::Ne, right, reversed);
            let culled = self.choose(
                front,
                self.word(ray_flag::CULL_FRONT_FACING_TRIANGLES),
                self.word(ray_flag::CULL_BACK_FACING_TRIANGLES),
            );
            let culls = self.op2(Binary::And, wanted.flags, culled);
            let is_kept = self.op2(
                Binary::Or,
                self.test(Compare::Eq, culls, self.word(0)),
                is_set(inside.flags, instance_flag::TRIANGLE_CULL_DISABLE),
            );
            let is_hit = self.both(self.both(from, to), is_kept);
            [is_hit, self.double_of(t), barycentric(v), barycentric(w), front]
        };
        self.branch(crosses, hit, none)
    }

    /// The edge function of two points, whose sign is exact.
    fn edge(&self, p: Point, q: Point) -> Value {
        let product =
            |a: Value, b: Value| self.op2(Binary::Mul, self.double_of(a), self.double_of(b));
        self.op2(Binary::Sub, product(p[0], q[1]), product(p[1], q[0]))
    }

    /// Whether the sign of an edge function is positive, and whether it is negative, after the ray has moved by (ε,
    /// ε²).
    fn sides(&self, edge: Value, p: Point, q: Point) -> [Value; 2] {
        let zero = self.constant(Ty::F64, 0);
        let is_zero = self.test(Compare::Eq, edge, zero);
        // The ray moves: first y decides, then x.
        let (below, above) = (self.test(GT, p[1], q[1]), self.test(LT, p[1], q[1]));
        let level = self.op1(Unary::Not, self.op2(Binary::Or, below, above));
        let side = |own: Compare, y: Value, x: Compare| {
            let moved = self.both(level, self.test(x, q[0], p[0]));
            let moved = self.both(is_zero, self.op2(Binary::Or, y, moved));
            self.op2(Binary::Or, self.test(own, edge, zero), moved)
        };
        [side(GT, below, GT), side(LT, above, LT)]
    }

    pub(super) fn meet_box(
        &self,
        wanted: &Wanted,
        inside: &Inside,
        corners: &Values,
    ) -> [Value; 5] {
        let infinite = |sign: f64| self.constant(Ty::F64, (sign * f64::INFINITY).to_bits());
        let (mut near, mut far) = (infinite(-1.0), infinite(1.0));
        let mut is_met = self.constant(Ty::Bool, 1);
        let zero = self.constant(Ty::F64, 0);
        // Of a NaN and a number, both take the number.
        let least = |a: Value, b: Value| self.op2(Binary::Min(Sign::Signed), a, b);
        let most = |a: Value, b: Value| self.op2(Binary::Max(Sign::Signed), a, b);
        for axis in 0..3 {
            let o = self.double_of(inside.line.origin[axis]);
            let d = self.double_of(inside.line.direction[axis]);
            let (low, high) = (self.double_of(corners[axis]), self.double_of(corners[axis + 3]));
            let is_along = self.test(Compare::Eq, d, zero);
            let outside = self.op2(Binary::Or, self.test(LT, o, low), self.test(GT, o, high));
            let passes = self.both(is_along, outside);
            is_met = self.both(is_met, self.op1(Unary::Not, passes));
            let one = self.constant(Ty::F64, 1f64.to_bits());
            let by = self.choose(is_along, one, d);
            let a = self.op2(DIV, self.op2(Binary::Sub, low, o), by);
            let b = self.op2(DIV, self.op2(Binary::Sub, high, o), by);
            near = self.choose(is_along, near, most(near, least(a, b)));
            far = self.choose(is_along, far, least(far, most(a, b)));
        }
        // A ray along a face is not lost to rounding.
        let slack = self.constant(Ty::F64, (1.0 / (1u64 << 50) as f64).to_bits());
        let sized = |value: Value| {
            let negative = self.op2(Binary::Sub, zero, value);
            self.op2(Binary::Mul, most(value, negative), slack)
        };
        let near = self.op2(Binary::Sub, near, sized(near));
        let far = self.op2(Binary::Add, far, sized(far));
        let (t_min, t_max) = (self.double_of(wanted.t_min), self.double_of(wanted.t_max));
        let t = most(near, t_min);
        is_met = self.both(is_met, self.test(LE, near, far));
        is_met = self.both(is_met, self.test(GE, far, t_min));
        is_met = self.both(is_met, self.test(LE, t, t_max));
        let none = self.single(0.0);
        [is_met, t, none, none, self.falsehood()]
    }
}
