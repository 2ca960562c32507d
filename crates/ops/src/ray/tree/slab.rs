//! The traversal of a tree by a ray: which boxes it may meet, nearest first.

use super::{BITS, Child, Node, Tree, WIDTH, any_of};

/// A ray, prepared for the test of boxes (Kay and Kajiya, "Ray Tracing Complex Scenes", 1986).
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    /// The row of the planes that the ray meets first on each axis, then of those that it meets last.
    rows: [[usize; 3]; 2],
    /// The origin, moved so that every box is enlarged, for these planes.
    origins: [[f32; 3]; 2],
    inverse: [f32; 3],
}

/// The interval of t that is of interest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) near: f32,
    pub(super) far: f32,
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
        let mut slab = Slab { rows: [[0; 3]; 2], origins: [[0.0; 3]; 2], inverse: [0.0; 3] };
        for axis in 0..3 {
            let (o, d) = (origin[axis], d[axis]);
            // Invariant: at most 2¹²⁷ in size, so that a distance of 0 stays 0. A plane in the distance of the padding,
            // 2⁻²¹ · reach at the least, is then farther than any hit: t ≤ (reach + size) / length ≤ 2¹²¹.
            let inverse = 1.0 / d;
            slab.inverse[axis] = inverse.clamp(-f32::MAX, f32::MAX);
            let (low, high) = ((o + pad).next_up(), (o - pad).next_down());
            let backward = usize::from(d < 0.0);
            if d == 0.0 {
                slab.inverse[axis] = f32::MAX;
            }
            slab.rows[backward][axis] = axis;
            slab.rows[1 - backward][axis] = axis + 3;
            slab.origins[backward][axis] = low;
            slab.origins[1 - backward][axis] = high;
        }
        Some(slab)
    }

    /// The distances to eight boxes, and a mask of those that the ray may meet within the interval.
    #[inline(always)]
    fn meet(&self, node: &Node, interval: Interval) -> ([f32; WIDTH], u32) {
        let mut near = [interval.near; WIDTH];
        let mut far = [interval.far; WIDTH];
        for axis in 0..3 {
            let first = &node.planes[self.rows[0][axis]];
            let last = &node.planes[self.rows[1][axis]];
            for lane in 0..WIDTH {
                let a = (first[lane] - self.origins[0][axis]) * self.inverse[axis];
                let b = (last[lane] - self.origins[1][axis]) * self.inverse[axis];
                near[lane] = if a > near[lane] { a } else { near[lane] };
                far[lane] = if b < far[lane] { b } else { far[lane] };
            }
        }
        let mut bits = [0; WIDTH];
        for lane in 0..WIDTH {
            let meets = near[lane] <= far[lane] * SLACK + f32::MIN_POSITIVE;
            bits[lane] = if meets { BITS[lane] } else { 0 };
        }
        (near, any_of(&bits))
    }
}

/// What is done with leaves.
pub(super) trait Visit {
    /// Visits a leaf of so many primitives, and returns whether to go on. It may shorten the interval.
    fn leaf(&mut self, leaf: usize, count: u32, interval: &mut Interval) -> bool;
}

/// The nodes that are still to be visited, the nearest on top.
struct Stack {
    fixed: [(f32, Child); Stack::FIXED],
    len: usize,
    /// Beyond the fixed part. Trees are rarely that deep.
    spilled: Vec<(f32, Child)>,
}

impl Stack {
    const FIXED: usize = 64;

    /// Pushes an entry below the nearer ones that were pushed from `first` on.
    #[inline(always)]
    fn insert(&mut self, first: usize, entry: (f32, Child)) {
        if self.len == Stack::FIXED {
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
    fn pop(&mut self) -> Option<(f32, Child)> {
        if let Some(entry) = self.spilled.pop() {
            return Some(entry);
        }
        self.len = self.len.checked_sub(1)?;
        Some(self.fixed[self.len])
    }
}

/// Visits the leaves that the ray may meet, nearer ones first.
#[inline(always)]
pub(super) fn traverse(tree: &Tree, slab: &Slab, interval: &mut Interval, visit: &mut impl Visit) {
    let Some(mut child) = tree.root else { return };
    let mut stack =
        Stack { fixed: [(0.0, Child::NONE); Stack::FIXED], len: 0, spilled: Vec::new() };
    loop {
        if child.is_leaf() {
            if !visit.leaf(child.index(), child.count(), interval) {
                return;
            }
        } else {
            let node = &tree.nodes[child.index()];
            let (near, mut mask) = slab.meet(node, *interval);
            if mask != 0 {
                // Insertion sort of what is pushed, so that the nearest is on top.
                let first = stack.len;
                loop {
                    let lane = mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    stack.insert(first, (near[lane], node.children[lane]));
                    if mask == 0 {
                        break;
                    }
                }
            }
        }
        loop {
            let Some((near, waiting)) = stack.pop() else { return };
            if near <= interval.far * SLACK + f32::MIN_POSITIVE {
                child = waiting;
                break;
            }
        }
    }
}
