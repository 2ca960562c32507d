//! The order of candidates, and the loop over all primitives that defines what a search finds.
//!
//! A search collects the hits of a ray that pass the flags and lie in its interval, and sorts them by [`Key`]. The
//! canonical order is ascending by t, then by instance, geometry and primitive. [`Admissible`] describes the other
//! results that the specification allows; the sanitizer compares programs under them.

use super::aabb::{self, Aabb};
use super::bottom::{Bottom, Primitives};
use super::scene::{Placed, Scene};
use super::triangle::{self, Shear};
use super::{Ray, geometry_flag, instance_flag, ray_flag, tree};

/// How primitives are found, and which of the admissible results is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Search {
    pub method: Method,
    pub admissible: Admissible,
}

impl Search {
    /// The definition: a loop over all primitives.
    pub const BRUTE: Search = Search { method: Method::Brute, admissible: Admissible::CANONICAL };
    /// The same result by a tree.
    pub const TREE: Search = Search { method: Method::Tree, admissible: Admissible::CANONICAL };
    /// See [`Method::Any`].
    pub const ANY: Search = Search { method: Method::Any, admissible: Admissible::CANONICAL };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    Brute,
    #[default]
    Tree,
    /// A tree that stops at the first opaque triangle it meets if the query has `ACCEPT_FIRST_HIT_AND_END_SEARCH`. Only
    /// `CommittedStatus` is then the canonical one: for queries of which nothing else is observed.
    Any,
}

/// A result that the specification allows. Devices give any of them; the canonical one is the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Admissible {
    pub order: Order,
    pub ties: Ties,
    pub edges: Edges,
    pub boxes: BoxSize,
    /// Offers every box twice, and every non-opaque triangle without `NO_DUPLICATE_ANYHIT_INVOCATION`.
    pub duplicates: bool,
}

impl Admissible {
    pub const CANONICAL: Admissible = Admissible {
        order: Order::Nearest,
        ties: Ties::Least,
        edges: Edges::Canonical,
        boxes: BoxSize::Given,
        duplicates: false,
    };
}

/// The order in which primitives are considered. It decides the order of candidates, and which hit
/// `ACCEPT_FIRST_HIT_AND_END_SEARCH` accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    #[default]
    Nearest,
    Farthest,
    /// By instance, geometry and primitive.
    Index,
    /// A permutation that follows from a seed.
    Random(u64),
}

/// Which of several primitives at one t comes first, and so is the closest hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ties {
    /// The least instance, geometry and primitive.
    #[default]
    Least,
    Greatest,
}

/// Which triangle an edge belongs to that the ray hits exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Edges {
    /// The one that the ray hits after it has moved by (ε, ε²) in its own space.
    #[default]
    Canonical,
    /// By (−ε, −ε²).
    Mirrored,
}

/// Which boxes a ray is said to meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BoxSize {
    /// Those that it meets.
    #[default]
    Given,
    /// Those that it meets when they are enlarged on each side by this percentage of their size.
    Enlarged(u32),
    /// All boxes of the instances that it is tested against.
    All,
}

/// The place of a primitive in the order of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    /// From the order: t, for instance, as an integer of the same order.
    rank: u64,
    instance: u32,
    geometry: u32,
    primitive: u32,
    /// 1 for the second offer of a duplicate.
    offer: u32,
}

/// A hit that passes the flags.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    pub(super) key: Key,
    /// For a box, where the ray enters it. Never a NaN.
    pub(super) t: f64,
    pub(super) barycentrics: [f32; 2],
    pub(super) front: bool,
    pub(super) opaque: bool,
    pub(super) procedural: bool,
    /// It may be offered to the shader more than once.
    pub(super) repeatable: bool,
    pub(super) instance: u32,
    pub(super) geometry: u32,
    pub(super) primitive: u32,
}

/// What a query looks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    pub(super) ray: Ray,
    pub(super) flags: u32,
    pub(super) mask: u32,
    /// The t of the committed hit.
    pub(super) t_max: f32,
    /// Only what comes after this is wanted.
    pub(super) after: Option<Key>,
    pub(super) admissible: Admissible,
}

impl Hit {
    /// Whether a hit is within the end of the ray: strictly for triangles, inclusively for boxes.
    pub(super) fn in_range(&self, t_max: f32) -> bool {
        if self.procedural { self.t <= f64::from(t_max) } else { self.t < f64::from(t_max) }
    }
}

impl Wanted {
    /// Whether an instance takes part.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn enters(&self, instance: &Placed) -> bool {
        let Some(bottom) = &instance.given.bottom else { return false };
        let skipped = if bottom.is_procedural() {
            ray_flag::SKIP_PROCEDURAL_PRIMITIVES
        } else {
            ray_flag::SKIP_TRIANGLES
        };
        u32::from(instance.given.mask) & self.mask & 0xff != 0 && self.flags & skipped == 0
    }

    /// Whether a primitive is opaque to this query.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn opaque(&self, geometry: u32, instance: &Placed) -> bool {
        let instance = u32::from(instance.given.flags);
        let mut opaque = geometry & geometry_flag::OPAQUE != 0;
        for (forced, value) in [
            (instance & instance_flag::FORCE_OPAQUE, true),
            (instance & instance_flag::FORCE_NON_OPAQUE, false),
            (self.flags & ray_flag::FORCE_OPAQUE, true),
            (self.flags & ray_flag::FORCE_NON_OPAQUE, false),
        ] {
            if forced != 0 {
                opaque = value;
            }
        }
        opaque
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn culls(&self, opaque: bool) -> bool {
        let flag = if opaque { ray_flag::CULL_OPAQUE } else { ray_flag::CULL_NON_OPAQUE };
        self.flags & flag != 0
    }

    /// The hit of a triangle, which is counted across the geometries of its bottom level, and whose vertices are
    /// relative to the ray.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn triangle(
        &self,
        at: u32,
        sheared: [[f32; 3]; 3],
        shear: &Shear,
        bottom: &Bottom,
        (index, instance): (u32, &Placed),
    ) -> Option<Hit> {
        let crossing = triangle::cross(shear, sheared, self.admissible.edges)?;
        if !(self.ray.t_min < crossing.t && crossing.t < self.t_max) {
            return None;
        }
        let flags = u32::from(instance.given.flags);
        let front =
            crossing.clockwise != (flags & instance_flag::TRIANGLE_FRONT_COUNTERCLOCKWISE != 0);
        let culled = if front {
            ray_flag::CULL_FRONT_FACING_TRIANGLES
        } else {
            ray_flag::CULL_BACK_FACING_TRIANGLES
        };
        if flags & instance_flag::TRIANGLE_CULL_DISABLE == 0 && self.flags & culled != 0 {
            return None;
        }
        let primitive = bottom.primitive(at);
        let opaque = self.opaque(primitive.flags, instance);
        if self.culls(opaque) {
            return None;
        }
        let t = f64::from(crossing.t);
        let key = self.key(t, index, primitive.geometry, primitive.index);
        Some(Hit {
            key,
            t,
            barycentrics: crossing.barycentrics,
            front,
            opaque,
            procedural: false,
            repeatable: !opaque
                && primitive.flags & geometry_flag::NO_DUPLICATE_ANYHIT_INVOCATION == 0,
            instance: index,
            geometry: primitive.geometry,
            primitive: primitive.index,
        })
    }

    /// The hit of a box, which is counted across the geometries of its bottom level.
    pub(super) fn aabb(
        &self,
        at: u32,
        aabb: &Aabb,
        (origin, direction): ([f32; 3], [f32; 3]),
        bottom: &Bottom,
        (index, instance): (u32, &Placed),
    ) -> Option<Hit> {
        if aabb[0][0].is_nan() {
            return None;
        }
        let t_min = f64::from(self.ray.t_min);
        let (near, far) = match self.admissible.boxes {
            BoxSize::Given => aabb::interval(origin, direction, aabb)?,
            BoxSize::Enlarged(percent) => {
                aabb::interval(origin, direction, &aabb::enlarged(aabb, percent))?
            }
            BoxSize::All => (t_min, t_min),
        };
        let t = near.max(t_min);
        if far < t_min || t > f64::from(self.t_max) {
            return None;
        }
        let primitive = bottom.primitive(at);
        let opaque = self.opaque(primitive.flags, instance);
        if self.culls(opaque) {
            return None;
        }
        let key = self.key(t, index, primitive.geometry, primitive.index);
        Some(Hit {
            key,
            t,
            barycentrics: [0.0; 2],
            front: false,
            opaque,
            procedural: true,
            repeatable: true,
            instance: index,
            geometry: primitive.geometry,
            primitive: primitive.index,
        })
    }

    /// Calls `keep` for all hits of an instance that takes part.
    pub(super) fn each(&self, at: u32, instance: &Placed, mut keep: impl FnMut(Hit)) {
        let Some(bottom) = &instance.given.bottom else { return };
        let Some((origin, direction)) = instance.enter(&self.ray) else { return };
        let placed = (at, instance);
        match &bottom.primitives {
            Primitives::Triangles(triangles) => {
                let shear = Shear::new(origin, direction);
                for (at, vertices) in triangles.active() {
                    let sheared = shear.apply(|vertex, axis| vertices[vertex][axis]);
                    let hit = self.triangle(at, sheared, &shear, bottom, placed);
                    hit.into_iter().for_each(&mut keep);
                }
            }
            Primitives::Boxes(boxes) => {
                for (at, aabb) in boxes.all.iter().enumerate() {
                    let hit = self.aabb(at as u32, aabb, (origin, direction), bottom, placed);
                    hit.into_iter().for_each(&mut keep);
                }
            }
        }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn key(&self, t: f64, instance: u32, geometry: u32, primitive: u32) -> Key {
        let rank = match self.admissible.order {
            Order::Nearest => ascending(t),
            Order::Farthest => !ascending(t),
            Order::Index => 0,
            Order::Random(seed) => {
                let place = u64::from(instance) << 32 ^ u64::from(geometry) << 20;
                let mixed = crate::Random::new(seed ^ place).bits() ^ u64::from(primitive);
                crate::Random::new(mixed).bits()
            }
        };
        let [instance, geometry, primitive] = match self.admissible.ties {
            Ties::Least => [instance, geometry, primitive],
            Ties::Greatest => [!instance, !geometry, !primitive],
        };
        Key { rank, instance, geometry, primitive, offer: 0 }
    }

    /// Collects the hits that come after the last one, in order, each twice if the shader may see it twice.
    pub(super) fn sort(&self, mut hits: Vec<Hit>) -> Vec<Hit> {
        if self.admissible.duplicates {
            for at in 0..hits.len() {
                let hit = hits[at];
                if hit.repeatable {
                    hits.push(Hit { key: Key { offer: 1, ..hit.key }, ..hit });
                }
            }
        }
        if let Some(after) = self.after {
            hits.retain(|it| it.key > after);
        }
        hits.sort_unstable_by_key(|it| it.key);
        hits
    }
}

/// An integer with the order of a float, which is not a NaN. −0 equals 0.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn ascending(t: f64) -> u64 {
    let bits = (t + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

impl Key {
    /// A t that no later hit is below, if the order is by t.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn nearest(&self) -> f32 {
        let bits = if self.rank >> 63 == 1 { self.rank & !(1 << 63) } else { !self.rank };
        (f64::from_bits(bits) as f32).next_down()
    }
}

/// All hits of a scene, in order: the definition.
pub(super) fn brute(scene: &Scene, wanted: &Wanted) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (index, instance) in scene.instances.iter().enumerate() {
        if wanted.enters(instance) {
            wanted.each(index as u32, instance, |hit| hits.push(hit));
        }
    }
    wanted.sort(hits)
}

/// The same by trees.
pub(super) fn by_tree(scene: &Scene, wanted: &Wanted) -> Vec<Hit> {
    // Trees know boxes as they were given.
    if wanted.admissible.boxes != BoxSize::Given {
        return brute(scene, wanted);
    }
    wanted.sort(tree::gather(scene, wanted))
}
