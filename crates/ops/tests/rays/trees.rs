//! A search by trees finds what the loop over all primitives finds: every field of every candidate, on generated scenes
//! and on rays that are hard for trees.

use std::sync::Arc;

use wavelane_ops::Random;
use wavelane_ops::ray::{
    Admissible, Bottom, BottomOptions, BoxSize, Edges, Field, Geometry, GeometryData, IDENTITY,
    Instance, Method, Order, Query, Ray, Scene, Search, State, Ties, Transform, Which,
};

use crate::closed::Mesh;
use crate::scenes::{Seen, one, seen};

/// What a shader sees of a query whose candidates it judges by their indices, and the query at its end.
fn play(scene: &Scene, flags: u32, mask: u32, ray: Ray, search: &Search) -> (Vec<Seen>, Query) {
    let mut query = Query::default();
    query.trace(flags, mask, ray);
    let mut all = Vec::new();
    while query.proceed(Some(scene), search) {
        let candidate = seen(&query, scene, Which::Candidate);
        let judged = candidate.primitive.wrapping_mul(0x9e37_79b9) >> 28;
        match query.state() {
            State::CandidateTriangle if judged < 3 => {
                query.commit_triangle();
            }
            State::CandidateProcedural if judged < 8 => {
                let end = query.get(Some(scene), Which::Committed, Field::T, 0).bits;
                let (near, far) = (ray.t_min, f32::from_bits(end).min(1e30));
                query.commit_procedural(near + (far - near) * judged as f32 / 7.0);
            }
            _ => {}
        }
        if judged == 15 && candidate.primitive % 64 == 5 {
            query.abort();
        }
        all.push(candidate);
        assert!(all.len() < 10_000, "a query that does not end");
    }
    all.push(seen(&query, scene, Which::Committed));
    (all, query)
}

fn signed(random: &mut Random) -> f32 {
    (random.unit() * 2.0 - 1.0) as f32
}

/// A point with coordinates that are random, small integers, or exactly 0.
fn point(random: &mut Random, scale: f32) -> [f32; 3] {
    let kind = random.below(4);
    [(); 3].map(|()| match kind {
        0 => (random.below(9) as f32 - 4.0) * scale * 0.25,
        1 if random.one_in(3) => 0.0,
        _ => signed(random) * scale,
    })
}

fn triangles(random: &mut Random, count: usize, scale: f32) -> Vec<[f32; 3]> {
    let size = *random.pick(&[0.02, 0.2, 1.0, 1.0]) * scale;
    (0..count)
        .flat_map(|_| {
            let at = point(random, scale);
            let [mut a, mut b, mut c] =
                [(); 3].map(|()| [0, 1, 2].map(|axis| at[axis] + signed(random) * size));
            match random.below(12) {
                // Degenerate, a sliver, flat on an axis, inactive, infinite.
                0 => c = b,
                1 => c = [0, 1, 2].map(|axis| b[axis] + (b[axis] - a[axis]) * 1e-5),
                2 => [a, b, c].iter_mut().for_each(|it| it[0] = at[0]),
                3 => (a[1], b[1], c[1]) = (at[1], at[1], at[1]),
                4 if random.one_in(6) => a[0] = f32::NAN,
                5 if random.one_in(6) => b[2] = f32::INFINITY,
                _ => {}
            }
            [a, b, c]
        })
        .collect()
}

fn boxes(random: &mut Random, count: usize, scale: f32) -> Vec<[f32; 6]> {
    let size = *random.pick(&[0.05, 0.3, 1.0]) * scale;
    (0..count)
        .map(|_| {
            let low = point(random, scale);
            let mut high = low.map(|it| it + random.unit() as f32 * size);
            if random.one_in(8) {
                high = low;
            }
            let mut all = [low[0], low[1], low[2], high[0], high[1], high[2]];
            match random.below(30) {
                0 => all[0] = f32::NAN,
                1 => all[3] = f32::INFINITY,
                2 => all.swap(1, 4),
                _ => {}
            }
            all
        })
        .collect()
}

fn bottom(random: &mut Random, scale: f32) -> Arc<Bottom> {
    let options = BottomOptions::default();
    let count = *random.pick(&[1, 3, 8, 9, 20]);
    if random.one_in(4) {
        let lists = [(); 2].map(|()| boxes(random, count, scale));
        let geometries = lists
            .each_ref()
            .map(|it| Geometry { data: GeometryData::Boxes(it), flags: random.below(4) as u32 });
        return Bottom::build(&geometries, options).unwrap();
    }
    let lists = [(); 3].map(|()| triangles(random, count, scale));
    let geometries = lists.each_ref().map(|vertices| {
        let data = GeometryData::Triangles { vertices, indices: None, transform: None };
        Geometry { data, flags: random.below(4) as u32 }
    });
    Bottom::build(&geometries, options).unwrap()
}

/// A rotation, a scale, a shear or none of them, and a translation.
fn transform(random: &mut Random, scale: f32) -> Transform {
    let mut m = IDENTITY;
    let stretch = *random.pick(&[1.0, 1.0, 4.0, 100.0, 3000.0]);
    match random.below(6) {
        0 => {}
        1 => m.iter_mut().for_each(|it| *it = signed(random)),
        2 => (0..3).for_each(|it| m[it * 5] = (1.0 + signed(random) * 0.9) * stretch),
        3 => (0..3).for_each(|it| m[it * 5] = if random.one_in(2) { -1.0 } else { stretch }),
        4 => m[1] = signed(random) * stretch,
        _ => {
            // A reflection about a plane across a random direction, which is as good as a rotation.
            let n = point(random, 1.0);
            let square: f32 = n.iter().map(|it| it * it).sum::<f32>().max(1e-6);
            for row in 0..3 {
                for column in 0..3 {
                    m[row * 4 + column] -= 2.0 * n[row] * n[column] / square;
                }
            }
        }
    }
    for row in 0..3 {
        m[row * 4 + 3] = if random.one_in(3) { 0.0 } else { signed(random) * 3.0 * scale };
    }
    if random.one_in(20) {
        m[0..4].fill(0.0);
    }
    m
}

pub(crate) fn scene(random: &mut Random, scale: f32) -> Scene {
    let bottoms = [(); 3].map(|()| bottom(random, scale));
    let count = *random.pick(&[1, 1, 1, 2, 3, 8]);
    let instances: Vec<Instance> = (0..count)
        .map(|_| Instance {
            transform: transform(random, scale),
            id: random.below(1 << 20) as u32,
            mask: *random.pick(&[0xff, 0xff, 1, 2, 0]),
            contribution: 3,
            flags: if random.one_in(2) { 0 } else { random.below(16) as u8 },
            bottom: (!random.one_in(12)).then(|| random.pick(&bottoms).clone()),
        })
        .collect();
    Scene::build(&instances).unwrap()
}

/// A point of the scene in the world: a vertex, a point of an edge or of a face.
fn target(random: &mut Random, scene: &Scene) -> Option<[f32; 3]> {
    let instance = scene.instance(random.below(scene.instance_count()) as u32)?;
    let bottom = instance.bottom.as_ref()?;
    let [a, b, c] = bottom.triangle(random.below(3) as u32, random.below(20) as u32)?;
    let (u, v) = *random.pick(&[(0.0, 0.0), (0.5, 0.0), (0.3, 0.0), (0.5, 0.5), (0.25, 0.25)]);
    let p = [0, 1, 2].map(|it| a[it] + (b[it] - a[it]) * u + (c[it] - a[it]) * v);
    let m = &instance.transform;
    let world = [0, 1, 2].map(|row| {
        m[row * 4] * p[0] + m[row * 4 + 1] * p[1] + m[row * 4 + 2] * p[2] + m[row * 4 + 3]
    });
    world.iter().all(|it| it.is_finite()).then_some(world)
}

pub(crate) fn ray(random: &mut Random, scene: &Scene, scale: f32) -> Ray {
    let far = *random.pick(&[1.0, 1.0, 3.0, 1000.0]);
    let mut origin = point(random, scale * far);
    let mut direction = point(random, 1.0);
    match random.below(4) {
        0 | 1 => {
            if let Some(at) = target(random, scene) {
                if random.one_in(8) {
                    origin = at;
                } else {
                    direction = [0, 1, 2].map(|it| at[it] - origin[it]);
                }
            }
        }
        2 => {
            // Along an axis, at the height of a target.
            let axis = random.below(3);
            if let Some(at) = target(random, scene) {
                origin = at;
                origin[axis] = signed(random) * scale * 3.0;
            }
            direction = [0.0; 3];
            direction[axis] = if random.one_in(2) { 1.0 } else { -1.0 };
        }
        _ => {}
    }
    match random.below(16) {
        0 => direction[random.below(3)] = 1e-42,
        1 => direction[random.below(3)] = -0.0,
        2 => direction = direction.map(|it| it * 1e-25),
        3 => direction = direction.map(|it| it * 1e25),
        4 if random.one_in(4) => direction[random.below(3)] = f32::INFINITY,
        5 if random.one_in(4) => origin[random.below(3)] = 1e30,
        _ => {}
    }
    let t_min = match random.below(8) {
        0 => 0.5,
        1 => 1.0,
        2 if random.one_in(4) => -1.0,
        _ => 0.0,
    };
    let t_max = *random.pick(&[f32::INFINITY, f32::MAX, 1e30, 1.0, 2.0, 1000.0]);
    Ray { origin, t_min, direction, t_max }
}

/// Compares both searches on a ray, and returns the number of candidates and hits.
fn compare(scene: &Scene, flags: u32, mask: u32, ray: Ray, admissible: Admissible) -> usize {
    let run = |method| play(scene, flags, mask, ray, &Search { method, admissible });
    let ((brute, end), (tree, other)) = (run(Method::Brute), run(Method::Tree));
    assert_eq!(brute, tree, "{ray:?} {flags:x} {mask:x} {admissible:?}");
    assert_eq!(format!("{end:?}"), format!("{other:?}"), "{ray:?} {flags:x} {mask:x}");
    brute.len() - 1 + end.status() as usize
}

#[test]
fn trees_find_what_the_loop_finds() {
    let mut random = Random::new(41);
    let (mut rays, mut found) = (0, 0);
    for round in 0..1400 {
        let scale = *random.pick(&[1.0, 1.0, 1.0, 1000.0, 1e-3, 1e-12, 1e12, 1e-30, 1e25]);
        let scene = scene(&mut random, scale);
        for _ in 0..75 {
            let ray = ray(&mut random, &scene, scale);
            let flags = if random.one_in(2) { 0 } else { random.below(0x400) as u32 };
            let mask = *random.pick(&[0xff, 0xff, 1]);
            let mut admissible = Admissible::CANONICAL;
            if round % 4 == 0 {
                admissible.order = *random.pick(&[
                    Order::Nearest,
                    Order::Farthest,
                    Order::Index,
                    Order::Random(7),
                ]);
                admissible.ties = *random.pick(&[Ties::Least, Ties::Greatest]);
                admissible.edges = *random.pick(&[Edges::Canonical, Edges::Mirrored]);
                admissible.boxes =
                    *random.pick(&[BoxSize::Given, BoxSize::Enlarged(10), BoxSize::All]);
                admissible.duplicates = random.one_in(2);
            }
            found += compare(&scene, flags, mask, ray, admissible);
            rays += 1;
        }
    }
    assert!(rays >= 100_000 && found > rays / 2, "{found} of {rays}");
}

/// Trees whose primitives are moved into cells first: also those that are all at one place, and those of which nearly
/// all are.
#[test]
fn large_trees_find_what_the_loop_finds() {
    let mut random = Random::new(44);
    let mut found = 0;
    for apart in [40_000, 40, 0] {
        let mut vertices = triangles(&mut random, apart, 1.0);
        vertices.extend(triangles(&mut random, 1, 1.0).repeat(40_000 - apart));
        let scene = one(crate::scenes::triangles(&vertices, 1));
        for _ in 0..60 {
            let ray = ray(&mut random, &scene, 1.0);
            found += compare(&scene, 0, 0xff, ray, Admissible::CANONICAL);
        }
    }
    assert!(found > 30, "{found}");
}

/// Rays that touch the edges and vertices of a mesh whose boxes they graze.
#[test]
fn grazing_rays_are_not_lost() {
    let mut random = Random::new(42);
    let mut found = 0;
    for shift in [0.0, 10.0, 4096.0] {
        let mesh = Mesh::closed(4, |p| {
            let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
            p.map(|it| it / length * 3.7 + shift)
        });
        let scene = mesh.scene();
        for _ in 0..1500 {
            let [a, b] = [(); 2].map(|()| *random.pick(&mesh.vertices));
            let distance = *random.pick(&[0.5, 2.0, 1000.0]);
            let direction = [0, 1, 2].map(|it| b[it] - a[it]);
            let origin = [0, 1, 2].map(|it| a[it] - direction[it] * distance);
            let ray = Ray { origin, t_min: 0.0, direction, t_max: f32::INFINITY };
            found += compare(&scene, 0, 0xff, ray, Admissible::CANONICAL);
        }
    }
    assert!(found > 3000, "{found}");
}

/// Many primitives at one place: a tree cannot split them.
#[test]
fn equal_primitives_are_all_found_in_order() {
    let corners = [[0.0, 1.0, 1.0], [1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]];
    let scene = one(crate::scenes::triangles(&corners.repeat(1000), 0));
    let ray = Ray { origin: [0.0; 3], t_min: 0.0, direction: [0.0, 0.0, 1.0], t_max: 2.0 };
    let all = crate::scenes::all(&scene, 0, ray, &Search::TREE);
    let order: Vec<u32> = all.iter().map(|it| it.primitive).collect();
    assert_eq!(order, (0..1000).collect::<Vec<u32>>());
}

/// A search that may stop at any hit gives the same status where the query ends at its first hit.
#[test]
fn any_hit_gives_the_same_status() {
    use wavelane_ops::ray::ray_flag::{ACCEPT_FIRST_HIT_AND_END_SEARCH, FORCE_OPAQUE};
    let mut random = Random::new(43);
    let mut hits = 0;
    for _ in 0..200 {
        let scene = scene(&mut random, 1.0);
        for _ in 0..50 {
            let ray = ray(&mut random, &scene, 1.0);
            let flags =
                ACCEPT_FIRST_HIT_AND_END_SEARCH | if random.one_in(4) { 0 } else { FORCE_OPAQUE };
            let status = |search| {
                let mut query = Query::default();
                query.trace(flags, 0xff, ray);
                (query.proceed(Some(&scene), &search), query.status())
            };
            let expected = status(Search::BRUTE);
            assert_eq!(expected, status(Search::ANY), "{ray:?}");
            hits += usize::from(expected.1 != wavelane_ops::ray::Status::Nothing);
        }
    }
    assert!(hits > 1000, "{hits}");
}
