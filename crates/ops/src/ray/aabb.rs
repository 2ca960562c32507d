//! The test of a box of a procedural geometry.

/// The corners of a box: the least and the greatest coordinates.
pub(super) type Aabb = [[f32; 3]; 2];

/// 2⁻⁵⁰: more than the error of the f64 arithmetic below, so that a ray along a face is not lost to rounding.
const SLACK: f64 = 1.0 / (1u64 << 50) as f64;

/// The interval of t in which the line of a ray is inside a box, a little enlarged, or `None` if it passes by.
/// The box is solid: the interval begins before a ray that starts inside.
pub(super) fn interval(origin: [f32; 3], direction: [f32; 3], aabb: &Aabb) -> Option<(f64, f64)> {
    let (mut near, mut far) = (f64::NEG_INFINITY, f64::INFINITY);
    for axis in 0..3 {
        let [o, d] = [f64::from(origin[axis]), f64::from(direction[axis])];
        let [low, high] = [f64::from(aabb[0][axis]), f64::from(aabb[1][axis])];
        // A NaN marks a box that is inactive.
        if low.is_nan() || high.is_nan() || d == 0.0 && (o < low || o > high) {
            return None;
        }
        if d != 0.0 {
            let (a, b) = ((low - o) / d, (high - o) / d);
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
    }
    let near = near - near.abs() * SLACK;
    let far = far + far.abs() * SLACK;
    (near <= far).then_some((near, far))
}

/// A box that is larger on each side by this percentage of its size, rounded outwards.
pub(super) fn enlarged(aabb: &Aabb, percent: u32) -> Aabb {
    let mut enlarged = *aabb;
    for axis in 0..3 {
        let [low, high] = [f64::from(aabb[0][axis]), f64::from(aabb[1][axis])];
        let by = (high - low) * f64::from(percent) / 100.0;
        // An infinite box has no size to add, and remains.
        if by.is_finite() {
            enlarged[0][axis] = ((low - by) as f32).next_down();
            enlarged[1][axis] = ((high + by) as f32).next_up();
        }
    }
    enlarged
}
