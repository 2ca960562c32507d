//! The triangles of a bottom level. Each is held once: in the leaf of the tree that it is in, where a search reads it.
//! The loop that defines what a search finds reads it there as well.

use super::IDENTITY;
use super::bottom::{Geometry, GeometryData};
use super::refusal::Refusal;
use super::transform::{self, Transform};
use super::tree::{self, Block, Bounds, Items, LEAF, Tree};

type Triangle = [[f32; 3]; 3];

#[derive(Debug)]
pub(super) struct Triangles {
    pub(super) tree: Tree<Block>,
    /// Where each triangle is: its leaf times [`LEAF`], and its lane there.
    places: Vec<u32>,
}

/// Beyond every place: an inactive triangle. It is in no leaf.
const INACTIVE: u32 = u32::MAX;

impl Triangles {
    /// Checks and transforms the geometries, which have this many triangles together.
    pub(super) fn build(geometries: &[Geometry<'_>], count: usize) -> Result<Triangles, Refusal> {
        let mut meshes = Vec::with_capacity(geometries.len());
        let mut items = Items::with_capacity(count);
        let mut first = 0;
        for (geometry, it) in geometries.iter().enumerate() {
            let mesh = Mesh::new(geometry, it.data, first)?;
            for primitive in 0..mesh.len() {
                let triangle = mesh.checked(geometry, primitive)?;
                items.push(is_active(&triangle).then(|| Bounds::around(&triangle)));
            }
            first += mesh.len() as u32;
            meshes.push(mesh);
        }
        let mut places = vec![INACTIVE; count];
        let tree = items.tree(tree::PAD, |at, leaf, block: &mut Block| {
            for (lane, primitive) in leaf.primitives().iter().enumerate() {
                places[*primitive as usize] = (at * LEAF + lane) as u32;
            }
            block.fill(leaf, |it| triangle(&meshes, it));
        });
        Ok(Triangles { tree, places })
    }

    /// How many there are, inactive ones included.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn is_active(&self, at: usize) -> bool {
        self.places.get(at).is_some_and(|it| *it != INACTIVE)
    }

    /// The vertices of a triangle that exists; those of an inactive one are NaNs.
    pub(super) fn get(&self, at: u32) -> Triangle {
        match self.places[at as usize] {
            INACTIVE => [[f32::NAN; 3]; 3],
            place => {
                let (leaf, lane) = (place as usize / LEAF, place as usize % LEAF);
                let block = &self.tree.leaves[leaf];
                [0, 1, 2].map(|vertex| [0, 1, 2].map(|axis| block.coordinate(vertex, axis, lane)))
            }
        }
    }

    /// The triangles that can be hit, in their order.
    pub(super) fn active(&self) -> impl Iterator<Item = (u32, Triangle)> {
        let active = (0..self.len()).filter(|it| self.is_active(*it));
        active.map(|at| (at as u32, self.get(at as u32)))
    }
}

/// The triangles of a geometry, as they were given.
struct Mesh<'a> {
    /// The index of the first one across all geometries.
    first: u32,
    vertices: &'a [[f32; 3]],
    indices: Option<&'a [[u32; 3]]>,
    transform: Option<&'a Transform>,
}

impl Mesh<'_> {
    fn new(geometry: usize, data: GeometryData<'_>, first: u32) -> Result<Mesh<'_>, Refusal> {
        let GeometryData::Triangles { vertices, indices, transform } = data else {
            return Err(Refusal::MixedKinds { geometry });
        };
        if transform.is_some_and(|it| it.iter().any(|it| it.is_nan())) {
            return Err(Refusal::NanTransform { geometry });
        }
        // The identity would turn an infinite coordinate into NaNs, and −0 into +0; neither is seen by a ray.
        let transform = transform.filter(|it| **it != IDENTITY);
        Ok(Mesh { first, vertices, indices: indices.map(|it| it.as_chunks().0), transform })
    }

    fn len(&self) -> usize {
        self.indices.map_or(self.vertices.len() / 3, <[_]>::len)
    }

    /// The vertices of a triangle as given, or the corner whose index is out of range.
    #[inline(always)]
    fn corners(&self, at: usize) -> Result<Triangle, usize> {
        let vertex = |corner: usize| {
            let index = match self.indices {
                Some(indices) => indices[at][corner] as usize,
                None => at * 3 + corner,
            };
            // PERF: one coordinate at a time; as a whole, a vertex goes through memory, and the processor waits for it.
            let [x, y, z] = self.vertices.get(index).ok_or(corner)?;
            Ok::<_, usize>([*x, *y, *z])
        };
        Ok([vertex(0)?, vertex(1)?, vertex(2)?])
    }

    /// The same, transformed.
    #[inline(always)]
    fn placed(&self, corners: Triangle) -> Triangle {
        match self.transform {
            Some(transform) => corners.map(|it| transform::point(transform, it)),
            None => corners,
        }
    }

    /// A triangle, unless an index is out of range, or a coordinate other than x a NaN.
    #[inline(always)]
    fn checked(&self, geometry: usize, primitive: usize) -> Result<Triangle, Refusal> {
        let corners = self.corners(primitive).map_err(|corner| Refusal::IndexOutOfRange {
            geometry,
            position: primitive * 3 + corner,
            index: self.indices.map_or(0, |it| it[primitive][corner]),
            vertices: self.vertices.len(),
        })?;
        let is_odd = !tree::are_finite(corners.as_flattened());
        if is_odd && is_active(&corners) && corners.iter().flatten().any(|it| it.is_nan()) {
            return Err(Refusal::Nan { geometry, primitive });
        }
        Ok(self.placed(corners))
    }
}

/// A triangle that has been checked, by its index across all geometries.
#[inline(always)]
fn triangle(meshes: &[Mesh<'_>], at: u32) -> Triangle {
    // The last mesh that begins here or before: empty ones begin where the next one does.
    let mesh = match meshes {
        [only] => only,
        _ => &meshes[meshes.partition_point(|it| it.first <= at) - 1],
    };
    match mesh.corners((at - mesh.first) as usize) {
        Ok(corners) => mesh.placed(corners),
        Err(_) => unreachable!("the indices were checked"),
    }
}

/// Whether a triangle can be hit: a NaN in x makes it inactive, also one that a transform makes.
#[inline(always)]
fn is_active(triangle: &Triangle) -> bool {
    triangle.iter().all(|it| !it[0].is_nan())
}
