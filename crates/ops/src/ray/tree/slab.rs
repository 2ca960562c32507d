//! The traversal of a tree by a ray: which boxes it may meet, nearest first.

use super::{Child, Node, Tree, WIDTH};
use crate::ray::vector::Vector;

/// A ray, prepared for the test of boxes (Kay and Kajiya, "Ray Tracing Complex Scenes", 1986).
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    /// Which planes the ray meets first on each axis: 0 for the low ones.
    sides: [usize; 3],
    /// The origin, moved so that every box is enlarged: for the planes that the ray meets first, then for the others.
    origins: [[f32; 3]; 2],
    /// 1 by the direction; for the planes that it meets last, with the slack of comparisons.
    inverse: [[f32; 3]; 2],
}

/// The interval of t that is of interest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) near: f32,
    pub(super) far: f32,
}

impl Interval {
    /// Its end with the slack of comparisons.
    #[inline(always)]
    fn end(self) -> f32 {
        self.far * SLACK
    }

    /// Whether something at a distance is worth a look.
    #[inline(always)]
    fn reaches(self, near: f32) -> bool {
        near <= self.end() + f32::MIN_POSITIVE
    }
}

/// Numbers between these have bounded relative errors in all that follows.
const LEAST: f32 = 1e-18;
const MOST: f32 = 1e18;

/// The slack of comparisons: more than the error of the distances to planes.
const SLACK: f32 = 1.0 + 1.0 / (1u32 << 21) as f32;

impl Slab {
    /// `None` if a tree of this reach cannot be pruned safely for this ray. `pad` is the factor by which the origin
    /// moves, times its greatest |coordinate|.
    #[inline(always)]
    pub(super) fn new(origin: [f32; 3], d: [f32; 3], reach: f32, pad: f32) -> Option<Slab> {
        let largest = |v: [f32; 3]| v[0].abs().max(v[1].abs()).max(v[2].abs());
        let (size, length) = (largest(origin), largest(d));
        // Comparisons with a NaN fail.
        let sound =
            size <= MOST && (LEAST..=MOST).contains(&length) && (LEAST..=MOST).contains(&reach);
        if !sound {
            return None;
        }
        let pad = pad * size + f32::MIN_POSITIVE;
        let mut slab = Slab { sides: [0; 3], origins: [[0.0; 3]; 2], inverse: [[0.0; 3]; 2] };
        for axis in 0..3 {
            let (o, d) = (origin[axis], d[axis]);
            // Invariant: at most 2¹²⁸ in size, so that a distance of 0 stays 0. A plane in the distance of the padding,
            // 2⁻²¹ · reach at the least, is then farther than any hit: t ≤ (reach + size) / length ≤ 2¹²¹.
            let inverse = if d == 0.0 { f32::MAX } else { 1.0 / d };
            let cut = |it: f32| it.clamp(-f32::MAX, f32::MAX);
            let (low, high) = ((o + pad).next_up(), (o - pad).next_down());
            let backward = usize::from(d < 0.0);
            slab.sides[axis] = backward;
            slab.origins[backward][axis] = low;
            slab.origins[1 - backward][axis] = high;
            slab.inverse[0][axis] = cut(inverse);
            slab.inverse[1][axis] = cut(inverse * SLACK);
        }
        Some(slab)
    }

    /// The distances to eight boxes, and a mask of those that the ray may meet within the interval.
    #[inline(always)]
    fn meet<V: Vector>(&self, node: &Node, interval: Interval) -> (V, u32) {
        let near = self.distances::<V, 0>(node, 0).max(self.distances::<V, 0>(node, 1));
        let near = near.max(self.distances::<V, 0>(node, 2).max(V::splat(interval.near)));
        let far = self.distances::<V, 1>(node, 0).min(self.distances::<V, 1>(node, 1));
        let far = far.min(self.distances::<V, 1>(node, 2).min(V::splat(interval.end())));
        (near, near.at_most(far.add(V::splat(f32::MIN_POSITIVE))))
    }

    /// The distances to the planes of an axis that the ray meets first (0) or last (1). Not a closure, which would be
    /// compiled without the instructions of the caller.
    #[inline(always)]
    fn distances<V: Vector, const SIDE: usize>(&self, node: &Node, axis: usize) -> V {
        let row = (self.sides[axis] ^ SIDE) % 2;
        V::load(&node.planes[axis][row])
            .sub(V::splat(self.origins[SIDE][axis]))
            .mul(V::splat(self.inverse[SIDE][axis]))
    }
}

/// What is done with leaves.
pub(super) trait Visit<L> {
    /// Visits a leaf of so many primitives, and returns whether to go on. It may shorten the interval.
    fn leaf(&mut self, leaf: &L, count: u32, interval: &mut Interval) -> bool;
}

/// A node or a leaf that is still to be visited, and its distance.
type Waiting = (f32, Child);

/// What is still to be visited, the nearest on top.
struct Stack {
    fixed: [Waiting; Stack::FIXED],
    len: usize,
    /// Beyond the fixed part. Trees are rarely that deep.
    spilled: Vec<Waiting>,
}

impl Stack {
    const FIXED: usize = 48;

    /// Pushes an entry below the nearer ones that were pushed from `first` on.
    #[inline(always)]
    fn insert(&mut self, first: usize, entry: Waiting) {
        if self.len >= Stack::FIXED {
            self.spilled.push(entry);
            return;
        }
        let mut at = self.len;
        while at > first && self.fixed[at - 1].0 < entry.0 {
            self.fixed[at] = self.fixed[at - 1];
            at -= 1;
        }
        self.fixed[at] = entry;
        self.len += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Waiting> {
        if !self.spilled.is_empty() {
            return self.spilled.pop();
        }
        self.len = self.len.checked_sub(1)?;
        self.fixed.get(self.len).copied()
    }
}

/// Visits the leaves that the ray may meet, nearer ones first.
#[inline(always)]
pub(super) fn traverse<V: Vector, L>(
    tree: &Tree<L>,
    slab: &Slab,
    interval: &mut Interval,
    visit: &mut impl Visit<L>,
) {
    let Some(mut child) = tree.root else { return };
    let mut stack =
        Stack { fixed: [(0.0, Child::NONE); Stack::FIXED], len: 0, spilled: Vec::new() };
    loop {
        if child.is_leaf() {
            if !visit.leaf(&tree.leaves[child.index()], child.count(), interval) {
                return;
            }
        } else {
            let node = &tree.nodes[child.index()];
            let (near, mut mask) = slab.meet::<V>(node, *interval);
            if mask != 0 {
                let first = mask.trailing_zeros() as usize % WIDTH;
                mask &= mask - 1;
                child = node.children[first];
                if mask != 0 {
                    // The nearest child is visited next; insertion sort of the others.
                    let near = near.store();
                    let mut nearest = (near[first], child);
                    let bottom = stack.len;
                    while mask != 0 {
                        let lane = mask.trailing_zeros() as usize % WIDTH;
                        mask &= mask - 1;
                        let mut other = (near[lane], node.children[lane]);
                        if other.0 < nearest.0 {
                            std::mem::swap(&mut other, &mut nearest);
                        }
                        tree.expect::<V>(other.1);
                        stack.insert(bottom, other);
                    }
                    child = nearest.1;
                }
                continue;
            }
        }
        loop {
            let Some((near, waiting)) = stack.pop() else { return };
            if interval.reaches(near) {
                child = waiting;
                break;
            }
        }
    }
}

impl<L> Tree<L> {
    /// Prefetches a child.
    #[inline(always)]
    fn expect<V: Vector>(&self, child: Child) {
        if child.is_leaf() {
            if let Some(leaf) = self.leaves.get(child.index()) {
                V::prefetch(leaf);
            }
        } else if let Some(node) = self.nodes.get(child.index()) {
            V::prefetch(node);
        }
    }
}
