//! Generated scenes, searched in three ways: by the loop, by trees, and by the evaluator in integers (`exact.rs`).
//!
//! A few thousand scenes by default. `WAVELANE_RAY_SCENES=100000` runs more, and `WAVELANE_RAY_SEED` selects others.

use std::sync::Arc;

use wavelane_ops::Random;
use wavelane_ops::ray::{
    Bottom, BottomOptions, Geometry, GeometryData, IDENTITY, Instance, Ray, Scene, Search,
    geometry_flag,
};

use crate::exact::{Vector, crossing, direction, floats, ratio, vector};
use crate::scenes::{Seen, all};

/// The triangles of the geometries of a bottom level.
type Level = Vec<Vec<[Vector; 3]>>;

#[expect(clippy::disallowed_methods, reason = "the environment says how much is tried")]
fn asked(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(default, |it| it.parse().unwrap_or_else(|_| panic!("`{name}` is not a number")))
}

fn level(random: &mut Random, size: usize) -> Level {
    let triangle = |random: &mut Random| {
        let at = vector(random, size);
        // Near each other, so that boxes are small and trees have something to leave out.
        let reach = *random.pick(&[1, 2, size]);
        [(); 3].map(|()| {
            let by = vector(random, reach);
            [at[0] + by[0], at[1] + by[1], at[2] + by[2]]
        })
    };
    let parts = 1 + random.below(3);
    (0..parts).map(|_| (0..4 + random.below(24)).map(|_| triangle(random)).collect()).collect()
}

fn built(level: &Level) -> Arc<Bottom> {
    let corners = |it: &Vec<[Vector; 3]>| -> Vec<[f32; 3]> {
        it.iter().flatten().map(|it| floats(*it)).collect()
    };
    let vertices: Vec<Vec<[f32; 3]>> = level.iter().map(corners).collect();
    let geometries: Vec<Geometry<'_>> = vertices
        .iter()
        .map(|it| Geometry {
            data: GeometryData::Triangles { vertices: it, indices: None, transform: None },
            flags: geometry_flag::OPAQUE,
        })
        .collect();
    Bottom::build(&geometries, BottomOptions::default()).unwrap()
}

#[test]
fn generated_scenes_are_hit_where_exact_arithmetic_says() {
    let scenes = asked("WAVELANE_RAY_SCENES", 2_000);
    let mut random = Random::new(asked("WAVELANE_RAY_SEED", 97));
    let (mut rays, mut hits) = (0u64, 0u64);
    for _ in 0..scenes {
        let size = *random.pick(&[3, 6, 20]);
        let levels: Vec<Level> =
            (0..1 + random.below(2)).map(|_| level(&mut random, size)).collect();
        let bottoms: Vec<Arc<Bottom>> = levels.iter().map(built).collect();
        let placed: Vec<(usize, Vector)> = (0..1 + random.below(5))
            .map(|_| (random.below(levels.len()), vector(&mut random, size)))
            .collect();
        let instances: Vec<Instance> = placed
            .iter()
            .map(|(level, by)| {
                let mut transform = IDENTITY;
                for (row, by) in floats(*by).into_iter().enumerate() {
                    transform[row * 4 + 3] = by;
                }
                let bottom = Some(bottoms[*level].clone());
                Instance { transform, bottom, ..Instance::default() }
            })
            .collect();
        let scene = Scene::build(&instances).unwrap();
        for _ in 0..8 {
            let (o, d) = (vector(&mut random, 2 * size), direction(&mut random));
            let ray = Ray { origin: floats(o), t_min: 0.0, direction: floats(d), t_max: 256.0 };
            let mut expected: Vec<Seen> = Vec::new();
            for (instance, (level, by)) in placed.iter().enumerate() {
                let o = [o[0] - by[0], o[1] - by[1], o[2] - by[2]];
                for (geometry, triangles) in levels[*level].iter().enumerate() {
                    for (primitive, triangle) in triangles.iter().enumerate() {
                        let Some(hit) = crossing(o, d, *triangle) else { continue };
                        if hit.t <= 0 || hit.t >= 256 * hit.over {
                            continue;
                        }
                        expected.push(Seen {
                            instance: instance as u32,
                            geometry: geometry as u32,
                            primitive: primitive as u32,
                            procedural: false,
                            t: ratio(hit.t, hit.over),
                            barycentrics: [ratio(hit.b1, hit.over), ratio(hit.b2, hit.over)],
                            front: u32::from(hit.front),
                        });
                    }
                }
            }
            // Positive floats are in the order of their bits.
            expected.sort_by_key(|it| (it.t, it.instance, it.geometry, it.primitive));
            let [brute, tree] = [Search::BRUTE, Search::TREE].map(|it| all(&scene, 0, ray, &it));
            assert_eq!(brute, expected, "the loop, {ray:?} {placed:?}");
            assert_eq!(tree, expected, "trees, {ray:?} {placed:?}");
            rays += 1;
            hits += expected.len() as u64;
        }
    }
    assert!(hits > rays / 4, "{hits} hits of {rays} rays");
}

/// Host words of packed scenes are read by shaders; `suite` runs those. Here: every primitive that can be hit is in the
/// bytes once for each bottom level, however many instances share it, and nothing else is.
#[test]
fn packed_scenes_hold_each_bottom_level_once() {
    use wavelane_ops::ray::packed::{header, instance, node, primitive};
    let mut random = Random::new(5);
    let level = level(&mut random, 6);
    let bottom = built(&level);
    let shared = Instance { bottom: Some(bottom.clone()), ..Instance::default() };
    let flat = Instance { transform: [0.0; 12], ..shared.clone() };
    let words = |instances: &[Instance]| -> Vec<u32> {
        let bytes = Scene::build(instances).unwrap().packed().unwrap();
        bytes.as_chunks::<4>().0.iter().map(|it| u32::from_le_bytes(*it)).collect()
    };
    let one = words(std::slice::from_ref(&shared));
    let nodes = one[header::NODES as usize] as usize - (header::WORDS + instance::WORDS) as usize;
    let primitives = bottom.primitive_count() * primitive::WORDS as usize;
    assert!(nodes > primitives && (nodes - primitives).is_multiple_of(node::WORDS as usize));
    let three = words(&[shared.clone(), flat, shared]);
    let tree = |words: &[u32]| words.len() - words[header::NODES as usize] as usize;
    assert_eq!(
        three.len() - tree(&three),
        one.len() - tree(&one) + 2 * instance::WORDS as usize,
        "two instances more"
    );
    let masks = |at: u32| three[(header::WORDS + at * instance::WORDS + instance::MASK) as usize];
    assert_eq!([masks(0), masks(1), masks(2)], [0xff, 0, 0xff], "a singular one is never hit");
    assert_eq!(words(&[])[header::INSTANCES as usize], 0);
}
