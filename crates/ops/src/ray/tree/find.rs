//! What a search finds by trees: one over the instances of a scene, and one in each bottom level.

use super::slab::{Interval, Slab, traverse};
use super::{Leaf, WIDTH};
use crate::ray::bottom::{Bottom, Primitives};
use crate::ray::scene::{Placed, Scene};
use crate::ray::search::{Hit, Wanted};
use crate::ray::triangle::Shear;

/// The triangles of a leaf, each coordinate of the eight side by side.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(in crate::ray) struct Block {
    /// x, y and z of the first vertex, then of the others.
    rows: [[f32; WIDTH]; 9],
}

impl Block {
    pub(in crate::ray) fn new(leaf: &Leaf, triangles: &[[[f32; 3]; 3]]) -> Block {
        let mut block = Block { rows: [[0.0; WIDTH]; 9] };
        for lane in 0..leaf.count as usize {
            let vertices = triangles[leaf.primitives[lane] as usize];
            for (row, value) in vertices.as_flattened().iter().enumerate() {
                block.rows[row][lane] = *value;
            }
        }
        block
    }

    #[inline(always)]
    fn triangle(&self, lane: usize) -> [[f32; 3]; 3] {
        [0, 1, 2].map(|vertex| [0, 1, 2].map(|axis| self.rows[vertex * 3 + axis][lane]))
    }

    /// A mask of the triangles that the ray may hit: a filter in f32 in front of the exact test. It refuses a triangle
    /// only if two edge functions have opposite signs beyond doubt. Their error is below 2⁻²² of the sum of the sizes of
    /// both products, or below the least normal number where products are denormal.
    #[inline(always)]
    fn filter(&self, shear: &Shear) -> u32 {
        const ERROR: f32 = 1.0 / (1u32 << 22) as f32;
        let [x, y, z] = shear.axes;
        let [ox, oy, oz] = shear.axes.map(|axis| shear.origin[axis]);
        let mut across = [[[0.0f32; WIDTH]; 2]; 3];
        for (vertex, across) in across.iter_mut().enumerate() {
            let [vx, vy, vz] = [x, y, z].map(|axis| &self.rows[vertex * 3 + axis]);
            for lane in 0..WIDTH {
                let depth = vz[lane] - oz;
                across[0][lane] = (vx[lane] - ox) - shear.x * depth;
                across[1][lane] = (vy[lane] - oy) - shear.y * depth;
            }
        }
        let mut least = [f32::INFINITY; WIDTH];
        let mut most = [f32::NEG_INFINITY; WIDTH];
        for (p, q) in [(2, 1), (0, 2), (1, 0)] {
            for lane in 0..WIDTH {
                let first = across[p][0][lane] * across[q][1][lane];
                let second = across[p][1][lane] * across[q][0][lane];
                let error = ERROR * (first.abs() + second.abs()) + f32::MIN_POSITIVE;
                let (value, low) = (first - second, least[lane]);
                // A comparison with a NaN refuses nothing.
                least[lane] = if value + error < low { value + error } else { low };
                let high = most[lane];
                most[lane] = if value - error > high { value - error } else { high };
            }
        }
        let mut mask = 0;
        for lane in 0..WIDTH {
            let refused = (least[lane] < 0.0) & (most[lane] > 0.0);
            mask |= u32::from(!refused) << lane;
        }
        mask
    }
}

/// The first hit that comes after the last one, in the canonical order.
#[inline(always)]
pub(in crate::ray) fn closest(scene: &Scene, wanted: &Wanted, any: bool) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    find(scene, wanted, |hit, interval| {
        let is_later = wanted.after.is_none_or(|after| hit.key > after);
        if is_later && best.is_none_or(|best| hit.key < best.key) {
            best = Some(hit);
            // A box is entered at a t of more digits.
            let t = hit.t as f32;
            interval.far = if f64::from(t) < hit.t { t.next_up() } else { t };
        }
        !(any && best.is_some())
    });
    best
}

/// All hits, in no order.
pub(in crate::ray) fn gather(scene: &Scene, wanted: &Wanted) -> Vec<Hit> {
    let mut hits = Vec::new();
    find(scene, wanted, |hit, _| {
        hits.push(hit);
        true
    });
    hits
}

/// Calls `keep` for the hits in the interval, until it returns false. It may shorten the interval.
#[inline(always)]
fn find(scene: &Scene, wanted: &Wanted, mut keep: impl FnMut(Hit, &mut Interval) -> bool) {
    let ray = &wanted.ray;
    // What comes after a hit in the canonical order is not nearer.
    let from = wanted.after.and_then(|it| it.nearest(wanted.admissible.order));
    let near = from.map_or(ray.t_min, |t| ray.t_min.max(t));
    let mut interval = Interval { near, far: wanted.t_max };
    let slab = match &scene.tree {
        // Distances behind the origin are not compared with the right slack.
        Some(tree) if ray.t_min >= 0.0 => {
            Slab::new(ray.origin, ray.direction, tree.reach, scene.pad)
        }
        _ => None,
    };
    match (&scene.tree, slab) {
        (Some(tree), Some(slab)) => traverse(tree, &slab, &mut interval, |leaf, interval| {
            let leaf = &tree.leaves()[leaf];
            leaf.primitives[..leaf.count as usize]
                .iter()
                .all(|at| enter(scene, *at, wanted, interval, &mut keep))
        }),
        _ => {
            for at in 0..scene.instances.len() {
                if !enter(scene, at as u32, wanted, &mut interval, &mut keep) {
                    return;
                }
            }
        }
    }
}

/// The hits of one instance.
#[inline(always)]
fn enter(
    scene: &Scene,
    at: u32,
    wanted: &Wanted,
    interval: &mut Interval,
    keep: &mut impl FnMut(Hit, &mut Interval) -> bool,
) -> bool {
    let instance = &scene.instances[at as usize];
    let (Some(bottom), true) = (&instance.given.bottom, wanted.enters(instance)) else {
        return true;
    };
    let Some((origin, direction)) = instance.enter(&wanted.ray) else { return true };
    let slab = match wanted.ray.t_min >= 0.0 {
        true => Slab::new(origin, direction, bottom.tree.reach, super::PAD),
        false => None,
    };
    let Some(slab) = slab else {
        let mut goes_on = true;
        wanted.each(at, instance, |hit| {
            goes_on = goes_on && keep(hit, interval);
        });
        return goes_on;
    };
    let mut goes_on = true;
    match &bottom.primitives {
        Primitives::Triangles(_) => {
            let shear = Shear::new(origin, direction);
            traverse(&bottom.tree, &slab, interval, |leaf, interval| {
                goes_on = triangles(bottom, leaf, &shear, wanted, (at, instance), interval, keep);
                goes_on
            });
        }
        Primitives::Boxes(boxes) => {
            traverse(&bottom.tree, &slab, interval, |leaf, interval| {
                let leaf = &bottom.tree.leaves()[leaf];
                goes_on = leaf.primitives[..leaf.count as usize].iter().all(|&primitive| {
                    let aabb = &boxes[primitive as usize];
                    let placed = (at, instance);
                    match wanted.aabb(primitive, aabb, (origin, direction), bottom, placed) {
                        Some(hit) => keep(hit, interval),
                        None => true,
                    }
                });
                goes_on
            });
        }
    }
    goes_on
}

#[inline(always)]
fn triangles(
    bottom: &Bottom,
    leaf: usize,
    shear: &Shear,
    wanted: &Wanted,
    placed: (u32, &Placed),
    interval: &mut Interval,
    keep: &mut impl FnMut(Hit, &mut Interval) -> bool,
) -> bool {
    let block = &bottom.blocks[leaf];
    let leaf = &bottom.tree.leaves()[leaf];
    let mut mask = block.filter(shear) & ((1 << leaf.count) - 1);
    while mask != 0 {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        let vertices = block.triangle(lane);
        let hit = wanted.triangle(leaf.primitives[lane], &vertices, shear, bottom, placed);
        if let Some(hit) = hit
            && !keep(hit, interval)
        {
            return false;
        }
    }
    true
}
