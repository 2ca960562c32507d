//! Clipping against the guard band: Sutherland–Hodgman in homogeneous coordinates.
//!
//! Only primitives that reach behind the eye or out of the guard band are clipped; near plane, far plane and clip
//! distances are tested for each sample instead, so that they need no new vertices.
//!
//! Spec: Direct3D 11.3, 15.4.

/// A vertex in clip space with its numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClipVertex {
    pub(crate) position: [f64; 4],
    pub(crate) numbers: Vec<f64>,
}

/// The planes of the guard band, in this order: x ≥ −Gw, x ≤ Gw, y ≥ −Gw, y ≤ Gw.
const PLANES: [(usize, f64); 4] = [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)];

/// The signed distance from a plane; positive inside. NaN is outside.
fn distance(position: &[f64; 4], (axis, sign): (usize, f64), band: f64) -> f64 {
    band * position[3] + sign * position[axis]
}

/// Whether a vertex is in front of the eye and in the guard band.
#[inline(always)]
pub(crate) fn is_inside(position: [f32; 4], band: f64) -> bool {
    let [x, y, w] = [position[0], position[1], position[3]];
    let (x, y, w) = (f64::from(x), f64::from(y), f64::from(w));
    w > 0.0 && x.abs() <= band * w && y.abs() <= band * w
}

/// Clips a convex polygon. `perspective` says for each number whether it is linear in space; the others are linear on
/// the screen. `None` if nothing is left in front of the eye.
pub(crate) fn polygon(
    mut vertices: Vec<ClipVertex>,
    perspective: &[bool],
    band: f64,
) -> Option<Vec<ClipVertex>> {
    for plane in PLANES {
        let distances: Vec<f64> =
            vertices.iter().map(|it| distance(&it.position, plane, band)).collect();
        if distances.iter().all(|it| *it >= 0.0) {
            continue;
        }
        let mut clipped = Vec::with_capacity(vertices.len() + 1);
        for here in 0..vertices.len() {
            let next = (here + 1) % vertices.len();
            let (is_in, next_in) = (distances[here] >= 0.0, distances[next] >= 0.0);
            if is_in {
                clipped.push(vertices[here].clone());
            }
            if is_in != next_in {
                let (inside, outside) = if is_in { (here, next) } else { (next, here) };
                let t = distances[inside] / (distances[inside] - distances[outside]);
                clipped.push(between(&vertices[inside], &vertices[outside], t, perspective));
            }
        }
        vertices = clipped;
    }
    in_front(vertices)
}

/// Clips a segment; the order of its ends is kept.
pub(crate) fn segment(
    mut ends: [ClipVertex; 2],
    perspective: &[bool],
    band: f64,
) -> Option<[ClipVertex; 2]> {
    for plane in PLANES {
        let distances = [0, 1].map(|it: usize| distance(&ends[it].position, plane, band));
        match distances.map(|it| it >= 0.0) {
            [true, true] => {}
            [false, false] => return None,
            [first, _] => {
                let (inside, outside) = if first { (0, 1) } else { (1, 0) };
                let t = distances[inside] / (distances[inside] - distances[outside]);
                ends[outside] = between(&ends[inside], &ends[outside], t, perspective);
            }
        }
    }
    in_front(ends.to_vec())?.try_into().ok()
}

/// The vertex at t of the way from one to the other.
fn between(inside: &ClipVertex, outside: &ClipVertex, t: f64, perspective: &[bool]) -> ClipVertex {
    let position: [f64; 4] = std::array::from_fn(|i| {
        inside.position[i] + t * (outside.position[i] - inside.position[i])
    });
    // How far along the way that is on the screen.
    let on_screen = (t * outside.position[3]) / position[3];
    let ends = inside.numbers.iter().zip(&outside.numbers);
    let numbers = ends
        .zip(perspective)
        .map(|((a, b), perspective)| a + if *perspective { t } else { on_screen } * (b - a))
        .collect();
    ClipVertex { position, numbers }
}

/// Drops a primitive with a vertex at or behind the eye, which the planes leave only where they meet.
fn in_front(vertices: Vec<ClipVertex>) -> Option<Vec<ClipVertex>> {
    let all = vertices.iter().all(|it| it.position[3] > 0.0);
    (all && vertices.len() >= 2).then_some(vertices)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(x: f64, y: f64, w: f64, numbers: &[f64]) -> ClipVertex {
        ClipVertex { position: [x, y, 0.0, w], numbers: numbers.to_vec() }
    }

    #[test]
    fn a_triangle_through_a_corner_becomes_a_pentagon() {
        let triangle = vec![
            vertex(-1.0, -1.0, 1.0, &[]),
            vertex(3.0, -1.0, 1.0, &[]),
            vertex(-1.0, 3.0, 1.0, &[]),
        ];
        let clipped = polygon(triangle, &[], 1.5).unwrap();
        let corners: Vec<[f64; 2]> =
            clipped.iter().map(|it| [it.position[0], it.position[1]]).collect();
        assert_eq!(corners, [[-1.0, -1.0], [1.5, -1.0], [1.5, 0.5], [0.5, 1.5], [-1.0, 1.5]]);
    }

    #[test]
    fn numbers_stay_linear_in_space_or_on_the_screen() {
        // The second number is the place on the screen, x/w.
        let ends = [vertex(0.0, 0.0, 1.0, &[0.0, 0.0]), vertex(8.0, 0.0, 2.0, &[8.0, 4.0])];
        let [start, end] = segment(ends, &[true, false], 2.0).unwrap();
        assert_eq!(start.numbers, [0.0, 0.0]);
        assert_eq!(end.numbers[0], end.position[0]);
        assert_eq!(end.numbers[1], end.position[0] / end.position[3]);
        assert_eq!(end.position[0], 2.0 * end.position[3]);
    }

    #[test]
    fn what_lies_behind_the_eye_vanishes() {
        let behind = |w: f64| {
            vec![vertex(-1.0, 0.0, w, &[]), vertex(1.0, 0.0, w, &[]), vertex(0.0, 1.0, w, &[])]
        };
        assert!(polygon(behind(-1.0), &[], 64.0).is_none());
        assert!(polygon(behind(0.0), &[], 64.0).is_none());
        assert!(polygon(behind(f64::NAN), &[], 64.0).is_none());
        assert!(
            segment([vertex(0.0, 0.0, -1.0, &[]), vertex(0.0, 0.0, -2.0, &[])], &[], 4.0).is_none()
        );
    }

    #[test]
    fn a_vertex_behind_the_eye_is_replaced_by_visible_ones() {
        let triangle = vec![
            vertex(0.0, -1.0, 1.0, &[]),
            vertex(0.5, -1.0, 1.0, &[]),
            vertex(0.0, 4.0, -1.0, &[]),
        ];
        let clipped = polygon(triangle, &[], 128.0).unwrap();
        assert!(clipped.len() >= 3);
        for it in clipped {
            let [x, y, _, w] = it.position;
            assert!(
                w > 0.0 && x.abs() <= 128.0 * w * 1.000_001 && y.abs() <= 128.0 * w * 1.000_001
            );
        }
    }
}
