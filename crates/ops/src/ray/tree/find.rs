//! What a search finds by trees: one over the instances of a scene, and one in each bottom level.

use std::marker::PhantomData;

use super::slab::{Interval, Slab, Visit, traverse};
use super::{Block, Leaf, Tree};
use crate::ray::aabb::Aabb;
use crate::ray::bottom::{Bottom, Primitives};
use crate::ray::scene::{Placed, Scene};
use crate::ray::search::{Hit, Key, Wanted};
use crate::ray::triangle::Shear;
use crate::ray::vector::{Portable, Vector};

/// What becomes of hits. Traits instead of closures: only functions can be inlined always, and so be compiled for the
/// instructions that the caller has.
trait Keep {
    /// Takes a hit, and returns whether to go on. It may shorten the interval.
    fn keep(&mut self, hit: Hit, interval: &mut Interval) -> bool;
}

/// The first hit that comes after the last one, in the canonical order.
#[inline(always)]
pub(in crate::ray) fn closest<V: Vector>(scene: &Scene, wanted: &Wanted, any: bool) -> Option<Hit> {
    let mut closest = Closest { best: None, any };
    find::<V>(scene, wanted, &mut closest, wanted.after);
    closest.best
}

/// All hits, in no order.
pub(in crate::ray) fn gather(scene: &Scene, wanted: &Wanted) -> Vec<Hit> {
    let mut all = All(Vec::new());
    find::<Portable>(scene, wanted, &mut all, None);
    all.0
}

struct Closest {
    best: Option<Hit>,
    /// Whether the first hit is enough.
    any: bool,
}

impl Keep for Closest {
    #[inline(always)]
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
    #[inline(always)]
    fn keep(&mut self, hit: Hit, _: &mut Interval) -> bool {
        self.0.push(hit);
        true
    }
}

/// Keeps the hits in the interval that come after one of the canonical order.
#[inline(always)]
fn find<V: Vector>(scene: &Scene, wanted: &Wanted, keep: &mut impl Keep, after: Option<Key>) {
    let ray = &wanted.ray;
    // What comes after a hit in the canonical order is not nearer.
    let near = after.map_or(ray.t_min, |it| ray.t_min.max(it.nearest()));
    let mut interval = Interval { near, far: wanted.t_max };
    let slab = match &scene.tree {
        // Distances behind the origin are not compared with the right slack.
        Some(tree) if ray.t_min >= 0.0 => {
            Slab::new(ray.origin, ray.direction, tree.reach, scene.pad)
        }
        _ => None,
    };
    let mut instances = Instances { scene, wanted, keep, after, vectors: PhantomData::<V> };
    match (&scene.tree, slab) {
        (Some(tree), Some(slab)) => traverse::<V, Leaf>(tree, &slab, &mut interval, &mut instances),
        // Nothing is pruned, but the tree knows which instances can be hit at all: a scene may have many others.
        (Some(tree), None) => {
            for leaf in &tree.leaves {
                if !instances.leaf(leaf, leaf.count, &mut interval) {
                    return;
                }
            }
        }
        (None, _) => {
            for at in 0..scene.instances.len() {
                if !instances.enter(at as u32, &mut interval) {
                    return;
                }
            }
        }
    }
}

/// The instances of a scene.
struct Instances<'a, K, V> {
    scene: &'a Scene,
    wanted: &'a Wanted,
    keep: &'a mut K,
    after: Option<Key>,
    vectors: PhantomData<V>,
}

impl<K: Keep, V: Vector> Visit<Leaf> for Instances<'_, K, V> {
    #[inline(always)]
    fn leaf(&mut self, leaf: &Leaf, _: u32, interval: &mut Interval) -> bool {
        for at in leaf.primitives() {
            if !self.enter(*at, interval) {
                return false;
            }
        }
        true
    }
}

impl<K: Keep, V: Vector> Instances<'_, K, V> {
    /// Looks for hits in an instance, and returns whether to go on.
    #[inline(always)]
    fn enter(&mut self, at: u32, interval: &mut Interval) -> bool {
        #[cfg(test)]
        tests::ENTERED.set(tests::ENTERED.get() + 1);
        let instance = &self.scene.instances[at as usize];
        let (Some(bottom), true) = (&instance.given.bottom, self.wanted.enters(instance)) else {
            return true;
        };
        let ray = &self.wanted.ray;
        let Some((origin, direction)) = instance.enter(ray) else { return true };
        let shear = Shear::new(origin, direction);
        let mut inside = Inside {
            bottom,
            shear: &shear,
            direction,
            wanted: self.wanted,
            placed: (at, instance),
            keep: &mut *self.keep,
            after: self.after,
            goes_on: true,
            vectors: PhantomData::<V>,
        };
        match &bottom.primitives {
            Primitives::Triangles(all) => inside.search(&all.tree, interval),
            Primitives::Boxes(all) => inside.search(&all.tree, interval),
        }
        inside.goes_on
    }
}

/// The primitives of an instance.
struct Inside<'a, K, V> {
    bottom: &'a Bottom,
    shear: &'a Shear,
    direction: [f32; 3],
    wanted: &'a Wanted,
    placed: (u32, &'a Placed),
    keep: &'a mut K,
    after: Option<Key>,
    goes_on: bool,
    vectors: PhantomData<V>,
}

impl<K: Keep, V: Vector> Visit<Block> for Inside<'_, K, V> {
    #[inline(always)]
    fn leaf(&mut self, block: &Block, count: u32, interval: &mut Interval) -> bool {
        let mut lanes = block.filter::<V>(self.shear) & ((1 << count) - 1);
        while lanes != 0 && self.goes_on {
            let (vertices, primitive) = block.triangle(lanes.trailing_zeros() as usize);
            lanes &= lanes - 1;
            self.triangle(primitive, &vertices, interval);
        }
        self.goes_on
    }
}

impl<K: Keep, V: Vector> Visit<Leaf> for Inside<'_, K, V> {
    #[inline(always)]
    fn leaf(&mut self, leaf: &Leaf, _: u32, interval: &mut Interval) -> bool {
        if let Primitives::Boxes(boxes) = &self.bottom.primitives {
            for &primitive in leaf.primitives() {
                self.aabb(primitive, &boxes.all[primitive as usize], interval);
            }
        }
        self.goes_on
    }
}

impl<K: Keep, V: Vector> Inside<'_, K, V> {
    /// Looks for hits in a tree, or tests every primitive if it cannot be pruned for this ray.
    #[inline(always)]
    fn search<L>(&mut self, tree: &Tree<L>, interval: &mut Interval)
    where
        Self: Visit<L>,
    {
        let slab = match self.wanted.ray.t_min >= 0.0 {
            true => Slab::new(self.shear.origin, self.direction, tree.reach, super::PAD),
            false => None,
        };
        match slab {
            Some(slab) => traverse::<V, L>(tree, &slab, interval, self),
            None => self.all(interval),
        }
    }

    /// Tests every primitive.
    fn all(&mut self, interval: &mut Interval) {
        match &self.bottom.primitives {
            Primitives::Triangles(triangles) => {
                for (at, vertices) in triangles.active() {
                    self.triangle(at, &vertices, interval);
                }
            }
            Primitives::Boxes(boxes) => {
                for (at, aabb) in boxes.all.iter().enumerate() {
                    self.aabb(at as u32, aabb, interval);
                }
            }
        }
    }

    #[inline(always)]
    fn triangle(&mut self, at: u32, vertices: &[[f32; 3]; 3], interval: &mut Interval) {
        let hit = self.wanted.triangle(at, vertices, self.shear, self.bottom, self.placed);
        self.take(hit, interval);
    }

    #[inline(always)]
    fn aabb(&mut self, at: u32, aabb: &Aabb, interval: &mut Interval) {
        let ray = (self.shear.origin, self.direction);
        let hit = self.wanted.aabb(at, aabb, ray, self.bottom, self.placed);
        self.take(hit, interval);
    }

    #[inline(always)]
    fn take(&mut self, hit: Option<Hit>, interval: &mut Interval) {
        if let Some(hit) = hit
            && self.after.is_none_or(|after| hit.key > after)
        {
            self.goes_on = self.goes_on && self.keep.keep(hit, interval);
        }
    }
}

#[cfg(test)]
mod tests;
