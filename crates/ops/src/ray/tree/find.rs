//! What a search finds by trees: one over the instances of a scene, and one in each bottom level.

use super::descent::Descent;
use super::slab::Interval;
use super::{Child, Leaf};
use crate::ray::Ray;
use crate::ray::aabb::Aabb;
use crate::ray::bottom::{Bottom, Primitives};
use crate::ray::scene::{FEW, Placed, Scene};
use crate::ray::search::{Hit, Wanted};
use crate::ray::triangle::Shear;
use crate::ray::vector::{Portable, Vector};

/// What becomes of hits. Traits instead of closures: only functions can be inlined always, and so be compiled for the
/// instructions that the caller has. On the web there is one set of instructions, and size counts.
pub(in crate::ray) trait Keep {
    /// Takes a hit, and returns whether to go on. It may shorten the interval.
    fn keep(&mut self, hit: Hit, interval: &mut Interval) -> bool;
}

/// All hits, in no order.
pub(in crate::ray) fn gather(scene: &Scene, wanted: &Wanted) -> Vec<Hit> {
    let mut find = Find::idle(All(Vec::new()));
    // All of them: those before the last one are left out later.
    find.start(scene, Wanted { after: None, ..*wanted }, All(Vec::new()));
    while find.step::<Portable>() {}
    find.keep.0
}

/// The first hit that comes after the last one, in the canonical order.
#[derive(Debug, Default)]
pub(in crate::ray) struct Closest {
    pub(in crate::ray) best: Option<Hit>,
    /// Whether the first hit is enough.
    pub(in crate::ray) any: bool,
}

impl Keep for Closest {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn keep(&mut self, hit: Hit, interval: &mut Interval) -> bool {
        if self.best.is_none_or(|best| hit.key < best.key) {
            self.best = Some(hit);
            // A box is entered at a t of more digits.
            let t = hit.t as f32;
            interval.far = if f64::from(t) < hit.t { t.next_up() } else { t };
        }
        !self.any
    }
}

struct All(Vec<Hit>);

impl Keep for All {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn keep(&mut self, hit: Hit, _: &mut Interval) -> bool {
        self.0.push(hit);
        true
    }
}

/// The search of a ray, which advances by a node or a leaf at a time. It keeps the hits in the interval that come after
/// one of the canonical order.
#[derive(Debug)]
pub(in crate::ray) struct Find<'s, K> {
    wanted: Wanted,
    pub(in crate::ray) keep: K,
    interval: Interval,
    instances: Instances<'s>,
    /// The instance that it is in.
    inside: Option<Inside<'s>>,
    descent: Descent<'s>,
}

/// The instances of a scene that are still to be entered.
#[derive(Debug)]
struct Instances<'s> {
    all: &'s [Placed],
    /// Those of the last leaf.
    met: &'s [u32],
    /// Leaves that are tested in order, for a ray that cannot be compared with boxes.
    leaves: &'s [Leaf],
    /// The leaves of the tree that other rays descend.
    tree: &'s [Leaf],
    descent: Descent<'s>,
}

/// The next instance.
enum Next {
    Instance(u32),
    /// Not known yet.
    Later,
    Never,
}

/// The instance that a ray is in.
#[derive(Debug)]
struct Inside<'s> {
    at: u32,
    placed: &'s Placed,
    bottom: &'s Bottom,
    shear: Shear,
    direction: [f32; 3],
}

impl<'s, K: Keep> Find<'s, K> {
    /// A search that is over.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::ray) fn idle(keep: K) -> Find<'s, K> {
        Find {
            wanted: Wanted::default(),
            keep,
            interval: Interval { near: 0.0, far: 0.0 },
            instances: Instances {
                all: &[],
                met: &[],
                leaves: &[],
                tree: &[],
                descent: Descent::idle(),
            },
            inside: None,
            descent: Descent::idle(),
        }
    }

    /// Begins a search.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::ray) fn start(&mut self, scene: &'s Scene, wanted: Wanted, keep: K) {
        self.wanted = wanted;
        let Wanted { ray, after, t_max, .. } = &self.wanted;
        // What comes after a hit in the canonical order is not nearer.
        let near = after.map_or(ray.t_min, |it| ray.t_min.max(it.nearest()));
        self.interval = Interval { near, far: *t_max };
        self.instances.start(scene, ray);
        self.keep = keep;
        self.inside = None;
    }

    /// Visits a node or a leaf, and returns whether there is more to do.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::ray) fn step<V: Vector>(&mut self) -> bool {
        if self.inside.is_none() {
            return match self.instances.next::<V>(&self.interval) {
                Next::Instance(at) => self.enter(at),
                Next::Later => true,
                Next::Never => false,
            };
        }
        match self.descent.leaf() {
            None => self.descent.enter::<V>(&self.interval),
            Some(leaf) => {
                if !self.leaf::<V>(leaf) {
                    return false;
                }
                self.descent.leave();
            }
        }
        if self.descent.resume(&self.interval) {
            self.expect::<V>();
        } else {
            self.inside = None;
            return !self.instances.is_over();
        }
        true
    }

    /// Asks for the memory that is visited next.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn expect<V: Vector>(&self) {
        let Some(inside) = &self.inside else { return };
        match (self.descent.leaf(), &inside.bottom.primitives) {
            (None, _) => self.descent.expect_node::<V>(),
            (Some(leaf), Primitives::Triangles(all)) => {
                if let Some(leaf) = all.tree.leaves.get(leaf.index()) {
                    V::prefetch(leaf);
                }
            }
            (Some(_), Primitives::Boxes(_)) => {}
        }
    }

    /// Enters an instance, and returns whether to go on.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn enter(&mut self, at: u32) -> bool {
        #[cfg(test)]
        tests::ENTERED.set(tests::ENTERED.get() + 1);
        let placed = &self.instances.all[at as usize];
        let (Some(bottom), true) = (&placed.given.bottom, self.wanted.enters(placed)) else {
            return true;
        };
        let ray = &self.wanted.ray;
        let Some((origin, direction)) = placed.enter(ray) else { return true };
        let inside = Inside { at, placed, bottom, shear: Shear::new(origin, direction), direction };
        let slab = &mut self.descent.slab;
        if !(ray.t_min >= 0.0 && slab.prepare(origin, direction, bottom.reach(), super::PAD)) {
            return inside.all(&self.wanted, &mut self.keep, &mut self.interval);
        }
        match &bottom.primitives {
            Primitives::Triangles(all) => self.descent.start(&all.tree),
            Primitives::Boxes(all) => self.descent.start(&all.tree),
        }
        self.inside = Some(inside);
        true
    }

    /// Tests the primitives of a leaf, and returns whether to go on.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn leaf<V: Vector>(&mut self, leaf: Child) -> bool {
        let Find { wanted, keep, interval, inside: Some(inside), .. } = self else { return true };
        match &inside.bottom.primitives {
            Primitives::Triangles(all) => {
                let block = &all.tree.leaves[leaf.index()];
                let mut lanes = block.filter::<V>(&inside.shear) & ((1 << leaf.count()) - 1);
                while lanes != 0 {
                    let lane = lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    let hit = inside.triangle(
                        block.primitive(lane),
                        |vertex, axis| block.coordinate(vertex, axis, lane),
                        wanted,
                    );
                    if !wanted.take(hit, keep, interval) {
                        return false;
                    }
                }
                true
            }
            Primitives::Boxes(all) => {
                all.tree.leaves[leaf.index()].primitives().iter().all(|primitive| {
                    inside.aabb(*primitive, &all.all[*primitive as usize], wanted, keep, interval)
                })
            }
        }
    }
}

impl<'s> Instances<'s> {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn start(&mut self, scene: &'s Scene, ray: &Ray) {
        // The instances of a scene without a tree.
        const WITHOUT: [u32; FEW] = [0, 1];
        self.all = &scene.instances;
        (self.met, self.leaves, self.tree) = (&[], &[], &[]);
        self.descent.stop();
        let Some(tree) = &scene.tree else {
            self.met = &WITHOUT[..scene.instances.len()];
            return;
        };
        // Distances behind the origin are not compared with the right slack.
        let slab = &mut self.descent.slab;
        if ray.t_min >= 0.0 && slab.prepare(ray.origin, ray.direction, tree.reach, scene.pad) {
            self.tree = &tree.leaves;
            self.descent.start(tree);
        } else {
            // Nothing is pruned, but the tree knows which instances can be hit at all: a scene may have many others.
            self.leaves = &tree.leaves;
        }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn is_over(&self) -> bool {
        self.met.is_empty() && self.leaves.is_empty() && self.tree.is_empty()
    }

    /// Visits a node or a leaf, unless the next instance is already known.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn next<V: Vector>(&mut self, interval: &Interval) -> Next {
        if let [at, others @ ..] = self.met {
            self.met = others;
            return Next::Instance(*at);
        }
        if let [leaf, others @ ..] = self.leaves {
            self.leaves = others;
            self.met = leaf.primitives();
            return Next::Later;
        }
        if !self.descent.resume(interval) {
            return Next::Never;
        }
        match self.descent.leaf() {
            None => self.descent.enter::<V>(interval),
            Some(leaf) => {
                self.met = self.tree[leaf.index()].primitives();
                self.descent.leave();
            }
        }
        Next::Later
    }
}

impl Inside<'_> {
    /// Tests every primitive, and returns whether to go on.
    fn all(&self, wanted: &Wanted, keep: &mut impl Keep, interval: &mut Interval) -> bool {
        match &self.bottom.primitives {
            Primitives::Triangles(triangles) => triangles.active().all(|(at, vertices)| {
                let hit = self.triangle(at, |vertex, axis| vertices[vertex][axis], wanted);
                wanted.take(hit, keep, interval)
            }),
            Primitives::Boxes(boxes) => boxes
                .all
                .iter()
                .enumerate()
                .all(|(at, aabb)| self.aabb(at as u32, aabb, wanted, keep, interval)),
        }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn triangle(
        &self,
        at: u32,
        vertices: impl Fn(usize, usize) -> f32,
        wanted: &Wanted,
    ) -> Option<Hit> {
        let sheared = self.shear.apply(vertices);
        wanted.triangle(at, sheared, &self.shear, self.bottom, (self.at, self.placed))
    }

    fn aabb(
        &self,
        at: u32,
        aabb: &Aabb,
        wanted: &Wanted,
        keep: &mut impl Keep,
        interval: &mut Interval,
    ) -> bool {
        let ray = (self.shear.origin, self.direction);
        let hit = wanted.aabb(at, aabb, ray, self.bottom, (self.at, self.placed));
        wanted.take(hit, keep, interval)
    }
}

impl Wanted {
    /// Keeps a hit that comes after the last one, and returns whether to go on.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn take(&self, hit: Option<Hit>, keep: &mut impl Keep, interval: &mut Interval) -> bool {
        match hit {
            Some(hit) if self.after.is_none_or(|after| hit.key > after) => keep.keep(hit, interval),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests;
