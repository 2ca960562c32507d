//! Closed meshes: every ray from inside leaves them exactly once, wherever it passes.

use std::collections::HashMap;

use wavelane_ops::Random;
use wavelane_ops::ray::{Bottom, BottomOptions, Geometry, GeometryData, Ray, Scene, Search};

use crate::scenes::{all, one};

pub(crate) struct Mesh {
    pub(crate) vertices: Vec<[f32; 3]>,
    pub(crate) indices: Vec<u32>,
}

impl Mesh {
    /// An octahedron, each of whose triangles is divided into four, `levels` times. Vertices are moved to the
    /// surface that `place` describes; shared ones stay shared.
    pub(crate) fn closed(levels: usize, mut place: impl FnMut([f32; 3]) -> [f32; 3]) -> Mesh {
        let mut vertices: Vec<[f32; 3]> = vec![
            [1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
        ];
        let mut faces: Vec<[u32; 3]> = vec![
            [0, 2, 4],
            [2, 1, 4],
            [1, 3, 4],
            [3, 0, 4],
            [2, 0, 5],
            [1, 2, 5],
            [3, 1, 5],
            [0, 3, 5],
        ];
        for _ in 0..levels {
            let mut middles = HashMap::new();
            let mut middle = |a: u32, b: u32, vertices: &mut Vec<[f32; 3]>| {
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    let [p, q] = [a, b].map(|it| vertices[it as usize]);
                    vertices.push([0, 1, 2].map(|it| (p[it] + q[it]) * 0.5));
                    vertices.len() as u32 - 1
                })
            };
            let mut smaller = Vec::new();
            for [a, b, c] in faces {
                let [ab, bc, ca] =
                    [(a, b), (b, c), (c, a)].map(|(p, q)| middle(p, q, &mut vertices));
                smaller.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
            }
            faces = smaller;
        }
        for vertex in &mut vertices {
            *vertex = place(*vertex);
        }
        Mesh { vertices, indices: faces.concat() }
    }

    pub(crate) fn scene(&self) -> Scene {
        let data = GeometryData::Triangles {
            vertices: &self.vertices,
            indices: Some(&self.indices),
            transform: None,
        };
        let geometry = Geometry { data, flags: 0 };
        one(Bottom::build(&[geometry], BottomOptions::default()).unwrap())
    }
}

fn sphere(p: [f32; 3]) -> [f32; 3] {
    let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
    p.map(|it| it / length)
}

/// Three star-shaped meshes of 2,048 triangles: flat faces, a sphere, and a rough surface with a centre elsewhere.
fn meshes() -> [(Mesh, [f32; 3]); 3] {
    let mut random = Random::new(3);
    [
        (Mesh::closed(4, |it| it), [0.0; 3]),
        (Mesh::closed(4, sphere), [0.0; 3]),
        (
            Mesh::closed(4, |it| {
                let scale = 0.75 + 0.25 * random.unit() as f32;
                let p = sphere(it).map(|it| it * scale);
                [p[0] * 7.0 + 3.1, p[1] * 0.3 - 2.7, p[2] * 2.0 + 0.3]
            }),
            [3.1, -2.7, 0.3],
        ),
    ]
}

#[test]
fn every_ray_from_inside_a_closed_mesh_leaves_it_once() {
    let mut random = Random::new(4);
    let mut rays = 0;
    for (mesh, centre) in meshes() {
        let scene = mesh.scene();
        let vertex = |at: u32| mesh.vertices[at as usize];
        let mut check = |towards: [f32; 3]| {
            let direction = [0, 1, 2].map(|it| towards[it] - centre[it]);
            let ray = Ray { origin: centre, t_min: 0.0, direction, t_max: f32::INFINITY };
            let hits = all(&scene, 0, ray, &Search::TREE);
            assert_eq!(hits.len(), 1, "{ray:?} hits {hits:?}");
            rays += 1;
        };
        mesh.vertices.iter().for_each(|it| check(*it));
        for corners in mesh.indices.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|it| vertex(corners[it]));
            check([0, 1, 2].map(|it| (a[it] + b[it]) * 0.5));
            let f = random.unit() as f32;
            check([0, 1, 2].map(|it| b[it] + (c[it] - b[it]) * f));
            check([0, 1, 2].map(|it| (a[it] + b[it] + c[it]) / 3.0));
        }
        for axis in 0..3 {
            for sign in [-1.0, 1.0] {
                let mut towards = centre;
                towards[axis] += sign;
                check(towards);
            }
        }
        for _ in 0..1000 {
            check([0, 1, 2].map(|it| centre[it] + random.unit() as f32 - 0.5));
        }
    }
    assert!(rays > 20_000);
}

/// Six sides of a lattice whose vertices lie exactly on the rays.
#[test]
fn a_plane_is_hit_once_at_each_of_its_vertices() {
    const SIDE: usize = 8;
    for axis in 0..3 {
        let point = |x: usize, y: usize| {
            let mut p = [0.0; 3];
            p[(axis + 1) % 3] = x as f32;
            p[(axis + 2) % 3] = y as f32;
            p
        };
        let mut vertices = Vec::new();
        for (x, y) in (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y))) {
            let [a, b, c, d] = [point(x, y), point(x + 1, y), point(x + 1, y + 1), point(x, y + 1)];
            // Diagonals alternate, and so do windings.
            vertices.extend(if (x + y) % 2 == 0 { [a, b, c, c, a, d] } else { [a, b, d, b, d, c] });
        }
        let scene = one(crate::scenes::triangles(&vertices, 0));
        for (x, y) in (1..2 * SIDE).flat_map(|x| (1..2 * SIDE).map(move |y| (x, y))) {
            for sign in [-1.0, 1.0] {
                let mut origin = [0.0; 3];
                origin[(axis + 1) % 3] = x as f32 * 0.5;
                origin[(axis + 2) % 3] = y as f32 * 0.5;
                origin[axis] = -sign;
                let mut direction = [0.0; 3];
                direction[axis] = sign;
                let ray = Ray { origin, t_min: 0.0, direction, t_max: 2.0 };
                let hits = all(&scene, 0, ray, &Search::TREE);
                assert_eq!(hits.len(), 1, "{ray:?} hits {hits:?}");
            }
        }
    }
}
