//! The traversal of one tree by a ray: which of its nodes and leaves the ray may meet, nearest first.
//!
//! It advances by a node at a time, so that a caller can alternate between rays.

use super::slab::{Interval, Slab};
use super::{Child, Node, Tree, WIDTH};
use crate::ray::vector::Vector;

/// A ray's way through a tree.
#[derive(Debug)]
pub(super) struct Descent<'t> {
    nodes: &'t [Node],
    pub(super) slab: Slab,
    /// What is visited next; [`Child::NONE`] if that is on the stack.
    next: Child,
    stack: Stack,
}

impl<'t> Descent<'t> {
    /// A traversal of nothing.
    #[inline(always)]
    pub(super) fn idle() -> Descent<'t> {
        Descent { nodes: &[], slab: Slab::default(), next: Child::NONE, stack: Stack::new() }
    }

    /// Begins at the root of a tree, with a ray that has been prepared.
    ///
    /// Invariant: the tree has a root, because no ray is prepared for one without a reach.
    #[inline(always)]
    pub(super) fn start<L>(&mut self, tree: &'t Tree<L>) {
        self.stop();
        self.nodes = &tree.nodes;
        self.next = tree.root.unwrap_or(Child::NONE);
    }

    /// Forgets what is left of a traversal that a hit has ended.
    #[inline(always)]
    pub(super) fn stop(&mut self) {
        self.next = Child::NONE;
        self.stack.clear();
    }

    /// The leaf that is visited next, unless that is a node.
    #[inline(always)]
    pub(super) fn leaf(&self) -> Option<Child> {
        self.next.is_leaf().then_some(self.next)
    }

    /// Visits a node: those of its children that the ray may meet wait from then on.
    #[inline(always)]
    pub(super) fn enter<V: Vector>(&mut self, interval: &Interval) {
        let node = &self.nodes[self.next.index()];
        let (near, mask) = self.slab.meet::<V>(node, *interval);
        self.stack.push(&near.store(), &node.children, mask);
        self.next = Child::NONE;
    }

    /// Leaves a leaf, which the caller has visited.
    #[inline(always)]
    pub(super) fn leave(&mut self) {
        self.next = Child::NONE;
    }

    /// Goes on with the nearest of what is waiting, unless that is already under way, and returns whether anything in
    /// the interval is left.
    #[inline(always)]
    pub(super) fn resume(&mut self, interval: &Interval) -> bool {
        while self.next == Child::NONE {
            let Some(waiting) = self.stack.pop() else { return false };
            if interval.reaches(waiting.near()) {
                self.next = waiting.child();
            }
        }
        true
    }

    /// Asks for the memory of the next node.
    #[inline(always)]
    pub(super) fn expect_node<V: Vector>(&self) {
        if let Some(node) = self.nodes.get(self.next.index()) {
            V::prefetch(node);
        }
    }
}

/// A node or a leaf that is still to be visited, below its distance: in the order of integers, nearer ones come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting(u64);

impl Waiting {
    /// Nearer than all others, which are not the root.
    const NEAREST: Waiting = Waiting(0);

    #[inline(always)]
    fn new(near: f32, child: Child) -> Waiting {
        Waiting(u64::from(near.to_bits()) << 32 | u64::from(child.0))
    }

    #[inline(always)]
    fn near(self) -> f32 {
        f32::from_bits((self.0 >> 32) as u32)
    }

    #[inline(always)]
    fn child(self) -> Child {
        Child(self.0 as u32)
    }
}

/// What is still to be visited, the nearest on top.
#[derive(Debug)]
struct Stack {
    fixed: [Waiting; Stack::FIXED],
    len: usize,
    /// Beyond the fixed part. Trees are rarely that deep.
    spilled: Vec<Waiting>,
}

impl Stack {
    const FIXED: usize = 48;

    fn new() -> Stack {
        Stack { fixed: [Waiting(0); Stack::FIXED], len: 0, spilled: Vec::new() }
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.len = 0;
        self.spilled.clear();
    }

    /// Pushes the children in a mask, the nearest on top.
    ///
    /// PERF: without branches on how many they are and how their distances compare, which processors cannot predict:
    /// with them, rays in a terrain of 100,000 triangles take a sixth longer.
    #[inline(always)]
    fn push(&mut self, near: &[f32; WIDTH], children: &[Child; WIDTH], mask: u32) {
        let count = mask.count_ones() as usize;
        let Some(room) = self.fixed.get_mut(self.len..self.len + WIDTH) else {
            self.spill(near, children, mask);
            return;
        };
        if count <= 4 {
            let mut all = gather::<4>(near, children, mask);
            sort(&mut all, &[(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)]);
            room[..4].copy_from_slice(&all);
        } else {
            let mut all = gather::<WIDTH>(near, children, mask);
            #[rustfmt::skip]
            sort(&mut all, &[
                (0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (1, 2), (5, 6),
                (0, 4), (1, 5), (2, 6), (3, 7), (2, 4), (3, 5), (1, 2), (3, 4), (5, 6),
            ]);
            room.copy_from_slice(&all);
        }
        self.len += count;
    }

    /// The same where the fixed part is full.
    #[cold]
    fn spill(&mut self, near: &[f32; WIDTH], children: &[Child; WIDTH], mask: u32) {
        let mut all = gather::<WIDTH>(near, children, mask);
        all.sort_unstable_by(|a, b| b.cmp(a));
        self.spilled.extend(&all[..mask.count_ones() as usize]);
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

/// The children in a mask of up to this many, and others that come after them.
#[inline(always)]
fn gather<const COUNT: usize>(
    near: &[f32; WIDTH],
    children: &[Child; WIDTH],
    mut mask: u32,
) -> [Waiting; COUNT] {
    let mut all = [Waiting::NEAREST; COUNT];
    for waiting in &mut all {
        let lane = mask.trailing_zeros() as usize % WIDTH;
        let next = Waiting::new(near[lane], children[lane]);
        *waiting = if mask != 0 { next } else { Waiting::NEAREST };
        mask &= mask.wrapping_sub(1);
    }
    all
}

/// Sorts by a sorting network, the farthest first: its comparators are pairs of places.
#[inline(always)]
fn sort<const COUNT: usize>(all: &mut [Waiting; COUNT], network: &[(usize, usize)]) {
    for &(i, j) in network {
        (all[i], all[j]) = (all[i].max(all[j]), all[i].min(all[j]));
    }
}
