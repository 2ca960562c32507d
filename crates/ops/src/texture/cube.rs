//! The faces of a cube: which one a direction hits and where, and which texel lies beyond an edge.

/// The axes of a face, each with its sign: the outward normal, u and v.
pub const FACES: [[(usize, i64); 3]; 6] = [
    [(0, 1), (2, -1), (1, -1)],
    [(0, -1), (2, 1), (1, -1)],
    [(1, 1), (0, 1), (2, 1)],
    [(1, -1), (0, 1), (2, -1)],
    [(2, 1), (0, 1), (1, -1)],
    [(2, -1), (0, -1), (1, -1)],
];

/// The face of the component with the largest magnitude; ties prefer z to y, and y to x.
pub(super) fn face(direction: [f64; 3]) -> u32 {
    let [x, y, z] = direction.map(f64::abs);
    let axis = if z >= x && z >= y {
        2
    } else if y >= x {
        1
    } else {
        0
    };
    2 * axis as u32 + u32::from(direction[axis] < 0.0)
}

/// Where on a face a direction points, from 0 to 1 on both axes.
pub(super) fn project(face: u32, direction: [f64; 3]) -> [f64; 2] {
    let [major, u, v] = components(face, direction);
    [u, v].map(|it| (it / major + 1.0) / 2.0)
}

/// The derivatives of [`project`].
pub(super) fn project_derivative(face: u32, direction: [f64; 3], by: [f64; 3]) -> [f64; 2] {
    let [major, u, v] = components(face, direction);
    let [d_major, d_u, d_v] = components(face, by);
    let quotient = |it: f64, d: f64| (d * major - it * d_major) / (major * major) / 2.0;
    [quotient(u, d_u), quotient(v, d_v)]
}

/// The texel of a face of `size` × `size` texels; one that lies one step beyond an edge is on the adjacent face.
/// `None` beyond a corner, where there is no texel.
pub(super) fn texel(face: u32, [x, y]: [i64; 2], size: u32) -> Option<(u32, [u32; 2])> {
    let size = i64::from(size);
    let inside = |it: i64| (0..size).contains(&it);
    match (inside(x), inside(y)) {
        (true, true) => return Some((face, [x as u32, y as u32])),
        (false, false) => return None,
        (true, false) | (false, true) => {}
    }
    // In half texels from the centre of the cube, a face lies `size` away. Beyond an edge of this face is the first
    // row of the adjacent one: the axis that was left is its normal, and this face's own normal drops by half a
    // texel.
    let [major, u, v] = FACES[face as usize];
    let middle = |it: i64| 2 * it + 1 - size;
    let mut at = [0i64; 3];
    at[major.0] = major.1 * (size - 1);
    at[u.0] = u.1 * middle(x).clamp(-size, size);
    at[v.0] = v.1 * middle(y).clamp(-size, size);
    let out = if inside(x) { v.0 } else { u.0 };
    let next = 2 * out as u32 + u32::from(at[out] < 0);
    let [_, u, v] = FACES[next as usize];
    let back =
        |(axis, sign): (usize, i64)| ((sign * at[axis] + size - 1) / 2).clamp(0, size - 1) as u32;
    Some((next, [back(u), back(v)]))
}

fn components(face: u32, of: [f64; 3]) -> [f64; 3] {
    FACES[face as usize].map(|(axis, sign)| of[axis] * sign as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_hit_the_face_of_their_largest_component() {
        for (direction, expected) in [
            ([1.0, 0.5, 0.0], 0),
            ([-1.0, 0.5, 0.0], 1),
            ([0.5, 2.0, 1.0], 2),
            ([0.5, -2.0, 1.0], 3),
            ([1.0, 1.0, 1.0], 4),
            ([1.0, 1.0, -1.0], 5),
            ([-1.0, 1.0, 0.5], 2),
        ] {
            assert_eq!(face(direction), expected, "{direction:?}");
        }
        assert_eq!(project(0, [2.0, 1.0, 0.0]), [0.5, 0.25]);
        assert_eq!(project(4, [1.0, -1.0, 1.0]), [1.0, 1.0]);
    }

    /// The direction to the centre of a texel beyond an edge, moved in slightly, hits the adjacent texel within one
    /// row.
    #[test]
    fn edges_meet() {
        let size = 4;
        for face_index in 0..6u32 {
            for along in 0..size {
                for (x, y) in [(-1, along), (size, along), (along, -1), (along, size)] {
                    let (next, at) = texel(face_index, [x, y], size as u32).unwrap();
                    assert_ne!(next, face_index);
                    assert_ne!(next, face_index ^ 1, "the opposite face is not a neighbour");
                    // And back: from there, one step over the same edge returns to the start.
                    let home = [x.clamp(0, size - 1) as u32, y.clamp(0, size - 1) as u32];
                    let [a, b] = at.map(i64::from);
                    let around = [(a - 1, b), (a + 1, b), (a, b - 1), (a, b + 1)];
                    let returns = around
                        .iter()
                        .filter_map(|(x, y)| texel(next, [*x, *y], size as u32))
                        .any(|it| it == (face_index, home));
                    assert!(returns, "{face_index} {x} {y} -> {next} {at:?}");
                }
            }
            assert_eq!(texel(face_index, [-1, -1], size as u32), None);
        }
    }

    #[test]
    fn derivatives_match_the_projection() {
        let direction = [0.25, -1.0, 0.5];
        let by = [0.125, 0.25, -0.5];
        let derivative = project_derivative(3, direction, by);
        let step = 1.0 / f64::from(1 << 20);
        let moved: [f64; 3] = std::array::from_fn(|i| direction[i] + step * by[i]);
        let (a, b) = (project(3, direction), project(3, moved));
        for i in 0..2 {
            assert!(((b[i] - a[i]) / step - derivative[i]).abs() < 1e-5);
        }
    }
}
