//! Tessellation: the hull shader, its patch-constant function, the tessellator, and the domain shader.

use std::collections::HashMap;

use ir::exec::Invocation;
use raster::{Factors, Tessellated, tessellate};

use super::lanes::Numbered;
use super::{Read, Stage, check_words};
use crate::draw::DrawError;
use crate::draw::departure::Part;
use crate::draw::run::Run;
use crate::graphics::{Source, Tessellation};

/// The lanes of a hull shader: each makes a control point.
struct ControlPoints<'a> {
    read: &'a Read,
    /// The control points of a patch.
    each: u64,
}

/// What hull shaders and patch-constant functions leave.
struct Hulls<'a> {
    read: &'a Read,
    /// The control points of a patch, and the words of each.
    each: u64,
    slots: usize,
    points: Vec<u32>,
}

/// A patch that is not culled.
struct Patch {
    number: u64,
    /// Its first point among those of all patches.
    first: u64,
    /// The number of its shape.
    shape: usize,
}

/// The lanes of a domain shader: each is a point of a patch.
struct DomainPoints<'a> {
    hulls: &'a Hulls<'a>,
    /// The patch constants, and how many words each patch has.
    constants: Vec<u32>,
    slots: usize,
    patches: Vec<Patch>,
    /// Patches with the same factors have the same shape.
    shapes: Vec<Tessellated>,
    total: u64,
}

impl Numbered for ControlPoints<'_> {
    fn total(&self) -> u64 {
        self.read.ids.len() as u64 * self.each
    }

    fn word(&self, lane: u64, source: Source) -> u32 {
        self.read.of_vertices(lane / self.each, lane % self.each, source)
    }

    fn invocation(&self, lane: u64) -> Invocation {
        Invocation::ControlPoint {
            patch: self.read.assembled(lane / self.each),
            point: (lane % self.each) as u32,
        }
    }
}

impl Hulls<'_> {
    fn point(&self, patch: u64, point: u32, slot: u32) -> u32 {
        let lane = (patch * self.each) as usize + point as usize;
        self.points[lane * self.slots + slot as usize]
    }
}

/// The lanes of a patch-constant function: each is a patch.
impl Numbered for Hulls<'_> {
    fn total(&self) -> u64 {
        self.read.ids.len() as u64
    }

    fn word(&self, lane: u64, source: Source) -> u32 {
        match source {
            Source::Point { point, slot } => self.point(lane, point, slot),
            source => self.read.of_vertices(lane, 0, source),
        }
    }

    fn invocation(&self, lane: u64) -> Invocation {
        Invocation::Patch(self.read.assembled(lane))
    }
}

impl DomainPoints<'_> {
    /// The patch of a lane, as an index.
    fn patch_at(&self, lane: u64) -> usize {
        self.patches.partition_point(|it| it.first <= lane) - 1
    }

    /// A point of a patch, and its number there.
    fn point(&self, lane: u64) -> (&Patch, u32, [u32; 2]) {
        let patch = &self.patches[self.patch_at(lane)];
        let number = (lane - patch.first) as u32;
        (patch, number, self.shapes[patch.shape].points[number as usize])
    }

    /// What all points of a patch have in common.
    fn of_patch(&self, patch: u64, source: Source) -> u32 {
        match source {
            Source::Point { point, slot } => self.hulls.point(patch, point, slot),
            Source::Patch { slot } => self.constants[patch as usize * self.slots + slot as usize],
            Source::PrimitiveId => self.hulls.read.ids[patch as usize],
            Source::Zero | Source::Vertex { .. } | Source::Number | Source::Place(_) => 0,
        }
    }
}

/// A coordinate of a place in the domain.
fn coordinate([u, v]: [u32; 2], which: u8) -> u32 {
    let [u, v] = [u, v].map(|it| it as f32 / 65536.0);
    match which {
        0 => u.to_bits(),
        1 => v.to_bits(),
        _ => (1.0 - u - v).to_bits(),
    }
}

impl Numbered for DomainPoints<'_> {
    fn total(&self) -> u64 {
        self.total
    }

    fn word(&self, lane: u64, source: Source) -> u32 {
        let (patch, _, at) = self.point(lane);
        match source {
            Source::Place(which) => coordinate(at, which),
            source => self.of_patch(patch.number, source),
        }
    }

    fn row(&self, first: u64, source: Source, mut row: &mut [u32]) {
        let (mut lane, mut at) = (first, self.patch_at(first));
        while !row.is_empty() {
            let patch = &self.patches[at];
            let points = &self.shapes[patch.shape].points[(lane - patch.first) as usize..];
            let (part, rest) = row.split_at_mut(points.len().min(row.len()));
            match source {
                Source::Place(which) => {
                    let places = part.iter_mut().zip(points);
                    places.for_each(|(to, point)| *to = coordinate(*point, which));
                }
                source => part.fill(self.of_patch(patch.number, source)),
            }
            lane += part.len() as u64;
            at += 1;
            row = rest;
        }
    }

    fn invocation(&self, lane: u64) -> Invocation {
        let (patch, number, at) = self.point(lane);
        Invocation::DomainPoint { patch: self.hulls.read.assembled(patch.number), number, at }
    }
}

impl Run<'_> {
    pub(super) fn tessellated(
        &self,
        at: &mut Stage<'_, '_>,
        tessellation: &Tessellation,
        read: &Read,
    ) -> Result<Read, DrawError> {
        let Tessellation { traits, hull, constants, domain, factors } = tessellation;
        let each = u64::from(traits.made);
        let points = self.lanes(at, Part::Hull, hull, &ControlPoints { read, each })?;
        let hulls = &Hulls { read, each, slots: hull.outputs as usize, points };
        let of_patches = self.lanes(at, Part::PatchConstants, constants, hulls)?;

        let (of_domain, partitioning, topology) = tessellation.terms();
        let corners = usize::from(traits.topology.corners());
        let (mut vertices, mut ids) = (Vec::new(), Vec::new());
        let mut known: HashMap<[u32; 6], Option<usize>> = HashMap::new();
        let slots = constants.outputs as usize;
        let mut lanes = DomainPoints {
            hulls,
            constants: of_patches,
            slots,
            patches: Vec::new(),
            shapes: Vec::new(),
            total: 0,
        };
        for patch in 0..read.ids.len() {
            let mut bits = [0; 6];
            let (edges, insides) = bits.split_at_mut(4);
            let of = &lanes.constants[patch * slots..];
            let edges = edges.iter_mut().zip(&factors[0]);
            for (to, slot) in edges.chain(insides.iter_mut().zip(&factors[1])) {
                *to = of[*slot as usize];
            }
            let shape = *known.entry(bits).or_insert_with(|| {
                let [a, b, c, d, e, f] = bits.map(f32::from_bits);
                let factors = Factors { edges: [a, b, c, d], insides: [e, f] };
                let found = tessellate(of_domain, partitioning, topology, &factors)?;
                lanes.shapes.push(found);
                Some(lanes.shapes.len() - 1)
            });
            let Some(shape) = shape else { continue };
            let Tessellated { points, primitives } = &lanes.shapes[shape];
            let first = lanes.total as u32;
            lanes.total += points.len() as u64;
            check_words(lanes.total, domain.outputs.max(6).into())?;
            lanes.patches.push(Patch { number: patch as u64, first: first.into(), shape });
            let of_primitive = |it: &[u32; 3]| it.map(|point| first + point);
            for primitive in primitives.iter().map(of_primitive) {
                vertices.extend_from_slice(&primitive[..corners]);
            }
            ids.resize(ids.len() + primitives.len(), read.ids[patch]);
        }
        let words = self.lanes(at, Part::Domain, domain, &lanes)?;
        let slots = domain.outputs as usize;
        Ok(Read { words, slots, vertices, each: corners, ids, per_instance: None })
    }
}
