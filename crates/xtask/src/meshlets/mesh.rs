//! Spheres, divided into meshlets.

use std::f64::consts::{PI, TAU};

/// The most vertices and triangles of a meshlet in the samples.
const MOST: (usize, usize) = (64, 126);

/// A point or a direction.
pub(super) type Vector = [f64; 3];

/// A sphere around the origin with radius 1. Its points are its normals.
pub(super) struct Mesh {
    pub(super) points: Vec<Vector>,
    pub(super) meshlets: Vec<Meshlet>,
}

/// Triangles that share vertices.
#[derive(Default)]
pub(super) struct Meshlet {
    /// The points of its vertices.
    pub(super) vertices: Vec<usize>,
    /// The vertices of its triangles.
    pub(super) triangles: Vec<[usize; 3]>,
}

impl Mesh {
    /// `most` bounds the vertices and triangles of a meshlet, besides what the samples allow.
    pub(super) fn sphere(rings: usize, sectors: usize, most: (usize, usize)) -> Mesh {
        let point = |ring: usize, sector: usize| {
            let down = PI * ring as f64 / rings as f64;
            let around = TAU * sector as f64 / sectors as f64;
            [down.sin() * around.cos(), down.cos(), down.sin() * around.sin()]
        };
        let places = (0..=rings).flat_map(|ring| (0..sectors).map(move |sector| (ring, sector)));
        let points = places.map(|(ring, sector)| point(ring, sector)).collect();
        let most = (most.0.min(MOST.0), most.1.min(MOST.1));
        let mut meshlets: Vec<Meshlet> = Vec::new();
        for ring in 0..rings {
            for sector in 0..sectors {
                let [a, b] = [sector, (sector + 1) % sectors].map(|it| ring * sectors + it);
                let [below_a, below_b] = [a, b].map(|it| it + sectors);
                let upper = (ring > 0).then_some([a, b, below_a]);
                let lower = (ring + 1 < rings).then_some([b, below_b, below_a]);
                for triangle in upper.into_iter().chain(lower) {
                    if !meshlets.last().is_some_and(|it| it.has_room(triangle, most)) {
                        meshlets.push(Meshlet::default());
                    }
                    if let Some(last) = meshlets.last_mut() {
                        last.add(triangle);
                    }
                }
            }
        }
        Mesh { points, meshlets }
    }

    /// Moves the triangles with the least z, which face the viewer, into a last meshlet.
    pub(super) fn split_front(&mut self, count: usize) {
        let whole = std::mem::take(&mut self.meshlets);
        let of = |it: &Meshlet| {
            let named = |triangle: &[usize; 3]| triangle.map(|corner| it.vertices[corner]);
            it.triangles.iter().map(named).collect::<Vec<_>>()
        };
        let depth = |it: &[usize; 3]| it.iter().map(|point| self.points[*point][2]).sum::<f64>();
        let mut depths: Vec<f64> = whole.iter().flat_map(of).map(|it| depth(&it)).collect();
        depths.sort_by(f64::total_cmp);
        let limit = depths.get(count).copied().unwrap_or(0.0);
        let mut front = Meshlet::default();
        for meshlet in &whole {
            let mut rest = Meshlet::default();
            for triangle in of(meshlet) {
                let is_front = depth(&triangle) < limit;
                if is_front { front.add(triangle) } else { rest.add(triangle) }
            }
            self.meshlets.extend((!rest.triangles.is_empty()).then_some(rest));
        }
        self.meshlets.push(front);
    }

    /// For each corner of the triangles, in the order of the meshlets: the point, and the number of the meshlet.
    pub(super) fn corners(&self) -> Vec<[u32; 2]> {
        let of = |(number, it): (usize, &Meshlet)| {
            let corners = it.triangles.iter().flatten();
            corners.map(|corner| [it.vertices[*corner] as u32, number as u32]).collect::<Vec<_>>()
        };
        self.meshlets.iter().enumerate().flat_map(of).collect()
    }

    /// The centre and the radius of a sphere around a meshlet.
    pub(super) fn bounds(&self, meshlet: &Meshlet) -> (Vector, f64) {
        let count = meshlet.vertices.len() as f64;
        let sum =
            |axis: usize| meshlet.vertices.iter().map(|it| self.points[*it][axis]).sum::<f64>();
        let centre = [0, 1, 2].map(|axis| sum(axis) / count);
        let distances = meshlet.vertices.iter().map(|it| length(minus(self.points[*it], centre)));
        (centre, distances.fold(0.0, f64::max))
    }

    /// The axis of a cone that holds the normals of a meshlet, and the cosine of the widest angle to it.
    pub(super) fn cone(&self, meshlet: &Meshlet) -> (Vector, f64) {
        let (centre, _) = self.bounds(meshlet);
        let axis = centre.map(|it| it / length(centre).max(1e-9));
        let cosines = meshlet.vertices.iter().map(|it| dot(self.points[*it], axis));
        (axis, cosines.fold(1.0, f64::min))
    }
}

impl Meshlet {
    fn has_room(&self, triangle: [usize; 3], most: (usize, usize)) -> bool {
        let new = triangle.iter().filter(|it| !self.vertices.contains(it)).count();
        self.vertices.len() + new <= most.0 && self.triangles.len() < most.1
    }

    fn add(&mut self, triangle: [usize; 3]) {
        let corners = triangle.map(|point| {
            let known = self.vertices.iter().position(|it| *it == point);
            known.unwrap_or_else(|| {
                self.vertices.push(point);
                self.vertices.len() - 1
            })
        });
        self.triangles.push(corners);
    }
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn minus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

pub(super) fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshlets_hold_each_triangle_once_and_stay_within_their_bounds() {
        let mesh = Mesh::sphere(9, 12, (20, 126));
        assert_eq!(mesh.corners().len(), 3 * 2 * 12 * 8);
        for meshlet in &mesh.meshlets {
            assert!(meshlet.vertices.len() <= 20 && meshlet.triangles.len() <= MOST.1);
            let (centre, radius) = mesh.bounds(meshlet);
            let (axis, cosine) = mesh.cone(meshlet);
            for point in meshlet.vertices.iter().map(|it| mesh.points[*it]) {
                assert!(length(minus(point, centre)) <= radius && dot(point, axis) >= cosine);
            }
        }
        let mut corners = mesh.corners();
        corners.sort_unstable();
        corners.dedup();
        let vertices: usize = mesh.meshlets.iter().map(|it| it.vertices.len()).sum();
        assert_eq!(corners.len(), vertices, "no vertex stands in a meshlet twice");
    }
}
