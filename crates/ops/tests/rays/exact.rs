//! A second evaluator in integers: the intersection of a ray with triangles and boxes as fractions of determinants,
//! and ties by literally moving the origin.
//!
//! Coordinates are small integers, and the greatest component of a direction is a power of two, so that the shear of
//! the first evaluator is exact and every answer can be compared bit for bit, on edges and vertices too. A second
//! test takes arbitrary coordinates, and compares where the exact volumes are larger than the error of the shear.

use std::cmp::Ordering;

use wavelane_ops::Random;
use wavelane_ops::ray::{IDENTITY, Instance, Ray, Scene, Search, Which, ray_flag};

use crate::scenes::{all, boxes, one, seen, triangles};

pub(crate) type Vector = [i128; 3];

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Vector, b: Vector) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The greatest axis of a direction (the first of equals), and the two axes across it, in the order that keeps the
/// winding.
fn axes(d: Vector) -> [usize; 3] {
    let mut z = 0;
    for axis in 1..3 {
        if d[axis].abs() > d[z].abs() {
            z = axis;
        }
    }
    let [x, y] = [(z + 1) % 3, (z + 2) % 3];
    if d[z] < 0 { [y, x, z] } else { [x, y, z] }
}

/// A hit: t and the barycentrics as numerators over one denominator.
pub(crate) struct Hit {
    pub(crate) t: i128,
    pub(crate) b1: i128,
    pub(crate) b2: i128,
    pub(crate) over: i128,
    pub(crate) front: bool,
}

/// One unit of the input is 2⁴⁰ here, so that ε is 2²⁰, and ε² is 1.
const SCALE: i128 = 1 << 40;
const EPSILON: i128 = 1 << 20;

/// The crossing of the line of a ray with a triangle, after the origin has moved by (ε, ε²) across the ray.
pub(crate) fn crossing(o: Vector, d: Vector, triangle: [Vector; 3]) -> Option<Hit> {
    let [x, y, _] = axes(d);
    // Volumes of the tetrahedra that the ray forms with each edge. Scaled coordinates would overflow a triple
    // product, so the three edges are taken in the plane across the ray, where the numbers are small.
    let z = axes(d)[2];
    let plane = triangle.map(|v| {
        let a = minus(v, o);
        // (a − d · a[z] / d[z]), times |d[z]|.
        let size = d[z].abs();
        let sign = d[z].signum();
        [x, y].map(|axis| (a[axis] * size - d[axis] * a[z] * sign) * SCALE)
    });
    let moved = plane.map(|[px, py]| [px - EPSILON, py - 1]);
    let area = |p: [i128; 2], q: [i128; 2]| p[0] * q[1] - p[1] * q[0];
    let sides = [(2, 1), (0, 2), (1, 0)].map(|(p, q)| area(moved[p], moved[q]).signum());
    if sides[0] == 0 || sides[0] != sides[1] || sides[0] != sides[2] {
        return None;
    }
    // The hit itself by Cramer's rule, from the origin as it was given.
    let [a, b, c] = triangle;
    let (e1, e2, s) = (minus(b, a), minus(c, a), minus(o, a));
    let normal = cross(e1, e2);
    let over = -dot(d, normal);
    let (t, b1, b2) = (dot(s, normal), dot(cross(d, e2), s), dot(cross(e1, d), s));
    let sign = over.signum();
    Some(Hit { t: t * sign, b1: b1 * sign, b2: b2 * sign, over: over.abs(), front: over > 0 })
}

fn compare(a: (i128, i128), b: (i128, i128)) -> Ordering {
    (a.0 * b.1).cmp(&(b.0 * a.1))
}

pub(crate) fn ratio(numerator: i128, denominator: i128) -> u32 {
    let rounded = (numerator as f64 / denominator as f64) as f32 + 0.0;
    rounded.to_bits()
}

pub(crate) fn vector(random: &mut Random, size: usize) -> Vector {
    [(); 3].map(|()| random.below(2 * size + 1) as i128 - size as i128)
}

pub(crate) fn floats(v: Vector) -> [f32; 3] {
    v.map(|it| it as f32)
}

/// A direction whose greatest component is a power of two.
pub(crate) fn direction(random: &mut Random) -> Vector {
    let size = 1usize << random.below(4);
    let mut d = vector(random, size);
    let axis = random.below(3);
    d[axis] = if random.one_in(2) { size as i128 } else { -(size as i128) };
    d
}

#[test]
fn every_hit_of_a_triangle_is_the_exact_one() {
    let mut random = Random::new(17);
    let (mut hits, mut ties) = (0, 0);
    for _ in 0..4000 {
        let size = *random.pick(&[2, 3, 6, 100]);
        let mesh: Vec<[Vector; 3]> =
            (0..12).map(|_| [(); 3].map(|()| vector(&mut random, size))).collect();
        let vertices: Vec<[f32; 3]> = mesh.iter().flatten().map(|it| floats(*it)).collect();
        let scene = one(triangles(&vertices, 0));
        for _ in 0..25 {
            let (o, d) = (vector(&mut random, size), direction(&mut random));
            let t_min = random.below(2) as i128;
            let mut expected: Vec<(usize, Hit)> = mesh
                .iter()
                .enumerate()
                .filter_map(|(at, triangle)| Some((at, crossing(o, d, *triangle)?)))
                .filter(|(_, hit)| hit.t > t_min * hit.over && hit.t < 64 * hit.over)
                .collect();
            expected.sort_by(|(a, p), (b, q)| compare((p.t, p.over), (q.t, q.over)).then(a.cmp(b)));
            let ray =
                Ray { origin: floats(o), t_min: t_min as f32, direction: floats(d), t_max: 64.0 };
            let given = all(&scene, 0, ray, &Search::BRUTE);
            let describe = || format!("{ray:?}\n{mesh:?}\n{given:?}");
            assert_eq!(given.len(), expected.len(), "{}", describe());
            for (seen, (at, hit)) in given.iter().zip(&expected) {
                assert_eq!(seen.primitive as usize, *at, "{}", describe());
                assert_eq!(seen.t, ratio(hit.t, hit.over), "{}", describe());
                let expected = [ratio(hit.b1, hit.over), ratio(hit.b2, hit.over)];
                assert_eq!(seen.barycentrics, expected, "{}", describe());
                assert_eq!(seen.front, u32::from(hit.front), "{}", describe());
                ties += usize::from(hit.b1 == 0 || hit.b2 == 0 || hit.b1 + hit.b2 == hit.over);
            }
            hits += given.len();
        }
    }
    // The test is worth something only if it meets edges and vertices.
    assert!(hits > 30_000 && ties > 3_000, "{hits} hits, {ties} of them on edges");
}

#[test]
fn hits_away_from_edges_are_the_exact_ones_for_any_coordinates() {
    let mut random = Random::new(18);
    let mut decided = 0;
    for _ in 0..2000 {
        let mesh: Vec<[Vector; 3]> =
            (0..8).map(|_| [(); 3].map(|()| vector(&mut random, 1 << 20))).collect();
        let vertices: Vec<[f32; 3]> = mesh.iter().flatten().map(|it| floats(*it)).collect();
        let scene = one(triangles(&vertices, 0));
        for _ in 0..50 {
            let (o, d) = (vector(&mut random, 1 << 20), vector(&mut random, 1 << 20));
            let ray = Ray { origin: floats(o), t_min: 0.0, direction: floats(d), t_max: 1e30 };
            let given = all(&scene, 0, ray, &Search::BRUTE);
            let size = d.iter().map(|it| it.abs()).max().unwrap_or(0);
            for (at, triangle) in mesh.iter().enumerate() {
                let [a, b, c] = triangle.map(|v| minus(v, o));
                let edges = [(c, b), (a, c), (b, a)].map(|(p, q)| dot(d, cross(p, q)));
                let reach = [a, b, c].iter().flatten().map(|it| it.abs()).max().unwrap_or(0);
                // The error of a sheared coordinate is at most 8 · 2⁻²⁴ · reach.
                let margin = (reach * reach * size) >> 17;
                if edges.iter().any(|it| it.abs() <= margin) {
                    continue;
                }
                let inside = edges.iter().all(|it| *it > 0) || edges.iter().all(|it| *it < 0);
                let normal = cross(minus(b, a), minus(c, a));
                let (t, over) = (dot(a, normal), dot(d, normal));
                let ahead = t.signum() * over.signum();
                // Whether the plane lies ahead of the origin is not a question of edges.
                if t.abs() <= (reach * reach * reach) >> 17 {
                    continue;
                }
                decided += 1;
                let hit = given.iter().find(|it| it.primitive as usize == at);
                assert_eq!(hit.is_some(), inside && ahead > 0, "{ray:?} {triangle:?}");
                let Some(hit) = hit else { continue };
                let exact = t as f64 / over as f64;
                let error = (f64::from(f32::from_bits(hit.t)) - exact).abs();
                // t · |d| is off by the error of the shear over the sine of the angle between ray and plane.
                let sine = over.abs() as f64
                    / (dot(d, d) as f64).sqrt()
                    / (dot(normal, normal) as f64).sqrt();
                let bound = reach as f64 / size as f64 / (1 << 19) as f64 / sine;
                assert!(error <= bound, "{error} of {bound}: {ray:?} {triangle:?}");
            }
        }
    }
    assert!(decided > 400_000, "{decided}");
}

#[test]
fn every_hit_of_a_box_is_the_exact_one() {
    let mut random = Random::new(19);
    let (mut hits, mut touches) = (0, 0);
    for _ in 0..4000 {
        let size = *random.pick(&[2, 4, 50]);
        let list: Vec<[Vector; 2]> = (0..8)
            .map(|_| {
                let (a, b) = (vector(&mut random, size), vector(&mut random, size));
                [[0, 1, 2].map(|it| a[it].min(b[it])), [0, 1, 2].map(|it| a[it].max(b[it]))]
            })
            .collect();
        let corners: Vec<[f32; 6]> = list
            .iter()
            .map(|[low, high]| [floats(*low), floats(*high)].as_flattened().try_into().unwrap())
            .collect();
        let scene = one(boxes(&corners, 0));
        for _ in 0..25 {
            let (o, mut d) = (vector(&mut random, size), vector(&mut random, 5));
            if d == [0; 3] {
                d = [1, 0, 0];
            }
            let (t_min, t_max) = (random.below(3) as i128, 3 + random.below(4) as i128);
            let mut expected: Vec<(usize, (i128, i128))> = Vec::new();
            for (at, [low, high]) in list.iter().enumerate() {
                let (mut near, mut far) = ((t_min, 1), (t_max, 1));
                let mut beside = false;
                for axis in 0..3 {
                    if d[axis] == 0 {
                        beside |= o[axis] < low[axis] || o[axis] > high[axis];
                        continue;
                    }
                    let sign = d[axis].signum();
                    let over = d[axis].abs();
                    let mut ends = [(low[axis] - o[axis]) * sign, (high[axis] - o[axis]) * sign];
                    ends.sort_unstable();
                    if compare((ends[0], over), near).is_gt() {
                        near = (ends[0], over);
                    }
                    if compare((ends[1], over), far).is_lt() {
                        far = (ends[1], over);
                    }
                }
                if !beside && compare(near, far).is_le() {
                    touches += usize::from(compare(near, far).is_eq());
                    expected.push((at, near));
                }
            }
            let ray = Ray {
                origin: floats(o),
                t_min: t_min as f32,
                direction: floats(d),
                t_max: t_max as f32,
            };
            let mut given: Vec<usize> = Vec::new();
            let candidates = all(&scene, 0, ray, &Search::BRUTE);
            for (earlier, later) in candidates.iter().zip(candidates.iter().skip(1)) {
                let [p, q] = [earlier, later].map(|it| {
                    expected.iter().find(|(at, _)| *at == it.primitive as usize).map(|it| it.1)
                });
                if let (Some(p), Some(q)) = (p, q) {
                    assert!(compare(p, q).is_le(), "{ray:?} {corners:?}");
                }
            }
            given.extend(candidates.iter().map(|it| it.primitive as usize));
            given.sort_unstable();
            let expected: Vec<usize> = expected.iter().map(|it| it.0).collect();
            assert_eq!(given, expected, "{ray:?} {corners:?}");
            hits += given.len();
        }
    }
    assert!(hits > 50_000 && touches > 5_000, "{hits} hits, {touches} of them at one point");
}

/// Invertible matrices of small integers: their inverses are fractions of cofactors.
#[test]
fn inverses_of_integer_matrices_are_the_exact_ones() {
    let mut random = Random::new(20);
    let bottom = triangles(&[[0.0, 1.0, 1.0], [1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]], 1);
    let mut inverted = 0;
    for _ in 0..2000 {
        let rows = [(); 3].map(|()| vector(&mut random, 9));
        let determinant = dot(rows[0], cross(rows[1], rows[2]));
        let mut transform = IDENTITY;
        for row in 0..3 {
            transform[row * 4..row * 4 + 3].copy_from_slice(&floats(rows[row]));
        }
        let instance = Instance { transform, bottom: Some(bottom.clone()), ..Instance::default() };
        let scene = Scene::build(&[instance]).unwrap();
        assert_eq!(scene.world_to_object(0).is_some(), determinant != 0);
        assert_eq!(scene.problems().is_empty(), determinant != 0);
        let Some(inverse) = scene.world_to_object(0) else { continue };
        let columns = [cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])];
        for row in 0..3 {
            for column in 0..3 {
                let expected = ratio(columns[column][row], determinant);
                assert_eq!(inverse[row * 4 + column].to_bits(), expected, "{rows:?}");
            }
            assert_eq!(inverse[row * 4 + 3].to_bits(), 0);
        }
        inverted += 1;
    }
    assert!(inverted > 1500);
}

#[test]
fn translations_powers_of_two_and_swapped_axes_are_inverted_exactly() {
    let mut random = Random::new(21);
    let bottom = triangles(&[[0.0, 1.0, 1.0], [1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]], 1);
    for _ in 0..200 {
        let mut transform = [0.0; 12];
        let shift = random.below(3);
        let scales = [(); 3].map(|()| (1u32 << random.below(8)) as f32 / 16.0);
        for row in 0..3 {
            transform[row * 4 + (row + shift) % 3] = scales[row];
            transform[row * 4 + 3] = random.below(1000) as f32 - 500.0;
        }
        let instance = Instance { transform, bottom: Some(bottom.clone()), ..Instance::default() };
        let scene = Scene::build(&[instance]).unwrap();
        let inverse = scene.world_to_object(0).expect("a determinant that is not 0");
        for row in 0..3 {
            let column = (row + shift) % 3;
            assert_eq!(inverse[column * 4 + row], 1.0 / scales[row]);
            assert_eq!(inverse[column * 4 + 3], -transform[row * 4 + 3] / scales[row]);
        }
        // A ray that is moved with the instance hits at the same t.
        let image = |p: [f32; 3], w: f32| {
            [0, 1, 2].map(|row| {
                let m = &transform[row * 4..row * 4 + 4];
                m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3] * w
            })
        };
        let ray = Ray {
            origin: image([0.25, 0.0, 0.0], 1.0),
            t_min: 0.0,
            direction: image([0.0, 0.0, 0.5], 0.0),
            t_max: 9.0,
        };
        let mut query = wavelane_ops::ray::Query::default();
        query.trace(ray_flag::NONE, 0xff, ray);
        assert!(!query.proceed(Some(&scene), &Search::BRUTE));
        assert_eq!(seen(&query, &scene, Which::Committed).t, 2.0f32.to_bits());
    }
}
