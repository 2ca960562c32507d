//! Bottom levels: triangles or boxes, transformed once and immutable from then on.

use std::sync::Arc;

use super::aabb::Aabb;
use super::geometry_flag;
use super::refusal::Refusal;
use super::transform::Transform;
use super::tree::{self, Bounds, Items, Leaf, Tree};
use super::triangles::Triangles;

/// What one geometry of a bottom level consists of, decoded.
#[derive(Clone, Copy, Debug)]
pub enum GeometryData<'a> {
    Triangles {
        vertices: &'a [[f32; 3]],
        /// Without indices, every three vertices are a triangle.
        indices: Option<&'a [u32]>,
        /// Applied to the vertices; it is not part of an instance's matrices.
        transform: Option<&'a Transform>,
    },
    /// The least corner and the greatest of each box.
    Boxes(&'a [[f32; 6]]),
}

#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a> {
    pub data: GeometryData<'a>,
    /// Of [`geometry_flag`].
    pub flags: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BottomOptions {
    /// Whether shaders may read the positions of vertices (`ALLOW_DATA_ACCESS`).
    pub data_access: bool,
}

impl Default for BottomOptions {
    fn default() -> BottomOptions {
        BottomOptions { data_access: true }
    }
}

/// A bottom-level acceleration structure.
#[derive(Debug)]
pub struct Bottom {
    pub(super) primitives: Primitives,
    geometries: Vec<Part>,
    data_access: bool,
}

/// The primitives of all geometries, counted one after the other. Inactive ones are counted, too.
#[derive(Debug)]
pub(super) enum Primitives {
    Triangles(Triangles),
    Boxes(Boxes),
}

#[derive(Debug)]
pub(super) struct Boxes {
    pub(super) tree: Tree<Leaf>,
    /// A NaN in the first coordinate marks an inactive box.
    pub(super) all: Vec<Aabb>,
}

/// Where a geometry's primitives begin, and its flags.
#[derive(Clone, Copy, Debug)]
struct Part {
    first: u32,
    flags: u32,
}

/// A primitive, as shaders name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Primitive {
    pub(super) geometry: u32,
    pub(super) index: u32,
    /// Of the geometry.
    pub(super) flags: u32,
}

const MOST_GEOMETRIES: usize = 1 << 24;
const MOST_PRIMITIVES: usize = 1 << 29;

impl Bottom {
    /// Checks and transforms the geometries. All have to be of one kind.
    pub fn build(
        geometries: &[Geometry<'_>],
        options: BottomOptions,
    ) -> Result<Arc<Bottom>, Refusal> {
        if geometries.len() > MOST_GEOMETRIES {
            return Err(Refusal::TooManyGeometries(geometries.len()));
        }
        let mut parts = Vec::with_capacity(geometries.len());
        let mut total = 0usize;
        for (at, geometry) in geometries.iter().enumerate() {
            let unknown = geometry.flags & !geometry_flag::KNOWN;
            if unknown != 0 {
                return Err(Refusal::UnknownFlags { geometry: at, flags: unknown });
            }
            parts.push(Part { first: total as u32, flags: geometry.flags });
            total = total.saturating_add(primitive_count(at, &geometry.data)?);
            if total > MOST_PRIMITIVES {
                return Err(Refusal::TooManyPrimitives(total));
            }
        }
        let primitives = match geometries.first() {
            Some(Geometry { data: GeometryData::Boxes(_), .. }) => {
                Primitives::Boxes(Boxes::build(geometries, total)?)
            }
            _ => Primitives::Triangles(Triangles::build(geometries, total)?),
        };
        let data_access = options.data_access;
        Ok(Arc::new(Bottom { primitives, geometries: parts, data_access }))
    }

    pub fn geometry_count(&self) -> usize {
        self.geometries.len()
    }

    /// Of all geometries, inactive ones included.
    pub fn primitive_count(&self) -> usize {
        match &self.primitives {
            Primitives::Triangles(triangles) => triangles.len(),
            Primitives::Boxes(boxes) => boxes.all.len(),
        }
    }

    /// Whether a primitive, counted across all geometries, can be hit at all: a NaN in x makes it inactive.
    pub fn is_active(&self, at: usize) -> bool {
        match &self.primitives {
            Primitives::Triangles(triangles) => triangles.is_active(at),
            Primitives::Boxes(boxes) => boxes.all.get(at).is_some_and(|it| !it[0][0].is_nan()),
        }
    }

    /// The box around everything, enlarged as those of the tree are.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        match &self.primitives {
            Primitives::Triangles(triangles) => triangles.tree.bounds(),
            Primitives::Boxes(boxes) => boxes.tree.bounds(),
        }
    }

    /// The greatest |coordinate|.
    pub(super) fn reach(&self) -> f32 {
        match &self.primitives {
            Primitives::Triangles(triangles) => triangles.tree.reach,
            Primitives::Boxes(boxes) => boxes.tree.reach,
        }
    }

    /// Whether this level holds boxes rather than triangles.
    #[inline(always)]
    pub fn is_procedural(&self) -> bool {
        matches!(self.primitives, Primitives::Boxes(_))
    }

    /// The number of primitives in a geometry, inactive ones included, and its flags.
    pub fn geometry(&self, geometry: u32) -> Option<(u32, u32)> {
        let part = self.geometries.get(geometry as usize)?;
        let next = self.geometries.get(geometry as usize + 1);
        let end = next.map_or(self.primitive_count() as u32, |it| it.first);
        Some((end - part.first, part.flags))
    }

    /// The corners of a box; those of an inactive one are NaNs.
    pub fn aabb(&self, geometry: u32, primitive: u32) -> Option<[[f32; 3]; 2]> {
        let part = self.geometries.get(geometry as usize)?;
        match &self.primitives {
            Primitives::Boxes(boxes) => {
                boxes.all.get((part.first.checked_add(primitive)?) as usize).copied()
            }
            Primitives::Triangles(_) => None,
        }
    }

    /// Whether shaders may read the positions of vertices.
    pub fn data_access(&self) -> bool {
        self.data_access
    }

    /// The vertices of a triangle, after the geometry's transform; those of an inactive one are NaNs.
    pub fn triangle(&self, geometry: u32, primitive: u32) -> Option<[[f32; 3]; 3]> {
        let part = self.geometries.get(geometry as usize)?;
        match &self.primitives {
            Primitives::Triangles(triangles) => {
                let at = part.first.checked_add(primitive)?;
                ((at as usize) < triangles.len()).then(|| triangles.get(at))
            }
            Primitives::Boxes(_) => None,
        }
    }

    /// The geometry and the index in it of a primitive that is counted across all geometries.
    #[inline(always)]
    pub(super) fn primitive(&self, at: u32) -> Primitive {
        // The last geometry that begins here or before: empty ones begin where the next one does.
        let geometry = match &self.geometries[..] {
            [_] => 0,
            parts => parts.partition_point(|it| it.first <= at) - 1,
        };
        let part = self.geometries[geometry];
        Primitive { geometry: geometry as u32, index: at - part.first, flags: part.flags }
    }
}

fn primitive_count(geometry: usize, data: &GeometryData<'_>) -> Result<usize, Refusal> {
    match data {
        GeometryData::Triangles { vertices, indices, .. } => {
            let (count, indexed) = match indices {
                Some(indices) => (indices.len(), true),
                None => (vertices.len(), false),
            };
            if count % 3 != 0 {
                return Err(Refusal::NotTriangles { geometry, count, indexed });
            }
            Ok(count / 3)
        }
        GeometryData::Boxes(boxes) => Ok(boxes.len()),
    }
}

impl Boxes {
    fn build(geometries: &[Geometry<'_>], count: usize) -> Result<Boxes, Refusal> {
        let mut all = Vec::with_capacity(count);
        for (geometry, it) in geometries.iter().enumerate() {
            match it.data {
                GeometryData::Boxes(given) => append_boxes(&mut all, geometry, given)?,
                GeometryData::Triangles { .. } => return Err(Refusal::MixedKinds { geometry }),
            }
        }
        let mut items = Items::with_capacity(count);
        for it in &all {
            items.push((!it[0][0].is_nan()).then(|| Bounds::around(it)));
        }
        Ok(Boxes { tree: items.tree(tree::PAD, |_, leaf, to| *to = *leaf), all })
    }
}

fn append_boxes(boxes: &mut Vec<Aabb>, geometry: usize, given: &[[f32; 6]]) -> Result<(), Refusal> {
    for (primitive, corners) in given.iter().enumerate() {
        let inactive = corners[0].is_nan();
        if !inactive && corners.iter().any(|it| it.is_nan()) {
            return Err(Refusal::Nan { geometry, primitive });
        }
        let [low, high] = [[0, 1, 2], [3, 4, 5]].map(|at| at.map(|it| corners[it]));
        let inverted = (0..3).any(|axis| low[axis] > high[axis]);
        boxes.push(if inactive {
            [[f32::NAN; 3]; 2]
        } else if inverted {
            let middle =
                |axis: usize| (f64::from(low[axis]) * 0.5 + f64::from(high[axis]) * 0.5) as f32;
            [[middle(0), middle(1), middle(2)]; 2]
        } else {
            [low, high]
        });
    }
    Ok(())
}
